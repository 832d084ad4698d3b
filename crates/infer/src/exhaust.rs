//! Whether patterns cover every value, and whether each can match: the usual usefulness
//! search, which gives a value that nothing covers.

use crate::cx::Fx;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_tir::{Arm, Pat, PatKind};
use toft_ty::{AdtKind, GArg, Ty, TyKind};

/// One way a value can be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ctor {
    /// A range of integers that no pattern splits.
    Int(i128, i128),
    Null,
    NotNull,
    Variant(u32),
    /// Another variant of an open datatype, or a number no pattern names.
    Other,
    Member(u32),
    /// The one way to build a struct or tuple.
    Whole,
    Float(u64),
}

/// A pattern or "anything".
type Cell<'p> = Option<&'p Pat>;
type Row<'p> = Vec<Cell<'p>>;

/// Steps after which the search gives up with an error.
const LIMIT: u32 = 200_000;

struct Search<'x, 'a> {
    fx: &'x Fx<'a>,
    steps: u32,
}

impl<'a> Fx<'a> {
    /// Reports arms that cannot match; gives a value that no arm covers.
    pub fn uncovered(&mut self, arms: &[Arm], ty: Ty, span: Span) -> Option<String> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        let mut unreachable = Vec::new();
        let mut search = Search { fx: self, steps: 0 };
        for arm in arms {
            for pat in &arm.pats {
                let row = vec![cell(pat)];
                if search.find(&rows, &row, &[ty]).is_none() && search.steps < LIMIT {
                    unreachable.push(pat.span);
                }
                if arm.guard.is_none() {
                    rows.push(row);
                }
            }
        }
        let witness = search.find(&rows, &vec![None], &[ty]);
        let over = search.steps >= LIMIT;
        for span in unreachable {
            self.report(Diagnostic::error(
                codes::E0802,
                "this case can never match: the cases before it cover all its values",
                span,
                "",
            ));
        }
        if over {
            self.error(codes::E0901, span, "the patterns are too many to check for completeness");
            return None;
        }
        witness.and_then(|mut list| list.pop())
    }

    /// A value that `pat` does not match.
    pub fn unmatched(&mut self, pat: &Pat, ty: Ty, span: Span) -> Option<String> {
        let mut search = Search { fx: self, steps: 0 };
        let witness = search.find(&[vec![cell(pat)]], &vec![None], &[ty]);
        if search.steps >= LIMIT {
            self.error(codes::E0901, span, "the pattern is too large to check for completeness");
            return None;
        }
        witness.and_then(|mut list| list.pop())
    }
}

/// Bindings match what is inside them.
fn cell(pat: &Pat) -> Cell<'_> {
    match &pat.kind {
        PatKind::Wild | PatKind::Var(_) | PatKind::Ref(_) => None,
        PatKind::As(_, inner) => cell(inner),
        _ => Some(pat),
    }
}

impl<'x, 'a> Search<'x, 'a> {
    /// A value (one text per column) that `must` matches and no row does.
    fn find(&mut self, rows: &[Row<'_>], must: &Row<'_>, tys: &[Ty]) -> Option<Vec<String>> {
        self.steps += 1;
        if self.steps >= LIMIT {
            return None;
        }
        let Some((&ty, rest)) = tys.split_first() else {
            return if rows.is_empty() { Some(Vec::new()) } else { None };
        };
        let ty = self.fx.shallow(ty);
        if must[0].is_none() && rows.iter().all(|row| row[0].is_none()) {
            // Nothing looks at this column.
            let tails: Vec<Row<'_>> = rows.iter().map(|row| row[1..].to_vec()).collect();
            let mut found = self.find(&tails, &must[1..].to_vec(), rest)?;
            found.insert(0, "_".into());
            return Some(found);
        }
        for ctor in self.ctors(ty, rows, must) {
            let inner = self.fields(ty, ctor);
            let Some(new_must) = specialise(must, ctor, inner.len()) else { continue };
            let new_rows: Vec<Row<'_>> =
                rows.iter().filter_map(|row| specialise(row, ctor, inner.len())).collect();
            let mut new_tys = inner.clone();
            new_tys.extend_from_slice(rest);
            if let Some(mut found) = self.find(&new_rows, &new_must, &new_tys) {
                let tail = found.split_off(inner.len());
                let mut whole = vec![self.text(ty, ctor, &found)];
                whole.extend(tail);
                return Some(whole);
            }
        }
        None
    }

    /// All the ways to build a value of `ty`, split as finely as the patterns need.
    fn ctors(&self, ty: Ty, rows: &[Row<'_>], must: &Row<'_>) -> Vec<Ctor> {
        match *ty.kind() {
            TyKind::Ptr(ptr) => {
                if ptr.nullable {
                    vec![Ctor::Null, Ctor::NotNull]
                } else {
                    vec![Ctor::NotNull]
                }
            }
            TyKind::Adt(id, _) => {
                let def = self.fx.adt(id);
                match def.kind {
                    AdtKind::Datatype => {
                        (0..def.variants.len() as u32).map(Ctor::Variant).collect()
                    }
                    AdtKind::OpenDatatype => {
                        // Only those some pattern names need a look of their own.
                        let named = heads(rows, must).filter_map(|pat| match pat.kind {
                            PatKind::Variant { variant, .. } => Some(variant),
                            _ => None,
                        });
                        let mut named: Vec<u32> = named.collect();
                        named.sort_unstable();
                        named.dedup();
                        named.into_iter().map(Ctor::Variant).chain([Ctor::Other]).collect()
                    }
                    AdtKind::TaggedUnion | AdtKind::PackedUnion => {
                        let n = def.fields.as_deref().map_or(0, <[_]>::len);
                        (0..n as u32).map(Ctor::Member).collect()
                    }
                    AdtKind::Struct | AdtKind::Union => vec![Ctor::Whole],
                }
            }
            TyKind::Variant(_, variant, _) => vec![Ctor::Variant(variant)],
            TyKind::Tuple(_) => vec![Ctor::Whole],
            TyKind::Float(_) => {
                let named = heads(rows, must).filter_map(|pat| match pat.kind {
                    PatKind::Float(x) => Some(Ctor::Float(x.to_bits())),
                    _ => None,
                });
                named.chain([Ctor::Other]).collect()
            }
            _ => self.ranges(ty, rows, must),
        }
    }

    /// The integers cut at every end of a range in the patterns.
    fn ranges(&self, ty: Ty, rows: &[Row<'_>], must: &Row<'_>) -> Vec<Ctor> {
        let (min, max) = match (ty.kind(), self.fx.int_ty(ty)) {
            (TyKind::Bool, _) => (0, 1),
            (_, Some(int)) => (int.min(), int.max()),
            (_, None) => return vec![Ctor::Other],
        };
        let mut starts = vec![min];
        for pat in heads(rows, must) {
            if let PatKind::Int(lo, hi) = pat.kind {
                starts.push(lo.clamp(min, max));
                if hi < max {
                    starts.push(hi.saturating_add(1).max(min));
                }
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let ends = starts.iter().skip(1).map(|start| start - 1).chain([max]);
        starts.iter().zip(ends).map(|(&lo, hi)| Ctor::Int(lo, hi)).collect()
    }

    /// Types of the parts of a value built by `ctor`.
    fn fields(&self, ty: Ty, ctor: Ctor) -> Vec<Ty> {
        match (*ty.kind(), ctor) {
            (TyKind::Ptr(ptr), Ctor::NotNull) => vec![ptr.elem],
            (TyKind::Tuple(fields), _) => fields.to_vec(),
            (TyKind::Adt(id, args) | TyKind::Variant(id, _, args), Ctor::Variant(n)) => {
                match self.fx.adt(id).variants.get(n as usize) {
                    Some(made) => made.fields.iter().map(|field| self.part(field, args)).collect(),
                    None => Vec::new(),
                }
            }
            (TyKind::Adt(id, args), Ctor::Member(n)) => {
                let fields = self.fx.adt(id).fields.as_deref().unwrap_or(&[]);
                fields.get(n as usize).map(|field| self.part(field, args)).into_iter().collect()
            }
            (TyKind::Adt(id, args), Ctor::Whole) => {
                let fields = self.fx.adt(id).fields.as_deref().unwrap_or(&[]);
                fields.iter().map(|field| self.part(field, args)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn part(&self, field: &toft_ty::FieldDef, args: &[GArg]) -> Ty {
        self.fx.field_ty(field, args)
    }

    /// A value, written as the pattern that would match it.
    fn text(&self, ty: Ty, ctor: Ctor, parts: &[String]) -> String {
        let list = |open: String, close: &str| {
            if parts.iter().all(|part| part == "_") && parts.len() > 1 {
                format!("{open}...{close}")
            } else {
                format!("{open}{}{close}", parts.join(", "))
            }
        };
        match (*ty.kind(), ctor) {
            (TyKind::Enum(id), Ctor::Int(lo, hi)) => {
                let consts = self.fx.prog.tables.enums[id].consts.as_deref().unwrap_or(&[]);
                match consts.iter().find(|(_, value)| (lo..=hi).contains(value)) {
                    Some((name, _)) => name.to_string(),
                    None => "_".into(),
                }
            }
            (_, Ctor::Int(lo, hi)) if lo == hi => lo.to_string(),
            // Of a long range, the number nearest to zero tells most.
            (_, Ctor::Int(lo, hi)) => 0.clamp(lo, hi).to_string(),
            (_, Ctor::Null) => "NULL".into(),
            (_, Ctor::NotNull) => match parts.first() {
                Some(part) if part != "_" => format!("&{part}"),
                _ => "&_".into(),
            },
            (TyKind::Adt(id, _) | TyKind::Variant(id, ..), Ctor::Variant(n)) => {
                let made = &self.fx.adt(id).variants[n as usize];
                if made.fields.is_empty() {
                    made.name.to_string()
                } else {
                    list(format!("{}(", made.name), ")")
                }
            }
            (TyKind::Adt(id, _), Ctor::Member(n)) => {
                let def = self.fx.adt(id);
                let name = def
                    .fields
                    .as_deref()
                    .and_then(|fields| fields.get(n as usize))
                    .and_then(|f| f.name);
                let name = name.map_or("_", |name| name.as_str());
                format!("{}{{.{name} = {}}}", def.name, parts.first().map_or("_", String::as_str))
            }
            (TyKind::Adt(id, _), Ctor::Whole) => list(format!("{}{{", self.fx.adt(id).name), "}"),
            (TyKind::Tuple(_), _) => {
                format!("$({})", parts.join(", "))
            }
            (_, Ctor::Float(bits)) => f64::from_bits(bits).to_string(),
            _ => "_".into(),
        }
    }
}

fn heads<'r, 'p: 'r>(rows: &'r [Row<'p>], must: &'r Row<'p>) -> impl Iterator<Item = &'p Pat> + 'r {
    rows.iter().chain([must]).filter_map(|row| row[0])
}

/// The row for values built by `ctor`, or `None` when it does not match them.
fn specialise<'p>(row: &Row<'p>, ctor: Ctor, arity: usize) -> Option<Row<'p>> {
    let mut inner: Row<'p> = vec![None; arity];
    if let Some(pat) = row[0] {
        match (&pat.kind, ctor) {
            (PatKind::Int(lo, hi), Ctor::Int(a, b)) => {
                if !(*lo <= a && b <= *hi) {
                    return None;
                }
            }
            (PatKind::Null, Ctor::Null) => {}
            (PatKind::Deref(p), Ctor::NotNull) => inner[0] = cell(p),
            (PatKind::Variant { variant, fields, .. }, Ctor::Variant(n)) => {
                if *variant != n {
                    return None;
                }
                fill(&mut inner, fields);
            }
            (PatKind::Member { field, pat, .. }, Ctor::Member(n)) => {
                if *field != n {
                    return None;
                }
                inner[0] = cell(pat);
            }
            (PatKind::Fields(fields), Ctor::Whole) => fill(&mut inner, fields),
            (PatKind::Float(x), Ctor::Float(bits)) => {
                if x.to_bits() != bits {
                    return None;
                }
            }
            _ => return None,
        }
    }
    inner.extend_from_slice(&row[1..]);
    Some(inner)
}

fn fill<'p>(inner: &mut Row<'p>, fields: &'p [(u32, Pat)]) {
    for (n, pat) in fields {
        if let Some(slot) = inner.get_mut(*n as usize) {
            *slot = cell(pat);
        }
    }
}
