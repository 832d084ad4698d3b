//! Names seen by the lexer: a small direct-mapped cache in front of the interner, and
//! the symbols the preprocessor itself knows.

use toft_ast::token::Punct;
use toft_base::Symbol;

const SLOTS: usize = 4096;

pub(crate) struct Names {
    cache: Vec<(&'static str, Symbol)>,
    punct: Vec<Symbol>,
    pub(crate) known: Known,
}

impl Names {
    pub(crate) fn new() -> Names {
        let empty = Symbol::intern("");
        Names {
            cache: vec![("", empty); SLOTS],
            punct: Punct::ALL.iter().map(|&(_, text)| Symbol::intern(text)).collect(),
            known: Known::new(),
        }
    }

    pub(crate) fn punct(&self, punct: Punct) -> Symbol {
        self.punct[punct as usize]
    }

    /// Interns a short text that is likely to come again.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        let slot = &mut self.cache[hash(text.as_bytes()) as usize % SLOTS];
        if slot.0 == text {
            return slot.1;
        }
        let symbol = Symbol::intern(text);
        *slot = (symbol.as_str(), symbol);
        symbol
    }
}

fn hash(bytes: &[u8]) -> u32 {
    let mut hash = bytes.len() as u32;
    for &byte in bytes.iter().take(24) {
        hash = hash.rotate_left(5) ^ u32::from(byte);
    }
    if let [.., a, b] = bytes {
        // Long generated names often differ only at their end.
        hash ^= u32::from(*a) << 16 | u32::from(*b) << 24;
    }
    hash.wrapping_mul(0x9e37_79b1) >> 16
}

macro_rules! known {
    ($($field:ident $text:literal,)*) => {
        /// Symbols with a meaning for the preprocessor.
        pub(crate) struct Known { $(pub(crate) $field: Symbol,)* }
        impl Known {
            fn new() -> Known {
                Known { $($field: Symbol::intern($text),)* }
            }
        }
    };
}

known! {
    empty "", zero "0",
    defined "defined", va_args "__VA_ARGS__", va_opt "__VA_OPT__", truth "true",
    once "once", push_macro "push_macro", pop_macro "pop_macro",
    if_ "if", ifdef "ifdef", ifndef "ifndef", elif "elif", elifdef "elifdef",
    elifndef "elifndef", else_ "else", endif "endif",
    define "define", undef "undef", include "include", include_next "include_next",
    import "import", line "line", error "error", warning "warning", pragma "pragma",
    ident "ident", sccs "sccs", embed "embed",
    extern_ "extern", c_include "\"C include\"",
}
