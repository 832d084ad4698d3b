//! Characters on a terminal: widths, tabs, what must not be sent to one.

/// Columns a tab takes.
const TAB: usize = 4;

/// What stands for a character that would disturb the terminal.
const SUBSTITUTE: char = '\u{fffd}';

/// A character as it may be shown, and its columns.
pub(crate) fn cell(c: char) -> (char, usize) {
    match c {
        ' '..='~' => (c, 1),
        _ if disturbing(c) => (SUBSTITUTE, 1),
        _ => (c, width(c)),
    }
}

/// Control characters, and those that change the direction of text.
fn disturbing(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns of a printable character: 0 for combining marks, 2 for wide scripts and
/// pictures, else 1.
fn width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0x93a..=0x93c
        | 0x941..=0x948
        | 0xe31
        | 0xe34..=0xe3a
        | 0xe47..=0xe4e
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xe0100..=0xe01ef => 0,
        0x1100..=0x115f
        | 0x231a..=0x231b
        | 0x23e9..=0x23ec
        | 0x2614..=0x2615
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff01..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f7e0..=0x1f7eb
        | 0x1f900..=0x1f9ff
        | 0x1fa70..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Text for the terminal: control characters replaced, line ends and tabs kept.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => c,
            '\t' => ' ',
            _ => cell(c).0,
        })
        .collect()
}

/// A piece of a source line laid out in columns.
pub(crate) struct Layout {
    pub(crate) cells: Vec<char>,
    /// For each byte of the piece from its start, and one past its end, the column.
    columns: Vec<usize>,
    /// Where the piece starts in the line, in bytes.
    start: usize,
}

impl Layout {
    /// Lays out the part of `line` around the bytes `from..to`, at most `most` columns.
    pub(crate) fn new(line: &str, from: usize, to: usize, most: usize) -> Layout {
        let most = most.max(40);
        let (start, end) =
            if line.len() <= most { (0, line.len()) } else { window(line, from, to, most) };
        let mut layout = Layout { cells: Vec::new(), columns: Vec::new(), start };
        if start > 0 {
            layout.cells.extend("...".chars());
        }
        for c in line[start..end].chars() {
            layout.columns.extend(std::iter::repeat_n(layout.cells.len(), c.len_utf8()));
            if c == '\t' {
                let to_stop = TAB - layout.cells.len() % TAB;
                layout.cells.extend(std::iter::repeat_n(' ', to_stop));
                continue;
            }
            let (shown, columns) = cell(c);
            if columns > 0 {
                layout.cells.push(shown);
            }
            if columns == 2 {
                // The second column of a wide character holds nothing.
                layout.cells.push(WIDE_TAIL);
            }
        }
        layout.columns.push(layout.cells.len());
        if end < line.len() {
            layout.cells.extend("...".chars());
        }
        layout
    }

    /// The column of a byte of the line; places outside of the piece move to its ends.
    pub(crate) fn column(&self, byte: usize) -> usize {
        let at = byte.saturating_sub(self.start);
        match self.columns.get(at) {
            Some(&column) => column,
            // Past the end of the line, as an empty span may be.
            None => self.columns.last().copied().unwrap_or(0),
        }
    }
}

/// Follows a wide character; never printed.
pub(crate) const WIDE_TAIL: char = '\u{0}';

/// The bytes to show of a long line.
fn window(line: &str, from: usize, to: usize, most: usize) -> (usize, usize) {
    let from = from.min(line.len());
    let wanted = to.clamp(from, line.len()) - from;
    let room = most.saturating_sub(wanted);
    let mut start = from.saturating_sub(room / 3).min(line.len().saturating_sub(most));
    while !line.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (start + most).min(line.len());
    while !line.is_char_boundary(end) {
        end += 1;
    }
    (start, end)
}
