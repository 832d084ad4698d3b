//! What a profiler hears. A program compiled with TOFT_PROFILE reports each allocation here
//! (`toft_prof_alloc`, called by the inline functions of the headers after `TOFT_AT` has
//! noted the place); frees, ends of regions and collections are reported by the runtime
//! itself, where they pass through it: in such a program all of them do. Without hooks in
//! `Proc::prof` nothing is reported, and the program's fast paths know nothing of this.

use libc::c_void;

use crate::mem::heap::Heap;
use crate::mem::pages::{KIND_LARGE, KIND_SMALL};
use crate::mem::region::Region;
use crate::proc::{self, Desc, Site};

mod list;
mod live;
mod record;
mod write;

/// Where an object was made, and the type of its elements; both may be null.
pub type Made = (*const Site, *const Desc);

/// What the profiler wants to be told.
pub struct Hooks {
    /// An object of `bytes` at `p`, of a region of `kind` (TOFT_KIND_*; `region` is null
    /// for the heap), owned as `q` says.
    pub alloc: unsafe fn(
        hooks: *mut Hooks,
        p: *mut c_void,
        bytes: u64,
        region: *mut Region,
        q: u32,
        made: Made,
    ),
    /// The object at `p` was freed, at the site noted last.
    pub free: unsafe fn(hooks: *mut Hooks, p: *mut c_void, site: *const Site),
    /// The objects of a region end, at the site noted last: null if an exception or the
    /// collector ends it.
    pub end: unsafe fn(hooks: *mut Hooks, region: *mut Region, site: *const Site),
    /// A collection has just ended; until the hook returns, `alive` tells what is left.
    pub collected: unsafe fn(hooks: *mut Hooks, heap: *const Heap, pause_ns: u64),
    /// The program ends without running what was registered for its end.
    pub finish: unsafe fn(hooks: *mut Hooks),
}

/// The hooks of the running process.
#[inline]
fn hooks() -> Option<*mut Hooks> {
    let p = proc::current();
    // SAFETY: the process of this thread is valid or null.
    let hooks = if p.is_null() { core::ptr::null_mut() } else { unsafe { (*p).prof } };
    (!hooks.is_null()).then_some(hooks)
}

/// # Safety
/// Called by a program that was compiled for it, after an allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_prof_alloc(
    p: *mut c_void,
    bytes: u64,
    r: *mut Region,
    q: u32,
    desc: *const Desc,
) {
    if let Some(h) = hooks() {
        // SAFETY: the hooks are the profiler's, the process is valid.
        unsafe {
            let site = &raw mut (*proc::current()).prof_site;
            ((*h).alloc)(h, p, bytes, r, q, (*site, desc));
            // The next allocation has a site of its own, or none.
            *site = core::ptr::null();
        }
    }
}

/// An object is being freed.
pub fn freed(p: *mut u8) {
    if let Some(h) = hooks() {
        // SAFETY: the hooks are the profiler's.
        unsafe { ((*h).free)(h, p.cast(), (*proc::current()).prof_site) }
    }
}

/// A region is ending.
pub(crate) fn ended(r: *mut Region) {
    if let Some(h) = hooks() {
        // SAFETY: the hooks are the profiler's.
        unsafe { ((*h).end)(h, r, (*proc::current()).prof_site) }
    }
}

/// A collection has ended.
pub fn collected(heap: &Heap, pause_ns: u64) {
    if let Some(h) = hooks() {
        // SAFETY: the hooks are the profiler's.
        unsafe { ((*h).collected)(h, heap, pause_ns) }
    }
}

/// Does `f` while no site is noted: what it ends, it ends on nobody's order.
pub fn nowhere(f: impl FnOnce()) {
    let p = proc::current();
    if p.is_null() {
        return f();
    }
    // SAFETY: the process of this thread is valid.
    unsafe {
        let site = core::mem::replace(&mut (*p).prof_site, core::ptr::null());
        f();
        (*p).prof_site = site;
    }
}

/// The program ends at once.
pub fn finish() {
    if let Some(h) = hooks() {
        // SAFETY: the hooks are the profiler's.
        unsafe { ((*h).finish)(h) }
    }
}

/// Did the object of the heap at `p` survive the collection that has just ended?
///
/// # Safety
/// `p` was an object of `heap` before it.
pub unsafe fn alive(heap: &Heap, p: *const u8) -> bool {
    // SAFETY: the object's block has an entry, whatever became of it.
    unsafe {
        let m = &*heap.meta_of(p);
        match m.kind {
            KIND_SMALL => {
                let off = (p as usize - heap.base) & (crate::mem::pages::BLOCK - 1);
                let n = (off as u64 * u64::from(m.recip)) >> 32;
                m.marks[n as usize / 64] >> (n % 64) & 1 != 0
            }
            KIND_LARGE => true,
            _ => false,
        }
    }
}
