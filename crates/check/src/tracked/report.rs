//! From findings to messages: the other end of each conflict is looked up, and one mistake
//! is reported once.
//!
//! Invariants: nothing here decides whether there is a mistake. A loss is reported only in a
//! body without mistakes, since what a mistake leaves behind is no news.

use super::calls::{self, Fate};
use super::machine::{Finding, Finds};
use super::paths::{Node, Paths, Types};
use crate::Cx;
use crate::explain::tracked as explain;
use toft_base::{BitSet, FxHashSet, Idx, Span};
use toft_diag::{Reported, codes};
use toft_mir::*;

/// No body gets more messages than this.
const MAX_REPORTS: usize = 40;
/// Nor are more of its findings explained.
const MAX_LOOKED_AT: usize = 400;

pub fn report(cx: &Cx<'_>, paths: &Paths, mut findings: Vec<Finding>) -> Result<(), Reported> {
    let failed = findings.iter().any(|finding| !finding.kind.is_loss());
    if failed {
        findings.retain(|finding| !finding.kind.is_loss());
    }
    let named = |name: &String| name == codes::W2002.id || name == codes::W2002.name;
    if !cx.sess.options.deny.iter().any(named) {
        findings.retain(|finding| finding.kind != Finds::MayLose);
    }
    findings.sort_by_key(|finding| (finding.span, finding.block, finding.stmt));
    let history = History { cx, paths };
    let mut verdict = Ok(());
    let mut seen = FxHashSet::default();
    let mut said = 0;
    for finding in findings.into_iter().take(MAX_LOOKED_AT) {
        if said >= MAX_REPORTS {
            break;
        }
        let origin = history.origin(&finding);
        let about = finding.node.map(|node| paths.get(node).root);
        let site = origin.unwrap_or(finding.span);
        if !seen.insert((finding.kind.name(), about, site))
            || !seen.insert(("at", None, finding.span))
        {
            continue;
        }
        said += 1;
        let reported = cx.sess.emit(explain::finding(cx, paths, &finding, origin));
        if failed || cx.sess.has_errors() {
            verdict = Err(reported);
        }
    }
    verdict
}

impl Finds {
    /// What counts as one kind of mistake.
    fn name(self) -> &'static str {
        use Finds::*;
        match self {
            Consumed | Partly { .. } => "gone",
            Pinned | Twice => "pinned",
            KeptGiven | KeptAssigned => "kept",
            KeptMissing { .. } => "missing",
            Shared(_) => "shared",
            Address => "address",
            Aliasable => "aliasable",
            LostOver | LostEnd | LostBelow { .. } | LostCast | LostResult | LostWay | MayLose => {
                "lost"
            }
        }
    }
}

/// What a statement did to a path.
enum Past {
    Nothing,
    Found(Span),
    /// Earlier statements do not matter.
    Ended,
}

fn stores_null(stmt: &Stmt) -> bool {
    matches!(
        &stmt.kind,
        StmtKind::Assign(
            _,
            Rvalue::Use(Operand::Const(Const { kind: ConstKind::Null | ConstKind::Int(0), .. }))
        )
    )
}

struct History<'a> {
    cx: &'a Cx<'a>,
    paths: &'a Paths,
}

impl History<'_> {
    /// Where it came to what the finding is about.
    fn origin(&self, finding: &Finding) -> Option<Span> {
        let node = finding.node?;
        match finding.kind {
            Finds::Consumed | Finds::KeptMissing { .. } => self.given(finding, node),
            Finds::Partly { part } => self.given(finding, part),
            Finds::Pinned | Finds::Twice => self.pinned(finding, node),
            Finds::KeptGiven | Finds::KeptAssigned => {
                Some(self.cx.body.locals[self.paths.get(node).root].span)
            }
            Finds::Shared(_) | Finds::Address | Finds::Aliasable | Finds::MayLose => None,
            Finds::LostBelow { part } => self.gained(finding, part.unwrap_or(node)),
            Finds::LostWay => self.given_anywhere(node),
            Finds::LostOver | Finds::LostEnd | Finds::LostCast | Finds::LostResult => {
                self.gained(finding, node)
            }
        }
    }

    fn given(&self, finding: &Finding, node: Node) -> Option<Span> {
        self.back(finding, &mut |stmt| {
            let mut gives = false;
            self.consumed(stmt, &mut |place| gives |= self.touches(place, node));
            if gives {
                return Past::Found(stmt.span);
            }
            if self.stores(stmt, node) { Past::Ended } else { Past::Nothing }
        })
    }

    fn given_anywhere(&self, node: Node) -> Option<Span> {
        for &id in &self.cx.cfg.rpo {
            for stmt in &self.cx.body.blocks[id].stmts {
                let mut gives = false;
                self.consumed(stmt, &mut |place| gives |= self.touches(place, node));
                if gives {
                    return Some(stmt.span);
                }
            }
        }
        None
    }

    fn gained(&self, finding: &Finding, node: Node) -> Option<Span> {
        let found = self.back(finding, &mut |stmt| match self.stores(stmt, node) {
            true if stores_null(stmt) => Past::Ended,
            true => Past::Found(stmt.span),
            false => Past::Nothing,
        });
        let local = self.paths.get(node).root;
        found.or_else(|| {
            let decl = &self.cx.body.locals[local];
            (decl.kind == LocalKind::Param).then_some(decl.span)
        })
    }

    fn pinned(&self, finding: &Finding, node: Node) -> Option<Span> {
        self.back(finding, &mut |stmt| {
            let from = match &stmt.kind {
                StmtKind::BorrowEnter { from, .. } => Some(from),
                StmtKind::RegionEnter { open: Some(open), .. } => open.place(),
                _ => None,
            };
            match from {
                Some(from) if self.touches(from, node) => Past::Found(stmt.span),
                _ => Past::Nothing,
            }
        })
    }

    fn touches(&self, place: &Place, node: Node) -> bool {
        self.paths
            .find(place)
            .is_some_and(|found| found.exact && self.paths.overlap(found.node, node))
    }

    /// The statement stores into the path, or into something it is part of.
    fn stores(&self, stmt: &Stmt, node: Node) -> bool {
        let stored = |place: &Place| {
            self.paths.find(place).is_some_and(|found| {
                found.exact && self.paths.subtree(found.node).contains(&node.index())
            })
        };
        match &stmt.kind {
            StmtKind::Assign(to, _) => stored(to),
            StmtKind::Call(call) => call.dest.as_ref().is_some_and(stored),
            StmtKind::Swap(a, b) => stored(a) || stored(b),
            _ => false,
        }
    }

    /// The places that a statement reads by value.
    fn consumed<'s>(&self, stmt: &'s Stmt, visit: &mut dyn FnMut(&'s Place)) {
        match &stmt.kind {
            StmtKind::Consume(place) => visit(place),
            StmtKind::Assign(_, rvalue) => match rvalue {
                Rvalue::Use(_)
                | Rvalue::Cast(Cast::Ptr | Cast::FatToThin, ..)
                | Rvalue::ViewFat(_)
                | Rvalue::MakeFat { .. }
                | Rvalue::PtrAdd(..)
                | Rvalue::Aggregate(_)
                | Rvalue::Variant(..) => rvalue.operands(&mut |operand| {
                    operand.place().into_iter().for_each(&mut *visit);
                }),
                _ => {}
            },
            StmtKind::Call(call) => {
                let body = self.cx.body;
                let types = Types { decls: self.cx.decls, generics: &body.generics };
                let signature = calls::signature(body, &types, call);
                for (n, arg) in call.args.iter().enumerate() {
                    if matches!(calls::fate(call, signature, n), Fate::Consumed | Fate::Freed)
                        && let Some(place) = arg.place()
                    {
                        visit(place);
                    }
                }
            }
            _ => {}
        }
    }

    /// Looks back from a finding along all ways, nearest blocks first.
    fn back(&self, finding: &Finding, ask: &mut dyn FnMut(&Stmt) -> Past) -> Option<Span> {
        let body = self.cx.body;
        let mut seen = BitSet::empty(body.blocks.len());
        let start = (finding.block, finding.stmt, false);
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some((id, before, thrown)) = queue.pop_front() {
            let block = &body.blocks[id];
            let mut ended = false;
            for stmt in block.stmts[..before.min(block.stmts.len())].iter().rev() {
                match ask(stmt) {
                    Past::Nothing => {}
                    Past::Found(span) => return Some(span),
                    // What threw may stand before it.
                    Past::Ended if thrown => {}
                    Past::Ended => {
                        ended = true;
                        break;
                    }
                }
            }
            if ended {
                continue;
            }
            let mut push = |from: BlockId, thrown: bool| {
                if seen.insert(from.index()) {
                    queue.push_back((from, usize::MAX, thrown));
                }
            };
            self.cx.cfg.preds(id).iter().for_each(|&from| push(from, false));
            if body.blocks[id].stmts.first().is_some_and(|s| matches!(s.kind, StmtKind::Catch(..)))
            {
                for &from in &self.cx.cfg.rpo {
                    if body.blocks[from].unwind == Some(id) {
                        push(from, true);
                    }
                }
            }
        }
        None
    }
}
