//! The iteration over the graph, and the last pass that looks for mistakes.

use super::machine::{Finding, Finds, Machine};
use super::paths::{Kind, Node, Paths, Types};
use super::scopes::{Lends, Scopes};
use super::state::{Entry, GONE, LIVE, LOAN, PIN, RAW, State};
use super::transfer::Test;
use crate::{Cx, flow};
use toft_base::{BitSet, FxHashMap, Idx};
use toft_diag::{Diagnostic, Reported, codes};
use toft_mir::*;

/// The states at the starts of the blocks.
struct Solver {
    entries: Vec<Option<Entry>>,
    dirty: BitSet,
}

pub fn run(
    cx: &Cx<'_>,
    types: &Types<'_>,
    paths: &Paths,
    lends: &Lends,
) -> Result<Vec<Finding>, Reported> {
    let followed = |local: LocalId| paths.root(local).is_some();
    let mut scopes = Scopes::new(cx.body, cx.cfg, lends, &followed);
    if let Some(block) = scopes.torn {
        let span = cx.body.blocks[block].term.span;
        return Err(cx.sess.emit(Diagnostic::error(
            codes::E0900,
            "ways that meet here with different borrows or open keys are not supported yet",
            span,
            "",
        )));
    }
    let pins = pins(cx.body, paths);
    let entry = scopes.entry[ENTRY.index()];
    let mut machine = Machine {
        cx,
        types,
        paths,
        lends,
        scopes: &mut scopes,
        state: State::new(paths.list.len()),
        stack: entry,
        pins: &pins,
        findings: None,
        block: ENTRY,
        at: 0,
        span: cx.body.span,
    };
    let mut solver = Solver {
        entries: vec![None; cx.body.blocks.len()],
        dirty: BitSet::empty(cx.cfg.rpo.len()),
    };
    for n in 0..cx.body.params.min(cx.body.locals.len()) {
        if let Some(root) = paths.root(LocalId::from_usize(n)) {
            machine.make_whole(root);
        }
    }
    solver.flow(cx, &machine.state, ENTRY);
    while !solver.dirty.is_empty() {
        for (n, &id) in cx.cfg.rpo.iter().enumerate() {
            if solver.dirty.contains(n) {
                solver.dirty.remove(n);
                block(&mut machine, &mut solver, id, false);
            }
        }
    }
    machine.findings = Some(Vec::new());
    for &id in &cx.cfg.rpo {
        block(&mut machine, &mut solver, id, true);
    }
    Ok(machine.findings.take().unwrap_or_default())
}

/// What each region pins: borrowed paths, keys.
fn pins(body: &Body<Built>, paths: &Paths) -> FxHashMap<RegionId, Vec<(Node, u16)>> {
    let mut out: FxHashMap<RegionId, Vec<(Node, u16)>> = FxHashMap::default();
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        let (region, from, bit) = match &stmt.kind {
            StmtKind::BorrowEnter { region, local, from } => {
                let temp = body.locals[*local].kind == LocalKind::Temp;
                (*region, from, if temp { LOAN } else { PIN })
            }
            StmtKind::RegionEnter { region, open: Some(open), .. } => match open.place() {
                Some(place) => (*region, place, PIN),
                None => continue,
            },
            _ => continue,
        };
        if let Some(found) = paths.find(from).filter(|found| found.exact) {
            let list = out.entry(region).or_default();
            if !list.contains(&(found.node, bit)) {
                list.push((found.node, bit));
            }
        }
    }
    out
}

impl Solver {
    fn flow(&mut self, cx: &Cx<'_>, state: &State, to: BlockId) {
        let old = &mut self.entries[to.index()];
        let first = old.is_none();
        let grown = state.join_into(old.get_or_insert_default());
        if (first || grown) && cx.cfg.is_reachable(to) {
            self.dirty.insert(cx.cfg.order[to.index()] as usize);
        }
    }
}

/// Runs a block; the last pass (`told`) finds mistakes and changes no entry.
fn block(machine: &mut Machine<'_>, solver: &mut Solver, id: BlockId, told: bool) {
    let cx = machine.cx;
    let Some(entry) = &solver.entries[id.index()] else { return };
    machine.state.load(entry);
    machine.stack = machine.scopes.entry[id.index()];
    machine.block = id;
    let block = &cx.body.blocks[id];
    let paths = machine.paths;
    let followed = |local: LocalId| paths.root(local).is_some();
    let mut throw = |machine: &mut Machine<'_>| {
        if !std::mem::take(&mut machine.state.changed) {
            return;
        }
        match block.unwind {
            Some(handler) if !told => throw_to(machine, solver, handler),
            None if told => leave_function(machine),
            _ => {}
        }
    };
    for n in 0..block.stmts.len() {
        machine.statement(block, n, &mut throw);
        let stack = machine.stack;
        machine.stack = machine.scopes.after(stack, &block.stmts[n].kind, machine.lends, &followed);
    }
    machine.terminator(block, &mut throw);
    let test = match &block.term.kind {
        TermKind::If(cond, yes, no) if yes != no => {
            tested(machine, block, cond).map(|(test, holds)| (test, holds, *yes))
        }
        _ => None,
    };
    let mut targets = Vec::new();
    flow::successors(block, &mut |to| {
        if !targets.contains(&to) {
            targets.push(to);
        }
    });
    for to in targets {
        machine.state.begin();
        let possible = match test {
            Some((test, holds, yes)) => machine.known(test, holds == (to == yes)),
            None => true,
        };
        if possible {
            if told {
                lost_on_way(machine, solver, to);
            } else {
                solver.flow(cx, &machine.state, to);
            }
        }
        machine.state.rollback();
    }
}

/// The state goes to a handler, without the scopes that are left on the way.
fn throw_to(machine: &mut Machine<'_>, solver: &mut Solver, handler: BlockId) {
    machine.state.begin();
    leave_scopes(machine, Some(handler));
    // What an unfinished expression held is the collector's.
    let mut held = Vec::new();
    machine.state.each(&mut |n, _| held.push(n));
    for n in held {
        let root = machine.paths.list[n].root;
        if machine.cx.body.locals[root].kind == LocalKind::Temp {
            machine.state.set(n, 0);
        }
    }
    solver.flow(machine.cx, &machine.state, handler);
    machine.state.rollback();
    machine.state.changed = false;
}

fn leave_scopes(machine: &mut Machine<'_>, handler: Option<BlockId>) {
    let stack = machine.stack;
    for (scope, rest) in machine.scopes.left(stack, handler) {
        machine.stack = rest;
        machine.leave(scope);
    }
    machine.stack = stack;
}

/// An exception leaves the function: what the caller keeps must be in order.
fn leave_function(machine: &mut Machine<'_>) {
    if machine.paths.guarded.is_empty() {
        return;
    }
    let findings = machine.findings.take();
    machine.state.begin();
    leave_scopes(machine, None);
    machine.findings = findings;
    machine.kept_is_whole(RAW, true);
    machine.state.rollback();
    machine.state.changed = false;
}

/// On the way to `to` something is alive that counts as given up there.
fn lost_on_way(machine: &mut Machine<'_>, solver: &Solver, to: BlockId) {
    let Some(entry) = &solver.entries[to.index()] else { return };
    let mut lost: Vec<Node> = Vec::new();
    let state = &machine.state;
    state.each_unless(&mut |n| entry.shares(state, n), &mut |n, bits| {
        if bits & LIVE != 0 && bits & (GONE | PIN | LOAN) == 0 && entry.get(n) & GONE != 0 {
            lost.push(Node::from_usize(n));
        }
    });
    let mut skip = 0;
    for node in lost {
        if node.0 >= skip {
            skip = machine.paths.get(node).end;
            machine.find(Finds::LostWay, Some(node), None);
        }
    }
}

/// How far up the block a condition is looked for.
const MAX_BACK: usize = 12;

/// What a condition decides, and whether it is so when the condition holds.
fn tested(machine: &Machine<'_>, block: &Block, cond: &Operand) -> Option<(Test, bool)> {
    let paths = machine.paths;
    let exact = |place: &Place| paths.find(place).filter(|found| found.exact).map(|f| f.node);
    let path = |operand: &Operand| operand.place().and_then(exact);
    let mut local = cond.place()?.as_local()?;
    let mut holds = true;
    for stmt in block.stmts.iter().rev().take(MAX_BACK) {
        let StmtKind::Assign(to, value) = &stmt.kind else {
            if matches!(stmt.kind, StmtKind::StorageDead(_) | StmtKind::Nop) {
                continue;
            }
            return None;
        };
        if to.as_local() != Some(local) {
            return None;
        }
        match value {
            Rvalue::Cast(Cast::ToBool, operand, _) => match path(operand) {
                Some(node) => return Some((Test::Null(node), !holds)),
                None => local = operand.place()?.as_local()?,
            },
            Rvalue::Unary(UnOp::Not, operand) => match path(operand) {
                Some(node) => return Some((Test::Null(node), holds)),
                None => {
                    local = operand.place()?.as_local()?;
                    holds = !holds;
                }
            },
            Rvalue::Compare(op @ (CmpOp::Eq | CmpOp::Ne), a, b) => {
                let (one, other) = if is_null(a) { (b, a) } else { (a, b) };
                if !is_null(other) {
                    return None;
                }
                return Some((Test::Null(path(one)?), (*op == CmpOp::Eq) == holds));
            }
            Rvalue::IsVariant(place, id, variant) => {
                let node = exact(place).filter(|&n| paths.get(n).kind == Kind::Datatype)?;
                return Some((Test::Variant(node, Proj::Variant(*id, *variant)), holds));
            }
            Rvalue::IsMember(place, member) => {
                let node = exact(place).filter(|&n| paths.get(n).kind == Kind::Opaque)?;
                return Some((Test::Member(node, *member), holds));
            }
            Rvalue::Use(operand) | Rvalue::Cast(Cast::IntToInt, operand, _) => {
                local = operand.place()?.as_local()?;
            }
            _ => return None,
        }
    }
    None
}

fn is_null(operand: &Operand) -> bool {
    matches!(operand, Operand::Const(Const { kind: ConstKind::Null | ConstKind::Int(0), .. }))
}
