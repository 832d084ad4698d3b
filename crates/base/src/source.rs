//! The source map: files and macro expansions share one space of positions.
//!
//! Position 0 is reserved (`Span::NONE`). Each file takes `len + 1` positions.
//! Each token that a macro expansion produced takes its own small range, mapped
//! to where the token is spelled and to where the macro was called.

use crate::Span;
use std::path::{Path, PathBuf};

crate::ids! {
    /// A loaded file.
    pub struct FileId = "file";
}

/// What sort of file it is: decides which rules hold for its declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A Toft source or header of the user.
    User,
    /// A file of Toft's own library (`lib/`): its declarations are trusted to
    /// the extent `toft audit` lists.
    Library,
    /// A C header of the host: what it declares is foreign.
    Foreign,
}

pub struct SourceFile {
    /// As shown in messages: relative where possible.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    pub kind: FileKind,
    pub start: u32,
    line_starts: Vec<u32>,
}

/// One token made by a macro expansion.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// First position of the token; it extends to the next entry's start.
    pub start: u32,
    /// Where the token's text is written (in the macro's body or an argument).
    pub spelling: Span,
    /// The macro call that produced it; may lie in an expansion itself.
    pub call: Span,
    /// The macro's name, as a symbol.
    pub name: crate::Symbol,
}

/// A position resolved for people. Lines and columns count from 1; columns
/// count characters, `byte_col` bytes from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub col: u32,
    pub byte_col: u32,
}

#[derive(Default)]
pub struct SourceMap {
    files: crate::IndexVec<FileId, SourceFile>,
    /// Starts of every chunk in rising order, files and runs of expansions mixed.
    chunks: Vec<(u32, Chunk)>,
    expansions: Vec<Expansion>,
    next: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chunk {
    File(FileId),
    Expansions,
}

/// More text than positions: the sum of all files must stay below 4 GiB.
#[derive(Debug)]
pub struct TooMuchText;

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap { next: 1, ..SourceMap::default() }
    }

    pub fn add_file(
        &mut self,
        name: String,
        path: PathBuf,
        text: String,
        kind: FileKind,
    ) -> Result<FileId, TooMuchText> {
        let start = self.next;
        let len = u32::try_from(text.len()).map_err(|_| TooMuchText)?;
        self.next = start.checked_add(len).and_then(|n| n.checked_add(1)).ok_or(TooMuchText)?;
        let id = self.files.push(SourceFile {
            name,
            path,
            line_starts: line_starts(&text),
            text,
            kind,
            start,
        });
        self.chunks.push((start, Chunk::File(id)));
        Ok(id)
    }

    /// Records a token that the expansion of macro `name`, called at `call`,
    /// produced from text at `spelling`. Returns the token's own span; when the
    /// positions are used up, the call's span.
    pub fn add_expansion(&mut self, spelling: Span, call: Span, name: crate::Symbol) -> Span {
        let len = (spelling.hi.saturating_sub(spelling.lo)).clamp(1, 256);
        let start = self.next;
        let Some(next) = start.checked_add(len) else { return call };
        self.next = next;
        if !matches!(self.chunks.last(), Some((_, Chunk::Expansions))) {
            self.chunks.push((start, Chunk::Expansions));
        }
        self.expansions.push(Expansion { start, spelling, call, name });
        Span::new(start, next)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter_enumerated()
    }

    fn chunk_of(&self, pos: u32) -> Option<Chunk> {
        let after = self.chunks.partition_point(|&(start, _)| start <= pos);
        after.checked_sub(1).map(|n| self.chunks[n].1)
    }

    /// The expansion that made the token at `pos`, if a macro did.
    pub fn expansion_at(&self, pos: u32) -> Option<&Expansion> {
        if self.chunk_of(pos) != Some(Chunk::Expansions) {
            return None;
        }
        let after = self.expansions.partition_point(|e| e.start <= pos);
        after.checked_sub(1).map(|n| &self.expansions[n])
    }

    /// The span in a file that a person wrote and that stands for `span`: macro
    /// calls instead of what they expanded to.
    pub fn call_site(&self, span: Span) -> Span {
        let lo = self.outermost(Span::new(span.lo, span.lo.max(span.hi)));
        let last = span.hi.saturating_sub(1).max(span.lo);
        if self.expansion_at(span.lo).is_none() && self.expansion_at(last).is_none() {
            return span;
        }
        let hi = self.outermost(Span::new(last, last + 1));
        match (self.file_of(lo.lo), self.file_of(hi.lo)) {
            (Some(a), Some(b)) if a == b && lo.lo <= hi.hi => Span::new(lo.lo, hi.hi),
            _ => lo,
        }
    }

    fn outermost(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion_at(span.lo) {
            span = expansion.call;
        }
        span
    }

    /// Where the text of the token at `span` is spelled, in a file.
    pub fn spelling(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion_at(span.lo) {
            span = expansion.spelling;
        }
        span
    }

    /// The macro calls around `span`, innermost first: name, body spelling, call site.
    pub fn backtrace(&self, span: Span) -> Vec<Expansion> {
        let mut trace = Vec::new();
        let mut pos = span.lo;
        while let Some(expansion) = self.expansion_at(pos) {
            trace.push(*expansion);
            pos = expansion.call.lo;
        }
        trace
    }

    pub fn file_of(&self, pos: u32) -> Option<FileId> {
        if pos == 0 {
            return None;
        }
        match self.chunk_of(pos)? {
            Chunk::File(id) => Some(id),
            Chunk::Expansions => None,
        }
    }

    /// The kind of the file in which `span` was written, at its call site.
    pub fn kind_of(&self, span: Span) -> FileKind {
        match self.file_of(self.call_site(span).lo) {
            Some(id) => self.files[id].kind,
            None => FileKind::Library,
        }
    }

    /// File, line and column of the first character of `span`, at its call site.
    pub fn loc(&self, span: Span) -> Option<Loc> {
        self.loc_of_pos(self.outermost(span).lo)
    }

    /// The same for a position that lies in a file.
    pub fn loc_of_pos(&self, pos: u32) -> Option<Loc> {
        let id = self.file_of(pos)?;
        let file = &self.files[id];
        let offset = (pos - file.start).min(file.text.len() as u32);
        let line = file.line_starts.partition_point(|&start| start <= offset) - 1;
        let byte_col = offset - file.line_starts[line];
        let from = file.line_starts[line] as usize;
        let col = match file.text.get(from..offset as usize) {
            Some(text) => text.chars().count() as u32,
            None => byte_col,
        };
        Some(Loc { file: id, line: line as u32 + 1, col: col + 1, byte_col })
    }

    /// The text of a span that lies in one file.
    pub fn text(&self, span: Span) -> &str {
        let Some(id) = self.file_of(span.lo) else { return "" };
        let file = &self.files[id];
        let lo = (span.lo - file.start) as usize;
        let hi = (span.hi.saturating_sub(file.start)) as usize;
        file.text.get(lo..hi.min(file.text.len())).unwrap_or("")
    }

    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.files.iter_enumerated().find(|(_, file)| file.path == path).map(|(id, _)| id)
    }
}

impl SourceFile {
    /// The text of line `line` (from 1), without its end.
    pub fn line(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get(line.saturating_sub(1) as usize) else { return "" };
        let end = match self.line_starts.get(line as usize) {
            Some(&next) => next as usize,
            None => self.text.len(),
        };
        self.text.get(start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = Vec::with_capacity(text.len() / 24 + 1);
    starts.push(0);
    starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(n, _)| n as u32 + 1));
    starts
}
