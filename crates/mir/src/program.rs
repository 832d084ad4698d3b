//! What bodies refer to: declarations of functions and globals, the types' tables.

use crate::{Body, Checked, Final, Operand, Phase};
use toft_base::{IndexVec, Span, Symbol};
use toft_ty::{AdtId, FuncId, FuncTy, GArg, GenericParam, GlobalId, Tables, Ty, TyQuals};

/// Declarations of the whole program; the same from `lower` to `emit-c`.
#[derive(Debug, Default)]
pub struct Decls {
    pub tables: Tables,
    pub funcs: IndexVec<FuncId, FuncDecl>,
    pub globals: IndexVec<GlobalId, GlobalDecl>,
    pub raw_c: Vec<(Symbol, Span)>,
    pub main: Option<FuncId>,
    /// `test` blocks: name and function.
    pub tests: Vec<(Symbol, FuncId)>,
    pub exn: Option<AdtId>,
}

#[derive(Debug)]
pub struct FuncDecl {
    pub name: Symbol,
    /// Symbol in C: foreign and trusted functions, and exported `extern "C"` ones.
    pub link_name: Option<Symbol>,
    pub span: Span,
    pub sig: FuncTy,
    pub generics: Vec<GenericParam>,
    /// Not defined in Toft: declared by a host header or trusted.
    pub external: bool,
    /// Believed or host code: may it throw? Host functions do not.
    pub may_throw: bool,
    pub is_inline: bool,
    pub is_static: bool,
}

#[derive(Debug)]
pub struct GlobalDecl {
    pub name: Symbol,
    pub link_name: Option<Symbol>,
    pub span: Span,
    pub ty: Ty,
    pub quals: TyQuals,
    pub thread_local: bool,
    pub align: Option<u32>,
    pub external: bool,
    pub is_static: bool,
    /// `None`: zero.
    pub init: Option<StaticInit>,
}

/// A constant initialiser.
#[derive(Clone, PartialEq, Debug)]
pub enum StaticInit {
    Zero,
    /// A scalar constant, null, string or function address.
    Value(Operand),
    /// The address of a global, at constant steps into it; a fat pointer when `len` is given
    /// (elements from there on).
    Address {
        place: crate::Place,
        len: Option<u64>,
    },
    /// Contents of a `char` array (padded with zeros).
    Bytes(Vec<u8>),
    /// Fields or elements by index; the rest is zero.
    Aggregate(Vec<(u64, StaticInit)>),
}

/// One instance of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    pub func: FuncId,
    /// Regions, effects and aliasabilities erased; types concrete.
    pub args: Vec<GArg>,
}

/// The checked bodies, by function; functions without a body are absent.
pub type CheckedBodies = IndexVec<FuncId, Option<Body<Checked>>>;

/// All instances of the program, in a deterministic order, roots first.
#[derive(Debug)]
pub struct Instances<P: Phase> {
    pub list: Vec<(Instance, Body<P>)>,
    /// Globals that some instance or initialiser reaches.
    pub globals: Vec<GlobalId>,
    /// External functions that some instance reaches.
    pub externals: Vec<FuncId>,
}

pub type FinalProgram = Instances<Final>;
