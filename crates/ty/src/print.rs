//! Types as a programmer writes them.

use crate::*;
use std::fmt::Write;

/// How regions and parameters are named in messages.
pub struct Names<'a> {
    pub tables: &'a Tables,
    /// Generic parameters of the function at hand, by index.
    pub generics: &'a [GenericParam],
    /// Names of the body's own regions (`None`: a block without a name).
    pub regions: &'a dyn Fn(RegionId) -> Option<toft_base::Symbol>,
}

/// No names beyond the tables.
pub fn plain(tables: &Tables) -> Names<'_> {
    Names { tables, generics: &[], regions: &|_| None }
}

/// `ty` in Toft syntax.
pub fn ty_to_string(names: &Names<'_>, ty: Ty) -> String {
    declare(names, ty, TyQuals::default(), String::new(), 0)
}

/// A region as it would be written, or a description when it has no name.
pub fn region_to_string(names: &Names<'_>, region: Region) -> String {
    region_name(names, region).unwrap_or_else(|| "'_".into())
}

fn region_name(names: &Names<'_>, region: Region) -> Option<String> {
    let param = |i: u32| {
        let param = names.generics.get(i as usize)?;
        if param.implicit { None } else { Some(format!("'{}", param.name)) }
    };
    match region {
        Region::Heap => Some("'H".into()),
        Region::Exchange => Some("'X".into()),
        Region::Shared => Some("'S".into()),
        Region::Param(i) => param(i),
        Region::Next(base, n) => {
            let mut text = region_to_string(names, base.region());
            for _ in 0..n {
                text = format!("next_rgn<{text}>");
            }
            Some(text)
        }
        Region::Local(id) => (names.regions)(id).map(|name| format!("'{name}")),
        Region::Bound(..) | Region::Infer(_) | Region::Hole | Region::Erased => None,
    }
}

fn quals(quals: TyQuals) -> &'static str {
    match (quals.is_const, quals.is_volatile) {
        (false, false) => "",
        (true, false) => "const ",
        (false, true) => "volatile ",
        (true, true) => "const volatile ",
    }
}

fn int_expr(names: &Names<'_>, int: IntExpr) -> String {
    match int {
        IntExpr::Const(n) => n.to_string(),
        IntExpr::Param(i) => match names.generics.get(i as usize) {
            Some(param) => format!("valueof('{})", param.name),
            None => "valueof('n)".into(),
        },
        IntExpr::Bound(..) | IntExpr::Infer(_) | IntExpr::Unknown => "_".into(),
    }
}

const MAX_NESTING: u32 = 24;

/// C's inside-out declarator printing: `inner` is what has been built so far.
fn declare(names: &Names<'_>, ty: Ty, q: TyQuals, inner: String, depth: u32) -> String {
    if depth > MAX_NESTING {
        return "…".into();
    }
    match *ty.kind() {
        TyKind::Ptr(ptr) => {
            let mut sign = pointer_sign(names, &ptr);
            if q.is_const {
                sign.push_str(" const");
            }
            let space = if inner.is_empty() || inner.starts_with(['*', '?', '@', '(', '[']) {
                ""
            } else {
                " "
            };
            let mut text = format!("{sign}{space}{inner}");
            if matches!(ptr.elem.kind(), TyKind::Func(_) | TyKind::Array { .. }) {
                text = format!("({text})");
            }
            declare(names, ptr.elem, ptr.quals, text, depth + 1)
        }
        TyKind::Array { elem, len, zeroterm } => {
            let zero = if zeroterm { "@zeroterm" } else { "" };
            declare(names, elem, q, format!("{inner}[{}]{zero}", int_expr(names, len)), depth + 1)
        }
        TyKind::Vla(elem) => declare(names, elem, q, format!("{inner}[…]"), depth + 1),
        TyKind::Func(func) => {
            let mut params: Vec<String> = func
                .params
                .iter()
                .map(|&ty| declare(names, ty, TyQuals::default(), String::new(), depth + 1))
                .collect();
            match func.variadic {
                Variadic::No => {}
                Variadic::C => params.push("...".into()),
                Variadic::Typed(ty) => params.push(format!(
                    "...{}",
                    declare(names, ty, TyQuals::default(), String::new(), depth + 1)
                )),
                Variadic::Inject(ty) => params.push(format!(
                    "...inject {}",
                    declare(names, ty, TyQuals::default(), String::new(), depth + 1)
                )),
            }
            if params.is_empty() {
                params.push("void".into());
            }
            declare(
                names,
                func.ret,
                TyQuals::default(),
                format!("{inner}({})", params.join(", ")),
                depth + 1,
            )
        }
        _ => {
            let base = match q.refine.and_then(|refine| names.tables.refine(refine)) {
                Some(def) => def.text.as_str().to_owned(),
                None => base_name(names, ty, depth),
            };
            let space = if inner.is_empty() { "" } else { " " };
            format!("{}{base}{space}{inner}", quals(q))
        }
    }
}

fn pointer_sign(names: &Names<'_>, ptr: &PtrTy) -> String {
    let mut text = String::from(match (ptr.bounds, ptr.nullable) {
        (Bounds::Fat, _) => "?",
        (_, true) => "*",
        (_, false) => "@",
    });
    if ptr.bounds == Bounds::Fat && !ptr.nullable {
        text.push_str("@notnull");
    }
    match ptr.bounds {
        Bounds::Thin(IntExpr::Const(1)) if !ptr.zeroterm => {}
        Bounds::Thin(IntExpr::Const(0)) if ptr.zeroterm => {}
        Bounds::Thin(int) => {
            let _ = write!(text, "{{{}}}", int_expr(names, int));
        }
        Bounds::Fat => {}
    }
    let is_char = matches!(ptr.elem.kind(), TyKind::Int(IntTy::Char));
    match (ptr.zeroterm, is_char && ptr.bounds != Bounds::Fat) {
        (true, false) => text.push_str("@zeroterm"),
        (false, true) => text.push_str("@nozeroterm"),
        _ => {}
    }
    match ptr.aqual {
        Aqual::Unique => text.push_str("\\U"),
        Aqual::Counted => text.push_str("\\RC"),
        Aqual::Top => text.push_str("\\T"),
        _ => {}
    }
    if let Some(region) = region_name(names, ptr.region)
        && ptr.region != Region::Heap
    {
        let space = if text.ends_with(|c: char| c.is_alphanumeric()) { " " } else { "" };
        let _ = write!(text, "{space}{region}");
    }
    if ptr.foreign {
        text.push_str(" /* foreign */");
    }
    text
}

fn args_text(names: &Names<'_>, args: &[GArg], depth: u32) -> String {
    if args.is_empty() {
        return String::new();
    }
    let list: Vec<String> = args.iter().map(|arg| garg_text(names, arg, depth)).collect();
    format!("<{}>", list.join(","))
}

fn garg_text(names: &Names<'_>, arg: &GArg, depth: u32) -> String {
    match *arg {
        GArg::Ty(ty) => declare(names, ty, TyQuals::default(), String::new(), depth + 1),
        GArg::Region(region) => region_to_string(names, region),
        GArg::Aqual(aqual) => match aqual {
            Aqual::Aliasable => "\\A".into(),
            Aqual::Unique => "\\U".into(),
            Aqual::Counted => "\\RC".into(),
            Aqual::Top => "\\T".into(),
            _ => "'_".into(),
        },
        GArg::Int(int) => int_expr(names, int),
        GArg::Effect(list) => {
            let list: Vec<String> =
                list.iter().map(|&region| region_to_string(names, region)).collect();
            format!("{{{}}}", list.join(","))
        }
    }
}

fn base_name(names: &Names<'_>, ty: Ty, depth: u32) -> String {
    match *ty.kind() {
        TyKind::Void => "void".into(),
        TyKind::Bool => "bool".into(),
        TyKind::Int(int) => int.name().into(),
        TyKind::Float(float) => float.name().into(),
        TyKind::Enum(id) => format!("enum {}", names.tables.enums[id].name),
        TyKind::Adt(id, args) => {
            let def = &names.tables.adts[id];
            let word = match def.kind {
                AdtKind::Struct => "struct",
                AdtKind::Union => "union",
                AdtKind::TaggedUnion => "@tagged union",
                AdtKind::PackedUnion => "@packed @tagged union",
                AdtKind::Datatype | AdtKind::OpenDatatype => "datatype",
            };
            format!("{word} {}{}", def.name, args_text(names, args, depth))
        }
        TyKind::Variant(id, variant, args) => {
            let def = &names.tables.adts[id];
            let name = def.variants.get(variant as usize).map_or("?", |v| v.name.as_str());
            format!("datatype {}{}.{name}", def.name, args_text(names, args, depth))
        }
        TyKind::Tuple(fields) => {
            let list: Vec<String> = fields
                .iter()
                .map(|&ty| declare(names, ty, TyQuals::default(), String::new(), depth + 1))
                .collect();
            format!("$({})", list.join(", "))
        }
        TyKind::Param(_, name) => format!("'{name}"),
        TyKind::Tag(int) => format!("tag_t<{}>", int_expr(names, int)),
        TyKind::RegionHandle(region) => {
            format!("region_t<{}>", region_to_string(names, region))
        }
        TyKind::AqualHandle(aqual) => {
            format!("aqual_t<{}>", garg_text(names, &GArg::Aqual(aqual), depth))
        }
        TyKind::SizeofT(inner) => {
            format!(
                "sizeof_t<{}>",
                declare(names, inner, TyQuals::default(), String::new(), depth + 1)
            )
        }
        TyKind::VaList => "va_list".into(),
        TyKind::Opaque { .. } => "<host type>".into(),
        TyKind::Bound(..) | TyKind::Infer(_) => "_".into(),
        TyKind::Error => "<error>".into(),
        TyKind::Ptr(_) | TyKind::Array { .. } | TyKind::Vla(_) | TyKind::Func(_) => "_".into(),
    }
}
