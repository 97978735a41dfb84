//! The few SVG shapes of which all pictures consist.

use crate::plane::distance;

/// The position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A white sheet with these shapes on it.
pub(super) fn sheet(width: f64, height: f64, shapes: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" \
         height=\"{height}\" fill=\"white\"/>\n{shapes}</svg>\n"
    )
}

/// Words at a point; `more` are attributes, each after a space.
pub(super) fn text(at: (f64, f64), anchor: Anchor, more: &str, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let ((x, y), anchor) = (at, anchor.name());
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{words}</text>\n")
}

pub(super) fn line(from: (f64, f64), to: (f64, f64), pen: &str) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"{pen}/>\n")
}

/// A line with a head at its end.
pub(super) fn arrow(from: (f64, f64), to: (f64, f64), colour: &str, width: f64) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    let length = distance([x1, y1], [x2, y2]).max(1e-9);
    let (along, across) = ((x2 - x1) / length, (y2 - y1) / length);
    let head = 3.0 + 1.2 * width;
    let neck = (x2 - along * head, y2 - across * head);
    let side = |sign: f64| {
        let (x, y) = (neck.0 - sign * across * head * 0.4, neck.1 + sign * along * head * 0.4);
        format!("{x:.1} {y:.1}")
    };
    let (left, right, (x, y)) = (side(1.0), side(-1.0), neck);
    format!(
        "<path d=\"M{x1:.1} {y1:.1}L{x:.1} {y:.1}L{left}L{x2:.1} {y2:.1}L{right}L{x:.1} {y:.1}\" \
         fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"{width:.2}\"/>\n"
    )
}

/// A rectangle from its upper left corner.
pub(super) fn rect(at: (f64, f64), size: (f64, f64), more: &str) -> String {
    let ((x, y), (width, height)) = (at, size);
    format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"{more}/>\n")
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}
