//! Reading what the compiler said to people: one block for each diagnostic.

use crate::case::{At, Expected};

#[derive(Debug)]
pub struct Said {
    pub error: bool,
    pub code: String,
    /// Line in the program's own file, if that is where it is.
    pub line: Option<usize>,
    /// The whole block, without the lines that quote the program: a quoted line holds the
    /// expectation itself.
    pub text: String,
}

/// Splits the compiler's output; `file` is the name the program was given.
pub fn read(stderr: &str, file: &str) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for line in stderr.lines() {
        if let Some((error, code, message)) = heading(line) {
            all.push(Said { error, code, line: None, text: message });
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        let inner = line.trim_start();
        if let Some(place) = inner.strip_prefix("--> ") {
            last.line = place_line(place, file);
        } else if !inner.starts_with(|c: char| c.is_ascii_digit()) {
            last.text.push('\n');
            last.text.push_str(inner);
        }
    }
    all
}

/// `error[E0601]: message`.
fn heading(line: &str) -> Option<(bool, String, String)> {
    let (error, rest) = if let Some(rest) = line.strip_prefix("error[") {
        (true, rest)
    } else {
        (false, line.strip_prefix("warning[")?)
    };
    let (code, message) = rest.split_once("]: ")?;
    Some((error, code.to_owned(), message.to_owned()))
}

/// `x.toft:12:5` of the right file.
fn place_line(place: &str, file: &str) -> Option<usize> {
    place.strip_prefix(file)?.strip_prefix(':')?.split(':').next()?.parse().ok()
}

/// What does not agree, in words. Every error must be expected; warnings may be.
pub fn compare(expected: &[Expected], said: &[Said]) -> Result<(), String> {
    let mut used = vec![false; said.len()];
    let mut problems = Vec::new();
    for want in expected.iter().filter(|want| want.is_code()) {
        let found = said.iter().enumerate().position(|(n, said)| {
            !used[n]
                && said.code == want.what
                && said.text.contains(&want.text)
                && (want.at == At::Anywhere || said.line.map(At::Line) == Some(want.at))
        });
        match found {
            Some(n) => used[n] = true,
            None => problems.push(format!("not said: {:?} {} {}", want.at, want.what, want.text)),
        }
    }
    for (n, said) in said.iter().enumerate() {
        if !used[n] && said.error {
            let first = said.text.lines().next().unwrap_or("");
            let line = said.line.map_or("elsewhere".to_owned(), |line| format!("line {line}"));
            problems.push(format!("not expected: {line}: {} {first}", said.code));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}
