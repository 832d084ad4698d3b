//! The host's C compiler: found by `--cc`, `$CC`, or as `cc`, `gcc`, `clang`.

use crate::probe;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Gcc,
    Clang,
    Other,
}

/// A working C compiler and what it told about itself.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub program: PathBuf,
    /// Arguments that come with the command, as in `CC="gcc -m32"`.
    pub args: Vec<String>,
    pub family: Family,
    /// The line in which it names its version.
    pub version: String,
    /// Where it looks for `<header>`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// Its predefined macros with reserved names, as `#define` lines.
    pub macros: String,
}

/// Why a run of the compiler failed, for the caller to put into words or use
/// [`RunError::diagnostic`].
#[derive(Debug)]
pub enum RunError {
    /// It could not be started.
    Start(std::io::Error),
    /// It ended with this status and said this.
    Failed { status: String, stderr: String },
}

impl Compiler {
    /// Finds a compiler: `wanted` (from `--cc`) or, without it, the usual ones.
    pub fn find(wanted: Option<&str>) -> Result<Compiler, Box<Diagnostic>> {
        let from_env = std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty());
        let mut tried = Vec::new();
        let candidates: Vec<String> = match (wanted, from_env) {
            (Some(wanted), _) => vec![wanted.to_owned()],
            (None, Some(cc)) => vec![cc],
            (None, None) => ["cc", "gcc", "clang"].map(str::to_owned).to_vec(),
        };
        for command in &candidates {
            match Self::try_command(command) {
                Ok(compiler) => return Ok(compiler),
                Err(why) => tried.push(format!("`{command}`: {why}")),
            }
        }
        let mut error = Diagnostic::error(codes::E0004, "no C compiler was found", Span::NONE, "");
        for line in tried {
            error = error.note(line);
        }
        let help = "install gcc or clang, or name a C compiler with `--cc` or $CC";
        Err(Box::new(error.help(help)))
    }

    fn try_command(command: &str) -> Result<Compiler, String> {
        // A path with blanks in it is taken whole if it exists; else the first word is
        // the program.
        let (program, args) = match locate(OsStr::new(command)) {
            Some(program) => (program, Vec::new()),
            None => {
                let mut words = command.split_whitespace();
                let first = words.next().ok_or("the name is empty")?;
                let program = locate(OsStr::new(first)).ok_or("there is no such program")?;
                (program, words.map(str::to_owned).collect())
            }
        };
        let found = probe::probe(&program, &args)?;
        Ok(Compiler {
            program,
            args,
            family: found.family,
            version: found.version,
            include_dirs: found.include_dirs,
            macros: found.macros,
        })
    }

    /// A command line of this compiler, to which arguments may be added.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }

    /// Runs it. What it says on success (warnings) is returned.
    pub fn run<I, S>(&self, args: I) -> Result<String, RunError>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let output = self
            .command()
            .args(args)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .map_err(RunError::Start)?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(stderr)
        } else {
            Err(RunError::Failed { status: output.status.to_string(), stderr })
        }
    }
}

impl RunError {
    /// E0004 or E0005. `doing` completes "the C compiler failed to …"; `kept` names the
    /// C file to look at, if it still exists.
    pub fn diagnostic(&self, compiler: &Compiler, doing: &str, kept: Option<&Path>) -> Diagnostic {
        match self {
            RunError::Start(error) => Diagnostic::error(
                codes::E0004,
                format!("the C compiler `{}` cannot be run: {error}", compiler.program.display()),
                Span::NONE,
                "",
            ),
            RunError::Failed { status, stderr } => {
                let mut diagnostic = Diagnostic::error(
                    codes::E0005,
                    format!("the C compiler failed to {doing}"),
                    Span::NONE,
                    "",
                )
                .note(format!("`{}`: {status}", compiler.program.display()));
                let said = excerpt(stderr);
                if !said.is_empty() {
                    diagnostic = diagnostic.note(format!("it said:\n{said}"));
                }
                if let Some(advice) = advice(stderr) {
                    diagnostic = diagnostic.help(advice);
                }
                if let Some(path) = kept {
                    diagnostic = diagnostic.note(format!("the C text is in {}", path.display()));
                }
                diagnostic
            }
        }
    }
}

/// The first lines that matter of what the compiler said.
fn excerpt(stderr: &str) -> String {
    const MOST: usize = 30;
    let lines: Vec<&str> = stderr.lines().collect();
    let from = lines
        .iter()
        .position(|line| line.contains("error") || line.contains("undefined reference"))
        .map_or(0, |n| n.saturating_sub(2));
    let mut text = lines[from..].iter().take(MOST).copied().collect::<Vec<_>>().join("\n");
    if lines.len() - from > MOST {
        text.push_str(&format!("\n… and {} more lines", lines.len() - from - MOST));
    }
    text
}

fn advice(stderr: &str) -> Option<&'static str> {
    if stderr.contains("undefined reference") || stderr.contains("Undefined symbols") {
        Some("a C function is declared but nothing defines it: name its library with `-l`")
    } else if stderr.contains("cannot find -l") || stderr.contains("library not found for") {
        Some("a library named with `-l` is not installed, or its folder needs `-L`")
    } else if stderr.contains("No space left on device") {
        Some("the disk is full")
    } else {
        None
    }
}

/// The program `name` on `$PATH`, or `name` itself when it has a slash in it.
fn locate(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return executable(path).then(|| path.to_owned());
    }
    let search: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&search).map(|dir| dir.join(path)).find(|path| executable(path))
}

fn executable(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        meta.is_file() && meta.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        meta.is_file()
    }
}

#[cfg(test)]
#[path = "compiler_tests.rs"]
mod tests;
