//! A test program and what its comments say of it.
//!
//! Directives stand on lines of their own: `//@ args: a b`, `//@ exit: 3`, `//@ flags: -DX`,
//! `//@ build` (refused by `toft build`, not by `toft check`), `//@ no-sanitize`,
//! `//@ warns` (an accepted program that warns), `//@ c` (the text is also a C program, and
//! must print the same as one). A flag `--deny=NAME` makes a warning refuse the program.
//! Expectations stand at the end of a line: `//~ E0601 part of message` or
//! `//~ Array_bounds: index 4`; `//~^` means the line above (one for each `^`), `//~v` the
//! line below, `//~?` anywhere.

use std::path::{Path, PathBuf};

/// Where something is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    Line(usize),
    Anywhere,
}

#[derive(Clone, Debug)]
pub struct Expected {
    pub at: At,
    /// The code, or the name of the exception.
    pub what: String,
    /// What the message holds.
    pub text: String,
}

impl Expected {
    /// `E` or `W` and four digits.
    pub fn is_code(&self) -> bool {
        self.what.len() == 5
            && self.what.starts_with(['E', 'W'])
            && self.what[1..].bytes().all(|b| b.is_ascii_digit())
    }

    pub fn is_error(&self) -> bool {
        self.is_code() && self.what.starts_with('E')
    }
}

/// What a program is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The compiler says what is expected.
    Refused,
    /// The compiler has nothing to say; it runs if it has a main.
    Accepted,
    /// It stops with an exception.
    Trap,
    /// It prints what its `.stdout` says.
    Run,
}

pub struct Case {
    pub path: PathBuf,
    pub text: String,
    pub kind: Kind,
    pub expected: Vec<Expected>,
    pub args: Vec<String>,
    pub flags: Vec<String>,
    pub exit: i32,
    pub build: bool,
    pub warns: bool,
    pub sanitize: bool,
    /// The text is C too: a C compiler's program says what it must print.
    pub is_c: bool,
}

impl Case {
    pub fn load(path: &Path) -> Result<Case, String> {
        // Texts that are not UTF-8 are tests too.
        let bytes = std::fs::read(path).map_err(|why| format!("{}: {why}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let expected = expectations(&text);
        let kind = if path.to_string_lossy().ends_with(".ok.toft") {
            Kind::Accepted
        } else if expected.iter().any(Expected::is_code) {
            Kind::Refused
        } else if expected.is_empty() {
            Kind::Run
        } else {
            Kind::Trap
        };
        let mut case = Case {
            path: path.to_owned(),
            kind,
            expected,
            args: Vec::new(),
            flags: Vec::new(),
            exit: 0,
            build: false,
            warns: false,
            sanitize: true,
            is_c: false,
            text: String::new(),
        };
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("//@ ")) {
            let (key, value) = line.split_once(": ").unwrap_or((line, ""));
            let words = || value.split_whitespace().map(str::to_owned).collect();
            match key.trim() {
                "args" => case.args = words(),
                "flags" => case.flags = words(),
                "exit" => {
                    case.exit = value.trim().parse().map_err(|_| format!("bad `//@ {line}`"))?;
                }
                "build" => case.build = true,
                "warns" => case.warns = true,
                "c" => case.is_c = true,
                "no-sanitize" => case.sanitize = false,
                _ => return Err(format!("{}: unknown directive `//@ {line}`", path.display())),
            }
        }
        case.text = text;
        Ok(case)
    }

    pub fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The file beside it with another ending.
    pub fn beside(&self, ending: &str) -> PathBuf {
        self.path.with_extension(ending)
    }

    pub fn is_canary(&self) -> bool {
        self.file_name().starts_with("canary")
    }

    pub fn has_main(&self) -> bool {
        self.text.contains("main(")
    }

    /// A name for folders, different for each file of a suite.
    pub fn slug(&self, base: &Path) -> String {
        let name = self.path.strip_prefix(base).unwrap_or(&self.path);
        name.to_string_lossy().replace(['/', '.'], "_")
    }
}

fn expectations(text: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("//~") {
            let end = after.find("//~").unwrap_or(after.len());
            found.extend(expectation(&after[..end], n + 1));
            rest = &after[end..];
        }
    }
    found
}

fn expectation(text: &str, line: usize) -> Option<Expected> {
    let up = text.len() - text.trim_start_matches('^').len();
    let down = text.len() - text.trim_start_matches('v').len();
    let anywhere = text.starts_with('?');
    let text = text.trim_start_matches(['^', 'v', '?']).trim();
    let at = if anywhere { At::Anywhere } else { At::Line((line + down).saturating_sub(up)) };
    let (what, rest) = text.split_once([' ', ':']).unwrap_or((text, ""));
    let rest = rest.trim_start_matches(':').trim();
    (!what.is_empty()).then(|| Expected { at, what: what.to_owned(), text: rest.to_owned() })
}
