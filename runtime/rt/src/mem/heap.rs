//! The collected heap of one process: allocation.
//!
//! Objects have no header. Every block holds cells of one shape; the inline path of
//! `toft.h` bumps a pointer through a run of free cells, and comes here when the run is
//! used up. The next run is found in the mark bits the last collection left (unmarked =
//! free), zeroed, and handed over. When the cells handed out since the last collection
//! exceed the budget, the heap is collected first.

use core::ptr;

use super::class::{self, CLASSES};
use super::guard::Watch;
use super::key::Key;
use super::pages::{
    self, BLOCK, FLAG_CLEAN, FLAG_NEW, KIND_LARGE, KIND_SMALL, KIND_TAIL, MARK_WORDS, Meta,
};
use super::region::Cache;
use super::shape::{Cursor, Shape, Shapes};
use super::snapshot::{self, Cycle};
use super::{mark, stats, sweep};
use crate::os;
use crate::proc::{Bump, Desc, PROGRAM_NO_GC, Proc};

/// Bytes that are always allocated between two collections.
pub const MIN_BUDGET: u64 = 4 << 20;
/// The same of memory that the program is to free itself: what is collected there was
/// lost, which should be rare.
const MIN_MANUAL: u64 = 64 << 20;
/// A marking that takes longer than this is done beside the program. The copy costs more
/// than marking in place, so that small heaps are better off without.
const PAUSE_US: u64 = 50_000;
/// Cells zeroed at a time: small enough to stay in the first-level cache.
const ZERO_CHUNK: u32 = 8192;
const CACHE: usize = 256;
/// Fresh memory for manual objects before freed cells are searched for free blocks.
const PURGE_MIN: u64 = 1 << 20;
/// Free blocks that are kept for the next large object or region: 32 MiB.
const KEEP_FREE: usize = 2048;
/// Time between two looks at them.
const TRIM_NS: u64 = 500_000_000;

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
    pub region_bytes: u64,
    pub region_peak: u64,
    pub purges: u64,
    pub spare: u64,
}

/// The heap. Lives in a mapping of its own, at a fixed address, zeroed at first.
pub struct Heap {
    pub proc: *mut Proc,
    /// Copies of the pool's, which never change.
    pub base: usize,
    pub metas: *mut Meta,
    pub shapes: Shapes,
    /// Shape number plus one of each class; 0 = not known yet. A class is twice a class
    /// id, plus one for counted objects.
    class_shapes: *mut u32,
    /// Where the run of each class came from.
    pub(super) cursors: *mut Cursor,
    /// Twice the number of class ids.
    pub nclasses: u32,
    /// Shape number plus one of each pointer-free size class.
    pub(super) raw: [u32; CLASSES],
    /// Where their freed cells are; an empty list before the class was used.
    pub(super) raw_homes: [*mut Bump; CLASSES],
    nothing: Bump,
    cache: [Cached; CACHE],
    /// The blocks of this heap (of large objects: the first), ascending or nearly so.
    pub owned: *mut u32,
    pub owned_len: usize,
    owned_room: usize,
    /// Bytes handed out since the last collection, and how many may be.
    pub since: u64,
    pub budget: u64,
    /// The same for memory that the program is to free itself.
    pub manual: u64,
    pub manual_budget: u64,
    /// Bytes of fresh blocks taken for it since freed cells were last searched for free
    /// blocks.
    pub unpurged: u64,
    /// When free blocks last went back to the system.
    trimmed: u64,
    /// The marking beside the program.
    pub cycle: Cycle,
    /// How long the last marking took, and how long it may stop the program.
    pub mark_ns: u64,
    pause_goal: u64,
    /// Bytes without pointers among those found by the last collection.
    pub live_raw: u64,
    pub no_gc: bool,
    /// Chunks of regions that have ended.
    pub chunks: Cache,
    pub guard: Watch,
    /// All dynamic regions.
    pub keys: *mut Key,
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
        let n = (*(*proc).program).ndescs * 2;
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
        h.nothing = Bump::EMPTY;
        h.raw_homes = [&raw mut h.nothing; CLASSES];
        h.nclasses = n;
        h.cursors = heap.add(1).cast();
        h.class_shapes = h.cursors.add(n as usize).cast();
        for i in 0..n as usize {
            *h.cursors.add(i) = Cursor::NONE;
        }
        h.mark_stack = marks;
        h.guard = Watch::new((*(*proc).program).guard);
        if h.guard.on {
            // No chunk is put aside: all pass through the runtime.
            (*proc).nspare = u64::MAX;
        }
        h.no_gc = (*(*proc).program).flags & PROGRAM_NO_GC != 0;
        h.min_budget = os::env_bytes(b"TOFT_GC_MIN\0").unwrap_or(MIN_BUDGET).max(64 << 10);
        h.ratio = os::env_bytes(b"TOFT_GC_RATIO\0").unwrap_or(200).clamp(10, 10_000);
        h.info.limit_bytes = os::env_bytes(b"TOFT_GC_LIMIT\0").unwrap_or(0);
        h.pause_goal = os::env_bytes(b"TOFT_GC_PAUSE\0").unwrap_or(PAUSE_US).saturating_mul(1000);
        h.plan();
        (*proc).heap = heap;
        stats::init();
        heap
    }
}

/// Why an allocation failed: there is no memory, or the limit is reached.
pub struct Full;

impl Heap {
    #[inline]
    pub fn meta(&self, block: u32) -> *mut Meta {
        // SAFETY: block numbers come from the pool, whose table has an entry for each.
        unsafe { self.metas.add(block as usize) }
    }

    #[inline]
    pub fn addr(&self, block: u32) -> *mut u8 {
        (self.base + ((block as usize) << pages::BLOCK_SHIFT)) as *mut u8
    }

    /// Sets the budget after a collection or a change of the policy.
    pub fn plan(&mut self) {
        let live = self.info.live_bytes;
        // Memory without pointers makes no work for the collector: it need not wait so
        // long for it.
        let weight = live - self.live_raw / 3;
        self.budget = self.min_budget.max(weight / 100 * self.ratio);
        self.manual_budget = MIN_MANUAL.max(live * 4);
        let limit = self.info.limit_bytes;
        if limit != 0 {
            // Close to the limit collect more often, but never for each block.
            let room = limit.saturating_sub(live);
            self.budget = self.budget.min(room / 2).max(256 << 10);
            self.manual_budget = self.manual_budget.min(room / 2).max(256 << 10);
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
                return self.large(u64::from(d.size), desc, 0, false);
            }
            let class = d.class_id * 2;
            let shape = self.shape_of(desc, class, cell as u32, 0)?;
            let bump = self.bump(class);
            if ((*bump).limit as u64).wrapping_sub((*bump).cur as u64) < cell {
                self.refill(bump, self.cursors.add(class as usize), shape, false)?;
            }
            let p = (*bump).cur;
            (*bump).cur = p.add(cell as usize);
            Ok(p)
        }
    }

    /// The cells of a class.
    #[inline]
    pub(super) unsafe fn bump(&self, class: u32) -> *mut Bump {
        // SAFETY: the process has one for each class.
        unsafe { (&raw mut (*self.proc).bumps).cast::<Bump>().add(class as usize) }
    }

    #[inline]
    pub(super) unsafe fn shape_of(
        &mut self,
        desc: *const Desc,
        class: u32,
        cell: u32,
        head: u32,
    ) -> Result<u32, Full> {
        if class >= self.nclasses {
            return Err(Full);
        }
        // SAFETY: the class is known to the process.
        unsafe {
            match *self.class_shapes.add(class as usize) {
                0 => self.resolve(desc, class, cell, head),
                known => Ok(known - 1),
            }
        }
    }

    /// Finds the shape of a class, and makes the first class of a shape the home of its
    /// freed cells.
    #[cold]
    unsafe fn resolve(
        &mut self,
        desc: *const Desc,
        class: u32,
        cell: u32,
        head: u32,
    ) -> Result<u32, Full> {
        // SAFETY: as in `object`; the list names blocks of this heap.
        unsafe {
            let shape = self.shapes.find(cell, desc, head).ok_or(Full)?;
            *self.class_shapes.add(class as usize) = shape + 1;
            let s = self.shapes.get(shape);
            let (own, bump) = (&raw mut (*s).bump, self.bump(class));
            if (*s).home == own {
                (*s).home = bump;
                if let Some(raw) = self.raw.iter().position(|&n| n == shape + 1) {
                    self.raw_homes[raw] = bump;
                }
                for i in 0..self.owned_len {
                    let m = self.meta(*self.owned.add(i));
                    if (*m).bin == own {
                        (*m).bin = bump;
                    }
                }
            }
            Ok(shape)
        }
    }

    /// Memory without pointers.
    #[inline]
    pub fn raw(&mut self, bytes: u64, align: u32) -> Result<*mut u8, Full> {
        let Some(class) = class::of(bytes, align) else {
            return self.large(bytes, ptr::null(), 0, false);
        };
        let known = self.raw[class];
        let shape = if known != 0 { known - 1 } else { self.resolve_raw(class)? };
        self.cell(shape)
    }

    #[cold]
    pub(super) fn resolve_raw(&mut self, class: usize) -> Result<u32, Full> {
        // SAFETY: a null descriptor is allowed.
        let shape = unsafe { self.shapes.find(u32::from(class::SIZES[class]), ptr::null(), 0) };
        let shape = shape.ok_or(Full)?;
        self.raw[class] = shape + 1;
        // SAFETY: a shape's number is valid.
        self.raw_homes[class] = unsafe { (*self.shapes.get(shape)).home };
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
        let Some(class) = class::of(bytes, align) else {
            return self.large(bytes, desc, 0, false);
        };
        let class = class as u32;
        let at = (desc as usize >> 5 ^ (class as usize).wrapping_mul(37)) % CACHE;
        let hit = self.cache[at];
        if hit.desc == desc && hit.class == class {
            return self.cell(hit.shape);
        }
        // SAFETY: passed on.
        let shape = unsafe { self.shapes.find(u32::from(class::SIZES[class as usize]), desc, 0) };
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
                self.refill(&raw mut (*s).bump, &raw mut (*s).cursor, shape, false)?;
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
    pub(super) unsafe fn refill(
        &mut self,
        bump: *mut Bump,
        cursor: *mut Cursor,
        shape: u32,
        manual: bool,
    ) -> Result<(), Full> {
        // SAFETY: blocks at cursors and in lists are this heap's and of this shape, so
        // runs found in their bitmaps are free cells nobody can reach.
        unsafe {
            loop {
                let s = self.shapes.get(shape);
                if (*cursor).block != pages::NONE {
                    if self.next_run(bump, cursor, &*s) {
                        let bytes = (*bump).limit as u64 - (*bump).cur as u64;
                        *(if manual { &mut self.manual } else { &mut self.since }) += bytes;
                        return Ok(());
                    }
                    (*cursor).block = pages::NONE;
                }
                if self.due() {
                    self.step();
                    continue;
                }
                let block = (*s).partial;
                if block != pages::NONE {
                    let m = self.meta(block);
                    (*s).partial = (*m).next;
                    *cursor = Cursor { block, next: 0 };
                } else {
                    if manual {
                        self.unpurged += BLOCK as u64;
                        if self.unpurged > PURGE_MIN.max(self.info.heap_bytes / 4) {
                            super::manual::purge(self);
                        }
                    }
                    *cursor = Cursor { block: self.fresh(shape)?, next: 0 };
                }
            }
        }
    }

    /// Is it time to collect, or to go on with it?
    fn due(&self) -> bool {
        if self.cycle.running() {
            return self.cycle.done() || self.since >= self.budget / 2 * 3;
        }
        // A marking beside the program starts early: the program goes on allocating.
        let part = if self.aside() { self.budget / 4 * 3 } else { self.budget };
        (self.since >= part || self.manual >= self.manual_budget) && !self.no_gc
    }

    /// Would a collection in place stop the program for too long?
    fn aside(&self) -> bool {
        self.mark_ns > self.pause_goal && self.info.limit_bytes == 0
    }

    /// Collects, or starts or ends a marking beside the program.
    #[cold]
    unsafe fn step(&mut self) {
        // SAFETY: called from an entry point, with the process's stack below.
        unsafe {
            if self.cycle.running() {
                snapshot::finish(self);
            } else if !self.aside() || !snapshot::start(self) {
                mark::collect(self);
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
            let new = m.flags & FLAG_NEW != 0;
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
            if self.cycle.running() {
                if new {
                    snapshot::each_word(from, to, |w, bits| m.marks[w] |= bits);
                } else {
                    self.cycle.allocated((*cursor).block, from, to);
                }
            }
            (*cursor).next = to;
            let bytes = ((to - from) * s.cell) as usize;
            if self.guard.on {
                super::guard::open(self, run, bytes);
            }
            ((*bump).cur, (*bump).limit) = (run, run.add(bytes));
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
            if self.cycle.running() {
                (*m).flags |= FLAG_NEW;
            }
            (*m).cell = s.cell;
            (*m).recip = s.recip;
            (*m).mask = s.mask;
            (*m).bin = if self.guard.on { ptr::null_mut() } else { s.home };
            (*m).head = s.head;
            if s.scan == pages::SCAN_DESC {
                (*m).mask = s.desc as u64;
            }
            (*m).owner = owner;
            (*m).bytes = BLOCK as u64;
            (*m).shape = shape;
            (*m).next = pages::NONE;
            (*m).cells = s.cells;
        }
        Ok(block)
    }

    /// An object with blocks of its own, zeroed: elements of `desc` (null: no pointers)
    /// behind `head` other bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn large(
        &mut self,
        bytes: u64,
        desc: *const Desc,
        head: u32,
        manual: bool,
    ) -> Result<*mut u8, Full> {
        let n = usize::try_from(bytes.div_ceil(BLOCK as u64)).map_err(|_| Full)?.max(1);
        // SAFETY: a descriptor is valid.
        let scanned = unsafe { !desc.is_null() && (*desc).nptrs != 0 && (*desc).size != 0 };
        let (since, budget) =
            if manual { (self.manual, self.manual_budget) } else { (self.since, self.budget) };
        if since.saturating_add(bytes) >= budget && since > 0 && !self.no_gc {
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
            (*m).scan = if scanned { pages::SCAN_DESC } else { pages::SCAN_NONE };
            (*m).flags = if self.cycle.running() { FLAG_NEW } else { 0 };
            (*m).cell = 0;
            (*m).recip = 0;
            (*m).mask = desc as u64;
            (*m).bin = ptr::null_mut();
            (*m).head = head;
            (*m).owner = owner;
            (*m).bytes = bytes;
            (*m).next = pages::NONE;
            (*m).marks = [0; MARK_WORDS];
            (*m).marks[0] = u64::from(self.cycle.running());
            (*m).cells = 1;
            *(if manual { &mut self.manual } else { &mut self.since }) += (n * BLOCK) as u64;
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
                unsafe {
                    *self.owned.add(self.owned_len) = block;
                    (*self.meta(block)).shape = self.owned_len as u32;
                }
                self.owned_len += 1;
                self.info.heap_bytes += bytes;
                self.info.peak_bytes = self.info.peak_bytes.max(self.info.heap_bytes);
                return Ok((block, clean));
            }
            if again {
                self.make_room();
            }
        }
        Err(Full)
    }

    /// Frees what can be freed when memory is short.
    pub fn make_room(&mut self) {
        // SAFETY: called from an entry point, with the process's stack below.
        unsafe {
            super::region::drop_cache(self);
            super::manual::purge(self);
            if !self.no_gc {
                mark::collect(self);
            }
        }
    }

    /// Blocks for a chunk of a region.
    pub fn chunk_blocks(&mut self, n: usize) -> Result<u32, Full> {
        for again in [true, false] {
            if let Some((block, _)) = pages::with(|p| p.take(n)) {
                return Ok(block);
            }
            if again {
                self.make_room();
            }
        }
        Err(Full)
    }

    /// Takes the block at a place of the list out of it.
    ///
    /// # Safety
    /// The place is below the list's length.
    pub unsafe fn disown(&mut self, place: usize) {
        // SAFETY: the last block takes the place; a large object knows its own.
        unsafe {
            self.owned_len -= 1;
            let last = *self.owned.add(self.owned_len);
            *self.owned.add(place) = last;
            let m = self.meta(last);
            if (*m).kind == KIND_LARGE {
                (*m).shape = place as u32;
            }
        }
    }

    /// The entry of the block an address lies in.
    ///
    /// # Safety
    /// It lies in a block.
    #[inline]
    pub unsafe fn meta_of(&self, p: *const u8) -> *mut Meta {
        self.meta(((p as usize - self.base) >> pages::BLOCK_SHIFT) as u32)
    }

    /// Calls `f` with every list of cells: the classes' and the shapes'.
    pub fn each_bump(&mut self, mut f: impl FnMut(&mut Heap, *mut Bump)) {
        for class in 0..self.nclasses {
            // SAFETY: the process has one for each class.
            let bump = unsafe { self.bump(class) };
            f(self, bump);
        }
        for i in 0..self.shapes.len() {
            // SAFETY: shape numbers are valid.
            let bump = unsafe { &raw mut (*self.shapes.get(i)).bump };
            f(self, bump);
        }
    }

    /// Gives half of the free blocks back to the system if there are many, but not
    /// often: they may soon be wanted again.
    pub fn keep_little(&mut self) {
        if pages::with(|p| p.dirty_free) <= KEEP_FREE {
            return;
        }
        let now = os::now_ns();
        if now.saturating_sub(self.trimmed) > TRIM_NS {
            self.trimmed = now;
            pages::with(|p| p.trim((p.dirty_free / 2).max(KEEP_FREE)));
        }
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
                super::manual::forget(bumps.add(i));
                *self.cursors.add(i) = Cursor::NONE;
            }
            for i in 0..self.shapes.len() {
                let s = &mut *self.shapes.get(i);
                super::manual::forget(&raw mut s.bump);
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
        info.allocated_bytes += self.since + self.manual;
        if !self.guard.on {
            // SAFETY: the process is valid.
            info.region_bytes -= unsafe { (*self.proc).nspare } * BLOCK as u64;
        }
        info
    }

    /// Ends a collection: accounts, frees, plans the next.
    pub fn finish(&mut self, started: u64) {
        self.info.allocated_bytes += self.since + self.manual;
        self.since = 0;
        self.manual = 0;
        sweep::sweep(self);
        self.plan();
        let keep = (self.budget + self.budget / 2) as usize / BLOCK;
        pages::with(|p| p.trim(keep));
        self.info.collections += 1;
        self.pause(started);
        crate::prof::collected(self, os::now_ns().saturating_sub(started));
    }

    /// Accounts a stop of the program.
    pub fn pause(&mut self, started: u64) {
        let pause = os::now_ns().saturating_sub(started);
        self.info.pause_total_ns += pause;
        self.info.pause_max_ns = self.info.pause_max_ns.max(pause);
    }

    /// Forgets what is left of all runs, and all freed cells.
    pub fn drop_runs(&mut self) {
        // SAFETY: nobody uses free cells.
        self.each_bump(|_, bump| unsafe { super::manual::forget(bump) });
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
