//! Freeing: cells that the program gives back.
//!
//! A freed cell goes to a list of its class, and cells are taken from another one: the
//! processor need not know where one cell was freed to hand out the next. When the other
//! is empty, the cell freed last is taken, and now and then the lists are exchanged. Links
//! are complements, no addresses of the heap: the collector sees no pointer. A collection
//! forgets all freed cells, since they are free by being unmarked.
//!
//! Nothing is counted when a cell is freed. Blocks whose cells are all free are found by
//! `purge`, which walks the lists when as much fresh memory has been taken as pays for it.

use core::ptr;

use super::guard;
use super::heap::Heap;
use super::pages::{self, BLOCK, KIND_ARENA, KIND_LARGE, KIND_SMALL, KIND_TAIL, Meta};
use super::{reap, region};
use crate::proc::Bump;
use crate::prof;

/// The next freed cell.
///
/// # Safety
/// `bump` holds free cells.
#[inline]
pub unsafe fn pop(bump: *mut Bump) -> Option<*mut u8> {
    // SAFETY: the caller vouches for the lists; a freed cell starts with its link.
    unsafe {
        let mut p = (*bump).free;
        if p.is_null() {
            p = (*bump).freed;
            if p.is_null() {
                return None;
            }
            let next = follow(p);
            if (p as usize >> 4 ^ p as usize >> 13) & 511 == 0 {
                ((*bump).free, (*bump).freed) = (next, ptr::null_mut());
            } else {
                (*bump).freed = next;
            }
            return Some(p);
        }
        (*bump).free = follow(p);
        Some(p)
    }
}

/// The cell a freed one links to.
#[inline]
unsafe fn follow(p: *mut u8) -> *mut u8 {
    // SAFETY: a cell has room for a word.
    unsafe { !*p.cast::<usize>() as *mut u8 }
}

/// Lists a free cell.
///
/// # Safety
/// Nobody uses the cell, which belongs to a block whose bin this is.
#[inline]
pub unsafe fn push(bump: *mut Bump, p: *mut u8) {
    // SAFETY: a cell has room for a word.
    unsafe {
        *p.cast::<usize>() = !((*bump).freed as usize);
        (*bump).freed = p;
    }
}

/// Forgets all cells: they are free by being unmarked.
///
/// # Safety
/// A collection is about to start.
pub unsafe fn forget(bump: *mut Bump) {
    // SAFETY: as the caller says.
    unsafe { *bump = Bump::EMPTY };
}

/// Frees whatever `p` points at: a unique or counted object of the heap or of a reap. An
/// object of an arena stays until its region ends.
///
/// # Safety
/// `p` was allocated by this process, was not freed, and nobody will use it.
pub unsafe fn free(heap: &mut Heap, p: *mut u8, counted: bool) {
    prof::freed(p);
    let off = (p as usize).wrapping_sub(heap.base);
    // SAFETY: an object of this process lies in a block whose entry describes it.
    unsafe {
        let mut block = (off >> pages::BLOCK_SHIFT) as u32;
        let mut m = heap.meta(block);
        if (*m).kind == KIND_TAIL {
            block = (*m).bytes as u32;
            m = heap.meta(block);
        }
        match (*m).kind {
            KIND_SMALL => {
                let index = ((off & (BLOCK - 1)) as u64 * u64::from((*m).recip)) >> 32;
                let cell = heap.addr(block).add(index as usize * (*m).cell as usize);
                if heap.guard.on {
                    guard::free(heap, cell, m);
                } else {
                    push((*m).bin, cell);
                }
            }
            KIND_LARGE => large(heap, block, m),
            KIND_ARENA => {
                let r = (*m).region();
                if !r.is_null() && (*r).kind & region::REAP != 0 {
                    reap::free(heap, r, p, counted);
                }
            }
            _ => {}
        }
    }
}

/// Gives the blocks of a large object back.
unsafe fn large(heap: &mut Heap, block: u32, m: *mut Meta) {
    // SAFETY: the entry of a large object knows its place in the list of blocks.
    unsafe {
        let n = ((*m).bytes.div_ceil(BLOCK as u64) as usize).max(1);
        heap.disown((*m).shape as usize);
        heap.info.heap_bytes -= (n * BLOCK) as u64;
        heap.manual = heap.manual.saturating_sub((n * BLOCK) as u64);
        if heap.guard.on {
            guard::fill(heap, heap.addr(block), n * BLOCK);
            guard::open(heap, heap.addr(block), n * BLOCK);
        }
        pages::with(|p| p.give(block, n));
        heap.keep_little();
    }
}

/// Finds blocks whose cells are all in lists of freed ones, and gives them back.
///
/// # Safety
/// Called from an entry point.
#[cold]
#[inline(never)]
pub unsafe fn purge(heap: &mut Heap) {
    heap.unpurged = 0;
    heap.info.purges += 1;
    // SAFETY: lists of freed cells hold cells of blocks of this heap.
    unsafe {
        for i in 0..heap.owned_len {
            (*heap.meta(*heap.owned.add(i))).live = 0;
        }
        let mut some = false;
        heap.each_bump(|heap, bump| {
            for mut p in [(*bump).free, (*bump).freed] {
                while !p.is_null() {
                    let m = heap.meta_of(p);
                    (*m).live += 1;
                    some |= (*m).live == (*m).cells;
                    p = follow(p);
                }
            }
        });
        if !some {
            return;
        }
        heap.each_bump(|heap, bump| {
            for list in [&raw mut (*bump).free, &raw mut (*bump).freed] {
                strain(heap, list);
            }
        });
        let mut i = 0;
        while i < heap.owned_len {
            let block = *heap.owned.add(i);
            let m = heap.meta(block);
            if (*m).kind == KIND_SMALL && (*m).live == (*m).cells {
                heap.disown(i);
                heap.info.heap_bytes -= BLOCK as u64;
                heap.manual = heap.manual.saturating_sub(BLOCK as u64);
                pages::with(|p| p.give(block, 1));
            } else {
                i += 1;
            }
        }
    }
}

/// Takes the cells of blocks that are free out of a list, which keeps its order.
unsafe fn strain(heap: &mut Heap, list: *mut *mut u8) {
    // SAFETY: the list holds cells of blocks of this heap.
    unsafe {
        let mut p = *list;
        let mut link = list;
        // Links inside cells are complements.
        let mut inside = false;
        while !p.is_null() {
            let next = follow(p);
            let m = heap.meta_of(p);
            if (*m).live != (*m).cells {
                *link = if inside { !(p as usize) as *mut u8 } else { p };
                link = p.cast();
                inside = true;
            }
            p = next;
        }
        *link = if inside { !0_usize as *mut u8 } else { ptr::null_mut() };
    }
}
