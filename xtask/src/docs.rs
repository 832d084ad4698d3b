//! The documents' examples, compiled and run: `cargo xtask docs [--bless] [--toft=PATH] [FILE…]`.
//!
//! The library's headers (`lib/include/toft/`) are pages, too: what their comments say.
//! Every block fenced as `toft` is a program. Its first line may say what becomes of it:
//!
//! | first line | what is expected |
//! | --- | --- |
//! | `// refused: E0601 …` | errors with exactly these codes |
//! | `// warns: W0501 …` | no error, these warnings |
//! | `// runs: TEXT` | builds, ends with 0, prints TEXT (`\n` for more lines) |
//! | `// traps: NAME` | builds, stops with that exception |
//! | `// part` | a fragment, not compiled |
//! | anything else | no error, no warning |
//!
//! A block fenced as `stderr` or `stdout` right after a program is what the compiler or the
//! program says; one fenced as `dump KIND [NAME]` is what `toft build --emit=KIND` writes, or
//! the part of it about NAME. `--bless` writes what they should be.

use crate::shell::{build_toft, root, target};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod blocks;
mod judge;
mod links;

use blocks::{Block, Kind};

/// The name every example has; one may include itself by it.
const EXAMPLE: &str = "example.toft";

/// What the whole task has found.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    pub failures: Vec<String>,
    blessed: usize,
}

pub fn main(words: &[String]) -> Result<(), String> {
    let tally = check(words)?;
    let mut text = String::new();
    for failure in &tally.failures {
        let _ = writeln!(text, "{failure}");
    }
    println!(
        "docs: {} passed, {} failed, {} blessed",
        tally.passed,
        tally.failures.len(),
        tally.blessed
    );
    if tally.failures.is_empty() { Ok(()) } else { Err(format!("examples fail:\n{text}")) }
}

/// Checks the pages named in `words`, or all of them.
pub fn check(words: &[String]) -> Result<Tally, String> {
    let bless = words.iter().any(|word| word == "--bless");
    let named: Vec<PathBuf> =
        words.iter().filter(|word| !word.starts_with('-')).map(PathBuf::from).collect();
    let all = named.is_empty();
    let pages = if all { pages() } else { named };
    let given = words.iter().find_map(|word| word.strip_prefix("--toft="));
    let toft = given.map_or_else(build_toft, |path| Ok(PathBuf::from(path)))?;
    let bench = Bench { toft, dir: scratch()? };
    let mut tally = Tally::default();
    for page in &pages {
        bench.page(page, bless, &mut tally)?;
    }
    if all {
        links::check(&pages, &mut tally);
        links::error_titles(&mut tally);
    }
    let _ = fs::remove_dir_all(&bench.dir);
    Ok(tally)
}

fn scratch() -> Result<PathBuf, String> {
    let dir = target().join(format!("docs-{}", std::process::id()));
    fs::create_dir_all(&dir).map_err(|why| format!("cannot make {}: {why}", dir.display()))?;
    Ok(dir)
}

/// What the comments of a header say, line for line.
fn comments(header: &str) -> String {
    let mut text = String::new();
    for line in header.lines() {
        let said = line.strip_prefix("//").unwrap_or("");
        text.push_str(said.strip_prefix(' ').unwrap_or(said));
        text.push('\n');
    }
    text
}

fn is_header(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "h")
}

/// Markdown of the project and the library's headers, in order.
fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "STYLE.md", "CHANGELOG.md"]
        .iter()
        .map(|name| root().join(name))
        .filter(|path| path.is_file())
        .collect();
    let mut todo = vec![root().join("docs"), root().join("lib/include/toft")];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if is_header(&path) || path.extension().is_some_and(|ext| ext == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Where examples are built.
pub struct Bench {
    toft: PathBuf,
    dir: PathBuf,
}

impl Bench {
    fn page(&self, path: &Path, bless: bool, tally: &mut Tally) -> Result<(), String> {
        let text = fs::read_to_string(path)
            .map_err(|why| format!("cannot read {}: {why}", path.display()))?;
        let text = if is_header(path) { comments(&text) } else { text };
        let bless = bless && !is_header(path);
        let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        let blocks = blocks::of(&text);
        let mut program: Option<&Block> = None;
        let mut replaced: Vec<(&Block, String)> = Vec::new();
        for block in &blocks {
            let at = format!("{shown}:{}", block.line);
            let result = match (&block.kind, program) {
                (Kind::Program, _) => {
                    program = Some(block);
                    judge::program(self, block)
                }
                (_, None) => Err("no program stands before this block".into()),
                (Kind::Said(what), Some(before)) => judge::said(self, before, what).map(|real| {
                    if real.trim_end() != block.text.trim_end() {
                        replaced.push((block, real));
                    }
                }),
            };
            match result {
                Ok(()) => tally.passed += 1,
                Err(why) => tally.failures.push(format!("{at}: {why}")),
            }
        }
        if bless && !replaced.is_empty() {
            tally.blessed += replaced.len();
            let new = blocks::replace(&text, &replaced);
            return fs::write(path, new).map_err(|why| format!("cannot write {shown}: {why}"));
        }
        for (block, real) in &replaced {
            tally.passed -= 1;
            tally.failures.push(format!(
                "{shown}:{}: differs from what is said (cargo xtask docs --bless); now:\n{real}",
                block.line
            ));
        }
        Ok(())
    }

    /// Writes an example down and runs the compiler on it.
    pub fn toft(&self, args: &[&str], text: &str) -> Result<Output, String> {
        fs::write(self.dir.join(EXAMPLE), text).map_err(|why| why.to_string())?;
        Command::new(&self.toft)
            .args(args)
            .arg(EXAMPLE)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .output()
            .map_err(|why| format!("cannot run {}: {why}", self.toft.display()))
    }

    /// Builds an example and runs it.
    pub fn run(&self, text: &str) -> Result<Output, String> {
        let built = self.toft(&["build", "--color=never", "-o", "example"], text)?;
        if !built.status.success() {
            return Err(format!("does not build:\n{}", String::from_utf8_lossy(&built.stderr)));
        }
        Command::new("timeout")
            .arg("20")
            .arg(self.dir.join("example"))
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .output()
            .map_err(|why| format!("cannot run the example: {why}"))
    }
}
