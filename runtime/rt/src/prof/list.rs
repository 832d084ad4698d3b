//! Growing arrays and indices over them, in memory of the C library: the profiler must
//! not allocate where it measures.

use core::ptr;
use libc::c_void;

/// No element.
pub const NONE: u32 = u32::MAX;

/// An array that grows and is never given back.
pub struct List<T> {
    items: *mut T,
    len: usize,
    room: usize,
}

impl<T: Copy> List<T> {
    pub const EMPTY: List<T> = List { items: ptr::null_mut(), len: 0, room: 0 };

    /// Adds an element; its number, or nothing if there is no memory.
    pub fn push(&mut self, item: T) -> Option<u32> {
        if self.len == self.room {
            let room = (self.room * 2).max(64);
            let bytes = room.checked_mul(size_of::<T>())?;
            // SAFETY: `items` is null or came from realloc.
            let items = unsafe { libc::realloc(self.items.cast::<c_void>(), bytes) };
            if items.is_null() {
                return None;
            }
            (self.items, self.room) = (items.cast(), room);
        }
        let at = u32::try_from(self.len).ok().filter(|&at| at != NONE)?;
        // SAFETY: there is room for it.
        unsafe { self.items.add(self.len).write(item) };
        self.len += 1;
        Some(at)
    }

    pub fn all(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the first `len` elements are there.
        unsafe { core::slice::from_raw_parts(self.items, self.len) }
    }

    pub fn all_mut(&mut self) -> &mut [T] {
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.items, self.len) }
    }

    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

/// Spreads the bits of a key.
pub fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Finds elements of a list by hash. Elements stay.
pub struct Index {
    slots: List<u32>,
    used: usize,
}

impl Index {
    pub const EMPTY: Index = Index { slots: List::EMPTY, used: 0 };

    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let slots = self.slots.all();
        let mut at = hash as usize & slots.len().checked_sub(1)?;
        loop {
            let item = slots[at];
            if item == NONE {
                return None;
            }
            if same(item) {
                return Some(item);
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }

    /// Adds `item`, which is not in it; `hash_of` tells the hash of any element.
    pub fn add(&mut self, item: u32, hash_of: impl Fn(u32) -> u64) -> Option<()> {
        let len = self.slots.all().len();
        if (self.used + 1) * 2 > len {
            let mut larger = List::EMPTY;
            for _ in 0..(len * 2).max(64) {
                larger.push(NONE)?;
            }
            for &old in self.slots.all().iter().filter(|&&old| old != NONE) {
                place(&mut larger, old, hash_of(old));
            }
            // SAFETY: the old slots are no longer used.
            unsafe { libc::free(self.slots.items.cast()) };
            self.slots = larger;
        }
        place(&mut self.slots, item, hash_of(item));
        self.used += 1;
        Some(())
    }
}

/// Puts an element into the first free slot of its run; there is one.
fn place(slots: &mut List<u32>, item: u32, hash: u64) {
    let slots = slots.all_mut();
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != NONE {
        at = (at + 1) & mask;
    }
    slots[at] = item;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        let mut list = List::EMPTY;
        let mut index = Index::EMPTY;
        for n in 0..1000_u64 {
            let at = list.push(n * 16).expect("memory");
            index.add(at, |i| mix(list.all()[i as usize], 0)).expect("memory");
        }
        for n in 0..1000_u64 {
            let found = index.find(mix(n * 16, 0), |i| list.all()[i as usize] == n * 16);
            assert_eq!(found, Some(n as u32));
        }
        assert_eq!(index.find(mix(8, 0), |i| list.all()[i as usize] == 8), None);
    }
}
