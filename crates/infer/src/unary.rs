//! Unary operators, `++`/`--`, `&`.

use crate::convert::{const_int, mk};
use crate::cx::Fx;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{IncDec, UnOp};
use toft_tir::{Expr, ExprKind, Place, PlaceKind};
use toft_ty::{AdtId, AdtKind, GArg, Ty, TyKind};

impl<'a> Fx<'a> {
    pub fn unary(
        &mut self,
        op: UnOp,
        inner: &'a hir::Expr,
        whole: &'a hir::Expr,
        expect: Option<Ty>,
    ) -> Expr {
        let span = whole.span;
        match op {
            UnOp::Deref => match self.place(whole) {
                Some(place) => self.load(place),
                None => self.bad(span),
            },
            UnOp::AddrOf => self.addr_of(inner, expect, span),
            UnOp::Not => {
                let value = self.cond(inner);
                if let Some(value) = const_int(&value) {
                    return self.int_const(i128::from(value == 0), self.t.int, span);
                }
                if value.ty.is_error() {
                    return self.bad(span);
                }
                mk(ExprKind::Not(Box::new(value)), self.t.int, span)
            }
            UnOp::Plus | UnOp::Neg | UnOp::BitNot => {
                let value = self.operand(inner);
                self.arith_unary(op, value, span)
            }
        }
    }

    /// An operand, integers promoted.
    pub fn operand(&mut self, e: &'a hir::Expr) -> Expr {
        let value = self.expr(e, None);
        self.promote(value)
    }

    pub fn promote(&mut self, value: Expr) -> Expr {
        let ty = self.shallow(value.ty);
        if !ty.is_integer() {
            return value;
        }
        let bits = match &value.kind {
            ExprKind::Load(place) => self.bit_width(place),
            _ => None,
        };
        let to = self.promoted(ty, bits);
        self.arith(value, to, true)
    }

    /// The width of a bit-field place.
    pub fn bit_width(&self, place: &Place) -> Option<u32> {
        let PlaceKind::Field(base, n) = &place.kind else { return None };
        match *self.shallow(base.ty).kind() {
            TyKind::Adt(id, _) => self.adt(id).fields.as_deref()?.get(*n as usize)?.bits,
            _ => None,
        }
    }

    fn arith_unary(&mut self, op: UnOp, value: Expr, span: Span) -> Expr {
        let ty = self.shallow(value.ty);
        if ty.is_error() {
            return self.bad(span);
        }
        let fits = if op == UnOp::BitNot { ty.is_integer() } else { ty.is_arithmetic() };
        if !fits {
            if !self.refuse_opaque(ty, span, "computed with") {
                let text = self.show(ty);
                let sign = match op {
                    UnOp::BitNot => "~",
                    UnOp::Neg => "-",
                    _ => "+",
                };
                let code = if ty.is_void() { codes::E0409 } else { codes::E0402 };
                self.error(code, span, format!("`{sign}` cannot be applied to {text}"));
            }
            return self.bad(span);
        }
        let int = self.int_ty(ty);
        match (op, &value.kind, int) {
            (UnOp::Plus, ..) => Expr { span, ..value },
            (UnOp::Neg, ExprKind::Int(n), Some(int)) => self.int_const(int.wrap(-*n), ty, span),
            (UnOp::BitNot, ExprKind::Int(n), Some(int)) => self.int_const(int.wrap(!*n), ty, span),
            (UnOp::Neg, ExprKind::Float(n), _) => mk(ExprKind::Float(-*n), ty, span),
            (UnOp::Neg, ..) => mk(ExprKind::Neg(Box::new(value)), ty, span),
            _ => mk(ExprKind::BitNot(Box::new(value)), ty, span),
        }
    }

    fn addr_of(&mut self, inner: &'a hir::Expr, expect: Option<Ty>, span: Span) -> Expr {
        use hir::ExprKind as K;
        match &inner.kind {
            // `&f` is `f`, `&*p` is `p`, `&p[i]` may be `p + i` when bounds are wanted.
            K::Func(id, args) => return self.func_value(*id, args, expect, span),
            K::Unary(UnOp::Deref, pointer) => {
                let value = self.expr(pointer, expect);
                if self.shallow(value.ty).as_ptr().is_some() {
                    let value = self.lent(value, crate::tracked::Why::Inside);
                    return Expr { span, ..value };
                }
                if !value.ty.is_error() {
                    let text = self.show(value.ty);
                    self.error(
                        codes::E0402,
                        span,
                        format!("only pointers can be dereferenced, not {text}"),
                    );
                }
                return self.bad(span);
            }
            K::Index(base, index) if expect.is_some_and(|ty| self.shallow(ty).is_fat()) => {
                let pointer = self.expr(base, expect);
                let offset = self.expr(index, None);
                let (p, i) = if self.shallow(pointer.ty).as_ptr().is_some() {
                    (pointer, offset)
                } else {
                    (offset, pointer)
                };
                if p.ty.is_error() || i.ty.is_error() {
                    return self.bad(span);
                }
                if self.shallow(p.ty).as_ptr().is_some() && self.shallow(i.ty).is_integer() {
                    return self.pointer_add(p, i, false, span);
                }
                self.error(codes::E0402, span, "only arrays and pointers can be indexed");
                return self.bad(span);
            }
            _ => {}
        }
        let lvalue = crate::expr::is_place(inner) || matches!(inner.kind, K::Str(..));
        let construction = self.constructs(inner);
        if !lvalue && !construction {
            let value = self.expr(inner, None);
            if !value.ty.is_error() {
                self.error(
                    codes::E0402,
                    span,
                    "the address of a value that has no place cannot be taken",
                );
            }
            return self.bad(span);
        }
        if let K::Str(width, units) = &inner.kind {
            return self.string_array(*width, units, span);
        }
        let Some(place) = self.place(inner) else { return self.bad(span) };
        if !self.addressable(&place, span) {
            return self.bad(span);
        }
        self.address(place, span)
    }

    /// Whether the expression makes a datatype's variant.
    pub fn constructs(&self, e: &hir::Expr) -> bool {
        match &e.kind {
            hir::ExprKind::Variant(..) => true,
            hir::ExprKind::Call(callee, _) => matches!(callee.kind, hir::ExprKind::Variant(..)),
            _ => false,
        }
    }

    /// Whether another member of a tagged union could be written while a pointer into an
    /// array shows this one, and what is read or written through it would not be plain
    /// numbers; reports it.
    pub fn member_may_change(&mut self, array: &Place) -> bool {
        let mut at = array;
        loop {
            at = match &at.kind {
                PlaceKind::Field(base, _) => {
                    if let TyKind::Adt(id, args) = *self.shallow(base.ty).kind()
                        && matches!(self.adt(id).kind, AdtKind::TaggedUnion | AdtKind::PackedUnion)
                        && !self.members_are_plain(id, args)
                    {
                        self.report(
                            Diagnostic::error(codes::E0402, "a pointer into a tagged union's member cannot be taken", array.span, "")
                                .note("another member, with pointers in it, could be written while this one is still used")
                                .help("index the member where it is, or copy the union and match the copy"),
                        );
                        return true;
                    }
                    base
                }
                PlaceKind::ArrayIndex(base, _) => base,
                _ => return false,
            }
        }
    }

    fn members_are_plain(&self, id: AdtId, args: &[GArg]) -> bool {
        let fields = self.adt(id).fields.as_deref().unwrap_or(&[]);
        fields.iter().all(|field| self.pointer_free(self.field_ty(field, args)))
    }

    /// Whether the place may have a pointer to it; reports if not.
    pub fn addressable(&mut self, place: &Place, span: Span) -> bool {
        if matches!(place.kind, PlaceKind::Field(..))
            && matches!(self.shallow(place.ty).kind(), TyKind::Vla(_))
        {
            let message = "the address of a flexible array member as a whole cannot be taken";
            self.report(
                Diagnostic::error(codes::E0402, message, span, "")
                    .help("the member itself is already a pointer to its elements (`T ?`)"),
            );
            return false;
        }
        let mut at = place;
        loop {
            match &at.kind {
                PlaceKind::Field(base, _) => {
                    if self.bit_width(at).is_some() {
                        self.error(
                            codes::E0402,
                            span,
                            "the address of a bit-field cannot be taken",
                        );
                        return false;
                    }
                    if let TyKind::Adt(id, _) = *self.shallow(base.ty).kind()
                        && matches!(self.adt(id).kind, AdtKind::TaggedUnion | AdtKind::PackedUnion)
                    {
                        self.report(
                            Diagnostic::error(codes::E0402, "the address of a tagged union's member cannot be taken", span, "")
                                .note("another member could be written while the pointer still reads this one")
                                .help("copy the member out, or bind it by a pattern"),
                        );
                        return false;
                    }
                    at = base;
                }
                PlaceKind::ArrayIndex(base, _) => at = base,
                PlaceKind::Deref(ptr) | PlaceKind::PtrIndex(ptr, _) => {
                    let Some(ptr) = self.shallow(ptr.ty).as_ptr() else { return true };
                    if ptr.zeroterm && !ptr.quals.is_const {
                        self.report(
                            Diagnostic::error(codes::E0505, "a writable pointer to one element could overwrite the terminating zero", span, "")
                                .help("use `p + i`, which stays zero-terminated"),
                        );
                        return false;
                    }
                    return true;
                }
                _ => return true,
            }
        }
    }

    pub fn inc_dec(&mut self, op: IncDec, post: bool, inner: &'a hir::Expr, span: Span) -> Expr {
        let Some(place) = self.assignable(inner) else { return self.bad(span) };
        if place.quals.refine.is_some() {
            return self.refined_step(op, post, inner, place, span);
        }
        let ty = self.shallow(place.ty);
        if let Some(ptr) = ty.as_ptr() {
            if ptr.zeroterm && op == IncDec::Dec && ptr.bounds != toft_ty::Bounds::Fat {
                self.zeroterm_back(span);
                return self.bad(span);
            }
            if !self.arithmetic_on(ptr, place.span, span) || !self.may_step(ptr, span) {
                return self.bad(span);
            }
        } else if !ty.is_arithmetic() || matches!(ty.kind(), TyKind::Tag(_) | TyKind::SizeofT(_)) {
            if !self.refuse_opaque(ty, span, "counted") {
                let text = self.show(ty);
                self.error(
                    codes::E0402,
                    span,
                    format!("`++` and `--` cannot be applied to {text}"),
                );
            }
            return self.bad(span);
        }
        mk(ExprKind::IncDec { op, post, place: Box::new(place) }, ty, span)
    }

    /// A `char *` knows where it ends, not where it begins.
    pub fn zeroterm_back(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                codes::E0502,
                "a zero-terminated pointer cannot go back: where its array begins is not known",
                span,
                "",
            )
            .help("use `char ?`, which carries both bounds"),
        );
    }
}
