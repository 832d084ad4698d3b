//! Results of calls and allocations go straight to the variable they are for.

use crate::uses;
use toft_mir::*;

/// `t = f(…); x = t;` becomes `x = f(…);` when nothing else reads the temporary `t`.
pub fn calls(body: &mut Body<Concrete>) {
    let counts = uses::count(body);
    for id in body.blocks.ids() {
        for n in 1..body.blocks[id].stmts.len() {
            let Some((temp, to)) = copy(body, id, n) else { continue };
            if counts[temp] != 1 || !uses::is_plain_temp(body, temp) {
                continue;
            }
            let stmts = &mut body.blocks[id].stmts;
            let moved = match &mut stmts[n - 1].kind {
                StmtKind::Call(call)
                    if call.dest.as_ref().and_then(Place::as_local) == Some(temp) =>
                {
                    call.dest = Some(Place::local(to));
                    true
                }
                StmtKind::Assign(dest, Rvalue::Alloc { .. }) if dest.as_local() == Some(temp) => {
                    *dest = Place::local(to);
                    true
                }
                _ => false,
            };
            if moved {
                stmts[n].kind = StmtKind::Nop;
            }
        }
    }
}

/// Statement `n` is `to = temp`, of variables of one type.
fn copy(body: &Body<Concrete>, block: BlockId, n: usize) -> Option<(LocalId, LocalId)> {
    let StmtKind::Assign(to, Rvalue::Use(Operand::Copy(from) | Operand::Move(from))) =
        &body.blocks[block].stmts[n].kind
    else {
        return None;
    };
    let (from, to) = (from.as_local()?, to.as_local()?);
    let thin = |local: LocalId| {
        body.locals[local].ty.as_ptr().is_some() && !body.locals[local].ty.is_fat()
    };
    let same = body.locals[from].ty == body.locals[to].ty || thin(from) && thin(to);
    (same && from != to && !body.locals[to].quals.is_volatile).then_some((from, to))
}
