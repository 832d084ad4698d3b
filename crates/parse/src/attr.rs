//! `__attribute__((…))` and `[[…]]`.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use toft_ast::{Attr, AttrArg, Attrs, Expr, ExprKind, Ident, Punct, TokKind};
use toft_base::{Span, Symbol};

/// `__packed__` is `packed`.
pub(crate) fn plain_name(name: Symbol) -> Symbol {
    let text = name.as_str();
    if !text.starts_with('_') {
        return name;
    }
    let trimmed = text.trim_matches('_');
    if trimmed.is_empty() { name } else { Symbol::intern(trimmed) }
}

impl Parser<'_> {
    /// Takes all attributes that stand here.
    pub fn attributes(&mut self, attrs: &mut Attrs) -> PResult<()> {
        loop {
            if self.kw == Kw::Attribute {
                self.bump();
                let open = self.tok.span;
                self.expect(Punct::LParen, " after `__attribute__`")?;
                self.expect(Punct::LParen, " after `__attribute__`")?;
                self.attribute_list(attrs, Punct::RParen)?;
                self.close(Punct::RParen, open)?;
                self.close(Punct::RParen, open)?;
            } else if self.at(Punct::LBracket) && self.peek_is(1, Punct::LBracket) {
                let open = self.tok.span;
                self.bump();
                self.bump();
                self.attribute_list(attrs, Punct::RBracket)?;
                self.close(Punct::RBracket, open)?;
                self.close(Punct::RBracket, open)?;
            } else {
                return Ok(());
            }
        }
    }

    fn attribute_list(&mut self, attrs: &mut Attrs, end: Punct) -> PResult<()> {
        while !self.at(end) {
            if self.eat(Punct::Comma) {
                continue;
            }
            if self.tok.kind != TokKind::Ident {
                return Err(self.expected("an attribute"));
            }
            let attr = self.nested(Self::attribute)?;
            attrs.push(attr);
            if !self.at(end) {
                self.expect(Punct::Comma, " between attributes")?;
            }
        }
        Ok(())
    }

    /// `name`, `gnu::name`, `name(args)`.
    pub fn attribute(&mut self) -> PResult<Attr> {
        let lo = self.tok.span;
        let mut name = self.tok.sym;
        self.bump();
        if self.at(Punct::ColonColon) && self.peek(1).kind == TokKind::Ident {
            self.bump();
            name = self.tok.sym;
            self.bump();
        }
        let mut args = Vec::new();
        if self.at(Punct::LParen) {
            self.attribute_args(&mut args)?;
        }
        Ok(Attr { name: plain_name(name), args, span: self.since(lo) })
    }

    fn attribute_args(&mut self, args: &mut Vec<AttrArg>) -> PResult<()> {
        let open = self.tok.span;
        self.bump();
        while !self.at(Punct::RParen) {
            let alone = self.peek_is(1, Punct::Comma) || self.peek_is(1, Punct::RParen);
            if self.tok.kind == TokKind::Ident && alone {
                let ident = Ident { name: plain_name(self.tok.sym), span: self.tok.span };
                self.bump();
                args.push(AttrArg::Ident(ident));
            } else if self.starts_type_at(0) {
                let ty = self.type_name()?;
                let kind = ExprKind::Unsupported(Symbol::intern("a type in an attribute"));
                args.push(AttrArg::Expr(Expr { kind, span: ty.span }));
            } else {
                args.push(AttrArg::Expr(self.assign()?));
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)
    }

    /// Attributes stand here alone before a `;`: `[[fallthrough]];`.
    pub fn attribute_then_semi(&self) -> bool {
        let mut depth = 0usize;
        let mut n = usize::from(self.kw == Kw::Attribute);
        // Statement attributes are short; a longer run belongs to a declaration.
        while n < 64 {
            match self.peek(n).kind {
                TokKind::Punct(Punct::LParen | Punct::LBracket) => depth += 1,
                TokKind::Punct(Punct::RParen | Punct::RBracket) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.peek_is(n + 1, Punct::Semi);
                    }
                }
                TokKind::Eof => return false,
                _ => {}
            }
            n += 1;
        }
        false
    }

    /// `asm("name")` after a declarator.
    pub fn asm_label(&mut self) -> PResult<Option<Symbol>> {
        if self.kw != Kw::Asm {
            return Ok(None);
        }
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `asm`")?;
        let mut text = String::new();
        while self.tok.kind == TokKind::Str {
            text.push_str(unquoted(self.tok.sym));
            self.bump();
        }
        self.close(Punct::RParen, open)?;
        Ok(Some(Symbol::intern(&text)))
    }

    /// Any `asm …(…)` construct, skipped; its span.
    pub fn skip_asm(&mut self) -> PResult<Span> {
        let lo = self.tok.span;
        self.bump();
        while matches!(self.kw, Kw::Volatile | Kw::Inline | Kw::Goto | Kw::Const) {
            self.bump();
        }
        if !self.at(Punct::LParen) {
            return Err(self.expected("`(` after `asm`"));
        }
        let mut depth = 0usize;
        loop {
            match self.tok.kind {
                TokKind::Punct(Punct::LParen) => depth += 1,
                TokKind::Punct(Punct::RParen) => depth -= 1,
                TokKind::Eof | TokKind::Punct(Punct::Semi) => return Err(self.expected("`)`")),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(self.since(lo));
            }
        }
    }
}

/// The text between a string's quotes, escapes as they are.
pub(crate) fn unquoted(spelling: Symbol) -> &'static str {
    let text = spelling.as_str();
    let Some(start) = text.find('"') else { return text };
    text[start + 1..].strip_suffix('"').unwrap_or(&text[start + 1..])
}
