//! Where Toft's own files are: library, headers, runtime archive.
//!
//! Three layouts: `$TOFT_HOME`; installed (`PREFIX/bin/toft` beside `PREFIX/lib/toft`);
//! the source tree (`target/PROFILE/toft` below the workspace).

use std::path::{Path, PathBuf};
use toft_diag::{Diagnostic, codes};

#[derive(Clone, Debug)]
pub struct Home {
    /// `lib/`: the Toft library; has `core/prelude.toft`, `include/`, `sys/`.
    pub lib: PathBuf,
    /// Folder of `toft.h`.
    pub runtime_include: PathBuf,
    /// `libtoft_rt.a`.
    pub runtime_archive: PathBuf,
}

const PRELUDE: &str = "core/prelude.toft";
const ARCHIVE: &str = "libtoft_rt.a";

impl Home {
    pub fn prelude(&self) -> PathBuf {
        self.lib.join(PRELUDE)
    }

    pub fn include(&self) -> PathBuf {
        self.lib.join("include")
    }
}

/// Finds the files, or says where it looked.
pub fn find() -> Result<Home, Box<Diagnostic>> {
    let mut looked = Vec::new();
    if let Some(home) = std::env::var_os("TOFT_HOME") {
        let home = PathBuf::from(home);
        if let Some(found) = try_installed(&home, &mut looked) {
            return Ok(found);
        }
    }
    let exe = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let bin = exe.parent().unwrap_or(Path::new("."));
    if let Some(prefix) = bin.parent()
        && let Some(found) = try_installed(&prefix.join("lib/toft"), &mut looked)
    {
        return Ok(found);
    }
    for root in bin.ancestors() {
        if let Some(found) = try_tree(root, bin, &mut looked) {
            return Ok(found);
        }
    }
    // A cargo target folder outside the tree: the tree is where the compiler was built.
    if let Some(root) = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)
        && let Some(found) = try_tree(root, bin, &mut looked)
    {
        return Ok(found);
    }
    Err(Box::new(
        Diagnostic::error(
            codes::E0001,
            "Toft's library and runtime were not found",
            toft_base::Span::NONE,
            "",
        )
        .note(format!("looked in {}", looked.join(", ")))
        .help("set TOFT_HOME to the folder that `make install` filled (PREFIX/lib/toft)"),
    ))
}

fn try_installed(home: &Path, looked: &mut Vec<String>) -> Option<Home> {
    looked.push(home.display().to_string());
    let found = Home {
        lib: home.join("lib"),
        runtime_include: home.join("runtime"),
        runtime_archive: home.join(ARCHIVE),
    };
    (found.prelude().is_file() && found.runtime_archive.is_file()).then_some(found)
}

fn try_tree(root: &Path, bin: &Path, looked: &mut Vec<String>) -> Option<Home> {
    let lib = root.join("lib");
    if !lib.join(PRELUDE).is_file() {
        return None;
    }
    // Tests run from `target/PROFILE/deps`.
    let archive = bin.ancestors().take(2).map(|dir| dir.join(ARCHIVE)).find(|path| path.is_file());
    looked.push(format!("{} (with {ARCHIVE} beside the command)", root.display()));
    Some(Home { lib, runtime_include: root.join("runtime/include"), runtime_archive: archive? })
}
