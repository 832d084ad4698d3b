//! The table of allocation sites as comma-separated values (RFC 4180 with plain line ends).

use super::data::{How, Profile};
use super::judge;
use std::fmt::Write;

const HEAD: &str = "file,line,column,function,type,region,owner,count,bytes,live,live_bytes,\
                    peak_bytes,freed,ended_with_region,collected,collections,life_mean,life_max,\
                    death,deaths_there,candidate\n";

pub fn write(profile: &Profile) -> String {
    let mut out = HEAD.to_owned();
    for row in &profile.rows {
        let (death, there) = judge::death(row);
        let place = &row.place;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            quoted(&place.file),
            place.line,
            place.col,
            quoted(&place.func),
            quoted(&row.ty),
            row.home(),
            row.owner(),
            row.count,
            row.bytes,
            row.live,
            row.live_bytes,
            row.peak_bytes,
            row.died(How::Freed),
            row.died(How::Region),
            row.died(How::Collected),
            row.gcs,
            judge::mean_life(row),
            row.life_max,
            quoted(&death),
            there,
            judge::candidate(profile, row).unwrap_or("")
        );
    }
    out
}

/// A field; in quotes where it has to be. What a spreadsheet would take for a formula is text.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@']);
    if formula || text.contains([',', '"', '\n', '\r']) {
        let mark = if formula { "'" } else { "" };
        format!("\"{mark}{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
