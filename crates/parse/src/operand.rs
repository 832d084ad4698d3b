//! Operands: names, literals, parentheses, initialiser lists, and the C forms that look like
//! calls.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use toft_ast::{
    Designator, Expr, ExprKind, GenericArm, Init, InitItem, InitList, Path, Punct, TokKind,
    TypeName,
};
use toft_base::{Span, Symbol};

impl Parser<'_> {
    pub fn operand(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let sym = self.tok.sym;
        let kind = match self.tok.kind {
            TokKind::Number => ExprKind::Number(sym),
            TokKind::Char => ExprKind::Char(sym),
            TokKind::Str => {
                let mut parts = Vec::with_capacity(1);
                while self.tok.kind == TokKind::Str {
                    parts.push((self.tok.sym, self.tok.span));
                    self.bump();
                }
                return Ok(self.make(lo, ExprKind::Str(parts)));
            }
            TokKind::Ident if self.kw == Kw::None => return self.name(),
            TokKind::Ident => return self.word(),
            TokKind::Punct(Punct::LParen) => return self.paren(),
            TokKind::Punct(Punct::ColonColon) => return self.name(),
            TokKind::Punct(Punct::Dollar) => return self.tuple(),
            TokKind::Punct(Punct::At) if self.peek_kw(1) == Kw::Assert => return self.assert(),
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        Ok(self.make(lo, kind))
    }

    /// A name used as a value, with explicit type arguments in `f@<int>`.
    fn name(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let path = self.path("an expression")?;
        let mut args = Vec::new();
        if self.at(Punct::At) && self.peek_is(1, Punct::Lt) {
            self.bump();
            args = self.type_args()?;
        } else if self.at(Punct::LBrace) && self.names_type(&path) {
            let ty = named_type(path);
            return self.compound_literal(lo, ty);
        }
        Ok(self.make(lo, ExprKind::Path(path, args.into())))
    }

    /// The name before a brace is a type's: a typedef, or the tag of a struct seen before.
    fn names_type(&self, path: &Path) -> bool {
        match self.scope.path_kind(path.global, &names(path)) {
            NameKind::Typedef => true,
            NameKind::Ordinary => false,
            NameKind::Unknown => {
                path.segments.last().is_some_and(|last| self.scope.is_tag(last.name))
            }
        }
    }

    /// A reserved or contextual word at the start of an operand.
    fn word(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let call = self.peek_is(1, Punct::LParen);
        let kind = match self.kw {
            Kw::True => ExprKind::Bool(true),
            Kw::False => ExprKind::Bool(false),
            Kw::Nullptr => ExprKind::Null,
            Kw::Null if self.word_is_free(0) => ExprKind::Null,
            Kw::Generic => return self.generic(),
            Kw::BuiltinOffsetof => return self.offsetof(),
            Kw::Offsetof if call && self.word_is_free(0) => return self.offsetof(),
            Kw::BuiltinVaArg => return self.va_arg(),
            Kw::VaArg if call && self.word_is_free(0) => return self.va_arg(),
            Kw::BuiltinTypes => return self.builtin_types(),
            Kw::Valueof if call && self.peek(2).kind == TokKind::TyVar => return self.valueof(),
            Kw::Numelts | Kw::Tagcheck if call && self.word_is_free(0) => {
                return self.toft_call();
            }
            Kw::Asm => {
                self.skip_asm()?;
                return Ok(self.make(lo, ExprKind::Unsupported(Symbol::intern("asm"))));
            }
            kw if kw.is_reserved() => {
                if self.starts_type_at(0) && kw != Kw::Attribute {
                    let message = "a type stands where a value is expected";
                    let span = self.tok.span;
                    return Err(self.error_at(
                        toft_diag::codes::E0201,
                        span,
                        message,
                        "expected an expression",
                    ));
                }
                return Err(self.expected("an expression"));
            }
            _ => return self.name(),
        };
        self.bump();
        Ok(self.make(lo, kind))
    }

    /// `( e )` or `({ … })`.
    fn paren(&mut self) -> PResult<Expr> {
        let open = self.tok.span;
        self.bump();
        if self.at(Punct::LBrace) {
            let block = self.nested(Self::block)?;
            self.close(Punct::RParen, open)?;
            return Ok(self.make(open, ExprKind::StmtExpr(Box::new(block))));
        }
        let inner = match self.expr() {
            Ok(inner) => {
                self.close(Punct::RParen, open)?;
                inner
            }
            Err(reported) => {
                if !self.skip_past_close(Punct::RParen) {
                    return Err(reported);
                }
                return Ok(self.make(open, ExprKind::Error));
            }
        };
        Ok(self.make(open, ExprKind::Paren(Box::new(inner))))
    }

    /// `(T){ … }` after the type.
    pub fn compound_literal(&mut self, lo: Span, ty: TypeName) -> PResult<Expr> {
        let list = self.nested(Self::init_list)?;
        Ok(self.make(lo, ExprKind::CompoundLiteral(Box::new(ty), Box::new(list))))
    }

    /// `{ … }` where a value stands: a list or a comprehension.
    pub fn braced_value(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        Ok(match self.init_inner()? {
            Init::Expr(expr) => expr,
            Init::List(list) => self.make(lo, ExprKind::Init(Box::new(list))),
        })
    }

    /// What follows `=` in a declaration, and an item of a list.
    pub fn init(&mut self) -> PResult<Init> {
        if self.at(Punct::LBrace) {
            self.nested(Self::init_inner)
        } else {
            Ok(Init::Expr(self.assign()?))
        }
    }

    fn init_inner(&mut self) -> PResult<Init> {
        if self.peek_kw(1) == Kw::For {
            return Ok(Init::Expr(self.comprehension()?));
        }
        Ok(Init::List(self.init_list()?))
    }

    /// `{ a, .x = b, [2] = c }`; the current token is `{`.
    pub fn init_list(&mut self) -> PResult<InitList> {
        let open = self.tok.span;
        self.bump();
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            match self.init_item() {
                Ok(item) => items.push(item),
                Err(reported) => {
                    if self.skip_past_close(Punct::Comma) {
                        continue;
                    }
                    if !self.at(Punct::RBrace) {
                        return Err(reported);
                    }
                }
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RBrace, open)?;
        Ok(InitList { items, span: self.since(open) })
    }

    fn init_item(&mut self) -> PResult<InitItem> {
        let mut designators = Vec::new();
        if self.at_name() && self.peek_is(1, Punct::Colon) {
            // The old GNU form `x: value`.
            designators.push(Designator::Field(self.ident("a member")?));
            self.bump();
        } else if self.at(Punct::Dot) || self.at(Punct::LBracket) {
            self.designators(&mut designators)?;
            // The old GNU form `[2] value` needs no `=`.
            if !self.eat(Punct::Eq) && !matches!(designators.last(), Some(Designator::Index(_))) {
                self.expect(Punct::Eq, " after a designator")?;
            }
        }
        Ok(InitItem { designators, value: self.init()? })
    }

    fn designators(&mut self, list: &mut Vec<Designator>) -> PResult<()> {
        loop {
            let open = self.tok.span;
            if self.eat(Punct::Dot) {
                list.push(Designator::Field(self.ident("a member's name")?));
            } else if self.eat(Punct::LBracket) {
                let first = self.assign()?;
                if self.eat(Punct::Ellipsis) {
                    list.push(Designator::Range(first, self.assign()?));
                } else {
                    list.push(Designator::Index(first));
                }
                self.close(Punct::RBracket, open)?;
            } else {
                return Ok(());
            }
        }
    }

    /// `_Generic(e, T: a, default: b)`.
    fn generic(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `_Generic`")?;
        let subject = self.assign()?;
        let mut arms = Vec::new();
        while self.eat(Punct::Comma) {
            let ty = if self.eat_kw(Kw::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon, " after the type")?;
            arms.push(GenericArm { ty, expr: self.assign()? });
        }
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::Generic(Box::new(subject), arms)))
    }

    fn offsetof(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `offsetof`")?;
        let ty = self.type_name()?;
        self.expect(Punct::Comma, " after the type")?;
        let mut path = vec![Designator::Field(self.ident("a member's name")?)];
        self.designators(&mut path)?;
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::Offsetof(Box::new(ty), path)))
    }

    fn va_arg(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `va_arg`")?;
        let list = self.assign()?;
        self.expect(Punct::Comma, " and a type")?;
        let ty = self.type_name()?;
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::VaArg(Box::new(list), Box::new(ty))))
    }

    fn builtin_types(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let name = self.tok.sym;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, "")?;
        let mut types = vec![self.type_name()?];
        while self.eat(Punct::Comma) {
            types.push(self.type_name()?);
        }
        self.close(Punct::RParen, open)?;
        Ok(self.make(lo, ExprKind::BuiltinTypes(name, types)))
    }
}

fn names(path: &toft_ast::Path) -> Vec<Symbol> {
    path.segments.iter().map(|ident| ident.name).collect()
}

/// The type that a name alone gives.
pub(crate) fn named_type(path: toft_ast::Path) -> TypeName {
    let span = path.span;
    TypeName {
        spec: toft_ast::TypeSpec {
            kind: toft_ast::TypeSpecKind::Named(path, Vec::new()),
            quals: Default::default(),
            align: Vec::new(),
            span,
        },
        declarator: toft_ast::Declarator {
            name: None,
            ty_params: Vec::new(),
            derived: Vec::new(),
            attrs: Vec::new(),
            span: span.after(),
        },
        span,
    }
}
