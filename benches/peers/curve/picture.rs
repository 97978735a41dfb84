//! Pictures of curves: one for each kind and number of ranks, a panel for each curve, a line for
//! each contender. Both axes are logarithmic.

use super::{Cores, Curves, Points};
use std::fmt::Write as _;

const COLOURS: [&str; 4] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];
const ACROSS: usize = 3;
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 26.0;
const LEGEND: f64 = 34.0;

impl Curves {
    /// The pictures of one kind, by the number of ranks.
    pub(super) fn pictures(&self, kind: &str) -> Vec<(usize, Cores, String)> {
        let of_kind = self.curves.iter().filter(|(name, _)| name.kind == kind);
        let mut all: Vec<(usize, Cores)> =
            of_kind.map(|(name, _)| (name.ranks, name.cores)).collect();
        all.dedup();
        let draw = |(ranks, cores)| (ranks, cores, self.picture(kind, ranks, cores));
        all.into_iter().map(draw).collect()
    }

    fn picture(&self, kind: &str, ranks: usize, cores: Cores) -> String {
        let panels: Vec<(&str, &Points)> = (self.curves.iter())
            .filter(|(name, _)| name.kind == kind && (name.ranks, name.cores) == (ranks, cores))
            .filter(|(_, points)| points.len() > 1)
            .map(|(name, points)| (name.name.as_str(), points))
            .collect();
        let (width, height) =
            (WIDTH * ACROSS as f64, LEGEND + HEIGHT * panels.len().div_ceil(ACROSS) as f64);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"20\" font-size=\"14\">{kind}, {ranks} ranks {cores}: \
             µs by bytes</text>\n"
        );
        for (index, name) in self.contenders.iter().enumerate() {
            let (x, colour) = (width - 150.0 * (4 - index) as f64, COLOURS[index % 4]);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"20\" fill=\"{colour}\">{name}</text>");
        }
        for (index, (name, points)) in panels.into_iter().enumerate() {
            let (column, row) = ((index % ACROSS) as f64, (index / ACROSS) as f64);
            let (x, y) = (WIDTH * column, LEGEND + HEIGHT * row);
            let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
            panel(&mut svg, name, points);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// The decades that hold all of these.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values
        .filter(|value| *value > 0.0)
        .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    (least.log10().floor(), most.log10().ceil())
}

fn panel(svg: &mut String, name: &str, points: &Points) {
    let sizes = decades(points.keys().map(|at| *at as f64));
    let times = decades(points.values().flatten().flatten().copied());
    let place = |at: f64, us: f64| {
        let share = |value: f64, ends: (f64, f64)| (value - ends.0) / (ends.1 - ends.0).max(1.0);
        let x = LEFT + share(at.log10(), sizes) * (WIDTH - LEFT - 14.0);
        (x, HEIGHT - BOTTOM - share(us.log10(), times) * (HEIGHT - BOTTOM - TOP))
    };
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"14\" font-weight=\"bold\">{name}</text>");
    for decade in times.0 as i32..=times.1 as i32 {
        let us = 10_f64.powi(decade);
        let (_, y) = place(10_f64.powf(sizes.0), us);
        let right = WIDTH - 14.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{us}</text>",
            LEFT - 4.0,
            y + 4.0
        );
    }
    for decade in (sizes.0 as i32..=sizes.1 as i32).step_by(2) {
        let (x, y) = place(10_f64.powi(decade), 10_f64.powf(times.0));
        let label = bytes(10_f64.powi(decade));
        let y = y + 14.0;
        let _ =
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>");
    }
    let contenders = points.values().map(Vec::len).max().unwrap_or(0);
    for index in (0..contenders).rev() {
        let line = points.iter().filter(|(at, _)| **at > 0).filter_map(|(at, took)| {
            let (x, y) = place(*at as f64, took[index]?);
            Some(format!("{x:.1},{y:.1}"))
        });
        let line: Vec<String> = line.collect();
        let (line, colour) = (line.join(" "), COLOURS[index % 4]);
        let wide = if index == 0 { 2.5 } else { 1.2 };
        let _ = writeln!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{wide}\"/>"
        );
    }
}

fn bytes(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{} M", n / 1e6),
        n if n >= 1e3 => format!("{} K", n / 1e3),
        n => n.to_string(),
    }
}
