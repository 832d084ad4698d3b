//! The C compiler's command line.

use crate::home::Home;
use crate::options::{BuildOptions, OptLevel};
use std::ffi::OsString;
use std::path::Path;
use toft_diag::Diagnostic;
use toft_toolchain::{Compiler, compiler::Family};

/// What emitted C relies on, whatever the optimisation.
///
/// Emitted C has no undefined behaviour by itself; these make the compilers agree on what the
/// standard leaves to them (`char` is signed), keep endless loops, and are belt and braces for
/// views of memory as other types.
const ALWAYS: &[&str] = &[
    "-std=gnu11",
    "-w",
    "-fsigned-char",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-stack-protector",
    // A frame larger than a page must still hit the guard page of the stack.
    "-fstack-clash-protection",
];

/// One compilation: C texts to a program.
pub struct Job<'a> {
    pub home: &'a Home,
    pub compiler: &'a Compiler,
    pub options: &'a BuildOptions,
    pub c_files: Vec<&'a Path>,
    pub output: &'a Path,
    pub link: &'a [String],
}

fn words(job: &Job<'_>) -> Vec<OsString> {
    let options = job.options;
    let mut words: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    words.push(options.opt.flag().into());
    // Line tables are always there: an uncaught exception names lines.
    words.push(if options.debug { "-g" } else { "-g1" }.into());
    if job.compiler.family == Family::Clang {
        words.push("-fno-finite-loops".into());
        words.push("-Wno-everything".into());
    }
    if options.opt == OptLevel::O0 {
        words.push("-fno-omit-frame-pointer".into());
    }
    if job.compiler.family == Family::Gcc && matches!(options.opt, OptLevel::O2) {
        // The branch to a failed check leaves every loop; without this a value that stands
        // behind such a branch is loaded anew in each round (part of -O3 only).
        words.push("-ftree-partial-pre".into());
        // Checks make functions longer in the eyes of the inliner, not slower: leave it the room
        // that the text without them would have had (30 is what -O3 gives).
        words.push("--param=max-inline-insns-auto=30".into());
    }
    if let Some(list) = &options.sanitize {
        words.push(format!("-fsanitize={list}").into());
        words.push("-fno-sanitize-recover=all".into());
    }
    if options.profile {
        words.push("-DTOFT_PROFILE".into());
    }
    words.extend(options.cflags.iter().map(OsString::from));
    words.push("-I".into());
    words.push(job.home.runtime_include.clone().into());
    words.extend(job.c_files.iter().map(|path| path.as_os_str().to_owned()));
    words.push("-o".into());
    words.push(job.output.as_os_str().to_owned());
    words.push(job.home.runtime_archive.clone().into());
    words.push("-Wl,--gc-sections".into());
    if options.sanitize.is_none() {
        words.push("-static-libgcc".into());
    }
    words.extend(job.link.iter().map(OsString::from));
    words.extend(options.link.iter().map(OsString::from));
    words.extend(["-lm", "-lpthread", "-ldl"].map(OsString::from));
    words
}

/// Compiles and links. The output appears whole or not at all.
pub fn program(job: &Job<'_>) -> Result<(), Box<Diagnostic>> {
    let pending = toft_toolchain::Pending::new(job.output)?;
    let job = Job { output: pending.path(), c_files: job.c_files.clone(), ..*job };
    let words = words(&job);
    if job.options.verbose {
        let line: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
        eprintln!("{} {}", job.compiler.program.display(), line.join(" "));
    }
    match job.compiler.run(&words) {
        Ok(_) => pending.commit(),
        Err(why) => Err(Box::new(why.diagnostic(job.compiler, "build the program", None))),
    }
}
