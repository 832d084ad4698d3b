//! Macro expansion.

use super::{faults, output, process};

#[test]
fn rescanning_paints_a_macro_inside_itself() {
    assert_eq!(output("#define foo foo + 1\nfoo"), "foo + 1");
    assert_eq!(output("#define a b\n#define b c\n#define c a\na b c"), "a b c");
    assert_eq!(output("#define f(x) f x\nf(f)(1) f"), "f f(1) f");
    assert_eq!(output("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2*9*g");
}

#[test]
fn arguments_are_expanded_before_they_are_put_in() {
    assert_eq!(output("#define twice(x) x x\n#define one 1\ntwice(one)"), "1 1");
    assert_eq!(output("#define id(x) x\nid(id)(3) id(id(4))"), "id(3) 4");
    assert_eq!(output("#define f(x, y) x|y\nf((1,2), [3)"), "(1,2)|[3");
    assert_eq!(output("#define f() none\nf() f( ) f"), "none none f");
    assert_eq!(output("#define f(x) <x>\nf()"), "<>");
}

#[test]
fn a_call_may_span_lines_and_reach_out_of_its_expansion() {
    assert_eq!(output("#define f(x) [x]\nf\n(\n1\n)\n"), "[1]");
    assert_eq!(output("#define f(x) [x]\n#define g f\ng(2)"), "[2]");
    assert_eq!(output("#define f(x) [x]\n#define g f(\ng 3)"), "[3]");
    assert_eq!(output("#define f(x) [x]\nf /* c */ // d\n (4)"), "[4]");
}

#[test]
fn stringify_keeps_the_spelling() {
    let text = output("#define s(x) #x\ns( a  +\n b ) s(\"q\\n\") s('\\\\') s() s('r \\U)");
    assert_eq!(text, r#""a + b" "\"q\\n\"" "'\\\\'" "" "'r \U""#);
    assert_eq!(output("#define s(x) #x\n#define t(x) s(x)\n#define v 7\ns(v) t(v)"), "\"v\" \"7\"");
}

#[test]
fn paste_joins_unexpanded_operands() {
    assert_eq!(output("#define c(a,b) a##b\n#define x y\nc(x,1) c(,z) c(w,) c(,)"), "x1 z w");
    assert_eq!(output("#define c(a,b) a ## b\nc(>,>=) c(1,e3) c(L,'x') c(:,:)"), ">>= 1e3 L'x' ::");
    assert_eq!(output("#define hh # ## #\nhh"), "##");
}

#[test]
fn variable_arguments() {
    assert_eq!(output("#define f(...) <__VA_ARGS__>\nf() f(1) f(1,2)"), "<> <1> <1,2>");
    assert_eq!(output("#define f(a, r...) <a, ##r>\nf(1) f(1,) f(1,2,3)"), "<1> <1,> <1,2,3>");
    let text = output("#define f(a,...) g(a __VA_OPT__(,) __VA_ARGS__)\nf(1) f(1,) f(1,2)");
    assert_eq!(text, "g(1) g(1) g(1 , 2)");
    assert_eq!(output("#define e\n#define f(...) __VA_OPT__(x)\nf(e) f(1)"), "x");
    assert_eq!(output("#define f(x,...) a##__VA_OPT__(b x)##c\nf(1) f(1,2)"), "ac ab 1c");
    assert_eq!(output("#define f(...) #__VA_OPT__(a __VA_ARGS__)\nf() f(1)"), "\"\" \"a 1\"");
}

#[test]
fn special_macros() {
    assert_eq!(output("__LINE__\n__LINE__ __FILE__ __TOFT__"), "1 2 \"main.toft\" 1");
    assert_eq!(output("#define l __LINE__\n\nl"), "3");
    assert_eq!(output("__COUNTER__ __COUNTER__"), "0 1");
    assert_eq!(output("_Pragma(\"x\") a"), "a");
}

#[test]
fn toft_tokens_pass_through_macros() {
    assert_eq!(output("#define P(T) T *\\U'X\nP(int) p :=: q;"), "int *\\U'X p :=: q;");
    assert_eq!(output("#define R(x) region<x>\nR('r) R(`s)"), "region<'r> region<'s>");
}

#[test]
fn tokens_lead_back_to_spelling_and_call() {
    let source = "#define inner(x) x + 1\n#define outer inner(y)\nint z = outer;\n";
    let done = process(&[], source);
    assert!(done.said.is_empty());
    let map = done.sess.map.borrow();
    let plus = done.tokens.iter().find(|t| t.sym.as_str() == "+").expect("there is one");
    assert_eq!(map.text(map.spelling(plus.span)), "+");
    assert_eq!(map.text(map.call_site(plus.span)), "outer");
    let trace: Vec<&str> = map.backtrace(plus.span).iter().map(|e| e.name.as_str()).collect();
    assert_eq!(trace, ["inner", "outer"]);
    let y = done.tokens.iter().find(|t| t.sym.as_str() == "y").expect("there is one");
    assert_eq!(
        map.loc_of_pos(map.spelling(y.span).lo).map(|loc| (loc.line, loc.col)),
        Some((2, 21))
    );
    assert_eq!(map.loc(y.span).map(|loc| (loc.line, loc.col)), Some((3, 9)));
    let call = process(&[], "#define f(x) x\nf( 1 ) ;");
    let map = call.sess.map.borrow();
    assert_eq!(map.text(map.call_site(call.tokens[0].span)), "f( 1 )");
}

#[test]
fn malformed_definitions_and_calls() {
    let cases = [
        ("#define f(x) #y\n", "1:14: E0109 `#` must be followed by a parameter of the macro"),
        ("#define f ## x\n", "1:11: E0109 `##` cannot stand at the end of a macro's body"),
        ("#define f(x,x) x\n", "1:13: E0109 two parameters of macro `f` are named `x`"),
        ("#define f(x\n", "1:12: E0109 the parameters of macro `f` are malformed"),
        ("#define f(..., x)\n", "1:14: E0109 the parameters of macro `f` are malformed"),
        ("#define defined 1\n", "1:9: E0109 `defined` cannot be the name of a macro"),
        ("#define\n", "1:8: E0107 #define needs the name of a macro, found nothing"),
        ("#define 3 4\n", "1:9: E0107 #define needs the name of a macro, found `3`"),
        ("#define f(x) x\nf(1,2);\n", "2:1: E0109 macro `f` takes 1 argument, 2 given"),
        (
            "#define f(x,...) x\n#define g(x,y) x\ng(1);\n",
            "3:1: E0109 macro `g` takes 2 arguments, 1 given",
        ),
        ("#define f(x) x\nf(1\n", "2:1: E0109 the call of macro `f` is not closed"),
        ("#define c(a,b) a##b\nc(+,x)\n", "2:1: E0109 pasting `+` and `x` does not give one token"),
        ("#define x 1\n#define x 2\n", "2:9: W0102 macro `x` is defined again with another body"),
        (
            "#define x __VA_ARGS__\n",
            "1:11: E0109 `__VA_ARGS__` stands only in macros with `...` in their parameters",
        ),
        (
            "#define f(...) __VA_OPT__(\n",
            "1:16: E0109 `__VA_OPT__` needs a parenthesised text after it",
        ),
    ];
    for (source, message) in cases {
        let said = faults(source);
        assert!(said.iter().any(|said| said == message), "{source}: {said:?}");
    }
    assert_eq!(output("#define x  1 +\t2\n#define x 1 + 2 /**/\nx"), "1 + 2");
}
