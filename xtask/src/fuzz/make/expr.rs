//! Random expressions.

use super::super::model::*;
use super::Gen;
use super::place::Use;

fn make(kind: Kind, ty: Ty) -> Expr {
    Expr { kind: Box::new(kind), ty }
}

impl Gen {
    /// A value for a place of the type; pointers live at `max` or further out.
    pub fn value(&mut self, ty: &Ty, depth: usize, max: u32) -> Expr {
        match ty {
            Ty::Int(_) => {
                if self.rng.chance(2) {
                    self.num(depth)
                } else {
                    self.int(depth)
                }
            }
            Ty::Float => self.num(depth),
            Ty::Struct(_) | Ty::Union(_) => self.aggregate(ty, depth),
            Ty::Array(..) => self.fresh(ty),
            Ty::Func(sig) => self.function_name(sig),
            _ => self.pointer_value(ty, depth, max),
        }
    }

    fn aggregate(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.rng.chance(50)
            && let Some(found) = self.place(&|t| t == ty, Use::Read, depth.min(1))
        {
            return self.read(found.place);
        }
        if depth > 0 && self.rng.chance(30) {
            if let Some(e) = self.call(&|t| t == ty, depth - 1) {
                return e;
            }
            let c = self.int(depth - 1);
            let (a, b) = (self.aggregate(ty, depth - 1), self.aggregate(ty, depth - 1));
            return make(Kind::Cond(c, a, b), ty.clone());
        }
        self.built(ty, depth)
    }

    /// A new value that reads no variables.
    pub fn fresh(&mut self, ty: &Ty) -> Expr {
        self.built(ty, 0)
    }

    fn built(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.nest += 1;
        let e = self.built_inner(ty, depth);
        self.nest -= 1;
        e
    }

    fn built_inner(&mut self, ty: &Ty, depth: usize) -> Expr {
        let inner = depth.saturating_sub(1);
        let kind = match ty {
            Ty::Struct(i) => {
                let fields = self.program.structs[*i].clone();
                Kind::Aggregate(fields.iter().map(|ty| self.part(ty, inner)).collect())
            }
            Ty::Array(elem, n) => {
                Kind::Aggregate((0..*n).map(|_| self.part(elem, inner)).collect())
            }
            Ty::Union(i) => {
                let members = self.program.unions[*i].clone();
                let m = self.rng.below(members.len());
                Kind::Member(m, self.part(&members[m], inner))
            }
            Ty::Int(_) => return self.int(depth),
            Ty::Float => return self.num(depth),
            Ty::Fat(elem) => {
                let n = 4 + self.rng.below(3);
                let array = Ty::Array(elem.clone(), n);
                Kind::New(self.built(&array, 0))
            }
            Ty::Thin(elem) if matches!(**elem, Ty::Struct(_)) && self.nest < 5 => {
                Kind::New(self.built(elem, 0))
            }
            Ty::Thin(elem) if elem.is_arith() => {
                let value = self.int_constant();
                Kind::New(make(Kind::Cast(value), (**elem).clone()))
            }
            Ty::Data(i) if self.nest < 5 && self.rng.chance(80) => {
                let variants = self.program.datas[*i].clone();
                let v = self.rng.below(variants.len());
                Kind::NewVariant(v, variants[v].iter().map(|ty| self.part(ty, inner)).collect())
            }
            Ty::Func(sig) => return self.function_name(sig),
            Ty::Str => return self.letters(),
            _ => Kind::Null,
        };
        make(kind, ty.clone())
    }

    fn part(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Array(..) => self.built(ty, depth),
            // A chain of new objects must end.
            Ty::Fat(_) | Ty::Thin(_) | Ty::Data(_) | Ty::Str
                if self.nest > 3 || self.rng.chance(8) =>
            {
                make(Kind::Null, ty.clone())
            }
            _ if depth == 0 => self.built(ty, 0),
            _ => self.value(ty, depth - 1, 0),
        }
    }

    fn pointer_value(&mut self, ty: &Ty, depth: usize, max: u32) -> Expr {
        for _ in 0..3 {
            if let Some(e) = self.try_pointer(ty, depth, max) {
                return e;
            }
        }
        self.built(ty, 0)
    }

    fn try_pointer(&mut self, ty: &Ty, depth: usize, max: u32) -> Option<Expr> {
        let under = depth.saturating_sub(1);
        match (self.rng.below(12), ty) {
            (0..5, Ty::Fat(elem)) => {
                let array = |t: &Ty| matches!(t, Ty::Array(of, _) if of == elem);
                let found = self.place(&array, Use::Address, under)?;
                (found.level <= max).then(|| make(Kind::Decay(found.place), ty.clone()))
            }
            (0..5, Ty::Thin(elem)) => {
                let found = self.place(&|t| *t == **elem, Use::Address, under)?;
                (found.level <= max).then(|| make(Kind::AddrOf(found.place), ty.clone()))
            }
            (0..5, Ty::Str) => {
                let letters = |t: &Ty| matches!(t, Ty::Array(e, _) if **e == Ty::Int(Int::Char));
                let found = self.place(&letters, Use::Address, under)?;
                // Only a whole variable has the hidden terminator.
                let whole = matches!(*found.place.kind, PlaceKind::Local(_) | PlaceKind::Global(_));
                (whole && found.level <= max).then(|| make(Kind::Decay(found.place), Ty::Str))
            }
            (5..8, _) => {
                let found = self.place(&|t| t == ty, Use::Read, under)?;
                (found.reach <= max).then(|| self.read(found.place))
            }
            (8, Ty::Fat(_) | Ty::Str) if depth > 0 => {
                let p = self.try_pointer(ty, under, max)?;
                if matches!(*p.kind, Kind::Null) {
                    return None;
                }
                let i = match self.rng.below(3) {
                    0 if *ty != Ty::Str => make(Kind::Int(-1), Ty::INT),
                    _ => self.fat_index(under),
                };
                Some(make(Kind::PtrAdd(p, i), ty.clone()))
            }
            (9, _) if depth > 0 => self.call(&|t| t == ty, under),
            (10, _) if depth > 0 => {
                let c = self.int(under);
                let a = self.pointer_value(ty, under, max);
                let b = self.pointer_value(ty, under, max);
                Some(make(Kind::Cond(c, a, b), ty.clone()))
            }
            (11, _) if self.rng.chance(12) => Some(make(Kind::Null, ty.clone())),
            _ => Some(self.built(ty, 0)),
        }
    }

    pub fn int_constant(&mut self) -> Expr {
        let int = match self.rng.below(12) {
            0..8 => Int::I32,
            8 => Int::U32,
            9 | 10 => Int::I64,
            _ => Int::U64,
        };
        let value = match self.rng.below(10) {
            0..6 => self.rng.below(20) as i128 - 4,
            6 => self.rng.below(70_000) as i128 - 35_000,
            7 => 1i128 << self.rng.below(int.bits() as usize),
            8 => (1i128 << (int.bits() - u32::from(int.signed()))) - 1,
            _ => i128::from(self.rng.next()),
        };
        make(Kind::Int(int.wrap(value)), Ty::Int(int))
    }

    /// An integer expression of any integer type.
    pub fn int(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.int_leaf();
        }
        let under = depth - 1;
        match self.rng.below(42) {
            40 | 41 => self.guarded().unwrap_or_else(|| self.int_leaf()),
            0..6 => self.int_leaf(),
            6..16 => self.int_binary(under),
            16..18 => self.compare(under),
            18 => self.pointer_compare(under),
            19 | 20 => {
                let op = [Un::Neg, Un::Not, Un::BitNot][self.rng.below(3)];
                let e = self.int(under);
                let ty = if op == Un::Not { Ty::INT } else { usual(&e.ty, &Ty::INT) };
                make(Kind::Un(op, e), ty)
            }
            21 | 22 => {
                let (a, b) = (self.int(under), self.int(under));
                let kind = if self.rng.chance(50) { Kind::And(a, b) } else { Kind::Or(a, b) };
                make(kind, Ty::INT)
            }
            23 | 24 => {
                let (c, a, b) = (self.int(under), self.int(under), self.int(under));
                let ty = usual(&a.ty, &b.ty);
                make(Kind::Cond(c, a, b), ty)
            }
            25..28 => {
                let e = if self.rng.chance(4) { self.num(under) } else { self.int(under) };
                make(Kind::Cast(e), Ty::Int(self.int_ty()))
            }
            28..31 => self.assignment(under, false),
            31 | 32 => self.op_assignment(under, false),
            33 | 34 => self.stepping(under, false),
            35 => {
                let (a, b) = (self.assignment(under, false), self.int(under));
                let ty = b.ty.clone();
                make(Kind::Comma(a, b), ty)
            }
            36 => self.about_pointers(),
            37 => self.byte(under).unwrap_or_else(|| self.int_leaf()),
            _ => {
                let called = self.call(&|ty| matches!(ty, Ty::Int(_)), under);
                called.unwrap_or_else(|| self.int_leaf())
            }
        }
    }

    fn int_leaf(&mut self) -> Expr {
        if self.rng.chance(70)
            && let Some(found) = self.place(&|ty| matches!(ty, Ty::Int(_)), Use::Read, 0)
        {
            return self.read(found.place);
        }
        self.int_constant()
    }

    /// Any number.
    pub fn num(&mut self, depth: usize) -> Expr {
        if self.rng.chance(30) {
            return self.int(depth);
        }
        if depth == 0 || self.rng.chance(40) {
            if let Some(found) = self.place(&|ty| *ty == Ty::Float, Use::Read, 0) {
                return self.read(found.place);
            }
            return make(Kind::Float(self.rng.below(256) as f64 / 16.0), Ty::Float);
        }
        match self.rng.below(6) {
            0 => self.assignment(depth - 1, true),
            1 => self.op_assignment(depth - 1, true),
            2 => self.stepping(depth - 1, true),
            _ => {
                let op = [Bin::Add, Bin::Sub, Bin::Mul, Bin::Div][self.rng.below(4)];
                let (a, b) = (self.num(depth - 1), self.num(depth - 1));
                match usual(&a.ty, &b.ty) {
                    Ty::Float => make(Kind::Bin(op, a, b), Ty::Float),
                    ty => make(Kind::Bin(Bin::Add, a, b), ty),
                }
            }
        }
    }

    fn int_binary(&mut self, depth: usize) -> Expr {
        use Bin::*;
        let op = [Add, Add, Sub, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr][self.rng.below(12)];
        let a = self.int(depth);
        let mut b = self.int(depth);
        match op {
            Div | Rem if self.rng.chance(90) => {
                let one = self.small_exact(1);
                let ty = usual(&b.ty, &Ty::INT);
                b = make(Kind::Bin(Or, b, one), ty);
            }
            Shl | Shr => {
                b = match self.rng.below(20) {
                    0 => self.masked(b, 63),
                    1..4 => self.small(31),
                    _ => self.masked(b, 15),
                };
            }
            _ => {}
        }
        let ty = match (op, &a.ty) {
            (Shl | Shr, Ty::Int(int)) => Ty::Int(int.promoted()),
            _ => usual(&a.ty, &b.ty),
        };
        make(Kind::Bin(op, a, b), ty)
    }

    fn compare(&mut self, depth: usize) -> Expr {
        use Bin::*;
        let op = [Eq, Ne, Lt, Le, Gt, Ge][self.rng.below(6)];
        let (a, b) = match self.rng.chance(20) {
            true => (self.num(depth), self.num(depth)),
            false => (self.int(depth), self.int(depth)),
        };
        make(Kind::Bin(op, a, b), Ty::INT)
    }

    fn pointer_compare(&mut self, depth: usize) -> Expr {
        let wanted = |ty: &Ty| matches!(ty, Ty::Fat(_) | Ty::Thin(_) | Ty::Str | Ty::Data(_));
        let Some(found) = self.place(&wanted, Use::Read, 0) else { return self.int_leaf() };
        let p = self.read(found.place);
        let ty = p.ty.clone();
        let op = if self.rng.chance(50) { Bin::Eq } else { Bin::Ne };
        let q = match self.place(&|t| *t == ty, Use::Read, depth) {
            Some(found) if self.rng.chance(60) => self.read(found.place),
            _ => make(Kind::Null, ty),
        };
        make(Kind::PtrCompare(op, p, q), Ty::INT)
    }

    fn about_pointers(&mut self) -> Expr {
        if self.rng.chance(30)
            && let Some(found) = self.place(&|ty| matches!(ty, Ty::Union(_)), Use::Read, 0)
            && let Ty::Union(i) = found.place.ty
        {
            let m = self.rng.below(self.program.unions[i].len());
            return make(Kind::TagCheck(found.place, m), Ty::INT);
        }
        let Some(found) = self.place(&|ty| matches!(ty, Ty::Fat(_)), Use::Read, 0) else {
            return self.int_leaf();
        };
        let p = self.read(found.place);
        if self.rng.chance(40) {
            let (i, ty) = (self.small(4), p.ty.clone());
            let moved = make(Kind::PtrAdd(p.clone(), i), ty);
            return make(Kind::PtrDiff(moved, p), Ty::Int(Int::I64));
        }
        make(Kind::NumElts(p), Ty::Int(Int::U64))
    }

    /// A byte of an integer array or block.
    fn byte(&mut self, depth: usize) -> Option<Expr> {
        let bytes = |ty: &Ty| match ty {
            Ty::Array(elem, _) | Ty::Fat(elem) => {
                matches!(**elem, Ty::Int(int) if int.bits() > 8)
            }
            _ => false,
        };
        let found = self.place(&bytes, Use::Address, 0)?;
        let fat = match found.place.ty.clone() {
            Ty::Array(elem, _) => make(Kind::Decay(found.place), Ty::Fat(elem)),
            _ => self.read(found.place),
        };
        let byte = Ty::Int(Int::U8);
        let view = make(Kind::Bytes(fat), Ty::Fat(Box::new(byte.clone())));
        let e = self.int(depth);
        let index = self.masked(e, 7);
        let place = Place { kind: Box::new(PlaceKind::At(view, index)), ty: byte.clone() };
        if self.rng.chance(40) {
            let value = self.int(depth);
            return Some(make(Kind::Assign(place, value), byte));
        }
        Some(self.read(place))
    }

    pub fn assignment(&mut self, depth: usize, float: bool) -> Expr {
        let wanted = |ty: &Ty| if float { *ty == Ty::Float } else { matches!(ty, Ty::Int(_)) };
        let Some(found) = self.place(&wanted, Use::Write, depth.min(1)) else {
            return self.int_leaf();
        };
        let value = self.value(&found.place.ty, depth, 0);
        let ty = found.place.ty.clone();
        make(Kind::Assign(found.place, value), ty)
    }

    pub fn op_assignment(&mut self, depth: usize, float: bool) -> Expr {
        use Bin::*;
        let wanted = |ty: &Ty| if float { *ty == Ty::Float } else { matches!(ty, Ty::Int(_)) };
        let Some(found) = self.place(&wanted, Use::Write, depth.min(1)) else {
            return self.int_leaf();
        };
        let ty = found.place.ty.clone();
        if float {
            let value = self.num(depth);
            let op = [Add, Sub, Mul][self.rng.below(3)];
            return make(Kind::OpAssign(op, found.place, value), ty);
        }
        let op = [Add, Sub, Mul, And, Or, Xor, Shl, Shr, Div, Rem][self.rng.below(10)];
        let mut value = self.int(depth);
        match op {
            Shl | Shr => value = self.masked(value, 7),
            Div | Rem if self.rng.chance(90) => {
                let one = self.small_exact(1);
                let wide = usual(&value.ty, &Ty::INT);
                value = make(Kind::Bin(Or, value, one), wide);
            }
            _ => {}
        }
        make(Kind::OpAssign(op, found.place, value), ty)
    }

    pub fn stepping(&mut self, depth: usize, float: bool) -> Expr {
        let wanted = |ty: &Ty| if float { *ty == Ty::Float } else { matches!(ty, Ty::Int(_)) };
        let Some(found) = self.place(&wanted, Use::Write, depth) else {
            return self.int_leaf();
        };
        let ty = found.place.ty.clone();
        let (up, post) = (self.rng.chance(50), self.rng.chance(50));
        make(Kind::Step { place: found.place, up, post }, ty)
    }

    fn function_name(&mut self, sig: &Sig) -> Expr {
        let fits = |f: &Func| f.params == sig.params && f.ret == sig.ret;
        let fitting: Vec<usize> =
            (0..self.func).filter(|&f| fits(&self.program.funcs[f])).collect();
        let ty = Ty::Func(Box::new(sig.clone()));
        match self.rng.pick(&fitting) {
            Some(&f) => make(Kind::Func(f), ty),
            None => make(Kind::Null, ty),
        }
    }

    /// A call of an earlier function, of this one again, or through a pointer.
    pub fn call(&mut self, wanted: &dyn Fn(&Ty) -> bool, depth: usize) -> Option<Expr> {
        if self.rng.chance(25) {
            let pointer = |ty: &Ty| matches!(ty, Ty::Func(sig) if wanted(&sig.ret));
            if let Some(found) = self.place(&pointer, Use::Read, 0)
                && let Ty::Func(sig) = found.place.ty.clone()
            {
                let callee = self.read(found.place);
                let args = self.arguments(&sig.params, depth, false);
                return Some(make(Kind::CallPtr(callee, args), sig.ret));
            }
        }
        let last = self.program.funcs.len();
        let fitting: Vec<usize> = (0..last.min(self.func + 1))
            .filter(|&f| wanted(&self.program.funcs[f].ret))
            .filter(|&f| f != self.func || !self.program.funcs[f].params.is_empty())
            .collect();
        let &f = self.rng.pick(&fitting)?;
        if f == self.func && self.loops > 0 {
            return None;
        }
        let func = self.program.funcs[f].clone();
        if func.params.is_empty() {
            return None;
        }
        let args = self.arguments(&func.params, depth, f == self.func);
        Some(make(Kind::Call(f, args), func.ret))
    }

    fn arguments(&mut self, params: &[Ty], depth: usize, recursive: bool) -> Vec<Expr> {
        let mut out = Vec::with_capacity(params.len());
        for (i, ty) in params.iter().enumerate() {
            out.push(match i {
                0 if recursive => {
                    let (d, one) = (self.read_var(0), self.small_exact(1));
                    make(Kind::Bin(Bin::Sub, d, one), Ty::INT)
                }
                0 => self.small(3),
                _ => self.value(ty, depth.min(2), self.level),
            });
        }
        out
    }
}
