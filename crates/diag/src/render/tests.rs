//! Tests of the renderers, with their exact output.

use super::*;
use crate::codes;
use toft_base::{FileKind, Symbol};

struct World {
    map: SourceMap,
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let mut map = SourceMap::new();
        for (name, text) in files {
            map.add_file((*name).to_owned(), name.into(), (*text).to_owned(), FileKind::User)
                .expect("small");
        }
        World { map }
    }

    /// The span of the `n`th occurrence (from 0) of `needle` in all files.
    fn nth(&self, needle: &str, n: usize) -> Span {
        self.map
            .files()
            .flat_map(|(_, file)| {
                file.text.match_indices(needle).map(|(at, _)| file.start + at as u32)
            })
            .nth(n)
            .map(|lo| Span::new(lo, lo + needle.len() as u32))
            .expect("it occurs")
    }

    fn at(&self, needle: &str) -> Span {
        self.nth(needle, 0)
    }

    #[track_caller]
    fn shows(&self, diagnostic: &Diagnostic, expected: &str) {
        let text = terminal(diagnostic, &self.map, Look::default());
        assert!(text == format!("{expected}\n\n"), "got:\n{text}\nwanted:\n{expected}\n");
    }
}

fn error(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::E0601, "something is wrong", span, label)
}

#[test]
fn one_label() {
    let world = World::new(&[("a.toft", "int main() {\n    return p;\n}\n")]);
    let diagnostic = error(world.at("p;"), "this one").note("a note").help("a help\nof two lines");
    world.shows(
        &diagnostic,
        "\
error[E0601]: something is wrong
 --> a.toft:2:12
  |
2 |     return p;
  |            ^^ this one
  |
  = note: a note
  = help: a help
          of two lines",
    );
    let bare = Diagnostic::warning(codes::W0701, "no place", Span::NONE, "");
    world.shows(&bare, "warning[W0701]: no place");
}

#[test]
fn several_labels_on_one_line() {
    let world = World::new(&[("a.toft", "x = alpha + beta * gamma;\n")]);
    let diagnostic = error(world.at("beta"), "primary")
        .label(world.at("alpha"), "first")
        .label(world.at("gamma"), "last");
    world.shows(
        &diagnostic,
        "\
error[E0601]: something is wrong
 --> a.toft:1:13
  |
1 | x = alpha + beta * gamma;
  |     -----   ^^^^   ----- last
  |     |       |
  |     |       primary
  |     first",
    );
    let nested = error(world.at("alpha + beta"), "the sum").label(world.at("beta"), "this part");
    world.shows(
        &nested,
        "\
error[E0601]: something is wrong
 --> a.toft:1:5
  |
1 | x = alpha + beta * gamma;
  |     ^^^^^^^^^^^^
  |     |       |
  |     |       this part
  |     the sum",
    );
}

#[test]
fn labels_on_several_lines_and_files() {
    let world = World::new(&[
        ("a.toft", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"),
        ("b.h", "int free(x);\n"),
    ]);
    let diagnostic = error(world.at("seven"), "used here")
        .label(world.at("one"), "made here")
        .label(world.at("three"), "moved here")
        .label(world.at("free"), "declared here");
    world.shows(
        &diagnostic,
        "\
error[E0601]: something is wrong
 --> a.toft:7:1
  |
1 | one
  | --- made here
2 | two
3 | three
  | ----- moved here
...
7 | seven
  | ^^^^^ used here
 ::: b.h:1:5
  |
1 | int free(x);
  |     ---- declared here",
    );
}

#[test]
fn spans_over_several_lines() {
    let text = "int f() {\n  if (x)\n    a;\n  else\n    b;\n}\nint y = g(1,\n          2);\n";
    let world = World::new(&[("a.toft", text)]);
    let body = world.at("int f() {\n  if (x)\n    a;\n  else\n    b;\n}");
    world.shows(
        &error(body, "this function"),
        "\
error[E0601]: something is wrong
 --> a.toft:1:1
  |
1 | / int f() {
2 | |   if (x)
... |
6 | | }
  | |_^ this function",
    );
    let call = world.at("g(1,\n          2)");
    world.shows(
        &error(call, "this call").label(world.at("2)"), "this argument"),
        "\
error[E0601]: something is wrong
 --> a.toft:7:9
  |
7 |   int y = g(1,
  |  _________^
8 | |           2);
  | |           -- this argument
  | |____________^ this call",
    );
    let outer = world.at("int f() {\n  if (x)\n    a;\n");
    let inner = world.at("(x)\n    a");
    world.shows(
        &error(inner, "inner").label(outer, "outer"),
        "\
error[E0601]: something is wrong
 --> a.toft:2:6
  |
1 | /   int f() {
2 | |     if (x)
  | |  ______^
3 | | |     a;
  | | |_____^ inner
  | |________- outer",
    );
}

#[test]
fn tabs_wide_and_strange_characters() {
    let world = World::new(&[("a.toft", "\tint\tx = \"日本é\u{301}\" + y\u{1b}[2J\u{202e};\n")]);
    world.shows(
        &error(world.at("+"), "plus").label(world.at("日本"), "wide"),
        "\
error[E0601]: something is wrong
 --> a.toft:1:17
  |
1 |     int x = \"日本é\" + y\u{fffd}[2J\u{fffd};
  |              ----   ^ plus
  |              |
  |              wide",
    );
    let message = Diagnostic::error(codes::E0110, "bell\u{7} and \u{1b}[31mred", Span::NONE, "");
    world.shows(&message, "error[E0110]: bell\u{fffd} and \u{fffd}[31mred");
}

#[test]
fn ends_of_lines_and_of_the_file() {
    let world = World::new(&[("a.toft", "int x\r\nint y")]);
    let after_x = world.at("x").after();
    world.shows(
        &error(after_x, "`;` is missing"),
        "\
error[E0601]: something is wrong
 --> a.toft:1:6
  |
1 | int x
  |      ^ `;` is missing",
    );
    world.shows(
        &error(world.at("y").after(), ""),
        "\
error[E0601]: something is wrong
 --> a.toft:2:6
  |
2 | int y
  |      ^",
    );
    let world = World::new(&[("a.toft", "a\nb\n")]);
    world.shows(
        &error(world.at("a\n"), "whole line"),
        "\
error[E0601]: something is wrong
 --> a.toft:1:1
  |
1 | a
  | ^ whole line",
    );
}

#[test]
fn long_lines_are_cut() {
    let text = format!("{} HERE {}", "a ".repeat(500_000), "b ".repeat(500_000));
    let world = World::new(&[("a.toft", &text)]);
    let look = Look { width: 60, ..Look::default() };
    let text = terminal(&error(world.at("HERE"), "look"), &world.map, look);
    let expected = "\
error[E0601]: something is wrong
 --> a.toft:1:1000002
  |
1 | ... a a a a a a a a  HERE b b b b b b b b b b b b b b b b b b b...
  |                      ^^^^ look

";
    assert!(text == expected, "got:\n{text}\nwanted:\n{expected}");
    let whole = error(
        world
            .map
            .files()
            .next()
            .map(|(_, f)| Span::new(f.start, f.start + 2_000_000))
            .expect("a file"),
        "all",
    );
    let text = terminal(&whole, &world.map, look);
    assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
}

#[test]
fn macros_lead_back_to_where_they_are_written() {
    let source = "#define inner(x) (x + bad)\n#define outer inner(1)\nint z = outer;\nint y = inner(good);\n";
    let mut world = World::new(&[("m.toft", source)]);
    let (call, body) = (world.nth("outer", 1), world.at("inner(1)"));
    let (bad, good) = (world.at("bad"), world.at("good"));
    let (inner, outer) = (Symbol::intern("inner"), Symbol::intern("outer"));
    let middle = world.map.add_expansion(body, call, outer);
    let token = world.map.add_expansion(bad, middle, inner);
    world.shows(
        &error(token, "here").note("why"),
        "\
error[E0601]: something is wrong
 --> m.toft:3:9
  |
3 | int z = outer;
  |         ^^^^^ here
  |
  = note: in the expansion of macro `inner` (m.toft:1:23)
  = note: in the expansion of macro `outer` (m.toft:2:15)
  = note: why",
    );
    let direct = world.at("inner(good)");
    let argument = world.map.add_expansion(good, direct, inner);
    world.shows(
        &error(argument, "this argument"),
        "\
error[E0601]: something is wrong
 --> m.toft:4:15
  |
4 | int y = inner(good);
  |               ^^^^ this argument",
    );
}

#[test]
fn suggestions_show_the_change() {
    let world = World::new(&[("a.toft", "if (x = 1) {\n\tf();\n}\n")]);
    let diagnostic =
        error(world.at("="), "an assignment").suggest(world.at("="), "==", "compare instead");
    world.shows(
        &diagnostic,
        "\
error[E0601]: something is wrong
 --> a.toft:1:7
  |
1 | if (x = 1) {
  |       ^ an assignment
help: compare instead
  |
1 - if (x = 1) {
1 + if (x == 1) {",
    );
}

#[test]
fn colours() {
    let world = World::new(&[("a.toft", "a b\n")]);
    let look = Look { color: true, ..Look::default() };
    let diagnostic = error(world.at("b"), "x").label(world.at("a"), "");
    let text = terminal(&diagnostic, &world.map, look);
    assert_eq!(
        text,
        "\x1b[1;31merror[E0601]\x1b[0m\x1b[1m: something is wrong\x1b[0m\n\
         \x1b[1;34m --> \x1b[0ma.toft:1:3\n\
         \x1b[1;34m  |\x1b[0m\n\
         \x1b[1;34m1 |\x1b[0m a b\n\
         \x1b[1;34m  |\x1b[0m \x1b[1;34m- \x1b[0m\x1b[1;31m^ x\x1b[0m\n\n"
    );
}

#[test]
fn json_lines() {
    let world = World::new(&[("a \"b\".toft", "x = y;\n")]);
    let diagnostic = Diagnostic::error(codes::E0401, "tab\tquote\"\u{1}", world.at("y"), "l\\")
        .note("n")
        .suggest(world.at("x"), "z", "t");
    let rendered = "error[E0401]: tab quote\\\"\u{fffd}\\n --> a \\\"b\\\".toft:1:5\\n  |\\n1 | x = y;\\n  |     ^ l\\\\\\n  |\\n  = note: n\\nhelp: t\\n  |\\n1 - x = y;\\n1 + z = y;\\n\\n";
    assert_eq!(
        json(&diagnostic, &world.map),
        format!(
            "{{\"code\":\"E0401\",\"name\":\"mismatched-types\",\"severity\":\"error\",\
             \"message\":\"tab\\tquote\\\"\\u0001\",\
             \"labels\":[{{\"file\":\"a \\\"b\\\".toft\",\"line\":1,\"col\":5,\"end_line\":1,\"end_col\":6,\"text\":\"l\\\\\",\"primary\":true}}],\
             \"notes\":[\"n\"],\"helps\":[],\
             \"suggestions\":[{{\"file\":\"a \\\"b\\\".toft\",\"line\":1,\"col\":1,\"end_line\":1,\"end_col\":2,\"replacement\":\"z\",\"text\":\"t\"}}],\
             \"macros\":[],\"rendered\":\"{rendered}\"}}"
        )
    );
}

#[test]
fn sarif_log() {
    let world = World::new(&[("src/a b.toft", "x = y;\n")]);
    let list =
        [Diagnostic::warning(codes::W0702, "unused", world.at("y"), "").label(world.at("x"), "l")];
    assert_eq!(
        sarif(&list, &world.map),
        format!(
            "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\
             \"tool\":{{\"driver\":{{\"name\":\"toft\",\"version\":\"{}\",\"rules\":[{{\"id\":\"W0702\",\"name\":\"unused-variable\",\
             \"shortDescription\":{{\"text\":\"a variable that is never used\"}}}}]}}}},\"columnKind\":\"unicodeCodePoints\",\
             \"results\":[{{\"ruleId\":\"W0702\",\"level\":\"warning\",\"message\":{{\"text\":\"unused\"}},\
             \"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"src/a%20b.toft\"}},\
             \"region\":{{\"startLine\":1,\"startColumn\":5,\"endLine\":1,\"endColumn\":6}}}}}}],\
             \"relatedLocations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"src/a%20b.toft\"}},\
             \"region\":{{\"startLine\":1,\"startColumn\":1,\"endLine\":1,\"endColumn\":2}}}},\"message\":{{\"text\":\"l\"}}}}],\
             \"fixes\":[]}}]}}]}}\n",
            env!("CARGO_PKG_VERSION")
        )
    );
}

#[test]
fn spans_that_make_no_sense_are_survived() {
    let world = World::new(&[("a.toft", "ab\ncd\n"), ("b.toft", "")]);
    for lo in 0..12 {
        for hi in 0..14 {
            let span = Span::new(lo, hi);
            let diagnostic = error(span, "x").label(Span::new(hi, lo), "y").suggest(span, "q", "r");
            terminal(&diagnostic, &world.map, Look::default());
            json(&diagnostic, &world.map);
            sarif(&[diagnostic], &world.map);
        }
    }
}
