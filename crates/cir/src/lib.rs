//! toft-cir.
