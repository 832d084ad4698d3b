//! Prints the table of entry points as a C header.

use crate::{Attr, ENTRIES, Entry, Param};
use std::fmt::Write;

/// The text of `runtime/include/toft_abi.h`.
pub fn header() -> String {
    let mut out = String::from(
        "/* toft_abi.h - functions of the Toft runtime. Generated from crates/rt-abi:\n \
         * do not edit; run the tests of toft-rt-abi with TOFT_BLESS=1. */\n\
         #ifndef TOFT_ABI_H\n#define TOFT_ABI_H\n",
    );
    for entry in ENTRIES {
        // Writing to a String cannot fail.
        let _ = write_entry(&mut out, entry);
    }
    out.push_str("\n#endif\n");
    out
}

fn write_entry(out: &mut String, e: &Entry) -> std::fmt::Result {
    let mut lines = e.doc.lines();
    write!(out, "\n/* {}", lines.next().unwrap_or(""))?;
    for line in lines {
        write!(out, "\n * {line}")?;
    }
    writeln!(out, " */")?;
    match e.attr {
        Attr::Plain => {}
        Attr::Trap => out.push_str("TOFT_COLD TOFT_NORETURN "),
        Attr::Alloc => out.push_str("TOFT_MALLOC "),
    }
    let gap = if e.ret.ends_with('*') { "" } else { " " };
    let params: Vec<String> = e.params.iter().map(param).collect();
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    writeln!(out, "{}{}{}({});", e.ret, gap, e.name, params)
}

fn param(p: &Param) -> String {
    if p.name.is_empty() {
        p.ty.to_string()
    } else if p.ty.ends_with('*') {
        format!("{}{}", p.ty, p.name)
    } else {
        format!("{} {}", p.ty, p.name)
    }
}
