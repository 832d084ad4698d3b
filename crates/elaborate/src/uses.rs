//! How often each variable is read, and the removal of temporaries nobody reads.

use toft_base::{Idx, IndexVec};
use toft_mir::*;

/// Reads of each local; a store into a part of it counts as one.
pub fn count(body: &Body<Concrete>) -> IndexVec<LocalId, u32> {
    let mut counts: IndexVec<LocalId, u32> = body.locals.iter().map(|_| 0).collect();
    let mut visit = |local: LocalId| counts[local] += 1;
    for block in body.blocks.iter() {
        block.stmts.iter().for_each(|stmt| stmt_reads(&stmt.kind, &mut visit));
        match &block.term.kind {
            TermKind::If(op, ..) | TermKind::Switch { on: op, .. } | TermKind::Throw(op) => {
                operand(op, &mut visit);
            }
            TermKind::Return(Some(op)) => operand(op, &mut visit),
            TermKind::Rethrow(local) => visit(*local),
            _ => {}
        }
    }
    counts
}

/// Drops pure assignments to temporaries that are never read, and unread results of calls.
pub fn drop_dead(body: &mut Body<Concrete>) {
    // Two rounds reach most chains; what is left costs nothing after the C compiler.
    for _ in 0..2 {
        let counts = count(body);
        let locals = &body.locals;
        let dead = |place: &Place| {
            place.as_local().is_some_and(|local| {
                let decl = &locals[local];
                decl.kind == LocalKind::Temp && !decl.address_taken && counts[local] == 0
            })
        };
        let mut changed = false;
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                match &mut stmt.kind {
                    StmtKind::Assign(place, rvalue) if dead(place) && is_pure(rvalue) => {
                        stmt.kind = StmtKind::Nop;
                        changed = true;
                    }
                    StmtKind::Call(call) if call.dest.as_ref().is_some_and(dead) => {
                        call.dest = None;
                    }
                    _ => {}
                }
            }
        }
        if !changed {
            break;
        }
    }
}

/// Reading a volatile place is no effect of a temporary nobody reads: `lower` keeps such
/// reads in statements of their own only when the program asks for the value.
fn is_pure(rvalue: &Rvalue) -> bool {
    match rvalue {
        Rvalue::Alloc { .. } | Rvalue::VaArg(..) | Rvalue::ViewFat(_) => false,
        // May be a volatile read.
        Rvalue::Use(Operand::Copy(place) | Operand::Move(place)) => place.proj.is_empty(),
        _ => true,
    }
}

fn operand(op: &Operand, visit: &mut impl FnMut(LocalId)) {
    if let Some(at) = op.place() {
        place(at, visit);
    }
}

fn place(at: &Place, visit: &mut impl FnMut(LocalId)) {
    if let Base::Local(local) = at.base {
        visit(local);
    }
    steps(at, visit);
}

fn steps(at: &Place, visit: &mut impl FnMut(LocalId)) {
    for step in &at.proj {
        if let Proj::Deref(Index::Local(local)) | Proj::Index(Index::Local(local)) = step {
            visit(*local);
        }
    }
}

/// The place is stored into.
fn dest(at: &Place, visit: &mut impl FnMut(LocalId)) {
    if at.as_local().is_none() {
        place(at, visit);
    }
}

fn stmt_reads(kind: &StmtKind, visit: &mut impl FnMut(LocalId)) {
    match kind {
        StmtKind::Nop
        | StmtKind::StorageLive(_)
        | StmtKind::StorageDead(_)
        | StmtKind::TryPush(_)
        | StmtKind::TryPop(_)
        | StmtKind::Catch(..)
        | StmtKind::RegionExit(_)
        | StmtKind::BorrowExit(_)
        | StmtKind::GiveBack { .. }
        | StmtKind::Consume(_) => {}
        StmtKind::Assign(to, rvalue) => {
            dest(to, visit);
            rvalue_reads(rvalue, visit);
        }
        StmtKind::Check(check) => check_reads(&check.kind, visit),
        StmtKind::Call(call) => {
            call.dest.iter().for_each(|to| dest(to, visit));
            if let Callee::Ptr(op) = &call.callee {
                operand(op, visit);
            }
            call.args.iter().chain(&call.varargs).for_each(|op| operand(op, visit));
        }
        StmtKind::SetTag(at, _) => place(at, visit),
        StmtKind::Alloca { local, count, .. } => {
            visit(*local);
            operand(count, visit);
        }
        StmtKind::Swap(a, b) => {
            place(a, visit);
            place(b, visit);
        }
        StmtKind::RegionEnter { handle, open, .. } => {
            visit(*handle);
            open.iter().for_each(|op| operand(op, visit));
        }
        StmtKind::BorrowEnter { local, from, .. } => {
            visit(*local);
            place(from, visit);
        }
    }
}

fn rvalue_reads(rvalue: &Rvalue, visit: &mut impl FnMut(LocalId)) {
    rvalue.operands(&mut |op| operand(op, visit));
    rvalue.place().into_iter().for_each(|at| place(at, visit));
}

fn check_reads(kind: &CheckKind, visit: &mut impl FnMut(LocalId)) {
    kind.operands(&mut |op| operand(op, visit));
    kind.place().into_iter().for_each(|at| place(at, visit));
}

/// Whether the local is a temporary with plain storage.
pub fn is_plain_temp(body: &Body<Concrete>, local: LocalId) -> bool {
    let decl = &body.locals[local];
    decl.kind == LocalKind::Temp && !decl.address_taken && local.index() >= body.params
}
