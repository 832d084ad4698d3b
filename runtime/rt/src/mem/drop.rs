//! Dropping: frees an object together with what it owns.
//!
//! The compiler describes what a type owns (`Drop`). Objects wait on an explicit list, so
//! that a long list or a deep tree costs no machine stack. If there is no memory for the
//! list to grow, what does not fit is left to the collector.

use core::ptr;

use super::heap::Heap;
use super::{key, manual};
use crate::os;

/// A field that owns: its offset, TOFT_Q_U or TOFT_Q_RC, and whether it is a fat pointer.
#[repr(C)]
pub struct Field {
    pub off: u32,
    pub kind: u8,
    pub fat: u8,
    pub pad: [u8; 2],
    pub inner: *const Drop,
}

/// What an object owns: `n` fields in each element of `size` bytes.
#[repr(C)]
pub struct Drop {
    pub size: u32,
    pub n: u32,
    pub fields: *const Field,
}

const COUNTED: u8 = 2;
/// A tag, which chooses what else is there: TOFT_DROP_SWITCH.
const SWITCH: u8 = 3;
const UNIQUE_KEY: u8 = 4;
const COUNTED_KEY: u8 = 5;
/// A pointer that shares its word with a tag: TOFT_DROP_PACKED.
const PACKED: u8 = 6;

#[derive(Clone, Copy)]
struct Item {
    p: *mut u8,
    n: u64,
    glue: *const Drop,
    counted: bool,
}

const ON_STACK: usize = 32;

struct List {
    small: [Item; ON_STACK],
    big: *mut Item,
    room: usize,
    len: usize,
}

impl List {
    fn new() -> List {
        let none = Item { p: ptr::null_mut(), n: 0, glue: ptr::null(), counted: false };
        List { small: [none; ON_STACK], big: ptr::null_mut(), room: ON_STACK, len: 0 }
    }

    fn items(&mut self) -> *mut Item {
        if self.big.is_null() { self.small.as_mut_ptr() } else { self.big }
    }

    fn push(&mut self, item: Item) {
        if self.len == self.room {
            let room = (self.room * 4).max(2048);
            let big = os::map(room * size_of::<Item>()).cast::<Item>();
            if big.is_null() {
                return;
            }
            // SAFETY: the new list is longer; the old one is replaced.
            unsafe {
                ptr::copy_nonoverlapping(self.items(), big, self.len);
                self.unmap();
            }
            (self.big, self.room) = (big, room);
        }
        // SAFETY: `len` is below `room`.
        unsafe { *self.items().add(self.len) = item };
        self.len += 1;
    }

    fn pop(&mut self) -> Option<Item> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: entries below the former length are set.
        Some(unsafe { *self.items().add(self.len) })
    }

    fn unmap(&mut self) {
        if !self.big.is_null() {
            // SAFETY: a mapping of this length, no longer used.
            unsafe { os::unmap(self.big.cast(), self.room * size_of::<Item>()) };
        }
    }
}

/// Frees an array of `n` objects at `p`, and what they own.
///
/// # Safety
/// Nobody else refers to them; `glue` is null or describes them.
pub unsafe fn release(heap: &mut Heap, p: *mut u8, n: u64, glue: *const Drop, counted: bool) {
    // SAFETY: as the caller says.
    unsafe {
        if glue.is_null() {
            return manual::free(heap, p, counted);
        }
        let mut list = List::new();
        let mut item = Item { p, n, glue, counted };
        loop {
            owned(heap, &mut list, &item);
            manual::free(heap, item.p, item.counted);
            match list.pop() {
                Some(next) => item = next,
                None => break,
            }
        }
        list.unmap();
    }
}

/// Frees or lists what an object owns.
unsafe fn owned(heap: &mut Heap, list: &mut List, item: &Item) {
    // SAFETY: the glue describes the object's fields, which hold null or what they own.
    unsafe {
        let glue = &*item.glue;
        let mut at = item.p;
        for _ in 0..item.n {
            fields(heap, list, at, glue);
            at = at.add(glue.size as usize);
        }
    }
}

/// The fields of one element. A tag chooses a table for the same element: tables nest as
/// tagged unions do in the type, so the recursion is as deep as the text.
unsafe fn fields(heap: &mut Heap, list: &mut List, at: *mut u8, glue: &Drop) {
    // SAFETY: as the caller says.
    unsafe {
        for i in 0..glue.n as usize {
            let f = &*glue.fields.add(i);
            let place = at.add(f.off as usize);
            if f.kind == SWITCH {
                let tag = match f.fat {
                    4 => u64::from(*place.cast::<u32>()),
                    _ => *place.cast::<u64>(),
                };
                let table = &*f.inner;
                if tag < u64::from(table.n) {
                    let member = (*table.fields.add(tag as usize)).inner;
                    if !member.is_null() {
                        fields(heap, list, at, &*member);
                    }
                }
                continue;
            }
            if f.kind == PACKED {
                let word = *place.cast::<*mut u8>();
                let mask = (1usize << f.fat) - 1;
                let (tag, table) = (word.addr() & mask, &*f.inner);
                if tag < table.n as usize {
                    let member = &*table.fields.add(tag);
                    if member.kind != 0 {
                        pointer(heap, list, member, word.map_addr(|at| at & !mask), 1);
                    }
                }
                continue;
            }
            let n = if f.fat != 0 { u64::from(*place.add(12).cast::<u32>()) } else { 1 };
            pointer(heap, list, f, *place.cast::<*mut u8>(), n);
        }
    }
}

/// One reference less to what a field holds.
unsafe fn pointer(heap: &mut Heap, list: &mut List, f: &Field, p: *mut u8, n: u64) {
    if p.is_null() {
        return;
    }
    let counted = f.kind == COUNTED || f.kind == COUNTED_KEY;
    // SAFETY: the field owned a reference to a live object.
    unsafe {
        if counted {
            let count = p.cast::<u64>().sub(1);
            *count -= 1;
            if *count != 0 {
                return;
            }
        }
        if f.kind == UNIQUE_KEY || f.kind == COUNTED_KEY {
            key::free(heap, p.cast(), counted);
        } else if f.inner.is_null() {
            manual::free(heap, p, counted);
        } else {
            list.push(Item { p, n, glue: f.inner, counted });
        }
    }
}
