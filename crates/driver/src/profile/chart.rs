//! The plots, as SVG: stacked areas, lines, bars over the bytes allocated or the time.

use std::fmt::Write;

pub const WIDTH: f64 = 960.0;
pub const HEIGHT: f64 = 300.0;
pub const LEFT: f64 = 76.0;
pub const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;

/// What an axis counts.
#[derive(Clone, Copy)]
pub enum Unit {
    Bytes,
    Nanoseconds,
}

impl Unit {
    /// The largest unit not above `max`, and what it is called.
    fn scale(self, max: u64) -> (u64, &'static str) {
        let steps: &[(u64, &str)] = match self {
            Unit::Bytes => &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")],
            Unit::Nanoseconds => {
                &[(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")]
            }
        };
        steps.iter().copied().find(|step| step.0 <= max).unwrap_or((1, steps[3].1))
    }

    pub fn text(self, n: u64) -> String {
        let (unit, name) = self.scale(n);
        let value = n as f64 / unit as f64;
        match value {
            _ if unit == 1 => format!("{n} {name}"),
            v if v < 10.0 => format!("{v:.2} {name}"),
            v if v < 100.0 => format!("{v:.1} {name}"),
            v => format!("{v:.0} {name}"),
        }
    }
}

/// One direction of a plot.
pub struct Axis {
    pub max: u64,
    pub unit: Unit,
    pub label: &'static str,
}

impl Axis {
    fn part(&self, value: u64) -> f64 {
        value as f64 / self.max.max(1) as f64
    }

    /// Round numbers from 0 to the end of the axis.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (unit, name) = self.unit.scale(self.max);
        let end = self.max as f64 / unit as f64;
        let raw = (end / 5.0).max(f64::MIN_POSITIVE);
        let power = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&s| s >= raw * 0.999);
        let step = step.unwrap_or(end.max(1.0));
        let step = if unit == 1 { step.max(1.0) } else { step };
        (0..20)
            .map(|n| f64::from(n) * step)
            .take_while(|&at| at <= end * 1.0001)
            .map(|at| {
                let digits = if step < 0.1 { 2 } else { usize::from(step < 1.0) };
                (at * unit as f64, format!("{at:.digits$} {name}"))
            })
            .collect()
    }
}

/// A plot that is being drawn.
pub struct Chart {
    x: Axis,
    y: Axis,
    out: String,
}

impl Chart {
    pub fn new(title: &str, x: Axis, y: Axis) -> Chart {
        let mut chart = Chart { x, y, out: String::new() };
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            chart.out,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" data-max=\"{}\">",
            chart.x.max
        );
        chart.axes();
        chart
    }

    fn at_x(&self, value: u64) -> f64 {
        LEFT + self.x.part(value) * (WIDTH - LEFT - RIGHT)
    }

    fn at_y(&self, value: u64) -> f64 {
        HEIGHT - BOTTOM - self.y.part(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn axes(&mut self) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (value, text) in self.y.ticks() {
            let y = self.at_y(value as u64);
            let _ = write!(
                self.out,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for (value, text) in self.x.ticks() {
            let x = self.at_x(value as u64);
            let _ = write!(
                self.out,
                "<line class=\"axis\" x1=\"{x:.1}\" y1=\"{bottom}\" x2=\"{x:.1}\" y2=\"{:.1}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 4.0,
                bottom + 17.0
            );
        }
        let middle = (TOP + bottom) / 2.0;
        let _ = write!(
            self.out,
            "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\"/>\
             <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"label\" x=\"14\" y=\"{middle:.1}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 14 {middle:.1})\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 8.0,
            self.x.label,
            self.y.label
        );
    }

    /// A value holds until the next one.
    fn stairs(&self, points: impl Iterator<Item = (u64, u64)>) -> Vec<(f64, f64)> {
        let mut out: Vec<(f64, f64)> = Vec::new();
        for (x, y) in points {
            let (x, y) = (self.at_x(x), self.at_y(y));
            if let Some(&(_, before)) = out.last() {
                out.push((x, before));
            }
            out.push((x, y));
        }
        out
    }

    /// The room between two values over `xs`.
    pub fn area(&mut self, xs: &[u64], low: &[u64], high: &[u64], class: &str) {
        let up = self.stairs(xs.iter().copied().zip(high.iter().copied()));
        let down = self.stairs(xs.iter().copied().zip(low.iter().copied()));
        let _ = write!(self.out, "<path class=\"{class}\" d=\"");
        self.path(up.into_iter().chain(down.into_iter().rev()));
        self.out.push_str("Z\"/>");
    }

    pub fn line(&mut self, xs: &[u64], ys: &[u64], class: &str) {
        let points = self.stairs(xs.iter().copied().zip(ys.iter().copied()));
        let _ = write!(self.out, "<path class=\"{class}\" d=\"");
        self.path(points.into_iter());
        self.out.push_str("\"/>");
    }

    /// Points closer to the last than the eye can see are left out.
    fn path(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        let mut last = None;
        for (x, y) in points {
            let point = format!("{x:.1} {y:.1}");
            if last.as_ref() != Some(&point) {
                let _ = write!(self.out, "{}{point}", if last.is_none() { 'M' } else { 'L' });
                last = Some(point);
            }
        }
    }

    pub fn bar(&mut self, x: u64, y: u64, class: &str, tip: &str) {
        let (x, top) = (self.at_x(x), self.at_y(y));
        let height = HEIGHT - BOTTOM - top;
        let _ = write!(
            self.out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"3\" height=\"{height:.1}\">\
             <title>{tip}</title></rect>",
            x - 1.5
        );
    }

    pub fn done(mut self) -> String {
        self.out.push_str("<line class=\"cursor\" y1=\"0\" y2=\"0\" x1=\"0\" x2=\"0\"/></svg>");
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(max: u64, unit: Unit) -> Vec<String> {
        Axis { max, unit, label: "" }.ticks().into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(labels(5 << 20, Unit::Bytes).join(" "), "0 MiB 1 MiB 2 MiB 3 MiB 4 MiB 5 MiB");
        assert_eq!(
            labels(1000, Unit::Nanoseconds).join(","),
            "0.0 µs,0.2 µs,0.4 µs,0.6 µs,0.8 µs,1.0 µs"
        );
        assert_eq!(labels(0, Unit::Bytes).len(), 1);
        assert_eq!(labels(3, Unit::Bytes).join(","), "0 B,1 B,2 B,3 B");
    }

    #[test]
    fn amounts_have_units() {
        assert_eq!(Unit::Bytes.text(0), "0 B");
        assert_eq!(Unit::Bytes.text(1536), "1.50 KiB");
        assert_eq!(Unit::Nanoseconds.text(12_345_678), "12.3 ms");
    }
}
