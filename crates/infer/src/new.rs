//! `new`, and `malloc` and its kin.

use crate::convert::{const_int, mk};
use crate::cx::Fx;
use crate::region::What;
use crate::types::{notnull, thin};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{BinOp, Builtin, Init};
use toft_tir::{Expr, ExprKind, New, NewInit};
use toft_ty::{Aqual, Bounds, IntExpr, IntTy, PtrTy, Region, Ty, TyKind, TyQuals};

/// Where something new is put, and how it may be shared.
pub struct Home {
    handle: Option<Expr>,
    pub region: Region,
    qual: Option<Expr>,
    aqual: Aqual,
}

impl<'a> Fx<'a> {
    pub fn new_expr(&mut self, new: &'a hir::New, expect: Option<Ty>, span: Span) -> Expr {
        let Some(home) = self.home(new.region.as_ref(), new.qual.as_ref(), expect) else {
            return self.bad(span);
        };
        let wanted = expect.and_then(|ty| self.shallow(ty).as_ptr()).copied();
        let elem = wanted
            .map(|ptr| self.shallow(ptr.elem))
            .filter(|ty| !matches!(ty.kind(), TyKind::Infer(_) | TyKind::Void));
        match &new.init {
            Init::Expr(e) => self.new_value(e, elem, wanted, home, span),
            Init::List(..) => self.new_list(&new.init, elem, wanted, home, span),
            Init::Comprehension(comp) => {
                let (count, body) = self.comprehension_parts(comp, elem);
                if count.ty.is_error() || body.ty.is_error() {
                    return self.bad(span);
                }
                let elem = elem.unwrap_or(body.ty);
                let ptr = self.array_ptr(elem, const_int(&count), wanted, &home);
                let init = NewInit::Each { var: comp.var, body, region: comp.region };
                self.made(elem, Some(count), init, ptr, home, span)
            }
        }
    }

    fn home(
        &mut self,
        handle: Option<&'a hir::Expr>,
        qual: Option<&'a hir::Expr>,
        expect: Option<Ty>,
    ) -> Option<Home> {
        let made_as = self.made_as.take();
        let mut region = Region::Heap;
        let handle = match handle {
            None => None,
            Some(e) => {
                let value = self.expr(e, None);
                let ty = self.shallow(value.ty);
                let TyKind::RegionHandle(at) = *ty.kind() else {
                    if !ty.is_error() {
                        let text = self.show(ty);
                        self.error(
                            codes::E0401,
                            value.span,
                            format!("a region's handle is needed here, not {text}"),
                        );
                    }
                    return None;
                };
                region = at;
                self.need_live(at, value.span, What::Allocate);
                Some(value)
            }
        };
        let mut aqual = Aqual::Aliasable;
        let qual = match qual {
            Some(e) => {
                let value = self.expr(e, None);
                let ty = self.shallow(value.ty);
                let TyKind::AqualHandle(given) = *ty.kind() else {
                    if !ty.is_error() {
                        let text = self.show(ty);
                        self.error(
                            codes::E0401,
                            value.span,
                            format!("an aliasability is needed here, not {text}"),
                        );
                    }
                    return None;
                };
                aqual = given;
                Some(value)
            }
            None => {
                // Without one written, the context's is taken.
                if let Some(ptr) = expect.and_then(|ty| self.shallow(ty).as_ptr())
                    && matches!(self.aqual(ptr.aqual), Aqual::Unique | Aqual::Counted)
                {
                    aqual = self.aqual(ptr.aqual);
                } else if let (None, Some(bound)) = (expect, made_as) {
                    aqual = bound;
                }
                None
            }
        };
        Some(Home { handle, region, qual, aqual })
    }

    pub fn made(
        &mut self,
        elem: Ty,
        count: Option<Expr>,
        init: NewInit,
        ptr: PtrTy,
        home: Home,
        span: Span,
    ) -> Expr {
        let ptr = PtrTy { region: home.region, aqual: home.aqual, ..ptr };
        let made = New { elem, count, init, region: home.handle, qual: home.qual };
        mk(ExprKind::New(Box::new(made)), Ty::ptr(ptr), span)
    }

    fn new_value(
        &mut self,
        e: &'a hir::Expr,
        elem: Option<Ty>,
        wanted: Option<PtrTy>,
        home: Home,
        span: Span,
    ) -> Expr {
        if let hir::ExprKind::Init(init) = &e.kind {
            return self.new_list(init, elem, wanted, home, span);
        }
        if let hir::ExprKind::Str(width, units) = &e.kind {
            let of = crate::expr::str_elem(*width);
            if elem.is_none_or(|elem| self.same_shape(elem, of)) {
                return self.new_string(of, units, wanted, home, span);
            }
        }
        let mut value = self.expr(e, elem);
        if value.ty.is_error() {
            return self.bad(span);
        }
        let mut ty = self.shallow(value.ty);
        if ty.is_void() {
            self.error(codes::E0409, value.span, "this expression has no value");
            return self.bad(span);
        }
        if let Some(elem) = elem {
            let kinds = (ty.kind(), elem.kind());
            let subtype = matches!(kinds, (TyKind::Variant(a, ..), TyKind::Adt(b, _)) if a == b);
            if !subtype {
                value = self.coerce(value, elem, What::Field);
                ty = elem;
            }
        }
        if value.ty.is_error() {
            return self.bad(span);
        }
        let ptr = notnull(ty, TyQuals::default(), home.region);
        self.made(ty, None, NewInit::Value(value), ptr, home, span)
    }

    fn new_string(
        &mut self,
        of: Ty,
        units: &[u32],
        wanted: Option<PtrTy>,
        home: Home,
        span: Span,
    ) -> Expr {
        let int = self.int_ty(of).unwrap_or(IntTy::Char);
        let fat = wanted.is_some_and(|ptr| ptr.bounds == Bounds::Fat);
        let n = units.len() as u64;
        // As a fat pointer the terminator is an element of its own.
        let total = n + u64::from(fat);
        let ty = Ty::new(TyKind::Array { elem: of, len: IntExpr::Const(total), zeroterm: false });
        let fields = units
            .iter()
            .enumerate()
            .map(|(i, &unit)| (i as u64, mk(ExprKind::Int(int.wrap(i128::from(unit))), of, span)));
        let value = crate::init::aggregate(fields.collect(), ty, span);
        let quals = wanted.map_or(TyQuals::default(), |ptr| ptr.quals);
        let ptr = if fat {
            PtrTy { bounds: Bounds::Fat, ..notnull(of, quals, home.region) }
        } else {
            PtrTy { bounds: thin(n), zeroterm: self.is_char(of), ..notnull(of, quals, home.region) }
        };
        self.made(
            of,
            Some(self.int_const(i128::from(total), self.t.ulong, span)),
            NewInit::Array(value),
            ptr,
            home,
            span,
        )
    }

    fn new_list(
        &mut self,
        init: &'a Init,
        elem: Option<Ty>,
        wanted: Option<PtrTy>,
        home: Home,
        span: Span,
    ) -> Expr {
        let array = wanted.is_some_and(|ptr| {
            ptr.bounds == Bounds::Fat || !matches!(ptr.bounds, Bounds::Thin(IntExpr::Const(1)))
        });
        let Some(elem) = elem else {
            self.report(
                Diagnostic::error(
                    codes::E0408,
                    "the type of what is made is not known here",
                    span,
                    "",
                )
                .help("give the variable that takes it a type"),
            );
            return self.bad(span);
        };
        if !array {
            let value = self.init(init, elem, What::Field, span);
            if value.ty.is_error() {
                return self.bad(span);
            }
            let ty = value.ty;
            let ptr = notnull(ty, TyQuals::default(), home.region);
            return self.made(ty, None, NewInit::Value(value), ptr, home, span);
        }
        let whole = Ty::new(TyKind::Array { elem, len: IntExpr::Unknown, zeroterm: false });
        let value = self.init(init, whole, What::Field, span);
        let TyKind::Array { len: IntExpr::Const(n), .. } = *value.ty.kind() else {
            return self.bad(span);
        };
        let count = self.int_const(i128::from(n), self.t.ulong, span);
        let ptr = self.array_ptr(elem, Some(i128::from(n)), wanted, &home);
        self.made(elem, Some(count), NewInit::Array(value), ptr, home, span)
    }

    /// The type of a new array of `n` elements, suited to what is wanted.
    fn array_ptr(
        &mut self,
        elem: Ty,
        n: Option<i128>,
        wanted: Option<PtrTy>,
        home: &Home,
    ) -> PtrTy {
        let base = notnull(elem, TyQuals::default(), home.region);
        let n = n.and_then(|n| u64::try_from(n).ok());
        match wanted {
            // The heap keeps a zero behind each array of characters.
            Some(ptr) if ptr.zeroterm && self.is_char(elem) => {
                PtrTy { zeroterm: true, bounds: thin(n.unwrap_or(0)), ..base }
            }
            Some(ptr) if ptr.bounds == Bounds::Fat => PtrTy { bounds: Bounds::Fat, ..base },
            _ => match n {
                Some(n) => PtrTy { bounds: thin(n), ..base },
                None => PtrTy { bounds: Bounds::Fat, ..base },
            },
        }
    }

    /// `malloc`, `calloc`, `rmalloc`, … : what is allocated is read off the size.
    pub fn allocation(
        &mut self,
        builtin: Builtin,
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let (handle, qual, rest): (Option<&hir::Expr>, Option<&hir::Expr>, &'a [hir::Expr]) =
            match (builtin, args) {
                (Builtin::Malloc | Builtin::Calloc, rest) => (None, None, rest),
                // With an aliasability too, as the papers write it.
                (Builtin::Rmalloc, [handle, qual, rest @ ..]) if rest.len() == 1 => {
                    (Some(handle), Some(qual), rest)
                }
                (Builtin::Rcalloc, [handle, qual, rest @ ..]) if rest.len() == 2 => {
                    (Some(handle), Some(qual), rest)
                }
                (Builtin::Rmalloc | Builtin::Rcalloc, [handle, rest @ ..]) => {
                    (Some(handle), None, rest)
                }
                (Builtin::Rqmalloc | Builtin::Rqcalloc, [handle, qual, rest @ ..]) => {
                    (Some(handle), Some(qual), rest)
                }
                _ => (None, None, &[]),
            };
        let calloc = matches!(builtin, Builtin::Calloc | Builtin::Rcalloc | Builtin::Rqcalloc);
        if rest.len() != 1 + usize::from(calloc) {
            self.error(codes::E0404, span, "an allocation with the wrong number of arguments");
            return self.bad(span);
        }
        let Some(home) = self.home(handle, qual, expect) else { return self.bad(span) };
        let whole = match rest {
            [size] => Some(size),
            [n, size] if is_one(n) => Some(size),
            [size, n] if is_one(n) => Some(size),
            _ => None,
        };
        if let Some(size) = whole
            && matches!(size.kind, hir::ExprKind::Binary(..) | hir::ExprKind::Cast(..))
            && let Some((object, count)) = self.flexible_size(size)
        {
            return self.allocate_flexible(object, count, home, span);
        }
        let (elem, count) = if calloc {
            let n = self.expr(&rest[0], None);
            match self.size_type(&rest[1]) {
                Some(ty) => (ty, Some(n)),
                None => {
                    let size = self.expr(&rest[1], None);
                    (self.byte_wanted(expect), Some(self.binary_values(BinOp::Mul, n, size, span)))
                }
            }
        } else {
            self.sized(&rest[0], expect)
        };
        self.allocate(elem, count, home, expect, span)
    }

    /// Element type and number (`None`: one) that a size expression means.
    pub fn sized(&mut self, size: &'a hir::Expr, expect: Option<Ty>) -> (Ty, Option<Expr>) {
        if let Some(ty) = self.size_type(size) {
            return (ty, None);
        }
        if let hir::ExprKind::Binary(BinOp::Mul, a, b) = &size.kind {
            for (n, of) in [(a, b), (b, a)] {
                if let Some(ty) = self.size_type(of) {
                    return (ty, Some(self.expr(n, None)));
                }
            }
            // `n * m * sizeof(T)` groups to the left.
            if let hir::ExprKind::Binary(BinOp::Mul, x, y) = &a.kind {
                for (n, of) in [(x, y), (y, x)] {
                    if let Some(ty) = self.size_type(of) {
                        let (n, m) = (self.expr(n, None), self.expr(b, None));
                        let span = size.span;
                        return (ty, Some(self.binary_values(BinOp::Mul, n, m, span)));
                    }
                }
            }
        }
        if let hir::ExprKind::Cast(_, inner) = &size.kind
            && self.size_type(inner).is_some()
        {
            return self.sized(inner, expect);
        }
        (self.byte_wanted(expect), Some(self.expr(size, None)))
    }

    /// A size without `sizeof` counts characters, of the kind the context wants.
    fn byte_wanted(&self, expect: Option<Ty>) -> Ty {
        let elem =
            expect.and_then(|ty| self.shallow(ty).as_ptr()).map(|ptr| self.shallow(ptr.elem));
        match elem.map(Ty::kind) {
            Some(TyKind::Int(int)) if int.bytes() == 1 => self.int_of(*int),
            _ => self.t.char,
        }
    }

    /// `sizeof(T)`: T.
    pub fn size_type(&mut self, e: &'a hir::Expr) -> Option<Ty> {
        match &e.kind {
            hir::ExprKind::SizeofType(ty) => Some(self.hir_ty(ty).0),
            hir::ExprKind::SizeofExpr(inner) => Some(self.type_of(inner)),
            _ => None,
        }
    }

    fn allocate(
        &mut self,
        elem: Ty,
        count: Option<Expr>,
        home: Home,
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        let elem = self.shallow(elem);
        let wanted = expect.and_then(|ty| self.shallow(ty).as_ptr()).copied();
        if matches!(elem.kind(), TyKind::Adt(..))
            && self.flexible(elem).is_some()
            && count.as_ref().is_none_or(|n| const_int(n) == Some(1))
        {
            return self.allocate_flexible(elem, None, home, span);
        }
        if elem.is_error() || !self.need_complete(elem, span) {
            return self.bad(span);
        }
        if !self.zeroable(elem) {
            let text = self.show(elem);
            self.report(
                Diagnostic::error(
                    codes::E0701,
                    format!("memory for {text} cannot be handed out all zero"),
                    span,
                    "",
                )
                .note("zero bytes are not a value of this type")
                .help("make the object with `new`, which gives it a value"),
            );
            return self.bad(span);
        }
        // An array as a whole is its elements.
        let (elem, count) = match (*elem.kind(), count) {
            (TyKind::Array { elem, len: IntExpr::Const(n), .. }, None) => {
                (elem, Some(self.int_const(i128::from(n), self.t.ulong, span)))
            }
            (_, count) => (elem, count),
        };
        let Some(count) = count else {
            let ptr = notnull(elem, TyQuals::default(), home.region);
            return self.made(elem, None, NewInit::Zero, ptr, home, span);
        };
        let n = const_int(&count);
        let Some(count) = self.new_count(count) else { return self.bad(span) };
        if wanted.is_some_and(|p| p.zeroterm && p.bounds != Bounds::Fat && !p.quals.is_const) {
            self.report(
                Diagnostic::warning(
                    codes::W0402,
                    "fresh memory seen through a `char *` is an empty string",
                    span,
                    "",
                )
                .note("all of it is zero, and a `char *` ends at the first zero: nothing can be written")
                .help("declare the pointer as `char ?`, which keeps the bounds of the memory"),
            );
        }
        let ptr = self.array_ptr(elem, n, wanted, &home);
        self.made(elem, Some(count), NewInit::Zero, ptr, home, span)
    }

    /// A number of elements as an `unsigned long`; reports what cannot be one.
    pub fn new_count(&mut self, count: Expr) -> Option<Expr> {
        let ty = self.shallow(count.ty);
        if !ty.is_integer() {
            if !ty.is_error() {
                let text = self.show(ty);
                self.error(
                    codes::E0402,
                    count.span,
                    format!("a size must be an integer, not {text}"),
                );
            }
            return None;
        }
        if const_int(&count).is_some_and(|n| !(0..=1 << 46).contains(&n)) {
            self.error(codes::E0308, count.span, "an allocation of an impossible size");
            return None;
        }
        Some(self.arith(count, self.t.ulong, true))
    }
}

fn is_one(e: &hir::Expr) -> bool {
    matches!(&e.kind, hir::ExprKind::Int(value, _) if value.get() == 1)
}
