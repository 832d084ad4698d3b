//! Array comprehensions `{for i < n : e}`.

use crate::convert::{const_int, mk};
use crate::cx::Fx;
use crate::region::What;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::Init;
use toft_tir::{Expr, ExprKind};
use toft_ty::{IntExpr, Ty, TyKind};

impl<'a> Fx<'a> {
    /// An array made by `{for i < n : e}`.
    pub(super) fn init_comprehension(
        &mut self,
        comp: &'a hir::Comprehension,
        ty: Ty,
        span: Span,
    ) -> Expr {
        let TyKind::Array { elem, len, zeroterm } = *ty.kind() else {
            let text = self.show(ty);
            self.error(codes::E0408, span, format!("a comprehension makes an array, not {text}"));
            return self.bad(span);
        };
        let (count, body) = self.comprehension_parts(comp, Some(elem));
        if count.ty.is_error() || body.ty.is_error() {
            return self.bad(span);
        }
        let end = u64::from(zeroterm);
        let n = match (len, const_int(&count)) {
            (IntExpr::Const(n), Some(k))
                if k == i128::from(n) && !zeroterm
                    || (k >= 0
                        && k < i128::from(n)
                        && self.zeroable(elem)
                        && self.zero_fits(self.want)) =>
            {
                n
            }
            (IntExpr::Unknown, Some(k)) if k > 0 => (k as u64).saturating_add(end),
            (IntExpr::Const(n), Some(k)) => {
                self.error(
                    codes::E0408,
                    span,
                    format!("a comprehension of {k} elements for an array of {n}"),
                );
                return self.bad(span);
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        codes::E0307,
                        "the length of an array's comprehension must be constant",
                        count.span,
                        "",
                    )
                    .help("use `new {for …}` for a length known at run time"),
                );
                return self.bad(span);
            }
        };
        let ty = Ty::new(TyKind::Array { elem, len: IntExpr::Const(n), zeroterm });
        let kind = ExprKind::Comprehension {
            var: comp.var,
            count: Box::new(count),
            body: Box::new(body),
            region: comp.region,
        };
        mk(kind, ty, span)
    }

    /// Count (as `unsigned long`) and element of a comprehension; its variable is `unsigned`
    /// unless it was declared otherwise.
    pub fn comprehension_parts(
        &mut self,
        comp: &'a hir::Comprehension,
        elem: Option<Ty>,
    ) -> (Expr, Expr) {
        let count = self.whole(&comp.bound, None);
        let ty = self.shallow(count.ty);
        let count = if ty.is_integer() {
            self.arith(count, self.t.ulong, true)
        } else {
            if !ty.is_error() {
                let text = self.show(ty);
                self.error(
                    codes::E0402,
                    count.span,
                    format!("the number of elements must be an integer, not {text}"),
                );
            }
            self.bad(comp.bound.span)
        };
        let Some(decl) = self.decls.get(comp.var.0 as usize) else {
            self.poison();
            return (self.bad(comp.span), self.bad(comp.span));
        };
        let ty = match &decl.ty {
            hir::LocalTy::Known(ty) if ty.is_integer() => *ty,
            _ => self.t.ulong,
        };
        self.locals[comp.var].ty = ty;
        let outer = std::mem::replace(&mut self.here, comp.region);
        let open = self.open.len();
        let body = match (elem, &comp.body) {
            (Some(elem), body) => self.init(body, elem, What::Field, comp.span),
            (None, Init::Expr(e)) => self.expr(e, None),
            (None, _) => {
                self.error(codes::E0408, comp.span, "the type of the elements is not known here");
                self.bad(comp.span)
            }
        };
        let body = self.settle(open, body);
        self.here = outer;
        (count, body)
    }
}
