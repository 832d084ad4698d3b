//! The house rules that a machine can check.

use crate::shell::{root, run};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

pub fn main(words: &[String]) -> Result<(), String> {
    let mut problems = Vec::new();
    for file in files("rs").into_iter().chain(files("h")) {
        source_rules(&file, &mut problems);
    }
    crate_graph(&mut problems);
    manifests(&mut problems);
    error_pages(&mut problems);
    if words.first().is_none_or(|word| word != "--quick") {
        lints(&mut problems);
    }
    if problems.is_empty() {
        println!("tidy: clean");
        return Ok(());
    }
    let mut text = String::new();
    for problem in &problems {
        let _ = writeln!(text, "  {problem}");
    }
    Err(format!("{} house rules are broken:\n{text}", problems.len()))
}

/// Files of the project with an extension, as git sees them (tracked or new), sorted.
fn files(ext: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo: Vec<PathBuf> =
        ["crates", "runtime", "xtask", "fuzz"].iter().map(|dir| root().join(dir)).collect();
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    todo.push(path);
                }
            } else if path.extension().is_some_and(|e| e == ext) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

const MAX_LINES: usize = 800;
const MAX_COLUMNS: usize = 100;

fn source_rules(path: &Path, problems: &mut Vec<String>) {
    let Ok(text) = fs::read_to_string(path) else { return };
    let name = shown(path);
    let rust = path.extension().is_some_and(|e| e == "rs");
    if rust && !text.starts_with("//!") {
        problems.push(format!("{name}: does not open with a `//!` comment"));
    }
    // The second is generated, and repeats C signatures as they are.
    let is_test = name.contains("tests") || name.ends_with("toft_abi.h");
    if text.lines().count() > MAX_LINES && !is_test {
        problems.push(format!("{name}: longer than {MAX_LINES} lines"));
    }
    for (n, line) in text.lines().enumerate() {
        if line.chars().count() > MAX_COLUMNS && !is_test && !line.contains("\"") {
            problems.push(format!("{name}:{}: longer than {MAX_COLUMNS} columns", n + 1));
        }
        // Spelled in two halves so that this file does not report itself.
        for word in [concat!("TO", "DO"), concat!("FIX", "ME")] {
            if line.contains(word) {
                problems.push(format!("{name}:{}: `{word}` cannot land", n + 1));
            }
        }
        if line.contains(concat!(".certify", "(")) && !name.starts_with("crates/check/") {
            problems.push(format!("{name}:{}: only `check` may certify a body", n + 1));
        }
    }
}

/// The dependency table in ARCHITECTURE.md says exactly what the manifests say.
fn crate_graph(problems: &mut Vec<String>) {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_default();
    let block = text.split("```deps").nth(1).and_then(|rest| rest.split("```").next());
    let Some(block) = block else {
        problems.push("ARCHITECTURE.md: has no ```deps block".into());
        return;
    };
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in block.lines().filter(|line| line.contains(':')) {
        let (name, deps) = line.split_once(':').unwrap_or((line, ""));
        said.insert(name.trim().into(), deps.split_whitespace().map(str::to_owned).collect());
    }
    let real = manifest_graph();
    for (name, deps) in &real {
        match said.get(name) {
            None => problems.push(format!("ARCHITECTURE.md: the deps table lacks `{name}`")),
            Some(told) if told != deps => problems.push(format!(
                "ARCHITECTURE.md: `{name}` depends on {deps:?}, the deps table says {told:?}"
            )),
            Some(_) => {}
        }
    }
    for name in said.keys().filter(|name| !real.contains_key(*name)) {
        problems
            .push(format!("ARCHITECTURE.md: the deps table names `{name}`, which is not there"));
    }
}

/// Project crates that each crate's `[dependencies]` name.
fn manifest_graph() -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).into_iter().flatten().flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let deps = text
            .split("[dependencies]")
            .nth(1)
            .unwrap_or("")
            .lines()
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.strip_prefix("toft-"))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .map(str::to_owned)
            .collect();
        graph.insert(entry.file_name().to_string_lossy().into_owned(), deps);
    }
    graph
}

/// Every outside dependency has its reason in a comment right above it.
fn manifests(problems: &mut Vec<String>) {
    for path in files("toml").into_iter().chain([root().join("Cargo.toml")]) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let mut in_deps = false;
        for (n, line) in lines.iter().enumerate() {
            if line.starts_with('[') {
                in_deps = line.contains("dependencies");
            } else if in_deps
                && line.contains('=')
                && !line.starts_with(['#', ' '])
                && !line.starts_with("toft-")
                && !line.contains("workspace = true")
                && !line.contains(".workspace")
                && !n.checked_sub(1).is_some_and(|before| lines[before].starts_with('#'))
            {
                problems.push(format!(
                    "{}:{}: a dependency without its reason",
                    shown(&path),
                    n + 1
                ));
            }
        }
    }
}

/// One code, one page.
fn error_pages(problems: &mut Vec<String>) {
    let codes = fs::read_to_string(root().join("crates/diag/src/codes.rs")).unwrap_or_default();
    for line in codes.lines() {
        let line = line.trim();
        let id = line.split(' ').next().unwrap_or("");
        let is_code = id.len() == 5
            && id.starts_with(['E', 'W'])
            && id[1..].bytes().all(|b| b.is_ascii_digit())
            && line.ends_with(';');
        if is_code && !root().join(format!("docs/errors/{id}.md")).is_file() {
            problems.push(format!("docs/errors/{id}.md is missing"));
        }
    }
}

fn lints(problems: &mut Vec<String>) {
    if let Err(why) = run("cargo", &["fmt", "--all", "--check"]) {
        problems.push(format!("formatting: {why}"));
    }
    let clippy = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    if let Err(why) = run("cargo", &clippy) {
        problems.push(format!("clippy: {why}"));
    }
}
