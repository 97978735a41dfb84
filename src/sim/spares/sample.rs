//! Many cases by chance, on all cores, from one seed: means and shares after every failure.

use super::study::{Outcome, Study};
use std::sync::atomic::{AtomicU64, Ordering};

/// What many cases led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// By failure.
    pub after: Vec<After>,
}

/// What one failure led to, over all cases that got so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    pub cases: u64,
    /// By dimensions of the slide: how often it was the substitute.
    pub methods: Vec<u64>,
    uses: u64,
    moves: u64,
}

/// Runs so many cases with so many failures each, or until nothing can substitute.
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
            // Sums are the same in any order, so it does not matter who runs which case.
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
            let method = outcome.method.0 as usize;
            after.methods.resize(after.methods.len().max(method + 1), 0);
            after.methods[method] += 1;
            after.uses += outcome.worst as u64;
            after.moves += outcome.moves as u64;
        }
    }

    fn merge(&mut self, other: &Sample) {
        self.reach(other.after.len());
        for (after, other) in self.after.iter_mut().zip(&other.after) {
            after.cases += other.cases;
            after.uses += other.uses;
            after.moves += other.moves;
            after.methods.resize(after.methods.len().max(other.methods.len()), 0);
            after.methods.iter_mut().zip(&other.methods).for_each(|(sum, one)| *sum += one);
        }
    }

    fn reach(&mut self, failures: usize) {
        self.after.resize(self.after.len().max(failures), After::default());
    }

    /// Over all failures: how often each method was the substitute, as a share.
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
    /// The uses of the most used link, in the mean.
    pub fn mean_uses(&self) -> f64 {
        self.uses as f64 / self.cases as f64
    }

    pub fn mean_moves(&self) -> f64 {
        self.moves as f64 / self.cases as f64
    }

    /// The method that was the substitute most often.
    pub fn leader(&self) -> usize {
        let methods = self.methods.iter().enumerate();
        methods.max_by_key(|(_, times)| **times).map_or(0, |(method, _)| method)
    }
}
