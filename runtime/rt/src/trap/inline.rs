//! Functions inlined at a code address, from `.debug_info` (DWARF 4 and 5).
//!
//! Only two kinds of entries matter: functions and inlined calls whose code covers the
//! address. They come outermost first in the section, so that one pass without a tree
//! finds the chain of every address looked for.

use super::bytes::Reader;
use super::elf::Image;
use super::line;

/// An inlined call: what was inlined, and where the call stood.
#[derive(Clone, Copy)]
pub struct Call {
    pub name: &'static [u8],
    pub dir: &'static [u8],
    pub file: &'static [u8],
    pub line: u32,
}

/// Deepest chain kept.
pub const DEPTH: usize = 6;

/// The calls inlined at one address, outermost first.
#[derive(Clone, Copy)]
pub struct Chain {
    pub calls: [Call; DEPTH],
    pub len: usize,
}

impl Chain {
    pub const EMPTY: Chain =
        Chain { calls: [Call { name: b"", dir: b"", file: b"", line: 0 }; DEPTH], len: 0 };
}

const TAG_INLINED: u64 = 0x1d;
const AT_NAME: u64 = 0x03;
const AT_STMT_LIST: u64 = 0x10;
const AT_LOW: u64 = 0x11;
const AT_HIGH: u64 = 0x12;
const AT_ORIGIN: u64 = 0x31;
const AT_SPECIFICATION: u64 = 0x47;
const AT_RANGES: u64 = 0x55;
const AT_CALL_FILE: u64 = 0x58;
const AT_CALL_LINE: u64 = 0x59;
const AT_STR_OFFSETS_BASE: u64 = 0x72;
const AT_ADDR_BASE: u64 = 0x73;
const AT_RNGLISTS_BASE: u64 = 0x74;

/// Codes of abbreviations that are found without a search.
const DIRECT: usize = 256;

/// A value as it stands in the section, with its form.
type Value = Option<(u64, u64)>;

/// A compilation unit.
struct Unit {
    start: usize,
    first: usize,
    end: usize,
    version: u16,
    abbrev: usize,
    direct: [u32; DIRECT],
    base: u64,
    line: usize,
    addr_base: u64,
    str_base: u64,
    rng_base: u64,
}

/// The attributes of one entry that are of interest.
#[derive(Clone, Copy, Default)]
struct Entry {
    tag: u64,
    name: Value,
    low: Value,
    high: Value,
    ranges: Value,
    origin: Value,
    call_file: u64,
    call_line: u64,
    line: u64,
    str_base: u64,
    addr_base: u64,
    rng_base: u64,
}

/// Fills in the chains of the addresses `pcs` (as in the file).
pub fn find(image: &Image, pcs: &[u64], chains: &mut [Chain]) {
    let mut at = 0;
    while at < image.info.len() {
        let Some(mut unit) = header(image, at) else { return };
        at = unit.end;
        if (4..=5).contains(&unit.version) {
            scan(image, &mut unit, pcs, chains);
        }
    }
}

fn header(image: &Image, at: usize) -> Option<Unit> {
    let mut r = Reader::at(image.info, at);
    let len = r.u32();
    if len >= 0xffff_fff0 {
        return None;
    }
    let end = r.at.checked_add(len as usize).filter(|e| *e <= image.info.len())?;
    let version = r.u16();
    let mut abbrev = 0;
    if version >= 5 {
        r.skip(2);
        abbrev = r.u32() as usize;
    } else {
        abbrev += r.u32() as usize;
        r.skip(1);
    }
    let mut unit = Unit {
        start: at,
        first: r.at,
        end,
        version,
        abbrev,
        direct: [0; DIRECT],
        base: 0,
        line: usize::MAX,
        addr_base: 0,
        str_base: 0,
        rng_base: 0,
    };
    index(image, &mut unit);
    if r.bad { None } else { Some(unit) }
}

/// Notes where the first abbreviations stand.
fn index(image: &Image, unit: &mut Unit) {
    let mut r = Reader::at(image.abbrev, unit.abbrev);
    while !r.done() {
        let at = r.at;
        let code = r.uleb();
        if code == 0 {
            return;
        }
        if let Some(slot) = unit.direct.get_mut(code as usize) {
            *slot = at as u32;
        }
        r.uleb();
        r.skip(1);
        while !r.done() {
            let (name, form) = (r.uleb(), r.uleb());
            if form == 0x21 {
                r.sleb();
            }
            if name == 0 && form == 0 {
                break;
            }
        }
    }
}

/// The abbreviation of this code, after the code.
fn abbreviation(image: &Image, unit: &Unit, code: u64) -> Option<Reader<'static>> {
    let known = unit.direct.get(code as usize).copied().unwrap_or(0) as usize;
    let mut r = Reader::at(image.abbrev, if known != 0 { known } else { unit.abbrev });
    while !r.done() {
        match r.uleb() {
            0 => return None,
            c if c == code => return Some(r),
            _ => {}
        }
        r.uleb();
        r.skip(1);
        while !r.done() {
            let (name, form) = (r.uleb(), r.uleb());
            if form == 0x21 {
                r.sleb();
            }
            if name == 0 && form == 0 {
                break;
            }
        }
    }
    None
}

fn scan(image: &Image, unit: &mut Unit, pcs: &[u64], chains: &mut [Chain]) {
    let data = image.info.get(..unit.end).unwrap_or(&[]);
    let mut r = Reader::at(data, unit.first);
    let mut first = true;
    while !r.done() {
        let Some(e) = entry(image, unit, &mut r) else { continue };
        if first {
            first = false;
            unit.line = e.line as usize;
            (unit.addr_base, unit.str_base, unit.rng_base) = (e.addr_base, e.str_base, e.rng_base);
            unit.base = address(image, unit, e.low).unwrap_or(0);
            let located = e.ranges.is_some() || e.high.is_some();
            if located && !pcs.iter().any(|pc| covers(image, unit, &e, *pc)) {
                return;
            }
        } else if e.tag == TAG_INLINED {
            for (pc, chain) in pcs.iter().zip(chains.iter_mut()) {
                if chain.len < DEPTH && covers(image, unit, &e, *pc) {
                    note(image, unit, &e, chain);
                }
            }
        }
    }
}

fn note(image: &Image, unit: &Unit, e: &Entry, chain: &mut Chain) {
    let (dir, file) = line::file_name(image, unit.line, e.call_file);
    let name = name_of(image, unit, e, 0);
    if let Some(slot) = chain.calls.get_mut(chain.len) {
        *slot = Call { name, dir, file, line: e.call_line as u32 };
        chain.len += 1;
    }
}

/// The name of an entry, or of the one it stands for.
fn name_of(image: &Image, unit: &Unit, e: &Entry, depth: u32) -> &'static [u8] {
    if let Some((form, v)) = e.name {
        return match form {
            0x08 => Reader::at(image.info, v as usize).cstr(),
            0x0e => Reader::at(image.str, v as usize).cstr(),
            0x1f => Reader::at(image.line_str, v as usize).cstr(),
            _ => {
                let at = unit.str_base.wrapping_add(v.wrapping_mul(4));
                let off = Reader::at(image.str_offsets, at as usize).u32();
                Reader::at(image.str, off as usize).cstr()
            }
        };
    }
    let Some((form, v)) = e.origin.filter(|_| depth < 4) else { return b"" };
    let at = if form == 0x10 { v } else { v.wrapping_add(unit.start as u64) };
    // Entries of other units have other abbreviations: leave those without a name.
    if at < unit.first as u64 || at >= unit.end as u64 {
        return b"";
    }
    match entry(image, unit, &mut Reader::at(image.info, at as usize)) {
        Some(origin) => name_of(image, unit, &origin, depth + 1),
        None => b"",
    }
}

/// Reads an entry; none for the end of a list of children.
fn entry(image: &Image, unit: &Unit, r: &mut Reader<'static>) -> Option<Entry> {
    let code = r.uleb();
    if code == 0 {
        return None;
    }
    let Some(mut a) = abbreviation(image, unit, code) else {
        r.bad = true;
        return None;
    };
    let mut e = Entry { tag: a.uleb(), ..Entry::default() };
    a.skip(1);
    while !a.done() {
        let (name, form) = (a.uleb(), a.uleb());
        if name == 0 && form == 0 {
            break;
        }
        let v = if form == 0x21 { (form, a.sleb() as u64) } else { value(unit, r, form) };
        match name {
            AT_NAME => e.name = Some(v),
            AT_STMT_LIST => e.line = v.1,
            AT_LOW => e.low = Some(v),
            AT_HIGH => e.high = Some(v),
            AT_RANGES => e.ranges = Some(v),
            AT_ORIGIN | AT_SPECIFICATION => e.origin = Some(v),
            AT_CALL_FILE => e.call_file = v.1,
            AT_CALL_LINE => e.call_line = v.1,
            AT_STR_OFFSETS_BASE => e.str_base = v.1,
            AT_ADDR_BASE => e.addr_base = v.1,
            AT_RNGLISTS_BASE => e.rng_base = v.1,
            _ => {}
        }
    }
    Some(e)
}

/// Reads a value; of strings in place, where they stand.
fn value(unit: &Unit, r: &mut Reader, form: u64) -> (u64, u64) {
    let v = match form {
        0x0b | 0x0c | 0x11 | 0x25 | 0x29 => r.uint(1),
        0x05 | 0x12 | 0x26 | 0x2a => r.uint(2),
        0x27 | 0x2b => r.uint(3),
        0x06 | 0x13 | 0x28 | 0x2c | 0x0e | 0x1f | 0x17 | 0x10 | 0x1c | 0x1d => r.uint(4),
        0x01 | 0x07 | 0x14 | 0x20 | 0x24 => r.uint(8),
        0x0d => r.sleb() as u64,
        0x0f | 0x15 | 0x1a | 0x1b | 0x22 | 0x23 => r.uleb(),
        0x19 => 1,
        0x1e => skipped(r, 16),
        0x08 => {
            let at = r.at;
            r.cstr();
            at as u64
        }
        0x03 => {
            let n = r.uint(2);
            skipped(r, n)
        }
        0x04 => {
            let n = r.uint(4);
            skipped(r, n)
        }
        0x0a => {
            let n = r.uint(1);
            skipped(r, n)
        }
        0x09 | 0x18 => {
            let n = r.uleb();
            skipped(r, n)
        }
        0x16 => {
            let form = r.uleb();
            return if form == 0x16 { skip_all(unit, r) } else { value(unit, r, form) };
        }
        _ => return skip_all(unit, r),
    };
    (form, v)
}

fn skipped(r: &mut Reader, n: u64) -> u64 {
    r.skip(n);
    0
}

/// An unknown form: the rest of the unit cannot be read.
fn skip_all(unit: &Unit, r: &mut Reader) -> (u64, u64) {
    r.at = unit.end;
    r.bad = true;
    (0, 0)
}

fn nth_address(image: &Image, unit: &Unit, n: u64) -> u64 {
    let at = unit.addr_base.wrapping_add(n.wrapping_mul(8));
    Reader::at(image.addr, at as usize).u64()
}

fn address(image: &Image, unit: &Unit, v: Value) -> Option<u64> {
    v.map(|(form, v)| match form {
        0x1b | 0x29..=0x2c => nth_address(image, unit, v),
        _ => v,
    })
}

fn covers(image: &Image, unit: &Unit, e: &Entry, pc: u64) -> bool {
    if let Some((form, v)) = e.ranges {
        return if unit.version >= 5 {
            in_rnglist(image, unit, form, v, pc)
        } else {
            in_ranges(image, unit, v, pc)
        };
    }
    let (Some(low), Some((form, high))) = (address(image, unit, e.low), e.high) else {
        return false;
    };
    let high = match form {
        0x01 | 0x1b | 0x29..=0x2c => address(image, unit, e.high).unwrap_or(0),
        _ => low.wrapping_add(high),
    };
    pc >= low && pc < high
}

fn in_ranges(image: &Image, unit: &Unit, at: u64, pc: u64) -> bool {
    let mut r = Reader::at(image.ranges, at as usize);
    let mut base = unit.base;
    while !r.done() {
        let (a, b) = (r.u64(), r.u64());
        if a == 0 && b == 0 {
            break;
        }
        if a == u64::MAX {
            base = b;
        } else if pc >= base.wrapping_add(a) && pc < base.wrapping_add(b) {
            return true;
        }
    }
    false
}

fn in_rnglist(image: &Image, unit: &Unit, form: u64, v: u64, pc: u64) -> bool {
    let mut at = v;
    if form == 0x23 {
        let slot = unit.rng_base.wrapping_add(v.wrapping_mul(4));
        at = unit.rng_base.wrapping_add(Reader::at(image.rnglists, slot as usize).uint(4));
    }
    let mut r = Reader::at(image.rnglists, at as usize);
    let mut base = unit.base;
    while !r.done() {
        let (low, high) = match r.u8() {
            1 => {
                base = nth_address(image, unit, r.uleb());
                continue;
            }
            2 => (nth_address(image, unit, r.uleb()), nth_address(image, unit, r.uleb())),
            3 => {
                let low = nth_address(image, unit, r.uleb());
                (low, low.wrapping_add(r.uleb()))
            }
            4 => (base.wrapping_add(r.uleb()), base.wrapping_add(r.uleb())),
            5 => {
                base = r.u64();
                continue;
            }
            6 => (r.u64(), r.u64()),
            7 => {
                let low = r.u64();
                (low, low.wrapping_add(r.uleb()))
            }
            _ => return false,
        };
        if pc >= low && pc < high {
            return true;
        }
    }
    false
}
