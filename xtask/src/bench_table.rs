//! Where the numbers of `cargo xtask bench` go: `bench/results.jsonl` keeps every run,
//! `docs/benchmarks.md` shows the last full one of each compiler between its markers.

use crate::bench::{Row, geometric_mean, worst};
use crate::shell::root;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// One JSON line for each program.
pub fn append(rows: &[Row], cc: &str, runs: usize) -> Result<(), String> {
    let path = root().join("bench/results.jsonl");
    let shown = path.display().to_string();
    let mut text = String::new();
    let now = std::time::SystemTime::now();
    let time = now.duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    for row in rows {
        let _ = writeln!(
            text,
            "{{\"time\":{time},\"cc\":\"{cc}\",\"runs\":{runs},\"name\":\"{}\",\
             \"c_s\":{:.4},\"toft_s\":{:.4},\"ratio\":{:.4}}}",
            row.name, row.c, row.toft, row.ratio
        );
    }
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|why| format!("{shown}: {why}"))
}

/// Puts the table between the compiler's markers in `docs/benchmarks.md`; the prose around
/// stays.
pub fn write(rows: &[Row], cc: &str, runs: usize) -> Result<(), String> {
    let path = root().join("docs/benchmarks.md");
    let shown = path.display().to_string();
    let old = std::fs::read_to_string(&path).map_err(|why| format!("{shown}: {why}"))?;
    let (first, last) = (format!("<!-- bench:{cc}:begin -->"), format!("<!-- bench:{cc}:end -->"));
    let (Some(begin), Some(end)) = (old.find(&first), old.find(&last)) else {
        return Err(format!("{shown}: the markers {first} and {last} are missing"));
    };
    let text = format!("{}{first}\n\n{}\n{}", &old[..begin], table(rows, cc, runs), &old[end..]);
    std::fs::write(&path, text).map_err(|why| format!("{shown}: {why}"))
}

fn table(rows: &[Row], cc: &str, runs: usize) -> String {
    let mut text = format!(
        "`cargo xtask bench --cc {cc} --runs {runs}`, {}:\n\n\
         | program | C, s | Toft, s | Toft / C | lines changed |\n\
         | --- | --- | --- | --- | --- |\n",
        version(cc)
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {:.3} | {:.3} | {:.2} | {} of {} |",
            row.name, row.c, row.toft, row.ratio, row.changed, row.lines
        );
    }
    if let Some(worst) = worst(rows) {
        let _ = writeln!(
            text,
            "\n{} programs: geometric mean {:.3}, worst {:.2} ({}).",
            rows.len(),
            geometric_mean(rows),
            worst.ratio,
            worst.name
        );
    }
    text
}

/// The first line of what `cc --version` says.
fn version(cc: &str) -> String {
    let output = std::process::Command::new(cc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok().and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_else(|| cc.into())
}

/// How many lines of the C text are not, in order, in the Toft text; and how many it has.
pub fn changed_lines(c: &Path, toft: &Path) -> Result<(usize, usize), String> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
    };
    let (c, toft) = (read(c)?, read(toft)?);
    let (c, toft): (Vec<&str>, Vec<&str>) = (c.lines().collect(), toft.lines().collect());
    // The longest common subsequence, a row at a time.
    let mut best = vec![0usize; toft.len() + 1];
    for line in &c {
        let mut diagonal = 0;
        for (j, other) in toft.iter().enumerate() {
            let above = best[j + 1];
            best[j + 1] = if line == other { diagonal + 1 } else { above.max(best[j]) };
            diagonal = above;
        }
    }
    Ok((c.len() - best[toft.len()], c.len()))
}
