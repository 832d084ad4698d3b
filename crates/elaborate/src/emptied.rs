//! Stores of null into objects that are given back right after.
//!
//! A tracked pointer that is moved out of memory leaves null behind, for whoever looks at
//! the object when an exception passes. Where the object itself is freed before anything
//! can throw or look, the store says nothing.

use toft_mir::*;
use toft_ty::Aqual;

pub fn drop_stores(body: &mut Body<Concrete>) {
    for id in body.blocks.ids() {
        for n in 0..body.blocks[id].stmts.len() {
            let Some(local) = emptied(body, &body.blocks[id].stmts[n].kind) else { continue };
            if freed_unseen(&body.blocks[id].stmts, n, local) {
                body.blocks[id].stmts[n].kind = StmtKind::Nop;
            }
        }
    }
}

/// `local->… = null` of a tracked pointer, through a unique pointer in a variable that nobody
/// points at.
fn emptied(body: &Body<Concrete>, kind: &StmtKind) -> Option<LocalId> {
    let StmtKind::Assign(to, Rvalue::Use(Operand::Const(value))) = kind else { return None };
    if value.kind != ConstKind::Null || value.ty.as_ptr()?.aqual == Aqual::Erased {
        return None;
    }
    let Base::Local(local) = to.base else { return None };
    let decl = &body.locals[local];
    let fields = to.proj.get(1..)?.iter().all(|step| matches!(step, Proj::Field(_)));
    let through = to.proj.first() == Some(&Proj::Deref(Index::Const(0)));
    let unique = decl.ty.as_ptr()?.aqual == Aqual::Unique;
    (fields && through && unique && !decl.address_taken && !decl.quals.is_volatile).then_some(local)
}

/// The object is freed later in the block, and nothing between looks at the place or leaves.
fn freed_unseen(stmts: &[Stmt], n: usize, local: LocalId) -> bool {
    let StmtKind::Assign(emptied, _) = &stmts[n].kind else { return false };
    for stmt in &stmts[n + 1..] {
        match &stmt.kind {
            StmtKind::Call(call) => {
                let freed =
                    matches!(call.callee, Callee::Runtime("toft_unique_free" | "toft_region_free"));
                let gone =
                    |op: &Operand| matches!(op, Operand::Move(at) if at.as_local() == Some(local));
                return freed && call.args.last().is_some_and(gone);
            }
            StmtKind::Assign(to, value) => {
                let plain = !matches!(
                    value,
                    Rvalue::Alloc { .. } | Rvalue::ViewFat(_) | Rvalue::Ref(_) | Rvalue::VaArg(..)
                );
                let mut seen = !plain || to.as_local() == Some(local);
                visit::stmt_visit(&stmt.kind, &mut |what| {
                    if let visit::Visit::Place(at, _) = what {
                        seen |= meets(at, emptied);
                    }
                });
                if seen {
                    return false;
                }
            }
            StmtKind::Nop
            | StmtKind::StorageLive(_)
            | StmtKind::StorageDead(_)
            | StmtKind::BorrowExit(_)
            | StmtKind::GiveBack { .. } => {}
            _ => return false,
        }
    }
    false
}

/// The places may overlap, or the first leads through the second.
fn meets(at: &Place, emptied: &Place) -> bool {
    if at.base != emptied.base {
        // Through other pointers the object cannot be reached: the pointer is unique.
        return false;
    }
    if at.proj.is_empty() {
        // The pointer itself, which is looked at or moved.
        return true;
    }
    at.proj.iter().zip(&emptied.proj).all(|(a, b)| a == b)
}
