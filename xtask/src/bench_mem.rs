//! `cargo xtask bench mem`: manual memory of the runtime against plain C, on the programs of
//! `runtime/bench/mem`: malloc, arenas and counts as one would write them in C. The twins are
//! also linked with mimalloc where it is installed (Debian: libmimalloc-dev). Of several runs
//! that take turns the fastest counts for each figure.

use crate::bench::build;
use crate::shell::{root, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAMS: &[&str] = &["unique", "counted", "arena", "reap", "trees"];

/// A way to build the programs: its name, macros, libraries.
struct Way {
    name: &'static str,
    args: &'static [&'static str],
    libs: &'static [&'static str],
}

const WAYS: &[Way] = &[
    Way { name: "toft", args: &[], libs: &["-lpthread", "-ldl"] },
    Way { name: "c", args: &["-DUSE_MALLOC"], libs: &[] },
    Way { name: "mimalloc", args: &["-DUSE_MALLOC"], libs: &["-lmimalloc"] },
];

/// Figures of one program by name, in the order they are printed.
type Figures = Vec<(String, f64)>;

pub fn main(dir: &Path, runs: usize) -> Result<(), String> {
    println!(
        "{:<8} {:<10} {:>10} {:>10} {:>7} {:>10} {:>7}",
        "program", "figure", "toft", "c", "ratio", "mimalloc", "ratio"
    );
    for program in PROGRAMS {
        let mut built: Vec<PathBuf> = Vec::new();
        for (n, way) in WAYS.iter().enumerate() {
            match build_one(program, way, dir) {
                Ok(path) => built.push(path),
                Err(why) if n < 2 => return Err(why),
                Err(_) => {}
            }
        }
        let mut best: Vec<Figures> = vec![Vec::new(); built.len()];
        for _ in 0..runs {
            for (n, path) in built.iter().enumerate() {
                merge(&mut best[n], run_one(path)?);
            }
        }
        for (i, (figure, toft)) in best[0].iter().enumerate() {
            let mut line = format!("{program:<8} {figure:<10} {toft:>10.2}");
            for other in &best[1..] {
                if let Some((_, value)) = other.get(i) {
                    line += &format!(" {value:>10.2} {:>7.2}", toft / value);
                }
            }
            println!("{line}");
        }
    }
    Ok(())
}

fn build_one(program: &str, way: &Way, dir: &Path) -> Result<PathBuf, String> {
    let out = dir.join(format!("mem.{program}.{}", way.name));
    let mut command = Command::new("gcc");
    command
        .args(["-std=gnu11", "-O2", "-fno-strict-aliasing"])
        .args(way.args)
        .arg("-I")
        .arg(root().join("runtime/include"))
        .arg("-o")
        .arg(&out)
        .arg(root().join(format!("runtime/bench/mem/{program}.c")));
    if way.args.is_empty() {
        command.arg(target().join("release/libtoft_rt.a"));
    }
    build(command.args(way.libs))?;
    Ok(out)
}

fn run_one(path: &Path) -> Result<Figures, String> {
    let output = Command::new(path).stdin(Stdio::null()).output();
    let output = output.map_err(|why| format!("cannot run {}: {why}", path.display()))?;
    if !output.status.success() {
        return Err(format!("{} ended with {}", path.display(), output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let figure = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    Ok(text.lines().filter_map(figure).collect())
}

fn merge(best: &mut Figures, new: Figures) {
    if best.is_empty() {
        *best = new;
        return;
    }
    for ((_, old), (_, value)) in best.iter_mut().zip(new) {
        *old = old.min(value);
    }
}
