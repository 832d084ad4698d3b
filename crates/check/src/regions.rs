//! Regions: a second look at what `infer` solved (E0601).
//!
//! Soundness: the solver proves that a pointer's type never claims a longer life than its
//! object has. Here the same is asked of single steps of the MIR, without the solver: an
//! address of a variable goes only into a type whose region lies inside the variable's, a
//! pointer is copied only from a longer region to a shorter, and no body region is named by
//! what a function returns or stores in a global. A step that fails was let through wrongly;
//! it is refused. Calls are not looked at: their regions are instances that only the solver
//! knows.

use crate::Cx;
use crate::explain::regions as explain;
use toft_base::Span;
use toft_diag::Reported;
use toft_mir::*;
use toft_ty::{Flags, Region as TyRegion, Ty};

pub fn judge(cx: &Cx<'_>) -> Result<(), Reported> {
    let mut verdict = Ok(());
    for &id in &cx.cfg.rpo {
        let block = &cx.body.blocks[id];
        for stmt in &block.stmts {
            if let StmtKind::Assign(place, rvalue) = &stmt.kind
                && let Err(reported) = assign(cx, place, rvalue, stmt.span)
            {
                verdict = Err(reported);
            }
        }
        if let TermKind::Return(Some(operand)) = &block.term.kind
            && let Some(ty) = cx.body.operand_ty(cx.decls, operand)
            && let Some(TyRegion::Local(_)) = outer(ty)
        {
            verdict = Err(cx.sess.emit(explain::returned(block.term.span)));
        }
    }
    verdict
}

fn assign(cx: &Cx<'_>, place: &Place, rvalue: &Rvalue, span: Span) -> Result<(), Reported> {
    let from = match rvalue {
        Rvalue::Ref(source) => {
            let Base::Local(local) = source.base else { return Ok(()) };
            if source.is_indirect() {
                return Ok(());
            }
            TyRegion::Local(cx.body.locals[local].region)
        }
        Rvalue::Use(operand) | Rvalue::Cast(Cast::Ptr | Cast::FatToThin, operand, _) => {
            let Some(ty) = operand.place().and_then(|_| cx.body.operand_ty(cx.decls, operand))
            else {
                return Ok(());
            };
            // Only what this body itself introduced can end too early.
            if !ty.flags().has(Flags::LOCAL) {
                return Ok(());
            }
            match outer(ty) {
                Some(region) => region,
                None => return Ok(()),
            }
        }
        _ => return Ok(()),
    };
    let Some(ty) = cx.body.place_ty(cx.decls, place) else { return Ok(()) };
    let Some(to) = outer(ty) else { return Ok(()) };
    if outlives(cx, from, to) {
        return Ok(());
    }
    let source = match from {
        TyRegion::Local(id) => cx.body.regions.get(id).map(|region| region.span),
        _ => None,
    };
    Err(cx.sess.emit(explain::escapes(span, source)))
}

fn outer(ty: Ty) -> Option<TyRegion> {
    ty.as_ptr().filter(|ptr| ptr.elem.as_func().is_none()).map(|ptr| ptr.region)
}

/// What lives in `from` is alive wherever something in `to` may be.
fn outlives(cx: &Cx<'_>, from: TyRegion, to: TyRegion) -> bool {
    match (from, to) {
        (TyRegion::Local(from), TyRegion::Local(to)) => {
            let mut at = Some(to);
            // The tree is no deeper than it has nodes.
            for _ in 0..=cx.body.regions.len() {
                match at {
                    Some(region) if region == from => return true,
                    Some(region) => at = cx.body.regions.get(region).and_then(|r| r.parent),
                    None => return false,
                }
            }
            false
        }
        (TyRegion::Local(_), TyRegion::Erased | TyRegion::Infer(_) | TyRegion::Hole) => true,
        (TyRegion::Local(_), _) => false,
        _ => true,
    }
}
