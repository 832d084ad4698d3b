//! Initialisers and comprehensions.

use crate::cx::Resolver;
use crate::scope::Name;
use toft_ast as ast;
use toft_base::Span;
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    pub fn init(&mut self, init: &'a ast::Init) -> Init {
        match init {
            ast::Init::Expr(expr) => match &expr.kind {
                ast::ExprKind::Comprehension(inner) => {
                    Init::Comprehension(Box::new(self.comprehension(inner)))
                }
                ast::ExprKind::Init(list) => self.init_list(list),
                _ => Init::Expr(self.expr(expr)),
            },
            ast::Init::List(list) => self.init_list(list),
        }
    }

    pub fn init_list(&mut self, list: &'a ast::InitList) -> Init {
        let mut items = Vec::with_capacity(list.items.len());
        for item in &list.items {
            let designators = self.designators(&item.designators);
            let value = self.init(&item.value);
            items.push(InitItem { designators, value });
        }
        Init::List(items, list.span)
    }

    pub fn designators(&mut self, list: &'a [ast::Designator]) -> Vec<Designator> {
        list.iter()
            .map(|designator| match designator {
                ast::Designator::Field(ident) => Designator::Field(ident.name, ident.span),
                ast::Designator::Index(expr) => Designator::Index(self.expr(expr)),
                ast::Designator::Range(lo, hi) => Designator::Range(self.expr(lo), self.expr(hi)),
            })
            .collect()
    }

    /// `{for i < n : e}`: the index has a scope of its own.
    pub fn comprehension(&mut self, inner: &'a ast::Comprehension) -> Comprehension {
        let bound = self.expr(&inner.bound);
        if !self.body.active {
            self.unsupported("comprehensions at file level", inner.span);
        }
        self.open_block(inner.span);
        let region = self.block_region();
        let ty = LocalTy::Known(self.common.int(IntTy::ULong));
        let var = self.new_local(Some(inner.var.name), ty, TyQuals::default(), inner.var.span);
        self.mark_used(var);
        self.scopes.bind(inner.var.name, Name::Local(var));
        let body = self.init(&inner.body);
        self.close_block();
        Comprehension { var, bound, body, region, span: inner.span }
    }

    /// The length of an array that its initialiser decides, where that is plain.
    pub fn init_len(&self, elem: Ty, init: &Init) -> Option<u64> {
        match init {
            Init::Expr(expr) => match &expr.kind {
                ExprKind::Str(_, units) if elem.is_integer() => Some(units.len() as u64 + 1),
                _ => None,
            },
            Init::Comprehension(_) => None,
            Init::List(items, _) => {
                if let [InitItem { designators, value: Init::Expr(expr) }] = &items[..]
                    && designators.is_empty()
                    && elem.is_integer()
                    && let ExprKind::Str(_, units) = &expr.kind
                {
                    return Some(units.len() as u64 + 1);
                }
                self.list_len(elem, items)
            }
        }
    }

    fn list_len(&self, elem: Ty, items: &[InitItem]) -> Option<u64> {
        let scalar = elem.is_scalar();
        let (mut next, mut len) = (0u64, 0u64);
        for item in items {
            match item.designators.first() {
                None => {}
                Some(Designator::Index(expr)) => next = self.const_index(expr)?,
                Some(Designator::Range(_, hi)) => next = self.const_index(hi)?,
                Some(Designator::Field(..)) => return None,
            }
            // Without braces an aggregate takes several items: `infer` counts those, except
            // strings for rows of characters.
            let whole = match &item.value {
                Init::List(..) => true,
                Init::Comprehension(_) => false,
                Init::Expr(expr) => {
                    scalar
                        || matches!(
                            (&expr.kind, elem.kind()),
                            (ExprKind::Str(..), TyKind::Array { .. })
                        )
                        || matches!(expr.kind, ExprKind::CompoundLiteral { .. })
                }
            };
            if !whole || item.designators.len() > 1 {
                return None;
            }
            next = next.checked_add(1)?;
            len = len.max(next);
        }
        if len == 0 { None } else { Some(len) }
    }

    fn const_index(&self, expr: &Expr) -> Option<u64> {
        match self.eval(expr).ok()?.value {
            crate::consteval::Value::Int(n) => u64::try_from(n).ok().filter(|&n| n < 1 << 46),
            crate::consteval::Value::Float(_) => None,
        }
    }

    /// An array of unknown length with the length its initialiser gives, if that is plain.
    pub fn complete_array(&self, ty: Ty, init: &Init) -> Ty {
        match *ty.kind() {
            TyKind::Array { elem, len: IntExpr::Unknown, zeroterm } => {
                match self.init_len(elem, init) {
                    Some(n) => {
                        // `@zeroterm` without braces keeps its zero as an element.
                        Ty::new(TyKind::Array { elem, len: IntExpr::Const(n), zeroterm })
                    }
                    None => ty,
                }
            }
            _ => ty,
        }
    }

    pub fn init_span(init: &Init) -> Span {
        match init {
            Init::Expr(expr) => expr.span,
            Init::List(_, span) => *span,
            Init::Comprehension(inner) => inner.span,
        }
    }
}
