//! `make demo`: Toft at work on real files.

use crate::shell::{build_toft, root};
use std::path::Path;
use std::process::Command;

pub fn main(_: &[String]) -> Result<(), String> {
    println!("== Building Toft");
    let toft = build_toft()?;
    let demo = root().join("demo");
    show(&toft, &["run", "hello.toft"], &demo, true)?;
    Ok(())
}

/// Runs `toft` and shows the command line; `succeeds` says what is expected of it.
fn show(toft: &Path, args: &[&str], dir: &Path, succeeds: bool) -> Result<(), String> {
    println!("\n$ toft {}", args.join(" "));
    let status = Command::new(toft)
        .args(args)
        .current_dir(dir)
        .status()
        .map_err(|why| format!("cannot run {}: {why}", toft.display()))?;
    if status.success() == succeeds { Ok(()) } else { Err(format!("unexpected end: {status}")) }
}
