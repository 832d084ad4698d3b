//! Return addresses of the frames on the stack, by the unwind tables.

use libc::{c_int, c_void};

/// Most frames kept.
pub const MAX: usize = 48;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        step: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        arg: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIPInfo(ctx: *mut c_void, before: *mut c_int) -> usize;
}

struct Walk<'a> {
    out: &'a mut [usize; MAX],
    len: usize,
    more: bool,
}

const CONTINUE: c_int = 0;
const STOP: c_int = 5;

unsafe extern "C" fn step(ctx: *mut c_void, arg: *mut c_void) -> c_int {
    let mut before = 0;
    // SAFETY: the unwinder passes its context and the argument given below.
    let (walk, pc) = unsafe { (&mut *arg.cast::<Walk>(), _Unwind_GetIPInfo(ctx, &raw mut before)) };
    if pc == 0 {
        return STOP;
    }
    let Some(slot) = walk.out.get_mut(walk.len) else {
        walk.more = true;
        return STOP;
    };
    // A return address may already belong to the next line, or function.
    *slot = if before != 0 { pc } else { pc - 1 };
    walk.len += 1;
    CONTINUE
}

/// Fills `out` from the innermost frame on; returns how many, and whether that was not
/// all of them.
#[inline(never)]
pub fn capture(out: &mut [usize; MAX]) -> (usize, bool) {
    let mut walk = Walk { out, len: 0, more: false };
    // SAFETY: `step` gets what it expects.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
    (walk.len, walk.more)
}
