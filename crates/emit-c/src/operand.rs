//! Operands, and conversions between C types that Toft does not tell apart or that
//! existentials need.

use crate::func::FnCx;
use crate::konst;
use crate::types::{Class, class};
use toft_cir::{BinOp, Expr};
use toft_mir::{Base, Operand, Place, Proj};
use toft_ty::{IntTy, Ty, TyKind};

impl FnCx<'_, '_> {
    pub fn operand(&mut self, op: &Operand) -> (Expr, Ty) {
        match op {
            Operand::Copy(place) | Operand::Move(place) => {
                let before = std::mem::take(&mut self.reads_volatile);
                let (expr, ty) = self.place(place);
                let volatile = std::mem::replace(&mut self.reads_volatile, before);
                self.reads_volatile |= volatile;
                let any_bits = matches!(ty.kind(), TyKind::Bool) && self.in_memory(place);
                (if any_bits { truth_of(expr, volatile) } else { expr }, ty)
            }
            Operand::Const(c) => {
                let span = self.span;
                (self.cx.constant(c, span), c.ty)
            }
        }
    }

    /// Whether the place can be seen through a view or as another member of a union, so that
    /// it may hold any bits.
    fn in_memory(&mut self, place: &Place) -> bool {
        if self.is_packed_member(place) {
            return false;
        }
        if let Some((&Proj::Field(n), before)) = place.proj.split_last() {
            let whole = Place { base: place.base, proj: before.to_vec() };
            return !self.peek_ty(&whole).is_some_and(|ty| self.cx.is_bit_field(ty, n));
        }
        let taken = match place.base {
            Base::Local(local) => self.body.locals[local].address_taken,
            Base::Global(_) => true,
        };
        taken || !place.proj.is_empty()
    }

    /// An operand as a value of type `to`.
    pub fn operand_as(&mut self, op: &Operand, to: Ty) -> Expr {
        let (expr, from) = self.operand(op);
        self.coerce(expr, from, to)
    }

    /// The value as C's type of `to`.
    pub fn coerce(&mut self, expr: Expr, from: Ty, to: Ty) -> Expr {
        if from == to {
            return expr;
        }
        let (from_text, to_text) = (self.cx.cty(from), self.cx.cty(to));
        if from_text == to_text || to.is_void() {
            return expr;
        }
        match (class(from), class(to)) {
            (Class::Pointer, Class::Pointer) => Expr::cast(to_text, expr),
            (Class::Pointer, Class::Int) => Expr::cast(to_text, Expr::cast("uintptr_t", expr)),
            (Class::Int, Class::Pointer) => match expr {
                Expr::Cast(_, inner) if matches!(&*inner, Expr::Cast(t, _) if &**t == "uintptr_t") =>
                {
                    let Expr::Cast(_, pointer) = *inner else { return Expr::atom("0") };
                    Expr::cast(to_text, *pointer)
                }
                expr => Expr::cast(to_text, Expr::cast("uintptr_t", expr)),
            },
            // A thin value where a fat one is meant, and the like: not C's business.
            (Class::Fat, Class::Fat) => expr,
            (Class::Int, Class::Int) | (Class::Int | Class::Float, Class::Float) => expr,
            _ => {
                self.unsupported("a value of this type in a type variable of one word");
                expr
            }
        }
    }

    /// An integer extended to 64 bits by its own sign.
    pub fn extend(&mut self, expr: Expr, ty: Ty) -> Expr {
        let Some(int) = self.cx.int_of(ty) else { return expr };
        match expr {
            Expr::Atom(ref text) if text.bytes().all(|b| b.is_ascii_digit()) => expr,
            expr if int.bytes() == 8 && !int.is_signed() => expr,
            expr if int.is_signed() && int.bytes() < 8 => {
                Expr::cast("uint64_t", Expr::cast("int64_t", expr))
            }
            expr => Expr::cast("uint64_t", expr),
        }
    }

    /// The integer operand extended to 64 bits, as `uint64_t`; constants are folded.
    pub fn operand_64(&mut self, op: &Operand) -> Expr {
        if let Some(value) = op.as_int() {
            return konst::int(IntTy::ULong, value);
        }
        let (expr, ty) = self.operand(op);
        self.extend(expr, ty)
    }

    /// The same, as `int64_t`.
    pub fn operand_i64(&mut self, op: &Operand) -> Expr {
        if let Some(value) = op.as_int() {
            return konst::int(IntTy::Long, IntTy::Long.wrap(value));
        }
        let (expr, ty) = self.operand(op);
        match self.cx.int_of(ty) {
            Some(int) if int.bytes() < 8 => expr,
            Some(IntTy::Long | IntTy::LLong) => expr,
            _ => Expr::cast("int64_t", expr),
        }
    }

    /// What a pointer points at, for sizes.
    pub fn elem_of(&mut self, ty: Ty) -> Ty {
        match *ty.kind() {
            TyKind::Ptr(ptr) => ptr.elem,
            TyKind::Vla(elem) | TyKind::Array { elem, .. } => elem,
            _ => ty,
        }
    }

    /// The size of what a pointer counts; a `void ?` counts bytes.
    pub fn elem_size(&mut self, ty: Ty) -> u64 {
        let elem = self.elem_of(ty);
        if elem.is_void() {
            return 1;
        }
        let span = self.span;
        self.cx.size_of(elem, span)
    }
}

/// A `bool` in memory as 0 or 1, whatever its byte holds: a view or another member of a union may
/// have written it, C leaves reading any other value undefined, and checks were dropped because
/// it is at most 1.
fn truth_of(place: Expr, volatile: bool) -> Expr {
    let byte = if volatile { "const volatile unsigned char *" } else { "const unsigned char *" };
    Expr::bin(BinOp::Ne, Expr::cast(byte, place.addr()).deref(), Expr::atom("0"))
}
