//! Messages about checks that cannot pass.

use crate::Cx;
use crate::facts::Failure;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::*;

pub fn certain_failure(cx: &Cx<'_>, check: &Check, failure: Failure, span: Span) -> Diagnostic {
    match failure {
        Failure::Null => null(cx, check, span),
        Failure::Bounds { index, len } => bounds(index, len, span),
        Failure::NegativeCount => Diagnostic::error(
            codes::E0503,
            "the number of elements is negative here",
            span,
            "certainly less than 0",
        ),
        Failure::Zero => Diagnostic::error(
            codes::E0511,
            "division by zero",
            span,
            "the divisor is certainly 0 here",
        ),
        Failure::Shift { count, bits } => Diagnostic::error(
            codes::E0511,
            format!("a shift by {} of a value of {bits} bits", range(count)),
            span,
            format!("the count must be 0 to {}", bits - 1),
        ),
        Failure::Float => Diagnostic::error(
            codes::E0511,
            "the constant does not fit the integer type",
            span,
            "converted here",
        ),
        Failure::Tag { held } => tag(cx, check, held, span),
        Failure::Assert => {
            let (text, at) = match &check.kind {
                CheckKind::Assert { text, at, .. } => (text.as_str(), *at),
                _ => ("", Span::NONE),
            };
            let diagnostic = Diagnostic::error(
                codes::E1201,
                format!("the condition `{text}` is certainly false here"),
                span,
                "it can never hold",
            );
            match at.is_none() {
                true => diagnostic,
                false => diagnostic.label(at, "it is asked for here"),
            }
        }
    }
}

fn null(cx: &Cx<'_>, check: &Check, span: Span) -> Diagnostic {
    let operand = match &check.kind {
        CheckKind::NotNull(ptr)
        | CheckKind::FatIndex { ptr, .. }
        | CheckKind::FatAtLeast { ptr, .. } => ptr.place(),
        _ => None,
    };
    let name = operand
        .and_then(Place::as_local)
        .and_then(|local| cx.body.locals[local].name)
        .map_or_else(|| "this pointer".to_string(), |name| format!("`{name}`"));
    Diagnostic::error(
        codes::E0504,
        format!("{name} is certainly null here"),
        span,
        "a null pointer is used",
    )
    .help("test the pointer first, or give it an object to point to")
}

fn bounds(index: (i128, i128), len: (i128, i128), span: Span) -> Diagnostic {
    let elements = match len {
        (_, 1) => "there is 1 element".to_string(),
        (lo, hi) if lo == hi => format!("there are {hi} elements"),
        (_, hi) if hi < 1 << 40 => format!("there are at most {hi} elements"),
        _ => "indices start at 0".to_string(),
    };
    Diagnostic::error(
        codes::E0503,
        format!("index {} is outside the bounds", range(index)),
        span,
        elements,
    )
}

fn range((lo, hi): (i128, i128)) -> String {
    let wide = |v: i128| !(-(1i128 << 63)..1 << 64).contains(&v);
    match (lo, hi) {
        _ if lo == hi => lo.to_string(),
        _ if wide(lo) => format!("{hi} or less"),
        _ if wide(hi) => format!("{lo} or more"),
        _ => format!("{lo} to {hi}"),
    }
}

fn tag(cx: &Cx<'_>, check: &Check, held: u32, span: Span) -> Diagnostic {
    let CheckKind::Tag { place, field } = &check.kind else {
        return Diagnostic::error(codes::E0805, "another member is held here", span, "");
    };
    let name = |field: u32| -> String {
        let ty = cx.body.place_ty(cx.decls, place);
        let Some(toft_ty::TyKind::Adt(id, _)) = ty.map(|ty| ty.kind()) else {
            return "another member".into();
        };
        let fields = cx.decls.tables.adts[*id].fields.as_deref().unwrap_or(&[]);
        match fields.get(field as usize).and_then(|field| field.name) {
            Some(name) => format!("`{name}`"),
            None => "another member".into(),
        }
    };
    Diagnostic::error(
        codes::E0805,
        format!("{} is read, but the union holds {}", name(*field), name(held)),
        span,
        "read here",
    )
    .help("test with `tagcheck` first, or match on the union")
}
