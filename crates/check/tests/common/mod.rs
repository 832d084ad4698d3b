//! What the tests share: bodies in MIR's text form, and what the checker said of them.
#![allow(dead_code)]

use toft_base::{IndexVec, Span, Symbol};
use toft_diag::{Session, session::Options};
use toft_mir::{Body, Checked, Decls, text};
use toft_ty::{AdtDef, AdtId, AdtKind, FieldDef, IntTy, PtrTy, Region, Tables, Ty, TyQuals};

pub struct Verdict {
    pub codes: Vec<&'static str>,
    pub messages: Vec<String>,
    pub body: Option<Body<Checked>>,
}

impl Verdict {
    /// Numbers of the idle checks.
    pub fn idle(&self) -> Vec<usize> {
        self.body.as_ref().map(|body| body.facts.idle.iter().collect()).unwrap_or_default()
    }

    pub fn zero_fill(&self) -> Vec<usize> {
        self.body.as_ref().map(|body| body.facts.zero_fill.iter().collect()).unwrap_or_default()
    }
}

fn field(name: &str, ty: Ty) -> FieldDef {
    FieldDef {
        name: Some(Symbol::intern(name)),
        ty,
        quals: TyQuals::default(),
        bits: None,
        align: None,
        span: Span::NONE,
    }
}

fn adt(name: &str, kind: AdtKind, fields: Vec<FieldDef>) -> AdtDef {
    AdtDef {
        name: Symbol::intern(name),
        anonymous: false,
        kind,
        span: Span::NONE,
        generics: Vec::new(),
        exists: Vec::new(),
        bounds: Vec::new(),
        fields: Some(fields),
        variants: Vec::new(),
        packed: false,
        align: None,
        abstract_in: None,
        foreign: false,
    }
}

/// ADT 0: `struct point { int x; int y; }`. 1: `struct node { struct node *next; int v; }`.
/// 2: `struct holder { int n; int @p; }`. 3: `@tagged union { int i; int *p; }`.
/// 4: `struct buf { int n; char a[8]; }`.
pub fn decls() -> Decls {
    let int = Ty::int(IntTy::Int);
    let node = Ty::adt(AdtId(1), &[]);
    let notnull = Ty::ptr(PtrTy { nullable: false, ..PtrTy::thin(int, Region::Heap) });
    let chars = text::parse_ty("(array char #8)").expect("a type");
    let adts = vec![
        adt("point", AdtKind::Struct, vec![field("x", int), field("y", int)]),
        adt(
            "node",
            AdtKind::Struct,
            vec![field("next", Ty::ptr(PtrTy::thin(node, Region::Heap))), field("v", int)],
        ),
        adt("holder", AdtKind::Struct, vec![field("n", int), field("p", notnull)]),
        adt(
            "either",
            AdtKind::TaggedUnion,
            vec![field("i", int), field("p", Ty::ptr(PtrTy::thin(int, Region::Heap)))],
        ),
        adt("buf", AdtKind::Struct, vec![field("n", int), field("a", chars)]),
    ];
    Decls {
        tables: Tables { adts: IndexVec::from_raw(adts), ..Tables::default() },
        ..Decls::default()
    }
}

/// Checks the body `(body built fn0 "f" …)` made of the given parts.
pub fn check(parts: &str) -> Verdict {
    let text = format!("(body built fn0 \"f\" @1..2 end @900..901 (region - - block) {parts})");
    let body = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let decls = decls();
    let broken = toft_mir::validate::validate(&decls, &body);
    assert!(broken.is_empty(), "the test's body is malformed: {broken:?}\n{text}");
    let sess = Session::new(Options::default());
    let body = toft_check::run(&sess, &decls, body).ok();
    let said = sess.take();
    Verdict {
        codes: said.iter().map(|diagnostic| diagnostic.code.id).collect(),
        messages: said.iter().map(|diagnostic| diagnostic.message.clone()).collect(),
        body,
    }
}
