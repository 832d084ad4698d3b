//! Installs the Debian packages that building and testing need, and says so.

use crate::shell::{has, run};
use std::path::Path;

/// What must be there, how its presence is seen, and the package that brings it.
const NEEDS: &[(&str, &str, &str)] = &[
    ("gcc", "gcc", "compiles the C that Toft emits"),
    ("make", "make", "runs the two commands"),
    ("clang", "clang", "the second C compiler of the tests"),
    ("gdb", "gdb", "shows that debuggers see Toft source"),
    ("python3", "python3", "makes input files for the programs' tests"),
    ("gzip", "gzip", "the peer of tgunzip's tests"),
];

/// Files instead of commands.
const FILES: &[(&str, &str, &str)] = &[
    ("/usr/lib/llvm-14/lib/clang", "libclang-rt-14-dev", "sanitizers for clang"),
    ("/usr/include/gc.h", "libgc-dev", "the collector that ours is measured against"),
];

pub fn main(_: &[String]) -> Result<(), String> {
    for (program, component) in [("cargo-clippy", "clippy"), ("rustfmt", "rustfmt")] {
        if !has(program) && has("rustup") {
            println!("setup: adding {component} to the Rust toolchain");
            run("rustup", &["component", "add", component])?;
        }
    }
    let mut missing: Vec<(&str, &str)> = NEEDS
        .iter()
        .filter(|(program, _, _)| !has(program))
        .map(|&(_, package, why)| (package, why))
        .collect();
    missing.extend(FILES.iter().filter(|need| !present(need.0)).map(|&(_, p, why)| (p, why)));
    if missing.is_empty() {
        return Ok(());
    }
    for (package, why) in &missing {
        println!("setup: installing {package}: {why}");
    }
    if !has("apt-get") {
        return Err("there is no apt-get here; install these packages by hand".into());
    }
    run("apt-get", &["update", "-qq"])?;
    let mut args = vec!["install", "-y", "-qq", "--no-install-recommends"];
    args.extend(missing.iter().map(|(package, _)| *package));
    run("apt-get", &args)
}

fn present(path: &str) -> bool {
    if path.ends_with("clang") {
        // The folder holds one per version; the sanitizers lie inside.
        let versions = std::fs::read_dir(path).into_iter().flatten().flatten();
        return versions.into_iter().any(|version| version.path().join("lib/linux").is_dir());
    }
    Path::new(path).exists()
}
