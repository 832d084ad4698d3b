//! What stands at file level.

use crate::attr::unquoted;
use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use crate::types::{SpecCtx, Specs};
use toft_ast::{Declarator, Derived, FuncDef, Item, ItemKind, Punct, TokKind, Unit};
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};

impl Parser<'_> {
    pub fn unit(mut self) -> Unit {
        let mut items = Vec::new();
        while !self.at_eof() {
            self.items(&mut items);
            if self.at(Punct::RBrace) {
                let span = self.tok.span;
                self.error_at(codes::E0201, span, "this `}` closes nothing", "");
                self.bump();
            }
        }
        Unit { items }
    }

    /// Items up to a `}` or the end.
    fn items(&mut self, items: &mut Vec<Item>) {
        while !self.at(Punct::RBrace) && !self.at_eof() {
            let start = self.pos();
            let lo = self.tok.span;
            let result = self.nested(Self::item);
            self.innermost = toft_base::Span::NONE;
            match result {
                Ok(kind) => items.push(Item { kind, span: self.since(lo) }),
                Err(_) if self.unwinding && self.pos() > start => {}
                Err(_) => {
                    self.sync_item(start);
                    items.push(Item { kind: ItemKind::Empty, span: self.since(lo) });
                }
            }
            self.unwinding = false;
        }
    }

    /// As `sync`; a body that follows a malformed head is skipped with it.
    fn sync_item(&mut self, start: usize) {
        self.sync(start);
        if self.at(Punct::LBrace) {
            let here = self.pos();
            self.sync(here);
        }
    }

    fn item(&mut self) -> PResult<ItemKind> {
        match self.tok.kind {
            TokKind::Punct(Punct::Semi) => {
                self.bump();
                Ok(ItemKind::Empty)
            }
            TokKind::Ident if self.kw == Kw::None => self.decl_item(),
            TokKind::Ident => match self.kw {
                Kw::Extern if self.peek(1).kind == TokKind::Str => self.extern_c(),
                Kw::StaticAssert => Ok(ItemKind::StaticAssert(Box::new(self.static_assert()?))),
                Kw::Asm => {
                    self.skip_asm()?;
                    self.semi("`asm`")?;
                    Ok(ItemKind::Empty)
                }
                Kw::Extension => {
                    while self.eat_kw(Kw::Extension) {}
                    self.item()
                }
                Kw::Namespace if self.peek_name(1) && self.word_is_free(0) => self.namespace(),
                Kw::Using if self.word_is_free(0) && self.using_follows() => self.using(),
                Kw::Test if self.peek(1).kind == TokKind::Str && self.word_is_free(0) => {
                    self.test()
                }
                Kw::Let if self.let_follows() => {
                    self.bump();
                    let (pat, value) = self.let_rest()?;
                    Ok(ItemKind::Let(pat, value))
                }
                kw if kw.is_stmt() => {
                    let message = format!("`{}` stands outside any function", self.tok.sym);
                    let span = self.tok.span;
                    let diagnostic = Diagnostic::error(codes::E0206, message, span, "")
                        .help("is there one `}` too many above?");
                    Err(self.report(diagnostic))
                }
                _ => self.decl_item(),
            },
            _ => self.decl_item(),
        }
    }

    fn using_follows(&self) -> bool {
        self.peek_name(1) || self.peek_is(1, Punct::ColonColon)
    }

    fn namespace(&mut self) -> PResult<ItemKind> {
        self.bump();
        let name = self.take_ident();
        let open = self.tok.span;
        self.expect(Punct::LBrace, " after the namespace's name")?;
        self.scope.push_namespace(name.name);
        let mut items = Vec::new();
        self.items(&mut items);
        self.scope.pop_namespace();
        self.close(Punct::RBrace, open)?;
        Ok(ItemKind::Namespace(name, items))
    }

    /// `using N { … }`, or `using N;` for the rest of what is around it.
    fn using(&mut self) -> PResult<ItemKind> {
        self.bump();
        let path = self.path("a namespace")?;
        let open = self.tok.span;
        let braces = self.at(Punct::LBrace);
        if braces {
            self.bump();
        } else {
            self.semi("`using`")?;
        }
        self.scope.push_using(&path);
        let mut items = Vec::new();
        self.items(&mut items);
        self.scope.pop_using();
        if braces {
            self.close(Punct::RBrace, open)?;
        }
        Ok(ItemKind::Using(path, items))
    }

    /// `test "name" { … }`.
    fn test(&mut self) -> PResult<ItemKind> {
        self.bump();
        let name = Symbol::intern(unquoted(self.tok.sym));
        let name_span = self.tok.span;
        self.bump();
        let body = self.block()?;
        Ok(ItemKind::Test { name, name_span, body })
    }

    /// `extern "C" { … }`, `extern "C" declaration`, `extern "C include" { … }`.
    fn extern_c(&mut self) -> PResult<ItemKind> {
        let language = self.peek(1);
        self.bump();
        self.bump();
        match (unquoted(language.sym), self.tok.kind) {
            (_, TokKind::RawC) => {
                let (text, span) = (self.tok.sym, self.tok.span);
                self.bump();
                self.eat(Punct::Semi);
                Ok(ItemKind::RawC(text, span))
            }
            ("C include", _) => Err(self.expected("`{` and raw C")),
            ("C", TokKind::Punct(Punct::LBrace)) => {
                let open = self.tok.span;
                self.bump();
                let mut items = Vec::new();
                self.items(&mut items);
                self.close(Punct::RBrace, open)?;
                Ok(ItemKind::ExternC { block: true, items })
            }
            ("C", _) => {
                let lo = self.tok.span;
                let kind = self.nested(Self::item)?;
                let items = vec![Item { kind, span: self.since(lo) }];
                Ok(ItemKind::ExternC { block: false, items })
            }
            _ => {
                let message = "the only foreign language is \"C\"";
                Err(self.error_at(codes::E0201, language.span, message, ""))
            }
        }
    }

    /// A declaration or a function's definition.
    fn decl_item(&mut self) -> PResult<ItemKind> {
        let lo = self.tok.span;
        let specs = self.specs(SpecCtx::Decl)?;
        if self.missing_semi || self.at(Punct::Semi) {
            self.missing_semi = false;
            self.eat(Punct::Semi);
            return Ok(ItemKind::Decl(self.decl_of(specs, Vec::new(), lo)));
        }
        let mut declarator = self.named_declarator()?;
        if matches!(declarator.derived.first(), Some(Derived::Function(_))) {
            self.attributes_before_body(&mut declarator)?;
            if self.at(Punct::LBrace) {
                return self.function(specs, declarator);
            }
            if self.starts_decl() && !self.kw_is_asm() && !self.missing_semi_here() {
                return self.old_style(specs, declarator);
            }
        }
        Ok(ItemKind::Decl(self.decl_rest(specs, declarator, lo)?))
    }

    fn kw_is_asm(&self) -> bool {
        self.kw == Kw::Asm
    }

    /// A prototype without `;` at the end of its line.
    fn missing_semi_here(&self) -> bool {
        if !self.tok.line_start {
            return false;
        }
        // Old-style parameters end in `;` and are followed by `{`; look as far as one line of
        // parameters could go.
        let mut n = 0;
        while n < 64 {
            let tok = self.peek(n);
            if tok.is(Punct::LBrace) || tok.is(Punct::LParen) || tok.kind == TokKind::Eof {
                return true;
            }
            if tok.is(Punct::Semi) {
                let next = self.peek(n + 1);
                return !next.is(Punct::LBrace) && !self.starts_type_at(n + 1);
            }
            n += 1;
        }
        true
    }

    /// `int f() __attribute__((…)) {`: allowed though C puts them before.
    fn attributes_before_body(&mut self, declarator: &mut Declarator) -> PResult<()> {
        if self.kw == Kw::Attribute {
            self.attributes(&mut declarator.attrs)?;
        }
        Ok(())
    }

    fn function(&mut self, specs: Specs, declarator: Declarator) -> PResult<ItemKind> {
        self.declare(&declarator, NameKind::Ordinary);
        self.open_body_scope(&declarator.derived);
        let body = self.block_in_scope();
        self.scope.pop();
        let body = body?;
        let Specs { storage, spec, attrs } = specs;
        Ok(ItemKind::Func(Box::new(FuncDef { storage, spec, declarator, attrs, body })))
    }

    /// `int f(a, b) int a; char *b; { … }`.
    fn old_style(&mut self, specs: Specs, declarator: Declarator) -> PResult<ItemKind> {
        let span: Span = declarator.span;
        let diagnostic = Diagnostic::error(
            codes::E0201,
            "the parameters are declared in the old style",
            self.tok.span,
            "parameters are declared between the parentheses",
        )
        .label(span, "of this function")
        .help("write `int f(int a, char *b)`");
        let reported = self.report(diagnostic);
        self.scope.push();
        while self.starts_decl() {
            if self.decl().is_err() {
                break;
            }
        }
        self.scope.pop();
        if self.at(Punct::LBrace) {
            return self.function(specs, declarator);
        }
        Err(reported)
    }
}
