//! Protection of the compiler's own stack against deeply nested input.
//!
//! The driver runs the compiler on a thread with [`STACK_BYTES`] of stack. Each
//! recursive walker holds a [`Depth`] and asks it before going down; past
//! [`MAX_DEPTH`] the walker reports "nested too deeply" instead of recursing.

use std::cell::Cell;
use std::rc::Rc;

/// Stack of the compiling thread. Sized so that [`MAX_DEPTH`] levels of the
/// hungriest walker fit with room to spare, in debug builds too.
pub const STACK_BYTES: usize = 1 << 30;

/// Deepest nesting of expressions, statements, types or patterns accepted.
/// The parser enforces it, so later passes inherit a bounded tree.
pub const MAX_DEPTH: u32 = 1024;

/// A depth counter shared by the walkers of one pass.
#[derive(Clone, Default)]
pub struct Depth(Rc<Cell<u32>>);

/// One level held; released on drop.
pub struct Level(Rc<Cell<u32>>);

impl Depth {
    /// Goes one level down, or `None` when the input is nested too deeply.
    pub fn enter(&self) -> Option<Level> {
        let depth = self.0.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.0.set(depth + 1);
        Some(Level(Rc::clone(&self.0)))
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
