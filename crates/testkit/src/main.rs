//! `toft-testkit test [SUITE] [FILTER] [--deep] [--fresh]` and
//! `toft-testkit bless [SUITE] [FILTER]`.
//!
//! Runs the suites of `tests/` with the `toft` command that lies beside this program. The
//! last line of output is `N passed, N failed`.

mod badinput;
mod cache;
mod case;
mod coverage;
mod diagnostics;
mod exec;
mod judge;
mod pool;
mod programs;
mod suites;
mod world;

use std::process::ExitCode;
use world::World;

const USAGE: &str = "usage: toft-testkit test|bless [SUITE] [FILTER] [--deep] [--fresh]";

fn main() -> ExitCode {
    let mut free = Vec::new();
    let (mut deep, mut fresh) = (false, false);
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--deep" => deep = true,
            "--fresh" => fresh = true,
            flag if flag.starts_with("--") => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
            _ => free.push(word),
        }
    }
    let (bless, rest) = match free.split_first() {
        Some((verb, rest)) if verb == "test" => (false, rest),
        Some((verb, rest)) if verb == "bless" => (true, rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let world = match World::new(deep, bless, fresh) {
        Ok(world) => world,
        Err(why) => {
            eprintln!("toft-testkit: {why}");
            return ExitCode::from(3);
        }
    };
    let suite = rest.first().map(String::as_str);
    let filter = rest.get(1).map_or("", String::as_str);
    if suite.is_some_and(|name| !suites::ALL.contains(&name)) {
        eprintln!("toft-testkit: the suites are {}", suites::ALL.join(", "));
        return ExitCode::from(2);
    }
    let (passed, failed) = suites::run(&world, suite, filter);
    println!("{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
