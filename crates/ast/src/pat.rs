//! Patterns as written, in `switch`, `let`, `catch`.

use crate::{Expr, Ident, Path, TyVar, TypeName};
use toft_base::Span;

#[derive(Clone, PartialEq, Debug)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PatKind {
    Wild,
    /// `...` at the end of a field list: the rest is ignored.
    Rest,
    /// A bare name: a constant or variant without fields if one is in scope,
    /// otherwise a new variable. The resolver decides.
    Name(Path),
    /// `x as p`.
    As(Ident, Box<Pat>),
    /// `T x`: a variable with its type written.
    Typed(Box<TypeName>, Ident),
    /// `*x`: a variable that points at the matched part.
    Ref(Ident),
    /// `&p`: what the pointer points at.
    AddrOf(Box<Pat>),
    /// `NULL`.
    Null,
    /// A literal or other constant expression.
    Const(Box<Expr>),
    /// `1 ... 5` (GNU case range).
    Range(Box<Expr>, Box<Expr>),
    /// `$(p, q)`.
    Tuple(Vec<Pat>),
    /// `A(p, q)`: a datatype's variant (or a struct, by position); `exists` from `A<'a>(p)`.
    Variant(Path, Vec<TyVar>, Vec<Pat>),
    /// `{.x = p, .y = q}`, `Tag{.x = p}`, `Tag{<'r> p, q}`: a struct or a tagged union.
    Record(Option<Path>, Vec<TyVar>, Vec<FieldPat>),
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FieldPat {
    /// Without a name the field is found by position.
    pub name: Option<Ident>,
    pub pat: Pat,
}
