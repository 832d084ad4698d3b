//! One instance: its types made concrete, and what it uses put on the worklist.

use crate::{Work, no_layout, types};
use toft_base::Span;
use toft_mir::*;
use toft_ty::{Concrete as ConcreteTy, GArg, IntTy, Ty, layout};

impl Work<'_> {
    /// The body of instance `index`.
    pub(crate) fn instantiate(
        &mut self,
        index: usize,
        body: &Body<Checked>,
        args: &[GArg],
    ) -> Body<Concrete> {
        let mut body = body.instantiate();
        let mut tys = ConcreteTy::new(args);
        types::each_ty(&mut body, &mut |ty| *ty = tys.ty(*ty));
        types::each_operand(&mut body, &mut |op, span| {
            if let Operand::Const(c) = op {
                self.constant(c, &mut tys, Some((index, span)));
            }
        });
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                let span = stmt.span;
                if let StmtKind::Call(call) = &mut stmt.kind
                    && let Callee::Func(id, args) = &mut call.callee
                {
                    *args = self.function(*id, &tys.args(args), Some((index, span)));
                }
            }
        }
        each_place(&mut body, &mut |place| {
            if let Base::Global(id) = place.base {
                self.reach_global(id);
            }
        });
        body.generics.clear();
        body.own_generics = 0;
        body
    }

    fn constant(&mut self, c: &mut Const, tys: &mut ConcreteTy<'_>, from: Option<(usize, Span)>) {
        c.ty = tys.ty(c.ty);
        match &mut c.kind {
            ConstKind::Func(id, args) => *args = self.function(*id, &tys.args(args), from),
            ConstKind::Sizeof(ty) => {
                let ty = tys.ty(*ty);
                self.fold(c, ty, from, |layout| layout.size);
            }
            ConstKind::Alignof(ty) => {
                let ty = tys.ty(*ty);
                self.fold(c, ty, from, |layout| layout.align);
            }
            ConstKind::Int(_)
            | ConstKind::Float(_)
            | ConstKind::Null
            | ConstKind::Exn(..)
            | ConstKind::Str { .. } => {}
        }
    }

    fn fold(
        &mut self,
        c: &mut Const,
        ty: Ty,
        from: Option<(usize, Span)>,
        get: impl Fn(toft_ty::Layout) -> u64,
    ) {
        let value = match layout::layout_of(&self.decls.tables, ty) {
            Ok(layout) => get(layout),
            Err(error) => {
                let span = from.map_or(Span::NONE, |(_, span)| span);
                self.fail(no_layout(span, error));
                0
            }
        };
        // A size fits every type it can be asked for in, `unsigned long` by default.
        c.kind = ConstKind::Int(i128::from(value));
        if !c.ty.is_integer() {
            c.ty = Ty::int(IntTy::ULong);
        }
    }

    fn reach_global(&mut self, id: GlobalId) {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if self.global(id)
                && let Some(init) = &self.decls.globals[id].init
            {
                self.reach_init(init, &mut work);
            }
        }
    }

    fn reach_init(&mut self, init: &StaticInit, work: &mut Vec<GlobalId>) {
        let mut stack = vec![init];
        while let Some(init) = stack.pop() {
            match init {
                StaticInit::Value(Operand::Const(c)) => {
                    if let ConstKind::Func(id, args) = &c.kind {
                        let args = ConcreteTy::new(&[]).args(args);
                        self.function(*id, &args, None);
                    }
                }
                StaticInit::Value(Operand::Copy(place) | Operand::Move(place))
                | StaticInit::Address { place, .. } => {
                    if let Base::Global(id) = place.base {
                        work.push(id);
                    }
                }
                StaticInit::Aggregate(parts) => {
                    stack.extend(parts.iter().rev().map(|(_, part)| part));
                }
                StaticInit::Zero | StaticInit::Bytes(_) => {}
            }
        }
    }
}

/// Calls `f` on each place a body mentions.
fn each_place<P: Phase>(body: &mut Body<P>, f: &mut impl FnMut(&Place)) {
    types::each_operand(body, &mut |op, _| {
        if let Some(place) = op.place() {
            f(place);
        }
    });
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        match &stmt.kind {
            StmtKind::Assign(place, rvalue) => {
                f(place);
                match rvalue {
                    Rvalue::Ref(place)
                    | Rvalue::IsVariant(place, ..)
                    | Rvalue::IsMember(place, _)
                    | Rvalue::VaArg(place, _) => f(place),
                    _ => {}
                }
            }
            StmtKind::Call(call) => call.dest.iter().for_each(&mut *f),
            StmtKind::Check(Check { kind: CheckKind::Tag { place, .. }, .. })
            | StmtKind::SetTag(place, _)
            | StmtKind::Consume(place)
            | StmtKind::BorrowEnter { from: place, .. } => f(place),
            StmtKind::Swap(a, b) => {
                f(a);
                f(b);
            }
            _ => {}
        }
    }
}
