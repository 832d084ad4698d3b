//! Scopes of ordinary names and tags: one dense table each, indexed by symbol, with an
//! undo log, so that a block costs what it declares; and the members of namespaces.

use toft_base::{FxHashMap, Symbol};
use toft_hir::{FuncId, GlobalId, LocalId};
use toft_ty::{AdtId, EnumId};

/// What an ordinary name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Name {
    #[default]
    None,
    Typedef(u32),
    Func(FuncId),
    Global(GlobalId),
    Local(LocalId),
    /// Index into `Resolver::enum_consts`.
    EnumConst(u32),
    Variant(AdtId, u32),
    /// Declared, but its declaration was refused.
    Poison,
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Tag {
    #[default]
    None,
    Adt(AdtId),
    Enum(EnumId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Name(Name),
    Tag(Tag),
    /// A host header's tag whose name Toft code has for something of its own.
    ForeignTag(Tag),
}

/// A file-level declaration of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub ns: u32,
    pub name: Symbol,
    pub what: What,
}

/// The root namespace.
pub(crate) const ROOT: u32 = 0;

#[derive(Default)]
pub(crate) struct Scopes {
    names: Vec<(Name, u32)>,
    tags: Vec<(Tag, u32)>,
    undo: Vec<(Symbol, Old)>,
    marks: Vec<usize>,
    /// What level 0 holds, to clear it when the next unit begins.
    installed: Vec<(Symbol, bool)>,
    members: FxHashMap<(u32, Symbol), (Name, Tag)>,
    /// Names of each namespace in order of declaration.
    listed: Vec<Vec<Symbol>>,
    children: FxHashMap<(u32, Symbol), u32>,
    foreign_tags: FxHashMap<Symbol, Tag>,
    /// Qualified prefixes: `A::B::`.
    prefixes: Vec<String>,
    /// The open namespaces, the root first.
    pub open: Vec<u32>,
    used: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Old {
    Name(Name, u32),
    Tag(Tag, u32),
}

fn slot<T: Copy + Default>(table: &mut Vec<T>, index: usize) -> &mut T {
    if index >= table.len() {
        table.resize(index + 256, T::default());
    }
    &mut table[index]
}

impl Scopes {
    pub fn new() -> Scopes {
        Scopes {
            listed: vec![Vec::new()],
            prefixes: vec![String::new()],
            open: vec![ROOT],
            ..Scopes::default()
        }
    }

    #[inline]
    pub fn name(&self, name: Symbol) -> Name {
        self.names.get(name.index()).map_or(Name::None, |entry| entry.0)
    }

    #[inline]
    pub fn tag(&self, name: Symbol) -> Tag {
        self.tags.get(name.index()).map_or(Tag::None, |entry| entry.0)
    }

    /// The name, if it was declared in the innermost scope.
    pub fn name_here(&self, name: Symbol) -> Name {
        match self.names.get(name.index()) {
            Some(&(found, level)) if level == self.level() => found,
            _ => Name::None,
        }
    }

    pub fn tag_here(&self, name: Symbol) -> Tag {
        match self.tags.get(name.index()) {
            Some(&(found, level)) if level == self.level() => found,
            _ => Tag::None,
        }
    }

    pub fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn bind(&mut self, name: Symbol, what: Name) {
        let level = self.level();
        let entry = slot(&mut self.names, name.index());
        let old = std::mem::replace(entry, (what, level));
        match level {
            0 => self.installed.push((name, false)),
            _ => self.undo.push((name, Old::Name(old.0, old.1))),
        }
    }

    pub fn bind_tag(&mut self, name: Symbol, what: Tag) {
        let level = self.level();
        let entry = slot(&mut self.tags, name.index());
        let old = std::mem::replace(entry, (what, level));
        match level {
            0 => self.installed.push((name, true)),
            _ => self.undo.push((name, Old::Tag(old.0, old.1))),
        }
    }

    pub fn push(&mut self) {
        self.marks.push(self.undo.len());
    }

    pub fn pop(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some((name, Old::Name(what, level))) => self.names[name.index()] = (what, level),
                Some((name, Old::Tag(what, level))) => self.tags[name.index()] = (what, level),
                None => break,
            }
        }
    }

    /// Forgets the unit before.
    pub fn clear(&mut self) {
        while !self.marks.is_empty() {
            self.pop();
        }
        for (name, is_tag) in self.installed.drain(..) {
            if is_tag {
                self.tags[name.index()] = (Tag::None, 0);
            } else {
                self.names[name.index()] = (Name::None, 0);
            }
        }
        self.members.clear();
        self.foreign_tags.clear();
        self.listed.iter_mut().for_each(Vec::clear);
        self.open.truncate(1);
        self.used.clear();
    }

    /// Makes a file-level declaration known.
    pub fn install(&mut self, binding: Binding) {
        let Binding { ns, name, what } = binding;
        if let What::ForeignTag(tag) = what {
            self.foreign_tags.insert(name, tag);
            return;
        }
        if ns == ROOT {
            self.install_root(name, what);
            return;
        }
        let entry = self.members.entry((ns, name)).or_insert_with(|| {
            self.listed[ns as usize].push(name);
            Default::default()
        });
        match what {
            What::Name(new) => entry.0 = new,
            What::Tag(new) => entry.1 = new,
            What::ForeignTag(_) => {}
        }
        if self.open.last() == Some(&ns) {
            match what {
                What::Name(new) => self.bind(name, new),
                What::Tag(new) => self.bind_tag(name, new),
                What::ForeignTag(_) => {}
            }
        }
    }

    /// Inside a `using` or a body the root's names still go to level 0, below what
    /// shadows them.
    fn install_root(&mut self, name: Symbol, what: What) {
        let shadow = self.undo.iter_mut().find(|(other, old)| {
            *other == name
                && matches!(
                    (old, what),
                    (Old::Name(..), What::Name(_)) | (Old::Tag(..), What::Tag(_))
                )
        });
        match (shadow, what) {
            (Some((_, old)), What::Name(new)) => *old = Old::Name(new, 0),
            (Some((_, old)), What::Tag(new)) => *old = Old::Tag(new, 0),
            (None, What::Name(new)) => *slot(&mut self.names, name.index()) = (new, 0),
            (None, What::Tag(new)) => *slot(&mut self.tags, name.index()) = (new, 0),
            (_, What::ForeignTag(_)) => {}
        }
        self.installed.push((name, matches!(what, What::Tag(_))));
    }

    /// What a host header means by `name`, where Toft means something else.
    pub fn foreign_tag(&self, name: Symbol) -> Tag {
        self.foreign_tags.get(&name).copied().unwrap_or_default()
    }

    /// A name of the root namespace, whatever shadows it.
    pub fn root_name(&self, name: Symbol) -> Name {
        let shadowed = self.undo.iter().find_map(|&(other, old)| match old {
            Old::Name(what, _) if other == name => Some(what),
            _ => None,
        });
        shadowed.unwrap_or_else(|| self.name(name))
    }

    pub fn root_tag(&self, name: Symbol) -> Tag {
        let shadowed = self.undo.iter().find_map(|&(other, old)| match old {
            Old::Tag(what, _) if other == name => Some(what),
            _ => None,
        });
        shadowed.unwrap_or_else(|| self.tag(name))
    }

    pub fn member(&self, ns: u32, name: Symbol) -> Name {
        if ns == ROOT {
            return self.root_name(name);
        }
        self.members.get(&(ns, name)).map_or(Name::None, |entry| entry.0)
    }

    pub fn member_tag(&self, ns: u32, name: Symbol) -> Tag {
        if ns == ROOT {
            return self.root_tag(name);
        }
        self.members.get(&(ns, name)).map_or(Tag::None, |entry| entry.1)
    }

    pub fn ns(&self) -> u32 {
        self.open.last().copied().unwrap_or(ROOT)
    }

    /// The namespace `name` in `parent`, made if need be.
    pub fn child(&mut self, parent: u32, name: Symbol) -> u32 {
        if let Some(&ns) = self.children.get(&(parent, name)) {
            return ns;
        }
        let ns = self.listed.len() as u32;
        self.listed.push(Vec::new());
        self.prefixes.push(format!("{}{name}::", self.prefixes[parent as usize]));
        self.children.insert((parent, name), ns);
        ns
    }

    pub fn enter(&mut self, ns: u32) {
        self.push();
        self.open.push(ns);
        self.bring(ns);
    }

    pub fn leave(&mut self) {
        self.open.pop();
        self.pop();
    }

    pub fn enter_using(&mut self, ns: u32) {
        self.push();
        self.used.push(ns);
        if ns != ROOT {
            self.bring(ns);
        }
    }

    pub fn leave_using(&mut self) {
        self.used.pop();
        self.pop();
    }

    fn bring(&mut self, ns: u32) {
        for n in 0..self.listed[ns as usize].len() {
            let name = self.listed[ns as usize][n];
            let (ordinary, tag) = self.members.get(&(ns, name)).copied().unwrap_or_default();
            if ordinary != Name::None {
                self.bind(name, ordinary);
            }
            if tag != Tag::None {
                self.bind_tag(name, tag);
            }
        }
    }

    /// The namespace that `path` names, seen from here.
    pub fn find_ns(&self, global: bool, path: &[toft_ast::Ident]) -> Option<u32> {
        let Some((first, rest)) = path.split_first() else {
            return global.then_some(ROOT);
        };
        let child = |ns: &u32| self.children.get(&(*ns, first.name)).copied();
        let mut ns = if global {
            child(&ROOT)
        } else {
            self.open
                .iter()
                .rev()
                .find_map(child)
                .or_else(|| self.used.iter().rev().find_map(child))
        }?;
        for ident in rest {
            ns = *self.children.get(&(ns, ident.name))?;
        }
        Some(ns)
    }

    /// `name` with its namespaces in front.
    pub fn qualified(&self, ns: u32, name: Symbol) -> Symbol {
        match self.prefixes[ns as usize].as_str() {
            "" => name,
            prefix => Symbol::intern(&format!("{prefix}{name}")),
        }
    }
}
