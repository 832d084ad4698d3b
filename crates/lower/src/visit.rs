//! One walk over typed trees, for the questions lowering asks ahead.

use toft_tir::*;

/// What a walk meets.
pub(crate) enum Met<'t> {
    Expr(&'t Expr),
    Place(&'t Place),
    Stmt(&'t Stmt),
}

/// A question; `true` ends the walk.
pub(crate) type Ask<'a> = dyn FnMut(Met<'_>) -> bool + 'a;

/// Walks an expression; true when `ask` said so somewhere.
pub(crate) fn expr(e: &Expr, ask: &mut Ask<'_>) -> bool {
    use ExprKind::*;
    if ask(Met::Expr(e)) {
        return true;
    }
    match &e.kind {
        Int(_)
        | Float(_)
        | Null
        | Str { .. }
        | FuncAddr(..)
        | Sizeof(_)
        | Alignof(_)
        | Valueof(..) => false,
        Load(p) | AddrOf(p) | Decay(p) | IncDec { place: p, .. } | Tagcheck(p, _) | VaArg(p, _) => {
            place(p, ask)
        }
        Neg(a) | BitNot(a) | Not(a) | Conv(_, a) | Throw(a) | Numelts(a) => expr(a, ask),
        Assert { cond, .. } => expr(cond, ask),
        Borrow { of, .. } => expr(of, ask),
        BorrowEnd { value, .. } => expr(value, ask),
        Binary(_, a, b)
        | Compare(_, a, b)
        | PtrAdd(a, b)
        | PtrDiff(a, b)
        | And(a, b)
        | Or(a, b)
        | Comma(a, b) => expr(a, ask) || expr(b, ask),
        Cond(a, b, c) => expr(a, ask) || expr(b, ask) || expr(c, ask),
        Assign(p, v) | AssignOp { place: p, rhs: v, .. } => place(p, ask) || expr(v, ask),
        Swap(a, b) => place(a, ask) || place(b, ask),
        RowAt { at, .. } => at.iter().any(|e| expr(e, ask)),
        Row { array, start, .. } => place(array, ask) || expr(start, ask),
        Call(c) => call(c, ask),
        Aggregate(a) => a.fields.iter().any(|(_, v)| expr(v, ask)),
        Comprehension { count, body, .. } => expr(count, ask) || expr(body, ask),
        New(n) => new(n, ask),
        StmtExpr { block: b, value } => {
            block(b, ask) || value.as_deref().is_some_and(|v| expr(v, ask))
        }
    }
}

fn call(c: &Call, ask: &mut Ask<'_>) -> bool {
    let callee = matches!(&c.callee, Callee::Ptr(p) if expr(p, ask));
    let rest: &[Expr] = match &c.varargs {
        Varargs::None => &[],
        Varargs::C(list) | Varargs::Typed(list, _) => list,
    };
    callee || c.args.iter().chain(rest).any(|a| expr(a, ask))
}

fn new(n: &New, ask: &mut Ask<'_>) -> bool {
    let sides = [&n.region, &n.qual, &n.count];
    sides.into_iter().flatten().any(|e| expr(e, ask))
        || match &n.init {
            NewInit::Zero => false,
            NewInit::Value(e) | NewInit::Array(e) | NewInit::Each { body: e, .. } => expr(e, ask),
        }
}

pub(crate) fn place(p: &Place, ask: &mut Ask<'_>) -> bool {
    if ask(Met::Place(p)) {
        return true;
    }
    match &p.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => false,
        PlaceKind::Deref(e) | PlaceKind::Temp(e, _) => expr(e, ask),
        PlaceKind::PtrIndex(e, i) => expr(e, ask) || expr(i, ask),
        PlaceKind::ArrayIndex(a, i) => place(a, ask) || expr(i, ask),
        PlaceKind::Field(a, _) => place(a, ask),
    }
}

pub(crate) fn block(b: &Block, ask: &mut Ask<'_>) -> bool {
    stmts(&b.stmts, ask)
}

fn stmts(list: &[Stmt], ask: &mut Ask<'_>) -> bool {
    list.iter().any(|s| stmt(s, ask))
}

fn stmt(s: &Stmt, ask: &mut Ask<'_>) -> bool {
    use StmtKind::*;
    if ask(Met::Stmt(s)) {
        return true;
    }
    match &s.kind {
        Empty | Goto(_) | Break(_) | Continue(_) | Fallthru | Return(None) => false,
        Expr(e) | Return(Some(e)) | Let(_, e) => expr(e, ask),
        FallthruWith(values) => values.iter().any(|(_, e)| expr(e, ask)),
        Local(_, LocalInit::None) => false,
        Local(_, LocalInit::Value(e) | LocalInit::Vla(e)) => expr(e, ask),
        Local(_, LocalInit::Rows(dims)) => dims.iter().any(|(_, e)| expr(e, ask)),
        Block(b) => block(b, ask),
        If(c, yes, no) => {
            expr(c, ask) || stmt(yes, ask) || no.as_deref().is_some_and(|no| stmt(no, ask))
        }
        While(_, c, body) | Switch(_, c, body) => expr(c, ask) || stmt(body, ask),
        DoWhile(_, body, c) => stmt(body, ask) || expr(c, ask),
        For(f) => {
            stmts(&f.init, ask)
                || [&f.cond, &f.step].into_iter().flatten().any(|e| expr(e, ask))
                || stmt(&f.body, ask)
        }
        Case(_, _, body) | Default(body) | Label(_, body) => stmt(body, ask),
        Match(m) => {
            let on = match &m.scrutinee {
                Scrutinee::Place(p) => place(p, ask),
                Scrutinee::Value(_, e) => expr(e, ask),
            };
            on || arms(&m.arms, ask)
        }
        Region { open, rest, .. } => {
            open.as_ref().is_some_and(|e| expr(e, ask)) || stmts(rest, ask)
        }
        Pinned { init, rest, .. } => expr(init, ask) || stmts(rest, ask),
        Try { body, arms: list, .. } => stmt(body, ask) || arms(list, ask),
    }
}

fn arms(list: &[Arm], ask: &mut Ask<'_>) -> bool {
    list.iter().any(|arm| arm.guard.as_ref().is_some_and(|e| expr(e, ask)) || block(&arm.body, ask))
}
