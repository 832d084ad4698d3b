//! Finding the type variables of a signature or definition, with the kinds that their
//! positions ask for.

use crate::cx::{GenericsState, Resolver};
use crate::scope::{Name, Tag};
use toft_ast as ast;
use toft_base::Symbol;
use toft_ty::{AdtId, Aqual, GenericParam, Kind};

/// One mention of a type variable.
#[derive(Clone, Copy)]
pub(crate) struct VarUse {
    pub name: Symbol,
    /// Written (`'a::R`) or certain from the position.
    pub kind: Option<Kind>,
    /// Likely from the position, if nothing else says more.
    pub hint: Option<Kind>,
    pub bound: Option<Aqual>,
    /// Inside a function type.
    pub nested: bool,
}

pub(crate) struct Scan<'r, 'a> {
    cx: &'r mut Resolver<'a>,
    pub uses: Vec<VarUse>,
    nested: u32,
}

pub(crate) fn kind_of(kind: ast::Kind) -> Kind {
    match kind {
        ast::Kind::Any => Kind::Any,
        ast::Kind::Word => Kind::Word,
        ast::Kind::Region => Kind::Region,
        ast::Kind::Effect => Kind::Effect,
        ast::Kind::Int => Kind::Int,
        ast::Kind::Aqual => Kind::Aqual,
    }
}

pub(crate) fn aqual_of(name: ast::AqualName) -> Aqual {
    match name {
        ast::AqualName::Aliasable => Aqual::Aliasable,
        ast::AqualName::Unique => Aqual::Unique,
        ast::AqualName::Counted => Aqual::Counted,
        ast::AqualName::Top => Aqual::Top,
    }
}

/// `'H`, `'X` and `'S` are not variables.
pub(crate) fn is_fixed(name: Symbol) -> bool {
    matches!(name.as_str(), "H" | "X" | "S")
}

impl<'r, 'a> Scan<'r, 'a> {
    pub fn new(cx: &'r mut Resolver<'a>) -> Scan<'r, 'a> {
        Scan { cx, uses: Vec::new(), nested: 0 }
    }

    fn var(&mut self, var: &ast::TyVar, kind: Option<Kind>, hint: Option<Kind>) {
        if is_fixed(var.name) {
            return;
        }
        let written = var.kind.map(kind_of);
        self.uses.push(VarUse {
            name: var.name,
            kind: written.or(kind),
            hint,
            bound: var.bound.map(aqual_of),
            nested: self.nested > 0,
        });
    }

    pub fn spec(&mut self, spec: &ast::TypeSpec) {
        use ast::TypeSpecKind as K;
        match &spec.kind {
            K::Var(var) => self.var(var, None, Some(Kind::Any)),
            K::Named(path, args) => {
                let kinds = match self.cx.lookup(path) {
                    Name::Typedef(id) => {
                        self.cx.typedefs[id as usize].generics.iter().map(|p| p.kind).collect()
                    }
                    _ if is_next_rgn(path) => vec![Kind::Region],
                    _ => Vec::new(),
                };
                self.args(args, &kinds);
            }
            K::Record(record) => {
                let kinds = match &record.tag {
                    Some(tag) if !record.args.is_empty() => self.tag_kinds(tag),
                    _ => Vec::new(),
                };
                self.args(&record.args, &kinds);
                if record.tag.is_none()
                    && let Some(body) = &record.body
                {
                    self.record_body(body);
                }
            }
            K::Datatype(data) => {
                let kinds =
                    if data.args.is_empty() { Vec::new() } else { self.tag_kinds(&data.tag) };
                self.args(&data.args, &kinds);
            }
            K::Tuple(fields) => fields.iter().for_each(|field| self.type_name(field)),
            K::TypeofType(name) => self.type_name(name),
            K::Unqual(inner) => self.spec(inner),
            K::RegionHandle(arg) => self.arg(arg, Some(Kind::Region)),
            K::AqualHandle(arg) => self.arg(arg, Some(Kind::Aqual)),
            K::Tag(arg) => self.arg(arg, Some(Kind::Int)),
            K::SizeofT(arg) => self.arg(arg, Some(Kind::Any)),
            K::Subset(subset) => self.type_name(&subset.base),
            _ => {}
        }
    }

    fn tag_kinds(&mut self, tag: &ast::Path) -> Vec<Kind> {
        match self.cx.tag_of_path(tag) {
            Tag::Adt(id) => self.cx.adt_kinds(id),
            _ => Vec::new(),
        }
    }

    fn args(&mut self, args: &[ast::TypeArg], kinds: &[Kind]) {
        for (n, arg) in args.iter().enumerate() {
            self.arg(arg, kinds.get(n).copied());
        }
    }

    fn arg(&mut self, arg: &ast::TypeArg, kind: Option<Kind>) {
        match arg {
            ast::TypeArg::Type(name) => match bare_var(name) {
                Some(var) => self.var(var, kind, None),
                None => self.type_name(name),
            },
            ast::TypeArg::Aqual(aqual) => self.aqual(aqual),
            ast::TypeArg::Int(expr) => self.expr(expr),
            ast::TypeArg::Effect(effect) => self.effect(effect),
        }
    }

    fn aqual(&mut self, aqual: &ast::Aqual) {
        if let ast::Aqual::Var(var) = aqual {
            self.var(var, Some(Kind::Aqual), None);
        }
    }

    fn effect(&mut self, effect: &ast::Effect) {
        effect.vars.iter().for_each(|var| self.var(var, None, Some(Kind::Region)));
    }

    pub fn constraints(&mut self, list: &[ast::Constraint]) {
        for constraint in list {
            match constraint {
                ast::Constraint::Outlives(effect, var) => {
                    self.effect(effect);
                    self.var(var, None, Some(Kind::Region));
                }
                ast::Constraint::Single(var) => self.var(var, Some(Kind::Region), None),
            }
        }
    }

    /// Sizes name integer variables by `valueof('n)`.
    fn expr(&mut self, expr: &ast::Expr) {
        match &expr.kind {
            ast::ExprKind::Valueof(var) => self.var(var, Some(Kind::Int), None),
            ast::ExprKind::Paren(inner) => self.expr(inner),
            ast::ExprKind::SizeofType(name) => self.type_name(name),
            _ => {}
        }
    }

    pub fn type_name(&mut self, name: &ast::TypeName) {
        self.declared(&name.spec, &name.declarator.derived);
    }

    /// The type of one declarator. The specifier belongs to the innermost result.
    pub fn declared(&mut self, spec: &ast::TypeSpec, derived: &[ast::Derived]) {
        self.derived(derived);
        let inside = u32::from(derived.iter().any(|d| matches!(d, ast::Derived::Function(_))));
        self.nested += inside;
        self.spec(spec);
        self.nested -= inside;
    }

    pub fn derived(&mut self, list: &[ast::Derived]) {
        // A function type encloses what follows it: its result.
        let outer = self.nested;
        for derived in list {
            match derived {
                ast::Derived::Pointer(ptr) => self.pointer(ptr),
                ast::Derived::Array(array) => {
                    if let Some(size) = &array.size {
                        self.expr(size);
                    }
                }
                ast::Derived::Function(func) => {
                    self.nested += 1;
                    self.func(func);
                }
            }
        }
        self.nested = outer;
    }

    fn pointer(&mut self, ptr: &ast::PtrDecl) {
        for (attr, _) in &ptr.attrs {
            match attr {
                ast::PtrAttr::Region(var) => self.var(var, None, Some(Kind::Region)),
                ast::PtrAttr::RegionArg(arg) => self.arg(arg, Some(Kind::Region)),
                ast::PtrAttr::Aqual(aqual) => self.aqual(aqual),
                ast::PtrAttr::Numelts(expr) => self.expr(expr),
                _ => {}
            }
        }
    }

    /// Everything of a function declarator but its result.
    pub fn func(&mut self, func: &ast::FuncDecl) {
        for param in &func.params {
            self.declared(&param.spec, &param.declarator.derived);
        }
        if let ast::VarargDecl::Typed { ty, .. } = &func.varargs {
            self.type_name(ty);
        }
        if let Some(effect) = &func.effect {
            self.effect(effect);
        }
        self.constraints(&func.constraints);
    }

    pub fn record_body(&mut self, body: &ast::RecordBody) {
        for field in &body.fields {
            let derived = field.declarator.as_ref().map_or(&[][..], |d| &d.derived);
            self.declared(&field.spec, derived);
        }
        self.constraints(&body.constraints);
    }

    pub fn variants(&mut self, variants: &[ast::Variant]) {
        for param in variants.iter().flat_map(|variant| &variant.fields) {
            self.declared(&param.spec, &param.declarator.derived);
        }
    }
}

pub(crate) fn is_next_rgn(path: &ast::Path) -> bool {
    matches!(&path.segments[..], [one] if one.name.as_str() == "next_rgn")
}

/// A type name that is nothing but a type variable.
pub(crate) fn bare_var(name: &ast::TypeName) -> Option<&ast::TyVar> {
    match &name.spec.kind {
        ast::TypeSpecKind::Var(var) if name.declarator.derived.is_empty() => Some(var),
        _ => None,
    }
}

/// The kind of the variable `name` over all its mentions: what is certain, then what is
/// likely.
pub(crate) fn decide(uses: &[VarUse], name: Symbol, written: Option<ast::Kind>) -> Kind {
    let mentions = || uses.iter().filter(|mention| mention.name == name);
    written
        .map(kind_of)
        .or_else(|| mentions().find_map(|mention| mention.kind))
        .or_else(|| mentions().find_map(|mention| mention.hint))
        .unwrap_or(Kind::Any)
}

pub(crate) fn generic(uses: &[VarUse], var: &ast::TyVar) -> GenericParam {
    let bound = var
        .bound
        .map(aqual_of)
        .or_else(|| uses.iter().filter(|m| m.name == var.name).find_map(|m| m.bound));
    let kind = decide(uses, var.name, var.kind);
    GenericParam {
        name: var.name,
        kind,
        bound: bound.unwrap_or(default_bound(kind)),
        implicit: false,
    }
}

/// Types are copied freely unless another bound is written; an aliasability may be any.
pub(crate) fn default_bound(kind: Kind) -> Aqual {
    if kind == Kind::Aqual { Aqual::Top } else { Aqual::Aliasable }
}

/// A definition's parameter; one that its members never mention names a region, that of
/// what the definition hides.
fn definition_generic(uses: &[VarUse], var: &ast::TyVar) -> GenericParam {
    let mut param = generic(uses, var);
    if var.kind.is_none() && var.bound.is_none() && !uses.iter().any(|m| m.name == var.name) {
        param.kind = Kind::Region;
    }
    param
}

impl<'a> Resolver<'a> {
    /// Kinds of an ADT's parameters; empty while they are being found.
    pub fn adt_kinds(&mut self, id: AdtId) -> Vec<Kind> {
        if self.adts[id].generics == GenericsState::Unknown {
            self.find_generics(id);
        }
        self.prog.tables.adts[id].generics.iter().map(|param| param.kind).collect()
    }

    /// Finds the parameters of an ADT from its definition.
    fn find_generics(&mut self, id: AdtId) {
        let Some(source) = self.adts[id].source else { return };
        self.adts[id].generics = GenericsState::Busy;
        let params: &'a [ast::TyVar] = match source {
            crate::cx::AdtSource::Record(spec) => match &spec.body {
                Some(body) => &body.params,
                None => &[],
            },
            crate::cx::AdtSource::Datatype(spec) => match &spec.body {
                Some(body) => &body.params,
                None => &[],
            },
        };
        if !params.is_empty() {
            let mut scan = Scan::new(self);
            match source {
                crate::cx::AdtSource::Record(spec) => {
                    if let Some(body) = &spec.body {
                        scan.record_body(body);
                    }
                }
                crate::cx::AdtSource::Datatype(spec) => {
                    if let Some(body) = &spec.body {
                        scan.variants(&body.variants);
                    }
                }
            }
            let uses = scan.uses;
            let generics = params.iter().map(|var| definition_generic(&uses, var)).collect();
            self.prog.tables.adts[id].generics = generics;
        }
        self.adts[id].generics = GenericsState::Done;
    }
}
