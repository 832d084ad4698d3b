//! toft-check.
