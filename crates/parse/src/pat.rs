//! Patterns: in `case`, `let`, `catch`.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use toft_ast::{Expr, ExprKind, FieldPat, Ident, Pat, PatKind, Punct, TokKind, TyVar};
use toft_base::Span;

impl Parser<'_> {
    pub fn pattern(&mut self) -> PResult<Pat> {
        self.nested(Self::pattern_inner)
    }

    fn pattern_inner(&mut self) -> PResult<Pat> {
        let lo = self.tok.span;
        let kind = match self.tok.kind {
            TokKind::Punct(Punct::Ellipsis) => {
                self.bump();
                PatKind::Rest
            }
            TokKind::Punct(Punct::Star) => {
                self.bump();
                let name = self.ident("a variable after `*`")?;
                self.scope.declare(name.name, NameKind::Ordinary);
                PatKind::Ref(name)
            }
            TokKind::Punct(Punct::Amp) => {
                self.bump();
                PatKind::AddrOf(Box::new(self.pattern()?))
            }
            TokKind::Punct(Punct::Dollar) if !self.starts_type_at(0) => {
                self.bump();
                let open = self.tok.span;
                self.expect(Punct::LParen, " after `$`")?;
                PatKind::Tuple(self.patterns(open)?)
            }
            TokKind::Punct(Punct::LBrace) => {
                let (exists, fields) = self.record_pattern()?;
                PatKind::Record(None, exists, fields)
            }
            TokKind::Punct(Punct::ColonColon) => self.named_pattern(lo)?,
            TokKind::Ident if self.kw == Kw::Nullptr || self.at_word(Kw::Null) => {
                self.bump();
                PatKind::Null
            }
            TokKind::Ident if self.kw == Kw::Underscore => {
                self.bump();
                PatKind::Wild
            }
            TokKind::Ident if !self.kw.is_reserved() => self.named_pattern(lo)?,
            _ if self.starts_type_at(0) => self.typed_pattern()?,
            _ => {
                let value = self.below_and()?;
                self.constant(lo, value)?
            }
        };
        Ok(Pat { kind, span: self.since(lo) })
    }

    /// A constant in a pattern, after its first part: the rest of it, or a range.
    fn constant(&mut self, lo: Span, value: Expr) -> PResult<PatKind> {
        let value = self.cond_rest(lo, value)?;
        if self.eat(Punct::Ellipsis) {
            let last = self.below_and()?;
            return Ok(PatKind::Range(Box::new(value), Box::new(last)));
        }
        Ok(PatKind::Const(Box::new(value)))
    }

    /// What a pattern that begins with a name is.
    fn named_pattern(&mut self, lo: Span) -> PResult<PatKind> {
        let (kind, at) = self.path_at(0);
        let single = at == 1;
        if single && self.peek_kw(1) == Kw::As && !self.peek_is(2, Punct::Colon) {
            let name = self.ident("a variable")?;
            self.bump();
            self.scope.declare(name.name, NameKind::Ordinary);
            return Ok(PatKind::As(name, Box::new(self.pattern()?)));
        }
        let next = self.peek(at);
        let names_type = kind == NameKind::Typedef || self.starts_type_at(0);
        let typed = match next.kind {
            TokKind::Ident => !self.peek_kw(at).is_reserved() || names_type,
            TokKind::Punct(Punct::Star | Punct::At | Punct::Question) => names_type,
            TokKind::Punct(Punct::Lt) => names_type && !self.args_then_paren(at),
            _ => false,
        };
        if typed {
            return self.typed_pattern();
        }
        let path = self.path("a pattern")?;
        match self.tok.kind {
            TokKind::Punct(Punct::LParen) => {
                let open = self.tok.span;
                self.bump();
                let parts = self.patterns(open)?;
                Ok(PatKind::Variant(path, Vec::new(), parts))
            }
            TokKind::Punct(Punct::LBrace) => {
                let (exists, fields) = self.record_pattern()?;
                Ok(PatKind::Record(Some(path), exists, fields))
            }
            TokKind::Punct(Punct::Lt) if self.peek(1).kind == TokKind::TyVar => {
                let exists = self.tyvar_list(&mut Vec::new())?;
                if self.at(Punct::LBrace) {
                    let (_, fields) = self.record_pattern()?;
                    return Ok(PatKind::Record(Some(path), exists, fields));
                }
                let open = self.tok.span;
                self.expect(Punct::LParen, " and the variant's fields")?;
                let parts = self.patterns(open)?;
                Ok(PatKind::Variant(path, exists, parts))
            }
            _ => {
                let operator = self.at_infix_below_and()
                    || self.at(Punct::Ellipsis)
                    || self.at(Punct::Question);
                if operator {
                    let span = path.span;
                    let first = Expr { kind: ExprKind::Path(path, Default::default()), span };
                    let value = self.continue_below_and(lo, first)?;
                    return self.constant(lo, value);
                }
                if let [name] = &path.segments[..]
                    && !path.global
                    && kind == NameKind::Unknown
                {
                    self.scope.declare(name.name, NameKind::Ordinary);
                }
                Ok(PatKind::Name(path))
            }
        }
    }

    /// `<…>` at `at` ends in `>(` or `>{`: existential variables of a variant.
    fn args_then_paren(&self, mut at: usize) -> bool {
        at += 1;
        loop {
            match self.peek(at).kind {
                TokKind::TyVar | TokKind::Punct(Punct::Comma | Punct::ColonColon) => {}
                TokKind::Ident if self.peek_is(at - 1, Punct::ColonColon) => {}
                TokKind::Punct(Punct::Gt) => {
                    return self.peek_is(at + 1, Punct::LParen)
                        || self.peek_is(at + 1, Punct::LBrace);
                }
                _ => return false,
            }
            at += 1;
        }
    }

    /// `T *x`.
    fn typed_pattern(&mut self) -> PResult<PatKind> {
        let (ty, name) = self.typed_name()?;
        self.scope.declare(name.name, NameKind::Ordinary);
        Ok(PatKind::Typed(Box::new(ty), name))
    }

    /// `p, q)`.
    fn patterns(&mut self, open: Span) -> PResult<Vec<Pat>> {
        let mut list = Vec::new();
        while !self.at(Punct::RParen) {
            list.push(self.pattern()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(list)
    }

    /// `{<'r> .x = p, q}`; the current token is `{`.
    fn record_pattern(&mut self) -> PResult<(Vec<TyVar>, Vec<FieldPat>)> {
        let open = self.tok.span;
        self.bump();
        let exists =
            if self.at(Punct::Lt) { self.tyvar_list(&mut Vec::new())? } else { Vec::new() };
        let mut fields = Vec::new();
        while !self.at(Punct::RBrace) {
            let mut name: Option<Ident> = None;
            if self.eat(Punct::Dot) {
                name = Some(self.ident("a member's name")?);
                self.expect(Punct::Eq, " and a pattern")?;
            }
            fields.push(FieldPat { name, pat: self.pattern()? });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RBrace, open)?;
        Ok((exists, fields))
    }
}
