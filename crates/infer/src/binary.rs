//! Binary operators, assignments, conditionals.

use crate::convert::{const_int, conv, mk};
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::relate::Mode;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::BinOp;
use toft_tir::{AssignOp, Conv, Expr, ExprKind, Place, PlaceKind};
use toft_ty::{Aqual, Bounds, IntExpr, PtrTy, Ty, TyKind, TyQuals};

impl<'a> Fx<'a> {
    pub fn binary(
        &mut self,
        op: BinOp,
        a: &'a hir::Expr,
        b: &'a hir::Expr,
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let a = self.expr(a, None);
        let b = self.expr(b, None);
        // `buf + 1` stays a string where one is wanted, and carries its bounds elsewhere.
        let string =
            expect.and_then(|ty| self.shallow(ty).as_ptr()).is_some_and(|ptr| ptr.zeroterm);
        self.binary_in(op, a, b, string, span)
    }

    pub fn binary_values(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        self.binary_in(op, a, b, false, span)
    }

    fn binary_in(&mut self, op: BinOp, a: Expr, b: Expr, string: bool, span: Span) -> Expr {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        if x.is_error() || y.is_error() {
            return self.bad(span);
        }
        if op.is_comparison() {
            return self.compare(op, a, b, span);
        }
        if x.is_arithmetic() && y.is_arithmetic() {
            return self.arithmetic(op, a, b, span);
        }
        match (op, x.as_ptr(), y.as_ptr()) {
            (BinOp::Add, Some(_), None) if y.is_integer() => self.offset(a, b, false, string, span),
            (BinOp::Add, None, Some(_)) if x.is_integer() => self.offset(b, a, false, string, span),
            (BinOp::Sub, Some(_), None) if y.is_integer() => self.offset(a, b, true, string, span),
            (BinOp::Sub, Some(_), Some(_)) => self.difference(a, b, span),
            _ => self.bad_operands(op, x, y, span),
        }
    }

    pub fn bad_operands(&mut self, op: BinOp, x: Ty, y: Ty, span: Span) -> Expr {
        if !self.refuse_opaque(x, span, "computed with")
            && !self.refuse_opaque(y, span, "computed with")
        {
            let (x_text, y_text) = (self.show(x), self.show(y));
            let void = x.is_void() || y.is_void();
            let code = if void { codes::E0409 } else { codes::E0402 };
            self.error(
                code,
                span,
                format!("`{}` cannot be applied to {x_text} and {y_text}", op.text()),
            );
        }
        self.bad(span)
    }

    fn offset(&mut self, p: Expr, i: Expr, negative: bool, string: bool, span: Span) -> Expr {
        let i = if negative {
            let back = self.shallow(p.ty).as_ptr().is_some_and(|ptr| {
                ptr.zeroterm
                    && ptr.bounds != Bounds::Fat
                    && !matches!(p.kind, ExprKind::Decay(_) | ExprKind::Str { .. })
            });
            if back && const_int(&i).is_none_or(|n| n > 0) {
                self.zeroterm_back(span);
                return self.bad(span);
            }
            let i = self.arith(i, self.t.long, true);
            match const_int(&i) {
                Some(n) => self.int_const(-n, self.t.long, i.span),
                None => {
                    let at = i.span;
                    mk(ExprKind::Neg(Box::new(i)), self.t.long, at)
                }
            }
        } else {
            self.promote(i)
        };
        self.pointer_add(p, i, string && !negative, span)
    }

    fn difference(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        let (a, b) = (self.with_bounds(a), self.with_bounds(b));
        let (Some(&x), Some(&y)) = (self.shallow(a.ty).as_ptr(), self.shallow(b.ty).as_ptr())
        else {
            return self.bad(span);
        };
        if !self.same_shape(x.elem, y.elem) {
            return self.bad_operands(BinOp::Sub, a.ty, b.ty, span);
        }
        if !self.arithmetic_on(&x, a.span, span) || !self.arithmetic_on(&y, b.span, span) {
            return self.bad(span);
        }
        mk(ExprKind::PtrDiff(Box::new(a), Box::new(b)), self.t.long, span)
    }

    fn arithmetic(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        use BinOp::*;
        let (a, b) = (self.promote(a), self.promote(b));
        let int_only = matches!(op, Rem | Shl | Shr | BitAnd | BitOr | BitXor);
        if int_only && (a.ty.is_float() || b.ty.is_float()) {
            return self.bad_operands(op, a.ty, b.ty, span);
        }
        if matches!(op, Shl | Shr) {
            return self.shift(op, a, b, span);
        }
        let ty = self.usual(self.shallow(a.ty), self.shallow(b.ty));
        let (a, b) = (self.arith(a, ty, true), self.arith(b, ty, true));
        if matches!(op, Div | Rem) && const_int(&b) == Some(0) && !ty.is_float() {
            self.error(codes::E0511, span, "division by zero");
            return self.bad(span);
        }
        if let (Some(x), Some(y)) = (const_int(&a), const_int(&b))
            && let Some(folded) = self.fold(op, x, y, ty, span)
        {
            return folded;
        }
        if let (ExprKind::Float(x), ExprKind::Float(y)) = (&a.kind, &b.kind)
            && *ty.kind() == TyKind::Float(toft_ty::FloatTy::Double)
        {
            let value = match op {
                Add => x + y,
                Sub => x - y,
                Mul => x * y,
                _ => x / y,
            };
            return mk(ExprKind::Float(value), ty, span);
        }
        mk(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn shift(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        let ty = self.shallow(a.ty);
        let width = self.int_ty(ty).map_or(32, |int| int.bits());
        if let Some(n) = const_int(&b) {
            if n < 0 || n >= i128::from(width) {
                self.error(
                    codes::E0511,
                    span,
                    format!("a shift by {n} of a value with {width} bits"),
                );
                return self.bad(span);
            }
            if let Some(value) = const_int(&a)
                && let Some(folded) = self.fold(op, value, n, ty, span)
            {
                return folded;
            }
        }
        mk(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn compare(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        let int = self.t.int;
        if x.is_arithmetic() && y.is_arithmetic() {
            self.lint_compare(op, &a, &b, span);
            let (a, b) = (self.promote(a), self.promote(b));
            let ty = self.usual(self.shallow(a.ty), self.shallow(b.ty));
            let (a, b) = (self.arith(a, ty, true), self.arith(b, ty, true));
            if let (Some(p), Some(q)) = (const_int(&a), const_int(&b))
                && let Some(folded) = self.fold(op, p, q, ty, span)
            {
                return Expr { ty: int, ..folded };
            }
            return mk(ExprKind::Compare(op, Box::new(a), Box::new(b)), int, span);
        }
        let (a_null, b_null) = (self.is_null(&a), self.is_null(&b));
        let (a, b) = match (x.as_ptr(), y.as_ptr()) {
            (Some(_), Some(_)) if a_null && b_null => {
                let holds = matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge);
                return self.int_const(i128::from(holds), int, span);
            }
            (Some(p), _) if b_null && p.bounds == Bounds::Fat && self.is_tracked_ptr(x) => {
                return self.null_test(op, a, span);
            }
            (_, Some(q)) if a_null && q.bounds == Bounds::Fat && self.is_tracked_ptr(y) => {
                return self.null_test(op, b, span);
            }
            (Some(p), _) if b_null => {
                let a = self.address_only(a);
                let at = b.span;
                let ty = if p.bounds == Bounds::Fat {
                    a.ty
                } else {
                    Ty::ptr(PtrTy { nullable: true, ..*p })
                };
                (a, mk(ExprKind::Null, ty, at))
            }
            (_, Some(q)) if a_null => {
                let b = self.address_only(b);
                let at = a.span;
                let ty = if q.bounds == Bounds::Fat {
                    b.ty
                } else {
                    Ty::ptr(PtrTy { nullable: true, ..*q })
                };
                (mk(ExprKind::Null, ty, at), b)
            }
            (Some(p), Some(q)) => {
                let (pe, qe) = (self.shallow(p.elem), self.shallow(q.elem));
                if !pe.is_void()
                    && !qe.is_void()
                    && !self.same_shape(pe, qe)
                    && !self.same_datatype(pe, qe)
                {
                    return self.bad_operands(op, x, y, span);
                }
                (self.address_only(a), self.address_only(b))
            }
            _ => return self.bad_operands(op, x, y, span),
        };
        mk(ExprKind::Compare(op, Box::new(a), Box::new(b)), int, span)
    }

    /// A tracked fat pointer compared with null: it is looked at where it is.
    fn null_test(&mut self, op: BinOp, p: Expr, span: Span) -> Expr {
        let int = self.t.int;
        match op {
            BinOp::Ne => conv(Conv::ToBool, p, int),
            BinOp::Eq => {
                let set = conv(Conv::ToBool, p, self.t.bool);
                mk(ExprKind::Not(Box::new(set)), int, span)
            }
            _ => {
                let (x, null) = (p.ty, self.t.void_ptr);
                self.bad_operands(op, x, null, span)
            }
        }
    }

    fn same_datatype(&self, a: Ty, b: Ty) -> bool {
        let id = |ty: Ty| match *ty.kind() {
            TyKind::Adt(id, _) | TyKind::Variant(id, ..) => Some(id),
            _ => None,
        };
        id(a).is_some() && id(a) == id(b)
    }

    /// A fat pointer as its address, for comparisons.
    fn address_only(&mut self, e: Expr) -> Expr {
        match self.shallow(e.ty).as_ptr() {
            Some(ptr) if ptr.bounds == Bounds::Fat => {
                let e = self.lent(e, crate::tracked::Why::Arg);
                let ptr = self.shallow(e.ty).as_ptr().unwrap_or(ptr);
                let ty = Ty::ptr(PtrTy {
                    elem: self.t.void,
                    bounds: crate::types::thin(1),
                    zeroterm: false,
                    ..*ptr
                });
                conv(Conv::ToVoid, e, ty)
            }
            _ => e,
        }
    }

    fn lint_compare(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) {
        let unsigned = |e: &Expr| {
            self.int_ty(self.shallow(e.ty)).is_some_and(|int| !int.is_signed())
                && const_int(e).is_none()
        };
        let always = match op {
            BinOp::Lt if unsigned(a) && const_int(b) == Some(0) => Some("false"),
            BinOp::Ge if unsigned(a) && const_int(b) == Some(0) => Some("true"),
            BinOp::Gt if unsigned(b) && const_int(a) == Some(0) => Some("false"),
            BinOp::Le if unsigned(b) && const_int(a) == Some(0) => Some("true"),
            _ => None,
        };
        if let Some(always) = always {
            self.warn(
                codes::W0402,
                span,
                format!("an unsigned value is never negative: this comparison is always {always}"),
            );
        }
    }

    pub fn logical(&mut self, and: bool, a: &'a hir::Expr, b: &'a hir::Expr, span: Span) -> Expr {
        let (a, b) = (self.cond(a), self.cond(b));
        if a.ty.is_error() || b.ty.is_error() {
            return self.bad(span);
        }
        if let (Some(x), Some(y)) = (const_int(&a), const_int(&b)) {
            let value = if and { x != 0 && y != 0 } else { x != 0 || y != 0 };
            return self.int_const(i128::from(value), self.t.int, span);
        }
        let (a, b) = (Box::new(a), Box::new(b));
        let kind = if and { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
        mk(kind, self.t.int, span)
    }

    pub fn conditional(
        &mut self,
        cond: &'a hir::Expr,
        yes: Option<&'a hir::Expr>,
        no: &'a hir::Expr,
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let Some(yes) = yes else { return self.elvis(cond, no, expect, span) };
        let cond = self.cond(cond);
        let yes = self.whole(yes, expect);
        let no = self.whole(no, expect);
        if cond.ty.is_error() || yes.ty.is_error() || no.ty.is_error() {
            return self.bad(span);
        }
        let Some((yes, no, ty)) = self.join(yes, no, span) else { return self.bad(span) };
        // Only plain numbers are folded: a discarded arm must not lose its errors.
        if let (Some(c), Some(_), Some(_)) = (const_int(&cond), const_int(&yes), const_int(&no)) {
            return Expr { span, ..if c != 0 { yes } else { no } };
        }
        mk(ExprKind::Cond(Box::new(cond), Box::new(yes), Box::new(no)), ty, span)
    }

    /// `a ?: b`: `a` is kept in a variable of its own.
    fn elvis(
        &mut self,
        first: &'a hir::Expr,
        no: &'a hir::Expr,
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        use toft_tir::{Block, Local, LocalInit, Stmt, StmtKind};
        let value = self.whole(first, expect);
        let no = self.whole(no, expect);
        if value.ty.is_error() || no.ty.is_error() {
            return self.bad(span);
        }
        let at = value.span;
        let kept_ty = self.shallow(value.ty);
        let id = self.locals.push(Local {
            name: None,
            ty: kept_ty,
            quals: TyQuals::default(),
            span: at,
            region: self.here,
            align: None,
            maybe_unused: true,
        });
        let read = || {
            mk(
                ExprKind::Load(Box::new(Place {
                    kind: PlaceKind::Local(id),
                    ty: kept_ty,
                    quals: TyQuals::default(),
                    span: at,
                })),
                kept_ty,
                at,
            )
        };
        let cond = self.truth(read());
        let Some((yes, no, ty)) = self.join(read(), no, span) else { return self.bad(span) };
        let pick = mk(ExprKind::Cond(Box::new(cond), Box::new(yes), Box::new(no)), ty, span);
        let keep = Stmt { kind: StmtKind::Local(id, LocalInit::Value(value)), span: at };
        let block = Block { stmts: vec![keep], region: None, span };
        mk(ExprKind::StmtExpr { block: Box::new(block), value: Some(Box::new(pick)) }, ty, span)
    }

    /// Both arms converted to one type.
    pub fn join(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr, Ty)> {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        if x == y && !x.is_integer() {
            return Some((a, b, x));
        }
        if x.is_arithmetic() && y.is_arithmetic() {
            let (a, b) = (self.promote(a), self.promote(b));
            let ty = self.usual(self.shallow(a.ty), self.shallow(b.ty));
            return Some((self.arith(a, ty, true), self.arith(b, ty, true), ty));
        }
        // `c ? throw e : v`, `c ? f() : (void)0`.
        if x.is_void() || y.is_void() {
            let throws = |e: &Expr| matches!(e.kind, ExprKind::Throw(_));
            if throws(&a) && !y.is_void() {
                return Some((Expr { ty: y, ..a }, b, y));
            }
            if throws(&b) && !x.is_void() {
                return Some((a, Expr { ty: x, ..b }, x));
            }
            if !(x.is_void() && y.is_void()) {
                self.error(codes::E0409, span, "one arm of `?:` has no value");
                return None;
            }
            return Some((a, b, x));
        }
        let ty = match (x.as_ptr(), y.as_ptr()) {
            (Some(p), _) if self.is_null(&b) => Ty::ptr(PtrTy { nullable: true, ..*p }),
            (_, Some(q)) if self.is_null(&a) => Ty::ptr(PtrTy { nullable: true, ..*q }),
            (Some(p), Some(q)) => self.join_pointers(p, q),
            _ => {
                let o = Origin::new(span, What::Other);
                if !self.relate(y, x, Mode::Eq, o) {
                    let (x, y) = (self.show(x), self.show(y));
                    self.error(
                        codes::E0401,
                        span,
                        format!("the arms of `?:` have different types: {x} and {y}"),
                    );
                    return None;
                }
                x
            }
        };
        let (a, b) = (self.coerce(a, ty, What::Other), self.coerce(b, ty, What::Other));
        if a.ty.is_error() || b.ty.is_error() { None } else { Some((a, b, ty)) }
    }

    fn join_pointers(&mut self, p: &PtrTy, q: &PtrTy) -> Ty {
        let (pe, qe) = (self.shallow(p.elem), self.shallow(q.elem));
        let elem = match (pe.kind(), qe.kind()) {
            (TyKind::Void, _) | (_, TyKind::Void) => self.t.void,
            (TyKind::Variant(id, v, args), TyKind::Variant(other, w, _))
                if id == other && v != w =>
            {
                Ty::new(TyKind::Adt(*id, args))
            }
            (TyKind::Variant(id, ..), TyKind::Adt(other, _)) if id == other => qe,
            _ => pe,
        };
        let zeroterm = p.zeroterm && q.zeroterm;
        let bounds = match (p.bounds, q.bounds) {
            _ if elem.is_void() => crate::types::thin(1),
            (Bounds::Fat, _) | (_, Bounds::Fat) => Bounds::Fat,
            (Bounds::Thin(m), Bounds::Thin(n)) => match (self.int(m), self.int(n)) {
                (IntExpr::Const(m), IntExpr::Const(n)) => crate::types::thin(m.min(n)),
                (m, n) if m == n => Bounds::Thin(m),
                _ => Bounds::Fat,
            },
        };
        let region = self.graph.fresh();
        Ty::ptr(PtrTy {
            elem,
            quals: TyQuals {
                // What asks different things of its elements can only be read.
                is_const: p.quals.is_const || q.quals.is_const || p.quals.refine != q.quals.refine,
                refine: p.quals.refine.filter(|_| p.quals.refine == q.quals.refine),
                is_volatile: p.quals.is_volatile || q.quals.is_volatile,
            },
            region,
            aqual: if self.aqual(p.aqual) == self.aqual(q.aqual) { p.aqual } else { Aqual::Top },
            nullable: p.nullable || q.nullable,
            bounds,
            zeroterm: zeroterm && !elem.is_void(),
            foreign: p.foreign,
        })
    }

    // Assignments.

    /// A place that may be written; reports if not.
    pub fn assignable(&mut self, e: &'a hir::Expr) -> Option<Place> {
        if self.contract.is_some() {
            self.report(
                Diagnostic::error(
                    codes::E1202,
                    "a contract's condition cannot change anything",
                    e.span,
                    "",
                )
                .help("what holds before or after a call is only looked at"),
            );
            return None;
        }
        if !crate::expr::is_place(e) {
            let value = self.expr(e, None);
            if !value.ty.is_error() {
                self.error(
                    codes::E0405,
                    e.span,
                    "this is a value, not a place that can be assigned to",
                );
            }
            return None;
        }
        let place = self.place(e)?;
        let ty = self.shallow(place.ty);
        if ty.is_error() {
            return None;
        }
        if place.quals.is_const {
            self.write_const(&place);
            return None;
        }
        if matches!(ty.kind(), TyKind::Array { .. } | TyKind::Vla(_)) {
            self.report(
                Diagnostic::error(codes::E0405, "an array cannot be assigned", place.span, "")
                    .help("copy its elements, or put the array into a struct"),
            );
            return None;
        }
        if self.has_const_member(ty) {
            let text = self.show(ty);
            self.error(
                codes::E0406,
                place.span,
                format!("{text} has a `const` member, so it cannot be assigned as a whole"),
            );
            return None;
        }
        if self.flexible(ty).is_some() {
            self.need_complete(ty, place.span);
            return None;
        }
        if matches!(ty.kind(), TyKind::Adt(id, _) if self.adt(*id).is_datatype())
            || matches!(ty.kind(), TyKind::Variant(..))
        {
            let text = self.show(ty);
            self.error(
                codes::E0405,
                place.span,
                format!("a {text} cannot be overwritten: another variant may be larger"),
            );
            return None;
        }
        Some(Place { ty, ..place })
    }

    fn write_const(&mut self, place: &Place) {
        let text = self.source(place.span);
        let mut d = Diagnostic::error(
            codes::E0406,
            format!("`{text}` is const and cannot be written"),
            place.span,
            "",
        );
        let mut at = place;
        loop {
            match &at.kind {
                PlaceKind::Local(id) => {
                    d = d.label(self.locals[*id].span, "declared here");
                    break;
                }
                PlaceKind::Global(id) => {
                    d = d.label(self.prog.globals[*id].span, "declared here");
                    break;
                }
                PlaceKind::Field(base, _) | PlaceKind::ArrayIndex(base, _) => at = base,
                PlaceKind::Deref(ptr) | PlaceKind::PtrIndex(ptr, _) => {
                    if let ExprKind::Load(inner) = &ptr.kind
                        && let PlaceKind::Local(id) = inner.kind
                    {
                        d = d.label(self.locals[id].span, "this pointer promises not to write");
                    }
                    break;
                }
                PlaceKind::Temp(..) => break,
            }
        }
        self.report(d);
    }

    pub fn assign(&mut self, left: &'a hir::Expr, right: &'a hir::Expr, span: Span) -> Expr {
        let Some(place) = self.assignable(left) else {
            let _ = self.expr(right, None);
            return self.bad(span);
        };
        let ty = place.ty;
        let what = match &place.kind {
            PlaceKind::Field(base, n) => match *self.shallow(base.ty).kind() {
                TyKind::Adt(id, _) => What::Member(id, *n),
                _ => What::Assign(target_local(&place)),
            },
            _ => What::Assign(target_local(&place)),
        };
        let value = self.expr_to(right, ty, what);
        let value = self.refined(value, place.quals.refine);
        if value.ty.is_error() {
            return self.bad(span);
        }
        mk(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span)
    }

    pub fn assign_op(
        &mut self,
        op: BinOp,
        left: &'a hir::Expr,
        right: &'a hir::Expr,
        span: Span,
    ) -> Expr {
        let place = self.assignable(left);
        let rhs = self.expr(right, None);
        let Some(place) = place else { return self.bad(span) };
        if place.quals.refine.is_some() {
            return self.refined_op(op, left, place, rhs, span);
        }
        let (ty, other) = (place.ty, self.shallow(rhs.ty));
        if other.is_error() {
            return self.bad(span);
        }
        if let Some(ptr) = ty.as_ptr() {
            if !matches!(op, BinOp::Add | BinOp::Sub) || !other.is_integer() {
                return self.bad_operands(op, ty, other, span);
            }
            if op == BinOp::Sub && ptr.zeroterm && ptr.bounds != Bounds::Fat {
                self.zeroterm_back(span);
                return self.bad(span);
            }
            if !self.arithmetic_on(ptr, place.span, span) || !self.may_step(ptr, span) {
                return self.bad(span);
            }
            let rhs = self.promote(rhs);
            let op = if op == BinOp::Add { AssignOp::PtrAdd } else { AssignOp::PtrSub };
            return mk(
                ExprKind::AssignOp { op, place: Box::new(place), rhs: Box::new(rhs), work: ty },
                ty,
                span,
            );
        }
        if !ty.is_arithmetic()
            || !other.is_arithmetic()
            || matches!(ty.kind(), TyKind::Tag(_) | TyKind::SizeofT(_))
        {
            return self.bad_operands(op, ty, other, span);
        }
        let int_only = matches!(
            op,
            BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
        );
        if int_only && (ty.is_float() || other.is_float()) {
            return self.bad_operands(op, ty, other, span);
        }
        let left = self.promoted(ty, self.bit_width(&place));
        let rhs = self.promote(rhs);
        let (work, rhs) = if matches!(op, BinOp::Shl | BinOp::Shr) {
            let width = self.int_ty(left).map_or(32, |int| int.bits());
            if let Some(n) = const_int(&rhs)
                && (n < 0 || n >= i128::from(width))
            {
                self.error(
                    codes::E0511,
                    span,
                    format!("a shift by {n} of a value with {width} bits"),
                );
                return self.bad(span);
            }
            (left, rhs)
        } else {
            let work = self.usual(left, self.shallow(rhs.ty));
            (work, self.arith(rhs, work, true))
        };
        if matches!(op, BinOp::Div | BinOp::Rem) && const_int(&rhs) == Some(0) && !work.is_float() {
            self.error(codes::E0511, span, "division by zero");
            return self.bad(span);
        }
        let op = AssignOp::Arith(op);
        mk(ExprKind::AssignOp { op, place: Box::new(place), rhs: Box::new(rhs), work }, ty, span)
    }

    pub fn swap(&mut self, a: &'a hir::Expr, b: &'a hir::Expr, span: Span) -> Expr {
        let (Some(a), Some(b)) = (self.assignable(a), self.assignable(b)) else {
            return self.bad(span);
        };
        let o = Origin::new(span, What::Assign(target_local(&a)));
        if !self.relate(a.ty, b.ty, Mode::Eq, o) {
            let (x, y) = (self.show(a.ty), self.show(b.ty));
            self.error(
                codes::E0401,
                span,
                format!("`:=:` needs two places of one type, not {x} and {y}"),
            );
            return self.bad(span);
        }
        if a.quals.refine != b.quals.refine {
            self.error(codes::E0401, span, "`:=:` needs two places with the same refinement");
            return self.bad(span);
        }
        if self.bit_width(&a).is_some() || self.bit_width(&b).is_some() {
            self.error(codes::E0402, span, "bit-fields cannot be swapped");
            return self.bad(span);
        }
        mk(ExprKind::Swap(Box::new(a), Box::new(b)), self.t.void, span)
    }
}

fn target_local(place: &Place) -> Option<hir::LocalId> {
    match &place.kind {
        PlaceKind::Local(id) => Some(*id),
        PlaceKind::Field(base, _) | PlaceKind::ArrayIndex(base, _) => target_local(base),
        _ => None,
    }
}
