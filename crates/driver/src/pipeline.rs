//! The pipeline, in reading order. One call a line; the comments say why here.

use crate::demands;
use toft_diag::{Reported, Session};
use toft_hir::Program;
use toft_infer::Refusal;
use toft_mir::{CheckedBodies, Decls, FinalProgram, FuncId};

/// A program judged safe.
pub struct Checked {
    pub decls: Decls,
    pub bodies: CheckedBodies,
}

/// What to do with each function's trees on the way; `--emit` hangs on to these.
pub trait Observer {
    fn tir(&mut self, program: &Program, func: &toft_tir::Func);
    fn mir(&mut self, decls: &Decls, body: &toft_mir::Body<toft_mir::Checked>);
}

/// Looks at nothing.
pub struct Quiet;

impl Observer for Quiet {
    fn tir(&mut self, _: &Program, _: &toft_tir::Func) {}
    fn mir(&mut self, _: &Decls, _: &toft_mir::Body<toft_mir::Checked>) {}
}

/// Types, lowers and judges every function. `keep` holds on to the bodies (a build); without
/// it each is dropped as soon as it is judged (`toft check`).
pub fn check(
    sess: &Session,
    program: &mut Program,
    observer: &mut dyn Observer,
    keep: bool,
) -> Result<Checked, Reported> {
    let mut decls = toft_lower::decls(sess, program);
    static_inits(sess, program, &mut decls);
    let with_body = |id: &FuncId| program.funcs[*id].body.is_some();
    let mut todo: Vec<FuncId> = program.funcs.ids().filter(with_body).collect();
    let mut bodies: CheckedBodies = program.funcs.ids().map(|_| None).collect();
    let mut signatures = demands::Signatures::default();
    let mut failed = None;
    while !todo.is_empty() {
        for id in todo {
            let ask = signatures.may_ask(id);
            match function(sess, program, &decls, id, ask, observer) {
                Ok(body) => {
                    signatures.uses(program, &body);
                    bodies[id] = keep.then_some(body);
                }
                Err(Refusal::Reported(reported)) => failed = Some(reported),
                Err(Refusal::Demands(list)) => {
                    sess.settle(|_, _| false);
                    signatures.ask(list);
                }
            }
        }
        todo = signatures.settle(program, &mut decls);
        if !todo.is_empty() {
            static_inits(sess, program, &mut decls);
        }
    }
    match failed {
        Some(reported) => Err(reported),
        None => Ok(Checked { decls, bodies }),
    }
}

/// One function from names to judgement, so that no two functions' trees are held at once.
fn function(
    sess: &Session,
    program: &Program,
    decls: &Decls,
    id: FuncId,
    ask: bool,
    observer: &mut dyn Observer,
) -> Result<toft_mir::Body<toft_mir::Checked>, Refusal> {
    let tir = match ask {
        true => toft_infer::run_or_ask(sess, program, id)?,
        false => toft_infer::run(sess, program, id)?,
    };
    observer.tir(program, &tir);
    let errors = sess.error_count();
    let built = toft_lower::run(sess, decls, &tir);
    drop(tir);
    // What is refused need not be well-formed.
    if sess.error_count() == errors {
        validate(sess, decls, &built, "lower");
    }
    let checked = toft_check::run(sess, decls, built)?;
    if sess.error_count() == errors {
        validate(sess, decls, &checked, "check");
    }
    observer.mir(decls, &checked);
    match sess.error_count() == errors {
        true => Ok(checked),
        false => Err(sess.reported().into()),
    }
}

/// Initialisers of globals are constants: typed and folded once, before any body.
fn static_inits(sess: &Session, program: &Program, decls: &mut Decls) {
    for id in program.globals.ids() {
        if let Ok(Some(expr)) = toft_infer::global_init(sess, program, id) {
            // What fails is in the session.
            let _ = toft_lower::add_global_init(sess, decls, id, &expr);
        }
    }
}

/// From judged bodies to what is emitted: instances, then the run-time checks that remain.
pub fn finish(sess: &Session, checked: &Checked, tests: bool) -> Result<FinalProgram, Reported> {
    let roots = if tests { toft_mono::Roots::Tests } else { toft_mono::Roots::Program };
    let concrete = toft_mono::run(sess, &checked.decls, &checked.bodies, roots)?;
    for (_, body) in &concrete.list {
        validate(sess, &checked.decls, body, "mono");
    }
    let done = toft_elaborate::run(sess, &checked.decls, concrete)?;
    for (_, body) in &done.list {
        validate(sess, &checked.decls, body, "elaborate");
    }
    Ok(done)
}

/// A violation is the compiler's own mistake: it must not become a program.
fn validate<P: toft_mir::Phase>(
    sess: &Session,
    decls: &Decls,
    body: &toft_mir::Body<P>,
    after: &str,
) {
    // What was refused before may have left types behind that no body should have.
    if !sess.options.validate || sess.has_errors() {
        return;
    }
    for violation in toft_mir::validate::validate(decls, body) {
        sess.emit(
            toft_diag::Diagnostic::error(
                toft_diag::codes::E0902,
                format!("malformed MIR of `{}` after {after}: {violation}", body.name),
                body.span,
                "",
            )
            .note("this is a mistake of the compiler; please report it"),
        );
    }
}
