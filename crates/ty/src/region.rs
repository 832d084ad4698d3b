//! Where an object lives, who else may point at it, and how many elements there are.

use toft_base::{Symbol, ids};

ids! {
    /// A region that a body itself introduces: the function's parameters and outermost
    /// block (`RegionId(0)`), inner blocks, arenas, borrow scopes. They form a tree.
    pub struct RegionId = "'b";
}

/// A region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// `'H`: the collected heap, and everything static. Outlives all others.
    Heap,
    /// `'X`, the exchange heap.
    Exchange,
    /// `'S`, the shared heap.
    Shared,
    /// A region parameter of the function (or type definition) at hand.
    Param(u32),
    /// Bound by an enclosing function *type*: binder depth (0 is the innermost), index.
    Bound(u16, u16),
    /// Introduced by the body at hand.
    Local(RegionId),
    /// `next_rgn<'r>`: nested once or more over a region.
    Next(NextBase, u16),
    /// To be found by inference; only inside `infer`.
    Infer(u32),
    /// Not written. `resolve` replaces it by the default of its position, except in types
    /// of locals and expressions inside bodies, where `infer` makes a variable of it.
    Hole,
    /// After `mono`: regions no longer matter.
    Erased,
}

/// What `next_rgn` stands over: any region but another `next_rgn`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NextBase {
    Heap,
    Param(u32),
    Bound(u16, u16),
    Local(RegionId),
    Infer(u32),
    Hole,
}

impl NextBase {
    pub fn region(self) -> Region {
        match self {
            NextBase::Heap => Region::Heap,
            NextBase::Param(i) => Region::Param(i),
            NextBase::Bound(level, i) => Region::Bound(level, i),
            NextBase::Local(id) => Region::Local(id),
            NextBase::Infer(n) => Region::Infer(n),
            NextBase::Hole => Region::Hole,
        }
    }
}

impl Region {
    /// `next_rgn<…>` around this region, `times` times. `'X`, `'S` and erased regions have no
    /// successor and stay themselves.
    pub fn next(self, times: u16) -> Region {
        let base = match self {
            _ if times == 0 => return self,
            Region::Next(base, n) => return Region::Next(base, n.saturating_add(times)),
            Region::Heap => NextBase::Heap,
            Region::Param(i) => NextBase::Param(i),
            Region::Bound(level, i) => NextBase::Bound(level, i),
            Region::Local(id) => NextBase::Local(id),
            Region::Infer(n) => NextBase::Infer(n),
            Region::Hole => NextBase::Hole,
            Region::Exchange | Region::Shared | Region::Erased => return self,
        };
        Region::Next(base, times)
    }

    /// The region under all `next_rgn`s, and how many there are.
    pub fn root(self) -> (Region, u16) {
        match self {
            Region::Next(base, n) => (base.region(), n),
            other => (other, 0),
        }
    }
}

/// Who else may point at the object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aqual {
    /// `\A`
    Aliasable,
    /// `\U`
    Unique,
    /// `\RC`
    Counted,
    /// `\T`
    Top,
    Param(u32),
    Bound(u16, u16),
    Infer(u32),
    Erased,
}

/// An integer at type level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntExpr {
    Const(u64),
    Param(u32),
    Bound(u16, u16),
    Infer(u32),
    /// After `mono`, and where the value is known at run time only.
    Unknown,
}

/// How many elements a pointer may reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bounds {
    /// A thin pointer to `n` elements; `T *` has `Const(1)`. With `zeroterm`, at least `n`
    /// (the default is then `Const(0)`), and a zero element after them.
    Thin(IntExpr),
    /// `T ?`: bounds travel with the pointer.
    Fat,
}

/// Kinds of generic parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Any type.
    Any,
    /// A word-sized type (`B`).
    Word,
    Region,
    Effect,
    Int,
    Aqual,
}

/// One parameter of a generic function or type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GenericParam {
    pub name: Symbol,
    pub kind: Kind,
    /// Upper bound of the aliasability of what may be put in; `\A` unless written.
    pub bound: Aqual,
    /// Invented by the compiler (an unnamed region of a parameter).
    pub implicit: bool,
}

/// An argument for a generic parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GArg {
    Ty(crate::Ty),
    Region(Region),
    Aqual(Aqual),
    Int(IntExpr),
    /// An effect: a set of regions.
    Effect(&'static [Region]),
}

/// What a signature demands of the regions it is used at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegionBound {
    /// The first outlives the second.
    Outlives(Region, Region),
    /// `single('r)`: no region subtyping for it.
    Single(Region),
    /// `'a > 'r`: every region in a type outlives the second.
    TyOutlives(crate::Ty, Region),
}
