//! What a branch tells, and where the terminator leads.

use super::domain::{Fact, INF, NULL, Sym, View, ZERO, Zero};
use super::{Def, Engine};
use toft_mir::*;

/// Conditions inside conditions are followed this deep.
const MAX_NESTING: u32 = 8;

impl<'a> Engine<'a> {
    pub fn terminator(&mut self, id: BlockId, term: &'a Terminator) {
        match &term.kind {
            TermKind::Goto(to) => self.flow_to(id, *to),
            TermKind::If(cond, yes, no) => {
                let sym = self.operand(cond, 0);
                let zero = self.table.zero(sym);
                if zero != Zero::Yes {
                    self.table.begin();
                    self.assume_truth(sym, true, 0);
                    if !self.table.dead {
                        self.flow_to(id, *yes);
                    }
                    self.table.rollback();
                }
                if zero != Zero::No {
                    self.table.begin();
                    self.assume_truth(sym, false, 0);
                    if !self.table.dead {
                        self.flow_to(id, *no);
                    }
                    self.table.rollback();
                }
            }
            TermKind::Switch { on, cases, default } => self.switch(id, on, cases, *default),
            TermKind::Return(_)
            | TermKind::Throw(_)
            | TermKind::Rethrow(_)
            | TermKind::Trap(_)
            | TermKind::Unreachable => {}
        }
    }

    fn switch(
        &mut self,
        id: BlockId,
        on: &'a Operand,
        cases: &[(i128, i128, BlockId)],
        default: BlockId,
    ) {
        let sym = self.operand(on, 0);
        let (lo, hi) = self.table.interval(sym);
        let mut covered = false;
        for &(from, to, target) in cases {
            if to < lo || hi < from {
                continue;
            }
            covered |= from <= lo && hi <= to;
            self.table.begin();
            if let (Some(from), Some(to)) = (Sym::constant(from), Sym::constant(to)) {
                self.table.assume_le(from, sym, 0);
                self.table.assume_le(sym, to, 0);
                self.learn(sym);
            }
            if !self.table.dead {
                self.flow_to(id, target);
            }
            self.table.rollback();
        }
        if !covered {
            self.flow_to(id, default);
        }
    }

    /// From here on the value is not zero (or is).
    pub fn assume_truth(&mut self, sym: Sym, truth: bool, depth: u32) {
        if sym.is_unknown() || depth > MAX_NESTING {
            return;
        }
        if sym.off == 0 {
            match self.def_of(sym.root) {
                Def::Compare { op, left, right, pointers } => {
                    let op = if truth { op } else { opposite(op) };
                    if pointers {
                        self.assume_pointers(op, left, right);
                    } else {
                        self.assume_compare(op, left, right);
                    }
                }
                Def::Not(of) => self.assume_truth(of, !truth, depth + 1),
                Def::Truth(of) => self.assume_truth(of, truth, depth + 1),
                _ => {}
            }
        }
        if truth {
            self.table.assume_nonzero(sym);
        } else {
            let (lo, hi) = self.table.interval(sym);
            self.table.assume_zero(sym, lo <= -INF / 2 && hi >= INF / 2);
        }
        self.learn(sym);
    }

    fn assume_pointers(&mut self, op: CmpOp, left: Sym, right: Sym) {
        for (one, other) in [(left, right), (right, left)] {
            match (op, self.table.zero(other)) {
                (CmpOp::Eq, Zero::Yes) => self.table.assume_zero(one, true),
                (CmpOp::Eq, Zero::No) | (CmpOp::Ne, Zero::Yes) => self.table.assume_nonzero(one),
                _ => {}
            }
        }
    }

    fn assume_compare(&mut self, op: CmpOp, left: Sym, right: Sym) {
        match op {
            CmpOp::Lt => self.table.assume_le(left, right, -1),
            CmpOp::Le => self.table.assume_le(left, right, 0),
            CmpOp::Gt => self.table.assume_le(right, left, -1),
            CmpOp::Ge => self.table.assume_le(right, left, 0),
            CmpOp::Eq => self.table.assume_eq(left, right),
            CmpOp::Ne => {
                for (one, other) in [(left, right), (right, left)] {
                    self.assume_unequal(one, other);
                }
            }
        }
        self.learn(left);
        self.learn(right);
    }

    fn assume_unequal(&mut self, one: Sym, other: Sym) {
        // Not equal and not above: below.
        if self.table.le(one, other, 0) {
            self.table.assume_le(one, other, -1);
        }
        let (lo, hi) = self.table.interval(other);
        if lo == 0 && hi == 0 {
            self.table.assume_nonzero(one);
        }
    }

    /// Draws the conclusions that how the value was made allows.
    pub fn learn(&mut self, sym: Sym) {
        if sym.is_unknown() || sym.root == ZERO || sym.root == NULL || self.table.dead {
            return;
        }
        let value = Sym::of(sym.root);
        match self.def_of(sym.root) {
            Def::Wrapped { of, limit } => {
                if self.table.interval(value).1 <= limit {
                    self.table.assume_eq(of, value);
                }
            }
            Def::SumIfPositive(sum) => {
                if self.table.interval(value).0 >= 0 {
                    self.table.assume_eq(value, sum);
                }
            }
            Def::Element { string, index, epoch } => {
                if epoch == self.epoch && self.table.zero(value) == Zero::No {
                    self.longer_than(string, index, 1);
                }
            }
            _ => {}
        }
    }

    /// The zero-terminated string has at least `index + more` elements.
    pub fn longer_than(&mut self, string: Sym, index: Sym, more: i128) {
        if string.is_unknown() || string.root == NULL || string.root == ZERO || string.off != 0 {
            return;
        }
        if self.table.fact(string.root).len.is_unknown() {
            let len = self.own_value(super::VALUES - 1);
            self.table.set(len, Fact::range(0, 1 << 47));
            let fact = self.table.fact_mut(string.root);
            fact.len = Sym::of(len);
            fact.len_in_memory = true;
            self.table.memory_lens = true;
        }
        let len = self.table.fact(string.root).len;
        self.table.assume_le(index, len, -more);
    }
}

fn opposite(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}
