//! Expressions.

use crate::cx::Resolver;
use crate::literal::{self, Number};
use crate::scope::Name;
use toft_ast as ast;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::*;
use toft_ty::*;

fn bin(op: ast::BinOp) -> BinOp {
    match op {
        ast::BinOp::Add => BinOp::Add,
        ast::BinOp::Sub => BinOp::Sub,
        ast::BinOp::Mul => BinOp::Mul,
        ast::BinOp::Div => BinOp::Div,
        ast::BinOp::Rem => BinOp::Rem,
        ast::BinOp::Shl => BinOp::Shl,
        ast::BinOp::Shr => BinOp::Shr,
        ast::BinOp::BitAnd => BinOp::BitAnd,
        ast::BinOp::BitOr => BinOp::BitOr,
        ast::BinOp::BitXor => BinOp::BitXor,
        ast::BinOp::Lt => BinOp::Lt,
        ast::BinOp::Gt => BinOp::Gt,
        ast::BinOp::Le => BinOp::Le,
        ast::BinOp::Ge => BinOp::Ge,
        ast::BinOp::Eq => BinOp::Eq,
        ast::BinOp::Ne => BinOp::Ne,
    }
}

fn un(op: ast::UnOp) -> UnOp {
    match op {
        ast::UnOp::Plus => UnOp::Plus,
        ast::UnOp::Neg => UnOp::Neg,
        ast::UnOp::Not => UnOp::Not,
        ast::UnOp::BitNot => UnOp::BitNot,
        ast::UnOp::Deref => UnOp::Deref,
        ast::UnOp::AddrOf => UnOp::AddrOf,
    }
}

fn inc(op: ast::IncDec) -> IncDec {
    match op {
        ast::IncDec::Inc => IncDec::Inc,
        ast::IncDec::Dec => IncDec::Dec,
    }
}

impl<'a> Resolver<'a> {
    pub fn boxed(&mut self, expr: &'a ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub fn exprs(&mut self, list: &'a [ast::Expr]) -> Vec<Expr> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub fn expr(&mut self, expr: &'a ast::Expr) -> Expr {
        let mut expr = expr;
        while let ast::ExprKind::Paren(inner) = &expr.kind {
            expr = inner;
        }
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Path(path, args) => return self.path_expr(path, args, span),
            ast::ExprKind::Number(text) => self.number(*text, span),
            ast::ExprKind::Char(text) => self.character(*text, span),
            ast::ExprKind::Str(parts) => self.string(parts),
            ast::ExprKind::Bool(b) => ExprKind::Bool(*b),
            ast::ExprKind::Null => ExprKind::Null,
            ast::ExprKind::Paren(_) | ast::ExprKind::Error => ExprKind::Error,
            ast::ExprKind::Unary(op, inner) => ExprKind::Unary(un(*op), self.boxed(inner)),
            ast::ExprKind::PostIncDec(op, inner) => {
                ExprKind::PostIncDec(inc(*op), self.boxed(inner))
            }
            ast::ExprKind::PreIncDec(op, inner) => ExprKind::PreIncDec(inc(*op), self.boxed(inner)),
            ast::ExprKind::Binary(..) => return self.binary(expr),
            ast::ExprKind::LogicalAnd(a, b) => ExprKind::LogicalAnd(self.boxed(a), self.boxed(b)),
            ast::ExprKind::LogicalOr(a, b) => ExprKind::LogicalOr(self.boxed(a), self.boxed(b)),
            ast::ExprKind::Cond(c, a, b) => {
                ExprKind::Cond(self.boxed(c), a.as_ref().map(|a| self.boxed(a)), self.boxed(b))
            }
            ast::ExprKind::Assign(a, b) => {
                let place = self.boxed(a);
                ExprKind::Assign(place, self.boxed(b))
            }
            ast::ExprKind::AssignOp(op, a, b) => {
                let place = self.boxed(a);
                ExprKind::AssignOp(bin(*op), place, self.boxed(b))
            }
            ast::ExprKind::Swap(a, b) => ExprKind::Swap(self.boxed(a), self.boxed(b)),
            ast::ExprKind::Comma(a, b) => ExprKind::Comma(self.boxed(a), self.boxed(b)),
            ast::ExprKind::Call(callee, args) => {
                let callee = self.callee(callee);
                ExprKind::Call(Box::new(callee), self.exprs(args))
            }
            ast::ExprKind::Index(a, b) => ExprKind::Index(self.boxed(a), self.boxed(b)),
            ast::ExprKind::Member(a, f) => ExprKind::Member(self.boxed(a), f.name, f.span),
            ast::ExprKind::Arrow(a, f) => ExprKind::Arrow(self.boxed(a), f.name, f.span),
            _ => self.rare(expr),
        };
        Expr { kind, span }
    }

    /// Chains of operators lean to the left and may be long: walked without recursion.
    fn binary(&mut self, expr: &'a ast::Expr) -> Expr {
        let mut chain: Vec<(BinOp, &'a ast::Expr, Span)> = Vec::new();
        let mut left = expr;
        while let ast::ExprKind::Binary(op, a, b) = &left.kind {
            chain.push((bin(*op), b, left.span));
            left = a;
        }
        let mut value = self.expr(left);
        for (op, right, span) in chain.into_iter().rev() {
            let right = self.boxed(right);
            value = Expr { kind: ExprKind::Binary(op, Box::new(value), right), span };
        }
        value
    }

    fn rare(&mut self, expr: &'a ast::Expr) -> ExprKind {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Cast(ty, inner) => {
                let ty = Box::new(self.hir_ty(ty));
                ExprKind::Cast(ty, self.boxed(inner))
            }
            ast::ExprKind::SizeofExpr(inner) => ExprKind::SizeofExpr(self.unevaluated(inner)),
            ast::ExprKind::SizeofType(ty) => ExprKind::SizeofType(Box::new(self.hir_ty(ty))),
            ast::ExprKind::AlignofType(ty) => ExprKind::AlignofType(Box::new(self.hir_ty(ty))),
            ast::ExprKind::AlignofExpr(inner) => {
                let inner = self.unevaluated(inner);
                let ty = HirTy::Typeof(inner, Ty::new(TyKind::Infer(0)));
                ExprKind::AlignofType(Box::new(ty))
            }
            ast::ExprKind::Offsetof(ty, path) => {
                let ty = Box::new(self.hir_ty(ty));
                ExprKind::Offsetof(ty, self.designators(path))
            }
            ast::ExprKind::CompoundLiteral(ty, list) => {
                let ty = match self.tag_literal(ty) {
                    Some(ty) => HirTy::Known(ty, TyQuals::default()),
                    None => self.hir_ty(ty),
                };
                let init = self.init_list(list);
                let ty = match ty {
                    HirTy::Known(ty, quals) => HirTy::Known(self.complete_array(ty, &init), quals),
                    other => other,
                };
                let region = if self.body.active { self.block_region() } else { STATIC_REGION };
                ExprKind::CompoundLiteral { ty: Box::new(ty), init: Box::new(init), region }
            }
            ast::ExprKind::Generic(inner, arms) => {
                let inner = self.unevaluated(inner);
                let arms = arms
                    .iter()
                    .map(|arm| {
                        let ty = arm.ty.as_ref().map(|ty| self.hir_ty(ty));
                        (ty, self.expr(&arm.expr))
                    })
                    .collect();
                ExprKind::Generic(inner, arms)
            }
            ast::ExprKind::StmtExpr(block) => {
                if !self.body.active {
                    self.error(codes::E0206, "a statement expression outside a function", span, "");
                    return ExprKind::Error;
                }
                ExprKind::StmtExpr(Box::new(self.block(block)))
            }
            ast::ExprKind::Tuple(list) => ExprKind::Tuple(self.exprs(list)),
            ast::ExprKind::New(new) => {
                let region = new.region.as_ref().map(|expr| self.expr(expr));
                let qual = new.qual.as_ref().map(|expr| self.expr(expr));
                let init = self.init(&new.init);
                ExprKind::New(Box::new(New { region, qual, init }))
            }
            ast::ExprKind::Comprehension(inner) => {
                ExprKind::Comprehension(Box::new(self.comprehension(inner)))
            }
            ast::ExprKind::Throw(inner) => ExprKind::Throw(self.boxed(inner)),
            ast::ExprKind::Valueof(var) => match self.int_var(var) {
                Some(int) => ExprKind::Valueof(int),
                None => ExprKind::Error,
            },
            ast::ExprKind::Numelts(inner) => ExprKind::Numelts(self.boxed(inner)),
            ast::ExprKind::Tagcheck(inner) => ExprKind::Tagcheck(self.boxed(inner)),
            ast::ExprKind::Assert(inner) => ExprKind::Assert(self.boxed(inner)),
            ast::ExprKind::VaArg(list, ty) => {
                let list = self.boxed(list);
                ExprKind::VaArg(list, Box::new(self.hir_ty(ty)))
            }
            ast::ExprKind::BuiltinTypes(name, tys) => match &tys[..] {
                [a, b] => {
                    let a = Box::new(self.hir_ty(a));
                    ExprKind::TypesCompatible(a, Box::new(self.hir_ty(b)))
                }
                _ => {
                    self.unsupported(&format!("calls of `{name}`"), span);
                    ExprKind::Error
                }
            },
            ast::ExprKind::Init(list) => ExprKind::Init(Box::new(self.init_list(list))),
            ast::ExprKind::Unsupported(what) => {
                self.error(codes::E0900, format!("`{what}` is not supported yet"), span, "");
                ExprKind::Error
            }
            _ => ExprKind::Error,
        }
    }

    fn unevaluated(&mut self, expr: &'a ast::Expr) -> Box<Expr> {
        self.boxed(expr)
    }

    fn number(&mut self, text: Symbol, span: Span) -> ExprKind {
        match literal::number(text.as_str()) {
            Ok(Number::Int(value, ty)) => self.int_literal(value, ty),
            Ok(Number::Float(value, ty)) => ExprKind::Float(value, Ty::new(TyKind::Float(ty))),
            Err(error) => {
                let span = error.place(span, text.as_str());
                self.error(codes::E0103, error.message, span, "");
                ExprKind::Error
            }
        }
    }

    fn int_literal(&self, value: i128, ty: toft_ty::IntTy) -> ExprKind {
        ExprKind::Int(toft_hir::Number::new(value), self.common.int(ty))
    }

    fn character(&mut self, text: Symbol, span: Span) -> ExprKind {
        match literal::character(text.as_str()) {
            Ok((value, ty)) => self.int_literal(value, ty),
            Err(fault) => {
                self.report_fault(fault, text, span);
                ExprKind::Error
            }
        }
    }

    fn report_fault(&self, error: literal::LitError, text: Symbol, span: Span) {
        let span = error.place(span, text.as_str());
        self.error(codes::E0104, error.message, span, "");
    }

    /// Adjacent literals are one; the widest prefix counts.
    fn string(&mut self, parts: &'a [(Symbol, Span)]) -> ExprKind {
        let mut width = StrWidth::Char;
        for &(text, span) in parts {
            let own = literal::string_width(text.as_str());
            if own != StrWidth::Char {
                if width != StrWidth::Char && width != own {
                    let message = "string literals of different widths side by side";
                    self.error(codes::E0104, message, span, "");
                }
                width = own;
            }
        }
        let mut units = Vec::with_capacity(parts.first().map_or(0, |part| part.0.as_str().len()));
        for &(text, span) in parts {
            if let Err(fault) = literal::string(text.as_str(), width, &mut units) {
                self.report_fault(fault, text, span);
            }
        }
        ExprKind::Str(width, units.into())
    }

    /// The function of a call: unknown `__builtin_…` names are the C compilers'.
    fn callee(&mut self, callee: &'a ast::Expr) -> Expr {
        if let ast::ExprKind::Path(path, args) = &callee.kind
            && args.is_empty()
            && let [one] = &path.segments[..]
            && one.name.as_str().starts_with("__builtin_")
            && self.lookup(path) == Name::None
            && let Some(func) = self.gnu_builtin(one.name)
        {
            return Expr { kind: ExprKind::Func(func, Vec::new()), span: callee.span };
        }
        self.expr(callee)
    }

    pub fn path_expr(&mut self, path: &'a ast::Path, args: &'a [ast::TypeArg], span: Span) -> Expr {
        let found = self.lookup(path);
        let kind = match found {
            Name::Local(id) => {
                self.mark_used(id);
                ExprKind::Local(id)
            }
            Name::Func(id) => {
                let makes_next = matches!(
                    self.prog.funcs[id].builtin,
                    Some(Builtin::NewDrseq | Builtin::NextDrseq)
                );
                self.prog.next_regions |= makes_next;
                ExprKind::Func(id, self.explicit_args(id, args, span))
            }
            Name::Global(id) => ExprKind::Global(id),
            Name::EnumConst(n) => {
                let item = &self.enum_consts[n as usize];
                ExprKind::EnumConst(item.id, toft_hir::Number::new(item.value))
            }
            Name::Variant(id, n) => {
                let params = self.prog.tables.adts[id].generics.clone();
                let name = self.prog.tables.adts[id].name;
                let args = if args.is_empty() {
                    Vec::new()
                } else {
                    self.generic_args(name, &params, args, self.body_mode(), span)
                        .unwrap_or_default()
                };
                ExprKind::Variant(id, n, args)
            }
            Name::Poison => ExprKind::Error,
            Name::Typedef(_) => {
                self.wrong_kind(path, found, "a value");
                ExprKind::Error
            }
            Name::None => self.unknown_value(path),
        };
        if !args.is_empty() && !matches!(found, Name::Func(_) | Name::Variant(..) | Name::None) {
            self.error(codes::E1001, "type arguments for something that is not generic", span, "");
        }
        Expr { kind, span }
    }

    pub fn body_mode(&self) -> crate::types::Mode {
        if self.body.active { crate::types::Mode::Hole } else { crate::types::Mode::Heap }
    }

    fn unknown_value(&mut self, path: &'a ast::Path) -> ExprKind {
        if let [one] = &path.segments[..] {
            match one.name.as_str() {
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    let name = self.body.func_name.map_or("", Symbol::as_str);
                    let units = name.bytes().map(u32::from).collect();
                    return ExprKind::Str(StrWidth::Char, units);
                }
                "heap_region" => return handle(0, TyKind::RegionHandle(Region::Heap)),
                "alias_qual" => return handle(0, TyKind::AqualHandle(Aqual::Aliasable)),
                "unique_qual" => return handle(1, TyKind::AqualHandle(Aqual::Unique)),
                "refcnt_qual" => return handle(2, TyKind::AqualHandle(Aqual::Counted)),
                "exheap" | "shared_heap" => {
                    self.unsupported(&format!("handles such as `{}`", one.name), one.span);
                    return ExprKind::Error;
                }
                _ => {}
            }
        }
        self.unknown(path, "name");
        // Once is enough.
        if self.body.active
            && let [one] = &path.segments[..]
            && !path.global
        {
            self.scopes.bind(one.name, Name::Poison);
        }
        ExprKind::Error
    }

    /// Written type arguments: one for each parameter that was declared by hand.
    fn explicit_args(&mut self, id: FuncId, args: &'a [ast::TypeArg], span: Span) -> Vec<GArg> {
        if args.is_empty() {
            return Vec::new();
        }
        let func = &self.prog.funcs[id];
        let params: Vec<GenericParam> =
            func.generics.iter().filter(|param| !param.implicit).copied().collect();
        if args.len() > params.len() {
            let message = format!(
                "`{}` takes {} type argument{}, but {} are given",
                func.name,
                params.len(),
                if params.len() == 1 { "" } else { "s" },
                args.len()
            );
            let diag = Diagnostic::error(codes::E1001, message, span, "")
                .label(func.span, "declared here");
            let _ = self.sess.emit(diag);
            return Vec::new();
        }
        let mode = self.body_mode();
        let mut out = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&params) {
            match self.garg(arg, param.kind, mode, span) {
                Some(arg) => out.push(arg),
                None => return Vec::new(),
            }
        }
        out
    }
}

/// A handle that stands for the same thing everywhere.
fn handle(value: i128, ty: TyKind) -> ExprKind {
    ExprKind::Int(toft_hir::Number::new(value), Ty::new(ty))
}
