//! Conversions.

use crate::builder::{Lower, local_id};
use crate::consts::int_ty;
use crate::expr::{compare, convert_const};
use crate::tracked::seen;
use toft_base::Span;
use toft_mir::{BinOp, Cast, CheckKind, CmpOp, Const, ConstKind, Operand, Place, Rvalue};
use toft_tir::{Conv, CountOf, Expr};
use toft_ty::{Bounds, IntTy, Ty, TyKind};

impl Lower<'_> {
    /// Conversions that leave the bits and the pointed-at type alone: the operand serves as
    /// it is.
    pub fn is_bare(&self, conv: Conv, inner: &Expr, to: Ty) -> bool {
        let (Some(from), Some(to)) = (inner.ty.as_ptr(), to.as_ptr()) else { return false };
        match conv {
            Conv::PtrCast | Conv::CheckNotNull => {
                from.elem == to.elem && (from.bounds == Bounds::Fat) == (to.bounds == Bounds::Fat)
            }
            _ => false,
        }
    }

    pub fn bare_conv(&mut self, conv: Conv, inner: &Expr, to: Ty) -> Operand {
        // A cast of a tracked pointer to an aliasable one gives it up.
        let op = match self.is_tracked(to) {
            true => self.raw(inner),
            false => self.operand(inner),
        };
        if conv == Conv::CheckNotNull && !is_address(&op) {
            self.check(inner.span, CheckKind::NotNull(seen(&op)));
        }
        retype(op, to)
    }

    pub fn convert(&mut self, conv: Conv, inner: &Expr, e: &Expr) -> Rvalue {
        let (to, span) = (e.ty, e.span);
        if self.is_bare(conv, inner, to) {
            return Rvalue::Use(self.bare_conv(conv, inner, to));
        }
        match conv {
            Conv::Drop => {
                self.effect(inner);
                return Rvalue::Use(self.nothing());
            }
            Conv::Refine => {
                self.unsupported(span, "a refinement type");
                self.effect(inner);
                return Rvalue::Use(self.nothing());
            }
            _ => {}
        }
        let op = match conv {
            Conv::ToBool | Conv::PtrToInt => self.look(inner),
            _ => self.operand(inner),
        };
        self.convert_op(conv, op, inner.ty, to, span)
    }

    /// The conversion of an evaluated operand.
    pub fn convert_op(&mut self, conv: Conv, op: Operand, from: Ty, to: Ty, span: Span) -> Rvalue {
        match conv {
            Conv::IntToInt | Conv::IntToFloat | Conv::FloatToInt | Conv::FloatToFloat => {
                self.arith_convert(op, from, to, span)
            }
            Conv::ToBool => self.truth_value(op, from, to),
            Conv::PtrToInt => Rvalue::Cast(Cast::PtrToInt, op, to),
            Conv::CheckNotNull | Conv::PtrCast => {
                if conv == Conv::CheckNotNull && !is_address(&op) {
                    self.check(span, CheckKind::NotNull(seen(&op)));
                }
                cast_ptr(op, to)
            }
            Conv::ViewThin => Rvalue::Cast(Cast::Ptr, op, to),
            Conv::ToVoid if from.is_fat() && !to.is_fat() => Rvalue::Cast(Cast::FatToThin, op, to),
            Conv::ToVoid => Rvalue::Cast(Cast::Ptr, op, to),
            Conv::ThinToFat { count } => self.make_fat(op, count, to),
            Conv::ZerotermToFat => self.zeroterm_to_fat(op, to, span),
            Conv::FatToThin { need } => self.fat_to_thin(op, need, to, span),
            Conv::ViewFat => Rvalue::ViewFat(op),
            Conv::Drop | Conv::Refine => Rvalue::Use(op),
        }
    }

    /// Between arithmetic types, checked where that can fail.
    pub fn arith_convert(&mut self, op: Operand, from: Ty, to: Ty, span: Span) -> Rvalue {
        if from == to {
            return Rvalue::Use(op);
        }
        if let Some(constant) = convert_const(self.decls, &op, to) {
            return Rvalue::Use(constant);
        }
        if matches!(to.kind(), TyKind::Bool) {
            return self.truth_value(op, from, to);
        }
        if let (Some(a), Some(b)) = (int_ty(self.decls, from), int_ty(self.decls, to))
            && (a.bits(), a.is_signed()) == (b.bits(), b.is_signed())
        {
            // Enums, tags, `long long`: the same bits mean the same.
            return Rvalue::Use(retype(op, to));
        }
        match (from.is_float(), to.is_float()) {
            (false, false) => Rvalue::Cast(Cast::IntToInt, op, to),
            (false, true) => Rvalue::Cast(Cast::IntToFloat, op, to),
            (true, true) => Rvalue::Cast(Cast::FloatToFloat, op, to),
            (true, false) => {
                let int = int_ty(self.decls, to).unwrap_or(IntTy::Int);
                self.check(span, CheckKind::FloatFits { value: op.clone(), to: int });
                Rvalue::Cast(Cast::FloatToInt, op, to)
            }
        }
    }

    fn truth_value(&mut self, op: Operand, from: Ty, to: Ty) -> Rvalue {
        if let Some(value) = op.as_int() {
            return Rvalue::Use(Operand::int(i128::from(value != 0), to));
        }
        match from.kind() {
            TyKind::Bool if from == to => Rvalue::Use(op),
            _ => Rvalue::Cast(Cast::ToBool, op, to),
        }
    }

    pub fn count_value(&self, count: CountOf) -> Operand {
        match count {
            CountOf::Const(n) => self.ulong(n),
            CountOf::Tag(local) => Operand::Copy(Place::local(local_id(local))),
        }
    }

    fn make_fat(&mut self, base: Operand, count: CountOf, to: Ty) -> Rvalue {
        if let Operand::Const(Const { kind, .. }) = &base {
            match kind {
                ConstKind::Null => return Rvalue::Use(retype(base, to)),
                // A fat literal reaches its terminator too.
                ConstKind::Str { units, .. }
                    if matches!(count, CountOf::Const(n)
                        if n == units.len() as u64 || n == units.len() as u64 + 1) =>
                {
                    return Rvalue::Use(retype(base, to));
                }
                _ => {}
            }
        }
        Rvalue::MakeFat { base, len: self.count_value(count) }
    }

    /// The elements before the terminator; the terminator too when it can only be read.
    /// A writable view must not reach it: it may be the one that keeps others inside.
    fn zeroterm_to_fat(&mut self, op: Operand, to: Ty, span: Span) -> Rvalue {
        if let Operand::Const(Const { kind: ConstKind::Str { .. } | ConstKind::Null, .. }) = op {
            return Rvalue::Use(retype(op, to));
        }
        let ulong = self.ty.ulong;
        let mut len = self.settle(Rvalue::ZtLen(seen(&op)), ulong, span);
        if to.as_ptr().is_some_and(|ptr| ptr.quals.is_const) {
            let more = Rvalue::Binary(BinOp::Add, len, self.ulong(1));
            len = self.settle(more, ulong, span);
        }
        Rvalue::MakeFat { base: op, len }
    }

    fn fat_to_thin(&mut self, op: Operand, need: CountOf, to: Ty, span: Span) -> Rvalue {
        let null_ok = to.as_ptr().is_some_and(|ptr| ptr.nullable);
        let none = matches!(need, CountOf::Const(0));
        if !none {
            let (ptr, need) = (seen(&op), self.count_value(need));
            self.check(span, CheckKind::FatAtLeast { ptr, need, null_ok });
        } else if !null_ok {
            self.check(span, CheckKind::NotNull(seen(&op)));
        }
        Rvalue::Cast(Cast::FatToThin, op, to)
    }

    /// Whether a pointer operand is null (or, with `Ne`, is not), as an `int`.
    pub fn null_test(&mut self, op: CmpOp, ptr: Operand, ty: Ty) -> Rvalue {
        compare(op, ptr, crate::consts::null(ty), self.ty.int)
    }
}

fn is_address(op: &Operand) -> bool {
    matches!(op, Operand::Const(c) if c.kind.is_address())
}

/// Constants carry their type with them; other operands have that of their place.
pub(crate) fn retype(op: Operand, to: Ty) -> Operand {
    match op {
        Operand::Const(Const { kind, .. }) => Operand::Const(Const { kind, ty: to }),
        op => op,
    }
}

fn cast_ptr(op: Operand, to: Ty) -> Rvalue {
    match op {
        Operand::Const(_) => Rvalue::Use(retype(op, to)),
        op => Rvalue::Cast(Cast::Ptr, op, to),
    }
}
