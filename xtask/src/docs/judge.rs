//! Whether an example does what its first line says.

use super::Bench;
use super::blocks::Block;
use std::collections::BTreeSet;
use std::process::Output;

/// What the first line of a program promises.
enum Promise {
    Refused(BTreeSet<String>),
    Warns(BTreeSet<String>),
    Runs(String),
    Traps(String),
    Part,
    Clean,
}

fn promise(text: &str) -> Promise {
    let first = text.lines().next().unwrap_or("");
    let codes = |list: &str| list.split_whitespace().map(str::to_owned).collect();
    let Some(words) = first.strip_prefix("// ") else { return Promise::Clean };
    match words.split_once(": ") {
        Some(("refused", list)) => Promise::Refused(codes(list)),
        Some(("warns", list)) => Promise::Warns(codes(list)),
        Some(("runs", text)) => Promise::Runs(text.replace("\\n", "\n")),
        Some(("traps", name)) => Promise::Traps(name.trim().to_owned()),
        _ if words.trim() == "part" => Promise::Part,
        _ => Promise::Clean,
    }
}

pub fn program(bench: &Bench, block: &Block) -> Result<(), String> {
    match promise(&block.text) {
        Promise::Part => Ok(()),
        Promise::Refused(want) => {
            let (errors, _, output) = refusal(bench, &block.text)?;
            if errors != want || output.status.success() {
                return Err(format!("expected the errors {want:?}:\n{}", stderr(&output)));
            }
            Ok(())
        }
        Promise::Warns(want) => {
            let (errors, warnings, output) = check(bench, &block.text)?;
            if !errors.is_empty() || warnings != want {
                return Err(format!("expected the warnings {want:?}:\n{}", stderr(&output)));
            }
            Ok(())
        }
        Promise::Clean => {
            let (errors, warnings, output) = check(bench, &block.text)?;
            if !errors.is_empty() || !warnings.is_empty() || !output.status.success() {
                return Err(format!("expected no message:\n{}", stderr(&output)));
            }
            Ok(())
        }
        Promise::Runs(want) => {
            let output = bench.run(&block.text)?;
            let got = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() || got.trim_end() != want.trim_end() {
                return Err(format!("printed {got:?}, {}:\n{}", output.status, stderr(&output)));
            }
            Ok(())
        }
        Promise::Traps(name) => {
            let output = bench.run(&block.text)?;
            if output.status.code() != Some(101) || !stderr(&output).contains(&name) {
                return Err(format!(
                    "did not stop with {name}, {}:\n{}",
                    output.status,
                    stderr(&output)
                ));
            }
            Ok(())
        }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

type Codes = BTreeSet<String>;

/// The codes of the errors and of the warnings.
fn check(bench: &Bench, text: &str) -> Result<(Codes, Codes, Output), String> {
    codes(bench.toft(&["check", "--color=never"], text)?)
}

/// The same of a program that must have errors; some show only when instances are made.
fn refusal(bench: &Bench, text: &str) -> Result<(Codes, Codes, Output), String> {
    let found = check(bench, text)?;
    if !found.0.is_empty() || !text.contains("int main(") {
        return Ok(found);
    }
    codes(bench.toft(&["build", "--color=never", "-o", "example"], text)?)
}

fn codes(output: Output) -> Result<(Codes, Codes, Output), String> {
    let said = stderr(&output);
    let codes = |word: &str| {
        said.lines()
            .filter_map(|line| line.strip_prefix(word)?.strip_prefix('['))
            .filter_map(|rest| rest.split(']').next())
            .map(str::to_owned)
            .collect::<Codes>()
    };
    Ok((codes("error"), codes("warning"), output))
}

/// What really is said about a program.
pub fn said(bench: &Bench, program: &Block, words: &str) -> Result<String, String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.as_slice() {
        ["stderr"] => match promise(&program.text) {
            Promise::Refused(_) => Ok(stderr(&refusal(bench, &program.text)?.2)),
            Promise::Warns(_) | Promise::Clean => {
                let (_, _, output) = check(bench, &program.text)?;
                Ok(stderr(&output))
            }
            _ => Ok(stderr(&bench.run(&program.text)?)),
        },
        ["stdout"] => {
            let output = bench.run(&program.text)?;
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        ["dump", kind] => dump(bench, program, kind).map(|text| without_places(&text)),
        ["dump", kind, name] => Ok(part(&without_places(&dump(bench, program, kind)?), name)),
        _ => Err(format!("`{}` means nothing here", words.join(" "))),
    }
}

fn dump(bench: &Bench, program: &Block, kind: &str) -> Result<String, String> {
    let output =
        bench.toft(&["build", "--color=never", &format!("--emit={kind}")], &program.text)?;
    if !output.status.success() {
        return Err(stderr(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A dump without its ` @12..34`: positions count the text of the library and of the host's
/// macros too, so they differ between machines.
fn without_places(dump: &str) -> String {
    let is_place = |word: &str| {
        word.split_once("..").is_some_and(|(from, to)| {
            let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
            !from.is_empty() && digits(from) && digits(to.trim_end_matches(')'))
        })
    };
    let mut out = String::new();
    for line in dump.split_inclusive('\n') {
        let mut pieces = line.trim_end_matches('\n').split(" @");
        out.push_str(pieces.next().unwrap_or(""));
        for piece in pieces {
            let (word, rest) = piece.split_at(piece.find(' ').unwrap_or(piece.len()));
            if is_place(word) {
                let closing = word.len() - word.trim_end_matches(')').len();
                out.push_str(&word[word.len() - closing..]);
                out.push_str(rest);
            } else {
                out.push_str(" @");
                out.push_str(piece);
            }
        }
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    out
}

/// The part of a dump that begins with a line about `name` at the left margin: up to the next
/// line at the margin that does not close it.
fn part(dump: &str, name: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in dump.lines() {
        let margin = line.starts_with(|c: char| !c.is_whitespace() && c != '}' && c != ')');
        if margin {
            inside =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        }
        if inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
