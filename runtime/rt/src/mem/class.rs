//! Size classes of arrays and pointer-free memory, and the cell size of objects.
//!
//! Steps of 8 bytes up to 128, four per doubling up to 1 KiB, then the sizes that
//! divide a block with little left over.

use super::pages::BLOCK;

/// The largest cell; bigger objects get blocks of their own.
pub const SMALL_MAX: usize = 8192;

/// Number of classes.
pub const CLASSES: usize = 15 + 12 + 14;

/// Bytes of each class, ascending.
pub static SIZES: [u16; CLASSES] = sizes();

/// Class of a size in units of 8 bytes, rounded up.
static CLASS_OF: [u8; SMALL_MAX / 8 + 1] = class_of();

const fn sizes() -> [u16; CLASSES] {
    let mut out = [0; CLASSES];
    let mut n = 0;
    let mut size = 16;
    while size <= 128 {
        out[n] = size;
        n += 1;
        size += 8;
    }
    let mut base = 128;
    while base < 1024 {
        let mut k = 1;
        while k <= 4 {
            out[n] = base + base / 4 * k;
            n += 1;
            k += 1;
        }
        base *= 2;
    }
    let mut per_block = 15;
    while per_block >= 2 {
        out[n] = (BLOCK / per_block) as u16 & !7;
        n += 1;
        per_block -= 1;
    }
    assert!(n == CLASSES && out[n - 1] as usize == SMALL_MAX);
    out
}

const fn class_of() -> [u8; SMALL_MAX / 8 + 1] {
    let sizes = sizes();
    let mut out = [0; SMALL_MAX / 8 + 1];
    let mut units = 0;
    let mut class = 0;
    while units <= SMALL_MAX / 8 {
        while (sizes[class] as usize) < units * 8 {
            class += 1;
        }
        out[units] = class as u8;
        units += 1;
    }
    out
}

/// The class for `bytes` at `align`, or none if it needs blocks of its own.
#[inline]
pub fn of(bytes: u64, align: u32) -> Option<usize> {
    if bytes > SMALL_MAX as u64 {
        return None;
    }
    let mut class = usize::from(CLASS_OF[(bytes as usize).div_ceil(8)]);
    if align > 8 {
        // Cells start at multiples of their size from an aligned block.
        while class < CLASSES && !u32::from(SIZES[class]).is_multiple_of(align) {
            class += 1;
        }
        if class == CLASSES {
            return None;
        }
    }
    Some(class)
}

/// Bytes one object takes: `TOFT_CELL` of the header.
#[inline]
pub fn cell(size: u32, align: u32) -> u64 {
    if size <= 16 && align <= 16 {
        return 16;
    }
    let a = u64::from(align.max(8));
    (u64::from(size) + a - 1) & !(a - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_fit_and_waste_little() {
        for bytes in 0..=SMALL_MAX as u64 {
            let size = u64::from(SIZES[of(bytes, 1).unwrap()]);
            assert!(size >= bytes && size % 8 == 0);
            assert!(size <= bytes + bytes / 2 + 16);
        }
        assert!(of(SMALL_MAX as u64 + 1, 1).is_none());
        assert_eq!(SIZES[of(33, 64).unwrap()] % 64, 0);
        assert!(SIZES.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn cells_keep_alignment() {
        assert_eq!(cell(1, 1), 16);
        assert_eq!(cell(24, 8), 24);
        assert_eq!(cell(24, 16), 32);
        assert_eq!(cell(8, 64), 64);
    }
}
