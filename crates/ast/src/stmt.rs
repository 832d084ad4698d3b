//! Statements as written.

use crate::{Attrs, Decl, Expr, Ident, Pat, StaticAssert, TyVar};
use toft_base::Span;

#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Box<Expr>),
    Decl(Box<Decl>),
    Block(Block),
    If(Box<Expr>, Box<Stmt>, Option<Box<Stmt>>),
    While(Box<Expr>, Box<Stmt>),
    DoWhile(Box<Stmt>, Box<Expr>),
    For(Box<ForStmt>),
    /// A `switch`; the body holds `Case`/`Default` labels wherever C allows them.
    Switch(Box<Expr>, Box<Stmt>),
    /// `case p && guard:` in front of a statement; C's constants are patterns too.
    Case(Box<Pat>, Option<Box<Expr>>, Box<Stmt>),
    Default(Box<Stmt>),
    Label(Ident, Attrs, Box<Stmt>),
    Goto(Ident),
    Break,
    Continue,
    Return(Option<Box<Expr>>),
    /// `fallthru;` / `[[fallthrough]];`
    Fallthru,
    /// `fallthru(e, …);`: values for the variables of the next case.
    FallthruWith(Vec<Expr>),
    /// `let p = e;`
    Let(Box<Pat>, Box<Expr>),
    /// `let alias<'s> T *'s a = u;` and `let defend<'s> …` (scope: the rest of the block).
    LetPinned(Box<PinnedLet>),
    /// `region<'r> h;`, `reap<'r> h;`, `region<'r> h = open(k);` (the rest of the block).
    Region(Box<RegionStmt>),
    /// `try s catch { cases }`.
    Try(Box<Stmt>, Box<Stmt>),
    StaticAssert(Box<StaticAssert>),
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ForStmt {
    pub init: ForInit,
    pub cond: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ForInit {
    None,
    Expr(Expr),
    Decl(Decl),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PinKind {
    Alias,
    Defend,
}

#[derive(Clone, PartialEq, Debug)]
pub struct PinnedLet {
    pub kind: PinKind,
    pub region: Option<TyVar>,
    pub decl: Decl,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RegionStmt {
    pub reap: bool,
    pub region: Option<TyVar>,
    pub handle: Ident,
    pub open: Option<Expr>,
}
