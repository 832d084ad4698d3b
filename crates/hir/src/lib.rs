//! HIR: names resolved, declarators turned into types, constants of types evaluated.
//!
//! Made by `resolve`, read by `infer`. What is gone: typedefs, scopes of names,
//! declarator syntax, namespaces, parentheses. What is left to `infer`: the types of
//! expressions, conversions, generic arguments, regions that were not written
//! (`Region::Hole` in types inside bodies).

pub mod body;
pub mod dump;
pub mod item;

pub use body::*;
pub use item::*;
