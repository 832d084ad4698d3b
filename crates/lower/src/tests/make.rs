//! Short words to build trees with.

use toft_base::{IndexVec, Span, Symbol};
use toft_diag::Session;
use toft_hir::ops::{BinOp, IncDec};
use toft_mir::{Decls, FuncDecl};
use toft_tir::*;
use toft_ty::{FuncTy, IntTy, PtrTy, Region, RegionId, Ty, TyQuals, Variadic};

pub fn int() -> Ty {
    Ty::int(IntTy::Int)
}

pub fn ptr(elem: Ty) -> Ty {
    Ty::ptr(PtrTy::thin(elem, Region::Heap))
}

pub fn fat(elem: Ty) -> Ty {
    Ty::ptr(PtrTy::fat(elem, Region::Heap))
}

pub fn e(kind: ExprKind, ty: Ty) -> Expr {
    Expr { kind, ty, span: Span::new(1, 2) }
}

pub fn at(kind: PlaceKind, ty: Ty) -> Place {
    Place { kind, ty, quals: TyQuals::default(), span: Span::new(1, 2) }
}

pub fn n(value: i128) -> Expr {
    e(ExprKind::Int(value), int())
}

pub fn var(id: u32, ty: Ty) -> Place {
    at(PlaceKind::Local(LocalId(id)), ty)
}

pub fn load(place: Place) -> Expr {
    let ty = place.ty;
    e(ExprKind::Load(Box::new(place)), ty)
}

pub fn get(id: u32) -> Expr {
    load(var(id, int()))
}

pub fn set(place: Place, value: Expr) -> Expr {
    let ty = place.ty;
    e(ExprKind::Assign(Box::new(place), Box::new(value)), ty)
}

pub fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    e(ExprKind::Binary(op, Box::new(a), Box::new(b)), int())
}

pub fn cmp(op: BinOp, a: Expr, b: Expr) -> Expr {
    e(ExprKind::Compare(op, Box::new(a), Box::new(b)), int())
}

pub fn inc(id: u32) -> Expr {
    let place = Box::new(var(id, int()));
    e(ExprKind::IncDec { op: IncDec::Inc, post: true, place }, int())
}

/// A call of `fn0`.
pub fn call(args: Vec<Expr>) -> Expr {
    let callee = Callee::Func(FuncId(0), Vec::new());
    e(ExprKind::Call(Box::new(Call { callee, args, varargs: Varargs::None })), int())
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::new(1, 2) }
}

pub fn run(e: Expr) -> Stmt {
    stmt(StmtKind::Expr(e))
}

pub fn ret(e: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(e)))
}

pub fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, region: None, span: Span::new(1, 2) }
}

pub fn boxed(stmts: Vec<Stmt>) -> Box<Stmt> {
    Box::new(stmt(StmtKind::Block(block(stmts))))
}

/// Lowers a function with the given variables (the first `params` are parameters) and says
/// what became of it, and how many errors there were.
pub fn lower_with(
    locals: &[(&str, Ty)],
    params: usize,
    labels: usize,
    body: Vec<Stmt>,
) -> (String, usize) {
    let sess = Session::default();
    let mut decls = Decls::default();
    decls.funcs.push(FuncDecl {
        name: Symbol::intern("f"),
        link_name: None,
        span: Span::NONE,
        sig: FuncTy {
            binder: Vec::new(),
            params: vec![int(); 2],
            ret: int(),
            variadic: Variadic::No,
            effect: None,
            bounds: Vec::new(),
            consumes: 0,
            noreturn: false,
        },
        generics: Vec::new(),
        external: false,
        may_throw: true,
        is_inline: false,
        is_static: false,
    });
    let local = |&(name, ty): &(&str, Ty)| Local {
        name: Some(Symbol::intern(name)),
        ty,
        quals: TyQuals::default(),
        span: Span::new(1, 2),
        region: RegionId(0),
        align: None,
        maybe_unused: false,
    };
    let label = toft_hir::Label { name: Symbol::intern("l"), span: Span::NONE };
    let func = Func {
        id: FuncId(7),
        name: Symbol::intern("test"),
        locals: locals.iter().map(local).collect(),
        params,
        ret: int(),
        generics: Vec::new(),
        regions: IndexVec::new(),
        labels: (0..labels).map(|_| label.clone()).collect(),
        requires: Vec::new(),
        ensures: Vec::new(),
        result: None,
        temps: Vec::new(),
        root: block(body),
        span: Span::new(1, 2),
        end: Span::new(1, 2),
    };
    let body = crate::run(&sess, &decls, &func);
    (super::dump::dump(&body), sess.error_count())
}

pub fn lower(locals: &[(&str, Ty)], params: usize, body: Vec<Stmt>) -> String {
    let (text, errors) = lower_with(locals, params, 0, body);
    assert_eq!(errors, 0);
    text
}
