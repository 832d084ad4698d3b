//! Strings with bounds as arguments of checked formats.
//!
//! C's `%s` knows only zero-terminated strings. An argument that carries its bounds is
//! printed through `%.*s`: the format constant is rewritten, and the argument becomes a
//! precision (what lies inside the bounds, at most the precision asked for) and a thin pointer.
//! `printf` then stops at the terminator or at the bound, whichever comes first.

use crate::builder::Lower;
use toft_base::Span;
use toft_mir as mir;
use toft_mir::{Cast, CheckKind, Const, ConstKind, Operand, Place, Rvalue, StmtKind};
use toft_tir::Expr;
use toft_ty::{Bounds, PtrTy, Ty};

/// One conversion of a `printf` format that takes arguments.
struct Spec {
    /// Position of the `.` of its precision, or of the conversion's length or letter.
    insert: usize,
    /// End of the precision.
    resume: usize,
    letter: u32,
    star_width: bool,
    star_precision: bool,
    precision: Option<u32>,
}

fn is(c: u32, set: &str) -> bool {
    char::from_u32(c).is_some_and(|c| set.contains(c))
}

/// The conversions, in order; `infer` has checked that the format is well-formed.
fn specs(text: &[u32]) -> Vec<Spec> {
    let at = |n: usize| text.get(n).copied().unwrap_or(0);
    let digit = |c: u32| is(c, "0123456789");
    let mut list = Vec::new();
    let mut n = 0;
    while n < text.len() {
        n += 1;
        if at(n - 1) != u32::from(b'%') {
            continue;
        }
        if at(n) == u32::from(b'%') {
            n += 1;
            continue;
        }
        while is(at(n), "-+ #0'") {
            n += 1;
        }
        let star_width = at(n) == u32::from(b'*');
        n += usize::from(star_width);
        while digit(at(n)) {
            n += 1;
        }
        let insert = n;
        let mut spec = Spec {
            insert,
            resume: n,
            letter: 0,
            star_width,
            star_precision: false,
            precision: None,
        };
        if at(n) == u32::from(b'.') {
            n += 1;
            spec.star_precision = at(n) == u32::from(b'*');
            n += usize::from(spec.star_precision);
            let mut value = 0u32;
            while digit(at(n)) {
                value = value.saturating_mul(10).saturating_add(at(n) - u32::from(b'0'));
                n += 1;
            }
            spec.precision = (!spec.star_precision).then_some(value);
        }
        spec.resume = n;
        while is(at(n), "hljztL") {
            n += 1;
        }
        spec.letter = at(n);
        n += 1;
        if spec.letter != u32::from(b'm') {
            list.push(spec);
        }
    }
    list
}

impl Lower<'_> {
    /// Makes the arguments after a format fit for C. `ops` are the fixed arguments, `more`
    /// the operands of `exprs`, which follow the format.
    pub fn format_args(&mut self, ops: &mut [Operand], more: &mut Vec<Operand>, exprs: &[Expr]) {
        let is_string = |e: &Expr| e.ty.as_ptr().is_some_and(|p| !p.elem.is_void());
        if !exprs.iter().any(is_string) {
            return;
        }
        let Some(Operand::Const(format)) = ops.last_mut() else { return };
        let ConstKind::Str { units, .. } = &mut format.kind else { return };
        let text = std::rc::Rc::clone(units);
        let mut new_text: Vec<u32> = Vec::with_capacity(text.len() + 8);
        let mut copied = 0;
        let mut out = Vec::with_capacity(more.len() + 2);
        let mut rest = std::mem::take(more).into_iter().zip(exprs);
        for spec in specs(&text) {
            let stars = usize::from(spec.star_width) + usize::from(spec.star_precision);
            out.extend(rest.by_ref().take(stars).map(|(op, _)| op));
            let Some((op, e)) = rest.next() else { break };
            let Some(ptr) = e.ty.as_ptr().filter(|_| spec.letter == u32::from(b's')) else {
                out.push(op);
                continue;
            };
            if ptr.bounds != Bounds::Fat {
                if ptr.nullable {
                    self.check(e.span, CheckKind::NotNull(op.clone()));
                }
                out.push(op);
                continue;
            }
            let asked = match (spec.star_precision, spec.precision) {
                (true, _) => out.pop(),
                (false, given) => given.map(|n| self.int(i128::from(n.min(i32::MAX as u32)))),
            };
            let asked = asked.unwrap_or_else(|| self.int(-1));
            let [precision, thin] = self.bounded(op, asked, ptr, e.span);
            out.extend([precision, thin]);
            new_text.extend(&text[copied..spec.insert]);
            new_text.extend(".*".bytes().map(u32::from));
            copied = spec.resume;
        }
        out.extend(rest.map(|(op, _)| op));
        *more = out;
        if copied > 0 {
            new_text.extend(&text[copied..]);
            if let Some(Operand::Const(Const { kind: ConstKind::Str { units, .. }, .. })) =
                ops.last_mut()
            {
                *units = new_text.into();
            }
        }
    }

    fn int(&self, value: i128) -> Operand {
        Operand::int(value, self.ty.int)
    }

    /// Precision and thin pointer for a string with bounds.
    fn bounded(&mut self, fat: Operand, asked: Operand, ptr: &PtrTy, span: Span) -> [Operand; 2] {
        let precision = Place::local(self.temp(self.ty.int, span));
        let call = mir::Call {
            dest: Some(precision.clone()),
            callee: mir::Callee::Runtime("toft_str_precision"),
            args: vec![fat.clone(), asked],
            varargs: Vec::new(),
            noreturn: false,
            suspends: false,
        };
        self.emit(span, StmtKind::Call(Box::new(call)));
        let thin = Ty::ptr(PtrTy { bounds: Bounds::Thin(toft_ty::IntExpr::Const(1)), ..*ptr });
        let text = self.settle(Rvalue::Cast(Cast::FatToThin, fat, thin), thin, span);
        [Operand::Copy(precision), text]
    }
}
