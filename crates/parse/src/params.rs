//! Parameter lists and what follows them: varargs, effects, constraints, contracts.

use crate::attr::plain_name;
use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use crate::types::SpecCtx;
use toft_ast::{
    Attr, Contract, ContractKind, Derived, FuncDecl, Param, Punct, TokKind, TyVar, TypeName,
    TypeSpecKind, VarargDecl,
};
use toft_diag::codes;

impl Parser<'_> {
    /// `(int x, char *y, ...; {'r} : 'r > 's)` and what belongs to it; the current token is
    /// `(`.
    pub fn params(&mut self, ty_params: Vec<TyVar>) -> PResult<FuncDecl> {
        let open = self.tok.span;
        self.bump();
        let mut function = FuncDecl {
            ty_params,
            params: Vec::new(),
            varargs: VarargDecl::None,
            unspecified: false,
            effect: None,
            constraints: Vec::new(),
            attrs: Vec::new(),
            contracts: Vec::new(),
            span: open,
        };
        if self.eat(Punct::RParen) {
            function.unspecified = true;
            function.span = self.since(open);
            self.after_params(&mut function)?;
            return Ok(function);
        }
        if self.kw == Kw::Void && self.peek_is(1, Punct::RParen) {
            self.bump();
            self.bump();
            function.span = self.since(open);
            self.after_params(&mut function)?;
            return Ok(function);
        }
        self.scope.push();
        let result = self.params_inside(&mut function, open);
        self.scope.pop();
        result?;
        Ok(function)
    }

    fn params_inside(&mut self, function: &mut FuncDecl, open: toft_base::Span) -> PResult<()> {
        if let Err(reported) = self.param_list(function) {
            if !self.skip_past_close(Punct::RParen) {
                return Err(reported);
            }
        } else {
            self.close(Punct::RParen, open)?;
        }
        function.span = self.since(open);
        self.after_params(function)
    }

    fn param_list(&mut self, function: &mut FuncDecl) -> PResult<()> {
        loop {
            if self.at(Punct::Semi) || self.at(Punct::Colon) {
                break;
            }
            if self.at(Punct::Ellipsis) {
                function.varargs = self.varargs()?;
                break;
            }
            let param = self.param()?;
            function.params.push(param);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        function.params.shrink_to_fit();
        let only_void = match function.params.as_slice() {
            [param] => {
                matches!(param.spec.kind, TypeSpecKind::Void)
                    && param.declarator.derived.is_empty()
                    && param.declarator.name.is_none()
            }
            _ => false,
        };
        if only_void {
            function.params.clear();
        }
        if self.at(Punct::Semi) {
            // A missing `)` looks like an effect; an effect begins with a brace or a variable.
            let effect = matches!(self.peek(1).kind, TokKind::TyVar)
                || self.peek_is(1, Punct::LBrace)
                || self.peek_is(1, Punct::Colon);
            if !effect {
                return Ok(());
            }
            self.bump();
            if !self.at(Punct::Colon) {
                function.effect = Some(self.effect()?);
            }
        }
        if self.eat(Punct::Colon) {
            function.constraints = self.constraints()?;
        }
        Ok(())
    }

    /// `...`, `...T x`, `...inject T x`.
    fn varargs(&mut self) -> PResult<VarargDecl> {
        let lo = self.tok.span;
        self.bump();
        let ends =
            matches!(self.tok.kind, TokKind::Punct(Punct::RParen | Punct::Semi | Punct::Colon));
        if ends {
            return Ok(VarargDecl::C(lo));
        }
        let inject = self.kw == Kw::Inject && (self.peek_name(1) || self.starts_type_at(1));
        if inject {
            self.bump();
        }
        let param = self.param()?;
        let mut declarator = param.declarator;
        let name = declarator.name.take().and_then(|path| path.segments.last().copied());
        let ty = Box::new(TypeName { spec: param.spec, declarator, span: param.span });
        Ok(VarargDecl::Typed { ty, name, inject, span: self.since(lo) })
    }

    pub fn param(&mut self) -> PResult<Param> {
        let lo = self.tok.span;
        let specs = self.specs(SpecCtx::Param)?;
        let mut attrs = specs.attrs;
        let declarator = self.any_declarator()?;
        self.attributes(&mut attrs)?;
        self.declare(&declarator, NameKind::Ordinary);
        Ok(Param {
            spec: specs.spec,
            declarator,
            storage: specs.storage,
            attrs,
            span: self.since(lo),
        })
    }

    /// Attributes, effect and contracts after `)`.
    fn after_params(&mut self, function: &mut FuncDecl) -> PResult<()> {
        loop {
            match self.tok.kind {
                TokKind::Punct(Punct::At) if self.peek(1).kind == TokKind::Ident => {
                    self.at_clause(function)?;
                }
                TokKind::Punct(Punct::LBracket) if self.peek_is(1, Punct::LBracket) => {
                    self.attributes(&mut function.attrs)?;
                }
                TokKind::Ident if self.kw == Kw::Attribute => {
                    self.attributes(&mut function.attrs)?;
                }
                TokKind::Ident if self.kw == Kw::Consume && self.peek_is(1, Punct::LParen) => {
                    let attr = self.attribute()?;
                    function.attrs.push(attr);
                }
                TokKind::Ident if self.kw == Kw::Noreturn => {
                    let name = plain_name(toft_base::Symbol::intern("noreturn"));
                    function.attrs.push(Attr { name, args: Vec::new(), span: self.tok.span });
                    self.bump();
                }
                TokKind::Ident if self.tok.sym.as_str() == "noreturn" && self.word_is_free(0) => {
                    let attr = self.attribute()?;
                    function.attrs.push(attr);
                }
                _ => return Ok(()),
            }
        }
    }

    /// `@effect({'r})`, `@requires(e)`, `@ensures(e)`, or an attribute such as `@consume(1)`.
    fn at_clause(&mut self, function: &mut FuncDecl) -> PResult<()> {
        let lo = self.tok.span;
        self.bump();
        let word = self.kw;
        let kind = match word {
            Kw::Requires => ContractKind::Requires,
            Kw::Ensures => ContractKind::Ensures,
            Kw::Effect => {
                self.bump();
                let open = self.tok.span;
                self.expect(Punct::LParen, " after `@effect`")?;
                if function.effect.is_some() {
                    self.error_at(codes::E0204, lo, "a function has one effect", "");
                }
                function.effect = Some(self.effect()?);
                return self.close(Punct::RParen, open);
            }
            _ => {
                let attr = self.attribute()?;
                function.attrs.push(attr);
                return Ok(());
            }
        };
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " and a condition")?;
        let cond = self.paren_rest(open)?;
        function.contracts.push(Contract { kind, cond, span: self.since(lo) });
        Ok(())
    }

    /// Opens the scope of a function's body and declares its parameters in it.
    pub fn open_body_scope(&mut self, derived: &[Derived]) {
        self.scope.push();
        let Some(Derived::Function(function)) =
            derived.iter().find(|derived| matches!(derived, Derived::Function(_)))
        else {
            return;
        };
        for param in &function.params {
            self.declare(&param.declarator, NameKind::Ordinary);
        }
        if let VarargDecl::Typed { name: Some(name), .. } = &function.varargs {
            self.scope.declare(name.name, NameKind::Ordinary);
        }
    }
}
