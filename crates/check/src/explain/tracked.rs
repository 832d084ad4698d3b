//! Messages about tracked pointers.

use crate::Cx;
use crate::tracked::{Finding, Finds, Kind, Node, Out, Paths};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_mir::*;
use toft_ty::{Aqual, TyKind};

pub fn finding(cx: &Cx<'_>, paths: &Paths, at: &Finding, origin: Option<Span>) -> Diagnostic {
    let it = match (&at.node, &at.place) {
        (Some(node), _) => path_text(cx, paths, *node),
        (None, Some(place)) => place_text(cx, place),
        (None, None) => UNNAMED.to_owned(),
    };
    let text = Text { cx, paths, at, origin, it };
    match at.kind {
        Finds::Consumed => text.consumed(),
        Finds::Partly { part } => text.partly(part),
        Finds::Pinned => text.pinned(),
        Finds::KeptGiven | Finds::KeptAssigned | Finds::KeptMissing { .. } => text.kept(),
        Finds::Shared(out) => text.shared(out),
        Finds::Twice => text.twice(),
        Finds::Address => text.address(),
        Finds::Aliasable => text.aliasable(),
        Finds::MayLose => text.may_lose(),
        _ => text.lost(),
    }
}

struct Text<'a> {
    cx: &'a Cx<'a>,
    paths: &'a Paths,
    at: &'a Finding,
    origin: Option<Span>,
    /// The path, in backquotes.
    it: String,
}

impl Text<'_> {
    /// A label at the other end, unless that is the same place.
    fn with(&self, out: Diagnostic, label: &str) -> Diagnostic {
        match self.origin {
            Some(span) if span != self.at.span && !span.is_none() => out.label(span, label),
            _ => out,
        }
    }

    fn counted(&self) -> bool {
        self.at
            .node
            .and_then(|node| self.paths.get(node).ty.as_ptr())
            .is_some_and(|ptr| ptr.aqual == Aqual::Counted)
    }

    /// The word for how the value went, by what happened at its other end.
    fn went(&self) -> &'static str {
        let freeing = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Call(call) if Some(stmt.span) == self.origin => match call.callee {
                Callee::Runtime(name) => name.contains("free") || name.contains("drop"),
                _ => false,
            },
            _ => false,
        };
        let mut stmts = self.cx.body.blocks.iter().flat_map(|block| &block.stmts);
        match stmts.any(freeing) {
            true if self.counted() => "dropped",
            true => "freed",
            false => "given up",
        }
    }

    fn consumed(&self) -> Diagnostic {
        let (again, went) = (self.origin == Some(self.at.span), self.went());
        let label = match again {
            true => format!("{went} here, and used again the next time round"),
            false => "used here".to_owned(),
        };
        let out = Diagnostic::error(
            codes::E2001,
            format!("{} is used after it was {went}", self.it),
            self.at.span,
            label,
        );
        let out = self.with(out, &format!("{went} here"));
        if went == "freed" && !again {
            return out.help("use it before it is freed, or free it later");
        }
        if again {
            return out
                .help("give it a new value before the loop comes back here, or leave the loop");
        }
        if self.counted() {
            return out
                .help("take another reference with `alias_refptr` before giving this one up");
        }
        out.help(
            "use the name that holds it now, or borrow it (`let alias`) instead of giving it up",
        )
    }

    fn partly(&self, part: Node) -> Diagnostic {
        let part = path_text(self.cx, self.paths, part);
        let out = Diagnostic::error(
            codes::E2004,
            format!("{} is used as a whole while {part} is missing", self.it),
            self.at.span,
            "the whole is needed here",
        );
        self.with(out, "moved out here").help(format!(
            "put a value back into {part} first, or swap it out with `:=:` so that something stays"
        ))
    }

    fn pinned(&self) -> Diagnostic {
        let key = self.is_key();
        let (what, end) = match key {
            true => (
                "while its region is open",
                "opened here; the region is closed at the end of the block",
            ),
            false => ("while it is borrowed", "borrowed here, until the end of the block"),
        };
        let out = Diagnostic::error(
            codes::E2005,
            format!("{} is used {what}", self.it),
            self.at.span,
            "used here",
        );
        let out = self.with(out, end);
        match key {
            true => out.help("end the block that opens it first"),
            false => out.help("use the borrowed name inside the block, or end the block first"),
        }
    }

    fn is_key(&self) -> bool {
        let elem =
            self.at.node.and_then(|node| self.paths.get(node).ty.as_ptr()).map(|ptr| ptr.elem);
        match elem.map(|ty| *ty.kind()) {
            Some(TyKind::Adt(id, _)) => {
                self.cx.decls.tables.adts[id].name.as_str() == "DynamicRegion"
            }
            _ => false,
        }
    }

    fn kept(&self) -> Diagnostic {
        let node = self.at.node;
        let root = node.map(|node| self.paths.get(node).root);
        let number = root.map_or(1, |local| local.0 + 1);
        let consume = format!("say `consume({number})` in the function's type");
        match self.at.kind {
            Finds::KeptMissing { thrown } => {
                let (message, label) = match thrown {
                    true => (
                        format!(
                            "{} may be missing when an exception leaves this function",
                            self.it
                        ),
                        "this may throw",
                    ),
                    false => (
                        format!("{} is missing when the function returns", self.it),
                        "returns here",
                    ),
                };
                let out = Diagnostic::error(codes::E2002, message, self.at.span, label);
                self.with(out, "moved out here")
                    .note("the caller keeps the parameter, and what it owns must be there")
                    .help(format!("put a value back first, swap with `:=:`, or {consume}"))
            }
            kind => {
                let done = if kind == Finds::KeptGiven { "given up" } else { "overwritten" };
                let out = Diagnostic::error(
                    codes::E2002,
                    format!("{} is {done}, but the caller keeps it", self.it),
                    self.at.span,
                    format!("{done} here"),
                );
                self.with(out, "the parameter is not consumed").help(consume)
            }
        }
    }

    fn shared(&self, out: Out) -> Diagnostic {
        let (done, label) = match out {
            Out::Moved => ("read out of", "the pointer would have two names"),
            Out::Lent => ("lent out of", "the callee could reach it by another name too"),
            Out::Borrowed | Out::Again => {
                ("borrowed out of", "it could be reached by another name too")
            }
        };
        let d = Diagnostic::error(
            codes::E2003,
            format!("{} is a tracked pointer {done} a place that may be shared", self.it),
            self.at.span,
            label,
        )
        .note(
            "only a local variable whose address is not taken, and what it alone leads to, \
             can be read",
        );
        d.help("swap it into a local variable with `:=:`, and back again if need be")
    }

    fn twice(&self) -> Diagnostic {
        let out = Diagnostic::error(
            codes::E2008,
            format!("{} is in two places at once", self.it),
            self.at.span,
            "used here again",
        );
        self.with(out, "already borrowed for this call").help(
            "a tracked pointer can be passed, swapped or borrowed once at a time: \
             borrow it with `let alias` and pass the borrowed name twice",
        )
    }

    fn address(&self) -> Diagnostic {
        Diagnostic::error(
            codes::E2006,
            format!("the address of {} could outlive the tracked object it is in", self.it),
            self.at.span,
            "taken here",
        )
        .help("borrow the object with `let alias` and take the address through the borrowed name")
    }

    fn aliasable(&self) -> Diagnostic {
        Diagnostic::error(
            codes::E2009,
            format!("{} is tracked, but an aliasable pointer is needed", self.it),
            self.at.span,
            "passed here",
        )
        .help("borrow it with `let alias` and pass the borrowed name")
    }

    fn may_lose(&self) -> Diagnostic {
        Diagnostic::warning(
            codes::W2002,
            format!("{} may hold a tracked pointer, which would be lost", self.it),
            self.at.span,
            "overwritten here",
        )
        .help("swap with `:=:`, and free what comes out")
    }

    fn lost(&self) -> Diagnostic {
        let named = self
            .at
            .node
            .is_some_and(|node| self.cx.body.locals[self.paths.get(node).root].name.is_some());
        let it = if named { self.it.clone() } else { "a tracked pointer".to_owned() };
        let warn = |message: String, label: &str| {
            Diagnostic::warning(codes::W2001, message, self.at.span, label)
        };
        if !named && matches!(self.at.kind, Finds::LostOver | Finds::LostEnd) {
            return Diagnostic::warning(
                codes::W2001,
                "a tracked pointer is lost",
                self.origin.unwrap_or(self.at.span),
                "nobody keeps what is made here",
            )
            .help("keep it in a variable, and free it there");
        }
        let free = match (self.is_key(), self.counted()) {
            (true, true) => "free_rkey",
            (true, false) => "free_ukey",
            (false, true) => "drop_refptr",
            (false, false) => "free",
        };
        let root = self.at.node.map(|node| self.paths.get(node).root);
        let declared = root.map(|local| self.cx.body.locals[local].span);
        let got = match self.origin == declared {
            true => "this function was given it",
            false => "it got its value here",
        };
        let way_out =
            format!("`{free}` it, store it, return it, or pass it to a function that consumes it");
        match self.at.kind {
            Finds::LostOver => self
                .with(
                    warn(
                        format!("{it} is overwritten while it still holds something"),
                        "lost here",
                    ),
                    got,
                )
                .help(way_out),
            Finds::LostBelow { part } => {
                let part = match part {
                    Some(part) => path_text(self.cx, self.paths, part),
                    None => "what it owns".to_owned(),
                };
                self.with(
                    warn(
                        format!("{part} is lost when {it} is freed"),
                        "freed here, and nothing below it",
                    ),
                    got,
                )
                .help(format!("free or move {part} first"))
            }
            Finds::LostCast => self
                .with(
                    warn(
                        format!("{it} becomes aliasable and can no longer be freed"),
                        "left to the collector here",
                    ),
                    got,
                )
                .help("borrow it with `let alias` if it is to be freed later"),
            Finds::LostResult => {
                warn("the tracked pointer this call returns is lost".to_owned(), "nobody takes it")
                    .help("keep it in a variable, and free it there")
            }
            Finds::LostWay => self
                .with(
                    warn(
                        format!("{it} is lost on this way"),
                        "still alive on the way from here, and given up on another",
                    ),
                    "given up here on the other way",
                )
                .help(format!(
                    "`{free}` it on this way too, or set it to null where it is given up"
                )),
            _ => self
                .with(warn(format!("{it} is lost at the end of its life"), "lost here"), got)
                .help(way_out),
        }
    }
}

/// A path in backquotes, as the programmer writes it.
fn path_text(cx: &Cx<'_>, paths: &Paths, node: Node) -> String {
    let mut proj = Vec::new();
    let mut at = node;
    while let Some(parent) = paths.get(at).parent {
        proj.push(paths.get(at).step);
        at = parent;
    }
    proj.reverse();
    debug_assert!(!matches!(paths.get(at).kind, Kind::Datatype));
    place_text(cx, &Place { base: Base::Local(paths.get(at).root), proj })
}

const UNNAMED: &str = "this value";

/// A temporary goes by the name of the place it was moved out of.
fn moved_text(cx: &Cx<'_>, place: &Place) -> String {
    let statements = cx.body.blocks.iter().flat_map(|block| &block.stmts);
    let mut source = statements.filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign(to, Rvalue::Use(from) | Rvalue::Cast(Cast::Ptr, from, _))
            if to.base == place.base && to.proj.is_empty() =>
        {
            from.place()
        }
        _ => None,
    });
    let named = |from: &&Place| match from.base {
        Base::Local(local) => cx.body.locals[local].name.is_some(),
        Base::Global(_) => true,
    };
    match source.find(named) {
        Some(from) => {
            let proj = from.proj.iter().chain(&place.proj).copied().collect();
            place_text(cx, &Place { base: from.base, proj })
        }
        None => UNNAMED.to_owned(),
    }
}

/// A place in backquotes, or a description where it cannot be written.
fn place_text(cx: &Cx<'_>, place: &Place) -> String {
    let base = match place.base {
        Base::Local(local) => cx.body.locals[local].name,
        Base::Global(global) => cx.decls.globals.get(global).map(|decl| decl.name),
    };
    let Some(base) = base else { return moved_text(cx, place) };
    let mut text = base.to_string();
    let mut ty = cx.body.base_ty(cx.decls, place.base);
    // A pointer passed, whose arrow or star is not written yet.
    let mut pending = false;
    for step in &place.proj {
        let field = |n: &u32| match ty.map(|ty| *ty.kind()) {
            Some(TyKind::Adt(id, _)) => cx.decls.tables.adts[id]
                .fields
                .as_deref()
                .and_then(|fields| fields.get(*n as usize))
                .and_then(|field| field.name)
                .map(|name| name.to_string()),
            Some(TyKind::Tuple(_)) => Some(n.to_string()),
            _ => None,
        };
        match step {
            Proj::Deref(index) => {
                if pending {
                    text = format!("(*{text})");
                }
                pending = matches!(index, Index::Const(0));
                if !pending {
                    text.push_str("[…]");
                }
            }
            Proj::Field(n) => {
                let Some(name) = field(n) else { return format!("a part of `{base}`") };
                text.push_str(if pending { "->" } else { "." });
                text.push_str(&name);
                pending = false;
            }
            Proj::Index(_) => {
                if pending {
                    text = format!("(*{text})");
                }
                text.push_str("[…]");
                pending = false;
            }
            Proj::Variant(..) => return format!("a part of `{base}`"),
        }
        ty = ty.and_then(|ty| typing::step_ty(cx.decls, ty, step));
    }
    if pending {
        text.insert(0, '*');
    }
    format!("`{text}`")
}
