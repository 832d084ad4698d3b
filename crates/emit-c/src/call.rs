//! Calls.

use crate::func::FnCx;
use crate::types::{Class, class};
use toft_cir::{Expr, StmtKind, Text};
use toft_mir::{Call, Callee, Operand, Place};
use toft_ty::{FuncTy, Ty, TyKind, Variadic, concrete};

impl FnCx<'_, '_> {
    pub fn call(&mut self, call: &Call) {
        if let Callee::Runtime(name) = call.callee
            && self.memory_call(name, call)
        {
            return;
        }
        let Some((callee, ret)) = self.callee(call) else { return };
        let expr = callee;
        match (&call.dest, ret) {
            (Some(dest), Ret::Ty(ret)) if !ret.is_void() => {
                let to = self.peek_ty(dest).unwrap_or(ret);
                let value = self.coerce(expr, ret, to);
                self.store_call(dest, value);
            }
            (Some(dest), Ret::Text(text)) if &*text != "void" => {
                let to = self.peek_ty(dest);
                let value = match to {
                    Some(to) if class(to) == Class::Pointer => Expr::cast(self.cx.cty(to), expr),
                    _ => expr,
                };
                self.store_call(dest, value);
            }
            _ => {
                self.before_memory();
                self.emit(StmtKind::Expr(expr));
            }
        }
    }

    /// The place is evaluated with the arguments: it has no effects.
    fn store_call(&mut self, dest: &Place, value: Expr) {
        let to = self.target(dest);
        self.before_memory();
        self.before_store(dest);
        self.put(to, value);
    }

    fn callee(&mut self, call: &Call) -> Option<(Expr, Ret)> {
        match &call.callee {
            Callee::Func(id, args) => {
                if let Some(name) = self.cx.instance(*id, args) {
                    let n = self.cx.instance_ids[&(*id, args.clone())];
                    let program = self.cx.program;
                    let body = &program.list[n].1;
                    let params: Vec<Ty> =
                        body.locals.iter().take(body.params).map(|local| local.ty).collect();
                    let args = self.args(&call.args, &params, &call.varargs);
                    return Some((Expr::Call(Box::new(Expr::Atom(name)), args), Ret::Ty(body.ret)));
                }
                if !self.cx.program.externals.contains(id) {
                    self.unsupported("a call of a function that has no instance here");
                    return None;
                }
                let external = self.cx.external(*id);
                let args = self.text_args(call, &external.params);
                let callee = Expr::Atom(external.name.clone());
                Some((Expr::Call(Box::new(callee), args), Ret::Text(external.ret.clone())))
            }
            Callee::Ptr(op) => {
                let (callee, ty) = self.operand(op);
                let func = func_of(ty)?;
                let mut params: Vec<Ty> = func.params.clone();
                if let Variadic::Typed(elem) | Variadic::Inject(elem) = func.variadic {
                    params.push(Ty::ptr(toft_ty::PtrTy::fat(elem, toft_ty::Region::Erased)));
                }
                let args = self.args(&call.args, &params, &call.varargs);
                Some((Expr::Call(Box::new(callee), args), Ret::Ty(concrete(func.ret))))
            }
            Callee::Gnu(name) => {
                let args = self.args(&call.args, &[], &call.varargs);
                let ret = match &call.dest {
                    Some(dest) => Ret::Ty(self.peek_ty(dest)?),
                    None => Ret::Text("void".into()),
                };
                Some((Expr::call(name.as_str(), args), ret))
            }
            Callee::Runtime(name) => {
                if name.starts_with("toft_new") || name.starts_with("toft_gc") {
                    self.cx.descs.used = true;
                }
                let (ret, params): (Text, Vec<Text>) = match toft_rt_abi::lookup(name) {
                    Some(entry) => {
                        let list = entry.params.iter().map(|param| param.ty.into()).collect();
                        (entry.ret.into(), list)
                    }
                    None => ("int".into(), Vec::new()),
                };
                let args = self.text_args(call, &params);
                Some((Expr::call(name, args), Ret::Text(ret)))
            }
        }
    }

    fn args(&mut self, args: &[Operand], params: &[Ty], varargs: &[Operand]) -> Vec<Expr> {
        let mut list = Vec::with_capacity(args.len() + varargs.len());
        for (n, op) in args.iter().enumerate() {
            list.push(match params.get(n) {
                Some(&ty) => self.operand_as(op, ty),
                None => self.operand(op).0,
            });
        }
        for op in varargs {
            list.push(self.vararg(op));
        }
        list
    }

    /// Arguments for parameters whose C types are known as text.
    fn text_args(&mut self, call: &Call, params: &[Text]) -> Vec<Expr> {
        let mut list = Vec::with_capacity(call.args.len() + call.varargs.len());
        for (n, op) in call.args.iter().enumerate() {
            let (expr, ty) = self.operand(op);
            list.push(match params.get(n) {
                Some(text) if class(ty) == Class::Pointer => Expr::cast(text.clone(), expr),
                _ => expr,
            });
        }
        for op in &call.varargs {
            list.push(self.vararg(op));
        }
        list
    }

    /// A literal's type counts here.
    fn vararg(&mut self, op: &Operand) -> Expr {
        let (expr, ty) = self.operand(op);
        match (&expr, class(ty)) {
            (_, Class::Int) if op.as_int().is_some() => Expr::cast(self.cx.cty(ty), expr),
            _ => expr,
        }
    }
}

/// What is known of a call's result.
enum Ret {
    Ty(Ty),
    Text(Text),
}

fn func_of(ty: Ty) -> Option<&'static FuncTy> {
    match ty.kind() {
        TyKind::Ptr(ptr) => ptr.elem.as_func(),
        TyKind::Func(func) => Some(func),
        _ => None,
    }
}
