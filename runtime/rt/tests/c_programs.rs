//! Builds the C programs of `runtime/tests` against the archive and runs them, with each
//! C compiler there is, with and without optimisation and sanitizers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn work() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The archive as programs get it: optimised, without unwinding and without std.
fn archive() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let dir = work().join("archive");
        let status = Command::new(env!("CARGO"))
            .args(["build", "--release", "--quiet", "--manifest-path"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&dir)
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
            .status()
            .expect("cargo runs");
        assert!(status.success(), "the archive does not build");
        dir.join("release/libtoft_rt.a")
    })
}

/// Compilers on this machine.
fn compilers() -> Vec<&'static str> {
    let found =
        |cc: &&str| Command::new(cc).arg("--version").output().is_ok_and(|o| o.status.success());
    let mut all: Vec<_> = ["gcc", "clang"].into_iter().filter(found).collect();
    if !all.contains(&"clang") {
        all.extend(["clang-14"].into_iter().filter(found));
    }
    assert!(!all.is_empty(), "a C compiler is needed");
    all
}

/// Compiles `source` with `flags`; none if the compiler lacks the sanitizer asked for.
fn build(cc: &str, flags: &[&str], source: &Path, name: &str) -> Option<PathBuf> {
    let label: String = flags.concat().chars().filter(char::is_ascii_alphanumeric).collect();
    let exe = work().join(format!("{name}-{cc}-{label}"));
    let out = Command::new(cc)
        .args(["-std=gnu11", "-g1", "-fno-strict-aliasing", "-ffunction-sections", "-Wall"])
        .args(["-Wextra", "-Werror", "-Wno-infinite-recursion", "-Wno-clobbered"])
        .args(["-Wno-unknown-warning-option", "-Wno-stringop-overread"])
        .args(flags)
        .arg("-I")
        .arg(runtime().join("include"))
        .arg(source)
        .arg(archive())
        .args(["-lm", "-Wl,--gc-sections", "-o"])
        .arg(&exe)
        .output()
        .expect("the compiler runs");
    let text = String::from_utf8_lossy(&out.stderr);
    if !out.status.success() && text.contains("san") && text.contains("cannot find") {
        return None;
    }
    assert!(out.status.success(), "{cc} {flags:?} {}:\n{text}", source.display());
    Some(exe)
}

fn source(name: &str) -> PathBuf {
    runtime().join("tests").join(name)
}

fn run(exe: &Path, args: &[&str]) -> Output {
    Command::new(exe)
        .args(args)
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=0")
        .output()
        .expect("the program runs")
}

const PLAIN: [&[&str]; 2] = [&["-O0"], &["-O2"]];
const SANITIZED: &[&str] =
    &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

fn for_each_build(name: &str, sanitize: bool, mut check: impl FnMut(&Path, &str)) {
    for cc in compilers() {
        for flags in PLAIN.into_iter().chain(sanitize.then_some(SANITIZED)) {
            if let Some(exe) = build(cc, flags, &source(name), name) {
                check(&exe, &format!("{cc} {flags:?}"));
            }
        }
    }
}

fn ok(exe: &Path, args: &[&str], context: &str) -> String {
    let out = run(exe, args);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{context}: {:?}\n{text}", out.status);
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn heap_under_stress() {
    for_each_build("stress.c", true, |exe, how| {
        assert_eq!(ok(exe, &[], how).lines().count(), 11, "{how}");
    });
}

#[test]
fn manual_memory() {
    for_each_build("manual.c", true, |exe, how| {
        assert_eq!(ok(exe, &[], how).lines().count(), 9, "{how}");
        let out = Command::new(exe)
            .env("TOFT_POISON", "1")
            .env("ASAN_OPTIONS", "detect_stack_use_after_return=0")
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{how}: {:?}\n{text}", out.status);
    });
}

/// Collections beside the program, as often as they can be.
#[test]
fn marking_beside_the_program() {
    for name in ["stress.c", "manual.c"] {
        let exe = build(compilers()[0], &["-O2"], &source(name), "beside").expect("plain build");
        let out = Command::new(&exe)
            .env("TOFT_GC_PAUSE", "0")
            .env("TOFT_GC_MIN", "256K")
            .env("TOFT_GC_STATS", "1")
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{name}: {:?}\n{text}", out.status);
        assert!(text.contains("toft: gc: collections "), "{name}:\n{text}");
        assert!(!text.contains("(beside the program 0)"), "{name}:\n{text}");
    }
}

#[test]
fn arithmetic_and_pointers() {
    for_each_build("arith.c", true, |exe, how| assert_eq!(ok(exe, &[], how), "ok\n"));
}

#[test]
fn abi_by_example() {
    for_each_build("abi_example.c", true, |exe, how| {
        let text = "sum 42\nreleased 7\nParse_error(7)\nArray_bounds\ncollected yes\n\
                    text has 5 bytes\n";
        assert_eq!(ok(exe, &[], how), text, "{how}");
        assert_eq!(run(exe, &["x"]).status.code(), Some(101), "{how}");
    });
}

/// The first lines a failing program prints, and its exit code.
fn trapped(exe: &Path, case: usize) -> (String, String, Option<i32>) {
    let out = run(exe, &[&case.to_string()]);
    (
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
        out.status.code(),
    )
}

const FRAMES: &str = "  at src/main.toft:12:14 in sum
  backtrace:
    0: sum            src/main.toft:12
    1: list::pick     src/main.toft:15
    2: outer          src/main.toft:20
";

#[test]
fn uncaught_exceptions_are_reported() {
    for_each_build("traps.c", true, |exe, how| {
        let (out, err, code) = trapped(exe, 1);
        assert_eq!(code, Some(101), "{how}");
        assert_eq!(out, "start\n", "output comes out before the message: {how}");
        let head = "toft: uncaught exception Array_bounds: index 10 is outside 0..9\n";
        assert!(err.starts_with(&format!("{head}{FRAMES}")), "{how}:\n{err}");
        let (out, err, code) = trapped(exe, 20);
        assert_eq!((out.as_str(), code), ("start\nreleased\nouter saw it\n", Some(101)), "{how}");
        assert!(err.starts_with(&format!("{head}{FRAMES}    3: again ")), "{how}:\n{err}");
        let (out, err, code) = trapped(exe, 33);
        assert_eq!((out.as_str(), code), ("start\nend\n", Some(0)), "{how}");
        assert!(err.starts_with(&format!("{head}{FRAMES}    3: run ")), "{how}:\n{err}");
        let (out, _, code) = trapped(exe, 21);
        assert_eq!((out.as_str(), code), ("start\n667 handled\nend\n", Some(0)), "{how}");
        let (_, err, code) = trapped(exe, 24);
        assert_eq!(code, Some(101), "{how}");
        assert!(err.starts_with(&format!("{head}{FRAMES}")), "{how}:\n{err}");
    });
}

#[test]
fn every_reason_has_its_words() {
    let words = [
        (2, "Null_Exception: a null pointer was used"),
        (3, "Match_Exception: no case matches"),
        (4, "Arithmetic: division by zero"),
        (5, "Arithmetic: shift count out of range"),
        (6, "Arithmetic: the number does not fit the integer type"),
        (7, "Arithmetic: integer overflow"),
        (8, "Assert: x > 0"),
        (9, "Bad_alloc: out of memory"),
        (10, "Region_full: the region's limit is reached"),
        (11, "Match_Exception: the function ended without a value"),
        (12, "Null_Exception: a null pointer was used"),
        (13, "Failure"),
        (14, "Failure: -7"),
        (15, "Failure: -9223372036854775808"),
        (16, "Failure: no such file"),
        (17, "Failure: fat text"),
        (18, "Failure"),
        (19, "Null_Exception: a null pointer was used"),
        (26, "Array_bounds: the object has no elements"),
        (27, "Arithmetic: the number does not fit the integer type"),
        (28, "Array_bounds: index 4 is outside 0..3"),
        (29, "Array_bounds: index -1 is before the start"),
        (30, "Failure: 4294967295"),
        (31, "Failure: 18446744073709551615"),
        (32, "Failure: 'q'"),
    ];
    let exe = build(compilers()[0], &["-O2"], &source("traps.c"), "words").expect("plain build");
    for (case, text) in words {
        let (_, err, code) = trapped(&exe, case);
        assert_eq!(code, Some(101), "case {case}");
        let want = format!(
            "toft: uncaught exception {text}\n  at src/main.toft:20:5 in list::pick\n  backtrace:\n    0: run "
        );
        assert!(err.starts_with(&want), "case {case}:\n{err}");
    }
}

#[test]
fn stack_overflow_and_faults() {
    use std::os::unix::process::ExitStatusExt;
    for_each_build("traps.c", false, |exe, how| {
        let (out, err, code) = trapped(exe, 22);
        assert_eq!((out.as_str(), code), ("start\n", Some(101)), "{how}:\n{err}");
        assert!(err.starts_with("toft: stack overflow\n  at src/main.toft:2"), "{how}:\n{err}");
        assert!(err.contains("\n   11: recurse ") && err.ends_with("    ...\n"), "{how}:\n{err}");
        let out = run(exe, &["23"]);
        assert_eq!(out.status.signal(), Some(11), "{how}");
        let err = String::from_utf8_lossy(&out.stderr);
        let want =
            "toft: internal error: memory fault in code the compiler accepted, please report\n";
        assert!(err.starts_with(want) && err.contains("0: run "), "{how}:\n{err}");
        let (_, err, code) = trapped(exe, 25);
        assert_eq!(code, Some(101), "{how}");
        assert!(err.starts_with("toft: stack overflow\n  at src/main.toft:20:5 in list::pick\n"));
    });
}

#[test]
fn stripped_programs_still_report() {
    let exe = build(compilers()[0], &["-O2", "-s"], &source("traps.c"), "stripped").expect("build");
    let (_, err, code) = trapped(&exe, 1);
    assert_eq!(code, Some(101));
    let want = "toft: uncaught exception Array_bounds: index 10 is outside 0..9\n  \
                at src/main.toft:12:14 in sum\n  backtrace:\n    0: 0x";
    assert!(err.starts_with(want), "{err}");
}

#[test]
fn little_address_space_is_enough() {
    let exe = build(compilers()[0], &["-O2"], &source("stress.c"), "small").expect("build");
    let script = format!("ulimit -v 1000000; exec '{}' trees", exe.display());
    let out = Command::new("sh").arg("-c").arg(script).output().expect("a shell");
    assert_eq!(String::from_utf8_lossy(&out.stdout), "trees ok\n");
}

#[test]
fn programs_pay_for_what_they_use() {
    let cc = compilers()[0];
    for (flags, most) in [(["-O2", "-DSIGNALS=0"], 20_000), (["-O2", "-DX"], 100_000)] {
        let exe = build(cc, &flags, &source("hello.c"), "hello").expect("build");
        let names = Command::new("nm").arg(&exe).output().expect("nm runs");
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        assert!(!names.contains("toft_rt3mem") && !names.contains("toft_new"), "{names}");
        let status = Command::new("strip").arg(&exe).status().expect("strip runs");
        assert!(status.success());
        let size = std::fs::metadata(&exe).expect("file").len();
        assert!(size < most, "hello takes {size} bytes with {flags:?}");
        assert_eq!(ok(&exe, &[], "hello"), "hello\n");
    }
}

#[test]
fn every_entry_point_is_in_the_archive() {
    let mut text = String::from("#include \"toft.h\"\nvoid *all[] = {\n");
    for e in toft_rt_abi::ENTRIES {
        text += &format!("    (void *){},\n", e.name);
    }
    text += "};\nstatic int run(int c, char **v) { (void)v; return all[c] == 0; }\n";
    text += "TOFT_PROGRAM(run, 0, 0, 0, toft_signals_init)\n";
    let path = work().join("entries.c");
    std::fs::write(&path, text).expect("write");
    let exe = build(compilers()[0], &["-O1", "-Wno-pedantic"], &path, "entries").expect("build");
    assert!(run(&exe, &[]).status.success());
}
