//! Tracked pointers: each is used by one name at a time, given up once, and not lost unseen
//! (E2001 to E2006, E2008, E2009, W2001).
//!
//! In: a body, its graph. Out: reported errors and warnings; no facts.
//! Needs: nothing of other judgements; variables read before they have a value are for
//! [`crate::init`]. Keeps: the body.
//!
//! Soundness. Call a value *tracked* when its type says that copying it must consume it. The
//! claim: at each point of each execution, for every tracked object there is at most one
//! usable name, so freeing through it, moving or pinning it touches no other name.
//!
//! 1. *Places.* A unique path starts at a variable whose address is never taken and steps
//!    through fields and through the single element behind a `\U` pointer. Memory behind such
//!    a pointer has no other usable name by the claim itself, so two different paths are
//!    different memory, and only statements that mention a path, or lend something above it,
//!    change what it holds. Every other place is *shared*: nothing is ever read out of it by
//!    value (E2003); it is stored to, exchanged, looked through within one statement, or
//!    compared. So a shared place always holds a whole value.
//! 2. *States.* For each path the state is a set of what may be: live, null, given up. A
//!    value read by value leaves its path given up, whatever the operand calls itself; only a
//!    store, a swap's other side or a pattern's giving back makes it whole. Joins unite the
//!    sets and given up prevails, so a path counts as usable only if it is on every way.
//! 3. *Uses.* A place is touched only when no path on the way to it may be given up (E2001) or
//!    is pinned (E2005); a value leaves as a whole only when no part below may be missing
//!    (E2004). So what anyone receives is whole, and receives it alone.
//! 4. *Calls.* An argument that the callee's type does not consume is lent: it must be whole,
//!    a path, and not overlap another argument (E2008). The callee, judged by the same rules,
//!    keeps what its unconsumed parameters hold (E2002): it cannot give them up or replace
//!    them, and has all that they point at in place at each normal return. At an exceptional
//!    exit every part must at least hold memory that is valid: what was moved out and not
//!    overwritten with null since is E2002 as well. So after the call, either way out, the
//!    lent value is whole; nothing is known of null below it.
//! 5. *Pins.* While a pointer is borrowed, or its key open, its path is pinned from the
//!    entry to the exit of the scope; exceptions leave scopes by the same steps (the scopes in
//!    force at each point are those since the handler's `TryPush`). The borrowed name lives in
//!    a region of its own and cannot leave the scope, which is the solver's business.
//! 6. *Patterns.* A variable bound to a part takes it; when the scope ends and it still holds
//!    what it was given, the part is whole again. "Still" is tracked: any store to the
//!    variable ends it.
//! 7. *Null* is learned from checks and branches, of paths only, and only removes states that
//!    the test excludes. A null pointer owns nothing: reading it gives nothing up.
//!
//! What is alive at the end of its life, or where it is overwritten, is lost: W2001. That is
//! never unsafe, so it may err on the side of saying nothing: elements of arrays and other
//! shared places are not followed.
//!
//! Work: each block is visited again only when its entry grew; entries keep what is alive.

mod calls;
mod machine;
mod paths;
mod report;
mod scopes;
mod solve;
mod state;
mod transfer;

pub(crate) use machine::{Finding, Finds, Out};
pub(crate) use paths::{Kind, Node, Paths};

use crate::Cx;
use paths::Types;
use scopes::Lends;
use toft_base::{BitSet, Idx};
use toft_diag::Reported;
use toft_mir::*;
use toft_ty::{Flags, TyKind};

pub fn judge(cx: &Cx<'_>) -> Result<(), Reported> {
    if !concerns(cx) {
        return Ok(());
    }
    let types = Types { decls: cx.decls, generics: &cx.body.generics };
    let (taken, lends) = survey(cx.body);
    let paths = Paths::new(cx.body, &types, &taken, &lends);
    let findings = solve::run(cx, &types, &paths, &lends)?;
    report::report(cx, &paths, findings)
}

/// Whether anything tracked is in the body: a variable, or a place something is moved out
/// of. Most bodies are dismissed by one look at each.
fn concerns(cx: &Cx<'_>) -> bool {
    let tracked = |decl: &LocalDecl| {
        let flags = decl.ty.flags();
        match decl.ty.kind() {
            TyKind::Bool | TyKind::Int(_) | TyKind::Float(_) | TyKind::Void => false,
            TyKind::Ptr(_) => flags.has(Flags::TRACKED) || flags.has(Flags::PARAM),
            _ => true,
        }
    };
    if cx
        .body
        .locals
        .iter()
        .any(|decl| tracked(decl) && toft_ty::tracked(&cx.decls.tables, &cx.body.generics, decl.ty))
    {
        return true;
    }
    let moved = |operand: &Operand| match operand {
        Operand::Move(place) => !place.proj.is_empty() || matches!(place.base, Base::Global(_)),
        _ => false,
    };
    cx.body.blocks.iter().any(|block| {
        let moves = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(_, Rvalue::Use(a) | Rvalue::Cast(_, a, _)) => moved(a),
            StmtKind::Assign(_, rvalue @ (Rvalue::Aggregate(_) | Rvalue::Variant(..))) => {
                let mut any = false;
                rvalue.operands(&mut |a| any |= moved(a));
                any
            }
            StmtKind::Assign(_, Rvalue::Ref(place)) => through_tracked(cx, place),
            StmtKind::Call(call) => {
                call.args.iter().any(moved)
                    || call.args.iter().any(|arg| {
                        arg.place().is_some_and(|place| {
                            !place.proj.is_empty() && shared_tracked(cx, place)
                                || matches!(place.base, Base::Global(_))
                        })
                    })
                    || call.dest.is_none() && result_tracked(cx, call)
            }
            StmtKind::Consume(_)
            | StmtKind::GiveBack { .. }
            | StmtKind::BorrowEnter { .. }
            | StmtKind::RegionEnter { open: Some(_), .. } => true,
            _ => false,
        };
        block.stmts.iter().any(moves)
            || matches!(&block.term.kind, TermKind::Return(Some(a)) if moved(a))
    })
}

fn shared_tracked(cx: &Cx<'_>, place: &Place) -> bool {
    let types = Types { decls: cx.decls, generics: &cx.body.generics };
    types.place(cx.body, place).is_some_and(|ty| types.tracked(ty))
}

/// The place goes through more than one pointer, perhaps a tracked one.
fn through_tracked(cx: &Cx<'_>, place: &Place) -> bool {
    let derefs = place.proj.iter().filter(|step| matches!(step, Proj::Deref(_))).count();
    derefs > 1 && {
        let types = Types { decls: cx.decls, generics: &cx.body.generics };
        (0..place.proj.len()).any(|n| {
            matches!(place.proj[n], Proj::Deref(_)) && {
                let prefix = Place { base: place.base, proj: place.proj[..n].to_vec() };
                types.place(cx.body, &prefix).is_some_and(|ty| types.tracked(ty))
            }
        })
    } || derefs == 1 && matches!(place.base, Base::Global(_)) && {
        let prefix = Place { base: place.base, proj: Vec::new() };
        shared_tracked(cx, &prefix)
    }
}

fn result_tracked(cx: &Cx<'_>, call: &Call) -> bool {
    let types = Types { decls: cx.decls, generics: &cx.body.generics };
    calls::signature(cx.body, &types, call).is_some_and(|func| {
        let flags = func.ret.flags();
        (flags.has(Flags::TRACKED) || matches!(func.ret.kind(), TyKind::Adt(..)))
            && toft_ty::tracked(&cx.decls.tables, &[], func.ret)
    })
}

/// Variables whose address is taken, and the places that patterns lend.
fn survey(body: &Body<Built>) -> (BitSet, Lends) {
    let mut taken = BitSet::empty(body.locals.len());
    let mut lends = Lends::default();
    for (id, decl) in body.locals.iter_enumerated() {
        if decl.address_taken {
            taken.insert(id.index());
        }
    }
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        match &stmt.kind {
            StmtKind::Assign(_, Rvalue::Ref(place) | Rvalue::VaArg(place, _)) => {
                if let (Base::Local(local), false) = (place.base, place.is_indirect()) {
                    taken.insert(local.index());
                }
            }
            StmtKind::GiveBack { to, from } => lends.add(*from, to),
            _ => {}
        }
    }
    (taken, lends)
}
