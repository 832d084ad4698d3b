//! One function: prototype, variables, body.

use crate::cx::Cx;
use crate::names::{self, Namer};
use crate::pending::{Pending, Plan};
use crate::types::hidden_zero;
use std::fmt::Write;
use toft_base::{Idx, IndexVec, Span, Symbol};
use toft_cir::{Line, Printer, Stmt, StmtKind, Text};
use toft_mir::{Body, Final, FuncId, LocalId};
use toft_ty::{Concrete, GArg, Ty, TyKind, Variadic};

/// The state while one function is emitted.
pub struct FnCx<'c, 'a> {
    pub cx: &'c mut Cx<'a>,
    pub body: &'c Body<Final>,
    /// Name of the function in messages.
    pub name: Symbol,
    pub locals: IndexVec<LocalId, Text>,
    pub plan: Plan,
    pub pending: Vec<Pending>,
    /// What the expression being built reads.
    pub reads: Vec<LocalId>,
    pub reads_memory: bool,
    pub reads_volatile: bool,
    pub out: Vec<Stmt>,
    pub line: Line,
    pub span: Span,
    pub temps: u32,
    /// The count checked by the statement at hand is a VLA's.
    pub counts_vla: bool,
    /// Declarations that go to the top of the function.
    pub decls: String,
    /// The local that the allocation at hand is for.
    pub made: Option<LocalId>,
    /// The arenas that have a scope of their own in C.
    pub scopes: Vec<toft_mir::RegionId>,
    /// The C variables of each VLA's block.
    pub blocks: Vec<(LocalId, u32)>,
    pub escapes: crate::setjmp::Escapes,
}

impl<'a> Cx<'a> {
    pub fn name_instances(&mut self) {
        let program = self.program;
        for (instance, _) in &program.list {
            let decl = &self.decls.funcs[instance.func];
            if let Some(link) = decl.link_name {
                self.names.reserve(link.as_str());
            }
        }
        for (n, (instance, _)) in program.list.iter().enumerate() {
            let decl = &self.decls.funcs[instance.func];
            let generic = instance
                .args
                .iter()
                .any(|arg| matches!(arg, GArg::Ty(_) | GArg::Int(toft_ty::IntExpr::Const(_))));
            let name = match decl.link_name {
                Some(link) if !generic => link.as_str().into(),
                _ => self.names.unique(&names::mangle(decl.name), generic),
            };
            self.instances.push(name);
            self.instance_ids.insert((instance.func, instance.args.clone()), n);
        }
        for &id in &program.externals {
            let decl = &self.decls.funcs[id];
            self.border.insert(decl.link_name.unwrap_or(decl.name).as_str().into());
        }
        for &id in &program.globals {
            let decl = &self.decls.globals[id];
            self.border.insert(decl.link_name.unwrap_or(decl.name).as_str().into());
        }
    }

    pub fn functions(&mut self) {
        for n in 0..self.program.list.len() {
            self.function(n);
        }
    }

    /// The name of a function as a value, declared. Initialisers of globals are shared by all
    /// instances and name theirs with regions; instances are known without.
    pub fn func_value(&mut self, id: FuncId, args: &[GArg], span: Span) -> toft_cir::Expr {
        let args = Concrete::new(&[]).args(args);
        match self.instance(id, &args) {
            Some(name) => toft_cir::Expr::Atom(name),
            None if self.decls.funcs[id].external || self.program.externals.contains(&id) => {
                toft_cir::Expr::Atom(self.external(id).name.clone())
            }
            None => {
                self.unsupported(span, "a function that has no instance here");
                toft_cir::Expr::atom("0")
            }
        }
    }

    pub fn instance(&self, id: FuncId, args: &[GArg]) -> Option<Text> {
        // Looked up by a pair so that nothing is cloned when there are no arguments.
        let key = (id, args.to_vec());
        self.instance_ids.get(&key).map(|&n| self.instances[n].clone())
    }

    fn function(&mut self, n: usize) {
        let program = self.program;
        let (instance, body) = &program.list[n];
        let decl = &self.decls.funcs[instance.func];
        let span = decl.span;
        for local in body.locals.iter() {
            self.define(local.ty, local.span);
        }
        self.define(body.ret, span);
        let by_value = |ty: Ty| matches!(ty.kind(), TyKind::Array { .. });
        if by_value(body.ret) || body.locals.raw[..body.params].iter().any(|l| by_value(l.ty)) {
            self.unsupported(span, "passing an array by value through a type variable");
        }
        let exported = decl.link_name.is_some() && !decl.is_static;
        let (mut fx, head) = FnCx::new(self, body, n, decl.sig.variadic == Variadic::C);
        let stmts = fx.body();
        let FnCx { decls, cx, .. } = fx;
        let mut attributes = String::new();
        if !exported {
            attributes.push_str("static ");
        }
        if decl.is_inline {
            attributes.push_str("inline ");
        }
        if decl.sig.noreturn {
            attributes.push_str("TOFT_NORETURN ");
        }
        let _ = writeln!(cx.out.prototypes, "{attributes}{head};");
        let line = cx.line_of(span);
        let mut printer = Printer::new(&cx.files);
        printer.line(line);
        printer.text(&format!("{attributes}{head} {{\n"));
        printer.text(&decls);
        printer.inside(&stmts);
        printer.text("}\n");
        cx.out.functions.push_str(&printer.out);
    }
}

impl<'c, 'a> FnCx<'c, 'a> {
    fn new(cx: &'c mut Cx<'a>, body: &'c Body<Final>, n: usize, variadic: bool) -> (Self, String) {
        let plan = Plan::new(body);
        let escapes = crate::setjmp::escapes(body);
        let mut fx = FnCx {
            name: body.name,
            locals: IndexVec::new(),
            plan,
            pending: Vec::new(),
            reads: Vec::new(),
            reads_memory: false,
            reads_volatile: false,
            out: Vec::new(),
            line: Line::default(),
            span: body.span,
            temps: 0,
            counts_vla: false,
            decls: String::new(),
            made: None,
            scopes: Vec::new(),
            blocks: Vec::new(),
            escapes,
            cx,
            body,
        };
        fx.name_locals();
        let mut params = Vec::with_capacity(body.params);
        for (id, local) in body.locals.iter_enumerated().take(body.params) {
            let volatile = if local.quals.is_volatile { "volatile " } else { "" };
            params.push(format!("{volatile}{} {}", fx.cx.cty(local.ty), fx.locals[id]));
        }
        if variadic {
            params.push("...".into());
        }
        let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        let head = format!("{} {}({params})", fx.cx.cty(body.ret), fx.cx.instances[n]);
        fx.declare_locals();
        (fx, head)
    }

    fn name_locals(&mut self) {
        let mut namer = Namer::default();
        for (id, local) in self.body.locals.iter_enumerated() {
            let name = match local.name {
                Some(name) => {
                    let mut base = names::local(name);
                    if self.cx.border.contains(base.as_str()) {
                        base.push('_');
                    }
                    namer.unique(&base, false)
                }
                None => format!("_{}", id.index()).into(),
            };
            self.locals.push(name);
        }
    }

    fn declare_locals(&mut self) {
        for (id, local) in self.body.locals.iter_enumerated().skip(self.body.params) {
            if self.plan.is_deferred(id) || local.ty.is_void() {
                continue;
            }
            if local.kind == toft_mir::LocalKind::Temp && !self.plan.is_mentioned(id) {
                continue;
            }
            let volatile = if local.quals.is_volatile { "volatile " } else { "" };
            let align =
                local.align.map_or(String::new(), |n| format!(" __attribute__((aligned({n})))"));
            let name = self.locals[id].clone();
            let text = match (hidden_zero(self.cx, local.ty), *local.ty.kind()) {
                (Some(len), TyKind::Array { elem, .. }) => {
                    format!("{} {name}[{}]", self.cx.cty(elem), len + 1)
                }
                _ => format!("{} {name}", self.cx.cty(local.ty)),
            };
            let _ = writeln!(self.decls, "  {volatile}{text}{align};");
            if let Some(len) = hidden_zero(self.cx, local.ty)
                && local.address_taken
            {
                self.emit(StmtKind::Text(format!("{name}[{len}] = 0;").into()));
            }
        }
        for n in 0..self.body.tries.len() {
            let _ = writeln!(self.decls, "  toft_handler tx_h{n};");
        }
    }

    pub fn emit(&mut self, kind: StmtKind) {
        let line = self.line;
        self.out.push(Stmt::new(kind, line));
    }

    pub fn text(&mut self, text: String) {
        self.emit(StmtKind::Text(text.into()));
    }

    pub fn at(&mut self, span: Span) {
        if !span.is_none() && span != self.span {
            self.line = self.cx.line_of(span);
            self.span = span;
        }
    }

    pub fn site(&mut self) -> Text {
        let span = if self.span.is_none() { self.body.span } else { self.span };
        self.cx.site(span, self.name)
    }

    pub fn site_expr(&mut self) -> toft_cir::Expr {
        toft_cir::Expr::Atom(self.site())
    }

    /// A C variable of our own, declared at the top.
    pub fn temp(&mut self, ty: &str) -> Text {
        let name: Text = format!("tx_v{}", self.temps).into();
        self.temps += 1;
        let _ = writeln!(self.decls, "  {ty} {name};");
        name
    }

    pub fn unsupported(&mut self, what: &str) {
        let span = if self.span.is_none() { self.body.span } else { self.span };
        self.cx.unsupported(span, what);
    }
}
