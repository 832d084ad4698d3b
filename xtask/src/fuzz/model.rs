//! The little language of the random programs: what `gen` makes, `print` writes as Toft and
//! `interp` runs.

/// Integer types, `bool` among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Int {
    Bool,
    /// `char`, which is signed.
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Int {
    pub const ALL: [Int; 10] = [
        Int::Bool,
        Int::Char,
        Int::I8,
        Int::U8,
        Int::I16,
        Int::U16,
        Int::I32,
        Int::U32,
        Int::I64,
        Int::U64,
    ];

    pub fn bits(self) -> u32 {
        match self {
            Int::Bool => 1,
            Int::Char | Int::I8 | Int::U8 => 8,
            Int::I16 | Int::U16 => 16,
            Int::I32 | Int::U32 => 32,
            Int::I64 | Int::U64 => 64,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Int::Char | Int::I8 | Int::I16 | Int::I32 | Int::I64)
    }

    /// The value modulo the type's range (`bool`: whether it is not zero).
    pub fn wrap(self, value: i128) -> i128 {
        match self {
            Int::Bool => i128::from(value != 0),
            Int::Char | Int::I8 => i128::from(value as i8),
            Int::U8 => i128::from(value as u8),
            Int::I16 => i128::from(value as i16),
            Int::U16 => i128::from(value as u16),
            Int::I32 => i128::from(value as i32),
            Int::U32 => i128::from(value as u32),
            Int::I64 => i128::from(value as i64),
            Int::U64 => i128::from(value as u64),
        }
    }

    /// C's integer promotion.
    pub fn promoted(self) -> Int {
        if self.bits() < 32 { Int::I32 } else { self }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Int(Int),
    /// `double`
    Float,
    Struct(usize),
    Union(usize),
    Array(Box<Ty>, usize),
    /// `T ?`
    Fat(Box<Ty>),
    /// `T *`
    Thin(Box<Ty>),
    /// `char *`: up to its terminator.
    Str,
    /// A pointer to a datatype.
    Data(usize),
    /// A pointer to a function of the program with this signature.
    Func(Box<Sig>),
    Void,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sig {
    pub params: Vec<Ty>,
    pub ret: Ty,
}

impl Ty {
    pub const INT: Ty = Ty::Int(Int::I32);

    pub fn is_arith(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Float)
    }

    pub fn is_pointer(&self) -> bool {
        matches!(self, Ty::Fat(_) | Ty::Thin(_) | Ty::Str | Ty::Data(_) | Ty::Func(_))
    }
}

/// The type both operands of an arithmetic operator are converted to.
pub fn usual(a: &Ty, b: &Ty) -> Ty {
    let (Ty::Int(a), Ty::Int(b)) = (a, b) else { return Ty::Float };
    let (a, b) = (a.promoted(), b.promoted());
    let bits = a.bits().max(b.bits());
    let unsigned = [a, b].iter().any(|t| !t.signed() && t.bits() == bits);
    Ty::Int(match (bits, unsigned) {
        (32, false) => Int::I32,
        (32, true) => Int::U32,
        (_, false) => Int::I64,
        (_, true) => Int::U64,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Bin {
    pub fn is_compare(self) -> bool {
        matches!(self, Bin::Eq | Bin::Ne | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge)
    }

    pub fn text(self) -> &'static str {
        match self {
            Bin::Add => "+",
            Bin::Sub => "-",
            Bin::Mul => "*",
            Bin::Div => "/",
            Bin::Rem => "%",
            Bin::And => "&",
            Bin::Or => "|",
            Bin::Xor => "^",
            Bin::Shl => "<<",
            Bin::Shr => ">>",
            Bin::Eq => "==",
            Bin::Ne => "!=",
            Bin::Lt => "<",
            Bin::Le => "<=",
            Bin::Gt => ">",
            Bin::Ge => ">=",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Un {
    Neg,
    Not,
    BitNot,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Box<Kind>,
    pub ty: Ty,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Int(i128),
    Float(f64),
    Null,
    Read(Place),
    Un(Un, Expr),
    /// Arithmetic and comparison of numbers.
    Bin(Bin, Expr, Expr),
    /// `==`, `!=`, `<` of pointers.
    PtrCompare(Bin, Expr, Expr),
    And(Expr, Expr),
    Or(Expr, Expr),
    Cond(Expr, Expr, Expr),
    Comma(Expr, Expr),
    Cast(Expr),
    Assign(Place, Expr),
    OpAssign(Bin, Place, Expr),
    Step {
        place: Place,
        up: bool,
        post: bool,
    },
    /// Direct call: function, arguments.
    Call(usize, Vec<Expr>),
    CallPtr(Expr, Vec<Expr>),
    /// A function's name.
    Func(usize),
    AddrOf(Place),
    /// An array place as fat pointer.
    Decay(Place),
    PtrAdd(Expr, Expr),
    PtrDiff(Expr, Expr),
    NumElts(Expr),
    /// A struct's fields, an array's elements; of the expression's type.
    Aggregate(Vec<Expr>),
    /// A tagged union by one member.
    Member(usize, Expr),
    /// `new (struct S){…}` as thin, `new {…}` as fat pointer.
    New(Expr),
    NewVariant(usize, Vec<Expr>),
    /// The fat pointer's memory as `unsigned char ?`.
    Bytes(Expr),
    TagCheck(Place, usize),
}

#[derive(Clone, Debug)]
pub struct Place {
    pub kind: Box<PlaceKind>,
    pub ty: Ty,
}

#[derive(Clone, Debug)]
pub enum PlaceKind {
    Global(usize),
    Local(usize),
    /// Of a struct or tagged union.
    Field(Place, usize),
    Index(Place, Expr),
    /// `*p` of a thin pointer.
    Deref(Expr),
    /// `p[i]` of a fat pointer or a string.
    At(Expr, Expr),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Let(usize, Ty, Expr),
    Expr(Expr),
    /// Into the checksum.
    Check(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Loop {
        form: Loop,
        var: usize,
        times: usize,
        label: usize,
        body: Vec<Stmt>,
    },
    /// Cases by constant, each ending in a `break` or not; then the default.
    Switch(Expr, Vec<Case>),
    /// On a datatype pointer: names of the arguments per variant; the last is what null does.
    Match(Expr, Vec<(Vec<usize>, Vec<Stmt>)>, Vec<Stmt>),
    Break,
    Continue,
    /// `{ body } label: ;`
    Labelled(Vec<Stmt>, usize),
    Goto(usize),
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    Throw(usize, Vec<Expr>),
    Try(Vec<Stmt>, Vec<Handler>),
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Empty: default.
    pub values: Vec<i128>,
    pub body: Vec<Stmt>,
    pub ends: bool,
}

#[derive(Clone, Debug)]
pub struct Handler {
    pub what: Catch,
    pub vars: Vec<usize>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Catch {
    User(usize),
    Null,
    Bounds,
    Match,
    Arith,
    Default,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loop {
    For,
    While,
    Do,
    /// A label and a `goto` back.
    Goto,
}

#[derive(Clone, Debug)]
pub struct Func {
    pub params: Vec<Ty>,
    pub ret: Ty,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub structs: Vec<Vec<Ty>>,
    pub unions: Vec<Vec<Ty>>,
    /// Variants and their arguments.
    pub datas: Vec<Vec<Vec<Ty>>>,
    pub globals: Vec<(Ty, Expr)>,
    /// The last is the program's own `run`, before it `hash`.
    pub funcs: Vec<Func>,
}

/// The arguments of the user's exceptions, the same in all programs.
pub fn exn_args(which: usize) -> Vec<Ty> {
    match which {
        0 => vec![Ty::Int(Int::I32)],
        1 => vec![Ty::Int(Int::I64), Ty::Int(Int::U8)],
        _ => vec![],
    }
}
pub const EXNS: usize = 3;
