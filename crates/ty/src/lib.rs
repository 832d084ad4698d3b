//! Types: interned, with regions, aliasability, bounds and effects from the first day;
//! the tables of user-defined types; layouts; printing.
//!
//! A [`Ty`] is a pointer into a global interner: copying is free, equality is pointer
//! equality, `ty.kind()` needs no context.

pub mod adt;
pub mod concrete;
pub mod fold;
pub mod kind;
pub mod layout;
pub mod packed;
pub mod print;
pub mod region;
pub mod target;
pub mod tracked;

pub use adt::*;
pub use concrete::{Concrete, concrete};
pub use fold::{Folder, Subst};
pub use kind::*;
pub use layout::{Layout, LayoutError};
pub use region::*;
pub use tracked::{aqual_tracked, tracked};
