//! The state of typing one body: variables of inference, locals, where we are.

use crate::region::{Graph, Need, Origin, What, explain, order, solve};
use crate::types::{Tys, tys};
use toft_base::{IndexVec, Span, Symbol};
use toft_diag::{Code, Diagnostic, Reported, Session};
use toft_hir::{self as hir, FuncId, LocalId, Program, RegionDecl};
use toft_tir as tir;
use toft_ty::print::{Names, ty_to_string};
use toft_ty::{
    Aqual, Flags, Folder, GenericParam, IntExpr, Region, RegionBound, RegionId, Ty, TyKind,
};

/// A type variable: what it stands for, and who asked for it.
pub struct TyVar {
    pub value: Option<Ty>,
    pub span: Span,
    pub name: Symbol,
    pub of: Option<FuncId>,
    pub bound: Aqual,
}

/// The variables of inference other than regions.
#[derive(Default)]
pub struct Vars {
    pub tys: Vec<TyVar>,
    pub ints: Vec<Option<IntExpr>>,
    pub aquals: Vec<Option<Aqual>>,
}

pub struct Fx<'a> {
    pub sess: &'a Session,
    pub prog: &'a Program,
    pub t: &'static Tys,
    pub func: Option<&'a hir::Func>,
    pub func_id: Option<FuncId>,
    pub ret: Ty,
    pub generics: Vec<GenericParam>,
    /// Bounds in force: those of the signature and of opened existentials.
    pub bounds: Vec<RegionBound>,
    pub locals: IndexVec<LocalId, tir::Local>,
    /// The variables as resolved: what is written of their types.
    pub decls: &'a [hir::Local],
    pub regions: IndexVec<RegionId, RegionDecl>,
    /// Some region of the body may be gone while it runs: accesses ask for liveness.
    pub dead: bool,
    /// Parameters that patterns have opened: the block of each, and the pattern.
    pub opened: Vec<(u32, RegionId, Span)>,
    /// The block of the pattern at hand.
    pub pattern_block: RegionId,
    /// Keys opened: the region, and the scope in which it is live.
    pub opens: Vec<(Region, RegionId)>,
    /// What the regions in a type parameter are known to outlive: one of each list.
    pub hidden: Vec<(u32, Vec<Region>)>,
    /// The `tag_t` local that carries each integer parameter.
    pub tags: Vec<(IntExpr, LocalId)>,
    /// The arrays of arrays, and what keeps the length of each of their dimensions.
    pub rows: Vec<(LocalId, Vec<LocalId>)>,
    /// Per open arm: the variables of the next one, when it gives them values.
    pub falls: Vec<Option<crate::falls::NextArm>>,
    /// The block we are in.
    pub here: RegionId,
    pub vars: Vars,
    pub graph: Graph,
    pub failed: Option<Reported>,
    /// Loans of tracked pointers: all of them, and those that are open.
    pub loans: Vec<crate::tracked::Loan>,
    /// What an allocation becomes whose context is a type variable with this bound.
    pub made_as: Option<Aqual>,
    /// Bounds of the stand-ins for variables of function types.
    pub skolem_bounds: toft_base::FxHashMap<u16, Aqual>,
    pub open: Vec<RegionId>,
    /// While a contract is typed: number of parameters, and the local of `result`.
    pub contract: Option<(usize, Option<LocalId>)>,
    /// While a refinement's condition is typed: its variable and what stands for it.
    pub refining: Option<crate::refine::Refining>,
    /// What carries a number that has a name for one call only.
    pub temps: Vec<LocalId>,
    /// What the scalars of the initialiser at hand must satisfy.
    pub want: Option<toft_ty::Refinement>,
    /// Type arguments that were not known yet at their call: kinds are checked at the end.
    pub pending: Vec<(GenericParam, Ty, Span)>,
    /// Whose argument is being converted, if one is.
    pub callee: Option<FuncId>,
    /// Whether the signature may be asked to bound its unnamed regions.
    pub ask: bool,
    pub demands: Vec<toft_hir::Demand>,
}

impl<'a> Fx<'a> {
    pub fn new(sess: &'a Session, prog: &'a Program) -> Fx<'a> {
        let t = tys();
        Fx {
            sess,
            prog,
            t,
            func: None,
            func_id: None,
            ret: t.void,
            generics: Vec::new(),
            bounds: Vec::new(),
            locals: IndexVec::new(),
            decls: &[],
            regions: IndexVec::new(),
            dead: false,
            opened: Vec::new(),
            pattern_block: RegionId(0),
            opens: Vec::new(),
            hidden: Vec::new(),
            tags: Vec::new(),
            rows: Vec::new(),
            falls: Vec::new(),
            here: RegionId(0),
            vars: Vars::default(),
            graph: Graph::default(),
            failed: None,
            loans: Vec::new(),
            made_as: None,
            skolem_bounds: toft_base::FxHashMap::default(),
            open: Vec::new(),
            contract: None,
            refining: None,
            temps: Vec::new(),
            want: None,
            pending: Vec::new(),
            callee: None,
            ask: false,
            demands: Vec::new(),
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let error = diagnostic.severity == toft_diag::Severity::Error;
        let reported = self.sess.emit(diagnostic);
        if error {
            self.failed = Some(reported);
        }
        reported
    }

    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, message, span, ""));
    }

    /// What went wrong was reported by an earlier pass.
    pub fn poison(&mut self) {
        let reported = self.sess.reported();
        self.failed.get_or_insert(reported);
    }

    pub fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(code, message, span, ""));
    }

    pub fn with_names<R>(&self, f: impl FnOnce(&Names<'_>) -> R) -> R {
        let regions = |id: RegionId| self.regions.get(id).and_then(|decl| decl.name);
        f(&Names { tables: &self.prog.tables, generics: &self.generics, regions: &regions })
    }

    /// A type as the programmer would write it, in backquotes.
    pub fn show(&self, ty: Ty) -> String {
        let ty = self.deep(ty);
        let ty = if ty.flags().has(Flags::INFER) { Named(self).ty(ty) } else { ty };
        self.with_names(|names| format!("`{}`", ty_to_string(names, ty)))
    }

    pub fn param_name(&self, n: usize) -> Symbol {
        let name = self.func.and_then(|func| func.params.get(n)).and_then(|param| param.name);
        name.unwrap_or_else(|| Symbol::intern(&format!("p{}", n + 1)))
    }

    // Variables of inference.

    pub fn fresh_ty(&mut self, span: Span, name: Symbol, of: Option<FuncId>) -> Ty {
        self.vars.tys.push(TyVar { value: None, span, name, of, bound: Aqual::Aliasable });
        Ty::new(TyKind::Infer(self.vars.tys.len() as u32 - 1))
    }

    pub fn fresh_int(&mut self) -> IntExpr {
        self.vars.ints.push(None);
        IntExpr::Infer(self.vars.ints.len() as u32 - 1)
    }

    pub fn fresh_aqual(&mut self) -> Aqual {
        self.vars.aquals.push(None);
        Aqual::Infer(self.vars.aquals.len() as u32 - 1)
    }

    /// The outermost layer known: variables that have a value replaced by it.
    #[inline]
    pub fn shallow(&self, mut ty: Ty) -> Ty {
        while let TyKind::Infer(n) = *ty.kind() {
            match self.vars.tys.get(n as usize).and_then(|var| var.value) {
                Some(value) => ty = value,
                None => break,
            }
        }
        ty
    }

    pub fn int(&self, mut int: IntExpr) -> IntExpr {
        while let IntExpr::Infer(n) = int {
            match self.vars.ints.get(n as usize).copied().flatten() {
                Some(value) => int = value,
                None => break,
            }
        }
        int
    }

    pub fn aqual(&self, mut aqual: Aqual) -> Aqual {
        while let Aqual::Infer(n) = aqual {
            match self.vars.aquals.get(n as usize).copied().flatten() {
                Some(value) => aqual = value,
                None => break,
            }
        }
        aqual
    }

    /// All variables that have a value replaced, at every depth; regions stay.
    pub fn deep(&self, ty: Ty) -> Ty {
        if ty.flags().has(Flags::INFER) && !self.vars_empty() { Deep(self).ty(ty) } else { ty }
    }

    fn vars_empty(&self) -> bool {
        self.vars.tys.is_empty() && self.vars.ints.is_empty() && self.vars.aquals.is_empty()
    }

    // Types written in bodies.

    /// A type written in an expression: unwritten regions become variables.
    pub fn open_holes(&mut self, ty: Ty) -> Ty {
        if !ty.flags().has(Flags::INFER) {
            return ty;
        }
        Holes { graph: &mut self.graph, bound: None, of: None }.ty(ty)
    }

    /// The type of a variable: its regions must live as long as `local` does.
    pub fn open_local(&mut self, ty: Ty, local: LocalId, region: RegionId, span: Span) -> Ty {
        if !ty.flags().has(Flags::INFER) {
            return ty;
        }
        let origin = Origin::new(span, What::Local(local));
        Holes { graph: &mut self.graph, bound: Some((region, origin)), of: None }.ty(ty)
    }

    /// `typeof`: `ty` with `Infer(0)` replaced by `of`.
    pub fn fill_typeof(&mut self, ty: Ty, of: Ty) -> Ty {
        Holes { graph: &mut self.graph, bound: None, of: Some(of) }.ty(ty)
    }

    /// Every region in `ty` must live as long as block `region`.
    pub fn must_live(&mut self, ty: Ty, region: RegionId, origin: Origin) {
        let ty = self.deep(ty);
        let flags = ty.flags();
        let opened = !self.opened.is_empty() && flags.has(Flags::PARAM);
        if flags.has(Flags::INFER) || flags.has(Flags::LOCAL) || opened {
            let mut found = Vec::new();
            Regions(&mut found).ty(ty);
            for found in found {
                self.graph.need(found, Region::Local(region), Need::Scope, origin);
            }
            if opened {
                self.types_stay(ty, region, origin.span);
            }
        }
    }

    // Regions: the end of the body.

    pub fn solve_regions(&mut self) -> Vec<Region> {
        if self.graph.constraints.is_empty() && self.graph.one_of.is_empty() {
            return vec![Region::Heap; self.graph.vars as usize];
        }
        let names = self.region_names();
        let mut order = order::Order::new(&self.regions, &self.bounds, names);
        if let Some(func) = self.func {
            order.assume(&func.sig.bounds);
        }
        let values = solve::solve_all(&mut self.graph, &mut order);
        if self.failed.is_none() {
            explain::report(self, &order, &values);
        }
        let cleaned = values.into_iter().map(|value| match value {
            // A stand-in that met nothing else is as good as the heap.
            Some(Region::Bound(crate::region::constraints::SKOLEM, _)) | None => Region::Heap,
            Some(region) => region,
        });
        cleaned.collect()
    }
}

/// Type variables that nothing decided yet, by the names of their parameters.
struct Named<'x, 'a>(&'x Fx<'a>);

impl Folder for Named<'_, '_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::INFER)
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        let TyKind::Infer(n) = *ty.kind() else { return None };
        let var = self.0.vars.tys.get(n as usize)?;
        Some(Ty::new(TyKind::Param(u32::MAX, var.name)))
    }
}

struct Deep<'x, 'a>(&'x Fx<'a>);

impl Folder for Deep<'_, '_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::INFER)
    }
    fn aqual(&mut self, aqual: Aqual, _: u16) -> Aqual {
        self.0.aqual(aqual)
    }
    fn int(&mut self, int: IntExpr, _: u16) -> IntExpr {
        self.0.int(int)
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        let known = self.0.shallow(ty);
        if known == ty { None } else { Some(self.0.deep(known)) }
    }
}

struct Holes<'x> {
    graph: &'x mut Graph,
    bound: Option<(RegionId, Origin)>,
    of: Option<Ty>,
}

impl Folder for Holes<'_> {
    fn touches(&self, flags: Flags) -> bool {
        flags.has(Flags::INFER)
    }
    fn region(&mut self, region: Region, _: u16) -> Region {
        if region != Region::Hole {
            return region;
        }
        let var = self.graph.fresh();
        if let Some((low, origin)) = self.bound {
            self.graph.need(var, Region::Local(low), Need::Scope, origin);
        }
        var
    }
    fn leaf(&mut self, ty: Ty, _: u16) -> Option<Ty> {
        match ty.kind() {
            TyKind::Infer(0) => self.of,
            _ => None,
        }
    }
}

/// Collects the free regions of a type.
pub struct Regions<'x>(pub &'x mut Vec<Region>);

impl Folder for Regions<'_> {
    fn touches(&self, flags: Flags) -> bool {
        let _ = flags;
        true
    }
    fn any_region(&mut self, region: Region, _: u16) -> Region {
        let own = match region.root().0 {
            // A stand-in is free; what a function type binds is not.
            Region::Bound(level, _) => level == crate::region::constraints::SKOLEM,
            Region::Erased | Region::Hole => false,
            _ => true,
        };
        if own {
            self.0.push(region);
        }
        region
    }
}
