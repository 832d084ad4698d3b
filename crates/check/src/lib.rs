//! The checker: judges each body and is the only maker of `Body<Checked>`.
//!
//! In: `Body<Built>` of one function, and the declarations. Out: `Body<Checked>` with facts,
//! or reported errors.
//! Needs: nothing but the body; each function is judged alone.
//! Keeps: the graph. Judgements add facts or refuse; they change no statement.
//! Invariants: a fact says something true of every execution; where an analysis gives up, it
//! leaves the run-time check in place.
//!
//! Judgements, one module each: [`reach`], [`init`], [`regions`], [`tracked`], [`facts`];
//! [`unused`] warns. All prose is in [`explain`].

mod explain;
mod facts;
mod flow;
mod init;
mod reach;
mod regions;
mod tracked;
mod unused;

use toft_base::{BitSet, FxHashSet, Idx};
use toft_diag::{Reported, Session, codes};
use toft_mir::{Body, Built, CheckKind, Checked, Decls, Facts, StmtKind};

/// Judges `body`. Everything wrong with it is reported before this returns.
pub fn run(sess: &Session, decls: &Decls, body: Body<Built>) -> Result<Body<Checked>, Reported> {
    let mut found = Facts {
        idle: BitSet::empty(body.checks),
        zero_fill: BitSet::empty(body.locals.len()),
        dead: BitSet::empty(body.blocks.len()),
    };
    let cfg = flow::Cfg::new(&body, decls);
    let cx = Cx { sess, decls, body: &body, cfg: &cfg };
    let mut failed: Option<Reported> = None;
    let mut judge = |verdict: Result<(), Reported>| {
        if let Err(reported) = verdict {
            failed.get_or_insert(reported);
        }
    };
    judge(reach::judge(&cx, &mut found.dead));
    judge(init::judge(&cx, &mut found.zero_fill));
    judge(regions::judge(&cx));
    judge(tracked::judge(&cx));
    judge(facts::judge(&cx, &mut found.idle));
    unused::warn(&cx);
    checks_put_in(&cx, &found.idle);
    match failed {
        Some(reported) => Err(reported),
        None => Ok(body.certify(found)),
    }
}

/// Warnings of `infer` about checks that conversions put in: true of those that stay.
fn checks_put_in(cx: &Cx<'_>, idle: &BitSet) {
    if !cx.sess.has_deferred() {
        return;
    }
    let mut staying = FxHashSet::default();
    for stmt in cx.body.blocks.iter().flat_map(|block| &block.stmts) {
        let StmtKind::Check(check) = &stmt.kind else { continue };
        if !idle.contains(check.id.index()) {
            match check.kind {
                CheckKind::NotNull(_) => {
                    staying.extend([(codes::W0501, stmt.span), (codes::W0502, stmt.span)])
                }
                CheckKind::FatAtLeast { .. } => staying.extend([(codes::W0502, stmt.span)]),
                _ => {}
            }
        }
    }
    cx.sess.settle(|code, span| staying.contains(&(code, span)));
}

/// What every judgement looks at.
pub(crate) struct Cx<'a> {
    pub sess: &'a Session,
    pub decls: &'a Decls,
    pub body: &'a Body<Built>,
    pub cfg: &'a flow::Cfg,
}
