//! What a program left, read and put together: one row for each place, type, kind of region and
//! kind of owner, the largest first.

use std::collections::BTreeMap;

pub const HOMES: [&str; 5] = ["heap", "arena", "reap", "dynamic arena", "dynamic reap"];
pub const OWNERS: [&str; 3] = ["aliasable", "unique", "counted"];
pub const CLASSES: usize = HOMES.len() * OWNERS.len();
/// Lifetimes by their logarithm.
const LOGS: usize = 48;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    pub file: String,
    pub line: u64,
    pub col: u64,
    pub func: String,
}

impl Place {
    /// Nothing was noted: C code, an exception, the collector.
    pub fn is_none(&self) -> bool {
        self.line == 0
    }

    pub fn text(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.col)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    Freed,
    Region,
    Collected,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    place: Place,
    ty: String,
    class: usize,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub place: Place,
    pub ty: String,
    pub class: usize,
    pub count: u64,
    pub bytes: u64,
    pub live: u64,
    pub live_bytes: u64,
    pub peak_bytes: u64,
    /// Lifetimes of what ended: sum and largest.
    pub life_sum: u64,
    pub life_max: u64,
    /// Sum of the ages of what is still there.
    pub ages: u64,
    /// In how many collections objects were found dead.
    pub gcs: u64,
    pub lives: Vec<u64>,
    /// The most frequent first.
    pub deaths: Vec<(How, Place, u64)>,
}

impl Row {
    pub fn home(&self) -> &'static str {
        HOMES[self.class / OWNERS.len()]
    }

    pub fn owner(&self) -> &'static str {
        OWNERS[self.class % OWNERS.len()]
    }

    pub fn died(&self, how: How) -> u64 {
        self.deaths.iter().filter(|death| death.0 == how).map(|death| death.2).sum()
    }
}

#[derive(Clone, Debug)]
pub struct Sample {
    pub ns: u64,
    pub clock: u64,
    pub heap: u64,
    pub regions: u64,
    pub live: Vec<u64>,
}

impl Sample {
    pub fn total(&self) -> u64 {
        self.live.iter().sum()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Pause {
    pub ns: u64,
    pub clock: u64,
    pub pause_ns: u64,
    pub live: u64,
}

#[derive(Debug, Default)]
pub struct Profile {
    /// The profiler's own memory ran out on the way.
    pub cut: bool,
    pub count: u64,
    pub bytes: u64,
    pub peak: u64,
    pub rows: Vec<Row>,
    pub samples: Vec<Sample>,
    pub pauses: Vec<Pause>,
}

/// The fields of a line, in order.
struct Fields<'a>(std::str::Split<'a, char>);

impl<'a> Fields<'a> {
    fn text(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn number(&mut self) -> Option<u64> {
        self.text()?.parse().ok()
    }

    fn index(&mut self, below: usize) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&n| n < below)
    }

    fn place(&mut self) -> Option<Place> {
        let file = self.text()?.to_owned();
        let (line, col) = (self.number()?, self.number()?);
        Some(Place { file, line, col, func: self.text()?.to_owned() })
    }
}

/// Reads what the runtime wrote; nothing if it is not whole.
pub fn parse(text: &str) -> Option<Profile> {
    let mut profile = Profile::default();
    let mut rows = Vec::new();
    let mut whole = false;
    for line in text.lines() {
        let mut fields = Fields(line.split('\t'));
        match fields.text()? {
            "profile" => (fields.number()? == 1).then_some(())?,
            "total" => {
                profile.cut = fields.number()? != 0;
                profile.count = fields.number()?;
                profile.bytes = fields.number()?;
                profile.peak = fields.number()?;
            }
            "row" => rows.push(row(&mut fields)?),
            "death" => {
                let at = fields.index(rows.len())?;
                let how = [How::Freed, How::Region, How::Collected][fields.index(3)?];
                let count = fields.number()?;
                rows[at].deaths.push((how, fields.place()?, count));
            }
            "sample" => profile.samples.push(Sample {
                ns: fields.number()?,
                clock: fields.number()?,
                heap: fields.number()?,
                regions: fields.number()?,
                live: (0..CLASSES).map(|_| fields.number()).collect::<Option<_>>()?,
            }),
            "gc" => profile.pauses.push(Pause {
                ns: fields.number()?,
                clock: fields.number()?,
                pause_ns: fields.number()?,
                live: fields.number()?,
            }),
            "end" => whole = true,
            _ => return None,
        }
    }
    profile.rows = merge(rows);
    (whole && !profile.samples.is_empty()).then_some(profile)
}

fn row(fields: &mut Fields<'_>) -> Option<Row> {
    Some(Row {
        place: fields.place()?,
        ty: fields.text()?.to_owned(),
        class: fields.index(CLASSES)?,
        count: fields.number()?,
        bytes: fields.number()?,
        live: fields.number()?,
        live_bytes: fields.number()?,
        peak_bytes: fields.number()?,
        life_sum: fields.number()?,
        life_max: fields.number()?,
        ages: fields.number()?,
        gcs: fields.number()?,
        lives: (0..LOGS).map(|_| fields.number()).collect::<Option<_>>()?,
        deaths: Vec::new(),
    })
}

/// The copies of a place (instances of a generic function, code that was doubled) become one.
fn merge(rows: Vec<Row>) -> Vec<Row> {
    let mut merged: BTreeMap<Key, Row> = BTreeMap::new();
    for row in rows {
        let key = Key { place: row.place.clone(), ty: row.ty.clone(), class: row.class };
        match merged.entry(key) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(row);
            }
            std::collections::btree_map::Entry::Occupied(mut old) => add(old.get_mut(), row),
        }
    }
    let mut rows: Vec<Row> = merged.into_values().collect();
    for row in &mut rows {
        let mut deaths: BTreeMap<(How, Place), u64> = BTreeMap::new();
        for (how, place, count) in row.deaths.drain(..) {
            *deaths.entry((how, place)).or_default() += count;
        }
        row.deaths = deaths.into_iter().map(|((how, place), n)| (how, place, n)).collect();
        row.deaths.sort_by_key(|death| std::cmp::Reverse(death.2));
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    rows
}

fn add(old: &mut Row, new: Row) {
    old.count += new.count;
    old.bytes += new.bytes;
    old.live += new.live;
    old.live_bytes += new.live_bytes;
    // At most: the copies may have been largest at different times.
    old.peak_bytes += new.peak_bytes;
    old.life_sum = old.life_sum.saturating_add(new.life_sum);
    old.life_max = old.life_max.max(new.life_max);
    old.ages = old.ages.saturating_add(new.ages);
    old.gcs = old.gcs.max(new.gcs);
    for (a, b) in old.lives.iter_mut().zip(&new.lives) {
        *a += b;
    }
    old.deaths.extend(new.deaths);
}
