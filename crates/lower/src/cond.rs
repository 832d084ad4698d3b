//! Conditions: straight to branches.

use crate::builder::Lower;
use toft_base::Span;
use toft_mir::{BlockId, Operand, Place, Rvalue, TermKind};
use toft_tir::{Conv, Expr, ExprKind};
use toft_ty::{Bounds, TyKind};

impl Lower<'_> {
    /// Goes to `yes` when the value is not zero, else to `no`.
    pub fn branch(&mut self, e: &Expr, yes: BlockId, no: BlockId) {
        match &e.kind {
            ExprKind::Not(inner) => self.branch(inner, no, yes),
            ExprKind::And(a, b) => {
                let more = self.new_block();
                self.branch(a, more, no);
                self.start(more);
                self.in_arm(|this| this.branch(b, yes, no));
            }
            ExprKind::Or(a, b) => {
                let more = self.new_block();
                self.branch(a, yes, more);
                self.start(more);
                self.in_arm(|this| this.branch(b, yes, no));
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.branch(b, yes, no);
            }
            ExprKind::Conv(conv, inner) if keeps_truth(*conv, inner, e) => {
                self.branch(inner, yes, no);
            }
            ExprKind::Compare(..) => {
                let value = self.rvalue(e);
                self.branch_on(value, yes, no, e.span);
            }
            _ => {
                let op = self.look(e);
                let value = match e.ty.kind() {
                    TyKind::Ptr(_) | TyKind::Float(_) => self.test(op, e.ty),
                    _ => Rvalue::Use(op),
                };
                self.branch_on(value, yes, no, e.span);
            }
        }
    }

    /// Branches on an `int` right side.
    pub fn branch_on(&mut self, value: Rvalue, yes: BlockId, no: BlockId, span: Span) {
        let op = self.settle(value, self.ty.int, span);
        match op.as_int() {
            Some(0) => self.goto(span, no),
            Some(_) => self.goto(span, yes),
            None => self.end(span, TermKind::If(op, yes, no)),
        }
    }

    /// `&&` and `||` as a value.
    pub fn truth_into(&mut self, e: &Expr, dest: Place) {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(e, yes, no);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.start(block);
            let value = Operand::int(value, e.ty);
            self.assign(e.span, dest.clone(), Rvalue::Use(value));
            self.goto(e.span, join);
        }
        self.start(join);
    }
}

/// The conversion gives zero for zero and only then.
fn keeps_truth(conv: Conv, inner: &Expr, e: &Expr) -> bool {
    match conv {
        Conv::ToBool => true,
        Conv::IntToInt => match (inner.ty.kind(), e.ty.kind()) {
            (TyKind::Bool, _) => true,
            (TyKind::Int(from), TyKind::Int(to)) => to.bits() >= from.bits(),
            _ => matches!(inner.kind, ExprKind::Compare(..) | ExprKind::Not(_)),
        },
        Conv::PtrCast => {
            let fat = |e: &Expr| e.ty.as_ptr().map(|ptr| ptr.bounds == Bounds::Fat);
            fat(inner) == fat(e)
        }
        _ => false,
    }
}
