//! What single operations do to the states of paths, and which of them are mistakes.
//!
//! Invariants: a value is read from a path only when neither the path nor what it goes
//! through may have been given up; what is read by value leaves the path given up; what is
//! stored makes it whole.

use super::paths::{Kind, Node, Paths, Types};
use super::scopes::{Lends, Scope, Scopes, Stack};
use super::state::{FULL, GONE, LENT, LIVE, LOAN, NULL, OWN, PIN, RAW, State};
use crate::Cx;
use toft_base::{FxHashMap, Idx, Span};
use toft_mir::*;
use toft_ty::Ty;

/// A mistake, or a loss, before it is explained.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: Finds,
    /// What it is about.
    pub node: Option<Node>,
    /// The place as written, where it is no path.
    pub place: Option<Place>,
    pub span: Span,
    pub block: BlockId,
    pub stmt: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finds {
    /// Used after it was given up.
    Consumed,
    /// A part is missing from a whole that is used.
    Partly {
        part: Node,
    },
    Pinned,
    /// A kept parameter is given up, or overwritten.
    KeptGiven,
    KeptAssigned,
    /// Not put back when the call ends, normally or by an exception.
    KeptMissing {
        thrown: bool,
    },
    /// Moved, lent or borrowed out of a place that may have other names.
    Shared(Out),
    /// Twice in one call or swap.
    Twice,
    /// The address of something inside a tracked object.
    Address,
    /// A tracked pointer where an aliasable one is wanted.
    Aliasable,
    /// Losses: overwritten, at the end of its life, below a freed object, cast away, a
    /// result that nobody takes, or alive only on one of two ways that meet.
    LostOver,
    LostEnd,
    LostBelow {
        part: Option<Node>,
    },
    LostCast,
    LostResult,
    LostWay,
    /// A store over a shared place that may hold something. Asked for by name only.
    MayLose,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Out {
    Moved,
    Lent,
    /// By a declaration, or a key that is opened.
    Borrowed,
    /// For a call, perhaps not for the first time.
    Again,
}

impl Finds {
    pub fn is_loss(self) -> bool {
        use Finds::*;
        matches!(
            self,
            LostOver | LostEnd | LostBelow { .. } | LostCast | LostResult | LostWay | MayLose
        )
    }
}

/// A value on its way from one place to another.
pub enum Value {
    /// Nothing is owned.
    Null,
    /// Whole; null or not, by its type.
    Unknown,
    /// Just allocated: what it points at is zero.
    Fresh,
    /// The states of a path and all below it, taken before the path was given up.
    Taken { node: Node, bits: Vec<u16>, lent: Option<LocalId> },
    /// Fields by position; the rest is zero.
    Parts(Vec<(Proj, Value)>),
}

/// How a path is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Something is read through it, or it is compared.
    Read,
    /// Given up, lent, stored to, exchanged.
    Use,
}

pub struct Machine<'a> {
    pub cx: &'a Cx<'a>,
    pub types: &'a Types<'a>,
    pub paths: &'a Paths,
    pub lends: &'a Lends,
    pub scopes: &'a mut Scopes,
    pub state: State,
    pub stack: Stack,
    /// Paths by the region that pins them.
    pub pins: &'a FxHashMap<RegionId, Vec<(Node, u16)>>,
    /// Filled in the last pass only.
    pub findings: Option<Vec<Finding>>,
    pub block: BlockId,
    pub at: usize,
    pub span: Span,
}

impl Machine<'_> {
    pub fn find(&mut self, kind: Finds, node: Option<Node>, place: Option<&Place>) {
        let (span, block, stmt) = (self.span, self.block, self.at);
        if let Some(findings) = &mut self.findings {
            let place = place.cloned();
            findings.push(Finding { kind, node, place, span, block, stmt });
        }
    }

    pub fn bits(&self, node: Node) -> u16 {
        self.state.get(node.index())
    }

    fn is_temp(&self, node: Node) -> bool {
        let root = self.paths.get(node).root;
        self.cx.body.locals[root].kind == LocalKind::Temp
    }

    pub fn is_kept(&self, node: Node) -> bool {
        self.paths.kept(node, self.cx.body.params)
    }

    /// A value is held that is not null, perhaps.
    pub fn is_live(&self, node: Node) -> bool {
        let bits = self.bits(node);
        bits & LIVE != 0 && bits & GONE == 0
    }

    /// The path cannot be used: it was given up, or is a temporary used up.
    fn is_gone(&self, node: Node) -> bool {
        let bits = self.bits(node);
        bits & GONE != 0
            || bits == 0
                && self.is_temp(node)
                && self.paths.get(node).by_value
                && matches!(self.paths.get(node).kind, Kind::Pointer { .. } | Kind::Opaque)
    }

    /// Everything on the way to a path, and the path when `own`, can be used.
    pub fn reach(&mut self, node: Node, own: bool, touch: Touch) -> bool {
        let mut at = if own { Some(node) } else { self.paths.get(node).parent };
        let mut worst = None;
        while let Some(path) = at {
            let bits = self.bits(path);
            if self.is_gone(path) {
                worst = Some((Finds::Consumed, path));
            } else if bits & PIN != 0 || bits & LOAN != 0 && touch == Touch::Use {
                let twice = bits & PIN == 0;
                worst = Some((if twice { Finds::Twice } else { Finds::Pinned }, path));
            }
            at = self.paths.get(path).parent;
        }
        let Some((kind, path)) = worst else { return true };
        self.find(kind, Some(path), None);
        self.mend(path);
        false
    }

    /// The value and all it owns is there, and nothing of it is pinned.
    pub fn whole(&mut self, node: Node) -> bool {
        self.whole_or_lent(node, false)
    }

    /// The same; with `again`, the path itself may be on loan to a call already: it gets one
    /// more aliasable name.
    pub fn whole_or_lent(&mut self, node: Node, again: bool) -> bool {
        for n in self.paths.subtree(node) {
            let part = Node::from_usize(n);
            let mut bits = self.bits(part);
            if again && part == node {
                bits &= !LOAN;
            }
            let kind = if self.is_gone(part) {
                if part == node || self.all_gone(node) {
                    Finds::Consumed
                } else {
                    Finds::Partly { part }
                }
            } else if bits & PIN != 0 {
                Finds::Pinned
            } else if bits & LOAN != 0 {
                Finds::Twice
            } else {
                continue;
            };
            let about = if kind == Finds::Pinned || kind == Finds::Twice { part } else { node };
            self.find(kind, Some(about), None);
            self.mend(if kind == Finds::Consumed { node } else { part });
            return false;
        }
        true
    }

    /// No part by value is left.
    fn all_gone(&self, node: Node) -> bool {
        let mut all = true;
        self.paths.parts(node, &mut |part| all &= self.is_gone(part));
        all
    }

    /// Nothing at or below the path is borrowed or open.
    fn unpinned(&mut self, node: Node) {
        let pinned = |&n: &usize| self.state.get(n) & (PIN | LOAN) != 0;
        if let Some(n) = self.paths.subtree(node).find(pinned) {
            self.find(Finds::Pinned, Some(Node::from_usize(n)), None);
        }
    }

    /// After a report: goes on as if all were well with the path.
    fn mend(&mut self, node: Node) {
        let pins = self.bits(node) & (PIN | LOAN);
        if pins == 0 {
            self.make_whole(node);
        }
    }

    /// The path holds some value of its type, and so does all below.
    pub fn make_whole(&mut self, node: Node) {
        for n in self.paths.subtree(node) {
            let path = self.paths.get(Node::from_usize(n));
            let bits = match path.kind {
                Kind::Group | Kind::Datatype => 0,
                Kind::Pointer { nullable: true, .. } => LIVE | NULL | FULL | OWN,
                Kind::Pointer { nullable: false, .. } => LIVE | FULL | OWN,
                Kind::Opaque => LIVE | NULL | FULL | OWN,
            };
            self.set_kept_pins(n, bits);
        }
    }

    fn make_null(&mut self, node: Node) {
        for n in self.paths.subtree(node) {
            let group =
                matches!(self.paths.get(Node::from_usize(n)).kind, Kind::Group | Kind::Datatype);
            self.set_kept_pins(n, if group { 0 } else { NULL | OWN });
        }
    }

    /// Pins end with their scopes only.
    fn set_kept_pins(&mut self, n: usize, bits: u16) {
        let pins = self.state.get(n) & (PIN | LOAN);
        self.state.set(n, bits | pins);
    }

    /// What a pointer points at may have been changed by others.
    pub fn forget_below(&mut self, node: Node) {
        let parts = self.paths.subtree(node);
        let pointers: Vec<Node> =
            parts.map(Node::from_usize).filter(|&n| self.is_pointer(n)).collect();
        for pointer in pointers {
            if let Some(behind) = self.paths.behind(pointer) {
                self.make_whole(behind);
            }
            if self.bits(pointer) & LIVE != 0 {
                self.state.add(pointer.index(), FULL);
            }
        }
    }

    fn is_pointer(&self, node: Node) -> bool {
        matches!(self.paths.get(node).kind, Kind::Pointer { .. })
    }

    /// The path is given up, with all below; `raw`: its memory keeps the old pointer.
    pub fn give_up(&mut self, node: Node) {
        if self.is_temp(node) && self.paths.get(node).by_value {
            for n in self.paths.subtree(node) {
                self.state.set(n, 0);
            }
            return;
        }
        let mut tops = Vec::new();
        self.paths.parts(node, &mut |part| tops.push(part));
        for n in self.paths.subtree(node) {
            let path = self.paths.get(Node::from_usize(n));
            if matches!(path.kind, Kind::Group | Kind::Datatype) {
                continue;
            }
            let top = tops.contains(&Node::from_usize(n));
            let bits = self.state.get(n);
            // A null pointer can be read any number of times.
            if bits & (LIVE | NULL | GONE) != NULL {
                self.state.set(n, if top { GONE | RAW | OWN } else { GONE | OWN });
            }
        }
    }

    /// Reads the value of a path, which gives it up. With `partly`, parts below may be
    /// missing: they are missing in what the value goes to, which must be able to say so.
    pub fn take(&mut self, node: Node, lent: Option<LocalId>, partly: bool) -> Value {
        match partly {
            true => {
                self.reach(node, true, Touch::Use);
                self.unpinned(node);
            }
            false if self.reach(node, false, Touch::Use) => {
                self.whole(node);
            }
            false => {}
        }
        if self.paths.get(node).by_value && self.is_kept(node) && self.holds(node) {
            self.find(Finds::KeptGiven, Some(node), None);
        }
        let bits = self.paths.subtree(node).map(|n| self.state.get(n)).collect();
        self.give_up(node);
        if lent.is_some() {
            let mut tops = Vec::new();
            self.paths.parts(node, &mut |part| tops.push(part));
            for part in tops {
                if self.bits(part) & GONE != 0 {
                    self.state.add(part.index(), LENT);
                }
            }
        }
        Value::Taken { node, bits, lent }
    }

    /// Some part by value may hold something.
    fn holds(&self, node: Node) -> bool {
        let mut any = false;
        self.paths.parts(node, &mut |part| any |= self.bits(part) & (LIVE | GONE) != 0);
        any
    }

    /// Frees one object: what it owns must be gone, or null, already.
    pub fn free(&mut self, node: Node) {
        if !self.reach(node, true, Touch::Use) {
            self.give_up(node);
            return;
        }
        self.unpinned(node);
        if self.paths.get(node).by_value && self.is_kept(node) && self.holds(node) {
            self.find(Finds::KeptGiven, Some(node), None);
        }
        if let Some(behind) = self.paths.behind(node)
            && self.is_live(node)
        {
            self.lose_below(node, behind);
        }
        self.give_up(node);
    }

    fn lose_below(&mut self, node: Node, behind: Node) {
        let mut variants = vec![behind];
        if self.paths.get(behind).kind == Kind::Datatype {
            // Whichever variant it is: the one that was taken apart.
            variants = self.paths.children(behind).collect();
            let part = None;
            if variants.iter().all(|&variant| self.first_live(variant).is_some()) {
                self.find(Finds::LostBelow { part }, Some(node), None);
            }
            return;
        }
        for variant in variants {
            let part = self.first_live(variant);
            if part.is_some() {
                self.find(Finds::LostBelow { part }, Some(node), None);
            }
        }
    }

    /// The first part by value that may hold something not null.
    pub fn first_live(&self, node: Node) -> Option<Node> {
        let mut found = None;
        self.paths.parts(node, &mut |part| {
            let array = matches!(self.paths.get(part).ty.kind(), toft_ty::TyKind::Array { .. });
            if found.is_none() && self.is_live(part) && !array {
                found = Some(part);
            }
        });
        found
    }

    /// The old value of a path is lost by what comes now.
    pub fn lose(&mut self, node: Node, how: Finds) {
        if let Some(part) = self.first_live(node) {
            self.find(how, Some(part), None);
        }
    }

    /// Stores into a path.
    pub fn put(&mut self, node: Node, value: Value) {
        if !self.reach(node, false, Touch::Use) {
            return self.fill(node, value);
        }
        self.unpinned(node);
        if self.paths.get(node).by_value && self.is_kept(node) {
            self.find(Finds::KeptAssigned, Some(node), None);
        } else {
            self.lose(node, Finds::LostOver);
        }
        self.fill(node, value);
    }

    /// The path takes on the value.
    pub fn fill(&mut self, node: Node, value: Value) {
        match value {
            Value::Null => self.make_null(node),
            Value::Unknown => self.make_whole(node),
            Value::Fresh => {
                self.make_null(node);
                self.set_kept_pins(node.index(), LIVE | OWN);
            }
            Value::Taken { node: from, bits, lent } => {
                self.copy(from, &bits, from, node);
                if lent.is_some() {
                    let mut tops = Vec::new();
                    self.paths.parts(node, &mut |part| tops.push(part));
                    for part in tops {
                        self.state.remove(part.index(), OWN);
                    }
                }
            }
            Value::Parts(parts) => {
                self.make_null(node);
                match self.paths.get(node).kind {
                    Kind::Group | Kind::Datatype => {
                        for (step, value) in parts {
                            if let Some(child) = self.paths.child(node, &step) {
                                self.fill(child, value);
                            }
                        }
                    }
                    _ => {
                        let owns = parts.iter().any(|(_, value)| !matches!(value, Value::Null));
                        if owns {
                            self.set_kept_pins(node.index(), LIVE | NULL | FULL | OWN);
                        }
                    }
                }
            }
        }
    }

    /// Copies states from a subtree saved before (`bits`, of the one at `base`) to another of
    /// the same type. What has a path on one side only counts as whole, or null if nothing
    /// below was filled.
    fn copy(&mut self, base: Node, bits: &[u16], from: Node, to: Node) {
        let at = |node: Node| bits.get(node.index() - base.index()).copied().unwrap_or(0);
        let kind = self.paths.get(to).kind;
        if kind != self.paths.get(from).kind && !matches!(kind, Kind::Pointer { .. }) {
            // Seen as another type: no way to say what is missing.
            let mut below = self.paths.subtree(from).map(Node::from_usize);
            if let Some(part) = below.find(|&part| at(part) & GONE != 0 && part != from) {
                self.find(Finds::Partly { part }, Some(from), None);
            }
        }
        match kind {
            Kind::Group | Kind::Datatype => {
                let children: Vec<Node> = self.paths.children(to).collect();
                for child in children {
                    match self.paths.child(from, &self.paths.get(child).step) {
                        Some(source) => self.copy(base, bits, source, child),
                        None => self.make_whole(child),
                    }
                }
                let unseen =
                    |&child: &Node| self.paths.child(to, &self.paths.get(child).step).is_none();
                let mut unseen = self.paths.children(from).filter(unseen);
                let mut gone = unseen.find_map(|child| {
                    let mut parts = self.paths.subtree(child).map(Node::from_usize);
                    parts.find(|&part| at(part) & GONE != 0)
                });
                if let Some(part) = gone.take() {
                    self.find(Finds::Partly { part }, Some(from), None);
                }
            }
            Kind::Opaque => self.set_kept_pins(to.index(), held(at(from)) | OWN),
            Kind::Pointer { .. } => {
                let mut new = held(at(from)) | OWN;
                match (self.paths.behind(from), self.paths.behind(to)) {
                    (Some(source), Some(target)) => self.copy(base, bits, source, target),
                    (None, Some(target)) if at(from) & FULL != 0 => self.make_whole(target),
                    (None, Some(target)) => self.make_null(target),
                    (Some(source), None) => {
                        let owns = self
                            .paths
                            .subtree(source)
                            .any(|n| at(Node::from_usize(n)) & (LIVE | FULL) != 0);
                        if owns || self.paths.get(source).kind == Kind::Datatype {
                            new |= FULL;
                        }
                    }
                    (None, None) => {}
                }
                self.set_kept_pins(to.index(), new);
            }
        }
    }

    /// A pattern's variable goes out of scope: what it still holds as it was lent is whole
    /// again where it came from.
    pub fn give_back(&mut self, to: Option<Node>, from: LocalId) {
        let (Some(to), Some(from)) = (to, self.paths.root(from)) else { return };
        if self.is_temp(to) {
            return;
        }
        let mut pairs = Vec::new();
        self.pair(from, to, &mut pairs);
        for (from, to) in pairs {
            let untouched = self.bits(to) & LENT != 0
                && self.bits(from) & (OWN | GONE) == 0
                && self.paths.subtree(from).all(|n| self.state.get(n) & GONE == 0);
            if untouched {
                let bits: Vec<u16> = self.paths.subtree(from).map(|n| self.state.get(n)).collect();
                self.copy(from, &bits, from, to);
                for n in self.paths.subtree(from) {
                    self.state.set(n, 0);
                }
            } else {
                self.state.remove(to.index(), LENT);
            }
        }
    }

    /// The parts by value of two paths of one type.
    fn pair(&self, from: Node, to: Node, out: &mut Vec<(Node, Node)>) {
        match self.paths.get(from).kind {
            Kind::Group | Kind::Datatype => {
                for child in self.paths.children(from) {
                    if let Some(other) = self.paths.child(to, &self.paths.get(child).step) {
                        self.pair(child, other, out);
                    }
                }
            }
            _ => out.push((from, to)),
        }
    }

    /// Leaves a scope on the way to a handler.
    pub fn leave(&mut self, scope: Scope) {
        match scope {
            Scope::Storage(local) => {
                if let Some(root) = self.paths.root(local) {
                    for n in self.paths.subtree(root) {
                        self.state.set(n, 0);
                    }
                }
            }
            Scope::Pin(region) => self.unpin(region),
            Scope::Lent(local) => {
                let mut places = Vec::new();
                self.lends.of(local, &mut |place| places.push(place.clone()));
                for place in places {
                    let to = self.paths.find(&place).filter(|found| found.exact);
                    let to = to.map(|found| found.node);
                    if to.is_some_and(|to| self.lent_somewhere(to)) {
                        self.give_back(to, local);
                    }
                }
            }
        }
    }

    fn lent_somewhere(&self, node: Node) -> bool {
        let mut any = false;
        self.paths.parts(node, &mut |part| any |= self.bits(part) & LENT != 0);
        any
    }

    pub fn pin(&mut self, region: RegionId) {
        for &(node, bit) in self.pins.get(&region).map_or(&[][..], Vec::as_slice) {
            self.state.add(node.index(), bit);
        }
    }

    pub fn unpin(&mut self, region: RegionId) {
        for &(node, bit) in self.pins.get(&region).map_or(&[][..], Vec::as_slice) {
            let others = self.scopes.pinning(self.stack).into_iter().filter(|&r| r != region);
            let again = (node, bit);
            let mut lists = others.filter_map(|other| self.pins.get(&other));
            if lists.any(|list| list.contains(&again)) {
                self.forget_below(node);
            } else if self.bits(node) & bit != 0 {
                self.state.remove(node.index(), bit);
                if self.bits(node) & (PIN | LOAN) == 0 {
                    self.forget_below(node);
                }
            }
        }
    }

    pub fn tracked_place(&self, place: &Place) -> Option<Ty> {
        let ty = self.types.place(self.cx.body, place)?;
        self.types.tracked(ty).then_some(ty)
    }
}

/// What a value keeps on its way.
fn held(bits: u16) -> u16 {
    if bits & GONE != 0 {
        return GONE;
    }
    let kept = bits & (LIVE | NULL | FULL);
    if kept & (LIVE | NULL) == 0 { LIVE | NULL | FULL } else { kept }
}
