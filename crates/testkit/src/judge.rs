//! One test program, judged by what its comments promise.

use crate::case::{Case, Expected, Kind};
use crate::diagnostics::{self, Said};
use crate::exec;
use crate::programs::{self, everywhere};
use crate::world::World;
use std::time::Duration;

/// The front end is quick or it hangs.
const CHECK_LIMIT: Duration = Duration::from_secs(20);

pub fn judge(world: &World, case: &Case) -> Result<(), String> {
    match case.kind {
        Kind::Refused => refused(world, case),
        Kind::Accepted => {
            clean(world, case)?;
            if case.has_main() && !case.build { everywhere(world, case) } else { Ok(()) }
        }
        Kind::Trap | Kind::Run => everywhere(world, case),
    }
}

/// What the compiler says of the program, and the code it ends with.
fn say(world: &World, case: &Case) -> Result<(Vec<Said>, i32, String), String> {
    let out = world.out.join("refused-program");
    let verb = if case.build { "build" } else { "check" };
    let mut command = programs::toft(world, case, &[verb, "--validate", "--color=never"]);
    if case.build {
        command.arg("-o").arg(out);
    }
    let done = exec::run(command.arg(case.file_name()), b"", CHECK_LIMIT)?;
    let stderr = portable(&done.stderr, world);
    match done.code {
        Some(code @ (0..=3)) => Ok((diagnostics::read(&stderr, &case.file_name()), code, stderr)),
        _ => Err(format!("`toft {verb}` {}\n{}", done.end(), done.stderr)),
    }
}

/// Texts that are kept must not name this machine's folders.
fn portable(stderr: &str, world: &World) -> String {
    const SEARCHED: &str = "searched in: ";
    let text = stderr.replace(&format!("{}/", world.root.display()), "$ROOT/");
    text.split_inclusive('\n')
        .map(|line| match line.split_once(SEARCHED) {
            Some((before, _)) => format!("{before}{SEARCHED}…\n"),
            None => line.to_owned(),
        })
        .collect()
}

fn refused(world: &World, case: &Case) -> Result<(), String> {
    let (said, code, stderr) = say(world, case)?;
    diagnostics::compare(&case.expected, &said).map_err(|why| format!("{why}\n{stderr}"))?;
    let denied = case.flags.iter().any(|flag| flag.starts_with("--deny"));
    let fails = denied || case.expected.iter().any(Expected::is_error);
    if (code != 0) != fails {
        return Err(format!("`toft` ended with code {code}\n{stderr}"));
    }
    if case.expected.iter().any(|want| !want.is_code()) {
        return Err("mixes codes with exceptions".into());
    }
    let path = case.beside("stderr");
    let old = std::fs::read_to_string(&path).ok();
    if old.as_deref() == Some(&stderr) || case.is_canary() {
        return Ok(());
    }
    if world.bless {
        return std::fs::write(&path, &stderr).map_err(|why| why.to_string());
    }
    match old {
        None => Err("there is no .stderr file: look at what is said, then bless it".into()),
        Some(old) => Err(format!("said\n{stderr}\nbut should have said\n{old}")),
    }
}

fn clean(world: &World, case: &Case) -> Result<(), String> {
    let (said, code, stderr) = say(world, case)?;
    if code != 0 || (!said.is_empty() && !case.warns) {
        return Err(format!("`toft check` should have nothing to say\n{stderr}"));
    }
    Ok(())
}
