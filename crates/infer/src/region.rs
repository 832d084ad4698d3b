//! Region inference: constraints gathered over a whole body, solved at its end.
//!
//! In: `Outlives(a, b)` facts with what they came from, the tree of the body's regions,
//! the bounds of the signature. Out: a region for every variable, or E0601/E0602.
//! Keeps: every constraint, until the end, so that both ends of a conflict can be shown.
//! Invariants: solving visits each edge a bounded number of times.

pub mod constraints;
pub mod explain;
mod explain_live;
pub mod live;
pub mod order;
pub mod solve;
#[cfg(test)]
mod solve_test;

pub use constraints::{Graph, Need, Origin, What};
