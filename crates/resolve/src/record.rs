//! Structs, unions and enums; the entities behind tags.

use crate::cx::{AdtSource, AdtState, EnumConst, GenericsState, Resolver, TagDef};
use crate::scan::{self, Scan};
use crate::scope::{Binding, Name, ROOT, Tag, What};
use crate::types::{Mode, adt_word};
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_ty::*;

fn adt_kind(kind: ast::RecordKind) -> AdtKind {
    match kind {
        ast::RecordKind::Struct => AdtKind::Struct,
        ast::RecordKind::Union => AdtKind::Union,
        ast::RecordKind::TaggedUnion => AdtKind::TaggedUnion,
        ast::RecordKind::PackedUnion => AdtKind::PackedUnion,
    }
}

impl<'a> Resolver<'a> {
    pub fn new_adt(&mut self, name: Symbol, kind: AdtKind, span: Span) -> AdtId {
        let id = self.prog.tables.adts.push(AdtDef {
            name,
            anonymous: false,
            kind,
            span,
            generics: Vec::new(),
            exists: Vec::new(),
            bounds: Vec::new(),
            fields: None,
            variants: Vec::new(),
            packed: false,
            align: None,
            abstract_in: None,
            foreign: self.is_foreign(),
        });
        self.adts.push(AdtState {
            source: None,
            generics: GenericsState::Unknown,
            defined_at: None,
        });
        // The prelude's comes first.
        if self.prog.keys.is_none() && name.as_str() == "DynamicRegion" {
            self.prog.keys = Some(id);
        }
        id
    }

    /// The tag a path names, seen from here; file-level tags are known before their
    /// definition.
    pub fn tag_of_path(&mut self, path: &ast::Path) -> Tag {
        let found = self.lookup_tag_here(path);
        if found != Tag::None {
            return found;
        }
        let Some((last, spaces)) = path.segments.split_last() else { return Tag::None };
        if spaces.is_empty() && !path.global {
            for n in (0..self.scopes.open.len()).rev() {
                let ns = self.scopes.open[n];
                let found = self.file_tag(ns, last.name);
                if found != Tag::None {
                    return found;
                }
            }
            return Tag::None;
        }
        match self.scopes.find_ns(path.global, spaces) {
            Some(ns) => self.file_tag(ns, last.name),
            None => Tag::None,
        }
    }

    /// The entity of a tag that some unit defines at file level: this unit's own
    /// definition, or the only one of the program.
    fn file_tag(&mut self, ns: u32, name: Symbol) -> Tag {
        let key = (ns, name);
        let def = match self.unit_tags.get(self.cur).and_then(|tags| tags.get(&key)) {
            Some(def) => *def,
            None => match self.program_tags.get(&key).map(Vec::as_slice) {
                Some([one]) => *one,
                Some([first, ..]) if self.open_tags.contains(&key) => *first,
                _ => return Tag::None,
            },
        };
        let Some(source) = def.source else { return Tag::None };
        let id = self.adt_at(ns, name, def, source);
        self.bind_file_tag(ns, name, Tag::Adt(id));
        Tag::Adt(id)
    }

    fn bind_file_tag(&mut self, ns: u32, name: Symbol, tag: Tag) {
        self.declare(Binding { ns, name, what: What::Tag(tag) });
    }

    fn adt_at(&mut self, ns: u32, name: Symbol, def: TagDef<'a>, source: AdtSource<'a>) -> AdtId {
        let open = self.open_tags.contains(&(ns, name));
        // An open datatype is one entity, however many pieces it has.
        let site = if open { u32::MAX - ns } else { def.site };
        if let Some(&id) = self.adt_sites.get(&(site, name)) {
            return id;
        }
        let (kind, span) = match source {
            AdtSource::Record(spec) => {
                (adt_kind(spec.kind), spec.tag.as_ref().map_or(spec.span, Self::span_of_path))
            }
            AdtSource::Datatype(spec) => {
                let kind = if open { AdtKind::OpenDatatype } else { AdtKind::Datatype };
                (kind, Self::span_of_path(&spec.tag))
            }
        };
        let full = self.scopes.qualified(ns, name);
        let id = self.new_adt(full, kind, span);
        self.adts[id].source = Some(source);
        if open && name.as_str() == "exn" && ns == ROOT {
            self.prog.exn = Some(id);
        }
        self.adt_sites.insert((site, name), id);
        id
    }

    /// A tag used without being defined by this specifier.
    pub fn tag_reference(&mut self, path: &ast::Path, kind: AdtKind) -> Option<AdtId> {
        let found = match self.tag_of_path(path) {
            Tag::None => {
                let (ns, ident) = self.place_of(path)?;
                // A tag nobody defines is the same thing in the whole program.
                let id = match self.loose_tags.get(&(ns, ident.name)) {
                    Some(&id) => id,
                    None => {
                        let full = self.scopes.qualified(ns, ident.name);
                        let id = self.new_adt(full, kind, ident.span);
                        self.loose_tags.insert((ns, ident.name), id);
                        id
                    }
                };
                self.bind_file_tag(ns, ident.name, Tag::Adt(id));
                id
            }
            Tag::Adt(id) => id,
            tag @ Tag::Enum(_) => {
                self.wrong_tag(path, tag, adt_word(kind));
                return None;
            }
        };
        let def = &self.prog.tables.adts[found];
        if adt_word(def.kind) != adt_word(kind) {
            self.wrong_tag(path, Tag::Adt(found), adt_word(kind));
            return None;
        }
        Some(found)
    }

    fn wrong_tag(&self, path: &ast::Path, tag: Tag, wanted: &str) {
        let (old, name) = match tag {
            Tag::Adt(id) => (self.prog.tables.adts[id].span, self.prog.tables.adts[id].name),
            Tag::Enum(id) => (self.prog.tables.enums[id].span, self.prog.tables.enums[id].name),
            Tag::None => return,
        };
        let word = self.tag_word(tag);
        let message = format!("`{name}` is declared as `{word} {name}`, not as `{wanted} {name}`");
        let diag = Diagnostic::error(codes::E0311, message, path.span, "used differently here")
            .label(old, "declared here");
        let _ = self.sess.emit(diag);
    }

    pub fn record_spec(&mut self, spec: &'a ast::RecordSpec, mode: Mode) -> Ty {
        let kind = adt_kind(spec.kind);
        let id = match (&spec.tag, &spec.body) {
            (Some(path), None) => match self.tag_reference(path, kind) {
                Some(id) => id,
                None => return self.common.error,
            },
            (Some(path), Some(body)) => match self.define_tagged(spec, path, body, kind) {
                Some(id) => id,
                None => return self.common.error,
            },
            (None, Some(body)) => self.define_anonymous(spec, body, kind),
            (None, None) => return self.common.error,
        };
        let name = self.prog.tables.adts[id].name;
        self.adt_kinds(id);
        if spec.body.is_none() && self.adts[id].source.is_none() {
            self.declared_generics(id, spec);
        }
        let params = self.prog.tables.adts[id].generics.clone();
        if spec.body.is_some() || self.declares(spec) {
            // The definition itself: its own parameters, if anybody asks.
            let args = self_args(&params);
            return Ty::adt(id, &args);
        }
        match self.generic_args(name, &params, &spec.args, mode, spec.span) {
            Some(args) => Ty::adt(id, &args),
            None => self.common.error,
        }
    }

    /// The type of `S{…}`, where S is a tag and nothing else.
    pub fn tag_literal(&mut self, name: &'a ast::TypeName) -> Option<Ty> {
        let ast::TypeSpecKind::Named(path, args) = &name.spec.kind else { return None };
        if !name.declarator.derived.is_empty() || !matches!(self.lookup(path), Name::None) {
            return None;
        }
        let Tag::Adt(id) = self.tag_of_path(path) else { return None };
        if self.prog.tables.adts[id].is_datatype() {
            return None;
        }
        self.adt_kinds(id);
        let (tag, params) = {
            let def = &self.prog.tables.adts[id];
            (def.name, def.generics.clone())
        };
        let mode = if self.body.active { Mode::Hole } else { Mode::Heap };
        let args = self.generic_args(tag, &params, args, mode, name.span)?;
        Some(Ty::adt(id, &args))
    }

    /// Whether `struct S<'a, 'r::R>` only says what parameters S has: its variables are
    /// nobody's.
    fn declares(&self, spec: &ast::RecordSpec) -> bool {
        !spec.args.is_empty()
            && self.sigs.is_empty()
            && !self.body.active
            && spec.args.iter().all(|arg| match arg {
                ast::TypeArg::Type(name) => scan::bare_var(name).is_some_and(|var| {
                    !scan::is_fixed(var.name) && self.peek_var(var.name).is_none()
                }),
                _ => false,
            })
    }

    /// The parameters of a tag that is declared only: those of its first mention. They tell
    /// types apart as a definition's would.
    fn declared_generics(&mut self, id: AdtId, spec: &ast::RecordSpec) {
        if spec.args.is_empty() || !self.prog.tables.adts[id].generics.is_empty() {
            return;
        }
        let mut params = Vec::with_capacity(spec.args.len());
        for arg in &spec.args {
            let var = match arg {
                ast::TypeArg::Type(name) => scan::bare_var(name),
                _ => None,
            };
            let kind = match (arg, var) {
                (_, Some(var)) if scan::is_fixed(var.name) => Kind::Region,
                (_, Some(var)) => match (var.kind, self.find_var(var.name)) {
                    (Some(kind), _) => scan::kind_of(kind),
                    (None, Some(entry)) => entry.kind,
                    (None, None) => Kind::Any,
                },
                (ast::TypeArg::Type(_), None) => Kind::Any,
                (ast::TypeArg::Int(_), _) => Kind::Int,
                (ast::TypeArg::Effect(_), _) => Kind::Effect,
                (ast::TypeArg::Aqual(_), _) => Kind::Aqual,
            };
            params.push(GenericParam {
                name: var.map_or(Symbol::intern("_"), |var| var.name),
                kind,
                bound: Aqual::Aliasable,
                implicit: false,
            });
        }
        self.prog.tables.adts[id].generics = params;
    }

    fn define_tagged(
        &mut self,
        spec: &'a ast::RecordSpec,
        path: &'a ast::Path,
        body: &'a ast::RecordBody,
        kind: AdtKind,
    ) -> Option<AdtId> {
        let (ns, ident) = self.place_of(path)?;
        let source = AdtSource::Record(spec);
        let id = if self.body.active {
            match self.scopes.tag_here(ident.name) {
                Tag::Adt(id) if self.adts[id].source.is_none() || self.is_same(id, spec.span) => id,
                Tag::None => {
                    let id = self.new_adt(ident.name, kind, ident.span);
                    self.scopes.bind_tag(ident.name, Tag::Adt(id));
                    id
                }
                Tag::Adt(id) => {
                    self.redefined(ident.name, ident.span, self.prog.tables.adts[id].span);
                    return Some(id);
                }
                Tag::Enum(id) => {
                    self.redefined(ident.name, ident.span, self.prog.tables.enums[id].span);
                    return None;
                }
            }
        } else {
            let def = TagDef { site: self.site(ident.span), source: Some(source) };
            let id = self.adt_at(ns, ident.name, def, source);
            match self.scopes.member_tag(ns, ident.name) {
                Tag::Adt(old)
                    if old != id && self.is_foreign() && !self.prog.tables.adts[old].foreign =>
                {
                    // Toft's own struct of this name stays what Toft code sees.
                    let what = What::ForeignTag(Tag::Adt(id));
                    self.declare(Binding { ns, name: ident.name, what });
                    self.adts[id].source = Some(source);
                    self.define_record(id, spec, body, kind);
                    return Some(id);
                }
                Tag::Adt(old) if old != id => self.check_retag(ident, old, id),
                Tag::Enum(old) => {
                    self.redefined(ident.name, ident.span, self.prog.tables.enums[old].span);
                }
                _ => {}
            }
            self.bind_file_tag(ns, ident.name, Tag::Adt(id));
            id
        };
        self.adts[id].source = Some(source);
        self.define_record(id, spec, body, kind);
        Some(id)
    }

    fn is_same(&self, id: AdtId, span: Span) -> bool {
        self.adts[id].defined_at == Some(span)
    }

    /// A tag gets another definition in one unit: only an interface for a foreign one may.
    fn check_retag(&self, ident: ast::Ident, old: AdtId, new: AdtId) {
        let (old, new) = (&self.prog.tables.adts[old], &self.prog.tables.adts[new]);
        if old.foreign != new.foreign || old.fields.is_none() {
            return;
        }
        self.redefined(ident.name, ident.span, old.span);
    }

    fn define_anonymous(
        &mut self,
        spec: &'a ast::RecordSpec,
        body: &'a ast::RecordBody,
        kind: AdtKind,
    ) -> AdtId {
        let site = self.site(spec.span);
        let nameless = Symbol::intern("");
        // A macro may make several at one site: then the spans differ.
        if let Some(&id) = self.adt_sites.get(&(site, nameless))
            && self.is_same(id, spec.span)
        {
            return id;
        }
        let word = adt_word(kind);
        let place = match self.sess.map.borrow().loc(spec.span) {
            Some(loc) => format!(
                "<anonymous {word} at {}:{}:{}>",
                self.sess.map.borrow().file(loc.file).name,
                loc.line,
                loc.col
            ),
            None => format!("<anonymous {word}>"),
        };
        let id = self.new_adt(Symbol::intern(&place), kind, spec.span);
        self.prog.tables.adts[id].anonymous = true;
        self.adt_sites.insert((site, nameless), id);
        self.adts[id].source = Some(AdtSource::Record(spec));
        self.define_record(id, spec, body, kind);
        id
    }

    fn define_record(
        &mut self,
        id: AdtId,
        spec: &'a ast::RecordSpec,
        body: &'a ast::RecordBody,
        kind: AdtKind,
    ) {
        if self.adts[id].defined_at.is_some() {
            return;
        }
        self.adts[id].defined_at = Some(spec.span);
        self.adt_kinds(id);
        let closed = self.close_world();
        let generics = self.prog.tables.adts[id].generics.clone();
        self.bind_params(&generics, 0);
        let exists = if body.exists.is_empty() {
            Vec::new()
        } else {
            let mut scan = Scan::new(self);
            scan.record_body(body);
            let uses = scan.uses;
            body.exists.iter().map(|var| scan::generic(&uses, var)).collect()
        };
        self.bind_params(&exists, generics.len() as u32);
        let fields = self.fields(body, kind);
        let bounds = self.constraints(&body.constraints);
        self.reopen_world(closed);
        let align = self.alignment(&[], &[&spec.attrs]);
        let foreign = self.is_foreign();
        let def = &mut self.prog.tables.adts[id];
        def.kind = kind;
        def.exists = exists;
        def.bounds = bounds;
        def.fields = Some(fields);
        def.packed = Self::has_attr(&[&spec.attrs], &["packed"]);
        def.align = align;
        def.foreign = foreign;
    }

    fn fields(&mut self, body: &'a ast::RecordBody, kind: AdtKind) -> Vec<FieldDef> {
        let mut out: Vec<FieldDef> = Vec::with_capacity(body.fields.len());
        let last = body.fields.iter().rposition(|field| field.assert.is_none());
        for (n, field) in body.fields.iter().enumerate() {
            if let Some(assert) = &field.assert {
                self.static_assert(assert);
                continue;
            }
            let flexible = kind == AdtKind::Struct && last == Some(n) && !out.is_empty();
            let Some(def) = self.field(field, flexible) else { continue };
            if let Some(name) = def.name {
                if let Some(old) = out.iter().find(|old| old.name == Some(name)) {
                    let message = format!("two members are called `{name}`");
                    let diag = Diagnostic::error(codes::E0302, message, def.span, "again here")
                        .label(old.span, "first here");
                    let _ = self.sess.emit(diag);
                }
                self.bound_names.push((name, def.ty));
            }
            out.push(def);
        }
        out
    }

    fn field(&mut self, field: &'a ast::Field, flexible: bool) -> Option<FieldDef> {
        let derived = field.declarator.as_ref().map_or(&[][..], |d| &d.derived[..]);
        let (ty, quals) = self.derive(&field.spec, derived, Mode::Heap);
        let ident = field
            .declarator
            .as_ref()
            .and_then(|d| d.name.as_ref())
            .and_then(|path| path.segments.last());
        let span = ident.map_or(field.span, |ident| ident.span);
        let lists: [&'a ast::Attrs; 2] = match &field.declarator {
            Some(declarator) => [&field.attrs, &declarator.attrs],
            None => [&field.attrs, &field.attrs],
        };
        let align = self.alignment(&field.spec.align, &lists);
        let bits = match &field.bits {
            Some(width) => Some(self.bit_width(width, ty, ident.is_some())?),
            None => None,
        };
        if ident.is_none() && bits.is_none() && !is_anonymous_record(&self.prog.tables, ty) {
            if !ty.is_error() && !self.is_foreign() {
                self.error(codes::E0206, "a declaration that declares no member", span, "");
            }
            return None;
        }
        let ty = self.member_type(ty, flexible, span);
        let name = ident.map(|ident| ident.name);
        Some(FieldDef { name, ty, quals, bits, align, span })
    }

    fn member_type(&mut self, ty: Ty, flexible: bool, span: Span) -> Ty {
        match *ty.kind() {
            TyKind::Array { elem, len: IntExpr::Unknown, zeroterm: false }
                if flexible && !self.is_foreign() =>
            {
                Ty::new(TyKind::Vla(elem))
            }
            TyKind::Array { elem, len: IntExpr::Unknown, zeroterm } => {
                if !self.is_foreign() {
                    let diag = Diagnostic::error(
                        codes::E0308,
                        "a member that is an array without a size",
                        span,
                        "",
                    );
                    let _ = self.sess.emit(diag.note("only the last member of a struct may be one, after another member, and without `@zeroterm`").help("give it a size, or make it a fat pointer (`T ?`)"));
                    return self.common.error;
                }
                Ty::new(TyKind::Array { elem, len: IntExpr::Const(0), zeroterm })
            }
            TyKind::Void | TyKind::Func(_) => {
                let what = if ty.is_void() { "`void`" } else { "a function" };
                self.error(codes::E0305, format!("a member cannot be {what}"), span, "");
                self.common.error
            }
            TyKind::Infer(_) => {
                self.error(codes::E0203, "a member needs a written type", span, "");
                self.common.error
            }
            _ => ty,
        }
    }

    fn bit_width(&mut self, width: &'a ast::Expr, ty: Ty, named: bool) -> Option<u32> {
        let value = self.expr(width);
        let number = self.const_int(&value, "the width of a bit-field")?;
        let most = match ty.kind() {
            TyKind::Bool => 1,
            TyKind::Int(int) => int.bits(),
            TyKind::Enum(id) => self.prog.tables.enums[*id].underlying.bits(),
            TyKind::Error => return None,
            _ => {
                let text = self.ty_text(ty);
                let message = format!("a bit-field of type `{text}`");
                self.error(codes::E0308, message, width.span, "an integer type is needed");
                return None;
            }
        };
        match u32::try_from(number) {
            Ok(0) if named => {
                self.error(codes::E0308, "a named bit-field of width 0", width.span, "");
                None
            }
            Ok(n) if n <= most => Some(n),
            _ => {
                let message = format!("a bit-field of {number} bits in a type of {most}");
                self.error(codes::E0308, message, width.span, "");
                None
            }
        }
    }

    pub fn enum_spec(&mut self, spec: &'a ast::EnumSpec) -> Ty {
        let underlying = spec.underlying.as_ref().and_then(|spec| {
            let ty = self.spec(spec, Mode::Heap).0;
            match ty.kind() {
                TyKind::Int(int) => Some(*int),
                _ => None,
            }
        });
        let id = match &spec.tag {
            Some(path) => match self.enum_tag(path, spec.body.is_some()) {
                Some(id) => id,
                None => return self.common.error,
            },
            None => self.anonymous_enum(spec),
        };
        if let Some(int) = underlying {
            self.prog.tables.enums[id].underlying = int;
        }
        if let Some(body) = &spec.body {
            self.define_enum(id, spec, body, underlying);
        }
        Ty::new(TyKind::Enum(id))
    }

    fn new_enum(&mut self, name: Symbol, span: Span) -> EnumId {
        let foreign = self.is_foreign();
        self.prog.tables.enums.push(EnumDef {
            name,
            span,
            underlying: IntTy::Int,
            consts: None,
            foreign,
        })
    }

    fn enum_tag(&mut self, path: &'a ast::Path, defines: bool) -> Option<EnumId> {
        let here = match path.segments.last() {
            Some(ident) if self.body.active && defines => self.scopes.tag_here(ident.name),
            _ => self.lookup_tag_here(path),
        };
        match here {
            Tag::Enum(id) => return Some(id),
            tag @ Tag::Adt(_) => {
                self.wrong_tag(path, tag, "enum");
                return None;
            }
            Tag::None => {}
        }
        let (ns, ident) = self.place_of(path)?;
        if self.body.active {
            let id = self.new_enum(ident.name, ident.span);
            self.scopes.bind_tag(ident.name, Tag::Enum(id));
            return Some(id);
        }
        let key = (self.site(ident.span), ident.name);
        let id = match self.enum_sites.get(&key) {
            Some(&id) => id,
            None => {
                let full = self.scopes.qualified(ns, ident.name);
                let id = self.new_enum(full, ident.span);
                self.enum_sites.insert(key, id);
                id
            }
        };
        self.bind_file_tag(ns, ident.name, Tag::Enum(id));
        Some(id)
    }

    fn anonymous_enum(&mut self, spec: &'a ast::EnumSpec) -> EnumId {
        let key = (self.site(spec.span), Symbol::intern(""));
        if let Some(&id) = self.enum_sites.get(&key)
            && self.enum_defined.get(&id) == Some(&spec.span)
        {
            return id;
        }
        let id = self.new_enum(Symbol::intern("<anonymous enum>"), spec.span);
        self.enum_sites.insert(key, id);
        id
    }

    fn define_enum(
        &mut self,
        id: EnumId,
        spec: &'a ast::EnumSpec,
        body: &'a [ast::Enumerator],
        underlying: Option<IntTy>,
    ) {
        match self.enum_defined.get(&id) {
            Some(&old) if old == spec.span => {
                self.rebind_enum(id);
                return;
            }
            Some(&old) => {
                let name = self.prog.tables.enums[id].name;
                self.redefined(name, spec.span, old);
                return;
            }
            None => {}
        }
        self.enum_defined.insert(id, spec.span);
        let foreign = self.is_foreign();
        let mut next: i128 = 0;
        let mut consts = Vec::with_capacity(body.len());
        for item in body {
            if let Some(value) = &item.value {
                let value = self.expr(value);
                next = self.const_int(&value, "an enum constant").unwrap_or(next);
            }
            if let Some(int) = underlying
                && int.wrap(next) != next
            {
                let message = format!("{next} does not fit in `{}`", int.name());
                self.error(codes::E0412, message, item.name.span, "");
            }
            consts.push((item.name.name, next));
            let n = self.enum_consts.len() as u32;
            self.enum_consts.push(EnumConst {
                id,
                name: item.name.name,
                value: next,
                span: item.name.span,
                foreign,
            });
            self.bind_constant(item.name, Name::EnumConst(n));
            next = next.wrapping_add(1);
        }
        let needed = underlying.unwrap_or_else(|| enum_type(&consts));
        if consts.iter().any(|&(_, value)| needed.wrap(value) != value) && underlying.is_none() {
            self.error(
                codes::E0412,
                "the constants of this enum do not fit in one integer type",
                spec.span,
                "",
            );
        }
        let def = &mut self.prog.tables.enums[id];
        def.underlying = needed;
        def.consts = Some(consts);
    }

    /// The same enum in another unit.
    fn rebind_enum(&mut self, id: EnumId) {
        let list: Vec<(u32, Symbol)> = self
            .enum_consts
            .iter()
            .enumerate()
            .filter(|(_, item)| item.id == id)
            .map(|(n, item)| (n as u32, item.name))
            .collect();
        for (n, name) in list {
            if self.body.active {
                self.scopes.bind(name, Name::EnumConst(n));
            } else {
                self.declare_name(self.scopes.ns(), name, Name::EnumConst(n));
            }
        }
    }

    /// Declares a constant or variant in the scope at hand.
    pub fn bind_constant(&mut self, ident: ast::Ident, what: Name) {
        if self.body.active {
            let old = self.scopes.name_here(ident.name);
            if old != Name::None {
                self.redefined(ident.name, ident.span, self.name_span(old));
            }
            self.scopes.bind(ident.name, what);
            return;
        }
        let ns = self.scopes.ns();
        let old = self.scopes.member(ns, ident.name);
        if !matches!(old, Name::None | Name::Poison) {
            if self.is_foreign() {
                return;
            }
            if !self.name_is_foreign(old) {
                self.redefined(ident.name, ident.span, self.name_span(old));
            }
        }
        self.declare_name(ns, ident.name, what);
    }
}

fn enum_type(consts: &[(Symbol, i128)]) -> IntTy {
    let fits = |int: &IntTy| consts.iter().all(|&(_, value)| int.wrap(value) == value);
    let order = [IntTy::Int, IntTy::UInt, IntTy::Long, IntTy::ULong];
    order.into_iter().find(fits).unwrap_or(IntTy::Long)
}

fn is_anonymous_record(tables: &Tables, ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Adt(id, _) if tables.adts[*id].anonymous)
}

/// A definition's parameters as its arguments.
pub(crate) fn self_args(params: &[GenericParam]) -> Vec<GArg> {
    params
        .iter()
        .enumerate()
        .map(|(n, param)| {
            let n = n as u32;
            match param.kind {
                Kind::Any | Kind::Word => GArg::Ty(Ty::new(TyKind::Param(n, param.name))),
                Kind::Region => GArg::Region(Region::Param(n)),
                Kind::Aqual => GArg::Aqual(Aqual::Param(n)),
                Kind::Int => GArg::Int(IntExpr::Param(n)),
                Kind::Effect => GArg::Effect(Box::leak(Box::new([Region::Param(n)]))),
            }
        })
        .collect()
}
