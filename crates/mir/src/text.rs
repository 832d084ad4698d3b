//! MIR as text, and back.
//!
//! The text is a list of parenthesised forms, complete and deterministic: what is printed
//! reads back as an equal body. The reader also takes shorter forms, for tests: spans, flags
//! and parts of pointer types may be left out and get their defaults.
//!
//! ```text
//! (body built fn0 "first" @10..80 end @79..80
//!   (ret int)
//!   (params 1)
//!   (checks 1)
//!   (regions (- - block @10..80))
//!   (local "p" (ptr int 'p0 \A null thin #1) param @20..21 region 'b0)
//!   (bb0
//!     (check 0 (notnull (copy _0))) @40..42
//!     (return (copy (_0 *0))) @40..42))
//! ```
//!
//! Places: `_3`, `global2`, or a list of one and its steps: `*0` `*_4` (deref, with index),
//! `.2` (field), `+0` `+_4` (element), `%1.2` (variant 2 of ADT 1).
//! Regions: `'H 'X 'S`, `'p0` parameter, `'d0.1` bound, `'b1` of the body, `'n0.2` next,
//! `'i0` inferred, `'_` hole, `'e` erased. Aliasability likewise after `\`. Integers at type
//! level: `#5 #p0 #d0.1 #i0 #_`.

mod parse;
mod print;
mod read_ty;
mod sexp;
mod words;
mod write_ty;

pub use parse::{parse, parse_ty};
pub use print::print;
pub use write_ty::ty_text;
