//! Globals and their initialisers.

use crate::cx::Cx;
use crate::konst;
use crate::names;
use crate::types::{Class, class, hidden_zero};
use std::fmt::Write;
use toft_base::Span;
use toft_cir::{Designator, Expr, Init, Printer, Text, lit};
use toft_mir::{Base, GlobalId, Index, Operand, Place, Proj, StaticInit};
use toft_ty::{AdtKind, Ty, TyKind, concrete};

impl<'a> Cx<'a> {
    /// Symbols at the border keep their names, so they are taken first.
    pub fn name_globals(&mut self) {
        for &id in &self.program.globals {
            if let Some(link) = self.decls.globals[id].link_name {
                self.names.reserve(link.as_str());
                self.global_names.insert(id, link.as_str().into());
            }
        }
        for &id in &self.program.globals {
            let decl = &self.decls.globals[id];
            if decl.link_name.is_none() {
                let name = match decl.external {
                    true => decl.name.as_str().into(),
                    false => self.names.unique(&names::mangle(decl.name), false),
                };
                self.global_names.insert(id, name);
            }
        }
    }

    pub fn global_ty(&mut self, id: GlobalId) -> Ty {
        let decls = self.decls;
        *self.global_tys.entry(id).or_insert_with(|| concrete(decls.globals[id].ty))
    }

    pub fn globals(&mut self) {
        for &id in &self.program.globals {
            self.global(id);
        }
    }

    fn global(&mut self, id: GlobalId) {
        let decls = self.decls;
        let decl = &decls.globals[id];
        let ty = self.global_ty(id);
        self.define(ty, decl.span);
        let name = self.global_names[&id].clone();
        let mut words = String::new();
        if decl.quals.is_volatile {
            words.push_str("volatile ");
        } else if decl.quals.is_const && !decl.external {
            words.push_str("const ");
        }
        let align = decl.align.map_or(String::new(), |n| format!(" __attribute__((aligned({n})))"));
        // A whole array of bytes has a zero behind it that no access can reach.
        let text = match (hidden_zero(self, ty), *ty.kind()) {
            (Some(len), TyKind::Array { elem, .. }) if !decl.external => {
                format!("{} {name}[{}]", self.cty(elem), len + 1)
            }
            _ => format!("{} {name}", self.cty(ty)),
        };
        if decl.external {
            let _ = writeln!(self.out.tentative, "extern {words}{text};");
            return;
        }
        // There is one thread so far: thread-local variables are plain ones, and roots.
        let linkage = if decl.link_name.is_some() && !decl.is_static { "" } else { "static " };
        let _ = writeln!(
            self.out.tentative,
            "{}{words}{text}{align};",
            if linkage.is_empty() { "extern " } else { linkage }
        );
        let line = self.line_of(decl.span);
        let value = match &decl.init {
            None | Some(StaticInit::Zero) => None,
            Some(init) => Some(self.static_init(init, ty, decl.span)),
        };
        let mut printer = Printer::new(&self.files);
        printer.line(line);
        printer.text(&format!("{linkage}{words}{text}"));
        if let Some(value) = value {
            printer.text(" = ");
            printer.expr(&value, 2);
        }
        printer.text(";\n");
        self.out.globals.push_str(&printer.out);
    }

    /// An initialiser for an object of type `ty`.
    pub fn static_init(&mut self, init: &StaticInit, ty: Ty, span: Span) -> Expr {
        match init {
            StaticInit::Zero => self.static_zero(ty),
            StaticInit::Value(Operand::Const(c)) => {
                // Inside braces a compound literal would not be constant.
                match self.constant(c, span) {
                    Expr::Compound(_, list) => Expr::Braces(list),
                    value => value,
                }
            }
            StaticInit::Value(_) => {
                self.unsupported(span, "an initialiser that copies another variable");
                Expr::atom("0")
            }
            StaticInit::Address { place, len } => {
                let address = self.static_place(place, span).addr();
                match len {
                    Some(len) => Expr::Braces(vec![
                        Init::next(Expr::cast("void *", address)),
                        Init::next(Expr::atom("0")),
                        Init::next(konst::number(*len)),
                    ]),
                    None => {
                        let ty = self.cty(ty);
                        Expr::cast(ty, address)
                    }
                }
            }
            StaticInit::Bytes(bytes) => {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                Expr::atom(lit::string(&bytes[..end]))
            }
            StaticInit::Aggregate(parts) => self.static_aggregate(parts, ty, span),
        }
    }

    fn static_zero(&mut self, ty: Ty) -> Expr {
        match class(ty) {
            Class::Int | Class::Float | Class::Pointer => Expr::atom("0"),
            Class::Fat | Class::Other => Expr::Braces(Vec::new()),
        }
    }

    fn static_aggregate(&mut self, parts: &[(u64, StaticInit)], ty: Ty, span: Span) -> Expr {
        let mut list = Vec::with_capacity(parts.len());
        if let TyKind::Array { elem, .. } = *ty.kind() {
            let mut next = 0;
            for (n, part) in parts {
                let value = self.static_init(part, elem, span);
                let at = if *n == next { Designator::Next } else { Designator::Index(*n) };
                list.push(Init { at, value });
                next = n + 1;
            }
            return Expr::Braces(list);
        }
        if self.packing_of(ty).is_some() {
            return match parts.last() {
                Some((n, part)) => self.static_packed(ty, *n, part, span),
                None => Expr::Braces(Vec::new()),
            };
        }
        for (n, part) in parts {
            let Some((field, _)) = self.field_ty(ty, *n as u32) else { continue };
            let value = self.static_init(part, field, span);
            let name = self.member_name(ty, *n as u32);
            list.push(Init::field(name, value));
        }
        match *ty.kind() {
            TyKind::Adt(id, _) if self.adt(id).kind == AdtKind::TaggedUnion => {
                let tag = parts.first().map_or(0, |(n, _)| *n);
                Expr::Braces(vec![
                    Init::field("tag", konst::number(tag)),
                    Init::field("u", Expr::Braces(list)),
                ])
            }
            TyKind::Variant(id, variant, _) => {
                let tag = self.tag(id, variant);
                list.insert(0, Init::field("tag", Expr::Atom(tag)));
                Expr::Braces(list)
            }
            _ => Expr::Braces(list),
        }
    }

    /// Name of member `n` of a struct, union, tuple or variant.
    pub fn member_name(&mut self, ty: Ty, n: u32) -> Text {
        match *ty.kind() {
            TyKind::Adt(id, _) => self.field_name(id, n),
            _ => format!("f{n}").into(),
        }
    }

    /// A global at constant steps into it.
    fn static_place(&mut self, place: &Place, span: Span) -> Expr {
        let Base::Global(id) = place.base else {
            self.unsupported(span, "the address of a local variable in an initialiser");
            return Expr::atom("0");
        };
        let mut ty = self.global_ty(id);
        let mut expr = Expr::Atom(self.global_names[&id].clone());
        for step in &place.proj {
            match (*step, *ty.kind()) {
                (Proj::Index(Index::Const(n)), TyKind::Array { elem, .. }) => {
                    expr = expr.index(konst::number(n));
                    ty = elem;
                }
                (Proj::Field(n), _) => {
                    let Some((field, _)) = self.field_ty(ty, n) else { break };
                    self.define(ty, span);
                    expr = self.member(expr, ty, n);
                    ty = field;
                }
                _ => {
                    self.unsupported(span, "an address of this form in an initialiser");
                    break;
                }
            }
        }
        expr
    }

    /// `expr.field`, through the union of a tagged one.
    pub fn member(&mut self, expr: Expr, ty: Ty, n: u32) -> Expr {
        let name = self.member_name(ty, n);
        match *ty.kind() {
            TyKind::Adt(id, _) if self.adt(id).kind == AdtKind::TaggedUnion => {
                expr.member("u").member(name)
            }
            TyKind::Adt(id, _) if self.adt(id).kind == AdtKind::PackedUnion => {
                match (self.packing_of(ty), self.field_ty(ty, n)) {
                    (Some(packing), Some((field, _))) => self.unpack(expr, &packing, n, field),
                    _ => expr,
                }
            }
            _ => expr.member(name),
        }
    }
}
