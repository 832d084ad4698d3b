//! `toft run`.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::process::ExitCode;
use toft_driver::compile::{self, Outcome};

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let args = args::parse(words, true)?;
    let package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    match compile::build(&package, &args.options, &args.report) {
        Outcome::Built(program) => Ok(compile::run(&program, &args.rest, &args.report)),
        other => Ok(other.exit()),
    }
}
