//! Tracked pointers: bodies by hand, with the shapes that lowering makes and some that it
//! never should.

mod common;

use toft_base::{FileKind, IndexVec, Span, Symbol};
use toft_diag::{Session, session::Options};
use toft_mir::{Decls, FuncDecl, text};
use toft_ty::{AdtDef, AdtKind, FieldDef, Tables, Ty, TyQuals};

fn ty(text: &str) -> Ty {
    text::parse_ty(text).expect("a type")
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

fn adt(name: &str, kind: AdtKind, fields: Vec<FieldDef>) -> AdtDef {
    AdtDef {
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
    }
}

fn func(name: &str, sig: &str) -> FuncDecl {
    FuncDecl {
        name: Symbol::intern(name),
        link_name: None,
        span: Span::NONE,
        sig: ty(sig).as_func().expect("a function type").clone(),
        generics: Vec::new(),
        external: false,
        may_throw: true,
        is_inline: false,
        is_static: false,
    }
}

/// ADT 0: `struct node { struct node *\U next; int v; }`. 1: `struct pair { int *\U a, *\U b; }`.
/// 2: `struct hold { int *@notnull\U p; }`. 3: `@tagged union { int i; int *\U p; }`.
/// fn1 `void look(int *\U)`, fn2 `void eat(int *\U) consume(1)`, fn3 `int *\U make()`,
/// fn4 `void both(int *\U, int *\U)`, fn5 `void eat_node(struct node *\U) consume(1)`,
/// fn6 `void may()`, fn7 `void look_node(struct node *\U)`.
fn decls(own: &str) -> Decls {
    let adts = vec![
        adt("node", AdtKind::Struct, vec![field("next", r"(ptr (adt 0) \U)"), field("v", "int")]),
        adt(
            "pair",
            AdtKind::Struct,
            vec![field("a", r"(ptr int \U)"), field("b", r"(ptr int \U)")],
        ),
        adt("hold", AdtKind::Struct, vec![field("p", r"(ptr int \U notnull)")]),
        adt("either", AdtKind::TaggedUnion, vec![field("i", "int"), field("p", r"(ptr int \U)")]),
        adt("two", AdtKind::TaggedUnion, vec![field("s", "(adt 1)"), field("i", "int")]),
        adt("some", AdtKind::Struct, vec![field("a", r"(array (ptr int \U) #4)")]),
    ];
    let funcs = vec![
        func("f", own),
        func("look", r"(func (params (ptr int \U)) void)"),
        func("eat", r"(func (params (ptr int \U)) (consumes 1) void)"),
        func("make", r"(func (params) (ptr int \U))"),
        func("both", r"(func (params (ptr int \U) (ptr int \U)) void)"),
        func("eat_node", r"(func (params (ptr (adt 0) \U)) (consumes 1) void)"),
        func("may", "(func (params) void)"),
        func("look_node", r"(func (params (ptr (adt 0) \U)) void)"),
    ];
    Decls {
        tables: Tables { adts: IndexVec::from_raw(adts), ..Tables::default() },
        funcs: IndexVec::from_raw(funcs),
        ..Decls::default()
    }
}

/// The codes that the body of a function of type `own` gets.
fn codes_of(own: &str, parts: &str) -> Vec<&'static str> {
    let text = format!("(body built fn0 \"f\" @1..2 end @900..901 (region - - block) {parts})");
    let body = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let sess = Session::new(Options::default());
    // Warnings are shown in files of the user only.
    let text = " ".repeat(1000);
    let added = sess.map.borrow_mut().add_file(String::new(), "f".into(), text, FileKind::User);
    assert!(added.is_ok());
    let _ = toft_check::run(&sess, &decls(own), body);
    let said = sess.take();
    said.iter().map(|diagnostic| diagnostic.code.id).filter(|id| *id != "W0702").collect()
}

/// A function without parameters and result.
fn plain(parts: &str) -> Vec<&'static str> {
    codes_of("(func (params) void)", &format!("(ret void) (params 0) {parts}"))
}

const P: &str = r#"(local "p" (ptr int \U) user @10..11)"#;
const Q: &str = r#"(local "q" (ptr int \U) user @12..13)"#;
const N: &str = r#"(local "n" (ptr (adt 0) \U) user @14..15)"#;

/// `p` is live, made by `make()`; then `rest`.
fn with_p(rest: &str) -> Vec<&'static str> {
    plain(&format!(
        r#"{P} {Q} (local - int temp)
        (bb0 (live _0) @20..21 (live _1) @21..22 (call _0 (fn3) () ()) @22..23 {rest}"#
    ))
}

#[test]
fn moved_and_freed() {
    let free = r#"(call - (runtime "toft_unique_free") ((move _0)) ()) @30..31"#;
    assert!(with_p(&format!("{free} (return) @40..41)")).is_empty());
    assert_eq!(with_p(&format!("{free} {free} (return) @40..41)")), ["E2001"]);
    assert_eq!(with_p(&format!("(set _1 (move _0)) @30..31 {free} (return) @40..41)")), ["E2001"]);
    let free_q = r#"(call - (runtime "toft_unique_free") ((move _1)) ()) @32..33"#;
    assert!(with_p(&format!("(set _1 (move _0)) @30..31 {free_q} (return) @40..41)")).is_empty());
    // A copy that the contract does not allow counts as a move.
    assert_eq!(
        with_p(&format!("(set _1 (copy _0)) @30..31 {free_q} {free} (return) @40..41)")),
        ["E2001"]
    );
}

#[test]
fn lost() {
    assert_eq!(with_p("(return) @40..41)"), ["W2001"]);
    assert_eq!(with_p("(dead _0) @38..39 (return) @40..41)"), ["W2001"]);
    assert_eq!(
        with_p("(call _0 (fn3) () ()) @30..31 (call - (fn2) ((move _0)) ()) @32..33 (return))"),
        ["W2001"]
    );
    assert_eq!(plain("(bb0 (call - (fn3) () ()) @10..11 (return))"), ["W2001"]);
}

#[test]
fn lost_on_one_way() {
    let body = |no: &str| {
        plain(&format!(
            r#"{P} (local - int temp)
            (bb0 (live _0) (call _0 (fn3) () ()) @22..23 (if (copy _1) bb1 bb2) @24..25)
            (bb1 (call - (fn2) ((move _0)) ()) @30..31 (goto bb3))
            (bb2 {no} (goto bb3) @35..36)
            (bb3 (return) @40..41)"#
        ))
    };
    assert_eq!(body("(nop)"), ["W2001"]);
    assert!(body("(call - (fn2) ((move _0)) ()) @32..33").is_empty());
}

#[test]
fn null_ways_lose_nothing() {
    let v = plain(&format!(
        r#"{P} (local - int temp)
        (bb0 (live _0) (call _0 (fn3) () ()) @22..23 (set _1 (ne (copy _0) (null (ptr int \U))))
             (if (copy _1) bb1 bb2))
        (bb1 (call - (fn2) ((move _0)) ()) @30..31 (goto bb2))
        (bb2 (return) @40..41)"#
    ));
    assert!(v.is_empty(), "{v:?}");
    let v = plain(&format!(
        r#"{P} (local - int temp)
        (bb0 (live _0) (call _0 (fn3) () ()) @22..23 (set _1 (eq (copy _0) (null (ptr int \U))))
             (if (copy _1) bb1 bb2))
        (bb1 (call - (fn2) ((move _0)) ()) @30..31 (goto bb2))
        (bb2 (return) @40..41)"#
    ));
    assert_eq!(v, ["W2001"]);
}

#[test]
fn loops() {
    let v = plain(&format!(
        r#"{P} (local - int temp)
        (bb0 (live _0) (call _0 (fn3) () ()) @22..23 (goto bb1))
        (bb1 (if (copy _1) bb2 bb3))
        (bb2 (call - (fn2) ((move _0)) ()) @30..31 (goto bb1))
        (bb3 (return) @40..41)"#
    ));
    assert_eq!(v, ["E2001"]);
}

const KEPT: &str = r"(func (params (ptr int \U)) void)";
const KEPT_NODE: &str = r"(func (params (ptr (adt 0) \U)) void)";

#[test]
fn kept_parameters() {
    let body = |rest: &str| {
        codes_of(
            KEPT,
            &format!(
                r#"(ret void) (params 1) (local "p" (ptr int \U) param @5..6) {Q}
                (bb0 (live _1) {rest} (return) @40..41)"#
            ),
        )
    };
    assert!(body("(call - (fn1) ((copy _0)) ()) @10..11").is_empty());
    assert_eq!(body("(call - (fn2) ((move _0)) ()) @10..11"), ["E2002"]);
    assert_eq!(body("(call _0 (fn3) () ()) @10..11"), ["E2002"]);
    assert_eq!(body("(call _1 (fn3) () ()) @8..9 (swap _0 _1) @10..11"), ["E2002"]);
    // And when only an exception leaves the function.
    let thrown = codes_of(
        KEPT,
        r#"(ret void) (params 1) (local "p" (ptr int \U) param @5..6)
        (bb0 (call - (fn2) ((move _0)) ()) @10..11 (trap never))"#,
    );
    assert_eq!(thrown, ["E2002"]);
    // A null pointer may go anywhere.
    let null = codes_of(
        r"(func (params (ptr int \U)) (ptr int \U))",
        r#"(ret (ptr int \U)) (params 1) (local "p" (ptr int \U) param @5..6) (local - int temp)
        (bb0 (set _1 (eq (copy _0) (null (ptr int \U)))) (if (copy _1) bb1 bb2))
        (bb1 (return (move _0)) @10..11)
        (bb2 (return (null (ptr int \U))) @12..13)"#,
    );
    assert!(null.is_empty(), "{null:?}");
}

#[test]
fn inside_of_kept_parameters() {
    let body = |rest: &str| {
        codes_of(
            KEPT_NODE,
            &format!(
                r#"(ret void) (params 1) (local "n" (ptr (adt 0) \U notnull) param @5..6)
                (local "t" (ptr (adt 0) \U) user @7..8)
                (bb0 (live _1) {rest} (return) @40..41)"#
            ),
        )
    };
    let out = "(set _1 (move (_0 *0 .0))) @10..11";
    let scrub = "(set (_0 *0 .0) (null (ptr (adt 0) \\U))) @10..11";
    let back = "(set (_0 *0 .0) (move _1)) @20..21";
    let may = "(call - (fn6) () ()) @15..16";
    let eat = "(call - (fn5) ((move _1)) ()) @30..31";
    assert!(body(&format!("{out} {scrub} {may} {back}")).is_empty());
    assert_eq!(body(&format!("{out} {scrub} {eat}")), ["E2002"]);
    // Memory that still holds the old pointer when an exception leaves.
    assert_eq!(body(&format!("{out} {may} {back}")), ["E2002"]);
    assert!(body(&format!("{out} {back}")).is_empty());
    // Null put there by the programmer is a value.
    let null = "(set (_0 *0 .0) (null (ptr (adt 0) \\U))) @18..19";
    assert!(body(&format!("{out} {scrub} {null} {eat}")).is_empty());
    // Reading the part moved out.
    let look = "(call - (fn7) ((copy (_0 *0 .0))) ()) @16..17";
    assert_eq!(body(&format!("{out} {scrub} {look} {back}")), ["E2001"]);
    let whole = "(call - (fn7) ((copy _0)) ()) @16..17";
    assert_eq!(body(&format!("{out} {scrub} {whole} {back}")), ["E2004"]);
}

#[test]
fn checks_that_cannot_fail_do_not_throw() {
    let body = |first: &str| {
        codes_of(
            r"(func (params (ptr (adt 2) \U)) void)",
            &format!(
                r#"(ret void) (params 1) (local "h" (ptr (adt 2) \U) param @5..6)
                (local "t" (ptr int \U notnull) user @7..8)
                (bb0 (live _1) {first} (set _1 (move (_0 *0 .0))) @10..11
                     (check 1 (not-null (copy _0))) @12..13
                     (set (_0 *0 .0) (move _1)) @20..21 (return) @40..41)"#
            ),
        )
    };
    assert!(body("(check 0 (not-null (copy _0))) @8..9").is_empty());
    assert_eq!(body("(nop)"), ["E2002"]);
}

#[test]
fn loans_of_one_pointer() {
    let body = |second: &str| {
        plain(&format!(
            r#"(local "s" (ptr (adt 1) \U notnull) user @5..6) (local - (ptr (adt 1) 'b1) temp)
            (local - (ptr (adt 1) 'b2) temp) (region - 'b0 alias) (region - 'b0 alias)
            (bb0 (live _0) (set _0 (alloc (adt 1) - - (const 1 (aqual \U)))) @10..11
                 (borrow-enter 'b1 _1 _0) @12..13 (borrow-enter 'b2 _2 {second}) @14..15
                 (borrow-exit 'b2) (call - (fn6) () ()) (borrow-exit 'b1)
                 (call - (runtime "toft_unique_free") ((move _0)) ()) (return) @40..41)"#
        ))
    };
    assert!(!body("_0").contains(&"E2008"));
    // A part could be taken out through the other name.
    assert_eq!(body("(_0 *0 .0)"), ["E2008"]);
}

#[test]
fn freed_objects_own_nothing() {
    let body = |rest: &str| {
        plain(&format!(
            r#"{N} (local "t" (ptr (adt 0) \U) user @7..8)
            (bb0 (live _0) (live _1) (set _0 (alloc (adt 0) - - (const 1 (aqual \U)))) @16..17
                 {rest} (return) @40..41)"#
        ))
    };
    let free = r#"(call - (runtime "toft_unique_free") ((move _0)) ()) @30..31"#;
    let free_t = r#"(call - (runtime "toft_unique_free") ((move _1)) ()) @32..33"#;
    let fill = "(set (_0 *0 .0) (alloc (adt 0) - - (const 1 (aqual \\U)))) @18..19";
    assert!(body(free).is_empty());
    assert_eq!(body(&format!("{fill} {free}")), ["W2001"]);
    let out = "(set _1 (move (_0 *0 .0))) @20..21";
    assert!(body(&format!("{fill} {out} {free} {free_t}")).is_empty());
    assert_eq!(body(&format!("{fill} {out} {free_t}")), ["W2001"]);
}

#[test]
fn shared_places() {
    let body = |ty: &str, rest: &str| {
        plain(&format!(
            r#"(local "s" {ty} user @5..6) {P}
            (bb0 (live _0) (live _1) {rest} (return) @40..41)"#
        ))
    };
    let a = "(ptr (adt 1) notnull)";
    let made = "(set _0 (alloc (adt 1) - -)) @10..11";
    assert_eq!(body(a, &format!("{made} (set _1 (move (_0 *0 .0))) @20..21")), ["E2003"]);
    assert_eq!(
        body(a, &format!("{made} (call - (fn1) ((copy (_0 *0 .0))) ()) @20..21")),
        ["E2003"]
    );
    let swap = "(set _1 (null (ptr int \\U))) @12..13 (swap (_0 *0 .0) _1) @20..21";
    let eat = "(call - (fn2) ((move _1)) ()) @30..31";
    assert!(body(a, &format!("{made} {swap} {eat}")).is_empty());
    // Elements of arrays.
    let array = r"(array (ptr int \U) #4)";
    let none = "(set _0 (aggregate)) @9..10";
    assert_eq!(body(array, &format!("{none} (set _1 (move (_0 +1))) @20..21 {eat}")), ["E2003"]);
    let swap = "(set _1 (null (ptr int \\U))) @12..13 (swap (_0 +1) _1) @20..21";
    assert!(body(array, &format!("{none} {swap} {eat}")).is_empty());
}

#[test]
fn parts_of_structs() {
    let body = |rest: &str| {
        plain(&format!(
            r#"(local "s" (adt 1) user @5..6) (local "t" (adt 1) user @7..8)
            (bb0 (live _0) (live _1) (call (_0 .0) (fn3) () ()) @10..11
                 (call (_0 .1) (fn3) () ()) @12..13 {rest} (return) @40..41)"#
        ))
    };
    let eat = |path: &str| format!("(call - (fn2) ((move {path})) ()) @30..31 ");
    assert!(body(&(eat("(_0 .0)") + &eat("(_0 .1)"))).is_empty());
    assert_eq!(body(&eat("(_0 .0)")), ["W2001"]);
    let moved = "(set _1 (move _0)) @20..21 ".to_owned();
    assert!(body(&(moved.clone() + &eat("(_1 .0)") + &eat("(_1 .1)"))).is_empty());
    assert_eq!(body(&(moved.clone() + &eat("(_0 .0)"))), ["E2001"]);
    assert_eq!(body(&(eat("(_0 .0)") + &moved)), ["E2004"]);
}

#[test]
fn swaps() {
    let body = |rest: &str| {
        plain(&format!(
            r#"(local "s" (adt 1) user @5..6) {P}
            (bb0 (live _0) (live _1) (call (_0 .0) (fn3) () ()) @10..11
                 (set (_0 .1) (null (ptr int \U))) @12..13 {rest} (return) @40..41)"#
        ))
    };
    assert!(
        body("(swap (_0 .0) (_0 .1)) @20..21 (call - (fn2) ((move (_0 .1))) ()) @30..31")
            .is_empty()
    );
    assert_eq!(body("(swap (_0 .0) (_0 .0)) @20..21"), ["E2008"]);
    let eat = "(call - (fn2) ((move (_0 .0))) ()) @30..31";
    assert_eq!(
        body(&format!("{eat} (set _1 (null (ptr int \\U))) (swap (_0 .0) _1) @32..33")),
        ["E2001"]
    );
}

#[test]
fn twice_in_one_call() {
    assert_eq!(with_p("(call - (fn4) ((copy _0) (copy _0)) ()) @30..31 (return))"), ["E2008"]);
    let v = with_p(
        "(call _1 (fn3) () ()) @24..25 (call - (fn4) ((copy _0) (copy _1)) ()) @30..31
         (call - (fn2) ((move _0)) ()) (call - (fn2) ((move _1)) ()) (return))",
    );
    assert!(v.is_empty(), "{v:?}");
}

#[test]
fn borrows() {
    let body = |inside: &str, after: &str| {
        plain(&format!(
            r#"{P} (local "a" (ptr int 'b1) user @12..13) (region - 'b0 alias)
            (bb0 (live _0) (call _0 (fn3) () ()) @20..21 (live _1)
                 (borrow-enter 'b1 _1 _0) @22..23 {inside} (borrow-exit 'b1) @30..31 {after}
                 (return) @40..41)"#
        ))
    };
    let eat = "(call - (fn2) ((move _0)) ()) @25..26";
    assert!(body("(nop)", eat).is_empty());
    assert_eq!(body(eat, "(nop)"), ["E2005"]);
    assert_eq!(body("(call - (fn1) ((copy _0)) ()) @25..26", eat), ["E2005"]);
    assert_eq!(body("(call _0 (fn3) () ()) @25..26", eat), ["E2005"]);
}

#[test]
fn borrows_end_with_exceptions() {
    let body = |inside: &str| {
        plain(&format!(
            r#"{P} (local "a" (ptr int 'b1) user @12..13) (region - 'b0 alias)
            (local - (ptr int) exn) (try bb2)
            (bb0 (live _0) (call _0 (fn3) () ()) @20..21 (try-push 0) (goto bb1))
            (bb1 unwind bb2 (live _1) (borrow-enter 'b1 _1 _0) @22..23 {inside}
                 (borrow-exit 'b1) @30..31 (dead _1) (try-pop 0) (goto bb3))
            (bb2 (catch 0 _2) (goto bb3))
            (bb3 (call - (fn2) ((move _0)) ()) @35..36 (return) @40..41)"#
        ))
    };
    let v = body("(call - (fn6) () ()) @24..25");
    assert!(v.is_empty(), "{v:?}");
}

#[test]
fn given_up_before_an_exception() {
    // The handler may see it given up.
    let v = plain(&format!(
        r#"{P} (local - (ptr int) exn) (try bb2)
        (bb0 (live _0) (call _0 (fn3) () ()) @20..21 (try-push 0) (goto bb1))
        (bb1 unwind bb2 (call - (fn2) ((move _0)) ()) @22..23 (try-pop 0) (goto bb3))
        (bb2 (catch 0 _1) (call - (fn1) ((copy _0)) ()) @30..31 (goto bb3))
        (bb3 (return) @40..41)"#
    ));
    assert_eq!(v, ["E2001"]);
}

#[test]
fn patterns_give_back() {
    let body = |arm: &str, after: &str| {
        plain(&format!(
            r#"{N} (local "m" (ptr (adt 0) \U) user @16..17)
            (bb0 (live _0) (set _0 (alloc (adt 0) - - (const 1 (aqual \U)))) @18..19
                 (set (_0 *0 .0) (alloc (adt 0) - - (const 1 (aqual \U)))) @19..20
                 (live _1) (set _1 (move (_0 *0 .0))) @20..21 {arm}
                 (give-back (_0 *0 .0) _1) @28..29 (dead _1) @29..30 {after} (return) @40..41)"#
        ))
    };
    let eat_n = "(call - (fn5) ((move _0)) ()) @32..33";
    let eat_m = "(call - (fn5) ((move _1)) ()) @24..25";
    let free_n = r#"(call - (runtime "toft_unique_free") ((move _0)) ()) @34..35"#;
    assert!(body("(nop)", eat_n).is_empty());
    assert!(body(eat_m, free_n).is_empty());
    assert_eq!(body(eat_m, eat_n), ["E2004"]);
    assert_eq!(body("(nop)", free_n), ["W2001"]);
    // Another object in the variable is not what was lent.
    let other = format!("{eat_m} (set _1 (alloc (adt 0) - - (const 1 (aqual \\U)))) @26..27");
    assert_eq!(body(&other, eat_n), ["E2004"]);
    assert_eq!(body("(call - (fn5) ((move _0)) ()) @24..25", "(nop)"), ["E2004"]);
}

#[test]
fn tagged_unions() {
    let body = |rest: &str| {
        plain(&format!(
            r#"(local "u" (adt 3) user @5..6) {P}
            (bb0 (live _0) (live _1) (set-tag _0 1) (call (_0 .1) (fn3) () ()) @10..11 {rest}
                 (return) @40..41)"#
        ))
    };
    let tag = "(check 0 (tag _0 1)) @20..21";
    let out = "(set _1 (move (_0 .1))) @20..21";
    let eat = "(call - (fn2) ((move _1)) ()) @30..31";
    assert!(body(&format!("{tag} {out} {eat}")).is_empty());
    assert_eq!(body("(nop)"), ["W2001"]);
    assert_eq!(body("(set-tag _0 0) @20..21 (set (_0 .0) (const 1 int)) @20..21"), ["W2001"]);
    assert_eq!(
        body(&format!("{tag} {out} (check 1 (tag _0 1)) (call - (fn1) ((copy (_0 .1))) ()) {eat}")),
        ["E2001"]
    );
}

#[test]
fn parts_of_what_is_gone() {
    // ADT 4: a union of `struct pair` and `int`; 5: a struct with an array.
    let body = |ty: &str, rest: &str| {
        plain(&format!(
            r#"(local "u" {ty} user @5..6) (local "v" {ty} user @7..8) {P}
            (bb0 (live _0) (live _1) (live _2) {rest} (return) @40..41)"#
        ))
    };
    let make = "(call _2 (fn3) () ()) @20..21";
    let fill = "(call _2 (fn3) () ()) @8..9";
    let union = body(
        "(adt 4)",
        &format!(
            "{fill} (set-tag _0 0) (set (_0 .0) (aggregate (0 (move _2)))) @9..10
             (set _1 (move _0)) @10..11 {make} (set (_0 .0 .0) (move _2)) @22..23"
        ),
    );
    assert_eq!(union, ["E2001"]);
    let array = format!(
        "{fill} (set _0 (aggregate)) @9..10 (set (_0 .0 +0) (move _2)) @9..10
         (set _1 (move _0)) @10..11"
    );
    let null = r"(set _2 (null (ptr int \U))) @20..21";
    let swapped = body("(adt 5)", &format!("{array} {null} (swap (_0 .0 +1) _2) @22..23"));
    assert_eq!(swapped, ["E2001"]);
    let stored = body("(adt 5)", &format!("{array} {make} (set (_0 .0 +1) (move _2)) @22..23"));
    assert_eq!(stored, ["E2001"]);
}

#[test]
fn addresses_of_insides() {
    let v = plain(&format!(
        r#"{N} (local "a" (ptr int) user @12..13)
        (bb0 (live _0) (set _0 (alloc (adt 0) - - (const 1 (aqual \U)))) @16..17 (live _1)
             (set _1 (ref (_0 *0 .1))) @20..21 (call - (fn5) ((move _0)) ()) @22..23 (return))"#
    ));
    assert_eq!(v, ["E2006"]);
}

/// Time is linear in the size of a body: all variables alive at once, a branch for each.
#[test]
fn large_bodies() {
    const COUNT: usize = 4000;
    let mut text = String::from("(local \"c\" int user)");
    for n in 0..COUNT {
        text += &format!(r#"(local "p{n}" (ptr int \U) user)"#);
    }
    text += "(bb0 (live _0) (set _0 (const 1 int))";
    for n in 1..=COUNT {
        text += &format!("(live _{n}) (call _{n} (fn3) () ())");
    }
    text += "(goto bb1))";
    for n in 1..=COUNT {
        let (here, then, next) = (2 * n - 1, 2 * n, 2 * n + 1);
        text += &format!(
            "(bb{here} (if (copy _0) bb{then} bb{next}))
             (bb{then} (call - (fn1) ((copy _{n})) ()) (goto bb{next}))"
        );
    }
    text += &format!("(bb{}", 2 * COUNT + 1);
    for n in 1..=COUNT {
        text += &format!("(call - (fn2) ((move _{n})) ())");
    }
    text += "(return))";
    let start = std::time::Instant::now();
    assert!(plain(&text).is_empty());
    // Far more than it takes: quadratic work would take longer.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
