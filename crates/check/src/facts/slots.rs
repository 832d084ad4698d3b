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
    /// Slots that each block may change, in order.
    pub in_block: Vec<Vec<u32>>,
}

impl Slots {
    pub fn new(body: &Body<Built>, decls: &Decls) -> Slots {
        let count = body.locals.len();
        let mut scan = Scan {
            seen_in: vec![u32::MAX; count],
            across: BitSet::empty(count),
            in_memory: BitSet::empty(count),
            block: 0,
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
        }
        let mut slots = Vec::new();
        let mut home = IndexVec::new();
        let mut infos = IndexVec::new();
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
        let in_block = body.blocks.iter().map(|block| mentioned(block, &home)).collect();
        Slots { home, info: infos, slots, in_block }
    }
}

fn mentioned(block: &Block, home: &IndexVec<LocalId, Home>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    let mut add = |local: LocalId| {
        if let Home::Slot(slot) = home[local]
            && out.last() != Some(&slot)
        {
            out.push(slot);
        }
    };
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::StorageLive(local)
            | StmtKind::StorageDead(local)
            | StmtKind::Alloca { local, .. } => add(*local),
            _ => {}
        }
        flow::stmt_uses(stmt, &mut |place, _| {
            if let Base::Local(local) = place.base {
                add(local);
            }
        });
    }
    flow::term_uses(&block.term, &mut |place, _| {
        if let Base::Local(local) = place.base {
            add(local);
        }
    });
    out.sort_unstable();
    out.dedup();
    out
}

struct Scan {
    seen_in: Vec<u32>,
    across: BitSet,
    in_memory: BitSet,
    block: u32,
}

impl Scan {
    fn mention(&mut self, local: LocalId, write: bool) {
        let seen = &mut self.seen_in[local.index()];
        if *seen == u32::MAX {
            *seen = self.block;
            if !write {
                self.across.insert(local.index());
            }
        } else if *seen != self.block {
            self.across.insert(local.index());
        }
    }

    fn place(&mut self, place: &Place, how: Use) {
        flow::index_locals(place, &mut |local| self.mention(local, false));
        let Base::Local(local) = place.base else { return };
        self.mention(local, how == Use::Write && place.proj.is_empty());
        let direct = !place.is_indirect();
        if direct && matches!(how, Use::Address | Use::Tag) {
            self.in_memory.insert(local.index());
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        flow::stmt_uses(stmt, &mut |place, how| self.place(place, how));
        match &stmt.kind {
            StmtKind::StorageLive(local) | StmtKind::Alloca { local, .. } => {
                self.mention(*local, true);
            }
            StmtKind::Catch(_, local)
            | StmtKind::RegionEnter { handle: local, .. }
            | StmtKind::BorrowEnter { local, .. } => {
                self.mention(*local, true);
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
