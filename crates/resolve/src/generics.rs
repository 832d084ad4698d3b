//! Type variables: scopes, implicit parameters of signatures, and generic arguments.

use crate::cx::Resolver;
use crate::scan::{self, Scan};
use crate::types::Mode;
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::ExprKind;
use toft_ty::*;

/// What a type variable in scope stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A parameter of the function or definition at hand.
    Param(u32),
    /// Bound by a function type: the number of binders around its inside, index.
    Binder(u16, u16),
    /// A region of the body.
    Local(RegionId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TyVarEntry {
    pub name: Symbol,
    pub kind: Kind,
    pub target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SigKind {
    /// A declared function: its variables are `Param`s.
    Func,
    /// A function type: its variables are `Bound`.
    FuncType,
}

/// A signature being resolved: it takes in variables that nobody declared.
pub(crate) struct Sig<'a> {
    pub kind: SigKind,
    pub generics: Vec<GenericParam>,
    func: &'a ast::FuncDecl,
    /// The result: derivations and specifier.
    rest: &'a [ast::Derived],
    spec: &'a ast::TypeSpec,
    /// Undeclared variables have been taken in.
    complete: bool,
    base: usize,
}

/// State put aside while a type definition is resolved by itself.
pub(crate) struct Closed<'a> {
    floor: usize,
    len: usize,
    sigs: Vec<Sig<'a>>,
    binders: u16,
    bound_names: Vec<(Symbol, Ty)>,
}

impl<'a> Resolver<'a> {
    /// Opens a signature; its explicit parameters come first.
    pub fn open_sig(
        &mut self,
        kind: SigKind,
        func: &'a ast::FuncDecl,
        rest: &'a [ast::Derived],
        spec: &'a ast::TypeSpec,
    ) {
        if kind == SigKind::FuncType {
            self.binders += 1;
        }
        let base = self.tyvars.len();
        self.sigs.push(Sig { kind, generics: Vec::new(), func, rest, spec, complete: false, base });
        if !func.ty_params.is_empty() {
            let uses = self.scan_sig(self.sigs.len() - 1);
            for var in &func.ty_params {
                let param = scan::generic(&uses, var);
                self.add_sig_param(self.sigs.len() - 1, param);
            }
        }
    }

    /// Closes the innermost signature; its parameters.
    pub fn close_sig(&mut self) -> Vec<GenericParam> {
        let Some(sig) = self.sigs.pop() else { return Vec::new() };
        if sig.kind == SigKind::FuncType {
            self.binders -= 1;
        }
        self.tyvars.truncate(sig.base);
        sig.generics
    }

    fn scan_sig(&mut self, index: usize) -> Vec<scan::VarUse> {
        let (func, rest, spec) = {
            let sig = &self.sigs[index];
            (sig.func, sig.rest, sig.spec)
        };
        let mut scan = Scan::new(self);
        scan.declared(spec, rest);
        scan.func(func);
        scan.uses
    }

    fn add_sig_param(&mut self, index: usize, param: GenericParam) {
        let mut level = 0;
        for sig in &self.sigs[..=index] {
            level += u16::from(sig.kind == SigKind::FuncType);
        }
        let sig = &mut self.sigs[index];
        let n = sig.generics.len();
        sig.generics.push(param);
        let target = match sig.kind {
            SigKind::Func => Target::Param(n as u32),
            SigKind::FuncType => Target::Binder(level, n.min(usize::from(u16::MAX)) as u16),
        };
        // Entries of inner signatures come later in the list; insert below them.
        let at = self.sigs.get(index + 1).map_or(self.tyvars.len(), |inner| inner.base);
        self.tyvars.insert(at, TyVarEntry { name: param.name, kind: param.kind, target });
        for inner in &mut self.sigs[index + 1..] {
            inner.base += 1;
        }
    }

    /// A region parameter nobody wrote.
    pub fn fresh_region(&mut self) -> Region {
        let Some(sig) = self.sigs.last_mut() else { return Region::Heap };
        let n = sig.generics.len();
        sig.generics.push(GenericParam {
            name: Symbol::intern("_"),
            kind: Kind::Region,
            bound: Aqual::Aliasable,
            implicit: true,
        });
        match sig.kind {
            SigKind::Func => Region::Param(n as u32),
            SigKind::FuncType => Region::Bound(0, n.min(usize::from(u16::MAX)) as u16),
        }
    }

    /// Puts all variables out of sight, for a definition that stands by itself.
    pub fn close_world(&mut self) -> Closed<'a> {
        let closed = Closed {
            floor: self.tyvar_floor,
            len: self.tyvars.len(),
            sigs: std::mem::take(&mut self.sigs),
            binders: std::mem::take(&mut self.binders),
            bound_names: std::mem::take(&mut self.bound_names),
        };
        self.tyvar_floor = self.tyvars.len();
        closed
    }

    pub fn reopen_world(&mut self, closed: Closed<'a>) {
        self.tyvars.truncate(closed.len);
        self.tyvar_floor = closed.floor;
        self.sigs = closed.sigs;
        self.binders = closed.binders;
        self.bound_names = closed.bound_names;
    }

    /// Declares parameters of a definition as `Param(from…)`.
    pub fn bind_params(&mut self, params: &[GenericParam], from: u32) {
        for (n, param) in params.iter().enumerate() {
            self.tyvars.push(TyVarEntry {
                name: param.name,
                kind: param.kind,
                target: Target::Param(from + n as u32),
            });
        }
    }

    pub fn find_var(&mut self, name: Symbol) -> Option<TyVarEntry> {
        if let Some(entry) = self.peek_var(name) {
            return Some(entry);
        }
        for index in 0..self.sigs.len() {
            if self.sigs[index].complete {
                continue;
            }
            self.sigs[index].complete = true;
            let uses = self.scan_sig(index);
            for mention in uses.iter().filter(|mention| !mention.nested) {
                if self.peek_var(mention.name).is_some() {
                    continue;
                }
                let bound = uses.iter().filter(|m| m.name == mention.name).find_map(|m| m.bound);
                let kind = scan::decide(&uses, mention.name, None);
                let param = GenericParam {
                    name: mention.name,
                    kind,
                    bound: bound.unwrap_or(scan::default_bound(kind)),
                    implicit: false,
                };
                self.add_sig_param(index, param);
            }
        }
        self.peek_var(name)
    }

    pub fn peek_var(&self, name: Symbol) -> Option<TyVarEntry> {
        self.tyvars[self.tyvar_floor..].iter().rev().find(|entry| entry.name == name).copied()
    }

    fn var(&mut self, var: &ast::TyVar, wanted: &str) -> Option<TyVarEntry> {
        let found = self.find_var(var.name);
        if found.is_none() {
            let hidden = self.tyvars[..self.tyvar_floor].iter().any(|e| e.name == var.name);
            let name = var.name;
            if hidden {
                self.unsupported("local types over the type variables of their function", var.span);
                return None;
            }
            let code = if wanted == "a region" { codes::E0603 } else { codes::E0301 };
            let message = format!(
                "{} `'{name}` is not declared",
                wanted.trim_start_matches("a ").trim_start_matches("an ")
            );
            let diag = Diagnostic::error(code, message, var.span, "not in scope");
            let diag = if wanted == "a region" {
                diag.help(format!(
                    "declare it with `region<'{name}> …`, or as a parameter `<'{name}>`"
                ))
            } else {
                diag.help(format!("declare it as a parameter: `<'{name}>`"))
            };
            let _ = self.sess.emit(diag);
        }
        found
    }

    fn wrong_var(&self, var: &ast::TyVar, kind: Kind, wanted: &str) {
        let is = match kind {
            Kind::Any | Kind::Word => "a type",
            Kind::Region => "a region",
            Kind::Effect => "an effect",
            Kind::Int => "an integer",
            Kind::Aqual => "an aliasability",
        };
        let message = format!("`'{}` stands for {is}, but {wanted} is needed here", var.name);
        self.error(codes::E1004, message, var.span, "");
    }

    pub fn region_var(&mut self, var: &ast::TyVar) -> Option<Region> {
        self.region_in(var, false)
    }

    /// A region; where an effect stands also a variable for several.
    fn region_in(&mut self, var: &ast::TyVar, effect: bool) -> Option<Region> {
        match var.name.as_str() {
            "H" => return Some(Region::Heap),
            "X" => return Some(Region::Exchange),
            "S" => return Some(Region::Shared),
            _ => {}
        }
        let Some(entry) = self.var(var, "a region") else {
            // In a body any region will do: one error is enough.
            return self.body.active.then_some(Region::Hole);
        };
        if entry.kind != Kind::Region && !(effect && entry.kind == Kind::Effect) {
            self.wrong_var(var, entry.kind, "a region");
            return None;
        }
        Some(match entry.target {
            Target::Param(i) => Region::Param(i),
            Target::Binder(level, i) => Region::Bound(self.binders.saturating_sub(level), i),
            Target::Local(id) => Region::Local(id),
        })
    }

    pub fn aqual_var(&mut self, var: &ast::TyVar) -> Option<Aqual> {
        let entry = self.var(var, "an aliasability")?;
        if entry.kind != Kind::Aqual {
            self.wrong_var(var, entry.kind, "an aliasability");
            return None;
        }
        match entry.target {
            Target::Param(i) => Some(Aqual::Param(i)),
            Target::Binder(level, i) => Some(Aqual::Bound(self.binders.saturating_sub(level), i)),
            Target::Local(_) => None,
        }
    }

    pub fn aqual(&mut self, aqual: &ast::Aqual) -> Option<Aqual> {
        match aqual {
            ast::Aqual::Name(name, _) => Some(scan::aqual_of(*name)),
            ast::Aqual::Var(var) => self.aqual_var(var),
        }
    }

    pub fn int_var(&mut self, var: &ast::TyVar) -> Option<IntExpr> {
        let entry = self.var(var, "an integer")?;
        if entry.kind != Kind::Int {
            self.wrong_var(var, entry.kind, "an integer");
            return None;
        }
        match entry.target {
            Target::Param(i) => Some(IntExpr::Param(i)),
            Target::Binder(level, i) => Some(IntExpr::Bound(self.binders.saturating_sub(level), i)),
            Target::Local(_) => None,
        }
    }

    pub fn type_var(&mut self, var: &ast::TyVar) -> Ty {
        if scan::is_fixed(var.name) {
            self.wrong_var(var, Kind::Region, "a type");
            return self.common.error;
        }
        let Some(entry) = self.var(var, "a type variable") else { return self.common.error };
        if !matches!(entry.kind, Kind::Any | Kind::Word) {
            self.wrong_var(var, entry.kind, "a type");
            return self.common.error;
        }
        match entry.target {
            Target::Param(i) => Ty::new(TyKind::Param(i, var.name)),
            Target::Binder(level, i) => {
                Ty::new(TyKind::Bound(self.binders.saturating_sub(level), i))
            }
            Target::Local(_) => self.common.error,
        }
    }

    pub fn effect(&mut self, effect: &ast::Effect) -> Vec<Region> {
        effect.vars.iter().filter_map(|var| self.region_in(var, true)).collect()
    }

    pub fn constraints(&mut self, list: &[ast::Constraint]) -> Vec<RegionBound> {
        let mut bounds = Vec::new();
        for constraint in list {
            match constraint {
                ast::Constraint::Outlives(effect, var) => {
                    let Some(low) = self.region_var(var) else { continue };
                    for high in &effect.vars {
                        let kind = self.find_var(high.name).map(|entry| entry.kind);
                        if matches!(kind, Some(Kind::Any | Kind::Word)) {
                            bounds.push(RegionBound::TyOutlives(self.type_var(high), low));
                        } else if let Some(high) = self.region_in(high, false) {
                            bounds.push(RegionBound::Outlives(high, low));
                        }
                    }
                }
                ast::Constraint::Single(var) => {
                    bounds.extend(self.region_var(var).map(RegionBound::Single));
                }
            }
        }
        bounds
    }

    /// A region argument: `'r`, or `next_rgn<'r>`.
    pub fn region_arg(&mut self, arg: &'a ast::TypeArg, span: Span) -> Option<Region> {
        if let ast::TypeArg::Type(name) = arg {
            if let Some(var) = scan::bare_var(name) {
                return self.region_var(var);
            }
            if let ast::TypeSpecKind::Named(path, args) = &name.spec.kind
                && scan::is_next_rgn(path)
                && let [inner] = &args[..]
            {
                // That the prelude names them is no use of them.
                self.prog.next_regions |= !(self.prelude && self.cur == 0);
                let inner = self.region_arg(inner, span)?;
                if matches!(inner, Region::Exchange | Region::Shared) {
                    self.error(codes::E0603, "this region has no successor", name.span, "");
                    return None;
                }
                return Some(inner.next(1));
            }
        }
        self.error(codes::E1001, "a region is needed here", arg_span(arg, span), "");
        None
    }

    pub fn aqual_arg(&mut self, arg: &'a ast::TypeArg, span: Span) -> Option<Aqual> {
        match arg {
            ast::TypeArg::Aqual(aqual) => return self.aqual(aqual),
            ast::TypeArg::Type(name) => {
                if let Some(var) = scan::bare_var(name) {
                    return self.aqual_var(var);
                }
            }
            _ => {}
        }
        self.error(codes::E1001, "an aliasability is needed here", arg_span(arg, span), "");
        None
    }

    pub fn int_arg(&mut self, arg: &'a ast::TypeArg, span: Span) -> Option<IntExpr> {
        match arg {
            ast::TypeArg::Int(expr) => return self.int_expr(expr),
            ast::TypeArg::Type(name) => {
                if let Some(var) = scan::bare_var(name) {
                    return self.int_var(var);
                }
                // A constant's name looks like a type to the parser.
                if let ast::TypeSpecKind::Named(path, args) = &name.spec.kind
                    && args.is_empty()
                    && name.declarator.derived.is_empty()
                {
                    let value = self.path_expr(path, &[], name.span);
                    if !matches!(value.kind, ExprKind::Error) {
                        return self.const_bound(&value);
                    }
                    return None;
                }
            }
            _ => {}
        }
        self.error(codes::E1001, "an integer is needed here", arg_span(arg, span), "");
        None
    }

    /// One argument for a parameter of kind `kind`.
    pub fn garg(
        &mut self,
        arg: &'a ast::TypeArg,
        kind: Kind,
        mode: Mode,
        span: Span,
    ) -> Option<GArg> {
        match kind {
            Kind::Any | Kind::Word => match arg {
                ast::TypeArg::Type(name) => Some(GArg::Ty(self.bare_type(name, mode))),
                _ => {
                    self.error(codes::E1001, "a type is needed here", arg_span(arg, span), "");
                    None
                }
            },
            Kind::Region => self.region_arg(arg, span).map(GArg::Region),
            Kind::Aqual => self.aqual_arg(arg, span).map(GArg::Aqual),
            Kind::Int => self.int_arg(arg, span).map(GArg::Int),
            Kind::Effect => match arg {
                ast::TypeArg::Effect(effect) => {
                    let list = self.effect(effect);
                    Some(GArg::Effect(Box::leak(list.into())))
                }
                _ => {
                    let region = self.region_arg(arg, span)?;
                    Some(GArg::Effect(Box::leak(Box::new([region]))))
                }
            },
        }
    }

    /// The arguments of a generic type, defaults filled in.
    pub fn generic_args(
        &mut self,
        name: Symbol,
        params: &[GenericParam],
        args: &'a [ast::TypeArg],
        mode: Mode,
        span: Span,
    ) -> Option<Vec<GArg>> {
        if params.is_empty() && args.is_empty() {
            return Some(Vec::new());
        }
        let has_default =
            |param: &GenericParam| matches!(param.kind, Kind::Region | Kind::Aqual | Kind::Effect);
        let needed = params.iter().filter(|param| !has_default(param)).count();
        // Either a prefix is written, or all but those with defaults.
        let by_position = args.len() == params.len()
            || args.len() < params.len() && params[args.len()..].iter().all(has_default);
        if !by_position && args.len() != needed {
            let message = format!(
                "`{name}` takes {} generic argument{}, but {} {} given",
                params.len(),
                if params.len() == 1 { "" } else { "s" },
                args.len(),
                if args.len() == 1 { "is" } else { "are" },
            );
            self.error(codes::E1001, message, span, "");
            return None;
        }
        let mut rest = args.iter();
        let mut out = Vec::with_capacity(params.len());
        let mut ok = true;
        for param in params {
            let written = if by_position || !has_default(param) { rest.next() } else { None };
            match written {
                Some(arg) => match self.garg(arg, param.kind, mode, span) {
                    Some(made) => {
                        self.within_bound(name, param, made, arg_span(arg, span));
                        out.push(made);
                    }
                    None => ok = false,
                },
                None => out.push(match param.kind {
                    Kind::Aqual => GArg::Aqual(Aqual::Aliasable),
                    Kind::Effect => GArg::Effect(&[]),
                    _ => GArg::Region(self.default_region(mode)),
                }),
            }
        }
        ok.then_some(out)
    }
}

impl<'a> Resolver<'a> {
    /// Pointers for a type parameter have the aliasability of its bound. What other types hold
    /// by value is looked at where values are made.
    fn within_bound(&self, name: Symbol, param: &GenericParam, arg: GArg, span: Span) {
        let GArg::Ty(ty) = arg else { return };
        let Some(ptr) = ty.as_ptr() else { return };
        let fits = match param.bound {
            Aqual::Top => true,
            Aqual::Aliasable => matches!(ptr.aqual, Aqual::Aliasable | Aqual::Infer(_)),
            bound => ptr.aqual == bound,
        };
        if fits {
            return;
        }
        let bound = match param.bound {
            Aqual::Unique => "unique pointers (`\\U`)",
            Aqual::Counted => "counted pointers (`\\RC`)",
            _ => "values that may be copied",
        };
        let text = self.ty_text(ty);
        let message = format!("`'{}` of `{name}` takes {bound} only, not `{text}`", param.name);
        let diag = Diagnostic::error(codes::E2009, message, span, "").help(format!(
            "declare the parameter with another bound: `<'{0}\\T>` takes anything, `<'{0}\\U>` unique pointers",
            param.name
        ));
        let _ = self.sess.emit(diag);
    }
}

fn arg_span(arg: &ast::TypeArg, span: Span) -> Span {
    let own = match arg {
        ast::TypeArg::Type(name) => name.span,
        ast::TypeArg::Int(expr) => expr.span,
        ast::TypeArg::Effect(effect) => effect.span,
        ast::TypeArg::Aqual(ast::Aqual::Name(_, span)) => *span,
        ast::TypeArg::Aqual(ast::Aqual::Var(var)) => var.span,
    };
    if own.is_none() { span } else { own }
}

/// Replaces the parameters of a typedef; arguments that go under function types have
/// their `Bound` indices raised.
pub(crate) struct Apply<'a>(pub &'a [GArg]);

impl Apply<'_> {
    fn arg(&self, index: u32, depth: u16) -> Option<GArg> {
        let arg = *self.0.get(index as usize)?;
        Some(if depth == 0 { arg } else { Shift(depth).garg(arg) })
    }
}

impl Folder for Apply<'_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::PARAM)
    }
    fn region(&mut self, region: Region, depth: u16) -> Region {
        match region {
            Region::Param(i) => match self.arg(i, depth) {
                Some(GArg::Region(new)) => new,
                Some(GArg::Effect([one])) => *one,
                _ => region,
            },
            _ => region,
        }
    }
    fn effect(&mut self, region: Region, depth: u16, out: &mut Vec<Region>) {
        if let Region::Param(i) = region
            && let Some(GArg::Effect(list)) = self.arg(i, depth)
        {
            out.extend_from_slice(list);
        } else {
            out.push(self.any_region(region, depth));
        }
    }
    fn aqual(&mut self, aqual: Aqual, depth: u16) -> Aqual {
        match aqual {
            Aqual::Param(i) => match self.arg(i, depth) {
                Some(GArg::Aqual(new)) => new,
                _ => aqual,
            },
            _ => aqual,
        }
    }
    fn int(&mut self, int: IntExpr, depth: u16) -> IntExpr {
        match int {
            IntExpr::Param(i) => match self.arg(i, depth) {
                Some(GArg::Int(new)) => new,
                _ => int,
            },
            _ => int,
        }
    }
    fn leaf(&mut self, ty: Ty, depth: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Param(i, _) => match self.arg(i, depth) {
                Some(GArg::Ty(new)) => Some(new),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Raises free `Bound` levels by a number of binders.
struct Shift(u16);

impl Folder for Shift {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::BOUND)
    }
    fn region(&mut self, region: Region, depth: u16) -> Region {
        match region {
            Region::Bound(level, i) if level >= depth => Region::Bound(level + self.0, i),
            _ => region,
        }
    }
    fn aqual(&mut self, aqual: Aqual, depth: u16) -> Aqual {
        match aqual {
            Aqual::Bound(level, i) if level >= depth => Aqual::Bound(level + self.0, i),
            _ => aqual,
        }
    }
    fn int(&mut self, int: IntExpr, depth: u16) -> IntExpr {
        match int {
            IntExpr::Bound(level, i) if level >= depth => IntExpr::Bound(level + self.0, i),
            _ => int,
        }
    }
    fn leaf(&mut self, ty: Ty, depth: u16) -> Option<Ty> {
        match *ty.kind() {
            TyKind::Bound(level, i) if level >= depth => {
                Some(Ty::new(TyKind::Bound(level + self.0, i)))
            }
            _ => None,
        }
    }
}

/// Replaces holes, where a type turns out to be a signature's.
pub(crate) struct FillHoles(pub Region);

impl Folder for FillHoles {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::INFER)
    }
    fn region(&mut self, region: Region, _: u16) -> Region {
        if region == Region::Hole { self.0 } else { region }
    }
}
