//! The solver: greatest solution by propagating the shortest lifetimes along the edges.

use super::constraints::{Constraint, Graph};
use toft_base::IndexVec;
use toft_hir::RegionDecl;
use toft_ty::{Region, RegionBound, RegionId};

/// How regions lie in each other.
pub struct Order {
    /// Parent and depth of each region of the body.
    tree: Vec<(u32, u32)>,
    /// `Outlives` bounds in force: of the signature and of opened patterns.
    bounds: Vec<(Region, Region)>,
}

impl Order {
    pub fn new(regions: &IndexVec<RegionId, RegionDecl>, bounds: &[RegionBound]) -> Order {
        let mut tree: Vec<(u32, u32)> = Vec::with_capacity(regions.len());
        for decl in &regions.raw {
            let parent = decl.parent.map_or(0, |id| id.0);
            let depth = match decl.parent {
                Some(id) => tree.get(id.0 as usize).map_or(1, |up| up.1 + 1),
                None => 0,
            };
            tree.push((parent, depth));
        }
        let bounds = bounds
            .iter()
            .filter_map(|bound| match *bound {
                RegionBound::Outlives(a, b) => Some((a, b)),
                RegionBound::Single(_) => None,
            })
            .collect();
        Order { tree, bounds }
    }

    pub fn add_bound(&mut self, longer: Region, shorter: Region) {
        self.bounds.push((longer, shorter));
    }

    fn depth(&self, id: RegionId) -> u32 {
        self.tree.get(id.0 as usize).map_or(0, |entry| entry.1)
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
            (Param(_) | Bound(..) | Next(..), Local(_)) => true,
            (Param(_) | Bound(..) | Next(..), _) => self.bounded(a, b, 0),
            _ => false,
        }
    }

    fn bounded(&self, a: Region, b: Region, depth: u32) -> bool {
        // Chains of bounds are short; the limit only guards against cycles.
        depth < 16
            && self.bounds.iter().any(|&(longer, shorter)| {
                longer == a && (shorter == b || self.bounded(shorter, b, depth + 1))
            })
    }

    /// The longest lifetime that both outlive; `None`: there is none.
    fn glb(&self, a: Region, b: Region) -> Option<Region> {
        if self.outlives(a, b) {
            return Some(b);
        }
        if self.outlives(b, a) {
            return Some(a);
        }
        let param = |r| matches!(r, Region::Param(_) | Region::Bound(..) | Region::Next(..));
        if param(a) && param(b) {
            let shared = self.bounds.iter().map(|bound| bound.1);
            let mut shared = shared.filter(|&r| self.outlives(a, r) && self.outlives(b, r));
            // The function's own region is shorter than each of its parameters.
            return Some(shared.next().unwrap_or(Region::Local(RegionId(0))));
        }
        None
    }

    fn rank(&self, region: Option<Region>) -> u32 {
        match region {
            None => u32::MAX,
            Some(Region::Local(id)) => self.depth(id) + 2,
            Some(Region::Heap) => 0,
            Some(_) => 1,
        }
    }
}

/// Value of a variable: `Some(region)`, or `None` when nothing fits.
pub type Value = Option<Region>;

/// Edges grouped by their source variable.
pub struct Edges {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    /// `pick` gives (from, to) of the constraints that are edges, with a payload.
    pub fn new(
        vars: u32,
        list: &[Constraint],
        pick: impl Fn(usize, &Constraint) -> Option<(u32, u32)>,
    ) -> Edges {
        let mut starts = vec![0u32; vars as usize + 1];
        for (n, constraint) in list.iter().enumerate() {
            if let Some((from, _)) = pick(n, constraint) {
                starts[from as usize + 1] += 1;
            }
        }
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        let mut fill = starts.clone();
        let mut targets = vec![0; starts[vars as usize] as usize];
        for (n, constraint) in list.iter().enumerate() {
            if let Some((from, to)) = pick(n, constraint) {
                targets[fill[from as usize] as usize] = to;
                fill[from as usize] += 1;
            }
        }
        Edges { starts, targets }
    }

    pub fn of(&self, var: u32) -> &[u32] {
        let n = var as usize;
        &self.targets[self.starts[n] as usize..self.starts[n + 1] as usize]
    }
}

/// The greatest solution: each variable gets the shortest of what flows into it, `'H` when
/// nothing does.
pub fn solve(graph: &Graph, order: &Order) -> Vec<Value> {
    let mut values: Vec<Value> = vec![Some(Region::Heap); graph.vars as usize];
    let mut started = vec![false; graph.vars as usize];
    let mut work: Vec<u32> = Vec::new();
    for constraint in &graph.constraints {
        let (Region::Infer(to), false) =
            (constraint.sub, matches!(constraint.sup, Region::Infer(_)))
        else {
            continue;
        };
        let to = to as usize;
        let old = if started[to] { values[to] } else { Some(constraint.sup) };
        started[to] = true;
        values[to] = old.and_then(|old| order.glb(old, constraint.sup));
        work.push(to as u32);
    }
    let edges = Edges::new(graph.vars, &graph.constraints, |_, constraint| {
        match (constraint.sup, constraint.sub) {
            (Region::Infer(a), Region::Infer(b)) => Some((a, b)),
            _ => None,
        }
    });
    // Shortest lifetimes first (taken from the end): a variable is then seldom met twice.
    work.sort_by_key(|&var| order.rank(values[var as usize]));
    work.dedup();
    while let Some(var) = work.pop() {
        let value = values[var as usize];
        for &to in edges.of(var) {
            let slot = to as usize;
            let old = if started[slot] { values[slot] } else { value };
            let new = match (old, value) {
                (Some(old), Some(value)) => order.glb(old, value),
                _ => None,
            };
            if !started[slot] || new != values[slot] {
                started[slot] = true;
                values[slot] = new;
                work.push(to);
            }
        }
    }
    values
}
