//! Type variables, aliasabilities, effects, constraints, and arguments in `<…>`.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use toft_ast::{Aqual, AqualName, Constraint, Effect, Kind, Punct, TokKind, TyVar, TypeArg};
use toft_diag::codes;

impl Parser<'_> {
    pub fn at_tyvar(&self) -> bool {
        self.tok.kind == TokKind::TyVar
    }

    /// `'r`, without what may follow it.
    pub fn bare_tyvar(&mut self) -> PResult<TyVar> {
        if !self.at_tyvar() {
            return Err(self.expected("a type variable such as `'a`"));
        }
        let ty = TyVar { name: self.tok.sym, kind: None, bound: None, span: self.tok.span };
        self.bump();
        Ok(ty)
    }

    /// `'a`, `'a::R`, `'a\U`.
    pub fn tyvar(&mut self) -> PResult<TyVar> {
        let mut ty = self.bare_tyvar()?;
        if self.eat(Punct::ColonColon) {
            ty.kind = Some(self.kind()?);
        }
        if self.tok.kind == TokKind::Aqual {
            ty.bound = Some(self.aqual_name()?);
        }
        ty.span = self.since(ty.span);
        Ok(ty)
    }

    fn kind(&mut self) -> PResult<Kind> {
        let kind = match self.tok.sym.as_str() {
            "A" | "TA" => Kind::Any,
            "B" | "TB" => Kind::Word,
            "R" | "TR" => Kind::Region,
            "E" => Kind::Effect,
            "I" => Kind::Int,
            "Q" => Kind::Aqual,
            _ => return Err(self.expected("a kind: `A`, `B`, `R`, `E`, `I` or `Q`")),
        };
        self.bump();
        Ok(kind)
    }

    /// `\U`, `\A`, `\RC`, `\T`.
    pub fn aqual_name(&mut self) -> PResult<AqualName> {
        let name = match self.tok.sym.as_str() {
            "A" => AqualName::Aliasable,
            "U" => AqualName::Unique,
            "RC" => AqualName::Counted,
            "T" => AqualName::Top,
            _ => {
                let message = format!("`\\{}` is no aliasability", self.tok.sym);
                let span = self.tok.span;
                return Err(self.error_at(
                    codes::E0204,
                    span,
                    &message,
                    "expected `\\A`, `\\U`, `\\RC` or `\\T`",
                ));
            }
        };
        self.bump();
        Ok(name)
    }

    /// An aliasability spelled as a word: `UNIQUE`, `U`, …
    pub fn aqual_word(&self) -> Option<AqualName> {
        match self.kw {
            Kw::AqualA => Some(AqualName::Aliasable),
            Kw::AqualU => Some(AqualName::Unique),
            Kw::AqualRc => Some(AqualName::Counted),
            Kw::AqualTop => Some(AqualName::Top),
            _ => None,
        }
    }

    /// What stands in `@aqual(…)`.
    pub fn aqual(&mut self) -> PResult<Aqual> {
        let span = self.tok.span;
        if self.tok.kind == TokKind::Aqual {
            return Ok(Aqual::Name(self.aqual_name()?, span));
        }
        if let Some(name) = self.aqual_word() {
            self.bump();
            return Ok(Aqual::Name(name, span));
        }
        if self.at_tyvar() {
            return Ok(Aqual::Var(self.tyvar()?));
        }
        Err(self.expected("an aliasability: `ALIASABLE`, `UNIQUE`, `REFCNT`, `TOP` or a variable"))
    }

    /// The current tokens may be an effect: `{'r}`, `{}`, `'e`.
    pub fn effect(&mut self) -> PResult<Effect> {
        let lo = self.tok.span;
        let mut vars = Vec::new();
        loop {
            let open = self.tok.span;
            if self.eat(Punct::LBrace) {
                while !self.at(Punct::RBrace) {
                    vars.push(self.tyvar()?);
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
                self.close(Punct::RBrace, open)?;
            } else if self.at_tyvar() {
                vars.push(self.tyvar()?);
            } else {
                return Err(self.expected("an effect such as `{'r}`"));
            }
            if !self.eat(Punct::Plus) {
                break;
            }
        }
        Ok(Effect { vars, span: self.since(lo) })
    }

    /// `'r > 's, single('r)` (after the colon).
    pub fn constraints(&mut self) -> PResult<Vec<Constraint>> {
        let mut list = Vec::new();
        loop {
            if self.kw == Kw::Single && self.peek_is(1, Punct::LParen) {
                self.bump();
                let open = self.tok.span;
                self.bump();
                list.push(Constraint::Single(self.tyvar()?));
                self.close(Punct::RParen, open)?;
            } else {
                let longer = self.effect()?;
                self.expect(Punct::Gt, " between two regions")?;
                list.push(Constraint::Outlives(longer, self.tyvar()?));
            }
            if !self.eat(Punct::Comma) {
                return Ok(list);
            }
        }
    }

    /// `<'a, 'r::R>`, with `: 'a > 'r` before the `>` where allowed; the current token is `<`.
    pub fn tyvar_list(&mut self, constraints: &mut Vec<Constraint>) -> PResult<Vec<TyVar>> {
        let open = self.tok.span;
        self.bump();
        let mut vars = Vec::new();
        while self.at_tyvar() {
            vars.push(self.tyvar()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if self.eat(Punct::Colon) {
            constraints.extend(self.constraints()?);
        }
        self.close_angle(open)?;
        Ok(vars)
    }

    /// `>` of a list opened at `open`, also as the first half of `>>`.
    pub fn close_angle(&mut self, open: toft_base::Span) -> PResult<()> {
        if self.eat_gt() { Ok(()) } else { self.close(Punct::Gt, open) }
    }

    /// `<int, 'r, \U, valueof('n), {'r, 's}>`; the current token is `<`.
    pub fn type_args(&mut self) -> PResult<Vec<TypeArg>> {
        let open = self.tok.span;
        self.bump();
        let mut args = Vec::new();
        loop {
            args.push(self.nested(Self::type_arg)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_angle(open)?;
        Ok(args)
    }

    /// `<T>`: exactly one argument.
    pub fn one_type_arg(&mut self) -> PResult<Box<TypeArg>> {
        let open = self.tok.span;
        self.expect(Punct::Lt, " and a type argument")?;
        let arg = self.nested(Self::type_arg)?;
        self.close_angle(open)?;
        Ok(Box::new(arg))
    }

    pub fn type_arg(&mut self) -> PResult<TypeArg> {
        let span = self.tok.span;
        match self.tok.kind {
            TokKind::Aqual => return Ok(TypeArg::Aqual(Aqual::Name(self.aqual_name()?, span))),
            TokKind::Punct(Punct::LBrace) => return Ok(TypeArg::Effect(self.effect()?)),
            TokKind::TyVar if self.peek_is(1, Punct::Plus) => {
                return Ok(TypeArg::Effect(self.effect()?));
            }
            TokKind::Number
            | TokKind::Char
            | TokKind::Punct(Punct::LParen | Punct::Minus | Punct::Tilde) => {
                return Ok(TypeArg::Int(self.additive()?));
            }
            _ => {}
        }
        let one_word = self.peek_is(1, Punct::Comma)
            || self.peek_is(1, Punct::Gt)
            || self.peek_is(1, Punct::Shr);
        if let Some(name) = self.aqual_word()
            && one_word
            && self.word_is_free(0)
        {
            self.bump();
            return Ok(TypeArg::Aqual(Aqual::Name(name, span)));
        }
        if matches!(self.kw, Kw::Valueof | Kw::Sizeof | Kw::Alignof | Kw::True | Kw::False) {
            return Ok(TypeArg::Int(self.additive()?));
        }
        if self.at_name() && !self.starts_type_at(0) {
            // A constant's name, or a type that is not declared: the resolver says which.
            let follows = self.peek(1).kind;
            let named_type =
                matches!(follows, TokKind::Punct(Punct::Star | Punct::At | Punct::Question));
            if !named_type {
                return Ok(TypeArg::Int(self.additive()?));
            }
        }
        Ok(TypeArg::Type(self.type_name()?))
    }
}
