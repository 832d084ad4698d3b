//! The state of lowering one function: the blocks under construction, temporaries, checks.

use crate::scope::{Goto, Jump, Node, NodeId, NodeKind};
use crate::switch::SwitchCx;
use toft_base::{BitSet, Idx, IndexVec, Span};
use toft_diag::{Diagnostic, Session, codes};
use toft_mir as mir;
use toft_mir::{
    BlockId, Body, Built, Check, CheckId, CheckKind, Decls, LocalDecl, LocalId, LocalKind, Operand,
    Place, RegionId, Rvalue, Stmt, StmtKind, TermKind, Terminator, Trap,
};
use toft_ty::{IntTy, Ty, TyQuals};

/// Types asked for all the time: looking them up takes a lock.
pub(crate) struct Common {
    pub int: Ty,
    pub long: Ty,
    pub ulong: Ty,
}

pub(crate) struct Lower<'a> {
    pub sess: &'a Session,
    pub decls: &'a Decls,
    pub func: &'a toft_tir::Func,
    pub body: Body<Built>,
    pub ty: Common,
    /// The block that statements go to; `None`: this point cannot be reached, and what
    /// an expression would emit is dropped. Statements start a block of their own, so that
    /// dead code is seen by `check`.
    pub cur: Option<BlockId>,
    /// Whether some terminator names the block.
    targeted: Vec<bool>,
    pub nodes: Vec<Node>,
    pub node: NodeId,
    /// Beginnings of scopes that a jump was told not to skip.
    pub skipped: Vec<toft_base::Span>,
    pub jumps: Vec<Option<Jump>>,
    /// Block and scope of each label, once met.
    pub labels: Vec<Option<(BlockId, NodeId)>>,
    pub gotos: Vec<Goto>,
    pub switches: Vec<SwitchCx>,
    /// Where `fallthru` goes: the next arm's body, or nowhere.
    pub fallthru: Vec<Option<crate::pat::NextArm>>,
    /// Places that patterns took tracked parts out of, and the variables that hold them.
    pub given: Vec<(Place, LocalId)>,
    /// A loan may begin: a call is going to end it.
    pub lends: bool,
    /// Variables whose address is taken somewhere; made when first asked for.
    pub exposed: Option<BitSet>,
}

/// TIR and MIR number a function's variables alike.
pub(crate) fn local_id(local: toft_tir::LocalId) -> LocalId {
    LocalId(local.0)
}

impl<'a> Lower<'a> {
    pub fn new(sess: &'a Session, decls: &'a Decls, func: &'a toft_tir::Func) -> Self {
        let mut body = Body::new(func.id, func.name, func.span, func.ret);
        body.end = func.end;
        body.params = func.params;
        body.generics = func.generics.clone();
        body.own_generics =
            decls.funcs.get(func.id).map_or(body.generics.len(), |decl| decl.generics.len());
        body.locals = func.locals.iter().enumerate().map(|(n, l)| declare(func, n, l)).collect();
        body.regions = func.regions.iter().map(region).collect();
        let root = Node {
            parent: NodeId(0),
            depth: 0,
            kind: NodeKind::Root,
            handler: None,
            span: func.span,
            guarded: false,
        };
        Lower {
            sess,
            decls,
            func,
            body,
            ty: Common {
                int: Ty::int(IntTy::Int),
                long: Ty::int(IntTy::Long),
                ulong: Ty::int(IntTy::ULong),
            },
            cur: None,
            targeted: Vec::new(),
            nodes: vec![root],
            node: NodeId(0),
            skipped: Vec::new(),
            jumps: Vec::new(),
            labels: vec![None; func.labels.len()],
            gotos: Vec::new(),
            switches: Vec::new(),
            fallthru: Vec::new(),
            given: Vec::new(),
            lends: false,
            exposed: None,
        }
    }

    /// Lowers the whole body.
    pub fn lower(mut self) -> Body<Built> {
        let entry = self.new_block();
        self.start_always(entry);
        self.targeted[entry.index()] = true;
        for cond in &self.func.requires {
            self.assert(&cond.cond, cond.text, cond.span);
        }
        self.block(&self.func.root);
        self.fall_off();
        self.resolve_gotos();
        self.sweep();
        self.body
    }

    /// The end of the body, when control gets there.
    fn fall_off(&mut self) {
        let end = self.func.end;
        let noreturn = self.decls.funcs.get(self.func.id).is_some_and(|f| f.sig.noreturn);
        if self.func.ret.is_void() && !noreturn {
            self.give_back(None, end);
        } else if self.decls.main == Some(self.func.id) {
            let zero = Operand::int(0, self.func.ret);
            self.give_back(Some(Rvalue::Use(zero)), end);
        } else {
            self.end(end, TermKind::Trap(Trap::MissingReturn));
        }
    }

    pub fn emit(&mut self, span: Span, kind: StmtKind) {
        if let Some(cur) = self.cur {
            self.body.blocks[cur].stmts.push(Stmt { kind, span });
        }
    }

    pub fn assign(&mut self, span: Span, place: Place, value: Rvalue) {
        if let Rvalue::Ref(of) = &value {
            self.mark_ref(of);
        }
        self.emit(span, StmtKind::Assign(place, value));
    }

    fn mark_ref(&mut self, of: &Place) {
        if let (mir::Base::Local(local), false) = (of.base, of.is_indirect()) {
            self.body.locals[local].address_taken = true;
        }
    }

    pub fn check(&mut self, span: Span, kind: CheckKind) {
        if self.cur.is_some() {
            let id = CheckId::from_usize(self.body.checks);
            self.body.checks += 1;
            self.emit(span, StmtKind::Check(Check { id, kind }));
        }
    }

    pub fn new_block(&mut self) -> BlockId {
        self.targeted.push(false);
        self.body.blocks.push(mir::Block {
            stmts: Vec::new(),
            term: Terminator { kind: TermKind::Unreachable, span: Span::NONE },
            unwind: None,
        })
    }

    /// Goes on in `block`, if anything leads there so far.
    pub fn start(&mut self, block: BlockId) {
        if self.targeted[block.index()] {
            self.start_always(block);
        } else {
            self.cur = None;
        }
    }

    /// Goes on in `block`, which a later jump may lead to.
    pub fn start_always(&mut self, block: BlockId) {
        debug_assert!(self.cur.is_none());
        self.body.blocks[block].unwind = self.nodes[self.node.index()].handler;
        self.cur = Some(block);
    }

    /// A statement begins: dead code gets a block of its own.
    pub fn revive(&mut self) {
        if self.cur.is_none() {
            let block = self.new_block();
            self.start_always(block);
        }
    }

    pub fn end(&mut self, span: Span, kind: TermKind) {
        if let Some(cur) = self.cur.take() {
            let targeted = &mut self.targeted;
            kind.successors(|to| targeted[to.index()] = true);
            self.body.blocks[cur].term = Terminator { kind, span };
        }
    }

    /// Sets the terminator of a block left open before.
    pub fn close(&mut self, block: BlockId, span: Span, kind: TermKind) {
        self.cur = Some(block);
        self.end(span, kind);
    }

    pub fn mark_target(&mut self, block: BlockId) {
        self.targeted[block.index()] = true;
    }

    pub fn goto(&mut self, span: Span, to: BlockId) {
        self.end(span, TermKind::Goto(to));
    }

    /// Ends the current block and goes on in a fresh one.
    pub fn split(&mut self, span: Span) {
        let next = self.new_block();
        self.goto(span, next);
        self.start(next);
    }

    pub fn temp(&mut self, ty: Ty, span: Span) -> LocalId {
        self.temp_in(ty, RegionId(0), span)
    }

    /// A temporary that is pointed into.
    pub fn temp_in(&mut self, ty: Ty, region: RegionId, span: Span) -> LocalId {
        self.body.locals.push(LocalDecl {
            name: None,
            ty,
            quals: TyQuals::default(),
            span,
            kind: LocalKind::Temp,
            region,
            align: None,
            address_taken: false,
            maybe_unused: true,
        })
    }

    /// The value, in a new temporary.
    pub fn keep(&mut self, value: Rvalue, ty: Ty, span: Span) -> LocalId {
        let temp = self.temp(ty, span);
        self.assign(span, Place::local(temp), value);
        temp
    }

    /// The value as an operand: itself, or through a temporary.
    pub fn settle(&mut self, value: Rvalue, ty: Ty, span: Span) -> Operand {
        match value {
            Rvalue::Use(operand) => operand,
            value => {
                let temp = self.keep(value, ty, span);
                self.held(temp)
            }
        }
    }

    pub fn ulong(&self, value: u64) -> Operand {
        Operand::int(i128::from(value), self.ty.ulong)
    }

    /// What stands for the value of an expression that has none.
    pub fn nothing(&self) -> Operand {
        Operand::int(0, self.ty.int)
    }

    pub fn unsupported(&mut self, span: Span, what: &str) {
        self.sess.emit(Diagnostic::error(
            codes::E0900,
            format!("{what} is not supported yet"),
            span,
            "",
        ));
    }

    /// Takes out the blocks that were made ready but never came to be used.
    fn sweep(&mut self) {
        let unused = |block: &mir::Block| {
            block.stmts.is_empty()
                && block.term.kind == TermKind::Unreachable
                && block.term.span.is_none()
        };
        let mut map = vec![BlockId(0); self.body.blocks.len()];
        let mut kept: IndexVec<BlockId, mir::Block> = IndexVec::new();
        let blocks = std::mem::take(&mut self.body.blocks.raw);
        for (n, block) in blocks.into_iter().enumerate() {
            if self.targeted[n] || !unused(&block) {
                map[n] = kept.push(block);
            }
        }
        let renumber = |block: &mut BlockId| *block = map[block.index()];
        for block in kept.iter_mut() {
            block.unwind.iter_mut().for_each(renumber);
            match &mut block.term.kind {
                TermKind::Goto(to) => renumber(to),
                TermKind::If(_, yes, no) => {
                    renumber(yes);
                    renumber(no);
                }
                TermKind::Switch { cases, default, .. } => {
                    cases.iter_mut().for_each(|(_, _, to)| renumber(to));
                    renumber(default);
                }
                _ => {}
            }
        }
        self.body.tries.iter_mut().for_each(|t| renumber(&mut t.handler));
        self.body.blocks = kept;
    }
}

fn declare(func: &toft_tir::Func, n: usize, local: &toft_tir::Local) -> LocalDecl {
    let is_result = func.result.is_some_and(|result| result.index() == n);
    let kind = match n < func.params {
        true => LocalKind::Param,
        false if is_result || func.temps.iter().any(|temp| temp.index() == n) => LocalKind::Temp,
        false => LocalKind::User,
    };
    LocalDecl {
        name: local.name,
        ty: local.ty,
        quals: local.quals,
        span: local.span,
        kind,
        region: local.region,
        align: local.align,
        address_taken: false,
        maybe_unused: local.maybe_unused,
    }
}

fn region(decl: &toft_tir::RegionDecl) -> mir::Region {
    use toft_tir::RegionKind as From;
    let kind = match decl.kind {
        From::Block => mir::RegionKind::Block,
        From::Arena => mir::RegionKind::Arena,
        From::Reap => mir::RegionKind::Reap,
        From::Alias => mir::RegionKind::Alias,
        From::Defend => mir::RegionKind::Defend,
        From::Open => mir::RegionKind::Open,
    };
    mir::Region { name: decl.name, parent: decl.parent, kind, span: decl.span }
}
