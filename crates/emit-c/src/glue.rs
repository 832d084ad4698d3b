//! What an object owns, as tables for the runtime's recursive drop.
//!
//! A pointer inside an object is followed only when the region it points into is known to be
//! there: fields declared in `'H` always; those in a region parameter when the call says that
//! every parameter stands for the heap or for the dropped pointer's own region. What is not
//! followed is left to the collector, or goes with its arena.

use crate::cx::Cx;
use std::fmt::Write;
use toft_base::Span;
use toft_cir::Text;
use toft_ty::{
    AdtDef, AdtKind, Aqual, Bounds, Concrete, FieldDef, GArg, IntExpr, PtrTy, Region, Ty, TyKind,
    layout, packed::packing,
};

/// What a region parameter of the object's type stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Glue(u8);

impl Glue {
    /// Anything: only fields declared in the heap are followed.
    pub const HEAP_FIELDS: Glue = Glue(0);
    /// The heap, which the dropped object is in too.
    pub const ALL_HEAP: Glue = Glue(1);
    /// The region of the dropped object.
    pub const ALL_OWN: Glue = Glue(2);
}

/// Where a field's object lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Unknown,
    Heap,
    Own,
}

/// A row of a table.
struct Row {
    offset: u64,
    kind: &'static str,
    /// 1 for a fat pointer; the bytes of a tag.
    fat: u8,
    own: bool,
    inner: Text,
}

/// More rows than this are not written out.
const MAX_ROWS: usize = 1 << 12;

impl Cx<'_> {
    /// The table for objects of the type: its address, or null when they own nothing.
    pub fn glue(&mut self, ty: Ty, mode: Glue, span: Span) -> Text {
        if let Some(text) = self.descs.glue.get(&(ty, mode)) {
            return text.clone();
        }
        let n = self.descs.glue.len();
        let name: Text = format!("&tx_drop{n}").into();
        // Types that own themselves find the name.
        self.descs.glue.insert((ty, mode), name.clone());
        let _ = writeln!(self.out.data, "static const toft_drop tx_drop{n};");
        let mut rows = Vec::new();
        self.rows(ty, ty, 0, mode, span, &mut rows);
        if rows.len() > MAX_ROWS {
            self.limit(span, "a counted object with too many tracked pointers in it");
            rows.clear();
        }
        let size = match *ty.kind() {
            TyKind::Adt(id, _) if self.adt(id).is_datatype() => 8,
            _ => self.size_of(ty, span),
        };
        self.table(&format!("tx_drop{n}"), size, &rows);
        if rows.is_empty() {
            self.descs.glue.insert((ty, mode), "0".into());
            return "0".into();
        }
        name
    }

    fn table(&mut self, name: &str, size: u64, rows: &[Row]) {
        let mut list = String::new();
        for row in rows {
            let Row { offset, kind, fat, own, inner } = row;
            let own = u8::from(*own);
            let _ = write!(list, "\n  {{{offset}, {kind}, {fat}, {{{own}, 0}}, {inner}}},");
        }
        let fields = if rows.is_empty() { "0".to_string() } else { format!("{name}_f") };
        if !rows.is_empty() {
            let _ =
                writeln!(self.out.data, "static const toft_drop_field {fields}[] = {{{list}\n}};");
        }
        let count = rows.len();
        let _ = writeln!(
            self.out.data,
            "static const toft_drop {name} = {{{size}, {count}, {fields}}};"
        );
    }

    /// The tracked pointers in a `ty` at `at`; `declared` is the same type as its definition
    /// writes it, with the regions.
    fn rows(&mut self, declared: Ty, ty: Ty, at: u64, mode: Glue, span: Span, out: &mut Vec<Row>) {
        if out.len() > MAX_ROWS {
            return;
        }
        match (*declared.kind(), *ty.kind()) {
            (TyKind::Ptr(declared), TyKind::Ptr(ptr)) => {
                self.pointer_row(declared, ptr, at, mode, span, out);
            }
            // What a type variable stands for: regions are known when all are.
            (TyKind::Param(..), _) if mode != Glue::HEAP_FIELDS => {
                self.rows(ty, ty, at, mode, span, out);
            }
            (TyKind::Array { elem, .. }, TyKind::Array { elem: own, len, .. }) => {
                let IntExpr::Const(len) = len else { return };
                let size = self.size_of(own, span);
                let before = out.len();
                for n in 0..len {
                    self.rows(elem, own, at + n * size, mode, span, out);
                    if out.len() == before || out.len() > MAX_ROWS {
                        return;
                    }
                }
            }
            (TyKind::Tuple(declared), TyKind::Tuple(fields)) => {
                let Ok((_, places)) = layout::tuple_fields(&self.decls.tables, fields) else {
                    return;
                };
                for ((&declared, &ty), place) in declared.iter().zip(fields).zip(places) {
                    self.rows(declared, ty, at + place.offset, mode, span, out);
                }
            }
            (TyKind::Adt(_, declared), TyKind::Adt(id, args)) => {
                let mode = inner_mode(declared, mode);
                self.adt_rows(id, args, at, mode, span, out);
            }
            (TyKind::Variant(_, _, declared), TyKind::Variant(id, variant, args)) => {
                let mode = inner_mode(declared, mode);
                let tables = &self.decls.tables;
                let (Some(def), Ok((_, places))) = (
                    tables.variant(id, variant),
                    layout::variant_fields(tables, id, variant, args),
                ) else {
                    return;
                };
                let offsets: Vec<u64> = places.iter().map(|place| at + place.offset).collect();
                self.fields(&def.fields, args, &offsets, mode, span, out);
            }
            _ => {}
        }
    }

    fn adt_rows(
        &mut self,
        id: toft_ty::AdtId,
        args: &[GArg],
        at: u64,
        mode: Glue,
        span: Span,
        out: &mut Vec<Row>,
    ) {
        let def: &AdtDef = &self.decls.tables.adts[id];
        match def.kind {
            AdtKind::Struct | AdtKind::TaggedUnion => {
                let Some(fields) = def.fields.as_deref() else { return };
                let Ok((_, places)) = layout::fields_of(&self.decls.tables, id, args) else {
                    return;
                };
                let offsets: Vec<u64> = places.iter().map(|place| at + place.offset).collect();
                if def.kind == AdtKind::Struct {
                    return self.fields(fields, args, &offsets, mode, span, out);
                }
                let members: Vec<Vec<Row>> = (fields.iter().zip(&offsets))
                    .map(|(field, &offset)| {
                        let mut rows = Vec::new();
                        let one = std::slice::from_ref(field);
                        self.fields(one, args, &[offset], mode, span, &mut rows);
                        rows
                    })
                    .collect();
                self.switch(at, 4, members, out);
            }
            AdtKind::Datatype => {
                let count = def.variants.len();
                let mut members = Vec::with_capacity(count);
                for n in 0..count as u32 {
                    let mut rows = Vec::new();
                    let variant = Ty::new(TyKind::Variant(id, n, toft_ty::arg_list(args)));
                    self.rows_of_variant(variant, at, mode, span, &mut rows);
                    members.push(rows);
                }
                self.switch(at, 8, members, out);
            }
            // Unions hold no pointers; what an exception carries is left to the collector.
            AdtKind::Union | AdtKind::OpenDatatype => {}
            AdtKind::PackedUnion => self.packed_rows(id, args, at, mode, span, out),
        }
    }

    /// One row for the word, and a table with a row for each tag.
    fn packed_rows(
        &mut self,
        id: toft_ty::AdtId,
        args: &[GArg],
        at: u64,
        mode: Glue,
        span: Span,
        out: &mut Vec<Row>,
    ) {
        let tables = &self.decls.tables;
        let (Some(fields), Ok(packing)) =
            (tables.adts[id].fields.as_deref(), packing(tables, id, args))
        else {
            return;
        };
        let mut list = Vec::with_capacity(fields.len());
        for field in fields {
            let mut rows = Vec::new();
            self.fields(std::slice::from_ref(field), args, &[0], mode, span, &mut rows);
            list.push(rows.pop().unwrap_or(Row {
                offset: 0,
                kind: "0",
                fat: 0,
                own: false,
                inner: "0".into(),
            }));
        }
        if list.iter().all(|row| row.kind == "0") {
            return;
        }
        let name = format!("tx_drops{}", self.descs.switches);
        self.descs.switches += 1;
        self.table(&name, 0, &list);
        out.push(Row {
            offset: at,
            kind: "TOFT_DROP_PACKED",
            fat: packing.tag_bits as u8,
            own: false,
            inner: format!("&{name}").into(),
        });
    }

    fn rows_of_variant(&mut self, ty: Ty, at: u64, mode: Glue, span: Span, out: &mut Vec<Row>) {
        let TyKind::Variant(id, variant, args) = *ty.kind() else { return };
        let tables = &self.decls.tables;
        let (Some(def), Ok((_, places))) =
            (tables.variant(id, variant), layout::variant_fields(tables, id, variant, args))
        else {
            return;
        };
        let offsets: Vec<u64> = places.iter().map(|place| at + place.offset).collect();
        self.fields(&def.fields, args, &offsets, mode, span, out);
    }

    /// One row that says which of several tables holds.
    fn switch(&mut self, at: u64, bytes: u8, members: Vec<Vec<Row>>, out: &mut Vec<Row>) {
        if members.iter().all(Vec::is_empty) {
            return;
        }
        let n = self.descs.switches;
        self.descs.switches += 1;
        let mut list = Vec::with_capacity(members.len());
        for (m, rows) in members.iter().enumerate() {
            let name = format!("tx_drops{n}_{m}");
            let mut inner: Text = "0".into();
            if !rows.is_empty() {
                self.table(&name, 0, rows);
                inner = format!("&{name}").into();
            }
            list.push(Row { offset: 0, kind: "0", fat: 0, own: false, inner });
        }
        let name = format!("tx_drops{n}");
        self.table(&name, 0, &list);
        out.push(Row {
            offset: at,
            kind: "TOFT_DROP_SWITCH",
            fat: bytes,
            own: false,
            inner: format!("&{name}").into(),
        });
    }

    fn fields(
        &mut self,
        fields: &[FieldDef],
        args: &[GArg],
        offsets: &[u64],
        mode: Glue,
        span: Span,
        out: &mut Vec<Row>,
    ) {
        for (field, &offset) in fields.iter().zip(offsets) {
            if field.bits.is_some() {
                continue;
            }
            // Hidden types and regions are not among the arguments: nothing is known of them.
            let mode = if hidden(field.ty, args.len()) { Glue::HEAP_FIELDS } else { mode };
            let ty = Concrete::new(args).ty(field.ty);
            self.rows(field.ty, ty, offset, mode, span, out);
        }
    }

    fn pointer_row(
        &mut self,
        declared: PtrTy,
        ptr: PtrTy,
        at: u64,
        mode: Glue,
        span: Span,
        out: &mut Vec<Row>,
    ) {
        let home = match (declared.region, mode) {
            (Region::Heap, _) => At::Heap,
            (Region::Param(_) | Region::Erased, Glue::ALL_HEAP) => At::Heap,
            (Region::Param(_) | Region::Erased, Glue::ALL_OWN) => At::Own,
            _ => At::Unknown,
        };
        let key = self.is_key(ptr.elem);
        let kind = match (ptr.aqual, key) {
            (Aqual::Unique, false) => "TOFT_Q_U",
            (Aqual::Counted, false) => "TOFT_Q_RC",
            (Aqual::Unique, true) => "TOFT_DROP_UKEY",
            (Aqual::Counted, true) => "TOFT_DROP_RKEY",
            _ => return,
        };
        if home == At::Unknown {
            return;
        }
        let inner_mode = match *declared.elem.kind() {
            TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => inner_mode(args, mode),
            _ => mode,
        };
        // Inside an object of the heap, "own" means the heap.
        let inner_mode = match (home, inner_mode) {
            (At::Heap, Glue::ALL_OWN) => Glue::HEAP_FIELDS,
            (_, mode) => mode,
        };
        let inner = match key {
            true => "0".into(),
            false => self.glue(ptr.elem, inner_mode, span),
        };
        out.push(Row {
            offset: at,
            kind,
            fat: u8::from(ptr.bounds == Bounds::Fat),
            own: home == At::Own,
            inner,
        });
    }
}

/// What is known inside a type that a field mentions with these arguments.
fn inner_mode(declared: &[GArg], mode: Glue) -> Glue {
    let mut regions = Vec::new();
    declared.iter().for_each(|arg| mentioned(arg, &mut regions));
    if regions.is_empty() {
        return mode;
    }
    if regions.iter().all(|region| *region == Region::Heap) {
        return Glue::ALL_HEAP;
    }
    let plain = |region: &Region| match region {
        Region::Param(_) | Region::Erased => true,
        Region::Heap => mode == Glue::ALL_HEAP,
        _ => false,
    };
    if regions.iter().all(plain) { mode } else { Glue::HEAP_FIELDS }
}

fn mentioned(arg: &GArg, out: &mut Vec<Region>) {
    match arg {
        GArg::Region(region) => out.push(*region),
        GArg::Ty(ty) => mentioned_in(*ty, out),
        GArg::Aqual(_) | GArg::Int(_) | GArg::Effect(_) => {}
    }
}

fn mentioned_in(ty: Ty, out: &mut Vec<Region>) {
    match *ty.kind() {
        TyKind::Ptr(ref ptr) => {
            out.push(ptr.region);
            mentioned_in(ptr.elem, out);
        }
        TyKind::Array { elem, .. } => mentioned_in(elem, out),
        TyKind::Tuple(fields) => fields.iter().for_each(|&ty| mentioned_in(ty, out)),
        TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => {
            args.iter().for_each(|arg| mentioned(arg, out));
        }
        // What a variable stands for is known when all is.
        TyKind::Param(..) => out.push(Region::Param(0)),
        _ => {}
    }
}

/// Mentions a variable past the first `own`: one that the definition hides.
fn hidden(ty: Ty, own: usize) -> bool {
    let region = |region: Region| match region {
        Region::Param(n) => n as usize >= own,
        Region::Next(..) | Region::Bound(..) => true,
        _ => false,
    };
    match *ty.kind() {
        TyKind::Ptr(ref ptr) => region(ptr.region) || hidden(ptr.elem, own),
        TyKind::Array { elem, .. } => hidden(elem, own),
        TyKind::Tuple(fields) => fields.iter().any(|&ty| hidden(ty, own)),
        TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => args.iter().any(|arg| match arg {
            GArg::Region(at) => region(*at),
            GArg::Ty(ty) => hidden(*ty, own),
            _ => false,
        }),
        TyKind::Param(n, _) => n as usize >= own,
        _ => false,
    }
}
