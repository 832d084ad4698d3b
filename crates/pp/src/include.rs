//! Files: opening and leaving them, `#include`, and the shortcuts for headers that
//! guard themselves.

use crate::env::{Include, IncludeError};
use crate::lexer::{Lexer, comment_end, line_end};
use crate::text::Text;
use crate::{Frame, Pp};
use toft_base::{FileId, FileKind, Idx, Span, Symbol};
use toft_diag::{Diagnostic, codes};

/// Deepest nesting of includes.
const MAX_DEPTH: usize = 200;
/// Most includes followed in one compilation, and most text read through them.
const MAX_INCLUDES: u32 = 200_000;
const MAX_BYTES: u64 = 2 << 30;

/// What is known about a file after reading it once.
#[derive(Default, Clone)]
pub(crate) struct FileInfo {
    text: Option<Text>,
    /// The whole file is skipped when this macro is defined.
    guard: Option<Symbol>,
    once: bool,
}

#[derive(Default)]
pub(crate) struct Budget {
    count: u32,
    bytes: u64,
    /// No more includes after a limit was passed.
    closed: bool,
}

/// The search for an include guard in the current file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    /// No directive seen yet.
    Start,
    /// Inside `#ifndef NAME`, the first directive.
    Inside(Symbol),
    /// After its `#endif`, whose line ends at this offset.
    After(Symbol, usize),
    No,
}

impl Pp<'_> {
    fn info(&mut self, id: FileId) -> &mut FileInfo {
        if self.files.len() <= id.index() {
            self.files.resize(id.index() + 1, FileInfo::default());
        }
        &mut self.files[id.index()]
    }

    /// Makes `id` the current file; what was current is forgotten.
    pub(crate) fn open(&mut self, id: FileId) {
        let (lexer, frame) = self.frame(id);
        self.lex = lexer;
        self.file = frame;
    }

    fn frame(&mut self, id: FileId) -> (Lexer, Frame) {
        let prepared = self.info(id).text.clone();
        let map = self.sess.map.borrow();
        let file = map.file(id);
        let text = prepared.unwrap_or_else(|| Text::prepare(&file.text));
        let lexer = Lexer::new(&text, file.start, file.kind == FileKind::Foreign);
        let frame = Frame {
            id,
            start: file.start,
            end: file.start + file.text.len() as u32,
            cond_base: self.conds.len(),
            guard: Guard::Start,
            line_shift: 0,
            shown: None,
        };
        drop(map);
        self.info(id).text = Some(text);
        (lexer, frame)
    }

    /// At the end of a file: back to the including one. False at the end of the main file.
    pub(crate) fn leave_file(&mut self) -> bool {
        self.report_faults();
        while self.conds.len() > self.file.cond_base {
            if let Some(open) = self.conds.pop() {
                let message = format!("this #{} has no #endif", open.name);
                self.error(codes::E0108, message, open.span, "");
            }
        }
        if let Guard::After(name, from) = self.file.guard
            && blank(self.lex.text.as_bytes(), from)
        {
            let info = self.info(self.file.id);
            info.guard = Some(name);
            info.text = None;
        }
        match self.frames.pop() {
            Some((lexer, frame)) => {
                self.lex = lexer;
                self.file = frame;
                true
            }
            None => false,
        }
    }

    /// `#pragma once`.
    pub(crate) fn mark_once(&mut self) {
        let id = self.file.id;
        self.info(id).once = true;
    }

    /// The first directive of the file is `#ifndef name`: a guard, if nothing but blanks
    /// stands before it.
    pub(crate) fn guard_opens(&mut self, name: Symbol, hash: usize) {
        let before = &self.lex.text.as_bytes()[..hash];
        if blank_until(before, 0) == before.len() {
            self.file.guard = Guard::Inside(name);
        }
    }

    pub(crate) fn include(&mut self, word: &str, span: Span) {
        let Some(header) = self.header_name() else {
            self.finish_line();
            return;
        };
        self.expect_line_end(word);
        self.finish_line();
        if self.collecting {
            let message = "#include cannot stand inside the arguments of a macro";
            self.error(codes::E0109, message, header.span, "");
            return;
        }
        if header.name.is_empty() {
            self.error(codes::E0107, "the header's name is empty", header.span, "");
            return;
        }
        let include = Include {
            name: &header.name,
            quoted: header.quoted,
            next: word == "include_next" && !self.frames.is_empty(),
            from: self.file.id,
        };
        match self.env.include(self.sess, &include) {
            Ok(id) => self.enter_file(id, word, span.to(header.span)),
            Err(error) => self.include_failed(&error, &header.name, header.span),
        }
    }

    fn enter_file(&mut self, id: FileId, word: &str, span: Span) {
        let info = self.info(id);
        if info.once || info.guard.is_some_and(|guard| self.macros.get(guard).is_some()) {
            return;
        }
        if self.includes.closed {
            return;
        }
        if self.frames.len() >= MAX_DEPTH {
            self.includes.closed = true;
            self.too_deep(id, span);
            return;
        }
        let (lexer, frame) = self.frame(id);
        self.includes.count += 1;
        self.includes.bytes += lexer.text.len() as u64;
        if self.includes.count > MAX_INCLUDES || self.includes.bytes > MAX_BYTES {
            self.includes.closed = true;
            let message = "too many headers are included";
            self.error(codes::E0901, message, span, "no more includes are followed from here on");
            return;
        }
        let lexer = std::mem::replace(&mut self.lex, lexer);
        let frame = std::mem::replace(&mut self.file, frame);
        self.frames.push((lexer, frame));
        if word == "import" {
            self.mark_once();
        }
    }

    fn too_deep(&mut self, id: FileId, span: Span) {
        let map = self.sess.map.borrow();
        let chain: Vec<&str> = self
            .frames
            .iter()
            .map(|(_, frame)| frame.id)
            .chain([self.file.id, id])
            .map(|id| map.file(id).name.as_str())
            .collect();
        let mut error = Diagnostic::error(
            codes::E0106,
            format!("includes are nested more than {MAX_DEPTH} deep"),
            span,
            "this include is not followed",
        );
        let tail = &chain[chain.len().saturating_sub(6)..];
        error = error.note(format!("the chain of includes ends in: {}", tail.join(" -> ")));
        let repeats = self.file.id == id || self.frames.iter().any(|(_, frame)| frame.id == id);
        if repeats {
            error = error
                .note(format!("{} includes itself", map.file(id).name))
                .help("put `#pragma once` at its top");
        }
        drop(map);
        self.sess.emit(error);
    }

    fn include_failed(&mut self, failure: &IncludeError, name: &str, span: Span) {
        let error = match failure {
            IncludeError::NotFound { searched } => {
                let mut error = Diagnostic::error(
                    codes::E0105,
                    format!("header `{name}` was not found"),
                    span,
                    "",
                );
                if !searched.is_empty() {
                    error = error.note(format!("searched in: {}", searched.join(", ")));
                }
                error.help("add its folder with `-I FOLDER`")
            }
            IncludeError::Unreadable { path, reason } => Diagnostic::error(
                codes::E0105,
                format!("header `{path}` cannot be read: {reason}"),
                span,
                "",
            ),
            IncludeError::NotUtf8 { path, at } => Diagnostic::error(
                codes::E0002,
                format!("header `{path}` is not valid UTF-8"),
                span,
                "",
            )
            .note(format!("the first invalid byte is at offset {at}")),
            IncludeError::TooMuchText => Diagnostic::error(
                codes::E0003,
                "the program's text is larger than 4 GiB",
                span,
                "this header does not fit any more",
            ),
        };
        self.sess.emit(error);
    }
}

/// Only blanks and comments from `pos` to the end.
fn blank(bytes: &[u8], pos: usize) -> bool {
    blank_until(bytes, pos) + 1 == bytes.len()
}

/// The offset of the first byte at or after `pos` that is neither blank nor comment.
fn blank_until(bytes: &[u8], mut pos: usize) -> usize {
    loop {
        match (bytes.get(pos), bytes.get(pos + 1)) {
            (Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c), _) => pos += 1,
            (Some(b'/'), Some(b'*')) => match comment_end(bytes, pos + 2) {
                Some(end) => pos = end,
                None => return pos,
            },
            (Some(b'/'), Some(b'/')) => {
                pos = line_end(bytes, pos);
                if pos + 1 == bytes.len() {
                    return pos;
                }
            }
            _ => return pos,
        }
    }
}
