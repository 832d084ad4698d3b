//! Messages about reachability.

use crate::Cx;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

pub fn missing_return(cx: &Cx<'_>) -> Diagnostic {
    let body = cx.body;
    let end = if body.end.is_none() { body.span } else { body.end };
    Diagnostic::error(
        codes::E0702,
        format!("`{}` can reach its end without returning a value", body.name),
        end,
        "control can get here",
    )
    .label(body.span, "the function returns a value")
    .help(
        "return a value on every path, or end the path with a throw or a call that does not return",
    )
}

pub fn unreachable(span: Span) -> Diagnostic {
    Diagnostic::warning(codes::W0701, "this code is never reached", span, "")
}
