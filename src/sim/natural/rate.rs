//! The convergence rate of a relaxation: the factor by which changes shrink with each tick, once
//! only the slowest part of the field is left.

use super::World;
use super::poisson::Poisson;

/// The changes during a run: ticks, and how much nodes changed in them.
#[derive(Default)]
pub struct Rate(Vec<(f64, f64)>);

/// Ticks between two looks.
const SPAN: f64 = 16.0;
/// Changes nearer to the tolerance than this are distorted by it.
const CLEAR: f64 = 20.0;
/// The fewest looks that give a result.
const FEWEST: usize = 4;

impl Rate {
    /// Looks at all nodes, if the last look was long enough ago.
    pub fn look(&mut self, world: &World<Poisson>) {
        let now = world.now() as f64;
        if self.0.last().is_none_or(|(last, _)| now - last >= SPAN) {
            self.0.push((now, world.residual(&mut |_| ())));
        }
    }

    /// The factor for each tick, over the later half of the time before the tolerance has an
    /// effect.
    pub fn factor(&self, tolerance: f64) -> Option<f64> {
        let is_clear = |change: &&(f64, f64)| change.1 > CLEAR * tolerance.max(1e-15);
        let end = 1 + self.0.iter().skip(1).take_while(is_clear).count();
        let late = self.0.get(end / 2..end)?;
        if late.len() < FEWEST {
            return None;
        }
        // The straight line that fits the logarithms best.
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
        // Two decaying parts, the slower one at the end; then the tolerance.
        let change = |t: f64| 0.9 * 0.9f64.powf(t) + 0.1 * 0.99f64.powf(t);
        let at = |span: u32| f64::from(span) * 16.0;
        let mut changes: Vec<_> = (0..40).map(|span| (at(span), change(at(span)))).collect();
        changes.extend((40..60).map(|span| (at(span), 1e-7)));
        let rate = Rate(changes);
        let factor = rate.factor(1e-7).expect("there is enough");
        assert!((factor - 0.99).abs() < 1e-4, "{factor}");
        assert_eq!(Rate::default().factor(1e-7), None);
    }
}
