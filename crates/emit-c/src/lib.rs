//! toft-emit-c.
