//! The collected heap of one process: allocation.
//!
//! Objects have no header. Every block holds cells of one shape; the inline path of
//! `toft.h` bumps a pointer through a run of free cells, and comes here when the run is
//! used up. The next run is found in the mark bits the last collection left (unmarked =
//! free), zeroed, and handed over. When the cells handed out since the last collection
//! exceed the budget, the heap is collected first.

use core::ptr;

use super::class::{self, CLASSES};
use super::pages::{self, BLOCK, FLAG_CLEAN, KIND_LARGE, KIND_SMALL, KIND_TAIL, MARK_WORDS, Meta};
use super::shape::{Cursor, Shape, Shapes};
use super::{mark, sweep};
use crate::os;
use crate::proc::{Bump, Desc, Proc};

/// Bytes that are always allocated between two collections.
pub const MIN_BUDGET: u64 = 4 << 20;
/// Cells zeroed at a time: small enough to stay in the first-level cache.
const ZERO_CHUNK: u32 = 8192;
const CACHE: usize = 256;

/// Remembers the shape of arrays of one descriptor and size class.
#[derive(Clone, Copy)]
struct Cached {
    desc: *const Desc,
    class: u32,
    shape: u32,
}

/// Figures for `toft_gc_stats`, laid out as toft_gc_info.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Info {
    pub collections: u64,
    pub live_bytes: u64,
    pub heap_bytes: u64,
    pub peak_bytes: u64,
    pub allocated_bytes: u64,
    pub pause_total_ns: u64,
    pub pause_max_ns: u64,
    pub limit_bytes: u64,
}

/// The heap. Lives in a mapping of its own, at a fixed address, zeroed at first.
pub struct Heap {
    pub proc: *mut Proc,
    /// Copies of the pool's, which never change.
    base: usize,
    metas: *mut Meta,
    pub shapes: Shapes,
    /// Shape number plus one of each class id; 0 = not known yet.
    class_shapes: *mut u32,
    /// Where the run of each class id came from.
    cursors: *mut Cursor,
    pub nclasses: u32,
    /// Shape number plus one of each pointer-free size class.
    raw: [u32; CLASSES],
    cache: [Cached; CACHE],
    /// The blocks of this heap (of large objects: the first), ascending or nearly so.
    pub owned: *mut u32,
    pub owned_len: usize,
    owned_room: usize,
    /// Bytes handed out since the last collection, and how many may be.
    pub since: u64,
    pub budget: u64,
    pub ratio: u64,
    pub min_budget: u64,
    pub info: Info,
    pub mark_stack: *mut usize,
}

/// The heap of `proc`, made at first use; null if there is no memory.
///
/// # Safety
/// `proc` is a valid process of this thread.
pub unsafe fn of(proc: *mut Proc) -> *mut Heap {
    // SAFETY: the caller vouches for `proc`.
    unsafe {
        let heap = (*proc).heap;
        if heap.is_null() { make(proc) } else { heap }
    }
}

#[cold]
#[inline(never)]
unsafe fn make(proc: *mut Proc) -> *mut Heap {
    // SAFETY: `proc` is valid and its program describes it; the mapping is zeroed, which
    // is a valid value of every field that is not set here.
    unsafe {
        if !pages::with(|p| p.init()) {
            return ptr::null_mut();
        }
        let n = (*(*proc).program).ndescs;
        let len = size_of::<Heap>() + n as usize * (4 + size_of::<Cursor>());
        let heap = os::map(len).cast::<Heap>();
        let marks = os::map(mark::STACK_ENTRIES * size_of::<usize>()).cast::<usize>();
        if heap.is_null() || marks.is_null() {
            return ptr::null_mut();
        }
        let h = &mut *heap;
        h.proc = proc;
        (h.base, h.metas) = pages::with(|p| (p.base, p.metas));
        h.shapes = Shapes::EMPTY;
        h.nclasses = n;
        h.cursors = heap.add(1).cast();
        h.class_shapes = h.cursors.add(n as usize).cast();
        for i in 0..n as usize {
            *h.cursors.add(i) = Cursor::NONE;
        }
        h.mark_stack = marks;
        h.min_budget = os::env_bytes(b"TOFT_GC_MIN\0").unwrap_or(MIN_BUDGET).max(64 << 10);
        h.ratio = os::env_bytes(b"TOFT_GC_RATIO\0").unwrap_or(200).clamp(10, 10_000);
        h.info.limit_bytes = os::env_bytes(b"TOFT_GC_LIMIT\0").unwrap_or(0);
        h.plan();
        (*proc).heap = heap;
        heap
    }
}

/// Why an allocation failed: there is no memory, or the limit is reached.
pub struct Full;

impl Heap {
    #[inline]
    fn meta(&self, block: u32) -> *mut Meta {
        // SAFETY: block numbers come from the pool, whose table has an entry for each.
        unsafe { self.metas.add(block as usize) }
    }

    #[inline]
    fn addr(&self, block: u32) -> *mut u8 {
        (self.base + ((block as usize) << pages::BLOCK_SHIFT)) as *mut u8
    }

    /// Sets the budget after a collection or a change of the policy.
    pub fn plan(&mut self) {
        let live = self.info.live_bytes;
        self.budget = self.min_budget.max(live / 100 * self.ratio);
        let limit = self.info.limit_bytes;
        if limit != 0 {
            // Close to the limit collect more often, but never for each block.
            let room = limit.saturating_sub(live);
            self.budget = self.budget.min(room / 2).max(256 << 10);
        }
    }

    /// One object of a class that has run out of cells.
    ///
    /// # Safety
    /// `desc` is one of the program's descriptors.
    pub unsafe fn object(&mut self, desc: *const Desc) -> Result<*mut u8, Full> {
        // SAFETY: the descriptor is valid, and its class id is below the program's count.
        unsafe {
            let d = &*desc;
            let cell = class::cell(d.size, d.align);
            if cell > class::SMALL_MAX as u64 {
                let scan = if d.nptrs == 0 { ptr::null() } else { desc };
                return self.large(u64::from(d.size), scan);
            }
            let id = d.class_id as usize;
            if d.class_id >= self.nclasses {
                return Err(Full);
            }
            let known = *self.class_shapes.add(id);
            let shape = if known != 0 { known - 1 } else { self.resolve(desc, cell as u32)? };
            let bump = (&raw mut (*self.proc).bumps).cast::<Bump>().add(id);
            self.refill(bump, self.cursors.add(id), shape)?;
            let p = (*bump).cur;
            (*bump).cur = p.add(cell as usize);
            Ok(p)
        }
    }

    #[cold]
    unsafe fn resolve(&mut self, desc: *const Desc, cell: u32) -> Result<u32, Full> {
        // SAFETY: as in `object`.
        unsafe {
            let shape = self.shapes.find(cell, desc).ok_or(Full)?;
            *self.class_shapes.add((*desc).class_id as usize) = shape + 1;
            Ok(shape)
        }
    }

    /// Memory without pointers.
    #[inline]
    pub fn raw(&mut self, bytes: u64, align: u32) -> Result<*mut u8, Full> {
        let Some(class) = class::of(bytes, align) else { return self.large(bytes, ptr::null()) };
        let known = self.raw[class];
        let shape = if known != 0 { known - 1 } else { self.resolve_raw(class)? };
        self.cell(shape)
    }

    #[cold]
    fn resolve_raw(&mut self, class: usize) -> Result<u32, Full> {
        // SAFETY: a null descriptor is allowed.
        let shape = unsafe { self.shapes.find(u32::from(class::SIZES[class]), ptr::null()) };
        let shape = shape.ok_or(Full)?;
        self.raw[class] = shape + 1;
        Ok(shape)
    }

    /// Memory for elements of `desc`, which has pointers.
    ///
    /// # Safety
    /// `desc` is a valid descriptor that lives as long as the program.
    #[inline]
    pub unsafe fn scanned(&mut self, desc: *const Desc, bytes: u64) -> Result<*mut u8, Full> {
        // SAFETY: passed on.
        let align = unsafe { (*desc).align };
        let Some(class) = class::of(bytes, align) else { return self.large(bytes, desc) };
        let class = class as u32;
        let at = (desc as usize >> 5 ^ (class as usize).wrapping_mul(37)) % CACHE;
        let hit = self.cache[at];
        if hit.desc == desc && hit.class == class {
            return self.cell(hit.shape);
        }
        // SAFETY: passed on.
        let shape = unsafe { self.shapes.find(u32::from(class::SIZES[class as usize]), desc) };
        let shape = shape.ok_or(Full)?;
        self.cache[at] = Cached { desc, class, shape };
        self.cell(shape)
    }

    /// A cell from the shape's own run.
    #[inline]
    fn cell(&mut self, shape: u32) -> Result<*mut u8, Full> {
        // SAFETY: shape numbers are valid; the run's cells are the shape's.
        unsafe {
            let s = self.shapes.get(shape);
            let size = (*s).cell as usize;
            let mut p = (*s).bump.cur;
            if ((*s).bump.limit as usize).wrapping_sub(p as usize) < size {
                self.refill(&raw mut (*s).bump, &raw mut (*s).cursor, shape)?;
                p = (*s).bump.cur;
            }
            (*s).bump.cur = p.add(size);
            Ok(p)
        }
    }

    /// Gives `bump` a run of at least one zeroed cell of `shape`.
    ///
    /// # Safety
    /// `bump` and `cursor` belong together and to this heap.
    #[inline(never)]
    unsafe fn refill(
        &mut self,
        bump: *mut Bump,
        cursor: *mut Cursor,
        shape: u32,
    ) -> Result<(), Full> {
        // SAFETY: blocks at cursors and in lists are this heap's and of this shape, so
        // runs found in their bitmaps are free cells nobody can reach.
        unsafe {
            loop {
                let s = self.shapes.get(shape);
                if (*cursor).block != pages::NONE {
                    if self.next_run(bump, cursor, &*s) {
                        return Ok(());
                    }
                    (*cursor).block = pages::NONE;
                }
                if self.since >= self.budget {
                    mark::collect(self);
                    continue;
                }
                let block = (*s).partial;
                if block != pages::NONE {
                    let m = self.meta(block);
                    (*s).partial = (*m).next;
                    *cursor = Cursor { block, next: 0 };
                } else {
                    *cursor = Cursor { block: self.fresh(shape)?, next: 0 };
                }
            }
        }
    }

    /// The next run of free cells in the cursor's block.
    #[inline]
    unsafe fn next_run(&mut self, bump: *mut Bump, cursor: *mut Cursor, s: &Shape) -> bool {
        // SAFETY: as in `refill`.
        unsafe {
            let m = &mut *self.meta((*cursor).block);
            let base = self.addr((*cursor).block);
            let Some((from, mut to)) = free_run(&m.marks, (*cursor).next, s.cells) else {
                return false;
            };
            let run = base.add((from * s.cell) as usize);
            if m.flags & FLAG_CLEAN != 0 {
                // A fresh block without marks: this run is all of it.
                m.flags &= !FLAG_CLEAN;
            } else {
                to = to.min(from + (ZERO_CHUNK / s.cell).max(1));
                ptr::write_bytes(run, 0, ((to - from) * s.cell) as usize);
            }
            (*cursor).next = to;
            let bytes = ((to - from) * s.cell) as usize;
            *bump = Bump { cur: run, limit: run.add(bytes) };
            self.since += bytes as u64;
            true
        }
    }

    /// A block for cells of `shape`.
    unsafe fn fresh(&mut self, shape: u32) -> Result<u32, Full> {
        let (block, clean) = self.take(1)?;
        let m = self.meta(block);
        let owner: *mut Heap = self;
        // SAFETY: the block was just taken, so its entry is ours.
        unsafe {
            let s = &*self.shapes.get(shape);
            let marks = &raw mut (*m).marks;
            ptr::write_bytes(marks, 0, 1);
            (*m).kind = KIND_SMALL;
            (*m).scan = s.scan;
            (*m).flags = if clean { FLAG_CLEAN } else { 0 };
            (*m).cell = s.cell;
            (*m).recip = s.recip;
            (*m).mask = s.mask;
            (*m).desc = s.desc;
            (*m).owner = owner;
            (*m).bytes = BLOCK as u64;
            (*m).shape = shape;
            (*m).next = pages::NONE;
            (*m).cells = s.cells;
        }
        Ok(block)
    }

    /// An object with blocks of its own, zeroed.
    #[cold]
    #[inline(never)]
    pub fn large(&mut self, bytes: u64, desc: *const Desc) -> Result<*mut u8, Full> {
        let n = usize::try_from(bytes.div_ceil(BLOCK as u64)).map_err(|_| Full)?.max(1);
        if self.since.saturating_add(bytes) >= self.budget && self.since > 0 {
            // SAFETY: called from an entry point, with the process's stack below.
            unsafe { mark::collect(self) };
        }
        let (block, clean) = self.take(n)?;
        let owner: *mut Heap = self;
        // SAFETY: the blocks were just taken; nobody else refers to them.
        unsafe {
            let (m, p) = (self.meta(block), self.addr(block));
            if !clean {
                ptr::write_bytes(p, 0, n * BLOCK);
            }
            for i in 1..n {
                let t = m.add(i);
                (*t).kind = KIND_TAIL;
                (*t).cells = 0;
                (*t).bytes = u64::from(block);
                (*t).owner = owner;
            }
            (*m).kind = KIND_LARGE;
            (*m).scan = if desc.is_null() { pages::SCAN_NONE } else { pages::SCAN_DESC };
            (*m).flags = 0;
            (*m).cell = 0;
            (*m).recip = 0;
            (*m).mask = 0;
            (*m).desc = desc;
            (*m).owner = owner;
            (*m).bytes = bytes;
            (*m).next = pages::NONE;
            (*m).marks = [0; MARK_WORDS];
            (*m).cells = 1;
            self.since += (n * BLOCK) as u64;
            Ok(p)
        }
    }

    /// `n` blocks from the pool, after a collection if need be.
    fn take(&mut self, n: usize) -> Result<(u32, bool), Full> {
        for again in [true, false] {
            let bytes = (n as u64).saturating_mul(BLOCK as u64);
            let limit = self.info.limit_bytes;
            let fits = limit == 0 || self.info.heap_bytes.saturating_add(bytes) <= limit;
            if fits
                && self.note_room()
                && let Some((block, clean)) = pages::with(|p| p.take(n))
            {
                // SAFETY: `note_room` made room.
                unsafe { *self.owned.add(self.owned_len) = block };
                self.owned_len += 1;
                self.info.heap_bytes += bytes;
                self.info.peak_bytes = self.info.peak_bytes.max(self.info.heap_bytes);
                return Ok((block, clean));
            }
            if again {
                // SAFETY: called from an entry point, with the process's stack below.
                unsafe { mark::collect(self) };
            }
        }
        Err(Full)
    }

    /// Makes room in the list of blocks.
    fn note_room(&mut self) -> bool {
        if self.owned_len < self.owned_room {
            return true;
        }
        let room = if self.owned_room == 0 { 1024 } else { self.owned_room * 2 };
        let list = os::map(room * 4).cast::<u32>();
        if list.is_null() {
            return false;
        }
        // SAFETY: the new list is larger; the old one is replaced.
        unsafe {
            if self.owned_room != 0 {
                ptr::copy_nonoverlapping(self.owned, list, self.owned_len);
                os::unmap(self.owned.cast(), self.owned_room * 4);
            }
        }
        (self.owned, self.owned_room) = (list, room);
        true
    }

    /// Forgets all runs, before a collection: their cells become free by being unmarked.
    pub fn retire_runs(&mut self) {
        // SAFETY: the process has a run and a cursor for each class, shapes have their own.
        unsafe {
            let bumps = (&raw mut (*self.proc).bumps).cast::<Bump>();
            for i in 0..self.nclasses as usize {
                *bumps.add(i) = Bump::EMPTY;
                *self.cursors.add(i) = Cursor::NONE;
            }
            for i in 0..self.shapes.len() {
                let s = &mut *self.shapes.get(i);
                s.bump = Bump::EMPTY;
                s.cursor = Cursor::NONE;
                s.partial = pages::NONE;
            }
        }
    }

    /// Limits the heap; 0 lifts the limit.
    pub fn set_limit(&mut self, bytes: u64) {
        self.info.limit_bytes = bytes;
        self.plan();
    }

    /// Sets how much is allocated between collections, in percent of what is live.
    pub fn set_ratio(&mut self, percent: u32) {
        self.ratio = u64::from(percent).clamp(10, 10_000);
        self.plan();
    }

    /// The figures as of now.
    pub fn figures(&self) -> Info {
        let mut info = self.info;
        info.allocated_bytes += self.since;
        info
    }

    /// Ends a collection: accounts, frees, plans the next.
    pub fn finish(&mut self, started: u64) {
        self.info.allocated_bytes += self.since;
        self.since = 0;
        sweep::sweep(self);
        self.plan();
        let keep = (self.budget + self.budget / 2) as usize / BLOCK;
        pages::with(|p| p.trim(keep));
        let pause = os::now_ns().saturating_sub(started);
        self.info.collections += 1;
        self.info.pause_total_ns += pause;
        self.info.pause_max_ns = self.info.pause_max_ns.max(pause);
    }
}

/// The first run of clear bits at or after `from`, below `cells`.
#[inline]
fn free_run(marks: &[u64; MARK_WORDS], from: u32, cells: u32) -> Option<(u32, u32)> {
    let start = next_bit(marks, from, cells, !0)?;
    Some((start, next_bit(marks, start, cells, 0).unwrap_or(cells)))
}

/// The first bit at or after `from` whose value differs from `flip`'s.
#[inline]
fn next_bit(marks: &[u64; MARK_WORDS], from: u32, cells: u32, flip: u64) -> Option<u32> {
    let mut w = (from / 64) as usize;
    let mut keep = !0_u64 << (from % 64);
    while w < MARK_WORDS && (w as u32) * 64 < cells {
        let bits = (marks[w] ^ flip) & keep;
        if bits != 0 {
            let at = w as u32 * 64 + bits.trailing_zeros();
            return (at < cells).then_some(at);
        }
        keep = !0;
        w += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found() {
        let mut marks = [0; MARK_WORDS];
        assert_eq!(free_run(&marks, 0, 1024), Some((0, 1024)));
        assert_eq!(free_run(&marks, 700, 682), None);
        marks[0] = 0b0110;
        marks[1] = !0;
        assert_eq!(free_run(&marks, 0, 1024), Some((0, 1)));
        assert_eq!(free_run(&marks, 1, 1024), Some((3, 64)));
        assert_eq!(free_run(&marks, 64, 1024), Some((128, 1024)));
        assert_eq!(free_run(&marks, 64, 128), None);
        assert_eq!(free_run(&[!0; MARK_WORDS], 0, 1024), None);
    }
}
