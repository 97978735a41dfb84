//! How often to take checkpoints, given their cost and the time between failures (Young 1974, Daly
//! 2006).
//!
//! All ranks must come to one answer without communicating. So at the end of a checkpoint each
//! reports its cost and the length of its iterations, and all compute one interval from these,
//! which is counted in iterations, not in seconds. After a failure, some ranks may know a newer
//! interval than others: all take the largest, which a restoration tells them, and count anew.

use crate::host::clock;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// An interval has at most this many times the iterations that were measured.
const GROWTH: u64 = 10;

/// What a rank knows of the pace.
#[derive(Default)]
pub(super) struct Pace {
    /// Seconds between failures, if the program has set them.
    pub(super) mttf: Option<f64>,
    /// Iterations between two checkpoints; 0 if nothing was measured yet.
    pub(super) interval: u64,
    /// The number of iterations since the last checkpoint, and the time of that.
    count: u64,
    since: Option<Instant>,
    /// The interval that was last reported.
    said: u64,
}

/// What a rank reports of a checkpoint, in seconds; 0: unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Toll {
    pub(super) cost: f64,
    pub(super) iteration: f64,
    pub(super) iterations: f64,
    pub(super) mttf: f64,
}

impl Toll {
    /// Combines all reports. The cost is the smallest: the last rank to come waits for no other.
    pub(super) fn of_all(all: impl Iterator<Item = Toll>) -> Toll {
        let least = |one: f64, other: f64| match one {
            0.0 => other,
            _ if other == 0.0 => one,
            _ => one.min(other),
        };
        all.reduce(|one, other| Toll {
            cost: least(one.cost, other.cost),
            iteration: one.iteration.max(other.iteration),
            iterations: one.iterations.max(other.iterations),
            mttf: least(one.mttf, other.mttf),
        })
        .unwrap_or_default()
    }

    /// The best number of iterations between two checkpoints; `None` if unknown.
    pub(super) fn interval(self) -> Option<u64> {
        if self.mttf <= 0.0 || self.iteration <= 0.0 {
            return None;
        }
        let best = (optimum(self.cost, self.mttf) / self.iteration).round().max(1.0) as u64;
        Some(best.min(GROWTH.saturating_mul(self.iterations as u64)).max(1))
    }
}

/// The time between two checkpoints that loses the least time (Daly 2006, equation 37).
fn optimum(cost: f64, mttf: f64) -> f64 {
    if cost >= 2.0 * mttf {
        return mttf;
    }
    let ratio = cost / (2.0 * mttf);
    (2.0 * cost * mttf).sqrt() * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0) - cost
}

impl Pace {
    /// Counts an iteration; returns whether a checkpoint is due before it.
    pub(super) fn is_due(&mut self) -> bool {
        self.since.get_or_insert_with(clock::now);
        self.count += 1;
        self.count > self.interval
    }

    /// This rank's report of a checkpoint with this beginning and cost.
    pub(super) fn toll(&self, began: Instant, cost: f64, mttf: f64) -> Toll {
        // The call that returned true belongs to the next interval.
        let iterations = self.count.saturating_sub(1);
        let passed = self.since.map_or(0.0, |since| began.duration_since(since).as_secs_f64());
        let iteration = if iterations == 0 { 0.0 } else { passed / iterations as f64 };
        Toll { cost, iteration, iterations: iterations as f64, mttf }
    }

    /// A checkpoint was taken: adapts the interval. Returns a message if that has changed much.
    pub(super) fn take(&mut self, toll: Toll) -> Option<String> {
        self.restart(toll.interval().unwrap_or(self.interval.max(1)));
        let is_new = self.interval > 2 * self.said || 2 * self.interval < self.said;
        if toll.interval().is_none() || !is_new {
            return None;
        }
        self.said = self.interval;
        let seconds = self.interval as f64 * toll.iteration;
        Some(format!(
            "a checkpoint every {} iterations ({seconds:.3} s): it costs {:.3} ms, and a failure \
             is expected every {} s",
            self.interval,
            toll.cost * 1e3,
            toll.mttf
        ))
    }

    /// All ranks failed to take a checkpoint: the next is due after the usual interval.
    pub(super) fn skip(&mut self) {
        self.restart(self.interval);
    }

    /// All ranks count anew from here.
    pub(super) fn restart(&mut self, interval: u64) {
        (self.interval, self.count, self.since) = (interval, 1, Some(clock::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of time that a job loses to checkpoints and to work repeated after random failures
    /// (Daly 2006, equation 20, without the time of a restart).
    fn lost(interval: f64, cost: f64, mttf: f64) -> f64 {
        mttf * (((interval + cost) / mttf).exp() - 1.0) / interval - 1.0
    }

    #[test]
    fn no_other_interval_loses_less() {
        for (cost, mttf) in [(0.001, 1.0), (0.1, 1.0), (5.0, 3600.0), (60.0, 600.0)] {
            let best = optimum(cost, mttf);
            for other in [0.8, 0.95, 1.05, 1.25] {
                let (here, there) = (lost(best, cost, mttf), lost(best * other, cost, mttf));
                assert!(here <= there * 1.001, "{cost} {mttf}: {best} x {other}: {here} {there}");
            }
        }
        assert_eq!(optimum(10.0, 2.0), 2.0);
    }

    #[test]
    fn who_has_measured_little_does_not_go_far() {
        let toll = Toll { cost: 0.02, iteration: 0.001, iterations: 3.0, mttf: 100.0 };
        assert_eq!(toll.interval(), Some(30));
        assert_eq!(Toll { iterations: 1e6, ..toll }.interval(), Some(1987));
        assert_eq!(Toll { iteration: 0.0, ..toll }.interval(), None);
        assert_eq!(Toll { iteration: 9.0, ..toll }.interval(), Some(1));
    }

    #[test]
    fn all_count_alike() {
        let tolls = [
            Toll { cost: 0.5, iteration: 0.01, iterations: 7.0, mttf: 0.0 },
            Toll { cost: 0.2, iteration: 0.02, iterations: 7.0, mttf: 60.0 },
        ];
        let all = Toll::of_all(tolls.into_iter());
        assert_eq!(all, Toll { cost: 0.2, iteration: 0.02, iterations: 7.0, mttf: 60.0 });
        let mut pace = Pace::default();
        assert!(pace.is_due(), "there is none yet");
        pace.restart(3);
        let due: Vec<bool> = (0..4).map(|_| pace.is_due()).collect();
        assert_eq!(due, [false, false, true, true]);
    }
}
