//! The pages of `docs/errors/`, built in.

use crate::Code;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page for a code.
pub fn page(code: Code) -> Option<&'static str> {
    PAGES.iter().find(|(id, _)| *id == code.id).map(|(_, text)| *text)
}
