//! The syntax tree and the tokens it is made from.
//!
//! The tree says what was written, with every name still a symbol. It decides
//! nothing: `typedef` names and types are kept apart from expressions only as far as the
//! grammar of C needs it.

pub mod decl;
pub mod dump;
pub mod expr;
pub mod literal;
pub mod pat;
pub mod stmt;
pub mod token;
pub mod types;

pub use decl::*;
pub use expr::*;
pub use pat::*;
pub use stmt::*;
pub use token::{Punct, TokKind, Token};
pub use types::*;
