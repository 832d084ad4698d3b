//! Source snippets: lines with underlines, labels beside and below them, bars for spans
//! over several lines.

use super::place::{Place, place};
use super::text::{Layout, WIDE_TAIL, clean};
use crate::{Diagnostic, Severity, Suggestion};
use std::collections::BTreeSet;
use toft_base::{FileId, SourceFile, SourceMap};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Error,
    Warning,
    Note,
    Frame,
    Good,
    Bad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Number {
    Line(u32),
    #[default]
    None,
    /// Lines are left out here.
    Gap,
}

#[derive(Default, Debug)]
pub(crate) struct Row {
    pub(crate) number: Number,
    pub(crate) cells: Vec<(char, Tone)>,
}

/// The annotated lines of one file.
pub(crate) struct Snippet {
    pub(crate) place: String,
    pub(crate) rows: Vec<Row>,
}

struct Note<'a> {
    place: Place,
    text: &'a str,
    mark: char,
    tone: Tone,
}

impl Note<'_> {
    fn multi(&self) -> bool {
        self.place.line != self.place.end_line
    }
}

/// Spans of at most this many lines are shown in full.
const WHOLE: u32 = 4;

pub(crate) fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Note,
    }
}

/// One snippet per file, in the order in which labels name them.
pub(crate) fn snippets(diagnostic: &Diagnostic, map: &SourceMap, width: usize) -> Vec<Snippet> {
    let mut files: Vec<(FileId, Vec<Note<'_>>)> = Vec::new();
    for (n, label) in diagnostic.labels.iter().enumerate() {
        let Some(place) = place(map, label.span) else { continue };
        let (mark, tone) =
            if n == 0 { ('^', tone(diagnostic.severity)) } else { ('-', Tone::Frame) };
        let note = Note { place, text: &label.text, mark, tone };
        match files.iter_mut().find(|(file, _)| *file == place.file) {
            Some((_, notes)) => notes.push(note),
            None => files.push((place.file, vec![note])),
        }
    }
    files
        .iter()
        .map(|(file, notes)| {
            let file = map.file(*file);
            let first = &notes[0].place;
            let place = format!("{}:{}:{}", file.name, first.line, first.col);
            Snippet { place, rows: draw(file, notes, width) }
        })
        .collect()
}

/// A drawing in progress.
struct Drawing<'a, 'n> {
    file: &'a SourceFile,
    width: usize,
    /// Spans over several lines, each with a column of its own at the left.
    multi: Vec<&'a Note<'n>>,
    /// Columns for their bars.
    margin: usize,
    rows: Vec<Row>,
}

fn draw(file: &SourceFile, notes: &[Note<'_>], width: usize) -> Vec<Row> {
    let mut lines = BTreeSet::new();
    for note in notes {
        let Place { line, end_line, .. } = note.place;
        if end_line - line < WHOLE {
            lines.extend(line..=end_line);
        } else {
            lines.extend([line, line + 1, end_line]);
        }
    }
    let mut multi: Vec<&Note<'_>> = notes.iter().filter(|note| note.multi()).collect();
    // The outermost takes the leftmost column.
    multi.sort_by_key(|note| (note.place.line, std::cmp::Reverse(note.place.end_line)));
    let margin = if multi.is_empty() { 0 } else { multi.len() * 2 };
    let mut drawing = Drawing { file, width, multi, margin, rows: Vec::new() };
    let mut last: Option<u32> = None;
    for &line in &lines {
        match last {
            Some(last) if line == last + 2 => drawing.line(last + 1, notes),
            Some(last) if line > last + 2 => drawing.gap(last),
            _ => {}
        }
        drawing.line(line, notes);
        last = Some(line);
    }
    drawing.rows
}

impl<'a> Drawing<'a, '_> {
    /// Whether the opening of a multi-line span is drawn as a corner before its line.
    fn corner(&self, note: &Note<'_>) -> bool {
        let line = self.file.line(note.place.line);
        line.get(..note.place.from as usize).is_some_and(|before| before.trim().is_empty())
    }

    /// An empty row with the bars of those multi-line spans that `bars` says are open.
    fn row(&self, number: Number, bars: &[bool]) -> Row {
        let mut cells = vec![(' ', Tone::Plain); self.margin];
        for (n, note) in self.multi.iter().enumerate() {
            if bars[n] {
                cells[n * 2] = ('|', note.tone);
            }
        }
        Row { number, cells }
    }

    fn gap(&mut self, after: u32) {
        let bars = self.open_after(after);
        let row = self.row(Number::Gap, &bars);
        self.rows.push(row);
    }

    fn open_after(&self, line: u32) -> Vec<bool> {
        self.multi.iter().map(|n| n.place.line <= line && line < n.place.end_line).collect()
    }

    fn line(&mut self, line: u32, notes: &[Note<'_>]) {
        let text = self.file.line(line);
        let on_line: Vec<&Note<'_>> =
            notes.iter().filter(|n| !n.multi() && n.place.line == line).collect();
        let (from, to) = self.interest(line, &on_line);
        let layout = Layout::new(text, from, to, self.width);
        let mut bars: Vec<bool> = self
            .multi
            .iter()
            .map(|note| note.place.line < line && line <= note.place.end_line)
            .collect();
        let mut source = self.row(Number::Line(line), &bars);
        for (n, (note, bar)) in self.multi.iter().zip(&mut bars).enumerate() {
            if note.place.line == line && self.corner(note) {
                source.cells[n * 2] = ('/', note.tone);
                *bar = true;
            }
        }
        let cells = layout.cells.iter().filter(|&&c| c != WIDE_TAIL);
        source.cells.extend(cells.map(|&c| (c, Tone::Plain)));
        self.rows.push(source);
        self.marks(&layout, &on_line, &bars);
        for n in 0..self.multi.len() {
            let note = self.multi[n];
            if note.place.line == line && !self.corner(note) {
                let column = layout.column(note.place.from as usize);
                self.elbow(n, &bars, column, "");
                bars[n] = true;
            }
        }
        for n in (0..self.multi.len()).rev() {
            let note = self.multi[n];
            if note.place.end_line == line {
                let column = layout.column(note.place.to as usize).saturating_sub(1);
                self.elbow(n, &bars, column, note.text);
                bars[n] = false;
            }
        }
    }

    /// The bytes of a line that its notes are about.
    fn interest(&self, line: u32, on_line: &[&Note<'_>]) -> (usize, usize) {
        let singles = on_line.iter().map(|n| (n.place.from, n.place.to));
        let starts = self
            .multi
            .iter()
            .filter(|n| n.place.line == line)
            .map(|n| (n.place.from, n.place.from + 1));
        let ends = self
            .multi
            .iter()
            .filter(|n| n.place.end_line == line)
            .map(|n| (n.place.to.saturating_sub(1), n.place.to));
        let all: Vec<(u32, u32)> = singles.chain(starts).chain(ends).collect();
        let from = all.iter().map(|&(from, _)| from).min().unwrap_or(0);
        let to = all.iter().map(|&(_, to)| to).max().unwrap_or(0);
        (from as usize, to as usize)
    }

    /// A line from the bar of span `n` to a column, with its mark and label.
    fn elbow(&mut self, n: usize, bars: &[bool], column: usize, label: &str) {
        let note = self.multi[n];
        let mut row = self.row(Number::None, bars);
        let end = self.margin + column;
        put(&mut row, n * 2 + 1, end, '_', note.tone);
        put(&mut row, end, end + 1, note.mark, note.tone);
        write_label(&mut row, end + 2, label, note.tone);
        self.rows.push(row);
    }

    /// Underlines and labels of the notes on one line.
    fn marks(&mut self, layout: &Layout, on_line: &[&Note<'_>], bars: &[bool]) {
        if on_line.is_empty() {
            return;
        }
        let mut row = self.row(Number::None, bars);
        let mut spots: Vec<(usize, usize, &Note<'_>)> = on_line
            .iter()
            .map(|note| {
                let from = self.margin + layout.column(note.place.from as usize);
                let to = self.margin + layout.column(note.place.to as usize);
                (from, to.max(from + 1), *note)
            })
            .collect();
        // Secondary marks first, so that the primary one shows where they overlap.
        for primary in [false, true] {
            for (from, to, note) in spots.iter().filter(|(_, _, n)| (n.mark == '^') == primary) {
                put(&mut row, *from, *to, note.mark, note.tone);
            }
        }
        spots.sort_by_key(|&(from, to, note)| (std::cmp::Reverse(from), to, note.mark != '^'));
        let rightmost = spots.iter().map(|&(_, to, _)| to).max().unwrap_or(0);
        let mut hanging: Vec<&(usize, usize, &Note<'_>)> = Vec::new();
        let mut beside = false;
        for spot in &spots {
            let (from, to, note) = *spot;
            if note.text.is_empty() {
                continue;
            }
            let free = spots.iter().all(|&(f, t, other)| {
                std::ptr::eq(other, note) || t <= from || (f == from && other.text.is_empty())
            });
            if !beside && to == rightmost && free {
                beside = true;
                write_label(&mut row, to + 1, note.text, note.tone);
            } else {
                hanging.push(spot);
            }
        }
        self.rows.push(row);
        self.hang(&hanging, bars);
    }

    /// Labels below their marks, the rightmost first, joined to them by bars.
    fn hang(&mut self, hanging: &[&(usize, usize, &Note<'_>)], bars: &[bool]) {
        if hanging.is_empty() {
            return;
        }
        let mut row = self.row(Number::None, bars);
        for (from, _, note) in hanging.iter().rev() {
            put(&mut row, *from, from + 1, '|', note.tone);
        }
        self.rows.push(row);
        for (n, (from, _, note)) in hanging.iter().enumerate() {
            let mut row = self.row(Number::None, bars);
            for (other, _, note) in &hanging[n + 1..] {
                if other < from {
                    put(&mut row, *other, other + 1, '|', note.tone);
                }
            }
            write_label(&mut row, *from, note.text, note.tone);
            self.rows.push(row);
        }
    }
}

fn put(row: &mut Row, from: usize, to: usize, mark: char, tone: Tone) {
    if row.cells.len() < to {
        row.cells.resize(to, (' ', Tone::Plain));
    }
    for cell in &mut row.cells[from.min(to)..to] {
        *cell = (mark, tone);
    }
}

fn write_label(row: &mut Row, at: usize, text: &str, tone: Tone) {
    if text.is_empty() {
        return;
    }
    if row.cells.len() < at {
        row.cells.resize(at, (' ', Tone::Plain));
    }
    row.cells.extend(clean(text).replace('\n', " ").chars().map(|c| (c, tone)));
}

/// Lines before and after a suggested change: the first line's number, old, new. `None`
/// when it cannot be shown well.
pub(crate) fn change(
    suggestion: &Suggestion,
    map: &SourceMap,
    width: usize,
) -> Option<(u32, Vec<String>, Vec<String>)> {
    const MOST: usize = 8;
    let place = place(map, suggestion.span)?;
    if place.span != suggestion.span {
        return None;
    }
    let file = map.file(place.file);
    let old: Vec<&str> = (place.line..=place.end_line).map(|n| file.line(n)).collect();
    let before = old.first()?.get(..place.from as usize)?;
    let after = old.last()?.get(place.to as usize..)?;
    let new = format!("{before}{}{after}", suggestion.replacement);
    let new: Vec<&str> = new.lines().collect();
    let long = |lines: &[&str]| lines.len() > MOST || lines.iter().any(|l| l.len() > width * 2);
    if long(&old) || long(&new) {
        return None;
    }
    let show = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| {
                let cells = Layout::new(line, 0, 0, usize::MAX).cells;
                cells.into_iter().filter(|&c| c != WIDE_TAIL).collect::<String>()
            })
            .collect()
    };
    Some((place.line, show(&old), show(&new)))
}
