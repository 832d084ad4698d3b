//! Arithmetic on values: as mathematical integers when it is shown not to wrap, any value of
//! the type otherwise.

use super::domain::{Fact, INF, Sym, View, ZERO, Zero};
use super::slots::Info;
use super::{Def, Engine};
use toft_mir::*;

impl<'a> Engine<'a> {
    pub fn unary(&mut self, op: UnOp, a: &'a Operand, info: Info) -> Sym {
        let of = self.operand(a, 1);
        let Info::Int { lo, hi } = info else { return self.fresh(info) };
        let (from_lo, from_hi) = self.table.interval(of);
        match op {
            UnOp::Not => match self.table.zero(of) {
                Zero::Yes => Sym { root: ZERO, off: 1 },
                Zero::No => Sym { root: ZERO, off: 0 },
                Zero::Unknown => {
                    let sym = self.fresh(Info::Int { lo: 0, hi: 1 });
                    self.define(Def::Not(of));
                    sym
                }
            },
            UnOp::Neg => self.within(-from_hi, -from_lo, lo, hi),
            UnOp::BitNot if lo < 0 => self.within(-1 - from_hi, -1 - from_lo, lo, hi),
            UnOp::BitNot => self.within(hi - from_hi, hi - from_lo, lo, hi),
        }
    }

    /// A new value in `from..=to`, or of the type's range when that is not inside it.
    fn within(&mut self, from: i128, to: i128, lo: i128, hi: i128) -> Sym {
        if from == to
            && lo <= from
            && to <= hi
            && let Some(sym) = Sym::constant(from)
        {
            return sym;
        }
        let value = self.own_value(0);
        let fits = lo <= from && to <= hi;
        if fits {
            self.table.set(value, Fact::range(from, to));
        } else {
            self.table.set_range(value, lo, hi);
        }
        Sym::of(value)
    }

    pub fn binary(&mut self, op: BinOp, a: &'a Operand, b: &'a Operand, info: Info) -> Sym {
        let Info::Int { lo, hi } = info else {
            // Operands may be reads that are remembered.
            self.operand(a, 1);
            self.operand(b, 2);
            return self.fresh(info);
        };
        let (x, y) = (self.operand(a, 1), self.operand(b, 2));
        match op {
            BinOp::Add => self.add(x, y, lo, hi),
            BinOp::Sub => self.sub(x, y, lo, hi),
            BinOp::Mul => {
                let (from, to) = product(self.table.interval(x), self.table.interval(y));
                self.within(from, to, lo, hi)
            }
            BinOp::Div => self.div(x, y, lo, hi),
            BinOp::Rem => self.rem(x, y, lo, hi),
            BinOp::Shl => self.shl(x, y, lo, hi),
            BinOp::Shr => self.shr(x, y, lo, hi),
            BinOp::And => self.and(x, y, lo, hi),
            BinOp::Or | BinOp::Xor => {
                let ((al, ah), (bl, bh)) = (self.table.interval(x), self.table.interval(y));
                if al >= 0 && bl >= 0 && ah < INF / 2 && bh < INF / 2 {
                    let top = ones(ah.max(bh));
                    let from = if op == BinOp::Or { al.max(bl) } else { 0 };
                    self.within(from, top, lo, hi)
                } else {
                    self.within(lo, hi, lo, hi)
                }
            }
        }
    }

    fn add(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        let (from, mut to) = (xl + yl, xh + yh);
        // x + d with d <= left - x.
        let mut top = None;
        for (x, y) in [(x, y), (y, x)] {
            if y.off == 0
                && let Def::Difference { left, right } = self.def_of(y.root)
                && right == x
            {
                top = Some(left);
                to = to.min(self.table.interval(left).1);
            }
        }
        if from < lo || to > hi {
            let step = if y.root == ZERO { Some((x, yl)) } else { None };
            let sym = self.within(lo, hi, lo, hi);
            if let Some((x, step)) = step
                && lo < 0
                && step > 0
                && from >= lo
                && let Some(sum) = x.plus(step)
            {
                self.define(Def::SumIfPositive(sum));
            }
            return sym;
        }
        if y.root == ZERO
            && let Some(sym) = x.plus(i128::from(y.off))
        {
            return sym;
        }
        if x.root == ZERO
            && let Some(sym) = y.plus(i128::from(x.off))
        {
            return sym;
        }
        let sym = self.within(from, to, lo, hi);
        self.table.assume_le(sym, x, yh);
        self.table.assume_le(sym, y, xh);
        if let Some(left) = top {
            self.table.assume_le(sym, left, 0);
        }
        sym
    }

    fn sub(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        let (mut from, mut to) = (xl - yh, xh - yl);
        if y.root == ZERO {
            if lo <= from
                && to <= hi
                && let Some(sym) = x.plus(-i128::from(y.off))
            {
                return sym;
            }
            return self.within(lo, hi, lo, hi);
        }
        if let Some(c) = self.table.related(x, y) {
            to = to.min(c);
        }
        if let Some(c) = self.table.related(y, x) {
            from = from.max(-c);
        }
        let sym = self.within(from, to, lo, hi);
        if lo <= from && to <= hi && sym.root != ZERO {
            self.table.assume_le(sym, x, -yl);
            if from >= 0 {
                self.define(Def::Difference { left: x, right: y });
            }
        }
        sym
    }

    fn div(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        if yl < 1 || xl < -INF / 2 || xh > INF / 2 {
            return self.within(lo, hi, lo, hi);
        }
        let ends = [xl / yl, xl / yh, xh / yl, xh / yh];
        let from = ends.into_iter().min().unwrap_or(lo);
        let to = ends.into_iter().max().unwrap_or(hi);
        let sym = self.within(from, to, lo, hi);
        self.not_above(sym, x, xl);
        sym
    }

    /// `sym` was made from `x` by an operation that makes values that are not negative
    /// smaller, or keeps them.
    fn not_above(&mut self, sym: Sym, x: Sym, low: i128) {
        if low < 0 || sym.root == ZERO {
            return;
        }
        self.table.assume_le(sym, x, 0);
        if x.off == 0
            && let Def::Difference { left, right } = self.def_of(x.root)
        {
            self.define(Def::Difference { left, right });
        }
    }

    fn rem(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        if yl < 0 || yh > INF / 2 {
            return self.within(lo, hi, lo, hi);
        }
        // The divisor is not zero: that is checked.
        let most = (yh - 1).max(0);
        let from = if xl >= 0 { 0 } else { -most };
        let to = if xh < 0 { 0 } else { most.min(xh) };
        let sym = self.within(from, to, lo, hi);
        if sym.root != ZERO {
            if yl >= 1 || self.table.zero(y) == Zero::No {
                self.table.assume_le(sym, y, -1);
            }
            self.not_above(sym, x, xl);
        }
        sym
    }

    fn shl(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        if xl < 0 || xh > INF / 2 || yl < 0 || yh > 63 {
            return self.within(lo, hi, lo, hi);
        }
        // At most 2^64 * 2^63.
        let to = xh.min(1 << 64).checked_shl(yh as u32).filter(|to| *to >= 0);
        match to {
            Some(to) => self.within(xl << yl, to, lo, hi),
            None => self.within(lo, hi, lo, hi),
        }
    }

    fn shr(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        if xl < 0 || xh > INF / 2 {
            return self.within(lo, hi, lo, hi);
        }
        let (yl, yh) = (yl.clamp(0, 100), yh.clamp(0, 100));
        let sym = self.within(xl >> yh, xh >> yl, lo, hi);
        self.not_above(sym, x, xl);
        sym
    }

    fn and(&mut self, x: Sym, y: Sym, lo: i128, hi: i128) -> Sym {
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        let to = match (xl >= 0, yl >= 0) {
            (true, true) => xh.min(yh),
            (true, false) => xh,
            (false, true) => yh,
            (false, false) => return self.within(lo, hi, lo, hi),
        };
        let sym = self.within(0, to, lo, hi);
        for (side, low) in [(x, xl), (y, yl)] {
            if low >= 0 && sym.root != ZERO {
                self.table.assume_le(sym, side, 0);
            }
        }
        sym
    }

    pub fn compare(&mut self, op: CmpOp, a: &'a Operand, b: &'a Operand, info: Info) -> Sym {
        let (x, y) = (self.operand(a, 1), self.operand(b, 2));
        let ints = self.int_range(a).is_some() && self.int_range(b).is_some();
        let pointers = !ints && self.is_pointer(a) && self.is_pointer(b);
        if !ints && !pointers {
            // Floats: not a number compares with nothing.
            return self.fresh(info);
        }
        let known = if ints { self.decide(op, x, y) } else { self.decide_null(op, x, y) };
        if let Some(known) = known {
            return Sym { root: ZERO, off: i64::from(known) };
        }
        let sym = self.fresh(Info::Int { lo: 0, hi: 1 });
        self.define(Def::Compare { op, left: x, right: y, pointers });
        sym
    }

    fn is_pointer(&self, operand: &Operand) -> bool {
        match operand.place().and_then(Place::as_local) {
            Some(local) => matches!(self.slots.info[local], Info::Ptr { .. }),
            None => self
                .cx
                .body
                .operand_ty(self.cx.decls, operand)
                .is_some_and(|ty| ty.as_ptr().is_some()),
        }
    }

    fn decide(&self, op: CmpOp, x: Sym, y: Sym) -> Option<bool> {
        let le = |a, b, c| self.table.le(a, b, c);
        let (yes, no) = match op {
            CmpOp::Lt => (le(x, y, -1), le(y, x, 0)),
            CmpOp::Le => (le(x, y, 0), le(y, x, -1)),
            CmpOp::Gt => (le(y, x, -1), le(x, y, 0)),
            CmpOp::Ge => (le(y, x, 0), le(x, y, -1)),
            CmpOp::Eq => (le(x, y, 0) && le(y, x, 0), le(x, y, -1) || le(y, x, -1)),
            CmpOp::Ne => (le(x, y, -1) || le(y, x, -1), le(x, y, 0) && le(y, x, 0)),
        };
        if yes {
            Some(true)
        } else if no {
            Some(false)
        } else {
            None
        }
    }

    fn decide_null(&self, op: CmpOp, x: Sym, y: Sym) -> Option<bool> {
        let equal = match (self.table.zero(x), self.table.zero(y)) {
            (Zero::Yes, Zero::Yes) => true,
            (Zero::Yes, Zero::No) | (Zero::No, Zero::Yes) => false,
            _ => return None,
        };
        match op {
            CmpOp::Eq => Some(equal),
            CmpOp::Ne => Some(!equal),
            _ => None,
        }
    }
}

/// The interval of products.
pub fn product((al, ah): (i128, i128), (bl, bh): (i128, i128)) -> (i128, i128) {
    let big = |v: i128| !(-(1 << 62)..=1 << 62).contains(&(v >> 2));
    if [al, ah, bl, bh].into_iter().any(big) {
        return (-INF, INF);
    }
    // Two 64-bit values can pass even the range of an i128; past INF nothing is known anyway.
    let times = |a: i128, b: i128| a.saturating_mul(b).clamp(-INF, INF);
    let ends = [times(al, bl), times(al, bh), times(ah, bl), times(ah, bh)];
    let least = ends.into_iter().min().unwrap_or(-INF);
    (least, ends.into_iter().max().unwrap_or(INF))
}

/// All bits up to the highest of `value` set.
fn ones(value: i128) -> i128 {
    if value <= 0 { 0 } else { (1i128 << (128 - value.leading_zeros())) - 1 }
}
