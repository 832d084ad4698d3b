//! A function body, its variables and blocks.

use crate::{Built, Checked, Concrete, Final, Phase, Stmt, Terminator};
use std::marker::PhantomData;
use toft_base::{BitSet, IndexVec, Span, Symbol, ids};
use toft_ty::{FuncId, GenericParam, RegionId, Ty, TyQuals};

ids! {
    /// A variable or temporary.
    pub struct LocalId = "_";
    /// A basic block.
    pub struct BlockId = "bb";
    /// A run-time check, numbered through the body.
    pub struct CheckId = "check";
    /// A handler frame of `try`.
    pub struct TryId = "try";
}

/// Entry of every body.
pub const ENTRY: BlockId = BlockId(0);

#[derive(Clone, PartialEq, Debug)]
pub struct Body<P: Phase> {
    pub id: FuncId,
    /// Qualified name, for messages and backtraces.
    pub name: Symbol,
    pub span: Span,
    pub end: Span,
    pub ret: Ty,
    /// The first `params` locals are the parameters.
    pub params: usize,
    pub locals: IndexVec<LocalId, LocalDecl>,
    pub blocks: IndexVec<BlockId, Block>,
    /// The function's generics, then the existentials its patterns open.
    pub generics: Vec<GenericParam>,
    /// How many of `generics` belong to the function itself.
    pub own_generics: usize,
    /// Tree of body regions: blocks, arenas, borrow scopes. 0 is the function.
    pub regions: IndexVec<RegionId, Region>,
    pub tries: IndexVec<TryId, Try>,
    /// How many `CheckId`s are in use.
    pub checks: usize,
    pub facts: Facts,
    phase: PhantomData<P>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LocalDecl {
    /// `None`: a temporary.
    pub name: Option<Symbol>,
    pub ty: Ty,
    pub quals: TyQuals,
    pub span: Span,
    pub kind: LocalKind,
    /// The region that `Ref` of this variable points into.
    pub region: RegionId,
    pub align: Option<u32>,
    /// Some `Ref` has it as base (without passing through a pointer).
    pub address_taken: bool,
    /// `[[maybe_unused]]`.
    pub maybe_unused: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
    Param,
    /// Declared by the programmer. Lives from `StorageLive` to `StorageDead`.
    User,
    /// Made by `lower`. Assigned as a whole before it is used on every path; has no storage
    /// marks, also when its address is taken (compound literals): it lives as long as the
    /// call.
    Temp,
    /// The exception a handler caught.
    Exn,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    pub name: Option<Symbol>,
    pub parent: Option<RegionId>,
    pub kind: toft_hir_region::RegionKind,
    pub span: Span,
}

/// The kinds of body regions (a twin of HIR's, so that MIR stands alone).
pub mod toft_hir_region {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum RegionKind {
        Block,
        Arena,
        Reap,
        Alias,
        Defend,
        Open,
    }
}
pub use toft_hir_region::RegionKind;

/// A handler frame: pushed by `TryPush`, popped by `TryPop` or by a throw.
#[derive(Clone, PartialEq, Debug)]
pub struct Try {
    /// Where control goes when something inside throws. Starts with `Catch`.
    pub handler: BlockId,
    pub parent: Option<TryId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub term: Terminator,
    /// Where control goes when a statement or the terminator of this block throws: the
    /// innermost handler here; `None`: out of the function. **The state at each throwing
    /// statement flows along this edge**, not only that at the block's end.
    pub unwind: Option<BlockId>,
}

/// What `check` found out, for `elaborate`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// Checks that can never fail: by `CheckId`.
    pub idle: BitSet,
    /// Locals to be zero-filled where they come to life: by `LocalId`.
    pub zero_fill: BitSet,
    /// Blocks that cannot be reached.
    pub dead: BitSet,
}

impl Body<Built> {
    pub fn new(id: FuncId, name: Symbol, span: Span, ret: Ty) -> Self {
        Body {
            id,
            name,
            span,
            end: span,
            ret,
            params: 0,
            locals: IndexVec::new(),
            blocks: IndexVec::new(),
            generics: Vec::new(),
            own_generics: 0,
            regions: IndexVec::new(),
            tries: IndexVec::new(),
            checks: 0,
            facts: Facts::default(),
            phase: PhantomData,
        }
    }

    /// Declares the body safe. Called by `check` alone (`xtask tidy` looks).
    pub fn certify(self, facts: Facts) -> Body<Checked> {
        Body { facts, ..self.rephase() }
    }
}

impl Body<Checked> {
    /// The body as a starting point for an instance: `mono` replaces its types.
    pub fn instantiate(&self) -> Body<Concrete> {
        self.clone().rephase()
    }
}

impl Body<Concrete> {
    /// Called by `elaborate` alone.
    pub fn finish(self) -> Body<Final> {
        self.rephase()
    }
}

impl<P: Phase> Body<P> {
    fn rephase<Q: Phase>(self) -> Body<Q> {
        Body {
            id: self.id,
            name: self.name,
            span: self.span,
            end: self.end,
            ret: self.ret,
            params: self.params,
            locals: self.locals,
            blocks: self.blocks,
            generics: self.generics,
            own_generics: self.own_generics,
            regions: self.regions,
            tries: self.tries,
            checks: self.checks,
            facts: self.facts,
            phase: PhantomData,
        }
    }
}
