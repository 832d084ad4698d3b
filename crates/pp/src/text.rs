//! Prepares a file for the lexer: lines joined where a backslash ends them, a NUL put at
//! the end as a sentinel. Joining here keeps line splices out of every inner loop.

use std::rc::Rc;

/// From clean offset `at` on, `removed` bytes of the original are missing before it.
#[derive(Clone, Copy)]
pub(crate) struct Splice {
    pub(crate) at: usize,
    pub(crate) removed: u32,
}

#[derive(Clone)]
pub(crate) struct Text {
    /// Without splices and byte-order mark, with a final NUL.
    pub(crate) clean: Rc<str>,
    pub(crate) splices: Rc<[Splice]>,
}

impl Text {
    pub(crate) fn prepare(original: &str) -> Text {
        let bytes = original.as_bytes();
        let mut clean = String::with_capacity(original.len() + 1);
        let mut splices = Vec::new();
        let mut done = 0;
        let mut removed = 0;
        if original.starts_with('\u{feff}') {
            done = 3;
            removed = 3;
            splices.push(Splice { at: 0, removed });
        }
        for backslash in memchr::memchr_iter(b'\\', bytes) {
            if backslash < done {
                continue;
            }
            if let Some(next) = splice_end(bytes, backslash) {
                clean.push_str(&original[done..backslash]);
                removed += (next - backslash) as u32;
                splices.push(Splice { at: clean.len(), removed });
                done = next;
            }
        }
        clean.push_str(&original[done..]);
        clean.push('\0');
        Text { clean: clean.into(), splices: splices.into() }
    }
}

/// The end of the splice that starts at the backslash, if one does. As in gcc, blanks
/// may stand between the backslash and the end of the line.
fn splice_end(bytes: &[u8], backslash: usize) -> Option<usize> {
    let mut pos = backslash + 1;
    while matches!(bytes.get(pos), Some(b' ' | b'\t' | b'\r')) {
        pos += 1;
    }
    (bytes.get(pos) == Some(&b'\n')).then_some(pos + 1)
}
