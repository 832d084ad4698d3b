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

/// Names a fact in [`Facts`].
pub type FactId = u32;

/// The facts of all states. States name them, so that taking a state from block to block copies
/// no fact, and equal names mean equal facts.
#[derive(Default)]
pub struct Facts(Vec<Fact>);

impl Facts {
    /// The first one says nothing.
    pub const TOP: FactId = 0;

    pub fn get(&self, id: FactId) -> &Fact {
        &self.0[id as usize]
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn add(&mut self, fact: Fact) -> FactId {
        let id = self.0.len() as FactId;
        self.0.push(fact);
        id
    }

    /// Drops all facts but those named, and names these anew.
    pub fn keep<'a>(&mut self, names: impl Iterator<Item = &'a mut FactId>) {
        let mut moved = vec![Facts::TOP; self.0.len()];
        let mut kept = vec![Fact::TOP];
        for id in names {
            let at = *id as usize;
            if at != 0 && moved[at] == Facts::TOP {
                moved[at] = kept.len() as FactId;
                kept.push(self.0[at]);
            }
            *id = moved[at];
        }
        self.0 = kept;
    }
}

/// Ranges of types that are remembered.
const MAX_RANGES: usize = 12;
/// A table for more values than these is not kept for the next function.
const MOST_SPARE: usize = 1 << 18;

thread_local! {
    static SPARE: std::cell::Cell<Option<Table>> = const { std::cell::Cell::new(None) };
}

/// Facts at the point being looked at; forgets everything in one step.
#[derive(Default)]
pub struct Table {
    index: Vec<(u32, u32)>,
    pub entries: Vec<(Val, FactId)>,
    pub facts: Facts,
    /// Facts from here on are named by this table alone, and may be changed in place.
    own: FactId,
    stamp: u32,
    undo: Vec<(u32, FactId)>,
    logging: bool,
    /// Facts that values of a type start with, made once.
    ranges: Vec<(i128, i128, FactId)>,
    nonzero: FactId,
    /// Facts contradict each other: no execution comes here.
    pub dead: bool,
    /// Some `len` depends on memory.
    pub memory_lens: bool,
}

impl View for Table {
    #[inline]
    fn fact(&self, value: Val) -> &Fact {
        self.facts.get(self.id(value))
    }
}

impl Table {
    /// For values numbered below `values` (and a few more). Memory comes from the last one.
    pub fn new(values: usize) -> Table {
        let mut table = SPARE.take().unwrap_or_default();
        if table.index.len() < values {
            table.index.resize(values, (0, 0));
        }
        table.facts.0.clear();
        table.facts.add(Fact::TOP);
        table.nonzero = table.facts.add(Fact { zero: Zero::No, ..Fact::TOP });
        table.ranges.clear();
        table.clear();
        table
    }

    /// Leaves the memory to the next one.
    pub fn recycle(&mut self) {
        let table = std::mem::take(self);
        if table.index.len() <= MOST_SPARE && table.stamp < u32::MAX / 2 {
            SPARE.set(Some(table));
        }
    }

    /// Facts that are not in `names` are dropped.
    pub fn keep_facts<'a>(&mut self, names: impl Iterator<Item = &'a mut FactId>) {
        self.facts.keep(names);
        self.ranges.clear();
        self.nonzero = self.facts.add(Fact { zero: Zero::No, ..Fact::TOP });
        self.clear();
    }

    pub fn clear(&mut self) {
        self.stamp += 1;
        self.entries.clear();
        self.undo.clear();
        self.logging = false;
        self.dead = false;
        self.memory_lens = false;
        self.share();
    }

    /// From here on a state names the facts too.
    pub fn share(&mut self) {
        self.own = self.facts.len() as FactId;
    }

    /// What is known of the value, by name.
    #[inline]
    pub fn id(&self, value: Val) -> FactId {
        match self.index.get(value as usize) {
            Some(&(stamp, at)) if stamp == self.stamp => self.entries[at as usize].1,
            _ => Facts::TOP,
        }
    }

    fn slot(&mut self, value: Val) -> u32 {
        if value as usize >= self.index.len() {
            self.index.resize(value as usize + 1, (0, 0));
        }
        let slot = &mut self.index[value as usize];
        if slot.0 != self.stamp {
            *slot = (self.stamp, self.entries.len() as u32);
            self.entries.push((value, Facts::TOP));
        }
        slot.1
    }

    /// Lets a value have a fact that a state names; not undone.
    #[inline]
    pub fn set_id(&mut self, value: Val, id: FactId) {
        let at = self.slot(value);
        self.entries[at as usize].1 = id;
    }

    pub fn set(&mut self, value: Val, fact: Fact) {
        let at = self.slot(value);
        let old = self.entries[at as usize].1;
        if old < self.own {
            self.rename(at, old, fact);
        } else {
            self.facts.0[old as usize] = fact;
        }
    }

    /// Lets a value have a fact that is shared.
    fn set_shared(&mut self, value: Val, id: FactId) {
        let at = self.slot(value);
        let old = std::mem::replace(&mut self.entries[at as usize].1, id);
        if self.logging {
            self.undo.push((at, old));
        }
    }

    /// The value is in the range, which is one of a type's: there are few of them.
    pub fn set_range(&mut self, value: Val, lo: i128, hi: i128) {
        let known = self.ranges.iter().find(|range| range.0 == lo && range.1 == hi);
        let id = match known {
            Some(&(_, _, id)) => id,
            None if self.ranges.len() == MAX_RANGES => {
                return self.set(value, Fact::range(lo, hi));
            }
            None => {
                let id = self.facts.add(Fact::range(lo, hi));
                self.share();
                self.ranges.push((lo, hi, id));
                id
            }
        };
        self.set_shared(value, id);
    }

    /// Of the value is known that it is not zero, at most.
    pub fn set_pointer(&mut self, value: Val, nonzero: bool) {
        self.set_shared(value, if nonzero { self.nonzero } else { Facts::TOP });
    }

    /// For changing; the change is undone by [`Table::rollback`].
    pub fn fact_mut(&mut self, value: Val) -> &mut Fact {
        let at = self.slot(value);
        let mut id = self.entries[at as usize].1;
        if id < self.own {
            id = self.rename(at, id, *self.facts.get(id));
        }
        &mut self.facts.0[id as usize]
    }

    fn rename(&mut self, at: u32, old: FactId, fact: Fact) -> FactId {
        if self.logging {
            self.undo.push((at, old));
        }
        let id = self.facts.add(fact);
        self.entries[at as usize].1 = id;
        id
    }

    /// From here on changes can be undone.
    pub fn begin(&mut self) {
        self.logging = true;
        self.undo.clear();
        self.dead = false;
        self.share();
    }

    pub fn rollback(&mut self) {
        while let Some((at, id)) = self.undo.pop() {
            self.entries[at as usize].1 = id;
        }
        self.logging = false;
        self.dead = false;
        self.share();
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
            let (value, id) = self.entries[n];
            if self.facts.get(id).len_in_memory {
                let fact = self.fact_mut(value);
                fact.len = Sym::UNKNOWN;
                fact.len_in_memory = false;
            }
        }
        self.memory_lens = false;
    }
}
