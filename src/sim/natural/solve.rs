//! Finds the limit of a relaxation by conjugate gradients: it takes as many steps as the network is
//! wide, where the relaxation itself takes the square of that.

use super::graph::Graph;
use crate::plane::distance;

/// The lists are symmetric.
pub(super) struct System<'a> {
    pub(super) graph: &'a Graph,
    pub(super) fixed: &'a [Option<f64>],
    pub(super) alive: &'a [bool],
    pub(super) source: &'a dyn Fn(u32) -> f64,
}

/// One row for each free node: its neighbours, and their weights.
struct Rows {
    free: Vec<u32>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f64>,
    sums: Vec<f64>,
    right: Vec<f64>,
}

/// The final residual, relative to the right side.
const ENOUGH: f64 = 1e-11;

/// Nodes that are cut off from the border get 0.
pub(super) fn settled(system: &System) -> Vec<f64> {
    assert!(system.graph.is_symmetric(), "who hears of somebody is heard by him");
    let rows = Rows::new(system);
    let mut values: Vec<_> = system.fixed.iter().map(|value| value.unwrap_or(0.0)).collect();
    let found = rows.solve();
    for (&node, value) in rows.free.iter().zip(found) {
        values[node as usize] = value;
    }
    values
}

/// By node: whether there is a way from it to the border, over the living.
fn held(system: &System) -> Vec<bool> {
    let System { graph, fixed, alive, .. } = *system;
    let mut is_held: Vec<_> =
        fixed.iter().zip(alive).map(|(fixed, alive)| fixed.is_some() && *alive).collect();
    let mut next: Vec<_> = (0..graph.nodes()).filter(|&node| is_held[node as usize]).collect();
    while let Some(node) = next.pop() {
        for &other in graph.receives.of(node) {
            if alive[other as usize] && !std::mem::replace(&mut is_held[other as usize], true) {
                next.push(other);
            }
        }
    }
    is_held
}

impl Rows {
    fn new(system: &System) -> Rows {
        let System { graph, fixed, alive, source } = *system;
        let is_free = |node: u32| alive[node as usize] && fixed[node as usize].is_none();
        // A part that is cut off from every border has no unique solution, and spoils that of
        // others.
        let is_held = held(system);
        let free: Vec<u32> =
            (0..graph.nodes()).filter(|&node| is_free(node) && is_held[node as usize]).collect();
        let mut column = vec![u32::MAX; graph.nodes() as usize];
        free.iter().zip(0..).for_each(|(&node, at)| column[node as usize] = at);
        let mut rows = Rows {
            starts: vec![0],
            columns: Vec::new(),
            weights: Vec::new(),
            sums: Vec::new(),
            right: Vec::new(),
            free,
        };
        for &node in &rows.free {
            let (mut sum, mut right) = (0.0, source(node));
            for &other in graph.receives.of(node) {
                if !alive[other as usize] {
                    continue;
                }
                let weight = weight(graph, node, other);
                sum += weight;
                match fixed[other as usize] {
                    Some(value) => right += weight * value,
                    None => {
                        rows.columns.push(column[other as usize]);
                        rows.weights.push(weight);
                    }
                }
            }
            rows.starts.push(rows.columns.len());
            rows.sums.push(sum);
            rows.right.push(right);
        }
        rows
    }

    fn apply(&self, values: &[f64], result: &mut [f64]) {
        for (at, result) in result.iter_mut().enumerate() {
            let row = self.starts[at]..self.starts[at + 1];
            let beside = self.columns[row.clone()].iter().zip(&self.weights[row]);
            let sum: f64 = beside.map(|(&column, weight)| weight * values[column as usize]).sum();
            *result = self.sums[at] * values[at] - sum;
        }
    }

    fn solve(&self) -> Vec<f64> {
        let count = self.free.len();
        let mut values = vec![0.0; count];
        let mut left = self.right.clone();
        let scaled = |left: &[f64]| -> Vec<f64> {
            left.iter().zip(&self.sums).map(|(left, sum)| left / sum).collect()
        };
        let mut towards = scaled(&left);
        let mut product = dot(&left, &towards);
        let goal = product * ENOUGH * ENOUGH;
        let mut image = vec![0.0; count];
        // Rounding may keep it from the goal.
        for _ in 0..20 * (count as f64).sqrt() as usize + 100 {
            if product <= goal {
                break;
            }
            self.apply(&towards, &mut image);
            let step = product / dot(&towards, &image);
            add(&mut values, step, &towards);
            add(&mut left, -step, &image);
            let next = scaled(&left);
            let before = std::mem::replace(&mut product, dot(&left, &next));
            let keep = product / before;
            towards.iter_mut().zip(next).for_each(|(old, new)| *old = new + keep * *old);
        }
        values
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

/// 1 over the distance.
pub(super) fn weight(graph: &Graph, one: u32, other: u32) -> f64 {
    1.0 / apart(graph, one, other)
}

pub(super) fn apart(graph: &Graph, one: u32, other: u32) -> f64 {
    let [one, other] = [one, other].map(|node| graph.places[node as usize].map(f64::from));
    // Two nodes at one place are as near as places can tell.
    distance(one, other).max(1e-9)
}
