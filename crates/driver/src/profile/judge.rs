//! Which collected objects need no collector: large enough to matter, alive for long, and gone
//! at one time.

use super::data::{How, Profile, Row};

/// Shares, in percent: of the peak that a site must have held, of all allocation that its objects
/// must live through on average.
const WEIGHT: u128 = 1;
const LIFE: u128 = 10;

/// The mean number of bytes allocated during the life of an object, up to the end for what is
/// still there.
pub fn mean_life(row: &Row) -> u64 {
    let sum = u128::from(row.life_sum) + u128::from(row.ages);
    u64::try_from(sum / u128::from(row.count.max(1))).unwrap_or(u64::MAX)
}

/// Why the objects of a site could be managed by hand.
pub fn candidate(profile: &Profile, row: &Row) -> Option<&'static str> {
    let collected = row.class == 0;
    let heavy = u128::from(row.peak_bytes) * 100 >= u128::from(profile.peak) * WEIGHT;
    let long = u128::from(mean_life(row)) * 100 >= u128::from(profile.bytes) * LIFE;
    if !collected || !heavy || !long || row.count == 0 {
        return None;
    }
    if row.live == row.count {
        Some("all live until the end of the program")
    } else if row.live == 0 && row.gcs == 1 {
        Some("all gone in one collection")
    } else {
        None
    }
}

/// The place where most objects of a site end, and how many of them end there.
pub fn death(row: &Row) -> (String, u64) {
    let ended = row.deaths.iter().map(|death| death.2).max().unwrap_or(0);
    if row.live > ended {
        return ("end of the program".to_owned(), row.live);
    }
    match row.deaths.first() {
        None => (String::new(), 0),
        Some((How::Freed, place, n)) if place.is_none() => ("freed by C code".to_owned(), *n),
        Some((How::Freed, place, n)) => (format!("freed at {}", place.text()), *n),
        Some((How::Region, place, n)) if place.is_none() => {
            ("region ended by an exception or the collector".to_owned(), *n)
        }
        Some((How::Region, place, n)) => (format!("region ended at {}", place.text()), *n),
        Some((How::Collected, _, n)) if row.gcs == 1 => ("one collection".to_owned(), *n),
        Some((How::Collected, _, n)) => (format!("{} collections", row.gcs), *n),
    }
}
