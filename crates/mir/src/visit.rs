//! Visiting what statements and terminators mention.

use crate::*;
use toft_ty::Ty;

/// Something mentioned.
#[derive(Clone, Copy, Debug)]
pub enum Visit<'a> {
    /// A place, and whether it is written as a whole (without being read).
    Place(&'a Place, bool),
    Operand(&'a Operand),
    /// Named outside of places, or as base or index of one.
    Local(LocalId),
    Global(GlobalId),
    Func(FuncId),
    Region(RegionId),
    Try(TryId),
}

type Sink<'s, 'a> = &'s mut dyn FnMut(Visit<'a>);

/// Everything a statement mentions, reads before writes.
pub fn stmt_visit<'a>(stmt: &'a StmtKind, visit: Sink<'_, 'a>) {
    match stmt {
        StmtKind::Nop => {}
        StmtKind::Assign(to, from) => {
            rvalue(from, visit);
            place(to, true, visit);
        }
        StmtKind::StorageLive(local) | StmtKind::StorageDead(local) => visit(Visit::Local(*local)),
        StmtKind::Check(check) => check_visit(&check.kind, visit),
        StmtKind::Call(call) => {
            match &call.callee {
                Callee::Func(id, _) => visit(Visit::Func(*id)),
                Callee::Ptr(a) => operand(a, visit),
                Callee::Gnu(_) | Callee::Runtime(_) => {}
            }
            call.args.iter().chain(&call.varargs).for_each(|a| operand(a, visit));
            if let Some(dest) = &call.dest {
                place(dest, true, visit);
            }
        }
        StmtKind::SetTag(of, _) | StmtKind::Consume(of) => place(of, false, visit),
        StmtKind::Alloca { local, count, .. } => {
            operand(count, visit);
            visit(Visit::Local(*local));
        }
        StmtKind::Swap(a, b) => {
            place(a, false, visit);
            place(b, false, visit);
        }
        StmtKind::TryPush(id) | StmtKind::TryPop(id) => visit(Visit::Try(*id)),
        StmtKind::Catch(id, local) => {
            visit(Visit::Try(*id));
            visit(Visit::Local(*local));
        }
        StmtKind::RegionEnter { region, handle, open } => {
            open.iter().for_each(|a| operand(a, visit));
            visit(Visit::Region(*region));
            visit(Visit::Local(*handle));
        }
        StmtKind::BorrowEnter { region, local, from } => {
            place(from, false, visit);
            visit(Visit::Region(*region));
            visit(Visit::Local(*local));
        }
        StmtKind::RegionExit(region) | StmtKind::BorrowExit(region) => {
            visit(Visit::Region(*region));
        }
        StmtKind::GiveBack { to, from } => {
            place(to, false, visit);
            visit(Visit::Local(*from));
        }
    }
}

pub fn term_visit<'a>(term: &'a TermKind, visit: Sink<'_, 'a>) {
    match term {
        TermKind::If(a, ..)
        | TermKind::Switch { on: a, .. }
        | TermKind::Throw(a)
        | TermKind::Return(Some(a)) => operand(a, visit),
        TermKind::Rethrow(local) => visit(Visit::Local(*local)),
        TermKind::Goto(_) | TermKind::Return(None) | TermKind::Trap(_) | TermKind::Unreachable => {}
    }
}

fn place<'a>(of: &'a Place, written: bool, visit: Sink<'_, 'a>) {
    match of.base {
        Base::Local(local) => visit(Visit::Local(local)),
        Base::Global(global) => visit(Visit::Global(global)),
    }
    for step in &of.proj {
        if let Proj::Deref(Index::Local(local)) | Proj::Index(Index::Local(local)) = step {
            visit(Visit::Local(*local));
        }
    }
    visit(Visit::Place(of, written));
}

fn operand<'a>(of: &'a Operand, visit: Sink<'_, 'a>) {
    match of {
        Operand::Copy(from) | Operand::Move(from) => place(from, false, visit),
        Operand::Const(constant) => {
            if let ConstKind::Func(id, _) = &constant.kind {
                visit(Visit::Func(*id));
            }
        }
    }
    visit(Visit::Operand(of));
}

fn rvalue<'a>(of: &'a Rvalue, visit: Sink<'_, 'a>) {
    of.operands(&mut |op| operand(op, visit));
    if let Some(from) = of.place() {
        place(from, false, visit);
    }
}

fn check_visit<'a>(of: &'a CheckKind, visit: Sink<'_, 'a>) {
    of.operands(&mut |op| operand(op, visit));
    if let Some(from) = of.place() {
        place(from, false, visit);
    }
}

/// The walks over operands, once to look at them and once to change them.
macro_rules! operands {
    ($name:ident $(, $mutable:tt)?) => {
        impl Rvalue {
            /// The operands, in order of evaluation.
            pub fn $name<'a>(
                &'a $($mutable)? self,
                visit: &mut dyn FnMut(&'a $($mutable)? Operand),
            ) {
                match self {
                    Rvalue::Use(a)
                    | Rvalue::Unary(_, a)
                    | Rvalue::Cast(_, a, _)
                    | Rvalue::FatLen(a)
                    | Rvalue::ZtLen(a)
                    | Rvalue::ViewFat(a) => visit(a),
                    Rvalue::Binary(_, a, b)
                    | Rvalue::Compare(_, a, b)
                    | Rvalue::MakeFat { base: a, len: b }
                    | Rvalue::PtrAdd(a, b)
                    | Rvalue::PtrDiff(a, b) => {
                        visit(a);
                        visit(b);
                    }
                    Rvalue::Aggregate(fields) => fields.into_iter().for_each(|(_, a)| visit(a)),
                    Rvalue::Variant(_, _, fields) => fields.into_iter().for_each(visit),
                    Rvalue::Alloc { count, region, qual, .. } => {
                        count.into_iter().chain(region).chain(qual).for_each(visit);
                    }
                    Rvalue::Ref(_)
                    | Rvalue::IsVariant(..)
                    | Rvalue::IsMember(..)
                    | Rvalue::VaArg(..) => {}
                }
            }
        }

        impl CheckKind {
            /// The operands, in order.
            pub fn $name<'a>(
                &'a $($mutable)? self,
                visit: &mut dyn FnMut(&'a $($mutable)? Operand),
            ) {
                match self {
                    CheckKind::NotNull(a)
                    | CheckKind::NonZero(a)
                    | CheckKind::Shift { count: a, .. }
                    | CheckKind::FloatFits { value: a, .. }
                    | CheckKind::Count { count: a, .. }
                    | CheckKind::Assert { cond: a, .. } => visit(a),
                    CheckKind::Index { index: a, len: b }
                    | CheckKind::FatIndex { ptr: a, index: b }
                    | CheckKind::ZtIndex { ptr: a, index: b, .. }
                    | CheckKind::ZtAdd { ptr: a, index: b, .. }
                    | CheckKind::FatAtLeast { ptr: a, need: b, .. }
                    | CheckKind::NoOverflow { left: a, right: b, .. } => {
                        visit(a);
                        visit(b);
                    }
                    CheckKind::ZtWrite { ptr, index, value, .. } => {
                        visit(ptr);
                        visit(index);
                        visit(value);
                    }
                    CheckKind::Tag { .. } => {}
                }
            }
        }
    };
}

operands!(operands);
operands!(operands_mut, mut);

impl Rvalue {
    /// The place that is looked at or whose address is taken, besides the operands.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Rvalue::Ref(of)
            | Rvalue::IsVariant(of, ..)
            | Rvalue::IsMember(of, _)
            | Rvalue::VaArg(of, _) => Some(of),
            _ => None,
        }
    }
}

impl CheckKind {
    /// The place whose tag is looked at.
    pub fn place(&self) -> Option<&Place> {
        match self {
            CheckKind::Tag { place, .. } => Some(place),
            _ => None,
        }
    }
}

/// The types written in the body.
pub fn body_types<P: Phase>(body: &Body<P>, visit: &mut dyn FnMut(Ty)) {
    visit(body.ret);
    body.locals.iter().for_each(|decl| visit(decl.ty));
    for block in body.blocks.iter() {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(_, Rvalue::Cast(_, _, ty) | Rvalue::VaArg(_, ty)) => visit(*ty),
                StmtKind::Assign(_, Rvalue::Alloc { elem, .. })
                | StmtKind::Alloca { elem, .. }
                | StmtKind::Check(Check { kind: CheckKind::Count { elem, .. }, .. }) => {
                    visit(*elem)
                }
                _ => {}
            }
            stmt_visit(&stmt.kind, &mut |what| constant_types(what, visit));
        }
        term_visit(&block.term.kind, &mut |what| constant_types(what, visit));
    }
}

fn constant_types(what: Visit<'_>, visit: &mut dyn FnMut(Ty)) {
    if let Visit::Operand(Operand::Const(constant)) = what {
        visit(constant.ty);
        if let ConstKind::Sizeof(ty) | ConstKind::Alignof(ty) = constant.kind {
            visit(ty);
        }
    }
}
