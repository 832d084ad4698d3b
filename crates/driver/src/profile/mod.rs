//! `toft profile`: runs a program that was built for it, reads what it left, and writes a page
//! and a table.
//!
//! In: the program; the file that the runtime writes at its end (`runtime/rt/src/prof`). Out:
//! `NAME.profile.html`, one file that needs nothing else, and `NAME.profile.csv`.

mod chart;
mod data;
mod judge;
mod page;
mod table;

use crate::compile;
use crate::report::Report;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toft_diag::{Diagnostic, codes};
use toft_toolchain::{TempDir, write_atomic};

/// Runs `program` and writes `PAGES.profile.html` and `PAGES.profile.csv`. The exit code is the
/// program's.
pub fn run(
    program: &Path,
    args: &[OsString],
    report: &Report,
    name: &str,
    pages: &Path,
) -> ExitCode {
    let temp = match TempDir::new() {
        Ok(temp) => temp,
        Err(why) => return failed(report, *why),
    };
    let file = temp.path().join("profile.tsv");
    let code = compile::run_with(program, args, report, &[("TOFT_PROFILE", &file)]);
    let text = std::fs::read(&file).unwrap_or_default();
    let Some(profile) = data::parse(&String::from_utf8_lossy(&text)) else {
        let why = Diagnostic::error(
            codes::E0001,
            "the program left no profile",
            toft_base::Span::NONE,
            "",
        )
        .note("it is written when the program ends by itself: by return, exit or an exception")
        .help("end it with exit(), not by _exit, abort or a signal");
        return failed(report, why);
    };
    let html = with_suffix(pages, "profile.html");
    let csv = with_suffix(pages, "profile.csv");
    let written = write_atomic(&html, page::write(&profile, name).as_bytes())
        .and_then(|()| write_atomic(&csv, table::write(&profile).as_bytes()));
    match written {
        Ok(()) => {
            eprintln!("toft: wrote {} and {}", html.display(), csv.display());
            code
        }
        Err(why) => failed(report, *why),
    }
}

fn failed(report: &Report, why: Diagnostic) -> ExitCode {
    report.fatal(why);
    ExitCode::from(3)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or(OsStr::new("program")).to_owned();
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}
