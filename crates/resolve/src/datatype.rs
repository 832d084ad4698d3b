//! Datatypes, closed and open, and their variants.

use crate::cx::{AdtSource, Resolver};
use crate::record::self_args;
use crate::scan::{self, Scan};
use crate::scope::{Name, Tag};
use crate::types::Mode;
use toft_ast as ast;
use toft_base::{FileKind, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_ty::*;

impl<'a> Resolver<'a> {
    pub fn datatype_spec(&mut self, spec: &'a ast::DatatypeSpec, mode: Mode) -> Ty {
        if let (Some(body), true) = (&spec.body, self.body.active) {
            return self.local_datatype(spec, body);
        }
        let Some(id) = self.tag_reference(&spec.tag, AdtKind::Datatype) else {
            return self.common.error;
        };
        self.adt_kinds(id);
        if let Some(body) = &spec.body {
            self.define_datatype(id, spec, body);
            let args = self_args(&self.prog.tables.adts[id].generics);
            return Ty::adt(id, &args);
        }
        let name = self.prog.tables.adts[id].name;
        let params = self.prog.tables.adts[id].generics.clone();
        let Some(args) = self.generic_args(name, &params, &spec.args, mode, spec.span) else {
            return self.common.error;
        };
        let Some(variant) = &spec.variant else { return Ty::adt(id, &args) };
        match self.variant_of(id, variant.name) {
            Some(n) => Ty::new(TyKind::Variant(id, n, arg_list(&args))),
            None => {
                self.no_variant(id, *variant);
                self.common.error
            }
        }
    }

    /// A datatype of one block: its tag and variants are known until the block ends.
    fn local_datatype(&mut self, spec: &'a ast::DatatypeSpec, body: &'a ast::DatatypeBody) -> Ty {
        let Some((_, ident)) = self.place_of(&spec.tag) else { return self.common.error };
        if spec.open {
            let message = "an `@extensible datatype` inside a function: nothing could extend it";
            self.error(codes::E0206, message, spec.span, "");
            return self.common.error;
        }
        let old = match self.scopes.tag_here(ident.name) {
            Tag::None => None,
            Tag::Adt(id) => Some(self.prog.tables.adts[id].span),
            Tag::Enum(id) => Some(self.prog.tables.enums[id].span),
        };
        if let Some(old) = old {
            self.redefined(ident.name, ident.span, old);
            return self.common.error;
        }
        let id = self.new_adt(ident.name, AdtKind::Datatype, ident.span);
        self.scopes.bind_tag(ident.name, Tag::Adt(id));
        self.adts[id].source = Some(AdtSource::Datatype(spec));
        self.adt_kinds(id);
        self.define_datatype(id, spec, body);
        let args = self_args(&self.prog.tables.adts[id].generics);
        Ty::adt(id, &args)
    }

    pub fn variant_of(&self, id: AdtId, name: Symbol) -> Option<u32> {
        let variants = &self.prog.tables.adts[id].variants;
        variants.iter().position(|variant| variant.name == name).map(|n| n as u32)
    }

    fn no_variant(&self, id: AdtId, ident: ast::Ident) {
        let def = &self.prog.tables.adts[id];
        let message = format!("datatype `{}` has no variant `{}`", def.name, ident.name);
        let mut diag = Diagnostic::error(codes::E0804, message, ident.span, "")
            .label(def.span, "the datatype is declared here");
        let names = def.variants.iter().map(|variant| variant.name);
        if let Some(near) = crate::names::nearest_of(ident.name, names, |_| true) {
            diag = diag.suggest(ident.span, near.as_str(), format!("did you mean `{near}`?"));
        }
        let _ = self.sess.emit(diag);
    }

    fn define_datatype(
        &mut self,
        id: AdtId,
        spec: &'a ast::DatatypeSpec,
        body: &'a ast::DatatypeBody,
    ) {
        let open = self.prog.tables.adts[id].kind == AdtKind::OpenDatatype;
        let site = self.site(spec.span);
        if !self.variant_sites.insert((id, site)) {
            self.rebind_variants(id, body);
            return;
        }
        if !open && let Some(old) = self.adts[id].defined_at {
            let name = self.prog.tables.adts[id].name;
            let diag = Diagnostic::error(
                codes::E0302,
                format!("datatype `{name}` is defined twice"),
                spec.span,
                "defined again here",
            );
            let diag = diag.label(old, "first defined here").help(
                "a datatype that gets variants in several places is written `@extensible datatype`",
            );
            let _ = self.sess.emit(diag);
            return;
        }
        self.adts[id].defined_at = Some(spec.span);
        if self.adts[id].source.is_none() {
            self.adts[id].source = Some(AdtSource::Datatype(spec));
            self.adt_kinds(id);
        }
        for variant in &body.variants {
            self.add_variant(id, variant);
        }
    }

    fn rebind_variants(&mut self, id: AdtId, body: &'a ast::DatatypeBody) {
        for variant in &body.variants {
            if let Some(n) = self.variant_of(id, variant.name.name) {
                let ns = self.scopes.ns();
                self.declare_name(ns, variant.name.name, Name::Variant(id, n));
            }
        }
    }

    fn add_variant(&mut self, id: AdtId, variant: &'a ast::Variant) {
        if let Some(n) = self.variant_of(id, variant.name.name) {
            let old = self.prog.tables.adts[id].variants[n as usize].span;
            self.redefined(variant.name.name, variant.name.span, old);
            return;
        }
        let closed = self.close_world();
        let generics = self.prog.tables.adts[id].generics.clone();
        self.bind_params(&generics, 0);
        let exists: Vec<GenericParam> = if variant.exists.is_empty() {
            Vec::new()
        } else {
            let mut scan = Scan::new(self);
            scan.variants(std::slice::from_ref(variant));
            let uses = scan.uses;
            variant.exists.iter().map(|var| scan::generic(&uses, var)).collect()
        };
        self.bind_params(&exists, generics.len() as u32);
        let mut fields = Vec::with_capacity(variant.fields.len());
        for param in &variant.fields {
            let (ty, quals) = self.derive(&param.spec, &param.declarator.derived, Mode::Heap);
            let ident = param.declarator.name.as_ref().and_then(|path| path.segments.last());
            let name = ident.map(|ident| ident.name);
            let span = ident.map_or(param.span, |ident| ident.span);
            let align = None;
            if let Some(name) = name {
                self.bound_names.push((name, ty));
            }
            fields.push(FieldDef { name, ty, quals, bits: None, align, span });
        }
        self.reopen_world(closed);
        // `A(void)` is `A`.
        if let [only] = &fields[..]
            && only.ty.is_void()
        {
            fields.clear();
        }
        let link_name = self.runtime_tag(id, variant.name.name);
        let n = self.prog.tables.adts[id].variants.len() as u32;
        self.prog.tables.adts[id].variants.push(VariantDef {
            name: variant.name.name,
            exists,
            fields,
            span: variant.name.span,
            link_name,
        });
        self.bind_constant(variant.name, Name::Variant(id, n));
    }

    /// Built-in exceptions are thrown by the runtime, which owns their tags.
    fn runtime_tag(&self, id: AdtId, name: Symbol) -> Option<Symbol> {
        const BUILT_IN: &[&str] = &[
            "Null_Exception",
            "Array_bounds",
            "Match_Exception",
            "Bad_alloc",
            "Arithmetic",
            "Region_full",
            "Assert",
        ];
        let built_in = self.prog.exn == Some(id)
            && self.kind == FileKind::Library
            && self.prelude
            && self.cur == 0
            && BUILT_IN.contains(&name.as_str());
        built_in.then(|| Symbol::intern(&format!("toft_tag_{name}")))
    }

    /// The variant a path names in the tag namespace (`T.A` patterns) or as a name.
    pub fn tag_as_record(&mut self, path: &ast::Path) -> Option<AdtId> {
        match self.tag_of_path(path) {
            Tag::Adt(id) => Some(id),
            _ => match self.lookup(path) {
                // A typedef of a struct serves as well.
                Name::Typedef(id) => match self.typedefs[id as usize].ty.kind() {
                    TyKind::Adt(id, _) => Some(*id),
                    _ => None,
                },
                _ => None,
            },
        }
    }
}
