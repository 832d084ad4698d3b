//! The state of one process and the plain types shared with emitted C.
//!
//! Layouts are those of `include/toft.h`; assertions there and below hold both sides to
//! the same offsets.

use core::mem::offset_of;
use libc::{c_char, c_int, c_void};

use crate::mem::heap::Heap;
use crate::mem::region::Chunk;
use crate::prof::Hooks;
use crate::trap::exn::ThrowInfo;

/// A place in the Toft source: one per check.
#[repr(C)]
pub struct Site {
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub func: *const c_char,
}

/// The shape of a type on the heap.
#[repr(C)]
pub struct Desc {
    pub size: u32,
    pub align: u32,
    pub nptrs: u32,
    pub class_id: u32,
    pub ptrs: *const u32,
    pub name: *const c_char,
}

/// Objects outside the heap that may hold heap pointers.
#[repr(C)]
pub struct Root {
    pub addr: *mut c_void,
    pub desc: *const Desc,
    pub count: u64,
}

/// A root added at run time.
#[repr(C)]
pub struct RootRange {
    pub next: *mut RootRange,
    pub root: Root,
}

/// An exception's declaration.
#[repr(C)]
pub struct ExnTag {
    pub name: *const c_char,
    pub payload: u32,
    pub payload_off: u32,
    pub size: u64,
}

// SAFETY: tags are immutable and point at immutable text.
unsafe impl Sync for ExnTag {}

/// An exception value: an object whose first word is its tag.
#[repr(C)]
pub struct Exn {
    pub tag: *const ExnTag,
}

// SAFETY: the values made here are immutable.
unsafe impl Sync for Exn {}

/// An entry of the chain of handlers.
#[repr(C)]
pub struct Frame {
    pub prev: *mut Frame,
    pub cleanup: Option<unsafe extern "C" fn(*mut Frame)>,
}

/// A handler that catches. `env` stands for a jmp_buf, which only C knows.
#[repr(C)]
pub struct Handler {
    pub frame: Frame,
    pub catches: *const *const ExnTag,
    pub exn: *mut c_void,
    pub env: [u64; 0],
}

/// A run of free, zeroed cells, and a list of freed ones.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bump {
    pub cur: *mut u8,
    pub limit: *mut u8,
    /// A list of freed cells to take from, and one to free to (`manual`).
    pub free: *mut u8,
    pub freed: *mut u8,
}

impl Bump {
    /// A run without cells.
    pub const EMPTY: Bump = Bump {
        cur: core::ptr::null_mut(),
        limit: core::ptr::null_mut(),
        free: core::ptr::null_mut(),
        freed: core::ptr::null_mut(),
    };
}

/// What the emitter tells about the program.
#[repr(C)]
pub struct Program {
    pub abi: u32,
    pub flags: u32,
    pub ndescs: u32,
    pub nroots: u32,
    pub roots: *const Root,
    pub signals: Option<unsafe extern "C" fn(*mut Proc)>,
    pub guard: *const Guard,
}

/// How AddressSanitizer is told which memory is free.
#[repr(C)]
pub struct Guard {
    pub poison: unsafe extern "C" fn(*const c_void, usize),
    pub unpoison: unsafe extern "C" fn(*const c_void, usize),
}

/// Flag of a program built with AddressSanitizer.
pub const PROGRAM_ASAN: u32 = 1;
/// Flag of a program that allocates nothing for the collector.
pub const PROGRAM_NO_GC: u32 = 2;

/// The user's main.
pub type UserMain = unsafe extern "C" fn(c_int, *mut *mut c_char) -> c_int;

/// Everything the runtime knows of one process.
#[repr(C)]
pub struct Proc {
    pub frames: *mut Frame,
    pub stack_base: *mut u8,
    pub stack_limit: *mut u8,
    pub program: *const Program,
    pub heap: *mut Heap,
    pub ranges: *mut RootRange,
    pub exn: *mut c_void,
    pub throw_info: *mut ThrowInfo,
    pub prof_site: *const Site,
    pub prof: *mut Hooks,
    /// Chunks of one block that wait for the next arena, and how many.
    pub spare: *mut Chunk,
    pub nspare: u64,
    pub bumps: [Bump; 0],
}

const _: () = {
    assert!(offset_of!(Handler, env) == 32);
    assert!(offset_of!(Proc, heap) == 32);
    assert!(offset_of!(Proc, bumps) == 96);
    assert!(size_of::<Desc>() == 32 && size_of::<Site>() == 24 && size_of::<Root>() == 24);
    assert!(size_of::<ExnTag>() == 24 && size_of::<Program>() == 40);
    assert!(size_of::<Bump>() == 32);
};

#[cfg(not(test))]
unsafe extern "C" {
    /// Defined by the program (TOFT_PROGRAM).
    fn toft_self_slot() -> *mut *mut c_void;
}

/// The process that runs on this thread.
#[cfg(not(test))]
#[inline]
pub fn current() -> *mut Proc {
    // SAFETY: every program defines the function; the slot is set before any other
    // entry point can be called.
    unsafe { (*toft_self_slot()).cast() }
}

#[cfg(test)]
std::thread_local! {
    /// Stands for the program's variable where there is no program: in tests.
    pub static SELF: core::cell::Cell<*mut Proc> =
        const { core::cell::Cell::new(core::ptr::null_mut()) };
}

/// The process that runs on this thread.
#[cfg(test)]
pub fn current() -> *mut Proc {
    SELF.get()
}
