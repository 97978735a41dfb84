//! Curves over one axis, as data and as a picture (SVG).

use super::svg::{Anchor, line, sheet, text};
use crate::report::Report;
use std::fmt::Write;

/// One picture: its curves and axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub title: String,
    pub across: String,
    pub up: String,
    pub curves: Vec<Curve>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: String,
    pub pen: Pen,
    pub points: Vec<(f64, f64)>,
}

/// The style of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    pub colour: &'static str,
    pub width: f64,
    /// The lengths of dashes and gaps; empty for a solid line.
    pub dash: &'static str,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// The margins for numbers and names.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 185.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
/// Colours that colour-blind people can tell apart, too (Okabe and Ito 2008).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// A curve with more points is thinned: more could not be distinguished at this width.
const MOST_POINTS: usize = 480;

impl Pen {
    /// One of several that differ by colour.
    pub fn numbered(at: usize) -> Pen {
        Pen { colour: COLOURS[at % COLOURS.len()], width: 1.8, dash: "" }
    }

    fn attributes(&self) -> String {
        let dash = match self.dash {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        format!(" stroke=\"{}\" stroke-width=\"{}\"{dash}", self.colour, self.width)
    }
}

impl Curve {
    /// The ends, and the lowest and highest of each few points between them.
    fn thinned(&self) -> Vec<(f64, f64)> {
        if self.points.len() <= MOST_POINTS {
            return self.points.clone();
        }
        let (first, last) = (0, self.points.len() - 1);
        let few = (last - 1).div_ceil(MOST_POINTS / 2 - 1);
        let height = |at: &usize| self.points[*at].1;
        let mut kept = vec![first];
        for start in (1..last).step_by(few) {
            let part = || start..last.min(start + few);
            let lowest = part().min_by(|one, other| height(one).total_cmp(&height(other)));
            let highest = part().max_by(|one, other| height(one).total_cmp(&height(other)));
            kept.extend(lowest.into_iter().chain(highest));
        }
        kept.push(last);
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|at| self.points[at]).collect()
    }
}

impl Plot {
    /// One line for each point: curve, across, up.
    pub fn csv(&self) -> String {
        let mut text = format!("curve,{},{}\n", plain(&self.across), plain(&self.up));
        for curve in &self.curves {
            for (x, y) in &curve.points {
                writeln!(text, "{},{x},{y}", plain(&curve.name)).expect("a string takes all");
            }
        }
        text
    }

    /// The names of curves, and the points of each.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.add("title", self.title.as_str());
        report.add("across", self.across.as_str());
        report.add("up", self.up.as_str());
        let names = self.curves.iter().map(|curve| curve.name.as_str());
        report.add("curves", names.collect::<Vec<_>>());
        let points = self.curves.iter().map(|curve| {
            curve.points.iter().map(|&(across, up)| vec![across, up]).collect::<Vec<_>>()
        });
        report.add("points", points.collect::<Vec<_>>());
        report
    }

    pub fn svg(&self) -> String {
        let all = || self.curves.iter().flat_map(|curve| &curve.points);
        let most = |axis: fn(&(f64, f64)) -> f64| all().map(axis).fold(1e-9, f64::max);
        let (right, top) = (round_up(most(|point| point.0)), round_up(most(|point| point.1)));
        let x = |value: f64| LEFT + value / right * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
        let mut svg = String::new();
        svg += &text((LEFT, 24.0), Anchor::Start, " font-size=\"15\"", &self.title);
        svg += &text((x(right / 2.0), HEIGHT - 16.0), Anchor::Middle, "", &self.across);
        let turned = format!(" transform=\"rotate(-90 18 {:.1})\"", y(top / 2.0));
        svg += &text((18.0, y(top / 2.0)), Anchor::Middle, &turned, &self.up);
        for part in 0..=5 {
            let share = f64::from(part) / 5.0;
            let (across, up) = (x(right * share), y(top * share));
            svg += &line((LEFT, up), (x(right), up), " stroke=\"#dddddd\"");
            svg += &line((across, y(0.0)), (across, y(0.0) + 5.0), " stroke=\"black\"");
            svg += &text((LEFT - 8.0, up + 4.0), Anchor::End, "", &number(top * share));
            svg += &text((across, y(0.0) + 20.0), Anchor::Middle, "", &number(right * share));
        }
        svg += &line((LEFT, y(0.0)), (x(right), y(0.0)), " stroke=\"black\"");
        svg += &line((LEFT, y(0.0)), (LEFT, y(top)), " stroke=\"black\"");
        for (curve, at) in self.curves.iter().zip(0..) {
            let pen = curve.pen.attributes();
            let points = curve.thinned().into_iter();
            let points = points.map(|(across, up)| format!("{:.1},{:.1}", x(across), y(up)));
            let points = points.collect::<Vec<_>>().join(" ");
            let _ = writeln!(svg, "<polyline points=\"{points}\" fill=\"none\"{pen}/>");
            let height = TOP + 10.0 + 18.0 * at as f64;
            svg += &line((WIDTH - RIGHT + 14.0, height), (WIDTH - RIGHT + 44.0, height), &pen);
            svg += &text((WIDTH - RIGHT + 50.0, height + 4.0), Anchor::Start, "", &curve.name);
        }
        sheet(WIDTH, HEIGHT, &svg)
    }
}

/// The next number with one digit whose fifths are short.
fn round_up(value: f64) -> f64 {
    let scale = 10f64.powf(value.log10().floor());
    let fits = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].into_iter();
    fits.map(|step| step * scale).find(|&round| round >= value * 0.999).unwrap_or(value)
}

fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Commas would start new columns.
pub(super) fn plain(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_its_curves_as_data_and_as_lines() {
        let pen = Pen { dash: "2 3", ..Pen::numbered(0) };
        let points = vec![(0.0, 1.0), (9.0, 24.0)];
        let curve = |name: &str| Curve { name: name.into(), pen, points: points.clone() };
        let plot = Plot {
            title: "a < b".into(),
            across: "failures".into(),
            up: "uses".into(),
            curves: vec![curve("2D(2,1)"), curve("torus")],
        };
        assert_eq!(plot.csv().lines().nth(2), Some("\"2D(2,1)\",9,24"));
        let json = plot.report().json();
        let ends =
            "\"curves\":[\"2D(2,1)\",\"torus\"],\"points\":[[[0,1],[9,24]],[[0,1],[9,24]]]}\n";
        assert!(json.starts_with("{\"title\":\"a < b\",") && json.ends_with(ends), "{json}");
        let svg = plot.svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        // In the curves and in their legend.
        assert_eq!(svg.matches("stroke-width=\"1.8\" stroke-dasharray=\"2 3\"").count(), 4);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        assert_eq!((round_up(24.0), round_up(0.07), number(2.50)), (25.0, 0.08, "2.5".into()));
    }

    #[test]
    fn a_curve_with_many_points_keeps_its_ends_and_its_peaks() {
        let points = (0..10_000).map(|at| (f64::from(at), f64::from(at % 1000)));
        let curve = Curve { name: "up".into(), pen: Pen::numbered(0), points: points.collect() };
        let thinned = curve.thinned();
        assert!((400..=MOST_POINTS).contains(&thinned.len()), "{}", thinned.len());
        assert_eq!((thinned[0].0, thinned[thinned.len() - 1].0), (0.0, 9999.0));
        assert_eq!(thinned.iter().filter(|point| point.1 == 999.0).count(), 10);
        assert!(thinned.is_sorted_by(|one, other| one.0 < other.0));
    }
}
