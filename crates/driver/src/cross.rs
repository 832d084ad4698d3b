//! The runtime for another target: found beside the host's, or built from the source tree.

use crate::home::Home;
use std::path::{Path, PathBuf};
use std::process::Command;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// Rust's name of a C compiler's triple: `aarch64-linux-gnu` has no vendor.
fn rust_triple(triple: &str) -> String {
    match triple.split('-').collect::<Vec<_>>()[..] {
        [arch, system, abi] if system == "linux" => format!("{arch}-unknown-{system}-{abi}"),
        _ => triple.to_owned(),
    }
}

/// Emitted C counts on 64-bit words, lowest byte first.
fn fits(triple: &str) -> bool {
    matches!(triple.split('-').next(), Some("x86_64" | "aarch64" | "riscv64" | "loongarch64"))
}

fn refused(message: String, help: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(codes::E0004, message, Span::NONE, "").help(help))
}

/// The archive to link for `triple`.
pub fn archive(home: &Home, triple: &str) -> Result<PathBuf, Box<Diagnostic>> {
    if !fits(triple) {
        return Err(refused(
            format!("`{triple}` is not a target that Toft has a runtime for"),
            "targets have 64-bit words, lowest byte first: x86_64, aarch64, riscv64, loongarch64, \
             written as the C compiler's prefix (`aarch64-linux-gnu`)"
                .to_owned(),
        ));
    }
    let rust = rust_triple(triple);
    let beside = home.runtime_archive.parent().unwrap_or(Path::new(".")).join(&rust);
    for found in [beside.join("libtoft_rt.a"), beside.join("release/libtoft_rt.a")] {
        if found.is_file() {
            return Ok(found);
        }
    }
    build(home, triple, &rust, &beside)
}

fn build(home: &Home, triple: &str, rust: &str, beside: &Path) -> Result<PathBuf, Box<Diagnostic>> {
    let missing = |what: String, help: String| {
        refused(format!("the runtime for `{triple}` cannot be built: {what}"), help)
    };
    let manifest = home.lib.parent().map(|root| root.join("runtime/rt/Cargo.toml"));
    let Some(manifest) = manifest.filter(|path| path.is_file()) else {
        return Err(missing(
            "its source is not here".to_owned(),
            format!("put a `libtoft_rt.a` made for `{rust}` into {}", beside.display()),
        ));
    };
    let found = Command::new("rustc").args(["--print", "target-libdir", "--target", rust]).output();
    let installed = match found {
        Ok(out) if out.status.success() => {
            Path::new(String::from_utf8_lossy(&out.stdout).trim()).is_dir()
        }
        Ok(_) => false,
        Err(_) => {
            return Err(missing(
                "there is no Rust compiler".to_owned(),
                "install Rust, or build where it is".to_owned(),
            ));
        }
    };
    if !installed {
        return Err(missing(
            format!("Rust's target `{rust}` is not installed"),
            format!("run `rustup target add {rust}`"),
        ));
    }
    let folder = beside.parent().unwrap_or(beside);
    let out = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--target", rust, "--manifest-path"])
        .arg(&manifest)
        .arg("--target-dir")
        .arg(folder.join("cross"))
        .output();
    let made = folder.join("cross").join(rust).join("release/libtoft_rt.a");
    match out {
        Ok(out) if out.status.success() && made.is_file() => Ok(made),
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stderr);
            let line =
                said.lines().find(|line| line.starts_with("error")).unwrap_or("cargo failed");
            Err(missing(line.to_owned(), "the runtime's own build says more".to_owned()))
        }
        Err(_) => Err(missing(
            "there is no `cargo`".to_owned(),
            "install Rust, or build where it is".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(rust_triple("aarch64-linux-gnu"), "aarch64-unknown-linux-gnu");
        assert_eq!(rust_triple("x86_64-unknown-linux-musl"), "x86_64-unknown-linux-musl");
        assert!(fits("aarch64-linux-gnu"));
        assert!(!fits("arm-linux-gnueabihf") && !fits("s390x-linux-gnu"));
    }
}
