//! Statements, declarations, definitions of types, and items.

use super::Dump;
use crate::{
    Block, DatatypeSpec, Decl, EnumSpec, Field, ForInit, Item, ItemKind, PinKind, RecordKind,
    RecordSpec, StaticAssert, Stmt, StmtKind,
};

impl Dump {
    pub(super) fn item(&mut self, item: &Item) {
        let span = item.span;
        match &item.kind {
            ItemKind::Decl(decl) => self.decl(decl),
            ItemKind::Func(func) => {
                self.start_line();
                self.put("(define ");
                self.storage(&func.storage);
                if let Some(name) = &func.declarator.name {
                    self.path(name);
                    self.put(": ");
                }
                self.full_type(&func.spec, &func.declarator);
                self.attrs(&func.attrs);
                self.put(")");
                self.end_line(span);
                self.indented(|dump| dump.block(&func.body));
            }
            ItemKind::StaticAssert(assert) => self.static_assert(assert),
            ItemKind::Namespace(name, items) => {
                self.group(&format!("(namespace {})", name.name), items, item);
            }
            ItemKind::Using(path, items) => {
                self.start_line();
                self.put("(using ");
                self.path(path);
                self.put(")");
                self.end_line(span);
                self.indented(|dump| items.iter().for_each(|item| dump.item(item)));
            }
            ItemKind::ExternC { block, items } => {
                self.group(if *block { "(extern-c block)" } else { "(extern-c)" }, items, item);
            }
            ItemKind::RawC(text, _) => self.line(&format!("(raw-c {:?})", text.as_str()), span),
            ItemKind::Test { name, body, .. } => {
                self.line(&format!("(test {:?})", name.as_str()), span);
                self.indented(|dump| dump.block(body));
            }
            ItemKind::Let(pat, value) => self.let_line(pat, value, span),
            ItemKind::Empty => self.line("(empty)", span),
        }
    }

    fn group(&mut self, head: &str, items: &[Item], item: &Item) {
        self.line(head, item.span);
        self.indented(|dump| items.iter().for_each(|item| dump.item(item)));
    }

    fn let_line(&mut self, pat: &crate::Pat, value: &crate::Expr, span: toft_base::Span) {
        self.start_line();
        self.put("(let ");
        self.pat(pat);
        self.put(" ");
        self.expr(value);
        self.put(")");
        self.end_line(span);
    }

    fn decl(&mut self, decl: &Decl) {
        self.start_line();
        self.put("(decl ");
        self.storage(&decl.storage);
        self.attrs(&decl.attrs);
        if decl.declarators.is_empty() {
            self.spec(&decl.spec);
        }
        for (n, one) in decl.declarators.iter().enumerate() {
            if n > 0 {
                self.put(", ");
            }
            if let Some(name) = &one.declarator.name {
                self.path(name);
                self.tyvars(&one.declarator.ty_params);
                self.put(": ");
            }
            // A definition in the specifiers is printed once.
            if n > 0 && has_body(&decl.spec.kind) {
                let same = crate::TypeSpec {
                    kind: crate::TypeSpecKind::Auto,
                    quals: decl.spec.quals,
                    align: Vec::new(),
                    span: decl.spec.span,
                };
                self.full_type(&same, &one.declarator);
            } else {
                self.full_type(&decl.spec, &one.declarator);
            }
            if let Some(label) = one.asm_label {
                self.put_fmt(format_args!(" asm({label:?})"));
            }
            if let Some(init) = &one.init {
                self.put(" = ");
                self.init(init);
            }
        }
        self.put(")");
        self.end_line(decl.span);
    }

    fn static_assert(&mut self, assert: &StaticAssert) {
        self.start_line();
        self.put("(static-assert ");
        self.expr(&assert.cond);
        if let Some(message) = &assert.message {
            self.put(" ");
            self.expr(message);
        }
        self.put(")");
        self.end_line(assert.span);
    }

    pub(super) fn record(&mut self, record: &RecordSpec) {
        self.put(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
            RecordKind::TaggedUnion => "@tagged union",
            RecordKind::PackedUnion => "@packed @tagged union",
        });
        if let Some(tag) = &record.tag {
            self.put(" ");
            self.path(tag);
        }
        self.type_args(&record.args);
        self.attrs(&record.attrs);
        let Some(body) = &record.body else { return };
        self.tyvars(&body.params);
        self.put(" {");
        if !body.exists.is_empty() {
            self.put(" exists");
            self.tyvars(&body.exists);
        }
        self.constraints(&body.constraints);
        self.put("\n");
        self.indented(|dump| body.fields.iter().for_each(|field| dump.field(field)));
        self.start_line();
        self.put("}");
    }

    fn field(&mut self, field: &Field) {
        if let Some(assert) = &field.assert {
            return self.static_assert(assert);
        }
        self.start_line();
        self.put("(field ");
        match &field.declarator {
            Some(declarator) => {
                if let Some(name) = &declarator.name {
                    self.path(name);
                    self.put(": ");
                }
                self.full_type(&field.spec, declarator);
            }
            None => self.spec(&field.spec),
        }
        if let Some(bits) = &field.bits {
            self.put(" bits ");
            self.expr(bits);
        }
        self.attrs(&field.attrs);
        self.put(")");
        self.end_line(field.span);
    }

    pub(super) fn enumeration(&mut self, spec: &EnumSpec) {
        self.put("enum");
        if let Some(tag) = &spec.tag {
            self.put(" ");
            self.path(tag);
        }
        if let Some(underlying) = &spec.underlying {
            self.put(" : ");
            self.spec(underlying);
        }
        self.attrs(&spec.attrs);
        if let Some(body) = &spec.body {
            self.list((" {", ", ", "}"), body, |dump, one| {
                dump.ident(&one.name);
                if let Some(value) = &one.value {
                    dump.put(" = ");
                    dump.expr(value);
                }
            });
        }
    }

    pub(super) fn datatype(&mut self, spec: &DatatypeSpec) {
        self.put(if spec.open { "@extensible datatype " } else { "datatype " });
        self.path(&spec.tag);
        self.type_args(&spec.args);
        if let Some(variant) = &spec.variant {
            self.put_fmt(format_args!(".{}", variant.name));
        }
        let Some(body) = &spec.body else { return };
        self.tyvars(&body.params);
        self.list((" {", "; ", "}"), &body.variants, |dump, variant| {
            dump.ident(&variant.name);
            dump.tyvars(&variant.exists);
            if !variant.fields.is_empty() {
                dump.list(("(", ", ", ")"), &variant.fields, Self::param);
            }
        });
    }

    pub(super) fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn child(&mut self, stmt: &Stmt) {
        self.indented(|dump| dump.stmt(stmt));
    }

    /// `(head e)` on a line of its own.
    fn head(&mut self, head: &str, operand: Option<&crate::Expr>, stmt: &Stmt) {
        self.start_line();
        self.put("(");
        self.put(head);
        if let Some(operand) = operand {
            self.put(" ");
            self.expr(operand);
        }
        self.put(")");
        self.end_line(stmt.span);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => self.line("(empty)", span),
            StmtKind::Expr(expr) => {
                self.start_line();
                self.expr(expr);
                self.end_line(span);
            }
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Block(block) => {
                self.line("(block)", span);
                self.indented(|dump| dump.block(block));
            }
            StmtKind::If(cond, then, other) => {
                self.head("if", Some(cond), stmt);
                self.child(then);
                if let Some(other) = other {
                    self.line("(else)", other.span);
                    self.child(other);
                }
            }
            StmtKind::While(cond, body) => {
                self.head("while", Some(cond), stmt);
                self.child(body);
            }
            StmtKind::DoWhile(body, cond) => {
                self.head("do-while", Some(cond), stmt);
                self.child(body);
            }
            StmtKind::For(each) => {
                self.line("(for)", span);
                self.indented(|dump| {
                    match &each.init {
                        ForInit::None => dump.line("(no-init)", span),
                        ForInit::Expr(expr) => dump.head("init", Some(expr), stmt),
                        ForInit::Decl(decl) => dump.decl(decl),
                    }
                    dump.head("cond", each.cond.as_ref(), stmt);
                    dump.head("step", each.step.as_ref(), stmt);
                    dump.stmt(&each.body);
                });
            }
            StmtKind::Switch(subject, body) => {
                self.head("switch", Some(subject), stmt);
                self.child(body);
            }
            _ => self.rarer_stmt(stmt),
        }
    }

    fn rarer_stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Case(pat, guard, body) => {
                self.start_line();
                self.put("(case ");
                self.pat(pat);
                if let Some(guard) = guard {
                    self.put(" && ");
                    self.expr(guard);
                }
                self.put(")");
                self.end_line(span);
                self.child(body);
            }
            StmtKind::Default(body) => {
                self.line("(default)", span);
                self.child(body);
            }
            StmtKind::Label(name, attrs, body) => {
                self.start_line();
                self.put_fmt(format_args!("(label {}", name.name));
                self.attrs(attrs);
                self.put(")");
                self.end_line(span);
                self.child(body);
            }
            StmtKind::Goto(name) => self.line(&format!("(goto {})", name.name), span),
            StmtKind::Break => self.line("(break)", span),
            StmtKind::Continue => self.line("(continue)", span),
            StmtKind::Return(value) => self.head("return", value.as_deref(), stmt),
            StmtKind::Fallthru => self.line("(fallthru)", span),
            StmtKind::FallthruWith(values) => {
                self.start_line();
                self.put("(fallthru");
                for value in values {
                    self.put(" ");
                    self.expr(value);
                }
                self.put(")");
                self.end_line(span);
            }
            StmtKind::Let(pat, value) => self.let_line(pat, value, span),
            StmtKind::LetPinned(pinned) => {
                self.start_line();
                self.put(match pinned.kind {
                    PinKind::Alias => "(let-alias",
                    PinKind::Defend => "(let-defend",
                });
                self.tyvars(pinned.region.as_slice());
                self.put(")");
                self.end_line(span);
                self.indented(|dump| dump.decl(&pinned.decl));
            }
            StmtKind::Region(region) => {
                let head = if region.reap { "reap" } else { "region" };
                let vars = region.region.as_slice();
                self.start_line();
                self.put_fmt(format_args!("({head}"));
                self.tyvars(vars);
                self.put_fmt(format_args!(" {}", region.handle.name));
                if let Some(key) = &region.open {
                    self.put(" open ");
                    self.expr(key);
                }
                self.put(")");
                self.end_line(span);
            }
            StmtKind::Try(body, handlers) => {
                self.line("(try)", span);
                self.child(body);
                self.line("(catch)", handlers.span);
                self.child(handlers);
            }
            StmtKind::StaticAssert(assert) => self.static_assert(assert),
            // `stmt` prints the rest; an error is all that remains.
            _ => self.line("<error>", span),
        }
    }
}

fn has_body(kind: &crate::TypeSpecKind) -> bool {
    match kind {
        crate::TypeSpecKind::Record(record) => record.body.is_some(),
        crate::TypeSpecKind::Enum(spec) => spec.body.is_some(),
        crate::TypeSpecKind::Datatype(spec) => spec.body.is_some(),
        _ => false,
    }
}
