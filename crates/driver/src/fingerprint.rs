//! Whether a finished program is still that of its sources.
//!
//! Beside a program `x` lies `x.stamp`: the options' hash, then every file that was read,
//! with its hash. The C text's hash guards the object: sources may change without it.

use std::hash::Hasher;
use std::path::Path;
use toft_base::SourceMap;

/// SipHash with fixed keys: stable from run to run.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

const FORMAT: &str = "toft-stamp 1";

/// The stamp's text for what has just been built.
pub fn stamp(options: u64, c_text: u64, map: &SourceMap) -> String {
    let mut text = format!("{FORMAT}\n{options:016x} {c_text:016x}\n");
    for (_, file) in map.files() {
        if file.path.as_os_str() == "<built-in>" {
            continue;
        }
        text.push_str(&format!("{:016x} {}\n", hash(file.text.as_bytes()), file.path.display()));
    }
    text
}

/// The C text's hash in a stamp made under the same options.
pub fn c_text(stamp: &str, options: u64) -> Option<u64> {
    let mut lines = stamp.lines();
    if lines.next() != Some(FORMAT) {
        return None;
    }
    let (made_with, c_text) = lines.next()?.split_once(' ')?;
    (u64::from_str_radix(made_with, 16).ok()? == options)
        .then(|| u64::from_str_radix(c_text, 16).ok())?
}

/// Whether every file in the stamp still has the contents it had.
pub fn is_fresh(stamp: &str, options: u64) -> bool {
    if c_text(stamp, options).is_none() {
        return false;
    }
    stamp.lines().skip(2).all(|line| {
        let Some((old, path)) = line.split_once(' ') else { return false };
        std::fs::read(Path::new(path)).is_ok_and(|bytes| {
            u64::from_str_radix(old, 16).is_ok_and(|old| old == hash(&text_of(bytes)))
        })
    })
}

/// Foreign headers that are not UTF-8 were hashed as the text they were read as.
fn text_of(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into_bytes(),
        Err(error) => {
            error.as_bytes().iter().map(|&byte| byte as char).collect::<String>().into_bytes()
        }
    }
}
