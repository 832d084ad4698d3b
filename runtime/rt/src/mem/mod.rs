//! Memory: the page pool, and the collected heap of a process on top of it.
//!
//! `pages` hands out 16 KiB blocks with a side table entry each; `class` knows the
//! cell sizes; `shape` keeps the kinds of cells a heap has; `heap` allocates; `tracked`
//! allocates what the program frees, `manual` frees it, `drop` with what it owns, `guard`
//! watches; `region` and `reap` are the regions, `key` the dynamic ones; `mark` and `sweep`
//! collect, `snapshot` does so beside the program; `roots` finds where marking starts;
//! `stats` tells.

pub mod class;
pub mod drop;
pub mod guard;
pub mod heap;
pub mod key;
pub mod manual;
pub mod mark;
pub mod pages;
pub mod reap;
pub mod region;
pub mod roots;
pub mod shape;
pub mod snapshot;
pub mod stats;
pub mod sweep;
pub mod tracked;
