//! Tracked pointers: who may take them, and where they are lent.
//!
//! In: typed operands whose pointer is not `\A`, where an aliasable one is needed. Out: a
//! [`ExprKind::Borrow`] with a region of its own, and the [`ExprKind::BorrowEnd`] that closes
//! it. Needs: the stack of loans in `Fx`. Keeps: why each loan was made, for messages.
//! Invariants: each loan is closed by the innermost call around it whose result cannot point
//! into it, or by the condition, arm or full expression around, in reverse order; whatever
//! that leaves as its value mentions no region of the loan, since all its regions must outlive
//! the block around. So when the owner may be used again, no pointer of the loan can be
//! reached: those that were stored went to places whose types name the region, and every place
//! that lives on has a type all of whose regions outlive its block.

use crate::convert::{conv, mk};
use crate::cx::Fx;
use crate::region::{Origin, What};
use toft_base::Span;
use toft_diag::{Code, Diagnostic, codes};
use toft_hir::{RegionDecl, RegionKind};
use toft_tir::{Conv, Expr, ExprKind, Place, PlaceKind};
use toft_ty::{Aqual, Flags, Folder, PtrTy, Region, RegionId, Ty, aqual_tracked};

/// Why a tracked pointer was lent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// An argument for an aliasable parameter.
    Arg,
    /// The address of something inside the object.
    Inside,
    /// Arithmetic on the pointer.
    Arith,
}

/// A pointer lent without a `let alias`.
#[derive(Clone, Copy, Debug)]
pub struct Loan {
    pub region: RegionId,
    pub why: Why,
    pub span: Span,
}

impl<'a> Fx<'a> {
    /// Whether pointers of this aliasability are copied freely. One that nothing decided yet
    /// is `\A` from here on: what is built on the answer must stay true.
    pub fn aliasable(&mut self, aqual: Aqual) -> bool {
        match self.aqual(aqual) {
            Aqual::Infer(n) => {
                self.vars.aquals[n as usize] = Some(Aqual::Aliasable);
                true
            }
            known => !aqual_tracked(&self.generics, known),
        }
    }

    /// Whether a value of `ty` is a tracked pointer.
    pub fn is_tracked_ptr(&mut self, ty: Ty) -> bool {
        match self.shallow(ty).as_ptr() {
            Some(ptr) => ptr.aqual != Aqual::Aliasable && !self.aliasable(ptr.aqual),
            None => false,
        }
    }

    /// Whether values of `ty` are moved, as far as the type is known.
    pub fn tracked(&self, ty: Ty) -> bool {
        toft_ty::tracked(&self.prog.tables, &self.generics, self.deep(ty))
    }

    /// The tracked pointer `e` as an aliasable one, until the loan is closed.
    pub fn lend(&mut self, e: Expr, why: Why) -> Expr {
        let Some(&ptr) = self.shallow(e.ty).as_ptr() else { return e };
        let span = e.span;
        self.need_live(ptr.region, span, What::Other);
        let decl =
            RegionDecl { name: None, parent: Some(self.here), kind: RegionKind::Alias, span };
        let region = self.regions.push(decl);
        self.open.push(region);
        self.need_live(ptr.region, span, What::Borrow);
        self.loans.push(Loan { region, why, span });
        let ty = Ty::ptr(PtrTy { region: Region::Local(region), aqual: Aqual::Aliasable, ..ptr });
        mk(ExprKind::Borrow { region, of: Box::new(e) }, ty, span)
    }

    /// `e`, lent if it is a tracked pointer.
    pub fn lent(&mut self, e: Expr, why: Why) -> Expr {
        if self.is_tracked_ptr(e.ty) { self.lend(e, why) } else { e }
    }

    /// Makes a place behind a tracked pointer one behind an aliasable one: for an address.
    pub fn lend_inside(&mut self, place: &mut Place) {
        match &mut place.kind {
            PlaceKind::Field(base, _) | PlaceKind::ArrayIndex(base, _) => self.lend_inside(base),
            PlaceKind::Deref(p) | PlaceKind::PtrIndex(p, _) => {
                if self.is_tracked_ptr(p.ty) {
                    let bad = mk(ExprKind::Null, p.ty, p.span);
                    let pointer = std::mem::replace(&mut **p, bad);
                    **p = self.lend(pointer, Why::Inside);
                }
            }
            PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temp(..) => {}
        }
    }

    /// Whether the place lies behind a tracked pointer.
    pub fn inside_tracked(&mut self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Field(base, _) | PlaceKind::ArrayIndex(base, _) => self.inside_tracked(base),
            PlaceKind::Deref(p) | PlaceKind::PtrIndex(p, _) => self.is_tracked_ptr(p.ty),
            PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temp(..) => false,
        }
    }

    /// Whether a value of `ty` may hold a pointer into a region that is not known yet.
    pub fn may_carry(&self, ty: Ty) -> bool {
        self.deep(ty).flags().has(Flags::INFER)
    }

    /// Closes the loans made since there were `before`, around the value `e`.
    pub fn settle(&mut self, before: usize, e: Expr) -> Expr {
        if self.open.len() <= before {
            return e;
        }
        let regions: Box<[RegionId]> = self.open.drain(before..).collect();
        if e.ty.is_error() {
            return e;
        }
        let (ty, span) = (e.ty, e.span);
        let here = self.here;
        self.must_live(ty, here, Origin::new(span, What::Lent));
        mk(ExprKind::BorrowEnd { regions, value: Box::new(e) }, ty, span)
    }

    /// The same around a value that nobody keeps.
    pub fn settle_dropped(&mut self, before: usize, e: Expr) -> Expr {
        if self.open.len() <= before || e.ty.is_void() || e.ty.is_error() {
            return self.settle(before, e);
        }
        let dropped = conv(Conv::Drop, e, self.t.void);
        self.settle(before, dropped)
    }

    /// Nothing of a statement may be lent when it is over.
    pub fn all_settled(&mut self, before: usize, span: Span) {
        if self.open.len() > before {
            self.open.truncate(before);
            self.report(
                Diagnostic::error(
                    codes::E0900,
                    "lending a tracked pointer is not supported here yet",
                    span,
                    "",
                )
                .help("borrow it before, with `let alias<'s> …`"),
            );
        }
    }

    /// The code and words of a loan that would be kept, if `region` is that of one.
    pub fn loan(&self, region: Region) -> Option<Loan> {
        let Region::Local(id) = region else { return None };
        self.loans.iter().find(|loan| loan.region == id).copied()
    }

    /// `e`, of pointer type `a`, with the aliasability that `b` asks for; `Err`: refused.
    pub fn meet_aqual(
        &mut self,
        e: Expr,
        a: PtrTy,
        b: &PtrTy,
        to: Ty,
        o: Origin,
        explicit: bool,
    ) -> Result<(Expr, PtrTy), Expr> {
        if a.aqual == b.aqual || self.relate_aqual(a.aqual, b.aqual, crate::relate::Mode::Flow) {
            return Ok((e, a));
        }
        let (have, want) = (self.aqual(a.aqual), self.aqual(b.aqual));
        if want == Aqual::Aliasable {
            // Given up: from now on it can be copied, and never be freed.
            if explicit && matches!(have, Aqual::Unique | Aqual::Counted) {
                let given = PtrTy { aqual: Aqual::Aliasable, ..a };
                return Ok((conv(Conv::PtrCast, e, Ty::ptr(given)), given));
            }
            if matches!(o.what, What::Arg(..)) {
                let lent = self.lend(e, Why::Arg);
                let ptr = self.shallow(lent.ty).as_ptr().copied().unwrap_or(a);
                return Ok((lent, ptr));
            }
        }
        Err(self.aqual_mismatch(e, have, want, to))
    }

    fn aqual_mismatch(&mut self, e: Expr, have: Aqual, want: Aqual, to: Ty) -> Expr {
        if want != Aqual::Aliasable && self.moved_pointer(&e) {
            return self.tracked_arithmetic(e.span);
        }
        let (from, target) = (self.show(e.ty), self.show(to));
        let mut d = Diagnostic::error(
            codes::E2009,
            format!("{target} is needed here, and this is {from}"),
            e.span,
            format!("has type {from}"),
        );
        d = match (have, want) {
            (Aqual::Unique | Aqual::Counted, Aqual::Aliasable) => d
                .note("an aliasable pointer can be copied, so nobody could tell when to free")
                .help("borrow it: `let alias<'s> T *'s a = …;`; or give the object up for good by a cast"),
            (_, Aqual::Aliasable) => d
                .note("what is not known to be aliasable may be unique or counted: it is not copied")
                .help("borrow it: `let alias<'s> T *'s a = …;`"),
            (Aqual::Aliasable, Aqual::Unique) => d
                .note("there may be copies of an aliasable pointer")
                .help("allocate the object where a unique pointer is expected, or with `unique_qual`"),
            (Aqual::Aliasable, Aqual::Counted) => d
                .note("the object has no count")
                .help("allocate the object where a counted pointer is expected, or with `refcnt_qual`"),
            (Aqual::Unique, Aqual::Counted) | (Aqual::Counted, Aqual::Unique) => {
                d.note("a counted object has a count before it, a unique one has none")
            }
            (Aqual::Top, _) => d.note("a `\\T` pointer may be any kind: it is only looked through"),
            _ => d.note("the two may stand for different aliasabilities"),
        };
        self.report(d);
        self.bad(e.span)
    }

    /// Whether `e` comes from arithmetic on a lent pointer.
    fn moved_pointer(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::PtrAdd(p, _) => self.moved_pointer(p) || self.lent_to_move(p),
            ExprKind::Conv(_, inner) => self.moved_pointer(inner),
            _ => false,
        }
    }

    fn lent_to_move(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Borrow { region, .. } => {
                self.loan(Region::Local(*region)).is_some_and(|loan| loan.why == Why::Arith)
            }
            ExprKind::Conv(_, inner) => self.lent_to_move(inner),
            _ => false,
        }
    }

    pub fn tracked_arithmetic(&mut self, span: Span) -> Expr {
        self.report(
            Diagnostic::error(codes::E2007, "arithmetic on a tracked pointer", span, "")
                .note("it has to point at the beginning of its object, which is what is freed")
                .help("index it (`p[i]`), or walk with a borrowed pointer: `let alias<'s> T ?'s a = p;`"),
        );
        self.bad(span)
    }

    /// Whether the two would be alike if aliasability did not count.
    pub fn differ_in_aqual(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.deep(a), self.deep(b));
        (a.flags().has(Flags::TRACKED) || b.flags().has(Flags::TRACKED)) && {
            let (a, b) = (Plain.ty(a), Plain.ty(b));
            let before = self.graph.constraints.len();
            let o = Origin::new(Span::NONE, What::Other);
            let same = self.relate(a, b, crate::relate::Mode::Flow, o);
            self.graph.constraints.truncate(before);
            same
        }
    }

    /// What is said of a loan that would be kept.
    pub fn kept_loan(&self, loan: Loan) -> (Code, &'static str, &'static str) {
        match loan.why {
            Why::Arg => (
                codes::E0601,
                "what this call gives back points into an object that is only lent to it",
                "borrow it for longer: `let alias<'s> T *'s a = …;`, and pass that",
            ),
            Why::Inside => (
                codes::E2006,
                "a pointer to the inside of a tracked object is kept",
                "borrow the object first: `let alias<'s> T *'s a = …;`, and take the address of its inside",
            ),
            Why::Arith => (
                codes::E2007,
                "arithmetic on a tracked pointer",
                "index it (`p[i]`), or walk with a borrowed pointer: `let alias<'s> T ?'s a = p;`",
            ),
        }
    }
}

/// Every pointer as an aliasable one.
struct Plain;

impl Folder for Plain {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::TRACKED)
    }
    fn aqual(&mut self, _: Aqual, _: u16) -> Aqual {
        Aqual::Aliasable
    }
}
