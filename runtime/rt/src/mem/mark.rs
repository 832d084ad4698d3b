//! Marking: finds what is reachable.
//!
//! Precise in the heap, by the pointer words of each block's shape; conservative on the
//! stack. Yet any word may be given to `Marker::word`: what does not lead to a cell of
//! this heap is refused, so that unions, stale cells and fat pointers past their ends do
//! no harm. Pointers may point anywhere into an object.
//!
//! Depth costs no machine stack: objects wait on an explicit mark stack, in front of
//! which a short queue gives prefetched memory time to arrive. A full mark stack drops
//! objects after flagging their blocks, and the blocks are searched again in the end.

use core::ptr;

use super::heap::Heap;
use super::pages::{
    self, BLOCK, BLOCK_SHIFT, FLAG_RESCAN, KIND_ARENA, KIND_LARGE, KIND_SMALL, KIND_TAIL, Meta,
    SCAN_MASK, SCAN_NONE,
};
use super::{key, region, roots, snapshot};
use crate::os;
use crate::proc::Desc;

/// Entries of the mark stack: 4 MiB of address space, touched as far as used.
pub const STACK_ENTRIES: usize = 512 << 10;
/// Elements of a long array searched before the rest is put back on the stack.
const CHUNK: u64 = 128;
/// A region that was reached and searched.
const SEARCHED: u32 = 2;
/// Objects whose memory is on its way.
const AHEAD: usize = 8;

/// Collects `heap` now.
///
/// # Safety
/// `heap` belongs to the process that runs on this thread, on whose stack this is called.
#[cold]
#[inline(never)]
pub unsafe fn collect(heap: &mut Heap) {
    // SAFETY: the heap's lists name its own blocks; the roots are the process's.
    unsafe {
        if heap.cycle.running() {
            snapshot::finish(heap);
        }
        let started = os::now_ns();
        heap.retire_runs();
        clear(heap);
        let mut marker = Marker::new(heap);
        let from = os::cpu_ns();
        trace(heap, &mut marker);
        heap.mark_ns = os::cpu_ns().saturating_sub(from);
        close_lost(heap, &marker);
        heap.finish(started);
    }
}

/// Removes all marks.
///
/// # Safety
/// The heap's lists name its own blocks.
pub unsafe fn clear(heap: &mut Heap) {
    // SAFETY: see above.
    unsafe {
        for i in 0..heap.owned_len {
            let m = heap.meta(*heap.owned.add(i));
            if (*m).kind == KIND_SMALL {
                let words = (*m).cells.div_ceil(64) as usize;
                ptr::write_bytes((&raw mut (*m).marks).cast::<u64>(), 0, words);
            } else {
                (*m).marks[0] = 0;
            }
        }
    }
}

/// Marks all that can be reached.
///
/// # Safety
/// As for `collect`.
pub unsafe fn trace(heap: &mut Heap, marker: &mut Marker) {
    // SAFETY: the roots are the process's.
    unsafe {
        roots::scan(marker, heap.proc);
        super::guard::hold(heap, marker);
        marker.finish(heap);
        // A region's objects count if its key does, or if a pointer leads into it; they
        // may lead to further ones.
        while marker.regions(heap) {
            marker.finish(heap);
        }
    }
}

/// Releases dynamic regions that nobody can reach.
///
/// # Safety
/// Marking is complete.
pub unsafe fn close_lost(heap: &mut Heap, marker: &Marker) {
    let mut key = heap.keys;
    while !key.is_null() {
        // SAFETY: keys in the list have not been swept yet.
        unsafe {
            let next = (*key).next;
            let r = &raw mut (*key).region;
            if !marker.marked(key as usize) && (*r).reached == 0 {
                crate::prof::nowhere(|| key::close(heap, key));
            } else {
                // The key must stay as long as its region.
                (*r).reached = 0;
            }
            key = next;
        }
    }
}

/// The state of one marking. Small and copied into registers by the inner loop.
#[derive(Clone, Copy)]
pub struct Marker {
    base: usize,
    extent: usize,
    metas: *mut Meta,
    owner: *mut Heap,
    bottom: *mut usize,
    top: *mut usize,
    end: *mut usize,
    overflow: bool,
}

impl Marker {
    /// A marker of this heap.
    pub fn new(heap: &mut Heap) -> Marker {
        let (base, extent, metas) = pages::with(|p| (p.base, p.high * BLOCK, p.metas));
        let bottom = heap.mark_stack;
        // SAFETY: the mark stack has this many entries; two are kept for a continuation.
        let end = unsafe { bottom.add(STACK_ENTRIES - 2) };
        Marker { base, extent, metas, owner: heap, bottom, top: bottom, end, overflow: false }
    }

    /// Marks the object `word` points into, if it does, and remembers it for searching.
    ///
    /// # Safety
    /// The world of this heap stands still.
    #[inline(always)]
    pub unsafe fn word(&mut self, word: usize) {
        let off = word.wrapping_sub(self.base);
        if off >= self.extent {
            return;
        }
        // SAFETY: the offset is below the extent of blocks ever used, so the entry
        // exists; a cell number below `cells` has a mark bit.
        unsafe {
            let mut m = self.metas.add(off >> BLOCK_SHIFT);
            let mut cell = ((off & (BLOCK - 1)) as u64 * u64::from((*m).recip)) >> 32;
            let mut block = off & !(BLOCK - 1);
            if cell >= u64::from((*m).cells) {
                if (*m).kind != KIND_TAIL {
                    if (*m).kind == KIND_ARENA && (*m).owner == self.owner {
                        self.region_word(m);
                    }
                    return;
                }
                let head = (*m).bytes as usize;
                m = self.metas.add(head);
                block = head << BLOCK_SHIFT;
                cell = 0;
            }
            let bits = (&raw mut (*m).marks).cast::<u64>().add(cell as usize / 64);
            let bit = 1_u64 << (cell % 64);
            if *bits & bit != 0 || (*m).owner != self.owner {
                return;
            }
            *bits |= bit;
            if (*m).scan != SCAN_NONE {
                let addr = self.base + block + cell as usize * (*m).cell as usize;
                self.push(addr, m);
            }
        }
    }

    /// Notes that a pointer leads into a region.
    #[cold]
    unsafe fn region_word(&mut self, m: *mut Meta) {
        // SAFETY: the region of a chunk in use exists.
        unsafe {
            let r = (*m).region();
            if !r.is_null() {
                (*r).reached |= 1;
            }
        }
    }

    /// Every aligned word from `from` to `to` may be a pointer.
    ///
    /// # Safety
    /// As for `word`; the range is readable.
    pub unsafe fn range(&mut self, from: usize, to: usize) {
        let mut at = (from + 7) & !7;
        while at + 8 <= to {
            // SAFETY: as the caller says.
            unsafe { self.word(*(at as *const usize)) };
            at += 8;
        }
    }

    /// Keeps a cell without searching it.
    ///
    /// # Safety
    /// `cell` is the address of a cell of this heap.
    pub unsafe fn hold(&mut self, cell: usize) {
        // SAFETY: the cell's block has an entry.
        unsafe {
            let off = cell - self.base;
            let m = self.metas.add(off >> BLOCK_SHIFT);
            let n = ((off & (BLOCK - 1)) as u64 * u64::from((*m).recip)) >> 32;
            (*m).marks[n as usize / 64] |= 1 << (n % 64);
        }
    }

    /// Is the cell or large object at `p` marked?
    ///
    /// # Safety
    /// As for `hold`.
    pub unsafe fn marked(&self, p: usize) -> bool {
        // SAFETY: the cell's block has an entry.
        unsafe {
            let off = p - self.base;
            let m = self.metas.add(off >> BLOCK_SHIFT);
            let n = ((off & (BLOCK - 1)) as u64 * u64::from((*m).recip)) >> 32;
            (*m).marks[n as usize / 64] >> (n % 64) & 1 != 0
        }
    }

    #[inline(always)]
    unsafe fn push(&mut self, addr: usize, m: *mut Meta) {
        // SAFETY: `top` stays below `end`, which leaves room for two entries.
        unsafe {
            if self.top >= self.end {
                (*m).flags |= FLAG_RESCAN;
                self.overflow = true;
                return;
            }
            *self.top = addr;
            self.top = self.top.add(1);
        }
    }

    /// Searches until nothing waits.
    ///
    /// # Safety
    /// As for `word`.
    pub unsafe fn drain(&mut self) {
        let mut ring = [0_usize; AHEAD];
        let mut at = 0;
        let mut waiting = 0;
        let mut m = *self;
        // SAFETY: entries are addresses of marked cells with pointers in them; a tagged
        // entry lies above its index.
        unsafe {
            loop {
                let next = if m.top > m.bottom {
                    m.top = m.top.sub(1);
                    let e = *m.top;
                    if e & 1 != 0 {
                        m.top = m.top.sub(1);
                        let index = *m.top as u64;
                        *self = m;
                        self.scan_long(e & !1, index);
                        m = *self;
                        continue;
                    }
                    prefetch(e);
                    waiting += 1;
                    e
                } else if waiting == 0 {
                    break;
                } else {
                    0
                };
                let now = core::mem::replace(&mut ring[at], next);
                at = (at + 1) % AHEAD;
                if now != 0 {
                    waiting -= 1;
                    if !m.scan(now) {
                        *self = m;
                        self.scan_long(now, 0);
                        m = *self;
                    }
                }
            }
        }
        *self = m;
    }

    /// Searches a cell by its mask; false if it has none.
    #[inline(always)]
    unsafe fn scan(&mut self, addr: usize) -> bool {
        // SAFETY: `addr` is a cell of this heap; its block's entry says how to read it.
        unsafe {
            let m = self.metas.add((addr - self.base) >> BLOCK_SHIFT);
            if (*m).scan != SCAN_MASK {
                return false;
            }
            let mut mask = (*m).mask;
            while mask != 0 {
                let i = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                self.word(*(addr as *const usize).add(i));
            }
            true
        }
    }

    /// Searches a chunk of a cell's elements and puts the rest back on the stack.
    #[inline(never)]
    unsafe fn scan_long(&mut self, addr: usize, from: u64) {
        // SAFETY: as in `scan`; elements below `count` lie within the object.
        unsafe {
            let m = self.metas.add((addr - self.base) >> BLOCK_SHIFT);
            let bytes = if (*m).kind == KIND_LARGE { (*m).bytes } else { u64::from((*m).cell) };
            let d = &*(*m).desc();
            let head = u64::from((*m).head);
            let count = (bytes - head) / u64::from(d.size);
            let mut to = count.min(from + CHUNK);
            if to < count {
                if self.top >= self.end {
                    // No room to remember the rest: search all of it now.
                    to = count;
                } else {
                    *self.top = to as usize;
                    *self.top.add(1) = addr | 1;
                    self.top = self.top.add(2);
                }
            }
            self.elements(addr + (head + from * u64::from(d.size)) as usize, d, to - from);
        }
    }

    /// Marks from `count` objects of `desc` at `addr`, in the heap or not.
    ///
    /// # Safety
    /// The objects are there.
    pub unsafe fn elements(&mut self, addr: usize, desc: &Desc, count: u64) {
        let mut at = addr;
        for _ in 0..count {
            for i in 0..desc.nptrs as usize {
                // SAFETY: offsets of a descriptor lie within its objects.
                unsafe {
                    let off = *desc.ptrs.add(i) as usize;
                    self.word(*((at + off) as *const usize));
                }
            }
            at += desc.size as usize;
        }
    }

    /// Searches dynamic regions that have been reached since the last call. False if
    /// there were none.
    unsafe fn regions(&mut self, heap: &mut Heap) -> bool {
        let mut some = false;
        let mut key = heap.keys;
        while !key.is_null() {
            // SAFETY: keys in the list have not been swept yet.
            unsafe {
                let r = &raw mut (*key).region;
                let known = self.marked(key as usize);
                if (*r).reached & SEARCHED == 0 && (known || (*r).reached != 0) {
                    (*r).reached = SEARCHED;
                    self.word(key as usize);
                    region::scan(self, r);
                    (*r).reached = SEARCHED;
                    some = true;
                }
                key = (*key).next;
            }
        }
        some
    }

    /// Completes the marking, also of what a full stack dropped.
    unsafe fn finish(&mut self, heap: &mut Heap) {
        // SAFETY: as for `word`.
        unsafe {
            self.drain();
            while self.overflow {
                self.overflow = false;
                for i in 0..heap.owned_len {
                    let block = *heap.owned.add(i);
                    let m = self.metas.add(block as usize);
                    if (*m).flags & FLAG_RESCAN != 0 {
                        (*m).flags &= !FLAG_RESCAN;
                        self.rescan(block, m);
                    }
                }
            }
            let used = os::PAGE * 16;
            let len = STACK_ENTRIES * size_of::<usize>() - used;
            os::decommit(self.bottom.cast::<u8>().add(used), len);
        }
    }

    /// Searches every marked cell of a block.
    unsafe fn rescan(&mut self, block: u32, m: *mut Meta) {
        // SAFETY: a marked cell may be searched any number of times.
        unsafe {
            let base = self.base + ((block as usize) << BLOCK_SHIFT);
            for cell in 0..(*m).cells {
                if (*m).marks[cell as usize / 64] >> (cell % 64) & 1 != 0 {
                    let addr = base + (cell * (*m).cell) as usize;
                    if (*m).scan != SCAN_NONE && !self.scan(addr) {
                        self.scan_long(addr, 0);
                    }
                    self.drain();
                }
            }
        }
    }
}

#[inline(always)]
fn prefetch(addr: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(addr as *const i8);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = addr;
}
