//! Statements and declarations in blocks.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use crate::types::{SpecCtx, Specs};
use toft_ast::{
    Attrs, Block, Decl, Declarator, Derived, ForInit, ForStmt, Ident, InitDeclarator, PinKind,
    PinnedLet, Punct, RegionStmt, Stmt, StmtKind, StorageClass, TokKind,
};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// Labels in a row that are read as one step of nesting.
const MAX_LABELS: usize = 16_384;

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub fn block(&mut self) -> PResult<Block> {
        self.scope.push();
        let block = self.block_in_scope();
        self.scope.pop();
        block
    }

    /// `{ … }` in the scope that is open.
    pub fn block_in_scope(&mut self) -> PResult<Block> {
        let open = self.tok.span;
        self.expect(Punct::LBrace, "")?;
        let outer = std::mem::replace(&mut self.innermost, open);
        let mut stmts = Vec::new();
        while !self.at(Punct::RBrace) && !self.at_eof() && !self.unwinding {
            let start = self.pos();
            let lo = self.tok.span;
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(_) if self.unwinding => break,
                Err(_) => {
                    self.sync(start);
                    stmts.push(Stmt { kind: StmtKind::Error, span: self.since(lo) });
                }
            }
        }
        self.innermost = outer;
        // Trees of large files are most of the memory that a check takes.
        stmts.shrink_to_fit();
        if !self.unwinding {
            self.close(Punct::RBrace, open)?;
        }
        Ok(Block { stmts, span: self.since(open) })
    }

    pub fn stmt(&mut self) -> PResult<Stmt> {
        let lo = self.tok.span;
        let kind = self.nested(Self::stmt_kind)?;
        Ok(Stmt { kind, span: self.since(lo) })
    }

    /// A statement's body, in a scope of its own.
    fn substatement(&mut self) -> PResult<Box<Stmt>> {
        if self.starts_decl() && self.kw != Kw::Extension {
            let span = self.tok.span;
            let message = "a declaration cannot be the body of a statement";
            self.report(
                Diagnostic::error(codes::E0206, message, span, "")
                    .help("put it between `{` and `}`"),
            );
        }
        if self.at(Punct::RBrace) {
            return Err(self.expected("a statement"));
        }
        self.scope.push();
        let stmt = self.stmt();
        self.scope.pop();
        stmt.map(Box::new)
    }

    fn stmt_kind(&mut self) -> PResult<StmtKind> {
        match self.tok.kind {
            TokKind::Punct(Punct::LBrace) => Ok(StmtKind::Block(self.block()?)),
            TokKind::Punct(Punct::Semi) => {
                self.bump();
                Ok(StmtKind::Empty)
            }
            TokKind::Ident if self.kw.is_stmt() => self.keyword_stmt(),
            TokKind::Ident if self.kw.is_reserved() => self.reserved_stmt(),
            TokKind::Ident if self.peek_is(1, Punct::Colon) => self.label(),
            TokKind::Ident => {
                if self.kw != Kw::None
                    && let Some(kind) = self.toft_stmt()?
                {
                    return Ok(kind);
                }
                self.decl_or_expr()
            }
            TokKind::Punct(Punct::LBracket) if self.peek_is(1, Punct::LBracket) => {
                self.reserved_stmt()
            }
            _ => self.decl_or_expr(),
        }
    }

    fn decl_or_expr(&mut self) -> PResult<StmtKind> {
        if self.starts_decl() {
            return Ok(StmtKind::Decl(Box::new(self.decl()?)));
        }
        let value = self.expr()?;
        self.semi("the expression")?;
        Ok(StmtKind::Expr(Box::new(value)))
    }

    /// A statement that begins with a reserved word which is no statement's own.
    fn reserved_stmt(&mut self) -> PResult<StmtKind> {
        let lo = self.tok.span;
        match self.kw {
            Kw::StaticAssert => Ok(StmtKind::StaticAssert(Box::new(self.static_assert()?))),
            Kw::Extension => {
                while self.eat_kw(Kw::Extension) {}
                self.decl_or_expr()
            }
            Kw::Asm => {
                let span = self.skip_asm()?;
                self.semi("the `asm` statement")?;
                let kind = toft_ast::ExprKind::Unsupported(toft_base::Symbol::intern("asm"));
                Ok(StmtKind::Expr(Box::new(toft_ast::Expr { kind, span })))
            }
            _ if !self.starts_decl() && (self.kw == Kw::Attribute || self.at(Punct::LBracket)) => {
                let mut attrs = Attrs::new();
                self.attributes(&mut attrs)?;
                self.semi("the attribute")?;
                let falls = attrs.iter().any(|attr| attr.name.as_str() == "fallthrough");
                Ok(if falls { StmtKind::Fallthru } else { StmtKind::Empty })
            }
            Kw::None if self.at(Punct::LBracket) => self.attributed(lo),
            _ => self.decl_or_expr(),
        }
    }

    /// `[[…]]` before a statement or a declaration.
    fn attributed(&mut self, lo: Span) -> PResult<StmtKind> {
        let mut attrs = Attrs::new();
        self.attributes(&mut attrs)?;
        if !self.starts_decl() {
            return Ok(self.stmt()?.kind);
        }
        let mut decl = self.decl()?;
        attrs.append(&mut decl.attrs);
        decl.attrs = attrs;
        decl.span = self.since(lo);
        Ok(StmtKind::Decl(Box::new(decl)))
    }

    fn label(&mut self) -> PResult<StmtKind> {
        let name = self.ident("a label")?;
        self.bump();
        let mut attrs = Attrs::new();
        if self.kw == Kw::Attribute {
            self.attributes(&mut attrs)?;
        }
        Ok(StmtKind::Label(name, attrs, self.labelled()?))
    }

    /// What a label stands before; nothing at the end of a block.
    fn labelled(&mut self) -> PResult<Box<Stmt>> {
        if self.at(Punct::RBrace) {
            let span = self.tok.span.before();
            return Ok(Box::new(Stmt { kind: StmtKind::Empty, span }));
        }
        Ok(Box::new(self.stmt()?))
    }

    fn keyword_stmt(&mut self) -> PResult<StmtKind> {
        let span = self.tok.span;
        match self.kw {
            Kw::If => self.if_stmt(),
            Kw::While => {
                self.bump();
                let cond = Box::new(self.paren_expr(" after `while`")?);
                Ok(StmtKind::While(cond, self.substatement()?))
            }
            Kw::Do => self.do_while(),
            Kw::For => {
                self.scope.push();
                let result = self.for_stmt();
                self.scope.pop();
                Ok(StmtKind::For(Box::new(result?)))
            }
            Kw::Switch => {
                self.bump();
                let subject = Box::new(self.paren_expr(" after `switch`")?);
                Ok(StmtKind::Switch(subject, self.substatement()?))
            }
            Kw::Case => self.case(),
            Kw::Default => {
                self.bump();
                self.label_colon("`default`")?;
                Ok(StmtKind::Default(self.labelled()?))
            }
            Kw::Goto => {
                self.bump();
                if self.at(Punct::Star) {
                    return Err(self.unsupported(span, "a computed `goto`"));
                }
                let label = self.ident("a label")?;
                self.semi("`goto`")?;
                Ok(StmtKind::Goto(label))
            }
            Kw::Break => {
                self.bump();
                self.semi("`break`")?;
                Ok(StmtKind::Break)
            }
            Kw::Continue => {
                self.bump();
                self.semi("`continue`")?;
                Ok(StmtKind::Continue)
            }
            Kw::Return => {
                self.bump();
                let value = if self.at(Punct::Semi) || self.at(Punct::RBrace) {
                    None
                } else if self.at(Punct::LBrace) {
                    Some(Box::new(self.assign_or_list()?))
                } else {
                    Some(Box::new(self.expr()?))
                };
                self.semi("`return`")?;
                Ok(StmtKind::Return(value))
            }
            _ => {
                let message = "this `else` belongs to no `if`";
                self.error_at(codes::E0206, span, message, "");
                self.bump();
                // What follows is sound text: parse it for its own errors.
                self.substatement()?;
                Ok(StmtKind::Error)
            }
        }
    }

    fn if_stmt(&mut self) -> PResult<StmtKind> {
        self.bump();
        let cond = Box::new(self.paren_expr(" after `if`")?);
        let then = self.substatement()?;
        let other = if self.eat_kw(Kw::Else) { Some(self.substatement()?) } else { None };
        Ok(StmtKind::If(cond, then, other))
    }

    fn do_while(&mut self) -> PResult<StmtKind> {
        let start = self.tok.span;
        self.bump();
        let body = self.substatement()?;
        if self.kw != Kw::While {
            let span = self.tok.span;
            let diagnostic = Diagnostic::error(
                codes::E0201,
                "this `do` has no `while`",
                span,
                "expected `while`",
            )
            .label(start, "the loop begins here");
            return Err(self.report(diagnostic));
        }
        self.bump();
        let cond = Box::new(self.paren_expr(" after `while`")?);
        self.semi("`do … while (…)`")?;
        Ok(StmtKind::DoWhile(body, cond))
    }

    fn for_stmt(&mut self) -> PResult<ForStmt> {
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `for`")?;
        let (init, cond, step) = match self.for_header(open) {
            Ok(header) => header,
            Err(reported) => {
                // The header's semicolons are no ends of statements.
                while self.at(Punct::Semi) && !self.peek(1).line_start {
                    self.bump();
                }
                let mut closed = self.skip_past_close(Punct::RParen);
                while !closed && self.at(Punct::Semi) && !self.peek(1).line_start {
                    self.bump();
                    closed = self.skip_past_close(Punct::RParen);
                }
                if !closed {
                    return Err(reported);
                }
                (ForInit::None, None, None)
            }
        };
        let body = *self.substatement()?;
        Ok(ForStmt { init, cond, step, body })
    }

    #[allow(clippy::type_complexity)]
    fn for_header(
        &mut self,
        open: Span,
    ) -> PResult<(ForInit, Option<toft_ast::Expr>, Option<toft_ast::Expr>)> {
        while self.eat_kw(Kw::Extension) {}
        let init = if self.eat(Punct::Semi) {
            ForInit::None
        } else if self.starts_decl() {
            ForInit::Decl(self.decl()?)
        } else {
            let first = self.expr()?;
            self.expect(Punct::Semi, " after the first part of `for`")?;
            ForInit::Expr(first)
        };
        let cond = if self.at(Punct::Semi) { None } else { Some(self.expr()?) };
        self.expect(Punct::Semi, " after the condition of `for`")?;
        let step = if self.at(Punct::RParen) { None } else { Some(self.expr()?) };
        self.close(Punct::RParen, open)?;
        Ok((init, cond, step))
    }

    /// `case p && guard:`.
    /// A row of `case` labels is one step of nesting: generated tables have long ones.
    fn case(&mut self) -> PResult<StmtKind> {
        let mut row = Vec::new();
        while self.kw == Kw::Case && row.len() < MAX_LABELS {
            let lo = self.tok.span;
            self.bump();
            let pat = Box::new(self.pattern()?);
            let guard = if self.eat(Punct::AmpAmp) { Some(Box::new(self.cond()?)) } else { None };
            self.label_colon("the pattern")?;
            row.push((lo, pat, guard));
        }
        let mut body = self.labelled()?;
        while let Some((lo, pat, guard)) = row.pop() {
            let kind = StmtKind::Case(pat, guard, body);
            if row.is_empty() {
                return Ok(kind);
            }
            body = Box::new(Stmt { kind, span: self.since(lo) });
        }
        Ok(StmtKind::Error)
    }

    /// `:` after a `case` or `default`; a `;` in its place is a common slip.
    fn label_colon(&mut self, what: &str) -> PResult<()> {
        if self.eat(Punct::Colon) {
            return Ok(());
        }
        let slip = self.at(Punct::Semi);
        let reported = self.expected(&format!("`:` after {what}"));
        if slip || self.tok.line_start {
            self.eat(Punct::Semi);
            return Ok(());
        }
        if self.skip_past_close(Punct::Colon) { Ok(()) } else { Err(reported) }
    }

    /// A statement that begins with one of Toft's words, if that is what stands here.
    fn toft_stmt(&mut self) -> PResult<Option<StmtKind>> {
        let next = self.peek(1);
        Ok(Some(match self.kw {
            Kw::Region | Kw::Reap if self.region_follows() => self.region_stmt()?,
            Kw::Let if self.let_follows() => self.let_stmt()?,
            Kw::Fallthru if self.word_is_free(0) && next.is(Punct::Semi) => {
                self.bump();
                self.bump();
                StmtKind::Fallthru
            }
            Kw::Fallthru if self.word_is_free(0) && next.is(Punct::LParen) => {
                self.bump();
                let values = self.call_args()?;
                self.semi("the `fallthru`")?;
                StmtKind::FallthruWith(values)
            }
            Kw::Try if self.word_is_free(0) && self.try_follows() => self.try_stmt()?,
            Kw::Using | Kw::Namespace if self.word_is_free(0) && self.peek_name(1) => {
                let message = format!("`{}` stands only at file level", self.tok.sym);
                let span = self.tok.span;
                return Err(self.error_at(codes::E0206, span, &message, ""));
            }
            Kw::Test if next.kind == TokKind::Str && self.word_is_free(0) => {
                let span = self.tok.span;
                let message = "a test stands only at file level";
                return Err(self.error_at(codes::E0206, span, message, ""));
            }
            _ => return Ok(None),
        }))
    }

    /// `region<'r> h` or `region h`.
    fn region_follows(&self) -> bool {
        if self.peek_is(1, Punct::Lt) {
            return self.peek(2).kind == TokKind::TyVar
                && self.scope.kind(self.tok.sym) != NameKind::Typedef
                && !self.is_foreign(self.tok.span);
        }
        self.peek_name(1)
            && (self.peek_is(2, Punct::Semi) || self.peek_is(2, Punct::Eq))
            && self.word_is_free(0)
    }

    /// `region<'r> h;`, `reap<'r> h;`, `region<'r> h = open(k);`.
    fn region_stmt(&mut self) -> PResult<StmtKind> {
        let reap = self.kw == Kw::Reap;
        self.bump();
        let region = self.opt_region()?;
        let handle = self.ident("the region handle's name")?;
        let mut open = None;
        if self.eat(Punct::Eq) {
            if self.kw != Kw::Open {
                return Err(self.expected("`open(key)`"));
            }
            self.bump();
            open = Some(self.unary()?);
        }
        self.semi("the region's declaration")?;
        self.scope.declare(handle.name, NameKind::Ordinary);
        Ok(StmtKind::Region(Box::new(RegionStmt { reap, region, handle, open })))
    }

    /// `<'r>`, if there.
    fn opt_region(&mut self) -> PResult<Option<toft_ast::TyVar>> {
        let angle = self.tok.span;
        if !self.eat(Punct::Lt) {
            return Ok(None);
        }
        let var = self.bare_tyvar()?;
        self.close_angle(angle)?;
        Ok(Some(var))
    }

    /// `let` begins a declaration by pattern.
    pub fn let_follows(&self) -> bool {
        let next = self.peek(1);
        let pattern = match next.kind {
            TokKind::Ident => !self.peek_kw(1).is_stmt(),
            TokKind::Punct(punct) => matches!(
                punct,
                Punct::Dollar
                    | Punct::Star
                    | Punct::Amp
                    | Punct::LBrace
                    | Punct::ColonColon
                    | Punct::At
            ),
            TokKind::TyVar | TokKind::Number => true,
            _ => false,
        };
        pattern && self.word_is_free(0)
    }

    fn let_stmt(&mut self) -> PResult<StmtKind> {
        let pinned = match self.peek_kw(1) {
            Kw::Alias => Some(PinKind::Alias),
            Kw::Defend => Some(PinKind::Defend),
            _ => None,
        };
        // `let alias = e;` binds a variable of that name.
        let pinned = pinned.filter(|_| !self.peek_is(2, Punct::Eq) && self.peek_kw(2) != Kw::As);
        self.bump();
        if let Some(kind) = pinned {
            self.bump();
            let region = self.opt_region()?;
            let decl = self.decl()?;
            return Ok(StmtKind::LetPinned(Box::new(PinnedLet { kind, region, decl })));
        }
        let (pat, value) = self.let_rest()?;
        Ok(StmtKind::Let(pat, value))
    }

    /// `p = e;` after `let`.
    pub fn let_rest(&mut self) -> PResult<(Box<toft_ast::Pat>, Box<toft_ast::Expr>)> {
        let pat = Box::new(self.pattern()?);
        self.expect(Punct::Eq, " after the pattern")?;
        let value = Box::new(self.assign_or_list()?);
        self.semi("`let`")?;
        Ok((pat, value))
    }

    /// `try` begins the statement: a block, or anything that no expression `try …` has.
    fn try_follows(&self) -> bool {
        matches!(self.peek(1).kind, TokKind::Ident | TokKind::Punct(Punct::LBrace))
    }

    /// `try s catch { cases }`.
    fn try_stmt(&mut self) -> PResult<StmtKind> {
        let start = self.tok.span;
        self.bump();
        let body = self.substatement()?;
        if self.kw != Kw::Catch {
            let span = self.tok.span;
            let diagnostic = Diagnostic::error(
                codes::E0201,
                "this `try` has no `catch`",
                span,
                "expected `catch`",
            )
            .label(start, "the `try` begins here");
            return Err(self.report(diagnostic));
        }
        self.bump();
        if !self.at(Punct::LBrace) {
            return Err(self.expected("`{` after `catch`"));
        }
        Ok(StmtKind::Try(body, self.substatement()?))
    }

    // ---- declarations ----

    /// A declaration with its `;`, in a block.
    pub fn decl(&mut self) -> PResult<Decl> {
        let lo = self.tok.span;
        let start = self.pos();
        let specs = self.specs(SpecCtx::Decl)?;
        if self.missing_semi || self.at(Punct::Semi) {
            self.missing_semi = false;
            self.eat(Punct::Semi);
            return Ok(self.decl_of(specs, Vec::new(), lo));
        }
        let first = self.named_declarator()?;
        if self.at(Punct::LBrace) && matches!(first.derived.first(), Some(Derived::Function(_))) {
            return Err(match self.leave_unclosed(start) {
                Some(reported) => reported,
                None => self.nested_function(&first),
            });
        }
        self.decl_rest(specs, first, lo)
    }

    pub fn decl_of(&self, specs: Specs, declarators: Vec<InitDeclarator>, lo: Span) -> Decl {
        let Specs { storage, spec, attrs } = specs;
        Decl { storage, spec, declarators, attrs, span: self.since(lo) }
    }

    /// A function's body inside a function: parsed for its errors.
    fn nested_function(&mut self, declarator: &Declarator) -> toft_diag::Reported {
        let span = declarator.span;
        let diagnostic = Diagnostic::error(
            codes::E0206,
            "a function is defined inside another function",
            span,
            "",
        )
        .help("is a `}` missing above?");
        let reported = self.report(diagnostic);
        self.open_body_scope(&declarator.derived);
        let body = self.block_in_scope();
        self.scope.pop();
        if body.is_err() {
            return reported;
        }
        // The definition is complete: nothing is left to skip.
        self.last_error = None;
        reported
    }

    /// The declarators after the specifiers, the first already parsed.
    pub fn decl_rest(&mut self, specs: Specs, first: Declarator, lo: Span) -> PResult<Decl> {
        let kind = if specs.storage.class == StorageClass::Typedef {
            NameKind::Typedef
        } else {
            NameKind::Ordinary
        };
        let mut list = Vec::with_capacity(1);
        let mut declarator = first;
        loop {
            let asm_label = self.asm_label()?;
            self.attributes(&mut declarator.attrs)?;
            // A name is in scope in its own initialiser.
            self.declare(&declarator, kind);
            let init = if self.eat(Punct::Eq) { Some(self.init()?) } else { None };
            list.push(InitDeclarator { declarator, init, asm_label });
            if !self.eat(Punct::Comma) {
                break;
            }
            let mut attrs = Attrs::new();
            self.attributes(&mut attrs)?;
            declarator = self.named_declarator()?;
            declarator.attrs.append(&mut attrs);
        }
        if self.semi("the declaration").is_err() {
            // Keep what was declared: later uses should not fail because of this.
            self.sync(self.pos());
        }
        Ok(self.decl_of(specs, list, lo))
    }

    /// `_Static_assert(e, "m");`
    pub fn static_assert(&mut self) -> PResult<toft_ast::StaticAssert> {
        let lo = self.tok.span;
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `_Static_assert`")?;
        let cond = self.cond()?;
        let message = if self.eat(Punct::Comma) { Some(self.assign()?) } else { None };
        self.close(Punct::RParen, open)?;
        self.semi("the static assertion")?;
        Ok(toft_ast::StaticAssert { cond, message, span: self.since(lo) })
    }

    /// The name of a plain `Ident` token as a node; for callers that checked it.
    pub fn take_ident(&mut self) -> Ident {
        let ident = Ident { name: self.tok.sym, span: self.tok.span };
        self.bump();
        ident
    }
}
