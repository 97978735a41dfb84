//! Severed links: two hosts that both reach the coordinator, but not each other. Pure.
//!
//! Two neighbours may each say that the other one does not answer the phone. One of them alone
//! proves nothing: the other may be asleep, as a process is that somebody has stopped. If both say
//! so, both are awake, and the line is dead. Then one of their hosts has to go, since others would
//! wait for ever for what is lost between them: the one that is cut off from more hosts, or else
//! the later one. What is decided about waits until all have had time to complain, or a host that
//! nobody reaches would take another one along for each of its links.

use ftmpi_base::Member;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long complaints are collected once a link is known to be severed.
pub const SETTLE: Duration = Duration::from_millis(1500);

/// A life of a rank, and its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resident {
    pub host: usize,
    pub seat: usize,
    pub incarnation: u32,
}

impl Resident {
    pub fn new(host: usize, Member { seat, incarnation }: Member) -> Resident {
        Resident { host, seat, incarnation }
    }
}

/// A host that is to go, and one that it cannot reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    pub host: usize,
    pub severed_from: usize,
}

/// What is known of the links between hosts.
#[derive(Debug, Default)]
pub struct Severed {
    /// Who says that whom is silent.
    complaints: BTreeSet<(Resident, Resident)>,
    /// When the first of the links that are severed now was known.
    since: Option<Duration>,
}

impl Severed {
    /// `by` says that `about` does not answer. True if that one is to try to reach it, too, as it
    /// has not complained itself.
    pub fn complain(&mut self, by: Resident, about: Resident, now: Duration) -> bool {
        self.complaints.insert((by, about));
        if !self.links().is_empty() {
            self.since.get_or_insert(now);
        }
        !self.complaints.contains(&(about, by))
    }

    /// `by` has heard of `about` again.
    pub fn withdraw(&mut self, by: Resident, about: Resident) {
        self.complaints.remove(&(by, about));
        self.look_again();
    }

    /// This life is over.
    pub fn forget(&mut self, member: Member) {
        let is_it =
            |one: &Resident| (one.seat, one.incarnation) == (member.seat, member.incarnation);
        self.complaints.retain(|(by, about)| !is_it(by) && !is_it(about));
        self.look_again();
    }

    fn look_again(&mut self) {
        if self.links().is_empty() {
            self.since = None;
        }
    }

    /// The links that are severed: both ends say so.
    fn links(&self) -> BTreeSet<(usize, usize)> {
        let are_two = |(by, about): &&(Resident, Resident)| {
            by.host < about.host && self.complaints.contains(&(*about, *by))
        };
        self.complaints.iter().filter(are_two).map(|(by, about)| (by.host, about.host)).collect()
    }

    /// When something is to be decided, unless a complaint is withdrawn.
    pub fn due(&self) -> Option<Duration> {
        self.since.map(|since| since + SETTLE)
    }

    /// The hosts that are to go, if it is time. What concerns them is forgotten.
    pub fn decide(&mut self, now: Duration) -> Vec<GivenUp> {
        if self.due().is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.since = None;
        let (mut links, mut given_up) = (self.links(), Vec::new());
        while !links.is_empty() {
            let mut severed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (one, other) in &links {
                severed.entry(*one).or_default().push(*other);
                severed.entry(*other).or_default().push(*one);
            }
            let worst = severed.iter().max_by_key(|(host, from)| (from.len(), **host));
            let Some((&host, from)) = worst else { break };
            given_up.push(GivenUp { host, severed_from: from[0] });
            links.retain(|(one, other)| ![*one, *other].contains(&host));
            self.complaints.retain(|(by, about)| ![by.host, about.host].contains(&host));
        }
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::{self, number};
    use ftmpi_base::random::Random;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn resident(host: usize) -> Resident {
        Resident { host, seat: host, incarnation: 0 }
    }

    #[test]
    fn one_that_complains_alone_proves_nothing() {
        let mut severed = Severed::default();
        assert!(severed.complain(resident(0), resident(1), at(0)));
        assert!(severed.complain(resident(2), resident(1), at(5)));
        assert_eq!((severed.due(), severed.decide(at(100_000))), (None, Vec::new()));
    }

    #[test]
    fn of_two_the_later_one_goes_unless_one_takes_its_word_back() {
        let mut severed = Severed::default();
        assert!(severed.complain(resident(0), resident(1), at(0)));
        assert!(!severed.complain(resident(1), resident(0), at(10)));
        assert_eq!(severed.decide(at(1500)), []);
        severed.withdraw(resident(0), resident(1));
        assert_eq!((severed.due(), severed.decide(at(5000))), (None, Vec::new()));
        severed.complain(resident(0), resident(1), at(6000));
        let expected = [GivenUp { host: 1, severed_from: 0 }];
        assert_eq!(severed.decide(at(7500)), expected);
        assert_eq!(severed.decide(at(90_000)), []);
    }

    #[test]
    fn a_host_that_nobody_reaches_takes_no_other_along() {
        let mut severed = Severed::default();
        for other in 1..5 {
            severed.complain(resident(0), resident(other), at(other as u64 * 100));
            severed.complain(resident(other), resident(0), at(other as u64 * 100 + 90));
        }
        assert_eq!(severed.decide(at(2000)), [GivenUp { host: 0, severed_from: 1 }]);
    }

    #[test]
    fn the_dead_complain_no_more() {
        let mut severed = Severed::default();
        severed.complain(resident(0), resident(1), at(0));
        severed.complain(resident(1), resident(0), at(0));
        severed.forget(Member { seat: 1, incarnation: 0 });
        assert_eq!((severed.due(), severed.decide(at(5000))), (None, Vec::new()));
    }

    /// Some hosts, of which some cannot reach each other, and some are stopped for good.
    struct World {
        hosts: usize,
        cuts: BTreeSet<(usize, usize)>,
        stopped: BTreeSet<usize>,
    }

    impl World {
        fn make(random: &mut Random) -> World {
            let hosts = 2 + random.below(5) as usize;
            let mut pairs = Vec::new();
            (0..hosts).for_each(|one| pairs.extend((0..one).map(|other| (other, one))));
            let share = random.below(100);
            pairs.retain(|_| random.below(100) < share);
            let stopped = (0..hosts).filter(|_| random.below(6) == 0).collect();
            World { hosts, cuts: pairs.into_iter().collect(), stopped }
        }

        fn is_cut(&self, one: usize, other: usize) -> bool {
            self.cuts.contains(&(one.min(other), one.max(other)))
        }

        /// Whether one hears nothing of the other.
        fn is_silent(&self, by: usize, about: usize) -> bool {
            self.is_cut(by, about) || self.stopped.contains(&about)
        }
    }

    /// Runs a schedule; returns how many links are cut.
    fn run(seed: u64) -> u64 {
        let random = &mut Random::new(seed);
        let world = World::make(random);
        let mut severed = Severed::default();
        let mut events: BTreeSet<(u64, usize, usize)> = BTreeSet::new();
        for by in (0..world.hosts).filter(|by| !world.stopped.contains(by)) {
            let silent = (0..world.hosts).filter(|about| world.is_silent(by, *about));
            for about in silent.filter(|about| *about != by) {
                // Some have nothing to say to each other until they are asked.
                if random.below(4) > 0 {
                    events.insert((4000 + random.below(1000), by, about));
                }
            }
        }
        let mut left: BTreeSet<usize> = (0..world.hosts).collect();
        while let Some((time, by, about)) = events.pop_first() {
            let given_up = severed.decide(at(time));
            check(&world, &mut left, given_up, seed);
            if !left.contains(&by) || !left.contains(&about) {
                continue;
            }
            let is_asked = severed.complain(resident(by), resident(about), at(time));
            if is_asked && !world.stopped.contains(&about) && world.is_silent(about, by) {
                events.insert((time + 4000 + random.below(1000), about, by));
            }
        }
        let given_up = severed.decide(at(1 << 30));
        check(&world, &mut left, given_up, seed);
        let moving: Vec<usize> =
            left.iter().copied().filter(|host| !world.stopped.contains(host)).collect();
        for by in &moving {
            let others = moving.iter().filter(|about| world.is_cut(*by, **about));
            let known =
                |about: &&usize| severed.complaints.contains(&(resident(*by), resident(**about)));
            assert_eq!(others.filter(known).count(), 0, "seed {seed}: {severed:?}");
        }
        world.cuts.len() as u64
    }

    #[test]
    fn whatever_is_cut_or_stopped_only_hosts_go_that_have_lost_a_link_and_no_link_is_left_cut() {
        (0..number("FTMPI_SCHEDULES", 20_000)).for_each(|seed| _ = run(seed));
    }

    #[test]
    #[ignore = "takes minutes"]
    fn no_link_is_left_cut_in_many_schedules() {
        schedules::many("severed links", 1 << 40, |seeds| seeds.map(run).sum());
    }

    fn check(world: &World, left: &mut BTreeSet<usize>, given_up: Vec<GivenUp>, seed: u64) {
        for GivenUp { host, severed_from } in given_up {
            assert!(left.remove(&host) && left.contains(&severed_from), "seed {seed}");
            assert!(world.is_cut(host, severed_from), "seed {seed}: {host} {severed_from}");
            let is_stopped = [host, severed_from].iter().any(|it| world.stopped.contains(it));
            assert!(!is_stopped, "seed {seed}: a process that is stopped says nothing");
        }
    }
}
