//! Rebuilding types: one traversal that every substitution is written with.

use crate::*;

/// Rebuilds types. The default methods keep everything; `depth` counts the function-type
/// binders entered so far.
pub trait Folder {
    /// Whether a type with these flags can change at all; others are kept as they are.
    fn touches(&self, flags: Flags) -> bool;

    /// Called for each region; of a `next_rgn` for what it stands over.
    fn region(&mut self, region: Region, depth: u16) -> Region {
        let _ = depth;
        region
    }
    /// Called for each region as it stands in a type, `next_rgn` included.
    fn any_region(&mut self, region: Region, depth: u16) -> Region {
        match region {
            Region::Next(base, n) => self.region(base.region(), depth).next(n),
            other => self.region(other, depth),
        }
    }
    /// What an element of an effect becomes: an effect variable may become several regions.
    fn effect(&mut self, region: Region, depth: u16, out: &mut Vec<Region>) {
        out.push(self.any_region(region, depth));
    }
    fn aqual(&mut self, aqual: Aqual, depth: u16) -> Aqual {
        let _ = depth;
        aqual
    }
    fn int(&mut self, int: IntExpr, depth: u16) -> IntExpr {
        let _ = depth;
        int
    }
    /// Called for `Param`, `Bound` and `Infer` types; `None` keeps it.
    fn leaf(&mut self, ty: Ty, depth: u16) -> Option<Ty> {
        let _ = (ty, depth);
        None
    }

    fn ty(&mut self, ty: Ty) -> Ty
    where
        Self: Sized,
    {
        fold(self, ty, 0)
    }

    fn garg(&mut self, arg: GArg) -> GArg
    where
        Self: Sized,
    {
        fold_arg(self, arg, 0)
    }
}

fn fold_arg(f: &mut impl Folder, arg: GArg, depth: u16) -> GArg {
    match arg {
        GArg::Ty(ty) => GArg::Ty(fold(f, ty, depth)),
        GArg::Region(region) => GArg::Region(f.any_region(region, depth)),
        GArg::Aqual(aqual) => GArg::Aqual(f.aqual(aqual, depth)),
        GArg::Int(int) => GArg::Int(f.int(int, depth)),
        GArg::Effect(list) => {
            let mut new = Vec::with_capacity(list.len());
            list.iter().for_each(|&region| f.effect(region, depth, &mut new));
            if new == list { arg } else { GArg::Effect(Box::leak(new.into())) }
        }
    }
}

fn fold_args(f: &mut impl Folder, args: &[GArg], depth: u16) -> &'static [GArg] {
    let new: Vec<GArg> = args.iter().map(|&arg| fold_arg(f, arg, depth)).collect();
    arg_list(&new)
}

fn fold(f: &mut impl Folder, ty: Ty, depth: u16) -> Ty {
    if !f.touches(ty.flags()) {
        return ty;
    }
    match *ty.kind() {
        TyKind::Ptr(ptr) => {
            let bounds = match ptr.bounds {
                Bounds::Thin(int) => Bounds::Thin(f.int(int, depth)),
                Bounds::Fat => Bounds::Fat,
            };
            Ty::ptr(PtrTy {
                elem: fold(f, ptr.elem, depth),
                region: f.any_region(ptr.region, depth),
                aqual: f.aqual(ptr.aqual, depth),
                bounds,
                ..ptr
            })
        }
        TyKind::Array { elem, len, zeroterm } => {
            let elem = fold(f, elem, depth);
            let len = f.int(len, depth);
            Ty::new(TyKind::Array { elem, len, zeroterm })
        }
        TyKind::Vla(elem) => Ty::new(TyKind::Vla(fold(f, elem, depth))),
        TyKind::SizeofT(elem) => Ty::new(TyKind::SizeofT(fold(f, elem, depth))),
        TyKind::Func(func) => Ty::func(fold_func(f, func, depth + 1)),
        TyKind::Adt(id, args) => {
            let args = fold_args(f, args, depth);
            Ty::new(TyKind::Adt(id, args))
        }
        TyKind::Variant(id, variant, args) => {
            let args = fold_args(f, args, depth);
            Ty::new(TyKind::Variant(id, variant, args))
        }
        TyKind::Tuple(fields) => {
            let new: Vec<Ty> = fields.iter().map(|&ty| fold(f, ty, depth)).collect();
            Ty::tuple(&new)
        }
        TyKind::Tag(int) => Ty::new(TyKind::Tag(f.int(int, depth))),
        TyKind::RegionHandle(region) => Ty::new(TyKind::RegionHandle(f.any_region(region, depth))),
        TyKind::AqualHandle(aqual) => Ty::new(TyKind::AqualHandle(f.aqual(aqual, depth))),
        TyKind::Param(..) | TyKind::Bound(..) | TyKind::Infer(_) => f.leaf(ty, depth).unwrap_or(ty),
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

/// Rebuilds the parts of a function type; `depth` is that of its inside.
fn fold_func(f: &mut impl Folder, func: &FuncTy, depth: u16) -> FuncTy {
    let regions = |f: &mut _, list: &Vec<Region>| -> Vec<Region> {
        let mut out = Vec::with_capacity(list.len());
        list.iter().for_each(|&region| Folder::effect(f, region, depth, &mut out));
        out
    };
    FuncTy {
        binder: func.binder.clone(),
        params: func.params.iter().map(|&ty| fold(f, ty, depth)).collect(),
        ret: fold(f, func.ret, depth),
        variadic: match func.variadic {
            Variadic::Typed(ty) => Variadic::Typed(fold(f, ty, depth)),
            Variadic::Inject(ty) => Variadic::Inject(fold(f, ty, depth)),
            other => other,
        },
        effect: func.effect.as_ref().map(|list| regions(f, list)),
        bounds: func
            .bounds
            .iter()
            .map(|bound| match *bound {
                RegionBound::Outlives(a, b) => {
                    RegionBound::Outlives(f.any_region(a, depth), f.any_region(b, depth))
                }
                RegionBound::Single(a) => RegionBound::Single(f.any_region(a, depth)),
                RegionBound::TyOutlives(ty, b) => {
                    RegionBound::TyOutlives(fold(f, ty, depth), f.any_region(b, depth))
                }
            })
            .collect(),
        consumes: func.consumes,
        noreturn: func.noreturn,
    }
}

/// Replaces the parameters of a definition by arguments, by index. Indices past the end
/// (opened existentials of the body at hand) are kept.
pub struct Subst<'a>(pub &'a [GArg]);

impl Folder for Subst<'_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::PARAM) && !self.0.is_empty()
    }
    fn region(&mut self, region: Region, _: u16) -> Region {
        match region {
            Region::Param(i) => match self.0.get(i as usize) {
                Some(GArg::Region(new)) => *new,
                // An effect that is one region; others are expanded by `effect`.
                Some(GArg::Effect([one])) => *one,
                _ => region,
            },
            _ => region,
        }
    }
    fn effect(&mut self, region: Region, depth: u16, out: &mut Vec<Region>) {
        match region {
            Region::Param(i) => match self.0.get(i as usize) {
                Some(GArg::Effect(list)) => out.extend_from_slice(list),
                _ => out.push(self.any_region(region, depth)),
            },
            _ => out.push(self.any_region(region, depth)),
        }
    }
    fn aqual(&mut self, aqual: Aqual, _: u16) -> Aqual {
        match aqual {
            Aqual::Param(i) => match self.0.get(i as usize) {
                Some(GArg::Aqual(new)) => *new,
                _ => aqual,
            },
            _ => aqual,
        }
    }
    fn int(&mut self, int: IntExpr, _: u16) -> IntExpr {
        match int {
            IntExpr::Param(i) => match self.0.get(i as usize) {
                Some(GArg::Int(new)) => *new,
                _ => int,
            },
            _ => int,
        }
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Param(i, _) => match self.0.get(i as usize) {
                Some(GArg::Ty(new)) => Some(*new),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Opens the binder of a function type: `Bound(0, i)` becomes `args[i]`.
pub struct Open<'a>(pub &'a [GArg]);

impl Open<'_> {
    fn arg(&self, level: u16, index: u16, depth: u16) -> Option<GArg> {
        if level == depth { self.0.get(index as usize).copied() } else { None }
    }
}

impl Folder for Open<'_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::BOUND)
    }
    fn region(&mut self, region: Region, depth: u16) -> Region {
        match region {
            Region::Bound(level, index) => match self.arg(level, index, depth) {
                Some(GArg::Region(new)) => new,
                Some(GArg::Effect([one])) => *one,
                _ => region,
            },
            _ => region,
        }
    }
    fn effect(&mut self, region: Region, depth: u16, out: &mut Vec<Region>) {
        match region {
            Region::Bound(level, index) => match self.arg(level, index, depth) {
                Some(GArg::Effect(list)) => out.extend_from_slice(list),
                _ => out.push(self.any_region(region, depth)),
            },
            _ => out.push(self.any_region(region, depth)),
        }
    }
    fn aqual(&mut self, aqual: Aqual, depth: u16) -> Aqual {
        match aqual {
            Aqual::Bound(level, index) => match self.arg(level, index, depth) {
                Some(GArg::Aqual(new)) => new,
                _ => aqual,
            },
            _ => aqual,
        }
    }
    fn int(&mut self, int: IntExpr, depth: u16) -> IntExpr {
        match int {
            IntExpr::Bound(level, index) => match self.arg(level, index, depth) {
                Some(GArg::Int(new)) => new,
                _ => int,
            },
            _ => int,
        }
    }
    fn leaf(&mut self, ty: Ty, depth: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Bound(level, index) => match self.arg(level, index, depth) {
                Some(GArg::Ty(new)) => Some(new),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The function type with its binder replaced by `args`: parameters, result, effect, bounds
/// ready for one call.
pub fn open_func(func: &FuncTy, args: &[GArg]) -> FuncTy {
    let mut opened = fold_func(&mut Open(args), func, 0);
    opened.binder = Vec::new();
    opened
}

/// Erases regions and aliasabilities (after checking).
pub struct Erase;

impl Folder for Erase {
    fn touches(&self, _: Flags) -> bool {
        true
    }
    fn region(&mut self, _: Region, _: u16) -> Region {
        Region::Erased
    }
    fn aqual(&mut self, aqual: Aqual, _: u16) -> Aqual {
        // Counted and unique pointers keep their discipline: it decides what is emitted.
        match aqual {
            Aqual::Param(_) | Aqual::Bound(..) | Aqual::Infer(_) => Aqual::Erased,
            known => known,
        }
    }
}
