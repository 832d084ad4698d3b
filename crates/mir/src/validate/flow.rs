//! Along the paths: handler frames, storage marks, checks before accesses.

use super::{Rule, Violation};
use crate::visit::{Visit, stmt_visit, term_visit};
use crate::*;
use toft_base::{BitSet, Idx};
use toft_ty::{Bounds, TyKind};

pub fn check<P: Phase>(decls: &Decls, body: &Body<P>, out: &mut Vec<Violation>) {
    tries(body, out);
    storage(body, out);
    // From `elaborate` on, checks that cannot fail are gone.
    if matches!(P::NAME, "built" | "checked") {
        accesses(decls, body, out);
    }
}

fn fail(out: &mut Vec<Violation>, rule: Rule, text: String) {
    if out.len() < super::MAX_VIOLATIONS {
        out.push(Violation { rule, text });
    }
}

/// The frames that are up at each block are the same on every path; each throwing block
/// unwinds to the innermost of them.
fn tries<P: Phase>(body: &Body<P>, out: &mut Vec<Violation>) {
    let mut known: Vec<Option<Vec<TryId>>> = vec![None; body.blocks.len()];
    let mut work = vec![(ENTRY, Vec::new())];
    while let Some((id, mut frames)) = work.pop() {
        match &known[id.index()] {
            Some(old) if *old == frames => continue,
            Some(_) => {
                fail(out, Rule::Try, format!("{id:?} is reached with different frames"));
                continue;
            }
            None => known[id.index()] = Some(frames.clone()),
        }
        let block = &body.blocks[id];
        let handler_of = |frames: &[TryId]| frames.last().map(|id| body.tries[*id].handler);
        // The handler runs without the frame that led to it.
        if let Some(handler) = block.unwind {
            let depth = frames.iter().rposition(|id| body.tries[*id].handler == handler);
            let below = frames[..depth.unwrap_or(0)].to_vec();
            work.push((handler, below));
        }
        let mut astray = false;
        for stmt in &block.stmts {
            astray |= throws(&stmt.kind) && block.unwind != handler_of(&frames);
            match &stmt.kind {
                StmtKind::TryPush(frame) => frames.push(*frame),
                StmtKind::TryPop(frame) => {
                    if frames.pop() != Some(*frame) {
                        fail(out, Rule::Try, format!("{id:?}: {frame:?} is not the innermost"));
                    }
                }
                _ => {}
            }
        }
        astray |= matches!(block.term.kind, TermKind::Throw(_) | TermKind::Rethrow(_))
            && block.unwind != handler_of(&frames);
        if astray {
            fail(out, Rule::Try, format!("{id:?} unwinds to {:?}", block.unwind));
        }
        if matches!(block.term.kind, TermKind::Return(_)) && !frames.is_empty() {
            fail(out, Rule::Try, format!("{id:?} returns with {frames:?} up"));
        }
        block.term.kind.successors(|to| work.push((to, frames.clone())));
    }
}

fn throws(stmt: &StmtKind) -> bool {
    matches!(
        stmt,
        StmtKind::Check(_)
            | StmtKind::Call(_)
            | StmtKind::Alloca { .. }
            | StmtKind::Assign(_, Rvalue::Alloc { .. })
    )
}

/// A `User` variable is mentioned only where it may be alive.
fn storage<P: Phase>(body: &Body<P>, out: &mut Vec<Violation>) {
    let count = body.locals.len();
    let mut alive: Vec<Option<BitSet>> = vec![None; body.blocks.len()];
    alive[ENTRY.index()] = Some(BitSet::empty(count));
    let mut work = vec![ENTRY];
    while let Some(id) = work.pop() {
        let Some(mut state) = alive[id.index()].clone() else { continue };
        let block = &body.blocks[id];
        // Whatever lives somewhere in the block may live in its handler.
        let mut ever = state.clone();
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::StorageLive(local) => {
                    state.insert(local.index());
                    ever.insert(local.index());
                }
                StmtKind::StorageDead(local) => {
                    state.remove(local.index());
                }
                _ => {}
            }
        }
        let mut flow = |to: BlockId, state: &BitSet| {
            let grown = match &mut alive[to.index()] {
                Some(old) => old.union(state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if grown {
                work.push(to);
            }
        };
        block.unwind.into_iter().for_each(|to| flow(to, &ever));
        block.term.kind.successors(|to| flow(to, &state));
    }
    for (id, block) in body.blocks.iter_enumerated() {
        let Some(mut state) = alive[id.index()].take() else { continue };
        let use_of = |what: Visit<'_>, state: &BitSet, out: &mut Vec<Violation>| {
            if let Visit::Local(local) = what
                && body.locals[local].kind == LocalKind::User
                && !state.contains(local.index())
            {
                fail(out, Rule::Storage, format!("{id:?}: {local:?} is not alive"));
            }
        };
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::StorageLive(local) => {
                    state.insert(local.index());
                }
                StmtKind::StorageDead(local) => {
                    use_of(Visit::Local(*local), &state, out);
                    state.remove(local.index());
                }
                kind => stmt_visit(kind, &mut |what| use_of(what, &state, out)),
            }
        }
        term_visit(&block.term.kind, &mut |what| use_of(what, &state, out));
    }
}

/// How many blocks are searched for a check.
const MAX_BACK: usize = 32;

/// Each access through a nullable or fat pointer has its check, or a test of the same
/// pointer, before it: in its block, or in the blocks that lead there.
fn accesses<P: Phase>(decls: &Decls, body: &Body<P>, out: &mut Vec<Violation>) {
    let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); body.blocks.len()];
    for (id, block) in body.blocks.iter_enumerated() {
        block.term.kind.successors(|to| preds[to.index()].push(id));
        block.unwind.into_iter().for_each(|to| preds[to.index()].push(id));
    }
    for (id, block) in body.blocks.iter_enumerated() {
        for n in 0..=block.stmts.len() {
            let mut visit = |what: Visit<'_>| {
                let Visit::Place(place, _) = what else { return };
                for (at, step) in place.proj.iter().enumerate() {
                    let Proj::Deref(_) = step else { continue };
                    let prefix = Place { base: place.base, proj: place.proj[..at].to_vec() };
                    if needs_check(decls, body, &prefix)
                        && !is_checked(body, &preds, id, n, &prefix)
                    {
                        fail(out, Rule::Unchecked, format!("{id:?}: {place:?} at step {at}"));
                    }
                }
            };
            match block.stmts.get(n) {
                Some(stmt) => stmt_visit(&stmt.kind, &mut visit),
                None => term_visit(&block.term.kind, &mut visit),
            }
        }
    }
}

fn needs_check<P: Phase>(decls: &Decls, body: &Body<P>, pointer: &Place) -> bool {
    match body.place_ty(decls, pointer).map(|ty| *ty.kind()) {
        Some(TyKind::Ptr(ptr)) => {
            let made_here = pointer.as_local().is_some_and(|local| {
                // Filled by the code that made it.
                body.locals[local].kind == LocalKind::Temp && !ptr.nullable
            });
            (ptr.nullable || ptr.bounds == Bounds::Fat) && !made_here
        }
        _ => false,
    }
}

fn is_checked<P: Phase>(
    body: &Body<P>,
    preds: &[Vec<BlockId>],
    block: BlockId,
    before: usize,
    pointer: &Place,
) -> bool {
    let mut seen = Vec::new();
    checked_before(body, preds, block, before, pointer, &mut seen)
}

/// On every way here. A block that is being asked already says nothing against it.
fn checked_before<P: Phase>(
    body: &Body<P>,
    preds: &[Vec<BlockId>],
    block: BlockId,
    before: usize,
    pointer: &Place,
    seen: &mut Vec<BlockId>,
) -> bool {
    for stmt in body.blocks[block].stmts[..before].iter().rev() {
        if tests(&stmt.kind, pointer) {
            return true;
        }
        // Another pointer from here on.
        if let StmtKind::Assign(to, _) = &stmt.kind
            && to == pointer
        {
            return false;
        }
    }
    let from = &preds[block.index()];
    !from.is_empty()
        && from.iter().all(|&from| {
            if seen.contains(&from) {
                return true;
            }
            seen.push(from);
            let mut asked = false;
            term_visit(&body.blocks[from].term.kind, &mut |what| {
                asked |= matches!(what, Visit::Place(place, _) if place == pointer);
            });
            let end = body.blocks[from].stmts.len();
            let near = seen.len() <= MAX_BACK;
            asked || near && checked_before(body, preds, from, end, pointer, seen)
        })
}

/// The statement asks something of the pointer: a check, a comparison, a truth value.
fn tests(stmt: &StmtKind, pointer: &Place) -> bool {
    let is = |operand: &Operand| operand.place() == Some(pointer);
    match stmt {
        StmtKind::Check(check) => match &check.kind {
            CheckKind::NotNull(ptr)
            | CheckKind::FatIndex { ptr, .. }
            | CheckKind::FatAtLeast { ptr, .. } => is(ptr),
            _ => false,
        },
        StmtKind::Assign(_, rvalue) => match rvalue {
            Rvalue::Compare(_, a, b) => is(a) || is(b),
            Rvalue::Cast(Cast::ToBool, a, _) | Rvalue::Unary(UnOp::Not, a) | Rvalue::FatLen(a) => {
                is(a)
            }
            _ => false,
        },
        _ => false,
    }
}
