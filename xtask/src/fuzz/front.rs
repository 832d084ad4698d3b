//! Damaged sources for the compiler: it refuses or accepts, but never breaks down.
//!
//! In: the project's own programs. Each mutant goes to a `toft check` of its own, with 1 GB of
//! memory and ten seconds; what it accepts is brought to C with `--validate` as well, and,
//! in the `mutants` lane, built with sanitizers and run. Out: counts, and the finds as files.

use super::{mutate, rng::Rng};
use crate::shell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub struct Options {
    pub toft: PathBuf,
    pub keep: PathBuf,
    pub seed: u64,
    pub time: Duration,
    /// Small changes, and what is accepted is run.
    pub run: bool,
}

/// 1 GB beyond the address space set aside for the compiler's stack and by its allocator, in KB.
const MEMORY: usize = (1 + 1 + 1) << 20;

#[derive(Default)]
pub struct Tally {
    pub tried: usize,
    pub accepted: usize,
    pub ran: usize,
    pub failures: Vec<String>,
}

pub fn main(words: &[String], run: bool) -> Result<(), String> {
    let mut options = Options {
        toft: PathBuf::new(),
        keep: shell::target().join("fuzz"),
        seed: 1,
        time: Duration::from_secs(30),
        run,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--minutes" => {
                let minutes: f64 = value()?.parse().map_err(|_| "--minutes N")?;
                options.time = Duration::from_secs_f64(minutes * 60.0);
            }
            "--seed" => options.seed = value()?.parse().map_err(|_| "--seed N")?,
            "--keep" => options.keep = value()?.into(),
            "--toft" => options.toft = value()?.into(),
            other => return Err(format!("unknown option {other}")),
        }
    }
    if options.toft.as_os_str().is_empty() {
        options.toft = shell::build_toft()?;
    }
    let tally = fuzz(&options)?;
    println!("{} mutants; {} accepted, {} ran", tally.tried, tally.accepted, tally.ran);
    for failure in &tally.failures {
        println!("FAILED {failure}");
    }
    match tally.failures.len() {
        0 => Ok(()),
        n => Err(format!("{n} finds, kept in {}", options.keep.display())),
    }
}

pub fn fuzz(options: &Options) -> Result<Tally, String> {
    let folders: &[&str] = match options.run {
        true => &["tests/run", "tests/trap", "tests/ui", "tests/cwe"],
        false => &["tests", "lib", "apps", "bench", "docs"],
    };
    let mut corpus = Vec::new();
    folders.iter().for_each(|folder| gather(&shell::root().join(folder), &mut corpus));
    corpus.sort();
    let texts: Vec<String> =
        corpus.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    if texts.is_empty() {
        return Err("no programs to damage".into());
    }
    let work = options.keep.join(format!("front-{}", options.seed));
    std::fs::create_dir_all(&work).map_err(|why| why.to_string())?;
    let mut rng = Rng::new(options.seed);
    let mut tally = Tally::default();
    let start = Instant::now();
    while start.elapsed() < options.time && tally.failures.len() < 50 {
        let text = &texts[rng.below(texts.len())];
        if text.len() > 60_000 {
            continue;
        }
        let donor = &texts[rng.below(texts.len())];
        let mutant = match options.run {
            true => mutate::nudge(text, &mut rng),
            false => mutate::mutate(text, donor, &mut rng),
        };
        one(options, &work, &mutant, &mut tally)?;
    }
    let _ = std::fs::remove_dir_all(&work);
    Ok(tally)
}

fn gather(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "toft" || ext == "h") {
            out.push(path);
        }
    }
}

/// How a command ended.
struct End {
    code: Option<i32>,
    text: String,
}

/// Under limits: memory in KB (0: none), seconds.
fn limited(memory: usize, seconds: usize, program: &Path, words: &[&str]) -> Result<End, String> {
    let limit = if memory > 0 { format!("ulimit -v {memory};") } else { String::new() };
    let script = format!("{limit} ulimit -c 0; exec timeout -k 1 {seconds} \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .args(words)
        .stdin(Stdio::null())
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .map_err(|why| format!("cannot run sh: {why}"))?;
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    Ok(End { code: output.status.code(), text })
}

fn one(options: &Options, work: &Path, mutant: &[u8], tally: &mut Tally) -> Result<(), String> {
    let file = work.join("m.toft");
    std::fs::write(&file, mutant).map_err(|why| why.to_string())?;
    let path = file.to_string_lossy().into_owned();
    tally.tried += 1;
    let check = limited(MEMORY, 10, &options.toft, &["check", "--color=never", &path])?;
    if let Some(why) = breakdown(&check) {
        find(options, mutant, "check", &why, tally);
        return Ok(());
    }
    if check.code != Some(0) {
        return Ok(());
    }
    tally.accepted += 1;
    let to_c = ["build", "--emit=c", "--validate", "--color=never", "-o", "/dev/null", &path];
    let end = limited(MEMORY, 20, &options.toft, &to_c)?;
    let no_main = end.text.contains("main");
    if let Some(why) = breakdown(&end) {
        find(options, mutant, "build", &why, tally);
        return Ok(());
    }
    if end.code != Some(0) && !no_main && !end.text.contains("E0900") {
        find(options, mutant, "build", "refused after check accepted it", tally);
        return Ok(());
    }
    if options.run && end.code == Some(0) {
        execute(options, work, mutant, &path, tally)?;
    }
    Ok(())
}

/// Built with sanitizers and run: no report, no signal.
fn execute(
    options: &Options,
    work: &Path,
    mutant: &[u8],
    path: &str,
    tally: &mut Tally,
) -> Result<(), String> {
    let exe = work.join("m");
    let exe_path = exe.to_string_lossy().into_owned();
    let cc = if tally.ran.is_multiple_of(2) { "--cc=clang" } else { "--cc=gcc" };
    let words = ["build", "--color=never", "--allow=warnings", cc, "-O0"];
    let words = [&words[..], &["--sanitize=address,undefined", "-o", &exe_path, path]].concat();
    let built = limited(0, 60, &options.toft, &words)?;
    if built.code != Some(0) {
        let why: String = built.text.chars().take(200).collect();
        find(options, mutant, "cc", &format!("the C compiler refuses: {why}"), tally);
        return Ok(());
    }
    tally.ran += 1;
    let end = limited(0, 5, &exe, &[])?;
    let bad = ["AddressSanitizer", "runtime error:", "SEGV", "LeakSanitizer"];
    // The sanitizer sees a stack overflow first; without it that is a clean error.
    let report =
        bad.iter().any(|word| end.text.contains(word)) && !end.text.contains("stack-overflow");
    let signal = matches!(end.code, Some(132 | 134 | 135 | 136 | 138 | 139) | None);
    if report || (signal && !end.text.contains("stack-overflow") && !end.text.contains("xception"))
    {
        let why: String = end.text.chars().take(400).collect();
        find(options, mutant, "run", &format!("{:?}: {why}", end.code), tally);
    }
    Ok(())
}

/// A panic, a signal, a time-out, memory used up.
fn breakdown(end: &End) -> Option<String> {
    let panicked = end.text.find("panicked at");
    let line = |at: usize| end.text[at..].chars().take(160).collect::<String>().replace('\n', " ");
    if let Some(at) = panicked {
        return Some(line(at));
    }
    match end.code {
        Some(124 | 137) => Some("too slow".into()),
        Some(0..=2) => end.text.find("internal compiler error").map(line),
        code => Some(format!("ends with {code:?}: {}", line(0))),
    }
}

fn find(options: &Options, mutant: &[u8], stage: &str, why: &str, tally: &mut Tally) {
    let n = tally.failures.len();
    let path = options.keep.join(format!("{stage}-{}-{n}.toft", options.seed));
    let _ = std::fs::write(&path, mutant);
    tally.failures.push(format!("{stage}: {} ({why})", path.display()));
}
