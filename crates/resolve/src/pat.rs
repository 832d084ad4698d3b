//! Patterns.

use crate::cx::Resolver;
use crate::scan::{self, aqual_of, decide};
use crate::scope::Name;
use crate::types::Mode;
use toft_ast as ast;
use toft_base::Span;
use toft_diag::codes;
use toft_hir::*;
use toft_ty::*;

impl<'a> Resolver<'a> {
    /// A pattern, its variables declared in the innermost scope; whether it binds any.
    pub fn pattern(&mut self, pat: &'a ast::Pat) -> (Pat, bool) {
        let before = self.body.locals.len();
        let opened = self.body.opened.len();
        let pat = self.pat(pat);
        let binds = self.body.locals.len() > before || self.body.opened.len() > opened;
        (pat, binds)
    }

    fn pat(&mut self, pat: &'a ast::Pat) -> Pat {
        let span = pat.span;
        let kind = match &pat.kind {
            ast::PatKind::Wild => PatKind::Wild,
            ast::PatKind::Rest => {
                self.error(codes::E0803, "`...` can only end a list of fields", span, "");
                PatKind::Error
            }
            ast::PatKind::Name(path) => self.name_pat(path, span),
            ast::PatKind::As(ident, inner) => {
                let id = self.pat_var(*ident, LocalTy::Infer, TyQuals::default());
                PatKind::As(id, Box::new(self.pat(inner)))
            }
            ast::PatKind::Typed(name, ident) => {
                let (ty, quals) = self.type_name_in(name, Mode::Hole);
                let ty = match self.pending_typeof.take() {
                    Some(expr) => LocalTy::Typeof(Box::new(expr), ty),
                    None => LocalTy::Known(ty),
                };
                PatKind::Var(self.pat_var(*ident, ty, quals))
            }
            ast::PatKind::Ref(ident) => {
                PatKind::Ref(self.pat_var(*ident, LocalTy::Infer, TyQuals::default()))
            }
            ast::PatKind::AddrOf(inner) => PatKind::AddrOf(Box::new(self.pat(inner))),
            ast::PatKind::Null => PatKind::Null,
            ast::PatKind::Const(expr) => {
                let value = self.expr(expr);
                match value.kind {
                    ExprKind::Error => PatKind::Error,
                    ExprKind::Null => PatKind::Null,
                    _ => PatKind::Const(Box::new(value)),
                }
            }
            ast::PatKind::Range(lo, hi) => PatKind::Range(self.boxed(lo), self.boxed(hi)),
            ast::PatKind::Tuple(list) => {
                let (list, rest) = self.pat_list(list);
                if rest {
                    self.error(codes::E0803, "a tuple pattern names every field", span, "");
                }
                PatKind::Tuple(list)
            }
            ast::PatKind::Variant(path, vars, list) => self.variant_pat(path, vars, list, span),
            ast::PatKind::Record(path, vars, fields) => {
                self.record_pat(path.as_ref(), vars, fields)
            }
            ast::PatKind::Error => PatKind::Error,
        };
        Pat { kind, span }
    }

    fn pat_list(&mut self, list: &'a [ast::Pat]) -> (Vec<Pat>, bool) {
        match list.split_last() {
            Some((ast::Pat { kind: ast::PatKind::Rest, .. }, front)) => {
                (front.iter().map(|pat| self.pat(pat)).collect(), true)
            }
            _ => (list.iter().map(|pat| self.pat(pat)).collect(), false),
        }
    }

    fn pat_var(&mut self, ident: ast::Ident, ty: LocalTy, quals: TyQuals) -> LocalId {
        let id = self.new_local(Some(ident.name), ty, quals, ident.span);
        self.bind_local(ident, id);
        id
    }

    /// Whether a bare name in a pattern is a constant already in scope.
    pub fn is_constant_name(&self, path: &ast::Path) -> bool {
        match self.lookup(path) {
            Name::EnumConst(_) => true,
            Name::Global(id) => self.global_consts.contains_key(&id),
            Name::Local(id) => self.body.consts.contains_key(&id),
            _ => path.segments.len() > 1 && !matches!(self.lookup(path), Name::Variant(..)),
        }
    }

    fn name_pat(&mut self, path: &'a ast::Path, span: Span) -> PatKind {
        if let Name::Variant(adt, variant) = self.lookup(path) {
            return PatKind::Variant {
                adt,
                variant,
                opened: Vec::new(),
                args: Vec::new(),
                rest: false,
            };
        }
        if self.is_constant_name(path) {
            let value = self.path_expr(path, &[], span);
            return match value.kind {
                ExprKind::Error => PatKind::Error,
                _ => PatKind::Const(Box::new(value)),
            };
        }
        match &path.segments[..] {
            [ident] if ident.name.as_str() == "_" => PatKind::Wild,
            [ident] => PatKind::Var(self.pat_var(*ident, LocalTy::Infer, TyQuals::default())),
            _ => PatKind::Error,
        }
    }

    fn variant_pat(
        &mut self,
        path: &'a ast::Path,
        vars: &'a [ast::TyVar],
        list: &'a [ast::Pat],
        span: Span,
    ) -> PatKind {
        match self.lookup(path) {
            Name::Variant(adt, variant) => {
                let def = &self.prog.tables.adts[adt].variants[variant as usize];
                let exists = def.exists.clone();
                let opened = self.open_exists(vars, &exists, span);
                let (args, rest) = self.pat_list(list);
                PatKind::Variant { adt, variant, opened, args, rest }
            }
            found => {
                // A struct by position.
                if let Some(adt) = self.tag_as_record(path) {
                    return self.struct_by_position(adt, vars, list, span);
                }
                match found {
                    Name::None => self.unknown(path, "variant"),
                    Name::Poison => {}
                    other => self.wrong_kind(path, other, "a datatype's variant"),
                }
                self.bind_errors(list);
                PatKind::Error
            }
        }
    }

    fn struct_by_position(
        &mut self,
        adt: AdtId,
        vars: &'a [ast::TyVar],
        list: &'a [ast::Pat],
        span: Span,
    ) -> PatKind {
        let exists = self.prog.tables.adts[adt].exists.clone();
        let opened = self.open_exists(vars, &exists, span);
        let (pats, rest) = self.pat_list(list);
        let fields =
            pats.into_iter().enumerate().map(|(n, pat)| (FieldName::At(n as u32), pat)).collect();
        PatKind::Record { adt: Some(adt), opened, fields, rest }
    }

    /// Declares the variables of a refused pattern, so that its body makes sense.
    fn bind_errors(&mut self, list: &'a [ast::Pat]) {
        for pat in list {
            if !matches!(pat.kind, ast::PatKind::Rest) {
                self.pat(pat);
            }
        }
    }

    fn record_pat(
        &mut self,
        path: Option<&'a ast::Path>,
        vars: &'a [ast::TyVar],
        list: &'a [ast::FieldPat],
    ) -> PatKind {
        let mut adt = None;
        if let Some(path) = path {
            adt = self.tag_as_record(path);
            if adt.is_none() {
                self.unknown(path, "struct");
            }
        }
        let span = path.map_or(Span::NONE, |path| path.span);
        let exists = match adt {
            Some(id) => self.prog.tables.adts[id].exists.clone(),
            None => Vec::new(),
        };
        let opened = match adt {
            Some(_) => self.open_exists(vars, &exists, span),
            None => self.open_unknown(vars),
        };
        let mut fields = Vec::with_capacity(list.len());
        let mut rest = false;
        for (n, field) in list.iter().enumerate() {
            if let ast::PatKind::Rest = field.pat.kind
                && n + 1 == list.len()
            {
                rest = true;
                continue;
            }
            let name = match field.name {
                Some(ident) => FieldName::Named(ident.name, ident.span),
                None => FieldName::At(n as u32),
            };
            fields.push((name, self.pat(&field.pat)));
        }
        PatKind::Record { adt, opened, fields, rest }
    }

    /// Opens the existentials of a struct or variant under the names given.
    fn open_exists(
        &mut self,
        vars: &'a [ast::TyVar],
        exists: &[GenericParam],
        span: Span,
    ) -> Opened {
        if !vars.is_empty() && vars.len() != exists.len() {
            let message = format!(
                "{} existential variable{} to open, but {} named",
                exists.len(),
                if exists.len() == 1 { "" } else { "s" },
                vars.len()
            );
            self.error(codes::E0803, message, span, "");
        }
        let mut opened = Vec::with_capacity(exists.len());
        for (n, param) in exists.iter().enumerate() {
            let var = vars.get(n);
            let name = var.map_or(param.name, |var| var.name);
            let at = var.map_or(span, |var| var.span);
            opened.push(self.open_one(GenericParam { name, ..*param }, var.is_some(), at));
        }
        opened
    }

    /// The struct is known to `infer` only: kinds as written, or types.
    fn open_unknown(&mut self, vars: &'a [ast::TyVar]) -> Opened {
        let list = vars.iter().map(|var| {
            let kind = decide(&[], var.name, var.kind);
            let param = GenericParam {
                name: var.name,
                kind,
                bound: var.bound.map_or(scan::default_bound(kind), aqual_of),
                implicit: false,
            };
            (param, var.span)
        });
        let list: Vec<(GenericParam, Span)> = list.collect();
        list.into_iter().map(|(param, span)| self.open_one(param, true, span)).collect()
    }

    fn open_one(&mut self, param: GenericParam, named: bool, span: Span) -> (u32, Kind, Span) {
        let index = self.body.generics + self.body.opened.len() as u32;
        self.body.opened.push(param);
        if named {
            self.bind_params(&[param], index);
        }
        (index, param.kind, span)
    }
}
