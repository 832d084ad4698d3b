//! Which variables need watching, and their parts: a bit per scalar field, one for an array,
//! union or anything too deep or too large to watch by parts.

use crate::flow::{self, Use};
use toft_base::{BitSet, Idx};
use toft_mir::*;
use toft_ty::{AdtKind, Folder, Subst, Ty, TyKind};

/// Fields of fields of fields are watched apart; what is deeper, as a whole.
const MAX_DEPTH: u32 = 3;
/// No variable gets more bits than this.
const MAX_LEAVES: usize = 64;

/// Part of a variable: bits `first..first + count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub first: usize,
    pub count: usize,
    /// The place is inside the last watched part, not all of it.
    pub inside: bool,
}

struct Node {
    first: usize,
    count: usize,
    /// Fields; empty for leaves.
    fields: Vec<Node>,
}

/// The watched variables and their bits.
pub struct Paths {
    roots: Vec<Option<Node>>,
    pub bits: usize,
    /// The variable of each bit.
    pub owner: Vec<LocalId>,
}

impl Paths {
    pub fn new(body: &Body<Built>, decls: &Decls) -> Paths {
        let watched = needs_watch(body);
        let mut paths = Paths { roots: Vec::new(), bits: 0, owner: Vec::new() };
        if watched.is_empty() {
            return paths;
        }
        paths.roots.resize_with(body.locals.len(), || None);
        for index in watched.iter() {
            let local = LocalId::from_usize(index);
            let ty = body.locals[local].ty;
            let first = paths.bits;
            let mut next = first;
            let mut node = build(decls, ty, 0, &mut next);
            if next - first > MAX_LEAVES {
                node = Node { first, count: 1, fields: Vec::new() };
                next = first + 1;
            }
            paths.bits = next;
            paths.owner.resize(next, local);
            paths.roots[index] = Some(node);
        }
        paths
    }

    /// All bits of a variable, if it is watched.
    pub fn whole(&self, local: LocalId) -> Option<Part> {
        let node = self.roots.get(local.index())?.as_ref()?;
        Some(Part { first: node.first, count: node.count, inside: false })
    }

    /// The bits of a place, up to the first pointer it goes through; and whether it goes
    /// through one.
    pub fn part(&self, place: &Place) -> Option<(Part, bool)> {
        let Base::Local(local) = place.base else { return None };
        let mut node = self.roots.get(local.index())?.as_ref()?;
        for (n, step) in place.proj.iter().enumerate() {
            match step {
                Proj::Deref(_) => {
                    return Some((
                        Part { first: node.first, count: node.count, inside: false },
                        true,
                    ));
                }
                Proj::Field(field) if !node.fields.is_empty() => {
                    node = node.fields.get(*field as usize)?;
                }
                _ => {
                    let indirect = place.proj[n..].iter().any(|s| matches!(s, Proj::Deref(_)));
                    let part = Part { first: node.first, count: node.count, inside: true };
                    return Some((part, indirect));
                }
            }
        }
        Some((Part { first: node.first, count: node.count, inside: false }, false))
    }
}

fn build(decls: &Decls, ty: Ty, depth: u32, next: &mut usize) -> Node {
    let first = *next;
    let mut fields = Vec::new();
    if depth < MAX_DEPTH && *next - first <= MAX_LEAVES {
        match *ty.kind() {
            TyKind::Tuple(list) => {
                fields = list.iter().map(|&ty| build(decls, ty, depth + 1, next)).collect();
            }
            TyKind::Adt(id, args) => {
                let def = &decls.tables.adts[id];
                if def.kind == AdtKind::Struct
                    && let Some(list) = def.fields.as_deref()
                    && list.len() <= MAX_LEAVES
                {
                    fields = list
                        .iter()
                        .map(|field| {
                            // Padding bits need no value.
                            if field.name.is_none() && field.bits.is_some() {
                                return Node { first: *next, count: 0, fields: Vec::new() };
                            }
                            build(decls, Subst(args).ty(field.ty), depth + 1, next)
                        })
                        .collect();
                }
            }
            _ => {}
        }
    }
    if fields.is_empty() {
        *next += 1;
    }
    Node { first, count: *next - first, fields }
}

/// Variables that are not plainly initialised right where they come to life. Most are, and
/// need no watching.
fn needs_watch(body: &Body<Built>) -> BitSet {
    let mut watched = BitSet::empty(body.locals.len());
    let mut pending: Vec<LocalId> = Vec::new();
    for block in body.blocks.iter() {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::StorageLive(local) => {
                    if body.locals[*local].kind == LocalKind::User {
                        pending.push(*local);
                    }
                }
                StmtKind::Alloca { local, .. } | StmtKind::RegionEnter { handle: local, .. } => {
                    pending.retain(|other| other != local);
                }
                _ if pending.is_empty() => {}
                _ => settle(stmt, &mut pending, &mut watched),
            }
        }
        for local in pending.drain(..) {
            watched.insert(local.index());
        }
    }
    watched
}

fn settle(stmt: &Stmt, pending: &mut Vec<LocalId>, watched: &mut BitSet) {
    flow::stmt_uses(stmt, &mut |place, how| {
        flow::index_locals(place, &mut |local| {
            if pending.contains(&local) {
                watched.insert(local.index());
            }
        });
        let Base::Local(local) = place.base else { return };
        if let Some(at) = pending.iter().position(|&other| other == local) {
            if how != Use::Write || !place.proj.is_empty() {
                watched.insert(local.index());
            }
            pending.swap_remove(at);
        }
    });
}
