//! Toft's own constructs.

use super::harness::*;

#[test]
fn arenas() {
    let dump = dump_func(
        "int f(void) { region<'r> h; int *'r p = rnew(h) 3; int *q = p; return *p + *q; }",
        "f",
    );
    assert!(dump.contains("region 'b1 'r in 'b0: Arena"), "{dump}");
    assert!(dump.contains("region 'b2 in 'b1: Block"), "{dump}");
    assert!(dump.contains("new(_0) 3"), "{dump}");
}

#[test]
fn datatypes() {
    has(
        "datatype tree<'a> { Leaf; Node('a, datatype tree<'a> *, datatype tree<'a> *); };
         datatype tree<int> *one(void) { return new Node(1, new Leaf, new Leaf()); }",
        &[
            "datatype tree<'a::A> { Leaf(); Node(_: 'a,",
            "new tree.Node(1, new tree.Leaf, new tree.Leaf())",
        ],
    );
    refuse("datatype t { A; }; datatype t { B; };", "E0302", "`t` is defined twice");
    refuse("datatype t { A; }; struct s { datatype t x; };", "E0305", "behind pointers");
    accept(
        "@extensible datatype msg { Ping; }; datatype msg { Pong(int); }; datatype msg *f(int n) { return n ? new Pong(n) : new Ping; }",
    );
}

#[test]
fn open_datatypes_across_files() {
    let done = resolve_all(
        &[
            "datatype exn { Mine; }; void f(void) { throw new Mine; }",
            "datatype exn { Other(int); }; void g(void) { throw new Other(1); }",
        ],
        Vec::new(),
    );
    assert!(done.said.is_empty(), "{:#?}", done.said);
    let exn = &done.program.tables.adts[done.program.exn.expect("exn")];
    assert_eq!(exn.variants.len(), 9);
    assert_eq!(exn.variants[0].link_name.expect("built in").as_str(), "toft_tag_Null_Exception");
    assert!(exn.variants[7].link_name.is_none());
}

#[test]
fn generic_functions() {
    let program =
        accept("'a id<'a>('a x) { return x; } int f(void) { return id@<int>(3) + id(4); }");
    let id = program.funcs.iter().find(|f| f.name.as_str() == "id").expect("id");
    assert_eq!(id.generics.len(), 1);
    refuse(
        "'a id<'a>('a x) { return x; } int f(void) { return id@<int,int>(3); }",
        "E1001",
        "takes 1",
    );
    let program = accept("'a first('a @x) { return *x; }");
    let first = program.funcs.iter().find(|f| f.name.as_str() == "first").expect("first");
    assert_eq!(first.generics.len(), 2);
}

#[test]
fn varargs() {
    let dump = dump_func(
        "int sum(...int xs) { int n = 0; for (int i = 0; i < numelts(xs); i++) n += xs[i]; return n; }",
        "sum",
    );
    assert!(dump.contains("param _0 xs: int ?"), "{dump}");
}

#[test]
fn tuples_and_lets() {
    let dump = dump_func("int f($(int, char) t) { let $(a, b) = t; return a + b + t[0]; }", "f");
    assert!(dump.contains("let $(_1, _2) = _0;"), "{dump}");
}

#[test]
fn comprehensions() {
    let dump = dump_func("int f(int n) { int ?a = new {for i < n : i * 2}; return a[0]; }", "f");
    assert!(dump.contains("for _"), "{dump}");
}

#[test]
fn effects_and_constraints() {
    accept("void f(int *'r a, int *'s b : 'r > 's);");
    accept("void f(int *'r a; {'r});");
}

#[test]
fn consumes() {
    let program = accept("void f(int *\\U p, int *q) __attribute__((consume(1)));");
    let f = program.funcs.iter().find(|f| f.name.as_str() == "f").expect("f");
    assert_eq!(f.sig.consumes, 1);
}
