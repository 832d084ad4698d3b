//! Statements.

use crate::builder::{Lower, local_id};
use crate::order::mentions;
use crate::place::Access;
use crate::scope::{Jump, NodeKind};
use toft_base::Span;
use toft_mir::{BlockId, CheckKind, Place, RegionId, StmtKind as Out};
use toft_tir::{Block, Expr, ExprKind, For, JumpId, LocalInit, Stmt, StmtKind};
use toft_ty::TyKind;

impl Lower<'_> {
    /// A block with its scope.
    pub fn block(&mut self, block: &Block) {
        let node = self.node;
        self.stmts(&block.stmts);
        let end = if block.span.is_none() { self.func.end } else { block.span.after() };
        self.leave(node, end);
    }

    /// Statements whose variables live on after them.
    pub fn stmts(&mut self, list: &[Stmt]) {
        for stmt in list {
            self.stmt(stmt);
        }
    }

    pub fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        // What does something is lowered even where it is never reached, for the warning.
        let acts = !matches!(
            stmt.kind,
            StmtKind::Empty
                | StmtKind::Block(_)
                | StmtKind::Local(_, LocalInit::None)
                | StmtKind::Case(..)
                | StmtKind::Default(_)
                | StmtKind::Label(..)
        );
        if acts {
            self.revive();
        }
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::Local(local, init) => self.declare(*local, init, span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(cond, yes, no) => self.if_stmt(cond, yes, no.as_deref(), span),
            StmtKind::While(jump, cond, body) => self.while_loop(*jump, cond, body, span),
            StmtKind::DoWhile(jump, body, cond) => self.do_while(*jump, body, cond, span),
            StmtKind::For(f) => self.for_loop(f, span),
            StmtKind::Switch(jump, on, body) => self.switch(*jump, on, body, span),
            StmtKind::Case(lo, hi, body) => {
                self.case(Some((*lo, *hi)), span);
                self.stmt(body);
            }
            StmtKind::Default(body) => {
                self.case(None, span);
                self.stmt(body);
            }
            StmtKind::Match(m) => self.match_stmt(m),
            StmtKind::Label(label, body) => {
                self.label(*label, span);
                self.stmt(body);
            }
            StmtKind::Goto(label) => self.goto_label(*label, span),
            StmtKind::Break(jump) => self.break_to(*jump, span),
            StmtKind::Continue(jump) => self.continue_to(*jump, span),
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), span),
            StmtKind::Fallthru => self.fallthru(span),
            StmtKind::FallthruWith(values) => self.fallthru_with(values, span),
            StmtKind::Let(pat, value) => self.let_stmt(pat, value, span),
            StmtKind::Region { region, handle, open, rest } => {
                self.region(*region, local_id(*handle), open.as_ref(), rest, span);
            }
            StmtKind::Pinned { region, local, init, rest } => {
                let node = self.node;
                self.pin(*region, local_id(*local), init, span);
                self.stmts(rest);
                self.leave(node, end_of(rest, span));
            }
            StmtKind::Try { body, jump, exn, arms } => {
                self.try_stmt(body, *jump, local_id(*exn), arms, span);
            }
        }
    }

    fn declare(&mut self, local: toft_tir::LocalId, init: &LocalInit, span: Span) {
        let id = local_id(local);
        match init {
            LocalInit::None => self.live(id, false, span),
            LocalInit::Value(value) => {
                self.live(id, false, span);
                // Only what is filled bit by bit can see itself half made.
                let stepwise = matches!(
                    value.kind,
                    ExprKind::Aggregate(_)
                        | ExprKind::Comprehension { .. }
                        | ExprKind::Cond(..)
                        | ExprKind::StmtExpr { .. }
                        | ExprKind::Comma(..)
                );
                let fresh = !stepwise || !mentions(value, local);
                self.into(value, Place::local(id), fresh);
            }
            LocalInit::Vla(count) => {
                let TyKind::Vla(elem) = *self.body.locals[id].ty.kind() else { return };
                let op = self.operand(count);
                self.check(count.span, CheckKind::Count { count: op.clone(), elem });
                let count = self.fixed(op, count.ty, self.ty.ulong, count.span);
                self.live(id, true, span);
                self.emit(span, Out::Alloca { local: id, elem, count });
            }
            LocalInit::Rows(dims) => self.declare_rows(id, dims, span),
        }
    }

    fn if_stmt(&mut self, cond: &Expr, yes: &Stmt, no: Option<&Stmt>, span: Span) {
        let (then, join) = (self.new_block(), self.new_block());
        let other = if no.is_some() { self.new_block() } else { join };
        self.branch(cond, then, other);
        self.start(then);
        self.stmt(yes);
        self.goto(span, join);
        if let Some(no) = no {
            self.start(other);
            self.stmt(no);
            self.goto(span, join);
        }
        self.start(join);
    }

    fn loop_jump(&mut self, jump: JumpId, exit: BlockId, again: BlockId) {
        let node = self.node;
        self.set_jump(jump, Jump { exit, again: Some(again), node });
    }

    fn while_loop(&mut self, jump: JumpId, cond: &Expr, body: &Stmt, span: Span) {
        let (head, inside, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.loop_jump(jump, exit, head);
        self.goto(span, head);
        self.start(head);
        self.branch(cond, inside, exit);
        self.start(inside);
        self.stmt(body);
        self.goto(span, head);
        self.start(exit);
    }

    fn do_while(&mut self, jump: JumpId, body: &Stmt, cond: &Expr, span: Span) {
        let (inside, test, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.loop_jump(jump, exit, test);
        self.goto(span, inside);
        self.start(inside);
        self.stmt(body);
        self.goto(span, test);
        self.start(test);
        self.branch(cond, inside, exit);
        self.start(exit);
    }

    fn for_loop(&mut self, f: &For, span: Span) {
        let node = self.node;
        self.stmts(&f.init);
        self.revive();
        let (head, inside, exit) = (self.new_block(), self.new_block(), self.new_block());
        let step = if f.step.is_some() { self.new_block() } else { head };
        self.loop_jump(f.jump, exit, step);
        self.goto(span, head);
        self.start(head);
        match &f.cond {
            Some(cond) => self.branch(cond, inside, exit),
            None => self.goto(span, inside),
        }
        self.start(inside);
        self.stmt(&f.body);
        self.goto(span, step);
        if let Some(e) = &f.step {
            self.start(step);
            self.effect(e);
            self.goto(e.span, head);
        }
        self.start(exit);
        self.leave(node, f.body.span.after());
    }

    fn return_stmt(&mut self, value: Option<&Expr>, span: Span) {
        let noreturn = self.decls.funcs.get(self.func.id).is_some_and(|f| f.sig.noreturn);
        let value = match value {
            Some(e) if e.ty.is_void() => {
                self.effect(e);
                None
            }
            Some(e) => Some(self.rvalue(e)),
            None => None,
        };
        match noreturn {
            true => self.end(span, toft_mir::TermKind::Trap(toft_mir::Trap::MissingReturn)),
            false => self.give_back(value, span),
        }
    }

    fn let_stmt(&mut self, pat: &toft_tir::Pat, value: &Expr, span: Span) {
        let subject = match &value.kind {
            ExprKind::Load(place) => {
                let path = self.walk(place);
                self.open(path, Access::Inner).place
            }
            _ => {
                let temp = self.temp(value.ty, value.span);
                self.into(value, Place::local(temp), true);
                Place::local(temp)
            }
        };
        let miss = self.new_block();
        let mut binds = Vec::new();
        self.test_pat(pat, subject, miss, &mut binds);
        self.bind(binds);
        let (here, node) = (self.cur.take(), self.node);
        self.start(miss);
        self.end(span, toft_mir::TermKind::Trap(toft_mir::Trap::NoMatch));
        (self.cur, self.node) = (here, node);
    }

    fn region(
        &mut self,
        region: RegionId,
        handle: toft_mir::LocalId,
        open: Option<&Expr>,
        rest: &[Stmt],
        span: Span,
    ) {
        let open = open.map(|key| self.look(key));
        let node = self.node;
        self.live(handle, true, span);
        self.emit(span, Out::RegionEnter { region, handle, open });
        self.push(NodeKind::Region(region), true, span);
        self.stmts(rest);
        self.leave(node, end_of(rest, span));
    }
}

fn end_of(rest: &[Stmt], span: Span) -> Span {
    rest.last().map_or(span, |last| last.span.after())
}
