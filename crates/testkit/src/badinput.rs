//! Input that no one should have to trust: broken, endless, hostile; and surroundings that
//! fail. Each gives a clear message, the right exit code, and leaves nothing half-written.

mod places;
mod texts;

use crate::exec::{self, Done};
use crate::pool;
use crate::suites::Outcome;
use crate::world::World;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The codes that are tested here and can't be by a program in `tests/`.
pub const CODES: &[&str] =
    &["E0001", "E0002", "E0004", "E0005", "E0006", "E0007", "E0106", "E0205", "E0901"];

/// The time no input may exceed; the slowest is a line of ten million bytes.
const LIMIT: Duration = Duration::from_secs(30);

/// What has to come out.
#[derive(Clone, Copy, Debug)]
pub enum Want {
    /// Exit code 1 or 3 and this code in the message.
    Refused(i32, &'static str),
    /// Exit code 0.
    Fine,
    /// Exit code 0 or 1: what matters is that there is an orderly end.
    Orderly,
}

pub struct Test {
    pub name: String,
    pub want: Want,
    pub act: Act,
}

/// What is done.
pub enum Act {
    /// `toft check` of this text.
    Check(Vec<u8>),
    /// Something with files and environments; given a fresh folder.
    Do(fn(&World, &Path) -> Result<Done, String>),
}

pub fn run(world: &World, filter: &str) -> Vec<Outcome> {
    let mut tests = texts::all();
    tests.extend(places::all());
    // The canary: a good program that is said to be refused.
    tests.push(Test {
        name: "canary".into(),
        want: Want::Refused(1, "E0201"),
        act: Act::Check(b"int main(void) { return 0; }\n".to_vec()),
    });
    tests.retain(|test| test.name.contains(filter));
    pool::map(&tests, |test| {
        let result = one(world, test);
        let result = match (test.name == "canary", result) {
            (false, result) => result,
            (true, Err(_)) => Ok(()),
            (true, Ok(())) => Err("the canary passed: this suite cannot fail".into()),
        };
        (format!("badinput {}", test.name), result)
    })
}

fn one(world: &World, test: &Test) -> Result<(), String> {
    let dir = world.scratch(&format!("badinput_{}", test.name.replace(['/', ' '], "_")))?;
    let done = match &test.act {
        Act::Check(text) => {
            std::fs::write(dir.join("input.toft"), text).map_err(|why| why.to_string())?;
            exec::run(&mut toft(world, &dir, &["check", "input.toft"]), b"", LIMIT)?
        }
        Act::Do(act) => act(world, &dir)?,
    };
    let shown = || {
        let said: String = done.stderr.chars().take(1500).collect();
        format!("`toft` {}, not as {:?} says\n{said}", done.end(), test.want)
    };
    let good = match test.want {
        Want::Refused(code, what) => {
            done.code == Some(code) && done.stderr.contains(&format!("error[{what}]: "))
        }
        Want::Fine => done.code == Some(0),
        Want::Orderly => matches!(done.code, Some(0 | 1)),
    };
    // Orderly, but with an excuse instead of a message.
    let internal = done.stderr.contains("E0902") || done.stderr.contains("panicked");
    if !good || internal {
        return Err(shown());
    }
    let _ = std::fs::remove_dir_all(&dir);
    Ok(())
}

pub fn toft(world: &World, dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(&world.toft);
    command.current_dir(dir).args(words).arg("--color=never");
    command
}
