//! A small tokenizer, so that the parser's tests need no preprocessor.

use toft_ast::{Punct, TokKind, Token};
use toft_base::{FileKind, Span, Symbol};
use toft_diag::Session;

/// Loads `text` as a file and cuts it into tokens. Lines that begin with `#` are skipped.
pub fn tokens(sess: &Session, text: &str, kind: FileKind) -> Vec<Token> {
    let mut map = sess.map.borrow_mut();
    let id = map
        .add_file("test.toft".into(), "test.toft".into(), text.to_owned(), kind)
        .expect("a small file");
    let base = map.file(id).start;
    drop(map);
    let foreign = kind == FileKind::Foreign;
    let mut lexer = Lexer { text, at: 0, base, foreign, out: Vec::new() };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    base: u32,
    foreign: bool,
    out: Vec<Token>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Lexer<'_> {
    fn byte(&self, n: usize) -> u8 {
        self.text.as_bytes().get(self.at + n).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        let (mut line_start, mut space) = (true, false);
        while self.at < self.text.len() {
            match self.byte(0) {
                b'\n' => (line_start, space) = (true, true),
                b' ' | b'\t' | b'\r' | 12 => space = true,
                b'#' if line_start => {
                    while self.at < self.text.len() && self.byte(0) != b'\n' {
                        self.at += 1;
                    }
                    continue;
                }
                b'/' if self.byte(1) == b'/' => {
                    while self.at < self.text.len() && self.byte(0) != b'\n' {
                        self.at += 1;
                    }
                    continue;
                }
                _ => {
                    self.token(line_start, space);
                    (line_start, space) = (false, false);
                    continue;
                }
            }
            self.at += 1;
        }
        self.push(TokKind::Eof, self.at, "", true, true);
    }

    fn push(&mut self, kind: TokKind, from: usize, sym: &str, line_start: bool, space: bool) {
        let span = Span::new(self.base + from as u32, self.base + self.at as u32);
        self.out.push(Token { kind, space, line_start, sym: Symbol::intern(sym), span });
    }

    fn words(&mut self) {
        while is_word(self.byte(0)) {
            self.at += 1;
        }
    }

    fn token(&mut self, line_start: bool, space: bool) {
        let from = self.at;
        let (kind, skip) = self.kind();
        let sym = &self.text[from + skip..self.at];
        self.push(kind, from, sym, line_start, space);
    }

    /// Takes one token; its kind and how many bytes its symbol leaves out.
    fn kind(&mut self) -> (TokKind, usize) {
        let first = self.byte(0);
        let prefix = match first {
            b'L' | b'u' | b'U' => 1 + usize::from(first == b'u' && self.byte(1) == b'8'),
            _ => 0,
        };
        if matches!(self.byte(prefix), b'"') || prefix == 1 && self.byte(1) == b'\'' {
            self.at += prefix;
            return (self.quoted(), 0);
        }
        if first == b'\'' || first == b'`' {
            let word = self.byte(1).is_ascii_alphabetic() || self.byte(1) == b'_';
            if first == b'`' || word && self.byte(2) != b'\'' && !self.foreign {
                self.at += 1;
                self.words();
                return (TokKind::TyVar, 1);
            }
            return (self.quoted(), 0);
        }
        if first.is_ascii_digit() || first == b'.' && self.byte(1).is_ascii_digit() {
            while is_word(self.byte(0))
                || self.byte(0) == b'.'
                || matches!(self.byte(0), b'+' | b'-')
                    && matches!(self.text.as_bytes()[self.at - 1] | 32, b'e' | b'p')
            {
                self.at += 1;
            }
            return (TokKind::Number, 0);
        }
        if is_word(first) {
            self.words();
            return (TokKind::Ident, 0);
        }
        if first == b'\\' && self.byte(1).is_ascii_uppercase() {
            self.at += 1;
            self.words();
            return (TokKind::Aqual, 1);
        }
        let rest = &self.text[self.at..];
        let found = Punct::ALL
            .iter()
            .filter(|(_, text)| rest.starts_with(text))
            .max_by_key(|(_, text)| text.len());
        match found {
            Some((punct, text)) => {
                self.at += text.len();
                (TokKind::Punct(*punct), 0)
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                (TokKind::Unknown, 0)
            }
        }
    }

    fn quoted(&mut self) -> TokKind {
        let quote = self.byte(0);
        self.at += 1;
        while self.at < self.text.len() && self.byte(0) != quote {
            self.at += if self.byte(0) == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(self.text.len());
        if quote == b'"' { TokKind::Str } else { TokKind::Char }
    }
}
