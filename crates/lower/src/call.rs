//! Calls.

use crate::builder::Lower;
use toft_base::Span;
use toft_hir::Builtin;
use toft_mir as mir;
use toft_mir::{CheckKind, Operand, Place, RegionId, Rvalue, StmtKind, TermKind};
use toft_tir::{Call, Callee, Expr, Varargs};
use toft_ty::{Bounds, GArg, IntExpr, PtrTy, Region, Ty, TyKind};

impl Lower<'_> {
    /// The callee (when it is a value), then the arguments, then the null check of the
    /// callee, then the call.
    pub fn call(&mut self, call: &Call, dest: Option<Place>, e: &Expr) {
        let mut list: Vec<&Expr> = Vec::with_capacity(call.args.len() + 1);
        if let Callee::Ptr(ptr) = &call.callee {
            list.push(ptr);
        }
        list.extend(&call.args);
        match &call.varargs {
            Varargs::None => {}
            Varargs::C(more) | Varargs::Typed(more, _) => list.extend(more),
        }
        let mut ops = self.operands(&list);
        let (callee, noreturn) = match &call.callee {
            Callee::Func(func, args) => {
                let noreturn = self.decls.funcs.get(*func).is_some_and(|f| f.sig.noreturn);
                (mir::Callee::Func(*func, args.clone()), noreturn)
            }
            Callee::Ptr(ptr) => {
                let op = ops.remove(0);
                let ty = ptr.ty.as_ptr();
                if ty.is_some_and(|ptr| ptr.nullable) {
                    self.check(e.span, CheckKind::NotNull(op.clone()));
                }
                let func = ty.and_then(|ptr| ptr.elem.as_func());
                (mir::Callee::Ptr(op), func.is_some_and(|func| func.noreturn))
            }
            Callee::Builtin(Builtin::Gnu(name), _) => (mir::Callee::Gnu(*name), false),
            Callee::Builtin(Builtin::Realloc, given) if ops.len() == 2 => {
                if let (Some(GArg::Ty(elem)), [old, count]) = (given.first(), &call.args[..]) {
                    let value = self.reallocate(&ops, old, count, *elem, e);
                    match dest {
                        Some(dest) => self.assign(e.span, dest, value),
                        None => drop(value),
                    }
                }
                return;
            }
            Callee::Builtin(builtin, _) => {
                let name = format!("{builtin:?}");
                self.unsupported(e.span, &format!("the builtin `{}`", snake(&name)));
                return;
            }
        };
        let mut varargs = ops.split_off(call.args.len());
        if let Varargs::Typed(_, elem) = &call.varargs {
            let all = self.gather(std::mem::take(&mut varargs), *elem, e.span);
            ops.push(all);
        }
        if let Varargs::C(exprs) = &call.varargs {
            self.format_args(&mut ops, &mut varargs, exprs);
        }
        let dest = dest.filter(|_| !e.ty.is_void() && !noreturn);
        let call = mir::Call { dest, callee, args: ops, varargs, noreturn, suspends: false };
        self.emit(e.span, StmtKind::Call(Box::new(call)));
        if noreturn {
            self.end(e.span, TermKind::Unreachable);
        }
    }

    /// Typed variable arguments: an array on the stack, seen through a fat pointer.
    fn gather(&mut self, values: Vec<Operand>, elem: Ty, span: Span) -> Operand {
        let fat = PtrTy { nullable: true, ..PtrTy::fat(elem, Region::Local(RegionId(0))) };
        let len = values.len() as u64;
        if values.is_empty() {
            return crate::consts::null(Ty::ptr(fat));
        }
        let count = IntExpr::Const(len);
        let array = Ty::new(TyKind::Array { elem, len: count, zeroterm: false });
        let temp = Place::local(self.temp(array, span));
        let fields = (0..len).zip(values).collect();
        self.assign(span, temp.clone(), Rvalue::Aggregate(fields));
        let thin = Ty::ptr(PtrTy { nullable: false, bounds: Bounds::Thin(count), ..fat });
        let base = self.settle(Rvalue::Ref(temp), thin, span);
        let len = self.ulong(len);
        self.settle(Rvalue::MakeFat { base, len }, Ty::ptr(fat), span)
    }
}

/// `RcallocX` as `rcalloc_x`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (n, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && n > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
