//! toft-lower.
