//! Conditionals, includes and the other directives.

use super::{faults, output, process};

#[test]
fn conditionals_choose_one_branch() {
    assert_eq!(output("#if 1\na\n#elif 1\nb\n#else\nc\n#endif\nd"), "a d");
    assert_eq!(output("#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1/0\nd\n#else\ne\n#endif"), "c");
    assert_eq!(output("#ifdef x\n#if 1\n#else\n#endif\na\n#else\nb\n#endif"), "b");
    assert_eq!(output("#ifdef a\n1\n#elifndef b\n2\n#elifdef __TOFT__\n3\n#endif"), "2");
    assert_eq!(output("#if 0\n#bogus\n'x don't \"\n#else /* c */\na\n#endif // d"), "a");
    assert_eq!(output("#if 0\n/*\n#endif\n*/\n#endif\nz"), "z");
    assert_eq!(output("#if 0\nint *'r /* x\n#endif\n */ y;\n#endif\nz"), "z");
}

#[test]
fn conditions_are_integer_expressions() {
    let holds = [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-1 < 0",
        "-1 > 0u",
        "~0u == 0xffffffffffffffff",
        "1 ? 2 : 0",
        "0 ? 0 : 1",
        "1 || 1/0",
        "!(0 && 1/0)",
        "'a' == 97",
        "'\\n' == 10",
        "1 << 4 == 16",
        "-8 >> 1 == -4",
        "7 % 4 == 3",
        "undefined == 0",
        "true",
        "!false",
        "defined __TOFT__",
        "!defined(x)",
        "0b101 == 5",
        "0777 == 511",
        "1'000 == 1000",
        "10 > 9 == 1",
        "1 | 2 ^ 3 & 4",
        "L'\\xff' == 255",
        "0x7fffffffffffffff + 1 < 0",
    ];
    for condition in holds {
        assert_eq!(output(&format!("#if {condition}\nyes\n#endif")), "yes", "{condition}");
    }
    let bad = [
        ("", "#if without a condition"),
        ("1 +", "this condition breaks off"),
        ("1 / 0", "division by zero in this condition"),
        ("(1", "`)` was expected"),
        ("1 2", "`2` was not expected in this condition"),
        ("1 ? 2", "`:` was expected"),
        ("1.5", "a floating number cannot stand in a condition"),
        ("\"x\"", "a string cannot stand in a condition"),
        ("x = 1", "`=` was not expected in this condition"),
        ("defined", "`defined` needs the name of a macro"),
    ];
    for (condition, message) in bad {
        let said = faults(&format!("#if {condition}\n#endif"));
        assert_eq!(said.len(), 1, "{condition}: {said:?}");
        assert!(said[0].ends_with(message), "{condition}: {said:?}");
    }
}

#[test]
fn unbalanced_conditionals() {
    assert_eq!(faults("#if 1\nx"), ["1:2: E0108 this #if has no #endif"]);
    assert_eq!(faults("#endif"), ["1:2: E0108 #endif without #if"]);
    assert_eq!(faults("#else"), ["1:2: E0108 #else without #if"]);
    assert_eq!(faults("#if 0\n#else\n#else\n#endif"), ["3:2: E0108 #else after #else"]);
    assert_eq!(faults("#if 1\n#else\n#elif 1\n#endif"), ["3:2: E0108 #elif after #else"]);
    let done = process(&[("a.h", "#if 1\n")], "#include \"a.h\"\n#endif\n");
    assert_eq!(done.said.len(), 2, "{:?}", done.messages());
}

#[test]
fn includes_and_guards() {
    let guarded = "/* c */\n#ifndef G\n#define G\none\n#endif // G\n";
    let done = process(&[("a.h", guarded)], "#include \"a.h\"\n#include <a.h>\nx");
    assert_eq!(done.text(), "one x");
    let done = process(
        &[("a.h", "#pragma once\none\n"), ("b.h", "#include \"a.h\"\ntwo")],
        "#include \"a.h\"\n#include \"b.h\"\n",
    );
    assert_eq!(done.text(), "one two");
    let done = process(
        &[("a.h", "#if !defined(G)\n#define G 1\n#else\nagain\n#endif\n")],
        "#include \"a.h\"\n#include \"a.h\"\n",
    );
    assert_eq!(done.text(), "again");
    let done = process(
        &[("a.h", "#ifndef G\n#define G 1\n#endif\nx")],
        "#include \"a.h\"\n#include \"a.h\"\n",
    );
    assert_eq!(done.text(), "x x");
    let done = process(
        &[("sys/a.h", "yes")],
        "#define H <sys/a.h>\n#define Q \"sys/a.h\"\n#include H\n#include Q\n",
    );
    assert_eq!(done.text(), "yes yes");
    let done = process(
        &[("a.h", "")],
        "#if __has_include(<a.h>) && !__has_include(\"b.h\") && defined __has_include\nok\n#endif",
    );
    assert_eq!(done.text(), "ok");
}

#[test]
fn include_errors() {
    let done = process(&[], "#include <none.h>\nx");
    assert_eq!(done.messages(), ["1:10: E0105 header `none.h` was not found"]);
    assert_eq!(done.said[0].notes, ["searched in: memory"]);
    assert_eq!(done.text(), "x");
    assert_eq!(faults("#include x\n"), ["1:10: E0107 \"file\" or <file> was expected"]);
    let done = process(&[], "#define X a b\n#include X\nc");
    assert_eq!((done.text().as_str(), done.said.len()), ("c", 1));
    assert_eq!(faults("#include <x\n"), ["1:10: E0107 \"file\" or <file> was expected"]);
    let done = process(
        &[("a.h", "#include \"b.h\"\n"), ("b.h", "#include \"a.h\"\n")],
        "#include \"a.h\"\n",
    );
    let said = done.messages();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("E0106 includes are nested more than 200 deep"), "{said:?}");
}

#[test]
fn messages_of_the_program() {
    assert_eq!(faults("#error don't /* do */ that\n"), ["1:2: E0110 don't /* do */ that"]);
    assert_eq!(faults("#warning hm\n"), ["1:2: W0101 hm"]);
    assert_eq!(faults("#if 0\n#error no\n#endif\n"), [""; 0]);
    assert_eq!(faults("#frob\n"), ["1:2: E0107 there is no directive `#frob`"]);
    assert_eq!(faults("#embed \"x\"\n"), ["1:2: E0900 #embed is not supported yet"]);
    assert_eq!(
        output("#\n# /* nothing */\n# 12 \"marker.c\" 3\n#ident \"x\"\n#pragma don't\nx"),
        "x"
    );
}

#[test]
fn line_numbers() {
    assert_eq!(output("#line 100\n__LINE__\n#line 7 \"n.c\"\n__LINE__ __FILE__"), "100 7 \"n.c\"");
    assert_eq!(faults("#line x\n"), ["1:7: E0107 #line needs a line number"]);
}

#[test]
fn directives_inside_arguments() {
    assert_eq!(output("#define f(x) [x]\nf(a\n#if 1\nb\n#else\nc\n#endif\nd)"), "[a b d]");
    let done = process(&[("a.h", "1")], "#define f(x) x\nf(\n#include \"a.h\"\n)");
    assert!(done.messages()[0].contains("E0109"), "{:?}", done.messages());
}
