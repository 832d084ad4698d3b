//! `cargo xtask bench gc`: the collected heap against Boehm's collector and malloc that never
//! frees, on the programs of `runtime/bench/gc`. Needs Boehm's library (Debian: libgc-dev);
//! without it that column is left out.

use crate::bench::{build, median};
use crate::shell::{root, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAMS: &[&str] = &["binary_trees", "lists", "churn", "objects"];

/// A way to build the programs: its name, macros, libraries.
struct Heap {
    name: &'static str,
    defines: &'static [&'static str],
    toft: bool,
    libs: &'static [&'static str],
}

const HEAPS: &[Heap] = &[
    Heap { name: "toft", defines: &[], toft: true, libs: &["-lpthread", "-ldl"] },
    Heap { name: "boehm", defines: &["-DUSE_BOEHM"], toft: false, libs: &["-lgc"] },
    Heap { name: "malloc", defines: &["-DUSE_MALLOC"], toft: false, libs: &[] },
];

pub fn main(dir: &Path, runs: usize) -> Result<(), String> {
    println!("{:<14} {:<8} {:>8} {:>12}", "program", "heap", "cpu s", "peak KiB");
    for program in PROGRAMS {
        let mut built: Vec<(&Heap, PathBuf)> = Vec::new();
        for heap in HEAPS {
            match build_one(program, heap, dir) {
                Ok(path) => built.push((heap, path)),
                Err(why) if heap.toft => return Err(why),
                Err(_) => println!("{program:<14} {:<8} not installed", heap.name),
            }
        }
        let mut seconds = vec![Vec::new(); built.len()];
        let mut peaks = vec![0u64; built.len()];
        for _ in 0..runs {
            for (n, (_, path)) in built.iter().enumerate() {
                let (cpu, peak) = run_one(path)?;
                seconds[n].push(cpu);
                peaks[n] = peaks[n].max(peak);
            }
        }
        for (n, (heap, _)) in built.iter().enumerate() {
            let cpu = median(&mut seconds[n]);
            println!("{program:<14} {:<8} {cpu:>8.3} {:>12}", heap.name, peaks[n]);
        }
    }
    Ok(())
}

fn build_one(program: &str, heap: &Heap, dir: &Path) -> Result<PathBuf, String> {
    let out = dir.join(format!("gc.{program}.{}", heap.name));
    let mut command = Command::new("gcc");
    command
        .arg("-O2")
        .args(heap.defines)
        .arg("-I")
        .arg(root().join("runtime/include"))
        .arg("-o")
        .arg(&out)
        .arg(root().join(format!("runtime/bench/gc/{program}.c")));
    if heap.toft {
        command.arg(target().join("release/libtoft_rt.a"));
    }
    build(command.args(heap.libs))?;
    Ok(out)
}

/// The program's own report: processor seconds and peak memory in KiB.
fn run_one(path: &Path) -> Result<(f64, u64), String> {
    let output = Command::new(path).stdin(Stdio::null()).output();
    let output = output.map_err(|why| format!("cannot run {}: {why}", path.display()))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = |key: &str| {
        let from = text.find(key)? + key.len();
        let rest = &text[from..];
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<f64>().ok()
    };
    match (number("\"cpu_s\":"), number("\"peak_kib\":")) {
        (Some(cpu), Some(peak)) => Ok((cpu, peak as u64)),
        _ => Err(format!("{} ended with {}: {text}", path.display(), output.status)),
    }
}
