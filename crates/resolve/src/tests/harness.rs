//! From text to HIR and diagnostics.

use crate::UnitInput;
use std::path::PathBuf;
use toft_base::{FileId, FileKind};
use toft_diag::Session;
use toft_diag::session::Options;
use toft_pp::{Env, Include, IncludeError};

/// Headers by name, some of them foreign.
#[derive(Default)]
pub struct Files(pub Vec<(&'static str, &'static str, FileKind)>, Vec<(&'static str, FileId)>);

impl Env for Files {
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        if let Some((_, id)) = self.1.iter().find(|(name, _)| *name == include.name) {
            return Ok(*id);
        }
        let Some(&(name, text, kind)) = self.0.iter().find(|(name, ..)| *name == include.name)
        else {
            return Err(IncludeError::NotFound { searched: Vec::new() });
        };
        let id = load(sess, name, text, kind);
        self.1.push((name, id));
        Ok(id)
    }

    fn exists(&mut self, _: &Session, include: &Include<'_>) -> bool {
        self.0.iter().any(|(name, ..)| *name == include.name)
    }

    fn predefined(&mut self) -> String {
        String::new()
    }
}

pub fn load(sess: &Session, name: &str, text: &str, kind: FileKind) -> FileId {
    sess.map
        .borrow_mut()
        .add_file(name.into(), PathBuf::from(name), text.into(), kind)
        .expect("tests are small")
}

pub const PRELUDE: &str = "
@extensible datatype exn { Null_Exception; Array_bounds; Match_Exception; Bad_alloc;
    Arithmetic; Region_full; Assert(const char *); };
void *malloc(unsigned long size) __attribute__((toft_builtin(\"malloc\")));
";

pub struct Done {
    pub program: toft_hir::Program,
    /// `E0301 the message` per diagnostic, in the order of the text.
    pub said: Vec<String>,
}

/// Resolves several files after the prelude, with headers.
pub fn resolve_all(texts: &[&str], headers: Vec<(&'static str, &'static str, FileKind)>) -> Done {
    let sess = Session::new(Options { tests: true, ..Options::default() });
    let mut files = Files(headers, Vec::new());
    let mut units = Vec::new();
    let mut list = vec![("prelude.toft".to_owned(), PRELUDE, FileKind::Library)];
    for (n, text) in texts.iter().enumerate() {
        list.push((format!("t{n}.toft"), text, FileKind::User));
    }
    for (n, (name, text, kind)) in list.into_iter().enumerate() {
        let file = load(&sess, &name, text, kind);
        let tokens = toft_pp::run(&sess, file, &mut files);
        let unit = toft_parse::run(&sess, &tokens);
        units.push(UnitInput { file, unit, prelude: n == 0 });
    }
    let program = crate::run(&sess, &units);
    let said = sess.take().into_iter().map(|d| format!("{} {}", d.code.id, d.message)).collect();
    Done { program, said }
}

/// Resolves one file; it must be without a word against it.
pub fn accept(text: &str) -> toft_hir::Program {
    let done = resolve_all(&[text], Vec::new());
    assert!(done.said.is_empty(), "{text}\n{:#?}", done.said);
    done.program
}

/// What is said about one file.
pub fn said(text: &str) -> Vec<String> {
    resolve_all(&[text], Vec::new()).said
}

/// One error (or warning) with this code and these words in it, and no other.
pub fn refuse(text: &str, code: &str, words: &str) {
    let said = said(text);
    let fits = said.len() == 1 && said[0].starts_with(code) && said[0].contains(words);
    assert!(fits, "{text}\nwanted {code} …{words}…, got {said:#?}");
}

/// The dump of the program's own functions and globals (not the prelude's).
pub fn dump(text: &str) -> String {
    let program = accept(text);
    toft_hir::dump::program(&program)
}

/// The dump of one function.
pub fn dump_func(text: &str, name: &str) -> String {
    let program = accept(text);
    let found = program.funcs.iter_enumerated().find(|(_, func)| func.name.as_str() == name);
    let (id, func) = found.unwrap_or_else(|| panic!("no function {name}"));
    toft_hir::dump::func(&program, id, func)
}

pub fn has(text: &str, parts: &[&str]) {
    let dump = dump(text);
    for part in parts {
        assert!(dump.contains(part), "no `{part}` in\n{dump}");
    }
}
