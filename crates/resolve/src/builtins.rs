//! `__builtin_…` functions of the C compilers, as headers and C programs use them.

use crate::cx::Resolver;
use toft_base::{Span, Symbol};
use toft_hir::*;
use toft_ty::*;

/// Name, and its type as letters, the result first: `v` void, `b` bool, `i` int, `u`
/// unsigned, `h` unsigned short, `l` long, `m` unsigned long, `q` long long, `Q` unsigned long
/// long, `d` double, `f` float, `D` long double, `L` va_list, `.` anything (C's `...`);
/// a leading `!` marks one that does not return.
const TABLE: &[(&str, &str)] = &[
    ("expect", "lll"),
    ("expect_with_probability", "llld"),
    ("constant_p", "i."),
    ("unreachable", "!v"),
    ("trap", "!v"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "mm"),
    ("clz", "iu"),
    ("clzl", "im"),
    ("clzll", "iQ"),
    ("ctz", "iu"),
    ("ctzl", "im"),
    ("ctzll", "iQ"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iq"),
    ("popcount", "iu"),
    ("popcountl", "im"),
    ("popcountll", "iQ"),
    ("parity", "iu"),
    ("parityl", "im"),
    ("parityll", "iQ"),
    ("abs", "ii"),
    ("labs", "ll"),
    ("llabs", "qq"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("fabsl", "DD"),
    ("sqrt", "dd"),
    ("floor", "dd"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("copysignf", "fff"),
    ("huge_val", "d"),
    ("huge_valf", "f"),
    ("huge_vall", "D"),
    ("inf", "d"),
    ("inff", "f"),
    ("infl", "D"),
    ("nan", "d."),
    ("nanf", "f."),
    ("nanl", "D."),
    ("isnan", "i."),
    ("isinf", "i."),
    ("isinf_sign", "i."),
    ("isfinite", "i."),
    ("isnormal", "i."),
    ("signbit", "i."),
    ("fpclassify", "iiiiii."),
    ("isgreater", "i."),
    ("isgreaterequal", "i."),
    ("isless", "i."),
    ("islessequal", "i."),
    ("islessgreater", "i."),
    ("isunordered", "i."),
    ("va_start", "vL."),
    ("va_end", "vL"),
    ("va_copy", "vLL"),
];

impl<'a> Resolver<'a> {
    pub fn gnu_builtin(&mut self, name: Symbol) -> Option<FuncId> {
        if let Some(&id) = self.gnu.get(&name) {
            return Some(id);
        }
        let short = name.as_str().strip_prefix("__builtin_")?;
        let (_, letters) = TABLE.iter().find(|(known, _)| *known == short)?;
        let noreturn = letters.starts_with('!');
        let mut tys = Vec::new();
        let mut variadic = Variadic::No;
        for letter in letters.trim_start_matches('!').chars() {
            let int = |int| Ty::int(int);
            tys.push(match letter {
                'v' => self.common.void,
                'b' => self.common.bool,
                'i' => int(IntTy::Int),
                'u' => int(IntTy::UInt),
                'h' => int(IntTy::UShort),
                'l' => int(IntTy::Long),
                'm' => int(IntTy::ULong),
                'q' => int(IntTy::LLong),
                'Q' => int(IntTy::ULLong),
                'd' => Ty::new(TyKind::Float(FloatTy::Double)),
                'f' => Ty::new(TyKind::Float(FloatTy::Float)),
                'D' => Ty::new(TyKind::Float(FloatTy::LongDouble)),
                'L' => Ty::new(TyKind::VaList),
                _ => {
                    variadic = Variadic::C;
                    continue;
                }
            });
        }
        let ret = tys.remove(0);
        let info = ParamInfo { name: None, quals: TyQuals::default(), span: Span::NONE };
        let params = vec![info; tys.len()];
        let id = self.prog.funcs.push(Func {
            name,
            link_name: Some(name),
            span: Span::NONE,
            origin: Origin::Trusted,
            linkage: Linkage::External,
            is_inline: false,
            generics: Vec::new(),
            sig: FuncTy {
                binder: Vec::new(),
                params: tys,
                ret,
                variadic,
                effect: None,
                bounds: Vec::new(),
                consumes: 0,
                noreturn,
            },
            params,
            ret_refine: None,
            format: None,
            same_const: false,
            builtin: Some(Builtin::Gnu(Symbol::intern(short))),
            contracts: Vec::new(),
            body: None,
        });
        self.gnu.insert(name, id);
        Some(id)
    }
}
