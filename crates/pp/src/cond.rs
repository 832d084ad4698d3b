//! Conditions of `#if` and `#elif`: integer expressions over 64-bit values.
//!
//! In: the rest of the directive's line, expanded as it is read, so that the operand of
//! `defined` is not. Out: whether it holds. After an error the condition is false.

use crate::Pp;
use crate::ptok::PTok;
use toft_ast::literal::{self, Number};
use toft_ast::token::{Punct, TokKind};
use toft_base::Span;
use toft_diag::codes;

/// Deepest nesting of parentheses, unary and conditional operators.
const MAX_DEPTH: u32 = 256;

#[derive(Clone, Copy, Debug)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(i64::from(value))
    }

    fn holds(self) -> bool {
        self.bits != 0
    }
}

/// An error was reported; the condition is given up.
struct Failed;

type Result<T> = std::result::Result<T, Failed>;

struct Eval<'p, 'a> {
    pp: &'p mut Pp<'a>,
    next: PTok,
    depth: u32,
}

impl Pp<'_> {
    /// Evaluates the rest of the line; `at` is the directive's name.
    pub(crate) fn condition(&mut self, at: Span) -> bool {
        let was_quiet = std::mem::replace(&mut self.quiet, true);
        let was_collecting = std::mem::replace(&mut self.collecting, false);
        let holds = self.evaluate(at).unwrap_or(false);
        while !self.contexts.is_empty() {
            self.pop_context();
        }
        self.quiet = was_quiet;
        self.collecting = was_collecting;
        holds
    }

    fn evaluate(&mut self, at: Span) -> Result<bool> {
        let next = self.next_token();
        let mut eval = Eval { pp: self, next, depth: 0 };
        if next.is_eof() {
            eval.pp.error(codes::E0107, "#if without a condition", at, "");
            return Err(Failed);
        }
        let mut value = eval.conditional(true)?;
        while eval.next.is(Punct::Comma) {
            eval.advance();
            value = eval.conditional(true)?;
        }
        if !eval.next.is_eof() {
            let text = crate::subst::spelling(&eval.next);
            return eval.fail(format!("`{text}` was not expected in this condition"));
        }
        Ok(value.holds())
    }
}

impl Eval<'_, '_> {
    fn advance(&mut self) -> PTok {
        let next = self.pp.next_token();
        std::mem::replace(&mut self.next, next)
    }

    fn fail<T>(&mut self, message: impl Into<String>) -> Result<T> {
        let span = self.next.span;
        self.pp.error(codes::E0107, message, span, "");
        Err(Failed)
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.next.span;
            self.pp.error(codes::E0901, "this condition is nested too deeply", span, "");
            return Err(Failed);
        }
        Ok(())
    }

    /// `a ? b : c`; `live` is false where the value cannot matter.
    fn conditional(&mut self, live: bool) -> Result<Value> {
        let condition = self.binary(0, live)?;
        if !self.next.is(Punct::Question) {
            return Ok(condition);
        }
        self.deeper()?;
        self.advance();
        let mut then = self.conditional(live && condition.holds())?;
        while self.next.is(Punct::Comma) {
            self.advance();
            then = self.conditional(live && condition.holds())?;
        }
        if !self.next.is(Punct::Colon) {
            return self.fail("`:` was expected");
        }
        self.advance();
        let otherwise = self.conditional(live && !condition.holds())?;
        self.depth -= 1;
        let chosen = if condition.holds() { then } else { otherwise };
        Ok(Value { bits: chosen.bits, unsigned: then.unsigned || otherwise.unsigned })
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value> {
        let mut left = self.unary(live)?;
        loop {
            let TokKind::Punct(operator) = self.next.kind else { return Ok(left) };
            let Some(strength) = strength(operator) else { return Ok(left) };
            if strength < least {
                return Ok(left);
            }
            let at = self.advance().span;
            let right_live = live
                && match operator {
                    Punct::AmpAmp => left.holds(),
                    Punct::PipePipe => !left.holds(),
                    _ => true,
                };
            let right = self.binary(strength + 1, right_live)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if live => {
                    self.pp.error(codes::E0107, "division by zero in this condition", at, "");
                    return Err(Failed);
                }
                None => left,
            };
        }
    }

    fn unary(&mut self, live: bool) -> Result<Value> {
        self.deeper()?;
        let value = match self.next.kind {
            TokKind::Punct(Punct::Bang) => {
                self.advance();
                Value::truth(!self.unary(live)?.holds())
            }
            TokKind::Punct(Punct::Minus) => {
                self.advance();
                let value = self.unary(live)?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            TokKind::Punct(Punct::Plus) => {
                self.advance();
                self.unary(live)?
            }
            TokKind::Punct(Punct::Tilde) => {
                self.advance();
                let value = self.unary(live)?;
                Value { bits: !value.bits, ..value }
            }
            TokKind::Punct(Punct::LParen) => {
                self.advance();
                let mut value = self.conditional(live)?;
                while self.next.is(Punct::Comma) {
                    self.advance();
                    value = self.conditional(live)?;
                }
                if !self.next.is(Punct::RParen) {
                    return self.fail("`)` was expected");
                }
                self.advance();
                value
            }
            TokKind::Number => self.number()?,
            TokKind::Char => self.character()?,
            TokKind::Ident => self.identifier()?,
            TokKind::Eof => return self.fail("this condition breaks off"),
            TokKind::Str => return self.fail("a string cannot stand in a condition"),
            _ => {
                let text = crate::subst::spelling(&self.next);
                return self.fail(format!("`{text}` was not expected in this condition"));
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value> {
        match literal::number(self.next.sym.as_str()) {
            Ok(Number::Int(int)) => {
                // intmax_t holds it unless it is too large or says otherwise; only
                // decimal numbers without `u` must not turn unsigned, and those past
                // the range do so here too, as in gcc.
                let unsigned = int.unsigned || int.value > i64::MAX as u64;
                self.advance();
                Ok(Value { bits: int.value, unsigned })
            }
            Ok(Number::Float(_)) => self.fail("a floating number cannot stand in a condition"),
            Err(error) => {
                let span = self.next.span;
                self.pp.error(codes::E0103, error.message, span, "");
                Err(Failed)
            }
        }
    }

    fn character(&mut self) -> Result<Value> {
        match literal::character(self.next.sym.as_str()) {
            Ok(character) => {
                self.advance();
                Ok(Value::signed(character.value))
            }
            Err(error) => {
                let span = self.next.span;
                self.pp.error(codes::E0104, error.message, span, "");
                Err(Failed)
            }
        }
    }

    fn identifier(&mut self) -> Result<Value> {
        let known = &self.pp.names.known;
        if self.next.sym == known.defined {
            return self.defined();
        }
        let value = Value::truth(self.next.sym == known.truth);
        self.advance();
        Ok(value)
    }

    fn defined(&mut self) -> Result<Value> {
        let mut name = self.pp.next_raw();
        let parenthesised = name.is(Punct::LParen);
        if parenthesised {
            name = self.pp.next_raw();
        }
        if name.kind != TokKind::Ident {
            self.next = name;
            return self.fail("`defined` needs the name of a macro");
        }
        let value = Value::truth(self.pp.is_defined(name.sym));
        if parenthesised {
            let close = self.pp.next_raw();
            if !close.is(Punct::RParen) {
                self.next = close;
                return self.fail("`)` was expected after `defined(name`");
            }
        }
        self.advance();
        Ok(value)
    }
}

fn strength(operator: Punct) -> Option<u8> {
    Some(match operator {
        Punct::PipePipe => 1,
        Punct::AmpAmp => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::EqEq | Punct::Ne => 6,
        Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

/// `None`: division by zero.
fn apply(operator: Punct, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let less = if unsigned { a < b } else { (a as i64) < (b as i64) };
    let arith = |bits: u64| Some(Value { bits, unsigned });
    match operator {
        Punct::PipePipe => Some(Value::truth(left.holds() || right.holds())),
        Punct::AmpAmp => Some(Value::truth(left.holds() && right.holds())),
        Punct::Pipe => arith(a | b),
        Punct::Caret => arith(a ^ b),
        Punct::Amp => arith(a & b),
        Punct::EqEq => Some(Value::truth(a == b)),
        Punct::Ne => Some(Value::truth(a != b)),
        Punct::Lt => Some(Value::truth(less)),
        Punct::Ge => Some(Value::truth(!less)),
        Punct::Gt => Some(Value::truth(!less && a != b)),
        Punct::Le => Some(Value::truth(less || a == b)),
        Punct::Shl | Punct::Shr => Some(shift(operator == Punct::Shl, left, right)),
        Punct::Plus => arith(a.wrapping_add(b)),
        Punct::Minus => arith(a.wrapping_sub(b)),
        Punct::Star => arith(a.wrapping_mul(b)),
        Punct::Slash if b == 0 => None,
        Punct::Percent if b == 0 => None,
        Punct::Slash if unsigned => arith(a / b),
        Punct::Percent if unsigned => arith(a % b),
        Punct::Slash => arith((a as i64).wrapping_div(b as i64) as u64),
        _ => arith((a as i64).wrapping_rem(b as i64) as u64),
    }
}

/// Shifts by a negative amount go the other way; too far gives what infinitely many
/// single steps would.
fn shift(left_shift: bool, value: Value, by: Value) -> Value {
    let negative = !by.unsigned && (by.bits as i64) < 0;
    let amount = if negative { (by.bits as i64).unsigned_abs() } else { by.bits };
    let bits = if left_shift != negative {
        if amount > 63 { 0 } else { value.bits << amount }
    } else if value.unsigned {
        if amount > 63 { 0 } else { value.bits >> amount }
    } else {
        ((value.bits as i64) >> amount.min(63)) as u64
    };
    Value { bits, unsigned: value.unsigned }
}
