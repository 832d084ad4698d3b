//! Malformed text: what is said, and that nothing more is said.

use super::fails;

#[test]
fn missing_semicolons() {
    fails("int x\nint y;", &["E0201 1:6 expected `;` after the declaration, found `int`"]);
    fails(
        "void f(void) {\n  g()\n  h();\n  return 1\n}",
        &[
            "E0201 2:6 expected `;` after the expression, found `h`",
            "E0201 4:11 expected `;` after `return`, found `}`",
        ],
    );
    fails(
        "struct S { int x; }\nint main(void) { return 0; }",
        &["E0201 1:20 expected `;` after the definition of a struct"],
    );
    fails(
        "struct S { int x }; struct T { int a\n int b; };",
        &[
            "E0201 1:17 expected `;` after the member, found `}`",
            "E0201 1:37 expected `;` after the member, found `int`",
        ],
    );
    fails(
        "enum E { A, B }\nvoid f(void);",
        &["E0201 1:16 expected `;` after the definition of an enumeration"],
    );
    fails(
        "int f(int x)\nint g(int y);\nint h(void) { return 1; }",
        &["E0201 1:13 expected `;` after the declaration, found `int`"],
    );
}

#[test]
fn unclosed() {
    fails(
        "void f(void) {\n  if (a {\n    g();\n  }\n  h(1, 2;\n  x[3;\n}\nint y;",
        &[
            "E0202 2:8 this `(` is not closed",
            "E0202 5:9 this `(` is not closed",
            "E0202 6:6 this `[` is not closed",
        ],
    );
    fails("void f(void) {\n  g();\n", &["E0202 2:7 this `{` is not closed"]);
    fails("int f(void) { return 0; } }\nint x;", &["E0201 1:27 this `}` closes nothing"]);
    fails("void f(void) { { {", &["E0202 1:19 this `{` is not closed"]);
    fails("int a[3;\nint b;", &["E0202 1:8 this `[` is not closed"]);
    fails("int a[3 = {1};", &["E0202 1:14 this `[` is not closed"]);
}

#[test]
fn a_brace_is_missing_before_the_next_function() {
    fails(
        "void f(void) {\n  if (x) {\n    g();\n}\nint h(void) { return 1; }\nint i(void) { return 2; }\nvoid j(void) { = }",
        &["E0202 5:1 this `{` is not closed", "E0201 7:16 expected an expression, found `=`"],
    );
    fails(
        "struct S {\n  int x;\nint h(void) { return 1; }\nint i(void) { return 2; }",
        &["E0202 3:1 this `{` is not closed"],
    );
    fails("main() { return 0; }\nint x;", &["E0203 1:1 the declaration of `main` has no type"]);
}

#[test]
fn each_statement_by_itself() {
    fails(
        "void f(void) {\n  a = ;\n  b + * ;\n  c[];\n  d();\n  if () e();\n  for (;;;) g();\n  x = (1 + );\n  f(1, );\n}",
        &[
            "E0201 2:7 expected an expression, found `;`",
            "E0201 3:9 expected an expression, found `;`",
            "E0201 4:5 expected an expression, found `]`",
            "E0201 6:7 expected an expression, found `)`",
            "E0201 7:10 expected an expression, found `;`",
            "E0201 8:12 expected an expression, found `)`",
            "E0201 9:8 expected an argument, found `)`",
        ],
    );
    fails(
        "int x = ;\nint y = 3 4;\nint z;",
        &[
            "E0201 1:9 expected an expression, found `;`",
            "E0201 2:10 expected `;` after the declaration, found `4`",
        ],
    );
    fails(
        "int f(int x y, int z) { return x; }\nint g(, ) { }\nint ok;",
        &["E0201 1:13 expected `)`, found `y`", "E0201 2:7 expected a type, found `,`"],
    );
    fails("void f(void) { else g(); }", &["E0206 1:16 this `else` belongs to no `if`"]);
    fails("void f(void) { x = 1; )\n y = 2; }", &["E0201 1:23 expected an expression, found `)`"]);
    fails("return 1;\nint x;", &["E0206 1:1 `return` stands outside any function"]);
    fails(
        "void f(void) { int g(void) { return 1; } x(); }",
        &["E0206 1:20 a function is defined inside another function"],
    );
    fails(
        "void f(void) { if (x) int y; }",
        &["E0206 1:23 a declaration cannot be the body of a statement"],
    );
    fails(
        "int f(a, b) int a; char *b; { return a; }\nint x;",
        &["E0201 1:13 the parameters are declared in the old style"],
    );
    fails("static x = 3;\nint y;", &["E0203 1:1 the declaration of `x` has no type"]);
    fails(
        "long char x; int struct S y; signed float z;",
        &[
            "E0203 1:1 these words together are no type",
            "E0203 1:14 two types in one declaration",
            "E0203 1:30 these words together are no type",
        ],
    );
    fails(
        "int int;\nint if = 3;",
        &[
            "E0203 1:1 these words together are no type",
            "E0201 2:5 `if` is a keyword and cannot be a name",
        ],
    );
    fails("int @ x = 1 # 2; int y;", &["E0201 1:12 expected `;` after the declaration, found `#`"]);
    fails("do { x(); }\nint y;", &["E0206 1:1 `do` stands outside any function"]);
    fails(
        "void f(void) { do { x(); } y(); switch (x) { case 1; y(); } z(); }",
        &[
            "E0201 1:28 this `do` has no `while`",
            "E0201 1:52 expected `:` after the pattern, found `;`",
        ],
    );
    fails(
        "enum E { A, 3, B };\nenum F { X Y };",
        &[
            "E0201 1:13 expected an enumerator or `}`, found `3`",
            "E0201 2:12 expected `,` between enumerators, found `Y`",
        ],
    );
    fails("void f(void) { x = $ ; y = 1; }", &["E0201 1:22 expected `(` after `$`, found `;`"]);
}

#[test]
fn unknown_characters_are_said_once() {
    fails(
        "int x;\u{1}\nint y = 3\u{7f};",
        &[
            "E0101 1:7 `\\u{1}` is no token of the language",
            "E0101 2:10 `\\u{7f}` is no token of the language",
        ],
    );
}

#[test]
fn toft_constructs() {
    fails("void f(void) { try { } g(); }", &["E0201 1:24 this `try` has no `catch`"]);
    fails("void f(void) { using A; x(); }", &["E0206 1:16 `using` stands only at file level"]);
    fails("int *\\Q p;", &["E0204 1:6 `\\Q` is no aliasability"]);
    fails(
        "struct S<int> { int x; };",
        &["E0204 1:10 a definition's parameters are type variables"],
    );
    fails(
        "void f(void) { let x 3; y(); region<'r> ; z(); }",
        &[
            "E0201 1:22 expected `=` after the pattern, found `3`",
            "E0201 1:41 expected the region handle's name, found `;`",
        ],
    );
    fails("extern \"D\" int x;", &["E0201 1:8 the only foreign language is \"C\""]);
    fails("'a::Z x;", &["E0201 1:5 expected a kind: `A`, `B`, `R`, `E`, `I` or `Q`, found `Z`"]);
}

#[test]
fn a_long_file_reports_each_slip_once() {
    // One slip per function; nothing leaks into the next.
    let text: String =
        (0..100).map(|n| format!("int f{n}(void) {{\n  g(;\n  return 1;\n}}\n")).collect();
    let (_, errors) = super::parse(&text);
    assert_eq!(errors.len(), 100, "{errors:#?}");
}
