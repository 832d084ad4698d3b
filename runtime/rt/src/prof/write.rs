//! Writes the profile as lines of fields with tabs between them, for `toft profile` to read:
//! `profile VERSION`, `total …`, then a `row`, `death`, `sample` or `gc` a line, and `end`.

use core::ffi::CStr;
use libc::{c_char, c_int};

use super::record::Profile;
use crate::proc::Site;

/// A file that is being written.
pub struct Out {
    path: *const c_char,
    fd: c_int,
    len: usize,
    buf: [u8; 4096],
}

impl Out {
    pub fn new(path: *const c_char) -> Out {
        Out { path, fd: -1, len: 0, buf: [0; 4096] }
    }

    fn open(&mut self) -> bool {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
        // SAFETY: the path is zero-ended.
        self.fd = unsafe { libc::open(self.path, flags, 0o600 as libc::mode_t as c_int) };
        self.fd >= 0
    }

    fn flush(&mut self) {
        let mut from = 0;
        while from < self.len {
            let rest = &self.buf[from..self.len];
            // SAFETY: `rest` is a valid slice.
            let n = unsafe { libc::write(self.fd, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(n) {
                Ok(n) if n > 0 => from += n,
                _ => break,
            }
        }
        self.len = 0;
    }

    fn byte(&mut self, c: u8) {
        if self.len == self.buf.len() {
            self.flush();
        }
        self.buf[self.len] = c;
        self.len += 1;
    }

    fn word(&mut self, text: &[u8]) {
        text.iter().for_each(|&c| self.byte(c));
    }

    /// A field; what would end it becomes a blank.
    fn text(&mut self, text: &[u8]) {
        self.byte(b'\t');
        text.iter().for_each(|&c| self.byte(if c < b' ' { b' ' } else { c }));
    }

    fn number(&mut self, n: u64) {
        self.byte(b'\t');
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        let mut n = n;
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.word(&digits[at..]);
    }

    fn numbers(&mut self, list: &[u64]) {
        list.iter().for_each(|&n| self.number(n));
    }

    unsafe fn string(&mut self, p: *const c_char) {
        // SAFETY: null or zero-ended and static.
        self.text(if p.is_null() { b"" } else { unsafe { CStr::from_ptr(p) }.to_bytes() });
    }

    /// File, line, column, function.
    fn site(&mut self, site: *const Site) {
        if site.is_null() {
            return self.word(b"\t\t0\t0\t");
        }
        // SAFETY: sites are static.
        unsafe {
            self.string((*site).file);
            self.number(u64::from((*site).line));
            self.number(u64::from((*site).col));
            self.string((*site).func);
        }
    }
}

/// Writes all of it.
pub fn all(profile: &mut Profile) {
    let out = &mut profile.out;
    if !out.open() {
        return;
    }
    out.word(b"profile\t1\ntotal");
    out.numbers(&[u64::from(profile.failed), profile.count, profile.clock, profile.peak]);
    out.byte(b'\n');
    for row in profile.rows.all() {
        out.word(b"row");
        out.site(row.site);
        // SAFETY: descriptors are static.
        unsafe {
            let name = if row.desc.is_null() { core::ptr::null() } else { (*row.desc).name };
            out.string(name);
        }
        out.number(u64::from(row.class));
        out.numbers(&[row.count, row.bytes, row.live, row.live_bytes, row.peak_bytes]);
        let ages = row.live.wrapping_mul(profile.clock).wrapping_sub(row.births);
        out.numbers(&[row.life_sum, row.life_max, ages, row.gcs]);
        row.lives.iter().for_each(|&n| out.number(u64::from(n)));
        out.byte(b'\n');
    }
    for death in profile.deaths.all() {
        out.word(b"death");
        out.numbers(&[u64::from(death.row), u64::from(death.how), death.count]);
        out.site(death.site);
        out.byte(b'\n');
    }
    for sample in profile.samples.all() {
        out.word(b"sample");
        out.numbers(&[sample.ns, sample.clock, sample.heap, sample.regions]);
        out.numbers(&sample.live);
        out.byte(b'\n');
    }
    for pause in profile.pauses.all() {
        out.word(b"gc");
        out.numbers(&[pause.ns, pause.clock, pause.pause_ns, pause.live]);
        out.byte(b'\n');
    }
    out.word(b"end\n");
    out.flush();
    // SAFETY: the file is ours.
    unsafe { libc::close(out.fd) };
}
