//! From linker symbols back to Toft names.
//!
//! The emitter calls `ns::name` `t_ns__name`, appends `__i<N>` for an instance of a
//! generic, and C compilers append `.part.0` and the like.

/// Writes the Toft name of `symbol` into `out`; returns how much of it there is.
pub fn demangle(symbol: &[u8], out: &mut [u8]) -> usize {
    let end = symbol.iter().position(|c| *c == b'.').unwrap_or(symbol.len());
    let mut name = &symbol[..end];
    if let Some(rest) = name.strip_prefix(b"t_") {
        name = without_instance(rest);
    } else {
        return copy(name, out);
    }
    let mut n = 0;
    let mut i = 0;
    while i < name.len() {
        let scope = name[i..].starts_with(b"__") && i > 0 && i + 2 < name.len();
        let (part, step): (&[u8], usize) = if scope { (b"::", 2) } else { (&name[i..=i], 1) };
        n += copy(part, out.get_mut(n..).unwrap_or(&mut []));
        i += step;
    }
    n
}

/// Drops `__i<digits>` at the end.
fn without_instance(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let stem = &name[..name.len() - digits];
    match stem.strip_suffix(b"__i") {
        Some(short) if digits > 0 && !short.is_empty() => short,
        _ => name,
    }
}

fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let n = from.len().min(to.len());
    if let (Some(a), Some(b)) = (to.get_mut(..n), from.get(..n)) {
        a.copy_from_slice(b);
    }
    n
}

/// Whether frames of this function belong to the runtime or to the program's start,
/// and are not shown.
pub fn hidden(symbol: &[u8]) -> bool {
    const PREFIXES: [&[u8]; 7] =
        [b"toft_", b"_ZN", b"_R", b"__libc_start", b"_start", b"__rust", b"rust_"];
    symbol == b"main"
        || symbol.windows(7).any(|w| w == b"toft_rt")
        || PREFIXES.iter().any(|p| symbol.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_restored() {
        let name = |s: &str| {
            let mut out = [0; 64];
            let n = demangle(s.as_bytes(), &mut out);
            String::from_utf8(out[..n].to_vec()).unwrap()
        };
        assert_eq!(name("t_main"), "main");
        assert_eq!(name("t_list__push"), "list::push");
        assert_eq!(name("t_a__b__map__i12"), "a::b::map");
        assert_eq!(name("t_sum.part.0"), "sum");
        assert_eq!(name("qsort"), "qsort");
        assert_eq!(name("t___init"), "__init");
        assert_eq!(name("t_x__"), "x__");
        let mut short = [0; 4];
        assert_eq!(demangle(b"t_abcdefgh", &mut short), 4);
        assert!(hidden(b"toft_throw") && hidden(b"main") && !hidden(b"t_main"));
    }
}
