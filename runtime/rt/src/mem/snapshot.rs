//! Marking beside the program: for heaps whose marking would stop it for long.
//!
//! The process is copied (`clone` without a signal); the copy has the memory as it is now,
//! marks it and writes its marks into shared memory, while the program goes on. What the
//! copy cannot reach was garbage then and is garbage still, so that no store of the program
//! has to be watched. What is allocated meanwhile counts as live: its marks go to the same
//! place, or to the block itself if the block is new (`FLAG_NEW`).
//!
//! The program stops for the copying of its page tables and for the sweep. If there can be
//! no copy, or if memory runs short, the heap is collected in place.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use libc::c_int;

use super::heap::Heap;
use super::mark::{self, Marker};
use super::pages::{self, FLAG_NEW, KIND_LARGE, MARK_WORDS};
use crate::os;

/// A marking that is under way.
pub struct Cycle {
    /// Marks for each block, behind a word that tells the copy's end and one for the time
    /// it took; null if there is no marking.
    shared: *mut AtomicU64,
    blocks: usize,
    child: c_int,
    /// A copy that has ended but was not waited for.
    ended: c_int,
    /// There can be no copies here.
    failed: bool,
    pub count: u64,
}

/// What the first word says.
const DONE: u64 = 1;
/// Words in front of the marks.
const WORDS: usize = 2;

impl Cycle {
    /// Is a copy marking?
    #[inline]
    pub fn running(&self) -> bool {
        !self.shared.is_null()
    }

    fn bytes(&self) -> usize {
        (WORDS + self.blocks * MARK_WORDS) * 8
    }

    /// The marks of a block.
    unsafe fn marks(&self, block: u32) -> *mut AtomicU64 {
        // SAFETY: blocks that are not new were there when the table was made.
        unsafe { self.shared.add(WORDS + block as usize * MARK_WORDS) }
    }

    /// Is the copy done?
    pub fn done(&self) -> bool {
        // SAFETY: the table is mapped while a marking runs.
        // ORDER: Acquire pairs with the Release of the copy: its marks are seen.
        self.running() && unsafe { (*self.shared).load(Ordering::Acquire) } == DONE
    }

    /// Makes the cells from `from` to `to` of a block live.
    ///
    /// # Safety
    /// The block was there when the marking began.
    pub unsafe fn allocated(&self, block: u32, from: u32, to: u32) {
        // SAFETY: a block's cells have bits.
        unsafe {
            let marks = self.marks(block);
            each_word(from, to, |w, bits| {
                // ORDER: Relaxed: read by this thread; the copy only adds others.
                (*marks.add(w)).fetch_or(bits, Ordering::Relaxed);
            });
        }
    }
}

/// Calls `f` with each word of a bitmap and the bits in it from `from` to `to`.
pub fn each_word(from: u32, to: u32, mut f: impl FnMut(usize, u64)) {
    let mut at = from;
    while at < to {
        let w = at / 64;
        let end = to.min((w + 1) * 64);
        let n = end - at;
        let bits = if n == 64 { !0 } else { ((1_u64 << n) - 1) << (at % 64) };
        f(w as usize, bits);
        at = end;
    }
}

/// Starts a marking beside the program. False if it cannot be.
///
/// # Safety
/// As for `mark::collect`.
#[cold]
#[inline(never)]
pub unsafe fn start(heap: &mut Heap) -> bool {
    if heap.cycle.failed || heap.guard.on {
        return false;
    }
    let started = os::now_ns();
    heap.cycle.blocks = pages::with(|p| p.high);
    let shared = os::map_shared(heap.cycle.bytes()).cast::<AtomicU64>();
    if shared.is_null() {
        return false;
    }
    // SAFETY: as the caller says. The copy uses nothing but memory and `exit`.
    unsafe {
        reap(heap, true);
        // What is left of the runs is free in the copy's eyes, and must not be handed out.
        heap.drop_runs();
        let marker = Marker::new(heap);
        heap.cycle.shared = shared;
        match os::copy_process() {
            0 => {
                mark(heap, marker);
                os::exit(0)
            }
            child if child > 0 => heap.cycle.child = child,
            _ => {
                heap.cycle.failed = true;
                unmap(heap);
                return false;
            }
        }
    }
    heap.cycle.count += 1;
    heap.pause(started);
    true
}

/// The copy's work.
unsafe fn mark(heap: &mut Heap, mut marker: Marker) {
    // SAFETY: the copy's memory is its own; the table is shared.
    unsafe {
        mark::clear(heap);
        let started = os::cpu_ns();
        mark::trace(heap, &mut marker);
        let took = os::cpu_ns().saturating_sub(started);
        // ORDER: Relaxed: published by the Release below, as the marks are.
        (*heap.cycle.shared.add(1)).store(took, Ordering::Relaxed);
        for i in 0..heap.owned_len {
            let block = *heap.owned.add(i);
            let m = heap.meta(block);
            let out = heap.cycle.marks(block);
            let words = if (*m).kind == KIND_LARGE { 1 } else { (*m).cells.div_ceil(64) as usize };
            for w in 0..words {
                if (*m).marks[w] != 0 {
                    // ORDER: Relaxed, see above.
                    (*out.add(w)).fetch_or((*m).marks[w], Ordering::Relaxed);
                }
            }
        }
        // ORDER: Release pairs with the Acquire in `done`.
        (*heap.cycle.shared).store(DONE, Ordering::Release);
    }
}

/// Ends a marking: waits for the copy if need be, and sweeps. If the copy failed, nothing
/// is freed.
///
/// # Safety
/// Called from an entry point, while a marking runs.
#[cold]
#[inline(never)]
pub unsafe fn finish(heap: &mut Heap) {
    let started = os::now_ns();
    // SAFETY: the table is mapped; the lists name blocks of this heap.
    unsafe {
        if heap.cycle.done() {
            reap(heap, false);
            heap.cycle.ended = heap.cycle.child;
        } else {
            os::wait_process(heap.cycle.child, true);
        }
        heap.cycle.child = 0;
        if !heap.cycle.done() {
            heap.cycle.failed = true;
            unmap(heap);
            clear_new(heap);
            return;
        }
        heap.retire_runs();
        // ORDER: Relaxed: the copy's end has been seen.
        heap.mark_ns = (*heap.cycle.shared.add(1)).load(Ordering::Relaxed);
        for i in 0..heap.owned_len {
            let block = *heap.owned.add(i);
            let m = heap.meta(block);
            if (*m).flags & FLAG_NEW == 0 {
                let from = heap.cycle.marks(block);
                ptr::copy_nonoverlapping(
                    from.cast::<u64>(),
                    (&raw mut (*m).marks).cast::<u64>(),
                    MARK_WORDS,
                );
            }
        }
        clear_new(heap);
        unmap(heap);
        let marker = Marker::new(heap);
        mark::close_lost(heap, &marker);
    }
    heap.finish(started);
}

unsafe fn clear_new(heap: &mut Heap) {
    for i in 0..heap.owned_len {
        // SAFETY: the list names blocks of this heap.
        unsafe { (*heap.meta(*heap.owned.add(i))).flags &= !FLAG_NEW };
    }
}

unsafe fn unmap(heap: &mut Heap) {
    // SAFETY: the table is no longer used.
    unsafe { os::unmap(heap.cycle.shared.cast(), heap.cycle.bytes()) };
    heap.cycle.shared = ptr::null_mut();
}

/// Takes leave of a copy that ended earlier. Its end takes a while, in which the program
/// need not stop.
unsafe fn reap(heap: &mut Heap, wait: bool) {
    if heap.cycle.ended != 0 {
        os::wait_process(heap.cycle.ended, wait);
        heap.cycle.ended = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_words() {
        let mut words = [0_u64; 4];
        each_word(3, 200, |w, bits| words[w] |= bits);
        let n: u32 = words.iter().map(|w| w.count_ones()).sum();
        assert_eq!(n, 197);
        assert_eq!((words[0], words[3]), (!0 << 3, 0xff));
        each_word(5, 5, |_, _| panic!("nothing to do"));
    }
}
