//! What statements do to the state.

use super::domain::{Fact, NULL, Sym, Val, View, ZERO, Zero};
use super::slots::{Home, Info, info};
use super::{Def, Engine, Loaded, VALUES};
use toft_base::Idx;
use toft_mir::*;
use toft_ty::{AdtKind, TyKind};

/// Lengths of strings and counts of elements are below this.
const MAX_LEN: i128 = 1 << 47;

/// Loads remembered at a time.
const MAX_LOADS: usize = 6;

impl<'a> Engine<'a> {
    /// A new value of a type.
    pub fn set_typed(&mut self, value: Val, info: Info) {
        match info {
            Info::Int { lo, hi } => self.table.set_range(value, lo, hi),
            Info::Ptr { notnull, fat, .. } => {
                if fat {
                    self.table.set_range(value | 1, 0, u32::MAX.into());
                }
                self.table.set_pointer(value, notnull);
            }
            Info::Other => self.table.set_pointer(value, false),
        }
    }

    /// The statement's own value, of the type.
    pub fn fresh(&mut self, info: Info) -> Sym {
        let value = self.own_value(0);
        self.set_typed(value, info);
        Sym::of(value)
    }

    pub fn statement(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Nop
            | StmtKind::TryPush(_)
            | StmtKind::TryPop(_)
            | StmtKind::RegionExit(_)
            | StmtKind::BorrowExit(_)
            | StmtKind::GiveBack { .. } => {}
            StmtKind::StorageLive(local) | StmtKind::StorageDead(local) => {
                self.cur[local.index()] = Sym::UNKNOWN;
                if self.slots.home[*local] == Home::Memory {
                    self.loads.clear();
                    self.tags.clear();
                }
            }
            StmtKind::Assign(place, rvalue) => self.assign(place, rvalue),
            StmtKind::Check(check) => self.check(check),
            StmtKind::Call(call) => {
                self.memory_changed();
                if let Some(dest) = &call.dest {
                    self.assign_unknown(dest);
                }
            }
            StmtKind::SetTag(place, member) => {
                self.memory_changed();
                self.remember_tag(place, *member);
            }
            StmtKind::Alloca { local, count, .. } => {
                let len = self.operand(count, 1);
                if self.slots.home[*local] != Home::Memory {
                    let info = self.slots.info[*local];
                    let sym = self.fresh(info);
                    self.table.fact_mut(sym.root).len = len;
                    self.cur[local.index()] = sym;
                }
            }
            StmtKind::Swap(a, b) => {
                self.memory_changed();
                self.assign_unknown(a);
                self.assign_unknown(b);
            }
            StmtKind::Catch(_, local)
            | StmtKind::RegionEnter { handle: local, .. }
            | StmtKind::BorrowEnter { local, .. } => {
                self.memory_changed();
                self.cur[local.index()] = Sym::UNKNOWN;
            }
            StmtKind::Consume(place) => {
                self.memory_changed();
                self.assign_unknown(place);
            }
        }
    }

    /// Place and member hold until memory changes or the place means another one.
    pub fn remember_tag(&mut self, place: &'a Place, member: u32) {
        let fixed = place.proj.iter().all(|step| {
            !matches!(step, Proj::Deref(Index::Local(_)) | Proj::Index(Index::Local(_)))
        });
        if fixed && self.tags.len() < MAX_LOADS && !self.is_volatile_base(place) {
            self.tags.push((place, member));
        }
    }

    fn is_volatile_base(&self, place: &Place) -> bool {
        match place.base {
            Base::Local(local) => self.cx.body.locals[local].quals.is_volatile,
            Base::Global(global) => self.cx.decls.globals[global].quals.is_volatile,
        }
    }

    /// Any part of memory may have been written.
    fn memory_changed(&mut self) {
        self.epoch += 1;
        self.loads.clear();
        self.tags.clear();
        self.table.memory_changed();
    }

    fn followed(&self, place: &Place) -> Option<LocalId> {
        place.as_local().filter(|local| self.slots.home[*local] != Home::Memory)
    }

    fn assign_unknown(&mut self, place: &Place) {
        if let Some(local) = self.followed(place) {
            let sym = self.fresh(self.slots.info[local]);
            self.cur[local.index()] = sym;
        }
    }

    fn assign(&mut self, place: &'a Place, rvalue: &'a Rvalue) {
        let Some(local) = self.followed(place) else {
            self.store(place, rvalue);
            return;
        };
        let info = self.slots.info[local];
        let value = self.rvalue(rvalue, info);
        // Remembered loads are keyed by the value of their base, tags by its name.
        if !self.tags.is_empty() {
            self.tags.retain(|(place, _)| place.base != Base::Local(local));
        }
        self.cur[local.index()] = value;
    }

    /// A write to memory. A scalar without pointers in it cannot change a pointer: memory
    /// that holds pointers is never seen as anything else, but in tagged unions, whose
    /// change is marked by `SetTag`.
    fn store(&mut self, place: &'a Place, rvalue: &'a Rvalue) {
        self.epoch += 1;
        self.table.memory_changed();
        if self.loads.is_empty() && self.tags.is_empty() {
            return;
        }
        let plain = self
            .cx
            .body
            .place_ty(self.cx.decls, place)
            .is_some_and(|ty| ty.is_arithmetic() && !matches!(rvalue, Rvalue::Aggregate(_)));
        if plain {
            self.loads.retain(|load| load.is_pointer);
        } else {
            self.loads.clear();
            // A write into a union's member leaves its tag.
            self.tags.retain(|(union, _)| {
                union.base == place.base
                    && place.proj.len() > union.proj.len()
                    && place.proj.starts_with(&union.proj)
            });
        }
    }

    /// The value of an operand; one not followed is a new one, the statement's `number`th.
    pub fn operand(&mut self, operand: &'a Operand, number: u32) -> Sym {
        match operand {
            Operand::Const(constant) => self.constant(constant, number),
            Operand::Copy(place) | Operand::Move(place) => match place.as_local() {
                Some(local) if self.slots.home[local] != Home::Memory => {
                    let sym = self.cur[local.index()];
                    if sym.is_unknown() && number < VALUES {
                        // Of its type at least.
                        let value = self.own_value(number);
                        self.set_typed(value, self.slots.info[local]);
                        self.cur[local.index()] = Sym::of(value);
                        return Sym::of(value);
                    }
                    sym
                }
                _ => self.read(place, None, number),
            },
        }
    }

    /// A read of memory.
    fn read(&mut self, place: &'a Place, known: Option<Info>, number: u32) -> Sym {
        let base = match place.base {
            Base::Local(local) if place.is_indirect() => self.cur[local.index()],
            Base::Local(_) => Sym::of(ZERO),
            Base::Global(_) => Sym::of(ZERO),
        };
        let stable = !base.is_unknown()
            && place.proj.iter().all(|step| {
                !matches!(step, Proj::Deref(Index::Local(_)) | Proj::Index(Index::Local(_)))
            });
        if stable {
            let found = self.loads.iter().find(|load| {
                load.base == base
                    && load.place.proj == place.proj
                    && (place.is_indirect() && base.root != ZERO || load.place.base == place.base)
            });
            if let Some(load) = found {
                return load.value;
            }
        }
        if number >= VALUES {
            return Sym::UNKNOWN;
        }
        let info = known.unwrap_or_else(|| {
            let ty = self.cx.body.place_ty(self.cx.decls, place);
            ty.map_or(Info::Other, |ty| info(&self.cx.decls.tables, ty))
        });
        let value = self.own_value(number);
        self.set_typed(value, info);
        if stable && !self.is_volatile(place) {
            if self.loads.len() == MAX_LOADS {
                self.loads.remove(0);
            }
            let is_pointer = matches!(info, Info::Ptr { .. });
            self.loads.push(Loaded { place, base, value: Sym::of(value), is_pointer });
        }
        Sym::of(value)
    }

    /// Something on the way may change by itself: then no read is like the one before.
    fn is_volatile(&self, place: &Place) -> bool {
        let body = self.cx.body;
        let (quals, mut ty) = match place.base {
            Base::Local(local) => (body.locals[local].quals, Some(body.locals[local].ty)),
            Base::Global(global) => {
                let decl = &self.cx.decls.globals[global];
                (decl.quals, Some(decl.ty))
            }
        };
        let mut volatile = quals.is_volatile;
        for step in &place.proj {
            let Some(now) = ty else { return true };
            match (*now.kind(), step) {
                (TyKind::Ptr(ptr), _) => volatile |= ptr.quals.is_volatile,
                (TyKind::Adt(id, _), Proj::Field(field)) => {
                    let fields = self.cx.decls.tables.adts[id].fields.as_deref();
                    let field = fields.and_then(|fields| fields.get(*field as usize));
                    // Members of a union change with each other.
                    volatile |= self.cx.decls.tables.adts[id].kind != AdtKind::Struct;
                    volatile |= field.is_none_or(|field| field.quals.is_volatile);
                }
                _ => {}
            }
            ty = typing::step_ty(self.cx.decls, now, step);
        }
        volatile
    }

    fn constant(&mut self, constant: &Const, number: u32) -> Sym {
        let is_fat = constant.ty.is_fat();
        match &constant.kind {
            ConstKind::Int(value) => {
                if let Some(sym) = Sym::constant(*value) {
                    return sym;
                }
                if number >= VALUES {
                    return Sym::UNKNOWN;
                }
                let own = self.own_value(number);
                self.table.set(own, Fact::range(*value, *value));
                Sym::of(own)
            }
            ConstKind::Null => Sym::of(NULL),
            ConstKind::Str { units, .. } if number < VALUES => {
                let own = self.own_value(number);
                let mut fact = Fact { zero: Zero::No, ..Fact::TOP };
                let end = units.iter().position(|&unit| unit == 0).unwrap_or(units.len());
                if is_fat {
                    fact.len = Sym { root: ZERO, off: units.len() as i64 + 1 };
                } else {
                    fact.len = Sym { root: ZERO, off: end as i64 };
                    fact.len_in_memory = true;
                    self.table.memory_lens = true;
                }
                self.table.set(own, fact);
                Sym::of(own)
            }
            ConstKind::Func(..) | ConstKind::Exn(..) if number < VALUES => {
                let own = self.own_value(number);
                self.table.set(own, Fact { zero: Zero::No, ..Fact::TOP });
                Sym::of(own)
            }
            ConstKind::Sizeof(_) | ConstKind::Alignof(_) if number < VALUES => {
                let own = self.own_value(number);
                self.table.set(own, Fact::range(0, MAX_LEN));
                Sym::of(own)
            }
            _ => Sym::UNKNOWN,
        }
    }

    fn rvalue(&mut self, rvalue: &'a Rvalue, info: Info) -> Sym {
        match rvalue {
            Rvalue::Use(operand) => self.copy(operand, info),
            Rvalue::Ref(_) | Rvalue::Alloc { .. } => {
                if let Rvalue::Alloc { count: Some(count), .. } = rvalue {
                    self.operand(count, 1);
                }
                let sym = self.fresh(info);
                self.table.fact_mut(sym.root).zero = Zero::No;
                sym
            }
            Rvalue::Unary(op, a) => self.unary(*op, a, info),
            Rvalue::Binary(op, a, b) => self.binary(*op, a, b, info),
            Rvalue::Compare(op, a, b) => self.compare(*op, a, b, info),
            Rvalue::Cast(cast, a, _) => self.cast(*cast, a, info),
            Rvalue::MakeFat { base, len } => self.make_fat(base, len, info),
            Rvalue::PtrAdd(ptr, by) => self.ptr_add(ptr, by, info),
            Rvalue::FatLen(ptr) => {
                let ptr = self.operand(ptr, 1);
                let len = self.table.fat_len(ptr);
                if len.is_unknown() { self.fresh(info) } else { len }
            }
            Rvalue::ZtLen(ptr) => {
                let string = self.operand(ptr, 1);
                let sym = self.fresh(Info::Int { lo: 0, hi: MAX_LEN });
                if string.off == 0 && string.root > NULL && !string.is_unknown() {
                    let fact = self.table.fact_mut(string.root);
                    if fact.len.is_unknown() && fact.zero == Zero::No {
                        fact.len = sym;
                        fact.len_in_memory = true;
                        self.table.memory_lens = true;
                    }
                }
                sym
            }
            Rvalue::IsVariant(..) | Rvalue::IsMember(..) => self.fresh(Info::Int { lo: 0, hi: 1 }),
            Rvalue::PtrDiff(..)
            | Rvalue::ViewFat(_)
            | Rvalue::Aggregate(_)
            | Rvalue::Variant(..)
            | Rvalue::VaArg(..) => self.fresh(info),
        }
    }

    fn copy(&mut self, operand: &'a Operand, info: Info) -> Sym {
        let place = match operand.place() {
            Some(place) if self.followed(place).is_none() => place,
            _ => {
                let sym = self.operand(operand, 0);
                return if sym.is_unknown() { self.fresh(info) } else { sym };
            }
        };
        let value = self.read(place, Some(info), 0);
        // An element of a string: when it is not zero, the string goes on behind it.
        if let ([Proj::Deref(index)], Base::Local(local)) = (place.proj.as_slice(), place.base)
            && let Info::Ptr { zeroterm: true, fat: false, .. } = self.slots.info[local]
            && value == Sym::of(self.own_value(0))
        {
            let index = match index {
                Index::Const(n) => Sym::constant(i128::from(*n)),
                Index::Local(index) => Some(self.cur[index.index()]),
            };
            if let Some(index) = index {
                let string = self.cur[local.index()];
                self.define(Def::Element { string, index, epoch: self.epoch });
            }
        }
        value
    }

    fn cast(&mut self, cast: Cast, a: &'a Operand, info: Info) -> Sym {
        let of = self.operand(a, 1);
        match cast {
            Cast::IntToInt => {
                let Info::Int { lo, hi } = info else { return self.fresh(info) };
                let (from_lo, from_hi) = self.table.interval(of);
                if lo <= from_lo && from_hi <= hi {
                    return of;
                }
                let sym = self.fresh(info);
                // Negative values become large ones; the others stay, if they fit.
                if lo == 0 && from_hi <= hi && from_lo >= -1 - hi {
                    self.define(Def::Wrapped { of, limit: hi + from_lo });
                }
                sym
            }
            Cast::ToBool => match self.table.zero(of) {
                Zero::Yes => Sym { root: ZERO, off: 0 },
                Zero::No => Sym { root: ZERO, off: 1 },
                Zero::Unknown => {
                    let sym = self.fresh(Info::Int { lo: 0, hi: 1 });
                    self.define(Def::Truth(of));
                    sym
                }
            },
            Cast::Ptr => {
                if of.is_unknown() {
                    return self.fresh(info);
                }
                of
            }
            Cast::FatToThin => {
                let zero = self.table.zero(of);
                let sym = self.fresh(info);
                if zero != Zero::Unknown {
                    self.table.fact_mut(sym.root).zero = zero;
                }
                sym
            }
            Cast::IntToFloat | Cast::FloatToInt | Cast::FloatToFloat | Cast::PtrToInt => {
                self.fresh(info)
            }
        }
    }

    fn make_fat(&mut self, base: &'a Operand, len: &'a Operand, info: Info) -> Sym {
        let base = self.operand(base, 1);
        let zero = self.table.zero(base);
        let len = self.operand(len, 2);
        if zero == Zero::Yes {
            return Sym::of(NULL);
        }
        let sym = self.fresh(info);
        if zero == Zero::No {
            let fact = self.table.fact_mut(sym.root);
            fact.zero = Zero::No;
            fact.len = len;
        } else if !len.is_unknown() {
            // Null has no elements.
            self.table.assume_le(Sym::of(sym.root | 1), len, 0);
        }
        sym
    }

    fn ptr_add(&mut self, ptr: &'a Operand, by: &'a Operand, info: Info) -> Sym {
        let ptr = self.operand(ptr, 1);
        let by = self.operand(by, 2);
        let zero = self.table.zero(ptr);
        if by == (Sym { root: ZERO, off: 0 }) && !ptr.is_unknown() {
            return ptr;
        }
        let Info::Ptr { fat, .. } = info else { return self.fresh(info) };
        if ptr.is_unknown() || ptr.root == NULL || by.is_unknown() {
            return self.fresh(info);
        }
        let old = *self.table.fact(ptr.root);
        let fat_len = self.table.fat_len(ptr);
        // What is left, when the step stays inside.
        let inside = if fat {
            let (lo, hi) = self.table.interval(by);
            let forward =
                lo >= 0 && self.table.le(by, fat_len, 0) && self.table.interval(fat_len).0 >= 1;
            let backward = hi < 0 && lo >= i128::from(old.low);
            forward || backward
        } else {
            true
        };
        let sym = self.fresh(info);
        if zero == Zero::No {
            self.table.fact_mut(sym.root).zero = Zero::No;
        }
        let step = (by.root == ZERO).then_some(i128::from(by.off));
        if fat && inside {
            if let Some(step) = step {
                let low = i128::from(old.low) - step;
                let fact = self.table.fact_mut(sym.root);
                fact.low = i64::try_from(low).unwrap_or(0).min(0);
                if let Some(len) = fat_len.plus(-step) {
                    fact.len = len;
                }
            } else {
                // Fewer elements than before.
                self.table.assume_le(Sym::of(sym.root | 1), fat_len, 0);
            }
        } else if !fat
            && let (Some(step), false) = (step, old.len.is_unknown())
            && let Some(len) = old.len.plus(-step)
        {
            let fact = self.table.fact_mut(sym.root);
            fact.len = len;
            fact.len_in_memory = old.len_in_memory;
        }
        sym
    }

    /// The range of an operand's type, if it is an integer's.
    pub fn int_range(&self, operand: &Operand) -> Option<(i128, i128)> {
        let ty = match operand.place().and_then(Place::as_local) {
            Some(local) => match self.slots.info[local] {
                Info::Int { lo, hi } => return Some((lo, hi)),
                _ => return None,
            },
            None => self.cx.body.operand_ty(self.cx.decls, operand)?,
        };
        match info(&self.cx.decls.tables, ty) {
            Info::Int { lo, hi } => Some((lo, hi)),
            _ => None,
        }
    }
}
