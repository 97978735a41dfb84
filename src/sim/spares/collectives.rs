//! The cost of a barrier and an allreduce after failures, by the messages of the usual algorithms.
//!
//! A barrier disseminates: in step k, rank r tells rank r + 2^k. Its messages are short, so a step
//! takes as long as the longest route has hops. An allreduce of much data doubles recursively: in
//! step k, rank r exchanges with the rank whose number differs in bit k; ranks beyond a power of
//! two send their data to another rank first and fetch the result in the end. There a step takes as
//! long as the most used link has messages. Machines with collectives in hardware, or with
//! algorithms made for the shape of their network, are faster before failures; this says nothing
//! about them.

use super::study::Study;
use ftmpi_base::random::Random;
use ftmpi_machine::placement::Placement;
use ftmpi_machine::topology::Topology;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    Barrier,
    Allreduce,
}

/// The sender and receiver of each message of a step.
type Step = Vec<[u32; 2]>;

/// Slowdowns after a number of failures, over all cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Slower {
    pub failures: usize,
    pub worst: f64,
    pub mean: f64,
    pub best: f64,
}

impl Collective {
    fn steps(self, ranks: u32) -> Vec<Step> {
        let rounds = ranks.max(1).ilog2();
        let doubled = 1 << rounds;
        match self {
            Collective::Barrier => (0..ranks.next_power_of_two().ilog2())
                .map(|k| (0..ranks).map(|rank| [rank, (rank + (1 << k)) % ranks]).collect())
                .collect(),
            Collective::Allreduce => {
                let bring = (doubled..ranks).map(|rank| [rank, rank - doubled]).collect();
                let fetch = (doubled..ranks).map(|rank| [rank - doubled, rank]).collect();
                let double = |k| (0..doubled).map(|rank| [rank, rank ^ (1u32 << k)]).collect();
                let all = [bring].into_iter().chain((0..rounds).map(double)).chain([fetch]);
                all.filter(|step: &Step| !step.is_empty()).collect()
            }
        }
    }

    fn cost(self, steps: &[Step], network: &Topology, placement: &Placement) -> u64 {
        let seats = placement.seats();
        let mut uses = vec![0u32; network.links()];
        let ends =
            |&[from, to]: &[u32; 2]| (seats[from as usize] as usize, seats[to as usize] as usize);
        let step = |step: &Step| {
            let routes = step.iter().map(ends);
            if self == Collective::Barrier {
                return routes.map(|(from, to)| network.path(from, to).hops).max().unwrap_or(0);
            }
            let mut most = 0;
            uses.fill(0);
            for (from, to) in routes {
                network.each_link(from, to, |link| {
                    uses[link] += 1;
                    most = most.max(uses[link]);
                });
            }
            most
        };
        steps.iter().map(step).map(u64::from).sum()
    }
}

/// How many times longer a collective takes after each of these numbers of failures, in this order,
/// than before the first, as far as all cases have substitutes.
pub fn slow_downs(
    study: &Study, collective: Collective, failures: &[usize], cases: u64, seed: u64,
    threads: usize,
) -> Vec<Slower> {
    let steps = collective.steps(study.ranks() as u32);
    let cost = |placement: &Placement| collective.cost(&steps, &study.network, placement);
    let before = cost(&study.case(false).placement).max(1);
    let next = AtomicU64::new(0);
    let one = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= cases {
                return found;
            }
            let mut random = Random::new(seed.wrapping_add(number));
            let (mut case, mut failed) = (study.case(false), 0);
            let costs = failures.iter().map_while(|&wanted| {
                while failed < wanted {
                    case.fail(random.below(study.ranks() as u64) as usize)?;
                    failed += 1;
                }
                Some(cost(&case.placement))
            });
            found.push(costs.collect::<Vec<u64>>());
        }
    };
    let all: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no case panics")).collect()
    });
    let after = |(at, &failures): (usize, &usize)| {
        // Sums of integers do not depend on which thread finds what first.
        let costs = || all.iter().filter_map(|costs| costs.get(at));
        let count = costs().count();
        let (most, least) = (*costs().max()?, *costs().min()?);
        let times = |cost: f64| cost / before as f64;
        let mean = times(costs().sum::<u64>() as f64 / count as f64);
        let (worst, best) = (times(most as f64), times(least as f64));
        (count == all.len()).then_some(Slower { failures, worst, mean, best })
    };
    failures.iter().enumerate().map_while(after).collect()
}

#[cfg(test)]
mod tests {
    use super::super::study::study;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everybody_has_heard_of_everybody_after_the_last_step() {
        for ranks in [1, 2, 3, 7, 8, 11, 16] {
            for collective in [Collective::Barrier, Collective::Allreduce] {
                let mut heard: Vec<HashSet<u32>> = (0..ranks).map(|rank| [rank].into()).collect();
                for step in collective.steps(ranks) {
                    let before = heard.clone();
                    for [from, to] in step {
                        heard[to as usize].extend(&before[from as usize]);
                    }
                }
                let all = heard.iter().all(|heard| heard.len() == ranks as usize);
                assert!(all, "{collective:?} of {ranks}");
            }
        }
    }

    #[test]
    fn slow_downs_are_the_same_on_any_number_of_threads_and_begin_at_one() {
        let study = study(&[6, 6, 6], "3D(2,1)", "hybrid(all)", None).unwrap();
        for collective in [Collective::Barrier, Collective::Allreduce] {
            let on = |threads| slow_downs(&study, collective, &[0, 1, 5, 60, 67], 10, 3, threads);
            let found = on(1);
            assert_eq!(found, on(3));
            assert_eq!(found.len(), 4, "66 nodes are spare");
            assert_eq!((found[0].worst, found[0].best), (1.0, 1.0));
            assert!(found[3].mean > 1.0 && found[3].worst >= found[3].mean);
        }
    }
}
