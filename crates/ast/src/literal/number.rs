//! Numbers: integers in four bases, decimal and hexadecimal floats, suffixes.

use super::LitError;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int(IntLit),
    Float(FloatLit),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntLit {
    pub value: u64,
    /// 2, 8, 10 or 16: a decimal number without `u` never becomes unsigned.
    pub base: u8,
    pub unsigned: bool,
    /// How many `l` its suffix has: 0, 1 or 2.
    pub longs: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatLit {
    /// Rounded to the type of `kind`; a `long double` keeps the precision of `double`.
    pub value: f64,
    pub kind: FloatKind,
}

fn bad<T>(message: impl Into<String>, from: usize, to: usize) -> Result<T, LitError> {
    Err(LitError { message: message.into(), from, to })
}

/// The value of a number token.
pub fn number(spelling: &str) -> Result<Number, LitError> {
    let bytes = spelling.as_bytes();
    if let [digit @ b'0'..=b'9'] = bytes {
        let base = if *digit == b'0' { 8 } else { 10 };
        let value = u64::from(digit - b'0');
        return Ok(Number::Int(IntLit { value, base, unsigned: false, longs: 0 }));
    }
    let (base, from) = match bytes {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', ..] => (2, 2),
        _ => (10, 0),
    };
    let float = bytes[from..].iter().any(|&c| match c {
        b'.' => true,
        b'p' | b'P' => base == 16,
        b'e' | b'E' => base == 10,
        _ => false,
    });
    if float && base == 16 {
        return hex_float(spelling).map(Number::Float);
    }
    if float {
        return decimal_float(spelling).map(Number::Float);
    }
    integer(spelling, base, from).map(Number::Int)
}

fn integer(spelling: &str, base: u8, from: usize) -> Result<IntLit, LitError> {
    let bytes = spelling.as_bytes();
    let mut base = base;
    if base == 10 && bytes[0] == b'0' {
        base = 8;
    }
    let mut value: u64 = 0;
    let mut overflow = false;
    let mut digits = 0;
    let mut at = from;
    while let Some(&c) = bytes.get(at) {
        if c == b'\'' {
            at += 1;
            continue;
        }
        let Some(digit) = (c as char).to_digit(if base == 8 { 10 } else { u32::from(base) }) else {
            break;
        };
        if digit >= u32::from(base) {
            return bad("an octal number has only the digits 0 to 7", at, at + 1);
        }
        let (high, lost) = value.overflowing_mul(u64::from(base));
        let (sum, carried) = high.overflowing_add(u64::from(digit));
        overflow |= lost | carried;
        value = sum;
        digits += 1;
        at += 1;
    }
    if digits == 0 {
        return bad(format!("`{}` is followed by no digits", &spelling[..from]), 0, spelling.len());
    }
    let (unsigned, longs) = integer_suffix(spelling, at)?;
    if overflow {
        return bad("this number does not fit in 64 bits", 0, spelling.len());
    }
    Ok(IntLit { value, base, unsigned, longs })
}

fn integer_suffix(spelling: &str, at: usize) -> Result<(bool, u8), LitError> {
    Ok(match &spelling[at..] {
        "" => (false, 0),
        "u" | "U" => (true, 0),
        "l" | "L" => (false, 1),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" => (true, 1),
        "ll" | "LL" => (false, 2),
        "ull" | "uLL" | "Ull" | "ULL" | "llu" | "LLu" | "llU" | "LLU" => (true, 2),
        "z" | "Z" => (false, 1),
        "uz" | "uZ" | "Uz" | "UZ" | "zu" | "zU" | "Zu" | "ZU" => (true, 1),
        suffix if suffix.starts_with(|c: char| c.is_ascii_digit()) => {
            return bad("a binary number has only the digits 0 and 1", at, at + 1);
        }
        suffix => {
            let message = format!("`{suffix}` is not a suffix of an integer");
            return bad(message, at, spelling.len());
        }
    })
}

/// Splits off the suffix of a float.
fn float_suffix(spelling: &str, at: usize) -> Result<FloatKind, LitError> {
    Ok(match &spelling[at..] {
        "" | "f64" | "F64" | "f32x" | "F32x" => FloatKind::Double,
        "f" | "F" | "f32" | "F32" => FloatKind::Float,
        "l" | "L" | "f64x" | "F64x" | "f128" | "F128" => FloatKind::LongDouble,
        suffix => {
            let message = format!("`{suffix}` is not a suffix of a floating number");
            return bad(message, at, spelling.len());
        }
    })
}

fn finish(value: f64, kind: FloatKind, spelling: &str) -> Result<FloatLit, LitError> {
    if value.is_infinite() && kind != FloatKind::LongDouble {
        return bad("this number is too large for its type", 0, spelling.len());
    }
    Ok(FloatLit { value, kind })
}

fn decimal_float(spelling: &str) -> Result<FloatLit, LitError> {
    let bytes = spelling.as_bytes();
    let mut text = String::with_capacity(spelling.len());
    let mut at = 0;
    let mut dots = 0;
    while let Some(&c @ (b'0'..=b'9' | b'.' | b'\'')) = bytes.get(at) {
        if c == b'.' {
            dots += 1;
            if dots > 1 {
                return bad("a number has only one point", at, at + 1);
            }
        }
        if c != b'\'' {
            text.push(c as char);
        }
        at += 1;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let exponent = at;
        text.push('e');
        at += 1;
        if let Some(&sign @ (b'+' | b'-')) = bytes.get(at) {
            text.push(sign as char);
            at += 1;
        }
        let digits = at;
        while let Some(&c @ (b'0'..=b'9' | b'\'')) = bytes.get(at) {
            if c != b'\'' {
                text.push(c as char);
            }
            at += 1;
        }
        if at == digits {
            return bad("the exponent has no digits", exponent, at);
        }
    }
    let kind = float_suffix(spelling, at)?;
    let value = if kind == FloatKind::Float {
        text.parse::<f32>().map(f64::from)
    } else {
        text.parse::<f64>()
    };
    match value {
        Ok(value) => finish(value, kind, spelling),
        Err(_) => bad("this floating number is malformed", 0, spelling.len()),
    }
}

/// `0x1.8p3`: the digits gathered in 64 bits with a sticky last bit, then rounded once.
fn hex_float(spelling: &str) -> Result<FloatLit, LitError> {
    let bytes = spelling.as_bytes();
    let mut mantissa: u64 = 0;
    let mut exponent: i64 = 0;
    let (mut digits, mut point) = (0, false);
    let mut at = 2;
    while let Some(&c) = bytes.get(at) {
        match (c as char).to_digit(16) {
            _ if c == b'\'' => {}
            Some(digit) => {
                digits += 1;
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if point { 4 } else { 0 };
                } else {
                    mantissa |= u64::from(digit != 0);
                    exponent += if point { 0 } else { 4 };
                }
            }
            None if c == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    if digits == 0 {
        return bad("`0x` is followed by no digits", 0, at);
    }
    let Some(b'p' | b'P') = bytes.get(at) else {
        return bad("a hexadecimal floating number needs an exponent `p…`", 0, spelling.len());
    };
    let start = at;
    at += 1;
    let negative = bytes.get(at) == Some(&b'-');
    if let Some(b'+' | b'-') = bytes.get(at) {
        at += 1;
    }
    let from = at;
    let mut power: i64 = 0;
    while let Some(&c @ (b'0'..=b'9' | b'\'')) = bytes.get(at) {
        if c != b'\'' {
            power = (power * 10 + i64::from(c - b'0')).min(1 << 40);
        }
        at += 1;
    }
    if at == from {
        return bad("the exponent has no digits", start, at);
    }
    let kind = float_suffix(spelling, at)?;
    let exponent = exponent + if negative { -power } else { power };
    let value = if kind == FloatKind::Float {
        assemble(mantissa, exponent, 24, -149, 127)
    } else {
        assemble(mantissa, exponent, 53, -1074, 1023)
    };
    finish(value, kind, spelling)
}

/// `mantissa × 2^exponent` rounded to nearest, ties to even, in a format with `precision`
/// bits, least exponent `least` of the last bit and largest exponent `largest`.
fn assemble(mantissa: u64, exponent: i64, precision: i64, least: i64, largest: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let length = 64 - i64::from(mantissa.leading_zeros());
    let top = exponent + length - 1;
    if top > largest {
        return f64::INFINITY;
    }
    let last = (top - precision + 1).max(least);
    let drop = last - exponent;
    let (kept, last) = if drop <= 0 {
        (mantissa, exponent)
    } else if drop > 64 {
        (0, last)
    } else {
        let wide = u128::from(mantissa);
        let half = 1u128 << (drop - 1);
        let rest = wide & ((half << 1) - 1);
        let floor = (wide >> drop) as u64;
        let up = rest > half || (rest == half && floor & 1 == 1);
        (floor + u64::from(up), last)
    };
    if kept == 0 {
        return 0.0;
    }
    let length = 64 - i64::from(kept.leading_zeros());
    if last + length - 1 > largest {
        return f64::INFINITY;
    }
    // `kept` has at most 53 significant bits: both factors and the product are exact.
    // Two steps keep each power of two in range.
    let half = last / 2;
    kept as f64 * 2f64.powi(half as i32) * 2f64.powi((last - half) as i32)
}
