//! Sizes and alignments of the scalar types on the targets supported: LP64, little endian
//! (x86-64 and AArch64 System V).

use crate::{FloatTy, IntTy};

pub const POINTER_BYTES: u64 = 8;
/// A fat pointer: base, 32-bit offset, 32-bit length.
pub const FAT_BYTES: u64 = 16;

impl IntTy {
    pub fn bytes(self) -> u64 {
        match self {
            IntTy::Char | IntTy::SChar | IntTy::UChar => 1,
            IntTy::Short | IntTy::UShort => 2,
            IntTy::Int | IntTy::UInt => 4,
            IntTy::Long | IntTy::ULong | IntTy::LLong | IntTy::ULLong => 8,
        }
    }

    pub fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    /// Plain `char` is signed, on every target, so that programs mean one thing
    /// (`-fsigned-char`).
    pub fn is_signed(self) -> bool {
        use IntTy::*;
        matches!(self, Char | SChar | Short | Int | Long | LLong)
    }

    pub fn to_unsigned(self) -> IntTy {
        use IntTy::*;
        match self {
            Char | SChar | UChar => UChar,
            Short | UShort => UShort,
            Int | UInt => UInt,
            Long | ULong => ULong,
            LLong | ULLong => ULLong,
        }
    }

    /// C's conversion rank.
    pub fn rank(self) -> u32 {
        use IntTy::*;
        match self {
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LLong | ULLong => 5,
        }
    }

    pub fn min(self) -> i128 {
        if self.is_signed() { -(1i128 << (self.bits() - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        if self.is_signed() { (1i128 << (self.bits() - 1)) - 1 } else { (1i128 << self.bits()) - 1 }
    }

    /// `value` modulo 2^bits, in this type's range.
    pub fn wrap(self, value: i128) -> i128 {
        let bits = self.bits();
        let low = value & ((1i128 << bits) - 1);
        if self.is_signed() && low >> (bits - 1) & 1 != 0 { low - (1i128 << bits) } else { low }
    }

    pub fn name(self) -> &'static str {
        use IntTy::*;
        match self {
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned int",
            Long => "long",
            ULong => "unsigned long",
            LLong => "long long",
            ULLong => "unsigned long long",
        }
    }
}

impl FloatTy {
    pub fn bytes(self) -> u64 {
        match self {
            FloatTy::Float => 4,
            FloatTy::Double => 8,
            FloatTy::LongDouble => 16,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            FloatTy::Float => "float",
            FloatTy::Double => "double",
            FloatTy::LongDouble => "long double",
        }
    }
}
