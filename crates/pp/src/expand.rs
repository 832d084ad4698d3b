//! Macro expansion: the stack of contexts, rescanning, the collection of arguments.
//!
//! A context is a run of tokens being rescanned. All contexts share one buffer, used as
//! a stack. A macro is not expanded while a context of its own is being read; its name
//! met there is painted and stays a plain name for ever. A context counts as read when
//! a token after it is asked for, as in gcc.

use crate::Pp;
use crate::macros::Macro;
use crate::ptok::{PAINTED, PTok, SPACE};
use crate::subst::Args;
use std::rc::Rc;
use toft_ast::token::{Punct, TokKind};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// Most tokens that macros may produce in one compilation.
pub(crate) const MAX_TOKENS: u64 = 20_000_000;
/// Most tokens read as arguments, each level of nested calls counting its own.
const MAX_COLLECTED: u64 = 40_000_000;
/// Deepest nesting of macro calls inside arguments of macro calls.
const MAX_NESTING: u32 = 1000;

pub(crate) struct Context {
    pub(crate) start: usize,
    pub(crate) pos: usize,
    pub(crate) end: usize,
    pub(crate) origin: Option<Rc<Macro>>,
    /// Reading stops here: the tokens of one argument.
    pub(crate) barrier: bool,
}

impl Pp<'_> {
    /// The next token after macro expansion.
    pub(crate) fn next_token(&mut self) -> PTok {
        loop {
            let mut token = self.next_raw();
            if token.kind != TokKind::Ident || token.has(PAINTED) {
                return token;
            }
            let Some(found) = self.macros.get(token.sym) else { return token };
            if found.active.get() > 0 {
                token.flags |= PAINTED;
                return token;
            }
            let found = Rc::clone(found);
            if self.exhausted || !self.enter(&found, &token) {
                return token;
            }
        }
    }

    /// The next token before macro expansion.
    #[inline]
    pub(crate) fn next_raw(&mut self) -> PTok {
        while let Some(context) = self.contexts.last_mut() {
            if context.pos < context.end {
                let token = self.buffer[context.pos];
                context.pos += 1;
                return token;
            }
            if context.barrier {
                return self.eof_token(Span::NONE);
            }
            self.pop_context();
        }
        self.lex_file()
    }

    pub(crate) fn pop_context(&mut self) {
        if let Some(context) = self.contexts.pop() {
            if let Some(origin) = context.origin {
                origin.active.set(origin.active.get() - 1);
            }
            self.buffer.truncate(context.start);
        }
    }

    /// Makes the buffer's end from `start` on the text to read next.
    pub(crate) fn push_context(&mut self, start: usize, origin: Option<Rc<Macro>>, barrier: bool) {
        if let Some(origin) = &origin {
            origin.active.set(origin.active.get() + 1);
        }
        let end = self.buffer.len();
        self.contexts.push(Context { start, pos: start, end, origin, barrier });
    }

    /// Whether the next token is `(`.
    pub(crate) fn lparen_follows(&self) -> bool {
        for context in self.contexts.iter().rev() {
            if context.pos < context.end {
                return self.buffer[context.pos].is(Punct::LParen);
            }
            if context.barrier {
                return false;
            }
        }
        self.lex.peek_lparen()
    }

    /// Expands `found`, named by `token`, unless it is a function-like macro that is not
    /// called. False: the name stands for itself.
    fn enter(&mut self, found: &Rc<Macro>, token: &PTok) -> bool {
        if let Some(builtin) = found.builtin {
            return self.enter_builtin(builtin, token);
        }
        if !found.function {
            let start = self.buffer.len();
            self.substitute(found, token, token.span, &mut Args::default());
            self.push_context(start, Some(Rc::clone(found)), false);
            return true;
        }
        if !self.lparen_follows() {
            return false;
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.exhaust(token.span, "macro calls are nested too deeply");
            self.nesting -= 1;
            return false;
        }
        let mut args = self.pool.pop().unwrap_or_default();
        match self.collect(found, token, &mut args) {
            Some(close) if self.charge_collected(args.tokens.len(), token.span) => {
                let call = self.call_span(token.span, close);
                self.expand_args(found, &mut args);
                let start = self.buffer.len();
                self.substitute(found, token, call, &mut args);
                self.push_context(start, Some(Rc::clone(found)), false);
            }
            _ => {
                // Something in its place, so that one mistake is one message.
                let start = self.buffer.len();
                let zero = PTok { kind: TokKind::Number, sym: self.names.known.zero, ..*token };
                self.buffer.push(zero);
                self.push_context(start, None, false);
            }
        }
        args.clear();
        self.pool.push(args);
        self.nesting -= 1;
        true
    }

    /// From the name to the closing parenthesis when both are written in one file.
    fn call_span(&self, name: Span, close: Span) -> Span {
        let in_file = |span: Span| self.file.start <= span.lo && span.hi <= self.file.end;
        if name.hi <= close.lo && in_file(name) && in_file(close) { name.to(close) } else { name }
    }

    /// Counts tokens of arguments; past the limit, expansion ends.
    fn charge_collected(&mut self, tokens: usize, call: Span) -> bool {
        self.collected += tokens as u64;
        if self.collected > MAX_COLLECTED {
            self.exhaust(call, "the arguments of macros are too long and too deeply nested");
        }
        !self.exhausted
    }

    /// Stops all further expansion after one error.
    pub(crate) fn exhaust(&mut self, span: Span, message: &str) {
        if !self.exhausted {
            self.exhausted = true;
            self.error(codes::E0901, message, span, "while expanding this");
        }
    }

    /// Reads the arguments of a call. The span of the `)`, or `None` after an error.
    fn collect(&mut self, found: &Macro, name: &PTok, args: &mut Args) -> Option<Span> {
        let was_collecting = std::mem::replace(&mut self.collecting, true);
        let result = self.collect_until_close(found, name, args);
        self.collecting = was_collecting;
        let close = result?;
        let given = args.ends.len();
        let wanted = found.params.len();
        if given == wanted || (wanted == 0 && given == 1 && args.tokens.is_empty()) {
            // GNU: an empty list for a macro with only `args...` counts as none given.
            args.omitted = found.variadic && wanted == 1 && args.tokens.is_empty();
            return Some(close);
        }
        if found.variadic && given + 1 == wanted {
            args.ends.push(args.tokens.len());
            args.omitted = true;
            return Some(close);
        }
        self.wrong_count(found, name, close, given);
        None
    }

    fn wrong_count(&mut self, found: &Macro, name: &PTok, close: Span, given: usize) {
        let wanted = found.params.len() - usize::from(found.variadic);
        let plural = if wanted == 1 { "" } else { "s" };
        let least = if found.variadic { "at least " } else { "" };
        let call = self.call_span(name.span, close);
        let mut error = Diagnostic::error(
            codes::E0109,
            format!("macro `{}` takes {least}{wanted} argument{plural}, {given} given", found.name),
            call,
            "",
        );
        if !found.span.is_none() {
            error = error.label(found.span, "defined here");
        }
        self.sess.emit(error);
    }

    fn collect_until_close(&mut self, found: &Macro, name: &PTok, args: &mut Args) -> Option<Span> {
        let variadic_from = if found.variadic { found.params.len() - 1 } else { usize::MAX };
        self.next_raw();
        let mut depth = 0;
        let mut first = true;
        loop {
            let mut token = self.next_raw();
            match token.kind {
                TokKind::Punct(Punct::LParen) => depth += 1,
                TokKind::Punct(Punct::RParen) if depth == 0 => {
                    args.ends.push(args.tokens.len());
                    return Some(token.span);
                }
                TokKind::Punct(Punct::RParen) => depth -= 1,
                TokKind::Punct(Punct::Comma) if depth == 0 && args.ends.len() < variadic_from => {
                    args.ends.push(args.tokens.len());
                    first = true;
                    continue;
                }
                TokKind::Eof => {
                    let mut error = Diagnostic::error(
                        codes::E0109,
                        format!("the call of macro `{}` is not closed", found.name),
                        name.span,
                        "`)` is missing",
                    );
                    if !found.span.is_none() {
                        error = error.label(found.span, "defined here");
                    }
                    self.sess.emit(error);
                    return None;
                }
                TokKind::Ident => {
                    let active =
                        self.macros.get(token.sym).is_some_and(|found| found.active.get() > 0);
                    if active {
                        token.flags |= PAINTED;
                    }
                }
                _ => {}
            }
            args.tokens.push(token.with_space(token.has(SPACE) && !first));
            first = false;
        }
    }

    /// Expands each argument whose expansion the body uses.
    fn expand_args(&mut self, found: &Macro, args: &mut Args) {
        for index in 0..args.ends.len() {
            if found.wants.get(index) == Some(&true) {
                let range = args.raw(index);
                let calm = args.tokens[range.clone()].iter().all(|token| {
                    token.kind != TokKind::Ident
                        || token.has(PAINTED)
                        || self.macros.get(token.sym).is_none()
                });
                if calm || self.exhausted {
                    args.expanded.extend_from_slice(&args.tokens[range]);
                } else {
                    self.expand_arg(args, range);
                }
            }
            args.expanded_ends.push(args.expanded.len());
        }
    }

    fn expand_arg(&mut self, args: &mut Args, range: std::ops::Range<usize>) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&args.tokens[range]);
        let was_collecting = std::mem::replace(&mut self.collecting, false);
        self.push_context(start, None, true);
        let base = self.contexts.len();
        loop {
            let token = self.next_token();
            if token.is_eof() {
                break;
            }
            args.expanded.push(token);
        }
        debug_assert_eq!(base, self.contexts.len());
        self.pop_context();
        self.collecting = was_collecting;
    }
}
