//! Expressions: values and places.

use crate::Block;
use toft_base::{Span, Symbol};
use toft_hir::ops::{BinOp, IncDec};
use toft_hir::{Builtin, FuncId, GlobalId, LocalId, StrWidth};
use toft_ty::{AdtId, GArg, IntExpr, RegionId, Ty, TyQuals};

/// A value.
#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Ty,
    pub span: Span,
}

/// A place in memory.
#[derive(Debug)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: Ty,
    pub quals: TyQuals,
    pub span: Span,
}

#[derive(Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// `*p`; the checks follow from the pointer's type (null, bounds, terminator).
    Deref(Box<Expr>),
    /// `p[i]` on a pointer; `i` is an integer of any type.
    PtrIndex(Box<Expr>, Box<Expr>),
    /// `a[i]` on an array place.
    ArrayIndex(Box<Place>, Box<Expr>),
    /// A field of a struct, union, tagged union (checked by tag) or tuple.
    Field(Box<Place>, u32),
    /// A value that is given a place of its own, in the given region (compound literals,
    /// results whose field is taken).
    Temp(Box<Expr>, RegionId),
}

#[derive(Debug)]
pub enum ExprKind {
    /// Of any integer, enum, bool or tag type.
    Int(i128),
    Float(f64),
    /// A null pointer of the expression's type (thin or fat).
    Null,
    /// The address of a string literal: the expression has a thin zero-terminated pointer type
    /// `{N}`, or a fat one (N + 1 elements). `writable` when the type's elements are not const.
    Str {
        width: StrWidth,
        units: Box<[u32]>,
        writable: bool,
    },
    FuncAddr(FuncId, Vec<GArg>),
    /// The value in a place.
    Load(Box<Place>),
    /// `&place`; the type is a thin not-null pointer. Taking the address of a bit-field or a
    /// tagged union's member is refused before.
    AddrOf(Box<Place>),
    /// An array place as a pointer to its first element. The type says what comes out
    /// (thin `{n}`, zeroterm or not).
    Decay(Box<Place>),
    Neg(Box<Expr>),
    BitNot(Box<Expr>),
    /// Logical not; operand and result are `bool`-valued (`int` typed as C has it).
    Not(Box<Expr>),
    /// Both operands and the result of one arithmetic type, but shifts, whose right operand may
    /// be of another integer type.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Operands of equal arithmetic or pointer representation; the result is `int`.
    Compare(BinOp, Box<Expr>, Box<Expr>),
    /// `p + i` (`p - i` has the index negated); the type is the pointer's.
    PtrAdd(Box<Expr>, Box<Expr>),
    /// In elements; the type is `long`.
    PtrDiff(Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Condition is a boolean test (see `Conv::ToBool`); both arms have the result's type.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The value is what was stored.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= rhs`: the place is evaluated once; its value is converted to `work`, the
    /// operation is done there, the result converted back. Pointers: `PtrAdd`.
    AssignOp {
        op: AssignOp,
        place: Box<Place>,
        rhs: Box<Expr>,
        work: Ty,
    },
    /// `++`/`--`; `post` gives the old value.
    IncDec {
        op: IncDec,
        post: bool,
        place: Box<Place>,
    },
    /// Exchanges the contents of two places of one type.
    Swap(Box<Place>, Box<Place>),
    /// First for its effect, then the value of the second.
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Call>),
    Conv(Conv, Box<Expr>),
    /// A struct, tuple, array (all elements), or datatype variant built from values. What is
    /// not mentioned is zero.
    Aggregate(Box<Aggregate>),
    /// An array whose element `var` is `body`, for `var` from 0 up to `count`. Stands as
    /// initialiser of arrays and inside `New`.
    Comprehension {
        var: LocalId,
        count: Box<Expr>,
        body: Box<Expr>,
        region: RegionId,
    },
    New(Box<New>),
    Throw(Box<Expr>),
    Assert {
        cond: Box<Expr>,
        text: Symbol,
        /// Where the condition is asked for, when that is elsewhere (a contract, a type).
        at: Span,
        /// Only refused when it is certain to fail: the callee makes the check.
        judge: bool,
    },
    /// A GNU statement expression; its value is that of `value` (evaluated inside the block's
    /// scope).
    StmtExpr {
        block: Box<Block>,
        value: Option<Box<Expr>>,
    },
    /// Known when the type is; generic until `mono`.
    Sizeof(Ty),
    Alignof(Ty),
    /// The value of an integer parameter: read from the `tag_t` local that carries it.
    Valueof(IntExpr, LocalId),
    /// Number of elements from the pointer on to its upper bound (`size_t`); 0 for null or out
    /// of bounds.
    Numelts(Box<Expr>),
    /// The number of an element among all elements of an array of arrays (`unsigned long`): each
    /// index is checked against the variable that keeps its dimension's length. With fewer
    /// indices than dimensions, the number of the first element there.
    RowAt {
        dims: Vec<LocalId>,
        at: Vec<Expr>,
    },
    /// The `len` elements from number `start` (a `RowAt`) on of a variable-length array, as a
    /// fat pointer.
    Row {
        array: Box<Place>,
        start: Box<Expr>,
        len: LocalId,
    },
    /// Whether the tagged union in the place now holds the field.
    Tagcheck(Box<Place>, u32),
    VaArg(Box<Place>, Ty),
    /// A tracked pointer lent out: the same pointer as an aliasable one into the given region
    /// (of kind `Alias`). What it comes from is pinned until the `BorrowEnd` around it that
    /// names the region has its value.
    Borrow {
        region: RegionId,
        of: Box<Expr>,
    },
    /// The value; then the loans end, the last first. Each region has one `Borrow` inside, which
    /// is reached whenever the value is. No pointer into the regions is left.
    BorrowEnd {
        regions: Box<[RegionId]>,
        value: Box<Expr>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    Arith(BinOp),
    PtrAdd,
    PtrSub,
}

#[derive(Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<Expr>,
    pub varargs: Varargs,
}

#[derive(Debug)]
pub enum Callee {
    Func(FuncId, Vec<GArg>),
    /// A pointer to a function (checked for null when nullable).
    Ptr(Expr),
    Builtin(Builtin, Vec<GArg>),
}

#[derive(Debug)]
pub enum Varargs {
    None,
    /// Arguments past the fixed ones, as C promotes them. For checked formats each has been
    /// converted to what the format asks; `%s` arguments are fat or zero-terminated thin.
    C(Vec<Expr>),
    /// Gathered in a stack array; the callee gets a fat pointer to it. Elements already
    /// converted (or injected).
    Typed(Vec<Expr>, Ty),
}

#[derive(Debug)]
pub struct Aggregate {
    pub kind: AggregateKind,
    /// Index of field or element, and value, in order of evaluation. Array ranges are
    /// repeated entries of `Expr`s only when the value is a constant.
    pub fields: Vec<(u64, Expr)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AggregateKind {
    /// Struct, union, tagged union (one field), tuple or array, by the expression's type.
    Plain,
    Variant(AdtId, u32),
}

/// `new`, `malloc` and kin.
#[derive(Debug)]
pub struct New {
    pub elem: Ty,
    /// `None`: one element.
    pub count: Option<Expr>,
    pub init: NewInit,
    /// Handle of the region; `None`: the heap `'H`.
    pub region: Option<Expr>,
    /// A run-time aliasability handle, if one was passed (statically known through the type).
    pub qual: Option<Expr>,
}

#[derive(Debug)]
pub enum NewInit {
    /// `malloc`, `calloc`: all zero.
    Zero,
    /// `new e`.
    Value(Expr),
    /// `new {for i < n : e}`.
    Each { var: LocalId, body: Expr, region: RegionId },
    /// `new {a, b, c}` / string contents: an aggregate of the array type.
    Array(Expr),
}

/// Conversions. Those with a run-time check say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conv {
    /// Between integer types (bool, enum, tag included as sources): wraps.
    IntToInt,
    IntToFloat,
    /// Checked: out of range or NaN throws `Arithmetic`.
    FloatToInt,
    FloatToFloat,
    /// Integer, float or pointer to a truth value 0/1 of the target type.
    ToBool,
    PtrToInt,
    /// Same bits, another type: nullability forgotten, const added, region, `T.A *` to `T *`,
    /// `{n}` to `{m}` with m ≤ n, function pointers.
    PtrCast,
    /// To `void *` (fat pointers give their current address).
    ToVoid,
    /// Null check; throws `Null_Exception`.
    CheckNotNull,
    /// Thin to fat: bounds from the type of the operand (constant, or a `tag_t` local).
    ThinToFat {
        count: CountOf,
    },
    /// A thin zero-terminated pointer to a fat one: the length is searched.
    ZerotermToFat,
    /// Fat to thin: at least `need` elements must be there (and null stays null unless the
    /// target is not-null).
    FatToThin {
        need: CountOf,
    },
    /// A fat view of pointer-free elements as other pointer-free elements.
    ViewFat,
    /// A thin view; sizes were compared at compile time.
    ViewThin,
    /// To void: the value is dropped.
    Drop,
    /// `T` to a refinement of it: the value is checked; `var` holds it inside the condition.
    Refine,
}

/// A number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountOf {
    Const(u64),
    /// The value of the `tag_t` local.
    Tag(LocalId),
}
