//! Types as they are after specialisation: parameters replaced, regions erased, and inside
//! the arguments of generics nothing left that does not matter to the representation, so
//! that `list<int *>` and `list<int @>` are one instance.
//!
//! In: a type of a definition, the arguments of the instance. Out: a concrete type.
//! Invariants: idempotent; the result has no `Param`, `Bound`, `Infer`; whatever type
//! variable is left over (an opened existential, one bound by a function type) is a word.

use crate::*;
use toft_base::FxHashMap;

/// Makes types concrete for one instance.
pub struct Concrete<'a> {
    args: &'a [GArg],
    cache: FxHashMap<(Ty, bool), Ty>,
}

/// How a value of unknown type is held inside existentials: an integer as wide as a pointer.
pub fn word() -> Ty {
    Ty::int(IntTy::ULong)
}

impl<'a> Concrete<'a> {
    pub fn new(args: &'a [GArg]) -> Self {
        Concrete { args, cache: FxHashMap::default() }
    }

    pub fn ty(&mut self, ty: Ty) -> Ty {
        self.at(ty, false)
    }

    /// The arguments of an ADT or function, in their canonical form.
    pub fn args(&mut self, list: &[GArg]) -> Vec<GArg> {
        list.iter().map(|&arg| self.arg(arg)).collect()
    }

    fn arg(&mut self, arg: GArg) -> GArg {
        match arg {
            GArg::Ty(ty) => GArg::Ty(self.at(ty, true)),
            GArg::Region(_) => GArg::Region(Region::Erased),
            GArg::Aqual(aqual) => GArg::Aqual(self.aqual(aqual)),
            GArg::Int(int) => GArg::Int(self.int(int)),
            GArg::Effect(_) => GArg::Effect(&[]),
        }
    }

    fn aqual(&self, aqual: Aqual) -> Aqual {
        match aqual {
            Aqual::Unique | Aqual::Counted => aqual,
            Aqual::Param(i) => match self.args.get(i as usize) {
                Some(GArg::Aqual(known @ (Aqual::Unique | Aqual::Counted))) => *known,
                _ => Aqual::Erased,
            },
            _ => Aqual::Erased,
        }
    }

    fn int(&self, int: IntExpr) -> IntExpr {
        match int {
            IntExpr::Const(_) => int,
            IntExpr::Param(i) => match self.args.get(i as usize) {
                Some(GArg::Int(known @ IntExpr::Const(_))) => *known,
                _ => IntExpr::Unknown,
            },
            _ => IntExpr::Unknown,
        }
    }

    fn at(&mut self, ty: Ty, inner: bool) -> Ty {
        if matches!(
            ty.kind(),
            TyKind::Void | TyKind::Bool | TyKind::Int(_) | TyKind::Float(_) | TyKind::Enum(_)
        ) {
            return ty;
        }
        if let Some(&old) = self.cache.get(&(ty, inner)) {
            return old;
        }
        let new = self.build(ty, inner);
        self.cache.insert((ty, inner), new);
        new
    }

    fn build(&mut self, ty: Ty, inner: bool) -> Ty {
        match *ty.kind() {
            TyKind::Ptr(ptr) => self.pointer(ptr, inner),
            TyKind::Array { elem, len, zeroterm } => Ty::new(TyKind::Array {
                elem: self.at(elem, inner),
                len: self.int(len),
                zeroterm: zeroterm && !inner,
            }),
            TyKind::Vla(elem) => Ty::new(TyKind::Vla(self.at(elem, inner))),
            TyKind::Func(func) => Ty::func(self.func(func)),
            TyKind::Adt(id, args) => Ty::adt(id, &self.args(args)),
            TyKind::Variant(id, variant, args) => {
                let args = self.args(args);
                Ty::new(TyKind::Variant(id, variant, arg_list(&args)))
            }
            TyKind::Tuple(fields) => {
                let fields: Vec<Ty> = fields.iter().map(|&ty| self.at(ty, inner)).collect();
                Ty::tuple(&fields)
            }
            TyKind::Param(i, _) => match self.args.get(i as usize) {
                // Arguments of instances are concrete already.
                Some(GArg::Ty(ty)) => *ty,
                _ => word(),
            },
            TyKind::Bound(..) | TyKind::Infer(_) => word(),
            TyKind::Tag(_) => Ty::new(TyKind::Tag(IntExpr::Unknown)),
            TyKind::SizeofT(_) => Ty::new(TyKind::Tag(IntExpr::Unknown)),
            TyKind::RegionHandle(_) => Ty::new(TyKind::RegionHandle(Region::Erased)),
            TyKind::AqualHandle(aqual) => Ty::new(TyKind::AqualHandle(self.aqual(aqual))),
            TyKind::Void
            | TyKind::Bool
            | TyKind::Int(_)
            | TyKind::Float(_)
            | TyKind::Enum(_)
            | TyKind::VaList
            | TyKind::Opaque { .. }
            | TyKind::Error => ty,
        }
    }

    fn pointer(&mut self, ptr: PtrTy, inner: bool) -> Ty {
        let bounds = match ptr.bounds {
            Bounds::Fat => Bounds::Fat,
            Bounds::Thin(_) if inner => Bounds::Thin(IntExpr::Const(1)),
            Bounds::Thin(int) => Bounds::Thin(self.int(int)),
        };
        let quals = TyQuals { is_const: ptr.quals.is_const && !inner, refine: None, ..ptr.quals };
        Ty::ptr(PtrTy {
            elem: self.at(ptr.elem, inner),
            quals,
            region: Region::Erased,
            aqual: self.aqual(ptr.aqual),
            nullable: ptr.nullable || inner,
            bounds,
            zeroterm: ptr.zeroterm && !inner,
            foreign: ptr.foreign && !inner,
        })
    }

    /// Function types keep what decides the call: parameters, result, C's `...`.
    fn func(&mut self, func: &FuncTy) -> FuncTy {
        FuncTy {
            binder: Vec::new(),
            params: func.params.iter().map(|&ty| self.at(ty, true)).collect(),
            ret: self.at(func.ret, true),
            variadic: match func.variadic {
                Variadic::Typed(ty) => Variadic::Typed(self.at(ty, true)),
                Variadic::Inject(ty) => Variadic::Inject(self.at(ty, true)),
                other => other,
            },
            effect: None,
            bounds: Vec::new(),
            consumes: 0,
            noreturn: func.noreturn,
        }
    }
}

/// `ty` of a definition that has no type parameters, or whose parameters do not matter.
pub fn concrete(ty: Ty) -> Ty {
    Concrete::new(&[]).ty(ty)
}
