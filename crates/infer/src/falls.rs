//! `fallthru(e, …);`: values for the variables that the next case binds.

use crate::cx::Fx;
use crate::region::What;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{LocalId, PatKind};
use toft_tir as tir;

/// The arm that values go to; its patterns are typed.
#[derive(Clone)]
pub(crate) struct NextArm {
    /// What it binds, from left to right.
    binds: Vec<LocalId>,
    /// It opens existentials: what it binds has types that nothing else has.
    opens: bool,
    span: Span,
}

impl NextArm {
    pub fn new(arm: &hir::Arm) -> NextArm {
        let span = arm.pats.first().map_or(arm.span, |pat| pat.span);
        let mut next = NextArm { binds: Vec::new(), opens: false, span };
        arm.pats.iter().for_each(|pat| next.pat(pat));
        next
    }

    fn pat(&mut self, pat: &hir::Pat) {
        match &pat.kind {
            PatKind::Var(id) | PatKind::Ref(id) => self.binds.push(*id),
            PatKind::As(id, inner) => {
                self.binds.push(*id);
                self.pat(inner);
            }
            PatKind::AddrOf(inner) => self.pat(inner),
            PatKind::Tuple(list) => list.iter().for_each(|pat| self.pat(pat)),
            PatKind::Variant { opened, args, .. } => {
                self.opens |= !opened.is_empty();
                args.iter().for_each(|pat| self.pat(pat));
            }
            PatKind::Record { opened, fields, .. } => {
                self.opens |= !opened.is_empty();
                fields.iter().for_each(|(_, pat)| self.pat(pat));
            }
            PatKind::Wild
            | PatKind::Null
            | PatKind::Const(_)
            | PatKind::Range(..)
            | PatKind::Error => {}
        }
    }
}

impl<'a> Fx<'a> {
    pub fn fallthru_with(&mut self, values: &'a [hir::Expr], span: Span) -> tir::StmtKind {
        let Some(Some(next)) = self.falls.last().cloned() else {
            // In the last case: reported.
            self.poison();
            return tir::StmtKind::Empty;
        };
        if next.opens {
            self.report(
                Diagnostic::error(
                    codes::E0900,
                    "`fallthru` with values into a case that opens a hidden type is not supported",
                    span,
                    "",
                )
                .label(next.span, "the types of its variables have names in this case only"),
            );
            return tir::StmtKind::Empty;
        }
        if next.binds.len() != values.len() {
            let (want, have) = (next.binds.len(), values.len());
            self.report(
                Diagnostic::error(
                    codes::E0806,
                    format!(
                        "values given to the next case: {have}; variables that it binds: {want}"
                    ),
                    span,
                    "",
                )
                .label(next.span, "binds here"),
            );
            return tir::StmtKind::Empty;
        }
        let mut list = Vec::with_capacity(values.len());
        for (value, id) in values.iter().zip(next.binds) {
            let (ty, quals) = (self.locals[id].ty, self.locals[id].quals);
            if ty.is_error() {
                self.poison();
                return tir::StmtKind::Empty;
            }
            let before = self.open.len();
            let value = self.expr_to(value, ty, What::Assign(Some(id)));
            let value = self.refined(value, quals.refine);
            list.push((id, self.settle(before, value)));
        }
        tir::StmtKind::FallthruWith(list)
    }
}
