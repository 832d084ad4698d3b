//! toft-driver.
