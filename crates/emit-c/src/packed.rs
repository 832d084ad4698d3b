//! `@packed @tagged union`: one word, read by taking a member out of it and written whole.

use crate::cx::Cx;
use crate::func::FnCx;
use crate::konst;
use crate::types::{Class, class};
use std::fmt::Write;
use toft_base::Span;
use toft_cir::{BinOp, Expr, Init, StmtKind as C};
use toft_mir::{ConstKind, Operand, Place, Proj, StaticInit};
use toft_ty::packed::{Packed, Packing, packing};
use toft_ty::{AdtId, AdtKind, FloatTy, GArg, Ty, TyKind};

impl Cx<'_> {
    /// The packing of the type, when it is such a union.
    pub fn packing_of(&self, ty: Ty) -> Option<Packing> {
        match *ty.kind() {
            TyKind::Adt(id, args) if self.adt(id).kind == AdtKind::PackedUnion => {
                packing(&self.decls.tables, id, args).ok()
            }
            _ => None,
        }
    }

    pub fn define_packed(&mut self, id: AdtId, args: &[GArg], text: &str, span: Span) {
        let Ok(packing) = packing(&self.decls.tables, id, args) else {
            return self.unsupported(span, "this `@packed @tagged union`");
        };
        let align = self.adt(id).align;
        let align = align.map_or(String::new(), |n| format!(" __attribute__((aligned({n})))"));
        let bits = packing.bytes * 8;
        let _ = writeln!(self.out.types, "{text} {{ uint{bits}_t word; }}{align};");
    }

    /// The value of a member.
    pub fn unpack(&mut self, union: Expr, packing: &Packing, n: u32, ty: Ty) -> Expr {
        let word = union.member("word");
        let text = self.cty(ty);
        match packing.members.get(n as usize) {
            Some(Packed::Number { shift, .. }) => {
                let value = match shift {
                    0 => word,
                    shift => Expr::bin(BinOp::Shr, word, konst::number(u64::from(*shift))),
                };
                match ty.kind() {
                    TyKind::Bool => Expr::bin(BinOp::Ne, value, Expr::atom("0")),
                    TyKind::Float(FloatTy::Float) => Expr::call("tx_word_f32", vec![value]),
                    TyKind::Float(_) => Expr::call("tx_word_f64", vec![value]),
                    _ => Expr::cast(text, value),
                }
            }
            _ => {
                let rest = match mask(packing) {
                    0 => word,
                    mask => {
                        let mask = Expr::atom(format!("~{mask}UL"));
                        Expr::bin(BinOp::And, word, mask)
                    }
                };
                Expr::cast(text, Expr::cast("uintptr_t", rest))
            }
        }
    }

    /// A constant initialiser that holds member `n`.
    pub fn static_packed(&mut self, ty: Ty, n: u64, init: &StaticInit, span: Span) -> Expr {
        let word = self.static_word(ty, n, init, span);
        Expr::Braces(vec![Init::field("word", word)])
    }

    fn static_word(&mut self, ty: Ty, n: u64, init: &StaticInit, span: Span) -> Expr {
        let (Some(packing), Some((field, _))) = (self.packing_of(ty), self.field_ty(ty, n as u32))
        else {
            return Expr::atom("0");
        };
        if let Some(Packed::Number { bytes, shift }) = packing.members.get(n as usize) {
            let bits = match init {
                StaticInit::Value(Operand::Const(c)) => match c.kind {
                    ConstKind::Int(value) => value as u64,
                    ConstKind::Float(value) if *bytes == 4 => u64::from((value as f32).to_bits()),
                    ConstKind::Float(value) => value.to_bits(),
                    _ => 0,
                },
                _ => 0,
            };
            let own = if *bytes == 8 { bits } else { bits & ((1 << (bytes * 8)) - 1) };
            return Expr::atom(format!("{}UL", own << shift | n));
        }
        match init {
            StaticInit::Zero => konst::number(n),
            init => {
                let address = match init {
                    StaticInit::Value(Operand::Const(c)) if c.kind == ConstKind::Null => {
                        return konst::number(n);
                    }
                    init => self.static_init(init, field, span),
                };
                // A sum with an address is constant in C, an `|` is not.
                Expr::bin(BinOp::Add, Expr::cast("uint64_t", address), konst::number(n))
            }
        }
    }
}

/// Where a value goes.
pub enum Target {
    Plain(Expr),
    /// Member `n` of a packed union.
    Packed {
        union: Expr,
        packing: Packing,
        n: u32,
        ty: Ty,
    },
}

impl FnCx<'_, '_> {
    /// The packed union that the place's last step goes into, and the member.
    fn packed_member(&mut self, place: &Place) -> Option<(Place, Packing, u32)> {
        let (&Proj::Field(n), before) = place.proj.split_last()? else { return None };
        let whole = Place { base: place.base, proj: before.to_vec() };
        let ty = self.peek_ty(&whole)?;
        let packing = self.cx.packing_of(ty)?;
        Some((whole, packing, n))
    }

    pub fn is_packed_member(&mut self, place: &Place) -> bool {
        self.packed_member(place).is_some()
    }

    /// The place as something to store into. Built once: what it is made of is used up.
    pub fn target(&mut self, place: &Place) -> Target {
        let Some((whole, packing, n)) = self.packed_member(place) else {
            return Target::Plain(self.place(place).0);
        };
        let ty = self.peek_ty(place).unwrap_or_else(Ty::error);
        let (union, _) = self.place(&whole);
        Target::Packed { union, packing, n, ty }
    }

    /// What the target holds.
    pub fn value_of(&mut self, target: &Target) -> Expr {
        match target {
            Target::Plain(expr) => expr.clone(),
            Target::Packed { union, packing, n, ty } => {
                self.cx.unpack(union.clone(), packing, *n, *ty)
            }
        }
    }

    pub fn put(&mut self, to: Target, value: Expr) {
        match to {
            Target::Plain(to) => self.emit(C::Assign(to, value)),
            Target::Packed { union, packing, n, ty } => {
                let word = self.pack(&packing, n, Some(ty), value);
                self.emit(C::Assign(union.member("word"), word));
            }
        }
    }

    fn pack(&mut self, packing: &Packing, n: u32, ty: Option<Ty>, value: Expr) -> Expr {
        let tag = konst::number(u64::from(n));
        let or =
            |value: Expr| if n == 0 { value } else { Expr::bin(BinOp::Or, value, tag.clone()) };
        match packing.members.get(n as usize) {
            Some(&Packed::Number { bytes, shift }) => {
                let float = ty.map(class) == Some(Class::Float);
                let own = match (float, bytes) {
                    (true, 4) => Expr::call("tx_f32_word", vec![value]),
                    (true, _) => Expr::call("tx_f64_word", vec![value]),
                    _ => Expr::cast(format!("uint{}_t", bytes * 8), value),
                };
                let wide = Expr::cast(format!("uint{}_t", packing.bytes * 8), own);
                or(match shift {
                    0 => wide,
                    shift => Expr::bin(BinOp::Shl, wide, konst::number(u64::from(shift))),
                })
            }
            _ => {
                let address = match mask(packing) {
                    0 => Expr::cast("uint64_t", Expr::cast("uintptr_t", value)),
                    mask => {
                        // No pointer of the type has these bits, except out of packed structs.
                        let site = self.site_expr();
                        Expr::call("tx_pack", vec![value, konst::number(mask), site])
                    }
                };
                or(address)
            }
        }
    }
}

/// The bits of the tag.
pub fn mask(packing: &Packing) -> u64 {
    (1 << packing.tag_bits) - 1
}
