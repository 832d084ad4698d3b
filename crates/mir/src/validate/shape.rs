//! Ids in range, numbers of checks, phases, handlers.

use super::{Rule, Violation};
use crate::visit::{Visit, body_types, stmt_visit, term_visit};
use crate::*;
use toft_base::{BitSet, Idx};
use toft_ty::{Flags, Ty};

pub fn check<P: Phase>(decls: &Decls, body: &Body<P>, out: &mut Vec<Violation>) {
    let mut fail = |rule, text: String| out.push(Violation { rule, text });
    if body.blocks.is_empty() {
        fail(Rule::Shape, "no blocks".into());
    }
    if body.params > body.locals.len() {
        fail(Rule::Shape, format!("{} parameters, fewer locals", body.params));
    }
    for (id, decl) in body.locals.iter_enumerated() {
        if (id.index() < body.params) != (decl.kind == LocalKind::Param) {
            fail(Rule::Shape, format!("{id:?} is not in its place among the parameters"));
        }
    }
    for frame in body.tries.iter() {
        if body.blocks.get(frame.handler).is_none() {
            fail(Rule::Range, format!("{:?} is no block", frame.handler));
        }
    }
    let mut seen = BitSet::empty(body.checks);
    for (id, block) in body.blocks.iter_enumerated() {
        for (n, stmt) in block.stmts.iter().enumerate() {
            if let StmtKind::Check(check) = &stmt.kind
                && (check.id.index() >= body.checks || !seen.insert(check.id.index()))
            {
                fail(Rule::CheckNumber, format!("{id:?}: number {} again or too large", check.id));
            }
            if let StmtKind::Catch(frame, _) = &stmt.kind {
                let handler = body.tries.get(*frame).map(|frame| frame.handler);
                if n != 0 || handler != Some(id) {
                    fail(
                        Rule::Shape,
                        format!("{id:?}: {:?} is not first in its handler", stmt.kind),
                    );
                }
            }
            stmt_visit(&stmt.kind, &mut |what| ids(decls, body, id, what, &mut fail));
        }
        term_visit(&block.term.kind, &mut |what| ids(decls, body, id, what, &mut fail));
        let mut target = |to: BlockId| {
            if body.blocks.get(to).is_none() {
                fail(Rule::Range, format!("{id:?}: {to:?} is no block"));
            }
        };
        block.term.kind.successors(&mut target);
        block.unwind.into_iter().for_each(&mut target);
        if let TermKind::Switch { cases, .. } = &block.term.kind {
            let mut ranges: Vec<(i128, i128)> = cases.iter().map(|c| (c.0, c.1)).collect();
            ranges.sort_unstable();
            let overlap = ranges.windows(2).any(|pair| pair[0].1 >= pair[1].0);
            if overlap || ranges.iter().any(|range| range.0 > range.1) {
                fail(Rule::Shape, format!("{id:?}: cases overlap or are empty"));
            }
        }
    }
    phase(body, out);
}

fn ids<P: Phase>(
    decls: &Decls,
    body: &Body<P>,
    at: BlockId,
    what: Visit<'_>,
    fail: &mut dyn FnMut(Rule, String),
) {
    let missing = match what {
        Visit::Local(id) => body.locals.get(id).is_none(),
        Visit::Region(id) => body.regions.get(id).is_none(),
        Visit::Try(id) => body.tries.get(id).is_none(),
        // Tables may be empty where only a body is looked at.
        Visit::Global(id) => !decls.globals.is_empty() && decls.globals.get(id).is_none(),
        Visit::Func(id) => !decls.funcs.is_empty() && decls.funcs.get(id).is_none(),
        Visit::Place(..) | Visit::Operand(_) => false,
    };
    if missing {
        fail(Rule::Range, format!("{at:?}: {what:?} does not exist"));
    }
}

/// What may not be in the types of a phase.
fn phase<P: Phase>(body: &Body<P>, out: &mut Vec<Violation>) {
    let generic = matches!(P::NAME, "built" | "checked");
    let mut bad = |ty: Ty| {
        let flags = ty.flags();
        let mut wrong = flags.has(Flags::INFER) || flags.has(Flags::ERROR);
        if !generic {
            wrong |= flags.has(Flags::PARAM) || flags.has(Flags::LOCAL);
        }
        if wrong && out.len() < super::MAX_VIOLATIONS {
            let text = format!("{} in a body that is {}", text::ty_text(ty), P::NAME);
            out.push(Violation { rule: Rule::Phase, text });
        }
    };
    body_types(body, &mut bad);
}
