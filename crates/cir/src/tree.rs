//! Expressions and statements: declarations only, and their constructors.

use std::rc::Rc;

/// Text shared between nodes: names and types.
pub type Text = Rc<str>;

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A name, a literal, or any text that binds like one.
    Atom(Text),
    /// A negative literal: binds like a unary operator.
    Minus(Text),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Text, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Member(Box<Expr>, Text),
    Index(Box<Expr>, Box<Expr>),
    /// `(T){…}`
    Compound(Text, Vec<Init>),
    /// `{…}`, inside initialisers.
    Braces(Vec<Init>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Init {
    pub at: Designator,
    pub value: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    Next,
    Field(Text),
    Index(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnOp {
    Neg,
    BitNot,
    Not,
    Deref,
    Addr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    AndAnd,
    OrOr,
    Comma,
}

/// A file (an index into the printer's table) and line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub file: u32,
    /// 0: no line of its own.
    pub line: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub line: Line,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    Expr(Expr),
    Assign(Expr, Expr),
    /// Any text that is one or several whole statements.
    Text(Text),
    Block(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (;;)`
    Loop(Vec<Stmt>),
    /// Ranges are inclusive. Each group of labels has statements that end in a jump.
    Switch(Expr, Vec<(Vec<Case>, Vec<Stmt>)>),
    Label(u32),
    Goto(u32),
    Break,
    Continue,
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Case {
    One(Text),
    Range(Text, Text),
    Default,
}

impl Expr {
    pub fn atom(text: impl Into<Text>) -> Expr {
        Expr::Atom(text.into())
    }

    pub fn cast(ty: impl Into<Text>, inner: Expr) -> Expr {
        Expr::Cast(ty.into(), Box::new(inner))
    }

    pub fn call(name: &str, args: Vec<Expr>) -> Expr {
        Expr::Call(Box::new(Expr::atom(name)), args)
    }

    pub fn member(self, name: impl Into<Text>) -> Expr {
        Expr::Member(Box::new(self), name.into())
    }

    pub fn index(self, index: Expr) -> Expr {
        Expr::Index(Box::new(self), Box::new(index))
    }

    pub fn bin(op: BinOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn un(op: UnOp, inner: Expr) -> Expr {
        Expr::Unary(op, Box::new(inner))
    }

    /// `*self`, or what it was the address of.
    pub fn deref(self) -> Expr {
        match self {
            Expr::Unary(UnOp::Addr, inner) => *inner,
            other => Expr::un(UnOp::Deref, other),
        }
    }

    /// `&self`, or what it points at.
    pub fn addr(self) -> Expr {
        match self {
            Expr::Unary(UnOp::Deref, inner) => *inner,
            Expr::Index(base, index) => Expr::bin(BinOp::Add, *base, *index),
            other => Expr::un(UnOp::Addr, other),
        }
    }

    /// The logical opposite.
    pub fn negate(self) -> Expr {
        use BinOp::*;
        match self {
            Expr::Unary(UnOp::Not, inner) => *inner,
            Expr::Binary(Eq, a, b) => Expr::Binary(Ne, a, b),
            Expr::Binary(Ne, a, b) => Expr::Binary(Eq, a, b),
            other => Expr::un(UnOp::Not, other),
        }
    }

    /// Nodes on the longest way down, counted up to `limit`.
    pub fn depth(&self, limit: u32) -> u32 {
        if limit == 0 {
            return 0;
        }
        let down = |inner: &Expr| inner.depth(limit - 1);
        1 + match self {
            Expr::Atom(_) | Expr::Minus(_) => 0,
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Member(a, _) => down(a),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => down(a).max(down(b)),
            Expr::Cond(a, b, c) => down(a).max(down(b)).max(down(c)),
            Expr::Call(f, args) => args.iter().map(down).max().unwrap_or(0).max(down(f)),
            Expr::Compound(_, list) | Expr::Braces(list) => {
                list.iter().map(|init| down(&init.value)).max().unwrap_or(0)
            }
        }
    }
}

impl Init {
    pub fn next(value: Expr) -> Init {
        Init { at: Designator::Next, value }
    }

    pub fn field(name: impl Into<Text>, value: Expr) -> Init {
        Init { at: Designator::Field(name.into()), value }
    }
}

impl BinOp {
    pub fn text(self) -> &'static str {
        use BinOp::*;
        match self {
            Mul => "*",
            Div => "/",
            Rem => "%",
            Add => "+",
            Sub => "-",
            Shl => "<<",
            Shr => ">>",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            Eq => "==",
            Ne => "!=",
            And => "&",
            Xor => "^",
            Or => "|",
            AndAnd => "&&",
            OrOr => "||",
            Comma => ",",
        }
    }
}

impl Stmt {
    pub fn new(kind: StmtKind, line: Line) -> Stmt {
        Stmt { kind, line }
    }

    /// Whether control never passes the end of this statement.
    pub fn diverges(&self) -> bool {
        match &self.kind {
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
            StmtKind::Block(list) => diverges(list),
            StmtKind::If(_, yes, no) => diverges(yes) && diverges(no),
            _ => false,
        }
    }
}

/// Whether control never passes the end of the list.
pub fn diverges(list: &[Stmt]) -> bool {
    list.last().is_some_and(Stmt::diverges)
}
