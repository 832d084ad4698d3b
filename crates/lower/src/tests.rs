//! Tests on hand-made trees: order of evaluation, exits from `try`, `switch`, patterns.

mod dump;
mod flow;
mod make;
mod order;
