//! Sweeping: after marking, sorts the blocks of a heap by what is left in them.
//!
//! Nothing is written to the objects. Empty blocks go back to the pool; blocks with room
//! are listed with their shape, whose allocation then finds the free cells in the mark
//! bits. The cost is a few nanoseconds per block.

use super::heap::Heap;
use super::pages::{self, BLOCK, KIND_LARGE, SCAN_NONE};

/// Blocks with less room than one cell in this many count as full.
const WORTH: u32 = 32;

/// Sorts all blocks of `heap`.
pub fn sweep(heap: &mut Heap) {
    let mut live = 0_u64;
    let mut raw = 0_u64;
    let mut kept = 0;
    let metas = pages::with(|p| p.metas);
    for i in 0..heap.owned_len {
        // SAFETY: the list names blocks of this heap, whose entries describe them.
        unsafe {
            let block = *heap.owned.add(i);
            let m = &mut *metas.add(block as usize);
            let large = m.kind == KIND_LARGE;
            let words = if large { 1 } else { m.cells.div_ceil(64) as usize };
            let used: u32 = m.marks[..words].iter().map(|w| w.count_ones()).sum();
            m.live = used;
            if used == 0 {
                let n = if large { m.bytes.div_ceil(BLOCK as u64).max(1) as usize } else { 1 };
                heap.info.heap_bytes -= (n * BLOCK) as u64;
                pages::with(|p| p.give(block, n));
                continue;
            }
            *heap.owned.add(kept) = block;
            kept += 1;
            if large {
                m.shape = (kept - 1) as u32;
                live += m.bytes;
                if m.scan == SCAN_NONE {
                    raw += m.bytes;
                }
                continue;
            }
            m.flags = 0;
            live += u64::from(used) * u64::from(m.cell);
            if m.scan == SCAN_NONE {
                raw += u64::from(used) * u64::from(m.cell);
            }
            let free = m.cells - used;
            if free > 0 && free * WORTH >= m.cells {
                let s = heap.shapes.get(m.shape);
                m.next = (*s).partial;
                (*s).partial = block;
            }
        }
    }
    heap.owned_len = kept;
    heap.info.live_bytes = live;
    heap.live_raw = raw;
}
