//! Elaboration: what is implied becomes explicit, what is idle goes.
//!
//! In: concrete bodies with the facts `check` found. Out: bodies ready to be emitted.
//! Needs: facts that belong to these bodies. Keeps: behaviour, spans, user variables.
//! Invariants: no idle check is left; zero-filling is a statement; every block can be
//! reached; a block with one predecessor that only jumps to it is part of that one.

mod emptied;
mod forward;
mod graph;
mod uses;
mod zero;

use toft_diag::{Reported, Session};
use toft_mir::{Body, CheckKind, Concrete, Decls, FinalProgram, Instances, StmtKind};

pub fn run(
    _sess: &Session,
    _decls: &Decls,
    instances: Instances<Concrete>,
) -> Result<FinalProgram, Reported> {
    let Instances { list, globals, externals } = instances;
    let list = list
        .into_iter()
        .map(|(key, mut body)| {
            elaborate(&mut body);
            (key, body.finish())
        })
        .collect();
    Ok(Instances { list, globals, externals })
}

fn elaborate(body: &mut Body<Concrete>) {
    drop_idle(body);
    zero::fill(body);
    graph::thread(body);
    graph::merge(body);
    forward::calls(body);
    emptied::drop_stores(body);
    uses::drop_dead(body);
    for block in body.blocks.iter_mut() {
        block.stmts.retain(|stmt| stmt.kind != StmtKind::Nop);
    }
    body.facts = Default::default();
}

/// Checks proved never to fail, and those that say nothing.
fn drop_idle(body: &mut Body<Concrete>) {
    let idle = std::mem::take(&mut body.facts.idle);
    for block in body.blocks.iter_mut() {
        for stmt in &mut block.stmts {
            let StmtKind::Check(check) = &stmt.kind else { continue };
            let empty = match &check.kind {
                CheckKind::ZtIndex { index, known, .. } | CheckKind::ZtAdd { index, known, .. } => {
                    index.as_int().is_some_and(|i| i >= 0 && i <= i128::from(*known))
                }
                CheckKind::Assert { judge, .. } => *judge,
                _ => false,
            };
            if empty || idle.contains(check.id.0 as usize) {
                stmt.kind = StmtKind::Nop;
            }
        }
    }
    body.facts.idle = idle;
}
