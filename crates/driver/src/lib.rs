//! The driver: the pipeline in reading order, files, caches, the C compiler's command line.
//!
//! Subcommands of `toft` call [`compile::check`], [`compile::build`] and friends; nothing here
//! prints but through [`report`].

pub mod audit;
pub mod compile;
mod cross;
mod demands;
pub mod fingerprint;
pub mod home;
pub mod link;
pub mod options;
pub mod package;
pub mod pipeline;
pub mod profile;
pub mod report;
pub mod sources;

pub use options::{BuildOptions, Emit, Format, OptLevel};
