//! The lexer: bytes to tokens.
//!
//! In: prepared text (no line splices, NUL at the end). Out: one token per call; in a
//! directive, `Eof` at the end of its line. Keeps: positions are those of the original
//! file. Invariant: the cursor never passes the sentinel.

use crate::chars::{ident_end, is_cont, is_digit, is_start};
use crate::names::Names;
use crate::ptok::{BOL, PTok, SPACE};
use crate::text::{Splice, Text};
use std::rc::Rc;
use toft_ast::token::{Punct, TokKind};
use toft_base::{Span, Symbol};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Comment,
    Nul,
    Quote(u8),
    RawC,
}

pub(crate) struct Lexer {
    pub(crate) text: Rc<str>,
    pub(crate) cur: Cursor,
}

/// The moving part of a lexer.
pub(crate) struct Cursor {
    pub(crate) pos: usize,
    /// Global position of the file's first byte.
    base: u32,
    pub(crate) foreign: bool,
    pub(crate) in_directive: bool,
    /// Flags of the next token that come from before the text.
    pending: u8,
    splices: Rc<[Splice]>,
    splice: usize,
    next_splice: usize,
    removed: u32,
    pub(crate) faults: Vec<(Fault, Span)>,
}

impl Lexer {
    pub(crate) fn new(text: &Text, base: u32, foreign: bool) -> Lexer {
        Lexer {
            text: Rc::clone(&text.clean),
            cur: Cursor {
                pos: 0,
                base,
                foreign,
                in_directive: false,
                pending: BOL | SPACE,
                next_splice: text.splices.first().map_or(usize::MAX, |s| s.at),
                splices: Rc::clone(&text.splices),
                splice: 0,
                removed: 0,
                faults: Vec::new(),
            },
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, names: &mut Names) -> PTok {
        self.cur.next(&self.text, names)
    }

    /// Whether the next token is `(`, looking over blanks, comments and (outside of
    /// directives) line ends.
    pub(crate) fn peek_lparen(&self) -> bool {
        let bytes = self.text.as_bytes();
        let mut pos = self.cur.pos;
        loop {
            match bytes[pos] {
                b'(' => return true,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => pos += 1,
                b'\n' if !self.cur.in_directive => pos += 1,
                b'/' if bytes[pos + 1] == b'*' => match comment_end(bytes, pos + 2) {
                    Some(end) => pos = end,
                    None => return false,
                },
                b'/' if bytes[pos + 1] == b'/' => pos = line_end(bytes, pos),
                _ => return false,
            }
        }
    }

    /// At the end of the file, but for the sentinel.
    pub(crate) fn at_end(&self) -> bool {
        self.cur.pos + 1 >= self.text.len()
    }
}

/// The offset of the next line end (or of the sentinel).
pub(crate) fn line_end(bytes: &[u8], pos: usize) -> usize {
    memchr::memchr(b'\n', &bytes[pos..]).map_or(bytes.len() - 1, |n| pos + n)
}

/// The offset just after the `*/` at or after `pos`.
pub(crate) fn comment_end(bytes: &[u8], mut pos: usize) -> Option<usize> {
    loop {
        pos += memchr::memchr(b'*', &bytes[pos..])? + 1;
        if bytes.get(pos) == Some(&b'/') {
            return Some(pos + 1);
        }
    }
}

impl Cursor {
    /// The global position of a clean offset. Offsets must not fall back between calls.
    fn global(&mut self, offset: usize) -> u32 {
        while offset >= self.next_splice {
            self.removed = self.splices[self.splice].removed;
            self.splice += 1;
            self.next_splice = self.splices.get(self.splice).map_or(usize::MAX, |s| s.at);
        }
        self.base + offset as u32 + self.removed
    }

    pub(crate) fn span(&mut self, from: usize, to: usize) -> Span {
        let lo = self.global(from);
        if self.next_splice >= to {
            // No splice inside: the common case.
            return Span::new(lo, lo + (to - from) as u32);
        }
        let hi = if to > from { self.global(to - 1) + 1 } else { lo };
        Span::new(lo, hi)
    }

    fn fault(&mut self, fault: Fault, from: usize, to: usize) {
        let span = self.span(from, to);
        self.faults.push((fault, span));
    }

    fn token(&mut self, kind: TokKind, flags: u8, sym: Symbol, from: usize, to: usize) -> PTok {
        self.pos = to;
        PTok { kind, flags, sym, span: self.span(from, to) }
    }

    fn next(&mut self, text: &str, names: &mut Names) -> PTok {
        let bytes = text.as_bytes();
        let mut flags = std::mem::take(&mut self.pending);
        let mut pos = self.pos;
        loop {
            let byte = bytes[pos];
            match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    flags |= SPACE;
                    pos += 1;
                }
                b'\n' => {
                    if self.in_directive {
                        return self.token(TokKind::Eof, flags, names.known.empty, pos, pos);
                    }
                    flags |= BOL | SPACE;
                    pos += 1;
                }
                b'/' if bytes[pos + 1] == b'/' => {
                    flags |= SPACE;
                    pos = line_end(bytes, pos);
                }
                b'/' if bytes[pos + 1] == b'*' => {
                    flags |= SPACE;
                    pos = match comment_end(bytes, pos + 2) {
                        Some(end) => end,
                        None => {
                            self.fault(Fault::Comment, pos, pos + 2);
                            bytes.len() - 1
                        }
                    };
                }
                0 => {
                    if pos + 1 == bytes.len() {
                        self.pending = flags;
                        return self.token(TokKind::Eof, flags, names.known.empty, pos, pos);
                    }
                    self.fault(Fault::Nul, pos, pos + 1);
                    flags |= SPACE;
                    pos += 1;
                }
                _ if is_start(byte) => return self.word(text, names, flags, pos),
                _ if is_digit(byte) => return self.number(text, names, flags, pos),
                b'.' if is_digit(bytes[pos + 1]) => return self.number(text, names, flags, pos),
                b'"' => return self.quoted(text, names, flags, pos, pos),
                b'\'' => return self.quote(text, names, flags, pos),
                _ => return self.other(text, names, flags, pos),
            }
        }
    }

    fn word(&mut self, text: &str, names: &mut Names, flags: u8, from: usize) -> PTok {
        let bytes = text.as_bytes();
        let mut pos = from + 1;
        while is_cont(bytes[pos]) {
            pos += 1;
        }
        match bytes[pos] {
            0x80.. => pos = ident_end(text, from),
            quote @ (b'"' | b'\'') if pos - from <= 2 => {
                let prefix = matches!(&bytes[from..pos], b"L" | b"u" | b"U" | b"u8");
                if prefix && (quote == b'"' || self.tyvar_end(text, pos).is_none()) {
                    return self.quoted(text, names, flags, from, pos);
                }
            }
            _ => {}
        }
        let sym = names.intern(&text[from..pos]);
        self.token(TokKind::Ident, flags, sym, from, pos)
    }

    fn number(&mut self, text: &str, names: &mut Names, flags: u8, from: usize) -> PTok {
        let bytes = text.as_bytes();
        let mut pos = from + 1;
        loop {
            let byte = bytes[pos];
            if is_cont(byte) {
                pos += 1;
                if matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(bytes[pos], b'+' | b'-') {
                    pos += 1;
                }
            } else if byte == b'.' {
                pos += 1;
            } else if byte == b'\'' && !self.foreign && bytes[pos + 1].is_ascii_hexdigit() {
                pos += 2;
            } else {
                break;
            }
        }
        let sym = names.intern(&text[from..pos]);
        self.token(TokKind::Number, flags, sym, from, pos)
    }

    /// The end of the type variable whose quote stands at `quote`, if one does.
    pub(crate) fn tyvar_end(&self, text: &str, quote: usize) -> Option<usize> {
        if self.foreign {
            return None;
        }
        let end = ident_end(text, quote + 1);
        (end > quote + 1 && text.as_bytes()[end] != b'\'').then_some(end)
    }

    fn quote(&mut self, text: &str, names: &mut Names, flags: u8, from: usize) -> PTok {
        match self.tyvar_end(text, from) {
            Some(end) => {
                let sym = names.intern(&text[from + 1..end]);
                self.token(TokKind::TyVar, flags, sym, from, end)
            }
            None => self.quoted(text, names, flags, from, from),
        }
    }

    /// A string or character whose prefix starts at `from` and whose quote is at `quote`.
    fn quoted(
        &mut self,
        text: &str,
        names: &mut Names,
        flags: u8,
        from: usize,
        quote: usize,
    ) -> PTok {
        let bytes = text.as_bytes();
        let delimiter = bytes[quote];
        match quoted_end(bytes, quote) {
            Ok(end) => {
                let kind = if delimiter == b'"' { TokKind::Str } else { TokKind::Char };
                let spelling = &text[from..end];
                let sym = if end - from <= 32 {
                    names.intern(spelling)
                } else {
                    Symbol::intern(spelling)
                };
                self.token(kind, flags, sym, from, end)
            }
            Err(end) => {
                if !self.foreign {
                    self.fault(Fault::Quote(delimiter), from, quote + 1);
                }
                let sym = Symbol::intern(&text[from..end]);
                self.token(TokKind::Unknown, flags, sym, from, end)
            }
        }
    }

    fn other(&mut self, text: &str, names: &mut Names, flags: u8, from: usize) -> PTok {
        let bytes = text.as_bytes();
        if let Some((punct, len)) = punct(&bytes[from..]) {
            return self.token(TokKind::Punct(punct), flags, names.punct(punct), from, from + len);
        }
        if bytes[from] >= 0x80 {
            let end = ident_end(text, from);
            if end > from {
                let sym = names.intern(&text[from..end]);
                return self.token(TokKind::Ident, flags, sym, from, end);
            }
        }
        if !self.foreign && matches!(bytes[from], b'\\' | b'`') {
            let end = ident_end(text, from + 1);
            if end > from + 1 {
                let kind = if bytes[from] == b'`' { TokKind::TyVar } else { TokKind::Aqual };
                let sym = names.intern(&text[from + 1..end]);
                return self.token(kind, flags, sym, from, end);
            }
        }
        let len = text[from..].chars().next().map_or(1, char::len_utf8);
        let sym = names.intern(&text[from..from + len]);
        self.token(TokKind::Unknown, flags, sym, from, from + len)
    }
}

/// The end of the literal whose quote stands at `quote`: `Err` with the end of its line
/// when it does not end.
pub(crate) fn quoted_end(bytes: &[u8], quote: usize) -> Result<usize, usize> {
    let delimiter = bytes[quote];
    let mut pos = quote + 1;
    loop {
        let Some(n) = memchr::memchr3(delimiter, b'\\', b'\n', &bytes[pos..]) else {
            return Err(bytes.len() - 1);
        };
        pos += n;
        match bytes[pos] {
            b'\n' => return Err(pos - usize::from(bytes[pos - 1] == b'\r' && pos - 1 > quote)),
            b'\\' if bytes[pos + 1] != b'\n' && pos + 2 < bytes.len() => pos += 2,
            b'\\' => pos += 1,
            _ => return Ok(pos + 1),
        }
    }
}

/// The longest punctuation at the start of `bytes`, which end with a NUL.
fn punct(bytes: &[u8]) -> Option<(Punct, usize)> {
    use Punct::*;
    let second = bytes.get(1).copied().unwrap_or(0);
    let third = if second == 0 { 0 } else { bytes.get(2).copied().unwrap_or(0) };
    let found = match bytes[0] {
        b'(' => (LParen, 1),
        b')' => (RParen, 1),
        b'{' => (LBrace, 1),
        b'}' => (RBrace, 1),
        b'[' => (LBracket, 1),
        b']' => (RBracket, 1),
        b';' => (Semi, 1),
        b',' => (Comma, 1),
        b'.' if second == b'.' && third == b'.' => (Ellipsis, 3),
        b'.' => (Dot, 1),
        b'~' => (Tilde, 1),
        b'?' => (Question, 1),
        b'$' => (Dollar, 1),
        b'@' => (At, 1),
        b'+' => one_of(second, (b'+', PlusPlus), (b'=', PlusEq), Plus),
        b'-' if second == b'>' => (Arrow, 2),
        b'-' => one_of(second, (b'-', MinusMinus), (b'=', MinusEq), Minus),
        b'*' => one_of(second, (b'=', StarEq), (b'=', StarEq), Star),
        b'/' => one_of(second, (b'=', SlashEq), (b'=', SlashEq), Slash),
        b'%' if second == b'>' => (RBrace, 2),
        b'%' if second == b':' => match &bytes[2..] {
            [b'%', b':', ..] => (HashHash, 4),
            _ => (Hash, 2),
        },
        b'%' => one_of(second, (b'=', PercentEq), (b'=', PercentEq), Percent),
        b'&' => one_of(second, (b'&', AmpAmp), (b'=', AmpEq), Amp),
        b'|' => one_of(second, (b'|', PipePipe), (b'=', PipeEq), Pipe),
        b'^' => one_of(second, (b'=', CaretEq), (b'=', CaretEq), Caret),
        b'!' => one_of(second, (b'=', Ne), (b'=', Ne), Bang),
        b'=' => one_of(second, (b'=', EqEq), (b'=', EqEq), Eq),
        b'#' => one_of(second, (b'#', HashHash), (b'#', HashHash), Hash),
        b'<' if second == b'<' => {
            if third == b'=' {
                (ShlEq, 3)
            } else {
                (Shl, 2)
            }
        }
        b'<' if second == b'%' => (LBrace, 2),
        // `<::` is left to `<` and `::`, as a type argument may start with `::`.
        b'<' if second == b':' && third != b':' => (LBracket, 2),
        b'<' => one_of(second, (b'=', Le), (b'=', Le), Lt),
        b'>' if second == b'>' => {
            if third == b'=' {
                (ShrEq, 3)
            } else {
                (Shr, 2)
            }
        }
        b'>' => one_of(second, (b'=', Ge), (b'=', Ge), Gt),
        b':' if second == b'=' && third == b':' => (Swap, 3),
        b':' if second == b'>' => (RBracket, 2),
        b':' => one_of(second, (b':', ColonColon), (b':', ColonColon), Colon),
        _ => return None,
    };
    Some(found)
}

fn one_of(second: u8, a: (u8, Punct), b: (u8, Punct), alone: Punct) -> (Punct, usize) {
    if second == a.0 {
        (a.1, 2)
    } else if second == b.0 {
        (b.1, 2)
    } else {
        (alone, 1)
    }
}

/// Lexes a text that is one token and nothing else: what `##` made.
pub(crate) fn single(text: &str, foreign: bool, names: &mut Names) -> Option<(TokKind, Symbol)> {
    let prepared = Text { clean: format!("{text}\0").into(), splices: Rc::from([]) };
    let mut lexer = Lexer::new(&prepared, 1, foreign);
    lexer.cur.pending = 0;
    let token = lexer.next(names);
    let alone = lexer.at_end() && token.flags == 0 && !token.is_eof();
    (alone && token.kind != TokKind::Unknown && lexer.cur.faults.is_empty())
        .then_some((token.kind, token.sym))
}
