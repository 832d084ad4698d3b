//! The lexer's rules for Toft and for C.

use super::{faults, output, process, process_as};
use toft_ast::token::TokKind;
use toft_base::FileKind;

fn kinds(source: &str) -> Vec<(TokKind, &'static str)> {
    let done = process(&[], source);
    assert!(done.said.is_empty(), "{:?}", done.messages());
    let mut list: Vec<_> = done.tokens.iter().map(|t| (t.kind, t.sym.as_str())).collect();
    assert_eq!(list.pop().map(|(kind, _)| kind), Some(TokKind::Eof));
    list
}

#[test]
fn type_variables_and_characters() {
    use TokKind::{Aqual, Char, Ident, Number, Str, TyVar};
    assert_eq!(kinds("'r"), [(TyVar, "r")]);
    assert_eq!(kinds("`r"), [(TyVar, "r")]);
    assert_eq!(
        kinds("'a' 'ab' '\\'' 'r"),
        [(Char, "'a'"), (Char, "'ab'"), (Char, "'\\''"), (TyVar, "r")]
    );
    assert_eq!(kinds("'é' 'é"), [(Char, "'é'"), (TyVar, "é")]);
    assert_eq!(kinds("\\U'X \\RC"), [(Aqual, "U"), (TyVar, "X"), (Aqual, "RC")]);
    assert_eq!(kinds("U'x' U'X"), [(Char, "U'x'"), (Ident, "U"), (TyVar, "X")]);
    assert_eq!(
        kinds("u8\"s\" L\"t\" x\"u\""),
        [(Str, "u8\"s\""), (Str, "L\"t\""), (Ident, "x"), (Str, "\"u\""),]
    );
    assert_eq!(
        kinds("1'000'000 .5e+3 0x1p-2 1..2"),
        [(Number, "1'000'000"), (Number, ".5e+3"), (Number, "0x1p-2"), (Number, "1..2"),]
    );
}

#[test]
fn punctuation_takes_the_longest() {
    assert_eq!(
        output("a:=:b c::d ... .. ->* <<= >>= $(x) @ ? <= <<"),
        "a:=:b c::d ... .. ->* <<= >>= $(x) @ ? <= <<"
    );
    let spelled: Vec<_> = kinds("+++ <<<= :=:: -->").iter().map(|&(_, text)| text).collect();
    assert_eq!(spelled, ["++", "+", "<<", "<=", ":=:", ":", "--", ">"]);
    assert_eq!(output("<: :> <% %>"), "[ ] { }");
}

#[test]
fn foreign_text_has_no_type_variables() {
    let done = process_as(&[], "#if 0\nit's @ \\ ` # x\n#endif\n'abc' int", FileKind::Foreign);
    assert_eq!(done.text(), "'abc' int");
    assert!(done.said.is_empty());
}

#[test]
fn splices_join_lines_and_keep_places() {
    let done = process(&[], "in\\\nt x\\\r\n = \"a\\\nb\"; y");
    assert_eq!(done.text(), "int x = \"ab\"; y");
    let map = done.sess.map.borrow();
    let y = &done.tokens[5];
    assert_eq!(map.loc(y.span).map(|loc| (loc.line, loc.col)), Some((4, 5)));
    assert_eq!(map.text(done.tokens[0].span), "in\\\nt");
    assert_eq!(map.text(done.tokens[3].span), "\"a\\\nb\"");
}

#[test]
fn byte_order_mark_and_line_ends() {
    let done = process(&[], "\u{feff}a\r\nb\r\n#define c d\r\nc\r\n");
    assert_eq!(done.text(), "a b d");
    let map = done.sess.map.borrow();
    assert_eq!(map.text(done.tokens[0].span), "a");
    assert!(done.tokens[1].line_start);
}

#[test]
fn raw_c_is_taken_whole() {
    let done = process(
        &[],
        "extern \"C include\" { int f(void) { return '}' + \"}\"[0]; } /* } */ // }\n\
         #define X 1\n } export { f }",
    );
    assert!(done.said.is_empty(), "{:?}", done.messages());
    let raw = done.tokens.iter().find(|t| t.kind == TokKind::RawC).expect("raw");
    assert!(raw.sym.as_str().starts_with(" int f(void) { return '}'"));
    assert!(raw.sym.as_str().ends_with("#define X 1\n "));
    assert_eq!(done.tokens.len(), 8);
    assert_eq!(
        faults("extern \"C include\" { int x;"),
        ["1:20: E0102 this block of raw C does not end"]
    );
    let foreign = process_as(&[], "extern \"C include\" { x }", FileKind::Foreign);
    assert_eq!(foreign.tokens.len(), 6);
}

#[test]
fn what_does_not_end() {
    assert_eq!(
        faults("char *s = \"abc;\nint x;"),
        ["1:11: E0102 this string does not end on its line"]
    );
    let prefixed = process(&[], "x = L\"abc;\n");
    assert_eq!((prefixed.said.len(), prefixed.sess.error_count()), (1, 1));
    assert_eq!(faults("x = '+;\n"), ["1:5: E0102 this character does not end on its line"]);
    assert_eq!(faults("a /* b\nc"), ["1:3: E0102 this comment does not end"]);
    assert_eq!(
        faults("#if 0\n/* b\n#endif"),
        ["1:2: E0108 this #if has no #endif", "2:1: E0102 this comment does not end",]
    );
    assert_eq!(faults("\"a\\"), ["1:1: E0102 this string does not end on its line"]);
}

#[test]
fn characters_that_mean_nothing() {
    assert_eq!(faults("a \0 b"), ["1:3: E0101 the text contains a NUL character"]);
    assert_eq!(
        faults("a \\ b"),
        ["1:3: E0101 a backslash stands only before an aliasability such as `\\U`"]
    );
    assert_eq!(
        faults("a \u{201c}b"),
        ["1:3: E0101 the character `\u{201c}` (U+201C) has no meaning here"]
    );
    assert_eq!(output("größe λ 变量"), "größe λ 变量");
}
