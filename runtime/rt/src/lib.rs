//! toft-rt: the runtime that is linked into every Toft program.
//!
//! Layers, bottom up: `os` (memory, files, clock of the host), `mem` (pages and the
//! collected heap of a process), `trap` (exceptions, reports, signals), `abi` (every
//! function emitted C may call). `proc` is the state of one process, laid out as in
//! `include/toft.h`. Nothing here is global but the page pool: two processes never
//! share a heap.
//!
//! The archive is built with `panic = "abort"`, and then without std. A build that
//! unwinds (tests, editors) uses std instead, so that the crate builds everywhere.

#![cfg_attr(panic = "abort", no_std)]

pub mod abi;
pub mod abi_mem;
pub mod mem;
pub mod os;
pub mod proc;
pub mod prof;
pub mod trap;

#[cfg(panic = "abort")]
mod lang {
    /// A panic is a fault of the runtime itself: say so and die. The message is not
    /// formatted, to keep the formatter out of every program.
    #[panic_handler]
    fn panic(info: &core::panic::PanicInfo) -> ! {
        if let Some(at) = info.location() {
            crate::os::write_err(b"toft: internal error in the runtime at ");
            crate::os::write_err(at.file().as_bytes());
            crate::os::write_err(b"\n");
        }
        crate::os::abort()
    }

    /// Parts of `core` are compiled for unwinding and name this function in their
    /// tables; nothing ever calls it.
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() {}
}
