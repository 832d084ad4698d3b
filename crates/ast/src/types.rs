//! Types as written: specifiers and declarators.

use crate::{Expr, Stmt};
use toft_base::{Span, Symbol};

/// A name, possibly qualified: `Foo::bar`. `global` when written `::bar`.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    pub global: bool,
    pub segments: Segments,
    pub span: Span,
}

/// The names of a path: nearly always one, so that one stands here itself.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::box_collection, reason = "a boxed slice would be two words")]
pub enum Segments {
    One(Ident),
    Many(Box<Vec<Ident>>),
}

impl From<Ident> for Segments {
    fn from(ident: Ident) -> Segments {
        Segments::One(ident)
    }
}

impl From<Vec<Ident>> for Segments {
    fn from(list: Vec<Ident>) -> Segments {
        match list[..] {
            [ident] => Segments::One(ident),
            _ => Segments::Many(Box::new(list)),
        }
    }
}

impl std::ops::Deref for Segments {
    type Target = [Ident];

    #[inline]
    fn deref(&self) -> &[Ident] {
        match self {
            Segments::One(ident) => std::slice::from_ref(ident),
            Segments::Many(list) => list,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: Symbol,
    pub span: Span,
}

/// Type arguments given to a name in an expression: nearly always none, so one word.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(clippy::box_collection, reason = "a boxed slice would be two words")]
pub struct GivenArgs(Option<Box<Vec<TypeArg>>>);

impl From<Vec<TypeArg>> for GivenArgs {
    fn from(args: Vec<TypeArg>) -> GivenArgs {
        GivenArgs((!args.is_empty()).then(|| Box::new(args)))
    }
}

impl std::ops::Deref for GivenArgs {
    type Target = [TypeArg];

    fn deref(&self) -> &[TypeArg] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

/// Specifier plus qualifiers: everything of a declaration before its declarators.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeSpec {
    pub kind: TypeSpecKind,
    pub quals: Quals,
    pub align: Vec<AlignSpec>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum AlignSpec {
    Type(Box<TypeName>),
    Expr(Box<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeSpecKind {
    Void,
    Bool,
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
    Int128,
    UInt128,
    Float,
    Double,
    LongDouble,
    /// `_Float16`, `_Float32`, `_Float64`, `_Float128`, `_Float32x`, `_Float64x`, …
    FloatN(Symbol),
    /// `_Complex` types: parsed for headers, refused in Toft code.
    Complex,
    /// `__builtin_va_list`.
    VaList,
    /// `auto x = e;` of C23, and `let` without a type.
    Auto,
    /// A `typedef` name or other type name, with arguments: `list_t<int,'r>`.
    Named(Path, Vec<TypeArg>),
    /// A type variable: `` `a ``, `'a\U`.
    Var(TyVar),
    /// `struct`/`union` reference or definition.
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
    /// `datatype T`, `datatype T.A`, or a definition.
    Datatype(Box<DatatypeSpec>),
    /// `$(T1, T2)`.
    Tuple(Vec<TypeName>),
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// `typeof_unqual(…)`: the `typeof` inside, without its qualifiers.
    Unqual(Box<TypeSpec>),
    /// `region_t<'r>`.
    RegionHandle(TypeArgs1),
    /// `aqual_t<'q>`.
    AqualHandle(TypeArgs1),
    /// `tag_t<'n>`; the argument may be any integer type expression.
    Tag(TypeArgs1),
    /// `sizeof_t<T>`.
    SizeofT(TypeArgs1),
    /// `@subset(int x | e)`.
    Subset(Box<SubsetSpec>),
    /// Was malformed and reported.
    Error,
}

pub type TypeArgs1 = Box<TypeArg>;

#[derive(Clone, PartialEq, Debug)]
pub struct SubsetSpec {
    pub base: TypeName,
    pub var: Ident,
    pub cond: Expr,
}

/// A type variable in a use or a binding: name, kind after `::`, bound after `\`.
#[derive(Clone, PartialEq, Debug)]
pub struct TyVar {
    pub name: Symbol,
    pub kind: Option<Kind>,
    /// `'a\U`: the aliasability bound.
    pub bound: Option<AqualName>,
    pub span: Span,
}

/// Kinds of type variables (`language.md` section 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Any,
    Word,
    Region,
    Effect,
    Int,
    Aqual,
}

/// An aliasability as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AqualName {
    Aliasable,
    Unique,
    Counted,
    Top,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Aqual {
    Name(AqualName, Span),
    Var(TyVar),
}

/// An argument in `<…>`.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// A type, or a bare type variable of any kind (`'r`), which may turn out to be a
    /// region, an aliasability, an effect or an integer.
    Type(TypeName),
    Aqual(Aqual),
    /// `valueof('n)` or a constant expression: an integer at type level.
    Int(Expr),
    /// An effect `{'r, 's}`.
    Effect(Effect),
}

/// `{'r, 's}`, a variable, or their union with `+`.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    pub vars: Vec<TyVar>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RecordSpec {
    pub kind: RecordKind,
    pub tag: Option<Path>,
    pub args: Vec<TypeArg>,
    pub body: Option<RecordBody>,
    pub attrs: Attrs,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Struct,
    Union,
    /// `@tagged union`.
    TaggedUnion,
    /// `@packed @tagged union`.
    PackedUnion,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RecordBody {
    /// The parameters `<'a,'r>` after the tag when this is a definition; also in
    /// `RecordSpec::args` as types when it is a reference.
    pub params: Vec<TyVar>,
    /// `<'n> …` at the start of the body: existentially bound variables.
    pub exists: Vec<TyVar>,
    /// Constraints on the existentials or parameters (`: 'r > 's`).
    pub constraints: Vec<Constraint>,
    pub fields: Vec<Field>,
    pub span: Span,
}

/// One member declaration (`int a, *b : 3;` gives several).
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub spec: TypeSpec,
    /// No declarator: an anonymous struct/union, or a padding bit-field.
    pub declarator: Option<Declarator>,
    pub bits: Option<Expr>,
    pub attrs: Attrs,
    pub span: Span,
    /// `_Static_assert` among the members.
    pub assert: Option<Box<StaticAssert>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct StaticAssert {
    pub cond: Expr,
    pub message: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct EnumSpec {
    pub tag: Option<Path>,
    /// C23 `enum E : int`.
    pub underlying: Option<Box<TypeSpec>>,
    pub body: Option<Vec<Enumerator>>,
    pub attrs: Attrs,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Enumerator {
    pub name: Ident,
    pub value: Option<Expr>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct DatatypeSpec {
    /// `@extensible datatype`: further variants may be added elsewhere.
    pub open: bool,
    pub tag: Path,
    pub args: Vec<TypeArg>,
    /// `datatype T.A` names one variant.
    pub variant: Option<Ident>,
    pub body: Option<DatatypeBody>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct DatatypeBody {
    pub params: Vec<TyVar>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    pub name: Ident,
    pub exists: Vec<TyVar>,
    /// Positional fields: `A(int, char *)`; a name is allowed and kept.
    pub fields: Vec<Param>,
    pub span: Span,
}

/// A type without a declared name: in casts, `sizeof`, arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeName {
    pub spec: TypeSpec,
    pub declarator: Declarator,
    pub span: Span,
}

/// A declarator: a name (absent in type names) and what is derived around it.
/// `derived` is in order from the name outwards: `int *a[3]` has
/// `[Array(3), Pointer]`: "a is an array of 3 pointers to int".
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    pub name: Option<Path>,
    /// `<'a, 'r>` after the name of a generic `typedef`: `typedef struct L<'a> *list_t<'a>;`.
    /// (A function's are in its `FuncDecl`.)
    pub ty_params: Vec<TyVar>,
    pub derived: Vec<Derived>,
    pub attrs: Attrs,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    Pointer(PtrDecl),
    Array(ArrayDecl),
    Function(Box<FuncDecl>),
}

/// `*`, `@` or `?` with what follows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PtrDecl {
    pub kind: PtrSign,
    pub quals: Quals,
    /// Every qualifier in the order written, with its place; conflicts are
    /// reported by the resolver.
    pub attrs: Vec<(PtrAttr, Span)>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PtrSign {
    /// `*`
    #[default]
    Star,
    /// `@`: short for `*@notnull`.
    At,
    /// `?`: short for `*@fat`.
    Question,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PtrAttr {
    NotNull,
    Nullable,
    Fat,
    Thin,
    /// `@numelts(e)` or `{e}`; the expression may contain `valueof('n)`.
    Numelts(Expr),
    Zeroterm,
    Nozeroterm,
    /// `@region('r)` or a bare `'r`; `'H` and `'X` are names as others are.
    /// A bare variable may turn out to be an aliasability.
    Region(TyVar),
    /// `next_rgn<'r>`, with or without `@region(…)`.
    RegionArg(Box<TypeArg>),
    /// `@aqual(…)` or `\U`.
    Aqual(Aqual),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ArrayDecl {
    pub size: Option<Expr>,
    /// `[*]` in a prototype.
    pub star: bool,
    /// `[static n]`.
    pub is_static: bool,
    pub quals: Quals,
    /// `@zeroterm` / `@nozeroterm` after the brackets.
    pub zeroterm: Option<bool>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FuncDecl {
    /// Explicit `<'a, 'r>` before the parameter list.
    pub ty_params: Vec<TyVar>,
    pub params: Vec<Param>,
    pub varargs: VarargDecl,
    /// `()` or a K&R identifier list (refused in Toft, `()` means no parameters).
    pub unspecified: bool,
    /// `; {'r}` inside the parentheses or `@effect(…)`.
    pub effect: Option<Effect>,
    /// `: 'r > 's, single('r)`.
    pub constraints: Vec<Constraint>,
    /// `consume(1)`, `noreturn` … that follow the parentheses.
    pub attrs: Attrs,
    /// `@requires(e)`, `@ensures(e)`.
    pub contracts: Vec<Contract>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum VarargDecl {
    None,
    /// C's `...`.
    C(Span),
    /// `...T x` (`inject` when `...inject T x`).
    Typed {
        ty: Box<TypeName>,
        name: Option<Ident>,
        inject: bool,
        span: Span,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub spec: TypeSpec,
    pub declarator: Declarator,
    pub storage: Storage,
    pub attrs: Attrs,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Constraint {
    /// `'r > 's`: the first outlives the second (either side may be an effect).
    Outlives(Effect, TyVar),
    /// `single('r)`.
    Single(TyVar),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Contract {
    pub kind: ContractKind,
    pub cond: Expr,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContractKind {
    Requires,
    Ensures,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StorageClass {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Storage {
    pub class: StorageClass,
    pub is_inline: bool,
    pub is_noreturn: bool,
    pub is_thread_local: bool,
    pub is_constexpr: bool,
    /// `abstract` before a struct/typedef: its inside is known in this file only.
    pub is_abstract: bool,
    pub is_shared: bool,
    pub span: Span,
}

/// `__attribute__((…))`, `[[…]]` and Toft's own attribute words.
pub type Attrs = Vec<Attr>;

#[derive(Clone, PartialEq, Debug)]
pub struct Attr {
    /// Without leading and trailing underscores: `packed`, `aligned`, `noreturn`, `format`,
    /// `consume`, `fallthrough`, `nodiscard`, `deprecated`, `mode`, …
    pub name: Symbol,
    pub args: Vec<AttrArg>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum AttrArg {
    Ident(Ident),
    Expr(Expr),
}

/// A GNU statement expression's body, also `do`-blocks of comprehensions.
pub type StmtBlock = Vec<Stmt>;
