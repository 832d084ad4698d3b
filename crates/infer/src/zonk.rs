//! The last walk: variables of inference replaced by what was found.

use crate::cx::{Fx, Vars};
use toft_base::FxHashMap;
use toft_tir::*;
use toft_ty::{Aqual, Flags, Folder, GArg, IntExpr, Region, Ty, TyKind};

pub struct Zonk {
    regions: Vec<Region>,
    vars: Vars,
    cache: FxHashMap<Ty, Ty>,
}

impl Zonk {
    pub fn new(fx: &mut Fx<'_>, regions: Vec<Region>) -> Zonk {
        Zonk { regions, vars: std::mem::take(&mut fx.vars), cache: FxHashMap::default() }
    }

    /// Whether there is anything to replace.
    pub fn idle(&self) -> bool {
        self.regions.is_empty()
            && self.vars.tys.is_empty()
            && self.vars.ints.is_empty()
            && self.vars.aquals.is_empty()
    }

    pub fn fix(&mut self, ty: &mut Ty) {
        if !ty.flags().has(Flags::INFER) {
            return;
        }
        if let Some(&known) = self.cache.get(ty) {
            *ty = known;
            return;
        }
        let new = Folder::ty(self, *ty);
        self.cache.insert(*ty, new);
        *ty = new;
    }

    fn args(&mut self, args: &mut [GArg]) {
        for arg in args {
            *arg = self.garg(*arg);
        }
    }

    pub fn func(&mut self, func: &mut Func) {
        for local in &mut func.locals.raw {
            self.fix(&mut local.ty);
        }
        for cond in func.requires.iter_mut().chain(&mut func.ensures) {
            self.expr(&mut cond.cond);
        }
        self.block(&mut func.root);
    }

    fn block(&mut self, block: &mut Block) {
        block.stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        use StmtKind::*;
        match &mut stmt.kind {
            Empty | Goto(_) | Break(_) | Continue(_) | Fallthru | Return(None) => {}
            FallthruWith(values) => values.iter_mut().for_each(|(_, e)| self.expr(e)),
            Expr(e) | Return(Some(e)) => self.expr(e),
            Local(_, init) => match init {
                LocalInit::None => {}
                LocalInit::Value(e) | LocalInit::Vla(e) => self.expr(e),
                LocalInit::Rows(dims) => dims.iter_mut().for_each(|(_, e)| self.expr(e)),
            },
            Block(block) => self.block(block),
            If(cond, yes, no) => {
                self.expr(cond);
                self.stmt(yes);
                no.iter_mut().for_each(|no| self.stmt(no));
            }
            While(_, cond, body) | DoWhile(_, body, cond) | Switch(_, cond, body) => {
                self.expr(cond);
                self.stmt(body);
            }
            For(all) => {
                all.init.iter_mut().for_each(|stmt| self.stmt(stmt));
                all.cond.iter_mut().for_each(|e| self.expr(e));
                all.step.iter_mut().for_each(|e| self.expr(e));
                self.stmt(&mut all.body);
            }
            Case(_, _, body) | Default(body) | Label(_, body) => self.stmt(body),
            Match(all) => {
                match &mut all.scrutinee {
                    Scrutinee::Place(place) => self.place(place),
                    Scrutinee::Value(_, e) => self.expr(e),
                }
                all.arms.iter_mut().for_each(|arm| self.arm(arm));
            }
            Let(pat, e) => {
                self.pat(pat);
                self.expr(e);
            }
            Region { open, rest, .. } => {
                open.iter_mut().for_each(|e| self.expr(e));
                rest.iter_mut().for_each(|stmt| self.stmt(stmt));
            }
            Pinned { init, rest, .. } => {
                self.expr(init);
                rest.iter_mut().for_each(|stmt| self.stmt(stmt));
            }
            Try { body, arms, .. } => {
                self.stmt(body);
                arms.iter_mut().for_each(|arm| self.arm(arm));
            }
        }
    }

    fn arm(&mut self, arm: &mut Arm) {
        arm.pats.iter_mut().for_each(|pat| self.pat(pat));
        arm.guard.iter_mut().for_each(|e| self.expr(e));
        self.block(&mut arm.body);
    }

    fn pat(&mut self, pat: &mut Pat) {
        self.fix(&mut pat.ty);
        match &mut pat.kind {
            PatKind::Wild
            | PatKind::Var(_)
            | PatKind::Ref(_)
            | PatKind::Null
            | PatKind::Int(..)
            | PatKind::Float(_) => {}
            PatKind::As(_, inner) | PatKind::Deref(inner) | PatKind::Member { pat: inner, .. } => {
                self.pat(inner)
            }
            PatKind::Fields(fields) | PatKind::Variant { fields, .. } => {
                fields.iter_mut().for_each(|(_, pat)| self.pat(pat));
            }
        }
    }

    pub fn place(&mut self, place: &mut Place) {
        self.fix(&mut place.ty);
        match &mut place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => {}
            PlaceKind::Deref(e) | PlaceKind::Temp(e, _) => self.expr(e),
            PlaceKind::PtrIndex(p, i) => {
                self.expr(p);
                self.expr(i);
            }
            PlaceKind::ArrayIndex(base, i) => {
                self.place(base);
                self.expr(i);
            }
            PlaceKind::Field(base, _) => self.place(base),
        }
    }

    pub fn expr(&mut self, e: &mut Expr) {
        use ExprKind::*;
        self.fix(&mut e.ty);
        match &mut e.kind {
            Int(_) | Float(_) | Null | Str { .. } | Valueof(..) => {}
            FuncAddr(_, args) => self.args(args),
            Load(place)
            | AddrOf(place)
            | Decay(place)
            | IncDec { place, .. }
            | Tagcheck(place, _) => self.place(place),
            Neg(a)
            | BitNot(a)
            | Not(a)
            | Throw(a)
            | Numelts(a)
            | Assert { cond: a, .. }
            | Borrow { of: a, .. }
            | BorrowEnd { value: a, .. }
            | Conv(_, a) => self.expr(a),
            Binary(_, a, b)
            | Compare(_, a, b)
            | PtrAdd(a, b)
            | PtrDiff(a, b)
            | And(a, b)
            | Or(a, b)
            | Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Cond(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            AssignOp { place, rhs, work, .. } => {
                self.place(place);
                self.expr(rhs);
                self.fix(work);
            }
            RowAt { at, .. } => at.iter_mut().for_each(|e| self.expr(e)),
            Row { array, start, .. } => {
                self.place(array);
                self.expr(start);
            }
            Swap(a, b) => {
                self.place(a);
                self.place(b);
            }
            Call(call) => {
                match &mut call.callee {
                    Callee::Func(_, args) | Callee::Builtin(_, args) => self.args(args),
                    Callee::Ptr(e) => self.expr(e),
                }
                call.args.iter_mut().for_each(|e| self.expr(e));
                match &mut call.varargs {
                    Varargs::None => {}
                    Varargs::C(list) => list.iter_mut().for_each(|e| self.expr(e)),
                    Varargs::Typed(list, ty) => {
                        self.fix(ty);
                        list.iter_mut().for_each(|e| self.expr(e));
                    }
                }
            }
            Aggregate(made) => made.fields.iter_mut().for_each(|(_, e)| self.expr(e)),
            Comprehension { count, body, .. } => {
                self.expr(count);
                self.expr(body);
            }
            New(new) => {
                self.fix(&mut new.elem);
                new.count.iter_mut().for_each(|e| self.expr(e));
                match &mut new.init {
                    NewInit::Zero => {}
                    NewInit::Value(e) | NewInit::Array(e) | NewInit::Each { body: e, .. } => {
                        self.expr(e)
                    }
                }
                new.region.iter_mut().for_each(|e| self.expr(e));
                new.qual.iter_mut().for_each(|e| self.expr(e));
            }
            StmtExpr { block, value } => {
                self.block(block);
                value.iter_mut().for_each(|e| self.expr(e));
            }
            Sizeof(ty) | Alignof(ty) => self.fix(ty),
            VaArg(place, ty) => {
                self.place(place);
                self.fix(ty);
            }
        }
    }
}

impl Folder for Zonk {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::INFER)
    }
    fn region(&mut self, region: Region, _: u16) -> Region {
        match region {
            Region::Infer(n) => self.regions.get(n as usize).copied().unwrap_or(Region::Heap),
            Region::Hole => Region::Heap,
            known => known,
        }
    }
    fn aqual(&mut self, mut aqual: Aqual, _: u16) -> Aqual {
        while let Aqual::Infer(n) = aqual {
            aqual = self.vars.aquals.get(n as usize).copied().flatten().unwrap_or(Aqual::Aliasable);
        }
        aqual
    }
    fn int(&mut self, mut int: IntExpr, _: u16) -> IntExpr {
        while let IntExpr::Infer(n) = int {
            int = self.vars.ints.get(n as usize).copied().flatten().unwrap_or(IntExpr::Unknown);
        }
        int
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Infer(n) => {
                let value = self.vars.tys.get(n as usize).and_then(|var| var.value);
                Some(match value {
                    Some(value) => Folder::ty(self, value),
                    None => Ty::error(),
                })
            }
            _ => None,
        }
    }
}
