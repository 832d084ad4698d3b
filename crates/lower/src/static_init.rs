//! Constant initialisers of globals.

use crate::consts::{self, bin_op, cmp_op, float_const, fold_binary, fold_compare, int_ty};
use crate::convert::retype;
use crate::expr::unit_bytes;
use toft_base::Span;
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_mir::{
    Const, ConstKind, Decls, GlobalDecl, GlobalId, Index, Operand, Place, Proj, StaticInit,
};
use toft_tir::{Aggregate, AggregateKind, Conv, CountOf, Expr, ExprKind, PlaceKind};
use toft_ty::{IntExpr, Ty, TyKind};

/// Gives a global its initialiser; an array without a length takes the initialiser's.
pub fn add_global_init(
    sess: &Session,
    decls: &mut Decls,
    id: GlobalId,
    value: &Expr,
) -> Result<(), Reported> {
    let init = static_init(sess, decls, value)?;
    let Some(global) = decls.globals.get_mut(id) else { return Ok(()) };
    if matches!(global.ty.kind(), TyKind::Array { len: IntExpr::Unknown, .. }) {
        global.ty = value.ty;
    }
    global.init = Some(init);
    Ok(())
}

/// The initialiser as data. Compound literals in it become globals of their own.
pub fn static_init(
    sess: &Session,
    decls: &mut Decls,
    value: &Expr,
) -> Result<StaticInit, Reported> {
    Static { sess, decls }.value(value)
}

struct Static<'a> {
    sess: &'a Session,
    decls: &'a mut Decls,
}

type Out = Result<StaticInit, Reported>;

impl Static<'_> {
    fn value(&mut self, e: &Expr) -> Out {
        let constant = |kind| Ok(StaticInit::Value(Operand::Const(Const { kind, ty: e.ty })));
        match &e.kind {
            ExprKind::Int(value) => constant(ConstKind::Int(*value)),
            ExprKind::Float(value) => Ok(StaticInit::Value(float_const(*value, e.ty))),
            ExprKind::Null => constant(ConstKind::Null),
            ExprKind::Str { width, units, writable } => constant(ConstKind::Str {
                units: units.as_ref().into(),
                bytes: unit_bytes(*width),
                writable: *writable,
            }),
            ExprKind::FuncAddr(func, args) => constant(ConstKind::Func(*func, args.clone())),
            ExprKind::Sizeof(ty) => constant(ConstKind::Sizeof(*ty)),
            ExprKind::Alignof(ty) => constant(ConstKind::Alignof(*ty)),
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                let decays = matches!(e.kind, ExprKind::Decay(_));
                let len = match (decays && e.ty.is_fat(), place.ty.kind()) {
                    (true, TyKind::Array { len: IntExpr::Const(len), .. }) => Some(*len),
                    _ => None,
                };
                Ok(StaticInit::Address { place: self.place(place)?, len })
            }
            ExprKind::Conv(conv, inner) => self.convert(*conv, inner, e),
            ExprKind::Aggregate(agg) => self.aggregate(agg, e),
            ExprKind::PtrAdd(ptr, index) => self.pointer_add(ptr, index, e.span),
            ExprKind::Load(place) => match &place.kind {
                PlaceKind::Temp(inner, _) => self.value(inner),
                _ => Err(self.refuse(e.span)),
            },
            ExprKind::Cond(cond, yes, no) => {
                let chosen = if self.int(cond)? != 0 { yes } else { no };
                self.value(chosen)
            }
            _ => self.arithmetic(e),
        }
    }

    fn refuse(&self, span: Span) -> Reported {
        self.sess.emit(
            Diagnostic::error(
                codes::E0307,
                "the initialiser of a global must be a constant",
                span,
                "this is known at run time only",
            )
            .help("give the variable its value at the start of `main`"),
        )
    }

    fn int(&mut self, e: &Expr) -> Result<i128, Reported> {
        let value = self.value(e)?;
        as_int(&value).ok_or_else(|| self.refuse(e.span))
    }

    fn arithmetic(&mut self, e: &Expr) -> Out {
        let int = int_ty(self.decls, e.ty);
        let value = match &e.kind {
            ExprKind::Neg(a) | ExprKind::BitNot(a) => {
                let value = self.value(a)?;
                if let StaticInit::Value(Operand::Const(Const {
                    kind: ConstKind::Float(value),
                    ..
                })) = value
                {
                    return Ok(StaticInit::Value(float_const(-value, e.ty)));
                }
                let value = as_int(&value);
                let apply = |value: i128| match &e.kind {
                    ExprKind::Neg(_) => -value,
                    _ => !value,
                };
                value.zip(int).map(|(value, int)| int.wrap(apply(value)))
            }
            ExprKind::Not(a) => Some(i128::from(self.int(a)? == 0)),
            ExprKind::And(a, b) => Some(i128::from(self.int(a)? != 0 && self.int(b)? != 0)),
            ExprKind::Or(a, b) => Some(i128::from(self.int(a)? != 0 || self.int(b)? != 0)),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                cmp_op(*op).map(|op| i128::from(fold_compare(op, a, b)))
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, e),
            ExprKind::Comma(_, b) => return self.value(b),
            _ => None,
        };
        match value {
            Some(value) => Ok(StaticInit::Value(Operand::int(value, e.ty))),
            None => Err(self.refuse(e.span)),
        }
    }

    fn binary(&mut self, op: toft_hir::ops::BinOp, a: &Expr, b: &Expr, e: &Expr) -> Out {
        let (x, y) = (self.value(a)?, self.value(b)?);
        let op = bin_op(op);
        if let (Some(x), Some(y)) = (as_float(&x), as_float(&y)) {
            use toft_mir::BinOp::*;
            let value = match op {
                Some(Add) => x + y,
                Some(Sub) => x - y,
                Some(Mul) => x * y,
                Some(Div) => x / y,
                _ => return Err(self.refuse(e.span)),
            };
            return Ok(StaticInit::Value(float_const(value, e.ty)));
        }
        let folded = match (op, as_int(&x), as_int(&y), int_ty(self.decls, e.ty)) {
            (Some(op), Some(x), Some(y), Some(int)) => fold_binary(op, x, y, int),
            _ => None,
        };
        match folded {
            Some(value) => Ok(StaticInit::Value(Operand::int(value, e.ty))),
            None => Err(self.refuse(e.span)),
        }
    }

    fn convert(&mut self, conv: Conv, inner: &Expr, e: &Expr) -> Out {
        let value = self.value(inner)?;
        match (conv, value) {
            (Conv::PtrCast | Conv::ViewThin | Conv::ToVoid, StaticInit::Value(op)) => {
                Ok(StaticInit::Value(retype(op, e.ty)))
            }
            (Conv::CheckNotNull, StaticInit::Value(op)) if !crate::place::is_zero(&op) => {
                Ok(StaticInit::Value(retype(op, e.ty)))
            }
            (
                Conv::PtrCast | Conv::ViewThin | Conv::CheckNotNull,
                StaticInit::Address { place, len },
            ) => Ok(StaticInit::Address { place, len }),
            (Conv::ToVoid | Conv::FatToThin { .. }, StaticInit::Address { place, len }) => {
                let need = match conv {
                    Conv::FatToThin { need: CountOf::Const(need) } => need,
                    _ => 0,
                };
                if len.is_some_and(|len| len < need) {
                    return Err(self.refuse(e.span));
                }
                Ok(StaticInit::Address { place, len: None })
            }
            (Conv::ThinToFat { count: CountOf::Const(n) }, StaticInit::Address { place, .. }) => {
                Ok(StaticInit::Address { place, len: Some(n) })
            }
            // A view with elements of the same size has the same bounds.
            (Conv::ViewFat, StaticInit::Value(op)) if self.same_size(inner.ty, e.ty) => {
                Ok(StaticInit::Value(retype(op, e.ty)))
            }
            (Conv::ViewFat, address @ StaticInit::Address { .. })
                if self.same_size(inner.ty, e.ty) =>
            {
                Ok(address)
            }
            // Literals know their length; null stays null.
            (Conv::ThinToFat { .. } | Conv::ZerotermToFat, StaticInit::Value(op)) => {
                Ok(StaticInit::Value(retype(op, e.ty)))
            }
            (Conv::ToBool, StaticInit::Address { .. }) => {
                Ok(StaticInit::Value(Operand::int(1, e.ty)))
            }
            (Conv::ToBool, StaticInit::Value(Operand::Const(c))) => {
                let truth = match c.kind {
                    ConstKind::Int(value) => value != 0,
                    ConstKind::Float(value) => value != 0.0,
                    ConstKind::Null => false,
                    ConstKind::Str { .. } | ConstKind::Func(..) | ConstKind::Exn(..) => true,
                    ConstKind::Sizeof(_) | ConstKind::Alignof(_) => {
                        return Err(self.refuse(e.span));
                    }
                };
                Ok(StaticInit::Value(Operand::int(i128::from(truth), e.ty)))
            }
            (
                Conv::IntToInt | Conv::IntToFloat | Conv::FloatToInt | Conv::FloatToFloat,
                StaticInit::Value(Operand::Const(c)),
            ) => self.arith_convert(c, e),
            _ => Err(self.refuse(e.span)),
        }
    }

    fn same_size(&self, a: Ty, b: Ty) -> bool {
        let size = |ty: Ty| {
            let elem = ty.as_ptr()?.elem;
            Some(toft_ty::layout::layout_of(&self.decls.tables, elem).ok()?.size)
        };
        size(a).is_some_and(|n| size(b) == Some(n))
    }

    fn arith_convert(&mut self, c: Const, e: &Expr) -> Out {
        if let Some(op) = consts::convert(self.decls, &c, e.ty) {
            return Ok(StaticInit::Value(op));
        }
        match c.kind {
            // Sizes fit every integer type of their own width.
            ConstKind::Sizeof(_) | ConstKind::Alignof(_)
                if int_ty(self.decls, e.ty).is_some_and(|int| int.bits() == 64) =>
            {
                Ok(StaticInit::Value(Operand::Const(Const { kind: c.kind, ty: e.ty })))
            }
            _ => Err(self.refuse(e.span)),
        }
    }

    /// `array + n`: the elements from there on.
    fn pointer_add(&mut self, ptr: &Expr, index: &Expr, span: Span) -> Out {
        let (value, index) = (self.value(ptr)?, self.int(index)?);
        match (value, u64::try_from(index)) {
            (value, Ok(0)) => Ok(value),
            (StaticInit::Address { place, len: Some(len) }, Ok(index)) if index <= len => {
                // The place is the array itself or one of its elements.
                let mut place = place;
                match place.proj.last_mut() {
                    Some(Proj::Index(Index::Const(at))) => *at += index,
                    _ => place.proj.push(Proj::Index(Index::Const(index))),
                }
                Ok(StaticInit::Address { place, len: Some(len - index) })
            }
            _ => Err(self.refuse(span)),
        }
    }

    /// A place in static storage at constant steps.
    fn place(&mut self, place: &toft_tir::Place) -> Result<Place, Reported> {
        match &place.kind {
            PlaceKind::Global(global) => Ok(Place::global(*global)),
            PlaceKind::Field(inner, field) => Ok(self.place(inner)?.then(Proj::Field(*field))),
            PlaceKind::ArrayIndex(array, index) => {
                let at = self.int(index)?;
                let len = match array.ty.kind() {
                    TyKind::Array { len: IntExpr::Const(len), .. } => *len,
                    _ => 0,
                };
                match u64::try_from(at) {
                    Ok(at) if at < len => {
                        Ok(self.place(array)?.then(Proj::Index(Index::Const(at))))
                    }
                    _ => Err(self.sess.emit(Diagnostic::error(
                        codes::E0503,
                        format!("index {at} is outside the {len} elements there are"),
                        place.span,
                        "",
                    ))),
                }
            }
            PlaceKind::Temp(value, _) => self.literal(value, place),
            PlaceKind::Deref(ptr) => match self.value(ptr)? {
                StaticInit::Address { place, .. } => Ok(place),
                _ => Err(self.refuse(place.span)),
            },
            PlaceKind::Local(_) | PlaceKind::PtrIndex(..) => Err(self.refuse(place.span)),
        }
    }

    /// A compound literal outside functions: a variable without a name.
    fn literal(&mut self, value: &Expr, place: &toft_tir::Place) -> Result<Place, Reported> {
        let init = self.value(value)?;
        let name = format!("<literal {}>", self.decls.globals.len());
        let id = self.decls.globals.push(GlobalDecl {
            name: toft_base::Symbol::intern(&name),
            link_name: None,
            span: place.span,
            ty: place.ty,
            quals: place.quals,
            thread_local: false,
            align: None,
            external: false,
            is_static: true,
            init: Some(init),
        });
        Ok(Place::global(id))
    }

    fn aggregate(&mut self, agg: &Aggregate, e: &Expr) -> Out {
        if let Some(bytes) = bytes(agg, e.ty) {
            return Ok(bytes);
        }
        let mut fields: Vec<(u64, StaticInit)> = Vec::with_capacity(agg.fields.len());
        for (n, value) in &agg.fields {
            let value = self.value(value)?;
            fields.push((*n, value));
        }
        // The last value for a field counts.
        fields.reverse();
        fields.sort_by_key(|field| field.0);
        fields.dedup_by_key(|field| field.0);
        let plain = agg.kind == AggregateKind::Plain && !self.is_union(e.ty);
        if plain {
            fields.retain(|(_, value)| !is_zero(value));
            if fields.is_empty() {
                return Ok(StaticInit::Zero);
            }
        }
        Ok(StaticInit::Aggregate(fields))
    }

    /// Even a zero says which member of a union is meant.
    fn is_union(&self, ty: Ty) -> bool {
        use toft_ty::AdtKind;
        matches!(ty.kind(), TyKind::Adt(id, _)
            if self.decls.tables.adts[*id].kind != AdtKind::Struct)
    }
}

/// Beyond this, `char` arrays are given by element.
const MAX_BYTES: usize = 1 << 24;

/// The contents of a `char` array.
fn bytes(agg: &Aggregate, ty: Ty) -> Option<StaticInit> {
    let TyKind::Array { elem, len: IntExpr::Const(len), .. } = *ty.kind() else { return None };
    if !matches!(elem.kind(), TyKind::Int(int) if int.bytes() == 1) {
        return None;
    }
    let mut bytes = Vec::new();
    for (n, value) in &agg.fields {
        let ExprKind::Int(value) = value.kind else { return None };
        let at = usize::try_from(*n).ok().filter(|&at| *n < len && at < MAX_BYTES)?;
        if bytes.len() <= at {
            bytes.resize(at + 1, 0);
        }
        bytes[at] = value as u8;
    }
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    Some(if bytes.is_empty() { StaticInit::Zero } else { StaticInit::Bytes(bytes) })
}

fn as_int(value: &StaticInit) -> Option<i128> {
    match value {
        StaticInit::Value(op) => op.as_int(),
        _ => None,
    }
}

fn as_float(value: &StaticInit) -> Option<f64> {
    match value {
        StaticInit::Value(Operand::Const(Const { kind: ConstKind::Float(value), .. })) => {
            Some(*value)
        }
        _ => None,
    }
}

/// All bits zero (so not `-0.0`).
fn is_zero(value: &StaticInit) -> bool {
    match value {
        StaticInit::Zero => true,
        StaticInit::Value(Operand::Const(c)) => match c.kind {
            ConstKind::Int(value) => value == 0,
            ConstKind::Float(value) => value.to_bits() == 0,
            ConstKind::Null => true,
            _ => false,
        },
        _ => false,
    }
}
