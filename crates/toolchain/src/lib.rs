//! toft-toolchain.
