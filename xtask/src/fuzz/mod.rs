//! Random programs with an interpreter as oracle, and damaged sources for the front end:
//! `cargo xtask fuzz programs|front`.

mod front;
mod interp;
mod make;
mod model;
mod mutate;
mod print;
mod programs;
mod rng;
mod tracked;
mod value;

const USAGE: &str = "\
usage: cargo xtask fuzz programs [--count N] [--seed N] [--batch N] [--full] [--keep DIR]
       cargo xtask fuzz front|mutants [--minutes N] [--seed N] [--keep DIR]
       cargo xtask fuzz tracked [--mutants] [--count N] [--seed N] [--batch N] [--keep DIR]
       cargo xtask fuzz quick|show SEED|show-tracked SEED";

pub fn main(words: &[String]) -> Result<(), String> {
    match words.first().map(String::as_str) {
        Some("programs") => programs::main(&words[1..]),
        Some("tracked") => tracked::main(&words[1..]),
        Some("show-tracked") => tracked::show(&words[1..]),
        Some("front") => front::main(&words[1..], false),
        Some("mutants") => front::main(&words[1..], true),
        Some("quick") => {
            let (checks, failures) = lanes(crate::shell::build_toft()?, false)?;
            println!("{checks} programs and mutants");
            failures.iter().for_each(|failure| println!("FAILED {failure}"));
            if failures.is_empty() { Ok(()) } else { Err("fuzzing found something".into()) }
        }
        Some("show") => programs::show(&words[1..]),
        _ => Err(USAGE.into()),
    }
}

/// What `ci` runs: how many checks, and the failures. The deep lane takes over an hour.
pub fn lanes(toft: std::path::PathBuf, deep: bool) -> Result<(usize, Vec<String>), String> {
    let (count, seconds) = if deep { (20_000, 1800) } else { (300, 30) };
    let (mut checks, mut failures) = programs::lane(toft.clone(), count)?;
    let (programs, mutants) = if deep { (30_000, 4_000) } else { (200, 100) };
    let (tried, found) = tracked::lane(toft.clone(), programs, mutants)?;
    checks += tried;
    failures.extend(found);
    for run in [false, true] {
        let time = std::time::Duration::from_secs(if run { seconds / 2 } else { seconds });
        let keep = crate::shell::target().join("fuzz");
        let options = front::Options { toft: toft.clone(), keep, seed: 1, time, run };
        let tally = front::fuzz(&options)?;
        checks += tally.tried;
        failures.extend(tally.failures);
    }
    Ok((checks, failures))
}
