//! Failures as they come by chance: independent of each other, at a steady mean rate.

use ftmpi_base::random::Random;
use std::time::Duration;

/// An endless schedule: after which time whose seat is struck. A seed repeats it exactly.
#[derive(Clone, Debug)]
pub struct Chance {
    random: Random,
    mean: Duration,
    seats: usize,
    now: Duration,
}

impl Chance {
    /// Failures that are `mean` apart on average, each of one of `seats`.
    pub fn new(mean: Duration, seats: usize, seed: u64) -> Chance {
        assert!(seats > 0, "somebody is struck");
        Chance { random: Random::new(seed), mean, seats, now: Duration::ZERO }
    }
}

impl Iterator for Chance {
    type Item = (Duration, usize);

    fn next(&mut self) -> Option<(Duration, usize)> {
        // Of 53 bits, as many as a fraction has; never 0, whose logarithm is none.
        let fraction = ((self.random.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let gap = -fraction.ln() * self.mean.as_secs_f64();
        self.now += Duration::try_from_secs_f64(gap).unwrap_or(self.mean);
        Some((self.now, self.random.below(self.seats as u64) as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_the_schedule_and_another_gives_another() {
        let first = |seed| {
            let chance = Chance::new(Duration::from_secs(2), 16, seed);
            chance.take(20).collect::<Vec<_>>()
        };
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn the_mean_is_what_was_asked_for_and_every_seat_is_struck() {
        let count = 20_000;
        let struck: Vec<_> = Chance::new(Duration::from_secs(3), 8, 42).take(count).collect();
        let mean = struck[count - 1].0.as_secs_f64() / count as f64;
        assert!((mean - 3.0).abs() < 0.1, "{mean}");
        for seat in 0..8 {
            let times = struck.iter().filter(|(_, other)| *other == seat).count();
            assert!((2000..3000).contains(&times), "seat {seat}: {times}");
        }
    }

    #[test]
    fn gaps_are_exponential_so_half_of_them_are_shorter_than_0_69_of_the_mean() {
        let mut last = Duration::ZERO;
        let short = Chance::new(Duration::from_secs(1), 1, 7).take(10_000).filter(|(at, _)| {
            let gap = *at - std::mem::replace(&mut last, *at);
            gap.as_secs_f64() < std::f64::consts::LN_2
        });
        let short = short.count();
        assert!((4800..5200).contains(&short), "{short}");
    }
}
