//! Run-time checks: one compare and a branch to a cold trap.

use crate::func::FnCx;
use crate::konst;
use crate::pending;
use crate::types::{Class, class};
use toft_cir::{BinOp as C, Expr, Stmt, StmtKind, UnOp as U, lit};
use toft_mir::{BinOp, CheckKind, Operand};
use toft_ty::{FloatTy, IntTy, TyKind, layout};

impl FnCx<'_, '_> {
    /// `if (TOFT_UNLIKELY(bad)) trap(site, …);`
    fn trap_if(&mut self, bad: Expr, trap: &str, rest: Vec<Expr>) {
        let mut args = vec![self.site_expr()];
        args.extend(rest);
        let call = Stmt::new(StmtKind::Expr(Expr::call(trap, args)), self.line);
        let cond = Expr::call("TOFT_UNLIKELY", vec![bad]);
        self.emit(StmtKind::If(cond, vec![call], Vec::new()));
    }

    pub fn check(&mut self, kind: &CheckKind) {
        match kind {
            CheckKind::NotNull(op) => {
                let (expr, ty) = self.operand(op);
                let expr = if class(ty) == Class::Fat { expr.member("base") } else { expr };
                self.trap_if(Expr::un(U::Not, expr), "toft_trap_null", Vec::new());
            }
            CheckKind::Index { index, len } => self.index_check(index, len),
            CheckKind::FatIndex { ptr, index } => self.fat_index(ptr, index),
            CheckKind::ZtIndex { ptr, index, known } | CheckKind::ZtAdd { ptr, index, known } => {
                self.zero_ended(ptr, index, *known);
            }
            CheckKind::ZtWrite { ptr, index, value, known } => {
                self.zero_write(ptr, index, value, *known);
            }
            CheckKind::FatAtLeast { ptr, need, null_ok } => self.at_least(ptr, need, *null_ok),
            CheckKind::NonZero(op) => {
                let expr = self.operand(op).0;
                let bad = Expr::bin(C::Eq, expr, Expr::atom("0"));
                self.trap_if(bad, "toft_trap_arith", vec![Expr::atom("TOFT_ARITH_DIV_ZERO")]);
            }
            CheckKind::Shift { count, bits } => {
                let count = self.operand_64(count);
                let bad = Expr::bin(C::Ge, count, konst::number(u64::from(*bits)));
                self.trap_if(bad, "toft_trap_arith", vec![Expr::atom("TOFT_ARITH_SHIFT")]);
            }
            CheckKind::FloatFits { value, to } => self.float_fits(value, *to),
            CheckKind::NoOverflow { op, left, right } => self.no_overflow(*op, left, right),
            CheckKind::Tag { place, field } => {
                let tag = self.tag_of(place);
                let bad = Expr::bin(C::Ne, tag, konst::number(u64::from(*field)));
                self.trap_if(bad, "toft_trap_match", Vec::new());
            }
            CheckKind::Count { count, elem } => {
                let span = self.span;
                let size = self.cx.size_of(*elem, span).max(1);
                let limit = ((1u64 << 46) / size).min(u64::from(u32::MAX));
                let count = self.operand_64_again(count);
                let bad = Expr::bin(C::Gt, count.clone(), konst::number(limit));
                if !self.counts_vla {
                    return self.trap_if(bad, "toft_trap_alloc", Vec::new());
                }
                let args = vec![Expr::cast("int64_t", count), konst::number(limit)];
                self.trap_if(bad, "toft_trap_bounds", args);
            }
            CheckKind::Assert { judge: true, .. } => {}
            CheckKind::Assert { cond, text, .. } => {
                let cond = self.operand(cond).0;
                let text = Expr::atom(lit::string(text.as_str().as_bytes()));
                self.trap_if(Expr::un(U::Not, cond), "toft_trap_assert", vec![text]);
            }
        }
    }

    fn operand_64_again(&mut self, op: &Operand) -> Expr {
        self.settle_operand(op);
        self.operand_64(op)
    }

    /// The operand is going to be mentioned more than once.
    fn settle_operand(&mut self, op: &Operand) {
        if let Some(place) = op.place() {
            pending::walk::place(place, &mut |local| self.settle(local));
        }
    }

    fn index_check(&mut self, index: &Operand, len: &Operand) {
        self.settle_operand(index);
        self.settle_operand(len);
        let (expr, ty) = self.operand(index);
        let wide = self.extend(expr.clone(), ty);
        let small = self.cx.int_of(ty).is_some_and(|int| int.bytes() <= 4);
        let (bad, len) = match len.as_int() {
            // Negative numbers are above 2^31 as unsigned ones.
            Some(n) if small && index.as_int().is_none() && (0..=1 << 31).contains(&n) => {
                let bad =
                    Expr::bin(C::Ge, Expr::cast("uint32_t", expr), konst::int(IntTy::UInt, n));
                (bad, konst::int(IntTy::ULong, n))
            }
            _ => {
                let len = self.operand_64(len);
                let wide = match index.as_int() {
                    Some(n) => konst::int(IntTy::ULong, n),
                    None => wide.clone(),
                };
                (Expr::bin(C::Ge, wide, len.clone()), len)
            }
        };
        let index = match index.as_int() {
            Some(n) => konst::int(IntTy::Long, n),
            None => Expr::cast("int64_t", wide),
        };
        self.trap_if(bad, "toft_trap_bounds", vec![index, len]);
    }

    /// Null is covered: its length is zero.
    fn fat_index(&mut self, ptr: &Operand, index: &Operand) {
        self.settle_operand(ptr);
        self.settle_operand(index);
        let fat = self.operand(ptr).0;
        let off = Expr::cast("uint64_t", fat.clone().member("off"));
        let (at, bad_at) = match index.as_int() {
            Some(0) => (fat.clone().member("off"), off),
            _ => {
                let index = self.operand_64(index);
                let sum = Expr::bin(C::Add, off, index);
                (sum.clone(), sum)
            }
        };
        let len = fat.clone().member("len");
        let bad = Expr::bin(C::Ge, at, len.clone());
        let args = vec![fat.member("base"), Expr::cast("int64_t", bad_at), len];
        self.trap_if(bad, "toft_trap_at", args);
    }

    fn zero_ended(&mut self, ptr: &Operand, index: &Operand, known: u64) {
        self.settle_operand(ptr);
        let (expr, ty) = self.operand(ptr);
        let size = self.elem_size(ty);
        match index.as_int() {
            Some(n) if n >= 0 && n <= i128::from(known) => return,
            // One step: look at the one element that may be the terminator.
            Some(n) if n == i128::from(known) + 1 => {
                let element = expr.index(konst::number(known));
                let bad = Expr::un(U::Not, element);
                let n = konst::int(IntTy::Long, n);
                return self.trap_if(bad, "toft_trap_bounds", vec![n.clone(), n]);
            }
            _ => {}
        }
        if !matches!(size, 1 | 2 | 4 | 8) {
            return self.unsupported("a zero-terminated pointer to elements of this size");
        }
        let index = self.operand_i64(index);
        let site = self.site_expr();
        let args = vec![expr, index, konst::number(known), site];
        let call = Expr::call(&format!("tx_zt_at_{size}"), args);
        self.emit(StmtKind::Expr(call));
    }

    fn zero_write(&mut self, ptr: &Operand, index: &Operand, value: &Operand, known: u64) {
        if value.as_int() == Some(0) {
            return;
        }
        let inside = index.as_int().is_some_and(|n| n >= 0 && n < i128::from(known));
        if inside {
            return;
        }
        self.settle_operand(ptr);
        self.settle_operand(index);
        self.settle_operand(value);
        let expr = self.operand(ptr).0;
        let at = self.operand_64(index);
        let element = expr.index(at.clone());
        let mut bad = Expr::un(U::Not, element);
        if known > 0 && index.as_int().is_none() {
            let behind = Expr::bin(C::Ge, at.clone(), konst::number(known));
            bad = Expr::bin(C::AndAnd, behind, bad);
        }
        if value.as_int().is_none() {
            let value = self.operand(value).0;
            bad = Expr::bin(C::AndAnd, bad, Expr::bin(C::Ne, value, Expr::atom("0")));
        }
        let args = vec![Expr::cast("int64_t", at.clone()), at];
        self.trap_if(bad, "toft_trap_bounds", args);
    }

    fn at_least(&mut self, ptr: &Operand, need: &Operand, null_ok: bool) {
        self.settle_operand(ptr);
        self.settle_operand(need);
        let fat = self.operand(ptr).0;
        let constant = need.as_int();
        if constant == Some(0) {
            // Only the position has to be inside.
            let place = fat.clone().member("off");
            let bad = Expr::bin(C::Gt, place.clone(), fat.clone().member("len"));
            let bad = self.unless_null(bad, &fat, null_ok);
            let args =
                vec![fat.clone().member("base"), Expr::cast("int64_t", place), fat.member("len")];
            return self.trap_if(bad, "toft_trap_at", args);
        }
        let need = self.operand_64(need);
        let has = Expr::call("toft_numelts", vec![fat.clone()]);
        let bad = Expr::bin(C::Lt, has, need.clone());
        let mut bad = self.unless_null(bad, &fat, null_ok);
        if !null_ok && constant.is_none() {
            let null = Expr::un(U::Not, fat.clone().member("base"));
            bad = Expr::bin(C::OrOr, null, bad);
        }
        let last = Expr::bin(C::Sub, need, Expr::atom("1"));
        let at = Expr::bin(C::Add, fat.clone().member("off"), last);
        let args = vec![fat.clone().member("base"), Expr::cast("int64_t", at), fat.member("len")];
        self.trap_if(bad, "toft_trap_at", args);
    }

    fn unless_null(&mut self, bad: Expr, fat: &Expr, null_ok: bool) -> Expr {
        if !null_ok {
            return bad;
        }
        let there = Expr::bin(C::Ne, fat.clone().member("base"), Expr::atom("0"));
        Expr::bin(C::AndAnd, there, bad)
    }

    /// Truncated, the value fits exactly when it lies strictly between these.
    fn float_fits(&mut self, value: &Operand, to: IntTy) {
        self.settle_operand(value);
        let (expr, ty) = self.operand(value);
        let long = matches!(ty.kind(), TyKind::Float(FloatTy::LongDouble));
        let suffix = if long { "L" } else { "" };
        let (low_op, low) = match (to.is_signed(), to.bits()) {
            (false, _) => (C::Gt, "-1.0".to_string()),
            // Not representable with one less in a double: the bound itself is.
            (true, 64) if !long => (C::Ge, "-9223372036854775808.0".to_string()),
            _ => (C::Gt, format!("{}.0", to.min() - 1)),
        };
        let high = format!("{}.0{suffix}", to.max() + 1);
        let wide = if long { "long double" } else { "double" };
        let x = Expr::cast(wide, expr);
        let above = Expr::bin(low_op, x.clone(), Expr::Atom(format!("{low}{suffix}").into()));
        let fits = Expr::bin(C::AndAnd, above, Expr::bin(C::Lt, x, Expr::Atom(high.into())));
        let bad = Expr::un(U::Not, fits);
        self.trap_if(bad, "toft_trap_arith", vec![Expr::atom("TOFT_ARITH_FLOAT")]);
    }

    fn no_overflow(&mut self, op: BinOp, left: &Operand, right: &Operand) {
        self.settle_operand(left);
        self.settle_operand(right);
        let (a, ty) = self.operand(left);
        let b = self.operand(right).0;
        let int = self.cx.int_of(ty).unwrap_or(IntTy::Long);
        let text = self.cx.cty(ty);
        let bad = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let name = match op {
                    BinOp::Add => "__builtin_add_overflow",
                    BinOp::Sub => "__builtin_sub_overflow",
                    _ => "__builtin_mul_overflow",
                };
                let result = Expr::Atom(self.temp(&text));
                let typed = |e| Expr::cast(text.clone(), e);
                Expr::call(name, vec![typed(a), typed(b), result.addr()])
            }
            BinOp::Div | BinOp::Rem if int.is_signed() => Expr::bin(
                C::AndAnd,
                Expr::bin(C::Eq, b, Expr::Minus("1".into())),
                Expr::bin(C::Eq, a, konst::int(int, int.min())),
            ),
            BinOp::Shl if int.is_signed() => {
                let wide = int.to_unsigned().name();
                let shifted = Expr::bin(C::Shl, Expr::cast(wide, a.clone()), b.clone());
                let back = Expr::bin(C::Shr, Expr::cast(text, shifted), b);
                Expr::bin(C::Ne, back, a)
            }
            _ => return,
        };
        self.trap_if(bad, "toft_trap_arith", vec![Expr::atom("TOFT_ARITH_OVERFLOW")]);
    }

    /// The block of a VLA: reused when the declaration is passed again, so that a loop does
    /// not eat up the stack.
    pub fn alloca(&mut self, local: toft_mir::LocalId, elem: toft_ty::Ty, count: &Operand) {
        let span = self.span;
        let size = self.cx.size_of(elem, span);
        let align = layout::layout_of(&self.cx.decls.tables, elem).map_or(1, |l| l.align).max(16);
        self.settle_operand(count);
        let count = self.operand_64(count);
        self.before_write(local);
        let n = self.block_of(local);
        let name = Expr::Atom(self.locals[local].clone());
        let hidden = u64::from(size == 1);
        let (bytes, room, block) = (format!("tx_n{n}"), format!("tx_c{n}"), format!("tx_b{n}"));
        let product = Expr::bin(C::Mul, count.clone(), konst::number(size));
        let sum = Expr::bin(C::Add, product, konst::number(hidden));
        self.emit(StmtKind::Assign(Expr::atom(bytes.clone()), sum));
        let site = self.site();
        self.text(format!(
            "if ({bytes} > {room} || !{block}) {{ \
             uint64_t want = {bytes} > {room} * 2 ? {bytes} : {room} * 2; \
             if (!tx_stack_has(want + {align})) want = {bytes}; \
             if (!tx_stack_has(want + {align})) toft_trap_alloc({site}); \
             {block} = (char *)TX_ALIGN((uintptr_t)__builtin_alloca(want + {align}), {align}); \
             {room} = want; }}"
        ));
        let zero = vec![Expr::atom(block.clone()), Expr::atom("0"), Expr::atom(bytes)];
        self.emit(StmtKind::Expr(Expr::call("__builtin_memset", zero)));
        let len = Expr::cast("uint32_t", count);
        self.emit(StmtKind::Assign(name, konst::fat(Expr::atom(block), len)));
    }

    fn block_of(&mut self, local: toft_mir::LocalId) -> u32 {
        use std::fmt::Write;
        if let Some(&(_, n)) = self.blocks.iter().find(|(known, _)| *known == local) {
            return n;
        }
        let n = self.blocks.len() as u32;
        self.blocks.push((local, n));
        // Frames of `try` are left by longjmp, which also takes away newer blocks.
        let volatile = if self.body.tries.is_empty() { "" } else { "volatile " };
        let _ = writeln!(
            self.decls,
            "  uint64_t tx_n{n}; {volatile}uint64_t tx_c{n} = 0; char *{volatile}tx_b{n} = 0;"
        );
        n
    }

    /// After an exception: blocks made inside the `try` are gone.
    pub fn forget_blocks(&mut self) {
        // Declarations may follow in the text, so each VLA of the body counts.
        for stmt in self.body.blocks.iter().flat_map(|block| &block.stmts) {
            if let toft_mir::StmtKind::Alloca { local, .. } = stmt.kind {
                let n = self.block_of(local);
                self.text(format!("tx_c{n} = 0; tx_b{n} = 0;"));
            }
        }
    }
}
