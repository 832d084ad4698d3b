//! Refinements: `@subset(T x | e)`, a number type with a condition on its values.
//!
//! The condition depends on `x` and constants alone, so that what held when a value was stored
//! holds as long as it stays there.

use crate::consteval::{Const, Value};
use crate::cx::Resolver;
use crate::scope::Name;
use crate::types::Mode;
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::{Expr, ExprKind, Local, LocalId, LocalTy, Refine, UnOp};
use toft_ty::{RefineDef, Refinement, RegionId, Ty, TyKind, TyQuals};

impl<'a> Resolver<'a> {
    pub fn subset(&mut self, spec: &'a ast::SubsetSpec, mode: Mode, span: Span) -> (Ty, TyQuals) {
        let (ty, quals) = self.type_name_in(&spec.base, mode);
        if ty.is_error() {
            return (ty, quals);
        }
        if !matches!(ty.kind(), TyKind::Bool | TyKind::Int(_) | TyKind::Float(_) | TyKind::Enum(_))
        {
            let text = self.ty_text(ty);
            let message = format!("only number types are refined, not `{text}`");
            let diag = Diagnostic::error(codes::E1202, message, spec.base.span, "");
            let help = "write the condition as `@requires` of the functions that need it";
            let _ = self.sess.emit(diag.help(help));
            return (self.common.error, quals);
        }
        let refine = match self.refine_sites.get(&span) {
            // A header that two units include.
            Some(&found) => Some(found),
            None => self.new_refinement(spec, ty, quals, span),
        };
        match refine {
            Some(_) => (ty, TyQuals { refine, ..quals }),
            None => (self.common.error, quals),
        }
    }

    fn new_refinement(
        &mut self,
        spec: &'a ast::SubsetSpec,
        ty: Ty,
        quals: TyQuals,
        span: Span,
    ) -> Option<Refinement> {
        let var = LocalId(u32::try_from(self.body.locals.len()).ok()?);
        self.body.locals.push(Local {
            name: Some(spec.var.name),
            ty: LocalTy::Known(ty),
            quals: TyQuals::default(),
            span: spec.var.span,
            region: RegionId(0),
            align: None,
            is_varargs: false,
            maybe_unused: true,
        });
        self.body.used.push(true);
        self.body.declared.push(false);
        self.scopes.push();
        self.scopes.bind(spec.var.name, Name::Local(var));
        let before = self.sess.error_count();
        let cond = self.expr(&spec.cond);
        self.scopes.pop();
        let sound = self.sess.error_count() == before && self.judge_condition(&cond, var);
        let zero = sound && {
            let value = if ty.is_float() { Value::Float(0.0) } else { Value::Int(0) };
            self.body.consts.insert(var, Const { ty, value });
            let holds = self.eval(&cond).is_ok_and(Const::is_true);
            self.body.consts.remove(&var);
            holds
        };
        // The variable was lent by the body, if one is open.
        self.body.locals.raw.truncate(var.0 as usize);
        self.body.used.truncate(var.0 as usize);
        self.body.declared.truncate(var.0 as usize);
        if !sound {
            return None;
        }
        let refine = Refinement::at(self.prog.refines.len())?;
        let zero = zero
            && quals.refine.is_none_or(|parent| {
                self.prog.tables.refine(parent).is_some_and(|parent| parent.zero)
            });
        let inner = Span::new(spec.base.span.lo, spec.cond.span.hi.max(spec.base.span.lo));
        let text = format!("@subset({})", self.text_of(inner));
        let def = RefineDef {
            text: Symbol::intern(&text),
            cond: self.text_of(spec.cond.span),
            parent: quals.refine,
            zero,
            span: inner,
        };
        self.prog.tables.refines.push(def);
        self.prog.refines.push(Refine { var, cond });
        self.refine_sites.insert(span, refine);
        Some(refine)
    }

    fn text_of(&self, span: Span) -> Symbol {
        let map = self.sess.map.borrow();
        Symbol::intern(map.text(map.call_site(span)))
    }

    /// Whether the condition depends on `var` and constants alone; reports what it must not.
    fn judge_condition(&self, e: &Expr, var: LocalId) -> bool {
        use ExprKind as K;
        let good = match &e.kind {
            K::Int(..) | K::Float(..) | K::Bool(_) | K::EnumConst(..) | K::SizeofType(_) => true,
            K::Error => return false,
            K::Local(id) => *id == var,
            K::Global(id) => {
                let global = &self.prog.globals[*id];
                (global.quals.is_const || global.is_constexpr) && global.ty.is_arithmetic()
            }
            K::Unary(UnOp::Plus | UnOp::Neg | UnOp::Not | UnOp::BitNot, a) | K::Cast(_, a) => {
                return self.judge_condition(a, var);
            }
            K::Binary(_, a, b) | K::LogicalAnd(a, b) | K::LogicalOr(a, b) => {
                return self.judge_condition(a, var) && self.judge_condition(b, var);
            }
            K::Cond(a, b, c) => {
                return self.judge_condition(a, var)
                    && b.as_ref().is_none_or(|b| self.judge_condition(b, var))
                    && self.judge_condition(c, var);
            }
            _ => false,
        };
        if !good {
            let diag = Diagnostic::error(
                codes::E1202,
                "a refinement's condition depends on its variable and constants only",
                e.span,
                "this may change while a value is kept",
            );
            let _ = self.sess.emit(diag);
        }
        good
    }

    /// A refinement where only the type counts would be lost without a word.
    pub fn no_refinement(&self, quals: TyQuals, span: Span) {
        if quals.refine.is_some() {
            let diag = Diagnostic::error(
                codes::E1202,
                "a refined type cannot stand here: nothing would check the values",
                span,
                "",
            );
            let help = "refinements belong to variables, members, elements, parameters and results";
            let _ = self.sess.emit(diag.help(help));
        }
    }
}
