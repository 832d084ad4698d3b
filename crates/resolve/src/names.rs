//! Looking names up, and what to say when they are not there.

use crate::cx::Resolver;
use crate::scope::{Name, Tag};
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};

impl<'a> Resolver<'a> {
    /// What an ordinary path stands for, without a word when it is nothing.
    pub fn lookup(&self, path: &ast::Path) -> Name {
        let Some((last, spaces)) = path.segments.split_last() else { return Name::None };
        if spaces.is_empty() && !path.global {
            let found = self.scopes.name(last.name);
            if found != Name::None {
                return found;
            }
            return self.lookup_extern(last.name);
        }
        match self.scopes.find_ns(path.global, spaces) {
            Some(ns) => match self.scopes.member(ns, last.name) {
                Name::None => self.lookup_extern_at(ns, last.name),
                found => found,
            },
            None => Name::None,
        }
    }

    /// External functions and variables are known in the whole program, declared or not.
    fn lookup_extern(&self, name: Symbol) -> Name {
        for &ns in self.scopes.open.iter().rev() {
            let found = self.lookup_extern_at(ns, name);
            if found != Name::None {
                return found;
            }
        }
        Name::None
    }

    fn lookup_extern_at(&self, ns: u32, name: Symbol) -> Name {
        let name = self.scopes.qualified(ns, name);
        self.externs.get(&name).copied().unwrap_or(Name::None)
    }

    pub fn lookup_tag_here(&self, path: &ast::Path) -> Tag {
        let Some((last, spaces)) = path.segments.split_last() else { return Tag::None };
        if self.is_foreign() {
            let found = self.scopes.foreign_tag(last.name);
            if found != Tag::None {
                return found;
            }
        }
        if spaces.is_empty() && !path.global {
            return self.scopes.tag(last.name);
        }
        match self.scopes.find_ns(path.global, spaces) {
            Some(ns) => self.scopes.member_tag(ns, last.name),
            None => Tag::None,
        }
    }

    /// The namespace in which a declaration of `path` declares, and its last name.
    pub fn place_of(&mut self, path: &ast::Path) -> Option<(u32, ast::Ident)> {
        let (last, spaces) = path.segments.split_last()?;
        if spaces.is_empty() {
            return Some((self.scopes.ns(), *last));
        }
        match self.scopes.find_ns(path.global, spaces) {
            Some(ns) => Some((ns, *last)),
            None => {
                self.unknown(path, "namespace");
                None
            }
        }
    }

    /// Reports a name that is not declared.
    pub fn unknown(&self, path: &ast::Path, what: &str) {
        let text = path_text(path);
        let message = format!("{what} `{text}` is not declared");
        let mut diag =
            Diagnostic::error(codes::E0301, message, path.span, "not found in this scope");
        if let Some(last) = path.segments.last() {
            if let Some(near) = self.nearest(last.name) {
                let help = format!("did you mean `{near}`?");
                diag = diag.suggest(last.span, near.as_str(), help);
            } else if let Some(header) = header_of(last.name.as_str()) {
                diag =
                    diag.help(format!("it is declared in `{header}`: add `#include <{header}>`"));
            }
        }
        let _ = self.sess.emit(diag);
    }

    /// The declared name that is spelled most like `name`.
    fn nearest(&self, name: Symbol) -> Option<Symbol> {
        let file = self.states[self.cur].bindings.iter().map(|binding| binding.name);
        let locals = self.body.locals.iter().filter_map(|local| local.name);
        nearest_of(name, locals.chain(file), |candidate| self.scopes.name(candidate) != Name::None)
    }

    pub fn wrong_kind(&self, path: &ast::Path, found: Name, wanted: &str) {
        let text = path_text(path);
        let message = format!("`{text}` is {}, but {wanted} is needed here", Self::describe(found));
        let mut diag = Diagnostic::error(codes::E0311, message, path.span, "");
        let old = self.name_span(found);
        if !old.is_none() {
            diag = diag.label(old, "declared here");
        }
        let _ = self.sess.emit(diag);
    }

    pub fn span_of_path(path: &ast::Path) -> Span {
        path.segments.last().map_or(path.span, |ident| ident.span)
    }
}

pub(crate) fn path_text(path: &ast::Path) -> String {
    let mut text = String::new();
    if path.global {
        text.push_str("::");
    }
    for (n, ident) in path.segments.iter().enumerate() {
        if n > 0 {
            text.push_str("::");
        }
        text.push_str(ident.name.as_str());
    }
    text
}

/// The candidate with the smallest edit distance, if it is small enough to be a slip.
pub(crate) fn nearest_of(
    name: Symbol,
    candidates: impl Iterator<Item = Symbol>,
    keep: impl Fn(Symbol) -> bool,
) -> Option<Symbol> {
    let text = name.as_str();
    let limit = (text.len() / 3).min(3);
    if limit == 0 || text.len() > 64 {
        return None;
    }
    let mut best: Option<(usize, Symbol)> = None;
    for candidate in candidates {
        let most = best.map_or(limit, |(distance, _)| distance.saturating_sub(1));
        if candidate == name || candidate.as_str().len().abs_diff(text.len()) > most {
            continue;
        }
        let distance = distance(text.as_bytes(), candidate.as_str().as_bytes());
        if distance <= most && keep(candidate) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, symbol)| symbol)
}

/// Edit distance with swaps of neighbours as one step.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The standard header of a well-known function, for help.
fn header_of(name: &str) -> Option<&'static str> {
    const TABLE: &[(&str, &[&str])] = &[
        (
            "stdio.h",
            &[
                "printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "getchar", "fopen",
                "fclose", "fgets", "fputs", "scanf", "sscanf", "stdin", "stdout", "stderr",
                "perror", "fread", "fwrite", "fflush", "FILE", "EOF",
            ],
        ),
        (
            "stdlib.h",
            &[
                "exit",
                "abort",
                "atoi",
                "atof",
                "strtol",
                "strtoul",
                "strtod",
                "qsort",
                "bsearch",
                "rand",
                "srand",
                "getenv",
                "abs",
                "EXIT_SUCCESS",
                "EXIT_FAILURE",
            ],
        ),
        (
            "string.h",
            &[
                "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr", "strrchr",
                "strstr", "strdup", "memcpy", "memmove", "memset", "memcmp",
            ],
        ),
        ("math.h", &["sqrt", "pow", "sin", "cos", "tan", "floor", "ceil", "fabs", "exp", "log"]),
        (
            "ctype.h",
            &[
                "isalpha", "isdigit", "isspace", "isalnum", "isupper", "islower", "toupper",
                "tolower", "isprint",
            ],
        ),
        ("time.h", &["time", "clock", "localtime", "gmtime", "strftime"]),
        ("assert.h", &["assert"]),
        ("errno.h", &["errno"]),
        ("stdarg.h", &["va_list", "va_start", "va_end", "va_arg"]),
        (
            "stdint.h",
            &[
                "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
                "uint64_t",
            ],
        ),
        ("stddef.h", &["size_t", "ptrdiff_t"]),
        ("limits.h", &["INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "CHAR_BIT"]),
    ];
    TABLE.iter().find(|(_, names)| names.contains(&name)).map(|(header, _)| *header)
}
