//! The doors to manual memory: unique and counted objects, regions, keys.

use core::ptr;
use libc::c_void;

use crate::abi::{or_throw, own_heap, toft_trap_alloc, toft_trap_region};
use crate::mem::drop::{self, Drop};
use crate::mem::heap::{Full, Heap};
use crate::mem::key::{self, Key};
use crate::mem::region::{self, COUNTED, Lack, REAP, Region, Scope};
use crate::mem::{manual, reap};
use crate::proc::{Desc, Frame};

/// The handle of the collected heap.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static mut toft_heap_region: Region = Region { kind: 0, ..Region::EMPTY };

fn is_heap(r: *const Region) -> bool {
    ptr::eq(r, &raw const toft_heap_region)
}

/// Clears a cell that is not zeroed yet if that is asked for.
unsafe fn cleared(got: Result<(*mut u8, bool), Full>, bytes: u64, zero: bool) -> *mut u8 {
    // SAFETY: the cell has at least `bytes`.
    unsafe {
        match got {
            Ok((p, clean)) => {
                if zero && !clean {
                    ptr::write_bytes(p, 0, bytes as usize);
                }
                p
            }
            Err(Full) => toft_trap_alloc(ptr::null()),
        }
    }
}

/// # Safety
/// `desc` is one of the program's descriptors; here and below, called on a thread that
/// runs a process.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_unique_slow(desc: *const Desc, zero: i32) -> *mut c_void {
    // SAFETY: passed on.
    unsafe {
        let got = own_heap().tracked(desc, false);
        cleared(got, u64::from((*desc).size), zero != 0).cast()
    }
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_counted_slow(desc: *const Desc, zero: i32) -> *mut c_void {
    // SAFETY: passed on; the count lies in front of the object.
    unsafe {
        let head = u64::from((*desc).align.max(8));
        let got = own_heap().tracked(desc, true);
        let p = cleared(got, u64::from((*desc).size) + head, zero != 0).add(head as usize);
        *p.cast::<u64>().sub(1) = 1;
        p.cast()
    }
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_unique_raw(bytes: u64, align: u32, zero: i32) -> *mut c_void {
    // SAFETY: passed on.
    unsafe { cleared(own_heap().tracked_raw(bytes, align), bytes, zero != 0).cast() }
}

/// # Safety
/// `p` is an object of 'H that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_unique_free_slow(p: *mut c_void) {
    if !p.is_null() {
        // SAFETY: passed on.
        unsafe { manual::free(own_heap(), p.cast(), false) }
    }
}

/// # Safety
/// `p` is a counted array of `n` objects without references; `glue` describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_counted_release(p: *mut c_void, n: u64, glue: *const Drop) {
    // SAFETY: passed on.
    unsafe { drop::release(own_heap(), p.cast(), n, glue, true) }
}

/// # Safety
/// As above; `h` is the object's region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_region_release_object(
    _h: *mut Region,
    p: *mut c_void,
    n: u64,
    glue: *const Drop,
) {
    // SAFETY: passed on; the object's block knows its region.
    unsafe { drop::release(own_heap(), p.cast(), n, glue, true) }
}

/// # Safety
/// `p` is an object of `h` that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_region_free_slow(h: *mut Region, p: *mut c_void) {
    if !p.is_null() {
        // SAFETY: passed on.
        unsafe {
            if (*h).kind & REAP != 0 {
                crate::prof::freed(p.cast());
                reap::free(own_heap(), h, p.cast(), false);
            } else {
                manual::free(own_heap(), p.cast(), false);
            }
        }
    }
}

/// # Safety
/// `h` is a region of this process, `elem` one of the program's descriptors.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_region_slow(
    h: *mut Region,
    elem: *const Desc,
    count: u64,
    q: u32,
    zero: i32,
) -> *mut c_void {
    // SAFETY: passed on.
    unsafe {
        let heap = own_heap();
        if is_heap(h) {
            return in_heap(heap, elem, count, q, zero != 0).cast();
        }
        match region::alloc(heap, h, elem, count, q, zero != 0) {
            Ok(p) => p.cast(),
            Err(Lack::Memory) => toft_trap_alloc(ptr::null()),
            Err(Lack::Limit) => toft_trap_region(ptr::null()),
        }
    }
}

/// `count` elements in 'H.
unsafe fn in_heap(heap: &mut Heap, elem: *const Desc, count: u64, q: u32, zero: bool) -> *mut u8 {
    // SAFETY: the descriptor is valid; cells are as large as asked for.
    unsafe {
        let d = &*elem;
        let Some(plain) = region::plain_bytes(d, count) else { toft_trap_alloc(ptr::null()) };
        let scanned = d.nptrs != 0 && d.size != 0;
        if q == 0 {
            let got = if scanned { heap.scanned(elem, plain) } else { heap.raw(plain, d.align) };
            return or_throw(got).cast();
        }
        let head = if q == COUNTED { d.align.max(8) } else { 0 };
        let bytes = plain.max(1).saturating_add(u64::from(head));
        let got = if count == 1 && d.size != 1 {
            heap.tracked(elem, q == COUNTED)
        } else if scanned || head != 0 {
            heap.tracked_scanned(elem, bytes, head)
        } else {
            heap.tracked_raw(bytes, d.align)
        };
        let p = cleared(got, plain + u64::from(head), zero).add(head as usize);
        if q == COUNTED {
            *p.cast::<u64>().sub(1) = 1;
        }
        if d.size == 1 {
            *p.add(plain as usize - 1) = 0;
        }
        p
    }
}

/// # Safety
/// `frame` is that of a scope whose function is being left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_scope_cleanup(frame: *mut Frame) {
    // SAFETY: the frame is the start of a scope.
    unsafe { toft_region_release(&raw mut (*frame.cast::<Scope>()).region) }
}

/// # Safety
/// Nobody will use the region's objects.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_region_release(h: *mut Region) {
    // SAFETY: passed on.
    unsafe {
        if !(*h).chunks.is_null() {
            region::release(own_heap(), h);
        }
    }
}

/// # Safety
/// `h` is a region of this process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_region_size(h: *const Region) -> u64 {
    // SAFETY: passed on.
    unsafe {
        if is_heap(h) {
            return own_heap().figures().heap_bytes;
        }
        region::size(h)
    }
}

/// # Safety
/// `h` is a region of this process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_region_limit(h: *mut Region, bytes: u64) {
    // SAFETY: passed on.
    unsafe {
        if is_heap(h) {
            return own_heap().set_limit(bytes);
        }
        region::limit(h, bytes)
    }
}

/// # Safety
/// Called on a thread that runs a process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_key_new(reap: i32, counted: i32) -> *mut Key {
    // SAFETY: passed on.
    unsafe {
        match key::new(own_heap(), reap != 0, counted != 0) {
            Ok(k) => k,
            Err(Full) => toft_trap_alloc(ptr::null()),
        }
    }
}

/// # Safety
/// `k` is null or a unique key that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_key_free(k: *mut Key) {
    if !k.is_null() {
        // SAFETY: passed on.
        unsafe { key::free(own_heap(), k, false) }
    }
}

/// # Safety
/// `k` is null or a counted key of which the caller gives up one reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_key_drop(k: *mut Key) {
    if k.is_null() {
        return;
    }
    // SAFETY: the count lies in front of the key.
    unsafe {
        let count = k.cast::<u64>().sub(1);
        *count -= 1;
        if *count == 0 {
            key::free(own_heap(), k, true);
        }
    }
}

/// # Safety
/// Called on a thread that runs a process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_gen_new(reap: i32) -> *mut c_void {
    // SAFETY: a generator is two words.
    unsafe {
        let p = cleared(own_heap().tracked_raw(16, 8), 16, true);
        *p.cast::<u64>().add(1) = u64::from(reap != 0);
        p.cast()
    }
}
