//! The printer.

use super::sexp::quote;
use super::words::{BINARY, CASTS, COMPARE, INTS, LOCALS, REGIONS, TRAPS, UNARY, word};
use super::write_ty::{put, write_args, write_generic, write_ty};
use crate::*;
use toft_base::{BitSet, Span};

/// The body as text.
pub fn print<P: Phase>(body: &Body<P>) -> String {
    let mut p = Printer { out: String::new() };
    p.body(body);
    p.out
}

struct Printer {
    out: String,
}

macro_rules! w {
    ($self:ident, $($arg:tt)*) => { put(&mut $self.out, format_args!($($arg)*)) };
}

impl Printer {
    fn body<P: Phase>(&mut self, body: &Body<P>) {
        w!(self, "(body {} fn{} ", P::NAME, body.id.0);
        quote(&mut self.out, body.name.as_str());
        self.span(body.span);
        w!(self, " end");
        self.span(body.end);
        w!(self, "\n  (ret ");
        write_ty(&mut self.out, body.ret);
        w!(self, ")\n  (params {})\n  (checks {})\n", body.params, body.checks);
        if !body.generics.is_empty() {
            w!(self, "  (generics {}", body.own_generics);
            body.generics.iter().for_each(|param| write_generic(&mut self.out, param));
            w!(self, ")\n");
        }
        for region in body.regions.iter() {
            w!(self, "  (region ");
            match region.name {
                Some(name) => quote(&mut self.out, name.as_str()),
                None => w!(self, "-"),
            }
            match region.parent {
                Some(parent) => w!(self, " 'b{}", parent.0),
                None => w!(self, " -"),
            }
            w!(self, " {}", word(REGIONS, region.kind));
            self.span(region.span);
            w!(self, ")\n");
        }
        body.locals.iter_enumerated().for_each(|(id, decl)| self.local(id, decl));
        for frame in body.tries.iter() {
            w!(self, "  (try bb{}", frame.handler.0);
            if let Some(parent) = frame.parent {
                w!(self, " {}", parent.0);
            }
            w!(self, ")\n");
        }
        self.facts(&body.facts);
        for (id, block) in body.blocks.iter_enumerated() {
            w!(self, "  (bb{}", id.0);
            if let Some(unwind) = block.unwind {
                w!(self, " unwind bb{}", unwind.0);
            }
            for stmt in &block.stmts {
                w!(self, "\n    ");
                self.stmt(&stmt.kind);
                self.span(stmt.span);
            }
            w!(self, "\n    ");
            self.term(&block.term.kind);
            self.span(block.term.span);
            w!(self, ")\n");
        }
        w!(self, ")\n");
    }

    fn span(&mut self, span: Span) {
        if span != Span::NONE {
            w!(self, " @{}..{}", span.lo, span.hi);
        }
    }

    fn local(&mut self, id: LocalId, decl: &LocalDecl) {
        w!(self, "  (local ");
        match decl.name {
            Some(name) => quote(&mut self.out, name.as_str()),
            None => w!(self, "-"),
        }
        w!(self, " ");
        write_ty(&mut self.out, decl.ty);
        w!(self, " {}", word(LOCALS, decl.kind));
        self.span(decl.span);
        w!(self, " 'b{}", decl.region.0);
        if let Some(align) = decl.align {
            w!(self, " align {align}");
        }
        for (on, name) in [
            (decl.quals.is_const, " const"),
            (decl.quals.is_volatile, " volatile"),
            (decl.address_taken, " taken"),
            (decl.maybe_unused, " unused"),
        ] {
            if on {
                w!(self, "{name}");
            }
        }
        if let Some(refine) = decl.quals.refine {
            w!(self, " refine:{}", refine.index());
        }
        w!(self, ") ; _{}\n", id.0);
    }

    fn facts(&mut self, facts: &Facts) {
        for (name, set) in
            [("idle", &facts.idle), ("zero-fill", &facts.zero_fill), ("dead", &facts.dead)]
        {
            self.bits(name, set);
        }
    }

    fn bits(&mut self, name: &str, set: &BitSet) {
        if set.domain() == 0 {
            return;
        }
        w!(self, "  (fact {name} {}", set.domain());
        for bit in set.iter() {
            w!(self, " {bit}");
        }
        w!(self, ")\n");
    }

    fn place(&mut self, place: &Place) {
        if !place.proj.is_empty() {
            w!(self, "(");
        }
        match place.base {
            Base::Local(local) => w!(self, "_{}", local.0),
            Base::Global(global) => w!(self, "global{}", global.0),
        }
        for step in &place.proj {
            match step {
                Proj::Deref(index) => self.index(" *", index),
                Proj::Field(field) => w!(self, " .{field}"),
                Proj::Index(index) => self.index(" +", index),
                Proj::Variant(id, variant) => w!(self, " %{}.{variant}", id.0),
            }
        }
        if !place.proj.is_empty() {
            w!(self, ")");
        }
    }

    fn index(&mut self, sign: &str, index: &Index) {
        match index {
            Index::Const(n) => w!(self, "{sign}{n}"),
            Index::Local(local) => w!(self, "{sign}_{}", local.0),
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Copy(place) => {
                w!(self, "(copy ");
                self.place(place);
                w!(self, ")");
            }
            Operand::Move(place) => {
                w!(self, "(move ");
                self.place(place);
                w!(self, ")");
            }
            Operand::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&mut self, constant: &Const) {
        match &constant.kind {
            ConstKind::Int(value) => w!(self, "(const {value} "),
            ConstKind::Float(value) => w!(self, "(float {:#x} ", value.to_bits()),
            ConstKind::Null => w!(self, "(null "),
            ConstKind::Str { bytes, writable, .. } => {
                w!(self, "(str {bytes} {} ", if *writable { "writable" } else { "readonly" });
            }
            ConstKind::Func(id, _) => w!(self, "(func fn{} ", id.0),
            ConstKind::Exn(id, variant) => w!(self, "(exn {} {variant} ", id.0),
            ConstKind::Sizeof(ty) | ConstKind::Alignof(ty) => {
                let sizeof = matches!(constant.kind, ConstKind::Sizeof(_));
                w!(self, "({} ", if sizeof { "sizeof" } else { "alignof" });
                write_ty(&mut self.out, *ty);
                w!(self, " ");
            }
        }
        write_ty(&mut self.out, constant.ty);
        match &constant.kind {
            ConstKind::Func(_, args) => write_args(&mut self.out, args),
            ConstKind::Str { units, .. } => {
                w!(self, " ");
                if units.iter().all(|unit| (0x20..0x7f).contains(unit)) {
                    let text: String =
                        units.iter().filter_map(|&unit| char::from_u32(unit)).collect();
                    quote(&mut self.out, &text);
                } else {
                    w!(self, "(");
                    for (n, unit) in units.iter().enumerate() {
                        w!(self, "{}{unit}", if n == 0 { "" } else { " " });
                    }
                    w!(self, ")");
                }
            }
            _ => {}
        }
        w!(self, ")");
    }

    /// `(name operands...)`
    fn form(&mut self, name: &str, operands: &[&Operand]) {
        w!(self, "({name}");
        for operand in operands {
            w!(self, " ");
            self.operand(operand);
        }
        w!(self, ")");
    }

    fn operands(&mut self, list: &[Operand]) {
        w!(self, "(");
        for (n, operand) in list.iter().enumerate() {
            if n > 0 {
                w!(self, " ");
            }
            self.operand(operand);
        }
        w!(self, ")");
    }

    fn option(&mut self, operand: &Option<Operand>) {
        match operand {
            Some(operand) => self.operand(operand),
            None => w!(self, "-"),
        }
    }

    fn rvalue(&mut self, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(a) => self.operand(a),
            Rvalue::Ref(place) => {
                w!(self, "(ref ");
                self.place(place);
                w!(self, ")");
            }
            Rvalue::Unary(op, a) => self.form(word(UNARY, *op), &[a]),
            Rvalue::Binary(op, a, b) => self.form(word(BINARY, *op), &[a, b]),
            Rvalue::Compare(op, a, b) => self.form(word(COMPARE, *op), &[a, b]),
            Rvalue::Cast(cast, a, ty) => {
                w!(self, "(cast {} ", word(CASTS, *cast));
                self.operand(a);
                w!(self, " ");
                write_ty(&mut self.out, *ty);
                w!(self, ")");
            }
            Rvalue::MakeFat { base, len } => self.form("make-fat", &[base, len]),
            Rvalue::PtrAdd(a, b) => self.form("ptr-add", &[a, b]),
            Rvalue::PtrDiff(a, b) => self.form("ptr-diff", &[a, b]),
            Rvalue::FatLen(a) => self.form("fat-len", &[a]),
            Rvalue::ZtLen(a) => self.form("zt-len", &[a]),
            Rvalue::ViewFat(a) => self.form("view-fat", &[a]),
            Rvalue::Aggregate(fields) => {
                w!(self, "(aggregate");
                for (at, operand) in fields {
                    w!(self, " ({at} ");
                    self.operand(operand);
                    w!(self, ")");
                }
                w!(self, ")");
            }
            Rvalue::Variant(id, variant, fields) => {
                w!(self, "(variant {} {variant} ", id.0);
                self.operands(fields);
                w!(self, ")");
            }
            Rvalue::Alloc { elem, count, region, qual } => {
                w!(self, "(alloc ");
                write_ty(&mut self.out, *elem);
                w!(self, " ");
                self.option(count);
                w!(self, " ");
                self.option(region);
                if qual.is_some() {
                    w!(self, " ");
                    self.option(qual);
                }
                w!(self, ")");
            }
            Rvalue::IsVariant(place, id, variant) => {
                w!(self, "(is-variant ");
                self.place(place);
                w!(self, " {} {variant})", id.0);
            }
            Rvalue::IsMember(place, member) => {
                w!(self, "(is-member ");
                self.place(place);
                w!(self, " {member})");
            }
            Rvalue::VaArg(place, ty) => {
                w!(self, "(va-arg ");
                self.place(place);
                w!(self, " ");
                write_ty(&mut self.out, *ty);
                w!(self, ")");
            }
        }
    }

    fn stmt(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Nop => w!(self, "(nop)"),
            StmtKind::Assign(place, rvalue) => {
                w!(self, "(set ");
                self.place(place);
                w!(self, " ");
                self.rvalue(rvalue);
                w!(self, ")");
            }
            StmtKind::StorageLive(local) => w!(self, "(live _{})", local.0),
            StmtKind::StorageDead(local) => w!(self, "(dead _{})", local.0),
            StmtKind::Check(check) => {
                w!(self, "(check {} ", check.id.0);
                self.check(&check.kind);
                w!(self, ")");
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::SetTag(place, member) => {
                w!(self, "(set-tag ");
                self.place(place);
                w!(self, " {member})");
            }
            StmtKind::Alloca { local, elem, count } => {
                w!(self, "(alloca _{} ", local.0);
                write_ty(&mut self.out, *elem);
                w!(self, " ");
                self.operand(count);
                w!(self, ")");
            }
            StmtKind::Swap(a, b) => {
                w!(self, "(swap ");
                self.place(a);
                w!(self, " ");
                self.place(b);
                w!(self, ")");
            }
            StmtKind::TryPush(id) => w!(self, "(try-push {})", id.0),
            StmtKind::TryPop(id) => w!(self, "(try-pop {})", id.0),
            StmtKind::Catch(id, local) => w!(self, "(catch {} _{})", id.0, local.0),
            StmtKind::RegionEnter { region, handle, open } => {
                w!(self, "(region-enter 'b{} _{} ", region.0, handle.0);
                self.option(open);
                w!(self, ")");
            }
            StmtKind::RegionExit(region) => w!(self, "(region-exit 'b{})", region.0),
            StmtKind::BorrowEnter { region, local, from } => {
                w!(self, "(borrow-enter 'b{} _{} ", region.0, local.0);
                self.place(from);
                w!(self, ")");
            }
            StmtKind::BorrowExit(region) => w!(self, "(borrow-exit 'b{})", region.0),
            StmtKind::GiveBack { to, from } => {
                w!(self, "(give-back ");
                self.place(to);
                w!(self, " _{})", from.0);
            }
            StmtKind::Consume(place) => {
                w!(self, "(consume ");
                self.place(place);
                w!(self, ")");
            }
        }
    }

    fn call(&mut self, call: &Call) {
        w!(self, "(call ");
        match &call.dest {
            Some(place) => self.place(place),
            None => w!(self, "-"),
        }
        match &call.callee {
            Callee::Func(id, args) => {
                w!(self, " (fn{}", id.0);
                write_args(&mut self.out, args);
                w!(self, ") ");
            }
            Callee::Ptr(operand) => {
                w!(self, " (through ");
                self.operand(operand);
                w!(self, ") ");
            }
            Callee::Gnu(name) => {
                w!(self, " (gnu ");
                quote(&mut self.out, name.as_str());
                w!(self, ") ");
            }
            Callee::Runtime(name) => {
                w!(self, " (runtime ");
                quote(&mut self.out, name);
                w!(self, ") ");
            }
        }
        self.operands(&call.args);
        w!(self, " ");
        self.operands(&call.varargs);
        for (on, name) in [(call.noreturn, " noreturn"), (call.suspends, " suspends")] {
            if on {
                w!(self, "{name}");
            }
        }
        w!(self, ")");
    }

    fn check(&mut self, check: &CheckKind) {
        match check {
            CheckKind::NotNull(a) => self.form("not-null", &[a]),
            CheckKind::Index { index, len } => self.form("index", &[index, len]),
            CheckKind::FatIndex { ptr, index } => self.form("fat-index", &[ptr, index]),
            CheckKind::ZtIndex { ptr, index, known } => {
                self.counted(&format!("zt-index {known}"), &[ptr, index]);
            }
            CheckKind::ZtWrite { ptr, index, value, known } => {
                self.counted(&format!("zt-write {known}"), &[ptr, index, value]);
            }
            CheckKind::ZtAdd { ptr, index, known } => {
                self.counted(&format!("zt-add {known}"), &[ptr, index]);
            }
            CheckKind::FatAtLeast { ptr, need, null_ok } => {
                let name = if *null_ok { "fat-at-least null-ok" } else { "fat-at-least" };
                self.form(name, &[ptr, need]);
            }
            CheckKind::NonZero(a) => self.form("non-zero", &[a]),
            CheckKind::Shift { count, bits } => self.counted(&format!("shift {bits}"), &[count]),
            CheckKind::FloatFits { value, to } => {
                self.counted(&format!("float-fits {}", word(INTS, *to)), &[value]);
            }
            CheckKind::NoOverflow { op, left, right } => {
                self.counted(&format!("no-overflow {}", word(BINARY, *op)), &[left, right]);
            }
            CheckKind::Tag { place, field } => {
                w!(self, "(tag ");
                self.place(place);
                w!(self, " {field})");
            }
            CheckKind::Count { count, elem } => {
                w!(self, "(count ");
                self.operand(count);
                w!(self, " ");
                write_ty(&mut self.out, *elem);
                w!(self, ")");
            }
            CheckKind::Assert { cond, text, at, judge } => {
                w!(self, "({} ", if *judge { "judge" } else { "assert" });
                self.operand(cond);
                w!(self, " ");
                quote(&mut self.out, text.as_str());
                self.span(*at);
                w!(self, ")");
            }
        }
    }

    fn counted(&mut self, name: &str, operands: &[&Operand]) {
        self.form(name, operands);
    }

    fn term(&mut self, term: &TermKind) {
        match term {
            TermKind::Goto(to) => w!(self, "(goto bb{})", to.0),
            TermKind::If(cond, yes, no) => {
                w!(self, "(if ");
                self.operand(cond);
                w!(self, " bb{} bb{})", yes.0, no.0);
            }
            TermKind::Switch { on, cases, default } => {
                w!(self, "(switch ");
                self.operand(on);
                for (lo, hi, to) in cases {
                    w!(self, " ({lo} {hi} bb{})", to.0);
                }
                w!(self, " bb{})", default.0);
            }
            TermKind::Return(None) => w!(self, "(return)"),
            TermKind::Return(Some(a)) => self.form("return", &[a]),
            TermKind::Throw(a) => self.form("throw", &[a]),
            TermKind::Rethrow(local) => w!(self, "(rethrow _{})", local.0),
            TermKind::Trap(trap) => w!(self, "(trap {})", word(TRAPS, *trap)),
            TermKind::Unreachable => w!(self, "(unreachable)"),
        }
    }
}
