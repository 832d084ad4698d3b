//! Types as C text, and their definitions in the order C needs.
//!
//! Pointers keep the type they point at, so that a debugger shows the program's own
//! structs. Structs are defined when something needs their contents, so that a generic
//! type may mention ever deeper instances of itself behind pointers.

use crate::cx::Cx;
use crate::names;
use std::fmt::Write;
use toft_base::{FxHashMap, FxHashSet, Span};
use toft_cir::Text;
use toft_ty::{
    AdtDef, AdtId, AdtKind, Bounds, Concrete, FieldDef, FuncTy, GArg, IntExpr, IntTy, LayoutError,
    Ty, TyKind, Variadic, layout,
};

#[derive(Default)]
pub struct Types {
    texts: FxHashMap<Ty, Text>,
    defined: FxHashSet<Ty>,
    arrays: u32,
    funcs: u32,
    tuples: u32,
    funcs_by_text: FxHashMap<String, Text>,
    fields: FxHashMap<(AdtId, u32), Text>,
}

/// What C's conversions see in a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Int,
    Float,
    Pointer,
    Fat,
    Other,
}

pub fn class(ty: Ty) -> Class {
    match ty.kind() {
        TyKind::Ptr(ptr) if ptr.bounds == Bounds::Fat => Class::Fat,
        TyKind::Vla(_) => Class::Fat,
        TyKind::Ptr(_) | TyKind::RegionHandle(_) | TyKind::Func(_) => Class::Pointer,
        TyKind::Float(_) => Class::Float,
        TyKind::Bool | TyKind::Int(_) | TyKind::Enum(_) | TyKind::Tag(_) | TyKind::SizeofT(_) => {
            Class::Int
        }
        TyKind::AqualHandle(_) => Class::Int,
        _ => Class::Other,
    }
}

impl Cx<'_> {
    /// The integer type behind an integer-like type.
    pub fn int_of(&self, ty: Ty) -> Option<IntTy> {
        match ty.kind() {
            TyKind::Int(int) => Some(*int),
            TyKind::Bool | TyKind::AqualHandle(_) => Some(IntTy::UChar),
            TyKind::Enum(id) => Some(self.decls.tables.enums[*id].underlying),
            TyKind::Tag(_) | TyKind::SizeofT(_) => Some(IntTy::ULong),
            _ => None,
        }
    }

    /// The type as C text; a name can follow it.
    pub fn cty(&mut self, ty: Ty) -> Text {
        if let Some(text) = self.types.texts.get(&ty) {
            return text.clone();
        }
        let text = self.make(ty);
        self.types.texts.insert(ty, text.clone());
        text
    }

    fn make(&mut self, ty: Ty) -> Text {
        match *ty.kind() {
            TyKind::Void | TyKind::Error => "void".into(),
            TyKind::Bool => "bool".into(),
            TyKind::Int(int) => int.name().into(),
            TyKind::Float(float) => float.name().into(),
            TyKind::Enum(id) => self.decls.tables.enums[id].underlying.name().into(),
            TyKind::Tag(_) | TyKind::SizeofT(_) => "unsigned long".into(),
            TyKind::AqualHandle(_) => "unsigned char".into(),
            TyKind::RegionHandle(_) => "toft_region *".into(),
            TyKind::VaList => "__builtin_va_list".into(),
            TyKind::Vla(_) => "toft_fat".into(),
            TyKind::Ptr(ptr) if ptr.bounds == Bounds::Fat => "toft_fat".into(),
            TyKind::Ptr(ptr) => self.pointer(ptr.elem, ptr.quals.is_volatile),
            TyKind::Func(func) => self.func_pointer(func),
            TyKind::Array { elem, len, .. } => {
                let IntExpr::Const(len) = len else { return "void".into() };
                self.define(elem, Span::NONE);
                let elem = self.cty(elem);
                let n = self.types.arrays;
                self.types.arrays += 1;
                let _ = writeln!(self.out.types, "typedef {elem} tx_a{n}[{len}];");
                format!("tx_a{n}").into()
            }
            TyKind::Adt(id, args) => self.adt_name(id, args),
            TyKind::Variant(id, variant, args) => {
                let base = names::mangle(self.decls.tables.adts[id].name);
                let name = match self.decls.tables.variant(id, variant) {
                    Some(def) => def.name,
                    None => self.decls.tables.adts[id].name,
                };
                let base = format!("{base}__{}", &names::mangle(name)[2..]);
                self.declare_struct("struct", &base, has_types(args))
            }
            TyKind::Tuple(_) => {
                let n = self.types.tuples;
                self.types.tuples += 1;
                self.declare_struct("struct", &format!("tx_t{n}"), false)
            }
            // A word; concrete types have none of these.
            TyKind::Param(..) | TyKind::Bound(..) | TyKind::Infer(_) => "unsigned long".into(),
            TyKind::Opaque { size, align } => {
                let text = self.declare_struct("struct", "tx_o", true);
                let _ = writeln!(
                    self.out.types,
                    "{text} {{ _Alignas({align}) unsigned char bytes[{size}]; }};"
                );
                text
            }
        }
    }

    fn pointer(&mut self, elem: Ty, is_volatile: bool) -> Text {
        let inner: Text = match elem.kind() {
            TyKind::Func(func) => return self.func_pointer(func),
            // An array type's element must be complete, which it may not be yet.
            TyKind::Array { .. } => "void".into(),
            _ => self.cty(elem),
        };
        let volatile = if is_volatile { "volatile " } else { "" };
        let space = if inner.ends_with('*') { "" } else { " " };
        if inner.ends_with('*') && is_volatile {
            return format!("{inner} volatile *").into();
        }
        format!("{volatile}{inner}{space}*").into()
    }

    fn func_pointer(&mut self, func: &FuncTy) -> Text {
        let ret = self.cty(func.ret);
        let params = self.param_types(func);
        let key = format!("{ret}({params})");
        if let Some(text) = self.types.funcs_by_text.get(&key) {
            return text.clone();
        }
        let n = self.types.funcs;
        self.types.funcs += 1;
        let _ = writeln!(self.out.forward, "typedef {ret} (*tx_f{n})({params});");
        let text: Text = format!("tx_f{n}").into();
        self.types.funcs_by_text.insert(key, text.clone());
        text
    }

    fn param_types(&mut self, func: &FuncTy) -> String {
        let mut list: Vec<Text> = func.params.iter().map(|&ty| self.cty(ty)).collect();
        match func.variadic {
            Variadic::No => {}
            Variadic::C if list.is_empty() => return String::new(),
            Variadic::C => list.push("...".into()),
            Variadic::Typed(_) | Variadic::Inject(_) => list.push("toft_fat".into()),
        }
        if list.is_empty() { "void".to_string() } else { list.join(", ") }
    }

    fn declare_struct(&mut self, word: &str, base: &str, numbered: bool) -> Text {
        let name = self.names.unique(base, numbered);
        let _ = writeln!(self.out.forward, "{word} {name};");
        format!("{word} {name}").into()
    }

    fn adt_name(&mut self, id: AdtId, args: &[GArg]) -> Text {
        let def = &self.decls.tables.adts[id];
        let base = if def.anonymous { "t_anon".to_string() } else { names::mangle(def.name) };
        let word = if def.kind == AdtKind::Union { "union" } else { "struct" };
        self.declare_struct(word, &base, has_types(args) || def.anonymous)
    }

    /// Makes sure the contents of `ty` are known to C from here on.
    pub fn define(&mut self, ty: Ty, span: Span) {
        match *ty.kind() {
            TyKind::Array { elem, .. } => self.define(elem, span),
            TyKind::Adt(..) | TyKind::Variant(..) | TyKind::Tuple(_) => {
                if self.types.defined.insert(ty) {
                    self.define_struct(ty, span);
                }
            }
            _ => {}
        }
    }

    fn define_struct(&mut self, ty: Ty, span: Span) {
        // A type inside itself has no layout: stops here.
        let layout = match layout::layout_of(&self.decls.tables, ty) {
            Ok(layout) => Some(layout),
            Err(LayoutError::Incomplete) => None,
            Err(LayoutError::TooLarge | LayoutError::Infinite) => {
                return self.limit(span, "a type has no possible layout");
            }
            Err(_) => return self.unsupported(span, "a type of unknown size here"),
        };
        let text = self.cty(ty);
        match *ty.kind() {
            TyKind::Adt(id, args) => self.define_adt(id, args, &text, span),
            TyKind::Variant(id, variant, args) => self.define_variant(id, variant, args, &text),
            TyKind::Tuple(fields) => {
                let mut body = String::new();
                for (n, &field) in fields.iter().enumerate() {
                    self.define(field, span);
                    let field = self.cty(field);
                    let _ = write!(body, " {field} f{n};");
                }
                let _ = writeln!(self.out.types, "{text} {{{body} }};");
            }
            _ => {}
        }
        if let Some(layout) = layout {
            let _ = writeln!(
                self.out.types,
                "_Static_assert(sizeof({text}) == {} && _Alignof({text}) == {}, \"layout\");",
                layout.size, layout.align
            );
        }
    }

    fn define_adt(&mut self, id: AdtId, args: &[GArg], text: &str, span: Span) {
        let def = &self.decls.tables.adts[id];
        match def.kind {
            AdtKind::Datatype => {
                let _ = writeln!(self.out.types, "{text} {{ uint64_t tag; }};");
                return;
            }
            AdtKind::OpenDatatype => {
                let _ = writeln!(self.out.types, "{text} {{ const toft_exn_tag *tag; }};");
                return;
            }
            AdtKind::PackedUnion => {
                return self.define_packed(id, args, text, span);
            }
            AdtKind::Struct | AdtKind::Union | AdtKind::TaggedUnion => {}
        }
        let Some(fields) = def.fields.as_deref() else { return };
        let mut body = String::new();
        for n in 0..fields.len() {
            self.field(&mut body, id, args, n);
        }
        let mut attributes = String::new();
        if def.packed {
            attributes.push_str(" __attribute__((packed))");
        }
        if let Some(align) = def.align {
            let _ = write!(attributes, " __attribute__((aligned({align})))");
        }
        if def.kind == AdtKind::TaggedUnion {
            let align = layout::fields_of(&self.decls.tables, id, args).map_or(4, |(l, _)| l.align);
            body = format!(" uint32_t tag; union {{{body} }} u __attribute__((aligned({align})));");
        }
        let _ = writeln!(self.out.types, "{text} {{{body} }}{attributes};");
    }

    fn field(&mut self, body: &mut String, id: AdtId, args: &[GArg], n: usize) {
        let def = &self.decls.tables.adts[id];
        let Some(field) = def.fields.as_deref().and_then(|fields| fields.get(n)) else { return };
        let ty = Concrete::new(args).ty(field.ty);
        self.define(ty, field.span);
        let text = self.cty(ty);
        let align =
            field.align.map_or(String::new(), |n| format!("__attribute__((aligned({n}))) "));
        let volatile = if field.quals.is_volatile { "volatile " } else { "" };
        let _ = match (field.bits, field.name) {
            (Some(bits), None) => write!(body, " {text} : {bits};"),
            (Some(bits), Some(_)) => {
                let name = self.field_name(id, n as u32);
                write!(body, " {align}{volatile}{text} {name} : {bits};")
            }
            (None, _) => {
                let name = self.field_name(id, n as u32);
                write!(body, " {align}{volatile}{text} {name};")
            }
        };
    }

    /// Name of a field of a struct or union in C.
    pub fn field_name(&mut self, id: AdtId, n: u32) -> Text {
        if let Some(name) = self.types.fields.get(&(id, n)) {
            return name.clone();
        }
        let field = self.decls.tables.adts[id].fields.as_deref().and_then(|f| f.get(n as usize));
        let text: Text = match field.and_then(|field| field.name) {
            Some(name) => names::local(name).into(),
            None => format!("_{n}").into(),
        };
        self.types.fields.insert((id, n), text.clone());
        text
    }

    fn define_variant(&mut self, id: AdtId, variant: u32, args: &[GArg], text: &str) {
        let tables = &self.decls.tables;
        let Some(def) = tables.variant(id, variant) else { return };
        let tag = match tables.adts[id].kind {
            AdtKind::OpenDatatype => "const toft_exn_tag *tag;",
            _ => "uint64_t tag;",
        };
        let mut body = String::new();
        let mut concrete = Concrete::new(args);
        for (n, field) in def.fields.iter().enumerate() {
            let ty = concrete.ty(field.ty);
            self.define(ty, field.span);
            let ty = self.cty(ty);
            let align =
                field.align.map_or(String::new(), |n| format!("__attribute__((aligned({n}))) "));
            let _ = write!(body, " {align}{ty} f{n};");
        }
        let _ = writeln!(self.out.types, "{text} {{ {tag}{body} }};");
    }

    /// Type of field `n` of a struct, union, variant or tuple, and whether it is volatile.
    pub fn field_ty(&self, ty: Ty, n: u32) -> Option<(Ty, bool)> {
        let of = |fields: &[FieldDef], args: &[GArg]| {
            let field = fields.get(n as usize)?;
            Some((Concrete::new(args).ty(field.ty), field.quals.is_volatile))
        };
        match *ty.kind() {
            TyKind::Tuple(fields) => fields.get(n as usize).map(|&ty| (ty, false)),
            TyKind::Adt(id, args) => of(self.adt(id).fields.as_deref()?, args),
            TyKind::Variant(id, variant, args) => {
                of(&self.decls.tables.variant(id, variant)?.fields, args)
            }
            _ => None,
        }
    }

    pub fn is_bit_field(&self, ty: Ty, n: u32) -> bool {
        match *ty.kind() {
            TyKind::Adt(id, _) => (self.adt(id).fields.as_deref())
                .and_then(|fields| fields.get(n as usize))
                .is_some_and(|field| field.bits.is_some()),
            _ => false,
        }
    }

    pub fn adt(&self, id: AdtId) -> &AdtDef {
        &self.decls.tables.adts[id]
    }

    /// Size of a type that must have one; 1 after an error.
    pub fn size_of(&mut self, ty: Ty, span: Span) -> u64 {
        match layout::layout_of(&self.decls.tables, ty) {
            Ok(layout) => layout.size,
            // Elements of `void` and of abstract types are counted as bytes.
            Err(LayoutError::NotAnObject | LayoutError::Incomplete) => 1,
            Err(LayoutError::Generic) => {
                self.unsupported(span, "an element of unknown size");
                1
            }
            Err(LayoutError::TooLarge | LayoutError::Infinite) => {
                self.limit(span, "a type has no possible layout");
                1
            }
        }
    }
}

fn has_types(args: &[GArg]) -> bool {
    args.iter().any(|arg| matches!(arg, GArg::Ty(_) | GArg::Int(IntExpr::Const(_))))
}

/// An array whose elements are bytes: gets a hidden zero behind its end when it is a whole
/// variable. Gives its length.
pub fn hidden_zero(cx: &Cx<'_>, ty: Ty) -> Option<u64> {
    let TyKind::Array { elem, len: IntExpr::Const(len), .. } = *ty.kind() else { return None };
    let is_byte = match elem.kind() {
        TyKind::Bool => true,
        _ => cx.int_of(elem).is_some_and(|int| int.bytes() == 1),
    };
    is_byte.then_some(len)
}
