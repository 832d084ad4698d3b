//! Diagnostics as a SARIF 2.1.0 log, for code-scanning services.

use super::json::Writer;
use super::place::{Place, place};
use crate::{Code, Diagnostic, Severity};
use std::fmt::Write;
use toft_base::SourceMap;

/// All diagnostics of a run as one SARIF document.
pub fn sarif(list: &[Diagnostic], map: &SourceMap) -> String {
    let mut out = Writer::default();
    out.open('{');
    out.field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    out.field("version", "2.1.0");
    out.key("runs");
    out.open('[');
    out.open('{');
    out.key("tool");
    out.open('{');
    out.key("driver");
    out.open('{');
    out.field("name", "toft");
    out.field("version", env!("CARGO_PKG_VERSION"));
    rules(&mut out, list);
    out.close('}');
    out.close('}');
    out.field("columnKind", "unicodeCodePoints");
    out.key("results");
    out.open('[');
    for diagnostic in list {
        result(&mut out, diagnostic, map);
    }
    out.close(']');
    out.close('}');
    out.close(']');
    out.close('}');
    out.text.push('\n');
    out.text
}

/// The codes that occur.
fn rules(out: &mut Writer, list: &[Diagnostic]) {
    let mut codes: Vec<Code> = list.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort();
    codes.dedup();
    out.key("rules");
    out.open('[');
    for code in codes {
        out.open('{');
        out.field("id", code.id);
        out.field("name", code.name);
        message(out, "shortDescription", code.title);
        out.close('}');
    }
    out.close(']');
}

fn result(out: &mut Writer, diagnostic: &Diagnostic, map: &SourceMap) {
    out.open('{');
    out.field("ruleId", diagnostic.code.id);
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    out.field("level", level);
    let mut words = diagnostic.message.clone();
    for note in diagnostic.notes.iter().chain(&diagnostic.helps) {
        words.push('\n');
        words.push_str(note);
    }
    message(out, "message", &words);
    for (key, labels) in [
        ("locations", diagnostic.labels.get(..1)),
        ("relatedLocations", diagnostic.labels.get(1..)),
    ] {
        out.key(key);
        out.open('[');
        for label in labels.unwrap_or_default() {
            let Some(place) = place(map, label.span) else { continue };
            out.open('{');
            out.key("physicalLocation");
            physical(out, map, &place);
            if !label.text.is_empty() {
                message(out, "message", &label.text);
            }
            out.close('}');
        }
        out.close(']');
    }
    fixes(out, diagnostic, map);
    out.close('}');
}

fn fixes(out: &mut Writer, diagnostic: &Diagnostic, map: &SourceMap) {
    out.key("fixes");
    out.open('[');
    for suggestion in &diagnostic.suggestions {
        let Some(place) = place(map, suggestion.span) else { continue };
        out.open('{');
        message(out, "description", &suggestion.text);
        out.key("artifactChanges");
        out.open('[');
        out.open('{');
        artifact(out, map, &place);
        out.key("replacements");
        out.open('[');
        out.open('{');
        region(out, "deletedRegion", &place);
        message(out, "insertedContent", &suggestion.replacement);
        out.close('}');
        out.close(']');
        out.close('}');
        out.close(']');
        out.close('}');
    }
    out.close(']');
}

fn physical(out: &mut Writer, map: &SourceMap, place: &Place) {
    out.open('{');
    artifact(out, map, place);
    region(out, "region", place);
    out.close('}');
}

fn artifact(out: &mut Writer, map: &SourceMap, place: &Place) {
    out.key("artifactLocation");
    out.open('{');
    out.field("uri", &uri(&map.file(place.file).name));
    out.close('}');
}

fn region(out: &mut Writer, key: &str, place: &Place) {
    out.key(key);
    out.open('{');
    out.number("startLine", place.line);
    out.number("startColumn", place.col);
    out.number("endLine", place.end_line);
    out.number("endColumn", place.end_col);
    out.close('}');
}

fn message(out: &mut Writer, key: &str, text: &str) {
    out.key(key);
    out.open('{');
    out.field("text", text);
    out.close('}');
}

/// A file name as a URI reference.
fn uri(name: &str) -> String {
    let mut uri = String::with_capacity(name.len() + 8);
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(byte as char);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
