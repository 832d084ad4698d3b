//! Bodies: statements, expressions, patterns with every name resolved.

use crate::{FuncId, GlobalId};
use toft_base::{IndexVec, Span, Symbol, ids};
use toft_ty::{AdtId, EnumId, GArg, GenericParam, Kind, RegionId, Ty, TyQuals};

ids! {
    /// A variable of a body; parameters come first.
    pub struct LocalId = "_";
    /// A label of a body.
    pub struct LabelId = "label";
    /// A loop or `switch`, the target of `break` and `continue`.
    pub struct JumpId = "jump";
}

/// The region of compound literals outside functions: they are static, so `infer` reads it
/// as `'H`. No body has a region of this number.
pub const STATIC_REGION: RegionId = RegionId(u32::MAX);

#[derive(Debug, Default)]
pub struct Body {
    pub locals: IndexVec<LocalId, Local>,
    /// How many of the locals are parameters; the one that receives typed variable
    /// arguments (`is_varargs`) is the last of them and not in the signature's list.
    pub params: usize,
    /// `RegionId(0)` is the function's own: parameters and outermost block.
    pub regions: IndexVec<RegionId, RegionDecl>,
    /// Variables opened by patterns; `Param` indices continue after the function's generics.
    pub opened: Vec<GenericParam>,
    pub labels: IndexVec<LabelId, Label>,
    pub root: Block,
    /// The place of the closing brace.
    pub end: Span,
}

#[derive(Clone, Debug)]
pub struct Local {
    /// `None`: made by the compiler (an unnamed parameter, `...T` without a name).
    pub name: Option<Symbol>,
    pub ty: LocalTy,
    pub quals: TyQuals,
    pub span: Span,
    /// The region of its block: what `&x` points into.
    pub region: RegionId,
    pub align: Option<u32>,
    /// The parameter that receives typed variable arguments (its type is a fat pointer).
    pub is_varargs: bool,
    /// `[[maybe_unused]]`, or named with a leading underscore.
    pub maybe_unused: bool,
}

/// The type of a variable as far as it is written.
#[derive(Clone, Debug)]
pub enum LocalTy {
    /// Regions may be `Hole`; an array's length may be `IntExpr::Unknown` (the initialiser
    /// decides).
    Known(Ty),
    /// `T a[n]`: element type and length.
    Vla(Ty, Box<Expr>),
    /// `T a[n][m]`, where a length but the first is computed: the type of the elements, and per
    /// dimension the hidden variable that keeps its length.
    Rows(Ty, Vec<(LocalId, Expr)>),
    /// `auto x = e`, variables of patterns.
    Infer,
    /// `typeof(e) x` (with the derivations around it applied to the hole type `Infer(0)`).
    Typeof(Box<Expr>, Ty),
}

/// A type as it is written in an expression (cast, sizeof, compound literal).
#[derive(Clone, Debug)]
pub enum HirTy {
    Known(Ty, TyQuals),
    Typeof(Box<Expr>, Ty),
}

#[derive(Clone, Debug)]
pub struct RegionDecl {
    /// The name a programmer gave (`region<'r> h`), or the function's name for 0.
    pub name: Option<Symbol>,
    pub parent: Option<RegionId>,
    pub kind: RegionKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// A block's variables.
    Block,
    /// `region<'r> h;`
    Arena,
    /// `reap<'r> h;`
    Reap,
    /// `let alias<'s>`
    Alias,
    /// `let defend<'s>`
    Defend,
    /// `region<'r> h = open(k);`
    Open,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: Symbol,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    /// The block's region; `None`: shares that of the block around it (it has no variables).
    pub region: Option<RegionId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// A variable comes to life, with its initialiser.
    Local(LocalId, Option<Init>),
    Block(Block),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(JumpId, Expr, Box<Stmt>),
    DoWhile(JumpId, Box<Stmt>, Expr),
    /// `init` is a block-like list so that its variables have a region.
    For(Box<For>),
    /// All cases are integer constants or ranges: C's switch, labels anywhere in the body.
    Switch(JumpId, Expr, Box<Stmt>),
    Case(Box<CaseRange>, Box<Stmt>),
    Default(Box<Stmt>),
    /// At least one case is a proper pattern: cases stand directly in the body.
    Match(Box<Match>),
    Label(LabelId, Box<Stmt>),
    Goto(LabelId),
    Break(JumpId),
    Continue(JumpId),
    Return(Option<Expr>),
    /// Explicit fall-through into the next case of a `Match`.
    Fallthru,
    /// The same, with values for the variables that the next case binds.
    FallthruWith(Vec<Expr>),
    /// `let p = e;` the variables live until the block ends.
    Let(Box<Pat>, Expr),
    /// `region<'r> h; …rest` / `region<'r> h = open(k); …rest`.
    Region {
        region: RegionId,
        handle: LocalId,
        open: Option<Expr>,
        rest: Vec<Stmt>,
    },
    /// `let alias<'s> x = e; …rest` (and `defend`).
    Pinned {
        region: RegionId,
        local: LocalId,
        init: Expr,
        rest: Vec<Stmt>,
    },
    /// `try body catch { arms }`; an exception that no arm takes goes on.
    Try {
        body: Box<Stmt>,
        jump: JumpId,
        arms: Vec<Arm>,
    },
    Error,
}

#[derive(Clone, Debug)]
pub struct For {
    pub jump: JumpId,
    pub region: Option<RegionId>,
    pub init: Vec<Stmt>,
    pub cond: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
}

/// `case lo ... hi:` as constant expressions, typed by `infer`.
#[derive(Clone, Debug)]
pub struct CaseRange {
    pub lo: Expr,
    pub hi: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Match {
    pub jump: JumpId,
    pub scrutinee: Expr,
    pub arms: Vec<Arm>,
    pub span: Span,
}

/// `case p && guard: body` (several labels in a row are one arm with several patterns, if
/// none binds). `default:` is the pattern `Wild`.
#[derive(Clone, Debug)]
pub struct Arm {
    pub pats: Vec<Pat>,
    pub guard: Option<Expr>,
    pub body: Block,
    /// It gives values to the variables of the next arm.
    pub fills_next: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum PatKind {
    Wild,
    Var(LocalId),
    As(LocalId, Box<Pat>),
    /// `*x`
    Ref(LocalId),
    AddrOf(Box<Pat>),
    Null,
    Const(Box<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Tuple(Vec<Pat>),
    /// A datatype's variant. `rest`: the pattern ends in `...`.
    Variant {
        adt: AdtId,
        variant: u32,
        opened: Opened,
        args: Vec<Pat>,
        rest: bool,
    },
    /// A struct or tagged union; the type may come from the scrutinee (`None`).
    Record {
        adt: Option<AdtId>,
        opened: Opened,
        fields: Vec<(FieldName, Pat)>,
        rest: bool,
    },
    Error,
}

/// The existential variables a pattern opens: their index in `Param` space and kind.
pub type Opened = Vec<(u32, Kind, Span)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldName {
    Named(Symbol, Span),
    At(u32),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

pub use ops::{BinOp, IncDec, UnOp};

/// Operators, the same as written.
pub mod ops {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum UnOp {
        Plus,
        Neg,
        Not,
        BitNot,
        Deref,
        AddrOf,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum IncDec {
        Inc,
        Dec,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum BinOp {
        Add,
        Sub,
        Mul,
        Div,
        Rem,
        Shl,
        Shr,
        BitAnd,
        BitOr,
        BitXor,
        Lt,
        Gt,
        Le,
        Ge,
        Eq,
        Ne,
    }

    impl BinOp {
        pub fn is_comparison(self) -> bool {
            matches!(self, BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::Eq | BinOp::Ne)
        }

        pub fn text(self) -> &'static str {
            match self {
                BinOp::Add => "+",
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                BinOp::Div => "/",
                BinOp::Rem => "%",
                BinOp::Shl => "<<",
                BinOp::Shr => ">>",
                BinOp::BitAnd => "&",
                BinOp::BitOr => "|",
                BinOp::BitXor => "^",
                BinOp::Lt => "<",
                BinOp::Gt => ">",
                BinOp::Le => "<=",
                BinOp::Ge => ">=",
                BinOp::Eq => "==",
                BinOp::Ne => "!=",
            }
        }
    }
}

/// Element width of a string literal: `"…"`/`u8`, `u`, `U`, `L`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrWidth {
    Char,
    Char16,
    Char32,
    Wide,
}

/// An integer of any C type. Packed: the alignment of an `i128` would make every expression half
/// as large again, and trees are most of the memory that a check takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(Rust, packed(4))]
pub struct Number(i128);

impl Number {
    pub fn new(value: i128) -> Number {
        Number(value)
    }

    pub fn get(self) -> i128 {
        self.0
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Already typed as C says (suffix, size, base).
    Int(Number, Ty),
    Float(f64, Ty),
    Bool(bool),
    Null,
    /// Elements without the terminating zero.
    Str(StrWidth, Box<[u32]>),
    Local(LocalId),
    Global(GlobalId),
    /// The arguments are those written (`f@<int>`): for the function's generics that are
    /// not `implicit`, in order; fewer than those, or none, when not all were written.
    Func(FuncId, Vec<GArg>),
    EnumConst(EnumId, Number),
    /// `A` without arguments, or the constructor name in a call.
    Variant(AdtId, u32, Vec<GArg>),
    Unary(UnOp, Box<Expr>),
    PostIncDec(IncDec, Box<Expr>),
    PreIncDec(IncDec, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    LogicalAnd(Box<Expr>, Box<Expr>),
    LogicalOr(Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    Swap(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// `e.f`; tuple fields by number.
    Member(Box<Expr>, Symbol, Span),
    Arrow(Box<Expr>, Symbol, Span),
    Cast(Box<HirTy>, Box<Expr>),
    SizeofExpr(Box<Expr>),
    SizeofType(Box<HirTy>),
    AlignofType(Box<HirTy>),
    Offsetof(Box<HirTy>, Vec<Designator>),
    CompoundLiteral {
        ty: Box<HirTy>,
        init: Box<Init>,
        region: RegionId,
    },
    Generic(Box<Expr>, Vec<(Option<HirTy>, Expr)>),
    StmtExpr(Box<Block>),
    Tuple(Vec<Expr>),
    New(Box<New>),
    Comprehension(Box<Comprehension>),
    Throw(Box<Expr>),
    /// The run-time value of an integer parameter.
    Valueof(toft_ty::IntExpr),
    Numelts(Box<Expr>),
    Tagcheck(Box<Expr>),
    Assert(Box<Expr>),
    VaArg(Box<Expr>, Box<HirTy>),
    TypesCompatible(Box<HirTy>, Box<HirTy>),
    /// An initialiser list where an expression stands (argument, return, assignment).
    Init(Box<Init>),
    /// `@subset(T x | e)` conversion is made by `infer`; here only what was reported.
    Error,
}

#[derive(Clone, Debug)]
pub struct New {
    pub region: Option<Expr>,
    pub qual: Option<Expr>,
    pub init: Init,
}

#[derive(Clone, Debug)]
pub struct Comprehension {
    pub var: LocalId,
    pub bound: Expr,
    pub body: Init,
    pub region: RegionId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    Expr(Expr),
    List(Vec<InitItem>, Span),
    Comprehension(Box<Comprehension>),
}

#[derive(Clone, Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub value: Init,
}

#[derive(Clone, Debug)]
pub enum Designator {
    Field(Symbol, Span),
    Index(Expr),
    Range(Expr, Expr),
}
