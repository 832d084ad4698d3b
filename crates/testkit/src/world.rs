//! What every test needs to know: where things are, and how thorough to be.

use crate::cache::Cache;
use std::path::{Path, PathBuf};

pub struct World {
    /// The `toft` command under test.
    pub toft: PathBuf,
    /// The workspace.
    pub root: PathBuf,
    /// `tests/`.
    pub tests: PathBuf,
    /// Where programs are built; emptied of nothing, so that two runs may not share it.
    pub out: PathBuf,
    /// Every combination of compiler, optimisation and sanitizers instead of two.
    pub deep: bool,
    /// Write the expected files instead of comparing with them.
    pub bless: bool,
    pub cache: Cache,
}

impl World {
    pub fn new(deep: bool, bless: bool, fresh: bool) -> Result<World, String> {
        let exe = std::env::current_exe().map_err(|why| why.to_string())?;
        let bin = exe.parent().unwrap_or(Path::new("."));
        let toft = bin.join("toft");
        if !toft.is_file() {
            return Err(format!("{} is missing: build it first", toft.display()));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .ok_or("the workspace was not found")?
            .to_owned();
        let out = bin.join("../testkit");
        std::fs::create_dir_all(&out).map_err(|why| format!("{}: {why}", out.display()))?;
        let out = out.canonicalize().map_err(|why| why.to_string())?;
        let cache = Cache::open(
            out.join("passed.txt"),
            fresh || bless,
            &[bin.join("libtoft_rt.a"), root.join("runtime/include/toft.h")],
        );
        Ok(World { toft, tests: root.join("tests"), root, out, deep, bless, cache })
    }

    /// A fresh folder of this name below `out`.
    pub fn scratch(&self, name: &str) -> Result<PathBuf, String> {
        let dir = self.out.join("scratch").join(name);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).map_err(|why| format!("{}: {why}", dir.display()))?;
        Ok(dir)
    }

    /// How a file is named in reports.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}
