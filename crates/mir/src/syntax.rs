//! Statements, terminators, places, operands, right sides: declarations only.

use crate::{BlockId, CheckId, LocalId, TryId};
use toft_base::{Span, Symbol};
use toft_ty::{AdtId, FuncId, GArg, GlobalId, IntTy, RegionId, Ty};

#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// The source this came from; its start gives `#line`.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    Nop,
    Assign(Place, Rvalue),
    /// A `User` local comes to life, uninitialised (each time it is passed, also in loops).
    StorageLive(LocalId),
    StorageDead(LocalId),
    /// Throws when it does not hold.
    Check(Check),
    /// A call. May throw (unless the callee is known not to), may collect.
    Call(Box<Call>),
    /// Writes the tag of the tagged union in the place: member `1` is now the current one.
    /// Precedes the store into the member.
    SetTag(Place, u32),
    /// Gives the VLA local its memory: `count` elements of `elem`, zeroed.
    Alloca {
        local: LocalId,
        elem: Ty,
        count: Operand,
    },
    /// Exchanges two places of one type.
    Swap(Place, Place),
    /// Pushes a handler frame; on a throw control continues at its handler.
    TryPush(TryId),
    TryPop(TryId),
    /// First statement of a handler: binds the exception.
    Catch(TryId, LocalId),
    /// Scopes of arenas, borrows, opened keys (later also shields) begin and end.
    RegionEnter {
        region: RegionId,
        handle: LocalId,
        open: Option<Operand>,
    },
    RegionExit(RegionId),
    BorrowEnter {
        region: RegionId,
        local: LocalId,
        from: Place,
    },
    BorrowExit(RegionId),
    /// The value in the place is given up: freed, sent, consumed.
    Consume(Place),
    /// The end of a pattern's scope: when the variable still holds the tracked part that the
    /// pattern moved out of the place, the place is whole again. No code.
    GiveBack {
        to: Place,
        from: LocalId,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub id: CheckId,
    pub kind: CheckKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum CheckKind {
    /// The pointer (thin or fat) is not null. `Null_Exception`
    NotNull(Operand),
    /// `0 <= index < len`; `index` of any integer type, `len` an unsigned 64-bit operand or
    /// constant. `Array_bounds`
    Index { index: Operand, len: Operand },
    /// The fat pointer may be accessed at `index` (any integer type) from its current
    /// position. `Array_bounds`, `Null_Exception` when null.
    FatIndex { ptr: Operand, index: Operand },
    /// The zero-terminated thin pointer (not null) may be read at `index`: no terminator lies
    /// before it. `known` elements are there anyway. `Array_bounds`
    ZtIndex { ptr: Operand, index: Operand, known: u64 },
    /// A write of `value` at `index` of a zero-terminated thin pointer (readable there) does
    /// not overwrite the terminator with something else. `Array_bounds`
    ZtWrite { ptr: Operand, index: Operand, value: Operand, known: u64 },
    /// `p + i` on a zero-terminated thin pointer skips no terminator. `Array_bounds`
    ZtAdd { ptr: Operand, index: Operand, known: u64 },
    /// At least `need` elements from the fat pointer's position on (null passes when
    /// `null_ok`). `Array_bounds`
    FatAtLeast { ptr: Operand, need: Operand, null_ok: bool },
    /// The integer is not zero. `Arithmetic`
    NonZero(Operand),
    /// `0 <= count < bits`. `Arithmetic`
    Shift { count: Operand, bits: u32 },
    /// The float fits the integer type. `Arithmetic`
    FloatFits { value: Operand, to: IntTy },
    /// With `--overflow=trap`: the operation does not overflow. `Arithmetic`
    NoOverflow { op: BinOp, left: Operand, right: Operand },
    /// The tagged union in the place holds the member. `Match_Exception`
    Tag { place: Place, field: u32 },
    /// A VLA's or an allocation's element count is 0 or more (and the bytes fit).
    /// `Array_bounds`
    Count { count: Operand, elem: Ty },
    /// The condition (int, nonzero is true) holds. `Assert`
    Assert {
        cond: Operand,
        text: Symbol,
        /// Where the condition is asked for, when that is not where it is checked.
        at: Span,
        /// Nothing to do at run time: refused when it is certain to fail, else idle.
        judge: bool,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub dest: Option<Place>,
    pub callee: Callee,
    pub args: Vec<Operand>,
    /// Arguments that C's `...` takes, promoted.
    pub varargs: Vec<Operand>,
    /// The callee never returns: a `Terminator::Unreachable` follows.
    pub noreturn: bool,
    /// The callee may park this process (a suspension point).
    pub suspends: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Func(FuncId, Vec<GArg>),
    /// Checked not null before.
    Ptr(Operand),
    /// A compiler builtin of the C compilers (`__builtin_bswap32`).
    Gnu(Symbol),
    /// Of the runtime; see `rt-abi`.
    Runtime(&'static str),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Terminator {
    pub kind: TermKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TermKind {
    Goto(BlockId),
    /// `cond` is an integer or bool; nonzero goes to the first.
    If(Operand, BlockId, BlockId),
    /// Inclusive ranges, disjoint, in the operand's type.
    Switch {
        on: Operand,
        cases: Vec<(i128, i128, BlockId)>,
        default: BlockId,
    },
    Return(Option<Operand>),
    /// The operand is a `datatype exn` pointer, not null.
    Throw(Operand),
    /// Rethrows what a handler caught.
    Rethrow(LocalId),
    Trap(Trap),
    Unreachable,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// The end of a non-void function (`check` refuses it when reachable).
    MissingReturn,
    /// No pattern matched.
    NoMatch,
    /// Certain to fail: null, index, arithmetic, by an earlier diagnosis.
    Never,
}

/// A place: a variable, then steps into it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub base: Base,
    pub proj: Vec<Proj>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    Local(LocalId),
    Global(GlobalId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proj {
    /// What the pointer points at; with an index, that many elements further on. On a fat
    /// pointer, from its current position; on a VLA (`TyKind::Vla`), from its start. Checked
    /// before: a VLA by `FatIndex` on the variable itself.
    Deref(Index),
    /// Field of a struct, union, tuple, tagged union.
    Field(u32),
    /// Element of an array place.
    Index(Index),
    /// The place of type `datatype T` seen as its variant; `Field` follows.
    Variant(AdtId, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    Const(u64),
    /// A local of an integer type (signed ones are sign-extended).
    Local(LocalId),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    Copy(Place),
    /// The place is given up with it: a temporary's last use, or a tracked pointer.
    Move(Place),
    Const(Const),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Const {
    pub kind: ConstKind,
    pub ty: Ty,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ConstKind {
    /// Integers, enums, bools, tags.
    Int(i128),
    /// Bits of an `f64`.
    Float(f64),
    Null,
    /// A string literal's address (units without the terminator). Thin, or fat with
    /// units + 1 elements, by the constant's type.
    Str {
        units: std::rc::Rc<[u32]>,
        bytes: u8,
        writable: bool,
    },
    Func(FuncId, Vec<GArg>),
    /// The one value of an exception without arguments.
    Exn(AdtId, u32),
    Sizeof(Ty),
    Alignof(Ty),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Rvalue {
    Use(Operand),
    /// The address of the place, a thin pointer (to the first element for array decay).
    Ref(Place),
    Unary(UnOp, Operand),
    /// Operands of one arithmetic type (shifts: the right one may differ). Signed overflow
    /// wraps. Divisors and shift counts are checked before.
    Binary(BinOp, Operand, Operand),
    /// Operands of one type (integers, floats, or pointers of like representation). Gives
    /// `int`. Fat pointers compare their current addresses.
    Compare(CmpOp, Operand, Operand),
    Cast(Cast, Operand, Ty),
    /// A fat pointer at `base` with `len` elements (`len` fits 32 bits unsigned), position 0.
    /// Null when `base` is.
    MakeFat {
        base: Operand,
        len: Operand,
    },
    /// Moves a pointer by `index` elements. Fat: always defined. Thin zero-terminated: checked
    /// before.
    PtrAdd(Operand, Operand),
    /// Difference in elements, `long`.
    PtrDiff(Operand, Operand),
    /// Elements from the position to the upper bound of a fat pointer, `unsigned long`.
    FatLen(Operand),
    /// Length to the terminator of a thin zero-terminated pointer (0 for null), `unsigned long`.
    ZtLen(Operand),
    /// A fat view with elements of another size (by the assigned type).
    ViewFat(Operand),
    /// Fields by index; the rest is zero. Types by the assigned place. Arrays: elements.
    Aggregate(Vec<(u64, Operand)>),
    /// A datatype's variant by value, of type `datatype T.A`: tag and fields.
    Variant(AdtId, u32, Vec<Operand>),
    /// A new object: zeroed; a thin pointer to `count` elements. Throws `Bad_alloc`.
    Alloc {
        elem: Ty,
        count: Option<Operand>,
        region: Option<Operand>,
        /// Who may point at it: an `aqual_t` operand; `None`: `\A`.
        qual: Option<Operand>,
    },
    /// Whether the `datatype T` in the place is of the variant: `int` 0/1.
    IsVariant(Place, AdtId, u32),
    /// Whether the tagged union in the place now holds the member: `int` 0/1.
    IsMember(Place, u32),
    VaArg(Place, Ty),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnOp {
    Neg,
    BitNot,
    /// 0 gives 1, all else 0; the result is `int`.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    IntToInt,
    IntToFloat,
    /// Checked before.
    FloatToInt,
    FloatToFloat,
    /// To `bool` or `int` 0/1; from integers, floats, thin and fat pointers.
    ToBool,
    /// Thin or fat (its current address).
    PtrToInt,
    /// Between thin pointers, or between fat ones of one element size: same bits.
    Ptr,
    /// Fat to thin, at its current position; null gives null.
    FatToThin,
}

impl Place {
    pub fn local(local: LocalId) -> Place {
        Place { base: Base::Local(local), proj: Vec::new() }
    }

    pub fn global(global: GlobalId) -> Place {
        Place { base: Base::Global(global), proj: Vec::new() }
    }

    pub fn then(mut self, step: Proj) -> Place {
        self.proj.push(step);
        self
    }

    /// The variable itself, when there are no steps.
    pub fn as_local(&self) -> Option<LocalId> {
        match self.base {
            Base::Local(local) if self.proj.is_empty() => Some(local),
            _ => None,
        }
    }

    /// Passes through a pointer.
    pub fn is_indirect(&self) -> bool {
        self.proj.iter().any(|step| matches!(step, Proj::Deref(_)))
    }
}

impl Operand {
    pub fn place(&self) -> Option<&Place> {
        match self {
            Operand::Copy(place) | Operand::Move(place) => Some(place),
            Operand::Const(_) => None,
        }
    }

    pub fn int(value: i128, ty: Ty) -> Operand {
        Operand::Const(Const { kind: ConstKind::Int(value), ty })
    }

    pub fn as_int(&self) -> Option<i128> {
        match self {
            Operand::Const(Const { kind: ConstKind::Int(value), .. }) => Some(*value),
            _ => None,
        }
    }
}

impl TermKind {
    /// Every normal successor, in order.
    pub fn successors(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            TermKind::Goto(to) => visit(*to),
            TermKind::If(_, yes, no) => {
                visit(*yes);
                visit(*no);
            }
            TermKind::Switch { cases, default, .. } => {
                cases.iter().for_each(|&(_, _, to)| visit(to));
                visit(*default);
            }
            TermKind::Return(_)
            | TermKind::Throw(_)
            | TermKind::Rethrow(_)
            | TermKind::Trap(_)
            | TermKind::Unreachable => {}
        }
    }
}
