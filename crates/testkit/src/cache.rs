//! Which runs have passed already, by the content of everything that decides about them: the
//! emitted C, the runtime, the C compiler's flags, the input and what was expected.

use std::collections::HashSet;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub struct Cache {
    path: PathBuf,
    base: u64,
    passed: Mutex<HashSet<u64>>,
}

impl Cache {
    /// `parts`: files that take part in every program.
    pub fn open(path: PathBuf, fresh: bool, parts: &[PathBuf]) -> Cache {
        let mut hasher = std::hash::DefaultHasher::new();
        for part in parts {
            hasher.write(&std::fs::read(part).unwrap_or_default());
        }
        let old = if fresh { String::new() } else { read(&path) };
        let passed = old.lines().filter_map(|line| u64::from_str_radix(line, 16).ok()).collect();
        Cache { path, base: hasher.finish(), passed: Mutex::new(passed) }
    }

    /// The key of a run.
    pub fn key(&self, parts: &[&[u8]]) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write_u64(self.base);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
        hasher.finish()
    }

    pub fn has(&self, key: u64) -> bool {
        self.passed.lock().is_ok_and(|passed| passed.contains(&key))
    }

    /// Remembered at once, so that an interrupted run is not lost.
    pub fn add(&self, key: u64) {
        let Ok(mut passed) = self.passed.lock() else { return };
        if passed.insert(key) {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
            // Without the file the next run is slower, not wrong.
            let _ = file.and_then(|mut file| writeln!(file, "{key:016x}"));
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
