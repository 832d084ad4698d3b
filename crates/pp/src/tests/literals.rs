//! Decoding of literals.

use toft_ast::literal::*;

fn int(text: &str) -> (u64, u8, bool, u8) {
    match number(text) {
        Ok(Number::Int(int)) => (int.value, int.base, int.unsigned, int.longs),
        other => panic!("{text}: {other:?}"),
    }
}

fn float(text: &str) -> (f64, FloatKind) {
    match number(text) {
        Ok(Number::Float(float)) => (float.value, float.kind),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn integers() {
    assert_eq!(int("0"), (0, 8, false, 0));
    assert_eq!(int("42"), (42, 10, false, 0));
    assert_eq!(int("1'000'000ull"), (1_000_000, 10, true, 2));
    assert_eq!(int("0xFFu"), (255, 16, true, 0));
    assert_eq!(int("0b1010L"), (10, 2, false, 1));
    assert_eq!(int("0755"), (493, 8, false, 0));
    assert_eq!(int("18446744073709551615"), (u64::MAX, 10, false, 0));
    assert_eq!(int("0xe"), (14, 16, false, 0));
}

#[test]
fn floats() {
    assert_eq!(float("1.5"), (1.5, FloatKind::Double));
    assert_eq!(float("1."), (1.0, FloatKind::Double));
    assert_eq!(float(".5e-3"), (0.0005, FloatKind::Double));
    assert_eq!(float("0.1f"), (f64::from(0.1f32), FloatKind::Float));
    assert_eq!(float("1e3L"), (1000.0, FloatKind::LongDouble));
    assert_eq!(float("0x1.8p3"), (12.0, FloatKind::Double));
    assert_eq!(float("0x.8p0"), (0.5, FloatKind::Double));
    assert_eq!(float("0x1p-1074"), (5e-324, FloatKind::Double));
    assert_eq!(float("0x1p-1075").0, 0.0);
    assert_eq!(float("0x1.8p-1075").0, 5e-324);
    assert_eq!(float("0x1.fffffffffffffp1023").0, f64::MAX);
    assert_eq!(float("0x1.00000000000008p0").0, 1.0);
    assert_eq!(float("0x1.000000000000080001p0").0, 1.0 + f64::EPSILON);
    assert_eq!(float("0x1.000001p0f").0, 1.0);
    assert_eq!(float("0x1.000003p0f").0, f64::from(1.0 + 2.0 * f32::EPSILON));
    assert_eq!(float("0x123456789abcdef012345p0").0, 1.375_488_932_539_311_3e24);
}

#[test]
fn malformed_numbers() {
    let cases = [
        ("089", "an octal number has only the digits 0 to 7"),
        ("0x", "`0x` is followed by no digits"),
        ("0b2", "`0b` is followed by no digits"),
        ("12abc", "`abc` is not a suffix of an integer"),
        ("1.5q", "`q` is not a suffix of a floating number"),
        ("1e", "the exponent has no digits"),
        ("1.2.3", "a number has only one point"),
        ("0x1.8", "a hexadecimal floating number needs an exponent `p…`"),
        ("18446744073709551616", "this number does not fit in 64 bits"),
        ("1e999", "this number is too large for its type"),
        ("1e39f", "this number is too large for its type"),
        ("0x1p1024", "this number is too large for its type"),
        ("0xe+1", "`+1` is not a suffix of an integer"),
    ];
    for (text, message) in cases {
        match number(text) {
            Err(error) => assert_eq!(error.message, message, "{text}"),
            Ok(value) => panic!("{text}: {value:?}"),
        }
    }
}

#[test]
fn characters() {
    let value = |text: &str| character(text).map(|c| c.value).map_err(|e| e.message);
    assert_eq!(value("'a'"), Ok(97));
    assert_eq!(value("'\\n'"), Ok(10));
    assert_eq!(value("'\\''"), Ok(39));
    assert_eq!(value("'\\0'"), Ok(0));
    assert_eq!(value("'\\377'"), Ok(-1));
    assert_eq!(value("'\\xff'"), Ok(-1));
    assert_eq!(value("'ab'"), Ok(0x6162));
    assert_eq!(value("L'\\xffffffff'"), Ok(-1));
    assert_eq!(value("U'\u{1f600}'"), Ok(0x1f600));
    assert_eq!(value("u'é'"), Ok(0xe9));
    assert_eq!(value("U'\\U0001F600'"), Ok(0x1f600));
    assert!(value("''").is_err());
    assert!(value("'é'").is_err());
    assert!(value("'abcde'").is_err());
    assert!(value("u'\u{1f600}'").is_err());
    let error = character("'a\\q'").expect_err("bad");
    assert_eq!((error.from, error.to), (2, 4));
    assert_eq!(error.message, "`\\q` is not an escape sequence");
    assert!(value("'\\x100'").is_err());
    assert!(value("'\\400'").is_err());
    assert!(value("'\\ud800'").is_err());
    assert!(value("'\\x'").is_err());
}

#[test]
fn strings_join_and_convert() {
    let bytes = |list: &[&str]| match strings(list).map(|s| s.data) {
        Ok(StrData::Bytes(bytes)) => bytes,
        other => panic!("{list:?}: {other:?}"),
    };
    assert_eq!(bytes(&["\"abc\""]), b"abc");
    assert_eq!(bytes(&["\"a\\x4\"", "\"1\""]), b"a\x041");
    assert_eq!(bytes(&["\"\\101\\0\\e\""]), b"A\0\x1b");
    assert_eq!(bytes(&["\"é\"", "u8\"\\u00e9\""]), "éé".as_bytes());
    assert_eq!(string("\"\"").map(|s| s.len()), Ok(0));
    let wide = strings(&["L\"a\"", "\"é\\x1234\""]).expect("good");
    assert_eq!(wide.data, StrData::Units32(vec![97, 0xe9, 0x1234]));
    let units = string("u\"\u{1f600}\"").expect("good");
    assert_eq!(units.data, StrData::Units16(vec![0xd83d, 0xde00]));
    assert_eq!(strings(&["u\"a\"", "\"\"", "L\"b\""]).expect_err("mixed").0, 2);
    let (n, error) = strings(&["\"ok\"", "\"no \\q\""]).expect_err("bad escape");
    assert_eq!((n, error.from, error.to), (1, 4, 6));
}
