//! Figures of the heap, printed at the end of the program if `TOFT_GC_STATS=1` is in the
//! environment.

use super::heap;
use crate::os;
use crate::proc;

/// Arranges for the figures to be printed, if that is asked for.
pub fn init() {
    if os::env_bytes(b"TOFT_GC_STATS\0").is_some_and(|n| n != 0) {
        os::at_exit(print);
    }
}

/// A line of text, cut off where the room ends.
struct Line {
    text: [u8; 400],
    len: usize,
}

impl Line {
    fn put(&mut self, text: &[u8]) {
        for &c in text {
            if let Some(place) = self.text.get_mut(self.len) {
                *place = c;
                self.len += 1;
            }
        }
    }

    fn number(&mut self, mut n: u64) {
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.put(&digits[at..]);
    }
}

extern "C" fn print() {
    // SAFETY: at the end of the program its process is still there.
    let (info, aside) = unsafe {
        let p = proc::current();
        if p.is_null() || (*p).heap.is_null() {
            return;
        }
        let h: &heap::Heap = &*(*p).heap;
        (h.figures(), h.cycle.count)
    };
    let parts: [(&[u8], u64); 11] = [
        (b"toft: gc: collections ", info.collections),
        (b" (beside the program ", aside),
        (b"), pauses ", info.pause_total_ns / 1000),
        (b" us, longest ", info.pause_max_ns / 1000),
        (b" us; KiB: live ", info.live_bytes >> 10),
        (b", heap ", info.heap_bytes >> 10),
        (b", peak ", info.peak_bytes >> 10),
        (b", allocated ", info.allocated_bytes >> 10),
        (b", regions ", info.region_bytes >> 10),
        (b", peak ", info.region_peak >> 10),
        (b"; purges ", info.purges),
    ];
    os::flush_stdio();
    let mut line = Line { text: [0; 400], len: 0 };
    for (text, n) in parts {
        line.put(text);
        line.number(n);
    }
    line.put(b"\n");
    os::write_err(&line.text[..line.len]);
}
