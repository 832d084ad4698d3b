//! Declarators: the name of what is declared, and pointers, arrays and functions around it.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use toft_ast::{
    Aqual, ArrayDecl, Declarator, Derived, PtrAttr, PtrDecl, PtrSign, Punct, Quals, TokKind, TyVar,
};
use toft_base::Span;
use toft_diag::codes;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Must,
    May,
    MustNot,
}

impl Parser<'_> {
    pub fn named_declarator(&mut self) -> PResult<Declarator> {
        self.declarator(Naming::Must)
    }

    pub fn abstract_declarator(&mut self) -> PResult<Declarator> {
        self.declarator(Naming::MustNot)
    }

    /// With or without a name, as parameters have it.
    pub fn any_declarator(&mut self) -> PResult<Declarator> {
        self.declarator(Naming::May)
    }

    #[inline]
    fn declarator(&mut self, naming: Naming) -> PResult<Declarator> {
        let lo = self.tok.span;
        let mut out = Declarator {
            name: None,
            ty_params: Vec::new(),
            derived: Vec::new(),
            attrs: Vec::new(),
            span: lo,
        };
        // A type name mostly ends right here.
        let ends = self.at(Punct::RParen) || self.at(Punct::Comma) || self.at(Punct::Gt);
        if naming != Naming::Must && ends {
            out.span = lo.before();
            return Ok(out);
        }
        let first = self.pos();
        self.nested(|parser| parser.declarator_into(naming, &mut out))?;
        out.span = if self.pos() == first { lo.before() } else { self.since(lo) };
        Ok(out)
    }

    fn declarator_into(&mut self, naming: Naming, out: &mut Declarator) -> PResult<()> {
        let mut pointers = Vec::new();
        while let Some(pointer) = self.pointer(&mut out.attrs)? {
            self.chain()?;
            pointers.reserve_exact(1);
            pointers.push(Derived::Pointer(pointer));
        }
        self.attributes(&mut out.attrs)?;
        if self.at(Punct::LParen) && (naming == Naming::Must || !self.opens_params(naming)) {
            let open = self.tok.span;
            self.bump();
            self.nested(|parser| parser.declarator_into(naming, out))?;
            self.close(Punct::RParen, open)?;
        } else if naming != Naming::MustNot && (self.at_name() || self.at(Punct::ColonColon)) {
            let path = self.path("a name")?;
            out.span = path.span;
            out.name = Some(path);
        } else if naming == Naming::Must {
            return Err(self.no_name());
        }
        self.suffixes(out)?;
        // Mostly one derivation, or none: no room for more is kept.
        out.derived.reserve_exact(pointers.len());
        out.derived.extend(pointers.into_iter().rev());
        Ok(())
    }

    fn no_name(&mut self) -> toft_diag::Reported {
        if self.kw.is_reserved() {
            let message = format!("`{}` is a keyword and cannot be a name", self.tok.sym);
            let span = self.tok.span;
            return self.error_at(codes::E0201, span, &message, "expected a name");
        }
        self.expected("a name")
    }

    /// Whether `(` begins parameters, not a declarator in parentheses.
    fn opens_params(&self, naming: Naming) -> bool {
        match self.peek(1).kind {
            TokKind::Punct(Punct::RParen | Punct::Ellipsis | Punct::Semi | Punct::Colon) => true,
            TokKind::Ident if self.peek_kw(1) == Kw::Attribute => false,
            TokKind::Ident if self.peek_kw(1).is_decl() => true,
            // Without a possible name, `(x` can only be a parameter of an unknown type.
            TokKind::Ident => naming == Naming::MustNot || self.starts_type_at(1),
            // `(@notnull …` would be no declarator; `(@x)` is.
            _ => self.starts_type_at(1),
        }
    }

    /// `*`, `@` or `?` with its qualifiers.
    fn pointer(&mut self, attrs: &mut toft_ast::Attrs) -> PResult<Option<PtrDecl>> {
        let kind = match self.tok.kind {
            TokKind::Punct(Punct::Star) => PtrSign::Star,
            TokKind::Punct(Punct::At) => PtrSign::At,
            TokKind::Punct(Punct::Question) => PtrSign::Question,
            _ => return Ok(None),
        };
        let lo = self.tok.span;
        self.bump();
        let mut pointer = PtrDecl { kind, quals: Quals::default(), attrs: Vec::new(), span: lo };
        loop {
            match self.kw {
                Kw::Const => pointer.quals.is_const = true,
                Kw::Volatile => pointer.quals.is_volatile = true,
                Kw::Restrict => pointer.quals.is_restrict = true,
                Kw::Atomic => pointer.quals.is_atomic = true,
                Kw::Attribute => {
                    self.attributes(attrs)?;
                    continue;
                }
                _ => {
                    let span = self.tok.span;
                    match self.pointer_attr()? {
                        Some(attr) => pointer.attrs.push((attr, self.since(span))),
                        None => break,
                    }
                    continue;
                }
            }
            self.bump();
        }
        pointer.span = self.since(lo);
        Ok(Some(pointer))
    }

    fn pointer_attr(&mut self) -> PResult<Option<PtrAttr>> {
        let span = self.tok.span;
        Ok(Some(match self.tok.kind {
            TokKind::TyVar => PtrAttr::Region(self.bare_tyvar()?),
            TokKind::Ident if self.at_next_rgn() => PtrAttr::RegionArg(Box::new(self.type_arg()?)),
            TokKind::Aqual => PtrAttr::Aqual(Aqual::Name(self.aqual_name()?, span)),
            TokKind::Punct(Punct::LBrace) => {
                self.bump();
                let count = self.expr()?;
                self.close(Punct::RBrace, span)?;
                PtrAttr::Numelts(count)
            }
            TokKind::Punct(Punct::At) if !self.peek(1).space => {
                let attr = match self.peek_kw(1) {
                    Kw::Notnull => PtrAttr::NotNull,
                    Kw::Nullable => PtrAttr::Nullable,
                    Kw::Fat => PtrAttr::Fat,
                    Kw::Thin => PtrAttr::Thin,
                    Kw::Zeroterm => PtrAttr::Zeroterm,
                    Kw::Nozeroterm => PtrAttr::Nozeroterm,
                    Kw::Numelts | Kw::Region | Kw::Aqual if self.peek_is(2, Punct::LParen) => {
                        return self.pointer_attr_with_arg().map(Some);
                    }
                    _ => return Ok(None),
                };
                self.bump();
                self.bump();
                attr
            }
            _ => return Ok(None),
        }))
    }

    /// `next_rgn<`: a region made of another.
    fn at_next_rgn(&self) -> bool {
        self.tok.kind == TokKind::Ident
            && self.tok.sym.as_str() == "next_rgn"
            && self.peek_is(1, Punct::Lt)
    }

    fn pointer_attr_with_arg(&mut self) -> PResult<PtrAttr> {
        self.bump();
        let word = self.kw;
        self.bump();
        let open = self.tok.span;
        self.bump();
        let attr = match word {
            Kw::Numelts => PtrAttr::Numelts(self.expr()?),
            Kw::Aqual => PtrAttr::Aqual(self.aqual()?),
            _ if self.at_next_rgn() => PtrAttr::RegionArg(Box::new(self.type_arg()?)),
            _ if self.at_name() => {
                // The released Cyclone spelling has no quote here.
                let name = self.ident("a region")?;
                PtrAttr::Region(TyVar { name: name.name, kind: None, bound: None, span: name.span })
            }
            _ => PtrAttr::Region(self.bare_tyvar()?),
        };
        self.close(Punct::RParen, open)?;
        Ok(attr)
    }

    /// Arrays and parameter lists after the name.
    fn suffixes(&mut self, out: &mut Declarator) -> PResult<()> {
        loop {
            match self.tok.kind {
                TokKind::Punct(Punct::LBracket) if self.peek_is(1, Punct::LBracket) => {
                    self.attributes(&mut out.attrs)?;
                }
                TokKind::Punct(Punct::LBracket) => {
                    self.chain()?;
                    let array = self.array()?;
                    out.derived.reserve_exact(1);
                    out.derived.push(Derived::Array(array));
                }
                TokKind::Punct(Punct::LParen) => {
                    self.chain()?;
                    let function = self.nested(|parser| parser.params(Vec::new()))?;
                    out.derived.reserve_exact(1);
                    out.derived.push(Derived::Function(Box::new(function)));
                }
                TokKind::Punct(Punct::Lt)
                    if self.peek(1).kind == TokKind::TyVar || self.peek_is(1, Punct::Gt) =>
                {
                    let open = self.tok.span;
                    let mut constraints = Vec::new();
                    let vars = self.tyvar_list(&mut constraints)?;
                    if self.at(Punct::LParen) {
                        self.chain()?;
                        let mut function = self.nested(|parser| parser.params(vars))?;
                        constraints.append(&mut function.constraints);
                        function.constraints = constraints;
                        out.derived.push(Derived::Function(Box::new(function)));
                    } else {
                        self.generic_typedef(out, vars, open);
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn generic_typedef(&mut self, out: &mut Declarator, vars: Vec<TyVar>, open: Span) {
        if out.name.is_none() || !out.derived.is_empty() || !out.ty_params.is_empty() {
            let span = self.since(open);
            self.error_at(codes::E0204, span, "type parameters belong just after the name", "");
        }
        out.ty_params = vars;
    }

    /// `[n]`, `[]`, `[*]`, `[static const n]`, with `@zeroterm` after it.
    fn array(&mut self) -> PResult<ArrayDecl> {
        let open = self.tok.span;
        self.bump();
        let mut array = ArrayDecl {
            size: None,
            star: false,
            is_static: false,
            quals: Quals::default(),
            zeroterm: None,
            span: open,
        };
        loop {
            match self.kw {
                Kw::Static => array.is_static = true,
                Kw::Const => array.quals.is_const = true,
                Kw::Volatile => array.quals.is_volatile = true,
                Kw::Restrict => array.quals.is_restrict = true,
                Kw::Atomic => array.quals.is_atomic = true,
                _ => break,
            }
            self.bump();
        }
        if self.at(Punct::Star) && self.peek_is(1, Punct::RBracket) {
            self.bump();
            array.star = true;
        } else if !self.at(Punct::RBracket) {
            match self.assign() {
                Ok(size) => array.size = Some(size),
                Err(reported) => {
                    if !self.skip_past_close(Punct::RBracket) {
                        return Err(reported);
                    }
                    array.span = self.since(open);
                    return Ok(array);
                }
            }
        }
        self.close(Punct::RBracket, open)?;
        if self.at(Punct::At) {
            let zeroterm = match self.peek_kw(1) {
                Kw::Zeroterm => Some(true),
                Kw::Nozeroterm => Some(false),
                _ => None,
            };
            if zeroterm.is_some() {
                self.bump();
                self.bump();
                array.zeroterm = zeroterm;
            }
        }
        array.span = self.since(open);
        Ok(array)
    }

    /// Makes the declared name known.
    pub fn declare(&mut self, declarator: &Declarator, kind: NameKind) {
        if let Some(path) = &declarator.name
            && let [name] = &path.segments[..]
        {
            self.scope.declare(name.name, kind);
        }
    }
}
