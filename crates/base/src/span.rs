//! Positions in the program text.

use std::fmt;

/// A half-open range of positions in the [`SourceMap`](crate::SourceMap).
///
/// Positions are global: every file, and every token that a macro made, has its
/// own range, so a span alone tells file, line, column and macro backtrace.
/// `Span::NONE` is for what the compiler made up itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    pub fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// From the start of `self` to the end of `end`. When one of the two comes
    /// from a macro expansion the range would be meaningless; the source map
    /// resolves such mixed spans by their ends.
    pub fn to(self, end: Span) -> Span {
        if self.is_none() {
            end
        } else if end.is_none() || end.hi < self.lo {
            self
        } else {
            Span { lo: self.lo, hi: end.hi }
        }
    }

    pub fn is_none(self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// The empty span just after this one.
    pub fn after(self) -> Span {
        Span { lo: self.hi, hi: self.hi }
    }

    /// The empty span just before this one.
    pub fn before(self) -> Span {
        Span { lo: self.lo, hi: self.lo }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}
