//! Every task of the project, in Rust.
fn main() {}
