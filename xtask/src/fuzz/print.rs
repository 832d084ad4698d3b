//! Writes a random program as Toft source.
//!
//! In: a `Program` and its number in the batch. Out: text whose names all start with `pN_`.

use super::model::*;
use std::fmt::Write;

pub struct Printer<'a> {
    program: &'a Program,
    n: usize,
    out: String,
    indent: usize,
}

/// What all programs of a file share.
pub const PRELUDE: &str = "#include <stdio.h>
@extensible datatype exn { Fz0(int); Fz1(long, unsigned char); Fz2; };
static unsigned long fz_sum;
static void chk(unsigned long v) {
    fz_sum = (fz_sum ^ v) * 1099511628211ul;
    fz_sum = fz_sum ^ (fz_sum >> 29);
}
static void fchk(double x) {
    if (x > -1e15 && x < 1e15) chk((unsigned long)(long)(x * 8.0));
    else if (x > 0.0) chk(1ul);
    else if (x < 0.0) chk(2ul);
    else chk(3ul);
}
";

pub fn int_name(int: Int) -> &'static str {
    match int {
        Int::Bool => "bool",
        Int::Char => "char",
        Int::I8 => "signed char",
        Int::U8 => "unsigned char",
        Int::I16 => "short",
        Int::U16 => "unsigned short",
        Int::I32 => "int",
        Int::U32 => "unsigned",
        Int::I64 => "long",
        Int::U64 => "unsigned long",
    }
}

pub fn program(program: &Program, n: usize) -> String {
    let mut p = Printer { program, n, out: String::new(), indent: 0 };
    p.all();
    p.out
}

/// The `main` that runs the given programs one after the other.
pub fn main_function(numbers: &[usize]) -> String {
    let mut out = String::from("int main(void) {\n");
    for n in numbers {
        let _ = write!(
            out,
            "    fz_sum = 14695981039346656037ul;
    try {{ p{n}_run(); printf(\"{n} done \"); }} catch {{
    case &Null_Exception: printf(\"{n} null \"); break;
    case &Array_bounds: printf(\"{n} bounds \"); break;
    case &Match_Exception: printf(\"{n} match \"); break;
    case &Arithmetic: printf(\"{n} arith \"); break;
    case &Fz0(a): printf(\"{n} fz0 \"); chk((unsigned long)a); break;
    case &Fz1(a, b): printf(\"{n} fz1 \"); chk((unsigned long)a); chk((unsigned long)b); break;
    case &Fz2: printf(\"{n} fz2 \"); break;
    }}
    p{n}_hash();
    printf(\"%lu\\n\", fz_sum);
    fflush(stdout);\n"
        );
    }
    out.push_str("    return 0;\n}\n");
    out
}

impl Printer<'_> {
    fn all(&mut self) {
        let program = self.program;
        let n = self.n;
        for (i, _) in program.datas.iter().enumerate() {
            let _ = writeln!(self.out, "datatype p{n}_T{i};");
        }
        for i in 0..program.structs.len() {
            // Struct i may hold union i - 1 and every struct before it.
            if let Some(members) = program.unions.get(i.wrapping_sub(1)) {
                self.record("@tagged union", 'U', i - 1, members);
            }
            self.record("struct", 'S', i, &program.structs[i]);
        }
        for (i, members) in
            program.unions.iter().enumerate().skip(program.structs.len().saturating_sub(1))
        {
            self.record("@tagged union", 'U', i, members);
        }
        for (i, variants) in program.datas.iter().enumerate() {
            let _ = writeln!(self.out, "datatype p{n}_T{i} {{");
            for (v, args) in variants.iter().enumerate() {
                let args: Vec<String> = args.iter().map(|ty| self.declare(ty, "")).collect();
                let args =
                    if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
                let _ = writeln!(self.out, "    p{n}_T{i}V{v}{args};");
            }
            self.out.push_str("};\n");
        }
        for (i, (ty, init)) in program.globals.iter().enumerate() {
            let decl = self.declare(ty, &format!("p{n}_g{i}"));
            let init = self.init(init);
            let _ = writeln!(self.out, "{decl} = {init};");
        }
        for (i, func) in program.funcs.iter().enumerate() {
            let params: Vec<String> = func
                .params
                .iter()
                .enumerate()
                .map(|(p, ty)| self.declare(ty, &format!("v{p}")))
                .collect();
            let params = if params.is_empty() { "void".into() } else { params.join(", ") };
            let name = format!("{}({params})", self.func_name(i));
            let decl = self.declare(&func.ret, &name);
            let _ = writeln!(self.out, "static {decl} {{");
            self.indent = 1;
            self.stmts(&func.body);
            self.indent = 0;
            self.out.push_str("}\n");
        }
    }

    fn record(&mut self, word: &str, letter: char, i: usize, members: &[Ty]) {
        let n = self.n;
        let _ = writeln!(self.out, "{word} p{n}_{letter}{i} {{");
        for (f, ty) in members.iter().enumerate() {
            let decl = self.declare(ty, &format!("m{f}"));
            let _ = writeln!(self.out, "    {decl};");
        }
        self.out.push_str("};\n");
    }

    fn func_name(&self, i: usize) -> String {
        let n = self.n;
        match self.program.funcs.len() - i {
            1 => format!("p{n}_run"),
            2 => format!("p{n}_hash"),
            _ => format!("p{n}_f{i}"),
        }
    }

    fn declare(&self, ty: &Ty, name: &str) -> String {
        let n = self.n;
        let spaced = |word: String| if name.is_empty() { word } else { format!("{word} {name}") };
        match ty {
            Ty::Void => spaced("void".into()),
            Ty::Int(int) => spaced(int_name(*int).into()),
            Ty::Float => spaced("double".into()),
            Ty::Struct(i) => spaced(format!("struct p{n}_S{i}")),
            Ty::Union(i) => spaced(format!("@tagged union p{n}_U{i}")),
            Ty::Str => format!("char *{name}"),
            Ty::Data(i) => format!("datatype p{n}_T{i} *{name}"),
            Ty::Array(elem, len) => self.declare(elem, &format!("{name}[{len}]")),
            Ty::Fat(elem) => self.declare(elem, &self.pointer("?", elem, name)),
            Ty::Thin(elem) => self.declare(elem, &self.pointer("*", elem, name)),
            Ty::Func(sig) => {
                let params: Vec<String> =
                    sig.params.iter().map(|ty| self.declare(ty, "")).collect();
                let params = if params.is_empty() { "void".into() } else { params.join(", ") };
                self.declare(&sig.ret, &format!("(*{name})({params})"))
            }
        }
    }

    fn pointer(&self, sign: &str, elem: &Ty, name: &str) -> String {
        match elem {
            Ty::Array(..) => format!("({sign}{name})"),
            _ => format!("{sign}{name}"),
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn stmts(&mut self, list: &[Stmt]) {
        for stmt in list {
            self.stmt(stmt);
        }
    }

    fn nested(&mut self, list: &[Stmt]) {
        self.indent += 1;
        self.stmts(list);
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(v, ty, init) => {
                let text = format!("{} = {};", self.declare(ty, &format!("v{v}")), self.init(init));
                self.line(&text);
            }
            Stmt::Expr(e) => {
                let text = format!("{};", self.expr(e));
                self.line(&text);
            }
            Stmt::Check(e) if e.ty == Ty::Float => {
                let text = format!("fchk({});", self.expr(e));
                self.line(&text);
            }
            Stmt::Check(e) => {
                let text = format!("chk((unsigned long){});", self.expr(e));
                self.line(&text);
            }
            Stmt::If(c, yes, no) => {
                let text = format!("if ({}) {{", self.expr(c));
                self.line(&text);
                self.nested(yes);
                if !no.is_empty() {
                    self.line("} else {");
                    self.nested(no);
                }
                self.line("}");
            }
            Stmt::Loop { form, var, times, label, body } => {
                self.a_loop(*form, *var, *times, *label, body)
            }
            Stmt::Switch(e, cases) => self.switch(e, cases),
            Stmt::Match(e, variants, null) => self.matching(e, variants, null),
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Labelled(body, label) => {
                self.line("{");
                self.nested(body);
                self.line("}");
                self.line(&format!("L{label}: ;"));
            }
            Stmt::Goto(label) => self.line(&format!("goto L{label};")),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(e)) => {
                let text = format!("return {};", self.expr(e));
                self.line(&text);
            }
            Stmt::Block(body) => {
                self.line("{");
                self.nested(body);
                self.line("}");
            }
            Stmt::Throw(which, args) => {
                let args = self.list(args);
                let args = if args.is_empty() { args } else { format!("({args})") };
                self.line(&format!("throw new Fz{which}{args};"));
            }
            Stmt::Try(body, handlers) => {
                self.line("try {");
                self.nested(body);
                self.line("} catch {");
                for handler in handlers {
                    self.handler(handler);
                }
                self.line("}");
            }
        }
    }

    fn handler(&mut self, handler: &Handler) {
        let vars: Vec<String> = handler.vars.iter().map(|v| format!("v{v}")).collect();
        let vars = if vars.is_empty() { String::new() } else { format!("({})", vars.join(", ")) };
        let head = match handler.what {
            Catch::User(which) => format!("case &Fz{which}{vars}: {{"),
            Catch::Null => "case &Null_Exception: {".into(),
            Catch::Bounds => "case &Array_bounds: {".into(),
            Catch::Match => "case &Match_Exception: {".into(),
            Catch::Arith => "case &Arithmetic: {".into(),
            Catch::Default => "default: {".into(),
        };
        self.line(&head);
        self.nested(&handler.body);
        self.line("} break;");
    }

    fn a_loop(&mut self, form: Loop, var: usize, times: usize, label: usize, body: &[Stmt]) {
        match form {
            Loop::For => {
                self.line(&format!("for (int v{var} = 0; v{var} < {times}; v{var}++) {{"));
                self.nested(body);
                self.line("}");
            }
            Loop::While => {
                self.line(&format!("int v{var} = 0;"));
                self.line(&format!("while (v{var}++ < {times}) {{"));
                self.nested(body);
                self.line("}");
            }
            Loop::Do => {
                self.line(&format!("int v{var} = 0;"));
                self.line("do {");
                self.nested(body);
                self.line(&format!("}} while (++v{var} < {times});"));
            }
            Loop::Goto => {
                self.line(&format!("int v{var} = 0;"));
                self.line(&format!("L{label}: {{"));
                self.nested(body);
                self.line("}");
                self.line(&format!("if (++v{var} < {times}) goto L{label};"));
            }
        }
    }

    fn switch(&mut self, e: &Expr, cases: &[Case]) {
        let text = format!("switch ({}) {{", self.expr(e));
        self.line(&text);
        for case in cases {
            for value in &case.values {
                self.line(&format!("case {value}:"));
            }
            if case.values.is_empty() {
                self.line("default:");
            }
            self.line("{");
            self.nested(&case.body);
            self.line(if case.ends { "} break;" } else { "} [[fallthrough]];" });
        }
        self.line("}");
    }

    fn matching(&mut self, e: &Expr, variants: &[(Vec<usize>, Vec<Stmt>)], null: &[Stmt]) {
        let n = self.n;
        let Ty::Data(data) = e.ty else { return };
        // As the datatype: which variant it is may be part of the type otherwise.
        let text = format!("switch (({}){}) {{", self.declare(&e.ty, ""), self.expr(e));
        self.line(&text);
        for (v, (vars, body)) in variants.iter().enumerate() {
            let vars: Vec<String> = vars.iter().map(|v| format!("v{v}")).collect();
            let vars =
                if vars.is_empty() { String::new() } else { format!("({})", vars.join(", ")) };
            self.line(&format!("case &p{n}_T{data}V{v}{vars}: {{"));
            self.nested(body);
            self.line("} break;");
        }
        self.line("case NULL: {");
        self.nested(null);
        self.line("} break;");
        self.line("}");
    }

    fn list(&self, list: &[Expr]) -> String {
        let list: Vec<String> = list.iter().map(|e| self.expr(e)).collect();
        list.join(", ")
    }

    /// As an initialiser: aggregates without a type before them.
    fn init(&self, e: &Expr) -> String {
        match &*e.kind {
            Kind::Aggregate(list) => {
                let list: Vec<String> = list.iter().map(|e| self.init(e)).collect();
                format!("{{{}}}", list.join(", "))
            }
            Kind::Member(m, e) => format!("{{.m{m} = {}}}", self.init(e)),
            _ => self.expr(e),
        }
    }

    fn expr(&self, e: &Expr) -> String {
        let n = self.n;
        match &*e.kind {
            Kind::Int(value) => int_literal(*value, &e.ty),
            Kind::Float(value) => format!("{value:?}"),
            // Alone it would be a `void *`.
            Kind::Null => format!("(({})NULL)", self.declare(&e.ty, "")),
            Kind::Read(place) => self.place(place),
            Kind::Un(op, e) => {
                let sign = match op {
                    Un::Neg => "-",
                    Un::Not => "!",
                    Un::BitNot => "~",
                };
                format!("({sign}{})", self.expr(e))
            }
            Kind::Bin(op, a, b) | Kind::PtrCompare(op, a, b) => {
                format!("({} {} {})", self.expr(a), op.text(), self.expr(b))
            }
            Kind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            Kind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            Kind::Cond(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            Kind::Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            Kind::Cast(from) => format!("(({}){})", self.declare(&e.ty, ""), self.expr(from)),
            Kind::Assign(place, value) => {
                format!("({} = {})", self.place(place), self.expr(value))
            }
            Kind::OpAssign(op, place, value) => {
                format!("({} {}= {})", self.place(place), op.text(), self.expr(value))
            }
            Kind::Step { place, up, post } => {
                let (sign, place) = (if *up { "++" } else { "--" }, self.place(place));
                if *post { format!("({place}{sign})") } else { format!("({sign}{place})") }
            }
            Kind::Call(f, args) => format!("{}({})", self.func_name(*f), self.list(args)),
            Kind::CallPtr(f, args) => format!("{}({})", self.expr(f), self.list(args)),
            Kind::Func(f) => self.func_name(*f),
            Kind::AddrOf(place) => format!("(&{})", self.place(place)),
            // Which of the two it becomes where nothing asks for one is not the matter here.
            Kind::Decay(place) if e.ty == Ty::Str => format!("((char *){})", self.place(place)),
            Kind::Decay(place) if e.ty == Ty::Fat(Box::new(Ty::Int(Int::Char))) => {
                format!("((char ?){})", self.place(place))
            }
            Kind::Decay(place) => self.place(place),
            Kind::PtrAdd(p, i) => format!("({} + {})", self.expr(p), self.expr(i)),
            Kind::PtrDiff(a, b) => format!("({} - {})", self.expr(a), self.expr(b)),
            Kind::NumElts(p) => format!("numelts({})", self.expr(p)),
            Kind::Aggregate(_) | Kind::Member(..) => {
                format!("(({}){})", self.declare(&e.ty, ""), self.init(e))
            }
            Kind::New(inner) => match &inner.ty {
                Ty::Array(..) => {
                    format!("(({})(new {}))", self.declare(&e.ty, ""), self.init(inner))
                }
                _ => format!("(new {})", self.expr(inner)),
            },
            Kind::NewVariant(v, args) => {
                let Ty::Data(data) = e.ty else { return String::new() };
                let args = self.list(args);
                let args = if args.is_empty() { args } else { format!("({args})") };
                format!("(new p{n}_T{data}V{v}{args})")
            }
            Kind::Bytes(p) => format!("((unsigned char ?){})", self.expr(p)),
            Kind::TagCheck(place, m) => format!("tagcheck({}.m{m})", self.place(place)),
        }
    }

    fn place(&self, place: &Place) -> String {
        match &*place.kind {
            PlaceKind::Global(g) => format!("p{}_g{g}", self.n),
            PlaceKind::Local(v) => format!("v{v}"),
            PlaceKind::Field(inner, f) => match &*inner.kind {
                PlaceKind::Deref(e) => format!("{}->m{f}", self.expr(e)),
                _ => format!("{}.m{f}", self.place(inner)),
            },
            PlaceKind::Index(inner, i) => format!("{}[{}]", self.place(inner), self.expr(i)),
            PlaceKind::Deref(e) => format!("(*{})", self.expr(e)),
            PlaceKind::At(p, i) => format!("{}[{}]", self.expr(p), self.expr(i)),
        }
    }
}

fn int_literal(value: i128, ty: &Ty) -> String {
    let Ty::Int(int) = ty else { return value.to_string() };
    let suffix = match int {
        Int::U32 => "u",
        Int::I64 => "l",
        Int::U64 => "ul",
        _ => "",
    };
    match value {
        -0x8000_0000 if *int == Int::I32 => "(-2147483647 - 1)".into(),
        v if v == i128::from(i64::MIN) => "(-9223372036854775807l - 1l)".into(),
        v if v < 0 => format!("(-{}{suffix})", -v),
        v => format!("{v}{suffix}"),
    }
}
