//! Declarations as written.

use crate::{Attrs, Block, Declarator, Expr, Init, Pat, Path, StaticAssert, Storage, TypeSpec};
use toft_base::{Span, Symbol};

/// A whole translation unit after preprocessing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    pub items: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    Decl(Decl),
    Func(Box<FuncDef>),
    StaticAssert(Box<StaticAssert>),
    /// `namespace N { … }`.
    Namespace(crate::Ident, Vec<Item>),
    /// `using N { … }` or `using N;` (the rest of the enclosing block: the parser nests it).
    Using(Path, Vec<Item>),
    /// `extern "C" { … }` or `extern "C" decl` (`block` false).
    ExternC {
        block: bool,
        items: Vec<Item>,
    },
    /// `extern "C include" { raw }`.
    RawC(Symbol, Span),
    /// `test "name" { … }`.
    Test {
        name: Symbol,
        name_span: Span,
        body: Block,
    },
    /// `let p = e;` at file level.
    Let(Box<Pat>, Box<Expr>),
    /// A stray `;`, `asm(…)`, or what was reported.
    Empty,
}

/// `spec d1 = i1, d2;`
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    pub storage: Storage,
    pub spec: TypeSpec,
    pub declarators: Vec<InitDeclarator>,
    pub attrs: Attrs,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub init: Option<Init>,
    /// The `asm("name")` label of a foreign declaration.
    pub asm_label: Option<Symbol>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FuncDef {
    pub storage: Storage,
    pub spec: TypeSpec,
    /// Its first derivation is the function.
    pub declarator: Declarator,
    pub attrs: Attrs,
    pub body: Block,
}
