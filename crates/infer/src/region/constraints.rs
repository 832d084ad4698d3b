//! Region variables and the constraints between regions.

use toft_base::Span;
use toft_hir::{FuncId, LocalId};
use toft_ty::{Region, RegionId};

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
    /// Argument `index` of a call.
    Arg(Option<FuncId>, u32),
    /// A region bound in the signature of what is called.
    Bound(Option<FuncId>),
    Return,
    /// Stored in an object made by `new`, a constructor or an initialiser.
    Field,
    /// Hidden in an existential.
    Packed,
    Throw,
    Cast,
    /// Two types had to be equal.
    Other,
}

impl Origin {
    pub fn new(span: Span, what: What) -> Origin {
        Origin { span, what }
    }
}

/// `sup` outlives `sub`: a pointer into `sup` may stand where one into `sub` is needed.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub sup: Region,
    pub sub: Region,
    pub origin: Origin,
}

/// What is known about the regions of a body.
#[derive(Default, Debug)]
pub struct Graph {
    pub vars: u32,
    pub constraints: Vec<Constraint>,
    /// Stand-ins for the regions a function type binds, while two such types are compared.
    pub skolems: u16,
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
        use Region::{Erased, Hole};
        if sup == sub || matches!(sup, Erased | Hole) || matches!(sub, Erased | Hole) {
            return;
        }
        self.constraints.push(Constraint { sup, sub, origin });
    }

    pub fn equal(&mut self, a: Region, b: Region, origin: Origin) {
        self.outlives(a, b, origin);
        self.outlives(b, a, origin);
    }
}
