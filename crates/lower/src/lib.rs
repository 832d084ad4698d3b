//! Lowering: typed trees become control-flow graphs.
//!
//! In: `tir::Func` (one function), `hir::Program` (declarations).
//! Out: `mir::Body<Built>`, `mir::Decls`, `mir::StaticInit`.
//! Needs: complete types, solved regions, explicit conversions (see `toft_tir`).
//! Keeps: TIR's local numbering (a MIR local below `func.locals.len()` is that TIR local;
//! temporaries follow), region numbering, generics.
//! Invariants of what comes out:
//! - Evaluation is left to right; no operand is read after something that a later sibling
//!   changed.
//! - Every access that could fail has its `Check` before it, numbered through the body.
//! - The first `Deref` of a place goes through a variable or fields of one: aliasable pointers
//!   found in memory are loaded into a temporary first. Every further `Deref` goes through a
//!   tracked pointer, which is followed where it lies.
//! - Reading a tracked value moves it; it is copied only where it is merely looked at.
//! - Scopes are left in reverse order on every path; exceptional edges are in `unwind`.
//! - Temporaries carry no storage marks.

mod assign;
mod builder;
mod builtin;
mod call;
mod cond;
mod consts;
mod convert;
mod decls;
mod expr;
mod format;
mod init;
mod new;
mod order;
mod pat;
mod place;
mod rows;
mod scope;
mod static_init;
mod stmt;
mod switch;
mod tracked;
mod try_;
mod visit;

#[cfg(test)]
mod tests;

pub use decls::decls;
pub use static_init::{add_global_init, static_init};

use toft_diag::Session;
use toft_mir::{Body, Built, Decls};

/// Lowers one function.
pub fn run(sess: &Session, decls: &Decls, func: &toft_tir::Func) -> Body<Built> {
    builder::Lower::new(sess, decls, func).lower()
}
