//! The words of the text form, each table read in both directions.

use crate::{BinOp, Cast, CmpOp, LocalKind, RegionKind, Trap, UnOp};
use toft_ty::{FloatTy, IntTy, Kind};

/// The word for a value.
pub fn word<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|entry| entry.1 == value).map_or("?", |entry| entry.0)
}

/// The value of a word.
pub fn value<T: Copy>(table: &[(&'static str, T)], word: &str) -> Option<T> {
    table.iter().find(|entry| entry.0 == word).map(|entry| entry.1)
}

pub const INTS: &[(&str, IntTy)] = &[
    ("char", IntTy::Char),
    ("schar", IntTy::SChar),
    ("uchar", IntTy::UChar),
    ("short", IntTy::Short),
    ("ushort", IntTy::UShort),
    ("int", IntTy::Int),
    ("uint", IntTy::UInt),
    ("long", IntTy::Long),
    ("ulong", IntTy::ULong),
    ("llong", IntTy::LLong),
    ("ullong", IntTy::ULLong),
];

pub const FLOATS: &[(&str, FloatTy)] =
    &[("float", FloatTy::Float), ("double", FloatTy::Double), ("ldouble", FloatTy::LongDouble)];

pub const KINDS: &[(&str, Kind)] = &[
    ("any", Kind::Any),
    ("word", Kind::Word),
    ("region", Kind::Region),
    ("effect", Kind::Effect),
    ("int", Kind::Int),
    ("aqual", Kind::Aqual),
];

pub const LOCALS: &[(&str, LocalKind)] = &[
    ("param", LocalKind::Param),
    ("user", LocalKind::User),
    ("temp", LocalKind::Temp),
    ("exn", LocalKind::Exn),
];

pub const REGIONS: &[(&str, RegionKind)] = &[
    ("block", RegionKind::Block),
    ("arena", RegionKind::Arena),
    ("reap", RegionKind::Reap),
    ("alias", RegionKind::Alias),
    ("defend", RegionKind::Defend),
    ("open", RegionKind::Open),
];

pub const UNARY: &[(&str, UnOp)] =
    &[("neg", UnOp::Neg), ("bitnot", UnOp::BitNot), ("not", UnOp::Not)];

pub const BINARY: &[(&str, BinOp)] = &[
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("mul", BinOp::Mul),
    ("div", BinOp::Div),
    ("rem", BinOp::Rem),
    ("shl", BinOp::Shl),
    ("shr", BinOp::Shr),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
];

pub const COMPARE: &[(&str, CmpOp)] = &[
    ("eq", CmpOp::Eq),
    ("ne", CmpOp::Ne),
    ("lt", CmpOp::Lt),
    ("le", CmpOp::Le),
    ("gt", CmpOp::Gt),
    ("ge", CmpOp::Ge),
];

pub const CASTS: &[(&str, Cast)] = &[
    ("int-int", Cast::IntToInt),
    ("int-float", Cast::IntToFloat),
    ("float-int", Cast::FloatToInt),
    ("float-float", Cast::FloatToFloat),
    ("bool", Cast::ToBool),
    ("ptr-int", Cast::PtrToInt),
    ("ptr", Cast::Ptr),
    ("fat-thin", Cast::FatToThin),
];

pub const TRAPS: &[(&str, Trap)] =
    &[("missing-return", Trap::MissingReturn), ("no-match", Trap::NoMatch), ("never", Trap::Never)];
