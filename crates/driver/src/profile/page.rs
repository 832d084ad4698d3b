//! The page: one HTML file with its style, its plots and a few lines of script, no network.

use super::chart::{self, Axis, Chart, Unit};
use super::data::{CLASSES, HOMES, How, OWNERS, Profile, Row};
use super::judge;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// One colour for each kind of region, one shade for each kind of owner.
const COLORS: [&str; CLASSES] = [
    "#3b82f6", "#1e40af", "#93c5fd", "#10b981", "#047857", "#6ee7b7", "#f59e0b", "#b45309",
    "#fcd34d", "#8b5cf6", "#5b21b6", "#c4b5fd", "#ec4899", "#9d174d", "#f9a8d4",
];

fn class_name(class: usize) -> String {
    format!("{}, {}", HOMES[class / OWNERS.len()], OWNERS[class % OWNERS.len()])
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

pub fn write(profile: &Profile, name: &str) -> String {
    let name = escaped(name);
    let seen: Vec<usize> = (0..CLASSES)
        .filter(|&class| profile.rows.iter().any(|row| row.class == class && row.bytes > 0))
        .collect();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Memory of {name}</title>\n<style>\n{STYLE}"
    );
    for &class in &seen {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, ".c{class} {{ fill: {0}; background: {0}; }}", COLORS[class]);
    }
    let _ = write!(out, "</style>\n</head>\n<body>\n<h1>Memory of {name}</h1>\n");
    if profile.cut {
        out.push_str("<p><strong>The profile is not whole: memory for it ran out.</strong></p>\n");
    }
    summary(profile, &mut out);
    candidates(profile, &mut out);
    out.push_str(
        "<h2>Over time</h2>\n\
         <input type=\"radio\" name=\"by\" id=\"by-bytes\" checked><label for=\"by-bytes\">by bytes \
         allocated</label>\n<input type=\"radio\" name=\"by\" id=\"by-time\"><label for=\"by-time\">\
         by time</label>\n",
    );
    live(profile, &seen, &mut out);
    reserved(profile, &mut out);
    pauses(profile, &mut out);
    sites(profile, &mut out);
    script(profile, &seen, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

fn summary(profile: &Profile, out: &mut String) {
    let reserved = profile.samples.iter().map(|s| s.heap + s.regions).max().unwrap_or(0);
    let total: u64 = profile.pauses.iter().map(|pause| pause.pause_ns).sum();
    let longest = profile.pauses.iter().map(|pause| pause.pause_ns).max().unwrap_or(0);
    let facts = [
        ("objects allocated", profile.count.to_string()),
        ("bytes allocated", Unit::Bytes.text(profile.bytes)),
        ("most bytes live", Unit::Bytes.text(profile.peak)),
        ("most bytes reserved", Unit::Bytes.text(reserved)),
        ("running time", Unit::Nanoseconds.text(profile.samples.last().map_or(0, |s| s.ns))),
        ("collections", profile.pauses.len().to_string()),
        ("pauses", Unit::Nanoseconds.text(total)),
        ("longest pause", Unit::Nanoseconds.text(longest)),
    ];
    out.push_str("<dl id=\"summary\">\n");
    for (what, value) in facts {
        let _ = writeln!(out, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>\n");
}

fn candidates(profile: &Profile, out: &mut String) {
    out.push_str("<section id=\"candidates\">\n<h2>Candidates for manual management</h2>\n");
    let found: Vec<(&Row, &str)> = profile
        .rows
        .iter()
        .filter_map(|row| Some((row, judge::candidate(profile, row)?)))
        .collect();
    if found.is_empty() {
        out.push_str("<p class=\"dim\">None: no site of the collected heap that held 1 % of the peak makes objects that live long and end at one time.</p>\n");
    } else {
        out.push_str("<p class=\"dim\">Objects of the collected heap that live long and end at one time. An arena, or a dynamic arena with its key where they end, would hold them without the collector.</p>\n<ul>\n");
        for (row, why) in found {
            let _ = writeln!(
                out,
                "<li><b>{}</b> <code>{}</code> in {}: {} objects, {}; {why}</li>",
                escaped(&place(row)),
                escaped(&row.ty),
                escaped(&row.place.func),
                row.count,
                Unit::Bytes.text(row.bytes)
            );
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

fn place(row: &Row) -> String {
    if row.place.is_none() { "outside Toft code".to_owned() } else { row.place.text() }
}

/// Draws the same plot over bytes and over time.
fn twice(
    profile: &Profile,
    title: &str,
    y: impl Fn() -> Axis,
    draw: impl Fn(&mut Chart, bool),
    out: &mut String,
) {
    let last = profile.samples.last();
    for by_time in [false, true] {
        let (max, unit, label, class) = match by_time {
            false => {
                (last.map_or(0, |s| s.clock), Unit::Bytes, "bytes allocated so far", "by-bytes")
            }
            true => {
                (last.map_or(0, |s| s.ns), Unit::Nanoseconds, "time since the start", "by-time")
            }
        };
        let mut chart = Chart::new(title, Axis { max, unit, label }, y());
        draw(&mut chart, by_time);
        let _ = writeln!(out, "<figure class=\"{class}\">{}</figure>", chart.done());
    }
}

fn positions(profile: &Profile, by_time: bool) -> Vec<u64> {
    profile.samples.iter().map(|s| if by_time { s.ns } else { s.clock }).collect()
}

fn live(profile: &Profile, seen: &[usize], out: &mut String) {
    out.push_str("<section id=\"live\">\n<h2>Live bytes by kind of region and owner</h2>\n<ul class=\"key\">\n");
    for &class in seen {
        let _ = writeln!(out, "<li><i class=\"c{class}\"></i>{}</li>", class_name(class));
    }
    out.push_str("</ul>\n");
    let max = profile.samples.iter().map(super::data::Sample::total).max().unwrap_or(0);
    let axis = || Axis { max, unit: Unit::Bytes, label: "live" };
    let draw = |chart: &mut Chart, by_time: bool| {
        let xs = positions(profile, by_time);
        let mut low = vec![0; xs.len()];
        for &class in seen {
            let high: Vec<u64> =
                low.iter().zip(&profile.samples).map(|(l, s)| l + s.live[class]).collect();
            chart.area(&xs, &low, &high, &format!("c{class}"));
            low = high;
        }
    };
    twice(profile, "live bytes over time", axis, draw, out);
    out.push_str("<p class=\"tip\"></p>\n<p class=\"dim\">Collected objects count as live until a collection finds them dead.</p>\n</section>\n");
}

fn reserved(profile: &Profile, out: &mut String) {
    out.push_str(
        "<section id=\"reserved\">\n<h2>Reserved and live</h2>\n<ul class=\"key\">\
         <li><i style=\"background:#3b82f6\"></i>reserved by the heap</li>\
         <li><i style=\"background:#10b981\"></i>reserved by arenas and reaps</li>\
         <li><i style=\"background:var(--fg)\"></i>live, all together</li></ul>\n",
    );
    let of = |f: fn(&super::data::Sample) -> u64| -> Vec<u64> {
        profile.samples.iter().map(f).collect()
    };
    let lines = [
        (of(|s| s.heap), "h-line"),
        (of(|s| s.regions), "r-line"),
        (of(super::data::Sample::total), "total"),
    ];
    let max = lines.iter().flat_map(|line| &line.0).copied().max().unwrap_or(0);
    let axis = || Axis { max, unit: Unit::Bytes, label: "bytes" };
    let draw = |chart: &mut Chart, by_time: bool| {
        let xs = positions(profile, by_time);
        for (ys, class) in &lines {
            chart.line(&xs, ys, class);
        }
    };
    twice(profile, "reserved and live bytes over time", axis, draw, out);
    out.push_str("<p class=\"tip\"></p>\n</section>\n");
}

fn pauses(profile: &Profile, out: &mut String) {
    out.push_str("<section id=\"collections\">\n<h2>Collections and their pauses</h2>\n");
    if profile.pauses.is_empty() {
        out.push_str(
            "<p class=\"dim\">The program ended before the first collection.</p>\n</section>\n",
        );
        return;
    }
    let max = profile.pauses.iter().map(|pause| pause.pause_ns).max().unwrap_or(0);
    let axis = || Axis { max, unit: Unit::Nanoseconds, label: "pause" };
    let draw = |chart: &mut Chart, by_time: bool| {
        for (n, pause) in profile.pauses.iter().enumerate() {
            let tip = format!(
                "collection {}: pause {}, {} live afterwards",
                n + 1,
                Unit::Nanoseconds.text(pause.pause_ns),
                Unit::Bytes.text(pause.live)
            );
            chart.bar(if by_time { pause.ns } else { pause.clock }, pause.pause_ns, "pause", &tip);
        }
    };
    twice(profile, "pauses of collections", axis, draw, out);
    out.push_str("<p class=\"tip\"></p>\n</section>\n");
}

/// Heads of the columns; those of words are sorted as words.
const COLUMNS: [(&str, bool); 13] = [
    ("site", true),
    ("function", true),
    ("type", true),
    ("region", true),
    ("owner", true),
    ("objects", false),
    ("bytes", false),
    ("live at end", false),
    ("most live", false),
    ("mean life", false),
    ("longest", false),
    ("lifetimes", false),
    ("where they end", true),
];

fn sites(profile: &Profile, out: &mut String) {
    out.push_str("<section id=\"sites\">\n<h2>Allocation sites</h2>\n<p class=\"dim\">A lifetime is the number of bytes allocated meanwhile. The bars count objects by lifetime, each bar four times as long as the one before. Marked rows are the candidates.</p>\n<div class=\"scroll\"><table>\n<thead><tr>");
    for (name, words) in COLUMNS {
        let class = if words { " class=\"t\"" } else { "" };
        let sort = if name == "bytes" { " aria-sort=\"descending\"" } else { "" };
        let _ = write!(out, "<th{class}{sort}><button>{name}</button></th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &profile.rows {
        site(profile, row, out);
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}

fn site(profile: &Profile, row: &Row, out: &mut String) {
    let why = judge::candidate(profile, row);
    out.push_str(if why.is_some() { "<tr class=\"candidate\">" } else { "<tr>" });
    let words = [place(row), row.place.func.clone(), row.ty.clone()];
    for text in words.iter().map(String::as_str).chain([row.home(), row.owner()]) {
        let _ = write!(out, "<td class=\"t\">{}</td>", escaped(text));
    }
    let _ = write!(out, "<td>{}</td>", row.count);
    let mean = judge::mean_life(row);
    for n in [row.bytes, row.live_bytes, row.peak_bytes, mean, row.life_max] {
        let _ = write!(out, "<td data-v=\"{n}\">{}</td>", Unit::Bytes.text(n));
    }
    let _ = write!(out, "<td data-v=\"{mean}\">{}</td>", histogram(&row.lives));
    let (death, there) = judge::death(row);
    let parts =
        [(How::Freed, "freed"), (How::Region, "with a region"), (How::Collected, "collected")];
    let mut tip: Vec<String> = parts
        .into_iter()
        .map(|(how, name)| (row.died(how), name))
        .filter(|part| part.0 > 0)
        .map(|(n, name)| format!("{n} {name}"))
        .collect();
    tip.push(format!("{} live at the end", row.live));
    let _ = writeln!(
        out,
        "<td class=\"t\" title=\"{}\">{}: {there}{}</td></tr>",
        tip.join(", "),
        escaped(&death),
        why.map_or_else(String::new, |why| format!(" <span class=\"why\">({why})</span>"))
    );
}

/// Lifetimes as bars, two logarithms each.
fn histogram(lives: &[u64]) -> String {
    let bars: Vec<u64> = lives.chunks(2).map(|pair| pair.iter().sum()).collect();
    let max = bars.iter().copied().max().unwrap_or(0);
    let Some(last) = bars.iter().rposition(|&n| n > 0) else { return String::new() };
    let mut out = String::from("<span class=\"bars\">");
    for &n in &bars[..=last] {
        let height = if n == 0 { 0 } else { (n * 17).div_ceil(max) + 1 };
        let _ = write!(out, "<i style=\"height:{height}px\"></i>");
    }
    out.push_str("</span>");
    out
}

fn script(profile: &Profile, seen: &[usize], out: &mut String) {
    let _ = write!(
        out,
        "<script>\nconst WIDTH = {}, LEFT = {}, RIGHT = {};\nconst NAMES = [",
        chart::WIDTH,
        chart::LEFT,
        chart::RIGHT
    );
    for &class in seen {
        let _ = write!(out, "\"{}\",", class_name(class));
    }
    out.push_str("];\nconst SAMPLES = [");
    for s in &profile.samples {
        let _ = write!(out, "[{},{},{},{}", s.ns, s.clock, s.heap, s.regions);
        for &class in seen {
            let _ = write!(out, ",{}", s.live[class]);
        }
        out.push_str("],");
    }
    let _ = write!(out, "];\n{SCRIPT}</script>\n");
}
