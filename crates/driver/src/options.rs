//! What the user asked for: one struct that every subcommand fills in its own way.

use std::path::PathBuf;
use toft_diag::session::Overflow;

/// How much the C compiler optimises.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OptLevel {
    #[default]
    O0,
    O1,
    O2,
    O3,
}

impl OptLevel {
    pub fn flag(self) -> &'static str {
        match self {
            OptLevel::O0 => "-O0",
            OptLevel::O1 => "-O1",
            OptLevel::O2 => "-O2",
            OptLevel::O3 => "-O3",
        }
    }
}

/// What `--emit` writes instead of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emit {
    Tokens,
    Ast,
    Hir,
    Tir,
    Mir,
    C,
}

impl Emit {
    pub fn parse(text: &str) -> Option<Emit> {
        Some(match text {
            "tokens" => Emit::Tokens,
            "ast" => Emit::Ast,
            "hir" => Emit::Hir,
            "tir" => Emit::Tir,
            "mir" => Emit::Mir,
            "c" => Emit::C,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Human,
    Json,
    Sarif,
}

#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    pub opt: OptLevel,
    /// Full debug information (`-g`); line tables are always there.
    pub debug: bool,
    pub cc: Option<String>,
    /// A GNU triple; chooses `TRIPLE-gcc`.
    pub target: Option<String>,
    pub output: Option<PathBuf>,
    pub emit: Vec<Emit>,
    pub overflow: Overflow,
    pub deny: Vec<String>,
    pub allow: Vec<String>,
    pub include: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Arguments for the linker, in order (`-lm`, `-L…`).
    pub link: Vec<String>,
    /// `address,undefined` and the like, handed to the C compiler.
    pub sanitize: Option<String>,
    /// Extra words for the C compiler (`--cflag=…`).
    pub cflags: Vec<String>,
    /// Refuse what only the collector would free.
    pub no_gc: bool,
    /// The program tells what it does with memory (`toft profile`).
    pub profile: bool,
    /// Build the tests instead of `main`.
    pub tests: bool,
    /// Run the MIR validator after every pass.
    pub validate: bool,
    pub verbose: bool,
}
