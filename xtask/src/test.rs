//! `cargo xtask test [SUITE] [FILTER] [--deep] [--fresh]` and `cargo xtask bless [SUITE]
//! [FILTER]`: the program suites of `tests/`, by `crates/testkit`.

use crate::shell::{root, run, target};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs the suites and shows their output; gives passed and failed.
pub fn suites(verb: &str, words: &[String]) -> Result<(usize, usize), String> {
    run(
        "cargo",
        &["build", "--quiet", "--release", "-p", "toft", "-p", "toft-rt", "-p", "toft-testkit"],
    )?;
    let program = target().join("release/toft-testkit");
    let mut child = Command::new(&program)
        .arg(verb)
        .args(words)
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|why| format!("cannot run {}: {why}", program.display()))?;
    let mut last = String::new();
    for line in child.stdout.take().into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
        if !last.is_empty() {
            println!("{last}");
        }
        last = line.map_err(|why| why.to_string())?;
    }
    let status = child.wait().map_err(|why| why.to_string())?;
    counts(&last).ok_or_else(|| format!("the suites broke off ({status}): {last}"))
}

/// `12 passed, 0 failed`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (passed, failed) = line.split_once(" passed, ")?;
    Some((passed.parse().ok()?, failed.strip_suffix(" failed")?.parse().ok()?))
}

pub fn main(verb: &str, words: &[String]) -> Result<(), String> {
    let (passed, failed) = suites(verb, words)?;
    println!("{passed} passed, {failed} failed");
    if failed > 0 { Err("some tests failed".into()) } else { Ok(()) }
}
