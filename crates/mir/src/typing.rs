//! Types of places, operands and right sides, as far as the MIR itself tells them.

use crate::{Base, Body, ConstKind, Decls, Operand, Phase, Place, Proj};
use toft_ty::{AdtId, Flags, Subst, Ty, TyKind};

/// The type after `steps` from `ty`; `None` when a step does not fit, or when the type
/// depends on an existential that a pattern opened.
pub fn step_ty(decls: &Decls, ty: Ty, step: &Proj) -> Option<Ty> {
    match (step, *ty.kind()) {
        (Proj::Deref(_), TyKind::Ptr(ptr)) => Some(ptr.elem),
        (Proj::Deref(_), TyKind::Vla(elem)) => Some(elem),
        (Proj::Index(_), TyKind::Array { elem, .. }) => Some(elem),
        (Proj::Variant(id, variant), TyKind::Adt(adt, args)) if *id == adt => {
            Some(Ty::new(TyKind::Variant(adt, *variant, args)))
        }
        // A value of the variant's own type may be seen as itself.
        (Proj::Variant(id, variant), TyKind::Variant(adt, own, _)) => {
            (*id == adt && *variant == own).then_some(ty)
        }
        (Proj::Field(field), TyKind::Tuple(fields)) => fields.get(*field as usize).copied(),
        (Proj::Field(field), TyKind::Adt(id, args)) => {
            let def = decls.tables.adts.get(id)?;
            let inner = def.fields.as_deref()?.get(*field as usize)?.ty;
            if !def.exists.is_empty() && inner.flags().has(Flags::PARAM) {
                return None;
            }
            Some(Subst(args).ty_of(inner))
        }
        (Proj::Field(field), TyKind::Variant(id, variant, args)) => {
            let def = decls.tables.variant(id, variant)?;
            let inner = def.fields.get(*field as usize)?.ty;
            if !def.exists.is_empty() && inner.flags().has(Flags::PARAM) {
                return None;
            }
            Some(Subst(args).ty_of(inner))
        }
        _ => None,
    }
}

/// Whether a field of this ADT may have a type that only the opening pattern knows.
pub fn has_existentials(decls: &Decls, id: AdtId) -> bool {
    decls.tables.adts.get(id).is_some_and(|def| {
        !def.exists.is_empty() || def.variants.iter().any(|variant| !variant.exists.is_empty())
    })
}

trait SubstTy {
    fn ty_of(&mut self, ty: Ty) -> Ty;
}

impl SubstTy for Subst<'_> {
    fn ty_of(&mut self, ty: Ty) -> Ty {
        use toft_ty::Folder;
        if ty.flags().has(Flags::PARAM) { self.ty(ty) } else { ty }
    }
}

impl<P: Phase> Body<P> {
    /// The type of the variable a place starts from.
    pub fn base_ty(&self, decls: &Decls, base: Base) -> Option<Ty> {
        match base {
            Base::Local(local) => self.locals.get(local).map(|decl| decl.ty),
            Base::Global(global) => decls.globals.get(global).map(|decl| decl.ty),
        }
    }

    /// The type of a place; see [`step_ty`].
    pub fn place_ty(&self, decls: &Decls, place: &Place) -> Option<Ty> {
        let mut ty = self.base_ty(decls, place.base)?;
        for step in &place.proj {
            ty = step_ty(decls, ty, step)?;
        }
        Some(ty)
    }

    pub fn operand_ty(&self, decls: &Decls, operand: &Operand) -> Option<Ty> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.place_ty(decls, place),
            Operand::Const(constant) => Some(constant.ty),
        }
    }
}

impl ConstKind {
    /// Never null, never zero.
    pub fn is_address(&self) -> bool {
        matches!(self, ConstKind::Str { .. } | ConstKind::Func(..) | ConstKind::Exn(..))
    }
}
