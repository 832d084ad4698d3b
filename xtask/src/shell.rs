//! Running commands and finding the project's folders.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Cargo's target folder, wherever the environment put it.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs a command in the root; its output is the user's.
pub fn run(program: &str, args: &[&str]) -> Result<(), String> {
    let status = Command::new(program)
        .args(args)
        .current_dir(root())
        .status()
        .map_err(|why| format!("cannot run {program}: {why}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}`: {status}", args.join(" "))) }
}

/// Whether a program is on the path.
pub fn has(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// Builds the `toft` command and the runtime; gives the path of the command.
pub fn build_toft() -> Result<PathBuf, String> {
    run("cargo", &["build", "--quiet", "--release", "-p", "toft", "-p", "toft-rt"])?;
    Ok(target().join("release/toft"))
}
