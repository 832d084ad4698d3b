//! Keeps specialisation finite: limits on the nesting of type arguments and on the number
//! of instances, and the chain of calls to show when one is passed.

use toft_base::{FxHashMap, Span};
use toft_diag::{Diagnostic, Reported, Session, codes};
use toft_mir::{Decls, FuncId, Instance};
use toft_ty::{GArg, Ty, TyKind};

/// Deepest nesting of an instance's type arguments.
const MAX_NESTING: u32 = 32;
/// Most instances of one function.
const MAX_PER_FUNCTION: usize = 4096;
/// Most instances of a program.
const MAX_TOTAL: usize = 400_000;
/// Links of the chain shown at each end.
const SHOWN: usize = 4;

/// Who asked for which instance first.
#[derive(Default)]
pub struct Chain {
    parents: Vec<(FuncId, Option<usize>, Span)>,
    counts: FxHashMap<FuncId, usize>,
}

impl Chain {
    /// Registers the next instance, or reports why there is none.
    pub fn admit(
        &mut self,
        sess: &Session,
        decls: &Decls,
        instance: &Instance,
        from: Option<(usize, Span)>,
    ) -> Result<(), Reported> {
        let count = self.counts.entry(instance.func).or_insert(0);
        *count += 1;
        let deep = instance.args.iter().any(|arg| match arg {
            GArg::Ty(ty) => is_deep(*ty, 0),
            _ => false,
        });
        if deep || *count > MAX_PER_FUNCTION || self.parents.len() >= MAX_TOTAL {
            return Err(self.report(sess, decls, instance.func, from));
        }
        let (parent, span) = match from {
            Some((parent, span)) => (Some(parent), span),
            None => (None, decls.funcs[instance.func].span),
        };
        self.parents.push((instance.func, parent, span));
        Ok(())
    }

    /// From the root to the instance: each function, and where the one before asks for it.
    pub fn path(&self, index: usize) -> Vec<(FuncId, Span)> {
        let mut links = Vec::new();
        let mut at = Some(index);
        while let Some(&(func, parent, span)) = at.and_then(|index| self.parents.get(index)) {
            links.push((func, span));
            at = parent;
        }
        links.reverse();
        links
    }

    fn report(
        &self,
        sess: &Session,
        decls: &Decls,
        func: FuncId,
        from: Option<(usize, Span)>,
    ) -> Reported {
        let name = decls.funcs[func].name;
        let span = from.map_or(decls.funcs[func].span, |(_, span)| span);
        let mut links = vec![name.to_string()];
        let mut at = from.map(|(parent, _)| parent);
        while let Some(index) = at {
            let Some(&(func, parent, _)) = self.parents.get(index) else { break };
            links.push(decls.funcs[func].name.to_string());
            at = parent;
        }
        links.reverse();
        if links.len() > 2 * SHOWN {
            let left_out = links.len() - 2 * SHOWN;
            links.splice(SHOWN..SHOWN + left_out, [format!("({left_out} more)")]);
        }
        sess.emit(
            Diagnostic::error(
                codes::E1005,
                format!("`{name}` needs instances without end"),
                span,
                "each instance asks here for another one",
            )
            .label(decls.funcs[func].span, "the generic function")
            .note(format!("the chain of instances is {}", links.join(" -> ")))
            .help("make the type argument of the recursive call the same as the function's own"),
        )
    }
}

fn is_deep(ty: Ty, depth: u32) -> bool {
    if depth > MAX_NESTING {
        return true;
    }
    let arg_deep = |arg: &GArg| match arg {
        GArg::Ty(ty) => is_deep(*ty, depth + 1),
        _ => false,
    };
    match ty.kind() {
        TyKind::Ptr(ptr) => is_deep(ptr.elem, depth + 1),
        TyKind::Array { elem, .. } | TyKind::Vla(elem) => is_deep(*elem, depth + 1),
        TyKind::Func(func) => {
            is_deep(func.ret, depth + 1) || func.params.iter().any(|&ty| is_deep(ty, depth + 1))
        }
        TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => args.iter().any(arg_deep),
        TyKind::Tuple(fields) => fields.iter().any(|&ty| is_deep(ty, depth + 1)),
        _ => false,
    }
}
