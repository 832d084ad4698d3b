//! `toft profile`.

use crate::args::{self, Usage};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use toft_driver::compile::{self, Outcome};
use toft_driver::profile;

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let mut args = args::parse(words, true)?;
    if !args.options.emit.is_empty() {
        return Err(Usage(
            "`toft profile` runs a program; `--emit` belongs to `toft build`".into(),
        ));
    }
    let package = match args::package(&args) {
        Ok(package) => package,
        Err(why) => return Ok(args.report.fatal(*why)),
    };
    args.options.profile = true;
    // The program goes where those of `toft run` are; `-o` names the page.
    let pages = args.options.output.take().unwrap_or_else(|| PathBuf::from(&package.name));
    match compile::build(&package, &args.options, &args.report) {
        Outcome::Built(program) => {
            Ok(profile::run(&program, &args.rest, &args.report, &package.name, &pages))
        }
        other => Ok(other.exit()),
    }
}
