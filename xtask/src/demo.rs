//! `make demo`: Toft at work on real files.

use crate::shell::{build_toft, root, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the demo works with.
struct Demo {
    toft: PathBuf,
    /// Where programs and their outputs go.
    out: PathBuf,
}

pub fn main(_: &[String]) -> Result<(), String> {
    println!("== Building Toft");
    let toft = build_toft()?;
    let out = target().join("demo");
    std::fs::create_dir_all(&out).map_err(|why| format!("{}: {why}", out.display()))?;
    let demo = Demo { toft, out };
    demo.bugs()?;
    demo.programs()?;
    println!("\nThat was Toft. `toft help` lists the commands; docs/book/ is the tour.");
    Ok(())
}

impl Demo {
    fn bugs(&self) -> Result<(), String> {
        title("A first program");
        self.toft(&["run", "demo/hello.toft"], 0)?;
        title("A bug caught at compile time: a pointer into a dead frame");
        self.toft(&["check", "demo/escape.toft"], 1)?;
        title("A bug caught at run time: a forged length");
        self.toft(&["run", "--allow=warnings", "demo/overflow.toft"], 101)?;
        title("The same kind of bug, handled by the program");
        self.toft(&["run", "--allow=warnings", "demo/recover.toft"], 0)
    }

    /// The six programs of `apps/`, on this repository's own files.
    fn programs(&self) -> Result<(), String> {
        title("Six programs written in Toft, on real files");
        for app in ["tsum", "tgunzip", "tjson", "twc", "tgrep", "timg"] {
            let path = self.out.join(app);
            let dir = format!("apps/{app}");
            let path = path.to_string_lossy().into_owned();
            let args = ["build", "--release", "--allow=warnings", "-o", &path, &dir];
            self.toft(&args, 0)?;
        }
        let sh = |text: &str| self.shell(text);
        sh("tsum Cargo.lock && sha256sum Cargo.lock")?;
        sh(
            "gzip -c Cargo.lock > $OUT/lock.gz && tgunzip -c $OUT/lock.gz | cmp - Cargo.lock && echo same",
        )?;
        sh("cargo metadata --no-deps --offline --format-version 1 > $OUT/metadata.json")?;
        sh("tjson check $OUT/metadata.json")?;
        sh("tjson get '.packages[].name' $OUT/metadata.json | head -5")?;
        sh("twc -i -l 5 -n 5 docs/book/*.md")?;
        sh("tgrep -n 'fn (run|main)\\(' crates/*/src/lib.rs | head -5")?;
        sh("{ printf 'P6 256 128 255\\n'; head -c 98304 $OUT/tjson; } > $OUT/in.ppm")?;
        sh("timg convert $OUT/in.ppm $OUT/out.png resize 96x48 blur 1.5 && timg info $OUT/out.png")
    }

    /// Shows a `toft` command line and runs it; it must end with `code`.
    fn toft(&self, args: &[&str], code: i32) -> Result<(), String> {
        let root = root().display().to_string();
        let shown: Vec<String> = args.iter().map(|arg| arg.replace(&root, ".")).collect();
        println!("\n$ toft {}", shown.join(" "));
        let status = Command::new(&self.toft)
            .args(args)
            .current_dir(root_dir())
            .status()
            .map_err(|why| format!("cannot run {}: {why}", self.toft.display()))?;
        if status.code() == Some(code) {
            Ok(())
        } else {
            Err(format!("expected exit code {code}, got {status}"))
        }
    }

    /// Shows a shell line and runs it, with the built programs on the path.
    fn shell(&self, line: &str) -> Result<(), String> {
        println!("\n$ {line}");
        let path = std::env::var("PATH").unwrap_or_default();
        let status = Command::new("bash")
            .args(["-c", &format!("set -e -o pipefail; {line}")])
            .env("PATH", format!("{}:{path}", self.out.display()))
            .env("OUT", &self.out)
            .stdin(Stdio::null())
            .current_dir(root_dir())
            .status()
            .map_err(|why| format!("cannot run bash: {why}"))?;
        // `head` closes the pipe early; a program that says so by SIGPIPE did nothing wrong.
        if status.success() || status.code() == Some(141) {
            Ok(())
        } else {
            Err(format!("`{line}`: {status}"))
        }
    }
}

fn root_dir() -> PathBuf {
    let root = root();
    if Path::new(&root).is_dir() { root } else { PathBuf::from(".") }
}

fn title(text: &str) {
    println!("\n== {text}");
}
