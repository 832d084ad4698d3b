//! Types from forms.

use super::sexp::Sexp;
use super::words::{FLOATS, INTS, KINDS, value};
use toft_base::Symbol;
use toft_ty::{
    AdtId, Aqual, Bounds, EnumId, FuncTy, GArg, GenericParam, IntExpr, PtrTy, Region, RegionBound,
    RegionId, Ty, TyKind, TyQuals, Variadic, arg_list,
};

pub type Result<T> = std::result::Result<T, String>;

pub fn wrong<T>(what: &str, form: &Sexp) -> Result<T> {
    let mut text = format!("{form:?}");
    text.truncate(text.char_indices().nth(120).map_or(text.len(), |(at, _)| at));
    Err(format!("not {what}: {text}"))
}

pub fn num<T: std::str::FromStr>(form: &Sexp) -> Result<T> {
    match form.atom().and_then(|text| text.parse().ok()) {
        Some(n) => Ok(n),
        None => wrong("a number", form),
    }
}

/// A number after a prefix.
pub fn after<T: std::str::FromStr>(form: &Sexp, prefix: &str) -> Option<T> {
    form.atom()?.strip_prefix(prefix)?.parse().ok()
}

pub fn name(form: &Sexp) -> Result<Symbol> {
    match form {
        Sexp::Str(text) => Ok(Symbol::intern(text)),
        _ => wrong("a name", form),
    }
}

/// `head` and the rest of a list form.
pub fn head(form: &Sexp) -> Option<(&str, &[Sexp])> {
    let (first, rest) = form.list()?.split_first()?;
    Some((first.atom()?, rest))
}

fn pair(text: &str) -> Option<(u16, u16)> {
    let (a, b) = text.split_once('.')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

pub fn region(form: &Sexp) -> Result<Region> {
    let found = form.atom().and_then(|text| text.strip_prefix('\'')).and_then(region_word);
    found.map_or_else(|| wrong("a region", form), Ok)
}

/// A region from what stands after its quote.
fn region_word(rest: &str) -> Option<Region> {
    Some(match rest {
        "H" => Region::Heap,
        "X" => Region::Exchange,
        "S" => Region::Shared,
        "_" => Region::Hole,
        "e" => Region::Erased,
        _ => {
            let tail = rest.get(1..)?;
            match rest.as_bytes().first()? {
                b'p' => Region::Param(tail.parse().ok()?),
                b'd' => pair(tail).map(|(a, b)| Region::Bound(a, b))?,
                b'b' => Region::Local(RegionId(tail.parse().ok()?)),
                b'n' => {
                    let (times, base) = tail.split_once('.')?;
                    let base = base.strip_prefix('\'').filter(|base| !base.starts_with('n'))?;
                    region_word(base)?.next(times.parse().ok()?)
                }
                b'i' => Region::Infer(tail.parse().ok()?),
                _ => return None,
            }
        }
    })
}

pub fn aqual(form: &Sexp) -> Result<Aqual> {
    let found = form.atom().and_then(|text| {
        let rest = text.strip_prefix('\\')?;
        Some(match rest {
            "A" => Aqual::Aliasable,
            "U" => Aqual::Unique,
            "RC" => Aqual::Counted,
            "T" => Aqual::Top,
            "e" => Aqual::Erased,
            _ => {
                let tail = rest.get(1..)?;
                match rest.as_bytes().first()? {
                    b'p' => Aqual::Param(tail.parse().ok()?),
                    b'd' => pair(tail).map(|(a, b)| Aqual::Bound(a, b))?,
                    b'i' => Aqual::Infer(tail.parse().ok()?),
                    _ => return None,
                }
            }
        })
    });
    found.map_or_else(|| wrong("an aliasability", form), Ok)
}

pub fn int(form: &Sexp) -> Result<IntExpr> {
    let found = form.atom().and_then(|text| {
        let rest = text.strip_prefix('#')?;
        if rest == "_" {
            return Some(IntExpr::Unknown);
        }
        let tail = rest.get(1..)?;
        Some(match rest.as_bytes().first()? {
            b'p' => IntExpr::Param(tail.parse().ok()?),
            b'd' => pair(tail).map(|(a, b)| IntExpr::Bound(a, b))?,
            b'i' => IntExpr::Infer(tail.parse().ok()?),
            _ => IntExpr::Const(rest.parse().ok()?),
        })
    });
    found.map_or_else(|| wrong("a type-level integer", form), Ok)
}

pub fn ty(form: &Sexp) -> Result<Ty> {
    if let Some(text) = form.atom() {
        return match text {
            "void" => Ok(Ty::void()),
            "bool" => Ok(Ty::bool()),
            "va_list" => Ok(Ty::new(TyKind::VaList)),
            "error" => Ok(Ty::error()),
            _ => match (value(INTS, text), value(FLOATS, text)) {
                (Some(int), _) => Ok(Ty::int(int)),
                (_, Some(float)) => Ok(Ty::new(TyKind::Float(float))),
                _ => wrong("a type", form),
            },
        };
    }
    let Some((word, rest)) = head(form) else { return wrong("a type", form) };
    let kind = match (word, rest) {
        ("enum", [id]) => TyKind::Enum(EnumId(num(id)?)),
        ("ptr", [elem, flags @ ..]) => return ptr(ty(elem)?, flags).map(Ty::ptr),
        ("array", [elem, len, rest @ ..]) => TyKind::Array {
            elem: ty(elem)?,
            len: int(len)?,
            zeroterm: rest.iter().any(|form| form.atom() == Some("zt")),
        },
        ("vla", [elem]) => TyKind::Vla(ty(elem)?),
        ("func", parts) => return func(parts).map(Ty::func),
        ("adt", [id, args @ ..]) => TyKind::Adt(AdtId(num(id)?), arg_list(&gargs(args)?)),
        ("variant", [id, variant, args @ ..]) => {
            TyKind::Variant(AdtId(num(id)?), num(variant)?, arg_list(&gargs(args)?))
        }
        ("tuple", fields) => {
            let fields: Vec<Ty> = fields.iter().map(ty).collect::<Result<_>>()?;
            return Ok(Ty::tuple(&fields));
        }
        ("param", [index, text]) => TyKind::Param(num(index)?, name(text)?),
        ("bound", [level, index]) => TyKind::Bound(num(level)?, num(index)?),
        ("tag", [of]) => TyKind::Tag(int(of)?),
        ("rgn", [of]) => TyKind::RegionHandle(region(of)?),
        ("aqual", [of]) => TyKind::AqualHandle(aqual(of)?),
        ("sizeof_t", [of]) => TyKind::SizeofT(ty(of)?),
        ("opaque", [size, align]) => TyKind::Opaque { size: num(size)?, align: num(align)? },
        ("infer", [n]) => TyKind::Infer(num(n)?),
        _ => return wrong("a type", form),
    };
    Ok(Ty::new(kind))
}

fn ptr(elem: Ty, flags: &[Sexp]) -> Result<PtrTy> {
    let mut out = PtrTy::thin(elem, Region::Heap);
    let mut quals = TyQuals::default();
    for flag in flags {
        match flag.atom().unwrap_or("") {
            "null" => out.nullable = true,
            "notnull" => out.nullable = false,
            "fat" => out.bounds = Bounds::Fat,
            "thin" => {}
            "const" => quals.is_const = true,
            "volatile" => quals.is_volatile = true,
            "zt" => out.zeroterm = true,
            text if text.starts_with("refine:") => {
                quals.refine = text[7..].parse().ok().and_then(toft_ty::Refinement::at);
            }
            "foreign" => out.foreign = true,
            text if text.starts_with('\'') => out.region = region(flag)?,
            text if text.starts_with('\\') => out.aqual = aqual(flag)?,
            text if text.starts_with('#') => out.bounds = Bounds::Thin(int(flag)?),
            _ => return wrong("a part of a pointer type", flag),
        }
    }
    out.quals = quals;
    Ok(out)
}

fn func(parts: &[Sexp]) -> Result<FuncTy> {
    let mut out = FuncTy {
        binder: Vec::new(),
        params: Vec::new(),
        ret: Ty::void(),
        variadic: Variadic::No,
        effect: None,
        bounds: Vec::new(),
        consumes: 0,
        noreturn: false,
    };
    let mut seen_params = false;
    for part in parts {
        match head(part) {
            Some(("binder", list)) => {
                out.binder = list.iter().map(generic).collect::<Result<_>>()?
            }
            Some(("params", list)) => {
                seen_params = true;
                out.params = list.iter().map(ty).collect::<Result<_>>()?;
            }
            Some(("variadic", [])) => out.variadic = Variadic::C,
            Some(("variadic", [how, of])) => {
                let of = ty(of)?;
                out.variadic = match how.atom() {
                    Some("typed") => Variadic::Typed(of),
                    Some("inject") => Variadic::Inject(of),
                    _ => return wrong("a variadic part", part),
                };
            }
            Some(("effect", list)) => {
                out.effect = Some(list.iter().map(region).collect::<Result<_>>()?);
            }
            Some(("outlives", [a, b])) => {
                out.bounds.push(RegionBound::Outlives(region(a)?, region(b)?));
            }
            Some(("outlives-all", [a, b])) => {
                out.bounds.push(RegionBound::TyOutlives(ty(a)?, region(b)?));
            }
            Some(("single", [a])) => out.bounds.push(RegionBound::Single(region(a)?)),
            Some(("consumes", [bits])) => out.consumes = num(bits)?,
            _ if part.atom() == Some("noreturn") => out.noreturn = true,
            _ if seen_params => out.ret = ty(part)?,
            _ => return wrong("a part of a function type", part),
        }
    }
    Ok(out)
}

pub fn generic(form: &Sexp) -> Result<GenericParam> {
    let Some([text, kind, rest @ ..]) = form.list() else { return wrong("a parameter", form) };
    let Some(kind) = kind.atom().and_then(|word| value(KINDS, word)) else {
        return wrong("a kind", form);
    };
    let mut out =
        GenericParam { name: name(text)?, kind, bound: Aqual::Aliasable, implicit: false };
    for part in rest {
        if part.atom() == Some("implicit") {
            out.implicit = true;
        } else {
            out.bound = aqual(part)?;
        }
    }
    Ok(out)
}

pub fn gargs(forms: &[Sexp]) -> Result<Vec<GArg>> {
    forms.iter().map(garg).collect()
}

fn garg(form: &Sexp) -> Result<GArg> {
    Ok(match head(form) {
        Some(("t", [of])) => GArg::Ty(ty(of)?),
        Some(("r", [of])) => GArg::Region(region(of)?),
        Some(("q", [of])) => GArg::Aqual(aqual(of)?),
        Some(("n", [of])) => GArg::Int(int(of)?),
        Some(("e", list)) => {
            let list: Vec<Region> = list.iter().map(region).collect::<Result<_>>()?;
            GArg::Effect(Box::leak(list.into()))
        }
        _ => return wrong("a generic argument", form),
    })
}
