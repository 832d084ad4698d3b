//! Aggregates and array comprehensions.

use crate::builder::{Lower, local_id};
use crate::consts::fold_compare;
use toft_base::Span;
use toft_mir::{BinOp, CheckKind, CmpOp, Index, LocalId, Operand, Place, Proj, Rvalue, StmtKind};
use toft_tir::{Aggregate, AggregateKind, Expr, ExprKind};
use toft_ty::{AdtKind, IntExpr, Ty, TyKind};

impl Lower<'_> {
    /// One right side builds it.
    pub fn is_flat(&self, agg: &Aggregate, ty: Ty) -> bool {
        if matches!(agg.kind, AggregateKind::Variant(..)) {
            return true;
        }
        let rising = agg.fields.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let simple =
            |e: &Expr| !matches!(e.kind, ExprKind::Aggregate(_) | ExprKind::Comprehension { .. });
        rising && !self.is_tagged(ty) && agg.fields.iter().all(|(_, e)| simple(e))
    }

    /// Known to be all zero, the tags of unions with it: even a null says which member is meant.
    fn is_zero(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(0) | ExprKind::Null => true,
            ExprKind::Aggregate(agg) => {
                let first_only = self.is_tagged(e.ty);
                agg.kind == AggregateKind::Plain
                    && agg.fields.iter().all(|(n, e)| (!first_only || *n == 0) && self.is_zero(e))
            }
            _ => false,
        }
    }

    fn is_tagged(&self, ty: Ty) -> bool {
        matches!(ty.kind(), TyKind::Adt(id, _) if matches!(
            self.decls.tables.adts[*id].kind,
            AdtKind::TaggedUnion | AdtKind::PackedUnion
        ))
    }

    pub fn flat_aggregate(&mut self, agg: &Aggregate) -> Rvalue {
        let list: Vec<&Expr> = agg.fields.iter().map(|(_, e)| e).collect();
        let ops = self.operands(&list);
        let mut fields: Vec<(u64, Operand)> = agg.fields.iter().map(|(n, _)| *n).zip(ops).collect();
        match agg.kind {
            AggregateKind::Plain => Rvalue::Aggregate(fields),
            AggregateKind::Variant(adt, variant) => {
                fields.sort_by_key(|field| field.0);
                Rvalue::Variant(adt, variant, fields.into_iter().map(|(_, op)| op).collect())
            }
        }
    }

    pub fn aggregate_into(&mut self, agg: &Aggregate, e: &Expr, dest: Place, fresh: bool) {
        if self.is_flat(agg, e.ty) {
            let value = self.flat_aggregate(agg);
            return self.assign(e.span, dest, value);
        }
        if !fresh {
            let temp = self.temp(e.ty, e.span);
            self.aggregate_into(agg, e, Place::local(temp), true);
            let value = Rvalue::Use(self.held(temp));
            return self.assign(e.span, dest, value);
        }
        if self.is_tagged(e.ty) {
            return self.tagged_into(agg, e, dest);
        }
        let is_array = matches!(e.ty.kind(), TyKind::Array { .. });
        let zeroed = is_array || !self.covers(agg, e.ty);
        if zeroed {
            self.assign(e.span, dest.clone(), Rvalue::Aggregate(Vec::new()));
        }
        let mut seen = 0;
        for (n, value) in &agg.fields {
            // A later value for the same field must not be skipped for being zero.
            let first = *n >= seen;
            seen = seen.max(n + 1);
            if zeroed && first && self.is_zero(value) {
                continue;
            }
            let step = match is_array {
                true => Proj::Index(Index::Const(*n)),
                false => Proj::Field(*n as u32),
            };
            self.into(value, dest.clone().then(step), true);
        }
    }

    /// The value first, then all of it at once, so that tag and member never disagree.
    fn tagged_into(&mut self, agg: &Aggregate, e: &Expr, dest: Place) {
        let mut values = Vec::with_capacity(agg.fields.len());
        for (n, value) in &agg.fields {
            values.push((*n, self.operand(value)));
        }
        self.assign(e.span, dest.clone(), Rvalue::Aggregate(Vec::new()));
        if let Some((n, value)) = values.pop() {
            let field = n as u32;
            self.emit(e.span, StmtKind::SetTag(dest.clone(), field));
            self.assign(e.span, dest.then(Proj::Field(field)), Rvalue::Use(value));
        }
    }

    /// Every field has its own value.
    fn covers(&self, agg: &Aggregate, ty: Ty) -> bool {
        let count = match ty.kind() {
            TyKind::Tuple(fields) => fields.len(),
            TyKind::Adt(id, _) => {
                let def = &self.decls.tables.adts[*id];
                match (def.kind, &def.fields) {
                    (AdtKind::Struct, Some(fields)) => fields.len(),
                    _ => return false,
                }
            }
            _ => return false,
        };
        let mut seen = vec![false; count];
        for (n, _) in &agg.fields {
            if let Some(slot) = seen.get_mut(*n as usize) {
                *slot = true;
            }
        }
        seen.into_iter().all(|slot| slot)
    }

    /// `{for i < n : e}` into an array.
    pub fn comprehension_into(
        &mut self,
        var: toft_tir::LocalId,
        count: &Expr,
        body: &Expr,
        e: &Expr,
        dest: Place,
        fresh: bool,
    ) {
        if !fresh {
            let temp = self.temp(e.ty, e.span);
            self.comprehension_into(var, count, body, e, Place::local(temp), true);
            let value = Rvalue::Use(self.held(temp));
            return self.assign(e.span, dest, value);
        }
        let ty = self.body.locals[local_id(var)].ty;
        let number = self.operand(count);
        let count = self.fixed(number, count.ty, ty, count.span);
        let len = match e.ty.kind() {
            TyKind::Array { len, .. } => *len,
            _ => IntExpr::Unknown,
        };
        let inside = match (count.as_int(), len) {
            (Some(count), IntExpr::Const(len)) => fold_compare(CmpOp::Le, count, i128::from(len)),
            _ => false,
        };
        self.assign(e.span, dest.clone(), Rvalue::Aggregate(Vec::new()));
        self.each(var, count, body, |this, at| {
            if !inside {
                let index = Operand::Copy(Place::local(at));
                let len = this.int_value(len, e.span);
                this.check(e.span, CheckKind::Index { index, len });
            }
            dest.clone().then(Proj::Index(Index::Local(at)))
        });
    }

    /// Evaluates `body` for `var` from 0 up to `count` (of the variable's type), each time
    /// into the place that `element` gives.
    pub fn each(
        &mut self,
        var: toft_tir::LocalId,
        count: Operand,
        body: &Expr,
        mut element: impl FnMut(&mut Self, LocalId) -> Place,
    ) {
        let var = local_id(var);
        let (ty, span) = (self.body.locals[var].ty, self.body.locals[var].span);
        self.repeat(count, ty, body.span, |this, at| {
            let node = this.node;
            this.live(var, true, span);
            let value = Rvalue::Use(Operand::Copy(Place::local(at)));
            this.assign(span, Place::local(var), value);
            let direct = matches!(body.kind, ExprKind::Aggregate(_));
            if direct {
                let dest = element(this, at);
                this.into(body, dest, true);
            } else {
                let value = this.rvalue(body);
                let dest = element(this, at);
                this.assign(body.span, dest, value);
            }
            this.leave(node, body.span);
        });
    }

    /// A loop with a counter of its own, from 0 up to `count`, of type `ty`.
    pub fn repeat(
        &mut self,
        count: Operand,
        ty: Ty,
        span: Span,
        body: impl FnOnce(&mut Self, LocalId),
    ) {
        let at = self.keep(Rvalue::Use(Operand::int(0, ty)), ty, span);
        let (head, inside, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.goto(span, head);
        self.start(head);
        let now = || Operand::Copy(Place::local(at));
        let test = Rvalue::Compare(CmpOp::Lt, now(), count);
        self.branch_on(test, inside, exit, span);
        self.start(inside);
        body(self, at);
        let next = Rvalue::Binary(BinOp::Add, now(), Operand::int(1, ty));
        self.assign(span, Place::local(at), next);
        self.goto(span, head);
        self.start(exit);
    }

    /// `op`, converted and kept where nothing changes it.
    pub fn fixed(&mut self, op: Operand, from: Ty, to: Ty, span: Span) -> Operand {
        match self.arith_convert(op, from, to, span) {
            Rvalue::Use(Operand::Const(c)) => Operand::Const(c),
            Rvalue::Use(op) if op.place().is_some_and(|place| self.is_settled(place)) => op,
            value => Operand::Copy(Place::local(self.keep(value, to, span))),
        }
    }
}
