//! The host's own headers through our preprocessor: the tokens must be those that the
//! host's C compiler makes of them.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use toft_base::{FileId, FileKind};
use toft_diag::{Session, session::Options};
use toft_pp::{Env, Has, Include, IncludeError};
use toft_toolchain::{Compiler, HeaderSearch, SearchPaths};

const HEADERS: &[&str] = &[
    "stdio.h",
    "stdlib.h",
    "string.h",
    "math.h",
    "time.h",
    "errno.h",
    "unistd.h",
    "fcntl.h",
    "sys/types.h",
    "sys/stat.h",
    "sys/socket.h",
    "sys/mman.h",
    "sys/wait.h",
    "sys/time.h",
    "netinet/in.h",
    "arpa/inet.h",
    "netdb.h",
    "pthread.h",
    "signal.h",
    "ctype.h",
    "limits.h",
    "stdint.h",
    "stddef.h",
    "stdarg.h",
    "assert.h",
    "setjmp.h",
    "locale.h",
    "wchar.h",
    "poll.h",
    "sys/epoll.h",
    "dirent.h",
    "termios.h",
    "inttypes.h",
    "tgmath.h",
    "sys/select.h",
    "regex.h",
];

/// Answers `__has_…` as the host's compiler does; finds headers as usual.
struct AsHost<'a> {
    search: HeaderSearch,
    compiler: &'a Compiler,
    known: BTreeMap<String, u32>,
}

impl Env for AsHost<'_> {
    fn include(&mut self, sess: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        self.search.include(sess, include)
    }
    fn exists(&mut self, sess: &Session, include: &Include<'_>) -> bool {
        self.search.exists(sess, include)
    }
    fn predefined(&mut self) -> String {
        self.search.predefined()
    }
    fn has(&self, what: Has, name: &str) -> u32 {
        let operator = match what {
            Has::Attribute => "__has_attribute",
            Has::CAttribute => "__has_c_attribute",
            Has::Builtin => "__has_builtin",
            Has::Feature => return 0,
        };
        let question = format!("{operator}({name})\n");
        if let Some(&answer) = self.known.get(&question) {
            return answer;
        }
        host(self.compiler, &question).trim().trim_end_matches('L').parse().unwrap_or(0)
    }
}

/// The tokens `cc -E -P` makes, as text.
fn host(compiler: &Compiler, source: &str) -> String {
    let mut child = compiler
        .command()
        .args(["-std=gnu11", "-E", "-P", "-x", "c", "-Ulinux", "-Uunix", "-Ui386", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the C compiler starts");
    child.stdin.take().expect("piped").write_all(source.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "cc refuses {source}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

struct Nothing;

impl Env for Nothing {
    fn include(&mut self, _: &Session, _: &Include<'_>) -> Result<FileId, IncludeError> {
        Err(IncludeError::NotFound { searched: Vec::new() })
    }
    fn exists(&mut self, _: &Session, _: &Include<'_>) -> bool {
        false
    }
    fn predefined(&mut self) -> String {
        // The second pass sees text that is expanded already.
        "#undef __FILE__\n#undef __LINE__\n#undef __COUNTER__\n".to_owned()
    }
}

/// The tokens of `source`, one per line.
fn tokens(source: &str, kind: FileKind, env: &mut dyn Env) -> Vec<String> {
    let sess = Session::new(Options::default());
    let main = sess
        .map
        .borrow_mut()
        .add_file("<stdin>".to_owned(), "<stdin>".into(), source.to_owned(), kind)
        .expect("small");
    let tokens = toft_pp::run(&sess, main, env);
    let said = sess.take();
    assert!(said.is_empty(), "{said:?}");
    tokens.iter().map(|token| format!("{:?} {}", token.kind, token.sym)).collect()
}

fn compare(compiler: &Compiler, source: &str) {
    let search = HeaderSearch::new(&SearchPaths::default(), Some(compiler), "");
    let mut env = AsHost { search, compiler, known: BTreeMap::new() };
    let ours = tokens(source, FileKind::User, &mut env);
    let theirs = tokens(&host(compiler, source), FileKind::Foreign, &mut Nothing);
    let same = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    if same < ours.len().max(theirs.len()) {
        let near =
            |list: &[String]| list[same.saturating_sub(8)..(same + 8).min(list.len())].join("\n");
        panic!("{source}: ours\n{}\n\ntheirs\n{}\n", near(&ours), near(&theirs));
    }
}

#[test]
fn host_headers_give_the_tokens_of_the_host_compiler() {
    let Ok(compiler) = Compiler::find(None) else {
        eprintln!("no C compiler here: nothing to compare with");
        return;
    };
    for header in HEADERS {
        compare(&compiler, &format!("#include <{header}>\n"));
    }
    let all: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    compare(&compiler, &format!("#define _GNU_SOURCE\n{all}"));
    compare(&compiler, &format!("#define _POSIX_C_SOURCE 200809L\n{all}"));
    compare(
        &compiler,
        "#include <tgmath.h>\n#include <assert.h>\ndouble f(float x) { assert(x == sin(x)); return pow(sqrt(x), fabs(x)); }\n",
    );
}

/// Calls that show where a preprocessor cuts corners; the host decides what is right.
const SNIPPETS: &[&str] = &[
    "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)\n",
    "#define NIL(x) x\n#define G_0(a) NIL(G_1)(a)\n#define G_1(a) NIL(G_0)(a)\nG_0(42)\n",
    "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
     #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n\
     #define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
     f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
     p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n",
    "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), \
     t(,11,), t(,,12), t(,,) };\n",
    "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
     #define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);\n",
    "#define str(s) # s\n#define xstr(s) str(s)\n\
     str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n)\nxstr(INC_A + B .h)\nstr(  a   b\n c ) str(\"\\\"\") str('\"')\n",
    "#define debug(...) fprintf(stderr, __VA_ARGS__)\n\
     #define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))\n\
     debug(\"F\");\ndebug(\"X = %d\\n\", x);\nreport(x>y, \"x is %d\", x, y);\n",
    "#define e(fmt, args...) p(fmt , ## args)\ne(a) e(a,) e(a,b) e(a,b,c) e()\n\
     #define v(...) q(0 , ## __VA_ARGS__)\nv() v(1) v(1,2)\n#define n(a,...) r(a , ## __VA_ARGS__ x)\nn(1) n(1,) n(1,2)\n",
    "#define F(a,...) f(0 __VA_OPT__(,) __VA_ARGS__)\nF(1) F(1,) F(1,2) F(1,2,3)\n\
     #define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })\nSDEF(foo); SDEF(bar, 1, 2);\n\
     #define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)\nG(a,b,c) G(a,) G(a)\n\
     #define H3(X, ...) #__VA_OPT__(X##X X##X)\n#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__\nH2(a, b, c, d)\n",
    "#define EMPTY\n#define DEFER(x) x EMPTY\n#define A() 123\nDEFER(A)() \n#define EXPAND(x) x\nEXPAND(DEFER(A)())\n",
    "#define foo foo a\nfoo foo\n#define bar(x) bar x\nbar(bar)(2) bar\n(3)\n",
    "#define CAT(a,b) a##b\n#define AB(x) CAT(x,y)\nCAT(A,B)(1) CAT(.,1) CAT(1,.e5) CAT(<,<=) CAT(+,+) CAT(L,'a') CAT(L,\"s\")\n",
    "#define LPAREN (\n#define RPAREN )\n#define F(x, y) x + y\n#define ELLIP_FUNC(...) __VA_ARGS__\n\
     ELLIP_FUNC(F, LPAREN, 'a', 'b', RPAREN);\nF LPAREN 1, 2 RPAREN;\n",
    "#if 1 ? 2 : (1/0)\nok\n#endif\n#if 0 && (1/0)\n#elif -1 > 0u\nunsigned\n#endif\n#if (2 || 3) != 1\nno\n#else\nyes\n#endif\n\
     #if 0xffffffffffffffff == -1 && 'a' == 97 && '\\377' < 0 && -5 / 2 == -2 && -5 % 3 == -2 && (-1 >> 1) == -1\nall\n#endif\n",
    "#if defined X || !defined(Y) && defined __FILE__\na\n#endif\n#define D defined\n#define X\n#if D X\nb\n#endif\n#ifdef X\n#else junk\n#endif\n",
    "#define f(x) [x]\nf(1\n#undef f\n#define f 2\nf)\nf\n",
    "#define f(x) x\nf(\n#if 1\na\n#else\nb\n#endif\n)\n",
    "__LINE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__\n#line 77 \"other.c\"\n__LINE__ __FILE__\n__LINE__\n",
    "a\\\nb c\\\n\\\nd \"x\\\ny\" /\\\n* c *\\\n/ z /\\\n/ gone \\\n gone too\nback\n",
    "#pragma push_macro(\"M\")\n#define M 1\nM\n#pragma push_macro(\"M\")\n#undef M\n#define M 2\nM\n#pragma pop_macro(\"M\")\nM\n",
    "_Pragma(\"GCC diagnostic push\") int x; _Pragma(\"GCC diagnostic pop\")\n",
    "#if 0\ndon't /* x\n#endif\nint a; /* */\n#if 0\n/*\n#endif\n*/ \"\n#else\nint b;\n#endif\n",
    "%:define X <: 1 :>\nX <% %>\n",
    "#define a b\n#define b c\n#define c a\na b c\n#define q(x) x x\nq(q(q(a)))\n",
    "#define I(x) x\n#define R(x) I(x) R\nR(1)(2)(3) I(I)(4) I(R)(5)\n",
    "#define LIST X(a) X(b) X(c)\n#define X(n) n = #n,\nLIST\n#undef X\n#define X(n) case n: return __LINE__;\nLIST\n",
    "#define P(x, y) x ## y\n#define Q(x, y) P(x, y)\nQ(v, __LINE__) P(v, __LINE__) Q(Q(1,2),Q(3,4))\n",
    "#define EVAL0(...) __VA_ARGS__\n#define EVAL1(...) EVAL0(EVAL0(EVAL0(__VA_ARGS__)))\n#define EVAL(...) EVAL1(EVAL1(EVAL1(__VA_ARGS__)))\n\
     #define MAP_END(...)\n#define MAP_OUT\n#define MAP_GET_END() 0, MAP_END\n#define MAP_NEXT0(test, next, ...) next MAP_OUT\n\
     #define MAP_NEXT1(test, next) MAP_NEXT0(test, next, 0)\n#define MAP_NEXT(test, next) MAP_NEXT1(MAP_GET_END test, next)\n\
     #define MAP0(f, x, peek, ...) f(x) MAP_NEXT(peek, MAP1)(f, peek, __VA_ARGS__)\n\
     #define MAP1(f, x, peek, ...) f(x) MAP_NEXT(peek, MAP0)(f, peek, __VA_ARGS__)\n\
     #define MAP(f, ...) EVAL(MAP1(f, __VA_ARGS__, (), 0))\n#define S(x) #x;\nMAP(S, a, b, c, d, e)\n",
];

#[test]
fn hard_macros_expand_as_with_the_host_compiler() {
    let Ok(compiler) = Compiler::find(None) else {
        eprintln!("no C compiler here: nothing to compare with");
        return;
    };
    for snippet in SNIPPETS {
        // What Toft reads differently from C is kept out by a foreign file.
        let search = HeaderSearch::new(&SearchPaths::default(), Some(&compiler), "");
        let mut env = AsHost { search, compiler: &compiler, known: BTreeMap::new() };
        let ours = tokens(snippet, FileKind::Foreign, &mut env);
        let theirs = tokens(&host(&compiler, snippet), FileKind::Foreign, &mut Nothing);
        assert_eq!(ours, theirs, "{snippet}");
    }
}

/// Run by hand: `cargo test --release -p toft-toolchain --test glibc speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let compiler = Compiler::find(None).expect("a C compiler");
    let all: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    for (name, source) in [("stdio.h", "#include <stdio.h>\n"), ("all", all.as_str())] {
        let start = std::time::Instant::now();
        let sess = Session::new(Options::default());
        let mut search = HeaderSearch::new(&SearchPaths::default(), Some(&compiler), "");
        let main = sess
            .map
            .borrow_mut()
            .add_file("main.c".to_owned(), "main.c".into(), source.to_owned(), FileKind::User)
            .expect("small");
        let tokens = toft_pp::run(&sess, main, &mut search);
        let lines: u32 = sess.map.borrow().files().map(|(_, file)| file.line_count()).sum();
        println!("{name}: {:?}, {lines} lines, {} tokens", start.elapsed(), tokens.len());
    }
}
