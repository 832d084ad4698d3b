//! Numbers known only at run time, given a name for one call or one initialiser.
//!
//! `f(n, p)` with `int f(tag_t<'n>, int p[n])` and an ordinary number `n`: the value is kept in a
//! variable of the compiler's own, of type `tag_t<'k>` for a fresh `'k`, and `p` is checked
//! against it. Soundness: `'k` names the value of one evaluation, so nothing typed with it may
//! live longer. Nobody can write `'k`; the variable that carries it is found by conversions of
//! this call only; and a variable whose type would come to mention it is refused.

use crate::convert::mk;
use crate::cx::Fx;
use crate::refine::still;
use toft_base::{Span, Symbol};
use toft_diag::{Diagnostic, codes};
use toft_hir::LocalId;
use toft_tir::{Expr, ExprKind, Place, PlaceKind};
use toft_ty::{Aqual, Flags, Folder, GenericParam, IntExpr, Kind, Ty, TyKind, TyQuals};

impl<'a> Fx<'a> {
    /// `value` as the number that the open variable `n` stands for from here on.
    pub fn name_number(&mut self, value: Expr, n: IntExpr) -> Option<Expr> {
        let IntExpr::Infer(var) = self.int(n) else { return None };
        self.func?;
        if !matches!(value.ty.kind(), TyKind::Int(_) | TyKind::Enum(_) | TyKind::Bool) {
            return None;
        }
        let span = value.span;
        let name = IntExpr::Param(u32::try_from(self.generics.len()).ok()?);
        self.generics.push(GenericParam {
            name: Symbol::intern("n"),
            kind: Kind::Int,
            bound: Aqual::Aliasable,
            implicit: true,
        });
        *self.vars.ints.get_mut(var as usize)? = Some(name);
        let ty = Ty::new(TyKind::Tag(name));
        let carrier = self.hidden(ty, span);
        self.temps.push(carrier);
        self.tags.push((name, carrier));
        let value = self.arith(value, ty, true);
        let place = Place { kind: PlaceKind::Local(carrier), ty, quals: TyQuals::default(), span };
        let store = mk(ExprKind::Assign(Box::new(place), Box::new(value)), ty, span);
        let load = self.hidden_load(carrier, span);
        Some(mk(ExprKind::Comma(Box::new(store), Box::new(load)), ty, span))
    }

    /// The number is kept before what is checked against it is converted.
    pub fn numbers_first(&mut self, args: &mut [Expr], params: &[Ty]) {
        for n in 1..args.len() {
            let Some((name, carrier)) = self.named_here(&args[n]) else { continue };
            let before = &params[..n.min(params.len())];
            if !before.iter().any(|&ty| mentions(self.deep(ty), name)) {
                continue;
            }
            let at = args[n].span;
            let ExprKind::Comma(store, _) = &args[n].kind else { continue };
            let free = args[..n].iter().all(still)
                && matches!(&store.kind, ExprKind::Assign(_, value) if still(value));
            if !free {
                self.report(
                    Diagnostic::error(
                        codes::E0507,
                        "the number of elements comes after the pointer that is checked against it",
                        at,
                        "evaluated too late",
                    )
                    .help("keep the number in a variable first"),
                );
                return;
            }
            let load = self.hidden_load(carrier, at);
            let old = std::mem::replace(&mut args[n], load);
            let hole = self.bad(at);
            let first = std::mem::replace(&mut args[0], hole);
            if let ExprKind::Comma(store, _) = old.kind {
                let (ty, span) = (first.ty, first.span);
                args[0] = mk(ExprKind::Comma(store, Box::new(first)), ty, span);
            }
        }
    }

    fn named_here(&self, e: &Expr) -> Option<(IntExpr, LocalId)> {
        let ExprKind::Comma(store, _) = &e.kind else { return None };
        let ExprKind::Assign(place, _) = &store.kind else { return None };
        let PlaceKind::Local(carrier) = place.kind else { return None };
        let TyKind::Tag(name) = *e.ty.kind() else { return None };
        self.temps.contains(&carrier).then_some((name, carrier))
    }

    /// At the end of the body: no variable's type mentions a number that had a name for one
    /// call only.
    pub fn numbers_stay(&mut self, own: usize) {
        if self.temps.is_empty() {
            return;
        }
        let kept = |ty: Ty| {
            let mut find = Find { from: own, exact: None, found: false };
            find.ty(ty);
            find.found
        };
        let locals = self.locals.iter_enumerated();
        let mut bad: Option<Span> = locals
            .filter(|(id, _)| !self.temps.contains(id))
            .find(|(_, local)| kept(self.deep(local.ty)))
            .map(|(_, local)| local.span);
        for var in &self.vars.tys {
            if bad.is_none()
                && let Some(value) = var.value
                && kept(self.deep(value))
            {
                bad = Some(var.span);
            }
        }
        if let Some(span) = bad {
            self.report(
                Diagnostic::error(
                    codes::E0507,
                    "the number of elements of this pointer has a name in one call only",
                    span,
                    "",
                )
                .help("use `T ?`, which carries its bounds"),
            );
        }
    }
}

fn mentions(ty: Ty, name: IntExpr) -> bool {
    let mut find = Find { from: 0, exact: Some(name), found: false };
    find.ty(ty);
    find.found
}

struct Find {
    from: usize,
    exact: Option<IntExpr>,
    found: bool,
}

impl Folder for Find {
    fn touches(&self, flags: Flags) -> bool {
        !self.found && flags.has(Flags::PARAM)
    }
    fn int(&mut self, int: IntExpr, _: u16) -> IntExpr {
        self.found |= match (self.exact, int) {
            (Some(name), int) => int == name,
            (None, IntExpr::Param(n)) => n as usize >= self.from,
            _ => false,
        };
        int
    }
}
