//! Tests of the format parsers.

use crate::format::{Length, check_strftime, parse_printf, parse_scanf};

fn units(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

#[test]
fn printf_conversions() {
    let list = parse_printf(&units("a%%b%-08.3lfx%*.*s%hhd%zu%Lg%'+ #i")).expect("well formed");
    let kinds: Vec<(char, Length)> = list.iter().map(|spec| (spec.kind, spec.length)).collect();
    assert_eq!(
        kinds,
        [
            ('f', Length::Long),
            ('s', Length::None),
            ('d', Length::Char),
            ('u', Length::Size),
            ('g', Length::LongDouble),
            ('i', Length::None),
        ]
    );
    assert_eq!((list[0].width, list[0].precision), (Some(8), Some(3)));
    assert!(list[1].star_width && list[1].star_precision);
}

#[test]
fn malformed_formats() {
    assert!(parse_printf(&units("%")).is_err());
    assert!(parse_printf(&units("%-5.2l")).is_err());
    assert!(parse_printf(&units("%1$d")).is_err());
    assert!(parse_printf(&units("%99999999999999999999d")).is_err());
    assert!(parse_scanf(&units("%[abc")).is_err());
    assert!(parse_scanf(&units("%ms")).is_err());
    assert!(check_strftime(&units("%Q")).is_err());
    assert!(check_strftime(&units("%Y-%m-%d %H:%M%%")).is_ok());
}

#[test]
fn scanf_conversions() {
    let list = parse_scanf(&units("%d %*c%10[^]x]%lf %%")).expect("well formed");
    let kinds: Vec<(char, bool, Option<u64>)> =
        list.iter().map(|spec| (spec.kind, spec.suppressed, spec.width)).collect();
    assert_eq!(
        kinds,
        [('d', false, None), ('c', true, None), ('[', false, Some(10)), ('f', false, None)]
    );
}
