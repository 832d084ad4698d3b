//! Every code the compiler can say. One code, one page in `docs/errors/`, at
//! least one test.
//!
//! Blocks: 00 files and options · 01 lexing and preprocessing · 02 parsing · 03 names and
//! declarations · 04 types · 05 pointers, conversions, bounds · 06 regions and lifetimes ·
//! 07 initialisation and control flow · 08 patterns and datatypes · 09 unsupported and
//! limits · 10 generics · 11 C at the border · 12 contracts · 13 formats · 20.. tracked
//! pointers, later processes.

/// A diagnostic code: `E…` errors, `W…` warnings (with a name for `--allow/--deny`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    pub id: &'static str,
    /// For warnings, the name used by `--deny=NAME`; for errors a short slug.
    pub name: &'static str,
    /// One line for `toft explain` without an argument.
    pub title: &'static str,
}

macro_rules! codes {
    ($($id:ident $name:literal $title:literal;)*) => {
        $(#[doc = $title]
        pub const $id: Code = Code { id: stringify!($id), name: $name, title: $title };)*
        /// All codes, in order.
        pub const ALL: &[Code] = &[$($id),*];
    };
}

codes! {
    E0001 "file-not-found" "a source file cannot be read";
    E0002 "not-utf8" "a source file is not valid UTF-8";
    E0003 "text-too-large" "the program text is larger than 4 GiB";
    E0004 "no-c-compiler" "no C compiler was found";
    E0005 "c-compiler-failed" "the C compiler or linker failed";
    E0006 "cannot-write" "an output file cannot be written";
    E0007 "bad-manifest" "toft.toml is malformed";
    E0008 "no-main" "the program has no main function";
    E0101 "bad-token" "a character or token that the language does not have";
    E0102 "unterminated" "a literal, comment or directive does not end";
    E0103 "bad-number" "a malformed or too large number";
    E0104 "bad-escape" "a malformed escape sequence or character";
    E0105 "include-not-found" "an included header was not found";
    E0106 "include-cycle" "headers include each other without end";
    E0107 "bad-directive" "a malformed preprocessor directive";
    E0108 "unbalanced-conditional" "#if, #else and #endif do not match";
    E0109 "bad-macro" "a malformed macro definition or call";
    E0110 "user-error" "the program text asks for an error with #error";
    E0201 "syntax" "the text does not follow the grammar";
    E0202 "unclosed" "a bracket or brace is not closed";
    E0203 "bad-type" "a combination of type specifiers that means nothing";
    E0204 "bad-declarator" "a malformed declarator or qualifier";
    E0205 "nesting" "the text is nested too deeply";
    E0206 "misplaced" "a statement or declaration where it cannot stand";
    E0301 "unknown-name" "a name that is not declared";
    E0302 "redefined" "a name defined twice";
    E0303 "conflicting-declaration" "two declarations of one name disagree";
    E0304 "unknown-member" "a struct, union or tuple has no such member";
    E0305 "incomplete-type" "a type whose contents are not known here";
    E0306 "unknown-label" "a label that does not exist, or exists twice";
    E0307 "not-constant" "a constant expression was needed";
    E0308 "bad-size" "an array size or bit-field width that makes no sense";
    E0309 "infinite-type" "a type that contains itself";
    E0310 "static-assert" "a static assertion failed";
    E0311 "wrong-kind-of-name" "a name used as something it is not";
    E0401 "mismatched-types" "a value of one type where another is needed";
    E0402 "bad-operand" "an operator applied to types it does not take";
    E0403 "not-callable" "a call of something that is not a function";
    E0404 "argument-count" "a call with the wrong number of arguments";
    E0405 "not-assignable" "an assignment to something that cannot be assigned";
    E0406 "const" "a write to something const";
    E0407 "bad-cast" "a cast that could break memory safety or means nothing";
    E0408 "bad-initializer" "an initialiser that does not fit the type";
    E0409 "void-value" "the value of a void expression is used";
    E0410 "bad-return" "a return that does not fit the function";
    E0411 "duplicate-case" "two cases for one value";
    E0412 "constant-out-of-range" "a constant does not fit its type";
    E0413 "generic-selection" "_Generic has no matching association";
    E0501 "pointer-from-integer" "a pointer made from an integer";
    E0502 "thin-arithmetic" "arithmetic or indexing on a pointer without bounds";
    E0503 "bounds" "an index that is certainly outside the bounds";
    E0504 "null-dereference" "a pointer that is certainly null is used";
    E0505 "zeroterm" "a pointer that may lack a terminating zero where one is needed";
    E0506 "nullable-to-notnull" "null where a non-null pointer is needed";
    E0507 "bounds-mismatch" "pointers whose bounds do not fit";
    E0508 "void-pointer" "a void pointer used as a typed one";
    E0509 "pointer-view" "a pointer cast between types that hold pointers";
    E0510 "alignment" "a pointer cast to a type of stricter alignment";
    E0511 "arithmetic" "a constant expression without a defined value";
    E0512 "unsafe-union" "an untagged union with pointers in it";
    E0601 "escape" "a pointer outlives what it points to";
    E0602 "region-mismatch" "pointers into different regions where one is needed";
    E0603 "unknown-region" "a region name that is not in scope";
    E0604 "free-aliased" "free of a pointer that may have copies";
    E0701 "uninitialised" "a variable read before it has a value";
    E0702 "missing-return" "a function ends without returning its value";
    E0703 "jump-into-scope" "a jump past something it must not skip";
    E0704 "bad-jump" "break, continue or case outside its statement";
    E0801 "non-exhaustive" "a switch or pattern that does not cover every value";
    E0802 "unreachable-pattern" "a case that can never match";
    E0803 "bad-pattern" "a pattern that does not fit the value";
    E0804 "unknown-variant" "a datatype or tagged union has no such variant";
    E0805 "union-tag" "a member read that is certainly not the one written";
    E0806 "fallthrough" "falling into a case that binds variables";
    E0900 "unsupported" "a construct that is not supported yet";
    E0901 "limit" "a limit of the compiler is passed";
    E0902 "internal" "the compiler's own work is wrong";
    E1001 "wrong-type-arguments" "a generic applied to the wrong arguments";
    E1002 "cannot-infer" "a type argument that cannot be inferred";
    E1003 "opaque-value" "an operation on a value of unknown type";
    E1004 "kind" "a type variable used at the wrong kind";
    E1005 "instantiation-depth" "a generic that needs infinitely many instances";
    E1006 "abstract" "the inside of an abstract type used outside its file";
    E1101 "foreign-pointer" "a foreign declaration used without an interface";
    E1102 "extern-c" "a declaration that cannot cross into C";
    E1201 "contract" "a contract that is certainly broken";
    E1202 "bad-contract" "a malformed contract";
    E1301 "format" "a format string that does not fit its arguments";
    E1302 "format-not-constant" "a format string that is not a constant";
    E1401 "exception" "a throw or catch that does not fit";
    E2001 "consumed" "a tracked pointer used after it was given up";
    E2002 "not-consumed-parameter" "a parameter given up by a function that does not say so";
    E2003 "shared-tracked" "a tracked pointer moved out of a place that may be shared";
    E2004 "partly-consumed" "a whole used while a part of it is moved out";
    E2005 "pinned" "a tracked pointer used while it is borrowed or open";
    E2006 "tracked-address" "the address of the inside of a tracked object";
    E2007 "tracked-arithmetic" "arithmetic on a tracked pointer";
    E2008 "tracked-twice" "one tracked pointer in two places at once";
    E2009 "aliasability" "pointers of different aliasability";
    E2010 "dead-region" "an access to a region that is not open here";
    E2011 "single-region" "a tracked pointer taken for one into another region";
    E2012 "not-freeable" "an object that cannot be freed by itself";
    E2013 "no-gc" "an allocation that only a collector could free";
    E2014 "effect" "a function that needs regions it may not use";
    E2015 "packed-union" "a packed tagged union whose tag finds no room";
    W0501 "null-check" "a null check is put in here";
    W0502 "bounds-check" "a bounds check is put in here";
    W0503 "zeroterm-scan" "a scan for the terminating zero is put in here";
    W0701 "unreachable" "code that is never reached";
    W0702 "unused-variable" "a variable that is never used";
    W0703 "unused-result" "a computed value that is not used";
    W0401 "sign-conversion" "a constant changes its value in a conversion";
    W0402 "suspicious" "an expression that is probably not what was meant";
    W2001 "leak" "a tracked pointer that is lost";
    W2002 "may-lose" "a store over a tracked pointer that may be live";
    W0101 "user-warning" "the program text asks for a warning with #warning";
    W0102 "macro-redefined" "a macro defined again with another body";
}

/// The code with the given id (`E0601`, any case) or name.
pub fn find(text: &str) -> Option<Code> {
    ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(text) || code.name == text)
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}
