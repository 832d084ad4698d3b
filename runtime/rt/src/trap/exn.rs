//! Throwing: finds the handler, runs cleanups on the way, jumps.
//!
//! Handlers form a chain on the stack, innermost first (`Frame` in proc.rs). A throw that
//! no handler is known to catch takes a backtrace first, since the frames are gone when
//! it turns out that nobody wanted it. Without any handler the stack is still whole and
//! the report is made on the spot.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use libc::{c_char, c_int, c_void};

use super::{backtrace, report};
use crate::os;
use crate::proc::{self, Exn, ExnTag, Frame, Handler, Proc, Site};

/// What is known about a throw beyond the value.
#[derive(Clone, Copy)]
pub enum Detail {
    None,
    Null,
    /// Index and length.
    Bounds(i64, u64),
    Match,
    /// A function ended without its value.
    NoValue,
    Alloc,
    Region,
    /// TOFT_ARITH_*.
    Arith(c_int),
}

/// The last throw of a process.
pub struct ThrowInfo {
    pub exn: *mut c_void,
    pub site: *const Site,
    pub detail: Detail,
    pub pcs: [usize; backtrace::MAX],
    pub len: usize,
    pub more: bool,
}

const NO_PAYLOAD: u32 = 0;
const PAYLOAD_CSTR: u32 = 3;
/// TOFT_CATCH_ALL.
const CATCH_ALL: usize = 1;

macro_rules! builtin {
    ($($tag:ident $value:ident $name:literal)*) => { $(
        /// Tag of a built-in exception.
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals)]
        pub static $tag: ExnTag = ExnTag {
            name: $name.as_ptr(), payload: NO_PAYLOAD, payload_off: 0, size: 8,
        };
        /// Its value.
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals)]
        pub static $value: Exn = Exn { tag: &raw const $tag };
    )* };
}

builtin! {
    toft_tag_Null_Exception toft_exn_Null_Exception c"Null_Exception"
    toft_tag_Array_bounds toft_exn_Array_bounds c"Array_bounds"
    toft_tag_Match_Exception toft_exn_Match_Exception c"Match_Exception"
    toft_tag_Bad_alloc toft_exn_Bad_alloc c"Bad_alloc"
    toft_tag_Arithmetic toft_exn_Arithmetic c"Arithmetic"
    toft_tag_Region_full toft_exn_Region_full c"Region_full"
}

/// Tag of failed assertions.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static toft_tag_Assert: ExnTag =
    ExnTag { name: c"Assert".as_ptr(), payload: PAYLOAD_CSTR, payload_off: 8, size: 16 };

/// The value of a failed assertion; one for each text, made when first needed.
#[repr(C)]
pub struct AssertExn {
    tag: *const ExnTag,
    text: *const c_char,
    next: *mut AssertExn,
}

static ASSERTS: AtomicPtr<AssertExn> = AtomicPtr::new(ptr::null_mut());

/// The exception of a failed assertion. Values are found again by their text, so that a
/// program that catches assertions in a loop does not grow.
pub fn assert_exn(text: *const c_char) -> *mut c_void {
    // ORDER: Acquire pairs with the Release below: entries are complete when seen.
    let mut at = ASSERTS.load(Ordering::Acquire);
    while !at.is_null() {
        // SAFETY: entries are never freed.
        unsafe {
            if (*at).text == text {
                return at.cast();
            }
            at = (*at).next;
        }
    }
    let new = os::malloc(size_of::<AssertExn>()).cast::<AssertExn>();
    if new.is_null() {
        return (&raw const toft_exn_Bad_alloc).cast_mut().cast();
    }
    // SAFETY: fresh memory of the right size, published by the exchange.
    unsafe {
        new.write(AssertExn { tag: &raw const toft_tag_Assert, text, next: ptr::null_mut() });
        let mut head = ASSERTS.load(Ordering::Relaxed);
        loop {
            (*new).next = head;
            // ORDER: Release pairs with the Acquire above.
            match ASSERTS.compare_exchange(head, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return new.cast(),
                Err(now) => head = now,
            }
        }
    }
}

unsafe extern "C" {
    fn longjmp(env: *mut u64, value: c_int) -> !;
}

/// What the chain of handlers promises for an exception.
enum Prospect {
    Nobody,
    Maybe,
    Caught,
}

/// # Safety
/// `first` is the chain of the running process.
unsafe fn prospect(first: *mut Frame, exn: *mut c_void) -> Prospect {
    let mut found = Prospect::Nobody;
    let mut at = first;
    // SAFETY: entries of the chain are live until they are popped; a list of tags ends
    // with null; an exception starts with its tag.
    unsafe {
        let tag = (*exn.cast::<Exn>()).tag;
        while !at.is_null() {
            if (*at).cleanup.is_none() {
                found = Prospect::Maybe;
                let mut list = (*at.cast::<Handler>()).catches;
                if list as usize == CATCH_ALL {
                    return Prospect::Caught;
                }
                while !list.is_null() && !(*list).is_null() {
                    if *list == tag {
                        return Prospect::Caught;
                    }
                    list = list.add(1);
                }
            }
            at = (*at).prev;
        }
    }
    found
}

/// Throws.
///
/// # Safety
/// `exn` is an exception value, or null.
#[cold]
#[inline(never)]
pub unsafe fn raise(exn: *mut c_void, site: *const Site, detail: Detail) -> ! {
    let (exn, detail) = if exn.is_null() {
        ((&raw const toft_exn_Null_Exception).cast_mut().cast(), Detail::Null)
    } else {
        (exn, detail)
    };
    let p = proc::current();
    // SAFETY: the process is valid, and its info is only used here.
    unsafe {
        let info = info_of(p);
        if !info.is_null() {
            (*info).exn = exn;
            (*info).site = site;
            (*info).detail = detail;
            (*info).len = 0;
            (*info).more = false;
        }
        match prospect((*p).frames, exn) {
            Prospect::Caught => {}
            Prospect::Maybe => capture(info),
            Prospect::Nobody => uncaught(exn, info),
        }
        deliver(p, exn)
    }
}

/// Throws again what a handler did not want.
///
/// # Safety
/// As for `raise`.
pub unsafe fn again(exn: *mut c_void) -> ! {
    let p = proc::current();
    // SAFETY: as in `raise`.
    unsafe {
        let info = (*p).throw_info;
        if exn.is_null() || info.is_null() || (*info).exn != exn {
            raise(exn, ptr::null(), Detail::None);
        }
        if (*p).frames.is_null() || matches!(prospect((*p).frames, exn), Prospect::Nobody) {
            uncaught(exn, info);
        }
        deliver(p, exn)
    }
}

/// Prints the report of a caught exception, with the backtrace of its throw if that was
/// taken.
///
/// # Safety
/// `exn` is an exception value.
pub unsafe fn show(exn: *mut c_void) {
    let p = proc::current();
    // SAFETY: as in `raise`.
    unsafe {
        let info = info_of(p);
        if info.is_null() {
            return;
        }
        if (*info).exn != exn {
            (*info).exn = exn;
            (*info).site = ptr::null();
            (*info).detail = Detail::None;
            (*info).len = 0;
        }
        report::print(exn, &*info)
    }
}

unsafe fn info_of(p: *mut Proc) -> *mut ThrowInfo {
    // SAFETY: the process is valid; zero is a valid ThrowInfo apart from the detail,
    // which is written here.
    unsafe {
        if (*p).throw_info.is_null() {
            let info = os::malloc(size_of::<ThrowInfo>()).cast::<ThrowInfo>();
            if !info.is_null() {
                (&raw mut (*info).detail).write(Detail::None);
            }
            (*p).throw_info = info;
        }
        (*p).throw_info
    }
}

unsafe fn capture(info: *mut ThrowInfo) {
    // SAFETY: null or valid.
    unsafe {
        if !info.is_null() {
            let (len, more) = backtrace::capture(&mut (*info).pcs);
            (*info).len = len;
            (*info).more = more;
        }
    }
}

unsafe fn uncaught(exn: *mut c_void, info: *mut ThrowInfo) -> ! {
    // SAFETY: as in `raise`.
    unsafe {
        if info.is_null() {
            os::flush_stdio();
            os::write_err(b"toft: uncaught exception, and no memory to tell which\n");
            os::exit(report::EXIT_UNCAUGHT);
        }
        if (*info).len == 0 {
            capture(info);
        }
        report::uncaught(exn, &*info)
    }
}

/// Runs the cleanups up to the innermost handler and jumps there.
unsafe fn deliver(p: *mut Proc, exn: *mut c_void) -> ! {
    // SAFETY: entries of the chain are live, since their functions have not returned; the
    // handler's environment was filled by setjmp in such a function.
    unsafe {
        (*p).exn = exn;
        loop {
            let at = (*p).frames;
            if at.is_null() {
                uncaught(exn, info_of(p));
            }
            (*p).frames = (*at).prev;
            if let Some(cleanup) = (*at).cleanup {
                cleanup(at);
                continue;
            }
            let h = at.cast::<Handler>();
            (*h).exn = exn;
            (*p).exn = ptr::null_mut();
            longjmp((&raw mut (*h).env).cast(), 1)
        }
    }
}
