//! The host: memory, output, clock, environment. The only module that makes system
//! calls for the others; everything here is infallible or returns a plain failure.

use core::ptr;
use libc::{c_char, c_int, c_void};

/// Size of a memory page assumed by the layers above (a multiple of the real one
/// everywhere it matters: 16 KiB blocks).
pub const PAGE: usize = 4096;

/// Reserves address space without memory behind it; null if there is none.
pub fn reserve(len: usize) -> *mut u8 {
    map_with(len, libc::PROT_NONE)
}

/// Zeroed memory that is only paid for where it is touched; null if there is none.
pub fn map(len: usize) -> *mut u8 {
    map_with(len, libc::PROT_READ | libc::PROT_WRITE)
}

fn map_with(len: usize, prot: c_int) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh anonymous mapping touches no existing memory.
    let p = unsafe { libc::mmap(ptr::null_mut(), len, prot, flags, -1, 0) };
    if p == libc::MAP_FAILED { ptr::null_mut() } else { p.cast() }
}

/// Zeroed memory that a copy of the process shares; null if there is none.
pub fn map_shared(len: usize) -> *mut u8 {
    let (prot, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh anonymous mapping touches no existing memory.
    let p = unsafe { libc::mmap(ptr::null_mut(), len, prot, flags, -1, 0) };
    if p == libc::MAP_FAILED { ptr::null_mut() } else { p.cast() }
}

/// Copies the process: 0 in the copy, its number in the original, negative if it fails.
/// Nobody is told when the copy ends, and nobody waits for it by accident.
///
/// # Safety
/// The copy touches memory only, and leaves by `exit`.
pub unsafe fn copy_process() -> c_int {
    // SAFETY: no flags, the stack is copied too.
    unsafe { libc::syscall(libc::SYS_clone, 0_usize, 0_usize, 0_usize, 0_usize, 0_usize) as c_int }
}

/// Forgets a copy that ended; with `wait`, after it has.
pub fn wait_process(child: c_int, wait: bool) {
    // The flag of children that end without a signal.
    const CLONED: c_int = 1 << 31;
    let flags = CLONED | if wait { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: no status is asked for.
        let got = unsafe { libc::waitpid(child, ptr::null_mut(), flags) };
        // SAFETY: always sound.
        if got >= 0 || unsafe { *libc::__errno_location() } != libc::EINTR {
            return;
        }
    }
}

/// Gives a mapping back.
///
/// # Safety
/// `p..p+len` was returned by `map` or `reserve` and is no longer used.
pub unsafe fn unmap(p: *mut u8, len: usize) {
    // SAFETY: the caller gives up the mapping.
    unsafe { libc::munmap(p.cast(), len) };
}

/// Makes reserved pages usable.
///
/// # Safety
/// `p..p+len` lies in a range returned by `reserve`.
pub unsafe fn commit(p: *mut u8, len: usize) -> bool {
    // SAFETY: the range is ours.
    unsafe { libc::mprotect(p.cast(), len, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

/// Gives the memory behind usable pages back; they read as zero afterwards.
///
/// # Safety
/// `p..p+len` is committed and holds nothing of value.
pub unsafe fn decommit(p: *mut u8, len: usize) {
    // SAFETY: the range is ours and its contents are garbage.
    unsafe { libc::madvise(p.cast(), len, libc::MADV_DONTNEED) };
}

/// Writes all of `bytes` to standard error, as far as it takes them.
pub fn write_err(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: `rest` is a valid slice.
        let n = unsafe { libc::write(2, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 && n <= rest.len() => rest = &rest[n..],
            _ => return,
        }
    }
}

/// Writes out what the C library still buffers, so that output precedes messages.
pub fn flush_stdio() {
    // SAFETY: a null stream means all of them.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Ends the program at once.
pub fn exit(code: i32) -> ! {
    // SAFETY: always sound.
    unsafe { libc::_exit(code) }
}

/// Dies by SIGABRT.
pub fn abort() -> ! {
    // SAFETY: always sound.
    unsafe { libc::abort() }
}

/// Runs `f` when the program ends.
pub fn at_exit(f: extern "C" fn()) {
    // SAFETY: a plain function. Without room for it nothing is run.
    unsafe { libc::atexit(f) };
}

/// Monotonic time in nanoseconds.
pub fn now_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Processor time of this thread in nanoseconds.
pub fn cpu_ns() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock(which: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place.
    unsafe { libc::clock_gettime(which, &raw mut t) };
    (t.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(t.tv_nsec as u64)
}

/// Bytes the stack of the main thread may grow to.
pub fn stack_limit() -> usize {
    let mut r = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `r` is a valid place.
    let ok = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut r) } == 0;
    if ok && r.rlim_cur != libc::RLIM_INFINITY { r.rlim_cur as usize } else { 1 << 30 }
}

/// An environment variable as a number of bytes, with an optional suffix K, M or G.
/// `name` ends in a zero byte.
pub fn env_bytes(name: &[u8]) -> Option<u64> {
    debug_assert!(name.last() == Some(&0));
    // SAFETY: `name` is zero-ended.
    let p = unsafe { libc::getenv(name.as_ptr().cast::<c_char>()) };
    if p.is_null() {
        return None;
    }
    // SAFETY: getenv returns a zero-ended string; reading stops at the end.
    unsafe { parse_bytes(p.cast()) }
}

/// # Safety
/// `p` is zero-ended.
unsafe fn parse_bytes(mut p: *const u8) -> Option<u64> {
    let mut n: u64 = 0;
    let mut digits = 0;
    loop {
        // SAFETY: every byte before was not the terminator.
        let c = unsafe { *p };
        let shift = match c {
            b'0'..=b'9' => {
                n = n.checked_mul(10)?.checked_add(u64::from(c - b'0'))?;
                digits += 1;
                // SAFETY: `c` is not the terminator.
                p = unsafe { p.add(1) };
                continue;
            }
            b'k' | b'K' => 10,
            b'm' | b'M' => 20,
            b'g' | b'G' => 30,
            0 => 0,
            _ => return None,
        };
        return if digits == 0 { None } else { n.checked_mul(1 << shift) };
    }
}

/// A file mapped read-only. Null and 0 if it cannot be.
pub fn map_file(path: &[u8]) -> (*const u8, usize) {
    debug_assert!(path.last() == Some(&0));
    // SAFETY: `path` is zero-ended; the descriptor is closed before returning.
    unsafe {
        let fd = libc::open(path.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return (ptr::null(), 0);
        }
        let len = libc::lseek(fd, 0, libc::SEEK_END);
        let mut p = libc::MAP_FAILED;
        if len > 0 {
            let len = len as usize;
            p = libc::mmap(ptr::null_mut(), len, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0);
        }
        libc::close(fd);
        if p == libc::MAP_FAILED { (ptr::null(), 0) } else { (p.cast_const().cast(), len as usize) }
    }
}

/// Small memory that is never given back; null if there is none.
pub fn malloc(len: usize) -> *mut c_void {
    // SAFETY: always sound.
    unsafe { libc::calloc(1, len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        let parse = |s: &[u8]| {
            // SAFETY: every string below is zero-ended.
            unsafe { parse_bytes(s.as_ptr()) }
        };
        assert_eq!(parse(b"123\0"), Some(123));
        assert_eq!(parse(b"4M\0"), Some(4 << 20));
        assert_eq!(parse(b"2g\0"), Some(2 << 30));
        assert_eq!(parse(b"x\0"), None);
        assert_eq!(parse(b"\0"), None);
        assert_eq!(parse(b"99999999999999999999999\0"), None);
    }
}
