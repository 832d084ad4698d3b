//! Assignments. The left place's subexpressions are evaluated first, then the right side,
//! then the checks of the left place, then the store.

use crate::builder::Lower;
use crate::consts::{bin_op, float_const, int_ty};
use crate::place::{Access, Opened, Path};
use crate::tracked::seen;
use toft_base::Span;
use toft_hir::ops::IncDec;
use toft_mir::{Base, BinOp, CmpOp, Operand, Place, Rvalue, UnOp};
use toft_tir::{AssignOp, Conv, Expr, ExprKind, PlaceKind};
use toft_ty::{IntTy, Ty, TyKind};

impl Lower<'_> {
    /// `place = value`; the result is what was stored (or nothing, unless wanted).
    pub fn assign_expr(
        &mut self,
        place: &toft_tir::Place,
        value: &Expr,
        want: bool,
        span: Span,
    ) -> Operand {
        let mut path = self.walk(place);
        self.protect(&mut path, &[value]);
        let reread = path.as_local().is_some() || self.is_bit_field(place);
        if path.is_plain() && (reread || !want) && goes_straight(value) {
            let dest = self.open(path, Access::Write).place;
            self.into(value, dest.clone(), false);
            return if want { Operand::Copy(dest) } else { self.nothing() };
        }
        let right = self.rvalue(value);
        self.store(path, right, value, want, reread, span)
    }

    /// An aggregate that may read what it is stored into is built elsewhere first.
    pub fn apart(&mut self, value: Rvalue, dest: &Place, e: &Expr) -> Rvalue {
        let outside = |place: &Place| place.is_indirect() || matches!(place.base, Base::Global(_));
        let meets = |op: &Operand| {
            op.place()
                .is_some_and(|place| place.base == dest.base || (outside(place) || outside(dest)))
        };
        let meets = match &value {
            Rvalue::Aggregate(fields) => fields.iter().any(|(_, op)| meets(op)),
            Rvalue::Variant(_, _, ops) => ops.iter().any(meets),
            _ => false,
        };
        match meets {
            true => {
                let temp = self.keep(value, e.ty, e.span);
                Rvalue::Use(self.held(temp))
            }
            false => value,
        }
    }

    fn store(
        &mut self,
        path: Path,
        right: Rvalue,
        value: &Expr,
        want: bool,
        reread: bool,
        span: Span,
    ) -> Operand {
        let member = path.ends_in_member();
        // A tracked value is in one place: what is wanted is read from where it was stored.
        let reread = reread || want && self.is_tracked(value.ty);
        // The new tag goes in before the value: the value must not be read from under it.
        let steady = |op: &Operand| match op {
            Operand::Const(_) => true,
            op => op.place().and_then(Place::as_local).is_some(),
        };
        let right = match right {
            Rvalue::Use(op) if !member || steady(&op) => Rvalue::Use(op),
            right if member || (want && !reread) => {
                let temp = self.keep(right, value.ty, span);
                Rvalue::Use(self.held(temp))
            }
            right => right,
        };
        let mut opened = self.open(path, Access::Write);
        let right = self.apart(right, &opened.place, value);
        let right = match opened.zero {
            Some(_) => Rvalue::Use(self.settle(right, value.ty, span)),
            None => right,
        };
        let shown = match &right {
            Rvalue::Use(op) => seen(op),
            _ => self.nothing(),
        };
        self.before_store(&mut opened, &shown, span);
        if !want {
            self.assign(span, opened.place, right);
            return self.nothing();
        }
        if reread {
            self.assign(span, opened.place.clone(), right);
            return Operand::Copy(opened.place);
        }
        // The stored value, where the store cannot have changed it.
        let result = match shown {
            Operand::Const(c) => Operand::Const(c),
            op => Operand::Copy(Place::local(self.keep(Rvalue::Use(op), value.ty, span))),
        };
        self.assign(span, opened.place, Rvalue::Use(result.clone()));
        result
    }

    /// `place op= rhs`.
    pub fn assign_op(
        &mut self,
        op: AssignOp,
        place: &toft_tir::Place,
        rhs: &Expr,
        work: Ty,
        want: bool,
        span: Span,
    ) -> Operand {
        let mut path = self.walk(place);
        self.protect(&mut path, &[rhs]);
        let right = self.operand(rhs);
        let opened = self.open_to_change(path);
        let old = Operand::Copy(opened.place.clone());
        let new = match op {
            AssignOp::Arith(op) => {
                let op = bin_op(op).unwrap_or(BinOp::Add);
                let old = self.arith_convert(old, place.ty, work, span);
                let old = self.settle(old, work, span);
                let new = self.arith(op, old, right, work, span);
                self.convert_back(new, work, place.ty, span)
            }
            AssignOp::PtrAdd => self.pointer_add(old, right, place.ty, span),
            AssignOp::PtrSub => {
                let index = self.negated(right, rhs.ty, span);
                self.pointer_add(old, index, place.ty, span)
            }
        };
        self.put(opened, new, place.ty, want, self.is_bit_field(place), span)
    }

    fn convert_back(&mut self, new: Rvalue, work: Ty, to: Ty, span: Span) -> Rvalue {
        if work == to {
            return new;
        }
        let new = self.settle(new, work, span);
        self.arith_convert(new, work, to, span)
    }

    /// `-index`, wide enough.
    fn negated(&mut self, index: Operand, ty: Ty, span: Span) -> Operand {
        if let Some(value) = index.as_int() {
            return Operand::int(-value, self.ty.long);
        }
        let wide = self.arith_convert(index, ty, self.ty.long, span);
        let wide = self.settle(wide, self.ty.long, span);
        self.settle(Rvalue::Unary(UnOp::Neg, wide), self.ty.long, span)
    }

    /// Opens a place that is read and then written. A member of a tagged union has to be the
    /// current one already.
    fn open_to_change(&mut self, path: Path) -> Opened {
        let access = if path.ends_in_member() { Access::Inner } else { Access::Write };
        self.open(path, access)
    }

    /// Stores the changed value.
    fn put(
        &mut self,
        mut opened: Opened,
        new: Rvalue,
        ty: Ty,
        want: bool,
        bit_field: bool,
        span: Span,
    ) -> Operand {
        let direct = opened.place.as_local().is_some() || bit_field || !want;
        let new = match opened.zero.is_some() || !direct {
            true => {
                let kept = self.keep(new, ty, span);
                Rvalue::Use(Operand::Copy(Place::local(kept)))
            }
            false => new,
        };
        let shown = match &new {
            Rvalue::Use(op) => op.clone(),
            _ => self.nothing(),
        };
        self.before_store(&mut opened, &shown, span);
        self.assign(span, opened.place.clone(), new);
        match (want, direct) {
            (false, _) => self.nothing(),
            (true, true) => Operand::Copy(opened.place),
            (true, false) => shown,
        }
    }

    /// `++` and `--`.
    pub fn inc_dec(
        &mut self,
        op: IncDec,
        post: bool,
        place: &toft_tir::Place,
        want: bool,
        span: Span,
    ) -> Operand {
        let path = self.walk(place);
        let opened = self.open_to_change(path);
        let old = Operand::Copy(opened.place.clone());
        // The checks first, so that what they show holds for the old value that is kept.
        let new = self.stepped(op, old.clone(), place.ty, span);
        let kept = match want && post {
            true => Some(self.keep(Rvalue::Use(old), place.ty, span)),
            false => None,
        };
        let want_new = want && !post;
        let result = self.put(opened, new, place.ty, want_new, self.is_bit_field(place), span);
        match kept {
            Some(kept) => Operand::Copy(Place::local(kept)),
            None => result,
        }
    }

    /// `old` one up or down.
    fn stepped(&mut self, op: IncDec, old: Operand, ty: Ty, span: Span) -> Rvalue {
        let (sign, op) = match op {
            IncDec::Inc => (1, BinOp::Add),
            IncDec::Dec => (-1, BinOp::Sub),
        };
        match ty.kind() {
            TyKind::Ptr(_) => {
                let index = Operand::int(sign, self.ty.long);
                self.pointer_add(old, index, ty, span)
            }
            TyKind::Float(_) => self.arith(op, old, float_const(1.0, ty), ty, span),
            TyKind::Int(_) => self.arith(op, old, Operand::int(1, ty), ty, span),
            // `++` makes a bool true, `--` turns it over.
            TyKind::Bool if op == BinOp::Add => Rvalue::Use(Operand::int(1, ty)),
            TyKind::Bool => {
                let zero = Operand::int(0, ty);
                let not = Rvalue::Compare(CmpOp::Eq, old, zero);
                let not = self.settle(not, self.ty.int, span);
                self.arith_convert(not, self.ty.int, ty, span)
            }
            _ => {
                let int = Ty::int(int_ty(self.decls, ty).unwrap_or(IntTy::Int));
                let wide = self.arith_convert(old, ty, int, span);
                let wide = self.settle(wide, int, span);
                let new = self.arith(op, wide, Operand::int(1, int), int, span);
                self.convert_back(new, int, ty, span)
            }
        }
    }

    pub fn is_bit_field(&self, place: &toft_tir::Place) -> bool {
        let PlaceKind::Field(inner, field) = &place.kind else { return false };
        let TyKind::Adt(id, _) = inner.ty.kind() else { return false };
        let fields = self.decls.tables.adts.get(*id).and_then(|def| def.fields.as_deref());
        fields.and_then(|list| list.get(*field as usize)).is_some_and(|f| f.bits.is_some())
    }
}

/// Values that are made in several steps, or by a call: best put in place directly.
fn goes_straight(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(_)
        | ExprKind::Cond(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::BorrowEnd { .. }
        | ExprKind::StmtExpr { .. } => true,
        ExprKind::Conv(Conv::PtrCast, inner) => goes_straight(inner),
        _ => false,
    }
}

/// The expressions a place is made of, outermost first.
pub(crate) fn parts_of(place: &toft_tir::Place) -> Vec<&Expr> {
    let mut out = Vec::new();
    let mut place = place;
    loop {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => return out,
            PlaceKind::Deref(e) | PlaceKind::Temp(e, _) => {
                out.push(e);
                return out;
            }
            PlaceKind::PtrIndex(e, i) => {
                out.extend([&**e, &**i]);
                return out;
            }
            PlaceKind::ArrayIndex(inner, i) => {
                out.push(i);
                place = inner;
            }
            PlaceKind::Field(inner, _) => place = inner,
        }
    }
}
