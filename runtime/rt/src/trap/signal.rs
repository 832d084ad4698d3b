//! Signals: a stack overflow is the process's own error and is reported like an
//! uncaught exception; a fault elsewhere is a bug of the compiler and says so.

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicU8, Ordering};
use libc::{c_int, c_void};

use super::report;
use crate::os;
use crate::proc::{self, PROGRAM_ASAN, Proc};

const ALT_STACK: usize = 64 << 10;
/// A fault this far below the stack pointer, or below the stack's end, is an overflow:
/// the size of the gap the kernel keeps under a stack.
const GAP: usize = 1 << 20;

#[repr(align(16))]
struct AltStack(UnsafeCell<[u8; ALT_STACK]>);

// SAFETY: only the kernel writes to it, while a handler runs.
unsafe impl Sync for AltStack {}

static ALT: AltStack = AltStack(UnsafeCell::new([0; ALT_STACK]));

/// What is being reported: a second signal then comes from the report itself.
static STATE: AtomicU8 = AtomicU8::new(IDLE);
const IDLE: u8 = 0;
const FAULT: u8 = 1;
const OVERFLOW: u8 = 2;

/// Installs the handlers for the calling thread.
///
/// # Safety
/// `p` is the process of this thread, with its program set.
pub unsafe fn init(p: *mut Proc) {
    // SAFETY: plain system calls on static memory; a sanitizer's handlers are kept.
    unsafe {
        if (*(*p).program).flags & PROGRAM_ASAN != 0 {
            return;
        }
        let stack = libc::stack_t { ss_sp: ALT.0.get().cast(), ss_flags: 0, ss_size: ALT_STACK };
        libc::sigaltstack(&raw const stack, ptr::null_mut());
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigemptyset(&raw mut action.sa_mask);
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid structures.
    unsafe {
        let addr = (*info).si_addr() as usize;
        let memory = signal == libc::SIGSEGV || signal == libc::SIGBUS;
        let overflow = memory && overflowed(addr, stack_pointer(context));
        // ORDER: Relaxed: one thread's handler against itself.
        let before = STATE.fetch_max(if overflow { OVERFLOW } else { FAULT }, Ordering::Relaxed);
        if before == OVERFLOW {
            // A fault while reporting: give up, but with the right exit code.
            os::exit(report::EXIT_UNCAUGHT);
        }
        if overflow && before == IDLE {
            report::stack_overflow(ptr::null());
        }
        if before == IDLE {
            report::fault(match signal {
                libc::SIGFPE => b"arithmetic fault",
                libc::SIGILL => b"illegal instruction",
                _ => b"memory fault",
            });
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

unsafe fn overflowed(addr: usize, sp: usize) -> bool {
    let p = proc::current();
    if p.is_null() {
        return false;
    }
    // SAFETY: the process of this thread is valid.
    let (base, limit) = unsafe { ((*p).stack_base as usize, (*p).stack_limit as usize) };
    let near_sp = addr.wrapping_add(GAP) >= sp && addr < sp.wrapping_add(os::PAGE * 16);
    let at_end = addr >= limit.saturating_sub(GAP) && addr < limit.saturating_add(2 * GAP);
    addr < base && (near_sp || at_end) && sp <= base
}

#[cfg(target_arch = "x86_64")]
unsafe fn stack_pointer(context: *mut c_void) -> usize {
    // SAFETY: the kernel passes a ucontext.
    unsafe {
        (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn stack_pointer(context: *mut c_void) -> usize {
    // SAFETY: the kernel passes a ucontext.
    unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.sp as usize }
}
