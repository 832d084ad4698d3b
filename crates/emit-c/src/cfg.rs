//! The shape of a control-flow graph: order, dominators, loops.

use toft_base::Idx;
use toft_mir::{BlockId, Body, ENTRY, Final, StmtKind};

const NONE: u32 = u32::MAX;

pub struct Cfg {
    /// Blocks in reverse postorder.
    pub order: Vec<BlockId>,
    /// Position of each block in `order`.
    pub position: Vec<u32>,
    idom: Vec<u32>,
    /// Different blocks that lead to each one.
    pub preds: Vec<Vec<u32>>,
    /// The innermost loop of each block, by its header.
    innermost: Vec<u32>,
    /// The loop around each header's loop.
    outer: Vec<u32>,
    pub is_header: Vec<bool>,
}

/// Where control may go from a block, handlers of frames it pushes included.
pub fn successors(body: &Body<Final>, id: BlockId) -> Vec<BlockId> {
    let mut list = Vec::with_capacity(2);
    let block = &body.blocks[id];
    for stmt in &block.stmts {
        if let StmtKind::TryPush(frame) = stmt.kind {
            list.push(body.tries[frame].handler);
        }
    }
    block.term.kind.successors(|to| list.push(to));
    list.dedup();
    list
}

impl Cfg {
    pub fn new(body: &Body<Final>) -> Cfg {
        let count = body.blocks.len();
        let succs: Vec<Vec<BlockId>> = body.blocks.ids().map(|id| successors(body, id)).collect();
        let order = reverse_postorder(&succs);
        let mut position = vec![NONE; count];
        for (n, id) in order.iter().enumerate() {
            position[id.index()] = n as u32;
        }
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &id in &order {
            for to in &succs[id.index()] {
                let list = &mut preds[to.index()];
                if list.last() != Some(&id.0) && !list.contains(&id.0) {
                    list.push(id.0);
                }
            }
        }
        let mut cfg = Cfg {
            idom: vec![NONE; count],
            innermost: vec![NONE; count],
            outer: vec![NONE; count],
            is_header: vec![false; count],
            order,
            position,
            preds,
        };
        cfg.dominators();
        cfg.loops();
        cfg
    }

    /// Cooper, Harvey, Kennedy: intersect along the tree until nothing changes.
    fn dominators(&mut self) {
        self.idom[ENTRY.index()] = ENTRY.0;
        let mut changed = true;
        while changed {
            changed = false;
            for &id in self.order.iter().skip(1) {
                let mut new = NONE;
                for &pred in &self.preds[id.index()] {
                    if self.idom[pred as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE { pred } else { self.common(new, pred) };
                }
                if self.idom[id.index()] != new {
                    self.idom[id.index()] = new;
                    changed = true;
                }
            }
        }
    }

    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            while self.position[a as usize] > self.position[b as usize] {
                a = self.idom[a as usize];
            }
            while self.position[b as usize] > self.position[a as usize] {
                b = self.idom[b as usize];
            }
        }
        a
    }

    fn dominates(&self, a: u32, b: u32) -> bool {
        let mut at = b;
        while self.position[at as usize] > self.position[a as usize] {
            at = self.idom[at as usize];
        }
        at == a
    }

    /// Natural loops, outer ones first, so that inner ones overwrite.
    fn loops(&mut self) {
        for n in 0..self.order.len() {
            let header = self.order[n].0;
            let mut work: Vec<u32> = (self.preds[header as usize].iter().copied())
                .filter(|&pred| self.dominates(header, pred))
                .collect();
            if work.is_empty() {
                continue;
            }
            self.is_header[header as usize] = true;
            self.outer[header as usize] = self.innermost[header as usize];
            self.innermost[header as usize] = header;
            while let Some(at) = work.pop() {
                if self.innermost[at as usize] == header || !self.dominates(header, at) {
                    continue;
                }
                self.innermost[at as usize] = header;
                work.extend(self.preds[at as usize].iter().copied());
            }
        }
    }

    pub fn idom(&self, id: BlockId) -> BlockId {
        BlockId(self.idom[id.index()])
    }

    /// Edges into the block that are not back edges of its own loop.
    pub fn forward_preds(&self, id: BlockId) -> usize {
        let back = |pred: u32| self.is_header[id.index()] && self.dominates(id.0, pred);
        self.preds[id.index()].iter().filter(|&&pred| !back(pred)).count()
    }

    /// The outermost loop around `from` that `to` is not in, by its header.
    pub fn loop_left(&self, from: BlockId, to: BlockId) -> Option<BlockId> {
        let mut left = None;
        let mut at = self.innermost[from.index()];
        while at != NONE && !self.in_loop(to.0, at) {
            left = Some(BlockId(at));
            at = self.outer[at as usize];
        }
        left
    }

    fn in_loop(&self, block: u32, header: u32) -> bool {
        let mut at = self.innermost[block as usize];
        while at != NONE {
            if at == header {
                return true;
            }
            at = self.outer[at as usize];
        }
        false
    }
}

fn reverse_postorder(succs: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut seen = vec![false; succs.len()];
    let mut order = Vec::with_capacity(succs.len());
    let mut stack = vec![(ENTRY, 0usize)];
    seen[ENTRY.index()] = true;
    while let Some((id, n)) = stack.pop() {
        // The last successor is visited first, so that the first comes first in the order.
        let list = &succs[id.index()];
        match list.len().checked_sub(n + 1).and_then(|n| list.get(n)) {
            Some(&next) => {
                stack.push((id, n + 1));
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, 0));
                }
            }
            None => order.push(id),
        }
    }
    order.reverse();
    order
}
