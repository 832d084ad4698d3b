//! Every function emitted C may call, as named in crates/rt-abi. Nothing but doors: the
//! work is done in `mem` and `trap`.

use core::ptr;
use libc::{c_char, c_int, c_void};

use crate::mem::heap::{self, Full, Heap, Info};
use crate::mem::mark;
use crate::os;
use crate::proc::{self, Desc, Proc, Program, Site, UserMain};
use crate::trap::exn::{self, Detail};
use crate::trap::{names, report, signal};

/// Sets the main process up and runs the user's main.
///
/// # Safety
/// Called by `main` as TOFT_PROGRAM writes it.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_start(
    argc: c_int,
    argv: *mut *mut c_char,
    user_main: UserMain,
    own: *mut Proc,
    program: *const Program,
) -> c_int {
    let mut mark = 0_u64;
    // SAFETY: `own` is the program's static process, `program` its description.
    unsafe {
        // Every frame of the program lies below this one.
        (*own).stack_base = (&raw mut mark).add(1).cast();
        (*own).stack_limit = (*own).stack_base.wrapping_sub(os::stack_limit());
        (*own).program = program;
        if let Some(signals) = (*program).signals {
            signals(own);
        }
        user_main(argc, argv)
    }
}

/// Reports stack overflows and faults.
///
/// # Safety
/// `own` is the process of this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_signals_init(own: *mut Proc) {
    // SAFETY: passed on.
    unsafe { signal::init(own) }
}

macro_rules! builtin {
    ($value:ident) => {
        (&raw const exn::$value).cast_mut().cast()
    };
}

/// # Safety
/// `site` is null or static, here and below.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_null(site: *const Site) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Null_Exception), site, Detail::Null) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_bounds(site: *const Site, index: i64, len: u64) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Array_bounds), site, Detail::Bounds(index, len)) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_at(
    site: *const Site,
    base: *const c_void,
    index: i64,
    len: u64,
) -> ! {
    // SAFETY: passed on.
    unsafe {
        if base.is_null() {
            toft_trap_null(site)
        }
        toft_trap_bounds(site, index, len)
    }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_match(site: *const Site) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Match_Exception), site, Detail::Match) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_unreachable(site: *const Site) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Match_Exception), site, Detail::NoValue) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_arith(site: *const Site, why: c_int) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Arithmetic), site, Detail::Arith(why)) }
}

/// # Safety
/// See above; `text` is static and zero-ended.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_assert(site: *const Site, text: *const c_char) -> ! {
    // SAFETY: a value made for the text.
    unsafe { exn::raise(exn::assert_exn(text), site, Detail::None) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_alloc(site: *const Site) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Bad_alloc), site, Detail::Alloc) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_region(site: *const Site) -> ! {
    // SAFETY: a built-in value.
    unsafe { exn::raise(builtin!(toft_exn_Region_full), site, Detail::Region) }
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_trap_stack(site: *const Site) -> ! {
    report::stack_overflow(site)
}

/// # Safety
/// `thrown` is null or an exception value.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_throw(thrown: *mut c_void, site: *const Site) -> ! {
    // SAFETY: passed on.
    unsafe { exn::raise(thrown, site, Detail::None) }
}

/// # Safety
/// As for `toft_throw`.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_rethrow(thrown: *mut c_void) -> ! {
    // SAFETY: passed on.
    unsafe { exn::again(thrown) }
}

/// # Safety
/// `caught` is an exception value.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn toft_report(caught: *mut c_void) {
    // SAFETY: passed on.
    unsafe { exn::show(caught) }
}

/// # Safety
/// Called on a thread that runs a process.
#[inline]
pub(crate) unsafe fn own_heap<'a>() -> &'a mut Heap {
    // SAFETY: the running process is valid; its heap is used by this thread alone, and
    // never by two entry points at once.
    unsafe {
        let heap = heap::of(proc::current());
        if heap.is_null() {
            toft_trap_alloc(ptr::null())
        }
        &mut *heap
    }
}

#[inline]
pub(crate) unsafe fn or_throw(got: Result<*mut u8, Full>) -> *mut c_void {
    match got {
        Ok(p) => p.cast(),
        // SAFETY: a null site is allowed.
        Err(Full) => unsafe { toft_trap_alloc(ptr::null()) },
    }
}

/// # Safety
/// `desc` is one of the program's descriptors.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn toft_new_slow(desc: *const Desc) -> *mut c_void {
    // SAFETY: passed on.
    unsafe { or_throw(own_heap().object(desc)) }
}

/// # Safety
/// Called on a thread that runs a process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_new_raw(bytes: u64, align: u32) -> *mut c_void {
    // SAFETY: passed on.
    unsafe { or_throw(own_heap().raw(bytes, align)) }
}

/// # Safety
/// `elem` is one of the program's descriptors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_new_scanned(elem: *const Desc, bytes: u64) -> *mut c_void {
    // SAFETY: passed on.
    unsafe {
        if (*elem).size == 0 || (*elem).nptrs == 0 {
            return toft_new_raw(bytes, (*elem).align);
        }
        or_throw(own_heap().scanned(elem, bytes))
    }
}

/// # Safety
/// Called on a thread that runs a process, on its own stack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_gc_collect() {
    // SAFETY: passed on.
    unsafe { mark::collect(own_heap()) }
}

/// # Safety
/// `out` is a valid place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_gc_stats(out: *mut Info) {
    // SAFETY: passed on.
    unsafe { *out = own_heap().figures() }
}

/// # Safety
/// Called on a thread that runs a process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_gc_limit(bytes: u64) {
    // SAFETY: passed on.
    unsafe { own_heap().set_limit(bytes) }
}

/// # Safety
/// Called on a thread that runs a process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_gc_ratio(percent: u32) {
    // SAFETY: passed on.
    unsafe { own_heap().set_ratio(percent) }
}

/// # Safety
/// `symbol` is zero-ended, `out` has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toft_demangle(
    symbol: *const c_char,
    out: *mut c_char,
    room: usize,
) -> usize {
    if room == 0 {
        return 0;
    }
    // SAFETY: as the caller says.
    unsafe {
        let name = core::ffi::CStr::from_ptr(symbol).to_bytes();
        let out = core::slice::from_raw_parts_mut(out.cast::<u8>(), room);
        let n = names::demangle(name, out.get_mut(..room - 1).unwrap_or(&mut []));
        if let Some(end) = out.get_mut(n) {
            *end = 0;
        }
        n
    }
}
