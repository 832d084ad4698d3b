//! Tests of finding and running the C compiler.

use super::*;

#[test]
fn a_compiler_tells_about_itself() {
    let Ok(compiler) = Compiler::find(None) else {
        eprintln!("no C compiler here");
        return;
    };
    assert!(compiler.include_dirs.iter().any(|dir| dir.join("stdio.h").is_file()));
    assert!(compiler.macros.contains("#define __CHAR_BIT__ 8\n"));
    assert!(!compiler.macros.contains("#define linux "));
    assert_ne!(compiler.family, Family::Other);
    assert!(compiler.version.contains("version"));
    // The second time, from the cache if there is one: the same.
    let again = Compiler::find(None).expect("found before");
    assert_eq!(again.macros, compiler.macros);
    assert_eq!(again.include_dirs, compiler.include_dirs);
}

#[test]
fn a_missing_compiler_is_an_error() {
    let error = Compiler::find(Some("no-such-compiler -O2")).expect_err("there is none");
    assert_eq!(error.code, codes::E0004);
    assert_eq!(error.notes, ["`no-such-compiler -O2`: there is no such program"]);
    let error = Compiler::find(Some("false")).expect_err("not a compiler");
    assert!(error.notes[0].starts_with("`false`: it failed"), "{:?}", error.notes);
    let error = Compiler::find(Some("true")).expect_err("not a compiler");
    assert!(error.notes[0].contains("does not name its include folders"), "{:?}", error.notes);
}

#[test]
fn what_the_compiler_says_is_kept() {
    let Ok(compiler) = Compiler::find(None) else {
        eprintln!("no C compiler here");
        return;
    };
    let dir = crate::TempDir::new().expect("writable");
    let source = dir.path().join("bad.c");
    std::fs::write(&source, "int main(void) { return undeclared_thing; }\n").expect("written");
    let error = compiler.run([
        OsStr::new("-c"),
        source.as_os_str(),
        OsStr::new("-o"),
        OsStr::new("/dev/null"),
    ]);
    let error = error.expect_err("it is wrong");
    let diagnostic = error.diagnostic(&compiler, "compile bad.c", Some(&source));
    assert_eq!(diagnostic.code, codes::E0005);
    assert_eq!(diagnostic.message, "the C compiler failed to compile bad.c");
    assert!(diagnostic.notes.iter().any(|note| note.contains("undeclared_thing")));
    let good = compiler.run(["--version"]);
    assert!(good.is_ok());
}

#[test]
fn long_output_is_cut_to_what_matters() {
    let noise = "a warning\n".repeat(50);
    let text = excerpt(&format!("{noise}x.c:1: error: bad\n{noise}"));
    assert!(text.contains("x.c:1: error: bad"));
    assert!(text.ends_with("… and 23 more lines"), "{text}");
    assert_eq!(excerpt(""), "");
    assert!(advice("undefined reference to `f'").is_some());
}
