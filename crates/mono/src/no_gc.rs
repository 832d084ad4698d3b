//! `--no-gc`: nothing in the program may be left to the collector.
//!
//! In: all instances. Out: E2013 for each aliasable allocation in the heap, with the calls
//! that lead there. A handle may stand for the heap wherever its handle is passed on; then
//! aliasable allocations through handles count too.

use crate::Work;
use toft_base::Span;
use toft_diag::{Diagnostic, Reported, codes};
use toft_mir::{Body, Concrete, Operand, Place, Rvalue, StmtKind, visit};
use toft_ty::{Aqual, Ty, TyKind};

/// Where something is done: instance and place.
type Site = (usize, Span);

#[derive(Default)]
struct Found {
    /// Aliasable objects in the heap.
    heap: Vec<Site>,
    /// Aliasable objects in whatever region a handle stands for.
    by_handle: Vec<Site>,
    /// The heap's handle as a value.
    handle: Vec<Site>,
}

impl Work<'_> {
    pub(crate) fn no_gc(&mut self) -> Result<(), Reported> {
        let mut found = Found::default();
        for (n, (_, body)) in self.list.iter().enumerate() {
            if let Some(body) = body {
                search(n, body, &mut found);
            }
        }
        for &site in &found.heap {
            self.left(site, "an object that only the collector would free", None);
        }
        if let (Some(&(_, at)), false) = (found.handle.first(), found.by_handle.is_empty()) {
            let what = "an object that only the collector would free, when the region is the heap";
            for &site in &found.by_handle {
                self.left(site, what, Some(at));
            }
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn left(&mut self, (instance, span): Site, what: &str, handle: Option<Span>) {
        let path = self.chain.path(instance);
        let names: Vec<String> =
            path.iter().map(|&(func, _)| format!("`{}`", self.decls.funcs[func].name)).collect();
        let mut diagnostic = Diagnostic::error(
            codes::E2013,
            format!("{what}, in a build without it"),
            span,
            "allocated as `\\A` here",
        );
        if let Some(at) = handle {
            diagnostic = diagnostic.label(at, "the heap's handle is passed on here");
        }
        // In a library the user's own call is what can be changed.
        let user = |span: Span| {
            !span.is_none() && self.sess.map.borrow().kind_of(span) == toft_base::FileKind::User
        };
        if !user(span)
            && let Some(&(_, call)) = path.iter().rev().find(|(_, call)| user(*call))
        {
            diagnostic = diagnostic.label(call, "reached from here");
        }
        diagnostic = diagnostic
            .note(format!("the calls that lead there: {}", names.join(" -> ")))
            .help("make it `\\U` or `\\RC`, or put it in an arena; or build with the collector");
        self.fail(diagnostic);
    }
}

fn search(n: usize, body: &Body<Concrete>, found: &mut Found) {
    // Handles of the function's own arenas never stand for the heap.
    let mut own = Vec::new();
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        if let StmtKind::RegionEnter { handle, .. } = stmt.kind {
            own.push(handle);
        }
    }
    let is_own = |op: &Operand| {
        op.place().and_then(Place::as_local).is_some_and(|local| own.contains(&local))
    };
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        if let StmtKind::Assign(_, Rvalue::Alloc { region, qual, .. }) = &stmt.kind
            && !is_tracked(body, qual.as_ref())
            && !region.as_ref().is_some_and(is_own)
        {
            let list = if region.is_some() { &mut found.by_handle } else { &mut found.heap };
            list.push((n, stmt.span));
        }
        visit::stmt_visit(&stmt.kind, &mut |what| {
            if let visit::Visit::Operand(Operand::Const(c)) = what
                && matches!(c.ty.kind(), TyKind::RegionHandle(_))
            {
                found.handle.push((n, stmt.span));
            }
        });
    }
}

/// Unique or counted, for sure.
fn is_tracked(body: &Body<Concrete>, qual: Option<&Operand>) -> bool {
    let ty = match qual {
        Some(Operand::Const(c)) => Some(c.ty),
        Some(op) => op.place().and_then(Place::as_local).map(|local| body.locals[local].ty),
        None => None,
    };
    let is = |ty: Ty| matches!(ty.kind(), TyKind::AqualHandle(Aqual::Unique | Aqual::Counted));
    ty.is_some_and(is)
}
