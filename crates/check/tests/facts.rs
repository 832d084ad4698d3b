//! Which checks are proved idle, and which are refused. Each test says in its name what it
//! is about; the C it stands for is in the comment.

mod common;
use common::check;

const ULONG: &str = "ulong";

/// `int f(int n) { int a[10]; for (int i = 0; i < 10; i++) a[i] = i; }`
#[test]
fn loop_up_to_the_length_of_an_array() {
    let v = check(
        r#"(ret void) (params 0)
        (local "a" (array int #10) user @10..11)
        (local "i" int user @12..13)
        (local - int temp)
        (bb0 (live _0) (live _1) (set _1 (const 0 int)) (goto bb1))
        (bb1 (set _2 (lt (copy _1) (const 10 int))) (if (copy _2) bb2 bb3))
        (bb2 (check 0 (index (copy _1) (const 10 ulong)))
             (set (_0 +_1) (copy _1))
             (set _1 (add (copy _1) (const 1 int))) (goto bb1))
        (bb3 (dead _1) (dead _0) (return))"#,
    );
    assert_eq!((v.codes.as_slice(), v.idle()), (&[][..], vec![0]));
    assert_eq!(v.zero_fill(), vec![0]);
}

/// `for (i = 0; i <= 10; i++) a[i]` on ten elements: the check stays.
#[test]
fn off_by_one_keeps_its_check() {
    let v = check(
        r#"(ret void) (params 0)
        (local "a" (array int #10) user)
        (local "i" int user)
        (local - int temp)
        (bb0 (live _0) (live _1) (set _0 (aggregate)) (set _1 (const 0 int)) (goto bb1))
        (bb1 (set _2 (le (copy _1) (const 10 int))) (if (copy _2) bb2 bb3))
        (bb2 (check 0 (index (copy _1) (const 10 ulong)))
             (set (_0 +_1) (copy _1))
             (set _1 (add (copy _1) (const 1 int))) (goto bb1))
        (bb3 (return))"#,
    );
    assert!(v.idle().is_empty() && v.codes.is_empty(), "{:?}", v.codes);
}

/// `int sum(tag_t<'n> n, int p[n]) { for (unsigned long i = 0; i < n; i++) s += p[i]; }`
#[test]
fn dependent_length() {
    let v = check(
        r#"(ret int) (params 2)
        (generics 1 ("n" int))
        (local "n" (tag #p0) param) (local "p" (ptr int 'H notnull #p0) param)
        (local "i" ulong user) (local "s" int user) (local - int temp) (local - int temp)
        (bb0 (live _2) (live _3) (set _3 (const 0 int)) (set _2 (const 0 ulong)) (goto bb1))
        (bb1 (set _4 (lt (copy _2) (copy _0))) (if (copy _4) bb2 bb3))
        (bb2 (check 0 (index (copy _2) (copy _0)))
             (set _5 (copy (_1 *_2)))
             (set _3 (add (copy _3) (copy _5)))
             (set _2 (add (copy _2) (const 1 ulong))) (goto bb1))
        (bb3 (return (copy _3)))"#,
    );
    assert_eq!(v.idle(), vec![0]);
}

/// The same with `int i`, compared after conversion: `i < n`.
#[test]
fn dependent_length_with_an_int_index() {
    let v = check(
        r#"(ret void) (params 2)
        (generics 1 ("n" int))
        (local "n" (tag #p0) param) (local "p" (ptr int 'H notnull #p0) param)
        (local "i" int user) (local - ulong temp) (local - int temp)
        (local "m" int param)
        (bb0 (live _2) (set _2 (const 0 int)) (goto bb1))
        (bb1 (set _3 (cast int-int (copy _2) ulong)) (set _4 (lt (copy _3) (copy _0)))
             (if (copy _4) bb2 bb3))
        (bb2 (check 0 (index (copy _2) (copy _0)))
             (set (_1 *_2) (const 1 int))
             (set _2 (add (copy _2) (const 1 int))) (goto bb1))
        (bb3 (return))"#
            .replace("(local \"m\" int param)", "")
            .as_str(),
    );
    // `i` may wrap when n is larger than an int can count: then it is negative, and its
    // conversion is larger than memory, so not below n.
    assert_eq!(v.idle(), vec![0]);
}

/// `for (i = 0; i < numelts(p); i++) p[i]` on a fat pointer.
#[test]
fn numelts_of_a_fat_pointer() {
    let v = check(
        r#"(ret void) (params 1)
        (local "p" (ptr int 'H fat) param)
        (local "i" ulong user) (local - ulong temp) (local - int temp)
        (bb0 (live _1) (set _1 (const 0 ulong)) (goto bb1))
        (bb1 (set _2 (fat-len (copy _0))) (set _3 (lt (copy _1) (copy _2))) (if (copy _3) bb2 bb3))
        (bb2 (check 0 (fat-index (copy _0) (copy _1)))
             (set (_0 *_1) (const 1 int))
             (set _1 (add (copy _1) (const 1 ulong))) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.idle(), vec![0]);
}

/// `p[i] = p[i] + 1; p[i - 1]…`: a check that was made is not made again.
#[test]
fn repeated_checks() {
    let v = check(
        r#"(ret void) (params 2)
        (local "p" (ptr int 'H fat) param) (local "i" int param)
        (local - int temp) (local "q" (ptr int 'H fat) user)
        (bb0 (check 0 (fat-index (copy _0) (copy _1)))
             (set _2 (copy (_0 *_1)))
             (check 1 (fat-index (copy _0) (copy _1)))
             (set (_0 *_1) (copy _2))
             (check 2 (fat-index (copy _0) (const 0 int)))
             (set (_0 *0) (copy _2))
             (live _3) (set _3 (copy _0)) (set _0 (null (ptr int 'H fat)))
             (check 3 (fat-index (copy _3) (const 0 int)))
             (set (_3 *0) (copy _2)) (return))"#,
    );
    // `i` may be negative (the pointer may stand past its first element), so the second check
    // is needed; one at 0 serves the next at 0, through a copy too.
    assert_eq!(v.idle(), vec![3]);
}

/// A fresh allocation: `int ?p = malloc(n * sizeof(int)); for (i = 0; i < n; i++) p[i] = 0;`
#[test]
fn fresh_allocation() {
    let v = check(
        r#"(ret void) (params 1)
        (local "n" int param) (local "p" (ptr int 'H fat) user) (local "i" int user)
        (local - ulong temp) (local - (ptr int 'H notnull #_) temp) (local - int temp)
        (bb0 (live _1) (check 0 (count (copy _0) int))
             (set _3 (cast int-int (copy _0) ulong))
             (set _4 (alloc int (copy _3) -))
             (set _1 (make-fat (copy _4) (copy _3)))
             (live _2) (set _2 (const 0 int)) (goto bb1))
        (bb1 (set _5 (lt (copy _2) (copy _0))) (if (copy _5) bb2 bb3))
        (bb2 (check 1 (fat-index (copy _1) (copy _2)))
             (set (_1 *_2) (const 0 int))
             (set _2 (add (copy _2) (const 1 int))) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.idle(), vec![1]);
}

/// `malloc(n + 1)`, then `for (i = 0; i <= n; i++) p[i]`: the count check rules the wrap out.
#[test]
fn allocation_of_one_more() {
    let v = check(
        r#"(ret void) (params 1)
        (local "n" int param) (local "p" (ptr int 'H fat) user) (local "i" int user)
        (local - ulong temp) (local - (ptr int 'H notnull #_) temp) (local - int temp)
        (local - int temp)
        (bb0 (live _1) (set _6 (add (copy _0) (const 1 int)))
             (check 0 (count (copy _6) int))
             (set _3 (cast int-int (copy _6) ulong))
             (set _4 (alloc int (copy _3) -))
             (set _1 (make-fat (copy _4) (copy _3)))
             (live _2) (set _2 (const 0 int)) (goto bb1))
        (bb1 (set _5 (le (copy _2) (copy _0))) (if (copy _5) bb2 bb3))
        (bb2 (check 1 (fat-index (copy _1) (copy _2)))
             (set (_1 *_2) (const 0 int))
             (set _2 (add (copy _2) (const 1 int))) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.idle(), vec![1]);
}

/// Matrix multiply on `double a[64][64]`: three nested loops, all checks idle.
#[test]
fn matrix_multiply() {
    let m = "(ptr (array double #64) 'H notnull #64)";
    let text = format!(
        r#"(ret void) (params 3)
        (local "a" {m} param) (local "b" {m} param) (local "c" {m} param)
        (local "i" int user) (local "j" int user) (local "k" int user) (local "s" double user)
        (local - int temp) (local - double temp)
        (bb0 (live _3) (set _3 (const 0 int)) (goto bb1))
        (bb1 (set _7 (lt (copy _3) (const 64 int))) (if (copy _7) bb2 bb10))
        (bb2 (live _4) (set _4 (const 0 int)) (goto bb3))
        (bb3 (set _7 (lt (copy _4) (const 64 int))) (if (copy _7) bb4 bb9))
        (bb4 (live _6) (set _6 (float 0x0 double)) (live _5) (set _5 (const 0 int)) (goto bb5))
        (bb5 (set _7 (lt (copy _5) (const 64 int))) (if (copy _7) bb6 bb8))
        (bb6 (check 0 (index (copy _3) (const 64 ulong))) (check 1 (index (copy _5) (const 64 ulong)))
             (check 2 (index (copy _5) (const 64 ulong))) (check 3 (index (copy _4) (const 64 ulong)))
             (set _8 (mul (copy (_0 *_3 +_5)) (copy (_1 *_5 +_4))))
             (set _6 (add (copy _6) (copy _8)))
             (set _5 (add (copy _5) (const 1 int))) (goto bb5))
        (bb8 (dead _5) (check 4 (index (copy _3) (const 64 ulong))) (check 5 (index (copy _4) (const 64 ulong)))
             (set (_2 *_3 +_4) (copy _6)) (dead _6)
             (set _4 (add (copy _4) (const 1 int))) (goto bb3))
        (bb9 (dead _4) (set _3 (add (copy _3) (const 1 int))) (goto bb1))
        (bb10 (return))"#
    )
    .replace("bb10", "bbx")
    .replace("bb8", "bb7")
    .replace("bb9", "bb8")
    .replace("bbx", "bb9");
    assert_eq!(check(&text).idle(), vec![0, 1, 2, 3, 4, 5]);
}

/// Sieve: `for (i = 2; i < 8192; i++) if (f[i]) for (j = i + i; j < 8192; j += i) f[j] = 0;`
#[test]
fn sieve() {
    let v = check(
        r#"(ret void) (params 1)
        (local "f" (ptr char 'H notnull #8192) param)
        (local "i" int user) (local "j" int user) (local - int temp)
        (bb0 (live _1) (set _1 (const 2 int)) (goto bb1))
        (bb1 (set _3 (lt (copy _1) (const 8192 int))) (if (copy _3) bb2 bb7))
        (bb2 (check 0 (index (copy _1) (const 8192 ulong)))
             (set _3 (cast int-int (copy (_0 *_1)) int)) (if (copy _3) bb3 bb6))
        (bb3 (live _2) (set _2 (add (copy _1) (copy _1))) (goto bb4))
        (bb4 (set _3 (lt (copy _2) (const 8192 int))) (if (copy _3) bb5 bb6))
        (bb5 (check 1 (index (copy _2) (const 8192 ulong)))
             (set (_0 *_2) (const 0 char))
             (set _2 (add (copy _2) (copy _1))) (goto bb4))
        (bb6 (set _1 (add (copy _1) (const 1 int))) (goto bb1))
        (bb7 (return))"#,
    );
    assert_eq!(v.idle(), vec![0, 1]);
}

/// Insertion sort over `int a[n]`: `j = i - 1; while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; }`
#[test]
fn insertion_sort() {
    let v = check(
        r#"(ret void) (params 2)
        (generics 1 ("n" int))
        (local "n" (tag #p0) param) (local "a" (ptr int 'H notnull #p0) param)
        (local "i" long user) (local "j" long user) (local "key" int user)
        (local - int temp) (local - long temp) (local - ulong temp)
        (bb0 (live _2) (set _2 (const 1 long)) (goto bb1))
        (bb1 (set _7 (cast int-int (copy _2) ulong)) (set _5 (lt (copy _7) (copy _0))) (if (copy _5) bb2 bb7))
        (bb2 (live _4) (check 0 (index (copy _2) (copy _0))) (set _4 (copy (_1 *_2)))
             (live _3) (set _3 (sub (copy _2) (const 1 long))) (goto bb3))
        (bb3 (set _5 (ge (copy _3) (const 0 long))) (if (copy _5) bb4 bb6))
        (bb4 (check 1 (index (copy _3) (copy _0)))
             (set _5 (gt (copy (_1 *_3)) (copy _4))) (if (copy _5) bb5 bb6))
        (bb5 (set _6 (add (copy _3) (const 1 long)))
             (check 2 (index (copy _6) (copy _0))) (check 3 (index (copy _3) (copy _0)))
             (set (_1 *_6) (copy (_1 *_3)))
             (set _3 (sub (copy _3) (const 1 long))) (goto bb3))
        (bb6 (set _6 (add (copy _3) (const 1 long)))
             (check 4 (index (copy _6) (copy _0)))
             (set (_1 *_6) (copy _4)) (dead _3) (dead _4)
             (set _2 (add (copy _2) (const 1 long))) (goto bb1))
        (bb7 (return))"#,
    );
    assert_eq!(v.idle(), vec![0, 1, 2, 3, 4]);
}

/// Binary search: `while (lo <= hi) { mid = lo + (hi - lo) / 2; a[mid] … }`.
#[test]
fn binary_search() {
    let v = check(
        r#"(ret int) (params 2)
        (local "a" (ptr int 'H notnull #1000) param) (local "x" int param)
        (local "lo" int user) (local "hi" int user) (local "mid" int user)
        (local - int temp) (local - int temp)
        (bb0 (live _2) (live _3) (set _2 (const 0 int)) (set _3 (const 999 int)) (goto bb1))
        (bb1 (set _5 (le (copy _2) (copy _3))) (if (copy _5) bb2 bb6))
        (bb2 (live _4) (set _5 (sub (copy _3) (copy _2))) (set _6 (div (copy _5) (const 2 int)))
             (set _4 (add (copy _2) (copy _6)))
             (check 0 (index (copy _4) (const 1000 ulong)))
             (set _5 (lt (copy (_0 *_4)) (copy _1))) (if (copy _5) bb3 bb4))
        (bb3 (set _2 (add (copy _4) (const 1 int))) (goto bb5))
        (bb4 (set _3 (sub (copy _4) (const 1 int))) (goto bb5))
        (bb5 (dead _4) (goto bb1))
        (bb6 (return (const -1 int)))"#,
    );
    assert_eq!(v.idle(), vec![0]);
}

/// `h = h * 31 + c; t[h % 256]`, `t[h & 255]`, `t[(unsigned char)h]`, `t[h >> 24]`.
#[test]
fn hashing() {
    let v = check(
        r#"(ret void) (params 2)
        (local "t" (ptr int 'H notnull #256) param) (local "h" uint param)
        (local - uint temp) (local - uchar temp)
        (bb0 (set _2 (rem (copy _1) (const 256 uint)))
             (check 0 (index (copy _2) (const 256 ulong))) (set (_0 *_2) (const 1 int))
             (set _2 (and (copy _1) (const 255 uint)))
             (check 1 (index (copy _2) (const 256 ulong))) (set (_0 *_2) (const 1 int))
             (set _3 (cast int-int (copy _1) uchar))
             (check 2 (index (copy _3) (const 256 ulong))) (set (_0 *_3) (const 1 int))
             (check 3 (shift 32 (const 24 int)))
             (set _2 (shr (copy _1) (const 24 int)))
             (check 4 (index (copy _2) (const 256 ulong))) (set (_0 *_2) (const 1 int))
             (return))"#,
    );
    assert_eq!(v.idle(), vec![0, 1, 2, 3, 4]);
}

/// `for (p = head; p; p = p->next) s += p->v;` and `if (p == NULL) return; p->v`.
#[test]
fn null_tests() {
    let node = "(ptr (adt 1) 'H)";
    let v = check(&format!(
        r#"(ret int) (params 1)
        (local "head" {node} param) (local "p" {node} user) (local - int temp)
        (bb0 (live _1) (set _1 (copy _0)) (goto bb1))
        (bb1 (set _2 (ne (copy _1) (null {node}))) (if (copy _2) bb2 bb3))
        (bb2 (check 0 (not-null (copy _1))) (check 1 (not-null (copy _1)))
             (set _1 (copy (_1 *0 .0))) (goto bb1))
        (bb3 (set _2 (eq (copy _0) (null {node}))) (if (copy _2) bb4 bb5))
        (bb4 (return (const 0 int)))
        (bb5 (check 2 (not-null (copy _0))) (return (copy (_0 *0 .1))))"#
    ));
    assert_eq!((v.codes.as_slice(), v.idle()), (&[][..], vec![0, 1, 2]));
}

/// `if (p->next && p->next->v)`: the load is remembered; after a call it is not.
#[test]
fn remembered_loads() {
    let node = "(ptr (adt 1) 'H)";
    let v = check(&format!(
        r#"(ret int) (params 1)
        (local "p" (ptr (adt 1) 'H notnull) param) (local - int temp)
        (bb0 (set _1 (ne (copy (_0 *0 .0)) (null {node}))) (if (copy _1) bb1 bb2))
        (bb1 (check 0 (not-null (copy (_0 *0 .0))))
             (set _1 (copy (_0 *0 .0 *0 .1)))
             (set (_0 *0 .1) (copy _1))
             (check 1 (not-null (copy (_0 *0 .0))))
             (call - (fn0) () ())
             (check 2 (not-null (copy (_0 *0 .0))))
             (return (copy (_0 *0 .0 *0 .1))))
        (bb2 (return (const 0 int)))"#
    ));
    assert_eq!(v.idle(), vec![0, 1]);
}

/// `int *p = NULL; *p`.
#[test]
fn certainly_null() {
    let v = check(
        r#"(ret int) (params 0) (local "p" (ptr int 'H) user)
        (bb0 (live _0) (set _0 (null (ptr int 'H))) (check 0 (not-null (copy _0))) @50..51
             (return (copy (_0 *0))))"#,
    );
    assert_eq!(v.codes, ["E0504"]);
    assert!(v.messages[0].contains("`p`"), "{:?}", v.messages);
}

/// Null on one path only is no error.
#[test]
fn perhaps_null() {
    let v = check(
        r#"(ret int) (params 2) (local "p" (ptr int 'H) param) (local "c" int param)
        (bb0 (if (copy _1) bb1 bb2))
        (bb1 (set _0 (null (ptr int 'H))) (goto bb2))
        (bb2 (check 0 (not-null (copy _0))) (return (copy (_0 *0))))"#,
    );
    assert!(v.codes.is_empty() && v.idle().is_empty());
}

/// `a[10]` through a variable; `x / 0`; `1 << 40`; a broken assertion.
#[test]
fn certain_failures() {
    let one = |body: &str| check(body).codes;
    let index = one(
        r#"(ret int) (params 1) (local "a" (ptr int 'H notnull #10) param) (local "i" int user)
        (bb0 (live _1) (set _1 (const 10 int)) (check 0 (index (copy _1) (const 10 ulong)))
             (return (copy (_0 *_1))))"#,
    );
    assert_eq!(index, ["E0503"]);
    let zero =
        one(r#"(ret int) (params 1) (local "x" int param) (local "z" int user) (local - int temp)
        (bb0 (live _1) (set _1 (const 0 int)) (check 0 (non-zero (copy _1)))
             (set _2 (div (copy _0) (copy _1))) (return (copy _2)))"#);
    assert_eq!(zero, ["E0511"]);
    let shift =
        one(r#"(ret int) (params 1) (local "x" int param) (local "z" int user) (local - int temp)
        (bb0 (live _1) (set _1 (const 40 int)) (check 0 (shift 32 (copy _1)))
             (set _2 (shl (copy _0) (copy _1))) (return (copy _2)))"#);
    assert_eq!(shift, ["E0511"]);
    let assert = one(r#"(ret void) (params 0) (local "x" int user) (local - int temp)
        (bb0 (live _0) (set _0 (const 3 int)) (set _1 (gt (copy _0) (const 5 int)))
             (check 0 (assert (copy _1) "x > 5")) (return))"#);
    assert_eq!(assert, ["E1201"]);
}

/// `while (*s) s++;` and `for (i = 0; s[i]; i++)` on a zero-terminated string.
#[test]
fn strings() {
    let v = check(
        r#"(ret void) (params 1) (local "s" (ptr char 'H notnull zt const #0) param)
        (local - char temp) (local - int temp)
        (bb0 (goto bb1))
        (bb1 (set _1 (copy (_0 *0))) (set _2 (cast int-int (copy _1) int)) (if (copy _2) bb2 bb3))
        (bb2 (check 0 (zt-add 0 (copy _0) (const 1 int)))
             (set _0 (ptr-add (copy _0) (const 1 int))) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.idle(), vec![0]);
    let v = check(
        r#"(ret void) (params 1) (local "s" (ptr char 'H notnull zt const #0) param)
        (local "i" long user) (local - char temp) (local - int temp)
        (bb0 (live _1) (set _1 (const 0 long)) (goto bb1))
        (bb1 (check 0 (zt-index 0 (copy _0) (copy _1)))
             (set _2 (copy (_0 *_1))) (set _3 (ne (copy _2) (const 0 char))) (if (copy _3) bb2 bb3))
        (bb2 (check 1 (zt-index 0 (copy _0) (copy _1)))
             (set _2 (copy (_0 *_1)))
             (set _1 (add (copy _1) (const 1 long))) (goto bb1))
        (bb3 (return))"#,
    );
    assert!(v.idle().contains(&1), "{:?}", v.idle());
}

/// A write between the test and the step ends what was known of the string.
#[test]
fn strings_change() {
    let v = check(
        r#"(ret void) (params 2) (local "s" (ptr char 'H notnull zt #0) param)
        (local "t" (ptr char 'H notnull nozt #1) param)
        (local - char temp)
        (bb0 (set _2 (copy (_0 *0))) (if (copy _2) bb1 bb2))
        (bb1 (set (_1 *0) (const 0 char))
             (check 0 (zt-add 0 (copy _0) (const 1 int)))
             (set _0 (ptr-add (copy _0) (const 1 int))) (goto bb2))
        (bb2 (return))"#
            .replace(" nozt", "")
            .as_str(),
    );
    assert!(v.idle().is_empty());
}

/// A variable whose address went out is not followed.
#[test]
fn address_taken() {
    let v = check(
        r#"(ret void) (params 1) (local "a" (ptr int 'H notnull #10) param)
        (local "i" int user taken) (local "p" (ptr int 'b0 notnull #1) user)
        (bb0 (live _1) (set _1 (const 3 int)) (live _2) (set _2 (ref _1))
             (set (_2 *0) (const 30 int))
             (check 0 (index (copy _1) (const 10 ulong)))
             (set (_0 *_1) (const 1 int)) (return))"#,
    );
    assert!(v.codes.is_empty() && v.idle().is_empty(), "{:?}", v.codes);
}

/// Values that a block assigns do not reach its handler.
#[test]
fn handlers() {
    let v = check(
        r#"(ret void) (params 2) (local "a" (ptr int 'H notnull #10) param) (local "k" int param)
        (local "i" int user) (local "e" (ptr int 'H) exn)
        (try bb2)
        (bb0 (live _2) (set _2 (const 0 int)) (try-push 0) (goto bb1))
        (bb1 unwind bb2 (set _2 (const 5 int)) (call - (fn0) () ()) (set _2 (const 50 int))
             (call - (fn0) () ()) (try-pop 0) (goto bb3))
        (bb2 (catch 0 _3) (check 0 (index (copy _2) (const 10 ulong)))
             (set (_0 *_2) (const 1 int)) (goto bb3))
        (bb3 (return))"#,
    );
    assert!(v.codes.is_empty() && v.idle().is_empty(), "{:?} {:?}", v.codes, v.idle());
}

/// Wrapping arithmetic proves nothing: `i + 1` may be negative.
#[test]
fn wrapping() {
    let v = check(
        r#"(ret void) (params 2) (local "a" (ptr int 'H notnull #10) param) (local "i" int param)
        (local "j" int user) (local - int temp)
        (bb0 (live _2) (set _2 (add (copy _1) (const 1 int)))
             (set _3 (ge (copy _1) (const 0 int))) (if (copy _3) bb1 bb2))
        (bb1 (set _3 (lt (copy _2) (const 10 int))) (if (copy _3) bb3 bb2))
        (bb2 (return))
        (bb3 (check 0 (index (copy _2) (const 10 ulong))) (set (_0 *_2) (const 1 int)) (return))"#,
    );
    assert!(v.idle().is_empty());
}

/// Unsigned counting down: `while (n-- > 0) a[n]`.
#[test]
fn counting_down() {
    let v = check(
        r#"(ret void) (params 1) (local "a" (ptr int 'H notnull #100) param)
        (local "n" ulong user) (local - ulong temp) (local - int temp)
        (bb0 (live _1) (set _1 (const 100 ulong)) (goto bb1))
        (bb1 (set _2 (copy _1)) (set _1 (sub (copy _1) (const 1 ulong)))
             (set _3 (gt (copy _2) (const 0 ulong))) (if (copy _3) bb2 bb3))
        (bb2 (check 0 (index (copy _1) (const 100 ulong))) (set (_0 *_1) (const 1 int)) (goto bb1))
        (bb3 (return))"#,
    );
    // The decrement comes before the test, and may wrap: this one keeps its check.
    assert!(v.codes.is_empty());
    let v = check(
        r#"(ret void) (params 1) (local "a" (ptr int 'H notnull #100) param)
        (local "i" int user) (local - int temp)
        (bb0 (live _1) (set _1 (const 99 int)) (goto bb1))
        (bb1 (set _2 (ge (copy _1) (const 0 int))) (if (copy _2) bb2 bb3))
        (bb2 (check 0 (index (copy _1) (const 100 ulong))) (set (_0 *_1) (const 1 int))
             (set _1 (sub (copy _1) (const 1 int))) (goto bb1))
        (bb3 (return))"#,
    );
    assert_eq!(v.idle(), vec![0]);
}

/// Two indices towards each other: `while (i < j) { swap(a[i], a[j]); i++; j--; }`.
#[test]
fn reverse_in_place() {
    let v = check(
        r#"(ret void) (params 2)
        (generics 1 ("n" int))
        (local "n" (tag #p0) param) (local "a" (ptr int 'H notnull #p0) param)
        (local "i" long user) (local "j" long user) (local - int temp) (local - long temp)
        (bb0 (live _2) (live _3) (set _2 (const 0 long)) (set _5 (cast int-int (copy _0) long))
             (set _3 (sub (copy _5) (const 1 long))) (goto bb1))
        (bb1 (set _4 (lt (copy _2) (copy _3))) (if (copy _4) bb2 bb3))
        (bb2 (check 0 (index (copy _2) (copy _0))) (check 1 (index (copy _3) (copy _0)))
             (swap (_1 *_2) (_1 *_3))
             (set _2 (add (copy _2) (const 1 long))) (set _3 (sub (copy _3) (const 1 long))) (goto bb1))
        (bb3 (return))"#,
    );
    // n may be larger than a long can hold, so the upper end is not known without the check;
    // the lower end follows from the upper one.
    assert!(v.codes.is_empty());
    assert_eq!(ULONG, "ulong");
}

/// Tags: what was written is what is read.
#[test]
fn tags() {
    let v = check(
        r#"(ret int) (params 1) (local "u" (adt 3) user) (local "x" int user)
        (bb0 (live _0) (set-tag _0 0) (set (_0 .0) (const 1 int)) (check 0 (tag _0 0))
             (return (copy (_0 .0))))"#
            .replace("(params 1)", "(params 0)")
            .as_str(),
    );
    assert_eq!(v.idle(), vec![0], "{:?}", v.messages);
    let v = check(
        r#"(ret int) (params 0) (local "u" (adt 3) user)
        (bb0 (live _0) (set-tag _0 1) (set (_0 .1) (null (ptr int 'H))) (check 0 (tag _0 0)) @60..62
             (return (copy (_0 .0))))"#,
    );
    assert_eq!(v.codes, ["E0805"]);
}
