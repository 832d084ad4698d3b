//! Shapes: the kinds of cells a heap has. Two types whose cells have the same size
//! and the same pointer words share a shape, and so blocks.
//!
//! A cell is searched as an array of elements of one descriptor, as many as fit. An
//! object is an array of one; the tail of a cell is zero and harmless to search. Cells
//! up to 512 bytes have a bit mask of their pointer words instead.

use core::ptr;

use super::pages::{self, BLOCK, SCAN_DESC, SCAN_MASK, SCAN_NONE};
use crate::os;
use crate::proc::{Bump, Desc};

/// Where a run of cells came from and where the search for the next one goes on.
#[derive(Clone, Copy)]
pub struct Cursor {
    pub block: u32,
    pub next: u32,
}

impl Cursor {
    /// At no block.
    pub const NONE: Cursor = Cursor { block: pages::NONE, next: 0 };
}

/// A kind of cell.
pub struct Shape {
    pub cell: u32,
    pub recip: u32,
    pub cells: u32,
    pub scan: u8,
    pub mask: u64,
    /// Null without pointers.
    pub desc: *const Desc,
    /// Bytes in front of the object.
    pub head: u32,
    /// Blocks of this shape with free cells, linked through their entries.
    pub partial: u32,
    /// The run arrays of this shape are taken from.
    pub bump: Bump,
    pub cursor: Cursor,
    /// Whose list takes freed cells: a class's, or the shape's own.
    pub home: *mut Bump,
}

/// Most shapes a heap can have.
const MAX: u32 = 1 << 16;

/// The shapes of a heap with a hash table over them.
pub struct Shapes {
    /// Never moves: blocks point at the lists of freed cells in it.
    list: *mut Shape,
    len: u32,
    table: *mut u32,
    slots: u32,
}

impl Shapes {
    pub const EMPTY: Shapes =
        Shapes { list: ptr::null_mut(), len: 0, table: ptr::null_mut(), slots: 0 };

    /// The shape of this number.
    #[inline]
    pub fn get(&self, i: u32) -> *mut Shape {
        // SAFETY: numbers come from `find`, which keeps them below `len`.
        unsafe { self.list.add(i as usize) }
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of the shape with cells of `cell` bytes holding elements of `desc`
    /// (null: no pointers) behind `head` other bytes. None if memory for the table is
    /// exhausted.
    ///
    /// # Safety
    /// `desc` is null or a valid descriptor that lives as long as the heap.
    pub unsafe fn find(&mut self, cell: u32, desc: *const Desc, head: u32) -> Option<u32> {
        // SAFETY: passed on.
        let key = unsafe { describe(cell, desc, head) };
        if (self.len + 1) * 2 > self.slots && !self.grow() || self.len == MAX {
            return None;
        }
        let mut at = key.hash() & (self.slots - 1);
        loop {
            // SAFETY: `at` is below `slots`; the table is never full.
            let slot = unsafe { self.table.add(at as usize) };
            // SAFETY: as above; entries are numbers of shapes plus one.
            match unsafe { *slot } {
                0 => {
                    let n = self.len;
                    self.len += 1;
                    // SAFETY: the list has room for `MAX` shapes.
                    unsafe {
                        *slot = n + 1;
                        let s = self.list.add(n as usize);
                        s.write(key);
                        (*s).home = &raw mut (*s).bump;
                    }
                    return Some(n);
                }
                // SAFETY: a number in the table is a shape's.
                n if unsafe { same(&*self.get(n - 1), &key) } => return Some(n - 1),
                _ => at = (at + 1) & (self.slots - 1),
            }
        }
    }

    /// Doubles the hash table.
    fn grow(&mut self) -> bool {
        let slots = if self.slots == 0 { 1024 } else { self.slots * 2 };
        let table = os::map(slots as usize * 4).cast::<u32>();
        if self.list.is_null() {
            self.list = os::map(MAX as usize * size_of::<Shape>()).cast();
        }
        if table.is_null() || self.list.is_null() {
            return false;
        }
        for i in 0..self.len {
            // SAFETY: the new table has room for all shapes; the list has `len`.
            unsafe {
                let mut at = (*self.get(i)).hash() & (slots - 1);
                while *table.add(at as usize) != 0 {
                    at = (at + 1) & (slots - 1);
                }
                *table.add(at as usize) = i + 1;
            }
        }
        if self.slots != 0 {
            // SAFETY: the old table is replaced below.
            unsafe { os::unmap(self.table.cast(), self.slots as usize * 4) };
        }
        (self.table, self.slots) = (table, slots);
        true
    }
}

impl Shape {
    fn hash(&self) -> u32 {
        let mut h = 0xcbf2_9ce4_8422_2325_u64;
        let mut mix = |v: u64| h = (h ^ v).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
        mix(u64::from(self.cell) | u64::from(self.head) << 32);
        mix(self.mask);
        if self.scan == SCAN_DESC {
            // SAFETY: a shape's descriptor is valid.
            let d = unsafe { &*self.desc };
            mix(u64::from(d.size));
            mix(u64::from(d.nptrs));
        }
        (h >> 32) as u32
    }
}

fn same(a: &Shape, b: &Shape) -> bool {
    if a.cell != b.cell || a.head != b.head || a.scan != b.scan || a.mask != b.mask {
        return false;
    }
    if a.scan != SCAN_DESC || a.desc == b.desc {
        return true;
    }
    // SAFETY: both shapes are searched by their descriptors, which are valid.
    unsafe {
        let (x, y) = (&*a.desc, &*b.desc);
        x.size == y.size
            && x.nptrs == y.nptrs
            && (0..x.nptrs as usize).all(|i| *x.ptrs.add(i) == *y.ptrs.add(i))
    }
}

/// # Safety
/// As for `Shapes::find`.
unsafe fn describe(cell: u32, desc: *const Desc, head: u32) -> Shape {
    let mut shape = Shape {
        cell,
        recip: ((1_u64 << 32).div_ceil(u64::from(cell.max(1)))) as u32,
        cells: BLOCK as u32 / cell.max(1),
        scan: SCAN_NONE,
        mask: 0,
        desc: ptr::null(),
        head,
        partial: pages::NONE,
        bump: Bump::EMPTY,
        cursor: Cursor::NONE,
        home: ptr::null_mut(),
    };
    if desc.is_null() {
        return shape;
    }
    // SAFETY: the descriptor is valid.
    let d = unsafe { &*desc };
    if d.nptrs == 0 || d.size == 0 {
        return shape;
    }
    shape.desc = desc;
    if cell > 512 {
        shape.scan = SCAN_DESC;
        return shape;
    }
    shape.scan = SCAN_MASK;
    let mut at = head;
    while at + d.size <= cell {
        for i in 0..d.nptrs as usize {
            // SAFETY: the descriptor has `nptrs` offsets.
            let off = at + unsafe { *d.ptrs.add(i) };
            if off + 8 <= cell {
                shape.mask |= 1 << (off / 8);
            }
        }
        at += d.size;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desc(size: u32, ptrs: &'static [u32]) -> Desc {
        Desc {
            size,
            align: 8,
            nptrs: ptrs.len() as u32,
            class_id: 0,
            ptrs: ptrs.as_ptr(),
            name: ptr::null(),
        }
    }

    #[test]
    fn equal_shapes_are_shared() {
        let mut s = Shapes::EMPTY;
        let (a, b) = (desc(24, &[0, 16]), desc(24, &[0, 16]));
        let (c, big, big2) = (desc(24, &[8]), desc(1024, &[8]), desc(1024, &[8]));
        // SAFETY: the descriptors outlive the table.
        unsafe {
            let first = s.find(24, &a, 0).unwrap();
            assert_eq!(s.find(24, &b, 0), Some(first));
            assert_ne!(s.find(24, &c, 0), Some(first));
            assert_eq!((*s.get(first)).mask, 0b101);
            let counted = s.find(32, &a, 8).unwrap();
            assert_eq!((*s.get(counted)).mask, 0b1010);
            assert_eq!(s.find(1024, &big, 0), s.find(1024, &big2, 0));
            let raw = s.find(48, ptr::null(), 0).unwrap();
            assert_eq!((*s.get(raw)).scan, SCAN_NONE);
            let fats = desc(16, &[0]);
            let arr = s.find(48, &fats, 0).unwrap();
            assert_eq!((*s.get(arr)).mask, 0b01_0101);
            for cell in 1..3000 {
                let n = s.find(cell * 8, ptr::null(), 0).unwrap();
                assert_eq!((*s.get(n)).cell, cell * 8);
            }
            assert_eq!(s.find(24, &a, 0), Some(first));
        }
    }

    #[test]
    fn reciprocals_are_exact() {
        for cell in (16..=8192_u32).step_by(8) {
            // SAFETY: a null descriptor is allowed.
            let s = unsafe { describe(cell, ptr::null(), 0) };
            for off in 0..BLOCK as u32 {
                assert_eq!((u64::from(off) * u64::from(s.recip)) >> 32, u64::from(off / cell));
            }
        }
    }
}
