//! `toft test`: builds and runs the `test "…" { … }` blocks.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::process::ExitCode;
use toft_driver::compile::{self, Outcome};

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let mut args = args::parse(words, true)?;
    let mut package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    args.options.tests = true;
    package.sources.append(&mut package.test_sources);
    match compile::build(&package, &args.options, &args.report) {
        Outcome::Built(program) => Ok(compile::run(&program, &args.rest, &args.report)),
        other => Ok(other.exit()),
    }
}
