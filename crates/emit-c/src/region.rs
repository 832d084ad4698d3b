//! Memory: where objects are made, arenas come and go, and tracked pointers are given back.

use crate::func::FnCx;
use crate::glue::Glue;
use crate::konst;
use crate::types::{Class, class};
use toft_cir::{BinOp as B, Expr, StmtKind as C};
use toft_mir::*;
use toft_ty::{Aqual, PtrTy, Ty, TyKind, layout};

/// `TOFT_Q_*` of the runtime.
const UNIQUE: i128 = 1;
const COUNTED: i128 = 2;

impl FnCx<'_, '_> {
    /// A new object: zeroed, unless all of it is stored into by the next statement.
    pub fn alloc(
        &mut self,
        elem: Ty,
        count: Option<&Operand>,
        (region, qual): (Option<&Operand>, Option<&Operand>),
    ) -> Expr {
        if let TyKind::Adt(id, _) = *elem.kind()
            && let Some((field, _)) = self.cx.adt(id).flexible()
        {
            return self.alloc_flexible(elem, field, count, (region, qual));
        }
        let span = self.span;
        self.profile_site();
        self.cx.descs.used = true;
        let desc = Expr::Atom(self.cx.desc(elem, span));
        let is_byte = self.cx.size_of(elem, span) == 1;
        let zero = konst::number(u64::from(!self.plan.is_filled(self.made)));
        let qual = qual.map(|op| self.qualifier(op));
        let known = match &qual {
            None => Some(0),
            Some((_, known)) => *known,
        };
        match (region, known, count) {
            // One byte may be used as a string: it needs the hidden zero behind it.
            (None, Some(0), None) if is_byte => {
                Expr::call("toft_new_array", vec![desc, Expr::atom("1")])
            }
            (None, Some(0), None) => Expr::call("toft_new", vec![desc]),
            (None, Some(0), Some(count)) => {
                let count = self.operand_64(count);
                Expr::call("toft_new_array", vec![desc, count])
            }
            (None, Some(UNIQUE), None) if !is_byte => {
                Expr::call("toft_unique_new", vec![desc, zero])
            }
            (None, Some(COUNTED), None) if !is_byte => {
                Expr::call("toft_counted_new", vec![desc, zero])
            }
            _ => {
                let home = match region {
                    Some(handle) => self.operand(handle).0,
                    None => Expr::atom("toft_heap_region").addr(),
                };
                let count = match count {
                    Some(count) => self.operand_64(count),
                    None => Expr::atom("1"),
                };
                let qual = qual.map_or_else(|| Expr::atom("TOFT_Q_A"), |(expr, _)| expr);
                Expr::call("toft_region_new", vec![home, desc, count, qual, zero])
            }
        }
    }

    /// An object with `count` elements behind it, in one block of words. Where a pointer is
    /// inside, each of the words may be one: the collector knows no other shape of a block.
    fn alloc_flexible(
        &mut self,
        object: Ty,
        field: u32,
        count: Option<&Operand>,
        (region, qual): (Option<&Operand>, Option<&Operand>),
    ) -> Expr {
        let span = self.span;
        let of = match self.cx.field_ty(object, field).map(|(ty, _)| *ty.kind()) {
            Some(TyKind::Vla(of)) => of,
            _ => object,
        };
        self.cx.define(object, span);
        let tables = &self.cx.decls.tables;
        let aligned = |ty| layout::layout_of(tables, ty).is_ok_and(|layout| layout.align <= 8);
        if !aligned(object) || !aligned(of) {
            self.unsupported("an array without a size whose elements are aligned to more than 8");
        }
        let plain = |ty| layout::pointer_offsets(tables, ty).is_ok_and(|list| list.is_empty());
        let word = match plain(object) && plain(of) {
            true => Ty::int(toft_ty::IntTy::ULong),
            false => Ty::ptr(PtrTy::thin(Ty::void(), toft_ty::Region::Heap)),
        };
        self.cx.descs.used = true;
        let desc = Expr::Atom(self.cx.desc(word, span));
        let (size, stride) = (self.cx.size_of(object, span), self.cx.size_of(of, span));
        let home = region.map(|handle| self.operand(handle).0);
        let qual = qual.map(|op| self.qualifier(op).0);
        let count = match count {
            Some(count) => self.operand_64(count),
            None => konst::number(0),
        };
        self.before_memory();
        let n = Expr::Atom(self.temp("uint64_t"));
        self.emit(C::Assign(n.clone(), count));
        let bytes = Expr::bin(B::Mul, n.clone(), konst::number(stride));
        let bytes = Expr::bin(B::Add, bytes, konst::number(size + 7));
        let words = Expr::bin(B::Div, bytes, konst::number(8));
        self.profile_site();
        let call = match (home, qual) {
            (None, None) => Expr::call("toft_new_array", vec![desc, words]),
            (home, qual) => {
                let home = home.unwrap_or_else(|| Expr::atom("toft_heap_region").addr());
                let qual = qual.unwrap_or_else(|| Expr::atom("TOFT_Q_A"));
                Expr::call("toft_region_new", vec![home, desc, words, qual, konst::number(1)])
            }
        };
        let block = Expr::Atom(self.temp("char *"));
        self.emit(C::Assign(block.clone(), Expr::cast("char *", call)));
        let pointer = format!("{} *", self.cx.cty(object));
        let made = Expr::cast(pointer, block.clone()).deref();
        let view = self.cx.member(made, object, field);
        let behind = Expr::bin(B::Add, block.clone(), konst::number(size));
        let len = Expr::cast("uint32_t", n);
        self.emit(C::Assign(view, konst::fat(behind, len)));
        Expr::cast("void *", block)
    }

    /// Where the allocation or the free that follows stands, for `toft profile`.
    fn profile_site(&mut self) {
        if self.cx.options.profile {
            let site = self.site();
            self.text(format!("TOFT_AT({site});"));
        }
    }

    /// What is freed from here on is not freed by the last statement.
    fn profile_done(&mut self) {
        if self.cx.options.profile {
            self.text("TOFT_AT(0);".to_owned());
        }
    }

    /// Who may point at what is made, and the number when it is known here.
    fn qualifier(&mut self, op: &Operand) -> (Expr, Option<i128>) {
        let ty = match op {
            Operand::Const(c) => Some(c.ty),
            Operand::Copy(place) | Operand::Move(place) => self.peek_ty(place),
        };
        let by_type = match ty.map(|ty| *ty.kind()) {
            Some(TyKind::AqualHandle(Aqual::Unique)) => Some(UNIQUE),
            Some(TyKind::AqualHandle(Aqual::Counted)) => Some(COUNTED),
            _ => None,
        };
        let known = op.as_int().or(by_type);
        let expr = match known {
            Some(0) => Expr::atom("TOFT_Q_A"),
            Some(UNIQUE) => Expr::atom("TOFT_Q_U"),
            Some(COUNTED) => Expr::atom("TOFT_Q_RC"),
            _ => self.operand(op).0,
        };
        (expr, known)
    }

    pub fn region_enter(&mut self, region: RegionId, handle: LocalId, open: Option<&Operand>) {
        let value = match open {
            Some(key) => {
                let key = Expr::cast("toft_key *", self.operand(key).0);
                Expr::call("toft_key_region", vec![key])
            }
            None => {
                let reap = self.body.regions[region].kind == RegionKind::Reap;
                let frame = Expr::atom(format!("tx_g{}", region.0)).addr();
                let line = format!("  toft_scope tx_g{};\n", region.0);
                // One scope is entered at several places only when it is the same variable.
                if !self.scopes.contains(&region) {
                    self.scopes.push(region);
                    self.decls.push_str(&line);
                }
                Expr::call("toft_scope_enter", vec![frame, konst::number(u64::from(reap))])
            }
        };
        self.before_memory();
        self.before_write(handle);
        let name = Expr::Atom(self.locals[handle].clone());
        self.emit(C::Assign(name, value));
    }

    pub fn region_exit(&mut self, region: RegionId) {
        if self.scopes.contains(&region) {
            // What was read from the arena is needed before it goes.
            self.before_memory();
            self.profile_site();
            self.text(format!("toft_scope_exit(&tx_g{});", region.0));
            self.profile_done();
        }
    }

    /// The calls of the runtime that the language has names for. `false`: an ordinary one.
    pub fn memory_call(&mut self, name: &str, call: &Call) -> bool {
        let glue = match name {
            "toft_counted_drop" => Some((0, Glue::HEAP_FIELDS)),
            "toft_counted_drop_full" => Some((0, Glue::ALL_HEAP)),
            "toft_region_drop" => Some((1, Glue::HEAP_FIELDS)),
            "toft_region_drop_full" => Some((1, Glue::ALL_OWN)),
            _ => None,
        };
        if let Some((at, mode)) = glue {
            self.drop_call(at, mode, call);
            return true;
        }
        match name {
            "toft_key_new" | "toft_drseq_new" | "toft_drseq_next" => self.fresh_key(name, call),
            "toft_unique_free" | "toft_region_free" | "toft_key_free" | "toft_key_drop" => {
                let args = self.pointer_args(call);
                self.statement(Expr::call(name, args));
            }
            "toft_counted_dup" | "toft_counted_count" => self.counted(name, call),
            "toft_region_size" | "toft_region_limit" => {
                let args: Vec<Expr> = call.args.iter().map(|op| self.operand_64_or(op)).collect();
                let expr = Expr::call(name, args);
                match &call.dest {
                    Some(dest) => self.store_value(dest, expr),
                    None => self.statement(expr),
                }
            }
            _ => return false,
        }
        true
    }

    fn operand_64_or(&mut self, op: &Operand) -> Expr {
        let handle = |ty: Ty| matches!(ty.kind(), TyKind::RegionHandle(_));
        let ty = match op {
            Operand::Const(c) => Some(c.ty),
            Operand::Copy(place) | Operand::Move(place) => self.peek_ty(place),
        };
        if ty.is_some_and(handle) { self.operand(op).0 } else { self.operand_64(op) }
    }

    fn statement(&mut self, expr: Expr) {
        self.profile_site();
        self.before_memory();
        self.emit(C::Expr(expr));
        self.profile_done();
    }

    fn store_value(&mut self, dest: &Place, value: Expr) {
        let to = self.target(dest);
        self.before_memory();
        self.before_store(dest);
        self.put(to, value);
    }

    /// The start of the object; handles as they are.
    fn pointer_args(&mut self, call: &Call) -> Vec<Expr> {
        call.args.iter().map(|op| self.object(op).0).collect()
    }

    fn object(&mut self, op: &Operand) -> (Expr, Ty) {
        let (expr, ty) = self.operand(op);
        let expr = match (class(ty), ty.kind()) {
            (Class::Fat, _) => expr.member("base"),
            (_, TyKind::Ptr(ptr)) if self.is_key(ptr.elem) => Expr::cast("toft_key *", expr),
            (_, TyKind::Ptr(_)) => Expr::cast("void *", expr),
            _ => expr,
        };
        (expr, ty)
    }

    pub fn is_key(&self, ty: Ty) -> bool {
        self.cx.is_key(ty)
    }

    fn drop_call(&mut self, at: usize, mode: Glue, call: &Call) {
        let Some(ty) = call.args.get(at).and_then(|op| match op {
            Operand::Copy(place) | Operand::Move(place) => self.peek_ty(place),
            Operand::Const(c) => Some(c.ty),
        }) else {
            return;
        };
        let span = self.span;
        let elem = self.elem_of(ty);
        let glue = self.cx.glue(elem, mode, span);
        let mut args = self.pointer_args(call);
        let fat = class(ty) == Class::Fat;
        if fat {
            args.push(self.operand(&call.args[at]).0.member("len"));
        }
        args.push(Expr::Atom(glue));
        let name = match (at, fat) {
            (0, false) => "toft_counted_drop",
            (0, true) => "toft_counted_drop_n",
            (_, false) => "toft_region_drop",
            (_, true) => "toft_region_drop_n",
        };
        self.statement(Expr::call(name, args));
    }

    /// Another pointer to the same object; a fat one has the same bounds.
    fn counted(&mut self, name: &str, call: &Call) {
        let Some(op) = call.args.first() else { return };
        let (object, ty) = self.object(op);
        let object = match class(ty) {
            Class::Fat => object,
            _ => Expr::cast("void *", object),
        };
        let expr = Expr::call(name, vec![object]);
        let Some(dest) = &call.dest else { return self.statement(expr) };
        if name == "toft_counted_count" {
            return self.store_value(dest, expr);
        }
        if class(ty) == Class::Fat {
            self.statement(expr);
            let value = self.operand(op).0;
            return self.store_value(dest, value);
        }
        let to = self.peek_ty(dest).unwrap_or(ty);
        let value = Expr::cast(self.cx.cty(to), expr);
        self.store_value(dest, value);
    }

    /// A key in the first field of what is made; of a sequence, with its generator beside it.
    fn fresh_key(&mut self, name: &str, call: &Call) {
        self.cx.descs.used = true;
        let Some(dest) = &call.dest else { return };
        let Some(mut ty) = self.peek_ty(dest) else { return };
        let span = self.span;
        let flags: Vec<Expr> = call.args.iter().map(|op| self.operand(op).0).collect();
        let parts = match name {
            "toft_key_new" => vec![Expr::call(name, flags)],
            _ => {
                let args = match flags.into_iter().next() {
                    Some(token) => vec![Expr::cast("toft_gen *", token)],
                    None => vec![Expr::atom("0")],
                };
                let pair = Expr::Atom(self.temp("toft_drseq"));
                self.before_memory();
                self.emit(C::Assign(pair.clone(), Expr::call(name, args)));
                vec![pair.clone().member("key"), pair.member("gen")]
            }
        };
        let (mut to, _) = self.place(dest);
        self.before_memory();
        self.before_store(dest);
        loop {
            self.cx.define(ty, span);
            let Some((field, _)) = self.cx.field_ty(ty, 0) else {
                return self.unsupported("a key in a value of this type");
            };
            if class(field) == Class::Pointer {
                break;
            }
            (to, ty) = (self.cx.member(to, ty, 0), field);
        }
        for (n, value) in parts.into_iter().enumerate() {
            let Some((field, _)) = self.cx.field_ty(ty, n as u32) else { continue };
            let value = Expr::cast(self.cx.cty(field), value);
            let at = self.cx.member(to.clone(), ty, n as u32);
            self.emit(C::Assign(at, value));
        }
    }
}

impl crate::cx::Cx<'_> {
    /// A key of a dynamic arena.
    pub fn is_key(&self, ty: Ty) -> bool {
        match *ty.kind() {
            TyKind::Adt(id, _) => self.adt(id).name.as_str() == "DynamicRegion",
            _ => false,
        }
    }
}
