//! Source lines of code addresses, from `.debug_line` (DWARF 2 to 5, as gcc and clang
//! write it). The line programs are run once for all addresses looked for.

use super::bytes::Reader;
use super::elf::Image;

/// An address and what was found of it.
#[derive(Clone, Copy)]
pub struct Place {
    /// As in the file.
    pub pc: u64,
    pub dir: &'static [u8],
    pub file: &'static [u8],
    /// 0 = not found.
    pub line: u32,
}

impl Place {
    pub const EMPTY: Place = Place { pc: 0, dir: b"", file: b"", line: 0 };
}

/// What a unit's header says.
struct Unit {
    version: u16,
    wide: bool,
    address: usize,
    min_inst: u64,
    line_base: i64,
    line_range: u64,
    opcode_base: u8,
    /// Where the lengths of the standard opcodes stand.
    lengths: usize,
    /// Where the directories begin.
    tables: usize,
    /// Where the program begins and ends.
    program: usize,
    end: usize,
}

const LNCT_PATH: u64 = 1;
const LNCT_DIR: u64 = 2;

/// Fills in file and line of every place that the tables know.
pub fn find(image: &Image, places: &mut [Place]) {
    let data = image.line;
    let mut at = 0;
    while at < data.len() && places.iter().any(|p| p.line == 0) {
        let Some(unit) = header(data, at) else { return };
        run(image, &unit, places);
        at = unit.end;
    }
}

/// Directory and name of file number `file` of the unit at `at` in `.debug_line`.
pub fn file_name(image: &Image, at: usize, file: u64) -> (&'static [u8], &'static [u8]) {
    match header(image.line, at) {
        Some(unit) => file_of(image, &unit, file),
        None => (b"", b""),
    }
}

fn header(data: &'static [u8], at: usize) -> Option<Unit> {
    let mut r = Reader::at(data, at);
    let mut len = u64::from(r.u32());
    let wide = len == 0xffff_ffff;
    if wide {
        len = r.u64();
    }
    let end = r.at.checked_add(usize::try_from(len).ok()?)?;
    if r.bad || end > data.len() {
        return None;
    }
    let version = r.u16();
    let mut address = 8;
    if version >= 5 {
        address = usize::from(r.u8());
        r.skip(1);
    }
    let header_len = r.uint(if wide { 8 } else { 4 });
    let program = r.at.checked_add(usize::try_from(header_len).ok()?)?;
    let min_inst = u64::from(r.u8());
    if version >= 4 {
        r.skip(1);
    }
    r.skip(1);
    let line_base = i64::from(r.u8() as i8);
    let line_range = u64::from(r.u8());
    let opcode_base = r.u8();
    let lengths = r.at;
    r.skip(u64::from(opcode_base.saturating_sub(1)));
    let bad = r.bad || line_range == 0 || program > end || !(2..=5).contains(&version);
    let program = if bad { end } else { program };
    Some(Unit {
        version,
        wide,
        address,
        min_inst,
        line_base,
        line_range,
        opcode_base,
        lengths,
        tables: r.at,
        program,
        end,
    })
}

#[derive(Clone, Copy)]
struct Row {
    pc: u64,
    file: u64,
    line: i64,
}

const START: Row = Row { pc: 0, file: 1, line: 1 };

fn run(image: &Image, unit: &Unit, places: &mut [Place]) {
    let data = image.line.get(..unit.end).unwrap_or(&[]);
    let mut r = Reader::at(data, unit.program);
    let (mut row, mut last) = (START, None);
    while !r.done() {
        let op = r.u8();
        let mut emit = false;
        if op >= unit.opcode_base {
            let k = u64::from(op - unit.opcode_base);
            row.pc = row.pc.wrapping_add(k / unit.line_range * unit.min_inst);
            row.line = row.line.wrapping_add(unit.line_base + (k % unit.line_range) as i64);
            emit = true;
        } else {
            match op {
                0 => {
                    if extended(&mut r, unit, &mut row) {
                        close(image, unit, &mut last, row.pc, places);
                        (row, last) = (START, None);
                    }
                }
                1 => emit = true,
                2 => row.pc = row.pc.wrapping_add(r.uleb().wrapping_mul(unit.min_inst)),
                3 => row.line = row.line.wrapping_add(r.sleb()),
                4 => row.file = r.uleb(),
                8 => {
                    let k = u64::from(255 - unit.opcode_base) / unit.line_range;
                    row.pc = row.pc.wrapping_add(k * unit.min_inst);
                }
                9 => row.pc = row.pc.wrapping_add(u64::from(r.u16())),
                _ => {
                    let n = Reader::at(data, unit.lengths + usize::from(op) - 1).u8();
                    for _ in 0..n {
                        r.uleb();
                    }
                }
            }
        }
        if emit {
            close(image, unit, &mut last, row.pc, places);
            last = Some(row);
        }
    }
}

/// An extended opcode; true at the end of a sequence.
fn extended(r: &mut Reader, unit: &Unit, row: &mut Row) -> bool {
    let len = r.uleb();
    let start = r.at;
    let op = r.u8();
    if op == 2 {
        row.pc = r.uint(unit.address.min(8));
    }
    r.at = start;
    r.skip(len);
    op == 1
}

/// The previous row covers the addresses up to `end`.
fn close(image: &Image, unit: &Unit, last: &mut Option<Row>, end: u64, places: &mut [Place]) {
    let Some(row) = *last else { return };
    // Code dropped by the linker stays in the tables at address 0.
    if row.pc < 64 || row.line <= 0 {
        return;
    }
    for p in places {
        if p.line == 0 && p.pc >= row.pc && p.pc < end {
            p.line = row.line as u32;
            (p.dir, p.file) = file_of(image, unit, row.file);
        }
    }
}

fn file_of(image: &Image, unit: &Unit, file: u64) -> (&'static [u8], &'static [u8]) {
    let data = image.line.get(..unit.program).unwrap_or(&[]);
    let r = Reader::at(data, unit.tables);
    if unit.version >= 5 { modern(image, unit, r, file) } else { old(r, file) }
}

fn old(mut r: Reader<'static>, file: u64) -> (&'static [u8], &'static [u8]) {
    let dirs = r.at;
    while !r.done() && !r.cstr().is_empty() {}
    let mut n = 1;
    loop {
        let name = r.cstr();
        let dir = r.uleb();
        r.uleb();
        r.uleb();
        if r.bad || name.is_empty() {
            return (b"", b"");
        }
        if n == file {
            let mut d = Reader::at(r.data, dirs);
            let mut dir_name: &[u8] = b"";
            for _ in 0..dir.min(1 << 16) {
                dir_name = d.cstr();
            }
            return (dir_name, name);
        }
        n += 1;
    }
}

fn modern(
    image: &Image,
    unit: &Unit,
    mut r: Reader<'static>,
    file: u64,
) -> (&'static [u8], &'static [u8]) {
    let dirs = r;
    entry(image, unit, &mut r, u64::MAX);
    let (name, dir) = entry(image, unit, &mut r, file);
    // Directory 0 is where the compiler ran: names in it are shown as they are.
    if dir == 0 {
        return (b"", name);
    }
    let (dir_name, _) = entry(image, unit, &mut { dirs }, dir);
    (dir_name, name)
}

/// Reads a table of directories or files up to its end, or to entry `want`.
fn entry(image: &Image, unit: &Unit, r: &mut Reader<'static>, want: u64) -> (&'static [u8], u64) {
    let mut formats = [(0, 0); 8];
    let count = usize::from(r.u8());
    for i in 0..count {
        let pair = (r.uleb(), r.uleb());
        if let Some(f) = formats.get_mut(i) {
            *f = pair;
        }
    }
    let entries = r.uleb();
    for n in 0..entries {
        let (mut name, mut dir): (&[u8], u64) = (b"", 0);
        for (what, form) in formats.iter().take(count) {
            let (text, value) = field(image, unit, r, *form);
            match *what {
                LNCT_PATH => name = text,
                LNCT_DIR => dir = value,
                _ => {}
            }
        }
        if r.bad || n == want {
            return (name, dir);
        }
    }
    (b"", 0)
}

fn field(image: &Image, unit: &Unit, r: &mut Reader<'static>, form: u64) -> (&'static [u8], u64) {
    let width = if unit.wide { 8 } else { 4 };
    match form {
        0x08 => (r.cstr(), 0),
        0x1f => (Reader::at(image.line_str, r.uint(width) as usize).cstr(), 0),
        0x0e => (Reader::at(image.str, r.uint(width) as usize).cstr(), 0),
        0x0b => (b"", r.uint(1)),
        0x05 => (b"", r.uint(2)),
        0x06 => (b"", r.uint(4)),
        0x07 => (b"", r.uint(8)),
        0x0f => (b"", r.uleb()),
        0x1e => {
            r.skip(16);
            (b"", 0)
        }
        0x09 => {
            let n = r.uleb();
            r.skip(n);
            (b"", 0)
        }
        _ => {
            r.bad = true;
            (b"", 0)
        }
    }
}
