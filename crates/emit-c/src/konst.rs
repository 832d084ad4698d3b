//! Constants: numbers, strings, functions.

use crate::cx::Cx;
use crate::types::{Class, class};
use std::fmt::Write;
use toft_base::Span;
use toft_cir::{Expr, Init, Text, lit};
use toft_mir::{Const, ConstKind};
use toft_ty::{FloatTy, IntTy, Ty, TyKind};

/// The number as a C expression whose type is `int`'s promotion of `ty`'s.
pub fn int(int: IntTy, value: i128) -> Expr {
    let value = int.wrap(value);
    let suffix = match int {
        IntTy::UInt => "u",
        IntTy::Long => "L",
        IntTy::ULong => "UL",
        IntTy::LLong => "LL",
        IntTy::ULLong => "ULL",
        _ => "",
    };
    if value >= 0 {
        return Expr::atom(format!("{value}{suffix}"));
    }
    // The smallest number has no literal of its own.
    if int.bits() >= 32 && value == int.min() {
        return Expr::atom(format!("(-{}{suffix} - 1)", -(value + 1)));
    }
    Expr::Minus(format!("{}{suffix}", -value).into())
}

/// The same, as text for `case` labels.
pub fn int_text(ty: IntTy, value: i128) -> Text {
    match int(ty, value) {
        Expr::Minus(text) => format!("-{text}").into(),
        Expr::Atom(text) => text,
        _ => "0".into(),
    }
}

pub fn number(value: u64) -> Expr {
    if value <= i32::MAX as u64 {
        Expr::atom(value.to_string())
    } else {
        Expr::atom(format!("{value}UL"))
    }
}

/// A fat pointer to `len` elements at `base`, which is not null.
pub fn fat(base: Expr, len: Expr) -> Expr {
    Expr::Compound(
        "toft_fat".into(),
        vec![Init::next(base), Init::next(Expr::atom("0")), Init::next(len)],
    )
}

pub fn fat_null() -> Expr {
    fat(Expr::atom("0"), Expr::atom("0"))
}

impl Cx<'_> {
    pub fn constant(&mut self, c: &Const, span: Span) -> Expr {
        match &c.kind {
            // The handle of the heap is the only constant one.
            ConstKind::Int(_) if matches!(c.ty.kind(), TyKind::RegionHandle(_)) => {
                Expr::atom("toft_heap_region").addr()
            }
            ConstKind::Int(value) => self.int_const(*value, c.ty),
            ConstKind::Float(value) => Expr::atom(match c.ty.kind() {
                TyKind::Float(FloatTy::Float) => lit::float(*value, "f"),
                TyKind::Float(FloatTy::LongDouble) => {
                    lit::float(*value, if value.is_finite() { "L" } else { "l" })
                }
                _ => lit::float(*value, ""),
            }),
            ConstKind::Null if class(c.ty) == Class::Fat => fat_null(),
            ConstKind::Null => {
                let ty = self.cty(c.ty);
                Expr::cast(ty, Expr::atom("0"))
            }
            ConstKind::Str { units, bytes, writable } => {
                let text = self.string(units, *bytes, *writable);
                if class(c.ty) == Class::Fat {
                    let base = Expr::cast("void *", text);
                    fat(base, Expr::atom((units.len() + 1).to_string()))
                } else {
                    let ty = self.cty(c.ty);
                    Expr::cast(ty, text)
                }
            }
            ConstKind::Exn(id, variant) => {
                let value = Expr::Atom(self.exn_value(*id, *variant));
                Expr::cast(self.cty(c.ty), value)
            }
            ConstKind::Func(id, args) => {
                let name = self.func_value(*id, args, span);
                if class(c.ty) == Class::Pointer {
                    let ty = self.cty(c.ty);
                    Expr::cast(ty, name)
                } else {
                    name
                }
            }
            ConstKind::Sizeof(ty) => number(self.size_of(*ty, span)),
            ConstKind::Alignof(ty) => {
                let layout = toft_ty::layout::layout_of(&self.decls.tables, *ty);
                number(layout.map_or(1, |layout| layout.align))
            }
        }
    }

    fn int_const(&mut self, value: i128, ty: Ty) -> Expr {
        match (class(ty), ty.kind()) {
            (_, TyKind::Bool) => Expr::atom(if value != 0 { "1" } else { "0" }),
            (Class::Pointer, _) => {
                let text = self.cty(ty);
                Expr::cast(text, number(value as u64))
            }
            (Class::Fat, _) => fat_null(),
            (Class::Float, _) => Expr::atom(lit::float(value as f64, "")),
            _ => int(self.int_of(ty).unwrap_or(IntTy::Long), value),
        }
    }

    /// A string literal with its terminator, as an array expression.
    pub fn string(&mut self, units: &[u32], bytes: u8, writable: bool) -> Expr {
        if bytes == 1 {
            let text: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            if !writable {
                return Expr::atom(lit::string(&text));
            }
            // One zero more than the program can reach.
            let n = self.next_string();
            let size = units.len() + 2;
            let text = lit::string(&text);
            let _ = writeln!(self.out.data, "static char tx_w{n}[{size}] = {text};");
            return Expr::atom(format!("tx_w{n}"));
        }
        let n = self.next_string();
        let (ty, is_const) = (
            if bytes == 2 { "uint16_t" } else { "uint32_t" },
            if writable { "" } else { "const " },
        );
        let list: Vec<String> = units.iter().map(u32::to_string).collect();
        let size = units.len() + if writable { 2 } else { 1 };
        let list = if list.is_empty() { "0".to_string() } else { list.join(", ") };
        let _ = writeln!(self.out.data, "static {is_const}{ty} tx_w{n}[{size}] = {{{list}}};");
        Expr::atom(format!("tx_w{n}"))
    }
}
