//! Tracked values are moved, not copied: where a value goes somewhere else, the operand
//! says `Move`.

use super::{Rule, Violation};
use crate::*;
use toft_ty::{Flags, Ty, tracked};

pub fn check<P: Phase>(decls: &Decls, body: &Body<P>, out: &mut Vec<Violation>) {
    // Later phases have other types, and the check is behind them.
    if !matches!(P::NAME, "built" | "checked") {
        return;
    }
    for (id, block) in body.blocks.iter_enumerated() {
        let mut value = |operand: &Operand| {
            if let Operand::Copy(place) = operand
                && may_track(body, place)
                && let Some(ty) = body.place_ty(decls, place)
                && tracked(&decls.tables, &body.generics, ty)
                && out.len() < super::MAX_VIOLATIONS
            {
                let text = format!("{id:?}: {place:?} of {} is copied", text::ty_text(ty));
                out.push(Violation { rule: Rule::Copied, text });
            }
        };
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(
                    _,
                    Rvalue::Use(operand)
                    | Rvalue::Cast(Cast::Ptr | Cast::FatToThin, operand, _)
                    | Rvalue::MakeFat { base: operand, .. }
                    | Rvalue::ViewFat(operand),
                ) => value(operand),
                StmtKind::Assign(_, rvalue @ (Rvalue::Aggregate(_) | Rvalue::Variant(..))) => {
                    rvalue.operands(&mut |operand| value(operand));
                }
                StmtKind::Call(call) => {
                    if let Callee::Func(func, _) = &call.callee
                        && let Some(decl) = decls.funcs.get(*func)
                    {
                        let consumed = |n: usize| n < 64 && decl.sig.consumes >> n & 1 == 1;
                        let args = call.args.iter().enumerate();
                        args.filter(|(n, _)| consumed(*n)).for_each(|(_, arg)| value(arg));
                    }
                }
                _ => {}
            }
        }
        if let TermKind::Return(Some(operand)) | TermKind::Throw(operand) = &block.term.kind {
            value(operand);
        }
    }
}

/// Plain variables are dismissed without working out a type.
fn may_track<P: Phase>(body: &Body<P>, place: &Place) -> bool {
    let plain = |ty: Ty| ty.is_arithmetic() || ty.is_void();
    match place.base {
        Base::Local(local) if place.proj.is_empty() => {
            let ty = body.locals[local].ty;
            let flags = ty.flags();
            !plain(ty)
                && (flags.has(Flags::TRACKED) || flags.has(Flags::PARAM) || ty.as_ptr().is_none())
        }
        _ => true,
    }
}
