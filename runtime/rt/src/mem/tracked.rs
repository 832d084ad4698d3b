//! Cells for objects that the program frees itself: unique and counted ones.
//!
//! They come from the same blocks as collected objects, but freed cells are taken first,
//! and fresh memory has a budget of its own.

use core::ptr;

use super::class;
use super::heap::{Full, Heap};
use super::manual;
use super::shape::Cursor;
use crate::proc::{Bump, Desc};

impl Heap {
    /// A cell for an object that the program is to free, and whether it is zeroed.
    ///
    /// # Safety
    /// `desc` is one of the program's descriptors.
    pub unsafe fn tracked(
        &mut self,
        desc: *const Desc,
        counted: bool,
    ) -> Result<(*mut u8, bool), Full> {
        // SAFETY: as in `object`; lists of freed cells hold cells of their class.
        unsafe {
            let d = &*desc;
            let head = if counted { d.align.max(8) } else { 0 };
            let size = if counted { d.size.max(1).saturating_add(head) } else { d.size };
            let cell = class::cell(size, d.align);
            if cell > class::SMALL_MAX as u64 {
                let bytes = u64::from(size);
                return Ok((self.large(bytes, desc, head, true)?, true));
            }
            let class = d.class_id * 2 + u32::from(counted);
            let shape = self.shape_of(desc, class, cell as u32, head)?;
            let bump = self.bump(class);
            self.freed_or_next(bump, self.cursors.add(class as usize), shape)
        }
    }

    /// A freed cell, or the next of the run, or one of a new run.
    #[inline]
    unsafe fn freed_or_next(
        &mut self,
        bump: *mut Bump,
        cursor: *mut Cursor,
        shape: u32,
    ) -> Result<(*mut u8, bool), Full> {
        // SAFETY: runs and lists of `bump` hold cells of `shape`.
        unsafe {
            let s = self.shapes.get(shape);
            if let Some(p) = manual::pop(bump) {
                return Ok((p, false));
            }
            let size = (*s).cell as usize;
            if ((*bump).limit as usize).wrapping_sub((*bump).cur as usize) < size {
                // What was freed in blocks of the shape waits at its home, or, from before
                // it had one, at the shape.
                for other in [(*s).home, &raw mut (*s).bump] {
                    if let Some(p) = manual::pop(other) {
                        return Ok((p, false));
                    }
                }
                self.refill(bump, cursor, shape, true)?;
            }
            let p = (*bump).cur;
            (*bump).cur = p.add(size);
            Ok((p, true))
        }
    }

    /// Memory without pointers that the program is to free, and whether it is zeroed.
    pub fn tracked_raw(&mut self, bytes: u64, align: u32) -> Result<(*mut u8, bool), Full> {
        let Some(class) = class::of(bytes, align) else {
            return Ok((self.large(bytes, ptr::null(), 0, true)?, true));
        };
        // SAFETY: the list of a shape's home holds its cells.
        unsafe {
            if let Some(p) = manual::pop(self.raw_homes[class]) {
                return Ok((p, false));
            }
        }
        let known = self.raw[class];
        let shape = if known != 0 { known - 1 } else { self.resolve_raw(class)? };
        // SAFETY: a shape's number is valid.
        unsafe { self.at_home(shape) }
    }

    /// Memory for elements of `desc`, behind `head` other bytes, that the program is to
    /// free, and whether it is zeroed.
    ///
    /// # Safety
    /// `desc` is a valid descriptor that lives as long as the program.
    pub unsafe fn tracked_scanned(
        &mut self,
        desc: *const Desc,
        bytes: u64,
        head: u32,
    ) -> Result<(*mut u8, bool), Full> {
        // SAFETY: passed on.
        unsafe {
            let Some(class) = class::of(bytes, (*desc).align) else {
                return Ok((self.large(bytes, desc, head, true)?, true));
            };
            let cell = u32::from(class::SIZES[class]);
            let shape = self.shapes.find(cell, desc, head).ok_or(Full)?;
            self.at_home(shape)
        }
    }

    /// A cell from the shape's home, or its own run.
    unsafe fn at_home(&mut self, shape: u32) -> Result<(*mut u8, bool), Full> {
        // SAFETY: a home is a class's bump or the shape's own.
        unsafe {
            let s = self.shapes.get(shape);
            if let Some(p) = manual::pop((*s).home) {
                return Ok((p, false));
            }
            self.freed_or_next(&raw mut (*s).bump, &raw mut (*s).cursor, shape)
        }
    }
}
