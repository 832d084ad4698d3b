//! toft-mono.
