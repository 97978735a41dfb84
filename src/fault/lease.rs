//! Leases: a host may run ranks for as long as the coordinator answers it. Pure.
//!
//! A host that cannot reach the coordinator is in the same place as a tenant who cannot pay: it
//! does not know whether others have taken its rooms. So it moves out in time. It sends *beats*;
//! each answer prolongs its lease until [`TERM`] after the moment at which it *sent* that beat. The
//! coordinator counts from the moment at which it *heard* the last beat that it has answered, which
//! is later, and waits for [`GRACE`] more. So the host has ended its ranks before anybody replaces
//! them, whatever the network delays, loses or cuts, as long as clocks run equally fast.
//!
//! Only the coordinator's side goes on, however small: there is never a second world, and so no
//! vote is needed.

use std::time::Duration;

/// How long a lease lasts.
pub const TERM: Duration = Duration::from_millis(2800);

/// What a host may need to end its ranks when its lease is over.
pub const GRACE: Duration = Duration::from_millis(400);

/// How often a host asks for more time.
pub const BEAT: Duration = Duration::from_millis(150);

/// The lease of a host, as the host sees it. The times are of its own clock.
#[derive(Debug, Default)]
pub struct Lease {
    until: Option<Duration>,
    next_beat: Duration,
}

impl Lease {
    /// The beat that is to be sent now, if one is: its number is the time.
    pub fn beat(&mut self, now: Duration) -> Option<u64> {
        if now < self.next_beat {
            return None;
        }
        self.next_beat = now + BEAT;
        Some(now.as_micros() as u64)
    }

    /// Another coordinator is to be asked for more time at once.
    pub fn hurry(&mut self) {
        self.next_beat = Duration::ZERO;
    }

    /// When the next beat is due.
    #[cfg(test)]
    pub(crate) fn next_beat(&self) -> Duration {
        self.next_beat
    }

    /// The coordinator has answered this beat. True if that has begun the lease: before, no rank
    /// may be started.
    pub fn renew(&mut self, beat: u64) -> bool {
        let until = Duration::from_micros(beat) + TERM;
        let is_first = self.until.is_none();
        self.until = self.until.max(Some(until));
        is_first
    }

    /// The ranks of this host are to end.
    pub fn is_over(&self, now: Duration) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// How long the host has not to look at its lease.
    pub fn rest(&self, now: Duration) -> Duration {
        self.until.map_or(BEAT, |until| until.saturating_sub(now).min(BEAT))
    }
}

/// The leases of all hosts, as the coordinator sees them.
#[derive(Debug)]
pub struct Leases {
    /// When each was heard; nothing: it has none any more.
    heard: Vec<Option<Duration>>,
    /// After how long without a beat a lease is over.
    patience: Duration,
}

impl Leases {
    pub fn new(hosts: usize, now: Duration) -> Leases {
        Leases { heard: vec![Some(now); hosts], patience: TERM + GRACE }
    }

    /// A beat has come. True if it is to be answered.
    pub fn hear(&mut self, host: usize, now: Duration) -> bool {
        let heard = &mut self.heard[host];
        *heard = heard.map(|before| before.max(now));
        heard.is_some()
    }

    /// A host is lost, as is known otherwise.
    pub fn forget(&mut self, host: usize) {
        self.heard[host] = None;
    }

    /// The hosts whose leases are over. They get no answer from now on.
    pub fn expire(&mut self, now: Duration) -> Vec<usize> {
        let patience = self.patience;
        let over = |heard: &Option<Duration>| heard.is_some_and(|heard| heard + patience <= now);
        let hosts = 0..self.heard.len();
        let expired: Vec<usize> = hosts.filter(|host| over(&self.heard[*host])).collect();
        expired.iter().for_each(|host| self.heard[*host] = None);
        expired
    }

    /// When the next lease ends, unless there is a beat before.
    pub fn due(&self) -> Option<Duration> {
        self.heard.iter().flatten().min().map(|heard| *heard + self.patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::{self, number};
    use ftmpi_base::random::Random;
    use std::collections::VecDeque;

    /// Milliseconds from the start.
    type Time = u64;

    /// One direction of a link. A message that is sent while it is cut comes when it is whole
    /// again, as TCP sends it anew, or never.
    #[derive(Default)]
    struct Wire {
        under_way: VecDeque<(Time, u64)>,
        cuts: Vec<(Time, Time)>,
        loses: bool,
    }

    impl Wire {
        fn send(&mut self, now: Time, slowest: u64, beat: u64, random: &mut Random) {
            let mut at = now + 1 + random.below(slowest);
            for (from, to) in &self.cuts {
                if *from <= at && now < *to {
                    if self.loses {
                        return;
                    }
                    // It is sent again after a while.
                    at = at.max(*to + 1 + random.below(300));
                }
            }
            let last = self.under_way.back().map_or(0, |(at, _)| *at);
            self.under_way.push_back((at.max(last), beat));
        }

        fn take(&mut self, now: Time) -> Option<u64> {
            self.under_way.pop_front_if(|(at, _)| *at <= now).map(|(_, beat)| beat)
        }
    }

    struct Host {
        lease: Lease,
        /// Its clock: thousandths by which it is fast or slow, and what it showed at the start.
        drift: i64,
        offset: u64,
        there: Wire,
        back: Wire,
        /// When its threads do not run.
        stalls: Vec<(Time, Time)>,
        ended: Option<Time>,
        expired: Option<Time>,
    }

    impl Host {
        fn clock(&self, now: Time) -> Duration {
            let micros = now as i64 * (1000 + self.drift);
            Duration::from_micros(self.offset + micros as u64)
        }

        /// When its clock shows `clock`, or has just passed it.
        fn time(&self, clock: Duration) -> Time {
            let micros = (clock.as_micros() as u64).saturating_sub(self.offset);
            micros.div_ceil((1000 + self.drift) as u64)
        }

        /// The next moment at which anything may happen here.
        fn due(&self, now: Time) -> Option<Time> {
            let arrives = |wire: &Wire| wire.under_way.front().map(|(at, _)| *at);
            let stall = self.stalls.iter().find(|(from, to)| (*from..*to).contains(&now));
            let mine = match stall {
                _ if self.ended.is_some() => None,
                Some((_, to)) => Some(*to),
                None => {
                    let clock = self.clock(now);
                    let looks = self.lease.next_beat().min(clock + self.lease.rest(clock));
                    arrives(&self.back).into_iter().chain([self.time(looks)]).min()
                }
            };
            mine.into_iter().chain(arrives(&self.there)).min()
        }

        fn make(random: &mut Random, has_cut: Cut) -> Host {
            let mut wire = || Wire { loses: random.chance(50), ..Wire::default() };
            let (mut there, mut back) = (wire(), wire());
            let from = 500 + random.below(3000);
            let to = match has_cut {
                Cut::Second => from + random.below(1001),
                Cut::Final => Time::MAX / 2,
                Cut::While => from + random.below(8000),
            };
            let ways = if has_cut == Cut::Second { 3 } else { 1 + random.below(3) };
            if ways & 1 > 0 {
                there.cuts.push((from, to));
            }
            if ways & 2 > 0 {
                back.cuts.push((from, to));
            }
            let stall = random.below(12_000);
            Host {
                lease: Lease::default(),
                drift: random.below(9) as i64 - 4,
                offset: random.below(1 << 40),
                there,
                back,
                stalls: vec![(stall, stall + random.below(350))],
                ended: None,
                expired: None,
            }
        }

        /// What it does in a millisecond.
        fn step(&mut self, now: Time, slowest: u64, random: &mut Random) {
            let is_stalled = self.stalls.iter().any(|(from, to)| (*from..*to).contains(&now));
            if self.ended.is_some() || is_stalled {
                return;
            }
            while let Some(beat) = self.back.take(now) {
                self.lease.renew(beat);
            }
            let clock = self.clock(now);
            if self.lease.is_over(clock) {
                self.ended = Some(now);
            } else if let Some(beat) = self.lease.beat(clock) {
                self.there.send(now, slowest, beat, random);
            }
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Cut {
        Second,
        While,
        Final,
    }

    /// Runs one schedule; `patience` is the coordinator's.
    fn run(seed: u64, cut: Cut, patience: Duration) -> Vec<Host> {
        let mut random = Random::new(seed);
        let slowest = 1 + random.below(120);
        let count = 1 + random.below(5) as usize;
        let mut hosts: Vec<Host> = (0..count).map(|_| Host::make(&mut random, cut)).collect();
        let mut leases = Leases { patience, ..Leases::new(count, Duration::ZERO) };
        let mut now = 0;
        while now < 14_000 {
            let clock = Duration::from_millis(now);
            for (number, host) in hosts.iter_mut().enumerate() {
                host.step(now, slowest, &mut random);
                while let Some(beat) = host.there.take(now) {
                    if leases.hear(number, clock) {
                        host.back.send(now, slowest, beat, &mut random);
                    }
                }
            }
            for host in leases.expire(clock) {
                hosts[host].expired = Some(now);
            }
            let due = leases.due().map(|at| at.as_millis() as Time);
            let due = hosts.iter().filter_map(|host| host.due(now)).chain(due).min();
            now = due.unwrap_or(Time::MAX).max(now + 1);
        }
        hosts
    }

    fn schedules() -> u64 {
        number("FTMPI_SCHEDULES", 1000)
    }

    const RIGHT: Duration = TERM.saturating_add(GRACE);

    /// Whether a host still had ranks when others took their places.
    fn are_two_worlds(host: &Host) -> bool {
        host.expired.is_some_and(|expired| host.ended.is_none_or(|ended| ended > expired))
    }

    fn check(seed: u64) {
        for cut in [Cut::While, Cut::Final] {
            let hosts = run(seed, cut, RIGHT);
            assert!(!hosts.iter().any(are_two_worlds), "seed {seed}");
        }
    }

    #[test]
    fn ranks_have_ended_before_they_are_replaced() {
        (0..schedules()).for_each(check);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn ranks_have_ended_before_they_are_replaced_in_many_schedules() {
        schedules::many("leases", 1 << 40, |seeds| {
            let runs = 2 * (seeds.end - seeds.start);
            seeds.for_each(check);
            runs
        });
    }

    #[test]
    fn a_coordinator_that_waits_for_less_would_make_two_worlds() {
        let found = (0..schedules())
            .any(|seed| run(seed, Cut::Final, TERM - BEAT).iter().any(are_two_worlds));
        assert!(found);
    }

    #[test]
    fn a_cut_of_a_second_is_only_a_wait() {
        for seed in 0..schedules() {
            let hosts = run(seed, Cut::Second, RIGHT);
            let is_well = |host: &Host| host.ended.is_none() && host.expired.is_none();
            assert!(hosts.iter().all(is_well), "seed {seed}");
        }
    }

    #[test]
    fn a_cut_for_good_is_known_in_less_than_four_seconds() {
        for seed in 0..schedules() {
            for host in run(seed, Cut::Final, RIGHT) {
                let from = |wire: &Wire| wire.cuts.first().map_or(Time::MAX, |(from, _)| *from);
                let from = from(&host.there).min(from(&host.back));
                let ended = host.ended.expect("it has ended itself");
                assert!(ended < from + 3_500, "seed {seed}");
                // A host that is heard, but hears nothing, says so by ending its connection.
                if !host.there.cuts.is_empty() {
                    let expired = host.expired.expect("it is known");
                    assert!(expired < from + 3_800, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_lost_host_gets_no_answer_any_more() {
        let mut leases = Leases::new(2, Duration::ZERO);
        assert!(leases.hear(1, Duration::from_secs(2)));
        assert_eq!(leases.due(), Some(RIGHT));
        assert_eq!(leases.expire(RIGHT), [0]);
        assert!(!leases.hear(0, RIGHT) && leases.hear(1, RIGHT));
        leases.forget(1);
        assert_eq!(leases.due(), None);
    }
}
