//! The preprocessor: C11 with what C23 and GNU made common, over Toft's tokens.
//!
//! In: a file of the session's source map, and an [`Env`] that finds headers.
//! Out: the tokens of the whole translation unit, ending in one `Eof`.
//! Needs: nothing from other passes; does no I/O.
//! Keeps: every token's exact place; tokens from macros lead back to spelling and call
//! through the source map.
//! Invariants: no `Unknown` token leaves (they are reported here, E0101 or E0102); the
//! work is bounded: expansion by 20 million tokens, includes by depth, number and size.

mod builtin;
mod chars;
mod cond;
mod define;
mod directive;
mod env;
mod expand;
mod include;
mod lexer;
mod macros;
mod names;
mod ptok;
mod raw;
mod skip;
mod subst;
#[cfg(test)]
mod tests;
mod text;

pub use env::{Env, Has, Include, IncludeError};

use expand::Context;
use lexer::{Fault, Lexer};
use names::Names;
use ptok::{BOL, PTok, SPACE};
use subst::Args;
use text::Text;
use toft_ast::token::{Punct, TokKind, Token};
use toft_base::{FileId, FileKind, Span, Symbol};
use toft_diag::{Code, Diagnostic, Session, codes};

/// Preprocesses `main`.
pub fn run(sess: &Session, main: FileId, env: &mut dyn Env) -> Vec<Token> {
    let mut pp = Pp::new(sess, main, env);
    pp.install_builtins();
    let predefined = pp.env.predefined();
    let builtin = sess.map.borrow_mut().add_file(
        "<built-in>".to_owned(),
        "<built-in>".into(),
        predefined,
        FileKind::Library,
    );
    match builtin {
        Ok(builtin) => {
            pp.open(builtin);
            while !pp.next_token().is_eof() {}
        }
        Err(_) => pp.error(codes::E0003, "the predefined macros are too large", Span::NONE, ""),
    }
    pp.open(main);
    pp.translate();
    pp.out
}

/// The state of one run.
pub(crate) struct Pp<'a> {
    sess: &'a Session,
    env: &'a mut dyn Env,
    main: FileId,
    names: Names,
    lex: Lexer,
    file: Frame,
    /// The files whose include directive is being followed, outermost first.
    frames: Vec<(Lexer, Frame)>,
    conds: Vec<directive::Cond>,
    files: Vec<include::FileInfo>,
    includes: include::Budget,
    macros: macros::Table,
    saved_macros: Vec<(Symbol, Option<std::rc::Rc<macros::Macro>>)>,
    contexts: Vec<Context>,
    buffer: Vec<PTok>,
    pool: Vec<Args>,
    scratch: Vec<PTok>,
    nesting: u32,
    /// Tokens made by macros so far.
    produced: u64,
    /// Tokens read as arguments so far.
    collected: u64,
    /// Expansion was stopped by a limit.
    exhausted: bool,
    /// Reading the arguments of a macro call: a file's end is not crossed.
    collecting: bool,
    /// In `#if`: tokens from macros need no places of their own.
    quiet: bool,
    counter: u64,
    out: Vec<Token>,
}

/// What belongs to one file being read.
pub(crate) struct Frame {
    id: FileId,
    start: u32,
    end: u32,
    /// Conditionals below this belong to including files.
    cond_base: usize,
    guard: include::Guard,
    /// `#line`: added to real line numbers, and the file name it gave.
    line_shift: i64,
    shown: Option<Symbol>,
}

impl<'a> Pp<'a> {
    fn new(sess: &'a Session, main: FileId, env: &'a mut dyn Env) -> Pp<'a> {
        Pp {
            sess,
            env,
            main,
            names: Names::new(),
            lex: Lexer::new(&Text::prepare(""), 1, true),
            file: Frame {
                id: main,
                start: 0,
                end: 0,
                cond_base: 0,
                guard: include::Guard::No,
                line_shift: 0,
                shown: None,
            },
            frames: Vec::new(),
            conds: Vec::new(),
            files: Vec::new(),
            includes: include::Budget::default(),
            macros: macros::Table::default(),
            saved_macros: Vec::new(),
            contexts: Vec::new(),
            buffer: Vec::new(),
            pool: Vec::new(),
            scratch: Vec::new(),
            nesting: 0,
            produced: 0,
            collected: 0,
            exhausted: false,
            collecting: false,
            quiet: false,
            counter: 0,
            out: Vec::new(),
        }
    }

    /// Reads everything into `out`.
    fn translate(&mut self) {
        // One token for two bytes is more than real text has; what is not touched costs nothing.
        self.out.reserve(self.lex.text.len() / 2);
        loop {
            let token = self.next_token();
            match token.kind {
                TokKind::Unknown => self.unknown(&token),
                TokKind::Punct(Punct::LBrace) if self.raw_opens() => self.raw_c(&token),
                TokKind::Eof => {
                    self.out.push(token.public());
                    return;
                }
                _ => self.out.push(token.public()),
            }
        }
    }

    /// `{` was read straight from a Toft file: does `extern "C include"` stand before it?
    fn raw_opens(&self) -> bool {
        let known = &self.names.known;
        match self.out.as_slice() {
            [.., a, b] => {
                b.sym == known.c_include
                    && a.sym == known.extern_
                    && self.contexts.is_empty()
                    && !self.in_foreign()
            }
            _ => false,
        }
    }

    fn raw_c(&mut self, open: &PTok) {
        let span = self.lex.raw_block(open.span);
        let sym = Symbol::intern(self.sess.map.borrow().text(span));
        self.out.push(Token { kind: TokKind::RawC, space: true, line_start: false, sym, span });
    }

    /// A token that the language does not have has reached the output.
    fn unknown(&mut self, token: &PTok) {
        let text = token.sym.as_str();
        let quote = text.trim_start_matches(['L', 'u', 'U', '8']);
        if let Some(quote @ (b'"' | b'\'')) = quote.bytes().next() {
            // In Toft text the lexer has said so already.
            let foreign = {
                let map = self.sess.map.borrow();
                let file = map.file_of(map.spelling(token.span).lo);
                file.is_some_and(|file| map.file(file).kind == FileKind::Foreign)
            };
            if foreign {
                self.unterminated(quote, Span::new(token.span.lo, token.span.lo + 1));
            }
            return;
        }
        let c = text.chars().next().unwrap_or(' ');
        let message = match c {
            '\\' => "a backslash stands only before an aliasability such as `\\U`".to_owned(),
            c if c.is_control() => format!("the character U+{:04X} has no meaning here", c as u32),
            c if c.is_ascii() => format!("the character `{c}` has no meaning here"),
            c => format!("the character `{c}` (U+{:04X}) has no meaning here", c as u32),
        };
        let mut error = Diagnostic::error(codes::E0101, message, token.span, "");
        if let Some(plain) = look_alike(c) {
            error =
                error.suggest(token.span, plain, format!("it looks like `{plain}`, write that"));
        }
        self.sess.emit(error);
    }

    fn unterminated(&mut self, quote: u8, span: Span) {
        let what = if quote == b'"' { "string" } else { "character" };
        let message = format!("this {what} does not end on its line");
        let label = format!("`{}` is missing", quote as char);
        self.error(codes::E0102, message, span, label);
    }

    /// The next token of the current file, with directives done.
    fn lex_file(&mut self) -> PTok {
        loop {
            let token = self.lex.next(&mut self.names);
            match token.kind {
                TokKind::Punct(Punct::Hash) if token.has(BOL) && !self.lex.cur.in_directive => {
                    self.directive();
                }
                TokKind::Eof if !self.lex.cur.in_directive => {
                    if self.collecting || !self.leave_file() {
                        return token;
                    }
                }
                _ => return token,
            }
        }
    }

    /// A token of the directive's own line, not expanded.
    fn lex_line(&mut self) -> PTok {
        self.lex.next(&mut self.names)
    }

    fn eof_token(&self, span: Span) -> PTok {
        PTok { kind: TokKind::Eof, flags: SPACE, sym: self.names.known.empty, span }
    }

    fn in_foreign(&self) -> bool {
        self.lex.cur.foreign
    }

    fn error(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.sess.emit(Diagnostic::error(code, message, span, label));
    }

    /// Reports what the lexer of the current file found wrong.
    fn report_faults(&mut self) {
        for (fault, span) in std::mem::take(&mut self.lex.cur.faults) {
            match fault {
                Fault::Comment => {
                    self.error(codes::E0102, "this comment does not end", span, "`*/` is missing");
                }
                Fault::RawC => {
                    let message = "this block of raw C does not end";
                    self.error(codes::E0102, message, span, "`}` is missing");
                }
                Fault::Nul => {
                    self.error(codes::E0101, "the text contains a NUL character", span, "");
                }
                Fault::Quote(quote) => self.unterminated(quote, span),
            }
        }
    }
}

/// The plain character that people mean when they paste this one.
fn look_alike(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{00b4}' => "'",
        '\u{201c}' | '\u{201d}' => "\"",
        '\u{2013}' | '\u{2014}' | '\u{2212}' => "-",
        '\u{00a0}' | '\u{200b}' | '\u{feff}' | '\u{3000}' => " ",
        '\u{ff1b}' | '\u{037e}' => ";",
        '\u{00d7}' => "*",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        _ => return None,
    })
}
