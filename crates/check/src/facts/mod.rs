//! Facts: what is known of integers and pointers at each check. Checks that cannot fail are
//! made idle; checks that certainly fail are errors (E0503, E0504, E0511, E0805, E1201).
//!
//! Soundness: forward analysis over the graph. The state names the *value* each followed
//! variable holds and carries facts about values (ranges, `a <= b + c`, null, lengths). A
//! value's facts do not depend on variables, so assignments need not end them; only lengths
//! of zero-terminated strings depend on memory, and every write, call and exceptional edge
//! ends those. Variables whose address is taken, or that are volatile, are not followed: each
//! read of them is a new value. Arithmetic is that of the mathematical integers, used only
//! where the operation is shown not to wrap; otherwise the result is any value of its type.
//! Where paths join, differing values become a new value named by the block, and only facts
//! true on every path are kept; on a loop's edge, bounds that grow are pushed to thresholds and
//! then given up, so the iteration ends. Into a handler flow the values at the start of each
//! block, without those the block assigns. After a check has passed, what it checks is true;
//! a check's verdict is that of the last visit, whose state holds on every path.
//!
//! Work is bounded: past the budget the whole analysis says nothing.

mod arith;
mod checks;
mod domain;
mod join;
mod refine;
mod slots;
mod transfer;

use crate::explain::facts as explain;
use crate::{Cx, flow};
use domain::{FIRST, Sym, Table, Val};
use join::Entry;
use slots::{Home, Slots};
use std::cell::RefCell;
use toft_base::{BitSet, FxHashMap, Idx};
use toft_diag::Reported;
use toft_mir::*;
use toft_ty::{Bounds, IntExpr, TyKind};

pub(crate) use checks::Failure;

/// What the last visit said of a check.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Open,
    Idle,
    Fails(Failure),
}

/// How a value was made, for branches on it. Valid in the visit that recorded it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Def {
    None,
    Compare {
        op: CmpOp,
        left: Sym,
        right: Sym,
        pointers: bool,
    },
    /// Is the operand zero?
    Not(Sym),
    /// Is the operand not zero?
    Truth(Sym),
    /// The operand modulo 2^bits; the same as the operand when it is at most `limit`.
    Wrapped {
        of: Sym,
        limit: i128,
    },
    /// An element of a zero-terminated string.
    Element {
        string: Sym,
        index: Sym,
        epoch: u32,
    },
    /// 0 or more, at most `left - right`.
    Difference {
        left: Sym,
        right: Sym,
    },
    /// `sum` when the value is 0 or more (the addition may have wrapped below 0).
    SumIfPositive(Sym),
}

pub fn judge(cx: &Cx<'_>, idle: &mut BitSet) -> Result<(), Reported> {
    if cx.body.checks == 0 {
        return Ok(());
    }
    let mut engine = Engine::new(cx);
    let solved = engine.solve();
    engine.table.recycle();
    if !solved {
        return Ok(());
    }
    let mut verdict = Ok(());
    for &id in &cx.cfg.rpo {
        for stmt in &cx.body.blocks[id].stmts {
            let StmtKind::Check(check) = &stmt.kind else { continue };
            match engine.status[check.id.index()] {
                Status::Open => {}
                Status::Idle => {
                    idle.insert(check.id.index());
                }
                // Not if the last word was that nothing comes here.
                Status::Fails(failure) if engine.entries[id.index()].is_some() => {
                    let text = explain::certain_failure(cx, check, failure, stmt.span);
                    verdict = Err(cx.sess.emit(text));
                }
                Status::Fails(_) => {}
            }
        }
    }
    verdict
}

/// A load that gave a value, while memory stays as it is.
struct Loaded<'a> {
    place: &'a Place,
    base: Sym,
    value: Sym,
    is_pointer: bool,
}

pub(super) struct Engine<'a> {
    cx: &'a Cx<'a>,
    slots: Slots,
    table: Table,
    /// The value of each followed variable.
    cur: Vec<Sym>,
    /// Slots that may hold something known, in order.
    live: Vec<u32>,
    /// For [`Engine::known_slots`].
    known: Vec<(u32, Sym)>,
    entries: Vec<Option<Entry<'a>>>,
    defs: Vec<(u32, Def)>,
    /// Number of the first statement of each block.
    first_stmt: Vec<u32>,
    /// The statement being looked at.
    stmt: u32,
    /// First of the values that joins make.
    join_base: Val,
    /// Values made so far where paths join: by block and slot.
    joins: RefCell<FxHashMap<(u32, u32), Val>>,
    visit: u32,
    visits: Vec<u16>,
    loads: Vec<Loaded<'a>>,
    tags: Vec<(&'a Place, u32)>,
    status: Vec<Status>,
    /// Counts the writes to memory.
    epoch: u32,
    /// Constants that the body compares with: where growing ranges stop first.
    thresholds: Vec<i128>,
    loops: flow::Loops,
    /// Blocks that exceptional edges lead to.
    handlers: BitSet,
    dirty: BitSet,
    /// No later block in the order is dirty before this one.
    cursor: usize,
    /// With more facts than these, those in use are looked for.
    most_facts: usize,
}

/// Facts kept without asking whether they are still in use.
const MOST_FACTS: usize = 1 << 14;

/// Values per statement, each with a length.
const VALUES: u32 = 3;
const PER_STMT: u32 = 2 * VALUES;

impl<'a> Engine<'a> {
    fn new(cx: &'a Cx<'a>) -> Engine<'a> {
        let body = cx.body;
        let slots = Slots::new(body, cx.decls, cx.cfg);
        let mut first_stmt = Vec::with_capacity(body.blocks.len());
        let mut total = 0u32;
        for block in body.blocks.iter() {
            first_stmt.push(total);
            total += block.stmts.len() as u32 + 1;
        }
        let locals = body.locals.len() as u32;
        let join_base = FIRST + 2 * locals + total * PER_STMT;
        Engine {
            cx,
            table: Table::new(join_base as usize),
            cur: vec![Sym::UNKNOWN; body.locals.len()],
            live: Vec::new(),
            known: Vec::new(),
            entries: (0..body.blocks.len()).map(|_| None).collect(),
            defs: vec![(0, Def::None); total as usize],
            first_stmt,
            stmt: 0,
            join_base,
            joins: RefCell::default(),
            visit: 0,
            visits: vec![0; body.blocks.len()],
            loads: Vec::new(),
            tags: Vec::new(),
            status: vec![Status::Open; body.checks],
            epoch: 0,
            thresholds: thresholds(body),
            loops: flow::Loops::new(body, cx.cfg),
            handlers: handlers(body),
            dirty: BitSet::empty(cx.cfg.rpo.len()),
            cursor: 0,
            most_facts: MOST_FACTS,
            slots,
        }
    }

    /// Runs to the fixed point; false when that took too long.
    fn solve(&mut self) -> bool {
        let stmts: usize = self.cx.body.blocks.iter().map(|block| block.stmts.len() + 1).sum();
        let mut budget = stmts * 64 + 50_000;
        self.start();
        while self.cursor < self.cx.cfg.rpo.len() {
            if !self.dirty.contains(self.cursor) {
                self.cursor += 1;
                continue;
            }
            self.dirty.remove(self.cursor);
            let id = self.cx.cfg.rpo[self.cursor];
            self.cursor += 1;
            let known = self.entries[id.index()].as_ref().map_or(0, Entry::size);
            let cost = self.cx.body.blocks[id].stmts.len() + 1 + known / 4;
            let Some(left) = budget.checked_sub(cost) else { return false };
            budget = left;
            self.block(id);
        }
        true
    }

    /// The state at the entry: parameters hold values of their types.
    fn start(&mut self) {
        let body = self.cx.body;
        self.table.clear();
        for n in 0..body.params.min(body.locals.len()) {
            let local = LocalId::from_usize(n);
            if let Home::Slot(slot) = self.slots.home[local] {
                self.live.push(slot);
                let value = FIRST + 2 * local.0;
                let info = self.slots.info[local];
                self.set_typed(value, info);
                self.cur[n] = Sym::of(value);
            }
        }
        self.bound_tags();
        self.flow_to(ENTRY, ENTRY);
    }

    /// A not-null parameter of type `T @{n}` points to n elements, so n is not larger than
    /// memory.
    fn bound_tags(&mut self) {
        let body = self.cx.body;
        for decl in body.locals.raw.iter().take(body.params) {
            let TyKind::Ptr(ptr) = *decl.ty.kind() else { continue };
            let Bounds::Thin(len @ IntExpr::Param(_)) = ptr.bounds else { continue };
            let size = toft_ty::layout::layout_of(&self.cx.decls.tables, ptr.elem);
            if ptr.nullable || ptr.zeroterm || size.is_ok_and(|layout| layout.size == 0) {
                continue;
            }
            for n in 0..body.params.min(body.locals.len()) {
                let local = LocalId::from_usize(n);
                if *body.locals[local].ty.kind() == TyKind::Tag(len)
                    && let Home::Slot(_) = self.slots.home[local]
                {
                    let most = Sym { root: domain::ZERO, off: 1 << 47 };
                    self.table.assume_le(self.cur[n], most, 0);
                }
            }
        }
    }

    fn block(&mut self, id: BlockId) {
        let block = &self.cx.body.blocks[id];
        if self.table.facts.len() > self.most_facts {
            self.drop_facts();
        }
        self.visit += 1;
        self.visits[id.index()] = self.visits[id.index()].saturating_add(1);
        self.restart_loop(id);
        self.load(id);
        if let Some(handler) = block.unwind
            && self.cx.cfg.throws.contains(id.index())
        {
            self.flow_to_handler(id, handler);
        }
        for stmt in &block.stmts {
            if let StmtKind::Check(check) = &stmt.kind
                && let Some(status) = self.status.get_mut(check.id.index())
            {
                *status = Status::Open;
            }
        }
        let first = self.first_stmt[id.index()];
        for (n, stmt) in block.stmts.iter().enumerate() {
            self.stmt = first + n as u32;
            self.statement(stmt);
            if self.table.dead {
                return;
            }
        }
        self.stmt = first + block.stmts.len() as u32;
        self.terminator(id, &block.term);
    }

    /// Facts that no state names any more are dropped.
    fn drop_facts(&mut self) {
        self.table.keep_facts(self.entries.iter_mut().flatten().flat_map(Entry::ids));
        self.most_facts = MOST_FACTS.max(2 * self.table.facts.len());
    }

    /// The state at the head of a loop changed: what the loop made of the old one is dropped,
    /// and comes again from the blocks that are visited anew.
    fn restart_loop(&mut self, head: BlockId) {
        for &block in &self.loops.reset[head.index()] {
            self.entries[block.index()] = None;
            self.visits[block.index()] = 0;
            self.dirty.remove(self.cx.cfg.order[block.index()] as usize);
        }
    }

    /// Values of the current statement: number 0 is its result.
    fn own_value(&self, number: u32) -> Val {
        FIRST + 2 * self.cx.body.locals.len() as u32 + self.stmt * PER_STMT + 2 * number
    }

    fn join_value(&self, block: BlockId, slot: usize) -> Val {
        let mut joins = self.joins.borrow_mut();
        let next = self.join_base + 2 * joins.len() as u32;
        *joins.entry((block.0, slot as u32)).or_insert(next)
    }

    fn define(&mut self, def: Def) {
        self.defs[self.stmt as usize] = (self.visit, def);
    }

    /// How the value was made, if this visit made it.
    fn def_of(&self, value: Val) -> Def {
        let first = FIRST + 2 * self.cx.body.locals.len() as u32;
        if value < first || value >= self.join_base || !(value - first).is_multiple_of(PER_STMT) {
            return Def::None;
        }
        match self.defs.get(((value - first) / PER_STMT) as usize) {
            Some(&(visit, def)) if visit == self.visit => def,
            _ => Def::None,
        }
    }
}

fn handlers(body: &Body<Built>) -> BitSet {
    let mut out = BitSet::empty(body.blocks.len());
    for block in body.blocks.iter() {
        if let Some(to) = block.unwind {
            out.insert(to.index());
        }
    }
    out
}

/// Constants compared with, in order.
fn thresholds(body: &Body<Built>) -> Vec<i128> {
    let mut out = Vec::new();
    for block in body.blocks.iter() {
        for stmt in &block.stmts {
            if let StmtKind::Assign(_, Rvalue::Compare(_, a, b)) = &stmt.kind {
                for value in [a, b].into_iter().filter_map(|operand| operand.as_int()) {
                    out.push(value);
                }
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Locals that a block assigns as wholes.
fn assigned(block: &Block, visit: &mut dyn FnMut(LocalId)) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::StorageLive(local)
            | StmtKind::StorageDead(local)
            | StmtKind::Alloca { local, .. } => visit(*local),
            _ => flow::stmt_uses(stmt, &mut |place, how| {
                if how == flow::Use::Write
                    && let Base::Local(local) = place.base
                {
                    visit(local);
                }
            }),
        }
    }
}
