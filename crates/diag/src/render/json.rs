//! One diagnostic as one line of JSON.

use super::{Look, place, severity, terminal};
use crate::Diagnostic;
use toft_base::{SourceMap, Span};

/// A text as a JSON string, quotes included.
pub fn json_string(value: &str) -> String {
    let mut out = Writer::default();
    out.string(value);
    out.text
}

/// The diagnostic as a JSON object on one line, without a line end.
pub fn json(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let mut out = Writer::default();
    out.open('{');
    out.field("code", diagnostic.code.id);
    out.field("name", diagnostic.code.name);
    out.field("severity", severity(diagnostic.severity));
    out.field("message", &diagnostic.message);
    out.key("labels");
    out.open('[');
    for (n, label) in diagnostic.labels.iter().enumerate() {
        if label.span.is_none() && label.text.is_empty() {
            continue;
        }
        out.open('{');
        out.place(map, label.span);
        out.field("text", &label.text);
        out.key("primary");
        out.raw(if n == 0 { "true" } else { "false" });
        out.close('}');
    }
    out.close(']');
    out.list("notes", &diagnostic.notes);
    out.list("helps", &diagnostic.helps);
    out.key("suggestions");
    out.open('[');
    for suggestion in &diagnostic.suggestions {
        out.open('{');
        out.place(map, suggestion.span);
        out.field("replacement", &suggestion.replacement);
        out.field("text", &suggestion.text);
        out.close('}');
    }
    out.close(']');
    out.key("macros");
    out.open('[');
    for step in place::trace(map, diagnostic.span()).0 {
        out.open('{');
        out.field("name", step.name);
        out.place(map, step.span);
        out.close('}');
    }
    out.close(']');
    out.field("rendered", &terminal(diagnostic, map, Look::default()));
    out.close('}');
    out.text
}

/// Writes JSON: commas where they belong, strings escaped.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) text: String,
    /// A value was written since the last bracket or key.
    comma: bool,
}

impl Writer {
    fn separate(&mut self) {
        if std::mem::take(&mut self.comma) {
            self.text.push(',');
        }
    }

    pub(super) fn open(&mut self, bracket: char) {
        self.separate();
        self.text.push(bracket);
    }

    pub(super) fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.comma = true;
    }

    pub(super) fn key(&mut self, key: &str) {
        self.string(key);
        self.comma = false;
        self.text.push(':');
    }

    /// A number or word as it is.
    pub(super) fn raw(&mut self, value: &str) {
        self.separate();
        self.text.push_str(value);
        self.comma = true;
    }

    pub(super) fn field(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    pub(super) fn number(&mut self, key: &str, value: u32) {
        self.key(key);
        self.raw(&value.to_string());
    }

    fn list(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.open('[');
        for value in values {
            self.string(value);
        }
        self.close(']');
    }

    /// File, first and last place of a span; `null` where there is none.
    fn place(&mut self, map: &SourceMap, span: Span) {
        match place::place(map, span) {
            Some(place) => {
                self.field("file", &map.file(place.file).name);
                self.number("line", place.line);
                self.number("col", place.col);
                self.number("end_line", place.end_line);
                self.number("end_col", place.end_col);
            }
            None => {
                self.key("file");
                self.raw("null");
            }
        }
    }

    pub(super) fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for c in value.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                // The last two end a line in JavaScript.
                '\0'..='\u{1f}' | '\u{7f}' | '\u{2028}' | '\u{2029}' => {
                    self.text.push_str(&format!("\\u{:04x}", c as u32));
                }
                _ => self.text.push(c),
            }
        }
        self.text.push('"');
        self.comma = true;
    }
}
