//! Places: what denotes memory, its members and elements, and loads from it.

use crate::convert::{const_int, mk};
use crate::cx::Fx;
use crate::expr::is_place;
use crate::region::What;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_tir::{Expr, ExprKind, Place, PlaceKind};
use toft_ty::{Aqual, Bounds, Flags, IntExpr, Region, Ty, TyKind, TyQuals};

impl<'a> Fx<'a> {
    /// An lvalue, or a value given a place of its own.
    pub fn place(&mut self, e: &'a hir::Expr) -> Option<Place> {
        use hir::ExprKind as K;
        let span = e.span;
        if let Some(chain) = self.row_chain(e) {
            return self.row_element(chain, span);
        }
        match &e.kind {
            K::Local(id) => {
                if self.refining.is_some() {
                    return self.refined_var(*id, span);
                }
                let id = self.local_id(*id, span)?;
                let Some(local) = self.locals.get(id) else {
                    self.not_constant(span);
                    return None;
                };
                if local.ty.is_error() {
                    self.poison();
                    return None;
                }
                Some(Place { kind: PlaceKind::Local(id), ty: local.ty, quals: local.quals, span })
            }
            K::Global(id) => {
                let global = &self.prog.globals[*id];
                let ty = crate::global_ty(self, *id)?;
                Some(Place { kind: PlaceKind::Global(*id), ty, quals: global.quals, span })
            }
            K::Unary(hir::UnOp::Deref, inner) => self.deref(inner, span),
            K::Index(base, index) => self.index(base, index, span),
            K::Member(base, name, at) => self.member(base, *name, *at, span),
            K::Arrow(base, name, at) => {
                let pointer = self.expr(base, None);
                let place = self.deref_value(pointer, span)?;
                self.field(place, *name, *at, span)
            }
            K::CompoundLiteral { ty, init, region } => {
                let (ty, quals) = self.hir_ty(ty);
                let outer = std::mem::replace(&mut self.want, quals.refine);
                let value = self.init(init, ty, What::Field, span);
                self.want = outer;
                let ty = value.ty;
                if ty.is_error() {
                    return None;
                }
                Some(Place { kind: PlaceKind::Temp(Box::new(value), *region), ty, quals, span })
            }
            _ => {
                let value = self.expr(e, None);
                if value.ty.is_error() {
                    return None;
                }
                let ty = value.ty;
                let kind = PlaceKind::Temp(Box::new(value), self.here);
                Some(Place { kind, ty, quals: TyQuals::default(), span })
            }
        }
    }

    /// The value in a place; arrays become pointers.
    pub fn load(&mut self, place: Place) -> Expr {
        let span = place.span;
        let ty = self.shallow(place.ty);
        match ty.kind() {
            TyKind::Array { .. } | TyKind::Vla(_) => match self.member_may_change(&place) {
                true => self.bad(span),
                false => self.decay(Place { ty, ..place }),
            },
            TyKind::Func(_) => match place.kind {
                PlaceKind::Deref(pointer) => *pointer,
                _ => self.bad(span),
            },
            TyKind::Void => {
                self.error(codes::E0409, span, "this expression has no value");
                self.bad(span)
            }
            TyKind::Adt(id, _) if self.adt(*id).is_datatype() => {
                let text = self.show(ty);
                self.report(
                    Diagnostic::error(
                        codes::E0305,
                        format!(
                            "a value of type {text} cannot be copied: its variant is not known"
                        ),
                        span,
                        "",
                    )
                    .help("keep the pointer, or take it apart with `switch`"),
                );
                self.bad(span)
            }
            TyKind::Adt(id, _) if self.adt(*id).flexible().is_some() => {
                self.need_complete(ty, span);
                self.bad(span)
            }
            _ => {
                // A value that was only given a place to be looked at.
                if let PlaceKind::Temp(value, _) = place.kind {
                    return *value;
                }
                mk(ExprKind::Load(Box::new(place)), ty, span)
            }
        }
    }

    fn deref(&mut self, inner: &'a hir::Expr, span: Span) -> Option<Place> {
        let pointer = self.expr(inner, None);
        self.deref_value(pointer, span)
    }

    /// `*pointer`.
    pub fn deref_value(&mut self, pointer: Expr, span: Span) -> Option<Place> {
        let ty = self.shallow(pointer.ty);
        if ty.is_error() {
            return None;
        }
        let Some(&ptr) = ty.as_ptr() else {
            if !self.refuse_opaque(ty, span, "dereferenced") {
                let text = self.show(ty);
                self.error(
                    codes::E0402,
                    span,
                    format!("only pointers can be dereferenced, not {text}"),
                );
            }
            return None;
        };
        if matches!(pointer.kind, ExprKind::Null) {
            self.error(codes::E0504, span, "this pointer is null");
            return None;
        }
        let elem = self.shallow(ptr.elem);
        if !self.may_deref(&ptr, elem, pointer.span) {
            return None;
        }
        if let Bounds::Thin(n) = ptr.bounds
            && !ptr.zeroterm
        {
            match self.int(n) {
                IntExpr::Const(0) => {
                    self.out_of_bounds(0, 0, span);
                    return None;
                }
                IntExpr::Const(_) => {}
                other => {
                    self.count(other, pointer.span)?;
                }
            }
        }
        let kind = PlaceKind::Deref(Box::new(pointer));
        Some(Place { kind, ty: elem, quals: ptr.quals, span })
    }

    fn index(&mut self, base: &'a hir::Expr, index: &'a hir::Expr, span: Span) -> Option<Place> {
        // An array place is indexed in place; anything else goes through its pointer.
        if is_place(base) {
            let place = self.place(base)?;
            let ty = self.shallow(place.ty);
            if let TyKind::Array { elem, len, zeroterm } = *ty.kind() {
                let index = self.index_value(index)?;
                return self.array_index(place, elem, len, zeroterm, index, span);
            }
            let value = self.load(place);
            return self.index_pointer(value, index, span);
        }
        let value = self.expr(base, None);
        self.index_pointer(value, index, span)
    }

    fn index_pointer(&mut self, base: Expr, index: &'a hir::Expr, span: Span) -> Option<Place> {
        let ty = self.shallow(base.ty);
        if ty.is_error() {
            let _ = self.expr(index, None);
            return None;
        }
        if let Some(ptr) = ty.as_ptr() {
            let index = self.index_value(index)?;
            if self.shallow(ptr.elem).as_func().is_some() {
                let message = "a pointer to a function cannot be indexed";
                self.report(
                    Diagnostic::error(codes::E0402, message, span, "")
                        .help("call it, or index an array of such pointers"),
                );
                return None;
            }
            return self.pointer_index(base, index, span);
        }
        let other = self.expr(index, None);
        if ty.is_integer() && self.shallow(other.ty).as_ptr().is_some() {
            return self.pointer_index(other, base, span);
        }
        if !other.ty.is_error() && !self.refuse_opaque(ty, span, "indexed") {
            let text = self.show(ty);
            self.error(
                codes::E0402,
                span,
                format!("only arrays and pointers can be indexed, not {text}"),
            );
        }
        None
    }

    pub fn index_value(&mut self, index: &'a hir::Expr) -> Option<Expr> {
        let value = self.expr(index, None);
        let ty = self.shallow(value.ty);
        if ty.is_error() {
            return None;
        }
        if !ty.is_integer() {
            self.not_an_index(ty, value.span);
            return None;
        }
        Some(value)
    }

    pub fn not_an_index(&mut self, ty: Ty, span: Span) {
        if !ty.is_error() {
            let text = self.show(ty);
            self.error(codes::E0402, span, format!("an index must be an integer, not {text}"));
        }
    }

    fn array_index(
        &mut self,
        place: Place,
        elem: Ty,
        len: IntExpr,
        zeroterm: bool,
        index: Expr,
        span: Span,
    ) -> Option<Place> {
        if let (IntExpr::Const(n), Some(k)) = (len, const_int(&index))
            && (k < 0 || k >= i128::from(n))
        {
            self.out_of_bounds(k, n, index.span);
            return None;
        }
        if zeroterm {
            // Writes near the terminator have to be checked: through the pointer.
            if self.member_may_change(&place) {
                return None;
            }
            let pointer = self.decay(place);
            return self.pointer_index(pointer, index, span);
        }
        let quals = place.quals;
        let kind = PlaceKind::ArrayIndex(Box::new(place), Box::new(index));
        Some(Place { kind, ty: elem, quals, span })
    }

    fn member(&mut self, base: &'a hir::Expr, name: Symbol, at: Span, span: Span) -> Option<Place> {
        let place = self.place(base)?;
        self.field(place, name, at, span)
    }

    /// `place.name`.
    pub fn field(&mut self, place: Place, name: Symbol, at: Span, span: Span) -> Option<Place> {
        let ty = self.shallow(place.ty);
        match *ty.kind() {
            TyKind::Error => None,
            TyKind::Tuple(fields) => {
                let n = name.as_str().parse::<usize>().ok().filter(|&n| n < fields.len());
                let Some(n) = n else {
                    let text = self.show(ty);
                    self.error(codes::E0304, at, format!("{text} has no member `{name}`"));
                    return None;
                };
                let quals = place.quals;
                let kind = PlaceKind::Field(Box::new(place), n as u32);
                Some(Place { kind, ty: fields[n], quals, span })
            }
            TyKind::Adt(id, _) if !self.adt(id).is_datatype() => {
                if self.adt(id).fields.is_none() {
                    self.need_complete(ty, at);
                    return None;
                }
                if self.is_abstract_here(id, ty, at) {
                    return None;
                }
                let Some(found) = self.find_field(id, name) else {
                    self.no_member(ty, id, name, at);
                    return None;
                };
                let mut place = place;
                for n in found.path {
                    place = self.field_at(place, n, span)?;
                }
                Some(place)
            }
            _ => {
                let text = self.show(ty);
                let mut d =
                    Diagnostic::error(codes::E0304, format!("{text} has no members"), at, "");
                if let Some(ptr) = ty.as_ptr()
                    && matches!(self.shallow(ptr.elem).kind(), TyKind::Adt(..))
                {
                    d = d.help("use `->` to reach a member through a pointer");
                }
                self.report(d);
                None
            }
        }
    }

    /// Field number `n` of an ADT place.
    pub fn field_at(&mut self, place: Place, n: u32, span: Span) -> Option<Place> {
        let ty = self.shallow(place.ty);
        let TyKind::Adt(id, args) = *ty.kind() else { return None };
        let def = self.adt(id);
        let field = def.fields.as_deref()?.get(n as usize)?;
        if !def.exists.is_empty()
            && field.ty.flags().has(Flags::PARAM)
            && self.mentions_exists(def, field.ty)
        {
            let text = self.show(ty);
            self.report(
                Diagnostic::error(
                    codes::E1003,
                    format!("this member of {text} has a type that only a pattern can open"),
                    span,
                    "",
                )
                .help("open it: `let S{…, .field = x} = value;`"),
            );
            return None;
        }
        let ty = self.field_ty(field, args);
        let quals = TyQuals {
            is_const: field.quals.is_const || place.quals.is_const,
            refine: field.quals.refine,
            is_volatile: field.quals.is_volatile || place.quals.is_volatile,
        };
        Some(Place { kind: PlaceKind::Field(Box::new(place), n), ty, quals, span })
    }

    fn mentions_exists(&self, def: &toft_ty::AdtDef, ty: Ty) -> bool {
        struct Find(u32, bool);
        impl toft_ty::Folder for Find {
            fn touches(&self, flags: Flags) -> bool {
                flags.has(Flags::PARAM)
            }
            fn region(&mut self, r: Region, _: u16) -> Region {
                self.1 |= matches!(r, Region::Param(i) if i >= self.0);
                r
            }
            fn int(&mut self, n: IntExpr, _: u16) -> IntExpr {
                self.1 |= matches!(n, IntExpr::Param(i) if i >= self.0);
                n
            }
            fn aqual(&mut self, q: Aqual, _: u16) -> Aqual {
                self.1 |= matches!(q, Aqual::Param(i) if i >= self.0);
                q
            }
            fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
                self.1 |= matches!(*ty.kind(), TyKind::Param(i, _) if i >= self.0);
                None
            }
        }
        let mut find = Find(def.generics.len() as u32, false);
        toft_ty::Folder::ty(&mut find, ty);
        find.1
    }

    pub fn no_member(&mut self, ty: Ty, id: toft_ty::AdtId, name: Symbol, at: Span) {
        let text = self.show(ty);
        let def = self.adt(id);
        let near = def
            .fields
            .iter()
            .flatten()
            .filter_map(|field| field.name)
            .map(|other| (distance(other.as_str(), name.as_str()), other))
            .min_by_key(|entry| entry.0)
            .filter(|entry| entry.0 <= 1 + name.as_str().len() / 4);
        let mut d =
            Diagnostic::error(codes::E0304, format!("{text} has no member `{name}`"), at, "")
                .label(def.span, "declared here");
        if let Some((_, near)) = near {
            d = d.suggest(at, near.as_str(), format!("a member named `{near}` exists"));
        }
        self.report(d);
    }
}

/// Edit distance, for suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
