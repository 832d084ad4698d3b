//! The parser: tokens to syntax tree.
//!
//! In: the token stream of `pp` (macros expanded, ends with `Eof`).
//! Out: `ast::Unit`; what was malformed is reported and left out, or an `Error` node.
//! Needs: `base`, `diag`, `ast`.
//! Keeps: the order of the text; the span of every node.
//! Invariants: the tree is at most `stack::MAX_DEPTH` levels high, so that later passes and
//! its own drop may recurse; every error is reported once; time is linear in the input.
//!
//! Recursive descent, decided by the current token and bounded lookahead. The parser knows
//! `typedef` names (see `scope`), as the grammar of C needs it; it knows no types.

mod attr;
mod declarator;
mod expr;
mod item;
mod keyword;
mod operand;
mod params;
mod parser;
mod pat;
mod record;
mod recover;
mod scope;
mod stmt;
mod toft;
mod types;
mod tyvar;

#[cfg(test)]
mod tests;

use toft_ast::{Token, Unit};
use toft_diag::Session;

/// Parses a translation unit.
pub fn run(sess: &Session, tokens: &[Token]) -> Unit {
    parser::Parser::new(sess, tokens).unit()
}
