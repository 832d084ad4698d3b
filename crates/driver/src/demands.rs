//! Signatures that learn from bodies: an unnamed region of a parameter is bounded by what the
//! function's body keeps the pointer in.
//!
//! In: the demands of bodies, and who uses which function. Out: bounds in the signatures, and
//! the functions to be judged anew. Invariants: bounds are only added, and there are finitely
//! many, so settling ends; a function whose callee's signature grew is judged again.

use toft_base::{FxHashSet, IndexVec};
use toft_hir::{Demand, Program};
use toft_mir::{
    Body, Callee, Checked, Const, ConstKind, Decls, FuncId, Operand, StmtKind, TermKind,
};

/// What is known so far.
#[derive(Default)]
pub struct Signatures {
    /// For each function, those that mention it; only functions that could still learn.
    users: IndexVec<FuncId, Vec<FuncId>>,
    asked: Vec<Demand>,
    /// Functions that asked for what they had: their bodies are refused as they are.
    refused: FxHashSet<FuncId>,
}

impl Signatures {
    pub fn may_ask(&self, id: FuncId) -> bool {
        !self.refused.contains(&id)
    }

    pub fn ask(&mut self, list: Vec<Demand>) {
        self.asked.extend(list);
    }

    /// Takes down which functions `body` mentions.
    pub fn uses(&mut self, program: &Program, body: &Body<Checked>) {
        if self.users.is_empty() {
            self.users = program.funcs.ids().map(|_| Vec::new()).collect();
        }
        let user = body.id;
        let mut mention = |id: FuncId| {
            let learns = program.funcs.get(id).is_some_and(|func| {
                func.body.is_some() && func.generics.iter().any(|param| param.implicit)
            });
            if learns && self.users[id].last() != Some(&user) {
                self.users[id].push(user);
            }
        };
        let mut operand = |op: &Operand| {
            if let Operand::Const(Const { kind: ConstKind::Func(id, _), .. }) = op {
                mention(*id);
            }
        };
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(_, rvalue) => rvalue.operands(&mut operand),
                    StmtKind::Call(call) => {
                        call.args.iter().chain(&call.varargs).for_each(&mut operand);
                    }
                    _ => {}
                }
            }
            if let TermKind::Return(Some(op)) = &block.term.kind {
                operand(op);
            }
        }
        for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
            if let StmtKind::Call(call) = &stmt.kind
                && let Callee::Func(id, _) = call.callee
            {
                mention(id);
            }
        }
    }

    /// Writes what was asked into the signatures. The answer: which functions to judge anew.
    pub fn settle(&mut self, program: &mut Program, decls: &mut Decls) -> Vec<FuncId> {
        let mut again: FxHashSet<FuncId> = FxHashSet::default();
        for demand in std::mem::take(&mut self.asked) {
            let func = &mut program.funcs[demand.func];
            again.insert(demand.func);
            if func.sig.bounds.contains(&demand.bound) {
                self.refused.insert(demand.func);
                continue;
            }
            func.sig.bounds.push(demand.bound);
            decls.funcs[demand.func].sig = func.sig.clone();
            program.demands.push(demand);
            again.extend(self.users.get(demand.func).into_iter().flatten());
        }
        let mut list: Vec<FuncId> = again.into_iter().collect();
        list.sort_unstable();
        list
    }
}
