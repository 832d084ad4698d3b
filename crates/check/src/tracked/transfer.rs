//! Statements and terminators, in terms of the machine's operations.

use super::calls::{self, Fate};
use super::machine::{Finds, Machine, Out, Touch, Value};
use super::paths::{Kind, Node};
use super::state::{FULL, GONE, LIVE, NULL, OWN, RAW};
use crate::flow;
use toft_base::Idx;
use toft_mir::*;
use toft_ty::{Aqual, FuncTy, Ty, TyKind};

/// What a branch decides.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// The path is null.
    Null(Node),
    /// The datatype at the path is of the variant that this step leads to.
    Variant(Node, Proj),
    /// The tagged union at the path holds the member.
    Member(Node, u32),
}

/// Where a statement may throw, the state there goes to the handler.
pub type Throw<'t> = dyn FnMut(&mut Machine<'_>) + 't;

impl Machine<'_> {
    pub fn statement(&mut self, block: &Block, n: usize, throw: &mut Throw<'_>) {
        let stmt = &block.stmts[n];
        self.at = n;
        self.span = stmt.span;
        let may = flow::stmt_throws(stmt, self.cx.decls) && !self.cannot_fail(&stmt.kind);
        let quiet: &mut Throw<'_> = &mut |_| {};
        let throw = if may { throw } else { quiet };
        match &stmt.kind {
            StmtKind::Assign(to, value) => self.assign(block, n, to, value, throw),
            StmtKind::StorageLive(local) => {
                if let Some(root) = self.paths.root(*local) {
                    self.lose(root, Finds::LostEnd);
                    self.clear(root);
                }
            }
            StmtKind::StorageDead(local) => {
                if let Some(root) = self.paths.root(*local) {
                    self.lose(root, Finds::LostEnd);
                    self.clear(root);
                }
            }
            StmtKind::Check(check) => {
                check.kind.operands(&mut |op| self.peek(op));
                if let Some(place) = check.kind.place() {
                    self.read(place);
                }
                throw(self);
                self.passed(&check.kind);
            }
            StmtKind::Call(call) => self.call(call, throw),
            StmtKind::SetTag(place, _) => self.set_tag(place),
            StmtKind::Alloca { count, .. } => {
                self.peek(count);
                throw(self);
            }
            StmtKind::Swap(a, b) => self.swap(a, b),
            StmtKind::BorrowEnter { region, local, from } => {
                let call = self.cx.body.locals[*local].kind == LocalKind::Temp;
                self.borrow(from, if call { Out::Again } else { Out::Borrowed });
                throw(self);
                self.pin(*region);
            }
            StmtKind::RegionEnter { region, open, .. } => {
                if let Some(place) = open.as_ref().and_then(Operand::place) {
                    self.borrow(place, Out::Borrowed);
                }
                throw(self);
                self.pin(*region);
            }
            StmtKind::BorrowExit(region) | StmtKind::RegionExit(region) => self.unpin(*region),
            StmtKind::Consume(place) => self.free_place(place),
            StmtKind::GiveBack { to, from } => {
                let to = self.paths.find(to).filter(|found| found.exact);
                self.give_back(to.map(|found| found.node), *from);
            }
            StmtKind::Nop | StmtKind::TryPush(_) | StmtKind::TryPop(_) | StmtKind::Catch(..) => {}
        }
    }

    /// A null check of a path that is known not to be null.
    fn cannot_fail(&self, stmt: &StmtKind) -> bool {
        let StmtKind::Check(Check { kind: CheckKind::NotNull(operand), .. }) = stmt else {
            return false;
        };
        let found = operand.place().and_then(|place| self.paths.find(place));
        found.is_some_and(|found| {
            let bits = self.bits(found.node);
            found.exact && bits & LIVE != 0 && bits & (NULL | GONE) == 0
        })
    }

    pub fn clear(&mut self, root: Node) {
        for n in self.paths.subtree(root) {
            self.state.set(n, 0);
        }
    }

    /// What the terminator reads; for a return, what the function must have kept and freed.
    pub fn terminator(&mut self, block: &Block, throw: &mut Throw<'_>) {
        self.at = block.stmts.len();
        self.span = block.term.span;
        match &block.term.kind {
            TermKind::If(cond, ..) | TermKind::Switch { on: cond, .. } => self.peek(cond),
            TermKind::Return(value) => {
                if let Some(value) = value {
                    self.value(value);
                }
                self.returns();
            }
            TermKind::Throw(value) => {
                self.value(value);
                throw(self);
            }
            TermKind::Rethrow(_) | TermKind::Trap(_) => throw(self),
            TermKind::Goto(_) | TermKind::Unreachable => {}
        }
    }

    fn returns(&mut self) {
        let mut lost = Vec::new();
        self.state.each(&mut |n, bits| {
            let path = &self.paths.list[n];
            if bits & LIVE != 0 && bits & GONE == 0 && path.by_value {
                lost.push(Node(n as u32));
            }
        });
        for node in lost {
            let kind = self.paths.get(node).kind;
            let part = matches!(kind, Kind::Pointer { .. } | Kind::Opaque);
            let array = matches!(self.paths.get(node).ty.kind(), TyKind::Array { .. });
            if part && !array && !self.is_kept(node) {
                self.find(Finds::LostEnd, Some(node), None);
            }
        }
        self.kept_is_whole(GONE, false);
    }

    /// What parameters point at that the caller keeps.
    pub fn kept_is_whole(&mut self, missing: u16, thrown: bool) {
        if self.findings.is_none() {
            return;
        }
        let paths = self.paths;
        let mut skip = 0;
        for &node in &paths.guarded {
            if node.0 < skip || self.bits(node) & missing == 0 {
                continue;
            }
            // Below what is missing, nothing more is said.
            skip = paths.get(node).end;
            self.find(Finds::KeptMissing { thrown }, Some(node), None);
        }
    }

    /// The place's value is looked at, or something is read through it.
    pub fn read(&mut self, place: &Place) {
        if let Some(found) = self.paths.find(place) {
            let group = matches!(self.paths.get(found.node).kind, Kind::Group | Kind::Datatype);
            self.reach(found.node, !group, Touch::Read);
        }
    }

    fn peek(&mut self, operand: &Operand) {
        if let Some(place) = operand.place() {
            self.read(place);
        }
    }

    /// The operand's value goes somewhere else.
    fn value(&mut self, operand: &Operand) -> Value {
        let place = match operand {
            Operand::Copy(place) | Operand::Move(place) => place,
            Operand::Const(constant) => {
                return match constant.kind {
                    ConstKind::Null | ConstKind::Int(0) => Value::Null,
                    _ => Value::Unknown,
                };
            }
        };
        self.taken(place, None, false)
    }

    fn taken(&mut self, place: &Place, lent: Option<LocalId>, partly: bool) -> Value {
        match self.paths.find(place) {
            Some(found) if found.exact => self.take(found.node, lent, partly),
            found => {
                self.read(place);
                let through_union = found.is_some_and(|found| {
                    self.paths.get(found.node).kind == Kind::Opaque && self.is_union(found.node)
                });
                if self.tracked_place(place).is_some() {
                    match found {
                        Some(found) if through_union && !derefs_after(self, found.node, place) => {
                            self.take(found.node, None, false);
                        }
                        _ => self.find(Finds::Shared(Out::Moved), None, Some(place)),
                    }
                }
                Value::Unknown
            }
        }
    }

    /// The place is a member of the union at the path, all of it.
    fn is_member(&self, node: Node, place: &Place) -> bool {
        self.is_union(node) && place.proj.len() == self.paths.depth(node) + 1
    }

    fn is_union(&self, node: Node) -> bool {
        match *self.paths.get(node).ty.kind() {
            TyKind::Adt(id, _) => self.cx.decls.tables.adts[id].kind != toft_ty::AdtKind::Struct,
            _ => false,
        }
    }

    fn free_place(&mut self, place: &Place) {
        match self.paths.find(place) {
            Some(found) if found.exact => self.free(found.node),
            _ => {
                self.taken(place, None, false);
            }
        }
    }

    fn assign(
        &mut self,
        block: &Block,
        n: usize,
        to: &Place,
        rvalue: &Rvalue,
        throw: &mut Throw<'_>,
    ) {
        let value = match rvalue {
            Rvalue::Use(operand) => match self.lends.binds(to, operand) {
                Some(local) => {
                    let place = operand.place();
                    place.map_or(Value::Unknown, |place| self.taken(place, Some(local), false))
                }
                None => self.carried(operand, to),
            },
            Rvalue::Cast(Cast::Ptr | Cast::FatToThin, operand, _)
            | Rvalue::ViewFat(operand)
            | Rvalue::MakeFat { base: operand, .. }
            | Rvalue::PtrAdd(operand, _) => {
                let value = self.carried(operand, to);
                if let Rvalue::MakeFat { len, .. } | Rvalue::PtrAdd(_, len) = rvalue {
                    self.peek(len);
                }
                if matches!(rvalue, Rvalue::ViewFat(_)) {
                    throw(self);
                }
                value
            }
            Rvalue::Aggregate(fields) => {
                let array = self
                    .types
                    .place(self.cx.body, to)
                    .is_some_and(|ty| matches!(ty.kind(), TyKind::Array { .. }));
                let step = |at: u64| match array {
                    true => Proj::Index(Index::Const(at)),
                    false => Proj::Field(at as u32),
                };
                Value::Parts(fields.iter().map(|(at, op)| (step(*at), self.value(op))).collect())
            }
            Rvalue::Variant(id, variant, fields) => {
                let step = |at: usize| Proj::Field(at as u32);
                let parts = fields.iter().enumerate();
                let parts = parts.map(|(at, op)| (step(at), self.value(op))).collect();
                match self.tracked_place(to).map(|ty| *ty.kind()) {
                    Some(TyKind::Adt(..)) => {
                        let variant = Proj::Variant(*id, *variant);
                        Value::Parts(vec![(variant, Value::Parts(parts))])
                    }
                    _ => Value::Parts(parts),
                }
            }
            Rvalue::Alloc { .. } => {
                rvalue.operands(&mut |op| self.peek(op));
                throw(self);
                Value::Fresh
            }
            _ => {
                rvalue.operands(&mut |op| self.peek(op));
                if let Some(place) = rvalue.place() {
                    self.read(place);
                    if matches!(rvalue, Rvalue::Ref(_)) {
                        self.address(place);
                    }
                }
                Value::Unknown
            }
        };
        if matches!(value, Value::Null) && self.scrubs(block, n, to) {
            return;
        }
        self.store(to, value);
    }

    /// A value that an assignment carries on: a tracked one must end in a tracked place.
    fn carried(&mut self, operand: &Operand, to: &Place) -> Value {
        if let Some(place) = operand.place()
            && let Some(found) = self.paths.find(place)
            && found.exact
            && self.tracked_place(to).is_none()
        {
            self.lose(found.node, Finds::LostCast);
        }
        // On its way to be freed, an object may lack parts.
        if let Some(place) = operand.place()
            && let Some(local) = to.as_local()
            && self.cx.body.locals[local].kind == LocalKind::Temp
            && self.paths.root(local).is_some()
        {
            return self.taken(place, None, true);
        }
        self.value(operand)
    }

    /// Null stored over what was just moved out, alone or as part of a struct: the memory is
    /// in order again, but for the programmer the value is gone.
    fn scrubs(&mut self, block: &Block, n: usize, to: &Place) -> bool {
        let span = block.stmts[n].span;
        let same = |stmt: &&Stmt| {
            let null = matches!(
                &stmt.kind,
                StmtKind::Assign(
                    _,
                    Rvalue::Use(Operand::Const(Const { kind: ConstKind::Null, .. }))
                )
            );
            null && stmt.span == span
        };
        let mut earlier = block.stmts[..n].iter().rev().skip_while(same);
        let Some(before) = earlier.next() else { return false };
        let mut moved = false;
        visit::stmt_visit(&before.kind, &mut |what| {
            moved |= matches!(what, visit::Visit::Operand(Operand::Move(place))
                if place.base == to.base && to.proj.starts_with(&place.proj));
        });
        let Some(found) = self.paths.find(to).filter(|found| moved && found.exact) else {
            return false;
        };
        let bits = self.bits(found.node);
        if bits & GONE == 0 || self.paths.get(found.node).by_value {
            return false;
        }
        self.state.set(found.node.index(), bits & !RAW);
        true
    }

    /// Stores a value into a place.
    pub fn store(&mut self, to: &Place, value: Value) {
        let found = match self.paths.find(to) {
            Some(found) if found.exact => return self.put(found.node, value),
            found => found,
        };
        let owns = self.tracked_place(to).is_some();
        let mut empty = matches!(value, Value::Null);
        if let Some(found) = found {
            let kind = self.paths.get(found.node).kind;
            if kind == Kind::Opaque && !derefs_after(self, found.node, to) {
                // A member takes the place of the whole union; an element leaves the others as
                // they are, so the array must be there.
                let filled = self.bits(found.node) == 0 || self.is_member(found.node, to);
                self.reach(found.node, !filled, Touch::Use);
                empty |= self.bits(found.node) & LIVE == 0;
                if owns && !matches!(value, Value::Null) {
                    self.state.set(found.node.index(), LIVE | NULL | FULL | OWN);
                } else if self.bits(found.node) == 0 {
                    self.state.set(found.node.index(), NULL | OWN);
                }
            } else {
                let group = matches!(kind, Kind::Group | Kind::Datatype);
                self.reach(found.node, !group, Touch::Use);
            }
        }
        if owns && !empty {
            self.find(Finds::MayLose, None, Some(to));
        }
    }

    /// The address of something inside a tracked object would outlive the object.
    fn address(&mut self, place: &Place) {
        let Some(mut ty) = self.cx.body.base_ty(self.cx.decls, place.base) else { return };
        for step in &place.proj {
            if matches!(step, Proj::Deref(_))
                && ty
                    .as_ptr()
                    .is_some_and(|ptr| toft_ty::aqual_tracked(self.types.generics, ptr.aqual))
            {
                return self.find(Finds::Address, None, Some(place));
            }
            match self.types.step(ty, step) {
                Some(next) => ty = next,
                None => return,
            }
        }
    }

    fn set_tag(&mut self, place: &Place) {
        let Some(found) = self.paths.find(place) else { return };
        if !found.exact || self.paths.get(found.node).kind != Kind::Opaque {
            return self.read(place);
        }
        self.reach(found.node, false, Touch::Use);
        if self.paths.get(found.node).by_value && self.is_kept(found.node) {
            self.find(Finds::KeptAssigned, Some(found.node), None);
        } else {
            self.lose(found.node, Finds::LostOver);
        }
        self.state.set(found.node.index(), NULL | OWN);
    }

    fn swap(&mut self, a: &Place, b: &Place) {
        let sides = [self.exchanged(a), self.exchanged(b)];
        if let [Some(a), Some(b)] = sides
            && self.paths.overlap(a, b)
        {
            return self.find(Finds::Twice, Some(a), None);
        }
        match sides {
            [Some(a), Some(b)] => {
                let bits = |node: Node, state: &super::state::State| -> Vec<u16> {
                    self.paths.subtree(node).map(|n| state.get(n)).collect()
                };
                let (left, right) = (bits(a, &self.state), bits(b, &self.state));
                self.fill(a, Value::Taken { node: b, bits: right, lent: None });
                self.fill(b, Value::Taken { node: a, bits: left, lent: None });
            }
            [Some(one), None] | [None, Some(one)] => self.make_whole(one),
            [None, None] => {}
        }
    }

    /// One side of a swap: a path that is whole, or a shared place that can be reached.
    fn exchanged(&mut self, place: &Place) -> Option<Node> {
        let found = self.paths.find(place)?;
        if !found.exact {
            // An element: what it is part of must be there, for the old value comes out.
            if self.paths.get(found.node).kind == Kind::Opaque {
                self.reach(found.node, true, Touch::Use);
            }
            // What comes out of a shared place goes somewhere: nothing is lost.
            let findings = self.findings.as_ref().map(Vec::len);
            self.store(place, Value::Unknown);
            if let (Some(findings), Some(count)) = (&mut self.findings, findings)
                && findings.last().is_some_and(|last| last.kind == Finds::MayLose)
                && findings.len() > count
            {
                findings.pop();
            }
            return None;
        }
        if self.reach(found.node, false, Touch::Use) {
            self.whole(found.node);
        }
        if self.paths.get(found.node).by_value && self.is_kept(found.node) {
            self.find(Finds::KeptAssigned, Some(found.node), None);
        }
        Some(found.node)
    }

    /// What is borrowed, or whose key is opened, must be a path that is whole.
    fn borrow(&mut self, place: &Place, how: Out) -> Option<Node> {
        match self.paths.find(place) {
            Some(found) if found.exact => {
                if self.reach(found.node, false, Touch::Use) {
                    self.whole_or_lent(found.node, how == Out::Again);
                }
                Some(found.node)
            }
            _ => {
                self.read(place);
                if self.tracked_place(place).is_some() {
                    self.find(Finds::Shared(how), None, Some(place));
                }
                None
            }
        }
    }

    fn call(&mut self, call: &Call, throw: &mut Throw<'_>) {
        let signature = calls::signature(self.cx.body, self.types, call);
        if let Callee::Ptr(operand) = &call.callee {
            self.peek(operand);
        }
        let mut passed: Vec<Node> = Vec::new();
        let mut lent: Vec<Node> = Vec::new();
        for (n, arg) in call.args.iter().enumerate() {
            let Some(place) = arg.place() else { continue };
            let fate = calls::fate(call, signature, n);
            if fate == Fate::Peeked {
                self.peek(arg);
                continue;
            }
            let exact = self.paths.find(place).filter(|found| found.exact).map(|f| f.node);
            if let Some(node) = exact {
                if passed.iter().any(|&other| self.paths.overlap(node, other)) {
                    self.find(Finds::Twice, Some(node), None);
                    continue;
                }
                passed.push(node);
            } else if self.tracked_place(place).is_none() {
                self.peek(arg);
                continue;
            }
            if signature.is_some_and(|func| wants_aliasable(func, n)) {
                self.find(Finds::Aliasable, exact, Some(place));
            }
            match (fate, exact) {
                (Fate::Freed, Some(node)) => self.free(node),
                (Fate::Lent, _) => lent.extend(self.borrow(place, Out::Lent)),
                _ => {
                    self.taken(place, None, false);
                }
            }
        }
        for arg in &call.varargs {
            match arg {
                Operand::Move(place) => {
                    self.taken(place, None, false);
                }
                _ => self.peek(arg),
            }
        }
        for node in lent {
            self.forget_below(node);
        }
        throw(self);
        match &call.dest {
            Some(dest) => self.store(dest, Value::Unknown),
            None if signature.is_some() => {
                if self.result(call, signature).is_some_and(|ty| self.types.tracked(ty)) {
                    self.find(Finds::LostResult, None, None);
                }
            }
            None => {}
        }
    }

    /// The type of a call's result, in this body's terms.
    fn result(&self, call: &Call, signature: Option<&FuncTy>) -> Option<Ty> {
        use toft_ty::{Folder, Subst};
        let ret = signature?.ret;
        match &call.callee {
            Callee::Func(_, args) => Some(Subst(args).ty(ret)),
            _ => Some(ret).filter(|ty| ty.as_ptr().is_some()),
        }
    }

    /// A check has passed.
    fn passed(&mut self, check: &CheckKind) {
        match check {
            CheckKind::NotNull(Operand::Copy(place) | Operand::Move(place)) => {
                if let Some(found) = self.paths.find(place).filter(|found| found.exact) {
                    self.known_not_null(found.node);
                }
            }
            CheckKind::Tag { place, field } => {
                let found = self.paths.find(place).filter(|found| found.exact);
                if let Some(found) = found
                    && self.paths.get(found.node).kind == Kind::Opaque
                {
                    self.known(Test::Member(found.node, *field), true);
                }
            }
            _ => {}
        }
    }

    /// Whether a test can come out this way, and what is known then.
    pub fn known(&mut self, test: Test, holds: bool) -> bool {
        match test {
            Test::Null(node) if holds => self.known_null(node),
            Test::Null(node) => self.known_not_null(node),
            Test::Variant(node, variant) => {
                // What the object is not has no parts that could be lost.
                let children: Vec<Node> = self.paths.children(node).collect();
                for child in children {
                    let same = self.paths.get(child).step == variant;
                    if same != holds {
                        for n in self.paths.subtree(child) {
                            self.nothing_at(n);
                        }
                    }
                }
                true
            }
            Test::Member(node, member) => {
                let ty = self.paths.get(node).ty;
                let TyKind::Adt(id, _) = *ty.kind() else { return true };
                let fields = self.cx.decls.tables.adts[id].fields.as_deref();
                let count = fields.map_or(0, <[_]>::len) as u32;
                let mut possible = (0..count).filter(|&n| (n == member) == holds);
                let types = self.types;
                let owns =
                    |n: u32| types.step(ty, &Proj::Field(n)).is_none_or(|ty| types.tracked(ty));
                if !possible.any(owns) {
                    self.nothing_at(node.index());
                }
                true
            }
        }
    }

    fn nothing_at(&mut self, n: usize) {
        let bits = self.state.get(n);
        if bits & GONE == 0 && bits & LIVE != 0 {
            self.state.remove(n, LIVE | FULL);
            self.state.add(n, NULL);
        }
    }

    /// Whether the path may be not null; if so, it is from here on.
    pub fn known_not_null(&mut self, node: Node) -> bool {
        let bits = self.bits(node);
        if bits & (LIVE | NULL | GONE) == NULL {
            return false;
        }
        self.state.remove(node.index(), NULL);
        true
    }

    /// Whether the path may be null; if so, it and all below is from here on.
    pub fn known_null(&mut self, node: Node) -> bool {
        let bits = self.bits(node);
        if bits & GONE != 0 || bits == 0 {
            return true;
        }
        if bits & NULL == 0 {
            return false;
        }
        for n in self.paths.subtree(node) {
            let bits = self.state.get(n);
            if bits != 0 && bits & GONE == 0 {
                self.state.remove(n, LIVE | FULL);
                self.state.add(n, NULL);
            }
        }
        true
    }
}

/// The parameter is a pointer that anyone may copy.
fn wants_aliasable(func: &FuncTy, n: usize) -> bool {
    func.params
        .get(n)
        .and_then(|ty| ty.as_ptr())
        .is_some_and(|ptr| ptr.aqual == Aqual::Aliasable && !ptr.elem.is_void())
}

/// Past the path, the place goes through a pointer.
fn derefs_after(machine: &Machine<'_>, node: Node, place: &Place) -> bool {
    let depth = machine.paths.depth(node);
    place.proj.iter().skip(depth).any(|step| matches!(step, Proj::Deref(_)))
}
