//! What a C compiler says of itself: version, include folders, predefined macros.
//! Asking costs a process start, so the answer is kept on disk, keyed by everything it
//! depends on. A cache that cannot be read or written is as good as none.

use crate::compiler::Family;
use crate::files::write_atomic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

pub(crate) struct Found {
    pub(crate) family: Family,
    pub(crate) version: String,
    pub(crate) include_dirs: Vec<PathBuf>,
    pub(crate) macros: String,
}

/// The C that headers see. The emitted C is compiled as the same.
const STANDARD: &str = "-std=gnu11";
/// First line of a cache file; changes with the format.
const FORMAT: &str = "toft-cc-probe 1";

pub(crate) fn probe(program: &Path, args: &[String]) -> Result<Found, String> {
    let key = key(program, args);
    let cache = cache_file(&key);
    if let Some(text) = cache.as_deref().and_then(|path| std::fs::read_to_string(path).ok())
        && let Some(answer) = text.strip_prefix(&format!("{FORMAT}\n{key}\n"))
        && let Some(found) = parse(answer)
    {
        return Ok(found);
    }
    let answer = ask(program, args)?;
    let found = parse(&answer).ok_or("it does not name its include folders")?;
    if let Some(path) = cache
        && path.parent().is_some_and(|dir| std::fs::create_dir_all(dir).is_ok())
    {
        // Losing the cache only costs time.
        let _ = write_atomic(&path, format!("{FORMAT}\n{key}\n{answer}").as_bytes());
    }
    Ok(found)
}

/// One line with all that the answer depends on.
fn key(program: &Path, args: &[String]) -> String {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let (size, time) = match real.metadata() {
        Ok(meta) => {
            let time = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            (meta.len(), time.map_or(0, |t| t.as_nanos()))
        }
        Err(_) => (0, 0),
    };
    let env = ["CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "SDKROOT"]
        .map(|name| std::env::var(name).unwrap_or_default());
    format!("{program:?} {real:?} {size} {time} {args:?} {STANDARD} {env:?}")
}

fn cache_file(key: &str) -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    // FNV-1a: stable from run to run.
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    Some(base.join("toft").join(format!("cc-{hash:016x}.txt")))
}

/// Asks the compiler; its whole answer as one text: what `-v` said, a line, the macros.
fn ask(program: &Path, args: &[String]) -> Result<String, String> {
    let output = Command::new(program)
        .args(args)
        .args([STANDARD, "-dM", "-E", "-v", "-x", "c", "/dev/null"])
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("it cannot be run: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let line = stderr.lines().find(|line| line.contains("error")).unwrap_or("no message");
        return Err(format!("it failed ({}): {line}", output.status));
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let told: Vec<&str> = stderr.lines().filter(|line| useful(line)).collect();
    Ok(format!("{}\n{MACROS}\n{stdout}", told.join("\n")))
}

const MACROS: &str = "=== macros";
const SEARCH: &str = "#include <...> search starts here:";
const SEARCH_END: &str = "End of search list.";

fn useful(line: &str) -> bool {
    line.starts_with(' ') || line.contains(" version ") || line == SEARCH || line == SEARCH_END
}

fn parse(answer: &str) -> Option<Found> {
    let (told, macros) = answer.split_once(&format!("\n{MACROS}\n"))?;
    let version = told
        .lines()
        .find(|line| !line.starts_with(' ') && line.contains(" version "))
        .unwrap_or("unknown version")
        .to_owned();
    let include_dirs: Vec<PathBuf> = told
        .lines()
        .skip_while(|line| *line != SEARCH)
        .skip(1)
        .take_while(|line| *line != SEARCH_END)
        .map(|line| line.trim().trim_end_matches(" (framework directory)"))
        .map(|dir| Path::new(dir).canonicalize().unwrap_or_else(|_| dir.into()))
        .collect();
    if include_dirs.is_empty() {
        return None;
    }
    let family = if macros.contains("#define __clang__ ") {
        Family::Clang
    } else if macros.contains("#define __GNUC__ ") {
        Family::Gcc
    } else {
        Family::Other
    };
    Some(Found { family, version, include_dirs, macros: reserved_only(macros) })
}

/// Keeps the macros with reserved names: `linux` and `unix` belong to the user.
fn reserved_only(macros: &str) -> String {
    let mut kept = String::with_capacity(macros.len());
    for line in macros.lines() {
        if line.strip_prefix("#define ").is_some_and(|rest| rest.starts_with('_')) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
