//! The programs under `apps/`: their own `test` blocks, and their command lines.

use crate::shell::{root, target};
use std::path::PathBuf;
use std::process::Command;

fn packages() -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = std::fs::read_dir(root().join("apps"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("toft.toml").is_file())
        .collect();
    list.sort();
    list
}

/// Runs everything; gives how many passed and failed.
pub fn check() -> Result<(usize, usize), String> {
    let toft = target().join("release/toft");
    let (mut passed, mut failed) = (0, 0);
    for package in packages() {
        let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let blocks = Command::new(&toft)
            .args(["test", "--allow=warnings"])
            .current_dir(&package)
            .output()
            .map_err(|why| format!("cannot run {}: {why}", toft.display()))?;
        let script = Command::new("sh")
            .arg("tests/run.sh")
            .env("TOFT", &toft)
            .current_dir(&package)
            .output()
            .map_err(|why| format!("cannot run sh: {why}"))?;
        for (what, output) in [("test blocks", blocks), ("tests/run.sh", script)] {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let ok = text.lines().filter(|line| is_pass(line)).count();
            let bad: Vec<&str> = text.lines().filter(|line| line.contains("FAILED")).collect();
            passed += ok;
            failed += bad.len();
            println!("{name}: {what}: {ok} ok, {} failed", bad.len());
            if !output.status.success() || ok == 0 {
                failed += usize::from(bad.is_empty());
                for line in bad {
                    println!("    {line}");
                }
                print!("{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    Ok((passed, failed))
}

/// A line of either runner that reports a passed test.
fn is_pass(line: &str) -> bool {
    (line.starts_with("test ") && line.ends_with("... ok")) || line.starts_with("ok ")
}
