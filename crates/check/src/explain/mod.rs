//! What the checker says: all prose of its messages, a module per judgement.

pub mod facts;
pub mod init;
pub mod reach;
pub mod regions;
pub mod tracked;

use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::{Body, Built, LocalId};

pub fn unused_variable(name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(codes::W0702, format!("variable `{name}` is never used"), span, "")
        .help(format!("remove it, or mark it `[[maybe_unused]]`, or call it `_{name}`"))
}

/// `` `x` ``, or a description of a temporary.
pub fn local_name(body: &Body<Built>, local: LocalId) -> String {
    match body.locals.get(local).and_then(|decl| decl.name) {
        Some(name) => format!("`{name}`"),
        None => "this value".into(),
    }
}
