//! Every task of the project, in Rust: `cargo xtask TASK`.

mod ci;
mod demo;
mod setup;
mod shell;
mod tidy;

use std::process::ExitCode;

const TASKS: &str = "\
tasks:
  setup        install what the build and the tests need (Debian packages)
  ci           everything `make test` runs; --deep adds the slow lanes
  demo         show Toft at work
  tidy         formatting, lints, the house rules";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let result = match task.as_str() {
        "setup" => setup::main(&words),
        "ci" => ci::main(&words),
        "demo" => demo::main(&words),
        "tidy" => tidy::main(&words),
        _ => Err(format!("usage: cargo xtask TASK\n{TASKS}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
