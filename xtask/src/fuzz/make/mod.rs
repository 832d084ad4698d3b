//! Makes random well-typed programs.
//!
//! In: a seed. Out: a `Program` that terminates soon and, for all the generator knows, keeps
//! every rule of the language (a rare refusal by what the compiler can prove, such as a
//! division by a zero it sees, is expected; the runner counts it).
//! Invariants: functions call only functions before them, and themselves with a falling
//! depth; a pointer variable takes only what lives at least as long as its `reach` says.

mod expr;
mod place;
mod stmt;

use super::model::*;
use super::rng::Rng;

/// A variable in scope.
#[derive(Clone)]
struct Var {
    id: usize,
    ty: Ty,
    /// Depth of the block that declares it; its own address lives so long.
    level: u32,
    /// What it points to lives at this depth or further out; 0: the heap and globals.
    reach: u32,
    /// A loop counter or the recursion depth: only read.
    fixed: bool,
}

pub struct Gen {
    rng: Rng,
    program: Program,
    vars: Vec<Var>,
    next_var: usize,
    next_label: usize,
    /// Labels a `goto` may name.
    labels: Vec<usize>,
    level: u32,
    loops: u32,
    /// Whether `break` means a loop or switch of this function.
    may_break: bool,
    may_continue: bool,
    /// Number and type of the function in work.
    func: usize,
    ret: Ty,
    /// How deep in newly built values.
    nest: usize,
    /// How many statements may still be made.
    budget: usize,
}

/// Deepest block that pointers into it are followed for.
const FUNC_LEVEL: u32 = 1;

pub fn program(seed: u64) -> Program {
    let mut g = Gen {
        rng: Rng::new(seed),
        program: Program::default(),
        vars: Vec::new(),
        next_var: 0,
        next_label: 0,
        labels: Vec::new(),
        level: FUNC_LEVEL,
        loops: 0,
        may_break: false,
        may_continue: false,
        func: 0,
        ret: Ty::Void,
        nest: 0,
        budget: 0,
    };
    g.types();
    g.globals();
    let count = 1 + g.rng.below(5);
    for _ in 0..count {
        g.function();
    }
    g.hash();
    g.run();
    g.program
}

impl Gen {
    fn int_ty(&mut self) -> Int {
        // `int` and `long` are what most code is made of.
        match self.rng.below(10) {
            0..3 => Int::I32,
            3 => Int::I64,
            _ => Int::ALL[self.rng.below(Int::ALL.len())],
        }
    }

    fn scalar(&mut self) -> Ty {
        if self.rng.chance(12) { Ty::Float } else { Ty::Int(self.int_ty()) }
    }

    /// A type that may be an element: no arrays, no pointers.
    fn plain(&mut self) -> Ty {
        let structs = self.program.structs.len();
        if structs > 0 && self.rng.chance(25) {
            return Ty::Struct(self.rng.below(structs));
        }
        self.scalar()
    }

    fn pointer(&mut self) -> Ty {
        let datas = self.program.datas.len();
        match self.rng.below(10) {
            0..4 => Ty::Fat(Box::new(self.plain())),
            4 => Ty::Str,
            5..9 => match self.plain() {
                // A thin pointer to `char` is a string.
                Ty::Int(Int::Char) => Ty::Str,
                elem => Ty::Thin(Box::new(elem)),
            },
            _ if datas > 0 => Ty::Data(self.rng.below(datas)),
            _ => Ty::Str,
        }
    }

    /// A type of a variable or member.
    fn any_ty(&mut self, unions: usize) -> Ty {
        match self.rng.below(20) {
            0..8 => self.scalar(),
            8..11 => self.plain(),
            11..14 => {
                let mut ty = self.plain();
                let len = 1 + self.rng.below(6);
                ty = Ty::Array(Box::new(ty), len);
                if self.rng.chance(20) {
                    ty = Ty::Array(Box::new(ty), 1 + self.rng.below(3));
                }
                ty
            }
            14..16 if unions > 0 => Ty::Union(self.rng.below(unions)),
            _ => self.pointer(),
        }
    }

    fn types(&mut self) {
        for _ in 0..self.rng.below(2) {
            self.program.datas.push(Vec::new());
        }
        let count = self.rng.below(4);
        for i in 0..count {
            // Union i - 1 comes right before struct i.
            if i > 0 {
                self.union(i - 1);
            }
            let fields = (0..1 + self.rng.below(5)).map(|_| self.any_ty(i)).collect();
            self.program.structs.push(fields);
        }
        if count > 0 && self.rng.chance(50) {
            self.union(count - 1);
        }
        for i in 0..self.program.datas.len() {
            let variants = (0..1 + self.rng.below(4)).map(|_| {
                (0..self.rng.below(4))
                    .map(|_| match self.rng.below(6) {
                        0 => Ty::Data(i),
                        1 => self.pointer(),
                        2 => self.plain(),
                        _ => self.scalar(),
                    })
                    .collect()
            });
            let variants = variants.collect();
            self.program.datas[i] = variants;
        }
    }

    fn union(&mut self, unions: usize) {
        let members = (0..2 + self.rng.below(3))
            .map(|_| match self.rng.below(6) {
                0..2 => self.pointer(),
                2 => self.scalar(),
                _ => self.any_ty(unions),
            })
            .collect();
        self.program.unions.push(members);
    }

    fn globals(&mut self) {
        // What strings fall back to.
        let letters = Ty::Array(Box::new(Ty::Int(Int::Char)), 2 + self.rng.below(7));
        let init = self.constant(&letters);
        self.program.globals.push((letters, init));
        for _ in 0..2 + self.rng.below(5) {
            let unions = self.program.unions.len();
            let ty = self.any_ty(unions);
            let init = self.constant(&ty);
            self.program.globals.push((ty, init));
        }
    }

    /// A constant initialiser; pointers stay null where there is nothing yet to point at.
    fn constant(&mut self, ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Int(_) => return self.int_constant(),
            Ty::Float => Kind::Float(self.rng.below(1000) as f64 / 8.0 - 20.0),
            Ty::Struct(i) => {
                let fields = self.program.structs[*i].clone();
                Kind::Aggregate(fields.iter().map(|ty| self.constant(ty)).collect())
            }
            Ty::Array(elem, n) => Kind::Aggregate((0..*n).map(|_| self.constant(elem)).collect()),
            Ty::Union(i) => {
                let members = self.program.unions[*i].clone();
                let m = self.rng.below(members.len());
                Kind::Member(m, self.constant(&members[m]))
            }
            Ty::Str => return self.letters(),
            Ty::Thin(_) | Ty::Fat(_) => {
                if let Some(e) = self.constant_address(ty) {
                    return e;
                }
                Kind::Null
            }
            _ => Kind::Null,
        };
        Expr { kind: Box::new(kind), ty: ty.clone() }
    }

    /// The first global as a string.
    fn letters(&self) -> Expr {
        let ty = self.program.globals[0].0.clone();
        let place = Place { kind: Box::new(PlaceKind::Global(0)), ty };
        Expr { kind: Box::new(Kind::Decay(place)), ty: Ty::Str }
    }

    /// The address of an earlier global.
    fn constant_address(&mut self, ty: &Ty) -> Option<Expr> {
        let wanted = |global: &Ty| match (ty, global) {
            (Ty::Thin(elem), global) => **elem == *global,
            (Ty::Fat(elem), Ty::Array(of, _)) => elem == of,
            _ => false,
        };
        let fitting: Vec<usize> = (0..self.program.globals.len())
            .filter(|&g| wanted(&self.program.globals[g].0))
            .collect();
        let &g = self.rng.pick(&fitting)?;
        let place =
            Place { kind: Box::new(PlaceKind::Global(g)), ty: self.program.globals[g].0.clone() };
        let kind = match ty {
            Ty::Thin(_) => Kind::AddrOf(place),
            _ => Kind::Decay(place),
        };
        Some(Expr { kind: Box::new(kind), ty: ty.clone() })
    }

    fn enter(&mut self, ret: Ty, budget: usize) {
        self.vars.clear();
        self.next_var = 0;
        self.labels.clear();
        self.level = FUNC_LEVEL;
        self.loops = 0;
        self.may_break = false;
        self.may_continue = false;
        self.func = self.program.funcs.len();
        self.ret = ret;
        self.budget = budget;
    }

    fn function(&mut self) {
        let simple = self.rng.chance(35);
        let mut params = vec![Ty::INT];
        for _ in 0..self.rng.below(4) {
            params.push(match self.rng.below(6) {
                0..2 if !simple => self.pointer(),
                2 if !simple => self.plain(),
                _ if simple => Ty::INT,
                _ => self.scalar(),
            });
        }
        if simple {
            params.truncate(2);
        }
        let ret = match self.rng.below(8) {
            _ if simple => Ty::INT,
            0 => Ty::Void,
            1 => self.pointer(),
            2 => self.plain(),
            _ => self.scalar(),
        };
        self.enter(ret.clone(), 14);
        for (i, ty) in params.iter().enumerate() {
            // The first is the depth of the recursion.
            let reach = if ty.is_pointer() { FUNC_LEVEL } else { 0 };
            let reach = if matches!(ty, Ty::Data(_) | Ty::Func(_)) { FUNC_LEVEL } else { reach };
            self.vars.push(Var {
                id: i,
                ty: ty.clone(),
                level: FUNC_LEVEL + 1,
                reach,
                fixed: i == 0,
            });
        }
        self.next_var = params.len();
        self.program.funcs.push(Func { params, ret: ret.clone(), body: Vec::new() });
        let mut body = vec![self.depth_guard()];
        body.extend(self.block());
        let result = self.result();
        body.push(Stmt::Return(result));
        self.program.funcs[self.func].body = body;
    }

    /// `if (depth <= 0) return …;`
    fn depth_guard(&mut self) -> Stmt {
        let depth = self.read_var(0);
        let zero = Expr { kind: Box::new(Kind::Int(0)), ty: Ty::INT };
        let low = Expr { kind: Box::new(Kind::Bin(Bin::Le, depth, zero)), ty: Ty::INT };
        let vars = std::mem::take(&mut self.vars);
        let result = match self.ret.clone() {
            Ty::Void => None,
            ty => Some(self.fresh(&ty)),
        };
        self.vars = vars;
        Stmt::If(low, vec![Stmt::Return(result)], Vec::new())
    }

    fn result(&mut self) -> Option<Expr> {
        match self.ret.clone() {
            Ty::Void => None,
            ty => Some(self.value(&ty, 2, 0)),
        }
    }

    fn run(&mut self) {
        self.enter(Ty::Void, 30);
        self.program.funcs.push(Func { params: vec![], ret: Ty::Void, body: Vec::new() });
        let mut body = self.fill_globals();
        body.extend(self.block());
        body.push(Stmt::Return(None));
        self.program.funcs[self.func].body = body;
    }

    /// Gives most of the globals that are pointers, or hold some, something to point at.
    fn fill_globals(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        for g in 0..self.program.globals.len() {
            let ty = self.program.globals[g].0.clone();
            let place = Place { kind: Box::new(PlaceKind::Global(g)), ty: ty.clone() };
            if !ty.is_arith() && !self.rng.chance(8) {
                self.fill(place, &mut out);
            }
        }
        out
    }

    fn fill(&mut self, place: Place, out: &mut Vec<Stmt>) {
        let ty = place.ty.clone();
        if let Ty::Array(elem, n) = ty {
            for i in 0..n {
                let index = self.small_exact(i);
                let kind = Box::new(PlaceKind::Index(place.clone(), index));
                let place = Place { kind, ty: (*elem).clone() };
                if !place.ty.is_arith() {
                    self.fill(place, out);
                }
            }
            return;
        }
        let value = self.fresh(&ty);
        let kind = Box::new(Kind::Assign(place, value));
        out.push(Stmt::Expr(Expr { kind, ty }));
    }

    /// The function that puts all globals into the checksum.
    fn hash(&mut self) {
        self.enter(Ty::Void, 0);
        let mut body = Vec::new();
        for g in 0..self.program.globals.len() {
            let ty = self.program.globals[g].0.clone();
            let place = Place { kind: Box::new(PlaceKind::Global(g)), ty };
            self.hash_place(place, &mut body);
        }
        self.program.funcs.push(Func { params: vec![], ret: Ty::Void, body });
    }

    fn hash_place(&mut self, place: Place, out: &mut Vec<Stmt>) {
        match place.ty.clone() {
            ty if ty.is_arith() => {
                out.push(Stmt::Check(Expr { kind: Box::new(Kind::Read(place)), ty }));
            }
            Ty::Struct(i) => {
                for (f, ty) in self.program.structs[i].clone().into_iter().enumerate() {
                    let kind = Box::new(PlaceKind::Field(place.clone(), f));
                    self.hash_place(Place { kind, ty }, out);
                }
            }
            Ty::Union(i) => {
                for (f, ty) in self.program.unions[i].clone().into_iter().enumerate() {
                    let check = Kind::TagCheck(place.clone(), f);
                    let check = Expr { kind: Box::new(check), ty: Ty::INT };
                    let kind = Box::new(PlaceKind::Field(place.clone(), f));
                    let mut inner = Vec::new();
                    self.hash_place(Place { kind, ty }, &mut inner);
                    out.push(Stmt::Check(check.clone()));
                    if !inner.is_empty() {
                        out.push(Stmt::If(check, inner, Vec::new()));
                    }
                }
            }
            Ty::Array(elem, n) => {
                for i in 0..n {
                    let index = Expr { kind: Box::new(Kind::Int(i as i128)), ty: Ty::INT };
                    let kind = Box::new(PlaceKind::Index(place.clone(), index));
                    self.hash_place(Place { kind, ty: (*elem).clone() }, out);
                }
            }
            ty => {
                let null = Expr { kind: Box::new(Kind::Null), ty: ty.clone() };
                let read = Expr { kind: Box::new(Kind::Read(place)), ty };
                let kind = Box::new(Kind::PtrCompare(Bin::Eq, read, null));
                out.push(Stmt::Check(Expr { kind, ty: Ty::INT }));
            }
        }
    }
}
