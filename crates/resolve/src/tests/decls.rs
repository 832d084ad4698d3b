//! Declarations: types, defaults, generics, linkage.

use super::harness::*;
use toft_ty::*;

fn param(text: &str, n: usize) -> (Vec<GenericParam>, Ty) {
    let program = accept(text);
    let func = program.funcs.iter().find(|func| func.name.as_str() == "f").expect("f");
    (func.generics.clone(), func.sig.params[n])
}

fn ptr(ty: Ty) -> PtrTy {
    *ty.as_ptr().expect("a pointer")
}

#[test]
fn pointer_defaults() {
    let (generics, ty) = param("void f(char *s);", 0);
    assert_eq!(generics.len(), 1);
    assert!(generics[0].implicit && generics[0].kind == Kind::Region);
    let p = ptr(ty);
    assert!(p.zeroterm && p.nullable && p.bounds == Bounds::Thin(IntExpr::Const(0)));
    assert_eq!(p.region, Region::Param(0));
    let p = ptr(param("void f(int *s);", 0).1);
    assert!(!p.zeroterm && p.bounds == Bounds::Thin(IntExpr::Const(1)));
    let p = ptr(param("void f(unsigned char *s);", 0).1);
    assert!(!p.zeroterm);
    let p = ptr(param("void f(char ?s);", 0).1);
    assert!(!p.zeroterm && p.bounds == Bounds::Fat);
    let p = ptr(param("void f(const char @s);", 0).1);
    assert!(p.zeroterm && !p.nullable && p.quals.is_const);
    let p = ptr(param("void f(char *@nozeroterm s);", 0).1);
    assert!(!p.zeroterm && p.bounds == Bounds::Thin(IntExpr::Const(1)));
    let p = ptr(param("void f(int *{5} s);", 0).1);
    assert_eq!(p.bounds, Bounds::Thin(IntExpr::Const(5)));
}

#[test]
fn array_parameters() {
    assert_eq!(ptr(param("void f(int a[]);", 0).1).bounds, Bounds::Fat);
    assert_eq!(ptr(param("void f(int a[7]);", 0).1).bounds, Bounds::Thin(IntExpr::Const(7)));
    assert_eq!(ptr(param("void f(int n, int a[n]);", 1).1).bounds, Bounds::Fat);
    let (generics, ty) = param("int f(tag_t<'n> n, int a[n]);", 1);
    assert_eq!(ptr(ty).bounds, Bounds::Thin(IntExpr::Param(0)));
    assert_eq!((generics[0].kind, generics[1].kind), (Kind::Int, Kind::Region));
}

#[test]
fn regions_of_signatures() {
    let (generics, ty) = param("char *'r f(char *'r a, char *b);", 1);
    assert_eq!(generics.len(), 2);
    assert_eq!(generics[0].name.as_str(), "r");
    assert_eq!(ptr(ty).region, Region::Param(1));
    let program = accept("int *f(int *p);");
    let func = program.funcs.iter().find(|func| func.name.as_str() == "f").expect("f");
    assert_eq!(ptr(func.sig.ret).region, Region::Heap);
    // One region for each layer, inside type arguments too.
    let (generics, _) = param(
        "struct l<'a,'r> { 'a x; struct l<'a,'r> *'r next; }; void f(struct l<int *> *p);",
        0,
    );
    assert_eq!(generics.len(), 3);
}

#[test]
fn function_types_bind_their_own() {
    let (generics, ty) = param("void f(int (*g)(int *, char *'r), int *'s p);", 0);
    assert_eq!(generics.len(), 1, "{generics:?}");
    let g = ptr(ty).elem.as_func().expect("a function");
    assert_eq!(g.binder.len(), 2);
    assert_eq!(ptr(g.params[0]).region, Region::Bound(0, 0));
    assert_eq!(ptr(g.params[1]).region, Region::Bound(0, 1));
    // A variable of the outer signature is the outer's.
    let (_, ty) = param("void f(int (*g)(int *'r), int *'r p);", 0);
    let g = ptr(ty).elem.as_func().expect("a function");
    assert!(g.binder.is_empty());
    assert_eq!(ptr(g.params[0]).region, Region::Param(0));
}

#[test]
fn main_and_argv() {
    let program = accept("int main(int argc, char **argv) { return argc; }");
    let main = &program.funcs[program.main.expect("main")];
    assert!(main.generics.is_empty());
    let argv = ptr(main.sig.params[1]);
    assert_eq!(argv.bounds, Bounds::Fat);
    assert!(ptr(argv.elem).zeroterm);
    let program = accept("int main(int argc, char *argv[]) { return argc; }");
    assert!(program.main.is_some());
}

#[test]
fn generic_structs_in_any_order() {
    has(
        "struct list<'a,'r> f(struct list<int> *x); struct list<'a,'r> { 'a hd; struct list<'a,'r> *'r tl; };",
        &["struct list<'a::A, 'r::R> { hd: 'a, tl: struct list<'a,'r> *'r }"],
    );
    refuse("struct p<'a> { 'a x; }; struct p<int,int> q;", "E1001", "takes 1 generic argument");
    refuse("struct p<'a> { 'a x; }; struct p q;", "E1001", "0 are given");
}

#[test]
fn generic_typedefs() {
    has(
        "struct list<'a> { 'a hd; struct list<'a> *tl; }; typedef struct list<'a> *list_t<'a>; list_t<int> x;",
        &["x: struct list<int> *"],
    );
}

#[test]
fn existentials() {
    has(
        "struct vec { <'n> tag_t<'n> n; int *{valueof('n)} p; };",
        &["exists <'n::I>", "p: int *{valueof('n)}"],
    );
    let dump = dump_func(
        "struct clo { <'a> 'a env; int (@f)('a); }; int f(struct clo c) { let clo{<'b> env, fn} = c; return fn(env); }",
        "f",
    );
    assert!(dump.contains("clo<'1::Any>") || dump.contains("clo<'0::Any>"), "{dump}");
}

#[test]
fn enums() {
    has(
        "enum e { A, B = 5, C, D = C * 2 - 1 }; enum big { X = 0xffffffff }; int a[D];",
        &["A = 0, B = 5, C = 6, D = 11,", "enum big: unsigned int", "a: int [11]"],
    );
}

#[test]
fn constants() {
    accept(
        "_Static_assert(sizeof(int) == 4 && sizeof(char *) == 8 && sizeof(char ?) == 16, \"sizes\");",
    );
    accept(
        "static const int N = 4; constexpr int M = N * 2; int a[M]; _Static_assert(sizeof a == 32, \"\");",
    );
    accept(
        "struct s { char c; int i; struct { short t; }; }; _Static_assert(__builtin_offsetof(struct s, t) == 8, \"\");",
    );
    accept(
        "_Static_assert(-1 < 0u == 0 && (unsigned char)300 == 44 && (-7) / 2 == -3 && ~0u == 4294967295u, \"\");",
    );
    accept("_Static_assert('a' == 97 && '\\n' == 10 && 1 ? 2 : 1 / 0, \"\");");
    refuse("_Static_assert(1 == 2, \"no\");", "E0310", "no");
    refuse("int a[1 / 0];", "E0511", "");
    refuse("int a[1 << 40];", "E0511", "");
    refuse("int a[-1];", "E0308", "negative");
    refuse("int a[0];", "E0308", "without elements");
    refuse("int n; int a[n];", "E0307", "constant");
    refuse("struct s { int x : 40; };", "E0308", "40 bits");
    refuse("struct s { int x : 0; };", "E0308", "width 0");
}

#[test]
fn linkage() {
    accept(
        "int x; int x; extern int x; int x = 1; int f(int); int f(int y) { return y; } int f(int);",
    );
    refuse("int x = 1; int x = 2;", "E0302", "`x`");
    refuse("int f(void) { return 1; } int f(void) { return 2; }", "E0302", "`f`");
    refuse("int x; long x;", "E0303", "disagree");
    refuse("int f(int); int f(long);", "E0303", "disagree");
    refuse("int f(int); static int f(int x) { return x; }", "E0303", "static");
    refuse("int f(int); int f;", "E0303", "as a variable");
    accept("static int f(int); int f(int x) { return x; }");
    accept("extern int a[]; int a[5];");
}

#[test]
fn files_share_externals_only() {
    let done = resolve_all(
        &[
            "int f(int x) { return g(x); } static int s; struct n { int a; }; int use(struct n *p) { return p->a + s; }",
            "int g(int x) { return x; } static long s; struct n { long b; }; long use2(struct n *p) { return p->b + s; }",
        ],
        Vec::new(),
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
}

#[test]
fn records() {
    refuse("struct a { struct a x; };", "E0309", "contains itself");
    refuse("struct a { struct b x; }; struct b { struct a y; };", "E0309", "contains itself");
    refuse("struct a { struct b x; };", "E0305", "not known");
    refuse("struct a { int x; int x; };", "E0302", "`x`");
    refuse("struct a { int x; }; struct a { int y; };", "E0302", "`a`");
    refuse("union u { int *p; long n; };", "E0512", "pointer");
    accept("@tagged union u { int *p; long n; }; union v { int a; float b; char c[4]; };");
    refuse("struct s { int n; }; union s *p;", "E0311", "declared as `struct s`");
    refuse("void f(void) { struct q x; x = x; }", "E0305", "variable");
    has(
        "struct __attribute__((packed)) s { char c; int i; } ; int a[sizeof(struct s)];",
        &["a: int [5]", "packed"],
    );
    has("struct s { _Alignas(16) char c; }; int a[sizeof(struct s)];", &["a: int [16]"]);
    has("typedef struct { int x; } point; point p;", &["struct point"]);
}

#[test]
fn bit_fields() {
    has(
        "struct s { unsigned a : 3, b : 5; int : 0; int c; }; int n[sizeof(struct s)];",
        &["a: unsigned int : 3", "n: int [8]"],
    );
}

#[test]
fn typedefs() {
    accept("typedef int t; typedef int t; void f(void) { int t = 1; t++; } t x;");
    refuse("typedef int t; typedef long t;", "E0303", "disagree");
    has("typedef int fn(int *); fn g; int use(fn *h) { return h == g; }", &["g<"]);
    has("typedef const char *cs; cs x; const cs y;", &["x: const char *"]);
}

#[test]
fn namespaces() {
    let program = accept(
        "namespace A { int x; namespace B { int f(void) { return x; } } }
         int g(void) { return A::x + A::B::f() + ::A::x; }
         using A { int h(void) { return x; } }
         namespace A { int y(void) { return x + B::f(); } }",
    );
    assert!(program.funcs.iter().any(|func| func.name.as_str() == "A::B::f"));
    refuse("namespace A { int x; } int f(void) { return A::z; }", "E0301", "A::z");
}
