//! States of paths: a set of what may be, for each path.
//!
//! Invariants: an entry only ever grows, so the iteration ends; a path without a state
//! (0) is out of scope or has no value yet. Entries keep only the stretches of paths that
//! have a state, so that a function pays for what is alive and not for all its variables.

use std::rc::Rc;

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

type Chunk = [u16; CHUNK];

/// States of all paths; stretches that are the same in two states are shared.
type Chunks = Vec<Option<Rc<Chunk>>>;

/// The state at the start of a block.
#[derive(Clone, Default)]
pub struct Entry {
    chunks: Chunks,
}

impl Entry {
    pub fn get(&self, path: usize) -> u16 {
        match self.chunks.get(path / CHUNK) {
            Some(Some(chunk)) => chunk[path % CHUNK],
            _ => 0,
        }
    }

    /// Whether the stretch of paths that begins at `chunk` is the very same.
    pub fn shares(&self, state: &State, path: usize) -> bool {
        let at = path / CHUNK;
        match (self.chunks.get(at), state.chunks.get(at)) {
            (Some(Some(a)), Some(Some(b))) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The state where the analysis stands.
pub struct State {
    chunks: Chunks,
    /// Old values, while changes are to be taken back.
    undo: Option<Vec<(usize, u16)>>,
    /// Something changed since this was last reset.
    pub changed: bool,
}

impl State {
    pub fn new(paths: usize) -> State {
        State { chunks: vec![None; paths.div_ceil(CHUNK)], undo: None, changed: false }
    }

    pub fn get(&self, path: usize) -> u16 {
        self.chunks[path / CHUNK].as_ref().map_or(0, |chunk| chunk[path % CHUNK])
    }

    pub fn set(&mut self, path: usize, bits: u16) {
        let old = self.get(path);
        if old != bits {
            self.changed = true;
            if let Some(undo) = &mut self.undo {
                undo.push((path, old));
            }
            self.write(path, bits);
        }
    }

    fn write(&mut self, path: usize, bits: u16) {
        let chunk = self.chunks[path / CHUNK].get_or_insert_default();
        Rc::make_mut(chunk)[path % CHUNK] = bits;
    }

    pub fn add(&mut self, path: usize, bits: u16) {
        self.set(path, self.get(path) | bits);
    }

    pub fn remove(&mut self, path: usize, bits: u16) {
        self.set(path, self.get(path) & !bits);
    }

    /// From here on, changes can be taken back.
    pub fn begin(&mut self) {
        self.undo = Some(Vec::new());
    }

    pub fn rollback(&mut self) {
        for (path, old) in self.undo.take().unwrap_or_default().into_iter().rev() {
            self.write(path, old);
        }
    }

    /// Paths that have a state, in order.
    pub fn each(&self, visit: &mut dyn FnMut(usize, u16)) {
        self.each_unless(&mut |_| false, visit);
    }

    /// The same, without the stretches that `skip` says.
    pub fn each_unless(
        &self,
        skip: &mut dyn FnMut(usize) -> bool,
        visit: &mut dyn FnMut(usize, u16),
    ) {
        for (n, chunk) in self.chunks.iter().enumerate() {
            let Some(chunk) = chunk else { continue };
            if skip(n * CHUNK) {
                continue;
            }
            for (at, &bits) in chunk.iter().enumerate() {
                if bits != 0 {
                    visit(n * CHUNK + at, bits);
                }
            }
        }
    }

    /// Takes up the state of an entry.
    pub fn load(&mut self, entry: &Entry) {
        self.chunks.clone_from(&entry.chunks);
        self.undo = None;
        self.changed = true;
    }

    /// Adds this state to an entry; whether that grew. What may be given up on one way counts
    /// as given up.
    pub fn join_into(&self, entry: &mut Entry) -> bool {
        entry.chunks.resize(self.chunks.len(), None);
        let mut grown = false;
        for (to, from) in entry.chunks.iter_mut().zip(&self.chunks) {
            let Some(from) = from else { continue };
            match to {
                Some(to) if Rc::ptr_eq(to, from) => {}
                Some(to) => {
                    let adds =
                        to.iter().zip(from.iter()).any(|(&to, &from)| joined(to, from) != to);
                    if adds {
                        grown = true;
                        for (to, from) in Rc::make_mut(to).iter_mut().zip(from.iter()) {
                            *to = joined(*to, *from);
                        }
                    }
                }
                None => {
                    if from.iter().any(|&bits| bits != 0) {
                        *to = Some(from.clone());
                        grown = true;
                    }
                }
            }
        }
        grown
    }
}

/// Joining only takes a path up this order: no state, held, given up.
fn joined(a: u16, b: u16) -> u16 {
    let all = a | b;
    if all & GONE != 0 { all & !HELD } else { all }
}
