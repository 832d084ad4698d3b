//! MIR as text, and back.
