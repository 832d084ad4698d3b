//! Left to right: operands that a later sibling could change are put aside first.
//!
//! Plain variables and constants stay as they are when nothing after them can touch them:
//! few temporaries make good C.

use crate::builder::{Lower, local_id};
use crate::visit::{self, Met};
use toft_base::{BitSet, Idx};
use toft_mir::{Base, Index, LocalId, Operand, Place, Proj, Rvalue};
use toft_tir::{Expr, ExprKind, PlaceKind, Scrutinee, StmtKind};
use toft_ty::Ty;

/// More siblings than this are taken to change everything.
const MAX_SEARCH: usize = 64;

/// What a place's value hangs on.
struct Depends {
    locals: Vec<LocalId>,
    memory: bool,
}

impl Lower<'_> {
    /// `op`, read now if evaluating `later` could change it.
    pub fn shield(
        &mut self,
        op: Operand,
        ty: Ty,
        later: &[&Expr],
        span: toft_base::Span,
    ) -> Operand {
        let needed = match op.place() {
            None => false,
            Some(place) => self.any_disturbs(later, place),
        };
        if !needed {
            return op;
        }
        let ty = self.operand_ty(&op).unwrap_or(ty);
        let temp = self.keep(Rvalue::Use(op), ty, span);
        self.held(temp)
    }

    pub fn any_disturbs(&mut self, later: &[&Expr], place: &Place) -> bool {
        if later.iter().all(|e| is_still(e)) || self.is_settled(place) {
            return false;
        }
        // Long lists are not searched again for each of their elements.
        if later.len() > MAX_SEARCH {
            return true;
        }
        let depends = self.depends(place);
        let exposed = self.exposed();
        later.iter().any(|e| disturbs(e, &depends, exposed))
    }

    /// A temporary nobody can point at keeps its value.
    pub fn is_settled(&self, place: &Place) -> bool {
        let own =
            |l: LocalId| l.index() >= self.func.locals.len() && !self.body.locals[l].address_taken;
        matches!(place.base, Base::Local(l) if own(l))
            && place.proj.iter().all(|step| match step {
                Proj::Field(_) | Proj::Variant(..) | Proj::Index(Index::Const(_)) => true,
                Proj::Index(Index::Local(l)) => own(*l),
                Proj::Deref(_) => false,
            })
    }

    fn depends(&mut self, place: &Place) -> Depends {
        let mut locals = Vec::new();
        let mut memory = place.is_indirect();
        match place.base {
            Base::Local(local) => locals.push(local),
            Base::Global(_) => memory = true,
        }
        for step in &place.proj {
            if let Proj::Deref(Index::Local(l)) | Proj::Index(Index::Local(l)) = step {
                locals.push(*l);
            }
        }
        memory |= locals.iter().any(|&local| self.is_exposed(local));
        Depends { locals, memory }
    }

    /// Whether some pointer may lead to the variable.
    fn is_exposed(&mut self, local: LocalId) -> bool {
        if local.index() >= self.func.locals.len() {
            return self.body.locals[local].address_taken;
        }
        self.exposed().contains(local.index())
    }

    fn exposed(&mut self) -> &BitSet {
        let func = self.func;
        self.exposed.get_or_insert_with(|| exposed(func))
    }

    pub fn operand_ty(&self, op: &Operand) -> Option<Ty> {
        self.body.operand_ty(self.decls, op)
    }
}

/// Expressions that change nothing, told at a glance.
pub(crate) fn is_still(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Null
        | ExprKind::Str { .. }
        | ExprKind::FuncAddr(..)
        | ExprKind::Sizeof(_)
        | ExprKind::Alignof(_)
        | ExprKind::Valueof(..) => true,
        ExprKind::Load(p) => matches!(p.kind, PlaceKind::Local(_) | PlaceKind::Global(_)),
        ExprKind::Conv(_, inner) => is_still(inner),
        _ => false,
    }
}

fn disturbs(e: &Expr, on: &Depends, exposed: &BitSet) -> bool {
    visit::expr(e, &mut |met| match met {
        Met::Expr(e) => match &e.kind {
            ExprKind::Assign(p, _)
            | ExprKind::AssignOp { place: p, .. }
            | ExprKind::IncDec { place: p, .. } => writes(p, on, exposed),
            ExprKind::Swap(a, b) => writes(a, on, exposed) || writes(b, on, exposed),
            ExprKind::Call(_) | ExprKind::VaArg(..) => on.memory,
            _ => false,
        },
        // A jump out of a statement expression and back could repeat anything.
        Met::Stmt(s) => matches!(s.kind, StmtKind::Label(..) | StmtKind::Goto(_)),
        Met::Place(_) => false,
    })
}

fn writes(place: &toft_tir::Place, on: &Depends, exposed: &BitSet) -> bool {
    match root(place) {
        // A variable that pointers lead to is memory too.
        Some(local) => on.locals.contains(&local) || on.memory && exposed.contains(local.index()),
        None => on.memory,
    }
}

/// The variable a place lies in; `None`: somewhere in memory.
fn root(place: &toft_tir::Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(local) => Some(local_id(*local)),
        PlaceKind::Field(inner, _) => root(inner),
        PlaceKind::ArrayIndex(inner, _) => match inner.ty.kind() {
            toft_ty::TyKind::Vla(_) => None,
            _ => root(inner),
        },
        _ => None,
    }
}

/// Every variable some pointer may lead to.
fn exposed(func: &toft_tir::Func) -> BitSet {
    let mut set = BitSet::empty(func.locals.len());
    let mut add = |place: &toft_tir::Place| {
        if let Some(local) = root(place) {
            set.insert(local.index());
        }
    };
    visit::block(&func.root, &mut |met| {
        match met {
            Met::Expr(Expr {
                kind: ExprKind::AddrOf(p) | ExprKind::Decay(p) | ExprKind::Row { array: p, .. },
                ..
            }) => add(p),
            Met::Stmt(s) => match &s.kind {
                StmtKind::Match(m) => match &m.scrutinee {
                    Scrutinee::Place(p) => add(p),
                    Scrutinee::Value(local, _) => {
                        set_local(&mut add, *local);
                    }
                },
                StmtKind::Pinned { init: Expr { kind: ExprKind::Load(p), .. }, .. } => add(p),
                _ => {}
            },
            _ => {}
        }
        false
    });
    set
}

fn set_local(add: &mut impl FnMut(&toft_tir::Place), local: toft_tir::LocalId) {
    add(&toft_tir::Place {
        kind: PlaceKind::Local(local),
        ty: Ty::void(),
        quals: Default::default(),
        span: toft_base::Span::NONE,
    });
}

/// Whether evaluating the expression stores into the variable itself, or swaps it.
pub(crate) fn stores_into(e: &Expr, local: LocalId) -> bool {
    visit::expr(e, &mut |met| match met {
        Met::Expr(e) => match &e.kind {
            ExprKind::Assign(p, _)
            | ExprKind::AssignOp { place: p, .. }
            | ExprKind::IncDec { place: p, .. } => root(p) == Some(local),
            ExprKind::Swap(a, b) => root(a) == Some(local) || root(b) == Some(local),
            _ => false,
        },
        // A jump out of a statement expression and back could repeat anything.
        Met::Stmt(s) => matches!(s.kind, StmtKind::Label(..) | StmtKind::Goto(_)),
        Met::Place(_) => false,
    })
}

/// Whether the expression mentions the variable at all.
pub(crate) fn mentions(e: &Expr, local: toft_tir::LocalId) -> bool {
    visit::expr(e, &mut |met| match met {
        Met::Place(p) => matches!(p.kind, PlaceKind::Local(l) if l == local),
        _ => false,
    })
}
