//! Diagnostics: what the compiler says, as data; the session that collects it;
//! and the renderers (terminal, JSON, SARIF).

pub mod codes;
pub mod pages;
pub mod render;
pub mod session;

pub use codes::Code;
pub use session::{Reported, Session};

use toft_base::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A place with a remark. The first label of a diagnostic is the primary one.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A change to the text that would (probably) mend the program.
#[derive(Clone, Debug)]
pub struct Suggestion {
    pub span: Span,
    pub replacement: String,
    pub text: String,
}

/// One message: what is wrong, where (both ends of a conflict), why, and a way out.
#[derive(Clone, Debug)]
#[must_use = "a diagnostic says nothing until it is emitted"]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub message: String,
    /// Primary first, then the other ends of the conflict.
    pub labels: Vec<Label>,
    /// Why it is wrong.
    pub notes: Vec<String>,
    /// Ways out.
    pub helps: Vec<String>,
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// An error at `span`; `label` may be empty.
    pub fn error(
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Error, code, message, span, label)
    }

    pub fn warning(
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Warning, code, message, span, label)
    }

    fn new(
        severity: Severity,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            labels: vec![Label { span, text: label.into() }],
            notes: Vec::new(),
            helps: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// Another end of the conflict.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    pub fn suggest(
        mut self,
        span: Span,
        replacement: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        self.suggestions.push(Suggestion {
            span,
            replacement: replacement.into(),
            text: text.into(),
        });
        self
    }

    /// The primary place.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::NONE, |label| label.span)
    }
}
