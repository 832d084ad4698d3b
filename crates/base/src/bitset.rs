//! Dense bit sets for data-flow analysis.

/// A set of small integers, of fixed domain size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
    domain: usize,
}

impl BitSet {
    pub fn empty(domain: usize) -> BitSet {
        BitSet { words: vec![0; domain.div_ceil(64)], domain }
    }

    pub fn full(domain: usize) -> BitSet {
        let mut set = BitSet { words: vec![!0; domain.div_ceil(64)], domain };
        if !domain.is_multiple_of(64)
            && let Some(last) = set.words.last_mut()
        {
            *last = (1 << (domain % 64)) - 1;
        }
        set
    }

    pub fn domain(&self) -> usize {
        self.domain
    }

    pub fn contains(&self, bit: usize) -> bool {
        self.words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }

    /// Adds `bit`; true if it was not there.
    pub fn insert(&mut self, bit: usize) -> bool {
        debug_assert!(bit < self.domain);
        let word = &mut self.words[bit / 64];
        let old = *word;
        *word |= 1 << (bit % 64);
        *word != old
    }

    /// Removes `bit`; true if it was there.
    pub fn remove(&mut self, bit: usize) -> bool {
        debug_assert!(bit < self.domain);
        let word = &mut self.words[bit / 64];
        let old = *word;
        *word &= !(1 << (bit % 64));
        *word != old
    }

    /// `self ∪= other`; true if it grew.
    pub fn union(&mut self, other: &BitSet) -> bool {
        self.merge(other, |a, b| a | b)
    }

    /// `self ∩= other`; true if it shrank.
    pub fn intersect(&mut self, other: &BitSet) -> bool {
        self.merge(other, |a, b| a & b)
    }

    /// `self −= other`; true if it shrank.
    pub fn subtract(&mut self, other: &BitSet) -> bool {
        self.merge(other, |a, b| a & !b)
    }

    fn merge(&mut self, other: &BitSet, op: impl Fn(u64, u64) -> u64) -> bool {
        debug_assert_eq!(self.domain, other.domain);
        let mut changed = false;
        for (word, &theirs) in self.words.iter_mut().zip(&other.words) {
            let new = op(*word, theirs);
            changed |= new != *word;
            *word = new;
        }
        changed
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(n, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(n * 64 + bit)
            })
        })
    }
}
