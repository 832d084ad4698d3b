//! The control-flow graph as the judgements see it: reverse post-order, predecessors,
//! which statements can throw, and visitors over what a statement reads and writes.
//!
//! Exceptional edges are edges: a block whose statements or terminator can throw has its
//! `unwind` block as a successor, and the state *at each throwing statement* flows there.

use toft_base::{BitSet, Idx};
use toft_mir::*;

/// Successors, predecessors and order of the blocks that can be reached.
pub struct Cfg {
    /// Reachable blocks, in reverse post-order; the entry is first.
    pub rpo: Vec<BlockId>,
    /// Position in `rpo`; `u32::MAX` for unreachable blocks.
    pub order: Vec<u32>,
    /// Normal edges into a block start at `pred_start[b]` in `pred_list`.
    pred_start: Vec<u32>,
    pred_list: Vec<BlockId>,
    /// The block contains something that throws (and so uses its unwind edge).
    pub throws: BitSet,
}

/// For each head of a loop that is entered through it alone: what is worked out anew when
/// the state at the head changes, because only the loop leads there. The blocks of the loop
/// without the head, and the exits that no other block leads to.
pub struct Loops {
    pub reset: Vec<Vec<BlockId>>,
}

impl Loops {
    pub fn new(body: &Body<Built>, cfg: &Cfg) -> Loops {
        let count = body.blocks.len();
        let mut reset: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        let heads: Vec<BlockId> = cfg
            .rpo
            .iter()
            .copied()
            .filter(|&id| cfg.preds(id).iter().any(|&from| cfg.is_back_edge(from, id)))
            .collect();
        if heads.is_empty() {
            return Loops { reset };
        }
        // Blocks that unwind to each block.
        let mut raisers: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for &id in &cfg.rpo {
            if let Some(to) = body.blocks[id].unwind
                && cfg.throws.contains(id.index())
            {
                raisers[to.index()].push(id);
            }
        }
        // No more work than this over all loops: deep nests of large loops do without.
        let mut budget = count * 16 + 1000;
        let mut inside = BitSet::empty(count);
        for head in heads {
            inside.clear();
            inside.insert(head.index());
            let mut list: Vec<BlockId> = Vec::new();
            let sources = cfg.preds(head).iter().filter(|&&from| cfg.is_back_edge(from, head));
            list.extend(sources.filter(|from| inside.insert(from.index())));
            let mut at = 0;
            while let Some(&block) = list.get(at) {
                at += 1;
                let from = cfg.preds(block).iter().chain(&raisers[block.index()]);
                list.extend(from.filter(|from| inside.insert(from.index())));
            }
            if list.len() > budget {
                continue;
            }
            budget -= list.len();
            // Entered past its head.
            if inside.contains(ENTRY.index()) && head != ENTRY {
                continue;
            }
            let body_len = list.len();
            let mut exits: Vec<BlockId> = Vec::new();
            for &block in list[..body_len].iter().chain([&head]) {
                successors(&body.blocks[block], &mut |to| exits.push(to));
            }
            for to in exits {
                let only = |from: &BlockId| inside.contains(from.index());
                if !inside.contains(to.index())
                    && !list.contains(&to)
                    && cfg.preds(to).iter().all(only)
                    && raisers[to.index()].iter().all(only)
                {
                    list.push(to);
                }
            }
            reset[head.index()] = list;
        }
        Loops { reset }
    }
}

impl Cfg {
    pub fn new(body: &Body<Built>, decls: &Decls) -> Cfg {
        let count = body.blocks.len();
        let mut throws = BitSet::empty(count);
        for (id, block) in body.blocks.iter_enumerated() {
            if block.unwind.is_some() && block_throws(block, decls) {
                throws.insert(id.index());
            }
        }
        let mut order = vec![u32::MAX; count];
        let rpo = reverse_post_order(body, &throws);
        for (n, block) in rpo.iter().enumerate() {
            order[block.index()] = n as u32;
        }
        let mut pred_start = vec![0u32; count + 1];
        for &block in &rpo {
            successors(&body.blocks[block], &mut |to| pred_start[to.index() + 1] += 1);
        }
        for n in 0..count {
            pred_start[n + 1] += pred_start[n];
        }
        let mut next = pred_start.clone();
        let mut pred_list = vec![ENTRY; pred_start[count] as usize];
        for &block in &rpo {
            successors(&body.blocks[block], &mut |to| {
                pred_list[next[to.index()] as usize] = block;
                next[to.index()] += 1;
            });
        }
        Cfg { rpo, order, pred_start, pred_list, throws }
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.order[block.index()] != u32::MAX
    }

    /// Reachable predecessors over normal edges (once per edge).
    pub fn preds(&self, block: BlockId) -> &[BlockId] {
        let (from, to) = (self.pred_start[block.index()], self.pred_start[block.index() + 1]);
        &self.pred_list[from as usize..to as usize]
    }

    /// The edge goes against the order: it closes a loop.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.order[to.index()] <= self.order[from.index()]
    }
}

/// Normal successors that the terminator can choose: a branch on a constant has one.
pub fn successors(block: &Block, visit: &mut dyn FnMut(BlockId)) {
    match &block.term.kind {
        TermKind::If(Operand::Const(Const { kind: ConstKind::Int(value), .. }), yes, no) => {
            visit(if *value != 0 { *yes } else { *no });
        }
        TermKind::Switch { on, cases, default } if on.as_int().is_some() => {
            let value = on.as_int().unwrap_or(0);
            let hit = cases.iter().find(|&&(lo, hi, _)| lo <= value && value <= hi);
            visit(hit.map_or(*default, |&(_, _, to)| to));
        }
        term => term.successors(visit),
    }
}

fn reverse_post_order(body: &Body<Built>, throws: &BitSet) -> Vec<BlockId> {
    let count = body.blocks.len();
    let mut seen = BitSet::empty(count);
    let mut post = Vec::with_capacity(count);
    // Each frame: a block and its successors still to visit (a range of `pending`).
    let mut stack: Vec<(BlockId, usize)> = Vec::new();
    let mut pending: Vec<BlockId> = Vec::new();
    let enter = |block: BlockId, pending: &mut Vec<BlockId>| {
        if throws.contains(block.index()) {
            pending.extend(body.blocks[block].unwind);
        }
        // Popped from the end: the first successor is visited last, and so comes first.
        successors(&body.blocks[block], &mut |to| pending.push(to));
    };
    if count == 0 {
        return post;
    }
    seen.insert(ENTRY.index());
    stack.push((ENTRY, 0));
    enter(ENTRY, &mut pending);
    while let Some(&(block, base)) = stack.last() {
        if pending.len() > base {
            if let Some(next) = pending.pop()
                && body.blocks.get(next).is_some()
                && seen.insert(next.index())
            {
                stack.push((next, pending.len()));
                enter(next, &mut pending);
            }
        } else {
            post.push(block);
            stack.pop();
        }
    }
    post.reverse();
    post
}

/// Something in the block can throw.
pub fn block_throws(block: &Block, decls: &Decls) -> bool {
    matches!(block.term.kind, TermKind::Throw(_) | TermKind::Rethrow(_) | TermKind::Trap(_))
        || block.stmts.iter().any(|stmt| stmt_throws(stmt, decls))
}

/// Entries of the runtime that give memory back or look at a count.
const NEVER_THROW: [&str; 12] = [
    "toft_unique_free",
    "toft_region_free",
    "toft_counted_dup",
    "toft_counted_count",
    "toft_counted_drop",
    "toft_counted_drop_full",
    "toft_region_drop",
    "toft_region_drop_full",
    "toft_key_free",
    "toft_key_drop",
    "toft_region_size",
    "toft_region_limit",
];

/// The statement can throw.
pub fn stmt_throws(stmt: &Stmt, decls: &Decls) -> bool {
    match &stmt.kind {
        StmtKind::Check(_) | StmtKind::Alloca { .. } => true,
        StmtKind::Assign(_, Rvalue::Alloc { .. } | Rvalue::ViewFat(_)) => true,
        StmtKind::Call(call) => match &call.callee {
            Callee::Func(func, _) => decls.funcs.get(*func).is_none_or(|decl| decl.may_throw),
            Callee::Gnu(_) => false,
            Callee::Runtime(name) => !NEVER_THROW.contains(name),
            Callee::Ptr(_) => true,
        },
        _ => false,
    }
}

/// How a place is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Its value, or part of its value, is read.
    Read,
    /// Its whole value is overwritten.
    Write,
    /// Its address is taken, or it is changed in some other way that also reads it.
    Address,
    /// The tag of a tagged union is set; the store of the member follows.
    Tag,
}

/// Visits every place a statement touches, reads before writes. Index locals inside places,
/// and pointers that a place goes through, are reads of their own ([`place_reads`]).
pub fn stmt_uses<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Place, Use)) {
    match &stmt.kind {
        StmtKind::Assign(place, rvalue) => {
            rvalue_uses(rvalue, visit);
            visit(place, Use::Write);
        }
        StmtKind::Check(check) => check_uses(&check.kind, visit),
        StmtKind::Call(call) => {
            if let Callee::Ptr(operand) = &call.callee {
                operand_uses(operand, visit);
            }
            for operand in call.args.iter().chain(&call.varargs) {
                operand_uses(operand, visit);
            }
            if let Some(dest) = &call.dest {
                visit(dest, Use::Write);
            }
        }
        StmtKind::SetTag(place, _) => visit(place, Use::Tag),
        StmtKind::Alloca { count, .. } => operand_uses(count, visit),
        StmtKind::Swap(a, b) => {
            visit(a, Use::Read);
            visit(b, Use::Read);
        }
        StmtKind::RegionEnter { open: Some(open), .. } => operand_uses(open, visit),
        StmtKind::BorrowEnter { from, .. } => visit(from, Use::Read),
        StmtKind::Consume(place) => visit(place, Use::Read),
        StmtKind::Nop
        | StmtKind::StorageLive(_)
        | StmtKind::StorageDead(_)
        | StmtKind::TryPush(_)
        | StmtKind::TryPop(_)
        | StmtKind::Catch(..)
        | StmtKind::RegionEnter { .. }
        | StmtKind::RegionExit(_)
        | StmtKind::BorrowExit(_)
        | StmtKind::GiveBack { .. } => {}
    }
}

pub fn operand_uses<'a>(operand: &'a Operand, visit: &mut dyn FnMut(&'a Place, Use)) {
    if let Operand::Copy(place) | Operand::Move(place) = operand {
        visit(place, Use::Read);
    }
}

pub fn check_uses<'a>(check: &'a CheckKind, visit: &mut dyn FnMut(&'a Place, Use)) {
    check.operands(&mut |op| operand_uses(op, visit));
    if let Some(place) = check.place() {
        visit(place, Use::Read);
    }
}

fn rvalue_uses<'a>(rvalue: &'a Rvalue, visit: &mut dyn FnMut(&'a Place, Use)) {
    rvalue.operands(&mut |op| operand_uses(op, visit));
    if let Some(place) = rvalue.place() {
        let address = matches!(rvalue, Rvalue::Ref(_) | Rvalue::VaArg(..));
        visit(place, if address { Use::Address } else { Use::Read });
    }
}

/// Places that the terminator reads.
pub fn term_uses<'a>(term: &'a Terminator, visit: &mut dyn FnMut(&'a Place, Use)) {
    match &term.kind {
        TermKind::If(a, ..) | TermKind::Switch { on: a, .. } | TermKind::Throw(a) => {
            operand_uses(a, visit);
        }
        TermKind::Return(Some(a)) => operand_uses(a, visit),
        _ => {}
    }
}

/// Locals that are read to find a place: indices. (The pointer a place goes through is its
/// own base.)
pub fn index_locals(place: &Place, visit: &mut dyn FnMut(LocalId)) {
    for step in &place.proj {
        if let Proj::Deref(Index::Local(local)) | Proj::Index(Index::Local(local)) = step {
            visit(*local);
        }
    }
}
