//! `switch` and `catch`: C's switch when every label is a constant, a `Match` otherwise.

use crate::cx::{Falls, Jump, JumpKind, Resolver};
use toft_ast as ast;
use toft_base::{Idx, Span};
use toft_diag::{Diagnostic, codes};
use toft_hir::*;

/// A label of a `Match`: `None` is `default`.
type ArmLabel<'a> = (Option<&'a ast::Pat>, Option<&'a ast::Expr>, Span);

/// One arm as written: its labels, and the statements up to the next label.
struct RawArm<'a> {
    labels: Vec<ArmLabel<'a>>,
    first: &'a ast::Stmt,
    rest: &'a [ast::Stmt],
    span: Span,
}

/// An arm and what is needed to judge falling into it or out of it.
struct DoneArm {
    arm: Arm,
    /// Where it binds a variable.
    binds: Option<Span>,
    fell: Falls,
}

impl<'a> Resolver<'a> {
    pub fn switch(&mut self, value: &'a ast::Expr, body: &'a ast::Stmt, span: Span) -> StmtKind {
        let scrutinee = self.expr(value);
        if self.all_constant(body) {
            let jump = self.enter_jump(JumpKind::Switch);
            let body = Box::new(self.stmt(body));
            self.leave_jump();
            return StmtKind::Switch(jump, scrutinee, body);
        }
        let jump = self.enter_jump(JumpKind::Match);
        self.lint_labels(body);
        let arms = self.arms(body, jump);
        self.leave_jump();
        StmtKind::Match(Box::new(Match { jump, scrutinee, arms, span }))
    }

    /// `case y:` where a number `y` is in scope: a new variable, which matches anything.
    fn lint_labels(&self, body: &'a ast::Stmt) {
        let ast::StmtKind::Block(block) = &body.kind else { return };
        for stmt in &block.stmts {
            let mut stmt = stmt;
            while let ast::StmtKind::Case(pat, _, inner) = &stmt.kind {
                stmt = inner;
                let ast::PatKind::Name(path) = &pat.kind else { continue };
                let [ident] = &path.segments[..] else { continue };
                let is_number = |ty: &toft_ty::Ty| ty.is_arithmetic();
                let number = match self.lookup(path) {
                    crate::scope::Name::Global(id) => is_number(&self.prog.globals[id].ty),
                    crate::scope::Name::Local(id) => {
                        matches!(&self.body.locals[id].ty, LocalTy::Known(ty) if is_number(ty))
                    }
                    _ => false,
                };
                if number && !self.is_constant_name(path) {
                    let name = ident.name;
                    let diag = Diagnostic::warning(
                        codes::W0402,
                        format!("`case {name}` makes a new variable `{name}`, which takes any value"),
                        pat.span,
                        "not a comparison",
                    )
                    .label(self.name_span(self.lookup(path)), "this one is not looked at")
                    .help(format!(
                        "make that one a constant, or write `case x && x == {name}:`; call the new one \
                         something else if it is meant"
                    ));
                    let _ = self.sess.emit(diag);
                }
            }
        }
    }

    pub fn try_stmt(&mut self, body: &'a ast::Stmt, cases: &'a ast::Stmt, _span: Span) -> StmtKind {
        let body = Box::new(self.stmt(body));
        let jump = self.enter_jump(JumpKind::Match);
        let arms = self.arms(cases, jump);
        self.leave_jump();
        StmtKind::Try { body, jump, arms }
    }

    /// Whether all labels of this switch are constants, as C has them.
    fn all_constant(&self, stmt: &ast::Stmt) -> bool {
        use ast::StmtKind as S;
        match &stmt.kind {
            S::Case(pat, guard, inner) => {
                guard.is_none() && self.is_constant_pat(pat) && self.all_constant(inner)
            }
            S::Default(inner) | S::Label(_, _, inner) => self.all_constant(inner),
            S::Block(block) => block.stmts.iter().all(|stmt| self.all_constant(stmt)),
            S::If(_, a, b) => {
                self.all_constant(a) && b.as_ref().is_none_or(|b| self.all_constant(b))
            }
            S::While(_, body) | S::DoWhile(body, _) => self.all_constant(body),
            S::For(inner) => self.all_constant(&inner.body),
            S::Try(body, _) => self.all_constant(body),
            _ => true,
        }
    }

    fn is_constant_pat(&self, pat: &ast::Pat) -> bool {
        match &pat.kind {
            ast::PatKind::Const(expr) => {
                !matches!(expr.kind, ast::ExprKind::Str(_) | ast::ExprKind::Null)
            }
            ast::PatKind::Range(..) | ast::PatKind::Error => true,
            ast::PatKind::Name(path) => self.is_constant_name(path),
            _ => false,
        }
    }

    fn inside_switch(&self, what: &str, span: Span) -> bool {
        match self.body.jumps.iter().rev().find(|jump| jump.kind != JumpKind::Loop) {
            Some(Jump { kind: JumpKind::Switch, .. }) => true,
            Some(_) => {
                self.error(
                    codes::E0704,
                    format!("{what} of a switch over patterns must stand directly in its body"),
                    span,
                    "",
                );
                false
            }
            None => {
                self.error(codes::E0704, format!("{what} outside a `switch`"), span, "");
                false
            }
        }
    }

    /// `case c:` of C's switch.
    pub fn c_case(
        &mut self,
        pat: &'a ast::Pat,
        _guard: Option<&'a ast::Expr>,
        inner: &'a ast::Stmt,
        span: Span,
    ) -> StmtKind {
        let ok = self.inside_switch("a `case`", span);
        let range = match &pat.kind {
            _ if !ok => None,
            ast::PatKind::Const(expr) => Some((self.expr(expr), None)),
            ast::PatKind::Range(lo, hi) => Some((self.expr(lo), Some(self.expr(hi)))),
            ast::PatKind::Name(path) => Some((self.path_expr(path, &[], pat.span), None)),
            _ => None,
        };
        let inner = Box::new(self.stmt(inner));
        match range {
            Some((lo, hi)) => StmtKind::Case(Box::new(CaseRange { lo, hi, span: pat.span }), inner),
            None => inner.kind,
        }
    }

    pub fn c_default(&mut self, inner: &'a ast::Stmt, span: Span) -> StmtKind {
        let ok = self.inside_switch("a `default`", span);
        let inner = Box::new(self.stmt(inner));
        if ok { StmtKind::Default(inner) } else { inner.kind }
    }

    /// The arms of a `Match` or `catch`.
    fn arms(&mut self, body: &'a ast::Stmt, jump: JumpId) -> Vec<Arm> {
        let list = match &body.kind {
            ast::StmtKind::Block(block) => &block.stmts[..],
            _ => std::slice::from_ref(body),
        };
        let raw = self.split_arms(list);
        let mut done = Vec::with_capacity(raw.len());
        for arm in raw {
            self.split_guards(arm, jump, &mut done);
        }
        self.join_arms(done)
    }

    fn split_arms(&mut self, list: &'a [ast::Stmt]) -> Vec<RawArm<'a>> {
        let is_label = |stmt: &ast::Stmt| {
            matches!(stmt.kind, ast::StmtKind::Case(..) | ast::StmtKind::Default(_))
        };
        let starts: Vec<usize> =
            list.iter().enumerate().filter(|(_, stmt)| is_label(stmt)).map(|(n, _)| n).collect();
        let before = starts.first().copied().unwrap_or(list.len());
        if let Some(stmt) =
            list[..before].iter().find(|stmt| !matches!(stmt.kind, ast::StmtKind::Empty))
        {
            self.error(codes::E0206, "a statement before the first case", stmt.span, "");
        }
        let mut raw = Vec::with_capacity(starts.len());
        for (n, &start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(list.len());
            let mut labels = Vec::new();
            let mut stmt = &list[start];
            loop {
                match &stmt.kind {
                    ast::StmtKind::Case(pat, guard, inner) => {
                        labels.push((Some(&**pat), guard.as_deref(), pat.span));
                        stmt = inner;
                    }
                    ast::StmtKind::Default(inner) => {
                        labels.push((None, None, stmt.span));
                        stmt = inner;
                    }
                    _ => break,
                }
            }
            raw.push(RawArm {
                labels,
                first: stmt,
                rest: &list[start + 1..end],
                span: list[start].span,
            });
        }
        raw
    }

    /// Labels in a row share one arm; one with a guard, not the last, is an arm by itself.
    fn split_guards(&mut self, raw: RawArm<'a>, jump: JumpId, done: &mut Vec<DoneArm>) {
        let mut labels: Vec<ArmLabel<'a>> = Vec::new();
        let count = raw.labels.len();
        for (n, label) in raw.labels.into_iter().enumerate() {
            let guarded = label.1.is_some();
            labels.push(label);
            if guarded && n + 1 < count {
                let labels = std::mem::take(&mut labels);
                done.push(self.arm(labels, None, raw.span, jump));
            }
        }
        done.push(self.arm(labels, Some((raw.first, raw.rest)), raw.span, jump));
    }

    fn arm(
        &mut self,
        labels: Vec<ArmLabel<'a>>,
        body: Option<(&'a ast::Stmt, &'a [ast::Stmt])>,
        span: Span,
        jump: JumpId,
    ) -> DoneArm {
        self.open_block(span);
        let several = labels.len() > 1;
        let mut pats = Vec::with_capacity(labels.len());
        let mut guard = None;
        let mut bound = None;
        let mut extra = 0;
        for (pat, condition, at) in labels {
            let Some(pat) = pat else {
                pats.push(Pat { kind: PatKind::Wild, span: at });
                continue;
            };
            if bound.is_some() {
                // Refused already: its names must not meet those of the pattern before.
                self.scopes.push();
                extra += 1;
            }
            let (pat, binds) = self.pattern(pat);
            if binds {
                bound = bound.or(Some(pat.span));
                if several {
                    self.error(
                        codes::E0803,
                        "patterns that share a body cannot bind variables",
                        pat.span,
                        "this one binds",
                    );
                }
            }
            pats.push(pat);
            guard = condition.map(|condition| self.expr(condition));
        }
        self.body.fallthrus.push((jump, Falls::default()));
        let stmts = match body {
            Some((first, rest)) => self.stmts_of(std::iter::once(first).chain(rest)),
            None => Vec::new(),
        };
        let fell = self.body.fallthrus.pop().map(|(_, fell)| fell).unwrap_or_default();
        (0..extra).for_each(|_| self.scopes.pop());
        let region = self.close_block();
        let body = Block { stmts, region, span };
        let fills_next = fell.with.is_some();
        DoneArm { arm: Arm { pats, guard, body, fills_next, span }, binds: bound, fell }
    }

    /// Writes falling from one arm into the next out, where C's rules let it happen.
    fn join_arms(&mut self, done: Vec<DoneArm>) -> Vec<Arm> {
        let binds: Vec<Option<Span>> = done.iter().map(|done| done.binds).collect();
        let count = done.len();
        let mut arms = Vec::with_capacity(count);
        for (n, DoneArm { mut arm, fell, .. }) in done.into_iter().enumerate() {
            let falls = self.completes(&arm.body.stmts);
            if n + 1 == count {
                if let Some(span) = fell.plain.or(fell.with) {
                    self.error(codes::E0704, "`fallthru` in the last case", span, "");
                }
            } else if falls || fell.plain.is_some() {
                if let Some(bound) = binds[n + 1] {
                    let at = fell
                        .plain
                        .or_else(|| arm.body.stmts.last().map(|stmt| stmt.span))
                        .unwrap_or(arm.span);
                    let diag = Diagnostic::error(
                        codes::E0806,
                        "this case falls into one that binds variables",
                        at,
                        "falls through here",
                    );
                    let diag = diag
                        .label(bound, "binds here")
                        .help("end the case with `break;`, or give the values: `fallthru(…);`");
                    let _ = self.sess.emit(diag);
                } else if falls {
                    let span = arm.body.span.after();
                    arm.body.stmts.push(Stmt { kind: StmtKind::Fallthru, span });
                }
            }
            arms.push(arm);
        }
        arms
    }

    /// Whether control may come out at the end of `stmts`. Sure of "no" only.
    pub fn completes(&self, stmts: &[Stmt]) -> bool {
        // A label makes what follows reachable again.
        let after_jump = stmts.iter().rposition(|stmt| !self.may_complete(stmt));
        match after_jump {
            None => true,
            Some(n) => stmts[n + 1..].iter().any(has_label),
        }
    }

    fn may_complete(&self, stmt: &Stmt) -> bool {
        let broken = |jump: &JumpId| self.body.broken[jump.index()];
        match &stmt.kind {
            StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Fallthru
            | StmtKind::FallthruWith(_) => false,
            StmtKind::Expr(expr) => !self.diverges(expr),
            StmtKind::Block(block) => self.completes(&block.stmts),
            StmtKind::If(_, a, b) => {
                self.may_complete(a) || b.as_ref().is_none_or(|b| self.may_complete(b))
            }
            StmtKind::While(jump, cond, _) => broken(jump) || !self.always(Some(cond)),
            StmtKind::DoWhile(jump, _, cond) => broken(jump) || !self.always(Some(cond)),
            StmtKind::For(inner) => broken(&inner.jump) || !self.always(inner.cond.as_ref()),
            StmtKind::Match(inner) => {
                broken(&inner.jump) || inner.arms.iter().any(|arm| self.completes(&arm.body.stmts))
            }
            StmtKind::Try { body, jump, arms } => {
                broken(jump)
                    || self.may_complete(body)
                    || arms.iter().any(|arm| self.completes(&arm.body.stmts))
            }
            StmtKind::Switch(jump, _, body) => {
                broken(jump) || !has_default(body) || self.may_complete(body)
            }
            StmtKind::Label(_, inner) | StmtKind::Case(_, inner) | StmtKind::Default(inner) => {
                self.may_complete(inner)
            }
            StmtKind::Region { rest, .. } | StmtKind::Pinned { rest, .. } => self.completes(rest),
            _ => true,
        }
    }

    fn always(&self, cond: Option<&Expr>) -> bool {
        match cond {
            None => true,
            Some(cond) => self.eval(cond).is_ok_and(|value| value.is_true()),
        }
    }

    fn diverges(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Throw(_) => true,
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Func(id, _) => self.prog.funcs[*id].sig.noreturn,
                _ => false,
            },
            ExprKind::Comma(_, last) => self.diverges(last),
            ExprKind::Cast(_, inner) => self.diverges(inner),
            _ => false,
        }
    }
}

fn has_label(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Label(..) | StmtKind::Case(..) | StmtKind::Default(_) => true,
        StmtKind::Block(block) => block.stmts.iter().any(has_label),
        StmtKind::If(_, a, b) => has_label(a) || b.as_ref().is_some_and(|b| has_label(b)),
        StmtKind::While(_, _, body) | StmtKind::DoWhile(_, body, _) => has_label(body),
        StmtKind::For(inner) => has_label(&inner.body),
        StmtKind::Region { rest, .. } | StmtKind::Pinned { rest, .. } => rest.iter().any(has_label),
        StmtKind::Try { body, .. } => has_label(body),
        _ => false,
    }
}

fn has_default(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Default(_) => true,
        StmtKind::Case(_, inner) | StmtKind::Label(_, inner) => has_default(inner),
        StmtKind::Block(block) => block.stmts.iter().any(has_default),
        _ => false,
    }
}
