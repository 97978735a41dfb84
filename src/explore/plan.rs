//! What to try next. Candidates wait in tiers: neighbours of runs that showed something new come
//! first, then other matches of receives from any source, a few orders, all single failures,
//! failures that meet in a recovery, other matches in runs with failures, other pairs, more orders,
//! and at last the orders of runs with a failure. A pair of places and phases is tried once.

use crate::matches;
use crate::orders::Orders;
use crate::points::{self, Point, Schedule};
use crate::quota::Quota;
use crate::trace::{Call, Death, Place, Trace};
use ftmpi_base::random::Random;
use std::collections::{HashMap, HashSet, VecDeque};

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many ranks die in a run at most.
    pub faults: usize,
    /// How many orders are tried at most.
    pub orders: u64,
    /// Whether to go on at random when everything has been tried.
    pub is_endless: bool,
}

/// Why a run was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    New,
    Match,
    FirstOrders,
    Single,
    Meeting,
    MatchOfFailure,
    Several,
    Order,
    OrderOfFailure,
    Random,
}

const TIERS: usize = 9;
/// The tiers, the first one first.
const IN_TURN: [Why; TIERS] = [
    Why::New,
    Why::Match,
    Why::FirstOrders,
    Why::Single,
    Why::Meeting,
    Why::MatchOfFailure,
    Why::Several,
    Why::Order,
    Why::OrderOfFailure,
];
/// Orders that are tried before anything else.
const FIRST_ORDERS: u64 = 12;
/// Other matches that are tried before any failure; the rest are tried with the other orders.
const FIRST_MATCHES: u64 = 50;
/// Other visits of a place that are tried when one has shown something new.
const NEIGHBOURS: usize = 3;

/// A place of the program and a phase of its call, by a number that is the same for all runs.
pub(crate) type Spot = (usize, usize);

/// What a run may show that none before has shown.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Feature {
    /// A call ended with this class after this many deaths.
    Class(usize, i32, usize),
    /// A call was reached that runs without failures do not reach.
    Reached(usize),
}

/// The frontier of an exploration: all that is still to be tried.
pub struct Plan {
    pub(crate) reference: Trace,
    pub(crate) ranks: usize,
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
    pub(crate) tiers: [VecDeque<Schedule>; TIERS],
    /// What has been given out or waits, as it is written.
    pub(crate) seen: HashSet<String>,
    pub(crate) sites: HashMap<Place, usize>,
    /// How many places the reference has: the first numbers are theirs.
    pub(crate) known: usize,
    pub(crate) pairs: HashSet<(Vec<Spot>, Spot, bool)>,
    pub(crate) features: HashSet<Feature>,
    pub(crate) orders: Orders,
    /// Runs with other matches, without failures and with them.
    pub(crate) matches: Quota,
    pub(crate) matches_of_failures: Quota,
    /// The places and phases of failures that were tried with other matches, and the orders that
    /// this has shown.
    pub(crate) matched: HashSet<Vec<Spot>>,
    pub(crate) orders_of_failures: Orders,
    pub(crate) singles: Vec<Point>,
    pub(crate) random: Random,
}

impl Plan {
    /// Everything to try, as a run without failures shows it.
    pub fn new(reference: Trace, seed: u64, limits: Limits) -> Plan {
        let mut plan = Plan {
            ranks: reference.ranks,
            seed,
            limits,
            tiers: Default::default(),
            seen: HashSet::new(),
            sites: HashMap::new(),
            known: 0,
            pairs: HashSet::new(),
            features: HashSet::new(),
            orders: Orders::default(),
            matches: Quota::new(limits.orders),
            matches_of_failures: Quota::new(limits.orders),
            matched: HashSet::new(),
            orders_of_failures: Orders::default(),
            singles: Vec::new(),
            random: Random::new(seed),
            reference,
        };
        for place in plan.reference.places.clone() {
            plan.site(&place);
        }
        plan.known = plan.sites.len();
        plan.orders.take(&plan.reference);
        let settled = Schedule::plain(plan.ranks, seed);
        plan.add_matches(&settled, &plan.reference.clone());
        for further in 1..=limits.orders {
            let tier = if further <= FIRST_ORDERS { Why::FirstOrders } else { Why::Order };
            plan.add(tier, vec![], seed.wrapping_add(further));
        }
        if plan.survives() && limits.faults > 0 {
            plan.singles = points::of(&plan.reference, |_, _| true);
            for point in plan.singles.clone() {
                plan.add(Why::Single, vec![point], seed);
            }
        }
        plan
    }

    /// Whether the rules of the job let a program survive a failure at all.
    pub fn survives(&self) -> bool {
        self.reference.rules != "end" && !self.reference.rules.starts_with("ft:abort")
    }

    /// How many single failures there are.
    pub fn singles(&self) -> usize {
        self.singles.len()
    }

    /// How many runs wait.
    pub fn left(&self) -> usize {
        self.tiers.iter().map(VecDeque::len).sum()
    }

    /// Whether the matches alone decide what ranks can tell: then seeds show nothing more.
    fn is_reduced(&self) -> bool {
        // Calls whose outcome depends on what has happened so far.
        const SHOW_TIME: [&str; 9] =
            ["probe", "Test", "any", "some", "Put", "Get_acc", "Accum", "Fetch", "Win_"];
        let shows = |call: &Call| SHOW_TIME.iter().any(|part| call.name.contains(part));
        !self.matches.is_used_up()
            && matches::are_known(&self.reference)
            && !self.reference.calls.iter().any(shows)
    }

    /// How many orders were told apart.
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// The next run; `None` when there is nothing left, or until a run that is under way is
    /// learned.
    pub fn draw(&mut self) -> Option<(Schedule, Why)> {
        for why in IN_TURN {
            if why == Why::Order && (self.orders.is_exhausted() || self.is_reduced()) {
                self.tiers[why as usize].retain(|schedule| !schedule.matches.is_empty());
            }
            if let Some(schedule) = self.tiers[why as usize].pop_front() {
                return Some((schedule, why));
            }
        }
        if self.limits.is_endless { self.any() } else { None }
    }

    /// A run at random: failures that were tried alone, together and in another order.
    fn any(&mut self) -> Option<(Schedule, Why)> {
        let most = self.limits.faults.min(self.singles.len()) as u64;
        // Without failures, known orders show nothing.
        let is_known = self.limits.orders == 0 || self.orders.is_exhausted() || self.is_reduced();
        let least = u64::from(is_known).min(most);
        for _ in 0..100 {
            let count = least + self.random.below(most - least + 1);
            let draw = |plan: &mut Plan| {
                let number = plan.random.below(plan.singles.len() as u64) as usize;
                plan.singles[number].clone()
            };
            let kills: Vec<Point> = (0..count).map(|_| draw(self)).collect();
            let seed = self.seed.wrapping_add(self.random.below(1 << 20));
            let schedule = Schedule { kills, ..Schedule::plain(self.ranks, seed) };
            if self.seen.insert(schedule.to_string()) {
                return Some((schedule, Why::Random));
            }
        }
        None
    }

    /// Takes in what a run has shown; true if that was new.
    pub fn learn(&mut self, schedule: &Schedule, trace: &Trace, has_failed: bool) -> bool {
        if matches::is_in_vain(trace, &schedule.matches) && !trace.stuck().is_empty() {
            self.make_up_for(schedule);
            return false;
        }
        let is_new = self.note_features(trace);
        if schedule.kills.is_empty() {
            let is_new_order = self.orders.take(trace);
            if is_new_order && schedule.seed == self.seed {
                self.add_matches(schedule, trace);
            }
            return is_new;
        }
        if is_new {
            self.add_neighbours(schedule);
        }
        if has_failed || schedule.seed != self.seed {
            return is_new;
        }
        self.add_matches_of_failure(schedule, trace);
        if schedule.matches.is_empty() && schedule.kills.len() < self.limits.faults {
            self.extend(schedule, trace);
        }
        is_new
    }

    /// A run in place of one that was in vain, if there is one.
    fn make_up_for(&mut self, schedule: &Schedule) {
        let quota = match schedule.kills.is_empty() {
            true => &mut self.matches,
            false => &mut self.matches_of_failures,
        };
        quota.in_vain += 1;
        self.use_spares();
    }

    /// As many of the runs that were kept for later as there may be.
    pub(crate) fn use_spares(&mut self) {
        while let Some(schedule) = self.matches.next() {
            self.tiers[Why::Order as usize].push_back(schedule);
        }
        while let Some(schedule) = self.matches_of_failures.next() {
            self.tiers[Why::MatchOfFailure as usize].push_back(schedule);
        }
    }

    /// Runs in which receives from any source match what they could have matched, too.
    fn add_matches(&mut self, schedule: &Schedule, trace: &Trace) {
        for matches in matches::alternatives(trace, &schedule.matches) {
            if self.matches.is_full() {
                return;
            }
            let why = if self.matches.given < FIRST_MATCHES { Why::Match } else { Why::Order };
            let schedule = Schedule { matches, ..Schedule::plain(self.ranks, self.seed) };
            if self.seen.insert(schedule.to_string())
                && let Some(schedule) = self.matches.take(schedule)
            {
                self.tiers[why as usize].push_back(schedule);
            }
        }
    }

    /// Runs with the same failures, in which receives from any source match what they could have
    /// matched. One run stands for all whose failures come in the same places and phases.
    fn add_matches_of_failure(&mut self, schedule: &Schedule, trace: &Trace) {
        let is_new_order = self.orders_of_failures.take(trace);
        let is_first = schedule.matches.is_empty()
            && self.spots(schedule, trace).is_some_and(|spots| self.matched.insert(spots));
        if !is_first && (schedule.matches.is_empty() || !is_new_order) {
            return;
        }
        for matches in matches::alternatives(trace, &schedule.matches) {
            if self.matches_of_failures.is_full() {
                return;
            }
            let schedule = Schedule { matches, ..schedule.clone() };
            if self.seen.insert(schedule.to_string())
                && let Some(schedule) = self.matches_of_failures.take(schedule)
            {
                self.tiers[Why::MatchOfFailure as usize].push_back(schedule);
            }
        }
    }

    /// Where and in which phase each rank has died.
    fn spots(&mut self, schedule: &Schedule, trace: &Trace) -> Option<Vec<Spot>> {
        let deaths = trace.deaths.iter().zip(&schedule.kills);
        let spot = |(death, kill): (&Death, &Point)| {
            let place = trace.places.get(trace.calls[death.call?.0].place)?;
            Some((self.site(place), kill.phase()))
        };
        deaths.map(spot).collect()
    }

    fn note_features(&mut self, trace: &Trace) -> bool {
        let mut is_new = false;
        let sites: Vec<usize> = trace.places.iter().map(|place| self.site(place)).collect();
        for call in &trace.calls {
            let Some(site) = sites.get(call.place).copied() else { continue };
            if let Some(class) = call.class.filter(|class| *class != 0) {
                is_new |= self.features.insert(Feature::Class(site, class, trace.deaths.len()));
            }
            if site >= self.known {
                is_new |= self.features.insert(Feature::Reached(site));
            }
        }
        is_new
    }

    /// Other visits of the place where the last failure of a run came.
    fn add_neighbours(&mut self, schedule: &Schedule) {
        let Some((last, others)) = schedule.kills.split_last() else { return };
        if last.who.life != 0 || !others.is_empty() {
            return;
        }
        let is_same = |call: &&Call| {
            call.who == last.who && call.place == last.place && call.name == last.name
        };
        let visits: Vec<u64> =
            self.reference.calls.iter().filter(is_same).map(|call| call.nth).collect();
        let Some(own) = visits.iter().position(|nth| *nth == last.nth) else { return };
        let near = [own + 1, own.wrapping_sub(1), own + 2];
        for nth in near.into_iter().filter_map(|at| visits.get(at)).take(NEIGHBOURS) {
            let kills = vec![Point { nth: *nth, ..last.clone() }];
            self.add(Why::New, kills, self.seed);
        }
    }

    /// One more failure after those of a run, where its trace shows what comes then.
    fn extend(&mut self, schedule: &Schedule, trace: &Trace) {
        let Some(death) = trace.deaths.last() else { return };
        let deaths = trace.deaths.len();
        let is_later = |number: usize, call: &Call| {
            number >= death.calls_before
                || call.deaths_before < deaths
                    && call.deaths_after == deaths
                    && call.class.is_some()
        };
        let Some(spots) = self.spots(schedule, trace) else { return };
        for point in points::of(trace, is_later) {
            let Some(place) = trace.places.get(point.place) else { continue };
            let spot = (self.site(place), point.phase());
            let is_fresh = point.who.life > 0;
            if !self.pairs.insert((spots.clone(), spot, is_fresh)) {
                continue;
            }
            let at = |call: &&Call| {
                call.who == point.who && call.name == point.name && call.nth == point.nth
            };
            let meets = is_fresh
                || spot.0 >= self.known
                || trace.calls.iter().find(at).is_some_and(|call| {
                    call.class != Some(0) || call.deaths_before < call.deaths_after
                });
            let tier = if meets { Why::Meeting } else { Why::Several };
            let mut kills = schedule.kills.clone();
            kills.push(point);
            self.add(tier, kills, self.seed);
        }
    }

    /// Orders in which a failure is tried again, once all else is done.
    pub fn add_orders_of_failures(&mut self, each: u64, most: usize) {
        let mut spots = HashSet::new();
        let firsts = self.singles.iter().filter(|point| spots.insert((point.place, point.phase())));
        let firsts: Vec<Point> = firsts.take(most).cloned().collect();
        for further in 1..=each {
            for point in &firsts {
                let seed = self.seed.wrapping_add(further);
                self.add(Why::OrderOfFailure, vec![point.clone()], seed);
            }
        }
    }

    fn add(&mut self, why: Why, kills: Vec<Point>, seed: u64) {
        let schedule = Schedule { kills, ..Schedule::plain(self.ranks, seed) };
        if self.seen.insert(schedule.to_string()) {
            self.tiers[why as usize].push_back(schedule);
        }
    }

    pub(crate) fn site(&mut self, place: &Place) -> usize {
        if let Some(known) = self.sites.get(place) {
            return *known;
        }
        let next = self.sites.len();
        self.sites.insert(place.clone(), next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::tests::looping;

    const LIMITS: Limits = Limits { faults: 2, orders: 3, is_endless: false };

    #[test]
    fn all_is_tried_once_and_then_there_is_nothing_left() {
        let mut plan = Plan::new(looping(3, 5), 1, LIMITS);
        let (mut runs, mut seen) = (0, HashSet::new());
        while let Some((schedule, why)) = plan.draw() {
            assert!(seen.insert(schedule.clone()), "{schedule}");
            assert_eq!(why == Why::FirstOrders, schedule.kills.is_empty());
            plan.learn(&schedule, &looping(3, 5), false);
            runs += 1;
        }
        assert_eq!(runs, 3 + plan.singles());
        assert_eq!(plan.left(), 0);
    }

    #[test]
    fn runs_at_random_have_failures_when_all_orders_are_known() {
        let limits = Limits { faults: 1, orders: 0, is_endless: true };
        let mut plan = Plan::new(looping(2, 1), 1, limits);
        let mut drawn = std::iter::from_fn(|| plan.draw()).filter(|(_, why)| *why == Why::Random);
        assert!((0..20).all(|_| drawn.next().is_some_and(|(run, _)| run.kills.len() == 1)));
    }

    #[test]
    fn programs_that_a_failure_ends_are_tried_in_orders_only() {
        let mut trace = looping(2, 1);
        trace.rules = "end".into();
        let mut plan = Plan::new(trace, 1, LIMITS);
        assert_eq!((plan.singles(), plan.left()), (0, 3));
        assert!(plan.draw().is_some_and(|(schedule, _)| schedule.kills.is_empty()));
    }

    #[test]
    fn other_matches_come_first_and_make_seeds_needless() {
        let trace = |first: i32, second: i32| {
            let (mut text, mut nth) = ("job 3 end\nat 0 p+0x1\n".to_string(), 0);
            text += "send 1 0 0 1 0 5\nsend 2 0 0 2 0 5\n";
            for source in [first, second] {
                nth += 1;
                text += &format!(
                    "call 0 0 MPI_Recv 0\nwild 0 0 {nth} 0 5\nmatch 0 0 {source} 5 0 {nth}\n\
                     done 0 0 0\n"
                );
            }
            Trace::read(&text)
        };
        let limits = Limits { faults: 0, orders: 200, is_endless: false };
        let mut plan = Plan::new(trace(1, 2), 1, limits);
        let (other, why) = plan.draw().expect("the other match");
        assert_eq!((other.to_string().as_str(), why), ("-np 3 --seed 1 --match 0:1=2", Why::Match));
        plan.learn(&other, &trace(2, 1), false);
        let rest: Vec<(Schedule, Why)> = std::iter::from_fn(|| plan.draw()).collect();
        assert_eq!(rest.len() as u64, FIRST_ORDERS);
        assert_eq!(plan.orders().distinct(), 2);
    }

    #[test]
    fn a_run_in_vain_is_made_up_for_and_shows_nothing() {
        // Five requests, of which any may be the first that is complete.
        let text = |rest: &str| format!("job 2 end\nat 0 p+0x1\ncall 0 0 MPI_Waitany 0\n{rest}");
        let reference = Trace::read(&text("chosen 0 0 1 4 0 1 2 3\ndone 0 0 0\n"));
        let limits = Limits { faults: 0, orders: 2, is_endless: false };
        let mut plan = Plan::new(reference, 1, limits);
        let mut forced = Vec::new();
        let vain = Trace::read(&text("awaits 0 0 1\n"));
        while let Some((schedule, _)) = plan.draw() {
            if let Some(it) = schedule.matches.first() {
                forced.push(it.source);
                assert!(!plan.learn(&schedule, &vain, false), "nothing is new");
            }
        }
        assert_eq!((forced, plan.orders().distinct()), (vec![0, 1, 2, 3], 1));
    }

    #[test]
    fn a_run_with_a_failure_is_tried_with_other_matches() {
        let text = |rest: &str| {
            format!(
                "job 3 ulfm\nat 0 p+0x1\nsend 1 0 0 1 0 5\nsend 2 0 0 2 0 5\n\
                 call 0 0 MPI_Recv 0\nwild 0 0 1 0 5\nmatch 0 0 1 5 0 1\ndone 0 0 0\n{rest}\
                 call 0 0 MPI_Recv 0\nwild 0 0 2 0 5\nmatch 0 0 2 5 0 2\ndone 0 0 0\n"
            )
        };
        let reference = text("call 2 0 MPI_Barrier 0\ndone 2 0 0\n");
        let limits = Limits { faults: 1, orders: 5, is_endless: false };
        let mut plan = Plan::new(Trace::read(&reference), 1, limits);
        let mut singles = std::iter::from_fn(|| plan.draw());
        let barrier = |(schedule, _): &(Schedule, Why)| {
            schedule.kills.first().is_some_and(|kill| kill.name == "MPI_Barrier")
        };
        let (kill, _) = singles.find(barrier).expect("rank 2 dies");
        plan.learn(
            &kill,
            &Trace::read(&text("call 2 0 MPI_Barrier 0\ndeath 2 0 SIGKILL\n")),
            false,
        );
        let other = plan.tiers[Why::MatchOfFailure as usize].front().expect("another match");
        assert_eq!(
            other.to_string(),
            format!("-np 3 --seed 1 --match 0:1=2 --kill {}", kill.kills[0])
        );
    }

    #[test]
    fn a_failure_in_the_recovery_of_another_comes_before_other_pairs() {
        let mut plan = Plan::new(looping(2, 1), 1, Limits { orders: 0, ..LIMITS });
        let (first, _) = plan.draw().expect("a single failure");
        // Rank 1 notices, calls what the reference never calls, and goes on.
        let text = "job 2 ft:rebuild\nat 0 p+0x1\nat 1 p+0x2\nat 2 p+0x9\ncall 0 0 MPI_Init 0\n\
            death 0 0 SIGKILL\ncall 1 0 MPI_Send 1\ndone 1 0 0\ncall 1 0 MPI_Comm_dup 2\n\
            step 1 0\ndone 1 0 0\n";
        assert!(plan.learn(&first, &Trace::read(text), false), "the recovery is new");
        while plan.draw().is_some_and(|(_, why)| why < Why::Single) {}
        let rest: Vec<(Schedule, Why)> = std::iter::from_fn(|| plan.draw()).collect();
        let meeting = rest.iter().position(|(_, why)| *why == Why::Meeting).expect("one meets");
        let other = rest.iter().position(|(_, why)| *why == Why::Several).expect("one does not");
        assert!(meeting < other);
        assert_eq!(rest[meeting].0.kills[1].name, "MPI_Comm_dup");
    }
}
