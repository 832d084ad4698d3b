//! The options that `build`, `run`, `check` and `test` share.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toft_diag::session::Overflow;
use toft_driver::report::{Color, Report};
use toft_driver::{BuildOptions, Emit, Format, OptLevel, package};

/// A mistake in the command line.
pub struct Usage(pub String);

impl From<lexopt::Error> for Usage {
    fn from(error: lexopt::Error) -> Usage {
        Usage(error.to_string())
    }
}

/// A parsed command line.
pub struct Args {
    pub options: BuildOptions,
    pub report: Report,
    /// Files and other words.
    pub free: Vec<PathBuf>,
    /// What follows the program's file in `toft run`, or `--`.
    pub rest: Vec<OsString>,
}

/// Parses `words`. With `program_args`, everything after the first free word that names a
/// Toft file (or after `--`) is the program's.
pub fn parse(words: Vec<OsString>, program_args: bool) -> Result<Args, Usage> {
    let mut args = Args {
        options: BuildOptions::default(),
        report: Report::default(),
        free: Vec::new(),
        rest: Vec::new(),
    };
    let mut parser = Parser::from_args(words);
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Value(word) => {
                args.free.push(word.into());
                let is_file = args.free.last().is_some_and(|path| is_source(path));
                if program_args && is_file {
                    args.rest = rest(&mut parser)?;
                    break;
                }
            }
            other => {
                let other = Flag::from(other);
                option(&other, &mut parser, &mut args)?;
            }
        }
        if program_args
            && args.free.is_empty()
            && parser.try_raw_args().is_some_and(|raw| raw.peek().is_some_and(|next| next == "--"))
        {
            args.rest = rest(&mut parser)?;
            break;
        }
    }
    Ok(args)
}

/// What is left; a `--` in front is dropped.
fn rest(parser: &mut Parser) -> Result<Vec<OsString>, Usage> {
    let mut rest: Vec<OsString> = parser.raw_args()?.collect();
    if rest.first().is_some_and(|word| word == "--") {
        rest.remove(0);
    }
    Ok(rest)
}

pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "toft" || ext == "cyc")
}

/// An option with its name owned, so that the parser is free to give the value.
enum Flag {
    Short(char),
    Long(String),
}

impl From<Arg<'_>> for Flag {
    fn from(arg: Arg<'_>) -> Flag {
        match arg {
            Arg::Short(c) => Flag::Short(c),
            Arg::Long(name) => Flag::Long(name.to_owned()),
            Arg::Value(_) => Flag::Long(String::new()),
        }
    }
}

fn text(parser: &mut Parser) -> Result<String, Usage> {
    Ok(parser.value()?.string()?)
}

fn option(flag: &Flag, parser: &mut Parser, args: &mut Args) -> Result<(), Usage> {
    match flag {
        Flag::Short(c) => short(*c, parser, args),
        Flag::Long(name) => long(name, parser, args),
    }
}

fn short(c: char, parser: &mut Parser, args: &mut Args) -> Result<(), Usage> {
    let options = &mut args.options;
    match c {
        'O' => {
            options.opt = match text(parser)?.as_str() {
                "0" => OptLevel::O0,
                "1" => OptLevel::O1,
                "2" => OptLevel::O2,
                "3" => OptLevel::O3,
                other => return Err(Usage(format!("`-O{other}`: the levels are -O0 to -O3"))),
            };
        }
        'g' => options.debug = true,
        'o' => options.output = Some(parser.value()?.into()),
        'I' => options.include.push(parser.value()?.into()),
        'D' => options.defines.push(text(parser)?),
        'l' => options.link.push(format!("-l{}", text(parser)?)),
        'L' => options.link.push(format!("-L{}", text(parser)?)),
        'v' => options.verbose = true,
        other => return Err(Usage(format!("unknown option `-{other}`"))),
    }
    Ok(())
}

fn long(name: &str, parser: &mut Parser, args: &mut Args) -> Result<(), Usage> {
    let options = &mut args.options;
    match name {
        "release" => options.opt = OptLevel::O2,
        "cc" => options.cc = Some(text(parser)?),
        "target" => options.target = Some(text(parser)?),
        "emit" => {
            for word in text(parser)?.split(',') {
                options.emit.push(Emit::parse(word).ok_or_else(|| {
                    Usage(format!("`--emit={word}`: choose from tokens, ast, hir, tir, mir, c"))
                })?);
            }
        }
        "overflow" => {
            options.overflow = match text(parser)?.as_str() {
                "wrap" => Overflow::Wrap,
                "trap" => Overflow::Trap,
                other => return Err(Usage(format!("`--overflow={other}`: wrap or trap"))),
            };
        }
        "deny" => options.deny.extend(text(parser)?.split(',').map(str::to_owned)),
        "allow" => options.allow.extend(text(parser)?.split(',').map(str::to_owned)),
        "no-gc" => options.no_gc = true,
        "sanitize" => options.sanitize = Some(text(parser)?),
        "cflag" => options.cflags.push(text(parser)?),
        "validate" => options.validate = true,
        "verbose" => options.verbose = true,
        "format" => {
            args.report.format = match text(parser)?.as_str() {
                "human" => Format::Human,
                "json" => Format::Json,
                "sarif" => Format::Sarif,
                other => return Err(Usage(format!("`--format={other}`: human, json or sarif"))),
            };
        }
        "color" | "colour" => {
            args.report.color = match text(parser)?.as_str() {
                "auto" => Color::Auto,
                "always" => Color::Always,
                "never" => Color::Never,
                other => return Err(Usage(format!("`--color={other}`: auto, always or never"))),
            };
        }
        other => return Err(Usage(format!("unknown option `--{other}`"))),
    }
    Ok(())
}

/// The package that the free words name: a file, a folder, or the one around the current
/// folder.
pub fn package(args: &Args) -> Result<package::Package, Box<toft_diag::Diagnostic>> {
    match args.free.split_first() {
        None => package::find(Path::new(".")),
        Some((first, [])) if first.is_dir() => package::load(first),
        Some((first, rest)) => {
            let mut package = package::single(first);
            package.sources.extend(rest.iter().cloned());
            Ok(package)
        }
    }
}
