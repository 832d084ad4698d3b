//! Where marking starts: registers, the stack of the process, its declared roots.

use super::mark::Marker;
use super::region::{self, Scope};
use crate::proc::{Proc, Root};

/// Marks from all roots of `proc`.
///
/// # Safety
/// `proc` runs on this thread and calls this on its own stack.
#[inline(never)]
pub unsafe fn scan(marker: &mut Marker, proc: *mut Proc) {
    let mut saved = [0_usize; 12];
    // SAFETY: the array has room for the registers.
    unsafe { save_registers(&mut saved) };
    // SAFETY: the stack from here to its base is readable and aligned; roots are valid by
    // the emitter's promise. `saved` lies on the stack below every caller's frame.
    unsafe {
        stack(marker, saved.as_ptr() as usize, (*proc).stack_base as usize);
        let program = &*(*proc).program;
        for i in 0..program.nroots as usize {
            root(marker, &*program.roots.add(i));
        }
        let mut range = (*proc).ranges;
        while !range.is_null() {
            root(marker, &(*range).root);
            range = (*range).next;
        }
        // Regions of scopes are found by their entries in the chain of handlers.
        let mut frame = (*proc).frames;
        while !frame.is_null() {
            let is_scope = (*frame).cleanup.is_some_and(|f| {
                f as usize == crate::abi_mem::toft_scope_cleanup as *const () as usize
            });
            if is_scope {
                let scope = frame.cast::<Scope>();
                region::scan(marker, &raw mut (*scope).region);
                marker.drain();
            }
            frame = (*frame).prev;
        }
        marker.word((*proc).exn as usize);
        marker.drain();
    }
}

unsafe fn root(marker: &mut Marker, r: &Root) {
    // SAFETY: the emitter describes its globals truthfully.
    unsafe { marker.elements(r.addr as usize, &*r.desc, r.count) };
    // SAFETY: see `scan`.
    unsafe { marker.drain() };
}

/// Every aligned word from `low` up to `base` may be a pointer.
unsafe fn stack(marker: &mut Marker, low: usize, base: usize) {
    let mut at = low & !7;
    while at + 8 <= base {
        // SAFETY: the caller says the range is readable. Volatile, since other frames'
        // memory is read behind the compiler's back.
        unsafe { marker.word((at as *const usize).read_volatile()) };
        at += 8;
    }
    // SAFETY: see `scan`.
    unsafe { marker.drain() };
}

/// Stores the registers a callee preserves: those a caller may keep pointers in.
#[inline(always)]
unsafe fn save_registers(out: &mut [usize; 12]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: stores into the array only.
    unsafe {
        core::arch::asm!(
            "mov [{0}], rbx", "mov [{0} + 8], rbp", "mov [{0} + 16], r12",
            "mov [{0} + 24], r13", "mov [{0} + 32], r14", "mov [{0} + 40], r15",
            in(reg) out.as_mut_ptr(), options(nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: stores into the array only.
    unsafe {
        core::arch::asm!(
            "stp x19, x20, [{0}]", "stp x21, x22, [{0}, 16]", "stp x23, x24, [{0}, 32]",
            "stp x25, x26, [{0}, 48]", "stp x27, x28, [{0}, 64]", "str x29, [{0}, 80]",
            in(reg) out.as_mut_ptr(), options(nostack, preserves_flags)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    compile_error!("the collector has to be taught the registers of this machine");
}
