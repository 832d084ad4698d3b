//! Expressions as written.

use crate::{Block, GivenArgs, Ident, Path, Quals, TypeName};
use toft_base::{Span, Symbol};

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A number's spelling.
    Number(Symbol),
    /// A character constant's spelling, prefix and quotes included.
    Char(Symbol),
    /// Adjacent string literals, each with its spelling and span.
    Str(Vec<(Symbol, Span)>),
    /// `true`, `false`.
    Bool(bool),
    /// `nullptr` and `NULL`.
    Null,
    /// A name with explicit type arguments where given: `id@<int>`.
    Path(Path, GivenArgs),
    Paren(Box<Expr>),
    Unary(UnOp, Box<Expr>),
    /// `e++` and `e--`.
    PostIncDec(IncDec, Box<Expr>),
    PreIncDec(IncDec, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    LogicalAnd(Box<Expr>, Box<Expr>),
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; GNU `c ?: b` has no middle.
    Cond(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    /// `a :=: b`.
    Swap(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// `e.name`; a tuple's field may be a number: `t.0` is written `t[0]` too.
    Member(Box<Expr>, Ident),
    /// `e->name`.
    Arrow(Box<Expr>, Ident),
    Cast(Box<TypeName>, Box<Expr>),
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    /// `offsetof(T, a.b[2])` and `__builtin_offsetof`.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `(T){ … }`.
    CompoundLiteral(Box<TypeName>, Box<InitList>),
    /// `_Generic(e, T: a, default: b)`.
    Generic(Box<Expr>, Vec<GenericArm>),
    /// `({ … })`.
    StmtExpr(Box<Block>),
    /// `$(a, b)`.
    Tuple(Vec<Expr>),
    /// `new e`, `new {for …}`, `new T{…}`, `rnew(h) e`, `rnew(h, q) e`, `qnew(q) e`.
    New(Box<NewExpr>),
    /// `{for i < n : e}` (also with a type for the index in Cyclone's form).
    Comprehension(Box<Comprehension>),
    /// `throw e`.
    Throw(Box<Expr>),
    /// `valueof('n)`.
    Valueof(Box<crate::TyVar>),
    /// `numelts(p)`.
    Numelts(Box<Expr>),
    /// `tagcheck(u.member)`: whether the tagged union now holds `member`.
    Tagcheck(Box<Expr>),
    /// `@assert(e)`, also as a statement.
    Assert(Box<Expr>),
    /// `__builtin_va_arg(ap, T)`, and `va_arg` through the header.
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_choose_expr`, `__builtin_types_compatible_p` need types as arguments.
    BuiltinTypes(Symbol, Vec<TypeName>),
    /// An initialiser list where an expression stands (after `return`, as an argument).
    Init(Box<InitList>),
    /// `__extension__ e` is dropped; `asm` and label addresses end up here.
    Unsupported(Symbol),
    /// Was malformed and reported.
    Error,
}

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

#[derive(Clone, PartialEq, Debug)]
pub struct GenericArm {
    /// `None` for `default`.
    pub ty: Option<TypeName>,
    pub expr: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub struct NewExpr {
    /// The region handle of `rnew(h)`.
    pub region: Option<Expr>,
    /// The aliasability of `rnew(h, q)` or `qnew(q)`.
    pub qual: Option<Expr>,
    /// The initial value: an expression, an initialiser list or a comprehension.
    pub init: Init,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Comprehension {
    pub var: Ident,
    pub bound: Expr,
    pub body: Init,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Init {
    Expr(Expr),
    List(InitList),
}

/// `{ a, .x = b, [2] = c, [1 ... 3] = d }`.
#[derive(Clone, PartialEq, Debug)]
pub struct InitList {
    pub items: Vec<InitItem>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub value: Init,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    Field(Ident),
    Index(Expr),
    /// GNU `[a ... b]`.
    Range(Expr, Expr),
}

/// Qualifiers in `typeof` positions keep their own struct.
pub type CastQuals = Quals;
