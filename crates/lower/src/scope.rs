//! Scopes as a tree of what is alive: every jump is "leave up to the common ancestor, then
//! enter down to the target".

use crate::builder::Lower;
use toft_base::{Idx, Span, ids};
use toft_diag::{Diagnostic, codes};
use toft_mir::{BlockId, LocalId, RegionId, StmtKind, TermKind, TryId};
use toft_tir::{JumpId, LabelId};

ids! {
    /// A point in the tree of scopes.
    pub struct NodeId = "scope";
}

/// Something alive, and all that was alive before it.
pub(crate) struct Node {
    pub parent: NodeId,
    pub depth: u32,
    pub kind: NodeKind,
    /// Innermost handler of exceptions here.
    pub handler: Option<BlockId>,
    pub span: Span,
    /// A variable that must not be jumped past.
    pub guarded: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Root,
    Local(LocalId),
    Try(TryId),
    Region(RegionId),
    Borrow(RegionId),
    /// A pattern's variable that gives back what it was given: an index into `given`.
    Given(u32),
}

/// Where `break` and `continue` go.
#[derive(Clone, Copy)]
pub(crate) struct Jump {
    pub exit: BlockId,
    pub again: Option<BlockId>,
    pub node: NodeId,
}

/// A `goto` to a label not met yet: the block that will hold what the jump leaves and enters.
pub(crate) struct Goto {
    edge: BlockId,
    from: NodeId,
    label: LabelId,
    span: Span,
}

impl Lower<'_> {
    pub fn push(&mut self, kind: NodeKind, guarded: bool, span: Span) {
        let parent = &self.nodes[self.node.index()];
        let handler = match kind {
            NodeKind::Try(id) => Some(self.body.tries[id].handler),
            _ => parent.handler,
        };
        let depth = parent.depth + 1;
        let node = Node { parent: self.node, depth, kind, handler, span, guarded };
        self.nodes.push(node);
        self.node = NodeId::from_usize(self.nodes.len() - 1);
    }

    /// A variable comes to life.
    pub fn live(&mut self, local: LocalId, guarded: bool, span: Span) {
        self.push(NodeKind::Local(local), guarded, span);
        self.emit(span, StmtKind::StorageLive(local));
    }

    /// Leaves every scope inside `to`, which is around the current one.
    pub fn leave(&mut self, to: NodeId, span: Span) {
        while self.node != to {
            let node = &self.nodes[self.node.index()];
            let (kind, parent) = (node.kind, node.parent);
            debug_assert!(kind != NodeKind::Root);
            self.node = parent;
            match kind {
                NodeKind::Root => return,
                NodeKind::Local(local) => self.emit(span, StmtKind::StorageDead(local)),
                NodeKind::Region(region) => self.emit(span, StmtKind::RegionExit(region)),
                NodeKind::Borrow(region) => self.emit(span, StmtKind::BorrowExit(region)),
                NodeKind::Given(n) => {
                    let (to, from) = self.given[n as usize].clone();
                    self.emit(span, StmtKind::GiveBack { to, from });
                }
                NodeKind::Try(id) => {
                    self.emit(span, StmtKind::TryPop(id));
                    // What follows is no longer under this handler.
                    if self.cur.is_some() {
                        self.split(span);
                    }
                }
            }
        }
    }

    /// Whether a loan of the typed tree began inside `to` and goes on.
    pub fn has_loans(&self, to: NodeId) -> bool {
        let mut at = self.node;
        while at != to {
            let node = &self.nodes[at.index()];
            match node.kind {
                NodeKind::Root => return false,
                NodeKind::Borrow(region) if region.index() < self.func.regions.len() => {
                    return true;
                }
                _ => at = node.parent,
            }
        }
        false
    }

    /// Jumps out to `block`, whose scope is around the current one. The scope of what follows
    /// in the text stays as it is.
    pub fn jump_out(&mut self, block: BlockId, to: NodeId, span: Span) {
        let here = self.node;
        self.leave(to, span);
        self.goto(span, block);
        self.node = here;
    }

    pub fn set_jump(&mut self, id: JumpId, jump: Jump) {
        if self.jumps.len() <= id.index() {
            self.jumps.resize(id.index() + 1, None);
        }
        self.jumps[id.index()] = Some(jump);
    }

    pub fn break_to(&mut self, id: JumpId, span: Span) {
        if let Some(Some(jump)) = self.jumps.get(id.index()).copied() {
            self.jump_out(jump.exit, jump.node, span);
        }
    }

    pub fn continue_to(&mut self, id: JumpId, span: Span) {
        if let Some(Some(Jump { again: Some(again), node, .. })) =
            self.jumps.get(id.index()).copied()
        {
            self.jump_out(again, node, span);
        }
    }

    /// A label: `goto`s lead here.
    pub fn label(&mut self, label: LabelId, span: Span) {
        let block = self.new_block();
        self.goto(span, block);
        self.mark_target(block);
        self.start_always(block);
        self.labels[label.index()] = Some((block, self.node));
    }

    pub fn goto_label(&mut self, label: LabelId, span: Span) {
        if let Some(Some((block, node))) = self.labels.get(label.index()).copied() {
            let here = self.node;
            self.travel(node, span);
            self.goto(span, block);
            self.node = here;
        } else {
            let edge = self.new_block();
            self.goto(span, edge);
            self.gotos.push(Goto { edge, from: self.node, label, span });
        }
    }

    /// Fills the edges of forward `goto`s, when all labels are known.
    pub fn resolve_gotos(&mut self) {
        for Goto { edge, from, label, span } in std::mem::take(&mut self.gotos) {
            let Some(Some((block, node))) = self.labels.get(label.index()).copied() else {
                continue;
            };
            self.node = from;
            self.cur = None;
            self.start(edge);
            self.travel(node, span);
            self.goto(span, block);
        }
    }

    /// A block that goes from scope `from` to `block` in scope `to`; `block` itself when they
    /// are the same.
    pub fn edge(&mut self, from: NodeId, block: BlockId, to: NodeId, span: Span) -> BlockId {
        if from == to {
            return block;
        }
        let (cur, here) = (self.cur.take(), self.node);
        let edge = self.new_block();
        self.node = from;
        self.start_always(edge);
        self.travel(to, span);
        self.goto(span, block);
        (self.cur, self.node) = (cur, here);
        edge
    }

    /// Leaves and enters scopes until the current one is `to`.
    fn travel(&mut self, to: NodeId, span: Span) {
        let (mut a, mut b) = (self.node, to);
        let mut path = Vec::new();
        while a != b {
            if self.nodes[a.index()].depth > self.nodes[b.index()].depth {
                a = self.nodes[a.index()].parent;
            } else {
                path.push(b);
                b = self.nodes[b.index()].parent;
            }
        }
        self.leave(a, span);
        for id in path.into_iter().rev() {
            self.enter(id, span);
        }
        self.node = to;
    }

    fn enter(&mut self, id: NodeId, span: Span) {
        let node = &self.nodes[id.index()];
        let what = match node.kind {
            NodeKind::Local(local) if !node.guarded => {
                self.emit(span, StmtKind::StorageLive(local));
                return;
            }
            NodeKind::Local(local) => {
                let decl = &self.body.locals[local];
                match decl.name {
                    Some(name) => format!("the declaration of `{name}`"),
                    None => "a declaration".to_owned(),
                }
            }
            NodeKind::Try(_) => "the beginning of a `try` body".to_owned(),
            NodeKind::Region(_) => "the beginning of a region".to_owned(),
            NodeKind::Borrow(_) => "the beginning of a borrow".to_owned(),
            NodeKind::Given(_) => "a pattern that binds variables".to_owned(),
            NodeKind::Root => return,
        };
        // One report for a scope, however many parts and labels it has.
        if self.skipped.contains(&node.span) {
            return;
        }
        self.skipped.push(node.span);
        let diagnostic = Diagnostic::error(
            codes::E0703,
            format!("this jump skips {what}"),
            span,
            "jumps into the scope from outside",
        )
        .label(node.span, "the scope begins here")
        .note("what the scope sets up would be missing inside it")
        .help("put the scope in a block of its own, or move the label out of it");
        self.sess.emit(diagnostic);
    }

    /// Ends the function: leaves every scope, checks what it promises, and returns.
    pub fn give_back(&mut self, value: Option<toft_mir::Rvalue>, span: Span) {
        let here = self.node;
        let value = value.map(|value| self.return_value(value, span));
        self.leave(NodeId(0), span);
        for cond in &self.func.ensures {
            self.assert(&cond.cond, cond.text, span);
        }
        self.end(span, TermKind::Return(value));
        self.node = here;
    }

    /// The returned value where no scope's end can touch it.
    fn return_value(&mut self, value: toft_mir::Rvalue, span: Span) -> toft_mir::Operand {
        use toft_mir::{Operand, Place, Rvalue};
        if let Some(result) = self.func.result {
            let result = Place::local(crate::builder::local_id(result));
            self.assign(span, result.clone(), value);
            return self.own(Operand::Copy(result), self.func.ret, span);
        }
        match value {
            Rvalue::Use(Operand::Const(c)) => Operand::Const(c),
            Rvalue::Use(op) if op.place().is_some_and(|place| self.outlives_scopes(place)) => op,
            value => {
                let temp = self.keep(value, self.func.ret, span);
                self.held(temp)
            }
        }
    }

    fn outlives_scopes(&self, place: &toft_mir::Place) -> bool {
        let own = |local: LocalId| {
            local.index() < self.body.params || local.index() >= self.func.locals.len()
        };
        let alone = self.node == NodeId(0);
        alone || place.as_local().is_some_and(own)
    }
}
