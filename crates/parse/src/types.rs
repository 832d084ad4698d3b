//! Specifiers: everything of a declaration before its declarators.

use crate::keyword::Kw;
use crate::parser::{PResult, Parser};
use crate::scope::NameKind;
use toft_ast::{
    AlignSpec, Attrs, Punct, Quals, Storage, StorageClass, SubsetSpec, TokKind, TypeName, TypeSpec,
    TypeSpecKind,
};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// Storage class, type and attributes.
pub(crate) struct Specs {
    pub storage: Storage,
    pub spec: TypeSpec,
    pub attrs: Attrs,
}

/// Which specifiers may stand here, and how an unknown name is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecCtx {
    /// A declaration: storage classes; an unknown name is a type if a declarator follows.
    Decl,
    /// A parameter: storage classes; an unknown name is a type.
    Param,
    /// A type alone or a member: no storage classes; an unknown name is a type.
    Type,
}

/// How often each basic type word occurred, two bits each (three bits for the last).
mod word {
    pub const VOID: u32 = 1;
    pub const BOOL: u32 = 1 << 2;
    pub const CHAR: u32 = 1 << 4;
    pub const SHORT: u32 = 1 << 6;
    pub const INT: u32 = 1 << 8;
    pub const LONG: u32 = 1 << 10;
    pub const FLOAT: u32 = 1 << 12;
    pub const DOUBLE: u32 = 1 << 14;
    pub const SIGNED: u32 = 1 << 16;
    pub const UNSIGNED: u32 = 1 << 18;
    pub const COMPLEX: u32 = 1 << 20;
    pub const INT128: u32 = 1 << 22;
}

struct State {
    lo: Span,
    storage: Storage,
    quals: Quals,
    align: Vec<AlignSpec>,
    attrs: Attrs,
    /// Counts of basic words.
    words: u32,
    kind: Option<TypeSpecKind>,
}

impl State {
    fn has_type(&self) -> bool {
        self.words != 0 || self.kind.is_some()
    }
}

impl Parser<'_> {
    /// Whether a type (or a declaration's qualifiers) begins `n` places on.
    #[inline]
    pub fn starts_type_at(&self, n: usize) -> bool {
        let tok = self.peek(n);
        match tok.kind {
            TokKind::Ident => {
                let kw = self.peek_kw(n);
                if kw.is_reserved() {
                    return kw.is_type() || kw == Kw::Attribute;
                }
                self.path_at(n).0 == NameKind::Typedef
                    || (kw != Kw::None && self.word_starts_type(n, kw))
            }
            TokKind::TyVar => true,
            TokKind::Punct(Punct::ColonColon) => self.path_at(n).0 == NameKind::Typedef,
            TokKind::Punct(Punct::Dollar) => self.tuple_is_type(n),
            TokKind::Punct(Punct::At) => {
                matches!(self.peek_kw(n + 1), Kw::Tagged | Kw::Packed | Kw::Extensible | Kw::Subset)
                    && !self.peek(n + 1).space
            }
            _ => false,
        }
    }

    /// `$(` begins a tuple's type when its first part is a type.
    fn tuple_is_type(&self, mut n: usize) -> bool {
        while self.peek_is(n, Punct::Dollar) && self.peek_is(n + 1, Punct::LParen) {
            n += 2;
        }
        !self.peek_is(n, Punct::Dollar) && self.starts_type_at(n)
    }

    fn word_starts_type(&self, n: usize, kw: Kw) -> bool {
        let follows = match kw {
            Kw::Datatype => self.peek_name(n + 1),
            Kw::RegionT | Kw::AqualT | Kw::TagT | Kw::SizeofT => self.peek_is(n + 1, Punct::Lt),
            _ => false,
        };
        follows && self.word_is_free(n)
    }

    /// Whether a declaration begins here, as far as its specifiers show.
    pub fn starts_decl(&self) -> bool {
        match self.tok.kind {
            TokKind::Ident if self.kw.is_reserved() => {
                self.kw.is_decl() && !(self.kw == Kw::Attribute && self.attribute_then_semi())
            }
            TokKind::Ident => {
                self.starts_type_at(0) || self.abstract_or_shared() || self.unknown_type_here()
            }
            TokKind::Punct(Punct::LBracket) => {
                self.peek_is(1, Punct::LBracket) && !self.attribute_then_semi()
            }
            _ => self.starts_type_at(0),
        }
    }

    /// `abstract struct …`, `shared int x`.
    fn abstract_or_shared(&self) -> bool {
        match self.kw {
            Kw::Abstract | Kw::Shared => {
                let next = self.peek_kw(1);
                (next.is_decl() || self.starts_type_at(1)) && self.word_is_free(0)
            }
            _ => false,
        }
    }

    /// An undeclared name that can only be meant as a type: `foo x`, `foo *x;`, `foo *x =`.
    fn unknown_type_here(&self) -> bool {
        let (kind, mut at) = self.path_at(0);
        let operator = matches!(self.kw, Kw::New | Kw::Rnew | Kw::Qnew | Kw::Throw);
        if kind != NameKind::Unknown || !self.at_name() || operator && self.word_takes_operand() {
            return false;
        }
        if self.peek_name(at) {
            let after = self.peek(at + 1).kind;
            return !self.peek(at).line_start
                && matches!(
                    after,
                    TokKind::Punct(Punct::Semi | Punct::Eq | Punct::Comma | Punct::LBracket)
                );
        }
        while self.peek_is(at, Punct::Star) {
            at += 1;
        }
        at > 1
            && self.peek_is(at - 1, Punct::Star)
            && self.peek_name(at)
            && matches!(self.peek(at + 1).kind, TokKind::Punct(Punct::Semi | Punct::Eq))
    }

    pub fn specs(&mut self, ctx: SpecCtx) -> PResult<Specs> {
        self.nested(|parser| parser.specs_inner(ctx))
    }

    fn specs_inner(&mut self, ctx: SpecCtx) -> PResult<Specs> {
        let mut state = State {
            lo: self.tok.span,
            storage: Storage::default(),
            quals: Quals::default(),
            align: Vec::new(),
            attrs: Vec::new(),
            words: 0,
            kind: None,
        };
        self.missing_semi = false;
        while !self.missing_semi {
            let went_on = match self.tok.kind {
                TokKind::Ident if self.kw.is_reserved() => self.spec_keyword(&mut state, ctx)?,
                TokKind::Ident => self.spec_name(&mut state, ctx)?,
                TokKind::TyVar if !state.has_type() => {
                    state.kind = Some(TypeSpecKind::Var(self.tyvar()?));
                    true
                }
                TokKind::Punct(punct) => self.spec_punct(&mut state, punct)?,
                _ => false,
            };
            if !went_on {
                break;
            }
        }
        self.finish_specs(state)
    }

    fn spec_punct(&mut self, state: &mut State, punct: Punct) -> PResult<bool> {
        match punct {
            Punct::LBracket if self.peek_is(1, Punct::LBracket) => {
                self.attributes(&mut state.attrs)?;
                Ok(true)
            }
            Punct::Dollar if !state.has_type() => {
                state.kind = Some(self.tuple_type()?);
                Ok(true)
            }
            Punct::At if !state.has_type() && self.starts_type_at(0) => {
                state.kind = Some(self.at_type()?);
                Ok(true)
            }
            Punct::ColonColon if !state.has_type() => {
                state.kind = Some(self.named_type()?);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn spec_keyword(&mut self, state: &mut State, ctx: SpecCtx) -> PResult<bool> {
        let kw = self.kw;
        if kw.is_type() {
            self.spec_type_keyword(state)?;
            return Ok(true);
        }
        match kw {
            Kw::Extension => self.bump(),
            Kw::Attribute => self.attributes(&mut state.attrs)?,
            Kw::Alignas => {
                self.bump();
                let open = self.tok.span;
                self.expect(Punct::LParen, " after `_Alignas`")?;
                let align = if self.starts_type_at(0) {
                    AlignSpec::Type(Box::new(self.type_name()?))
                } else {
                    AlignSpec::Expr(Box::new(self.assign()?))
                };
                self.close(Punct::RParen, open)?;
                state.align.push(align);
            }
            _ if kw.is_decl() => {
                if ctx == SpecCtx::Type {
                    let message = format!("`{}` cannot stand in a type", self.tok.sym);
                    let span = self.tok.span;
                    self.error_at(codes::E0203, span, &message, "");
                    self.bump();
                    return Ok(true);
                }
                self.storage_word(&mut state.storage);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn storage_word(&mut self, storage: &mut Storage) {
        let class = match self.kw {
            Kw::Typedef => StorageClass::Typedef,
            Kw::Extern => StorageClass::Extern,
            Kw::Static => StorageClass::Static,
            Kw::Auto => StorageClass::Auto,
            Kw::Register => StorageClass::Register,
            _ => StorageClass::None,
        };
        match self.kw {
            Kw::Inline => storage.is_inline = true,
            Kw::Noreturn => storage.is_noreturn = true,
            Kw::ThreadLocal => storage.is_thread_local = true,
            Kw::Constexpr => storage.is_constexpr = true,
            _ => {}
        }
        let clash = class != StorageClass::None
            && storage.class != StorageClass::None
            && storage.class != class
            // C23: `auto` beside another storage class asks for inference.
            && class != StorageClass::Auto
            && storage.class != StorageClass::Auto;
        if clash {
            let span = self.tok.span;
            self.error_at(codes::E0203, span, "two storage classes in one declaration", "");
        } else if class != StorageClass::None
            && !(class == StorageClass::Auto && storage.class != StorageClass::None)
        {
            storage.class = class;
        }
        if storage.span.is_none() {
            storage.span = self.tok.span;
        } else {
            storage.span = storage.span.to(self.tok.span);
        }
        self.bump();
    }

    fn spec_type_keyword(&mut self, state: &mut State) -> PResult<()> {
        let one = match self.kw {
            Kw::Void => word::VOID,
            Kw::Bool => word::BOOL,
            Kw::Char => word::CHAR,
            Kw::Short => word::SHORT,
            Kw::Int => word::INT,
            Kw::Long => word::LONG,
            Kw::Signed => word::SIGNED,
            Kw::Unsigned => word::UNSIGNED,
            Kw::Float => word::FLOAT,
            Kw::Double => word::DOUBLE,
            Kw::Complex => word::COMPLEX,
            Kw::Int128 => word::INT128,
            _ => 0,
        };
        if one != 0 {
            if state.words & (one * 3) != one * 3 {
                state.words += one;
            }
            self.bump();
            return Ok(());
        }
        match self.kw {
            Kw::Const => state.quals.is_const = true,
            Kw::Volatile => state.quals.is_volatile = true,
            Kw::Restrict => state.quals.is_restrict = true,
            Kw::Atomic if !self.peek_is(1, Punct::LParen) => state.quals.is_atomic = true,
            _ => {
                let span = self.tok.span;
                let kind = self.nested(|parser| parser.compound_type(&mut state.quals))?;
                if state.kind.is_some() {
                    self.error_at(codes::E0203, span, "two types in one declaration", "");
                }
                state.kind = Some(kind);
                return Ok(());
            }
        }
        self.bump();
        Ok(())
    }

    /// A type of more than one token, or a rarer keyword.
    fn compound_type(&mut self, quals: &mut Quals) -> PResult<TypeSpecKind> {
        let kind = match self.kw {
            Kw::Struct | Kw::Union => return self.record(),
            Kw::Enum => return self.enumeration(),
            Kw::Typeof => return self.typeof_(),
            Kw::TypeofUnqual => {
                let lo = self.tok.span;
                let kind = self.typeof_()?;
                let span = self.since(lo);
                let spec = TypeSpec { kind, quals: Quals::default(), align: Vec::new(), span };
                return Ok(TypeSpecKind::Unqual(Box::new(spec)));
            }
            Kw::Atomic => {
                quals.is_atomic = true;
                return self.parenthesised_type();
            }
            Kw::UInt128 => TypeSpecKind::UInt128,
            Kw::VaList => TypeSpecKind::VaList,
            Kw::AutoType => TypeSpecKind::Auto,
            _ => TypeSpecKind::FloatN(self.tok.sym),
        };
        self.bump();
        Ok(kind)
    }

    /// `_Atomic(T)`: as `typeof(T)`, with the qualifier set by the caller.
    fn parenthesised_type(&mut self) -> PResult<TypeSpecKind> {
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, "")?;
        let ty = self.type_name()?;
        self.close(Punct::RParen, open)?;
        Ok(TypeSpecKind::TypeofType(Box::new(ty)))
    }

    fn typeof_(&mut self) -> PResult<TypeSpecKind> {
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `typeof`")?;
        let kind = if self.starts_type_at(0) {
            TypeSpecKind::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpecKind::TypeofExpr(Box::new(self.expr()?))
        };
        self.close(Punct::RParen, open)?;
        Ok(kind)
    }

    /// A name among the specifiers: a type, one of Toft's words, or the declarator.
    fn spec_name(&mut self, state: &mut State, ctx: SpecCtx) -> PResult<bool> {
        if self.abstract_or_shared() && ctx == SpecCtx::Decl {
            state.storage.is_abstract |= self.kw == Kw::Abstract;
            state.storage.is_shared |= self.kw == Kw::Shared;
            self.bump();
            return Ok(true);
        }
        if state.has_type() {
            return Ok(false);
        }
        if self.kw != Kw::None && self.word_starts_type(0, self.kw) {
            state.kind = Some(match self.kw {
                Kw::Datatype => self.datatype(false)?,
                word => {
                    self.bump();
                    let arg = self.one_type_arg()?;
                    match word {
                        Kw::RegionT => TypeSpecKind::RegionHandle(arg),
                        Kw::AqualT => TypeSpecKind::AqualHandle(arg),
                        Kw::TagT => TypeSpecKind::Tag(arg),
                        _ => TypeSpecKind::SizeofT(arg),
                    }
                }
            });
            return Ok(true);
        }
        let (kind, at) = self.path_at(0);
        let is_type = match kind {
            NameKind::Typedef => true,
            NameKind::Ordinary => false,
            NameKind::Unknown => self.unknown_is_type(state, ctx, at),
        };
        if is_type {
            state.kind = Some(self.named_type()?);
        }
        Ok(is_type)
    }

    /// Whether an undeclared name, followed by what is `at` places on, is meant as a type.
    fn unknown_is_type(&self, state: &State, ctx: SpecCtx, at: usize) -> bool {
        // `auto x = e` and the like infer the type: the name is the declarator.
        if state.storage.class == StorageClass::Auto || state.storage.is_constexpr {
            return self.peek_name(at);
        }
        match self.peek(at).kind {
            TokKind::Ident => !self.peek_kw(at).is_reserved() || self.peek_kw(at).is_type(),
            TokKind::Punct(Punct::Star | Punct::At | Punct::Question) => true,
            TokKind::Punct(Punct::Lt) => self.peek(at + 1).kind == TokKind::TyVar,
            TokKind::Punct(
                Punct::Comma | Punct::RParen | Punct::LBracket | Punct::Gt | Punct::Semi,
            ) => ctx != SpecCtx::Decl && !self.peek_is(at, Punct::Semi) || ctx == SpecCtx::Param,
            _ => false,
        }
    }

    /// A `typedef` name with its arguments.
    fn named_type(&mut self) -> PResult<TypeSpecKind> {
        let path = self.path("a type")?;
        let args = if self.at(Punct::Lt) { self.type_args()? } else { Vec::new() };
        Ok(TypeSpecKind::Named(path, args))
    }

    /// `$(T1, T2)`.
    fn tuple_type(&mut self) -> PResult<TypeSpecKind> {
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `$`")?;
        let mut parts = Vec::new();
        while !self.at(Punct::RParen) {
            parts.push(self.type_name()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(TypeSpecKind::Tuple(parts))
    }

    /// `@tagged union`, `@packed @tagged union`, `@extensible datatype`, `@subset(…)`.
    fn at_type(&mut self) -> PResult<TypeSpecKind> {
        match self.peek_kw(1) {
            Kw::Subset => self.subset(),
            Kw::Extensible => {
                self.bump();
                self.bump();
                if self.kw != Kw::Datatype {
                    return Err(self.expected("`datatype` after `@extensible`"));
                }
                self.datatype(true)
            }
            _ => self.nested(Self::tagged_union),
        }
    }

    /// `@subset(int x | e)`.
    fn subset(&mut self) -> PResult<TypeSpecKind> {
        self.bump();
        self.bump();
        let open = self.tok.span;
        self.expect(Punct::LParen, " after `@subset`")?;
        let (base, var) = self.typed_name()?;
        self.expect(Punct::Pipe, " between the variable and its condition")?;
        self.scope.push();
        self.scope.declare(var.name, NameKind::Ordinary);
        let cond = self.expr();
        self.scope.pop();
        let cond = cond?;
        self.close(Punct::RParen, open)?;
        Ok(TypeSpecKind::Subset(Box::new(SubsetSpec { base, var, cond })))
    }

    fn finish_specs(&mut self, state: State) -> PResult<Specs> {
        let span = if self.prev.hi >= state.lo.lo && self.pos() > 0 {
            self.since(state.lo)
        } else {
            state.lo
        };
        let mut kind = match (state.kind, state.words) {
            (Some(kind), 0) => Some(kind),
            (Some(TypeSpecKind::FloatN(_)), word::COMPLEX) => Some(TypeSpecKind::Complex),
            (Some(_), _) => {
                self.error_at(codes::E0203, span, "two types in one declaration", "");
                Some(TypeSpecKind::Error)
            }
            (None, 0) => None,
            (None, words) => basic_type(words).or_else(|| {
                let message = "these words together are no type";
                let mut diagnostic = Diagnostic::error(codes::E0203, message, span, "");
                if words & (word::BOOL * 3) != 0 {
                    diagnostic = diagnostic.note("`bool` is a keyword, as in C23");
                }
                self.report(diagnostic);
                Some(TypeSpecKind::Error)
            }),
        };
        if kind.is_none()
            && (state.storage.class == StorageClass::Auto || state.storage.is_constexpr)
        {
            kind = Some(TypeSpecKind::Auto);
        }
        let Some(kind) = kind else {
            return Err(self.no_type(&state.storage, span));
        };
        let spec = TypeSpec { kind, quals: state.quals, align: state.align, span };
        Ok(Specs { storage: state.storage, spec, attrs: state.attrs })
    }

    fn no_type(&mut self, storage: &Storage, span: Span) -> toft_diag::Reported {
        let declares = self.at_name()
            && (!storage.span.is_none()
                || self.peek_is(1, Punct::Eq)
                || self.peek_is(1, Punct::LParen));
        if !declares {
            return self.expected("a type");
        }
        let message = format!("the declaration of `{}` has no type", self.tok.sym);
        let diagnostic = Diagnostic::error(codes::E0203, message, span.to(self.tok.span), "")
            .note("C no longer takes `int` for a missing type")
            .suggest(self.tok.span.before(), "int ", "write the type");
        self.report(diagnostic)
    }

    /// A type without a name: in casts, `sizeof`, arguments.
    pub fn type_name(&mut self) -> PResult<TypeName> {
        let lo = self.tok.span;
        let specs = self.specs(SpecCtx::Type)?;
        let declarator = self.abstract_declarator()?;
        Ok(TypeName { spec: specs.spec, declarator, span: self.since(lo) })
    }

    /// `int *x`: a type and the name it gives.
    pub fn typed_name(&mut self) -> PResult<(TypeName, toft_ast::Ident)> {
        let lo = self.tok.span;
        let specs = self.specs(SpecCtx::Type)?;
        let mut declarator = self.named_declarator()?;
        let span = self.since(lo);
        let name = declarator.name.take().and_then(|path| path.segments.last().copied());
        let Some(name) = name else { return Err(self.expected("a name")) };
        Ok((TypeName { spec: specs.spec, declarator, span }, name))
    }
}

/// The type that basic words make together.
fn basic_type(words: u32) -> Option<TypeSpecKind> {
    use word::*;
    const LLONG: u32 = LONG + LONG;
    if words & (COMPLEX * 3) != 0 {
        return Some(TypeSpecKind::Complex);
    }
    // `int` adds nothing beside these.
    let with_size = words & (3 * (SHORT | LONG | SIGNED | UNSIGNED)) != 0;
    let int_once = words & (3 * INT) == INT;
    let words = if with_size && int_once { words - INT } else { words };
    Some(match words {
        VOID => TypeSpecKind::Void,
        BOOL => TypeSpecKind::Bool,
        CHAR => TypeSpecKind::Char,
        n if n == SIGNED + CHAR => TypeSpecKind::SChar,
        n if n == UNSIGNED + CHAR => TypeSpecKind::UChar,
        n if n == SHORT || n == SIGNED + SHORT => TypeSpecKind::Short,
        n if n == UNSIGNED + SHORT => TypeSpecKind::UShort,
        n if n == INT || n == SIGNED => TypeSpecKind::Int,
        UNSIGNED => TypeSpecKind::UInt,
        n if n == LONG || n == SIGNED + LONG => TypeSpecKind::Long,
        n if n == UNSIGNED + LONG => TypeSpecKind::ULong,
        n if n == LLONG || n == SIGNED + LLONG => TypeSpecKind::LLong,
        n if n == UNSIGNED + LLONG => TypeSpecKind::ULLong,
        n if n == INT128 || n == SIGNED + INT128 => TypeSpecKind::Int128,
        n if n == UNSIGNED + INT128 => TypeSpecKind::UInt128,
        FLOAT => TypeSpecKind::Float,
        DOUBLE => TypeSpecKind::Double,
        n if n == LONG + DOUBLE => TypeSpecKind::LongDouble,
        _ => return None,
    })
}
