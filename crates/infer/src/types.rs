//! Questions about types that many constructs ask, and C's arithmetic conversions.

use crate::cx::Fx;
use crate::region::live::hides_shorter;
use std::sync::LazyLock;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::HirTy;
use toft_ty::layout::layout_of;
use toft_ty::{
    AdtDef, AdtId, AdtKind, Aqual, Bounds, FieldDef, Flags, FloatTy, Folder, GArg, IntExpr, IntTy,
    Kind, LayoutError, PtrTy, Region, Subst, Ty, TyKind, TyQuals,
};

/// The types asked for all the time, interned once.
pub struct Tys {
    pub void: Ty,
    pub bool: Ty,
    pub char: Ty,
    pub int: Ty,
    pub uint: Ty,
    pub long: Ty,
    pub ulong: Ty,
    pub double: Ty,
    pub error: Ty,
    pub void_ptr: Ty,
}

static TYS: LazyLock<Tys> = LazyLock::new(|| Tys {
    void: Ty::void(),
    bool: Ty::bool(),
    char: Ty::int(IntTy::Char),
    int: Ty::int(IntTy::Int),
    uint: Ty::int(IntTy::UInt),
    long: Ty::int(IntTy::Long),
    ulong: Ty::int(IntTy::ULong),
    double: Ty::new(TyKind::Float(FloatTy::Double)),
    error: Ty::error(),
    void_ptr: Ty::ptr(PtrTy::thin(Ty::void(), Region::Heap)),
});

pub fn tys() -> &'static Tys {
    &TYS
}

/// `elem *` in `region` that is never null, of one element.
pub fn notnull(elem: Ty, quals: TyQuals, region: Region) -> PtrTy {
    PtrTy { quals, nullable: false, ..PtrTy::thin(elem, region) }
}

pub fn thin(n: u64) -> Bounds {
    Bounds::Thin(IntExpr::Const(n))
}

/// Whether `region` stands somewhere in `ty`.
pub fn mentions_region(ty: Ty, region: Region) -> bool {
    struct Find(Region, bool);
    impl Folder for Find {
        fn touches(&self, _: Flags) -> bool {
            !self.1
        }
        fn region(&mut self, region: Region, _: u16) -> Region {
            self.1 |= region == self.0;
            region
        }
    }
    let mut find = Find(region, false);
    find.ty(ty);
    find.1
}

/// A member found by name, perhaps inside anonymous members: the fields to go through.
pub struct FieldPath {
    pub path: Vec<u32>,
}

impl<'a> Fx<'a> {
    /// The integer type that stands behind enums, `bool`, tags.
    pub fn int_ty(&self, ty: Ty) -> Option<IntTy> {
        match *ty.kind() {
            TyKind::Int(int) => Some(int),
            TyKind::Bool => Some(IntTy::UChar),
            TyKind::Enum(id) => Some(self.prog.tables.enums[id].underlying),
            TyKind::Tag(_) | TyKind::SizeofT(_) => Some(IntTy::ULong),
            _ => None,
        }
    }

    /// Integer promotion. `bits`: the operand is a bit-field of that width.
    pub fn promoted(&self, ty: Ty, bits: Option<u32>) -> Ty {
        let Some(int) = self.int_ty(ty) else { return ty };
        match bits {
            Some(width) if width < 32 || (width == 32 && int.is_signed()) => return self.t.int,
            Some(32) => return self.t.uint,
            _ => {}
        }
        if int.rank() < IntTy::Int.rank() { self.t.int } else { self.int_of(int) }
    }

    pub fn int_of(&self, int: IntTy) -> Ty {
        match int {
            IntTy::Int => self.t.int,
            IntTy::UInt => self.t.uint,
            IntTy::Long => self.t.long,
            IntTy::ULong => self.t.ulong,
            IntTy::Char => self.t.char,
            other => Ty::int(other),
        }
    }

    /// The usual arithmetic conversions on two promoted types.
    pub fn usual(&self, a: Ty, b: Ty) -> Ty {
        if a == b {
            return a;
        }
        match (a.kind(), b.kind()) {
            (TyKind::Float(x), TyKind::Float(y)) => {
                if x.bytes() >= y.bytes() {
                    a
                } else {
                    b
                }
            }
            (TyKind::Float(_), _) => a,
            (_, TyKind::Float(_)) => b,
            (TyKind::Int(x), TyKind::Int(y)) => {
                if x.is_signed() == y.is_signed() {
                    return if x.rank() >= y.rank() { a } else { b };
                }
                let (signed, unsigned) = if x.is_signed() { (*x, *y) } else { (*y, *x) };
                if unsigned.rank() >= signed.rank() {
                    self.int_of(unsigned)
                } else if signed.bits() > unsigned.bits() {
                    self.int_of(signed)
                } else {
                    self.int_of(signed.to_unsigned())
                }
            }
            _ => a,
        }
    }

    /// A type written in an expression, with what `typeof` measures.
    pub fn hir_ty(&mut self, written: &'a HirTy) -> (Ty, TyQuals) {
        match written {
            HirTy::Known(ty, quals) => (self.open_holes(*ty), *quals),
            HirTy::Typeof(expr, ty) => {
                let of = self.type_of(expr);
                (self.fill_typeof(*ty, of), TyQuals::default())
            }
        }
    }

    pub fn adt(&self, id: AdtId) -> &'a AdtDef {
        let prog: &'a toft_hir::Program = self.prog;
        &prog.tables.adts[id]
    }

    /// The type of a field of an ADT used at `args`.
    pub fn field_ty(&self, field: &FieldDef, args: &[GArg]) -> Ty {
        if field.ty.flags().has(Flags::PARAM) { Subst(args).ty(field.ty) } else { field.ty }
    }

    /// Finds a member, looking into anonymous members too.
    pub fn find_field(&self, id: AdtId, name: Symbol) -> Option<FieldPath> {
        let mut path = Vec::new();
        if self.search_field(id, name, &mut path, 0) { Some(FieldPath { path }) } else { None }
    }

    fn search_field(&self, id: AdtId, name: Symbol, path: &mut Vec<u32>, depth: u32) -> bool {
        let def = self.adt(id);
        if let Some((n, _)) = def.field_named(name) {
            path.push(n as u32);
            return true;
        }
        if depth > 32 {
            return false;
        }
        for (n, field) in def.fields.as_deref().unwrap_or(&[]).iter().enumerate() {
            if field.name.is_none()
                && field.bits.is_none()
                && let TyKind::Adt(inner, _) = *field.ty.kind()
            {
                path.push(n as u32);
                if self.search_field(inner, name, path, depth + 1) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// Size in bytes, when known before specialisation.
    pub fn size_of(&self, ty: Ty) -> Result<u64, LayoutError> {
        match *ty.kind() {
            TyKind::Int(int) => Ok(int.bytes()),
            _ => layout_of(&self.prog.tables, self.deep(ty)).map(|layout| layout.size),
        }
    }

    /// Reports the use of what is inside an abstract type, outside its file.
    pub fn is_abstract_here(&mut self, id: AdtId, ty: Ty, at: Span) -> bool {
        let Some(file) = self.adt(id).abstract_in else { return false };
        let map = self.sess.map.borrow();
        if map.file_of(map.call_site(at).lo) == Some(file) {
            return false;
        }
        drop(map);
        let text = self.show(ty);
        let message = format!("{text} is abstract: its members are known in its own file only");
        self.error(codes::E1006, at, message);
        true
    }

    /// As [`Fx::need_complete`], for the type of a declared object: what resolve has refused
    /// of it already is not said again.
    pub fn need_complete_object(&mut self, ty: Ty, span: Span) -> bool {
        let known = layout_of(&self.prog.tables, self.deep(ty));
        let said = matches!(known, Err(LayoutError::Incomplete | LayoutError::NotAnObject));
        if said && self.sess.has_errors() {
            self.poison();
            return false;
        }
        self.need_complete(ty, span)
    }

    /// The struct in `ty`, itself or as element of arrays, whose last member is `T a[]`.
    pub fn flexible(&self, ty: Ty) -> Option<AdtId> {
        match *self.shallow(ty).kind() {
            TyKind::Array { elem, .. } => self.flexible(elem),
            TyKind::Adt(id, _) if self.adt(id).flexible().is_some() => Some(id),
            _ => None,
        }
    }

    /// Reports a type that has no size here. Generic types are fine.
    pub fn need_complete(&mut self, ty: Ty, span: Span) -> bool {
        let ty = self.shallow(ty);
        if let Some(id) = self.flexible(ty) {
            let text = self.show(ty);
            let def = self.adt(id);
            let field = def.fields.iter().flatten().next_back().map_or(def.span, |f| f.span);
            self.report(
                Diagnostic::error(
                    codes::E0305,
                    format!("an object of type {text} has no fixed size"),
                    span,
                    "",
                )
                .label(field, "this array has as many elements as were allocated for it")
                .help("make it with `malloc(sizeof(struct S) + n * sizeof(T))`, and use it through pointers"),
            );
            return false;
        }
        self.need_sized(ty, span)
    }

    /// As [`Fx::need_complete`], where the object as a whole is neither made nor copied.
    pub fn need_sized(&mut self, ty: Ty, span: Span) -> bool {
        let ty = self.shallow(ty);
        match ty.kind() {
            TyKind::Int(_) | TyKind::Ptr(_) | TyKind::Error | TyKind::Bool | TyKind::Float(_) => {
                return true;
            }
            TyKind::Opaque { .. } => {
                self.error(
                    codes::E0900,
                    span,
                    "this type of the host is not supported in Toft code",
                );
                return false;
            }
            TyKind::Vla(_) => return true,
            _ => {}
        }
        let error = match layout_of(&self.prog.tables, self.deep(ty)) {
            Ok(_) | Err(LayoutError::Generic) => return true,
            Err(error) => error,
        };
        let text = self.show(ty);
        let diagnostic = match error {
            LayoutError::TooLarge => {
                Diagnostic::error(codes::E0308, format!("{text} is too large"), span, "")
            }
            LayoutError::NotAnObject if ty.is_void() => {
                Diagnostic::error(codes::E0305, "an object cannot have type `void`", span, "")
            }
            _ => {
                let mut d = Diagnostic::error(
                    codes::E0305,
                    format!("the contents of {text} are not known here"),
                    span,
                    "",
                );
                if let TyKind::Adt(id, _) = *ty.kind() {
                    let def = self.adt(id);
                    d = if def.is_datatype() {
                        d.help("values of a datatype live behind pointers: write `datatype T *`")
                    } else if def.is_complete() {
                        d.note("it would hold by value a datatype, or a struct whose last member is an array without a size")
                    } else {
                        d.label(def.span, "only declared here")
                    };
                }
                d
            }
        };
        self.report(diagnostic);
        false
    }

    /// No pointer, tag, or unknown type inside: any bytes are a value.
    pub fn pointer_free(&self, ty: Ty) -> bool {
        self.scan(ty, &mut |ty| match ty.kind() {
            TyKind::Int(_) | TyKind::Float(_) | TyKind::Enum(_) | TyKind::Bool => Some(true),
            // Its terminator must not be overwritten.
            TyKind::Array { zeroterm: true, .. } => Some(false),
            TyKind::Array { .. } | TyKind::Tuple(_) => None,
            TyKind::Adt(id, _) => match self.adt(*id).kind {
                AdtKind::Struct | AdtKind::Union if self.adt(*id).exists.is_empty() => {
                    // Bytes written by a view would be checked by nothing.
                    let fields = self.adt(*id).fields.as_deref().unwrap_or(&[]);
                    let refined = fields.iter().any(|field| field.quals.refine.is_some());
                    refined.then_some(false)
                }
                _ => Some(false),
            },
            _ => Some(false),
        })
    }

    /// All-zero bytes are a value.
    pub fn zeroable(&self, ty: Ty) -> bool {
        self.scan(ty, &mut |ty| match ty.kind() {
            TyKind::Ptr(ptr) => Some(ptr.nullable),
            TyKind::Variant(..) | TyKind::Func(_) | TyKind::RegionHandle(_) => Some(false),
            TyKind::Adt(id, _) => {
                let def = self.adt(*id);
                match def.kind {
                    AdtKind::Datatype | AdtKind::OpenDatatype => Some(false),
                    _ if def
                        .fields
                        .iter()
                        .flatten()
                        .any(|field| !self.prog.tables.zero_fits(field.quals)) =>
                    {
                        Some(false)
                    }
                    // Tag 0 is the first member.
                    _ if def.exists.is_empty() => None,
                    // What is hidden may be taken for `'H` and `int`, unless it is bounded.
                    _ if hides_shorter(&def.bounds, def.generics.len()) => Some(false),
                    _ => {
                        let TyKind::Adt(_, args) = *ty.kind() else { return Some(false) };
                        let mut all = args.to_vec();
                        all.extend(def.exists.iter().map(|param| match param.kind {
                            Kind::Any | Kind::Word => GArg::Ty(self.t.int),
                            Kind::Region => GArg::Region(Region::Heap),
                            Kind::Effect => GArg::Effect(&[]),
                            Kind::Int => GArg::Int(IntExpr::Const(0)),
                            Kind::Aqual => GArg::Aqual(Aqual::Aliasable),
                        }));
                        let mut fields = def.fields.iter().flatten();
                        Some(fields.all(|field| self.zeroable(self.field_ty(field, &all))))
                    }
                }
            }
            TyKind::Array { .. } | TyKind::Tuple(_) => None,
            TyKind::Tag(int) => Some(matches!(int, IntExpr::Const(0))),
            TyKind::SizeofT(_) | TyKind::Param(..) | TyKind::Infer(_) | TyKind::Bound(..) => {
                Some(false)
            }
            _ => Some(true),
        })
    }

    /// Whether `judge` holds for all parts; `None` from it means "look inside".
    fn scan(&self, ty: Ty, judge: &mut dyn FnMut(Ty) -> Option<bool>) -> bool {
        self.scan_at(ty, judge, 0)
    }

    fn scan_at(&self, ty: Ty, judge: &mut dyn FnMut(Ty) -> Option<bool>, depth: u32) -> bool {
        let ty = self.shallow(ty);
        if depth > 128 {
            return false;
        }
        if let Some(answer) = judge(ty) {
            return answer;
        }
        match *ty.kind() {
            TyKind::Array { elem, .. } => self.scan_at(elem, judge, depth + 1),
            TyKind::Tuple(fields) => fields.iter().all(|&ty| self.scan_at(ty, judge, depth + 1)),
            TyKind::Adt(id, args) => match self.adt(id).fields.as_deref() {
                Some(fields) => fields
                    .iter()
                    .all(|field| self.scan_at(self.field_ty(field, args), judge, depth + 1)),
                None => false,
            },
            _ => true,
        }
    }

    /// Whether a value of `ty` holds something const, so that it cannot be assigned.
    pub fn has_const_member(&self, ty: Ty) -> bool {
        self.const_member(ty, 0)
    }

    fn const_member(&self, ty: Ty, depth: u32) -> bool {
        match *ty.kind() {
            TyKind::Adt(id, _) if depth < 64 => {
                let fields = self.adt(id).fields.as_deref().unwrap_or(&[]);
                fields.iter().any(|f| f.quals.is_const || self.const_member(f.ty, depth + 1))
            }
            TyKind::Array { elem, .. } if depth < 64 => self.const_member(elem, depth + 1),
            _ => false,
        }
    }

    pub fn is_char(&self, ty: Ty) -> bool {
        matches!(self.shallow(ty).kind(), TyKind::Int(IntTy::Char))
    }

    /// A word for error messages about what a type variable's value cannot do.
    pub fn refuse_opaque(&mut self, ty: Ty, span: Span, verb: &str) -> bool {
        if !matches!(ty.kind(), TyKind::Param(..)) {
            return false;
        }
        let text = self.show(ty);
        self.report(
            Diagnostic::error(codes::E1003, format!("a value of type {text} cannot be {verb}"), span, "")
                .note("nothing is known about a type variable: its values can be copied, passed and stored, nothing else"),
        );
        true
    }
}
