//! Damages source text: bytes, tokens, balanced groups.

use super::rng::Rng;

/// Words and signs worth putting anywhere.
const WORDS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ";",
    ",",
    ".",
    "->",
    "*",
    "?",
    "@",
    "&",
    "&&",
    "=",
    "==",
    ":",
    "::",
    ":=:",
    "...",
    "#",
    "##",
    "'",
    "\"",
    "\\",
    "`r",
    "'a",
    "'r",
    "'H",
    "'X",
    "$(",
    "int",
    "char",
    "long",
    "unsigned",
    "void",
    "double",
    "bool",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "const",
    "sizeof",
    "new",
    "let",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "return",
    "if",
    "else",
    "while",
    "do",
    "for",
    "try",
    "catch",
    "throw",
    "datatype",
    "@tagged",
    "@extensible",
    "@fat",
    "@thin",
    "@notnull",
    "@nullable",
    "@zeroterm",
    "@nozeroterm",
    "@numelts",
    "@requires",
    "tagcheck",
    "numelts",
    "malloc",
    "calloc",
    "NULL",
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "18446744073709551615ul",
    "1e400",
    "'\\0'",
    "\"\"",
    "\"%s%d%n\"",
    "region",
    "abstract",
    "namespace",
    "using",
    "extern \"C\"",
    "_Generic",
    "_Static_assert",
    "typeof",
    "__attribute__((",
    "tag_t<'n>",
    "valueof('n)",
    "#define A A(",
    "#include <stdio.h>",
    "#if 1",
    "#endif",
    "{for i < 3 : i}",
    "\\A",
    "\\U",
    "\\RC",
    "\\T",
];

pub fn mutate(text: &str, donor: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        bytes = match rng.below(10) {
            0 => damage_bytes(bytes, rng),
            1..7 => damage_tokens(&bytes, donor, rng),
            _ => damage_groups(&bytes, donor, rng),
        };
    }
    bytes
}

/// Small changes after which a program is often still accepted.
pub fn nudge(text: &str, rng: &mut Rng) -> Vec<u8> {
    const SWAPS: &[&[&str]] = &[
        &["*", "?", "@"],
        &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
        &["<", "<=", ">", ">=", "==", "!="],
        &["+=", "-=", "*=", "/=", "|=", "<<=", "="],
        &["++", "--"],
        &["&&", "||"],
        &["char", "int", "long", "short", "unsigned", "double", "bool", "unsigned char"],
        &["break", "continue"],
        &["!", "~", "-", "*", "&", ""],
    ];
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "2",
        "3",
        "-1",
        "7",
        "100",
        "2147483647",
        "(-2147483647 - 1)",
        "4294967295u",
        "64",
    ];
    let mut tokens = tokens(text.as_bytes());
    let words: Vec<String> = tokens.iter().filter(|t| is_word(t)).cloned().collect();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(tokens.len());
        let token = tokens[at].clone();
        let first = token.chars().next().unwrap_or(' ');
        if let Some(list) = SWAPS.iter().find(|list| list.contains(&token.as_str())) {
            tokens[at] = list[rng.below(list.len())].to_owned();
        } else if first.is_ascii_digit() {
            tokens[at] = NUMBERS[rng.below(NUMBERS.len())].to_owned();
        } else if is_word(&token) && rng.chance(70) {
            tokens[at] = words[rng.below(words.len())].clone();
        } else if token == ";" {
            // The statement before it goes, or comes twice.
            let start = tokens[..at].iter().rposition(|t| matches!(t.as_str(), ";" | "{" | "}"));
            let Some(start) = start else { continue };
            let statement: Vec<String> = tokens[start + 1..=at].to_vec();
            if rng.chance(50) {
                tokens.drain(start + 1..=at);
            } else {
                let to = rng.below(tokens.len());
                let to = tokens[to..].iter().position(|t| t == ";").map_or(at, |n| to + n) + 1;
                tokens.splice(to..to, statement);
            }
        }
    }
    tokens.concat().into_bytes()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn damage_bytes(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    for _ in 0..1 + rng.below(8) {
        let at = rng.below(bytes.len().max(1));
        match rng.below(4) {
            0 if at < bytes.len() => bytes[at] = rng.next() as u8,
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => bytes.insert(at.min(bytes.len()), rng.next() as u8),
            _ => {
                let end = (at + 1 + rng.below(40)).min(bytes.len());
                let piece = bytes[at.min(end)..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

/// Words, numbers, strings, signs; blanks are tokens too, so that nothing is lost.
fn tokens(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut out: Vec<String> = Vec::new();
    let mut rest: &str = &text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let len = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else if first == '"' {
            string_end(rest)
        } else {
            let two = [
                "->", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=",
                "::",
            ];
            if two.iter().any(|sign| rest.starts_with(sign)) { 2 } else { first.len_utf8() }
        };
        out.push(rest[..len].to_owned());
        rest = &rest[len..];
    }
    out
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\n' => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

fn damage_tokens(bytes: &[u8], donor: &str, rng: &mut Rng) -> Vec<u8> {
    let mut list = tokens(bytes);
    let other = tokens(donor.as_bytes());
    for _ in 0..1 + rng.below(4) {
        if list.is_empty() {
            break;
        }
        let at = rng.below(list.len());
        match rng.below(9) {
            0 => {
                list.remove(at);
            }
            1 => list.insert(at, list[at].clone()),
            2 => {
                let to = rng.below(list.len());
                list.swap(at, to);
            }
            3 | 4 => list.insert(at, format!(" {} ", WORDS[rng.below(WORDS.len())])),
            5 => list[at] = format!(" {} ", WORDS[rng.below(WORDS.len())]),
            6 => {
                let from = rng.below(other.len());
                let end = (from + 1 + rng.below(30)).min(other.len());
                list.splice(at..at, other[from..end].iter().cloned());
            }
            7 => {
                let end = (at + 1 + rng.below(20)).min(list.len());
                list.drain(at..end);
            }
            // Depth.
            _ if rng.chance(5) => {
                let times = 1 << rng.below(14);
                list.insert(at, format!("{} ", list[at]).repeat(times));
            }
            _ => list[at] = list[rng.below(list.len())].clone(),
        }
    }
    list.concat().into_bytes()
}

/// From an opening bracket to its partner.
fn group(list: &[String], rng: &mut Rng) -> Option<(usize, usize)> {
    let opens = |t: &str| matches!(t, "(" | "[" | "{");
    let closes = |t: &str| matches!(t, ")" | "]" | "}");
    let starts: Vec<usize> = (0..list.len()).filter(|&n| opens(&list[n])).collect();
    let &start = rng.pick(&starts)?;
    let mut depth = 0usize;
    for (n, token) in list.iter().enumerate().skip(start) {
        if opens(token) {
            depth += 1;
        } else if closes(token) {
            depth -= 1;
            if depth == 0 {
                return Some((start, n + 1));
            }
        }
    }
    None
}

fn damage_groups(bytes: &[u8], donor: &str, rng: &mut Rng) -> Vec<u8> {
    let mut list = tokens(bytes);
    let other = tokens(donor.as_bytes());
    let Some((start, end)) = group(&list, rng) else { return bytes.to_vec() };
    match rng.below(5) {
        0 => {
            list.drain(start..end);
        }
        1 => {
            let piece = list[start..end].to_vec();
            list.splice(end..end, piece);
        }
        2 => {
            if let Some((from, to)) = group(&other, rng) {
                list.splice(start..end, other[from..to].iter().cloned());
            }
        }
        3 => {
            // Empty.
            list.drain(start + 1..end - 1);
        }
        _ => {
            if let Some((from, to)) = group(&list.clone(), rng) {
                let piece = list[from..to].to_vec();
                list.splice(start..end, piece);
            }
        }
    }
    list.concat().into_bytes()
}
