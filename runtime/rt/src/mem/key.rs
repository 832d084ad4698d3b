//! Dynamic regions: an object of the heap, unique or counted, that owns an arena or reap.
//!
//! All keys of a process are linked. A region whose key was lost, and into which no pointer
//! leads, is released by the collector (`mark`).

use core::ptr;

use super::heap::{Full, Heap};
use super::manual;
use super::region::{self, ARENA, DYNAMIC, REAP, Region};

/// The owner of a dynamic region. Laid out as toft_key.
#[repr(C)]
pub struct Key {
    pub region: Region,
    pub next: *mut Key,
    pub prev: *mut Key,
    pub heap: *mut Heap,
}

/// Bytes of the count in front of a counted key.
const HEAD: usize = 8;

/// A new region without memory.
pub fn new(heap: &mut Heap, reap: bool, counted: bool) -> Result<*mut Key, Full> {
    let head = if counted { HEAD } else { 0 };
    let (cell, _) = heap.tracked_raw((size_of::<Key>() + head) as u64, 8)?;
    let kind = if reap { REAP } else { ARENA } | DYNAMIC;
    // SAFETY: a fresh cell of the right size; keys in the list are alive.
    unsafe {
        if counted {
            *cell.cast::<u64>() = 1;
        }
        let key = cell.add(head).cast::<Key>();
        key.write(Key {
            region: Region { kind, ..Region::EMPTY },
            next: heap.keys,
            prev: ptr::null_mut(),
            heap,
        });
        if !heap.keys.is_null() {
            (*heap.keys).prev = key;
        }
        heap.keys = key;
        Ok(key)
    }
}

/// Gives the region's memory back and forgets the key; its cell stays.
///
/// # Safety
/// The key is in the list of `heap`; nobody will use its region.
pub unsafe fn close(heap: &mut Heap, key: *mut Key) {
    // SAFETY: neighbours in the list are alive.
    unsafe {
        region::release(heap, &raw mut (*key).region);
        let (next, prev) = ((*key).next, (*key).prev);
        if prev.is_null() {
            heap.keys = next;
        } else {
            (*prev).next = next;
        }
        if !next.is_null() {
            (*next).prev = prev;
        }
    }
}

/// Frees the region and the key.
///
/// # Safety
/// As for `close`.
pub unsafe fn free(heap: &mut Heap, key: *mut Key, counted: bool) {
    // SAFETY: the key is an object of the heap.
    unsafe {
        close(heap, key);
        manual::free(heap, key.cast(), counted);
    }
}
