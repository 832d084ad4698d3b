//! Scopes that an exception leaves: what is alive, borrowed, open or lent at each point.
//!
//! In: a body and its graph. Out: for each block, and each handler, the stack of scopes in
//! force. Invariants: stacks are shared lists, equal ones have one number, so that a jump
//! into a handler leaves exactly the scopes entered since its `TryPush`.

use crate::flow::Cfg;
use toft_base::{FxHashMap, Idx};
use toft_mir::*;

/// A scope, left by its counterpart or by an exception.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The storage of a followed variable.
    Storage(LocalId),
    /// A borrow, or an opened key.
    Pin(RegionId),
    /// A pattern's variable that holds a part it may give back.
    Lent(LocalId),
}

/// A stack of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stack(u32);

const EMPTY: Stack = Stack(0);

/// Places that patterns lend their variables.
#[derive(Default)]
pub struct Lends(FxHashMap<LocalId, Vec<Place>>);

impl Lends {
    pub fn add(&mut self, from: LocalId, to: &Place) {
        let list = self.0.entry(from).or_default();
        if !list.contains(to) {
            list.push(to.clone());
        }
    }

    /// The assignment binds a pattern's variable to a part that comes back.
    pub fn binds(&self, to: &Place, from: &Operand) -> Option<LocalId> {
        let local = to.as_local()?;
        let place = from.place()?;
        self.0.get(&local)?.contains(place).then_some(local)
    }

    /// The places one variable is lent.
    pub fn of(&self, local: LocalId, visit: &mut dyn FnMut(&Place)) {
        self.0.get(&local).into_iter().flatten().for_each(visit);
    }

    /// Every lent place; the order does not matter.
    pub fn each(&self, visit: &mut dyn FnMut(&Place)) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(local, _)| **local);
        for (_, places) in all {
            places.iter().for_each(&mut *visit);
        }
    }
}

pub struct Scopes {
    /// Of a stack: the rest, and the top.
    nodes: Vec<(Stack, Scope)>,
    known: FxHashMap<(Stack, Scope), Stack>,
    /// At the start of each reachable block.
    pub entry: Vec<Stack>,
    /// By handler's block: the stack in force there.
    handlers: FxHashMap<BlockId, Stack>,
    /// Two ways lead to this block with different borrows, keys or loans.
    pub torn: Option<BlockId>,
}

impl Scopes {
    pub fn new(
        body: &Body<Built>,
        cfg: &Cfg,
        lends: &Lends,
        followed: &dyn Fn(LocalId) -> bool,
    ) -> Scopes {
        let mut scopes = Scopes {
            nodes: vec![(EMPTY, Scope::Storage(LocalId(u32::MAX)))],
            known: FxHashMap::default(),
            entry: vec![EMPTY; body.blocks.len()],
            handlers: FxHashMap::default(),
            torn: None,
        };
        let mut seen = vec![false; body.blocks.len()];
        seen[ENTRY.index()] = true;
        for &id in &cfg.rpo {
            let mut stack = scopes.entry[id.index()];
            for stmt in &body.blocks[id].stmts {
                if let StmtKind::TryPush(frame) = stmt.kind {
                    let handler = body.tries[frame].handler;
                    let old = *scopes.handlers.entry(handler).or_insert(stack);
                    scopes.meet(handler, old, stack);
                    scopes.entry[handler.index()] = old;
                    seen[handler.index()] = true;
                }
                stack = scopes.after(stack, &stmt.kind, lends, followed);
            }
            crate::flow::successors(&body.blocks[id], &mut |to| {
                if !std::mem::replace(&mut seen[to.index()], true) {
                    scopes.entry[to.index()] = stack;
                } else {
                    scopes.meet(to, scopes.entry[to.index()], stack);
                }
            });
        }
        scopes
    }

    /// The stack after a statement.
    pub fn after(
        &mut self,
        stack: Stack,
        stmt: &StmtKind,
        lends: &Lends,
        followed: &dyn Fn(LocalId) -> bool,
    ) -> Stack {
        match stmt {
            StmtKind::StorageLive(local) if followed(*local) => {
                self.push(stack, Scope::Storage(*local))
            }
            StmtKind::StorageDead(local) if followed(*local) => {
                self.pop(stack, Scope::Storage(*local))
            }
            StmtKind::BorrowEnter { region, .. }
            | StmtKind::RegionEnter { region, open: Some(_), .. } => {
                self.push(stack, Scope::Pin(*region))
            }
            StmtKind::BorrowExit(region) | StmtKind::RegionExit(region) => {
                self.pop(stack, Scope::Pin(*region))
            }
            StmtKind::Assign(to, Rvalue::Use(from)) => match lends.binds(to, from) {
                Some(local) => self.push(stack, Scope::Lent(local)),
                None => stack,
            },
            StmtKind::GiveBack { from, .. } => self.pop(stack, Scope::Lent(*from)),
            _ => stack,
        }
    }

    /// Scopes that are left on the way to a handler, or out of the function, innermost
    /// first; each with what is in force after it.
    pub fn left(&self, mut stack: Stack, handler: Option<BlockId>) -> Vec<(Scope, Stack)> {
        let to = handler.and_then(|handler| self.handlers.get(&handler).copied());
        let mut out = Vec::new();
        while stack != to.unwrap_or(EMPTY) && stack != EMPTY {
            let (rest, top) = self.nodes[stack.0 as usize];
            out.push((top, rest));
            stack = rest;
        }
        out
    }

    /// The regions that pin something, innermost first.
    pub fn pinning(&self, stack: Stack) -> Vec<RegionId> {
        self.pins(stack)
            .into_iter()
            .filter_map(|scope| match scope {
                Scope::Pin(region) => Some(region),
                _ => None,
            })
            .collect()
    }

    fn push(&mut self, rest: Stack, top: Scope) -> Stack {
        let next = Stack(self.nodes.len() as u32);
        let stack = *self.known.entry((rest, top)).or_insert(next);
        if stack == next {
            self.nodes.push((rest, top));
        }
        stack
    }

    /// The stack without the topmost such scope.
    fn pop(&mut self, stack: Stack, what: Scope) -> Stack {
        let mut above = Vec::new();
        let mut at = stack;
        while at != EMPTY {
            let (rest, top) = self.nodes[at.0 as usize];
            if top == what {
                at = rest;
                for &scope in above.iter().rev() {
                    at = self.push(at, scope);
                }
                return at;
            }
            above.push(top);
            at = rest;
        }
        stack
    }

    /// Where ways meet, borrows, keys and loans must be the same.
    fn meet(&mut self, at: BlockId, a: Stack, b: Stack) {
        if a != b && self.pins(a) != self.pins(b) {
            self.torn.get_or_insert(at);
        }
    }

    fn pins(&self, mut stack: Stack) -> Vec<Scope> {
        let mut out = Vec::new();
        while stack != EMPTY {
            let (rest, top) = self.nodes[stack.0 as usize];
            if !matches!(top, Scope::Storage(_)) {
                out.push(top);
            }
            stack = rest;
        }
        out
    }
}
