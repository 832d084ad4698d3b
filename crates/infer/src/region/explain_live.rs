//! Broken needs other than lifetimes, told with both ends: regions that are not live,
//! tracked pointers that leave a region with `single`, names that leave their block.

use super::constraints::{Constraint, Origin, What};
use super::explain::{callee_name, region_words};
use super::order::Order;
use super::solve::Value;
use crate::cx::Fx;
use toft_base::{FxHashSet, Span};
use toft_diag::{Diagnostic, codes};
use toft_hir::RegionKind;
use toft_ty::{Aqual, Region, RegionId};

impl<'a> Fx<'a> {
    /// Whether a pointer of aliasability `aqual` that goes from `a` to `b` leaves or enters a
    /// region whose objects may be freed one by one. A region of the signature may be one
    /// for the caller, whatever is known of it here; so may one that a pattern opened. Into
    /// a block or arena of this body the pointer may go: it then is freed by nobody, and
    /// leaves the body under no other name.
    pub fn tracked_leaves(&self, order: &Order, aqual: Aqual, a: Value, b: Value) -> bool {
        if matches!(self.aqual(aqual), Aqual::Aliasable | Aqual::Erased | Aqual::Infer(_)) {
            return false;
        }
        match (a, b) {
            (Some(a), Some(b)) => {
                let inside = matches!(b, Region::Local(_));
                a != b && (!inside || order.single(a) || order.single(b))
            }
            (Some(one), None) | (None, Some(one)) => order.single(one),
            (None, None) => false,
        }
    }

    pub fn tell_single_flow(
        &mut self,
        order: &Order,
        constraint: &Constraint,
        value: impl Fn(Region) -> Value,
    ) {
        let words = |fx: &Fx<'_>, value: Value| match value {
            Some(region) => region_words(fx, region),
            None => "more than one region".to_string(),
        };
        let (from, to) = (value(constraint.sup), value(constraint.sub));
        let (have, want) = (words(self, from), words(self, to));
        let single = |region: Value| region.is_some_and(|region| order.single(region));
        let note = match (single(from), single(to)) {
            (true, _) => format!("objects of {have} can be freed one by one: whoever frees one must know exactly where it lies"),
            (_, true) => format!("objects of {want} can be freed one by one: whoever frees one must know exactly where it lies"),
            _ => "the objects of either may be freed one by one, and whoever frees one must know exactly where it lies".to_string(),
        };
        let mut d = Diagnostic::error(
            codes::E2011,
            format!("a tracked pointer into {have} does not pass as one into {want}"),
            constraint.origin.span,
            "",
        )
        .note(note);
        let spans = [from, to].map(|region| region.and_then(|region| self.region_span(region)));
        match spans {
            [Some(a), Some(b)] if a == b => d = d.label(a, "both regions are declared here"),
            [a, b] => {
                for (span, text) in [(a, &have), (b, &want)] {
                    if let Some(span) = span {
                        d = d.label(span, format!("{text} is declared here"));
                    }
                }
            }
        }
        d = d.help("give both pointers the same region, or cast the pointer to `\\A` (it can then no longer be freed by itself)");
        self.report(d);
    }

    pub fn tell_not_single(&mut self, region: Region, at: Origin, seen: &mut FxHashSet<Span>) {
        if !seen.insert(at.span) {
            return;
        }
        let words = region_words(self, region);
        let arena =
            matches!(region, Region::Local(id) if self.kind_of(id) == Some(RegionKind::Arena));
        let mut d = match at.what {
            What::Arg(None, _) if arena => Diagnostic::error(
                codes::E2012,
                format!("objects of {words} are freed all at once, with the arena"),
                at.span,
                "",
            ),
            _ => Diagnostic::error(
                codes::E2011,
                format!("{words} may be an arena, whose objects are not freed one by one"),
                at.span,
                "objects are freed one by one here",
            ),
        };
        if let Some(span) = self.region_span(region) {
            d = d.label(span, "declared here");
        }
        d = match region {
            Region::Local(id) if self.kind_of(id) == Some(RegionKind::Arena) => {
                d.help("declare it `reap` instead of `region`")
            }
            Region::Param(i) => match self.generics.get(i as usize) {
                Some(param) if !param.implicit && !self.is_opened(region) => {
                    d.help(format!("ask for it in the signature: `: single('{})`", param.name))
                }
                Some(_) if self.is_opened(region) => {
                    d.help("make it with `new_reap_ukey()` or `new_reap_rkey()`")
                }
                _ => d.help("name the region in the signature and ask for `: single('r)`"),
            },
            _ => d,
        };
        self.report(d);
    }

    /// What a type variable stands for is hidden where it may be kept for too long.
    pub fn tell_hidden_var(&mut self, i: u32, need: Region, at: Origin) {
        let name = self.generics.get(i as usize).map_or("a", |param| param.name.as_str());
        let want = region_words(self, need);
        let mut d = Diagnostic::error(
            codes::E0601,
            format!("a value of type `'{name}` may not live long enough to be hidden here"),
            at.span,
            format!("whoever has the struct may keep it for as long as {want} lives"),
        )
        .note(format!("of what `'{name}` points to, no more is known than that it lives while this function runs"));
        d = match need {
            Region::Param(r) if !self.generics[r as usize].implicit => {
                let low = self.generics[r as usize].name;
                d.help(format!("ask for it in the signature: `: '{name} > '{low}`"))
            }
            Region::Heap => d.help("give the struct a region parameter (`struct S<'r::R>`), which bounds what is hidden in it"),
            _ => d,
        };
        self.report(d);
    }

    /// Something of a region is used where the region may be gone.
    pub fn tell_dead(
        &mut self,
        order: &Order,
        region: Region,
        at: Origin,
        seen: &mut FxHashSet<Span>,
    ) {
        if !seen.insert(at.span) {
            return;
        }
        let words = region_words(self, region);
        let message = match at.what {
            What::Allocate => format!("{words} is not open: nothing can be made in it here"),
            What::Call(func) => {
                format!("{words} is not open here, but {} needs it", callee_name(self, func))
            }
            What::Borrow => format!("{words} is not open: nothing in it can be lent here"),
            What::Unpack => format!("{words} is not open, but what is hidden here may live in it"),
            _ => format!("{words} is not open: this pointer into it cannot be followed here"),
        };
        let mut d = Diagnostic::error(codes::E2010, message, at.span, "");
        let mut closed = None;
        for id in order.opens(region) {
            closed = self.regions.get(id).map(|decl| decl.span).or(closed);
        }
        if let Some(span) = closed {
            d = d.label(span, "it is open only from here to the end of this block");
        }
        if let Some(span) = self.region_span(region) {
            let text = match self.is_opened(region) {
                true => "the pattern names it here; whoever owns the key may have freed it",
                false => "the effect leaves it out: callers need not keep it alive",
            };
            d = d.label(span, text);
        }
        if let What::Call(Some(id)) = at.what
            && self.prog.funcs[id].sig.effect.is_none()
        {
            d = d.label(
                self.prog.funcs[id].span,
                "without a written effect, all regions of the signature must be live",
            );
        }
        d = match (at.what, region) {
            (What::Call(_), _) => d.help(
                "open the key around the call: `region h = open(key);`, or give the function the effect `; {}` if it opens the key itself",
            ),
            (_, Region::Next(..)) => d.help(
                "open its key, which `next_drseq` makes, around this: `region h = open(key);`",
            ),
            _ => d.help("open its key around this: `region h = open(key);`"),
        };
        self.report(d);
    }

    /// A name that a pattern opened stands in the type of a variable that lives on.
    pub fn tell_left_scope(
        &mut self,
        region: Region,
        from: Origin,
        to: Origin,
        seen: &mut FxHashSet<Span>,
    ) {
        if !seen.insert(from.span) {
            return;
        }
        let words = region_words(self, region);
        let mut d = Diagnostic::error(
            codes::E0601,
            format!("{words} has its name in an inner block only"),
            from.span,
            "a type that names it leaves the block here",
        );
        if let Some(span) = self.region_span(region) {
            d = d.label(span, "opened here, anew each time the pattern is met");
        }
        if let What::Local(local) = to.what
            && let Some(name) = self.locals[local].name
        {
            let span = self.locals[local].span;
            d = d.label(span, format!("`{name}` is declared here, in a block that lasts longer"));
        }
        d = d.help(
            "declare the variable after the pattern, or hide the region again in an existential",
        );
        self.report(d);
    }

    /// Nothing decides which region a key opens.
    pub fn tell_unknown_key(&mut self, scope: RegionId) {
        let span = self.regions.get(scope).map_or(Span::NONE, |decl| decl.span);
        self.report(
            Diagnostic::error(codes::E2010, "which region this key opens is not known", span, "")
                .help("write the region in the type of the key's variable: `uregion_key_t<'r> k`"),
        );
    }

    /// `next_rgn` that is not the successor it should be.
    pub fn tell_next(&mut self, at: Origin, have: Value, want: Value, seen: &mut FxHashSet<Span>) {
        if !seen.insert(at.span) {
            return;
        }
        let message = match (have, want) {
            (Some(have), Some(want)) => format!(
                "{} is needed here, not {}",
                region_words(self, want),
                region_words(self, have)
            ),
            _ => "no region fits this use of `next_rgn`".into(),
        };
        self.report(
            Diagnostic::error(codes::E0602, message, at.span, "")
                .help("name the regions in the types of the variables"),
        );
    }

    /// What has to hold for one region of a list.
    pub fn tell_sets(
        &mut self,
        order: &Order,
        value: &dyn Fn(Region) -> Value,
        seen: &mut FxHashSet<Span>,
    ) {
        for set in std::mem::take(&mut self.graph.one_of) {
            let sups: Vec<Region> = set.sups.iter().filter_map(|&r| value(r)).collect();
            let subs: Vec<Region> = set.subs.iter().filter_map(|&r| value(r)).collect();
            let fits = sups
                .iter()
                .any(|&a| a == Region::Heap || subs.iter().any(|&b| order.outlives(a, b)));
            if fits || !seen.insert(set.origin.span) {
                continue;
            }
            let words = match sups.first() {
                Some(&region) => region_words(self, region),
                None => "more than one region".into(),
            };
            let d = match set.origin.what {
                What::Effect => Diagnostic::error(
                    codes::E2014,
                    format!("this function needs {words} live, which its callers do not promise"),
                    set.origin.span,
                    "the function type expected here has a smaller effect",
                )
                .help("let the effect of the function type name the region, or leave it out: then all regions of the signature are live"),
                _ => Diagnostic::error(
                    codes::E0601,
                    format!("something in {words} may not live long enough to be hidden here"),
                    set.origin.span,
                    "the type of what is hidden names it",
                )
                .help("what a type variable hides must be in `'H`, or outlive a region argument of the struct"),
            };
            self.report(d);
        }
    }

    /// Whether a pattern opened the region.
    pub fn is_opened(&self, region: Region) -> bool {
        let own = self.func.map_or(0, |func| func.generics.len() as u32);
        matches!(region.root().0, Region::Param(i) if i >= own)
    }

    fn kind_of(&self, id: RegionId) -> Option<RegionKind> {
        self.regions.get(id).map(|decl| decl.kind)
    }

    /// Where a region was declared, or opened.
    fn region_span(&self, region: Region) -> Option<Span> {
        match region.root().0 {
            Region::Local(id) if id != RegionId(0) => self.regions.get(id).map(|decl| decl.span),
            Region::Param(i) if self.is_opened(region) => {
                self.opened.iter().find(|opened| opened.0 == i).map(|opened| opened.2)
            }
            Region::Param(_) => self.func.map(|func| func.span),
            _ => None,
        }
    }
}
