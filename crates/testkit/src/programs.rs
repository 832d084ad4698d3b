//! Building a test program in each configuration and running it.

use crate::case::{At, Case, Kind};
use crate::exec::{self, Done};
use crate::world::World;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A C compiler with an optimisation level, with or without sanitizers.
pub struct Config {
    cc: &'static str,
    opt: &'static str,
    sanitize: bool,
}

const fn config(cc: &'static str, opt: &'static str, sanitize: bool) -> Config {
    Config { cc, opt, sanitize }
}

/// One of each compiler, one fast, one watched.
const QUICK: &[Config] = &[config("gcc", "-O2", false), config("clang", "-O0", true)];
const WATCHED: &[Config] = &[config("clang", "-O0", true)];
const DEEP: &[Config] = &[
    config("gcc", "-O0", false),
    config("gcc", "-O2", false),
    config("gcc", "-O0", true),
    config("gcc", "-O2", true),
    config("clang", "-O0", false),
    config("clang", "-O2", false),
    config("clang", "-O0", true),
    config("clang", "-O2", true),
];

const COMPILE_LIMIT: Duration = Duration::from_secs(120);
pub const RUN_LIMIT: Duration = Duration::from_secs(30);

/// A `toft` command line that runs where the program lies, so that names in messages are short.
pub fn toft(world: &World, case: &Case, words: &[&str]) -> Command {
    let mut command = Command::new(&world.toft);
    command.current_dir(case.dir()).args(words).args(&case.flags);
    command
}

/// A fault of the sanitizers ends with this code, which no test expects.
const SANITIZER_CODE: &str = "77";

/// Builds and runs the program in all configurations that apply.
pub fn everywhere(world: &World, case: &Case) -> Result<(), String> {
    let mut emit = toft(world, case, &["build", "--validate", "--color=never", "--emit=c"]);
    let emitted = exec::run(emit.arg(case.file_name()), b"", COMPILE_LIMIT)?;
    if emitted.code != Some(0) {
        return Err(format!("`toft build --emit=c` {}\n{}", emitted.end(), emitted.stderr));
    }
    let configs = match (world.deep, case.kind) {
        (true, _) => DEEP,
        (false, Kind::Accepted) => WATCHED,
        (false, _) => QUICK,
    };
    let dir = world.scratch(&case.slug(&world.tests))?;
    if case.is_c && (world.bless || world.deep) {
        as_c(world, case, &dir)?;
    }
    for config in configs {
        let sanitize = config.sanitize && case.sanitize;
        if config.sanitize && !sanitize && world.deep {
            continue;
        }
        one(world, case, config, sanitize, &emitted.stdout, &dir)
            .map_err(|why| format!("{} {}{}: {why}", config.cc, config.opt, mark(sanitize)))?;
    }
    let _ = std::fs::remove_dir_all(&dir);
    Ok(())
}

fn mark(sanitize: bool) -> &'static str {
    if sanitize { " sanitized" } else { "" }
}

fn one(
    world: &World,
    case: &Case,
    config: &Config,
    sanitize: bool,
    c_text: &str,
    dir: &Path,
) -> Result<(), String> {
    let stdin = std::fs::read(case.beside("stdin")).unwrap_or_default();
    let wanted = std::fs::read(case.beside("stdout")).ok();
    let c_part = std::fs::read(case.beside("c")).ok();
    let key = world.cache.key(&[
        c_text.as_bytes(),
        c_part.as_deref().unwrap_or_default(),
        format!("{} {} {sanitize} {:?} {}", config.cc, config.opt, case.args, case.exit).as_bytes(),
        format!("{:?} {:?}", case.flags, case.expected).as_bytes(),
        &stdin,
        wanted.as_deref().unwrap_or_default(),
    ]);
    if !world.bless && world.cache.has(key) {
        return Ok(());
    }
    let program = dir.join("program");
    let (cc, out) = (format!("--cc={}", config.cc), program.to_string_lossy().into_owned());
    let mut build = toft(world, case, &["build", "--color=never", &cc, config.opt, "-o", &out]);
    if sanitize {
        build.arg("--sanitize=address,undefined");
    }
    if c_part.is_some() {
        build.arg(format!("--cflag={}", case.beside("c").display()));
    }
    let built = exec::run(build.arg(case.file_name()), b"", COMPILE_LIMIT)?;
    if built.code != Some(0) {
        return Err(format!("`toft build` {}\n{}", built.end(), built.stderr));
    }
    let mut command = Command::new(&program);
    command
        .args(&case.args)
        .current_dir(dir)
        // The collector looks at the stack itself, where ASan's copies would be missed.
        .env(
            "ASAN_OPTIONS",
            format!("detect_leaks=0:detect_stack_use_after_return=0:exitcode={SANITIZER_CODE}"),
        )
        .env("UBSAN_OPTIONS", format!("print_stacktrace=1:exitcode={SANITIZER_CODE}"));
    let done = exec::run(&mut command, &stdin, RUN_LIMIT)?;
    judge(world, case, &done, wanted.as_deref())?;
    world.cache.add(key);
    Ok(())
}

fn judge(world: &World, case: &Case, done: &Done, wanted: Option<&[u8]>) -> Result<(), String> {
    if case.kind == Kind::Trap {
        trapped(case, done)?;
    } else if done.code != Some(case.exit) {
        return Err(format!("the program {}, not with {}\n{}", done.end(), case.exit, done.stderr));
    }
    match wanted {
        Some(wanted) if wanted == done.stdout.as_bytes() => Ok(()),
        _ if world.bless && !case.is_c && (wanted.is_some() || case.kind == Kind::Run) => {
            std::fs::write(case.beside("stdout"), &done.stdout).map_err(|why| why.to_string())
        }
        Some(wanted) => Err(format!(
            "it printed\n{}\nbut should have printed\n{}",
            done.stdout,
            String::from_utf8_lossy(wanted)
        )),
        None if case.kind == Kind::Run => Err("there is no .stdout file".into()),
        None => Ok(()),
    }
}

/// What the same text prints as a C program: the other opinion.
fn as_c(world: &World, case: &Case, dir: &Path) -> Result<(), String> {
    let program = dir.join("as-c");
    let mut cc = Command::new("gcc");
    cc.args(["-w", "-std=gnu2x", "-O1", "-fwrapv", "-fsigned-char", "-x", "c"]);
    cc.arg(&case.path).arg("-o").arg(&program).arg("-lm");
    let built = exec::run(&mut cc, b"", COMPILE_LIMIT)?;
    if built.code != Some(0) {
        return Err(format!("not a C program: {}", built.stderr));
    }
    let stdin = std::fs::read(case.beside("stdin")).unwrap_or_default();
    let done = exec::run(Command::new(&program).args(&case.args), &stdin, RUN_LIMIT)?;
    let path = case.beside("stdout");
    if world.bless {
        return std::fs::write(path, &done.stdout).map_err(|why| why.to_string());
    }
    match std::fs::read_to_string(path).is_ok_and(|old| old == done.stdout) {
        true => Ok(()),
        false => Err(format!("as a C program it prints\n{}", done.stdout)),
    }
}

/// Exit code, exception, place and message of a program that must stop.
fn trapped(case: &Case, done: &Done) -> Result<(), String> {
    let shown = || format!("the program {}\n{}", done.end(), done.stderr);
    if done.code != Some(101) {
        return Err(format!("not stopped by an exception: {}", shown()));
    }
    let Some(want) = case.expected.first() else { return Err("expects nothing".into()) };
    let mut lines = done.stderr.lines();
    let head = lines.next().unwrap_or("");
    let said = head
        .strip_prefix("toft: uncaught exception ")
        .or_else(|| head.strip_prefix("toft: "))
        .ok_or_else(shown)?;
    let right_name = said.strip_prefix(&want.what).is_some_and(|rest| {
        rest.chars().next().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
    });
    if !right_name || !said.contains(&want.text) {
        return Err(format!("expected {} {}: {}", want.what, want.text, shown()));
    }
    if let At::Line(line) = want.at {
        let place = format!("at {}:{line}:", case.file_name());
        if !lines.next().unwrap_or("").contains(&place) {
            return Err(format!("expected {place} {}", shown()));
        }
    }
    Ok(())
}
