//! Places: the way into memory, and the checks along it.
//!
//! A place is first walked (its pointers and indices are evaluated, left to right) and
//! only then opened: the checks come out, and the MIR place. Between the two an assignment
//! evaluates its right side.

use crate::builder::{Lower, local_id};
use toft_base::{Idx, Span};
use toft_diag::{Diagnostic, codes};
use toft_mir::{Base, CheckKind, Index, LocalId, Operand, Place, Proj, Rvalue};
use toft_tir::{Expr, ExprKind, PlaceKind};
use toft_ty::{AdtKind, Bounds, IntExpr, PtrTy, Ty, TyKind};

/// What is going to be done with a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
    /// Its address is taken.
    Addr,
    /// It is a part of the way to another place.
    Inner,
}

/// A place that has been walked but not yet opened.
pub(crate) struct Path {
    base: Base,
    steps: Vec<Step>,
}

enum Step {
    Deref {
        index: Index,
        ptr: &'static PtrTy,
        span: Span,
    },
    /// Into an array of `len` elements.
    Element {
        index: Index,
        len: IntExpr,
        zeroterm: bool,
        span: Span,
    },
    Field(u32),
    /// Of a tagged union.
    Member(u32, Span),
}

/// An opened place, and what a write to it still needs.
pub(crate) struct Opened {
    pub place: Place,
    /// An element of a zero-terminated sequence: what a write has to respect.
    pub zero: Option<ZeroRule>,
    /// A member of the tagged union in the place: becomes the current one.
    pub tag: Option<(Place, u32)>,
}

pub(crate) struct ZeroRule {
    pub ptr: Operand,
    pub index: Operand,
    pub known: u64,
    pub span: Span,
}

impl Lower<'_> {
    /// Walks and opens a place that is read.
    pub fn read_place(&mut self, place: &toft_tir::Place) -> Place {
        let path = self.walk(place);
        self.open(path, Access::Read).place
    }

    /// Evaluates the pointers and indices of a place.
    pub fn walk(&mut self, place: &toft_tir::Place) -> Path {
        match &place.kind {
            PlaceKind::Local(local) => Path::new(Base::Local(local_id(*local))),
            PlaceKind::Global(global) => Path::new(Base::Global(*global)),
            PlaceKind::Deref(ptr) => {
                let index = Index::Const(0);
                self.walk_deref(ptr, None, index, place.span)
            }
            PlaceKind::PtrIndex(ptr, index) => {
                self.walk_deref(ptr, Some(index), Index::Const(0), place.span)
            }
            PlaceKind::ArrayIndex(array, index) => {
                let mut path = self.walk(array);
                self.protect(&mut path, &[index]);
                let index = self.index(index);
                path.steps.push(match *array.ty.kind() {
                    TyKind::Vla(elem) => {
                        let ptr = vla_ptr(elem, place);
                        Step::Deref { index, ptr, span: place.span }
                    }
                    TyKind::Array { len, zeroterm, .. } => {
                        Step::Element { index, len, zeroterm, span: place.span }
                    }
                    _ => Step::Element {
                        index,
                        len: IntExpr::Unknown,
                        zeroterm: false,
                        span: place.span,
                    },
                });
                path
            }
            PlaceKind::Field(inner, field) => {
                let mut path = self.walk(inner);
                let tagged = match inner.ty.kind() {
                    TyKind::Adt(id, _) => matches!(
                        self.decls.tables.adts[*id].kind,
                        AdtKind::TaggedUnion | AdtKind::PackedUnion
                    ),
                    _ => false,
                };
                path.steps.push(match tagged {
                    true => Step::Member(*field, place.span),
                    false => Step::Field(*field),
                });
                path
            }
            PlaceKind::Temp(value, region) => {
                let temp = self.temp_in(place.ty, *region, place.span);
                self.into(value, Place::local(temp), true);
                Path::new(Base::Local(temp))
            }
        }
    }

    fn walk_deref(&mut self, ptr: &Expr, index: Option<&Expr>, at: Index, span: Span) -> Path {
        let later: &[&Expr] = index.as_slice();
        if let Some((inner, ty)) = self.tracked_chain(ptr) {
            let mut path = self.walk(inner);
            self.protect(&mut path, later);
            let index = index.map_or(at, |index| self.index(index));
            self.stays_put(&path, later, span);
            path.steps.push(Step::Deref { index, ptr: ty, span });
            return path;
        }
        let (base, ty) = self.pointer(ptr, later);
        let index = index.map_or(at, |index| self.index(index));
        let mut path = Path::new(base.base);
        for step in base.proj {
            if let Proj::Field(field) = step {
                path.steps.push(Step::Field(field));
            }
        }
        path.steps.push(Step::Deref { index, ptr: ty, span });
        path
    }

    /// A pointer value as a place to go through: a variable, or fields of one. Nothing in
    /// `later` changes it.
    fn pointer(&mut self, e: &Expr, later: &[&Expr]) -> (Place, &'static PtrTy) {
        // The VLA itself serves as the fat pointer to its elements; a member's is copied out.
        if let ExprKind::Decay(inner) = &e.kind
            && matches!(inner.kind, PlaceKind::Local(_))
            && let (TyKind::Vla(_), Some(ty)) = (inner.ty.kind(), e.ty.as_ptr())
        {
            return (self.read_place(inner), ty);
        }
        let op = self.look(e);
        let tracked = self.is_tracked(e.ty);
        let plain = match &op {
            Operand::Copy(place) | Operand::Move(place) => {
                matches!(place.base, Base::Local(_))
                    && place.proj.iter().all(|step| matches!(step, Proj::Field(_)))
                    && (tracked || !self.any_disturbs(later, place))
            }
            Operand::Const(_) => false,
        };
        let ty = e.ty.as_ptr().unwrap_or_else(|| broken_ptr(e.ty));
        match op {
            Operand::Copy(place) | Operand::Move(place) if plain => (place, ty),
            op => {
                let own = self.operand_ty(&op).filter(|own| own.as_ptr().is_some());
                (Place::local(self.keep(Rvalue::Use(op), own.unwrap_or(e.ty), e.span)), ty)
            }
        }
    }

    /// An index: a constant, or a variable that holds it.
    pub fn index(&mut self, e: &Expr) -> Index {
        let op = self.operand(e);
        if let Some(value) = op.as_int()
            && let Ok(value) = u64::try_from(value)
        {
            return Index::Const(value);
        }
        if let Some(local) = op.place().and_then(Place::as_local) {
            return Index::Local(local);
        }
        // A negative constant keeps its sign in a `long`.
        let ty = if op.as_int().is_some() { self.ty.long } else { e.ty };
        let op = match op.as_int() {
            Some(value) => Operand::int(value, ty),
            None => op,
        };
        Index::Local(self.keep(Rvalue::Use(op), ty, e.span))
    }

    pub fn index_operand(&self, index: Index) -> Operand {
        match index {
            Index::Const(value) => self.ulong(value),
            Index::Local(local) => Operand::Copy(Place::local(local)),
        }
    }

    /// A tracked pointer is followed where it lies when the access is made: nothing in `later`
    /// may store another one there.
    fn stays_put(&mut self, path: &Path, later: &[&Expr], span: Span) {
        let place = Place { base: path.base, proj: Vec::new() };
        self.stays(Operand::Copy(place), later, span);
    }

    /// The first pointer that the path goes through, when it can be put aside.
    fn first_deref(&self, path: &Path) -> Option<usize> {
        let n = path.steps.iter().position(|step| matches!(step, Step::Deref { .. }))?;
        match &path.steps[n] {
            Step::Deref { ptr, .. } => {
                (!toft_ty::aqual_tracked(&self.func.generics, ptr.aqual)).then_some(n)
            }
            _ => None,
        }
    }

    /// Puts aside what the path has evaluated and `later` could change.
    pub fn protect(&mut self, path: &mut Path, later: &[&Expr]) {
        let first = self.first_deref(path);
        if first.is_none()
            && let Some(Step::Deref { span, .. }) =
                path.steps.iter().find(|step| matches!(step, Step::Deref { .. }))
        {
            let span = *span;
            self.stays_put(path, later, span);
        }
        if let Some(n) = first {
            let prefix = Place { base: path.base, proj: projections(&path.steps[..n]) };
            if self.any_disturbs(later, &prefix)
                && let Step::Deref { span, .. } = path.steps[n]
                && let Some(ty) = self.body.place_ty(self.decls, &prefix)
            {
                let temp = self.keep(Rvalue::Use(Operand::Copy(prefix)), ty, span);
                path.base = Base::Local(temp);
                path.steps.drain(..n);
            }
        }
        for n in 0..path.steps.len() {
            let (Step::Deref { index: Index::Local(local), span, .. }
            | Step::Element { index: Index::Local(local), span, .. }) = path.steps[n]
            else {
                continue;
            };
            let place = Place::local(local);
            if self.any_disturbs(later, &place) {
                let ty = self.body.locals[local].ty;
                let temp = self.keep(Rvalue::Use(Operand::Copy(place)), ty, span);
                if let Step::Deref { index, .. } | Step::Element { index, .. } = &mut path.steps[n]
                {
                    *index = Index::Local(temp);
                }
            }
        }
    }

    /// Puts aside every variable of the program that the path hangs on.
    pub fn freeze(&mut self, path: &mut Path) {
        let own = self.func.locals.len();
        if let Some(n) = self.first_deref(path) {
            let prefix = Place { base: path.base, proj: projections(&path.steps[..n]) };
            if let (Step::Deref { span, .. }, Some(ty)) =
                (&path.steps[n], self.body.place_ty(self.decls, &prefix))
            {
                let temp = self.keep(Rvalue::Use(Operand::Copy(prefix)), ty, *span);
                path.base = Base::Local(temp);
                path.steps.drain(..n);
            }
        }
        for n in 0..path.steps.len() {
            if let Step::Deref { index: Index::Local(local), span, .. }
            | Step::Element { index: Index::Local(local), span, .. } = path.steps[n]
                && local.index() < own
            {
                let ty = self.body.locals[local].ty;
                let temp = self.keep(Rvalue::Use(Operand::Copy(Place::local(local))), ty, span);
                if let Step::Deref { index, .. } | Step::Element { index, .. } = &mut path.steps[n]
                {
                    *index = Index::Local(temp);
                }
            }
        }
    }

    /// Emits the checks of the path and gives the place.
    pub fn open(&mut self, path: Path, access: Access) -> Opened {
        let mut place = Place { base: path.base, proj: Vec::with_capacity(path.steps.len()) };
        let mut opened = (None, None);
        let count = path.steps.len();
        for (n, step) in path.steps.into_iter().enumerate() {
            let access = if n + 1 == count { access } else { Access::Inner };
            match step {
                Step::Field(field) => place.proj.push(Proj::Field(field)),
                Step::Member(field, span) => {
                    if access == Access::Write {
                        opened.1 = Some((place.clone(), field));
                    } else {
                        self.check(span, CheckKind::Tag { place: place.clone(), field });
                    }
                    place.proj.push(Proj::Field(field));
                }
                Step::Element { index, len, zeroterm, span } => {
                    opened.0 = self.check_element(index, len, zeroterm, access, span);
                    place.proj.push(Proj::Index(index));
                }
                Step::Deref { index, ptr, span } => {
                    opened.0 = self.check_deref(&place, index, ptr, access, span);
                    place.proj.push(Proj::Deref(index));
                }
            }
        }
        Opened { place, zero: opened.0, tag: opened.1 }
    }

    fn check_element(
        &mut self,
        index: Index,
        len: IntExpr,
        zeroterm: bool,
        access: Access,
        span: Span,
    ) -> Option<ZeroRule> {
        // The last element of an array with a terminator stays zero.
        let len = match len {
            IntExpr::Const(n) if zeroterm && matches!(access, Access::Write | Access::Addr) => {
                IntExpr::Const(n.saturating_sub(1))
            }
            len => len,
        };
        self.check_below(index, len, span);
        None
    }

    /// `index < len`, unless both are constants that say so.
    fn check_below(&mut self, index: Index, len: IntExpr, span: Span) {
        if let (Index::Const(at), IntExpr::Const(len)) = (index, len)
            && at < len
        {
            return;
        }
        let index = self.index_operand(index);
        let len = self.int_value(len, span);
        self.check(span, CheckKind::Index { index, len });
    }

    /// The value of a type-level integer: a constant, or the variable that carries it.
    pub fn int_value(&mut self, int: IntExpr, span: Span) -> Operand {
        if let IntExpr::Const(value) = int {
            return self.ulong(value);
        }
        let carrier =
            self.func.locals.iter().position(
                |local| matches!(local.ty.kind(), TyKind::Tag(carried) if *carried == int),
            );
        match carrier {
            Some(n) => Operand::Copy(Place::local(LocalId::from_usize(n))),
            None => {
                self.sess.emit(
                    Diagnostic::error(
                        codes::E0507,
                        "the number of elements is not known here",
                        span,
                        "",
                    )
                    .help("a variable of the matching `tag_t` type must be in scope"),
                );
                self.ulong(0)
            }
        }
    }

    fn check_deref(
        &mut self,
        place: &Place,
        index: Index,
        ptr: &PtrTy,
        access: Access,
        span: Span,
    ) -> Option<ZeroRule> {
        let pointer = Operand::Copy(place.clone());
        let Bounds::Thin(len) = ptr.bounds else {
            let index = self.index_operand(index);
            self.check(span, CheckKind::FatIndex { ptr: pointer, index });
            return None;
        };
        if ptr.nullable {
            self.check(span, CheckKind::NotNull(pointer.clone()));
        }
        if !ptr.zeroterm {
            self.check_below(index, len, span);
            return None;
        }
        self.check_zeroterm(pointer, index, ptr, access, span)
    }

    fn check_zeroterm(
        &mut self,
        ptr: Operand,
        at: Index,
        ty: &PtrTy,
        access: Access,
        span: Span,
    ) -> Option<ZeroRule> {
        let known = match ty.bounds {
            Bounds::Thin(IntExpr::Const(n)) => n,
            _ => 0,
        };
        let index = self.index_operand(at);
        // Element `known` is there too: an element or the terminator.
        if !matches!(at, Index::Const(at) if at <= known) {
            let check = CheckKind::ZtIndex { ptr: ptr.clone(), index: index.clone(), known };
            self.check(span, check);
        }
        if matches!(at, Index::Const(at) if at < known) || ty.quals.is_const {
            return None;
        }
        match access {
            Access::Write => Some(ZeroRule { ptr, index, known, span }),
            Access::Addr => {
                // Through a plain pointer anything may be written: it must not be the
                // terminator.
                let value = Operand::int(1, ty.elem);
                self.check(span, CheckKind::ZtWrite { ptr, index, value, known });
                None
            }
            Access::Read | Access::Inner => None,
        }
    }

    /// Before `value` is stored in the opened place.
    pub fn before_store(&mut self, opened: &mut Opened, value: &Operand, span: Span) {
        if let Some(rule) = opened.zero.take()
            && !is_zero(value)
        {
            let ZeroRule { ptr, index, known, span } = rule;
            let value = value.clone();
            self.check(span, CheckKind::ZtWrite { ptr, index, value, known });
        }
        if let Some((union, field)) = opened.tag.take() {
            self.emit(span, toft_mir::StmtKind::SetTag(union, field));
        }
    }

    /// `place` as a thin pointer to it, or to its first element.
    pub fn address(&mut self, place: &toft_tir::Place) -> Rvalue {
        let path = self.walk(place);
        Rvalue::Ref(self.open(path, Access::Addr).place)
    }

    pub fn decay(&mut self, place: &toft_tir::Place, ty: Ty, span: Span) -> Rvalue {
        let path = self.walk(place);
        let inner = self.open(path, Access::Inner).place;
        match (place.ty.kind(), ty.as_ptr()) {
            (TyKind::Vla(_), _) => Rvalue::Use(Operand::Copy(inner)),
            (TyKind::Array { len, .. }, Some(ptr)) if ptr.bounds == Bounds::Fat => {
                let thin = Ty::ptr(PtrTy { bounds: Bounds::Thin(*len), nullable: false, ..*ptr });
                let base = self.settle(Rvalue::Ref(inner), thin, span);
                let len = self.int_value(*len, span);
                Rvalue::MakeFat { base, len }
            }
            _ => Rvalue::Ref(inner),
        }
    }
}

impl Path {
    fn new(base: Base) -> Path {
        Path { base, steps: Vec::new() }
    }

    /// The whole of a variable.
    pub fn as_local(&self) -> Option<LocalId> {
        match self.base {
            Base::Local(local) if self.steps.is_empty() => Some(local),
            _ => None,
        }
    }

    /// Opening it emits nothing, and a store needs nothing more.
    pub fn is_plain(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Field(_)))
    }

    /// Its last step is a member of a tagged union.
    pub fn ends_in_member(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Member(..)))
    }
}

fn projections(steps: &[Step]) -> Vec<Proj> {
    let projection = |step: &Step| match *step {
        Step::Deref { index, .. } => Proj::Deref(index),
        Step::Element { index, .. } => Proj::Index(index),
        Step::Field(field) | Step::Member(field, _) => Proj::Field(field),
    };
    steps.iter().map(projection).collect()
}

fn vla_ptr(elem: Ty, place: &toft_tir::Place) -> &'static PtrTy {
    let fat = PtrTy {
        quals: place.quals,
        nullable: false,
        ..PtrTy::fat(elem, toft_ty::Region::Local(toft_mir::RegionId(0)))
    };
    let ty = Ty::ptr(fat);
    ty.as_ptr().unwrap_or_else(|| broken_ptr(ty))
}

/// For a tree that broke its invariants: a pointer every access to which is checked.
fn broken_ptr(elem: Ty) -> &'static PtrTy {
    static BROKEN: std::sync::OnceLock<PtrTy> = std::sync::OnceLock::new();
    BROKEN.get_or_init(|| PtrTy {
        bounds: Bounds::Thin(IntExpr::Const(0)),
        ..PtrTy::thin(elem, toft_ty::Region::Heap)
    })
}

pub(crate) fn is_zero(value: &Operand) -> bool {
    match value {
        Operand::Const(c) => match c.kind {
            toft_mir::ConstKind::Int(value) => value == 0,
            toft_mir::ConstKind::Null => true,
            _ => false,
        },
        _ => false,
    }
}
