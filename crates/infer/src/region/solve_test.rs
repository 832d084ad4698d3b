//! Tests of the region solver on hand-made graphs.

use super::constraints::{Graph, Origin, What};
use super::order::{Names, Order};
use super::solve::{solve, solve_all, unequal_nexts};
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

/// Two region parameters, all that the signature mentions live.
fn names() -> Names {
    Names { params: 2, ..Names::default() }
}

const L0: Region = Region::Local(RegionId(0));
const L1: Region = Region::Local(RegionId(1));
const L2: Region = Region::Local(RegionId(2));
const L3: Region = Region::Local(RegionId(3));

#[test]
fn order_of_regions() {
    let order = Order::new(
        &regions(),
        &[RegionBound::Outlives(Region::Param(0), Region::Param(1))],
        names(),
    );
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
    let order = Order::new(&regions(), &[], names());
    assert_eq!(solve(&graph, &order), [Some(L1), Some(L3), Some(L3), Some(Region::Heap)]);
}

#[test]
fn siblings_have_nothing_in_common() {
    let mut graph = Graph::default();
    let a = graph.fresh();
    graph.outlives(L1, a, other());
    graph.outlives(L2, a, other());
    let order = Order::new(&regions(), &[], names());
    assert_eq!(solve(&graph, &order), [None]);
}

#[test]
fn two_parameters_meet_in_the_function() {
    let mut graph = Graph::default();
    let a = graph.fresh();
    graph.outlives(Region::Param(0), a, other());
    graph.outlives(Region::Param(1), a, other());
    let order = Order::new(&regions(), &[], names());
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
    let order = Order::new(&regions(), &[], names());
    let values = solve(&graph, &order);
    assert!(values.iter().all(|&value| value == Some(L3)));
}

/// Parameter 2 was opened by a pattern in block 1, and its key is open in block 3.
fn opened() -> Order {
    let names = Names {
        opened: vec![(2, RegionId(1))],
        opens: vec![(Region::Param(2), RegionId(3))],
        ..names()
    };
    Order::new(&regions(), &[], names)
}

#[test]
fn an_opened_region_is_live_where_its_key_is_open() {
    let (order, region) = (opened(), Region::Param(2));
    assert!(order.live(region, RegionId(3)) && !order.live(region, RegionId(1)));
    assert!(order.outlives(region, L3) && !order.outlives(region, L1));
    assert!(!order.outlives(region, Region::Param(0)) && !order.outlives(region, Region::Heap));
    assert!(order.in_scope(region, RegionId(1)) && order.in_scope(region, RegionId(3)));
    assert!(!order.in_scope(region, RegionId(0)) && !order.in_scope(region, RegionId(2)));
}

#[test]
fn what_an_opened_region_shares_with_another_is_its_scope() {
    let order = opened();
    assert_eq!(order.glb(Region::Param(2), Region::Param(0)), Some(L3));
    assert_eq!(order.glb(Region::Param(2), L2), None);
    assert_eq!(order.glb(Region::Param(2), Region::Heap), Some(Region::Param(2)));
}

#[test]
fn a_bound_makes_live() {
    let bound = [RegionBound::Outlives(Region::Param(2), Region::Param(0))];
    let order = Order::new(&regions(), &bound, names());
    assert!(order.live(Region::Param(2), RegionId(3)));
    let closed = Names { effect: Some(Vec::new()), ..names() };
    let order = Order::new(&regions(), &bound, closed);
    assert!(!order.live(Region::Param(2), RegionId(3)));
}

#[test]
fn successors_decide_each_other() {
    let mut graph = Graph::default();
    let (base, up) = (graph.fresh(), graph.fresh());
    // next_rgn<base> = up, and base is the first parameter.
    graph.equal(base.next(1), up, other());
    graph.equal(Region::Param(0), base, other());
    let values = solve_all(&mut graph, &mut opened());
    assert_eq!(values[1], Some(Region::Param(0).next(1)));
    assert_eq!(unequal_nexts(&graph, &values).count(), 0);

    let mut graph = Graph::default();
    let base = graph.fresh();
    graph.equal(Region::Param(1).next(2), base.next(1), other());
    let values = solve_all(&mut graph, &mut opened());
    assert_eq!(values[0], Some(Region::Param(1).next(1)));
}

#[test]
fn no_region_is_its_own_successor() {
    let mut graph = Graph::default();
    let base = graph.fresh();
    graph.equal(Region::Param(0), base, other());
    graph.equal(base, base.next(1), other());
    let values = solve_all(&mut graph, &mut opened());
    assert!(unequal_nexts(&graph, &values).count() > 0);
}
