//! `toft help`.

use std::process::ExitCode;

pub const OVERVIEW: &str = "\
Toft: a memory-safe dialect of C

usage: toft COMMAND [OPTIONS] [FILE…]

commands:
  new NAME         make a package
  run [FILE]       build and run
  build [FILE]     build a program
  check [FILE]     find errors, build nothing
  test [FILE]      build and run the `test \"…\" { … }` blocks
  profile [FILE]   run, and write a page about its memory
  explain CODE     what an error code means and what to do
  audit [FILE]     list every line of trusted C and every trusted declaration
  help COMMAND     the options of a command

Without FILE the package around the current folder (toft.toml) is meant.";

const SHARED: &str = "\
options:
  -O0 … -O3            how much to optimise (default -O0)
  --release            the same as -O2
  -g                   full debug information for gdb
  -o FILE              where to put the result
  --cc=CC              the C compiler: gcc, clang, or a path
  --target=TRIPLE      cross-compile with TRIPLE-gcc
  --emit=KIND,…        write tokens, ast, hir, tir, mir or c instead of a program
  --overflow=wrap|trap what signed overflow does (default wrap)
  --deny=NAME          make a warning an error (a code, a name, or `warnings`)
  --allow=NAME         silence a warning
  -I DIR  -D NAME[=V]  for the preprocessor
  -l LIB  -L DIR       for the linker
  --no-gc              refuse what only the collector would free
  --sanitize=LIST      hand -fsanitize=LIST to the C compiler
  --cflag=WORD         hand WORD to the C compiler
  --validate           check the compiler's own work after every pass
  --format=FORMAT      human, json (one object a line) or sarif
  --color=WHEN         auto, always or never
  -v                   show the commands that are run";

pub fn of(command: &str) -> ExitCode {
    let text = match command {
        "run" => format!("usage: toft run [OPTIONS] [FILE [ARGUMENTS…]]\n       toft run [OPTIONS] -- ARGUMENTS…\n\n{SHARED}"),
        "build" => format!("usage: toft build [OPTIONS] [FILE…]\n\n{SHARED}"),
        "profile" => format!("usage: toft profile [OPTIONS] [FILE [ARGUMENTS…]]\n       toft profile [OPTIONS] -- ARGUMENTS…\n\nRuns the program and writes NAME.profile.html and NAME.profile.csv; -o OTHER\nwrites OTHER.profile.html and OTHER.profile.csv.\n\n{SHARED}"),
        "check" => format!("usage: toft check [OPTIONS] [FILE…]\n\n{SHARED}"),
        "test" => format!("usage: toft test [OPTIONS] [FILE] [-- FILTER]\n\n{SHARED}"),
        "new" => "usage: toft new NAME\n\nMakes the folder NAME with toft.toml and src/main.toft.".into(),
        "explain" => "usage: toft explain [CODE]\n\nWithout CODE: the list of all codes.".into(),
        "audit" => "usage: toft audit [--format=json] [--all] [FILE…]\n\nLists raw C and trusted declarations of the program; with --all, of the library too.".into(),
        _ => OVERVIEW.into(),
    };
    println!("{text}");
    ExitCode::SUCCESS
}

const COMMANDS: &[&str] =
    &["new", "run", "build", "check", "test", "profile", "explain", "audit", "help"];

/// A hint when a command was probably mistyped.
pub fn near(word: &str) -> String {
    let close = COMMANDS.iter().find(|command| {
        let same = command.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        same >= 2 && command.len().abs_diff(word.len()) <= 2
    });
    close.map_or_else(String::new, |command| format!("; did you mean `{command}`?"))
}
