//! The parser's state: the token cursor, lookahead, and the measure of nesting.

use crate::keyword::{Kw, Words};
use crate::scope::{NameKind, Scopes};
use toft_ast::{Ident, Path, Punct, TokKind, Token};
use toft_base::stack::MAX_DEPTH;
use toft_base::{FileKind, Span, Symbol};
use toft_diag::{Diagnostic, Reported, Session, codes};

/// What a rule gives: a node, or the proof that its malformation was reported.
pub(crate) type PResult<T> = Result<T, Reported>;

pub(crate) struct Parser<'a> {
    pub sess: &'a Session,
    toks: &'a [Token],
    eof: Token,
    pos: usize,
    /// The current token; differs from `toks[pos]` only after half of a `>>` was taken.
    pub tok: Token,
    /// The word of the current token when it is an identifier.
    pub kw: Kw,
    /// The span of the last token taken.
    pub prev: Span,
    words: Words,
    pub scope: Scopes,
    depth: u32,
    /// An upper bound of the height of what was built at this depth so far.
    height: u32,
    /// Where the last error was reported: one error per token.
    pub last_error: Option<(usize, Reported)>,
    /// Parsing was given up: nothing more is reported.
    pub gave_up: bool,
    /// A record's body ended and a new declaration seems to begin right after it.
    pub missing_semi: bool,
    /// A `}` is missing: open blocks end here, before the item that follows.
    pub unwinding: bool,
    /// The `{` of the innermost block or record body.
    pub innermost: Span,
    /// `struct S {` is not a definition here (after `new`).
    pub no_body: bool,
}

impl<'a> Parser<'a> {
    pub fn new(sess: &'a Session, toks: &'a [Token]) -> Parser<'a> {
        let end = toks.last().map_or(Span::NONE, |tok| tok.span.after());
        let eof = Token {
            kind: TokKind::Eof,
            space: true,
            line_start: true,
            sym: Symbol::intern(""),
            span: end,
        };
        let toks = match toks.split_last() {
            Some((last, rest)) if last.kind == TokKind::Eof => rest,
            _ => toks,
        };
        let mut parser = Parser {
            sess,
            toks,
            eof,
            pos: 0,
            tok: eof,
            kw: Kw::None,
            prev: Span::NONE,
            words: Words::new(),
            scope: Scopes::new(),
            depth: 0,
            height: 0,
            last_error: None,
            gave_up: false,
            missing_semi: false,
            unwinding: false,
            innermost: Span::NONE,
            no_body: false,
        };
        parser.load();
        parser
    }

    // ---- the cursor ----

    fn load(&mut self) {
        loop {
            self.tok = self.toks.get(self.pos).copied().unwrap_or(self.eof);
            match self.tok.kind {
                TokKind::Ident => self.kw = self.words.get(self.tok.sym),
                // Reported and skipped: the grammar never sees it.
                TokKind::Unknown => {
                    self.report_unknown();
                    self.pos += 1;
                    continue;
                }
                _ => self.kw = Kw::None,
            }
            return;
        }
    }

    fn report_unknown(&self) {
        let span = self.tok.span;
        let text = self.sess.map.borrow().text(span).to_owned();
        let message = format!("`{}` is no token of the language", text.escape_debug());
        self.sess.emit(Diagnostic::error(codes::E0101, message, span, ""));
    }

    /// Takes the current token.
    #[inline]
    pub fn bump(&mut self) {
        self.prev = self.tok.span;
        if self.pos < self.toks.len() {
            self.pos += 1;
        }
        self.load();
    }

    /// Goes back to the token at `pos`: only to leave a block whose `}` is missing.
    pub fn rewind(&mut self, pos: usize) {
        self.pos = pos;
        self.load();
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    /// The token `n` places on; 0 is the current one.
    #[inline]
    pub fn peek(&self, n: usize) -> Token {
        self.toks.get(self.pos + n).copied().unwrap_or(self.eof)
    }

    pub fn tok_at(&self, pos: usize) -> Token {
        self.toks.get(pos).copied().unwrap_or(self.eof)
    }

    #[inline]
    pub fn peek_is(&self, n: usize, punct: Punct) -> bool {
        self.peek(n).is(punct)
    }

    /// The special word `n` places on.
    pub fn peek_kw(&self, n: usize) -> Kw {
        let tok = self.peek(n);
        if tok.kind == TokKind::Ident { self.words.get(tok.sym) } else { Kw::None }
    }

    /// An identifier that is no reserved word, `n` places on.
    pub fn peek_name(&self, n: usize) -> bool {
        let tok = self.peek(n);
        tok.kind == TokKind::Ident && !self.words.get(tok.sym).is_reserved()
    }

    #[inline]
    pub fn at(&self, punct: Punct) -> bool {
        self.tok.kind == TokKind::Punct(punct)
    }

    #[inline]
    pub fn at_eof(&self) -> bool {
        self.tok.kind == TokKind::Eof
    }

    /// The current token is an identifier that is no reserved word.
    #[inline]
    pub fn at_name(&self) -> bool {
        self.tok.kind == TokKind::Ident && !self.kw.is_reserved()
    }

    /// Takes `punct` if it is there.
    #[inline]
    pub fn eat(&mut self, punct: Punct) -> bool {
        let there = self.at(punct);
        if there {
            self.bump();
        }
        there
    }

    pub fn eat_kw(&mut self, kw: Kw) -> bool {
        let there = self.kw == kw;
        if there {
            self.bump();
        }
        there
    }

    /// The current token is Toft's word `kw`: not declared as something else, and not in a
    /// C header.
    pub fn at_word(&self, kw: Kw) -> bool {
        self.kw == kw && self.word_is_free(0)
    }

    /// Whether the word `n` places on may be Toft's.
    pub fn word_is_free(&self, n: usize) -> bool {
        let tok = self.peek(n);
        self.scope.kind(tok.sym) == NameKind::Unknown && !self.is_foreign(tok.span)
    }

    pub fn is_foreign(&self, span: Span) -> bool {
        self.sess.map.borrow().kind_of(span) == FileKind::Foreign
    }

    /// The current token begins with `>`: takes that and leaves the rest of it.
    pub fn eat_gt(&mut self) -> bool {
        let rest = match self.tok.kind {
            TokKind::Punct(Punct::Gt) => {
                self.bump();
                return true;
            }
            TokKind::Punct(Punct::Shr) => Punct::Gt,
            TokKind::Punct(Punct::Ge) => Punct::Eq,
            TokKind::Punct(Punct::ShrEq) => Punct::Ge,
            _ => return false,
        };
        let span = self.tok.span;
        let middle = (span.lo + 1).min(span.hi);
        self.prev = Span::new(span.lo, middle);
        self.tok.kind = TokKind::Punct(rest);
        self.tok.span = Span::new(middle, span.hi);
        true
    }

    /// From `lo` to the last token taken.
    #[inline]
    pub fn since(&self, lo: Span) -> Span {
        lo.to(self.prev)
    }

    // ---- names ----

    pub fn ident(&mut self, what: &str) -> PResult<Ident> {
        if !self.at_name() {
            return Err(self.expected(what));
        }
        let ident = Ident { name: self.tok.sym, span: self.tok.span };
        self.bump();
        Ok(ident)
    }

    /// `a`, `A::b`, `::b`.
    pub fn path(&mut self, what: &str) -> PResult<Path> {
        let lo = self.tok.span;
        let global = self.eat(Punct::ColonColon);
        let first = self.ident(what)?;
        if !self.at(Punct::ColonColon) || !self.peek_name(1) {
            return Ok(Path { global, segments: first.into(), span: self.since(lo) });
        }
        let mut segments = vec![first];
        while self.at(Punct::ColonColon) && self.peek_name(1) {
            self.bump();
            segments.push(self.ident(what)?);
        }
        Ok(Path { global, segments: segments.into(), span: self.since(lo) })
    }

    /// What the name `n` places on stands for, and where what follows it is.
    #[inline]
    pub fn path_at(&self, n: usize) -> (NameKind, usize) {
        if !self.peek_is(n, Punct::ColonColon) && !self.peek_is(n + 1, Punct::ColonColon) {
            return (self.scope.kind(self.peek(n).sym), n + 1);
        }
        let mut at = n;
        let global = self.peek_is(at, Punct::ColonColon);
        at += usize::from(global);
        let mut segments = vec![self.peek(at).sym];
        at += 1;
        while self.peek_is(at, Punct::ColonColon) && self.peek_name(at + 1) {
            segments.push(self.peek(at + 1).sym);
            at += 2;
        }
        (self.scope.path_kind(global, &segments), at)
    }

    // ---- nesting ----

    /// Runs `rule` one level down.
    #[inline]
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        let outer = std::mem::replace(&mut self.height, 0);
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        self.height = outer.max(self.height + 1);
        if self.depth + self.height > MAX_DEPTH {
            return Err(self.too_deep());
        }
        result
    }

    /// What was built at this depth becomes part of a node one higher, as in `a + b + c`.
    #[inline]
    pub fn chain(&mut self) -> PResult<()> {
        self.height += 1;
        if self.depth + self.height > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        let span = if self.at_eof() { self.prev } else { self.tok.span };
        let diagnostic = Diagnostic::error(codes::E0205, message, span, "too deep here")
            .help("split it into several expressions, functions or types");
        let reported = self.report(diagnostic);
        self.gave_up = true;
        self.pos = self.toks.len();
        self.load();
        reported
    }
}
