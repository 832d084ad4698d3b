//! Initialisers: braces with designators and elided braces, strings, existentials.

mod comprehension;

use crate::convert::mk;
use crate::cx::Fx;
use crate::region::What;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{Designator, Init, InitItem};
use toft_tir::{Aggregate, AggregateKind, Expr, ExprKind, Place, PlaceKind};
use toft_ty::{AdtId, AdtKind, GArg, IntExpr, IntTy, Refinement, Ty, TyKind, TyQuals};

pub fn aggregate(fields: Vec<(u64, Expr)>, ty: Ty, span: Span) -> Expr {
    let made = Aggregate { kind: AggregateKind::Plain, fields };
    mk(ExprKind::Aggregate(Box::new(made)), ty, span)
}

/// What has been gathered for one object.
enum Node {
    Leaf(Expr),
    Parts(Parts),
}

struct Parts {
    ty: Ty,
    /// Existentials of a struct, chosen for this value.
    args: Vec<GArg>,
    own: usize,
    /// What the elements of an array satisfy.
    refine: Option<Refinement>,
    list: Vec<(u64, Node)>,
}

struct Items<'a> {
    list: &'a [InitItem],
    at: usize,
    /// The current item's value, when it was typed to see whether it fits as a whole.
    typed: Option<Expr>,
    what: What,
    /// For arrays whose length the initialiser decides: one more than the highest index.
    len: u64,
}

const MAX_RANGE: u64 = 1 << 20;

impl<'a> Fx<'a> {
    /// `init` for an object of type `ty`; an array of unknown length gets its length in the
    /// result's type.
    pub fn init(&mut self, init: &'a Init, ty: Ty, what: What, span: Span) -> Expr {
        let ty = self.shallow(ty);
        match init {
            Init::Expr(e) => self.init_expr(e, ty, what),
            Init::List(items, at) => self.init_list(items, ty, what, *at),
            Init::Comprehension(comp) => self.init_comprehension(comp, ty, span),
        }
    }

    fn init_expr(&mut self, e: &'a hir::Expr, ty: Ty, what: What) -> Expr {
        if let TyKind::Array { elem, len, zeroterm } = *ty.kind() {
            if let hir::ExprKind::Str(width, units) = &e.kind
                && self.string_fits(elem, *width)
            {
                return self.init_string(units, elem, len, zeroterm, e.span);
            }
            if let hir::ExprKind::Init(init) = &e.kind {
                return self.init(init, ty, what, e.span);
            }
            if let hir::ExprKind::CompoundLiteral { ty: written, init, .. } = &e.kind {
                let (given, _) = self.hir_ty(written);
                if self.same_shape(given, ty) {
                    return self.init(init, ty, what, e.span);
                }
            }
            let value = self.expr(e, None);
            if !value.ty.is_error() {
                let text = self.show(ty);
                self.error(
                    codes::E0408,
                    e.span,
                    format!("{text} is initialised by a list in braces or a string"),
                );
            }
            return self.bad(e.span);
        }
        // Initialisers inside the value are no part of this one.
        let want = self.want.take();
        let value = self.expr_to(e, ty, what);
        self.want = want;
        self.refined(value, want)
    }

    fn string_fits(&self, elem: Ty, width: hir::StrWidth) -> bool {
        match (*self.shallow(elem).kind(), width) {
            (TyKind::Int(int), hir::StrWidth::Char) => int.bytes() == 1,
            (TyKind::Int(IntTy::UShort), hir::StrWidth::Char16) => true,
            (TyKind::Int(IntTy::UInt), hir::StrWidth::Char32) => true,
            (TyKind::Int(IntTy::Int), hir::StrWidth::Wide) => true,
            _ => false,
        }
    }

    fn init_string(
        &mut self,
        units: &[u32],
        elem: Ty,
        len: IntExpr,
        zeroterm: bool,
        span: Span,
    ) -> Expr {
        let int = self.int_ty(elem).unwrap_or(IntTy::Char);
        let n = match len {
            IntExpr::Const(n) => n,
            _ => units.len() as u64 + 1,
        };
        let room = if zeroterm { n.saturating_sub(1) } else { n };
        if units.len() as u64 > room {
            self.error(
                codes::E0408,
                span,
                format!("a string of {} characters does not fit an array of {n}", units.len()),
            );
            return self.bad(span);
        }
        if self.want.is_some() {
            self.error(
                codes::E1202,
                span,
                "a string does not initialise an array of refined elements: list them",
            );
            return self.bad(span);
        }
        let ty = Ty::new(TyKind::Array { elem, len: IntExpr::Const(n), zeroterm });
        let fields = units.iter().enumerate().map(|(i, &unit)| {
            let value = int.wrap(i128::from(unit));
            (i as u64, self.int_const(value, elem, span))
        });
        aggregate(fields.collect(), ty, span)
    }

    /// `&"abc"`: the literal as an array, which lives as long as the block.
    pub fn string_array(&mut self, width: hir::StrWidth, units: &[u32], span: Span) -> Expr {
        let elem = crate::expr::str_elem(width);
        let outer = self.want.take();
        let value = self.init_string(units, elem, IntExpr::Unknown, false, span);
        self.want = outer;
        let region = if self.func.is_some() { self.here } else { hir::STATIC_REGION };
        let ty = value.ty;
        let quals = TyQuals { is_const: true, ..TyQuals::default() };
        let place = Place { kind: PlaceKind::Temp(Box::new(value), region), ty, quals, span };
        self.address(place, span)
    }

    fn init_list(&mut self, items: &'a [InitItem], ty: Ty, what: What, span: Span) -> Expr {
        let ty = self.shallow(ty);
        if ty.is_error() {
            return self.bad(span);
        }
        // `{"abc"}` for a character array.
        if let (TyKind::Array { elem, .. }, [InitItem { designators, value: Init::Expr(e) }]) =
            (*ty.kind(), items)
            && designators.is_empty()
            && let hir::ExprKind::Str(width, _) = &e.kind
            && self.string_fits(elem, *width)
        {
            return self.init_expr(e, ty, what);
        }
        if !self.is_aggregate(ty) {
            return self.init_scalar(items, ty, what, span);
        }
        if !matches!(ty.kind(), TyKind::Array { len: IntExpr::Unknown, .. })
            && !self.need_complete(ty, span)
        {
            return self.bad(span);
        }
        if let TyKind::Adt(id, _) = *ty.kind()
            && self.is_abstract_here(id, ty, span)
        {
            return self.bad(span);
        }
        let mut cursor = Items { list: items, at: 0, typed: None, what, len: 0 };
        let mut parts = self.parts(ty, span);
        let tags = self.tags.len();
        self.fill(&mut parts, &mut cursor, true, &[], span);
        self.tags.truncate(tags);
        if let TyKind::Array { elem, len: IntExpr::Unknown, zeroterm } = *ty.kind() {
            let n = cursor.len + u64::from(zeroterm);
            if n == 0 {
                self.error(codes::E0308, span, "an array without elements");
                return self.bad(span);
            }
            parts.ty = Ty::new(TyKind::Array { elem, len: IntExpr::Const(n), zeroterm });
        }
        self.finish_node(Node::Parts(parts), span)
    }

    fn init_scalar(&mut self, items: &'a [InitItem], ty: Ty, what: What, span: Span) -> Expr {
        match items {
            [] => {
                let value = self.zero_value(ty, span);
                self.refined(value, self.want)
            }
            [item] if item.designators.is_empty() => self.init(&item.value, ty, what, span),
            _ => {
                let text = self.show(ty);
                let code =
                    if items[0].designators.is_empty() { codes::E0408 } else { codes::E0304 };
                self.error(code, span, format!("{text} takes one value, not a list"));
                self.bad(span)
            }
        }
    }

    /// The value of type `ty` that is all zero bytes.
    pub fn zero_value(&mut self, ty: Ty, span: Span) -> Expr {
        let ty = self.shallow(ty);
        match ty.kind() {
            TyKind::Ptr(ptr) => self.null_to(ptr, ty, span),
            TyKind::Float(_) => mk(ExprKind::Float(0.0), ty, span),
            _ if ty.is_integer() => self.int_const(0, ty, span),
            _ if self.is_aggregate(ty) => aggregate(Vec::new(), ty, span),
            _ => {
                if !self.refuse_opaque(ty, span, "made from nothing") {
                    let text = self.show(ty);
                    self.error(codes::E0408, span, format!("{text} has no empty value"));
                }
                self.bad(span)
            }
        }
    }

    fn is_aggregate(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Array { .. } | TyKind::Tuple(_) => true,
            TyKind::Adt(id, _) => !self.adt(*id).is_datatype(),
            _ => false,
        }
    }

    fn parts(&mut self, ty: Ty, span: Span) -> Parts {
        let (mut args, mut own) = (Vec::new(), 0);
        if let TyKind::Adt(id, given) = *ty.kind()
            && !self.adt(id).exists.is_empty()
        {
            args = given.to_vec();
            own = args.len();
            let exists = &self.adt(id).exists;
            args.extend(self.fresh_generics(exists, &[], None, span));
        }
        Parts { ty, args, own, refine: self.want, list: Vec::new() }
    }

    /// Number of sub-objects, and the type of each.
    fn sub_count(&self, ty: Ty) -> u64 {
        match *ty.kind() {
            // The terminator is not for an initialiser to give.
            TyKind::Array { len: IntExpr::Const(n), zeroterm, .. } => {
                n - u64::from(zeroterm && n > 0)
            }
            TyKind::Array { .. } => u64::MAX,
            TyKind::Tuple(fields) => fields.len() as u64,
            TyKind::Adt(id, _) => {
                let def = self.adt(id);
                let n = def.fields.as_deref().map_or(0, |fields| fields.len() as u64);
                if def.kind == AdtKind::Struct { n } else { n.min(1) }
            }
            _ => 0,
        }
    }

    fn sub_ty(&self, parts: &Parts, n: u64) -> Option<Ty> {
        match *parts.ty.kind() {
            TyKind::Array { elem, .. } => Some(elem),
            TyKind::Tuple(fields) => fields.get(n as usize).copied(),
            TyKind::Adt(id, args) => {
                let field = self.adt(id).fields.as_deref()?.get(n as usize)?;
                let args = if parts.args.is_empty() { args } else { &parts.args };
                Some(self.field_ty(field, args))
            }
            _ => None,
        }
    }

    /// Bit-fields without a name take no initialiser.
    fn skipped(&self, ty: Ty, n: u64) -> bool {
        match *ty.kind() {
            TyKind::Adt(id, _) => self
                .adt(id)
                .fields
                .as_deref()
                .and_then(|fields| fields.get(n as usize))
                .is_some_and(|field| field.name.is_none() && field.bits.is_some()),
            _ => false,
        }
    }

    /// Takes items for the sub-objects of `parts`. `first`: designators of the current item
    /// that an outer level left for this one.
    fn fill(
        &mut self,
        parts: &mut Parts,
        items: &mut Items<'a>,
        braced: bool,
        first: &'a [Designator],
        span: Span,
    ) {
        let count = self.sub_count(parts.ty);
        let unknown = count == u64::MAX;
        let mut pos = 0;
        let mut rest: &'a [Designator] = first;
        let mut started = false;
        while let Some(item) = items.list.get(items.at) {
            let designators =
                if started || rest.is_empty() { item.designators.as_slice() } else { rest };
            let own = !started && !rest.is_empty();
            started = true;
            if !own && !designators.is_empty() && !braced {
                return;
            }
            if !designators.is_empty() {
                rest = &[];
                match self.designated(parts, items, designators, span) {
                    Some(next) => pos = next,
                    None => items.at += 1,
                }
                continue;
            }
            while pos < count && self.skipped(parts.ty, pos) {
                pos += 1;
            }
            if pos >= count {
                if braced {
                    let at = init_span(&item.value, span);
                    let text = self.show(parts.ty);
                    self.error(codes::E0408, at, format!("more values than {text} has members"));
                    items.at = items.list.len();
                }
                return;
            }
            if unknown {
                items.len = items.len.max(pos + 1);
            }
            self.sub_object(parts, pos, items, &[], span);
            pos += 1;
        }
    }

    /// Handles an item with designators; gives the position after what it names.
    fn designated(
        &mut self,
        parts: &mut Parts,
        items: &mut Items<'a>,
        path: &'a [Designator],
        span: Span,
    ) -> Option<u64> {
        let (head, rest) = path.split_first()?;
        match (head, *parts.ty.kind()) {
            (Designator::Field(name, at), TyKind::Adt(id, _)) => {
                let Some(found) = self.find_field(id, *name) else {
                    let text = self.show(parts.ty);
                    self.error(codes::E0304, *at, format!("{text} has no member `{name}`"));
                    return None;
                };
                if self.adt(id).kind != AdtKind::Struct {
                    parts.list.clear();
                }
                self.through(parts, &found.path, items, rest, span)
            }
            (Designator::Field(name, at), TyKind::Tuple(fields)) => {
                match name.as_str().parse::<u64>().ok().filter(|&n| n < fields.len() as u64) {
                    Some(n) => {
                        self.sub_object(parts, n, items, rest, span);
                        Some(n + 1)
                    }
                    None => {
                        self.error(codes::E0304, *at, format!("a tuple has no member `{name}`"));
                        None
                    }
                }
            }
            (Designator::Index(index), TyKind::Array { len, zeroterm, .. }) => {
                let n = self.index_const(index, len, zeroterm)?;
                if len == IntExpr::Unknown {
                    items.len = items.len.max(n + 1);
                }
                self.sub_object(parts, n, items, rest, span);
                Some(n + 1)
            }
            (Designator::Range(lo, hi), TyKind::Array { len, zeroterm, .. }) => {
                let a = self.index_const(lo, len, zeroterm)?;
                let b = self.index_const(hi, len, zeroterm)?;
                if a > b || b - a > MAX_RANGE {
                    self.error(codes::E0408, lo.span, "an empty or too long range of elements");
                    return None;
                }
                if len == IntExpr::Unknown {
                    items.len = items.len.max(b + 1);
                }
                self.range(parts, a, b, items, rest, span);
                Some(b + 1)
            }
            (Designator::Field(_, at), _) => {
                let text = self.show(parts.ty);
                self.error(codes::E0304, *at, format!("{text} has no named members"));
                None
            }
            (Designator::Index(e) | Designator::Range(e, _), _) => {
                let text = self.show(parts.ty);
                self.error(codes::E0408, e.span, format!("{text} is not an array"));
                None
            }
        }
    }

    fn index_const(&mut self, index: &'a hir::Expr, len: IntExpr, zeroterm: bool) -> Option<u64> {
        let value = self.const_expr(index)?;
        let limit = match len {
            IntExpr::Const(n) => i128::from(n) - i128::from(zeroterm),
            _ => 1 << 31,
        };
        if value < 0 || value >= limit {
            self.error(codes::E0503, index.span, format!("index {value} is outside the array"));
            return None;
        }
        Some(value as u64)
    }

    /// A member inside anonymous members: goes down the path.
    fn through(
        &mut self,
        parts: &mut Parts,
        path: &[u32],
        items: &mut Items<'a>,
        rest: &'a [Designator],
        span: Span,
    ) -> Option<u64> {
        let (&n, deeper) = path.split_first()?;
        let n = u64::from(n);
        if deeper.is_empty() {
            self.sub_object(parts, n, items, rest, span);
            return Some(n + 1);
        }
        let ty = self.sub_ty(parts, n)?;
        let ty = self.shallow(ty);
        let mut inner = match take(parts, n) {
            Some(Node::Parts(inner)) => inner,
            _ => self.parts(ty, span),
        };
        if let TyKind::Adt(id, _) = *ty.kind()
            && self.adt(id).kind != AdtKind::Struct
        {
            inner.list.clear();
        }
        self.through(&mut inner, deeper, items, rest, span);
        put(parts, n, Node::Parts(inner));
        Some(n + 1)
    }

    fn range(
        &mut self,
        parts: &mut Parts,
        a: u64,
        b: u64,
        items: &mut Items<'a>,
        rest: &'a [Designator],
        span: Span,
    ) {
        let start = items.at;
        self.sub_object(parts, a, items, rest, span);
        let after = items.at;
        let simple = after == start + 1;
        for n in a + 1..=b {
            let copy = match parts.list.iter().rev().find(|entry| entry.0 == a) {
                Some((_, node)) => copy_const(node),
                None => return,
            };
            match copy {
                Some(copy) if simple => put(parts, n, copy),
                _ => {
                    self.error(
                        codes::E0900,
                        span,
                        "a range of elements needs a constant value here",
                    );
                    return;
                }
            }
        }
    }

    /// Sub-object `n` from the current item (and, with elided braces, those after it).
    fn sub_object(
        &mut self,
        parts: &mut Parts,
        n: u64,
        items: &mut Items<'a>,
        path: &'a [Designator],
        span: Span,
    ) {
        let inner = self.sub_refine(parts, n);
        let outer = std::mem::replace(&mut self.want, inner);
        self.refined_object(parts, n, items, path, span);
        self.want = outer;
    }

    /// What sub-object `n`, or its elements, must satisfy.
    fn sub_refine(&self, parts: &Parts, n: u64) -> Option<Refinement> {
        match *parts.ty.kind() {
            TyKind::Adt(id, _) => self.adt(id).fields.as_deref()?.get(n as usize)?.quals.refine,
            TyKind::Array { .. } => parts.refine,
            _ => None,
        }
    }

    fn refined_object(
        &mut self,
        parts: &mut Parts,
        n: u64,
        items: &mut Items<'a>,
        path: &'a [Designator],
        span: Span,
    ) {
        let Some(ty) = self.sub_ty(parts, n) else {
            items.at += 1;
            return;
        };
        let ty = self.shallow(ty);
        if !path.is_empty() {
            let mut inner = match take(parts, n) {
                Some(Node::Parts(inner)) => inner,
                _ => self.parts(ty, span),
            };
            let before = items.at;
            self.fill(&mut inner, items, false, path, span);
            if items.at == before {
                items.at += 1;
            }
            put(parts, n, Node::Parts(inner));
            return;
        }
        let Some(item) = items.list.get(items.at) else { return };
        let what = items.what;
        let node = match &item.value {
            Init::Expr(e) => {
                if let Some(node) = self.sub_expr(e, ty, items, span) {
                    node
                } else {
                    let mut inner = self.parts(ty, span);
                    let before = items.at;
                    self.fill(&mut inner, items, false, &[], span);
                    if items.at == before {
                        items.at += 1;
                    }
                    Node::Parts(inner)
                }
            }
            other => {
                items.at += 1;
                Node::Leaf(self.init(other, ty, what, span))
            }
        };
        put(parts, n, node);
    }

    /// The item as the whole sub-object, or `None` when its braces were elided.
    fn sub_expr(
        &mut self,
        e: &'a hir::Expr,
        ty: Ty,
        items: &mut Items<'a>,
        span: Span,
    ) -> Option<Node> {
        let what = items.what;
        if !self.is_aggregate(ty) {
            let want = self.want.take();
            let value = match items.typed.take() {
                Some(value) => value,
                None => self.expr(e, Some(ty)),
            };
            self.want = want;
            items.at += 1;
            let value = self.coerce(value, ty, what);
            return Some(Node::Leaf(self.refined(value, want)));
        }
        if matches!(ty.kind(), TyKind::Array { .. }) {
            let whole = match &e.kind {
                hir::ExprKind::Str(width, _) => match *ty.kind() {
                    TyKind::Array { elem, .. } => self.string_fits(elem, *width),
                    _ => false,
                },
                hir::ExprKind::CompoundLiteral { .. } | hir::ExprKind::Init(_) => true,
                _ => false,
            };
            if whole {
                items.at += 1;
                return Some(Node::Leaf(self.init_expr(e, ty, what)));
            }
            return None;
        }
        let want = self.want.take();
        let value = match items.typed.take() {
            Some(value) => value,
            None => self.expr(e, Some(ty)),
        };
        self.want = want;
        let from = self.shallow(value.ty);
        let whole = match (from.kind(), ty.kind()) {
            (TyKind::Adt(a, _), TyKind::Adt(b, _)) => a == b,
            (TyKind::Tuple(_), TyKind::Tuple(_)) => true,
            (TyKind::Error, _) => true,
            _ => false,
        };
        if whole {
            items.at += 1;
            return Some(Node::Leaf(self.coerce(value, ty, what)));
        }
        let _ = span;
        items.typed = Some(value);
        None
    }

    /// The finished value; what is missing must be zeroable.
    fn finish_node(&mut self, node: Node, span: Span) -> Expr {
        let parts = match node {
            Node::Leaf(value) => return value,
            Node::Parts(parts) => parts,
        };
        self.check_missing(&parts, span);
        if let TyKind::Adt(id, _) = *parts.ty.kind()
            && !parts.args.is_empty()
        {
            let def = self.adt(id);
            self.packed(&parts.args, parts.own, &def.bounds, span);
            let hidden = parts.args.get(parts.own..).unwrap_or(&[]);
            self.check_generics(&def.exists, hidden, span);
        }
        let ty = parts.ty;
        let mut fields = Vec::with_capacity(parts.list.len());
        let mut failed = false;
        for (n, node) in parts.list {
            let value = self.finish_node(node, span);
            failed |= value.ty.is_error();
            fields.push((n, value));
        }
        if failed { self.bad(span) } else { aggregate(fields, ty, span) }
    }

    fn check_missing(&mut self, parts: &Parts, span: Span) {
        let count = self.sub_count(parts.ty);
        let given = parts.list.len() as u64;
        match *parts.ty.kind() {
            TyKind::Array { elem, .. }
                if given < count
                    && count != u64::MAX
                    && !(self.zeroable(elem) && self.zero_fits(parts.refine)) =>
            {
                self.missing(elem, None, span);
            }
            TyKind::Adt(id, _) if self.adt(id).kind == AdtKind::Struct && given < count => {
                self.missing_field(id, parts, span);
            }
            TyKind::Tuple(fields) => {
                for (n, &ty) in fields.iter().enumerate() {
                    if !parts.list.iter().any(|entry| entry.0 == n as u64) && !self.zeroable(ty) {
                        self.missing(ty, None, span);
                    }
                }
            }
            _ => {}
        }
    }

    fn missing_field(&mut self, id: AdtId, parts: &Parts, span: Span) {
        let fields = self.adt(id).fields.as_deref().unwrap_or(&[]);
        for (n, field) in fields.iter().enumerate() {
            let present = parts.list.iter().any(|entry| entry.0 == n as u64);
            if !present
                && let Some(ty) = self.sub_ty(parts, n as u64)
                && !(self.zeroable(ty) && self.prog.tables.zero_fits(field.quals))
            {
                self.missing(ty, field.name, span);
                return;
            }
        }
    }

    fn missing(&mut self, ty: Ty, name: Option<toft_base::Symbol>, span: Span) {
        let text = self.show(ty);
        let what = match name {
            Some(name) => format!("member `{name}`"),
            None => "an element".into(),
        };
        self.report(
            Diagnostic::error(codes::E0701, format!("{what} of type {text} is left without a value"), span, "")
                .note("what an initialiser does not mention is zero, and zero is not a value of this type"),
        );
    }
}

fn init_span(init: &Init, or: Span) -> Span {
    match init {
        Init::Expr(e) => e.span,
        Init::List(_, span) => *span,
        Init::Comprehension(comp) => {
            if comp.span.is_none() {
                or
            } else {
                comp.span
            }
        }
    }
}

/// Sets sub-object `n`; a later value replaces an earlier one.
fn put(parts: &mut Parts, n: u64, node: Node) {
    let sorted = parts.list.last().is_none_or(|last| last.0 < n);
    if !sorted && let Some(at) = parts.list.iter().position(|entry| entry.0 == n) {
        parts.list[at].1 = node;
        return;
    }
    parts.list.push((n, node));
}

fn take(parts: &mut Parts, n: u64) -> Option<Node> {
    let at = parts.list.iter().rposition(|entry| entry.0 == n)?;
    Some(parts.list.remove(at).1)
}

fn copy_const(node: &Node) -> Option<Node> {
    match node {
        Node::Leaf(value) => Some(Node::Leaf(copy_expr(value)?)),
        Node::Parts(_) => None,
    }
}

/// A copy of a constant expression.
pub fn copy_expr(e: &Expr) -> Option<Expr> {
    let kind = match &e.kind {
        ExprKind::Int(value) => ExprKind::Int(*value),
        ExprKind::Float(value) => ExprKind::Float(*value),
        ExprKind::Null => ExprKind::Null,
        ExprKind::Str { width, units, writable } => {
            ExprKind::Str { width: *width, units: units.clone(), writable: *writable }
        }
        ExprKind::FuncAddr(id, args) => ExprKind::FuncAddr(*id, args.clone()),
        ExprKind::Conv(kind, inner) => ExprKind::Conv(*kind, Box::new(copy_expr(inner)?)),
        ExprKind::Aggregate(inner) => {
            let fields: Option<Vec<(u64, Expr)>> =
                inner.fields.iter().map(|(n, value)| Some((*n, copy_expr(value)?))).collect();
            ExprKind::Aggregate(Box::new(Aggregate { kind: inner.kind, fields: fields? }))
        }
        _ => return None,
    };
    Some(mk(kind, e.ty, e.span))
}
