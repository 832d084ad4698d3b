//! Functions: declarations that meet, definitions, tests, contracts.

use crate::attrs::FuncAttrs;
use crate::cx::{BodyCx, Resolver};
use crate::generics::{SigKind, Target, TyVarEntry};
use crate::record::self_args;
use crate::scope::{Name, ROOT};
use toft_ast as ast;
use toft_base::{Idx, IndexVec, Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::*;

/// A declaration of a function, resolved, before it meets others of its name.
pub(crate) struct NewFunc {
    pub ns: u32,
    pub ident: ast::Ident,
    pub generics: Vec<GenericParam>,
    pub sig: FuncTy,
    pub params: Vec<ParamInfo>,
    pub ret_refine: Option<Refinement>,
    pub attrs: FuncAttrs,
    pub is_static: bool,
    pub is_inline: bool,
    pub defines: bool,
    pub asm_label: Option<Symbol>,
}

impl<'a> Resolver<'a> {
    /// A prototype.
    pub fn declare_proto(&mut self, decl: &'a ast::Decl, init: &'a ast::InitDeclarator) {
        let lists = [&decl.attrs, &init.declarator.attrs];
        let id = self.declare_func(
            &decl.spec,
            &init.declarator,
            &decl.storage,
            &lists,
            init.asm_label,
            false,
        );
        if init.init.is_some() && id.is_some() {
            self.error(
                codes::E0408,
                "a function cannot have an initialiser",
                init.declarator.span,
                "",
            );
        }
    }

    /// A definition; `None` when its body is not to be resolved.
    pub fn declare_def(&mut self, func: &'a ast::FuncDef) -> Option<FuncId> {
        let lists = [&func.attrs, &func.declarator.attrs];
        let defines = !self.is_foreign();
        let (id, taken) =
            self.declare_func(&func.spec, &func.declarator, &func.storage, &lists, None, defines)?;
        (defines && taken).then_some(id)
    }

    fn declare_func(
        &mut self,
        spec: &'a ast::TypeSpec,
        declarator: &'a ast::Declarator,
        storage: &ast::Storage,
        lists: &[&'a ast::Attrs; 2],
        asm_label: Option<Symbol>,
        defines: bool,
    ) -> Option<(FuncId, bool)> {
        let path = declarator.name.as_ref()?;
        let (ns, ident) = self.place_of(path)?;
        let is_static = storage.class == ast::StorageClass::Static;
        let closed = self.close_world();
        let mut attrs;
        let mut ret_refine = None;
        let (generics, mut sig, params) = match declarator.derived.split_first() {
            Some((ast::Derived::Function(func), rest)) => {
                let is_main = ident.name.as_str() == "main"
                    && ns == ROOT
                    && !is_static
                    && !self.is_foreign()
                    && !self.body.active;
                self.open_sig(SigKind::Func, func, rest, spec);
                let parts = self.func_parts(func, rest, spec, is_main);
                attrs = self.func_attrs(&[lists[0], lists[1], &func.attrs], parts.ty.params.len());
                let generics = self.close_sig();
                let mut parts = parts;
                self.keep_unnamed(&mut parts.ty, &generics, |i| Region::Param(i as u32));
                if !func.contracts.is_empty() && !self.is_foreign() {
                    self.pending_contracts.push((ident, func));
                }
                ret_refine = parts.ret_refine;
                (generics, parts.ty, parts.params)
            }
            _ => {
                let (ty, _) = self.derive(spec, &declarator.derived, crate::types::Mode::Heap);
                let Some(func) = ty.as_func() else {
                    self.reopen_world(closed);
                    return None;
                };
                // A function type's own parameters become the function's.
                let generics = func.binder.clone();
                let sig = fold::open_func(func, &self_args(&generics));
                let info = ParamInfo { name: None, quals: TyQuals::default(), span: ident.span };
                attrs = self.func_attrs(lists, sig.params.len());
                let params = vec![info; sig.params.len()];
                (generics, sig, params)
            }
        };
        self.reopen_world(closed);
        attrs.noreturn |= storage.is_noreturn;
        sig.noreturn |= attrs.noreturn;
        sig.consumes |= attrs.consumes;
        let new = NewFunc {
            ns,
            ident,
            generics,
            sig,
            params,
            ret_refine,
            attrs,
            is_static,
            is_inline: storage.is_inline,
            defines,
            asm_label,
        };
        Some(self.enter_func(new))
    }

    /// A body-level declaration of something external.
    pub fn local_extern(&mut self, decl: &'a ast::Decl, init: &'a ast::InitDeclarator) {
        let declarator = &init.declarator;
        if matches!(declarator.derived.first(), Some(ast::Derived::Function(_))) {
            self.declare_proto(decl, init);
            return;
        }
        let Some(path) = &declarator.name else { return };
        let Some((ns, ident)) = self.place_of(path) else { return };
        let closed = self.close_world();
        let (ty, quals) = self.derive(&decl.spec, &declarator.derived, crate::types::Mode::Heap);
        self.reopen_world(closed);
        self.pending_typeof = None;
        if ty.as_func().is_some() {
            self.declare_proto(decl, init);
            return;
        }
        if init.init.is_some() {
            self.error(
                codes::E0408,
                "an `extern` variable in a function cannot have an initialiser",
                ident.span,
                "",
            );
        }
        self.enter_global(decl, init, ns, ident, ty, quals);
    }

    /// `static` in a body: a global under a name of its own.
    pub fn local_static(
        &mut self,
        decl: &'a ast::Decl,
        init: &'a ast::InitDeclarator,
        ident: ast::Ident,
    ) {
        let was = std::mem::replace(&mut self.body.active, false);
        let (ty, quals) =
            self.derive(&decl.spec, &init.declarator.derived, crate::types::Mode::Heap);
        self.body.active = was;
        if ty.as_func().is_some() {
            self.declare_proto(decl, init);
            return;
        }
        let mut ty = ty;
        if ty.flags().has(Flags::PARAM) || ty.flags().has(Flags::LOCAL) {
            self.unsupported("static variables whose type depends on the function's", ident.span);
            ty = self.common.error;
        }
        if ty == Ty::new(TyKind::Infer(0)) {
            self.unsupported("`auto` for static variables", ident.span);
            ty = self.common.error;
        }
        let owner = self.body.func_name.map_or("", Symbol::as_str);
        let base = Symbol::intern(&format!("{owner}.{}", ident.name));
        let count = self.static_names.entry(base).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => base,
            n => Symbol::intern(&format!("{base}.{n}")),
        };
        let lists = [&decl.attrs, &init.declarator.attrs];
        let align = self.alignment(&decl.spec.align, &lists);
        let id = self.prog.globals.push(Global {
            name,
            link_name: None,
            span: ident.span,
            origin: Origin::Toft,
            linkage: Linkage::Internal(self.file),
            ty,
            quals,
            thread_local: decl.storage.is_thread_local,
            is_constexpr: decl.storage.is_constexpr,
            align,
            init: None,
            defined: true,
        });
        let old = self.scopes.name_here(ident.name);
        if !matches!(old, Name::None | Name::Poison) {
            self.redefined(ident.name, ident.span, self.name_span(old));
        }
        self.scopes.bind(ident.name, Name::Global(id));
        if let Some(value) = &init.init {
            self.body.active = false;
            self.define_global(id, value);
            self.body.active = was;
            if quals.is_const
                && let Some(found) = self.scalar_const(ty, self.prog.globals[id].init.as_deref())
            {
                self.global_consts.insert(id, found);
            }
        }
        self.require_complete(self.prog.globals[id].ty, ident.span);
    }

    /// Prepares for a body: region 0, the function's type variables.
    fn open_body(&mut self, name: Symbol, generics: &[GenericParam], span: Span) {
        *self.body = BodyCx::default();
        self.body.active = true;
        self.body.func_name = Some(name);
        self.body.generics = generics.len() as u32;
        self.body.regions.push(RegionDecl {
            name: Some(name),
            parent: None,
            kind: RegionKind::Block,
            span,
        });
        self.tyvars.clear();
        self.tyvar_floor = 0;
        for (n, param) in generics.iter().enumerate().filter(|(_, param)| !param.implicit) {
            self.tyvars.push(TyVarEntry {
                name: param.name,
                kind: param.kind,
                target: Target::Param(n as u32),
            });
        }
        self.scopes.push();
        self.push_block(Some(RegionId(0)), span);
    }

    fn close_body(&mut self, root: Vec<Stmt>, params: usize, span: Span) -> Body {
        self.check_labels();
        if !self.is_foreign() {
            self.check_unused();
        }
        self.close_block();
        self.tyvars.clear();
        let mut cx = std::mem::take(&mut *self.body);
        // Bodies stay until all are resolved: no room for more is kept.
        cx.locals.raw.shrink_to_fit();
        cx.regions.raw.shrink_to_fit();
        Body {
            locals: cx.locals,
            params,
            regions: cx.regions,
            opened: cx.opened,
            labels: cx.labels,
            root: Block { stmts: root, region: Some(RegionId(0)), span },
            end: Span::new(span.hi.saturating_sub(1), span.hi),
        }
    }

    fn bind_parameters(&mut self, id: FuncId) {
        let func = &self.prog.funcs[id];
        let list: Vec<(Ty, ParamInfo)> =
            func.sig.params.iter().copied().zip(func.params.iter().copied()).collect();
        for (ty, info) in list {
            let local = self.new_local(info.name, LocalTy::Known(ty), info.quals, info.span);
            self.mark_used(local);
            if let Some(name) = info.name {
                self.bind_local(ast::Ident { name, span: info.span }, local);
            }
        }
    }

    pub fn define_func(&mut self, id: FuncId, def: &'a ast::FuncDef) {
        let func = &self.prog.funcs[id];
        let name = func.name;
        let generics = func.generics.clone();
        self.open_body(name, &generics, def.body.span);
        self.body.func = Some(id);
        self.bind_parameters(id);
        if let Some(ast::Derived::Function(decl)) = def.declarator.derived.first() {
            self.bind_varargs(id, decl);
        }
        let params = self.body.locals.len();
        for n in 0..params {
            let ty = match self.body.locals[LocalId::from_usize(n)].ty {
                LocalTy::Known(ty) => ty,
                _ => continue,
            };
            let span = self.body.locals[LocalId::from_usize(n)].span;
            self.require_complete(ty, span);
        }
        let root = self.stmts(&def.body.stmts);
        let body = self.close_body(root, params, def.body.span);
        self.prog.funcs[id].body = Some(Box::new(body));
    }

    /// `...T x`: a fat pointer over the arguments.
    fn bind_varargs(&mut self, id: FuncId, decl: &'a ast::FuncDecl) {
        let ast::VarargDecl::Typed { name, span, .. } = &decl.varargs else { return };
        let (Variadic::Typed(elem) | Variadic::Inject(elem)) = self.prog.funcs[id].sig.variadic
        else {
            return;
        };
        // The arguments live in the caller for as long as the call.
        let ty = Ty::ptr(PtrTy { nullable: false, ..PtrTy::fat(elem, Region::Local(RegionId(0))) });
        let at = name.map_or(*span, |ident| ident.span);
        let local =
            self.new_local(name.map(|i| i.name), LocalTy::Known(ty), TyQuals::default(), at);
        self.body.locals[local].is_varargs = true;
        self.mark_used(local);
        if let Some(ident) = name {
            self.bind_local(*ident, local);
        }
    }

    pub fn define_test(&mut self, name: Symbol, span: Span, block: &'a ast::Block) {
        let file = self.units[self.cur].file;
        let text = name.as_str().trim_matches('"');
        let title = Symbol::intern(text);
        let id = self.prog.funcs.push(Func {
            name: Symbol::intern(&format!("test {text}")),
            link_name: None,
            span,
            origin: Origin::Toft,
            linkage: Linkage::Internal(file),
            is_inline: false,
            generics: Vec::new(),
            sig: FuncTy {
                binder: Vec::new(),
                params: Vec::new(),
                ret: self.common.void,
                variadic: Variadic::No,
                effect: None,
                bounds: Vec::new(),
                consumes: 0,
                noreturn: false,
            },
            params: Vec::new(),
            ret_refine: None,
            format: None,
            same_const: false,
            builtin: None,
            contracts: Vec::new(),
            body: None,
        });
        self.open_body(self.prog.funcs[id].name, &[], block.span);
        let root = self.stmts(&block.stmts);
        let body = self.close_body(root, 0, block.span);
        self.prog.funcs[id].body = Some(Box::new(body));
        self.prog.tests.push((title, id));
    }

    /// Contracts of the unit's functions, once every name is known.
    pub fn define_contracts(&mut self, unit: usize) {
        let list = std::mem::take(&mut self.contract_work);
        let (now, later): (Vec<_>, Vec<_>) = list.into_iter().partition(|work| work.0 == unit);
        self.contract_work = later;
        for (_, id, decl) in now {
            let func = &self.prog.funcs[id];
            if !func.contracts.is_empty() {
                continue;
            }
            let (name, ret, span) = (func.name, func.sig.ret, func.span);
            let generics = func.generics.clone();
            let mut contracts = Vec::new();
            for contract in &decl.contracts {
                self.enter_item(contract.span);
                let requires = contract.kind == ast::ContractKind::Requires;
                self.open_body(name, &generics, span);
                self.bind_parameters(id);
                if !requires && !ret.is_void() {
                    let result = Symbol::intern("result");
                    let local = self.new_local(
                        Some(result),
                        LocalTy::Known(ret),
                        TyQuals::default(),
                        contract.span,
                    );
                    self.scopes.bind(result, Name::Local(local));
                }
                let cond = self.expr(&contract.cond);
                self.close_block();
                self.tyvars.clear();
                let locals: IndexVec<LocalId, Local> = std::mem::take(&mut self.body.locals);
                *self.body = BodyCx::default();
                contracts.push(Contract { requires, cond, locals, span: contract.span });
            }
            self.prog.funcs[id].contracts = contracts;
        }
    }

    pub fn conflict_func(&self, ident: ast::Ident, old: FuncId, now: &FuncTy) {
        let func = &self.prog.funcs[old];
        let text = |sig: &FuncTy| self.ty_text(Ty::func(sig.clone()));
        let message = format!("two declarations of `{}` disagree", ident.name);
        let diag =
            Diagnostic::error(codes::E0303, message, ident.span, format!("`{}` here", text(now)))
                .label(func.span, format!("`{}` here", text(&func.sig)));
        let _ = self.sess.emit(diag);
    }
}
