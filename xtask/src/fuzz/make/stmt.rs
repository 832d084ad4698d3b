//! Random statements.

use super::super::model::*;
use super::place::Use;
use super::{Gen, Var};

fn make(kind: Kind, ty: Ty) -> Expr {
    Expr { kind: Box::new(kind), ty }
}

impl Gen {
    fn new_var(&mut self, ty: Ty, reach: u32, fixed: bool) -> usize {
        let id = self.next_var;
        self.next_var += 1;
        self.vars.push(Var { id, ty, level: self.level, reach, fixed });
        id
    }

    /// The statements of a block, with its own variables; at its end they are looked at.
    pub fn block(&mut self) -> Vec<Stmt> {
        let mark = self.vars.len();
        self.level += 1;
        let mut out = Vec::new();
        for _ in 0..2 + self.rng.below(5) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let leaves = self.statement(&mut out);
            if leaves {
                self.level -= 1;
                self.vars.truncate(mark);
                return out;
            }
        }
        let own: Vec<Var> = self.vars[mark..].to_vec();
        for var in own {
            if var.ty.is_arith() {
                let e = self.read_var(var.id);
                out.push(Stmt::Check(e));
            }
        }
        self.level -= 1;
        self.vars.truncate(mark);
        out
    }

    /// One statement; whether control never gets behind it.
    fn statement(&mut self, out: &mut Vec<Stmt>) -> bool {
        let nested = self.level < 6;
        match self.rng.below(36) {
            0..9 => self.declaration(out),
            9..15 => self.store(out),
            15..18 => {
                let e = self.num(3);
                out.push(Stmt::Check(e));
            }
            18..21 if nested => {
                let c = self.int(2);
                let yes = self.block();
                let no = if self.rng.chance(40) { self.block() } else { Vec::new() };
                out.push(Stmt::If(c, yes, no));
            }
            21..24 if nested => self.a_loop(out),
            24..26 if nested => self.switch(out),
            26..28 if nested => self.matching(out),
            28..30 if nested => self.attempt(out),
            30 if nested => self.labelled(out),
            31 => return self.jump(out),
            32 => {
                if let Some(e) = self.call(&|_| true, 2) {
                    out.push(Stmt::Expr(e));
                }
            }
            33 => self.pointer_step(out),
            _ => {
                let e = match self.rng.below(3) {
                    0 => self.stepping(1, false),
                    1 => self.op_assignment(2, false),
                    _ => self.assignment(3, false),
                };
                out.push(Stmt::Expr(e));
            }
        }
        false
    }

    fn declaration(&mut self, out: &mut Vec<Stmt>) {
        let unions = self.program.unions.len();
        let mut ty = self.any_ty(unions);
        if self.rng.chance(8) && self.func > 0 {
            let f = &self.program.funcs[self.rng.below(self.func)];
            let simple = |ty: &Ty| ty.is_arith() || matches!(ty, Ty::Struct(_) | Ty::Void);
            if !f.params.is_empty() && f.params.iter().chain([&f.ret]).all(simple) {
                ty = Ty::Func(Box::new(Sig { params: f.params.clone(), ret: f.ret.clone() }));
            }
        }
        let heap = matches!(ty, Ty::Func(_)) || self.rng.chance(35);
        let reach = if ty.is_pointer() && !heap { self.level } else { 0 };
        let init = self.value(&ty, 2, reach);
        let id = self.new_var(ty.clone(), reach, false);
        out.push(Stmt::Let(id, ty, init));
    }

    /// A store into any place.
    fn store(&mut self, out: &mut Vec<Stmt>) {
        let wanted = |ty: &Ty| !matches!(ty, Ty::Array(..) | Ty::Func(_));
        let Some(found) = self.place(&wanted, Use::Write, 2) else { return };
        let value = self.value(&found.place.ty, 3, found.reach);
        let ty = found.place.ty.clone();
        out.push(Stmt::Expr(make(Kind::Assign(found.place, value), ty)));
    }

    /// `p++`, `p -= 1` and the like.
    fn pointer_step(&mut self, out: &mut Vec<Stmt>) {
        let Some(found) = self.place(&|ty| matches!(ty, Ty::Fat(_) | Ty::Str), Use::Write, 1)
        else {
            return;
        };
        let ty = found.place.ty.clone();
        let string = ty == Ty::Str;
        let kind = if self.rng.chance(60) {
            let (up, post) = (string || self.rng.chance(60), self.rng.chance(50));
            Kind::Step { place: found.place, up, post }
        } else {
            let op = if string || self.rng.chance(50) { Bin::Add } else { Bin::Sub };
            let by = self.fat_index(1);
            Kind::OpAssign(op, found.place, by)
        };
        out.push(Stmt::Expr(make(kind, ty)));
    }

    fn a_loop(&mut self, out: &mut Vec<Stmt>) {
        let form = [Loop::For, Loop::For, Loop::While, Loop::Do, Loop::Goto][self.rng.below(5)];
        let times = 1 + self.rng.below(if self.loops > 0 { 3 } else { 8 });
        let mark = self.vars.len();
        let var = self.new_var(Ty::INT, 0, true);
        let (breaks, continues) = (self.may_break, self.may_continue);
        if form != Loop::Goto {
            self.may_break = true;
            self.may_continue = true;
        }
        self.loops += 1;
        let label = self.label();
        let body = self.block();
        self.loops -= 1;
        self.may_break = breaks;
        self.may_continue = continues;
        self.vars.truncate(mark);
        let a_loop = Stmt::Loop { form, var, times, label, body };
        out.push(Stmt::Block(vec![a_loop]));
    }

    fn label(&mut self) -> usize {
        self.next_label += 1;
        self.next_label
    }

    fn switch(&mut self, out: &mut Vec<Stmt>) {
        let e = self.int(2);
        let e = self.masked(e, 7);
        let breaks = std::mem::replace(&mut self.may_break, true);
        let mut values: Vec<i128> = (0..8).collect();
        let mut cases = Vec::new();
        let count = 1 + self.rng.below(4);
        let default = self.rng.below(count + 1);
        for i in 0..count {
            let mut own = Vec::new();
            if i != default {
                for _ in 0..1 + self.rng.below(2) {
                    let at = self.rng.below(values.len());
                    own.push(values.remove(at));
                }
            }
            let body = self.block();
            let ends = i + 1 == count || self.rng.chance(65);
            cases.push(Case { values: own, body, ends });
        }
        self.may_break = breaks;
        out.push(Stmt::Switch(e, cases));
    }

    fn matching(&mut self, out: &mut Vec<Stmt>) {
        if self.program.datas.is_empty() {
            return;
        }
        let ty = Ty::Data(self.rng.below(self.program.datas.len()));
        let Ty::Data(data) = ty else { return };
        let e = self.value(&ty, 2, self.level);
        let breaks = std::mem::replace(&mut self.may_break, true);
        let mut arms = Vec::new();
        for args in self.program.datas[data].clone() {
            let mark = self.vars.len();
            self.level += 1;
            let vars = args.into_iter().map(|ty| self.new_var(ty, 0, false)).collect();
            let body = self.block();
            self.level -= 1;
            self.vars.truncate(mark);
            arms.push((vars, body));
        }
        let null = self.block();
        self.may_break = breaks;
        out.push(Stmt::Match(e, arms, null));
    }

    fn attempt(&mut self, out: &mut Vec<Stmt>) {
        let mut body = self.block();
        if self.rng.chance(40) {
            self.throw(&mut body);
        }
        let mut kinds = vec![Catch::User(0), Catch::User(1), Catch::User(2)];
        kinds.extend([Catch::Null, Catch::Bounds, Catch::Match, Catch::Arith]);
        let breaks = std::mem::replace(&mut self.may_break, false);
        let mut handlers = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let what = kinds.remove(self.rng.below(kinds.len()));
            handlers.push(self.handler(what));
        }
        if self.rng.chance(60) {
            handlers.push(self.handler(Catch::Default));
        }
        self.may_break = breaks;
        out.push(Stmt::Try(body, handlers));
    }

    fn handler(&mut self, what: Catch) -> Handler {
        let mark = self.vars.len();
        self.level += 1;
        let vars = match what {
            Catch::User(which) => {
                exn_args(which).into_iter().map(|ty| self.new_var(ty, 0, false)).collect()
            }
            _ => Vec::new(),
        };
        let body = self.block();
        self.level -= 1;
        self.vars.truncate(mark);
        Handler { what, vars, body }
    }

    fn throw(&mut self, out: &mut Vec<Stmt>) {
        let which = self.rng.below(EXNS);
        let args = exn_args(which).iter().map(|ty| self.value(ty, 1, 0)).collect();
        out.push(Stmt::Throw(which, args));
    }

    fn labelled(&mut self, out: &mut Vec<Stmt>) {
        let label = self.label();
        self.labels.push(label);
        let body = self.block();
        self.labels.pop();
        out.push(Stmt::Labelled(body, label));
    }

    /// Something that leaves the block.
    fn jump(&mut self, out: &mut Vec<Stmt>) -> bool {
        match self.rng.below(6) {
            0 | 1 if self.may_break => out.push(Stmt::Break),
            2 if self.may_continue => out.push(Stmt::Continue),
            3 if !self.labels.is_empty() => {
                let label = self.labels[self.rng.below(self.labels.len())];
                out.push(Stmt::Goto(label));
            }
            4 if self.level > 3 => self.throw(out),
            5 if self.level > 3 => {
                let result = match self.ret.clone() {
                    Ty::Void => None,
                    ty => Some(self.value(&ty, 2, 0)),
                };
                out.push(Stmt::Return(result));
            }
            _ => return false,
        }
        true
    }
}
