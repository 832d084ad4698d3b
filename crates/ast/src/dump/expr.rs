//! Expressions, initialisers and patterns.

use super::Dump;
use crate::{
    BinOp, Designator, Expr, ExprKind, IncDec, Init, InitList, NewExpr, Pat, PatKind, UnOp,
};

impl BinOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Lt => "<",
            BinOp::Gt => ">",
            BinOp::Le => "<=",
            BinOp::Ge => ">=",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
        }
    }
}

impl UnOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            UnOp::Plus => "+",
            UnOp::Neg => "-",
            UnOp::Not => "!",
            UnOp::BitNot => "~",
            UnOp::Deref => "*",
            UnOp::AddrOf => "&",
        }
    }
}

impl Dump {
    /// `(head a b)`.
    fn form(&mut self, head: &str, operands: &[&Expr]) {
        self.put("(");
        self.put(head);
        for operand in operands {
            self.put(" ");
            self.expr(operand);
        }
        self.put(")");
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Number(sym) | ExprKind::Char(sym) => self.put(sym.as_str()),
            ExprKind::Str(parts) => {
                self.list(("", " ", ""), parts, |dump, part| dump.put(part.0.as_str()));
            }
            ExprKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Null => self.put("null"),
            ExprKind::Path(path, args) => {
                self.path(path);
                if !args.is_empty() {
                    self.put("@");
                    self.type_args(args);
                }
            }
            ExprKind::Paren(inner) => self.form("paren", &[inner]),
            ExprKind::Unary(op, operand) => self.form(op.text(), &[operand]),
            ExprKind::PostIncDec(step, operand) => {
                self.form(if *step == IncDec::Inc { "post++" } else { "post--" }, &[operand]);
            }
            ExprKind::PreIncDec(step, operand) => {
                self.form(if *step == IncDec::Inc { "++" } else { "--" }, &[operand]);
            }
            ExprKind::Binary(op, left, right) => self.form(op.text(), &[left, right]),
            ExprKind::LogicalAnd(left, right) => self.form("&&", &[left, right]),
            ExprKind::LogicalOr(left, right) => self.form("||", &[left, right]),
            ExprKind::Cond(test, Some(then), other) => self.form("?:", &[test, then, other]),
            ExprKind::Cond(test, None, other) => self.form("?:", &[test, other]),
            ExprKind::Assign(left, right) => self.form("=", &[left, right]),
            ExprKind::AssignOp(op, left, right) => {
                let head = format!("{}=", op.text());
                self.form(&head, &[left, right]);
            }
            ExprKind::Swap(left, right) => self.form(":=:", &[left, right]),
            ExprKind::Comma(left, right) => self.form(",", &[left, right]),
            ExprKind::Call(callee, args) => {
                self.put("(call ");
                self.expr(callee);
                for arg in args {
                    self.put(" ");
                    self.expr(arg);
                }
                self.put(")");
            }
            ExprKind::Index(left, index) => self.form("index", &[left, index]),
            ExprKind::Member(left, name) => {
                self.form(&format!(".{}", name.name), &[left]);
            }
            ExprKind::Arrow(left, name) => {
                self.form(&format!("->{}", name.name), &[left]);
            }
            _ => self.rarer_expr(expr),
        }
    }

    /// `(head type …)`.
    fn type_form(&mut self, head: &str, ty: &crate::TypeName) {
        self.put("(");
        self.put(head);
        self.put(" ");
        self.type_name(ty);
    }

    fn rarer_expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Cast(ty, operand) => {
                self.type_form("cast", ty);
                self.put(" ");
                self.expr(operand);
                self.put(")");
            }
            ExprKind::SizeofExpr(operand) => self.form("sizeof", &[operand]),
            ExprKind::AlignofExpr(operand) => self.form("alignof", &[operand]),
            ExprKind::SizeofType(ty) => {
                self.type_form("sizeof-type", ty);
                self.put(")");
            }
            ExprKind::AlignofType(ty) => {
                self.type_form("alignof-type", ty);
                self.put(")");
            }
            ExprKind::Offsetof(ty, path) => {
                self.type_form("offsetof", ty);
                self.put(" ");
                self.designators(path);
                self.put(")");
            }
            ExprKind::CompoundLiteral(ty, list) => {
                self.type_form("literal", ty);
                self.put(" ");
                self.init_list(list);
                self.put(")");
            }
            ExprKind::Generic(subject, arms) => {
                self.put("(generic ");
                self.expr(subject);
                for arm in arms {
                    self.put(" (");
                    match &arm.ty {
                        Some(ty) => self.type_name(ty),
                        None => self.put("default"),
                    }
                    self.put(" ");
                    self.expr(&arm.expr);
                    self.put(")");
                }
                self.put(")");
            }
            ExprKind::StmtExpr(block) => {
                self.put("(block\n");
                self.indented(|dump| dump.block(block));
                self.start_line();
                self.put(")");
            }
            ExprKind::Tuple(parts) => self.list(("($ ", " ", ")"), parts, Self::expr),
            ExprKind::New(new) => self.new_expr(new),
            ExprKind::Comprehension(each) => {
                self.put("(for ");
                self.ident(&each.var);
                self.put(" ");
                self.expr(&each.bound);
                self.put(" ");
                self.init(&each.body);
                self.put(")");
            }
            ExprKind::Throw(value) => self.form("throw", &[value]),
            ExprKind::Valueof(var) => {
                self.put("(valueof ");
                self.tyvar(var);
                self.put(")");
            }
            ExprKind::Numelts(operand) => self.form("numelts", &[operand]),
            ExprKind::Tagcheck(operand) => self.form("tagcheck", &[operand]),
            ExprKind::Assert(cond) => self.form("assert", &[cond]),
            ExprKind::VaArg(list, ty) => {
                self.type_form("va_arg", ty);
                self.put(" ");
                self.expr(list);
                self.put(")");
            }
            ExprKind::BuiltinTypes(name, types) => {
                self.put_fmt(format_args!("({name}"));
                for ty in types {
                    self.put(" ");
                    self.type_name(ty);
                }
                self.put(")");
            }
            ExprKind::Init(list) => self.init_list(list),
            ExprKind::Unsupported(what) => self.put_fmt(format_args!("(unsupported {what})")),
            // `expr` prints the rest; an error is all that remains.
            _ => self.put("<error>"),
        }
    }

    fn new_expr(&mut self, new: &NewExpr) {
        self.put("(new");
        if let Some(region) = &new.region {
            self.put(" region:");
            self.expr(region);
        }
        if let Some(qual) = &new.qual {
            self.put(" qual:");
            self.expr(qual);
        }
        self.put(" ");
        self.init(&new.init);
        self.put(")");
    }

    pub(super) fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(expr) => self.expr(expr),
            Init::List(list) => self.init_list(list),
        }
    }

    fn init_list(&mut self, list: &InitList) {
        self.list(("{", ", ", "}"), &list.items, |dump, item| {
            if !item.designators.is_empty() {
                dump.designators(&item.designators);
                dump.put(" = ");
            }
            dump.init(&item.value);
        });
    }

    fn designators(&mut self, list: &[Designator]) {
        for designator in list {
            match designator {
                Designator::Field(name) => self.put_fmt(format_args!(".{}", name.name)),
                Designator::Index(index) => {
                    self.put("[");
                    self.expr(index);
                    self.put("]");
                }
                Designator::Range(first, last) => {
                    self.put("[");
                    self.expr(first);
                    self.put(" ... ");
                    self.expr(last);
                    self.put("]");
                }
            }
        }
    }

    pub(super) fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Wild => self.put("_"),
            PatKind::Rest => self.put("..."),
            PatKind::Name(path) => self.path(path),
            PatKind::As(name, inner) => {
                self.put_fmt(format_args!("(as {} ", name.name));
                self.pat(inner);
                self.put(")");
            }
            PatKind::Typed(ty, name) => {
                self.put_fmt(format_args!("(var {} ", name.name));
                self.type_name(ty);
                self.put(")");
            }
            PatKind::Ref(name) => self.put_fmt(format_args!("(ref {})", name.name)),
            PatKind::AddrOf(inner) => {
                self.put("(& ");
                self.pat(inner);
                self.put(")");
            }
            PatKind::Null => self.put("null"),
            PatKind::Const(value) => {
                self.put("(const ");
                self.expr(value);
                self.put(")");
            }
            PatKind::Range(first, last) => self.form("range", &[first, last]),
            PatKind::Tuple(parts) => self.list(("($ ", " ", ")"), parts, Self::pat),
            PatKind::Variant(path, exists, parts) => {
                self.put("(variant ");
                self.path(path);
                self.tyvars(exists);
                for part in parts {
                    self.put(" ");
                    self.pat(part);
                }
                self.put(")");
            }
            PatKind::Record(path, exists, fields) => {
                self.put("(record");
                if let Some(path) = path {
                    self.put(" ");
                    self.path(path);
                }
                self.tyvars(exists);
                for field in fields {
                    self.put(" ");
                    if let Some(name) = &field.name {
                        self.put_fmt(format_args!(".{}=", name.name));
                    }
                    self.pat(&field.pat);
                }
                self.put(")");
            }
            PatKind::Error => self.put("<error>"),
        }
    }
}
