//! Makes random programs with tracked pointers.
//!
//! The maker follows who owns what, as a programmer would, so that most programs are right.
//! In wild programs it now and then looks away: it takes any variable of the kind instead of
//! one that may be used. Those that the compiler accepts anyway must still behave.

use crate::fuzz::rng::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// `struct N *\U`
    Unique,
    /// `struct C *\RC`
    Counted,
    /// `int ?\U`
    Array,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Usable,
    Gone,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    kind: Kind,
    state: State,
    /// A parameter that is not consumed: it may be looked at, and its inside changed.
    lent: bool,
}

pub struct Maker {
    rng: Rng,
    seed: u64,
    wild: bool,
    lines: Vec<String>,
    depth: usize,
    vars: Vec<Var>,
    /// Variables before this one may not be given up here: the place is passed many times.
    fixed: usize,
    /// Variables that were given up at some time inside the innermost `try`.
    touched: Vec<String>,
    names: usize,
    /// Statements still to be made.
    budget: usize,
}

/// The text of the program of this number.
pub fn program(seed: u64, wild: bool) -> String {
    let mut maker = Maker {
        rng: Rng::new(seed),
        seed,
        wild,
        lines: Vec::new(),
        depth: 0,
        vars: Vec::new(),
        fixed: 0,
        touched: Vec::new(),
        names: 0,
        budget: 0,
    };
    maker.whole()
}

impl Maker {
    fn whole(&mut self) -> String {
        let seed = self.seed;
        self.line(format!("static struct N *\\U t{seed}_shelf;"));
        self.line(format!("static struct C *\\RC t{seed}_board;"));
        let helpers = self.rng.below(3);
        for n in 0..helpers {
            self.helper(n);
        }
        self.line(format!("static void t{seed}_run(void) {{"));
        let count = 14 + self.rng.below(16);
        self.body(count, helpers);
        self.line(format!("struct N *\\U last{seed} = NULL;"));
        self.line(format!("last{seed} :=: t{seed}_shelf;"));
        self.line(format!("drop(last{seed});"));
        self.line(format!("struct C *\\RC end{seed} = NULL;"));
        self.line(format!("end{seed} :=: t{seed}_board;"));
        self.line(format!("dropc(end{seed});"));
        self.close();
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    /// A function of its own: its first parameter is consumed, its second is not.
    fn helper(&mut self, n: usize) {
        let seed = self.seed;
        self.line(format!(
            "static struct N *\\U t{seed}_help{n}(struct N *\\U x, struct N *\\U y, int k) consume(1) {{"
        ));
        self.vars.push(Var {
            name: "x".into(),
            kind: Kind::Unique,
            state: State::Usable,
            lent: false,
        });
        self.vars.push(Var {
            name: "y".into(),
            kind: Kind::Unique,
            state: State::Usable,
            lent: true,
        });
        let count = 4 + self.rng.below(6);
        self.body(count, 0);
        // Everything else is freed by now; one value goes back.
        self.line("return mk(k);".into());
        self.close();
        self.vars.clear();
    }

    /// Statements, then everything freed that is still held.
    fn body(&mut self, count: usize, helpers: usize) {
        self.depth += 1;
        self.budget = count;
        while self.budget > 0 {
            self.budget -= 1;
            self.statement(helpers);
        }
        self.release_from(0);
        self.depth -= 1;
    }

    fn line(&mut self, text: String) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.depth)));
    }

    fn open(&mut self, text: String) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}".into());
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn number(&mut self) -> usize {
        self.rng.below(1000)
    }

    /// A variable of the kind that may be used; `give`: that may be given up.
    fn usable(&mut self, kind: Kind, give: bool) -> Option<usize> {
        self.choose(kind, |var, n, fixed| {
            var.state == State::Usable && !(give && (var.lent || n < fixed))
        })
    }

    /// A variable that may be given a value.
    fn empty(&mut self, kind: Kind) -> Option<usize> {
        self.choose(kind, |var, n, fixed| var.state == State::Gone && !var.lent && n >= fixed)
    }

    fn choose(&mut self, kind: Kind, fits: impl Fn(&Var, usize, usize) -> bool) -> Option<usize> {
        let blind = self.wild && self.rng.chance(12);
        let fixed = self.fixed;
        let list: Vec<usize> = (0..self.vars.len())
            .filter(|&n| self.vars[n].kind == kind && (blind || fits(&self.vars[n], n, fixed)))
            .collect();
        self.rng.pick(&list).copied()
    }

    fn gone(&mut self, n: usize) {
        self.vars[n].state = State::Gone;
        let name = self.vars[n].name.clone();
        self.touched.push(name);
    }

    fn show(&self, n: usize) -> String {
        self.vars[n].name.clone()
    }

    fn declare(&mut self, kind: Kind, state: State) -> usize {
        let letter = match kind {
            Kind::Unique => "u",
            Kind::Counted => "c",
            Kind::Array => "a",
        };
        let name = self.name(letter);
        self.vars.push(Var { name, kind, state, lent: false });
        self.vars.len() - 1
    }

    /// Frees what the variables from `from` on hold; rarely one is forgotten.
    fn release_from(&mut self, from: usize) {
        for n in (from..self.vars.len()).rev() {
            let var = self.vars[n].clone();
            if var.state == State::Usable && !var.lent && !self.rng.chance(3) {
                self.release(&var);
            }
        }
        self.vars.truncate(from);
    }

    fn release(&mut self, var: &Var) {
        let name = &var.name;
        match var.kind {
            Kind::Unique => self.line(format!("drop({name});")),
            Kind::Counted => self.line(format!("dropc({name});")),
            Kind::Array => self.line(format!("free({name});")),
        }
    }

    fn statement(&mut self, helpers: usize) {
        match self.rng.below(26) {
            0..=2 => self.make(),
            3 => self.make_counted(),
            4 => self.make_array(),
            5 => self.move_or_pass(),
            6..=7 => self.give_up(),
            8..=9 => self.look(),
            10 => self.hang(),
            11 => self.exchange(),
            12 => self.borrow(),
            13 => self.counted(),
            14 => self.branch(helpers),
            15 => self.repeat(helpers),
            16 => self.attempt(helpers),
            17 => self.arena(),
            18 => self.reap(),
            19 => self.dynamic(),
            20 => self.pair(),
            21 => self.pattern(),
            22 => self.call_helper(helpers),
            23 => self.detach(),
            24 => self.array_use(),
            _ => self.leave_early(),
        }
    }

    fn make(&mut self) {
        let id = self.number();
        if self.rng.chance(40)
            && let Some(n) = self.empty(Kind::Unique)
        {
            let name = self.show(n);
            self.vars[n].state = State::Usable;
            return self.line(format!("{name} = mk({id});"));
        }
        let n = self.declare(Kind::Unique, State::Usable);
        let name = self.show(n);
        let value = if self.rng.chance(15) { "NULL".into() } else { format!("mk({id})") };
        self.line(format!("struct N *\\U {name} = {value};"));
    }

    fn make_counted(&mut self) {
        let id = self.number();
        let n = self.declare(Kind::Counted, State::Usable);
        let name = self.show(n);
        self.line(format!("struct C *\\RC {name} = mkc({id});"));
    }

    fn make_array(&mut self) {
        let len = 1 + self.rng.below(6);
        let n = self.declare(Kind::Array, State::Usable);
        let name = self.show(n);
        self.line(format!("int ?\\U {name} = calloc({len}, sizeof(int));"));
    }

    fn array_use(&mut self) {
        let Some(n) = self.usable(Kind::Array, false) else { return };
        let (name, at, id) = (self.show(n), self.rng.below(6), self.number());
        self.line(format!("if ({at} < numelts({name})) {name}[{at}] += {id};"));
        self.line(format!("chk((unsigned long){name}[0]);"));
    }

    fn move_or_pass(&mut self) {
        let Some(from) = self.usable(Kind::Unique, true) else { return };
        let source = self.show(from);
        let value = match self.rng.below(4) {
            0 => source,
            1 => format!("hand({source})"),
            2 => format!("same({source})"),
            _ => format!("link(mk({}), {source})", self.number()),
        };
        self.gone(from);
        match self.empty(Kind::Unique).filter(|&to| to != from) {
            Some(to) if self.rng.chance(50) => {
                let target = self.show(to);
                self.vars[to].state = State::Usable;
                self.line(format!("{target} = {value};"));
            }
            _ => {
                let to = self.declare(Kind::Unique, State::Usable);
                let target = self.show(to);
                self.line(format!("struct N *\\U {target} = {value};"));
            }
        }
    }

    fn give_up(&mut self) {
        let kind = [Kind::Unique, Kind::Unique, Kind::Counted, Kind::Array][self.rng.below(4)];
        let Some(n) = self.usable(kind, true) else { return };
        let var = self.vars[n].clone();
        self.release(&var);
        self.gone(n);
    }

    fn look(&mut self) {
        if self.rng.chance(30)
            && let Some(n) = self.usable(Kind::Counted, false)
        {
            let name = self.show(n);
            return self.line(format!("lookc({name});"));
        }
        let Some(n) = self.usable(Kind::Unique, false) else { return };
        let name = self.show(n);
        match self.rng.below(4) {
            0 => self.line(format!("look({name});")),
            1 => self.line(format!("if ({name}) chk((unsigned long){name}->id);")),
            2 => self.line(format!("fix({name});")),
            _ => self
                .line(format!("if ({name} && {name}->next) chk((unsigned long){name}->next->id);")),
        }
    }

    /// One object hung below another; what was there is freed.
    fn hang(&mut self) {
        let (Some(under), Some(what)) =
            (self.usable(Kind::Unique, false), self.usable(Kind::Unique, true))
        else {
            return;
        };
        if under == what && !self.wild {
            return;
        }
        let (under_name, name) = (self.show(under), self.show(what));
        let field = ["next", "kid"][self.rng.below(2)];
        self.open(format!("if ({under_name}) {{"));
        let old = self.name("o");
        self.line(format!("struct N *\\U {old} = {under_name}->{field};"));
        self.line(format!("{under_name}->{field} = {name};"));
        self.line(format!("drop({old});"));
        self.depth -= 1;
        self.line(format!("}} else drop({name});"));
        self.gone(what);
    }

    /// What hangs below is taken off, and freed or kept.
    fn detach(&mut self) {
        let Some(n) = self.usable(Kind::Unique, false) else { return };
        let (name, part) = (self.show(n), self.name("o"));
        let field = ["next", "kid"][self.rng.below(2)];
        self.open(format!("if ({name}) {{"));
        if self.rng.chance(50) {
            self.line(format!("struct N *\\U {part} = NULL;"));
            self.line(format!("{part} :=: {name}->{field};"));
        } else {
            self.line(format!("struct N *\\U {part} = {name}->{field};"));
            self.line(format!("{name}->{field} = NULL;"));
        }
        self.line(format!("look({part});"));
        self.line(format!("drop({part});"));
        self.close();
    }

    fn exchange(&mut self) {
        let Some(a) = self.usable(Kind::Unique, false) else { return };
        if self.vars[a].lent {
            return;
        }
        let (name, seed) = (self.show(a), self.seed);
        if self.rng.chance(50) {
            return self.line(format!("{name} :=: t{seed}_shelf;"));
        }
        let Some(b) = self.usable(Kind::Unique, false) else { return };
        if (a == b || self.vars[b].lent) && !self.wild {
            return;
        }
        let other = self.show(b);
        self.line(format!("{name} :=: {other};"));
    }

    fn borrow(&mut self) {
        let Some(n) = self.usable(Kind::Unique, false) else { return };
        let (name, alias, region) = (self.show(n), self.name("b"), self.name("s"));
        self.open("{".into());
        self.line(format!("let alias<'{region}> struct N *'{region} {alias} = {name};"));
        self.line(format!("look({alias});"));
        if self.rng.chance(50) {
            let old = self.name("o");
            self.open(format!("if ({alias}) {{"));
            let id = self.number();
            self.line(format!("struct N *\\U {old} = mk({id});"));
            self.line(format!("{old} :=: {alias}->next;"));
            self.line(format!("drop({old});"));
            self.line(format!("struct N *'{region} {alias}x = {alias};"));
            self.line(format!("chk((unsigned long){alias}x->id);"));
            self.close();
        }
        if self.wild && self.rng.chance(25) {
            self.line(format!("drop({name});"));
            self.line(format!("look({alias});"));
        }
        self.close();
    }

    fn counted(&mut self) {
        let Some(n) = self.usable(Kind::Counted, false) else { return };
        let (name, seed) = (self.show(n), self.seed);
        match self.rng.below(5) {
            0 => {
                let to = self.declare(Kind::Counted, State::Usable);
                let other = self.show(to);
                self.line(format!("struct C *\\RC {other} = alias_refptr({name});"));
            }
            1 => self.line(format!("chk(refptr_count({name}));")),
            2 => self.line(format!("{name} :=: t{seed}_board;")),
            3 => {
                let Some(own) = self.usable(Kind::Unique, false) else { return };
                if self.vars[own].lent {
                    return;
                }
                let own = self.show(own);
                self.line(format!("if ({name}) {own} :=: {name}->own;"));
            }
            _ => {
                let old = self.name("o");
                let count = if self.rng.chance(80) {
                    "mkc(9)".to_owned()
                } else {
                    format!("alias_refptr({name})")
                };
                self.open(format!("if ({name}) {{"));
                self.line(format!("struct C *\\RC {old} = {count};"));
                self.line(format!("{old} :=: {name}->peer;"));
                self.line(format!("dropc({old});"));
                self.close();
            }
        }
    }

    fn condition(&mut self) -> String {
        format!("fz_sum % {} == 0", 2 + self.rng.below(4))
    }

    /// Statements in a block; its own variables are freed at its end.
    fn inner(&mut self, helpers: usize) {
        let from = self.vars.len();
        for _ in 0..1 + self.rng.below(3) {
            if self.budget == 0 || self.depth > 5 {
                break;
            }
            self.budget -= 1;
            self.statement(helpers);
        }
        self.release_from(from);
    }

    fn branch(&mut self, helpers: usize) {
        let cond = self.condition();
        self.open(format!("if ({cond}) {{"));
        let before = self.vars.clone();
        self.inner(helpers);
        let one = std::mem::replace(&mut self.vars, before);
        self.depth -= 1;
        self.open("} else {".into());
        self.inner(helpers);
        self.close();
        for (var, other) in self.vars.iter_mut().zip(&one) {
            if other.state == State::Gone {
                var.state = State::Gone;
            }
        }
    }

    fn repeat(&mut self, helpers: usize) {
        let (i, count) = (self.name("i"), 1 + self.rng.below(3));
        self.open(format!("for (int {i} = 0; {i} < {count}; {i}++) {{"));
        let fixed = std::mem::replace(&mut self.fixed, self.vars.len());
        self.inner(helpers);
        self.fixed = fixed;
        self.close();
    }

    fn attempt(&mut self, helpers: usize) {
        let touched = std::mem::take(&mut self.touched);
        let k = self.rng.below(5);
        self.open("try {".into());
        self.inner(helpers);
        self.line(format!("maybe({k});"));
        self.inner(helpers);
        self.depth -= 1;
        let given = std::mem::replace(&mut self.touched, touched);
        for var in &mut self.vars {
            if given.contains(&var.name) {
                var.state = State::Gone;
            }
        }
        self.open("} catch {".into());
        self.line("case &Fz(k): chk((unsigned long)k); break;".into());
        self.close();
        self.touched.extend(given);
    }

    fn arena(&mut self) {
        let (h, list, r) = (self.name("h"), self.name("l"), self.name("r"));
        let how = if self.rng.chance(50) { "region" } else { "reap" };
        self.open("{".into());
        self.line(format!("{how}<'{r}> {h};"));
        self.line(format!("struct R<'{r}> *'{r} {list} = NULL;"));
        let count = 1 + self.rng.below(9);
        self.line(format!(
            "for (int i = 0; i < {count}; i++) {list} = rnew({h}) (struct R<'{r}>){{ 0xa12e, i, {list} }};"
        ));
        self.line(format!("lookr({list});"));
        self.line(format!("chk(region_size({h}) > 0);"));
        self.close();
    }

    fn reap(&mut self) {
        let (h, r, q) = (self.name("h"), self.name("r"), self.name("q"));
        self.open("{".into());
        self.line(format!("reap<'{r}> {h};"));
        self.line(format!(
            "struct Q<'{r}> *\\U'{r} {q} = rnew({h}) (struct Q<'{r}>){{ 0xbeef, 1, NULL }};"
        ));
        let second = self.name("q");
        self.line(format!(
            "struct Q<'{r}> *\\U'{r} {second} = rnew({h}) (struct Q<'{r}>){{ 0xbeef, 2, {q} }};"
        ));
        self.line(format!("if ({second}->magic != 0xbeef) bad(\"reap\");"));
        self.line(format!("struct Q<'{r}> *\\U'{r} {second}n = {second}->next;"));
        self.line(format!("rfree({h}, {second});"));
        self.line(format!("if ({second}n) chk((unsigned long){second}n->id);"));
        if self.wild && self.rng.chance(25) {
            self.line(format!("rfree({h}, {q});"));
        }
        self.line(format!("if ({second}n) rfree({h}, {second}n);"));
        self.close();
    }

    fn dynamic(&mut self) {
        let (k, d, keep, h) = (self.name("k"), self.name("d"), self.name("p"), self.name("h"));
        self.open("{".into());
        self.line(format!("let NewDynamicRegion{{<'{d}> {k}}} = new_ukey();"));
        self.line(format!("struct R<'{d}> *'{d} {keep} = NULL;"));
        for n in 0..1 + self.rng.below(2) {
            self.open("{".into());
            self.line(format!("region<'{d}> {h} = open({k});"));
            self.line(format!("{keep} = rnew({h}) (struct R<'{d}>){{ 0xa12e, {n}, {keep} }};"));
            self.line(format!("lookr({keep});"));
            self.close();
        }
        if self.wild && self.rng.chance(25) {
            self.line(format!("lookr({keep});"));
        }
        self.line(format!("free_ukey({k});"));
        if self.wild && self.rng.chance(15) {
            self.line(format!("{{ region<'{d}> {h} = open({k}); lookr({keep}); }}"));
        }
        self.close();
    }

    fn pair(&mut self) {
        let (Some(a), Some(b)) = (self.usable(Kind::Unique, true), self.usable(Kind::Unique, true))
        else {
            return;
        };
        if a == b && !self.wild {
            return;
        }
        let (p, left, right) = (self.name("w"), self.show(a), self.show(b));
        self.line(format!("struct P {p} = {{ {left}, {right}, 4 }};"));
        self.gone(a);
        self.gone(b);
        match self.rng.below(3) {
            0 => {
                self.line(format!("look({p}.a);"));
                self.line(format!("drop({p}.a);"));
                self.line(format!("drop({p}.b);"));
            }
            1 => {
                let (x, y) = (
                    self.declare(Kind::Unique, State::Usable),
                    self.declare(Kind::Unique, State::Usable),
                );
                let (x, y) = (self.show(x), self.show(y));
                self.line(format!("let P{{.a = {x}, .b = {y}, ...}} = {p};"));
            }
            _ => {
                self.line(format!("{p}.a :=: {p}.b;"));
                self.line(format!("struct P {p}c = {p};"));
                self.line(format!("drop({p}c.b);"));
                self.line(format!("drop({p}c.a);"));
            }
        }
    }

    fn pattern(&mut self) {
        let Some(n) = self.usable(Kind::Unique, true) else { return };
        let (name, d) = (self.show(n), self.name("t"));
        self.line(format!("datatype D *\\U {d} = new Fork({name}, 3);"));
        self.gone(n);
        let part = self.name("o");
        self.open(format!("switch (*{d}) {{"));
        if self.rng.chance(50) {
            self.line(format!("case Fork({part}, k): look({part}); drop({part}); break;"));
            self.line("default: break;".into());
            self.close();
        } else {
            self.line(format!("case Fork({part}, k): look({part}); chk((unsigned long)k); break;"));
            self.line("default: break;".into());
            self.close();
            self.open(format!("switch (*{d}) {{"));
            self.line(format!("case Fork({part}, _): drop({part}); break;"));
            self.line("default: break;".into());
            self.close();
        }
        self.line(format!("free({d});"));
    }

    fn call_helper(&mut self, helpers: usize) {
        if helpers == 0 {
            return;
        }
        let (Some(a), Some(b)) =
            (self.usable(Kind::Unique, true), self.usable(Kind::Unique, false))
        else {
            return;
        };
        if a == b && !self.wild {
            return;
        }
        let (first, second) = (self.show(a), self.show(b));
        let (which, k, seed) = (self.rng.below(helpers), self.number(), self.seed);
        self.gone(a);
        let to = self.declare(Kind::Unique, State::Usable);
        let to = self.show(to);
        self.line(format!("struct N *\\U {to} = t{seed}_help{which}({first}, {second}, {k});"));
    }

    /// A way out in the middle, with everything freed on it.
    fn leave_early(&mut self) {
        if self.depth > 2 || self.vars.iter().any(|var| var.lent) {
            return;
        }
        let cond = self.condition();
        self.open(format!("if ({cond}) {{"));
        for var in self.vars.clone().iter().rev() {
            if var.state == State::Usable {
                self.release(var);
            }
        }
        self.line("return;".into());
        self.close();
    }
}
