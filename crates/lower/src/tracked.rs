//! Tracked values: read by moving, looked at in place, lent.
//!
//! A value of tracked type is moved out of its place when it is needed as a value
//! ([`Lower::own`]); where it is only looked at (dereferenced, compared, passed to a parameter
//! that does not consume it) the place itself stands in the statement that looks
//! ([`Lower::look`]), so that no temporary ever holds a second copy. Such a place is read when
//! that statement runs, after the siblings to its right: a sibling that stores into it is
//! refused, one that gives it up is found by `check`, and nothing else can change a place
//! that is not shared. The path of an assignment's target goes through its tracked pointers
//! after the right side, for the same reason.
//!
//! A nullable tracked pointer that is moved out of memory leaves null behind: memory that
//! others may see on an exceptional way out of the function holds nothing given away.

use crate::builder::Lower;
use crate::consts::null;
use crate::convert::retype;
use crate::scope::NodeKind;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::{
    Base, LocalId, Operand, Place, Proj, Region, RegionId, RegionKind, Rvalue, StmtKind,
};
use toft_tir::{Conv, Expr, ExprKind, PlaceKind};
use toft_ty::{AdtKind, Aqual, IntExpr, PtrTy, Subst, Ty, TyKind};

/// Arrays with more tracked elements are not emptied one by one.
const MAX_LEAVES: u64 = 64;

impl Lower<'_> {
    /// Whether values of the type are moved, never copied.
    pub fn is_tracked(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Ptr(ptr) if ptr.aqual == Aqual::Aliasable => false,
            TyKind::Ptr(_)
            | TyKind::Adt(..)
            | TyKind::Variant(..)
            | TyKind::Tuple(_)
            | TyKind::Array { .. }
            | TyKind::Vla(_)
            | TyKind::Param(..) => toft_ty::tracked(&self.decls.tables, &self.func.generics, ty),
            _ => false,
        }
    }

    /// The whole of a variable of ours, as a value: its last use when it is tracked.
    pub fn held(&self, local: LocalId) -> Operand {
        match self.is_tracked(self.body.locals[local].ty) {
            true => Operand::Move(Place::local(local)),
            false => Operand::Copy(Place::local(local)),
        }
    }

    /// The operand as a value: what is tracked is moved out of its place.
    pub fn own(&mut self, op: Operand, ty: Ty, span: Span) -> Operand {
        match op {
            Operand::Copy(place) if self.is_tracked(ty) => self.take_out(place, ty, span),
            op => op,
        }
    }

    fn take_out(&mut self, place: Place, ty: Ty, span: Span) -> Operand {
        let mut leaves = Vec::new();
        if place.is_indirect() {
            self.nullable_leaves(&place, ty, &mut leaves);
        }
        if leaves.is_empty() {
            return Operand::Move(place);
        }
        let temp = self.keep(Rvalue::Use(Operand::Move(place)), ty, span);
        for (leaf, ty) in leaves {
            self.assign(span, leaf, Rvalue::Use(null(ty)));
        }
        Operand::Move(Place::local(temp))
    }

    /// The tracked pointers inside a place that may be null.
    fn nullable_leaves(&self, place: &Place, ty: Ty, out: &mut Vec<(Place, Ty)>) {
        let inner = |step| place.clone().then(step);
        match *ty.kind() {
            TyKind::Ptr(ref ptr) => {
                if ptr.nullable && self.is_tracked(ty) {
                    out.push((place.clone(), ty));
                }
            }
            _ if !self.is_tracked(ty) => {}
            TyKind::Tuple(fields) => {
                for (n, &ty) in fields.iter().enumerate() {
                    self.nullable_leaves(&inner(Proj::Field(n as u32)), ty, out);
                }
            }
            TyKind::Adt(id, args) => {
                let def = &self.decls.tables.adts[id];
                if def.kind != AdtKind::Struct || !def.exists.is_empty() {
                    return;
                }
                for (n, field) in def.fields.iter().flatten().enumerate() {
                    use toft_ty::Folder;
                    let ty = Subst(args).ty(field.ty);
                    self.nullable_leaves(&inner(Proj::Field(n as u32)), ty, out);
                }
            }
            TyKind::Array { elem, len: IntExpr::Const(len), .. } if len <= MAX_LEAVES => {
                for n in 0..len {
                    let at = inner(Proj::Index(toft_mir::Index::Const(n)));
                    self.nullable_leaves(&at, elem, out);
                }
            }
            _ => {}
        }
    }

    /// The value as an operand that is only looked at, by the next statement.
    pub fn look(&mut self, e: &Expr) -> Operand {
        if e.ty.is_void() || !self.is_tracked(e.ty) {
            return self.operand(e);
        }
        match &e.kind {
            ExprKind::Conv(conv, inner)
                if self.is_tracked(inner.ty) && !self.is_bare(*conv, inner, e.ty) =>
            {
                self.lend_converted(*conv, inner, e)
            }
            _ => self.raw(e),
        }
    }

    /// The operands of one operation that only looks at them, left to right.
    pub fn look_two(&mut self, a: &Expr, b: &Expr) -> (Operand, Operand) {
        let left = self.look(a);
        let left = match self.is_tracked(a.ty) {
            true => self.address_of_tracked(left, a, b),
            false => self.shield(left, a.ty, &[b], a.span),
        };
        let right = self.look(b);
        (left, right)
    }

    /// A compared pointer that the right side may change is compared by the address it has now.
    fn address_of_tracked(&mut self, op: Operand, a: &Expr, b: &Expr) -> Operand {
        let moves = op.place().is_some_and(|place| self.any_disturbs(&[b], place));
        if moves {
            self.used_late(a.span, b.span);
        }
        op
    }

    /// A tracked operand stays where it is until its statement runs: nothing in `later` may
    /// store into it.
    pub fn stays(&mut self, op: Operand, later: &[&Expr], span: Span) -> Operand {
        let Some(place) = op.place() else { return op };
        if let Base::Local(local) = place.base
            && let Some(other) = later.iter().find(|e| crate::order::stores_into(e, local))
        {
            self.used_late(span, other.span);
        }
        op
    }

    fn used_late(&mut self, span: Span, other: Span) {
        self.sess.emit(
            Diagnostic::error(
                codes::E2008,
                "a tracked pointer is used and changed in one expression",
                span,
                "it is looked at when everything here has been evaluated",
            )
            .label(other, "this may change it before")
            .help("evaluate the second operand first, in a statement of its own"),
        );
    }

    /// A looked-at value that has to change its form: an aliasable view of it, while it is
    /// pinned by a loan. The loan lasts as long as the scope that the caller leaves.
    fn lend_converted(&mut self, conv: Conv, inner: &Expr, e: &Expr) -> Operand {
        if !self.lends {
            self.unsupported(e.span, "looking at a tracked pointer in another form here");
        }
        let region = RegionId(self.body.regions.len() as u32);
        self.body.regions.push(Region {
            name: None,
            parent: Some(RegionId(0)),
            kind: RegionKind::Alias,
            span: e.span,
        });
        let from = self.look(inner);
        let view = aliasable(inner.ty, region);
        let op = self.lend(region, from, view, e.span);
        let to = aliasable(e.ty, region);
        let value = self.convert_op(conv, op, view, to, e.span);
        self.settle(value, to, e.span)
    }

    /// Begins a loan of what the operand holds.
    fn lend(&mut self, region: RegionId, from: Operand, ty: Ty, span: Span) -> Operand {
        let from = match from {
            Operand::Copy(place) | Operand::Move(place) => place,
            constant => return retype(constant, ty),
        };
        let local = self.temp_in(ty, RegionId(0), span);
        self.emit(span, StmtKind::BorrowEnter { region, local, from });
        self.push(NodeKind::Borrow(region), true, span);
        Operand::Copy(Place::local(local))
    }

    /// A loan of the tree.
    pub fn borrow(&mut self, region: RegionId, of: &Expr, e: &Expr) -> Operand {
        let from = match &of.kind {
            // The pointer itself, not a copy of it.
            ExprKind::Load(place) => Operand::Copy(self.read_place(place)),
            _ => self.look(of),
        };
        self.lend(region, from, e.ty, e.span)
    }

    /// `let alias`: the pinned pointer, converted where the declared type differs.
    pub fn pin(&mut self, region: RegionId, local: LocalId, init: &Expr, span: Span) {
        let mut source = init;
        let mut convs = Vec::new();
        while let ExprKind::Conv(conv, inner) = &source.kind
            && self.is_tracked(inner.ty)
        {
            convs.push((*conv, source));
            source = inner;
        }
        let from = self.look(source);
        let from = match from {
            Operand::Copy(place) | Operand::Move(place) => place,
            constant => Place::local(self.keep(Rvalue::Use(constant), source.ty, source.span)),
        };
        let bare = convs.iter().all(|(conv, e)| match &e.kind {
            ExprKind::Conv(_, inner) => *conv == Conv::PtrCast && self.is_bare(*conv, inner, e.ty),
            _ => false,
        });
        if bare {
            self.live(local, true, span);
            self.emit(span, StmtKind::BorrowEnter { region, local, from });
            self.push(NodeKind::Borrow(region), true, span);
            return;
        }
        let mut from_ty = aliasable(source.ty, region);
        let temp = self.temp_in(from_ty, RegionId(0), span);
        self.emit(span, StmtKind::BorrowEnter { region, local: temp, from });
        self.push(NodeKind::Borrow(region), true, span);
        let mut op = Operand::Copy(Place::local(temp));
        for (conv, e) in convs.into_iter().rev() {
            let to = aliasable(e.ty, region);
            let value = self.convert_op(conv, op, from_ty, to, e.span);
            op = self.settle(value, to, e.span);
            from_ty = to;
        }
        self.live(local, true, span);
        self.assign(span, Place::local(local), Rvalue::Use(op));
    }

    /// The pointer that a place goes through, when it is a tracked one found in memory: the
    /// place it lies in, and its type.
    pub fn tracked_chain<'e>(&self, e: &'e Expr) -> Option<(&'e toft_tir::Place, &'static PtrTy)> {
        let outer = e.ty.as_ptr()?;
        if outer.aqual == Aqual::Aliasable {
            return None;
        }
        let mut e = e;
        loop {
            match &e.kind {
                ExprKind::Conv(conv, inner) if self.is_bare(*conv, inner, e.ty) => e = inner,
                ExprKind::Load(place) if self.is_tracked(place.ty) => {
                    let own = place.ty.as_ptr()?;
                    if own.nullable == outer.nullable {
                        return Some((place, outer));
                    }
                    let nullable = own.nullable || outer.nullable;
                    return Some((place, Ty::ptr(PtrTy { nullable, ..*outer }).as_ptr()?));
                }
                _ => return None,
            }
        }
    }

    /// Evaluates a part that is not always reached: no loan that begins there may go on.
    pub fn in_arm<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let lends = std::mem::replace(&mut self.lends, false);
        let result = f(self);
        self.lends = lends;
        result
    }

    /// Gives the value where it is not to be read out of a loan's region: the loans end after.
    pub fn ends_loans(&mut self, value: &Expr, dest: Option<(Place, bool)>) {
        let node = self.node;
        match dest {
            Some((dest, fresh)) => self.into(value, dest, fresh),
            None => self.effect(value),
        }
        self.leave(node, value.span.after());
    }

    /// Whether the guards of a match may change what it goes through.
    pub fn guards_disturb(&mut self, place: &toft_tir::Place, guards: &[&Expr]) -> bool {
        let mut place = place;
        loop {
            match &place.kind {
                PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temp(..) => return false,
                PlaceKind::Field(inner, _) | PlaceKind::ArrayIndex(inner, _) => place = inner,
                PlaceKind::Deref(e) | PlaceKind::PtrIndex(e, _) => {
                    return self.is_tracked(e.ty)
                        && !guards.iter().all(|guard| crate::order::is_still(guard));
                }
            }
        }
    }
}

/// The operand, not given up.
pub(crate) fn seen(op: &Operand) -> Operand {
    match op {
        Operand::Move(place) => Operand::Copy(place.clone()),
        op => op.clone(),
    }
}

/// The pointer type as one that may be copied, into a loan's region.
fn aliasable(ty: Ty, region: RegionId) -> Ty {
    match ty.as_ptr() {
        Some(ptr) => Ty::ptr(PtrTy {
            aqual: Aqual::Aliasable,
            region: toft_ty::Region::Local(region),
            ..*ptr
        }),
        None => ty,
    }
}
