//! Values and what is known of them.
//!
//! A value is named by the point that made it (a statement, or the joining of paths at a
//! block), never by the variable that holds it: what is known of a value stays true when the
//! variable is assigned again. A [`Sym`] is a value plus a constant, as mathematical
//! integers; constants are offsets from [`ZERO`].

/// A value's number. Even; the odd number after it names the length of a pointer.
pub type Val = u32;

pub const ZERO: Val = 0;
/// The null pointer.
pub const NULL: Val = 2;
/// Nothing is known.
pub const NONE: Val = u32::MAX - 1;
/// First number of the body's own values.
pub const FIRST: Val = 4;

/// Beyond every integer of the language.
pub const INF: i128 = 1 << 80;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sym {
    pub root: Val,
    pub off: i64,
}

impl Sym {
    pub const UNKNOWN: Sym = Sym { root: NONE, off: 0 };

    pub fn of(root: Val) -> Sym {
        Sym { root, off: 0 }
    }

    pub fn constant(value: i128) -> Option<Sym> {
        i64::try_from(value).ok().map(|off| Sym { root: ZERO, off })
    }

    pub fn is_unknown(self) -> bool {
        self.root == NONE
    }

    /// The value plus `by`, when that can be written.
    pub fn plus(self, by: i128) -> Option<Sym> {
        if self.is_unknown() {
            return None;
        }
        let off = i64::try_from(i128::from(self.off) + by).ok()?;
        Some(Sym { root: self.root, off })
    }
}

/// `value <= to + c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rel {
    pub to: Val,
    pub c: i64,
}

const MAX_RELS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zero {
    Unknown,
    No,
    Yes,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    pub lo: i128,
    pub hi: i128,
    /// Through [`Fact::add_rel`] only.
    pub rels: [Rel; MAX_RELS],
    pub count: u8,
    /// The integer is zero, the pointer is null.
    pub zero: Zero,
    /// Fat pointers: accesses at `low .. 0` are in bounds (0 or less).
    pub low: i64,
    /// Fat pointers: elements from the position to the end, never less than 0. Thin
    /// zero-terminated ones: elements before the terminator. Unknown: the value's own odd
    /// number stands for it (fat), or nothing does (thin).
    pub len: Sym,
    /// `len` depends on the contents of memory: the next write ends it.
    pub len_in_memory: bool,
}

impl Fact {
    pub const TOP: Fact = Fact {
        lo: -INF,
        hi: INF,
        rels: [Rel { to: ZERO, c: 0 }; MAX_RELS],
        count: 0,
        zero: Zero::Unknown,
        low: 0,
        len: Sym::UNKNOWN,
        len_in_memory: false,
    };

    pub fn range(lo: i128, hi: i128) -> Fact {
        Fact { lo, hi, ..Fact::TOP }
    }

    pub fn rels(&self) -> &[Rel] {
        &self.rels[..usize::from(self.count)]
    }

    /// Adds `value <= to + c`; the oldest gives way.
    pub fn add_rel(&mut self, to: Val, c: i64) {
        let count = usize::from(self.count);
        if let Some(old) = self.rels[..count].iter_mut().find(|rel| rel.to == to) {
            old.c = old.c.min(c);
        } else if count < MAX_RELS {
            self.rels[count] = Rel { to, c };
            self.count += 1;
        } else {
            self.rels.rotate_left(1);
            self.rels[MAX_RELS - 1] = Rel { to, c };
        }
    }
}

/// Something that knows facts.
pub trait View {
    fn fact(&self, value: Val) -> &Fact;

    fn interval(&self, sym: Sym) -> (i128, i128) {
        match sym.root {
            ZERO => (i128::from(sym.off), i128::from(sym.off)),
            NONE => (-INF, INF),
            root => {
                let fact = self.fact(root);
                let off = i128::from(sym.off);
                (fact.lo + off, fact.hi + off)
            }
        }
    }

    /// The least known `c` with `a <= b + c`, from relations alone.
    fn related(&self, a: Sym, b: Sym) -> Option<i128> {
        if a.is_unknown() || b.is_unknown() {
            return None;
        }
        let shift = i128::from(a.off) - i128::from(b.off);
        if a.root == b.root {
            return Some(shift);
        }
        let mut best: Option<i128> = None;
        let mut offer = |c: i128| best = Some(best.map_or(c, |old| old.min(c)));
        if a.root != ZERO {
            for rel in self.fact(a.root).rels() {
                if rel.to == b.root {
                    offer(i128::from(rel.c));
                    continue;
                }
                if rel.to == ZERO {
                    continue;
                }
                for next in self.fact(rel.to).rels() {
                    if next.to == b.root {
                        offer(i128::from(rel.c) + i128::from(next.c));
                    }
                }
            }
        }
        best.map(|c| c + shift)
    }

    /// The least known `c` with `a <= b + c`.
    fn bound(&self, a: Sym, b: Sym) -> Option<i128> {
        let (_, hi) = self.interval(a);
        let (lo, _) = self.interval(b);
        let apart = (hi < INF / 2 && lo > -INF / 2).then_some(hi - lo);
        match (self.related(a, b), apart) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        }
    }

    /// `a <= b + c` for certain.
    fn le(&self, a: Sym, b: Sym, c: i128) -> bool {
        self.bound(a, b).is_some_and(|known| known <= c)
    }

    fn zero(&self, sym: Sym) -> Zero {
        let (lo, hi) = self.interval(sym);
        if sym.root == NULL || lo == 0 && hi == 0 {
            return Zero::Yes;
        }
        if lo > 0 || hi < 0 {
            return Zero::No;
        }
        if sym.off == 0 && sym.root != NONE && sym.root != ZERO {
            return self.fact(sym.root).zero;
        }
        Zero::Unknown
    }

    /// The length of a fat pointer.
    fn fat_len(&self, sym: Sym) -> Sym {
        match sym.root {
            NONE | ZERO => Sym::UNKNOWN,
            NULL => Sym { root: ZERO, off: 0 },
            root => {
                let len = self.fact(root).len;
                if len.is_unknown() { Sym::of(root | 1) } else { len }
            }
        }
    }
}

/// Facts at the point being looked at; forgets everything in one step.
pub struct Table {
    index: Vec<(u32, u32)>,
    pub entries: Vec<(Val, Fact)>,
    stamp: u32,
    undo: Vec<(u32, Fact)>,
    logging: bool,
    /// Facts contradict each other: no execution comes here.
    pub dead: bool,
    /// Some `len` depends on memory.
    pub memory_lens: bool,
}

impl View for Table {
    fn fact(&self, value: Val) -> &Fact {
        match self.index.get(value.index()) {
            Some(&(stamp, at)) if stamp == self.stamp => &self.entries[at as usize].1,
            _ => &Fact::TOP,
        }
    }
}

trait ValIndex {
    fn index(self) -> usize;
}
impl ValIndex for Val {
    fn index(self) -> usize {
        self as usize
    }
}

impl Table {
    pub fn new(values: usize) -> Table {
        Table {
            index: vec![(0, 0); values],
            entries: Vec::new(),
            stamp: 0,
            undo: Vec::new(),
            logging: false,
            dead: false,
            memory_lens: false,
        }
    }

    pub fn clear(&mut self) {
        self.stamp += 1;
        self.entries.clear();
        self.undo.clear();
        self.logging = false;
        self.dead = false;
        self.memory_lens = false;
    }

    pub fn set(&mut self, value: Val, fact: Fact) {
        *self.fact_mut(value) = fact;
    }

    /// For changing; the change is undone by [`Table::rollback`].
    pub fn fact_mut(&mut self, value: Val) -> &mut Fact {
        if value.index() >= self.index.len() {
            self.index.resize(value.index() + 1, (0, 0));
        }
        let slot = &mut self.index[value.index()];
        if slot.0 != self.stamp {
            *slot = (self.stamp, self.entries.len() as u32);
            self.entries.push((value, Fact::TOP));
        }
        let at = slot.1;
        if self.logging {
            self.undo.push((at, self.entries[at as usize].1));
        }
        &mut self.entries[at as usize].1
    }

    /// From here on changes can be undone.
    pub fn begin(&mut self) {
        self.logging = true;
        self.undo.clear();
        self.dead = false;
    }

    pub fn rollback(&mut self) {
        while let Some((at, fact)) = self.undo.pop() {
            self.entries[at as usize].1 = fact;
        }
        self.logging = false;
        self.dead = false;
    }

    /// From here on `a <= b + c` holds.
    pub fn assume_le(&mut self, a: Sym, b: Sym, c: i128) {
        if a.is_unknown() || b.is_unknown() {
            return;
        }
        let c = c + i128::from(b.off) - i128::from(a.off);
        if a.root == b.root {
            self.dead |= c < 0;
            return;
        }
        let (lo_a, _) = self.interval(Sym::of(a.root));
        let (_, hi_b) = self.interval(Sym::of(b.root));
        if a.root != ZERO {
            let fact = self.fact_mut(a.root);
            if hi_b < INF / 2 {
                fact.hi = fact.hi.min(hi_b + c);
            }
            if b.root != ZERO
                && let Ok(c) = i64::try_from(c)
            {
                fact.add_rel(b.root, c);
            }
            self.dead |= self.fact(a.root).lo > self.fact(a.root).hi;
        }
        if b.root != ZERO {
            let fact = self.fact_mut(b.root);
            if lo_a > -INF / 2 {
                fact.lo = fact.lo.max(lo_a - c);
            }
            self.dead |= fact.lo > fact.hi;
        }
        if a.root == ZERO && b.root == ZERO {
            self.dead |= c < 0;
        }
    }

    pub fn assume_eq(&mut self, a: Sym, b: Sym) {
        self.assume_le(a, b, 0);
        self.assume_le(b, a, 0);
    }

    pub fn assume_nonzero(&mut self, sym: Sym) {
        match self.zero(sym) {
            Zero::Yes => self.dead = true,
            Zero::No => {}
            Zero::Unknown if sym.root != NONE && sym.root != ZERO => {
                let off = i128::from(sym.off);
                let fact = self.fact_mut(sym.root);
                if sym.off == 0 {
                    fact.zero = Zero::No;
                }
                if fact.lo + off == 0 {
                    fact.lo += 1;
                }
                if fact.hi + off == 0 {
                    fact.hi -= 1;
                }
                self.dead |= fact.lo > fact.hi;
            }
            Zero::Unknown => {}
        }
    }

    pub fn assume_zero(&mut self, sym: Sym, is_pointer: bool) {
        if self.zero(sym) == Zero::No {
            self.dead = true;
            return;
        }
        if sym.root == NONE || sym.root == ZERO || sym.root == NULL {
            return;
        }
        if is_pointer {
            self.fact_mut(sym.root).zero = Zero::Yes;
        } else {
            self.assume_eq(sym, Sym { root: ZERO, off: 0 });
        }
    }

    /// Memory changed: lengths that depend on it are forgotten.
    pub fn memory_changed(&mut self) {
        if !self.memory_lens {
            return;
        }
        for n in 0..self.entries.len() {
            if self.entries[n].1.len_in_memory {
                let value = self.entries[n].0;
                let fact = self.fact_mut(value);
                fact.len = Sym::UNKNOWN;
                fact.len_in_memory = false;
            }
        }
        self.memory_lens = false;
    }
}
