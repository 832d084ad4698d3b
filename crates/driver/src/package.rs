//! Packages: a folder with a small `toft.toml`, or a single file that needs none.

use std::path::{Path, PathBuf};
use toft_base::Span;
use toft_diag::{Diagnostic, codes};

/// What is to be compiled.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    /// The folder of `toft.toml`, or of the single file.
    pub root: PathBuf,
    /// Source files in a fixed order.
    pub sources: Vec<PathBuf>,
    /// `tests/*.toft`, for `toft test`.
    pub test_sources: Vec<PathBuf>,
    pub include: Vec<PathBuf>,
    pub link: Vec<String>,
    pub single_file: bool,
}

pub const MANIFEST: &str = "toft.toml";

fn error(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(codes::E0007, message, Span::NONE, ""))
}

/// The package of a single file.
pub fn single(path: &Path) -> Package {
    let root = match path.parent() {
        Some(dir) if dir != Path::new("") => dir.to_owned(),
        _ => PathBuf::from("."),
    };
    Package {
        name: path.file_stem().map_or_else(|| "a.out".into(), |s| s.to_string_lossy().into_owned()),
        root,
        sources: vec![path.to_owned()],
        test_sources: Vec::new(),
        include: Vec::new(),
        link: Vec::new(),
        single_file: true,
    }
}

/// Finds the package around `from`: the nearest `toft.toml` upwards.
pub fn find(from: &Path) -> Result<Package, Box<Diagnostic>> {
    let start = std::fs::canonicalize(from).unwrap_or_else(|_| from.to_owned());
    for dir in start.ancestors() {
        if dir.join(MANIFEST).is_file() {
            // Stay relative where that is shorter to read in messages.
            let root = match std::env::current_dir() {
                Ok(cwd) => {
                    dir.strip_prefix(&cwd).map(Path::to_owned).unwrap_or_else(|_| dir.to_owned())
                }
                Err(_) => dir.to_owned(),
            };
            return load(&root);
        }
    }
    Err(Box::new(
        Diagnostic::error(
            codes::E0007,
            format!("no {MANIFEST} in {} or above it", from.display()),
            Span::NONE,
            "",
        )
        .help("name a file (`toft run hello.toft`), or make a package with `toft new NAME`"),
    ))
}

#[derive(Default)]
struct Reader<'a> {
    path: String,
    unknown: Vec<String>,
    package: Option<&'a toml::Table>,
    build: Option<&'a toml::Table>,
}

impl<'a> Reader<'a> {
    fn table(
        &mut self,
        doc: &'a toml::Table,
        key: &str,
    ) -> Result<Option<&'a toml::Table>, Box<Diagnostic>> {
        match doc.get(key) {
            None => Ok(None),
            Some(toml::Value::Table(table)) => Ok(Some(table)),
            Some(other) => Err(error(format!(
                "{}: `{key}` is a {}, but a table `[{key}]` is needed",
                self.path,
                other.type_str()
            ))),
        }
    }

    fn check_keys(&mut self, table: Option<&toml::Table>, name: &str, known: &[&str]) {
        for key in table.into_iter().flat_map(|table| table.keys()) {
            if !known.contains(&key.as_str()) {
                self.unknown.push(if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                });
            }
        }
    }

    fn text(
        &self,
        table: Option<&toml::Table>,
        key: &str,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        match table.and_then(|table| table.get(key)) {
            None => Ok(None),
            Some(toml::Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(error(format!(
                "{}: `{key}` is a {}, but a string is needed",
                self.path,
                other.type_str()
            ))),
        }
    }

    fn list(&self, table: Option<&toml::Table>, key: &str) -> Result<Vec<String>, Box<Diagnostic>> {
        let wrong = || error(format!("{}: `{key}` must be a list of strings", self.path));
        match table.and_then(|table| table.get(key)) {
            None => Ok(Vec::new()),
            Some(toml::Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }
}

/// Reads `root/toft.toml`.
pub fn load(root: &Path) -> Result<Package, Box<Diagnostic>> {
    let path = root.join(MANIFEST);
    let text = std::fs::read_to_string(&path)
        .map_err(|why| error(format!("{} cannot be read: {why}", path.display())))?;
    let doc: toml::Table = text.parse().map_err(|why: toml::de::Error| {
        error(format!("{}: {}", path.display(), why.to_string().trim_end()))
    })?;
    let mut reader = Reader { path: path.display().to_string(), ..Reader::default() };
    reader.package = reader.table(&doc, "package")?;
    reader.build = reader.table(&doc, "build")?;
    reader.check_keys(Some(&doc), "", &["package", "build"]);
    reader.check_keys(
        reader.package,
        "package",
        &["name", "version", "authors", "description", "license"],
    );
    reader.check_keys(reader.build, "build", &["sources", "include", "link"]);
    if let Some(key) = reader.unknown.first() {
        return Err(Box::new(
            error(format!("{}: unknown key `{key}`", reader.path)).help(
                "known: package.{name,version,authors,description,license}, build.{sources,include,link}",
            ),
        ));
    }
    let name = reader
        .text(reader.package, "name")?
        .ok_or_else(|| error(format!("{}: `package.name` is missing", reader.path)))?;
    if !is_name(&name) {
        return Err(error(format!(
            "{}: `{name}` cannot be a package's name: use letters, digits, `-` and `_`",
            reader.path
        )));
    }
    let mut sources: Vec<PathBuf> =
        reader.list(reader.build, "sources")?.iter().map(|file| root.join(file)).collect();
    if sources.is_empty() {
        sources = toft_files(&root.join("src"));
    }
    if sources.is_empty() {
        return Err(Box::new(
            error(format!("{} has no sources: no .toft file in src/", reader.path))
                .help("put the program into src/main.toft, or list files in `build.sources`"),
        ));
    }
    Ok(Package {
        name,
        root: root.to_owned(),
        sources,
        test_sources: toft_files(&root.join("tests")),
        include: reader.list(reader.build, "include")?.iter().map(|dir| root.join(dir)).collect(),
        link: reader.list(reader.build, "link")?.iter().map(|lib| format!("-l{lib}")).collect(),
        single_file: false,
    })
}

pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// All `.toft` (and `.cyc`) files below `dir`, sorted.
fn toft_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(_) if path.extension().is_some_and(|e| e == "toft" || e == "cyc") => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
