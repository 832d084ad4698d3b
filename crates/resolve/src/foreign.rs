//! Entities with linkage: declarations of one name that meet, across files and across the
//! border to C.

use crate::cx::Resolver;
use crate::func::NewFunc;
use crate::scope::{Name, ROOT};
use toft_ast as ast;
use toft_base::Symbol;
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    fn bind_entity(&mut self, ns: u32, ident: ast::Ident, what: Name) {
        if self.body.active {
            self.scopes.bind(ident.name, what);
        } else {
            self.declare_name(ns, ident.name, what);
        }
    }

    fn origin(&self, defines: bool) -> Origin {
        match (self.is_foreign(), self.extern_c && !defines) {
            (true, _) => Origin::Foreign,
            (false, true) => Origin::Trusted,
            (false, false) => Origin::Toft,
        }
    }

    /// The entity that a declaration of `name` speaks of, if there is one already.
    fn existing(
        &self,
        ns: u32,
        name: Symbol,
        link: Symbol,
        is_static: bool,
        defines: bool,
    ) -> Name {
        let bound = if self.body.active {
            self.scopes.name_here(name)
        } else {
            self.scopes.member(ns, name)
        };
        if is_static {
            return bound;
        }
        let in_c = self.is_foreign() || self.extern_c;
        if in_c {
            return match self.c_externs.get(&link) {
                Some(&found) => found,
                // A Toft function may be declared `extern "C"` after the fact.
                None if !self.is_foreign() => bound,
                None => Name::None,
            };
        }
        if bound != Name::None && !self.name_is_foreign(bound) {
            return bound;
        }
        if self.name_is_foreign(bound) && !defines {
            return bound;
        }
        let full = self.scopes.qualified(ns, name);
        self.externs.get(&full).copied().unwrap_or(Name::None)
    }

    /// Whether a foreign declaration has nothing to say: Toft's own word stands.
    fn is_shadowed(&self, ns: u32, name: Symbol) -> bool {
        if !self.is_foreign() {
            return false;
        }
        let bound = self.scopes.member(ns, name);
        !matches!(bound, Name::None | Name::Poison) && !self.name_is_foreign(bound)
    }

    /// Takes a declaration of a function in; the function, and whether the definition (if it
    /// is one) counts.
    pub fn enter_func(&mut self, new: NewFunc) -> (FuncId, bool) {
        let ident = new.ident;
        let key = (self.site(ident.span), ident.name);
        if let Some(&Name::Func(id)) = self.sites.get(&key)
            && self.prog.funcs[id].span == ident.span
        {
            self.bind_entity(new.ns, ident, Name::Func(id));
            return (id, false);
        }
        let link = new.asm_label.unwrap_or(ident.name);
        let found = self.existing(new.ns, ident.name, link, new.is_static, new.defines);
        let shadowed = self.is_shadowed(new.ns, ident.name);
        let (id, taken) = match found {
            Name::Func(id) => self.merge_func(id, &new),
            Name::None | Name::Poison => (self.add_func(&new), true),
            other if self.is_foreign() || self.name_is_foreign(other) => {
                (self.add_func(&new), true)
            }
            other => {
                self.redefined_as(ident, other, "a function");
                (self.add_func(&new), true)
            }
        };
        self.sites.insert(key, Name::Func(id));
        if !new.is_static && !shadowed {
            let what = Name::Func(id);
            if self.is_foreign() || self.extern_c {
                self.c_externs.entry(link).or_insert(what);
            } else if self.prog.funcs[id].origin != Origin::Foreign {
                let full = self.scopes.qualified(new.ns, ident.name);
                self.externs.entry(full).or_insert(what);
            }
        }
        if !shadowed {
            self.bind_entity(new.ns, ident, Name::Func(id));
        }
        if new.defines && taken {
            self.defined.insert(Name::Func(id), ident.span);
        }
        let main = ident.name.as_str() == "main" && new.ns == ROOT && !new.is_static;
        if main && new.defines && !self.is_foreign() {
            self.prog.main = Some(id);
        }
        self.take_contracts(id, ident);
        (id, taken)
    }

    fn take_contracts(&mut self, id: FuncId, ident: ast::Ident) {
        if let Some(at) = self.pending_contracts.iter().position(|(other, _)| *other == ident) {
            let (_, decl) = self.pending_contracts.swap_remove(at);
            self.contract_work.push((self.cur, id, decl));
        }
    }

    fn redefined_as(&self, ident: ast::Ident, old: Name, now: &str) {
        let message =
            format!("`{}` is declared as {} and as {now}", ident.name, Self::describe(old));
        let mut diag = Diagnostic::error(codes::E0303, message, ident.span, format!("{now} here"));
        let span = self.name_span(old);
        if !span.is_none() {
            diag = diag.label(span, format!("{} here", Self::describe(old)));
        }
        let _ = self.sess.emit(diag);
    }

    fn add_func(&mut self, new: &NewFunc) -> FuncId {
        let origin = self.origin(new.defines);
        let in_c = (self.is_foreign() || self.extern_c) && !new.is_static;
        if let Some(param) = new.generics.iter().find(|param| param.kind == Kind::Any)
            && in_c
        {
            let message = format!("`{}` is generic, and C has one function a name", new.ident.name);
            let why = format!("`'{}` stands for any type", param.name);
            let diag = Diagnostic::error(codes::E1102, message, new.ident.span, why);
            let _ = self.sess.emit(diag.help("export a function for one type that calls this one"));
        }
        let unit = self.units[self.cur].file;
        self.prog.funcs.push(Func {
            name: self.scopes.qualified(new.ns, new.ident.name),
            link_name: new.asm_label.or(in_c.then_some(new.ident.name)),
            span: new.ident.span,
            origin,
            linkage: if new.is_static { Linkage::Internal(unit) } else { Linkage::External },
            is_inline: new.is_inline,
            generics: new.generics.clone(),
            sig: new.sig.clone(),
            params: new.params.clone(),
            ret_refine: new.ret_refine,
            format: new.attrs.format,
            same_const: new.attrs.same_const,
            builtin: new.attrs.builtin,
            contracts: Vec::new(),
            body: None,
        })
    }

    fn merge_func(&mut self, id: FuncId, new: &NewFunc) -> (FuncId, bool) {
        let old = &self.prog.funcs[id];
        match (old.origin, self.origin(new.defines)) {
            // Host headers agree among themselves; Toft's word counts more than theirs.
            (_, Origin::Foreign) => return (id, false),
            (Origin::Foreign, Origin::Toft) if !self.extern_c => {
                // A plain declaration of a foreign function adds nothing.
                return (id, false);
            }
            (Origin::Foreign, _) => {
                self.check_interface(id, new);
                self.replace_func(id, new);
                return (id, true);
            }
            _ => {}
        }
        if let (Linkage::External, true) = (old.linkage, new.is_static) {
            let message = format!("`{}` is `static` here, but was not before", new.ident.name);
            let diag = Diagnostic::error(codes::E0303, message, new.ident.span, "`static` here")
                .label(old.span, "not `static` here");
            let _ = self.sess.emit(diag);
        }
        if !same_sig(old, new) {
            let wrong = old.sig.params.iter().chain(&new.sig.params).any(|ty| ty.is_error())
                || old.sig.ret.is_error()
                || new.sig.ret.is_error();
            if !wrong {
                self.conflict_func(new.ident, id, &new.sig);
            }
            if !new.defines {
                return (id, false);
            }
        }
        if new.defines {
            if let Some(&before) = self.defined.get(&Name::Func(id)) {
                self.redefined(new.ident.name, new.ident.span, before);
                // Its body is looked at all the same, under an entity of its own.
                return (self.add_func(new), true);
            }
            self.replace_func(id, new);
            return (id, true);
        }
        let old = &mut self.prog.funcs[id];
        old.sig.noreturn |= new.sig.noreturn;
        old.sig.consumes |= new.sig.consumes;
        old.ret_refine = old.ret_refine.or(new.ret_refine);
        old.format = old.format.or(new.attrs.format);
        old.builtin = old.builtin.or(new.attrs.builtin);
        if self.extern_c && old.link_name.is_none() {
            old.link_name = Some(new.asm_label.unwrap_or(new.ident.name));
        }
        (id, false)
    }

    fn replace_func(&mut self, id: FuncId, new: &NewFunc) {
        let origin = self.origin(new.defines);
        let in_c = self.extern_c && !new.is_static;
        let old = &mut self.prog.funcs[id];
        if old.origin == Origin::Foreign {
            old.linkage = Linkage::External;
        }
        old.origin = origin;
        old.span = new.ident.span;
        old.is_inline |= new.is_inline;
        old.generics = new.generics.clone();
        let (noreturn, consumes) = (old.sig.noreturn, old.sig.consumes);
        old.sig = new.sig.clone();
        old.sig.noreturn |= noreturn;
        old.sig.consumes |= consumes;
        old.params = new.params.clone();
        old.ret_refine = new.ret_refine.or(old.ret_refine);
        old.format = new.attrs.format.or(old.format);
        old.builtin = new.attrs.builtin.or(old.builtin);
        old.same_const |= new.attrs.same_const;
        if old.link_name.is_none() && in_c {
            old.link_name = Some(new.ident.name);
        }
        if new.asm_label.is_some() {
            old.link_name = new.asm_label;
        }
    }

    /// `extern "C"` gives a foreign function an interface: both must be one function to C.
    fn check_interface(&self, id: FuncId, new: &NewFunc) {
        let old = &self.prog.funcs[id];
        if new.asm_label.is_some() {
            // Another symbol: a wrapper of the same name.
            return;
        }
        let counts = old.sig.params.len() == new.sig.params.len();
        let why = if !counts {
            Some(format!(
                "{} parameter{} here, {} in the header",
                new.sig.params.len(),
                if new.sig.params.len() == 1 { "" } else { "s" },
                old.sig.params.len()
            ))
        } else {
            let pairs = old.sig.params.iter().zip(&new.sig.params);
            let wrong = pairs.enumerate().find(|(_, (a, b))| !self.same_in_c(**a, **b));
            match wrong {
                Some((n, (a, b))) => Some(format!(
                    "parameter {} is `{}` here, `{}` in the header",
                    n + 1,
                    self.ty_text(*b),
                    self.ty_text(*a)
                )),
                None if !self.same_in_c(old.sig.ret, new.sig.ret) => Some(format!(
                    "the result is `{}` here, `{}` in the header",
                    self.ty_text(new.sig.ret),
                    self.ty_text(old.sig.ret)
                )),
                None => None,
            }
        };
        let Some(why) = why else { return };
        let message = format!("this interface of `{}` does not fit the C function", new.ident.name);
        let diag = Diagnostic::error(codes::E1102, message, new.ident.span, why)
            .label(old.span, "the header declares it here");
        let _ = self.sess.emit(diag);
    }

    /// Whether two types are passed alike in C.
    fn same_in_c(&self, a: Ty, b: Ty) -> bool {
        if a.is_error() || b.is_error() {
            return true;
        }
        match (a.kind(), b.kind()) {
            (TyKind::Ptr(a), TyKind::Ptr(b)) => {
                (a.bounds == Bounds::Fat) == (b.bounds == Bounds::Fat)
            }
            (TyKind::Float(a), TyKind::Float(b)) => a == b,
            (TyKind::Adt(..), TyKind::Adt(..)) => {
                let size = |ty| layout::layout_of(&self.prog.tables, ty).ok();
                size(a) == size(b)
            }
            _ if a.is_integer() && b.is_integer() => {
                let size = |ty| layout::layout_of(&self.prog.tables, ty).ok();
                size(a) == size(b)
            }
            _ => a == b,
        }
    }

    /// Takes a declaration of a variable in.
    pub fn enter_global(
        &mut self,
        decl: &'a ast::Decl,
        init: &'a ast::InitDeclarator,
        ns: u32,
        ident: ast::Ident,
        ty: Ty,
        quals: TyQuals,
    ) -> Option<GlobalId> {
        let key = (self.site(ident.span), ident.name);
        if let Some(&Name::Global(id)) = self.sites.get(&key)
            && self.prog.globals[id].span == ident.span
        {
            self.bind_entity(ns, ident, Name::Global(id));
            return None;
        }
        let class = decl.storage.class;
        let is_static = class == ast::StorageClass::Static;
        let is_extern = class == ast::StorageClass::Extern || self.body.active;
        let in_block = self.extern_c && init.init.is_none();
        let defines = init.init.is_some() || !(is_extern || self.is_foreign() || in_block);
        let link = init.asm_label.unwrap_or(ident.name);
        let found = self.existing(ns, ident.name, link, is_static, defines);
        let shadowed = self.is_shadowed(ns, ident.name);
        let lists = [&decl.attrs, &init.declarator.attrs];
        let align = self.alignment(&decl.spec.align, &lists);
        let in_c = (self.is_foreign() || self.extern_c) && !is_static;
        let global = Global {
            name: self.scopes.qualified(ns, ident.name),
            link_name: init.asm_label.or(in_c.then_some(ident.name)),
            span: ident.span,
            origin: self.origin(defines),
            linkage: match is_static {
                true => Linkage::Internal(self.units[self.cur].file),
                false => Linkage::External,
            },
            ty,
            quals,
            thread_local: decl.storage.is_thread_local,
            is_constexpr: decl.storage.is_constexpr,
            align,
            init: None,
            defined: defines,
        };
        let has_init = init.init.is_some();
        let (id, taken) = match found {
            Name::Global(id) => self.merge_global(id, global, ident, has_init),
            Name::None | Name::Poison => (self.prog.globals.push(global), true),
            other if self.is_foreign() || self.name_is_foreign(other) => {
                (self.prog.globals.push(global), true)
            }
            other => {
                self.redefined_as(ident, other, "a variable");
                (self.prog.globals.push(global), true)
            }
        };
        self.sites.insert(key, Name::Global(id));
        if !is_static && !shadowed {
            let what = Name::Global(id);
            if in_c {
                self.c_externs.entry(link).or_insert(what);
            } else if self.prog.globals[id].origin != Origin::Foreign {
                let full = self.scopes.qualified(ns, ident.name);
                self.externs.entry(full).or_insert(what);
            }
        }
        if !shadowed {
            self.bind_entity(ns, ident, Name::Global(id));
        }
        if has_init && taken {
            self.defined.insert(Name::Global(id), ident.span);
        }
        taken.then_some(id)
    }

    fn merge_global(
        &mut self,
        id: GlobalId,
        new: Global,
        ident: ast::Ident,
        has_init: bool,
    ) -> (GlobalId, bool) {
        let old = &self.prog.globals[id];
        match (old.origin, new.origin) {
            (_, Origin::Foreign) => return (id, false),
            (Origin::Foreign, _) => {
                self.prog.globals[id] = new;
                return (id, true);
            }
            _ => {}
        }
        let old_static = matches!(old.linkage, Linkage::Internal(_));
        if !old_static && matches!(new.linkage, Linkage::Internal(_)) {
            let message = format!("`{}` is `static` here, but was not before", ident.name);
            let diag = Diagnostic::error(codes::E0303, message, ident.span, "`static` here")
                .label(old.span, "not `static` here");
            let _ = self.sess.emit(diag);
        }
        let Some(ty) = merge_types(old.ty, new.ty).filter(|_| old.quals == new.quals) else {
            self.conflict(ident, old.span, old.ty, new.ty);
            return (id, false);
        };
        if has_init && let Some(&before) = self.defined.get(&Name::Global(id)) {
            self.redefined(ident.name, ident.span, before);
            return (id, false);
        }
        let old = &mut self.prog.globals[id];
        old.ty = ty;
        old.align = old.align.max(new.align);
        old.thread_local |= new.thread_local;
        old.is_constexpr |= new.is_constexpr;
        if new.defined && !old.defined {
            old.span = new.span;
            old.defined = true;
            if old.origin == Origin::Trusted {
                old.origin = new.origin;
            }
        }
        (id, true)
    }
}

/// Arrays of unknown length agree with any length.
fn merge_types(old: Ty, new: Ty) -> Option<Ty> {
    if old == new || old.is_error() {
        return Some(new);
    }
    if new.is_error() {
        return Some(old);
    }
    match (old.kind(), new.kind()) {
        (TyKind::Array { elem: a, len: x, .. }, TyKind::Array { elem: b, len: y, .. })
            if a == b =>
        {
            match (x, y) {
                (IntExpr::Unknown, _) => Some(new),
                (_, IntExpr::Unknown) => Some(old),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether two declarations say the same of a function (names of parameters aside).
fn same_sig(old: &Func, new: &NewFunc) -> bool {
    let generics = old.generics.len() == new.generics.len()
        && old.generics.iter().zip(&new.generics).all(|(a, b)| a.kind == b.kind);
    let (a, b) = (&old.sig, &new.sig);
    generics
        && a.params.len() == b.params.len()
        && a.variadic == b.variadic
        && a.bounds == b.bounds
        && a.consumes == b.consumes
        && (a.effect == b.effect || a.effect.is_none() || b.effect.is_none())
        && alike(a.ret, b.ret)
        && a.params.iter().zip(&b.params).all(|(&a, &b)| alike(a, b))
}

/// Equal up to the names of type parameters.
fn alike(a: Ty, b: Ty) -> bool {
    if a == b {
        return true;
    }
    if !a.flags().has(Flags::PARAM) {
        return false;
    }
    struct Nameless(Symbol);
    impl Folder for Nameless {
        fn touches(&self, flags: Flags) -> bool {
            flags.has(Flags::PARAM)
        }
        fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
            match *ty.kind() {
                TyKind::Param(n, _) => Some(Ty::new(TyKind::Param(n, self.0))),
                _ => None,
            }
        }
    }
    let name = Symbol::intern("_");
    Nameless(name).ty(a) == Nameless(name).ty(b)
}
