//! Objects whose last member is `T a[]`: how many elements stand behind a new one.
//!
//! In: the size that an allocation asks for, `sizeof(struct S) + n * sizeof(T)` in any order
//! of its parts. Out: `New` of the struct with `n` as its count. Keeps: nothing. Invariants:
//! such objects are made here only, so each has its view of the elements.

use crate::cx::Fx;
use crate::new::Home;
use crate::types::notnull;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::BinOp;
use toft_tir::{Expr, NewInit};
use toft_ty::{Folder, Subst, Ty, TyKind, TyQuals};

impl<'a> Fx<'a> {
    /// The struct and the number of its elements that a size means; `None`: no such size.
    pub fn flexible_size(&mut self, size: &'a hir::Expr) -> Option<(Ty, Option<Expr>)> {
        match &size.kind {
            hir::ExprKind::Cast(_, inner) => self.flexible_size(inner),
            hir::ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) if has_sizeof(size) => {
                if let Some((ty, have)) = self.flexible_size(a) {
                    let more = self.flexible_count(ty, b)?;
                    let count = match (have, op) {
                        (None, BinOp::Add) => more,
                        (None, _) => return None,
                        (Some(have), _) => self.binary_values(*op, have, more, size.span),
                    };
                    return Some((ty, Some(count)));
                }
                if *op == BinOp::Sub {
                    return None;
                }
                let (ty, have) = self.flexible_size(b)?;
                let more = self.flexible_count(ty, a)?;
                let count = match have {
                    Some(have) => self.binary_values(BinOp::Add, more, have, size.span),
                    None => more,
                };
                Some((ty, Some(count)))
            }
            hir::ExprKind::SizeofType(_) | hir::ExprKind::SizeofExpr(_) => {
                let ty = self.size_type(size)?;
                let ty = self.shallow(ty);
                self.flexible_elem(ty).map(|_| (ty, None))
            }
            // Where the elements begin.
            hir::ExprKind::Offsetof(ty, path) => {
                let (ty, _) = self.hir_ty(ty);
                let ty = self.shallow(ty);
                let TyKind::Adt(id, _) = *ty.kind() else { return None };
                let (member, _) = self.adt(id).flexible()?;
                let name = self.adt(id).fields.as_deref()?.get(member as usize)?.name;
                match path.as_slice() {
                    [hir::Designator::Field(given, _)] if Some(*given) == name => Some((ty, None)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The elements behind an object of the type.
    fn flexible_elem(&self, ty: Ty) -> Option<Ty> {
        let TyKind::Adt(id, args) = *ty.kind() else { return None };
        let (_, elem) = self.adt(id).flexible()?;
        Some(self.shallow(Subst(args).ty(elem)))
    }

    /// The number of elements that a part of the size means: `n * sizeof(T)`, or a number of
    /// bytes where these are the elements.
    fn flexible_count(&mut self, object: Ty, part: &'a hir::Expr) -> Option<Expr> {
        let elem = self.flexible_elem(object)?;
        if has_sizeof(part) {
            let (ty, count) = self.sized(part, None);
            let ty = self.shallow(ty);
            if self.same_shape(ty, elem) {
                return Some(match count {
                    Some(count) => count,
                    None => self.int_const(1, self.t.ulong, part.span),
                });
            }
            self.wrong_part(object, elem, part.span);
            return Some(self.bad(part.span));
        }
        let count = self.expr(part, None);
        let byte = match elem.kind() {
            TyKind::Int(int) => int.bytes() == 1,
            kind => matches!(kind, TyKind::Bool),
        };
        if !byte && !count.ty.is_error() {
            self.wrong_part(object, elem, part.span);
            return Some(self.bad(part.span));
        }
        Some(count)
    }

    fn wrong_part(&mut self, object: Ty, elem: Ty, span: Span) {
        let (object, text) = (self.show(object), self.show(elem));
        self.report(
            Diagnostic::error(
                codes::E0402,
                format!("this is not a number of elements of {object}"),
                span,
                format!("its elements are of type {text}"),
            )
            .help("write the size as `sizeof(struct S) + n * sizeof(T)`"),
        );
    }

    /// A new object with `count` elements behind it, all zero.
    pub fn allocate_flexible(
        &mut self,
        object: Ty,
        count: Option<Expr>,
        home: Home,
        span: Span,
    ) -> Expr {
        let Some(elem) = self.flexible_elem(object) else { return self.bad(span) };
        if !self.need_sized(object, span) || !self.need_complete(elem, span) {
            return self.bad(span);
        }
        if !self.zeroable(object) || !self.zeroable(elem) {
            let text = self.show(object);
            self.report(
                Diagnostic::error(
                    codes::E0701,
                    format!("memory for {text} cannot be handed out all zero"),
                    span,
                    "",
                )
                .note("zero bytes are not a value of its members or elements")
                .help("make them of a type that has one, such as a pointer that may be null"),
            );
            return self.bad(span);
        }
        if self.tracked(elem) {
            let text = self.show(elem);
            self.report(
                Diagnostic::error(
                    codes::E0900,
                    format!("elements of type {text} behind a struct are not supported yet"),
                    span,
                    "",
                )
                .note("each of them owns what it points at, and dropping the struct would not reach it")
                .help("let the struct have a pointer to an array of them"),
            );
            return self.bad(span);
        }
        let count = match count {
            Some(count) => count,
            None => self.int_const(0, self.t.ulong, span),
        };
        let Some(count) = self.new_count(count) else { return self.bad(span) };
        let ptr = notnull(object, TyQuals::default(), home.region);
        self.made(object, Some(count), NewInit::Zero, ptr, home, span)
    }
}

/// Whether a size is spoken of in it: nothing else is looked at.
fn has_sizeof(e: &hir::Expr) -> bool {
    match &e.kind {
        hir::ExprKind::SizeofType(_)
        | hir::ExprKind::SizeofExpr(_)
        | hir::ExprKind::Offsetof(..) => true,
        hir::ExprKind::Cast(_, inner) => has_sizeof(inner),
        hir::ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => {
            has_sizeof(a) || has_sizeof(b)
        }
        _ => false,
    }
}
