//! Constant expressions over typed trees: case labels, designators, global initialisers.

use crate::convert::const_int;
use crate::cx::Fx;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{GlobalId, Init};
use toft_tir::{Conv, Expr, ExprKind, NewInit, Place, PlaceKind};
use toft_ty::TyKind;

impl<'a> Fx<'a> {
    /// The value of an integer constant expression; reports if it is none.
    pub fn const_expr(&mut self, e: &'a hir::Expr) -> Option<i128> {
        let value = self.expr(e, None);
        if value.ty.is_error() {
            return None;
        }
        let found = self.const_value(&value, 0);
        if found.is_none() {
            self.not_constant(e.span);
        }
        found
    }

    pub fn not_constant(&mut self, span: Span) {
        self.report(Diagnostic::error(
            codes::E0307,
            "a constant expression is needed here",
            span,
            "its value is not known at compile time",
        ));
    }

    /// The value of an integer expression, when it is constant.
    pub fn const_value(&mut self, e: &Expr, depth: u32) -> Option<i128> {
        if depth > 64 {
            return None;
        }
        match &e.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Global(id) => self.const_global(id, depth + 1),
                _ => None,
            },
            ExprKind::Conv(Conv::IntToInt, inner) => {
                let value = self.const_value(inner, depth + 1)?;
                Some(self.int_ty(e.ty)?.wrap(value))
            }
            ExprKind::Conv(Conv::ToBool, inner) => {
                Some(i128::from(self.const_value(inner, depth + 1)? != 0))
            }
            ExprKind::Neg(inner) => {
                let value = self.const_value(inner, depth + 1)?;
                Some(self.int_ty(e.ty)?.wrap(-value))
            }
            ExprKind::BitNot(inner) => {
                let value = self.const_value(inner, depth + 1)?;
                Some(self.int_ty(e.ty)?.wrap(!value))
            }
            ExprKind::Not(inner) => Some(i128::from(self.const_value(inner, depth + 1)? == 0)),
            ExprKind::Binary(op, a, b) | ExprKind::Compare(op, a, b) => {
                let (x, y) = (self.const_value(a, depth + 1)?, self.const_value(b, depth + 1)?);
                let folded = self.fold(*op, x, y, a.ty, e.span)?;
                const_int(&folded)
            }
            ExprKind::And(a, b) => {
                let x = self.const_value(a, depth + 1)? != 0;
                Some(i128::from(x && self.const_value(b, depth + 1)? != 0))
            }
            ExprKind::Or(a, b) => {
                let x = self.const_value(a, depth + 1)? != 0;
                Some(i128::from(x || self.const_value(b, depth + 1)? != 0))
            }
            ExprKind::Cond(c, a, b) => {
                let pick = if self.const_value(c, depth + 1)? != 0 { a } else { b };
                self.const_value(pick, depth + 1)
            }
            _ => None,
        }
    }

    /// The value of a const integer variable with a constant initialiser.
    fn const_global(&mut self, id: GlobalId, depth: u32) -> Option<i128> {
        let prog: &'a hir::Program = self.prog;
        let global = &prog.globals[id];
        if !(global.quals.is_const || global.is_constexpr) || !global.ty.is_integer() || depth > 16
        {
            return None;
        }
        let Init::Expr(e) = &**global.init.as_ref()? else { return None };
        // Its own errors are reported where it is defined.
        let mut inner = Fx::new(self.sess, prog);
        let value = inner.expr(e, Some(global.ty));
        let value = inner.const_value(&value, depth + 1)?;
        Some(self.int_ty(global.ty)?.wrap(value))
    }

    /// Whether `e` may initialise a static object; replaces loads of constants by their values.
    pub fn static_value(&mut self, e: &mut Expr) -> bool {
        if let ExprKind::Load(_)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::Cond(..)
        | ExprKind::Neg(_)
        | ExprKind::BitNot(_)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..) = e.kind
            && let Some(value) = self.const_value(e, 0)
        {
            e.kind = ExprKind::Int(value);
            return true;
        }
        match &mut e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Str { .. }
            | ExprKind::FuncAddr(..)
            | ExprKind::Sizeof(_)
            | ExprKind::Alignof(_) => true,
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => self.static_place(place),
            ExprKind::Conv(kind, inner) => {
                matches!(
                    kind,
                    Conv::IntToInt
                        | Conv::IntToFloat
                        | Conv::FloatToFloat
                        | Conv::ToBool
                        | Conv::PtrCast
                        | Conv::ToVoid
                        | Conv::ThinToFat { .. }
                        | Conv::ViewFat
                        | Conv::ViewThin
                ) && self.static_value(inner)
            }
            ExprKind::PtrAdd(p, i) => self.static_value(p) && self.static_value(i),
            ExprKind::Aggregate(made) => {
                made.fields.iter_mut().all(|(_, value)| self.static_value(value))
            }
            ExprKind::Binary(_, a, b) => {
                e.ty.is_float() && self.static_value(a) && self.static_value(b)
            }
            ExprKind::Neg(a) => e.ty.is_float() && self.static_value(a),
            ExprKind::Cond(c, a, b) => {
                self.static_value(c) && self.static_value(a) && self.static_value(b)
            }
            ExprKind::New(new) => {
                let _ = matches!(new.init, NewInit::Zero);
                false
            }
            _ => false,
        }
    }

    fn static_place(&mut self, place: &mut Place) -> bool {
        match &mut place.kind {
            PlaceKind::Global(_) => true,
            PlaceKind::Field(base, _) => {
                use toft_ty::AdtKind::{PackedUnion, TaggedUnion};
                !matches!(*base.ty.kind(), TyKind::Adt(id, _)
                    if matches!(self.adt(id).kind, TaggedUnion | PackedUnion))
                    && self.static_place(base)
            }
            PlaceKind::ArrayIndex(base, index) => {
                self.static_value(index) && self.static_place(base)
            }
            PlaceKind::Deref(p) => self.static_value(p),
            // A compound literal at file level is static itself.
            PlaceKind::Temp(value, _) => self.static_value(value),
            _ => false,
        }
    }
}
