//! Byte classes of the source character set, as one table lookup.

/// May start an identifier (ASCII part).
pub(crate) const START: u8 = 1;
/// May continue an identifier (ASCII part).
pub(crate) const CONT: u8 = 2;
/// A decimal digit.
pub(crate) const DIGIT: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii_alphabetic() || c == b'_' {
            table[byte] = START | CONT;
        } else if c.is_ascii_digit() {
            table[byte] = DIGIT | CONT;
        }
        byte += 1;
    }
    table
}

pub(crate) fn is_start(byte: u8) -> bool {
    CLASS[byte as usize] & START != 0
}

pub(crate) fn is_cont(byte: u8) -> bool {
    CLASS[byte as usize] & CONT != 0
}

pub(crate) fn is_digit(byte: u8) -> bool {
    CLASS[byte as usize] & DIGIT != 0
}

/// The character at `pos` when it is beyond ASCII and may stand in an identifier:
/// its length in bytes.
pub(crate) fn wide_ident(text: &str, pos: usize) -> Option<usize> {
    let c = text.get(pos..)?.chars().next()?;
    (!c.is_ascii() && c.is_alphanumeric()).then(|| c.len_utf8())
}

/// The end of the identifier that starts at `pos`; `pos` itself when none does.
pub(crate) fn ident_end(text: &str, mut pos: usize) -> usize {
    let bytes = text.as_bytes();
    let from = pos;
    loop {
        match bytes.get(pos) {
            Some(&c) if is_cont(c) && (pos > from || !is_digit(c)) => pos += 1,
            Some(&c) if c >= 0x80 => match wide_ident(text, pos) {
                Some(len) => pos += len,
                None => return pos,
            },
            _ => return pos,
        }
    }
}
