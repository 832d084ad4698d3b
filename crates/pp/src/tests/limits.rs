//! Hostile input: bounded work, no panic, no overflow of the stack.

use super::{faults, process};
use std::fmt::Write;

#[test]
fn expansion_bombs_are_stopped() {
    let mut source = String::from("#define a0 x x x x x x x x x x\n");
    for n in 1..30 {
        let m = n - 1;
        writeln!(source, "#define a{n} a{m} a{m} a{m} a{m} a{m} a{m} a{m} a{m} a{m} a{m}")
            .expect("ok");
    }
    source.push_str("a29\n");
    let said = faults(&source);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("E0901 macros expand to more than 20 million tokens"), "{said:?}");
}

#[test]
fn growing_strings_and_names_are_stopped() {
    for (body, seed) in [("#x", "\"\\\\\""), ("x##x", "aa")] {
        let mut source = format!("#define g(x) {body}\n#define f(x) g(x)\n");
        source.push_str(&"f(".repeat(60));
        source.push_str(seed);
        source.push_str(&")".repeat(60));
        let said = faults(&source);
        assert!(said.iter().any(|said| said.contains("E0901")), "{body}: {said:?}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let source = format!("#define f(x) x\n{}1{}\n", "f(".repeat(100_000), ")".repeat(100_000));
    assert!(faults(&source)[0].contains("E0901 the arguments of macros are too long"));
    let source = format!("#define f(x) x\n{}1{}\n", "f(".repeat(5_000), ")".repeat(5_000));
    assert!(faults(&source)[0].contains("E0901 macro calls are nested too deeply"));
    for unit in ["(", "!", "1?", "- "] {
        let source = format!("#if {}1\n#endif\n", unit.repeat(100_000));
        assert!(faults(&source)[0].contains("E0901 this condition is nested too deeply"), "{unit}");
    }
    let chain: String = (0..100_000).map(|n| format!("#define c{n} c{}\n", n + 1)).collect();
    let done = process(&[], &format!("{chain}c0\n"));
    assert_eq!(done.text(), "c100000");
    let ifs = format!("{}{}x", "#if 1\n".repeat(100_000), "#endif\n".repeat(100_000));
    assert_eq!(process(&[], &ifs).text(), "x");
}

#[test]
fn include_bombs_are_stopped() {
    let done = process(&[("a.h", "#include \"a.h\"\n#include \"a.h\"\n")], "#include \"a.h\"\n");
    assert_eq!(done.said.len(), 1);
    let names: Vec<&'static str> =
        (0..40).map(|n| &*Box::leak(format!("h{n}").into_boxed_str())).collect();
    let texts: Vec<String> =
        (0..40).map(|n| format!("#include \"h{0}\"\n#include \"h{0}\"\n", n + 1)).collect();
    let mut files: Vec<(&'static str, &str)> =
        names.iter().zip(&texts).map(|(&name, text)| (name, text.as_str())).collect();
    files.push(("h40", "x\n"));
    let done = process(&files, "#include \"h0\"\n");
    assert!(done.messages().iter().any(|m| m.contains("E0901 too many headers")));
}

#[test]
fn long_lines_and_tokens() {
    let name = "n".repeat(10_000_000);
    let string = format!("\"{}\"", "s".repeat(10_000_000));
    let line = "a + ".repeat(2_500_000);
    let done = process(&[], &format!("{name}\n{string}\n{line}b\n// {line}\n"));
    assert!(done.said.is_empty());
    assert_eq!(done.tokens.len(), 2 + 5_000_001 + 1);
    let done = process(&[], &format!("#define s(x) #x\ns({})", "y ".repeat(1_000_000)));
    assert!(done.said.is_empty());
}

#[test]
fn any_bytes_are_survived() {
    let pieces = [
        "#",
        "##",
        "define",
        " f",
        "(",
        ")",
        "x",
        ",",
        "...",
        "\\\n",
        "\n",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "#if ",
        "#else",
        "#endif",
        "#define f(x) x f(",
        "0x",
        "\\",
        "é",
        "\0",
        "__VA_ARGS__",
        "__VA_OPT__",
        "_Pragma",
        "__has_include",
        "#include ",
        "<a.h>",
        "extern \"C include\" {",
        "defined",
        "#undef f",
        "#line 3",
        "`",
        "$",
        "@",
        "L'",
        "?",
        ":",
        "%:",
    ];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..20_000 {
        let mut source = String::new();
        for _ in 0..12 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            source.push_str(pieces[(seed >> 20) as usize % pieces.len()]);
        }
        process(&[("a.h", "#ifndef A\n#define A\n#endif")], &source);
    }
}

/// Run by hand: `cargo test --release -p toft-pp speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    use std::time::Instant;
    let code = "    int x_value = compute(a->field, b[i] + 0x10, \"text\"); /* why */\n\
                    if (x_value >= LIMIT && other(x_value)) {\n\
                        total += x_value * 3;\n    }\n\n";
    let macros = "    V(x_value, 3); if (x > LIMIT) y = MAX(a, MAX(b, c));\n";
    let cases = [
        (
            "blank and comment",
            "\n// a comment line with some words in it\n /* another */\n   \n".repeat(250_000),
        ),
        ("code", code.repeat(200_000)),
        ("skipped", format!("#if 0\n{}#endif\n", code.repeat(200_000))),
        (
            "macros",
            format!(
                "#define LIMIT 100\n#define MAX(a,b) ((a)>(b)?(a):(b))\n#define V(x,y) f(&(x),#y,y##u)\n{}",
                macros.repeat(200_000)
            ),
        ),
    ];
    for (name, source) in cases {
        let start = Instant::now();
        let done = process(&[], &source);
        let time = start.elapsed().as_secs_f64();
        let lines = source.lines().count() as f64;
        println!(
            "{name}: {:.2} M lines/s, {} tokens, {:.1} M tokens/s",
            lines / time / 1e6,
            done.tokens.len(),
            done.tokens.len() as f64 / time / 1e6
        );
    }
}
