//! `#define`: from the tokens of a line to a [`Macro`].
//!
//! In: the directive's line, after the word `define`. Out: an entry of the table.

use crate::Pp;
use crate::macros::{Item, Macro};
use crate::ptok::{PTok, SPACE};
use std::cell::Cell;
use std::rc::Rc;
use toft_ast::token::{Punct, TokKind};
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};

/// What a body is compiled against.
struct Shape<'a> {
    params: &'a [Symbol],
    function: bool,
    variadic: bool,
}

/// What is wrong with a body, and where.
struct BadBody(Span, &'static str);

impl Pp<'_> {
    pub(crate) fn define(&mut self) {
        let Some(name) = self.macro_name("#define") else { return };
        let mut params = Vec::new();
        let mut variadic = false;
        let function = self.lex.text.as_bytes()[self.lex.cur.pos] == b'(';
        if function {
            self.lex_line();
            match self.params(&name) {
                Some((list, varies)) => (params, variadic) = (list, varies),
                None => return,
            }
        }
        let mut body = std::mem::take(&mut self.scratch);
        body.clear();
        loop {
            let token = self.lex_line();
            if token.is_eof() {
                break;
            }
            body.push(token);
        }
        let shape = Shape { params: &params, function, variadic };
        let compiled = self.compile(&body, &shape);
        self.scratch = body;
        let items = match compiled {
            Ok(items) => items,
            Err(BadBody(span, message)) => {
                self.error(codes::E0109, message, span, "");
                return;
            }
        };
        let mut wants = vec![false; params.len()];
        mark_wanted(&items, &mut wants);
        self.install(Macro {
            name: name.sym,
            span: name.span,
            params,
            function,
            variadic,
            items,
            wants,
            builtin: None,
            active: Cell::new(0),
        });
    }

    fn install(&mut self, new: Macro) {
        if let Some(old) = self.macros.get(new.name)
            && !old.same(&new)
        {
            let mut warning = Diagnostic::warning(
                codes::W0102,
                format!("macro `{}` is defined again with another body", new.name),
                new.span,
                "",
            )
            .help("put `#undef` before it if this is meant");
            if !old.span.is_none() {
                warning = warning.label(old.span, "first defined here");
            }
            self.sess.emit(warning);
        }
        self.macros.set(new.name, Some(Rc::new(new)));
    }

    /// The name after `#define`, `#undef`, `#ifdef`…; reports what cannot be one.
    pub(crate) fn macro_name(&mut self, directive: &str) -> Option<PTok> {
        let token = self.lex_line();
        if token.kind != TokKind::Ident {
            let found = if token.is_eof() { "nothing" } else { token.sym.as_str() };
            let message = format!("{directive} needs the name of a macro, found `{found}`");
            let message = if token.is_eof() { message.replace('`', "") } else { message };
            self.error(codes::E0107, message, token.span, "");
            return None;
        }
        let known = &self.names.known;
        let reserved = [known.defined, known.va_args, known.va_opt].contains(&token.sym);
        if reserved && matches!(directive, "#define" | "#undef") {
            let message = format!("`{}` cannot be the name of a macro", token.sym);
            self.error(codes::E0109, message, token.span, "");
            return None;
        }
        Some(token)
    }

    /// The parameter list, after its `(`: names, and whether the last one is variadic.
    fn params(&mut self, name: &PTok) -> Option<(Vec<Symbol>, bool)> {
        let mut params = Vec::new();
        let mut token = self.lex_line();
        if token.is(Punct::RParen) {
            return Some((params, false));
        }
        loop {
            let mut variadic = false;
            if token.is(Punct::Ellipsis) {
                params.push(self.names.known.va_args);
                variadic = true;
            } else if token.kind == TokKind::Ident && token.sym != self.names.known.va_args {
                if params.contains(&token.sym) {
                    let message =
                        format!("two parameters of macro `{}` are named `{}`", name.sym, token.sym);
                    self.error(codes::E0109, message, token.span, "");
                    return None;
                }
                params.push(token.sym);
            } else {
                let message = format!("the parameters of macro `{}` are malformed", name.sym);
                let what =
                    if token.is_eof() { "`)` is missing" } else { "a name was expected here" };
                self.error(codes::E0109, message, token.span, what);
                return None;
            }
            token = self.lex_line();
            if !variadic && token.is(Punct::Ellipsis) {
                variadic = true;
                token = self.lex_line();
            }
            if token.is(Punct::RParen) {
                return Some((params, variadic));
            }
            if variadic || !token.is(Punct::Comma) {
                let message = format!("the parameters of macro `{}` are malformed", name.sym);
                let what =
                    if variadic { "`)` was expected here" } else { "`,` or `)` was expected here" };
                self.error(codes::E0109, message, token.span, what);
                return None;
            }
            token = self.lex_line();
        }
    }

    fn compile(&self, body: &[PTok], shape: &Shape<'_>) -> Result<Vec<Item>, BadBody> {
        let mut items = Vec::with_capacity(body.len());
        let mut at = 0;
        while let Some(token) = body.get(at) {
            let first = at == 0;
            let token = token.with_space(token.has(SPACE) && !first);
            at += 1;
            if shape.function && token.is(Punct::Hash) {
                let item = self.stringify(body, &mut at, &token, shape)?;
                items.push(item);
            } else if token.is(Punct::HashHash) {
                items.push(Item::Paste { comma: false, span: token.span });
            } else if let Some(index) = param_index(shape, &token) {
                items.push(Item::Param {
                    index,
                    raw: false,
                    space: token.has(SPACE),
                    span: token.span,
                });
            } else if shape.variadic && token.sym == self.names.known.va_opt {
                items.push(self.va_opt(body, &mut at, &token, shape, false)?);
            } else if token.kind == TokKind::Ident
                && token.sym == self.names.known.va_args
                && !self.in_foreign()
            {
                return Err(BadBody(
                    token.span,
                    "`__VA_ARGS__` stands only in macros with `...` in their parameters",
                ));
            } else {
                items.push(Item::Token(token));
            }
        }
        join_pastes(&mut items, shape)?;
        Ok(items)
    }

    /// `#param` or `#__VA_OPT__(…)`; `at` is just after the `#`.
    fn stringify(
        &self,
        body: &[PTok],
        at: &mut usize,
        hash: &PTok,
        shape: &Shape<'_>,
    ) -> Result<Item, BadBody> {
        let bad = BadBody(hash.span, "`#` must be followed by a parameter of the macro");
        let Some(token) = body.get(*at) else { return Err(bad) };
        *at += 1;
        if let Some(index) = param_index(shape, token) {
            return Ok(Item::Stringify { index, space: hash.has(SPACE), span: token.span });
        }
        if shape.variadic && token.sym == self.names.known.va_opt {
            return self.va_opt(body, at, &token.with_space(hash.has(SPACE)), shape, true);
        }
        Err(bad)
    }

    /// `__VA_OPT__(…)`; `at` is just after the name.
    fn va_opt(
        &self,
        body: &[PTok],
        at: &mut usize,
        name: &PTok,
        shape: &Shape<'_>,
        stringify: bool,
    ) -> Result<Item, BadBody> {
        let bad = BadBody(name.span, "`__VA_OPT__` needs a parenthesised text after it");
        if !body.get(*at).is_some_and(|token| token.is(Punct::LParen)) {
            return Err(bad);
        }
        let from = *at + 1;
        let mut depth = 0;
        for (n, token) in body.iter().enumerate().skip(*at) {
            if token.is(Punct::LParen) {
                depth += 1;
            } else if token.is(Punct::RParen) {
                depth -= 1;
            } else if token.kind == TokKind::Ident && token.sym == self.names.known.va_opt {
                return Err(BadBody(token.span, "`__VA_OPT__` cannot be nested"));
            }
            if depth == 0 {
                *at = n + 1;
                let items = self.compile(&body[from..n], shape)?;
                return Ok(Item::VaOpt {
                    items,
                    stringify,
                    space: name.has(SPACE),
                    span: name.span,
                });
            }
        }
        Err(bad)
    }
}

fn param_index(shape: &Shape<'_>, token: &PTok) -> Option<u32> {
    if token.kind != TokKind::Ident {
        return None;
    }
    shape.params.iter().position(|&param| param == token.sym).map(|n| n as u32)
}

/// Checks that every `##` has two operands, and marks parameters beside one as raw.
fn join_pastes(items: &mut [Item], shape: &Shape<'_>) -> Result<(), BadBody> {
    for at in 0..items.len() {
        let Item::Paste { span, .. } = items[at] else { continue };
        if at == 0 || at + 1 == items.len() {
            return Err(BadBody(span, "`##` cannot stand at the end of a macro's body"));
        }
        let last = shape.params.len().wrapping_sub(1) as u32;
        let after_comma = matches!(&items[at - 1], Item::Token(t) if t.is(Punct::Comma));
        let before_args = matches!(&items[at + 1], Item::Param { index, .. } if *index == last);
        let comma = shape.variadic && after_comma && before_args;
        items[at] = Item::Paste { comma, span };
        for side in [at - 1, at + 1] {
            if let Item::Param { raw, .. } = &mut items[side] {
                *raw = true;
            }
        }
    }
    Ok(())
}

fn mark_wanted(items: &[Item], wants: &mut [bool]) {
    for item in items {
        match item {
            Item::Param { index, raw: false, .. } => wants[*index as usize] = true,
            Item::VaOpt { items, .. } => {
                mark_wanted(items, wants);
                // Whether it appears depends on the expanded variable arguments.
                if let Some(last) = wants.last_mut() {
                    *last = true;
                }
            }
            _ => {}
        }
    }
}
