//! `cargo xtask bench`: Toft programs against their C twins, in the same run, with the same
//! compiler and `-O2`. Each folder `bench/NAME/` holds `NAME.c` and `NAME.toft`; both take the
//! same argument and must print the same. Nothing is judged here: the table says what was found.

use crate::shell::{build_toft, root, target};
use crate::{bench_gc, bench_mem, bench_table};
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask bench [NAME…] [--cc gcc|clang] [--runs N]
       cargo xtask bench gc|mem [--runs N]";

struct Options {
    names: Vec<String>,
    cc: String,
    runs: usize,
}

/// What was measured of one program.
pub struct Row {
    pub name: String,
    /// Median processor seconds of the C twin and of the Toft program.
    pub c: f64,
    pub toft: f64,
    /// Median of the ratios of runs that stood side by side: drift of the machine cancels out.
    pub ratio: f64,
    /// Lines of the C text that the Toft text changes or drops.
    pub changed: usize,
    pub lines: usize,
}

pub fn main(words: &[String]) -> Result<(), String> {
    let options = options(words)?;
    let toft = build_toft()?;
    let dir = target().join("bench");
    std::fs::create_dir_all(&dir).map_err(|why| format!("{}: {why}", dir.display()))?;
    if options.names.iter().any(|name| name == "gc") {
        return bench_gc::main(&dir, options.runs);
    }
    if options.names.iter().any(|name| name == "mem") {
        return bench_mem::main(&dir, options.runs);
    }
    let all = options.names.is_empty();
    let names = if all { folders()? } else { options.names.clone() };
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for name in &names {
        match measure(name, &toft, &dir, &options) {
            Ok(row) => {
                println!(
                    "{:<14} C {:.3} s   Toft {:.3} s   {:.3}   {} of {} lines changed",
                    row.name, row.c, row.toft, row.ratio, row.changed, row.lines
                );
                rows.push(row);
            }
            Err(why) => {
                println!("{name:<14} {why}");
                failed.push(name.as_str());
            }
        }
    }
    if !rows.is_empty() {
        summary(&rows);
        bench_table::append(&rows, &options.cc, options.runs)?;
    }
    if !failed.is_empty() {
        return Err(format!("not measured: {}", failed.join(", ")));
    }
    // A table of some programs would hide the rest.
    if all { bench_table::write(&rows, &options.cc, options.runs) } else { Ok(()) }
}

fn options(words: &[String]) -> Result<Options, String> {
    let mut options = Options { names: Vec::new(), cc: "gcc".into(), runs: 9 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut value = || inline.clone().or_else(|| words.next().cloned()).ok_or(USAGE);
        match flag {
            "--cc" => options.cc = value()?,
            "--runs" => {
                options.runs = value()?.parse().ok().filter(|&n| n > 0).ok_or(USAGE)?;
            }
            flag if flag.starts_with('-') => return Err(USAGE.into()),
            name => options.names.push(name.to_owned()),
        }
    }
    Ok(options)
}

/// Every program of `bench/`, sorted.
fn folders() -> Result<Vec<String>, String> {
    let dir = root().join("bench");
    let entries = std::fs::read_dir(&dir).map_err(|why| format!("{}: {why}", dir.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| dir.join(name).join(format!("{name}.toft")).is_file())
        .collect();
    names.sort();
    Ok(names)
}

fn measure(name: &str, toft: &Path, dir: &Path, options: &Options) -> Result<Row, String> {
    let folder = root().join("bench").join(name);
    let c_text = folder.join(format!("{name}.c"));
    let toft_text = folder.join(format!("{name}.toft"));
    let c_program = dir.join(format!("{name}.{}.c.out", options.cc));
    let toft_program = dir.join(format!("{name}.{}.toft.out", options.cc));
    build(Command::new(&options.cc).arg("-O2").arg("-o").arg(&c_program).arg(&c_text).arg("-lm"))?;
    build(
        Command::new(toft)
            .args(["build", "-O2", &format!("--cc={}", options.cc), "-o"])
            .arg(&toft_program)
            .arg(&toft_text),
    )?;
    let (_, expected) = timed(&c_program)?;
    let (_, printed) = timed(&toft_program)?;
    if expected != printed {
        return Err(format!("prints another text than its twin: {printed:?}, not {expected:?}"));
    }
    let mut times = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    for round in 0..options.runs {
        // Who goes first alternates, so that neither always finds the warmer machine.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        let mut now = [0.0; 2];
        for which in order {
            now[which] = timed([c_program.as_path(), &toft_program][which])?.0;
            times[which].push(now[which]);
        }
        ratios.push(now[1] / now[0]);
    }
    let [mut c, mut toft] = times;
    let (changed, lines) = bench_table::changed_lines(&c_text, &toft_text)?;
    Ok(Row {
        name: name.to_owned(),
        c: median(&mut c),
        toft: median(&mut toft),
        ratio: median(&mut ratios),
        changed,
        lines,
    })
}

/// Runs a build; silent unless it fails.
pub fn build(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|why| format!("cannot run {command:?}: {why}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().take(12).collect();
    Err(format!("does not build:\n{}", said.join("\n")))
}

/// One run: processor seconds and what it printed.
fn timed(program: &Path) -> Result<(f64, Vec<u8>), String> {
    let why = |why: std::io::Error| format!("cannot run {}: {why}", program.display());
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(why)?;
    let mut printed = Vec::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_end(&mut printed).map_err(why)?;
    }
    let seconds = processor_seconds(child.id());
    let seconds = seconds.unwrap_or_else(|| start.elapsed().as_secs_f64());
    let output = child.wait_with_output().map_err(why)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{} ended with {}: {said}", program.display(), output.status));
    }
    Ok((seconds, printed))
}

/// What a child that has closed its output took of a processor, once it has ended and before
/// it is waited for. Other programs on the machine disturb it far less than the clock's time.
/// None where there is no Linux `/proc`.
fn processor_seconds(pid: u32) -> Option<f64> {
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let state = stat.rsplit_once(") ")?.1;
        if state.starts_with('Z') {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n % 2 == 1 { values[n / 2] } else { (values[n / 2 - 1] + values[n / 2]) / 2.0 }
}

pub fn geometric_mean(rows: &[Row]) -> f64 {
    (rows.iter().map(|row| row.ratio.ln()).sum::<f64>() / rows.len() as f64).exp()
}

pub fn worst(rows: &[Row]) -> Option<&Row> {
    rows.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))
}

fn summary(rows: &[Row]) {
    if let Some(worst) = worst(rows) {
        println!(
            "{} programs: geometric mean {:.3}, worst {:.3} ({})",
            rows.len(),
            geometric_mean(rows),
            worst.ratio,
            worst.name
        );
    }
}
