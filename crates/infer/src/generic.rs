//! Generic arguments: fresh ones, their kinds, functions as values.

use crate::convert::mk;
use crate::cx::Fx;
use crate::types::notnull;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::{FuncId, Program};
use toft_tir::{Expr, ExprKind};
use toft_ty::{
    Aqual, Bounds, Flags, Folder, GArg, GenericParam, IntExpr, Kind, Region, Ty, TyKind, TyQuals,
};

impl<'a> Fx<'a> {
    /// An argument to be found for `param`.
    pub fn fresh_arg(&mut self, param: &GenericParam, span: Span, of: Option<FuncId>) -> GArg {
        match param.kind {
            Kind::Any | Kind::Word => {
                let ty = self.fresh_ty(span, param.name, of);
                if let Some(var) = self.vars.tys.last_mut() {
                    var.bound = param.bound;
                }
                GArg::Ty(ty)
            }
            Kind::Region => GArg::Region(self.graph.fresh()),
            // Whatever must be live: one region that each of them outlives.
            Kind::Effect => GArg::Effect(Box::leak(Box::new([self.graph.fresh()]))),
            Kind::Int => GArg::Int(self.fresh_int()),
            Kind::Aqual => GArg::Aqual(self.fresh_aqual()),
        }
    }

    /// Arguments for all of `params`; those written explicitly are taken in order.
    pub fn fresh_generics(
        &mut self,
        params: &[GenericParam],
        given: &[GArg],
        of: Option<FuncId>,
        span: Span,
    ) -> Vec<GArg> {
        let mut given = given.iter();
        let mut list = Vec::with_capacity(params.len());
        for param in params {
            let arg = if param.implicit { None } else { given.next() };
            let arg = match arg {
                None => self.fresh_arg(param, span, of),
                Some(&arg) => {
                    let fits = matches!(
                        (param.kind, arg),
                        (Kind::Any | Kind::Word, GArg::Ty(_))
                            | (Kind::Region, GArg::Region(_))
                            | (Kind::Effect, GArg::Effect(_))
                            | (Kind::Int, GArg::Int(_))
                            | (Kind::Aqual, GArg::Aqual(_))
                    );
                    if !fits {
                        self.error(
                            codes::E1001,
                            span,
                            format!("the argument for `'{}` is of the wrong kind", param.name),
                        );
                        self.fresh_arg(param, span, of)
                    } else {
                        match arg {
                            GArg::Ty(ty) => GArg::Ty(self.open_holes(ty)),
                            GArg::Region(Region::Hole) => GArg::Region(self.graph.fresh()),
                            other => other,
                        }
                    }
                }
            };
            list.push(arg);
        }
        if given.next().is_some() {
            self.error(codes::E1001, span, "more type arguments than type parameters");
        }
        list
    }

    /// Kinds and aliasability bounds of the type arguments found so far.
    pub fn check_generics(&mut self, params: &[GenericParam], args: &[GArg], span: Span) {
        for (param, arg) in params.iter().zip(args) {
            if let GArg::Aqual(aqual) = *arg
                && !self.aqual_within(aqual, param.bound)
            {
                self.aqual_outside(param, span);
            }
            let GArg::Ty(ty) = *arg else { continue };
            let ty = self.shallow(ty);
            if let TyKind::Infer(_) = ty.kind() {
                self.pending.push((*param, ty, span));
                continue;
            }
            if !ty.is_error() && !self.within_bound(ty, param.bound) {
                self.outside_bound(param, ty, span);
            } else if matches!(ty.kind(), TyKind::Adt(..) | TyKind::Tuple(_) | TyKind::Variant(..))
                && self.deep(ty).flags().has(Flags::INFER)
            {
                // A part that is not known yet may turn out to be tracked.
                self.pending.push((*param, ty, span));
            }
            // Values are copied by their size: it has to be that of the whole object.
            if !ty.is_error() && !self.need_complete(ty, span) {
                continue;
            }
            if param.kind == Kind::Word && !self.word_sized(ty) {
                let text = self.show(ty);
                self.error(
                    codes::E1004,
                    span,
                    format!("`'{}` takes word-sized types only, not {text}", param.name),
                );
            }
        }
    }

    /// Whether an aliasability is within a bound; what is not known yet becomes it.
    fn aqual_within(&mut self, aqual: Aqual, bound: Aqual) -> bool {
        if bound == Aqual::Top {
            return true;
        }
        match self.aqual(aqual) {
            Aqual::Infer(n) => {
                self.vars.aquals[n as usize] = Some(bound);
                true
            }
            Aqual::Bound(crate::region::constraints::SKOLEM, n) => {
                self.skolem_bounds.get(&n) == Some(&bound)
            }
            Aqual::Param(n) => {
                self.generics.get(n as usize).is_some_and(|param| param.bound == bound)
            }
            known => known == bound || known == Aqual::Erased,
        }
    }

    fn aqual_outside(&mut self, param: &GenericParam, span: Span) {
        let takes = match param.bound {
            Aqual::Unique => "`\\U`",
            Aqual::Counted => "`\\RC`",
            _ => "`\\A`",
        };
        self.error(
            codes::E2009,
            span,
            format!("the aliasability `'{}` can only be {takes} here", param.name),
        );
    }

    /// Whether a function type's own variables, once they have met another function type, are
    /// within their bounds.
    pub fn binder_fits(&mut self, params: &[GenericParam], args: &[GArg]) -> bool {
        params.iter().zip(args).all(|(param, arg)| match *arg {
            GArg::Aqual(aqual) => self.aqual_within(aqual, param.bound),
            GArg::Ty(ty) => {
                let ty = self.shallow(ty);
                match *ty.kind() {
                    TyKind::Infer(_) | TyKind::Error => true,
                    TyKind::Bound(crate::region::constraints::SKOLEM, n) => {
                        param.bound == Aqual::Top
                            || self.skolem_bounds.get(&n) == Some(&param.bound)
                    }
                    _ => self.within_bound(ty, param.bound),
                }
            }
            _ => true,
        })
    }

    /// Whether values of `ty` may be used as the bound says: copied freely (`\\A`), or moved as
    /// a unique or a counted pointer.
    fn within_bound(&mut self, ty: Ty, bound: Aqual) -> bool {
        match bound {
            Aqual::Top => true,
            Aqual::Unique | Aqual::Counted => match *ty.kind() {
                TyKind::Ptr(ptr) => self.aqual(ptr.aqual) == bound,
                TyKind::Param(n, _) => {
                    self.generics.get(n as usize).is_some_and(|param| param.bound == bound)
                }
                _ => false,
            },
            _ => match ty.as_ptr() {
                Some(ptr) => self.aliasable(ptr.aqual),
                None => !self.tracked(ty),
            },
        }
    }

    fn outside_bound(&mut self, param: &GenericParam, ty: Ty, span: Span) {
        let text = self.show(ty);
        let (takes, help) = match param.bound {
            Aqual::Unique => ("unique pointers (`\\U`)", None),
            Aqual::Counted => ("counted pointers (`\\RC`)", None),
            _ => (
                "values that may be copied",
                Some(format!("bound it for tracked pointers: `'{}\\T`, `'{0}\\U`", param.name)),
            ),
        };
        let mut d = Diagnostic::error(
            codes::E2009,
            format!("`'{}` takes {takes} only, not {text}", param.name),
            span,
            "",
        );
        if let Some(help) = help {
            d = d.help(help);
        }
        self.report(d);
    }

    pub fn word_sized(&self, ty: Ty) -> bool {
        match self.shallow(ty).kind() {
            TyKind::Ptr(ptr) => ptr.bounds != Bounds::Fat,
            TyKind::Param(i, _) => {
                self.generics.get(*i as usize).is_some_and(|param| param.kind == Kind::Word)
            }
            TyKind::Infer(_) | TyKind::Error => true,
            _ => ty.is_integer(),
        }
    }

    /// A function's name as a value: a pointer to it. Regions, integers and aliasabilities it
    /// is generic in stay open in the pointer's type; types are chosen here.
    pub fn func_value(
        &mut self,
        id: FuncId,
        given: &[GArg],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let prog: &'a Program = self.prog;
        let func = &prog.funcs[id];
        if func.builtin.is_some() {
            self.error(
                codes::E0900,
                span,
                format!("`{}` is built in and cannot be used as a value", func.name),
            );
            return self.bad(span);
        }
        let (ty, args) = if func.generics.is_empty() {
            (Ty::func(func.sig.clone()), Vec::new())
        } else {
            let mut binder = Vec::new();
            let chosen = self.fresh_generics(&func.generics, given, Some(id), span);
            let mut map = Vec::with_capacity(chosen.len());
            let mut args = Vec::with_capacity(chosen.len());
            for (param, arg) in func.generics.iter().zip(chosen) {
                let k = binder.len() as u16;
                let (inner, outer) = match param.kind {
                    Kind::Any | Kind::Word => (arg, arg),
                    Kind::Region => (GArg::Region(Region::Bound(0, k)), GArg::Region(Region::Heap)),
                    Kind::Int => (GArg::Int(IntExpr::Bound(0, k)), GArg::Int(IntExpr::Unknown)),
                    Kind::Aqual => (GArg::Aqual(Aqual::Bound(0, k)), GArg::Aqual(Aqual::Aliasable)),
                    Kind::Effect => {
                        let bound: &'static [Region] = Box::leak(Box::new([Region::Bound(0, k)]));
                        (GArg::Effect(bound), GArg::Effect(&[]))
                    }
                };
                if !matches!(param.kind, Kind::Any | Kind::Word) {
                    binder.push(*param);
                }
                map.push(inner);
                args.push(outer);
            }
            let bare = Ty::func(func.sig.clone());
            let closed = Close(&map).ty(bare);
            let ty = match closed.as_func() {
                Some(sig) => {
                    // The regions of chosen types are to be live too, whatever is written.
                    let types = func
                        .generics
                        .iter()
                        .any(|param| matches!(param.kind, Kind::Any | Kind::Word));
                    let effect = sig.effect.clone().filter(|_| !types);
                    Ty::func(toft_ty::FuncTy { binder, effect, ..sig.clone() })
                }
                None => closed,
            };
            (ty, args)
        };
        let ty = Ty::ptr(notnull(ty, TyQuals::default(), Region::Heap));
        if let Some(expect) = expect
            && !args.is_empty()
            && expect.as_ptr().is_some()
        {
            let before = self.graph.constraints.len();
            let o = crate::region::Origin::new(span, crate::region::What::Other);
            let _ = self.relate(ty, expect, crate::relate::Mode::Flow, o);
            self.graph.constraints.truncate(before);
        }
        self.check_generics(&func.generics, &args, span);
        mk(ExprKind::FuncAddr(id, args), ty, span)
    }

    /// Reports type variables that nothing decided.
    pub fn undecided(&mut self) {
        for (param, ty, span) in std::mem::take(&mut self.pending) {
            let ty = self.shallow(ty);
            if !matches!(ty.kind(), TyKind::Infer(_)) {
                self.check_generics(&[param], &[GArg::Ty(ty)], span);
            }
        }
        let mut told: Option<Span> = None;
        for n in 0..self.vars.tys.len() {
            let var = &self.vars.tys[n];
            if var.value.is_some() || told == Some(var.span) {
                continue;
            }
            let (span, name, of) = (var.span, var.name, var.of);
            told = Some(span);
            let who = match of {
                Some(id) => format!(" of `{}`", self.prog.funcs[id].name),
                None => String::new(),
            };
            let example = match of {
                Some(id) => format!("`{}@<int>(…)`", self.prog.funcs[id].name),
                None => "the type".into(),
            };
            self.report(
                Diagnostic::error(
                    codes::E1002,
                    format!(
                        "the type argument `'{}`{who} cannot be inferred",
                        Symbol::as_str(name)
                    ),
                    span,
                    "",
                )
                .help(format!("write it: {example}")),
            );
        }
    }
}

/// Replaces a function's parameters by what its type binds, minding nested function types.
struct Close<'x>(&'x [GArg]);

impl Folder for Close<'_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::PARAM)
    }
    fn region(&mut self, region: Region, depth: u16) -> Region {
        let Region::Param(i) = region else { return region };
        match self.0.get(i as usize) {
            Some(GArg::Region(Region::Bound(_, k)) | GArg::Effect([Region::Bound(_, k)])) => {
                Region::Bound(depth.saturating_sub(1), *k)
            }
            Some(GArg::Region(other)) => *other,
            _ => region,
        }
    }
    fn aqual(&mut self, aqual: Aqual, depth: u16) -> Aqual {
        let Aqual::Param(i) = aqual else { return aqual };
        match self.0.get(i as usize) {
            Some(GArg::Aqual(Aqual::Bound(_, k))) => Aqual::Bound(depth.saturating_sub(1), *k),
            Some(GArg::Aqual(other)) => *other,
            _ => aqual,
        }
    }
    fn int(&mut self, int: IntExpr, depth: u16) -> IntExpr {
        let IntExpr::Param(i) = int else { return int };
        match self.0.get(i as usize) {
            Some(GArg::Int(IntExpr::Bound(_, k))) => IntExpr::Bound(depth.saturating_sub(1), *k),
            Some(GArg::Int(other)) => *other,
            _ => int,
        }
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Param(i, _) => match self.0.get(i as usize) {
                Some(GArg::Ty(new)) => Some(*new),
                _ => None,
            },
            _ => None,
        }
    }
}
