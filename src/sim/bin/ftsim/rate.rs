//! How fast a relaxation converges: by which factor changes become smaller with each tick, once
//! only the slowest part of the field is left.

use ftmpi_sim::natural::World;
use ftmpi_sim::natural::poisson::Poisson;

/// Changes in the course of a run.
#[derive(Default)]
pub(crate) struct Rate {
    tick: u64,
    values: Vec<f64>,
    /// The middle of each span of ticks, and the change within a tick: the root of its mean square.
    changes: Vec<(f64, f64)>,
}

/// Ticks between two looks.
const SPAN: u64 = 16;
/// Changes nearer to the tolerance than this are cut off by it.
const CLEAR: f64 = 20.0;
/// Fewer spans tell nothing.
const FEWEST: usize = 4;

impl Rate {
    /// Looks at all nodes, if the last look was long enough ago.
    pub(crate) fn look(&mut self, world: &World<Poisson>) {
        let ticks = world.now() - self.tick;
        let is_first = self.values.is_empty();
        if !is_first && ticks < SPAN {
            return;
        }
        self.values.resize(world.graph().nodes() as usize, 0.0);
        let (mut square, mut count) = (0.0, 0u32);
        for row in world.rows() {
            let known = &mut self.values[row.first as usize..];
            for (state, last) in row.nodes().zip(known) {
                if let Some(state) = state {
                    square += (state.value - *last).powi(2);
                    count += 1;
                    *last = state.value;
                }
            }
        }
        if !is_first {
            let change = (square / f64::from(count.max(1))).sqrt() / ticks as f64;
            self.changes.push((self.tick as f64 + ticks as f64 / 2.0, change));
        }
        self.tick = world.now();
    }

    /// The factor for each tick, over the later half of the time before the tolerance is felt.
    pub(crate) fn factor(&self, tolerance: f64) -> Option<f64> {
        let is_clear = |change: &&(f64, f64)| change.1 > CLEAR * tolerance.max(1e-15);
        let end = self.changes.iter().take_while(is_clear).count();
        let late = &self.changes[end / 2..end];
        if late.len() < FEWEST {
            return None;
        }
        // The straight line that fits logarithms best.
        let count = late.len() as f64;
        let (x, y) = late.iter().fold((0.0, 0.0), |(x, y), (t, c)| (x + t, y + c.ln()));
        let (x, y) = (x / count, y / count);
        let fit = |(up, across): (f64, f64), &(t, c): &(f64, f64)| {
            (up + (t - x) * (c.ln() - y), across + (t - x) * (t - x))
        };
        let (up, across) = late.iter().fold((0.0, 0.0), fit);
        Some((up / across).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_that_of_the_slowest_part_and_not_of_the_tolerance() {
        // Two parts that fade, the slower one at the end; then the tolerance.
        let change = |t: f64| 0.9 * 0.9f64.powf(t) + 0.1 * 0.99f64.powf(t);
        let at = |span: u32| f64::from(span) * 16.0;
        let mut changes: Vec<_> = (0..40).map(|span| (at(span), change(at(span)))).collect();
        changes.extend((40..60).map(|span| (at(span), 1e-7)));
        let rate = Rate { changes, ..Rate::default() };
        let factor = rate.factor(1e-7).expect("there is enough");
        assert!((factor - 0.99).abs() < 1e-4, "{factor}");
        assert_eq!(Rate::default().factor(1e-7), None);
    }
}
