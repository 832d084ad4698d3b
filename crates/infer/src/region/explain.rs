//! Broken constraints, told with both ends: where the pointer comes from, and where it
//! would outlive what it points to.

use super::constraints::{Constraint, Origin, What};
use super::solve::{Edges, Order, Value};
use crate::cx::Fx;
use toft_base::{FxHashSet, Span};
use toft_diag::{Diagnostic, codes};
use toft_hir::FuncId;
use toft_ty::print::region_to_string;
use toft_ty::{Region, RegionId};

/// The two ends of a broken flow: what came in, and what was needed.
struct Break {
    source: Region,
    from: Origin,
    need: Region,
    to: Origin,
    /// Where on the way the programmer wrote the store, argument or return.
    via: Origin,
}

/// Reports each broken constraint once per source.
pub fn report(fx: &mut Fx<'_>, order: &Order, values: &[Value]) {
    let constraints = std::mem::take(&mut fx.graph.constraints);
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    let mut back: Option<Edges> = None;
    for constraint in &constraints {
        if matches!(constraint.sub, Region::Infer(_)) {
            continue;
        }
        let holds = match constraint.sup {
            Region::Infer(var) => {
                values[var as usize].is_some_and(|value| order.outlives(value, constraint.sub))
            }
            known => order.outlives(known, constraint.sub),
        };
        if holds {
            continue;
        }
        let broken = match constraint.sup {
            Region::Infer(var) => {
                let back = back.get_or_insert_with(|| {
                    Edges::new(fx.graph.vars, &constraints, |n, c| match c.sub {
                        Region::Infer(to) => Some((to, n as u32)),
                        _ => None,
                    })
                });
                trace(&constraints, back, order, var, constraint)
            }
            known => Some(Break {
                source: known,
                from: constraint.origin,
                need: constraint.sub,
                to: constraint.origin,
                via: constraint.origin,
            }),
        };
        if let Some(broken) = broken
            && first_of_its_kind(&mut seen, &broken)
        {
            tell(fx, &broken);
        }
    }
    fx.graph.constraints = constraints;
}

/// One mistake gives one report: neither end has been told before.
fn first_of_its_kind(seen: &mut FxHashSet<Span>, broken: &Break) -> bool {
    let source = seen.insert(broken.from.span);
    let store = broken.from.span == broken.via.span || seen.insert(broken.via.span);
    source && store
}

/// Goes back from the variable to a source that does not live long enough.
fn trace(
    constraints: &[Constraint],
    back: &Edges,
    order: &Order,
    var: u32,
    need: &Constraint,
) -> Option<Break> {
    let mut queue = vec![(var, need.origin)];
    let mut visited: FxHashSet<u32> = FxHashSet::default();
    visited.insert(var);
    let mut at = 0;
    while at < queue.len() {
        let (var, via) = queue[at];
        at += 1;
        for &n in back.of(var) {
            let constraint = &constraints[n as usize];
            let via = if is_store(via.what) { via } else { constraint.origin };
            match constraint.sup {
                Region::Infer(up) if visited.insert(up) => queue.push((up, via)),
                Region::Infer(_) => {}
                source if !order.outlives(source, need.sub) => {
                    return Some(Break {
                        source,
                        from: constraint.origin,
                        need: need.sub,
                        to: need.origin,
                        via,
                    });
                }
                _ => {}
            }
        }
    }
    None
}

fn is_store(what: What) -> bool {
    !matches!(what, What::AddrOf(_) | What::Temp | What::Local(_) | What::Other)
}

/// `'r`, or words for a region without a name.
fn region_words(fx: &Fx<'_>, region: Region) -> String {
    match region {
        Region::Heap => "the heap `'H`".into(),
        Region::Local(RegionId(0)) => "this call of the function".into(),
        Region::Local(id) => match fx.regions.get(id).and_then(|decl| decl.name) {
            Some(name) => format!("region `'{name}`"),
            None => "an inner block".into(),
        },
        Region::Param(i) => match fx.generics.get(i as usize) {
            Some(param) if !param.implicit => format!("region `'{}`", param.name),
            _ => match param_with_region(fx, i) {
                Some(n) => format!("what parameter `{}` points to", fx.param_name(n)),
                None => "the caller's region".into(),
            },
        },
        Region::Exchange => "the exchange heap `'X`".into(),
        Region::Shared => "the shared heap `'S`".into(),
        Region::Bound(..) => "a region of the function type".into(),
        other => fx.with_names(|names| region_to_string(names, other)),
    }
}

/// The parameter in whose type region parameter `i` stands.
fn param_with_region(fx: &Fx<'_>, i: u32) -> Option<usize> {
    let func = fx.func?;
    func.sig.params.iter().position(|&ty| crate::types::mentions_region(ty, Region::Param(i)))
}

fn tell(fx: &mut Fx<'_>, broken: &Break) {
    let source_is_local = matches!(broken.source, Region::Local(_));
    let params = |r| matches!(r, Region::Param(_) | Region::Bound(..));
    let mismatch = (params(broken.source) && params(broken.need))
        || matches!(broken.source, Region::Exchange | Region::Shared)
        || matches!(broken.need, Region::Exchange | Region::Shared);
    let code = if mismatch { codes::E0602 } else { codes::E0601 };
    let at = if is_store(broken.via.what) { broken.via } else { broken.to };
    let at = if matches!(at.what, What::Local(_)) { broken.from } else { at };
    let what = subject(fx, broken);
    let message = match (mismatch, source_is_local) {
        (true, _) => format!("{what} is in a different region than is needed here"),
        (false, true) => format!("{what} outlives what it points to"),
        (false, false) => format!("{what} may not live long enough"),
    };
    let mut diagnostic = Diagnostic::error(code, message, at.span, use_words(fx, at, broken));
    if let What::AddrOf(local) = broken.from.what {
        let variable = &fx.locals[local];
        let name = variable.name.map_or("this", |name| name.as_str());
        let life = match broken.source {
            Region::Local(RegionId(0)) => "the end of the function",
            _ => "the end of its block",
        };
        let decl = variable.span;
        if broken.from.span != at.span {
            diagnostic = diagnostic.label(broken.from.span, format!("points to `{name}`"));
        }
        diagnostic =
            diagnostic.label(decl, format!("`{name}` is declared here and lives until {life}"));
    } else if broken.from.span != at.span {
        let words = region_words(fx, broken.source);
        diagnostic = diagnostic.label(broken.from.span, format!("a pointer into {words}"));
    }
    if let What::Local(local) = broken.to.what {
        let variable = &fx.locals[local];
        if let Some(name) = variable.name {
            let text = format!("`{name}` is declared here, in a block that lasts longer");
            diagnostic = diagnostic.label(variable.span, text);
        }
    }
    diagnostic = helps(fx, diagnostic, broken, at);
    fx.report(diagnostic);
}

fn subject(fx: &Fx<'_>, broken: &Break) -> String {
    match broken.from.what {
        What::AddrOf(local) => match fx.locals[local].name {
            Some(name) => format!("a pointer to `{name}`"),
            None => "a pointer to a local object".into(),
        },
        What::Temp => "a pointer to a temporary object".into(),
        _ => format!("a pointer into {}", region_words(fx, broken.source)),
    }
}

fn callee_name(fx: &Fx<'_>, func: Option<FuncId>) -> String {
    match func {
        Some(id) => format!("`{}`", fx.prog.funcs[id].name),
        None => "the function".into(),
    }
}

fn use_words(fx: &Fx<'_>, at: Origin, broken: &Break) -> String {
    let need = region_words(fx, broken.need);
    match at.what {
        What::Return => format!("returned here, where a pointer into {need} is needed"),
        What::Arg(func, n) => format!(
            "passed here as argument {} of {}, which needs a pointer into {need}",
            n + 1,
            callee_name(fx, func)
        ),
        What::Bound(func) => format!("{} needs it to outlive {need}", callee_name(fx, func)),
        What::Assign(_) | What::Init(_) => "stored here in something that lives longer".into(),
        What::Field => format!("stored here, where a pointer into {need} is needed"),
        What::Packed => "hidden here in an existential, which anyone may keep".into(),
        What::Throw => "thrown here, out of its function".into(),
        What::BlockValue => "leaves its block as the value of `({ … })`".into(),
        _ => format!("a pointer into {need} is needed here"),
    }
}

fn helps(fx: &Fx<'_>, mut d: Diagnostic, broken: &Break, at: Origin) -> Diagnostic {
    match (broken.source, broken.need) {
        (Region::Local(_), Region::Local(_)) => {
            if let What::AddrOf(local) = broken.from.what
                && let Some(name) = fx.locals[local].name
            {
                return d.help(format!("move the declaration of `{name}` out to the longer block"));
            }
            d = d.help("declare it in the longer block, or allocate it with `new`");
        }
        (Region::Local(_), _) => {
            d = d.help("allocate the object with `new`: it then lives on the collected heap");
        }
        (Region::Param(i), Region::Heap) if at.what == What::Return => {
            let (text, span) = signature_text(fx, i);
            d = d.help(format!("name the region in the signature: `{text}`"));
            let _ = span;
        }
        (Region::Param(i), Region::Heap) => {
            if let Some(n) = param_with_region(fx, i) {
                let name = fx.param_name(n);
                d = d.help(format!(
                    "let parameter `{name}` point into the heap: write `'H` after its `*`"
                ));
            }
        }
        (Region::Param(_), Region::Param(_)) => {
            d = d.help("give both the same region name in the signature, or bound one by the other (`: 'a > 'b`)");
        }
        _ => {}
    }
    d
}

/// The signature with region parameter `i` named `'r` in the parameter and the result.
fn signature_text(fx: &Fx<'_>, i: u32) -> (String, Span) {
    let Some(func) = fx.func else { return (String::new(), Span::NONE) };
    let named = fx.generics.get(i as usize).is_some_and(|param| !param.implicit);
    let region = if named { fx.generics[i as usize].name.as_str() } else { "r" };
    let mut generics = fx.generics.clone();
    if let Some(param) = generics.get_mut(i as usize) {
        param.name = toft_base::Symbol::intern(region);
        param.implicit = false;
    }
    let names =
        toft_ty::print::Names { tables: &fx.prog.tables, generics: &generics, regions: &|_| None };
    let ret = match func.sig.ret.as_ptr() {
        Some(ptr) => toft_ty::Ty::ptr(toft_ty::PtrTy { region: Region::Param(i), ..*ptr }),
        None => func.sig.ret,
    };
    let params: Vec<String> = func
        .sig
        .params
        .iter()
        .enumerate()
        .map(|(n, &ty)| declared(&names, ty, fx.param_name(n).as_str()))
        .collect();
    let ret = toft_ty::print::ty_to_string(&names, ret);
    (format!("{ret} {}({})", func.name, params.join(", ")), func.span)
}

fn declared(names: &toft_ty::print::Names<'_>, ty: toft_ty::Ty, name: &str) -> String {
    format!("{} {name}", toft_ty::print::ty_to_string(names, ty))
}
