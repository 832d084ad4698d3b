//! Judgements over whole types: contents known, no type inside itself, no pointers in
//! untagged unions.

use crate::cx::Resolver;
use toft_base::{Idx, Span};
use toft_diag::{Diagnostic, codes};
use toft_hir::Linkage;
use toft_ty::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl<'a> Resolver<'a> {
    /// Checks the types declared since the last call, and the globals.
    pub fn check_types(&mut self) {
        let from = self.checked_adts;
        self.checked_adts = self.prog.tables.adts.len();
        let mut marks = vec![Mark::New; self.prog.tables.adts.len()];
        for n in from..self.checked_adts {
            let id = AdtId::from_usize(n);
            if marks[n] == Mark::New && !self.prog.tables.adts[id].foreign {
                self.check_adt(id, &mut marks, 0);
            }
        }
        let from = self.checked_globals;
        self.checked_globals = self.prog.globals.len();
        for global in &self.prog.globals.raw[from..] {
            let unknown = matches!(global.ty.kind(), TyKind::Array { len: IntExpr::Unknown, .. });
            if global.defined && !(unknown && matches!(global.linkage, Linkage::External)) {
                self.require_complete(global.ty, global.span);
            }
        }
    }

    fn check_adt(&self, id: AdtId, marks: &mut Vec<Mark>, depth: u32) {
        if depth > toft_base::stack::MAX_DEPTH {
            let def = &self.prog.tables.adts[id];
            self.error(codes::E0901, format!("`{}` is nested too deeply", def.name), def.span, "");
            return;
        }
        marks[id.index()] = Mark::Open;
        let def = &self.prog.tables.adts[id];
        let fields = def.fields.iter().flatten();
        let fields = fields.chain(def.variants.iter().flat_map(|variant| &variant.fields));
        for field in fields {
            self.check_member(id, field, field.ty, marks, depth);
        }
        if def.packed
            && def.flexible().is_some()
            && let Some(field) = def.fields.iter().flatten().next_back()
        {
            let message = "an array without a size in a packed struct is not supported yet";
            self.error(codes::E0900, message, field.span, "");
        }
        if def.kind == AdtKind::Union && !def.foreign {
            self.check_union(def);
        }
        if def.kind == AdtKind::PackedUnion && def.fields.is_some() {
            self.check_packed(id);
        }
        marks[id.index()] = Mark::Done;
    }

    fn check_member(
        &self,
        owner: AdtId,
        field: &FieldDef,
        ty: Ty,
        marks: &mut Vec<Mark>,
        depth: u32,
    ) {
        match *ty.kind() {
            TyKind::Array { elem, .. } | TyKind::Vla(elem) => {
                self.check_member(owner, field, elem, marks, depth);
            }
            TyKind::Tuple(list) => {
                list.iter().for_each(|&ty| self.check_member(owner, field, ty, marks, depth));
            }
            TyKind::Variant(id, ..) if marks[id.index()] == Mark::Open => {
                self.infinite(owner, id, field);
            }
            TyKind::Adt(id, _) => {
                let def = &self.prog.tables.adts[id];
                if marks[id.index()] == Mark::Open && !def.is_datatype() {
                    self.infinite(owner, id, field);
                } else if def.fields.is_none() {
                    self.incomplete(ty, field.span, "a member");
                } else if def.flexible().is_some() {
                    self.flexible_inside(def, field);
                } else if marks[id.index()] == Mark::New && !def.foreign {
                    self.check_adt(id, marks, depth + 1);
                }
            }
            TyKind::Void | TyKind::Func(_) => self.incomplete(ty, field.span, "a member"),
            _ => {}
        }
    }

    /// What has a flexible array member ends nowhere.
    fn flexible_inside(&self, def: &AdtDef, field: &FieldDef) {
        let message = format!("a member of type `struct {}`, which has no fixed size", def.name);
        let diag = Diagnostic::error(codes::E0305, message, field.span, "")
            .label(def.span, "its last member is an array without a size")
            .help("put a pointer here");
        let _ = self.sess.emit(diag);
    }

    fn infinite(&self, owner: AdtId, id: AdtId, field: &FieldDef) {
        let name = self.prog.tables.adts[id].name;
        let def = &self.prog.tables.adts[owner];
        let message = format!("`{name}` contains itself");
        let diag = Diagnostic::error(codes::E0309, message, field.span, "through this member")
            .label(def.span, "in this type")
            .help("put a pointer here");
        let _ = self.sess.emit(diag);
    }

    fn incomplete(&self, ty: Ty, span: Span, what: &str) {
        let text = self.ty_text(ty);
        let message = format!("{what} of type `{text}`, whose contents are not known");
        let mut diag = Diagnostic::error(codes::E0305, message, span, "");
        if let TyKind::Adt(id, _) = ty.kind() {
            let def = &self.prog.tables.adts[*id];
            if def.is_datatype() {
                diag = Diagnostic::error(
                    codes::E0305,
                    format!("{what} of type `{text}`: datatypes live behind pointers"),
                    span,
                    "",
                )
                .help(format!("write `{text} *`"));
            } else if !def.span.is_none() {
                diag = diag.label(def.span, "only declared here");
            }
        }
        let _ = self.sess.emit(diag);
    }

    /// Reports a variable of a type without known contents.
    pub fn require_complete(&self, ty: Ty, span: Span) {
        match *ty.kind() {
            TyKind::Array { elem, .. } | TyKind::Vla(elem) => self.require_complete(elem, span),
            TyKind::Tuple(list) => list.iter().for_each(|&ty| self.require_complete(ty, span)),
            TyKind::Void => self.error(codes::E0305, "a variable of type `void`", span, ""),
            TyKind::Adt(id, _) if self.prog.tables.adts[id].fields.is_none() => {
                self.incomplete(ty, span, "a variable");
            }
            _ => {}
        }
    }

    /// The tag of a packed union needs bits that no member uses.
    fn check_packed(&self, id: AdtId) {
        let def = &self.prog.tables.adts[id];
        let params: Vec<GArg> = (def.generics.iter().enumerate())
            .map(|(n, param)| match param.kind {
                Kind::Any | Kind::Word => GArg::Ty(Ty::new(TyKind::Param(n as u32, param.name))),
                Kind::Region => GArg::Region(Region::Param(n as u32)),
                Kind::Effect => GArg::Effect(&[]),
                Kind::Int => GArg::Int(IntExpr::Param(n as u32)),
                Kind::Aqual => GArg::Aqual(Aqual::Param(n as u32)),
            })
            .collect();
        let Err((n, why)) = packed::packing(&self.prog.tables, id, &params) else { return };
        let fields = def.fields.as_deref().unwrap_or(&[]);
        let Some(field) = fields.get(n) else { return };
        let bits = |n: u32| if n == 1 { "1 bit".to_owned() } else { format!("{n} bits") };
        let reason = match why {
            packed::NoRoom::Alignment { free: 0, needed } => format!(
                "what it points at may lie at any address, which leaves no bit of the pointer \
                 free; the tag needs {}",
                bits(needed)
            ),
            packed::NoRoom::Alignment { free, needed } => format!(
                "what it points at may lie at any multiple of {}, which leaves {} of the pointer \
                 free; the tag needs {}",
                1u64 << free,
                bits(free),
                bits(needed)
            ),
            packed::NoRoom::Unknown => "the alignment of what it points at is not known".to_owned(),
            packed::NoRoom::Fat => "a pointer with bounds takes two words".to_owned(),
            packed::NoRoom::Wide { bits: own, needed } => {
                format!("it has {own} bits of its own, and the tag needs {}", bits(needed))
            }
            packed::NoRoom::Kind => "only thin pointers and numbers can be packed".to_owned(),
        };
        let what = match field.name {
            Some(name) => format!("the member `{name}`"),
            None => "a member".to_owned(),
        };
        let message = format!("{what} leaves no room for the tag of `{}`", def.name);
        let diag = Diagnostic::error(codes::E2015, message, field.span, reason)
            .label(def.span, "packed: tag and member share one word")
            .help("leave out `@packed`: the tag gets a word of its own");
        let _ = self.sess.emit(diag);
    }

    /// Untagged unions may be read as any member: no member may hold a pointer.
    fn check_union(&self, def: &AdtDef) {
        for field in def.fields.iter().flatten() {
            if self.holds_pointer(field.ty, 0) {
                let message =
                    format!("a member with a pointer in the untagged union `{}`", def.name);
                let diag = Diagnostic::error(codes::E0512, message, field.span, "")
                    .label(def.span, "the union is declared here")
                    .help("make it `@tagged union`: its tag is kept and checked");
                let _ = self.sess.emit(diag);
            }
        }
    }

    fn holds_pointer(&self, ty: Ty, depth: u32) -> bool {
        match *ty.kind() {
            _ if depth > 64 => true,
            TyKind::Ptr(_)
            | TyKind::Vla(_)
            | TyKind::Func(_)
            | TyKind::RegionHandle(_)
            | TyKind::AqualHandle(_)
            | TyKind::Tag(_)
            | TyKind::SizeofT(_)
            | TyKind::Param(..)
            | TyKind::Bound(..)
            | TyKind::Variant(..)
            | TyKind::VaList => true,
            // A terminator must not be overwritten either.
            TyKind::Array { zeroterm: true, .. } => true,
            TyKind::Array { elem, .. } => self.holds_pointer(elem, depth + 1),
            TyKind::Tuple(list) => list.iter().any(|&ty| self.holds_pointer(ty, depth + 1)),
            TyKind::Adt(id, args) => {
                let def = &self.prog.tables.adts[id];
                // The tag of a tagged union must not be overwritten either.
                matches!(def.kind, AdtKind::TaggedUnion | AdtKind::PackedUnion)
                    || !def.exists.is_empty()
                    || def
                        .fields
                        .iter()
                        .flatten()
                        .any(|field| self.holds_pointer(Subst(args).ty(field.ty), depth + 1))
            }
            _ => false,
        }
    }
}
