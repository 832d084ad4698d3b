//! toft-elaborate.
