//! Tests of the preprocessor, over headers held in memory.

mod directives;
mod lexing;
mod limits;
mod literals;
mod macros;

use crate::{Env, Include, IncludeError, run};
use std::collections::BTreeMap;
use toft_ast::token::{TokKind, Token};
use toft_base::{FileId, FileKind};
use toft_diag::session::Options;
use toft_diag::{Diagnostic, Session};

/// Headers in memory: `"x"` and `<x>` mean the same; names with `sys/` are foreign.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) files: BTreeMap<&'static str, String>,
    loaded: BTreeMap<String, FileId>,
}

impl Env for Memory {
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        if let Some(&id) = self.loaded.get(include.name) {
            return Ok(id);
        }
        let Some(text) = self.files.get(include.name) else {
            return Err(IncludeError::NotFound { searched: vec!["memory".to_owned()] });
        };
        let kind =
            if include.name.starts_with("sys/") { FileKind::Foreign } else { FileKind::User };
        let id = load(sess, include.name, text, kind);
        self.loaded.insert(include.name.to_owned(), id);
        Ok(id)
    }

    fn exists(&mut self, _: &Session, include: &Include<'_>) -> bool {
        self.files.contains_key(include.name)
    }

    fn predefined(&mut self) -> String {
        "#define __TOFT__ 1\n".to_owned()
    }
}

fn load(sess: &Session, name: &str, text: &str, kind: FileKind) -> FileId {
    sess.map
        .borrow_mut()
        .add_file(name.to_owned(), name.into(), text.to_owned(), kind)
        .expect("small")
}

pub(crate) struct Done {
    pub(crate) sess: Session,
    pub(crate) tokens: Vec<Token>,
    pub(crate) said: Vec<Diagnostic>,
}

pub(crate) fn process(files: &[(&'static str, &str)], main: &str) -> Done {
    process_as(files, main, FileKind::User)
}

pub(crate) fn process_as(files: &[(&'static str, &str)], main: &str, kind: FileKind) -> Done {
    let sess = Session::new(Options::default());
    let id = load(&sess, "main.toft", main, kind);
    let files = files.iter().map(|&(name, text)| (name, text.to_owned())).collect();
    let mut env = Memory { files, ..Memory::default() };
    let tokens = run(&sess, id, &mut env);
    let said = sess.take();
    Done { sess, tokens, said }
}

impl Done {
    /// The text of the tokens, one blank wherever white space stands.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for token in &self.tokens {
            if token.space && !text.is_empty() {
                text.push(' ');
            }
            match token.kind {
                TokKind::TyVar => text.push('\''),
                TokKind::Aqual => text.push('\\'),
                _ => {}
            }
            text.push_str(token.sym.as_str());
        }
        text.trim().to_owned()
    }

    /// Codes and messages, with the line and column of each.
    pub(crate) fn messages(&self) -> Vec<String> {
        let map = self.sess.map.borrow();
        self.said
            .iter()
            .map(|d| match map.loc(d.span()) {
                Some(loc) => format!("{}:{}: {} {}", loc.line, loc.col, d.code, d.message),
                None => format!("{} {}", d.code, d.message),
            })
            .collect()
    }
}

/// The output of a program that must be without fault.
pub(crate) fn output(main: &str) -> String {
    let done = process(&[], main);
    assert!(done.said.is_empty(), "{main}: {:?}", done.messages());
    done.text()
}

/// What is said about a program.
pub(crate) fn faults(main: &str) -> Vec<String> {
    process(&[], main).messages()
}
