//! Type inference: every expression typed, every conversion written out, regions solved.
//!
//! In: `hir::Program`. Out: one `tir::Func` per body, one `tir::Expr` per global
//! initialiser. Needs: names resolved, declared types complete. Keeps: nothing between
//! functions (types are interned for the whole process). Invariants: those of `tir`; a
//! function with an error gives `Reported`, never a half-typed body; control flow is not
//! looked at.

mod binary;
mod builtin;
mod call;
mod consts;
mod convert;
mod cx;
mod exhaust;
#[cfg(test)]
mod exhaust_test;
mod expr;
mod falls;
mod flexible;
mod format;
#[cfg(test)]
mod format_test;
mod generic;
mod init;
mod judge;
mod new;
mod opened;
mod pat;
mod place;
mod pointer;
mod refine;
mod region;
mod relate;
mod rows;
#[cfg(test)]
mod snippets_test;
mod stmt;
mod tracked;
#[cfg(test)]
mod tracked_test;
mod types;
mod unary;
mod zonk;

use cx::Fx;
use region::What;
use stmt::Flow;
use toft_base::Symbol;
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_hir::{self as hir, FuncId, GlobalId, LocalTy, Program};
use toft_tir as tir;
use toft_ty::{Bounds, IntExpr, IntTy, RegionId, Ty, TyKind};

/// Why a function has no typed body.
#[derive(Debug)]
pub enum Refusal {
    Reported(Reported),
    /// It would have one if its signature asked this of its unnamed regions.
    Demands(Vec<hir::Demand>),
}

impl From<Reported> for Refusal {
    fn from(reported: Reported) -> Refusal {
        Refusal::Reported(reported)
    }
}

/// Types the body of `id`, which must have one; what it lacks is reported.
pub fn run(sess: &Session, prog: &Program, id: FuncId) -> Result<tir::Func, Reported> {
    typed(sess, prog, id, false).map_err(|refusal| match refusal {
        Refusal::Reported(reported) => reported,
        Refusal::Demands(_) => sess.reported(),
    })
}

/// As [`run`]; but where only unnamed regions of parameters do not live long enough, the
/// bounds that the signature should have are the answer.
pub fn run_or_ask(sess: &Session, prog: &Program, id: FuncId) -> Result<tir::Func, Refusal> {
    // C code keeps no promise about regions.
    typed(sess, prog, id, prog.funcs[id].link_name.is_none())
}

fn typed(sess: &Session, prog: &Program, id: FuncId, ask: bool) -> Result<tir::Func, Refusal> {
    let func = &prog.funcs[id];
    let Some(body) = &func.body else {
        let reported = sess.emit(Diagnostic::error(
            codes::E0305,
            format!("`{}` is declared, but has no body", func.name),
            func.span,
            "",
        ));
        return Err(reported.into());
    };
    let mut fx = Fx::new(sess, prog);
    fx.ask = ask;
    fx.func = Some(func);
    fx.func_id = Some(id);
    fx.ret = func.sig.ret;
    fx.generics = func.generics.iter().chain(&body.opened).copied().collect();
    fx.decls = &body.locals.raw;
    fx.regions = body.regions.clone();
    fx.find_dead(&body.opened);
    fx.locals = body.locals.iter().map(|local| declared(fx.t.error, local)).collect();
    check_main(&mut fx, id, func);
    if func.sig.ret.is_error() || func.sig.params.iter().any(|ty| ty.is_error()) {
        fx.poison();
    }
    parameters(&mut fx, func, body);
    let (requires, ensures, result) = contracts(&mut fx, func);
    let mut root = fx.block(&body.root, &mut Flow::default());
    root.region = root.region.or(Some(RegionId(0)));
    fx.numbers_stay(func.generics.len() + body.opened.len());
    fx.undecided();
    let regions = fx.solve_regions();
    if let Some(reported) = fx.failed {
        return Err(reported.into());
    }
    if !fx.demands.is_empty() {
        return Err(Refusal::Demands(fx.demands));
    }
    let mut zonk = zonk::Zonk::new(&mut fx, regions);
    let mut typed = tir::Func {
        id,
        name: func.name,
        locals: fx.locals,
        params: body.params,
        ret: func.sig.ret,
        generics: fx.generics,
        regions: fx.regions,
        labels: body.labels.clone(),
        requires,
        ensures,
        result,
        temps: fx.temps,
        root,
        span: func.span,
        end: body.end,
    };
    if !zonk.idle() {
        zonk.func(&mut typed);
    }
    Ok(typed)
}

/// The constant initialiser of a global, fully typed; `None` when it has none.
pub fn global_init(
    sess: &Session,
    prog: &Program,
    id: GlobalId,
) -> Result<Option<tir::Expr>, Reported> {
    let global = &prog.globals[id];
    let mut fx = Fx::new(sess, prog);
    if global.ty.is_error() {
        fx.poison();
    }
    let Some(init) = &global.init else {
        if global.defined && global.origin == hir::Origin::Toft && fx.failed.is_none() {
            unset_global(&mut fx, global);
        }
        return fx.failed.map_or(Ok(None), Err);
    };
    fx.want = global.quals.refine;
    let mut value = fx.init(init, global.ty, What::Init(None), global.span);
    fx.want = None;
    if fx.failed.is_none() && !fx.static_value(&mut value) {
        let span = if value.span.is_none() { global.span } else { value.span };
        fx.report(
            Diagnostic::error(codes::E0307, format!("the initialiser of `{}` is not constant", global.name), span, "")
                .note("it has its value before the program starts: only constants and addresses can stand here")
                .help("assign it at the start of `main`"),
        );
    }
    fx.undecided();
    let regions = fx.solve_regions();
    if let Some(reported) = fx.failed {
        return Err(reported);
    }
    let mut zonk = zonk::Zonk::new(&mut fx, regions);
    zonk.expr(&mut value);
    Ok(Some(value))
}

/// The type of a global, with the length its initialiser gives an array `T a[] = …`.
pub fn global_type(sess: &Session, prog: &Program, id: GlobalId) -> Result<Ty, Reported> {
    let mut fx = Fx::new(sess, prog);
    match global_ty(&mut fx, id) {
        Some(ty) => Ok(ty),
        None => Err(fx.failed.unwrap_or_else(|| sess.reported())),
    }
}

pub(crate) fn global_ty(fx: &mut Fx<'_>, id: GlobalId) -> Option<Ty> {
    let global = &fx.prog.globals[id];
    if global.ty.is_error() {
        fx.poison();
        return None;
    }
    let TyKind::Array { len: IntExpr::Unknown, .. } = global.ty.kind() else {
        return Some(global.ty);
    };
    let init = global.init.as_deref()?;
    let mut inner = Fx::new(fx.sess, fx.prog);
    let value = inner.init(init, global.ty, What::Init(None), global.span);
    let regions = vec![toft_ty::Region::Heap; inner.graph.vars as usize];
    let failed = inner.failed;
    let mut ty = value.ty;
    zonk::Zonk::new(&mut inner, regions).fix(&mut ty);
    if failed.is_some() || ty.is_error() {
        fx.failed = fx.failed.or(failed);
        fx.poison();
        return None;
    }
    Some(ty)
}

fn unset_global(fx: &mut Fx<'_>, global: &hir::Global) {
    if !fx.need_complete_object(global.ty, global.span)
        || (fx.zeroable(global.ty) && fx.prog.tables.zero_fits(global.quals))
    {
        return;
    }
    let text = fx.show(global.ty);
    fx.report(
        Diagnostic::error(
            codes::E0701,
            format!("`{}` needs an initialiser", global.name),
            global.span,
            "",
        )
        .note(format!("globals start as zero, which is not a value of type {text}")),
    );
}

fn declared(error: Ty, local: &hir::Local) -> tir::Local {
    tir::Local {
        name: local.name,
        ty: error,
        quals: local.quals,
        span: local.span,
        region: local.region,
        align: local.align,
        maybe_unused: local.maybe_unused,
    }
}

fn parameters(fx: &mut Fx<'_>, func: &hir::Func, body: &hir::Body) {
    for n in 0..body.params {
        let local = &body.locals.raw[n];
        let ty = match &local.ty {
            LocalTy::Known(ty) => *ty,
            _ => func.sig.params.get(n).copied().unwrap_or(fx.t.error),
        };
        fx.need_complete_object(ty, local.span);
        fx.set_local(hir::LocalId(n as u32), ty);
    }
    if !func.sig.ret.is_void() && !func.sig.ret.is_error() {
        fx.need_complete(func.sig.ret, func.span);
    }
}

type Contracts = (Vec<tir::ContractCond>, Vec<tir::ContractCond>, Option<hir::LocalId>);

fn contracts<'a>(fx: &mut Fx<'a>, func: &'a hir::Func) -> Contracts {
    let (mut requires, mut ensures, mut result) = (Vec::new(), Vec::new(), None);
    let params = func.sig.params.len();
    for (n, info) in func.params.iter().enumerate().take(fx.locals.len().min(params)) {
        if let Some(refine) = info.quals.refine {
            fx.refined_contract(hir::LocalId(n as u32), refine, &mut requires);
        }
    }
    if let Some(refine) = func.ret_refine {
        let local = fx.result_local(func.sig.ret, func.span);
        result = Some(local);
        fx.refined_contract(local, refine, &mut ensures);
    }
    for contract in &func.contracts {
        if !contract.requires && result.is_none() && !func.sig.ret.is_void() {
            result = Some(fx.result_local(func.sig.ret, contract.span));
        }
        fx.contract = Some((params, if contract.requires { None } else { result }));
        let cond = fx.cond(&contract.cond);
        fx.contract = None;
        let text = Symbol::intern(&fx.source(contract.cond.span));
        let list = if contract.requires { &mut requires } else { &mut ensures };
        list.push(tir::ContractCond { cond, text, span: contract.span });
    }
    (requires, ensures, result)
}

/// `int main(void)`, `int main(int, char **)`, with `char ? ?` as well.
fn check_main(fx: &mut Fx<'_>, id: FuncId, func: &hir::Func) {
    if fx.prog.main != Some(id) {
        return;
    }
    let sig = &func.sig;
    let int = |ty: &Ty| matches!(ty.kind(), TyKind::Int(IntTy::Int));
    let strings = |ty: &Ty| {
        ty.as_ptr().is_some_and(|outer| {
            outer.bounds == Bounds::Fat
                && outer.elem.as_ptr().is_some_and(|inner| {
                    fx.is_char(inner.elem) && (inner.zeroterm || inner.bounds == Bounds::Fat)
                })
        })
    };
    let params = match sig.params.as_slice() {
        [] => true,
        [argc] => int(argc),
        [argc, argv] => int(argc) && strings(argv),
        [argc, argv, envp] => int(argc) && strings(argv) && strings(envp),
        _ => false,
    };
    let types = func.generics.iter().any(|param| !matches!(param.kind, toft_ty::Kind::Region));
    if params && !types && (int(&sig.ret) || sig.ret.is_error()) {
        return;
    }
    if sig.params.iter().any(|ty| ty.is_error()) {
        return;
    }
    fx.report(
        Diagnostic::error(codes::E0410, "`main` has a signature it cannot have", func.span, "")
            .help("write `int main(void)` or `int main(int argc, char **argv)`"),
    );
}
