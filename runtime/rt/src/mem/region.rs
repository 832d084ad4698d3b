//! Arenas: memory that ends all at once.
//!
//! A region bumps through chunks of whole blocks, each larger than the last. Objects that
//! may hold pointers grow up from the chunk's start, others down from its end, so that the
//! collector searches the lower part alone. Large objects get chunks of their own. Chunks
//! of regions that ended wait in a small cache, by size.
//!
//! The table entry of every block of a chunk leads to the region, so that a pointer into a
//! dynamic region is known to be one.

use core::ptr;

use super::guard;
use super::heap::{Full, Heap};
use super::mark::Marker;
use super::pages::{self, BLOCK, KIND_ARENA};
use super::reap;
use crate::proc::{Desc, Frame};
use crate::prof;

/// Kinds of regions (TOFT_KIND_*).
pub const ARENA: u32 = 1;
pub const REAP: u32 = 2;
pub const DYNAMIC: u32 = 4;

/// How an object is owned (TOFT_Q_*).
pub const UNIQUE: u32 = 1;
pub const COUNTED: u32 = 2;

/// A region's handle, laid out as toft_region.
#[repr(C)]
pub struct Region {
    pub cur: *mut u8,
    pub limit: *mut u8,
    pub chunks: *mut Chunk,
    pub used: u64,
    pub cap: u64,
    pub reap: *mut reap::Reap,
    pub kind: u32,
    /// The collector met a pointer into it.
    pub reached: u32,
}

impl Region {
    pub const EMPTY: Region = Region {
        cur: ptr::null_mut(),
        limit: ptr::null_mut(),
        chunks: ptr::null_mut(),
        used: 0,
        cap: 0,
        reap: ptr::null_mut(),
        kind: ARENA,
        reached: 0,
    };
}

/// A region in a frame, laid out as toft_scope.
#[repr(C)]
pub struct Scope {
    pub frame: Frame,
    pub region: Region,
}

const _: () = assert!(size_of::<Region>() == 56 && size_of::<Scope>() == 72);

/// The start of a chunk.
#[repr(C)]
pub struct Chunk {
    pub next: *mut Chunk,
    pub prev: *mut Chunk,
    /// Below: objects that may hold pointers. Of the newest chunk the region knows.
    pub scan_end: *mut u8,
    /// End of the room for objects.
    pub top: *mut u8,
    pub blocks: u32,
    pub large: u32,
    pub spare: u64,
}

/// Bytes of a chunk in front of its objects.
pub const HEADER: usize = 48;
/// Blocks of the largest ordinary chunk, and its size class in the cache.
const MAX_BLOCKS: u32 = 64;
const ORDERS: usize = 7;
/// Blocks the cache keeps.
const KEEP: u32 = 128;
/// Objects above an eighth of the next chunk, but at least this, get their own.
const LARGE_MIN: u64 = 4096;

const _: () = assert!(size_of::<Chunk>() == HEADER && 1 << (ORDERS - 1) == MAX_BLOCKS);

/// Chunks that wait for the next region, by the logarithm of their blocks.
#[derive(Clone, Copy)]
pub struct Cache {
    lists: [*mut Chunk; ORDERS],
    blocks: u32,
}

/// Why a region cannot give memory.
pub enum Lack {
    Memory,
    Limit,
}

impl From<Full> for Lack {
    fn from(_: Full) -> Lack {
        Lack::Memory
    }
}

impl Chunk {
    /// First byte for objects.
    ///
    /// # Safety
    /// `c` is a chunk.
    pub unsafe fn start(c: *mut Chunk) -> *mut u8 {
        // SAFETY: a chunk is larger than its header.
        unsafe { c.cast::<u8>().add(HEADER) }
    }
}

/// A chunk of `blocks` blocks for `r`, at the front of its list or behind its newest.
///
/// # Safety
/// `r` is a region of this process.
pub unsafe fn chunk(
    heap: &mut Heap,
    r: *mut Region,
    blocks: u32,
    behind: bool,
) -> Result<*mut Chunk, Full> {
    // SAFETY: cached chunks are whole and unused; entries of taken blocks are ours.
    unsafe {
        let order = blocks.trailing_zeros() as usize;
        let mut c = ptr::null_mut::<Chunk>();
        if blocks.is_power_of_two() && order < ORDERS {
            c = heap.chunks.lists[order];
        }
        if c.is_null() {
            let block = heap.chunk_blocks(blocks as usize)?;
            let m = heap.meta(block);
            for i in 0..blocks as usize {
                (*m.add(i)).kind = KIND_ARENA;
                (*m.add(i)).cells = 0;
                (*m.add(i)).bin = ptr::null_mut();
                (*m.add(i)).owner = heap;
                (*m.add(i)).bytes = 0;
            }
            c = heap.addr(block).cast();
            if heap.guard.on {
                guard::fill(heap, c.cast(), blocks as usize * BLOCK);
            }
        } else {
            heap.chunks.lists[order] = (*c).next;
            heap.chunks.blocks -= blocks;
        }
        guard::open(heap, c.cast(), HEADER);
        // Only in reaps and dynamic regions an object must lead to its region.
        if (*r).kind != ARENA {
            tie(heap, c, blocks, r);
        }
        heap.info.region_bytes += u64::from(blocks) * BLOCK as u64;
        heap.info.region_peak = heap.info.region_peak.max(heap.info.region_bytes);
        (*c).blocks = blocks;
        (*c).large = 0;
        (*c).scan_end = Chunk::start(c);
        (*c).top = c.cast::<u8>().add(blocks as usize * BLOCK);
        let first = (*r).chunks;
        let (prev, next) = if behind && !first.is_null() {
            (first, (*first).next)
        } else {
            (ptr::null_mut(), first)
        };
        ((*c).prev, (*c).next) = (prev, next);
        *(if prev.is_null() { &raw mut (*r).chunks } else { &raw mut (*prev).next }) = c;
        if !next.is_null() {
            (*next).prev = c;
        }
        Ok(c)
    }
}

/// Makes the entries of a chunk's blocks lead to `r`.
unsafe fn tie(heap: &Heap, c: *mut Chunk, blocks: u32, r: *mut Region) {
    // SAFETY: the chunk's blocks have entries.
    unsafe {
        let m = heap.meta_of(c.cast());
        for i in 0..blocks as usize {
            (*m.add(i)).bytes = r as u64;
        }
    }
}

/// Gives one chunk, which is in no list, back.
///
/// # Safety
/// Nobody will use its memory.
pub unsafe fn give(heap: &mut Heap, c: *mut Chunk) {
    // SAFETY: the chunk is whole.
    unsafe {
        let blocks = (*c).blocks;
        heap.info.region_bytes -= u64::from(blocks) * BLOCK as u64;
        if !(*heap.meta_of(c.cast())).region().is_null() {
            tie(heap, c, blocks, ptr::null_mut());
        }
        if heap.guard.on {
            guard::fill(heap, c.cast(), blocks as usize * BLOCK);
            guard::open(heap, c.cast(), HEADER);
        }
        let order = blocks.trailing_zeros() as usize;
        let fits = heap.chunks.blocks + blocks <= KEEP;
        if fits && blocks.is_power_of_two() && order < ORDERS {
            (*c).next = heap.chunks.lists[order];
            (*c).blocks = blocks;
            heap.chunks.lists[order] = c;
            heap.chunks.blocks += blocks;
        } else {
            to_pool(heap, c, blocks);
            heap.keep_little();
        }
    }
}

unsafe fn to_pool(heap: &mut Heap, c: *mut Chunk, blocks: u32) {
    // SAFETY: the chunk is whole and unused.
    unsafe { guard::open(heap, c.cast(), blocks as usize * BLOCK) };
    let block = ((c as usize - heap.base) >> pages::BLOCK_SHIFT) as u32;
    pages::with(|p| p.give(block, blocks as usize));
}

/// Gives all cached chunks to the pool.
pub fn drop_cache(heap: &mut Heap) {
    // SAFETY: spare chunks are whole and unused.
    unsafe {
        let p = heap.proc;
        while !(*p).spare.is_null() && !heap.guard.on {
            let c = (*p).spare;
            (*p).spare = (*c).next;
            (*p).nspare -= 1;
            heap.info.region_bytes -= BLOCK as u64;
            to_pool(heap, c, 1);
        }
    }
    for order in 0..ORDERS {
        loop {
            let c = heap.chunks.lists[order];
            if c.is_null() {
                break;
            }
            // SAFETY: cached chunks are whole and unused.
            unsafe {
                heap.chunks.lists[order] = (*c).next;
                to_pool(heap, c, 1 << order);
            }
        }
    }
    heap.chunks.blocks = 0;
}

/// Gives all memory of a region back; it is empty afterwards.
///
/// # Safety
/// Nobody will use its objects.
pub unsafe fn release(heap: &mut Heap, r: *mut Region) {
    prof::ended(r);
    // SAFETY: the region's chunks are whole.
    unsafe {
        let mut c = (*r).chunks;
        (*r).chunks = ptr::null_mut();
        ((*r).cur, (*r).limit) = (ptr::null_mut(), ptr::null_mut());
        (*r).used = 0;
        (*r).reap = ptr::null_mut();
        while !c.is_null() {
            let next = (*c).next;
            give(heap, c);
            c = next;
        }
    }
}

/// Bytes of objects in the region.
///
/// # Safety
/// `r` is a region of this process.
pub unsafe fn size(r: *const Region) -> u64 {
    // SAFETY: the newest chunk of a region with room is whole.
    unsafe { (*r).used + window(r) }
}

/// Bytes of objects in the newest chunk.
unsafe fn window(r: *const Region) -> u64 {
    // SAFETY: as in `size`.
    unsafe {
        if (*r).cur.is_null() {
            return 0;
        }
        let c = (*r).chunks;
        let all = (*c).top as u64 - Chunk::start(c) as u64;
        all - ((*r).limit as u64 - (*r).cur as u64)
    }
}

/// Limits the region's size; 0 lifts the limit.
///
/// # Safety
/// As for `size`.
pub unsafe fn limit(r: *mut Region, cap: u64) {
    // SAFETY: as in `size`.
    unsafe {
        (*r).cap = cap;
        trim(r);
    }
}

/// Cuts the room of the newest chunk down to what the limit leaves.
unsafe fn trim(r: *mut Region) {
    // SAFETY: as in `size`.
    unsafe {
        if (*r).cap == 0 || (*r).cur.is_null() {
            return;
        }
        let left = (*r).cap.saturating_sub(size(r)) & !7;
        let room = (*r).limit as u64 - (*r).cur as u64;
        if room > left {
            let cut = (room - left) as usize;
            (*r).limit = (*r).limit.sub(cut);
            let c = (*r).chunks;
            (*c).top = (*c).top.sub(cut);
        }
    }
}

/// Would `bytes` more pass the limit?
///
/// # Safety
/// As for `size`.
pub unsafe fn over(r: *const Region, bytes: u64) -> bool {
    // SAFETY: passed on.
    unsafe { (*r).cap != 0 && size(r).saturating_add(bytes) > (*r).cap }
}

/// Memory for an object of an arena: `bytes` of which the first `head` come before an
/// address that is a multiple of `align`.
///
/// # Safety
/// `r` is an arena of this process; `bytes` and `head` are multiples of 8.
pub unsafe fn take(
    heap: &mut Heap,
    r: *mut Region,
    bytes: u64,
    head: u64,
    align: u64,
    scanned: bool,
) -> Result<*mut u8, Lack> {
    // SAFETY: room between `cur` and `limit` is free memory of the newest chunk.
    unsafe {
        if let Some(p) = bump(r, bytes, head, align, scanned) {
            guard::open(heap, p, bytes as usize);
            return Ok(p);
        }
        if (*r).chunks.is_null() && (*r).kind == ARENA && (*r).cap == 0 && bytes <= LARGE_MIN / 2 {
            let c = (*heap.proc).spare;
            if !c.is_null() && !heap.guard.on {
                // As the first chunk of the last arena was left.
                (*heap.proc).spare = (*c).next;
                (*heap.proc).nspare -= 1;
                (*c).next = ptr::null_mut();
                (*c).top = c.cast::<u8>().add(BLOCK);
                (*r).chunks = c;
                ((*r).cur, (*r).limit) = (Chunk::start(c), (*c).top);
                return bump(r, bytes, head, align, scanned).ok_or(Lack::Limit);
            }
        }
        if over(r, bytes) {
            return Err(Lack::Limit);
        }
        let last = if (*r).cur.is_null() { 0 } else { (*(*r).chunks).blocks };
        let need = bytes.saturating_add(align.max(8) + HEADER as u64);
        let mut blocks = (last * 2).clamp(1, MAX_BLOCKS);
        if need > LARGE_MIN.max(u64::from(blocks) * BLOCK as u64 / 8) {
            let p = large(heap, r, need, bytes, head, align, scanned)?;
            guard::open(heap, p, bytes as usize);
            return Ok(p);
        }
        if !(*r).cur.is_null() {
            (*(*r).chunks).scan_end = (*r).cur;
            (*r).used += window(r);
            ((*r).cur, (*r).limit) = (ptr::null_mut(), ptr::null_mut());
        }
        while u64::from(blocks) * (BLOCK as u64) < need {
            blocks *= 2;
        }
        let c = chunk(heap, r, blocks, false)?;
        ((*r).cur, (*r).limit) = (Chunk::start(c), (*c).top);
        trim(r);
        let Some(p) = bump(r, bytes, head, align, scanned) else { return Err(Lack::Limit) };
        guard::open(heap, p, bytes as usize);
        Ok(p)
    }
}

/// An object with a chunk of its own.
#[cold]
unsafe fn large(
    heap: &mut Heap,
    r: *mut Region,
    need: u64,
    bytes: u64,
    head: u64,
    align: u64,
    scanned: bool,
) -> Result<*mut u8, Lack> {
    let blocks = u32::try_from(need.div_ceil(BLOCK as u64)).map_err(|_| Lack::Memory)?;
    // SAFETY: the chunk is as large as asked for.
    unsafe {
        let c = chunk(heap, r, blocks, !(*r).cur.is_null())?;
        (*c).large = 1;
        let p = ((Chunk::start(c) as u64 + head).next_multiple_of(align) - head) as *mut u8;
        if scanned {
            // What is searched must not be garbage of an earlier use.
            ptr::write_bytes(Chunk::start(c), 0, p as usize - Chunk::start(c) as usize);
            (*c).scan_end = p.add(bytes as usize);
        }
        (*r).used += bytes;
        Ok(p)
    }
}

#[inline]
unsafe fn bump(
    r: *mut Region,
    bytes: u64,
    head: u64,
    align: u64,
    scanned: bool,
) -> Option<*mut u8> {
    // SAFETY: as in `take`.
    unsafe {
        let (cur, limit) = ((*r).cur as u64, (*r).limit as u64);
        if scanned {
            let p = (cur + head).next_multiple_of(align) - head;
            let end = p.checked_add(bytes)?;
            if end > limit {
                return None;
            }
            (*r).cur = end as *mut u8;
            Some(p as *mut u8)
        } else {
            let p = ((limit.checked_sub(bytes)? + head) & !(align - 1)).checked_sub(head)?;
            if p < cur || cur == 0 {
                return None;
            }
            (*r).limit = p as *mut u8;
            Some(p as *mut u8)
        }
    }
}

/// `count` elements in a region that is not the heap's.
///
/// # Safety
/// `r` is a region of this process, `elem` a descriptor of the program.
pub unsafe fn alloc(
    heap: &mut Heap,
    r: *mut Region,
    elem: *const Desc,
    count: u64,
    q: u32,
    zero: bool,
) -> Result<*mut u8, Lack> {
    // SAFETY: as the caller says.
    unsafe {
        let d = &*elem;
        let plain = plain_bytes(d, count).ok_or(Lack::Memory)?;
        let align = u64::from(d.align.max(8));
        let head = if q == COUNTED { 8 } else { 0 };
        // An object without bytes has an address of its own, too.
        let bytes = plain.max(1).checked_add(head + 7).ok_or(Lack::Memory)? & !7;
        let scanned = d.nptrs != 0;
        let p = if (*r).kind & REAP != 0 {
            reap::take(heap, r, bytes, head, align, scanned)?
        } else {
            take(heap, r, bytes, head, align, scanned)?
        };
        let p = p.add(head as usize);
        if q == COUNTED {
            *p.cast::<u64>().sub(1) = 1;
        }
        if zero {
            ptr::write_bytes(p, 0, plain as usize);
        } else if d.size == 1 {
            *p.add(plain as usize - 1) = 0;
        }
        Ok(p)
    }
}

/// Bytes of `count` elements, with a zero byte more behind elements of one byte; none if
/// a fat pointer could not hold them.
pub fn plain_bytes(d: &Desc, count: u64) -> Option<u64> {
    if count > u64::from(u32::MAX) {
        return None;
    }
    count.checked_mul(u64::from(d.size))?.checked_add(u64::from(d.size == 1))
}

/// Searches a region's objects for pointers.
///
/// # Safety
/// The region is of this process and stands still.
pub unsafe fn scan(marker: &mut Marker, r: *mut Region) {
    // SAFETY: objects that may hold pointers lie between the start of a chunk and its
    // `scan_end`, or the region's `cur`.
    unsafe {
        let mut c = (*r).chunks;
        let reap = (*r).kind & REAP != 0;
        while !c.is_null() {
            if reap {
                reap::scan(marker, r, c);
            } else {
                let newest = c == (*r).chunks && !(*r).cur.is_null();
                let end = if newest { (*r).cur } else { (*c).scan_end };
                marker.range(Chunk::start(c) as usize, end as usize);
            }
            c = (*c).next;
        }
    }
}
