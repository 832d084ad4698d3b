//! From source text to MIR: every body the front end accepts lowers to a valid one.

use toft_base::FileKind;
use toft_diag::Session;
use toft_diag::{Severity, session::Options};
use toft_pp::{Env, Include, IncludeError};
use toft_resolve::UnitInput;

struct Bare;

impl Env for Bare {
    fn include(&mut self, _: &Session, _: &Include<'_>) -> Result<toft_base::FileId, IncludeError> {
        Err(IncludeError::NotFound { searched: Vec::new() })
    }
    fn exists(&mut self, _: &Session, _: &Include<'_>) -> bool {
        false
    }
    fn predefined(&mut self) -> String {
        "#define NULL ((void *)0)\n".into()
    }
}

fn unit(sess: &Session, name: &str, text: &str, kind: FileKind) -> UnitInput {
    let file = sess
        .map
        .borrow_mut()
        .add_file(name.into(), name.into(), text.into(), kind)
        .unwrap_or_else(|_| panic!("text too large"));
    let tokens = toft_pp::run(sess, file, &mut Bare);
    let prelude = kind == FileKind::Library;
    UnitInput { file, unit: toft_parse::run(sess, &tokens), prelude }
}

/// The bodies of the program's functions as text, and what was said.
fn lower_all(text: &str) -> (Vec<(String, String)>, Vec<String>) {
    let sess = Session::new(Options::default());
    let prelude = include_str!("../../../lib/core/prelude.toft");
    let units = vec![
        unit(&sess, "prelude.toft", prelude, FileKind::Library),
        unit(&sess, "test.toft", text, FileKind::User),
    ];
    let program = toft_resolve::run(&sess, &units);
    let mut decls = toft_lower::decls(&sess, &program);
    for id in program.globals.ids() {
        if let Ok(Some(value)) = toft_infer::global_init(&sess, &program, id) {
            let _ = toft_lower::add_global_init(&sess, &mut decls, id, &value);
        }
    }
    let mut bodies = Vec::new();
    let mut broken = Vec::new();
    for (id, func) in program.funcs.iter_enumerated() {
        if func.body.is_none() {
            continue;
        }
        if let Ok(func) = toft_infer::run(&sess, &program, id) {
            let body = toft_lower::run(&sess, &decls, &func);
            for violation in toft_mir::validate::validate(&decls, &body) {
                broken.push(format!("{}: {violation}", func.name));
            }
            bodies.push((func.name.to_string(), toft_mir::text::print(&body)));
        }
    }
    let mut said: Vec<String> = sess
        .take()
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| format!("{} {}", d.code.id, d.message))
        .collect();
    said.extend(broken);
    (bodies, said)
}

#[track_caller]
fn good(text: &str) -> String {
    let (bodies, said) = lower_all(text);
    let shown: Vec<String> = bodies.into_iter().map(|(_, text)| text).collect();
    let shown = shown.join("\n");
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{shown}");
    }
    assert!(said.is_empty(), "{said:#?}\n{shown}");
    shown
}

#[track_caller]
fn refused(text: &str, code: &str) {
    let (_, said) = lower_all(text);
    assert!(said.iter().any(|line| line.starts_with(code)), "{said:#?}");
}

#[test]
fn arithmetic_and_conversions() {
    good("int f(int a, unsigned b, long c, double d, char e, _Bool g) {
            a += e; a <<= b & 31; c = a / (int)b; d = c * 1.5; e++; e = (char)(e - 1); g = d; g++; g--;
            a = d; b = ~b; a = -a; a = !g; a %= 7; d /= 3; c >>= 2; a = a > b ? 1 : 2; float f = d; f += 1;
            return a + (int)c + (g ? e : !a) + (a && b || c); }");
}

#[test]
fn pointers_and_arrays() {
    good("struct P { int x; int *p; struct P *next; char name[8]; };
          int f(struct P *p, int *q, int ? v, int n, char *s, const char ? t, struct P *'H h, int *'H hq) {
            int a[10]; struct P local = { 1, hq, h };
            a[0] = 1; a[n] = *q; v[n] = a[n] + p->x; p->next->x = v[1]; *v++ = 3; v += 2; v--;
            local.p = hq; local.next = h; a[n]++; p->name[n] = 'c'; (*p).x += 2;
            while (*s) s++;
            n += t[n]; n = s[0]; if (q) n = *q; if (!p || p->x) return 0; if (v == NULL) return 1;
            int *e = &a[n]; int ? w = a; w[n] = 2; w = v + n; n = (int)(w - v);
            return local.name[2] + *e + (int)numelts(w); }");
}

#[test]
fn zeroterm_writes_are_checked() {
    let text = good("void f(char *s, int i, char c) { s[i] = c; *s = 'x'; s[i] = 0; *s++ = c; }");
    assert_eq!(text.matches("zt-write").count(), 3, "{text}");
}

#[test]
fn control_flow() {
    good("int g(int x);
          int f(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) { if (i == 3) continue; int k = i; if (k > 7) break; s += k; }
            do { int z = n; n -= z > 1 ? 2 : 1; if (n == 5) continue; } while (n > 0);
            switch (n) { case 1: s++; case 2 ... 4: { int y = 1; s += y; break; } default: s = g(s); }
            while (1) { if (g(s)) goto out; int q = g(1); if (q) goto again; s += q; again: s++; }
          out: return s; }");
    good(
        "int duff(int n) { int c = 0; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while ((n -= 4) > 0); } return c; }",
    );
    good("void f(int n) { for (;;) { if (n++ > 3) return; } }");
}

#[test]
fn calls_and_varargs() {
    good("int g(int a, int b) { return a + b; }
          int sum(int n, ...int xs) { int s = 0; for (int i = 0; i < n; i++) s += xs[i]; return s; }
          int f(int x, int (*fp)(int, int)) { int i = 0; return g(i, i++) + fp(x, g(1, x = 2)) + sum(3, x, i, 5) + sum(0); }");
}

#[test]
fn initialisers() {
    good("struct A { int x, y; }; struct B { struct A a; int v[3]; };
          int table[] = {1, 2, 3}; struct B gb = { {1, 2}, {3} }; const char *name = \"hello\"; int *gp = &table[1]; char buf[10] = \"abc\";
          int f(int n) {
            struct B b = { .a = { n, 2 }, .v = { [1] = n } }; struct A as[3] = { {1, 2}, {n, n} };
            char s[] = \"text\"; int z[100] = {0}; struct A c = (struct A){ n, 1 }; int m[2][2] = {{1, 2}, {3, n}};
            c = (struct A){ c.y, c.x }; int *p = (int[]){ 1, 2, n };
            return b.a.x + as[1].y + s[1] + z[n] + c.x + m[1][1]; }");
}

#[test]
fn allocation() {
    good("struct L { int v; struct L *next; };
          struct L *cons(int v, struct L *'H n) { return new (struct L){ v, n }; }
          int f(int n) {
            struct L *l = malloc(sizeof(struct L)); l->v = n; l->next = cons(1, l->next);
            int ? v = malloc(n * sizeof(int)); v[n - 1] = 2; v = realloc(v, 2 * n * sizeof(int));
            int ? w = new {for i < n : i * 2}; int *o = new 5; char *s = malloc(10); char ? t = new \"abc\";
            int vla[n]; vla[1] = 2; int ? d = vla;
            return v[0] + w[1] + *o + s[0] + t[0] + d[1]; }");
}

#[test]
fn exceptions() {
    good("datatype exn { My(int); }; int g(int x);
          int f(int n) {
            int r = 0;
            for (int i = 0; i < n; i++) {
              try { int k = g(i); if (k == 1) continue; if (k == 2) break; if (k == 3) return k; if (k == 4) throw new My(k); r += k; }
              catch { case &Null_Exception: r = 1; break; case &My(x): r += x; break; case e: throw e; }
            }
            try { try { g(1); } catch { case &Array_bounds: r = 2; } } catch { default: r = 3; }
            return r; }");
}

#[test]
fn patterns() {
    good("datatype T { Leaf; Num(int); Node(datatype T *, datatype T *); };
          int sum(datatype T *t) { switch (t) { case NULL: return 0; case &Leaf: return 1; case &Num(n) && n > 3: return n;
             case &Num(n): return -n; case &Node(a, b): return sum(a) + sum(b); } return 0; }
          int f($(int, int) p, int x) { let $(a, b) = p; switch (x) { case 1: a = 2; break; case 5 ... 9: b = 1; break; } return a + b; }
          @tagged union U { int i; double d; };
          int g(union U u) { u.i = 3; switch (u) { case { .i = n }: return n; case { .d = d }: return (int)d; } }");
}

#[test]
fn bad_jumps() {
    refused("void f(int n) { goto l; int a[n]; l: ; }", "E0703");
    refused(
        "int g(void); void f(int n) { switch (n) { try { case 1: g(); } catch { default: ; } } }",
        "E0703",
    );
}

#[test]
fn contracts_tags_and_asserts() {
    good(
        "int f(int x, int y) @requires(x > 0 && y > 0) @ensures(result >= x) { if (x == 3) return x; @assert(y != 2); return x + y; }",
    );
    good("int sum(tag_t<'n> n, int p[n]) { int s = 0; for (unsigned long i = 0; i < n; i++) s += p[i]; return s; }
          int g(void) { int a[4] = {1, 2, 3, 4}; return sum(4, a); }");
}

#[test]
fn unions_bit_fields_and_swaps() {
    good("union W { int i; unsigned u; float f; }; struct B { int a : 3; unsigned b : 5; int c; };
          @tagged union U { int i; int *p; struct { int x, y; } s; };
          int f(union W w, struct B *b, int i, int *'H p) {
            w.f = 1.5; b->a = i; b->b += 2; b->a++; int k = b->b = 7; struct B two = { 1, 2, 3 };
            union U u = { .i = 3 }; u.p = p; u.i = i; u.i += 2; union U v = { .p = p }; u = v; u.s = (typeof(u.s)){ 1, 2 }; u.s.x = 3;
            int x = 1, y = 2; x :=: y; b->c :=: two.c;
            return w.i + k + (tagcheck(u.i) ? u.i : 0); }");
}

#[test]
fn statement_expressions_and_comprehensions() {
    good(
        "int g(int);
          int f(int n) {
            int a[10] = {for i < 10 : i * n}; int m = ({ int t = g(n); t > 0 ? t : -t; });
            int z = n ?: 3; const int *p = (n > 2) ? &a[1] : &m;
            while (({ int q = g(n); q; }) && n--) { int k = (int[]){1, 2, 3}[n]; m += k; }
            return m + *p + z + (n ? g(1) : ({ return 5; 0; })); }",
    );
}

#[test]
fn gotos_both_ways() {
    good(
        "int f(int n) { int i = 0; top: ; { int x = n; if (i++ > x) goto done; { int y = x; if (y) goto top; } } goto top; done: return i; }",
    );
    good(
        "int f(int n) { for (int i = 0; i < n; i++) { int b[n]; for (int j = 0; j < i; j++) { b[j] = j; if (j == 5) goto next; } next: ; } return 0; }",
    );
}

#[test]
fn generics_and_datatypes() {
    good(
        "struct Pair<'a, 'b> { 'a x; 'b y; };
          'a first(struct Pair<'a, 'b> *p) { return p->x; }
          int f(void) { struct Pair<int, double> p = { 1, 2.0 }; return first(&p); }",
    );
    good("datatype E { Int(int); Add(datatype E *, datatype E *); Neg(datatype E *@notnull); };
          int eval(datatype E *@notnull e) { switch (e) { case &Int(n): return n; case &Add(a, b): if (!a || !b) return 0; return eval(a) + eval(b); case &Neg(x): return -eval(x); } }
          int f(void) { datatype E *e = new Add(new Int(1), new Neg(new Int(2))); return e ? eval(e) : 0; }");
}

#[test]
fn strings_and_enums() {
    good("enum C { RED, GREEN = 5, BLUE }; unsigned long len(const char ? s);
          int f(enum C c, char *s) { const char ? t = s; char buf[20]; buf[0] = 'a'; enum C d = c == RED ? BLUE : (enum C)2; c++;
            char *l = \"lit\"; unsigned long n = len(s) + len(\"x\") + len(buf); int k = s[n] == t[n]; for (char *p = s; *p; p++) k++;
            switch (c) { case RED: k++; case GREEN ... BLUE: k--; break; } volatile int v = k; v; (void)v; return v + d + *l; }");
}

#[test]
fn arenas() {
    good(
        "int f(int n) { region<'r> h; int *'r p = rnew(h) n; for (int i = 0; i < n; i++) { region<'s> k; int *'s q = rnew(k) 3; if (*q == i) return *q; if (i == 4) break; } return *p; }",
    );
}

#[test]
fn throws_as_values() {
    good(
        "datatype exn { Bad; }; int f(int n) { int x = n > 0 ? n : throw new Bad; return x; }
          int g(int n) { try { return f(n); } catch { case &Bad: return -1; } }",
    );
}

/// Run by hand: `cargo test --release -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut text = String::from("struct P { int x; struct P *next; };\n");
    for n in 0..4000 {
        text += &format!(
            "int f{n}(struct P *p, int ? v, int n) {{\n int s = 0;\n int a[10];\n\
             for (int i = 0; i < n; i++) {{\n if (i == 3) continue;\n s += v[i] * 2;\n\
             a[i % 10] = s;\n while (p && p->x > i) {{\n p = p->next;\n s++;\n }}\n }}\n\
             switch (s) {{\n case 1: s = a[1]; break;\n case 2: s += p->x; break;\n\
             default: s = n ? s : -s;\n }}\n if (s > 3 && n < 4 || v)\n s <<= 2;\n\
             return s + a[n];\n}}\n"
        );
    }
    let sess = Session::new(Options::default());
    let prelude = include_str!("../../../lib/core/prelude.toft");
    let units = vec![
        unit(&sess, "prelude.toft", prelude, FileKind::Library),
        unit(&sess, "test.toft", &text, FileKind::User),
    ];
    let program = toft_resolve::run(&sess, &units);
    let decls = toft_lower::decls(&sess, &program);
    let mut typed = Vec::new();
    for (id, func) in program.funcs.iter_enumerated() {
        if func.body.is_some() {
            typed.extend(toft_infer::run(&sess, &program, id));
        }
    }
    let start = std::time::Instant::now();
    let mut blocks = 0;
    for func in &typed {
        blocks += toft_lower::run(&sess, &decls, func).blocks.len();
    }
    let time = start.elapsed();
    let lines = text.lines().count();
    println!(
        "{lines} lines, {} functions, {blocks} blocks: {time:?}, {:.0} lines/s",
        typed.len(),
        lines as f64 / time.as_secs_f64()
    );
}
