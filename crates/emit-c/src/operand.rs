//! Operands, and conversions between C types that Toft does not tell apart or that
//! existentials need.

use crate::func::FnCx;
use crate::konst;
use crate::types::{Class, class};
use toft_cir::Expr;
use toft_mir::Operand;
use toft_ty::{IntTy, Ty, TyKind};

impl FnCx<'_, '_> {
    pub fn operand(&mut self, op: &Operand) -> (Expr, Ty) {
        match op {
            Operand::Copy(place) | Operand::Move(place) => self.place(place),
            Operand::Const(c) => {
                let span = self.span;
                (self.cx.constant(c, span), c.ty)
            }
        }
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
                Expr::Cast(_, inner) if matches!(&*inner, Expr::Cast(t, _) if &**t == "uintptr_t") => {
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
