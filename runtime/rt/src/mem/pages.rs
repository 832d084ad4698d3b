//! The page pool: one reserved address range, cut into blocks of 16 KiB, and a side
//! table with an entry for each block.
//!
//! Blocks are handed out lowest address first, so that the range in use stays dense
//! and what is free can go back to the system from the top. Memory is committed in
//! steps; a block remembers whether it may hold old data (`dirty`) or reads as zero.
//! The pool is shared by all processes of the program, under a lock that is taken
//! once per block, never per object.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use super::heap::Heap;
use super::region::Region;
use crate::os;
use crate::proc::{Bump, Desc};

pub const BLOCK_SHIFT: u32 = 14;
/// Bytes of a block.
pub const BLOCK: usize = 1 << BLOCK_SHIFT;
/// Words of a mark bitmap: cells are at least 16 bytes.
pub const MARK_WORDS: usize = BLOCK / 16 / 64;
/// No block.
pub const NONE: u32 = u32::MAX;

const MAX_RESERVE: usize = 64 << 30;
const MIN_RESERVE: usize = 64 << 20;
/// Blocks committed at a time: 4 MiB.
const COMMIT_STEP: usize = 256;

/// What a block is used for.
pub const KIND_FREE: u8 = 0;
pub const KIND_SMALL: u8 = 1;
pub const KIND_LARGE: u8 = 2;
/// Not the first block of a large object; `bytes` is the index of the first.
pub const KIND_TAIL: u8 = 3;
/// Of a chunk of an arena or reap; `bytes` is the address of its region.
pub const KIND_ARENA: u8 = 4;

/// How a cell is searched for pointers.
pub const SCAN_NONE: u8 = 0;
/// By `mask`, one bit per word of the cell.
pub const SCAN_MASK: u8 = 1;
/// As elements of `desc`.
pub const SCAN_DESC: u8 = 2;

/// The block reads as zero.
pub const FLAG_CLEAN: u8 = 1;
/// Marked objects in it have not been scanned: the mark stack was full.
pub const FLAG_RESCAN: u8 = 2;
/// Taken while a snapshot is being marked: its bits there mean nothing.
pub const FLAG_NEW: u8 = 4;

/// The side table entry of a block: three cache lines, of which marking an object
/// touches the first and one word of the others.
#[repr(C)]
pub struct Meta {
    pub kind: u8,
    pub scan: u8,
    pub flags: u8,
    /// Cells of the block; 1 for a large object's first block, 0 otherwise, so that
    /// one comparison refuses free and tail blocks.
    pub cells: u32,
    pub cell: u32,
    /// 2^32 / cell rounded up, which divides any offset in a block exactly.
    pub recip: u32,
    /// By `scan`: a bit for each word that may be a pointer, or the address of a
    /// descriptor (`desc`).
    pub mask: u64,
    /// Where freed cells go; null sends a free to the runtime. C reads it.
    pub bin: *mut Bump,
    pub owner: *mut Heap,
    pub bytes: u64,
    /// The next block of a list.
    pub next: u32,
    pub shape: u32,
    pub live: u32,
    /// Bytes of a cell in front of its object: the place of a count.
    pub head: u32,
    pub marks: [u64; MARK_WORDS],
}

const _: () = {
    assert!(size_of::<Meta>() == 64 + 128 && core::mem::offset_of!(Meta, bin) == 24);
    assert!(core::mem::offset_of!(Meta, head) == 60);
    assert!(core::mem::offset_of!(Meta, marks) == 64);
};

impl Meta {
    /// The descriptor of cells that are searched by one.
    #[inline]
    pub fn desc(&self) -> *const Desc {
        self.mask as *const Desc
    }

    /// The region a chunk belongs to.
    #[inline]
    pub fn region(&self) -> *mut Region {
        self.bytes as *mut Region
    }
}

/// What C sees of the pool, to find the entry of a block.
#[repr(C)]
pub struct Table {
    base: AtomicUsize,
    blocks: AtomicPtr<Meta>,
}

/// Set once, before the first block is handed out.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static toft_blocks: Table =
    Table { base: AtomicUsize::new(0), blocks: AtomicPtr::new(core::ptr::null_mut()) };

/// The pool.
pub struct Pages {
    pub base: usize,
    pub metas: *mut Meta,
    /// Blocks ever used: nothing at or above has been handed out.
    pub high: usize,
    limit: usize,
    committed: usize,
    free: *mut u64,
    dirty: *mut u64,
    /// No free block below this one.
    hint: usize,
    /// Free blocks that have memory behind them.
    pub dirty_free: usize,
}

struct Shared {
    lock: AtomicBool,
    pages: UnsafeCell<Pages>,
}

// SAFETY: `pages` is only changed under `lock`; `base` and `metas` never change once set.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    lock: AtomicBool::new(false),
    pages: UnsafeCell::new(Pages {
        base: 0,
        metas: core::ptr::null_mut(),
        high: 0,
        limit: 0,
        committed: 0,
        free: core::ptr::null_mut(),
        dirty: core::ptr::null_mut(),
        hint: 0,
        dirty_free: 0,
    }),
};

/// Runs `f` with the pool locked.
pub fn with<R>(f: impl FnOnce(&mut Pages) -> R) -> R {
    // ORDER: Acquire pairs with the Release below: what the last holder wrote is seen.
    while SHARED
        .lock
        .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        core::hint::spin_loop();
    }
    // SAFETY: the lock is held, so this is the only reference.
    let r = f(unsafe { &mut *SHARED.pages.get() });
    // ORDER: Release, see above.
    SHARED.lock.store(false, Ordering::Release);
    r
}

impl Pages {
    /// Reserves the address range at first use. False if the system has none.
    pub fn init(&mut self) -> bool {
        if self.base != 0 {
            return true;
        }
        let mut size = MAX_RESERVE;
        while size >= MIN_RESERVE {
            if self.reserve(size) {
                return true;
            }
            size /= 4;
        }
        false
    }

    fn reserve(&mut self, size: usize) -> bool {
        let blocks = size / BLOCK;
        let (meta_len, bits_len) = (blocks * size_of::<Meta>(), blocks / 8);
        let range = os::reserve(size + BLOCK);
        let side = os::map(meta_len + 2 * bits_len);
        if range.is_null() || side.is_null() {
            // SAFETY: the mappings just made are given back, nothing refers to them.
            unsafe {
                if !range.is_null() {
                    os::unmap(range, size + BLOCK);
                }
                if !side.is_null() {
                    os::unmap(side, meta_len + 2 * bits_len);
                }
            }
            return false;
        }
        self.base = (range as usize).next_multiple_of(BLOCK);
        self.metas = side.cast();
        // SAFETY: the side mapping has room for the metas and two bitmaps.
        unsafe {
            self.free = side.add(meta_len).cast();
            self.dirty = side.add(meta_len + bits_len).cast();
        }
        self.limit = blocks;
        // ORDER: Relaxed: whoever holds a block got it under the pool's lock.
        toft_blocks.base.store(self.base, Ordering::Relaxed);
        toft_blocks.blocks.store(self.metas, Ordering::Relaxed);
        true
    }

    /// The side table entry of a block.
    #[inline]
    pub fn meta(&self, block: u32) -> *mut Meta {
        // SAFETY: block numbers are below `limit`, the length of the table.
        unsafe { self.metas.add(block as usize) }
    }

    /// First byte of a block.
    #[inline]
    pub fn addr(&self, block: u32) -> *mut u8 {
        (self.base + ((block as usize) << BLOCK_SHIFT)) as *mut u8
    }

    fn bit(map: *mut u64, i: usize) -> bool {
        // SAFETY: the bitmaps have a bit for each block.
        unsafe { *map.add(i / 64) >> (i % 64) & 1 != 0 }
    }

    fn set(map: *mut u64, i: usize, on: bool) {
        // SAFETY: as in `bit`.
        unsafe {
            let w = map.add(i / 64);
            *w = *w & !(1 << (i % 64)) | u64::from(on) << (i % 64);
        }
    }

    /// Takes `n` adjacent blocks: the first one, and whether all read as zero. They
    /// count as dirty from now on.
    pub fn take(&mut self, n: usize) -> Option<(u32, bool)> {
        let found = if n == 1 { self.find_one() } else { self.find_run(n) };
        let first = match found {
            Some(b) => b,
            None => self.extend(n)?,
        };
        let mut clean = true;
        for i in first..first + n {
            if Self::bit(self.free, i) && Self::bit(self.dirty, i) {
                clean = false;
                self.dirty_free -= 1;
            }
            Self::set(self.free, i, false);
            Self::set(self.dirty, i, true);
        }
        Some((first as u32, clean))
    }

    fn find_one(&mut self) -> Option<usize> {
        let words = self.high.div_ceil(64);
        for w in self.hint / 64..words {
            // SAFETY: `w` is a word of the bitmap.
            let bits = unsafe { *self.free.add(w) };
            if bits != 0 {
                self.hint = w * 64;
                return Some(w * 64 + bits.trailing_zeros() as usize);
            }
        }
        self.hint = self.high;
        None
    }

    fn find_run(&self, n: usize) -> Option<usize> {
        let mut i = self.hint;
        let mut run = 0;
        while i < self.high {
            // SAFETY: `i` is below `high`, so its word is in the bitmap.
            if run == 0 && i.is_multiple_of(64) && unsafe { *self.free.add(i / 64) } == 0 {
                i += 64;
                continue;
            }
            run = if Self::bit(self.free, i) { run + 1 } else { 0 };
            i += 1;
            if run == n {
                return Some(i - n);
            }
        }
        None
    }

    fn extend(&mut self, n: usize) -> Option<usize> {
        let end = self.high.checked_add(n)?;
        if end > self.limit {
            return None;
        }
        if end > self.committed {
            let to = end.next_multiple_of(COMMIT_STEP).min(self.limit);
            let from = self.addr(self.committed as u32);
            // SAFETY: the blocks up to `limit` are in the reserved range.
            if !unsafe { os::commit(from, (to - self.committed) * BLOCK) } {
                return None;
            }
            self.committed = to;
        }
        let first = self.high;
        self.high = end;
        Some(first)
    }

    /// Takes `n` blocks from `first` on back.
    pub fn give(&mut self, first: u32, n: usize) {
        for i in first as usize..first as usize + n {
            Self::set(self.free, i, true);
            // SAFETY: the blocks are no longer used; a zero entry refuses every pointer.
            unsafe {
                let m = self.meta(i as u32);
                (*m).kind = KIND_FREE;
                (*m).cells = 0;
                (*m).bin = core::ptr::null_mut();
                (*m).owner = core::ptr::null_mut();
            }
        }
        self.dirty_free += n;
        self.hint = self.hint.min(first as usize);
    }

    /// Gives memory of free blocks back to the system, highest first, until at most
    /// `keep` dirty ones remain.
    pub fn trim(&mut self, keep: usize) {
        let mut end = self.high;
        while self.dirty_free > keep && end > 0 {
            let mut start = end;
            while start > 0
                && self.dirty_free > keep
                && Self::bit(self.free, start - 1)
                && Self::bit(self.dirty, start - 1)
            {
                start -= 1;
                Self::set(self.dirty, start, false);
                self.dirty_free -= 1;
            }
            if start < end {
                // SAFETY: free blocks hold nothing.
                unsafe { os::decommit(self.addr(start as u32), (end - start) * BLOCK) };
                end = start;
            } else {
                end -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_taken_given_and_cleaned() {
        let mut p = Pages {
            base: 0,
            metas: core::ptr::null_mut(),
            high: 0,
            limit: 0,
            committed: 0,
            free: core::ptr::null_mut(),
            dirty: core::ptr::null_mut(),
            hint: 0,
            dirty_free: 0,
        };
        assert!(p.init());
        assert_eq!(p.base % BLOCK, 0);
        assert_eq!(p.take(1), Some((0, true)));
        assert_eq!(p.take(300), Some((1, true)));
        assert_eq!(p.take(1), Some((301, true)));
        p.give(1, 300);
        assert_eq!(p.take(2), Some((1, false)));
        assert_eq!(p.take(299), Some((302, true)), "298 left in the hole");
        p.trim(0);
        assert_eq!(p.take(298), Some((3, true)), "trimmed blocks read as zero");
        p.give(0, 1);
        assert_eq!(p.take(1), Some((0, false)));
    }
}
