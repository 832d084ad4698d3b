//! From the control-flow graph to C's statements.
//!
//! Each block is placed by the dominator tree: a block with one way in goes where it is
//! jumped to, one with several after the block that dominates it, one that leaves a loop
//! after that loop. Where falling through, `break` and `continue` do not lead, `goto` does;
//! so any graph can be written, and an ordinary one looks like C.

use crate::cfg::Cfg;
use crate::func::FnCx;
use crate::konst;
use std::mem;
use toft_base::{Idx, Span};
use toft_cir::{Case, Expr, Stmt, StmtKind as C, diverges};
use toft_mir::*;

/// Deeper nesting continues behind a `goto`: C compilers have limits.
const MAX_NESTING: u32 = 64;

/// How blocks are placed.
struct Layout {
    cfg: Cfg,
    /// Placed where it is jumped to.
    inline: Vec<bool>,
    after_block: Vec<Vec<BlockId>>,
    after_loop: Vec<Vec<BlockId>>,
}

impl Layout {
    fn new(body: &Body<Final>) -> Layout {
        let cfg = Cfg::new(body);
        let count = body.blocks.len();
        let mut is_handler = vec![false; count];
        for frame in body.tries.iter() {
            if let Some(slot) = is_handler.get_mut(frame.handler.index()) {
                *slot = true;
            }
        }
        let mut layout = Layout {
            inline: vec![false; count],
            after_block: vec![Vec::new(); count],
            after_loop: vec![Vec::new(); count],
            cfg,
        };
        for n in 1..layout.cfg.order.len() {
            let id = layout.cfg.order[n];
            let parent = layout.cfg.idom(id);
            if let Some(header) = layout.cfg.loop_left(parent, id) {
                layout.after_loop[header.index()].push(id);
            } else if layout.cfg.forward_preds(id) == 1 && !is_handler[id.index()] {
                layout.inline[id.index()] = true;
            } else {
                layout.after_block[parent.index()].push(id);
            }
        }
        layout
    }
}

/// What surrounds the statement being written.
#[derive(Clone, Copy)]
struct Around {
    /// Where control goes by itself after it.
    follow: Option<BlockId>,
    on_break: Option<BlockId>,
    on_continue: Option<BlockId>,
    depth: u32,
}

struct Writer {
    layout: Layout,
    /// Blocks that are too deep, to be written at the end.
    late: Vec<BlockId>,
}

impl FnCx<'_, '_> {
    /// The statements of the whole body.
    pub fn body(&mut self) -> Vec<Stmt> {
        let mut writer = Writer { layout: Layout::new(self.body), late: Vec::new() };
        let nothing = Around { follow: None, on_break: None, on_continue: None, depth: 0 };
        let mut list = mem::take(&mut self.out);
        list.extend(self.tree(&mut writer, ENTRY, nothing));
        while let Some(id) = writer.late.pop() {
            list.push(Stmt::new(C::Label(id.0), self.line));
            list.extend(self.tree(&mut writer, id, nothing));
        }
        let mut used = vec![false; self.body.blocks.len()];
        find_gotos(&list, &mut used);
        drop_labels(&mut list, &used);
        list
    }

    /// A block and what it dominates.
    fn tree(&mut self, w: &mut Writer, id: BlockId, around: Around) -> Vec<Stmt> {
        if !w.layout.cfg.is_header[id.index()] {
            return self.block(w, id, around);
        }
        let after = mem::take(&mut w.layout.after_loop[id.index()]);
        let exit = after.first().copied().or(around.follow);
        let inside = Around {
            follow: Some(id),
            on_break: exit,
            on_continue: Some(id),
            depth: around.depth + 1,
        };
        let line = self.cx.line_of(self.body.blocks[id].term.span);
        let mut list = self.block(w, id, inside);
        // The end of the loop's text leads to its start anyway.
        if matches!(list.last().map(|stmt| &stmt.kind), Some(C::Continue)) {
            list.pop();
        }
        let mut out = vec![Stmt::new(C::Loop(list), line)];
        self.sequence(w, &after, around, &mut out);
        out
    }

    /// Blocks one after the other, each with its label.
    fn sequence(&mut self, w: &mut Writer, list: &[BlockId], around: Around, out: &mut Vec<Stmt>) {
        for (n, &id) in list.iter().enumerate() {
            let follow = list.get(n + 1).copied().or(around.follow);
            out.push(Stmt::new(C::Label(id.0), toft_cir::Line::default()));
            out.extend(self.tree(w, id, Around { follow, ..around }));
        }
    }

    fn block(&mut self, w: &mut Writer, id: BlockId, around: Around) -> Vec<Stmt> {
        let after = mem::take(&mut w.layout.after_block[id.index()]);
        let own = Around { follow: after.first().copied().or(around.follow), ..around };
        let saved = mem::take(&mut self.out);
        let body = self.body;
        let block = &body.blocks[id];
        for (n, stmt) in block.stmts.iter().enumerate() {
            self.counts_vla = next_is_vla(&block.stmts[n..]);
            if let StmtKind::TryPush(frame) = stmt.kind {
                self.at(stmt.span);
                let handler = body.tries[frame].handler;
                let jump = vec![Stmt::new(C::Goto(handler.0), self.line)];
                self.try_push(frame, jump);
            } else {
                self.stmt(stmt);
            }
        }
        self.at(block.term.span);
        self.forget_reads();
        self.term(w, &block.term, own);
        let mut out = mem::replace(&mut self.out, saved);
        self.sequence(w, &after, around, &mut out);
        out
    }

    fn term(&mut self, w: &mut Writer, term: &Terminator, around: Around) {
        match &term.kind {
            TermKind::Goto(to) => {
                self.flush_all();
                let jump = self.jump(w, *to, around);
                self.out.extend(jump);
            }
            TermKind::If(cond, yes, no) => self.branch(w, cond, *yes, *no, around),
            TermKind::Switch { on, cases, default } => self.switch(w, on, cases, *default, around),
            TermKind::Return(value) => {
                if self.body.ret.is_void() || value.is_none() {
                    return self.end(C::Return(None));
                }
                let ret = self.body.ret;
                let expr = value.as_ref().map(|op| self.operand_as(op, ret));
                self.end(C::Return(expr));
            }
            TermKind::Throw(op) => {
                let expr = self.operand(op).0;
                let site = self.site_expr();
                let args = vec![Expr::cast("void *", expr), site];
                self.trap("toft_throw", args);
            }
            TermKind::Rethrow(local) => {
                self.flush_all();
                let exn = Expr::cast("void *", Expr::Atom(self.locals[*local].clone()));
                self.trap("toft_rethrow", vec![exn]);
            }
            TermKind::Trap(trap) => {
                let name = match trap {
                    Trap::NoMatch => "toft_trap_match",
                    Trap::MissingReturn | Trap::Never => "toft_trap_unreachable",
                };
                let site = self.site_expr();
                self.trap(name, vec![site]);
            }
            TermKind::Unreachable => {
                let site = self.site_expr();
                self.trap("toft_trap_unreachable", vec![site]);
            }
        }
    }

    fn end(&mut self, kind: C) {
        self.flush_all();
        let noreturn = self.cx.decls.funcs[self.body.id].sig.noreturn;
        if noreturn {
            let site = self.site_expr();
            return self.trap("toft_trap_unreachable", vec![site]);
        }
        self.emit(kind);
    }

    /// A call that does not come back.
    fn trap(&mut self, name: &str, args: Vec<Expr>) {
        self.flush_all();
        self.emit(C::Expr(Expr::call(name, args)));
    }

    /// Statements that lead to `to`; its own text if it belongs here.
    fn jump(&mut self, w: &mut Writer, to: BlockId, around: Around) -> Vec<Stmt> {
        if mem::take(&mut w.layout.inline[to.index()]) {
            if around.depth >= MAX_NESTING {
                w.late.push(to);
                return vec![Stmt::new(C::Goto(to.0), self.line)];
            }
            let mut list = vec![Stmt::new(C::Label(to.0), toft_cir::Line::default())];
            list.extend(self.tree(w, to, Around { depth: around.depth + 1, ..around }));
            return list;
        }
        let kind = if around.follow == Some(to) {
            return Vec::new();
        } else if around.on_break == Some(to) {
            C::Break
        } else if around.on_continue == Some(to) {
            C::Continue
        } else {
            C::Goto(to.0)
        };
        vec![Stmt::new(kind, self.line)]
    }

    fn branch(
        &mut self,
        w: &mut Writer,
        cond: &Operand,
        yes: BlockId,
        no: BlockId,
        around: Around,
    ) {
        let (expr, ty) = self.operand(cond);
        let expr = if crate::types::class(ty) == crate::types::Class::Fat {
            expr.member("base")
        } else {
            expr
        };
        self.flush_all();
        let line = self.line;
        let span = self.span;
        let mut then = self.jump(w, yes, around);
        self.back_to(span, line);
        let mut other = self.jump(w, no, around);
        let mut cond = expr;
        if ends(&then) && is_empty(&other) || !ends(&then) && ends(&other) || is_empty(&then) {
            // The short way out comes first.
            if is_empty(&then) || !ends(&then) {
                mem::swap(&mut then, &mut other);
                cond = cond.negate();
            }
        }
        if is_empty(&then) {
            return;
        }
        if ends(&then) {
            self.out.push(Stmt::new(C::If(cond, then, Vec::new()), line));
            self.out.extend(other);
        } else {
            self.out.push(Stmt::new(C::If(cond, then, other), line));
        }
    }

    fn back_to(&mut self, span: Span, line: toft_cir::Line) {
        self.span = span;
        self.line = line;
    }

    fn switch(
        &mut self,
        w: &mut Writer,
        on: &Operand,
        cases: &[(i128, i128, BlockId)],
        default: BlockId,
        around: Around,
    ) {
        let (expr, ty) = self.operand(on);
        self.flush_all();
        let int = self.cx.int_of(ty).unwrap_or(toft_ty::IntTy::Long);
        let (line, span) = (self.line, self.span);
        let mut targets: Vec<(BlockId, Vec<Case>)> = Vec::new();
        let mut index = toft_base::FxHashMap::default();
        let mut add = |to: BlockId, case: Case| {
            let n = *index.entry(to).or_insert_with(|| {
                targets.push((to, Vec::new()));
                targets.len() - 1
            });
            targets[n].1.push(case);
        };
        for &(low, high, to) in cases {
            let (low_text, high_text) = (konst::int_text(int, low), konst::int_text(int, high));
            add(
                to,
                if low == high { Case::One(low_text) } else { Case::Range(low_text, high_text) },
            );
        }
        add(default, Case::Default);
        let inside =
            Around { follow: None, on_break: around.follow, depth: around.depth + 1, ..around };
        let mut arms = Vec::with_capacity(targets.len());
        for (to, labels) in targets {
            self.back_to(span, line);
            // Falling out of an arm and breaking lead to the same place.
            let arm = Around { follow: around.follow, ..inside };
            let mut list = self.jump(w, to, arm);
            if !diverges(&list) {
                list.push(Stmt::new(C::Break, self.line));
            }
            arms.push((labels, list));
        }
        self.out.push(Stmt::new(C::Switch(expr, arms), line));
    }
}

/// Whether a count checked first here is that of a VLA: a bad one is a bad bound, that of an
/// allocation a failed allocation.
fn next_is_vla(stmts: &[toft_mir::Stmt]) -> bool {
    let is_count = |kind: &StmtKind| {
        matches!(kind, StmtKind::Check(Check { kind: CheckKind::Count { .. }, .. }))
    };
    if !stmts.first().is_some_and(|stmt| is_count(&stmt.kind)) {
        return false;
    }
    let user = stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Alloca { .. } => Some(true),
        StmtKind::Assign(_, Rvalue::Alloc { .. }) => Some(false),
        _ => None,
    });
    user.unwrap_or(false)
}

/// No statement but labels.
fn is_empty(list: &[Stmt]) -> bool {
    list.iter().all(|stmt| matches!(stmt.kind, C::Label(_)))
}

/// Control does not pass the end: a jump, or a call that throws.
fn ends(list: &[Stmt]) -> bool {
    diverges(list)
        || match list.last().map(|stmt| &stmt.kind) {
            Some(C::Expr(Expr::Call(callee, _))) => match &**callee {
                Expr::Atom(name) => {
                    name.starts_with("toft_trap")
                        || matches!(&**name, "toft_throw" | "toft_rethrow")
                }
                _ => false,
            },
            _ => false,
        }
}

fn find_gotos(list: &[Stmt], used: &mut [bool]) {
    for stmt in list {
        match &stmt.kind {
            C::Goto(id) => used[*id as usize] = true,
            C::Block(list) | C::Loop(list) => find_gotos(list, used),
            C::If(_, yes, no) => {
                find_gotos(yes, used);
                find_gotos(no, used);
            }
            C::Switch(_, arms) => arms.iter().for_each(|(_, list)| find_gotos(list, used)),
            _ => {}
        }
    }
}

fn drop_labels(list: &mut Vec<Stmt>, used: &[bool]) {
    list.retain(|stmt| !matches!(stmt.kind, C::Label(id) if !used[id as usize]));
    for stmt in list {
        match &mut stmt.kind {
            C::Block(list) | C::Loop(list) => drop_labels(list, used),
            C::If(_, yes, no) => {
                drop_labels(yes, used);
                drop_labels(no, used);
            }
            C::Switch(_, arms) => arms.iter_mut().for_each(|(_, list)| drop_labels(list, used)),
            _ => {}
        }
    }
}
