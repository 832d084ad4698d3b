//! Calls: of functions, through pointers, of constructors; variable arguments.

use crate::convert::mk;
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::types::notnull;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{FuncId, Origin as Word};
use toft_tir::{
    Aggregate, AggregateKind, Call, Callee, Conv, Expr, ExprKind, Place, PlaceKind, Varargs,
};
use toft_ty::fold::open_func;
use toft_ty::{
    AdtId, Aqual, Flags, FuncTy, GArg, Kind, PtrTy, RegionBound, Ty, TyKind, TyQuals, Variadic,
};

impl<'a> Fx<'a> {
    pub fn call(
        &mut self,
        callee: &'a hir::Expr,
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let before = self.open.len();
        let value = self.call_any(callee, args, expect, span);
        // What comes back may point into what was lent: then the loan lasts for the whole
        // expression, so that it can be looked at (`*first(u)`).
        if self.open.len() > before && self.may_carry(value.ty) {
            return value;
        }
        self.settle(before, value)
    }

    fn call_any(
        &mut self,
        callee: &'a hir::Expr,
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        match &callee.kind {
            hir::ExprKind::Func(id, given) => {
                let func = &self.prog.funcs[*id];
                match func.builtin {
                    Some(builtin) => self.builtin(builtin, *id, given, args, expect, span),
                    None => self.call_func(*id, given, args, expect, span),
                }
            }
            hir::ExprKind::Variant(adt, variant, given) => {
                self.construct(*adt, *variant, given, args, expect, span)
            }
            _ => {
                let value = self.expr(callee, None);
                self.call_value(value, args, span)
            }
        }
    }

    pub fn call_func(
        &mut self,
        id: FuncId,
        given: &[GArg],
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let prog: &'a hir::Program = self.prog;
        let func = &prog.funcs[id];
        let sig = &func.sig;
        if !self.arg_count(Some(id), sig, args.len(), span) {
            args.iter().for_each(|arg| drop(self.expr(arg, None)));
            return self.bad(span);
        }
        let gargs = self.fresh_generics(&func.generics, given, Some(id), span);
        let mut values = self.arguments(
            Some(id),
            &sig.params,
            &gargs,
            sig.ret,
            &args[..sig.params.len()],
            expect,
        );
        let rest = &args[sig.params.len()..];
        let varargs = match sig.variadic {
            Variadic::No => Varargs::None,
            Variadic::C => match func.format {
                Some(format) => self.format_args(id, format, &mut values, rest),
                None if rest.is_empty() => Varargs::C(Vec::new()),
                None => {
                    let mut d = Diagnostic::error(
                        codes::E1101,
                        format!("`{}` takes variable arguments that nothing checks", func.name),
                        span,
                        "",
                    )
                    .label(func.span, "declared here");
                    d = if func.origin == Word::Foreign {
                        d.help("give it an interface with typed arguments in `extern \"C\" { … }`")
                    } else {
                        d.help("declare typed variable arguments (`...T args`), or a `format` attribute")
                    };
                    self.report(d);
                    Varargs::None
                }
            },
            Variadic::Typed(ty) => {
                let ty = self.subst(&gargs, ty);
                Varargs::Typed(self.typed_rest(id, ty, sig.params.len(), rest), ty)
            }
            Variadic::Inject(ty) => {
                let ty = self.subst(&gargs, ty);
                self.inject_rest(ty, rest)
            }
        };
        if let (Variadic::No | Variadic::Typed(_), Some(format)) = (sig.variadic, func.format) {
            self.format_fixed(format, &mut values);
        }
        self.region_bounds(&sig.bounds, &gargs, Some(id), span);
        self.call_effect(sig, &gargs, Some(id), span);
        if let Varargs::C(list) = &varargs {
            self.need_live_args(list, Some(id));
        }
        let ret = self.subst(&gargs, sig.ret);
        self.check_generics(&func.generics, &gargs, span);
        if values.iter().any(|value| value.ty.is_error()) || ret.is_error() {
            return self.bad(span);
        }
        let bare = func.same_const && values.first().is_some_and(writable);
        self.judge_call(id, &mut values);
        let call = Call { callee: Callee::Func(id, gargs), args: values, varargs };
        let result = mk(ExprKind::Call(Box::new(call)), ret, span);
        match *ret.kind() {
            TyKind::Ptr(ptr) if bare => {
                let quals = TyQuals { is_const: false, ..ptr.quals };
                let ty = Ty::new(TyKind::Ptr(PtrTy { quals, ..ptr }));
                mk(ExprKind::Conv(Conv::PtrCast, Box::new(result)), ty, span)
            }
            _ => result,
        }
    }

    fn arg_count(&mut self, id: Option<FuncId>, sig: &FuncTy, n: usize, span: Span) -> bool {
        let want = sig.params.len();
        if n == want || (n > want && sig.variadic != Variadic::No) {
            return true;
        }
        let name = match id {
            Some(id) => format!("`{}`", self.prog.funcs[id].name),
            None => "this function".into(),
        };
        let least = if sig.variadic == Variadic::No { "" } else { "at least " };
        let s = if want == 1 { "" } else { "s" };
        let mut d = Diagnostic::error(
            codes::E0404,
            format!("{name} takes {least}{want} argument{s}, not {n}"),
            span,
            "",
        );
        if let Some(id) = id {
            d = d.label(self.prog.funcs[id].span, "declared here");
        }
        self.report(d);
        false
    }

    /// The fixed arguments, each converted to its parameter.
    fn arguments(
        &mut self,
        id: Option<FuncId>,
        params: &[Ty],
        gargs: &[GArg],
        ret: Ty,
        args: &'a [hir::Expr],
        expect: Option<Ty>,
    ) -> Vec<Expr> {
        let solving =
            gargs.iter().any(|arg| matches!(arg, GArg::Ty(_) | GArg::Int(_) | GArg::Aqual(_)));
        if !solving {
            let each = args.iter().zip(params).enumerate();
            let list = each.map(|(n, (arg, &param))| {
                let ty = self.subst(gargs, param);
                self.expr_to(arg, ty, What::Arg(id, n as u32))
            });
            return list.collect();
        }
        let params: Vec<Ty> = params.iter().map(|&param| self.subst(gargs, param)).collect();
        let mut values: Vec<Option<Expr>> = Vec::with_capacity(args.len());
        for (arg, &param) in args.iter().zip(&params) {
            let known = self.shallow(param);
            let hint = match *known.kind() {
                // What is allocated waits for the rest to say what it should be.
                TyKind::Infer(n) if self.made_for(n, arg) => {
                    values.push(None);
                    continue;
                }
                TyKind::Infer(_) => None,
                _ => Some(known),
            };
            values.push(Some(self.expr(arg, hint)));
        }
        let late: Vec<bool> = values.iter().map(Option::is_none).collect();
        let mut done: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        let tags = self.tags.len();
        // What fixes a parameter comes first: numbers, then shapes, the context, bare values.
        for round in 0..3 {
            if round == 2 {
                self.hint_result(ret, gargs, expect, late.contains(&true));
            }
            for n in 0..values.len() {
                let param = self.shallow(params[n]);
                if round == 2 && late[n] {
                    values[n] = Some(self.made_late(&args[n], param));
                }
                let turn = match param.kind() {
                    TyKind::Tag(_) => 0,
                    TyKind::Infer(_) => 2,
                    _ => 1,
                };
                if turn <= round
                    && let Some(value) = values[n].take()
                {
                    done[n] = Some(self.coerce(value, param, What::Arg(id, n as u32)));
                }
            }
        }
        let mut done: Vec<Expr> = done.into_iter().flatten().collect();
        if self.tags.len() > tags {
            self.numbers_first(&mut done, &params);
            self.tags.truncate(tags);
        }
        done
    }

    /// An allocation as an argument for a type parameter whose bound allows tracked pointers.
    fn made_late(&mut self, arg: &'a hir::Expr, param: Ty) -> Expr {
        let hint = match *param.kind() {
            TyKind::Infer(n) => {
                let bound = self.vars.tys.get(n as usize).map(|var| var.bound);
                self.made_as =
                    bound.filter(|bound| matches!(bound, Aqual::Unique | Aqual::Counted));
                None
            }
            _ => Some(param),
        };
        let value = self.expr(arg, hint);
        self.made_as = None;
        value
    }

    /// Whether `arg` allocates something for type variable `n`, which may be tracked.
    fn made_for(&self, n: u32, arg: &hir::Expr) -> bool {
        let bound = self.vars.tys.get(n as usize).map_or(Aqual::Aliasable, |var| var.bound);
        bound != Aqual::Aliasable && self.allocates(arg)
    }

    fn allocates(&self, arg: &hir::Expr) -> bool {
        match &arg.kind {
            hir::ExprKind::New(_) => true,
            hir::ExprKind::Call(callee, _) => match callee.kind {
                hir::ExprKind::Func(id, _) => self.prog.funcs[id].builtin.is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Lets the expected type decide what the arguments left open.
    fn hint_result(&mut self, ret: Ty, gargs: &[GArg], expect: Option<Ty>, bare: bool) {
        let Some(expect) = expect else { return };
        let ret = self.subst(gargs, ret);
        let ret = self.shallow(ret);
        if ret.is_void()
            || !self.deep(ret).flags().has(Flags::INFER)
            || (matches!(ret.kind(), TyKind::Infer(_)) && !bare)
        {
            return;
        }
        let before = self.graph.constraints.len();
        let o = Origin::new(Span::NONE, What::Other);
        let _ = self.relate(ret, expect, crate::relate::Mode::Flow, o);
        // Only the type variables are wanted; the regions meet again when the value is used.
        self.graph.constraints.truncate(before);
    }

    fn typed_rest(&mut self, id: FuncId, ty: Ty, first: usize, rest: &'a [hir::Expr]) -> Vec<Expr> {
        self.copied_rest(ty, rest.first().map_or(Span::NONE, |arg| arg.span));
        let each = rest.iter().enumerate();
        each.map(|(n, arg)| self.expr_to(arg, ty, What::Arg(Some(id), (first + n) as u32)))
            .collect()
    }

    /// Typed variable arguments are gathered in an array, which only ever hands out copies.
    fn copied_rest(&mut self, ty: Ty, span: Span) {
        if self.tracked(ty) {
            let text = self.show(ty);
            self.error(
                codes::E2009,
                span,
                format!("variable arguments are copied, and values of type {text} are not"),
            );
        }
    }

    /// Wraps each argument in the variant of the datatype that takes it.
    fn inject_rest(&mut self, ty: Ty, rest: &'a [hir::Expr]) -> Varargs {
        let elem = match self.shallow(ty).as_ptr() {
            Some(ptr) => self.shallow(ptr.elem),
            None => ty,
        };
        let TyKind::Adt(adt, args) = *elem.kind() else {
            rest.iter().for_each(|arg| drop(self.expr(arg, None)));
            return Varargs::None;
        };
        let here = self.here;
        let origin = rest.first().map_or(Span::NONE, |arg| arg.span);
        let region = self.graph.pointing_into(here, Origin::new(origin, What::Temp));
        let slot = Ty::ptr(notnull(elem, TyQuals::default(), region));
        let mut list = Vec::with_capacity(rest.len());
        for arg in rest {
            let value = self.expr(arg, None);
            let value = self.lent(value, crate::tracked::Why::Arg);
            if value.ty.is_error() {
                continue;
            }
            let Some((variant, field)) = self.injection(adt, args, &value) else {
                let (have, want) = (self.show(value.ty), self.show(elem));
                self.error(codes::E0401, value.span, format!("no variant of {want} takes {have}"));
                continue;
            };
            let span = value.span;
            let value = self.coerce(value, field, What::Field);
            let ty = Ty::new(TyKind::Variant(adt, variant, args));
            let kind = AggregateKind::Variant(adt, variant);
            let made = mk(
                ExprKind::Aggregate(Box::new(Aggregate { kind, fields: vec![(0, value)] })),
                ty,
                span,
            );
            let place = Place {
                kind: PlaceKind::Temp(Box::new(made), here),
                ty,
                quals: TyQuals::default(),
                span,
            };
            let at = Ty::ptr(notnull(ty, TyQuals::default(), region));
            let address = mk(ExprKind::AddrOf(Box::new(place)), at, span);
            list.push(crate::convert::conv(toft_tir::Conv::PtrCast, address, slot));
        }
        Varargs::Typed(list, slot)
    }

    fn injection(&mut self, adt: AdtId, args: &[GArg], value: &Expr) -> Option<(u32, Ty)> {
        let def = self.adt(adt);
        let ty = self.shallow(value.ty);
        let mut best: Option<(u32, u32, Ty)> = None;
        for (n, variant) in def.variants.iter().enumerate() {
            let [field] = variant.fields.as_slice() else { continue };
            let want = self.field_ty(field, args);
            let cost = match (ty.as_ptr(), want.as_ptr()) {
                _ if self.same_shape(ty, want) => 0,
                (Some(a), Some(b))
                    if self.same_shape(a.elem, b.elem)
                        && (b.quals.is_const || !a.quals.is_const) =>
                {
                    2 + u32::from(a.zeroterm != b.zeroterm)
                        + u32::from(
                            (a.bounds == toft_ty::Bounds::Fat)
                                != (b.bounds == toft_ty::Bounds::Fat),
                        )
                }
                (None, None) if ty.is_integer() && want.is_integer() => {
                    let (Some(a), Some(b)) = (self.int_ty(ty), self.int_ty(want)) else { continue };
                    if b.bytes() < a.bytes() {
                        continue;
                    }
                    3 + b.rank() - a.rank().min(b.rank())
                        + u32::from(a.is_signed() != b.is_signed())
                }
                (None, None) if ty.is_float() && want.is_float() => 3,
                _ => continue,
            };
            if best.is_none_or(|(_, old, _)| cost < old) {
                best = Some((n as u32, cost, want));
            }
        }
        best.map(|(n, _, ty)| (n, ty))
    }

    /// A call through a pointer to a function.
    fn call_value(&mut self, callee: Expr, args: &'a [hir::Expr], span: Span) -> Expr {
        let ty = self.shallow(callee.ty);
        let func = ty.as_ptr().and_then(|ptr| self.shallow(ptr.elem).as_func());
        let Some(func) = func else {
            args.iter().for_each(|arg| drop(self.expr(arg, None)));
            if !ty.is_error() {
                let text = self.show(ty);
                self.error(codes::E0403, callee.span, format!("{text} cannot be called"));
            }
            return self.bad(span);
        };
        if ty.as_ptr().is_some_and(|ptr| ptr.foreign) {
            self.error(
                codes::E1101,
                callee.span,
                "a function pointer of a host header cannot be called",
            );
            return self.bad(span);
        }
        if !self.arg_count(None, func, args.len(), span) {
            return self.bad(span);
        }
        let opened;
        let given: Vec<GArg> =
            func.binder.iter().map(|param| self.fresh_arg(param, span, None)).collect();
        let sig = if func.binder.is_empty() {
            func
        } else {
            opened = open_func(func, &given);
            &opened
        };
        let n = sig.params.len();
        let marker = [GArg::Int(toft_ty::IntExpr::Unknown)];
        let solving = !func.binder.iter().all(|param| param.kind == Kind::Region);
        let values = self.arguments(
            None,
            &sig.params,
            if solving { &marker } else { &[] },
            sig.ret,
            &args[..n],
            None,
        );
        self.check_generics(&func.binder, &given, span);
        let varargs = match sig.variadic {
            Variadic::No => Varargs::None,
            Variadic::C => {
                if args.len() > n {
                    self.error(
                        codes::E1101,
                        span,
                        "variable arguments through a function pointer are not checked by anything",
                    );
                }
                Varargs::None
            }
            Variadic::Typed(ty) => {
                self.copied_rest(ty, span);
                let rest =
                    args[n..].iter().map(|arg| self.expr_to(arg, ty, What::Arg(None, n as u32)));
                Varargs::Typed(rest.collect(), ty)
            }
            Variadic::Inject(ty) => self.inject_rest(ty, &args[n..]),
        };
        self.region_bounds(&sig.bounds, &[], None, span);
        self.call_effect(sig, &[], None, span);
        if values.iter().any(|value| value.ty.is_error()) {
            return self.bad(span);
        }
        let ret = sig.ret;
        let call = Call { callee: Callee::Ptr(callee), args: values, varargs };
        mk(ExprKind::Call(Box::new(call)), ret, span)
    }

    pub fn region_bounds(
        &mut self,
        bounds: &[RegionBound],
        gargs: &[GArg],
        id: Option<FuncId>,
        span: Span,
    ) {
        for &bound in bounds {
            self.prove(Fx::bound_at(bound, gargs), Origin::new(span, What::Bound(id)));
        }
    }

    /// `A(x, y)`: a value of the variant's own type.
    pub fn construct(
        &mut self,
        adt: AdtId,
        variant: u32,
        given: &[GArg],
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let def = self.adt(adt);
        let Some(made) = def.variants.get(variant as usize) else { return self.bad(span) };
        if made.fields.len() != args.len() {
            args.iter().for_each(|arg| drop(self.expr(arg, None)));
            let n = made.fields.len();
            let s = if n == 1 { "" } else { "s" };
            self.report(
                Diagnostic::error(
                    codes::E0404,
                    format!("`{}` takes {n} value{s}, not {}", made.name, args.len()),
                    span,
                    "",
                )
                .label(made.span, "declared here"),
            );
            return self.bad(span);
        }
        let mut gargs = self.fresh_generics(&def.generics, given, None, span);
        self.hint_adt(adt, &gargs, expect, span);
        let own = gargs.len();
        gargs.extend(self.fresh_generics(&made.exists, &[], None, span));
        let tys: Vec<Ty> = made.fields.iter().map(|field| self.field_ty(field, &gargs)).collect();
        let mut fields = Vec::with_capacity(args.len());
        for (n, (arg, &ty)) in args.iter().zip(&tys).enumerate() {
            let value = self.expr_to(arg, ty, What::Field);
            fields.push((n as u64, self.refined(value, made.fields[n].quals.refine)));
        }
        self.packed(&gargs, own, &def.bounds, span);
        self.check_generics(&made.exists, &gargs[own..], span);
        if fields.iter().any(|(_, value)| value.ty.is_error()) {
            return self.bad(span);
        }
        let ty = Ty::new(TyKind::Variant(adt, variant, toft_ty::arg_list(&gargs[..own])));
        let kind = AggregateKind::Variant(adt, variant);
        mk(ExprKind::Aggregate(Box::new(Aggregate { kind, fields })), ty, span)
    }

    /// The arguments of an ADT that the context already knows.
    pub fn hint_adt(&mut self, adt: AdtId, gargs: &[GArg], expect: Option<Ty>, span: Span) {
        let Some(mut ty) = expect.map(|ty| self.shallow(ty)) else { return };
        if let Some(ptr) = ty.as_ptr() {
            ty = self.shallow(ptr.elem);
        }
        if let TyKind::Adt(id, args) | TyKind::Variant(id, _, args) = *ty.kind()
            && id == adt
        {
            let o = Origin::new(span, What::Other);
            let _ = self.relate_args(gargs, args, o);
        }
    }
}

/// Whether an argument points to what may be written, before it was converted.
fn writable(e: &Expr) -> bool {
    let here = matches!(e.ty.kind(), TyKind::Ptr(ptr) if !ptr.quals.is_const);
    match &e.kind {
        _ if here => true,
        ExprKind::Conv(_, inner) => writable(inner),
        _ => false,
    }
}
