//! Deep nesting gives E0205 (or parses) fast, and the tree can be dropped.

use super::parse;
use toft_base::stack::STACK_BYTES;

/// Runs on a stack of the compiler's size.
fn deep(texts: Vec<String>) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        for text in texts {
            let (_, errors) = parse(&text);
            let deep = errors.iter().filter(|error| error.starts_with("E0205")).count();
            assert!(deep <= 1 && errors.len() == deep, "{}: {errors:?}", &text[..60]);
        }
    });
    thread.expect("a thread").join().expect("no panic");
}

fn times(n: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(n), close.repeat(n))
}

#[test]
fn nesting() {
    let n = 10_000;
    let body = |text: String| format!("void f(void) {{ {text} }}");
    deep(vec![
        format!("int x = {};", times(n, "(", "1", ")")),
        format!("int x[] = {};", times(n, "{", "1", "}")),
        format!("int {};", times(n, "(", "x", ")")),
        format!("int {}x;", "*".repeat(n)),
        format!("int x{};", "[1]".repeat(n)),
        format!("int f{};", "(int)".repeat(n)),
        format!("int f{};", times(n, "(int g", "", ")")),
        body(times(n, "{", "", "}")),
        body(times(n, "if (1) ", ";", "")),
        body(times(n, "if (1) ; else ", ";", "")),
        body(times(n, "a: ", ";", "")),
        body(times(n, "case 1: ", ";", "")),
        body(format!("x = {}1;", "- ".repeat(n))),
        body(format!("x = {}1;", "(int)".repeat(n))),
        body(format!("x = 1{};", " + 1".repeat(n))),
        body(format!("x = 1{};", ", 1".repeat(n))),
        body(format!("x{};", "[0]".repeat(n))),
        body(format!("{}1;", "x = ".repeat(n))),
        body(format!("x ? {}1;", "1 : x ? ".repeat(n) + "1 : ")),
        body(times(n, "f(", "1", ")")),
        body(times(n, "({", "1;", "})")),
        body(format!("{} x;", times(n, "typeof(", "int", ")"))),
        body(format!("let {} = 1;", times(n, "$(", "a", ")"))),
        body(format!("let {}x = 1;", "& ".repeat(n))),
        body(times(n, "try { ", ";", "} catch { }")),
        times(n, "struct { ", "int x;", "} a;"),
        times(n, "namespace N { ", "int x;", "}"),
        times(n, "using N; ", "int x;", ""),
        times(n, "extern \"C\" ", "int x;", ""),
        format!("typedef int T; {} x;", times(n, "T<", "int", " >")),
        format!("{} x;", times(n, "$(", "int", ")")),
        body(times(n, "sizeof ", "x;", "")),
        body(times(n, "new ", "x;", "")),
        body(times(n, "throw ", "x;", "")),
    ]);
}

/// A chain inside each of many parentheses must not add up to a tree of unbounded height.
#[test]
fn nested_chains() {
    let chain = "+1".repeat(900);
    let text = format!("int x = {}1{};", "(".repeat(900), format!("{chain})").repeat(900));
    deep(vec![text]);
}

#[test]
fn long_flat_text_parses() {
    let n = 20_000;
    for text in [
        format!("int x[] = {{ {} }};", "1, ".repeat(n)),
        format!("int x{};", ", *y[2]".repeat(n)),
        format!("void f(void) {{ {} }}", "g(a[1] + 2, b->c.d);".repeat(n)),
        format!("enum E {{ {} }};", (0..n).map(|i| format!("E{i} = {i}, ")).collect::<String>()),
        format!("void f(void) {{ switch (x) {{ {} }} }}", "case 1: break;".repeat(n)),
        format!("char *s = {};", "\"a\" ".repeat(n)),
    ] {
        let (_, errors) = parse(&text);
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// Random soup of tokens: no panic, no endless loop.
#[test]
fn soup() {
    const PARTS: &[&str] = &[
        "int ",
        "x ",
        "* ",
        "( ",
        ") ",
        "{ ",
        "} ",
        "[ ",
        "] ",
        "; ",
        ", ",
        "= ",
        "struct ",
        "S ",
        "< ",
        "> ",
        ">> ",
        "'r ",
        "\\U ",
        "@ ",
        "? ",
        ": ",
        "case ",
        "if ",
        "for ",
        "let ",
        "new ",
        "typedef ",
        "datatype ",
        "region ",
        "try ",
        "catch ",
        "namespace ",
        "using ",
        "1 ",
        "\"s\" ",
        ":: ",
        "... ",
        "$ ",
        "@tagged ",
        "union ",
        "enum ",
        "& ",
        "&& ",
        "return ",
        "throw ",
        "else ",
        "@subset ",
        "static ",
        "sizeof ",
        ". ",
        "-> ",
        "\n",
        "@effect ",
        "@notnull ",
        "__attribute__ ",
        "asm ",
        "_Generic ",
        "do ",
        "while ",
        "switch ",
        "test ",
        "extern ",
        "\"C\" ",
        "open ",
        "alias ",
    ];
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        for _ in 0..4000 {
            let mut text = String::new();
            for _ in 0..60 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(PARTS[(state % PARTS.len() as u64) as usize]);
            }
            parse(&text);
            parse(&format!("void f(void) {{ {text}"));
        }
    });
    thread.expect("a thread").join().expect("no panic");
}
