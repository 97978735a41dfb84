//! A plan and a coverage as text, so that an exploration can go on later.
//!
//! | line                         | meaning                                                 |
//! |------------------------------|---------------------------------------------------------|
//! | `site OBJECT+OFFSET …`       | a place of the program; they are counted from 0         |
//! | `seen SCHEDULE`              | tried, or waiting                                       |
//! | `wait TIER SCHEDULE`         | waiting                                                 |
//! | `forced FAILURES GIVEN VAIN` | how many runs have had other matches, and how many in vain |
//! | `spare FAILURES SCHEDULE`    | may take the place of a run in vain                     |
//! | `pair FRESH SITE PHASE …`    | a combination that was tried, the last failure first    |
//! | `class SITE CLASS DEATHS`    | an outcome that was seen                                |
//! | `reached SITE`               | a call that only failures lead to                       |
//! | `met NAME FRAME COUNTS`      | what has happened at a call                             |

use crate::coverage::{Counts, Coverage};
use crate::plan::{Feature, Limits, Plan, Spot};
use crate::points::{Point, Schedule};
use crate::quota::Quota;
use crate::trace::{Call, Place, Trace, frame};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

impl Plan {
    /// The plan as text; `under_way` was given out, and what it shows is not learned yet.
    pub fn save<'a>(&self, under_way: impl Iterator<Item = &'a Schedule>) -> String {
        let mut text = String::new();
        let mut sites: Vec<(&Place, &usize)> = self.sites.iter().collect();
        sites.sort_by_key(|(_, number)| **number);
        for (place, _) in sites {
            text.push_str("site");
            for (object, offset) in &place.0 {
                let _ = write!(text, " {object}+{offset:#x}");
            }
            text.push('\n');
        }
        self.seen.iter().for_each(|schedule| _ = writeln!(text, "seen {schedule}"));
        under_way.for_each(|schedule| _ = writeln!(text, "wait 0 {schedule}"));
        for (tier, waiting) in self.tiers.iter().enumerate() {
            waiting.iter().for_each(|schedule| _ = writeln!(text, "wait {tier} {schedule}"));
        }
        for (number, quota) in [&self.matches, &self.matches_of_failures].into_iter().enumerate() {
            let _ = writeln!(text, "forced {number} {} {}", quota.given, quota.in_vain);
            let spare = quota.spare.iter();
            spare.for_each(|schedule| _ = writeln!(text, "spare {number} {schedule}"));
        }
        for (spots, last, is_fresh) in &self.pairs {
            let _ = write!(text, "pair {}", u8::from(*is_fresh));
            let all = std::iter::once(last).chain(spots);
            all.for_each(|(site, phase)| _ = write!(text, " {site} {phase}"));
            text.push('\n');
        }
        for feature in &self.features {
            let _ = match feature {
                Feature::Class(site, class, deaths) => {
                    writeln!(text, "class {site} {class} {deaths}")
                }
                Feature::Reached(site) => writeln!(text, "reached {site}"),
            };
        }
        text
    }

    /// The plan that was saved, or one of wider limits that leaves out what has been tried.
    pub fn restore(reference: Trace, seed: u64, limits: Limits, text: &str) -> Plan {
        let mut plan = Plan::new(reference, seed, limits);
        let tried = text.lines().filter_map(|line| line.strip_prefix("seen "));
        let tried: HashSet<String> = tried.map(str::to_string).collect();
        for waiting in &mut plan.tiers {
            waiting.retain(|schedule| !tried.contains(&schedule.to_string()));
        }
        let is_fresh = |schedule: &Schedule| !schedule.matches.is_empty();
        plan.matches.given = plan.tiers.iter().flatten().filter(|it| is_fresh(it)).count() as u64;
        plan.matches.spare.retain(|schedule| !tried.contains(&schedule.to_string()));
        plan.seen.extend(tried);
        let mut kept: Vec<VecDeque<Schedule>> = vec![VecDeque::new(); plan.tiers.len()];
        for line in text.lines() {
            plan.take(line, &mut kept);
        }
        for (tier, mut waiting) in kept.into_iter().enumerate() {
            waiting.append(&mut plan.tiers[tier]);
            plan.tiers[tier] = waiting;
        }
        plan.use_spares();
        plan
    }

    fn take(&mut self, line: &str, waiting: &mut [VecDeque<Schedule>]) -> Option<()> {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers = || rest.split(' ').map(|word| word.parse::<usize>().ok());
        match what {
            "site" => {
                let place = Place(rest.split(' ').filter_map(frame).collect());
                self.site(&place);
            }
            "wait" | "spare" => {
                let (number, schedule) = rest.split_once(' ')?;
                let mut schedule = Schedule::parse(schedule)?;
                schedule.kills.iter_mut().for_each(|kill| self.find_place(kill));
                let number: usize = number.parse().ok()?;
                match what {
                    "wait" => waiting.get_mut(number)?.push_back(schedule),
                    _ => self.quota(number).spare.push_back(schedule),
                }
            }
            "forced" => {
                let numbers: Vec<usize> = numbers().collect::<Option<_>>()?;
                let [which, given, in_vain] = numbers[..] else { return None };
                let quota = self.quota(which);
                quota.given += given as u64;
                quota.in_vain += in_vain as u64;
            }
            "pair" => {
                let numbers: Vec<usize> = numbers().collect::<Option<_>>()?;
                let (is_fresh, spots) = numbers.split_first()?;
                let mut spots = spots.chunks_exact(2).map(|spot| (spot[0], spot[1]));
                let last: Spot = spots.next()?;
                self.pairs.insert((spots.collect(), last, *is_fresh == 1));
            }
            "class" => {
                let mut words = rest.split(' ');
                let site = words.next()?.parse().ok()?;
                let class = words.next()?.parse().ok()?;
                self.features.insert(Feature::Class(site, class, words.next()?.parse().ok()?));
            }
            "reached" => _ = self.features.insert(Feature::Reached(rest.parse().ok()?)),
            _ => {}
        }
        Some(())
    }

    fn quota(&mut self, number: usize) -> &mut Quota {
        match number {
            0 => &mut self.matches,
            _ => &mut self.matches_of_failures,
        }
    }

    /// Where a point of the reference is in its trace.
    fn find_place(&self, kill: &mut Point) {
        let is_it =
            |call: &&Call| call.who == kill.who && call.name == kill.name && call.nth == kill.nth;
        if let Some(call) = self.reference.calls.iter().find(is_it) {
            kill.place = call.place;
        }
    }
}

impl Coverage {
    pub fn save(&self) -> String {
        let mut text = String::new();
        for ((frame, name), counts) in self.all() {
            let Counts { before, inside, after, errors, handlers, passed, plain } = counts;
            let _ = writeln!(
                text,
                "met {name} {}+{:#x} {before} {inside} {after} {errors} {handlers} {passed} \
                 {plain}",
                frame.0, frame.1
            );
        }
        text
    }

    /// Adds what was saved.
    pub fn restore(&mut self, text: &str) {
        text.lines().for_each(|line| _ = self.restore_line(line));
    }

    fn restore_line(&mut self, line: &str) -> Option<()> {
        let mut words = line.strip_prefix("met ")?.split(' ');
        let (name, frame) = (words.next()?, frame(words.next()?)?);
        let numbers: Vec<usize> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let [before, inside, after, errors, handlers, passed, plain] = numbers[..] else {
            return None;
        };
        let counts = Counts { before, inside, after, errors, handlers, passed, plain };
        self.add(frame, name, &counts);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::tests::looping;

    const LIMITS: Limits = Limits { faults: 2, orders: 3, is_endless: false };

    #[test]
    fn an_exploration_goes_on_where_it_stopped() {
        let mut plan = Plan::new(looping(3, 5), 1, LIMITS);
        let mut all: Vec<String> = Vec::new();
        let first = plan.draw().expect("something to try").0;
        for _ in 0..10 {
            let (schedule, _) = plan.draw().expect("there is more");
            plan.learn(&schedule, &looping(3, 5), false);
            all.push(schedule.to_string());
        }
        let text = plan.save([&first].into_iter());
        let mut again = Plan::restore(looping(3, 5), 1, LIMITS, &text);
        assert_eq!(again.left(), plan.left() + 1, "and the one that was under way");
        all.extend(std::iter::from_fn(|| again.draw()).map(|(schedule, _)| schedule.to_string()));
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), count), (3 + plan.singles(), count), "each once");
    }

    #[test]
    fn wider_limits_add_what_is_missing() {
        let mut plan = Plan::new(looping(2, 1), 1, LIMITS);
        while plan.draw().is_some() {}
        let text = plan.save(std::iter::empty());
        let wider = Limits { orders: 5, ..LIMITS };
        assert_eq!(Plan::restore(looping(2, 1), 1, LIMITS, &text).left(), 0);
        assert_eq!(Plan::restore(looping(2, 1), 1, wider, &text).left(), 2);
    }

    #[test]
    fn what_may_take_the_place_of_a_run_in_vain_is_kept() {
        let shown =
            "job 2 end\nat 0 p+0x1\ncall 0 0 MPI_Waitany 0\nchosen 0 0 1 3 0 1 2\ndone 0 0 0\n";
        let limits = Limits { faults: 0, orders: 1, is_endless: false };
        let mut plan = Plan::new(Trace::read(shown), 1, limits);
        let (first, _) = plan.draw().expect("one of the other three requests");
        let again = |orders| {
            let limits = Limits { orders, ..limits };
            let text = plan.save(std::iter::once(&first));
            let mut again = Plan::restore(Trace::read(shown), 1, limits, &text);
            let drawn: Vec<Schedule> =
                std::iter::from_fn(|| again.draw()).map(|(it, _)| it).collect();
            drawn.iter().filter_map(|it| Some(it.matches.first()?.source)).collect::<Vec<i32>>()
        };
        assert_eq!((again(1), again(3)), (vec![0], vec![0, 2, 1]));
    }

    #[test]
    fn coverage_is_kept() {
        let text = "met MPI_Send /a/p+0x10 1 2 3 4 5 6 7\n";
        let mut coverage = Coverage::default();
        coverage.restore(text);
        assert_eq!(coverage.save(), text);
    }
}
