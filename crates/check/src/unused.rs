//! Unused variables (W0702). Judges nothing; a use is any mention but storage marks and a
//! whole assignment.

use crate::flow::{self, Use};
use crate::{Cx, explain};
use toft_base::{BitSet, Idx};
use toft_mir::*;

pub fn warn(cx: &Cx<'_>) {
    let body = cx.body;
    let mut used = BitSet::empty(body.locals.len());
    let mut candidates = 0;
    for (id, decl) in body.locals.iter_enumerated() {
        let exempt = decl.kind != LocalKind::User
            || decl.maybe_unused
            || decl.span.is_none()
            || decl.name.is_none_or(|name| name.as_str().starts_with('_'));
        if exempt {
            used.insert(id.index());
        } else {
            candidates += 1;
        }
    }
    if candidates == 0 {
        return;
    }
    let mut touch = |place: &Place, how: Use| {
        flow::index_locals(place, &mut |local| {
            used.insert(local.index());
        });
        if let Base::Local(local) = place.base
            && (how != Use::Write || !place.proj.is_empty())
        {
            used.insert(local.index());
        }
    };
    let mut openers = Vec::new();
    for block in body.blocks.iter() {
        for stmt in &block.stmts {
            flow::stmt_uses(stmt, &mut touch);
            // The handle of `open` has done its work when the region is open.
            if let StmtKind::RegionEnter { handle, open: Some(_), .. } = stmt.kind {
                openers.push(handle);
            }
        }
        flow::term_uses(&block.term, &mut touch);
    }
    for handle in openers {
        used.insert(handle.index());
    }
    for (id, decl) in body.locals.iter_enumerated() {
        // A variable with an initialiser that has an effect may be there for the effect, but
        // it could then be dropped as well.
        if !used.contains(id.index())
            && let Some(name) = decl.name
        {
            cx.sess.emit(explain::unused_variable(name.as_str(), decl.span));
        }
    }
}
