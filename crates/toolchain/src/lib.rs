//! The world outside the compiler: the host's C compiler, header files, output files.
//!
//! `compiler` finds a C compiler and runs it; `probe` learns its include folders and
//! macros (cached on disk); `includes` finds and loads headers for the preprocessor;
//! `files` writes outputs so that none is ever half written.

pub mod compiler;
pub mod files;
pub mod includes;
mod probe;

pub use compiler::{Compiler, Family, RunError};
pub use files::{Pending, TempDir, read_source, write_atomic};
pub use includes::{HeaderSearch, SearchPaths, define_line};
