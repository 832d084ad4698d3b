//! From files to one HIR program: preprocess and parse each unit, resolve all together.
//!
//! The prelude is always the first unit. A library header names the Toft source that
//! implements it by a line `#pragma toft source("sys/x.toft")`; such sources become further
//! units, until no header names a new one.

use crate::home::Home;
use crate::options::BuildOptions;
use crate::package::Package;
use std::path::PathBuf;
use toft_ast::{Token, Unit};
use toft_base::{FileId, FileKind, FxHashSet, Idx};
use toft_diag::Session;
use toft_hir::Program;
use toft_toolchain::{Compiler, HeaderSearch, SearchPaths};

/// The syntax trees of all units, prelude first.
pub struct Units {
    /// File, tree, and whether it is the prelude.
    pub units: Vec<(FileId, Unit, bool)>,
}

const SOURCE_PRAGMA: &str = "#pragma toft source(\"";

fn define_lines(options: &BuildOptions) -> String {
    let mut text = String::new();
    for define in &options.defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        text.push_str(&format!("#define {name} {value}\n"));
    }
    text
}

pub fn header_search(
    home: &Home,
    compiler: Option<&Compiler>,
    package: &Package,
    options: &BuildOptions,
) -> HeaderSearch {
    let mut user = options.include.clone();
    user.extend(package.include.iter().cloned());
    let paths = SearchPaths { user, library: vec![home.include()], foreign: Vec::new() };
    HeaderSearch::new(&paths, compiler, &define_lines(options))
}

/// Tokens of the package's own files, for `--emit=tokens`.
pub fn tokens(sess: &Session, package: &Package, search: &mut HeaderSearch) -> Vec<Vec<Token>> {
    let mut all = Vec::new();
    for path in &package.sources {
        match search.load_main(sess, path) {
            Ok(file) => all.push(toft_pp::run(sess, file, search)),
            Err(why) => {
                sess.emit(*why);
            }
        }
    }
    all
}

/// Reads and parses everything. Errors are in the session.
pub fn parse(
    sess: &Session,
    home: &Home,
    package: &Package,
    search: &mut HeaderSearch,
    library: bool,
) -> Units {
    let mut todo: Vec<(PathBuf, FileKind)> = vec![];
    if library {
        todo.push((home.prelude(), FileKind::Library));
    }
    todo.extend(package.sources.iter().map(|path| (path.clone(), FileKind::User)));
    let mut seen: FxHashSet<PathBuf> = FxHashSet::default();
    let mut units = Vec::new();
    let mut scanned = 0;
    let mut next = 0;
    while let Some((path, kind)) = todo.get(next).cloned() {
        next += 1;
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            continue;
        }
        let file = match search.load_unit(sess, &path, kind) {
            Ok(file) => file,
            Err(why) => {
                sess.emit(*why);
                continue;
            }
        };
        let tokens = toft_pp::run(sess, file, search);
        let prelude = library && units.is_empty();
        units.push((file, toft_parse::run(sess, &tokens), prelude));
        if library {
            todo.extend(
                implied(sess, home, &mut scanned).into_iter().map(|path| (path, FileKind::Library)),
            );
        }
    }
    Units { units }
}

/// Sources that the headers loaded since the last look name.
fn implied(sess: &Session, home: &Home, scanned: &mut usize) -> Vec<PathBuf> {
    let map = sess.map.borrow();
    let mut found = Vec::new();
    for (id, file) in map.files().skip(*scanned) {
        *scanned = id.index() + 1;
        if file.kind != FileKind::Library {
            continue;
        }
        for rest in file.text.split(SOURCE_PRAGMA).skip(1) {
            if let Some((name, _)) = rest.split_once('"') {
                found.push(home.lib.join(name));
            }
        }
    }
    found
}

fn input(part: (FileId, Unit, bool)) -> toft_resolve::UnitInput {
    let (file, unit, prelude) = part;
    toft_resolve::UnitInput { file, unit, prelude }
}

/// Resolves the units into one program.
pub fn resolve(sess: &Session, units: Units) -> Program {
    let inputs: Vec<toft_resolve::UnitInput> = units.units.into_iter().map(input).collect();
    let program = toft_resolve::run(sess, &inputs);
    // Taking the trees apart costs as much as making them; the process is short.
    std::mem::forget(inputs);
    program
}
