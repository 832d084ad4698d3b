//! Raw C: the text between the braces of `extern "C include" { … }`.

use crate::lexer::{Fault, Lexer, comment_end, line_end, quoted_end};
use toft_base::Span;

impl Lexer {
    /// With the cursor just after the `{`, goes past the matching `}`. The span of the
    /// text between them.
    pub(crate) fn raw_block(&mut self, open: Span) -> Span {
        let bytes = self.text.as_bytes();
        let from = self.cur.pos;
        let last = bytes.len() - 1;
        let mut pos = from;
        let mut depth = 1;
        while pos < last {
            match bytes[pos] {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.cur.pos = pos + 1;
                        return self.cur.span(from, pos);
                    }
                }
                b'/' if bytes[pos + 1] == b'/' => {
                    pos = line_end(bytes, pos);
                    continue;
                }
                b'/' if bytes[pos + 1] == b'*' => match comment_end(bytes, pos + 2) {
                    Some(end) => {
                        pos = end;
                        continue;
                    }
                    None => break,
                },
                b'"' | b'\'' => {
                    // A lone quote, as in `#error don't`, hides its line.
                    pos = match quoted_end(bytes, pos) {
                        Ok(end) | Err(end) => end,
                    };
                    continue;
                }
                _ => {}
            }
            pos += 1;
        }
        self.cur.faults.push((Fault::RawC, open));
        self.cur.pos = last;
        self.cur.span(from, last)
    }
}
