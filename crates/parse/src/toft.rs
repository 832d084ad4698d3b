//! Toft's own expressions: `new`, comprehensions, tuples, `@assert`, `valueof`, `numelts`,
//! `tagcheck`.

use crate::keyword::Kw;
use crate::operand::named_type;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use toft_ast::{Comprehension, Expr, ExprKind, Ident, Init, NewExpr, Path, Punct, TokKind};
use toft_base::Symbol;
use toft_diag::{Diagnostic, codes};

impl Parser<'_> {
    /// The current word (`new`, `throw`, …) stands before an operand, so it is Toft's: a
    /// plain name would be followed by an operator or a separator.
    pub fn word_takes_operand(&self) -> bool {
        let next = self.peek(1);
        let operand = match next.kind {
            TokKind::Ident => !self.peek_kw(1).is_stmt(),
            TokKind::Number | TokKind::Char | TokKind::Str | TokKind::TyVar => true,
            TokKind::Punct(punct) => match self.kw {
                Kw::Rnew | Kw::Qnew => punct == Punct::LParen,
                _ => matches!(
                    punct,
                    Punct::LParen
                        | Punct::LBrace
                        | Punct::Dollar
                        | Punct::Star
                        | Punct::Amp
                        | Punct::Minus
                        | Punct::Bang
                        | Punct::Tilde
                        | Punct::ColonColon
                        | Punct::At
                ),
            },
            _ => false,
        };
        operand && self.word_is_free(0)
    }

    /// `new e`, `rnew(h) e`, `rnew(h, q) e`, `qnew(q) e`.
    pub fn new_expr(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let word = self.kw;
        self.bump();
        let (mut region, mut qual) = (None, None);
        if word != Kw::New {
            let open = self.tok.span;
            self.expect(Punct::LParen, "")?;
            if word == Kw::Rnew {
                region = Some(self.assign()?);
                if self.eat(Punct::Comma) {
                    qual = Some(self.qualifier_value()?);
                }
            } else {
                qual = Some(self.qualifier_value()?);
            }
            self.close(Punct::RParen, open)?;
        }
        let init = self.nested(Self::new_init)?;
        Ok(self.make(lo, ExprKind::New(Box::new(NewExpr { region, qual, init }))))
    }

    /// `unique_qual`, or `\U` for short.
    fn qualifier_value(&mut self) -> PResult<Expr> {
        if self.tok.kind != TokKind::Aqual {
            return self.assign();
        }
        let span = self.tok.span;
        let name = match self.aqual_name()? {
            toft_ast::AqualName::Unique => "unique_qual",
            toft_ast::AqualName::Aliasable => "alias_qual",
            toft_ast::AqualName::Counted => "refcnt_qual",
            toft_ast::AqualName::Top => return Err(self.top_value(span)),
        };
        let ident = Ident { name: Symbol::intern(name), span };
        let path = Path { global: true, segments: ident.into(), span };
        Ok(Expr { kind: ExprKind::Path(path, Default::default()), span })
    }

    fn top_value(&mut self, span: toft_base::Span) -> toft_diag::Reported {
        let message = "nothing can be allocated as `\\T`";
        self.report(
            Diagnostic::error(codes::E0204, message, span, "").help("use `\\A`, `\\U` or `\\RC`"),
        )
    }

    fn new_init(&mut self) -> PResult<Init> {
        if self.at(Punct::LBrace) {
            return self.init();
        }
        let lo = self.tok.span;
        // `new T{…}`, also with `struct T` and with a name that is not known here.
        let unknown_literal = self.at_name() && {
            let (kind, at) = self.path_at(0);
            kind == NameKind::Unknown && self.peek_is(at, Punct::LBrace)
        };
        if unknown_literal {
            let path = self.path("a type")?;
            let literal = self.compound_literal(lo, named_type(path))?;
            return Ok(Init::Expr(literal));
        }
        if self.starts_type_at(0) {
            self.no_body = true;
            let ty = self.type_name();
            self.no_body = false;
            let ty = ty?;
            if !self.at(Punct::LBrace) {
                return Err(self.expected("the value: `{ … }` after the type"));
            }
            return Ok(Init::Expr(self.compound_literal(lo, ty)?));
        }
        Ok(Init::Expr(self.logical_or()?))
    }

    /// `{for i < n : e}`; the current token is `{`.
    pub fn comprehension(&mut self) -> PResult<Expr> {
        let open = self.tok.span;
        self.bump();
        self.bump();
        if self.starts_type_at(0) && !self.peek_is(1, Punct::Lt) {
            // Cyclone writes the index's type; it is always that of the bound.
            self.specs(crate::types::SpecCtx::Type)?;
        }
        let var = self.ident("the index variable")?;
        self.expect(Punct::Lt, " and the number of elements")?;
        let bound = self.cond()?;
        self.expect(Punct::Colon, " and the element's value")?;
        self.scope.push();
        self.scope.declare(var.name, NameKind::Ordinary);
        let body = self.init();
        self.scope.pop();
        let body = body?;
        self.close(Punct::RBrace, open)?;
        let span = self.since(open);
        let comprehension = Comprehension { var, bound, body, span };
        Ok(Expr { kind: ExprKind::Comprehension(Box::new(comprehension)), span })
    }

    /// `$(a, b)`.
    pub fn tuple(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `$`")?;
        let mut parts = Vec::new();
        while !self.at(Punct::RParen) {
            parts.push(self.assign_or_list()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::Tuple(parts)))
    }

    /// `@assert(e)`.
    pub fn assert(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        self.bump();
        let cond = self.paren_expr(" after `@assert`")?;
        Ok(self.make(lo, ExprKind::Assert(Box::new(cond))))
    }

    /// `valueof('n)`.
    pub fn valueof(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.bump();
        let var = self.tyvar()?;
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::Valueof(Box::new(var))))
    }

    /// `numelts(p)`, `tagcheck(u.m)`.
    pub fn toft_call(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let numelts = self.kw == Kw::Numelts;
        self.bump();
        let subject = Box::new(self.paren_expr("")?);
        let kind = if numelts { ExprKind::Numelts(subject) } else { ExprKind::Tagcheck(subject) };
        Ok(self.make(lo, kind))
    }
}
