//! The `toft` command: one file per subcommand.
//!
//! Exit codes: 0 done; 1 the program (or its tests) has errors; 2 the command line is wrong;
//! 3 the environment failed (no C compiler, a full disk); `toft run` gives the program's own.

mod args;
mod audit;
mod build;
mod check;
mod explain;
mod help;
mod new;
mod profile;
mod run;
mod test;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Deeply nested input recurses deeply: the bound is `toft_base::stack::MAX_DEPTH`.
    let compiler = std::thread::Builder::new()
        .name("toft".into())
        .stack_size(toft_base::stack::STACK_BYTES)
        .spawn(dispatch);
    match compiler.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => ExitCode::from(3),
        Err(why) => {
            eprintln!("toft: cannot start a thread: {why}");
            ExitCode::from(3)
        }
    }
}

fn dispatch() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(command) = words.next() else {
        println!("{}", help::OVERVIEW);
        return ExitCode::from(2);
    };
    let words: Vec<std::ffi::OsString> = words.collect();
    if words.iter().take_while(|word| *word != "--").any(|word| word == "--help" || word == "-h") {
        return help::of(&command.to_string_lossy());
    }
    let result = match command.to_string_lossy().as_ref() {
        "build" | "b" => build::main(words),
        "run" | "r" => run::main(words),
        "check" | "c" => check::main(words),
        "test" | "t" => test::main(words),
        "new" => new::main(words),
        "profile" => profile::main(words),
        "explain" => explain::main(words),
        "audit" => audit::main(words),
        "help" => return help::of(&words.first().map_or("".into(), |word| word.to_string_lossy())),
        "--help" | "-h" => return help::of(""),
        "--version" | "-V" | "version" => {
            println!("toft {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        other if other.ends_with(".toft") || other.ends_with(".cyc") => Err(args::Usage(format!(
            "`{other}` is a file, not a command; did you mean `toft run {other}`?"
        ))),
        other => Err(args::Usage(format!("there is no command `{other}`{}", help::near(other)))),
    };
    result.unwrap_or_else(|args::Usage(message)| {
        eprintln!("toft: {message}");
        eprintln!("try `toft help`");
        ExitCode::from(2)
    })
}
