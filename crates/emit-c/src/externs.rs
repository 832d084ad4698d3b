//! Functions from outside: trusted and host functions.
//!
//! Their prototypes are made from the Toft signature with pointers to structs as `void *`,
//! so that no system header is needed. Functions that C compilers know get exactly the
//! prototype they expect: otherwise they would not be optimised as what they are. When two
//! declarations of one symbol disagree, the second gets a C name of its own and an assembler
//! name.

use crate::cx::Cx;
use std::fmt::Write;
use std::rc::Rc;
use toft_cir::Text;
use toft_mir::FuncId;
use toft_ty::{FuncTy, PtrTy, Ty, TyKind, Variadic, concrete};

/// How an external function is called.
pub struct Extern {
    pub name: Text,
    pub ret: Text,
    pub params: Vec<Text>,
}

impl Cx<'_> {
    pub fn external(&mut self, id: FuncId) -> Rc<Extern> {
        if let Some(known) = self.externs.get(&id) {
            return known.clone();
        }
        let made = Rc::new(self.declare_external(id));
        self.externs.insert(id, made.clone());
        made
    }

    fn declare_external(&mut self, id: FuncId) -> Extern {
        let decl = &self.decls.funcs[id];
        let link = decl.link_name.unwrap_or(decl.name).as_str();
        let (ret, params, variadic) = match known(link) {
            Some(known) => known,
            None => self.c_signature(&decl.sig),
        };
        let mut list = params.join(", ");
        if variadic {
            list.push_str(if list.is_empty() { "" } else { ", ..." });
        } else if params.is_empty() {
            list.push_str("void");
        }
        let noreturn = if decl.sig.noreturn { "TOFT_NORETURN " } else { "" };
        let text = format!("{ret}({list}){noreturn}");
        // A function of the program may have the same name.
        let clash = self.names.has(link);
        let old = self.extern_texts.get(link);
        let name: Text = match old {
            Some(old) if *old == text => link.into(),
            None if !clash => {
                let _ = writeln!(self.out.prototypes, "{noreturn}extern {ret} {link}({list});");
                self.extern_texts.insert(link.to_string(), text);
                link.into()
            }
            _ => {
                let name = self.names.unique(&format!("tx_x_{link}"), true);
                let _ = writeln!(
                    self.out.prototypes,
                    "{noreturn}extern {ret} {name}({list}) __asm__(\"{link}\");"
                );
                name
            }
        };
        let to_text = |text: String| -> Text { text.into() };
        Extern { name, ret: to_text(ret), params: params.into_iter().map(to_text).collect() }
    }

    fn c_signature(&mut self, sig: &FuncTy) -> (String, Vec<String>, bool) {
        let ret = self.c_type(sig.ret);
        let mut params: Vec<String> = sig.params.iter().map(|&ty| self.c_type(ty)).collect();
        if matches!(sig.variadic, Variadic::Typed(_) | Variadic::Inject(_)) {
            params.push("toft_fat".into());
        }
        (ret, params, sig.variadic == Variadic::C)
    }

    fn c_type(&mut self, ty: Ty) -> String {
        let ty = concrete(ty);
        match *ty.kind() {
            TyKind::Ptr(ptr) if !ty.is_fat() && ptr.elem.as_func().is_none() => {
                self.c_pointer(&ptr)
            }
            TyKind::Adt(..) | TyKind::Tuple(_) | TyKind::Variant(..) => {
                self.define(ty, toft_base::Span::NONE);
                self.cty(ty).to_string()
            }
            _ => self.cty(ty).to_string(),
        }
    }

    fn c_pointer(&mut self, ptr: &PtrTy) -> String {
        let quals = if ptr.quals.is_const { "const " } else { "" };
        let volatile = if ptr.quals.is_volatile { "volatile " } else { "" };
        let inner = match ptr.elem.kind() {
            TyKind::Int(_) | TyKind::Float(_) | TyKind::Bool | TyKind::Enum(_) => {
                self.cty(ptr.elem).to_string()
            }
            _ => "void".to_string(),
        };
        format!("{quals}{volatile}{inner} *")
    }
}

/// Functions that gcc and clang know by name, with their exact types: result, name,
/// parameters. `P` is `void *`, `C` is `const void *`, `S` is `const char *`, `s` is
/// `char *`, `z` is `unsigned long`, `i` int, `l` long, `L` long long, `d` double, `f` float,
/// `v` void, `e` `...`.
const KNOWN: &[(&str, &str)] = &[
    ("abort", "v"),
    ("abs", "ii"),
    ("acos", "dd"),
    ("asin", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("calloc", "Pzz"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("exit", "vi"),
    ("exp", "dd"),
    ("exp2", "dd"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("fprintf", "iPSe"),
    ("fputc", "iiP"),
    ("fputs", "iSP"),
    ("fread", "zPzzP"),
    ("free", "vP"),
    ("fwrite", "zCzzP"),
    ("hypot", "ddd"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isdigit", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log2", "dd"),
    ("malloc", "Pz"),
    ("memchr", "PCiz"),
    ("memcmp", "iCCz"),
    ("memcpy", "PPCz"),
    ("memmove", "PPCz"),
    ("memset", "PPiz"),
    ("pow", "ddd"),
    ("powf", "fff"),
    ("printf", "iSe"),
    ("putchar", "ii"),
    ("puts", "iS"),
    ("realloc", "PPz"),
    ("round", "dd"),
    ("sin", "dd"),
    ("sinf", "ff"),
    ("sinh", "dd"),
    ("snprintf", "iszSe"),
    ("sprintf", "isSe"),
    ("sqrt", "dd"),
    ("sqrtf", "ff"),
    ("sscanf", "iSSe"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strlen", "zS"),
    ("strncat", "ssSz"),
    ("strncmp", "iSSz"),
    ("strncpy", "ssSz"),
    ("strpbrk", "sSS"),
    ("strrchr", "sSi"),
    ("strspn", "zSS"),
    ("strstr", "sSS"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("trunc", "dd"),
];

fn known(name: &str) -> Option<(String, Vec<String>, bool)> {
    let found = KNOWN.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    let mut types = KNOWN[found].1.chars().map(|letter| match letter {
        'P' => "void *",
        'C' => "const void *",
        'S' => "const char *",
        's' => "char *",
        'z' => "unsigned long",
        'i' => "int",
        'l' => "long",
        'L' => "long long",
        'd' => "double",
        'f' => "float",
        'v' => "void",
        _ => "...",
    });
    let ret = types.next()?.to_string();
    let mut params: Vec<String> = types.map(str::to_string).collect();
    let variadic = params.last().is_some_and(|last| last == "...");
    if variadic {
        params.pop();
    }
    Some((ret, params, variadic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(KNOWN.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let (ret, params, variadic) = known("snprintf").expect("in the table");
        assert_eq!((&*ret, params.len(), variadic), ("int", 3, true));
    }
}
