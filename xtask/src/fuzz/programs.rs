//! Runs random programs: many in one source file, built several ways, each line of output held
//! to what the interpreter says.
//!
//! In: how many, from which seed. Out: counts; every program that is refused for an unexpected
//! reason, crashes or prints something else is kept as a file by itself.

use super::{interp, make, model::Program, print};
use crate::shell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Ways to build: C compiler, options.
const WAYS: [(&str, &[&str]); 8] = [
    ("gcc", &["-O2"]),
    ("clang", &["-O0", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("clang", &["-O2"]),
    ("gcc", &["-O0"]),
    ("gcc", &["-O2", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("clang", &["-O2", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("gcc", &["-O0", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("clang", &["-O0"]),
];

/// What the compiler may prove of a random program and refuse it for.
const FORESEEN: [&str; 7] = ["E0412", "E0502", "E0503", "E0504", "E0511", "E0701", "E0805"];

struct Options {
    count: u64,
    seed: u64,
    batch: usize,
    /// Every way for every batch; else two, by turns.
    full: bool,
    keep: PathBuf,
    toft: PathBuf,
}

#[derive(Default)]
struct Tally {
    run: usize,
    ends: BTreeMap<String, usize>,
    /// By code.
    refused: BTreeMap<String, usize>,
    long: usize,
    failures: Vec<String>,
}

/// A program of a batch.
struct Item {
    seed: u64,
    text: String,
    expected: String,
}

pub fn main(words: &[String]) -> Result<(), String> {
    let options = options(words)?;
    let tally = run(&options)?;
    println!("{} programs ran; {} took too long to interpret", tally.run, tally.long);
    let list = |map: &BTreeMap<String, usize>| {
        let words: Vec<String> = map.iter().map(|(k, n)| format!("{k} {n}")).collect();
        words.join(", ")
    };
    println!("ends: {}", list(&tally.ends));
    println!("refused: {}", list(&tally.refused));
    for failure in &tally.failures {
        println!("FAILED {failure}");
    }
    match tally.failures.len() {
        0 => Ok(()),
        n => Err(format!("{n} failures, kept in {}", options.keep.display())),
    }
}

pub fn show(words: &[String]) -> Result<(), String> {
    let seed = words.first().and_then(|w| w.parse().ok()).ok_or("show needs a seed")?;
    let program = on_big_stack(move || make::program(seed))?;
    print!("{}{}", print::PRELUDE, print::program(&program, 0));
    print!("{}", print::main_function(&[0]));
    println!("// expected: {:?}", interpret(program)?);
    Ok(())
}

/// A lane of `ci`: programs, failures.
pub fn lane(toft: PathBuf, count: u64) -> Result<(usize, Vec<String>), String> {
    let keep = shell::target().join("fuzz");
    let options = Options { count, seed: 1, batch: 100, full: false, keep, toft };
    let mut tally = run(&options)?;
    if (tally.run as u64) < count / 2 {
        tally.failures.push(format!("only {} of {count} programs could be run", tally.run));
    }
    if !canary(&options)? {
        tally.failures.push("a wrong expectation was not noticed".into());
    }
    Ok((tally.run, tally.failures))
}

/// Whether a program that is expected to print something else is reported.
fn canary(options: &Options) -> Result<bool, String> {
    let work = options.keep.join("canary");
    std::fs::create_dir_all(&work).map_err(|why| why.to_string())?;
    let options = Options { keep: work.clone(), toft: options.toft.clone(), ..*options };
    let mut tally = Tally::default();
    let mut items = generate(1..12, &mut tally)?;
    let mut found = false;
    while let Some(mut item) = items.pop() {
        item.expected.push('0');
        let mut tally = Tally::default();
        one_batch(&options, &work, vec![item], 0, &mut tally)?;
        // Refused ones say nothing.
        if tally.run == 1 {
            found = !tally.failures.is_empty();
            break;
        }
    }
    let _ = std::fs::remove_dir_all(&work);
    Ok(found)
}

fn options(words: &[String]) -> Result<Options, String> {
    let mut options = Options {
        count: 300,
        seed: 1,
        batch: 60,
        full: false,
        keep: shell::target().join("fuzz"),
        toft: PathBuf::new(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--count" => options.count = value()?.parse().map_err(|_| "--count N")?,
            "--seed" => options.seed = value()?.parse().map_err(|_| "--seed N")?,
            "--batch" => options.batch = value()?.parse().map_err(|_| "--batch N")?,
            "--keep" => options.keep = value()?.into(),
            "--toft" => options.toft = value()?.into(),
            "--full" => options.full = true,
            other => return Err(format!("unknown option {other}")),
        }
    }
    if options.toft.as_os_str().is_empty() {
        options.toft = shell::build_toft()?;
    }
    Ok(options)
}

fn run(options: &Options) -> Result<Tally, String> {
    let work = options.keep.join(format!("work-{}", options.seed));
    std::fs::create_dir_all(&work).map_err(|why| why.to_string())?;
    let mut tally = Tally::default();
    let mut seed = options.seed;
    let end = options.seed + options.count;
    let mut batch = 0;
    while seed < end {
        let next = (seed + options.batch as u64).min(end);
        let items = generate(seed..next, &mut tally)?;
        one_batch(options, &work, items, batch, &mut tally)?;
        seed = next;
        batch += 1;
    }
    let _ = std::fs::remove_dir_all(&work);
    Ok(tally)
}

/// Deep programs need a deep stack.
fn on_big_stack<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(f);
    thread.map_err(|why| why.to_string())?.join().map_err(|_| "the generator broke".into())
}

fn interpret(program: Program) -> Result<Option<String>, String> {
    on_big_stack(move || interp::expected(&program))?.map_err(Into::into)
}

fn generate(seeds: std::ops::Range<u64>, tally: &mut Tally) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let made = on_big_stack(move || {
        let one = |seed| {
            let program = make::program(seed);
            (seed, print::program(&program, seed as usize), interp::expected(&program))
        };
        seeds.map(one).collect::<Vec<_>>()
    })?;
    for (seed, text, expected) in made {
        match expected {
            Ok(Some(expected)) => items.push(Item { seed, text, expected }),
            Ok(None) => tally.long += 1,
            Err(why) => tally.failures.push(format!("{seed}: generator: {why}")),
        }
    }
    Ok(items)
}

/// The file's text, and the first line of each program in it.
fn source(items: &[Item]) -> (String, Vec<usize>) {
    let mut text = String::from(print::PRELUDE);
    let mut starts = Vec::new();
    let mut line = text.lines().count() + 1;
    for item in items {
        starts.push(line);
        line += item.text.lines().count();
        text.push_str(&item.text);
    }
    let numbers: Vec<usize> = items.iter().map(|item| item.seed as usize).collect();
    text.push_str(&print::main_function(&numbers));
    (text, starts)
}

fn one_batch(
    options: &Options,
    work: &Path,
    mut items: Vec<Item>,
    batch: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let file = work.join("batch.toft");
    for _ in 0..40 {
        let (text, starts) = source(&items);
        std::fs::write(&file, text).map_err(|why| why.to_string())?;
        let words = ["check", "--color=never", "--format=json", "--allow=warnings"];
        let output = command(&options.toft, &words, &[&file])?;
        if output.status.success() {
            break;
        }
        let bad = refusals(&String::from_utf8_lossy(&output.stdout), &starts)
            .into_iter()
            .chain(refusals(&String::from_utf8_lossy(&output.stderr), &starts))
            .collect::<BTreeMap<_, _>>();
        if bad.is_empty() {
            let kept = options.keep.join(format!("check-{batch}.toft"));
            let _ = std::fs::copy(&file, &kept);
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            let why: String = why.chars().take(300).collect();
            tally.failures.push(format!("check breaks off ({}): {why}", kept.display()));
            return Ok(());
        }
        for (&index, (code, line)) in bad.iter().rev() {
            let item = items.remove(index);
            *tally.refused.entry(code.clone()).or_default() += 1;
            if !FORESEEN.contains(&code.as_str()) {
                let kept = keep(options, &item);
                tally.failures.push(format!("{}: refused, {code}: {line} ({kept})", item.seed));
            }
        }
    }
    tally.run += items.len();
    for item in &items {
        let end = item.expected.split(' ').next().unwrap_or("").to_owned();
        *tally.ends.entry(end).or_default() += 1;
    }
    let ways: Vec<usize> = match options.full {
        true => (0..WAYS.len()).collect(),
        false => vec![(2 * batch) % WAYS.len(), (2 * batch + 1) % WAYS.len()],
    };
    for way in ways {
        build_and_run(options, work, &items, way, tally)?;
    }
    Ok(())
}

/// By program: the first error's code and message.
pub(super) fn refusals(json: &str, starts: &[usize]) -> BTreeMap<usize, (String, String)> {
    let mut bad = BTreeMap::new();
    each_message(json, starts, &mut |index, severity, code, message| {
        if severity == "error" {
            bad.entry(index).or_insert((code.to_owned(), message.to_owned()));
        }
    });
    bad
}

/// Every message that stands in a program: which, severity, code, words.
pub(super) fn each_message(
    json: &str,
    starts: &[usize],
    visit: &mut dyn FnMut(usize, &str, &str, &str),
) {
    for line in json.lines() {
        let text = |key: &str| {
            let at = line.find(&format!("\"{key}\":"))? + key.len() + 3;
            let rest = line[at..].trim_start().trim_start_matches('"');
            rest.split(['"', ',', '}']).next()
        };
        let number =
            text("line").or(text("line_start")).and_then(|n| n.trim().parse::<usize>().ok());
        let (Some(severity), Some(number)) = (text("severity").or(text("level")), number) else {
            continue;
        };
        let index = starts.partition_point(|&start| start <= number);
        if index > 0 {
            let (code, message) = (text("code").unwrap_or("?"), text("message").unwrap_or(""));
            visit(index - 1, severity, code, message);
        }
    }
}

fn keep(options: &Options, item: &Item) -> String {
    let path = options.keep.join(format!("seed-{}.toft", item.seed));
    let text = format!(
        "{}{}{}// expected: {} {}\n",
        print::PRELUDE,
        item.text,
        print::main_function(&[item.seed as usize]),
        item.seed,
        item.expected
    );
    let _ = std::fs::write(&path, text);
    path.display().to_string()
}

fn command(program: &Path, words: &[&str], paths: &[&Path]) -> Result<Output, String> {
    Command::new("timeout")
        .arg("300")
        .arg(program)
        .args(words)
        .args(paths)
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
        .output()
        .map_err(|why| format!("cannot run {}: {why}", program.display()))
}

fn build_and_run(
    options: &Options,
    work: &Path,
    items: &[Item],
    way: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let (cc, flags) = WAYS[way];
    let name = format!("{cc} {}", flags.join(" "));
    let (file, exe) = (work.join("batch.toft"), work.join("batch"));
    let cc = format!("--cc={cc}");
    let mut words = vec!["build", &cc, "--allow=warnings", "--color=never"];
    words.extend(flags);
    words.push("-o");
    let output = command(&options.toft, &words, &[&exe, &file])?;
    if !output.status.success() {
        let kept = options.keep.join(format!("build-{}.toft", items.first().map_or(0, |i| i.seed)));
        let _ = std::fs::copy(&file, &kept);
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        let why: String = why.lines().filter(|l| l.contains("error")).take(3).collect();
        tally.failures.push(format!("{name}: build of {} fails: {why}", kept.display()));
        return Ok(());
    }
    let output = command(&exe, &[], &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    for item in items {
        let line = lines.next();
        let wanted = format!("{} {}", item.seed, item.expected);
        if line == Some(wanted.as_str()) {
            continue;
        }
        let kept = keep(options, item);
        let Some(got) = line else {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            let why: String = why.chars().take(400).collect();
            tally.failures.push(format!("{name}: stops at {kept} ({}): {why}", output.status));
            break;
        };
        tally.failures.push(format!("{name}: {kept}: expected `{wanted}`, got `{got}`"));
    }
    Ok(())
}
