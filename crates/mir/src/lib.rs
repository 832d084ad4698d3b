//! MIR: a control-flow graph per function. What is verified and what is compiled are the
//! same MIR.
//!
//! Phases, as types: `lower` makes `Body<Built>`; `check` alone turns it into
//! `Body<Checked>` ([`Body::certify`]); `mono` makes `Body<Concrete>` (no type parameters,
//! regions erased); `elaborate` makes `Body<Final>` (checks that facts make idle are gone,
//! zero-filling is explicit). `emit-c` takes only `Body<Final>`.
//!
//! MIR knows nothing of C text.

pub mod body;
pub mod phase;
pub mod program;
pub mod syntax;
pub mod text;
pub mod typing;
pub mod validate;
pub mod visit;

pub use body::*;
pub use phase::*;
pub use program::*;
pub use syntax::*;
pub use toft_ty::{FuncId, GlobalId, RegionId};
