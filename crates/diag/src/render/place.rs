//! From spans to files, lines and columns.

use toft_base::{FileId, SourceMap, Span};

/// A span resolved for people: in one file, the ends as lines and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) file: FileId,
    pub(crate) span: Span,
    /// Lines and columns count from 1; columns count characters.
    pub(crate) line: u32,
    pub(crate) col: u32,
    pub(crate) end_line: u32,
    /// The column after the last character.
    pub(crate) end_col: u32,
    /// In bytes from the start of the line.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

pub(crate) fn place(map: &SourceMap, span: Span) -> Option<Place> {
    let span = shown(map, span);
    let start = map.loc_of_pos(span.lo)?;
    let mut end = map.loc_of_pos(span.hi.max(span.lo)).filter(|end| end.file == start.file)?;
    if end.byte_col == 0 && end.line > start.line {
        // It ends with a line: that line's end says so better than the next one's start.
        let text = map.file(end.file).line(end.line - 1);
        end.line -= 1;
        end.byte_col = text.len() as u32;
        end.col = text.chars().count() as u32 + 1;
    }
    Some(Place {
        file: start.file,
        span,
        line: start.line,
        col: start.col,
        end_line: end.line,
        end_col: end.col,
        from: start.byte_col,
        to: end.byte_col,
    })
}

/// The span to show: in a file, and as exact as it can be.
fn shown(map: &SourceMap, span: Span) -> Span {
    if span.is_none() {
        return span;
    }
    let call = map.call_site(span);
    if call == span {
        return span;
    }
    // An argument stands inside the text of the call: point at it.
    let last = span.hi.saturating_sub(1).max(span.lo);
    let first = map.spelling(Span::new(span.lo, span.lo + 1));
    let end = map.spelling(Span::new(last, last + 1));
    let inside = |part: Span| call.lo <= part.lo && part.hi <= call.hi;
    if inside(first) && inside(end) && first.lo <= end.hi {
        return Span::new(first.lo, end.hi);
    }
    call
}

pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Where the text comes from: file, line, column.
    pub(crate) at: Option<String>,
    pub(crate) span: Span,
}

/// Most steps of a way through macros that are told.
const MAX_STEPS: usize = 6;

/// The macros that made the token at `span`, innermost first, and how many more there
/// are. None for an argument that is shown where it stands.
pub(crate) fn trace(map: &SourceMap, span: Span) -> (Vec<Step>, usize) {
    let site = shown(map, span);
    if site == map.spelling(Span::new(span.lo, span.lo + 1)) {
        return (Vec::new(), 0);
    }
    let all = map.backtrace(span);
    let steps = all
        .iter()
        .take(MAX_STEPS)
        .map(|step| {
            let spelled = map.spelling(step.spelling);
            let at = map
                .loc_of_pos(spelled.lo)
                .map(|loc| format!("{}:{}:{}", map.file(loc.file).name, loc.line, loc.col));
            Step { name: step.name.as_str(), at, span: spelled }
        })
        .collect();
    (steps, all.len().saturating_sub(MAX_STEPS))
}
