//! Types as forms, every part spelled out.

use super::sexp::quote;
use super::words::{FLOATS, INTS, KINDS, word};
use std::fmt::Write;
use toft_ty::{
    Aqual, Bounds, FuncTy, GArg, GenericParam, IntExpr, PtrTy, Region, RegionBound, Ty, TyKind,
    Variadic,
};

/// A type as a form.
pub fn ty_text(ty: Ty) -> String {
    let mut out = String::new();
    write_ty(&mut out, ty);
    out
}

pub fn write_ty(out: &mut String, ty: Ty) {
    match *ty.kind() {
        TyKind::Void => out.push_str("void"),
        TyKind::Bool => out.push_str("bool"),
        TyKind::Int(int) => out.push_str(word(INTS, int)),
        TyKind::Float(float) => out.push_str(word(FLOATS, float)),
        TyKind::Enum(id) => put(out, format_args!("(enum {})", id.0)),
        TyKind::Ptr(ptr) => write_ptr(out, &ptr),
        TyKind::Array { elem, len, zeroterm } => {
            out.push_str("(array ");
            write_ty(out, elem);
            out.push(' ');
            write_int(out, len);
            out.push_str(if zeroterm { " zt)" } else { ")" });
        }
        TyKind::Vla(elem) => wrap(out, "vla", elem),
        TyKind::Func(func) => write_func(out, func),
        TyKind::Adt(id, args) => {
            put(out, format_args!("(adt {}", id.0));
            write_args(out, args);
            out.push(')');
        }
        TyKind::Variant(id, variant, args) => {
            put(out, format_args!("(variant {} {variant}", id.0));
            write_args(out, args);
            out.push(')');
        }
        TyKind::Tuple(fields) => {
            out.push_str("(tuple");
            for &field in fields {
                out.push(' ');
                write_ty(out, field);
            }
            out.push(')');
        }
        TyKind::Param(index, name) => {
            put(out, format_args!("(param {index} "));
            quote(out, name.as_str());
            out.push(')');
        }
        TyKind::Bound(level, index) => put(out, format_args!("(bound {level} {index})")),
        TyKind::Tag(int) => {
            out.push_str("(tag ");
            write_int(out, int);
            out.push(')');
        }
        TyKind::RegionHandle(region) => {
            out.push_str("(rgn ");
            write_region(out, region);
            out.push(')');
        }
        TyKind::AqualHandle(aqual) => {
            out.push_str("(aqual ");
            write_aqual(out, aqual);
            out.push(')');
        }
        TyKind::SizeofT(of) => wrap(out, "sizeof_t", of),
        TyKind::VaList => out.push_str("va_list"),
        TyKind::Opaque { size, align } => put(out, format_args!("(opaque {size} {align})")),
        TyKind::Infer(n) => put(out, format_args!("(infer {n})")),
        TyKind::Error => out.push_str("error"),
    }
}

pub fn put(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(args);
}

fn wrap(out: &mut String, name: &str, ty: Ty) {
    put(out, format_args!("({name} "));
    write_ty(out, ty);
    out.push(')');
}

fn write_ptr(out: &mut String, ptr: &PtrTy) {
    out.push_str("(ptr ");
    write_ty(out, ptr.elem);
    out.push(' ');
    write_region(out, ptr.region);
    out.push(' ');
    write_aqual(out, ptr.aqual);
    out.push_str(if ptr.nullable { " null" } else { " notnull" });
    match ptr.bounds {
        Bounds::Fat => out.push_str(" fat"),
        Bounds::Thin(int) => {
            out.push_str(" thin ");
            write_int(out, int);
        }
    }
    for (on, name) in [
        (ptr.quals.is_const, " const"),
        (ptr.quals.is_volatile, " volatile"),
        (ptr.zeroterm, " zt"),
        (ptr.foreign, " foreign"),
    ] {
        if on {
            out.push_str(name);
        }
    }
    if let Some(refine) = ptr.quals.refine {
        let _ = write!(out, " refine:{}", refine.index());
    }
    out.push(')');
}

fn write_func(out: &mut String, func: &FuncTy) {
    out.push_str("(func");
    if !func.binder.is_empty() {
        out.push_str(" (binder");
        func.binder.iter().for_each(|param| write_generic(out, param));
        out.push(')');
    }
    out.push_str(" (params");
    for &param in &func.params {
        out.push(' ');
        write_ty(out, param);
    }
    out.push_str(") ");
    write_ty(out, func.ret);
    match func.variadic {
        Variadic::No => {}
        Variadic::C => out.push_str(" (variadic)"),
        Variadic::Typed(ty) => {
            out.push_str(" (variadic typed ");
            write_ty(out, ty);
            out.push(')');
        }
        Variadic::Inject(ty) => {
            out.push_str(" (variadic inject ");
            write_ty(out, ty);
            out.push(')');
        }
    }
    if let Some(effect) = &func.effect {
        out.push_str(" (effect");
        for &region in effect {
            out.push(' ');
            write_region(out, region);
        }
        out.push(')');
    }
    for bound in &func.bounds {
        match *bound {
            RegionBound::Outlives(a, b) => {
                out.push_str(" (outlives ");
                write_region(out, a);
                out.push(' ');
                write_region(out, b);
            }
            RegionBound::Single(a) => {
                out.push_str(" (single ");
                write_region(out, a);
            }
            RegionBound::TyOutlives(ty, b) => {
                out.push_str(" (outlives-all ");
                write_ty(out, ty);
                out.push(' ');
                write_region(out, b);
            }
        }
        out.push(')');
    }
    if func.consumes != 0 {
        put(out, format_args!(" (consumes {})", func.consumes));
    }
    if func.noreturn {
        out.push_str(" noreturn");
    }
    out.push(')');
}

/// With a leading space.
pub fn write_generic(out: &mut String, param: &GenericParam) {
    out.push_str(" (");
    quote(out, param.name.as_str());
    put(out, format_args!(" {} ", word(KINDS, param.kind)));
    write_aqual(out, param.bound);
    out.push_str(if param.implicit { " implicit)" } else { ")" });
}

/// Each with a leading space.
pub fn write_args(out: &mut String, args: &[GArg]) {
    for arg in args {
        out.push_str(" (");
        match *arg {
            GArg::Ty(ty) => {
                out.push_str("t ");
                write_ty(out, ty);
            }
            GArg::Region(region) => {
                out.push_str("r ");
                write_region(out, region);
            }
            GArg::Aqual(aqual) => {
                out.push_str("q ");
                write_aqual(out, aqual);
            }
            GArg::Int(int) => {
                out.push_str("n ");
                write_int(out, int);
            }
            GArg::Effect(list) => {
                out.push('e');
                for &region in list {
                    out.push(' ');
                    write_region(out, region);
                }
            }
        }
        out.push(')');
    }
}

pub fn write_region(out: &mut String, region: Region) {
    match region {
        Region::Heap => out.push_str("'H"),
        Region::Exchange => out.push_str("'X"),
        Region::Shared => out.push_str("'S"),
        Region::Param(n) => put(out, format_args!("'p{n}")),
        Region::Bound(level, n) => put(out, format_args!("'d{level}.{n}")),
        Region::Local(id) => put(out, format_args!("'b{}", id.0)),
        Region::Next(base, times) => {
            put(out, format_args!("'n{times}."));
            write_region(out, base.region());
        }
        Region::Infer(n) => put(out, format_args!("'i{n}")),
        Region::Hole => out.push_str("'_"),
        Region::Erased => out.push_str("'e"),
    }
}

pub fn write_aqual(out: &mut String, aqual: Aqual) {
    match aqual {
        Aqual::Aliasable => out.push_str("\\A"),
        Aqual::Unique => out.push_str("\\U"),
        Aqual::Counted => out.push_str("\\RC"),
        Aqual::Top => out.push_str("\\T"),
        Aqual::Param(n) => put(out, format_args!("\\p{n}")),
        Aqual::Bound(level, n) => put(out, format_args!("\\d{level}.{n}")),
        Aqual::Infer(n) => put(out, format_args!("\\i{n}")),
        Aqual::Erased => out.push_str("\\e"),
    }
}

pub fn write_int(out: &mut String, int: IntExpr) {
    match int {
        IntExpr::Const(n) => put(out, format_args!("#{n}")),
        IntExpr::Param(n) => put(out, format_args!("#p{n}")),
        IntExpr::Bound(level, n) => put(out, format_args!("#d{level}.{n}")),
        IntExpr::Infer(n) => put(out, format_args!("#i{n}")),
        IntExpr::Unknown => out.push_str("#_"),
    }
}
