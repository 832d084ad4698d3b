//! Emission: the final MIR of a whole program as one C file.
//!
//! In: bodies in their final form, the declarations. Out: C11 text for gcc and clang that
//! includes `toft.h`, and the raw C of `extern "C include"` blocks as a second file.
//! Needs: concrete types, explicit checks and zero-filling, at least one block per body.
//! Keeps: evaluation order, names of functions and variables, source lines.
//! Invariants: the C has no undefined behaviour that a Toft program could reach; the same
//! program gives the same bytes; no system header is needed.
//!
//! Type-based alias analysis is not part of the language (views between pointer-free types
//! share memory), so the C has to be compiled with `-fno-strict-aliasing`, and with
//! `-fsigned-char`, since plain `char` is signed everywhere. Endless loops are written
//! `for (;;)`, which C11 lets no compiler remove.

mod call;
mod cfg;
mod check;
mod cx;
mod desc;
mod entry;
mod externs;
mod func;
mod globals;
mod glue;
mod helpers;
mod konst;
mod names;
mod operand;
mod packed;
mod pending;
mod place;
mod region;
mod rvalue;
mod setjmp;
mod stmt;
mod structure;
mod types;

use toft_diag::{Reported, Session};
use toft_mir::{Decls, FinalProgram};

/// What sort of program is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Entry {
    /// `main` of the user.
    #[default]
    Main,
    /// A runner of the `test` blocks.
    Tests,
    /// None: to be linked into a program that has one.
    None,
}

#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    pub entry: Entry,
    /// Leaves out `#line`, to look at the C itself.
    pub no_lines: bool,
    /// Nothing is left to the collector.
    pub no_gc: bool,
    /// Allocations and frees tell where they stand.
    pub profile: bool,
}

/// The C of a program.
#[derive(Debug)]
pub struct Output {
    pub c: String,
    /// Contents of the `extern "C include"` blocks, a translation unit of its own, so that
    /// the host's headers and our prototypes never meet. What the blocks define for Toft
    /// code must not be `static` there.
    pub raw_c: Option<String>,
}

pub fn run(
    sess: &Session,
    decls: &Decls,
    program: &FinalProgram,
    options: &EmitOptions,
) -> Result<Output, Reported> {
    let mut cx = cx::Cx::new(sess, decls, program, options);
    cx.functions();
    cx.globals();
    cx.entry();
    if let Some(reported) = cx.failed {
        return Err(reported);
    }
    Ok(Output { raw_c: cx.raw_c(), c: cx.assemble() })
}
