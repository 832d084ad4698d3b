//! Arithmetic on constants, as the program would do it.

use toft_hir_ops::BinOp;
use toft_mir::{CmpOp, Const, ConstKind, Decls, Operand};
use toft_ty::{FloatTy, IntTy, Ty, TyKind};

/// The operators, shared by HIR and TIR.
pub(crate) use toft_hir::ops as toft_hir_ops;

/// The integer type that a type computes in; `None` for `bool` and what is no integer.
pub(crate) fn int_ty(decls: &Decls, ty: Ty) -> Option<IntTy> {
    match ty.kind() {
        TyKind::Int(int) => Some(*int),
        TyKind::Enum(id) => Some(decls.tables.enums.get(*id)?.underlying),
        TyKind::Tag(_) | TyKind::SizeofT(_) => Some(IntTy::ULong),
        _ => None,
    }
}

/// Division by zero and bad shifts have no value.
pub(crate) fn fold_binary(op: toft_mir::BinOp, a: i128, b: i128, int: IntTy) -> Option<i128> {
    use toft_mir::BinOp::*;
    let shift = || u32::try_from(b).ok().filter(|&b| b < int.bits());
    let value = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div => a.checked_div(b)?,
        Rem => a.checked_rem(b)?,
        Shl => a.wrapping_shl(shift()?),
        Shr => a.wrapping_shr(shift()?),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
    };
    Some(int.wrap(value))
}

pub(crate) fn fold_compare<T: PartialOrd>(op: CmpOp, a: T, b: T) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
    }
}

pub(crate) fn bin_op(op: BinOp) -> Option<toft_mir::BinOp> {
    use toft_mir::BinOp as To;
    Some(match op {
        BinOp::Add => To::Add,
        BinOp::Sub => To::Sub,
        BinOp::Mul => To::Mul,
        BinOp::Div => To::Div,
        BinOp::Rem => To::Rem,
        BinOp::Shl => To::Shl,
        BinOp::Shr => To::Shr,
        BinOp::BitAnd => To::And,
        BinOp::BitOr => To::Or,
        BinOp::BitXor => To::Xor,
        _ => return None,
    })
}

pub(crate) fn cmp_op(op: BinOp) -> Option<CmpOp> {
    Some(match op {
        BinOp::Eq => CmpOp::Eq,
        BinOp::Ne => CmpOp::Ne,
        BinOp::Lt => CmpOp::Lt,
        BinOp::Le => CmpOp::Le,
        BinOp::Gt => CmpOp::Gt,
        BinOp::Ge => CmpOp::Ge,
        _ => return None,
    })
}

pub(crate) fn float_const(value: f64, ty: Ty) -> Operand {
    let value = match ty.kind() {
        TyKind::Float(FloatTy::Float) => f64::from(value as f32),
        _ => value,
    };
    Operand::Const(Const { kind: ConstKind::Float(value), ty })
}

pub(crate) fn null(ty: Ty) -> Operand {
    Operand::Const(Const { kind: ConstKind::Null, ty })
}

/// An arithmetic constant converted to another arithmetic type; `None` when the value needs
/// the run-time check.
pub(crate) fn convert(decls: &Decls, value: &Const, to: Ty) -> Option<Operand> {
    let to_bool = matches!(to.kind(), TyKind::Bool);
    let to_int = int_ty(decls, to);
    match value.kind {
        ConstKind::Int(v) if to_bool => Some(Operand::int(i128::from(v != 0), to)),
        ConstKind::Float(v) if to_bool => Some(Operand::int(i128::from(v != 0.0), to)),
        ConstKind::Int(v) => match to_int {
            Some(int) => Some(Operand::int(int.wrap(v), to)),
            // A wider float than f64 could hold the value exactly.
            None if to.is_float() && v.unsigned_abs() <= 1 << 53 => Some(float_const(v as f64, to)),
            None => None,
        },
        ConstKind::Float(v) => match to_int {
            Some(int) => {
                let whole = v.trunc();
                let fits = whole >= int.min() as f64 && whole < int.max() as f64;
                fits.then(|| Operand::int(whole as i128, to))
            }
            None if to.is_float() => Some(float_const(v, to)),
            None => None,
        },
        _ => None,
    }
}
