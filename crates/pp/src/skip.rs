//! Skipping: text that a conditional leaves out, and the rest of a directive's line.
//! Only comments and quotes matter here, as they can hide a line end or a `#`.

use crate::lexer::{Cursor, Fault, Lexer, comment_end, quoted_end};

impl Lexer {
    /// Goes to the end of the current line, over comments that span lines.
    pub(crate) fn skip_line(&mut self) {
        let bytes = self.text.as_bytes();
        self.cur.pos = rest_of_line(&mut self.cur, &self.text, bytes, true);
    }

    /// From the end of a line, goes to just after the next `#` that starts one.
    pub(crate) fn skip_to_directive(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let last = bytes.len() - 1;
        let mut pos = self.cur.pos;
        loop {
            match bytes[pos] {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => pos += 1,
                b'/' if bytes[pos + 1] == b'*' => match comment_end(bytes, pos + 2) {
                    Some(end) => pos = end,
                    None => {
                        self.cur.pos = pos;
                        self.unclosed_comment(pos);
                        return false;
                    }
                },
                b'#' => {
                    self.cur.pos = pos + 1;
                    return true;
                }
                b'%' if bytes[pos + 1] == b':' => {
                    self.cur.pos = pos + 2;
                    return true;
                }
                0 if pos == last => {
                    self.cur.pos = pos;
                    return false;
                }
                _ => {
                    self.cur.pos = pos;
                    pos = rest_of_line(&mut self.cur, &self.text, bytes, false);
                }
            }
        }
    }

    fn unclosed_comment(&mut self, from: usize) {
        let span = self.cur.span(from, from + 2);
        self.cur.faults.push((Fault::Comment, span));
        self.cur.pos = self.text.len() - 1;
    }
}

/// The end of the line on which the cursor stands; comments may carry it further down.
fn rest_of_line(cursor: &mut Cursor, text: &str, bytes: &[u8], directive: bool) -> usize {
    let mut pos = cursor.pos;
    let last = bytes.len() - 1;
    loop {
        let end = memchr::memchr(b'\n', &bytes[pos..last]).map_or(last, |n| pos + n);
        let Some(n) = memchr::memchr3(b'/', b'"', b'\'', &bytes[pos..end]) else { return end };
        pos += n;
        match bytes[pos] {
            b'/' if bytes[pos + 1] == b'*' => match comment_end(bytes, pos + 2) {
                Some(end) => pos = end,
                None => {
                    let span = cursor.span(pos, pos + 2);
                    cursor.faults.push((Fault::Comment, span));
                    return last;
                }
            },
            b'/' if bytes[pos + 1] == b'/' => return end,
            b'/' => pos += 1,
            quote => match cursor.tyvar_end(text, pos) {
                Some(end) if quote == b'\'' => pos = end,
                // In `#error don't …` the quote opens nothing; a comment after it counts.
                _ => match quoted_end(bytes, pos) {
                    Ok(end) => pos = end,
                    Err(_) if directive => pos += 1,
                    Err(_) => return end,
                },
            },
        }
    }
}
