//! Numbers, characters, strings.

use crate::literal::*;
use toft_hir::StrWidth;
use toft_ty::{FloatTy, IntTy};

fn int(text: &str) -> (i128, IntTy) {
    match number(text) {
        Ok(Number::Int(value, ty)) => (value, ty),
        other => panic!("{text}: {other:?}"),
    }
}

fn float(text: &str) -> (f64, FloatTy) {
    match number(text) {
        Ok(Number::Float(value, ty)) => (value, ty),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn integers() {
    assert_eq!(int("0"), (0, IntTy::Int));
    assert_eq!(int("2147483647"), (2147483647, IntTy::Int));
    assert_eq!(int("2147483648"), (2147483648, IntTy::Long));
    assert_eq!(int("0x80000000"), (0x8000_0000, IntTy::UInt));
    assert_eq!(int("0xffffffffffffffff"), (0xffff_ffff_ffff_ffff, IntTy::ULong));
    assert_eq!(int("017"), (15, IntTy::Int));
    assert_eq!(int("0b1011"), (11, IntTy::Int));
    assert_eq!(int("1'000'000"), (1_000_000, IntTy::Int));
    assert_eq!(int("1u"), (1, IntTy::UInt));
    assert_eq!(int("1UL"), (1, IntTy::ULong));
    assert_eq!(int("1LL"), (1, IntTy::LLong));
    assert_eq!(int("1llu"), (1, IntTy::ULLong));
    for bad in ["08", "0x", "1lul", "9223372036854775808", "1z2", "0b2"] {
        assert!(number(bad).is_err(), "{bad}");
    }
}

#[test]
fn floats() {
    assert_eq!(float("1.5"), (1.5, FloatTy::Double));
    assert_eq!(float("1e3"), (1000.0, FloatTy::Double));
    assert_eq!(float(".5f"), (0.5, FloatTy::Float));
    assert_eq!(float("1.L"), (1.0, FloatTy::LongDouble));
    assert_eq!(float("0.1"), (0.1, FloatTy::Double));
    assert_eq!(float("010.5"), (10.5, FloatTy::Double));
    assert_eq!(float("09e1"), (90.0, FloatTy::Double));
    assert_eq!(float("0x1.8p3"), (12.0, FloatTy::Double));
    assert_eq!(float("0x1p-1074"), (5e-324, FloatTy::Double));
    for bad in ["1.5x", "0x1.8", "1e", "1e+"] {
        assert!(number(bad).is_err(), "{bad}");
    }
}

#[test]
fn characters() {
    let value = |text| character(text).map_err(|error| error.message);
    assert_eq!(value("'a'"), Ok((97, IntTy::Int)));
    assert_eq!(value("'\\xff'"), Ok((-1, IntTy::Int)));
    assert_eq!(value("'\\0'"), Ok((0, IntTy::Int)));
    assert_eq!(value("L'é'"), Ok((233, IntTy::Int)));
    assert_eq!(value("u'\\u20ac'"), Ok((0x20ac, IntTy::UShort)));
    assert_eq!(value("u8'a'"), Ok((97, IntTy::UChar)));
    assert!(value("''").is_err());
    assert!(value("'\\x'").is_err());
}

#[test]
fn strings() {
    let units = |text: &str| {
        let mut out = Vec::new();
        string(text, string_width(text), &mut out).map(|()| out).map_err(|error| error.from)
    };
    assert_eq!(units("\"ab\\n\""), Ok(vec![97, 98, 10]));
    assert_eq!(units("\"é\""), Ok(vec![0xc3, 0xa9]));
    assert_eq!(units("u\"\u{1F600}\""), Ok(vec![0xd83d, 0xde00]));
    assert_eq!(units("\"\\1234\""), Ok(vec![0o123, 52]));
    assert_eq!(units("\"ab\\q\""), Err(3));
    assert_eq!(string_width("L\"x\""), StrWidth::Wide);
}
