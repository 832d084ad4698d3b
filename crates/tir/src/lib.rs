//! TIR: every expression typed, every conversion written out, places told from values.
//!
//! Made by `infer`, one function at a time; read by `lower`. Invariants:
//! - No `Infer` or `Hole` is left in any type; regions are solved: `Heap`, `Param`,
//!   `Local`, `Bound` inside function types only.
//! - Operands of arithmetic have equal types, already promoted; comparisons compare equal
//!   types. An expression's type differs from its context's only in ways that need no code
//!   (region, aliasability, const); everything else is a [`ExprKind::Conv`].
//! - Array and function decay are explicit; so are loads from places.
//! - Generic arguments of calls are complete.
//! - Calls of typed-varargs functions, formats, `malloc` and its kin are in their own forms.
//! - Evaluation order is the order of the children: left to right.
//! - Bodies with errors are not handed on.

pub mod dump;
pub mod expr;
pub mod stmt;

pub use expr::*;
pub use stmt::*;
pub use toft_hir::{
    Builtin, FuncId, GlobalId, JumpId, LabelId, LocalId, RegionDecl, RegionKind, StrWidth,
};
