//! The messages a dying program prints.
//!
//! ```text
//! toft: uncaught exception Array_bounds: index 10 is outside 0..9
//!   at src/main.toft:12:14 in sum
//!   backtrace:
//!     0: sum            src/main.toft:12
//!     1: main           src/main.toft:30
//! ```
//! No memory is allocated; text goes out through a small buffer. Usable in a signal
//! handler on an alternate stack.

use core::ffi::CStr;
use libc::{c_char, c_void};

use super::backtrace;
use super::elf;
use super::exn::{Detail, ThrowInfo};
use super::inline::{self, Chain};
use super::line::{self, Place};
use super::names;
use crate::os;
use crate::proc::{Exn, Site};

/// Exit code of a program that ends by an exception or a stack overflow.
pub const EXIT_UNCAUGHT: i32 = 101;
/// Frames shown of an endless recursion.
const OVERFLOW_FRAMES: usize = 12;
/// Longest text printed of an exception's payload.
const MAX_TEXT: usize = 400;

/// Collects text and writes it to standard error when full.
pub struct Out {
    buf: [u8; 1024],
    len: usize,
}

impl Out {
    fn new() -> Out {
        Out { buf: [0; 1024], len: 0 }
    }

    fn put(&mut self, text: &[u8]) -> &mut Out {
        for b in text {
            if self.len == self.buf.len() {
                self.flush();
            }
            if let Some(slot) = self.buf.get_mut(self.len) {
                *slot = *b;
            }
            self.len += 1;
        }
        self
    }

    fn digits(&mut self, mut n: u64, base: u64) -> &mut Out {
        let mut digits = [0; 20];
        let mut i = digits.len();
        loop {
            i -= 1;
            if let Some(d) = digits.get_mut(i) {
                *d = b"0123456789abcdef"[(n % base) as usize & 15];
            }
            n /= base;
            if n == 0 {
                break;
            }
        }
        self.put(digits.get(i..).unwrap_or(&[]))
    }

    fn num(&mut self, n: u64) -> &mut Out {
        self.digits(n, 10)
    }

    fn int(&mut self, n: i64) -> &mut Out {
        if n < 0 {
            self.put(b"-");
        }
        self.num(n.unsigned_abs())
    }

    /// # Safety
    /// `p` is null or zero-ended.
    unsafe fn cstr(&mut self, p: *const c_char) -> &mut Out {
        // SAFETY: passed on.
        self.put(unsafe { text(p) })
    }

    fn flush(&mut self) {
        os::write_err(self.buf.get(..self.len).unwrap_or(&[]));
        self.len = 0;
    }
}

unsafe fn text<'a>(p: *const c_char) -> &'a [u8] {
    if p.is_null() {
        return b"";
    }
    // SAFETY: the caller says it is zero-ended.
    unsafe { CStr::from_ptr(p) }.to_bytes()
}

/// Reports an exception nobody caught and ends the program.
///
/// # Safety
/// `exn` is an exception value, `info` describes its throw.
pub unsafe fn uncaught(exn: *mut c_void, info: &ThrowInfo) -> ! {
    // SAFETY: passed on.
    unsafe { print(exn, info) };
    crate::prof::finish();
    os::exit(EXIT_UNCAUGHT)
}

/// Prints the message of an uncaught exception.
///
/// # Safety
/// As for `uncaught`.
pub unsafe fn print(exn: *mut c_void, info: &ThrowInfo) {
    os::flush_stdio();
    let mut out = Out::new();
    // SAFETY: passed on; tags and sites are static.
    unsafe {
        out.put(b"toft: uncaught exception ").cstr((*(*exn.cast::<Exn>()).tag).name);
        detail(&mut out, info.detail);
        if matches!(info.detail, Detail::None) {
            payload(&mut out, exn);
        }
        out.put(b"\n");
        let pcs = info.pcs.get(..info.len).unwrap_or(&[]);
        trace(&mut out, info.site, pcs, info.more, backtrace::MAX);
    }
    out.flush();
}

fn detail(out: &mut Out, what: Detail) {
    match what {
        Detail::None => out,
        Detail::Null => out.put(b": a null pointer was used"),
        Detail::Bounds(i, 0) if i < 0 => out.put(b": index ").int(i).put(b" is before the start"),
        Detail::Bounds(_, 0) => out.put(b": the object has no elements"),
        Detail::Bounds(i, n) => out.put(b": index ").int(i).put(b" is outside 0..").num(n - 1),
        Detail::Match => out.put(b": no case matches"),
        Detail::NoValue => out.put(b": the function ended without a value"),
        Detail::Alloc => out.put(b": out of memory"),
        Detail::Region => out.put(b": the region's limit is reached"),
        Detail::Arith(0) => out.put(b": division by zero"),
        Detail::Arith(1) => out.put(b": shift count out of range"),
        Detail::Arith(2) => out.put(b": the number does not fit the integer type"),
        Detail::Arith(_) => out.put(b": integer overflow"),
    };
}

/// The first field of the exception, as its tag describes it.
unsafe fn payload(out: &mut Out, exn: *mut c_void) {
    // SAFETY: the tag tells where the field is and what.
    unsafe {
        let tag = &*(*exn.cast::<Exn>()).tag;
        let at = exn.cast::<u8>().add(tag.payload_off as usize);
        match tag.payload {
            1 => out.put(b": ").int(i64::from(at.cast::<i32>().read_unaligned())),
            2 => out.put(b": ").int(at.cast::<i64>().read_unaligned()),
            3 => {
                let p = at.cast::<*const c_char>().read_unaligned();
                let t = text(p);
                out.put(b": ").put(t.get(..MAX_TEXT).unwrap_or(t))
            }
            4 => {
                let base = at.cast::<*const u8>().read_unaligned();
                let off = at.add(8).cast::<u32>().read_unaligned();
                let len = at.add(12).cast::<u32>().read_unaligned();
                let n = (len.saturating_sub(off) as usize).min(MAX_TEXT);
                if base.is_null() || n == 0 {
                    return;
                }
                let t = core::slice::from_raw_parts(base.add(off as usize), n);
                let end = t.iter().position(|b| *b == 0).unwrap_or(n);
                out.put(b": ").put(t.get(..end).unwrap_or(t))
            }
            6 => out.put(b": ").num(u64::from(at.cast::<u32>().read_unaligned())),
            7 => out.put(b": ").num(at.cast::<u64>().read_unaligned()),
            8 => out.put(b": '").put(&[*at]).put(b"'"),
            _ => out,
        };
    }
}

/// Reports a stack overflow and ends the program.
pub fn stack_overflow(site: *const Site) -> ! {
    os::flush_stdio();
    let mut out = Out::new();
    out.put(b"toft: stack overflow\n");
    here(&mut out, site, OVERFLOW_FRAMES);
    out.flush();
    crate::prof::finish();
    os::exit(EXIT_UNCAUGHT)
}

/// Reports a fault that checked code cannot have; the caller then dies by the signal.
pub fn fault(what: &[u8]) {
    let mut out = Out::new();
    out.put(b"toft: internal error: ").put(what);
    out.put(b" in code the compiler accepted, please report\n");
    here(&mut out, core::ptr::null(), backtrace::MAX);
    out.flush();
    os::flush_stdio();
}

fn here(out: &mut Out, site: *const Site, most: usize) {
    // The first lines must reach the user even if the rest fails.
    out.flush();
    let mut pcs = [0; backtrace::MAX];
    let (n, more) = backtrace::capture(&mut pcs);
    // SAFETY: `site` is null or static.
    unsafe { trace(out, site, pcs.get(..n).unwrap_or(&[]), more, most) };
}

/// Everything known of the frames on the stack.
struct Stack {
    places: [Place; backtrace::MAX],
    symbols: [&'static [u8]; backtrace::MAX],
    chains: [Chain; backtrace::MAX],
    len: usize,
}

impl Stack {
    /// Looks the addresses up, leaving out frames of the runtime and of other libraries.
    /// The result is large and stays in its caller's place.
    fn fill(&mut self, pcs: &[usize]) {
        let image = elf::open();
        let mut wanted = [0_u64; backtrace::MAX];
        for pc in pcs {
            let i = self.len;
            let Some((p, s)) = self.places.get_mut(i).zip(self.symbols.get_mut(i)) else { break };
            p.pc = (*pc as u64).wrapping_sub(image.as_ref().map_or(0, |i| i.bias as u64));
            *s = image.as_ref().and_then(|i| i.symbol(p.pc)).unwrap_or(b"");
            let stripped = image.as_ref().is_some_and(|i| !i.has_symbols() && i.contains(p.pc));
            if stripped || !(s.is_empty() || names::hidden(s)) {
                if let Some(w) = wanted.get_mut(i) {
                    *w = p.pc;
                }
                self.len += 1;
            }
        }
        if let Some(image) = &image {
            line::find(image, self.places.get_mut(..self.len).unwrap_or(&mut []));
            let chains = self.chains.get_mut(..self.len).unwrap_or(&mut []);
            inline::find(image, wanted.get(..self.len).unwrap_or(&[]), chains);
        }
    }
}

/// Prints where it happened and the frames.
unsafe fn trace(out: &mut Out, site: *const Site, pcs: &[usize], more: bool, most: usize) {
    let mut stack = Stack {
        places: [Place::EMPTY; backtrace::MAX],
        symbols: [b""; backtrace::MAX],
        chains: [Chain::EMPTY; backtrace::MAX],
        len: 0,
    };
    stack.fill(pcs);
    // SAFETY: passed on.
    let known = unsafe { location(out, site) };
    let mut shown = Frames { out, number: 0, most, located: known };
    let all = stack.places.iter().zip(&stack.symbols).zip(&stack.chains);
    for ((p, symbol), chain) in all.take(stack.len) {
        shown.frame(p, symbol, chain);
    }
    if more || shown.number > most {
        out.put(b"    ...\n");
    }
}

/// Prints the place of the check, if it is known.
unsafe fn location(out: &mut Out, site: *const Site) -> bool {
    // SAFETY: `site` is null or static, and its texts are zero-ended.
    unsafe {
        let Some(s) = site.as_ref() else { return false };
        out.put(b"  at ").cstr(s.file).put(b":").num(u64::from(s.line));
        out.put(b":").num(u64::from(s.col)).put(b" in ").cstr(s.func).put(b"\n");
        true
    }
}

fn put_symbol(out: &mut Out, symbol: &[u8]) -> usize {
    let mut name = [0; 120];
    let n = names::demangle(symbol, &mut name);
    out.put(name.get(..n).unwrap_or(&[]));
    n
}

fn put_place(out: &mut Out, dir: &[u8], file: &[u8], line: u32) {
    if !dir.is_empty() && !file.starts_with(b"/") {
        out.put(dir).put(b"/");
    }
    out.put(file).put(b":").num(u64::from(line));
}

struct Frames<'a> {
    out: &'a mut Out,
    number: usize,
    most: usize,
    /// The line that says where it happened has been printed.
    located: bool,
}

impl Frames<'_> {
    /// Prints the functions inlined at `p`, innermost first, then the function itself.
    fn frame(&mut self, p: &Place, symbol: &[u8], chain: &Chain) {
        let mut at = *p;
        for call in chain.calls.get(..chain.len).unwrap_or(&[]).iter().rev() {
            if !names::hidden(call.name) {
                self.line(call.name, &at);
            }
            (at.dir, at.file, at.line) = (call.dir, call.file, call.line);
        }
        self.line(symbol, &at);
    }

    fn line(&mut self, symbol: &[u8], at: &Place) {
        let out = &mut *self.out;
        if self.number == 0 {
            if !self.located && at.line != 0 {
                out.put(b"  at ");
                put_place(out, at.dir, at.file, at.line);
                out.put(b" in ");
                put_symbol(out, symbol);
                out.put(b"\n");
            }
            out.put(b"  backtrace:\n");
        }
        if self.number < self.most {
            out.put(if self.number < 10 { b"    " } else { b"   " });
            out.num(self.number as u64).put(b": ");
            let mut used = put_symbol(out, symbol);
            if used == 0 {
                out.put(b"0x").digits(at.pc, 16);
                used = 14;
            }
            if at.line != 0 {
                for _ in used..14 {
                    out.put(b" ");
                }
                out.put(b" ");
                put_place(out, at.dir, at.file, at.line);
            }
            out.put(b"\n");
        }
        self.number += 1;
    }
}
