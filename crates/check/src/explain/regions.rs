//! Messages about lifetimes.

use toft_base::Span;
use toft_diag::{Diagnostic, codes};

pub fn escapes(span: Span, source: Option<Span>) -> Diagnostic {
    let mut out = Diagnostic::error(
        codes::E0601,
        "this pointer would outlive what it points to",
        span,
        "stored here, in a place that lives longer",
    );
    if let Some(source) = source
        && !source.is_none()
    {
        out = out.label(source, "the object lives in this block");
    }
    out.help("allocate the object with `new`, or declare it further out")
}

pub fn returned(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::E0601,
        "a pointer into this function's own variables is returned",
        span,
        "returned here",
    )
    .note("the variables of a function end with the call")
    .help("allocate the object with `new`, or let the caller pass the place")
}
