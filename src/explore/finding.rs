//! What was found, one finding for each cause. Two failures have one cause if they show the same,
//! or if the smallest schedules that bring them about kill ranks in the same places and phases.

use crate::judge::{Failure, Kind};
use crate::points::Schedule;
use crate::trace::{Place, Trace};
use std::collections::{HashMap, HashSet};

/// One cause of failures.
#[derive(Clone, Debug)]
pub struct Finding {
    pub number: usize,
    pub failure: Failure,
    /// The smallest run that shows it, so far.
    pub schedule: Schedule,
    /// How many runs have shown it.
    pub times: usize,
    /// The finding with the same cause that was there before.
    pub is_like: Option<usize>,
}

/// All findings.
#[derive(Debug, Default)]
pub struct Findings {
    all: Vec<Finding>,
    by_key: HashMap<String, usize>,
    /// Those of earlier explorations.
    known: HashSet<String>,
    by_spots: HashMap<(Kind, Vec<(Place, usize)>), usize>,
}

impl Findings {
    /// A failed run; returns the number of the finding if it is a new one.
    pub fn add(&mut self, failure: Failure, schedule: Schedule) -> Option<usize> {
        if self.known.contains(&failure.key) {
            return None;
        }
        if let Some(number) = self.by_key.get(&failure.key) {
            self.all[*number].times += 1;
            return None;
        }
        let number = self.all.len();
        self.by_key.insert(failure.key.clone(), number);
        self.all.push(Finding { number, failure, schedule, times: 1, is_like: None });
        Some(number)
    }

    /// The keys of all failures that were seen.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().chain(&self.known).map(String::as_str)
    }

    /// A failure that was told in an earlier exploration.
    pub fn know(&mut self, key: &str) {
        self.known.insert(key.to_string());
    }

    /// The smallest run of a finding, with its trace; false if it turns out to be a known one.
    pub fn settle(&mut self, number: usize, schedule: Schedule, trace: &Trace) -> bool {
        let spot = |place: usize| trace.places.get(place).cloned().unwrap_or_default();
        let spots = trace.deaths.iter().zip(&schedule.kills).filter_map(|(death, kill)| {
            Some((spot(trace.calls[death.call?.0].place), kill.phase()))
        });
        let spots: Vec<(Place, usize)> = spots.collect();
        self.all[number].schedule = schedule;
        if spots.is_empty() {
            return true;
        }
        let kind = self.all[number].failure.kind;
        let first = *self.by_spots.entry((kind, spots)).or_insert(number);
        if first != number {
            self.all[first].times += self.all[number].times;
            self.all[number].is_like = Some(first);
        }
        first == number
    }

    /// The findings, each cause once.
    pub fn causes(&self) -> impl Iterator<Item = &Finding> {
        self.all.iter().filter(|finding| finding.is_like.is_none())
    }

    pub fn get(&self, number: usize) -> Option<&Finding> {
        self.all.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Point;
    use crate::trace::Who;

    #[test]
    fn the_same_cause_found_twice_is_one_finding() {
        let text = "job 2 ulfm\nat 0 p+0x10\ncall 1 0 MPI_Send 0\ndeath 1 0 SIGKILL\n";
        let trace = Trace::read(text);
        let who = Who { rank: 1, life: 0 };
        let kill = Point { who, name: "MPI_Send".into(), nth: 1, moment: 0, place: 0 };
        let schedule = Schedule { kills: vec![kill], ..Schedule::plain(2, 1) };
        let failure = |key: &str| Failure {
            kind: Kind::Deadlock,
            words: String::new(),
            key: key.to_string(),
        };
        let mut findings = Findings::default();
        assert_eq!(findings.add(failure("a"), schedule.clone()), Some(0));
        assert_eq!(findings.add(failure("a"), schedule.clone()), None);
        assert!(findings.settle(0, schedule.clone(), &trace));
        assert_eq!(findings.add(failure("b"), schedule.clone()), Some(1));
        assert!(!findings.settle(1, schedule, &trace), "it begins in the same place");
        assert_eq!(findings.causes().map(|finding| finding.times).collect::<Vec<_>>(), [3]);
    }
}
