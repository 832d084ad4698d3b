//! The suites: what is in each, and their counts.

use crate::case::{Case, Kind};
use crate::world::World;
use crate::{badinput, coverage, exec, judge, pool, programs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const ALL: &[&str] =
    &["ui", "run", "trap", "cwe", "interop", "lower", "headers", "badinput", "coverage"];

/// A test's name and how it went.
pub type Outcome = (String, Result<(), String>);

/// Runs the suites that are asked for; gives passed and failed.
pub fn run(world: &World, suite: Option<&str>, filter: &str) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    for &name in ALL.iter().filter(|&&name| suite.is_none_or(|only| only == name)) {
        let start = Instant::now();
        let outcomes = match name {
            "lower" => lower(world, filter),
            "headers" => headers(world, filter),
            "badinput" => badinput::run(world, filter),
            "coverage" if filter.is_empty() => coverage::run(world),
            "coverage" => Vec::new(),
            _ => programs_of(world, name, filter),
        };
        let bad = outcomes.iter().filter(|(_, result)| result.is_err()).count();
        for (test, result) in &outcomes {
            if let Err(why) = result {
                println!("FAILED {test}\n    {}", why.trim_end().replace('\n', "\n    "));
            }
        }
        let good = outcomes.len() - bad;
        println!("{name}: {good} passed, {bad} failed ({:.1} s)", start.elapsed().as_secs_f64());
        passed += good;
        failed += bad;
    }
    (passed, failed)
}

/// Files below `dir` with this ending, sorted.
pub fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn selected(world: &World, suite: &str, filter: &str) -> Vec<PathBuf> {
    let all = files(&world.tests.join(suite), ".toft");
    all.into_iter().filter(|path| world.shown(path).contains(filter)).collect()
}

/// The suites of programs that say themselves what is expected of them.
fn programs_of(world: &World, suite: &str, filter: &str) -> Vec<Outcome> {
    let mut outcomes = pool::map(&selected(world, suite, filter), |path| {
        let result = Case::load(path).and_then(|case| one(world, suite, &case));
        (world.shown(path), result)
    });
    if filter.is_empty() && !outcomes.iter().any(|(name, _)| name.contains("/canary")) {
        outcomes.push((format!("tests/{suite}"), Err("the suite has no canary".into())));
    }
    outcomes
}

fn one(world: &World, suite: &str, case: &Case) -> Result<(), String> {
    if case.is_canary() {
        if world.bless {
            return Ok(());
        }
        return match judge::judge(world, case) {
            Err(_) => Ok(()),
            Ok(()) => Err("the canary passed: this suite cannot fail".into()),
        };
    }
    fits(suite, case)?;
    judge::judge(world, case)
}

/// Whether the program is of the kind that the suite is for.
fn fits(suite: &str, case: &Case) -> Result<(), String> {
    let fits = match suite {
        "ui" => matches!(case.kind, Kind::Refused | Kind::Accepted),
        "run" => case.kind == Kind::Run,
        "trap" => case.kind == Kind::Trap,
        "interop" => case.kind != Kind::Accepted,
        _ => true,
    };
    if !fits {
        return Err(format!("a program of this kind ({:?}) does not belong here", case.kind));
    }
    if suite == "ui" && case.kind == Kind::Refused && !case.beside("ok.toft").is_file() {
        return Err("it has no accepting twin `.ok.toft`".into());
    }
    if case.kind == Kind::Accepted {
        let refused = case.path.to_string_lossy().replace(".ok.toft", ".toft");
        if !Path::new(&refused).is_file() {
            return Err("it has no refused twin".into());
        }
    }
    Ok(())
}

const SHORT: Duration = Duration::from_secs(20);

/// Snapshots of the trees between the passes: `x.toft` with `x.mir`, `x.tir`, `x.hir`, `x.ast`.
fn lower(world: &World, filter: &str) -> Vec<Outcome> {
    let mut outcomes = pool::map(&selected(world, "lower", filter), |path| {
        (world.shown(path), Case::load(path).and_then(|case| snapshots(world, &case)))
    });
    if filter.is_empty() && !outcomes.iter().any(|(name, _)| name.contains("/canary")) {
        outcomes.push(("tests/lower".into(), Err("the suite has no canary".into())));
    }
    outcomes
}

fn snapshots(world: &World, case: &Case) -> Result<(), String> {
    let mut kinds = 0;
    for kind in ["ast", "hir", "tir", "mir"] {
        let path = case.beside(kind);
        let Ok(old) = std::fs::read_to_string(&path) else { continue };
        kinds += 1;
        let flag = format!("--emit={kind}");
        let mut command = programs::toft(world, case, &["build", "--color=never", &flag]);
        let done = exec::run(command.arg(case.file_name()), b"", SHORT)?;
        if done.code != Some(0) {
            return Err(format!("`toft build {flag}` {}\n{}", done.end(), done.stderr));
        }
        match (old == done.stdout, case.is_canary()) {
            (true, false) | (false, true) => {}
            (true, true) => return Err("the canary passed: this suite cannot fail".into()),
            (false, false) if world.bless => {
                std::fs::write(&path, &done.stdout).map_err(|why| why.to_string())?;
            }
            (false, false) => {
                return Err(format!("{kind} is now\n{}\nbut was\n{old}", done.stdout));
            }
        }
    }
    if kinds == 0 { Err("there is no snapshot beside it".into()) } else { Ok(()) }
}

/// Every header of the list is read, by itself and as a program's include. The line `!x.h`
/// is the canary: a header that is not there.
fn headers(world: &World, filter: &str) -> Vec<Outcome> {
    let list = std::fs::read_to_string(world.tests.join("headers/list.txt")).unwrap_or_default();
    let names: Vec<&str> =
        list.lines().filter(|line| !line.is_empty() && line.contains(filter)).collect();
    pool::map(&names, |name| {
        let (missing, header) = match name.strip_prefix('!') {
            Some(header) => (true, header),
            None => (false, *name),
        };
        let result = header_program(world, header);
        let result = match (missing, result) {
            (false, result) => result,
            (true, Err(_)) => Ok(()),
            (true, Ok(())) => Err("the canary passed: this suite cannot fail".into()),
        };
        (format!("tests/headers <{header}>"), result)
    })
}

/// Where the host keeps its headers; Toft's own versions are passed over by a full path.
const HOST_DIRS: &[&str] = &["/usr/include", "/usr/include/x86_64-linux-gnu"];

fn header_program(world: &World, header: &str) -> Result<(), String> {
    let dir = world.scratch(&format!("headers_{}", header.replace(['/', '.'], "_")))?;
    let mut lines = vec![format!("#include <{header}>")];
    let host = HOST_DIRS.iter().map(|dir| format!("{dir}/{header}"));
    lines
        .extend(host.filter(|path| Path::new(path).is_file()).map(|p| format!("#include \"{p}\"")));
    for include in lines {
        let text = format!("{include}\n{include}\nint main(void) {{ return 0; }}\n");
        let path = dir.join("program.toft");
        std::fs::write(&path, text).map_err(|why| why.to_string())?;
        let case = Case::load(&path)?;
        let mut command = programs::toft(world, &case, &["check", "--color=never"]);
        let done = exec::run(command.arg("program.toft"), b"", SHORT)?;
        if done.code != Some(0) || !done.stderr.is_empty() {
            return Err(format!("{include}: `toft check` {}\n{}", done.end(), done.stderr));
        }
    }
    Ok(())
}
