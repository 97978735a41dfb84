//! The points at which a rank may die, and the schedules that are made of them. Loops are
//! recognised: of many calls from the same place, the first, the second, the one in the middle and
//! the last stand for all.

use crate::trace::{Call, Trace, Who};
use ftmpi_machine::forced_match::ForcedMatch;
use ftmpi_machine::schedule::{Event, Life, Moment, When};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// A moment at which a rank may die.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub who: Who,
    pub name: String,
    pub nth: u64,
    /// 0 before the call, `step + 1` inside it, and [`Point::AFTER`].
    pub moment: u32,
    /// The place of the call in the trace that the point is from.
    pub place: usize,
}

/// A run to try: who dies when, and the seed of the order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Schedule {
    pub ranks: usize,
    pub kills: Vec<Point>,
    pub seed: u64,
    /// Which messages receives from any source take.
    pub matches: Vec<ForcedMatch>,
}

impl Point {
    pub const BEFORE: u32 = 0;
    pub const AFTER: u32 = u32::MAX;

    /// The order that kills the rank there.
    pub fn event(&self) -> Event {
        let moment = match self.moment {
            Point::BEFORE => Moment::Before,
            Point::AFTER => Moment::After,
            step => Moment::Inside { step },
        };
        let when = When::Call { name: Some(self.name.clone()), count: self.nth, moment };
        Event { seat: self.who.rank, life: Life::Only(self.who.life), when }
    }

    /// The point at which an order kills a rank; `None` if it is not for a call of one life.
    pub fn of(event: &Event) -> Option<Point> {
        let Life::Only(life) = event.life else { return None };
        let When::Call { name: Some(name), count, moment } = &event.when else { return None };
        let moment = match moment {
            Moment::Before => Point::BEFORE,
            Moment::After => Point::AFTER,
            Moment::Inside { step } => *step,
        };
        let who = Who { rank: event.seat, life };
        Some(Point { who, name: name.clone(), nth: *count, moment, place: usize::MAX })
    }

    /// Before, inside or after its call: 0, 1 or 2.
    pub fn phase(&self) -> usize {
        match self.moment {
            Point::BEFORE => 0,
            Point::AFTER => 2,
            _ => 1,
        }
    }
}

impl Schedule {
    /// The run without failures in the order of a seed.
    pub fn plain(ranks: usize, seed: u64) -> Schedule {
        Schedule { ranks, kills: Vec::new(), seed, matches: Vec::new() }
    }

    /// Reads what is written for people: `-np 4 --seed 1 --kill 2@before:MPI_Send:3`.
    pub fn parse(text: &str) -> Option<Schedule> {
        let mut schedule = Schedule::plain(0, 0);
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let value = words.next()?;
            match word {
                "-np" => schedule.ranks = value.parse().ok()?,
                "--seed" => schedule.seed = value.parse().ok()?,
                "--match" => schedule.matches.push(ForcedMatch::parse(value)?),
                "--kill" => schedule.kills.push(Point::of(&Event::parse(value).ok()?)?),
                _ => return None,
            }
        }
        (schedule.ranks > 0).then_some(schedule)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.event().fmt(f)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-np {} --seed {}", self.ranks, self.seed)?;
        self.matches.iter().try_for_each(|forced| write!(f, " --match {forced}"))?;
        self.kills.iter().try_for_each(|kill| write!(f, " --kill {kill}"))
    }
}

/// Of `count` visits of a place those that stand for all, the most telling first.
fn chosen(count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    for visit in [0, count - 1, 1, count / 2] {
        if visit < count && !chosen.contains(&visit) {
            chosen.push(visit);
        }
    }
    chosen
}

/// The moments of a call with so many steps that stand for all.
fn moments(steps: u32) -> Vec<u32> {
    let mut moments = vec![Point::BEFORE];
    for step in [1, 2, steps / 2, steps] {
        if (1..=steps).contains(&step) && !moments.contains(&step) {
            moments.push(step);
        }
    }
    moments.push(Point::AFTER);
    moments
}

/// A rank cannot be missed any more once it has left MPI, nor before it has joined.
fn is_outside(name: &str, moment: u32) -> bool {
    name == "MPI_Finalize" && moment == Point::AFTER
}

/// All points at those calls of a trace that are of interest; loops are recognised. In rounds: each
/// round has one point of each place and phase, for another rank each time.
pub(crate) fn of(trace: &Trace, is_of_interest: impl Fn(usize, &Call) -> bool) -> Vec<Point> {
    let mut calls_of: BTreeMap<(Who, &str, usize), Vec<usize>> = BTreeMap::new();
    let mut has_left = HashSet::new();
    for (number, call) in trace.calls.iter().enumerate() {
        if has_left.contains(&call.who) {
            continue;
        }
        if call.name == "MPI_Finalize" && call.class == Some(0) {
            has_left.insert(call.who);
        }
        if is_of_interest(number, call) {
            calls_of.entry((call.who, &call.name, call.place)).or_default().push(number);
        }
    }
    // One kind for each place and phase, and in it one list for each rank.
    let mut kinds: Kinds = BTreeMap::new();
    for ((who, name, place), calls) in calls_of {
        for visit in chosen(calls.len()) {
            let call = &trace.calls[calls[visit]];
            for moment in moments(call.steps) {
                if !is_outside(name, moment) {
                    let (nth, name) = (call.nth, name.to_string());
                    let point = Point { who, name, nth, moment, place };
                    let ranks = kinds.entry((place, point.phase())).or_default();
                    ranks.entry(who).or_default().push(point);
                }
            }
        }
    }
    in_rounds(kinds)
}

/// The points of each place and phase, by rank.
type Kinds = BTreeMap<(usize, usize), BTreeMap<Who, Vec<Point>>>;

/// One of each kind in turn; within a kind the ranks take turns, the first, the last and the middle
/// ones first, since these differ most.
fn in_rounds(kinds: Kinds) -> Vec<Point> {
    let mut queues: Vec<Vec<Point>> = Vec::new();
    for (number, ranks) in kinds.into_values().enumerate() {
        let mut lists: Vec<Vec<Point>> = ranks.into_values().collect();
        let count = lists.len();
        let order = spread(count);
        let mut queue = Vec::new();
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..longest {
            // Another rank first for each kind: so that early runs kill different ranks.
            for turn in 0..count {
                let list = &mut lists[order[(turn + number) % count]];
                if round < list.len() {
                    queue.push(list[round].clone());
                }
            }
        }
        queue.reverse();
        queues.push(queue);
    }
    let mut points = Vec::new();
    while queues.iter().any(|queue| !queue.is_empty()) {
        points.extend(queues.iter_mut().filter_map(Vec::pop));
    }
    points
}

/// The numbers below `count`: ends first, then the middles between.
fn spread(count: usize) -> Vec<usize> {
    let mut order = Vec::new();
    for number in [0, count - 1, 1, count / 2] {
        if number < count && !order.contains(&number) {
            order.push(number);
        }
    }
    order.extend((0..count).filter(|number| ![0, count - 1, 1, count / 2].contains(number)));
    order
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Ranks that call MPI_Init, so many times MPI_Send at one place, and MPI_Finalize.
    pub(crate) fn looping(ranks: usize, times: usize) -> Trace {
        let mut text = format!("job {ranks} ft:rebuild\nat 0 p+0x1\nat 1 p+0x2\nat 2 p+0x3\n");
        for rank in 0..ranks {
            text += &format!("call {rank} 0 MPI_Init 0\ndone {rank} 0 0\n");
            for _ in 0..times {
                text += &format!("call {rank} 0 MPI_Send 1\nstep {rank} 0\ndone {rank} 0 0\n");
            }
            text += &format!("call {rank} 0 MPI_Finalize 2\nstep {rank} 0\ndone {rank} 0 0\n");
        }
        Trace::read(&text)
    }

    #[test]
    fn ten_thousand_iterations_are_few_points() {
        let points = of(&looping(1, 10_000), |_, _| true);
        let sends: BTreeSet<u64> =
            points.iter().filter(|point| point.name == "MPI_Send").map(|point| point.nth).collect();
        assert_eq!(sends.into_iter().collect::<Vec<_>>(), [1, 2, 5001, 10_000]);
        assert_eq!(points.len(), 2 + 4 * 3 + 2);
    }

    #[test]
    fn the_first_round_has_each_place_and_phase_once_and_no_rank_twice_in_a_row() {
        let points = of(&looping(4, 9), |_, _| true);
        let first = &points[..8];
        let kinds: BTreeSet<(usize, usize)> =
            first.iter().map(|point| (point.place, point.phase())).collect();
        assert_eq!(kinds.len(), 7, "init has no steps, and nobody dies after finalize");
        let ranks: BTreeSet<usize> = first.iter().map(|point| point.who.rank).collect();
        assert_eq!(ranks.len(), 4);
    }

    #[test]
    fn a_point_is_an_order_to_kill() {
        let who = Who { rank: 3, life: 1 };
        let point = |moment| Point { who, name: "MPI_Bcast".into(), nth: 2, moment, place: 0 };
        assert_eq!(point(Point::BEFORE).to_string(), "3.2@before:MPI_Bcast:2");
        assert_eq!(point(3).to_string(), "3.2@inside:MPI_Bcast:2:3");
        assert_eq!(point(Point::AFTER).to_string(), "3.2@after:MPI_Bcast:2");
    }

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        let text = "-np 4 --seed 7 --match 0:2=1 --match 1:1=3 --kill 2@before:MPI_Send:3 \
            --kill 0.2@inside:MPI_Bcast:1:2";
        let schedule = Schedule::parse(text).expect("it is one");
        assert_eq!(schedule.to_string(), text);
        assert_eq!(Schedule::parse("-np 4 --kill 1@5ms"), None);
    }

    #[test]
    fn only_later_points_are_asked_for() {
        let trace = looping(2, 3);
        let late = of(&trace, |number, _| number + 1 == trace.calls.len());
        assert!(late.iter().all(|point| point.name == "MPI_Finalize" && point.who.rank == 1));
    }
}
