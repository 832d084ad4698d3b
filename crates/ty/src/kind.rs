//! The types themselves and their interner.

use crate::{
    AdtId, Aqual, Bounds, EnumId, GArg, GenericParam, IntExpr, Refinement, Region, RegionBound,
};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex};
use toft_base::{FxHashSet, Symbol};

/// An interned type.
#[derive(Clone, Copy)]
pub struct Ty(&'static TyData);

/// What the interner keeps beside the kind, so that common questions are one load.
struct TyData {
    kind: TyKind,
    flags: Flags,
}

/// Facts about a type, joined over its parts (not looking inside definitions of ADTs).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(u8);

impl Flags {
    /// Has an `Infer` of some sort, or a `Hole`, somewhere.
    pub const INFER: Flags = Flags(1);
    /// Has a `Param` of some sort somewhere.
    pub const PARAM: Flags = Flags(2);
    /// Has a `Bound` of some sort somewhere.
    pub const BOUND: Flags = Flags(4);
    /// Has an `Error` somewhere.
    pub const ERROR: Flags = Flags(8);
    /// Has a `Region::Local` somewhere.
    pub const LOCAL: Flags = Flags(16);
    /// Has a pointer that is not `\A`, or whose aliasability is a parameter, somewhere.
    pub const TRACKED: Flags = Flags(32);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    fn add(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    Void,
    Bool,
    Int(IntTy),
    Float(FloatTy),
    Enum(EnumId),
    Ptr(PtrTy),
    /// An array of known length. `zeroterm` marks `@zeroterm` arrays.
    Array {
        elem: Ty,
        len: IntExpr,
        zeroterm: bool,
    },
    /// The type of a variable-length array; its value is a fat pointer into its block.
    Vla(Ty),
    /// A function type (only behind pointers, and as the type of function names).
    Func(&'static FuncTy),
    Adt(AdtId, &'static [GArg]),
    /// `datatype T.A`: one variant of a datatype.
    Variant(AdtId, u32, &'static [GArg]),
    Tuple(&'static [Ty]),
    /// A type parameter of the function or definition at hand, or an opened existential.
    Param(u32, Symbol),
    /// Bound by an enclosing function type.
    Bound(u16, u16),
    /// `tag_t<'n>`: the one integer 'n.
    Tag(IntExpr),
    /// `region_t<'r>`.
    RegionHandle(Region),
    /// `aqual_t<'q>`.
    AqualHandle(Aqual),
    /// `sizeof_t<T>`: the one integer sizeof(T).
    SizeofT(Ty),
    /// C's `va_list`.
    VaList,
    /// A host type without an equivalent here (`_Complex`, `_Float128`, `__int128`): size and
    /// alignment only. Usable in foreign declarations, refused in Toft code.
    Opaque {
        size: u32,
        align: u32,
    },
    /// To be found by inference; only inside `infer`.
    Infer(u32),
    /// After a reported error.
    Error,
}

/// C's integer types; `long` and `long long` stay apart as C has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntTy {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatTy {
    Float,
    Double,
    LongDouble,
}

/// Qualifiers of what a pointer points at (or of a variable or field).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TyQuals {
    pub is_const: bool,
    pub is_volatile: bool,
    /// `@subset`: what is stored satisfies a condition.
    pub refine: Option<Refinement>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PtrTy {
    pub elem: Ty,
    /// Of the elements.
    pub quals: TyQuals,
    pub region: Region,
    pub aqual: Aqual,
    /// May be null. Fat pointers may be null too (base and length zero).
    pub nullable: bool,
    pub bounds: Bounds,
    /// A zero element ends it.
    pub zeroterm: bool,
    /// From a foreign declaration without an interface: carries no promise at all. It can
    /// be passed back to foreign code inside `extern "C"` glue only; never dereferenced.
    pub foreign: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FuncTy {
    /// What this type itself binds (regions, aliasabilities, integers, effects; word-sized types);
    /// referred to by `Bound(0, i)` inside.
    pub binder: Vec<GenericParam>,
    pub params: Vec<Ty>,
    pub ret: Ty,
    pub variadic: Variadic,
    /// Regions that must be live at a call; `None`: all that the signature mentions.
    pub effect: Option<Vec<Region>>,
    pub bounds: Vec<RegionBound>,
    /// Bit `i`: parameter `i` is consumed.
    pub consumes: u64,
    pub noreturn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variadic {
    No,
    /// C's `...`; callable only through a checked format, or foreign.
    C,
    /// `...T`: the callee sees `T ?` over the arguments.
    Typed(Ty),
    /// `...inject T`: each argument is wrapped in the variant of datatype `T` that fits.
    Inject(Ty),
}

static INTERNER: LazyLock<Mutex<FxHashSet<Entry>>> = LazyLock::new(Mutex::default);
static FUNCS: LazyLock<Mutex<FxHashSet<&'static FuncTy>>> = LazyLock::new(Mutex::default);
static LISTS: LazyLock<Mutex<FxHashSet<&'static [Ty]>>> = LazyLock::new(Mutex::default);
static ARGS: LazyLock<Mutex<FxHashSet<&'static [GArg]>>> = LazyLock::new(Mutex::default);

struct Entry(&'static TyData);

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.0.kind == other.0.kind
    }
}
impl Eq for Entry {}
impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.kind.hash(state);
    }
}
impl std::borrow::Borrow<TyKind> for Entry {
    fn borrow(&self) -> &TyKind {
        &self.0.kind
    }
}

/// Types live as long as the process, so a poisoned lock still guards whole data.
fn lock<T>(mutex: &'static Mutex<T>) -> std::sync::MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Ty {
    pub fn new(kind: TyKind) -> Ty {
        let mut table = lock(&INTERNER);
        if let Some(entry) = table.get(&kind) {
            return Ty(entry.0);
        }
        let data: &'static TyData = Box::leak(Box::new(TyData { flags: flags_of(&kind), kind }));
        table.insert(Entry(data));
        Ty(data)
    }

    pub fn kind(self) -> &'static TyKind {
        &self.0.kind
    }

    pub fn flags(self) -> Flags {
        self.0.flags
    }

    pub fn func(func: FuncTy) -> Ty {
        let mut table = lock(&FUNCS);
        let func = match table.get(&func) {
            Some(&old) => old,
            None => {
                let new: &'static FuncTy = Box::leak(Box::new(func));
                table.insert(new);
                new
            }
        };
        drop(table);
        Ty::new(TyKind::Func(func))
    }

    pub fn tuple(fields: &[Ty]) -> Ty {
        Ty::new(TyKind::Tuple(ty_list(fields)))
    }

    pub fn adt(id: AdtId, args: &[GArg]) -> Ty {
        Ty::new(TyKind::Adt(id, arg_list(args)))
    }

    pub fn ptr(ptr: PtrTy) -> Ty {
        Ty::new(TyKind::Ptr(ptr))
    }

    pub fn int(int: IntTy) -> Ty {
        Ty::new(TyKind::Int(int))
    }

    pub fn error() -> Ty {
        Ty::new(TyKind::Error)
    }

    pub fn void() -> Ty {
        Ty::new(TyKind::Void)
    }

    pub fn bool() -> Ty {
        Ty::new(TyKind::Bool)
    }

    pub fn is_error(self) -> bool {
        self.flags().has(Flags::ERROR)
    }

    pub fn is_void(self) -> bool {
        matches!(self.kind(), TyKind::Void)
    }

    /// Integers, `bool`, enums and tags: what C's integer rules work on.
    pub fn is_integer(self) -> bool {
        use TyKind::*;
        matches!(self.kind(), Bool | Int(_) | Enum(_) | Tag(_) | SizeofT(_))
    }

    pub fn is_float(self) -> bool {
        matches!(self.kind(), TyKind::Float(_))
    }

    pub fn is_arithmetic(self) -> bool {
        self.is_integer() || self.is_float()
    }

    pub fn is_scalar(self) -> bool {
        self.is_arithmetic() || self.as_ptr().is_some()
    }

    pub fn as_ptr(self) -> Option<&'static PtrTy> {
        match self.kind() {
            TyKind::Ptr(ptr) => Some(ptr),
            _ => None,
        }
    }

    pub fn as_func(self) -> Option<&'static FuncTy> {
        match self.kind() {
            TyKind::Func(func) => Some(func),
            _ => None,
        }
    }

    pub fn is_fat(self) -> bool {
        self.as_ptr().is_some_and(|ptr| ptr.bounds == Bounds::Fat)
    }
}

/// Interns a list of types.
pub fn ty_list(list: &[Ty]) -> &'static [Ty] {
    let mut table = lock(&LISTS);
    if let Some(&old) = table.get(list) {
        return old;
    }
    let new: &'static [Ty] = Box::leak(list.into());
    table.insert(new);
    new
}

/// Interns a list of generic arguments.
pub fn arg_list(list: &[GArg]) -> &'static [GArg] {
    let mut table = lock(&ARGS);
    if let Some(&old) = table.get(list) {
        return old;
    }
    let new: &'static [GArg] = Box::leak(list.into());
    table.insert(new);
    new
}

impl PtrTy {
    /// `elem *` in `region`: nullable, aliasable, one element.
    pub fn thin(elem: Ty, region: Region) -> PtrTy {
        PtrTy {
            elem,
            quals: TyQuals::default(),
            region,
            aqual: Aqual::Aliasable,
            nullable: true,
            bounds: Bounds::Thin(IntExpr::Const(1)),
            zeroterm: false,
            foreign: false,
        }
    }

    /// `elem ?` in `region`.
    pub fn fat(elem: Ty, region: Region) -> PtrTy {
        PtrTy { bounds: Bounds::Fat, ..PtrTy::thin(elem, region) }
    }
}

impl PartialEq for Ty {
    fn eq(&self, other: &Ty) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Ty {}
impl Hash for Ty {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}
impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

fn region_flags(region: Region) -> Flags {
    match region {
        Region::Next(base, _) => region_flags(base.region()),
        Region::Param(_) => Flags::PARAM,
        Region::Bound(..) => Flags::BOUND,
        Region::Infer(_) | Region::Hole => Flags::INFER,
        Region::Local(_) => Flags::LOCAL,
        Region::Heap | Region::Exchange | Region::Shared | Region::Erased => Flags(0),
    }
}

fn aqual_flags(aqual: Aqual) -> Flags {
    match aqual {
        Aqual::Param(_) => Flags(Flags::PARAM.0 | Flags::TRACKED.0),
        Aqual::Bound(..) => Flags(Flags::BOUND.0 | Flags::TRACKED.0),
        Aqual::Infer(_) => Flags(Flags::INFER.0 | Flags::TRACKED.0),
        Aqual::Unique | Aqual::Counted | Aqual::Top => Flags::TRACKED,
        Aqual::Aliasable | Aqual::Erased => Flags(0),
    }
}

fn int_flags(int: IntExpr) -> Flags {
    match int {
        IntExpr::Param(_) => Flags::PARAM,
        IntExpr::Bound(..) => Flags::BOUND,
        IntExpr::Infer(_) => Flags::INFER,
        IntExpr::Const(_) | IntExpr::Unknown => Flags(0),
    }
}

fn garg_flags(arg: &GArg) -> Flags {
    match arg {
        GArg::Ty(ty) => ty.flags(),
        GArg::Region(region) => region_flags(*region),
        GArg::Aqual(aqual) => aqual_flags(*aqual),
        GArg::Int(int) => int_flags(*int),
        GArg::Effect(regions) => join(regions.iter().map(|&region| region_flags(region))),
    }
}

fn join(list: impl Iterator<Item = Flags>) -> Flags {
    let mut flags = Flags::default();
    list.for_each(|other| flags.add(other));
    flags
}

fn flags_of(kind: &TyKind) -> Flags {
    use TyKind::*;
    match kind {
        Void | Bool | Int(_) | Float(_) | Enum(_) | VaList | Opaque { .. } => Flags(0),
        Ptr(ptr) => {
            let bounds = match ptr.bounds {
                Bounds::Thin(int) => int_flags(int),
                Bounds::Fat => Flags(0),
            };
            join(
                [ptr.elem.flags(), region_flags(ptr.region), aqual_flags(ptr.aqual), bounds]
                    .into_iter(),
            )
        }
        Array { elem, len, .. } => join([elem.flags(), int_flags(*len)].into_iter()),
        Vla(elem) | SizeofT(elem) => elem.flags(),
        Func(func) => {
            let variadic = match func.variadic {
                Variadic::Typed(ty) | Variadic::Inject(ty) => ty.flags(),
                Variadic::No | Variadic::C => Flags(0),
            };
            let effect = func.effect.iter().flatten().map(|&region| region_flags(region));
            let parts = func.params.iter().map(|ty| ty.flags());
            join(parts.chain(effect).chain([func.ret.flags(), variadic]))
        }
        Adt(_, args) | Variant(_, _, args) => join(args.iter().map(garg_flags)),
        Tuple(fields) => join(fields.iter().map(|ty| ty.flags())),
        Param(..) => Flags::PARAM,
        Bound(..) => Flags::BOUND,
        Tag(int) => int_flags(*int),
        RegionHandle(region) => region_flags(*region),
        AqualHandle(aqual) => aqual_flags(*aqual),
        Infer(_) => Flags::INFER,
        Error => Flags::ERROR,
    }
}
