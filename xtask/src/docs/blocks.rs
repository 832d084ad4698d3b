//! Fenced blocks of a page.

/// What a block is.
pub enum Kind {
    /// Toft.
    Program,
    /// What is said about the program before it: the words after the three backquotes.
    Said(String),
}

pub struct Block {
    pub kind: Kind,
    /// The line of the fence, from 1.
    pub line: usize,
    pub text: String,
}

/// The programs of a page and what is said about them. Other blocks are not looked at.
pub fn of(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut other = false;
    for (n, line) in page.lines().enumerate() {
        let Some(words) = line.strip_prefix("```") else {
            if let Some(block) = &mut open {
                block.text.push_str(line);
                block.text.push('\n');
            }
            continue;
        };
        if other {
            other = false;
        } else if let Some(block) = open.take() {
            found.push(block);
        } else {
            let first = words.split_whitespace().next().unwrap_or("");
            let kind = match first {
                "toft" => Kind::Program,
                "stderr" | "stdout" | "dump" => Kind::Said(words.to_owned()),
                _ => {
                    other = true;
                    continue;
                }
            };
            open = Some(Block { kind, line: n + 1, text: String::new() });
        }
    }
    found
}

/// The page with the insides of some blocks changed.
pub fn replace(page: &str, new: &[(&Block, String)]) -> String {
    let mut out = String::new();
    let mut lines = page.lines().enumerate();
    while let Some((n, line)) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some((_, text)) = new.iter().find(|(block, _)| block.line == n + 1) else { continue };
        out.push_str(text.trim_end());
        out.push('\n');
        for (_, old) in lines.by_ref() {
            if old.starts_with("```") {
                out.push_str(old);
                out.push('\n');
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "a\n```toft\nint x;\n```\n```stderr\nold\n```\n```sh\n```\nend\n";

    #[test]
    fn finds_blocks() {
        let blocks = of(PAGE);
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].text, "int x;\n");
        assert_eq!(blocks[1].line, 5);
    }

    #[test]
    fn replaces_blocks() {
        let blocks = of(PAGE);
        let new = replace(PAGE, &[(&blocks[1], "new\n".into())]);
        assert_eq!(new, PAGE.replace("old", "new"));
    }
}
