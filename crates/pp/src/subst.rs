//! Substitution: a macro's body and its arguments make the text to rescan, with `#`,
//! `##` and `__VA_OPT__` done. Every token made gets a span of its own that leads back
//! to where it is spelled and where the macro was called.

use crate::Pp;
use crate::expand::MAX_TOKENS;
use crate::lexer;
use crate::macros::{Item, Macro};
use crate::ptok::{BOL, PAINTED, PLACEMARKER, PTok, SPACE};
use std::ops::Range;
use toft_ast::token::TokKind;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};

/// The arguments of one call, flat.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) tokens: Vec<PTok>,
    pub(crate) ends: Vec<usize>,
    pub(crate) expanded: Vec<PTok>,
    pub(crate) expanded_ends: Vec<usize>,
    /// The variable arguments are missing altogether.
    pub(crate) omitted: bool,
}

impl Args {
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
        self.expanded.clear();
        self.expanded_ends.clear();
        self.omitted = false;
    }

    pub(crate) fn raw(&self, index: usize) -> Range<usize> {
        range(&self.ends, index)
    }

    fn expansion(&self, index: usize) -> Range<usize> {
        range(&self.expanded_ends, index)
    }
}

fn range(ends: &[usize], index: usize) -> Range<usize> {
    let from = if index == 0 { 0 } else { ends[index - 1] };
    from..ends[index]
}

/// A `##` whose right operand is still to come.
#[derive(Clone, Copy)]
struct Pending {
    comma: bool,
    span: Span,
    call: Span,
}

impl Pp<'_> {
    /// Appends the text that replaces a call of `found` to the buffer.
    pub(crate) fn substitute(&mut self, found: &Macro, name: &PTok, call: Span, args: &mut Args) {
        let start = self.buffer.len();
        if !self.charge(found.items.len(), call) {
            return;
        }
        self.items(&found.items, args, call);
        self.drop_placemarkers(start);
        if let Some(first) = self.buffer.get_mut(start) {
            first.flags = (first.flags & PAINTED) | (name.flags & (SPACE | BOL));
        }
        if self.quiet {
            for token in &mut self.buffer[start..] {
                token.span = call;
            }
        } else {
            let mut map = self.sess.map.borrow_mut();
            for token in &mut self.buffer[start..] {
                token.span = map.add_expansion(token.span, call, found.name);
            }
        }
    }

    /// Counts tokens made; past the limit, expansion ends.
    fn charge(&mut self, tokens: usize, call: Span) -> bool {
        self.produced += tokens as u64;
        if self.produced > MAX_TOKENS {
            self.exhaust(call, "macros expand to more than 20 million tokens");
        }
        !self.exhausted
    }

    fn drop_placemarkers(&mut self, start: usize) {
        let mut kept = start;
        for at in start..self.buffer.len() {
            let token = self.buffer[at];
            if !token.has(PLACEMARKER) {
                self.buffer[kept] = token;
                kept += 1;
            }
        }
        self.buffer.truncate(kept);
    }

    fn items(&mut self, items: &[Item], args: &Args, call: Span) {
        let mut pending = None;
        for item in items {
            match item {
                Item::Token(token) => self.operand(*token, &mut pending),
                Item::Paste { comma, span } => {
                    pending = Some(Pending { comma: *comma, span: *span, call });
                }
                Item::Param { index, raw, space, span } => {
                    let index = *index as usize;
                    if *raw {
                        let tokens = &args.tokens[args.raw(index)];
                        if !self.charge(tokens.len(), call) {
                            return;
                        }
                        let omitted = args.omitted && index + 1 == args.ends.len();
                        self.raw_param(tokens, *space, *span, omitted, &mut pending);
                    } else {
                        let tokens = &args.expanded[args.expansion(index)];
                        if !self.charge(tokens.len(), call) {
                            return;
                        }
                        let from = self.buffer.len();
                        self.buffer.extend_from_slice(tokens);
                        if let Some(first) = self.buffer.get_mut(from) {
                            *first = first.with_space(*space);
                        }
                    }
                }
                Item::Stringify { index, space, span } => {
                    let token =
                        self.stringified(&args.tokens[args.raw(*index as usize)], *space, *span);
                    self.charge(token.sym.as_str().len() / 4, call);
                    self.operand(token, &mut pending);
                }
                Item::VaOpt { items, stringify, space, span } => {
                    let filled = match args.expanded_ends.len().checked_sub(1) {
                        Some(last) => !args.expansion(last).is_empty(),
                        None => false,
                    };
                    let items = if filled { &items[..] } else { &[] };
                    self.va_opt_text(items, args, call, *stringify, *space, *span, &mut pending);
                }
            }
        }
    }

    /// Appends one token, as the right operand of a pending `##` if there is one.
    fn operand(&mut self, token: PTok, pending: &mut Option<Pending>) {
        match pending.take() {
            Some(paste) if !paste.comma => self.paste_onto_last(token, paste),
            _ => self.buffer.push(token),
        }
    }

    fn raw_param(
        &mut self,
        tokens: &[PTok],
        space: bool,
        span: Span,
        omitted: bool,
        pending: &mut Option<Pending>,
    ) {
        if pending.is_some_and(|paste| paste.comma) {
            *pending = None;
            if omitted {
                self.buffer.pop();
            }
        }
        match tokens.split_first() {
            None => self.operand(self.placemarker(space, span), pending),
            Some((first, rest)) => {
                self.operand(first.with_space(space), pending);
                self.buffer.extend_from_slice(rest);
            }
        }
    }

    fn placemarker(&self, space: bool, span: Span) -> PTok {
        let flags = PLACEMARKER | if space { SPACE } else { 0 };
        PTok { kind: TokKind::Unknown, flags, sym: self.names.known.empty, span }
    }

    #[allow(clippy::too_many_arguments)]
    fn va_opt_text(
        &mut self,
        items: &[Item],
        args: &Args,
        call: Span,
        stringify: bool,
        space: bool,
        span: Span,
        pending: &mut Option<Pending>,
    ) {
        let from = self.buffer.len();
        self.items(items, args, call);
        self.drop_placemarkers(from);
        if stringify {
            let tokens = self.buffer.split_off(from);
            let token = self.stringified(&tokens, space, span);
            self.operand(token, pending);
            return;
        }
        let first = match self.buffer.get(from) {
            Some(first) => first.with_space(space),
            None => {
                let marker = self.placemarker(space, span);
                self.buffer.push(marker);
                marker
            }
        };
        self.buffer[from] = first;
        if let Some(paste) = pending.take()
            && from > 0
        {
            let tail = self.buffer.split_off(from + 1);
            self.buffer.pop();
            self.paste_onto_last(first, paste);
            self.buffer.extend(tail);
        }
    }

    /// `##`: joins the last token of the buffer with `right`.
    fn paste_onto_last(&mut self, right: PTok, operator: Pending) {
        let Some(left) = self.buffer.pop() else {
            self.buffer.push(right);
            return;
        };
        if left.has(PLACEMARKER) {
            self.buffer.push(right.with_space(left.has(SPACE)));
            return;
        }
        if right.has(PLACEMARKER) {
            self.buffer.push(left);
            return;
        }
        match self.paste(&left, &right) {
            Some((kind, sym)) => {
                self.charge(sym.as_str().len() / 4, operator.call);
                self.buffer.push(PTok { kind, flags: left.flags & SPACE, sym, span: left.span });
            }
            None => {
                let message = format!(
                    "pasting `{}` and `{}` does not give one token",
                    spelling(&left),
                    spelling(&right)
                );
                let error = Diagnostic::error(codes::E0109, message, operator.call, "")
                    .label(operator.span, "pasted here");
                self.sess.emit(error);
                self.buffer.extend([left, right.with_space(true)]);
            }
        }
    }

    fn paste(&mut self, left: &PTok, right: &PTok) -> Option<(TokKind, Symbol)> {
        let mut text = String::with_capacity(32);
        left.spell(&mut text);
        right.spell(&mut text);
        let plain = left.kind == TokKind::Ident && right.kind == TokKind::Ident;
        if plain {
            return Some((TokKind::Ident, self.names.intern(&text)));
        }
        let foreign = self.in_foreign();
        lexer::single(&text, foreign, &mut self.names)
    }

    /// `#`: the tokens as a string literal.
    fn stringified(&mut self, tokens: &[PTok], space: bool, span: Span) -> PTok {
        let mut text = String::with_capacity(tokens.len() * 8 + 2);
        text.push('"');
        for (n, token) in tokens.iter().enumerate() {
            if n > 0 && token.has(SPACE) {
                text.push(' ');
            }
            if matches!(token.kind, TokKind::Str | TokKind::Char | TokKind::Unknown) {
                let literal = token.kind != TokKind::Unknown;
                for c in token.sym.as_str().chars() {
                    if c == '"' || (c == '\\' && literal) {
                        text.push('\\');
                    }
                    text.push(c);
                }
            } else {
                token.spell(&mut text);
            }
        }
        if text.ends_with('\\') && !text.ends_with("\\\\") {
            // A lone backslash at the end would swallow the closing quote.
            text.push('\\');
        }
        text.push('"');
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) if first.span.lo <= last.span.lo => first.span.to(last.span),
            _ => span,
        };
        let flags = if space { SPACE } else { 0 };
        PTok { kind: TokKind::Str, flags, sym: Symbol::intern(&text), span }
    }
}

pub(crate) fn spelling(token: &PTok) -> String {
    let mut text = String::new();
    token.spell(&mut text);
    text
}
