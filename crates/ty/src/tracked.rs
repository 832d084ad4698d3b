//! Whether copying a value must consume it.
//!
//! In: a type, the parameters it may mention, the tables. Out: `true` when the value is, or
//! holds by value, a pointer that is not `\A` or something of a type parameter that may stand
//! for one. Needs: types complete. Keeps: one summary for each definition, made at the first
//! question. Invariants: what a pointer points at does not count; of generics only the bound
//! does, so the answer holds for every instance.

use crate::{AdtDef, AdtId, Aqual, FieldDef, GArg, GenericParam, Tables, Ty, TyKind};
use toft_base::Idx;

/// What a definition holds by value.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    /// Tracked whatever its arguments are.
    always: bool,
    /// Tracked if one of these arguments is.
    params: Vec<u32>,
}

/// Whether values of `ty` are moved, never copied.
pub fn tracked(tables: &Tables, generics: &[GenericParam], ty: Ty) -> bool {
    match *ty.kind() {
        TyKind::Ptr(ref ptr) => aqual_tracked(generics, ptr.aqual),
        TyKind::Array { elem, .. } | TyKind::Vla(elem) => tracked(tables, generics, elem),
        TyKind::Tuple(fields) => fields.iter().any(|&ty| tracked(tables, generics, ty)),
        TyKind::Adt(id, args) => {
            let Some(summary) = summaries(tables).get(id.index()) else { return false };
            summary.holds(|n| arg_tracked(tables, generics, args.get(n as usize)))
        }
        TyKind::Variant(id, variant, args) => {
            let Some(def) = tables.adts.get(id) else { return false };
            let mut summary = Summary::default();
            if let Some(variant) = def.variants.get(variant as usize) {
                let mut known = |id: AdtId| summaries(tables).get(id.index()).cloned();
                summary.fields(def, &variant.exists, &variant.fields, &mut known);
            }
            summary.holds(|n| arg_tracked(tables, generics, args.get(n as usize)))
        }
        // A parameter that nobody declared was reported; not copying is the safe side.
        TyKind::Param(n, _) => {
            generics.get(n as usize).is_none_or(|param| param.bound != Aqual::Aliasable)
        }
        TyKind::Bound(..) => true,
        _ => false,
    }
}

/// Whether pointers of this aliasability are.
pub fn aqual_tracked(generics: &[GenericParam], aqual: Aqual) -> bool {
    match aqual {
        Aqual::Aliasable | Aqual::Infer(_) | Aqual::Erased => false,
        Aqual::Unique | Aqual::Counted | Aqual::Top | Aqual::Bound(..) => true,
        Aqual::Param(n) => {
            generics.get(n as usize).is_none_or(|param| param.bound != Aqual::Aliasable)
        }
    }
}

fn arg_tracked(tables: &Tables, generics: &[GenericParam], arg: Option<&GArg>) -> bool {
    match arg {
        Some(GArg::Ty(ty)) => tracked(tables, generics, *ty),
        Some(GArg::Aqual(aqual)) => aqual_tracked(generics, *aqual),
        _ => false,
    }
}

fn summaries(tables: &Tables) -> &[Summary] {
    tables.tracked.get_or_init(|| {
        let mut made: Vec<Option<Summary>> = vec![None; tables.adts.len()];
        for n in 0..made.len() {
            summary(tables, AdtId::from_usize(n), &mut made, 0);
        }
        made.into_iter().map(Option::unwrap_or_default).collect()
    })
}

/// Definitions are not inside themselves; where one is, an error was reported.
fn summary(tables: &Tables, id: AdtId, made: &mut Vec<Option<Summary>>, depth: u32) -> Summary {
    match made.get(id.index()) {
        Some(Some(known)) => return known.clone(),
        Some(None) if depth < 200 => {}
        _ => return Summary { always: true, params: Vec::new() },
    }
    made[id.index()] = Some(Summary::default());
    let def = &tables.adts[id];
    let mut found = Summary::default();
    if !def.foreign {
        let mut known = |id: AdtId| Some(summary(tables, id, made, depth + 1));
        found.fields(def, &def.exists, def.fields.as_deref().unwrap_or(&[]), &mut known);
        for variant in &def.variants {
            found.fields(def, &variant.exists, &variant.fields, &mut known);
        }
    }
    made[id.index()] = Some(found.clone());
    found
}

type Known<'x> = dyn FnMut(AdtId) -> Option<Summary> + 'x;

impl Summary {
    fn holds(&self, mut arg: impl FnMut(u32) -> bool) -> bool {
        self.always || self.params.iter().any(|&n| arg(n))
    }

    fn fields(
        &mut self,
        def: &AdtDef,
        exists: &[GenericParam],
        fields: &[FieldDef],
        known: &mut Known<'_>,
    ) {
        fields.iter().for_each(|field| self.part(def, exists, field.ty, known));
    }

    fn part(&mut self, def: &AdtDef, exists: &[GenericParam], ty: Ty, known: &mut Known<'_>) {
        if self.always {
            return;
        }
        match *ty.kind() {
            TyKind::Ptr(ref ptr) => self.aqual(def, exists, ptr.aqual),
            TyKind::Array { elem, .. } => self.part(def, exists, elem, known),
            TyKind::Tuple(list) => list.iter().for_each(|&ty| self.part(def, exists, ty, known)),
            TyKind::Adt(id, args) | TyKind::Variant(id, _, args) => {
                let Some(inner) = known(id) else { return };
                self.always |= inner.always;
                for n in inner.params {
                    match args.get(n as usize) {
                        Some(GArg::Ty(ty)) => self.part(def, exists, *ty, known),
                        Some(GArg::Aqual(aqual)) => self.aqual(def, exists, *aqual),
                        _ => {}
                    }
                }
            }
            TyKind::Param(n, _) => self.param(def, exists, n),
            _ => {}
        }
    }

    fn aqual(&mut self, def: &AdtDef, exists: &[GenericParam], aqual: Aqual) {
        match aqual {
            Aqual::Unique | Aqual::Counted | Aqual::Top | Aqual::Bound(..) => self.always = true,
            Aqual::Param(n) => self.param(def, exists, n),
            Aqual::Aliasable | Aqual::Infer(_) | Aqual::Erased => {}
        }
    }

    /// Parameters past the definition's own are hidden ones: their bound decides.
    fn param(&mut self, def: &AdtDef, exists: &[GenericParam], n: u32) {
        match (n as usize).checked_sub(def.generics.len()) {
            None if self.params.contains(&n) => {}
            None => self.params.push(n),
            Some(n) => {
                self.always |= exists.get(n).is_none_or(|param| param.bound != Aqual::Aliasable);
            }
        }
    }
}
