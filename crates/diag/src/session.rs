//! The session: source map, collected diagnostics, and the options every pass may read.

use crate::{Code, Diagnostic, Severity};
use std::cell::{Cell, RefCell};
use toft_base::{FxHashSet, SourceMap, Span};

/// Proof that an error was reported. Whoever holds one may give up quietly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reported(());

/// Signed overflow: what `--overflow` chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    #[default]
    Wrap,
    Trap,
}

/// Switches that passes read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub overflow: Overflow,
    /// Compile and keep `test "…" { … }` blocks.
    pub tests: bool,
    /// Run the MIR validator after every pass.
    pub validate: bool,
    /// The program is to do without the collector: nothing may be left to it.
    pub no_gc: bool,
    /// Warning names (or codes) turned into errors.
    pub deny: Vec<String>,
    /// Warning names (or codes) switched off.
    pub allow: Vec<String>,
}

/// After this many errors the rest is counted, not shown.
pub const MAX_ERRORS: usize = 500;

#[derive(Default)]
pub struct Session {
    pub map: RefCell<SourceMap>,
    pub options: Options,
    diagnostics: RefCell<Vec<Diagnostic>>,
    seen: RefCell<FxHashSet<(Code, Span, u64)>>,
    errors: Cell<usize>,
    warned: Cell<bool>,
    deferred: RefCell<Vec<Diagnostic>>,
}

impl Session {
    pub fn new(options: Options) -> Session {
        Session { map: RefCell::new(SourceMap::new()), options, ..Session::default() }
    }

    /// Takes a diagnostic. The same code at the same place with the same words
    /// is kept once. Warnings in library and foreign files are dropped.
    pub fn emit(&self, mut diagnostic: Diagnostic) -> Reported {
        if diagnostic.severity == Severity::Warning && !self.admit_warning(&mut diagnostic) {
            return Reported(());
        }
        self.warned.set(self.warned.get() || diagnostic.severity == Severity::Warning);
        let key = (diagnostic.code, diagnostic.span(), hash(&diagnostic.message));
        if !self.seen.borrow_mut().insert(key) {
            return Reported(());
        }
        if diagnostic.severity == Severity::Error {
            self.errors.set(self.errors.get() + 1);
        }
        if self.errors.get() <= MAX_ERRORS {
            self.diagnostics.borrow_mut().push(diagnostic);
        }
        Reported(())
    }

    /// Keeps a diagnostic back until [`Session::settle`] decides on it.
    pub fn defer(&self, diagnostic: Diagnostic) {
        self.deferred.borrow_mut().push(diagnostic);
    }

    pub fn has_deferred(&self) -> bool {
        !self.deferred.borrow().is_empty()
    }

    /// Shows those diagnostics kept back that `holds` says are true; the others are dropped.
    pub fn settle(&self, holds: impl Fn(Code, Span) -> bool) {
        for kept in std::mem::take(&mut *self.deferred.borrow_mut()) {
            if holds(kept.code, kept.span()) {
                self.emit(kept);
            }
        }
    }

    /// Whether an error with one of these codes was reported inside `span`.
    pub fn reported_in(&self, span: Span, codes: &[Code]) -> bool {
        let inside = |at: Span| span.lo <= at.lo && at.hi <= span.hi;
        self.seen.borrow().iter().any(|(code, at, _)| codes.contains(code) && inside(*at))
    }

    fn admit_warning(&self, diagnostic: &mut Diagnostic) -> bool {
        let span = diagnostic.span();
        if !span.is_none() && self.map.borrow().kind_of(span) != toft_base::FileKind::User {
            return false;
        }
        let names = |list: &[String]| {
            list.iter().any(|name| name == diagnostic.code.id || name == diagnostic.code.name)
        };
        let silent = self.options.allow.iter().any(|name| name == "warnings");
        if silent || names(&self.options.allow) {
            return false;
        }
        if names(&self.options.deny) || self.options.deny.iter().any(|name| name == "warnings") {
            diagnostic.severity = Severity::Error;
        }
        true
    }

    pub fn error_count(&self) -> usize {
        self.errors.get()
    }

    /// Whether any warning was let through.
    pub fn has_warned(&self) -> bool {
        self.warned.get()
    }

    /// For a caller that knows errors were reported but holds no proof.
    pub fn reported(&self) -> Reported {
        debug_assert!(self.has_errors());
        Reported(())
    }

    pub fn has_errors(&self) -> bool {
        self.errors.get() > 0
    }

    /// Everything said so far, in the order of the text: by file, then position;
    /// what has no place comes last.
    pub fn take(&self) -> Vec<Diagnostic> {
        self.settle(|_, _| true);
        let mut list = std::mem::take(&mut *self.diagnostics.borrow_mut());
        let map = self.map.borrow();
        list.sort_by_key(|diagnostic| {
            let span = map.call_site(diagnostic.span());
            if span.is_none() { u32::MAX } else { span.lo }
        });
        list
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}
