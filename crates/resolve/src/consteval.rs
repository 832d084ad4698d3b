//! Constant expressions, evaluated over HIR with C's types.

use crate::cx::Resolver;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::layout::{self, LayoutError};
use toft_ty::*;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    Int(i128),
    Float(f64),
}

/// A constant and its type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Const {
    pub ty: Ty,
    pub value: Value,
}

/// Why there is no value.
pub(crate) enum Stop {
    NotConst(Span, &'static str),
    /// Has no defined value.
    Undefined(Span, &'static str),
    Layout(Span, Ty, LayoutError),
    /// Reported before.
    Quiet,
}

type Eval = Result<Const, Stop>;

fn int(ty: IntTy, value: i128) -> Const {
    Const { ty: Ty::int(ty), value: Value::Int(ty.wrap(value)) }
}

fn size(value: u64) -> Const {
    int(IntTy::ULong, i128::from(value))
}

fn truth(value: bool) -> Const {
    int(IntTy::Int, i128::from(value))
}

impl Const {
    pub fn is_true(self) -> bool {
        match self.value {
            Value::Int(n) => n != 0,
            Value::Float(x) => x != 0.0,
        }
    }
}

impl<'a> Resolver<'a> {
    /// The value of an integer constant expression; reports what is wrong with it.
    pub fn const_int(&mut self, expr: &Expr, what: &str) -> Option<i128> {
        match self.eval(expr) {
            Ok(Const { value: Value::Int(n), .. }) => Some(n),
            Ok(_) => {
                let message = format!("{what} must be an integer");
                self.error(codes::E0307, message, expr.span, "this is a floating-point number");
                None
            }
            Err(stop) => {
                self.report_stop(stop, what, expr.span);
                None
            }
        }
    }

    pub fn report_stop(&self, stop: Stop, what: &str, whole: Span) {
        let diag = match stop {
            Stop::Quiet => return,
            Stop::NotConst(span, why) => {
                let message = format!("{what} must be a constant");
                let mut diag = Diagnostic::error(codes::E0307, message, span, why);
                if span != whole && !span.is_none() {
                    diag = diag.label(whole, "in this constant expression");
                }
                diag
            }
            Stop::Undefined(span, why) => {
                Diagnostic::error(codes::E0511, "a constant without a defined value", span, why)
            }
            Stop::Layout(span, ty, error) => {
                let text = self.ty_text(ty);
                let (code, message) = match error {
                    LayoutError::Incomplete => {
                        (codes::E0305, format!("the contents of `{text}` are not known here"))
                    }
                    LayoutError::Generic => (
                        codes::E0307,
                        format!("the size of `{text}` is not known before it is instantiated"),
                    ),
                    LayoutError::TooLarge => (codes::E0308, format!("`{text}` is too large")),
                    LayoutError::Infinite => (codes::E0309, format!("`{text}` contains itself")),
                    LayoutError::NotAnObject if ty.is_error() => return,
                    LayoutError::NotAnObject => (codes::E0305, format!("`{text}` has no size")),
                };
                Diagnostic::error(code, message, span, "")
            }
        };
        let _ = self.sess.emit(diag);
    }

    pub fn eval(&self, expr: &Expr) -> Eval {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value, ty) => Ok(Const { ty: *ty, value: Value::Int(value.get()) }),
            ExprKind::Float(value, ty) => Ok(Const { ty: *ty, value: Value::Float(*value) }),
            ExprKind::Bool(b) => {
                Ok(Const { ty: self.common.bool, value: Value::Int(i128::from(*b)) })
            }
            ExprKind::EnumConst(id, value) => {
                let ty = self.prog.tables.enums[*id].underlying;
                let value = &value.get();
                let ty = if IntTy::Int.wrap(*value) == *value { IntTy::Int } else { ty };
                Ok(Const { ty: Ty::int(ty), value: Value::Int(*value) })
            }
            ExprKind::Global(id) => match self.global_consts.get(id) {
                Some(found) => Ok(*found),
                None => Err(Stop::NotConst(span, "the value of a variable is not constant")),
            },
            ExprKind::Local(id) => match self.body.consts.get(id) {
                Some(found) => Ok(*found),
                None => Err(Stop::NotConst(span, "the value of a variable is not constant")),
            },
            ExprKind::Unary(op, inner) => self.eval_unary(*op, inner, span),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                self.eval_binary(*op, a, b, span)
            }
            ExprKind::LogicalAnd(a, b) => {
                if !self.eval(a)?.is_true() {
                    return Ok(truth(false));
                }
                Ok(truth(self.eval(b)?.is_true()))
            }
            ExprKind::LogicalOr(a, b) => {
                if self.eval(a)?.is_true() {
                    return Ok(truth(true));
                }
                Ok(truth(self.eval(b)?.is_true()))
            }
            ExprKind::Cond(c, a, b) => self.eval_cond(c, a.as_deref(), b),
            ExprKind::Cast(ty, inner) => match &**ty {
                HirTy::Known(ty, _) => self.convert(self.eval(inner)?, *ty, span),
                HirTy::Typeof(..) => Err(Stop::NotConst(span, "a cast to a type not known here")),
            },
            ExprKind::SizeofType(ty) => {
                self.eval_size(self.hir_type(ty), span).map(|l| size(l.size))
            }
            ExprKind::AlignofType(ty) => {
                self.eval_size(self.hir_type(ty), span).map(|l| size(l.align))
            }
            ExprKind::SizeofExpr(inner) => match self.type_of(inner) {
                Some(ty) => self.eval_size(Some(ty), span).map(|l| size(l.size)),
                None if matches!(inner.kind, ExprKind::Error) => Err(Stop::Quiet),
                None => Err(Stop::NotConst(span, "the type of this operand is not known here")),
            },
            ExprKind::Offsetof(ty, path) => self.eval_offset(ty, path, span),
            ExprKind::TypesCompatible(a, b) => match (self.hir_type(a), self.hir_type(b)) {
                (Some(a), Some(b)) => Ok(truth(a == b)),
                _ => Err(Stop::NotConst(span, "types not known here")),
            },
            ExprKind::Error => Err(Stop::Quiet),
            ExprKind::Call(..) => Err(Stop::NotConst(span, "a call is not constant")),
            ExprKind::Str(..) | ExprKind::Null => {
                Err(Stop::NotConst(span, "a pointer is not an integer constant"))
            }
            ExprKind::Valueof(_) => Err(Stop::NotConst(span, "known only when the program runs")),
            _ => Err(Stop::NotConst(span, "this is not a constant")),
        }
    }

    fn hir_type(&self, ty: &HirTy) -> Option<Ty> {
        match ty {
            HirTy::Known(ty, _) => Some(*ty),
            HirTy::Typeof(expr, around) if *around == Ty::new(TyKind::Infer(0)) => {
                self.type_of(expr)
            }
            HirTy::Typeof(..) => None,
        }
    }

    fn eval_size(&self, ty: Option<Ty>, span: Span) -> Result<Layout, Stop> {
        let ty = ty.ok_or(Stop::NotConst(span, "a type not known here"))?;
        if let TyKind::Array { len: IntExpr::Unknown, .. } = ty.kind() {
            return Err(Stop::Layout(span, ty, LayoutError::Incomplete));
        }
        layout::layout_of(&self.prog.tables, ty).map_err(|error| Stop::Layout(span, ty, error))
    }

    fn eval_unary(&self, op: UnOp, inner: &Expr, span: Span) -> Eval {
        if matches!(op, UnOp::Deref | UnOp::AddrOf) {
            return Err(Stop::NotConst(span, "an address is not an integer constant"));
        }
        let value = self.eval(inner)?;
        if op == UnOp::Not {
            return Ok(truth(!value.is_true()));
        }
        let value = self.promote(value);
        match (op, value.value) {
            (UnOp::Plus, _) => Ok(value),
            (UnOp::Neg, Value::Float(x)) => Ok(Const { value: Value::Float(-x), ..value }),
            (UnOp::Neg, Value::Int(n)) => Ok(int(self.int_ty(value.ty), -n)),
            (UnOp::BitNot, Value::Int(n)) => Ok(int(self.int_ty(value.ty), !n)),
            _ => Err(Stop::NotConst(span, "this operator does not take such an operand")),
        }
    }

    fn int_ty(&self, ty: Ty) -> IntTy {
        match ty.kind() {
            TyKind::Int(int) => *int,
            TyKind::Enum(id) => self.prog.tables.enums[*id].underlying,
            TyKind::Tag(_) | TyKind::SizeofT(_) => IntTy::ULong,
            _ => IntTy::Int,
        }
    }

    pub fn promoted(&self, ty: Ty) -> Ty {
        match ty.kind() {
            TyKind::Float(_) => ty,
            _ => {
                let int = self.int_ty(ty);
                Ty::int(if int.rank() < IntTy::Int.rank() { IntTy::Int } else { int })
            }
        }
    }

    fn promote(&self, value: Const) -> Const {
        Const { ty: self.promoted(value.ty), ..value }
    }

    /// C's usual arithmetic conversions.
    pub fn common_type(&self, a: Ty, b: Ty) -> Ty {
        match (a.kind(), b.kind()) {
            (TyKind::Float(x), TyKind::Float(y)) => Ty::new(TyKind::Float(*x.max(y))),
            (TyKind::Float(_), _) => a,
            (_, TyKind::Float(_)) => b,
            _ => {
                let (x, y) = (self.int_ty(self.promoted(a)), self.int_ty(self.promoted(b)));
                let (low, high) = if x.rank() < y.rank() { (x, y) } else { (y, x) };
                let keeps = !high.is_signed() || low.is_signed() || high.bits() > low.bits();
                let wide = if keeps { high } else { high.to_unsigned() };
                Ty::int(wide)
            }
        }
    }

    fn eval_binary(&self, op: BinOp, a: Const, b: Const, span: Span) -> Eval {
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.eval_shift(op, a, b, span);
        }
        let ty = self.common_type(a.ty, b.ty);
        let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
        match (a.value, b.value) {
            (Value::Int(x), Value::Int(y)) => self.eval_ints(op, self.int_ty(ty), x, y, span),
            (Value::Float(x), Value::Float(y)) => eval_floats(op, ty, x, y, span),
            _ => Err(Stop::NotConst(span, "this is not a constant")),
        }
    }

    fn eval_shift(&self, op: BinOp, a: Const, b: Const, span: Span) -> Eval {
        let a = self.promote(a);
        let (Value::Int(x), Value::Int(n)) = (a.value, b.value) else {
            return Err(Stop::NotConst(span, "a shift of a floating-point number"));
        };
        let ty = self.int_ty(a.ty);
        let n = u32::try_from(n).ok().filter(|&n| n < ty.bits());
        let n = n.ok_or(Stop::Undefined(span, "the shift count is outside the type's width"))?;
        Ok(int(ty, if op == BinOp::Shl { x << n } else { x >> n }))
    }

    fn eval_ints(&self, op: BinOp, ty: IntTy, x: i128, y: i128, span: Span) -> Eval {
        let value = match op {
            BinOp::Add => x.wrapping_add(y),
            BinOp::Sub => x.wrapping_sub(y),
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::Div | BinOp::Rem if y == 0 => {
                return Err(Stop::Undefined(span, "a division by zero"));
            }
            BinOp::Div => x / y,
            BinOp::Rem => x % y,
            BinOp::BitAnd => x & y,
            BinOp::BitOr => x | y,
            BinOp::BitXor => x ^ y,
            BinOp::Lt => return Ok(truth(x < y)),
            BinOp::Gt => return Ok(truth(x > y)),
            BinOp::Le => return Ok(truth(x <= y)),
            BinOp::Ge => return Ok(truth(x >= y)),
            BinOp::Eq => return Ok(truth(x == y)),
            BinOp::Ne => return Ok(truth(x != y)),
            BinOp::Shl | BinOp::Shr => return Err(Stop::Quiet),
        };
        Ok(int(ty, value))
    }

    fn eval_cond(&self, c: &Expr, a: Option<&Expr>, b: &Expr) -> Eval {
        let cond = self.eval(c)?;
        let taken = match (cond.is_true(), a) {
            (true, Some(a)) => self.eval(a)?,
            (true, None) => cond,
            (false, _) => self.eval(b)?,
        };
        let other = if cond.is_true() { Some(b) } else { a };
        match other.and_then(|other| self.eval(other).ok()) {
            Some(other) => {
                let ty = self.common_type(taken.ty, other.ty);
                self.convert(taken, ty, b.span)
            }
            None => Ok(self.promote(taken)),
        }
    }

    pub fn convert(&self, value: Const, ty: Ty, span: Span) -> Eval {
        let new = match (ty.kind(), value.value) {
            (TyKind::Bool, _) => Value::Int(i128::from(value.is_true())),
            (TyKind::Int(_) | TyKind::Enum(_), Value::Int(n)) => {
                Value::Int(self.int_ty(ty).wrap(n))
            }
            (TyKind::Int(_) | TyKind::Enum(_), Value::Float(x)) => {
                let int = self.int_ty(ty);
                let cut = x.trunc();
                if cut.is_nan() || cut < int.min() as f64 || cut > int.max() as f64 {
                    return Err(Stop::Undefined(span, "the number does not fit in the type"));
                }
                Value::Int(int.wrap(cut as i128))
            }
            (TyKind::Float(FloatTy::Float), Value::Int(n)) => Value::Float(f64::from(n as f32)),
            (TyKind::Float(_), Value::Int(n)) => Value::Float(n as f64),
            (TyKind::Float(FloatTy::Float), Value::Float(x)) => Value::Float(f64::from(x as f32)),
            (TyKind::Float(_), Value::Float(x)) => Value::Float(x),
            (TyKind::Error, _) => return Err(Stop::Quiet),
            _ => return Err(Stop::NotConst(span, "a cast to this type is not a constant")),
        };
        Ok(Const { ty, value: new })
    }

    fn eval_offset(&self, ty: &HirTy, path: &[Designator], span: Span) -> Eval {
        let mut ty = self.hir_type(ty).ok_or(Stop::NotConst(span, "a type not known here"))?;
        let mut offset: u64 = 0;
        for step in path {
            let tables = &self.prog.tables;
            match (step, *ty.kind()) {
                (Designator::Field(name, at), TyKind::Adt(id, args)) => {
                    let (place, field) = self
                        .field_place(id, args, *name, 0)
                        .map_err(|error| Stop::Layout(*at, ty, error))?
                        .ok_or(Stop::NotConst(*at, "there is no such member"))?;
                    offset = offset.saturating_add(place);
                    ty = field;
                }
                (Designator::Index(index), TyKind::Array { elem, .. }) => {
                    let Value::Int(n) = self.eval(index)?.value else {
                        return Err(Stop::NotConst(index.span, "this is not an integer"));
                    };
                    let each = layout::layout_of(tables, elem)
                        .map_err(|error| Stop::Layout(span, elem, error))?;
                    let n = u64::try_from(n)
                        .map_err(|_| Stop::Undefined(index.span, "a negative index"))?;
                    offset = offset.saturating_add(n.saturating_mul(each.size));
                    ty = elem;
                }
                (_, TyKind::Error) => return Err(Stop::Quiet),
                _ => return Err(Stop::NotConst(span, "there is no such member")),
            }
        }
        // The elements themselves stand behind their view.
        if let TyKind::Vla(_) = ty.kind() {
            offset = offset.saturating_add(target::FAT_BYTES);
        }
        Ok(size(offset))
    }

    /// Offset and type of a member, looking into anonymous ones.
    fn field_place(
        &self,
        id: AdtId,
        args: &[GArg],
        name: toft_base::Symbol,
        depth: u32,
    ) -> Result<Option<(u64, Ty)>, LayoutError> {
        if depth > 64 {
            return Err(LayoutError::Infinite);
        }
        let (_, places) = layout::fields_of(&self.prog.tables, id, args)?;
        let fields = self.prog.tables.adts[id].fields.as_deref().unwrap_or(&[]);
        for (field, place) in fields.iter().zip(&places) {
            let ty = Subst(args).ty(field.ty);
            if field.name == Some(name) {
                return Ok(Some((place.offset, ty)));
            }
            if field.name.is_none()
                && let TyKind::Adt(inner, args) = *ty.kind()
                && let Some((offset, ty)) = self.field_place(inner, args, name, depth + 1)?
            {
                return Ok(Some((place.offset + offset, ty)));
            }
        }
        Ok(None)
    }
}

fn eval_floats(op: BinOp, ty: Ty, x: f64, y: f64, span: Span) -> Eval {
    let value = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Div => x / y,
        BinOp::Lt => return Ok(truth(x < y)),
        BinOp::Gt => return Ok(truth(x > y)),
        BinOp::Le => return Ok(truth(x <= y)),
        BinOp::Ge => return Ok(truth(x >= y)),
        BinOp::Eq => return Ok(truth(x == y)),
        BinOp::Ne => return Ok(truth(x != y)),
        _ => return Err(Stop::NotConst(span, "this operator takes integers")),
    };
    let value = match ty.kind() {
        TyKind::Float(FloatTy::Float) => f64::from(value as f32),
        _ => value,
    };
    Ok(Const { ty, value: Value::Float(value) })
}
