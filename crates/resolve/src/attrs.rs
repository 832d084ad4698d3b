//! Attributes that mean something here; others are for the C compilers' eyes.

use crate::cx::Resolver;
use toft_ast as ast;
use toft_base::Span;
use toft_diag::codes;
use toft_hir::{Builtin, FormatAttr, FormatKind};
use toft_ty::layout;

#[derive(Default)]
pub(crate) struct FuncAttrs {
    pub consumes: u64,
    pub noreturn: bool,
    pub format: Option<FormatAttr>,
    pub builtin: Option<Builtin>,
    pub same_const: bool,
}

impl<'a> Resolver<'a> {
    pub fn func_attrs(&mut self, lists: &[&'a ast::Attrs], params: usize) -> FuncAttrs {
        let mut out = FuncAttrs::default();
        for attr in lists.iter().flat_map(|list| list.iter()) {
            match attr.name.as_str() {
                "noreturn" | "Noreturn" => out.noreturn = true,
                "format" => out.format = self.format_attr(attr, params).or(out.format),
                "consume" => {
                    for arg in &attr.args {
                        let Some(n) = self.attr_int(arg) else { continue };
                        if (1..=params.min(64) as i128).contains(&n) {
                            out.consumes |= 1 << (n - 1);
                        } else {
                            let message = format!("`consume({n})`: there is no such parameter");
                            self.error(codes::E0204, message, attr.span, "");
                        }
                    }
                }
                "toft_same_const" => out.same_const = true,
                "toft_builtin" => out.builtin = self.builtin_attr(attr),
                _ => {}
            }
        }
        out
    }

    fn format_attr(&mut self, attr: &'a ast::Attr, params: usize) -> Option<FormatAttr> {
        let [ast::AttrArg::Ident(kind), format, first] = &attr.args[..] else { return None };
        let kind = match kind.name.as_str().trim_matches('_') {
            "printf" | "gnu_printf" => FormatKind::Printf,
            "scanf" | "gnu_scanf" => FormatKind::Scanf,
            "strftime" | "gnu_strftime" => FormatKind::Strftime,
            _ => return None,
        };
        let format = self.attr_int(format)?;
        let first = self.attr_int(first)?;
        if !(1..=params as i128).contains(&format) || !(0..=params as i128 + 1).contains(&first) {
            if !self.is_foreign() {
                self.error(
                    codes::E0204,
                    "`format` names a parameter that is not there",
                    attr.span,
                    "",
                );
            }
            return None;
        }
        let first = if first == 0 { None } else { Some(first as u32 - 1) };
        Some(FormatAttr { kind, format: format as u32 - 1, first })
    }

    fn builtin_attr(&mut self, attr: &'a ast::Attr) -> Option<Builtin> {
        let name = match attr.args.first()? {
            ast::AttrArg::Ident(ident) => ident.name.as_str(),
            ast::AttrArg::Expr(expr) => match &expr.kind {
                ast::ExprKind::Str(parts) => parts.first()?.0.as_str().trim_matches('"'),
                ast::ExprKind::Path(path, _) => path.segments.last()?.name.as_str(),
                _ => return None,
            },
        };
        use Builtin::*;
        let found = match name {
            "malloc" => Malloc,
            "calloc" => Calloc,
            "realloc" => Realloc,
            "free" => Free,
            "rmalloc" => Rmalloc,
            "rcalloc" => Rcalloc,
            "rqmalloc" => Rqmalloc,
            "rqcalloc" => Rqcalloc,
            "rfree" => Rfree,
            "alias_refptr" => AliasRefptr,
            "drop_refptr" => DropRefptr,
            "rdrop_refptr" => RdropRefptr,
            "refptr_count" => RefptrCount,
            "new_ukey" => NewUkey,
            "new_rkey" => NewRkey,
            "new_reap_ukey" => NewReapUkey,
            "new_reap_rkey" => NewReapRkey,
            "free_ukey" => FreeUkey,
            "free_rkey" => FreeRkey,
            "new_drseq" => NewDrseq,
            "next_drseq" => NextDrseq,
            "region_size" => RegionSize,
            "region_limit" => RegionLimit,
            other => Gnu(toft_base::Symbol::intern(other)),
        };
        Some(found)
    }

    fn attr_int(&mut self, arg: &'a ast::AttrArg) -> Option<i128> {
        match arg {
            ast::AttrArg::Expr(expr) => {
                let value = self.expr(expr);
                self.const_int(&value, "an attribute's argument")
            }
            ast::AttrArg::Ident(_) => None,
        }
    }

    pub fn has_attr(lists: &[&ast::Attrs], names: &[&str]) -> bool {
        lists.iter().any(|list| list.iter().any(|attr| names.contains(&attr.name.as_str())))
    }

    /// The strictest of `_Alignas(…)` and `aligned(…)`, in bytes.
    pub fn alignment(
        &mut self,
        specs: &'a [ast::AlignSpec],
        lists: &[&'a ast::Attrs],
    ) -> Option<u32> {
        let mut best: Option<u32> = None;
        for spec in specs {
            let (value, span) = match spec {
                ast::AlignSpec::Type(name) => {
                    let ty = self.type_name_in(name, crate::types::Mode::Heap).0;
                    let found = layout::layout_of(&self.prog.tables, ty).ok();
                    (found.map(|found| i128::from(found.align)), name.span)
                }
                ast::AlignSpec::Expr(expr) => {
                    let value = self.expr(expr);
                    (self.const_int(&value, "an alignment"), expr.span)
                }
            };
            best = best.max(value.and_then(|value| self.check_align(value, span)));
        }
        for attr in lists.iter().flat_map(|list| list.iter()) {
            if attr.name.as_str() != "aligned" {
                continue;
            }
            let value = match attr.args.first() {
                None => Some(16),
                Some(arg) => self.attr_int(arg),
            };
            best = best.max(value.and_then(|value| self.check_align(value, attr.span)));
        }
        best
    }

    fn check_align(&self, value: i128, span: Span) -> Option<u32> {
        match u32::try_from(value) {
            Ok(0) => None,
            Ok(n) if n.is_power_of_two() && n <= 1 << 20 => Some(n),
            _ => {
                let message = format!("{value} is not a possible alignment");
                self.error(codes::E0308, message, span, "a power of two is needed");
                None
            }
        }
    }
}
