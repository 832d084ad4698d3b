//! TIR as text, for `toft build --emit=tir`.
//!
//! Deterministic: ids in order, no addresses. Each conversion is shown with the type it
//! gives; spans are left out.

use crate::*;
use std::fmt::Write;
use toft_base::Symbol;
use toft_hir::Program;
use toft_ty::print::{self, Names};
use toft_ty::{GArg, RegionId, Ty};

/// One function.
pub fn func(program: &Program, func: &Func) -> String {
    let mut p = Printer { program, func: Some(func), out: String::new(), level: 1 };
    let params: Vec<String> = (0..func.params)
        .map(|n| {
            let local = &func.locals.raw[n];
            format!("{} {}", p.ty(local.ty), p.local(LocalId(n as u32)))
        })
        .collect();
    let ret = p.ty(func.ret);
    let _ = writeln!(p.out, "fn {}({}) -> {ret} {{", func.name, params.join(", "));
    for (id, local) in func.locals.iter_enumerated().skip(func.params) {
        let text = p.ty(local.ty);
        let name = p.local(id);
        let quals = if local.quals.is_const { "const " } else { "" };
        let _ = writeln!(p.out, "    local {name}: {quals}{text} in {}", local.region);
    }
    for (word, list) in [("requires", &func.requires), ("ensures", &func.ensures)] {
        for cond in list {
            let text = p.expr(&cond.cond);
            let _ = writeln!(p.out, "    {word} {text}");
        }
    }
    p.block(&func.root);
    p.out.push_str("}\n");
    p.out
}

/// A global initialiser.
pub fn init(program: &Program, name: Symbol, value: &Expr) -> String {
    let p = Printer { program, func: None, out: String::new(), level: 0 };
    format!("global {name} = {}\n", p.expr(value))
}

struct Printer<'a> {
    program: &'a Program,
    func: Option<&'a Func>,
    out: String,
    level: usize,
}

impl Printer<'_> {
    fn ty(&self, ty: Ty) -> String {
        let generics = self.func.map_or(&[][..], |func| func.generics.as_slice());
        let regions = |id: RegionId| match self.func.and_then(|func| func.regions.get(id)) {
            Some(decl) => decl.name.or_else(|| Some(Symbol::intern(&format!("b{}", id.0)))),
            None => None,
        };
        print::ty_to_string(
            &Names { tables: &self.program.tables, generics, regions: &regions },
            ty,
        )
    }

    fn local(&self, id: LocalId) -> String {
        match self.func.and_then(|func| func.locals.get(id)).and_then(|local| local.name) {
            Some(name) => format!("{name}{id}"),
            None => id.to_string(),
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.level {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, block: &Block) {
        self.stmts(&block.stmts);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn inner(&mut self, f: impl FnOnce(&mut Self)) {
        self.level += 1;
        f(self);
        self.level -= 1;
    }

    fn scope(&mut self, head: &str, f: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.inner(f);
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        use StmtKind::*;
        match &stmt.kind {
            Empty => self.line(";"),
            Expr(e) => {
                let text = self.expr(e);
                self.line(&format!("{text};"));
            }
            Local(id, init) => {
                let name = self.local(*id);
                let text = match init {
                    LocalInit::None => format!("let {name};"),
                    LocalInit::Value(e) => format!("let {name} = {};", self.expr(e)),
                    LocalInit::Vla(n) => format!("let {name}[{}];", self.expr(n)),
                    LocalInit::Rows(dims) => {
                        let dims: String =
                            dims.iter().map(|(_, n)| format!("[{}]", self.expr(n))).collect();
                        format!("let {name}{dims};")
                    }
                };
                self.line(&text);
            }
            Block(block) => self.scope(&region_head("block", block.region), |p| p.block(block)),
            If(cond, yes, no) => {
                let head = format!("if {}", self.expr(cond));
                self.scope(&head, |p| p.stmt(yes));
                if let Some(no) = no {
                    self.scope("else", |p| p.stmt(no));
                }
            }
            While(jump, cond, body) => {
                let head = format!("{jump}: while {}", self.expr(cond));
                self.scope(&head, |p| p.stmt(body));
            }
            DoWhile(jump, body, cond) => {
                let cond = self.expr(cond);
                self.scope(&format!("{jump}: do"), |p| p.stmt(body));
                self.line(&format!("while {cond};"));
            }
            For(all) => self.for_loop(all),
            Switch(jump, value, body) => {
                let head = format!("{jump}: switch {}", self.expr(value));
                self.scope(&head, |p| p.stmt(body));
            }
            Case(lo, hi, body) => {
                self.line(&if lo == hi {
                    format!("case {lo}:")
                } else {
                    format!("case {lo} ... {hi}:")
                });
                self.stmt(body);
            }
            Default(body) => {
                self.line("default:");
                self.stmt(body);
            }
            Match(all) => {
                let value = match &all.scrutinee {
                    Scrutinee::Place(place) => self.place(place),
                    Scrutinee::Value(id, e) => format!("{} = {}", self.local(*id), self.expr(e)),
                };
                let partial = if all.partial { " partial" } else { "" };
                self.scope(&format!("{}: match{partial} {value}", all.jump), |p| p.arms(&all.arms));
            }
            Label(id, body) => {
                self.line(&format!("{id}:"));
                self.stmt(body);
            }
            Goto(id) => self.line(&format!("goto {id};")),
            Break(jump) => self.line(&format!("break {jump};")),
            Continue(jump) => self.line(&format!("continue {jump};")),
            Return(None) => self.line("return;"),
            Return(Some(e)) => {
                let text = self.expr(e);
                self.line(&format!("return {text};"));
            }
            Fallthru => self.line("fallthru;"),
            FallthruWith(values) => {
                let values: Vec<String> = values
                    .iter()
                    .map(|(id, e)| format!("{} = {}", self.local(*id), self.expr(e)))
                    .collect();
                self.line(&format!("fallthru({});", values.join(", ")));
            }
            Let(pat, e) => {
                let text = format!("let {} = {};", self.pat(pat), self.expr(e));
                self.line(&text);
            }
            Region { region, handle, open, rest } => {
                let open =
                    open.as_ref().map_or(String::new(), |e| format!(" = open {}", self.expr(e)));
                let head = format!("region {region} {}{open}", self.local(*handle));
                self.scope(&head, |p| p.stmts(rest));
            }
            Pinned { region, local, init, rest } => {
                let head = format!("pin {region} {} = {}", self.local(*local), self.expr(init));
                self.scope(&head, |p| p.stmts(rest));
            }
            Try { body, jump, exn, arms } => {
                self.scope("try", |p| p.stmt(body));
                let head = format!("{jump}: catch {}", self.local(*exn));
                self.scope(&head, |p| p.arms(arms));
            }
        }
    }

    fn for_loop(&mut self, all: &For) {
        self.scope(&region_head(&format!("{}: for", all.jump), all.region), |p| {
            p.stmts(&all.init);
            let cond = all.cond.as_ref().map_or("true".into(), |cond| p.expr(cond));
            p.scope(&format!("while {cond}"), |p| p.stmt(&all.body));
            if let Some(step) = &all.step {
                let text = p.expr(step);
                p.line(&format!("step {text};"));
            }
        });
    }

    fn arms(&mut self, arms: &[Arm]) {
        for arm in arms {
            let pats: Vec<String> = arm.pats.iter().map(|pat| self.pat(pat)).collect();
            let guard =
                arm.guard.as_ref().map_or(String::new(), |e| format!(" && {}", self.expr(e)));
            let head = region_head(&format!("{}{guard} =>", pats.join(" | ")), arm.body.region);
            self.scope(&head, |p| p.block(&arm.body));
        }
    }

    fn pat(&self, pat: &Pat) -> String {
        let list = |fields: &[(u32, Pat)]| -> String {
            let list: Vec<String> =
                fields.iter().map(|(n, pat)| format!("{n}: {}", self.pat(pat))).collect();
            list.join(", ")
        };
        match &pat.kind {
            PatKind::Wild => "_".into(),
            PatKind::Var(id) => self.local(*id),
            PatKind::As(id, inner) => format!("{} as {}", self.local(*id), self.pat(inner)),
            PatKind::Ref(id) => format!("*{}", self.local(*id)),
            PatKind::Deref(inner) => format!("&{}", self.pat(inner)),
            PatKind::Null => "NULL".into(),
            PatKind::Int(lo, hi) if lo == hi => lo.to_string(),
            PatKind::Int(lo, hi) => format!("{lo} ... {hi}"),
            PatKind::Float(x) => format!("{x:?}"),
            PatKind::Fields(fields) => format!("{{{}}}", list(fields)),
            PatKind::Variant { adt, variant, fields } => {
                let made = self.program.tables.variant(*adt, *variant);
                let name = made.map_or("?", |made| made.name.as_str());
                format!("{name}({})", list(fields))
            }
            PatKind::Member { field, pat, .. } => format!("{{.{field} = {}}}", self.pat(pat)),
        }
    }

    fn place(&self, place: &Place) -> String {
        match &place.kind {
            PlaceKind::Local(id) => self.local(*id),
            PlaceKind::Global(id) => self.program.globals[*id].name.to_string(),
            PlaceKind::Deref(e) => format!("(*{})", self.expr(e)),
            PlaceKind::PtrIndex(p, i) => format!("{}[{}]", self.expr(p), self.expr(i)),
            PlaceKind::ArrayIndex(base, i) => format!("{}.[{}]", self.place(base), self.expr(i)),
            PlaceKind::Field(base, n) => format!("{}.{n}", self.place(base)),
            PlaceKind::Temp(e, region) => format!("temp{region}({})", self.expr(e)),
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        let list: Vec<String> = list.iter().map(|e| self.expr(e)).collect();
        list.join(", ")
    }

    fn gargs(&self, args: &[GArg]) -> String {
        let tys: Vec<String> = args
            .iter()
            .filter_map(|arg| match arg {
                GArg::Ty(ty) => Some(self.ty(*ty)),
                GArg::Int(int) => Some(format!("{int:?}")),
                _ => None,
            })
            .collect();
        if tys.is_empty() { String::new() } else { format!("@<{}>", tys.join(", ")) }
    }

    fn expr(&self, e: &Expr) -> String {
        use ExprKind::*;
        match &e.kind {
            Int(value) => format!("{value}:{}", self.ty(e.ty)),
            Float(value) => format!("{value:?}:{}", self.ty(e.ty)),
            Null => format!("null:{}", self.ty(e.ty)),
            Str { units, writable, .. } => {
                let text: String =
                    units.iter().map(|&unit| char::from_u32(unit).unwrap_or('\u{fffd}')).collect();
                format!("{text:?}{}:{}", if *writable { "w" } else { "" }, self.ty(e.ty))
            }
            FuncAddr(id, args) => format!("&{}{}", self.program.funcs[*id].name, self.gargs(args)),
            Load(place) => self.place(place),
            AddrOf(place) => format!("&{}", self.place(place)),
            Decay(place) => format!("decay({}):{}", self.place(place), self.ty(e.ty)),
            Neg(a) => format!("-{}", self.expr(a)),
            BitNot(a) => format!("~{}", self.expr(a)),
            Not(a) => format!("!{}", self.expr(a)),
            Binary(op, a, b) | Compare(op, a, b) => {
                format!("({} {} {})", self.expr(a), op.text(), self.expr(b))
            }
            PtrAdd(a, b) => format!("({} +p {})", self.expr(a), self.expr(b)),
            PtrDiff(a, b) => format!("({} -p {})", self.expr(a), self.expr(b)),
            And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            Cond(a, b, c) => format!("({} ? {} : {})", self.expr(a), self.expr(b), self.expr(c)),
            Assign(place, value) => format!("{} = {}", self.place(place), self.expr(value)),
            ExprKind::AssignOp { op, place, rhs, work } => {
                let op = match op {
                    crate::AssignOp::Arith(op) => op.text(),
                    crate::AssignOp::PtrAdd => "+p",
                    crate::AssignOp::PtrSub => "-p",
                };
                format!("{} {op}= {} in {}", self.place(place), self.expr(rhs), self.ty(*work))
            }
            IncDec { op, post, place } => {
                let sign = if *op == toft_hir::IncDec::Inc { "++" } else { "--" };
                let place = self.place(place);
                if *post { format!("{place}{sign}") } else { format!("{sign}{place}") }
            }
            Swap(a, b) => format!("{} :=: {}", self.place(a), self.place(b)),
            Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            Call(call) => self.call(call),
            Conv(kind, a) => format!("{kind:?}({}):{}", self.expr(a), self.ty(e.ty)),
            Aggregate(made) => {
                let fields: Vec<String> = made
                    .fields
                    .iter()
                    .map(|(n, value)| format!("{n}: {}", self.expr(value)))
                    .collect();
                format!("{}{{{}}}", self.ty(e.ty), fields.join(", "))
            }
            Comprehension { var, count, body, .. } => {
                format!("{{for {} < {}: {}}}", self.local(*var), self.expr(count), self.expr(body))
            }
            New(new) => self.new_text(new, e.ty),
            Throw(value) => format!("throw {}", self.expr(value)),
            Assert { cond, .. } => format!("assert({})", self.expr(cond)),
            StmtExpr { block, value } => {
                let mut inner = Printer {
                    program: self.program,
                    func: self.func,
                    out: String::new(),
                    level: self.level + 1,
                };
                inner.block(block);
                let value = value.as_ref().map_or(String::new(), |value| self.expr(value));
                format!("({{\n{}{}{value} }})", inner.out, "    ".repeat(self.level + 1))
            }
            Sizeof(ty) => format!("sizeof({})", self.ty(*ty)),
            Alignof(ty) => format!("alignof({})", self.ty(*ty)),
            Valueof(_, local) => format!("valueof({})", self.local(*local)),
            Numelts(a) => format!("numelts({})", self.expr(a)),
            RowAt { at, .. } => {
                let at: Vec<String> = at.iter().map(|e| self.expr(e)).collect();
                format!("at({})", at.join(", "))
            }
            Row { array, start, len } => {
                let (array, start) = (self.place(array), self.expr(start));
                format!("row({array}, {start}, {})", self.local(*len))
            }
            Tagcheck(place, n) => format!("tagcheck({}.{n})", self.place(place)),
            Borrow { region, of } => format!("borrow{region}({})", self.expr(of)),
            BorrowEnd { regions, value } => {
                let list: Vec<String> = regions.iter().map(ToString::to_string).collect();
                format!("end[{}]({})", list.join(" "), self.expr(value))
            }
            VaArg(place, ty) => format!("va_arg({}, {})", self.place(place), self.ty(*ty)),
        }
    }

    fn call(&self, call: &Call) -> String {
        let callee = match &call.callee {
            Callee::Func(id, args) => {
                format!("{}{}", self.program.funcs[*id].name, self.gargs(args))
            }
            Callee::Ptr(e) => format!("({})", self.expr(e)),
            Callee::Builtin(builtin, args) => format!("{builtin:?}{}", self.gargs(args)),
        };
        let rest = match &call.varargs {
            Varargs::None => String::new(),
            Varargs::C(list) => format!("; ... {}", self.list(list)),
            Varargs::Typed(list, ty) => format!("; ...{} {}", self.ty(*ty), self.list(list)),
        };
        format!("{callee}({}{rest})", self.list(&call.args))
    }

    fn new_text(&self, new: &New, ty: Ty) -> String {
        let count =
            new.count.as_ref().map_or(String::new(), |count| format!("[{}]", self.expr(count)));
        let init = match &new.init {
            NewInit::Zero => String::new(),
            NewInit::Value(e) | NewInit::Array(e) => format!(" {}", self.expr(e)),
            NewInit::Each { var, body, .. } => {
                format!(" for {}: {}", self.local(*var), self.expr(body))
            }
        };
        let region = new.region.as_ref().map_or(String::new(), |e| format!(" in {}", self.expr(e)));
        format!("new {}{count}{init}{region}:{}", self.ty(new.elem), self.ty(ty))
    }
}

fn region_head(head: &str, region: Option<RegionId>) -> String {
    match region {
        Some(region) => format!("{head} {region}"),
        None => head.to_owned(),
    }
}
