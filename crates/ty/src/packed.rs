//! Where a `@packed @tagged union` keeps its tag.
//!
//! One word holds the tag in its lowest bits and the member above or around it: a pointer
//! leaves the bits free that its alignment keeps zero, a narrow number is shifted up. The
//! word is as small as the widest member and the tag allow; with a pointer it has 8 bytes.
//! All zero is the first member, null or 0.
//!
//! In: a definition, its arguments. Out: the packing, or which member finds no room and why.
//! Invariants: needs the alignment of what pointers point at, never their layout, so that a
//! union may lead to itself; the answer is the same for every argument of its parameters.

use crate::{
    AdtDef, AdtId, AdtKind, Bounds, GArg, Layout, Subst, Tables, Ty, TyKind, fold::Folder,
    target::POINTER_BYTES,
};

/// The word, and how members lie in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packing {
    /// 1, 2, 4 or 8.
    pub bytes: u64,
    /// The lowest bits, which hold the tag.
    pub tag_bits: u32,
    pub members: Vec<Packed>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packed {
    /// A thin pointer: the word without the tag.
    Pointer,
    /// A number or truth value of so many bytes: the word shifted down.
    Number { bytes: u64, shift: u32 },
}

/// Why there is no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// Pointers to this may have only so many low bits that are zero.
    Alignment { free: u32, needed: u32 },
    /// The alignment of what it points at is not known.
    Unknown,
    /// A fat pointer takes two words.
    Fat,
    /// It uses all bits of a word.
    Wide { bits: u32, needed: u32 },
    /// Not a pointer and not a number.
    Kind,
}

/// The packing of a `@packed @tagged union`, or the first member that does not fit.
pub fn packing(tables: &Tables, id: AdtId, args: &[GArg]) -> Result<Packing, (usize, NoRoom)> {
    let fields = tables.adts[id].fields.as_deref().unwrap_or(&[]);
    let tag_bits = usize::BITS - fields.len().saturating_sub(1).leading_zeros();
    let mut members = Vec::with_capacity(fields.len());
    let mut widest = 0;
    for (n, field) in fields.iter().enumerate() {
        let ty = Subst(args).ty(field.ty);
        let member = member(tables, ty, tag_bits).map_err(|why| (n, why))?;
        if field.bits.is_some() || field.align.is_some() {
            return Err((n, NoRoom::Kind));
        }
        widest = widest.max(match member {
            Packed::Pointer => 64,
            Packed::Number { bytes, .. } => bytes * 8 + u64::from(tag_bits),
        });
        members.push(member);
    }
    let bytes = widest.div_ceil(8).max(1).next_power_of_two().min(8);
    for member in &mut members {
        if let Packed::Number { bytes: own, shift } = member {
            *shift = (bytes - *own) as u32 * 8;
        }
    }
    Ok(Packing { bytes, tag_bits, members })
}

fn member(tables: &Tables, ty: Ty, tag_bits: u32) -> Result<Packed, NoRoom> {
    let number = |bytes: u64| {
        let bits = (bytes * 8) as u32;
        match bits + tag_bits <= 64 {
            true => Ok(Packed::Number { bytes, shift: 0 }),
            false => Err(NoRoom::Wide { bits, needed: tag_bits }),
        }
    };
    match *ty.kind() {
        TyKind::Bool => number(1),
        TyKind::Int(int) => number(int.bytes()),
        TyKind::Float(float) if float.bytes() <= 8 => number(float.bytes()),
        TyKind::Enum(id) => number(tables.enums[id].underlying.bytes()),
        TyKind::Ptr(ptr) if ptr.bounds == Bounds::Fat => Err(NoRoom::Fat),
        TyKind::Ptr(ptr) => {
            let align = least_align(tables, ptr.elem, 0).ok_or(NoRoom::Unknown)?;
            let free = align.trailing_zeros();
            match free >= tag_bits {
                true => Ok(Packed::Pointer),
                false => Err(NoRoom::Alignment { free, needed: tag_bits }),
            }
        }
        _ => Err(NoRoom::Kind),
    }
}

/// What every object of the type is aligned to, whatever its parameters are; `None`: not
/// known.
fn least_align(tables: &Tables, ty: Ty, depth: u32) -> Option<u64> {
    if depth > 64 {
        return None;
    }
    Some(match *ty.kind() {
        TyKind::Bool => 1,
        TyKind::Int(int) => int.bytes(),
        TyKind::Float(float) => float.bytes(),
        TyKind::Enum(id) => tables.enums[id].underlying.bytes(),
        TyKind::Ptr(_) | TyKind::Vla(_) | TyKind::RegionHandle(_) => POINTER_BYTES,
        TyKind::Tag(_) | TyKind::SizeofT(_) | TyKind::VaList => 8,
        TyKind::AqualHandle(_) => 1,
        TyKind::Opaque { align, .. } => u64::from(align),
        TyKind::Array { elem, .. } => least_align(tables, elem, depth + 1)?,
        TyKind::Tuple(fields) => {
            fields.iter().filter_map(|&ty| least_align(tables, ty, depth + 1)).max().unwrap_or(1)
        }
        // The tag word.
        TyKind::Variant(..) => POINTER_BYTES,
        TyKind::Adt(id, args) => adt_align(tables, &tables.adts[id], args, depth)?,
        TyKind::Param(..) | TyKind::Bound(..) | TyKind::Infer(_) => return None,
        TyKind::Void | TyKind::Func(_) | TyKind::Error => return None,
    })
}

fn adt_align(tables: &Tables, def: &AdtDef, args: &[GArg], depth: u32) -> Option<u64> {
    if def.is_datatype() {
        return Some(POINTER_BYTES);
    }
    let fields = def.fields.as_deref()?;
    let own = u64::from(def.align.unwrap_or(1));
    if def.packed {
        return Some(own);
    }
    let align = |ty: Ty| least_align(tables, Subst(args).ty(ty), depth + 1).unwrap_or(1);
    let widest = fields
        .iter()
        .filter(|field| field.bits.is_none() || field.name.is_some())
        .map(|field| align(field.ty).max(u64::from(field.align.unwrap_or(1))))
        .max()
        .unwrap_or(1);
    Some(match def.kind {
        AdtKind::TaggedUnion => widest.max(4).max(own),
        // Its word: that of its widest member and the tag, or more.
        _ => widest.max(own),
    })
}

/// Size and alignment of the word.
pub(crate) fn layout(packing: &Packing, forced: Option<u32>) -> Layout {
    let align = packing.bytes.max(u64::from(forced.unwrap_or(1)));
    Layout { size: packing.bytes.div_ceil(align) * align, align }
}
