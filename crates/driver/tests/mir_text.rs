//! Over every program of `tests/run`: the validator is silent after each pass, and the text
//! form of each function's MIR reads back to a body with the same text.

use std::path::{Path, PathBuf};
use toft_base::stack::STACK_BYTES;
use toft_diag::{Session, session::Options};
use toft_driver::home::Home;
use toft_driver::pipeline::{self, Observer};
use toft_driver::{BuildOptions, package, sources};
use toft_mir::{Body, Checked, Decls, text};
use toft_toolchain::Compiler;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

fn programs(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("it is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "toft") {
            found.push(path);
        }
    }
}

#[derive(Default)]
struct RoundTrip {
    bodies: usize,
    wrong: Vec<String>,
}

/// The text without the word for the phase, which is not read back.
fn unphased(text: &str) -> &str {
    text.strip_prefix("(body ").and_then(|rest| rest.split_once(' ')).map_or(text, |(_, rest)| rest)
}

impl Observer for RoundTrip {
    fn tir(&mut self, _: &toft_hir::Program, _: &toft_tir::Func) {}

    fn mir(&mut self, _: &Decls, body: &Body<Checked>) {
        self.bodies += 1;
        let first = text::print(body);
        match text::parse(&first) {
            Ok(again) => {
                let second = text::print(&again);
                if unphased(&second) != unphased(&first) {
                    self.wrong.push(format!("{}: not the same:\n{first}\n{second}", body.name));
                }
            }
            Err(why) => self.wrong.push(format!("{}: {why:?}\n{first}", body.name)),
        }
    }
}

fn one(path: &Path, home: &Home, cc: &Compiler, seen: &mut RoundTrip) -> Result<(), String> {
    let sess = Session::new(Options { validate: true, ..Options::default() });
    let (package, options) = (package::single(path), BuildOptions::default());
    let mut search = sources::header_search(home, Some(cc), &package, &options);
    let units = sources::parse(&sess, home, &package, &mut search, true);
    let mut program = sources::resolve(&sess, units);
    let checked = pipeline::check(&sess, &mut program, seen, true);
    if let Ok(checked) = checked {
        let _ = pipeline::finish(&sess, &checked, false);
    }
    let errors: Vec<String> = sess
        .take()
        .into_iter()
        .filter(|said| said.severity == toft_diag::Severity::Error)
        .map(|said| said.message)
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(format!("{}: {errors:?}", path.display())) }
}

fn all() {
    let root = root();
    let home = Home {
        lib: root.join("lib"),
        runtime_include: root.join("runtime/include"),
        runtime_archive: PathBuf::new(),
    };
    let cc = Compiler::find(None).expect("a C compiler");
    let mut paths = Vec::new();
    programs(&root.join("tests/run"), &mut paths);
    paths.sort();
    let mut seen = RoundTrip::default();
    for path in &paths {
        if let Err(why) = one(path, &home, &cc, &mut seen) {
            seen.wrong.push(why);
        }
    }
    let shown: Vec<&str> = seen.wrong.iter().take(3).map(String::as_str).collect();
    assert!(seen.wrong.is_empty(), "{} wrong:\n{}", seen.wrong.len(), shown.join("\n"));
    assert!(paths.len() >= 200 && seen.bodies > 1000, "{} {}", paths.len(), seen.bodies);
}

#[test]
fn every_program_validates_and_round_trips() {
    let compiler = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(all);
    compiler.expect("a thread").join().expect("no panic");
}
