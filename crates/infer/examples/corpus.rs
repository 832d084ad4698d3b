//! Types the functions of the given files, prints what is reported and how long it took:
//! `cargo run --release -p toft-infer --example corpus -- [--dump] files…`.
//! Headers are looked for in `lib/include` below the current folder, then on the host.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toft_base::{FileId, FileKind};
use toft_diag::session::Options;
use toft_diag::{Session, Severity};
use toft_pp::{Env, Include, IncludeError};

struct Folders(Vec<(PathBuf, FileKind)>);

impl Folders {
    fn find(&self, sess: &Session, include: &Include<'_>) -> Option<(PathBuf, FileKind)> {
        let own = sess.map.borrow().file(include.from).path.parent().map(Path::to_owned);
        let own = own.filter(|_| include.quoted).map(|dir| (dir, FileKind::User));
        let mut all = own.into_iter().chain(self.0.iter().cloned());
        all.find_map(|(dir, kind)| {
            let path = dir.join(include.name);
            path.is_file().then_some((path, kind))
        })
    }
}

impl Env for Folders {
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        let Some((path, kind)) = self.find(sess, include) else {
            return Err(IncludeError::NotFound { searched: Vec::new() });
        };
        load(sess, &path, kind).ok_or(IncludeError::TooMuchText)
    }
    fn exists(&mut self, sess: &Session, include: &Include<'_>) -> bool {
        self.find(sess, include).is_some()
    }
    fn predefined(&mut self) -> String {
        "#define __STDC__ 1\n#define __STDC_VERSION__ 201112L\n#define __x86_64__ 1\n#define __LP64__ 1\n\
         #define __linux__ 1\n#define __GNUC__ 13\n#define __SIZE_TYPE__ unsigned long\n\
         #define __WCHAR_TYPE__ int\n#define __PTRDIFF_TYPE__ long\n#define __CHAR_BIT__ 8\n"
            .into()
    }
}

fn load(sess: &Session, path: &Path, kind: FileKind) -> Option<FileId> {
    if let Some(id) = sess.map.borrow().find(path) {
        return Some(id);
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    sess.map.borrow_mut().add_file(path.display().to_string(), path.into(), text, kind).ok()
}

fn main() {
    let worker = std::thread::Builder::new().stack_size(toft_base::stack::STACK_BYTES).spawn(work);
    let _ = worker.map(|worker| worker.join());
}

fn work() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let dump = args.iter().any(|arg| arg == "--dump");
    args.retain(|arg| arg != "--dump");
    let (mut total, mut lines) = (Duration::ZERO, 0);
    for file in &args {
        let (time, n) = one(file, dump);
        total += time;
        lines += n;
    }
    println!("infer: {lines} lines, {total:?}");
}

fn one(file: &str, dump: bool) -> (Duration, u32) {
    let sess = Session::new(Options::default());
    let folders = [
        ("lib/include", FileKind::Library),
        ("/usr/include", FileKind::Foreign),
        ("/usr/include/x86_64-linux-gnu", FileKind::Foreign),
    ];
    let mut env = Folders(folders.map(|(dir, kind)| (dir.into(), kind)).into());
    let mut units = Vec::new();
    for (n, path) in ["lib/core/prelude.toft", file].into_iter().enumerate() {
        let kind =
            if n == 0 || path.starts_with("lib/") { FileKind::Library } else { FileKind::User };
        let Some(id) = load(&sess, Path::new(path), kind) else {
            println!("{path}: cannot be read");
            return (Duration::ZERO, 0);
        };
        let tokens = toft_pp::run(&sess, id, &mut env);
        let unit = toft_parse::run(&sess, &tokens);
        units.push(toft_resolve::UnitInput { file: id, unit, prelude: n == 0 });
    }
    let prog = toft_resolve::run(&sess, &units);
    let lines = sess.map.borrow().file(units[1].file).line_count();
    let start = Instant::now();
    let mut typed = Vec::new();
    for id in prog.funcs.ids() {
        if prog.funcs[id].body.is_some()
            && let Ok(func) = toft_infer::run(&sess, &prog, id)
            && dump
        {
            typed.push(func);
        }
    }
    for id in prog.globals.ids() {
        let _ = toft_infer::global_init(&sess, &prog, id);
    }
    let time = start.elapsed();
    if dump {
        typed.iter().for_each(|func| print!("{}", toft_tir::dump::func(&prog, func)));
    }
    for diagnostic in sess.take() {
        if diagnostic.severity == Severity::Note {
            continue;
        }
        for (n, label) in diagnostic.labels.iter().enumerate() {
            let map = sess.map.borrow();
            let at = map.loc(label.span).map_or("?".into(), |loc| {
                format!("{}:{}:{}", map.file(loc.file).name, loc.line, loc.col)
            });
            match n {
                0 => println!("{at}: {} {} {}", diagnostic.code, diagnostic.message, label.text),
                _ => println!("    {at}: {}", label.text),
            }
        }
        diagnostic.helps.iter().for_each(|help| println!("    help: {help}"));
    }
    (time, lines)
}
