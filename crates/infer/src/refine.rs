//! Refinements: what is stored in a refined place satisfies its condition.
//!
//! A refinement is a qualifier of places (`TyQuals::refine`), like `const`: values have plain
//! types, and each store into a refined place checks what it stores. A pointer keeps the
//! refinement of what it points at, so that no store goes around the check. No rule of memory
//! safety rests on a refinement: facts come from the checks themselves.

use crate::convert::mk;
use crate::cx::Fx;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::LocalId;
use toft_hir::ops::{BinOp, IncDec};
use toft_tir::{self as tir, Expr, ExprKind, LocalInit, Place, PlaceKind};
use toft_ty::{PtrTy, Refinement, RegionId, Ty, TyQuals};

/// What stands for the variable of a condition.
#[derive(Clone, Copy)]
pub enum Stand {
    Local(LocalId),
    Int(i128, Ty),
    Float(f64, Ty),
}

/// Whose variables a condition at hand names, when they are not the function's own.
#[derive(Clone)]
pub enum Refining {
    Var(LocalId, Stand),
    /// A callee's parameters and the copies of their arguments.
    Params(Vec<(LocalId, LocalId)>),
}

impl<'a> Fx<'a> {
    /// The variable of the condition at hand.
    pub fn refined_var(&mut self, id: LocalId, span: Span) -> Option<Place> {
        let stand = match self.refining.as_ref()? {
            Refining::Var(var, stand) if *var == id => Some(*stand),
            Refining::Var(..) => None,
            Refining::Params(pairs) => {
                pairs.iter().find(|pair| pair.0 == id).map(|pair| Stand::Local(pair.1))
            }
        };
        let Some(stand) = stand else {
            self.not_constant(span);
            return None;
        };
        let quals = TyQuals::default();
        let value = match stand {
            Stand::Local(local) => {
                let ty = self.locals.get(local)?.ty;
                return Some(Place { kind: PlaceKind::Local(local), ty, quals, span });
            }
            Stand::Int(value, ty) => mk(ExprKind::Int(value), ty, span),
            Stand::Float(value, ty) => mk(ExprKind::Float(value), ty, span),
        };
        let ty = value.ty;
        Some(Place { kind: PlaceKind::Temp(Box::new(value), self.here), ty, quals, span })
    }

    /// The conditions of a refinement and of those it narrows, outermost first.
    pub fn conditions(&self, refine: Refinement) -> Vec<Refinement> {
        let mut list = vec![refine];
        while let Some(parent) =
            list.last().and_then(|&last| self.prog.tables.refine(last)).and_then(|def| def.parent)
            && list.len() < 64
        {
            list.push(parent);
        }
        list.reverse();
        list
    }

    pub fn condition(&mut self, refine: Refinement, stand: Stand) -> Option<Expr> {
        let prog: &'a hir::Program = self.prog;
        let def = prog.refines.get(refine.index())?;
        let outer = self.refining.replace(Refining::Var(def.var, stand));
        let cond = self.cond(&def.cond);
        self.refining = outer;
        Some(cond)
    }

    pub fn zero_fits(&self, refine: Option<Refinement>) -> bool {
        self.prog.tables.zero_fits(TyQuals { refine, ..TyQuals::default() })
    }

    /// What a value is known to satisfy by where it comes from.
    fn known_refinement(&self, e: &Expr) -> Option<Refinement> {
        match &e.kind {
            ExprKind::Load(place) => place.quals.refine,
            ExprKind::Call(call) => match &call.callee {
                tir::Callee::Func(id, _) => self.prog.funcs[*id].ret_refine,
                _ => None,
            },
            _ => None,
        }
    }

    /// `value`, checked to satisfy `want`.
    pub fn refined(&mut self, value: Expr, want: Option<Refinement>) -> Expr {
        let Some(want) = want else { return value };
        if value.ty.is_error()
            || self.prog.tables.implies(self.known_refinement(&value), Some(want))
        {
            return value;
        }
        let span = value.span;
        let constant = match value.kind {
            ExprKind::Int(n) => Some(Stand::Int(n, value.ty)),
            ExprKind::Float(x) => Some(Stand::Float(x, value.ty)),
            _ => None,
        };
        if let Some(stand) = constant
            && let Some(holds) = self.holds_for(want, stand)
        {
            if !holds {
                return self.refuted(want, span);
            }
            return value;
        }
        if self.func.is_none() {
            self.not_constant(span);
            return self.bad(span);
        }
        self.checked(value, want)
    }

    /// Whether a constant satisfies a refinement, when that can be told.
    fn holds_for(&mut self, refine: Refinement, stand: Stand) -> Option<bool> {
        for refine in self.conditions(refine) {
            let cond = self.condition(refine, stand)?;
            if !self.truth_of(&cond)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The truth of a condition without variables; comparisons of floats included.
    fn truth_of(&mut self, e: &Expr) -> Option<bool> {
        if let ExprKind::Compare(op, a, b) = &e.kind
            && let (ExprKind::Float(a), ExprKind::Float(b)) = (&a.kind, &b.kind)
        {
            return Some(match op {
                BinOp::Lt => a < b,
                BinOp::Le => a <= b,
                BinOp::Gt => a > b,
                BinOp::Ge => a >= b,
                BinOp::Eq => a == b,
                _ => a != b,
            });
        }
        match &e.kind {
            ExprKind::And(a, b) => Some(self.truth_of(a)? && self.truth_of(b)?),
            ExprKind::Or(a, b) => Some(self.truth_of(a)? || self.truth_of(b)?),
            ExprKind::Not(a) => Some(!self.truth_of(a)?),
            _ => Some(self.const_value(e, 0)? != 0),
        }
    }

    fn refuted(&mut self, want: Refinement, span: Span) -> Expr {
        let Some(def) = self.prog.tables.refine(want) else { return self.bad(span) };
        let text = self.source(span);
        let d = Diagnostic::error(
            codes::E1201,
            format!("`{text}` is not a value of `{}`", def.text),
            span,
            format!("`{}` does not hold", def.cond),
        )
        .label(def.span, "the type is refined here");
        self.report(d);
        self.bad(span)
    }

    /// `({ T v = value; assert(condition of v); v; })`
    fn checked(&mut self, value: Expr, want: Refinement) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let local = self.hidden(ty, span);
        let mut stmts =
            vec![tir::Stmt { kind: tir::StmtKind::Local(local, LocalInit::Value(value)), span }];
        self.check_local(local, want, span, &mut stmts);
        self.value_of(stmts, local, span)
    }

    /// Asserts for the conditions of `want` on a variable.
    fn check_local(
        &mut self,
        local: LocalId,
        want: Refinement,
        span: Span,
        stmts: &mut Vec<tir::Stmt>,
    ) {
        for refine in self.conditions(want) {
            let Some(def) = self.prog.tables.refine(refine) else { continue };
            let (text, at) = (def.cond, def.span);
            let Some(cond) = self.condition(refine, Stand::Local(local)) else { continue };
            for cond in conjuncts(cond) {
                let kind = ExprKind::Assert { cond: Box::new(cond), text, at, judge: false };
                let assert = mk(kind, self.t.void, span);
                stmts.push(tir::Stmt { kind: tir::StmtKind::Expr(assert), span });
            }
        }
    }

    /// What a parameter (or the result) of the function at hand must satisfy, as contracts.
    pub fn refined_contract(
        &mut self,
        local: LocalId,
        want: Refinement,
        list: &mut Vec<tir::ContractCond>,
    ) {
        for refine in self.conditions(want) {
            let Some(def) = self.prog.tables.refine(refine) else { continue };
            let (text, at) = (def.cond, def.span);
            let Some(cond) = self.condition(refine, Stand::Local(local)) else { continue };
            for cond in conjuncts(cond) {
                let span = self.locals[local].span;
                let span = if span.is_none() { at } else { span };
                list.push(tir::ContractCond { cond, text, span });
            }
        }
    }

    /// What `result` names in contracts.
    pub fn result_local(&mut self, ty: Ty, span: Span) -> LocalId {
        self.locals.push(tir::Local {
            name: Some(Symbol::intern("result")),
            ty,
            quals: TyQuals::default(),
            span,
            region: RegionId(0),
            align: None,
            maybe_unused: true,
        })
    }

    pub fn hidden_load(&self, local: LocalId, span: Span) -> Expr {
        let ty = self.locals[local].ty;
        let place = Place { kind: PlaceKind::Local(local), ty, quals: TyQuals::default(), span };
        mk(ExprKind::Load(Box::new(place)), ty, span)
    }

    /// The statements, then the value of `local`.
    pub fn value_of(&mut self, stmts: Vec<tir::Stmt>, local: LocalId, span: Span) -> Expr {
        let value = self.hidden_load(local, span);
        let ty = value.ty;
        let block = Box::new(tir::Block { stmts, region: None, span });
        mk(ExprKind::StmtExpr { block, value: Some(Box::new(value)) }, ty, span)
    }

    /// `place op= rhs` on a refined place: `place = place op rhs`, which names the place twice.
    pub fn refined_op(
        &mut self,
        op: BinOp,
        left: &'a hir::Expr,
        place: Place,
        rhs: Expr,
        span: Span,
    ) -> Expr {
        let plain = still(&rhs) || simple_place(&place);
        let Some(again) = self.twice(left, &place, plain) else { return self.bad(span) };
        let ty = self.shallow(place.ty);
        let other = self.shallow(rhs.ty);
        if other.is_error() {
            return self.bad(span);
        }
        if !other.is_arithmetic() {
            return self.bad_operands(op, ty, other, span);
        }
        let kept = self.hidden(other, span);
        let first = tir::StmtKind::Local(kept, LocalInit::Value(rhs));
        let mut stmts = vec![tir::Stmt { kind: first, span }];
        let old = mk(ExprKind::Load(Box::new(again)), ty, span);
        let amount = self.hidden_load(kept, span);
        let value = self.binary_values(op, old, amount, span);
        if value.ty.is_error() {
            return self.bad(span);
        }
        let new = self.store_refined(place, value, &mut stmts, span);
        self.value_of(stmts, new, span)
    }

    /// `++` and `--` on a refined place.
    pub fn refined_step(
        &mut self,
        op: IncDec,
        post: bool,
        inner: &'a hir::Expr,
        place: Place,
        span: Span,
    ) -> Expr {
        let Some(again) = self.twice(inner, &place, true) else { return self.bad(span) };
        let ty = self.shallow(place.ty);
        let old = mk(ExprKind::Load(Box::new(again)), ty, span);
        let kept = self.hidden(ty, span);
        let first = tir::StmtKind::Local(kept, LocalInit::Value(old));
        let mut stmts = vec![tir::Stmt { kind: first, span }];
        let one = self.int_const(1, self.t.int, span);
        let before = self.hidden_load(kept, span);
        let op = if op == IncDec::Inc { BinOp::Add } else { BinOp::Sub };
        let value = self.binary_values(op, before, one, span);
        if value.ty.is_error() {
            return self.bad(span);
        }
        let new = self.store_refined(place, value, &mut stmts, span);
        self.value_of(stmts, if post { kept } else { new }, span)
    }

    fn store_refined(
        &mut self,
        place: Place,
        value: Expr,
        stmts: &mut Vec<tir::Stmt>,
        span: Span,
    ) -> LocalId {
        let ty = self.shallow(place.ty);
        let value = self.arith(value, ty, true);
        let want = place.quals.refine;
        let new = self.hidden(ty, span);
        let made = tir::StmtKind::Local(new, LocalInit::Value(value));
        stmts.push(tir::Stmt { kind: made, span });
        if let Some(want) = want {
            self.check_local(new, want, span, stmts);
        }
        let stored = self.hidden_load(new, span);
        let store = mk(ExprKind::Assign(Box::new(place), Box::new(stored)), ty, span);
        stmts.push(tir::Stmt { kind: tir::StmtKind::Expr(store), span });
        new
    }

    /// The place a second time, when evaluating it twice makes no difference.
    fn twice(&mut self, e: &'a hir::Expr, place: &Place, plain: bool) -> Option<Place> {
        if !plain || !still_place(place) {
            self.report(
                Diagnostic::error(
                    codes::E0402,
                    "this changes a refined place and something else at once",
                    e.span,
                    "evaluated twice",
                )
                .help("keep the index or pointer in a variable first"),
            );
            return None;
        }
        self.place(e)
    }

    pub fn refine_lost(&mut self, e: &Expr, a: &PtrTy, b: &PtrTy, to: Ty) -> Expr {
        let have = self.show(e.ty);
        let text = self.show(to);
        let gains = b.quals.refine.is_some();
        let message = if gains {
            format!("{text} promises what {have} does not")
        } else {
            format!("{text} allows writing what {have} forbids")
        };
        let mut d = Diagnostic::error(codes::E0406, message, e.span, format!("has type {have}"));
        let refine = if gains { b.quals.refine } else { a.quals.refine };
        if let Some(def) = refine.and_then(|refine| self.prog.tables.refine(refine)) {
            d = d.label(def.span, "the elements are refined here");
        }
        d = if gains {
            d.help("copy the values into variables of the refined type, which checks them")
        } else {
            d.help("make the target `const`, or give it the same refinement")
        };
        self.report(d);
        self.bad(e.span)
    }
}

/// The parts of `a && b && …`.
pub fn conjuncts(cond: Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    split(cond, &mut out);
    out
}

fn split(cond: Expr, out: &mut Vec<Expr>) {
    match cond.kind {
        ExprKind::And(a, b) => {
            split(*a, out);
            split(*b, out);
        }
        kind => out.push(Expr { kind, ..cond }),
    }
}

fn still_place(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Deref(e) => still(e),
        PlaceKind::PtrIndex(e, i) => still(e) && still(i),
        PlaceKind::ArrayIndex(inner, i) => still_place(inner) && still(i),
        PlaceKind::Field(inner, _) => still_place(inner),
        PlaceKind::Temp(..) => false,
    }
}

/// Which place it is depends on nothing.
fn simple_place(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Field(inner, _) => simple_place(inner),
        _ => false,
    }
}

/// Changes nothing when it is evaluated.
pub fn still(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Sizeof(_) => true,
        ExprKind::Load(place) => !place.quals.is_volatile && still_place(place),
        ExprKind::AddrOf(place) | ExprKind::Decay(place) => still_place(place),
        ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Not(a) | ExprKind::Conv(_, a) => {
            still(a)
        }
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::PtrAdd(a, b) => {
            still(a) && still(b)
        }
        _ => false,
    }
}
