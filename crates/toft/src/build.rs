//! `toft build`.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::process::ExitCode;
use toft_driver::compile;

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let mut args = args::parse(words, false)?;
    let package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    if !args.options.emit.is_empty() {
        return Ok(compile::emit(&package, &args.options, &args.report).exit());
    }
    if args.options.output.is_none() {
        args.options.output = compile::default_output(&package);
    }
    Ok(compile::build(&package, &args.options, &args.report).exit())
}
