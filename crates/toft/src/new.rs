//! `toft new NAME`.

use crate::args::Usage;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const MAIN: &str = "#include <stdio.h>

int main(void) {
    printf(\"Hello from Toft.\\n\");
    return 0;
}

test \"arithmetic still works\" {
    @assert(2 + 2 == 4);
}
";

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let [name] = words.as_slice() else {
        return Err(Usage("`toft new` takes one name".into()));
    };
    let dir = Path::new(name);
    let package = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !toft_driver::package::is_name(&package) {
        return Err(Usage(format!(
            "`{package}` cannot be a package's name: use letters, digits, `-` and `_`"
        )));
    }
    if dir.exists() {
        eprintln!("toft: `{}` is already there; nothing was changed", dir.display());
        return Ok(ExitCode::from(1));
    }
    let manifest = format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\n");
    let made = fs::create_dir_all(dir.join("src"))
        .and_then(|()| fs::write(dir.join("toft.toml"), manifest))
        .and_then(|()| fs::write(dir.join("src/main.toft"), MAIN))
        .and_then(|()| fs::write(dir.join(".gitignore"), "/target/\n"));
    match made {
        Ok(()) => {
            println!("made {}: try `cd {} && toft run`", dir.display(), dir.display());
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("toft: cannot make {}: {why}", dir.display());
            Ok(ExitCode::from(3))
        }
    }
}
