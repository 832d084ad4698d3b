//! Scopes, `try`, `switch`, `goto`, patterns.

use super::make::*;
use toft_hir::ops::BinOp;
use toft_tir::*;
use toft_ty::{PtrTy, Region, Ty};

fn declare(id: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Local(LocalId(id), LocalInit::Value(value)))
}

fn exn() -> Ty {
    Ty::ptr(PtrTy { nullable: false, ..PtrTy::thin(int(), Region::Heap) })
}

#[test]
fn every_way_out_of_try_pops_the_frame() {
    // while (1) { int x = 1; try { if (c) break; f(); return x; } catch { } }
    let body = boxed(vec![
        stmt(StmtKind::If(get(0), boxed(vec![stmt(StmtKind::Break(JumpId(0)))]), None)),
        run(call(vec![])),
        ret(get(1)),
    ]);
    let arms = Vec::new();
    let attempt = stmt(StmtKind::Try { body, jump: JumpId(1), exn: LocalId(2), arms });
    let inside = boxed(vec![declare(1, n(1)), attempt]);
    let all = vec![stmt(StmtKind::While(JumpId(0), n(1), inside)), ret(n(0))];
    let text = lower(&[("c", int()), ("x", int()), ("exn", exn())], 1, all);
    assert_eq!(
        text,
        "bb0: goto bb1\n\
         bb1: goto bb2\n\
         bb2: live x; x = 1; push try0; goto bb4\n\
         bb3: return 0\n\
         bb4 !bb5: if c bb6 bb7\n\
         bb5: catch try0 exn; rethrow exn\n\
         bb6 !bb5: pop try0; goto bb8\n\
         bb7 !bb5: fn0(); t3 = x; pop try0; goto bb9\n\
         bb8: dead x; goto bb3\n\
         bb9: dead x; return t3\n"
    );
}

#[test]
fn cases_may_stand_inside_loops() {
    // switch (x) { case 0: do { f(); case 1: f(); } while (c); }
    let inner =
        boxed(vec![run(call(vec![])), stmt(StmtKind::Case(1, 1, Box::new(run(call(vec![])))))]);
    let around = stmt(StmtKind::DoWhile(JumpId(1), inner, get(1)));
    let body = boxed(vec![stmt(StmtKind::Case(0, 0, Box::new(around)))]);
    let all = vec![stmt(StmtKind::Switch(JumpId(0), get(0), body)), ret(n(0))];
    let text = lower(&[("x", int()), ("c", int())], 2, all);
    assert_eq!(
        text,
        "bb0: switch x 0..0:bb2 1..1:bb6 else bb1\n\
         bb1: return 0\n\
         bb2: goto bb3\n\
         bb3: fn0(); goto bb6\n\
         bb4: if c bb3 bb5\n\
         bb5: goto bb1\n\
         bb6: fn0(); goto bb4\n"
    );
}

#[test]
fn a_case_past_a_declaration_brings_it_to_life() {
    // switch (x) { int y; case 1: y = 2; }
    let body = boxed(vec![
        stmt(StmtKind::Local(LocalId(1), LocalInit::None)),
        stmt(StmtKind::Case(1, 1, Box::new(run(set(var(1, int()), n(2)))))),
    ]);
    let all = vec![stmt(StmtKind::Switch(JumpId(0), get(0), body)), ret(n(0))];
    let text = lower(&[("x", int()), ("y", int())], 1, all);
    assert_eq!(
        text,
        "bb0: switch x 1..1:bb3 else bb1\n\
         bb1: return 0\n\
         bb2: y = 2; dead y; goto bb1\n\
         bb3: live y; goto bb2\n"
    );
}

#[test]
fn gotos_leave_and_enter_scopes() {
    // { int a = 1; goto l; } { int b; l: f(); } return 0;
    let all = vec![
        *boxed(vec![declare(0, n(1)), stmt(StmtKind::Goto(LabelId(0)))]),
        *boxed(vec![
            stmt(StmtKind::Local(LocalId(1), LocalInit::None)),
            stmt(StmtKind::Label(LabelId(0), Box::new(run(call(vec![]))))),
        ]),
        ret(n(0)),
    ];
    let (text, errors) = lower_with(&[("a", int()), ("b", int())], 0, 1, all);
    assert_eq!(errors, 0);
    assert_eq!(
        text,
        "bb0: live a; a = 1; goto bb1\n\
         bb1: dead a; live b; goto bb2\n\
         bb2: fn0(); dead b; return 0\n"
    );
}

#[test]
fn jumps_into_guarded_scopes_are_refused() {
    // goto l; int a[n]; l: ;
    let vla = Ty::new(toft_ty::TyKind::Vla(int()));
    let all = vec![
        stmt(StmtKind::Goto(LabelId(0))),
        stmt(StmtKind::Local(LocalId(1), LocalInit::Vla(get(0)))),
        stmt(StmtKind::Label(LabelId(0), Box::new(stmt(StmtKind::Empty)))),
        ret(n(0)),
    ];
    let (_, errors) = lower_with(&[("n", int()), ("a", vla)], 1, 1, all);
    assert_eq!(errors, 1);
    // A `try` body.
    let body = boxed(vec![stmt(StmtKind::Label(LabelId(0), Box::new(run(call(vec![])))))]);
    let arms = Vec::new();
    let attempt = stmt(StmtKind::Try { body, jump: JumpId(1), exn: LocalId(0), arms });
    let all = vec![stmt(StmtKind::Goto(LabelId(0))), attempt, ret(n(0))];
    assert_eq!(lower_with(&[("exn", exn())], 0, 1, all).1, 1);
}

fn pat(kind: PatKind, ty: Ty) -> Pat {
    Pat { kind, ty, span: toft_base::Span::new(1, 2) }
}

fn arm(kind: PatKind, guard: Option<Expr>, body: Vec<Stmt>) -> Arm {
    let span = toft_base::Span::new(1, 2);
    Arm { pats: vec![pat(kind, int())], guard, body: block(body), span }
}

#[test]
fn integer_arms_become_a_switch_and_guards_go_on() {
    let arms = vec![
        arm(PatKind::Int(1, 5), Some(get(1)), vec![ret(n(1))]),
        arm(PatKind::Int(3, 8), None, vec![stmt(StmtKind::Fallthru)]),
        arm(PatKind::Int(9, 9), None, vec![ret(n(3))]),
        arm(PatKind::Wild, None, vec![]),
    ];
    let all = Match {
        jump: JumpId(0),
        scrutinee: Scrutinee::Place(var(0, int())),
        arms,
        partial: false,
        span: toft_base::Span::new(1, 2),
    };
    let body = vec![stmt(StmtKind::Match(Box::new(all))), ret(n(0))];
    let text = lower(&[("x", int()), ("g", int())], 2, body);
    let first = text.lines().next();
    assert!(
        first.is_some_and(|line| line.starts_with("bb0: switch x 1..5:bb")
            && line.contains(" 6..8:bb")
            && line.contains(" 9..9:bb")),
        "{text}"
    );
    // A failing guard goes on to the tests of the next arm.
    assert!(text.contains("x Ge 3"), "{text}");
    assert!(text.contains("if g "), "{text}");
}

#[test]
fn patterns_bind_after_the_whole_fits() {
    // let $(&y, _) = s  over  struct-like tuple of a nullable pointer and an int.
    let both = Ty::tuple(&[ptr(int()), int()]);
    let deref = pat(PatKind::Deref(Box::new(pat(PatKind::Var(LocalId(1)), int()))), ptr(int()));
    let seven = pat(PatKind::Int(7, 7), int());
    let fields = PatKind::Fields(vec![(0, deref), (1, seven)]);
    let all = Match {
        jump: JumpId(0),
        scrutinee: Scrutinee::Place(var(0, both)),
        arms: vec![Arm {
            pats: vec![pat(fields, both)],
            guard: None,
            body: block(vec![ret(get(1))]),
            span: toft_base::Span::new(1, 2),
        }],
        partial: true,
        span: toft_base::Span::new(1, 2),
    };
    let body = vec![stmt(StmtKind::Match(Box::new(all))), ret(n(0))];
    let text = lower(&[("s", both), ("y", int())], 1, body);
    assert_eq!(
        text,
        "bb0: t2 = s.0 Ne null; if t2 bb4 bb3\n\
         bb1: return 0\n\
         bb2: t4 = y; dead y; return t4\n\
         bb3: goto bb1\n\
         bb4: t3 = s.1 Eq 7; if t3 bb5 bb3\n\
         bb5: live y; y = s.0->[0]; goto bb2\n"
    );
}

#[test]
fn dead_statements_keep_a_block_of_their_own() {
    let text = lower(&[], 0, vec![ret(n(0)), run(call(vec![])), ret(bin(BinOp::Add, n(1), n(1)))]);
    assert_eq!(text, "bb0: return 0\nbb1: fn0(); return 2\n");
}
