//! Calls.

use crate::builder::Lower;
use toft_base::Span;
use toft_mir as mir;
use toft_mir::{CheckKind, Operand, Place, RegionId, Rvalue, StmtKind, TermKind};
use toft_tir::{Call, Callee, Expr, Varargs};
use toft_ty::{Bounds, IntExpr, PtrTy, Region, Ty, TyKind};

impl Lower<'_> {
    /// The callee (when it is a value), then the arguments, then the null check of the
    /// callee, then the call. Loans made for it end with it.
    pub fn call(&mut self, call: &Call, dest: Option<Place>, e: &Expr) {
        let node = self.node;
        let lends = std::mem::replace(&mut self.lends, true);
        match &call.callee {
            Callee::Builtin(builtin, given) => self.builtin(*builtin, given, call, dest, e),
            _ => self.plain_call(call, dest, e),
        }
        self.lends = lends;
        // Loans of the tree end where it says so: the result may point into them.
        if !self.has_loans(node) {
            self.leave(node, e.span);
        }
    }

    fn plain_call(&mut self, call: &Call, dest: Option<Place>, e: &Expr) {
        let mut list: Vec<(&Expr, bool)> = Vec::with_capacity(call.args.len() + 1);
        let mut consumes = 0;
        match &call.callee {
            Callee::Ptr(ptr) => {
                list.push((ptr, true));
                let func = ptr.ty.as_ptr().and_then(|ptr| ptr.elem.as_func());
                consumes = func.map_or(0, |func| func.consumes);
            }
            Callee::Func(func, _) => {
                consumes = self.decls.funcs.get(*func).map_or(0, |f| f.sig.consumes);
            }
            Callee::Builtin(..) => {}
        }
        let args = call.args.iter().enumerate();
        list.extend(args.map(|(n, arg)| (arg, n < 64 && consumes >> n & 1 != 0)));
        match &call.varargs {
            Varargs::None => {}
            Varargs::C(more) => list.extend(more.iter().map(|arg| (arg, false))),
            // They become elements of an array.
            Varargs::Typed(more, _) => list.extend(more.iter().map(|arg| (arg, true))),
        }
        let mut ops = self.arguments(&list);
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
            Callee::Builtin(..) => return,
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

    /// The arguments of a call, left to right. The flag says that the callee takes the value
    /// over; what is tracked and not taken over stays where it is.
    pub fn arguments(&mut self, list: &[(&Expr, bool)]) -> Vec<Operand> {
        let exprs: Vec<&Expr> = list.iter().map(|(e, _)| *e).collect();
        let mut out = Vec::with_capacity(list.len());
        // Nothing after the last expression that does anything can disturb.
        let end = exprs.iter().rposition(|e| !crate::order::is_still(e)).map_or(0, |last| last + 1);
        for (n, &(e, taken)) in list.iter().enumerate() {
            let later = exprs.get(n + 1..end).unwrap_or(&[]);
            out.push(match !taken && self.is_tracked(e.ty) {
                true => {
                    let op = self.look(e);
                    self.stays(op, later, e.span)
                }
                false => {
                    let op = self.operand(e);
                    self.shield(op, e.ty, later, e.span)
                }
            });
        }
        out
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
