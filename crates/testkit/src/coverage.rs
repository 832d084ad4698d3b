//! Every code of the compiler has a test: in `tests/`, in [`crate::badinput`], or a reason
//! in `tests/untested-codes.txt` why none can be.

use crate::case::Case;
use crate::suites::{self, Outcome};
use crate::world::World;
use std::collections::BTreeSet;

pub fn run(world: &World) -> Vec<Outcome> {
    let mut tested = BTreeSet::new();
    for suite in ["ui", "cwe", "interop"] {
        for path in suites::files(&world.tests.join(suite), ".toft") {
            let Ok(case) = Case::load(&path) else { continue };
            if !case.is_canary() {
                tested.extend(case.expected.into_iter().map(|want| want.what));
            }
        }
    }
    tested.extend(crate::badinput::CODES.iter().map(|&code| code.to_owned()));
    let path = world.tests.join("untested-codes.txt");
    let exempt = std::fs::read_to_string(path).unwrap_or_default();
    let exempt: BTreeSet<&str> =
        exempt.lines().filter_map(|line| line.split_whitespace().next()).collect();
    toft_diag::codes::ALL
        .iter()
        .map(|code| {
            let result = match (tested.contains(code.id), exempt.contains(code.id)) {
                (true, true) => Err("is tested and said to be untested".to_owned()),
                (false, false) => Err(format!("no test expects it ({})", code.title)),
                _ => Ok(()),
            };
            (format!("coverage {}", code.id), result)
        })
        .collect()
}
