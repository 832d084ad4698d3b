//! Zero-filling of the variables that `check` asked for.

use toft_base::Idx;
use toft_mir::*;
use toft_ty::{Ty, TyKind};

/// Puts a zero, or an empty `Aggregate`, where each such variable comes to life; at the
/// entry for those
/// without storage marks.
pub fn fill(body: &mut Body<Concrete>) {
    let wanted = std::mem::take(&mut body.facts.zero_fill);
    if wanted.is_empty() {
        return;
    }
    let mut marked = vec![false; body.locals.len()];
    for block in body.blocks.iter_mut() {
        let lives = |stmt: &Stmt| match stmt.kind {
            StmtKind::StorageLive(local) if wanted.contains(local.index()) => Some(local),
            _ => None,
        };
        if !block.stmts.iter().any(|stmt| lives(stmt).is_some()) {
            continue;
        }
        let mut stmts = Vec::with_capacity(block.stmts.len() + 1);
        for stmt in block.stmts.drain(..) {
            let local = lives(&stmt);
            let span = stmt.span;
            stmts.push(stmt);
            if let Some(local) = local {
                marked[local.index()] = true;
                stmts.push(zero(local, body.locals[local].ty, span));
            }
        }
        block.stmts = stmts;
    }
    let entry: Vec<Stmt> = (wanted.iter())
        .filter(|&n| marked.get(n) == Some(&false) && n >= body.params)
        .map(|n| zero(LocalId::from_usize(n), body.locals.raw[n].ty, body.span))
        .collect();
    if !entry.is_empty()
        && let Some(block) = body.blocks.get_mut(ENTRY)
    {
        block.stmts.splice(0..0, entry);
    }
}

fn zero(local: LocalId, ty: Ty, span: toft_base::Span) -> Stmt {
    let scalar = |kind| Rvalue::Use(Operand::Const(Const { kind, ty }));
    let value = match ty.kind() {
        TyKind::Float(_) => scalar(ConstKind::Float(0.0)),
        TyKind::Ptr(_) => scalar(ConstKind::Null),
        _ if ty.is_integer() => scalar(ConstKind::Int(0)),
        _ => Rvalue::Aggregate(Vec::new()),
    };
    Stmt { kind: StmtKind::Assign(Place::local(local), value), span }
}
