//! MIR in a few words per statement, for the tests of this crate.

use toft_base::Idx;
use toft_mir::*;

pub fn dump(body: &Body<Built>) -> String {
    let mut out = String::new();
    for (id, block) in body.blocks.iter_enumerated() {
        out += &format!("{id}");
        if let Some(handler) = block.unwind {
            out += &format!(" !{handler}");
        }
        out += ":";
        for stmt in &block.stmts {
            out += &format!(" {};", self::stmt(body, &stmt.kind));
        }
        out += &format!(" {}\n", term(body, &block.term.kind));
    }
    out
}

fn local(body: &Body<Built>, id: LocalId) -> String {
    match body.locals[id].name {
        Some(name) => name.to_string(),
        None => format!("t{}", id.index()),
    }
}

fn place(body: &Body<Built>, place: &Place) -> String {
    let mut text = match place.base {
        Base::Local(id) => local(body, id),
        Base::Global(id) => format!("{id}"),
    };
    let at = |index: &Index| match index {
        Index::Const(n) => n.to_string(),
        Index::Local(id) => local(body, *id),
    };
    for step in &place.proj {
        match step {
            Proj::Deref(index) => text = format!("{text}->[{}]", at(index)),
            Proj::Field(n) => text += &format!(".{n}"),
            Proj::Index(index) => text += &format!("[{}]", at(index)),
            Proj::Variant(_, n) => text += &format!(" as {n}"),
        }
    }
    text
}

fn op(body: &Body<Built>, op: &Operand) -> String {
    match op {
        Operand::Copy(p) | Operand::Move(p) => place(body, p),
        Operand::Const(c) => match &c.kind {
            ConstKind::Int(n) => n.to_string(),
            ConstKind::Null => "null".into(),
            ConstKind::Func(id, _) => format!("{id}"),
            other => format!("{other:?}"),
        },
    }
}

fn value(body: &Body<Built>, value: &Rvalue) -> String {
    let op = |o: &Operand| self::op(body, o);
    match value {
        Rvalue::Use(a) => op(a),
        Rvalue::Ref(p) => format!("&{}", place(body, p)),
        Rvalue::Unary(u, a) => format!("{u:?} {}", op(a)),
        Rvalue::Binary(b, x, y) => format!("{} {b:?} {}", op(x), op(y)),
        Rvalue::Compare(c, x, y) => format!("{} {c:?} {}", op(x), op(y)),
        Rvalue::Cast(c, a, _) => format!("{c:?} {}", op(a)),
        Rvalue::MakeFat { base, len } => format!("fat {} {}", op(base), op(len)),
        Rvalue::Aggregate(list) => {
            let list: Vec<String> = list.iter().map(|(n, o)| format!("{n}:{}", op(o))).collect();
            format!("{{{}}}", list.join(" "))
        }
        Rvalue::IsVariant(p, _, n) => format!("{} is {n}", place(body, p)),
        other => format!("{other:?}"),
    }
}

fn stmt(body: &Body<Built>, kind: &StmtKind) -> String {
    match kind {
        StmtKind::Assign(p, v) => format!("{} = {}", place(body, p), value(body, v)),
        StmtKind::StorageLive(l) => format!("live {}", local(body, *l)),
        StmtKind::StorageDead(l) => format!("dead {}", local(body, *l)),
        StmtKind::Call(call) => {
            let args: Vec<String> = call.args.iter().map(|a| op(body, a)).collect();
            let dest = call.dest.as_ref().map(|d| format!("{} = ", place(body, d)));
            let callee = match &call.callee {
                Callee::Func(id, _) => format!("{id}"),
                other => format!("{other:?}"),
            };
            format!("{}{callee}({})", dest.unwrap_or_default(), args.join(", "))
        }
        StmtKind::Check(check) => match &check.kind {
            CheckKind::NotNull(p) => format!("check {} notnull", op(body, p)),
            CheckKind::Index { index, len } => {
                format!("check {} < {}", op(body, index), op(body, len))
            }
            CheckKind::FatIndex { ptr, index } => {
                format!("check {}[{}]", op(body, ptr), op(body, index))
            }
            CheckKind::NonZero(a) => format!("check {} != 0", op(body, a)),
            other => format!("check {other:?}"),
        },
        StmtKind::TryPush(id) => format!("push {id}"),
        StmtKind::TryPop(id) => format!("pop {id}"),
        StmtKind::Catch(id, l) => format!("catch {id} {}", local(body, *l)),
        other => format!("{other:?}"),
    }
}

fn term(body: &Body<Built>, kind: &TermKind) -> String {
    match kind {
        TermKind::Goto(to) => format!("goto {to}"),
        TermKind::If(c, yes, no) => format!("if {} {yes} {no}", op(body, c)),
        TermKind::Switch { on, cases, default } => {
            let cases: Vec<String> =
                cases.iter().map(|(lo, hi, to)| format!("{lo}..{hi}:{to}")).collect();
            format!("switch {} {} else {default}", op(body, on), cases.join(" "))
        }
        TermKind::Return(None) => "return".into(),
        TermKind::Return(Some(o)) => format!("return {}", op(body, o)),
        TermKind::Throw(o) => format!("throw {}", op(body, o)),
        TermKind::Rethrow(l) => format!("rethrow {}", local(body, *l)),
        other => format!("{other:?}"),
    }
}
