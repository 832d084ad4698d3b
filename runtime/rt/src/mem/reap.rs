//! Reaps: regions whose objects may also be freed one by one.
//!
//! Every cell has a header word with its size, so that a chunk can be walked. Memory is
//! bumped from a window; freed cells go to lists by size and are reused first. When the
//! window is used up, the largest free cell is the next one. If none is large enough, and
//! a quarter of the reap is free, all chunks are walked: neighbours that are free become
//! one cell, chunks that are free go back. Else a new chunk is the window.

use core::ptr;

use super::guard;
use super::heap::Heap;
use super::mark::Marker;
use super::pages::BLOCK;
use super::region::{self, Chunk, Lack, Region};

/// Lists: one for each multiple of 8 bytes up to 512, eight for each doubling up to 8 KiB,
/// one for all above.
const EXACT: u64 = 512;
const TOP: usize = 64 + 32;
const LISTS: usize = TOP + 1;
/// Cells above this get a chunk of their own.
const CELL_MAX: u64 = 8192;
/// Free bytes before the chunks are walked.
const WALK_MIN: u64 = 16 << 10;

/// Flags in a cell's header, beside its size.
const FREE: u64 = 1;
const RAW: u64 = 2;
const LARGE: u64 = 4;
const FLAGS: u64 = 7;

/// State of a reap, at the start of its first chunk.
pub struct Reap {
    cur: *mut u8,
    limit: *mut u8,
    /// Bytes of its ordinary chunks, in lists, and freed since they were last walked.
    total: u64,
    listed: u64,
    freed: u64,
    home: *mut Chunk,
    blocks: u32,
    full: [u64; LISTS.div_ceil(64)],
    lists: [*mut u8; LISTS],
}

/// The list a free cell of this size belongs to: all in it are at least as large as what
/// `list_for` sends there.
fn list_of(size: u64) -> usize {
    if size <= EXACT {
        return (size / 8) as usize - 1;
    }
    if size >= CELL_MAX {
        return TOP;
    }
    let log = 63 - size.leading_zeros();
    let eighth = (size >> (log - 3)) & 7;
    64 + (log as usize - 9) * 8 + eighth as usize
}

/// The size of the cell that serves `size` bytes.
fn rounded(size: u64) -> u64 {
    if size <= EXACT {
        return size;
    }
    let log = 63 - (size - 1).leading_zeros();
    size.checked_next_multiple_of(1 << (log - 3)).unwrap_or(size)
}

unsafe fn header(cell: *mut u8) -> u64 {
    // SAFETY: a cell starts with its header.
    unsafe { *cell.cast::<u64>() }
}

impl Reap {
    /// Lists a free cell, or leaves it to the next walk if it is too small for a link.
    unsafe fn put(&mut self, cell: *mut u8, size: u64) {
        // SAFETY: the cell is free; its second word is the link.
        unsafe {
            *cell.cast::<u64>() = size | FREE;
            if size < 16 {
                return;
            }
            let list = list_of(size);
            *cell.cast::<usize>().add(1) = !(self.lists[list] as usize);
            self.lists[list] = cell;
            self.listed += size;
            self.full[list / 64] |= 1 << (list % 64);
        }
    }

    unsafe fn pop(&mut self, list: usize) -> *mut u8 {
        // SAFETY: listed cells are free and linked through their second words.
        unsafe {
            let cell = self.lists[list];
            if !cell.is_null() {
                self.listed -= header(cell) & !FLAGS;
                self.lists[list] = !*cell.cast::<usize>().add(1) as *mut u8;
                if self.lists[list].is_null() {
                    self.full[list / 64] &= !(1 << (list % 64));
                }
            }
            cell
        }
    }

    /// The largest free cell, if it has `size` bytes.
    unsafe fn largest(&mut self, size: u64) -> *mut u8 {
        let least = list_of(size);
        for w in (least / 64..self.full.len()).rev() {
            if self.full[w] != 0 {
                let list = w * 64 + 63 - self.full[w].leading_zeros() as usize;
                // SAFETY: the list has a cell.
                return if list < least { ptr::null_mut() } else { unsafe { self.pop(list) } };
            }
        }
        ptr::null_mut()
    }

    /// Makes the window a free cell.
    unsafe fn close(&mut self) {
        let rest = self.limit as u64 - self.cur as u64;
        if rest >= 8 {
            // SAFETY: the window is free memory.
            unsafe { self.put(self.cur, rest) };
        }
        (self.cur, self.limit) = (ptr::null_mut(), ptr::null_mut());
    }

    unsafe fn open(&mut self, cell: *mut u8, size: u64) {
        // SAFETY: the cell is free.
        unsafe {
            *cell.cast::<u64>() = size | FREE;
            (self.cur, self.limit) = (cell, cell.add(size as usize));
        }
    }

    /// Takes `size` bytes from the window, whose rest stays a free cell.
    #[inline]
    unsafe fn bump(&mut self, size: u64) -> *mut u8 {
        // SAFETY: the window is free memory.
        unsafe {
            let p = self.cur;
            if (self.limit as u64).wrapping_sub(p as u64) < size {
                return ptr::null_mut();
            }
            self.cur = p.add(size as usize);
            let rest = self.limit as u64 - self.cur as u64;
            if rest != 0 {
                *self.cur.cast::<u64>() = rest | FREE;
            }
            p
        }
    }
}

/// As `region::take`, for a reap.
///
/// # Safety
/// As for `region::take`.
pub unsafe fn take(
    heap: &mut Heap,
    r: *mut Region,
    bytes: u64,
    head: u64,
    align: u64,
    scanned: bool,
) -> Result<*mut u8, Lack> {
    // SAFETY: as the caller says; cells found are free.
    unsafe {
        if (*r).reap.is_null() {
            start(heap, r)?;
        }
        let raw = if scanned { 0 } else { RAW };
        let slack = if align > 8 { align } else { 0 };
        let size = rounded((bytes.saturating_add(8 + slack)).max(16));
        if region::over(r, size) {
            return Err(Lack::Limit);
        }
        if bytes > CELL_MAX || size > CELL_MAX {
            return apart(heap, r, bytes, head, align, raw);
        }
        let reap = &mut *(*r).reap;
        let mut cell = reap.pop(list_of(size));
        let mut size = size;
        if cell.is_null() {
            cell = reap.bump(size);
            if cell.is_null() {
                cell = refill(heap, r, size)?;
            }
        } else {
            // A listed cell may be larger than asked for.
            size = header(cell) & !FLAGS;
        }
        if slack != 0 {
            let object = (cell as u64 + 8 + head).next_multiple_of(align);
            let pad = object - head - 8 - cell as u64;
            if pad != 0 {
                (*(*r).reap).put(cell, pad);
                cell = cell.add(pad as usize);
                size -= pad;
            }
        }
        guard::open(heap, cell.add(8), size as usize - 8);
        *cell.cast::<u64>() = size | raw;
        (*r).used += size;
        Ok(cell.add(8))
    }
}

/// The first chunk, with the reap's state.
#[cold]
unsafe fn start(heap: &mut Heap, r: *mut Region) -> Result<(), Lack> {
    // SAFETY: a chunk is larger than the state.
    unsafe {
        let c = region::chunk(heap, r, 1, false)?;
        let reap = Chunk::start(c).cast::<Reap>();
        guard::open(heap, reap.cast(), size_of::<Reap>());
        reap.write(Reap {
            cur: ptr::null_mut(),
            limit: ptr::null_mut(),
            total: BLOCK as u64,
            listed: 0,
            freed: 0,
            home: c,
            blocks: 1,
            full: [0; LISTS.div_ceil(64)],
            lists: [ptr::null_mut(); LISTS],
        });
        (*r).reap = reap;
        let from = cells(r, c);
        (*reap).open(from, (*c).top as u64 - from as u64);
    }
    Ok(())
}

/// The first cell of a chunk.
unsafe fn cells(r: *mut Region, c: *mut Chunk) -> *mut u8 {
    // SAFETY: the state lies at the start of its home.
    unsafe {
        let state = if (*(*r).reap).home == c { size_of::<Reap>() } else { 0 };
        Chunk::start(c).add(state)
    }
}

/// A cell for an object that is too large or too aligned for the others.
#[cold]
unsafe fn apart(
    heap: &mut Heap,
    r: *mut Region,
    bytes: u64,
    head: u64,
    align: u64,
    raw: u64,
) -> Result<*mut u8, Lack> {
    let need = bytes.saturating_add(align + 8 + region::HEADER as u64);
    let blocks = u32::try_from(need.div_ceil(BLOCK as u64)).map_err(|_| Lack::Memory)?;
    // SAFETY: the chunk is as large as asked for; the object starts in its first block.
    unsafe {
        let c = region::chunk(heap, r, blocks, true)?;
        (*c).large = 1;
        let object = (Chunk::start(c) as u64 + 8 + head).next_multiple_of(align);
        let cell = (object - head - 8) as *mut u8;
        (*c).scan_end = cell;
        guard::open(heap, cell.add(8), bytes as usize);
        *cell.cast::<u64>() = (bytes + 8) | LARGE | raw;
        (*r).used += bytes + 8;
        Ok(cell.add(8))
    }
}

/// A cell of `size` bytes when neither its list nor the window has one.
#[cold]
unsafe fn refill(heap: &mut Heap, r: *mut Region, size: u64) -> Result<*mut u8, Lack> {
    // SAFETY: as in `take`.
    unsafe {
        let reap = (*r).reap;
        (*reap).close();
        let mut best = (*reap).largest(size);
        let worth = (*reap).total / 4;
        if best.is_null()
            && (*reap).listed >= WALK_MIN.max(worth)
            && (*reap).freed >= WALK_MIN.max(worth)
        {
            walk(heap, r);
            best = (*reap).largest(size);
        }
        if !best.is_null() {
            (*reap).open(best, header(best) & !FLAGS);
        } else {
            let blocks = ((*reap).blocks * 2).min(64);
            let c = region::chunk(heap, r, blocks, true)?;
            (*reap).blocks = blocks;
            (*reap).total += u64::from(blocks) * BLOCK as u64;
            let from = Chunk::start(c);
            (*reap).open(from, (*c).top as u64 - from as u64);
        }
        Ok((*reap).bump(size))
    }
}

/// Frees an object.
///
/// # Safety
/// `p` is an object of the reap that nobody will use.
pub unsafe fn free(heap: &mut Heap, r: *mut Region, p: *mut u8, counted: bool) {
    // SAFETY: the header lies in front of the object, or of its count.
    unsafe {
        let cell = p.sub(if counted { 16 } else { 8 });
        let h = header(cell);
        let size = h & !FLAGS;
        (*r).used -= size;
        if h & LARGE != 0 {
            let c = (cell as usize & !(BLOCK - 1)) as *mut Chunk;
            unlink(r, c);
            return region::give(heap, c);
        }
        if heap.guard.on {
            guard::fill(heap, cell.add(8), size as usize - 8);
        }
        let reap = &mut *(*r).reap;
        reap.freed += size;
        reap.put(cell, size);
    }
}

unsafe fn unlink(r: *mut Region, c: *mut Chunk) {
    // SAFETY: neighbours in the list are chunks of the region.
    unsafe {
        let (prev, next) = ((*c).prev, (*c).next);
        *(if prev.is_null() { &raw mut (*r).chunks } else { &raw mut (*prev).next }) = next;
        if !next.is_null() {
            (*next).prev = prev;
        }
    }
}

/// Joins free neighbours in all chunks, and gives free chunks back.
#[cold]
unsafe fn walk(heap: &mut Heap, r: *mut Region) {
    // SAFETY: the cells of a chunk fill it from its first to its top; the window is closed.
    unsafe {
        let reap = (*r).reap;
        (*reap).lists = [ptr::null_mut(); LISTS];
        (*reap).full = [0; LISTS.div_ceil(64)];
        ((*reap).freed, (*reap).listed) = (0, 0);
        let mut c = (*r).chunks;
        while !c.is_null() {
            let next = (*c).next;
            if (*c).large == 0 {
                let first = cells(r, c);
                let mut at = first;
                while at < (*c).top {
                    let mut end = at;
                    while end < (*c).top && header(end) & FREE != 0 {
                        end = end.add((header(end) & !FLAGS) as usize);
                    }
                    if end == at {
                        at = at.add((header(at) & !FLAGS) as usize);
                        continue;
                    }
                    if at == first && end == (*c).top && c != (*reap).home {
                        break;
                    }
                    (*reap).put(at, end as u64 - at as u64);
                    at = end;
                }
                if at == first && at < (*c).top {
                    (*reap).total -= u64::from((*c).blocks) * BLOCK as u64;
                    unlink(r, c);
                    region::give(heap, c);
                }
            }
            c = next;
        }
    }
}

/// Searches the objects of a chunk.
///
/// # Safety
/// As for `region::scan`.
pub unsafe fn scan(marker: &mut Marker, r: *mut Region, c: *mut Chunk) {
    // SAFETY: as in `walk`; the window starts with a header.
    unsafe {
        let (mut at, top) = if (*c).large != 0 {
            let cell = (*c).scan_end;
            (cell, cell.add(8))
        } else {
            (cells(r, c), (*c).top)
        };
        while at < top {
            let h = header(at);
            let end = at.add((h & !FLAGS) as usize);
            if h & (FREE | RAW) == 0 {
                marker.range(at as usize + 8, end as usize);
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_what_they_are_asked_for() {
        for size in (16..=CELL_MAX).step_by(8) {
            let want = rounded(size);
            assert!(want >= size && want.is_multiple_of(8) && want <= size + size / 8 + 8);
            let list = list_of(want);
            assert!(list < LISTS && list_of(rounded(want)) == list, "{size}");
            // Every size in the list serves it.
            for other in (want..=CELL_MAX).step_by(8) {
                assert!(list_of(other) >= list);
            }
            assert!(want == 16 || list_of(want - 8) < list, "{size}");
        }
    }
}
