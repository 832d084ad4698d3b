//! Tests of name resolution: programs as text, through the preprocessor and parser.

mod bodies;
mod border;
mod decls;
mod errors;
mod harness;
mod libc;
mod literals;
mod toft;
