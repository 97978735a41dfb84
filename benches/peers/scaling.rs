//! How cost grows with the ranks, 2 to 10,000 of them: us alone, as a table and as a picture.

use super::contender::Contender;
use super::short;
use std::fmt::Write as _;

const RANKS: [usize; 6] = [2, 10, 100, 1_000, 4_000, 10_000];
const ROUNDS: usize = 3;

/// What grows: its name, its unit, and the words of the program.
const CURVES: [(&str, &str, &[&str]); 5] = [
    ("barrier", "µs", &["barrier"]),
    ("allreduce, 8 B", "µs", &["allreduce", "8"]),
    ("alltoall, 8 B", "µs", &["alltoall", "8"]),
    ("start to end", "ms", &["empty"]),
    ("memory", "MB", &["memory"]),
];

/// What was measured of one of them, for each number of ranks.
pub(super) struct Curve {
    name: &'static str,
    unit: &'static str,
    points: [Option<f64>; RANKS.len()],
}

pub(super) fn measure(ours: &Contender) -> Vec<Curve> {
    let curves = CURVES.iter().map(|(name, unit, words)| {
        let points = RANKS.map(|ranks| {
            let run = || match words[0] {
                "empty" => ours.run_in_time(ranks, &[], "measure", words).map(|(_, s)| s * 1e3),
                _ => ours.number(ranks, &[], "measure", words),
            };
            let mut seen: Vec<f64> = (0..ROUNDS).map_while(|_| run()).collect();
            let middle = super::median(&mut seen);
            eprintln!("{name}, {ranks} ranks: {middle:?} {unit}");
            middle
        });
        Curve { name, unit, points }
    });
    curves.collect()
}

/// The whole, and what that is for each rank.
pub(super) fn table(curves: &[Curve]) -> String {
    let names: Vec<String> =
        curves.iter().map(|curve| format!("{}, {}", curve.name, curve.unit)).collect();
    let mut lines = vec![format!("| ranks | {} |", names.join(" | "))];
    lines.push(format!("|---|{}", "---|".repeat(curves.len())));
    for (index, ranks) in RANKS.into_iter().enumerate() {
        let cells = curves.iter().map(|curve| match curve.points[index] {
            Some(value) => format!("{} ({} a rank)", short(value), fine(value / ranks as f64)),
            None => "none in time".to_string(),
        });
        lines.push(format!("| {ranks} | {} |", cells.collect::<Vec<_>>().join(" | ")));
    }
    lines.join("\n")
}

fn fine(value: f64) -> String {
    format!("{value:.3}")
}

const COLOURS: [&str; CURVES.len()] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f"];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 60.0;
/// The decades that the axes span: of ranks, and of cost per rank.
const ACROSS: (f64, f64) = (0.0, 4.2);
const UP: (f64, f64) = (-3.0, 3.0);

/// Cost per rank over ranks, both logarithmic: a level line is what costs O(N).
pub(super) fn picture(curves: &[Curve]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"22\" font-size=\"15\">Cost per rank, 2 cores</text>\n"
    );
    grid(&mut svg);
    for ((curve, colour), row) in curves.iter().zip(COLOURS).zip(0..) {
        let seen = RANKS.iter().zip(curve.points);
        let seen = seen.filter_map(|(&ranks, value)| Some((ranks as f64, value? / ranks as f64)));
        let places: Vec<(f64, f64)> =
            seen.map(|(ranks, cost)| place(ranks.log10(), cost.log10())).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        line(&mut svg, &format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\"/>"));
        for (x, y) in places {
            line(
                &mut svg,
                &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"),
            );
        }
        let y = 44.0 + 16.0 * f64::from(row);
        let x = WIDTH - 190.0;
        let text = format!("{}, {} a rank", curve.name, curve.unit);
        line(&mut svg, &format!("<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{text}</text>"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line for each decade, with its number.
fn grid(svg: &mut String) {
    let (left, bottom) = place(ACROSS.0, UP.0);
    let (right, top) = place(ACROSS.1, UP.1);
    for decade in ACROSS.0 as i32..=ACROSS.1 as i32 {
        let (x, _) = place(f64::from(decade), UP.0);
        line(svg, &rule(x, bottom, x, top));
        let (y, ranks) = (bottom + 18.0, 10_i32.pow(decade as u32));
        let text = format!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{ranks}</text>");
        line(svg, &text);
    }
    for decade in UP.0 as i32..=UP.1 as i32 {
        let (_, y) = place(ACROSS.0, f64::from(decade));
        line(svg, &rule(left, y, right, y));
        let (x, cost) = (left - 8.0, 10_f64.powi(decade));
        line(svg, &format!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{cost}</text>"));
    }
    let (x, y) = ((left + right) / 2.0, bottom + 36.0);
    line(svg, &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">ranks</text>"));
}

fn rule(x: f64, y: f64, to_x: f64, to_y: f64) -> String {
    format!("<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" stroke=\"#ddd\"/>")
}

fn line(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("a string takes whatever is written");
}

/// Where a point given by its logarithms lies on the picture.
fn place(across: f64, up: f64) -> (f64, f64) {
    let share = |value: f64, ends: (f64, f64)| (value - ends.0) / (ends.1 - ends.0);
    let x = MARGIN + share(across, ACROSS) * (WIDTH - 2.0 * MARGIN);
    (x, HEIGHT - MARGIN - share(up, UP) * (HEIGHT - 2.0 * MARGIN))
}
