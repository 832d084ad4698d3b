//! The resolver's state, and what every part of it needs: sites, errors, common types.

use crate::UnitInput;
use crate::consteval::Const;
use crate::generics::{Sig, TyVarEntry};
use crate::scope::{Binding, Name, Scopes, What};
use toft_ast as ast;
use toft_base::{FileId, FileKind, FxHashMap, FxHashSet, IndexVec, Span, Symbol};
use toft_diag::{Code, Diagnostic, Session};
use toft_hir::*;
use toft_ty::*;

pub(crate) struct Typedef {
    pub name: Symbol,
    pub generics: Vec<GenericParam>,
    pub ty: Ty,
    pub quals: TyQuals,
    pub span: Span,
    pub foreign: bool,
}

pub(crate) struct EnumConst {
    pub id: EnumId,
    pub name: Symbol,
    pub value: i128,
    pub span: Span,
    pub foreign: bool,
}

/// The tree that defines an ADT, for the kinds of its parameters.
#[derive(Clone, Copy)]
pub(crate) enum AdtSource<'a> {
    Record(&'a ast::RecordSpec),
    Datatype(&'a ast::DatatypeSpec),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenericsState {
    Unknown,
    Busy,
    Done,
}

pub(crate) struct AdtState<'a> {
    pub source: Option<AdtSource<'a>>,
    pub generics: GenericsState,
    /// Where its contents are, once resolved.
    pub defined_at: Option<Span>,
}

/// Where a unit defines a tag.
#[derive(Clone, Copy)]
pub(crate) struct TagDef<'a> {
    pub site: u32,
    pub source: Option<AdtSource<'a>>,
}

/// What round 1 leaves for round 2, in order of the text.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Func(FuncId),
    /// Declared before at the same place, or refused.
    Skip,
    Global(GlobalId),
}

#[derive(Default)]
pub(crate) struct UnitState {
    pub bindings: Vec<Binding>,
    pub work: Vec<Work>,
}

pub(crate) struct Resolver<'a> {
    pub sess: &'a Session,
    pub prog: Program,
    pub scopes: Scopes,
    pub units: &'a [UnitInput],
    pub states: Vec<UnitState>,
    pub cur: usize,
    pub file: FileId,
    /// The kind of file the item at hand was written in.
    pub kind: FileKind,
    kind_range: (u32, u32),
    /// Inside `extern "C"`.
    pub extern_c: bool,

    pub typedefs: Vec<Typedef>,
    pub enum_consts: Vec<EnumConst>,
    pub adts: IndexVec<AdtId, AdtState<'a>>,
    pub enum_defined: FxHashMap<EnumId, Span>,
    /// Per unit: what tags it defines at file level.
    pub unit_tags: Vec<FxHashMap<(u32, Symbol), TagDef<'a>>>,
    /// All definitions of a tag in the program, by site, in order.
    pub program_tags: FxHashMap<(u32, Symbol), Vec<TagDef<'a>>>,
    pub open_tags: FxHashSet<(u32, Symbol)>,
    pub adt_sites: FxHashMap<(u32, Symbol), AdtId>,
    pub enum_sites: FxHashMap<(u32, Symbol), EnumId>,
    /// Tags that no unit defines.
    pub loose_tags: FxHashMap<(u32, Symbol), AdtId>,
    /// Open datatypes: sites whose variants are taken.
    pub variant_sites: FxHashSet<(AdtId, u32)>,

    /// External functions and globals of Toft, by qualified name.
    pub externs: FxHashMap<Symbol, Name>,
    /// Those of C, by link name.
    pub c_externs: FxHashMap<Symbol, Name>,
    /// Everything else by place of its declaration.
    pub sites: FxHashMap<(u32, Symbol), Name>,
    /// Items taken before at the same place: their bindings and work.
    pub items: FxHashMap<(Span, Symbol), ItemRecord>,
    /// Where functions and variables got their definition.
    pub defined: FxHashMap<Name, Span>,
    /// Contracts of the declaration at hand, until its function is known.
    pub pending_contracts: Vec<(ast::Ident, &'a ast::FuncDecl)>,
    /// Contracts to resolve in round 2: unit, function, declaration.
    pub contract_work: Vec<(usize, FuncId, &'a ast::FuncDecl)>,
    pub checked_adts: usize,
    pub checked_globals: usize,
    /// The first unit is the prelude: its names are known everywhere.
    pub prelude: bool,
    /// `__builtin_…` functions met so far.
    pub gnu: FxHashMap<Symbol, FuncId>,
    pub static_names: FxHashMap<Symbol, u32>,
    pub global_consts: FxHashMap<GlobalId, Const>,

    pub tyvars: Vec<TyVarEntry>,
    /// Entries below are not in scope (a type definition inside a generic function).
    pub tyvar_floor: usize,
    pub sigs: Vec<Sig<'a>>,
    /// How many function types have been entered.
    pub binders: u16,
    /// Names usable as bounds: parameters and members so far, with their types.
    pub bound_names: Vec<(Symbol, Ty)>,
    /// The operand of a `typeof` met while a type was resolved.
    pub pending_typeof: Option<Expr>,
    /// Refinements by where they are written.
    pub refine_sites: FxHashMap<Span, Refinement>,
    pub body: Box<BodyCx>,
    pub common: Common,
}

#[derive(Clone, Copy)]
pub(crate) struct ItemRecord {
    pub unit: u32,
    pub bindings: (u32, u32),
}

/// The body at hand.
#[derive(Default)]
pub(crate) struct BodyCx {
    pub active: bool,
    pub func: Option<FuncId>,
    pub func_name: Option<Symbol>,
    pub locals: IndexVec<LocalId, Local>,
    pub used: Vec<bool>,
    /// Warn when it stays unused.
    pub declared: Vec<bool>,
    pub regions: IndexVec<RegionId, RegionDecl>,
    pub opened: Vec<GenericParam>,
    pub labels: IndexVec<LabelId, Label>,
    pub label_map: FxHashMap<Symbol, (LabelId, Option<Span>)>,
    pub blocks: Vec<BlockCx>,
    /// Per open arm: its `Match`, and how it falls into the next.
    pub fallthrus: Vec<(JumpId, Falls)>,
    pub jumps: Vec<Jump>,
    /// Per jump id: a `break` goes there.
    pub broken: Vec<bool>,
    pub consts: FxHashMap<LocalId, Const>,
    /// Number of the function's own generic parameters.
    pub generics: u32,
}

/// Where an arm says `fallthru`, without values and with them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Falls {
    pub plain: Option<Span>,
    pub with: Option<Span>,
}

/// An open block.
pub(crate) struct BlockCx {
    /// `None` until the block has a variable.
    pub region: Option<RegionId>,
    pub span: Span,
    /// How many type variables were in scope before it.
    pub tyvars: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JumpKind {
    Loop,
    Switch,
    /// A `Match` or `catch`: `break` leaves it, `fallthru` is allowed.
    Match,
}

#[derive(Clone, Copy)]
pub(crate) struct Jump {
    pub id: JumpId,
    pub kind: JumpKind,
}

/// Types asked for all the time.
pub(crate) struct Common {
    pub void: Ty,
    pub bool: Ty,
    pub error: Ty,
    pub ints: [Ty; 11],
}

impl Common {
    fn new() -> Common {
        use IntTy::*;
        let all = [Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LLong, ULLong];
        Common { void: Ty::void(), bool: Ty::bool(), error: Ty::error(), ints: all.map(Ty::int) }
    }

    pub fn int(&self, int: IntTy) -> Ty {
        self.ints[int as usize]
    }
}

impl<'a> Resolver<'a> {
    pub fn new(sess: &'a Session, units: &'a [UnitInput]) -> Resolver<'a> {
        Resolver {
            sess,
            prog: Program::default(),
            scopes: Scopes::new(),
            units,
            states: units.iter().map(|_| UnitState::default()).collect(),
            cur: 0,
            file: units.first().map_or(FileId(0), |unit| unit.file),
            kind: FileKind::User,
            kind_range: (1, 0),
            extern_c: false,
            typedefs: Vec::new(),
            enum_consts: Vec::new(),
            adts: IndexVec::new(),
            enum_defined: FxHashMap::default(),
            unit_tags: Vec::new(),
            program_tags: FxHashMap::default(),
            open_tags: FxHashSet::default(),
            adt_sites: FxHashMap::default(),
            enum_sites: FxHashMap::default(),
            loose_tags: FxHashMap::default(),
            variant_sites: FxHashSet::default(),
            externs: FxHashMap::default(),
            c_externs: FxHashMap::default(),
            sites: FxHashMap::default(),
            items: FxHashMap::default(),
            defined: FxHashMap::default(),
            pending_contracts: Vec::new(),
            contract_work: Vec::new(),
            checked_adts: 0,
            checked_globals: 0,
            prelude: units.first().is_some_and(|unit| unit.prelude),
            gnu: FxHashMap::default(),
            static_names: FxHashMap::default(),
            global_consts: FxHashMap::default(),
            tyvars: Vec::new(),
            tyvar_floor: 0,
            sigs: Vec::new(),
            binders: 0,
            bound_names: Vec::new(),
            pending_typeof: None,
            refine_sites: FxHashMap::default(),
            body: Box::default(),
            common: Common::new(),
        }
    }

    pub fn error(
        &self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        let _ = self.sess.emit(Diagnostic::error(code, message, span, label));
    }

    pub fn unsupported(&self, what: &str, span: Span) {
        let message = format!("{what} are not supported yet");
        self.error(toft_diag::codes::E0900, message, span, "");
    }

    /// The place of a declaration, the same for each unit that includes its header.
    pub fn site(&self, span: Span) -> u32 {
        self.sess.map.borrow().call_site(span).lo
    }

    pub fn is_foreign(&self) -> bool {
        self.kind == FileKind::Foreign
    }

    /// Notes what kind of file an item was written in.
    pub fn enter_item(&mut self, span: Span) {
        if (self.kind_range.0..=self.kind_range.1).contains(&span.lo) {
            return;
        }
        let map = self.sess.map.borrow();
        let site = map.call_site(span);
        self.kind_range = (1, 0);
        match map.file_of(site.lo) {
            Some(id) => {
                let file = map.file(id);
                self.kind = file.kind;
                self.file = id;
                if site.lo == span.lo {
                    self.kind_range = (file.start, file.start + file.text.len() as u32);
                }
            }
            None => self.kind = FileKind::Library,
        }
    }

    /// Adds a file-level declaration of the unit at hand.
    pub fn declare_name(&mut self, ns: u32, name: Symbol, what: Name) {
        self.declare(Binding { ns, name, what: What::Name(what) });
    }

    pub fn declare(&mut self, binding: Binding) {
        self.states[self.cur].bindings.push(binding);
        self.scopes.install(binding);
    }

    /// Where a name was declared.
    pub fn name_span(&self, name: Name) -> Span {
        match name {
            Name::None | Name::Poison => Span::NONE,
            Name::Typedef(id) => self.typedefs[id as usize].span,
            Name::Func(id) => self.prog.funcs[id].span,
            Name::Global(id) => self.prog.globals[id].span,
            Name::Local(id) => self.body.locals[id].span,
            Name::EnumConst(id) => self.enum_consts[id as usize].span,
            Name::Variant(adt, n) => {
                self.prog.tables.variant(adt, n).map_or(Span::NONE, |variant| variant.span)
            }
        }
    }

    pub fn name_is_foreign(&self, name: Name) -> bool {
        match name {
            Name::Typedef(id) => self.typedefs[id as usize].foreign,
            Name::Func(id) => self.prog.funcs[id].origin == Origin::Foreign,
            Name::Global(id) => self.prog.globals[id].origin == Origin::Foreign,
            Name::EnumConst(id) => self.enum_consts[id as usize].foreign,
            _ => false,
        }
    }

    /// What a name is, for messages.
    pub fn describe(name: Name) -> &'static str {
        match name {
            Name::None | Name::Poison => "unknown",
            Name::Typedef(_) => "a type",
            Name::Func(_) => "a function",
            Name::Global(_) | Name::Local(_) => "a variable",
            Name::EnumConst(_) => "an enum constant",
            Name::Variant(..) => "a datatype's variant",
        }
    }

    pub fn redefined(&self, name: Symbol, span: Span, old: Span) {
        let message = format!("`{name}` is defined twice");
        let mut diag =
            Diagnostic::error(toft_diag::codes::E0302, message, span, "defined again here");
        if !old.is_none() {
            diag = diag.label(old, "first defined here");
        }
        let _ = self.sess.emit(diag);
    }

    pub fn ty_text(&self, ty: Ty) -> String {
        toft_ty::print::ty_to_string(&toft_ty::print::plain(&self.prog.tables), ty)
    }
}

pub(crate) fn quals(quals: ast::Quals) -> TyQuals {
    TyQuals { is_const: quals.is_const, is_volatile: quals.is_volatile, refine: None }
}

pub(crate) fn join_quals(a: TyQuals, b: TyQuals) -> TyQuals {
    TyQuals {
        is_const: a.is_const || b.is_const,
        is_volatile: a.is_volatile || b.is_volatile,
        refine: a.refine.or(b.refine),
    }
}
