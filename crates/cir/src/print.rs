//! The printer: minimal parentheses (and those that keep compilers from warning), two-space
//! indents, `#line` only where the line is not the one that would follow by itself.

use crate::lit;
use crate::tree::*;
use std::fmt::Write;

/// Prints into a buffer and knows which source line the C compiler believes it is at.
pub struct Printer<'a> {
    pub out: String,
    files: &'a [String],
    at: Line,
    indent: usize,
    /// The line being written is to be ended, unless what follows belongs to it.
    ended: bool,
}

/// How strongly an expression binds.
type Prec = u8;
const COMMA: Prec = 1;
const ASSIGN: Prec = 2;
const COND: Prec = 3;
const UNARY: Prec = 14;
const POSTFIX: Prec = 15;

fn prec(op: BinOp) -> Prec {
    use BinOp::*;
    match op {
        Comma => COMMA,
        OrOr => 4,
        AndAnd => 5,
        Or => 6,
        Xor => 7,
        And => 8,
        Eq | Ne => 9,
        Lt | Le | Gt | Ge => 10,
        Shl | Shr => 11,
        Add | Sub => 12,
        Mul | Div | Rem => 13,
    }
}

impl<'a> Printer<'a> {
    /// `files` are the names that `Line::file` refers to.
    pub fn new(files: &'a [String]) -> Self {
        Printer { out: String::new(), files, at: Line::default(), indent: 0, ended: false }
    }

    /// Ends the line, as soon as something follows that belongs to another one.
    fn newline(&mut self) {
        self.ended = true;
    }

    fn break_line(&mut self) {
        if std::mem::take(&mut self.ended) {
            self.out.push('\n');
            self.at.line = self.at.line.saturating_add(u32::from(self.at.line != 0));
        }
    }

    /// Before text of no line of its own: a new line when lines are not kept, else a space.
    fn separate(&mut self) {
        if self.at.line == 0 {
            self.break_line();
        }
        if self.out.ends_with('\n') {
            self.pad();
        } else if std::mem::take(&mut self.ended) {
            self.out.push(' ');
        }
    }

    fn pad(&mut self) {
        const SPACES: &str = "                                ";
        self.out.push_str(&SPACES[..(self.indent * 2).min(SPACES.len())]);
    }

    /// Text at file level or in a function, whole lines.
    pub fn text(&mut self, text: &str) {
        self.break_line();
        self.raw(text);
    }

    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
        if self.at.line != 0 {
            let lines = text.bytes().filter(|&byte| byte == b'\n').count() as u32;
            self.at.line = self.at.line.saturating_add(lines);
        }
    }

    /// Makes the next line count as `line`.
    pub fn line(&mut self, line: Line) {
        if line.line == 0 || line == self.at {
            return;
        }
        self.break_line();
        if line == self.at {
            return;
        }
        if line.file == self.at.file && self.at.line != 0 {
            let _ = writeln!(self.out, "#line {}", line.line);
        } else {
            let name = self.files.get(line.file as usize).map_or("", String::as_str);
            let _ = writeln!(self.out, "#line {} {}", line.line, lit::string(name.as_bytes()));
        }
        self.at = line;
    }

    /// Statements of a function's body, one level in.
    pub fn inside(&mut self, list: &[Stmt]) {
        self.indent += 1;
        self.stmts(list);
        self.indent -= 1;
    }

    fn stmts(&mut self, list: &[Stmt]) {
        for stmt in list {
            self.stmt(stmt);
        }
    }

    pub fn body(&mut self, list: &[Stmt]) {
        self.out.push('{');
        self.newline();
        self.indent += 1;
        self.stmts(list);
        self.indent -= 1;
        self.separate();
        self.out.push('}');
    }

    pub fn stmt(&mut self, stmt: &Stmt) {
        self.line(stmt.line);
        self.separate();
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.expr(expr, 0);
                self.out.push(';');
            }
            StmtKind::Assign(to, value) => {
                self.expr(to, UNARY);
                self.out.push_str(" = ");
                self.expr(value, ASSIGN);
                self.out.push(';');
            }
            StmtKind::Text(text) => self.raw(text),
            StmtKind::Block(list) => self.body(list),
            StmtKind::If(cond, yes, no) => {
                self.out.push_str("if (");
                self.expr(cond, 0);
                self.out.push_str(") ");
                self.body(yes);
                if !no.is_empty() {
                    self.out.push_str(" else ");
                    self.body(no);
                }
            }
            StmtKind::Loop(list) => {
                self.out.push_str("for (;;) ");
                self.body(list);
            }
            StmtKind::Switch(on, arms) => self.switch(on, arms),
            StmtKind::Label(id) => {
                let _ = write!(self.out, "L{id}:;");
            }
            StmtKind::Goto(id) => {
                let _ = write!(self.out, "goto L{id};");
            }
            StmtKind::Break => self.out.push_str("break;"),
            StmtKind::Continue => self.out.push_str("continue;"),
            StmtKind::Return(None) => self.out.push_str("return;"),
            StmtKind::Return(Some(value)) => {
                self.out.push_str("return ");
                self.expr(value, 0);
                self.out.push(';');
            }
        }
        self.newline();
    }

    fn switch(&mut self, on: &Expr, arms: &[(Vec<Case>, Vec<Stmt>)]) {
        self.out.push_str("switch (");
        self.expr(on, 0);
        self.out.push_str(") {");
        self.newline();
        for (labels, list) in arms {
            self.separate();
            for label in labels {
                let _ = match label {
                    Case::One(value) => write!(self.out, "case {value}: "),
                    Case::Range(low, high) => write!(self.out, "case {low} ... {high}: "),
                    Case::Default => write!(self.out, "default: "),
                };
            }
            self.body(list);
            self.newline();
        }
        self.separate();
        self.out.push('}');
    }

    /// Prints with parentheses when `expr` binds less strongly than `min`.
    pub fn expr(&mut self, expr: &Expr, min: Prec) {
        let own = match expr {
            Expr::Atom(_) | Expr::Call(..) | Expr::Member(..) | Expr::Index(..) => POSTFIX,
            Expr::Compound(..) | Expr::Braces(_) => POSTFIX,
            Expr::Unary(..) | Expr::Cast(..) | Expr::Minus(_) => UNARY,
            Expr::Binary(op, ..) => prec(*op),
            Expr::Cond(..) => COND,
        };
        if own < min {
            self.out.push('(');
            self.bare(expr);
            self.out.push(')');
        } else {
            self.bare(expr);
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match expr {
            Expr::Atom(text) => self.out.push_str(text),
            Expr::Minus(text) => {
                self.out.push('-');
                self.out.push_str(text);
            }
            Expr::Unary(op, inner) => self.unary(*op, inner),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Cond(cond, yes, no) => {
                self.expr(cond, COND + 1);
                self.out.push_str(" ? ");
                self.expr(yes, COND);
                self.out.push_str(" : ");
                self.expr(no, COND);
            }
            Expr::Cast(ty, inner) => {
                self.out.push('(');
                self.out.push_str(ty);
                self.out.push(')');
                self.expr(inner, UNARY);
            }
            Expr::Call(callee, args) => {
                self.expr(callee, POSTFIX);
                self.out.push('(');
                self.list(args);
                self.out.push(')');
            }
            Expr::Member(inner, name) => {
                if let Expr::Unary(UnOp::Deref, pointer) = &**inner {
                    self.expr(pointer, POSTFIX);
                    self.out.push_str("->");
                } else {
                    self.expr(inner, POSTFIX);
                    self.out.push('.');
                }
                self.out.push_str(name);
            }
            Expr::Index(base, index) => {
                self.expr(base, POSTFIX);
                self.out.push('[');
                self.expr(index, 0);
                self.out.push(']');
            }
            Expr::Compound(ty, list) => {
                self.out.push('(');
                self.out.push_str(ty);
                self.out.push(')');
                self.braces(list);
            }
            Expr::Braces(list) => self.braces(list),
        }
    }

    fn unary(&mut self, op: UnOp, inner: &Expr) {
        self.out.push(match op {
            UnOp::Neg => '-',
            UnOp::BitNot => '~',
            UnOp::Not => '!',
            UnOp::Deref => '*',
            UnOp::Addr => '&',
        });
        // `- -x` and `& &x` must not become other tokens.
        let clash = matches!(
            (op, inner),
            (UnOp::Neg, Expr::Minus(_) | Expr::Unary(UnOp::Neg, _))
                | (UnOp::Addr, Expr::Unary(UnOp::Addr, _))
        );
        self.expr(inner, if clash { POSTFIX + 1 } else { UNARY });
    }

    fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr) {
        let own = prec(op);
        // Mixed bit, shift and logic operators get the parentheses compilers ask for.
        let fussy = matches!(own, 4..=9 | 11);
        let min = |side: &Expr| match side {
            Expr::Binary(inner, ..) if fussy && *inner != op => UNARY,
            _ => own,
        };
        self.expr(left, min(left));
        if op != BinOp::Comma {
            self.out.push(' ');
        }
        self.out.push_str(op.text());
        self.out.push(' ');
        self.expr(right, min(right).max(own + 1));
    }

    fn list(&mut self, args: &[Expr]) {
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, ASSIGN);
        }
    }

    fn braces(&mut self, list: &[Init]) {
        self.out.push('{');
        for (n, init) in list.iter().enumerate() {
            if n > 0 {
                self.raw(if n % 16 == 0 { ",\n" } else { ", " });
            }
            match &init.at {
                Designator::Next => {}
                Designator::Field(name) => {
                    let _ = write!(self.out, ".{name} = ");
                }
                Designator::Index(index) => {
                    let _ = write!(self.out, "[{index}] = ");
                }
            }
            self.expr(&init.value, ASSIGN);
        }
        self.out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(expr: &Expr) -> String {
        let mut printer = Printer::new(&[]);
        printer.expr(expr, 0);
        printer.out
    }

    fn a() -> Expr {
        Expr::atom("a")
    }

    #[test]
    fn precedence() {
        let sum = Expr::bin(BinOp::Add, a(), Expr::atom("b"));
        assert_eq!(show(&Expr::bin(BinOp::Mul, sum.clone(), a())), "(a + b) * a");
        assert_eq!(show(&Expr::bin(BinOp::Sub, a(), sum.clone())), "a - (a + b)");
        assert_eq!(show(&Expr::bin(BinOp::Sub, sum.clone(), a())), "a + b - a");
        assert_eq!(show(&Expr::bin(BinOp::Shl, sum.clone(), a())), "(a + b) << a");
        assert_eq!(show(&Expr::cast("int", sum.clone())), "(int)(a + b)");
        assert_eq!(show(&Expr::cast("int", a()).member("f")), "((int)a).f");
        assert_eq!(show(&a().deref().member("f").index(sum)), "a->f[a + b]");
        let comma = Expr::bin(BinOp::Comma, a(), a());
        assert_eq!(show(&Expr::call("f", vec![comma])), "f((a, a))");
        assert_eq!(show(&Expr::un(UnOp::Neg, Expr::Minus("1".into()))), "-(-1)");
        assert_eq!(show(&a().index(Expr::atom("1")).addr()), "a + 1");
    }

    #[test]
    fn strings() {
        assert_eq!(lit::string(b"a\"\\\n\x01??/9"), "\"a\\\"\\\\\\n\\001?\\?/9\"");
        assert_eq!(lit::float(0.1, ""), "1e-1");
        assert_eq!(lit::float(-0.0, "f"), "(-0e0f)");
    }

    #[test]
    fn lines() {
        let files = vec!["x.toft".to_string()];
        let mut printer = Printer::new(&files);
        let at = |line| Line { file: 0, line };
        for line in [3, 4, 4, 9] {
            printer.stmt(&Stmt::new(StmtKind::Expr(a()), at(line)));
        }
        printer.text("");
        let text = "#line 3 \"x.toft\"\na;\na; a;\n#line 9\na;\n";
        assert_eq!(printer.out, text);
    }
}
