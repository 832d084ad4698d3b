//! Expressions: operators, by precedence.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use toft_ast::{BinOp, Expr, ExprKind, IncDec, Punct, TokKind, UnOp};
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};

/// What a binary operator makes.
#[derive(Clone, Copy)]
enum Infix {
    Op(BinOp),
    And,
    Or,
}

/// Binding strengths; a higher one binds tighter.
mod strength {
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const BIT_OR: u8 = 3;
    pub const ADDITIVE: u8 = 9;
}

#[inline]
fn infix(kind: TokKind) -> Option<(u8, Infix)> {
    let TokKind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::PipePipe => (strength::OR, Infix::Or),
        Punct::AmpAmp => (strength::AND, Infix::And),
        Punct::Pipe => (strength::BIT_OR, Infix::Op(BinOp::BitOr)),
        Punct::Caret => (4, Infix::Op(BinOp::BitXor)),
        Punct::Amp => (5, Infix::Op(BinOp::BitAnd)),
        Punct::EqEq => (6, Infix::Op(BinOp::Eq)),
        Punct::Ne => (6, Infix::Op(BinOp::Ne)),
        Punct::Lt => (7, Infix::Op(BinOp::Lt)),
        Punct::Gt => (7, Infix::Op(BinOp::Gt)),
        Punct::Le => (7, Infix::Op(BinOp::Le)),
        Punct::Ge => (7, Infix::Op(BinOp::Ge)),
        Punct::Shl => (8, Infix::Op(BinOp::Shl)),
        Punct::Shr => (8, Infix::Op(BinOp::Shr)),
        Punct::Plus => (strength::ADDITIVE, Infix::Op(BinOp::Add)),
        Punct::Minus => (strength::ADDITIVE, Infix::Op(BinOp::Sub)),
        Punct::Star => (10, Infix::Op(BinOp::Mul)),
        Punct::Slash => (10, Infix::Op(BinOp::Div)),
        Punct::Percent => (10, Infix::Op(BinOp::Rem)),
        _ => return None,
    })
}

fn assign_op(kind: TokKind) -> Option<BinOp> {
    let TokKind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::PlusEq => BinOp::Add,
        Punct::MinusEq => BinOp::Sub,
        Punct::StarEq => BinOp::Mul,
        Punct::SlashEq => BinOp::Div,
        Punct::PercentEq => BinOp::Rem,
        Punct::AmpEq => BinOp::BitAnd,
        Punct::PipeEq => BinOp::BitOr,
        Punct::CaretEq => BinOp::BitXor,
        Punct::ShlEq => BinOp::Shl,
        Punct::ShrEq => BinOp::Shr,
        _ => return None,
    })
}

impl Parser<'_> {
    #[inline]
    pub fn make(&self, lo: Span, kind: ExprKind) -> Expr {
        Expr { kind, span: self.since(lo) }
    }

    /// An expression, comma operators included.
    pub fn expr(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let mut left = self.assign()?;
        while self.eat(Punct::Comma) {
            let right = self.assign()?;
            self.chain()?;
            left = self.make(lo, ExprKind::Comma(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    /// An expression without a comma operator outside parentheses.
    pub fn assign(&mut self) -> PResult<Expr> {
        self.nested(Self::assign_inner)
    }

    fn assign_inner(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        if self.kw == Kw::Throw && self.word_takes_operand() {
            self.bump();
            let value = self.assign()?;
            return Ok(self.make(lo, ExprKind::Throw(Box::new(value))));
        }
        let left = self.cond_inner()?;
        let kind = match self.tok.kind {
            TokKind::Punct(Punct::Eq) => {
                self.bump();
                let right = self.assign_or_list()?;
                ExprKind::Assign(Box::new(left), Box::new(right))
            }
            TokKind::Punct(Punct::Swap) => {
                self.bump();
                let right = self.assign()?;
                ExprKind::Swap(Box::new(left), Box::new(right))
            }
            kind => match assign_op(kind) {
                Some(op) => {
                    self.bump();
                    let right = self.assign()?;
                    ExprKind::AssignOp(op, Box::new(left), Box::new(right))
                }
                None => return Ok(left),
            },
        };
        Ok(self.make(lo, kind))
    }

    /// An expression, or an initialiser list where the language lets one stand for a value.
    pub fn assign_or_list(&mut self) -> PResult<Expr> {
        if self.at(Punct::LBrace) { self.nested(Self::braced_value) } else { self.assign() }
    }

    /// A constant expression: no assignment, no comma.
    pub fn cond(&mut self) -> PResult<Expr> {
        self.nested(Self::cond_inner)
    }

    fn cond_inner(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let test = self.binary(strength::OR)?;
        self.cond_rest(lo, test)
    }

    /// What follows the condition of `?:`.
    pub fn cond_rest(&mut self, lo: Span, test: Expr) -> PResult<Expr> {
        if !self.at(Punct::Question) {
            return Ok(test);
        }
        let question = self.tok.span;
        self.bump();
        self.chain()?;
        let then = if self.at(Punct::Colon) { None } else { Some(Box::new(self.expr()?)) };
        if !self.eat(Punct::Colon) {
            let diagnostic = Diagnostic::error(
                codes::E0201,
                "this `?` has no `:`",
                self.tok.span,
                "expected `:`",
            )
            .label(question, "the condition ends here");
            return Err(self.report(diagnostic));
        }
        let throws = self.kw == Kw::Throw && self.word_takes_operand();
        let other = if throws { self.assign()? } else { self.cond()? };
        Ok(self.make(lo, ExprKind::Cond(Box::new(test), then, Box::new(other))))
    }

    /// What may be a constant in a pattern: anything that binds tighter than `&&`.
    pub fn below_and(&mut self) -> PResult<Expr> {
        self.nested(|parser| parser.binary(strength::BIT_OR))
    }

    /// What `new` takes: anything up to `||`.
    pub fn logical_or(&mut self) -> PResult<Expr> {
        self.nested(|parser| parser.binary(strength::OR))
    }

    /// An integer in `<…>`: nothing with `<`, `>` or a shift.
    pub fn additive(&mut self) -> PResult<Expr> {
        self.nested(|parser| parser.binary(strength::ADDITIVE))
    }

    fn binary(&mut self, least: u8) -> PResult<Expr> {
        let lo = self.tok.span;
        let left = self.unary()?;
        self.binary_rest(lo, left, least)
    }

    /// Goes on after a left operand that was parsed already, inside a pattern.
    pub fn continue_below_and(&mut self, lo: Span, left: Expr) -> PResult<Expr> {
        self.binary_rest(lo, left, strength::BIT_OR)
    }

    /// The current token is an operator that binds tighter than `&&`.
    pub fn at_infix_below_and(&self) -> bool {
        infix(self.tok.kind).is_some_and(|(strength, _)| strength >= strength::BIT_OR)
    }

    fn binary_rest(&mut self, lo: Span, mut left: Expr, least: u8) -> PResult<Expr> {
        while let Some((strength, op)) = infix(self.tok.kind) {
            if strength < least {
                break;
            }
            self.bump();
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            self.chain()?;
            let (left_box, right_box) = (Box::new(left), Box::new(right));
            let kind = match op {
                Infix::Op(op) => ExprKind::Binary(op, left_box, right_box),
                Infix::And => ExprKind::LogicalAnd(left_box, right_box),
                Infix::Or => ExprKind::LogicalOr(left_box, right_box),
            };
            left = self.make(lo, kind);
        }
        Ok(left)
    }

    /// The operand of a prefix operator.
    fn operand_of_prefix(&mut self) -> PResult<Box<Expr>> {
        Ok(Box::new(self.nested(Self::unary)?))
    }

    /// A cast or unary expression.
    pub fn unary(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        match self.tok.kind {
            TokKind::Punct(Punct::LParen) => self.cast_or_paren(),
            TokKind::Punct(punct) => {
                let op = match punct {
                    Punct::Plus => UnOp::Plus,
                    Punct::Minus => UnOp::Neg,
                    Punct::Bang => UnOp::Not,
                    Punct::Tilde => UnOp::BitNot,
                    Punct::Star => UnOp::Deref,
                    Punct::Amp => UnOp::AddrOf,
                    Punct::PlusPlus | Punct::MinusMinus => {
                        self.bump();
                        let step = if punct == Punct::PlusPlus { IncDec::Inc } else { IncDec::Dec };
                        let operand = self.operand_of_prefix()?;
                        return Ok(self.make(lo, ExprKind::PreIncDec(step, operand)));
                    }
                    Punct::AmpAmp => {
                        self.bump();
                        self.ident("a label")?;
                        let what = Symbol::intern("the address of a label");
                        return Ok(self.make(lo, ExprKind::Unsupported(what)));
                    }
                    _ => return self.postfix(),
                };
                self.bump();
                let operand = self.operand_of_prefix()?;
                Ok(self.make(lo, ExprKind::Unary(op, operand)))
            }
            TokKind::Ident if self.kw != Kw::None => match self.kw {
                Kw::Sizeof => self.sizeof(),
                Kw::Alignof => self.alignof(),
                Kw::Extension => {
                    self.bump();
                    self.nested(Self::unary)
                }
                Kw::RealImag => {
                    let what = self.tok.sym;
                    self.bump();
                    self.operand_of_prefix()?;
                    Ok(self.make(lo, ExprKind::Unsupported(what)))
                }
                Kw::New | Kw::Rnew | Kw::Qnew if self.word_takes_operand() => self.new_expr(),
                _ => self.postfix(),
            },
            _ => self.postfix(),
        }
    }

    fn sizeof(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        if self.at(Punct::LParen) && self.cast_type_follows() {
            let ty = self.parenthesised_type_name()?;
            if self.at(Punct::LBrace) {
                let literal = self.compound_literal(lo, ty)?;
                let operand = self.postfix_rest(lo, literal)?;
                return Ok(self.make(lo, ExprKind::SizeofExpr(Box::new(operand))));
            }
            return Ok(self.make(lo, ExprKind::SizeofType(Box::new(ty))));
        }
        let operand = self.operand_of_prefix()?;
        Ok(self.make(lo, ExprKind::SizeofExpr(operand)))
    }

    fn alignof(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        self.bump();
        if self.at(Punct::LParen) && self.cast_type_follows() {
            let ty = self.parenthesised_type_name()?;
            return Ok(self.make(lo, ExprKind::AlignofType(Box::new(ty))));
        }
        let operand = self.operand_of_prefix()?;
        Ok(self.make(lo, ExprKind::AlignofExpr(operand)))
    }

    pub fn parenthesised_type_name(&mut self) -> PResult<toft_ast::TypeName> {
        let open = self.tok.span;
        self.expect(Punct::LParen, " and a type")?;
        let ty = self.type_name()?;
        self.close(Punct::RParen, open)?;
        Ok(ty)
    }

    /// `(` is current: whether a type follows, declared or plainly meant as one.
    fn cast_type_follows(&self) -> bool {
        if self.starts_type_at(1) {
            return true;
        }
        if !self.peek_name(1) || self.path_at(1).0 != crate::scope::NameKind::Unknown {
            return false;
        }
        // `(foo *)` and `(foo)x` with an undeclared `foo`.
        let mut at = self.path_at(1).1;
        let plain = at;
        while self.peek_is(at, Punct::Star) {
            at += 1;
        }
        if !self.peek_is(at, Punct::RParen) {
            return false;
        }
        at > plain
            || matches!(self.peek(at + 1).kind, TokKind::Number | TokKind::Char | TokKind::Str)
            || self.peek_name(at + 1) && !self.peek(at + 1).line_start
    }

    fn cast_or_paren(&mut self) -> PResult<Expr> {
        if !self.cast_type_follows() {
            return self.postfix();
        }
        let lo = self.tok.span;
        let ty = self.parenthesised_type_name()?;
        if self.at(Punct::LBrace) {
            let literal = self.compound_literal(lo, ty)?;
            return self.postfix_rest(lo, literal);
        }
        let operand = self.operand_of_prefix()?;
        Ok(self.make(lo, ExprKind::Cast(Box::new(ty), operand)))
    }

    pub fn postfix(&mut self) -> PResult<Expr> {
        let lo = self.tok.span;
        let operand = self.operand()?;
        self.postfix_rest(lo, operand)
    }

    pub fn postfix_rest(&mut self, lo: Span, mut left: Expr) -> PResult<Expr> {
        loop {
            let kind = match self.tok.kind {
                TokKind::Punct(Punct::LParen) => {
                    let args = self.call_args()?;
                    ExprKind::Call(Box::new(left), args)
                }
                TokKind::Punct(Punct::LBracket) => {
                    let open = self.tok.span;
                    self.bump();
                    let index = match self.expr() {
                        Ok(index) => {
                            self.close(Punct::RBracket, open)?;
                            index
                        }
                        Err(reported) => {
                            if !self.skip_past_close(Punct::RBracket) {
                                return Err(reported);
                            }
                            self.make(open, ExprKind::Error)
                        }
                    };
                    ExprKind::Index(Box::new(left), Box::new(index))
                }
                TokKind::Punct(Punct::Dot) => {
                    self.bump();
                    ExprKind::Member(Box::new(left), self.member_name()?)
                }
                TokKind::Punct(Punct::Arrow) => {
                    self.bump();
                    ExprKind::Arrow(Box::new(left), self.member_name()?)
                }
                TokKind::Punct(Punct::PlusPlus) => {
                    self.bump();
                    ExprKind::PostIncDec(IncDec::Inc, Box::new(left))
                }
                TokKind::Punct(Punct::MinusMinus) => {
                    self.bump();
                    ExprKind::PostIncDec(IncDec::Dec, Box::new(left))
                }
                TokKind::Number => match self.tuple_field() {
                    Some(name) => ExprKind::Member(Box::new(left), name),
                    None => return Ok(left),
                },
                _ => return Ok(left),
            };
            self.chain()?;
            left = self.make(lo, kind);
        }
    }

    /// `t.0`: the lexer sees a number `.0`.
    fn tuple_field(&mut self) -> Option<toft_ast::Ident> {
        let digits = self.tok.sym.as_str().strip_prefix('.')?;
        if self.tok.space || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let ident = toft_ast::Ident { name: Symbol::intern(digits), span: self.tok.span };
        self.bump();
        Some(ident)
    }

    fn member_name(&mut self) -> PResult<toft_ast::Ident> {
        if self.tok.kind == TokKind::Number {
            let ident = toft_ast::Ident { name: self.tok.sym, span: self.tok.span };
            self.bump();
            return Ok(ident);
        }
        self.ident("a member's name")
    }

    /// `(a, b)`; the current token is `(`.
    pub fn call_args(&mut self) -> PResult<Vec<Expr>> {
        let open = self.tok.span;
        self.bump();
        let mut args = Vec::new();
        while !self.at(Punct::RParen) {
            match self.assign_or_list() {
                Ok(arg) => args.push(arg),
                Err(reported) => {
                    args.push(self.make(open, ExprKind::Error));
                    return if self.skip_past_close(Punct::RParen) {
                        Ok(args)
                    } else {
                        Err(reported)
                    };
                }
            }
            if !self.eat(Punct::Comma) {
                break;
            }
            if self.at(Punct::RParen) {
                self.expected("an argument");
            }
        }
        args.shrink_to_fit();
        self.close(Punct::RParen, open)?;
        Ok(args)
    }

    /// `( e )` where the grammar has the parentheses itself.
    pub fn paren_expr(&mut self, why: &str) -> PResult<Expr> {
        let open = self.tok.span;
        self.expect(Punct::LParen, why)?;
        self.paren_rest(open)
    }

    /// The expression and `)` after a `(` at `open`.
    pub fn paren_rest(&mut self, open: Span) -> PResult<Expr> {
        match self.expr() {
            Ok(expr) => {
                self.close(Punct::RParen, open)?;
                Ok(expr)
            }
            Err(reported) => {
                if self.skip_past_close(Punct::RParen) {
                    Ok(self.make(open, ExprKind::Error))
                } else if self.at(Punct::LBrace) {
                    // The condition was malformed; its statement may still be sound.
                    Ok(self.make(open, ExprKind::Error))
                } else {
                    Err(reported)
                }
            }
        }
    }
}
