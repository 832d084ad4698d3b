//! Traps: exceptions and how an uncaught one is reported.
//!
//! `exn` throws and delivers; `report` writes the message; `backtrace` collects return
//! addresses, which `elf`, `line` and `inline` turn into names and source lines; `signal` turns
//! stack overflows and faults into the same kind of message.

pub mod backtrace;
pub mod bytes;
pub mod elf;
pub mod exn;
pub mod inline;
pub mod line;
pub mod names;
pub mod report;
pub mod signal;
