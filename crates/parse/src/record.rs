//! Structs, unions, enumerations and datatypes.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use crate::types::SpecCtx;
use toft_ast::{
    Attrs, Constraint, DatatypeBody, DatatypeSpec, EnumSpec, Enumerator, Field, Path, Punct,
    RecordBody, RecordKind, RecordSpec, Storage, TyVar, TypeArg, TypeSpec, TypeSpecKind, Variant,
};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

impl Parser<'_> {
    /// `struct …` or `union …`.
    pub fn record(&mut self) -> PResult<TypeSpecKind> {
        let kind = if self.kw == Kw::Struct { RecordKind::Struct } else { RecordKind::Union };
        self.record_of(kind, self.tok.span)
    }

    /// `@tagged union …`, `@packed @tagged union …`; the current token is `@`.
    pub fn tagged_union(&mut self) -> PResult<TypeSpecKind> {
        let lo = self.tok.span;
        let (mut tagged, mut packed) = (false, false);
        while self.at(Punct::At) {
            match self.peek_kw(1) {
                Kw::Tagged => tagged = true,
                Kw::Packed => packed = true,
                _ => break,
            }
            self.bump();
            self.bump();
        }
        if self.kw != Kw::Union {
            return Err(self.expected("`union` after `@tagged`"));
        }
        if !tagged {
            let message = "`@packed` goes with `@tagged`";
            self.error_at(codes::E0204, lo, message, "write `@packed @tagged union`");
        }
        self.record_of(if packed { RecordKind::PackedUnion } else { RecordKind::TaggedUnion }, lo)
    }

    fn record_of(&mut self, kind: RecordKind, lo: Span) -> PResult<TypeSpecKind> {
        let no_body = std::mem::take(&mut self.no_body);
        self.bump();
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.opt_tag()?;
        if let Some(name) = tag.as_ref().and_then(|tag| tag.segments.last()) {
            self.scope.saw_tag(name.name);
        }
        let mut constraints = Vec::new();
        let args = self.params_or_args(&mut constraints)?;
        self.attributes(&mut attrs)?;
        let mut spec = RecordSpec { kind, tag, args, body: None, attrs, span: lo };
        if self.at(Punct::LBrace) && !no_body {
            let params = self.args_as_params(&mut spec.args);
            spec.body = Some(self.record_body(params, constraints)?);
            self.attributes(&mut spec.attrs)?;
            self.check_semi(if kind == RecordKind::Struct { "a struct" } else { "a union" });
        } else if spec.tag.is_none() {
            return Err(self.expected("a name or `{`"));
        }
        spec.span = self.since(lo);
        Ok(TypeSpecKind::Record(Box::new(spec)))
    }

    fn opt_tag(&mut self) -> PResult<Option<Path>> {
        if self.at_name() || self.at(Punct::ColonColon) {
            return Ok(Some(self.path("a name")?));
        }
        Ok(None)
    }

    /// `<…>` after a tag, whether it binds or uses.
    fn params_or_args(&mut self, constraints: &mut Vec<Constraint>) -> PResult<Vec<TypeArg>> {
        if !self.at(Punct::Lt) {
            return Ok(Vec::new());
        }
        let open = self.tok.span;
        self.bump();
        let mut args = Vec::new();
        while !self.at(Punct::Gt) && !self.at(Punct::Colon) {
            // One at a time, to find constraints after the last.
            args.push(self.nested(Self::type_arg)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if self.eat(Punct::Colon) {
            constraints.extend(self.constraints()?);
        }
        self.close_angle(open)?;
        Ok(args)
    }

    /// In a definition the arguments bind variables.
    fn args_as_params(&mut self, args: &mut Vec<TypeArg>) -> Vec<TyVar> {
        let mut params = Vec::new();
        for arg in std::mem::take(args) {
            let (found, span) = match arg {
                TypeArg::Type(name) => match name.spec.kind {
                    TypeSpecKind::Var(var) if name.declarator.derived.is_empty() => {
                        (Some(var), name.span)
                    }
                    _ => (None, name.span),
                },
                TypeArg::Int(expr) => (None, expr.span),
                TypeArg::Effect(effect) => (None, effect.span),
                TypeArg::Aqual(_) => (None, self.tok.span),
            };
            match found {
                Some(var) => params.push(var),
                None => {
                    let message = "a definition's parameters are type variables";
                    self.error_at(codes::E0204, span, message, "expected a variable such as `'a`");
                }
            }
        }
        params
    }

    fn record_body(
        &mut self,
        params: Vec<TyVar>,
        mut constraints: Vec<Constraint>,
    ) -> PResult<RecordBody> {
        let open = self.tok.span;
        self.bump();
        let mut exists = Vec::new();
        if self.at(Punct::Lt) {
            exists = self.tyvar_list(&mut constraints)?;
            if self.eat(Punct::Colon) {
                constraints.extend(self.constraints()?);
            }
        }
        let outer = std::mem::replace(&mut self.innermost, open);
        let mut fields = Vec::new();
        while !self.at(Punct::RBrace) && !self.at_eof() {
            let start = self.pos();
            if self.eat(Punct::Semi) {
                continue;
            }
            if let Err(reported) = self.nested(|parser| parser.member(&mut fields)) {
                if self.unwinding {
                    return Err(reported);
                }
                self.sync(start);
            }
        }
        fields.shrink_to_fit();
        self.innermost = outer;
        self.close(Punct::RBrace, open)?;
        self.missing_semi = false;
        Ok(RecordBody { params, exists, constraints, fields, span: self.since(open) })
    }

    /// One member declaration, which may give several fields.
    fn member(&mut self, fields: &mut Vec<Field>) -> PResult<()> {
        let lo = self.tok.span;
        let start = self.pos();
        while self.eat_kw(Kw::Extension) {}
        if self.kw == Kw::StaticAssert {
            let assert = self.static_assert()?;
            let spec = TypeSpec {
                kind: TypeSpecKind::Void,
                quals: Default::default(),
                align: Vec::new(),
                span: assert.span,
            };
            fields.push(Field {
                spec,
                declarator: None,
                bits: None,
                attrs: Vec::new(),
                span: assert.span,
                assert: Some(Box::new(assert)),
            });
            return Ok(());
        }
        let specs = self.specs(SpecCtx::Type)?;
        let missing_semi = std::mem::take(&mut self.missing_semi);
        if self.at(Punct::Semi) || missing_semi {
            self.eat(Punct::Semi);
            fields.push(Field {
                spec: specs.spec,
                declarator: None,
                bits: None,
                attrs: specs.attrs,
                span: self.since(lo),
                assert: None,
            });
            return Ok(());
        }
        let mut specs = Some((specs.spec, specs.attrs));
        loop {
            let mut attrs = Vec::new();
            self.attributes(&mut attrs)?;
            let declarator =
                if self.at(Punct::Colon) { None } else { Some(self.named_declarator()?) };
            if self.at(Punct::LBrace)
                && let Some(reported) = self.leave_unclosed(start)
            {
                return Err(reported);
            }
            let bits = if self.eat(Punct::Colon) { Some(self.cond()?) } else { None };
            self.attributes(&mut attrs)?;
            let more = self.at(Punct::Comma);
            // The last field takes the specifiers; those before it need copies.
            let (spec, shared) = match &specs {
                Some(pair) if more => pair.clone(),
                _ => match specs.take() {
                    Some(pair) => pair,
                    None => break,
                },
            };
            attrs.extend(shared);
            let span = self.since(lo);
            fields.push(Field { spec, declarator, bits, attrs, span, assert: None });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.semi("the member")
    }

    /// After `}` of a definition: a type or a new line's declaration cannot follow.
    fn check_semi(&mut self, what: &str) {
        if !self.tok.line_start || self.at(Punct::Semi) {
            return;
        }
        let another = self.kw.is_decl() && self.kw > Kw::None && !self.qualifier_follows()
            || self.at_name()
                && (self.peek_name(1) || self.peek_is(1, Punct::Star) && self.peek_name(2))
            || self.at_eof();
        if another {
            let at = self.end_of_prev();
            let message = format!("expected `;` after the definition of {what}");
            let diagnostic = Diagnostic::error(codes::E0201, message, at, "expected `;`").suggest(
                at,
                ";",
                "put a `;` here",
            );
            self.report(diagnostic);
            self.missing_semi = true;
        }
    }

    /// `struct S { … } const x;` is C.
    fn qualifier_follows(&self) -> bool {
        matches!(self.kw, Kw::Const | Kw::Volatile | Kw::Attribute | Kw::Alignas)
            && !self.peek_kw(1).is_decl()
    }

    pub fn enumeration(&mut self) -> PResult<TypeSpecKind> {
        let no_body = std::mem::take(&mut self.no_body);
        let lo = self.tok.span;
        self.bump();
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.opt_tag()?;
        let mut underlying = None;
        if self.at(Punct::Colon) && self.starts_type_at(1) {
            self.bump();
            underlying = Some(Box::new(self.specs(SpecCtx::Type)?.spec));
        }
        let mut body = None;
        if self.at(Punct::LBrace) && !no_body {
            body = Some(self.enumerators()?);
            self.attributes(&mut attrs)?;
            self.check_semi("an enumeration");
        } else if tag.is_none() {
            return Err(self.expected("a name or `{`"));
        }
        let span = self.since(lo);
        Ok(TypeSpecKind::Enum(Box::new(EnumSpec { tag, underlying, body, attrs, span })))
    }

    fn enumerators(&mut self) -> PResult<Vec<Enumerator>> {
        let open = self.tok.span;
        self.bump();
        let mut list = Vec::new();
        while self.at_name() {
            let name = self.ident("an enumerator")?;
            let mut attrs = Attrs::new();
            self.attributes(&mut attrs)?;
            let value = if self.eat(Punct::Eq) {
                match self.cond() {
                    Ok(value) => Some(value),
                    Err(reported) => {
                        if self.skip_past_close(Punct::Comma) {
                            continue;
                        }
                        if !self.at(Punct::RBrace) {
                            return Err(reported);
                        }
                        None
                    }
                }
            } else {
                None
            };
            self.scope.declare(name.name, NameKind::Ordinary);
            list.push(Enumerator { name, value });
            if !self.eat(Punct::Comma) {
                if self.at_name() {
                    self.expected("`,` between enumerators");
                    continue;
                }
                break;
            }
        }
        if !self.at(Punct::RBrace) && !self.at(Punct::Semi) && !self.at_eof() {
            let reported = self.expected("an enumerator or `}`");
            if !self.skip_past_close(Punct::RBrace) && !self.eat(Punct::RBrace) {
                return Err(reported);
            }
            return Ok(list);
        }
        self.close(Punct::RBrace, open)?;
        Ok(list)
    }

    /// `datatype T<'a> { A(int); B; }`, `datatype T.A`; the current token is `datatype`.
    pub fn datatype(&mut self, open: bool) -> PResult<TypeSpecKind> {
        let no_body = std::mem::take(&mut self.no_body);
        let lo = self.tok.span;
        self.bump();
        let tag = self.path("the datatype's name")?;
        let mut constraints = Vec::new();
        let mut args = self.params_or_args(&mut constraints)?;
        if !constraints.is_empty() {
            self.unsupported(tag.span, "a constraint on a datatype's parameters");
        }
        let mut variant = None;
        if self.eat(Punct::Dot) {
            variant = Some(self.ident("a variant's name")?);
            if self.at(Punct::Lt) {
                args = self.type_args()?;
            }
        }
        let mut body = None;
        if self.at(Punct::LBrace) && variant.is_none() && !no_body {
            let params = self.args_as_params(&mut args);
            let variants = self.variants()?;
            body = Some(DatatypeBody { params, variants });
            self.check_semi("a datatype");
        }
        let span = self.since(lo);
        let spec = DatatypeSpec { open, tag, args, variant, body, span };
        Ok(TypeSpecKind::Datatype(Box::new(spec)))
    }

    fn variants(&mut self) -> PResult<Vec<Variant>> {
        let open = self.tok.span;
        self.bump();
        let mut variants = Vec::new();
        while !self.at(Punct::RBrace) && !self.at_eof() {
            let start = self.pos();
            match self.nested(Self::variant) {
                Ok(variant) => {
                    // Its name is a constructor: an ordinary name.
                    self.scope.declare(variant.name.name, NameKind::Ordinary);
                    variants.push(variant);
                    if !self.eat(Punct::Semi) && !self.eat(Punct::Comma) {
                        if self.at_name() {
                            self.expected("`;` or `,` after the variant");
                            continue;
                        }
                        break;
                    }
                }
                Err(_) => self.sync(start),
            }
        }
        self.close(Punct::RBrace, open)?;
        Ok(variants)
    }

    fn variant(&mut self) -> PResult<Variant> {
        let lo = self.tok.span;
        let name = self.ident("a variant's name")?;
        let mut constraints = Vec::new();
        let exists =
            if self.at(Punct::Lt) { self.tyvar_list(&mut constraints)? } else { Vec::new() };
        if !constraints.is_empty() {
            self.unsupported(name.span, "a constraint on a variant's variables");
        }
        let mut fields = Vec::new();
        let open = self.tok.span;
        if self.eat(Punct::LParen) {
            self.scope.push();
            let result = self.variant_fields(&mut fields);
            self.scope.pop();
            result?;
            self.close(Punct::RParen, open)?;
        }
        Ok(Variant { name, exists, fields, span: self.since(lo) })
    }

    fn variant_fields(&mut self, fields: &mut Vec<toft_ast::Param>) -> PResult<()> {
        while !self.at(Punct::RParen) {
            let mut field = self.param()?;
            field.storage = Storage::default();
            fields.push(field);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        // `A(void)` has no fields.
        let void = fields.len() == 1
            && matches!(fields[0].spec.kind, TypeSpecKind::Void)
            && fields[0].declarator.derived.is_empty();
        if void {
            fields.clear();
        }
        Ok(())
    }
}
