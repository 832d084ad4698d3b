//! Functions the compiler knows by itself.

use crate::convert::{const_int, mk};
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::types::notnull;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{Builtin, FuncId};
use toft_tir::{Call, Callee, Expr, ExprKind, Varargs};
use toft_ty::{Aqual, Bounds, FloatTy, GArg, IntExpr, IntTy, PtrTy, Region, Ty, TyKind, TyQuals};

impl<'a> Fx<'a> {
    pub fn builtin(
        &mut self,
        builtin: Builtin,
        id: FuncId,
        given: &[GArg],
        args: &'a [hir::Expr],
        expect: Option<Ty>,
        span: Span,
    ) -> Expr {
        use Builtin::*;
        match builtin {
            Malloc | Calloc | Rmalloc | Rcalloc | Rqmalloc | Rqcalloc => {
                self.allocation(builtin, args, expect, span)
            }
            Realloc => self.realloc(args, expect, span),
            Free => self.release(builtin, None, args, span),
            Gnu(name) => self.gnu(builtin, name.as_str(), args, span),
            RegionSize => self.region_size(builtin, args, span),
            RegionLimit => self.region_limit(builtin, args, span),
            RefptrCount | AliasRefptr => self.counted(builtin, args, span),
            DropRefptr => self.release(builtin, None, args, span),
            Rfree | RdropRefptr => {
                let [handle, object] = args else {
                    return self.wrong_count(self.prog.funcs[id].name.as_str(), 2, span);
                };
                let handle = self.handle(handle);
                self.release(builtin, Some(handle), std::slice::from_ref(object), span)
            }
            NewUkey | NewRkey | NewReapUkey | NewReapRkey | FreeUkey | FreeRkey | NewDrseq
            | NextDrseq => {
                let mut made = self.call_func(id, given, args, expect, span);
                if let ExprKind::Call(call) = &mut made.kind
                    && let Callee::Func(_, gargs) = &mut call.callee
                {
                    call.callee = Callee::Builtin(builtin, std::mem::take(gargs));
                }
                made
            }
        }
    }

    fn builtin_call(
        &mut self,
        builtin: Builtin,
        gargs: Vec<GArg>,
        args: Vec<Expr>,
        ret: Ty,
        span: Span,
    ) -> Expr {
        if args.iter().any(|arg| arg.ty.is_error()) {
            return self.bad(span);
        }
        let call = Call { callee: Callee::Builtin(builtin, gargs), args, varargs: Varargs::None };
        mk(ExprKind::Call(Box::new(call)), ret, span)
    }

    fn wrong_count(&mut self, name: &str, want: usize, span: Span) -> Expr {
        let s = if want == 1 { "" } else { "s" };
        self.error(codes::E0404, span, format!("`{name}` takes {want} argument{s}"));
        self.bad(span)
    }

    /// `free`, `rfree`, `drop_refptr`, `rdrop_refptr`: the pointer is given up.
    fn release(
        &mut self,
        builtin: Builtin,
        handle: Option<Expr>,
        args: &'a [hir::Expr],
        span: Span,
    ) -> Expr {
        let (name, want) = match builtin {
            Builtin::Free => ("free", Aqual::Unique),
            Builtin::Rfree => ("rfree", Aqual::Unique),
            Builtin::RdropRefptr => ("rdrop_refptr", Aqual::Counted),
            _ => ("drop_refptr", Aqual::Counted),
        };
        let [arg] = args else { return self.wrong_count(name, 1, span) };
        let value = self.expr(arg, None);
        let ty = self.shallow(value.ty);
        if ty.is_error() {
            return self.bad(span);
        }
        if self.is_null(&value) && handle.is_none() {
            return crate::convert::conv(toft_tir::Conv::Drop, value, self.t.void);
        }
        let Some(&ptr) = ty.as_ptr() else {
            return self.mismatch(value, self.t.void_ptr, Origin::new(span, What::Arg(None, 0)));
        };
        if self.aliasable(ptr.aqual) {
            return self.free_of_alias(name, ty, span);
        }
        if self.aqual(ptr.aqual) != want {
            return self.wrong_release(name, &ptr, ty, arg.span);
        }
        if let TyKind::Adt(id, _) = *self.shallow(ptr.elem).kind()
            && Some(id) == self.prog.keys
        {
            let right = if want == Aqual::Unique { "free_ukey" } else { "free_rkey" };
            self.report(
                Diagnostic::error(
                    codes::E2012,
                    format!("`{name}` of a key would leave its arena behind"),
                    span,
                    "",
                )
                .help(format!("`{right}` gives back both")),
            );
            return self.bad(span);
        }
        let mut list = vec![value];
        match handle {
            None => {
                let o = Origin::new(arg.span, What::Freed);
                self.graph.outlives(ptr.region, Region::Heap, o);
            }
            Some(handle) => {
                if let TyKind::RegionHandle(at) = *self.shallow(handle.ty).kind() {
                    let o = Origin::new(arg.span, What::Arg(None, 1));
                    self.flow_region(ptr.region, at, ptr.aqual, o);
                    self.need_single(at, Origin::new(handle.span, What::Arg(None, 0)));
                    self.need_live(at, span, What::Arg(None, 0));
                }
                list.insert(0, handle);
            }
        }
        self.builtin_call(builtin, Vec::new(), list, self.t.void, span)
    }

    fn free_of_alias(&mut self, name: &str, ty: Ty, span: Span) -> Expr {
        self.report(
            Diagnostic::error(
                codes::E0604,
                format!("`{name}` of a pointer that may have copies"),
                span,
                format!("has type {}", self.show(ty)),
            )
            .note("another copy could still be used afterwards")
            .help("the heap is collected: delete the call; or make the pointer unique (`T *\\U`)"),
        );
        self.bad(span)
    }

    fn wrong_release(&mut self, name: &str, ptr: &PtrTy, ty: Ty, span: Span) -> Expr {
        let text = self.show(ty);
        let mut d = Diagnostic::error(
            codes::E2009,
            format!("`{name}` does not take a {text}"),
            span,
            format!("has type {text}"),
        );
        d = match self.aqual(ptr.aqual) {
            Aqual::Unique => d.help("a unique object is freed: `free(p)`, `rfree(h, p)`"),
            Aqual::Counted => {
                d.help("a counted pointer is dropped: `drop_refptr(p)`, `rdrop_refptr(h, p)`")
            }
            _ => {
                d.note("it may stand for any kind of pointer: who made it knows how to give it up")
            }
        };
        self.report(d);
        self.bad(span)
    }

    /// `alias_refptr`, `refptr_count`: looks at the pointer, which stays what it is.
    fn counted(&mut self, builtin: Builtin, args: &'a [hir::Expr], span: Span) -> Expr {
        let name = if builtin == Builtin::AliasRefptr { "alias_refptr" } else { "refptr_count" };
        let [arg] = args else { return self.wrong_count(name, 1, span) };
        let value = self.expr(arg, None);
        let ty = self.shallow(value.ty);
        if ty.is_error() {
            return self.bad(span);
        }
        let counted = ty.as_ptr().copied().filter(|ptr| self.aqual(ptr.aqual) == Aqual::Counted);
        let Some(ptr) = counted else {
            let text = self.show(ty);
            self.report(
                Diagnostic::error(
                    codes::E2009,
                    format!("`{name}` takes a counted pointer (`T *\\RC`), not {text}"),
                    arg.span,
                    "",
                )
                .help("allocate the object where a counted pointer is expected, or with `refcnt_qual`"),
            );
            return self.bad(span);
        };
        self.need_live(ptr.region, span, What::Arg(None, 0));
        let ret = if builtin == Builtin::AliasRefptr { ty } else { self.t.ulong };
        self.builtin_call(builtin, Vec::new(), vec![value], ret, span)
    }

    /// `realloc(p, n * sizeof(T))`: a new array with the old elements, zero beyond them.
    fn realloc(&mut self, args: &'a [hir::Expr], expect: Option<Ty>, span: Span) -> Expr {
        let [old, size] = args else { return self.wrong_count("realloc", 2, span) };
        let fresh = self.allocation(Builtin::Malloc, std::slice::from_ref(size), expect, span);
        let ExprKind::New(new) = fresh.kind else { return self.bad(span) };
        let elem = new.elem;
        if let Some(id) = self.flexible(elem) {
            let message =
                format!("`realloc` of a `struct {}`, which has no fixed size", self.adt(id).name);
            self.report(
                Diagnostic::error(codes::E0900, message, span, "")
                    .note("this is not supported yet")
                    .help("make a new one with `malloc`, and copy its members and elements"),
            );
            return self.bad(span);
        }
        let Some(&made) = fresh.ty.as_ptr() else { return self.bad(span) };
        let count = new.count.unwrap_or_else(|| self.int_const(1, self.t.ulong, span));
        let region = self.graph.fresh();
        let fat = Ty::ptr(PtrTy::fat(elem, region));
        let old = self.expr(old, Some(fat));
        if self.is_tracked_ptr(old.ty) || self.tracked(elem) || made.aqual != Aqual::Aliasable {
            self.report(
                Diagnostic::error(
                    codes::E2009,
                    "`realloc` does not take tracked pointers",
                    span,
                    format!("has type {}", self.show(old.ty)),
                )
                .help(
                    "allocate the new array, move or swap the elements over, and free the old one",
                ),
            );
            return self.bad(span);
        }
        if old.ty.is_error() {
            return self.bad(span);
        }
        let o = Origin::new(old.span, What::Arg(None, 0));
        let old = self.convert(old, fat, o, true);
        // Elements move over as they are.
        let result = if made.zeroterm {
            made
        } else {
            PtrTy { bounds: Bounds::Fat, ..notnull(elem, TyQuals::default(), Region::Heap) }
        };
        self.builtin_call(
            Builtin::Realloc,
            vec![GArg::Ty(elem)],
            vec![old, count],
            Ty::ptr(result),
            span,
        )
    }

    fn handle(&mut self, arg: &'a hir::Expr) -> Expr {
        let value = self.expr(arg, None);
        let ty = self.shallow(value.ty);
        if !ty.is_error() && !matches!(ty.kind(), TyKind::RegionHandle(_)) {
            let text = self.show(ty);
            self.error(
                codes::E0401,
                value.span,
                format!("a region's handle is needed here, not {text}"),
            );
            return self.bad(arg.span);
        }
        if let TyKind::RegionHandle(at) = *ty.kind() {
            self.need_live(at, value.span, What::Arg(None, 0));
        }
        value
    }

    fn region_size(&mut self, builtin: Builtin, args: &'a [hir::Expr], span: Span) -> Expr {
        let [handle] = args else { return self.wrong_count("region_size", 1, span) };
        let handle = self.handle(handle);
        self.builtin_call(builtin, Vec::new(), vec![handle], self.t.ulong, span)
    }

    fn region_limit(&mut self, builtin: Builtin, args: &'a [hir::Expr], span: Span) -> Expr {
        let [handle, bytes] = args else { return self.wrong_count("region_limit", 2, span) };
        let handle = self.handle(handle);
        let bytes = self.expr_to(bytes, self.t.ulong, What::Arg(None, 1));
        self.builtin_call(builtin, Vec::new(), vec![handle, bytes], self.t.void, span)
    }

    /// `__builtin_…` of gcc and clang that headers and programs use.
    fn gnu(&mut self, builtin: Builtin, name: &str, args: &'a [hir::Expr], span: Span) -> Expr {
        let bare = name.strip_prefix("__builtin_").unwrap_or(name);
        match (bare, args) {
            ("expect", [value, likely]) => {
                let _ = self.expr(likely, None);
                return self.expr_to(value, self.t.long, What::Arg(None, 0));
            }
            ("expect_with_probability", [value, _, _]) => {
                return self.expr_to(value, self.t.long, What::Arg(None, 0));
            }
            ("constant_p", [value]) => {
                let value = self.expr(value, None);
                let known = matches!(
                    value.kind,
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str { .. }
                );
                return self.int_const(i128::from(known), self.t.int, span);
            }
            ("choose_expr", [cond, yes, no]) => {
                return match self.const_expr(cond) {
                    Some(0) => self.expr(no, None),
                    Some(_) => self.expr(yes, None),
                    None => self.bad(span),
                };
            }
            ("unreachable" | "trap", []) => {
                self.report(
                    Diagnostic::error(
                        codes::E0900,
                        format!("`{name}` would be undefined behaviour if reached"),
                        span,
                        "",
                    )
                    .help("use `@assert(0)`, or throw an exception"),
                );
                return self.bad(span);
            }
            ("huge_val" | "inf", []) => {
                return mk(ExprKind::Float(f64::INFINITY), self.t.double, span);
            }
            ("huge_valf" | "inff", []) => {
                return mk(
                    ExprKind::Float(f64::INFINITY),
                    Ty::new(TyKind::Float(FloatTy::Float)),
                    span,
                );
            }
            ("nan", [text]) => {
                let _ = self.expr(text, None);
                return mk(ExprKind::Float(f64::NAN), self.t.double, span);
            }
            ("nanf", [text]) => {
                let _ = self.expr(text, None);
                return mk(ExprKind::Float(f64::NAN), Ty::new(TyKind::Float(FloatTy::Float)), span);
            }
            ("prefetch", [_, ..]) => {
                return crate::convert::conv(
                    toft_tir::Conv::Drop,
                    self.int_const(0, self.t.int, span),
                    self.t.void,
                );
            }
            _ => {}
        }
        self.gnu_numeric(builtin, bare, args, span)
    }

    /// Those that compute on numbers: one argument type, one result type.
    fn gnu_numeric(
        &mut self,
        builtin: Builtin,
        bare: &str,
        args: &'a [hir::Expr],
        span: Span,
    ) -> Expr {
        let t = self.t;
        let (ushort, ullong) = (Ty::int(IntTy::UShort), Ty::int(IntTy::ULLong));
        let llong = Ty::int(IntTy::LLong);
        let known = match bare {
            "bswap16" => Some((ushort, ushort)),
            "bswap32" => Some((t.uint, t.uint)),
            "bswap64" => Some((t.ulong, t.ulong)),
            "clz" | "ctz" | "popcount" | "parity" => Some((t.uint, t.int)),
            "clzl" | "ctzl" | "popcountl" | "parityl" => Some((t.ulong, t.int)),
            "clzll" | "ctzll" | "popcountll" | "parityll" => Some((ullong, t.int)),
            "ffs" => Some((t.int, t.int)),
            "ffsl" => Some((t.long, t.int)),
            "ffsll" => Some((llong, t.int)),
            "abs" => Some((t.int, t.int)),
            "labs" => Some((t.long, t.long)),
            "llabs" => Some((llong, llong)),
            "fabs" | "sqrt" | "floor" | "ceil" => Some((t.double, t.double)),
            "isnan" | "isinf" | "isfinite" | "signbit" | "isinf_sign" | "isnormal" => {
                Some((t.double, t.int))
            }
            _ => None,
        };
        let (Some((arg_ty, ret)), [arg]) = (known, args) else {
            args.iter().for_each(|arg| drop(self.expr(arg, None)));
            if bare.starts_with("va_") {
                return self.untyped_varargs(bare, span);
            }
            self.error(codes::E0900, span, format!("`__builtin_{bare}` is not supported yet"));
            return self.bad(span);
        };
        let value = self.expr(arg, None);
        if value.ty.is_error() {
            return self.bad(span);
        }
        let value = self.convert(value, arg_ty, Origin::new(arg.span, What::Arg(None, 0)), true);
        if let Some(n) = const_int(&value)
            && let Some(int) = self.int_ty(arg_ty)
            && let Some(folded) = fold_bits(bare, n, int)
        {
            return self.int_const(folded, ret, span);
        }
        self.builtin_call(builtin, Vec::new(), vec![value], ret, span)
    }

    /// The number of elements a pointer is known to reach at least.
    pub fn known_elements(&self, ptr: &PtrTy) -> Option<u64> {
        match ptr.bounds {
            Bounds::Thin(n) => match self.int(n) {
                IntExpr::Const(n) => Some(n),
                _ => None,
            },
            Bounds::Fat => None,
        }
    }
}

fn fold_bits(name: &str, n: i128, int: IntTy) -> Option<i128> {
    let mask = (1u128 << int.bits()) - 1;
    let bits = (n as u128) & mask;
    let name = name.trim_end_matches('l');
    let bytes = int.bytes() as usize;
    Some(match name {
        "popcount" => i128::from(bits.count_ones()),
        "parity" => i128::from(bits.count_ones() % 2),
        // Of zero these have no value; that is left to run time.
        "clz" if bits != 0 => i128::from(bits.leading_zeros() - (128 - int.bits())),
        "ctz" if bits != 0 => i128::from(bits.trailing_zeros()),
        "bswap16" | "bswap32" | "bswap64" => {
            let mut raw = bits.to_le_bytes();
            raw[..bytes].reverse();
            i128::try_from(u128::from_le_bytes(raw)).ok()?
        }
        _ => return None,
    })
}
