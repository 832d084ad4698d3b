//! Renderers of diagnostics: for a terminal, as JSON lines, as SARIF.
//!
//! All three resolve a place in the same way ([`place`]): what a macro made is shown
//! where a person wrote it, at the argument itself when the call's own text holds it,
//! else at the call; the way through the macros follows as notes.

mod json;
mod place;
mod sarif;
mod snippet;
mod text;

pub use json::{json, json_string};
pub use sarif::sarif;

use crate::{Diagnostic, Severity};
use snippet::{Row, Tone};
use toft_base::{SourceMap, Span};

/// How terminal output looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub color: bool,
    /// Columns for source text; longer lines are cut around what matters.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look { color: false, width: 140 }
    }
}

/// The diagnostic as text for people, ending in an empty line.
pub fn terminal(diagnostic: &Diagnostic, map: &SourceMap, look: Look) -> String {
    let mut out = Out { text: String::new(), color: look.color };
    out.heading(diagnostic);
    let snippets = snippet::snippets(diagnostic, map, look.width);
    let gutter = gutter_width(diagnostic, map);
    for (n, snippet) in snippets.iter().enumerate() {
        let arrow = if n == 0 { "-->" } else { ":::" };
        out.put(Tone::Frame, &format!("{:gutter$}{arrow} ", ""));
        out.put(Tone::Plain, &text::clean(&snippet.place));
        out.text.push('\n');
        out.frame(gutter, "", " |", &Row::default());
        for row in &snippet.rows {
            match row.number {
                snippet::Number::Line(line) => out.frame(gutter, &line.to_string(), " |", row),
                snippet::Number::None => out.frame(gutter, "", " |", row),
                snippet::Number::Gap => out.gap(gutter, row),
            }
        }
    }
    let mut remarks: Vec<(&str, String)> =
        trace(diagnostic.span(), map).into_iter().map(|line| ("note", line)).collect();
    remarks.extend(diagnostic.notes.iter().map(|note| ("note", note.clone())));
    remarks.extend(diagnostic.helps.iter().map(|help| ("help", help.clone())));
    if !snippets.is_empty() && !remarks.is_empty() {
        out.frame(gutter, "", " |", &Row::default());
    }
    for (kind, remark) in &remarks {
        out.remark(gutter, kind, remark);
    }
    for suggestion in &diagnostic.suggestions {
        out.suggestion(suggestion, map, gutter, look);
    }
    out.text.push('\n');
    out.text
}

/// Digits of the largest line number shown.
fn gutter_width(diagnostic: &Diagnostic, map: &SourceMap) -> usize {
    let labels = diagnostic.labels.iter().map(|label| label.span);
    let suggestions = diagnostic.suggestions.iter().map(|suggestion| suggestion.span);
    let largest = labels
        .chain(suggestions)
        .filter_map(|span| place::place(map, span))
        .map(|place| place.end_line)
        .max();
    largest.unwrap_or(1).to_string().len()
}

/// The way through macros to what stands at `span`, innermost first, one line each.
fn trace(span: Span, map: &SourceMap) -> Vec<String> {
    let (steps, more) = place::trace(map, span);
    let mut lines: Vec<String> = steps
        .iter()
        .map(|step| match &step.at {
            Some(at) => format!("in the expansion of macro `{}` ({at})", step.name),
            None => format!("in the expansion of macro `{}`", step.name),
        })
        .collect();
    if more > 0 {
        lines.push(format!("… and of {more} more"));
    }
    lines
}

/// Text with or without colours.
struct Out {
    text: String,
    color: bool,
}

impl Out {
    fn put(&mut self, tone: Tone, text: &str) {
        let code = match tone {
            Tone::Plain => "",
            Tone::Strong => "\x1b[1m",
            Tone::Error => "\x1b[1;31m",
            Tone::Warning => "\x1b[1;33m",
            Tone::Note => "\x1b[1;36m",
            Tone::Frame => "\x1b[1;34m",
            Tone::Good => "\x1b[32m",
            Tone::Bad => "\x1b[31m",
        };
        if self.color && !code.is_empty() && !text.is_empty() {
            self.text.push_str(code);
            self.text.push_str(text);
            self.text.push_str("\x1b[0m");
        } else {
            self.text.push_str(text);
        }
    }

    fn heading(&mut self, diagnostic: &Diagnostic) {
        let tone = snippet::tone(diagnostic.severity);
        let word = severity(diagnostic.severity);
        self.put(tone, &format!("{word}[{}]", diagnostic.code.id));
        let message = text::clean(&diagnostic.message);
        self.put(Tone::Strong, &format!(": {}", indent(&message, 2)));
        self.text.push('\n');
    }

    /// One line of a snippet: number, bar, cells.
    fn frame(&mut self, gutter: usize, number: &str, bar: &str, row: &Row) {
        self.put(Tone::Frame, &format!("{number:>gutter$}{bar}"));
        if !row.cells.is_empty() {
            self.text.push(' ');
        }
        self.cells(row);
        self.text.push('\n');
    }

    /// Lines left out.
    fn gap(&mut self, gutter: usize, row: &Row) {
        let width = if row.cells.is_empty() { 3 } else { gutter + 3 };
        self.put(Tone::Frame, &format!("{:width$}", "..."));
        self.cells(row);
        self.text.push('\n');
    }

    fn cells(&mut self, row: &Row) {
        let mut run = String::new();
        let mut tone = Tone::Plain;
        for &(c, own) in &row.cells {
            if own != tone && c != ' ' {
                self.put(tone, &std::mem::take(&mut run));
                tone = own;
            }
            run.push(c);
        }
        self.put(tone, run.trim_end());
        while self.text.ends_with(' ') {
            self.text.pop();
        }
    }

    fn remark(&mut self, gutter: usize, kind: &str, text: &str) {
        self.put(Tone::Frame, &format!("{:gutter$} = ", ""));
        self.put(Tone::Strong, kind);
        self.text.push_str(": ");
        // The lines after the first stand under the text of the first.
        self.text.push_str(&indent(&text::clean(text), gutter + 3 + kind.len() + 2));
        self.text.push('\n');
    }

    fn suggestion(
        &mut self,
        suggestion: &crate::Suggestion,
        map: &SourceMap,
        gutter: usize,
        look: Look,
    ) {
        let changed = snippet::change(suggestion, map, look.width);
        self.put(Tone::Note, "help");
        self.put(Tone::Strong, &format!(": {}", indent(&text::clean(&suggestion.text), 6)));
        let Some((first, old, new)) = changed else {
            let replacement = &suggestion.replacement;
            if !replacement.is_empty() && replacement.len() <= look.width {
                self.text.push_str(&format!(": `{}`", indent(&text::clean(replacement), 6)));
            }
            self.text.push('\n');
            return;
        };
        self.text.push('\n');
        self.frame(gutter, "", " |", &Row::default());
        for (sign, tone, lines) in [(" -", Tone::Bad, old), (" +", Tone::Good, new)] {
            for (n, line) in lines.iter().enumerate() {
                self.put(Tone::Frame, &format!("{:>gutter$}", first + n as u32));
                self.put(tone, &format!("{sign} {line}"));
                while self.text.ends_with(' ') {
                    self.text.pop();
                }
                self.text.push('\n');
            }
        }
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Indents all lines but the first.
fn indent(text: &str, by: usize) -> String {
    text.trim_end().replace('\n', &format!("\n{:by$}", ""))
}

#[cfg(test)]
mod tests;
