//! What `make test` runs, in order, with the counts at the end.

use crate::shell::{build_toft, root};
use crate::{apps, docs, fuzz, test, tidy};
use std::path::PathBuf;
use std::process::Command;

/// Passed and failed, summed over all suites.
#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
}

pub fn main(words: &[String]) -> Result<(), String> {
    let deep = words.iter().any(|word| word == "--deep");
    let mut counts = Counts::default();
    step("tidy", &mut counts, tidy::main(&[]));
    let toft = build_toft()?;
    unit_tests(&mut counts)?;
    programs(deep, &mut counts);
    programs_of_apps(&mut counts);
    documents(&mut counts);
    random(toft, deep, &mut counts);
    println!("{} passed, {} failed", counts.passed, counts.failed);
    if counts.failed > 0 { Err("some tests failed".into()) } else { Ok(()) }
}

fn step(name: &str, counts: &mut Counts, result: Result<(), String>) {
    match result {
        Ok(()) => counts.passed += 1,
        Err(why) => {
            eprintln!("{name}: {why}");
            counts.failed += 1;
        }
    }
}

/// The program suites; a break-off counts as one failure.
fn programs(deep: bool, counts: &mut Counts) {
    println!("== program suites");
    let words: &[String] = if deep { &["--deep".to_owned()] } else { &[] };
    match test::suites("test", words) {
        Ok((passed, failed)) => {
            counts.passed += passed;
            counts.failed += failed;
        }
        Err(why) => {
            eprintln!("test: {why}");
            counts.failed += 1;
        }
    }
}

/// The programs under `apps/`.
fn programs_of_apps(counts: &mut Counts) {
    println!("== apps");
    match apps::check() {
        Ok((passed, failed)) => {
            counts.passed += passed;
            counts.failed += failed;
        }
        Err(why) => {
            eprintln!("apps: {why}");
            counts.failed += 1;
        }
    }
}

/// Random programs and damaged sources: one count for all, or one per find.
fn random(toft: PathBuf, deep: bool, counts: &mut Counts) {
    println!("== random programs, damaged sources");
    match fuzz::lanes(toft, deep) {
        Ok((checks, failures)) => {
            println!("{checks} programs and mutants");
            failures.iter().for_each(|failure| eprintln!("{failure}"));
            counts.passed += usize::from(failures.is_empty());
            counts.failed += failures.len();
        }
        Err(why) => {
            eprintln!("fuzz: {why}");
            counts.failed += 1;
        }
    }
}

/// The documents' examples and links.
fn documents(counts: &mut Counts) {
    println!("== documents");
    match docs::check(&[]) {
        Ok(tally) => {
            tally.failures.iter().for_each(|failure| eprintln!("{failure}"));
            counts.passed += tally.passed;
            counts.failed += tally.failures.len();
        }
        Err(why) => {
            eprintln!("docs: {why}");
            counts.failed += 1;
        }
    }
}

/// `cargo test` over the workspace; its own summary lines are added up.
fn unit_tests(counts: &mut Counts) -> Result<(), String> {
    println!("== cargo test");
    let output = Command::new("cargo")
        .args(["test", "--workspace", "--no-fail-fast", "--quiet"])
        .current_dir(root())
        .output()
        .map_err(|why| format!("cannot run cargo: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        let number = |word: &str| {
            let before = line.split(word).next().unwrap_or("");
            before.split_whitespace().last().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0)
        };
        counts.passed += number("passed");
        counts.failed += number("failed");
    }
    if !output.status.success() {
        print!("{text}");
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        counts.failed = counts.failed.max(1);
    }
    Ok(())
}
