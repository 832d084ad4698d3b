//! The type of an expression as far as constants need it: `sizeof e`, `typeof` at file
//! level. Whatever is harder is left to `infer`.

use crate::cx::Resolver;
use toft_base::Symbol;
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    pub fn type_of(&self, expr: &Expr) -> Option<Ty> {
        Some(match &expr.kind {
            ExprKind::Int(_, ty) | ExprKind::Float(_, ty) => *ty,
            ExprKind::Bool(_) => self.common.bool,
            ExprKind::Str(width, units) => {
                let elem = match width {
                    StrWidth::Char => IntTy::Char,
                    StrWidth::Char16 => IntTy::UShort,
                    StrWidth::Char32 => IntTy::UInt,
                    StrWidth::Wide => IntTy::Int,
                };
                let len = IntExpr::Const(units.len() as u64 + 1);
                Ty::new(TyKind::Array { elem: Ty::int(elem), len, zeroterm: false })
            }
            ExprKind::Local(id) => match self.body.locals[*id].ty {
                LocalTy::Known(ty) => ty,
                _ => return None,
            },
            ExprKind::Global(id) => self.prog.globals[*id].ty,
            ExprKind::EnumConst(..) => self.eval(expr).ok()?.ty,
            ExprKind::Unary(op, inner) => match op {
                UnOp::Deref => self.pointee(self.type_of(inner)?)?,
                UnOp::AddrOf => Ty::ptr(PtrTy::thin(self.type_of(inner)?, Region::Hole)),
                UnOp::Not => self.common.int(IntTy::Int),
                _ => self.arithmetic(self.type_of(inner)?)?,
            },
            ExprKind::PostIncDec(_, inner) | ExprKind::PreIncDec(_, inner) => {
                self.type_of(inner)?
            }
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => self.type_of(place)?,
            ExprKind::Comma(_, last) => self.type_of(last)?,
            ExprKind::Binary(op, a, b) => self.binary_type(*op, a, b)?,
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.common.int(IntTy::Int),
            ExprKind::Cond(_, a, b) => {
                let (a, b) = (self.type_of(a.as_deref()?)?, self.type_of(b)?);
                if a == b { a } else { self.common_type(self.arithmetic(a)?, self.arithmetic(b)?) }
            }
            ExprKind::Index(base, _) => self.pointee(self.type_of(base)?)?,
            ExprKind::Member(base, name, _) => self.member_type_of(self.type_of(base)?, *name)?,
            ExprKind::Arrow(base, name, _) => {
                self.member_type_of(self.pointee(self.type_of(base)?)?, *name)?
            }
            ExprKind::Cast(ty, _) => match &**ty {
                HirTy::Known(ty, _) => *ty,
                HirTy::Typeof(..) => return None,
            },
            ExprKind::CompoundLiteral { ty, .. } => match &**ty {
                HirTy::Known(ty, _) => *ty,
                HirTy::Typeof(..) => return None,
            },
            ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofType(_)
            | ExprKind::Offsetof(..) => self.common.int(IntTy::ULong),
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Func(id, _) if self.prog.funcs[*id].generics.is_empty() => {
                    self.prog.funcs[*id].sig.ret
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn arithmetic(&self, ty: Ty) -> Option<Ty> {
        if ty.is_arithmetic() { Some(self.promoted(ty)) } else { None }
    }

    fn pointee(&self, ty: Ty) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Ptr(ptr) => Some(ptr.elem),
            TyKind::Array { elem, .. } | TyKind::Vla(elem) => Some(elem),
            _ => None,
        }
    }

    fn binary_type(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<Ty> {
        if op.is_comparison() {
            return Some(self.common.int(IntTy::Int));
        }
        let (a, b) = (self.type_of(a)?, self.type_of(b)?);
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.arithmetic(a);
        }
        Some(self.common_type(self.arithmetic(a)?, self.arithmetic(b)?))
    }

    fn member_type_of(&self, ty: Ty, name: Symbol) -> Option<Ty> {
        self.member_at(ty, name, 0)
    }

    fn member_at(&self, ty: Ty, name: Symbol, depth: u32) -> Option<Ty> {
        if depth > 64 {
            return None;
        }
        let TyKind::Adt(id, args) = *ty.kind() else { return None };
        for field in self.prog.tables.adts[id].fields.as_deref()? {
            let ty = Subst(args).ty(field.ty);
            if field.name == Some(name) {
                return Some(ty);
            }
            if field.name.is_none()
                && let Some(found) = self.member_at(ty, name, depth + 1)
            {
                return Some(found);
            }
        }
        None
    }
}
