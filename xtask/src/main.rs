//! Every task of the project, in Rust: `cargo xtask TASK`.

mod apps;
mod bench;
mod bench_gc;
mod bench_mem;
mod bench_table;
mod ci;
mod demo;
mod docs;
mod fuzz;
mod gen_program;
mod setup;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

const TASKS: &str = "\
tasks:
  setup        install what the build and the tests need (Debian packages)
  ci           everything `make test` runs; --deep adds the slow lanes
  test         the program suites of tests/: `test [SUITE] [FILTER] [--deep] [--fresh]`
  bless        writes what these suites expect, from what happens now
  docs         the documents' examples and links; --bless writes what they show
  demo         show Toft at work
  bench        Toft programs against their C twins; `bench gc`: the heap against others
  fuzz         random programs against an interpreter; damaged sources for the front end
  gen-program  a large Toft program, to measure the compiler with
  tidy         formatting, lints, the house rules";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let result = match task.as_str() {
        "setup" => setup::main(&words),
        "ci" => ci::main(&words),
        "demo" => demo::main(&words),
        "docs" => docs::main(&words),
        "bench" => bench::main(&words),
        "fuzz" => fuzz::main(&words),
        "gen-program" => gen_program::main(&words),
        "test" | "bless" => test::main(&task, &words),
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
