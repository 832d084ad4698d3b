//! The types inside a body: one walk that visits them all.

use toft_mir::*;
use toft_ty::{
    Aqual, GArg, GenericParam, IntExpr, Kind, Region as TyRegion, Ty, TyKind, concrete::word,
};

/// The argument that stands for a parameter when nothing depends on it.
pub fn erased_arg(param: &GenericParam) -> GArg {
    match param.kind {
        Kind::Any | Kind::Word => GArg::Ty(word()),
        Kind::Region => GArg::Region(TyRegion::Erased),
        Kind::Effect => GArg::Effect(&[]),
        Kind::Int => GArg::Int(IntExpr::Unknown),
        Kind::Aqual => GArg::Aqual(Aqual::Erased),
    }
}

/// Calls `f` on each type a body mentions outside of constants and callees.
pub fn each_ty<P: Phase>(body: &mut Body<P>, f: &mut impl FnMut(&mut Ty)) {
    f(&mut body.ret);
    for local in body.locals.iter_mut() {
        f(&mut local.ty);
    }
    for block in body.blocks.iter_mut() {
        for stmt in &mut block.stmts {
            match &mut stmt.kind {
                StmtKind::Assign(_, rvalue) => match rvalue {
                    Rvalue::Cast(_, _, ty) | Rvalue::VaArg(_, ty) => f(ty),
                    Rvalue::Alloc { elem, .. } => f(elem),
                    _ => {}
                },
                StmtKind::Alloca { elem, .. } => f(elem),
                StmtKind::Check(Check { kind: CheckKind::Count { elem, .. }, .. }) => f(elem),
                _ => {}
            }
        }
    }
}

/// Calls `f` on each operand, in the order of the text.
pub fn each_operand<P: Phase>(
    body: &mut Body<P>,
    f: &mut impl FnMut(&mut Operand, toft_base::Span),
) {
    for block in body.blocks.iter_mut() {
        for stmt in &mut block.stmts {
            let span = stmt.span;
            stmt_operands(&mut stmt.kind, &mut |op| f(op, span));
        }
        let span = block.term.span;
        match &mut block.term.kind {
            TermKind::If(op, ..) | TermKind::Switch { on: op, .. } | TermKind::Throw(op) => {
                f(op, span);
            }
            TermKind::Return(Some(op)) => f(op, span),
            _ => {}
        }
    }
}

fn stmt_operands(kind: &mut StmtKind, f: &mut impl FnMut(&mut Operand)) {
    match kind {
        StmtKind::Assign(_, rvalue) => rvalue.operands_mut(&mut |op| f(op)),
        StmtKind::Check(check) => check.kind.operands_mut(&mut |op| f(op)),
        StmtKind::Call(call) => {
            if let Callee::Ptr(op) = &mut call.callee {
                f(op);
            }
            call.args.iter_mut().for_each(&mut *f);
            call.varargs.iter_mut().for_each(f);
        }
        StmtKind::Alloca { count, .. } => f(count),
        StmtKind::RegionEnter { open: Some(op), .. } => f(op),
        _ => {}
    }
}

/// Whether an integer parameter of the function decides the layout of a type in its body.
pub fn sized_by_int(body: &Body<Checked>) -> bool {
    let mut found = false;
    visit::body_types(body, &mut |ty| found |= layout_depends(ty));
    found
}

fn layout_depends(ty: Ty) -> bool {
    let by_arg = |arg: &GArg| match arg {
        GArg::Int(int) => matches!(int, IntExpr::Param(_)),
        GArg::Ty(ty) => layout_depends(*ty),
        _ => false,
    };
    match ty.kind() {
        TyKind::Array { elem, len, .. } => {
            matches!(len, IntExpr::Param(_)) || layout_depends(*elem)
        }
        TyKind::Ptr(ptr) => layout_depends(ptr.elem),
        TyKind::Vla(elem) => layout_depends(*elem),
        TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => args.iter().any(by_arg),
        TyKind::Tuple(fields) => fields.iter().any(|&ty| layout_depends(ty)),
        _ => false,
    }
}
