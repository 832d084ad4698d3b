//! C names: readable, unique, and never a keyword, a macro or one of our own.
//!
//! `t_` starts what the program defines (`ns::f` is `t_ns__f`, an instance `t_f__i3`),
//! `tx_` what the emitter makes up, `toft_` what the runtime has.

use toft_base::{FxHashMap, FxHashSet, Symbol};
use toft_cir::Text;

/// Hands out names of one scope.
#[derive(Default)]
pub struct Namer {
    taken: FxHashSet<Text>,
    /// The next number to try after a base name.
    next: FxHashMap<Text, u32>,
}

impl Namer {
    /// `base`, or `base__iN` when that is taken or `numbered`.
    pub fn unique(&mut self, base: &str, numbered: bool) -> Text {
        let base: Text = base.into();
        if !numbered && self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(0);
        loop {
            let name: Text = format!("{base}__i{next}").into();
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// A name that is taken already from outside.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.into());
    }

    pub fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }
}

/// The global name of something called `name` in Toft.
pub fn mangle(name: Symbol) -> String {
    let mut out = String::from("t_");
    let mut rest = name.as_str();
    while let Some((head, tail)) = rest.split_once("::") {
        push_clean(&mut out, head);
        out.push_str("__");
        rest = tail;
    }
    push_clean(&mut out, rest);
    out
}

/// Letters, digits and `_` stay; a letter outside ASCII becomes its number.
fn push_clean(out: &mut String, text: &str) {
    use std::fmt::Write;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c);
        } else if c.is_alphanumeric() {
            let _ = write!(out, "u{:x}", c as u32);
        } else {
            out.push('_');
        }
    }
}

/// A local's or field's name in C.
pub fn local(name: Symbol) -> String {
    let mut out = String::new();
    push_clean(&mut out, name.as_str());
    if is_reserved(&out) {
        out.push('_');
    }
    out
}

/// Could mean something else in the C file: keywords, macros and types of the headers that
/// `toft.h` includes, macros GNU compilers predefine, names of ours.
fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "asm", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do",
        "double", "else", "enum", "extern", "false", "float", "for", "goto", "i386", "if",
        "inline", "int", "jmp_buf", "linux", "long", "longjmp", "main", "offsetof", "register",
        "restrict", "return", "setjmp", "short", "signed", "sizeof", "static", "struct", "switch",
        "true", "typedef", "typeof", "union", "unix", "unsigned", "void", "volatile", "while",
    ];
    name.is_empty()
        || name.starts_with("t_")
        || name.starts_with("tx_")
        || name.starts_with("toft_")
        || name.starts_with("TX_")
        || name.starts_with("TOFT_")
        || name.starts_with('_')
        || name.starts_with(|c: char| c.is_ascii_digit())
        || name.ends_with("_t")
        || name.ends_with("_MAX")
        || name.ends_with("_MIN")
        || name.ends_with("_C")
        || name.ends_with("_WIDTH")
        || is_label(name)
        || name == "NULL"
        || WORDS.binary_search(&name).is_ok()
}

/// Temporaries and labels of ours.
fn is_label(name: &str) -> bool {
    let mut chars = name.chars();
    matches!(chars.next(), Some('L'))
        && chars.clone().count() > 0
        && chars.all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(mangle(Symbol::intern("Ns::sub::f")), "t_Ns__sub__f");
        assert_eq!(local(Symbol::intern("linux")), "linux_");
        assert_eq!(local(Symbol::intern("count")), "count");
        assert_eq!(local(Symbol::intern("size_t")), "size_t_");
        let mut namer = Namer::default();
        assert_eq!(&*namer.unique("t_f", false), "t_f");
        assert_eq!(&*namer.unique("t_f", false), "t_f__i0");
        assert_eq!(&*namer.unique("t_f", true), "t_f__i1");
    }
}
