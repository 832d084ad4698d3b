//! Reading numbers out of a mapped file without ever leaving it.

/// A place in a byte string. Reads past the end give 0 and set `bad`.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub data: &'a [u8],
    pub at: usize,
    pub bad: bool,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Reader<'a> {
        Reader { data, at: 0, bad: false }
    }

    pub fn at(data: &'a [u8], at: usize) -> Reader<'a> {
        Reader { data, at, bad: false }
    }

    pub fn done(&self) -> bool {
        self.bad || self.at >= self.data.len()
    }

    /// A little-endian number of `n` bytes, at most 8.
    pub fn uint(&mut self, n: usize) -> u64 {
        let mut v = 0;
        for i in 0..n {
            v |= u64::from(self.u8()) << ((8 * i as u32) & 63);
        }
        v
    }

    #[inline]
    pub fn u8(&mut self) -> u8 {
        match self.data.get(self.at) {
            Some(b) => {
                self.at += 1;
                *b
            }
            None => {
                self.bad = true;
                0
            }
        }
    }

    pub fn u16(&mut self) -> u16 {
        self.uint(2) as u16
    }

    pub fn u32(&mut self) -> u32 {
        self.uint(4) as u32
    }

    pub fn u64(&mut self) -> u64 {
        self.uint(8)
    }

    pub fn uleb(&mut self) -> u64 {
        let (mut v, mut shift) = (0_u64, 0);
        loop {
            let b = self.u8();
            if shift < 64 {
                v |= u64::from(b & 0x7f) << shift;
            }
            shift += 7;
            if b & 0x80 == 0 {
                return v;
            }
        }
    }

    pub fn sleb(&mut self) -> i64 {
        let (mut v, mut shift) = (0_i64, 0);
        loop {
            let b = self.u8();
            if shift < 64 {
                v |= i64::from(b & 0x7f) << shift;
            }
            shift += 7;
            if b & 0x80 == 0 {
                if shift < 64 && b & 0x40 != 0 {
                    v |= -1 << shift;
                }
                return v;
            }
        }
    }

    pub fn skip(&mut self, n: u64) {
        match usize::try_from(n).ok().and_then(|n| self.at.checked_add(n)) {
            Some(at) if at <= self.data.len() => self.at = at,
            _ => self.bad = true,
        }
    }

    /// A zero-ended string, without its end.
    pub fn cstr(&mut self) -> &'a [u8] {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        let n = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        self.at += n + 1;
        rest.get(..n).unwrap_or(&[])
    }
}
