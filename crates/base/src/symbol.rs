//! Interned strings. A `Symbol` is four bytes, compares by id, and lives for ever.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    strings: Vec<&'static str>,
}

thread_local! {
    // One compilation runs on one thread; a second thread gets its own table,
    // and symbols must not travel between threads.
    static INTERNER: RefCell<Interner> = RefCell::default();
}

impl Symbol {
    /// The symbol for `text`; the same text always gives the same symbol.
    pub fn intern(text: &str) -> Symbol {
        INTERNER.with_borrow_mut(|table| {
            if let Some(&id) = table.ids.get(text) {
                return Symbol(id);
            }
            let id = u32::try_from(table.strings.len()).expect("fewer than 2^32 symbols");
            // The process ends soon after a compilation: leaking is the arena.
            let text: &'static str = Box::leak(text.into());
            table.strings.push(text);
            table.ids.insert(text, id);
            Symbol(id)
        })
    }

    /// The text this symbol stands for.
    pub fn as_str(self) -> &'static str {
        INTERNER.with_borrow(|table| table.strings[self.0 as usize])
    }

    /// A dense id, usable as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
