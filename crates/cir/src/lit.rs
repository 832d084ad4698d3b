//! Literals as C text.

use std::fmt::Write;

/// `bytes` as a C string literal, quotes included. Never ends in an escape that following
/// text could extend; contains no trigraph.
pub fn string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for (n, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'?' if n > 0 && bytes[n - 1] == b'?' => out.push_str("\\?"),
            0x20..=0x7e => out.push(byte as char),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// A `double` literal (or an expression) for exactly this value, with C's suffix.
pub fn float(value: f64, suffix: &str) -> String {
    if value.is_nan() {
        return format!("__builtin_nan{suffix}(\"\")");
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("({sign}__builtin_inf{suffix}())");
    }
    // The shortest text that reads back as the same number.
    let text = format!("{:e}", value.abs());
    if value.is_sign_negative() { format!("(-{text}{suffix})") } else { format!("{text}{suffix}") }
}
