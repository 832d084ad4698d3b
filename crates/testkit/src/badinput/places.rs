//! Surroundings that fail: missing files, headers in circles, no compiler, a full disk.

use super::{Act, LIMIT, Test, Want, toft};
use crate::exec::{self, Done};
use crate::world::World;
use std::path::Path;
use std::process::Command;

type Action = fn(&World, &Path) -> Result<Done, String>;

pub fn all() -> Vec<Test> {
    let refused = |code| Want::Refused(1, code);
    let failed = |code| Want::Refused(3, code);
    let list: &[(&str, Want, Action)] = &[
        ("missing file", refused("E0001"), missing_file),
        ("folder as a file", refused("E0001"), folder_as_file),
        ("missing header", refused("E0105"), missing_header),
        ("folder as a header", refused("E0105"), folder_as_header),
        ("header includes itself", refused("E0106"), self_include),
        ("headers in a circle", refused("E0106"), circle),
        ("header not UTF-8", refused("E0002"), bad_header),
        ("no C compiler to build", failed("E0004"), build_without_cc),
        ("no C compiler to check", Want::Fine, check_without_cc),
        ("C compiler that fails", failed("E0005"), failing_cc),
        ("C compiler that is not there", failed("E0004"), absent_cc),
        ("output into a missing folder", Want::Fine, new_folder),
        ("output is a folder", failed("E0006"), output_is_folder),
        ("output on a full device", failed("E0006"), full_device),
        ("output where nobody may write", failed("E0006"), nobody_writes),
        ("full disk", Want::Refused(3, "E0005"), full_disk),
        ("read-only disk", failed("E0006"), read_only),
        ("errors leave the old program", refused("E0301"), keeps_old),
        ("manifest without a name", refused("E0007"), bad_manifest),
        ("manifest that is not TOML", refused("E0007"), not_toml),
        ("package without sources", refused("E0007"), no_sources),
        ("a closed pipe", Want::Orderly, closed_pipe),
    ];
    list.iter()
        .map(|&(name, want, act)| Test { name: name.into(), want, act: Act::Do(act) })
        .collect()
}

const GOOD: &str = "int main(void) { return 0; }\n";

fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> Result<(), String> {
    let path = dir.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|why| why.to_string())?;
    }
    std::fs::write(path, text).map_err(|why| why.to_string())
}

fn go(world: &World, dir: &Path, words: &[&str]) -> Result<Done, String> {
    exec::run(&mut toft(world, dir, words), b"", LIMIT)
}

/// What lies in a folder, for finding leftovers.
fn left(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn nothing_but(dir: &Path, names: &[&str], done: Done) -> Result<Done, String> {
    let found = left(dir);
    if found == names { Ok(done) } else { Err(format!("left behind: {found:?}\n{}", done.stderr)) }
}

fn missing_file(world: &World, dir: &Path) -> Result<Done, String> {
    go(world, dir, &["check", "nothing.toft"])
}

fn folder_as_file(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "x.toft/inner", "")?;
    go(world, dir, &["check", "y.toft", "x.toft"])
}

fn missing_header(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", format!("#include \"nothing.h\"\n#include <nothing.h>\n{GOOD}"))?;
    go(world, dir, &["check", "a.toft"])
}

fn folder_as_header(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "h.h/inner", "")?;
    write(dir, "a.toft", format!("#include \"h.h\"\n{GOOD}"))?;
    go(world, dir, &["check", "a.toft"])
}

fn self_include(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.h", "#include \"a.h\"\n")?;
    write(dir, "a.toft", format!("#include \"a.h\"\n{GOOD}"))?;
    go(world, dir, &["check", "a.toft"])
}

fn circle(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.h", "#include \"b.h\"\n")?;
    write(dir, "b.h", "#include \"c.h\"\n")?;
    write(dir, "c.h", "#include \"a.h\"\n")?;
    write(dir, "a.toft", format!("#include \"a.h\"\n{GOOD}"))?;
    go(world, dir, &["check", "a.toft"])
}

fn bad_header(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.h", b"int x; // \xff\n")?;
    write(dir, "a.toft", format!("#include \"a.h\"\n{GOOD}"))?;
    go(world, dir, &["check", "a.toft"])
}

fn build_without_cc(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let mut command = toft(world, dir, &["build", "-o", "a", "a.toft"]);
    let done = exec::run(command.env("PATH", "").env_remove("CC"), b"", LIMIT)?;
    nothing_but(dir, &["a.toft"], done)
}

fn check_without_cc(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", format!("#include <string.h>\n{GOOD}"))?;
    let mut command = toft(world, dir, &["check", "a.toft"]);
    exec::run(command.env("PATH", "").env_remove("CC"), b"", LIMIT)
}

fn failing_cc(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let done = go(world, dir, &["build", "--cflag=-fnonsense-flag", "-o", "a", "a.toft"])?;
    nothing_but(dir, &["a.toft"], done)
}

fn absent_cc(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let done = go(world, dir, &["build", "--cc=no-such-compiler", "-o", "a", "a.toft"])?;
    nothing_but(dir, &["a.toft"], done)
}

fn new_folder(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let done = go(world, dir, &["build", "-o", "x/y/a", "a.toft"])?;
    if dir.join("x/y/a").is_file() { Ok(done) } else { Err("nothing was built".into()) }
}

fn output_is_folder(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    write(dir, "out/inner", "")?;
    let done = go(world, dir, &["build", "-o", "out", "a.toft"])?;
    nothing_but(dir, &["a.toft", "out"], done)
}

fn full_device(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    go(world, dir, &["build", "--emit=c", "-o", "/dev/full", "a.toft"])
}

/// Not even the superuser can make files there.
fn nobody_writes(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    go(world, dir, &["build", "--emit=c", "-o", "/proc/self/program", "a.toft"])
}

/// Runs a shell line with a small file system of its own at `disk`; `None` where the system
/// does not let users have one.
fn with_disk(world: &World, dir: &Path, options: &str, line: &str) -> Result<Option<Done>, String> {
    write(dir, "disk/.keep", "")?;
    let script = format!("mount -t tmpfs -o {options} none disk || exit 99\n{line}");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script]).current_dir(dir).env("TOFT", &world.toft);
    match exec::run(&mut command, b"", LIMIT) {
        Ok(done) if done.code == Some(99) || done.stderr.starts_with("unshare:") => Ok(None),
        Ok(done) => Ok(Some(done)),
        Err(_) => Ok(None),
    }
}

/// Where file systems can't be had, what stands for the outcome.
fn skipped(text: &str) -> Done {
    Done { code: Some(3), stdout: String::new(), stderr: format!("error[{text}]: skipped") }
}

fn full_disk(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let line = "\"$TOFT\" build --color=never -o disk/a a.toft; code=$?; ls -A disk; exit $code";
    let Some(done) = with_disk(world, dir, "size=64k", line)? else { return Ok(skipped("E0005")) };
    if done.stdout.is_empty() { Ok(done) } else { Err(format!("left behind: {}", done.stdout)) }
}

fn read_only(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    let line = "exec \"$TOFT\" build --color=never --emit=c -o disk/a.c a.toft";
    Ok(with_disk(world, dir, "size=64k,ro", line)?.unwrap_or_else(|| skipped("E0006")))
}

fn keeps_old(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", GOOD)?;
    go(world, dir, &["build", "-o", "a", "a.toft"])?;
    let old = std::fs::read(dir.join("a")).map_err(|why| why.to_string())?;
    write(dir, "a.toft", "int main(void) { return undeclared; }\n")?;
    let done = go(world, dir, &["build", "-o", "a", "a.toft"])?;
    let now = std::fs::read(dir.join("a")).map_err(|why| why.to_string())?;
    if now == old { Ok(done) } else { Err("the old program was changed".into()) }
}

fn bad_manifest(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "toft.toml", "[package]\nversion = \"1\"\n")?;
    write(dir, "src/main.toft", GOOD)?;
    go(world, dir, &["check"])
}

fn not_toml(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "toft.toml", "package = [[[\n")?;
    go(world, dir, &["check"])
}

fn no_sources(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "toft.toml", "[package]\nname = \"x\"\n")?;
    go(world, dir, &["check"])
}

fn closed_pipe(world: &World, dir: &Path) -> Result<Done, String> {
    write(dir, "a.toft", "int main(void) { return undeclared; }\n")?;
    let mut command = Command::new("sh");
    let line = "\"$TOFT\" check --format=json a.toft | true; \"$TOFT\" check a.toft 2>&1 | true";
    command.args(["-c", line]).current_dir(dir).env("TOFT", &world.toft);
    exec::run(&mut command, b"", LIMIT)
}
