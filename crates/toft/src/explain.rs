//! `toft explain CODE`.

use crate::args::Usage;
use std::ffi::OsString;
use std::process::ExitCode;
use toft_diag::codes;

pub fn main(words: Vec<OsString>) -> Result<ExitCode, Usage> {
    let Some(word) = words.first() else {
        for code in codes::ALL {
            println!("{}  {:<24} {}", code.id, code.name, code.title);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let word = word.to_string_lossy();
    let Some(code) = codes::find(&word) else {
        return Err(Usage(format!("there is no code `{word}`; `toft explain` lists them all")));
    };
    match toft_diag::pages::page(code) {
        Some(page) => print!("{page}"),
        None => println!("# {}: {}", code.id, code.title),
    }
    Ok(ExitCode::SUCCESS)
}
