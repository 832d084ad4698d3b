//! The text form reads back what it prints; the validator fires for each class of fault.

use toft_mir::validate::{Rule, validate};
use toft_mir::{Decls, text};

const TYPES: &str = r#"(tuple void bool char schar uchar short ushort int uint long ulong llong
  ullong float double ldouble (enum 3) (ptr int 'p0 \U notnull fat const volatile zt foreign)
  (ptr (array char #5 zt) 'b2 \RC null thin #p1) (vla int)
  (ptr (func (binder ("r" region \A implicit) ("e" effect \T)) (params (ptr int 'd0.0 \d0.1)) int
    (variadic typed long) (effect 'H 'd0.0) (outlives 'd0.0 'X) (single 'S) (consumes 5) noreturn)
    'n2.'p0 \p3 null thin #d1.2)
  (adt 2 (t int) (r 'e) (q \T) (n #_) (e 'H 'p1)) (variant 2 1) (param 0 "a b\"c") (bound 1 2)
  (tag #i4) (rgn 'i3) (aqual \i3) (sizeof_t (param 1 "b")) va_list (opaque 16 8) (infer 3) error
  (func (params) void (variadic inject int)) (ptr (func (params) void (variadic)) '_ \e))"#;

#[test]
fn types_read_back() {
    let ty = text::parse_ty(TYPES).expect("types");
    let printed = text::ty_text(ty);
    assert_eq!(text::parse_ty(&printed), Ok(ty), "{printed}");
}

const BODY: &str = r#"(body built fn7 "ns::f" @10..500 end @499..500
  (ret int) (params 1) (checks 14)
  (generics 1 ("r" region implicit) ("n" int \T))
  (region - - block @1..2) (region "r" 'b0 arena)
  (local "p" (ptr char 'p0 notnull fat) param @3..4 'b0 align 16 const volatile taken unused)
  (local - int temp) (local "x" (adt 1) user 'b1) (local "e" (ptr int) exn)
  (try bb2) (try bb3 0)
  (fact idle 14 1 3) (fact zero-fill 4) (fact dead 5 4)
  (bb0 (nop) @5..6 (live _2) (set (_2 .1 +_1 *3 *_1 %2.1 .0) (const -5 int)) @7..8
    (set _1 (neg (copy _1))) (set _1 (bitnot (move _1))) (set _1 (not (copy global3)))
    (set _1 (add (copy _1) (float 0x3ff0000000000000 double))) (set _1 (ge (copy _1) (const 1 int)))
    (set _1 (cast float-int (copy _1) int)) (set _0 (make-fat (copy _0) (const 3 ulong)))
    (set _0 (ptr-add (copy _0) (copy _1))) (set _1 (ptr-diff (copy _0) (copy _0)))
    (set _1 (fat-len (copy _0))) (set _1 (zt-len (copy _0))) (set _0 (view-fat (copy _0)))
    (set _2 (aggregate (0 (copy _1)) (7 (null (ptr int))))) (set _2 (variant 2 1 ((copy _1))))
    (set _0 (alloc int - -)) (set _0 (alloc (array int #3) (copy _1) (copy _0)))
    (set _0 (alloc int - - (const 1 (aqual \U)))) (give-back (_2 .1) _0) (set _0 (exn 2 1 (ptr int)))
    (set _1 (is-variant _2 2 1)) (set _1 (is-member (_2 .0) 1)) (set _1 (va-arg _2 long))
    (set _1 (ref (_0 *0))) (set _1 (sizeof int ulong)) (set _1 (alignof (param 0 "a") ulong))
    (set _0 (str 1 readonly (ptr char zt #3) "a\"b")) (set _0 (str 4 writable (ptr int) (0 7 9000)))
    (set _0 (func fn3 (ptr (func (params) void)) (t int)))
    (call - (fn3 (r 'H)) ((copy _1) (const 1 int)) ((copy _1)) noreturn suspends)
    (call _1 (through (copy _0)) () ()) (call _1 (gnu "__builtin_clz") () ())
    (call - (runtime "toft_gc_collect") () ())
    (set-tag _2 1) (alloca _2 int (copy _1)) (swap _1 _1) (dead _2) (try-push 0)
    (goto bb1))
  (bb1 unwind bb2
    (check 0 (not-null (copy _0))) (check 1 (index (copy _1) (const 3 ulong)))
    (check 2 (fat-index (copy _0) (copy _1))) (check 3 (zt-index 4 (copy _0) (copy _1)))
    (check 4 (zt-write 4 (copy _0) (copy _1) (const 0 char))) (check 5 (zt-add 0 (copy _0) (copy _1)))
    (check 6 (fat-at-least (copy _0) (copy _1))) (check 7 (fat-at-least null-ok (copy _0) (copy _1)))
    (check 8 (non-zero (copy _1))) (check 9 (shift 32 (copy _1)))
    (check 10 (float-fits int (copy _1))) (check 11 (no-overflow mul (copy _1) (copy _1)))
    (check 12 (tag _2 1)) (check 13 (assert (copy _1) "x > 0")) (check 13 (count (copy _1) int))
    (try-pop 0) (region-enter 'b1 _2 -) (region-enter 'b1 _2 (copy _0)) (region-exit 'b1)
    (borrow-enter 'b1 _2 (_0 *0)) (borrow-exit 'b1) (consume _2)
    (switch (copy _1) (1 5 bb3) (-9 -9 bb4) bb1)) 
  (bb2 (catch 0 _3) (if (copy _1) bb3 bb4))
  (bb3 (rethrow _3)) (bb4 (trap no-match)) (bb5 (throw (copy _3))) (bb6 (unreachable))
  (bb7 (return)) (bb8 (return (copy _1))))"#;

#[test]
fn bodies_read_back() {
    let body = text::parse(BODY).expect("a body");
    let printed = text::print(&body);
    let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(body, again);
    assert_eq!(printed, text::print(&again));
}

#[test]
fn bad_text_is_refused() {
    for bad in ["", "(", ")", "(body", "(body built fn0)", "(body built fn0 \"f\" (bb0))", "(x)"] {
        assert!(text::parse(bad).is_err(), "{bad}");
    }
    let deep = "(".repeat(100_000);
    assert!(text::parse(&deep).is_err());
}

const GOOD: &str = r#"(body built fn0 "f" (ret int) (params 1) (region - - block)
  (local "p" (ptr int) param) (local "x" int user) (local "e" (ptr int) exn)
  (local "q" (ptr int fat) temp) (local - ulong temp)
  (try bb2)
  (bb0 (live _1) (set _1 (const 0 int)) (try-push 0) (goto bb1))
  (bb1 unwind bb2 (check 0 (not-null (copy _0))) (set _1 (copy (_0 *0))) (try-pop 0) (goto bb3))
  (bb2 (catch 0 _2) (goto bb3))
  (bb3 (set _4 (const 1 ulong)) (return (copy _1))))"#;

fn rules(text: &str) -> Vec<Rule> {
    let body = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    validate(&Decls::default(), &body).into_iter().map(|violation| violation.rule).collect()
}

#[test]
fn a_good_body_is_good() {
    assert_eq!(rules(GOOD), []);
}

/// One change each, and the rule that must notice.
#[test]
fn every_rule_fires() {
    let mutants = [
        (Rule::Range, "(goto bb1)", "(goto bb9)"),
        (Rule::Range, "(copy _1)", "(copy _9)"),
        (
            Rule::CheckNumber,
            "(check 0 (not-null (copy _0)))",
            "(check 0 (not-null (copy _0))) (check 0 (non-zero (copy _1)))",
        ),
        (Rule::Place, "(copy (_0 *0))", "(copy (_0 .0))"),
        (Rule::Type, "(const 0 int)", "(const 0 ulong)"),
        (Rule::Type, "(set _4 (const 1 ulong))", "(set _4 (add (copy _1) (copy _1)))"),
        (Rule::Type, "(return (copy _1))", "(return (copy _0))"),
        (Rule::Pointer, "(const 1 ulong)", "(fat-len (copy _0))"),
        (Rule::Pointer, "(not-null (copy _0))", "(fat-index (copy _0) (const 0 int))"),
        (Rule::Try, "(try-pop 0)", ""),
        (Rule::Try, "unwind bb2", ""),
        (Rule::Storage, "(live _1)", ""),
        (Rule::Storage, "(try-pop 0)", "(try-pop 0) (dead _1) (dead _1)"),
        (Rule::Unchecked, "(check 0 (not-null (copy _0)))", ""),
        (Rule::Phase, "(local - ulong temp)", "(local - (infer 0) temp)"),
        (Rule::Shape, "(catch 0 _2)", "(nop) (catch 0 _2)"),
        (Rule::Shape, "(params 1)", "(params 2)"),
    ];
    for (rule, from, to) in mutants {
        assert!(GOOD.contains(from), "{from}");
        let found = rules(&GOOD.replacen(from, to, 1));
        assert!(found.contains(&rule), "{rule:?} for `{from}` -> `{to}`: {found:?}");
    }
}
