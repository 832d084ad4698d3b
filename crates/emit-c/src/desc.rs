//! Descriptors of heap types, tags of exceptions, and the table of roots.

use crate::cx::Cx;
use crate::names;
use std::fmt::Write;
use toft_base::{FxHashMap, Span};
use toft_cir::{Text, lit};
use toft_ty::{AdtId, AdtKind, Bounds, FloatTy, GArg, IntExpr, IntTy, Ty, TyKind, layout};

#[derive(Default)]
pub struct Descs {
    by_ty: FxHashMap<Ty, Text>,
    /// Class numbers by size, alignment and pointer map.
    classes: FxHashMap<(u64, u64, Vec<u64>), u32>,
    count: u32,
    tags: FxHashMap<(AdtId, u32), Text>,
    exns: FxHashMap<(AdtId, u32), Text>,
    /// Tables of what objects own; see `glue`.
    pub glue: FxHashMap<(Ty, crate::glue::Glue), Text>,
    pub switches: u32,
    /// Something allocates in the collected heap.
    pub used: bool,
}

impl Descs {
    /// Class ids are below this.
    pub fn classes(&self) -> usize {
        self.classes.len().max(1)
    }

    /// The class number of a shape.
    pub fn class(&mut self, size: u64, align: u64, offsets: Vec<u64>) -> u32 {
        let next = self.classes.len() as u32;
        *self.classes.entry((size, align, offsets)).or_insert(next)
    }
}

impl Cx<'_> {
    /// The address of the descriptor of `ty`.
    pub fn desc(&mut self, ty: Ty, span: Span) -> Text {
        if let Some(text) = self.descs.by_ty.get(&ty) {
            return text.clone();
        }
        let text = self.make_desc(ty, span);
        self.descs.by_ty.insert(ty, text.clone());
        text
    }

    fn make_desc(&mut self, ty: Ty, span: Span) -> Text {
        let size = match layout::layout_of(&self.decls.tables, ty) {
            Ok(layout) if layout.size <= u64::from(u32::MAX) && layout.align <= 4096 => layout,
            Ok(_) => {
                self.limit(span, "one object of the heap is larger than 4 GiB");
                return "0".into();
            }
            Err(_) => {
                self.unsupported(span, "an object of unknown size in the heap");
                return "0".into();
            }
        };
        let offsets = match layout::pointer_offsets(&self.decls.tables, ty) {
            Ok(offsets) => offsets,
            Err(_) => {
                self.limit(span, "a type has too many pointers in it");
                return "0".into();
            }
        };
        if offsets.iter().any(|offset| offset % 8 != 0) {
            self.unsupported(span, "an unaligned pointer in a packed struct of the heap");
            return "0".into();
        }
        let n = self.descs.count;
        self.descs.count += 1;
        let ptrs = if offsets.is_empty() {
            "0".to_string()
        } else {
            let list: Vec<String> = offsets.iter().map(u64::to_string).collect();
            let _ = writeln!(
                self.out.data,
                "static const uint32_t tx_p{n}[] = {{{}}};",
                list.join(", ")
            );
            format!("tx_p{n}")
        };
        let nptrs = offsets.len();
        let class = self.descs.class(size.size, size.align, offsets);
        let name = lit::string(self.type_name(ty).as_bytes());
        let _ = writeln!(
            self.out.data,
            "static const toft_desc tx_d{n} = {{{}, {}, {nptrs}, {class}, {ptrs}, {name}}};",
            size.size, size.align
        );
        format!("&tx_d{n}").into()
    }

    fn type_name(&self, ty: Ty) -> String {
        match *ty.kind() {
            TyKind::Adt(id, _) => self.adt(id).name.to_string(),
            TyKind::Variant(id, variant, _) => match self.decls.tables.variant(id, variant) {
                Some(def) => format!("{}.{}", self.adt(id).name, def.name),
                None => self.adt(id).name.to_string(),
            },
            TyKind::Ptr(ptr) if ptr.bounds == Bounds::Fat => {
                format!("{} ?", self.type_name(ptr.elem))
            }
            TyKind::Ptr(ptr) if ptr.elem.as_ptr().is_none() => {
                format!("{} *", self.type_name(ptr.elem))
            }
            TyKind::Ptr(_) => "pointer".into(),
            TyKind::Array { elem, len: IntExpr::Const(len), .. } => {
                format!("{}[{len}]", self.type_name(elem))
            }
            TyKind::Tuple(_) => "tuple".into(),
            TyKind::Int(int) => int.name().into(),
            TyKind::Float(float) => float.name().into(),
            TyKind::Bool => "bool".into(),
            TyKind::Enum(id) => self.decls.tables.enums[id].name.to_string(),
            _ => "value".into(),
        }
    }

    /// The tag of a variant as an expression: a number, or an address for open datatypes.
    pub fn tag(&mut self, id: AdtId, variant: u32) -> Text {
        if self.adt(id).kind != AdtKind::OpenDatatype {
            return format!("{variant}").into();
        }
        if let Some(text) = self.descs.tags.get(&(id, variant)) {
            return text.clone();
        }
        let text = self.make_tag(id, variant);
        self.descs.tags.insert((id, variant), text.clone());
        text
    }

    /// The address of the one value of an exception without arguments.
    pub fn exn_value(&mut self, id: AdtId, variant: u32) -> Text {
        if let Some(text) = self.descs.exns.get(&(id, variant)) {
            return text.clone();
        }
        let link = self.decls.tables.variant(id, variant).and_then(|def| def.link_name);
        let text: Text = match link.and_then(|name| name.as_str().strip_prefix("toft_tag_")) {
            Some(name) => format!("&toft_exn_{name}").into(),
            None => {
                let tag = self.tag(id, variant);
                let n = self.descs.exns.len();
                let _ = writeln!(self.out.data, "static toft_exn tx_exn{n} = {{{tag}}};");
                format!("&tx_exn{n}").into()
            }
        };
        self.descs.exns.insert((id, variant), text.clone());
        text
    }

    fn make_tag(&mut self, id: AdtId, variant: u32) -> Text {
        let tables = &self.decls.tables;
        let Some(def) = tables.variant(id, variant) else { return "0".into() };
        if let Some(link) = def.link_name {
            return format!("&{link}").into();
        }
        let args: &[GArg] = &[];
        let (size, offset) = match layout::variant_fields(tables, id, variant, args) {
            Ok((layout, places)) => (layout.size, places.first().map_or(0, |place| place.offset)),
            Err(_) => (8, 0),
        };
        let payload = def.fields.first().map_or("NONE", |field| self.payload(field.ty));
        let base = format!("tx_tag_{}", &names::mangle(def.name)[2..]);
        let label = lit::string(def.name.as_str().as_bytes());
        let name = self.names.unique(&base, false);
        let _ = writeln!(
            self.out.data,
            "static const toft_exn_tag {name} = {{{label}, TOFT_PAYLOAD_{payload}, {offset}, {size}}};"
        );
        format!("&{name}").into()
    }

    /// How the runtime prints an exception's first field.
    fn payload(&self, ty: Ty) -> &'static str {
        let is_char = |ty: Ty| matches!(ty.kind(), TyKind::Int(IntTy::Char));
        match ty.kind() {
            TyKind::Ptr(ptr) if is_char(ptr.elem) && ptr.bounds == Bounds::Fat => "FATSTR",
            TyKind::Ptr(ptr) if is_char(ptr.elem) && ptr.zeroterm => "CSTR",
            TyKind::Int(IntTy::Char) => "CHAR",
            TyKind::Float(FloatTy::Float | FloatTy::Double | FloatTy::LongDouble) => "OTHER",
            _ => match self.int_of(ty) {
                Some(int) => match (int.bytes(), int.is_signed()) {
                    (4, true) => "INT",
                    (4, false) => "UINT",
                    (8, true) => "LONG",
                    (8, false) => "ULONG",
                    _ => "OTHER",
                },
                None => "OTHER",
            },
        }
    }

    /// Writes the table of globals that may hold heap pointers; their number.
    pub fn roots(&mut self) -> usize {
        if !self.descs.used {
            return 0;
        }
        let mut rows = String::new();
        let mut count = 0;
        for &id in &self.program.globals {
            let decl = &self.decls.globals[id];
            let ty = self.global_ty(id);
            let (elem, n) = flat(ty);
            let offsets = layout::pointer_offsets(&self.decls.tables, elem);
            let holds = !offsets.is_ok_and(|list| list.is_empty());
            // What is constant points at static data only.
            if !holds || decl.external || decl.quals.is_const {
                continue;
            }
            let desc = self.desc(elem, decl.span);
            let name = self.global_names[&id].clone();
            let _ = write!(rows, "\n  {{(void *)&{name}, {desc}, {n}}},");
            count += 1;
        }
        if count > 0 {
            let _ = writeln!(self.out.entry, "static const toft_root tx_roots[] = {{{rows}\n}};");
        }
        count
    }
}

/// The innermost element of an array, and how many there are.
fn flat(ty: Ty) -> (Ty, u64) {
    let (mut ty, mut count) = (ty, 1u64);
    while let TyKind::Array { elem, len: IntExpr::Const(len), .. } = *ty.kind() {
        count = count.saturating_mul(len);
        ty = elem;
    }
    (ty, count)
}
