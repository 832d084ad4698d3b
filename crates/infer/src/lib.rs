//! toft-infer.
