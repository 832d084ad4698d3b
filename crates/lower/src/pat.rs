//! Pattern matching: tests arm by arm; over integers, one jump to the first arm that fits.
//!
//! Bindings are collected while testing and made only when the whole pattern fits.

use crate::builder::{Lower, local_id};
use crate::consts::float_const;
use crate::expr::compare;
use crate::place::Access;
use crate::scope::{Jump, NodeId, NodeKind};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::{
    BlockId, CmpOp, Index, LocalId, LocalKind, Operand, Place, Proj, Rvalue, TermKind, Trap,
};
use toft_tir::{Arm, Expr, Match, Pat, PatKind, Scrutinee};
use toft_ty::{AdtKind, Bounds, Ty, TyKind};

/// Where `fallthru` in an arm leads.
#[derive(Clone)]
pub(crate) struct NextArm {
    body: BlockId,
    /// The scope around the whole statement.
    node: NodeId,
    binds: Vec<LocalId>,
    span: Span,
}

/// A variable to be bound, and to what.
pub(crate) struct Bind {
    local: LocalId,
    place: Place,
    by_ref: bool,
    span: Span,
}

/// From this many integer patterns on a jump table pays.
const SWITCH_FROM: usize = 3;

impl Lower<'_> {
    pub fn match_stmt(&mut self, m: &Match) {
        let exit = self.new_block();
        let node = self.node;
        self.set_jump(m.jump, Jump { exit, again: None, node });
        let subject = match &m.scrutinee {
            Scrutinee::Place(place) => {
                let mut path = self.walk(place);
                let guards: Vec<&Expr> =
                    m.arms.iter().filter_map(|arm| arm.guard.as_ref()).collect();
                if !guards.is_empty() {
                    self.freeze(&mut path);
                    if self.guards_disturb(place, &guards) {
                        self.unsupported(place.span, "a match with guards that may change it");
                    }
                }
                self.open(path, Access::Inner).place
            }
            Scrutinee::Value(local, value) => {
                let local = local_id(*local);
                self.body.locals[local].kind = LocalKind::Temp;
                self.into(value, Place::local(local), true);
                Place::local(local)
            }
        };
        self.arms(&m.arms, &subject, exit);
        match m.partial {
            true => self.goto(m.span, exit),
            false => self.end(m.span, TermKind::Trap(Trap::NoMatch)),
        }
        self.start(exit);
    }

    /// Tries the arms in turn; those that match end in `exit`. Goes on where none did.
    pub fn arms(&mut self, arms: &[Arm], subject: &Place, exit: BlockId) {
        let bodies: Vec<BlockId> = arms.iter().map(|_| self.new_block()).collect();
        let miss = self.new_block();
        let hits = self.jump_table(arms, subject, miss);
        let node = self.node;
        for (n, arm) in arms.iter().enumerate() {
            let next = self.new_block();
            let mut binds = Vec::new();
            self.test_arm(arm, subject, next, &mut binds);
            if let Some(hits) = &hits {
                self.goto(arm.span, hits[n]);
                self.start(hits[n]);
            }
            self.bind(binds);
            match &arm.guard {
                None => self.goto(arm.span, bodies[n]),
                Some(guard) => {
                    let no = self.new_block();
                    self.branch(guard, bodies[n], no);
                    self.start(no);
                    self.jump_out(next, node, arm.span);
                }
            }
            self.start(bodies[n]);
            let following = arms.get(n + 1).map(|arm| NextArm {
                body: bodies[n + 1],
                node,
                binds: arm.pats.iter().fold(Vec::new(), binds_of),
                span: arm.span,
            });
            self.fallthru.push(following);
            self.block(&arm.body);
            self.fallthru.pop();
            self.leave(node, arm.body.span.after());
            self.goto(arm.body.span.after(), exit);
            self.start(next);
        }
        if hits.is_some() {
            self.goto(Span::NONE, miss);
            self.start(miss);
        }
    }

    pub fn fallthru(&mut self, span: Span) {
        let Some(Some(next)) = self.fallthru.last().cloned() else {
            self.sess.emit(Diagnostic::error(
                codes::E0704,
                "`fallthru` in the last case has nowhere to go",
                span,
                "",
            ));
            return;
        };
        if !next.binds.is_empty() {
            return self.falls_short(&next, span);
        }
        self.jump_out(next.body, next.node, span);
    }

    /// Mostly reported with the statement itself.
    fn falls_short(&mut self, next: &NextArm, span: Span) {
        self.end(span, TermKind::Trap(Trap::Never));
        if self.sess.has_errors() {
            return;
        }
        self.sess.emit(
            Diagnostic::error(
                codes::E0806,
                "`fallthru` into a case that binds variables",
                span,
                "the variables would have no value",
            )
            .label(next.span, "this case binds variables"),
        );
    }

    /// Into the next arm, with a value for each of its variables.
    pub fn fallthru_with(&mut self, values: &[(toft_tir::LocalId, Expr)], span: Span) {
        if values.is_empty() {
            return self.fallthru(span);
        }
        let Some(Some(next)) = self.fallthru.last().cloned() else {
            return self.fallthru(span);
        };
        let given = |local: &LocalId| values.iter().any(|(id, _)| local_id(*id) == *local);
        if !next.binds.iter().all(given) || next.binds.len() != values.len() {
            return self.falls_short(&next, span);
        }
        let mut kept = Vec::with_capacity(values.len());
        for (id, value) in values {
            let local = local_id(*id);
            if self.is_tracked(self.body.locals[local].ty) {
                self.unsupported(value.span, "a tracked value given to the next case");
                return self.end(span, TermKind::Trap(Trap::Never));
            }
            // Evaluated in the scopes of this arm, which are left before the variables live.
            let temp = self.temp(self.body.locals[local].ty, value.span);
            self.into(value, Place::local(temp), true);
            kept.push((local, temp));
        }
        let here = self.node;
        self.leave(next.node, span);
        for (local, temp) in kept {
            self.live(local, true, span);
            self.assign(span, Place::local(local), Rvalue::Use(Operand::Copy(Place::local(temp))));
        }
        self.goto(span, next.body);
        self.node = here;
    }

    fn test_arm(&mut self, arm: &Arm, subject: &Place, next: BlockId, binds: &mut Vec<Bind>) {
        if let [pat] = arm.pats.as_slice() {
            return self.test_pat(pat, subject.clone(), next, binds);
        }
        let hit = self.new_block();
        for pat in &arm.pats {
            let fail = self.new_block();
            self.test_pat(pat, subject.clone(), fail, &mut Vec::new());
            self.goto(pat.span, hit);
            self.start(fail);
        }
        self.goto(arm.span, next);
        self.start(hit);
    }

    /// For arms over integers: a `Switch` to a block per arm.
    fn jump_table(&mut self, arms: &[Arm], subject: &Place, miss: BlockId) -> Option<Vec<BlockId>> {
        let flat =
            |pat: &Pat| matches!(pat.kind, PatKind::Int(..) | PatKind::Wild | PatKind::Var(_));
        let pats = || arms.iter().flat_map(|arm| &arm.pats);
        let count = pats().filter(|pat| matches!(pat.kind, PatKind::Int(..))).count();
        if count < SWITCH_FROM || self.cur.is_none() || !pats().all(flat) {
            return None;
        }
        let hits: Vec<BlockId> = arms.iter().map(|_| self.new_block()).collect();
        let mut taken: Vec<(i128, i128)> = Vec::new();
        let mut cases = Vec::new();
        let mut default = miss;
        'arms: for (arm, &hit) in arms.iter().zip(&hits) {
            for pat in &arm.pats {
                let PatKind::Int(lo, hi) = pat.kind else {
                    default = hit;
                    break 'arms;
                };
                claim(&mut taken, lo, hi, |lo, hi| cases.push((lo, hi, hit)));
            }
        }
        let on = Operand::Copy(subject.clone());
        let span = arms.first().map_or(Span::NONE, |arm| arm.span);
        self.end(span, TermKind::Switch { on, cases, default });
        Some(hits)
    }

    /// Goes to `fail` unless the pattern fits what is in the place.
    pub fn test_pat(&mut self, pat: &Pat, place: Place, fail: BlockId, binds: &mut Vec<Bind>) {
        let bind = |local: &toft_tir::LocalId, by_ref: bool, place: &Place| Bind {
            local: local_id(*local),
            place: place.clone(),
            by_ref,
            span: pat.span,
        };
        match &pat.kind {
            PatKind::Wild => {}
            PatKind::Var(local) => binds.push(bind(local, false, &place)),
            PatKind::Ref(local) => binds.push(bind(local, true, &place)),
            PatKind::As(local, inner) => {
                binds.push(bind(local, false, &place));
                self.test_pat(inner, place, fail, binds);
            }
            PatKind::Null => {
                let test = self.null_test(CmpOp::Eq, Operand::Copy(place), pat.ty);
                self.require(test, fail, pat.span);
            }
            PatKind::Int(lo, hi) => self.test_int(*lo, *hi, place, pat, fail),
            PatKind::Float(value) => {
                let value = float_const(*value, pat.ty);
                let test = compare(CmpOp::Eq, Operand::Copy(place), value, self.ty.int);
                self.require(test, fail, pat.span);
            }
            PatKind::Fields(fields) => self.test_fields(fields, place, fail, binds),
            PatKind::Deref(inner) => {
                let place = self.test_pointer(place, pat.ty, fail, pat.span);
                self.test_pat(inner, place, fail, binds);
            }
            PatKind::Variant { adt, variant, fields } => {
                let known = matches!(pat.ty.kind(), TyKind::Variant(..));
                let def = &self.decls.tables.adts[*adt];
                let only = def.kind == AdtKind::Datatype && def.variants.len() == 1;
                if !known && !only {
                    let test = Rvalue::IsVariant(place.clone(), *adt, *variant);
                    self.require(test, fail, pat.span);
                }
                let place = match known {
                    true => place,
                    false => place.then(Proj::Variant(*adt, *variant)),
                };
                self.test_fields(fields, place, fail, binds);
            }
            PatKind::Member { field, pat: inner, .. } => {
                let test = Rvalue::IsMember(place.clone(), *field);
                self.require(test, fail, pat.span);
                self.test_pat(inner, place.then(Proj::Field(*field)), fail, binds);
            }
        }
    }

    fn test_fields(
        &mut self,
        fields: &[(u32, Pat)],
        place: Place,
        fail: BlockId,
        binds: &mut Vec<Bind>,
    ) {
        for (field, pat) in fields {
            self.test_pat(pat, place.clone().then(Proj::Field(*field)), fail, binds);
        }
    }

    fn test_int(&mut self, lo: i128, hi: i128, place: Place, pat: &Pat, fail: BlockId) {
        let int = self.ty.int;
        let value = || Operand::Copy(place.clone());
        if lo == hi {
            let test = compare(CmpOp::Eq, value(), Operand::int(lo, pat.ty), int);
            return self.require(test, fail, pat.span);
        }
        let full = crate::consts::int_ty(self.decls, pat.ty);
        if full.is_none_or(|int| lo > int.min()) {
            let test = compare(CmpOp::Ge, value(), Operand::int(lo, pat.ty), int);
            self.require(test, fail, pat.span);
        }
        if full.is_none_or(|int| hi < int.max()) {
            let test = compare(CmpOp::Le, value(), Operand::int(hi, pat.ty), int);
            self.require(test, fail, pat.span);
        }
    }

    /// What the pointer in the place leads to, when it leads anywhere.
    fn test_pointer(&mut self, place: Place, ty: Ty, fail: BlockId, span: Span) -> Place {
        let simple = self.is_tracked(ty)
            || place.proj.iter().all(|step| matches!(step, Proj::Field(_)))
                && matches!(place.base, toft_mir::Base::Local(_));
        let place = match simple {
            true => place,
            false => Place::local(self.keep(Rvalue::Use(Operand::Copy(place)), ty, span)),
        };
        if let Some(ptr) = ty.as_ptr() {
            if ptr.bounds == Bounds::Fat {
                // One element has to be there.
                let ulong = self.ty.ulong;
                let len = self.settle(Rvalue::FatLen(Operand::Copy(place.clone())), ulong, span);
                let test = self.test(len, ulong);
                self.require(test, fail, span);
            } else if ptr.nullable {
                let test = self.null_test(CmpOp::Ne, Operand::Copy(place.clone()), ty);
                self.require(test, fail, span);
            }
        }
        place.then(Proj::Deref(Index::Const(0)))
    }

    /// Goes on when the `int` is not zero, else to `fail`.
    fn require(&mut self, test: Rvalue, fail: BlockId, span: Span) {
        let yes = self.new_block();
        self.branch_on(test, yes, fail, span);
        self.start(yes);
    }

    pub fn bind(&mut self, binds: Vec<Bind>) {
        for Bind { local, place, by_ref, span } in binds {
            self.live(local, true, span);
            let tracked = !by_ref && self.is_tracked(self.body.locals[local].ty);
            let value = match (by_ref, tracked) {
                (true, _) => Rvalue::Ref(place.clone()),
                (_, true) => Rvalue::Use(Operand::Move(place.clone())),
                _ => Rvalue::Use(Operand::Copy(place.clone())),
            };
            self.assign(span, Place::local(local), value);
            // What was made for the pattern alone is owned by its variables from here on.
            let ours = matches!(place.base, toft_mir::Base::Local(base)
                if self.body.locals[base].kind == LocalKind::Temp);
            if tracked && !ours {
                let n = self.given.len() as u32;
                self.given.push((place, local));
                self.push(NodeKind::Given(n), true, span);
            }
        }
    }
}

/// The variables of a pattern, behind those in `list`.
fn binds_of(mut list: Vec<LocalId>, pat: &Pat) -> Vec<LocalId> {
    match &pat.kind {
        PatKind::Var(id) | PatKind::Ref(id) => list.push(local_id(*id)),
        PatKind::As(id, inner) => {
            list.push(local_id(*id));
            return binds_of(list, inner);
        }
        PatKind::Wild | PatKind::Null | PatKind::Int(..) | PatKind::Float(_) => {}
        PatKind::Deref(inner) | PatKind::Member { pat: inner, .. } => {
            return binds_of(list, inner);
        }
        PatKind::Fields(fields) | PatKind::Variant { fields, .. } => {
            return fields.iter().fold(list, |list, (_, pat)| binds_of(list, pat));
        }
    }
    list
}

/// Takes the parts of `lo..=hi` that are still free; `taken` stays sorted and disjoint.
fn claim(taken: &mut Vec<(i128, i128)>, lo: i128, hi: i128, mut take: impl FnMut(i128, i128)) {
    let mut from = lo;
    let mut at = taken.partition_point(|range| range.1 < lo);
    while from <= hi {
        let end = match taken.get(at) {
            Some(&(start, _)) if start <= hi => start - 1,
            _ => hi,
        };
        if from <= end {
            take(from, end);
            taken.insert(at, (from, end));
            at += 1;
        }
        match taken.get(at) {
            Some(&(_, stop)) => from = stop.max(end) + 1,
            None => return,
        }
        at += 1;
    }
}
