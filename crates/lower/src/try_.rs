//! `try … catch`.

use crate::builder::Lower;
use crate::scope::{Jump, NodeKind};
use toft_base::Span;
use toft_mir::{LocalId, LocalKind, Place, StmtKind, TermKind, Try, TryId};
use toft_tir::{Arm, JumpId, Stmt};

impl Lower<'_> {
    /// The body runs inside the frame; every way out of it pops the frame. The arms run
    /// outside.
    pub fn try_stmt(&mut self, body: &Stmt, jump: JumpId, exn: LocalId, arms: &[Arm], span: Span) {
        let (inside, handler, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.mark_target(handler);
        let node = self.node;
        let id = self.body.tries.push(Try { handler, parent: self.innermost_try() });
        self.emit(span, StmtKind::TryPush(id));
        self.push(NodeKind::Try(id), true, span);
        self.goto(span, inside);
        self.start(inside);
        self.stmt(body);
        self.leave(node, body.span.after());
        self.goto(body.span.after(), exit);

        self.start_always(handler);
        self.body.locals[exn].kind = LocalKind::Exn;
        self.emit(span, StmtKind::Catch(id, exn));
        self.set_jump(jump, Jump { exit, again: None, node });
        self.arms(arms, &Place::local(exn), exit);
        self.end(span, TermKind::Rethrow(exn));
        self.start(exit);
    }

    fn innermost_try(&self) -> Option<TryId> {
        let mut node = &self.nodes[self.node.0 as usize];
        loop {
            match node.kind {
                NodeKind::Try(id) => return Some(id),
                NodeKind::Root => return None,
                _ => node = &self.nodes[node.parent.0 as usize],
            }
        }
    }
}
