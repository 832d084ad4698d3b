//! Definite assignment (E0701), and which variables are zero-filled.
//!
//! Soundness: the state is the set of parts that *may* be uninitialised: everything watched
//! at the entry and at each `StorageLive`; joins unite; only a whole assignment of a part
//! removes it. Along an exceptional edge flows the state before each throwing statement, so
//! an assignment that throws assigns nothing. A part is read only when it is not in the set,
//! or when its variable is zero-filled where it comes to life, and then zero is a value of
//! its type. Parameters, caught exceptions and temporaries have values by construction.
//!
//! Zero-filling replaces an error only where C programs rely on memory rather than on
//! assignments: arrays and unions filled by parts, variables passed by address before they
//! have a value, structs copied with some fields set.

mod paths;

use crate::Cx;
use crate::explain::init as explain;
use crate::flow::{self, Use};
use paths::{Part, Paths};
use toft_base::{BitSet, Idx, Span};
use toft_diag::Reported;
use toft_mir::*;
use toft_ty::{AdtKind, Folder, Subst, Ty, TyKind};

pub fn judge(cx: &Cx<'_>, zero_fill: &mut BitSet) -> Result<(), Reported> {
    let paths = Paths::new(cx.body, cx.decls);
    if paths.bits == 0 {
        return Ok(());
    }
    let mut states: Vec<Option<BitSet>> = vec![None; cx.body.blocks.len()];
    solve(cx, &paths, &mut states);
    let mut judge = Judge {
        cx,
        paths: &paths,
        by_address: BitSet::empty(cx.body.locals.len()),
        zero_fill,
        found: Vec::new(),
    };
    for &id in &cx.cfg.rpo {
        let Some(mut state) = states[id.index()].take() else { continue };
        let block = &cx.body.blocks[id];
        for (n, stmt) in block.stmts.iter().enumerate() {
            let next = block.stmts.get(n + 1);
            step(&paths, &mut state, stmt, next, &mut |event| judge.event(event));
        }
        let span = block.term.span;
        flow::term_uses(&block.term, &mut |place, how| {
            touch(&paths, &mut state, place, how, false, span, &mut |event| judge.event(event));
        });
    }
    judge.report()
}

/// Least fixed point: for each reachable block the parts that may be uninitialised there.
fn solve(cx: &Cx<'_>, paths: &Paths, states: &mut [Option<BitSet>]) {
    let rpo = &cx.cfg.rpo;
    let mut dirty = BitSet::empty(rpo.len());
    states[ENTRY.index()] = Some(BitSet::full(paths.bits));
    dirty.insert(0);
    // Sweeps in order until nothing changes; few, as each only adds to the states.
    while !dirty.is_empty() {
        for (n, &id) in rpo.iter().enumerate() {
            if !dirty.contains(n) {
                continue;
            }
            dirty.remove(n);
            let Some(mut state) = states[id.index()].clone() else { continue };
            let block = &cx.body.blocks[id];
            let unwind = block.unwind.filter(|_| cx.cfg.throws.contains(id.index()));
            let mut flow_to = |to: BlockId, state: &BitSet| {
                let changed = match &mut states[to.index()] {
                    Some(old) => old.union(state),
                    none => {
                        *none = Some(state.clone());
                        true
                    }
                };
                if changed && cx.cfg.is_reachable(to) {
                    dirty.insert(cx.cfg.order[to.index()] as usize);
                }
            };
            for (n, stmt) in block.stmts.iter().enumerate() {
                if let Some(handler) = unwind
                    && flow::stmt_throws(stmt, cx.decls)
                {
                    flow_to(handler, &state);
                }
                step(paths, &mut state, stmt, block.stmts.get(n + 1), &mut |_| {});
            }
            if let Some(handler) = unwind
                && matches!(
                    block.term.kind,
                    TermKind::Throw(_) | TermKind::Rethrow(_) | TermKind::Trap(_)
                )
            {
                flow_to(handler, &state);
            }
            flow::successors(block, &mut |to| flow_to(to, &state));
        }
    }
}

/// A part touched while it may be uninitialised.
#[derive(Clone, Copy)]
struct Event {
    part: Part,
    what: What,
    /// Every bit of the part may be uninitialised.
    all: bool,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A value is read.
    Read,
    /// Memory is handed out or filled by parts: zeros will do.
    Address,
    /// An element of an array or a member of a union is read or written.
    Inside,
}

/// Applies a statement to the state.
fn step(
    paths: &Paths,
    state: &mut BitSet,
    stmt: &Stmt,
    next: Option<&Stmt>,
    event: &mut dyn FnMut(Event),
) {
    match &stmt.kind {
        StmtKind::StorageLive(local) => {
            if let Some(part) = paths.whole(*local) {
                set(state, part);
            }
        }
        StmtKind::Alloca { local, .. }
        | StmtKind::Catch(_, local)
        | StmtKind::RegionEnter { handle: local, .. }
        | StmtKind::BorrowEnter { local, .. } => {
            flow::stmt_uses(stmt, &mut |place, how| {
                touch(paths, state, place, how, false, stmt.span, event);
            });
            if let Some(part) = paths.whole(*local) {
                reset(state, part);
            }
        }
        StmtKind::SetTag(union, member) => {
            // The store of the whole member follows, most often: then nothing of the rest
            // can be read.
            let whole = matches!(next.map(|next| &next.kind), Some(StmtKind::Assign(place, _))
                if place.base == union.base
                    && place.proj.len() == union.proj.len() + 1
                    && place.proj.starts_with(&union.proj)
                    && place.proj.last() == Some(&Proj::Field(*member)));
            touch(paths, state, union, Use::Tag, whole, stmt.span, event);
        }
        _ => flow::stmt_uses(stmt, &mut |place, how| {
            touch(paths, state, place, how, false, stmt.span, event);
        }),
    }
}

fn touch(
    paths: &Paths,
    state: &mut BitSet,
    place: &Place,
    how: Use,
    whole_follows: bool,
    span: Span,
    event: &mut dyn FnMut(Event),
) {
    let mut read_index = |local: LocalId| {
        if let Some(part) = paths.whole(local)
            && any(state, part)
        {
            event(Event { part, what: What::Read, all: true, span });
        }
    };
    if !place.proj.is_empty() {
        flow::index_locals(place, &mut read_index);
    }
    let Some((part, indirect)) = paths.part(place) else { return };
    let how = if indirect { Use::Read } else { how };
    if how == Use::Write && !part.inside || how == Use::Tag && whole_follows && !part.inside {
        reset(state, part);
        return;
    }
    if !any(state, part) {
        return;
    }
    let what = match how {
        _ if part.inside => What::Inside,
        Use::Read => What::Read,
        Use::Write | Use::Tag => What::Inside,
        Use::Address => What::Address,
    };
    event(Event { part, what, all: all(state, part), span });
    // Zero-filled, or reported: either way it has a value from here on.
    reset(state, part);
}

fn set(state: &mut BitSet, part: Part) {
    for bit in part.first..part.first + part.count {
        state.insert(bit);
    }
}

fn reset(state: &mut BitSet, part: Part) {
    for bit in part.first..part.first + part.count {
        state.remove(bit);
    }
}

fn any(state: &BitSet, part: Part) -> bool {
    (part.first..part.first + part.count).any(|bit| state.contains(bit))
}

fn all(state: &BitSet, part: Part) -> bool {
    (part.first..part.first + part.count).all(|bit| state.contains(bit))
}

struct Judge<'a, 'b> {
    cx: &'a Cx<'a>,
    paths: &'a Paths,
    /// Variables whose address is taken before they have a value: zero from the start.
    by_address: BitSet,
    zero_fill: &'b mut BitSet,
    found: Vec<(LocalId, Event)>,
}

impl Judge<'_, '_> {
    fn event(&mut self, event: Event) {
        let Some(&local) = self.paths.owner.get(event.part.first) else { return };
        let decl = &self.cx.body.locals[local];
        let whole = self.paths.whole(local);
        let is_array = matches!(decl.ty.kind(), TyKind::Array { .. });
        // A whole array, or a struct with some fields set, may be copied.
        let partly = event.what == What::Read && (is_array || event.part.count > 1 && !event.all);
        if event.what == What::Read && !partly {
            self.found.push((local, event));
        } else if self.starts_as_zero(decl) {
            self.zero_fill.insert(local.index());
            if event.what == What::Address || is_array || partly && whole == Some(event.part) {
                self.by_address.insert(local.index());
            }
        } else {
            self.found.push((local, event));
        }
    }

    /// Zero is a value of the variable.
    fn starts_as_zero(&self, decl: &LocalDecl) -> bool {
        zeroable(self.cx.decls, decl.ty) && self.cx.decls.tables.zero_fits(decl.quals)
    }

    /// One report per variable, at the first place in the text.
    fn report(mut self) -> Result<(), Reported> {
        let mut verdict = Ok(());
        let mut said = std::mem::take(&mut self.by_address);
        self.found.sort_by_key(|(local, event)| (event.span, *local));
        for (local, event) in std::mem::take(&mut self.found) {
            if said.insert(local.index()) {
                let fill =
                    !self.starts_as_zero(&self.cx.body.locals[local]) && event.what != What::Read;
                let field = field_path(self.cx, self.paths, local, event.part);
                let assigned = first_assignment(self.cx, self.paths, event.part);
                let text = explain::Uninit { local, span: event.span, fill, field, assigned };
                verdict = Err(self.cx.sess.emit(explain::uninitialised(self.cx, &text)));
            }
        }
        verdict
    }
}

/// `.x.y`, when the part is one field of the variable.
fn field_path(cx: &Cx<'_>, paths: &Paths, local: LocalId, part: Part) -> Option<String> {
    if paths.whole(local)?.count == part.count {
        return None;
    }
    let mut text = String::new();
    let mut place = Place::local(local);
    let mut ty = cx.body.locals[local].ty;
    'down: loop {
        let fields: Vec<(String, Ty)> = match *ty.kind() {
            TyKind::Tuple(list) => {
                list.iter().enumerate().map(|(n, &ty)| (n.to_string(), ty)).collect()
            }
            TyKind::Adt(id, args) => {
                let fields = cx.decls.tables.adts[id].fields.as_deref()?;
                let name =
                    |name: Option<toft_base::Symbol>| name.map_or(String::new(), |n| n.to_string());
                fields.iter().map(|f| (name(f.name), Subst(args).ty(f.ty))).collect()
            }
            _ => return None,
        };
        for (n, (name, field_ty)) in fields.into_iter().enumerate() {
            let inner = place.clone().then(Proj::Field(n as u32));
            let (found, _) = paths.part(&inner)?;
            if found.first <= part.first && part.first + part.count <= found.first + found.count {
                if !name.is_empty() {
                    text.push('.');
                    text.push_str(&name);
                }
                if found.first == part.first && found.count == part.count {
                    return Some(text);
                }
                place = inner;
                ty = field_ty;
                continue 'down;
            }
        }
        return None;
    }
}

/// Where the part is assigned at all, in the order of the blocks.
fn first_assignment(cx: &Cx<'_>, paths: &Paths, part: Part) -> Option<Span> {
    let mut found = None;
    for &id in &cx.cfg.rpo {
        for stmt in &cx.body.blocks[id].stmts {
            flow::stmt_uses(stmt, &mut |place, how| {
                if how == Use::Write
                    && found.is_none()
                    && let Some((other, false)) = paths.part(place)
                    && other.first <= part.first
                    && part.first < other.first + other.count
                {
                    found = Some(stmt.span);
                }
            });
        }
    }
    found
}

const MAX_NESTING: u32 = 64;

/// All-zero bytes are a value of the type.
fn zeroable(decls: &Decls, ty: Ty) -> bool {
    zeroable_at(decls, ty, 0)
}

fn zeroable_at(decls: &Decls, ty: Ty, depth: u32) -> bool {
    if depth > MAX_NESTING {
        return false;
    }
    match *ty.kind() {
        TyKind::Bool | TyKind::Int(_) | TyKind::Float(_) | TyKind::Enum(_) | TyKind::VaList => true,
        TyKind::Ptr(ptr) => ptr.nullable,
        TyKind::Array { elem, .. } => zeroable_at(decls, elem, depth + 1),
        TyKind::Tuple(fields) => fields.iter().all(|&ty| zeroable_at(decls, ty, depth + 1)),
        TyKind::Adt(id, args) => {
            let def = &decls.tables.adts[id];
            // A tagged union of zeros holds its first member.
            let tagged = matches!(def.kind, AdtKind::TaggedUnion | AdtKind::PackedUnion);
            let count = if tagged { 1 } else { usize::MAX };
            let Some(fields) = def.fields.as_deref() else { return false };
            def.exists.is_empty()
                && fields.iter().take(count).all(|field| {
                    decls.tables.zero_fits(field.quals)
                        && zeroable_at(decls, Subst(args).ty(field.ty), depth + 1)
                })
        }
        // Opaque host types are plain memory; the rest has no zero.
        TyKind::Opaque { .. } => true,
        _ => false,
    }
}
