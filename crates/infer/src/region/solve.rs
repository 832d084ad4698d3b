//! The solver: greatest solution by propagating the shortest lifetimes along the edges.

use super::constraints::{Constraint, Graph, Need, Origin};
use super::order::Order;
use toft_ty::Region;

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
    propagate(graph, order).0
}

/// Values, and which variables something flows into.
fn propagate(graph: &Graph, order: &Order) -> (Vec<Value>, Vec<bool>) {
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
    (values, started)
}

/// Solves everything: first what decides which regions the opened keys belong to. That this is
/// also what the final values say is looked at when they are judged.
pub fn solve_all(graph: &mut Graph, order: &mut Order) -> Vec<Value> {
    if order.has_variables() {
        let back = Edges::new(graph.vars, &graph.constraints, |n, c| match c.sub {
            Region::Infer(to) => Some((to, n as u32)),
            _ => None,
        });
        order.settle(|region| known(graph, &back, region));
    }
    if order.has_variables() {
        // Keys whose region a `next_rgn` decides.
        let values = solve_nexts(graph, order);
        order.settle(|region| match region {
            Region::Infer(var) => values[var as usize].unwrap_or(region),
            known => known,
        });
    }
    if graph.nexts.is_empty() { solve(graph, order) } else { solve_nexts(graph, order) }
}

/// What a variable stands for into which only one region ever flows: keys name their region
/// in their type, where no subtyping changes it. Others stay what they are, and then make
/// nothing live.
fn known(graph: &Graph, back: &Edges, region: Region) -> Region {
    let Region::Infer(start) = region else { return region };
    let mut queue: Vec<u32> = vec![start];
    let mut seen = toft_base::FxHashSet::default();
    seen.insert(start);
    let mut found = None;
    while let Some(var) = queue.pop() {
        for &n in back.of(var) {
            match graph.constraints[n as usize].sup {
                Region::Infer(up) if seen.insert(up) => queue.push(up),
                Region::Infer(_) => {}
                source if found.is_none_or(|old| old == source) => found = Some(source),
                _ => return region,
            }
        }
    }
    found.unwrap_or(region)
}

/// How often the values of `next_rgn`s may decide each other before it is given up; what is
/// then still open is refused by [`unequal_nexts`].
const ROUNDS: usize = 64;

/// As [`solve`], with `next_rgn` over variables: whatever side of `w = next_rgn<v>` is known
/// decides the other, as a new source. What nothing decides is the heap's.
pub fn solve_nexts(graph: &mut Graph, order: &Order) -> Vec<Value> {
    let mut decided = vec![false; graph.nexts.len() * 2];
    let mut last = false;
    for _ in 0..ROUNDS {
        let (values, started) = propagate(graph, order);
        let mut more = Vec::new();
        for (n, eq) in graph.nexts.iter().enumerate() {
            let (var, base) = (eq.var as usize, eq.base as usize);
            let free = last && !started[var] && !started[base];
            if (started[base] || free)
                && !decided[2 * n]
                && let Some(known) = values[base]
            {
                decided[2 * n] = true;
                more.push((known.next(eq.times), eq.var, eq.origin));
            }
            if started[var]
                && !started[base]
                && !decided[2 * n + 1]
                && let Some(Region::Next(root, times)) = values[var]
                && times >= eq.times
            {
                decided[2 * n + 1] = true;
                more.push((root.region().next(times - eq.times), eq.base, eq.origin));
            }
        }
        if more.is_empty() {
            if last {
                return values;
            }
            last = true;
        }
        let more: Vec<Constraint> = more
            .into_iter()
            .map(|(sup, var, origin)| Constraint {
                sup,
                sub: Region::Infer(var),
                need: Need::Outlives,
                origin,
            })
            .collect();
        graph.constraints.extend(more);
    }
    propagate(graph, order).0
}

/// The equations on `next_rgn` that the solution does not satisfy.
pub fn unequal_nexts<'g>(
    graph: &'g Graph,
    values: &'g [Value],
) -> impl Iterator<Item = (Origin, Value, Value)> + 'g {
    graph.nexts.iter().filter_map(|eq| {
        let have = values[eq.var as usize];
        let want = values[eq.base as usize].map(|base| base.next(eq.times));
        (have.is_none() || have != want).then_some((eq.origin, have, want))
    })
}
