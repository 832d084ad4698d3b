//! File-level items: the three rounds over the units, declarations, typedefs, globals.

use crate::cx::{AdtSource, ItemRecord, Resolver, TagDef, Work};
use crate::scan::{self, Scan};
use crate::scope::{Name, ROOT, Tag};
use crate::types::Mode;
use toft_ast as ast;
use toft_base::{FxHashMap, Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    /// Round 0: which tags each unit defines.
    pub fn collect_tags(&mut self) {
        let units = self.units;
        for unit in units {
            let mut tags = FxHashMap::default();
            self.collect_items(&unit.unit.items, ROOT, &mut tags);
            self.unit_tags.push(tags);
        }
    }

    fn collect_items(
        &mut self,
        items: &'a [ast::Item],
        ns: u32,
        tags: &mut FxHashMap<(u32, Symbol), TagDef<'a>>,
    ) {
        for item in items {
            match &item.kind {
                ast::ItemKind::Decl(decl) => self.collect_spec(&decl.spec, ns, tags),
                ast::ItemKind::Func(func) => self.collect_spec(&func.spec, ns, tags),
                ast::ItemKind::Namespace(name, items) => {
                    let inner = self.scopes.child(ns, name.name);
                    self.collect_items(items, inner, tags);
                }
                ast::ItemKind::Using(_, items) | ast::ItemKind::ExternC { items, .. } => {
                    self.collect_items(items, ns, tags);
                }
                _ => {}
            }
        }
    }

    fn collect_spec(
        &mut self,
        spec: &'a ast::TypeSpec,
        ns: u32,
        tags: &mut FxHashMap<(u32, Symbol), TagDef<'a>>,
    ) {
        match &spec.kind {
            ast::TypeSpecKind::Record(record) => {
                let Some(body) = &record.body else { return };
                if let Some(tag) = &record.tag {
                    self.note_tag(tag, AdtSource::Record(record), false, ns, tags);
                }
                body.fields.iter().for_each(|field| self.collect_spec(&field.spec, ns, tags));
            }
            ast::TypeSpecKind::Datatype(data) if data.body.is_some() => {
                self.note_tag(&data.tag, AdtSource::Datatype(data), data.open, ns, tags);
            }
            _ => {}
        }
    }

    fn note_tag(
        &mut self,
        path: &'a ast::Path,
        source: AdtSource<'a>,
        open: bool,
        ns: u32,
        tags: &mut FxHashMap<(u32, Symbol), TagDef<'a>>,
    ) {
        let [ident] = &path.segments[..] else { return };
        let def = TagDef { site: self.site(ident.span), source: Some(source) };
        let key = (ns, ident.name);
        if open {
            self.open_tags.insert(key);
        }
        // The first definition of a unit is its own; a second one is judged in round 1.
        tags.entry(key).or_insert(def);
        let list = self.program_tags.entry(key).or_default();
        if list.iter().all(|old| old.site != def.site) {
            list.push(def);
        }
    }

    /// Round 1: types, signatures, globals.
    pub fn declare_all(&mut self) {
        let units = self.units;
        for (n, unit) in units.iter().enumerate() {
            self.begin_unit(n, false);
            self.declare_items(&unit.unit.items);
        }
    }

    /// Makes a unit's file scope: the prelude's, and what was declared in round 1.
    fn begin_unit(&mut self, n: usize, declared: bool) {
        self.scopes.clear();
        self.cur = n;
        self.extern_c = false;
        let own = if declared { Some(n) } else { None };
        let prelude = (self.prelude && n > 0).then_some(0);
        for source in [prelude, own].into_iter().flatten() {
            for i in 0..self.states[source].bindings.len() {
                let binding = self.states[source].bindings[i];
                self.scopes.install(binding);
            }
        }
    }

    fn declare_items(&mut self, items: &'a [ast::Item]) {
        for item in items {
            match &item.kind {
                ast::ItemKind::Namespace(name, items) => {
                    let ns = self.scopes.child(self.scopes.ns(), name.name);
                    self.scopes.enter(ns);
                    self.declare_items(items);
                    self.scopes.leave();
                }
                ast::ItemKind::Using(path, items) => {
                    let ns = self.using_ns(path);
                    self.scopes.enter_using(ns);
                    self.declare_items(items);
                    self.scopes.leave_using();
                }
                ast::ItemKind::ExternC { items, .. } => {
                    let outer = std::mem::replace(&mut self.extern_c, true);
                    self.declare_items(items);
                    self.extern_c = outer;
                }
                _ => self.declare_item_once(item),
            }
        }
    }

    fn using_ns(&mut self, path: &'a ast::Path) -> u32 {
        match self.scopes.find_ns(path.global, &path.segments) {
            Some(ns) => ns,
            None => {
                self.unknown(path, "namespace");
                ROOT
            }
        }
    }

    /// An item of a header that another unit included before is taken over as it was.
    fn declare_item_once(&mut self, item: &'a ast::Item) {
        let key = (item.span, first_name(item));
        if !item.span.is_none()
            && let Some(&record) = self.items.get(&key)
            && record.unit as usize != self.cur
        {
            for n in record.bindings.0..record.bindings.1 {
                let binding = self.states[record.unit as usize].bindings[n as usize];
                self.declare(binding);
            }
            let skipped = match &item.kind {
                ast::ItemKind::Func(_) => 1,
                ast::ItemKind::Decl(decl) => decl.declarators.len(),
                _ => 0,
            };
            let work = &mut self.states[self.cur].work;
            work.extend(std::iter::repeat_n(Work::Skip, skipped));
            return;
        }
        let from = self.states[self.cur].bindings.len() as u32;
        self.enter_item(item.span);
        self.declare_item(item);
        let to = self.states[self.cur].bindings.len() as u32;
        let record = ItemRecord { unit: self.cur as u32, bindings: (from, to) };
        self.items.insert(key, record);
    }

    fn declare_item(&mut self, item: &'a ast::Item) {
        match &item.kind {
            ast::ItemKind::Decl(decl) => self.declare_decl(decl),
            ast::ItemKind::Func(func) => {
                let work = match self.declare_def(func) {
                    Some(id) => Work::Func(id),
                    None => Work::Skip,
                };
                self.states[self.cur].work.push(work);
            }
            ast::ItemKind::StaticAssert(assert) => self.static_assert(assert),
            ast::ItemKind::RawC(text, span) => {
                self.prog.raw_c.push(RawC { text: *text, span: *span });
            }
            ast::ItemKind::Let(pat, _) => {
                self.unsupported("patterns at file level", pat.span);
            }
            _ => {}
        }
    }

    fn declare_decl(&mut self, decl: &'a ast::Decl) {
        if decl.declarators.is_empty() {
            self.lone_spec(decl);
            return;
        }
        for init in &decl.declarators {
            let declarator = &init.declarator;
            let mut work = Work::Skip;
            if decl.storage.class == ast::StorageClass::Typedef {
                self.declare_typedef(decl, declarator);
            } else if matches!(declarator.derived.first(), Some(ast::Derived::Function(_))) {
                self.declare_proto(decl, init);
            } else if let Some(id) = self.declare_global(decl, init) {
                work = Work::Global(id);
            }
            self.states[self.cur].work.push(work);
        }
    }

    /// `struct S { … };` and the like.
    pub fn lone_spec(&mut self, decl: &'a ast::Decl) {
        if self.body.active
            && let ast::TypeSpecKind::Record(record) = &decl.spec.kind
            && record.body.is_none()
            && let Some(tag) = &record.tag
            && let [ident] = &tag.segments[..]
            && self.scopes.tag_here(ident.name) == Tag::None
        {
            let kind = match record.kind {
                ast::RecordKind::Struct => AdtKind::Struct,
                _ => AdtKind::Union,
            };
            let id = self.new_adt(ident.name, kind, ident.span);
            self.scopes.bind_tag(ident.name, Tag::Adt(id));
            return;
        }
        let mode = self.body_mode();
        let (ty, _) = self.spec(&decl.spec, mode);
        self.note_abstract(decl, ty);
        let declares = matches!(
            decl.spec.kind,
            ast::TypeSpecKind::Record(_)
                | ast::TypeSpecKind::Enum(_)
                | ast::TypeSpecKind::Datatype(_)
                | ast::TypeSpecKind::Error
        );
        if !declares && !self.is_foreign() {
            let diag = Diagnostic::warning(
                codes::W0402,
                "a declaration that declares nothing",
                decl.span,
                "",
            );
            let _ = self.sess.emit(diag);
        }
    }

    fn note_abstract(&mut self, decl: &'a ast::Decl, ty: Ty) {
        if decl.storage.is_abstract
            && let TyKind::Adt(id, _) = ty.kind()
        {
            self.prog.tables.adts[*id].abstract_in = Some(self.file);
        }
    }

    pub fn static_assert(&mut self, assert: &'a ast::StaticAssert) {
        let cond = self.expr(&assert.cond);
        let value = match self.eval(&cond) {
            Ok(value) => value,
            Err(stop) => {
                return self.report_stop(stop, "the condition of `_Static_assert`", cond.span);
            }
        };
        if value.is_true() {
            return;
        }
        let mut message = String::from("static assertion failed");
        if let Some(text) = &assert.message
            && let ast::ExprKind::Str(parts) = &text.kind
        {
            let mut units = Vec::new();
            for (part, _) in parts {
                let _ = crate::literal::string(part.as_str(), StrWidth::Char, &mut units);
            }
            let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            message = format!("{message}: {}", String::from_utf8_lossy(&bytes));
        }
        self.error(codes::E0310, message, assert.cond.span, "this is false");
    }

    pub fn declare_typedef(&mut self, decl: &'a ast::Decl, declarator: &'a ast::Declarator) {
        let Some(path) = &declarator.name else { return };
        let Some((ns, ident)) = self.place_of(path) else { return };
        let local = self.body.active;
        let generic = !declarator.ty_params.is_empty();
        let mut generics = Vec::new();
        let closed = (generic || !local).then(|| self.close_world());
        if generic {
            let mut scan = Scan::new(self);
            scan.declared(&decl.spec, &declarator.derived);
            let uses = scan.uses;
            generics = declarator.ty_params.iter().map(|var| scan::generic(&uses, var)).collect();
            self.bind_params(&generics, 0);
        }
        let mode = if local { Mode::Hole } else { Mode::Heap };
        let (ty, quals) = self.derive(&decl.spec, &declarator.derived, mode);
        if let Some(closed) = closed {
            self.reopen_world(closed);
        }
        if self.pending_typeof.take().is_some() {
            self.unsupported("typedefs of `typeof` an expression in functions", ident.span);
        }
        if matches!(ty.kind(), TyKind::Infer(_)) && ty == Ty::new(TyKind::Infer(0)) {
            self.error(codes::E0203, "`auto` cannot stand in a typedef", ident.span, "");
        }
        let ty = mode_attr(ty, &[&decl.attrs, &declarator.attrs]);
        self.note_abstract(decl, ty);
        self.name_anonymous(ty, ns, ident, declarator);
        self.bind_typedef(ns, ident, generics, ty, quals);
    }

    /// An anonymous struct is called by its typedef in messages.
    fn name_anonymous(
        &mut self,
        ty: Ty,
        ns: u32,
        ident: ast::Ident,
        declarator: &'a ast::Declarator,
    ) {
        if !declarator.derived.is_empty() {
            return;
        }
        let full = self.scopes.qualified(ns, ident.name);
        match *ty.kind() {
            TyKind::Adt(id, _) => {
                let def = &mut self.prog.tables.adts[id];
                if def.anonymous && def.name.as_str().starts_with('<') {
                    def.name = full;
                }
            }
            TyKind::Enum(id) => {
                let def = &mut self.prog.tables.enums[id];
                if def.name.as_str().starts_with('<') {
                    def.name = full;
                }
            }
            _ => {}
        }
    }

    fn bind_typedef(
        &mut self,
        ns: u32,
        ident: ast::Ident,
        generics: Vec<GenericParam>,
        ty: Ty,
        quals: TyQuals,
    ) {
        let local = self.body.active;
        let old = if local {
            self.scopes.name_here(ident.name)
        } else {
            self.scopes.member(ns, ident.name)
        };
        match old {
            Name::None | Name::Poison => {}
            Name::Typedef(id) => {
                let old = &self.typedefs[id as usize];
                if old.ty == ty && old.quals == quals && old.generics.len() == generics.len() {
                    if !local {
                        // A unit that includes this header, but not what declared the name
                        // first, takes over this item's bindings: there has to be one.
                        self.declare_name(ns, ident.name, Name::Typedef(id));
                    }
                    return;
                }
                if self.is_foreign() {
                    return;
                }
                if !old.foreign && !old.ty.is_error() && !ty.is_error() {
                    self.conflict(ident, old.span, old.ty, ty);
                }
            }
            other => {
                if self.is_foreign() {
                    return;
                }
                if !self.name_is_foreign(other) {
                    self.redefined(ident.name, ident.span, self.name_span(other));
                }
            }
        }
        let id = self.typedefs.len() as u32;
        let foreign = self.is_foreign();
        let name = ident.name;
        self.typedefs.push(crate::cx::Typedef {
            name,
            generics,
            ty,
            quals,
            span: ident.span,
            foreign,
        });
        if local {
            self.scopes.bind(name, Name::Typedef(id));
        } else {
            self.declare_name(ns, name, Name::Typedef(id));
        }
    }

    pub fn conflict(&self, ident: ast::Ident, old: Span, before: Ty, now: Ty) {
        let message = format!("two declarations of `{}` disagree", ident.name);
        let (before, now) = (self.ty_text(before), self.ty_text(now));
        let diag = Diagnostic::error(codes::E0303, message, ident.span, format!("`{now}` here"))
            .label(old, format!("`{before}` here"));
        let _ = self.sess.emit(diag);
    }

    /// A file-level variable; its id when an initialiser waits for round 2.
    fn declare_global(
        &mut self,
        decl: &'a ast::Decl,
        init: &'a ast::InitDeclarator,
    ) -> Option<GlobalId> {
        let declarator = &init.declarator;
        let path = declarator.name.as_ref()?;
        let (ns, ident) = self.place_of(path)?;
        let (ty, quals) = self.derive(&decl.spec, &declarator.derived, Mode::Heap);
        if ty.as_func().is_some() {
            self.declare_proto(decl, init);
            return None;
        }
        let mut ty = ty;
        if ty == Ty::new(TyKind::Infer(0)) {
            self.unsupported("`auto` variables at file level", ident.span);
            ty = self.common.error;
        }
        if let Some(init) = &init.init {
            ty = self.written_len(ty, init);
        }
        let id = self.enter_global(decl, init, ns, ident, ty, quals)?;
        let value = init.init.as_ref()?;
        let constant = quals.is_const || decl.storage.is_constexpr;
        let scalar =
            matches!(ty.kind(), TyKind::Int(_) | TyKind::Bool | TyKind::Float(_) | TyKind::Enum(_));
        if constant && scalar && self.prog.globals[id].init.is_none() {
            // Its value may be needed by types that follow.
            let value = self.init(value);
            match self.scalar_const(ty, Some(&value)) {
                Some(found) => {
                    self.global_consts.insert(id, found);
                }
                None if decl.storage.is_constexpr => {
                    let span = Self::init_span(&value);
                    self.error(
                        codes::E0307,
                        "a `constexpr` variable needs a constant value",
                        span,
                        "",
                    );
                }
                None => {}
            }
            self.prog.globals[id].init = Some(Box::new(value));
            return None;
        }
        Some(id)
    }

    /// The length of an array as far as it can be counted in the text.
    fn written_len(&mut self, ty: Ty, init: &'a ast::Init) -> Ty {
        let TyKind::Array { elem, len: IntExpr::Unknown, zeroterm } = *ty.kind() else { return ty };
        let string = |expr: &ast::Expr| -> Option<u64> {
            let ast::ExprKind::Str(parts) = &expr.kind else { return None };
            if !elem.is_integer() {
                return None;
            }
            let mut units = Vec::new();
            let width = parts
                .iter()
                .map(|part| crate::literal::string_width(part.0.as_str()))
                .find(|&width| width != StrWidth::Char)
                .unwrap_or(StrWidth::Char);
            for (part, _) in parts {
                crate::literal::string(part.as_str(), width, &mut units).ok()?;
            }
            Some(units.len() as u64 + 1)
        };
        let len = match init {
            ast::Init::Expr(expr) => string(expr),
            ast::Init::List(list) => {
                let only = match &list.items[..] {
                    [ast::InitItem { value: ast::Init::Expr(expr), designators }]
                        if designators.is_empty() =>
                    {
                        string(expr)
                    }
                    _ => None,
                };
                let plain = |item: &ast::InitItem| {
                    let whole = matches!(item.value, ast::Init::List(_)) || elem.is_scalar();
                    item.designators.is_empty() && whole
                };
                only.or_else(|| {
                    let all = !list.items.is_empty() && list.items.iter().all(plain);
                    all.then_some(list.items.len() as u64)
                })
            }
        };
        match len {
            Some(n) => Ty::new(TyKind::Array { elem, len: IntExpr::Const(n), zeroterm }),
            None => ty,
        }
    }

    /// Round 2: bodies and initialisers.
    pub fn define_all(&mut self) {
        let units = self.units;
        for (n, unit) in units.iter().enumerate() {
            self.begin_unit(n, true);
            let mut work = std::mem::take(&mut self.states[n].work).into_iter();
            self.define_items(&unit.unit.items, &mut work);
            self.define_contracts(n);
        }
        self.check_types();
    }

    fn define_items(&mut self, items: &'a [ast::Item], work: &mut std::vec::IntoIter<Work>) {
        for item in items {
            match &item.kind {
                ast::ItemKind::Namespace(name, items) => {
                    let ns = self.scopes.child(self.scopes.ns(), name.name);
                    self.scopes.enter(ns);
                    self.define_items(items, work);
                    self.scopes.leave();
                }
                ast::ItemKind::Using(path, items) => {
                    let ns = self.scopes.find_ns(path.global, &path.segments).unwrap_or(ROOT);
                    self.scopes.enter_using(ns);
                    self.define_items(items, work);
                    self.scopes.leave_using();
                }
                ast::ItemKind::ExternC { items, .. } => self.define_items(items, work),
                ast::ItemKind::Func(func) => {
                    if let Some(Work::Func(id)) = work.next() {
                        self.enter_item(item.span);
                        self.define_func(id, func);
                    }
                }
                ast::ItemKind::Decl(decl) => {
                    for init in &decl.declarators {
                        if let Some(Work::Global(id)) = work.next()
                            && let Some(value) = &init.init
                        {
                            self.enter_item(item.span);
                            self.define_global(id, value);
                        }
                    }
                }
                ast::ItemKind::Test { name, name_span, body } if self.sess.options.tests => {
                    self.enter_item(item.span);
                    self.define_test(*name, *name_span, body);
                }
                _ => {}
            }
        }
    }

    pub fn define_global(&mut self, id: GlobalId, value: &'a ast::Init) {
        let value = self.init(value);
        let ty = self.complete_array(self.prog.globals[id].ty, &value);
        self.prog.globals[id].ty = ty;
        self.prog.globals[id].init = Some(Box::new(value));
    }
}

/// What tells two items at one place apart (a header included twice under other macros).
fn first_name(item: &ast::Item) -> Symbol {
    let of_spec = |spec: &ast::TypeSpec| match &spec.kind {
        ast::TypeSpecKind::Record(record) => match (&record.tag, &record.body) {
            (Some(tag), _) => tag.segments.last().map(|ident| ident.name),
            (None, Some(body)) => body.fields.first().and_then(|field| {
                let name = field.declarator.as_ref()?.name.as_ref()?;
                name.segments.last().map(|ident| ident.name)
            }),
            _ => None,
        },
        ast::TypeSpecKind::Enum(spec) => match (&spec.tag, &spec.body) {
            (Some(tag), _) => tag.segments.last().map(|ident| ident.name),
            (None, Some(body)) => body.first().map(|item| item.name.name),
            _ => None,
        },
        ast::TypeSpecKind::Datatype(spec) => spec.tag.segments.last().map(|ident| ident.name),
        _ => None,
    };
    let of_declarator = |declarator: &ast::Declarator| {
        declarator.name.as_ref().and_then(|path| path.segments.last()).map(|ident| ident.name)
    };
    let found = match &item.kind {
        ast::ItemKind::Decl(decl) => match decl.declarators.first() {
            Some(first) => of_declarator(&first.declarator),
            None => of_spec(&decl.spec),
        },
        ast::ItemKind::Func(func) => of_declarator(&func.declarator),
        _ => None,
    };
    found.unwrap_or_else(|| Symbol::intern(""))
}

/// `__attribute__((mode(QI)))` and its like.
fn mode_attr(ty: Ty, lists: &[&ast::Attrs]) -> Ty {
    let TyKind::Int(int) = *ty.kind() else { return ty };
    for attr in lists.iter().flat_map(|list| list.iter()) {
        if attr.name.as_str() != "mode" {
            continue;
        }
        let Some(ast::AttrArg::Ident(mode)) = attr.args.first() else { continue };
        let signed = match mode.name.as_str().trim_matches('_') {
            "QI" | "byte" => IntTy::SChar,
            "HI" => IntTy::Short,
            "SI" => IntTy::Int,
            "DI" | "word" | "pointer" => IntTy::Long,
            _ => continue,
        };
        return Ty::int(if int.is_signed() { signed } else { signed.to_unsigned() });
    }
    ty
}
