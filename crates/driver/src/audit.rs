//! `toft audit`: every line of raw C and every trusted declaration of a program.

use crate::Format;
use std::fmt::Write;
use toft_base::{FileKind, Span};
use toft_diag::Session;
use toft_hir::{Origin, Program};

enum What {
    RawC { lines: usize },
    Declaration { name: String },
}

struct Entry {
    file: String,
    line: u32,
    kind: FileKind,
    what: What,
}

fn entry(sess: &Session, span: Span, what: What) -> Option<Entry> {
    let map = sess.map.borrow();
    let loc = map.loc(span)?;
    let file = map.file(loc.file);
    Some(Entry { file: file.name.clone(), line: loc.line, kind: file.kind, what })
}

fn collect(sess: &Session, program: &Program) -> Vec<Entry> {
    let mut entries = Vec::new();
    for raw in &program.raw_c {
        let lines = raw.text.as_str().lines().filter(|line| !line.trim().is_empty()).count();
        entries.extend(entry(sess, raw.span, What::RawC { lines }));
    }
    for func in program.funcs.iter().filter(|func| func.origin == Origin::Trusted) {
        let name = format!("{}()", func.name);
        entries.extend(entry(sess, func.span, What::Declaration { name }));
    }
    for global in program.globals.iter().filter(|global| global.origin == Origin::Trusted) {
        let name = global.name.to_string();
        entries.extend(entry(sess, global.span, What::Declaration { name }));
    }
    entries.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    entries
}

/// The list, as text for people or one JSON object a line. `all`: the library's entries one
/// by one, not only as sums.
pub fn list(sess: &Session, program: &Program, format: Format, all: bool) -> String {
    let entries = collect(sess, program);
    let mut out = String::new();
    if format == Format::Human {
        human(&entries, all, &mut out);
        return out;
    }
    for entry in &entries {
        let (what, name, lines) = match &entry.what {
            What::RawC { lines } => ("raw-c", "", *lines),
            What::Declaration { name } => ("trusted-declaration", name.as_str(), 1),
        };
        let user = entry.kind == FileKind::User;
        let _ = writeln!(
            out,
            "{{\"what\":\"{what}\",\"file\":{},\"line\":{},\"name\":{},\"lines\":{lines},\"library\":{}}}",
            toft_diag::render::json_string(&entry.file),
            entry.line,
            toft_diag::render::json_string(name),
            !user,
        );
    }
    out
}

fn human(entries: &[Entry], all: bool, out: &mut String) {
    let mut sums = [(0usize, 0usize); 2];
    for entry in entries {
        let library = entry.kind != FileKind::User;
        let sum = &mut sums[usize::from(library)];
        let text = match &entry.what {
            What::RawC { lines } => {
                sum.0 += lines;
                format!("{lines} lines of C")
            }
            What::Declaration { name } => {
                sum.1 += 1;
                format!("trusted declaration of {name}")
            }
        };
        if all || !library {
            let _ = writeln!(out, "{}:{}: {text}", entry.file, entry.line);
        }
    }
    let [(user_c, user_decls), (lib_c, lib_decls)] = sums;
    let _ = writeln!(out, "this program: {user_c} lines of C, {user_decls} trusted declarations");
    let _ = writeln!(
        out,
        "the library it uses: {lib_c} lines of C, {lib_decls} trusted declarations{}",
        if all { "" } else { " (list them with --all)" }
    );
}
