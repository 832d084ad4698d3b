//! Literals: the values of numbers, characters and strings, from their spellings.

use toft_hir::StrWidth;
use toft_ty::{FloatTy, IntTy};

/// A number's value and C type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(i128, IntTy),
    Float(f64, FloatTy),
}

/// Decodes a preprocessing number.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let bytes = text.as_bytes();
    // Nearly all numbers are short and decimal.
    if (1..10).contains(&bytes.len())
        && (bytes[..1] != *b"0" || bytes.len() == 1)
        && bytes.iter().all(u8::is_ascii_digit)
    {
        let value = bytes.iter().fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));
        return Ok(Number::Int(value, IntTy::Int));
    }
    let clean: String = text.chars().filter(|&c| c != '\'' && c != '_').collect();
    let lower = clean.to_ascii_lowercase();
    let (digits, radix) = if let Some(rest) = lower.strip_prefix("0x") {
        (rest, 16)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (rest, 2)
    } else if lower.len() > 1 && lower.starts_with('0') && !lower.contains(['.', 'e']) {
        (&lower[1..], 8)
    } else {
        (lower.as_str(), 10)
    };
    let is_float = match radix {
        16 => digits.contains(['.', 'p']),
        2 => false,
        _ => digits.contains(['.', 'e']) || (radix == 8 && lower.ends_with('f')),
    };
    if is_float {
        return float(if radix == 8 { &lower } else { digits }, radix == 16, text);
    }
    integer(digits, radix, text)
}

fn integer(digits: &str, radix: u32, text: &str) -> Result<Number, String> {
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (body, suffix) = digits.split_at(end);
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        "z" => (false, 1),
        "uz" | "zu" => (true, 1),
        _ => return Err(format!("`{text}` is not a number: `{suffix}` cannot stand there")),
    };
    let value = match body {
        "" if radix == 8 => 0,
        "" => return Err(format!("`{text}` has no digits")),
        _ => u64::from_str_radix(body, radix)
            .map_err(|_| format!("`{text}` does not fit in 64 bits"))?,
    };
    let value = i128::from(value);
    let candidates: &[IntTy] = match (unsigned, longs) {
        (false, 0) => &[IntTy::Int, IntTy::UInt, IntTy::Long, IntTy::ULong],
        (true, 0) => &[IntTy::UInt, IntTy::ULong],
        (false, 1) => &[IntTy::Long, IntTy::ULong],
        (true, 1) => &[IntTy::ULong],
        (false, _) => &[IntTy::LLong, IntTy::ULLong],
        (true, _) => &[IntTy::ULLong],
    };
    // Without a suffix a decimal number never becomes unsigned.
    let fits = |ty: &&IntTy| {
        let ty = **ty;
        value <= ty.max() && (radix != 10 || unsigned || ty.is_signed())
    };
    match candidates.iter().find(fits) {
        Some(&ty) => Ok(Number::Int(value, ty)),
        None => Err(format!("`{text}` does not fit in a signed 64-bit integer")),
    }
}

fn float(digits: &str, hex: bool, text: &str) -> Result<Number, String> {
    // In hexadecimal `f` is a digit until the exponent.
    let (body, ty) = if hex && !digits.contains('p') {
        return Err(format!("`{text}` is a hexadecimal fraction without an exponent"));
    } else if let Some(body) = digits.strip_suffix("f") {
        (body, FloatTy::Float)
    } else if let Some(body) = digits.strip_suffix("l") {
        (body, FloatTy::LongDouble)
    } else {
        let body = digits
            .strip_suffix("f64")
            .or_else(|| digits.strip_suffix("f32x"))
            .or_else(|| digits.strip_suffix("f64x"))
            .unwrap_or(digits);
        (body, FloatTy::Double)
    };
    let value = if hex { hex_float(body) } else { decimal(body) };
    let value = value.ok_or_else(|| format!("`{text}` is not a number"))?;
    let value = if ty == FloatTy::Float { f64::from(value as f32) } else { value };
    Ok(Number::Float(value, ty))
}

fn decimal(body: &str) -> Option<f64> {
    let ok = body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-'));
    if ok { body.parse().ok() } else { None }
}

fn hex_float(body: &str) -> Option<f64> {
    let (mantissa, exponent) = body.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut bits: u128 = 0;
    let mut scale: i32 = 0;
    let mut any = false;
    for (n, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(c.to_digit(16)?);
        any = true;
        let after_point = n >= whole.len();
        if bits >> 120 == 0 {
            bits = bits << 4 | digit;
            scale -= if after_point { 4 } else { 0 };
        } else {
            // Digits past 120 bits only make the rest sticky.
            bits |= u128::from(digit != 0);
            scale += if after_point { 0 } else { 4 };
        }
    }
    if !any {
        return None;
    }
    let power = exponent.saturating_add(scale).clamp(-4000, 4000);
    // Two steps, so that neither factor leaves the range of exponents by itself.
    let half = power / 2;
    Some(bits as f64 * f64::powi(2.0, half) * f64::powi(2.0, power - half))
}

/// A fault inside a character or string: byte offset in the spelling, and words.
pub(crate) struct Fault {
    pub at: usize,
    pub len: usize,
    pub text: String,
}

/// Splits prefix and quotes off.
fn strip(text: &str, quote: char) -> (StrWidth, bool, usize, &str) {
    let start = text.find(quote).unwrap_or(0);
    let (width, is_u8) = match &text[..start] {
        "L" => (StrWidth::Wide, false),
        "u" => (StrWidth::Char16, false),
        "U" => (StrWidth::Char32, false),
        "u8" => (StrWidth::Char, true),
        _ => (StrWidth::Char, false),
    };
    let inner = text.get(start + 1..).unwrap_or("");
    (width, is_u8, start + 1, inner.strip_suffix(quote).unwrap_or(inner))
}

/// The width of a string literal.
pub(crate) fn string_width(text: &str) -> StrWidth {
    strip(text, '"').0
}

/// Appends the elements of a string literal, in units of `width`.
pub(crate) fn string(text: &str, width: StrWidth, out: &mut Vec<u32>) -> Result<(), Fault> {
    let (_, _, offset, inner) = strip(text, '"');
    elements(inner, offset, width, out)
}

/// The value and type of a character constant.
pub(crate) fn character(text: &str) -> Result<(i128, IntTy), Fault> {
    let (width, is_u8, offset, inner) = strip(text, '\'');
    let mut units = Vec::new();
    elements(inner, offset, width, &mut units)?;
    let fault = |text: &str| Fault { at: 0, len: offset + inner.len() + 1, text: text.into() };
    let ty = match width {
        StrWidth::Char if is_u8 => IntTy::UChar,
        StrWidth::Char | StrWidth::Wide => IntTy::Int,
        StrWidth::Char16 => IntTy::UShort,
        StrWidth::Char32 => IntTy::UInt,
    };
    match (&units[..], width) {
        ([], _) => Err(fault("an empty character constant")),
        ([one], StrWidth::Char) if !is_u8 => Ok((i128::from(*one as u8 as i8), ty)),
        ([one], _) => Ok((ty.wrap(i128::from(*one)), ty)),
        (many, StrWidth::Char) if many.len() <= 4 && !is_u8 => {
            // As gcc has it: the first character is the highest byte.
            let value = many.iter().fold(0u32, |acc, &unit| acc << 8 | (unit & 0xff));
            Ok((i128::from(value as i32), IntTy::Int))
        }
        _ => Err(fault("a character constant with more than one character")),
    }
}

fn elements(inner: &str, offset: usize, width: StrWidth, out: &mut Vec<u32>) -> Result<(), Fault> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            match width {
                StrWidth::Char => {
                    out.push(u32::from(bytes[at]));
                    at += 1;
                }
                _ => {
                    let c = inner[at..].chars().next().unwrap_or('\u{fffd}');
                    push_char(c as u32, width, out);
                    at += c.len_utf8();
                }
            }
            continue;
        }
        at = escape(inner, at, offset, width, out)?;
    }
    Ok(())
}

fn push_char(code: u32, width: StrWidth, out: &mut Vec<u32>) {
    let Some(c) = char::from_u32(code) else {
        out.push(code);
        return;
    };
    match width {
        StrWidth::Char => {
            let mut buffer = [0; 4];
            out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        StrWidth::Char16 => {
            let mut buffer = [0; 2];
            out.extend(c.encode_utf16(&mut buffer).iter().map(|&unit| u32::from(unit)));
        }
        StrWidth::Char32 | StrWidth::Wide => out.push(code),
    }
}

/// Decodes the escape at `at` (a backslash); returns the place behind it.
fn escape(
    inner: &str,
    at: usize,
    offset: usize,
    width: StrWidth,
    out: &mut Vec<u32>,
) -> Result<usize, Fault> {
    let bytes = inner.as_bytes();
    let fault = |len: usize, text: String| Fault { at: offset + at, len, text };
    let Some(&letter) = bytes.get(at + 1) else {
        return Err(fault(1, "a backslash at the end".into()));
    };
    let simple = match letter {
        b'n' => Some(10),
        b't' => Some(9),
        b'r' => Some(13),
        b'a' => Some(7),
        b'b' => Some(8),
        b'f' => Some(12),
        b'v' => Some(11),
        b'e' | b'E' => Some(27),
        b'\\' | b'\'' | b'"' | b'?' => Some(u32::from(letter)),
        _ => None,
    };
    if let Some(code) = simple {
        out.push(code);
        return Ok(at + 2);
    }
    let max = match width {
        StrWidth::Char => 0xff,
        StrWidth::Char16 => 0xffff,
        StrWidth::Char32 | StrWidth::Wide => u32::MAX,
    };
    let (from, radix, most, least) = match letter {
        b'0'..=b'7' => (at + 1, 8, 3, 1),
        b'x' => (at + 2, 16, usize::MAX, 1),
        b'u' => (at + 2, 16, 4, 4),
        b'U' => (at + 2, 16, 8, 8),
        _ => {
            let c = inner[at + 1..].chars().next().unwrap_or(' ');
            return Err(fault(1 + c.len_utf8(), format!("`\\{c}` is not an escape sequence")));
        }
    };
    let len = bytes[from..].iter().take(most).take_while(|&&b| (b as char).is_digit(radix)).count();
    if len < least {
        return Err(fault(2 + len, "an escape sequence without enough digits".into()));
    }
    let value = u32::from_str_radix(&inner[from..from + len], radix).unwrap_or(u32::MAX);
    let end = from + len;
    if matches!(letter, b'u' | b'U') {
        if char::from_u32(value).is_none() {
            return Err(fault(end - at, "no such Unicode character".into()));
        }
        push_char(value, width, out);
    } else if value > max || len > 8 && bytes[from..end - 8].iter().any(|&b| b != b'0') {
        return Err(fault(end - at, "the escape sequence is too large for its character".into()));
    } else {
        out.push(value);
    }
    Ok(end)
}
