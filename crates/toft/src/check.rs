//! `toft check`.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::process::ExitCode;
use toft_driver::compile;

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let args = args::parse(words, false)?;
    let package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    Ok(compile::check(&package, &args.options, &args.report).exit())
}
