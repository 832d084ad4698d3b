//! What the preprocessor needs of the outside world. It does no I/O itself.

use toft_base::FileId;
use toft_diag::Session;

/// An `#include` to resolve.
#[derive(Clone, Copy, Debug)]
pub struct Include<'a> {
    /// The text between the quotes or angle brackets.
    pub name: &'a str,
    /// `"x"`: the including file's folder comes first.
    pub quoted: bool,
    /// `#include_next`: start after the folder in which `from` was found.
    pub next: bool,
    /// The including file.
    pub from: FileId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IncludeError {
    /// The folders looked into, as shown in the message.
    NotFound { searched: Vec<String> },
    /// Found, but unreadable.
    Unreadable { path: String, reason: String },
    /// A Toft header that is not UTF-8, at this byte. (Foreign headers may be in any
    /// encoding: the implementation converts them.)
    NotUtf8 { path: String, at: usize },
    /// All text together passes 4 GiB.
    TooMuchText,
}

/// The family of `__has_…` operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Has {
    Attribute,
    CAttribute,
    Builtin,
    Feature,
}

pub trait Env {
    /// Resolves an include and loads the file into `sess.map` (once per path: the same
    /// file gives the same id).
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError>;

    /// Whether [`Env::include`] would find a file (`__has_include`).
    fn exists(&mut self, sess: &Session, include: &Include<'_>) -> bool;

    /// Lines of `#define` (and `#undef`) processed before the main file: the host's
    /// macros, then Toft's and the user's.
    fn predefined(&mut self) -> String;

    /// The answer of `__has_attribute(name)` and its kin; 0 is "no".
    fn has(&self, what: Has, name: &str) -> u32 {
        match (what, name.trim_matches('_')) {
            (
                Has::CAttribute,
                "deprecated" | "fallthrough" | "maybe_unused" | "nodiscard" | "noreturn",
            ) => 202_311,
            _ => 0,
        }
    }
}
