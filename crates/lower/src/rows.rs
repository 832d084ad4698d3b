//! Arrays of arrays with computed lengths: one block of elements, and a variable per dimension.
//!
//! In bounds in each dimension is in bounds of the block: its count is the product of the
//! lengths, none of which ever changes.

use crate::builder::{Lower, local_id};
use toft_base::Span;
use toft_mir::{BinOp, CheckKind, LocalId, Operand, Place, Proj, Rvalue, StmtKind};
use toft_tir::Expr;
use toft_ty::{Bounds, IntExpr, PtrTy, Ty, TyKind};

impl Lower<'_> {
    pub fn declare_rows(&mut self, id: LocalId, dims: &[(toft_tir::LocalId, Expr)], span: Span) {
        let TyKind::Vla(elem) = *self.body.locals[id].ty.kind() else { return };
        let sizes: Vec<&Expr> = dims.iter().map(|(_, size)| size).collect();
        let sizes = self.operands(&sizes);
        // Each length and each product so far fits 32 bits, so that no product wraps.
        for ((_, size), op) in dims.iter().zip(&sizes) {
            self.check(size.span, CheckKind::Count { count: op.clone(), elem });
        }
        let ulong = self.ty.ulong;
        let mut total = None;
        for ((local, size), op) in dims.iter().zip(sizes) {
            let local = local_id(*local);
            let value = self.arith_convert(op, size.ty, ulong, size.span);
            self.live(local, true, span);
            self.assign(size.span, Place::local(local), value);
            let len = Operand::Copy(Place::local(local));
            total = Some(match total {
                None => len,
                Some(before) => {
                    let product = Rvalue::Binary(BinOp::Mul, before, len);
                    let product = Operand::Copy(Place::local(self.keep(product, ulong, size.span)));
                    self.check(size.span, CheckKind::Count { count: product.clone(), elem });
                    product
                }
            });
        }
        let Some(count) = total else { return };
        self.live(id, true, span);
        self.emit(span, StmtKind::Alloca { local: id, elem, count });
    }

    /// The number of the element at `at`, or of the first one there.
    pub fn row_at(&mut self, dims: &[toft_tir::LocalId], at: &[Expr], span: Span) -> Rvalue {
        let ulong = self.ty.ulong;
        let list: Vec<&Expr> = at.iter().collect();
        let ops = self.operands(&list);
        let len = |n: usize| Operand::Copy(Place::local(local_id(dims[n])));
        let mut number: Option<Operand> = None;
        for (n, (e, op)) in at.iter().zip(ops).enumerate() {
            self.check(e.span, CheckKind::Index { index: op.clone(), len: len(n) });
            let index = self.fixed(op, e.ty, ulong, e.span);
            number = Some(match number {
                None => index,
                Some(rows) => {
                    let before = self.product(rows, len(n), span);
                    let sum = Rvalue::Binary(BinOp::Add, before, index);
                    Operand::Copy(Place::local(self.keep(sum, ulong, span)))
                }
            });
        }
        let mut number = number.unwrap_or_else(|| self.ulong(0));
        for n in at.len()..dims.len() {
            number = self.product(number, len(n), span);
        }
        Rvalue::Use(number)
    }

    fn product(&mut self, a: Operand, b: Operand, span: Span) -> Operand {
        let value = Rvalue::Binary(BinOp::Mul, a, b);
        Operand::Copy(Place::local(self.keep(value, self.ty.ulong, span)))
    }

    /// The `len` elements from number `start` on.
    pub fn row(
        &mut self,
        array: &toft_tir::Place,
        start: &Expr,
        len: toft_tir::LocalId,
        e: &Expr,
    ) -> Rvalue {
        let index = self.index(start);
        let place = self.read_place(array).then(Proj::Deref(index));
        let Some(ptr) = e.ty.as_ptr() else { return Rvalue::Use(self.nothing()) };
        let bounds = Bounds::Thin(IntExpr::Const(1));
        let thin = Ty::ptr(PtrTy { bounds, nullable: false, ..*ptr });
        let base = self.settle(Rvalue::Ref(place), thin, e.span);
        Rvalue::MakeFat { base, len: Operand::Copy(Place::local(local_id(len))) }
    }
}
