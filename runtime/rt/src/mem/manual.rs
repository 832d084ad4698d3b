//! Freeing: cells that the program gives back.
//!
//! A freed cell goes on a small stack of its class. The cell itself is not touched: with
//! many cells that are freed at random, a link in it would be waited for. Nor are cells
//! taken from that stack, but from another one: the processor need not know where one cell
//! was freed to hand out the next. When the other is empty, the two are exchanged; if both
//! are, a freed cell goes there at once.
//! What the stack cannot hold goes to a list
//! through the cells, whose links are complements, no addresses of the heap: the collector
//! sees no pointer. A collection forgets all freed cells, since they are free by being
//! unmarked.
//!
//! Nothing is counted when a cell is freed. Blocks whose cells are all free are found by
//! `purge`, which walks the lists when as much fresh memory has been taken as pays for it.

use core::ptr;

use super::guard;
use super::heap::Heap;
use super::pages::{self, BLOCK, KIND_ARENA, KIND_LARGE, KIND_SMALL, KIND_TAIL, Meta};
use super::{reap, region};
use crate::os;
use crate::proc::Bump;
use crate::prof;

/// Bytes of a stack (TOFT_STACK_SIZE), and half of its cells.
const STACK: usize = 512;
const HALF: usize = STACK / size_of::<*mut u8>() / 2;

/// The newest freed cell.
///
/// # Safety
/// `bump` holds free cells.
#[inline]
pub unsafe fn pop(bump: *mut Bump) -> Option<*mut u8> {
    // SAFETY: the cells below `top`, down to a multiple of the stack's size, are free.
    unsafe {
        if (*bump).top as usize & (STACK - 1) != 0 {
            (*bump).top = (*bump).top.sub(1);
            return Some(*(*bump).top);
        }
        if (*bump).freed as usize & (STACK - 1) != 0 {
            core::mem::swap(&mut (*bump).top, &mut (*bump).freed);
            (*bump).top = (*bump).top.sub(1);
            return Some(*(*bump).top);
        }
        if (*bump).more.is_null() { None } else { Some(fill(bump)) }
    }
}

/// Half a stack from the list, and one cell more.
#[cold]
unsafe fn fill(bump: *mut Bump) -> *mut u8 {
    // SAFETY: the list is not empty; its cells start with their links.
    unsafe {
        let mut p = (*bump).more;
        let mut next = follow(p);
        if !(*bump).top.is_null() {
            for _ in 0..HALF {
                if next.is_null() {
                    break;
                }
                *(*bump).top = p;
                (*bump).top = (*bump).top.add(1);
                p = next;
                next = follow(p);
            }
        }
        (*bump).more = next;
        p
    }
}

/// The cell a listed one links to.
#[inline]
unsafe fn follow(p: *mut u8) -> *mut u8 {
    // SAFETY: a cell has room for a word.
    unsafe { !*p.cast::<usize>() as *mut u8 }
}

/// Puts a free cell on the stack, or in the list if there is no memory for one.
///
/// # Safety
/// Nobody uses the cell, which belongs to a block whose bin this is.
#[inline]
pub unsafe fn push(heap: &mut Heap, bump: *mut Bump, p: *mut u8) {
    // SAFETY: a stack is never full.
    unsafe {
        if (*bump).freed.is_null() {
            ((*bump).top, (*bump).freed) = (heap.stack(), heap.stack());
            if (*bump).top.is_null() || (*bump).freed.is_null() {
                (*bump).freed = ptr::null_mut();
                return list(bump, p);
            }
        }
        if ((*bump).top as usize | (*bump).freed as usize) & (STACK - 1) == 0 {
            *(*bump).top = p;
            (*bump).top = (*bump).top.add(1);
            return;
        }
        *(*bump).freed = p;
        (*bump).freed = (*bump).freed.add(1);
        if (*bump).freed as usize & (STACK - 1) == 0 {
            spill(bump);
        }
    }
}

#[inline]
unsafe fn list(bump: *mut Bump, p: *mut u8) {
    // SAFETY: a cell has room for a word.
    unsafe {
        *p.cast::<usize>() = !((*bump).more as usize);
        (*bump).more = p;
    }
}

/// Lists the older half of a full stack.
///
/// # Safety
/// The stack is full: `freed` is its end.
pub unsafe fn spill(bump: *mut Bump) {
    // SAFETY: all places of the stack hold free cells.
    unsafe {
        let base = (*bump).freed.sub(2 * HALF);
        for i in 0..HALF {
            list(bump, *base.add(i));
        }
        ptr::copy_nonoverlapping(base.add(HALF), base, HALF);
        (*bump).freed = base.add(HALF);
    }
}

/// Forgets all cells: they are free by being unmarked.
///
/// # Safety
/// A collection is about to start.
pub unsafe fn forget(bump: *mut Bump) {
    // SAFETY: as in `pop`.
    unsafe {
        let base = |top: *mut *mut u8| (top as usize & !(STACK - 1)) as *mut *mut u8;
        *bump = Bump { top: base((*bump).top), freed: base((*bump).freed), ..Bump::EMPTY };
    }
}

/// Lists all of the stacks.
unsafe fn empty(bump: *mut Bump) {
    // SAFETY: as in `pop`.
    unsafe {
        for _ in 0..2 {
            while (*bump).top as usize & (STACK - 1) != 0 {
                (*bump).top = (*bump).top.sub(1);
                list(bump, *(*bump).top);
            }
            core::mem::swap(&mut (*bump).top, &mut (*bump).freed);
        }
    }
}

impl Heap {
    /// Memory for a stack; null if there is none.
    #[cold]
    fn stack(&mut self) -> *mut *mut u8 {
        const SLAB: usize = 64 << 10;
        if self.stacks_left == 0 {
            let slab = os::map(SLAB + STACK);
            if slab.is_null() {
                return ptr::null_mut();
            }
            self.stacks = (slab as usize).next_multiple_of(STACK) as *mut u8;
            self.stacks_left = SLAB / STACK;
        }
        self.stacks_left -= 1;
        // SAFETY: the slab has room for `stacks_left` more.
        unsafe {
            let p = self.stacks;
            self.stacks = p.add(STACK);
            p.cast()
        }
    }
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
                    let home = (*heap.shapes.get((*m).shape)).home;
                    push(heap, home, cell);
                    // From now on C finds the stack.
                    (*m).bin = if (*home).freed.is_null() { ptr::null_mut() } else { home };
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
            empty(bump);
            let mut p = (*bump).more;
            while !p.is_null() {
                let m = heap.meta_of(p);
                (*m).live += 1;
                some |= (*m).live == (*m).cells;
                p = follow(p);
            }
        });
        if !some {
            return;
        }
        heap.each_bump(|heap, bump| {
            let mut link = &raw mut (*bump).more;
            // The list keeps its order; links inside cells are complements.
            let mut inside = false;
            let mut p = (*bump).more;
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
