//! Tests of the region solver on hand-made graphs.

use super::constraints::{Graph, Origin, What};
use super::solve::{Order, solve};
use toft_base::{IndexVec, Span};
use toft_hir::{RegionDecl, RegionKind};
use toft_ty::{Region, RegionBound, RegionId};

/// Regions 0; 1 and 2 in 0; 3 in 1.
fn regions() -> IndexVec<RegionId, RegionDecl> {
    [None, Some(0), Some(0), Some(1)]
        .into_iter()
        .map(|parent: Option<u32>| RegionDecl {
            name: None,
            parent: parent.map(RegionId),
            kind: RegionKind::Block,
            span: Span::NONE,
        })
        .collect()
}

fn other() -> Origin {
    Origin::new(Span::NONE, What::Other)
}

const L0: Region = Region::Local(RegionId(0));
const L1: Region = Region::Local(RegionId(1));
const L2: Region = Region::Local(RegionId(2));
const L3: Region = Region::Local(RegionId(3));

#[test]
fn order_of_regions() {
    let order =
        Order::new(&regions(), &[RegionBound::Outlives(Region::Param(0), Region::Param(1))]);
    assert!(order.outlives(Region::Heap, L0));
    assert!(order.outlives(L0, L3) && order.outlives(L1, L3) && !order.outlives(L2, L3));
    assert!(!order.outlives(L3, L1));
    assert!(order.outlives(Region::Param(0), L0) && !order.outlives(L0, Region::Param(0)));
    assert!(order.outlives(Region::Param(0), Region::Param(1)));
    assert!(!order.outlives(Region::Param(1), Region::Param(0)));
    assert!(!order.outlives(Region::Param(0), Region::Heap));
    assert!(!order.outlives(Region::Heap, Region::Exchange));
}

#[test]
fn shortest_source_wins_along_a_chain() {
    let mut graph = Graph::default();
    let (a, b, c, d) = (graph.fresh(), graph.fresh(), graph.fresh(), graph.fresh());
    graph.outlives(L1, a, other());
    graph.outlives(a, b, other());
    graph.outlives(L3, b, other());
    graph.outlives(b, c, other());
    graph.outlives(c, b, other());
    let _ = d;
    let order = Order::new(&regions(), &[]);
    assert_eq!(solve(&graph, &order), [Some(L1), Some(L3), Some(L3), Some(Region::Heap)]);
}

#[test]
fn siblings_have_nothing_in_common() {
    let mut graph = Graph::default();
    let a = graph.fresh();
    graph.outlives(L1, a, other());
    graph.outlives(L2, a, other());
    let order = Order::new(&regions(), &[]);
    assert_eq!(solve(&graph, &order), [None]);
}

#[test]
fn two_parameters_meet_in_the_function() {
    let mut graph = Graph::default();
    let a = graph.fresh();
    graph.outlives(Region::Param(0), a, other());
    graph.outlives(Region::Param(1), a, other());
    let order = Order::new(&regions(), &[]);
    assert_eq!(solve(&graph, &order), [Some(L0)]);
}

#[test]
fn long_chains_are_linear() {
    let mut graph = Graph::default();
    let first = graph.fresh();
    let mut at = first;
    for _ in 0..200_000 {
        let next = graph.fresh();
        graph.equal(at, next, other());
        at = next;
    }
    graph.outlives(L0, first, other());
    graph.outlives(L3, at, other());
    let order = Order::new(&regions(), &[]);
    let values = solve(&graph, &order);
    assert!(values.iter().all(|&value| value == Some(L3)));
}
