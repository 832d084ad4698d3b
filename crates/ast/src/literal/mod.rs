//! Decoding of literals from their spelling: numbers, characters, strings.
//!
//! Errors carry the place inside the literal, so that the caller can point at it when
//! the literal is spelled in one piece.

mod number;
mod quoted;

pub use number::{FloatKind, FloatLit, IntLit, Number, number};
pub use quoted::{
    CharLit, Encoding, StrData, StrLit, append, character, encoding, string, strings,
};

/// Why a literal is malformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitError {
    pub message: String,
    /// The part at fault, in bytes from the start of the spelling.
    pub from: usize,
    pub to: usize,
}

impl LitError {
    /// The place of the part at fault, when the literal at `span` has the length of its
    /// spelling (no line splices, not made by a macro); the whole literal otherwise.
    pub fn place(&self, span: toft_base::Span, spelling: &str) -> toft_base::Span {
        if span.hi.saturating_sub(span.lo) as usize == spelling.len() {
            toft_base::Span::new(span.lo + self.from as u32, span.lo + self.to as u32)
        } else {
            span
        }
    }
}
