//! Functions that the compiler lowers by itself: freeing, counting, keys, regions' figures.

use crate::builder::Lower;
use toft_hir::Builtin;
use toft_mir as mir;
use toft_mir::{Operand, Place, StmtKind};
use toft_tir::{Call, Expr};
use toft_ty::{GArg, Region, Ty, TyKind};

/// Which arguments a builtin takes over, by bit.
fn consumes(builtin: Builtin) -> u64 {
    match builtin {
        Builtin::Free
        | Builtin::DropRefptr
        | Builtin::FreeUkey
        | Builtin::FreeRkey
        | Builtin::NextDrseq => 1,
        Builtin::Rfree | Builtin::RdropRefptr => 2,
        _ => 0,
    }
}

impl Lower<'_> {
    pub fn builtin(
        &mut self,
        builtin: Builtin,
        given: &[GArg],
        call: &Call,
        dest: Option<Place>,
        e: &Expr,
    ) {
        let taken = consumes(builtin);
        let list: Vec<(&Expr, bool)> =
            call.args.iter().enumerate().map(|(n, arg)| (arg, taken >> n & 1 != 0)).collect();
        let ops = self.arguments(&list);
        if builtin == Builtin::Realloc {
            if let (Some(GArg::Ty(elem)), [old, count]) = (given.first(), &call.args[..]) {
                if self.is_tracked(old.ty) || self.is_tracked(*elem) {
                    self.unsupported(e.span, "`realloc` of tracked pointers");
                }
                let value = self.reallocate(&ops, old, count, *elem, e);
                match dest {
                    Some(dest) => self.assign(e.span, dest, value),
                    None => drop(value),
                }
            }
            return;
        }
        let Some((callee, args)) = self.entry(builtin, ops, call) else {
            self.unsupported(e.span, "this allocation");
            return;
        };
        let dest = match dest {
            // What is made has to be somewhere.
            None if !e.ty.is_void() && self.is_tracked(e.ty) => {
                Some(Place::local(self.temp(e.ty, e.span)))
            }
            dest => dest.filter(|_| !e.ty.is_void()),
        };
        let call =
            mir::Call { dest, callee, args, varargs: Vec::new(), noreturn: false, suspends: false };
        self.emit(e.span, StmtKind::Call(Box::new(call)));
    }

    /// The runtime's entry for a builtin, and what it takes.
    fn entry(
        &self,
        builtin: Builtin,
        ops: Vec<Operand>,
        call: &Call,
    ) -> Option<(mir::Callee, Vec<Operand>)> {
        let arg = |n: usize| call.args.get(n).map_or_else(Ty::error, |arg: &Expr| arg.ty);
        let key = |reap: bool, counted: bool| {
            [reap, counted].map(|flag| Operand::int(i128::from(flag), self.ty.int)).to_vec()
        };
        let name = match builtin {
            Builtin::Free if is_key(self.decls, arg(0)) => "toft_key_free",
            Builtin::Free => "toft_unique_free",
            Builtin::Rfree => "toft_region_free",
            Builtin::AliasRefptr => "toft_counted_dup",
            Builtin::RefptrCount => "toft_counted_count",
            Builtin::DropRefptr if is_key(self.decls, arg(0)) => "toft_key_drop",
            Builtin::DropRefptr if self.drops_all(arg(0)) => "toft_counted_drop_full",
            Builtin::DropRefptr => "toft_counted_drop",
            Builtin::RdropRefptr if self.drops_all(arg(1)) => "toft_region_drop_full",
            Builtin::RdropRefptr => "toft_region_drop",
            Builtin::NewUkey => return Some((runtime("toft_key_new"), key(false, false))),
            Builtin::NewRkey => return Some((runtime("toft_key_new"), key(false, true))),
            Builtin::NewReapUkey => return Some((runtime("toft_key_new"), key(true, false))),
            Builtin::NewReapRkey => return Some((runtime("toft_key_new"), key(true, true))),
            Builtin::FreeUkey => "toft_key_free",
            Builtin::FreeRkey => "toft_key_drop",
            Builtin::NewDrseq => "toft_drseq_new",
            Builtin::NextDrseq => "toft_drseq_next",
            Builtin::RegionSize => "toft_region_size",
            Builtin::RegionLimit => "toft_region_limit",
            Builtin::Gnu(name) => return Some((mir::Callee::Gnu(name), ops)),
            Builtin::Malloc
            | Builtin::Calloc
            | Builtin::Realloc
            | Builtin::Rmalloc
            | Builtin::Rcalloc
            | Builtin::Rqmalloc
            | Builtin::Rqcalloc => return None,
        };
        Some((runtime(name), ops))
    }

    /// Every region that the object's type names is the heap or that of the pointer, so that
    /// all it owns is known to be there.
    fn drops_all(&self, ty: Ty) -> bool {
        let Some(ptr) = ty.as_ptr() else { return false };
        self.regions_known(ptr.elem, ptr.region)
    }

    fn regions_known(&self, ty: Ty, own: Region) -> bool {
        // In a reap, what is in the heap and what is in the reap are freed differently, and the
        // definition alone has to tell which is which.
        let known = |region: Region| region == own;
        match *ty.kind() {
            TyKind::Adt(_, args) | TyKind::Variant(_, _, args) => {
                args.iter().all(|arg| match arg {
                    GArg::Region(region) => known(*region),
                    GArg::Ty(ty) => !self.is_tracked(*ty) || self.regions_known(*ty, own),
                    _ => true,
                })
            }
            TyKind::Ptr(ref ptr) => known(ptr.region) && self.regions_known(ptr.elem, own),
            TyKind::Array { elem, .. } => self.regions_known(elem, own),
            TyKind::Tuple(fields) => fields.iter().all(|&ty| self.regions_known(ty, own)),
            TyKind::Param(..) | TyKind::Bound(..) => !self.is_tracked(ty),
            _ => true,
        }
    }
}

fn runtime(name: &'static str) -> mir::Callee {
    mir::Callee::Runtime(name)
}

/// The arena of a key goes with it, however it is freed.
fn is_key(decls: &mir::Decls, ty: Ty) -> bool {
    let Some(ptr) = ty.as_ptr() else { return false };
    match *ptr.elem.kind() {
        TyKind::Adt(id, _) => decls.tables.adts[id].name.as_str() == "DynamicRegion",
        _ => false,
    }
}
