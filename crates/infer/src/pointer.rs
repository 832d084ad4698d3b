//! Pointers: conversions between their kinds, decay, arithmetic and indexing.

use crate::convert::{const_int, conv, mk};
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::types::{notnull, thin};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_tir::{Conv, CountOf, Expr, ExprKind, Place, PlaceKind};
use toft_ty::layout::layout_of;
use toft_ty::{Bounds, IntExpr, PtrTy, Region, Ty, TyKind};

impl<'a> Fx<'a> {
    pub fn convert_ptr(
        &mut self,
        e: Expr,
        a: &PtrTy,
        b: &PtrTy,
        to: Ty,
        o: Origin,
        explicit: bool,
    ) -> Expr {
        if self.is_null(&e) {
            return self.null_to(b, to, e.span);
        }
        let (mut e, mut a) = (e, *a);
        if let ExprKind::Str { writable, .. } = &mut e.kind
            && b.quals.is_const
        {
            // One copy of a literal that nobody writes serves all.
            *writable = false;
            a.quals = b.quals;
            e.ty = Ty::ptr(a);
        }
        let a = &a;
        let (from_elem, to_elem) = (self.shallow(a.elem), self.shallow(b.elem));
        if let Some(bad) = self.ptr_quals(&e, a, b, to, explicit) {
            return bad;
        }
        let (e, a) = match self.meet_aqual(e, *a, b, to, o, explicit) {
            Ok(met) => met,
            Err(refused) => return refused,
        };
        let a = &a;
        if to_elem.is_void() {
            return self.void_from(e, a, b, to, o, explicit);
        }
        if from_elem.is_void() {
            let text = self.show(to);
            self.report(
                Diagnostic::error(
                    codes::E0508,
                    format!("a `void *` does not become {text} again"),
                    e.span,
                    "it has lost its type",
                )
                .help("use a type variable (`'a`) where any type may come"),
            );
            return self.bad(e.span);
        }
        let mode = self.inner_mode(b, crate::relate::Mode::Flow);
        let before = self.graph.constraints.len();
        // Arrays of variants and of their datatype differ in layout: single objects only.
        let single = |bounds| matches!(bounds, Bounds::Thin(IntExpr::Const(0 | 1)));
        let variant = single(b.bounds)
            && matches!(a.bounds, Bounds::Thin(_))
            && self.is_variant_of(from_elem, to_elem, o);
        let mut view = false;
        if !variant && !self.relate(from_elem, to_elem, mode, o) {
            self.graph.constraints.truncate(before);
            view = explicit && self.pointer_free(from_elem) && self.pointer_free(to_elem);
            if !view {
                return self.elem_mismatch(e, from_elem, to_elem, to, o, explicit);
            }
        }
        self.flow_region(a.region, b.region, b.aqual, o);
        if view {
            self.view(e, a, b, to, explicit)
        } else {
            self.adjust(e, *a, b, to, variant, explicit)
        }
    }

    /// `datatype T.A` where `datatype T` is expected.
    fn is_variant_of(&mut self, from: Ty, to: Ty, o: Origin) -> bool {
        match (*from.kind(), *to.kind()) {
            (TyKind::Variant(x, _, a), TyKind::Adt(y, b)) => x == y && self.relate_args(a, b, o),
            _ => false,
        }
    }

    /// Const and foreign rules; `Some`: refused.
    fn ptr_quals(
        &mut self,
        e: &Expr,
        a: &PtrTy,
        b: &PtrTy,
        to: Ty,
        explicit: bool,
    ) -> Option<Expr> {
        if a.quals.is_const && !b.quals.is_const {
            let text = self.show(to);
            let how =
                if explicit { "a cast cannot take `const` away" } else { "`const` would be lost" };
            self.report(
                Diagnostic::error(
                    codes::E0406,
                    format!("{how}: {text} allows writing"),
                    e.span,
                    format!("has type {}", self.show(e.ty)),
                )
                .help("declare the target `const` too"),
            );
            return Some(self.bad(e.span));
        }
        if !self.refine_flows(a, b) {
            return Some(self.refine_lost(e, a, b, to));
        }
        if a.foreign != b.foreign {
            self.report(
                Diagnostic::error(
                    codes::E1101,
                    "a pointer of a host header has no interface here",
                    e.span,
                    format!("has type {}", self.show(e.ty)),
                )
                .help("declare the function in `extern \"C\" { … }` with Toft types"),
            );
            return Some(self.bad(e.span));
        }
        None
    }

    fn elem_mismatch(
        &mut self,
        e: Expr,
        from: Ty,
        to_elem: Ty,
        to: Ty,
        o: Origin,
        explicit: bool,
    ) -> Expr {
        if !explicit {
            return self.mismatch(e, to, o);
        }
        let (have, want) = (self.show(e.ty), self.show(to));
        let guilty = if self.pointer_free(from) { to_elem } else { from };
        let guilty = self.show(guilty);
        self.report(
            Diagnostic::error(codes::E0509, format!("{have} cannot be seen as {want}"), e.span, "")
                .note(format!(
                    "{guilty} is not made of plain numbers: a view would forge or tear pointers"
                )),
        );
        self.bad(e.span)
    }

    fn void_from(
        &mut self,
        mut e: Expr,
        a: &PtrTy,
        b: &PtrTy,
        to: Ty,
        o: Origin,
        explicit: bool,
    ) -> Expr {
        if a.elem.as_func().is_some() {
            return self.mismatch(e, to, o);
        }
        self.flow_region(a.region, b.region, b.aqual, o);
        let elem = self.shallow(a.elem);
        if b.bounds == Bounds::Fat && !elem.is_void() {
            return self.bytes_of(e, *a, b, to, explicit);
        }
        if a.nullable && !b.nullable {
            e = self.check_not_null(e, a, explicit);
        }
        if elem.is_void() && b.bounds == a.bounds {
            return if a.nullable == b.nullable { e } else { conv(Conv::PtrCast, e, to) };
        }
        conv(Conv::ToVoid, e, to)
    }

    /// To `void ?`: a view of what is there as bytes, whose bounds count bytes.
    fn bytes_of(&mut self, mut e: Expr, mut a: PtrTy, b: &PtrTy, to: Ty, explicit: bool) -> Expr {
        let elem = self.shallow(a.elem);
        if !self.pointer_free(elem) {
            let o = Origin::new(e.span, What::Cast);
            return self.elem_mismatch(e, elem, b.elem, to, o, true);
        }
        if a.bounds != Bounds::Fat {
            let fat = PtrTy { bounds: Bounds::Fat, zeroterm: false, quals: b.quals, ..a };
            e = self.thin_to_fat(e, a, &fat, explicit);
            a = fat;
        }
        let seen = PtrTy { bounds: Bounds::Fat, zeroterm: false, nullable: a.nullable, ..*b };
        e = conv(Conv::ViewFat, e, Ty::ptr(seen));
        if a.nullable && !b.nullable { conv(Conv::CheckNotNull, e, to) } else { e }
    }

    fn check_not_null(&mut self, e: Expr, a: &PtrTy, explicit: bool) -> Expr {
        if !explicit {
            // Only if it stays: `check` withdraws it where the pointer cannot be null.
            let at = e.span;
            self.sess.defer(Diagnostic::warning(
                codes::W0501,
                "a null check is put in here",
                at,
                "",
            ));
        }
        let ty = Ty::ptr(PtrTy { nullable: false, ..*a });
        conv(Conv::CheckNotNull, e, ty)
    }

    /// The number of elements as an operand of a conversion.
    pub fn count(&mut self, n: IntExpr, span: Span) -> Option<CountOf> {
        match self.int(n) {
            IntExpr::Const(n) => Some(CountOf::Const(n)),
            other => {
                if let Some(&(_, local)) = self.tags.iter().rev().find(|tag| tag.0 == other) {
                    return Some(CountOf::Tag(local));
                }
                self.report(
                    Diagnostic::error(
                        codes::E0507,
                        "the number of elements of this pointer is not known here",
                        span,
                        "",
                    )
                    .help("a variable of the matching `tag_t` type must be in scope; or use `T ?`, which carries its bounds"),
                );
                None
            }
        }
    }

    /// Nullability and bounds from `a` to `b`, whose elements agree.
    fn adjust(
        &mut self,
        mut e: Expr,
        mut a: PtrTy,
        b: &PtrTy,
        to: Ty,
        variant: bool,
        explicit: bool,
    ) -> Expr {
        let span = e.span;
        if a.nullable && !b.nullable && !(a.bounds == Bounds::Fat && b.bounds != Bounds::Fat) {
            e = self.check_not_null(e, &a, explicit);
            a.nullable = false;
        }
        match (a.bounds, b.bounds) {
            (Bounds::Fat, Bounds::Fat) => {
                if b.zeroterm && !a.zeroterm {
                    return self.not_zeroterm(e, &a, to);
                }
                self.finish(e, &a, b, to, variant)
            }
            (Bounds::Fat, Bounds::Thin(need)) => {
                if b.zeroterm && !a.zeroterm {
                    return self.not_zeroterm(e, &a, to);
                }
                self.fat_to_thin(e, a, b, need, to, explicit)
            }
            (Bounds::Thin(_), Bounds::Fat) => self.thin_to_fat(e, a, b, explicit),
            (Bounds::Thin(have), Bounds::Thin(need)) => {
                let (have, need) = (self.int(have), self.int(need));
                if b.zeroterm && !a.zeroterm {
                    return self.not_zeroterm(e, &a, to);
                }
                // A terminator may be read, so a const view has one element more.
                let extra = u64::from(a.zeroterm && !b.zeroterm && b.quals.is_const);
                let fits = match (have, need) {
                    (IntExpr::Const(have), IntExpr::Const(need)) => {
                        need <= have.saturating_add(extra)
                    }
                    _ => self.relate_int(have, need),
                };
                if fits {
                    return self.finish(e, &a, b, to, variant);
                }
                if a.zeroterm || matches!((have, need), (IntExpr::Const(_), IntExpr::Const(_))) {
                    return self.too_few(e, have, need, to);
                }
                let Some(count) = self.count(have, span) else { return self.bad(span) };
                let fat = PtrTy { bounds: Bounds::Fat, ..a };
                let e = conv(Conv::ThinToFat { count }, e, Ty::ptr(fat));
                self.fat_to_thin(e, fat, b, need, to, explicit)
            }
        }
    }

    fn fat_to_thin(
        &mut self,
        e: Expr,
        a: PtrTy,
        b: &PtrTy,
        need: IntExpr,
        to: Ty,
        explicit: bool,
    ) -> Expr {
        let span = e.span;
        let Some(need) = self.count(need, span) else { return self.bad(span) };
        if !explicit {
            self.sess.defer(Diagnostic::warning(
                codes::W0502,
                "a bounds check is put in here",
                span,
                "",
            ));
        }
        let e = conv(Conv::FatToThin { need }, e, Ty::ptr(PtrTy { nullable: a.nullable, ..*b }));
        if a.nullable && !b.nullable { conv(Conv::CheckNotNull, e, to) } else { e }
    }

    fn thin_to_fat(&mut self, mut e: Expr, a: PtrTy, b: &PtrTy, explicit: bool) -> Expr {
        let Bounds::Thin(have) = a.bounds else { return e };
        let result = Ty::ptr(PtrTy { nullable: a.nullable && b.nullable, ..*b });
        if matches!(e.kind, ExprKind::Str { .. }) {
            e.ty = result;
            return e;
        }
        if a.zeroterm && !matches!(e.kind, ExprKind::Decay(_)) {
            let expected = b.quals.is_const && self.is_library_call();
            if !explicit && !expected {
                let mut d = Diagnostic::warning(
                    codes::W0503,
                    "a scan for the terminating zero is put in here",
                    e.span,
                    "",
                )
                .note("a `char *` does not know its length; a `char ?` does");
                if !b.quals.is_const {
                    d = d.help(
                        "its bounds will end at the terminator, so that nothing can be \
                         appended: declare it as `char ?` to keep the whole buffer",
                    );
                }
                self.report(d);
            }
            self.need_live(b.region, e.span, crate::region::What::Deref);
            return conv(Conv::ZerotermToFat, e, result);
        }
        let span = e.span;
        let Some(count) = self.count(have, span) else { return self.bad(span) };
        conv(Conv::ThinToFat { count }, e, result)
    }

    /// Strings are what the library's functions are for: they scan anyway.
    fn is_library_call(&self) -> bool {
        self.callee.is_some_and(|id| {
            let span = self.prog.funcs[id].span;
            self.sess.map.borrow().kind_of(span) != toft_base::FileKind::User
        })
    }

    fn finish(&mut self, e: Expr, a: &PtrTy, b: &PtrTy, to: Ty, variant: bool) -> Expr {
        let same = a.nullable == b.nullable && a.zeroterm == b.zeroterm && !variant && {
            match (a.bounds, b.bounds) {
                (Bounds::Thin(m), Bounds::Thin(n)) => self.int(m) == self.int(n),
                _ => true,
            }
        };
        if same { e } else { conv(Conv::PtrCast, e, to) }
    }

    fn too_few(&mut self, e: Expr, have: IntExpr, need: IntExpr, to: Ty) -> Expr {
        let number = |n| match n {
            IntExpr::Const(1) => "1 element".to_owned(),
            IntExpr::Const(n) => format!("{n} elements"),
            _ => "an unknown number of elements".to_owned(),
        };
        let want = self.show(to);
        self.report(
            Diagnostic::error(
                codes::E0507,
                format!(
                    "{want} needs {}, and only {} are known to be there",
                    number(need),
                    number(have)
                ),
                e.span,
                format!("has type {}", self.show(e.ty)),
            )
            .help("use `T ?`, which carries its bounds, on the way"),
        );
        self.bad(e.span)
    }

    fn not_zeroterm(&mut self, e: Expr, a: &PtrTy, to: Ty) -> Expr {
        let (have, want) = (self.show(e.ty), self.show(to));
        let mut d = Diagnostic::error(
            codes::E0505,
            format!("{want} needs a terminating zero, which {have} may lack"),
            e.span,
            "",
        );
        d = if self.is_char(a.elem) {
            d.help("make the parameter or variable `char ?`: it carries its bounds and takes any string")
        } else {
            d.help("use a pointer with bounds (`T ?`)")
        };
        self.report(d);
        self.bad(e.span)
    }

    /// An explicit cast between pointer-free element types.
    fn view(&mut self, mut e: Expr, a: &PtrTy, b: &PtrTy, to: Ty, explicit: bool) -> Expr {
        let span = e.span;
        let tables = &self.prog.tables;
        let (from, target) = (self.deep(a.elem), self.deep(b.elem));
        let (Ok(from), Ok(target)) = (layout_of(tables, from), layout_of(tables, target)) else {
            return self.mismatch(e, to, Origin::new(span, What::Cast));
        };
        if target.align > from.align {
            let (have, want) = (self.show(e.ty), self.show(to));
            self.report(
                Diagnostic::error(
                    codes::E0510,
                    format!(
                        "{want} needs an alignment of {} bytes, {have} promises {}",
                        target.align, from.align
                    ),
                    span,
                    "",
                )
                .help("copy the bytes into a variable of the target type instead"),
            );
            return self.bad(span);
        }
        if b.zeroterm {
            return self.not_zeroterm(e, a, to);
        }
        let mut cur = *a;
        if cur.nullable && !b.nullable && cur.bounds != Bounds::Fat {
            e = self.check_not_null(e, &cur, true);
            cur.nullable = false;
        }
        if let (Bounds::Thin(n), Bounds::Thin(m)) = (cur.bounds, b.bounds)
            && let (IntExpr::Const(n), IntExpr::Const(m)) = (self.int(n), self.int(m))
        {
            let here = n.saturating_mul(from.size);
            if m.saturating_mul(target.size) > here {
                return self.too_few(
                    e,
                    IntExpr::Const(here / target.size.max(1)),
                    IntExpr::Const(m),
                    to,
                );
            }
            return conv(Conv::ViewThin, e, to);
        }
        if cur.bounds != Bounds::Fat {
            let fat = PtrTy { bounds: Bounds::Fat, zeroterm: false, ..cur };
            e = self.thin_to_fat(e, cur, &fat, explicit);
            cur = fat;
        }
        let seen = PtrTy { bounds: Bounds::Fat, zeroterm: false, nullable: cur.nullable, ..*b };
        e = conv(Conv::ViewFat, e, Ty::ptr(seen));
        self.adjust(e, seen, b, to, false, explicit)
    }

    // Decay.

    /// The region a place lies in.
    pub fn place_region(&mut self, place: &Place) -> Region {
        match &place.kind {
            PlaceKind::Local(id) => {
                let region = self.locals[*id].region;
                self.graph.pointing_into(region, Origin::new(place.span, What::AddrOf(*id)))
            }
            PlaceKind::Global(_) => Region::Heap,
            PlaceKind::Deref(ptr) | PlaceKind::PtrIndex(ptr, _) => {
                self.shallow(ptr.ty).as_ptr().map_or(Region::Heap, |ptr| ptr.region)
            }
            PlaceKind::Field(base, _) | PlaceKind::ArrayIndex(base, _) => self.place_region(base),
            PlaceKind::Temp(_, toft_hir::STATIC_REGION) => Region::Heap,
            PlaceKind::Temp(_, region) => {
                self.graph.pointing_into(*region, Origin::new(place.span, What::Temp))
            }
        }
    }

    /// An array place as a pointer to its first element.
    pub fn decay(&mut self, mut place: Place) -> Expr {
        let span = place.span;
        self.lend_inside(&mut place);
        let region = self.place_region(&place);
        let ty = match *place.ty.kind() {
            TyKind::Vla(elem) => {
                Ty::ptr(PtrTy { bounds: Bounds::Fat, ..notnull(elem, place.quals, region) })
            }
            TyKind::Array { elem, len, zeroterm } => {
                let whole = matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Global(_));
                let hidden = whole && self.is_char(elem);
                let (bounds, zero) = match (zeroterm, len) {
                    // The last element of an `@zeroterm` array is its terminator.
                    (true, IntExpr::Const(n)) => (thin(n.saturating_sub(1)), true),
                    _ => (Bounds::Thin(len), zeroterm || hidden),
                };
                Ty::ptr(PtrTy { bounds, zeroterm: zero, ..notnull(elem, place.quals, region) })
            }
            _ => return self.bad(span),
        };
        mk(ExprKind::Decay(Box::new(place)), ty, span)
    }

    /// `&place`.
    pub fn address(&mut self, mut place: Place, span: Span) -> Expr {
        self.lend_inside(&mut place);
        let region = self.place_region(&place);
        let ty = Ty::ptr(notnull(place.ty, place.quals, region));
        mk(ExprKind::AddrOf(Box::new(place)), ty, span)
    }

    // Arithmetic.

    /// Whether `p + i`, `p++` are allowed; reports if not.
    pub fn arithmetic_on(&mut self, ptr: &PtrTy, text_of: Span, span: Span) -> bool {
        if ptr.aqual != toft_ty::Aqual::Aliasable && !self.aliasable(ptr.aqual) {
            self.tracked_arithmetic(span);
            return false;
        }
        if ptr.zeroterm {
            // The elements passed over are looked at.
            self.need_live(ptr.region, span, crate::region::What::Deref);
        }
        let elem = self.shallow(ptr.elem);
        if elem.is_void() {
            self.error(codes::E0508, span, "arithmetic on a `void *`, whose elements have no size");
            return false;
        }
        if elem.as_func().is_some() {
            self.error(codes::E0402, span, "arithmetic on a pointer to a function");
            return false;
        }
        if ptr.foreign {
            self.error(
                codes::E1101,
                span,
                "arithmetic on a pointer of a host header, whose bounds are not known",
            );
            return false;
        }
        if ptr.bounds != Bounds::Fat && !ptr.zeroterm {
            self.thin_refused(ptr, text_of, span, "arithmetic");
            return false;
        }
        self.need_complete(elem, span)
    }

    /// A variable that promises elements before the terminator cannot move over them.
    pub fn may_step(&mut self, ptr: &PtrTy, span: Span) -> bool {
        let Bounds::Thin(n) = ptr.bounds else { return true };
        if !ptr.zeroterm || self.int(n) == IntExpr::Const(0) {
            return true;
        }
        let text = self.show(Ty::ptr(*ptr));
        self.report(
            Diagnostic::error(
                codes::E0507,
                format!("after this fewer elements would be there than {text} promises"),
                span,
                "",
            )
            .help("declare the pointer `@zeroterm` without a number of elements"),
        );
        false
    }

    pub fn thin_refused(&mut self, ptr: &PtrTy, at: Span, span: Span, verb: &str) {
        let elem = self.show(ptr.elem);
        let elem = elem.trim_matches('`');
        let text = self.show(Ty::ptr(*ptr));
        let diagnostic = Diagnostic::error(
            codes::E0502,
            format!("{verb} on {text}, which points at one object without bounds"),
            span,
            "",
        )
        .label(at, "this pointer carries no bounds")
        .help(format!("make it `{elem} ?`: a fat pointer carries its bounds"));
        self.report(diagnostic);
    }

    /// `p + i`; constants stay constants of a signed type.
    pub fn pointer_add(&mut self, p: Expr, i: Expr, string: bool, span: Span) -> Expr {
        let p = self.lent(p, crate::tracked::Why::Arith);
        let Some(&ptr) = self.shallow(p.ty).as_ptr() else { return self.bad(span) };
        // A thin array is given its bounds first.
        let p = if string && ptr.zeroterm { p } else { self.with_bounds(p) };
        let fat = self.shallow(p.ty).as_ptr().copied().unwrap_or(ptr);
        if !self.arithmetic_on(&fat, p.span, span) {
            return self.bad(span);
        }
        let mut ty = fat;
        if ty.zeroterm && ty.bounds != Bounds::Fat {
            ty.bounds = thin(match (fat.bounds, const_int(&i)) {
                (Bounds::Thin(IntExpr::Const(n)), Some(k)) if k >= 0 => n.saturating_sub(k as u64),
                _ => 0,
            });
        }
        mk(ExprKind::PtrAdd(Box::new(p), Box::new(i)), Ty::ptr(ty), span)
    }

    /// An array (decayed) of known length as a fat pointer, so that it can be walked.
    pub fn with_bounds(&mut self, p: Expr) -> Expr {
        let Some(&ptr) = self.shallow(p.ty).as_ptr() else { return p };
        match ptr.bounds {
            Bounds::Thin(n)
                if matches!(p.kind, ExprKind::Decay(_) | ExprKind::Str { .. })
                    || (!ptr.zeroterm && self.int(n) != IntExpr::Const(1)) =>
            {
                let fat = PtrTy { bounds: Bounds::Fat, zeroterm: false, ..ptr };
                self.thin_to_fat(p, ptr, &fat, true)
            }
            _ => p,
        }
    }

    /// `p[i]` on a pointer value.
    pub fn pointer_index(&mut self, p: Expr, i: Expr, span: Span) -> Option<Place> {
        let ptr = *self.shallow(p.ty).as_ptr()?;
        let elem = self.shallow(ptr.elem);
        if !self.may_deref(&ptr, elem, p.span) {
            return None;
        }
        if let Bounds::Thin(n) = ptr.bounds
            && !ptr.zeroterm
        {
            let index = const_int(&i);
            match (self.int(n), index) {
                (IntExpr::Const(1), Some(0)) => {}
                (IntExpr::Const(1), _) => {
                    self.thin_refused(&ptr, p.span, span, "indexing");
                    return None;
                }
                (IntExpr::Const(n), Some(k)) if k < 0 || k >= i128::from(n) => {
                    self.out_of_bounds(k, n, i.span);
                    return None;
                }
                (IntExpr::Const(_), _) => {}
                (other, _) => {
                    self.count(other, p.span)?;
                }
            }
        }
        let kind = PlaceKind::PtrIndex(Box::new(p), Box::new(i));
        Some(Place { kind, ty: ptr.elem, quals: ptr.quals, span })
    }

    pub fn out_of_bounds(&mut self, index: i128, n: u64, span: Span) {
        self.error(
            codes::E0503,
            span,
            format!(
                "index {index} is outside the {n} element{} there are",
                if n == 1 { "" } else { "s" }
            ),
        );
    }

    /// Whether what `ptr` points at can be reached; reports if not.
    pub fn may_deref(&mut self, ptr: &PtrTy, elem: Ty, span: Span) -> bool {
        if ptr.foreign {
            self.report(
                Diagnostic::error(
                    codes::E1101,
                    "a pointer of a host header cannot be dereferenced",
                    span,
                    "it carries no promise at all",
                )
                .help("declare what it comes from in `extern \"C\" { … }` with Toft types"),
            );
            return false;
        }
        if elem.is_void() {
            self.report(
                Diagnostic::error(codes::E0508, "a `void *` cannot be dereferenced", span, "")
                    .help("give the pointer its type, or use a type variable (`'a`)"),
            );
            return false;
        }
        self.need_live(ptr.region, span, crate::region::What::Deref);
        elem.as_func().is_some() || elem.is_error() || self.deref_complete(elem, span)
    }

    fn deref_complete(&mut self, elem: Ty, span: Span) -> bool {
        match elem.kind() {
            // Datatypes are looked into by patterns; only their place is needed here.
            TyKind::Adt(id, _) if self.adt(*id).is_datatype() => true,
            _ => self.need_sized(elem, span),
        }
    }
}
