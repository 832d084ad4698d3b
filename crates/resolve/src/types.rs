//! Type specifiers → types.

use crate::cx::{self, Resolver};
use crate::generics::Apply;
use crate::names::path_text;
use crate::scope::{Name, Tag};
use toft_ast as ast;
use toft_base::Span;
use toft_diag::codes;
use toft_hir::{Expr, HirTy};
use toft_ty::*;

/// What an unwritten region means where a type stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Results, members, typedefs, globals: `'H`.
    Heap,
    /// Locals and expressions: inferred.
    Hole,
    /// Parameters: a region parameter of the signature.
    Fresh,
}

/// Deepest chain of derivations of one declarator.
pub(crate) const MAX_DERIVED: usize = 256;

impl<'a> Resolver<'a> {
    pub fn default_region(&mut self, mode: Mode) -> Region {
        match mode {
            Mode::Heap => Region::Heap,
            Mode::Hole => Region::Hole,
            Mode::Fresh => self.fresh_region(),
        }
    }

    pub fn spec(&mut self, spec: &'a ast::TypeSpec, mode: Mode) -> (Ty, TyQuals) {
        let (ty, extra) = self.spec_kind(&spec.kind, mode, spec.span);
        if spec.quals.is_atomic && !self.is_foreign() {
            self.unsupported("`_Atomic` types", spec.span);
        }
        (ty, cx::join_quals(cx::quals(spec.quals), extra))
    }

    fn spec_kind(&mut self, kind: &'a ast::TypeSpecKind, mode: Mode, span: Span) -> (Ty, TyQuals) {
        use ast::TypeSpecKind as K;
        let ty = match kind {
            K::Void => self.common.void,
            K::Bool => self.common.bool,
            K::Char => self.common.int(IntTy::Char),
            K::SChar => self.common.int(IntTy::SChar),
            K::UChar => self.common.int(IntTy::UChar),
            K::Short => self.common.int(IntTy::Short),
            K::UShort => self.common.int(IntTy::UShort),
            K::Int => self.common.int(IntTy::Int),
            K::UInt => self.common.int(IntTy::UInt),
            K::Long => self.common.int(IntTy::Long),
            K::ULong => self.common.int(IntTy::ULong),
            K::LLong => self.common.int(IntTy::LLong),
            K::ULLong => self.common.int(IntTy::ULLong),
            K::Int128 | K::UInt128 => self.opaque("128-bit integers", 16, 16, span),
            K::Float => Ty::new(TyKind::Float(FloatTy::Float)),
            K::Double => Ty::new(TyKind::Float(FloatTy::Double)),
            K::LongDouble => Ty::new(TyKind::Float(FloatTy::LongDouble)),
            K::FloatN(name) => self.float_n(name.as_str(), span),
            K::Complex => self.opaque("complex numbers", 16, 8, span),
            K::VaList => Ty::new(TyKind::VaList),
            K::Auto => Ty::new(TyKind::Infer(0)),
            K::Named(path, args) => return self.named_type(path, args, mode, span),
            K::Var(var) => self.type_var(var),
            K::Record(spec) => self.record_spec(spec, mode),
            K::Enum(spec) => self.enum_spec(spec),
            K::Datatype(spec) => self.datatype_spec(spec, mode),
            K::Tuple(fields) => {
                let list: Vec<Ty> =
                    fields.iter().map(|field| self.bare_type(field, mode)).collect();
                Ty::tuple(&list)
            }
            K::TypeofExpr(expr) => return self.typeof_expr(expr),
            K::TypeofType(name) => return self.type_name_in(name, mode),
            K::Unqual(inner) => {
                let (ty, _) = self.spec(inner, mode);
                return (ty, TyQuals::default());
            }
            K::RegionHandle(arg) => match self.region_arg(arg, span) {
                Some(region) => Ty::new(TyKind::RegionHandle(region)),
                None => self.common.error,
            },
            K::AqualHandle(arg) => match self.aqual_arg(arg, span) {
                Some(aqual) => Ty::new(TyKind::AqualHandle(aqual)),
                None => self.common.error,
            },
            K::Tag(arg) => match self.int_arg(arg, span) {
                Some(int) => Ty::new(TyKind::Tag(int)),
                None => self.common.error,
            },
            K::SizeofT(arg) => match self.garg(arg, Kind::Any, mode, span) {
                Some(GArg::Ty(ty)) => Ty::new(TyKind::SizeofT(ty)),
                _ => self.common.error,
            },
            K::Subset(subset) => {
                return self.subset(subset, mode, span);
            }
            K::Error => self.common.error,
        };
        (ty, TyQuals::default())
    }

    /// A host type known by its size only.
    fn opaque(&mut self, what: &str, size: u32, align: u32, span: Span) -> Ty {
        if !self.is_foreign() {
            self.unsupported(what, span);
            return self.common.error;
        }
        Ty::new(TyKind::Opaque { size, align })
    }

    fn float_n(&mut self, name: &str, span: Span) -> Ty {
        match name {
            "_Float32" => Ty::new(TyKind::Float(FloatTy::Float)),
            "_Float64" | "_Float32x" => Ty::new(TyKind::Float(FloatTy::Double)),
            "_Float64x" | "__float80" => Ty::new(TyKind::Float(FloatTy::LongDouble)),
            "_Float16" | "__bf16" => self.opaque("half-precision numbers", 2, 2, span),
            _ => self.opaque("numbers of this width", 16, 16, span),
        }
    }

    fn named_type(
        &mut self,
        path: &'a ast::Path,
        args: &'a [ast::TypeArg],
        mode: Mode,
        span: Span,
    ) -> (Ty, TyQuals) {
        let none = TyQuals::default();
        match self.lookup(path) {
            Name::Typedef(id) => {
                let def = &self.typedefs[id as usize];
                let (ty, quals, name) = (def.ty, def.quals, def.name);
                if def.generics.is_empty() && args.is_empty() {
                    return (ty, quals);
                }
                let params = def.generics.clone();
                match self.generic_args(name, &params, args, mode, span) {
                    Some(args) => (Apply(&args).ty(ty), quals),
                    None => (self.common.error, none),
                }
            }
            Name::Poison => (self.common.error, none),
            Name::None => {
                if let [one] = &path.segments[..]
                    && is_key_type(one.name.as_str())
                {
                    self.unsupported("dynamic regions", span);
                    return (self.common.error, none);
                }
                if let tag @ (Tag::Adt(_) | Tag::Enum(_)) = self.lookup_tag_here(path) {
                    let word = self.tag_word(tag);
                    let text = path_text(path);
                    let message = format!("`{text}` is a tag: its type is written `{word} {text}`");
                    let diag = toft_diag::Diagnostic::error(codes::E0311, message, span, "")
                        .suggest(
                            span.before(),
                            format!("{word} "),
                            format!("write `{word} {text}`"),
                        );
                    let _ = self.sess.emit(diag);
                } else {
                    self.unknown(path, "type");
                }
                (self.common.error, none)
            }
            other => {
                self.wrong_kind(path, other, "a type");
                (self.common.error, none)
            }
        }
    }

    /// `typeof(e)`: left to `infer` in bodies, found out here at file level.
    fn typeof_expr(&mut self, expr: &'a ast::Expr) -> (Ty, TyQuals) {
        let value = self.expr(expr);
        if self.body.active {
            if self.pending_typeof.is_some() {
                self.unsupported("several `typeof` in one type", expr.span);
            }
            self.pending_typeof = Some(value);
            return (Ty::new(TyKind::Infer(0)), TyQuals::default());
        }
        match self.type_of(&value) {
            Some(ty) => (ty, TyQuals::default()),
            None => {
                self.unsupported("`typeof` of this expression at file level", expr.span);
                (self.common.error, TyQuals::default())
            }
        }
    }

    pub fn type_name_in(&mut self, name: &'a ast::TypeName, mode: Mode) -> (Ty, TyQuals) {
        self.derive(&name.spec, &name.declarator.derived, mode)
    }

    /// A type where no qualifier counts.
    pub fn bare_type(&mut self, name: &'a ast::TypeName, mode: Mode) -> Ty {
        let (ty, quals) = self.type_name_in(name, mode);
        self.no_refinement(quals, name.span);
        ty
    }

    /// A type written in an expression.
    pub fn hir_ty(&mut self, name: &'a ast::TypeName) -> HirTy {
        let outer = self.pending_typeof.take();
        let mode = if self.body.active { Mode::Hole } else { Mode::Heap };
        let (ty, quals) = self.type_name_in(name, mode);
        let inner: Option<Expr> = std::mem::replace(&mut self.pending_typeof, outer);
        match inner {
            Some(expr) => HirTy::Typeof(Box::new(expr), ty),
            None => {
                if !ty.is_error() && ty == Ty::new(TyKind::Infer(0)) {
                    self.error(codes::E0203, "`auto` cannot stand here", name.span, "");
                    return HirTy::Known(self.common.error, quals);
                }
                HirTy::Known(ty, quals)
            }
        }
    }

    pub fn tag_word(&self, tag: Tag) -> &'static str {
        match tag {
            Tag::Enum(_) => "enum",
            Tag::Adt(id) => adt_word(self.prog.tables.adts[id].kind),
            Tag::None => "struct",
        }
    }

    /// Whether `{n}` may name `expr`: an integer at type level.
    pub fn int_expr(&mut self, expr: &'a ast::Expr) -> Option<IntExpr> {
        if let Some(found) = self.named_int(expr) {
            return found;
        }
        let value = self.expr(expr);
        self.const_bound(&value)
    }

    /// `valueof('n)`, or the name of a `tag_t<'n>` in scope. Outer `None`: neither.
    pub fn named_int(&mut self, expr: &'a ast::Expr) -> Option<Option<IntExpr>> {
        match &expr.kind {
            ast::ExprKind::Paren(inner) => self.named_int(inner),
            ast::ExprKind::Valueof(var) => Some(self.int_var(var)),
            ast::ExprKind::Path(path, args) if args.is_empty() => {
                let [ident] = &path.segments[..] else { return None };
                let bound = self.bound_names.iter().rev().find(|(name, _)| *name == ident.name);
                let ty = match bound {
                    Some(&(_, ty)) => ty,
                    None => match self.scopes.name(ident.name) {
                        Name::Local(id) => {
                            self.mark_used(id);
                            match self.body.locals[id].ty {
                                toft_hir::LocalTy::Known(ty) => ty,
                                _ => return None,
                            }
                        }
                        _ => return None,
                    },
                };
                match *ty.kind() {
                    TyKind::Tag(int) => Some(Some(int)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub fn const_bound(&mut self, value: &Expr) -> Option<IntExpr> {
        let number = self.const_int(value, "the number of elements")?;
        match u64::try_from(number) {
            Ok(n) if n < 1 << 46 => Some(IntExpr::Const(n)),
            _ => {
                let message = format!("{number} is not a possible number of elements");
                self.error(codes::E0308, message, value.span, "");
                None
            }
        }
    }
}

pub(crate) fn adt_word(kind: AdtKind) -> &'static str {
    match kind {
        AdtKind::Struct => "struct",
        AdtKind::Union | AdtKind::TaggedUnion | AdtKind::PackedUnion => "union",
        AdtKind::Datatype | AdtKind::OpenDatatype => "datatype",
    }
}

fn is_key_type(name: &str) -> bool {
    matches!(name, "uregion_key_t" | "rregion_key_t" | "uregion_gen_t")
}
