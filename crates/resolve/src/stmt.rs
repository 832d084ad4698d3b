//! Statements: blocks and their regions, variables, labels, jumps.

use crate::consteval::Const;
use crate::cx::{BlockCx, Jump, JumpKind, Resolver};
use crate::generics::{Target, TyVarEntry};
use crate::scope::Name;
use crate::types::Mode;
use toft_ast as ast;
use toft_base::{Idx, Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    pub fn open_block(&mut self, span: Span) {
        self.scopes.push();
        self.push_block(None, span);
    }

    pub fn push_block(&mut self, region: Option<RegionId>, span: Span) {
        self.body.blocks.push(BlockCx { region, span, tyvars: self.tyvars.len() });
    }

    pub fn pop_block(&mut self) -> Option<RegionId> {
        let block = self.body.blocks.pop()?;
        self.tyvars.truncate(block.tyvars);
        block.region
    }

    /// Closes the innermost block; its region, if it needed one.
    pub fn close_block(&mut self) -> Option<RegionId> {
        self.scopes.pop();
        self.pop_block()
    }

    fn outer_region(&self) -> RegionId {
        let found = self.body.blocks.iter().rev().find_map(|block| block.region);
        found.unwrap_or(RegionId(0))
    }

    /// The region of the innermost block.
    pub fn block_region(&mut self) -> RegionId {
        let parent = self.outer_region();
        let Some(block) = self.body.blocks.last_mut() else { return parent };
        if let Some(region) = block.region {
            return region;
        }
        let kind = RegionKind::Block;
        let decl = RegionDecl { name: None, parent: Some(parent), kind, span: block.span };
        let id = self.body.regions.push(decl);
        block.region = Some(id);
        id
    }

    pub fn new_local(
        &mut self,
        name: Option<Symbol>,
        ty: LocalTy,
        quals: TyQuals,
        span: Span,
    ) -> LocalId {
        let region = self.block_region();
        let maybe_unused = name.is_none_or(|name| name.as_str().starts_with('_'));
        self.body.used.push(false);
        self.body.declared.push(false);
        self.body.locals.push(Local {
            name,
            ty,
            quals,
            span,
            region,
            align: None,
            is_varargs: false,
            maybe_unused,
        })
    }

    #[inline]
    pub fn mark_used(&mut self, id: LocalId) {
        self.body.used[id.index()] = true;
    }

    /// Binds a variable of the innermost scope; a second one of its name is an error.
    pub fn bind_local(&mut self, ident: ast::Ident, id: LocalId) {
        let old = self.scopes.name_here(ident.name);
        if !matches!(old, Name::None | Name::Poison) {
            self.redefined(ident.name, ident.span, self.name_span(old));
            // One message is enough: the first is not called unused too.
            if let Name::Local(old) = old {
                self.mark_used(old);
            }
        }
        self.scopes.bind(ident.name, Name::Local(id));
    }

    pub fn block(&mut self, block: &'a ast::Block) -> Block {
        self.open_block(block.span);
        let stmts = self.stmts(&block.stmts);
        let region = self.close_block();
        Block { stmts, region, span: block.span }
    }

    /// Statements in a row; a region or pinned variable takes the rest as its own.
    pub fn stmts(&mut self, list: &'a [ast::Stmt]) -> Vec<Stmt> {
        self.stmts_of(list.iter())
    }

    pub fn stmts_of(&mut self, list: impl Iterator<Item = &'a ast::Stmt>) -> Vec<Stmt> {
        let depth = self.body.blocks.len();
        let out = self.stmts_in(list);
        while self.body.blocks.len() > depth {
            self.pop_block();
        }
        out
    }

    /// As [`Resolver::stmts_of`]; blocks that a `let` began stay open.
    fn stmts_in(&mut self, mut list: impl Iterator<Item = &'a ast::Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.size_hint().0);
        while let Some(stmt) = list.next() {
            if may_open(stmt) {
                // What the pattern opens means another thing each time it is met: only what
                // is declared after it may name it in its type.
                self.block_region();
                self.push_block(None, stmt.span);
            }
            match &stmt.kind {
                ast::StmtKind::Decl(decl) => self.local_decl(decl, &mut out),
                ast::StmtKind::Region(region) => {
                    let kind = self.region_stmt(region, &mut list, stmt.span);
                    out.push(Stmt { kind, span: stmt.span });
                    return out;
                }
                ast::StmtKind::LetPinned(pinned) => {
                    let kind = self.pinned(pinned, &mut list, stmt.span);
                    out.push(Stmt { kind, span: stmt.span });
                    return out;
                }
                ast::StmtKind::Empty => {}
                _ => out.push(self.stmt(stmt)),
            }
        }
        out
    }

    /// A statement that is a body by itself: declarations in it get a scope.
    fn boxed_stmt(&mut self, stmt: &'a ast::Stmt) -> Box<Stmt> {
        if !may_open(stmt) {
            return Box::new(self.stmt(stmt));
        }
        self.open_block(stmt.span);
        let stmts = self.stmts(std::slice::from_ref(stmt));
        let region = self.close_block();
        let kind = StmtKind::Block(Block { stmts, region, span: stmt.span });
        Box::new(Stmt { kind, span: stmt.span })
    }

    pub fn stmt(&mut self, stmt: &'a ast::Stmt) -> Stmt {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Empty => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.expr(expr)),
            ast::StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            ast::StmtKind::Decl(_) | ast::StmtKind::Region(_) | ast::StmtKind::LetPinned(_) => {
                // After a label, or where C wants a statement: a list of one.
                let mut list = self.stmts(std::slice::from_ref(stmt));
                match (list.pop(), list.is_empty()) {
                    (None, _) => StmtKind::Empty,
                    (Some(one), true) => one.kind,
                    (Some(last), false) => {
                        list.push(last);
                        StmtKind::Block(Block { stmts: list, region: None, span })
                    }
                }
            }
            ast::StmtKind::If(cond, then, other) => {
                let cond = self.expr(cond);
                let then = self.boxed_stmt(then);
                StmtKind::If(cond, then, other.as_ref().map(|other| self.boxed_stmt(other)))
            }
            ast::StmtKind::While(cond, body) => {
                let cond = self.expr(cond);
                let jump = self.enter_jump(JumpKind::Loop);
                let body = self.boxed_stmt(body);
                self.leave_jump();
                StmtKind::While(jump, cond, body)
            }
            ast::StmtKind::DoWhile(body, cond) => {
                let jump = self.enter_jump(JumpKind::Loop);
                let body = self.boxed_stmt(body);
                self.leave_jump();
                StmtKind::DoWhile(jump, body, self.expr(cond))
            }
            ast::StmtKind::For(inner) => self.for_stmt(inner, span),
            ast::StmtKind::Switch(value, body) => self.switch(value, body, span),
            ast::StmtKind::Case(pat, guard, inner) => {
                self.c_case(pat, guard.as_deref(), inner, span)
            }
            ast::StmtKind::Default(inner) => self.c_default(inner, span),
            ast::StmtKind::Label(ident, attrs, inner) => {
                let id = self.define_label(*ident);
                let _ = attrs;
                StmtKind::Label(id, Box::new(self.stmt(inner)))
            }
            ast::StmtKind::Goto(ident) => StmtKind::Goto(self.label(*ident)),
            ast::StmtKind::Break => self.break_stmt(span),
            ast::StmtKind::Continue => self.continue_stmt(span),
            ast::StmtKind::Return(value) => {
                StmtKind::Return(value.as_ref().map(|value| self.expr(value)))
            }
            ast::StmtKind::Fallthru => self.fallthru(span),
            ast::StmtKind::FallthruWith(values) => {
                let values = values.iter().map(|value| self.expr(value)).collect();
                self.fallthru_with(values, span)
            }
            ast::StmtKind::Let(pat, value) => {
                let value = self.expr(value);
                let first = self.body.locals.len();
                let (pat, _) = self.pattern(pat);
                // Parts of a larger pattern may be named just to say what they are.
                if let PatKind::Var(_) = pat.kind {
                    self.body.declared[first..].fill(true);
                }
                StmtKind::Let(Box::new(pat), value)
            }
            ast::StmtKind::Try(body, cases) => self.try_stmt(body, cases, span),
            ast::StmtKind::StaticAssert(assert) => {
                self.static_assert(assert);
                StmtKind::Empty
            }
            ast::StmtKind::Error => StmtKind::Error,
        };
        Stmt { kind, span }
    }

    fn for_stmt(&mut self, inner: &'a ast::ForStmt, span: Span) -> StmtKind {
        self.open_block(span);
        let mut init = Vec::new();
        match &inner.init {
            ast::ForInit::None => {}
            ast::ForInit::Expr(expr) => {
                let expr = self.expr(expr);
                init.push(Stmt { span: expr.span, kind: StmtKind::Expr(expr) });
            }
            ast::ForInit::Decl(decl) => self.local_decl(decl, &mut init),
        }
        let cond = inner.cond.as_ref().map(|cond| self.expr(cond));
        let step = inner.step.as_ref().map(|step| self.expr(step));
        let jump = self.enter_jump(JumpKind::Loop);
        let body = self.stmt(&inner.body);
        self.leave_jump();
        let region = self.close_block();
        StmtKind::For(Box::new(For { jump, region, init, cond, step, body }))
    }

    pub fn enter_jump(&mut self, kind: JumpKind) -> JumpId {
        let id = JumpId::from_usize(self.body.broken.len());
        self.body.broken.push(false);
        self.body.jumps.push(Jump { id, kind });
        id
    }

    pub fn leave_jump(&mut self) {
        self.body.jumps.pop();
    }

    fn break_stmt(&mut self, span: Span) -> StmtKind {
        match self.body.jumps.last() {
            Some(jump) => {
                let id = jump.id;
                self.body.broken[id.index()] = true;
                StmtKind::Break(id)
            }
            None => {
                self.error(codes::E0704, "`break` outside a loop or `switch`", span, "");
                StmtKind::Error
            }
        }
    }

    fn continue_stmt(&mut self, span: Span) -> StmtKind {
        match self.body.jumps.iter().rev().find(|jump| jump.kind == JumpKind::Loop) {
            Some(jump) => StmtKind::Continue(jump.id),
            None => {
                self.error(codes::E0704, "`continue` outside a loop", span, "");
                StmtKind::Error
            }
        }
    }

    fn fallthru(&mut self, span: Span) -> StmtKind {
        match self.body.jumps.iter().rev().find(|jump| jump.kind != JumpKind::Loop) {
            // C's switch falls through by itself.
            Some(Jump { kind: JumpKind::Switch, .. }) => StmtKind::Empty,
            Some(jump) => {
                let id = jump.id;
                if let Some((owner, fell)) = self.body.fallthrus.last_mut()
                    && *owner == id
                {
                    fell.plain = Some(span);
                }
                StmtKind::Fallthru
            }
            None => {
                self.error(codes::E0704, "`fallthru` outside a `switch`", span, "");
                StmtKind::Error
            }
        }
    }

    fn fallthru_with(&mut self, values: Vec<Expr>, span: Span) -> StmtKind {
        match self.body.jumps.iter().rev().find(|jump| jump.kind != JumpKind::Loop) {
            Some(Jump { kind: JumpKind::Match, id, .. }) => {
                let id = *id;
                if let Some((owner, fell)) = self.body.fallthrus.last_mut()
                    && *owner == id
                {
                    fell.with = Some(span);
                }
                StmtKind::FallthruWith(values)
            }
            Some(_) => {
                self.error(
                    codes::E0806,
                    "`fallthru` with values in a `switch` that binds no variables",
                    span,
                    "",
                );
                StmtKind::Error
            }
            None => {
                self.error(codes::E0704, "`fallthru` outside a `switch`", span, "");
                StmtKind::Error
            }
        }
    }

    fn label(&mut self, ident: ast::Ident) -> LabelId {
        if let Some(&(id, _)) = self.body.label_map.get(&ident.name) {
            return id;
        }
        let id = self.body.labels.push(Label { name: ident.name, span: ident.span });
        self.body.label_map.insert(ident.name, (id, None));
        id
    }

    fn define_label(&mut self, ident: ast::Ident) -> LabelId {
        let id = self.label(ident);
        let old = self.body.label_map.insert(ident.name, (id, Some(ident.span)));
        if let Some((_, Some(first))) = old {
            let message = format!("label `{}` stands twice in this function", ident.name);
            let diag = Diagnostic::error(codes::E0306, message, ident.span, "again here")
                .label(first, "first here");
            let _ = self.sess.emit(diag);
        }
        self.body.labels[id].span = ident.span;
        id
    }

    /// Labels that were jumped to and never defined.
    pub fn check_labels(&mut self) {
        let mut missing: Vec<(LabelId, Symbol)> = self
            .body
            .label_map
            .iter()
            .filter(|(_, (_, span))| span.is_none())
            .map(|(&name, &(id, _))| (id, name))
            .collect();
        missing.sort_unstable_by_key(|(id, _)| *id);
        for (id, name) in missing {
            let span = self.body.labels[id].span;
            let message = format!("there is no label `{name}` in this function");
            let names = self.body.labels.iter().map(|label| label.name);
            let mut diag = Diagnostic::error(codes::E0306, message, span, "");
            if let Some(near) = crate::names::nearest_of(name, names, |_| true) {
                diag = diag.suggest(span, near.as_str(), format!("did you mean `{near}`?"));
            }
            let _ = self.sess.emit(diag);
        }
    }

    fn region_stmt(
        &mut self,
        region: &'a ast::RegionStmt,
        rest: &mut dyn Iterator<Item = &'a ast::Stmt>,
        span: Span,
    ) -> StmtKind {
        let open = region.open.as_ref().map(|open| self.expr(open));
        let parent = self.block_region();
        let kind = match (&open, region.reap) {
            (Some(_), _) => RegionKind::Open,
            (None, true) => RegionKind::Reap,
            (None, false) => RegionKind::Arena,
        };
        let name = region.region.as_ref().map(|var| var.name).unwrap_or(region.handle.name);
        let decl = RegionDecl { name: Some(name), parent: Some(parent), kind, span };
        let id = self.body.regions.push(decl);
        // An opened region has its name already; `region<'r> h = open(k)` repeats it.
        let of = match (&region.region, open.is_some()) {
            (Some(var), true) => self.region_var(var).unwrap_or(Region::Hole),
            (None, true) => Region::Hole,
            (_, false) => Region::Local(id),
        };
        let ty = LocalTy::Known(Ty::new(TyKind::RegionHandle(of)));
        let handle =
            self.new_local(Some(region.handle.name), ty, TyQuals::default(), region.handle.span);
        self.bind_local(region.handle, handle);
        // To open is a use of the handle.
        if open.is_some() {
            self.mark_used(handle);
        }
        let name = if open.is_some() { None } else { Some(name) };
        let rest = self.in_region(name, id, rest, span);
        StmtKind::Region { region: id, handle, open, rest }
    }

    /// The rest of a block, under a region of its own.
    fn in_region(
        &mut self,
        name: Option<Symbol>,
        id: RegionId,
        rest: &mut dyn Iterator<Item = &'a ast::Stmt>,
        span: Span,
    ) -> Vec<Stmt> {
        // The region itself, then the variables of the rest, which live inside it.
        self.push_block(Some(id), span);
        if let Some(name) = name {
            self.tyvars.push(TyVarEntry { name, kind: Kind::Region, target: Target::Local(id) });
        }
        self.push_block(None, span);
        let rest = self.stmts_of(rest);
        self.pop_block();
        self.pop_block();
        rest
    }

    fn pinned(
        &mut self,
        pinned: &'a ast::PinnedLet,
        rest: &mut dyn Iterator<Item = &'a ast::Stmt>,
        span: Span,
    ) -> StmtKind {
        let [declarator] = &pinned.decl.declarators[..] else {
            self.error(codes::E0206, "exactly one variable is needed here", span, "");
            return StmtKind::Error;
        };
        let init = match &declarator.init {
            Some(ast::Init::Expr(expr)) => self.expr(expr),
            _ => {
                self.error(codes::E0408, "an initial value is needed here", span, "");
                return StmtKind::Error;
            }
        };
        let parent = self.block_region();
        let kind = match pinned.kind {
            ast::PinKind::Alias => RegionKind::Alias,
            ast::PinKind::Defend => RegionKind::Defend,
        };
        let name = pinned.region.as_ref().map(|var| var.name);
        let id = self.body.regions.push(RegionDecl { name, parent: Some(parent), kind, span });
        let var = name.unwrap_or_else(|| Symbol::intern("_"));
        self.tyvars.push(TyVarEntry { name: var, kind: Kind::Region, target: Target::Local(id) });
        let (ty, quals) = self.local_ty(&pinned.decl.spec, &declarator.declarator);
        self.tyvars.pop();
        let Some(ident) = declarator.declarator.name.as_ref().and_then(|p| p.segments.last())
        else {
            return StmtKind::Error;
        };
        self.push_block(Some(id), span);
        let local = self.new_local(Some(ident.name), ty, quals, ident.span);
        self.pop_block();
        self.bind_local(*ident, local);
        let rest = self.in_region(Some(var), id, rest, span);
        StmtKind::Pinned { region: id, local, init, rest }
    }

    /// The type of a variable as written.
    fn local_ty(
        &mut self,
        spec: &'a ast::TypeSpec,
        declarator: &'a ast::Declarator,
    ) -> (LocalTy, TyQuals) {
        if let Some((ast::Derived::Array(array), rest)) = declarator.derived.split_first()
            && let Some(size) = &array.size
        {
            let value = self.expr(size);
            if self.eval(&value).is_err() && self.is_variable_size(&value) {
                let (elem, quals) = self.derive(spec, rest, Mode::Hole);
                if self.pending_typeof.take().is_some() {
                    self.unsupported("variable-length arrays of `typeof`", size.span);
                }
                return (LocalTy::Vla(elem, Box::new(value)), quals);
            }
        }
        let (ty, quals) = self.derive(spec, &declarator.derived, Mode::Hole);
        if let Some(expr) = self.pending_typeof.take() {
            return (LocalTy::Typeof(Box::new(expr), ty), quals);
        }
        match ty.kind() {
            TyKind::Infer(_) => (LocalTy::Infer, quals),
            _ => (LocalTy::Known(ty), quals),
        }
    }

    /// The type of an array of arrays with a computed length other than the first.
    fn rows_ty(
        &mut self,
        spec: &'a ast::TypeSpec,
        declarator: &'a ast::Declarator,
    ) -> Option<(LocalTy, TyQuals)> {
        let sizes: Vec<&'a ast::Expr> = declarator
            .derived
            .iter()
            .map_while(|derived| match derived {
                ast::Derived::Array(array) if array.zeroterm.is_none() => array.size.as_ref(),
                _ => None,
            })
            .collect();
        if sizes.len() < 2 {
            return None;
        }
        let constant = |size: &ast::Expr| matches!(size.kind, ast::ExprKind::Number(_));
        if sizes[1..].iter().all(|size| constant(size)) {
            return None;
        }
        let mut values: Vec<Expr> = sizes.iter().map(|size| self.expr(size)).collect();
        let varies =
            |cx: &Self, value: &Expr| cx.eval(value).is_err() && cx.is_variable_size(value);
        let last = values.iter().rposition(|value| varies(self, value)).filter(|&last| last > 0)?;
        values.truncate(last + 1);
        let (elem, quals) = self.derive(spec, &declarator.derived[last + 1..], Mode::Hole);
        if self.pending_typeof.take().is_some() {
            self.unsupported("variable-length arrays of `typeof`", sizes[0].span);
        }
        let ulong = self.common.int(IntTy::ULong);
        let dims = values.into_iter().map(|value| {
            let (ty, span) = (LocalTy::Known(ulong), value.span);
            (self.new_local(None, ty, TyQuals::default(), span), value)
        });
        let dims = dims.collect();
        Some((LocalTy::Rows(elem, dims), quals))
    }

    /// Not constant because of a variable or call, rather than because it is wrong.
    fn is_variable_size(&self, value: &Expr) -> bool {
        matches!(self.eval(value), Err(crate::consteval::Stop::NotConst(..)))
    }

    /// A declaration in a body.
    pub fn local_decl(&mut self, decl: &'a ast::Decl, out: &mut Vec<Stmt>) {
        if decl.declarators.is_empty() {
            self.lone_spec(decl);
            return;
        }
        for declarator in &decl.declarators {
            self.local_declarator(decl, declarator, out);
        }
    }

    fn local_declarator(
        &mut self,
        decl: &'a ast::Decl,
        init: &'a ast::InitDeclarator,
        out: &mut Vec<Stmt>,
    ) {
        let declarator = &init.declarator;
        let Some(ident) = declarator.name.as_ref().and_then(|path| path.segments.last()).copied()
        else {
            return;
        };
        match decl.storage.class {
            ast::StorageClass::Typedef => return self.declare_typedef(decl, declarator),
            ast::StorageClass::Extern => return self.local_extern(decl, init),
            ast::StorageClass::Static => return self.local_static(decl, init, ident),
            _ => {}
        }
        if matches!(declarator.derived.first(), Some(ast::Derived::Function(_))) {
            return self.local_extern(decl, init);
        }
        let (ty, quals) = match self.rows_ty(&decl.spec, declarator) {
            Some(found) => found,
            None => self.local_ty(&decl.spec, declarator),
        };
        if let LocalTy::Known(ty) = ty
            && ty.as_func().is_some()
        {
            return self.local_extern(decl, init);
        }
        let lists = [&decl.attrs, &declarator.attrs];
        let align = self.alignment(&decl.spec.align, &lists);
        let id = self.new_local(Some(ident.name), ty, quals, ident.span);
        // C: the name is in scope in its own initialiser.
        self.bind_local(ident, id);
        let value = init.init.as_ref().map(|init| self.init(init));
        let local = &mut self.body.locals[id];
        local.align = align;
        local.maybe_unused |= Self::has_attr(&lists, &["unused", "maybe_unused"]);
        self.body.declared[id.index()] = true;
        self.finish_local(id, value.as_ref(), decl.storage.is_constexpr, ident.span);
        out.push(Stmt { kind: StmtKind::Local(id, value), span: declarator.span.to(ident.span) });
    }

    fn finish_local(&mut self, id: LocalId, init: Option<&Init>, constexpr: bool, span: Span) {
        let local = &self.body.locals[id];
        let quals = local.quals;
        match local.ty {
            LocalTy::Known(ty) => {
                let ty = match init {
                    Some(init) => self.complete_array(ty, init),
                    None => ty,
                };
                if init.is_none()
                    && let TyKind::Array { len: IntExpr::Unknown, .. } = ty.kind()
                {
                    self.error(codes::E0305, "an array needs a size or an initialiser", span, "");
                }
                self.require_complete(ty, span);
                self.body.locals[id].ty = LocalTy::Known(ty);
                if quals.is_const || constexpr {
                    self.body.locals[id].quals.is_const = true;
                    if let Some(value) = self.scalar_const(ty, init) {
                        self.body.consts.insert(id, value);
                    } else if constexpr && let Some(init) = init {
                        self.error(
                            codes::E0307,
                            "a `constexpr` variable needs a constant value",
                            Self::init_span(init),
                            "",
                        );
                    }
                }
            }
            LocalTy::Infer if init.is_none() => {
                self.error(codes::E0408, "`auto` needs an initial value", span, "");
            }
            LocalTy::Vla(..) | LocalTy::Rows(..) if init.is_some() => {
                self.error(
                    codes::E0408,
                    "an array of variable length cannot have an initialiser",
                    span,
                    "",
                );
            }
            _ => {}
        }
    }

    /// The value of a constant scalar, if its initialiser is constant.
    pub fn scalar_const(&self, ty: Ty, init: Option<&Init>) -> Option<Const> {
        if !matches!(ty.kind(), TyKind::Int(_) | TyKind::Bool | TyKind::Float(_) | TyKind::Enum(_))
        {
            return None;
        }
        let Some(Init::Expr(expr)) = init else { return None };
        let value = self.eval(expr).ok()?;
        self.convert(value, ty, expr.span).ok()
    }

    /// Reports variables that are never mentioned.
    pub fn check_unused(&self) {
        for (id, local) in self.body.locals.iter_enumerated() {
            let n = id.index();
            if self.body.declared[n] && !self.body.used[n] && !local.maybe_unused {
                let Some(name) = local.name else { continue };
                let diag = Diagnostic::warning(
                    codes::W0702,
                    format!("variable `{name}` is never used"),
                    local.span,
                    "",
                );
                let _ = self.sess.emit(diag.help(format!("if this is meant, call it `_{name}`")));
            }
        }
    }
}

/// Whether a statement is a `let` whose pattern may open an existential.
fn may_open(stmt: &ast::Stmt) -> bool {
    match &stmt.kind {
        ast::StmtKind::Let(pat, _) => !matches!(
            pat.kind,
            ast::PatKind::Name(_) | ast::PatKind::Typed(..) | ast::PatKind::Wild
        ),
        ast::StmtKind::Label(_, _, inner)
        | ast::StmtKind::Case(_, _, inner)
        | ast::StmtKind::Default(inner) => may_open(inner),
        _ => false,
    }
}
