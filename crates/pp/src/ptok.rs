//! The preprocessor's own token: a [`Token`] with its flags packed, sixteen bytes.

use toft_ast::token::{Punct, TokKind, Token};
use toft_base::{Span, Symbol};

/// White space stands before it.
pub(crate) const SPACE: u8 = 1;
/// First of its line.
pub(crate) const BOL: u8 = 2;
/// A macro's name that must never be expanded again ("painted blue").
pub(crate) const PAINTED: u8 = 4;
/// Stands for an empty operand of `##`; never leaves a substitution.
pub(crate) const PLACEMARKER: u8 = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PTok {
    pub(crate) kind: TokKind,
    pub(crate) flags: u8,
    pub(crate) sym: Symbol,
    pub(crate) span: Span,
}

impl PTok {
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.kind == TokKind::Punct(punct)
    }

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn is_eof(&self) -> bool {
        self.kind == TokKind::Eof
    }

    pub(crate) fn with_space(mut self, space: bool) -> PTok {
        self.flags = (self.flags & !(SPACE | BOL)) | if space { SPACE } else { 0 };
        self
    }

    pub(crate) fn public(self) -> Token {
        Token {
            kind: self.kind,
            space: self.has(SPACE),
            line_start: self.has(BOL),
            sym: self.sym,
            span: self.span,
        }
    }

    /// Appends the token as it is written.
    pub(crate) fn spell(&self, into: &mut String) {
        match self.kind {
            TokKind::TyVar => into.push('\''),
            TokKind::Aqual => into.push('\\'),
            _ => {}
        }
        into.push_str(self.sym.as_str());
    }
}
