//! Characters and strings: prefixes and escapes.

use super::LitError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// No prefix: bytes of `char`, UTF-8.
    Plain,
    /// `u8`.
    Utf8,
    /// `u`: `char16_t`.
    Utf16,
    /// `U`: `char32_t`.
    Utf32,
    /// `L`: `wchar_t`, 32 bits.
    Wide,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharLit {
    /// As the literal's type gives it: a plain character is an `int`, its byte extended
    /// by sign; several plain characters are packed, the first one highest.
    pub value: i64,
    pub encoding: Encoding,
    /// How many characters stand between the quotes.
    pub count: u32,
}

/// The units of a string, without the terminating zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StrData {
    Bytes(Vec<u8>),
    Units16(Vec<u16>),
    Units32(Vec<u32>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrLit {
    pub encoding: Encoding,
    pub data: StrData,
}

impl StrLit {
    /// The number of units, without the terminating zero.
    pub fn len(&self) -> usize {
        match &self.data {
            StrData::Bytes(units) => units.len(),
            StrData::Units16(units) => units.len(),
            StrData::Units32(units) => units.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn bad<T>(message: impl Into<String>, from: usize, to: usize) -> Result<T, LitError> {
    Err(LitError { message: message.into(), from, to })
}

/// The prefix of a character or string token, and its length.
pub fn encoding(spelling: &str) -> (Encoding, usize) {
    match spelling.as_bytes() {
        [b'u', b'8', ..] => (Encoding::Utf8, 2),
        [b'u', ..] => (Encoding::Utf16, 1),
        [b'U', ..] => (Encoding::Utf32, 1),
        [b'L', ..] => (Encoding::Wide, 1),
        _ => (Encoding::Plain, 0),
    }
}

/// One element between the quotes.
enum Piece {
    /// A character to be encoded.
    Char(char),
    /// `\x…` or octal: a unit as it is.
    Unit(u32),
}

/// The inside of a literal, and where it starts.
fn inside(spelling: &str, prefix: usize) -> &str {
    spelling.get(prefix + 1..spelling.len().saturating_sub(1)).unwrap_or("")
}

/// The piece at `*at` in `spelling`; `largest` is the largest unit.
fn piece(spelling: &str, at: &mut usize, largest: u32) -> Result<Piece, LitError> {
    let from = *at;
    let mut chars = spelling[from..].chars();
    let Some(c) = chars.next() else { return Ok(Piece::Unit(0)) };
    *at += c.len_utf8();
    if c != '\\' {
        return Ok(Piece::Char(c));
    }
    let escape = chars.next().unwrap_or('\\');
    *at += escape.len_utf8();
    let simple = match escape {
        'n' => 10,
        't' => 9,
        '0'..='7' => return octal(spelling, from, at, largest),
        '\\' | '\'' | '"' | '?' => escape as u32,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        'x' => return hex(spelling, from, at, largest),
        'u' | 'U' => return universal(spelling, from, at, if escape == 'u' { 4 } else { 8 }),
        other => return bad(format!("`\\{other}` is not an escape sequence"), from, *at),
    };
    Ok(Piece::Unit(simple))
}

fn octal(spelling: &str, from: usize, at: &mut usize, largest: u32) -> Result<Piece, LitError> {
    let bytes = spelling.as_bytes();
    let mut value = 0;
    let mut pos = from + 1;
    while pos < from + 4
        && let Some(&digit @ b'0'..=b'7') = bytes.get(pos)
    {
        value = value * 8 + u32::from(digit - b'0');
        pos += 1;
    }
    *at = pos;
    if value > largest {
        return bad("this octal escape does not fit in its character", from, pos);
    }
    Ok(Piece::Unit(value))
}

fn hex(spelling: &str, from: usize, at: &mut usize, largest: u32) -> Result<Piece, LitError> {
    let mut value: u64 = 0;
    let mut pos = from + 2;
    while let Some(digit) = spelling.as_bytes().get(pos).and_then(|&c| (c as char).to_digit(16)) {
        value = (value << 4 | u64::from(digit)).min(1 << 40);
        pos += 1;
    }
    *at = pos;
    if pos == from + 2 {
        return bad("`\\x` needs hexadecimal digits after it", from, pos);
    }
    if value > u64::from(largest) {
        return bad("this hexadecimal escape does not fit in its character", from, pos);
    }
    Ok(Piece::Unit(value as u32))
}

fn universal(spelling: &str, from: usize, at: &mut usize, len: usize) -> Result<Piece, LitError> {
    let digits = spelling.get(from + 2..from + 2 + len);
    let value = digits
        .filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()))
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(value) = value else {
        let sort = if len == 4 { "\\u" } else { "\\U" };
        return bad(format!("`{sort}` needs {len} hexadecimal digits after it"), from, *at);
    };
    *at = from + 2 + len;
    match char::from_u32(value) {
        Some(c) => Ok(Piece::Char(c)),
        None => bad("this is not the number of a character", from, *at),
    }
}

fn largest(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Utf32 | Encoding::Wide => u32::MAX,
    }
}

/// The value of a character token.
pub fn character(spelling: &str) -> Result<CharLit, LitError> {
    let (encoding, prefix) = encoding(spelling);
    let end = spelling.len().saturating_sub(1);
    let mut at = prefix + 1;
    let mut count = 0;
    let mut packed: u32 = 0;
    let mut value = 0;
    while at < end {
        let from = at;
        let unit = match piece(spelling, &mut at, largest(encoding))? {
            Piece::Unit(unit) => unit,
            Piece::Char(c) => {
                let limit = if largest(encoding) == 0xff { 0x7f } else { largest(encoding) };
                if c as u32 > limit {
                    return Err(LitError {
                        message: format!("`{c}` does not fit in one unit; write U'{c}'"),
                        from,
                        to: at,
                    });
                }
                c as u32
            }
        };
        count += 1;
        packed = packed << 8 | (unit & 0xff);
        value = match encoding {
            Encoding::Plain => i64::from(unit as u8 as i8),
            Encoding::Wide => i64::from(unit as i32),
            _ => i64::from(unit),
        };
    }
    if count == 0 {
        return bad("a character literal cannot be empty", 0, spelling.len());
    }
    if count > 1 {
        if encoding != Encoding::Plain || count > 4 {
            return bad("too many characters between the quotes", prefix, spelling.len());
        }
        value = i64::from(packed as i32);
    }
    Ok(CharLit { value, encoding, count })
}

/// The value of one string token.
pub fn string(spelling: &str) -> Result<StrLit, LitError> {
    strings(&[spelling]).map_err(|(_, error)| error)
}

/// The value of adjacent string tokens, joined. The error says in which one it is.
pub fn strings(spellings: &[&str]) -> Result<StrLit, (usize, LitError)> {
    let mut common = Encoding::Plain;
    for (n, spelling) in spellings.iter().enumerate() {
        let (own, prefix) = encoding(spelling);
        if own != Encoding::Plain && common != Encoding::Plain && own != common {
            let message = "adjacent strings have different prefixes".to_owned();
            return Err((n, LitError { message, from: 0, to: prefix }));
        }
        if own != Encoding::Plain {
            common = own;
        }
    }
    let mut data = match common {
        Encoding::Plain | Encoding::Utf8 => StrData::Bytes(Vec::new()),
        Encoding::Utf16 => StrData::Units16(Vec::new()),
        Encoding::Utf32 | Encoding::Wide => StrData::Units32(Vec::new()),
    };
    for (n, spelling) in spellings.iter().enumerate() {
        append(spelling, common, &mut data).map_err(|error| (n, error))?;
    }
    Ok(StrLit { encoding: common, data })
}

/// Appends one string token, in units of `common`, which `data` must have room for.
pub fn append(spelling: &str, common: Encoding, data: &mut StrData) -> Result<(), LitError> {
    let (_, prefix) = encoding(spelling);
    let body = inside(spelling, prefix);
    if let StrData::Bytes(bytes) = data
        && !body.contains('\\')
    {
        bytes.extend_from_slice(body.as_bytes());
        return Ok(());
    }
    let end = prefix + 1 + body.len();
    let mut at = prefix + 1;
    while at < end {
        match (piece(spelling, &mut at, largest(common))?, &mut *data) {
            (Piece::Unit(unit), StrData::Bytes(bytes)) => bytes.push(unit as u8),
            (Piece::Unit(unit), StrData::Units16(units)) => units.push(unit as u16),
            (Piece::Unit(unit), StrData::Units32(units)) => units.push(unit),
            (Piece::Char(c), StrData::Bytes(bytes)) => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            (Piece::Char(c), StrData::Units16(units)) => {
                units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            }
            (Piece::Char(c), StrData::Units32(units)) => units.push(c as u32),
        }
    }
    Ok(())
}
