//! Parenthesised forms: the reader's first step.

/// A form.
#[derive(Clone, PartialEq, Debug)]
pub enum Sexp {
    Atom(String),
    Str(String),
    List(Vec<Sexp>),
}

/// Deeper nesting is refused: the reader must not overflow its stack.
const MAX_DEPTH: usize = 400;

impl Sexp {
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(list) => Some(list),
            _ => None,
        }
    }
}

/// All forms of a text.
pub fn read(text: &str) -> Result<Vec<Sexp>, String> {
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let Some(top) = stack.last_mut() else { return Err("unbalanced".into()) };
        match c {
            c if c.is_whitespace() => {}
            ';' => while chars.next_if(|&(_, c)| c != '\n').is_some() {},
            '(' => {
                if stack.len() > MAX_DEPTH {
                    return Err(format!("nested too deeply at byte {at}"));
                }
                stack.push(Vec::new());
            }
            ')' => {
                let list = stack.pop().unwrap_or_default();
                match stack.last_mut() {
                    Some(outer) => outer.push(Sexp::List(list)),
                    None => return Err(format!("`)` without `(` at byte {at}")),
                }
            }
            '"' => top.push(Sexp::Str(string(&mut chars, at)?)),
            _ => {
                let mut text = String::from(c);
                while let Some((_, c)) = chars
                    .next_if(|&(_, c)| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ';'))
                {
                    text.push(c);
                }
                top.push(Sexp::Atom(text));
            }
        }
    }
    match stack.pop() {
        Some(list) if stack.is_empty() => Ok(list),
        _ => Err("`(` without `)`".into()),
    }
}

fn string(
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    at: usize,
) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match chars.next() {
            Some((_, '"')) => return Ok(text),
            Some((_, '\\')) => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'u')) => text.push(escape(chars, at)?),
                Some((_, c)) => text.push(c),
                None => return Err(format!("unfinished string at byte {at}")),
            },
            Some((_, c)) => text.push(c),
            None => return Err(format!("unfinished string at byte {at}")),
        }
    }
}

/// `{hex}` after `\u`.
fn escape(
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    at: usize,
) -> Result<char, String> {
    let mut digits = String::new();
    while let Some((_, c)) = chars.next_if(|&(_, c)| c == '{' || c.is_ascii_hexdigit()) {
        if c != '{' {
            digits.push(c);
        }
    }
    chars.next_if(|&(_, c)| c == '}');
    u32::from_str_radix(&digits, 16)
        .ok()
        .and_then(char::from_u32)
        .ok_or_else(|| format!("malformed escape in the string at byte {at}"))
}

/// `text` as a string form.
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
