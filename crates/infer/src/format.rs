//! Checked formats: `printf`, `scanf`, `strftime` and functions like them.

use crate::convert::conv;
use crate::cx::Fx;
use crate::region::{Origin, What};
use crate::types::thin;
use toft_base::Span;
use toft_diag::{Diagnostic, codes};
use toft_hir as hir;
use toft_hir::{FormatAttr, FormatKind, FuncId};
use toft_tir::{Conv, Expr, ExprKind, PlaceKind, Varargs};
use toft_ty::{Bounds, FloatTy, IntTy, PtrTy, Ty, TyKind};

/// Length modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    None,
    Char,
    Short,
    Long,
    LongLong,
    IntMax,
    PtrDiff,
    Size,
    LongDouble,
}

/// One conversion of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The conversion character.
    pub kind: char,
    pub length: Length,
    /// `*` as width: an `int` argument comes first.
    pub star_width: bool,
    pub star_precision: bool,
    pub width: Option<u64>,
    pub precision: Option<u64>,
    /// `scanf`'s `%*d`: nothing is stored.
    pub suppressed: bool,
}

/// The conversions of a `printf` format (`%%` is none).
pub fn parse_printf(text: &[u32]) -> Result<Vec<Spec>, String> {
    let mut at = Cursor { text, at: 0 };
    let mut list = Vec::new();
    while let Some(c) = at.next() {
        if c != '%' {
            continue;
        }
        if at.eat('%') {
            continue;
        }
        while at.peek().is_some_and(|c| "-+ #0'".contains(c)) {
            at.next();
        }
        let star_width = at.eat('*');
        let width = if star_width { None } else { at.number()? };
        if at.peek() == Some('$') {
            return Err("positional arguments (`%1$…`) are not supported".into());
        }
        let (mut star_precision, mut precision) = (false, None);
        if at.eat('.') {
            star_precision = at.eat('*');
            precision = if star_precision { None } else { Some(at.number()?.unwrap_or(0)) };
        }
        let length = at.length();
        let kind = at.next().ok_or("the format ends inside a conversion")?;
        list.push(Spec {
            kind,
            length,
            star_width,
            star_precision,
            width,
            precision,
            suppressed: false,
        });
    }
    Ok(list)
}

/// The conversions of a `scanf` format.
pub fn parse_scanf(text: &[u32]) -> Result<Vec<Spec>, String> {
    let mut at = Cursor { text, at: 0 };
    let mut list = Vec::new();
    while let Some(c) = at.next() {
        if c != '%' || at.eat('%') {
            continue;
        }
        let suppressed = at.eat('*');
        let width = at.number()?;
        if at.peek() == Some('m') {
            return Err("`%m` allocates memory that nobody owns: it is not supported".into());
        }
        let length = at.length();
        let kind = at.next().ok_or("the format ends inside a conversion")?;
        if kind == '[' {
            at.eat('^');
            at.eat(']');
            loop {
                match at.next() {
                    Some(']') => break,
                    Some(_) => {}
                    None => return Err("`%[` without its `]`".into()),
                }
            }
        }
        list.push(Spec {
            kind,
            length,
            star_width: false,
            star_precision: false,
            width,
            precision: None,
            suppressed,
        });
    }
    Ok(list)
}

/// Whether a `strftime` format has only conversions that C defines.
pub fn check_strftime(text: &[u32]) -> Result<(), String> {
    let mut at = Cursor { text, at: 0 };
    while let Some(c) = at.next() {
        if c != '%' {
            continue;
        }
        while at.peek().is_some_and(|c| "EO_-0^#".contains(c)) {
            at.next();
        }
        match at.next() {
            None => return Err("the format ends inside a conversion".into()),
            Some(c) if "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%".contains(c) => {}
            Some(c) => return Err(format!("`%{c}` is no conversion of `strftime`")),
        }
    }
    Ok(())
}

struct Cursor<'t> {
    text: &'t [u32],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).map(|&unit| char::from_u32(unit).unwrap_or('\u{fffd}'))
    }
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }
    fn eat(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        self.at += usize::from(here);
        here
    }
    fn number(&mut self) -> Result<Option<u64>, String> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let next = value.unwrap_or(0u64) * 10 + u64::from(digit);
            if next > i32::MAX as u64 {
                return Err("a width or precision that is too large".into());
            }
            value = Some(next);
            self.at += 1;
        }
        Ok(value)
    }
    fn length(&mut self) -> Length {
        match self.peek() {
            Some('h') => {
                self.at += 1;
                if self.eat('h') { Length::Char } else { Length::Short }
            }
            Some('l') => {
                self.at += 1;
                if self.eat('l') { Length::LongLong } else { Length::Long }
            }
            Some('q') => {
                self.at += 1;
                Length::LongLong
            }
            Some('j') => {
                self.at += 1;
                Length::IntMax
            }
            Some('t') => {
                self.at += 1;
                Length::PtrDiff
            }
            Some('z') => {
                self.at += 1;
                Length::Size
            }
            Some('L') => {
                self.at += 1;
                Length::LongDouble
            }
            _ => Length::None,
        }
    }
}

/// The integer type a conversion with this length takes.
fn int_of(length: Length, signed: bool) -> IntTy {
    let int = match length {
        Length::None => IntTy::Int,
        Length::Char => IntTy::SChar,
        Length::Short => IntTy::Short,
        Length::Long | Length::IntMax | Length::PtrDiff | Length::Size => IntTy::Long,
        Length::LongLong | Length::LongDouble => IntTy::LLong,
    };
    if signed { int } else { int.to_unsigned() }
}

impl<'a> Fx<'a> {
    /// Arguments of a function with C's `...` and a `format` attribute.
    pub fn format_args(
        &mut self,
        id: FuncId,
        format: FormatAttr,
        fixed: &mut [Expr],
        rest: &'a [hir::Expr],
    ) -> Varargs {
        let args: Vec<Expr> = rest
            .iter()
            .map(|arg| {
                let value = self.expr(arg, None);
                self.lent(value, crate::tracked::Why::Arg)
            })
            .collect();
        let span = rest.last().map_or(Span::NONE, |last| last.span);
        let Some(texts) = self.format_texts(format, fixed) else { return Varargs::C(Vec::new()) };
        if args.iter().any(|arg| arg.ty.is_error()) {
            self.poison();
            return Varargs::C(Vec::new());
        }
        let at = fixed[format.format as usize].span;
        let mut list = None;
        for text in &texts {
            let parsed = match format.kind {
                FormatKind::Printf => parse_printf(text),
                FormatKind::Scanf => parse_scanf(text),
                FormatKind::Strftime => check_strftime(text).map(|()| Vec::new()),
            };
            match parsed {
                Ok(specs) if list.is_none() => list = Some(specs),
                Ok(specs) => {
                    if list.as_ref() != Some(&specs) {
                        self.error(
                            codes::E1301,
                            at,
                            "the formats of `?:` take different arguments",
                        );
                        return Varargs::C(Vec::new());
                    }
                }
                Err(why) => {
                    self.error(codes::E1301, at, why);
                    return Varargs::C(Vec::new());
                }
            }
        }
        let specs = list.unwrap_or_default();
        let scan = format.kind == FormatKind::Scanf;
        Varargs::C(self.match_specs(id, &specs, args, scan, at, span))
    }

    /// A format among fixed arguments only (`strftime`, `vprintf`): it must be a constant or
    /// the caller's own checked format.
    pub fn format_fixed(&mut self, format: FormatAttr, fixed: &mut [Expr]) {
        let Some(texts) = self.format_texts(format, fixed) else { return };
        if format.kind == FormatKind::Strftime {
            for text in texts {
                if let Err(why) = check_strftime(&text) {
                    let at = fixed[format.format as usize].span;
                    self.error(codes::E1301, at, why);
                }
            }
        }
    }

    fn format_texts(&mut self, format: FormatAttr, fixed: &mut [Expr]) -> Option<Vec<Box<[u32]>>> {
        let e = fixed.get_mut(format.format as usize)?;
        if e.ty.is_error() {
            self.poison();
            return None;
        }
        let mut texts = Vec::new();
        if literals(e, &mut texts) {
            return Some(texts);
        }
        // Passing one's own format on is as good as a constant when its arguments go along.
        if format.first.is_none() && self.own_format(e) {
            return None;
        }
        let span = e.span;
        let d = Diagnostic::error(codes::E1302, "the format must be a constant string", span, "")
            .note("what it says about the arguments is checked at compile time")
            .suggest(span.before(), "\"%s\", ", "to print a string as it is, use `\"%s\"`");
        self.report(d);
        None
    }

    fn own_format(&self, e: &Expr) -> bool {
        let own = self.func.and_then(|func| func.format);
        let mut e = e;
        while let ExprKind::Conv(_, inner) = &e.kind {
            e = inner;
        }
        matches!((&e.kind, own), (ExprKind::Load(place), Some(own))
            if matches!(place.kind, PlaceKind::Local(id) if id.0 == own.format))
    }

    fn match_specs(
        &mut self,
        id: FuncId,
        specs: &[Spec],
        args: Vec<Expr>,
        scan: bool,
        at: Span,
        end: Span,
    ) -> Vec<Expr> {
        let want: usize = specs
            .iter()
            .map(|spec| {
                usize::from(spec.star_width)
                    + usize::from(spec.star_precision)
                    + usize::from(takes(spec))
            })
            .sum();
        let given = args.len();
        if want != given {
            let s = if want == 1 { "" } else { "s" };
            let mut d = Diagnostic::error(
                codes::E1301,
                format!("the format takes {want} argument{s}, but {given} are given"),
                at,
                "",
            );
            if !end.is_none() {
                d = d.label(end, "the last argument");
            }
            self.report(d);
        }
        let mut out = Vec::with_capacity(given);
        let mut args = args.into_iter();
        let mut n = self.prog.funcs[id].sig.params.len() as u32;
        for spec in specs {
            for star in [spec.star_width, spec.star_precision] {
                if star && let Some(arg) = args.next() {
                    out.push(self.star(arg));
                    n += 1;
                }
            }
            if !takes(spec) {
                self.check_kind(spec, scan, at);
                continue;
            }
            let Some(arg) = args.next() else { break };
            let what = What::Arg(Some(id), n);
            n += 1;
            let arg =
                if scan { self.scan_arg(spec, arg, what) } else { self.print_arg(spec, arg, what) };
            out.push(arg);
        }
        out
    }

    fn check_kind(&mut self, spec: &Spec, scan: bool, at: Span) {
        let known = if scan { "diouxXaAeEfFgGsc[pn" } else { "m" };
        if !known.contains(spec.kind) {
            self.error(codes::E1301, at, format!("`%{}` is no conversion", spec.kind));
        }
    }

    fn star(&mut self, arg: Expr) -> Expr {
        let ty = self.shallow(arg.ty);
        if self.int_ty(ty).is_some_and(|int| int.rank() <= IntTy::Int.rank()) {
            let arg = self.promote(arg);
            return self.arith(arg, self.t.int, true);
        }
        let text = self.show(ty);
        self.error(
            codes::E1301,
            arg.span,
            format!("a `*` in the format takes an `int`, not {text}"),
        );
        self.bad(arg.span)
    }

    fn misfit_arg(&mut self, spec: &Spec, arg: &Expr, wants: &str) -> Expr {
        let ty = self.shallow(arg.ty);
        let text = self.show(ty);
        let mut d = Diagnostic::error(
            codes::E1301,
            format!("`%{}{}` takes {wants}, not {text}", length_text(spec.length), spec.kind),
            arg.span,
            format!("has type {text}"),
        );
        if let Some(right) = self.right_conversion(ty) {
            d = d.help(format!("write `%{right}` for {text}"));
        }
        self.report(d);
        self.bad(arg.span)
    }

    fn right_conversion(&self, ty: Ty) -> Option<&'static str> {
        if let Some(int) = self.int_ty(ty) {
            return Some(match int {
                IntTy::Char | IntTy::SChar | IntTy::Short | IntTy::Int => "d",
                IntTy::UChar | IntTy::UShort | IntTy::UInt => "u",
                IntTy::Long => "ld",
                IntTy::ULong => "lu",
                IntTy::LLong => "lld",
                IntTy::ULLong => "llu",
            });
        }
        match ty.kind() {
            TyKind::Float(FloatTy::LongDouble) => Some("Lf"),
            TyKind::Float(_) => Some("f"),
            TyKind::Ptr(ptr) if self.is_char(ptr.elem) => Some("s"),
            TyKind::Ptr(_) => Some("p"),
            _ => None,
        }
    }

    fn print_arg(&mut self, spec: &Spec, arg: Expr, what: What) -> Expr {
        let ty = self.shallow(arg.ty);
        match spec.kind {
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'c' => {
                if spec.kind == 'c' && spec.length != Length::None {
                    self.error(
                        codes::E0900,
                        arg.span,
                        "wide characters in formats are not supported yet",
                    );
                    return self.bad(arg.span);
                }
                let want = int_of(spec.length, matches!(spec.kind, 'd' | 'i' | 'c'));
                let promoted = self.int_ty(ty).map(|int| int.bytes().max(4));
                if promoted != Some(want.bytes().max(4)) || spec.length == Length::LongDouble {
                    let wants = format!("`{}`", if want.bytes() < 4 { "int" } else { want.name() });
                    return self.misfit_arg(spec, &arg, &wants);
                }
                let arg = self.promote(arg);
                let to = self.int_of(if want.bytes() < 4 { IntTy::Int } else { want });
                self.arith(arg, to, true)
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                let long = spec.length == Length::LongDouble;
                let fits = match ty.kind() {
                    TyKind::Float(FloatTy::LongDouble) => long,
                    TyKind::Float(_) => !long,
                    _ => false,
                };
                if !fits {
                    return self.misfit_arg(
                        spec,
                        &arg,
                        if long { "`long double`" } else { "`double`" },
                    );
                }
                let to = if long { ty } else { self.t.double };
                self.arith(arg, to, true)
            }
            's' => self.string_arg(spec, arg),
            'p' => match ty.as_ptr() {
                Some(ptr) if !ptr.foreign && ptr.elem.as_func().is_none() => {
                    let to = Ty::ptr(PtrTy {
                        elem: self.t.void,
                        bounds: thin(1),
                        zeroterm: false,
                        ..*ptr
                    });
                    if self.shallow(ptr.elem).is_void() { arg } else { conv(Conv::ToVoid, arg, to) }
                }
                _ => self.misfit_arg(spec, &arg, "a pointer"),
            },
            'n' => {
                self.report(
                    Diagnostic::error(
                        codes::E1301,
                        "`%n` writes through its argument and is refused",
                        arg.span,
                        "",
                    )
                    .help("`printf` returns the number of characters written"),
                );
                self.bad(arg.span)
            }
            other => {
                let _ = what;
                self.error(
                    codes::E1301,
                    arg.span,
                    format!("`%{other}` is no conversion of `printf`"),
                );
                self.bad(arg.span)
            }
        }
    }

    /// `%s`: any pointer to characters; those without a terminator carry their bounds.
    fn string_arg(&mut self, spec: &Spec, mut arg: Expr) -> Expr {
        let span = arg.span;
        if spec.length != Length::None {
            self.error(codes::E0900, span, "wide strings in formats are not supported yet");
            return self.bad(span);
        }
        let ty = self.shallow(arg.ty);
        let chars = ty.as_ptr().filter(|ptr| {
            !ptr.foreign
                && matches!(self.shallow(ptr.elem).kind(), TyKind::Int(int) if int.bytes() == 1)
        });
        let Some(&ptr) = chars else { return self.misfit_arg(spec, &arg, "a string") };
        if let ExprKind::Str { writable, .. } = &mut arg.kind {
            *writable = false;
        }
        if ptr.zeroterm || ptr.bounds == Bounds::Fat {
            return arg;
        }
        let fat = Ty::ptr(PtrTy { bounds: Bounds::Fat, ..ptr });
        self.convert(arg, fat, Origin::new(span, What::Other), true)
    }

    fn scan_arg(&mut self, spec: &Spec, arg: Expr, what: What) -> Expr {
        let target = match spec.kind {
            'd' | 'i' => Ty::int(int_of(spec.length, true)),
            'o' | 'u' | 'x' | 'X' => Ty::int(int_of(spec.length, false)),
            'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
                Ty::new(TyKind::Float(match spec.length {
                    Length::Long => FloatTy::Double,
                    Length::LongDouble => FloatTy::LongDouble,
                    _ => FloatTy::Float,
                }))
            }
            's' | '[' | 'c' => return self.scan_chars(spec, arg, what),
            'n' => Ty::int(int_of(spec.length, true)),
            other => {
                let why = if other == 'p' {
                    "`%p` would make a pointer from text"
                } else {
                    "no conversion of `scanf`"
                };
                self.error(codes::E1301, arg.span, why);
                return self.bad(arg.span);
            }
        };
        let ty = self.shallow(arg.ty);
        let fits = ty.as_ptr().is_some_and(|ptr| {
            let elem = self.shallow(ptr.elem);
            let same = match (self.int_ty(elem), self.int_ty(target)) {
                (Some(a), Some(b)) => {
                    a.bytes() == b.bytes() && !matches!(elem.kind(), TyKind::Bool | TyKind::Enum(_))
                }
                _ => elem == target,
            };
            same && !ptr.quals.is_const && !ptr.foreign && !ptr.zeroterm
        });
        if !fits {
            let wants = format!("a pointer to {}", self.show(target));
            return self.misfit_arg(spec, &arg, &wants);
        }
        let Some(&ptr) = ty.as_ptr() else { return arg };
        let to = Ty::ptr(PtrTy { nullable: false, bounds: thin(1), ..ptr });
        self.convert(arg, to, Origin::new(Span::NONE, what), true)
    }

    /// `%s`, `%[`, `%c`: the width must not pass the end of the buffer.
    fn scan_chars(&mut self, spec: &Spec, arg: Expr, what: What) -> Expr {
        let ty = self.shallow(arg.ty);
        let span = arg.span;
        if spec.length != Length::None {
            self.error(codes::E0900, span, "wide strings in formats are not supported yet");
            return self.bad(span);
        }
        let chars = ty.as_ptr().filter(|ptr| {
            !ptr.foreign
                && !ptr.quals.is_const
                && matches!(self.shallow(ptr.elem).kind(), TyKind::Int(int) if int.bytes() == 1)
        });
        let Some(&ptr) = chars else {
            return self.misfit_arg(spec, &arg, "a buffer of characters");
        };
        let width = match (spec.width, spec.kind) {
            (Some(width), _) => width,
            (None, 'c') => 1,
            (None, _) => {
                let size = self.known_elements(&ptr).filter(|&n| n > 1);
                let mut d = Diagnostic::error(
                    codes::E1301,
                    format!("`%{}` without a width can overrun any buffer", spec.kind),
                    span,
                    "",
                );
                d = match size {
                    Some(n) => d.help(format!("write `%{}{}`", n - 1, spec.kind)),
                    None => d.help("give the width: one less than the size of the buffer"),
                };
                self.report(d);
                return self.bad(span);
            }
        };
        let need = if spec.kind == 'c' { width } else { width + 1 };
        if let Some(n) = self.known_elements(&ptr)
            && n < need
        {
            self.report(
                Diagnostic::error(
                    codes::E1301,
                    format!(
                        "`%{width}{}` stores up to {need} characters into a buffer of {n}",
                        spec.kind
                    ),
                    span,
                    "",
                )
                .help(format!(
                    "write `%{}{}` at most",
                    n.saturating_sub(need - width),
                    spec.kind
                )),
            );
            return self.bad(span);
        }
        let to = Ty::ptr(PtrTy { nullable: false, zeroterm: false, bounds: thin(need), ..ptr });
        self.convert(arg, to, Origin::new(span, what), true)
    }
}

/// Whether the conversion takes an argument of its own.
fn takes(spec: &Spec) -> bool {
    !spec.suppressed && spec.kind != 'm'
}

fn length_text(length: Length) -> &'static str {
    match length {
        Length::None => "",
        Length::Char => "hh",
        Length::Short => "h",
        Length::Long => "l",
        Length::LongLong => "ll",
        Length::IntMax => "j",
        Length::PtrDiff => "t",
        Length::Size => "z",
        Length::LongDouble => "L",
    }
}

/// The literals an expression may stand for; false when it may be something else.
fn literals(e: &mut Expr, out: &mut Vec<Box<[u32]>>) -> bool {
    match &mut e.kind {
        ExprKind::Str { units, writable, .. } => {
            *writable = false;
            out.push(units.clone());
            true
        }
        ExprKind::Conv(_, inner) => literals(inner, out),
        ExprKind::Cond(_, a, b) => literals(a, out) && literals(b, out),
        _ => false,
    }
}
