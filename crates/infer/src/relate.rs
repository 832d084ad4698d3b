//! Whether one type may stand where another is expected, without any code: binds variables,
//! records what it means for regions.

use crate::cx::Fx;
use crate::region::Origin;
use toft_ty::fold::open_func;
use toft_ty::{
    Aqual, Bounds, Flags, Folder, FuncTy, GArg, GenericParam, IntExpr, Kind, PtrTy, Region, Ty,
    TyKind, Variadic,
};

/// How two types are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The first flows into the second: regions may get shorter.
    Flow,
    /// Both must be the same (what is pointed at can be written).
    Eq,
}

impl<'a> Fx<'a> {
    pub fn relate(&mut self, from: Ty, to: Ty, mode: Mode, o: Origin) -> bool {
        if from == to {
            return true;
        }
        let (from, to) = (self.shallow(from), self.shallow(to));
        if from == to {
            return true;
        }
        match (*from.kind(), *to.kind()) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Infer(n), _) => self.bind(n, to),
            (_, TyKind::Infer(n)) => self.bind(n, from),
            (TyKind::Ptr(a), TyKind::Ptr(b)) => self.relate_ptr(&a, &b, mode, o),
            (
                TyKind::Array { elem: a, len: m, zeroterm: y },
                TyKind::Array { elem: b, len: n, zeroterm: z },
            ) => y == z && self.relate_int(m, n) && self.relate(a, b, mode, o),
            (TyKind::Vla(a), TyKind::Vla(b)) => self.relate(a, b, Mode::Eq, o),
            (TyKind::SizeofT(a), TyKind::SizeofT(b)) => self.relate(a, b, Mode::Eq, o),
            (TyKind::Func(a), TyKind::Func(b)) => {
                // What can be read and written has to fit both ways.
                self.relate_func(a, b, mode, o)
                    && (mode == Mode::Flow || self.relate_func(b, a, mode, o))
            }
            (TyKind::Adt(x, a), TyKind::Adt(y, b)) => x == y && self.relate_args(a, b, o),
            (TyKind::Variant(x, v, a), TyKind::Variant(y, w, b)) => {
                x == y && v == w && self.relate_args(a, b, o)
            }
            (TyKind::Tuple(a), TyKind::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.relate(a, b, mode, o))
            }
            (TyKind::Tag(a), TyKind::Tag(b)) => self.relate_int(a, b),
            (TyKind::RegionHandle(a), TyKind::RegionHandle(b)) => {
                self.graph.equal(a, b, o);
                true
            }
            (TyKind::AqualHandle(a), TyKind::AqualHandle(b)) => self.relate_aqual(a, b, Mode::Eq),
            (TyKind::Enum(id), TyKind::Int(int)) | (TyKind::Int(int), TyKind::Enum(id)) => {
                self.prog.tables.enums[id].underlying == int
            }
            _ => false,
        }
    }

    fn bind(&mut self, n: u32, ty: Ty) -> bool {
        let ty = self.deep(ty);
        if occurs(n, ty) {
            return false;
        }
        match self.vars.tys.get_mut(n as usize) {
            Some(var) => {
                var.value = Some(ty);
                true
            }
            None => false,
        }
    }

    pub fn relate_args(&mut self, a: &[GArg], b: &[GArg], o: Origin) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| match (*a, *b) {
                (GArg::Ty(a), GArg::Ty(b)) => self.relate(a, b, Mode::Eq, o),
                (GArg::Region(a), GArg::Region(b)) => {
                    self.graph.equal(a, b, o);
                    true
                }
                (GArg::Aqual(a), GArg::Aqual(b)) => self.relate_aqual(a, b, Mode::Eq),
                (GArg::Int(a), GArg::Int(b)) => self.relate_int(a, b),
                (GArg::Effect(a), GArg::Effect(b)) => self.relate_effect_args(a, b, o),
                _ => false,
            })
    }

    pub fn relate_int(&mut self, a: IntExpr, b: IntExpr) -> bool {
        let (a, b) = (self.int(a), self.int(b));
        match (a, b) {
            _ if a == b => true,
            (IntExpr::Infer(n), other) | (other, IntExpr::Infer(n)) => {
                self.vars.ints[n as usize] = Some(other);
                true
            }
            _ => false,
        }
    }

    /// `\T` takes any, where nothing flows back.
    pub fn relate_aqual(&mut self, a: Aqual, b: Aqual, mode: Mode) -> bool {
        let (a, b) = (self.aqual(a), self.aqual(b));
        match (a, b) {
            _ if a == b => true,
            (Aqual::Infer(n), other) | (other, Aqual::Infer(n)) => {
                self.vars.aquals[n as usize] = Some(other);
                true
            }
            (_, Aqual::Top) => mode == Mode::Flow,
            (Aqual::Erased, _) | (_, Aqual::Erased) => true,
            _ => false,
        }
    }

    fn relate_ptr(&mut self, a: &PtrTy, b: &PtrTy, mode: Mode, o: Origin) -> bool {
        let flow = mode == Mode::Flow;
        let null = a.nullable == b.nullable || (flow && !a.nullable);
        let quals = a.quals == b.quals
            || (flow
                && (b.quals.is_const || !a.quals.is_const)
                && (b.quals.is_volatile || !a.quals.is_volatile)
                && self.refine_flows(a, b));
        if !null || !quals || a.foreign != b.foreign || a.zeroterm != b.zeroterm {
            return false;
        }
        let bounds = match (a.bounds, b.bounds) {
            (Bounds::Fat, Bounds::Fat) => true,
            (Bounds::Thin(m), Bounds::Thin(n)) => match (self.int(m), self.int(n)) {
                (IntExpr::Const(m), IntExpr::Const(n)) if flow => n <= m,
                (m, n) => self.relate_int(m, n),
            },
            _ => false,
        };
        if !bounds || !self.relate_aqual(a.aqual, b.aqual, mode) {
            return false;
        }
        match mode {
            Mode::Flow => self.flow_region(a.region, b.region, b.aqual, o),
            Mode::Eq => self.graph.equal(a.region, b.region, o),
        }
        self.relate(a.elem, b.elem, self.inner_mode(b, mode), o)
    }

    /// What is written through `b` must satisfy what `a` asks; what is read, what `b` asks.
    pub fn refine_flows(&self, a: &PtrTy, b: &PtrTy) -> bool {
        let (have, want) = (a.quals.refine, b.quals.refine);
        have == want || (b.quals.is_const && self.prog.tables.implies(have, want))
    }

    /// What lies behind a pointer may only shorten its regions when it cannot be written.
    pub fn inner_mode(&self, to: &PtrTy, mode: Mode) -> Mode {
        if mode == Mode::Flow && (to.quals.is_const || to.elem.as_func().is_some()) {
            Mode::Flow
        } else {
            Mode::Eq
        }
    }

    fn relate_func(&mut self, a: &FuncTy, b: &FuncTy, mode: Mode, o: Origin) -> bool {
        if a.params.len() != b.params.len()
            || a.consumes != b.consumes
            || (b.noreturn && !a.noreturn)
            || (mode == Mode::Eq && a.noreturn != b.noreturn)
        {
            return false;
        }
        if !a.binder.is_empty() || !b.binder.is_empty() {
            let wanted: Vec<GArg> = b.binder.iter().map(|param| self.stand_in(param)).collect();
            let given: Vec<GArg> =
                a.binder.iter().map(|param| self.fresh_arg(param, o.span, None)).collect();
            let own = &a.binder;
            let (b, a) = (open_func(b, &wanted), open_func(a, &given));
            // The one at hand may ask of its regions only what the other promises.
            b.bounds.iter().for_each(|&bound| self.assume(bound));
            a.bounds.iter().for_each(|&bound| self.prove(bound, o));
            return self.relate_func_parts(&a, &b, o) && self.binder_fits(own, &given);
        }
        a.bounds.iter().for_each(|&bound| self.prove(bound, o));
        self.relate_func_parts(a, b, o)
    }

    fn relate_func_parts(&mut self, a: &FuncTy, b: &FuncTy, o: Origin) -> bool {
        let variadic = match (a.variadic, b.variadic) {
            (Variadic::Typed(a), Variadic::Typed(b))
            | (Variadic::Inject(a), Variadic::Inject(b)) => self.relate(b, a, Mode::Eq, o),
            (a, b) => a == b,
        };
        self.relate_effects(a, b, o);
        variadic
            && a.params.iter().zip(&b.params).all(|(&a, &b)| self.relate(b, a, Mode::Flow, o))
            && self.relate(a.ret, b.ret, Mode::Flow, o)
    }

    fn stand_in(&mut self, param: &GenericParam) -> GArg {
        match param.kind {
            Kind::Region => GArg::Region(self.graph.skolem()),
            Kind::Aqual => {
                let Region::Bound(level, n) = self.graph.skolem() else {
                    return GArg::Aqual(Aqual::Aliasable);
                };
                self.skolem_bounds.insert(n, param.bound);
                GArg::Aqual(Aqual::Bound(level, n))
            }
            Kind::Int => {
                let Region::Bound(level, n) = self.graph.skolem() else {
                    return GArg::Int(IntExpr::Unknown);
                };
                GArg::Int(IntExpr::Bound(level, n))
            }
            Kind::Effect => GArg::Effect(Box::leak(Box::new([self.graph.skolem()]))),
            Kind::Any | Kind::Word => {
                let Region::Bound(level, n) = self.graph.skolem() else {
                    return GArg::Ty(self.t.error);
                };
                self.skolem_bounds.insert(n, param.bound);
                GArg::Ty(Ty::new(TyKind::Bound(level, n)))
            }
        }
    }
}

/// Whether variable `n` stands in `ty` (which has its known variables replaced).
fn occurs(n: u32, ty: Ty) -> bool {
    struct Find(u32, bool);
    impl Folder for Find {
        fn touches(&self, flags: Flags) -> bool {
            flags.has(Flags::INFER) && !self.1
        }
        fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
            self.1 |= matches!(*ty.kind(), TyKind::Infer(m) if m == self.0);
            None
        }
    }
    let mut find = Find(n, false);
    find.ty(ty);
    find.1
}
