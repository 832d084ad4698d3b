//! Right sides. Arithmetic has no undefined behaviour: signed operations go through unsigned
//! types, division excludes `MIN / -1`, comparisons of pointers compare addresses.

use crate::func::FnCx;
use crate::konst;
use crate::types::{Class, class};
use toft_cir::{BinOp as C, Expr, Init, Text, UnOp as U};
use toft_mir::{BinOp, Cast, CmpOp, Operand, Rvalue, UnOp};
use toft_ty::{IntTy, Ty, TyKind};

impl FnCx<'_, '_> {
    /// A pure right side, of C's type for `to`. Those with effects are statements: see
    /// `stmt`.
    pub fn rvalue(&mut self, rvalue: &Rvalue, to: Ty) -> Expr {
        match rvalue {
            Rvalue::Use(op) => self.operand_as(op, to),
            Rvalue::Ref(place) => {
                let (expr, ty) = self.place(place);
                let to_text = self.cx.cty(to);
                let address = match ty.kind() {
                    TyKind::Array { .. } => expr,
                    _ => expr.addr(),
                };
                // What is read is the address only.
                Expr::cast(to_text, address)
            }
            Rvalue::Unary(op, a) => self.unary(*op, a),
            Rvalue::Binary(op, a, b) => self.binary(*op, a, b),
            Rvalue::Compare(op, a, b) => self.compare(*op, a, b),
            Rvalue::Cast(kind, op, ty) => {
                let expr = self.cast(*kind, op, *ty);
                self.coerce(expr, *ty, to)
            }
            Rvalue::MakeFat { base, len } => self.make_fat(base, len),
            Rvalue::PtrAdd(ptr, index) => self.ptr_add(ptr, index, to),
            Rvalue::PtrDiff(a, b) => self.ptr_diff(a, b),
            Rvalue::FatLen(op) => Expr::call("toft_numelts", vec![self.operand(op).0]),
            Rvalue::ZtLen(op) => {
                let (expr, ty) = self.operand(op);
                let size = self.elem_size(ty);
                Expr::call(&format!("tx_zt_len_{size}"), vec![expr])
            }
            Rvalue::IsVariant(place, id, variant) => {
                let tag = self.tag_of(place);
                let value = self.cx.tag(*id, *variant);
                Expr::bin(C::Eq, tag, Expr::Atom(value))
            }
            Rvalue::IsMember(place, field) => {
                let tag = self.tag_of(place);
                Expr::bin(C::Eq, tag, konst::number(u64::from(*field)))
            }
            Rvalue::Aggregate(_)
            | Rvalue::Variant(..)
            | Rvalue::ViewFat(_)
            | Rvalue::Alloc { .. }
            | Rvalue::VaArg(..) => self.effect(rvalue, to),
        }
    }

    fn unary(&mut self, op: UnOp, a: &Operand) -> Expr {
        let (expr, ty) = self.operand(a);
        match (op, class(ty)) {
            (UnOp::Not, Class::Fat) => Expr::un(U::Not, expr.member("base")),
            (UnOp::Not, _) => Expr::un(U::Not, expr),
            (UnOp::Neg, Class::Float) => Expr::un(U::Neg, expr),
            (UnOp::Neg, _) => {
                let (own, wide) = self.arith(ty);
                let value = Expr::bin(C::Sub, Expr::atom("0u"), Expr::cast(wide, expr));
                Expr::cast(own, value)
            }
            (UnOp::BitNot, _) => {
                let own = self.cx.cty(ty);
                Expr::cast(own, Expr::un(U::BitNot, expr))
            }
        }
    }

    /// The type's own C text, and the unsigned type its arithmetic is done in.
    fn arith(&mut self, ty: Ty) -> (Text, &'static str) {
        let wide = match self.cx.int_of(ty) {
            Some(int) if int.bits() < 32 => "unsigned int",
            Some(int) => int.to_unsigned().name(),
            None => "unsigned long",
        };
        (self.cx.cty(ty), wide)
    }

    fn binary(&mut self, op: BinOp, a: &Operand, b: &Operand) -> Expr {
        let (left, ty) = self.operand(a);
        let divisor = b.as_int();
        let right = self.operand(b).0;
        let c = c_op(op);
        if class(ty) == Class::Float {
            return Expr::bin(c, left, right);
        }
        let int = self.cx.int_of(ty).unwrap_or(IntTy::Long);
        let (own, wide) = self.arith(ty);
        let narrow = int.bits() < 32;
        match op {
            BinOp::And | BinOp::Or | BinOp::Xor => {
                let value = Expr::bin(c, left, right);
                if narrow { Expr::cast(own, value) } else { value }
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul if int.is_signed() || narrow => {
                let value = Expr::bin(c, Expr::cast(wide, left), Expr::cast(wide, right));
                Expr::cast(own, value)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul => Expr::bin(c, left, right),
            BinOp::Div | BinOp::Rem => {
                // Promotion keeps narrow operands away from overflow.
                if narrow || !int.is_signed() || divisor.is_some_and(|n| n != -1) {
                    let value = Expr::bin(c, left, right);
                    return if narrow { Expr::cast(own, value) } else { value };
                }
                let word = if op == BinOp::Div { "div" } else { "rem" };
                Expr::call(&format!("tx_{word}_i{}", int.bits()), vec![left, right])
            }
            BinOp::Shl if int.is_signed() || narrow => {
                Expr::cast(own, Expr::bin(c, Expr::cast(wide, left), right))
            }
            BinOp::Shl => Expr::bin(c, left, right),
            BinOp::Shr => {
                let value = Expr::bin(c, left, right);
                if narrow { Expr::cast(own, value) } else { value }
            }
        }
    }

    fn compare(&mut self, op: CmpOp, a: &Operand, b: &Operand) -> Expr {
        let c = c_cmp(op);
        let is_null = |op: &Operand| match op {
            Operand::Const(c) => c.kind == toft_mir::ConstKind::Null || op.as_int() == Some(0),
            _ => false,
        };
        let eq = matches!(op, CmpOp::Eq | CmpOp::Ne);
        let ty = self.ty_of(a).or_else(|| self.ty_of(b)).unwrap_or_else(|| Ty::int(IntTy::Int));
        if eq && class(ty) == Class::Fat && (is_null(a) || is_null(b)) {
            let other = if is_null(b) { a } else { b };
            let expr = self.operand(other).0.member("base");
            return Expr::bin(c, expr, Expr::atom("0"));
        }
        if class(ty) == Class::Fat {
            return self.compare_fat(op, a, b);
        }
        let (left, left_ty) = self.operand(a);
        let (right, right_ty) = self.operand(b);
        if class(ty) == Class::Pointer {
            let bare = |expr: Expr| match expr {
                Expr::Cast(_, inner) if matches!(&*inner, Expr::Atom(t) if &**t == "0") => *inner,
                other => other,
            };
            if eq && (is_null(a) || is_null(b)) {
                return Expr::bin(c, bare(left), bare(right));
            }
            let address = |expr| Expr::cast("uintptr_t", expr);
            return Expr::bin(c, address(left), address(right));
        }
        let right = self.coerce(right, right_ty, left_ty);
        Expr::bin(c, left, right)
    }

    fn ty_of(&mut self, op: &Operand) -> Option<Ty> {
        match op {
            Operand::Const(c) => Some(c.ty),
            Operand::Copy(place) | Operand::Move(place) => self.peek_ty(place),
        }
    }

    fn compare_fat(&mut self, op: CmpOp, a: &Operand, b: &Operand) -> Expr {
        let (left, ty) = self.operand(a);
        let right = self.operand(b).0;
        let size = konst::number(self.elem_size(ty));
        let less = |a, b| Expr::call("tx_fat_lt", vec![a, b, size.clone()]);
        match op {
            CmpOp::Eq => Expr::call("toft_fat_eq", vec![left, right, size]),
            CmpOp::Ne => Expr::call("toft_fat_eq", vec![left, right, size]).negate(),
            CmpOp::Lt => less(left, right),
            CmpOp::Gt => less(right, left),
            CmpOp::Ge => less(left, right).negate(),
            CmpOp::Le => less(right, left).negate(),
        }
    }

    fn cast(&mut self, kind: Cast, op: &Operand, to: Ty) -> Expr {
        if let (Cast::IntToInt, Some(value)) = (kind, op.as_int())
            && let Some(int) = self.cx.int_of(to)
            && !matches!(to.kind(), TyKind::Bool)
        {
            return konst::int(int, value);
        }
        let (expr, from) = self.operand(op);
        let text = self.cx.cty(to);
        match kind {
            Cast::IntToInt | Cast::IntToFloat | Cast::FloatToInt | Cast::FloatToFloat => {
                Expr::cast(text, expr)
            }
            Cast::ToBool => match class(from) {
                Class::Fat => Expr::bin(C::Ne, expr.member("base"), Expr::atom("0")),
                _ => Expr::bin(C::Ne, expr, Expr::atom("0")),
            },
            Cast::PtrToInt if class(from) == Class::Fat => {
                let size = konst::number(self.elem_size(from));
                Expr::cast(text, Expr::call("toft_fat_addr", vec![expr, size]))
            }
            Cast::PtrToInt => Expr::cast(text, Expr::cast("uintptr_t", expr)),
            Cast::Ptr if class(to) == Class::Fat => expr,
            Cast::Ptr => self.coerce(expr, from, to),
            Cast::FatToThin => {
                let size = konst::number(self.elem_size(from));
                Expr::cast(text, Expr::call("tx_thin", vec![expr, size]))
            }
        }
    }

    fn make_fat(&mut self, base: &Operand, len: &Operand) -> Expr {
        let not_null = match base {
            Operand::Const(c) => c.kind.is_address(),
            _ => self.ty_of(base).and_then(Ty::as_ptr).is_some_and(|ptr| !ptr.nullable),
        };
        let base = self.operand(base).0;
        let len = match len.as_int() {
            Some(value) => konst::int(IntTy::UInt, value),
            None => {
                let (expr, _) = self.operand(len);
                Expr::cast("uint32_t", expr)
            }
        };
        if not_null {
            konst::fat(Expr::cast("void *", base), len)
        } else {
            Expr::call("toft_fat_of", vec![base, len])
        }
    }

    fn ptr_add(&mut self, ptr: &Operand, index: &Operand, to: Ty) -> Expr {
        let (expr, ty) = self.operand(ptr);
        let by = self.operand_i64(index);
        if class(ty) == Class::Fat {
            // The offset wraps at 2^32: a wide index must not come around.
            let wide = index.as_int().is_none()
                && self
                    .ty_of(index)
                    .and_then(|ty| self.cx.int_of(ty))
                    .is_none_or(|int| int.bytes() == 8);
            let far = index.as_int().is_some_and(|n| n.unsigned_abs() >= 1 << 32);
            let name = if wide || far { "tx_fat_move" } else { "toft_fat_add" };
            return Expr::call(name, vec![expr, by]);
        }
        let elem = self.elem_of(ty);
        let span = self.span;
        self.cx.define(elem, span);
        let pointer = match elem.kind() {
            TyKind::Array { .. } => {
                let pointer = self.elem_pointer(elem, false);
                Expr::cast(pointer, expr)
            }
            _ => expr,
        };
        let moved = Expr::bin(C::Add, pointer, by);
        match elem.kind() {
            TyKind::Array { .. } => Expr::cast(self.cx.cty(to), moved),
            _ => self.coerce(moved, ty, to),
        }
    }

    fn ptr_diff(&mut self, a: &Operand, b: &Operand) -> Expr {
        let (left, ty) = self.operand(a);
        let right = self.operand(b).0;
        let size = self.elem_size(ty);
        if class(ty) == Class::Fat {
            return Expr::call("toft_fat_diff", vec![left, right, konst::number(size)]);
        }
        let address = |expr| Expr::cast("uintptr_t", expr);
        let bytes = Expr::cast("long", Expr::bin(C::Sub, address(left), address(right)));
        if size <= 1 { bytes } else { Expr::bin(C::Div, bytes, Expr::atom(format!("{size}L"))) }
    }

    /// Right sides that need statements, or a site.
    fn effect(&mut self, rvalue: &Rvalue, to: Ty) -> Expr {
        match rvalue {
            Rvalue::ViewFat(op) => self.view_fat(op, to),
            Rvalue::Alloc { elem, count, region, qual } => {
                let home = (region.as_ref(), qual.as_ref());
                let expr = self.alloc(*elem, count.as_ref(), home);
                let text = self.cx.cty(to);
                Expr::cast(text, expr)
            }
            Rvalue::VaArg(place, ty) => {
                let (list, _) = self.place(place);
                let text = self.cx.cty(*ty);
                let expr = Expr::call("__builtin_va_arg", vec![list, Expr::Atom(text)]);
                self.coerce(expr, *ty, to)
            }
            Rvalue::Variant(id, variant, fields) => {
                let tag = self.cx.tag(*id, *variant);
                let mut list = vec![Init::field("tag", Expr::Atom(tag))];
                for (n, op) in fields.iter().enumerate() {
                    let Some((ty, _)) = self.cx.field_ty(to, n as u32) else { continue };
                    let value = self.operand_as(op, ty);
                    list.push(Init::field(format!("f{n}"), value));
                }
                Expr::Compound(self.cx.cty(to), list)
            }
            _ => Expr::atom("0"),
        }
    }

    fn view_fat(&mut self, op: &Operand, to: Ty) -> Expr {
        let (expr, from) = self.operand(op);
        let (old, new) = (self.elem_size(from), self.elem_size(to));
        if old == new {
            return expr;
        }
        if old == 0 || new == 0 {
            self.unsupported("a view of elements without size");
            return expr;
        }
        let site = self.site_expr();
        let args = vec![expr, konst::number(old), konst::number(new), site];
        Expr::call("toft_fat_view", args)
    }
}

fn c_op(op: BinOp) -> C {
    match op {
        BinOp::Add => C::Add,
        BinOp::Sub => C::Sub,
        BinOp::Mul => C::Mul,
        BinOp::Div => C::Div,
        BinOp::Rem => C::Rem,
        BinOp::Shl => C::Shl,
        BinOp::Shr => C::Shr,
        BinOp::And => C::And,
        BinOp::Or => C::Or,
        BinOp::Xor => C::Xor,
    }
}

pub fn c_cmp(op: CmpOp) -> C {
    match op {
        CmpOp::Eq => C::Eq,
        CmpOp::Ne => C::Ne,
        CmpOp::Lt => C::Lt,
        CmpOp::Le => C::Le,
        CmpOp::Gt => C::Gt,
        CmpOp::Ge => C::Ge,
    }
}
