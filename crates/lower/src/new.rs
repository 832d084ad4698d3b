//! `new`, `malloc` and kin: the object is made, then filled through the fresh pointer.

use crate::builder::{Lower, local_id};
use toft_mir::{
    Cast, CheckKind, CmpOp, Const, ConstKind, Index, LocalId, Operand, Place, Proj, Rvalue,
};
use toft_tir::{AggregateKind, Conv, Expr, ExprKind, New, NewInit};
use toft_ty::{AdtKind, Aqual, Bounds, Folder, IntExpr, PtrTy, Subst, Ty, TyKind};

/// A constant count up to this needs no check of its own: no element is so large that the
/// bytes would overflow.
const SMALL_COUNT: i128 = 4096;

impl Lower<'_> {
    pub fn new_object(&mut self, new: &New, e: &Expr) -> Rvalue {
        let span = e.span;
        let region = new.region.as_ref().map(|handle| self.operand(handle));
        let region = region.filter(|handle| handle.as_int().is_none());
        let qual = self.qualifier(new.qual.as_ref(), e.ty);
        if new.count.is_some()
            && matches!(new.init, NewInit::Value(_) | NewInit::Array(_))
            && self.is_tracked(new.elem)
            && !matches!(&new.init, NewInit::Array(e)
                if matches!(e.kind, ExprKind::Aggregate(_) | ExprKind::Comprehension { .. }))
        {
            self.unsupported(span, "an array filled with copies of a tracked value");
        }
        let count = new.count.as_ref().map(|count| self.element_count(count, new.elem));
        // A value of one step is evaluated before the object is made.
        let value = match &new.init {
            NewInit::Value(value) if count.is_none() && !is_nested(value) => {
                Some(self.rvalue(value))
            }
            _ => None,
        };
        let Some(&ptr) = e.ty.as_ptr() else { return Rvalue::Use(self.nothing()) };
        let bounds = match (ptr.bounds, count.as_ref().map(Operand::as_int)) {
            (Bounds::Thin(n), _) => n,
            (Bounds::Fat, None) => IntExpr::Const(1),
            (Bounds::Fat, Some(Some(n))) => IntExpr::Const(n as u64),
            (Bounds::Fat, Some(None)) => IntExpr::Unknown,
        };
        let thin = Ty::ptr(PtrTy { bounds: Bounds::Thin(bounds), nullable: false, ..ptr });
        let alloc = Rvalue::Alloc { elem: new.elem, count: count.clone(), region, qual };
        if matches!((&new.init, ptr.bounds), (NewInit::Zero, Bounds::Thin(_))) {
            return alloc;
        }
        let base = self.keep(alloc, thin, span);
        match value {
            Some(value) => self.assign(span, element(base, Index::Const(0)), value),
            None => self.fill(&new.init, base, count.as_ref(), span),
        }
        let base = self.held(base);
        match ptr.bounds {
            Bounds::Thin(_) => Rvalue::Use(base),
            Bounds::Fat => {
                let len = count.unwrap_or_else(|| self.ulong(1));
                Rvalue::MakeFat { base, len }
            }
        }
    }

    /// `new E` of an exception without arguments, to be thrown: all are alike, and nobody can
    /// store into one.
    pub fn plain_exception(&self, e: &Expr) -> Option<Operand> {
        let mut inner = e;
        while let ExprKind::Conv(Conv::PtrCast, of) = &inner.kind {
            inner = of;
        }
        let ExprKind::New(new) = &inner.kind else { return None };
        let NewInit::Value(value) = &new.init else { return None };
        let ExprKind::Aggregate(made) = &value.kind else { return None };
        let AggregateKind::Variant(adt, variant) = made.kind else { return None };
        let open = self.decls.tables.adts[adt].kind == AdtKind::OpenDatatype;
        let empty = self.decls.tables.variant(adt, variant)?.fields.is_empty();
        let shared = new.region.is_none() && new.qual.is_none() && new.count.is_none();
        let plain = open && empty && shared && made.fields.is_empty() && !self.is_tracked(e.ty);
        let value = Const { kind: ConstKind::Exn(adt, variant), ty: e.ty };
        plain.then_some(Operand::Const(value))
    }

    /// Who may point at what is made: known from the type, or a handle's value.
    fn qualifier(&mut self, handle: Option<&Expr>, ty: Ty) -> Option<Operand> {
        let aqual = ty.as_ptr().map_or(Aqual::Aliasable, |ptr| ptr.aqual);
        let number = match aqual {
            Aqual::Aliasable => 0,
            Aqual::Unique => 1,
            Aqual::Counted => 2,
            _ => return handle.map(|handle| self.operand(handle)),
        };
        if let Some(handle) = handle {
            self.effect(handle);
        }
        (number != 0).then(|| Operand::int(number, Ty::new(TyKind::AqualHandle(aqual))))
    }

    /// The number of elements, checked, as an `unsigned long`.
    fn element_count(&mut self, count: &Expr, elem: Ty) -> Operand {
        let op = self.operand(count);
        // Of an object with elements behind it, these are counted.
        let elem = match *elem.kind() {
            TyKind::Adt(id, args) => match self.decls.tables.adts[id].flexible() {
                Some((_, of)) => Subst(args).ty(of),
                None => elem,
            },
            _ => elem,
        };
        if !op.as_int().is_some_and(|n| (0..=SMALL_COUNT).contains(&n)) {
            self.check(count.span, CheckKind::Count { count: op.clone(), elem });
        }
        self.fixed(op, count.ty, self.ty.ulong, count.span)
    }

    fn fill(
        &mut self,
        init: &NewInit,
        base: LocalId,
        count: Option<&Operand>,
        span: toft_base::Span,
    ) {
        match init {
            NewInit::Zero => {}
            NewInit::Value(value) => match count {
                None => self.into(value, element(base, Index::Const(0)), true),
                Some(count) => {
                    let value = self.operand(value);
                    let ulong = self.ty.ulong;
                    self.repeat(count.clone(), ulong, span, |this, at| {
                        let dest = element(base, Index::Local(at));
                        this.assign(span, dest, Rvalue::Use(value));
                    });
                }
            },
            NewInit::Each { var, body, .. } => self.fill_each(*var, body, base, count, span),
            NewInit::Array(array) => self.fill_array(array, base, count, span),
        }
    }

    fn fill_each(
        &mut self,
        var: toft_tir::LocalId,
        body: &Expr,
        base: LocalId,
        count: Option<&Operand>,
        span: toft_base::Span,
    ) {
        let count = count.cloned().unwrap_or_else(|| self.ulong(1));
        let ty = self.body.locals[local_id(var)].ty;
        let count = self.fixed(count, self.ty.ulong, ty, span);
        self.each(var, count, body, |_, at| element(base, Index::Local(at)));
    }

    fn fill_array(
        &mut self,
        array: &Expr,
        base: LocalId,
        count: Option<&Operand>,
        span: toft_base::Span,
    ) {
        match &array.kind {
            ExprKind::Aggregate(agg) => {
                for (n, value) in &agg.fields {
                    self.into(value, element(base, Index::Const(*n)), true);
                }
            }
            ExprKind::Comprehension { var, body, .. } => {
                self.fill_each(*var, body, base, count, span);
            }
            _ => {
                let temp = self.temp(array.ty, array.span);
                self.into(array, Place::local(temp), true);
                let count = count.cloned().unwrap_or_else(|| self.ulong(1));
                let ulong = self.ty.ulong;
                self.repeat(count, ulong, span, |this, at| {
                    let from = Place::local(temp).then(Proj::Index(Index::Local(at)));
                    let dest = element(base, Index::Local(at));
                    this.assign(span, dest, Rvalue::Use(Operand::Copy(from)));
                });
            }
        }
    }
}

impl Lower<'_> {
    /// `realloc`: a new array, with as many of the old elements as fit.
    pub fn reallocate(
        &mut self,
        ops: &[Operand],
        old: &Expr,
        count: &Expr,
        elem: Ty,
        e: &Expr,
    ) -> Rvalue {
        let (span, ulong) = (e.span, self.ty.ulong);
        let (from, wanted) = (ops[0].clone(), ops[1].clone());
        if !wanted.as_int().is_some_and(|n| (0..=SMALL_COUNT).contains(&n)) {
            self.check(count.span, CheckKind::Count { count: wanted.clone(), elem });
        }
        let wanted = self.fixed(wanted, count.ty, ulong, count.span);
        let Some(&ptr) = e.ty.as_ptr() else { return Rvalue::Use(self.nothing()) };
        let unknown = |ptr: PtrTy| PtrTy {
            bounds: Bounds::Thin(IntExpr::Unknown),
            nullable: false,
            zeroterm: false,
            ..ptr
        };
        let thin = match ptr.bounds {
            Bounds::Thin(_) => e.ty,
            Bounds::Fat => Ty::ptr(unknown(ptr)),
        };
        let qual = self.qualifier(None, e.ty);
        let alloc = Rvalue::Alloc { elem, count: Some(wanted.clone()), region: None, qual };
        let base = self.keep(alloc, thin, span);
        // The smaller of the two lengths; of null it is 0.
        let have = self.settle(Rvalue::FatLen(from.clone()), ulong, span);
        let less = self.temp(ulong, span);
        let less = Place::local(less);
        self.assign(span, less.clone(), Rvalue::Use(have.clone()));
        let (cut, go) = (self.new_block(), self.new_block());
        let longer = Rvalue::Compare(CmpOp::Gt, have, wanted.clone());
        self.branch_on(longer, cut, go, span);
        self.start(cut);
        self.assign(span, less.clone(), Rvalue::Use(wanted.clone()));
        self.goto(span, go);
        self.start(go);
        // Within that length the old pointer needs no further check.
        let old_ty = Ty::ptr(unknown(old.ty.as_ptr().copied().unwrap_or(ptr)));
        let source = self.keep(Rvalue::Cast(Cast::FatToThin, from, old_ty), old_ty, span);
        self.repeat(Operand::Copy(less), ulong, span, |this, at| {
            let from = Operand::Copy(element(source, Index::Local(at)));
            this.assign(span, element(base, Index::Local(at)), Rvalue::Use(from));
        });
        let base = self.held(base);
        match ptr.bounds {
            Bounds::Thin(_) => Rvalue::Use(base),
            Bounds::Fat => Rvalue::MakeFat { base, len: wanted },
        }
    }
}

fn element(base: LocalId, index: Index) -> Place {
    Place::local(base).then(Proj::Deref(index))
}

/// Made of several stores.
fn is_nested(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Aggregate(agg) => agg.fields.iter().any(|(_, e)| {
            matches!(e.kind, ExprKind::Aggregate(_) | ExprKind::Comprehension { .. })
        }),
        ExprKind::Comprehension { .. } => true,
        _ => false,
    }
}
