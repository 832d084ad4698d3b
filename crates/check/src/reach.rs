//! Reachability: dead blocks, unreachable code (W0701), missing return (E0702).
//!
//! Soundness: a block is dead when no path of the graph leads to it from the entry, where
//! branches on constants have one way and exceptional edges start at blocks that contain a
//! throwing statement. A path that no execution takes only keeps a block alive. The end of a
//! non-void function is `Trap(MissingReturn)`; it is refused when it is not dead.
//!
//! The warning is more lenient than the fact: code switched off by a constant condition is
//! meant to be there, and so are lone jumps and returns behind code that does not end.

use crate::Cx;
use crate::explain::reach as explain;
use toft_base::{BitSet, Idx, Span};
use toft_diag::Reported;
use toft_mir::*;

pub fn judge(cx: &Cx<'_>, dead: &mut BitSet) -> Result<(), Reported> {
    let mut verdict = Ok(());
    let mut any_dead = false;
    for (id, block) in cx.body.blocks.iter_enumerated() {
        if !cx.cfg.is_reachable(id) {
            dead.insert(id.index());
            any_dead = true;
        } else if matches!(block.term.kind, TermKind::Trap(Trap::MissingReturn)) {
            verdict = Err(cx.sess.emit(explain::missing_return(cx)));
        }
    }
    if any_dead {
        warn_unreachable(cx, dead);
    }
    verdict
}

/// One warning per connected stretch of unreachable code, at its first statement.
fn warn_unreachable(cx: &Cx<'_>, dead: &BitSet) {
    let body = cx.body;
    // What is alive when constant conditions go both ways is left alone too.
    let mut covered = BitSet::empty(body.blocks.len());
    let mut work: Vec<BlockId> = cx.cfg.rpo.clone();
    while let Some(block) = work.pop() {
        body.blocks[block].term.kind.successors(|to| {
            if dead.contains(to.index()) && covered.insert(to.index()) {
                work.push(to);
            }
        });
    }
    let mut found: Vec<(Span, BlockId)> = Vec::new();
    for index in dead.iter() {
        let id = BlockId::from_usize(index);
        if let Some(span) = first_written(&body.blocks[id]) {
            found.push((span, id));
        }
    }
    found.sort();
    for (span, id) in found {
        if !covered.insert(id.index()) {
            continue;
        }
        cx.sess.emit(explain::unreachable(span));
        let mut work = vec![id];
        while let Some(block) = work.pop() {
            body.blocks[block].term.kind.successors(|to| {
                if dead.contains(to.index()) && covered.insert(to.index()) {
                    work.push(to);
                }
            });
            if let Some(to) = body.blocks[block].unwind
                && covered.insert(to.index())
            {
                work.push(to);
            }
        }
    }
}

/// The first statement a programmer wrote here: jumps, lone constants and bookkeeping of
/// scopes do not count.
fn first_written(block: &Block) -> Option<Span> {
    block
        .stmts
        .iter()
        .find(|stmt| {
            let written = match &stmt.kind {
                StmtKind::Assign(place, rvalue) => {
                    !place.proj.is_empty() || !matches!(rvalue, Rvalue::Use(Operand::Const(_)))
                }
                StmtKind::Call(_) | StmtKind::Check(_) | StmtKind::Swap(..) => true,
                _ => false,
            };
            written && !stmt.span.is_none()
        })
        .map(|stmt| stmt.span)
}
