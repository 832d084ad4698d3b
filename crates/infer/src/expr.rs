//! Expressions: values and places.

use crate::convert::{const_int, conv, mk};
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::types::thin;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{HirTy, StrWidth};
use toft_tir::{Conv, Expr, ExprKind, PlaceKind};
use toft_ty::{
    AdtKind, Bounds, Flags, GArg, IntExpr, IntTy, PtrTy, Region, Subst, Ty, TyKind, TyQuals,
};

impl<'a> Fx<'a> {
    /// A value: places are loaded, arrays and functions decay. `expect` is a hint.
    pub fn expr(&mut self, e: &'a hir::Expr, expect: Option<Ty>) -> Expr {
        use hir::ExprKind as K;
        let span = e.span;
        match &e.kind {
            K::Int(value, ty) => mk(ExprKind::Int(value.get()), *ty, span),
            K::Float(value, ty) => mk(ExprKind::Float(*value), *ty, span),
            K::Bool(value) => mk(ExprKind::Int(i128::from(*value)), self.t.bool, span),
            K::Null => mk(ExprKind::Null, self.t.void_ptr, span),
            K::Str(width, units) => self.string(*width, units, span),
            K::EnumConst(id, value) => {
                let ty = self.int_of(self.prog.tables.enums[*id].underlying);
                mk(ExprKind::Int(value.get()), ty, span)
            }
            K::Func(id, args) => self.func_value(*id, args, expect, span),
            K::Variant(adt, variant, args) => {
                self.construct(*adt, *variant, args, &[], expect, span)
            }
            K::Local(_)
            | K::Global(_)
            | K::Index(..)
            | K::Member(..)
            | K::Arrow(..)
            | K::CompoundLiteral { .. } => {
                if let Some(row) = self.row(e) {
                    row
                } else if let Some(place) = self.place(e) {
                    self.load(place)
                } else {
                    self.bad(span)
                }
            }
            K::Unary(op, inner) => self.unary(*op, inner, e, expect),
            K::PostIncDec(op, inner) => self.inc_dec(*op, true, inner, span),
            K::PreIncDec(op, inner) => self.inc_dec(*op, false, inner, span),
            K::Binary(op, a, b) => self.binary(*op, a, b, expect, span),
            K::LogicalAnd(a, b) => self.logical(true, a, b, span),
            K::LogicalOr(a, b) => self.logical(false, a, b, span),
            K::Cond(cond, yes, no) => self.conditional(cond, yes.as_deref(), no, expect, span),
            K::Assign(place, value) => self.assign(place, value, span),
            K::AssignOp(op, place, value) => self.assign_op(*op, place, value, span),
            K::Swap(a, b) => self.swap(a, b, span),
            K::Comma(a, b) => {
                let first = self.effect(a);
                let second = self.expr(b, expect);
                let ty = second.ty;
                mk(ExprKind::Comma(Box::new(first), Box::new(second)), ty, span)
            }
            K::Call(callee, args) => self.call(callee, args, expect, span),
            K::Cast(ty, inner) => self.cast(ty, inner, span),
            K::SizeofExpr(inner) => self.sizeof_expr(inner, span),
            K::SizeofType(ty) => {
                let (ty, _) = self.hir_ty(ty);
                self.sizeof(ty, span)
            }
            K::AlignofType(ty) => {
                let (ty, _) = self.hir_ty(ty);
                self.alignof(ty, span)
            }
            K::Offsetof(ty, path) => self.offsetof(ty, path, span),
            K::Generic(control, list) => self.generic_selection(control, list, expect, span),
            K::StmtExpr(block) => self.stmt_expr(block, expect, span),
            K::Tuple(items) => self.tuple(items, expect, span),
            K::New(new) => self.new_expr(new, expect, span),
            K::Comprehension(_) => {
                self.report(
                    Diagnostic::error(codes::E0900, "a comprehension cannot stand here", span, "")
                        .help("use it to initialise an array, or after `new`"),
                );
                self.bad(span)
            }
            K::Throw(value) => self.throw(value, span),
            K::Valueof(int) => self.valueof(*int, span),
            K::Numelts(inner) => self.numelts(inner, span),
            K::Tagcheck(inner) => self.tagcheck(inner, span),
            K::Assert(cond) => {
                let text = Symbol::intern(&self.source(cond.span));
                let cond = self.cond(cond);
                let kind =
                    ExprKind::Assert { cond: Box::new(cond), text, at: Span::NONE, judge: false };
                mk(kind, self.t.void, span)
            }
            K::VaArg(list, ty) => self.va_arg(list, ty, span),
            K::TypesCompatible(a, b) => {
                let ((a, _), (b, _)) = (self.hir_ty(a), self.hir_ty(b));
                let same = self.same_shape(a, b);
                self.int_const(i128::from(same), self.t.int, span)
            }
            K::Init(init) => match expect {
                Some(ty) => self.init(init, ty, What::Field, span),
                None => {
                    self.error(codes::E0408, span, "an initialiser list needs a known type here");
                    self.bad(span)
                }
            },
            K::Error => {
                self.poison();
                self.bad(span)
            }
        }
    }

    /// A value whose result is dropped.
    pub fn effect(&mut self, e: &'a hir::Expr) -> Expr {
        let before = self.open.len();
        let value = self.expr(e, None);
        self.settle_dropped(before, value)
    }

    /// A value by itself: what is lent inside is given back when it is there.
    pub fn whole(&mut self, e: &'a hir::Expr, expect: Option<Ty>) -> Expr {
        let before = self.open.len();
        let value = self.expr(e, expect);
        self.settle(before, value)
    }

    /// A condition.
    pub fn cond(&mut self, e: &'a hir::Expr) -> Expr {
        let before = self.open.len();
        let value = self.expr(e, None);
        let value = self.truth(value);
        self.settle(before, value)
    }

    /// `e` converted to `ty`.
    pub fn expr_to(&mut self, e: &'a hir::Expr, ty: Ty, what: What) -> Expr {
        let value = self.expr(e, Some(ty));
        self.coerce(value, ty, what)
    }

    /// The type of an expression that is not evaluated, without decay.
    pub fn type_of(&mut self, e: &'a hir::Expr) -> Ty {
        use hir::ExprKind as K;
        let open = self.open.len();
        let mark = self.graph.constraints.len();
        let ty = match &e.kind {
            K::Str(width, units) => Ty::new(TyKind::Array {
                elem: str_elem(*width),
                len: IntExpr::Const(units.len() as u64 + 1),
                zeroterm: false,
            }),
            _ if is_place(e) => self.place(e).map_or(self.t.error, |place| place.ty),
            K::Func(id, _) => Ty::func(self.prog.funcs[*id].sig.clone()),
            _ => self.expr(e, None).ty,
        };
        self.open.truncate(open);
        // It is not evaluated: nothing is followed.
        self.graph.forget_uses(mark);
        ty
    }

    fn string(&mut self, width: StrWidth, units: &[u32], span: Span) -> Expr {
        let ptr = PtrTy {
            nullable: false,
            zeroterm: true,
            bounds: thin(units.len() as u64),
            ..PtrTy::thin(str_elem(width), Region::Heap)
        };
        mk(ExprKind::Str { width, units: units.into(), writable: true }, Ty::ptr(ptr), span)
    }

    fn cast(&mut self, ty: &'a HirTy, inner: &'a hir::Expr, span: Span) -> Expr {
        let (ty, quals) = self.hir_ty(ty);
        let value = self.expr(inner, Some(ty));
        let from = self.shallow(value.ty);
        if from.is_error() || ty.is_error() {
            return self.bad(span);
        }
        if ty.is_void() {
            return if from.is_void() { value } else { conv(Conv::Drop, value, ty) };
        }
        let o = Origin::new(span, What::Cast);
        if matches!(ty.kind(), TyKind::Array { .. } | TyKind::Func(_)) {
            return self.mismatch(value, ty, o);
        }
        let mut out = self.convert(value, ty, o, true);
        if !out.ty.is_error() {
            out.ty = ty;
            out.span = span;
        }
        self.refined(out, quals.refine)
    }

    fn sizeof_expr(&mut self, inner: &'a hir::Expr, span: Span) -> Expr {
        if let Some(size) = self.sizeof_rows(inner, span) {
            return size;
        }
        // Not evaluated: what typing it builds is dropped.
        let ty = self.type_of(inner);
        if let TyKind::Vla(elem) = *ty.kind() {
            // The one operand whose size is known at run time only.
            let Some(place) = self.place(inner) else { return self.bad(span) };
            let pointer = self.decay(place);
            let count = mk(ExprKind::Numelts(Box::new(pointer)), self.t.ulong, span);
            let size = self.sizeof(elem, span);
            return self.binary_values(hir::BinOp::Mul, count, size, span);
        }
        self.sizeof(ty, span)
    }

    pub fn sizeof(&mut self, ty: Ty, span: Span) -> Expr {
        let ty = self.shallow(ty);
        if ty.is_error() || !self.need_sized(ty, span) {
            return self.bad(span);
        }
        match self.size_of(ty) {
            Ok(size) => self.int_const(i128::from(size), self.t.ulong, span),
            Err(_) => mk(ExprKind::Sizeof(ty), self.t.ulong, span),
        }
    }

    fn alignof(&mut self, ty: Ty, span: Span) -> Expr {
        let ty = self.shallow(ty);
        if ty.is_error() || !self.need_sized(ty, span) {
            return self.bad(span);
        }
        match toft_ty::layout::layout_of(&self.prog.tables, self.deep(ty)) {
            Ok(layout) => self.int_const(i128::from(layout.align), self.t.ulong, span),
            Err(_) => mk(ExprKind::Alignof(ty), self.t.ulong, span),
        }
    }

    fn offsetof(&mut self, ty: &'a HirTy, path: &'a [hir::Designator], span: Span) -> Expr {
        let (mut ty, _) = self.hir_ty(ty);
        let mut offset = 0u64;
        for step in path {
            ty = self.shallow(ty);
            match (step, *ty.kind()) {
                (hir::Designator::Field(name, at), TyKind::Adt(id, args))
                    if !self.adt(id).is_datatype() =>
                {
                    let Some(found) = self.find_field(id, *name) else {
                        self.no_member(ty, id, *name, *at);
                        return self.bad(span);
                    };
                    let (mut id, mut args) = (id, args);
                    for n in found.path {
                        let Ok((_, places)) =
                            toft_ty::layout::fields_of(&self.prog.tables, id, args)
                        else {
                            self.error(
                                codes::E0305,
                                *at,
                                "the layout of this type is not known here",
                            );
                            return self.bad(span);
                        };
                        let place = places[n as usize];
                        if place.bits.is_some() {
                            self.error(codes::E0402, *at, "a bit-field has no offset in bytes");
                            return self.bad(span);
                        }
                        offset += place.offset;
                        let Some(field) =
                            self.adt(id).fields.as_deref().and_then(|f| f.get(n as usize))
                        else {
                            return self.bad(span);
                        };
                        ty = self.field_ty(field, args);
                        if let TyKind::Adt(next, next_args) = *ty.kind() {
                            (id, args) = (next, next_args);
                        }
                    }
                }
                (hir::Designator::Index(index), TyKind::Array { elem, .. }) => {
                    let index = self.expr(index, None);
                    let (Some(n), Ok(size)) = (const_int(&index), self.size_of(elem)) else {
                        self.error(codes::E0307, index.span, "a constant index is needed here");
                        return self.bad(span);
                    };
                    offset = offset.wrapping_add((n as u64).wrapping_mul(size));
                    ty = elem;
                }
                _ => {
                    self.error(codes::E0304, span, "offsetof names something that is not a member");
                    return self.bad(span);
                }
            }
        }
        // The elements themselves stand behind their view.
        if let TyKind::Vla(_) = ty.kind() {
            offset = offset.wrapping_add(toft_ty::target::FAT_BYTES);
        }
        self.int_const(i128::from(offset), self.t.ulong, span)
    }

    fn generic_selection(
        &mut self,
        control: &'a hir::Expr,
        list: &'a [(Option<HirTy>, hir::Expr)],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let ty = self.whole(control, None).ty;
        if ty.is_error() {
            return self.bad(span);
        }
        let mut default = None;
        for (wanted, value) in list {
            match wanted {
                None => default = Some(value),
                Some(wanted) => {
                    let (wanted, _) = self.hir_ty(wanted);
                    if self.same_c_type(ty, wanted) {
                        return self.expr(value, expect);
                    }
                }
            }
        }
        if let Some(value) = default {
            return self.expr(value, expect);
        }
        let text = self.show(ty);
        self.error(
            codes::E0413,
            span,
            format!("_Generic has no association for {text}, and no default"),
        );
        self.bad(span)
    }

    /// Equal up to regions and what a value's type says beyond C's (nullability, bounds).
    fn same_c_type(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (a.as_ptr(), b.as_ptr()) {
            (Some(x), Some(y)) => {
                x.quals == y.quals
                    && (x.bounds == Bounds::Fat) == (y.bounds == Bounds::Fat)
                    && self.same_c_type(x.elem, y.elem)
            }
            (None, None) => self.same_shape(a, b),
            _ => false,
        }
    }

    /// Equal up to regions.
    pub fn same_shape(&mut self, a: Ty, b: Ty) -> bool {
        let before = self.graph.constraints.len();
        let same = match (a.kind(), b.kind()) {
            (TyKind::Enum(a), TyKind::Enum(b)) => a == b,
            (TyKind::Enum(_), _) | (_, TyKind::Enum(_)) => false,
            _ => self.relate(a, b, crate::relate::Mode::Eq, Origin::new(Span::NONE, What::Other)),
        };
        self.graph.constraints.truncate(before);
        same
    }

    fn tuple(&mut self, items: &'a [hir::Expr], expect: Option<Ty>, span: Span) -> Expr {
        let expected: &[Ty] = match expect.map(|ty| *self.shallow(ty).kind()) {
            Some(TyKind::Tuple(fields)) if fields.len() == items.len() => fields,
            _ => &[],
        };
        let mut tys = Vec::with_capacity(items.len());
        let mut fields = Vec::with_capacity(items.len());
        for (n, item) in items.iter().enumerate() {
            let mut value = self.expr(item, expected.get(n).copied());
            if let Some(&ty) = expected.get(n) {
                value = self.coerce(value, ty, What::Field);
            }
            if value.ty.is_error() {
                return self.bad(span);
            }
            if value.ty.is_void() {
                self.error(codes::E0409, value.span, "this expression has no value");
                return self.bad(span);
            }
            tys.push(expected.get(n).copied().unwrap_or(value.ty));
            fields.push((n as u64, value));
        }
        crate::init::aggregate(fields, Ty::tuple(&tys), span)
    }

    fn throw(&mut self, value: &'a hir::Expr, span: Span) -> Expr {
        let Some(exn) = self.exn_ptr(Region::Heap) else {
            self.error(codes::E1401, span, "exceptions need the declaration of `datatype exn`");
            return self.bad(span);
        };
        let value = self.expr(value, Some(exn));
        let ty = self.shallow(value.ty);
        if ty.is_error() {
            return self.bad(span);
        }
        let good = ty.as_ptr().is_some_and(|ptr| {
            let of = match *self.shallow(ptr.elem).kind() {
                TyKind::Adt(id, _) | TyKind::Variant(id, ..) => Some(id),
                _ => None,
            };
            of.is_some() && of == self.prog.exn
        });
        if !good {
            let text = self.show(ty);
            self.report(
                Diagnostic::error(
                    codes::E1401,
                    format!("only exceptions can be thrown, not {text}"),
                    value.span,
                    "",
                )
                .help("throw a `datatype exn *`: `throw new E(…)`"),
            );
            return self.bad(span);
        }
        let o = Origin::new(value.span, What::Throw);
        let value = self.convert(value, exn, o, true);
        mk(ExprKind::Throw(Box::new(value)), self.t.void, span)
    }

    /// `datatype exn @` in `region`.
    pub fn exn_ptr(&self, region: Region) -> Option<Ty> {
        let exn = Ty::adt(self.prog.exn?, &[]);
        Some(Ty::ptr(crate::types::notnull(exn, TyQuals::default(), region)))
    }

    fn valueof(&mut self, int: IntExpr, span: Span) -> Expr {
        match self.int(int) {
            IntExpr::Const(n) => self.int_const(i128::from(n), self.t.ulong, span),
            other => match self.tags.iter().rev().find(|tag| tag.0 == other) {
                Some(&(_, local)) => mk(ExprKind::Valueof(other, local), self.t.ulong, span),
                None => {
                    self.report(
                        Diagnostic::error(
                            codes::E0507,
                            "the value of this integer parameter is not known here",
                            span,
                            "",
                        )
                        .help("a parameter of the matching `tag_t` type must be in scope"),
                    );
                    self.bad(span)
                }
            },
        }
    }

    fn numelts(&mut self, inner: &'a hir::Expr, span: Span) -> Expr {
        let value = self.expr(inner, None);
        let ty = self.shallow(value.ty);
        match ty.as_ptr() {
            Some(ptr) if ptr.bounds == Bounds::Fat || ptr.zeroterm => {
                mk(ExprKind::Numelts(Box::new(value)), self.t.ulong, span)
            }
            Some(ptr) => match ptr.bounds {
                Bounds::Thin(n) if !ptr.nullable => self.valueof(n, span),
                _ => mk(ExprKind::Numelts(Box::new(value)), self.t.ulong, span),
            },
            None => {
                if !ty.is_error() {
                    let text = self.show(ty);
                    self.error(
                        codes::E0402,
                        span,
                        format!("numelts takes a pointer or array, not {text}"),
                    );
                }
                self.bad(span)
            }
        }
    }

    fn tagcheck(&mut self, inner: &'a hir::Expr, span: Span) -> Expr {
        let Some(place) = self.place(inner) else { return self.bad(span) };
        if let PlaceKind::Field(base, n) = place.kind
            && let TyKind::Adt(id, _) = *self.shallow(base.ty).kind()
            && matches!(self.adt(id).kind, AdtKind::TaggedUnion | AdtKind::PackedUnion)
        {
            return mk(ExprKind::Tagcheck(base, n), self.t.int, span);
        }
        self.error(codes::E0402, span, "tagcheck takes a member of a `@tagged union`");
        self.bad(span)
    }

    fn va_arg(&mut self, list: &'a hir::Expr, ty: &'a HirTy, span: Span) -> Expr {
        let _ = (self.place(list), self.hir_ty(ty));
        self.untyped_varargs("va_arg", span)
    }

    /// C's variable arguments, seen from inside the function that takes them.
    pub fn untyped_varargs(&mut self, name: &str, span: Span) -> Expr {
        self.report(
            Diagnostic::error(
                codes::E1101,
                format!("`{name}` reaches variable arguments of which nothing knows the types"),
                span,
                "",
            )
            .help("declare typed variable arguments: `...T args` gives `T ? args`"),
        );
        self.bad(span)
    }

    /// The function's own numbering: contracts count their `result` differently.
    pub fn local_id(&mut self, id: hir::LocalId, span: Span) -> Option<hir::LocalId> {
        match self.contract {
            Some((params, result)) if id.0 as usize >= params => {
                if result.is_none() {
                    self.error(
                        codes::E1202,
                        span,
                        "`result` is known at the end of a function that returns a value only",
                    );
                    self.poison();
                }
                result
            }
            _ => Some(id),
        }
    }

    /// Arguments of an ADT, as a substitution.
    pub fn subst(&self, args: &[GArg], ty: Ty) -> Ty {
        use toft_ty::Folder;
        if ty.flags().has(Flags::PARAM) { Subst(args).ty(ty) } else { ty }
    }
}

pub fn str_elem(width: StrWidth) -> Ty {
    Ty::int(match width {
        StrWidth::Char => IntTy::Char,
        StrWidth::Char16 => IntTy::UShort,
        StrWidth::Char32 => IntTy::UInt,
        StrWidth::Wide => IntTy::Int,
    })
}

/// Whether the expression denotes a place (and not a value).
pub fn is_place(e: &hir::Expr) -> bool {
    use hir::ExprKind as K;
    match &e.kind {
        K::Local(_) | K::Global(_) | K::Index(..) | K::Arrow(..) | K::CompoundLiteral { .. } => {
            true
        }
        K::Unary(op, _) => *op == hir::UnOp::Deref,
        K::Member(base, ..) => is_place(base),
        _ => false,
    }
}
