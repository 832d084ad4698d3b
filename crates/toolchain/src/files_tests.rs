//! Tests of writing and reading files.

use super::*;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn writing_replaces_the_whole_file() {
    let dir = TempDir::new().expect("writable");
    let path = dir.path().join("out.c");
    write_atomic(&path, b"long old contents").expect("written");
    write_atomic(&path, b"new").expect("written");
    assert_eq!(std::fs::read(&path).expect("there"), b"new");
    assert_eq!(names(dir.path()), ["out.c"]);
}

#[test]
fn what_is_not_committed_leaves_nothing() {
    let dir = TempDir::new().expect("writable");
    let path = dir.path().join("prog");
    std::fs::write(&path, "old").expect("written");
    let pending = Pending::new(&path).expect("possible");
    std::fs::write(pending.path(), "half").expect("written");
    drop(pending);
    assert_eq!(names(dir.path()), ["prog"]);
    assert_eq!(std::fs::read(&path).expect("there"), b"old");
    let pending = Pending::new(&path).expect("possible");
    std::fs::write(pending.path(), "whole").expect("written");
    pending.commit().expect("renamed");
    assert_eq!(std::fs::read(&path).expect("there"), b"whole");
    assert_eq!(names(dir.path()), ["prog"]);
}

#[test]
fn failures_are_reported() {
    let dir = TempDir::new().expect("writable");
    let error = write_atomic(&dir.path().join("none/out.c"), b"x").expect_err("no such folder");
    assert_eq!(error.code, codes::E0006);
    let error = write_atomic(dir.path(), b"x").expect_err("a folder");
    assert_eq!(error.code, codes::E0006);
    assert!(names(dir.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn links_and_devices() {
    let dir = TempDir::new().expect("writable");
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    std::fs::write(&real, "old").expect("written");
    std::os::unix::fs::symlink(&real, &link).expect("linked");
    write_atomic(&link, b"new").expect("written");
    assert_eq!(std::fs::read(&real).expect("there"), b"new");
    assert!(link.symlink_metadata().expect("there").is_symlink());
    write_atomic(Path::new("/dev/null"), b"gone").expect("swallowed");
}

#[test]
fn a_temporary_folder_goes_away() {
    let dir = TempDir::new().expect("writable");
    let path = dir.path().to_owned();
    std::fs::write(path.join("x"), "y").expect("written");
    drop(dir);
    assert!(!path.exists());
}

#[test]
fn encodings() {
    let dir = TempDir::new().expect("writable");
    let path = dir.path().join("latin1.h");
    std::fs::write(&path, b"/* caf\xe9 */").expect("written");
    assert_eq!(read_source(&path, true).expect("lossy"), "/* café */");
    assert!(matches!(read_source(&path, false), Err(ReadError::NotUtf8(6))));
    assert!(matches!(read_source(&dir.path().join("none"), true), Err(ReadError::Io(_))));
}
