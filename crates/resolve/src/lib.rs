//! Name resolution: the syntax trees of a program become one HIR.
//!
//! In: the parsed units of a program, the prelude first.
//! Out: `hir::Program`: types, functions, globals and bodies with every name resolved.
//! Needs: the session's source map (kinds of files, sites of declarations).
//! Keeps: every error reported; a poisoned part is `Ty::error()` or `ExprKind::Error`.
//! Invariants: declarations are taken in the order of the text, so the same input gives
//! the same ids; a declaration met again at the same place (a header included by two
//! units) is the same entity.
//!
//! Work is done in three rounds. Round 0 notes which tags each unit defines, so that
//! types may refer to each other in any order. Round 1 declares: types, signatures,
//! globals. Round 2 resolves bodies and initialisers, when every file-level name is known.

mod attrs;
mod builtins;
mod consteval;
mod cx;
mod datatype;
mod declarator;
mod expr;
mod foreign;
mod func;
mod generics;
mod init;
mod item;
mod literal;
mod names;
mod pat;
mod record;
mod refine;
mod scan;
mod scope;
mod stmt;
mod switch;
#[cfg(test)]
mod tests;
mod typeck;
mod types;
mod verify;

use toft_base::FileId;
use toft_diag::Session;

/// One parsed file of the program.
pub struct UnitInput {
    /// The file that was compiled (not its headers).
    pub file: FileId,
    pub unit: toft_ast::Unit,
    /// The prelude, always the first unit: what it declares is visible in every unit.
    pub prelude: bool,
}

/// Resolves a whole program.
pub fn run(sess: &Session, units: &[UnitInput]) -> toft_hir::Program {
    let mut resolver = cx::Resolver::new(sess, units);
    resolver.collect_tags();
    resolver.declare_all();
    resolver.check_types();
    resolver.define_all();
    resolver.prog
}
