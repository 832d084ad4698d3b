//! Which variables are followed, and how: across blocks, or inside their one block.

use crate::flow::{self, Use};
use toft_base::{BitSet, Idx, IndexVec};
use toft_mir::*;
use toft_ty::{Bounds, IntExpr, IntTy, Tables, Ty, TyKind};

/// What matters of a type here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Info {
    Int { lo: i128, hi: i128 },
    Ptr { notnull: bool, fat: bool, zeroterm: bool, known: u64 },
    Other,
}

pub fn info(tables: &Tables, ty: Ty) -> Info {
    let int = |int: IntTy| Info::Int { lo: int.min(), hi: int.max() };
    match *ty.kind() {
        TyKind::Bool => Info::Int { lo: 0, hi: 1 },
        TyKind::Int(ty) => int(ty),
        TyKind::Enum(id) => int(tables.enums[id].underlying),
        TyKind::Tag(IntExpr::Const(n)) => Info::Int { lo: n.into(), hi: n.into() },
        TyKind::Tag(_) | TyKind::SizeofT(_) => int(IntTy::ULong),
        TyKind::Ptr(ptr) => Info::Ptr {
            notnull: !ptr.nullable,
            fat: ptr.bounds == Bounds::Fat,
            zeroterm: ptr.zeroterm,
            known: match ptr.bounds {
                Bounds::Thin(IntExpr::Const(n)) => n,
                _ => 0,
            },
        },
        TyKind::Vla(_) => Info::Ptr { notnull: true, fat: true, zeroterm: false, known: 0 },
        _ => Info::Other,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Not followed.
    Memory,
    /// Every mention is in one block, the first of them an assignment.
    Inside,
    /// Part of the state between blocks.
    Slot(u32),
}

pub struct Slots {
    pub home: IndexVec<LocalId, Home>,
    pub info: IndexVec<LocalId, Info>,
    pub slots: Vec<LocalId>,
    /// Slots that each block mentions, in order: those of block `b` from `start[b]` on.
    mentioned: Vec<u32>,
    start: Vec<u32>,
    /// A row of bits for each block: slots that are read before they are assigned from its start
    /// on. Empty: not worked out.
    live: Vec<u64>,
    words: usize,
}

impl Slots {
    pub fn new(body: &Body<Built>, decls: &Decls, cfg: &flow::Cfg) -> Slots {
        let count = body.locals.len();
        let scan = Scan::of(body);
        let mut slots = Vec::with_capacity(count);
        let mut home = IndexVec::from_raw(Vec::with_capacity(count));
        let mut infos = IndexVec::from_raw(Vec::with_capacity(count));
        for (id, decl) in body.locals.iter_enumerated() {
            let kind = info(&decls.tables, decl.ty);
            infos.push(kind);
            let followed = kind != Info::Other
                && !scan.in_memory.contains(id.index())
                && !decl.quals.is_volatile;
            home.push(if !followed {
                Home::Memory
            } else if !scan.across.contains(id.index()) {
                Home::Inside
            } else {
                slots.push(id);
                Home::Slot(slots.len() as u32 - 1)
            });
        }
        let words = slots.len().div_ceil(64);
        let blocks = body.blocks.len();
        let row = |len| Vec::with_capacity(len);
        let (mentioned, mut start, live) = (row(scan.events.len()), row(blocks + 1), Vec::new());
        start.push(0);
        let mut out = Slots { home, info: infos, slots, mentioned, start, live, words };
        let mut rows = Rows { used: vec![0; words], assigned: vec![0; words] };
        // Rows of functions larger than any that people write would take too much memory.
        let keep = words * blocks <= MAX_WORDS;
        let mut assigned = Vec::with_capacity(if keep { words * blocks } else { 0 });
        for range in scan.start.windows(2) {
            rows.used.fill(0);
            rows.assigned.fill(0);
            for &(local, event) in &scan.events[range[0] as usize..range[1] as usize] {
                if let Home::Slot(slot) = out.home[local] {
                    rows.event(slot, event);
                }
            }
            for (n, (used, assigned)) in rows.used.iter().zip(&rows.assigned).enumerate() {
                let mut rest = used | assigned;
                while rest != 0 {
                    out.mentioned.push(n as u32 * 64 + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
            out.start.push(out.mentioned.len() as u32);
            if keep {
                out.live.extend(&rows.used);
                assigned.extend(&rows.assigned);
            }
        }
        if keep {
            out.spread(body, cfg, &assigned);
        }
        out
    }

    /// Slots that the block mentions, in order.
    pub fn in_block(&self, block: BlockId) -> &[u32] {
        let (from, to) = (self.start[block.index()], self.start[block.index() + 1]);
        &self.mentioned[from as usize..to as usize]
    }

    /// The slot's value at the start of the block can still be read.
    #[inline]
    pub fn is_live(&self, block: BlockId, slot: u32) -> bool {
        let at = block.index() * self.words + slot as usize / 64;
        self.live.get(at).is_none_or(|word| word >> (slot % 64) & 1 != 0)
    }

    /// From what each block reads itself to what is read from there on.
    fn spread(&mut self, body: &Body<Built>, cfg: &flow::Cfg, assigned: &[u64]) {
        let words = self.words;
        let mut after = vec![0u64; words];
        let mut changed = words > 0;
        while changed {
            changed = false;
            for &id in cfg.rpo.iter().rev() {
                let block = &body.blocks[id];
                let row = id.index() * words;
                after.fill(0);
                flow::successors(block, &mut |to| {
                    let from = to.index() * words;
                    after.iter_mut().zip(&self.live[from..]).for_each(|(a, b)| *a |= b);
                });
                after.iter_mut().zip(&assigned[row..]).for_each(|(a, gone)| *a &= !gone);
                // A handler sees the values at the start.
                if let Some(to) = block.unwind
                    && cfg.throws.contains(id.index())
                {
                    let from = to.index() * words;
                    after.iter_mut().zip(&self.live[from..]).for_each(|(a, b)| *a |= b);
                }
                for (live, after) in self.live[row..].iter_mut().zip(&after) {
                    changed |= *live | after != *live;
                    *live |= after;
                }
            }
        }
    }
}

/// Words of liveness kept for one function (16 MB).
const MAX_WORDS: usize = 1 << 21;

/// What one block does with the slots.
struct Rows {
    /// Read before the block assigns them.
    used: Vec<u64>,
    assigned: Vec<u64>,
}

impl Rows {
    fn event(&mut self, slot: u32, event: Event) {
        let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
        match event {
            Event::Read => self.used[word] |= bit & !self.assigned[word],
            Event::Assign => self.assigned[word] |= bit,
        }
    }
}

/// What happens to a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Read,
    /// It gets a value as a whole, or loses the one it had.
    Assign,
}

struct Scan {
    seen_in: Vec<u32>,
    across: BitSet,
    in_memory: BitSet,
    block: u32,
    /// All of them in order, and where those of each block start.
    events: Vec<(LocalId, Event)>,
    start: Vec<u32>,
}

impl Scan {
    fn of(body: &Body<Built>) -> Scan {
        let count = body.locals.len();
        let mut scan = Scan {
            seen_in: vec![u32::MAX; count],
            across: BitSet::empty(count),
            in_memory: BitSet::empty(count),
            block: 0,
            events: Vec::with_capacity(4 * count),
            start: vec![0],
        };
        for n in 0..body.params.min(count) {
            scan.across.insert(n);
        }
        for (id, block) in body.blocks.iter_enumerated() {
            scan.block = id.0;
            for stmt in &block.stmts {
                scan.stmt(stmt);
            }
            flow::term_uses(&block.term, &mut |place, how| scan.place(place, how));
            scan.start.push(scan.events.len() as u32);
        }
        scan
    }

    fn mention(&mut self, local: LocalId, event: Event) {
        self.events.push((local, event));
        let seen = &mut self.seen_in[local.index()];
        if *seen == u32::MAX {
            *seen = self.block;
            if event == Event::Read {
                self.across.insert(local.index());
            }
        } else if *seen != self.block {
            self.across.insert(local.index());
        }
    }

    fn place(&mut self, place: &Place, how: Use) {
        flow::index_locals(place, &mut |local| self.mention(local, Event::Read));
        let Base::Local(local) = place.base else { return };
        let whole = how == Use::Write && place.proj.is_empty();
        self.mention(local, if whole { Event::Assign } else { Event::Read });
        let direct = !place.is_indirect();
        if direct && matches!(how, Use::Address | Use::Tag) {
            self.in_memory.insert(local.index());
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        flow::stmt_uses(stmt, &mut |place, how| self.place(place, how));
        match &stmt.kind {
            StmtKind::StorageLive(local) | StmtKind::Alloca { local, .. } => {
                self.mention(*local, Event::Assign);
            }
            StmtKind::StorageDead(local) => self.events.push((*local, Event::Assign)),
            StmtKind::Catch(_, local)
            | StmtKind::RegionEnter { handle: local, .. }
            | StmtKind::BorrowEnter { local, .. } => {
                self.mention(*local, Event::Assign);
                self.in_memory.insert(local.index());
            }
            StmtKind::Swap(a, b) => {
                for place in [a, b] {
                    if let Base::Local(local) = place.base
                        && !place.is_indirect()
                    {
                        self.in_memory.insert(local.index());
                    }
                }
            }
            _ => {}
        }
    }
}
