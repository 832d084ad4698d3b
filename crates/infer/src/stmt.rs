//! Statements and declarations.

use crate::convert::mk;
use crate::cx::Fx;
use crate::region::{Origin, What};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{LocalId, LocalTy};
use toft_tir::{self as tir, Expr, ExprKind, LocalInit};
use toft_ty::{Aqual, IntExpr, PtrTy, Region, RegionId, Ty, TyKind};

/// The cases seen so far of a `switch`.
pub struct Cases {
    ty: Ty,
    list: Vec<(i128, i128, Span)>,
    default: Option<Span>,
}

/// What statements need beside the function's state.
#[derive(Default)]
pub struct Flow {
    pub switches: Vec<Cases>,
}

/// The pattern of a `let`, behind labels too.
fn let_pattern(stmt: &hir::Stmt) -> Option<&hir::Pat> {
    match &stmt.kind {
        hir::StmtKind::Let(pat, _) => Some(pat),
        hir::StmtKind::Label(_, inner)
        | hir::StmtKind::Case(_, inner)
        | hir::StmtKind::Default(inner) => let_pattern(inner),
        _ => None,
    }
}

impl<'a> Fx<'a> {
    pub fn block(&mut self, block: &'a hir::Block, flow: &mut Flow) -> tir::Block {
        let outer = self.here;
        let tags = self.tags.len();
        if let Some(region) = block.region {
            self.here = region;
        }
        let stmts = self.stmts(&block.stmts, flow);
        self.here = outer;
        // What carries an integer parameter does so in its own block only.
        self.tags.truncate(tags);
        tir::Block { stmts, region: block.region, span: block.span }
    }

    pub fn stmts(&mut self, list: &'a [hir::Stmt], flow: &mut Flow) -> Vec<tir::Stmt> {
        let outer = self.here;
        let mut out = Vec::with_capacity(list.len());
        for stmt in list {
            out.push(self.stmt(stmt, flow));
            // What a pattern opens is known from here to the end, in a block of its own.
            if let Some(pat) = let_pattern(stmt)
                && let Some(block) = self.block_of(pat)
            {
                self.here = block;
            }
        }
        self.here = outer;
        out
    }

    fn boxed(&mut self, stmt: &'a hir::Stmt, flow: &mut Flow) -> Box<tir::Stmt> {
        Box::new(self.stmt(stmt, flow))
    }

    pub fn stmt(&mut self, stmt: &'a hir::Stmt, flow: &mut Flow) -> tir::Stmt {
        use hir::StmtKind as H;
        use tir::StmtKind as T;
        let span = stmt.span;
        let open = self.open.len();
        let kind = match &stmt.kind {
            H::Empty => T::Empty,
            H::Error => {
                self.poison();
                T::Empty
            }
            H::Expr(e) => {
                let value = self.effect(e);
                self.lint_unused(&value, e);
                T::Expr(value)
            }
            H::Local(id, init) => self.local(*id, init.as_ref(), span),
            H::Block(block) => T::Block(self.block(block, flow)),
            H::If(cond, yes, no) => {
                let cond = self.cond(cond);
                let yes = self.boxed(yes, flow);
                let no = no.as_ref().map(|no| self.boxed(no, flow));
                T::If(cond, yes, no)
            }
            H::While(jump, cond, body) => {
                let cond = self.cond(cond);
                self.lint_walk(&cond);
                T::While(*jump, cond, self.boxed(body, flow))
            }
            H::DoWhile(jump, body, cond) => {
                let body = self.boxed(body, flow);
                T::DoWhile(*jump, body, self.cond(cond))
            }
            H::For(all) => self.for_loop(all, flow),
            H::Switch(jump, scrutinee, body) => self.switch(*jump, scrutinee, body, flow),
            H::Case(range, body) => self.case(range, body, flow),
            H::Default(body) => {
                if let Some(cases) = flow.switches.last_mut()
                    && let Some(first) = cases.default.replace(span)
                {
                    self.report(
                        Diagnostic::error(
                            codes::E0411,
                            "a second `default` in one switch",
                            span,
                            "",
                        )
                        .label(first, "the first is here"),
                    );
                }
                T::Default(self.boxed(body, flow))
            }
            H::Match(all) => self.match_stmt(all, flow),
            H::Label(id, body) => T::Label(*id, self.boxed(body, flow)),
            H::Goto(id) => T::Goto(*id),
            H::Break(jump) => T::Break(*jump),
            H::Continue(jump) => T::Continue(*jump),
            H::Return(value) => self.return_stmt(value.as_ref(), span),
            H::Fallthru => T::Fallthru,
            H::FallthruWith(values) => self.fallthru_with(values, span),
            H::Let(pat, value) => self.let_stmt(pat, value, span),
            H::Region { region, handle, open, rest } => {
                self.region_stmt(*region, *handle, open.as_ref(), rest, flow, span)
            }
            H::Pinned { region, local, init, rest } => {
                self.pinned(*region, *local, init, rest, flow, span)
            }
            H::Try { body, jump, arms } => self.try_stmt(body, *jump, arms, flow, span),
        };
        self.all_settled(open, span);
        tir::Stmt { kind, span }
    }

    fn lint_unused(&mut self, value: &Expr, e: &'a hir::Expr) {
        let useless = match value.kind {
            ExprKind::Compare(..) => {
                Some(matches!(e.kind, hir::ExprKind::Binary(hir::BinOp::Eq, ..)))
            }
            ExprKind::Binary(..)
            | ExprKind::PtrAdd(..)
            | ExprKind::PtrDiff(..)
            | ExprKind::Neg(_) => Some(false),
            _ => None,
        };
        if let Some(equal) = useless
            && !value.ty.is_error()
        {
            let mut d = Diagnostic::warning(
                codes::W0703,
                "the value of this expression is not used",
                e.span,
                "",
            );
            if equal {
                d = d.help("write `=` if an assignment is meant");
            }
            self.report(d);
        }
    }

    /// `while (*s++)`: the step that ends the loop passes the terminator.
    fn lint_walk(&mut self, cond: &Expr) {
        let mut e = cond;
        loop {
            match &e.kind {
                ExprKind::Conv(_, inner) | ExprKind::Assign(_, inner) => e = inner,
                ExprKind::Compare(_, inner, other)
                    if crate::convert::const_int(other) == Some(0) =>
                {
                    e = inner;
                }
                _ => break,
            }
        }
        let ExprKind::Load(place) = &e.kind else { return };
        let tir::PlaceKind::Deref(pointer) = &place.kind else { return };
        let ExprKind::IncDec { post: true, .. } = pointer.kind else { return };
        let ty = self.shallow(pointer.ty);
        if ty.as_ptr().is_some_and(|ptr| ptr.zeroterm && ptr.bounds != toft_ty::Bounds::Fat) {
            self.report(
                Diagnostic::warning(
                    codes::W0402,
                    "the step that meets the terminating zero would pass it: `Array_bounds`",
                    pointer.span,
                    "a `char *` stays inside its string",
                )
                .help("step in the body (`while (*s) { …; s++; }`), or declare it `char ?`"),
            );
        }
    }

    // Declarations.

    fn local(&mut self, id: LocalId, init: Option<&'a hir::Init>, span: Span) -> tir::StmtKind {
        let decl: &'a hir::Local = &self.decls[id.0 as usize];
        let what = What::Init(Some(id));
        let ty = match &decl.ty {
            LocalTy::Known(ty) => self.open_local(*ty, id, decl.region, decl.span),
            LocalTy::Typeof(e, ty) => {
                let of = self.type_of(e);
                let mut ty = self.fill_typeof(*ty, of);
                if matches!(self.shallow(ty).kind(), TyKind::Vla(_)) {
                    self.report(
                        Diagnostic::error(
                            codes::E0900,
                            "`typeof` of an array whose length is known at run time only is not supported here yet",
                            decl.span,
                            "",
                        )
                        .help("declare the variable with its element type and its length"),
                    );
                    ty = self.t.error;
                }
                self.must_live(ty, decl.region, Origin::new(decl.span, What::Local(id)));
                ty
            }
            LocalTy::Vla(elem, len) => return self.vla(id, decl, *elem, len, init),
            LocalTy::Rows(elem, dims) => return self.rows(id, decl, *elem, dims, init),
            LocalTy::Infer => return self.auto(id, decl, init, span),
        };
        if ty.is_error() {
            self.poison();
        }
        self.set_local(id, ty);
        let unknown = matches!(ty.kind(), TyKind::Array { len: IntExpr::Unknown, .. });
        if !unknown && !self.need_complete_object(ty, decl.span) {
            self.locals[id].ty = self.t.error;
            return tir::StmtKind::Empty;
        }
        let value = match init {
            None => {
                if unknown && self.sess.has_errors() {
                    self.poison();
                    self.locals[id].ty = self.t.error;
                } else if unknown {
                    self.error(
                        codes::E0308,
                        decl.span,
                        "an array whose length is not given needs an initialiser",
                    );
                    self.locals[id].ty = self.t.error;
                }
                LocalInit::None
            }
            Some(init) => {
                self.want = decl.quals.refine;
                let open = self.open.len();
                let value = self.init(init, ty, what, span);
                let value = self.settle(open, value);
                self.want = None;
                if unknown {
                    self.locals[id].ty = value.ty;
                }
                LocalInit::Value(value)
            }
        };
        tir::StmtKind::Local(id, value)
    }

    /// Gives a variable its type, and remembers what carries integer parameters.
    pub fn set_local(&mut self, id: LocalId, ty: Ty) {
        self.locals[id].ty = ty;
        if let TyKind::Tag(int) = *ty.kind()
            && !matches!(int, IntExpr::Const(_))
        {
            self.tags.push((int, id));
        }
    }

    fn vla(
        &mut self,
        id: LocalId,
        decl: &'a hir::Local,
        elem: Ty,
        len: &'a hir::Expr,
        init: Option<&'a hir::Init>,
    ) -> tir::StmtKind {
        let elem = self.open_local(elem, id, decl.region, decl.span);
        let Some(count) = self.length(len) else { return tir::StmtKind::Empty };
        self.vla_elements(decl, elem, init);
        self.set_local(id, Ty::new(TyKind::Vla(elem)));
        tir::StmtKind::Local(id, LocalInit::Vla(count))
    }

    /// The computed length of an array.
    pub fn length(&mut self, len: &'a hir::Expr) -> Option<Expr> {
        let count = self.whole(len, None);
        let ty = self.shallow(count.ty);
        if !ty.is_integer() {
            if !ty.is_error() {
                let text = self.show(ty);
                self.error(
                    codes::E0308,
                    count.span,
                    format!("the length of an array must be an integer, not {text}"),
                );
            }
            return None;
        }
        Some(count)
    }

    /// What the elements of an array of computed length must be like.
    pub fn vla_elements(&mut self, decl: &'a hir::Local, elem: Ty, init: Option<&'a hir::Init>) {
        if init.is_some() {
            self.error(codes::E0408, decl.span, "a variable-length array takes no initialiser");
        }
        if !self.zeroable(elem) && !elem.is_error() {
            let text = self.show(elem);
            self.error(
                codes::E0701,
                decl.span,
                format!("the elements of type {text} would have no value"),
            );
        }
        self.need_complete(elem, decl.span);
    }

    fn auto(
        &mut self,
        id: LocalId,
        decl: &'a hir::Local,
        init: Option<&'a hir::Init>,
        span: Span,
    ) -> tir::StmtKind {
        let Some(hir::Init::Expr(e)) = init else {
            self.error(
                codes::E0408,
                decl.span,
                "the type of this variable cannot be told without a value",
            );
            return tir::StmtKind::Local(id, LocalInit::None);
        };
        let value = self.whole(e, None);
        if value.ty.is_void() {
            self.error(codes::E0409, value.span, "this expression has no value");
            return tir::StmtKind::Local(id, LocalInit::None);
        }
        let ty = self.fresh_ty(span, toft_base::Symbol::intern("auto"), None);
        let value = self.coerce(value, ty, What::Init(Some(id)));
        let ty = self.shallow(ty);
        let ty = if value.ty.is_error() { self.t.error } else { ty };
        self.must_live(ty, decl.region, Origin::new(decl.span, What::Local(id)));
        if value.ty.is_error()
            && let Some(TyKind::Infer(n)) = Some(*ty.kind())
        {
            self.vars.tys[n as usize].value = Some(self.t.error);
        }
        self.set_local(id, ty);
        tir::StmtKind::Local(id, LocalInit::Value(value))
    }

    // Control.

    fn for_loop(&mut self, all: &'a hir::For, flow: &mut Flow) -> tir::StmtKind {
        let outer = self.here;
        if let Some(region) = all.region {
            self.here = region;
        }
        let init = self.stmts(&all.init, flow);
        let cond = all.cond.as_ref().map(|cond| self.cond(cond));
        let step = all.step.as_ref().map(|step| self.effect(step));
        let body = self.stmt(&all.body, flow);
        self.here = outer;
        tir::StmtKind::For(Box::new(tir::For {
            jump: all.jump,
            region: all.region,
            init,
            cond,
            step,
            body,
        }))
    }

    fn switch(
        &mut self,
        jump: hir::JumpId,
        scrutinee: &'a hir::Expr,
        body: &'a hir::Stmt,
        flow: &mut Flow,
    ) -> tir::StmtKind {
        let open = self.open.len();
        let value = self.operand(scrutinee);
        let value = self.settle(open, value);
        let mut ty = self.shallow(value.ty);
        if !ty.is_integer() {
            if !ty.is_error() && !self.refuse_opaque(ty, value.span, "switched on") {
                let text = self.show(ty);
                let mut d = Diagnostic::error(
                    codes::E0402,
                    format!("a switch over {text} needs patterns"),
                    value.span,
                    "",
                );
                d = d.help("write cases as patterns: `case &A(x):`, `case NULL:`");
                self.report(d);
            }
            ty = self.t.error;
        }
        flow.switches.push(Cases { ty, list: Vec::new(), default: None });
        let body = self.boxed(body, flow);
        if let Some(cases) = flow.switches.pop() {
            self.overlaps(cases);
        }
        tir::StmtKind::Switch(jump, value, body)
    }

    fn case(
        &mut self,
        range: &'a hir::CaseRange,
        body: &'a hir::Stmt,
        flow: &mut Flow,
    ) -> tir::StmtKind {
        let lo = self.const_expr(&range.lo);
        let hi = match &range.hi {
            Some(hi) => self.const_expr(hi),
            None => lo,
        };
        let mut ends = (0, 0);
        if let (Some(lo), Some(hi), Some(cases)) = (lo, hi, flow.switches.last_mut()) {
            let fit = self.int_ty(cases.ty);
            ends = match fit {
                Some(int) => (int.wrap(lo), int.wrap(hi)),
                None => (lo, hi),
            };
            if let Some(int) = fit
                && range.hi.is_none()
                && int.wrap(lo) != lo
            {
                let text = self.show(cases.ty);
                self.warn(
                    codes::W0401,
                    range.span,
                    format!("the case {lo} becomes {} in a switch over {text}", int.wrap(lo)),
                );
            }
            if ends.0 > ends.1 {
                self.warn(codes::W0402, range.span, "an empty range of cases");
                // Nothing matches an empty range; it is kept out of the switch.
                let body = self.boxed(body, flow);
                return body.kind;
            }
            cases.list.push((ends.0, ends.1, range.span));
        }
        tir::StmtKind::Case(ends.0, ends.1, self.boxed(body, flow))
    }

    fn overlaps(&mut self, mut cases: Cases) {
        cases.list.sort_unstable();
        let mut reach: Option<(i128, Span)> = None;
        for &(lo, hi, span) in &cases.list {
            if let Some((end, first)) = reach
                && lo <= end
            {
                let (first, second) =
                    if first.lo <= span.lo { (first, span) } else { (span, first) };
                self.report(
                    Diagnostic::error(
                        codes::E0411,
                        format!("the value {lo} has two cases"),
                        second,
                        "",
                    )
                    .label(first, "the first is here"),
                );
            }
            if reach.is_none_or(|(end, _)| hi > end) {
                reach = Some((hi, span));
            }
        }
    }

    fn return_stmt(&mut self, value: Option<&'a hir::Expr>, span: Span) -> tir::StmtKind {
        let ret = self.ret;
        let Some(e) = value else {
            if !ret.is_void() && !ret.is_error() {
                let text = self.show(ret);
                self.error(codes::E0410, span, format!("a value of type {text} must be returned"));
            }
            return tir::StmtKind::Return(None);
        };
        if ret.is_void() {
            let value = self.expr(e, None);
            if value.ty.is_void() {
                return tir::StmtKind::Return(Some(value));
            }
            if !value.ty.is_error() {
                let at = self.func.map_or(Span::NONE, |func| func.span);
                self.report(
                    Diagnostic::error(codes::E0410, "a void function returns no value", e.span, "")
                        .label(at, "declared here to return `void`"),
                );
            }
            return tir::StmtKind::Return(None);
        }
        let open = self.open.len();
        let value = self.expr_to(e, ret, What::Return);
        tir::StmtKind::Return(Some(self.settle(open, value)))
    }

    pub fn stmt_expr(&mut self, block: &'a hir::Block, expect: Option<Ty>, span: Span) -> Expr {
        if self.func.is_none() {
            self.not_constant(span);
            return self.bad(span);
        }
        let outer = self.here;
        let tags = self.tags.len();
        if let Some(region) = block.region {
            self.here = region;
        }
        let mut flow = Flow::default();
        let (last, before) = match block.stmts.split_last() {
            Some((hir::Stmt { kind: hir::StmtKind::Expr(e), .. }, before)) => (Some(e), before),
            _ => (None, block.stmts.as_slice()),
        };
        let stmts = self.stmts(before, &mut flow);
        if let Some(block) = before.iter().filter_map(let_pattern).find_map(|p| self.block_of(p)) {
            self.here = block;
        }
        // What is lent inside the block is given back at its end.
        let value = last.map(|e| self.whole(e, expect));
        self.here = outer;
        self.tags.truncate(tags);
        let made = Box::new(tir::Block { stmts, region: block.region, span: block.span });
        let ty = value.as_ref().map_or(self.t.void, |value| value.ty);
        if let (Some(value), Some(_)) = (&value, block.region) {
            self.must_live(ty, outer, Origin::new(value.span, What::BlockValue));
        }
        match value {
            Some(value) if value.ty.is_error() => self.bad(span),
            Some(value) if ty.is_void() => {
                let mut made = made;
                let at = value.span;
                made.stmts.push(tir::Stmt { kind: tir::StmtKind::Expr(value), span: at });
                mk(ExprKind::StmtExpr { block: made, value: None }, ty, span)
            }
            value => mk(ExprKind::StmtExpr { block: made, value: value.map(Box::new) }, ty, span),
        }
    }

    // Scopes.

    fn region_stmt(
        &mut self,
        region: RegionId,
        handle: LocalId,
        open: Option<&'a hir::Expr>,
        rest: &'a [hir::Stmt],
        flow: &mut Flow,
        span: Span,
    ) -> tir::StmtKind {
        let mut of = Region::Local(region);
        let open = open.map(|key| {
            let value = self.expr(key, None);
            if let Some(found) = self.key_region(&value) {
                self.open_key(found, region, handle, span);
                of = found;
            }
            value
        });
        self.set_local(handle, Ty::new(TyKind::RegionHandle(of)));
        let outer = std::mem::replace(&mut self.here, region);
        let rest = self.stmts(rest, flow);
        self.here = outer;
        tir::StmtKind::Region { region, handle, open, rest }
    }

    /// The region that a key opens.
    fn key_region(&mut self, key: &Expr) -> Option<Region> {
        let ty = self.shallow(key.ty);
        if ty.is_error() {
            self.poison();
            return None;
        }
        if let Some(ptr) = ty.as_ptr()
            && let TyKind::Adt(id, [toft_ty::GArg::Region(region)]) = *self.shallow(ptr.elem).kind()
            && Some(id) == self.prog.keys
        {
            if !matches!(key.kind, ExprKind::Load(_)) {
                self.report(
                    Diagnostic::error(
                        codes::E0401,
                        "only a key in a variable or a member can be opened",
                        key.span,
                        "",
                    )
                    .note("the key is set aside while its arena is open, and must be there afterwards")
                    .help("put it in a variable first"),
                );
                return None;
            }
            // The key must be one that only its owner frees.
            if !matches!(self.aqual(ptr.aqual), Aqual::Unique | Aqual::Counted)
                || ptr.nullable
                || ptr.bounds != crate::types::thin(1)
            {
                let text = self.show(ty);
                self.error(
                    codes::E0401,
                    key.span,
                    format!("{text} may be no key: it is not `@notnull`"),
                );
                return None;
            }
            return Some(*region);
        }
        let text = self.show(ty);
        self.report(
            Diagnostic::error(
                codes::E0401,
                format!("{text} is not the key of an arena"),
                key.span,
                "",
            )
            .help("`open` takes a `uregion_key_t<'r>` or `rregion_key_t<'r>`"),
        );
        None
    }

    /// `region` is live in the scope `scope`.
    fn open_key(&mut self, region: Region, scope: RegionId, handle: LocalId, span: Span) {
        let decl: &'a hir::Local = &self.decls[handle.0 as usize];
        // The name in `region<'r> h`, if one is written.
        if let LocalTy::Known(ty) = decl.ty
            && let TyKind::RegionHandle(named) = *ty.kind()
            && named != Region::Local(scope)
            && named != Region::Hole
        {
            self.graph.equal(named, region, Origin::new(span, What::Other));
        }
        self.dead = true;
        self.opens.push((region, scope));
    }

    fn pinned(
        &mut self,
        region: RegionId,
        local: LocalId,
        init: &'a hir::Expr,
        rest: &'a [hir::Stmt],
        flow: &mut Flow,
        span: Span,
    ) -> tir::StmtKind {
        let kind = self.regions.get(region).map(|decl| decl.kind);
        if kind == Some(toft_hir::RegionKind::Defend) {
            self.error(codes::E0900, span, "`let defend` is not supported yet");
        }
        let init = self.whole(init, None);
        let (ty, seen) = self.pinned_ty(&init, region, local);
        self.set_local(local, ty);
        let outer = std::mem::replace(&mut self.here, region);
        let at = init.span;
        let seen = seen.map(|lent| self.seen_as(lent, local, at));
        let mut rest = self.stmts(rest, flow);
        self.here = outer;
        let local = match seen {
            None => local,
            Some((kept, stmt)) => {
                rest.insert(0, stmt);
                kept
            }
        };
        tir::StmtKind::Pinned { region, local, init, rest }
    }

    /// The type of the variable of a `let alias`, and that of the pointer lent where a
    /// conversion lies between them.
    fn pinned_ty(&mut self, init: &Expr, region: RegionId, local: LocalId) -> (Ty, Option<Ty>) {
        let from = self.shallow(init.ty);
        let decl: &'a hir::Local = &self.decls[local.0 as usize];
        let Some(&ptr) = from.as_ptr().filter(|ptr| !self.aliasable(ptr.aqual)) else {
            if !from.is_error() {
                let text = self.show(from);
                self.report(
                    Diagnostic::error(
                        codes::E2009,
                        format!("only tracked pointers are borrowed, not {text}"),
                        init.span,
                        "",
                    )
                    .help("an aliasable pointer is simply copied"),
                );
            }
            return (self.t.error, None);
        };
        let lent = Ty::ptr(PtrTy { region: Region::Local(region), aqual: Aqual::Aliasable, ..ptr });
        let LocalTy::Known(written) = decl.ty else { return (lent, None) };
        let written = self.open_holes(written);
        let o = Origin::new(init.span, What::Init(Some(local)));
        let before = self.graph.constraints.len();
        if self.relate(lent, written, crate::relate::Mode::Flow, o) {
            return (written, None);
        }
        self.graph.constraints.truncate(before);
        (written, Some(lent))
    }

    /// `local` as a conversion of the pointer that is lent, kept in a variable of its own.
    fn seen_as(&mut self, lent: Ty, local: LocalId, span: Span) -> (LocalId, tir::Stmt) {
        let kept = self.hidden(lent, span);
        let place = tir::Place {
            kind: tir::PlaceKind::Local(kept),
            ty: lent,
            quals: toft_ty::TyQuals::default(),
            span,
        };
        let load = mk(ExprKind::Load(Box::new(place)), lent, span);
        let ty = self.locals[local].ty;
        let value = self.coerce(load, ty, What::Init(Some(local)));
        if value.ty.is_error() {
            self.locals[local].ty = self.t.error;
        }
        (kept, tir::Stmt { kind: tir::StmtKind::Local(local, LocalInit::Value(value)), span })
    }
}
