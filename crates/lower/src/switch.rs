//! C's `switch`: cases may stand anywhere in its body.

use crate::builder::Lower;
use crate::scope::{Jump, NodeId};
use toft_base::Span;
use toft_mir::{BlockId, TermKind};
use toft_tir::{Expr, JumpId, Stmt};

/// A `switch` whose body is being lowered.
pub(crate) struct SwitchCx {
    cases: Vec<(i128, i128, BlockId)>,
    default: Option<BlockId>,
    node: NodeId,
}

impl Lower<'_> {
    pub fn switch(&mut self, jump: JumpId, on: &Expr, body: &Stmt, span: Span) {
        let on = self.operand(on);
        let head = self.cur.take();
        let exit = self.new_block();
        let node = self.node;
        self.set_jump(jump, Jump { exit, again: None, node });
        self.switches.push(SwitchCx { cases: Vec::new(), default: None, node });
        self.stmt(body);
        self.goto(span, exit);
        self.node = node;
        let cx = self.switches.pop();
        if let (Some(head), Some(cx)) = (head, cx) {
            let default = cx.default.unwrap_or(exit);
            let kind = match cx.cases.is_empty() {
                true => TermKind::Goto(default),
                false => TermKind::Switch { on, cases: cx.cases, default },
            };
            self.close(head, span, kind);
        }
        self.start(exit);
    }

    /// `case lo ... hi:`, or `default:`.
    pub fn case(&mut self, range: Option<(i128, i128)>, span: Span) {
        let block = self.new_block();
        self.goto(span, block);
        self.mark_target(block);
        self.start_always(block);
        let Some(from) = self.switches.last().map(|cx| cx.node) else { return };
        let entry = self.edge(from, block, self.node, span);
        if let Some(cx) = self.switches.last_mut() {
            match range {
                Some((lo, hi)) => cx.cases.push((lo, hi, entry)),
                None => cx.default = Some(entry),
            }
        }
    }
}
