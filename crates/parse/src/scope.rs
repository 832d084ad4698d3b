//! Which names are types: scopes of `typedef` and ordinary names, and namespaces.
//!
//! Only what the grammar needs. The state of every name is one dense table with an undo
//! log, so that opening and closing a scope costs what the scope declared.

use toft_ast::Path;
use toft_base::{FxHashMap, Symbol};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameKind {
    /// Not declared, as far as the parser saw.
    Unknown,
    /// A variable, function or constant.
    Ordinary,
    Typedef,
}

/// The root namespace.
const ROOT: u32 = 0;

pub(crate) struct Scopes {
    kinds: Vec<NameKind>,
    /// What names were before the open scopes changed them.
    undo: Vec<(Symbol, NameKind)>,
    marks: Vec<usize>,
    /// Scopes that are blocks, functions or parameter lists: what they declare is in no
    /// namespace.
    locals: u32,
    /// What is declared in each namespace.
    members: FxHashMap<(u32, Symbol), NameKind>,
    children: FxHashMap<(u32, Symbol), u32>,
    /// The names of each namespace, to bring them back when it is opened again.
    listed: Vec<Vec<Symbol>>,
    /// The open namespaces, the root first.
    open: Vec<u32>,
    used: Vec<u32>,
    /// Names met as tags of structs and unions, by symbol.
    tags: Vec<bool>,
}

/// Types that exist without a declaration.
const BUILTIN_TYPES: &[&str] = &["uregion_key_t", "rregion_key_t", "uregion_gen_t", "next_rgn"];

/// Structs of the prelude that programs build.
const BUILTIN_TAGS: &[&str] = &[
    "NewDynamicRegion",
    "NewDynamicRegionR",
    "NewDynamicReap",
    "NewDynamicReapR",
    "NewDynamicRegionSeq",
    "DynamicRegionSeq",
];

impl Scopes {
    pub fn new() -> Scopes {
        let mut scopes = Scopes {
            kinds: Vec::new(),
            undo: Vec::new(),
            marks: Vec::new(),
            locals: 0,
            members: FxHashMap::default(),
            children: FxHashMap::default(),
            listed: vec![Vec::new()],
            open: vec![ROOT],
            used: Vec::new(),
            tags: Vec::new(),
        };
        for name in BUILTIN_TYPES {
            scopes.declare(Symbol::intern(name), NameKind::Typedef);
        }
        for name in BUILTIN_TAGS {
            scopes.saw_tag(Symbol::intern(name));
        }
        scopes
    }

    /// The name is the tag of some struct or union.
    pub fn saw_tag(&mut self, name: Symbol) {
        let at = name.index();
        if at >= self.tags.len() {
            self.tags.resize(at + 1, false);
        }
        self.tags[at] = true;
    }

    pub fn is_tag(&self, name: Symbol) -> bool {
        self.tags.get(name.index()).copied().unwrap_or(false)
    }

    #[inline]
    pub fn kind(&self, name: Symbol) -> NameKind {
        self.kinds.get(name.index()).copied().unwrap_or(NameKind::Unknown)
    }

    pub fn declare(&mut self, name: Symbol, kind: NameKind) {
        if self.locals == 0 {
            let space = self.current();
            if self.members.insert((space, name), kind).is_none() {
                self.listed[space as usize].push(name);
            }
        }
        self.set(name, kind);
    }

    fn set(&mut self, name: Symbol, kind: NameKind) {
        let index = name.index();
        if index >= self.kinds.len() {
            self.kinds.resize(index + 64, NameKind::Unknown);
        }
        let old = std::mem::replace(&mut self.kinds[index], kind);
        if old != kind && !self.marks.is_empty() {
            self.undo.push((name, old));
        }
    }

    fn current(&self) -> u32 {
        self.open.last().copied().unwrap_or(ROOT)
    }

    /// Opens a block, parameter list or the like.
    pub fn push(&mut self) {
        self.locals += 1;
        self.marks.push(self.undo.len());
    }

    pub fn pop(&mut self) {
        self.locals -= 1;
        self.restore();
    }

    fn restore(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.undo.len() > mark {
            if let Some((name, old)) = self.undo.pop() {
                self.kinds[name.index()] = old;
            }
        }
    }

    /// Opens `namespace name { … }`.
    pub fn push_namespace(&mut self, name: Symbol) {
        let parent = self.current();
        let space = *self.children.entry((parent, name)).or_insert_with(|| {
            self.listed.push(Vec::new());
            self.listed.len() as u32 - 1
        });
        self.marks.push(self.undo.len());
        self.open.push(space);
        self.bring(space);
    }

    pub fn pop_namespace(&mut self) {
        self.open.pop();
        self.restore();
    }

    /// Opens `using path`: its names are visible until `pop_using`.
    pub fn push_using(&mut self, path: &Path) {
        self.marks.push(self.undo.len());
        let space = self.space_of(path.global, path.segments.iter().map(|ident| ident.name));
        if let Some(space) = space {
            self.bring(space);
        }
        self.used.push(space.unwrap_or(ROOT));
    }

    pub fn pop_using(&mut self) {
        self.used.pop();
        self.restore();
    }

    fn bring(&mut self, space: u32) {
        for n in 0..self.listed[space as usize].len() {
            let name = self.listed[space as usize][n];
            if let Some(&kind) = self.members.get(&(space, name)) {
                self.set(name, kind);
            }
        }
    }

    fn space_of(&self, global: bool, mut path: impl Iterator<Item = Symbol>) -> Option<u32> {
        let first = path.next()?;
        let child = |space: &u32| self.children.get(&(*space, first)).copied();
        let mut space = if global {
            child(&ROOT)
        } else {
            self.open
                .iter()
                .rev()
                .find_map(child)
                .or_else(|| self.used.iter().rev().find_map(child))
        }?;
        for name in path {
            space = *self.children.get(&(space, name))?;
        }
        Some(space)
    }

    /// What the qualified name `segments` stands for.
    pub fn path_kind(&self, global: bool, segments: &[Symbol]) -> NameKind {
        let Some((&last, spaces)) = segments.split_last() else { return NameKind::Unknown };
        let space = match (global, spaces.is_empty()) {
            (false, true) => return self.kind(last),
            (true, true) => Some(ROOT),
            _ => self.space_of(global, spaces.iter().copied()),
        };
        space
            .and_then(|space| self.members.get(&(space, last)).copied())
            .unwrap_or(NameKind::Unknown)
    }
}
