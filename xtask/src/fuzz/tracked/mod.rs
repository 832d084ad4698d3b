//! Random programs with unique and counted pointers, arenas, reaps and keys, and broken ones:
//! `cargo xtask fuzz tracked [--mutants]`.
//!
//! In: how many, from which seed. Out: counts by what became of them. An accepted program must
//! end as it says under both C compilers, with and without sanitizers, with freed memory
//! overwritten; objects check that they are themselves whenever they are looked at.

mod make;
mod mutate;
mod text;

use super::programs::{each_message, refusals};
use crate::shell;
use mutate::Mutation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Ways to build, two by turns.
const WAYS: [(&str, &[&str]); 4] = [
    ("gcc", &["-O2"]),
    ("clang", &["-O1", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("gcc", &["-O1", "--sanitize=address,undefined", "--cflag=-fno-sanitize-recover=all"]),
    ("clang", &["-O2"]),
];

/// What a program that ought to be right may be refused for all the same: the maker does not
/// follow null.
const FORESEEN: [&str; 3] = ["E0504", "E2001", "E2004"];

struct Options {
    count: u64,
    seed: u64,
    batch: u64,
    mutants: bool,
    keep: PathBuf,
    toft: PathBuf,
}

struct Item {
    number: u64,
    text: String,
    wild: bool,
    mutation: Option<Mutation>,
}

#[derive(Default)]
pub struct Tally {
    pub made: usize,
    pub run: usize,
    /// By code; apart for programs that ought to be right.
    refused: BTreeMap<String, usize>,
    refused_planned: BTreeMap<String, usize>,
    planned: usize,
    /// For each mutation: refused, accepted.
    mutations: BTreeMap<Mutation, (usize, usize)>,
    /// Accepted programs in which a free was taken out: those of which it was said.
    forgotten: usize,
    pub failures: Vec<String>,
}

pub fn main(words: &[String]) -> Result<(), String> {
    let options = options(words)?;
    let tally = run(&options)?;
    tally.print();
    match tally.failures.len() {
        0 => Ok(()),
        n => Err(format!("{n} failures, kept in {}", options.keep.display())),
    }
}

/// A lane of `ci`: programs and mutants.
pub fn lane(toft: PathBuf, count: u64, mutants: u64) -> Result<(usize, Vec<String>), String> {
    let keep = shell::target().join("fuzz");
    let mut all = (0, Vec::new());
    for (count, mutants) in [(count, false), (mutants, true)] {
        let (keep, toft) = (keep.clone(), toft.clone());
        let mut tally = run(&Options { count, seed: 1, batch: 100, mutants, keep, toft })?;
        // A lane in which nothing runs would find nothing.
        if tally.run * 10 < tally.made {
            tally.failures.push(format!("only {} of {} programs ran", tally.run, tally.made));
        }
        all.0 += tally.made;
        all.1.extend(tally.failures);
    }
    Ok(all)
}

pub fn show(words: &[String]) -> Result<(), String> {
    let seed: u64 = words.first().and_then(|w| w.parse().ok()).ok_or("show needs a seed")?;
    print!(
        "{}{}{}",
        text::prelude(),
        make::program(seed, is_wild(seed)),
        text::main_function(&[seed])
    );
    Ok(())
}

/// Every third program is wild.
fn is_wild(seed: u64) -> bool {
    seed % 3 == 2
}

impl Tally {
    fn print(&self) {
        let list = |map: &BTreeMap<String, usize>| {
            let words: Vec<String> = map.iter().map(|(k, n)| format!("{k} {n}")).collect();
            words.join(", ")
        };
        println!("{} programs made, {} accepted and run", self.made, self.run);
        println!("refused: {}", list(&self.refused));
        if self.planned > 0 {
            let refused: usize = self.refused_planned.values().sum();
            println!(
                "of {} that ought to be right {refused} were refused: {}",
                self.planned,
                list(&self.refused_planned)
            );
        }
        for (mutation, (refused, accepted)) in &self.mutations {
            println!("{mutation:?}: {refused} refused, {accepted} accepted");
        }
        if self.forgotten > 0 {
            println!("of those where a free was forgotten, {} warn of a loss", self.forgotten);
        }
        for failure in &self.failures {
            println!("FAILED {failure}");
        }
    }
}

fn options(words: &[String]) -> Result<Options, String> {
    let mut options = Options {
        count: 300,
        seed: 1,
        batch: 100,
        mutants: false,
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
            "--mutants" => options.mutants = true,
            other => return Err(format!("unknown option {other}")),
        }
    }
    if options.toft.as_os_str().is_empty() {
        options.toft = shell::build_toft()?;
    }
    Ok(options)
}

fn run(options: &Options) -> Result<Tally, String> {
    let work = options.keep.join(format!("tracked-{}-{}", options.seed, options.mutants));
    std::fs::create_dir_all(&work).map_err(|why| why.to_string())?;
    let mut tally = Tally::default();
    let end = options.seed + options.count;
    let mut seed = options.seed;
    let mut batch = 0;
    while seed < end {
        let next = (seed + options.batch).min(end);
        let mut items: Vec<Item> = (seed..next).map(|n| made(n, options.mutants)).collect();
        if options.mutants {
            items = mutants(options, &work, items)?;
        }
        tally.made += items.len();
        tally.planned += items.iter().filter(|item| is_planned(item)).count();
        one_batch(options, &work, items, batch, &mut tally)?;
        seed = next;
        batch += 1;
    }
    let _ = std::fs::remove_dir_all(&work);
    Ok(tally)
}

fn is_planned(item: &Item) -> bool {
    !item.wild && item.mutation.is_none()
}

fn made(seed: u64, mutants: bool) -> Item {
    let wild = !mutants && is_wild(seed);
    Item { number: seed, text: make::program(seed, wild), wild, mutation: None }
}

/// One broken copy of each accepted program.
fn mutants(options: &Options, work: &Path, items: Vec<Item>) -> Result<Vec<Item>, String> {
    let accepted = accepted(options, work, items, &mut |_, _| {}, &mut Vec::new())?;
    let broken = |item: Item| {
        let tries = (0..20).map(|n| mutate::mutate(&item.text, item.number * 64 + n));
        let (mutation, text) = tries.flatten().next()?;
        Some(Item { text, mutation: Some(mutation), ..item })
    };
    Ok(accepted.into_iter().filter_map(broken).collect())
}

/// The file's text, and the first line of each program in it.
fn source(items: &[Item]) -> (String, Vec<usize>) {
    let mut text = text::prelude();
    let mut starts = Vec::new();
    let mut line = text.lines().count() + 1;
    for item in items {
        starts.push(line);
        line += item.text.lines().count();
        text.push_str(&item.text);
    }
    let numbers: Vec<u64> = items.iter().map(|item| item.number).collect();
    text.push_str(&text::main_function(&numbers));
    (text, starts)
}

/// Takes out what the compiler refuses, until it has nothing more to say.
fn accepted(
    options: &Options,
    work: &Path,
    mut items: Vec<Item>,
    refused: &mut dyn FnMut(&Item, &str),
    failures: &mut Vec<String>,
) -> Result<Vec<Item>, String> {
    let file = work.join("batch.toft");
    for _ in 0..60 {
        let (text, starts) = source(&items);
        std::fs::write(&file, text).map_err(|why| why.to_string())?;
        let words = ["check", "--color=never", "--format=json", "--allow=warnings"];
        let output = command(&options.toft, &words, &[&file])?;
        if output.status.success() {
            return Ok(items);
        }
        let said = |bytes: &[u8]| refusals(&String::from_utf8_lossy(bytes), &starts);
        let bad: BTreeMap<_, _> =
            said(&output.stdout).into_iter().chain(said(&output.stderr)).collect();
        if bad.is_empty() {
            let kept =
                options.keep.join(format!("check-{}.toft", items.first().map_or(0, |i| i.number)));
            let _ = std::fs::copy(&file, &kept);
            let why: String = String::from_utf8_lossy(&output.stderr).chars().take(300).collect();
            failures.push(format!("check breaks off ({}): {why}", kept.display()));
            return Ok(Vec::new());
        }
        for (&index, (code, _)) in bad.iter().rev() {
            let item = items.remove(index);
            refused(&item, code);
        }
    }
    failures.push("refusals do not come to an end".into());
    Ok(Vec::new())
}

fn one_batch(
    options: &Options,
    work: &Path,
    items: Vec<Item>,
    batch: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut failures = Vec::new();
    let mut told: Vec<(bool, Option<Mutation>, String, u64)> = Vec::new();
    let items = accepted(
        options,
        work,
        items,
        &mut |item, code| {
            told.push((is_planned(item), item.mutation, code.to_owned(), item.number))
        },
        &mut failures,
    )?;
    for (planned, mutation, code, number) in told {
        *tally.refused.entry(code.clone()).or_default() += 1;
        if let Some(mutation) = mutation {
            tally.mutations.entry(mutation).or_default().0 += 1;
        }
        if code == "E0902" {
            tally.failures.push(format!("{number}: {code}: the compiler's own work is wrong"));
        }
        if planned {
            if !FORESEEN.contains(&code.as_str()) {
                tally.failures.push(format!("{number}: ought to be right, refused with {code}"));
            }
            *tally.refused_planned.entry(code).or_default() += 1;
        }
    }
    tally.failures.extend(failures);
    tally.run += items.len();
    for mutation in items.iter().filter_map(|item| item.mutation) {
        tally.mutations.entry(mutation).or_default().1 += 1;
    }
    if items.is_empty() {
        return Ok(());
    }
    if options.mutants {
        tally.forgotten += forgotten(options, work, &items)?;
    }
    let mut outputs = Vec::new();
    for way in [2 * batch % WAYS.len(), (2 * batch + 1) % WAYS.len()] {
        outputs.extend(build_and_run(options, work, &items, way, tally)?);
    }
    if let [one, two] = &outputs[..] {
        for (item, (a, b)) in items.iter().zip(one.lines().zip(two.lines())) {
            if a != b {
                let kept = keep(options, item);
                tally.failures.push(format!("{kept}: `{a}` one way, `{b}` the other"));
            }
        }
    }
    Ok(())
}

/// How many of the programs where a free is missing are warned about.
fn forgotten(options: &Options, work: &Path, items: &[Item]) -> Result<usize, String> {
    let (text, starts) = source(items);
    let file = work.join("batch.toft");
    std::fs::write(&file, text).map_err(|why| why.to_string())?;
    let output = command(&options.toft, &["check", "--color=never", "--format=json"], &[&file])?;
    let mut warned = std::collections::BTreeSet::new();
    for bytes in [&output.stdout, &output.stderr] {
        each_message(&String::from_utf8_lossy(bytes), &starts, &mut |index, _, code, _| {
            if code == "W2001" {
                warned.insert(index);
            }
        });
    }
    let missing = |&index: &usize| items[index].mutation == Some(Mutation::ForgetFree);
    Ok(warned.into_iter().filter(missing).count())
}

fn keep(options: &Options, item: &Item) -> String {
    let path = options.keep.join(format!("tracked-{}.toft", item.number));
    let note = item.mutation.map_or(String::new(), |mutation| format!("// {mutation:?}\n"));
    let main = text::main_function(&[item.number]);
    let _ = std::fs::write(&path, format!("{}{}{main}{note}", text::prelude(), item.text));
    path.display().to_string()
}

fn command(program: &Path, words: &[&str], paths: &[&Path]) -> Result<Output, String> {
    Command::new("timeout")
        .arg("300")
        .arg(program)
        .args(words)
        .args(paths)
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
        .env("TOFT_POISON", "1")
        .output()
        .map_err(|why| format!("cannot run {}: {why}", program.display()))
}

/// What the programs print; nothing when the file cannot be built.
fn build_and_run(
    options: &Options,
    work: &Path,
    items: &[Item],
    way: usize,
    tally: &mut Tally,
) -> Result<Option<String>, String> {
    let (cc, flags) = WAYS[way];
    let name = format!("{cc} {}", flags.join(" "));
    let (file, exe) = (work.join("batch.toft"), work.join("batch"));
    let cc = format!("--cc={cc}");
    let mut words = vec!["build", &cc, "--allow=warnings", "--color=never"];
    words.extend(flags);
    words.push("-o");
    let output = command(&options.toft, &words, &[&exe, &file])?;
    let first = items.first().map_or(0, |item| item.number);
    if !output.status.success() {
        let kept = options.keep.join(format!("build-{first}.toft"));
        let _ = std::fs::copy(&file, &kept);
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        let why: String = why.lines().filter(|l| l.contains("error")).take(3).collect();
        tally.failures.push(format!("{name}: build of {} fails: {why}", kept.display()));
        return Ok(None);
    }
    let output = command(&exe, &[], &[])?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said: String = String::from_utf8_lossy(&output.stderr).chars().take(500).collect();
    if !output.status.success() || printed.contains("BAD") || !said.is_empty() {
        let done = printed.lines().filter(|line| !line.starts_with("BAD")).count();
        let kept = match items.get(done.min(items.len() - 1)) {
            Some(item) => keep(options, item),
            None => String::new(),
        };
        tally.failures.push(format!("{name}: stops at {kept} ({}): {said}", output.status));
    }
    Ok(Some(printed))
}
