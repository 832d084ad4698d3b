//! A program from MIR texts, through `mono`, `elaborate` and `emit-c`, to what it prints
//! with every C compiler and mode.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use toft_base::{Span, Symbol};
use toft_diag::Session;
use toft_emit_c::{EmitOptions, Entry};
use toft_mir::{Body, CheckedBodies, Decls, FuncDecl, FuncId, text};
use toft_ty::{FuncTy, Ty, Variadic};

/// A program under construction.
#[derive(Default)]
pub struct Program {
    pub decls: Decls,
    pub bodies: CheckedBodies,
}

pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

pub fn ty(text: &str) -> Ty {
    text::parse_ty(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn sig(params: Vec<Ty>, ret: Ty, variadic: bool) -> FuncTy {
    FuncTy {
        binder: Vec::new(),
        params,
        ret,
        variadic: if variadic { Variadic::C } else { Variadic::No },
        effect: None,
        bounds: Vec::new(),
        consumes: 0,
        noreturn: false,
    }
}

fn decl(name: Symbol, sig: FuncTy) -> FuncDecl {
    FuncDecl {
        name,
        link_name: None,
        span: Span::NONE,
        sig,
        generics: Vec::new(),
        external: false,
        may_throw: true,
        is_inline: false,
        is_static: true,
    }
}

impl Program {
    /// Starts with fn0 `printf` and fn1 `abort`.
    pub fn new() -> Program {
        let mut program = Program::default();
        let string = ty("(ptr char zt #0 const)");
        program.external("printf", sig(vec![string], ty("int"), true));
        program.external("abort", sig(Vec::new(), Ty::void(), false));
        program
    }

    pub fn external(&mut self, name: &str, sig: FuncTy) -> FuncId {
        let name = Symbol::intern(name);
        let external = FuncDecl { external: true, link_name: Some(name), ..decl(name, sig) };
        self.bodies.push(None);
        self.decls.funcs.push(external)
    }

    /// A function from its text; its number must be the next one.
    pub fn func(&mut self, text: &str) -> FuncId {
        let body = text::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
        let params = body.locals.iter().take(body.params).map(|local| local.ty).collect();
        let mut decl = decl(body.name, sig(params, body.ret, false));
        decl.generics = body.generics[..body.own_generics].to_vec();
        let id = self.decls.funcs.push(decl);
        assert_eq!(id, body.id, "functions are numbered in order");
        if body.name.as_str() == "main" {
            self.decls.main = Some(id);
        }
        let facts = body.facts.clone();
        self.bodies.push(Some(Body::certify(body, facts)));
        id
    }

    pub fn emit_as(&self, entry: Entry) -> String {
        let sess = Session::default();
        let roots = match entry {
            Entry::Tests => toft_mono::Roots::Tests,
            _ => toft_mono::Roots::Program,
        };
        let result = toft_mono::run(&sess, &self.decls, &self.bodies, roots)
            .and_then(|instances| toft_elaborate::run(&sess, &self.decls, instances))
            .and_then(|program| {
                let options = EmitOptions { entry, ..EmitOptions::default() };
                toft_emit_c::run(&sess, &self.decls, &program, &options)
            });
        match result {
            Ok(output) => output.c,
            Err(_) => panic!("{:#?}", sess.take()),
        }
    }

    pub fn emit(&self) -> String {
        self.emit_as(Entry::Main)
    }

    /// Builds and runs the program in every way there is; all must agree.
    pub fn run(&self, name: &str) -> Run {
        self.run_as(name, Entry::Main)
    }

    pub fn run_as(&self, name: &str, entry: Entry) -> Run {
        let c = self.emit_as(entry);
        assert_eq!(c, self.emit_as(entry), "the same program gives the same text");
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&dir).expect("a directory for the test");
        let file = dir.join("main.c");
        std::fs::write(&file, &c).expect("write the C file");
        let mut first: Option<Run> = None;
        for cc in ["gcc", "clang"] {
            for level in ["-O0", "-O2"] {
                for sanitizers in
                    [&[][..], &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]]
                {
                    let exe = dir.join(format!("{cc}{level}{}", sanitizers.len()));
                    compile(cc, level, sanitizers, &file, &exe);
                    let run = execute(&exe);
                    match &first {
                        None => first = Some(run),
                        Some(first) => {
                            let how = format!("{name}: {cc} {level} {sanitizers:?}");
                            assert_eq!(first.stdout, run.stdout, "{how}: {}", run.stderr);
                            assert_eq!(first.code, run.code, "{how}: {}", run.stderr);
                        }
                    }
                }
            }
        }
        first.expect("some way to run it")
    }
}

fn compile(cc: &str, level: &str, more: &[&str], file: &Path, exe: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(cc);
    command
        .args(["-std=gnu11", "-g1", level, "-fno-strict-aliasing", "-fsigned-char"])
        .args(["-Wall", "-Wextra", "-Werror"])
        // What is declared need not be used: a program may have a variable it ignores, and
        // inlining is the C compiler's business.
        .args(["-Wno-unused-variable", "-Wno-unused-function", "-Wno-unused-parameter"])
        .args(["-Wno-unused-but-set-variable", "-Wno-unused-const-variable"])
        // `{}` leaves all fields zero on purpose; a check may be constant by its types.
        .args(["-Wno-missing-field-initializers", "-Wno-type-limits"])
        // Variables that handlers read are in memory: see `setjmp.rs`. gcc's analysis of
        // what is initialised stops at setjmp and at loops; the checker's does not.
        .args(["-Wno-maybe-uninitialized", "-Wno-unknown-warning-option", "-Wno-clobbered"])
        .args(more)
        .arg("-I")
        .arg(root.join("runtime/include"))
        .arg(file)
        .arg(runtime())
        .args(["-ldl", "-lm", "-lpthread", "-o"])
        .arg(exe);
    let out = command.output().expect("a C compiler");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}\n{text}");
}

fn execute(exe: &Path) -> Run {
    let out = Command::new(exe)
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
        .output()
        .expect("run the program");
    Run {
        stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        code: out.status.code(),
    }
}

/// The runtime's archive, built once.
fn runtime() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        if let Some(path) = std::env::var_os("TOFT_RT") {
            return path.into();
        }
        let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rt");
        let status = Command::new(env!("CARGO"))
            .args(["build", "--release", "-q", "-p", "toft-rt", "--target-dir"])
            .arg(&target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo");
        assert!(status.success(), "the runtime does not build");
        target.join("release/libtoft_rt.a")
    })
}
