//! Verdicts on run-time checks, and what is true once they have passed.

use super::arith::product;
use super::domain::{Sym, View, ZERO, Zero};
use super::{Engine, Status};
use toft_base::Idx;
use toft_mir::*;
use toft_ty::IntTy;

/// A check that cannot pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Failure {
    Null,
    /// Ranges of the index and of the number of elements.
    Bounds {
        index: (i128, i128),
        len: (i128, i128),
    },
    NegativeCount,
    Zero,
    Shift {
        count: (i128, i128),
        bits: u32,
    },
    Float,
    Tag {
        held: u32,
    },
    Assert,
}

const ZERO_SYM: Sym = Sym { root: ZERO, off: 0 };

/// Allocations up to this size always have a size that fits.
const MAX_BYTES: i128 = 1 << 30;

impl<'a> Engine<'a> {
    pub fn check(&mut self, check: &'a Check) {
        let status = self.judge_check(&check.kind);
        if let Some(slot) = self.status.get_mut(check.id.index()) {
            *slot = status;
        }
        // Nothing comes after a check that cannot pass.
        self.table.dead |= matches!(status, Status::Fails(_));
    }

    fn judge_check(&mut self, kind: &'a CheckKind) -> Status {
        match kind {
            CheckKind::NotNull(ptr) => {
                let ptr = self.operand(ptr, 0);
                let status = match self.table.zero(ptr) {
                    Zero::No => Status::Idle,
                    Zero::Yes => Status::Fails(Failure::Null),
                    Zero::Unknown => Status::Open,
                };
                if status == Status::Open {
                    self.table.assume_nonzero(ptr);
                }
                status
            }
            CheckKind::Index { index, len } => {
                let (index, len) = (self.operand(index, 0), self.operand(len, 1));
                self.index(index, len)
            }
            CheckKind::FatIndex { ptr, index } => {
                let (ptr, index) = (self.operand(ptr, 0), self.operand(index, 1));
                self.fat_index(ptr, index)
            }
            CheckKind::ZtIndex { ptr, index, known } | CheckKind::ZtAdd { ptr, index, known } => {
                let (ptr, index) = (self.operand(ptr, 0), self.operand(index, 1));
                self.zt_index(ptr, index, *known)
            }
            CheckKind::ZtWrite { ptr, index, value, known } => {
                let (ptr, index) = (self.operand(ptr, 0), self.operand(index, 1));
                let value = self.operand(value, 2);
                let (lo, hi) = self.table.interval(index);
                let len = self.zt_len(ptr);
                let inside = lo >= 0
                    && (hi < i128::from(*known)
                        || len.is_some_and(|len| self.table.le(index, len, -1)));
                if inside || self.table.zero(value) == Zero::Yes {
                    Status::Idle
                } else {
                    Status::Open
                }
            }
            CheckKind::FatAtLeast { ptr, need, null_ok } => {
                let (ptr, need) = (self.operand(ptr, 0), self.operand(need, 1));
                self.at_least(ptr, need, *null_ok)
            }
            CheckKind::NonZero(value) => {
                let value = self.operand(value, 0);
                let status = match self.table.zero(value) {
                    Zero::No => Status::Idle,
                    Zero::Yes => Status::Fails(Failure::Zero),
                    Zero::Unknown => Status::Open,
                };
                if status == Status::Open {
                    self.table.assume_nonzero(value);
                    self.learn(value);
                }
                status
            }
            CheckKind::Shift { count, bits } => {
                let count = self.operand(count, 0);
                let range = self.table.interval(count);
                let top = i128::from(*bits) - 1;
                if range.0 >= 0 && range.1 <= top {
                    Status::Idle
                } else if range.1 < 0 || range.0 > top {
                    Status::Fails(Failure::Shift { count: range, bits: *bits })
                } else {
                    self.table.assume_le(ZERO_SYM, count, 0);
                    self.table.assume_le(count, ZERO_SYM, top);
                    Status::Open
                }
            }
            CheckKind::FloatFits { value, to } => {
                float_fits(value, IntTy::min(*to), IntTy::max(*to))
            }
            CheckKind::NoOverflow { op, left, right } => self.no_overflow(*op, left, right),
            CheckKind::Tag { place, field } => self.tag(place, *field),
            CheckKind::Count { count, elem } => self.count(count, *elem),
            CheckKind::Assert { cond, judge: true, .. } => {
                let literal = matches!(cond, Operand::Const(_));
                let sym = self.operand(cond, 0);
                match self.table.zero(sym) {
                    Zero::Yes if !literal => Status::Fails(Failure::Assert),
                    // The callee's check is the one that counts.
                    _ => Status::Idle,
                }
            }
            CheckKind::Assert { cond, .. } => {
                let literal = matches!(cond, Operand::Const(_));
                let sym = self.operand(cond, 0);
                let status = match self.table.zero(sym) {
                    Zero::No => Status::Idle,
                    // `assert(0)` marks what must not be reached.
                    Zero::Yes if !literal => Status::Fails(Failure::Assert),
                    _ => Status::Open,
                };
                if status == Status::Open {
                    self.assume_truth(sym, true, 0);
                }
                status
            }
            // Kinds that nothing is known of.
            #[allow(unreachable_patterns)]
            _ => Status::Open,
        }
    }

    fn index(&mut self, index: Sym, len: Sym) -> Status {
        let (lo, hi) = self.table.interval(index);
        if lo >= 0 && self.table.le(index, len, -1) {
            return Status::Idle;
        }
        if !index.is_unknown() && (hi < 0 || self.table.le(len, index, 0)) {
            let len = self.table.interval(len);
            return Status::Fails(Failure::Bounds { index: (lo, hi), len });
        }
        self.table.assume_le(ZERO_SYM, index, 0);
        self.table.assume_le(index, len, -1);
        self.learn(index);
        Status::Open
    }

    fn fat_index(&mut self, ptr: Sym, index: Sym) -> Status {
        if self.table.zero(ptr) == Zero::Yes {
            return Status::Fails(Failure::Null);
        }
        let (lo, hi) = self.table.interval(index);
        let len = self.table.fat_len(ptr);
        let low = if len.is_unknown() || ptr.off != 0 { 0 } else { self.table.fact(ptr.root).low };
        if lo >= i128::from(low) && (hi < 0 || self.table.le(index, len, -1)) {
            return Status::Idle;
        }
        // An index past the signed 64 bits counts backwards.
        let signed = hi <= i128::from(i64::MAX);
        if signed && lo >= 0 && !index.is_unknown() && self.table.le(len, index, 0) {
            let len = self.table.interval(len);
            return Status::Fails(Failure::Bounds { index: (lo, hi), len });
        }
        self.table.assume_nonzero(ptr);
        if signed {
            self.table.assume_le(index, len, -1);
            self.learn(index);
        }
        Status::Open
    }

    fn zt_len(&self, ptr: Sym) -> Option<Sym> {
        if ptr.is_unknown() || ptr.root == ZERO || ptr.off != 0 {
            return None;
        }
        let len = self.table.fact(ptr.root).len;
        (!len.is_unknown()).then_some(len)
    }

    fn zt_index(&mut self, ptr: Sym, index: Sym, known: u64) -> Status {
        if self.table.zero(ptr) == Zero::Yes {
            return Status::Open;
        }
        let (lo, hi) = self.table.interval(index);
        let len = self.zt_len(ptr);
        if lo >= 0
            && (hi <= i128::from(known) || len.is_some_and(|len| self.table.le(index, len, 0)))
        {
            return Status::Idle;
        }
        if hi < 0 {
            let len = len.map_or((0, 0), |len| self.table.interval(len));
            return Status::Fails(Failure::Bounds { index: (lo, hi), len });
        }
        if hi <= i128::from(i64::MAX) {
            self.table.assume_le(ZERO_SYM, index, 0);
            self.longer_than(ptr, index, 0);
            self.learn(index);
        }
        Status::Open
    }

    fn at_least(&mut self, ptr: Sym, need: Sym, null_ok: bool) -> Status {
        let zero = self.table.zero(ptr);
        let len = self.table.fat_len(ptr);
        let (lo, hi) = self.table.interval(need);
        if zero == Zero::Yes {
            return if null_ok { Status::Idle } else { Status::Fails(Failure::Null) };
        }
        if lo >= 1 && self.table.le(need, len, 0) {
            return Status::Idle;
        }
        if (zero == Zero::No || !null_ok) && self.table.le(len, need, -1) {
            let len = self.table.interval(len);
            return Status::Fails(Failure::Bounds { index: (lo - 1, hi - 1), len });
        }
        if !null_ok {
            self.table.assume_nonzero(ptr);
        }
        if !null_ok || zero == Zero::No {
            self.table.assume_le(need, len, 0);
        }
        Status::Open
    }

    fn no_overflow(&mut self, op: BinOp, left: &'a Operand, right: &'a Operand) -> Status {
        let Some((lo, hi)) = self.int_range(left) else { return Status::Open };
        let (x, y) = (self.operand(left, 0), self.operand(right, 1));
        let ((xl, xh), (yl, yh)) = (self.table.interval(x), self.table.interval(y));
        let (from, to) = match op {
            BinOp::Add => (xl + yl, xh + yh),
            BinOp::Sub => (xl - yh, xh - yl),
            BinOp::Mul => product((xl, xh), (yl, yh)),
            BinOp::Div | BinOp::Rem if xl > lo || yl > -1 || yh < -1 => return Status::Idle,
            _ => return Status::Open,
        };
        if lo <= from && to <= hi { Status::Idle } else { Status::Open }
    }

    fn tag(&mut self, place: &'a Place, field: u32) -> Status {
        match self.tags.iter().rev().find(|(other, _)| *other == place) {
            Some(&(_, held)) if held == field => Status::Idle,
            Some(&(_, held)) => Status::Fails(Failure::Tag { held }),
            None => {
                self.remember_tag(place, field);
                Status::Open
            }
        }
    }

    fn count(&mut self, count: &'a Operand, elem: toft_ty::Ty) -> Status {
        let count = self.operand(count, 0);
        let (lo, hi) = self.table.interval(count);
        if hi < 0 {
            return Status::Fails(Failure::NegativeCount);
        }
        let size = toft_ty::layout::layout_of(&self.cx.decls.tables, elem);
        if lo >= 0
            && hi <= MAX_BYTES
            && size
                .is_ok_and(|layout| hi.saturating_mul(i128::from(layout.size.max(1))) <= MAX_BYTES)
        {
            return Status::Idle;
        }
        self.table.assume_le(ZERO_SYM, count, 0);
        self.learn(count);
        Status::Open
    }
}

fn float_fits(value: &Operand, min: i128, max: i128) -> Status {
    let Operand::Const(Const { kind: ConstKind::Float(value), .. }) = value else {
        return Status::Open;
    };
    // The ends as floats: powers of two are exact, and conversion truncates towards zero.
    let fits = *value > min as f64 - 1.0 && *value < (max + 1) as f64;
    if fits {
        Status::Idle
    } else if value.is_nan() || *value < min as f64 - 2048.0 || *value >= (max + 1) as f64 {
        Status::Fails(Failure::Float)
    } else {
        Status::Open
    }
}
