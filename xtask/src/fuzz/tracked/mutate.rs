//! Breaks programs in the ways programmers do: something used after it was given up, freed
//! twice, forgotten, kept longer than it lives, or held by two names.

use crate::fuzz::rng::Rng;

/// What was done to a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mutation {
    FreeTwice,
    ForgetFree,
    SwapLines,
    MoveLater,
    RepeatLater,
    OtherVariable,
    AssignForSwap,
    NoConsume,
    OtherAliasability,
    NotOpened,
    CountForgotten,
    Aliased,
    Stray,
}

const ALL: [Mutation; 13] = [
    Mutation::FreeTwice,
    Mutation::ForgetFree,
    Mutation::SwapLines,
    Mutation::MoveLater,
    Mutation::RepeatLater,
    Mutation::OtherVariable,
    Mutation::AssignForSwap,
    Mutation::NoConsume,
    Mutation::OtherAliasability,
    Mutation::NotOpened,
    Mutation::CountForgotten,
    Mutation::Aliased,
    Mutation::Stray,
];

/// A broken program: `None` when the mutation finds nothing to break.
pub fn mutate(text: &str, seed: u64) -> Option<(Mutation, String)> {
    let mut rng = Rng::new(seed);
    let mutation = *rng.pick(&ALL)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    apply(mutation, &mut lines, &mut rng)?;
    let mut changed = lines.join("\n");
    changed.push('\n');
    (changed != text).then_some((mutation, changed))
}

fn apply(mutation: Mutation, lines: &mut Vec<String>, rng: &mut Rng) -> Option<()> {
    use Mutation::*;
    let frees = |line: &str| {
        let line = line.trim_start();
        ["drop(", "dropc(", "free(", "rfree(", "free_ukey("]
            .iter()
            .any(|word| line.starts_with(word))
    };
    match mutation {
        FreeTwice => {
            let at = some(lines, rng, frees)?;
            let to = later(lines, at, rng);
            lines.insert(to, lines[at].clone());
        }
        ForgetFree => {
            let at = some(lines, rng, frees)?;
            lines[at] = ";".into();
        }
        SwapLines => {
            let at = some(lines, rng, is_plain)?;
            if !lines.get(at + 1).is_some_and(|line| is_plain(line)) {
                return None;
            }
            lines.swap(at, at + 1);
        }
        MoveLater | RepeatLater => {
            let at = some(lines, rng, is_plain)?;
            let to = later(lines, at, rng);
            let line = lines[at].clone();
            lines.insert(to, line);
            if mutation == MoveLater {
                lines.remove(at);
            }
        }
        OtherVariable => {
            let at = some(lines, rng, |line| is_plain(line) && variable(line, 0).is_some())?;
            let (from, to, name) = variable(&lines[at], rng.below(3))?;
            // Of the same function, so that the name may be known.
            let start = (0..at).rev().find(|&n| lines[n].starts_with("static ")).unwrap_or(0);
            let others = variables(&lines[start..at]);
            let letter = name.chars().next()?;
            let same: Vec<&String> = others
                .iter()
                .filter(|other| other.starts_with(letter) && **other != name)
                .collect();
            let other = (*rng.pick(&same)?).clone();
            lines[at].replace_range(from..to, &other);
        }
        AssignForSwap => replace(lines, rng, ":=:", "=")?,
        NoConsume => replace(lines, rng, " consume(1)", "")?,
        OtherAliasability => {
            let (old, new) =
                [("\\U", "\\A"), ("\\U", ""), ("\\RC", "\\A"), ("\\U", "\\RC"), ("\\RC", "\\U")]
                    [rng.below(5)];
            replace(lines, rng, old, new)?;
        }
        NotOpened => {
            let at = some(lines, rng, |line| line.contains("= open("))?;
            lines[at] = ";".into();
        }
        CountForgotten => {
            let at = some(lines, rng, |line| line.contains("alias_refptr("))?;
            lines[at] = lines[at].replacen("alias_refptr(", "(", 1);
        }
        Aliased => {
            let names = variables(lines);
            let unique: Vec<&String> = names.iter().filter(|name| name.starts_with('u')).collect();
            let name = (*rng.pick(&unique)?).clone();
            let at = some(lines, rng, |line| line.contains(&name) && is_plain(line))?;
            let first = [
                "struct N *zz = NAME;",
                "struct N *zz = (struct N *)NAME;",
                "struct N *\\U zz = NAME;",
                "auto zz = NAME;",
            ][rng.below(4)];
            lines.insert(at + 1, first.replace("NAME", &name));
            let to = later(lines, at + 1, rng);
            lines.insert(
                to,
                ["look(zz);", "if (zz) chk((unsigned long)zz->id);"][rng.below(2)].into(),
            );
        }
        Stray => {
            let names = variables(lines);
            let name = (*rng.pick(&names.iter().collect::<Vec<_>>())?).clone();
            let declared = format!(" {name} = ");
            let from = some(lines, rng, |line| line.contains(&declared) && is_plain(line))?;
            let at = later(lines, from, rng);
            let what = match name.chars().next()? {
                'u' | 'o' => {
                    ["look(NAME);", "drop(NAME);", "fix(NAME);", "NAME = NULL;"][rng.below(4)]
                }
                'c' => ["lookc(NAME);", "dropc(NAME);", "chk(refptr_count(NAME));"][rng.below(3)],
                'a' => ["free(NAME);", "NAME[0] = 1;"][rng.below(2)],
                'p' | 'l' => "lookr(NAME);",
                'b' => "look(NAME);",
                _ => return None,
            };
            lines.insert(at, what.replace("NAME", &name));
        }
    }
    Some(())
}

/// A statement of one line, so that moving it leaves the braces in order.
fn is_plain(line: &str) -> bool {
    let text = line.trim();
    text.ends_with(';')
        && !text.contains(['{', '}'])
        && !text.starts_with("case ")
        && !text.starts_with("static ")
        && !text.starts_with("default")
}

fn some(lines: &[String], rng: &mut Rng, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let list: Vec<usize> = (0..lines.len()).filter(|&n| fits(&lines[n])).collect();
    rng.pick(&list).copied()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A place for a statement after `at` where the names of `at` are still known.
fn later(lines: &[String], at: usize, rng: &mut Rng) -> usize {
    let depth = indent(&lines[at]);
    let ends = |n: &usize| indent(&lines[*n]) < depth || lines[*n].starts_with('}');
    let end = (at + 1..lines.len()).find(ends).unwrap_or(lines.len());
    let starts = |line: &String| is_plain(line) || line.trim() == "}";
    let list: Vec<usize> =
        (at + 1..=end).filter(|&n| n == at + 1 || lines.get(n - 1).is_some_and(starts)).collect();
    rng.pick(&list).copied().unwrap_or(at + 1)
}

fn replace(lines: &mut [String], rng: &mut Rng, old: &str, new: &str) -> Option<()> {
    let at = some(lines, rng, |line| line.contains(old))?;
    let places: Vec<usize> = lines[at].match_indices(old).map(|(n, _)| n).collect();
    let place = *rng.pick(&places)?;
    lines[at].replace_range(place..place + old.len(), new);
    Some(())
}

/// The `n`th (or last) name of a variable in the line: a letter and digits.
fn variable(line: &str, n: usize) -> Option<(usize, usize, String)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            at += 1;
        }
        let word = &line[start..at];
        if word.len() > 1
            && word.starts_with(['u', 'c', 'a', 'o', 'p', 'l', 'b', 'q', 'w', 't'])
            && word[1..].bytes().all(|b| b.is_ascii_digit())
        {
            found.push((start, at, word.to_owned()));
        }
        at = at.max(start + 1);
    }
    let last = found.len().checked_sub(1)?;
    Some(found.swap_remove(n.min(last)))
}

fn variables(lines: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for line in lines {
        for n in 0..3 {
            if let Some((_, _, name)) = variable(line, n)
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    names
}
