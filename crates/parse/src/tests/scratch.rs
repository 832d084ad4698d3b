//! scratch
#[test] fn scratch() {
    for path in std::env::var("SCRATCH").unwrap_or_default().split_whitespace() {
        let text = std::fs::read_to_string(path).unwrap();
        let (dump, errors) = super::parse(&text);
        println!("{path}: {} lines, {} dump, {} errors", text.lines().count(), dump.len(), errors.len());
        for e in errors.iter().take(8) { println!("   {e}"); }
        if std::env::var("DUMP").is_ok() { println!("{dump}"); }
    }
}
