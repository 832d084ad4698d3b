//! What the exceptional edges mean for variables.
//!
//! A handler frame is a `setjmp`; C leaves a variable undefined that was changed since then
//! and is read after the `longjmp`, unless it is volatile. Marking it volatile would make
//! every access slow. Instead its address is shown to an empty `asm` just before the
//! `setjmp` (`TX_ESCAPE`): from there on every call, and only calls can throw, may read and
//! write it as far as the C compiler knows, so it is in memory whenever control can leave.

use toft_base::{BitSet, Idx};
use toft_mir::*;

/// Per handler frame, what has to be in memory.
#[derive(Default)]
pub struct Escapes {
    locals: Vec<Vec<LocalId>>,
    catches_all: Vec<bool>,
}

impl Escapes {
    pub fn of(&self, id: TryId) -> Vec<LocalId> {
        self.locals.get(id.index()).cloned().unwrap_or_default()
    }

    /// The handler never throws on what it caught.
    pub fn catches_all(&self, id: TryId) -> bool {
        self.catches_all.get(id.index()).copied().unwrap_or(false)
    }
}

pub fn escapes(body: &Body<Final>) -> Escapes {
    if body.tries.is_empty() {
        return Escapes::default();
    }
    let active = active_at_entry(body);
    let live = live_at_entry(body, &active);
    let changed = changed_inside(body, &active);
    let locals = (body.tries.iter_enumerated())
        .map(|(id, frame)| {
            let live = &live[frame.handler.index()];
            let wanted = |n: &LocalId| {
                let decl = &body.locals[*n];
                let plain = !decl.ty.is_void();
                let taken = decl.address_taken;
                plain
                    && (taken
                        || changed[id.index()].contains(n.index()) && live.contains(n.index()))
            };
            body.locals.ids().filter(wanted).collect()
        })
        .collect();
    let catches_all = body.tries.iter().map(|frame| !may_rethrow(body, frame.handler)).collect();
    Escapes { locals, catches_all }
}

/// The innermost frame at the start of each block; `None`: outside, or unreached.
fn active_at_entry(body: &Body<Final>) -> Vec<Option<TryId>> {
    let mut active: Vec<Option<Option<TryId>>> = vec![None; body.blocks.len()];
    let mut work = vec![(ENTRY, None)];
    while let Some((id, state)) = work.pop() {
        if active[id.index()].is_some() {
            continue;
        }
        active[id.index()] = Some(state);
        let mut now = state;
        for stmt in &body.blocks[id].stmts {
            if let StmtKind::TryPush(frame) = stmt.kind {
                work.push((body.tries[frame].handler, now));
            }
            now = after(body, now, &stmt.kind);
        }
        body.blocks[id].term.kind.successors(|to| work.push((to, now)));
    }
    active.into_iter().map(Option::flatten).collect()
}

fn after(body: &Body<Final>, now: Option<TryId>, kind: &StmtKind) -> Option<TryId> {
    match kind {
        StmtKind::TryPush(frame) => Some(*frame),
        StmtKind::TryPop(frame) => body.tries[*frame].parent,
        _ => now,
    }
}

/// Locals assigned while each frame is pushed.
fn changed_inside(body: &Body<Final>, active: &[Option<TryId>]) -> Vec<BitSet> {
    let mut changed = vec![BitSet::empty(body.locals.len()); body.tries.len()];
    for (id, block) in body.blocks.iter_enumerated() {
        let mut now = active[id.index()];
        for stmt in &block.stmts {
            now = after(body, now, &stmt.kind);
            for local in written(&stmt.kind) {
                let mut frame = now;
                while let Some(at) = frame {
                    changed[at.index()].insert(local.index());
                    frame = body.tries[at].parent;
                }
            }
        }
    }
    changed
}

/// Locals a statement stores into, wholly or in part.
fn written(kind: &StmtKind) -> Vec<LocalId> {
    let of = |place: &Place| match place.base {
        Base::Local(local) if !place.is_indirect() => Some(local),
        _ => None,
    };
    match kind {
        StmtKind::Assign(place, _) | StmtKind::SetTag(place, _) => of(place).into_iter().collect(),
        StmtKind::Call(call) => call.dest.iter().filter_map(of).collect(),
        StmtKind::Swap(a, b) => of(a).into_iter().chain(of(b)).collect(),
        StmtKind::Alloca { local, .. }
        | StmtKind::Catch(_, local)
        | StmtKind::BorrowEnter { local, .. } => vec![*local],
        StmtKind::RegionEnter { handle, .. } => vec![*handle],
        _ => Vec::new(),
    }
}

/// Locals whose value may still be read, at the start of each block.
fn live_at_entry(body: &Body<Final>, active: &[Option<TryId>]) -> Vec<BitSet> {
    let count = body.locals.len();
    let mut reads = Vec::with_capacity(body.blocks.len());
    let mut kills = Vec::with_capacity(body.blocks.len());
    let mut handlers: Vec<Vec<BlockId>> = Vec::with_capacity(body.blocks.len());
    for (id, block) in body.blocks.iter_enumerated() {
        let (mut read, mut kill) = (BitSet::empty(count), BitSet::empty(count));
        let mut to = Vec::new();
        let mut now = active[id.index()];
        to.extend(now.map(|frame| body.tries[frame].handler));
        for stmt in &block.stmts {
            now = after(body, now, &stmt.kind);
            to.extend(now.map(|frame| body.tries[frame].handler));
            let mut defs = Vec::new();
            crate::pending::walk::stmt(&stmt.kind, &mut |local, is_def| {
                if is_def {
                    defs.push(local);
                } else if !kill.contains(local.index()) {
                    read.insert(local.index());
                }
            });
            for local in defs {
                kill.insert(local.index());
            }
        }
        crate::pending::walk::term(&block.term.kind, &mut |local| {
            if !kill.contains(local.index()) {
                read.insert(local.index());
            }
        });
        to.sort_unstable();
        to.dedup();
        reads.push(read);
        kills.push(kill);
        handlers.push(to);
    }
    let mut live = reads.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for id in body.blocks.ids().rev() {
            let n = id.index();
            let mut out = BitSet::empty(count);
            body.blocks[id].term.kind.successors(|to| {
                out.union(&live[to.index()]);
            });
            out.subtract(&kills[n]);
            for &handler in &handlers[n] {
                out.union(&live[handler.index()]);
            }
            let mut own = std::mem::take(&mut live[n]);
            changed |= own.union(&out);
            live[n] = own;
        }
    }
    live
}

/// Whether control can come from the handler's start to a rethrow.
fn may_rethrow(body: &Body<Final>, handler: BlockId) -> bool {
    let mut seen = BitSet::empty(body.blocks.len());
    let mut work = vec![handler];
    while let Some(id) = work.pop() {
        if !seen.insert(id.index()) {
            continue;
        }
        let kind = &body.blocks[id].term.kind;
        if matches!(kind, TermKind::Rethrow(_)) {
            return true;
        }
        kind.successors(|to| work.push(to));
    }
    false
}
