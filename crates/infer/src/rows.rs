//! Local arrays of arrays with computed lengths: `T a[n][m]`.
//!
//! Such an array is one block of elements (`TyKind::Vla`), beside it a hidden variable per
//! dimension. Its elements are places, its last rows are fat pointers to their elements. What
//! is between them, and the whole, has no type here: only `sizeof` and indices apply to it.

use crate::convert::mk;
use crate::cx::Fx;
use crate::types::notnull;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::LocalId;
use toft_tir::{self as tir, Expr, ExprKind, LocalInit, Place, PlaceKind};
use toft_ty::{Bounds, PtrTy, Ty, TyKind};

/// An array of arrays and the indices behind it.
pub(crate) struct Chain<'a> {
    array: LocalId,
    dims: Vec<LocalId>,
    at: Vec<&'a hir::Expr>,
}

impl<'a> Fx<'a> {
    /// `T a[n][m];`
    pub fn rows(
        &mut self,
        id: LocalId,
        decl: &'a hir::Local,
        elem: Ty,
        dims: &'a [(LocalId, hir::Expr)],
        init: Option<&'a hir::Init>,
    ) -> tir::StmtKind {
        let elem = self.open_local(elem, id, decl.region, decl.span);
        let mut counts = Vec::with_capacity(dims.len());
        for (local, len) in dims {
            self.set_local(*local, self.t.ulong);
            match self.length(len) {
                Some(count) => counts.push((*local, count)),
                None => return tir::StmtKind::Empty,
            }
        }
        self.vla_elements(decl, elem, init);
        self.set_local(id, Ty::new(TyKind::Vla(elem)));
        self.rows.push((id, dims.iter().map(|(local, _)| *local).collect()));
        tir::StmtKind::Local(id, LocalInit::Rows(counts))
    }

    /// `a`, `a[i]`, `a[i][j]`: as many indices as there are dimensions, or fewer.
    pub fn row_chain(&self, e: &'a hir::Expr) -> Option<Chain<'a>> {
        if self.rows.is_empty() {
            return None;
        }
        let mut at = Vec::new();
        let mut base = e;
        while let hir::ExprKind::Index(inner, index) = &base.kind {
            at.push(&**index);
            base = inner;
        }
        let hir::ExprKind::Local(id) = base.kind else { return None };
        let (array, dims) = self.rows.iter().find(|(array, _)| *array == id)?;
        if at.len() > dims.len() {
            return None;
        }
        at.reverse();
        Some(Chain { array: *array, dims: dims.clone(), at })
    }

    /// The place of an element.
    pub fn row_element(&mut self, chain: Chain<'a>, span: Span) -> Option<Place> {
        if chain.at.len() < chain.dims.len() {
            self.report(
                Diagnostic::error(
                    codes::E0900,
                    "an array of arrays whose lengths are computed cannot be used like this yet",
                    span,
                    "this is not one of its elements",
                )
                .help("its elements (`a[i][j]`), its last rows as `T ?`, and `sizeof` can be used"),
            );
            return None;
        }
        let array = self.rows_place(chain.array, span)?;
        let TyKind::Vla(elem) = *array.ty.kind() else { return None };
        let quals = array.quals;
        let index = self.row_number(chain, span)?;
        let kind = PlaceKind::ArrayIndex(Box::new(array), Box::new(index));
        Some(Place { kind, ty: elem, quals, span })
    }

    /// `a[i]` of `T a[n][m]` as a pointer to its `m` elements.
    pub fn row(&mut self, e: &'a hir::Expr) -> Option<Expr> {
        let span = e.span;
        let chain = self.row_chain(e)?;
        if chain.at.len() + 1 != chain.dims.len() {
            return None;
        }
        let len = *chain.dims.last()?;
        let Some(mut array) = self.rows_place(chain.array, span) else {
            return Some(self.bad(span));
        };
        let TyKind::Vla(elem) = *array.ty.kind() else { return Some(self.bad(span)) };
        self.lend_inside(&mut array);
        let region = self.place_region(&array);
        let ty = PtrTy { bounds: Bounds::Fat, ..notnull(elem, array.quals, region) };
        let Some(start) = self.row_number(chain, span) else { return Some(self.bad(span)) };
        let kind = ExprKind::Row { array: Box::new(array), start: Box::new(start), len };
        Some(mk(kind, Ty::ptr(ty), span))
    }

    /// `sizeof a`, `sizeof a[i]`.
    pub fn sizeof_rows(&mut self, e: &'a hir::Expr, span: Span) -> Option<Expr> {
        let chain = self.row_chain(e)?;
        if chain.at.len() == chain.dims.len() {
            return None;
        }
        for index in &chain.at {
            let ty = self.type_of(index);
            if !ty.is_integer() {
                self.not_an_index(ty, index.span);
                return Some(self.bad(span));
            }
        }
        let array = self.rows_place(chain.array, span)?;
        let TyKind::Vla(elem) = *array.ty.kind() else { return None };
        let mut size = self.sizeof(elem, span);
        for dim in &chain.dims[chain.at.len()..] {
            let place = Box::new(self.rows_place(*dim, span)?);
            let count = mk(ExprKind::Load(place), self.t.ulong, span);
            size = self.binary_values(hir::BinOp::Mul, count, size, span);
        }
        Some(size)
    }

    fn rows_place(&mut self, id: LocalId, span: Span) -> Option<Place> {
        let local = self.locals.get(id)?;
        Some(Place { kind: PlaceKind::Local(id), ty: local.ty, quals: local.quals, span })
    }

    fn row_number(&mut self, chain: Chain<'a>, span: Span) -> Option<Expr> {
        let mut at = Vec::with_capacity(chain.at.len());
        for index in chain.at {
            at.push(self.index_value(index)?);
        }
        Some(mk(ExprKind::RowAt { dims: chain.dims, at }, self.t.ulong, span))
    }
}
