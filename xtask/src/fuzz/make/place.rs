//! Places: from a variable or global down to something of a wanted type.

use super::super::model::*;
use super::{FUNC_LEVEL, Gen};

/// A place, and how far out what it is in lives.
pub struct Found {
    pub place: Place,
    pub level: u32,
    /// For a place of pointer type: how far out what it points to lives.
    pub reach: u32,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Use {
    Read,
    Write,
    /// Its address is taken: not inside a union.
    Address,
}

impl Gen {
    pub fn place(&mut self, wanted: &dyn Fn(&Ty) -> bool, how: Use, depth: usize) -> Option<Found> {
        for _ in 0..12 {
            if let Some(found) = self.try_place(wanted, how, depth) {
                return Some(found);
            }
        }
        None
    }

    fn start(&mut self, how: Use) -> Option<Found> {
        let globals = self.program.globals.len();
        if !self.vars.is_empty() && (globals == 0 || self.rng.chance(70)) {
            // The young ones more often.
            let back = self.rng.below(self.vars.len()).min(self.rng.below(self.vars.len()));
            let var = self.vars[self.vars.len() - 1 - back].clone();
            if var.fixed && how != Use::Read {
                return None;
            }
            let place = Place { kind: Box::new(PlaceKind::Local(var.id)), ty: var.ty };
            // Parameters' regions are not comparable: only the heap fits them all.
            let param = var.level == FUNC_LEVEL + 1 && var.reach == FUNC_LEVEL;
            let reach = if param && how == Use::Write { 0 } else { var.reach };
            return Some(Found { place, level: var.level, reach });
        }
        if globals == 0 {
            return None;
        }
        let g = self.rng.below(globals);
        let ty = self.program.globals[g].0.clone();
        Some(Found {
            place: Place { kind: Box::new(PlaceKind::Global(g)), ty },
            level: 0,
            reach: 0,
        })
    }

    fn try_place(&mut self, wanted: &dyn Fn(&Ty) -> bool, how: Use, depth: usize) -> Option<Found> {
        let mut found = self.start(how)?;
        for _ in 0..5 {
            if wanted(&found.place.ty) && self.rng.chance(75) {
                return Some(found);
            }
            found = self.deeper(found, how, depth)?;
        }
        wanted(&found.place.ty).then_some(found)
    }

    fn deeper(&mut self, found: Found, how: Use, depth: usize) -> Option<Found> {
        let Found { place, level, reach } = found;
        let boxed = |kind, ty| Place { kind: Box::new(kind), ty };
        Some(match place.ty.clone() {
            Ty::Struct(i) => {
                let f = self.rng.below(self.program.structs[i].len());
                let ty = self.program.structs[i][f].clone();
                Found { place: boxed(PlaceKind::Field(place, f), ty), level, reach: 0 }
            }
            Ty::Union(i) => {
                // Of a local union the compiler often knows the member.
                let own = level > 0 && matches!(*place.kind, PlaceKind::Local(_));
                if how == Use::Address || self.rng.chance(if own { 85 } else { 40 }) {
                    return None;
                }
                let f = self.rng.below(self.program.unions[i].len());
                let ty = self.program.unions[i][f].clone();
                Found { place: boxed(PlaceKind::Field(place, f), ty), level, reach: 0 }
            }
            Ty::Array(elem, n) => {
                let index = self.index(n, depth);
                Found { place: boxed(PlaceKind::Index(place, index), *elem), level, reach: 0 }
            }
            Ty::Fat(elem) => {
                let index = self.fat_index(depth);
                let p = self.read(place);
                Found { place: boxed(PlaceKind::At(p, index), *elem), level: reach, reach: 0 }
            }
            Ty::Str => {
                if how == Use::Address {
                    return None;
                }
                let index = self.fat_index(depth);
                let p = self.read(place);
                let ty = Ty::Int(Int::Char);
                Found { place: boxed(PlaceKind::At(p, index), ty), level: reach, reach: 0 }
            }
            Ty::Thin(elem) => {
                let p = self.read(place);
                Found { place: boxed(PlaceKind::Deref(p), *elem), level: reach, reach: 0 }
            }
            _ => return None,
        })
    }

    pub fn read(&mut self, place: Place) -> Expr {
        let ty = place.ty.clone();
        Expr { kind: Box::new(Kind::Read(place)), ty }
    }

    pub fn read_var(&mut self, id: usize) -> Expr {
        let ty = self.vars.iter().find(|v| v.id == id).map_or(Ty::INT, |v| v.ty.clone());
        self.read(Place { kind: Box::new(PlaceKind::Local(id)), ty })
    }

    /// An index into `n` elements, nearly always a good one.
    pub fn index(&mut self, n: usize, depth: usize) -> Expr {
        if self.rng.chance(10)
            && let Some(e) = self.near_variable()
        {
            return e;
        }
        match self.rng.below(20) {
            0..8 => self.small(self.clamp(n)),
            8..14 if depth > 0 => {
                let e = self.int(depth - 1);
                let mask = if n.is_power_of_two() { n - 1 } else { n.next_power_of_two() / 2 - 1 };
                self.masked(e, mask)
            }
            14..19 if depth > 0 => {
                let e = self.int(depth - 1);
                let e = Expr { kind: Box::new(Kind::Cast(e)), ty: Ty::Int(Int::U64) };
                let n = Expr { kind: Box::new(Kind::Int(n as i128)), ty: Ty::Int(Int::U64) };
                Expr { kind: Box::new(Kind::Bin(Bin::Rem, e, n)), ty: Ty::Int(Int::U64) }
            }
            19 if depth > 0 => {
                let e = self.int(depth - 1);
                self.masked(e, 7)
            }
            _ => self.small(self.clamp(n)),
        }
    }

    fn clamp(&self, n: usize) -> usize {
        n.saturating_sub(1)
    }

    pub fn masked(&mut self, e: Expr, mask: usize) -> Expr {
        let mask = self.small_exact(mask);
        let ty = usual(&e.ty, &Ty::INT);
        Expr { kind: Box::new(Kind::Bin(Bin::And, e, mask)), ty }
    }

    pub fn small_exact(&mut self, n: usize) -> Expr {
        Expr { kind: Box::new(Kind::Int(n as i128)), ty: Ty::INT }
    }

    /// 0 to `max`.
    pub fn small(&mut self, max: usize) -> Expr {
        let n = self.rng.below(max + 1);
        self.small_exact(n)
    }

    /// A variable, or one step beside it: what facts about indices speak of.
    fn near_variable(&mut self) -> Option<Expr> {
        let counters: Vec<usize> = self
            .vars
            .iter()
            .filter(|var| matches!(var.ty, Ty::Int(int) if var.fixed || int.bits() >= 32))
            .map(|var| var.id)
            .collect();
        let &id = self.rng.pick(&counters)?;
        let e = self.read_var(id);
        let op = match self.rng.below(6) {
            0 => Bin::Add,
            1 => Bin::Sub,
            _ => return Some(e),
        };
        let one = self.small_exact(1);
        let ty = usual(&e.ty, &Ty::INT);
        Some(Expr { kind: Box::new(Kind::Bin(op, e, one)), ty })
    }

    /// `i < n ? p[i] : 0`, or the same with other bounds.
    pub fn guarded(&mut self) -> Option<Expr> {
        let elem = |ty: &Ty| matches!(ty, Ty::Int(_));
        let wanted = |ty: &Ty| match ty {
            Ty::Fat(of) | Ty::Array(of, _) => elem(of),
            Ty::Str => true,
            _ => false,
        };
        let found = self.place(&wanted, Use::Read, 0)?;
        let i = self.near_variable()?;
        let (place, len) = match found.place.ty.clone() {
            Ty::Array(of, n) => {
                let n = self.rng.below(2) + n;
                let len = self.small_exact(n);
                (Place { kind: Box::new(PlaceKind::Index(found.place, i.clone())), ty: *of }, len)
            }
            Ty::Fat(of) => {
                let p = self.read(found.place);
                let ty = Ty::Int(Int::U64);
                let len = Expr { kind: Box::new(Kind::NumElts(p.clone())), ty };
                (Place { kind: Box::new(PlaceKind::At(p, i.clone())), ty: *of }, len)
            }
            _ => {
                let p = self.read(found.place);
                let ty = Ty::Int(Int::Char);
                let kind = Box::new(PlaceKind::At(p, i.clone()));
                (Place { kind, ty }, self.small(3))
            }
        };
        let op = [Bin::Lt, Bin::Lt, Bin::Lt, Bin::Le, Bin::Ne][self.rng.below(5)];
        let mut c = Expr { kind: Box::new(Kind::Bin(op, i.clone(), len)), ty: Ty::INT };
        if self.rng.chance(60) {
            let zero = self.small_exact(0);
            let low = Expr { kind: Box::new(Kind::Bin(Bin::Ge, i, zero)), ty: Ty::INT };
            c = Expr { kind: Box::new(Kind::And(low, c)), ty: Ty::INT };
        }
        let used = match self.rng.below(4) {
            0 => {
                let value = self.int(1);
                let ty = place.ty.clone();
                Expr { kind: Box::new(Kind::Assign(place, value)), ty }
            }
            1 => {
                // Something may happen in between.
                let (first, e) = (self.assignment(1, false), self.read(place));
                let ty = e.ty.clone();
                Expr { kind: Box::new(Kind::Comma(first, e)), ty }
            }
            _ => self.read(place),
        };
        let other = self.small(3);
        let ty = usual(&used.ty, &other.ty);
        Some(Expr { kind: Box::new(Kind::Cond(c, used, other)), ty })
    }

    pub fn fat_index(&mut self, depth: usize) -> Expr {
        if self.rng.chance(12)
            && let Some(e) = self.near_variable()
        {
            return e;
        }
        match self.rng.below(12) {
            0..8 => self.small(1),
            8 => self.small(3),
            _ if depth > 0 => {
                let e = self.int(depth - 1);
                let mask = if self.rng.chance(60) { 1 } else { 3 };
                self.masked(e, mask)
            }
            _ => self.small(0),
        }
    }
}
