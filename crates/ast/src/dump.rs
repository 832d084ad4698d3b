//! A printer of the tree, for `toft build --emit=ast` and for tests.
//!
//! One line per item, statement and member, indented; expressions, types and patterns as
//! S-expressions. The same tree always gives the same text.

mod expr;
mod stmt;
mod types;

use crate::{Ident, Path, Unit};
use std::fmt::Write;
use toft_base::Span;

/// The whole unit as text; with `spans`, each line ends in the place of its node.
pub fn unit(unit: &Unit, spans: bool) -> String {
    let mut dump = Dump { out: String::new(), indent: 0, spans };
    for item in &unit.items {
        dump.item(item);
    }
    dump.out
}

/// One expression as text.
pub fn expr(expr: &crate::Expr) -> String {
    let mut dump = Dump { out: String::new(), indent: 0, spans: false };
    dump.expr(expr);
    dump.out
}

struct Dump {
    out: String,
    indent: usize,
    spans: bool,
}

impl Dump {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn put_fmt(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn end_line(&mut self, span: Span) {
        if self.spans {
            self.put_fmt(format_args!("  ; {span:?}"));
        }
        self.out.push('\n');
    }

    /// A line that has no children.
    fn line(&mut self, text: &str, span: Span) {
        self.start_line();
        self.put(text);
        self.end_line(span);
    }

    fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent += 1;
        print(self);
        self.indent -= 1;
    }

    fn ident(&mut self, ident: &Ident) {
        self.put(ident.name.as_str());
    }

    fn path(&mut self, path: &Path) {
        if path.global {
            self.put("::");
        }
        for (n, segment) in path.segments.iter().enumerate() {
            if n > 0 {
                self.put("::");
            }
            self.ident(segment);
        }
    }

    /// `open a sep b close`.
    fn list<T>(
        &mut self,
        (open, sep, close): (&str, &str, &str),
        items: &[T],
        mut print: impl FnMut(&mut Self, &T),
    ) {
        self.put(open);
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                self.put(sep);
            }
            print(self, item);
        }
        self.put(close);
    }
}
