//! Keywords, found by a dense table over symbol ids.
//!
//! C's words are reserved; Toft's own are contextual: they mean something only where a
//! plain C program could not have them, and a name declared in scope always wins.

use toft_base::Symbol;

macro_rules! words {
    ($($kw:ident: $($text:literal)+;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub(crate) enum Kw {
            /// No special word.
            None,
            $($kw,)*
        }

        const WORDS: &[(Kw, &str)] = &[$($((Kw::$kw, $text),)+)*];
    };
}

// The order counts: `is_type`, `is_decl` and `is_reserved` are range tests.
words! {
    // Type specifiers.
    Void: "void";
    Bool: "_Bool" "bool";
    Char: "char";
    Short: "short";
    Int: "int";
    Long: "long";
    Signed: "signed" "__signed" "__signed__";
    Unsigned: "unsigned";
    Float: "float";
    Double: "double";
    Int128: "__int128" "__int128_t";
    UInt128: "__uint128_t";
    Complex: "_Complex" "__complex__" "__complex";
    FloatN: "_Float16" "_Float32" "_Float64" "_Float128" "_Float32x" "_Float64x" "_Float128x"
        "__float128" "__float80" "__bf16" "_Decimal32" "_Decimal64" "_Decimal128";
    VaList: "__builtin_va_list";
    AutoType: "__auto_type";
    Struct: "struct";
    Union: "union";
    Enum: "enum";
    Typeof: "typeof" "__typeof__" "__typeof";
    TypeofUnqual: "typeof_unqual" "__typeof_unqual__" "__typeof_unqual";
    Atomic: "_Atomic";
    // Qualifiers.
    Const: "const" "__const" "__const__";
    Volatile: "volatile" "__volatile__" "__volatile";
    Restrict: "restrict" "__restrict" "__restrict__";
    // Other declaration specifiers.
    Typedef: "typedef";
    Extern: "extern";
    Static: "static";
    Auto: "auto";
    Register: "register";
    ThreadLocal: "_Thread_local" "thread_local" "__thread";
    Constexpr: "constexpr";
    Inline: "inline" "__inline" "__inline__";
    Noreturn: "_Noreturn";
    Alignas: "_Alignas" "alignas";
    Attribute: "__attribute__" "__attribute";
    // Reserved, and start no declaration by themselves.
    Extension: "__extension__";
    StaticAssert: "_Static_assert" "static_assert";
    Asm: "asm" "__asm__" "__asm";
    Sizeof: "sizeof";
    Alignof: "_Alignof" "alignof" "__alignof__" "__alignof";
    Generic: "_Generic";
    True: "true";
    False: "false";
    Nullptr: "nullptr";
    BuiltinOffsetof: "__builtin_offsetof";
    BuiltinVaArg: "__builtin_va_arg";
    BuiltinTypes: "__builtin_types_compatible_p";
    RealImag: "__real__" "__imag__" "__real" "__imag";
    If: "if";
    Else: "else";
    While: "while";
    Do: "do";
    For: "for";
    Switch: "switch";
    Case: "case";
    Default: "default";
    Break: "break";
    Continue: "continue";
    Goto: "goto";
    Return: "return";
    // Contextual from here on.
    Null: "NULL";
    Offsetof: "offsetof";
    VaArg: "va_arg";
    Region: "region";
    Reap: "reap";
    Let: "let";
    New: "new";
    Rnew: "rnew";
    Qnew: "qnew";
    Throw: "throw";
    Try: "try";
    Catch: "catch";
    Namespace: "namespace";
    Using: "using";
    Datatype: "datatype";
    Test: "test";
    Abstract: "abstract";
    Shared: "shared";
    Alias: "alias";
    Defend: "defend";
    Fallthru: "fallthru";
    Open: "open";
    As: "as";
    Consume: "consume";
    Inject: "inject";
    Single: "single";
    Valueof: "valueof";
    Numelts: "numelts";
    Tagcheck: "tagcheck";
    RegionT: "region_t";
    AqualT: "aqual_t";
    TagT: "tag_t";
    SizeofT: "sizeof_t";
    // Words after `@`.
    Notnull: "notnull";
    Nullable: "nullable";
    Fat: "fat";
    Thin: "thin";
    Zeroterm: "zeroterm";
    Nozeroterm: "nozeroterm";
    Aqual: "aqual";
    Tagged: "tagged";
    Packed: "packed";
    Extensible: "extensible";
    Subset: "subset";
    Effect: "effect";
    Requires: "requires";
    Ensures: "ensures";
    Assert: "assert";
    // Aliasabilities by name.
    AqualA: "A" "ALIASABLE";
    AqualU: "U" "UNIQUE";
    AqualRc: "RC" "REFCNT";
    AqualTop: "T" "TOP";
    Underscore: "_";
}

impl Kw {
    /// Begins a type specifier or is a qualifier.
    pub fn is_type(self) -> bool {
        self > Kw::None && self <= Kw::Restrict
    }

    /// Begins a declaration.
    pub fn is_decl(self) -> bool {
        self > Kw::None && self <= Kw::Alignas
    }

    /// Can never be a name.
    pub fn is_reserved(self) -> bool {
        self > Kw::None && self <= Kw::Return
    }

    /// Begins a statement that is no expression or declaration.
    pub fn is_stmt(self) -> bool {
        self >= Kw::If && self <= Kw::Return
    }
}

/// The table: `Kw` by symbol id.
pub(crate) struct Words {
    table: Vec<Kw>,
}

impl Words {
    pub fn new() -> Words {
        let mut table = Vec::new();
        for &(kw, text) in WORDS {
            let index = Symbol::intern(text).index();
            if index >= table.len() {
                table.resize(index + 1, Kw::None);
            }
            table[index] = kw;
        }
        Words { table }
    }

    #[inline]
    pub fn get(&self, sym: Symbol) -> Kw {
        self.table.get(sym.index()).copied().unwrap_or(Kw::None)
    }
}
