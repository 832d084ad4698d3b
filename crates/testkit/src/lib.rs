//! toft-testkit.
