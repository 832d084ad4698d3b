//! Memory: the page pool, and the collected heap of a process on top of it.
//!
//! `pages` hands out 16 KiB blocks with a side table entry each; `class` knows the
//! cell sizes; `shape` keeps the kinds of cells a heap has; `heap` allocates; `mark`
//! and `sweep` collect; `roots` finds where marking starts.

pub mod class;
pub mod heap;
pub mod mark;
pub mod pages;
pub mod roots;
pub mod shape;
pub mod sweep;
