//! Definite assignment and zero-filling.

mod common;
use common::check;

#[test]
fn read_before_written() {
    let v = check(
        r#"(ret int) (params 0) (local "x" int user @10..11)
        (bb0 (live _0) (return (copy _0)) @20..21)"#,
    );
    assert_eq!(v.codes, ["E0701"]);
    assert!(v.messages[0].contains("`x` is read before"), "{:?}", v.messages);
}

#[test]
fn written_on_one_path() {
    let body = |other: &str| {
        format!(
            r#"(ret int) (params 1) (local "c" int param) (local "x" int user)
            (bb0 (live _1) (if (copy _0) bb1 bb2))
            (bb1 (set _1 (const 1 int)) (goto bb3))
            (bb2 {other} (goto bb3))
            (bb3 (return (copy _1)))"#
        )
    };
    let v = check(&body("(nop)"));
    assert_eq!(v.codes, ["E0701"]);
    assert!(v.messages[0].contains("may be read"), "{:?}", v.messages);
    assert!(check(&body("(set _1 (const 2 int))")).codes.is_empty());
}

#[test]
fn loops_come_back_to_life_uninitialised() {
    let v = check(
        r#"(ret void) (params 1) (local "c" int param) (local "x" int user) (local - int temp)
        (bb0 (goto bb1))
        (bb1 (live _1) (if (copy _0) bb2 bb3))
        (bb2 (set _2 (copy _1)) (set _1 (const 1 int)) (dead _1) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.codes, ["E0701"]);
}

#[test]
fn fields_one_by_one() {
    let body = |second: &str| {
        format!(
            r#"(ret int) (params 0) (local "p" (adt 0) user) (local - int temp)
            (bb0 (live _0) (set (_0 .0) (const 1 int)) {second}
                 (set _1 (add (copy (_0 .0)) (copy (_0 .1)))) (return (copy _1)))"#
        )
    };
    let v = check(&body(""));
    assert_eq!(v.codes, ["E0701"]);
    assert!(v.messages[0].contains("`p.y`"), "{:?}", v.messages);
    let v = check(&body("(set (_0 .1) (const 2 int))"));
    assert!(v.codes.is_empty() && v.zero_fill().is_empty());
}

#[test]
fn structs_copied_whole() {
    let none = check(
        r#"(ret (adt 0)) (params 0) (local "p" (adt 0) user)
        (bb0 (live _0) (return (copy _0)))"#,
    );
    assert_eq!(none.codes, ["E0701"]);
    let some = check(
        r#"(ret (adt 0)) (params 0) (local "p" (adt 0) user)
        (bb0 (live _0) (set (_0 .0) (const 1 int)) (return (copy _0)))"#,
    );
    assert_eq!((some.codes.len(), some.zero_fill()), (0, vec![0]));
    // `struct holder` has a not-null pointer: zero is no value of it.
    let holder = check(
        r#"(ret (adt 2)) (params 0) (local "h" (adt 2) user)
        (bb0 (live _0) (set (_0 .0) (const 1 int)) (return (copy _0)))"#,
    );
    assert_eq!(holder.codes, ["E0701"]);
}

#[test]
fn arrays_are_filled_only_when_needed() {
    let body = |first: &str| {
        format!(
            r#"(ret int) (params 0) (local "a" (array int #4) user) (local - (ptr int 'b0 notnull #4) temp)
            (bb0 (live _0) {first} (goto bb1))
            (bb1 (set (_0 +1) (const 1 int)) (return (copy (_0 +0))))"#
        )
    };
    assert_eq!(check(&body("(nop)")).zero_fill(), vec![0]);
    assert!(check(&body("(set _0 (aggregate))")).zero_fill().is_empty());
}

#[test]
fn passed_by_address() {
    let v = check(
        r#"(ret int) (params 0) (local "x" int user taken) (local - (ptr int 'b0 notnull) temp)
        (bb0 (live _0) (set _1 (ref _0)) (call - (fn0) ((copy _1)) ()) (return (copy _0)))"#,
    );
    assert_eq!((v.codes.len(), v.zero_fill()), (0, vec![0]));
    let v = check(
        r#"(ret void) (params 0) (local "p" (ptr int 'H notnull) user taken)
        (local - (ptr (ptr int 'H notnull) 'b0 notnull) temp)
        (bb0 (live _0) (set _1 (ref _0)) (call - (fn0) ((copy _1)) ()) (return))"#,
    );
    assert_eq!(v.codes, ["E0701"]);
}

#[test]
fn handlers_see_the_state_at_the_throw() {
    let body = |order: &str| {
        format!(
            r#"(ret int) (params 0) (local "x" int user) (local "e" (ptr int 'H) exn)
            (try bb2)
            (bb0 (live _0) (try-push 0) (goto bb1))
            (bb1 unwind bb2 {order} (try-pop 0) (goto bb3))
            (bb2 (catch 0 _1) (goto bb3))
            (bb3 (return (copy _0)))"#
        )
    };
    let late = check(&body("(call - (fn0) () ()) (set _0 (const 1 int))"));
    assert_eq!(late.codes, ["E0701"]);
    let early = check(&body("(set _0 (const 1 int)) (call - (fn0) () ())"));
    assert!(early.codes.is_empty(), "{:?}", early.messages);
    let result = check(&body("(call _0 (fn0) () ())"));
    assert_eq!(result.codes, ["E0701"]);
}

#[test]
fn missing_return_and_dead_code() {
    let v = check(
        r#"(ret int) (params 1) (local "c" int param)
        (bb0 (if (copy _0) bb1 bb2)) (bb1 (return (const 1 int)))
        (bb2 (trap missing-return))"#,
    );
    assert_eq!(v.codes, ["E0702"]);
    let v = check(
        r#"(ret int) (params 0)
        (bb0 (goto bb1)) (bb1 (if (const 1 int) bb1 bb2)) (bb2 (trap missing-return))"#,
    );
    assert!(v.codes.is_empty());
    assert_eq!(v.body.map(|body| body.facts.dead.iter().collect::<Vec<_>>()), Some(vec![2]));
}

#[test]
fn a_pointer_to_a_local_does_not_get_out() {
    let v = check(
        r#"(ret (ptr int 'H notnull)) (params 0) (local "x" int user taken)
        (local - (ptr int 'H notnull) temp)
        (bb0 (live _0) (set _0 (const 1 int)) (set _1 (ref _0)) @30..31 (return (copy _1)))"#,
    );
    assert_eq!(v.codes, ["E0601"]);
    let v = check(
        r#"(ret (ptr int 'b0 notnull)) (params 0) (local "x" int user taken)
        (local - (ptr int 'b0 notnull) temp)
        (bb0 (live _0) (set _0 (const 1 int)) (set _1 (ref _0)) (return (copy _1)))"#,
    );
    assert_eq!(v.codes, ["E0601"]);
}
