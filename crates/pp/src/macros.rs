//! Macro definitions and the table of them.

use crate::ptok::{PTok, SPACE};
use std::cell::Cell;
use std::rc::Rc;
use toft_base::{Span, Symbol};

/// One element of a replacement list.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Token(PTok),
    /// A parameter. `raw`: next to `##`, so its argument is not expanded first.
    Param {
        index: u32,
        raw: bool,
        space: bool,
        span: Span,
    },
    /// `#param`.
    Stringify {
        index: u32,
        space: bool,
        span: Span,
    },
    /// `##`; `comma`: the GNU form `, ## args`, which drops the comma when the variable
    /// arguments are missing.
    Paste {
        comma: bool,
        span: Span,
    },
    /// `__VA_OPT__(…)`, or `#__VA_OPT__(…)`.
    VaOpt {
        items: Vec<Item>,
        stringify: bool,
        space: bool,
        span: Span,
    },
}

impl Item {
    /// The same text for the purpose of redefinition: places do not count.
    fn same(&self, other: &Item) -> bool {
        match (self, other) {
            (Item::Token(a), Item::Token(b)) => {
                a.kind == b.kind && a.sym == b.sym && a.has(SPACE) == b.has(SPACE)
            }
            (Item::Param { index: a, space: s, .. }, Item::Param { index: b, space: t, .. })
            | (
                Item::Stringify { index: a, space: s, .. },
                Item::Stringify { index: b, space: t, .. },
            ) => a == b && s == t,
            (Item::Paste { .. }, Item::Paste { .. }) => true,
            (
                Item::VaOpt { items: a, stringify: s, .. },
                Item::VaOpt { items: b, stringify: t, .. },
            ) => s == t && same_items(a, b),
            _ => false,
        }
    }
}

fn same_items(a: &[Item], b: &[Item]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

/// Macros with a meaning instead of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    File,
    Line,
    Counter,
    IncludeLevel,
    BaseFile,
    FileName,
    HasInclude { next: bool },
    HasEmbed,
    Has(crate::env::Has),
    Pragma,
}

#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) name: Symbol,
    /// The name in the definition.
    pub(crate) span: Span,
    pub(crate) params: Vec<Symbol>,
    pub(crate) function: bool,
    /// The last parameter takes all remaining arguments.
    pub(crate) variadic: bool,
    pub(crate) items: Vec<Item>,
    /// Parameters whose expanded argument is used somewhere.
    pub(crate) wants: Vec<bool>,
    pub(crate) builtin: Option<Builtin>,
    /// How many contexts are reading this macro's expansion.
    pub(crate) active: Cell<u32>,
}

impl Macro {
    pub(crate) fn same(&self, other: &Macro) -> bool {
        self.function == other.function
            && self.variadic == other.variadic
            && self.params == other.params
            && self.builtin == other.builtin
            && same_items(&self.items, &other.items)
    }
}

/// Macros by symbol: one array lookup per identifier.
#[derive(Default)]
pub(crate) struct Table {
    slots: Vec<u32>,
    list: Vec<Rc<Macro>>,
}

impl Table {
    #[inline]
    pub(crate) fn get(&self, name: Symbol) -> Option<&Rc<Macro>> {
        match self.slots.get(name.index()) {
            None | Some(0) => None,
            Some(&id) => Some(&self.list[id as usize - 1]),
        }
    }

    /// Sets or removes the definition of `name`.
    pub(crate) fn set(&mut self, name: Symbol, definition: Option<Rc<Macro>>) {
        let slot = match definition {
            Some(definition) => {
                self.list.push(definition);
                self.list.len() as u32
            }
            None => 0,
        };
        if name.index() >= self.slots.len() {
            if slot == 0 {
                return;
            }
            self.slots.resize((name.index() + 1).next_power_of_two(), 0);
        }
        self.slots[name.index()] = slot;
    }
}
