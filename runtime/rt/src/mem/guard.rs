//! Watching freed memory, for fuzzing: with `TOFT_POISON=1` in the environment it is filled
//! with a pattern, and checked before it is used again; in a build for AddressSanitizer it
//! is reported to the sanitizer. Either way it waits in a queue for a while.

use super::heap::Heap;
use super::manual;
use super::mark::Marker;
use super::pages::Meta;
use crate::os;
use crate::proc::Guard;

/// Freed cells that wait.
const WAITING: usize = 8192;
/// What freed memory is filled with, apart from its address: neither an address nor the
/// complement of one.
const WORD: u64 = 0xdbdb_dbdb_dbdb_dbdb;

/// The words of freed memory at `p`: a program will hardly write just these.
fn word(p: *const u8) -> u64 {
    WORD ^ (p as u64 >> 4)
}

/// The state of the watch.
pub struct Watch {
    pub on: bool,
    poison: bool,
    tell: *const Guard,
    queue: *mut *mut u8,
    at: usize,
}

impl Watch {
    /// As the program and its environment want it.
    pub fn new(tell: *const Guard) -> Watch {
        let poison = os::env_bytes(b"TOFT_POISON\0").is_some_and(|n| n != 0);
        let mut w = Watch {
            on: poison || !tell.is_null(),
            poison,
            tell,
            queue: core::ptr::null_mut(),
            at: 0,
        };
        if w.on {
            w.queue = os::map(WAITING * size_of::<*mut u8>()).cast();
            w.on = !w.queue.is_null();
        }
        w
    }
}

/// Fills memory that was freed and tells the sanitizer.
///
/// # Safety
/// The memory is free.
pub unsafe fn fill(heap: &Heap, p: *mut u8, len: usize) {
    // SAFETY: the memory is ours; `tell` is the program's.
    unsafe {
        open(heap, p, len);
        if heap.guard.poison {
            for i in 0..len / 8 {
                *p.cast::<u64>().add(i) = word(p);
            }
        }
        if !heap.guard.tell.is_null() {
            ((*heap.guard.tell).poison)(p.cast(), len);
        }
    }
}

/// Tells the sanitizer that memory may be used.
///
/// # Safety
/// The memory is ours.
pub unsafe fn open(heap: &Heap, p: *const u8, len: usize) {
    // SAFETY: `tell` is the program's.
    unsafe {
        if !heap.guard.tell.is_null() {
            ((*heap.guard.tell).unpoison)(p.cast(), len);
        }
    }
}

/// Checks that nobody wrote to freed memory, which is whole words.
///
/// # Safety
/// `fill` filled it.
pub unsafe fn check(heap: &Heap, p: *const u8, len: usize) {
    if !heap.guard.poison {
        return;
    }
    for i in 0..len / 8 {
        // SAFETY: the memory is ours.
        if unsafe { *p.cast::<u64>().add(i) } != word(p) {
            os::flush_stdio();
            os::write_err(b"toft: internal error: freed memory was written to, please report\n");
            os::abort();
        }
    }
}

/// Frees a cell of a block: it waits, and the one that has waited longest is free.
///
/// # Safety
/// As for `manual::free`.
pub unsafe fn free(heap: &mut Heap, cell: *mut u8, m: *mut Meta) {
    // SAFETY: the queue has `WAITING` places; what it holds are freed cells.
    unsafe {
        let words = (*m).cell as usize / 8;
        let filled = |i| *cell.cast::<u64>().add(i) == word(cell);
        if heap.guard.poison && (0..words).all(filled) {
            os::flush_stdio();
            os::write_err(b"toft: internal error: memory was freed twice, please report\n");
            os::abort();
        }
        fill(heap, cell, (*m).cell as usize);
        let place = heap.guard.queue.add(heap.guard.at);
        heap.guard.at = (heap.guard.at + 1) % WAITING;
        let old = core::mem::replace(&mut *place, cell);
        if !old.is_null() {
            let m = heap.meta_of(old);
            open(heap, old, (*m).cell as usize);
            check(heap, old, (*m).cell as usize);
            // No longer waiting.
            *old.cast::<u64>() = !word(old);
            let home = (*heap.shapes.get((*m).shape)).home;
            manual::push(home, old);
        }
    }
}

/// Keeps waiting cells from being handed out by a collection.
///
/// # Safety
/// As for `Marker::word`.
pub unsafe fn hold(heap: &Heap, marker: &mut Marker) {
    if !heap.guard.on {
        return;
    }
    for i in 0..WAITING {
        // SAFETY: the queue has `WAITING` places.
        unsafe {
            let p = *heap.guard.queue.add(i);
            if !p.is_null() {
                marker.hold(p as usize);
            }
        }
    }
}
