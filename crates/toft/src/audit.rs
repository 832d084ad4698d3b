//! `toft audit`: what of the program rests on trust.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::process::ExitCode;
use toft_driver::compile;

pub fn main(mut words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let before = words.len();
    words.retain(|word| word != "--all");
    let all = words.len() != before;
    let args = args::parse(words, false)?;
    let package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    Ok(compile::audit(&package, &args.options, &args.report, all).exit())
}
