//! Files: sources read whole, outputs written beside their place and renamed into it, so
//! that a full disk or an interrupt never leaves half a file under the final name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// Numbers the temporary names of this process.
static NEXT: AtomicU32 = AtomicU32::new(0);

fn unique() -> String {
    // ORDER: Relaxed; the numbers only have to differ.
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.subsec_nanos());
    format!("{}-{nanos:x}-{n}", std::process::id())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("cannot write {}: {error}", path.display());
    Box::new(Diagnostic::error(codes::E0006, message, Span::NONE, ""))
}

/// An output that some other program writes: it gets a temporary name in the same
/// folder. Dropped without [`Pending::commit`], nothing remains of it.
#[derive(Debug)]
pub struct Pending {
    temp: PathBuf,
    target: PathBuf,
    done: bool,
}

impl Pending {
    /// The extension of the temporary name is that of the target, as C compilers go by it.
    pub fn new(target: &Path) -> Result<Pending, Box<Diagnostic>> {
        // Through a symbolic link, the file it points to is replaced, not the link.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let Some(name) = target.file_name().filter(|_| !target.is_dir()) else {
            let error = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(cannot_write(&target, &error));
        };
        let mut temp_name = std::ffi::OsString::from(format!(".toft-{}-", unique()));
        temp_name.push(name);
        let temp = target.with_file_name(temp_name);
        Ok(Pending { temp, target, done: false })
    }

    /// Where to write for now.
    pub fn path(&self) -> &Path {
        &self.temp
    }

    /// Gives the output its final name.
    pub fn commit(mut self) -> Result<(), Box<Diagnostic>> {
        std::fs::rename(&self.temp, &self.target)
            .map_err(|error| cannot_write(&self.target, &error))?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            // It may not exist yet.
            let _ = std::fs::remove_file(&self.temp);
        }
    }
}

/// Writes a whole file; on failure the old contents stay.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        // A device or a pipe cannot be replaced.
        return std::fs::write(path, bytes).map_err(|error| cannot_write(path, &error));
    }
    let pending = Pending::new(path)?;
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create_new(pending.path())?;
        file.write_all(bytes)?;
        file.flush()?;
        if let Ok(old) = path.metadata() {
            file.set_permissions(old.permissions())?;
        }
        Ok(())
    };
    write().map_err(|error| cannot_write(path, &error))?;
    pending.commit()
}

/// A folder of its own for intermediate files, removed with everything in it.
#[derive(Debug)]
pub struct TempDir {
    path: PathBuf,
}

impl TempDir {
    pub fn new() -> Result<TempDir, Box<Diagnostic>> {
        let base = std::env::temp_dir();
        let mut tries = 0;
        loop {
            let path = base.join(format!("toft-{}", unique()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(TempDir { path }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && tries < 16 => {
                    tries += 1;
                }
                Err(error) => return Err(cannot_write(&path, &error)),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the folder; for `--save-temps`.
    pub fn keep(self) -> PathBuf {
        let path = self.path.clone();
        std::mem::forget(self);
        path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // Nothing to be done if somebody else removed it.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Why a source could not be read.
#[derive(Debug)]
pub enum ReadError {
    Io(std::io::Error),
    /// Not UTF-8 from this byte on.
    NotUtf8(usize),
}

/// Reads a source file. `lossy`: bytes that are not UTF-8 count as Latin-1.
pub fn read_source(path: &Path, lossy: bool) -> Result<String, ReadError> {
    let bytes = std::fs::read(path).map_err(ReadError::Io)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if lossy => Ok(error.as_bytes().iter().map(|&byte| byte as char).collect()),
        Err(error) => Err(ReadError::NotUtf8(error.utf8_error().valid_up_to())),
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
