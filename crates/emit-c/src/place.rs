//! Places as C lvalues, with their types.

use crate::func::FnCx;
use crate::types::{Class, class};
use toft_cir::{BinOp, Expr};
use toft_mir::{Base, Index, Place, Proj};
use toft_ty::{Ty, TyKind};

impl FnCx<'_, '_> {
    /// The place as an lvalue.
    pub fn place(&mut self, place: &Place) -> (Expr, Ty) {
        let fat_first = matches!(place.proj.first(), Some(Proj::Deref(_)));
        let (mut expr, mut ty) = match place.base {
            Base::Local(local) => {
                let ty = self.body.locals[local].ty;
                if fat_first && class(ty) == Class::Fat {
                    // Mentioned twice.
                    self.settle(local);
                }
                let expr = match self.take_pending(local) {
                    Some(expr) => expr,
                    None => {
                        self.note_read(local);
                        Expr::Atom(self.locals[local].clone())
                    }
                };
                (expr, ty)
            }
            Base::Global(id) => {
                self.reads_memory = true;
                self.reads_volatile |= self.cx.decls.globals[id].quals.is_volatile;
                let name = self.cx.global_names.get(&id).cloned().unwrap_or_else(|| "0".into());
                (Expr::Atom(name), self.cx.global_ty(id))
            }
        };
        for step in &place.proj {
            (expr, ty) = self.step(expr, ty, step);
        }
        (expr, ty)
    }

    fn step(&mut self, expr: Expr, ty: Ty, step: &Proj) -> (Expr, Ty) {
        match *step {
            Proj::Deref(index) => self.deref(expr, ty, index),
            Proj::Field(n) => {
                let Some((field, volatile)) = self.cx.field_ty(ty, n) else {
                    self.unsupported("a member of this type");
                    return (expr, ty);
                };
                self.reads_volatile |= volatile;
                let span = self.span;
                self.cx.define(ty, span);
                (self.cx.member(expr, ty, n), field)
            }
            Proj::Index(index) => {
                let elem = match *ty.kind() {
                    TyKind::Array { elem, .. } => elem,
                    _ => ty,
                };
                let index = self.index(index);
                (expr.index(index), elem)
            }
            Proj::Variant(id, variant) => match *ty.kind() {
                TyKind::Adt(_, args) => {
                    let ty = Ty::new(TyKind::Variant(id, variant, args));
                    let span = self.span;
                    self.cx.define(ty, span);
                    let pointer = format!("{} *", self.cx.cty(ty));
                    (Expr::cast(pointer, expr.addr()).deref(), ty)
                }
                _ => (expr, ty),
            },
        }
    }

    fn deref(&mut self, expr: Expr, ty: Ty, index: Index) -> (Expr, Ty) {
        self.reads_memory = true;
        let (elem, volatile) = match *ty.kind() {
            TyKind::Ptr(ptr) => (ptr.elem, ptr.quals.is_volatile),
            TyKind::Vla(elem) => (elem, false),
            _ => {
                self.unsupported("an access through this type");
                return (expr, ty);
            }
        };
        self.reads_volatile |= volatile;
        let span = self.span;
        self.cx.define(elem, span);
        if class(ty) == Class::Fat {
            let pointer = self.elem_pointer(elem, volatile);
            let base = Expr::cast(pointer, expr.clone().member("base"));
            let offset = self.fat_position(expr, index);
            return (base.index(offset), elem);
        }
        let expr = match elem.kind() {
            TyKind::Array { .. } => {
                let pointer = self.elem_pointer(elem, volatile);
                Expr::cast(pointer, expr)
            }
            _ => expr,
        };
        match index {
            Index::Const(0) => (expr.deref(), elem),
            index => {
                let index = self.index(index);
                (expr.index(index), elem)
            }
        }
    }

    /// `T *` in C, for arrays too.
    pub fn elem_pointer(&mut self, elem: Ty, volatile: bool) -> String {
        let volatile = if volatile { "volatile " } else { "" };
        format!("{volatile}{} *", self.cx.cty(elem))
    }

    /// Position of an element of a fat pointer from its base; the same sum its check makes.
    pub fn fat_position(&mut self, fat: Expr, index: Index) -> Expr {
        let off = fat.member("off");
        match index {
            Index::Const(0) => off,
            index => {
                let index = self.index_64(index);
                Expr::bin(BinOp::Add, Expr::cast("uint64_t", off), index)
            }
        }
    }

    /// An index as C subscripts take it: signed ones are extended by C itself.
    fn index(&mut self, index: Index) -> Expr {
        match index {
            Index::Const(n) => crate::konst::number(n),
            Index::Local(local) => self.local_value(local),
        }
    }

    /// An index extended to 64 bits.
    pub fn index_64(&mut self, index: Index) -> Expr {
        match index {
            Index::Const(n) => crate::konst::number(n),
            Index::Local(local) => {
                let ty = self.body.locals[local].ty;
                let expr = self.local_value(local);
                self.extend(expr, ty)
            }
        }
    }

    fn local_value(&mut self, local: toft_mir::LocalId) -> Expr {
        match self.take_pending(local) {
            Some(expr) => expr,
            None => {
                self.note_read(local);
                Expr::Atom(self.locals[local].clone())
            }
        }
    }

    /// The tag of a datatype or tagged union in a place.
    pub fn tag_of(&mut self, place: &Place) -> Expr {
        let (expr, ty) = self.place(place);
        let span = self.span;
        self.cx.define(ty, span);
        match self.cx.packing_of(ty) {
            Some(packing) => {
                let mask = crate::konst::number(crate::packed::mask(&packing));
                Expr::bin(BinOp::And, expr.member("word"), mask)
            }
            None => expr.member("tag"),
        }
    }
}

impl FnCx<'_, '_> {
    /// The type of a place, without building it.
    pub fn peek_ty(&mut self, place: &Place) -> Option<Ty> {
        let mut ty = match place.base {
            Base::Local(local) => self.body.locals[local].ty,
            Base::Global(id) => self.cx.global_ty(id),
        };
        for step in &place.proj {
            ty = match (*step, *ty.kind()) {
                (Proj::Deref(_), TyKind::Ptr(ptr)) => ptr.elem,
                (Proj::Deref(_), TyKind::Vla(elem)) => elem,
                (Proj::Index(_), TyKind::Array { elem, .. }) => elem,
                (Proj::Variant(id, variant), TyKind::Adt(_, args)) => {
                    Ty::new(TyKind::Variant(id, variant, args))
                }
                (Proj::Variant(..), _) => ty,
                (Proj::Field(n), _) => self.cx.field_ty(ty, n)?.0,
                _ => return None,
            };
        }
        Some(ty)
    }
}
