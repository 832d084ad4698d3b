//! Saying what is malformed, and finding a place to go on.
//!
//! Rules: one error per token; a missing `;` or `)` is assumed where the text then makes
//! sense; otherwise the construct is left by skipping to a `;` or a closing bracket of its
//! own level.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use toft_ast::{Punct, TokKind, Token};
use toft_base::Span;
use toft_diag::{Code, Diagnostic, Reported, codes};

/// The token as messages name it.
fn describe(tok: &Token) -> String {
    match tok.kind {
        TokKind::Eof => "the end of the file".into(),
        TokKind::Punct(punct) => format!("`{}`", punct.text()),
        TokKind::TyVar => format!("`'{}`", tok.sym),
        TokKind::Aqual => format!("`\\{}`", tok.sym),
        TokKind::Str => "a string".into(),
        TokKind::RawC => "raw C".into(),
        _ if tok.sym.as_str().len() > 60 => "this".into(),
        _ => format!("`{}`", tok.sym),
    }
}

impl Parser<'_> {
    /// Reports, unless something was reported at this very token.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if let Some((pos, reported)) = self.last_error
            && (pos == self.pos() || self.gave_up)
        {
            return reported;
        }
        let reported = match self.after_lost_token() {
            true => self.sess.reported(),
            false => self.sess.emit(diagnostic),
        };
        self.last_error = Some((self.pos(), reported));
        reported
    }

    /// Whether a token between the last one and this one was so broken that it was dropped: it
    /// has been reported, and what is missing now is that token.
    fn after_lost_token(&self) -> bool {
        let gap = Span::new(self.prev.hi, self.tok.span.lo.max(self.prev.hi));
        self.sess.has_errors() && self.sess.reported_in(gap, &[codes::E0101, codes::E0102])
    }

    pub fn error_at(&mut self, code: Code, span: Span, message: &str, label: &str) -> Reported {
        self.report(Diagnostic::error(code, message, span, label))
    }

    /// A construct that the language has and the compiler has not.
    pub fn unsupported(&mut self, span: Span, what: &str) -> Reported {
        self.error_at(codes::E0900, span, &format!("{what} is not supported yet"), "")
    }

    /// "expected …, found …" at the current token.
    pub fn expected(&mut self, what: &str) -> Reported {
        let found = describe(&self.tok);
        let message = format!("expected {what}, found {found}");
        let label = format!("expected {what}");
        let span = if self.at_eof() { self.end_of_prev() } else { self.tok.span };
        let mut diagnostic = Diagnostic::error(codes::E0201, message, span, label);
        if self.tok.kind == TokKind::Ident && self.kw.is_reserved() {
            diagnostic = diagnostic.note(format!("{found} is a keyword"));
        }
        self.report(diagnostic)
    }

    /// The place just after the last token taken, in a file.
    pub fn end_of_prev(&self) -> Span {
        self.sess.map.borrow().call_site(self.prev).after()
    }

    pub fn expect(&mut self, punct: Punct, why: &str) -> PResult<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}`{why}", punct.text())))
    }

    /// `;` after `what`. Assumed when what follows looks like something new.
    pub fn semi(&mut self, what: &str) -> PResult<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let stray_close = match self.tok.kind {
            TokKind::Punct(Punct::RParen) => Some(("(", ")")),
            TokKind::Punct(Punct::RBracket) => Some(("[", "]")),
            _ => None,
        };
        if let Some((open, close)) = stray_close {
            let message = format!("this `{close}` closes nothing");
            let label = format!("no `{open}` is open here");
            let reported = self.error_at(codes::E0201, self.tok.span, &message, &label);
            self.bump();
            return if self.eat(Punct::Semi) { Ok(()) } else { Err(reported) };
        }
        let at = self.end_of_prev();
        let found = describe(&self.tok);
        let message = format!("expected `;` after {what}, found {found}");
        let diagnostic = Diagnostic::error(codes::E0201, message, at, "expected `;`").suggest(
            at,
            ";",
            "put a `;` here",
        );
        let reported = self.report(diagnostic);
        if self.tok.line_start || self.at(Punct::RBrace) || self.at_eof() || self.kw.is_stmt() {
            return Ok(());
        }
        Err(reported)
    }

    /// The bracket that closes the one at `open`. A missing one is assumed before `;`, a
    /// brace or the end; what stands in its way otherwise is skipped.
    pub fn close(&mut self, punct: Punct, open: Span) -> PResult<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let opening = match punct {
            Punct::RParen => "(",
            Punct::RBracket => "[",
            Punct::Gt => "<",
            _ => "{",
        };
        let closing = punct.text();
        let ended = self.at_eof()
            || self.at(Punct::Semi)
            || self.at(Punct::RBrace)
            || self.at(Punct::LBrace)
            || self.kw.is_stmt();
        if ended {
            let at = self.end_of_prev();
            let message = format!("this `{opening}` is not closed");
            let label = format!("expected `{closing}`");
            let diagnostic =
                Diagnostic::error(codes::E0202, message, at, label).label(open, "opened here");
            let reported = self.report(diagnostic);
            return if punct == Punct::Gt { Err(reported) } else { Ok(()) };
        }
        let found = describe(&self.tok);
        let message = format!("expected `{closing}`, found {found}");
        let label = format!("expected `{closing}`");
        let diagnostic = Diagnostic::error(codes::E0201, message, self.tok.span, label)
            .label(open, format!("to close this `{opening}`"));
        let reported = self.report(diagnostic);
        if self.skip_past_close(punct) { Ok(()) } else { Err(reported) }
    }

    /// A function's definition, begun at token `start`, stands inside a body. At the start of
    /// a line without indentation it shows that a `}` is missing before it: the open bodies
    /// are left, and the definition is parsed where it belongs.
    pub fn leave_unclosed(&mut self, start: usize) -> Option<Reported> {
        let first = self.tok_at(start);
        let column = self.sess.map.borrow().loc(first.span).map(|loc| loc.col);
        if !first.line_start || column != Some(1) || self.innermost.is_none() {
            return None;
        }
        let open = self.innermost;
        self.rewind(start);
        let message = "this `{` is not closed";
        let diagnostic =
            Diagnostic::error(codes::E0202, message, first.span, "a new definition begins here")
                .label(open, "opened here");
        let reported = self.report(diagnostic);
        self.unwinding = true;
        Some(reported)
    }

    /// Skips to `punct` at this level and takes it; false when the construct ends first.
    pub fn skip_past_close(&mut self, punct: Punct) -> bool {
        let mut depth = 0usize;
        loop {
            match self.tok.kind {
                TokKind::Eof => return false,
                TokKind::Punct(found) if depth == 0 && found == punct => {
                    self.bump();
                    return true;
                }
                TokKind::Punct(Punct::LParen | Punct::LBracket) => depth += 1,
                TokKind::Punct(Punct::RParen | Punct::RBracket) => {
                    if depth == 0 {
                        return false;
                    }
                    depth -= 1;
                }
                TokKind::Punct(Punct::Semi | Punct::LBrace | Punct::RBrace) => return false,
                TokKind::Ident if self.kw.is_stmt() => return false,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a balanced `{ … }` whose brace is the current token.
    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.tok.kind {
                TokKind::Eof => return,
                TokKind::Punct(Punct::LBrace) => depth += 1,
                TokKind::Punct(Punct::RBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Leaves a malformed statement, member or declaration that began at token `start`: past
    /// its `;`, or before the brace that closes what is around it, or before a line that
    /// begins something new.
    pub fn sync(&mut self, start: usize) {
        let mut parens = 0usize;
        if self.pos() == start && !self.at(Punct::RBrace) && !self.at(Punct::LBrace) {
            parens = usize::from(self.at(Punct::LParen) || self.at(Punct::LBracket));
            let done = self.at(Punct::Semi);
            self.bump();
            if done {
                return;
            }
        }
        loop {
            match self.tok.kind {
                TokKind::Eof => return,
                // A `;` inside parentheses may belong to a `for`.
                TokKind::Punct(Punct::Semi) if parens == 0 || self.peek(1).line_start => {
                    self.bump();
                    return;
                }
                TokKind::Punct(Punct::RBrace) => return,
                TokKind::Punct(Punct::LBrace) => {
                    self.skip_braces();
                    self.eat(Punct::Semi);
                    if parens == 0 || self.tok.line_start {
                        return;
                    }
                    continue;
                }
                TokKind::Punct(Punct::LParen | Punct::LBracket) => parens += 1,
                TokKind::Punct(Punct::RParen | Punct::RBracket) => {
                    parens = parens.saturating_sub(1)
                }
                TokKind::Ident if self.tok.line_start && self.begins_line() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// The word at the start of a line shows that something new begins.
    fn begins_line(&self) -> bool {
        (self.kw.is_stmt() && self.kw != Kw::Else) || self.kw.is_decl() && self.pos() > 0
    }
}
