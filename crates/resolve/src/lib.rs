//! toft-resolve.
