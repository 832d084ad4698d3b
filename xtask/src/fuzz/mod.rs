//! Random programs with an interpreter as oracle, and damaged sources for the front end:
//! `cargo xtask fuzz programs|front`.

mod make;
mod interp;
mod model;
mod print;
mod programs;
mod rng;
mod value;

const USAGE: &str = "\
usage: cargo xtask fuzz programs [--count N] [--seed N] [--batch N] [--full] [--keep DIR]
       cargo xtask fuzz show SEED";

pub fn main(words: &[String]) -> Result<(), String> {
    match words.first().map(String::as_str) {
        Some("programs") => programs::main(&words[1..]),
        Some("show") => programs::show(&words[1..]),
        _ => Err(USAGE.into()),
    }
}
