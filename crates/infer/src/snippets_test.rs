//! Whole snippets through the front end: which codes they give, and where; some dumps.
//!
//! A line ends in `//~ E0601` (several codes: separated by blanks) when it must be reported.

use toft_base::{FileId, FileKind, Symbol};
use toft_diag::{Session, Severity};
use toft_hir::Program;
use toft_pp::{Env, Include, IncludeError};

struct NoFiles;

impl Env for NoFiles {
    fn include(&mut self, _: &Session, include: &Include<'_>) -> Result<FileId, IncludeError> {
        let _ = include;
        Err(IncludeError::NotFound { searched: Vec::new() })
    }
    fn exists(&mut self, _: &Session, _: &Include<'_>) -> bool {
        false
    }
    fn predefined(&mut self) -> String {
        "#define NULL ((void *)0)\n".into()
    }
}

fn unit(sess: &Session, name: &str, text: &str, kind: FileKind) -> toft_resolve::UnitInput {
    let file = sess
        .map
        .borrow_mut()
        .add_file(name.into(), name.into(), text.into(), kind)
        .expect("the text is short");
    let tokens = toft_pp::run(sess, file, &mut NoFiles);
    toft_resolve::UnitInput {
        file,
        prelude: kind == FileKind::Library,
        unit: toft_parse::run(sess, &tokens),
    }
}

const PRELUDE: &str = include_str!("../../../lib/core/prelude.toft");
const EXTRA: &str = r#"
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
unsigned long strlen(const char ? s);
"#;

fn front(sess: &Session, text: &str) -> Program {
    let units = vec![
        unit(sess, "prelude.toft", PRELUDE, FileKind::Library),
        unit(sess, "t.toft", &format!("{text}\n{EXTRA}"), FileKind::User),
    ];
    toft_resolve::run(sess, &units)
}

/// What is reported, as (line, code), and the dumps of the functions without errors.
fn infer(text: &str) -> (Vec<(u32, &'static str)>, String, String) {
    let sess = Session::default();
    let prog = front(&sess, text);
    let mut dump = String::new();
    for (id, func) in prog.funcs.iter_enumerated() {
        if func.body.is_some()
            && let Ok(typed) = crate::run(&sess, &prog, id)
        {
            dump.push_str(&toft_tir::dump::func(&prog, &typed));
        }
    }
    for (id, global) in prog.globals.iter_enumerated() {
        if let Ok(Some(value)) = crate::global_init(&sess, &prog, id) {
            dump.push_str(&toft_tir::dump::init(&prog, global.name, &value));
        }
    }
    let mut found = Vec::new();
    let mut words = String::new();
    for diagnostic in sess.take() {
        let line = sess.map.borrow().loc(diagnostic.span()).map_or(0, |loc| loc.line);
        if diagnostic.severity == Severity::Error || wanted_warning(diagnostic.code.id) {
            found.push((line, diagnostic.code.id));
        }
        words.push_str(&format!("{line}: {} {}\n", diagnostic.code.id, diagnostic.message));
        for label in &diagnostic.labels {
            let line = sess.map.borrow().loc(label.span).map_or(0, |loc| loc.line);
            words.push_str(&format!("      {line}: {}\n", label.text));
        }
        for help in &diagnostic.helps {
            words.push_str(&format!("      help: {help}\n"));
        }
    }
    found.sort_unstable();
    found.dedup();
    (found, dump, words)
}

fn wanted_warning(code: &str) -> bool {
    !code.starts_with("W0702")
}

/// Compares what is reported with the `//~` marks.
pub fn check(text: &str) {
    let mut want = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if let Some((_, codes)) = line.split_once("//~") {
            for code in codes.split_whitespace() {
                let code = toft_diag::codes::find(code).expect("a known code");
                want.push((n as u32 + 1, code.id));
            }
        }
    }
    want.sort_unstable();
    let (found, _, words) = infer(text);
    assert_eq!(found, want, "\n{words}\n{text}");
}

/// The dump of a snippet without errors.
pub fn dump(text: &str) -> String {
    let (found, dump, words) = infer(text);
    assert!(found.iter().all(|(_, code)| code.starts_with('W')), "{words}\n{text}");
    dump
}

#[track_caller]
pub fn has(dump: &str, part: &str) {
    assert!(dump.contains(part), "no `{part}` in\n{dump}");
}

#[test]
fn plain_c_is_accepted() {
    check(
        r#"
struct point { int x, y; struct point *next; };
enum color { RED, GREEN = 5, BLUE };
static int counter;
int table[] = { 1, 2, 3, [5] = 6 };
const char *names[] = { "a", "b" };
struct point origin = { .y = 2, .x = 1 };
int add(int a, int b) { return a + b; }
double half(int n) { return n / 2.0; }
int sum(const int ? p, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += p[i];
    return total;
}
unsigned long length(const char *s) {
    unsigned long n = 0;
    while (*s) { s++; n++; }
    return n;
}
struct point *cons(int x, struct point *'H next) {
    struct point *p = malloc(sizeof(struct point));
    p->x = x;
    p->y = (int)sizeof *p;
    p->next = next;
    return p;
}
int classify(enum color c) {
    switch (c) {
    case RED: return 1;
    case GREEN ... BLUE: return 2;
    default: break;
    }
    return 0;
}
int apply(int (*f)(int, int), int x) { return f(x, x) + (*f)(1, 2); }
int main(int argc, char **argv) {
    int a[10] = {0};
    char buf[16] = "hello";
    struct point p = origin, *q = &p;
    q->x = add(p.x, a[3]);
    a[1] = argc > 1 ? 3 : counter++;
    long big = 1L << 40;
    unsigned char c = (unsigned char)big;
    c += 3;
    c <<= 1;
    printf("%d %s %ld %c %5.2f %s\n", a[0], buf, big, c, half(3), argv[0]);
    int *ip = &a[2];
    *ip = sum(a, 10);
    do { ip = NULL; } while (!ip && 0);
    for (;;) { if (strlen(buf) > 3) break; else continue; }
    return apply(add, 2) == 4 && names[0] != NULL ? 0 : classify(GREEN);
}
"#,
    );
}

#[test]
fn conversions_between_pointer_kinds() {
    check(
        r#"
void thin(int *p);
void sure(int @p);
void fat(int ? p);
void str(char *s);
void fstr(const char ? s);
void four(int *{4} p);
void f(int *p, int ? q, char *s, char ? t, int @r) {
    int a[8];
    char buf[10];
    thin(q); //~ W0502
    sure(p); //~ W0501
    thin(r); fat(p); fat(a); four(a);
    four(p); //~ E0507
    sure((int @)p);
    str(t); //~ E0505
    fstr(s); //~ W0503
    fstr(t); str(buf); fstr(buf); str("x"); fstr("y");
    p = 5; //~ E0501
    p = s; //~ E0401
    thin(0); sure(NULL); //~ E0506
    p++; //~ E0502
    p[1] = 2; //~ E0502
    p[0] = 2; q[7] = 1; q++; s++;
    s--; //~ E0502
    a[8] = 1; //~ E0503
    int n = p; //~ E0401
    long m = (long)p;
    void *v = p;
    int *w = v; //~ E0508
    const int *k = p;
    int *u = k; //~ E0406
    unsigned char ? bytes = (unsigned char ?)q;
    int ? back = (int ?)bytes; //~ E0510
    if (n + m && u && w && back) k = u;
}
"#,
    );
}

#[test]
fn regions_escape() {
    check(
        r#"
int *global;
int *ret(void) {
    int x = 1;
    return &x; //~ E0601
}
char *skip(char *p) { return p; } //~ E0601
char *'r keep(char *'r p) { return p; }
void inner(void) {
    int *p;
    {
        int x = 1;
        p = &x; //~ E0601
    }
    int y;
    p = &y;
    *p = 1;
}
void leak(int *p) {
    global = p; //~ E0601
}
struct node { int *p; };
void store(struct node *n) {
    int x;
    n->p = &x; //~ E0601
    int ok;
    int *q = &ok;
    int **qq = &q;
    **qq = 3;
}
int *'a pick(int *'a x, int *'b y, int c) {
    if (c) return y; //~ E0602
    return x;
}
int swap(int *a, int *b) { int t = *a; *a = *b; *b = t; return t; }
void calls(void) {
    int x = 1, y = 2;
    swap(&x, &y);
    char buf[4] = "abc";
    char *s = keep(buf);
    { int z; swap(&x, &z); int *p = c2(&z, &x); *p = 1; }
    *s = 'x';
}
int *'r c2(int *'r a, int *'r b) { return *a ? a : b; }
"#,
    );
}

#[test]
fn operators_are_checked() {
    check(
        r#"
struct s { int a; };
void f(int n, struct s v, double d, int *p) {
    n = v; //~ E0401
    v + 1; //~ E0402
    d % 2; //~ E0402
    n / 0; //~ E0511
    n << 40; //~ E0511
    1 = n; //~ E0405
    const int k = 3;
    k = 4; //~ E0406
    v.b = 1; //~ E0304
    p->a = 1; //~ E0304
    n(); //~ E0403
    f(1); //~ E0404
    if (v) {} //~ E0402
    unsigned char c = 300; //~ W0401
    unsigned u = 3;
    if (u < 0) {} //~ W0402
    n == 3; //~ W0703
    switch (n) { case 1: case 2: case 1: break; } //~ E0411
    switch (n) { case 5 ... 9: case 7: break; } //~ E0411
    *NULL; //~ E0504
    &3; //~ E0402
    c = u;
}
int g(void) { return; } //~ E0410
void h(void) { return 1; } //~ E0410
"#,
    );
}

#[test]
fn initialisers() {
    let text = r#"
struct in { int a, b; };
struct out { struct in i; int c[3]; char name[4]; };
struct out x = { 1, 2, 3, 4, 5, "abc" };
struct out y = { .i.b = 7, .c[1] = 8, 9 };
int m[2][2] = { 1, 2, 3, 4 };
int r[] = { [2 ... 4] = 1, 2 };
union u { int i; float f; } uu = { .f = 1.5f };
char s[] = "hi";
struct in *ip = &x.i;
int z = sizeof(int) * 3;
"#;
    let d = dump(text);
    has(
        &d,
        "global x = struct out{0: struct in{0: 1:int, 1: 2:int}, 1: int [3]{0: 3:int, 1: 4:int, 2: 5:int}, 2: char [4]{",
    );
    has(&d, "global y = struct out{0: struct in{1: 7:int}, 1: int [3]{1: 8:int, 2: 9:int}}");
    has(
        &d,
        "global m = int [2][2]{0: int [2]{0: 1:int, 1: 2:int}, 1: int [2]{0: 3:int, 1: 4:int}}",
    );
    has(&d, "global r = int [6]{2: 1:int, 3: 1:int, 4: 1:int, 5: 2:int}");
    has(&d, "global s = char [3]{0: 104:char, 1: 105:char}");
    has(&d, "global z = 12:int");
    check(
        r#"
int a[2] = { 1, 2, 3 }; //~ E0408
int b = { 1, 2 }; //~ E0408
struct p { int *@notnull q; };
struct p c = {}; //~ E0701
int n;
int d = n; //~ E0307
char e[2] = "abc"; //~ E0408
struct p g; //~ E0701
int h[2] = { .x = 1 }; //~ E0304
int i[2] = { [5] = 1 }; //~ E0503
"#,
    );
}

#[test]
fn allocation() {
    let d = dump(
        r#"
struct n { int v; struct n *next; };
void f(int k) {
    int *a = malloc(sizeof(int));
    int ? b = malloc(k * sizeof(int));
    int ? c = (int *@fat)calloc(k, sizeof *c);
    char *s = malloc(k + 1);
    struct n *p = new { 1, NULL };
    int ? e = new { for i < k : (int)i * 2 };
    int *o = new 5;
    struct n ? q = realloc(NULL, k * sizeof(struct n));
    char ? t = new "abc";
    *a = b[0] + c[0] + s[0] + p->v + e[0] + *o + q[0].v + t[0];
}
"#,
    );
    has(&d, "new int:int @");
    has(&d, "new int[IntToInt(k_0):unsigned long]:int ?@notnull");
    has(&d, "char @");
    has(&d, "new struct n struct n{0: 1:int, 1: null:struct n *}:struct n @");
    has(&d, "Realloc@<struct n>");
    check(
        r#"
struct v { int *@notnull p; };
void f(int *p) {
    free(p); //~ E0604
    struct v *q = malloc(sizeof(struct v)); //~ E0701
    int *r = malloc(10); //~ E0401
    if (q && r) {}
}
"#,
    );
}

#[test]
fn generics() {
    let d = dump(
        r#"
struct List<'a> { 'a hd; struct List<'a> *tl; };
struct List<'a> *cons('a hd, struct List<'a> *'H tl) { return new { hd, tl }; }
'a id('a x) { return x; }
int len(struct List<'a> *l) { int n = 0; for (; l != NULL; l = l->tl) n++; return n; }
struct List<'b> *map('b f('a), struct List<'a> *l) {
    if (l == NULL) return NULL;
    return cons(f(l->hd), map(f, l->tl));
}
int twice(int x) { return 2 * x; }
int use(void) {
    struct List<int> *l = cons(1, cons(2, NULL));
    struct List<int> *m = map(twice, l);
    double d = id(2.5);
    return len(m) + l->hd + id@<int>(3) + (int)d;
}
"#,
    );
    has(&d, "cons@<int>(1:int, cons@<int>(2:int, null:struct List<int> *))");
    has(&d, "id@<double>(2.5:double)");
    check(
        r#"
'a none(void);
void eat('a x);
void f(int n) {
    none(); //~ E1002
    eat(n);
}
int g('a x) {
    x + 1; //~ E1003
    return 0;
}
"#,
    );
}

#[test]
fn dependent_bounds() {
    check(
        r#"
int sum(tag_t<'n> n, int p[n]) {
    int total = 0;
    for (unsigned long i = 0; i < n; i++) total += p[i];
    return total;
}
int f(int ? q, tag_t<'m> m, int *{valueof('m)} r) {
    int a[10] = {0};
    int s = sum(10, a);
    s += sum(m, r);
    s += sum(m, q); //~ W0502
    return s + sum(4, a);
}
"#,
    );
}

#[test]
fn datatypes_and_patterns() {
    check(
        r#"
datatype Exp { Num(int); Add(datatype Exp @, datatype Exp @); Neg(datatype Exp @); Zero; };
int eval(datatype Exp @e) {
    switch (e) {
    case &Num(n): return n;
    case &Add(a, b): return eval(a) + eval(b);
    case &Neg(x): return -eval(x);
    case &Zero: return 0;
    }
}
int part(datatype Exp *e) {
    switch (e) { //~ E0801
    case &Num(n): return n;
    case &Add(a, _): return part(a);
    }
    return 0;
}
int twice(datatype Exp @e) {
    switch (e) {
    case &Num(1): return 1;
    case &Num(n): return n;
    case &Num(2): return 2; //~ E0802
    default: return 0;
    }
}
datatype Exp @mk(int n) { return n ? new Num(n) : new Zero; }
datatype Exp *bad(int n) { return Num(n); } //~ E0401
int tup($(int, char *) t) {
    let $(a, _) = t;
    return a;
}
int guarded(datatype Exp @e, int k) {
    switch (e) { //~ E0801
    case &Num(n) && n > k: return n;
    case &Add(_, _): return 1;
    case &Neg(_): return 2;
    case &Zero: return 3;
    }
    return 0;
}
"#,
    );
}

#[test]
fn unions_and_existentials() {
    check(
        r#"
@tagged union U { int i; char *s; };
int get(union U u) {
    if (tagcheck(u.i)) return u.i;
    int *p = &u.i; //~ E0402
    switch (u) {
    case {.i = n}: return n;
    case {.s = _}: return 1;
    }
    return *p;
}
"#,
    );
}

#[test]
fn exceptions() {
    check(
        r#"
@extensible datatype exn { Mine(int); };
int f(int n) {
    try {
        if (n) throw new Mine(n);
        throw new Match_Exception;
    } catch {
    case &Mine(k): return k;
    case &Null_Exception: return 2;
    case e: throw e;
    }
    throw 3; //~ E1401
    return 0;
}
"#,
    );
}

#[test]
fn formats() {
    check(
        r#"
void f(long l, char *s, char ? t, double d, unsigned u, const char *fmt, void *p) {
    char buf[8];
    int n;
    printf("%d\n", l); //~ E1301
    printf("%ld %s %s %s %g %u %x %zu %p %%\n", l, s, t, buf, d, u, n, sizeof n, p);
    printf("%s", n); //~ E1301
    printf("%d"); //~ E1301
    printf("x", n); //~ E1301
    printf(fmt); //~ E1302
    printf("%n", &n); //~ E1301
    printf("%*d %.*s", n, n, n, s);
    scanf("%d %7s", &n, buf);
    scanf("%s", buf); //~ E1301
    scanf("%8s", buf); //~ E1301
    scanf("%ld", &n); //~ E1301
    printf("%y", n); //~ E1301
}
"#,
    );
}

#[test]
fn function_pointers() {
    check(
        r#"
char *'r first(char *'r s) { return s; }
int one(int *p) { return p ? *p : 0; }
int sure(int @p) { return *p; }
void f(void) {
    char *(*g)(char *s); 
    int (*h)(int *p) = one;
    int x = 3;
    h(&x);
    h = &one;
    h = sure; //~ E0401
    int (*k)(int @p) = one;
    k(&x);
    g = 0;
    if (g) {}
}
"#,
    );
}

#[test]
fn arenas() {
    check(
        r#"
struct n { int v; };
int f(void) {
    struct n *out = NULL;
    region<'r> h;
    struct n *p = rnew(h) { 3 };
    int ? a = rnew(h) { for i < 10 : 0 };
    a[0] = p->v;
    out = p; //~ E0601
    return out->v;
}
"#,
    );
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("int f(int a) {{ return {}a{}; }}", "(1 + ".repeat(300), ")".repeat(300));
    check(&deep);
    let _ = Symbol::intern("x");
}

#[test]
fn variable_arguments() {
    let d = dump(
        r#"
datatype Arg { I(int); S(const char ?); D(double); };
int total(int first, ...int rest) { return first + (int)numelts(rest) + rest[0]; }
void show(const char ? f, ...inject datatype Arg @ args);
void f(double x) {
    total(1, 2, 3, 'c');
    show("x", 1, "abc", x);
}
"#,
    );
    has(&d, "...int 2:int, 3:int");
    has(&d, "datatype Arg.I{0: 1:int}");
    has(&d, "datatype Arg.D{0: x_0}");
}

#[test]
fn contracts() {
    check(
        r#"
int half(int n) @requires(n > 0) @ensures(result < n) { return n / 2; }
void f(int n) @requires(n + 1 > 0) @ensures(n) { @assert(n > 1); }
int g(int n) @requires(result > 0) { return n; } //~ E0301
"#,
    );
}

#[test]
fn odd_programs_do_no_harm() {
    check(
        r#"
struct node { int v; struct node *next; };
datatype T { A(int); };
int *gp = &(int){3};
int garr[] = {for i < 4 : 1}; //~ E0900
int gs = ({ 1; }); //~ E0206
void f(datatype T *t, struct node n) {
    datatype T.A ? as = NULL;
    datatype T ? ts = as; //~ E0401
    (void)*t; //~ E0305
    n.next->next->v = sizeof(n);
    int (*rows)[4] = NULL;
    rows[0][3] = 1;
    rows[1][0] = 1; //~ E0502
    int m[3][4] = {0};
    m[2][3] = m[1][0];
    m[3][0] = 1; //~ E0503
    unsigned char ? u = malloc(10);
    u[0] = (n.v ?: 4);
    auto q = &n;
    q->v = 1;
    typeof(n.v) w = 3;
    int k[n.v];
    k[0] = w;
    int c = _Generic(w, int: 1, default: 2) + _Generic(q->next, struct node *: 3);
    bool b = q;
    b = 0.5;
    c = b ? 1 : 2.5;
    struct node *z = b ? NULL : q;
    z = b ? q : n.next;
    n = (struct node){ .v = c, .next = 0 };
    n = 3; //~ E0401
    k = 0; //~ E0405
    f(t, n, 3); //~ E0404
    int *bp = &n.v + 1; //~ E0502
    char *sp = "lit" + 1;
    long diff = &m[2][1] - &m[0][0]; //~ E0502
    if (z && bp && sp && diff) {}
}
"#,
    );
}

#[test]
fn existentials() {
    check(
        r#"
struct Buf { <'n> tag_t<'n> n; int *{valueof('n)} p; };
int total(tag_t<'n> n, int *{valueof('n)} p);
int *gp;
int use(struct Buf b, int *{8}'H a) {
    struct Buf c = { 8, a };
    let Buf{<'m> n, p} = b;
    int s = total(n, p);
    b = c;
    return s + p[0];
}
struct Box { <'r> int *'r p; };
void hide(struct Box *b) {
    int x = 1;
    *b = (struct Box){ &x };
}
"#,
    );
}

#[test]
fn messages_show_both_ends() {
    let (_, _, words) =
        infer("char *skip(char *p) { return p; }\nint *f(void) { int x; int *q = &x; return q; }");
    has(&words, "name the region in the signature: `char *'r skip(char *'r p)`");
    has(&words, "`x` is declared here and lives until the end of the function");
    has(&words, "2: points to `x`");
}
