//! What is known about how regions lie in each other, and which are live where.
//!
//! Soundness. `outlives(a, b)` may hold only if every object of `a` exists for as long as
//! anything in `b` can be used; `live(r, s)` only if every object of `r` exists whenever block
//! `s` runs.
//! - A region of the body lives exactly while its block runs, so blocks that enclose each
//!   other outlive each other.
//! - The caller keeps the regions of the callee's effect alive for the whole call; they
//!   outlive every block of the body. Regions the effect leaves out, and regions that a
//!   pattern has opened, may be gone: nothing is known of them but their bounds.
//! - `region h = open(k)` pins the key for its scope, and only the key's owner can free the
//!   arena; so inside the scope, and only there, the key's region is live, and it outlives
//!   the blocks inside.
//! - An opened name means one region per execution of its pattern. It may stand only in the
//!   types of variables that are declared anew with each execution (`in_scope`), else two
//!   regions would go by one name.
//! - What a function type binds may be any region at all, the shortest block included: it
//!   outlives nothing but by a bound.

use toft_base::{FxHashMap, IndexVec};
use toft_hir::{RegionDecl, RegionKind};
use toft_ty::{Region, RegionBound, RegionId};

/// Where the regions of a signature and of opened patterns come from.
#[derive(Default)]
pub struct Names {
    /// How many generic parameters the function has; what follows was opened by patterns.
    pub params: u32,
    /// The regions of a written effect; `None`: all that the signature mentions.
    pub effect: Option<Vec<Region>>,
    /// `next_rgn`s that the signature mentions.
    pub nexts: Vec<Region>,
    /// Opened parameters and the block each belongs to.
    pub opened: Vec<(u32, RegionId)>,
    /// `open`: the key's region, and the scope in which it is live.
    pub opens: Vec<(Region, RegionId)>,
}

pub struct Order {
    /// Parent and depth of each region of the body.
    tree: Vec<(u32, u32)>,
    reaps: Vec<bool>,
    /// `Outlives` bounds in force: of the signature and of opened patterns.
    bounds: Vec<(Region, Region)>,
    singles: Vec<Region>,
    names: Names,
    /// `names`, by what is asked for.
    blocks: FxHashMap<u32, RegionId>,
    scopes: FxHashMap<Region, Vec<RegionId>>,
}

/// Chains of bounds are short; the limit only guards against cycles.
const CHAIN: u32 = 16;

impl Order {
    pub fn new(
        regions: &IndexVec<RegionId, RegionDecl>,
        bounds: &[RegionBound],
        names: Names,
    ) -> Order {
        let mut tree: Vec<(u32, u32)> = Vec::with_capacity(regions.len());
        for decl in &regions.raw {
            let parent = decl.parent.map_or(0, |id| id.0);
            let depth = match decl.parent {
                Some(id) => tree.get(id.0 as usize).map_or(1, |up| up.1 + 1),
                None => 0,
            };
            tree.push((parent, depth));
        }
        let reaps = regions.raw.iter().map(|decl| decl.kind == RegionKind::Reap).collect();
        let blocks = names.opened.iter().copied().collect();
        let mut order = Order {
            tree,
            reaps,
            bounds: Vec::new(),
            singles: Vec::new(),
            names,
            blocks,
            scopes: FxHashMap::default(),
        };
        order.index();
        order.assume(bounds);
        order
    }

    fn index(&mut self) {
        self.scopes.clear();
        for &(region, scope) in &self.names.opens {
            self.scopes.entry(region).or_default().push(scope);
        }
    }

    pub fn assume(&mut self, bounds: &[RegionBound]) {
        for bound in bounds {
            match *bound {
                RegionBound::Outlives(a, b) => self.bounds.push((a, b)),
                RegionBound::Single(a) => self.singles.push(a),
                // Types have no order; `Fx` looks at these when it meets the type.
                RegionBound::TyOutlives(..) => {}
            }
        }
    }

    /// Whether variables stand in what was opened.
    pub fn has_variables(&self) -> bool {
        let var = |region: Region| matches!(region.root().0, Region::Infer(_));
        self.names.opens.iter().any(|open| var(open.0))
            || self.bounds.iter().any(|bound| var(bound.0) || var(bound.1))
            || self.singles.iter().any(|&single| var(single))
    }

    /// Replaces the variables in what was opened by what was found for them.
    pub fn settle(&mut self, find: impl Fn(Region) -> Region) {
        let find = |region: Region| {
            let (root, times) = region.root();
            find(root).next(times)
        };
        for (region, _) in &mut self.names.opens {
            *region = find(*region);
        }
        for (a, b) in &mut self.bounds {
            (*a, *b) = (find(*a), find(*b));
        }
        for single in &mut self.singles {
            *single = find(*single);
        }
        self.index();
    }

    /// The region that the key number `n` opens, as it was settled.
    pub fn opened(&self, n: usize) -> Option<Region> {
        self.names.opens.get(n).map(|open| open.0)
    }

    /// The scopes in which `region` is open.
    pub fn opens(&self, region: Region) -> impl Iterator<Item = RegionId> + '_ {
        self.scopes.get(&region).into_iter().flatten().copied()
    }

    fn depth(&self, id: RegionId) -> u32 {
        self.tree.get(id.0 as usize).map_or(0, |entry| entry.1)
    }

    fn parent(&self, id: RegionId) -> RegionId {
        RegionId(self.tree.get(id.0 as usize).map_or(0, |entry| entry.0))
    }

    /// Whether block `outer` is `inner` or around it.
    pub fn encloses(&self, outer: RegionId, inner: RegionId) -> bool {
        let want = self.depth(outer);
        let mut at = inner.0;
        let mut depth = self.depth(inner);
        while depth > want {
            at = self.tree[at as usize].0;
            depth -= 1;
        }
        at == outer.0
    }

    /// Whether the caller keeps `region` alive for the whole call.
    fn kept(&self, region: Region) -> bool {
        match (region, &self.names.effect) {
            (_, Some(effect)) if effect.contains(&region) => true,
            (Region::Param(i), None) => i < self.names.params,
            (Region::Next(..), None) => self.names.nexts.contains(&region),
            _ => false,
        }
    }

    /// Whether `a` outlives `b`; neither is a variable.
    pub fn outlives(&self, a: Region, b: Region) -> bool {
        use Region::*;
        if a == b {
            return true;
        }
        match (a, b) {
            (Erased | Hole, _) | (_, Erased | Hole) => true,
            (Exchange | Shared, _) | (_, Exchange | Shared) => false,
            (Heap, _) => true,
            (Local(a), Local(b)) => self.encloses(a, b),
            (Param(_) | Next(..), Local(block)) => self.live(a, block),
            (Param(_) | Bound(..) | Next(..), _) => self.bounded(a, 0, &|r| r == b),
            _ => false,
        }
    }

    /// Whether `a` outlives a region for which `good` holds, by bounds alone.
    fn bounded(&self, a: Region, depth: u32, good: &dyn Fn(Region) -> bool) -> bool {
        depth < CHAIN
            && self.bounds.iter().any(|&(longer, shorter)| {
                longer == a && (good(shorter) || self.bounded(shorter, depth + 1, good))
            })
    }

    /// Whether what lies in `region` may be used in block `at`.
    pub fn live(&self, region: Region, at: RegionId) -> bool {
        let own = |r: Region| match r {
            Region::Heap | Region::Erased | Region::Hole => true,
            Region::Exchange | Region::Shared => true,
            // A loan for one expression: that it is not kept is asked where it is settled.
            Region::Local(id) => self.encloses(id, at) || self.encloses(self.parent(id), at),
            Region::Param(_) | Region::Next(..) => {
                self.kept(r) || self.opens(r).any(|scope| self.encloses(scope, at))
            }
            Region::Bound(..) | Region::Infer(_) => false,
        };
        own(region) || self.bounded(region, 0, &own)
    }

    /// Whether the name `region` means one region throughout block `at`.
    pub fn in_scope(&self, region: Region, at: RegionId) -> bool {
        match region.root().0 {
            Region::Local(id) => self.encloses(id, at),
            Region::Param(i) if i >= self.names.params => {
                self.blocks.get(&i).is_some_and(|&block| self.encloses(block, at))
            }
            _ => true,
        }
    }

    /// `single(region)`: no other region's tracked pointers pass as its own, nor the reverse.
    pub fn single(&self, region: Region) -> bool {
        match region {
            Region::Heap | Region::Exchange | Region::Shared | Region::Erased => true,
            Region::Local(id) => self.reaps.get(id.0 as usize).is_some_and(|&reap| reap),
            _ => self.singles.contains(&region),
        }
    }

    /// The longest lifetime that both outlive; `None`: there is none that has a name.
    pub fn glb(&self, a: Region, b: Region) -> Option<Region> {
        if self.outlives(a, b) {
            return Some(b);
        }
        if self.outlives(b, a) {
            return Some(a);
        }
        let param = |r| matches!(r, Region::Param(_) | Region::Next(..));
        if param(a) && param(b) {
            let shared = self.bounds.iter().map(|bound| bound.1);
            let mut shared = shared.filter(|&r| self.outlives(a, r) && self.outlives(b, r));
            if let Some(shared) = shared.next() {
                return Some(shared);
            }
            // The function's own region is shorter than each region that is live in all of it.
            let whole = Region::Local(RegionId(0));
            if self.outlives(a, whole) && self.outlives(b, whole) {
                return Some(whole);
            }
        }
        // The outermost scope in which both are live; two apart have nothing in common.
        let scopes = self.opens(a).chain(self.opens(b));
        let scopes = scopes.filter(|&id| {
            self.outlives(a, Region::Local(id)) && self.outlives(b, Region::Local(id))
        });
        let mut best: Option<RegionId> = None;
        for id in scopes {
            match best {
                None => best = Some(id),
                Some(old) if self.encloses(old, id) => {}
                Some(old) if self.encloses(id, old) => best = Some(id),
                Some(_) => return None,
            }
        }
        best.map(Region::Local)
    }

    pub fn rank(&self, region: Option<Region>) -> u32 {
        match region {
            None => u32::MAX,
            Some(Region::Local(id)) => self.depth(id) + 2,
            Some(Region::Heap) => 0,
            Some(_) => 1,
        }
    }
}
