//! The sides of the square in which nodes lie.

use ftmpi_sim::natural::Graph;

/// What is nearer to a side than this lies at the border.
pub(crate) fn margin(graph: &Graph) -> f64 {
    1.0 / f64::from(graph.nodes()).sqrt()
}

pub(crate) fn nearest_side(sides: &[f64; 4], x: f64, y: f64) -> f64 {
    let apart = [x, 1.0 - x, y, 1.0 - y];
    let nearest = (0..4).min_by(|&one, &other| apart[one].total_cmp(&apart[other]));
    sides[nearest.expect("there are four sides")]
}
