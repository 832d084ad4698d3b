//! States between blocks: taking the current one along an edge, joining it there.

use super::domain::{Fact, FactId, Facts, NONE, NULL, Sym, Val, View, ZERO, Zero};
use super::slots::Info;
use super::{Engine, Loaded, assigned};
use toft_base::Idx;
use toft_mir::*;

/// The state at the start of a block.
#[derive(Default)]
pub struct Entry<'a> {
    /// By slot; slots of which nothing is known are left out.
    syms: Vec<(u32, Sym)>,
    /// Facts about the values in `syms` and what they refer to, by rising number.
    facts: Vec<(Val, FactId)>,
    loads: Vec<(&'a Place, Sym, Sym, bool)>,
}

impl Entry<'_> {
    /// For the budget.
    pub fn size(&self) -> usize {
        self.syms.len() + self.facts.len()
    }

    /// The facts it names.
    pub fn ids(&mut self) -> impl Iterator<Item = &mut FactId> {
        self.facts.iter_mut().map(|entry| &mut entry.1)
    }
}

/// What a state knows.
struct Known<'e> {
    state: &'e [(Val, FactId)],
    facts: &'e Facts,
}

impl View for Known<'_> {
    fn fact(&self, value: Val) -> &Fact {
        match self.state.binary_search_by_key(&value, |entry| entry.0) {
            Ok(at) => self.facts.get(self.state[at].1),
            Err(_) => &Fact::TOP,
        }
    }
}

/// What a join makes: values with facts the old state named, and with new ones.
#[derive(Default)]
struct Joined {
    kept: Vec<(Val, FactId)>,
    made: Vec<(Val, Fact)>,
}

/// Facts of joins visited more often than this are given up rather than weakened.
const PATIENCE: u16 = 24;
/// Growing ranges stop at the constants of the body for so long, then grow at once.
const STEPS: u16 = 6;
/// Relations between this many variables that change together are looked for.
const MAX_PAIRS: usize = 6;

/// A variable whose value differs between the paths.
struct Change {
    slot: usize,
    old: Sym,
    new: Sym,
    /// Its value after the join.
    value: Val,
}

impl<'a> Engine<'a> {
    /// Makes the state at the start of `id` the current one.
    pub fn load(&mut self, id: BlockId) {
        self.table.clear();
        self.loads.clear();
        self.tags.clear();
        for &slot in &self.live {
            self.cur[self.slots.slots[slot as usize].index()] = Sym::UNKNOWN;
        }
        self.live.clear();
        // Both lists are in order.
        let mut mentioned = self.slots.in_block(id).iter().copied().peekable();
        let Some(entry) = &self.entries[id.index()] else {
            self.live.extend(mentioned);
            return;
        };
        for &(slot, sym) in &entry.syms {
            while let Some(before) = mentioned.next_if(|&other| other < slot) {
                self.live.push(before);
            }
            mentioned.next_if_eq(&slot);
            self.live.push(slot);
            self.cur[self.slots.slots[slot as usize].index()] = sym;
        }
        self.live.extend(mentioned);
        for &(value, fact) in &entry.facts {
            self.table.set_id(value, fact);
            self.table.memory_lens |= self.table.facts.get(fact).len_in_memory;
        }
        self.loads.extend(entry.loads.iter().map(|&(place, base, value, is_pointer)| Loaded {
            place,
            base,
            value,
            is_pointer,
        }));
    }

    /// The current state flows along a normal edge.
    pub fn flow_to(&mut self, from: BlockId, to: BlockId) {
        self.known_slots(to, &[]);
        let is_start = self.visit == 0;
        let back = !is_start && self.cx.cfg.is_back_edge(from, to);
        // Only one way leads there: what was loaded stays known.
        let keep_loads = !is_start && self.cx.cfg.preds(to).len() == 1;
        self.join(to, back, keep_loads);
    }

    /// The state at the start of the block, without what the block changes.
    pub fn flow_to_handler(&mut self, from: BlockId, to: BlockId) {
        let mut changed: Vec<LocalId> = Vec::new();
        assigned(&self.cx.body.blocks[from], &mut |local| changed.push(local));
        self.known_slots(to, &changed);
        let lens = self.table.memory_lens;
        let entries = if lens { self.table.entries.clone() } else { Vec::new() };
        self.table.memory_changed();
        self.join(to, self.cx.cfg.is_back_edge(from, to), false);
        self.table.memory_lens = lens;
        for (value, fact) in entries {
            self.table.set_id(value, fact);
        }
    }

    /// Puts into `known` the slots of which something is known that `to` can ask for, but
    /// those of the given variables.
    fn known_slots(&mut self, to: BlockId, without: &[LocalId]) {
        self.known.clear();
        for &slot in &self.live {
            if !self.slots.is_live(to, slot) {
                continue;
            }
            let local = self.slots.slots[slot as usize];
            let sym = self.cur[local.index()];
            if !sym.is_unknown() && !without.contains(&local) {
                self.known.push((slot, sym));
            }
        }
    }

    /// What is in `known`, with its facts, is true at the start of `to`, too.
    fn join(&mut self, to: BlockId, back: bool, keep_loads: bool) {
        // The state at `to` names the facts known here from now on.
        self.table.share();
        let loads = |loads: &[Loaded<'a>], out: &mut Vec<_>| {
            out.clear();
            if keep_loads {
                out.extend(loads.iter().map(|l| (l.place, l.base, l.value, l.is_pointer)));
            }
        };
        // The only way to a block replaces what it brought before.
        let sole = self.visit > 0 && self.is_sole_way(to);
        let old = self.entries[to.index()].take();
        if sole || old.is_none() {
            let mut entry = old.unwrap_or_default();
            entry.syms.clear();
            entry.syms.extend_from_slice(&self.known);
            self.reachable_facts(&mut entry.facts);
            loads(&self.loads, &mut entry.loads);
            self.entries[to.index()] = Some(entry);
            self.mark(to);
            return;
        }
        let mut entry = old.unwrap_or_default();
        let known = std::mem::take(&mut self.known);
        let mut changed = self.join_into(&mut entry, to, &known, back);
        self.known = known;
        if keep_loads {
            // One predecessor, visited again: the loads are those of its last visit.
            let before = std::mem::take(&mut entry.loads);
            loads(&self.loads, &mut entry.loads);
            changed |= before.len() != entry.loads.len()
                || before.iter().zip(&entry.loads).any(|(a, b)| (a.1, a.2) != (b.1, b.2));
        } else {
            changed |= !entry.loads.is_empty();
            entry.loads.clear();
        }
        self.entries[to.index()] = Some(entry);
        if changed {
            self.mark(to);
        }
    }

    fn is_sole_way(&self, to: BlockId) -> bool {
        to != ENTRY && self.cx.cfg.preds(to).len() == 1 && !self.handlers.contains(to.index())
    }

    fn mark(&mut self, block: BlockId) {
        let order = self.cx.cfg.order[block.index()] as usize;
        if order < self.dirty.domain() {
            self.dirty.insert(order);
            self.cursor = self.cursor.min(order);
        }
    }

    /// Facts of the values in the state, of their lengths and of what relations name.
    fn reachable_facts(&self, out: &mut Vec<(Val, FactId)>) {
        out.clear();
        out.reserve(self.known.len() + 4);
        let add = |value: Val, out: &mut Vec<(Val, FactId)>| {
            if value == ZERO || value == NULL || value == NONE {
                return;
            }
            let id = self.table.id(value);
            if id != Facts::TOP && *self.table.facts.get(id) != Fact::TOP {
                out.push((value, id));
            }
        };
        for (_, sym) in &self.known {
            let before = out.len();
            add(sym.root, out);
            if sym.root != NONE {
                add(sym.root | 1, out);
            }
            for n in before..out.len() {
                let fact = self.table.facts.get(out[n].1);
                fact.rels().iter().for_each(|rel| add(rel.to, out));
                add(fact.len.root, out);
            }
        }
        for load in &self.loads {
            add(load.value.root, out);
        }
        out.sort_unstable_by_key(|entry| entry.0);
        out.dedup_by_key(|entry| entry.0);
    }

    fn join_into(
        &mut self,
        entry: &mut Entry<'a>,
        to: BlockId,
        syms: &[(u32, Sym)],
        back: bool,
    ) -> bool {
        let mut changed = false;
        let mut changes: Vec<Change> = Vec::new();
        let late = self.visits[to.index()] > PATIENCE;
        let mut rest = syms.iter().peekable();
        let before = entry.syms.len();
        entry.syms.retain(|&(slot, old)| {
            while rest.next_if(|entry| entry.0 < slot).is_some() {}
            match rest.next_if(|entry| entry.0 == slot) {
                Some(&(_, new)) if new == old => true,
                Some(&(_, new)) if !late => {
                    let slot = slot as usize;
                    changes.push(Change { slot, old, new, value: self.join_value(to, slot) });
                    true
                }
                _ => false,
            }
        });
        changed |= entry.syms.len() != before;
        let gone = |value: Val| {
            value >= self.join_base && changes.iter().any(|change| change.value == value & !1)
        };
        let known = Known { state: &entry.facts, facts: &self.table.facts };
        let kept = Vec::with_capacity(entry.facts.len() + 2 * changes.len());
        let mut out = Joined { kept, made: Vec::new() };
        for &(value, id) in &entry.facts {
            if !gone(value) {
                changed |= self.join_fact(value, id, &gone, late, &mut out);
            }
        }
        for change in &changes {
            changed |= self.join_change(&known, to, change, &changes, back, &gone, &mut out);
        }
        let mut next = changes.iter().peekable();
        for (slot, sym) in &mut entry.syms {
            if let Some(change) = next.next_if(|change| change.slot == *slot as usize) {
                *sym = Sym::of(change.value);
            }
        }
        let Joined { mut kept, made } = out;
        if !made.is_empty() {
            kept.extend(made.into_iter().map(|(value, fact)| (value, self.table.facts.add(fact))));
            kept.sort_unstable_by_key(|item| item.0);
        }
        entry.facts = kept;
        self.table.share();
        changed
    }

    /// What is true on both sides of a value that is the same on both; true when that is less
    /// than what the old state knew.
    fn join_fact(
        &self,
        value: Val,
        old_id: FactId,
        gone: &dyn Fn(Val) -> bool,
        late: bool,
        out: &mut Joined,
    ) -> bool {
        let old = self.table.facts.get(old_id);
        let new_id = self.table.id(value);
        let same = new_id == old_id || self.table.facts.get(new_id) == old;
        if same && !old.rels().iter().any(|rel| gone(rel.to)) && !gone(old.len.root) {
            out.kept.push((value, old_id));
            return false;
        }
        let joined = self.joined(value, old, self.table.facts.get(new_id), gone, late);
        if joined == *old {
            out.kept.push((value, old_id));
            return false;
        }
        if joined != Fact::TOP {
            out.made.push((value, joined));
        }
        true
    }

    fn joined(
        &self,
        value: Val,
        old: &Fact,
        new: &Fact,
        gone: &dyn Fn(Val) -> bool,
        late: bool,
    ) -> Fact {
        let mut out = Fact::range(old.lo.min(new.lo), old.hi.max(new.hi));
        if late && (out.lo < old.lo || out.hi > old.hi) {
            return Fact::TOP;
        }
        for rel in old.rels() {
            if !gone(rel.to)
                && let Some(c) = self.table.bound(Sym::of(value), Sym::of(rel.to))
                && let Ok(c) = i64::try_from(c)
                && (!late || c <= rel.c)
            {
                out.add_rel(rel.to, c.max(rel.c));
            }
        }
        if old.zero == new.zero {
            out.zero = old.zero;
        }
        out.low = old.low.max(new.low);
        if late && out.low > old.low {
            out.low = 0;
        }
        if old.len == new.len && !gone(old.len.root) {
            out.len = old.len;
            out.len_in_memory = old.len_in_memory || new.len_in_memory;
        }
        out
    }

    /// A new value for a variable that differs; true when what was known of it shrank.
    #[allow(clippy::too_many_arguments)]
    fn join_change(
        &self,
        entry: &Known<'_>,
        to: BlockId,
        change: &Change,
        changes: &[Change],
        back: bool,
        gone: &dyn Fn(Val) -> bool,
        facts: &mut Joined,
    ) -> bool {
        let value = change.value;
        let was_join = change.old == Sym::of(value);
        let info = self.slots.info[self.slots.slots[change.slot]];
        let (old, new) = (change.old, change.new);
        let (old_lo, old_hi) = entry.interval(old);
        let (new_lo, new_hi) = self.table.interval(new);
        let mut out = Fact::range(old_lo.min(new_lo), old_hi.max(new_hi));
        let growing = back || self.visits[to.index()] > 2;
        if growing && let Info::Int { lo, hi } = info {
            let steps = self.visits[to.index()] <= STEPS;
            if out.lo < old_lo {
                out.lo = if steps { self.threshold_below(out.lo, lo) } else { lo };
            }
            if out.hi > old_hi {
                out.hi = if steps { self.threshold_above(out.hi, hi) } else { hi };
            }
        }
        let zero = entry.zero(old);
        if zero == self.table.zero(new) && zero != Zero::Unknown {
            out.zero = zero;
        }
        self.join_rels(entry, change, changes, growing && was_join, gone, &mut out);
        let mut shrank = !was_join;
        if let Info::Ptr { fat: true, .. } = info {
            shrank |= self.join_len(entry, value, change, gone, growing, &mut out, facts);
        }
        shrank |= *entry.fact(value) != out;
        facts.made.push((value, out));
        shrank
    }

    #[allow(clippy::too_many_arguments)]
    fn join_rels(
        &self,
        entry: &Known<'_>,
        change: &Change,
        changes: &[Change],
        shrink_only: bool,
        gone: &dyn Fn(Val) -> bool,
        out: &mut Fact,
    ) {
        let (old, new) = (change.old, change.new);
        let mut offer = |target: Val, c: i128| {
            if gone(target) || target == ZERO || target == NULL || target == NONE {
                return;
            }
            if let Some(other) = self.table.bound(new, Sym::of(target))
                && (!shrink_only || other <= c)
                && let Ok(c) = i64::try_from(c.max(other))
            {
                out.add_rel(target, c);
            }
        };
        if old.root != ZERO && old.root != NULL {
            let off = i128::from(old.off);
            for rel in entry.fact(old.root).rels() {
                offer(rel.to, i128::from(rel.c) + off);
            }
            offer(old.root, off);
        } else if new.root != NULL {
            // From a constant, only what the other side knows can be found again.
            let candidates: Vec<Val> = match new.root {
                ZERO => Vec::new(),
                root => {
                    self.table.fact(root).rels().iter().map(|rel| rel.to).chain([root]).collect()
                }
            };
            for target in candidates {
                if let Some(c) = entry.bound(old, Sym::of(target)) {
                    offer(target, c);
                }
            }
        }
        if changes.len() > MAX_PAIRS {
            return;
        }
        for other in changes {
            if other.slot == change.slot {
                continue;
            }
            if let Some(a) = entry.bound(old, other.old)
                && let Some(b) = self.table.bound(new, other.new)
                && (self.table.related(new, other.new).is_some()
                    || entry.related(old, other.old).is_some())
                && (!shrink_only || b <= a)
                && let Ok(c) = i64::try_from(a.max(b))
            {
                out.add_rel(other.value, c);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn join_len(
        &self,
        entry: &Known<'_>,
        value: Val,
        change: &Change,
        gone: &dyn Fn(Val) -> bool,
        growing: bool,
        out: &mut Fact,
        facts: &mut Joined,
    ) -> bool {
        let low = |view: &dyn ViewDyn, sym: Sym| if sym.off == 0 { view.low(sym.root) } else { 0 };
        out.low = low(entry, change.old).max(low(&self.table, change.new));
        let (a, b) = (entry.fat_len(change.old), self.table.fat_len(change.new));
        if a == b && !a.is_unknown() && !gone(a.root) {
            out.len = a;
            return false;
        }
        let ((lo_a, hi_a), (lo_b, hi_b)) = (entry.interval(a), self.table.interval(b));
        let mut len = Fact::range(lo_a.min(lo_b).max(0), hi_a.max(hi_b).min(u32::MAX.into()));
        if growing && lo_b < lo_a {
            len.lo = 0;
        }
        if growing && hi_b > hi_a {
            len.hi = u32::MAX.into();
        }
        facts.made.push((value | 1, len));
        *entry.fact(value | 1) != len
    }

    /// Where a loop that counts down to a constant stops: there or one below.
    fn threshold_below(&self, value: i128, min: i128) -> i128 {
        let at = self.thresholds.partition_point(|&t| t - 1 <= value);
        match at.checked_sub(1) {
            Some(at) if self.thresholds[at] <= value => self.thresholds[at].max(min),
            Some(at) => (self.thresholds[at] - 1).max(min),
            None => min,
        }
    }

    /// Where a loop that counts up to a constant stops: there or one above.
    fn threshold_above(&self, value: i128, max: i128) -> i128 {
        let at = self.thresholds.partition_point(|&t| t + 1 < value);
        match self.thresholds.get(at) {
            Some(&t) if t >= value => t.min(max),
            Some(&t) => (t + 1).min(max),
            None => max,
        }
    }
}

trait ViewDyn {
    fn low(&self, root: Val) -> i64;
}

impl<T: View> ViewDyn for T {
    fn low(&self, root: Val) -> i64 {
        if root == NONE || root == NULL || root == ZERO { 0 } else { self.fact(root).low }
    }
}
