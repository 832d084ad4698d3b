//! Region variables and the constraints between regions.

use toft_base::{FxHashMap, Span};
use toft_hir::{FuncId, LocalId};
use toft_ty::{AdtId, Aqual, NextBase, Region, RegionId};

/// Where a constraint came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub span: Span,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The address of a variable was taken (or an array variable decayed).
    AddrOf(LocalId),
    /// The address of a compiler-made object (compound literal, result).
    Temp,
    /// The type of a variable must live as long as the variable.
    Local(LocalId),
    /// The value of a statement expression leaves its block.
    BlockValue,
    Init(Option<LocalId>),
    Assign(Option<LocalId>),
    /// Assigned to a member, by its number.
    Member(AdtId, u32),
    /// Argument `index` of a call.
    Arg(Option<FuncId>, u32),
    /// A region bound in the signature of what is called.
    Bound(Option<FuncId>),
    Return,
    /// The value of what a tracked pointer was lent for.
    Lent,
    /// Freed by itself: it has to lie in the heap.
    Freed,
    /// Stored in an object made by `new`, a constructor or an initialiser.
    Field,
    /// Hidden in an existential.
    Packed,
    /// The same of a value whose type is a type variable, by its index.
    PackedVar(u32),
    Throw,
    Cast,
    /// A pointer is followed, here or by what its memory is handed to.
    Deref,
    /// An object is made through a handle.
    Allocate,
    /// The effect of what is called.
    Call(Option<FuncId>),
    /// A tracked object is lent.
    Borrow,
    /// An existential is taken apart whose hidden types live as long as its regions.
    Unpack,
    /// A function stands for another of a written effect.
    Effect,
    /// Two types had to be equal.
    Other,
}

impl Origin {
    pub fn new(span: Span, what: What) -> Origin {
        Origin { span, what }
    }
}

/// What a constraint asks of its two regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// `sup` outlives `sub`: a pointer into `sup` may stand where one into `sub` is needed.
    Outlives,
    /// The same for a pointer of this aliasability, which is not `\A`: what may be freed by
    /// itself has to stay in its region.
    Tracked(Aqual),
    /// The name `sup` means one region throughout the block `sub`. Types need no more.
    Scope,
    /// What lies in `sup` may be used in block `sub`.
    Live,
    /// `single(sup)`; `sub` says nothing.
    Single,
}

#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub sup: Region,
    pub sub: Region,
    pub need: Need,
    pub origin: Origin,
}

/// `var` is `next_rgn` around `base`, `times` times.
#[derive(Clone, Copy, Debug)]
pub struct NextEq {
    pub var: u32,
    pub base: u32,
    pub times: u16,
    pub origin: Origin,
}

/// One of `sups` outlives one of `subs`.
#[derive(Clone, Debug)]
pub struct OneOf {
    pub sups: Vec<Region>,
    pub subs: Vec<Region>,
    pub origin: Origin,
}

/// What is known about the regions of a body.
#[derive(Default, Debug)]
pub struct Graph {
    pub vars: u32,
    pub constraints: Vec<Constraint>,
    /// Stand-ins for the regions a function type binds, while two such types are compared.
    pub skolems: u16,
    pub nexts: Vec<NextEq>,
    pub one_of: Vec<OneOf>,
    next_vars: FxHashMap<(u32, u16), u32>,
}

/// The binder level that marks a stand-in.
pub const SKOLEM: u16 = 0x7fff;

impl Graph {
    pub fn fresh(&mut self) -> Region {
        self.vars += 1;
        Region::Infer(self.vars - 1)
    }

    /// A fresh region variable for a pointer to something that lives in `region`.
    pub fn pointing_into(&mut self, region: RegionId, origin: Origin) -> Region {
        let var = self.fresh();
        self.outlives(Region::Local(region), var, origin);
        var
    }

    pub fn skolem(&mut self) -> Region {
        self.skolems = self.skolems.wrapping_add(1);
        Region::Bound(SKOLEM, self.skolems)
    }

    pub fn outlives(&mut self, sup: Region, sub: Region, origin: Origin) {
        self.need(sup, sub, Need::Outlives, origin);
    }

    pub fn need(&mut self, sup: Region, sub: Region, need: Need, origin: Origin) {
        use Region::{Erased, Hole};
        if sup == sub || matches!(sup, Erased | Hole) || matches!(sub, Erased | Hole) {
            return;
        }
        if matches!(sup, Region::Next(..)) || matches!(sub, Region::Next(..)) {
            return self.need_next(sup, sub, need, origin);
        }
        self.constraints.push(Constraint { sup, sub, need, origin });
    }

    pub fn equal(&mut self, a: Region, b: Region, origin: Origin) {
        self.outlives(a, b, origin);
        self.outlives(b, a, origin);
    }

    /// Forgets what was to be live since there were `mark` constraints.
    pub fn forget_uses(&mut self, mark: usize) {
        let new = self.constraints.split_off(mark.min(self.constraints.len()));
        self.constraints.extend(new.into_iter().filter(|constraint| constraint.need != Need::Live));
    }

    pub fn single(&mut self, region: Region, origin: Origin) {
        let sup = self.flat(region, origin);
        self.constraints.push(Constraint { sup, sub: Region::Erased, need: Need::Single, origin });
    }

    pub fn one_of(&mut self, sups: Vec<Region>, subs: Vec<Region>, origin: Origin) {
        let sups = sups.into_iter().map(|sup| self.flat(sup, origin)).collect();
        let subs = subs.into_iter().map(|sub| self.flat(sub, origin)).collect();
        self.one_of.push(OneOf { sups, subs, origin });
    }

    /// Constraints on `next_rgn`. No lifetime relates `next_rgn<'r>` to another `next_rgn`, so
    /// one outlives the other only when both are the same; and as the constructor gives
    /// different regions for different regions, what they stand over is then the same too.
    fn need_next(&mut self, sup: Region, sub: Region, need: Need, origin: Origin) {
        if let (Region::Next(a, n), Region::Next(b, m)) = (sup, sub) {
            let shared = n.min(m);
            let (a, b) = (a.region().next(n - shared), b.region().next(m - shared));
            let (a, b) = (self.flat(a, origin), self.flat(b, origin));
            if a != b {
                self.constraints.push(Constraint { sup: a, sub: b, need, origin });
                self.constraints.push(Constraint { sup: b, sub: a, need, origin });
            }
            return;
        }
        let (sup, sub) = (self.flat(sup, origin), self.flat(sub, origin));
        self.constraints.push(Constraint { sup, sub, need, origin });
    }

    /// The region with a `next_rgn` over a variable replaced by a variable of its own.
    fn flat(&mut self, region: Region, origin: Origin) -> Region {
        let Region::Next(NextBase::Infer(base), times) = region else { return region };
        if let Some(&var) = self.next_vars.get(&(base, times)) {
            return Region::Infer(var);
        }
        self.vars += 1;
        let var = self.vars - 1;
        self.next_vars.insert((base, times), var);
        self.nexts.push(NextEq { var, base, times, origin });
        Region::Infer(var)
    }
}
