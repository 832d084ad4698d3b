//! Links between pages lead somewhere, and the error pages say what the compiler says.

use super::Tally;
use crate::shell::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Every relative link of every page names a file or folder that is there.
pub fn check(pages: &[PathBuf], tally: &mut Tally) {
    for page in pages {
        let Ok(text) = fs::read_to_string(page) else { continue };
        let dir = page.parent().unwrap_or(Path::new("."));
        for target in targets(&text) {
            let path = target.split('#').next().unwrap_or("");
            if path.is_empty() || path.contains("://") {
                continue;
            }
            if dir.join(path).exists() {
                tally.passed += 1;
            } else {
                let shown = page.strip_prefix(root()).unwrap_or(page).display();
                tally.failures.push(format!("{shown}: the link to {target} leads nowhere"));
            }
        }
    }
}

/// What stands in `](…)`, outside fenced blocks.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for rest in line.split("](").skip(1) {
            if let Some(target) = rest.split(')').next() {
                found.push(target.to_owned());
            }
        }
    }
    found
}

/// The first line of each error page is the code and its title in `codes.rs`; no page is left
/// over from a code that is gone.
pub fn error_titles(tally: &mut Tally) {
    let codes = fs::read_to_string(root().join("crates/diag/src/codes.rs")).unwrap_or_default();
    let mut known = Vec::new();
    for line in codes.lines() {
        let mut parts = line.trim().splitn(2, ' ');
        let (id, rest) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        // `"name" "title";`, where the title may have quotes in it, written `\"`.
        let title = rest.split_once("\" \"").and_then(|(_, title)| title.strip_suffix("\";"));
        if let (true, Some(title)) = (id.len() == 5 && id.starts_with(['E', 'W']), title) {
            known.push((id.to_owned(), title.replace("\\\"", "\"")));
        }
    }
    for (id, title) in &known {
        let name = format!("docs/errors/{id}.md");
        let text = fs::read_to_string(root().join(&name)).unwrap_or_default();
        if text.lines().next() == Some(&format!("# {id}: {title}")) {
            tally.passed += 1;
        } else {
            tally.failures.push(format!("{name}: does not begin with `# {id}: {title}`"));
        }
    }
    for entry in fs::read_dir(root().join("docs/errors")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let id = name.trim_end_matches(".md");
        if id != "README" && !known.iter().any(|(known, _)| known == id) {
            tally.failures.push(format!("docs/errors/{name}: there is no such code"));
        }
    }
}
