//! States of paths: a set of what may be, for each path.
//!
//! Invariants: an entry only ever grows, so the iteration ends; a path without a state
//! (0) is out of scope or has no value yet. Entries keep only the stretches of paths that
//! have a state, so that a function pays for what is alive and not for all its variables.

/// It may hold a pointer that is not null (or something of unknown type).
pub const LIVE: u16 = 1;
/// It may be null.
pub const NULL: u16 = 2;
/// It may have been given up.
pub const GONE: u16 = 4;
/// Given up, and the memory still holds the old pointer.
pub const RAW: u16 = 8;
/// Given up to a pattern's variable, which may give it back.
pub const LENT: u16 = 16;
/// Borrowed by a declaration, or a key that is open.
pub const PIN: u16 = 32;
/// Borrowed for a call.
pub const LOAN: u16 = 64;
/// Parts of what it points at that have no path may own something.
pub const FULL: u16 = 128;
/// Not, or no longer, what a pattern lent.
pub const OWN: u16 = 256;

/// What joining with `GONE` takes away: maybe given up counts as given up.
const HELD: u16 = LIVE | NULL | FULL;

const CHUNK: usize = 32;

/// The state at the start of a block.
#[derive(Clone, Default)]
pub struct Entry {
    chunks: Vec<(u32, [u16; CHUNK])>,
}

impl Entry {
    pub fn get(&self, path: usize) -> u16 {
        let chunk = (path / CHUNK) as u32;
        match self.chunks.binary_search_by_key(&chunk, |(n, _)| *n) {
            Ok(at) => self.chunks[at].1[path % CHUNK],
            Err(_) => 0,
        }
    }
}

/// The state where the analysis stands.
pub struct State {
    cur: Vec<u16>,
    /// Chunks that may hold something.
    used: Vec<u64>,
    /// Old values, while changes are to be taken back.
    undo: Option<Vec<(usize, u16)>>,
    /// Something changed since this was last reset.
    pub changed: bool,
}

impl State {
    pub fn new(paths: usize) -> State {
        let chunks = paths.div_ceil(CHUNK);
        State {
            cur: vec![0; chunks * CHUNK],
            used: vec![0; chunks.div_ceil(64)],
            undo: None,
            changed: false,
        }
    }

    pub fn get(&self, path: usize) -> u16 {
        self.cur[path]
    }

    pub fn set(&mut self, path: usize, bits: u16) {
        let old = std::mem::replace(&mut self.cur[path], bits);
        if old != bits {
            let chunk = path / CHUNK;
            self.used[chunk / 64] |= 1 << (chunk % 64);
            self.changed = true;
            if let Some(undo) = &mut self.undo {
                undo.push((path, old));
            }
        }
    }

    pub fn add(&mut self, path: usize, bits: u16) {
        self.set(path, self.cur[path] | bits);
    }

    pub fn remove(&mut self, path: usize, bits: u16) {
        self.set(path, self.cur[path] & !bits);
    }

    /// From here on, changes can be taken back.
    pub fn begin(&mut self) {
        self.undo = Some(Vec::new());
    }

    pub fn rollback(&mut self) {
        for (path, old) in self.undo.take().unwrap_or_default().into_iter().rev() {
            self.cur[path] = old;
        }
    }

    fn each_chunk(&self, visit: &mut dyn FnMut(usize)) {
        for (n, &word) in self.used.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(n * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// Paths that have a state, in order.
    pub fn each(&self, visit: &mut dyn FnMut(usize, u16)) {
        self.each_chunk(&mut |chunk| {
            for path in chunk * CHUNK..(chunk + 1) * CHUNK {
                if self.cur[path] != 0 {
                    visit(path, self.cur[path]);
                }
            }
        });
    }

    /// Takes up the state of an entry.
    pub fn load(&mut self, entry: &Entry) {
        let mut old = Vec::new();
        self.each_chunk(&mut |chunk| old.push(chunk));
        for chunk in old {
            self.cur[chunk * CHUNK..(chunk + 1) * CHUNK].fill(0);
        }
        self.used.fill(0);
        for (chunk, bits) in &entry.chunks {
            let chunk = *chunk as usize;
            let to = &mut self.cur[chunk * CHUNK..(chunk + 1) * CHUNK];
            to.copy_from_slice(bits);
            for bits in to {
                if *bits & GONE != 0 {
                    *bits &= !HELD;
                }
            }
            self.used[chunk / 64] |= 1 << (chunk % 64);
        }
        self.undo = None;
        self.changed = true;
    }

    /// Adds this state to an entry; whether that grew.
    pub fn join_into(&self, entry: &mut Entry) -> bool {
        let mut grown = false;
        let mut at = 0;
        self.each_chunk(&mut |chunk| {
            let mine = &self.cur[chunk * CHUNK..(chunk + 1) * CHUNK];
            while at < entry.chunks.len() && (entry.chunks[at].0 as usize) < chunk {
                at += 1;
            }
            if entry.chunks.get(at).is_some_and(|(n, _)| *n as usize == chunk) {
                for (to, from) in entry.chunks[at].1.iter_mut().zip(mine) {
                    grown |= *from & !*to != 0;
                    *to |= from;
                }
            } else if mine.iter().any(|&bits| bits != 0) {
                let mut bits = [0; CHUNK];
                bits.copy_from_slice(mine);
                entry.chunks.insert(at, (chunk as u32, bits));
                grown = true;
            }
        });
        grown
    }
}
