//! Poisson's equation without a mesh, by chaotic relaxation: every node is the mean of those
//! beside it, with weights 1/d, and tells them when that has changed.
//!
//! Lists must be symmetric. Of a node's own size nothing is known, so a source term needs the
//! constant of the whole network: -Δu = f becomes, in the mean,
//!
//! ```text
//! sum over j of w_ij (u_i - u_j) = kappa/4 * (mean over i of sum over j of d_ij) * f
//! ```
//!
//! A quarter of the sum of distances is what a field that is straight between nodes would give;
//! kappa is by how much less a field resists that may bend at every node. It is derived for the
//! network at hand: the energy of the settled field between borders at x, over that of x itself.

use super::graph::Graph;
use super::solve::{System, settled};
use super::world::{Application, Here};

/// What the nodes solve.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// By node: its value, where it lies at the border.
    pub fixed: Vec<Option<f64>>,
    /// What is added to each sum.
    pub source: f64,
    /// Changes up to this are not told.
    pub tolerance: f64,
}

/// A node's value, and what it has heard of others.
#[derive(Debug)]
pub struct Field {
    pub value: f64,
    told: f64,
    is_fixed: bool,
    weights: Box<[f64]>,
    heard: Box<[f64]>,
}

impl Poisson {
    /// The nodes at the border have the values of `at`, whose place is theirs.
    pub fn with_border(graph: &Graph, at: impl Fn(f64, f64) -> f64) -> Poisson {
        let margin = 1.0 / f64::from(graph.nodes()).sqrt();
        let fixed = graph.places.iter().map(|place| {
            let [x, y] = place.map(f64::from);
            let is_border = x.min(y).min(1.0 - x).min(1.0 - y) < margin;
            is_border.then(|| at(x, y))
        });
        Poisson { fixed: fixed.collect(), source: 0.0, tolerance: 1e-7 }
    }

    /// With -Δu = f everywhere.
    pub fn with_source(mut self, graph: &Graph, f: f64) -> Poisson {
        self.source = kappa(graph) * straight(graph) * f;
        self
    }

    /// The values to which these survivors tend; 0 where there is no way to the border.
    pub fn rest(&self, graph: &Graph, alive: &[bool]) -> Vec<f64> {
        let system = System { graph, fixed: &self.fixed, alive, source: &|_| self.source };
        settled(&system)
    }
}

/// 1 over the distance.
pub(super) fn weight(graph: &Graph, one: u32, other: u32) -> f64 {
    1.0 / apart(graph, one, other)
}

pub(super) fn apart(graph: &Graph, one: u32, other: u32) -> f64 {
    let [one, other] = [one, other].map(|node| graph.places[node as usize].map(f64::from));
    // Two nodes at one place are as near as places can tell.
    (one[0] - other[0]).hypot(one[1] - other[1]).max(1e-9)
}

/// A quarter of the sum of a node's distances, in the mean.
pub fn straight(graph: &Graph) -> f64 {
    let of = |node: u32| -> f64 {
        graph.receives.of(node).iter().map(|&other| apart(graph, node, other)).sum()
    };
    (0..graph.nodes()).map(of).sum::<f64>() / f64::from(graph.nodes()) / 4.0
}

/// By how much less a field in this network resists that may bend at every node.
pub fn kappa(graph: &Graph) -> f64 {
    let border = Poisson::with_border(graph, |x, _| x);
    let bent = border.rest(graph, &vec![true; graph.nodes() as usize]);
    let energy = |value: &dyn Fn(u32) -> f64| -> f64 {
        let of = |node: u32| -> f64 {
            let list = graph.receives.of(node).iter();
            list.map(|&other| weight(graph, node, other) * (value(node) - value(other)).powi(2))
                .sum()
        };
        (0..graph.nodes()).map(of).sum()
    };
    let x = |node: u32| f64::from(graph.places[node as usize][0]);
    energy(&|node| bent[node as usize]) / energy(&x)
}

/// The root of the mean square of what is off, over the survivors inside.
pub fn rms_error(
    graph: &Graph, problem: &Poisson, alive: &[bool], value: impl Fn(u32) -> f64,
    truth: impl Fn(f64, f64) -> f64,
) -> f64 {
    let inside = (0..graph.nodes())
        .filter(|&node| alive[node as usize] && problem.fixed[node as usize].is_none());
    let off = inside.map(|node| {
        let [x, y] = graph.places[node as usize].map(f64::from);
        (value(node) - truth(x, y)).powi(2)
    });
    let (count, sum) = off.fold((0u32, 0.0), |(count, sum), off| (count + 1, sum + off));
    (sum / f64::from(count.max(1))).sqrt()
}

impl Field {
    fn index(here: &Here<'_, '_, f64>, other: u32) -> Option<usize> {
        here.receives().binary_search(&other).ok()
    }
}

impl Application for Poisson {
    type State = Field;
    type Message = f64;

    fn create(&self, node: u32, graph: &Graph) -> Field {
        let list = graph.receives.of(node);
        let fixed = self.fixed[node as usize];
        Field {
            value: fixed.unwrap_or(0.0),
            told: f64::NAN,
            is_fixed: fixed.is_some(),
            weights: list.iter().map(|&other| weight(graph, node, other)).collect(),
            heard: vec![0.0; list.len()].into(),
        }
    }

    fn begin(&self, _: &mut Field, _: &mut Here<'_, '_, f64>) {}

    fn hear(&self, state: &mut Field, from: u32, value: &f64, here: &mut Here<'_, '_, f64>) {
        if let Some(at) = Field::index(here, from) {
            state.heard[at] = *value;
        }
    }

    fn miss(&self, state: &mut Field, who: u32, here: &mut Here<'_, '_, f64>) {
        if let Some(at) = Field::index(here, who) {
            state.weights[at] = 0.0;
        }
    }

    fn border(&self, state: &mut Field, value: f64, _: &mut Here<'_, '_, f64>) {
        (state.is_fixed, state.value) = (true, value);
    }

    fn settle(&self, state: &mut Field, here: &mut Here<'_, '_, f64>) {
        if !state.is_fixed && here.now > 0 {
            let sum: f64 = state.weights.iter().sum();
            let all: f64 = state.weights.iter().zip(&state.heard).map(|(w, u)| w * u).sum();
            // Alone in the world, one keeps one's value.
            if sum > 0.0 {
                state.value = (all + self.source) / sum;
            }
        }
        let is_news = (state.value - state.told).abs() > self.tolerance;
        if is_news || state.told.is_nan() {
            state.told = state.value;
            here.send_all(state.value);
        }
    }

    fn colour(&self, state: &Field) -> u8 {
        (127.5 + 127.5 * state.value).clamp(0.0, 255.0) as u8
    }

    fn info(&self, state: &Field) -> String {
        let border = if state.is_fixed { ", at the border" } else { "" };
        format!("value {:.6}{border}, {} beside it", state.value, state.weights.len())
    }
}

#[cfg(test)]
mod tests;
