//! Many random cases, on all cores, from one seed: means and shares after every failure.

use super::study::{Outcome, Study};
use std::sync::atomic::{AtomicU64, Ordering};

/// The results of many cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// By failure.
    pub after: Vec<After>,
}

/// The results of one failure, over all cases that got this far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    pub cases: u64,
    /// By dimensions of the slide: how often it was used.
    pub methods: Vec<u64>,
    moves: u64,
    /// By uses of the most used link: the number of cases.
    uses: Vec<u64>,
}

/// Runs this many cases with this many failures each, or until nothing can substitute.
pub fn sample(
    study: &Study, cases: u64, failures: usize, seed: u64, threads: usize, counts: bool,
) -> Sample {
    let next = AtomicU64::new(0);
    let one = || {
        let mut sample = Sample::default();
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= cases {
                return sample;
            }
            // Sums do not depend on the order, so any thread may run any case.
            let seed = seed.wrapping_add(case.wrapping_mul(0x2545_f491_4f6c_dd1d));
            sample.add(&study.random_case(seed, failures, counts));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
        let mut all = Sample::default();
        threads.into_iter().for_each(|thread| all.merge(&thread.join().expect("no case panics")));
        all
    })
}

impl Sample {
    fn add(&mut self, outcomes: &[Outcome]) {
        self.reach(outcomes.len());
        for (after, outcome) in self.after.iter_mut().zip(outcomes) {
            after.cases += 1;
            after.moves += outcome.moves as u64;
            count(&mut after.methods, outcome.method.0 as usize, 1);
            count(&mut after.uses, outcome.worst, 1);
        }
    }

    fn merge(&mut self, other: &Sample) {
        self.reach(other.after.len());
        for (after, other) in self.after.iter_mut().zip(&other.after) {
            after.merge(other);
        }
    }

    fn reach(&mut self, failures: usize) {
        self.after.resize(self.after.len().max(failures), After::default());
    }

    /// Over all failures: the share of each method.
    pub fn shares(&self) -> Vec<f64> {
        let dims = self.after.iter().map(|after| after.methods.len()).max().unwrap_or(0);
        let all: u64 = self.after.iter().map(|after| after.cases).sum();
        let of = |method| -> u64 {
            self.after.iter().map(|after| after.methods.get(method).unwrap_or(&0)).sum()
        };
        (0..dims).map(|method| of(method) as f64 / all as f64).collect()
    }
}

impl After {
    fn merge(&mut self, other: &After) {
        self.cases += other.cases;
        self.moves += other.moves;
        let both = [(&mut self.methods, &other.methods), (&mut self.uses, &other.uses)];
        for (sum, more) in both {
            more.iter().enumerate().for_each(|(at, &times)| count(sum, at, times));
        }
    }

    /// The uses of the most used link in the best of all cases.
    pub fn least_uses(&self) -> u64 {
        self.uses.iter().position(|&cases| cases > 0).unwrap_or(0) as u64
    }

    /// The uses of the most used link in the worst of all cases.
    pub fn most_uses(&self) -> u64 {
        self.uses.len().saturating_sub(1) as u64
    }

    /// The mean uses of the most used link.
    pub fn mean_uses(&self) -> f64 {
        self.mean_of(|uses| uses)
    }

    /// The mean, over all cases, of a function of the uses of the most used link.
    pub fn mean_of(&self, of: impl Fn(f64) -> f64) -> f64 {
        let all = self.uses.iter().zip(0u32..);
        let sum: f64 = all.map(|(&cases, uses)| cases as f64 * of(f64::from(uses))).sum();
        sum / self.cases as f64
    }

    pub fn mean_moves(&self) -> f64 {
        self.moves as f64 / self.cases as f64
    }

    /// The method that was used most often.
    pub fn leader(&self) -> usize {
        let methods = self.methods.iter().enumerate();
        methods.max_by_key(|(_, times)| **times).map_or(0, |(method, _)| method)
    }
}

/// Adds to the count of a kind.
fn count(times: &mut Vec<u64>, kind: usize, more: u64) {
    if times.len() <= kind {
        times.resize(kind + 1, 0);
    }
    times[kind] += more;
}
