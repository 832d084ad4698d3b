//! CIR: a small C tree and its printer. Knows nothing of Toft.
//!
//! Types are text: whoever builds a tree names every compound type by a typedef or a
//! struct tag, so that a type followed by a name is always a declaration.

pub mod lit;
pub mod print;
pub mod tree;

pub use print::Printer;
pub use tree::*;
