//! Shrinking makes a finding small: fewer failures, the plain order, fewer ranks, lower ranks,
//! earlier and simpler moments. Each candidate is run; one that shows the same becomes the best,
//! until no candidate is left.

use crate::points::{Point, Schedule};
use crate::trace::Who;
use ftmpi_machine::forced_match::{Decision, ForcedMatch};
use std::collections::HashSet;

/// The search for the smallest run that shows a finding.
#[derive(Debug)]
pub struct Shrink {
    best: Schedule,
    tried: HashSet<Schedule>,
    /// How many more runs it may take.
    left: usize,
    seed: u64,
    /// The matches by which the first run differs from others.
    matches: Vec<ForcedMatch>,
}

impl Shrink {
    /// Starts from a run that has failed; `seed` is the one of the plain order.
    pub fn new(schedule: Schedule, seed: u64, most: usize) -> Shrink {
        let tried = HashSet::from([schedule.clone()]);
        Shrink { best: schedule, tried, left: most, seed, matches: Vec::new() }
    }

    /// The receives from any source of the first run matched this. It says more than a seed which
    /// of them matter.
    pub fn name_matches(&mut self, matches: Vec<ForcedMatch>) {
        const MOST: usize = 100;
        if matches.len() <= MOST {
            self.matches = matches;
        }
    }

    /// Whether the order is that of a seed, which matches may explain.
    pub fn needs_matches(&self) -> bool {
        self.best.seed != self.seed && self.best.matches.is_empty()
    }

    /// The smallest run so far.
    pub fn best(&self) -> &Schedule {
        &self.best
    }

    /// The next run to try.
    pub fn propose(&mut self) -> Option<Schedule> {
        let fresh = candidates(&self.best, self.seed, &self.matches);
        let next = fresh.into_iter().find(|schedule| !self.tried.contains(schedule))?;
        self.left = self.left.checked_sub(1)?;
        self.tried.insert(next.clone());
        Some(next)
    }

    /// A candidate has shown the same.
    pub fn accept(&mut self, schedule: Schedule) {
        self.best = schedule;
    }
}

/// What is simpler than a schedule, the greatest simplifications first.
fn candidates(of: &Schedule, seed: u64, matches: &[ForcedMatch]) -> Vec<Schedule> {
    let mut found = Vec::new();
    for without in 0..of.kills.len() {
        let mut fewer = of.clone();
        fewer.kills.remove(without);
        found.push(fewer);
    }
    if let [first @ .., last] = &of.matches[..]
        && first.len() > 1
    {
        found.push(Schedule { matches: vec![*last], ..of.clone() });
        found.push(Schedule { matches: of.matches[of.matches.len() / 2..].to_vec(), ..of.clone() });
        found.push(Schedule { matches: of.matches[..of.matches.len() / 2].to_vec(), ..of.clone() });
    }
    for without in (0..of.matches.len()).rev() {
        let mut fewer = of.clone();
        fewer.matches.remove(without);
        found.push(fewer);
    }
    if of.seed != seed {
        found.push(Schedule { seed, ..of.clone() });
        if of.matches.is_empty() && !matches.is_empty() {
            found.push(Schedule { seed, matches: matches.to_vec(), ..of.clone() });
        }
    }
    for ranks in [2, 3, 4, of.ranks / 2, of.ranks - 1] {
        if (2..of.ranks).contains(&ranks) {
            found.push(among(of, ranks));
        }
    }
    for (number, kill) in of.kills.iter().enumerate() {
        for simpler in simpler(kill) {
            let mut schedule = of.clone();
            let is_other =
                |(other, kill): (usize, &Point)| other == number || kill.who != simpler.who;
            if schedule.kills.iter().enumerate().all(is_other) {
                schedule.kills[number] = simpler;
                found.push(schedule);
            }
        }
    }
    found
}

/// The same among fewer ranks: those that are too high become the highest.
fn among(of: &Schedule, ranks: usize) -> Schedule {
    let mut schedule = Schedule { ranks, ..of.clone() };
    schedule.matches.retain(|forced| {
        let is_there = forced.of == Decision::Choice || (forced.source as usize) < ranks;
        forced.rank < ranks && is_there
    });
    let mut used: Vec<Who> = Vec::new();
    schedule.kills.retain_mut(|kill| {
        kill.who.rank = kill.who.rank.min(ranks - 1);
        let is_new = !used.contains(&kill.who);
        used.push(kill.who);
        is_new
    });
    schedule
}

/// Earlier, simpler and lower forms of a point.
fn simpler(kill: &Point) -> Vec<Point> {
    let mut found = Vec::new();
    for nth in [1, kill.nth / 2, kill.nth - 1] {
        if (1..kill.nth).contains(&nth) {
            found.push(Point { nth, ..kill.clone() });
        }
    }
    if kill.moment != Point::BEFORE {
        found.push(Point { moment: Point::BEFORE, ..kill.clone() });
        if kill.moment > 1 {
            found.push(Point { moment: 1, ..kill.clone() });
        }
    }
    for rank in [1, 0] {
        // Rank 0 is special in many programs: rank 1 tells that it is not only rank 0.
        if kill.who.rank > 1 || rank == 0 && kill.who.rank == 1 && kill.nth > 1 {
            found.push(Point { who: Who { rank, ..kill.who }, ..kill.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kill(rank: usize, nth: u64, moment: u32) -> Point {
        Point { who: Who { rank, life: 0 }, name: "MPI_Send".into(), nth, moment, place: 0 }
    }

    fn smallest(start: Schedule, fails: impl Fn(&Schedule) -> bool) -> Schedule {
        let mut shrink = Shrink::new(start, 1, 1000);
        while let Some(schedule) = shrink.propose() {
            if fails(&schedule) {
                shrink.accept(schedule);
            }
        }
        shrink.best().clone()
    }

    #[test]
    fn what_does_not_matter_goes() {
        let kills = vec![kill(5, 90, 4), kill(6, 70, Point::AFTER)];
        let start = Schedule { kills, ..Schedule::plain(8, 77) };
        let fails = |schedule: &Schedule| schedule.kills.iter().any(|kill| kill.nth >= 2);
        let best = smallest(start, fails);
        assert_eq!(best.to_string(), "-np 2 --seed 1 --kill 0@before:MPI_Send:2");
    }

    #[test]
    fn an_order_is_told_by_the_match_that_matters_rather_than_by_a_seed() {
        let forced = |nth, source| ForcedMatch { rank: 0, of: Decision::Receive, nth, source };
        let mut shrink = Shrink::new(Schedule::plain(3, 9), 1, 1000);
        assert!(shrink.needs_matches());
        shrink.name_matches((1..50).map(|nth| forced(nth, 2)).collect());
        while let Some(schedule) = shrink.propose() {
            if schedule.seed == 9 || schedule.matches.contains(&forced(30, 2)) {
                shrink.accept(schedule);
            }
        }
        assert_eq!(shrink.best().to_string(), "-np 3 --seed 1 --match 0:30=2");
    }

    #[test]
    fn what_matters_stays() {
        let start = Schedule { kills: vec![kill(4, 3, 2), kill(5, 3, 2)], ..Schedule::plain(6, 9) };
        let fails = |schedule: &Schedule| {
            schedule.kills.len() == 2 && schedule.ranks > 4 && schedule.seed == 9
        };
        let best = smallest(start, fails);
        assert_eq!((best.kills.len(), best.ranks, best.seed), (2, 5, 9));
    }
}
