//! What is said about names that are not there, and the like.

use super::harness::*;

#[test]
fn unknown_names() {
    refuse("int f(void) { return nix; }", "E0301", "`nix` is not declared");
    refuse("int f(void) { nix(); return nix(1); }", "E0301", "`nix`");
    refuse("void f(void) { int x; int x; x = x; }", "E0302", "`x`");
    refuse("void f(int x) { int x = 1; x++; }", "E0302", "`x`");
    refuse("int f(int *'r p) { int *'q z = p; return *z; }", "E0603", "'q");
    refuse("struct s { 'a x; };", "E0301", "'a");
    refuse("void f('a x, int *'a y);", "E1004", "'a");
}

#[test]
fn wrong_kinds() {
    refuse(
        "typedef int t; int f(void) { return sizeof(t) + (t)1 + f; } int g(void) { return f; } int h(t);  int k = t + 1;",
        "E0",
        "",
    );
}

#[test]
fn pointers() {
    refuse("int ?{3} p;", "E0204", "carries its bounds");
    refuse("int *@notnull@nullable p;", "E0204", "contradict");
    refuse("void f(void x);", "E0305", "void");
    refuse("int f(void)[3];", "E0203", "array");
}

#[test]
fn numbers() {
    refuse("int x = 12x;", "E0103", "suffix");
    refuse("unsigned long x = 99999999999999999999;", "E0103", "64 bits");
    refuse("char c = '\\q';", "E0104", "escape");
    refuse("char c = '';", "E01", "");
}

#[test]
fn deep_chains_do_not_overflow() {
    let sum = vec!["1"; 900].join(" + ");
    accept(&format!("int x = {sum};"));
    let stars = "*".repeat(5_000);
    let said = said(&format!("int {stars}p;"));
    assert!(said.iter().all(|line| line.starts_with("E0205")), "{said:?}");
}

#[test]
fn existing_names_are_not_lost() {
    // One unknown name is said once per function, and nothing follows from it.
    let said = said("int f(void) { return a + a + a; } int g(void) { return a; }");
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn patterns() {
    let said = said(
        "datatype t { A(int); B(int); }; int f(datatype t *x) { switch (x) { case &A(n): case &B(n): return n; default: return 0; } }",
    );
    assert!(said.len() == 2 && said.iter().all(|line| line.starts_with("E0803")), "{said:?}");
    refuse(
        "datatype t { A(int); }; int f(datatype t *x) { switch (x) { case &Q(n): return n; default: return 0; } }",
        "E0301",
        "variant `Q`",
    );
}
