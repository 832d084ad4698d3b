//! Broken constraints, told with both ends: where the pointer comes from, and where it
//! would outlive what it points to.

use super::constraints::{Constraint, Need, Origin, What};
use super::order::Order;
use super::solve::{Edges, Value, unequal_nexts};
use crate::cx::Fx;
use toft_base::{FxHashSet, Span};
use toft_diag::{Diagnostic, codes};
use toft_hir::{Demand, FuncId};
use toft_ty::print::region_to_string;
use toft_ty::{Region, RegionBound, RegionId};

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
    let mut told = Vec::new();
    let mut back: Option<Edges> = None;
    let mut gone: Vec<(Region, Origin)> = Vec::new();
    let value = |region: Region| match region {
        Region::Infer(var) => values[var as usize],
        known => Some(known),
    };
    for constraint in &constraints {
        if let Need::Tracked(aqual) = constraint.need
            && fx.tracked_leaves(order, aqual, value(constraint.sup), value(constraint.sub))
        {
            fx.tell_single_flow(order, constraint, value);
            continue;
        }
        if matches!(constraint.sub, Region::Infer(_)) {
            continue;
        }
        if value(constraint.sup).is_some_and(|value| holds(order, value, constraint)) {
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
        let Some(broken) = broken else { continue };
        match constraint.need {
            // A block's region that is gone was carried out of it: that is told first.
            Need::Live if matches!(broken.source, Region::Local(_)) => {
                gone.push((broken.source, broken.to));
            }
            Need::Live => fx.tell_dead(order, broken.source, broken.to, &mut seen),
            Need::Single => fx.tell_not_single(broken.source, broken.to, &mut seen),
            Need::Scope if fx.is_opened(broken.source) => {
                fx.tell_left_scope(broken.source, broken.from, broken.to, &mut seen);
            }
            _ => match demand(fx, &broken).filter(|_| constraint.need == Need::Outlives) {
                Some(demand) => {
                    if !fx.demands.iter().any(|known| known.bound == demand.bound) {
                        fx.demands.push(demand);
                    }
                }
                None if first_of_its_kind(&mut seen, &mut told, &broken) => tell(fx, &broken),
                None => {}
            },
        }
    }
    fx.graph.constraints = constraints;
    if fx.failed.is_none() {
        gone.iter().for_each(|&(source, to)| fx.tell_dead(order, source, to, &mut seen));
    }
    report_rest(fx, order, values, &mut seen);
}

/// What is asked of several regions at once.
fn report_rest(fx: &mut Fx<'_>, order: &Order, values: &[Value], seen: &mut FxHashSet<Span>) {
    let value = |region: Region| match region {
        Region::Infer(var) => values[var as usize],
        known => Some(known),
    };
    fx.tell_sets(order, &value, seen);
    for (n, (region, scope)) in fx.opens.clone().into_iter().enumerate() {
        let (root, times) = region.root();
        let last = value(root).map(|root| root.next(times));
        if last.is_none() || last != order.opened(n) {
            fx.tell_unknown_key(scope);
        }
    }
    let nexts: Vec<_> = unequal_nexts(&fx.graph, values).collect();
    for (origin, have, want) in nexts {
        fx.tell_next(origin, have, want, seen);
    }
}

/// Whether a constraint whose left side is `region` holds.
fn holds(order: &Order, region: Region, constraint: &Constraint) -> bool {
    let block = match constraint.sub {
        Region::Local(id) => id,
        _ => RegionId(0),
    };
    match constraint.need {
        Need::Outlives | Need::Tracked(_) => order.outlives(region, constraint.sub),
        Need::Scope => order.in_scope(region, block),
        Need::Live => order.live(region, block),
        Need::Single => order.single(region),
    }
}

/// What the signature could ask so that the flow holds: the source is an unnamed region of a
/// parameter, and the other end something that callers know too.
fn demand(fx: &Fx<'_>, broken: &Break) -> Option<Demand> {
    let Region::Param(i) = broken.source else { return None };
    let implicit = |i: u32| {
        fx.func.and_then(|func| func.generics.get(i as usize)).is_some_and(|param| param.implicit)
    };
    let own = |i: u32| fx.func.is_some_and(|func| (i as usize) < func.generics.len());
    let known = match broken.need {
        Region::Heap => true,
        Region::Param(j) => own(j),
        _ => false,
    };
    let at = if is_store(broken.via.what) { broken.via } else { broken.to };
    let whole = fx.func.is_some_and(|func| func.sig.effect.is_none());
    (fx.ask && whole && implicit(i) && known).then_some(Demand {
        func: fx.func_id?,
        bound: RegionBound::Outlives(broken.source, broken.need),
        span: at.span,
        returned: at.what == What::Return,
    })
}

/// One mistake gives one report: neither end has been told before, nor an expression around
/// it for the same region.
fn first_of_its_kind(
    seen: &mut FxHashSet<Span>,
    told: &mut Vec<(Region, Span)>,
    broken: &Break,
) -> bool {
    let at = broken.via.span;
    let around = |&(region, span): &(Region, Span)| {
        region == broken.source
            && ((span.lo <= at.lo && at.hi <= span.hi) || (at.lo <= span.lo && span.hi <= at.hi))
    };
    if told.iter().any(around) {
        return false;
    }
    told.push((broken.source, at));
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
                source if !holds(order, source, need) => {
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
pub fn region_words(fx: &Fx<'_>, region: Region) -> String {
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
    if let Some(loan) = fx.loan(broken.source) {
        return kept_loan(fx, broken, loan);
    }
    if let What::PackedVar(i) = broken.to.what {
        return fx.tell_hidden_var(i, broken.need, broken.to);
    }
    if broken.to.what == What::Freed {
        return not_freeable(fx, broken);
    }
    let source_is_local = matches!(broken.source, Region::Local(_));
    let params = |r| matches!(r, Region::Param(_) | Region::Bound(..) | Region::Next(..));
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
    diagnostic = match asked_by(fx, at) {
        Some(demand) => keeper(fx, diagnostic, demand),
        None => helps(fx, diagnostic, broken, at),
    };
    fx.report(diagnostic);
}

/// Why the callee's signature asks for what is not given, when its body is the reason.
fn asked_by(fx: &Fx<'_>, at: Origin) -> Option<Demand> {
    let What::Bound(Some(id)) = at.what else { return None };
    fx.prog.demands.iter().find(|demand| demand.func == id).copied()
}

/// Shows where the callee keeps the pointer, and how it could do without.
fn keeper(fx: &Fx<'_>, d: Diagnostic, demand: Demand) -> Diagnostic {
    let callee = &fx.prog.funcs[demand.func];
    let RegionBound::Outlives(Region::Param(i), _) = demand.bound else { return d };
    if demand.returned {
        let text = signature_text(fx, callee, i);
        return d
            .label(demand.span, format!("`{}` returns it here as a pointer into `'H`", callee.name))
            .help(format!("let the result point where the argument does: `{text}`"));
    }
    d.label(demand.span, format!("`{}` keeps it here", callee.name)).help(
        "pass something that lives as long: an object made by `new`, or one declared further out",
    )
}

/// A pointer that a loan made, and that would be there when the loan is over.
fn kept_loan(fx: &mut Fx<'_>, broken: &Break, loan: crate::tracked::Loan) {
    let (code, message, help) = fx.kept_loan(loan);
    let at = if is_store(broken.via.what) { broken.via } else { broken.to };
    let at = if at.span.is_none() { broken.from } else { at };
    let mut diagnostic =
        Diagnostic::error(code, message, at.span, "would still be there when the loan is over");
    if loan.span != at.span {
        diagnostic = diagnostic.label(loan.span, "this is lent for the time of one expression");
    }
    fx.report(diagnostic.help(help));
}

/// Only what lies in the heap is freed without a handle.
fn not_freeable(fx: &mut Fx<'_>, broken: &Break) {
    let words = region_words(fx, broken.source);
    let mut diagnostic = Diagnostic::error(
        codes::E2012,
        format!("the object lies in {words}, not in the heap"),
        broken.to.span,
        "only objects in `'H` are freed without the handle of their region",
    );
    if broken.from.span != broken.to.span && !broken.from.span.is_none() {
        diagnostic = diagnostic.label(broken.from.span, format!("a pointer into {words}"));
    }
    diagnostic = match broken.source {
        Region::Param(i) if param_with_region(fx, i).is_some() => diagnostic.help(
            "let the parameter point into the heap (`'H`), or take the handle of a reap, `region_t<'r> h : single('r)`, and use `rfree(h, p)`",
        ),
        _ => diagnostic.help(
            "objects of a reap (`reap<'r> h;`) are freed with `rfree(h, p)`; those of an arena go with it",
        ),
    };
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

pub fn callee_name(fx: &Fx<'_>, func: Option<FuncId>) -> String {
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
        What::Bound(func) if asked_by(fx, at).is_some() => {
            format!("{} needs a pointer into {need}", callee_name(fx, func))
        }
        What::Bound(func) => format!("{} needs it to outlive {need}", callee_name(fx, func)),
        What::Assign(_) | What::Member(..) | What::Init(_) => {
            "stored here in something that lives longer".into()
        }
        What::Field => format!("stored here, where a pointer into {need} is needed"),
        What::Packed => "hidden here in an existential, which anyone may keep".into(),
        What::Throw => "thrown here, out of its function".into(),
        What::Lent => "is the value of what the pointer was lent for".into(),
        What::BlockValue => "leaves its block as the value of `({ … })`".into(),
        _ => format!("a pointer into {need} is needed here"),
    }
}

/// A region parameter for the struct whose member can only point into the heap.
fn member_text(fx: &Fx<'_>, broken: &Break, at: Origin) -> Option<String> {
    let What::Member(id, n) = at.what else { return None };
    let def = fx.adt(id);
    let field = def.fields.as_deref()?.get(n as usize)?;
    let ptr = field.ty.as_ptr()?;
    if broken.need != Region::Heap || ptr.region != Region::Heap || def.anonymous || def.foreign {
        return None;
    }
    let mut generics = def.generics.clone();
    let index = generics.len() as u32;
    let taken = |name: &str| generics.iter().any(|param| param.name.as_str() == name);
    let name = ["r", "s", "t", "u"].into_iter().find(|name| !taken(name))?;
    generics.push(toft_ty::GenericParam {
        name: toft_base::Symbol::intern(name),
        kind: toft_ty::Kind::Region,
        bound: toft_ty::Aqual::Aliasable,
        implicit: false,
    });
    let names =
        toft_ty::print::Names { tables: &fx.prog.tables, generics: &generics, regions: &|_| None };
    let ty = toft_ty::Ty::ptr(toft_ty::PtrTy { region: Region::Param(index), ..*ptr });
    let list: Vec<String> = generics.iter().map(|param| format!("'{}", param.name)).collect();
    Some(format!(
        "struct {}<{}> {{ … {}; … }}",
        def.name,
        list.join(", "),
        declared(&names, ty, field.name?.as_str())
    ))
}

fn helps(fx: &Fx<'_>, d: Diagnostic, broken: &Break, at: Origin) -> Diagnostic {
    let d = ways_out(fx, d, broken, at);
    match member_text(fx, broken, at) {
        Some(text) => d.help(format!("or let the member point into any region: `{text}`")),
        None => d,
    }
}

fn ways_out(fx: &Fx<'_>, mut d: Diagnostic, broken: &Break, at: Origin) -> Diagnostic {
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
            if let Some(func) = fx.func {
                let text = signature_text(fx, func, i);
                d = d.help(format!("name the region in the signature: `{text}`"));
            }
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
fn signature_text(fx: &Fx<'_>, func: &toft_hir::Func, i: u32) -> String {
    let mut generics = func.generics.clone();
    let named = generics.get(i as usize).is_some_and(|param| !param.implicit);
    let region = if named { generics[i as usize].name.as_str() } else { "r" };
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
        .map(|(n, &ty)| {
            let name = func.params.get(n).and_then(|param| param.name);
            declared(&names, ty, name.map_or("", |name| name.as_str()))
        })
        .collect();
    let ret = toft_ty::print::ty_to_string(&names, ret);
    format!("{ret} {}({})", func.name, params.join(", "))
}

fn declared(names: &toft_ty::print::Names<'_>, ty: toft_ty::Ty, name: &str) -> String {
    format!("{} {name}", toft_ty::print::ty_to_string(names, ty))
}
