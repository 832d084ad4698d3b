//! HIR as text, for `toft build --emit=hir`.
//!
//! Deterministic: ids in order, no addresses. Spans are left out.

mod body;

use crate::*;
use std::fmt::Write;
use toft_ty::print::{self, Names};
use toft_ty::{AdtDef, AdtKind, GenericParam, Kind, Ty, TyQuals};

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (id, def) in program.tables.adts.iter_enumerated() {
        adt(program, &mut out, def, &id.to_string());
    }
    for (id, def) in program.tables.enums.iter_enumerated() {
        let _ = write!(out, "{id} enum {}: {} {{", def.name, def.underlying.name());
        for (name, value) in def.consts.iter().flatten() {
            let _ = write!(out, " {name} = {value},");
        }
        out.push_str(" }\n");
    }
    for (id, def) in program.globals.iter_enumerated() {
        global(program, &mut out, def, &id.to_string());
    }
    for (id, def) in program.funcs.iter_enumerated() {
        out.push_str(&func(program, id, def));
    }
    for (name, id) in &program.tests {
        let _ = writeln!(out, "test {name:?} = {id}");
    }
    if let Some(id) = program.main {
        let _ = writeln!(out, "main = {id}");
    }
    out
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "A",
        Kind::Word => "B",
        Kind::Region => "R",
        Kind::Effect => "E",
        Kind::Int => "I",
        Kind::Aqual => "Q",
    }
}

fn generics_text(list: &[GenericParam]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let list: Vec<String> = list
        .iter()
        .enumerate()
        .map(|(n, param)| match param.implicit {
            true => format!("'{n}::{}", kind_text(param.kind)),
            false => format!("'{}::{}", param.name, kind_text(param.kind)),
        })
        .collect();
    format!("<{}>", list.join(", "))
}

pub(crate) struct Printer<'a> {
    pub program: &'a Program,
    pub generics: &'a [GenericParam],
    pub regions: &'a dyn Fn(toft_ty::RegionId) -> Option<toft_base::Symbol>,
}

impl Printer<'_> {
    pub fn ty(&self, ty: Ty, quals: TyQuals) -> String {
        let names =
            Names { tables: &self.program.tables, generics: self.generics, regions: self.regions };
        let text = print::ty_to_string(&names, ty);
        match (quals.is_const, quals.is_volatile) {
            (false, false) => text,
            (true, false) => format!("const({text})"),
            (false, true) => format!("volatile({text})"),
            (true, true) => format!("const volatile({text})"),
        }
    }
}

fn adt(program: &Program, out: &mut String, def: &AdtDef, id: &str) {
    let word = match def.kind {
        AdtKind::Struct => "struct",
        AdtKind::Union => "union",
        AdtKind::TaggedUnion => "@tagged union",
        AdtKind::PackedUnion => "@packed @tagged union",
        AdtKind::Datatype => "datatype",
        AdtKind::OpenDatatype => "@extensible datatype",
    };
    let foreign = if def.foreign { "foreign " } else { "" };
    let _ = write!(out, "{id} {foreign}{word} {}{}", def.name, generics_text(&def.generics));
    if !def.exists.is_empty() {
        let _ = write!(out, " exists {}", generics_text(&def.exists));
    }
    if def.packed {
        out.push_str(" packed");
    }
    if let Some(align) = def.align {
        let _ = write!(out, " align({align})");
    }
    let all = |exists: &[GenericParam]| -> Vec<GenericParam> {
        def.generics.iter().chain(exists).copied().collect()
    };
    let fields = |list: &[toft_ty::FieldDef], generics: &[GenericParam]| {
        let printer = Printer { program, generics, regions: &|_| None };
        let list: Vec<String> = list
            .iter()
            .map(|field| {
                let name = field.name.map_or("_".to_owned(), |name| name.to_string());
                let bits = field.bits.map_or(String::new(), |bits| format!(" : {bits}"));
                format!("{name}: {}{bits}", printer.ty(field.ty, field.quals))
            })
            .collect();
        list.join(", ")
    };
    match &def.fields {
        Some(list) => {
            let _ = writeln!(out, " {{ {} }}", fields(list, &all(&def.exists)));
        }
        None if def.is_datatype() => {
            out.push_str(" {");
            for variant in &def.variants {
                let exists = generics_text(&variant.exists);
                let inner = fields(&variant.fields, &all(&variant.exists));
                let _ = write!(out, " {}{exists}({inner});", variant.name);
            }
            out.push_str(" }\n");
        }
        None => out.push_str(";\n"),
    }
}

fn linkage(linkage: Linkage, origin: Origin) -> &'static str {
    match (linkage, origin) {
        (Linkage::Internal(_), Origin::Foreign) => "foreign static ",
        (Linkage::External, Origin::Foreign) => "foreign ",
        (Linkage::Internal(_), _) => "static ",
        (Linkage::External, Origin::Trusted) => "trusted ",
        (Linkage::External, Origin::Toft) => "",
    }
}

fn global(program: &Program, out: &mut String, def: &Global, id: &str) {
    let printer = Printer { program, generics: &[], regions: &|_| None };
    let _ = write!(
        out,
        "{id} {}{}{}: {}",
        linkage(def.linkage, def.origin),
        if def.defined { "" } else { "extern " },
        def.name,
        printer.ty(def.ty, def.quals)
    );
    if let Some(link) = def.link_name {
        let _ = write!(out, " as \"{link}\"");
    }
    if let Some(init) = &def.init {
        let _ = write!(out, " = {}", body::init_text(&printer, init));
    }
    out.push('\n');
}

/// One function, its body included.
pub fn func(program: &Program, id: FuncId, def: &Func) -> String {
    let mut out = String::new();
    let all: Vec<GenericParam> = match &def.body {
        Some(body) => def.generics.iter().chain(&body.opened).copied().collect(),
        None => def.generics.clone(),
    };
    let regions = |id: toft_ty::RegionId| {
        let decl = def.body.as_ref()?.regions.get(id)?;
        Some(decl.name.unwrap_or_else(|| toft_base::Symbol::intern(&id.to_string())))
    };
    let printer = Printer { program, generics: &all, regions: &regions };
    let _ = write!(
        out,
        "{id} {}{}{}: {}",
        linkage(def.linkage, def.origin),
        def.name,
        generics_text(&def.generics),
        printer.ty(Ty::func(def.sig.clone()), TyQuals::default())
    );
    if def.sig.noreturn {
        out.push_str(" noreturn");
    }
    if let Some(link) = def.link_name {
        let _ = write!(out, " as \"{link}\"");
    }
    if let Some(builtin) = def.builtin {
        let _ = write!(out, " builtin({builtin:?})");
    }
    for contract in &def.contracts {
        let word = if contract.requires { "requires" } else { "ensures" };
        let _ = write!(out, " @{word}({})", body::expr_text(&printer, &contract.cond));
    }
    match &def.body {
        None => out.push('\n'),
        Some(inner) => body::body(&printer, &mut out, inner),
    }
    out
}
