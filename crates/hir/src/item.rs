//! Functions, globals and the program.

use crate::{Body, Expr, Init};
use toft_base::{FileId, IndexVec, Span, Symbol};
use toft_ty::{AdtId, FuncTy, GenericParam, Refinement, RegionBound, Tables, Ty, TyQuals};

pub use toft_ty::{FuncId, GlobalId};

#[derive(Default, Debug)]
pub struct Program {
    pub tables: Tables,
    pub funcs: IndexVec<FuncId, Func>,
    pub globals: IndexVec<GlobalId, Global>,
    /// Conditions of refinements, in the order of `tables.refines`.
    pub refines: Vec<Refine>,
    /// `test "…"` blocks, in order; each is a function without parameters.
    pub tests: Vec<(Symbol, FuncId)>,
    /// Texts of `extern "C include"` blocks, in order.
    pub raw_c: Vec<RawC>,
    /// `main`, if there is one.
    pub main: Option<FuncId>,
    /// `datatype exn`, declared by the prelude.
    pub exn: Option<AdtId>,
    /// What bodies ask of regions that their signatures leave unnamed; in the signatures'
    /// bounds too. The place is the store or return that asks.
    pub demands: Vec<Demand>,
    /// `struct DynamicRegion`, declared by the prelude: keys point to it.
    pub keys: Option<AdtId>,
    /// `next_rgn` stands somewhere: any definition may lead to regions nobody has opened.
    pub next_regions: bool,
}

/// The pointers of an unnamed region of a parameter of `func` must live as long as those of
/// another region, since the body keeps them there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demand {
    pub func: FuncId,
    pub bound: RegionBound,
    pub span: Span,
    /// The body returns it; otherwise it stores it.
    pub returned: bool,
}

/// `@subset(T x | e)`.
#[derive(Debug)]
pub struct Refine {
    /// `x`, the only variable of `cond`.
    pub var: crate::LocalId,
    pub cond: Expr,
}

#[derive(Debug)]
pub struct RawC {
    pub text: Symbol,
    pub span: Span,
}

/// Whose word a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Written in Toft: checked.
    Toft,
    /// Declared in `extern "C"` in a Toft file: believed, listed by `toft audit`.
    Trusted,
    /// Declared by a host header: pointers are foreign.
    Foreign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// Visible to the whole program.
    External,
    /// `static`: known in its file.
    Internal(FileId),
}

#[derive(Debug)]
pub struct Func {
    /// Qualified: `Ns::name`.
    pub name: Symbol,
    /// The symbol at the border, for `extern "C"` (both directions).
    pub link_name: Option<Symbol>,
    pub span: Span,
    pub origin: Origin,
    pub linkage: Linkage,
    pub is_inline: bool,
    /// Type, region, … parameters; `Param(i)` in `sig` and in the body refers to them.
    /// Regions that a parameter left unnamed are here too, `implicit`.
    pub generics: Vec<GenericParam>,
    /// `binder` is empty here: the function's own parameters are `generics`.
    pub sig: FuncTy,
    pub params: Vec<ParamInfo>,
    /// What the result satisfies.
    pub ret_refine: Option<Refinement>,
    /// `format(printf, 1, 2)`: position (from 0) of the format and of the first argument
    /// after it; `None` for the latter: `va_list`.
    pub format: Option<FormatAttr>,
    /// Something the compiler knows by itself; see [`Builtin`].
    pub builtin: Option<Builtin>,
    /// The result is as const as the first argument (`strchr` and the like).
    pub same_const: bool,
    pub contracts: Vec<Contract>,
    pub body: Option<Box<Body>>,
}

#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    pub name: Option<Symbol>,
    pub quals: TyQuals,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatKind {
    Printf,
    Scanf,
    Strftime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatAttr {
    pub kind: FormatKind,
    pub format: u32,
    pub first: Option<u32>,
}

/// Functions typed and lowered by the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    Malloc,
    Calloc,
    Realloc,
    Free,
    Rmalloc,
    Rcalloc,
    Rqmalloc,
    Rqcalloc,
    Rfree,
    AliasRefptr,
    DropRefptr,
    RdropRefptr,
    RefptrCount,
    NewUkey,
    NewRkey,
    NewReapUkey,
    NewReapRkey,
    FreeUkey,
    FreeRkey,
    NewDrseq,
    NextDrseq,
    RegionSize,
    RegionLimit,
    /// `__builtin_…` of the C compilers that headers use (`expect`, `bswap32`, `clz` …).
    Gnu(Symbol),
}

/// `@requires` / `@ensures`. The condition is an expression over the parameters, in the
/// body's own local numbering (parameters are the first locals); `result` is the last.
#[derive(Debug)]
pub struct Contract {
    pub requires: bool,
    pub cond: Expr,
    pub locals: IndexVec<crate::LocalId, crate::Local>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Global {
    pub name: Symbol,
    pub link_name: Option<Symbol>,
    pub span: Span,
    pub origin: Origin,
    pub linkage: Linkage,
    /// `Array` with `IntExpr::Unknown` length when the initialiser decides it.
    pub ty: Ty,
    pub quals: TyQuals,
    pub thread_local: bool,
    pub is_constexpr: bool,
    pub align: Option<u32>,
    /// A constant initialiser; may use locals of none.
    pub init: Option<Box<Init>>,
    /// Defined here (a tentative definition counts), not only `extern`.
    pub defined: bool,
}
