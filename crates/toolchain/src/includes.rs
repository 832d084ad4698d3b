//! Finding and loading headers: the file-system side of the preprocessor.
//!
//! Order of search for a Toft file: its own folder (for `"x"`), `-I` folders, Toft's
//! header folder, `-isystem` folders, the host compiler's. A foreign header never sees
//! Toft's folder: `<stddef.h>` asked for by `<bits/types.h>` is the host's, whatever Toft
//! declares under that name. So one translation unit may hold both Toft's `stdio.h` and the
//! host's, when a foreign header includes the latter; the declarations of the former
//! are the ones Toft code uses. Toft's own headers reach the host's by `#include_next`.

use crate::compiler::Compiler;
use crate::files::{ReadError, read_source};
use std::path::{Component, Path, PathBuf};
use toft_base::{FileId, FileKind, FxHashMap, FxHashSet, Idx, Span};
use toft_diag::{Diagnostic, Session, codes};
use toft_pp::{Env, Include, IncludeError};

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct SearchPaths {
    /// `-I`: headers written in Toft (or in C that is taken as Toft).
    pub user: Vec<PathBuf>,
    /// Toft's own headers (`lib/include`).
    pub library: Vec<PathBuf>,
    /// `-isystem`: C headers, foreign like the host's.
    pub foreign: Vec<PathBuf>,
}

struct Dir {
    path: PathBuf,
    kind: FileKind,
}

pub struct HeaderSearch {
    dirs: Vec<Dir>,
    predefined: String,
    /// Files by the path they were asked for and by their real path.
    loaded: FxHashMap<PathBuf, FileId>,
    missing: FxHashSet<PathBuf>,
    /// By file: the place in `dirs` where `#include_next` goes on.
    next_dir: Vec<usize>,
}

impl HeaderSearch {
    /// `defines`: `#define` and `#undef` lines made from `-D` and `-U`.
    pub fn new(paths: &SearchPaths, compiler: Option<&Compiler>, defines: &str) -> HeaderSearch {
        let with = |list: &[PathBuf], kind| {
            list.iter().map(|path| Dir { path: path.clone(), kind }).collect::<Vec<_>>()
        };
        let mut dirs = with(&paths.user, FileKind::User);
        dirs.extend(with(&paths.library, FileKind::Library));
        dirs.extend(with(&paths.foreign, FileKind::Foreign));
        let mut predefined = String::new();
        if let Some(compiler) = compiler {
            dirs.extend(with(&compiler.include_dirs, FileKind::Foreign));
            predefined.push_str(&compiler.macros);
        }
        predefined.push_str("#define __TOFT__ 1\n");
        predefined.push_str(&dates());
        predefined.push_str(defines);
        HeaderSearch {
            dirs,
            predefined,
            loaded: FxHashMap::default(),
            missing: FxHashSet::default(),
            next_dir: Vec::new(),
        }
    }

    /// Loads the user's main file.
    pub fn load_main(&mut self, sess: &Session, path: &Path) -> Result<FileId, Box<Diagnostic>> {
        self.load_unit(sess, path, FileKind::User)
    }

    /// Loads a file that is compiled by itself: the user's, or one of the library.
    pub fn load_unit(
        &mut self,
        sess: &Session,
        path: &Path,
        kind: FileKind,
    ) -> Result<FileId, Box<Diagnostic>> {
        let fail =
            |code, message: String| Err(Box::new(Diagnostic::error(code, message, Span::NONE, "")));
        let shown = display_name(path);
        match self.load(sess, path, kind, 0) {
            Ok(id) => Ok(id),
            Err(IncludeError::NotFound { .. }) => {
                fail(codes::E0001, format!("there is no file {shown}"))
            }
            Err(IncludeError::Unreadable { reason, .. }) => {
                fail(codes::E0001, format!("cannot read {shown}: {reason}"))
            }
            Err(IncludeError::NotUtf8 { at, .. }) => {
                fail(codes::E0002, format!("{shown} is not valid UTF-8 (from byte {at} on)"))
            }
            Err(IncludeError::TooMuchText) => {
                fail(codes::E0003, format!("{shown} is larger than 4 GiB"))
            }
        }
    }

    fn load(
        &mut self,
        sess: &Session,
        path: &Path,
        kind: FileKind,
        next_dir: usize,
    ) -> Result<FileId, IncludeError> {
        if let Some(&id) = self.loaded.get(path) {
            return Ok(id);
        }
        // One file under two names is one file, for `#pragma once`.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(&id) = self.loaded.get(&real) {
            self.loaded.insert(path.to_owned(), id);
            return Ok(id);
        }
        let shown = display_name(path);
        let text = match read_source(path, kind == FileKind::Foreign) {
            Ok(text) => text,
            Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(IncludeError::NotFound { searched: Vec::new() });
            }
            Err(ReadError::Io(error)) => {
                return Err(IncludeError::Unreadable { path: shown, reason: error.to_string() });
            }
            Err(ReadError::NotUtf8(at)) => return Err(IncludeError::NotUtf8 { path: shown, at }),
        };
        let id = sess
            .map
            .borrow_mut()
            .add_file(shown, path.to_owned(), text, kind)
            .map_err(|_| IncludeError::TooMuchText)?;
        if self.next_dir.len() <= id.index() {
            self.next_dir.resize(id.index() + 1, 0);
        }
        self.next_dir[id.index()] = next_dir;
        self.loaded.insert(path.to_owned(), id);
        self.loaded.insert(real, id);
        Ok(id)
    }

    fn is_file(&mut self, path: &Path) -> bool {
        if self.loaded.contains_key(path) {
            return true;
        }
        if self.missing.contains(path) {
            return false;
        }
        let found = path.metadata().is_ok_and(|meta| !meta.is_dir());
        if !found {
            self.missing.insert(path.to_owned());
        }
        found
    }

    /// The file an include means: path, kind, and where `#include_next` in it goes on.
    fn resolve(
        &mut self,
        sess: &Session,
        include: &Include<'_>,
    ) -> Option<(PathBuf, FileKind, usize)> {
        let name = Path::new(include.name);
        let (folder, from_kind) = {
            let map = sess.map.borrow();
            let file = map.file(include.from);
            (file.path.parent().map(Path::to_owned).unwrap_or_default(), file.kind)
        };
        if name.is_absolute() {
            let under = self.dirs.iter().find(|dir| name.starts_with(&dir.path));
            let kind = under.map_or(from_kind, |dir| dir.kind);
            return self.is_file(name).then(|| (name.to_owned(), kind, 0));
        }
        if include.quoted && !include.next {
            let path = tidy(&folder.join(name));
            if self.is_file(&path) {
                let after = self.next_dir.get(include.from.index()).copied().unwrap_or(0);
                return Some((path, from_kind, after));
            }
        }
        let from = match include.next {
            true => self.next_dir.get(include.from.index()).copied().unwrap_or(0),
            false => 0,
        };
        for n in from..self.dirs.len() {
            let kind = self.dirs[n].kind;
            if from_kind == FileKind::Foreign && kind == FileKind::Library {
                continue;
            }
            let path = tidy(&self.dirs[n].path.join(name));
            if self.is_file(&path) {
                return Some((path, kind, n + 1));
            }
        }
        None
    }
}

impl Env for HeaderSearch {
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        match self.resolve(sess, include) {
            Some((path, kind, next_dir)) => self.load(sess, &path, kind, next_dir),
            None => {
                let mut searched = Vec::new();
                if include.quoted {
                    let map = sess.map.borrow();
                    let folder = map.file(include.from).path.parent().map(display_name);
                    searched.extend(folder.map(|f| if f.is_empty() { ".".to_owned() } else { f }));
                }
                searched.extend(self.dirs.iter().map(|dir| display_name(&dir.path)));
                Err(IncludeError::NotFound { searched })
            }
        }
    }

    fn exists(&mut self, sess: &Session, include: &Include<'_>) -> bool {
        self.resolve(sess, include).is_some()
    }

    fn predefined(&mut self) -> String {
        self.predefined.clone()
    }
}

/// The directive for a `-D` or `-U` argument: `NAME`, `NAME=TEXT`, `NAME(x)=TEXT`.
pub fn define_line(argument: &str, undefine: bool) -> String {
    // A line end would start another directive.
    let argument = argument.split(['\n', '\r']).next().unwrap_or("");
    if undefine {
        return format!("#undef {argument}\n");
    }
    match argument.split_once('=') {
        Some((name, text)) => format!("#define {name} {text}\n"),
        None => format!("#define {argument} 1\n"),
    }
}

/// Without `./` and needless `x/..` at the front of names.
fn tidy(path: &Path) -> PathBuf {
    // `components` hides all `.` but a leading one.
    let needed = path.components().any(|part| part == Component::CurDir);
    if !needed {
        return path.to_owned();
    }
    let tidied: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    tidied
}

/// A path as messages show it: relative to the working folder when it lies below it.
fn display_name(path: &Path) -> String {
    let relative = match std::env::current_dir() {
        Ok(here) => path.strip_prefix(here).unwrap_or(path),
        Err(_) => path,
    };
    tidy(relative).display().to_string()
}

/// `__DATE__`, `__TIME__` and `__TIMESTAMP__`: of `$SOURCE_DATE_EPOCH`, or of now, in UTC.
fn dates() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = fixed.unwrap_or_else(|| {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |time| time.as_secs())
    });
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days as i64);
    let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        [month as usize - 1];
    let week = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7) as usize];
    let time = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    format!(
        "#define __DATE__ \"{name} {day:2} {year}\"\n#define __TIME__ \"{time}\"\n\
         #define __TIMESTAMP__ \"{week} {name} {day:2} {time} {year}\"\n"
    )
}

/// Year, month and day of a day counted from 1970-01-01 (proleptic Gregorian calendar,
/// counted in eras of 400 years that start on the first of March).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
#[path = "includes_tests.rs"]
mod tests;
