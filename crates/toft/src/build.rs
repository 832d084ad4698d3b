//! `toft build`.

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
    if !args.options.emit.is_empty() {
        return Ok(compile::emit(&package, &args.options, &args.report).exit());
    }
    Ok(compile::build(&package, &args.options, &args.report).exit())
}
