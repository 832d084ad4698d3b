//! Bodies: scopes, regions of blocks, switches, jumps.

use super::harness::*;

#[test]
fn locals_and_blocks() {
    let dump = dump_func(
        "int f(int a, char *s) { int b = a; { int b = 2; a = b; } for (int i = 0; i < b; i++) { a += i; } return a + *s; }",
        "f",
    );
    assert!(dump.contains("param _1 s: *'_ char @ 'b0") || dump.contains("param _1 s:"), "{dump}");
    assert!(dump.contains("region 'b1 in 'b0: Block"), "{dump}");
    assert!(dump.contains("let _2 = _0;"), "{dump}");
    assert!(dump.contains("(_0 = _3);"), "{dump}");
}

#[test]
fn c_switch_stays() {
    let dump = dump_func(
        "enum e { A, B }; int f(int x) { switch (x) { case A: case B + 1: x = 1; break; case 7 ... 9: default: x = 2; } return x; }",
        "f",
    );
    assert!(dump.contains("switch _0"), "{dump}");
    assert!(dump.contains("case 7 ... 9:"), "{dump}");
}

#[test]
fn duff() {
    accept(
        "void f(char ?to, const char ?from, int n) { switch (n % 4) { case 0: do { *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++; } while ((n -= 4) > 0); } }",
    );
}

#[test]
fn match_on_variants() {
    let dump = dump_func(
        "datatype t { Leaf; Node(int, datatype t *); };
         int f(datatype t *x) { switch (x) { case &Leaf: return 0; case &Node(n, rest) && n > 3: return n; case &Node(n, _): return -n; case NULL: return 1; } return 2; }",
        "f",
    );
    assert!(dump.contains("match _0 {"), "{dump}");
    assert!(dump.contains("case &t.Node(_1, _2) && (_1 > 3):"), "{dump}");
    assert!(dump.contains("case NULL:"), "{dump}");
}

#[test]
fn match_falls_through_as_c_does() {
    let dump = dump_func(
        "datatype t { A; B; C(int); };
         int f(datatype t *x) { int r = 0; switch (x) { case &A: r++; case &B: r++; break; case &C(n): r = n; break; default: break; } return r; }",
        "f",
    );
    assert!(dump.contains("fallthru;"), "{dump}");
    refuse(
        "datatype t { A; C(int); };
         int f(datatype t *x) { int r = 0; switch (x) { case &A: r++; case &C(n): r = n; break; default: break; } return r; }",
        "E0806",
        "binds",
    );
    accept(
        "datatype t { A; C(int); };
         int f(datatype t *x) { switch (x) { case &A: while (1) { } case &C(n): return n; default: return 0; } }",
    );
}

#[test]
fn labels() {
    accept("void f(void) { goto out; out: ; }");
    refuse("void f(void) { goto out; }", "E0306", "no label `out`");
    refuse("void f(void) { a: ; a: ; }", "E0306", "twice");
}

#[test]
fn jumps_need_a_place() {
    refuse("void f(void) { break; }", "E0704", "break");
    refuse("void f(int x) { switch (x) { case 1: continue; } }", "E0704", "continue");
    refuse("void f(void) { case 1: ; }", "E0704", "case");
}

#[test]
fn catches() {
    let dump = dump_func(
        "datatype exn { Mine(int); };
         int f(void) { try { throw new Mine(3); } catch { case &Mine(n): return n; case &Null_Exception: return 1; default: return 2; } return 0; }",
        "f",
    );
    assert!(dump.contains("throw new exn.Mine(3)"), "{dump}");
    assert!(dump.contains("case &exn.Null_Exception():"), "{dump}");
}

#[test]
fn static_locals_are_globals() {
    has(
        "int f(void) { static int n = 3; return n++; } int g(void) { static int n; { static int n; n = 1; } return n; }",
        &["static f.n: int = 3", "static g.n: int", "static g.n.2: int"],
    );
}

#[test]
fn variable_length_arrays() {
    let dump = dump_func(
        "int f(int n) { int a[n + 1]; const int k = 3; int b[k]; return a[0] + b[0]; }",
        "f",
    );
    assert!(dump.contains("int[(_0 + 1)]"), "{dump}");
    assert!(dump.contains("int [3]"), "{dump}");
}

#[test]
fn inferred_lengths() {
    has(
        "int a[] = {1, 2, 3}; char s[] = \"abc\"; const char *names[] = {\"x\", \"y\"}; int n = sizeof a / sizeof a[0]; int b[sizeof s];",
        &["a: int [3]", "s: char [4]", "names: const char *[2]", "b: int [4]"],
    );
}

#[test]
fn typeof_and_auto() {
    let dump = dump_func(
        "int f(int x) { typeof(x) y = x; auto z = y; typeof(y) *p = &z; return *p; }",
        "f",
    );
    assert!(dump.contains("typeof(_0)"), "{dump}");
    assert!(dump.contains("auto"), "{dump}");
}

#[test]
fn unused_variables() {
    refuse("void f(void) { int x; }", "W0702", "`x` is never used");
    accept("void f(int p) { int _x; [[maybe_unused]] int y; }");
}

#[test]
fn func_name() {
    let dump = dump_func("const char *f(void) { return __func__; }", "f");
    assert!(dump.contains("return \"f\";"), "{dump}");
}

#[test]
fn order_does_not_matter() {
    accept("int f(void) { return g() + h; } int g(void) { return 1; } int h = 2;");
    accept("struct a *p; int f(struct a *q) { return q->x + p->x; } struct a { int x; };");
}

#[test]
fn tests_are_functions() {
    let program = accept("test \"adds\" { int x = 1; @assert(x == 1); }");
    assert_eq!(program.tests.len(), 1);
    assert_eq!(program.tests[0].0.as_str(), "adds");
}

#[test]
fn statement_expressions_and_compound_literals() {
    let dump = dump_func(
        "struct p { int x, y; }; int f(int n) { struct p *q = &(struct p){ .y = n }; return ({ int t = q->y; t + 1; }); }",
        "f",
    );
    assert!(dump.contains("{.y = _0} @ 'b0"), "{dump}");
}

#[test]
fn contracts() {
    has(
        "int f(int n) @requires(n > 0) @ensures(result >= n); int f(int n) { return n; }",
        &["@requires((_0 > 0))", "@ensures((_1 >= _0))"],
    );
}
