//! Small programs in MIR, one construct each, compiled and run with gcc and clang, with and
//! without optimisation and sanitizers.

mod support;

use support::{Program, ty};
use toft_base::{Span, Symbol};
use toft_mir::{GlobalDecl, StaticInit};
use toft_ty::{AdtDef, AdtId, AdtKind, FieldDef, TyQuals, VariantDef};

/// `print(n)` as fn2, `printf("%d ", n)`.
const PRINT: &str = r#"(body built fn2 "print" (ret void) (params 1)
  (local "n" int param)
  (bb0
    (call - (fn0) ((str 1 ro (ptr char zt #0 const notnull) "%d ")) ((copy _0)))
    (return)))"#;

fn with_print() -> Program {
    let mut program = Program::new();
    program.func(PRINT);
    program
}

fn field(name: &str, of: &str) -> FieldDef {
    FieldDef {
        name: Some(Symbol::intern(name)),
        ty: ty(of),
        quals: TyQuals::default(),
        bits: None,
        align: None,
        span: Span::NONE,
    }
}

fn adt(program: &mut Program, name: &str, kind: AdtKind, fields: Vec<FieldDef>) -> AdtId {
    program.decls.tables.adts.push(AdtDef {
        name: Symbol::intern(name),
        anonymous: false,
        kind,
        span: Span::NONE,
        generics: Vec::new(),
        exists: Vec::new(),
        bounds: Vec::new(),
        fields: Some(fields),
        variants: Vec::new(),
        packed: false,
        align: None,
        abstract_in: None,
        foreign: false,
    })
}

fn variant(name: &str, fields: Vec<FieldDef>) -> VariantDef {
    VariantDef {
        name: Symbol::intern(name),
        exists: Vec::new(),
        fields,
        span: Span::NONE,
        link_name: None,
    }
}

#[test]
fn arithmetic_wraps() {
    let mut program = with_print();
    // INT_MAX + 1, INT_MIN / -1, INT_MIN % -1, -INT_MIN, 1 << 31, -1 >> 1
    program.func(
        r#"(body built fn3 "ops" (ret void) (params 3)
          (local "a" int param) (local "b" int param) (local "c" int param)
          (local - int temp) (local - int temp) (local - int temp)
          (local - int temp) (local - int temp) (local - int temp)
          (local - uchar temp) (local - int temp)
          (bb0
            (set _3 (add (copy _0) (const 1 int)))
            (call - (fn2) ((copy _3)) ())
            (set _4 (div (copy _1) (copy _2)))
            (call - (fn2) ((copy _4)) ())
            (set _5 (rem (copy _1) (copy _2)))
            (call - (fn2) ((copy _5)) ())
            (set _6 (neg (copy _1)))
            (call - (fn2) ((copy _6)) ())
            (set _7 (shl (const 1 int) (const 31 int)))
            (call - (fn2) ((copy _7)) ())
            (set _8 (shr (copy _2) (const 1 int)))
            (call - (fn2) ((copy _8)) ())
            (set _9 (cast int-int (copy _0) uchar))
            (set _10 (cast int-int (copy _9) int))
            (call - (fn2) ((copy _10)) ())
            (return)))"#,
    );
    program.func(
        r#"(body built fn4 "main" (ret int)
          (bb0
            (call - (fn3) ((const 2147483647 int) (const -2147483648 int) (const -1 int)) ())
            (return (const 0 int))))"#,
    );
    let run = program.run("arithmetic");
    let min = "-2147483648";
    assert_eq!(run.stdout, format!("{min} {min} 0 {min} {min} -1 255 "));
    assert_eq!(run.code, Some(0));
}

/// Sum of the first `n` elements of a fat pointer, in a loop with a check.
const SUM: &str = r#"(body built fn3 "sum" (ret int) (params 2)
  (local "a" (ptr int fat) param) (local "n" int param)
  (local "s" int user) (local "i" int user) (local - int temp)
  (bb0
    (live _2) (set _2 (const 0 int)) (live _3) (set _3 (const 0 int)) (goto bb1))
  (bb1
    (set _4 (lt (copy _3) (copy _1))) (if (copy _4) bb2 bb3))
  (bb2
    (check 0 (fat-index (copy _0) (copy _3)))
    (set _2 (add (copy _2) (copy (_0 *_3))))
    (set _3 (add (copy _3) (const 1 int)))
    (goto bb1))
  (bb3
    (dead _3) (dead _2) (return (copy _2))))"#;

const FILL: &str = r#"(body built fn4 "main" (ret int)
  (local "a" (array int #10) user taken) (local "i" int user) (local - int temp)
  (local - (ptr int #10 notnull) temp) (local - (ptr int fat notnull) temp) (local - int temp)
  (bb0 (live _0) (live _1) (set _1 (const 0 int)) (goto bb1))
  (bb1 (set _2 (lt (copy _1) (const 10 int))) (if (copy _2) bb2 bb3))
  (bb2
    (check 0 (index (copy _1) (const 10 ulong)))
    (set (_0 +_1) (mul (copy _1) (copy _1)))
    (set _1 (add (copy _1) (const 1 int)))
    (goto bb1))
  (bb3
    (set _3 (ref _0))
    (set _4 (make-fat (copy _3) (const 10 ulong)))
    (call _5 (fn3) ((copy _4) (const COUNT int)) ())
    (call - (fn2) ((copy _5)) ())
    (return (const 0 int))))"#;

#[test]
fn fat_loop() {
    let mut program = with_print();
    program.func(SUM);
    program.func(&FILL.replace("COUNT", "10"));
    let run = program.run("fat_loop");
    assert_eq!((&*run.stdout, run.code), ("285 ", Some(0)));
}

#[test]
fn uncaught_bounds() {
    let mut program = with_print();
    program.func(SUM);
    program.func(&FILL.replace("COUNT", "11"));
    let run = program.run("uncaught");
    assert_eq!((&*run.stdout, run.code), ("", Some(101)));
    assert!(run.stderr.contains("Array_bounds: index 10 is outside 0..9"), "{}", run.stderr);
}

#[test]
fn handlers_see_changed_variables() {
    let mut program = with_print();
    program.func(SUM);
    // n = 1; try { n = 2; sum(null, 1); n = 3 } catch { print(n) } — inside a loop, nested.
    program.func(
        r#"(body built fn4 "main" (ret int)
          (local "n" int user) (local "i" int user) (local - int temp)
          (local "e" (ptr void) exn) (local "f" (ptr void) exn) (local - int temp)
          (try bb6) (try bb4 0)
          (bb0 (live _1) (set _1 (const 0 int)) (goto bb1))
          (bb1 (set _2 (lt (copy _1) (const 3 int))) (if (copy _2) bb2 bb8))
          (bb2
            (live _0) (set _0 (const 1 int)) (try-push 0) (goto bb3))
          (bb3 unwind bb6
            (set _0 (add (copy _1) (const 10 int))) (try-push 1) (goto bb5))
          (bb4 unwind bb6
            (catch 1 _3) (set _0 (add (copy _0) (const 1000 int))) (rethrow _3))
          (bb5 unwind bb4
            (set _0 (add (copy _0) (const 100 int)))
            (call _5 (fn3) ((null (ptr int fat)) (copy _1)) ())
            (try-pop 1) (try-pop 0)
            (call - (fn2) ((copy _0)) ())
            (goto bb7))
          (bb6 (catch 0 _4) (call - (fn2) ((copy _0)) ()) (goto bb7))
          (bb7 (dead _0) (set _1 (add (copy _1) (const 1 int))) (goto bb1))
          (bb8 (dead _1) (return (const 0 int))))"#,
    );
    let run = program.run("handlers");
    assert_eq!((&*run.stdout, run.code), ("110 1111 1112 ", Some(0)));
}

#[test]
fn datatypes_on_the_heap() {
    let mut program = with_print();
    // datatype List { Nil; Cons(int, datatype List *) }
    let list = adt(&mut program, "List", AdtKind::Datatype, Vec::new());
    let def = &mut program.decls.tables.adts[list];
    def.fields = None;
    def.variants = vec![
        variant("Nil", Vec::new()),
        variant("Cons", vec![field("head", "int"), field("tail", "(ptr (adt 0))")]),
    ];
    program.func(
        r#"(body built fn3 "total" (ret int) (params 1)
          (local "l" (ptr (adt 0)) param) (local "s" int user) (local - int temp)
          (bb0 (live _1) (set _1 (const 0 int)) (goto bb1))
          (bb1
            (check 0 (not-null (copy _0)))
            (set _2 (is-variant (_0 *0) 0 1))
            (if (copy _2) bb2 bb3))
          (bb2
            (set _1 (add (copy _1) (copy (_0 *0 %0.1 .0))))
            (set _0 (copy (_0 *0 %0.1 .1)))
            (goto bb1))
          (bb3 (dead _1) (return (copy _1))))"#,
    );
    // Long enough for several collections, if each list becomes garbage.
    program.func(
        r#"(body built fn4 "main" (ret int)
          (local "l" (ptr (adt 0)) user) (local "i" int user) (local "k" int user)
          (local - int temp) (local - (ptr (variant 0 1) notnull) temp)
          (local - (ptr (variant 0 0) notnull) temp) (local - int temp) (local - int temp)
          (bb0 (live _0) (live _1) (live _2) (set _2 (const 0 int)) (goto bb1))
          (bb1
            (set _5 (alloc (variant 0 0) - -))
            (set (_5 *0) (variant 0 0 ()))
            (set _0 (cast ptr (copy _5) (ptr (adt 0))))
            (set _1 (const 0 int)) (goto bb2))
          (bb2 (set _3 (lt (copy _1) (const 1000 int))) (if (copy _3) bb3 bb4))
          (bb3
            (set _4 (alloc (variant 0 1) - -))
            (set (_4 *0) (variant 0 1 ((copy _1) (copy _0))))
            (set _0 (cast ptr (copy _4) (ptr (adt 0))))
            (set _1 (add (copy _1) (const 1 int)))
            (goto bb2))
          (bb4
            (set _2 (add (copy _2) (const 1 int)))
            (set _7 (lt (copy _2) (const 1000 int)))
            (if (copy _7) bb1 bb5))
          (bb5
            (call _6 (fn3) ((copy _0)) ())
            (call - (fn2) ((copy _6)) ())
            (dead _2) (dead _1) (dead _0)
            (return (const 0 int))))"#,
    );
    let run = program.run("datatypes");
    assert_eq!((&*run.stdout, run.code), ("499500 ", Some(0)));
}

#[test]
fn structs_unions_tuples() {
    let mut program = with_print();
    let inner = vec![field("x", "char"), field("y", "(array short #3)"), field("linux", "double")];
    adt(&mut program, "Ns::In", AdtKind::Struct, inner);
    let tagged = vec![field("i", "int"), field("p", "(ptr int)"), field("s", "(adt 0)")];
    adt(&mut program, "Either", AdtKind::TaggedUnion, tagged);
    let mut bits = vec![field("a", "uint"), field("b", "int"), field("c", "uchar")];
    bits[0].bits = Some(3);
    bits[1].bits = Some(7);
    adt(&mut program, "Bits", AdtKind::Struct, bits);
    program.func(
        r#"(body built fn3 "main" (ret int)
          (local "s" (adt 0) user taken) (local "u" (adt 1) user) (local "b" (adt 2) user)
          (local "t" (tuple int (adt 0)) user) (local "arr" (array short #3) user)
          (local - int temp) (local - int temp) (local - (ptr (adt 0) notnull) temp)
          (local - int temp) (local - int temp)
          (bb0
            (live _0) (live _1) (live _2) (live _3) (live _4)
            (set _4 (aggregate (0 (const 7 short)) (2 (const 9 short))))
            (set _0 (aggregate (0 (const 65 char)) (1 (copy _4))))
            (set _3 (aggregate (0 (const -5 int)) (1 (copy _0))))
            (set _5 (cast int-int (copy (_3 .1 .1 +2)) int))
            (call - (fn2) ((copy _5)) ())
            (call - (fn2) ((copy (_3 .0))) ())
            (set _2 (aggregate))
            (set (_2 .0) (const 5 uint))
            (set (_2 .1) (const -2 int))
            (set _6 (cast int-int (copy (_2 .0)) int))
            (call - (fn2) ((copy _6)) ())
            (call - (fn2) ((copy (_2 .1))) ())
            (set _7 (ref _0))
            (set-tag _1 2)
            (set (_1 .2) (copy (_7 *0)))
            (check 0 (tag _1 2))
            (set _8 (is-member _1 2))
            (call - (fn2) ((copy _8)) ())
            (set _1 (aggregate (0 (const 77 int))))
            (check 1 (tag _1 0))
            (call - (fn2) ((copy (_1 .0))) ())
            (check 2 (tag _1 2))
            (return (const 0 int))))"#,
    );
    let run = program.run("structs");
    assert_eq!((&*run.stdout, run.code), ("9 -5 5 -2 1 77 ", Some(101)));
    assert!(run.stderr.contains("Match_Exception"), "{}", run.stderr);
}

#[test]
fn switch_and_goto() {
    let mut program = with_print();
    program.func(
        r#"(body built fn3 "class" (ret int) (params 1)
          (local "n" int param) (local "r" int user)
          (bb0
            (live _1) (set _1 (const 0 int))
            (switch (copy _0) (-5 -1 bb1) (0 0 bb2) (1 9 bb3) (100 100 bb3) bb4))
          (bb1 (set _1 (const 1 int)) (goto bb5))
          (bb2 (set _1 (const 2 int)) (goto bb3))
          (bb3 (set _1 (add (copy _1) (const 10 int))) (goto bb5))
          (bb4 (return (const -1 int)))
          (bb5 (dead _1) (return (copy _1))))"#,
    );
    // A loop with two ways in: not reducible.
    program.func(
        r#"(body built fn4 "twisted" (ret int) (params 1)
          (local "n" int param) (local "s" int user) (local - int temp) (local - int temp)
          (bb0 (live _1) (set _1 (const 0 int))
            (set _2 (gt (copy _0) (const 5 int))) (if (copy _2) bb1 bb2))
          (bb1 (set _1 (add (copy _1) (const 1 int)))
            (set _0 (sub (copy _0) (const 1 int))) (goto bb2))
          (bb2 (set _1 (add (copy _1) (const 100 int)))
            (set _3 (gt (copy _0) (const 0 int))) (if (copy _3) bb1 bb3))
          (bb3 (dead _1) (return (copy _1))))"#,
    );
    let mut main = String::from(
        r#"(body built fn5 "main" (ret int) (local - int temp) (local - int temp) (bb0 "#,
    );
    for n in [-3, 0, 4, 100, 77] {
        main += &format!("(call _0 (fn3) ((const {n} int)) ()) (call - (fn2) ((copy _0)) ())");
    }
    for n in [0, 3, 7] {
        main += &format!("(call _1 (fn4) ((const {n} int)) ()) (call - (fn2) ((copy _1)) ())");
    }
    main += "(return (const 0 int))))";
    program.func(&main);
    let run = program.run("switch");
    assert_eq!(run.stdout, "1 12 10 10 -1 100 403 707 ");
}

#[test]
fn blocks_of_the_stack() {
    let mut program = with_print();
    // for (i = 1; i < 50000; i++) { int a[i % 1000 + 1]; a[i % 1000] = i; s ^= a[0] + a[i % 1000]; }
    program.func(
        r#"(body built fn3 "main" (ret int)
          (local "i" int user) (local "s" int user) (local "a" (vla int) user)
          (local - int temp) (local - int temp) (local - int temp) (local - int temp)
          (bb0 (live _0) (live _1) (set _0 (const 1 int)) (set _1 (const 0 int)) (goto bb1))
          (bb1 (set _3 (lt (copy _0) (const 50000 int))) (if (copy _3) bb2 bb3))
          (bb2
            (set _4 (rem (copy _0) (const 1000 int)))
            (set _5 (add (copy _4) (const 1 int)))
            (live _2)
            (check 0 (count (copy _5) int))
            (alloca _2 int (copy _5))
            (check 1 (fat-index (copy _2) (copy _4)))
            (set (_2 *_4) (copy _0))
            (check 2 (fat-index (copy _2) (const 0 int)))
            (set _6 (add (copy (_2 *0)) (copy (_2 *_4))))
            (set _1 (xor (copy _1) (copy _6)))
            (dead _2)
            (set _0 (add (copy _0) (const 1 int)))
            (goto bb1))
          (bb3
            (call - (fn2) ((copy _1)) ())
            (check 3 (count (const -1 int) int))
            (dead _1) (dead _0) (return (const 0 int))))"#,
    );
    let run = program.run("blocks");
    let mut expected = 0;
    for i in 1..50000 {
        expected ^= if i % 1000 == 0 { i + i } else { i };
    }
    assert_eq!((run.stdout, run.code), (format!("{expected} "), Some(101)));
}

#[test]
fn strings() {
    let mut program = with_print();
    // Walks a string to its end by checked steps, then one further.
    program.func(
        r#"(body built fn3 "main" (ret int)
          (local "p" (ptr char zt #0 notnull const) user) (local "n" int user) (local - int temp)
          (local - ulong temp) (local - int temp)
          (bb0
            (live _0) (live _1) (set _1 (const 0 int))
            (set _0 (str 1 ro (ptr char zt #0 notnull const) "h?\"llo"))
            (set _3 (zt-len (copy _0)))
            (set _4 (cast int-int (copy _3) int))
            (call - (fn2) ((copy _4)) ())
            (check 0 (zt-index 0 (copy _0) (copy _4)))
            (goto bb1))
          (bb1 (set _2 (ne (copy (_0 *0)) (const 0 char))) (if (copy _2) bb2 bb3))
          (bb2
            (check 1 (zt-add 0 (copy _0) (const 1 int)))
            (set _0 (ptr-add (copy _0) (const 1 int)))
            (set _1 (add (copy _1) (const 1 int)))
            (goto bb1))
          (bb3
            (call - (fn2) ((copy _1)) ())
            (check 2 (zt-add 0 (copy _0) (const 1 int)))
            (dead _1) (dead _0) (return (const 0 int))))"#,
    );
    let run = program.run("strings");
    assert_eq!((&*run.stdout, run.code), ("6 6 ", Some(101)));
}

#[test]
fn generics_and_function_pointers() {
    let mut program = with_print();
    program.func(
        r#"(body built fn3 "pick" (generics 1 ("a" any)) (ret (param 0 "a")) (params 3)
          (local "x" (param 0 "a") param) (local "y" (param 0 "a") param) (local "c" int param)
          (bb0 (if (copy _2) bb1 bb2))
          (bb1 (return (copy _0)))
          (bb2 (return (copy _1))))"#,
    );
    program.func(
        r#"(body built fn4 "twice" (ret int) (params 1) (local "n" int param)
          (local - int temp)
          (bb0 (set _1 (add (copy _0) (copy _0))) (return (copy _1))))"#,
    );
    program.func(
        r#"(body built fn5 "main" (ret int)
          (local - int temp) (local - (tuple int int) temp) (local - (tuple int int) temp)
          (local "f" (ptr (func (params int) int)) user) (local - int temp)
          (local - ulong temp) (local - int temp)
          (bb0
            (call _0 (fn3 (t int)) ((const 3 int) (const 4 int) (const 1 int)) ())
            (call - (fn2) ((copy _0)) ())
            (set _1 (aggregate (0 (const 5 int)) (1 (const 6 int))))
            (call _2 (fn3 (t (tuple int int))) ((copy _1) (copy _1) (const 0 int)) ())
            (call - (fn2) ((copy (_2 .1))) ())
            (live _3)
            (set _3 (func fn4 (ptr (func (params int) int))))
            (check 0 (not-null (copy _3)))
            (call _4 (through (copy _3)) ((const 21 int)) ())
            (call - (fn2) ((copy _4)) ())
            (set _5 (sizeof (tuple int (ptr int fat)) ulong))
            (set _6 (cast int-int (copy _5) int))
            (call - (fn2) ((copy _6)) ())
            (return (const 0 int))))"#,
    );
    let run = program.run("generics");
    assert_eq!((&*run.stdout, run.code), ("3 6 42 24 ", Some(0)));
    assert!(program.emit().contains("t_pick__i1"));
}

#[test]
fn endless_instances_are_refused() {
    let mut program = with_print();
    program.func(
        r#"(body built fn3 "grow" (generics 1 ("a" any)) (ret void) (params 0)
          (bb0 (call - (fn3 (t (ptr (param 0 "a")))) () ()) (return)))"#,
    );
    program.func(
        r#"(body built fn4 "main" (ret int)
          (bb0 (call - (fn3 (t int)) () ()) (return (const 0 int))))"#,
    );
    let sess = toft_diag::Session::default();
    let roots = toft_mono::Roots::Program;
    assert!(toft_mono::run(&sess, &program.decls, &program.bodies, roots).is_err());
    let said = sess.take();
    assert_eq!(said[0].code.id, "E1005");
    assert!(said[0].notes[0].contains("main -> grow -> grow"), "{:?}", said[0].notes);
}

#[test]
fn globals_with_initialisers() {
    let mut program = with_print();
    let global = |name: &str, of: &str, init| GlobalDecl {
        name: Symbol::intern(name),
        link_name: None,
        span: Span::NONE,
        ty: ty(of),
        quals: TyQuals::default(),
        thread_local: false,
        align: None,
        external: false,
        is_static: true,
        init,
    };
    let int = |n: i128| StaticInit::Value(toft_mir::Operand::int(n, ty("int")));
    let table = StaticInit::Aggregate(vec![(1, int(11)), (3, int(33))]);
    program.decls.globals.push(global("table", "(array int #5)", Some(table)));
    let place = toft_mir::Place::global(toft_mir::GlobalId(0))
        .then(toft_mir::Proj::Index(toft_mir::Index::Const(1)));
    let view = StaticInit::Address { place, len: Some(4) };
    program.decls.globals.push(global("view", "(ptr int fat)", Some(view)));
    let text = StaticInit::Bytes(b"ab".to_vec());
    program.decls.globals.push(global("text", "(array char #2)", Some(text)));
    program.func(
        r#"(body built fn3 "main" (ret int)
          (local - (ptr char zt #2 notnull) temp) (local - ulong temp) (local - int temp)
          (bb0
            (check 0 (fat-index (copy global1) (const 2 int)))
            (call - (fn2) ((copy (global1 *2))) ())
            (set _0 (ref global2))
            (set _1 (zt-len (copy _0)))
            (set _2 (cast int-int (copy _1) int))
            (call - (fn2) ((copy _2)) ())
            (check 1 (fat-index (copy global1) (const 4 int)))
            (return (const 0 int))))"#,
    );
    let run = program.run("globals");
    assert_eq!((&*run.stdout, run.code), ("33 2 ", Some(101)));
}

#[test]
fn tests_run_apart() {
    let mut program = with_print();
    program.func(
        r#"(body built fn3 "good" (ret void) (bb0 (call - (fn2) ((const 5 int)) ()) (return)))"#,
    );
    program.func(
        r#"(body built fn4 "bad" (ret void)
          (bb0 (check 0 (assert (const 0 int) "1 == 2")) (return)))"#,
    );
    let name = Symbol::intern;
    program.decls.tests = vec![
        (name("adds up"), toft_mir::FuncId(3)),
        (name("fails"), toft_mir::FuncId(4)),
        (name("again"), toft_mir::FuncId(3)),
    ];
    let run = program.run_as("tests", toft_emit_c::Entry::Tests);
    assert!(run.stdout.contains("test adds up ... 5 ok\n"), "{}", run.stdout);
    assert!(run.stdout.contains("test fails ... FAILED\n"), "{}", run.stdout);
    assert!(run.stdout.contains("FAILED. 2 passed; 1 failed"), "{}", run.stdout);
    assert!(run.stderr.contains("1 == 2"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}

#[test]
fn floats_are_checked() {
    let mut program = with_print();
    program.func(
        r#"(body built fn3 "main" (ret int)
          (local "x" double user) (local - int temp)
          (bb0
            (live _0)
            (set _0 (float 0x41dfffffffffffff double))
            (check 0 (float-fits int (copy _0)))
            (set _1 (cast float-int (copy _0) int))
            (call - (fn2) ((copy _1)) ())
            (set _0 (float 0x7ff8000000000000 double))
            (check 1 (float-fits int (copy _0)))
            (return (const 0 int))))"#,
    );
    let run = program.run("floats");
    assert_eq!((&*run.stdout, run.code), ("2147483647 ", Some(101)));
    assert!(run.stderr.contains("Arithmetic"), "{}", run.stderr);
}
