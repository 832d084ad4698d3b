//! Tests of the search for values that patterns leave out, on integer and pointer types.

use crate::cx::Fx;
use toft_base::Span;
use toft_diag::Session;
use toft_hir::Program;
use toft_tir::{Pat, PatKind};
use toft_ty::{IntTy, PtrTy, Region, Ty};

fn pat(kind: PatKind, ty: Ty) -> Pat {
    Pat { kind, ty, span: Span::NONE }
}

fn unmatched(pat: &Pat) -> Option<String> {
    let (sess, prog) = (Session::default(), Program::default());
    let mut fx = Fx::new(&sess, &prog);
    fx.unmatched(pat, pat.ty, Span::NONE)
}

#[test]
fn integers_by_ranges() {
    let uchar = Ty::int(IntTy::UChar);
    assert_eq!(unmatched(&pat(PatKind::Int(0, 255), uchar)), None);
    assert_eq!(unmatched(&pat(PatKind::Int(0, 254), uchar)).as_deref(), Some("255"));
    assert_eq!(unmatched(&pat(PatKind::Int(1, 255), uchar)).as_deref(), Some("0"));
    assert_eq!(unmatched(&pat(PatKind::Int(3, 3), Ty::bool())).as_deref(), Some("0"));
    assert_eq!(unmatched(&pat(PatKind::Wild, Ty::int(IntTy::ULong))), None);
    assert_eq!(unmatched(&pat(PatKind::Int(i128::MIN, i128::MAX), Ty::int(IntTy::Long))), None);
}

#[test]
fn pointers_and_tuples() {
    let int = Ty::int(IntTy::Int);
    let ptr = Ty::ptr(PtrTy::thin(int, Region::Heap));
    let inner = pat(PatKind::Wild, int);
    assert_eq!(unmatched(&pat(PatKind::Deref(Box::new(inner)), ptr)).as_deref(), Some("NULL"));
    assert_eq!(unmatched(&pat(PatKind::Null, ptr)).as_deref(), Some("&_"));
    let pair = Ty::tuple(&[Ty::bool(), ptr]);
    let fields = vec![(0, pat(PatKind::Int(0, 0), Ty::bool()))];
    assert_eq!(unmatched(&pat(PatKind::Fields(fields), pair)).as_deref(), Some("$(1, _)"));
}
