//! What expressions ask of regions beyond subtyping: to be live, to be `single`, to outlive
//! what an existential may be kept for.
//!
//! Soundness. Each use of an object of a region asks for the region to be live in the block
//! where it happens: dereferences and what reads strings, allocation, calls (the regions of
//! the callee's effect, and all that stand in its type arguments, whatever the effect), and
//! lending. The question is put only in functions in which some region may be gone.
//! - An existential may hide any region: the name it is opened under is not live, so nothing
//!   can be reached through it until a key of that very region is opened, or by a bound,
//!   which was proved when the value was made.
//! - A hidden *type* has no name that could be asked for, so its regions are bounded when it
//!   is hidden: each is `'H` or outlives a region argument of the struct. Opening the struct
//!   asks for those arguments to be live; scopes are nested, so they stay live for as long as
//!   the opened name is in scope.
//! - Nothing is known of the regions in a type variable of the function but that they are
//!   live for the whole call (the rule for calls above), and the bounds of the signature.

use super::order::Names;
use super::{Need, Origin, What};
use crate::cx::Fx;
use toft_base::Span;
use toft_hir::FuncId;
use toft_ty::{
    Aqual, Flags, Folder, FuncTy, GArg, Kind, Region, RegionBound, RegionId, Subst, Ty, TyKind,
    Variadic,
};

impl<'a> Fx<'a> {
    /// Whether some region of the body may be gone while the body runs.
    pub fn find_dead(&mut self, opened: &[toft_ty::GenericParam]) {
        let regions =
            |param: &toft_ty::GenericParam| matches!(param.kind, Kind::Region | Kind::Effect);
        let Some(func) = self.func else { return };
        for &bound in &func.sig.bounds {
            if matches!(bound, RegionBound::TyOutlives(..)) {
                self.assume(bound);
            }
        }
        let left_out = func.sig.effect.as_ref().is_some_and(|effect| {
            func.generics
                .iter()
                .enumerate()
                .any(|(i, param)| regions(param) && !effect.contains(&Region::Param(i as u32)))
        });
        self.dead = left_out || self.prog.next_regions || opened.iter().any(regions);
    }

    /// Where the regions of the body come from.
    pub fn region_names(&self) -> Names {
        let mut names = Names {
            opened: self.opened.iter().map(|&(i, block, _)| (i, block)).collect(),
            opens: self.opens.clone(),
            ..Names::default()
        };
        let Some(func) = self.func else { return names };
        names.params = func.generics.len() as u32;
        names.effect.clone_from(&func.sig.effect);
        if self.prog.next_regions {
            for &ty in func.sig.params.iter().chain([&func.sig.ret]) {
                let found = self.regions_of(ty).into_iter();
                names.nexts.extend(found.filter(|region| matches!(region, Region::Next(..))));
            }
        }
        names
    }

    /// An object of `region` is used here.
    pub fn need_live(&mut self, region: Region, span: Span, what: What) {
        if self.dead && !matches!(region, Region::Heap | Region::Local(_)) {
            let here = Region::Local(self.here);
            self.graph.need(region, here, Need::Live, Origin::new(span, what));
        }
    }

    /// What C's variable arguments point to is read or written by the callee.
    pub fn need_live_args(&mut self, args: &[toft_tir::Expr], of: Option<FuncId>) {
        for arg in args {
            if let Some(ptr) = self.shallow(arg.ty).as_ptr() {
                self.need_live(ptr.region, arg.span, What::Call(of));
            }
        }
    }

    /// What is freed by itself, with a handle, can only be in `region`.
    pub fn need_single(&mut self, region: Region, origin: Origin) {
        self.graph.single(region, origin);
    }

    /// A pointer of aliasability `aqual` goes from `a` to `b`.
    pub fn flow_region(&mut self, a: Region, b: Region, aqual: Aqual, o: Origin) {
        match self.aqual(aqual) {
            // Nobody frees through a `\T` pointer.
            Aqual::Aliasable | Aqual::Top | Aqual::Erased => self.graph.outlives(a, b, o),
            tracked => self.graph.need(a, b, Need::Tracked(tracked), o),
        }
    }

    /// The effect of a call: of `sig` with its parameters replaced by `gargs`.
    pub fn call_effect(&mut self, sig: &FuncTy, gargs: &[GArg], of: Option<FuncId>, span: Span) {
        if !self.dead {
            return;
        }
        let what = What::Call(of);
        let mut list = Vec::new();
        match &sig.effect {
            Some(effect) => {
                let mut subst = Subst(gargs);
                effect.iter().for_each(|&region| subst.effect(region, 0, &mut list));
                for arg in gargs {
                    if let GArg::Ty(ty) = *arg {
                        list.extend(self.regions_of(ty));
                    }
                }
            }
            None => {
                let rest = match sig.variadic {
                    Variadic::Typed(ty) | Variadic::Inject(ty) => Some(ty),
                    Variadic::No | Variadic::C => None,
                };
                for &ty in sig.params.iter().chain([&sig.ret]).chain(&rest) {
                    let ty = self.subst(gargs, ty);
                    list.extend(self.regions_of(ty));
                }
            }
        }
        for region in list {
            self.need_live(region, span, what);
        }
    }

    /// Whoever calls `b` keeps the regions of its effect alive, and no others: the function
    /// `a` that stands for it may need no more. An effect that is not written is all the
    /// signature mentions, and the signatures agree.
    pub fn relate_effects(&mut self, a: &FuncTy, b: &FuncTy, o: Origin) {
        let Some(promised) = &b.effect else { return };
        let needed = match &a.effect {
            Some(effect) => effect.clone(),
            None => {
                let mut list = Vec::new();
                for &ty in a.params.iter().chain([&a.ret]) {
                    list.extend(self.regions_of(ty));
                }
                list
            }
        };
        let variable = promised.iter().copied().find(|r| matches!(r, Region::Infer(_)));
        for region in needed {
            if region == Region::Heap || promised.contains(&region) {
                continue;
            }
            match variable {
                Some(variable) => self.graph.outlives(region, variable, o),
                None => {
                    let o = Origin::new(o.span, What::Effect);
                    self.graph.one_of(vec![region], promised.clone(), o);
                }
            }
        }
    }

    pub fn relate_effect_args(&mut self, a: &[Region], b: &[Region], o: Origin) -> bool {
        match (a, b) {
            _ if a == b => true,
            ([a], [b]) => {
                self.graph.equal(*a, *b, o);
                true
            }
            // No region needed is as good as the heap, which is always there.
            ([one], []) | ([], [one]) => {
                self.graph.equal(*one, Region::Heap, o);
                true
            }
            _ => a.iter().all(|r| b.contains(r)) && b.iter().all(|r| a.contains(r)),
        }
    }

    /// A bound of a definition or signature at the arguments it is used with.
    pub fn bound_at(bound: RegionBound, args: &[GArg]) -> RegionBound {
        let mut subst = Subst(args);
        match bound {
            RegionBound::Outlives(a, b) => {
                RegionBound::Outlives(subst.any_region(a, 0), subst.any_region(b, 0))
            }
            RegionBound::Single(a) => RegionBound::Single(subst.any_region(a, 0)),
            RegionBound::TyOutlives(ty, b) => {
                RegionBound::TyOutlives(subst.ty(ty), subst.any_region(b, 0))
            }
        }
    }

    /// A bound has to hold.
    pub fn prove(&mut self, bound: RegionBound, origin: Origin) {
        match bound {
            RegionBound::Outlives(a, b) => self.graph.outlives(a, b, origin),
            RegionBound::Single(a) => self.need_single(a, origin),
            RegionBound::TyOutlives(ty, b) => self.type_outlives(ty, &[b], origin),
        }
    }

    /// A bound holds from here on.
    pub fn assume(&mut self, bound: RegionBound) {
        if let RegionBound::TyOutlives(ty, low) = bound
            && let TyKind::Param(i, _) = *self.shallow(ty).kind()
        {
            self.hidden.push((i, vec![low]));
        }
        self.bounds.push(bound);
    }

    /// Every region in `ty` is `'H` or outlives one of `lows`.
    pub fn type_outlives(&mut self, ty: Ty, lows: &[Region], origin: Origin) {
        for region in self.regions_of(ty) {
            self.outlives_one(vec![region], lows, origin);
        }
        for i in self.type_params_of(ty) {
            let known: Vec<Vec<Region>> = self
                .hidden
                .iter()
                .filter(|entry| entry.0 == i)
                .map(|entry| entry.1.clone())
                .collect();
            if i < self.own_generics() {
                // Bounds of the signature; else no more than the call itself.
                let mut ends: Vec<Region> = known.into_iter().flatten().collect();
                if ends.is_empty() {
                    ends.push(Region::Local(RegionId(0)));
                }
                let what = match origin.what {
                    What::Packed => What::PackedVar(i),
                    other => other,
                };
                self.outlives_one(ends, lows, Origin::new(origin.span, what));
            } else {
                for region in known.into_iter().flatten() {
                    self.outlives_one(vec![region], lows, origin);
                }
            }
        }
    }

    fn outlives_one(&mut self, sups: Vec<Region>, lows: &[Region], origin: Origin) {
        match (sups.as_slice(), lows) {
            ([Region::Heap], _) => {}
            ([sup], []) => self.graph.outlives(*sup, Region::Heap, origin),
            ([sup], [low]) => self.graph.outlives(*sup, *low, origin),
            (_, []) => self.graph.one_of(sups, vec![Region::Heap], origin),
            _ => self.graph.one_of(sups, lows.to_vec(), origin),
        }
    }

    fn own_generics(&self) -> u32 {
        self.func.map_or(0, |func| func.generics.len() as u32)
    }

    /// What an existential hides: `gargs[own..]`, beside the arguments that stay visible.
    pub fn packed(&mut self, gargs: &[GArg], own: usize, bounds: &[RegionBound], span: Span) {
        let origin = Origin::new(span, What::Packed);
        let visible = region_args(&gargs[..own.min(gargs.len())]);
        for arg in gargs.iter().skip(own) {
            if let GArg::Ty(ty) = *arg {
                self.type_outlives(ty, &visible, origin);
            }
        }
        for &bound in bounds {
            self.prove(Fx::bound_at(bound, gargs), origin);
        }
    }

    /// The hidden variables `gargs[own..]` of an existential were given names.
    pub fn unpacked(&mut self, gargs: &[GArg], own: usize, bounds: &[RegionBound], span: Span) {
        let visible = region_args(&gargs[..own.min(gargs.len())]);
        let mut types = false;
        for arg in gargs.iter().skip(own) {
            if let GArg::Ty(ty) = *arg
                && let TyKind::Param(i, _) = *ty.kind()
            {
                types = true;
                self.hidden.push((i, visible.clone()));
            }
        }
        if types {
            for &region in &visible {
                self.need_live(region, span, What::Unpack);
            }
        }
        // Zeroed memory proved nothing of the visible arguments. A hidden region that is the
        // longer one may be taken for `'H` there; see `zeroable` for the shorter one.
        for &bound in bounds.iter().filter(|bound| bound_hides(bound, own)) {
            self.assume(Fx::bound_at(bound, gargs));
        }
    }

    /// The regions that stand in a type, `next_rgn`s as they are.
    pub fn regions_of(&self, ty: Ty) -> Vec<Region> {
        let mut found = Vec::new();
        crate::cx::Regions(&mut found).ty(self.deep(ty));
        found
    }

    /// The type parameters that stand in a type.
    fn type_params_of(&self, ty: Ty) -> Vec<u32> {
        struct Find(Vec<u32>);
        impl Folder for Find {
            fn touches(&self, flags: Flags) -> bool {
                flags.has(Flags::PARAM)
            }
            fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
                if let TyKind::Param(i, _) = *ty.kind() {
                    self.0.push(i);
                }
                None
            }
        }
        let mut find = Find(Vec::new());
        find.ty(self.deep(ty));
        find.0
    }

    /// Whether block `outer` is `inner` or around it.
    fn block_around(&self, outer: RegionId, inner: RegionId) -> bool {
        let mut at = Some(inner);
        while let Some(id) = at {
            // A parent is older than its child.
            if id <= outer {
                return id == outer;
            }
            at = self.regions.get(id).and_then(|decl| decl.parent);
        }
        false
    }

    /// No name that a pattern opened in an inner block leaves it in a type.
    pub fn types_stay(&mut self, ty: Ty, region: RegionId, span: Span) {
        if self.failed.is_some()
            || self.opened.is_empty()
            || !self.deep(ty).flags().has(Flags::PARAM)
        {
            return;
        }
        for i in self.type_params_of(ty) {
            let block = self.opened.iter().find(|opened| opened.0 == i).map(|opened| opened.1);
            if block.is_some_and(|block| !self.block_around(block, region)) {
                let text = self.show(ty);
                self.error(
                    toft_diag::codes::E0602,
                    span,
                    format!("a value of type {text} leaves the block in which its type was opened"),
                );
                return;
            }
        }
    }
}

/// Whether a bound of a definition speaks of what it hides, its variables from `own` on.
fn bound_hides(bound: &RegionBound, own: usize) -> bool {
    let hidden = |region: Region| matches!(region.root().0, Region::Param(i) if i as usize >= own);
    match *bound {
        RegionBound::Outlives(a, b) => hidden(a) || hidden(b),
        RegionBound::Single(a) => hidden(a),
        RegionBound::TyOutlives(ty, b) => {
            hidden(b) || matches!(*ty.kind(), TyKind::Param(i, _) if i as usize >= own)
        }
    }
}

/// Whether something that an existential hides is bounded from above: no `'H` fits there.
pub fn hides_shorter(bounds: &[RegionBound], own: usize) -> bool {
    bounds.iter().any(|bound| match *bound {
        RegionBound::Outlives(_, b) | RegionBound::TyOutlives(_, b) => {
            matches!(b.root().0, Region::Param(i) if i as usize >= own)
        }
        RegionBound::Single(_) => false,
    })
}

fn region_args(args: &[GArg]) -> Vec<Region> {
    args.iter()
        .filter_map(|arg| match arg {
            GArg::Region(region) => Some(*region),
            _ => None,
        })
        .collect()
}
