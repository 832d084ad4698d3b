//! The `toft` command.
fn main() {}
