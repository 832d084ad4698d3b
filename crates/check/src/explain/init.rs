//! Messages about initialisation.

use super::local_name;
use crate::Cx;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::LocalId;
use toft_ty::print::{Names, ty_to_string};

pub struct Uninit {
    pub local: LocalId,
    pub span: Span,
    /// Zero-filling would have helped, but the type has no zero.
    pub fill: bool,
    pub field: Option<String>,
    pub assigned: Option<Span>,
}

pub fn uninitialised(cx: &Cx<'_>, at: &Uninit) -> Diagnostic {
    let body = cx.body;
    let decl = &body.locals[at.local];
    let name = match (&at.field, decl.name) {
        (Some(field), Some(name)) => format!("`{name}{field}`"),
        _ => local_name(body, at.local),
    };
    let sometimes = at.assigned.is_some();
    let message = if sometimes {
        format!("{name} may be read before it has a value")
    } else {
        format!("{name} is read before it has a value")
    };
    let mut out = Diagnostic::error(codes::E0701, message, at.span, "read here")
        .label(decl.span, "declared here without a value");
    if let Some(span) = at.assigned
        && span != at.span
    {
        out = out.label(span, "assigned here, but not on every path to the read");
    }
    if at.fill {
        let regions = |id| body.regions.get(id).and_then(|region: &toft_mir::Region| region.name);
        let names = Names { tables: &cx.decls.tables, generics: &body.generics, regions: &regions };
        let ty = ty_to_string(&names, decl.ty);
        out = out.note(format!("it cannot be filled with zeros: zero is not a value of `{ty}`"));
    }
    out.help("give it a value where it is declared")
}
