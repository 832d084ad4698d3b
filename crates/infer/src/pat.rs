//! Patterns: typing, bindings, and the statements made of them.

use crate::cx::Fx;
use crate::falls::NextArm;
use crate::region::{Origin, What};
use crate::stmt::Flow;
use crate::types::notnull;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{FieldName, LocalId, LocalTy};
use toft_tir::{self as tir, Pat, PatKind, Scrutinee};
use toft_ty::{
    AdtDef, AdtId, AdtKind, Aqual, FieldDef, GArg, GenericParam, IntExpr, Kind, Region, Ty, TyKind,
    TyQuals,
};

/// Where what is matched lies: `None` for a value without a place.
type At = Option<(Region, TyQuals, Aqual)>;

impl<'a> Fx<'a> {
    pub fn pattern(&mut self, pat: &'a hir::Pat, ty: Ty, at: At) -> Pat {
        use hir::PatKind as H;
        let span = pat.span;
        let ty = self.shallow(ty);
        let wild = Pat { kind: PatKind::Wild, ty, span };
        if ty.is_error() {
            self.forget(pat);
            return wild;
        }
        let kind = match &pat.kind {
            H::Wild => PatKind::Wild,
            H::Error => {
                self.poison();
                PatKind::Wild
            }
            H::Var(id) => {
                self.bind_var(*id, ty, span);
                PatKind::Var(*id)
            }
            H::As(id, inner) => {
                if !matches!(inner.kind, H::Wild) && self.tracked(ty) {
                    self.report(
                        Diagnostic::error(
                            codes::E2003,
                            "a tracked value cannot be bound as a whole and looked into at once",
                            span,
                            "",
                        )
                        .help("bind the whole, and match it in a `switch` of its own"),
                    );
                }
                self.bind_var(*id, ty, span);
                PatKind::As(*id, Box::new(self.pattern(inner, ty, at)))
            }
            H::Ref(id) => self.bind_ref(*id, ty, at, span),
            H::AddrOf(inner) => match ty.as_ptr() {
                Some(ptr) => {
                    let elem = self.shallow(ptr.elem);
                    if self.may_deref(ptr, elem, span) {
                        let at = Some((ptr.region, ptr.quals, ptr.aqual));
                        PatKind::Deref(Box::new(self.pattern(inner, elem, at)))
                    } else {
                        self.forget(inner);
                        PatKind::Wild
                    }
                }
                None => self.misfit(pat, ty, "a pointer"),
            },
            H::Null => match ty.as_ptr() {
                Some(ptr) if ptr.nullable => PatKind::Null,
                Some(_) => {
                    let text = self.show(ty);
                    self.error(
                        codes::E0802,
                        span,
                        format!("{text} is never null: this pattern cannot match"),
                    );
                    PatKind::Wild
                }
                None => self.misfit(pat, ty, "a pointer"),
            },
            H::Const(e) => self.const_pattern(pat, e, ty),
            H::Range(lo, hi) => {
                let (lo, hi) = (self.const_expr(lo), self.const_expr(hi));
                match (lo, hi) {
                    (Some(lo), Some(hi)) if ty.is_integer() => {
                        if lo > hi {
                            self.error(codes::E0802, span, "an empty range matches nothing");
                        }
                        PatKind::Int(lo, hi)
                    }
                    (Some(_), Some(_)) => self.misfit(pat, ty, "an integer"),
                    _ => PatKind::Wild,
                }
            }
            H::Tuple(pats) => match *ty.kind() {
                TyKind::Tuple(fields) if fields.len() == pats.len() => {
                    let each = pats.iter().zip(fields).enumerate();
                    PatKind::Fields(
                        each.map(|(n, (pat, &ty))| (n as u32, self.pattern(pat, ty, at))).collect(),
                    )
                }
                TyKind::Tuple(fields) => {
                    self.error(
                        codes::E0803,
                        span,
                        format!(
                            "a pattern of {} parts for a tuple of {}",
                            pats.len(),
                            fields.len()
                        ),
                    );
                    pats.iter().for_each(|pat| self.forget(pat));
                    PatKind::Wild
                }
                _ => self.misfit(pat, ty, "a tuple"),
            },
            H::Variant { adt, variant, opened, args, rest } => {
                self.variant_pattern(pat, *adt, *variant, opened, args, *rest, ty, at)
            }
            H::Record { adt, opened, fields, rest } => {
                self.record_pattern(pat, *adt, opened, fields, *rest, ty, at)
            }
        };
        Pat { kind, ty, span }
    }

    /// The variables of a pattern that could not be typed.
    fn forget(&mut self, pat: &'a hir::Pat) {
        use hir::PatKind as H;
        match &pat.kind {
            H::AddrOf(inner) | H::As(_, inner) => self.forget(inner),
            H::Tuple(list) | H::Variant { args: list, .. } => {
                list.iter().for_each(|pat| self.forget(pat))
            }
            H::Record { fields, .. } => fields.iter().for_each(|(_, pat)| self.forget(pat)),
            _ => {}
        }
        self.poison();
    }

    fn misfit(&mut self, pat: &'a hir::Pat, ty: Ty, what: &str) -> PatKind {
        let text = self.show(ty);
        let mut d = Diagnostic::error(
            codes::E0803,
            format!("this pattern matches {what}, but the value has type {text}"),
            pat.span,
            "",
        );
        if let Some(ptr) = ty.as_ptr()
            && matches!(pat.kind, hir::PatKind::Variant { .. } | hir::PatKind::Record { .. })
            && matches!(self.shallow(ptr.elem).kind(), TyKind::Adt(..) | TyKind::Variant(..))
        {
            d = d.suggest(pat.span.before(), "&", "match what the pointer points to");
        }
        self.report(d);
        self.forget(pat);
        PatKind::Wild
    }

    fn bind_var(&mut self, id: LocalId, ty: Ty, span: Span) {
        let decl: &'a hir::Local = &self.decls[id.0 as usize];
        let ty = match &decl.ty {
            LocalTy::Known(written) => {
                let written = self.open_local(*written, id, decl.region, decl.span);
                let o = Origin::new(span, What::Init(Some(id)));
                if !self.relate(ty, written, crate::relate::Mode::Flow, o) {
                    let (have, want) = (self.show(ty), self.show(written));
                    self.error(
                        codes::E0803,
                        span,
                        format!("the variable is declared as {want}, but the part has type {have}"),
                    );
                }
                written
            }
            _ => ty,
        };
        let uncopied = match ty.kind() {
            TyKind::Array { .. } => Some("an array"),
            TyKind::Adt(adt, _) if self.adt(*adt).is_datatype() => {
                Some("a datatype of unknown variant")
            }
            TyKind::Void => Some("nothing"),
            _ => None,
        };
        if let Some(what) = uncopied {
            self.report(
                Diagnostic::error(
                    codes::E0803,
                    format!("{what} cannot be copied into a variable"),
                    span,
                    "",
                )
                .help("bind a pointer to it: `*x`"),
            );
        }
        self.must_live(ty, decl.region, Origin::new(decl.span, What::Local(id)));
        self.set_local(id, ty);
    }

    fn bind_ref(&mut self, id: LocalId, ty: Ty, at: At, span: Span) -> PatKind {
        let Some((region, quals, aqual)) = at else {
            self.report(
                Diagnostic::error(
                    codes::E0803,
                    "`*x` needs a place, and what is matched is a value",
                    span,
                    "",
                )
                .help("bind a copy: `x`"),
            );
            self.poison();
            return PatKind::Wild;
        };
        if !self.aliasable(aqual) {
            self.report(
                Diagnostic::error(
                    codes::E2006,
                    "`*x` would be a pointer to the inside of a tracked object",
                    span,
                    "",
                )
                .note("the object could be freed while the pointer is still there")
                .help("bind the part itself (`x`), or match a borrowed pointer: `let alias<'s> …`"),
            );
        }
        let decl: &'a hir::Local = &self.decls[id.0 as usize];
        let ptr = Ty::ptr(notnull(ty, quals, region));
        self.must_live(ptr, decl.region, Origin::new(decl.span, What::Local(id)));
        self.set_local(id, ptr);
        PatKind::Ref(id)
    }

    fn const_pattern(&mut self, pat: &'a hir::Pat, e: &'a hir::Expr, ty: Ty) -> PatKind {
        let value = self.expr(e, Some(ty));
        if value.ty.is_error() {
            return PatKind::Wild;
        }
        if ty.as_ptr().is_some_and(|ptr| ptr.nullable) && self.is_null(&value) {
            return PatKind::Null;
        }
        if let (tir::ExprKind::Float(x), true) = (&value.kind, ty.is_float()) {
            return PatKind::Float(*x);
        }
        let Some(n) = self.const_value(&value, 0) else {
            self.not_constant(e.span);
            return PatKind::Wild;
        };
        if ty.is_float() {
            return PatKind::Float(n as f64);
        }
        let Some(int) = self.int_ty(ty) else { return self.misfit(pat, ty, "an integer") };
        if int.wrap(n) != n {
            let text = self.show(ty);
            self.error(codes::E0802, pat.span, format!("a value of type {text} is never {n}"));
        }
        PatKind::Int(n, n)
    }

    /// Arguments for existentials: those the pattern names, and fresh ones for the rest.
    fn open_exists(
        &mut self,
        exists: &[GenericParam],
        opened: &hir::Opened,
        span: Span,
    ) -> Vec<GArg> {
        let mut list = Vec::with_capacity(exists.len());
        for (n, param) in exists.iter().enumerate() {
            let index = match opened.get(n) {
                Some((index, ..)) => *index,
                None => {
                    self.generics.push(*param);
                    self.generics.len() as u32 - 1
                }
            };
            if let Some(slot) = self.generics.get_mut(index as usize) {
                *slot = GenericParam { name: slot.name, ..*param };
            }
            let at = opened.get(n).map_or(span, |opened| opened.2);
            self.opened.push((index, self.pattern_block, at));
            self.dead |= matches!(param.kind, Kind::Region | Kind::Effect);
            list.push(match param.kind {
                Kind::Any | Kind::Word => {
                    let name =
                        self.generics.get(index as usize).map_or(param.name, |param| param.name);
                    GArg::Ty(Ty::new(TyKind::Param(index, name)))
                }
                Kind::Region => GArg::Region(Region::Param(index)),
                Kind::Int => GArg::Int(IntExpr::Param(index)),
                Kind::Aqual => GArg::Aqual(Aqual::Param(index)),
                Kind::Effect => GArg::Effect(Box::leak(Box::new([Region::Param(index)]))),
            });
        }
        list
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one pattern")]
    fn variant_pattern(
        &mut self,
        pat: &'a hir::Pat,
        adt: AdtId,
        variant: u32,
        opened: &'a hir::Opened,
        args: &'a [hir::Pat],
        rest: bool,
        ty: Ty,
        at: At,
    ) -> PatKind {
        let given = match *ty.kind() {
            TyKind::Adt(id, given) if id == adt => given,
            TyKind::Variant(id, v, given) if id == adt => {
                if v != variant {
                    let text = self.show(ty);
                    self.error(codes::E0802, pat.span, format!("a {text} is never this variant"));
                }
                given
            }
            _ => {
                let name = self.adt(adt).name;
                return self.misfit(pat, ty, &format!("a `datatype {name}`"));
            }
        };
        let def = self.adt(adt);
        let Some(made) = def.variants.get(variant as usize) else { return PatKind::Wild };
        let n = made.fields.len();
        if args.len() > n || (args.len() < n && !rest && !(args.is_empty() && n == 0)) {
            let s = if n == 1 { "" } else { "s" };
            self.report(
                Diagnostic::error(
                    codes::E0803,
                    format!("`{}` has {n} value{s}, the pattern has {}", made.name, args.len()),
                    pat.span,
                    "",
                )
                .label(made.span, "declared here")
                .help("write `...` for values that do not matter"),
            );
            args.iter().for_each(|pat| self.forget(pat));
            return PatKind::Wild;
        }
        let mut all = given.to_vec();
        all.extend(self.open_exists(&made.exists, opened, pat.span));
        self.unpacked(&all, given.len(), &def.bounds, pat.span);
        let at = at.filter(|_| made.exists.is_empty());
        let mut fields = Vec::with_capacity(args.len());
        for (n, (pat, field)) in args.iter().zip(&made.fields).enumerate() {
            let ty = self.field_ty(field, &all);
            fields.push((n as u32, self.pattern(pat, ty, inner_at(at, field))));
        }
        PatKind::Variant { adt, variant, fields }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one pattern")]
    fn record_pattern(
        &mut self,
        pat: &'a hir::Pat,
        named: Option<AdtId>,
        opened: &'a hir::Opened,
        fields: &'a [(FieldName, hir::Pat)],
        rest: bool,
        ty: Ty,
        at: At,
    ) -> PatKind {
        if let (TyKind::Tuple(tys), None) = (*ty.kind(), named) {
            let each = fields.iter().zip(tys).enumerate();
            return PatKind::Fields(
                each.map(|(n, ((_, pat), &ty))| (n as u32, self.pattern(pat, ty, at))).collect(),
            );
        }
        let (id, given) = match *ty.kind() {
            TyKind::Adt(id, given)
                if named.is_none_or(|named| named == id || self.same_key_pattern(named, id))
                    && !self.adt(id).is_datatype() =>
            {
                (id, given)
            }
            _ => {
                let what = match named {
                    Some(id) => format!("a `{}`", self.adt(id).name),
                    None => "a struct or tagged union".into(),
                };
                return self.misfit(pat, ty, &what);
            }
        };
        if !self.need_complete(ty, pat.span) {
            return PatKind::Wild;
        }
        let def = self.adt(id);
        let mut all = given.to_vec();
        all.extend(self.open_exists(&def.exists, opened, pat.span));
        self.unpacked(&all, given.len(), &def.bounds, pat.span);
        // The object may be given other hidden types: no pointers into it.
        let at = at.filter(|_| def.exists.is_empty());
        match def.kind {
            AdtKind::Struct => self.struct_pattern(pat, id, def, &all, fields, rest, at),
            AdtKind::TaggedUnion | AdtKind::PackedUnion => match fields {
                [(name, inner)] => {
                    let Some((n, field)) = self.pattern_field(def, ty, name, pat.span) else {
                        self.forget(inner);
                        return PatKind::Wild;
                    };
                    let field_ty = self.field_ty(field, &all);
                    // The member may change: no pointers into it.
                    let inner = self.pattern(inner, field_ty, None);
                    PatKind::Member { adt: id, field: n, pat: Box::new(inner) }
                }
                _ => {
                    self.error(
                        codes::E0803,
                        pat.span,
                        "a pattern of a tagged union names one member",
                    );
                    fields.iter().for_each(|(_, pat)| self.forget(pat));
                    PatKind::Wild
                }
            },
            _ => {
                self.report(
                    Diagnostic::error(
                        codes::E0803,
                        "an untagged union cannot be matched",
                        pat.span,
                        "",
                    )
                    .note("nothing tells which member is the current one")
                    .help("declare it `@tagged union`"),
                );
                fields.iter().for_each(|(_, pat)| self.forget(pat));
                PatKind::Wild
            }
        }
    }

    fn pattern_field(
        &mut self,
        def: &'a AdtDef,
        ty: Ty,
        name: &FieldName,
        span: Span,
    ) -> Option<(u32, &'a FieldDef)> {
        let fields = def.fields.as_deref().unwrap_or(&[]);
        let found = match *name {
            FieldName::Named(name, _) => def.field_named(name).map(|(n, field)| (n as u32, field)),
            FieldName::At(n) => {
                let mut named =
                    fields.iter().enumerate().filter(|(_, f)| f.name.is_some() || f.bits.is_none());
                named.nth(n as usize).map(|(n, field)| (n as u32, field))
            }
        };
        if found.is_none() {
            let text = self.show(ty);
            match *name {
                FieldName::Named(name, at) => {
                    self.error(codes::E0304, at, format!("{text} has no member `{name}`"))
                }
                FieldName::At(n) => {
                    self.error(codes::E0803, span, format!("{text} has no member number {}", n + 1))
                }
            }
        }
        found
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one pattern")]
    fn struct_pattern(
        &mut self,
        pat: &'a hir::Pat,
        id: AdtId,
        def: &'a AdtDef,
        args: &[GArg],
        fields: &'a [(FieldName, hir::Pat)],
        rest: bool,
        at: At,
    ) -> PatKind {
        let own = &args[..def.generics.len().min(args.len())];
        let ty = Ty::adt(id, own);
        let total = def.fields.as_deref().map_or(0, <[FieldDef]>::len);
        let positional = fields.iter().any(|(name, _)| matches!(name, FieldName::At(_)));
        if positional && !rest && fields.len() < total {
            self.report(
                Diagnostic::error(
                    codes::E0803,
                    format!("the pattern has {} of the {total} members", fields.len()),
                    pat.span,
                    "",
                )
                .help("write `...` for members that do not matter"),
            );
        }
        let mut list = Vec::with_capacity(fields.len());
        for (name, inner) in fields {
            let Some((n, field)) = self.pattern_field(def, ty, name, pat.span) else {
                self.forget(inner);
                continue;
            };
            let field_ty = self.field_ty(field, args);
            let inner_at = if field.bits.is_some() { None } else { inner_at(at, field) };
            list.push((n, self.pattern(inner, field_ty, inner_at)));
        }
        PatKind::Fields(list)
    }

    // Statements.

    fn scrutinee(&mut self, e: &'a hir::Expr) -> (Scrutinee, Ty, At) {
        if crate::expr::is_place(e) {
            let open = self.open.len();
            match self.place(e) {
                Some(place) if self.open.len() > open => {
                    let value = self.load(place);
                    let value = self.settle(open, value);
                    return self.kept(value);
                }
                Some(place)
                    if !matches!(place.ty.kind(), TyKind::Array { .. } | TyKind::Vla(_)) =>
                {
                    let ty = self.shallow(place.ty);
                    let region = self.place_region(&place);
                    let quals = place.quals;
                    let aqual = match self.inside_tracked(&place) {
                        true => Aqual::Top,
                        false => Aqual::Aliasable,
                    };
                    return (Scrutinee::Place(place), ty, Some((region, quals, aqual)));
                }
                Some(place) => {
                    let value = self.load(place);
                    return self.kept(value);
                }
                None => {
                    let value = self.bad(e.span);
                    return self.kept(value);
                }
            }
        }
        let value = self.whole(e, None);
        self.kept(value)
    }

    fn kept(&mut self, value: tir::Expr) -> (Scrutinee, Ty, At) {
        let ty = self.shallow(value.ty);
        if ty.is_void() {
            self.error(codes::E0409, value.span, "this expression has no value");
        }
        let id = self.hidden(ty, value.span);
        (Scrutinee::Value(id, value), if ty.is_void() { self.t.error } else { ty }, None)
    }

    /// A compiler-made local.
    pub fn hidden(&mut self, ty: Ty, span: Span) -> LocalId {
        self.locals.push(tir::Local {
            name: None,
            ty,
            quals: TyQuals::default(),
            span,
            region: self.here,
            align: None,
            maybe_unused: true,
        })
    }

    pub fn match_stmt(&mut self, all: &'a hir::Match, flow: &mut Flow) -> tir::StmtKind {
        let (scrutinee, ty, at) = self.scrutinee(&all.scrutinee);
        let arms = self.arms(&all.arms, ty, at, flow);
        // As in C, a switch over plain numbers may leave some out.
        let open = ty.is_arithmetic();
        let mut partial = false;
        if !ty.is_error() && self.failed.is_none() {
            match self.uncovered(&arms, ty, all.span) {
                Some(_) if open => partial = true,
                Some(witness) => {
                    self.report(
                        Diagnostic::error(
                            codes::E0801,
                            format!("the cases do not cover `{witness}`"),
                            all.scrutinee.span,
                            "",
                        )
                        .help(format!("add `case {witness}:` or `default:`")),
                    );
                }
                None => {}
            }
        }
        tir::StmtKind::Match(Box::new(tir::Match {
            jump: all.jump,
            scrutinee,
            arms,
            partial,
            span: all.span,
        }))
    }

    /// `NewDynamicRegion{<'r> k}` takes a new key of any sort apart.
    fn same_key_pattern(&self, named: AdtId, id: AdtId) -> bool {
        let prelude = |id: AdtId| self.adt(id).span.lo;
        self.adt(named).name.as_str() == "NewDynamicRegion"
            && matches!(
                self.adt(id).name.as_str(),
                "NewDynamicRegionR" | "NewDynamicReap" | "NewDynamicReapR"
            )
            && self.sess.map.borrow().file_of(prelude(named))
                == self.sess.map.borrow().file_of(prelude(id))
    }

    /// The block of the variables that a pattern binds; what it opens is known there.
    pub fn block_of(&self, pat: &hir::Pat) -> Option<toft_ty::RegionId> {
        use hir::PatKind as H;
        match &pat.kind {
            H::Var(id) | H::As(id, _) | H::Ref(id) => {
                self.decls.get(id.0 as usize).map(|decl| decl.region)
            }
            H::AddrOf(inner) => self.block_of(inner),
            H::Tuple(list) | H::Variant { args: list, .. } => {
                list.iter().find_map(|pat| self.block_of(pat))
            }
            H::Record { fields, .. } => fields.iter().find_map(|(_, pat)| self.block_of(pat)),
            H::Wild | H::Null | H::Const(_) | H::Range(..) | H::Error => None,
        }
    }

    fn arms(&mut self, arms: &'a [hir::Arm], ty: Ty, at: At, flow: &mut Flow) -> Vec<tir::Arm> {
        let mut list = Vec::with_capacity(arms.len());
        let mut ahead: Option<(Vec<Pat>, Vec<_>)> = None;
        for (n, arm) in arms.iter().enumerate() {
            let outer = self.here;
            let tags = self.tags.len();
            let pats = match ahead.take() {
                Some((pats, opened)) => {
                    self.tags.extend(opened);
                    pats
                }
                None => self.arm_pats(arm, ty, at),
            };
            if let Some(region) = arm.body.region {
                self.here = region;
            }
            let guard = arm.guard.as_ref().map(|guard| self.cond(guard));
            self.here = outer;
            let mut falls = None;
            if arm.fills_next
                && let Some(next) = arms.get(n + 1)
            {
                // What falls into the next arm has to know the types of its variables.
                let mark = self.tags.len();
                let pats = self.arm_pats(next, ty, at);
                ahead = Some((pats, self.tags.split_off(mark)));
                falls = Some(NextArm::new(next));
            }
            self.falls.push(falls);
            let body = self.block(&arm.body, flow);
            self.falls.pop();
            self.tags.truncate(tags);
            list.push(tir::Arm { pats, guard, body, span: arm.span });
        }
        list
    }

    fn arm_pats(&mut self, arm: &'a hir::Arm, ty: Ty, at: At) -> Vec<Pat> {
        let outer = self.here;
        if let Some(region) = arm.body.region {
            self.here = region;
        }
        self.pattern_block =
            arm.pats.iter().find_map(|pat| self.block_of(pat)).unwrap_or(self.here);
        let pats = arm.pats.iter().map(|pat| self.pattern(pat, ty, at)).collect();
        self.here = outer;
        pats
    }

    pub fn let_stmt(
        &mut self,
        pat: &'a hir::Pat,
        value: &'a hir::Expr,
        span: Span,
    ) -> tir::StmtKind {
        let value = self.whole(value, None);
        let mut ty = self.shallow(value.ty);
        if ty.is_void() {
            self.error(codes::E0409, value.span, "this expression has no value");
            ty = self.t.error;
        }
        self.pattern_block = self.block_of(pat).unwrap_or(self.here);
        // A copy of the value is matched: no pointers into it.
        let pat = self.pattern(pat, ty, None);
        if !ty.is_error()
            && self.failed.is_none()
            && let Some(witness) = self.unmatched(&pat, ty, span)
        {
            self.report(
                Diagnostic::error(
                    codes::E0801,
                    format!("the pattern does not match `{witness}`"),
                    pat.span,
                    "",
                )
                .help("use `switch`, which can handle the other values"),
            );
        }
        tir::StmtKind::Let(pat, value)
    }

    pub fn try_stmt(
        &mut self,
        body: &'a hir::Stmt,
        jump: hir::JumpId,
        arms: &'a [hir::Arm],
        flow: &mut Flow,
        span: Span,
    ) -> tir::StmtKind {
        let body = Box::new(self.stmt(body, flow));
        let Some(ty) = self.exn_ptr(Region::Heap) else {
            self.error(codes::E1401, span, "exceptions need the declaration of `datatype exn`");
            return tir::StmtKind::Empty;
        };
        let exn = self.hidden(ty, span);
        let arms = self.arms(arms, ty, None, flow);
        if self.failed.is_none() {
            let _ = self.uncovered(&arms, ty, span);
        }
        tir::StmtKind::Try { body, jump, exn, arms }
    }
}

fn inner_at(at: At, field: &FieldDef) -> At {
    at.map(|(region, quals, aqual)| {
        let quals = TyQuals {
            is_const: quals.is_const || field.quals.is_const,
            refine: field.quals.refine,
            is_volatile: quals.is_volatile || field.quals.is_volatile,
        };
        (region, quals, aqual)
    })
}
