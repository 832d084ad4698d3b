//! C as C programs have it.

use super::{gives, parse, sound, stmt_gives};

#[test]
fn declarators() {
    gives("int x;", "(decl x: int)");
    gives("int *a[3];", "(decl a: (array 3 (* int)))");
    gives("int (*a)[3];", "(decl a: (* (array 3 int)))");
    gives(
        "void (*signal(int sig, void (*h)(int)))(int);",
        "(decl signal: (func (sig: int, h: (* (func (int) void))) (* (func (int) void))))",
    );
    gives("const char *const p = \"a\" \"b\";", "(decl p: (* const const char) = \"a\" \"b\")");
    gives(
        "int a[static 3], b[*], c[];",
        "(decl a: (array static 3 int), b: (array * int), c: (array int))",
    );
    gives(
        "unsigned long long int x, *y;",
        "(decl x: unsigned long long, y: (* unsigned long long))",
    );
    gives("long unsigned x; short int y;", "(decl x: unsigned long)\n(decl y: short)");
    gives("int f(void), g();", "(decl f: (func () int), g: (func (unspecified) int))");
    gives("int printf(const char *, ...);", "(decl printf: (func ((* const char) ...) int))");
    gives(
        "_Alignas(16) int x; _Atomic(int) y; _Atomic int z;",
        "(decl x: (alignas 16) int)\n(decl y: _Atomic (typeof-type int))\n(decl z: _Atomic int)",
    );
}

#[test]
fn typedef_names() {
    gives(
        "typedef int T; T x; T *f(T);",
        "(decl typedef T: int)\n(decl x: T)\n(decl f: (func (T) (* T)))",
    );
    stmt_gives(
        "typedef int T; T * x; { int T = 3, x; T * x; }",
        "(decl typedef T: int)\n(decl x: (* T))\n(block)\n  (decl T: int = 3, x: int)\n  (* T x)",
    );
    // A member and a label named like a type; a parameter that shadows one.
    gives(
        "typedef int T; struct S { unsigned T; T T2; };",
        "(decl typedef T: int)\n(decl struct S {\n  (field T: unsigned)\n  (field T2: T)\n})",
    );
    let dump = sound("typedef int T; int f(int T) { return T * 2; } T g(T (T)) { return (T)(1); }");
    assert!(dump.contains("(return (* T 2))"), "{dump}");
    // `T g(T (T))`: a function that takes a function.
    assert!(dump.contains("g: (func ((func (T) T)) T)"), "{dump}");
    let dump =
        sound("typedef int T; void f(void) { for (T T = 0; T < 3; T++) g(T); T y; T: y = (T)1; }");
    assert!(dump.contains("(decl y: T)") && dump.contains("(label T)"), "{dump}");
    stmt_gives(
        "typedef int T; sizeof(T); sizeof(T){1}; (T)-1; (x)-1;",
        "(decl typedef T: int)\n(sizeof-type T)\n(sizeof (literal T {1}))\n(cast T (- 1))\n(- (paren x) 1)",
    );
}

#[test]
fn expressions() {
    stmt_gives("a = b + c * d - e;", "(= a (- (+ b (* c d)) e))");
    stmt_gives("a = b = c;", "(= a (= b c))");
    stmt_gives("a || b && c | d ^ e & f == g;", "(|| a (&& b (| c (^ d (& e (== f g))))))");
    stmt_gives("x ? y : z ? 1 : 2;", "(?: x y (?: z 1 2))");
    stmt_gives("x ?: y;", "(?: x y)");
    stmt_gives("a[1].b->c++(2, 3);", "(call (post++ (->c (.b (index a 1)))) 2 3)");
    stmt_gives("-*&!~+x;", "(- (* (& (! (~ (+ x))))))");
    stmt_gives(
        "sizeof x + 1; sizeof(int *); _Alignof(int);",
        "(+ (sizeof x) 1)\n(sizeof-type (* int))\n(alignof-type int)",
    );
    stmt_gives(
        "(struct S){1, .x = 2, [3] = 4, [5 ... 6] = {7}}.x;",
        "(.x (literal struct S {1, .x = 2, [3] = 4, [5 ... 6] = {7}}))",
    );
    stmt_gives(
        "_Generic(x, int: 1, char *: 2, default: 3);",
        "(generic x (int 1) ((* char) 2) (default 3))",
    );
    stmt_gives("({ int y = 1; y; });", "(block\n  (decl y: int = 1)\n  y\n)");
    stmt_gives(
        "__builtin_offsetof(struct S, a.b[2]); __builtin_va_arg(ap, int *);",
        "(offsetof struct S .a.b[2])\n(va_arg (* int) ap)",
    );
    stmt_gives(
        "__builtin_types_compatible_p(int, char); __builtin_choose_expr(1, 2, 3);",
        "(__builtin_types_compatible_p int char)\n(call __builtin_choose_expr 1 2 3)",
    );
    stmt_gives(
        "a <<= 1, b >>= 2; true; nullptr; NULL;",
        "(, (<<= a 1) (>>= b 2))\ntrue\nnull\nnull",
    );
    stmt_gives("x < y > (z);", "(> (< x y) (paren z))");
}

#[test]
fn statements() {
    stmt_gives(
        "if (a) b; else if (c) d; else { }",
        "(if a)\n  b\n(else)\n  (if c)\n    d\n  (else)\n    (block)",
    );
    stmt_gives(
        "for (int i = 0; i < 3; i++) ; for (;;) break; while (1) continue; do x; while (y);",
        "(for)\n  (decl i: int = 0)\n  (cond (< i 3))\n  (step (post++ i))\n  (empty)\n(for)\n  (no-init)\n  (cond)\n  (step)\n  (break)\n(while 1)\n  (continue)\n(do-while y)\n  x",
    );
    stmt_gives(
        "switch (x) { case 1: case 2 ... 5: y; default: break; case A + 1: }",
        "(switch x)\n  (block)\n    (case (const 1))\n      (case (range 2 5))\n        y\n    (default)\n      (break)\n    (case (const (+ A 1)))\n      (empty)",
    );
    stmt_gives(
        "goto end; end: int x; { last: }",
        "(goto end)\n(label end)\n  (decl x: int)\n(block)\n  (label last)\n    (empty)",
    );
    stmt_gives(
        "[[fallthrough]]; __attribute__((fallthrough)); static_assert(1); _Static_assert(1, \"m\");",
        "(fallthru)\n(fallthru)\n(static-assert 1)\n(static-assert 1 \"m\")",
    );
    stmt_gives(
        "__asm__ volatile (\"nop\" : : \"r\"(x)); asm(\"\");",
        "(unsupported asm)\n(unsupported asm)",
    );
    stmt_gives("__extension__ int x = __extension__ 3;", "(decl x: int = 3)");
}

#[test]
fn records_and_enums() {
    gives(
        "struct S { int a, *b : 3; unsigned : 0; union { int c; float d; }; struct T *t; } s;",
        "(decl s: struct S {\n  (field a: int)\n  (field b: (* int) bits 3)\n  (field unsigned bits 0)\n  (field union {\n    (field c: int)\n    (field d: float)\n  })\n  (field t: (* struct T))\n})",
    );
    gives(
        "enum E { A, B = 3, C, }; enum F : unsigned char { D };",
        "(decl enum E {A, B = 3, C})\n(decl enum F : unsigned char {D})",
    );
    gives(
        "struct __attribute__((packed, aligned(8))) P { } __attribute__((__unused__));",
        "(decl struct P [[packed]] [[aligned(8)]] [[unused]] {\n})",
    );
    gives(
        "struct S { _Static_assert(1, \"x\"); int z[0]; };",
        "(decl struct S {\n  (static-assert 1 \"x\")\n  (field z: (array 0 int))\n})",
    );
}

#[test]
fn gnu_and_c23() {
    gives(
        "extern int f(int) __asm__(\"g\" \"h\") __attribute__((__nothrow__, __format__(__printf__, 1, 2)));",
        "(decl extern f: (func (int) int) [[nothrow]] [[format(printf, 1, 2)]] asm(\"gh\"))",
    );
    gives(
        "auto x = 3; constexpr int y = 4; typeof(x) z; typeof_unqual(const int) w; __typeof__(int *) v;",
        "(decl auto x: auto = 3)\n(decl constexpr y: int = 4)\n(decl z: (typeof x))\n(decl w: (unqual (typeof-type const int)))\n(decl v: (typeof-type (* int)))",
    );
    gives(
        "[[nodiscard]] int f(int, [[maybe_unused]] int b) { return 0; }",
        "(define f: (func (int, b: int [[maybe_unused]]) int) [[nodiscard]])\n  (return 0)",
    );
    gives(
        "_Float128 a; __int128 b; unsigned __int128 c; double _Complex d; __builtin_va_list e; _Thread_local int g;",
        "(decl a: _Float128)\n(decl b: __int128)\n(decl c: unsigned __int128)\n(decl d: _Complex)\n(decl e: va_list)\n(decl thread_local g: int)",
    );
    gives(
        "static inline __attribute__((always_inline)) int f(void) { return 1; }",
        "(define static inline f: (func () int) [[always_inline]])\n  (return 1)",
    );
    gives("int a[] = {}; struct S s = {};", "(decl a: (array int) = {})\n(decl s: struct S = {})");
}

#[test]
fn toft_words_are_names_in_c() {
    sound(
        "int new = 3; int region, reap, let; int test(int alias) { return alias; }\n\
        int f(int try, int catch) { int using = try; namespace = 2; new = new * 2; let = 3; region = 1;\n\
        if (region < let) return throw; open(path, 0); fallthru = using; defend(1); abstract++;\n\
        x->new = p.region; goto test; test: shared = as; return new - 1; }\n\
        struct datatype { int throw; struct test *open; }; enum { using, inject = 3 };\n\
        int numelts(int x) { return numelts(3); } int throw(int x) { return throw (x); }",
    );
    stmt_gives("int new = 1; new (2); new -1;", "(decl new: int = 1)\n(call new 2)\n(- new 1)");
    stmt_gives(
        "test(1); let(2); region(3); throw = 1;",
        "(call test 1)\n(call let 2)\n(call region 3)\n(= throw 1)",
    );
    let (_, errors) = super::parse_as(
        "extern int new(int); int f(void) { return throw (1) + rnew(2); } typedef struct region *test;",
        toft_base::FileKind::Foreign,
    );
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn undeclared_type_names_are_left_to_the_resolver() {
    gives(
        "foo x; foo *y; bar f(baz z, qux *w);",
        "(decl x: foo)\n(decl y: (* foo))\n(decl f: (func (z: baz, w: (* qux)) bar))",
    );
    stmt_gives(
        "foo x = 1; foo *y = 0; (foo *)z; (foo)z; foo * y2;",
        "(decl x: foo = 1)\n(decl y: (* foo) = 0)\n(cast (* foo) z)\n(cast foo z)\n(decl y2: (* foo))",
    );
    let (_, errors) = parse("struct S { uint32_t a; size_t *b; };");
    assert!(errors.is_empty());
}

#[test]
fn dumps_can_show_spans() {
    let sess = toft_diag::Session::new(Default::default());
    let tokens = super::lex::tokens(&sess, "int x = 1;", toft_base::FileKind::User);
    let unit = crate::run(&sess, &tokens);
    assert_eq!(toft_ast::dump::unit(&unit, true), "(decl x: int = 1)  ; 1..11\n");
}
