//! Types of places, operands and right sides go together.

use super::{Rule, Violation};
use crate::typing::{has_existentials, step_ty};
use crate::visit::{Visit, stmt_visit, term_visit};
use crate::*;
use toft_ty::{Bounds, IntExpr, Tables, Ty, TyKind};

pub fn check<P: Phase>(decls: &Decls, body: &Body<P>, out: &mut Vec<Violation>) {
    let mut cx = Cx { decls, body, out, at: ENTRY };
    for (id, block) in body.blocks.iter_enumerated() {
        cx.at = id;
        for stmt in &block.stmts {
            stmt_visit(&stmt.kind, &mut |what| cx.places(what));
            cx.stmt(&stmt.kind);
        }
        term_visit(&block.term.kind, &mut |what| cx.places(what));
        match &block.term.kind {
            TermKind::If(cond, ..) => cx.integer(cond, "a condition"),
            TermKind::Switch { on, .. } => cx.integer(on, "what is switched on"),
            TermKind::Return(Some(value)) => {
                if let Some(ty) = cx.ty(value) {
                    cx.agree(ty, body.ret, "the result");
                }
            }
            TermKind::Return(None) if !body.ret.is_void() => {
                cx.fail(Rule::Type, "a return without the value".into());
            }
            _ => {}
        }
    }
}

struct Cx<'a, P: Phase> {
    decls: &'a Decls,
    body: &'a Body<P>,
    out: &'a mut Vec<Violation>,
    at: BlockId,
}

impl<P: Phase> Cx<'_, P> {
    fn fail(&mut self, rule: Rule, text: String) {
        let text = format!("{:?}: {text}", self.at);
        if self.out.len() < super::MAX_VIOLATIONS {
            self.out.push(Violation { rule, text });
        }
    }

    /// Every step of a place fits.
    fn places(&mut self, what: Visit<'_>) {
        let Visit::Place(place, _) = what else { return };
        let Some(mut ty) = self.body.base_ty(self.decls, place.base) else { return };
        for step in &place.proj {
            // Behind an opened existential types are not known here.
            if ty.is_error()
                || matches!(ty.kind(), TyKind::Param(..))
                || matches!(*ty.kind(), TyKind::Adt(id, _) | TyKind::Variant(id, ..)
                    if has_existentials(self.decls, id))
            {
                return;
            }
            match step_ty(self.decls, ty, step) {
                Some(next) => ty = next,
                None => {
                    let text = format!("{step:?} of {} in {place:?}", text::ty_text(ty));
                    return self.fail(Rule::Place, text);
                }
            }
            if let Proj::Deref(Index::Local(local)) | Proj::Index(Index::Local(local)) = step
                && !self.body.locals[*local].ty.is_integer()
            {
                self.fail(Rule::Place, format!("the index {local:?} is no integer"));
            }
        }
    }

    fn ty(&self, operand: &Operand) -> Option<Ty> {
        self.body.operand_ty(self.decls, operand).filter(|ty| !is_open(*ty))
    }

    fn integer(&mut self, operand: &Operand, what: &str) {
        if let Some(ty) = self.ty(operand)
            && !ty.is_integer()
        {
            self.fail(Rule::Type, format!("{what} is of type {}", text::ty_text(ty)));
        }
    }

    fn pointer(&mut self, operand: &Operand, fat: Option<bool>, what: &str) {
        let Some(ty) = self.ty(operand) else { return };
        let is_fat = match ty.kind() {
            TyKind::Ptr(ptr) => ptr.bounds == Bounds::Fat,
            TyKind::Vla(_) => true,
            _ => return self.fail(Rule::Pointer, format!("{what}: {}", text::ty_text(ty))),
        };
        if fat.is_some_and(|fat| fat != is_fat) {
            self.fail(Rule::Pointer, format!("{what}: {}", text::ty_text(ty)));
        }
    }

    fn zeroterm(&mut self, operand: &Operand, what: &str) {
        self.pointer(operand, Some(false), what);
        if let Some(ty) = self.ty(operand)
            && let Some(ptr) = ty.as_ptr()
            && !ptr.zeroterm
        {
            self.fail(Rule::Pointer, format!("{what}: {}", text::ty_text(ty)));
        }
    }

    fn agree(&mut self, from: Ty, to: Ty, what: &str) {
        if !agree(&self.decls.tables, from, to, 0) {
            let (from, to) = (text::ty_text(from), text::ty_text(to));
            self.fail(Rule::Type, format!("{what}: {from} where {to} is needed"));
        }
    }

    fn stmt(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Assign(place, rvalue) => {
                if let Some(to) = self.body.place_ty(self.decls, place).filter(|ty| !is_open(*ty)) {
                    self.assign(to, rvalue);
                }
            }
            StmtKind::Check(check) => self.check(&check.kind),
            StmtKind::Swap(a, b) => {
                let (a, b) = (self.body.place_ty(self.decls, a), self.body.place_ty(self.decls, b));
                if let (Some(a), Some(b)) = (a, b) {
                    self.agree(a, b, "a swap");
                }
            }
            StmtKind::Alloca { local, count, .. } => {
                if !matches!(self.body.locals[*local].ty.kind(), TyKind::Vla(_)) {
                    self.fail(Rule::Type, format!("{local:?} is no variable-length array"));
                }
                self.integer(count, "a count");
            }
            _ => {}
        }
    }

    fn assign(&mut self, to: Ty, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(a) => {
                if let Some(from) = self.ty(a) {
                    self.agree(from, to, "an assignment");
                }
            }
            Rvalue::Ref(place) => self.reference(to, place),
            Rvalue::Unary(UnOp::Not, _) | Rvalue::IsVariant(..) | Rvalue::IsMember(..) => {
                self.integer_result(to);
            }
            Rvalue::Unary(_, a) => {
                if let Some(from) = self.ty(a) {
                    self.agree(from, to, "an operand");
                }
            }
            Rvalue::Binary(op, a, b) => {
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                for operand in [Some(a), (!shift).then_some(b)].into_iter().flatten() {
                    if let Some(from) = self.ty(operand) {
                        self.agree(from, to, "an operand");
                    }
                }
            }
            Rvalue::Compare(_, a, b) => {
                self.integer_result(to);
                if let (Some(a), Some(b)) = (self.ty(a), self.ty(b)) {
                    if a.is_fat() != b.is_fat() && a.as_ptr().is_some() {
                        self.fail(Rule::Pointer, "a fat pointer compared with a thin one".into());
                    } else if a.as_ptr().is_none() || b.as_ptr().is_none() {
                        self.agree(a, b, "a comparison");
                    }
                }
            }
            Rvalue::Cast(cast, a, ty) => self.cast(*cast, a, *ty, to),
            Rvalue::MakeFat { base, len } => {
                self.pointer(base, Some(false), "the base of a fat pointer");
                self.integer(len, "a length");
                self.result(to, Some(true));
            }
            Rvalue::PtrAdd(ptr, by) => {
                self.pointer(ptr, Some(to.is_fat()), "a moved pointer");
                self.integer(by, "a step");
                self.result(to, None);
            }
            Rvalue::PtrDiff(a, b) => {
                self.pointer(a, None, "an operand");
                self.pointer(b, None, "an operand");
                self.integer_result(to);
            }
            Rvalue::FatLen(a) => self.pointer(a, Some(true), "an operand"),
            Rvalue::ZtLen(a) => self.zeroterm(a, "an operand"),
            Rvalue::ViewFat(a) => {
                self.pointer(a, Some(true), "an operand");
                self.result(to, Some(true));
            }
            Rvalue::Alloc { .. } => self.result(to, Some(false)),
            Rvalue::Aggregate(_) => {
                if to.is_scalar() && !matches!(to.kind(), TyKind::Ptr(_)) {
                    self.fail(Rule::Type, "an aggregate of a scalar type".into());
                }
            }
            Rvalue::Variant(id, variant, _) => {
                let same = matches!(*to.kind(), TyKind::Variant(adt, own, _)
                    if adt == *id && own == *variant);
                if !same && !matches!(*to.kind(), TyKind::Adt(adt, _) if adt == *id) {
                    self.fail(Rule::Type, format!("a variant in a {}", text::ty_text(to)));
                }
            }
            Rvalue::VaArg(_, ty) => self.agree(*ty, to, "an argument"),
        }
    }

    fn integer_result(&mut self, to: Ty) {
        if !to.is_integer() {
            self.fail(Rule::Type, format!("a truth value in a {}", text::ty_text(to)));
        }
    }

    fn result(&mut self, to: Ty, fat: Option<bool>) {
        let is_pointer = to.as_ptr().is_some();
        if !is_pointer || fat.is_some_and(|fat| fat != to.is_fat()) {
            self.fail(Rule::Pointer, format!("the result is a {}", text::ty_text(to)));
        }
    }

    fn reference(&mut self, to: Ty, place: &Place) {
        self.result(to, Some(false));
        let Some(of) = self.body.place_ty(self.decls, place).filter(|ty| !is_open(*ty)) else {
            return;
        };
        let Some(ptr) = to.as_ptr() else { return };
        let decays = match of.kind() {
            TyKind::Array { elem, .. } => agree(&self.decls.tables, *elem, ptr.elem, 1),
            _ => false,
        };
        if !decays {
            self.agree(of, ptr.elem, "a reference");
        }
    }

    fn cast(&mut self, cast: Cast, a: &Operand, ty: Ty, to: Ty) {
        self.agree(ty, to, "the target of a cast");
        match cast {
            Cast::IntToInt | Cast::IntToFloat => self.integer(a, "the operand of a cast"),
            Cast::FloatToInt | Cast::FloatToFloat => {
                if let Some(from) = self.ty(a)
                    && !from.is_float()
                {
                    self.fail(Rule::Type, format!("a float cast of {}", text::ty_text(from)));
                }
            }
            Cast::ToBool => {}
            Cast::PtrToInt => self.pointer(a, None, "the operand of a cast"),
            Cast::Ptr => {
                self.pointer(a, Some(to.is_fat()), "the operand of a cast");
                self.result(to, None);
            }
            Cast::FatToThin => {
                self.pointer(a, Some(true), "the operand of a cast");
                self.result(to, Some(false));
            }
        }
    }

    fn check(&mut self, check: &CheckKind) {
        match check {
            CheckKind::NotNull(a) => self.pointer(a, None, "a null check"),
            CheckKind::Index { index, len } => {
                self.integer(index, "an index");
                self.integer(len, "a length");
            }
            CheckKind::FatIndex { ptr, index } => {
                self.pointer(ptr, Some(true), "a bounds check");
                self.integer(index, "an index");
            }
            CheckKind::ZtIndex { ptr, index, .. }
            | CheckKind::ZtAdd { ptr, index, .. }
            | CheckKind::ZtWrite { ptr, index, .. } => {
                self.zeroterm(ptr, "a check of a terminator");
                self.integer(index, "an index");
            }
            CheckKind::FatAtLeast { ptr, need, .. } => {
                self.pointer(ptr, Some(true), "a bounds check");
                self.integer(need, "a length");
            }
            CheckKind::NonZero(a) | CheckKind::Shift { count: a, .. } => {
                self.integer(a, "a checked operand");
            }
            CheckKind::Count { count, .. } => self.integer(count, "a count"),
            CheckKind::Assert { cond, .. } => self.integer(cond, "a condition"),
            CheckKind::FloatFits { value, .. } => {
                if let Some(ty) = self.ty(value)
                    && !ty.is_float()
                {
                    self.fail(Rule::Type, format!("a float check of {}", text::ty_text(ty)));
                }
            }
            CheckKind::NoOverflow { left, right, .. } => {
                self.integer(left, "an operand");
                self.integer(right, "an operand");
            }
            CheckKind::Tag { place, .. } => {
                let ty = self.body.place_ty(self.decls, place);
                if ty.is_some_and(|ty| !matches!(ty.kind(), TyKind::Adt(..)) && !is_open(ty)) {
                    self.fail(Rule::Type, format!("a tag check of {place:?}"));
                }
            }
        }
    }
}

/// Not known before `mono`.
fn is_open(ty: Ty) -> bool {
    ty.is_error() || matches!(ty.kind(), TyKind::Param(..) | TyKind::Bound(..))
}

/// Pointers to pointers to pointers are compared this deep.
const MAX_DEPTH: u32 = 6;

/// Whether values of the two types are the same bits with the same meaning: regions,
/// aliasability, qualifiers, nullability and lengths of thin pointers apart.
fn agree(tables: &Tables, a: Ty, b: Ty, depth: u32) -> bool {
    if a == b || depth > MAX_DEPTH || is_open(a) || is_open(b) {
        return true;
    }
    if let (Some(a), Some(b)) = (int_form(tables, a), int_form(tables, b)) {
        return a == b;
    }
    match (*a.kind(), *b.kind()) {
        (TyKind::Ptr(a), TyKind::Ptr(b)) => {
            (a.bounds == Bounds::Fat) == (b.bounds == Bounds::Fat)
                && (a.elem.is_void()
                    || b.elem.is_void()
                    || agree(tables, a.elem, b.elem, depth + 1))
        }
        (TyKind::Vla(a), TyKind::Ptr(b)) => {
            b.bounds == Bounds::Fat && agree(tables, a, b.elem, depth + 1)
        }
        (TyKind::Array { elem: a, len: m, .. }, TyKind::Array { elem: b, len: n, .. }) => {
            let same = !matches!((m, n), (IntExpr::Const(m), IntExpr::Const(n)) if m != n);
            same && agree(tables, a, b, depth + 1)
        }
        (TyKind::Tuple(a), TyKind::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| agree(tables, a, b, depth + 1))
        }
        (TyKind::Adt(a, _), TyKind::Adt(b, _)) => a == b,
        (TyKind::Variant(a, m, _), TyKind::Variant(b, n, _)) => a == b && m == n,
        (TyKind::Variant(a, ..), TyKind::Adt(b, _))
        | (TyKind::Adt(a, _), TyKind::Variant(b, ..)) => depth > 0 && a == b,
        (TyKind::Float(a), TyKind::Float(b)) => a == b,
        (TyKind::Func(_), TyKind::Func(_)) => true,
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

/// Bytes and signedness of what counts as an integer.
fn int_form(tables: &Tables, ty: Ty) -> Option<(u64, bool)> {
    match ty.kind() {
        TyKind::Bool => Some((1, false)),
        TyKind::Int(int) => Some((int.bytes(), int.is_signed())),
        TyKind::Enum(id) => {
            let int = tables.enums.get(*id)?.underlying;
            Some((int.bytes(), int.is_signed()))
        }
        TyKind::Tag(_) | TyKind::SizeofT(_) => Some((8, false)),
        _ => None,
    }
}
