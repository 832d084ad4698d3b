//! The control-flow graph, simplified: gotos through empty blocks, straight lines, blocks
//! that cannot be reached.

use toft_base::{Idx, IndexVec};
use toft_mir::*;

/// Leads every jump to an empty block on to where that block jumps.
pub fn thread(body: &mut Body<Concrete>) {
    let target: Vec<BlockId> = body.blocks.ids().map(|id| end_of(body, id)).collect();
    let on = |to: &mut BlockId| *to = target[to.index()];
    for block in body.blocks.iter_mut() {
        match &mut block.term.kind {
            TermKind::Goto(to) => on(to),
            TermKind::If(_, yes, no) => {
                on(yes);
                on(no);
                if yes == no {
                    block.term.kind = TermKind::Goto(*yes);
                }
            }
            TermKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, _, to)| on(to));
                on(default);
                let (default, same) = (*default, cases.iter().all(|case| case.2 == *default));
                if same {
                    block.term.kind = TermKind::Goto(default);
                }
            }
            _ => {}
        }
    }
}

/// Follows empty blocks from `id`, at most once around.
fn end_of(body: &Body<Concrete>, id: BlockId) -> BlockId {
    let mut at = id;
    for _ in 0..body.blocks.len().min(64) {
        let block = &body.blocks[at];
        let empty = block
            .stmts
            .iter()
            .all(|stmt| matches!(stmt.kind, StmtKind::Nop | StmtKind::StorageDead(_)));
        match block.term.kind {
            TermKind::Goto(to) if empty && to != at => at = to,
            _ => break,
        }
    }
    at
}

/// Appends to each block the one that only it reaches, drops what nothing reaches, and
/// numbers the rest anew in the order of the text.
pub fn merge(body: &mut Body<Concrete>) {
    let reached = reach(body);
    let mut preds = vec![0u32; body.blocks.len()];
    preds[ENTRY.index()] = 1;
    for (id, block) in body.blocks.iter_enumerated() {
        if reached[id.index()] {
            block.term.kind.successors(|to| preds[to.index()] += 1);
        }
    }
    for frame in body.tries.iter() {
        if let Some(count) = preds.get_mut(frame.handler.index()) {
            // Entered from many places.
            *count += 2;
        }
    }
    let mut gone: Vec<bool> = reached.iter().map(|&live| !live).collect();
    for id in body.blocks.ids() {
        if gone[id.index()] {
            continue;
        }
        while let TermKind::Goto(to) = body.blocks[id].term.kind {
            if to == id || preds[to.index()] != 1 || gone[to.index()] {
                break;
            }
            let Some(unwind) = same_unwind(&body.blocks[id], &body.blocks[to]) else { break };
            let next = &mut body.blocks[to];
            let stmts = std::mem::take(&mut next.stmts);
            let term = next.term.clone();
            gone[to.index()] = true;
            let block = &mut body.blocks[id];
            block.stmts.extend(stmts);
            block.term = term;
            block.unwind = unwind;
        }
    }
    renumber(body, &gone);
}

/// The handler both blocks can share, if there is one.
fn same_unwind(a: &Block, b: &Block) -> Option<Option<BlockId>> {
    if a.unwind == b.unwind || !throws(b) {
        Some(a.unwind)
    } else if !throws(a) {
        Some(b.unwind)
    } else {
        None
    }
}

/// Whether an exception may leave the block along its `unwind` edge. Blocks with frame
/// bookkeeping count as such: they must keep their place.
fn throws(block: &Block) -> bool {
    let stmt = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(_, rvalue) => {
            matches!(rvalue, Rvalue::Alloc { .. } | Rvalue::ViewFat(_))
        }
        StmtKind::Nop | StmtKind::StorageLive(_) | StmtKind::StorageDead(_) => false,
        StmtKind::SetTag(..) | StmtKind::Swap(..) => false,
        _ => true,
    };
    let term = matches!(
        block.term.kind,
        TermKind::Throw(_) | TermKind::Rethrow(_) | TermKind::Trap(_) | TermKind::Unreachable
    );
    term || block.stmts.iter().any(stmt)
}

fn reach(body: &Body<Concrete>) -> Vec<bool> {
    let mut reached = vec![false; body.blocks.len()];
    let mut work = vec![ENTRY];
    while let Some(id) = work.pop() {
        let Some(block) = body.blocks.get(id) else { continue };
        if std::mem::replace(&mut reached[id.index()], true) {
            continue;
        }
        block.term.kind.successors(|to| work.push(to));
        for stmt in &block.stmts {
            if let StmtKind::TryPush(frame) = stmt.kind {
                work.extend(body.tries.get(frame).map(|frame| frame.handler));
            }
        }
    }
    reached
}

fn renumber(body: &mut Body<Concrete>, gone: &[bool]) {
    let mut new_ids = vec![ENTRY; body.blocks.len()];
    let mut next = 0;
    for (n, &gone) in gone.iter().enumerate() {
        if !gone {
            new_ids[n] = BlockId::from_usize(next);
            next += 1;
        }
    }
    let on = |to: &mut BlockId| *to = new_ids[to.index()];
    let old = std::mem::take(&mut body.blocks.raw);
    let kept = old.into_iter().zip(gone).filter(|(_, gone)| !**gone).map(|(mut block, _)| {
        match &mut block.term.kind {
            TermKind::Goto(to) => on(to),
            TermKind::If(_, yes, no) => {
                on(yes);
                on(no);
            }
            TermKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, _, to)| on(to));
                on(default);
            }
            _ => {}
        }
        // A handler that cannot be reached belongs to a frame that is never pushed.
        block.unwind = block.unwind.filter(|to| !gone[to.index()]);
        if let Some(to) = &mut block.unwind {
            on(to);
        }
        block
    });
    body.blocks = IndexVec::from_raw(kept.collect());
    for frame in body.tries.iter_mut() {
        // A frame that is never pushed names the entry (which `new_ids` starts from): its
        // handler is gone.
        on(&mut frame.handler);
    }
}
