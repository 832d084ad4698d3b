//! Expressions: as operands, as right sides, into a place, for their effect.

use crate::builder::{Lower, local_id};
use crate::consts::{self, bin_op, cmp_op, float_const, fold_binary, fold_compare, int_ty, null};
use crate::order::is_still;
use crate::place::Access;
use toft_base::Span;
use toft_mir::{
    BinOp, CheckKind, CmpOp, Const, ConstKind, Operand, Place, Rvalue, StmtKind, TermKind, UnOp,
};
use toft_tir::{Conv, Expr, ExprKind, StrWidth};
use toft_ty::{Bounds, IntExpr, PtrTy, Ty, TyKind};

impl Lower<'_> {
    /// The value as an operand, which stays good until something writes to its place; moved out
    /// of it when it is tracked.
    pub fn operand(&mut self, e: &Expr) -> Operand {
        let op = self.raw(e);
        self.own(op, e.ty, e.span)
    }

    /// The same, with tracked values left where they are.
    pub fn raw(&mut self, e: &Expr) -> Operand {
        if e.ty.is_void() {
            self.effect(e);
            return self.nothing();
        }
        match &e.kind {
            ExprKind::Load(place) => Operand::Copy(self.read_place(place)),
            ExprKind::Borrow { region, of } => self.borrow(*region, of, e),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.raw(b)
            }
            ExprKind::Assign(place, value) => self.assign_expr(place, value, true, e.span),
            ExprKind::AssignOp { op, place, rhs, work } => {
                self.assign_op(*op, place, rhs, *work, true, e.span)
            }
            ExprKind::IncDec { op, post, place } => self.inc_dec(*op, *post, place, true, e.span),
            ExprKind::Conv(conv, inner) if self.is_bare(*conv, inner, e.ty) => {
                self.bare_conv(*conv, inner, e.ty)
            }
            _ => {
                let value = self.rvalue(e);
                self.settle(value, e.ty, e.span)
            }
        }
    }

    /// The operands of one operation, left to right.
    pub fn operands(&mut self, list: &[&Expr]) -> Vec<Operand> {
        let mut out = Vec::with_capacity(list.len());
        // Nothing after the last expression that does anything can disturb.
        let end = list.iter().rposition(|e| !is_still(e)).map_or(0, |last| last + 1);
        for (n, e) in list.iter().enumerate() {
            let op = self.operand(e);
            let later = list.get(n + 1..end).unwrap_or(&[]);
            out.push(self.shield(op, e.ty, later, e.span));
        }
        out
    }

    pub fn two(&mut self, a: &Expr, b: &Expr) -> (Operand, Operand) {
        let left = self.operand(a);
        let left = self.shield(left, a.ty, &[b], a.span);
        let right = self.operand(b);
        (left, right)
    }

    /// The value as a right side whose parts are all evaluated: emitting it later, when
    /// nothing was written in between, makes no difference.
    pub fn rvalue(&mut self, e: &Expr) -> Rvalue {
        if let Some(constant) = self.constant(e) {
            return Rvalue::Use(constant);
        }
        match &e.kind {
            ExprKind::Load(_) | ExprKind::Borrow { .. } => Rvalue::Use(self.operand(e)),
            ExprKind::AddrOf(place) => self.address(place),
            ExprKind::Decay(place) => self.decay(place, e.ty, e.span),
            ExprKind::Neg(a) => self.negate(a, e),
            ExprKind::BitNot(a) => self.bit_not(a, e),
            ExprKind::Not(a) => self.not(a, e),
            ExprKind::Binary(op, a, b) => match bin_op(*op) {
                Some(op) => {
                    let (a, b) = self.two(a, b);
                    self.arith(op, a, b, e.ty, e.span)
                }
                None => Rvalue::Use(self.nothing()),
            },
            ExprKind::Compare(op, a, b) => match cmp_op(*op) {
                Some(op) => {
                    let (a, b) = self.look_two(a, b);
                    compare(op, a, b, e.ty)
                }
                None => Rvalue::Use(self.nothing()),
            },
            ExprKind::PtrAdd(p, i) => {
                let (pointer, index) = self.two(p, i);
                self.pointer_add(pointer, index, p.ty, e.span)
            }
            ExprKind::PtrDiff(a, b) => {
                let (a, b) = self.look_two(a, b);
                Rvalue::PtrDiff(a, b)
            }
            ExprKind::Conv(conv, inner) => self.convert(*conv, inner, e),
            ExprKind::Numelts(p) => self.numelts(p, e),
            ExprKind::RowAt { dims, at } => self.row_at(dims, at, e.span),
            ExprKind::Row { array, start, len } => self.row(array, start, *len, e),
            ExprKind::Tagcheck(place, field) => {
                let path = self.walk(place);
                Rvalue::IsMember(self.open(path, Access::Inner).place, *field)
            }
            ExprKind::VaArg(place, ty) => Rvalue::VaArg(self.read_place(place), *ty),
            ExprKind::Valueof(_, local) => {
                let local = local_id(*local);
                let (value, from) =
                    (Operand::Copy(Place::local(local)), self.body.locals[local].ty);
                self.arith_convert(value, from, e.ty, e.span)
            }
            ExprKind::Aggregate(agg) if self.is_flat(agg, e.ty) => self.flat_aggregate(agg),
            ExprKind::New(new) => self.new_object(new, e),
            ExprKind::Assign(..) | ExprKind::AssignOp { .. } | ExprKind::IncDec { .. } => {
                Rvalue::Use(self.operand(e))
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.rvalue(b)
            }
            _ if e.ty.is_void() => Rvalue::Use(self.operand(e)),
            _ => {
                let temp = self.temp(e.ty, e.span);
                self.into(e, Place::local(temp), true);
                Rvalue::Use(self.held(temp))
            }
        }
    }

    /// Evaluates into a place whose checks are done. `fresh`: nobody can see the place yet,
    /// so that it may be filled bit by bit.
    pub fn into(&mut self, e: &Expr, dest: Place, fresh: bool) {
        if e.ty.is_void() {
            return self.effect(e);
        }
        match &e.kind {
            ExprKind::Call(call) => self.call(call, Some(dest), e),
            ExprKind::And(..) | ExprKind::Or(..) => self.truth_into(e, dest),
            ExprKind::Cond(cond, yes, no) => {
                let (then, other, join) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(cond, then, other);
                for (block, arm) in [(then, yes), (other, no)] {
                    self.start(block);
                    self.in_arm(|this| this.into(arm, dest.clone(), fresh));
                    self.goto(arm.span, join);
                }
                self.start(join);
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.into(b, dest, fresh);
            }
            ExprKind::StmtExpr { block, value } => {
                let node = self.node;
                self.in_arm(|this| {
                    this.stmts(&block.stmts);
                    if let Some(value) = value {
                        this.into(value, dest, fresh);
                    }
                });
                self.leave(node, block.span.after());
            }
            ExprKind::Aggregate(agg) => self.aggregate_into(agg, e, dest, fresh),
            ExprKind::Comprehension { var, count, body, .. } => {
                self.comprehension_into(*var, count, body, e, dest, fresh);
            }
            ExprKind::Throw(_) => self.effect(e),
            ExprKind::BorrowEnd { value, .. } => self.ends_loans(value, Some((dest, fresh))),
            ExprKind::Conv(Conv::PtrCast, inner) if self.is_bare(Conv::PtrCast, inner, e.ty) => {
                self.into(inner, dest, fresh);
            }
            _ => {
                let value = self.rvalue(e);
                let value = if fresh { value } else { self.apart(value, &dest, e) };
                self.assign(e.span, dest, value);
            }
        }
    }

    /// Evaluates and drops the value.
    pub fn effect(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign(place, value) => {
                self.assign_expr(place, value, false, e.span);
            }
            ExprKind::AssignOp { op, place, rhs, work } => {
                self.assign_op(*op, place, rhs, *work, false, e.span);
            }
            ExprKind::IncDec { op, place, .. } => {
                self.inc_dec(*op, false, place, false, e.span);
            }
            ExprKind::Swap(a, b) => self.swap(a, b, e.span),
            ExprKind::Call(call) => self.call(call, None, e),
            ExprKind::Conv(Conv::Drop, inner) => self.effect(inner),
            ExprKind::BorrowEnd { value, .. } => self.ends_loans(value, None),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Cond(cond, yes, no) => {
                let (then, other, join) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(cond, then, other);
                for (block, arm) in [(then, yes), (other, no)] {
                    self.start(block);
                    self.in_arm(|this| this.effect(arm));
                    self.goto(arm.span, join);
                }
                self.start(join);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.effect_of_either(a, b, e),
            ExprKind::StmtExpr { block, value } => {
                let node = self.node;
                self.in_arm(|this| {
                    this.stmts(&block.stmts);
                    if let Some(value) = value {
                        this.effect(value);
                    }
                });
                self.leave(node, block.span.after());
            }
            ExprKind::Throw(value) => self.throw(value, e.span),
            ExprKind::Assert { cond, text, at, judge } => {
                self.assert_at(cond, *text, *at, *judge, e.span);
            }
            ExprKind::Load(place) => {
                let is_volatile = place.quals.is_volatile;
                let place = self.read_place(place);
                // Reading a volatile variable is an effect.
                if is_volatile {
                    self.keep(Rvalue::Use(Operand::Copy(place)), e.ty, e.span);
                }
            }
            _ if e.ty.is_void() => {
                if let ExprKind::Conv(_, inner) = &e.kind {
                    self.effect(inner);
                }
            }
            _ => {
                self.rvalue(e);
            }
        }
    }

    /// `a && b` or `a || b` for what they do.
    fn effect_of_either(&mut self, a: &Expr, b: &Expr, e: &Expr) {
        let (more, join) = (self.new_block(), self.new_block());
        match &e.kind {
            ExprKind::And(..) => self.branch(a, more, join),
            _ => self.branch(a, join, more),
        }
        self.start(more);
        self.in_arm(|this| this.effect(b));
        self.goto(e.span, join);
        self.start(join);
    }

    fn throw(&mut self, value: &Expr, span: Span) {
        let op = match self.plain_exception(value) {
            Some(op) => op,
            None => self.operand(value),
        };
        if value.ty.as_ptr().is_some_and(|ptr| ptr.nullable) {
            self.check(span, CheckKind::NotNull(op.clone()));
        }
        self.end(span, TermKind::Throw(op));
    }

    pub fn assert(&mut self, cond: &Expr, text: toft_base::Symbol, span: Span) {
        self.assert_at(cond, text, Span::NONE, false, span);
    }

    fn assert_at(
        &mut self,
        cond: &Expr,
        text: toft_base::Symbol,
        at: Span,
        judge: bool,
        span: Span,
    ) {
        let mut cond_op = self.look(cond);
        if !self.operand_ty(&cond_op).is_none_or(Ty::is_integer) {
            let test = self.test(cond_op, cond.ty);
            cond_op = self.settle(test, self.ty.int, cond.span);
        }
        if cond_op.as_int().is_none_or(|value| value == 0) {
            self.check(span, CheckKind::Assert { cond: cond_op, text, at, judge });
        }
    }

    /// Constants that need no code.
    pub fn constant(&mut self, e: &Expr) -> Option<Operand> {
        let kind = match &e.kind {
            ExprKind::Int(value) => ConstKind::Int(*value),
            ExprKind::Float(value) => return Some(float_const(*value, e.ty)),
            ExprKind::Null => ConstKind::Null,
            ExprKind::Str { width, units, writable } => ConstKind::Str {
                units: units.as_ref().into(),
                bytes: unit_bytes(*width),
                writable: *writable,
            },
            ExprKind::FuncAddr(func, args) => ConstKind::Func(*func, args.clone()),
            ExprKind::Sizeof(ty) => ConstKind::Sizeof(*ty),
            ExprKind::Alignof(ty) => ConstKind::Alignof(*ty),
            _ => return None,
        };
        Some(Operand::Const(Const { kind, ty: e.ty }))
    }

    fn negate(&mut self, a: &Expr, e: &Expr) -> Rvalue {
        let op = self.operand(a);
        if let Operand::Const(Const { kind: ConstKind::Float(value), ty }) = op {
            return Rvalue::Use(float_const(-value, ty));
        }
        if let (Some(value), Some(int)) = (op.as_int(), int_ty(self.decls, e.ty)) {
            return Rvalue::Use(Operand::int(int.wrap(-value), e.ty));
        }
        self.check_overflow(BinOp::Sub, &Operand::int(0, e.ty), &op, e.ty, e.span);
        Rvalue::Unary(UnOp::Neg, op)
    }

    fn bit_not(&mut self, a: &Expr, e: &Expr) -> Rvalue {
        let op = self.operand(a);
        if let (Some(value), Some(int)) = (op.as_int(), int_ty(self.decls, e.ty)) {
            return Rvalue::Use(Operand::int(int.wrap(!value), e.ty));
        }
        Rvalue::Unary(UnOp::BitNot, op)
    }

    fn not(&mut self, a: &Expr, e: &Expr) -> Rvalue {
        match &a.kind {
            ExprKind::And(..) | ExprKind::Or(..) => {
                let temp = self.temp(e.ty, e.span);
                self.truth_into(e, Place::local(temp));
                Rvalue::Use(Operand::Copy(Place::local(temp)))
            }
            ExprKind::Conv(Conv::ToBool, inner) if inner.ty.is_scalar() => {
                let op = self.look(inner);
                self.untest(op, inner.ty, e.ty)
            }
            _ => {
                let op = self.look(a);
                self.untest(op, a.ty, e.ty)
            }
        }
    }

    /// `!op`.
    fn untest(&mut self, op: Operand, ty: Ty, to: Ty) -> Rvalue {
        match op.as_int() {
            Some(value) => Rvalue::Use(Operand::int(i128::from(value == 0), to)),
            None if ty.as_ptr().is_some() => compare(CmpOp::Eq, op, null(ty), to),
            None if ty.is_float() => compare(CmpOp::Eq, op, float_const(0.0, ty), to),
            None => Rvalue::Unary(UnOp::Not, op),
        }
    }

    /// Whether `op` is nonzero, as an `int`.
    pub fn test(&mut self, op: Operand, ty: Ty) -> Rvalue {
        let zero = match ty.kind() {
            TyKind::Ptr(_) => null(ty),
            TyKind::Float(_) => float_const(0.0, ty),
            _ => Operand::int(0, ty),
        };
        compare(CmpOp::Ne, op, zero, self.ty.int)
    }

    /// An arithmetic operation with its checks.
    pub fn arith(&mut self, op: BinOp, a: Operand, b: Operand, ty: Ty, span: Span) -> Rvalue {
        let int = int_ty(self.decls, ty);
        if let (Some(int), Some(x), Some(y)) = (int, a.as_int(), b.as_int())
            && let Some(value) = fold_binary(op, x, y, int)
        {
            return Rvalue::Use(Operand::int(value, ty));
        }
        match op {
            BinOp::Div | BinOp::Rem
                if ty.is_integer() && b.as_int().is_none_or(|value| value == 0) =>
            {
                self.check(span, CheckKind::NonZero(b.clone()));
            }
            BinOp::Shl | BinOp::Shr => {
                let bits = int.map_or(32, |int| int.bits());
                if !b.as_int().is_some_and(|count| (0..i128::from(bits)).contains(&count)) {
                    self.check(span, CheckKind::Shift { count: b.clone(), bits });
                }
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.check_overflow(op, &a, &b, ty, span),
            _ => {}
        }
        Rvalue::Binary(op, a, b)
    }

    pub fn check_overflow(&mut self, op: BinOp, a: &Operand, b: &Operand, ty: Ty, span: Span) {
        if self.sess.options.overflow == toft_diag::session::Overflow::Trap
            && int_ty(self.decls, ty).is_some_and(|int| int.is_signed() && int.bits() >= 32)
        {
            let (left, right) = (a.clone(), b.clone());
            self.check(span, CheckKind::NoOverflow { op, left, right });
        }
    }

    /// `pointer + index` with its checks.
    pub fn pointer_add(&mut self, ptr: Operand, index: Operand, ty: Ty, span: Span) -> Rvalue {
        if let Some(PtrTy { bounds: Bounds::Thin(bounds), nullable, zeroterm, .. }) = ty.as_ptr() {
            if index.as_int() == Some(0) {
                return Rvalue::Use(ptr);
            }
            if *nullable {
                self.check(span, CheckKind::NotNull(ptr.clone()));
            }
            let known = match bounds {
                IntExpr::Const(n) => *n,
                _ => 0,
            };
            let (at, i) = (ptr.clone(), index.clone());
            let inside = index.as_int().is_some_and(|i| i >= 0 && i <= i128::from(known));
            if *zeroterm && !inside {
                self.check(span, CheckKind::ZtAdd { ptr: at, index: i, known });
            } else if !zeroterm {
                self.unsupported(span, "arithmetic on a pointer without bounds");
            }
        }
        Rvalue::PtrAdd(ptr, index)
    }

    fn numelts(&mut self, p: &Expr, e: &Expr) -> Rvalue {
        let op = self.look(p);
        let Some(ptr) = p.ty.as_ptr() else { return Rvalue::Use(self.nothing()) };
        match ptr.bounds {
            Bounds::Fat => Rvalue::FatLen(op),
            Bounds::Thin(_) if ptr.zeroterm => Rvalue::ZtLen(op),
            Bounds::Thin(len) => {
                let len = self.int_value(len, e.span);
                if !ptr.nullable {
                    return Rvalue::Use(len);
                }
                let temp = Place::local(self.temp(e.ty, e.span));
                let (some, none, join) = (self.new_block(), self.new_block(), self.new_block());
                let test = self.test(op, p.ty);
                self.branch_on(test, some, none, e.span);
                for (block, value) in [(some, len), (none, self.ulong(0))] {
                    self.start(block);
                    self.assign(e.span, temp.clone(), Rvalue::Use(value));
                    self.goto(e.span, join);
                }
                self.start(join);
                Rvalue::Use(Operand::Copy(temp))
            }
        }
    }

    fn swap(&mut self, a: &toft_tir::Place, b: &toft_tir::Place, span: Span) {
        let mut left = self.walk(a);
        let parts = crate::assign::parts_of(b);
        self.protect(&mut left, &parts);
        let right = self.walk(b);
        // A member of a tagged union is not made current by a swap: it has to be already.
        let mode = |path: &crate::place::Path| match path.ends_in_member() {
            true => Access::Inner,
            false => Access::Write,
        };
        let (left_mode, right_mode) = (mode(&left), mode(&right));
        let mut left = self.open(left, left_mode);
        let mut right = self.open(right, right_mode);
        let (to_left, to_right) =
            (Operand::Copy(right.place.clone()), Operand::Copy(left.place.clone()));
        self.before_store(&mut left, &to_left, span);
        self.before_store(&mut right, &to_right, span);
        self.emit(span, StmtKind::Swap(left.place, right.place));
    }
}

/// A comparison; of constants, its result.
pub(crate) fn compare(op: CmpOp, a: Operand, b: Operand, to: Ty) -> Rvalue {
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        return Rvalue::Use(Operand::int(i128::from(fold_compare(op, x, y)), to));
    }
    Rvalue::Compare(op, a, b)
}

pub(crate) fn unit_bytes(width: StrWidth) -> u8 {
    match width {
        StrWidth::Char => 1,
        StrWidth::Char16 => 2,
        StrWidth::Char32 | StrWidth::Wide => 4,
    }
}

/// A constant converted between arithmetic types.
pub(crate) fn convert_const(decls: &toft_mir::Decls, op: &Operand, to: Ty) -> Option<Operand> {
    match op {
        Operand::Const(value) => consts::convert(decls, value, to),
        _ => None,
    }
}
