//! User-defined types: structs, unions, tagged unions, datatypes, enums.

use crate::{GenericParam, IntTy, RegionBound, Ty, TyKind, TyQuals};
use std::num::NonZeroU32;
use std::sync::OnceLock;
use toft_base::{FileId, IndexVec, Span, Symbol, ids};

ids! {
    /// A struct, union, tagged union or datatype.
    pub struct AdtId = "adt";
    /// An enum.
    pub struct EnumId = "enum";
    /// A function, defined or declared.
    pub struct FuncId = "fn";
    /// A variable with static storage, file-level or local `static`.
    pub struct GlobalId = "global";
}

/// All user-defined types of the program.
#[derive(Default, Debug)]
pub struct Tables {
    pub adts: IndexVec<AdtId, AdtDef>,
    pub enums: IndexVec<EnumId, EnumDef>,
    /// By [`Refinement::index`].
    pub refines: Vec<RefineDef>,
    /// What each definition holds by value; see [`crate::tracked`].
    pub tracked: OnceLock<Vec<crate::tracked::Summary>>,
}

/// A refinement `@subset(T x | e)`: its place in [`Tables::refines`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Refinement(NonZeroU32);

impl Refinement {
    /// The one at place `index`; there are fewer than 2³².
    pub fn at(index: usize) -> Option<Refinement> {
        NonZeroU32::new(u32::try_from(index).ok()?.checked_add(1)?).map(Refinement)
    }

    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What messages need of a refinement; its condition is HIR's.
#[derive(Clone, Debug)]
pub struct RefineDef {
    /// As written between the parentheses.
    pub text: Symbol,
    /// The condition alone.
    pub cond: Symbol,
    /// The refinement that this one narrows.
    pub parent: Option<Refinement>,
    /// Zero satisfies it.
    pub zero: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AdtKind {
    Struct,
    /// Untagged: members without pointers only (outside foreign declarations).
    Union,
    /// `@tagged union`: a hidden tag word, then the union.
    TaggedUnion,
    /// `@packed @tagged union`.
    PackedUnion,
    /// Values live behind pointers: a tag word, then the variant's fields.
    Datatype,
    /// `@extensible datatype`: tags are addresses. `exn` is one.
    OpenDatatype,
}

#[derive(Clone, Debug)]
pub struct AdtDef {
    /// Qualified: `Ns::name`; anonymous types get `<anonymous struct at …>`.
    pub name: Symbol,
    pub anonymous: bool,
    pub kind: AdtKind,
    pub span: Span,
    pub generics: Vec<GenericParam>,
    /// Existentially bound variables of a struct; their indices follow those of `generics`.
    pub exists: Vec<GenericParam>,
    pub bounds: Vec<RegionBound>,
    /// Structs and unions. `None`: declared only.
    pub fields: Option<Vec<FieldDef>>,
    /// Datatypes. For open ones, all variants of the program, in order of declaration.
    pub variants: Vec<VariantDef>,
    /// `__attribute__((packed))`.
    pub packed: bool,
    /// `_Alignas` / `aligned`, in bytes.
    pub align: Option<u32>,
    /// `abstract`: contents known in this file only.
    pub abstract_in: Option<FileId>,
    /// From a host header.
    pub foreign: bool,
}

#[derive(Clone, Debug)]
pub struct FieldDef {
    /// `None`: an anonymous struct or union member, or padding bits.
    pub name: Option<Symbol>,
    pub ty: Ty,
    pub quals: TyQuals,
    /// Width of a bit-field.
    pub bits: Option<u32>,
    pub align: Option<u32>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VariantDef {
    pub name: Symbol,
    /// Existentials of the variant; indices follow the datatype's generics.
    pub exists: Vec<GenericParam>,
    pub fields: Vec<FieldDef>,
    pub span: Span,
    /// For built-in exceptions: the runtime's symbol of the tag.
    pub link_name: Option<Symbol>,
}

#[derive(Clone, Debug)]
pub struct EnumDef {
    pub name: Symbol,
    pub span: Span,
    /// `int` unless a value or C23's `: T` asks for another.
    pub underlying: IntTy,
    /// `None` until its body is seen.
    pub consts: Option<Vec<(Symbol, i128)>>,
    pub foreign: bool,
}

impl Tables {
    pub fn variant(&self, id: AdtId, index: u32) -> Option<&VariantDef> {
        self.adts.get(id)?.variants.get(index as usize)
    }

    pub fn refine(&self, refinement: Refinement) -> Option<&RefineDef> {
        self.refines.get(refinement.index())
    }

    /// Whether memory that is all zero satisfies what `quals` ask.
    pub fn zero_fits(&self, quals: TyQuals) -> bool {
        quals.refine.and_then(|refine| self.refine(refine)).is_none_or(|def| def.zero)
    }

    /// Whether what satisfies `have` satisfies `want` by being declared so.
    pub fn implies(&self, have: Option<Refinement>, want: Option<Refinement>) -> bool {
        let Some(want) = want else { return true };
        let mut have = have;
        // A parent is older than its child, so this ends.
        while let Some(now) = have {
            if now == want {
                return true;
            }
            have = self.refine(now).and_then(|def| def.parent).filter(|parent| *parent < now);
        }
        false
    }
}

impl AdtDef {
    pub fn field_named(&self, name: Symbol) -> Option<(usize, &FieldDef)> {
        self.fields.as_deref()?.iter().enumerate().find(|(_, field)| field.name == Some(name))
    }

    pub fn is_datatype(&self) -> bool {
        matches!(self.kind, AdtKind::Datatype | AdtKind::OpenDatatype)
    }

    /// The elements behind the object, if its last member is `T a[]`: they follow it in its
    /// memory, and the member itself is their view (`TyKind::Vla`).
    pub fn flexible(&self) -> Option<(u32, Ty)> {
        let fields = self.fields.as_deref()?;
        match fields.last()?.ty.kind() {
            TyKind::Vla(elem) => Some((fields.len() as u32 - 1, *elem)),
            _ => None,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.fields.is_some() || self.is_datatype()
    }
}
