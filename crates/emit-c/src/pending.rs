//! Temporaries that need no C variable: a pure value used once, later in the same block, is
//! put into the expression that uses it.
//!
//! Until then it is *pending*. A pending value that reads what the statement at hand is about
//! to change is stored into its variable first, so evaluation order stays as the MIR has it.

use crate::func::FnCx;
use toft_base::{BitSet, Idx, IndexVec};
use toft_cir::{Expr, StmtKind as C};
use toft_mir::*;
use toft_ty::TyKind;

/// A value on its way to its use.
pub struct Pending {
    pub local: LocalId,
    pub expr: Expr,
    pub reads: Vec<LocalId>,
    pub memory: bool,
}

/// Expressions deeper than this get a variable.
const MAX_DEPTH: u32 = 24;

/// Which temporaries may be deferred.
pub struct Plan {
    deferred: BitSet,
    mentioned: BitSet,
    /// Pointers to new objects that the statement after their making fills whole.
    filled: BitSet,
}

#[derive(Clone, Copy)]
struct Seen {
    defs: u32,
    uses: u32,
    def_at: (u32, u32),
    use_at: (u32, u32),
}

impl Plan {
    pub fn new(body: &Body<Final>) -> Plan {
        let none = Seen { defs: 0, uses: 0, def_at: (0, 0), use_at: (0, 0) };
        let mut seen: IndexVec<LocalId, Seen> = body.locals.iter().map(|_| none).collect();
        let mut mentioned = BitSet::empty(body.locals.len());
        for (id, block) in body.blocks.iter_enumerated() {
            let mut at = (id.index() as u32, 0);
            for stmt in &block.stmts {
                at.1 += 1;
                walk::stmt(&stmt.kind, &mut |local, is_def| note(&mut seen, local, is_def, at));
            }
            at.1 += 1;
            walk::term(&block.term.kind, &mut |local| note(&mut seen, local, false, at));
        }
        let mut deferred = BitSet::empty(body.locals.len());
        for (id, local) in body.locals.iter_enumerated() {
            let s = seen[id];
            if s.defs + s.uses > 0 {
                mentioned.insert(id.index());
            }
            let plain = local.kind == LocalKind::Temp
                && id.index() >= body.params
                && !local.address_taken
                && !local.quals.is_volatile
                && !matches!(local.ty.kind(), TyKind::Array { .. } | TyKind::VaList);
            let once = s.defs == 1 && s.uses == 1;
            if plain && once && s.def_at.0 == s.use_at.0 && s.def_at.1 < s.use_at.1 {
                deferred.insert(id.index());
            }
        }
        // Only what an assignment of a pure value makes can be deferred.
        for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
            let made = match &stmt.kind {
                StmtKind::Assign(to, rvalue) if !is_pure(rvalue) => to.as_local(),
                StmtKind::Call(call) => call.dest.as_ref().and_then(Place::as_local),
                StmtKind::Catch(_, local) => Some(*local),
                StmtKind::Alloca { local, .. } => Some(*local),
                StmtKind::BorrowEnter { local, .. } => Some(*local),
                StmtKind::RegionEnter { handle, .. } => Some(*handle),
                _ => None,
            };
            if let Some(local) = made {
                deferred.remove(local.index());
            }
        }
        Plan { deferred, mentioned, filled: filled(body, &seen) }
    }

    /// Whether what is made for the local need not be zeroed.
    pub fn is_filled(&self, local: Option<LocalId>) -> bool {
        local.is_some_and(|local| self.filled.contains(local.index()))
    }

    pub fn is_deferred(&self, local: LocalId) -> bool {
        self.deferred.contains(local.index())
    }

    pub fn is_mentioned(&self, local: LocalId) -> bool {
        self.mentioned.contains(local.index())
    }

    /// The local gets a variable after all.
    fn keep(&mut self, local: LocalId) -> bool {
        self.deferred.remove(local.index())
    }
}

/// `t = new; *t = value;`, where `t` is made in one place.
fn filled(body: &Body<Final>, seen: &IndexVec<LocalId, Seen>) -> BitSet {
    let mut filled = BitSet::empty(body.locals.len());
    for pair in body.blocks.iter().flat_map(|block| block.stmts.windows(2)) {
        if let [
            Stmt { kind: StmtKind::Assign(made, Rvalue::Alloc { count: None, .. }), .. },
            Stmt { kind: StmtKind::Assign(to, value), .. },
        ] = pair
            && let Some(local) = made.as_local()
            && to.base == Base::Local(local)
            && to.proj == [Proj::Deref(Index::Const(0))]
            && seen[local].defs == 1
        {
            // The value may not come from the object itself.
            let mut reads = false;
            walk::rvalue(value, &mut |read| reads |= read == local);
            if !reads {
                filled.insert(local.index());
            }
        }
    }
    filled
}

fn note(seen: &mut IndexVec<LocalId, Seen>, local: LocalId, is_def: bool, at: (u32, u32)) {
    let s = &mut seen[local];
    if is_def {
        s.defs += 1;
        s.def_at = at;
    } else {
        s.uses += 1;
        s.use_at = at;
    }
}

/// Without effects. (Volatile reads are found when the place is built.)
fn is_pure(rvalue: &Rvalue) -> bool {
    match rvalue {
        Rvalue::Alloc { .. } | Rvalue::VaArg(..) | Rvalue::ViewFat(_) => false,
        // Aggregates may need statements of their own.
        Rvalue::Aggregate(_) | Rvalue::Variant(..) => false,
        Rvalue::ZtLen(_) => false,
        Rvalue::Use(_)
        | Rvalue::Unary(..)
        | Rvalue::Cast(..)
        | Rvalue::FatLen(_)
        | Rvalue::Binary(..)
        | Rvalue::Compare(..)
        | Rvalue::MakeFat { .. }
        | Rvalue::PtrAdd(..)
        | Rvalue::PtrDiff(..)
        | Rvalue::IsVariant(..)
        | Rvalue::IsMember(..)
        | Rvalue::Ref(_) => true,
    }
}

impl FnCx<'_, '_> {
    /// Takes note of a value whose use comes later, or stores it.
    pub fn defer(&mut self, local: LocalId, expr: Expr) {
        let reads = std::mem::take(&mut self.reads);
        let memory = self.reads_memory;
        if self.reads_volatile || expr.depth(MAX_DEPTH) >= MAX_DEPTH {
            self.store(local, expr);
        } else {
            self.pending.push(Pending { local, expr, reads, memory });
        }
    }

    /// The pending value of a local, if it has one: used up.
    pub fn take_pending(&mut self, local: LocalId) -> Option<Expr> {
        let n = self.pending.iter().position(|pending| pending.local == local)?;
        let pending = self.pending.remove(n);
        self.reads.extend_from_slice(&pending.reads);
        self.reads_memory |= pending.memory;
        Some(pending.expr)
    }

    /// Stores a pending value into a variable, so that it can be mentioned many times.
    pub fn settle(&mut self, local: LocalId) {
        if let Some(n) = self.pending.iter().position(|pending| pending.local == local) {
            let pending = self.pending.remove(n);
            self.store(local, pending.expr);
        }
    }

    fn store(&mut self, local: LocalId, expr: Expr) {
        let name = self.locals[local].clone();
        if self.plan.keep(local) {
            use std::fmt::Write;
            let ty = self.cx.cty(self.body.locals[local].ty);
            let _ = writeln!(self.decls, "  {ty} {name};");
        }
        self.emit(C::Assign(Expr::Atom(name), expr));
    }

    /// Stores every pending value that reads `local`.
    pub fn before_write(&mut self, local: LocalId) {
        self.flush(|pending| pending.reads.contains(&local));
    }

    /// Stores every pending value that reads memory.
    pub fn before_memory(&mut self) {
        self.flush(|pending| pending.memory);
    }

    pub fn flush_all(&mut self) {
        self.flush(|_| true);
    }

    fn flush(&mut self, mut which: impl FnMut(&Pending) -> bool) {
        let mut n = 0;
        while n < self.pending.len() {
            if which(&self.pending[n]) {
                let pending = self.pending.remove(n);
                self.store(pending.local, pending.expr);
            } else {
                n += 1;
            }
        }
    }

    /// What a store to `place` may change.
    pub fn before_store(&mut self, place: &Place) {
        match place.base {
            Base::Local(local) if !place.is_indirect() => {
                self.before_write(local);
                if self.body.locals[local].address_taken {
                    self.before_memory();
                }
            }
            _ => self.before_memory(),
        }
    }

    /// Notes that the expression at hand reads a local.
    pub fn note_read(&mut self, local: LocalId) {
        self.reads.push(local);
        let decl = &self.body.locals[local];
        self.reads_memory |= decl.address_taken;
        self.reads_volatile |= decl.quals.is_volatile;
    }

    pub fn forget_reads(&mut self) {
        self.reads.clear();
        self.reads_memory = false;
        self.reads_volatile = false;
    }
}

/// Every mention of a local in a statement.
pub mod walk {
    use toft_mir::*;

    pub fn term(kind: &TermKind, f: &mut impl FnMut(LocalId)) {
        match kind {
            TermKind::If(op, ..) | TermKind::Switch { on: op, .. } | TermKind::Throw(op) => {
                operand(op, f);
            }
            TermKind::Return(Some(op)) => operand(op, f),
            TermKind::Rethrow(local) => f(*local),
            _ => {}
        }
    }

    /// The flag tells whole assignments from all other mentions.
    pub fn stmt(kind: &StmtKind, f: &mut impl FnMut(LocalId, bool)) {
        let mut uses = |local| f(local, false);
        match kind {
            StmtKind::Nop | StmtKind::TryPush(_) | StmtKind::TryPop(_) => {}
            StmtKind::StorageLive(_) | StmtKind::StorageDead(_) | StmtKind::RegionExit(_) => {}
            StmtKind::BorrowExit(_) | StmtKind::Consume(_) | StmtKind::GiveBack { .. } => {}
            StmtKind::Assign(to, rvalue) => {
                super::walk::rvalue(rvalue, &mut uses);
                dest(to, f);
            }
            StmtKind::Check(check) => super::walk::check(&check.kind, &mut uses),
            StmtKind::Call(call) => {
                if let Callee::Ptr(op) = &call.callee {
                    operand(op, &mut uses);
                }
                call.args.iter().chain(&call.varargs).for_each(|op| operand(op, &mut uses));
                if let Some(to) = &call.dest {
                    dest(to, f);
                }
            }
            StmtKind::SetTag(at, _) => place(at, &mut uses),
            StmtKind::Alloca { local, count, .. } => {
                operand(count, &mut uses);
                f(*local, true);
            }
            StmtKind::Swap(a, b) => {
                place(a, &mut uses);
                place(b, &mut uses);
            }
            StmtKind::Catch(_, local) => f(*local, true),
            StmtKind::RegionEnter { handle, open, .. } => {
                open.iter().for_each(|op| operand(op, &mut uses));
                f(*handle, true);
            }
            StmtKind::BorrowEnter { local, from, .. } => {
                place(from, &mut uses);
                f(*local, true);
            }
        }
    }

    fn dest(to: &Place, f: &mut impl FnMut(LocalId, bool)) {
        match to.as_local() {
            Some(local) => f(local, true),
            None => place(to, &mut |local| f(local, false)),
        }
    }

    pub fn place(at: &Place, f: &mut impl FnMut(LocalId)) {
        if let Base::Local(local) = at.base {
            f(local);
        }
        for step in &at.proj {
            if let Proj::Deref(Index::Local(local)) | Proj::Index(Index::Local(local)) = step {
                f(*local);
            }
        }
    }

    pub fn operand(op: &Operand, f: &mut impl FnMut(LocalId)) {
        if let Some(at) = op.place() {
            place(at, f);
        }
    }

    pub fn rvalue(rvalue: &Rvalue, f: &mut impl FnMut(LocalId)) {
        rvalue.operands(&mut |op| operand(op, f));
        rvalue.place().into_iter().for_each(|at| place(at, f));
    }

    fn check(kind: &CheckKind, f: &mut impl FnMut(LocalId)) {
        kind.operands(&mut |op| operand(op, f));
        kind.place().into_iter().for_each(|at| place(at, f));
    }
}
