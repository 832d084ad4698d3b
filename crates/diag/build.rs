//! Collects the pages of `docs/errors/` for `toft explain`.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    println!("cargo:rerun-if-changed={}", dir.display());
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md") && (name.starts_with('E') || name.starts_with('W')))
        .collect();
    names.sort();
    let mut text = String::from("pub(crate) const PAGES: &[(&str, &str)] = &[\n");
    for name in &names {
        let path = dir.join(name);
        let id = name.trim_end_matches(".md");
        println!("cargo:rerun-if-changed={}", path.display());
        writeln!(text, "({id:?}, include_str!({:?})),", path.display().to_string())
            .expect("writing to a string");
    }
    text.push_str("];\n");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("pages.rs"), text).expect("OUT_DIR can be written");
}
