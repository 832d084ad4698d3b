//! The runtime's entry points as data: name, C signature, attributes, meaning.
//!
//! This table is the only thing the compiler and the runtime share. The emitter
//! looks names up here, `runtime/include/toft_abi.h` is generated from it (a test
//! regenerates and compares), and the runtime's own tests check that every name
//! is defined in the archive. Types named in signatures are those of `toft.h`.

mod entries;
mod header;

pub use entries::ENTRIES;
pub use header::header;

/// Version of the interface; equals `TOFT_ABI_VERSION` in `toft.h`.
pub const VERSION: u32 = 2;

/// Exit code of a program that ends by an uncaught exception or stack overflow.
pub const EXIT_UNCAUGHT: i32 = 101;

/// One parameter: C type and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The C type as written in front of the name.
    pub ty: &'static str,
    /// Its name; for function pointers the whole declarator is in `ty`.
    pub name: &'static str,
}

/// What a C compiler should know of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attr {
    /// An ordinary function.
    Plain,
    /// Never returns: throws or ends the process.
    Trap,
    /// Returns fresh zeroed memory, never null; throws `Bad_alloc`.
    Alloc,
}

/// One function of the runtime's archive.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The linker symbol.
    pub name: &'static str,
    /// The C result type.
    pub ret: &'static str,
    /// The parameters, in order.
    pub params: &'static [Param],
    /// Attributes for the declaration.
    pub attr: Attr,
    /// What it does, what it costs, what it throws.
    pub doc: &'static str,
}

/// The entry of this name, if the runtime has one.
pub fn lookup(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn header_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/include/toft_abi.h");
        if std::env::var_os("TOFT_BLESS").is_some() {
            std::fs::write(&path, header()).expect("write toft_abi.h");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == header(),
            "toft_abi.h is stale: run the tests of toft-rt-abi with TOFT_BLESS=1"
        );
    }

    #[test]
    fn names_are_unique_and_prefixed() {
        let mut names: Vec<_> = ENTRIES.iter().map(|e| e.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
        assert!(names.iter().all(|n| n.starts_with("toft_")));
        assert!(lookup("toft_throw").is_some() && lookup("toft_nothing").is_none());
    }
}
