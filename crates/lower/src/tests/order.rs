//! Left to right, with as few temporaries as that allows.

use super::make::*;
use toft_hir::ops::BinOp;
use toft_tir::*;
use toft_ty::{IntExpr, Ty, TyKind};

#[test]
fn a_later_write_does_not_reach_an_earlier_operand() {
    let x = || var(0, int());
    let text = lower(&[("x", int())], 1, vec![ret(bin(BinOp::Add, get(0), set(x(), n(2))))]);
    assert_eq!(text, "bb0: t1 = x; x = 2; t2 = t1 Add x; return t2\n");
}

#[test]
fn arguments_are_read_before_a_later_increment() {
    let text = lower(&[("i", int())], 1, vec![run(call(vec![get(0), inc(0)]))]);
    assert_eq!(text, "bb0: t1 = i; t2 = i; i = i Add 1; fn0(t1, t2); Trap(MissingReturn)\n");
}

#[test]
fn plain_variables_need_no_temporaries() {
    let text = lower(&[("x", int()), ("y", int())], 2, vec![run(call(vec![get(0), get(1)]))]);
    assert_eq!(text, "bb0: fn0(x, y); Trap(MissingReturn)\n");
    // A call cannot touch a variable whose address is never taken.
    let text = lower(&[("x", int())], 1, vec![ret(bin(BinOp::Add, get(0), call(vec![n(1)])))]);
    assert_eq!(text, "bb0: t1 = fn0(1); t2 = x Add t1; return t2\n");
}

#[test]
fn a_call_may_change_what_a_pointer_leads_to() {
    let pointed = || load(at(PlaceKind::Deref(Box::new(load(var(0, ptr(int()))))), int()));
    let text = lower(&[("p", ptr(int()))], 1, vec![ret(bin(BinOp::Add, pointed(), call(vec![])))]);
    assert_eq!(text, "bb0: check p notnull; t1 = p->[0]; t2 = fn0(); t3 = t1 Add t2; return t3\n");
}

#[test]
fn the_left_place_is_walked_first_and_checked_last() {
    let array = Ty::new(TyKind::Array { elem: int(), len: IntExpr::Const(4), zeroterm: false });
    let element = at(PlaceKind::ArrayIndex(Box::new(var(1, array)), Box::new(get(0))), int());
    let text = lower(&[("i", int()), ("a", array)], 1, vec![run(set(element, inc(0)))]);
    assert_eq!(
        text,
        "bb0: t2 = i; t3 = i; i = i Add 1; check t2 < 4; a[t2] = t3; Trap(MissingReturn)\n"
    );
}

#[test]
fn constant_indices_inside_need_no_check() {
    let array = Ty::new(TyKind::Array { elem: int(), len: IntExpr::Const(4), zeroterm: false });
    let element =
        |i| load(at(PlaceKind::ArrayIndex(Box::new(var(0, array)), Box::new(n(i))), int()));
    assert_eq!(lower(&[("a", array)], 1, vec![ret(element(3))]), "bb0: return a[3]\n");
    assert_eq!(lower(&[("a", array)], 1, vec![ret(element(4))]), "bb0: check 4 < 4; return a[4]\n");
    assert_eq!(
        lower(&[("a", array)], 1, vec![ret(element(-1))]),
        "bb0: t1 = -1; check t1 < 4; return a[t1]\n"
    );
}

#[test]
fn fat_pointers_are_checked_by_index() {
    let element =
        at(PlaceKind::PtrIndex(Box::new(load(var(0, fat(int())))), Box::new(get(1))), int());
    let text = lower(&[("p", fat(int())), ("i", int())], 2, vec![run(set(element, n(5)))]);
    assert_eq!(text, "bb0: check p[i]; p->[i] = 5; Trap(MissingReturn)\n");
}

#[test]
fn division_is_checked_and_constants_are_folded() {
    let text = lower(&[("x", int())], 1, vec![ret(bin(BinOp::Div, n(6), get(0)))]);
    assert_eq!(text, "bb0: check x != 0; t1 = 6 Div x; return t1\n");
    let text = lower(&[], 0, vec![ret(bin(BinOp::Div, n(6), n(3)))]);
    assert_eq!(text, "bb0: return 2\n");
    let text = lower(&[], 0, vec![ret(bin(BinOp::Div, n(6), n(0)))]);
    assert_eq!(text, "bb0: check 0 != 0; t0 = 6 Div 0; return t0\n");
}

#[test]
fn a_comparison_feeds_the_branch() {
    let cond = e(
        ExprKind::And(
            Box::new(cmp(BinOp::Lt, get(0), n(3))),
            Box::new(e(ExprKind::Not(Box::new(get(1))), int())),
        ),
        int(),
    );
    let body = vec![stmt(StmtKind::If(cond, boxed(vec![ret(n(1))]), None)), ret(n(0))];
    let text = lower(&[("x", int()), ("y", int())], 2, body);
    assert_eq!(
        text,
        "bb0: t2 = x Lt 3; if t2 bb3 bb2\nbb1: return 1\nbb2: return 0\nbb3: if y bb2 bb1\n"
    );
}

#[test]
fn the_value_of_an_assignment_is_the_variable() {
    let cond = cmp(BinOp::Ne, set(var(0, int()), call(vec![])), n(-1));
    let body = vec![stmt(StmtKind::While(JumpId(0), cond, boxed(vec![]))), ret(n(0))];
    let text = lower(&[("c", int())], 1, body);
    assert_eq!(
        text,
        "bb0: goto bb1\nbb1: c = fn0(); t1 = c Ne -1; if t1 bb2 bb3\nbb2: goto bb1\nbb3: return 0\n"
    );
}

#[test]
fn nested_initialisers_fill_in_place() {
    let pair = Ty::tuple(&[int(), int()]);
    let two = Ty::tuple(&[pair, int()]);
    let agg = |fields, ty| {
        let made = Aggregate { kind: AggregateKind::Plain, fields };
        e(ExprKind::Aggregate(Box::new(made)), ty)
    };
    let inner = agg(vec![(0, get(0)), (1, n(2))], pair);
    let value = agg(vec![(0, inner), (1, n(3))], two);
    let body = vec![stmt(StmtKind::Local(LocalId(1), LocalInit::Value(value))), ret(n(0))];
    let text = lower(&[("x", int()), ("s", two)], 1, body);
    assert_eq!(text, "bb0: live s; s.0 = {0:x 1:2}; s.1 = 3; dead s; return 0\n");
}
