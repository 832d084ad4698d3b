//! Toft's own constructs.

use super::{gives, sound, stmt_gives};

#[test]
fn pointer_qualifiers() {
    gives(
        "int *@notnull 'r p; int @q; char ?s; int *{4} a; int *@numelts(n + 1) @nozeroterm b;",
        "(decl p: (* @notnull 'r int))\n(decl q: (@ int))\n(decl s: (? char))\n(decl a: (* {4} int))\n(decl b: (* {(+ n 1)} @nozeroterm int))",
    );
    gives(
        "int *\\U'X p; const int *\\RC 'X q; int *@region('r) @aqual(UNIQUE) c; int *'q 'r const d;",
        "(decl p: (* \\U 'X int))\n(decl q: (* \\RC 'X const int))\n(decl c: (* 'r \\U int))\n(decl d: (* 'q 'r const int))",
    );
    gives(
        "int *`r p; int *@region(r) @fat @thin @nullable q; int *@aqual('q) x;",
        "(decl p: (* 'r int))\n(decl q: (* 'r @fat @thin @nullable int))\n(decl x: (* @aqual 'q int))",
    );
    gives(
        "char buf[10] @zeroterm; int main(int argc, char ??argv);",
        "(decl buf: (array @zeroterm 10 char))\n(decl main: (func (argc: int, argv: (? (? char))) int))",
    );
    stmt_gives(
        "(char ?)x; sizeof(int @); (int *@fat)y;",
        "(cast (? char) x)\n(sizeof-type (@ int))\n(cast (* @fat int) y)",
    );
}

#[test]
fn generics() {
    gives(
        "struct L<'a,'r::R> { 'a hd; struct L<'a,'r> *'r tl; }; typedef struct L<'a,'r> *'r list_t<'a,'r>;\n\
        list_t<int,'H> g; list_t<list_t<int,'r>,'r> h; list_t<int*,\\U> k;",
        "(decl struct L<'a, 'r::R> {\n  (field hd: 'a)\n  (field tl: (* 'r struct L<'a, 'r>))\n})\n(decl typedef list_t<'a, 'r>: (* 'r struct L<'a, 'r>))\n(decl g: list_t<int, 'H>)\n(decl h: list_t<list_t<int, 'r>, 'r>)\n(decl k: list_t<(* int), \\U>)",
    );
    gives(
        "'a id<'a>('a x) { return x; } int y = id@<int>(3);",
        "(define id: (func<'a> (x: 'a) 'a))\n  (return x)\n(decl y: int = (call id@<int> 3))",
    );
    gives(
        "'a\\U f('a\\U x; {'r} : 'r > 's, single('r)); int g(;{}); int h(int x : {'a,'b} > 'c);",
        "(decl f: (func (x: 'a\\U) effect {'r} where {'r} > 's where single 'r 'a\\U))\n(decl g: (func () effect {} int))\n(decl h: (func (x: int) where {'a, 'b} > 'c int))",
    );
    gives(
        "struct E { <'a,'n> : 'a > 'n tag_t<'n> n; 'a *{valueof('n)} p; };",
        "(decl struct E { exists<'a, 'n> where {'a} > 'n\n  (field n: tag_t<'n>)\n  (field p: (* {(valueof 'n)} 'a))\n})",
    );
    gives(
        "region_t<'r> h; aqual_t<'q> q; sizeof_t<'a> s; tag_t<3> t; tag_t<valueof('n)+1> u; uregion_key_t<'r> k;",
        "(decl h: region_t<'r>)\n(decl q: aqual_t<'q>)\n(decl s: sizeof_t<'a>)\n(decl t: tag_t<int 3>)\n(decl u: tag_t<int (+ (valueof 'n) 1)>)\n(decl k: uregion_key_t<'r>)",
    );
    gives(
        "int sum(tag_t<'n> n, int p[valueof('n)]) @requires(n > 0) @ensures(1) __attribute__((consume(1)));",
        "(decl sum: (func (n: tag_t<'n>, p: (array (valueof 'n) int)) @requires (> n 0) @ensures 1 [[consume(1)]] int))",
    );
    gives(
        "void f(int x) consume(1) @effect({'r}), g(int x, ...int y), h(...inject struct S *z), i(int x, ...; {});",
        "(decl f: (func (x: int) effect {'r} [[consume(1)]] void), g: (func (x: int ... y: int) void), h: (func ( ...inject z: (* struct S)) void), i: (func (x: int ...) effect {} void))",
    );
}

#[test]
fn data() {
    gives(
        "datatype T<'a> { A(int, 'a); B; C<'b>('b x), }; @extensible datatype exn { Foo(int) }; datatype T<int>.A *p;",
        "(decl datatype T<'a> {A(int, 'a); B; C<'b>(x: 'b)})\n(decl @extensible datatype exn {Foo(int)})\n(decl p: (* datatype T<int>.A))",
    );
    gives(
        "@tagged union U { int a; char *b; }; @packed @tagged union V { int a; } v;",
        "(decl @tagged union U {\n  (field a: int)\n  (field b: (* char))\n})\n(decl v: @packed @tagged union V {\n  (field a: int)\n})",
    );
    gives(
        "$(int, char *) t = $(1, \"x\"); typedef @subset(int x | x > 0) pos_t; abstract struct S { int x; }; shared int n;",
        "(decl t: ($ int (* char)) = ($ 1 \"x\"))\n(decl typedef pos_t: (subset x int (> x 0)))\n(decl abstract struct S {\n  (field x: int)\n})\n(decl shared n: int)",
    );
    stmt_gives(
        "$(a, b) = t; t.0 = 1; t[1]; $(int, int) u;",
        "(= ($ a b) t)\n(= (.0 t) 1)\n(index t 1)\n(decl u: ($ int int))",
    );
}

#[test]
fn allocation() {
    stmt_gives(
        "p = new 3; q = new {for i < n : i * 2}; r = rnew(h) $(1,2); s = rnew(h, \\U) x; t = qnew(unique_qual) {1, 2};",
        "(= p (new 3))\n(= q (new (for i n (* i 2))))\n(= r (new region:h ($ 1 2)))\n(= s (new region:h qual:::unique_qual x))\n(= t (new qual:unique_qual {1, 2}))",
    );
    stmt_gives(
        "new S{1, 2}; new struct S{1}; new (int)3; new E(1, 2); throw new E(3); throw x; new y;",
        "(new (literal S {1, 2}))\n(new (literal struct S {1}))\n(new (cast int 3))\n(new (call E 1 2))\n(throw (new (call E 3)))\n(throw x)\n(new y)",
    );
    stmt_gives(
        "int a[] = {for i < 10 : {for j < 10 : i + j}}; a :=: b; x = c ? throw e : 1;",
        "(decl a: (array int) = (for i 10 (for j 10 (+ i j))))\n(:=: a b)\n(= x (?: c (throw e) 1))",
    );
    stmt_gives(
        "numelts(p); tagcheck(u.m); @assert(x > 0); free(p); f({1, 2}); return {1};",
        "(numelts p)\n(tagcheck (.m u))\n(assert (> x 0))\n(call free p)\n(call f {1, 2})\n(return {1})",
    );
}

#[test]
fn scopes_and_exceptions() {
    stmt_gives(
        "region<'r> h; reap<'s> g; region k; region<'d> o = open(key); { region<'r> h; }",
        "(region<'r> h)\n(reap<'s> g)\n(region k)\n(region<'d> o open (paren key))\n(block)\n  (region<'r> h)",
    );
    stmt_gives(
        "let alias<'s> int *'s a = u; let defend<'s> int *'s p = o; let $(x, y) = t; let S{.a = b, c} = s; let alias = 3; let x = 1;",
        "(let-alias<'s>)\n  (decl a: (* 's int) = u)\n(let-defend<'s>)\n  (decl p: (* 's int) = o)\n(let ($ x y) t)\n(let (record S .a=b c) s)\n(let alias 3)\n(let x 1)",
    );
    stmt_gives(
        "try { f(); } catch { case &E(x): g(x); default: throw 1; } try f(); catch { case _: ; } fallthru;",
        "(try)\n  (block)\n    (call f)\n(catch)\n  (block)\n    (case (& (variant E x)))\n      (call g x)\n    (default)\n      (throw 1)\n(try)\n  (call f)\n(catch)\n  (block)\n    (case _)\n      (empty)\n(fallthru)",
    );
    stmt_gives(
        "let NewDynamicRegion{<'r> k} = new_ukey();",
        "(let (record NewDynamicRegion<'r> k) (call new_ukey))",
    );
}

#[test]
fn patterns() {
    stmt_gives(
        "switch (x) { case A(p, _, ...): 1; case B<'a>(q) && q > 1: 2; case NULL: 3; case *r: 4; case &S{.a = 1, b}: 5;\n\
        case y as C(z): 6; case int *w: 7; case 'a': 8; case -1: 9; case $(1, m): 10; case X | Y: 11; case {.a = k}: 12; case N::V: 13; case 'a' ... 'z': 14; }",
        "(switch x)\n  (block)\n    (case (variant A p _ ...))\n      1\n    (case (variant B<'a> q) && (> q 1))\n      2\n    (case null)\n      3\n    (case (ref r))\n      4\n    (case (& (record S .a=(const 1) b)))\n      5\n    (case (as y (variant C z)))\n      6\n    (case (var w (* int)))\n      7\n    (case (const 'a'))\n      8\n    (case (const (- 1)))\n      9\n    (case ($ (const 1) m))\n      10\n    (case (const (| X Y)))\n      11\n    (case (record .a=k))\n      12\n    (case N::V)\n      13\n    (case (range 'a' 'z'))\n      14",
    );
}

#[test]
fn namespaces_and_c() {
    gives(
        "namespace A { typedef int t; namespace B { typedef t u; } t x; } A::t y; A::B::u z; using A { t w; B::u v; } using A; t s; ::g h;",
        "(namespace A)\n  (decl typedef t: int)\n  (namespace B)\n    (decl typedef u: t)\n  (decl x: t)\n(decl y: A::t)\n(decl z: A::B::u)\n(using A)\n  (decl w: t)\n  (decl v: B::u)\n(using A)\n  (decl s: t)\n  (decl h: ::g)",
    );
    gives(
        "namespace A { typedef int t; } namespace A { t *f(t); } int x = A::f(3); extern \"C\" { int f(int); } extern \"C\" int g(void); test \"adds\" { @assert(1); }",
        "(namespace A)\n  (decl typedef t: int)\n(namespace A)\n  (decl f: (func (t) (* t)))\n(decl x: int = (call A::f 3))\n(extern-c block)\n  (decl f: (func (int) int))\n(extern-c)\n  (decl g: (func () int))\n(test \"adds\")\n  (assert 1)",
    );
    sound(
        "namespace A { typedef int t; int t2; } void f(void) { A::t *x; A::t2 * y; (A::t)z; sizeof(A::t); }",
    );
    gives("let $(a, b) = f();", "(let ($ a b) (call f))");
}
