//! The program's own file: its symbols and the sections that hold line tables.
//!
//! Everything is read from the mapped file with checked accesses; a stripped or damaged
//! file only means fewer names.

use libc::{c_int, c_void};

use super::bytes::Reader;
use crate::os;

/// The running program, mapped.
pub struct Image {
    /// What the loader added to the addresses in the file.
    pub bias: usize,
    /// End of the last section that is loaded.
    end: u64,
    symtab: &'static [u8],
    strtab: &'static [u8],
    pub line: &'static [u8],
    pub line_str: &'static [u8],
    pub str: &'static [u8],
    pub info: &'static [u8],
    pub abbrev: &'static [u8],
    pub ranges: &'static [u8],
    pub rnglists: &'static [u8],
    pub addr: &'static [u8],
    pub str_offsets: &'static [u8],
}

const SYMBOL_SIZE: usize = 24;
const STT_FUNC: u8 = 2;
const SHF_COMPRESSED: u64 = 0x800;

/// Maps the program's file; none if it cannot be read.
pub fn open() -> Option<Image> {
    let (p, len) = os::map_file(b"/proc/self/exe\0");
    if p.is_null() {
        return None;
    }
    // SAFETY: the mapping is never given back.
    let file: &'static [u8] = unsafe { core::slice::from_raw_parts(p, len) };
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let mut image = Image {
        bias: bias(),
        end: 0,
        symtab: &[],
        strtab: &[],
        line: &[],
        line_str: &[],
        str: &[],
        info: &[],
        abbrev: &[],
        ranges: &[],
        rnglists: &[],
        addr: &[],
        str_offsets: &[],
    };
    let table = Reader::at(file, 40).u64() as usize;
    let size = usize::from(Reader::at(file, 58).u16());
    let count = usize::from(Reader::at(file, 60).u16());
    let names_at = usize::from(Reader::at(file, 62).u16());
    let header = |i: usize| -> usize { table.saturating_add(i.saturating_mul(size)) };
    let names = contents(file, header(names_at));
    for i in 0..count {
        let at = header(i);
        image.end = image.end.max(loaded_end(file, at));
        let name_at = Reader::at(file, at).u32() as usize;
        let name = Reader::at(names, name_at).cstr();
        let place = match name {
            b".symtab" => &mut image.symtab,
            b".strtab" => &mut image.strtab,
            b".debug_line" => &mut image.line,
            b".debug_line_str" => &mut image.line_str,
            b".debug_str" => &mut image.str,
            b".debug_info" => &mut image.info,
            b".debug_abbrev" => &mut image.abbrev,
            b".debug_ranges" => &mut image.ranges,
            b".debug_rnglists" => &mut image.rnglists,
            b".debug_addr" => &mut image.addr,
            b".debug_str_offsets" => &mut image.str_offsets,
            _ => continue,
        };
        *place = contents(file, at);
    }
    Some(image)
}

/// The bytes of the section whose header is at `at`.
fn contents(file: &'static [u8], at: usize) -> &'static [u8] {
    let mut r = Reader::at(file, at.saturating_add(8));
    let flags = r.u64();
    r.skip(8);
    let offset = r.u64() as usize;
    let len = r.u64() as usize;
    if r.bad || flags & SHF_COMPRESSED != 0 {
        return &[];
    }
    offset.checked_add(len).and_then(|end| file.get(offset..end)).unwrap_or(&[])
}

/// End of the section whose header is at `at` in memory, if it is loaded.
fn loaded_end(file: &'static [u8], at: usize) -> u64 {
    let mut r = Reader::at(file, at.saturating_add(16));
    let addr = r.u64();
    r.skip(8);
    if addr == 0 { 0 } else { addr.saturating_add(r.u64()) }
}

unsafe extern "C" fn first_object(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    out: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes its description; `out` is what `bias` gave.
    unsafe { *out.cast::<usize>() = (*info).dlpi_addr as usize };
    1
}

fn bias() -> usize {
    let mut out = 0_usize;
    // SAFETY: the callback writes one word to `out`.
    unsafe { libc::dl_iterate_phdr(Some(first_object), (&raw mut out).cast()) };
    out
}

impl Image {
    /// Whether an address (as in the file) belongs to the program itself.
    pub fn contains(&self, pc: u64) -> bool {
        pc < self.end
    }

    /// False in a stripped program.
    pub fn has_symbols(&self) -> bool {
        !self.symtab.is_empty()
    }

    /// The function symbol that covers `pc` (as in the file).
    pub fn symbol(&self, pc: u64) -> Option<&'static [u8]> {
        for entry in self.symtab.chunks_exact(SYMBOL_SIZE) {
            let mut r = Reader::new(entry);
            let name = r.u32() as usize;
            let kind = r.u8() & 15;
            r.skip(3);
            let value = r.u64();
            let size = r.u64();
            if kind == STT_FUNC && pc >= value && pc - value < size.max(1) {
                return Some(Reader::at(self.strtab, name).cstr());
            }
        }
        None
    }
}
