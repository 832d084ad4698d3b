//! Macros whose text depends on where they stand: `__FILE__`, `__LINE__`, `__COUNTER__`,
//! the `__has_…` operators and `_Pragma`.

use crate::Pp;
use crate::env::{Has, Include};
use crate::macros::{Builtin, Macro};
use crate::ptok::{PTok, SPACE};
use std::cell::Cell;
use std::rc::Rc;
use toft_ast::token::{Punct, TokKind};
use toft_base::{Span, Symbol};
use toft_diag::codes;

const ALL: &[(&str, Builtin)] = &[
    ("__FILE__", Builtin::File),
    ("__LINE__", Builtin::Line),
    ("__COUNTER__", Builtin::Counter),
    ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
    ("__BASE_FILE__", Builtin::BaseFile),
    ("__FILE_NAME__", Builtin::FileName),
    ("__has_include", Builtin::HasInclude { next: false }),
    ("__has_include_next", Builtin::HasInclude { next: true }),
    ("__has_embed", Builtin::HasEmbed),
    ("__has_attribute", Builtin::Has(Has::Attribute)),
    ("__has_c_attribute", Builtin::Has(Has::CAttribute)),
    ("__has_builtin", Builtin::Has(Has::Builtin)),
    ("__has_feature", Builtin::Has(Has::Feature)),
    ("__has_extension", Builtin::Has(Has::Feature)),
    ("_Pragma", Builtin::Pragma),
];

impl Pp<'_> {
    pub(crate) fn install_builtins(&mut self) {
        for &(name, builtin) in ALL {
            let name = Symbol::intern(name);
            let definition = Macro {
                name,
                span: Span::NONE,
                params: Vec::new(),
                function: false,
                variadic: false,
                items: Vec::new(),
                wants: Vec::new(),
                builtin: Some(builtin),
                active: Cell::new(0),
            };
            self.macros.set(name, Some(Rc::new(definition)));
        }
    }

    pub(crate) fn is_defined(&self, name: Symbol) -> bool {
        self.macros.get(name).is_some_and(|found| found.builtin != Some(Builtin::Pragma))
    }

    /// Replaces the name of a builtin, with its arguments if it takes any. False: it
    /// stands for itself.
    pub(crate) fn enter_builtin(&mut self, builtin: Builtin, token: &PTok) -> bool {
        match builtin {
            Builtin::File => {
                let text = match self.file.shown {
                    Some(shown) => shown.as_str().to_owned(),
                    None => self.file_name(self.file.id),
                };
                self.push_string(token, &text);
            }
            Builtin::BaseFile => {
                let text = self.file_name(self.main);
                self.push_string(token, &text);
            }
            Builtin::FileName => {
                let text = self.file_name(self.file.id);
                let last = text.rsplit('/').next().unwrap_or("").to_owned();
                self.push_string(token, &last);
            }
            Builtin::Line => {
                let line = self.sess.map.borrow().loc(token.span).map_or(1, |loc| loc.line);
                let line = i64::from(line) + self.file.line_shift;
                self.push_number(token, line.max(0) as u64);
            }
            Builtin::Counter => {
                let count = self.counter;
                self.counter += 1;
                self.push_number(token, count);
            }
            Builtin::IncludeLevel => {
                let level = self.frames.len() as u64;
                self.push_number(token, level);
            }
            Builtin::HasInclude { next } => match self.has_include(token, next) {
                Some(found) => self.push_number(token, u64::from(found)),
                None => self.push_number(token, 0),
            },
            Builtin::HasEmbed | Builtin::Has(_) => {
                if !self.lparen_follows() {
                    return false;
                }
                let name = self.parenthesised();
                let answer = match builtin {
                    Builtin::Has(what) => self.env.has(what, &name),
                    _ => 0,
                };
                self.push_number(token, u64::from(answer));
            }
            Builtin::Pragma => {
                if !self.lparen_follows() {
                    return false;
                }
                // Pragmas mean nothing here; the operator leaves nothing behind.
                self.parenthesised();
            }
        }
        true
    }

    fn file_name(&self, id: toft_base::FileId) -> String {
        self.sess.map.borrow().file(id).name.clone()
    }

    fn push_string(&mut self, at: &PTok, text: &str) {
        let mut spelling = String::with_capacity(text.len() + 2);
        spelling.push('"');
        for c in text.chars() {
            if c == '"' || c == '\\' {
                spelling.push('\\');
            }
            spelling.push(c);
        }
        spelling.push('"');
        let token = PTok { kind: TokKind::Str, sym: Symbol::intern(&spelling), ..*at };
        self.push_one(token);
    }

    fn push_number(&mut self, at: &PTok, value: u64) {
        let token = PTok { kind: TokKind::Number, sym: Symbol::intern(&value.to_string()), ..*at };
        self.push_one(token);
    }

    fn push_one(&mut self, token: PTok) {
        let start = self.buffer.len();
        self.buffer.push(token);
        self.push_context(start, None, false);
    }

    /// The text of the parenthesised tokens that follow, without blanks.
    fn parenthesised(&mut self) -> String {
        let was_collecting = std::mem::replace(&mut self.collecting, true);
        let open = self.next_raw();
        let mut depth = 1;
        let mut text = String::new();
        loop {
            let token = self.next_raw();
            match token.kind {
                TokKind::Punct(Punct::LParen) => depth += 1,
                TokKind::Punct(Punct::RParen) => depth -= 1,
                TokKind::Eof => {
                    self.error(codes::E0107, "this parenthesis is not closed", open.span, "");
                    break;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            token.spell(&mut text);
        }
        self.collecting = was_collecting;
        text
    }

    /// `(<x>)` or `("x")` after `__has_include`.
    fn has_include(&mut self, name: &PTok, next: bool) -> Option<bool> {
        if !self.lex.cur.in_directive {
            let message = format!("`{}` stands only in #if and #elif", name.sym);
            self.error(codes::E0107, message, name.span, "");
            return None;
        }
        if !self.lparen_follows() {
            let message = format!("`{}` needs a parenthesised header name", name.sym);
            self.error(codes::E0107, message, name.span, "");
            return None;
        }
        self.next_raw();
        let header = self.header_name()?;
        let close = self.next_raw();
        if !close.is(Punct::RParen) {
            self.error(codes::E0107, "`)` was expected after the header name", close.span, "");
            return None;
        }
        let include = Include {
            name: &header.name,
            quoted: header.quoted,
            next: next && !self.frames.is_empty(),
            from: self.file.id,
        };
        Some(self.env.exists(self.sess, &include))
    }

    /// A header name: as it is written after the cursor, or from the macros there.
    pub(crate) fn header_name(&mut self) -> Option<Header> {
        if self.contexts_done()
            && let Some(header) = self.written_header()
        {
            return Some(header);
        }
        let first = self.next_token();
        if first.kind == TokKind::Str && first.sym.as_str().starts_with('"') {
            let text = first.sym.as_str();
            let name = text[1..text.len() - 1].to_owned();
            return Some(Header { name, quoted: true, span: first.span });
        }
        let mut name = String::new();
        if first.is(Punct::Lt) {
            loop {
                let token = self.next_token();
                if token.is(Punct::Gt) {
                    return Some(Header { name, quoted: false, span: first.span });
                }
                if token.is_eof() {
                    break;
                }
                if !name.is_empty() && token.has(SPACE) {
                    name.push(' ');
                }
                token.spell(&mut name);
            }
        }
        self.error(codes::E0107, "\"file\" or <file> was expected", first.span, "");
        None
    }

    fn contexts_done(&self) -> bool {
        self.contexts.iter().all(|context| context.pos == context.end && !context.barrier)
    }

    /// `<x>` or `"x"` in the text itself, where backslashes and `//` are plain characters.
    fn written_header(&mut self) -> Option<Header> {
        let text = Rc::clone(&self.lex.text);
        let bytes = text.as_bytes();
        let cursor = &mut self.lex.cur;
        let mut pos = cursor.pos;
        loop {
            match bytes[pos] {
                b' ' | b'\t' => pos += 1,
                b'/' if bytes[pos + 1] == b'*' => {
                    pos = crate::lexer::comment_end(bytes, pos + 2)?;
                }
                _ => break,
            }
        }
        let close = match bytes[pos] {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let end = pos + 1 + memchr::memchr2(close, b'\n', &bytes[pos + 1..])?;
        if bytes[end] != close {
            return None;
        }
        cursor.pos = end + 1;
        let span = cursor.span(pos, end + 1);
        Some(Header { name: text[pos + 1..end].to_owned(), quoted: close == b'"', span })
    }
}

pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) quoted: bool,
    pub(crate) span: Span,
}
