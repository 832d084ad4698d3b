//! Bodies as text.

use super::Printer;
use crate::*;
use std::fmt::Write;
use toft_ty::TyQuals;

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth.min(64)));
}

pub(super) fn body(p: &Printer<'_>, out: &mut String, body: &Body) {
    out.push_str(" {\n");
    for (id, region) in body.regions.iter_enumerated().skip(1) {
        let parent = region.parent.map_or(String::new(), |parent| format!(" in {parent}"));
        let name = region.name.map_or(String::new(), |name| format!(" '{name}"));
        let _ = writeln!(out, "  region {id}{name}{parent}: {:?}", region.kind);
    }
    for (id, local) in body.locals.iter_enumerated() {
        let what = if id.0 < body.params as u32 { "param" } else { "let" };
        let name = local.name.map_or(String::new(), |name| format!(" {name}"));
        let ty = match &local.ty {
            LocalTy::Known(ty) => p.ty(*ty, local.quals),
            LocalTy::Vla(ty, len) => {
                format!("{}[{}]", p.ty(*ty, local.quals), expr_text(p, len))
            }
            LocalTy::Rows(ty, dims) => {
                let dims: String =
                    dims.iter().map(|(_, len)| format!("[{}]", expr_text(p, len))).collect();
                format!("{}{dims}", p.ty(*ty, local.quals))
            }
            LocalTy::Infer => "auto".to_owned(),
            LocalTy::Typeof(expr, around) => {
                format!("typeof({}) in {}", expr_text(p, expr), p.ty(*around, local.quals))
            }
        };
        let _ = writeln!(out, "  {what} {id}{name}: {ty} @ {}", local.region);
    }
    for stmt in &body.root.stmts {
        self::stmt(p, out, stmt, 1);
    }
    out.push_str("}\n");
}

fn block(p: &Printer<'_>, out: &mut String, stmts: &[Stmt], depth: usize) {
    out.push_str("{\n");
    for stmt in stmts {
        self::stmt(p, out, stmt, depth + 1);
    }
    indent(out, depth);
    out.push_str("}\n");
}

/// A statement as the body of another, on a line of its own.
fn inner(p: &Printer<'_>, out: &mut String, stmt: &Stmt, depth: usize) {
    match &stmt.kind {
        StmtKind::Block(list) => block(p, out, &list.stmts, depth),
        _ => {
            out.push('\n');
            self::stmt(p, out, stmt, depth + 1);
        }
    }
}

fn arms(p: &Printer<'_>, out: &mut String, list: &[Arm], depth: usize) {
    for arm in list {
        indent(out, depth + 1);
        let pats: Vec<String> = arm.pats.iter().map(|pat| pat_text(p, pat)).collect();
        let _ = write!(out, "case {}", pats.join(" | "));
        if let Some(guard) = &arm.guard {
            let _ = write!(out, " && {}", expr_text(p, guard));
        }
        out.push_str(": ");
        block(p, out, &arm.body.stmts, depth + 1);
    }
    indent(out, depth);
    out.push_str("}\n");
}

fn stmt(p: &Printer<'_>, out: &mut String, stmt: &Stmt, depth: usize) {
    indent(out, depth);
    match &stmt.kind {
        StmtKind::Empty => out.push_str(";\n"),
        StmtKind::Expr(expr) => {
            let _ = writeln!(out, "{};", expr_text(p, expr));
        }
        StmtKind::Local(id, init) => match init {
            Some(init) => {
                let _ = writeln!(out, "let {id} = {};", init_text(p, init));
            }
            None => {
                let _ = writeln!(out, "let {id};");
            }
        },
        StmtKind::Block(list) => block(p, out, &list.stmts, depth),
        StmtKind::If(cond, then, other) => {
            let _ = write!(out, "if {} ", expr_text(p, cond));
            inner(p, out, then, depth);
            if let Some(other) = other {
                indent(out, depth);
                out.push_str("else ");
                inner(p, out, other, depth);
            }
        }
        StmtKind::While(jump, cond, body) => {
            let _ = write!(out, "{jump}: while {} ", expr_text(p, cond));
            inner(p, out, body, depth);
        }
        StmtKind::DoWhile(jump, body, cond) => {
            let _ = write!(out, "{jump}: do ");
            inner(p, out, body, depth);
            indent(out, depth);
            let _ = writeln!(out, "while {};", expr_text(p, cond));
        }
        StmtKind::For(inner) => for_text(p, out, inner, depth),
        StmtKind::Switch(jump, value, body) => {
            let _ = write!(out, "{jump}: switch {} ", expr_text(p, value));
            inner(p, out, body, depth);
        }
        StmtKind::Case(range, body) => {
            let _ = write!(out, "case {}", expr_text(p, &range.lo));
            if let Some(hi) = &range.hi {
                let _ = write!(out, " ... {}", expr_text(p, hi));
            }
            out.push_str(": ");
            inner(p, out, body, depth);
        }
        StmtKind::Default(body) => {
            out.push_str("default: ");
            inner(p, out, body, depth);
        }
        StmtKind::Match(inner) => {
            let _ = writeln!(out, "{}: match {} {{", inner.jump, expr_text(p, &inner.scrutinee));
            arms(p, out, &inner.arms, depth);
        }
        StmtKind::Label(id, body) => {
            let _ = write!(out, "{id}: ");
            inner(p, out, body, depth);
        }
        StmtKind::Goto(id) => {
            let _ = writeln!(out, "goto {id};");
        }
        StmtKind::Break(jump) => {
            let _ = writeln!(out, "break {jump};");
        }
        StmtKind::Continue(jump) => {
            let _ = writeln!(out, "continue {jump};");
        }
        StmtKind::Return(value) => match value {
            Some(value) => {
                let _ = writeln!(out, "return {};", expr_text(p, value));
            }
            None => out.push_str("return;\n"),
        },
        StmtKind::Fallthru => out.push_str("fallthru;\n"),
        StmtKind::FallthruWith(values) => {
            let _ = writeln!(out, "fallthru({});", list_text(p, values));
        }
        StmtKind::Let(pat, value) => {
            let _ = writeln!(out, "let {} = {};", pat_text(p, pat), expr_text(p, value));
        }
        StmtKind::Region { region, handle, open, rest } => {
            let _ = write!(out, "region {region} {handle}");
            if let Some(open) = open {
                let _ = write!(out, " = open({})", expr_text(p, open));
            }
            out.push(' ');
            block(p, out, rest, depth);
        }
        StmtKind::Pinned { region, local, init, rest } => {
            let _ = write!(out, "pin {region} {local} = {} ", expr_text(p, init));
            block(p, out, rest, depth);
        }
        StmtKind::Try { body, jump, arms: list } => {
            out.push_str("try ");
            inner(p, out, body, depth);
            indent(out, depth);
            let _ = writeln!(out, "{jump}: catch {{");
            arms(p, out, list, depth);
        }
        StmtKind::Error => out.push_str("<error>;\n"),
    }
}

fn for_text(p: &Printer<'_>, out: &mut String, stmt: &For, depth: usize) {
    let _ = write!(out, "{}: for (", stmt.jump);
    if stmt.init.is_empty() {
        out.push(';');
    } else {
        out.push('\n');
        stmt.init.iter().for_each(|init| self::stmt(p, out, init, depth + 2));
        indent(out, depth + 1);
    }
    if let Some(cond) = &stmt.cond {
        let _ = write!(out, " {}", expr_text(p, cond));
    }
    out.push(';');
    if let Some(step) = &stmt.step {
        let _ = write!(out, " {}", expr_text(p, step));
    }
    out.push_str(") ");
    inner(p, out, &stmt.body, depth);
}

fn pat_text(p: &Printer<'_>, pat: &Pat) -> String {
    let list = |pats: &[Pat]| -> String {
        pats.iter().map(|pat| pat_text(p, pat)).collect::<Vec<_>>().join(", ")
    };
    let more = |rest: bool| if rest { ", ..." } else { "" };
    match &pat.kind {
        PatKind::Wild => "_".into(),
        PatKind::Var(id) => id.to_string(),
        PatKind::As(id, inner) => format!("{id} as {}", pat_text(p, inner)),
        PatKind::Ref(id) => format!("*{id}"),
        PatKind::AddrOf(inner) => format!("&{}", pat_text(p, inner)),
        PatKind::Null => "NULL".into(),
        PatKind::Const(expr) => expr_text(p, expr),
        PatKind::Range(lo, hi) => format!("{} ... {}", expr_text(p, lo), expr_text(p, hi)),
        PatKind::Tuple(pats) => format!("$({})", list(pats)),
        PatKind::Variant { adt, variant, opened, args, rest } => format!(
            "{}{}({}{})",
            variant_name(p, *adt, *variant),
            opened_text(opened),
            list(args),
            more(*rest)
        ),
        PatKind::Record { adt, opened, fields, rest } => {
            let name = adt.map_or("_".to_owned(), |id| p.program.tables.adts[id].name.to_string());
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, pat)| match name {
                    FieldName::Named(name, _) => format!(".{name} = {}", pat_text(p, pat)),
                    FieldName::At(n) => format!(".{n} = {}", pat_text(p, pat)),
                })
                .collect();
            format!("{name}{}{{{}{}}}", opened_text(opened), fields.join(", "), more(*rest))
        }
        PatKind::Error => "<error>".into(),
    }
}

fn opened_text(opened: &Opened) -> String {
    if opened.is_empty() {
        return String::new();
    }
    let list: Vec<String> = opened.iter().map(|(n, kind, _)| format!("'{n}::{kind:?}")).collect();
    format!("<{}>", list.join(", "))
}

fn variant_name(p: &Printer<'_>, adt: toft_ty::AdtId, variant: u32) -> String {
    let def = &p.program.tables.adts[adt];
    let name = def.variants.get(variant as usize).map_or("?", |variant| variant.name.as_str());
    format!("{}.{name}", def.name)
}

pub(super) fn init_text(p: &Printer<'_>, init: &Init) -> String {
    match init {
        Init::Expr(expr) => expr_text(p, expr),
        Init::List(items, _) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| {
                    let path = designators(p, &item.designators);
                    let eq = if path.is_empty() { "" } else { " = " };
                    format!("{path}{eq}{}", init_text(p, &item.value))
                })
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        Init::Comprehension(inner) => comprehension(p, inner),
    }
}

fn comprehension(p: &Printer<'_>, inner: &Comprehension) -> String {
    format!(
        "{{for {} < {} : {}}}",
        inner.var,
        expr_text(p, &inner.bound),
        init_text(p, &inner.body)
    )
}

fn designators(p: &Printer<'_>, list: &[Designator]) -> String {
    list.iter()
        .map(|step| match step {
            Designator::Field(name, _) => format!(".{name}"),
            Designator::Index(index) => format!("[{}]", expr_text(p, index)),
            Designator::Range(lo, hi) => {
                format!("[{} ... {}]", expr_text(p, lo), expr_text(p, hi))
            }
        })
        .collect()
}

fn ty_text(p: &Printer<'_>, ty: &HirTy) -> String {
    match ty {
        HirTy::Known(ty, quals) => p.ty(*ty, *quals),
        HirTy::Typeof(expr, around) => {
            format!("typeof({}) in {}", expr_text(p, expr), p.ty(*around, TyQuals::default()))
        }
    }
}

fn list_text(p: &Printer<'_>, list: &[Expr]) -> String {
    list.iter().map(|expr| expr_text(p, expr)).collect::<Vec<_>>().join(", ")
}

pub(super) fn expr_text(p: &Printer<'_>, expr: &Expr) -> String {
    let e = |expr: &Expr| expr_text(p, expr);
    match &expr.kind {
        ExprKind::Int(value, ty) => format!("{}{}", value.get(), suffix(p, *ty)),
        ExprKind::Float(value, ty) => format!("{value:?}{}", suffix(p, *ty)),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Null => "NULL".into(),
        ExprKind::Str(width, units) => str_text(*width, units),
        ExprKind::Local(id) => id.to_string(),
        ExprKind::Global(id) => p.program.globals[*id].name.to_string(),
        ExprKind::Func(id, args) => match args.len() {
            0 => p.program.funcs[*id].name.to_string(),
            n => format!("{}@<{n}>", p.program.funcs[*id].name),
        },
        ExprKind::EnumConst(id, value) => {
            let def = &p.program.tables.enums[*id];
            let value = &value.get();
            let name = def.consts.iter().flatten().find(|(_, other)| other == value);
            name.map_or(value.to_string(), |(name, _)| name.to_string())
        }
        ExprKind::Variant(adt, n, _) => variant_name(p, *adt, *n),
        ExprKind::Unary(op, a) => {
            let op = match op {
                UnOp::Plus => "+",
                UnOp::Neg => "-",
                UnOp::Not => "!",
                UnOp::BitNot => "~",
                UnOp::Deref => "*",
                UnOp::AddrOf => "&",
            };
            format!("{op}{}", e(a))
        }
        ExprKind::PostIncDec(op, a) => format!("{}{}", e(a), incdec(*op)),
        ExprKind::PreIncDec(op, a) => format!("{}{}", incdec(*op), e(a)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", e(a), op.text(), e(b)),
        ExprKind::LogicalAnd(a, b) => format!("({} && {})", e(a), e(b)),
        ExprKind::LogicalOr(a, b) => format!("({} || {})", e(a), e(b)),
        ExprKind::Cond(c, Some(a), b) => format!("({} ? {} : {})", e(c), e(a), e(b)),
        ExprKind::Cond(c, None, b) => format!("({} ?: {})", e(c), e(b)),
        ExprKind::Assign(a, b) => format!("({} = {})", e(a), e(b)),
        ExprKind::AssignOp(op, a, b) => format!("({} {}= {})", e(a), op.text(), e(b)),
        ExprKind::Swap(a, b) => format!("({} :=: {})", e(a), e(b)),
        ExprKind::Comma(a, b) => format!("({}, {})", e(a), e(b)),
        ExprKind::Call(f, args) => format!("{}({})", e(f), list_text(p, args)),
        ExprKind::Index(a, b) => format!("{}[{}]", e(a), e(b)),
        ExprKind::Member(a, name, _) => format!("{}.{name}", e(a)),
        ExprKind::Arrow(a, name, _) => format!("{}->{name}", e(a)),
        _ => rare_text(p, expr),
    }
}

fn rare_text(p: &Printer<'_>, expr: &Expr) -> String {
    let e = |expr: &Expr| expr_text(p, expr);
    match &expr.kind {
        ExprKind::Cast(ty, a) => format!("({})({})", ty_text(p, ty), e(a)),
        ExprKind::SizeofExpr(a) => format!("sizeof({})", e(a)),
        ExprKind::SizeofType(ty) => format!("sizeof({})", ty_text(p, ty)),
        ExprKind::AlignofType(ty) => format!("alignof({})", ty_text(p, ty)),
        ExprKind::Offsetof(ty, path) => {
            format!("offsetof({}, {})", ty_text(p, ty), designators(p, path))
        }
        ExprKind::CompoundLiteral { ty, init, region } => {
            let region = if *region == STATIC_REGION { "'H".into() } else { region.to_string() };
            format!("({}){} @ {region}", ty_text(p, ty), init_text(p, init))
        }
        ExprKind::Generic(a, arms) => {
            let arms: Vec<String> = arms
                .iter()
                .map(|(ty, value)| {
                    let ty = ty.as_ref().map_or("default".to_owned(), |ty| ty_text(p, ty));
                    format!("{ty}: {}", e(value))
                })
                .collect();
            format!("_Generic({}, {})", e(a), arms.join(", "))
        }
        ExprKind::StmtExpr(list) => {
            let mut out = String::from("(");
            block(p, &mut out, &list.stmts, 1);
            out.truncate(out.trim_end().len());
            out + ")"
        }
        ExprKind::Tuple(list) => format!("$({})", list_text(p, list)),
        ExprKind::New(new) => {
            let region = new.region.as_ref().map_or(String::new(), |h| format!("({})", e(h)));
            let qual = new.qual.as_ref().map_or(String::new(), |q| format!("[{}]", e(q)));
            format!("new{region}{qual} {}", init_text(p, &new.init))
        }
        ExprKind::Comprehension(inner) => comprehension(p, inner),
        ExprKind::Throw(a) => format!("throw {}", e(a)),
        ExprKind::Valueof(int) => format!("valueof({int:?})"),
        ExprKind::Numelts(a) => format!("numelts({})", e(a)),
        ExprKind::Tagcheck(a) => format!("tagcheck({})", e(a)),
        ExprKind::Assert(a) => format!("@assert({})", e(a)),
        ExprKind::VaArg(a, ty) => format!("va_arg({}, {})", e(a), ty_text(p, ty)),
        ExprKind::TypesCompatible(a, b) => {
            format!("types_compatible({}, {})", ty_text(p, a), ty_text(p, b))
        }
        ExprKind::Init(init) => init_text(p, init),
        _ => "<error>".into(),
    }
}

fn incdec(op: IncDec) -> &'static str {
    match op {
        IncDec::Inc => "++",
        IncDec::Dec => "--",
    }
}

/// `int` and `double` are what a reader expects; others are named.
fn suffix(p: &Printer<'_>, ty: toft_ty::Ty) -> String {
    match p.ty(ty, TyQuals::default()).as_str() {
        "int" | "double" => String::new(),
        name => format!("::{}", name.replace(' ', "_")),
    }
}

fn str_text(width: StrWidth, units: &[u32]) -> String {
    let prefix = match width {
        StrWidth::Char => "",
        StrWidth::Char16 => "u",
        StrWidth::Char32 => "U",
        StrWidth::Wide => "L",
    };
    let mut out = format!("{prefix}\"");
    for &unit in units {
        match char::from_u32(unit) {
            Some(c @ ('"' | '\\')) => {
                out.push('\\');
                out.push(c);
            }
            Some(c) if unit < 0x80 && !c.is_control() => out.push(c),
            _ => {
                let _ = write!(out, "\\x{unit:x}");
            }
        }
    }
    out.push('"');
    out
}
