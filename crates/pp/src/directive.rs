//! Directives: dispatch, conditionals, `#line`, `#error`, `#pragma`.

use crate::Pp;
use crate::include::Guard;
use crate::ptok::PTok;
use toft_ast::token::{Punct, TokKind};
use toft_base::{Span, Symbol};
use toft_diag::{Code, Diagnostic, Severity, codes};

/// An open conditional.
pub(crate) struct Cond {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
    /// A branch was taken already.
    taken: bool,
    otherwise: Option<Span>,
    /// It may be the file's include guard.
    guard: bool,
}

impl Pp<'_> {
    /// A `#` that starts a line was read.
    pub(crate) fn directive(&mut self) {
        let hash = self.lex.cur.pos - 1;
        self.lex.cur.in_directive = true;
        let token = self.lex_line();
        let first = std::mem::replace(&mut self.file.guard, Guard::No);
        if let Guard::Inside(_) = first {
            self.file.guard = first;
        }
        match token.kind {
            TokKind::Ident => self.named_directive(&token, first == Guard::Start, hash),
            TokKind::Eof => {
                // A lone `#` is nothing; it does not spoil an include guard.
                self.file.guard = first;
            }
            // A line marker, as other preprocessors write.
            TokKind::Number => {}
            _ => self.error(
                codes::E0107,
                "a directive's name was expected after `#`",
                token.span,
                "",
            ),
        }
        if self.lex.cur.in_directive {
            self.finish_line();
        }
    }

    /// Leaves the directive; the cursor goes to the end of its line.
    pub(crate) fn finish_line(&mut self) {
        // A directive starts with no contexts; what it left unread is not text.
        while !self.contexts.is_empty() {
            self.pop_context();
        }
        self.lex.skip_line();
        self.lex.cur.in_directive = false;
    }

    fn named_directive(&mut self, token: &PTok, first: bool, hash: usize) {
        let name = token.sym;
        let known = &self.names.known;
        if name == known.define {
            self.define();
        } else if name == known.include || name == known.include_next || name == known.import {
            self.include(name.as_str(), token.span);
        } else if name == known.ifdef || name == known.ifndef {
            self.if_defined(token, first, hash);
        } else if name == known.if_ {
            let guard = if first { self.negated_defined() } else { None };
            if let Some(guard) = guard {
                self.guard_opens(guard, hash);
            }
            let taken = self.condition(token.span);
            self.open_conditional(token, taken, guard.is_some());
        } else if name == known.endif {
            self.endif(token);
        } else if name == known.else_
            || name == known.elif
            || name == known.elifdef
            || name == known.elifndef
        {
            self.end_of_taken_branch(token);
        } else if name == known.undef {
            if let Some(name) = self.macro_name("#undef") {
                self.macros.set(name.sym, None);
                self.expect_line_end("undef");
            }
        } else if name == known.error {
            self.user_message(token, codes::E0110, Severity::Error);
        } else if name == known.warning {
            self.user_message(token, codes::W0101, Severity::Warning);
        } else if name == known.line {
            self.line(token);
        } else if name == known.pragma {
            self.pragma();
        } else if name == known.embed {
            self.error(codes::E0900, "#embed is not supported yet", token.span, "");
        } else if name != known.ident && name != known.sccs {
            let message = format!("there is no directive `#{name}`");
            self.error(codes::E0107, message, token.span, "");
        }
    }

    /// Warns of nothing, refuses junk: the rest of the line must be empty. Headers of the
    /// host get away with it, as with any C compiler.
    pub(crate) fn expect_line_end(&mut self, directive: &str) {
        let token = if self.contexts.is_empty() { self.lex_line() } else { self.next_token() };
        if !token.is_eof() && !self.in_foreign() {
            let message = format!("#{directive} is followed by something it does not take");
            self.error(codes::E0107, message, token.span, "");
        }
    }

    fn if_defined(&mut self, token: &PTok, first: bool, hash: usize) {
        let negated = token.sym == self.names.known.ifndef;
        let directive = if negated { "#ifndef" } else { "#ifdef" };
        let Some(name) = self.macro_name(directive) else {
            self.open_conditional(token, true, false);
            return;
        };
        self.expect_line_end(&directive[1..]);
        if negated && first {
            self.guard_opens(name.sym, hash);
        }
        let taken = self.is_defined(name.sym) != negated;
        self.open_conditional(token, taken, negated && first);
    }

    /// For `#if !defined NAME` and `#if !defined(NAME)`: the name. Only looks.
    fn negated_defined(&self) -> Option<Symbol> {
        let bytes = self.lex.text.as_bytes();
        let line = &bytes[self.lex.cur.pos..crate::lexer::line_end(bytes, self.lex.cur.pos)];
        let line = std::str::from_utf8(line).ok()?.trim();
        let rest = line.strip_prefix('!')?.trim_start().strip_prefix("defined")?;
        let name = match rest.trim_start().strip_prefix('(') {
            Some(inner) => inner.strip_suffix(')')?.trim(),
            None if rest.starts_with([' ', '\t']) => rest.trim(),
            None => return None,
        };
        let word = crate::chars::ident_end(name, 0) == name.len() && !name.is_empty();
        word.then(|| Symbol::intern(name))
    }

    fn open_conditional(&mut self, token: &PTok, taken: bool, guard: bool) {
        let guard = guard && matches!(self.file.guard, Guard::Inside(_));
        self.conds.push(Cond { name: token.sym, span: token.span, taken, otherwise: None, guard });
        if !taken {
            self.finish_line();
            self.skip_group();
        }
    }

    /// `#else` and its kin end the branch that was being read.
    fn end_of_taken_branch(&mut self, token: &PTok) {
        if self.conds.len() <= self.file.cond_base {
            let message = format!("#{} without #if", token.sym);
            self.error(codes::E0108, message, token.span, "");
            return;
        }
        self.note_branch(token);
        if let Some(cond) = self.conds.last_mut() {
            cond.taken = true;
        }
        self.finish_line();
        self.skip_group();
    }

    /// Bookkeeping for `#else`, `#elif`…; true when it may follow what came before.
    fn note_branch(&mut self, token: &PTok) -> bool {
        let is_else = token.sym == self.names.known.else_;
        let Some(cond) = self.conds.last_mut() else { return false };
        if std::mem::take(&mut cond.guard) {
            self.file.guard = Guard::No;
        }
        if let Some(previous) = cond.otherwise {
            let error = Diagnostic::error(
                codes::E0108,
                format!("#{} after #else", token.sym),
                token.span,
                "",
            )
            .label(previous, "the #else")
            .label(cond.span, "of this conditional");
            self.sess.emit(error);
            return false;
        }
        if is_else {
            cond.otherwise = Some(token.span);
        }
        true
    }

    fn endif(&mut self, token: &PTok) {
        if self.conds.len() <= self.file.cond_base {
            self.error(codes::E0108, "#endif without #if", token.span, "");
            return;
        }
        self.close_conditional();
    }

    /// After the word `endif`.
    fn close_conditional(&mut self) {
        self.expect_line_end("endif");
        self.finish_line();
        if let Some(cond) = self.conds.pop()
            && cond.guard
            && let Guard::Inside(name) = self.file.guard
        {
            self.file.guard = Guard::After(name, self.lex.cur.pos);
        }
    }

    /// Skips branches that are not taken; returns in the branch that is, or after the
    /// `#endif`.
    fn skip_group(&mut self) {
        let mut depth = 0u32;
        while self.lex.skip_to_directive() {
            self.lex.cur.in_directive = true;
            let token = self.lex_line();
            let known = &self.names.known;
            let name = token.sym;
            if token.kind != TokKind::Ident {
                // Not a directive that matters here.
            } else if name == known.if_ || name == known.ifdef || name == known.ifndef {
                depth += 1;
            } else if name == known.endif {
                if depth == 0 {
                    self.close_conditional();
                    return;
                }
                depth -= 1;
            } else if depth == 0 && self.branch_starts(&token) {
                self.finish_line();
                return;
            }
            self.finish_line();
        }
    }

    /// In a skipped group at its own depth: is this the branch to read?
    fn branch_starts(&mut self, token: &PTok) -> bool {
        let known = &self.names.known;
        let (is_else, is_elif) = (token.sym == known.else_, token.sym == known.elif);
        let is_def = token.sym == known.elifdef;
        if !is_else && !is_elif && !is_def && token.sym != known.elifndef {
            return false;
        }
        if !self.note_branch(token) {
            return false;
        }
        let taken = self.conds.last().is_some_and(|cond| cond.taken);
        if is_else {
            self.expect_line_end("else");
        }
        // Conditions after the taken branch are not looked at.
        let holds = !taken
            && if is_else {
                true
            } else if is_elif {
                self.condition(token.span)
            } else {
                let directive = if is_def { "#elifdef" } else { "#elifndef" };
                match self.macro_name(directive) {
                    Some(name) => self.is_defined(name.sym) == is_def,
                    None => false,
                }
            };
        if holds && let Some(cond) = self.conds.last_mut() {
            cond.taken = true;
        }
        holds
    }

    /// `#error` and `#warning`: the rest of the line is the message.
    fn user_message(&mut self, token: &PTok, code: Code, severity: Severity) {
        let from = self.lex.cur.pos;
        let text = std::rc::Rc::clone(&self.lex.text);
        let end = crate::lexer::line_end(text.as_bytes(), from);
        let words = text.get(from..end).unwrap_or("").trim();
        let message = if words.is_empty() { format!("#{}", token.sym) } else { words.to_owned() };
        let diagnostic = match severity {
            Severity::Error => Diagnostic::error(code, message, token.span, ""),
            _ => Diagnostic::warning(code, message, token.span, ""),
        };
        self.sess.emit(diagnostic);
    }

    /// `#line N "file"` changes what `__LINE__` and `__FILE__` say; messages keep to the
    /// real file.
    fn line(&mut self, token: &PTok) {
        let number = self.next_token();
        let value: Option<u32> = match number.kind {
            TokKind::Number => number.sym.as_str().parse().ok(),
            _ => None,
        };
        let Some(value) = value.filter(|&n| n <= i32::MAX as u32) else {
            self.error(codes::E0107, "#line needs a line number", number.span, "");
            return;
        };
        let name = self.next_token();
        if name.kind == TokKind::Str {
            let text = name.sym.as_str().trim_start_matches(['L', 'u', 'U', '8']);
            self.file.shown = Some(Symbol::intern(text.trim_matches('"')));
            self.expect_line_end("line");
        } else if !name.is_eof() {
            self.error(codes::E0107, "#line takes a file name in quotes", name.span, "");
        }
        let here = self.sess.map.borrow().loc_of_pos(token.span.lo).map_or(1, |loc| loc.line);
        self.file.line_shift = i64::from(value) - (i64::from(here) + 1);
    }

    /// `#pragma once`, `push_macro("x")` and `pop_macro("x")` work; others mean nothing.
    fn pragma(&mut self) {
        let word = self.lex_line();
        let known = &self.names.known;
        let push = word.sym == known.push_macro;
        if word.sym == known.once {
            if self.frames.is_empty() {
                return;
            }
            self.mark_once();
        } else if push || word.sym == known.pop_macro {
            let open = self.lex_line();
            let name = self.lex_line();
            if !open.is(Punct::LParen) || name.kind != TokKind::Str {
                return;
            }
            let name = Symbol::intern(name.sym.as_str().trim_matches('"'));
            if push {
                self.saved_macros.push((name, self.macros.get(name).cloned()));
            } else if let Some(at) = self.saved_macros.iter().rposition(|&(saved, _)| saved == name)
            {
                let (_, definition) = self.saved_macros.remove(at);
                self.macros.set(name, definition);
            }
        }
    }
}
