//! Bodies, statements, patterns.

use crate::{Expr, FuncId, Place};
use toft_base::{IndexVec, Span, Symbol};
use toft_hir::{JumpId, Label, LabelId, LocalId, RegionDecl};
use toft_ty::{AdtId, GenericParam, RegionId, Ty, TyQuals};

/// A typed function body.
#[derive(Debug)]
pub struct Func {
    pub id: FuncId,
    pub name: Symbol,
    pub locals: IndexVec<LocalId, Local>,
    /// The first `params` locals are the parameters.
    pub params: usize,
    pub ret: Ty,
    /// The function's generics followed by the existentials its patterns open.
    pub generics: Vec<GenericParam>,
    pub regions: IndexVec<RegionId, RegionDecl>,
    pub labels: IndexVec<LabelId, Label>,
    /// Conditions that hold on entry (checked there) and at each return; in the latter the
    /// result is the local `result`.
    pub requires: Vec<ContractCond>,
    pub ensures: Vec<ContractCond>,
    pub result: Option<LocalId>,
    /// Variables of the compiler's own that no statement brings to life: each is assigned
    /// before it is used.
    pub temps: Vec<LocalId>,
    pub root: Block,
    pub span: Span,
    pub end: Span,
}

#[derive(Debug)]
pub struct ContractCond {
    pub cond: Expr,
    pub text: Symbol,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: Option<Symbol>,
    pub ty: Ty,
    pub quals: TyQuals,
    pub span: Span,
    pub region: RegionId,
    pub align: Option<u32>,
    pub maybe_unused: bool,
}

#[derive(Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub region: Option<RegionId>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Empty,
    /// Evaluated for its effect; the value, if any, is dropped.
    Expr(Expr),
    /// A variable comes to life.
    Local(LocalId, LocalInit),
    Block(Block),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(JumpId, Expr, Box<Stmt>),
    DoWhile(JumpId, Box<Stmt>, Expr),
    For(Box<For>),
    /// C's switch over an integer; cases may stand anywhere in the body.
    Switch(JumpId, Expr, Box<Stmt>),
    /// Inclusive, in the scrutinee's type; no two overlap.
    Case(i128, i128, Box<Stmt>),
    Default(Box<Stmt>),
    Match(Box<Match>),
    Label(LabelId, Box<Stmt>),
    Goto(LabelId),
    Break(JumpId),
    Continue(JumpId),
    Return(Option<Expr>),
    Fallthru,
    /// With a value for each variable that the next arm binds.
    FallthruWith(Vec<(LocalId, Expr)>),
    /// `let p = e;`: always matches (checked for exhaustiveness).
    Let(Pat, Expr),
    Region {
        region: RegionId,
        handle: LocalId,
        open: Option<Expr>,
        rest: Vec<Stmt>,
    },
    Pinned {
        region: RegionId,
        local: LocalId,
        init: Expr,
        rest: Vec<Stmt>,
    },
    /// The exception is bound to a place of type `datatype exn @`; arms match it; when none
    /// does it is thrown again.
    Try {
        body: Box<Stmt>,
        jump: JumpId,
        exn: LocalId,
        arms: Vec<Arm>,
    },
}

#[derive(Debug)]
pub enum LocalInit {
    None,
    Value(Expr),
    /// A variable-length array: the number of elements (any integer type).
    Vla(Expr),
    /// An array of arrays, laid out as one: per dimension the variable that keeps its length
    /// (`unsigned long`), and the length (any integer type).
    Rows(Vec<(LocalId, Expr)>),
}

#[derive(Debug)]
pub struct For {
    pub jump: JumpId,
    pub region: Option<RegionId>,
    pub init: Vec<Stmt>,
    pub cond: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
}

/// Pattern matching over a scrutinee that is evaluated once. Patterns are exhaustive, or
/// `partial` says that a miss leaves the statement (a `switch` over integers without
/// default, as in C).
#[derive(Debug)]
pub struct Match {
    pub jump: JumpId,
    /// A place is matched in place (patterns may bind references into it).
    pub scrutinee: Scrutinee,
    pub arms: Vec<Arm>,
    pub partial: bool,
    pub span: Span,
}

#[derive(Debug)]
pub enum Scrutinee {
    Place(Place),
    /// Kept in the given compiler-made local.
    Value(LocalId, Expr),
}

#[derive(Debug)]
pub struct Arm {
    pub pats: Vec<Pat>,
    pub guard: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Debug)]
pub struct Pat {
    pub kind: PatKind,
    /// Type of what is matched.
    pub ty: Ty,
    pub span: Span,
}

#[derive(Debug)]
pub enum PatKind {
    Wild,
    /// Binds a copy of the matched part.
    Var(LocalId),
    As(LocalId, Box<Pat>),
    /// `*x`: binds a pointer to the matched part.
    Ref(LocalId),
    /// `&p`: the matched pointer is not null and what it points at matches `p`.
    Deref(Box<Pat>),
    Null,
    /// Inclusive range of integers; a single value has equal ends.
    Int(i128, i128),
    Float(f64),
    /// Elementwise: tuples, structs (fields by index), in order of evaluation.
    Fields(Vec<(u32, Pat)>),
    /// The variant of a datatype: matched part has type `datatype T`.
    Variant {
        adt: AdtId,
        variant: u32,
        fields: Vec<(u32, Pat)>,
    },
    /// A member of a tagged union is the current one and matches.
    Member {
        adt: AdtId,
        field: u32,
        pat: Box<Pat>,
    },
}
