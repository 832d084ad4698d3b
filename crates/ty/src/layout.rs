//! Sizes, alignments, field offsets: the System V rules, bit-fields included.

use crate::target::{FAT_BYTES, POINTER_BYTES};
use crate::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutError {
    /// Contains a type whose contents are not known.
    Incomplete,
    /// Depends on a type parameter: known after `mono`.
    Generic,
    /// Larger than half the address space.
    TooLarge,
    /// `void`, a function, a reported error.
    NotAnObject,
    /// Nested in itself.
    Infinite,
}

/// Where a member lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldPlace {
    pub offset: u64,
    /// Bit-fields: position of the lowest bit from `offset`, width.
    pub bits: Option<(u32, u32)>,
}

const MAX_SIZE: u64 = 1 << 46;
const MAX_NESTING: u32 = 128;

/// Size and alignment of `ty`.
pub fn layout_of(tables: &Tables, ty: Ty) -> Result<Layout, LayoutError> {
    layout(tables, ty, 0)
}

fn scalar(size: u64) -> Result<Layout, LayoutError> {
    Ok(Layout { size, align: size })
}

fn layout(tables: &Tables, ty: Ty, depth: u32) -> Result<Layout, LayoutError> {
    if depth > MAX_NESTING {
        return Err(LayoutError::Infinite);
    }
    match *ty.kind() {
        TyKind::Bool => scalar(1),
        TyKind::Int(int) => scalar(int.bytes()),
        TyKind::Float(float) => scalar(float.bytes()),
        TyKind::Enum(id) => scalar(tables.enums[id].underlying.bytes()),
        TyKind::Ptr(ptr) if ptr.bounds == Bounds::Fat => {
            Ok(Layout { size: FAT_BYTES, align: POINTER_BYTES })
        }
        TyKind::Vla(_) => Ok(Layout { size: FAT_BYTES, align: POINTER_BYTES }),
        TyKind::Ptr(_) | TyKind::RegionHandle(_) => scalar(POINTER_BYTES),
        TyKind::Tag(_) | TyKind::SizeofT(_) => scalar(8),
        TyKind::AqualHandle(_) => scalar(1),
        TyKind::VaList => Ok(Layout { size: 24, align: 8 }),
        TyKind::Opaque { size, align } => {
            Ok(Layout { size: u64::from(size), align: u64::from(align) })
        }
        TyKind::Array { elem, len, .. } => {
            let elem = layout(tables, elem, depth + 1)?;
            let IntExpr::Const(len) = len else { return Err(LayoutError::Generic) };
            let size = elem.size.checked_mul(len).filter(|&size| size <= MAX_SIZE);
            Ok(Layout { size: size.ok_or(LayoutError::TooLarge)?, align: elem.align })
        }
        TyKind::Tuple(fields) => {
            sequence(tables, fields.iter().map(|&ty| (ty, None)), 0, depth).map(|(l, _)| l)
        }
        // What stands behind such an object has no room inside another one.
        TyKind::Adt(id, _) if depth > 0 && tables.adts[id].flexible().is_some() => {
            Err(LayoutError::Incomplete)
        }
        TyKind::Adt(id, args) => adt_layout(tables, id, args, depth).map(|(layout, _)| layout),
        TyKind::Variant(id, variant, args) => {
            variant_layout_at(tables, id, variant, args, depth).map(|(layout, _)| layout)
        }
        TyKind::Param(..) | TyKind::Bound(..) | TyKind::Infer(_) => Err(LayoutError::Generic),
        TyKind::Void | TyKind::Func(_) | TyKind::Error => Err(LayoutError::NotAnObject),
    }
}

/// Layout of an ADT and the places of its fields.
pub fn fields_of(
    tables: &Tables,
    id: AdtId,
    args: &[GArg],
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    adt_layout(tables, id, args, 0)
}

/// Layout of a datatype's variant (tag word first) and the places of its fields.
pub fn variant_fields(
    tables: &Tables,
    id: AdtId,
    variant: u32,
    args: &[GArg],
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    variant_layout_at(tables, id, variant, args, 0)
}

/// Layout of a tuple and the places of its fields.
pub fn tuple_fields(
    tables: &Tables,
    fields: &[Ty],
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    sequence(tables, fields.iter().map(|&ty| (ty, None)), 0, 0)
}

fn variant_layout_at(
    tables: &Tables,
    id: AdtId,
    variant: u32,
    args: &[GArg],
    depth: u32,
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    let def = tables.variant(id, variant).ok_or(LayoutError::Incomplete)?;
    let fields = def.fields.iter().map(|field| (Subst(args).ty(field.ty), field.align));
    let (mut layout, places) = sequence(tables, fields, POINTER_BYTES, depth)?;
    layout.align = layout.align.max(POINTER_BYTES);
    layout.size = round_up(layout.size, layout.align);
    Ok((layout, places))
}

fn round_up(value: u64, align: u64) -> u64 {
    value.div_ceil(align.max(1)) * align.max(1)
}

fn sequence(
    tables: &Tables,
    fields: impl Iterator<Item = (Ty, Option<u32>)>,
    start: u64,
    depth: u32,
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    let mut offset = start;
    let mut align = 1;
    let mut places = Vec::new();
    for (ty, forced) in fields {
        let field = layout(tables, ty, depth + 1)?;
        let field_align = field.align.max(u64::from(forced.unwrap_or(1)));
        offset = round_up(offset, field_align);
        places.push(FieldPlace { offset, bits: None });
        offset += field.size;
        align = align.max(field_align);
        if offset > MAX_SIZE {
            return Err(LayoutError::TooLarge);
        }
    }
    Ok((Layout { size: round_up(offset, align), align }, places))
}

fn adt_layout(
    tables: &Tables,
    id: AdtId,
    args: &[GArg],
    depth: u32,
) -> Result<(Layout, Vec<FieldPlace>), LayoutError> {
    let def = &tables.adts[id];
    if def.is_datatype() {
        // Only pointers to datatypes are ever objects' members.
        return Err(LayoutError::Incomplete);
    }
    let fields = def.fields.as_deref().ok_or(LayoutError::Incomplete)?;
    if def.kind == AdtKind::PackedUnion {
        let packing =
            crate::packed::packing(tables, id, args).map_err(|_| LayoutError::NotAnObject)?;
        let places = vec![FieldPlace { offset: 0, bits: None }; fields.len()];
        return Ok((crate::packed::layout(&packing, def.align), places));
    }
    let exists: Vec<GArg>;
    let args = if def.exists.is_empty() {
        args
    } else {
        exists = args.iter().copied().chain(def.exists.iter().map(erased_arg)).collect();
        &exists
    };
    let mut cursor = Cursor { packed: def.packed, bit: 0, size: 0, align: 1 };
    let mut places = Vec::with_capacity(fields.len());
    let mut union_size = 0;
    for field in fields {
        let inner = layout(tables, Subst(args).ty(field.ty), depth + 1)?;
        if def.kind != AdtKind::Struct {
            cursor.bit = 0;
        }
        places.push(cursor.place(field, inner)?);
        union_size = union_size.max(cursor.bit.div_ceil(8));
    }
    let mut align = cursor.align.max(u64::from(def.align.unwrap_or(1)));
    let mut size = if def.kind == AdtKind::Struct { cursor.bit.div_ceil(8) } else { union_size };
    if def.kind == AdtKind::TaggedUnion {
        // The tag word comes first; members follow at the next aligned offset.
        align = align.max(4);
        let start = round_up(4, align.max(cursor.align));
        places.iter_mut().for_each(|place| place.offset += start);
        size += start;
    }
    Ok((Layout { size: round_up(size, align), align }, places))
}

/// Inside an existential a type variable is a word.
fn erased_arg(param: &GenericParam) -> GArg {
    match param.kind {
        Kind::Any | Kind::Word => GArg::Ty(Ty::int(IntTy::ULong)),
        Kind::Region => GArg::Region(Region::Erased),
        Kind::Effect => GArg::Effect(&[]),
        Kind::Int => GArg::Int(IntExpr::Unknown),
        Kind::Aqual => GArg::Aqual(Aqual::Erased),
    }
}

struct Cursor {
    packed: bool,
    /// Next free bit.
    bit: u64,
    size: u64,
    align: u64,
}

impl Cursor {
    fn place(&mut self, field: &FieldDef, inner: Layout) -> Result<FieldPlace, LayoutError> {
        let natural = if self.packed { 1 } else { inner.align };
        let align = natural.max(u64::from(field.align.unwrap_or(1)));
        if let Some(width) = field.bits {
            return Ok(self.bit_field(field, inner, width, align));
        }
        let offset = round_up(self.bit.div_ceil(8), align);
        self.align = self.align.max(align);
        let end = offset.checked_add(inner.size).filter(|&end| end <= MAX_SIZE);
        self.bit = end.ok_or(LayoutError::TooLarge)? * 8;
        self.size = self.size.max(self.bit.div_ceil(8));
        Ok(FieldPlace { offset, bits: None })
    }

    /// A bit-field never straddles a unit of its declared type; width 0 closes the unit.
    fn bit_field(&mut self, field: &FieldDef, inner: Layout, width: u32, align: u64) -> FieldPlace {
        let unit = inner.size * 8;
        if width == 0 {
            self.bit = round_up(self.bit, unit);
            return FieldPlace { offset: self.bit / 8, bits: Some((0, 0)) };
        }
        let width = u64::from(width);
        if !self.packed && self.bit / unit != (self.bit + width - 1) / unit {
            self.bit = round_up(self.bit, unit);
        }
        if let Some(forced) = field.align {
            self.bit = round_up(self.bit, u64::from(forced) * 8);
        }
        let start = self.bit / unit * unit;
        let place =
            FieldPlace { offset: start / 8, bits: Some(((self.bit - start) as u32, width as u32)) };
        self.bit += width;
        if field.name.is_some() {
            self.align = self.align.max(align);
        }
        place
    }
}

/// Byte offsets, in rising order, of the words of a `ty` that may hold a pointer the
/// collector must follow. Members of tagged unions contribute all their offsets.
pub fn pointer_offsets(tables: &Tables, ty: Ty) -> Result<Vec<u64>, LayoutError> {
    let mut out = Vec::new();
    collect(tables, ty, 0, &mut out, 0)?;
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

/// No type with more pointer words than this is laid out by an explicit map.
const MAX_POINTER_WORDS: usize = 1 << 16;

fn collect(
    tables: &Tables,
    ty: Ty,
    at: u64,
    out: &mut Vec<u64>,
    depth: u32,
) -> Result<(), LayoutError> {
    if depth > MAX_NESTING {
        return Err(LayoutError::Infinite);
    }
    if out.len() > MAX_POINTER_WORDS {
        return Err(LayoutError::TooLarge);
    }
    let inside = |out: &mut Vec<u64>, tys: &mut dyn Iterator<Item = (Ty, u64)>| {
        for (ty, offset) in tys {
            collect(tables, ty, at + offset, out, depth + 1)?;
        }
        Ok(())
    };
    match *ty.kind() {
        TyKind::Ptr(ptr) => {
            if ptr.elem.as_func().is_none() {
                out.push(at);
            }
            Ok(())
        }
        // The view of a flexible array member points into the object it is in.
        TyKind::Vla(_) if depth > 0 => Ok(()),
        TyKind::Vla(_) | TyKind::RegionHandle(_) => {
            out.push(at);
            Ok(())
        }
        TyKind::Array { elem, len, .. } => {
            let IntExpr::Const(len) = len else { return Err(LayoutError::Generic) };
            let mut first = Vec::new();
            collect(tables, elem, 0, &mut first, depth + 1)?;
            if first.is_empty() {
                return Ok(());
            }
            let stride = layout_of(tables, elem)?.size;
            for n in 0..len {
                if out.len() > MAX_POINTER_WORDS {
                    return Err(LayoutError::TooLarge);
                }
                out.extend(first.iter().map(|offset| at + n * stride + offset));
            }
            Ok(())
        }
        TyKind::Tuple(fields) => {
            let (_, places) = tuple_fields(tables, fields)?;
            let offsets = places.iter().map(|place| place.offset);
            inside(out, &mut fields.iter().copied().zip(offsets))
        }
        TyKind::Adt(id, args) => {
            let (_, places) = fields_of(tables, id, args)?;
            let def = &tables.adts[id];
            let all: Vec<GArg> =
                args.iter().copied().chain(def.exists.iter().map(erased_arg)).collect();
            // A word of unknown type inside an existential may be a pointer.
            if !def.exists.is_empty() {
                word_fields(def, &places, at, out);
            }
            let fields = def.fields.as_deref().unwrap_or(&[]);
            let tys = fields.iter().map(|field| Subst(&all).ty(field.ty));
            inside(out, &mut tys.zip(places.iter().map(|place| place.offset)))
        }
        TyKind::Variant(id, variant, args) => {
            let (_, places) = variant_fields(tables, id, variant, args)?;
            let def = tables.variant(id, variant).ok_or(LayoutError::Incomplete)?;
            let all: Vec<GArg> =
                args.iter().copied().chain(def.exists.iter().map(erased_arg)).collect();
            for (field, place) in def.fields.iter().zip(&places) {
                if matches!(field.ty.kind(), TyKind::Param(i, _) if *i as usize >= args.len()) {
                    out.push(at + place.offset);
                }
            }
            let tys = def.fields.iter().map(|field| Subst(&all).ty(field.ty));
            inside(out, &mut tys.zip(places.iter().map(|place| place.offset)))
        }
        TyKind::Param(..) | TyKind::Bound(..) | TyKind::Infer(_) => Err(LayoutError::Generic),
        _ => Ok(()),
    }
}

fn word_fields(def: &AdtDef, places: &[FieldPlace], at: u64, out: &mut Vec<u64>) {
    let fields = def.fields.as_deref().unwrap_or(&[]);
    for (field, place) in fields.iter().zip(places) {
        if matches!(field.ty.kind(), TyKind::Param(i, _) if *i as usize >= def.generics.len()) {
            out.push(at + place.offset);
        }
    }
}
