//! The reader.

use super::read_ty::{Result, after, gargs, generic, head, name, num, region, ty, wrong};
use super::sexp::{Sexp, read};
use super::words::{BINARY, CASTS, COMPARE, INTS, LOCALS, REGIONS, TRAPS, UNARY, value};
use crate::*;
use toft_base::{BitSet, Idx, IndexVec, Span};
use toft_ty::{AdtId, GlobalId, Region as TyRegion, Ty, TyQuals};

/// A body of the given phase from its text. The facts are those of the text: only `check`
/// may vouch for them, so a body read back is for tests and tools.
pub fn parse(text: &str) -> Result<Body<Built>> {
    let forms = read(text)?;
    match forms.as_slice() {
        [form] => match head(form) {
            Some(("body", rest)) => body(rest),
            _ => wrong("a body", form),
        },
        _ => Err("one body was expected".into()),
    }
}

/// A type from its text.
pub fn parse_ty(text: &str) -> Result<Ty> {
    match read(text)?.as_slice() {
        [form] => ty(form),
        _ => Err("one type was expected".into()),
    }
}

fn span(form: &Sexp) -> Option<Span> {
    let (lo, hi) = form.atom()?.strip_prefix('@')?.split_once("..")?;
    Some(Span::new(lo.parse().ok()?, hi.parse().ok()?))
}

/// The span at the front, if there is one.
fn take_span(forms: &mut &[Sexp]) -> Span {
    match forms.split_first().and_then(|(first, rest)| Some((span(first)?, rest))) {
        Some((span, rest)) => {
            *forms = rest;
            span
        }
        None => Span::NONE,
    }
}

fn body(mut forms: &[Sexp]) -> Result<Body<Built>> {
    let [_, id, text, rest @ ..] = forms else { return Err("a body needs a name".into()) };
    let Some(id) = after(id, "fn") else { return wrong("a function", id) };
    forms = rest;
    let at = take_span(&mut forms);
    let mut out = Body::new(FuncId(id), name(text)?, at, Ty::void());
    if forms.first().and_then(Sexp::atom) == Some("end") {
        forms = &forms[1..];
        out.end = take_span(&mut forms);
    }
    for form in forms {
        let Some((word, rest)) = head(form) else { return wrong("a part of a body", form) };
        match (word, rest) {
            ("ret", [of]) => out.ret = ty(of)?,
            ("params", [n]) => out.params = num(n)?,
            ("checks", [n]) => out.checks = num(n)?,
            ("generics", [own, list @ ..]) => {
                out.own_generics = num(own)?;
                out.generics = list.iter().map(generic).collect::<Result<_>>()?;
            }
            ("region", [text, parent, kind, rest @ ..]) => {
                out.regions.push(region_decl(text, parent, kind, rest)?);
            }
            ("local", [text, of, kind, rest @ ..]) => {
                let decl = local_decl(text, of, kind, rest)?;
                out.locals.push(decl);
            }
            ("try", [handler, rest @ ..]) => {
                let parent = match rest {
                    [] => None,
                    [parent, ..] => Some(TryId(num(parent)?)),
                };
                out.tries.push(Try { handler: block_id(handler)?, parent });
            }
            ("fact", [which, domain, bits @ ..]) => fact(&mut out.facts, which, domain, bits)?,
            (word, rest) if word.strip_prefix("bb") == Some(&out.blocks.len().to_string()) => {
                let block = block(rest)?;
                out.blocks.push(block);
            }
            _ => return wrong("a part of a body", form),
        }
    }
    if out.checks == 0 {
        out.checks = count_checks(&out.blocks);
    }
    Ok(out)
}

/// For texts that leave the number out.
fn count_checks(blocks: &IndexVec<BlockId, Block>) -> usize {
    let checks = blocks.iter().flat_map(|block| &block.stmts).filter_map(|stmt| match &stmt.kind {
        StmtKind::Check(check) => Some(check.id.index() + 1),
        _ => None,
    });
    checks.max().unwrap_or(0)
}

fn region_decl(text: &Sexp, parent: &Sexp, kind: &Sexp, mut rest: &[Sexp]) -> Result<Region> {
    let Some(kind) = kind.atom().and_then(|word| value(REGIONS, word)) else {
        return wrong("a kind of region", kind);
    };
    let parent = match parent.atom() {
        Some("-") => None,
        _ => Some(region_id(parent)?),
    };
    Ok(Region { name: opt_name(text)?, parent, kind, span: take_span(&mut rest) })
}

fn opt_name(form: &Sexp) -> Result<Option<toft_base::Symbol>> {
    if form.atom() == Some("-") { Ok(None) } else { name(form).map(Some) }
}

fn region_id(form: &Sexp) -> Result<RegionId> {
    match region(form)? {
        TyRegion::Local(id) => Ok(id),
        _ => wrong("a body region", form),
    }
}

fn local_decl(text: &Sexp, of: &Sexp, kind: &Sexp, mut rest: &[Sexp]) -> Result<LocalDecl> {
    let Some(kind) = kind.atom().and_then(|word| value(LOCALS, word)) else {
        return wrong("a kind of local", kind);
    };
    let mut decl = LocalDecl {
        name: opt_name(text)?,
        ty: ty(of)?,
        quals: TyQuals::default(),
        span: take_span(&mut rest),
        kind,
        region: RegionId(0),
        align: None,
        address_taken: false,
        maybe_unused: false,
    };
    while let [flag, tail @ ..] = rest {
        rest = tail;
        match flag.atom().unwrap_or("") {
            "const" => decl.quals.is_const = true,
            "volatile" => decl.quals.is_volatile = true,
            "taken" => decl.address_taken = true,
            "unused" => decl.maybe_unused = true,
            text if text.starts_with("refine:") => {
                decl.quals.refine = text[7..].parse().ok().and_then(toft_ty::Refinement::at);
            }
            "align" => {
                let Some((n, tail)) = rest.split_first() else { return wrong("an align", flag) };
                decl.align = Some(num(n)?);
                rest = tail;
            }
            _ => decl.region = region_id(flag)?,
        }
    }
    Ok(decl)
}

fn fact(facts: &mut Facts, which: &Sexp, domain: &Sexp, bits: &[Sexp]) -> Result<()> {
    let domain: usize = num(domain)?;
    let mut set = BitSet::empty(domain);
    for bit in bits {
        let bit: usize = num(bit)?;
        if bit >= domain {
            return Err(format!("fact {bit} is outside its domain {domain}"));
        }
        set.insert(bit);
    }
    match which.atom() {
        Some("idle") => facts.idle = set,
        Some("zero-fill") => facts.zero_fill = set,
        Some("dead") => facts.dead = set,
        _ => return wrong("a kind of fact", which),
    }
    Ok(())
}

fn block_id(form: &Sexp) -> Result<BlockId> {
    after(form, "bb").map_or_else(|| wrong("a block", form), |n| Ok(BlockId(n)))
}

fn local_id(form: &Sexp) -> Result<LocalId> {
    after(form, "_").map_or_else(|| wrong("a local", form), |n| Ok(LocalId(n)))
}

fn block(mut forms: &[Sexp]) -> Result<Block> {
    let mut unwind = None;
    if let [word, to, rest @ ..] = forms
        && word.atom() == Some("unwind")
    {
        unwind = Some(block_id(to)?);
        forms = rest;
    }
    let mut stmts = Vec::new();
    loop {
        let Some((form, rest)) = forms.split_first() else {
            return Err("a block needs a terminator".into());
        };
        forms = rest;
        let at = take_span(&mut forms);
        if forms.is_empty() {
            let term = Terminator { kind: term(form)?, span: at };
            return Ok(Block { stmts, term, unwind });
        }
        stmts.push(Stmt { kind: stmt(form)?, span: at });
    }
}

fn place(form: &Sexp) -> Result<Place> {
    let (base, steps) = match form {
        Sexp::List(list) => match list.split_first() {
            Some((base, steps)) => (base, steps),
            None => return wrong("a place", form),
        },
        _ => (form, &[][..]),
    };
    let base = match after(base, "global") {
        Some(n) => Base::Global(GlobalId(n)),
        None => Base::Local(local_id(base)?),
    };
    let proj = steps.iter().map(step).collect::<Result<_>>()?;
    Ok(Place { base, proj })
}

fn step(form: &Sexp) -> Result<Proj> {
    let found = form.atom().and_then(|text| {
        let tail = text.get(1..)?;
        let index = || match tail.strip_prefix('_') {
            Some(n) => n.parse().ok().map(|n| Index::Local(LocalId(n))),
            None => tail.parse().ok().map(Index::Const),
        };
        match text.as_bytes().first()? {
            b'*' => index().map(Proj::Deref),
            b'+' => index().map(Proj::Index),
            b'.' => tail.parse().ok().map(Proj::Field),
            b'%' => {
                let (id, variant) = tail.split_once('.')?;
                Some(Proj::Variant(AdtId(id.parse().ok()?), variant.parse().ok()?))
            }
            _ => None,
        }
    });
    found.map_or_else(|| wrong("a step", form), Ok)
}

fn operand(form: &Sexp) -> Result<Operand> {
    let Some((word, rest)) = head(form) else { return wrong("an operand", form) };
    let (kind, of) = match (word, rest) {
        ("copy", [of]) => return Ok(Operand::Copy(place(of)?)),
        ("move", [of]) => return Ok(Operand::Move(place(of)?)),
        ("const", [n, of]) => (ConstKind::Int(num(n)?), of),
        ("float", [bits, of]) => {
            let bits = bits.atom().and_then(|text| text.strip_prefix("0x"));
            match bits.and_then(|text| u64::from_str_radix(text, 16).ok()) {
                Some(bits) => (ConstKind::Float(f64::from_bits(bits)), of),
                None => return wrong("a float's bits", form),
            }
        }
        ("null", [of]) => (ConstKind::Null, of),
        ("str", [bytes, how, of, units]) => {
            let units: Vec<u32> = match units {
                Sexp::Str(text) => text.chars().map(u32::from).collect(),
                Sexp::List(list) => list.iter().map(num).collect::<Result<_>>()?,
                Sexp::Atom(_) => return wrong("a string's units", form),
            };
            let writable = how.atom() == Some("writable");
            (ConstKind::Str { units: units.into(), bytes: num(bytes)?, writable }, of)
        }
        ("func", [id, of, args @ ..]) => {
            let Some(id) = after(id, "fn") else { return wrong("a function", id) };
            (ConstKind::Func(FuncId(id), gargs(args)?), of)
        }
        ("exn", [id, variant, of]) => (ConstKind::Exn(AdtId(num(id)?), num(variant)?), of),
        ("sizeof", [what, of]) => (ConstKind::Sizeof(ty(what)?), of),
        ("alignof", [what, of]) => (ConstKind::Alignof(ty(what)?), of),
        _ => return wrong("an operand", form),
    };
    Ok(Operand::Const(Const { kind, ty: ty(of)? }))
}

fn operands(form: &Sexp) -> Result<Vec<Operand>> {
    match form.list() {
        Some(list) => list.iter().map(operand).collect(),
        None => wrong("operands", form),
    }
}

fn opt_operand(form: &Sexp) -> Result<Option<Operand>> {
    if form.atom() == Some("-") { Ok(None) } else { operand(form).map(Some) }
}

fn rvalue(form: &Sexp) -> Result<Rvalue> {
    let Some((word, rest)) = head(form) else { return wrong("a right side", form) };
    Ok(match (word, rest) {
        ("ref", [of]) => Rvalue::Ref(place(of)?),
        ("cast", [how, a, to]) => match how.atom().and_then(|word| value(CASTS, word)) {
            Some(cast) => Rvalue::Cast(cast, operand(a)?, ty(to)?),
            None => return wrong("a cast", how),
        },
        ("make-fat", [base, len]) => Rvalue::MakeFat { base: operand(base)?, len: operand(len)? },
        ("ptr-add", [a, b]) => Rvalue::PtrAdd(operand(a)?, operand(b)?),
        ("ptr-diff", [a, b]) => Rvalue::PtrDiff(operand(a)?, operand(b)?),
        ("fat-len", [a]) => Rvalue::FatLen(operand(a)?),
        ("zt-len", [a]) => Rvalue::ZtLen(operand(a)?),
        ("view-fat", [a]) => Rvalue::ViewFat(operand(a)?),
        ("aggregate", fields) => Rvalue::Aggregate(
            fields
                .iter()
                .map(|field| match field.list() {
                    Some([at, a]) => Ok((num(at)?, operand(a)?)),
                    _ => wrong("a field", field),
                })
                .collect::<Result<_>>()?,
        ),
        ("variant", [id, variant, fields]) => {
            Rvalue::Variant(AdtId(num(id)?), num(variant)?, operands(fields)?)
        }
        ("alloc", [elem, count, region, qual @ ..]) => Rvalue::Alloc {
            elem: ty(elem)?,
            count: opt_operand(count)?,
            region: opt_operand(region)?,
            qual: qual.first().map_or(Ok(None), opt_operand)?,
        },
        ("is-variant", [of, id, variant]) => {
            Rvalue::IsVariant(place(of)?, AdtId(num(id)?), num(variant)?)
        }
        ("is-member", [of, member]) => Rvalue::IsMember(place(of)?, num(member)?),
        ("va-arg", [of, to]) => Rvalue::VaArg(place(of)?, ty(to)?),
        (word, [a]) if value(UNARY, word).is_some() => {
            Rvalue::Unary(value(UNARY, word).unwrap_or(UnOp::Not), operand(a)?)
        }
        (word, [a, b]) => match (value(BINARY, word), value(COMPARE, word)) {
            (Some(op), _) => Rvalue::Binary(op, operand(a)?, operand(b)?),
            (_, Some(op)) => Rvalue::Compare(op, operand(a)?, operand(b)?),
            _ => Rvalue::Use(operand(form)?),
        },
        _ => Rvalue::Use(operand(form)?),
    })
}

fn stmt(form: &Sexp) -> Result<StmtKind> {
    let Some((word, rest)) = head(form) else { return wrong("a statement", form) };
    Ok(match (word, rest) {
        ("nop", []) => StmtKind::Nop,
        ("set", [to, from]) => StmtKind::Assign(place(to)?, rvalue(from)?),
        ("live", [local]) => StmtKind::StorageLive(local_id(local)?),
        ("dead", [local]) => StmtKind::StorageDead(local_id(local)?),
        ("check", [id, kind]) => {
            StmtKind::Check(Check { id: CheckId(num(id)?), kind: check(kind)? })
        }
        ("call", [dest, callee, args, varargs, flags @ ..]) => {
            StmtKind::Call(Box::new(call(dest, callee, args, varargs, flags)?))
        }
        ("set-tag", [of, member]) => StmtKind::SetTag(place(of)?, num(member)?),
        ("alloca", [local, elem, count]) => {
            StmtKind::Alloca { local: local_id(local)?, elem: ty(elem)?, count: operand(count)? }
        }
        ("swap", [a, b]) => StmtKind::Swap(place(a)?, place(b)?),
        ("try-push", [id]) => StmtKind::TryPush(TryId(num(id)?)),
        ("try-pop", [id]) => StmtKind::TryPop(TryId(num(id)?)),
        ("catch", [id, local]) => StmtKind::Catch(TryId(num(id)?), local_id(local)?),
        ("region-enter", [region, handle, open]) => StmtKind::RegionEnter {
            region: region_id(region)?,
            handle: local_id(handle)?,
            open: opt_operand(open)?,
        },
        ("region-exit", [region]) => StmtKind::RegionExit(region_id(region)?),
        ("borrow-enter", [region, local, from]) => StmtKind::BorrowEnter {
            region: region_id(region)?,
            local: local_id(local)?,
            from: place(from)?,
        },
        ("borrow-exit", [region]) => StmtKind::BorrowExit(region_id(region)?),
        ("give-back", [to, from]) => StmtKind::GiveBack { to: place(to)?, from: local_id(from)? },
        ("consume", [of]) => StmtKind::Consume(place(of)?),
        _ => return wrong("a statement", form),
    })
}

fn call(dest: &Sexp, callee: &Sexp, args: &Sexp, varargs: &Sexp, flags: &[Sexp]) -> Result<Call> {
    let dest = if dest.atom() == Some("-") { None } else { Some(place(dest)?) };
    let callee = match head(callee) {
        Some(("through", [a])) => Callee::Ptr(operand(a)?),
        Some(("gnu", [text])) => Callee::Gnu(name(text)?),
        // Entry points are static; a handful of tests and tools leak theirs.
        Some(("runtime", [text])) => Callee::Runtime(name(text)?.as_str()),
        Some((word, list)) => match word.strip_prefix("fn").and_then(|n| n.parse().ok()) {
            Some(id) => Callee::Func(FuncId(id), gargs(list)?),
            None => return wrong("a callee", callee),
        },
        None => return wrong("a callee", callee),
    };
    let flag = |name: &str| flags.iter().any(|form| form.atom() == Some(name));
    Ok(Call {
        dest,
        callee,
        args: operands(args)?,
        varargs: operands(varargs)?,
        noreturn: flag("noreturn"),
        suspends: flag("suspends"),
    })
}

fn check(form: &Sexp) -> Result<CheckKind> {
    let Some((word, rest)) = head(form) else { return wrong("a check", form) };
    Ok(match (word, rest) {
        ("not-null", [a]) => CheckKind::NotNull(operand(a)?),
        ("index", [a, b]) => CheckKind::Index { index: operand(a)?, len: operand(b)? },
        ("fat-index", [a, b]) => CheckKind::FatIndex { ptr: operand(a)?, index: operand(b)? },
        ("zt-index", [n, a, b]) => {
            CheckKind::ZtIndex { ptr: operand(a)?, index: operand(b)?, known: num(n)? }
        }
        ("zt-write", [n, a, b, c]) => CheckKind::ZtWrite {
            ptr: operand(a)?,
            index: operand(b)?,
            value: operand(c)?,
            known: num(n)?,
        },
        ("zt-add", [n, a, b]) => {
            CheckKind::ZtAdd { ptr: operand(a)?, index: operand(b)?, known: num(n)? }
        }
        ("fat-at-least", [a, b]) => {
            CheckKind::FatAtLeast { ptr: operand(a)?, need: operand(b)?, null_ok: false }
        }
        ("fat-at-least", [_, a, b]) => {
            CheckKind::FatAtLeast { ptr: operand(a)?, need: operand(b)?, null_ok: true }
        }
        ("non-zero", [a]) => CheckKind::NonZero(operand(a)?),
        ("shift", [bits, a]) => CheckKind::Shift { count: operand(a)?, bits: num(bits)? },
        ("float-fits", [to, a]) => match to.atom().and_then(|word| value(INTS, word)) {
            Some(to) => CheckKind::FloatFits { value: operand(a)?, to },
            None => return wrong("an integer type", to),
        },
        ("no-overflow", [op, a, b]) => match op.atom().and_then(|word| value(BINARY, word)) {
            Some(op) => CheckKind::NoOverflow { op, left: operand(a)?, right: operand(b)? },
            None => return wrong("an operator", op),
        },
        ("tag", [of, field]) => CheckKind::Tag { place: place(of)?, field: num(field)? },
        ("count", [a, elem]) => CheckKind::Count { count: operand(a)?, elem: ty(elem)? },
        ("assert" | "judge", [a, text, rest @ ..]) => CheckKind::Assert {
            cond: operand(a)?,
            text: name(text)?,
            at: take_span(&mut { rest }),
            judge: word == "judge",
        },
        _ => return wrong("a check", form),
    })
}

fn term(form: &Sexp) -> Result<TermKind> {
    let Some((word, rest)) = head(form) else { return wrong("a terminator", form) };
    Ok(match (word, rest) {
        ("goto", [to]) => TermKind::Goto(block_id(to)?),
        ("if", [a, yes, no]) => TermKind::If(operand(a)?, block_id(yes)?, block_id(no)?),
        ("switch", [on, cases @ .., default]) => TermKind::Switch {
            on: operand(on)?,
            cases: cases
                .iter()
                .map(|case| match case.list() {
                    Some([lo, hi, to]) => Ok((num(lo)?, num(hi)?, block_id(to)?)),
                    _ => wrong("a case", case),
                })
                .collect::<Result<_>>()?,
            default: block_id(default)?,
        },
        ("return", []) => TermKind::Return(None),
        ("return", [a]) => TermKind::Return(Some(operand(a)?)),
        ("throw", [a]) => TermKind::Throw(operand(a)?),
        ("rethrow", [local]) => TermKind::Rethrow(local_id(local)?),
        ("trap", [trap]) => match trap.atom().and_then(|word| value(TRAPS, word)) {
            Some(trap) => TermKind::Trap(trap),
            None => return wrong("a trap", trap),
        },
        ("unreachable", []) => TermKind::Unreachable,
        _ => return wrong("a terminator", form),
    })
}
