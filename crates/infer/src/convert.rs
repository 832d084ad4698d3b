//! Conversions written out: what C does silently becomes a [`Conv`] node here.

use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::relate::Mode;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir::ops::BinOp;
use toft_tir::{Conv, Expr, ExprKind};
use toft_ty::{Bounds, IntExpr, PtrTy, Ty, TyKind};

/// An expression of the given parts.
pub fn mk(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub fn conv(kind: Conv, e: Expr, ty: Ty) -> Expr {
    let span = e.span;
    mk(ExprKind::Conv(kind, Box::new(e)), ty, span)
}

/// An integer constant, when the expression is one.
pub fn const_int(e: &Expr) -> Option<i128> {
    match e.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

impl<'a> Fx<'a> {
    pub fn bad(&self, span: Span) -> Expr {
        mk(ExprKind::Int(0), self.t.error, span)
    }

    pub fn int_const(&self, value: i128, ty: Ty, span: Span) -> Expr {
        mk(ExprKind::Int(value), ty, span)
    }

    /// Null pointer constants: `NULL`, `0`, `(void *)0`.
    pub fn is_null(&self, e: &Expr) -> bool {
        match e.kind {
            ExprKind::Null => true,
            ExprKind::Int(0) => matches!(e.ty.kind(), TyKind::Int(_)),
            _ => false,
        }
    }

    /// `e` where a value of type `to` is needed.
    pub fn coerce(&mut self, e: Expr, to: Ty, what: What) -> Expr {
        if e.ty == to {
            return e;
        }
        let origin = Origin::new(e.span, what);
        self.convert(e, to, origin, false)
    }

    /// Converts implicitly, or as an explicit cast does.
    pub fn convert(&mut self, mut e: Expr, to: Ty, o: Origin, explicit: bool) -> Expr {
        let (from, to) = (self.shallow(e.ty), self.shallow(to));
        if from == to {
            return e;
        }
        self.callee = match o.what {
            What::Arg(callee, _) => callee,
            _ => None,
        };
        if from.is_error() || to.is_error() {
            e.ty = self.t.error;
            return e;
        }
        match (from.kind(), to.kind()) {
            (_, TyKind::Infer(_)) => {
                let wide = self.widened(from, o);
                if from.is_void() || !self.relate(wide, to, Mode::Flow, o) {
                    return self.mismatch(e, to, o);
                }
                if wide == from { e } else { self.convert(e, wide, o, true) }
            }
            (TyKind::Ptr(a), TyKind::Ptr(b)) => self.convert_ptr(e, a, b, to, o, explicit),
            (_, TyKind::Ptr(b)) if self.is_null(&e) => self.null_to(b, to, e.span),
            (TyKind::Ptr(_), TyKind::Bool) => conv(Conv::ToBool, e, to),
            (_, TyKind::Tag(n)) => self.tag_from(e, *n, to, o),
            (_, TyKind::SizeofT(of)) => self.sizeof_from(e, *of, to, o),
            (_, TyKind::Ptr(_)) if from.is_integer() => {
                self.report(
                    Diagnostic::error(
                        codes::E0501,
                        "a pointer cannot be made from an integer",
                        e.span,
                        format!("has type {}", self.show(from)),
                    )
                    .help("only the constant 0 (NULL) converts to a pointer; keep an index and a pointer with bounds (`T ?`) instead"),
                );
                self.bad(e.span)
            }
            (TyKind::Ptr(_), _) if explicit && to.is_integer() => {
                let wide = conv(Conv::PtrToInt, e, self.t.ulong);
                self.arith(wide, to, true)
            }
            (_, TyKind::Void) if explicit => conv(Conv::Drop, e, to),
            _ if from.is_arithmetic() && to.is_arithmetic() => self.arith(e, to, explicit),
            _ => {
                if self.relate(from, to, Mode::Flow, o) {
                    e
                } else {
                    self.mismatch(e, to, o)
                }
            }
        }
    }

    /// What a type variable takes when a value of type `ty` is put in: a literal's length is
    /// forgotten, and its region may be any shorter one.
    fn widened(&mut self, ty: Ty, o: Origin) -> Ty {
        let Some(&ptr) = ty.as_ptr() else { return ty };
        let mut wide = ptr;
        if wide.zeroterm && matches!(wide.bounds, Bounds::Thin(IntExpr::Const(_))) {
            wide.bounds = Bounds::Thin(IntExpr::Const(0));
        }
        if !matches!(ptr.region, toft_ty::Region::Heap) {
            wide.region = self.graph.fresh();
            self.graph.outlives(ptr.region, wide.region, o);
        }
        Ty::ptr(wide)
    }

    fn tag_from(&mut self, e: Expr, n: IntExpr, to: Ty, o: Origin) -> Expr {
        let value = const_int(&e);
        let fits = match (*self.shallow(e.ty).kind(), value) {
            (TyKind::Tag(m), _) => self.relate_int(m, n),
            (TyKind::Int(_), Some(value)) if value >= 0 => {
                self.relate_int(IntExpr::Const(value as u64), n)
            }
            (TyKind::Int(_) | TyKind::Enum(_) | TyKind::Bool, None)
                if matches!(self.int(n), IntExpr::Infer(_)) && self.func.is_some() =>
            {
                let bad = self.bad(e.span);
                return self.name_number(e, n).unwrap_or(bad);
            }
            _ => false,
        };
        if !fits {
            let text = self.show(to);
            let span = e.span;
            self.report(
                Diagnostic::error(
                    codes::E0507,
                    format!("this is not certain to be the number that {text} stands for"),
                    span,
                    format!("has type {}", self.show(e.ty)),
                )
                .help("pass a constant, or a variable of a `tag_t` type"),
            );
            return self.bad(span);
        }
        match value {
            Some(value) => self.int_const(value, to, o.span),
            None => e,
        }
    }

    fn sizeof_from(&mut self, e: Expr, of: Ty, to: Ty, o: Origin) -> Expr {
        let fits = match (&e.kind, e.ty.kind()) {
            (_, TyKind::SizeofT(_)) => self.relate(e.ty, to, Mode::Eq, o),
            (ExprKind::Sizeof(ty), _) => self.relate(*ty, of, Mode::Eq, o),
            (ExprKind::Int(n), _) => self.size_of(of).is_ok_and(|size| i128::from(size) == *n),
            _ => false,
        };
        if fits {
            return Expr { ty: to, ..e };
        }
        self.mismatch(e, to, o)
    }

    /// Between arithmetic types.
    pub fn arith(&mut self, e: Expr, to: Ty, explicit: bool) -> Expr {
        let from = self.shallow(e.ty);
        if from == to {
            return e;
        }
        let span = e.span;
        let (from_float, to_float) = (from.is_float(), to.is_float());
        if matches!(to.kind(), TyKind::Bool) {
            return match e.kind {
                ExprKind::Int(value) => self.int_const(i128::from(value != 0), to, span),
                _ => conv(Conv::ToBool, e, to),
            };
        }
        if let Some(int) = self.int_ty(to)
            && !to_float
        {
            match e.kind {
                ExprKind::Int(value) if !from_float => {
                    let new = int.wrap(value);
                    // -1 for "all bits set" is what every C programmer writes.
                    if new != value && value != -1 && !explicit {
                        let text = self.show(to);
                        self.warn(
                            codes::W0401,
                            span,
                            format!("the constant {value} becomes {new} when converted to {text}"),
                        );
                    }
                    return self.int_const(new, to, span);
                }
                ExprKind::Float(value) => {
                    let new = value.trunc();
                    let fits = new >= int.min() as f64 && new <= int.max() as f64;
                    if fits && (new as i128) <= int.max() {
                        if new != value && !explicit {
                            let text = self.show(to);
                            self.warn(
                                codes::W0401,
                                span,
                                format!(
                                    "the constant {value} becomes {new} when converted to {text}"
                                ),
                            );
                        }
                        return self.int_const(new as i128, to, span);
                    }
                    let text = self.show(to);
                    self.error(
                        codes::E0412,
                        span,
                        format!("the constant {value} does not fit {text}"),
                    );
                    return self.bad(span);
                }
                _ => {}
            }
        }
        if to_float && let ExprKind::Int(value) = e.kind {
            return mk(ExprKind::Float(value as f64), to, span);
        }
        let kind = match (from_float, to_float) {
            (false, false) => Conv::IntToInt,
            (false, true) => Conv::IntToFloat,
            (true, false) => Conv::FloatToInt,
            (true, true) => Conv::FloatToFloat,
        };
        conv(kind, e, to)
    }

    /// A condition: `bool`, or a comparison or logical operation (0 or 1) as it is.
    pub fn truth(&mut self, e: Expr) -> Expr {
        let ty = self.shallow(e.ty);
        let logical = matches!(
            e.kind,
            ExprKind::Compare(..)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Not(_)
                | ExprKind::Conv(Conv::ToBool, _)
        );
        if logical || matches!(ty.kind(), TyKind::Bool) || ty.is_error() {
            return e;
        }
        if let ExprKind::Int(value) = e.kind {
            return self.int_const(i128::from(value != 0), self.t.bool, e.span);
        }
        if ty.is_scalar() {
            return conv(Conv::ToBool, e, self.t.bool);
        }
        if !self.refuse_opaque(ty, e.span, "tested") {
            let text = self.show(ty);
            let code = if ty.is_void() { codes::E0409 } else { codes::E0402 };
            self.error(
                code,
                e.span,
                format!("a condition must be a number or a pointer, not {text}"),
            );
        }
        self.bad(e.span)
    }

    pub fn mismatch(&mut self, e: Expr, to: Ty, o: Origin) -> Expr {
        let from = self.shallow(e.ty);
        let (have, want) = (self.show(from), self.show(to));
        if from.is_void() {
            self.error(codes::E0409, e.span, "this expression has no value");
            return self.bad(e.span);
        }
        let message = match o.what {
            What::Arg(Some(func), n) => {
                let name = self.prog.funcs[func].name;
                format!("argument {} of `{name}` must be {want}, not {have}", n + 1)
            }
            What::Arg(None, n) => format!("argument {} must be {want}, not {have}", n + 1),
            What::Return => format!("the function returns {want}, not {have}"),
            What::Cast => format!("{have} cannot be cast to {want}"),
            _ => format!("a value of type {want} is needed here, not {have}"),
        };
        let aqual = self.differ_in_aqual(from, to);
        let code = match o.what {
            _ if aqual => codes::E2009,
            What::Cast => codes::E0407,
            _ => codes::E0401,
        };
        let mut diagnostic = Diagnostic::error(code, message, e.span, format!("has type {have}"));
        if let (Some(from), true) = (from.as_ptr(), to.is_arithmetic())
            && self.shallow(from.elem) == to
        {
            let text = self.source(e.span);
            diagnostic = diagnostic.suggest(e.span, format!("*{text}"), "read what it points to");
        }
        if from.as_ptr().is_some() && to.is_integer() {
            diagnostic = diagnostic.help("write a cast if the address itself is meant");
        }
        self.report(diagnostic);
        self.bad(e.span)
    }

    /// The text of the program at `span`.
    pub fn source(&self, span: Span) -> String {
        let map = self.sess.map.borrow();
        map.text(map.call_site(span)).to_owned()
    }

    pub fn null_to(&mut self, to: &PtrTy, ty: Ty, span: Span) -> Expr {
        if !to.nullable {
            let text = self.show(ty);
            self.error(
                codes::E0506,
                span,
                format!("null where {text}, which is never null, is needed"),
            );
            return self.bad(span);
        }
        mk(ExprKind::Null, ty, span)
    }

    /// Folds an operation on two integer constants of type `ty`; errors are reported.
    pub fn fold(&mut self, op: BinOp, a: i128, b: i128, ty: Ty, span: Span) -> Option<Expr> {
        let int = self.int_ty(ty)?;
        let value = match op {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div => a.checked_div(b)?,
            BinOp::Rem => a.checked_rem(b)?,
            BinOp::Shl => a.checked_shl(u32::try_from(b).ok()?)?,
            BinOp::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
            BinOp::BitAnd => a & b,
            BinOp::BitOr => a | b,
            BinOp::BitXor => a ^ b,
            BinOp::Lt => i128::from(a < b),
            BinOp::Gt => i128::from(a > b),
            BinOp::Le => i128::from(a <= b),
            BinOp::Ge => i128::from(a >= b),
            BinOp::Eq => i128::from(a == b),
            BinOp::Ne => i128::from(a != b),
        };
        Some(self.int_const(int.wrap(value), ty, span))
    }
}
