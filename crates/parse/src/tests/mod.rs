//! Tests of the parser.

mod c;
mod headers;
mod lex;
mod limits;
mod recovery;
mod toft;

use toft_base::FileKind;
use toft_diag::Session;
use toft_diag::session::Options;

/// The tree as text and the errors as `CODE line:col message`.
fn parse_as(text: &str, kind: FileKind) -> (String, Vec<String>) {
    let sess = Session::new(Options::default());
    let tokens = lex::tokens(&sess, text, kind);
    let unit = crate::run(&sess, &tokens);
    let dump = toft_ast::dump::unit(&unit, false);
    let list = sess.take();
    let map = sess.map.borrow();
    let errors = list
        .iter()
        .map(|one| match map.loc(one.span()) {
            Some(loc) => format!("{} {}:{} {}", one.code, loc.line, loc.col, one.message),
            None => format!("{} ? {}", one.code, one.message),
        })
        .collect();
    (dump, errors)
}

fn parse(text: &str) -> (String, Vec<String>) {
    parse_as(text, FileKind::User)
}

/// The tree of sound text.
#[track_caller]
fn sound(text: &str) -> String {
    let (dump, errors) = parse(text);
    assert!(errors.is_empty(), "{errors:#?}\n{dump}");
    assert!(!dump.contains("<error>"), "{dump}");
    dump
}

/// `text` parses, and its tree is `expected`.
#[track_caller]
fn gives(text: &str, expected: &str) {
    let dump = sound(text);
    assert_eq!(dump.trim_end(), expected.trim_end(), "\n{dump}");
}

/// The statement `text` inside a function gives the tree `expected`.
#[track_caller]
fn stmt_gives(text: &str, expected: &str) {
    let dump = sound(&format!("void f(void) {{ {text} }}"));
    let body: Vec<&str> =
        dump.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    assert_eq!(body.join("\n").trim_end(), expected.trim_end(), "\n{dump}");
}

/// `text` gives exactly these errors.
#[track_caller]
fn fails(text: &str, expected: &[&str]) {
    let (dump, errors) = parse(text);
    assert_eq!(errors, expected, "\n{dump}");
}
