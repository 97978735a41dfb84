//! Poisson's equation without a mesh, by chaotic relaxation: every node is the mean of its
//! neighbours, with weights 1/d, and tells them when that has changed.
//!
//! Lists must be symmetric. The volume of a node is unknown, so a source term needs the constant of
//! the whole network: -Δu = f becomes, in the mean,
//!
//! ```text
//! sum over j of w_ij (u_i - u_j) = kappa/4 * (mean over i of sum over j of d_ij) * f
//! ```
//!
//! A quarter of the sum of distances is what a field that is straight between nodes would give;
//! kappa is how much less a field resists that may bend at every node. It is derived for the
//! network at hand: the energy of the settled field between borders at x, over that of x itself.

use super::graph::Graph;
use super::solve::{System, apart, settled, weight};
use super::world::{Application, Here, Row, World};

/// The problem that the nodes solve.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// By node: its value, if it is at the border.
    pub fixed: Vec<Option<f64>>,
    /// Added to each sum.
    pub source: f64,
    /// Changes up to this are not sent.
    pub tolerance: f64,
}

/// A node's value, and the last values received from its neighbours.
#[derive(Debug)]
pub struct Field {
    pub value: f64,
    told: f64,
    /// The weights of its neighbours, then their values. Empty for a node that keeps its value: at
    /// the border, or alone.
    beside: Box<[f64]>,
    /// The likely place of the next message's sender in the list: they arrive in its order.
    next: u32,
    /// How much the value changed when it was last computed, and in which tick.
    change: f32,
    at: u32,
}

impl Poisson {
    /// The nodes at the border have the values of `at` for their places.
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
    pub fn with_source(self, graph: &Graph, f: f64) -> Poisson {
        let kappa = kappa(graph);
        self.with_kappa(graph, kappa, f)
    }

    /// Like [`Poisson::with_source`], with a known kappa.
    pub fn with_kappa(mut self, graph: &Graph, kappa: f64, f: f64) -> Poisson {
        self.source = kappa * straight(graph) * f;
        self
    }

    /// The limits of these survivors' values; 0 for nodes without a way to the border.
    pub fn rest(&self, graph: &Graph, alive: &[bool]) -> Vec<f64> {
        let system = System { graph, fixed: &self.fixed, alive, source: &|_| self.source };
        settled(&system)
    }
}

/// A quarter of the mean sum of a node's distances.
pub fn straight(graph: &Graph) -> f64 {
    let of = |node: u32| -> f64 {
        graph.receives.of(node).iter().map(|&other| apart(graph, node, other)).sum()
    };
    (0..graph.nodes()).map(of).sum::<f64>() / f64::from(graph.nodes()) / 4.0
}

/// How much less a field in this network resists that may bend at every node.
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

impl World<Poisson> {
    /// How much nodes changed in the last tick with an event: the root of the mean square, over the
    /// survivors.
    pub fn residual(&self, see: &mut dyn FnMut(&Row<'_, Poisson>)) -> f64 {
        let now = self.now() as u32;
        let (mut square, mut count) = (0.0, 0u32);
        for row in self.rows() {
            see(&row);
            for state in row.nodes().flatten() {
                square += if state.at == now { f64::from(state.change).powi(2) } else { 0.0 };
                count += 1;
            }
        }
        (square / f64::from(count.max(1))).sqrt()
    }
}

/// The values that interior nodes should reach.
pub struct Truth(Vec<f64>);

/// The deviation of some of them from it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off {
    // Several sums: the next addition need not wait for the last one.
    squares: [f64; 4],
    counts: [u32; 4],
}

impl Truth {
    pub fn new(graph: &Graph, problem: &Poisson, of: impl Fn(f64, f64) -> f64) -> Truth {
        let places = graph.places.iter().zip(&problem.fixed);
        let inside = places.map(|(place, fixed)| {
            let [x, y] = place.map(f64::from);
            // Not needed at the border.
            if fixed.is_some() { f64::NAN } else { of(x, y) }
        });
        Truth(inside.collect())
    }

    /// Adds consecutive nodes by their values; `None` for the dead.
    pub fn add(&self, off: &mut Off, first: u32, values: impl Iterator<Item = Option<f64>>) {
        let Off { squares, counts } = off;
        for ((value, truth), node) in values.zip(&self.0[first as usize..]).zip(first..) {
            // The node alone selects the sum: so rounding does not depend on how nodes are grouped.
            let at = node as usize % 4;
            let is_inside = value.is_some() && !truth.is_nan();
            let off = value.unwrap_or_default() - truth;
            squares[at] += if is_inside { off * off } else { 0.0 };
            counts[at] += u32::from(is_inside);
        }
    }

    /// The root of the mean square error, over the survivors inside.
    pub fn error(&self, alive: &[bool], values: &[f64]) -> f64 {
        let mut off = Off::default();
        let values = alive.iter().zip(values);
        self.add(&mut off, 0, values.map(|(is_alive, value)| is_alive.then_some(*value)));
        off.rms()
    }
}

impl Off {
    /// The root of the mean square.
    pub fn rms(&self) -> f64 {
        let count: u32 = self.counts.iter().sum();
        (self.squares.iter().sum::<f64>() / f64::from(count.max(1))).sqrt()
    }
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
        let weights = list.iter().map(|&other| weight(graph, node, other));
        Field {
            value: fixed.unwrap_or(0.0),
            told: f64::NAN,
            next: 0,
            change: 0.0,
            at: 0,
            beside: match fixed {
                Some(_) => Box::default(),
                None => weights.chain(list.iter().map(|_| 0.0)).collect(),
            },
        }
    }

    fn begin(&self, _: &mut Field, _: &mut Here<'_, '_, f64>) {}

    fn hear(&self, state: &mut Field, from: u32, value: &f64, here: &mut Here<'_, '_, f64>) {
        let (_, heard) = state.beside.split_at_mut(state.beside.len() / 2);
        if heard.is_empty() {
            return;
        }
        let is_next = here.receives().get(state.next as usize) == Some(&from);
        let at = if is_next { Some(state.next as usize) } else { Field::index(here, from) };
        if let Some(at) = at {
            heard[at] = *value;
            state.next = at as u32 + 1;
        }
    }

    fn miss(&self, state: &mut Field, who: u32, here: &mut Here<'_, '_, f64>) {
        if let Some(weight) = Field::index(here, who).and_then(|at| state.beside.get_mut(at)) {
            *weight = 0.0;
        }
    }

    fn border(&self, state: &mut Field, value: f64, _: &mut Here<'_, '_, f64>) {
        (state.beside, state.value) = (Box::default(), value);
    }

    fn settle(&self, state: &mut Field, here: &mut Here<'_, '_, f64>) {
        let before = state.value;
        state.next = 0;
        if here.now > 0 {
            let (weights, heard) = state.beside.split_at(state.beside.len() / 2);
            let sum: f64 = weights.iter().sum();
            let all: f64 = weights.iter().zip(heard).map(|(w, u)| w * u).sum();
            // A node without neighbours keeps its value.
            if sum > 0.0 {
                state.value = (all + self.source) / sum;
            }
        }
        (state.change, state.at) = ((state.value - before) as f32, here.now as u32);
        let is_news = (state.value - state.told).abs() > self.tolerance;
        if is_news || state.told.is_nan() {
            state.told = state.value;
            here.send_all(state.value);
        }
    }

    #[inline]
    fn colour(&self, state: &Field) -> u8 {
        (127.5 + 127.5 * state.value).clamp(0.0, 255.0) as u8
    }

    fn info(&self, state: &Field) -> String {
        match state.beside.len() / 2 {
            0 => format!("value {:.6}, which it keeps", state.value),
            count => format!("value {:.6}, {count} beside it", state.value),
        }
    }
}

#[cfg(test)]
mod tests;
