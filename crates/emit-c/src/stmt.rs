//! Statements.

use crate::func::FnCx;
use crate::konst;
use crate::packed::Target;
use crate::types::{Class, class};
use std::fmt::Write;
use toft_cir::{Designator, Expr, Init, Stmt as CStmt, StmtKind as C};
use toft_mir::*;
use toft_ty::{AdtKind, IntExpr, Ty, TyKind};

/// Zero-filling of larger objects is a call of memset.
const SMALL: u64 = 64;
/// Array literals with more elements become static data.
const SHORT: usize = 8;

impl FnCx<'_, '_> {
    pub fn stmt(&mut self, stmt: &Stmt) {
        self.at(stmt.span);
        self.forget_reads();
        match &stmt.kind {
            StmtKind::Nop
            | StmtKind::StorageLive(_)
            | StmtKind::StorageDead(_)
            | StmtKind::BorrowExit(_)
            | StmtKind::GiveBack { .. }
            | StmtKind::Consume(_) => {}
            StmtKind::Assign(place, rvalue) => self.assign(place, rvalue),
            StmtKind::Check(check) => self.check(&check.kind),
            StmtKind::Call(call) => self.call(call),
            // The store of the member that follows writes the tag with it.
            StmtKind::SetTag(place, _)
                if self.peek_ty(place).is_some_and(|ty| self.cx.packing_of(ty).is_some()) => {}
            StmtKind::SetTag(place, tag) => {
                let to = self.tag_of(place);
                self.before_store(place);
                self.emit(C::Assign(to, konst::number(u64::from(*tag))));
            }
            StmtKind::Alloca { local, elem, count } => self.alloca(*local, *elem, count),
            StmtKind::Swap(a, b) => self.swap(a, b),
            StmtKind::TryPush(_) => {}
            StmtKind::TryPop(id) => {
                self.text(format!("TOFT_END_TRY(&tx_h{});", id.0));
            }
            StmtKind::Catch(id, local) => {
                self.forget_blocks();
                let to = Expr::Atom(self.locals[*local].clone());
                let ty = self.cx.cty(self.body.locals[*local].ty);
                let from = Expr::cast(ty, Expr::atom(format!("tx_h{}", id.0)).member("exn"));
                self.emit(C::Assign(to, from));
            }
            StmtKind::RegionEnter { region, handle, open } => {
                self.region_enter(*region, *handle, open.as_ref());
            }
            StmtKind::RegionExit(region) => self.region_exit(*region),
            StmtKind::BorrowEnter { local, from, .. } => {
                self.assign(&Place::local(*local), &Rvalue::Use(Operand::Copy(from.clone())));
            }
        }
    }

    fn assign(&mut self, place: &Place, rvalue: &Rvalue) {
        let Some(ty) = self.peek_ty(place) else {
            return self.unsupported("an assignment to this place");
        };
        if ty.is_void() {
            return;
        }
        match rvalue {
            Rvalue::Aggregate(fields) => return self.aggregate(place, ty, fields),
            Rvalue::Use(op) if matches!(ty.kind(), TyKind::Array { .. }) => {
                return self.copy_array(place, ty, op);
            }
            _ => {}
        }
        if let Some(local) = place.as_local()
            && self.plan.is_deferred(local)
        {
            let expr = self.rvalue(rvalue, ty);
            return self.defer(local, expr);
        }
        let to = self.target(place);
        self.made = place.as_local();
        let expr = self.rvalue(rvalue, ty);
        if matches!(rvalue, Rvalue::Alloc { .. }) {
            self.before_memory();
        }
        self.before_store(place);
        self.put(to, expr);
    }

    fn copy_array(&mut self, place: &Place, ty: Ty, op: &Operand) {
        let span = self.span;
        let size = self.cx.size_of(ty, span);
        let (to, _) = self.place(place);
        let from = match op {
            Operand::Copy(from) | Operand::Move(from) => self.place(from).0,
            Operand::Const(c) => self.cx.constant(c, span),
        };
        self.before_store(place);
        let args = vec![
            Expr::cast("void *", to.addr()),
            Expr::cast("const void *", from.addr()),
            konst::number(size),
        ];
        self.emit(C::Expr(Expr::call("__builtin_memmove", args)));
    }

    /// All zero.
    fn zero(&mut self, to: Expr, ty: Ty, whole: bool) {
        let span = self.span;
        let size = self.cx.size_of(ty, span);
        match class(ty) {
            Class::Int | Class::Float | Class::Pointer => {
                self.emit(C::Assign(to, Expr::atom("0")));
            }
            Class::Fat => self.emit(C::Assign(to, konst::fat_null())),
            Class::Other if size <= SMALL && !matches!(ty.kind(), TyKind::Array { .. }) => {
                let text = self.cx.cty(ty);
                self.emit(C::Assign(to, Expr::Compound(text, Vec::new())));
            }
            Class::Other => {
                // With the hidden terminator of a whole array of bytes.
                let hidden = whole && crate::types::hidden_zero(self.cx, ty).is_some();
                let size = size + u64::from(hidden);
                if size == 0 {
                    return;
                }
                let args =
                    vec![Expr::cast("void *", to.addr()), Expr::atom("0"), konst::number(size)];
                self.emit(C::Expr(Expr::call("__builtin_memset", args)));
            }
        }
    }

    fn aggregate(&mut self, place: &Place, ty: Ty, fields: &[(u64, Operand)]) {
        let span = self.span;
        self.cx.define(ty, span);
        if fields.is_empty() {
            let (to, _) = self.place(place);
            self.before_store(place);
            let whole = place.as_local().is_some_and(|l| l.0 as usize >= self.body.params);
            return self.zero(to, ty, whole);
        }
        if let TyKind::Array { elem, len, .. } = *ty.kind() {
            return self.array(place, ty, elem, len, fields);
        }
        let is_array = |fx: &mut Self, n: u64| {
            let field = fx.cx.field_ty(ty, n as u32);
            matches!(field, Some((ty, _)) if matches!(ty.kind(), TyKind::Array { .. }))
        };
        let simple = fields.iter().all(|(n, _)| !is_array(self, *n)) && !self.is_union(ty);
        if !simple {
            return self.by_parts(place, ty, fields);
        }
        let mut list = Vec::with_capacity(fields.len());
        for (n, op) in fields {
            let Some((field, _)) = self.cx.field_ty(ty, *n as u32) else { continue };
            let value = self.operand_as(op, field);
            let name = self.cx.member_name(ty, *n as u32);
            list.push(Init::field(name, value));
        }
        if let TyKind::Variant(id, variant, _) = *ty.kind() {
            let tag = self.cx.tag(id, variant);
            list.insert(0, Init::field("tag", Expr::Atom(tag)));
        }
        let (to, _) = self.place(place);
        self.before_store(place);
        let value = Expr::Compound(self.cx.cty(ty), list);
        self.emit(C::Assign(to, value));
    }

    fn is_union(&self, ty: Ty) -> bool {
        match *ty.kind() {
            TyKind::Adt(id, _) => {
                matches!(self.cx.adt(id).kind, AdtKind::Union | AdtKind::TaggedUnion)
            }
            _ => false,
        }
    }

    /// Through a variable of our own: the operands may read the place itself.
    fn by_parts(&mut self, place: &Place, ty: Ty, fields: &[(u64, Operand)]) {
        let text = self.cx.cty(ty);
        let temp = Expr::Atom(self.temp(&text));
        let clear =
            vec![temp.clone().addr(), Expr::atom("0"), Expr::call("sizeof", vec![temp.clone()])];
        self.emit(C::Expr(Expr::call("__builtin_memset", clear)));
        for (n, op) in fields {
            let Some((field, _)) = self.cx.field_ty(ty, *n as u32) else { continue };
            let to = self.cx.member(temp.clone(), ty, *n as u32);
            self.part(to, field, op);
        }
        if let (TyKind::Adt(id, _), Some((n, _))) = (ty.kind(), fields.first())
            && self.cx.adt(*id).kind == AdtKind::TaggedUnion
        {
            self.emit(C::Assign(temp.clone().member("tag"), konst::number(*n)));
        }
        let (to, _) = self.place(place);
        self.before_store(place);
        self.emit(C::Assign(to, temp));
    }

    fn part(&mut self, to: Expr, ty: Ty, op: &Operand) {
        let span = self.span;
        if matches!(ty.kind(), TyKind::Array { .. }) {
            let from = self.operand(op).0;
            let size = self.cx.size_of(ty, span);
            let args = vec![
                Expr::cast("void *", to.addr()),
                Expr::cast("const void *", from.addr()),
                konst::number(size),
            ];
            self.emit(C::Expr(Expr::call("__builtin_memmove", args)));
        } else {
            let value = self.operand_as(op, ty);
            self.emit(C::Assign(to, value));
        }
    }

    fn array(&mut self, place: &Place, ty: Ty, elem: Ty, len: IntExpr, fields: &[(u64, Operand)]) {
        let IntExpr::Const(len) = len else {
            return self.unsupported("an array of unknown length here");
        };
        let constant = fields.iter().all(|(_, op)| matches!(op, Operand::Const(_)));
        if constant && fields.len() > SHORT {
            return self.static_array(place, ty, elem, fields);
        }
        let (to, _) = self.place(place);
        self.before_store(place);
        if (fields.len() as u64) < len {
            let whole = place.as_local().is_some();
            self.zero(to.clone(), ty, whole);
        }
        for (n, op) in fields {
            self.part(to.clone().index(konst::number(*n)), elem, op);
        }
    }

    /// Many constants: copied from a static array.
    fn static_array(&mut self, place: &Place, ty: Ty, elem: Ty, fields: &[(u64, Operand)]) {
        let span = self.span;
        let mut list = Vec::with_capacity(fields.len());
        let mut next = 0;
        for (n, op) in fields {
            let value = match self.operand_as(op, elem) {
                Expr::Compound(_, list) => Expr::Braces(list),
                value => value,
            };
            let at = if *n == next { Designator::Next } else { Designator::Index(*n) };
            list.push(Init { at, value });
            next = n + 1;
        }
        let text = self.cx.cty(ty);
        let n = self.cx.next_string();
        let mut printer = toft_cir::Printer::new(&[]);
        printer.expr(&Expr::Braces(list), 0);
        let _ = writeln!(self.cx.out.data, "static const {text} tx_w{n} = {};", printer.out);
        let (to, _) = self.place(place);
        self.before_store(place);
        let args = vec![
            Expr::cast("void *", to.addr()),
            Expr::atom(format!("tx_w{n}")),
            konst::number(self.cx.size_of(ty, span)),
        ];
        self.emit(C::Expr(Expr::call("__builtin_memcpy", args)));
    }

    /// Both places are found before either is written: one may lie on the way to the other.
    fn swap(&mut self, a: &Place, b: &Place) {
        let Some(ty) = self.peek_ty(a) else { return };
        let left = self.fixed_target(a);
        let right = self.fixed_target(b);
        self.before_store(a);
        self.before_store(b);
        let packed =
            matches!(left, Target::Packed { .. }) || matches!(right, Target::Packed { .. });
        let text = self.cx.cty(ty);
        if matches!(ty.kind(), TyKind::Array { .. }) {
            let temp = Expr::Atom(self.temp(&text));
            let span = self.span;
            let size = self.cx.size_of(ty, span);
            let (left, right) = (self.value_of(&left), self.value_of(&right));
            for (to, from) in [(&temp, &left), (&left, &right), (&right, &temp)] {
                let args = vec![
                    Expr::cast("void *", to.clone().addr()),
                    Expr::cast("const void *", from.clone().addr()),
                    konst::number(size),
                ];
                self.emit(C::Expr(Expr::call("__builtin_memmove", args)));
            }
            return;
        }
        // A byte of a `bool` is not read as a `bool`.
        if matches!(ty.kind(), TyKind::Bool) && !packed {
            let as_byte = |e: Expr| Expr::cast("unsigned char *", e.addr()).deref();
            let (left, right) = (as_byte(self.value_of(&left)), as_byte(self.value_of(&right)));
            let temp = Expr::Atom(self.temp("unsigned char"));
            self.emit(C::Assign(temp.clone(), left.clone()));
            self.emit(C::Assign(left, right.clone()));
            self.emit(C::Assign(right, temp));
            return;
        }
        let temp = Expr::Atom(self.temp(&text));
        let (old, new) = (self.value_of(&left), self.value_of(&right));
        self.emit(C::Assign(temp.clone(), old));
        self.put(left, new);
        self.put(right, temp);
    }

    /// A place in memory by its address, so that no store can move it.
    fn fixed_target(&mut self, place: &Place) -> Target {
        let target = self.target(place);
        if !place.is_indirect() || self.reads_volatile {
            return target;
        }
        let (Target::Plain(expr) | Target::Packed { union: expr, .. }) = &target;
        let of = match &target {
            Target::Plain(_) => self.peek_ty(place),
            Target::Packed { .. } => {
                let whole = place.proj.split_last().map_or(&[][..], |(_, before)| before);
                self.peek_ty(&Place { base: place.base, proj: whole.to_vec() })
            }
        };
        let Some(of) = of else { return target };
        let pointer = format!("{} *", self.cx.cty(of));
        let address = Expr::cast(pointer.as_str(), expr.clone().addr());
        let at = Expr::Atom(self.temp(&pointer));
        self.emit(C::Assign(at.clone(), address));
        match target {
            Target::Plain(_) => Target::Plain(at.deref()),
            Target::Packed { packing, n, ty, .. } => {
                Target::Packed { union: at.deref(), packing, n, ty }
            }
        }
    }

    /// `if (!TOFT_TRY(&h)) { …to the handler }`, with what the handler reads kept in memory.
    pub fn try_push(&mut self, id: TryId, handler: Vec<CStmt>) {
        self.flush_all();
        for local in self.escapes.of(id) {
            let name = self.locals[local].clone();
            self.text(format!("TX_ESCAPE({name});"));
        }
        let catches = if self.escapes.catches_all(id) { "TOFT_CATCH_ALL" } else { "0" };
        let cond = Expr::un(
            toft_cir::UnOp::Not,
            Expr::atom(format!("(TOFT_TRY_FOR(&tx_h{}, {catches}))", id.0)),
        );
        self.emit(C::If(cond, handler, Vec::new()));
    }
}
