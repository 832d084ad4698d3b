//! Declarators → types: pointers, arrays, functions, parameters.

use crate::cx::{self, Resolver};
use crate::generics::{FillHoles, SigKind};
use crate::types::{MAX_DERIVED, Mode};
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::{Expr, ParamInfo};
use toft_ty::*;

/// A function declarator, resolved: without its binder.
pub(crate) struct FuncParts {
    pub ty: FuncTy,
    pub params: Vec<ParamInfo>,
    /// What the result satisfies.
    pub ret_refine: Option<Refinement>,
}

impl<'a> Resolver<'a> {
    /// The type of `spec` with `derived` around it, and the qualifiers of the whole.
    pub fn derive(
        &mut self,
        spec: &'a ast::TypeSpec,
        derived: &'a [ast::Derived],
        mode: Mode,
    ) -> (Ty, TyQuals) {
        if derived.len() > MAX_DERIVED {
            self.error(codes::E0205, "the declarator is nested too deeply", spec.span, "");
            return (self.common.error, TyQuals::default());
        }
        let Some((first, rest)) = derived.split_first() else { return self.spec(spec, mode) };
        match first {
            ast::Derived::Pointer(ptr) => {
                let (elem, quals) = self.derive(spec, rest, mode);
                let ty = self.pointer(ptr, elem, quals, mode);
                (ty, cx::quals(ptr.quals))
            }
            ast::Derived::Array(array) => {
                let (elem, quals) = self.derive(spec, rest, mode);
                (self.array(array, elem), cx::join_quals(quals, cx::quals(array.quals)))
            }
            ast::Derived::Function(func) => {
                self.open_sig(SigKind::FuncType, func, rest, spec);
                let parts = self.func_parts(func, rest, spec, false);
                let binder = self.close_sig();
                let mut ty = FuncTy { binder: Vec::new(), ..parts.ty };
                self.keep_unnamed(&mut ty, &binder, |i| Region::Bound(0, i as u16));
                (Ty::func(FuncTy { binder, ..ty }), TyQuals::default())
            }
        }
    }

    /// Parameters, result and the rest; the signature is open.
    pub fn func_parts(
        &mut self,
        func: &'a ast::FuncDecl,
        rest: &'a [ast::Derived],
        spec: &'a ast::TypeSpec,
        is_main: bool,
    ) -> FuncParts {
        let mark = self.bound_names.len();
        let mut tys = Vec::with_capacity(func.params.len());
        let mut infos = Vec::with_capacity(func.params.len());
        for (n, param) in func.params.iter().enumerate() {
            let (ty, info) = self.param(param, is_main && n == 1, is_main);
            if let Some(name) = info.name {
                self.bound_names.push((name, ty));
            }
            if ty.is_void() {
                self.error(codes::E0305, "a parameter of type `void`", info.span, "");
            }
            tys.push(if ty.is_void() { self.common.error } else { self.fill_holes(ty) });
            infos.push(info);
        }
        let mode = if self.is_foreign() || is_main { Mode::Heap } else { Mode::Fresh };
        let variadic = match &func.varargs {
            ast::VarargDecl::None => Variadic::No,
            ast::VarargDecl::C(_) => Variadic::C,
            ast::VarargDecl::Typed { ty, inject, .. } => {
                let elem = self.bare_type(ty, mode);
                if *inject { Variadic::Inject(elem) } else { Variadic::Typed(elem) }
            }
        };
        let (ret, ret_quals) = self.derive(spec, rest, Mode::Heap);
        let ret = self.check_result(ret, spec.span);
        let ret = self.fill_holes(ret);
        let effect = func.effect.as_ref().map(|effect| self.effect(effect));
        let bounds = self.constraints(&func.constraints);
        self.bound_names.truncate(mark);
        if func.unspecified && !func.params.is_empty() && !self.is_foreign() {
            self.unsupported("parameter lists without types", func.span);
        }
        let attrs = self.func_attrs(&[&func.attrs], tys.len());
        let ty = FuncTy {
            binder: Vec::new(),
            params: tys,
            ret,
            variadic,
            effect,
            bounds,
            consumes: attrs.consumes,
            noreturn: attrs.noreturn,
        };
        FuncParts { ty, params: infos, ret_refine: ret_quals.refine }
    }

    /// A typedef of a body has holes; a signature has none.
    fn fill_holes(&self, ty: Ty) -> Ty {
        if self.body.active && ty.flags().has(Flags::INFER) {
            return FillHoles(Region::Heap).ty(ty);
        }
        ty
    }

    fn check_result(&mut self, ret: Ty, span: Span) -> Ty {
        match ret.kind() {
            TyKind::Array { .. } | TyKind::Vla(_) => {
                self.error(codes::E0203, "a function cannot return an array", span, "");
                self.common.error
            }
            TyKind::Func(_) => {
                self.error(codes::E0203, "a function cannot return a function", span, "");
                self.common.error
            }
            _ => ret,
        }
    }

    fn param(&mut self, param: &'a ast::Param, is_argv: bool, is_main: bool) -> (Ty, ParamInfo) {
        let declarator = &param.declarator;
        let mode = if self.is_foreign() || is_main { Mode::Heap } else { Mode::Fresh };
        let (ty, quals) = match declarator.derived.split_first() {
            Some((ast::Derived::Array(array), rest)) => {
                let (elem, quals) = self.derive(&param.spec, rest, mode);
                (self.array_param(array, elem, quals, mode), cx::quals(array.quals))
            }
            _ => self.derive(&param.spec, &declarator.derived, mode),
        };
        let ty = self.adjust_param(ty, quals, mode);
        let ty = if is_argv { argv(ty) } else { ty };
        if self.pending_typeof.take().is_some() || *ty.kind() == TyKind::Infer(0) {
            self.unsupported("`typeof` and `auto` in parameters", param.span);
        }
        let name = declarator.name.as_ref().and_then(|path| path.segments.last());
        let info = ParamInfo {
            name: name.map(|ident| ident.name),
            quals,
            span: name.map_or(param.span, |ident| ident.span),
        };
        (ty, info)
    }

    /// C's adjustment of parameters whose type is an array or function through a typedef.
    fn adjust_param(&mut self, ty: Ty, quals: TyQuals, mode: Mode) -> Ty {
        match *ty.kind() {
            TyKind::Array { elem, len, zeroterm } => {
                let region = self.default_region(mode);
                let bounds = match len {
                    IntExpr::Unknown => Bounds::Fat,
                    len => Bounds::Thin(len),
                };
                let foreign = self.is_foreign();
                Ty::ptr(PtrTy { quals, bounds, zeroterm, foreign, ..PtrTy::thin(elem, region) })
            }
            TyKind::Func(_) => {
                Ty::ptr(PtrTy { foreign: self.is_foreign(), ..PtrTy::thin(ty, Region::Heap) })
            }
            _ => ty,
        }
    }

    /// `T a[]` → `T ?`, `T a[n]` → `T *{n}`.
    fn array_param(
        &mut self,
        array: &'a ast::ArrayDecl,
        elem: Ty,
        quals: TyQuals,
        mode: Mode,
    ) -> Ty {
        let region = self.default_region(mode);
        let thin = PtrTy { quals, ..PtrTy::thin(elem, region) };
        if self.is_foreign() {
            return Ty::ptr(PtrTy { foreign: true, ..thin });
        }
        let zeroterm = array.zeroterm == Some(true);
        let bounds = match &array.size {
            Some(size) if !array.star => match self.named_int(size) {
                Some(Some(int)) => Bounds::Thin(int),
                Some(None) => return self.common.error,
                None => self.param_size(size),
            },
            _ if zeroterm => Bounds::Thin(IntExpr::Const(0)),
            _ => Bounds::Fat,
        };
        let nullable = !(array.is_static && bounds != Bounds::Fat);
        Ty::ptr(PtrTy { bounds, zeroterm, nullable, ..thin })
    }

    /// A constant size counts; one that depends on an ordinary parameter says nothing.
    fn param_size(&mut self, size: &'a ast::Expr) -> Bounds {
        if mentions(size, &self.bound_names) {
            return Bounds::Fat;
        }
        let value = self.expr(size);
        match self.const_bound(&value) {
            Some(int) => Bounds::Thin(int),
            None => Bounds::Fat,
        }
    }

    pub fn pointer(&mut self, ptr: &'a ast::PtrDecl, elem: Ty, quals: TyQuals, mode: Mode) -> Ty {
        if self.is_foreign() {
            return Ty::ptr(PtrTy { quals, foreign: true, ..PtrTy::thin(elem, Region::Heap) });
        }
        let attrs = self.pointer_attrs(ptr);
        let is_char = matches!(elem.kind(), TyKind::Int(IntTy::Char));
        let fat = attrs.fat.unwrap_or(ptr.kind == ast::PtrSign::Question);
        let zeroterm = match attrs.zeroterm {
            Some(written) => written,
            None => is_char && !fat && attrs.numelts.is_none(),
        };
        let bounds = match (fat, attrs.numelts) {
            (true, _) => Bounds::Fat,
            (false, Some(int)) => Bounds::Thin(int),
            (false, None) => Bounds::Thin(IntExpr::Const(u64::from(!zeroterm))),
        };
        if zeroterm && !can_terminate(elem) {
            self.error(
                codes::E0204,
                "`@zeroterm` needs elements of which zero is a value",
                ptr.span,
                "",
            );
        }
        let region = match attrs.region {
            Some(region) => region,
            None if elem.as_func().is_some() => Region::Heap,
            // What a function frees lies in the heap, unless its signature says otherwise.
            None if mode == Mode::Fresh
                && matches!(attrs.aqual, Some(Aqual::Unique | Aqual::Counted)) =>
            {
                Region::Heap
            }
            None => self.default_region(mode),
        };
        let nullable = attrs.nullable.unwrap_or(ptr.kind != ast::PtrSign::At);
        let aqual = attrs.aqual.unwrap_or(Aqual::Aliasable);
        Ty::ptr(PtrTy { elem, quals, region, aqual, nullable, bounds, zeroterm, foreign: false })
    }

    fn pointer_attrs(&mut self, ptr: &'a ast::PtrDecl) -> PtrAttrs {
        let mut out = PtrAttrs::default();
        let mut seen: [Option<Span>; 6] = [None; 6];
        for (attr, span) in &ptr.attrs {
            let slot = match attr {
                ast::PtrAttr::NotNull => {
                    out.nullable = Some(false);
                    0
                }
                ast::PtrAttr::Nullable => {
                    out.nullable = Some(true);
                    0
                }
                ast::PtrAttr::Fat => {
                    out.fat = Some(true);
                    1
                }
                ast::PtrAttr::Thin => {
                    out.fat = Some(false);
                    1
                }
                ast::PtrAttr::Numelts(expr) => {
                    out.numelts = self.int_expr(expr).or(Some(IntExpr::Const(1)));
                    2
                }
                ast::PtrAttr::Zeroterm => {
                    out.zeroterm = Some(true);
                    3
                }
                ast::PtrAttr::Nozeroterm => {
                    out.zeroterm = Some(false);
                    3
                }
                ast::PtrAttr::Region(var) => {
                    // A bare variable may be an aliasability.
                    if self.find_var(var.name).is_some_and(|entry| entry.kind == Kind::Aqual) {
                        out.aqual = self.aqual_var(var);
                        5
                    } else {
                        out.region = Some(self.region_var(var).unwrap_or(Region::Heap));
                        4
                    }
                }
                ast::PtrAttr::RegionArg(arg) => {
                    out.region = Some(self.region_arg(arg, *span).unwrap_or(Region::Heap));
                    4
                }
                ast::PtrAttr::Aqual(aqual) => {
                    out.aqual = self.aqual(aqual);
                    5
                }
            };
            if let Some(old) = seen[slot] {
                let diag = Diagnostic::error(
                    codes::E0204,
                    "two qualifiers of one pointer contradict or repeat each other",
                    *span,
                    "this one",
                );
                let _ = self.sess.emit(diag.label(old, "and this one"));
            }
            seen[slot] = Some(*span);
        }
        let is_fat =
            out.fat == Some(true) || out.fat.is_none() && ptr.kind == ast::PtrSign::Question;
        if is_fat && let Some(span) = seen[2] {
            self.error(
                codes::E0204,
                "a fat pointer carries its bounds: a number of elements cannot be given too",
                span,
                "",
            );
        }
        out
    }

    /// An array of constant size (or of a size still unknown).
    fn array(&mut self, array: &'a ast::ArrayDecl, elem: Ty) -> Ty {
        let zeroterm = array.zeroterm == Some(true);
        if matches!(elem.kind(), TyKind::Void | TyKind::Func(_)) {
            let what = if elem.is_void() { "`void`" } else { "functions" };
            self.error(codes::E0203, format!("an array of {what}"), array.span, "");
            return self.common.error;
        }
        if matches!(elem.kind(), TyKind::Array { len: IntExpr::Unknown, .. }) {
            self.error(
                codes::E0305,
                "an array whose elements are arrays of unknown size",
                array.span,
                "",
            );
            return self.common.error;
        }
        let len = match &array.size {
            None => IntExpr::Unknown,
            Some(size) if mentions(size, &self.bound_names) => {
                let diag = Diagnostic::error(
                    codes::E0900,
                    "rows whose length is known at run time only are not supported in parameters yet",
                    size.span,
                    "",
                );
                let help = "pass the elements as one array and compute the index: `a[i * m + j]`";
                let _ = self.sess.emit(diag.help(help));
                return self.common.error;
            }
            Some(size) => {
                let value = self.expr(size);
                match self.array_len(&value) {
                    Some(len) => IntExpr::Const(len),
                    None => return self.common.error,
                }
            }
        };
        Ty::new(TyKind::Array { elem, len, zeroterm })
    }

    pub fn array_len(&mut self, size: &Expr) -> Option<u64> {
        let number = self.const_int(size, "the size of an array")?;
        let least = i128::from(!self.is_foreign());
        if number < least || number >= 1 << 46 {
            let what = match number {
                0 => "an array without elements".to_string(),
                n if n < 0 => format!("an array of negative size ({n})"),
                n => format!("an array of {n} elements is too large"),
            };
            self.error(codes::E0308, what, size.span, "");
            return None;
        }
        u64::try_from(number).ok()
    }
}

#[derive(Default)]
struct PtrAttrs {
    nullable: Option<bool>,
    fat: Option<bool>,
    numelts: Option<IntExpr>,
    zeroterm: Option<bool>,
    region: Option<Region>,
    aqual: Option<Aqual>,
}

/// `main`'s second parameter: `char *@zeroterm ?`.
fn argv(ty: Ty) -> Ty {
    match *ty.kind() {
        TyKind::Ptr(ptr) if ptr.elem.as_ptr().is_some() => {
            Ty::ptr(PtrTy { bounds: Bounds::Fat, zeroterm: false, ..ptr })
        }
        _ => ty,
    }
}

fn can_terminate(elem: Ty) -> bool {
    match elem.kind() {
        TyKind::Ptr(ptr) => ptr.nullable,
        TyKind::Error | TyKind::Infer(_) => true,
        _ => elem.is_arithmetic(),
    }
}

/// Whether a size mentions one of the parameters before it.
fn mentions(expr: &ast::Expr, names: &[(Symbol, Ty)]) -> bool {
    use ast::ExprKind as K;
    match &expr.kind {
        K::Path(path, _) => match &path.segments[..] {
            [one] => names.iter().any(|(name, _)| *name == one.name),
            _ => false,
        },
        K::Paren(a)
        | K::Unary(_, a)
        | K::Cast(_, a)
        | K::Member(a, _)
        | K::Arrow(a, _)
        | K::SizeofExpr(a)
        | K::Numelts(a) => mentions(a, names),
        K::Binary(_, a, b)
        | K::Index(a, b)
        | K::LogicalAnd(a, b)
        | K::LogicalOr(a, b)
        | K::Comma(a, b) => mentions(a, names) || mentions(b, names),
        K::Cond(a, b, c) => {
            mentions(a, names)
                || b.as_ref().is_some_and(|b| mentions(b, names))
                || mentions(c, names)
        }
        K::Call(f, args) => mentions(f, names) || args.iter().any(|arg| mentions(arg, names)),
        _ => false,
    }
}

impl Resolver<'_> {
    /// A written effect speaks of the regions that have names; those without stay live, but
    /// where all there is of a region is its key: that is for opening it.
    pub fn keep_unnamed(
        &self,
        ty: &mut FuncTy,
        params: &[GenericParam],
        region: impl Fn(usize) -> Region,
    ) {
        if ty.effect.is_none() {
            return;
        }
        let mut seen = Vec::new();
        for &param in &ty.params {
            self.used_regions(param, &mut seen, 0);
        }
        let Some(effect) = &mut ty.effect else { return };
        let unnamed = params.iter().enumerate().filter(|(_, param)| param.implicit);
        effect.extend(unnamed.map(|(i, _)| region(i)).filter(|region| seen.contains(region)));
    }

    /// The regions of a type, but those of keys.
    fn used_regions(&self, ty: Ty, seen: &mut Vec<Region>, depth: u32) {
        if depth > toft_base::stack::MAX_DEPTH {
            return;
        }
        match *ty.kind() {
            TyKind::Ptr(ptr) => {
                seen.push(ptr.region);
                self.used_regions(ptr.elem, seen, depth + 1);
            }
            TyKind::Array { elem, .. } | TyKind::Vla(elem) => {
                self.used_regions(elem, seen, depth + 1);
            }
            TyKind::Tuple(list) => {
                list.iter().for_each(|&ty| self.used_regions(ty, seen, depth + 1));
            }
            TyKind::RegionHandle(region) => seen.push(region),
            TyKind::Adt(id, args) | TyKind::Variant(id, _, args) => {
                let name = self.prog.tables.adts[id].name;
                if matches!(name.as_str(), "DynamicRegion" | "DynamicRegionGen") {
                    return;
                }
                for arg in args {
                    match *arg {
                        GArg::Region(region) => seen.push(region),
                        GArg::Ty(ty) => self.used_regions(ty, seen, depth + 1),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}
