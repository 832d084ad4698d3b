//! The jobs behind the subcommands: check, build, emit, run, audit.

use crate::fingerprint;
use crate::home::{self, Home};
use crate::options::{BuildOptions, Emit};
use crate::package::Package;
use crate::pipeline::{self, Checked, Quiet};
use crate::report::Report;
use crate::{audit as audit_list, link, sources};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toft_diag::session::Options;
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_toolchain::{Compiler, TempDir, write_atomic};

/// How a job ended.
pub enum Outcome {
    /// Nothing to say.
    Done,
    /// The program is here.
    Built(PathBuf),
    /// The program has errors; they have been shown.
    Errors,
    /// The surroundings failed (no C compiler, full disk); it has been shown.
    Environment,
}

impl Outcome {
    pub fn exit(self) -> ExitCode {
        match self {
            Outcome::Done | Outcome::Built(_) => ExitCode::SUCCESS,
            Outcome::Errors => ExitCode::from(1),
            Outcome::Environment => ExitCode::from(3),
        }
    }
}

fn session(options: &BuildOptions) -> Session {
    let mut deny = options.deny.clone();
    if options.no_gc {
        deny.push("leak".to_owned());
    }
    Session::new(Options {
        overflow: options.overflow,
        tests: options.tests,
        validate: options.validate,
        no_gc: options.no_gc,
        deny,
        allow: options.allow.clone(),
    })
}

fn environment(report: &Report, why: Diagnostic) -> Outcome {
    report.fatal(why);
    Outcome::Environment
}

fn ended(sess: &Session, report: &Report) -> Outcome {
    report.show(sess);
    if sess.has_errors() { Outcome::Errors } else { Outcome::Done }
}

/// The C compiler for a job. `toft check` does without one when there is none.
fn compiler(options: &BuildOptions) -> Result<Compiler, Box<Diagnostic>> {
    match (&options.cc, &options.target) {
        (Some(cc), _) => Compiler::find(Some(cc)),
        (None, Some(triple)) => Compiler::find(Some(&format!("{triple}-gcc"))),
        (None, None) => Compiler::find(None),
    }
}

/// What a build for the target takes.
fn tools(mut home: Home, options: &BuildOptions) -> Result<(Home, Compiler), Box<Diagnostic>> {
    let compiler = compiler(options)?;
    if let Some(triple) = &options.target {
        home.runtime_archive = crate::cross::archive(&home, triple)?;
    }
    Ok((home, compiler))
}

/// A front-end run: names resolved, or the errors shown.
fn front(
    sess: &Session,
    home: &Home,
    cc: Option<&Compiler>,
    package: &Package,
    options: &BuildOptions,
) -> Result<toft_hir::Program, Reported> {
    let mut search = sources::header_search(home, cc, package, options);
    let units = sources::parse(sess, home, package, &mut search, true);
    if sess.has_errors() {
        // Names and types of half-parsed files would only repeat what is already said.
        return Err(sess.reported());
    }
    Ok(sources::resolve(sess, units))
}

pub fn check(package: &Package, options: &BuildOptions, report: &Report) -> Outcome {
    let home = match home::find() {
        Ok(home) => home,
        Err(why) => return environment(report, *why),
    };
    let cc = compiler(options).ok();
    let sess = session(options);
    if let Ok(mut program) = front(&sess, &home, cc.as_ref(), package, options) {
        // Errors are in the session.
        let _ = pipeline::check(&sess, &mut program, &mut Quiet, false);
        // Tearing down the trees takes longer than the process has left to live.
        std::mem::forget(program);
    }
    ended(&sess, report)
}

/// Front end and checks for a build: everything kept.
fn judged(
    sess: &Session,
    home: &Home,
    cc: &Compiler,
    package: &Package,
    options: &BuildOptions,
) -> Result<Checked, Reported> {
    let mut program = front(sess, home, Some(cc), package, options)?;
    let checked = pipeline::check(sess, &mut program, &mut Quiet, true);
    std::mem::forget(program);
    if sess.has_errors() {
        return Err(sess.reported());
    }
    checked
}

pub fn build(package: &Package, options: &BuildOptions, report: &Report) -> Outcome {
    let found = home::find().and_then(|home| tools(home, options));
    let (home, cc) = match found {
        Ok(found) => found,
        Err(why) => return environment(report, *why),
    };
    let output = match output_path(package, options) {
        Ok(path) => path,
        Err(why) => return environment(report, *why),
    };
    let key = options_key(package, options, &home, &cc);
    let stamp_path = stamp_path(&output);
    let old = std::fs::read_to_string(&stamp_path).unwrap_or_default();
    if output.is_file() && fingerprint::is_fresh(&old, key) {
        return Outcome::Built(output);
    }
    let sess = session(options);
    let c_text = judged(&sess, &home, &cc, package, options)
        .and_then(|checked| emit_c(&sess, &checked, package, options));
    report.show(&sess);
    let Ok(c_text) = c_text else { return Outcome::Errors };
    if sess.has_errors() {
        return Outcome::Errors;
    }
    let c_hash = fingerprint::hash(format!("{}\0{:?}", c_text.c, c_text.raw_c).as_bytes());
    let same_c = output.is_file() && fingerprint::c_text(&old, key) == Some(c_hash);
    if !same_c && let Err(why) = compile_c(&c_text, &home, &cc, package, options, &output) {
        return environment(report, *why);
    }
    let stamp = fingerprint::stamp(key, c_hash, &sess.map.borrow());
    // Without warnings only: a fresh program is not compiled again, and would not warn again.
    if !sess.has_warned() {
        let _ = write_atomic(&stamp_path, stamp.as_bytes());
    } else {
        let _ = std::fs::remove_file(&stamp_path);
    }
    Outcome::Built(output)
}

fn emit_c(
    sess: &Session,
    checked: &Checked,
    package: &Package,
    options: &BuildOptions,
) -> Result<toft_emit_c::Output, Reported> {
    if !options.tests && checked.decls.main.is_none() {
        return Err(sess.emit(
            Diagnostic::error(
                codes::E0008,
                format!("`{}` has no main function", package.name),
                toft_base::Span::NONE,
                "",
            )
            .help("add `int main(void) { … }`, or run its tests with `toft test`"),
        ));
    }
    let program = pipeline::finish(sess, checked, options.tests)?;
    let entry = if options.tests { toft_emit_c::Entry::Tests } else { toft_emit_c::Entry::Main };
    let emit = toft_emit_c::EmitOptions {
        entry,
        no_gc: options.no_gc,
        profile: options.profile,
        ..Default::default()
    };
    toft_emit_c::run(sess, &checked.decls, &program, &emit)
}

fn compile_c(
    c_text: &toft_emit_c::Output,
    home: &Home,
    cc: &Compiler,
    package: &Package,
    options: &BuildOptions,
    output: &Path,
) -> Result<(), Box<Diagnostic>> {
    if let Some(dir) = output.parent()
        && dir != Path::new("")
    {
        std::fs::create_dir_all(dir).map_err(|why| {
            Box::new(Diagnostic::error(
                codes::E0006,
                format!("cannot make the folder {}: {why}", dir.display()),
                toft_base::Span::NONE,
                "",
            ))
        })?;
    }
    let temp = TempDir::new()?;
    let program_c = temp.path().join(format!("{}.c", package.name));
    write_atomic(&program_c, c_text.c.as_bytes())?;
    let mut c_files = vec![program_c.as_path()];
    let raw_c = temp.path().join(format!("{}.raw.c", package.name));
    if let Some(raw) = &c_text.raw_c {
        write_atomic(&raw_c, raw.as_bytes())?;
        c_files.push(&raw_c);
    }
    link::program(&link::Job { home, compiler: cc, options, c_files, output, link: &package.link })
}

/// Everything besides the sources that decides what comes out.
fn options_key(package: &Package, options: &BuildOptions, home: &Home, cc: &Compiler) -> u64 {
    let stamp = |path: &Path| {
        path.metadata().and_then(|meta| meta.modified()).map(|time| format!("{time:?}")).ok()
    };
    let exe = std::env::current_exe().unwrap_or_default();
    let text = format!(
        "{options:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        package.sources,
        package.link,
        cc.version,
        stamp(&exe),
        stamp(&home.runtime_archive),
        ["toft.h", "toft_mem.h", "toft_abi.h", "toft_lib.h"]
            .map(|name| stamp(&home.runtime_include.join(name))),
    );
    fingerprint::hash(text.as_bytes())
}

fn stamp_path(output: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(output.file_name().unwrap_or_default());
    name.push(".stamp");
    output.with_file_name(name)
}

/// `-o`; else `target/toft/PROFILE/NAME` of a package; a single file's program goes to the
/// user's cache (or the temporary folder), so that `toft run x.toft` leaves nothing around; `toft
/// build x.toft` puts `x` beside the working folder.
fn output_path(package: &Package, options: &BuildOptions) -> Result<PathBuf, Box<Diagnostic>> {
    if let Some(path) = &options.output {
        return Ok(path.clone());
    }
    let mut profile = match (options.tests, options.opt.flag()) {
        (true, _) => "test".to_owned(),
        (false, "-O0") => "debug".to_owned(),
        (false, "-O2") => "release".to_owned(),
        (false, level) => level.trim_start_matches('-').to_owned(),
    };
    if options.profile {
        profile.push_str("-profile");
    }
    if !package.single_file {
        return Ok(package.root.join("target/toft").join(profile).join(&package.name));
    }
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join("toft/run"));
    let source = package.sources.first().cloned().unwrap_or_default();
    let source = source.canonicalize().unwrap_or(source);
    let key =
        format!("{}-{:016x}", profile, fingerprint::hash(source.as_os_str().as_encoded_bytes()));
    let usable = cache.filter(|dir| std::fs::create_dir_all(dir.join(&key)).is_ok());
    let dir = match usable {
        Some(dir) => dir.join(key),
        None => std::env::temp_dir().join(format!("toft-run-{}", std::process::id())).join(key),
    };
    Ok(dir.join(&package.name))
}

/// Where `toft build FILE` without `-o` puts the program.
pub fn default_output(package: &Package) -> Option<PathBuf> {
    package.single_file.then(|| PathBuf::from(&package.name))
}

/// `--emit`: texts on standard output, or into `-o` when one kind is asked for.
pub fn emit(package: &Package, options: &BuildOptions, report: &Report) -> Outcome {
    let found = home::find().and_then(|home| Ok((home, compiler(options)?)));
    let (home, cc) = match found {
        Ok(found) => found,
        Err(why) => return environment(report, *why),
    };
    let sess = session(options);
    let mut out = String::new();
    for &kind in &options.emit {
        emit_one(&sess, kind, &home, &cc, package, options, &mut out);
        if sess.has_errors() {
            break;
        }
    }
    report.show(&sess);
    if sess.has_errors() {
        return Outcome::Errors;
    }
    match &options.output {
        Some(path) => match write_atomic(path, out.as_bytes()) {
            Ok(()) => Outcome::Done,
            Err(why) => environment(report, *why),
        },
        None => {
            use std::io::Write;
            let _ = std::io::stdout().write_all(out.as_bytes());
            Outcome::Done
        }
    }
}

fn emit_one(
    sess: &Session,
    kind: Emit,
    home: &Home,
    cc: &Compiler,
    package: &Package,
    options: &BuildOptions,
    out: &mut String,
) {
    let mut search = sources::header_search(home, Some(cc), package, options);
    match kind {
        Emit::Tokens => {
            for tokens in sources::tokens(sess, package, &mut search) {
                for token in tokens {
                    if token.line_start {
                        out.push('\n');
                    } else if token.space {
                        out.push(' ');
                    }
                    out.push_str(&toft_ast::token::spelling(&token));
                }
                out.push('\n');
            }
        }
        Emit::Ast => {
            let units = sources::parse(sess, home, package, &mut search, false);
            for (_, unit, _) in &units.units {
                out.push_str(&toft_ast::dump::unit(unit, false));
            }
        }
        Emit::Hir => {
            if let Ok(program) = front(sess, home, Some(cc), package, options) {
                out.push_str(&toft_hir::dump::program(&program));
            }
        }
        Emit::Tir | Emit::Mir => {
            if let Ok(mut program) = front(sess, home, Some(cc), package, options) {
                // The first time signatures learn; the second shows each function once.
                let _ = pipeline::check(sess, &mut program, &mut Quiet, false);
                let mut dump = Dump { sess, kind, out };
                let _ = pipeline::check(sess, &mut program, &mut dump, false);
            }
        }
        Emit::C => {
            if let Ok(checked) = judged(sess, home, cc, package, options)
                && let Ok(text) = emit_c(sess, &checked, package, options)
            {
                out.push_str(&text.c);
                out.push_str(text.raw_c.as_deref().unwrap_or(""));
            }
        }
    }
}

/// Writes the trees of the user's own functions.
struct Dump<'a> {
    sess: &'a Session,
    kind: Emit,
    out: &'a mut String,
}

impl Dump<'_> {
    fn wants(&self, kind: Emit, span: toft_base::Span) -> bool {
        self.kind == kind && self.sess.map.borrow().kind_of(span) == toft_base::FileKind::User
    }
}

impl pipeline::Observer for Dump<'_> {
    fn tir(&mut self, program: &toft_hir::Program, func: &toft_tir::Func) {
        if self.wants(Emit::Tir, func.span) {
            self.out.push_str(&toft_tir::dump::func(program, func));
        }
    }

    fn mir(&mut self, _: &toft_mir::Decls, body: &toft_mir::Body<toft_mir::Checked>) {
        if self.wants(Emit::Mir, body.span) {
            self.out.push_str(&toft_mir::text::print(body));
        }
    }
}

/// Runs a program in the foreground; its exit code is the result, as a shell reports it.
pub fn run(program: &Path, args: &[OsString], report: &Report) -> ExitCode {
    run_with(program, args, report, &[])
}

/// The same with more in its environment.
pub fn run_with(
    program: &Path,
    args: &[OsString],
    report: &Report,
    environment: &[(&str, &Path)],
) -> ExitCode {
    // A bare name would be looked up on $PATH.
    let path = if program.components().count() == 1 {
        Path::new(".").join(program)
    } else {
        program.to_owned()
    };
    let mut command = std::process::Command::new(&path);
    command.args(args).envs(environment.iter().copied());
    match command.status() {
        Ok(status) => {
            use std::os::unix::process::ExitStatusExt;
            let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
            ExitCode::from(u8::try_from(code.unwrap_or(1) & 0xff).unwrap_or(1))
        }
        Err(why) => {
            report.fatal(Diagnostic::error(
                codes::E0001,
                format!("cannot run {}: {why}", path.display()),
                toft_base::Span::NONE,
                "",
            ));
            ExitCode::from(3)
        }
    }
}

pub fn audit(package: &Package, options: &BuildOptions, report: &Report, all: bool) -> Outcome {
    let home = match home::find() {
        Ok(home) => home,
        Err(why) => return environment(report, *why),
    };
    let cc = compiler(options).ok();
    let sess = session(options);
    if let Ok(program) = front(&sess, &home, cc.as_ref(), package, options) {
        print!("{}", audit_list::list(&sess, &program, report.format, all));
    }
    ended(&sess, report)
}
