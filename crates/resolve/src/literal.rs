//! Literals: the C types of what `ast::literal` decodes.

use toft_ast::literal::{self, Encoding, FloatKind, IntLit, StrData};
use toft_hir::StrWidth;
use toft_ty::{FloatTy, IntTy};

pub(crate) use toft_ast::literal::LitError;

/// A number's value and C type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(i128, IntTy),
    Float(f64, FloatTy),
}

/// Decodes a preprocessing number.
pub(crate) fn number(text: &str) -> Result<Number, LitError> {
    let bytes = text.as_bytes();
    // Nearly all numbers are short and decimal.
    if (1..10).contains(&bytes.len())
        && (bytes[..1] != *b"0" || bytes.len() == 1)
        && bytes.iter().all(u8::is_ascii_digit)
    {
        let value = bytes.iter().fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));
        return Ok(Number::Int(value, IntTy::Int));
    }
    match literal::number(text)? {
        literal::Number::Int(int) => integer(int, text),
        literal::Number::Float(float) => {
            let ty = match float.kind {
                FloatKind::Float => FloatTy::Float,
                FloatKind::Double => FloatTy::Double,
                FloatKind::LongDouble => FloatTy::LongDouble,
            };
            Ok(Number::Float(float.value, ty))
        }
    }
}

/// The first of C's candidates that holds the value.
fn integer(int: IntLit, text: &str) -> Result<Number, LitError> {
    let value = i128::from(int.value);
    let candidates: &[IntTy] = match (int.unsigned, int.longs) {
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
        value <= ty.max() && (int.base != 10 || int.unsigned || ty.is_signed())
    };
    match candidates.iter().find(fits) {
        Some(&ty) => Ok(Number::Int(value, ty)),
        None => Err(LitError {
            message: format!("`{text}` does not fit in a signed 64-bit integer"),
            from: 0,
            to: text.len(),
        }),
    }
}

fn width_of(encoding: Encoding) -> StrWidth {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => StrWidth::Char,
        Encoding::Utf16 => StrWidth::Char16,
        Encoding::Utf32 => StrWidth::Char32,
        Encoding::Wide => StrWidth::Wide,
    }
}

/// The width of a string literal.
pub(crate) fn string_width(text: &str) -> StrWidth {
    width_of(literal::encoding(text).0)
}

/// Appends the elements of a string literal, in units of `width`.
pub(crate) fn string(text: &str, width: StrWidth, out: &mut Vec<u32>) -> Result<(), LitError> {
    let (encoding, mut data) = match width {
        StrWidth::Char => (Encoding::Plain, StrData::Bytes(Vec::with_capacity(text.len()))),
        StrWidth::Char16 => (Encoding::Utf16, StrData::Units16(Vec::new())),
        StrWidth::Char32 => (Encoding::Utf32, StrData::Units32(Vec::new())),
        StrWidth::Wide => (Encoding::Wide, StrData::Units32(Vec::new())),
    };
    let result = literal::append(text, encoding, &mut data);
    match data {
        StrData::Bytes(units) => out.extend(units.into_iter().map(u32::from)),
        StrData::Units16(units) => out.extend(units.into_iter().map(u32::from)),
        StrData::Units32(units) => out.extend(units),
    }
    result
}

/// The value and type of a character constant.
pub(crate) fn character(text: &str) -> Result<(i128, IntTy), LitError> {
    let made = literal::character(text)?;
    let ty = match made.encoding {
        Encoding::Plain | Encoding::Wide => IntTy::Int,
        Encoding::Utf8 => IntTy::UChar,
        Encoding::Utf16 => IntTy::UShort,
        Encoding::Utf32 => IntTy::UInt,
    };
    Ok((ty.wrap(i128::from(made.value)), ty))
}
