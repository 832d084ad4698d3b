//! What a function requires, looked at where it is called.
//!
//! The check itself is the callee's. Here the condition is typed once more, over copies of the
//! arguments, for `check` to refuse a call that is certain to break it. Only conditions over
//! numbers and null tests are looked at: they have no effects and cannot fail.

use crate::convert::mk;
use crate::cx::Fx;
use crate::refine::{Refining, Stand, conjuncts};
use toft_base::{Span, Symbol};
use toft_hir as hir;
use toft_hir::{ExprKind as K, FuncId, HirTy, LocalId, UnOp};
use toft_tir::{self as tir, Expr, ExprKind};
use toft_ty::{Aqual, Flags};

impl<'a> Fx<'a> {
    /// The arguments of a call of `id`, with what is asked of them put behind the last.
    pub fn judge_call(&mut self, id: FuncId, args: &mut [Expr]) {
        let prog: &'a hir::Program = self.prog;
        let func = &prog.funcs[id];
        let asks = func.contracts.iter().any(|contract| contract.requires)
            || func.params.iter().any(|param| param.quals.refine.is_some());
        if !asks
            || self.func.is_none()
            || func.format.is_some()
            || !args.last().is_some_and(|last| self.copies(last))
        {
            return;
        }
        let mut used = vec![false; args.len()];
        let mut list = Vec::new();
        for contract in func.contracts.iter().filter(|contract| contract.requires) {
            let mut met = Vec::new();
            if plain(&contract.cond, &mut met)
                && met.iter().all(|&n| args.get(n).is_some_and(|arg| self.copies(arg)))
            {
                met.into_iter().for_each(|n| used[n] = true);
                list.push(contract);
            }
        }
        let refined: Vec<usize> = (0..args.len().min(func.params.len()))
            .filter(|&n| func.params[n].quals.refine.is_some())
            .collect();
        refined.iter().for_each(|&n| used[n] = true);
        if !used.contains(&true) {
            return;
        }
        let copies = self.copied(args, &used);
        let Some(last) = args.last() else { return };
        let span = last.span;
        let mut stmts = Vec::new();
        for contract in list {
            let pairs = copies.iter().map(|&(n, copy)| (LocalId(n as u32), copy)).collect();
            let outer = self.refining.replace(Refining::Params(pairs));
            let cond = self.cond(&contract.cond);
            self.refining = outer;
            let text = Symbol::intern(&self.source(contract.cond.span));
            self.judged(cond, text, contract.span, span, &mut stmts);
        }
        for n in refined {
            let (Some(refine), Some(&(_, copy))) =
                (func.params[n].quals.refine, copies.iter().find(|copy| copy.0 == n))
            else {
                continue;
            };
            for refine in self.conditions(refine) {
                let Some(def) = self.prog.tables.refine(refine) else { continue };
                let (text, at) = (def.cond, def.span);
                if let Some(cond) = self.condition(refine, Stand::Local(copy)) {
                    self.judged(cond, text, at, span, &mut stmts);
                }
            }
        }
        self.append(args, stmts);
    }

    /// A number or pointer that keeping a copy of changes nothing about.
    fn copies(&self, arg: &Expr) -> bool {
        match self.shallow(arg.ty).as_ptr() {
            Some(ptr) => self.aqual(ptr.aqual) == Aqual::Aliasable,
            None => self.shallow(arg.ty).is_arithmetic(),
        }
    }

    /// Each argument that is asked about is kept: `(copy = argument, copy)`.
    fn copied(&mut self, args: &mut [Expr], used: &[bool]) -> Vec<(usize, LocalId)> {
        let mut copies = Vec::new();
        for (n, arg) in args.iter_mut().enumerate().filter(|(n, _)| used[*n]) {
            let (ty, span) = (arg.ty, arg.span);
            let hole = self.bad(span);
            let value = std::mem::replace(arg, hole);
            let (copy, store) = self.keep_copy(value);
            copies.push((n, copy));
            let load = self.hidden_load(copy, span);
            *arg = mk(ExprKind::Comma(Box::new(store), Box::new(load)), ty, span);
        }
        copies
    }

    /// A variable of the compiler's own, and the assignment that gives it the value.
    fn keep_copy(&mut self, value: Expr) -> (LocalId, Expr) {
        let (ty, span) = (value.ty, value.span);
        let copy = self.hidden(ty, span);
        self.temps.push(copy);
        let kind = tir::PlaceKind::Local(copy);
        let place = tir::Place { kind, ty, quals: toft_ty::TyQuals::default(), span };
        (copy, mk(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span))
    }

    fn judged(
        &mut self,
        cond: Expr,
        text: Symbol,
        at: Span,
        span: Span,
        stmts: &mut Vec<tir::Stmt>,
    ) {
        for cond in conjuncts(cond) {
            let kind = ExprKind::Assert { cond: Box::new(cond), text, at, judge: true };
            let assert = mk(kind, self.t.void, span);
            stmts.push(tir::Stmt { kind: tir::StmtKind::Expr(assert), span });
        }
    }

    /// The statements come after the last argument, before the call.
    fn append(&mut self, args: &mut [Expr], mut stmts: Vec<tir::Stmt>) {
        let Some(end) = args.len().checked_sub(1) else { return };
        let span = args[end].span;
        let hole = self.bad(span);
        let value = std::mem::replace(&mut args[end], hole);
        let (kept, store) = self.keep_copy(value);
        stmts.insert(0, tir::Stmt { kind: tir::StmtKind::Expr(store), span });
        args[end] = self.value_of(stmts, kept, span);
    }
}

/// Whether a condition is made of numbers, parameters and null tests; which parameters.
fn plain(e: &hir::Expr, met: &mut Vec<usize>) -> bool {
    match &e.kind {
        K::Int(..) | K::Float(..) | K::Bool(_) | K::Null | K::EnumConst(..) => true,
        K::Local(id) => {
            met.push(id.0 as usize);
            true
        }
        K::Unary(UnOp::Plus | UnOp::Neg | UnOp::Not | UnOp::BitNot, a) => plain(a, met),
        K::Cast(ty, a) => {
            matches!(&**ty, HirTy::Known(ty, _) if !ty.flags().has(Flags::PARAM)) && plain(a, met)
        }
        K::Binary(op, a, b) => {
            use hir::BinOp::*;
            !matches!(op, Div | Rem | Shl | Shr) && plain(a, met) && plain(b, met)
        }
        K::LogicalAnd(a, b) | K::LogicalOr(a, b) => plain(a, met) && plain(b, met),
        _ => false,
    }
}
