//! Program texts that are broken, deep or long.

use super::{Act, Test, Want};

fn check(name: impl Into<String>, want: Want, text: impl Into<Vec<u8>>) -> Test {
    Test { name: name.into(), want, act: Act::Check(text.into()) }
}

pub fn all() -> Vec<Test> {
    let mut tests = Vec::new();
    nested(&mut tests);
    truncated(&mut tests);
    long(&mut tests);
    odd_bytes(&mut tests);
    tests
}

const DEEP: usize = 10_000;

/// Ten thousand levels of everything that nests: a message, no crash. What only looks deep
/// (a chain that the grammar makes flat) may be accepted.
fn nested(tests: &mut Vec<Test>) {
    let body = |text: String| format!("int main(void) {{ int x = 0; {text} return x; }}\n");
    let deep = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let too_deep = Want::Refused(1, "E0205");
    let shapes = [
        ("parentheses", body(format!("x = {};", deep("(", "1", ")")))),
        ("blocks", body(deep("{", ";", "}"))),
        ("ifs", body(deep("if (x) ", ";", ""))),
        ("loops", body(deep("while (x) ", ";", ""))),
        ("fors", body(deep("for (;;) ", "break;", ""))),
        ("switches", body(deep("switch (x) case 1: ", ";", ""))),
        ("negations", body(format!("x = {};", deep("- ", "1", "")))),
        ("nots", body(format!("x = {};", deep("!", "x", "")))),
        ("casts", body(format!("x = {};", deep("(int)", "1", "")))),
        ("calls", format!("int f(int n);\n{}", body(format!("x = {};", deep("f(", "1", ")"))))),
        ("conditionals", body(format!("x = {};", deep("x ? 1 : ", "2", "")))),
        ("initialisers", format!("int a[1] = {};\n", deep("{", "1", "}"))),
        ("declarators", format!("int {};\n", deep("(", "x", ")"))),
        ("functions of functions", format!("int {};\n", deep("(*", "f", ")(void)"))),
        ("structs", deep("struct {", "int x;", "} m;")),
        ("tuples", format!("{} x;\n", deep("$(int, ", "int", ")"))),
        ("statement expressions", body(format!("x = {};", deep("({", "1;", "})")))),
        ("labels", body((0..DEEP).map(|n| format!("l{n}: ")).collect::<String>() + ";")),
        ("tries", body(deep("try ", ";", " catch { default: ; }"))),
        ("elses", body(deep("if (x) ; else ", ";", ""))),
        ("sizeofs", body(format!("x = {};", deep("sizeof ", "x", "")))),
        ("commas in brackets", body(format!("x = {};", deep("a[", "0", "]")))),
        ("attributes", deep("__attribute__((aligned(", "1", ")))")),
    ];
    for (name, text) in shapes {
        // Some of these are wrong in other ways too; an orderly end is what matters.
        let exact = matches!(name, "parentheses" | "blocks" | "ifs" | "calls" | "initialisers");
        tests.push(check(
            format!("deep {name}"),
            if exact { too_deep } else { Want::Orderly },
            text,
        ));
    }
    flat_chains(tests);
    deep_macros(tests);
}

fn flat_chains(tests: &mut Vec<Test>) {
    let sum = format!("int main(void) {{ int x = 0; return {}0; }}\n", "x + ".repeat(DEEP));
    tests.push(check("chain of additions", Want::Orderly, sum));
    let stars = format!("int {}p;\n", "*".repeat(DEEP));
    tests.push(check("deep pointers", Want::Orderly, stars));
    let arrays = format!("int a{};\n", "[1]".repeat(DEEP));
    tests.push(check("deep arrays", Want::Orderly, arrays));
    let members = format!("int f(int x) {{ return x{}; }}\n", ".a".repeat(DEEP));
    tests.push(check("chain of members", Want::Orderly, members));
    let commas = format!("int main(void) {{ int x = 0; return {}0; }}\n", "x, ".repeat(DEEP));
    tests.push(check("chain of commas", Want::Orderly, commas));
    let assigns = format!("int main(void) {{ int x; {}0; return x; }}\n", "x = ".repeat(DEEP));
    tests.push(check("chain of assignments", Want::Orderly, assigns));
    for (name, count) in [("a thousand labels", 1000), ("ten thousand labels", DEEP)] {
        let cases: String = (0..count).map(|n| format!("case {n}: ")).collect();
        let text = format!("int f(int x) {{ switch (x) {{ {cases} return 1; }} return 0; }}\n");
        tests.push(check(name, if count < DEEP { Want::Fine } else { Want::Orderly }, text));
    }
    let cases: String = (0..DEEP).map(|n| format!("case {n}: return {n} / 2;\n")).collect();
    let text = format!("int f(int x) {{ switch (x) {{ {cases} }} return 0; }}\n");
    tests.push(check("ten thousand cases", Want::Fine, text));
    let ifs = "#if 1\n".repeat(DEEP) + &"#endif\n".repeat(DEEP) + "int main(void) { return 0; }\n";
    tests.push(check("deep #if", Want::Orderly, ifs));
}

fn deep_macros(tests: &mut Vec<Test>) {
    let mut chain = String::from("#define M0 1\n");
    for n in 1..DEEP {
        chain.push_str(&format!("#define M{n} M{}\n", n - 1));
    }
    chain.push_str(&format!("int x = M{};\nint main(void) {{ return x; }}\n", DEEP - 1));
    tests.push(check("chain of macros", Want::Orderly, chain));
    // Thirty doublings: a thousand million tokens.
    let mut bomb = String::from("#define B0 1 +\n");
    for n in 1..=30 {
        bomb.push_str(&format!("#define B{n} B{0} B{0}\n", n - 1));
    }
    bomb.push_str("int x = B30 1;\n");
    tests.push(check("macro bomb", Want::Refused(1, "E0901"), bomb));
    let calls = format!("#define F(x) x\nint x = {}1{};\n", "F(".repeat(DEEP), ")".repeat(DEEP));
    tests.push(check("deep macro calls", Want::Orderly, calls));
    let parens = format!("#if {}1{}\n#endif\n", "(".repeat(DEEP), ")".repeat(DEEP));
    tests.push(check("deep #if condition", Want::Orderly, parens));
}

const PROGRAM: &str = r#"#include <stdio.h>
#define TWICE(x) ((x) + (x))
struct node { int value; struct node *next; };
@tagged union number { int i; double d; };
datatype shape { Circle(double); Box(double, double); };
static int sum(struct node *list) {
    int total = 0;
    for (struct node *n = list; n != NULL; n = n->next)
        total += TWICE(n->value);
    return total;
}
int main(int argc, char **argv) {
    char text[] = "a\tb\x41";
    struct node last = { .value = 'x', .next = NULL };
    try {
        switch (argc) { case 1: printf("%s %d\n", text, sum(&last)); break; default: throw new Arithmetic; }
    } catch { case &Arithmetic: return 0x1F; default: return 2; }
    /* the end */
    return 0;
}
"#;

/// The text cut off in many places: orderly, whatever it says.
fn truncated(tests: &mut Vec<Test>) {
    for at in (1..PROGRAM.len()).step_by(23) {
        tests.push(check(format!("cut at {at}"), Want::Orderly, &PROGRAM.as_bytes()[..at]));
    }
    let refused = |code| Want::Refused(1, code);
    tests.push(check("open comment", refused("E0102"), "int x; /* and so on"));
    tests.push(check("open string", refused("E0102"), "char *s = \"and so on"));
    tests.push(check("open character", refused("E0102"), "int c = '+"));
    tests.push(check("open #if", refused("E0108"), "#if 1\nint x;\n"));
    tests.push(check("lone #else", refused("E0108"), "#else\nint x;\n"));
    tests.push(check("open brace", refused("E0202"), "int main(void) { return 0;\n"));
    tests.push(check("open macro call", refused("E0109"), "#define F(x) x\nint x = F(1\n"));
    tests.push(check("backslash at the end", Want::Orderly, "int x;\\"));
    tests.push(check("no newline at the end", Want::Fine, "int main(void) { return 0; }"));
    tests.push(check("no main is fine for check", Want::Fine, "int x;\n"));
    tests.push(check("empty", Want::Fine, ""));
    tests.push(check("blank", Want::Fine, " \n\t\n\r\n"));
}

fn long(tests: &mut Vec<Test>) {
    const TEN_MILLION: usize = 10_000_000;
    let line = format!("int main(void) {{ return 0; }} {}\n", " ".repeat(TEN_MILLION));
    tests.push(check("blank line of 10 MB", Want::Fine, line));
    let comment = format!("// {}\nint main(void) {{ return 0; }}\n", "x".repeat(TEN_MILLION));
    tests.push(check("comment of 10 MB", Want::Fine, comment));
    let name = format!("int {};\n", "x".repeat(TEN_MILLION));
    tests.push(check("name of 10 MB", Want::Orderly, name));
    let string = format!("const char ?s = \"{}\";\n", "x".repeat(TEN_MILLION));
    tests.push(check("string of 10 MB", Want::Orderly, string));
    let number = format!("int x = {};\n", "1".repeat(TEN_MILLION));
    tests.push(check("number of 10 MB", Want::Refused(1, "E0103"), number));
    let wrong = format!("int main(void) {{ return {}y; }}\n", "1 + ".repeat(500_000));
    tests.push(check("error at the end of a long line", Want::Orderly, wrong));
    let statements =
        format!("int main(void) {{ int x = 0;{} return x; }}\n", "x++;".repeat(200_000));
    tests.push(check("200,000 statements", Want::Fine, statements));
    let errors = "int f(void) { return undeclared; }\n".repeat(5000);
    tests.push(check("5,000 errors", Want::Refused(1, "E0302"), errors));
    let huge = "int a[1000000000000000000][1000000000000000000];\nint main(void) { return 0; }\n";
    tests.push(check("huge array", Want::Refused(1, "E0308"), huge));
}

fn odd_bytes(tests: &mut Vec<Test>) {
    let refused = |code| Want::Refused(1, code);
    let utf8 = refused("E0002");
    tests.push(check("not UTF-8", utf8, b"int main(void) { return 0; } // \xff\xfe\n".to_vec()));
    tests.push(check("half a character", utf8, b"char *s = \"\xe2\x82\";\n".to_vec()));
    tests.push(check("overlong character", utf8, b"char *s = \"\xc0\x80\";\n".to_vec()));
    tests.push(check("surrogate", utf8, b"char *s = \"\xed\xa0\x80\";\n".to_vec()));
    tests.push(check("zero byte", refused("E0101"), b"int x\0 = 1;\n".to_vec()));
    tests.push(check("control characters", Want::Orderly, (1..32u8).collect::<Vec<u8>>()));
    let mark = "\u{feff}int main(void) { return 0; }\n";
    tests.push(check("byte order mark", Want::Fine, mark));
    let dos = "int main(void) {\r\n    return 0;\r\n}\r\n";
    tests.push(check("DOS lines", Want::Fine, dos));
    let mut noise = Vec::new();
    let mut seed = 12345u32;
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
        noise.push(b' ' + (seed >> 16) as u8 % 95);
        if seed >> 28 == 0 {
            noise.push(b'\n');
        }
    }
    tests.push(check("printable noise", Want::Orderly, noise));
}
