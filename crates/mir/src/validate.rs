//! The validator: whether a body keeps what the doc comments of this crate promise. For
//! tests and `--validate`; a violation is a bug of a pass, never of the user's program.

mod flow;
mod moves;
mod shape;
mod types;

use crate::{Body, Decls, Phase};
use std::fmt;

/// A broken promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub rule: Rule,
    /// Where and what, in the words of the text form.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// A block, local, global, region, try or function that does not exist.
    Range,
    /// Check numbers are unique and below `checks`.
    CheckNumber,
    /// A place whose steps do not fit its type.
    Place,
    /// Sides of an assignment, or operands, of types that do not go together.
    Type,
    /// A fat form used on a thin pointer or the other way round.
    Pointer,
    /// `TryPush` and `TryPop` do not match on some path, or not the blocks' unwind edges.
    Try,
    /// A variable used outside its storage marks, or marked twice.
    Storage,
    /// An access without its check before it in the same block.
    Unchecked,
    /// A type variable, an inference variable or an error in a phase without them.
    Phase,
    /// A tracked value read by value with `Copy`.
    Copied,
    /// `Catch` not first in a handler, parameters that are not first, and the like.
    Shape,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.text)
    }
}

/// More than this of one body says nothing new.
const MAX_VIOLATIONS: usize = 50;

/// Everything wrong with the body; empty when it is well formed.
pub fn validate<P: Phase>(decls: &Decls, body: &Body<P>) -> Vec<Violation> {
    let mut out = Vec::new();
    shape::check(decls, body, &mut out);
    // The rest relies on ids that exist.
    if out.iter().all(|violation: &Violation| violation.rule != Rule::Range) {
        types::check(decls, body, &mut out);
        flow::check(decls, body, &mut out);
        moves::check(decls, body, &mut out);
    }
    out.truncate(MAX_VIOLATIONS);
    out
}
