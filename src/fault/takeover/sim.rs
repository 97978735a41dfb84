//! Takeover with time: clocks that differ, links that delay, lose, and are cut for a while or for
//! good, coordinators and hosts that die with and without a word, also the second coordinator.

use super::*;
use crate::lease::{Lease, Leases};
use ftmpi_base::random::Random;
use plan::{Cut, Plan};

mod due;
mod plan;
mod tests;

/// Milliseconds from the start.
type Time = u64;

#[derive(Clone, Debug)]
enum Word {
    Beat {
        beat: u64,
        echo: u64,
    },
    Answer {
        beat: u64,
        stamp: u64,
        renews: bool,
    },
    Propose {
        settled: HostView,
        next: HostView,
    },
    Accepted(u64),
    Settled(HostView),
    Ask,
    Would(bool, u64),
    /// Nobody listens there: the agent has ended.
    Refused,
    Stand,
    Voted(Vote),
    Elected(HostView),
    /// The connection has ended.
    Closed,
}

struct Letter {
    at: Time,
    from: usize,
    to: usize,
    epoch: u64,
    to_court: bool,
    word: Word,
}

/// A coordinator.
struct Court {
    /// The place where it is; the first one has a place of its own, or that of a host.
    place: usize,
    reign: Reign,
    leases: Leases,
    /// When it may give up who is missing.
    succeeds: Option<Time>,
    /// When each host was out of its view.
    out: BTreeMap<usize, Time>,
    begun: Time,
    ended: Option<Time>,
}

/// An agent.
struct Host {
    drift: i64,
    offset: u64,
    lease: Lease,
    standby: Standby,
    echo: u64,
    asked_at: Time,
    /// When it has ended, and its ranks with it.
    ended: Option<Time>,
    stall: (Time, Time),
}

struct Sim {
    random: Random,
    plan: Plan,
    letters: Vec<Letter>,
    hosts: Vec<Host>,
    courts: Vec<Court>,
    now: Time,
    succession: Duration,
    /// Whether it prints what happens.
    tells: bool,
}

impl Host {
    fn clock(&self, now: Time) -> Duration {
        let micros = now as i64 * (1000 + self.drift);
        Duration::from_micros(self.offset + micros as u64)
    }
}

/// So long after the last fault, all has come to rest: whoever is cut off has ended, and another
/// one has taken over and replaced ranks.
const REST: Time = 9_000;

/// For how long agents are held up, at most.
const STALLS: Time = 350;

impl Sim {
    fn new(seed: u64, mild: bool, succession: Duration) -> Sim {
        let mut random = Random::new(seed);
        let count = 1 + random.below(5) as usize;
        let place = if random.chance(50) { count } else { random.below(count as u64) as usize };
        let host = |me: usize, random: &mut Random| {
            let stall = random.below(9_000);
            let (drift, offset) = (random.below(9) as i64 - 4, random.below(1 << 40));
            let now = Duration::from_micros(offset);
            let standby = Standby::new(me, HostView::first(count), now);
            let stall = (stall, stall + random.below(STALLS));
            let lease = Lease::default();
            Host { drift, offset, lease, standby, echo: 0, asked_at: 0, ended: None, stall }
        };
        let hosts = (0..count).map(|me| host(me, &mut random)).collect();
        let plan = Plan::draw(&mut random, count, place, mild);
        let reign = Reign::first(count, Duration::ZERO);
        let leases = Leases::new(count, Duration::ZERO);
        let out = BTreeMap::new();
        let first = Court { place, reign, leases, succeeds: None, out, begun: 0, ended: None };
        let (letters, courts) = (Vec::new(), vec![first]);
        Sim { random, plan, letters, hosts, courts, now: 0, succession, tells: false }
    }

    fn tell(&self, what: impl Fn() -> String) {
        if self.tells {
            println!("{:>6}  {}", self.now, what());
        }
    }

    fn is_dead(&self, place: usize) -> bool {
        self.plan.deaths.iter().any(|(dead, at)| *dead == place && *at <= self.now)
    }

    /// When what `one` sends to `other` gets through again, if it would not arrive at `at`.
    fn is_cut(&self, one: usize, other: usize, at: Time) -> Option<Time> {
        let meets =
            |cut: &&Cut| (cut.from, cut.to) == (one, other) && (cut.begin..cut.end).contains(&at);
        self.plan.cuts.iter().find(meets).map(|cut| cut.end)
    }

    fn send(&mut self, ways: (usize, usize), epoch: u64, to_court: bool, word: Word) {
        self.send_after(0, ways, epoch, to_court, word);
    }

    fn send_after(
        &mut self, wait: Time, (from, to): (usize, usize), epoch: u64, to_court: bool, word: Word,
    ) {
        let mut at = self.now + wait + 1 + self.random.below(self.plan.slowest);
        if let Some(end) = self.is_cut(from, to, at) {
            if self.plan.loses && self.random.chance(30) {
                return;
            }
            // It is sent again after a while.
            at = end + 1 + self.random.below(300);
        }
        // One connection keeps its order.
        let same = self
            .letters
            .iter()
            .filter(|it| (it.from, it.to, it.epoch, it.to_court) == (from, to, epoch, to_court));
        at = same.map(|it| it.at).fold(at, Time::max);
        self.letters.push(Letter { at, from, to, epoch, to_court, word });
    }

    fn clock(&self, host: usize) -> Duration {
        self.hosts[host].clock(self.now)
    }

    /// The time of the coordinator.
    fn time(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    fn obey(&mut self, court: usize, moves: Vec<Move>) {
        for it in moves {
            let (place, epoch) = (self.courts[court].place, self.courts[court].reign.epoch());
            let members: Vec<usize> = self.courts[court].reign.members().collect();
            let word = match it {
                Move::Propose { settled, next } => Word::Propose { settled, next },
                Move::Settled { view, gone } => {
                    let now = self.now;
                    for host in gone {
                        self.courts[court].out.entry(host).or_insert(now);
                        self.courts[court].leases.forget(host);
                        self.send((place, host), epoch, false, Word::Closed);
                    }
                    Word::Settled(view)
                }
                Move::GiveUp { .. } => {
                    self.courts[court].ended = Some(self.now);
                    Word::Closed
                }
            };
            for host in members {
                self.send((place, host), epoch, false, word.clone());
            }
        }
    }

    fn step_court(&mut self, number: usize) {
        let now = self.now;
        let court = &self.courts[number];
        if court.ended.is_some() || self.is_dead(court.place) {
            return;
        }
        let (place, epoch) = (court.place, court.reign.epoch());
        let is_killed = self.plan.kills.contains(&(number, now));
        let has_gone = self.hosts.get(place).is_some_and(|host| host.ended.is_some());
        if is_killed || number > 0 && has_gone {
            self.courts[number].ended = Some(now);
            for host in self.courts[number].reign.members().collect::<Vec<usize>>() {
                self.send((place, host), epoch, false, Word::Closed);
            }
            return;
        }
        let time = self.time();
        if self.courts[number].succeeds.is_some_and(|at| at <= now) {
            self.courts[number].succeeds = None;
            let moves = self.courts[number].reign.succeed();
            self.obey(number, moves);
        }
        for host in self.courts[number].leases.expire(time) {
            let moves = self.courts[number].reign.lose(host);
            self.obey(number, moves);
        }
    }

    fn court_hears(&mut self, epoch: u64, from: usize, word: Word) {
        let by_epoch = |court: &Court| court.reign.epoch() == epoch;
        let Some(number) = self.courts.iter().position(by_epoch) else { return };
        let time = self.time();
        let court = &mut self.courts[number];
        if court.ended.is_some() {
            return;
        }
        match word {
            Word::Beat { beat, echo } => {
                court.reign.confirm(from, Duration::from_millis(echo));
                if court.leases.hear(from, time) {
                    let renews = court.reign.is_backed(time);
                    let answer = Word::Answer { beat, stamp: self.now, renews };
                    let place = court.place;
                    self.send((place, from), epoch, false, answer);
                }
            }
            Word::Accepted(view) => {
                let moves = court.reign.hear(from, view);
                self.obey(number, moves);
            }
            // One that has only left has ranks until its lease is over.
            Word::Closed if self.hosts[from].ended.is_some() => {
                court.leases.forget(from);
                let moves = court.reign.lose(from);
                self.obey(number, moves);
            }
            _ => {}
        }
    }

    /// What a host does in a millisecond.
    fn step_host(&mut self, me: usize) {
        let (now, clock) = (self.now, self.clock(me));
        let host = &mut self.hosts[me];
        let is_stalled = (host.stall.0..host.stall.1).contains(&now);
        if host.ended.is_some() || is_stalled {
            return;
        }
        if host.lease.is_over(clock) {
            host.ended = Some(now);
            return self.close(me);
        }
        let epoch = host.standby.voter.epoch();
        if !host.standby.is_cut
            && let Some(beat) = host.lease.beat(clock)
        {
            let (echo, place) = (host.echo, self.place_of(epoch));
            self.send((me, place), epoch, true, Word::Beat { beat, echo });
        }
        let host = &mut self.hosts[me];
        if let Some(epoch) = host.standby.ask(clock) {
            let would = host.standby.would(epoch, clock);
            let stands = host.standby.hear_would(me, epoch, would, clock);
            let others = (0..self.hosts.len()).filter(|other| *other != me);
            others.for_each(|other| self.send((me, other), epoch, false, Word::Ask));
            if stands {
                self.stand(me, epoch);
            }
        }
        if let Some(epoch) = self.hosts[me].standby.stands()
            && now % due::AGAIN == 0
        {
            let others = (0..self.hosts.len()).filter(|other| *other != me);
            others.for_each(|other| self.send((me, other), epoch, false, Word::Stand));
        }
        if let Some(Won { mut reign, deserted, gone }) = self.hosts[me].standby.win(clock) {
            let epoch = reign.epoch();
            let deserted = now.saturating_sub((clock - deserted).as_millis() as u64);
            reign.back(Duration::from_millis(self.hosts[me].asked_at));
            let wait = self.succession.as_millis() as u64;
            let succeeds = reign.has_to_wait().then_some((deserted + wait).max(now));
            let mut leases = Leases::new(self.hosts.len(), self.time());
            let members: Vec<usize> = reign.members().collect();
            (0..self.hosts.len())
                .filter(|host| !members.contains(host))
                .for_each(|host| leases.forget(host));
            let settled = reign.settled().clone();
            let (out, begun, ended) = (BTreeMap::new(), now, None);
            self.courts.push(Court { place: me, reign, leases, succeeds, out, begun, ended });
            for host in members {
                self.send((me, host), epoch, false, Word::Elected(settled.clone()));
            }
            let court = self.courts.len() - 1;
            for host in gone {
                self.courts[court].leases.forget(host);
                let moves = self.courts[court].reign.lose(host);
                self.obey(court, moves);
            }
        }
    }

    /// An agent ends: whoever listens to it hears that.
    fn close(&mut self, me: usize) {
        let epoch = self.hosts[me].standby.voter.epoch();
        let place = self.place_of(epoch);
        self.send((me, place), epoch, true, Word::Closed);
    }

    fn stand(&mut self, me: usize, epoch: u64) {
        let clock = self.clock(me);
        self.hosts[me].asked_at = self.now;
        self.leave(me, epoch, clock);
        let others = (0..self.hosts.len()).filter(|other| *other != me);
        others.for_each(|other| self.send((me, other), epoch, false, Word::Stand));
    }

    /// Votes, and leaves the coordinator that it had.
    fn leave(&mut self, me: usize, epoch: u64, clock: Duration) {
        let before = self.hosts[me].standby.voter.epoch();
        let Some(vote) = self.hosts[me].standby.vote(epoch, clock) else { return };
        let place = self.place_of(before);
        self.send((me, place), before, true, Word::Closed);
        let candidate = (epoch % self.hosts.len() as u64) as usize;
        match candidate == me {
            true => self.hosts[me].standby.hear_vote(me, vote, clock),
            false => self.send((me, candidate), epoch, false, Word::Voted(vote)),
        }
    }

    fn place_of(&self, epoch: u64) -> usize {
        let by_epoch = |court: &&Court| court.reign.epoch() == epoch;
        self.courts.iter().find(by_epoch).map_or(0, |court| court.place)
    }

    fn host_hears(&mut self, me: usize, from: usize, epoch: u64, word: Word) {
        let clock = self.clock(me);
        let host = &mut self.hosts[me];
        match word {
            Word::Answer { beat, stamp, renews } => {
                if host.standby.hear(epoch, clock) {
                    host.echo = host.echo.max(stamp);
                    _ = renews && host.lease.renew(beat);
                }
            }
            Word::Propose { settled, next } => {
                if host.standby.hear(epoch, clock) {
                    host.standby.voter.settle(&settled);
                    if host.standby.voter.accept(epoch, &next) {
                        self.send((me, from), epoch, true, Word::Accepted(next.number));
                    }
                }
            }
            Word::Settled(view) => {
                if host.standby.hear(epoch, clock) {
                    host.standby.voter.settle(&view);
                }
            }
            Word::Closed => host.standby.desert(epoch),
            Word::Ask => {
                let (would, highest) = host.standby.would(epoch, clock);
                self.send((me, from), epoch, false, Word::Would(would, highest));
            }
            Word::Would(would, highest) => {
                if host.standby.hear_would(from, epoch, (would, highest), clock) {
                    self.stand(me, epoch);
                } else if !would && self.hosts[me].standby.insists(epoch, clock) {
                    self.send_after(due::AGAIN, (me, from), epoch, false, Word::Ask);
                }
            }
            Word::Refused => host.standby.miss(from),
            Word::Stand => {
                host.standby.wait(epoch, clock);
                self.leave(me, epoch, clock);
            }
            Word::Voted(vote) => host.standby.hear_vote(from, vote, clock),
            Word::Elected(settled) => {
                if host.standby.follow(epoch, clock) {
                    host.echo = 0;
                    host.lease.hurry();
                    host.standby.voter.settle(&settled);
                }
            }
            Word::Beat { .. } | Word::Accepted(_) => {}
        }
    }

    fn run(mut self) -> Sim {
        let stalls = self.hosts.iter().map(|host| host.stall.1);
        let span = stalls.fold(self.plan.last(), Time::max) + REST;
        while self.now < span {
            self.now = self.next_time().clamp(self.now + 1, span);
            for me in 0..self.hosts.len() {
                if self.is_dead(me) && self.hosts[me].ended.is_none() {
                    self.hosts[me].ended = Some(self.now);
                }
                self.step_host(me);
            }
            let now = self.now;
            let due: Vec<Letter> = self.letters.extract_if(.., |it| it.at <= now).collect();
            for Letter { from, to, epoch, to_court, word, .. } in due {
                let whom = if to_court { "coordinator" } else { "host" };
                self.tell(|| format!("{from} to the {whom} {to} of epoch {epoch}: {word:?}"));
                let is_stalled = |host: &Host| (host.stall.0..host.stall.1).contains(&now);
                if self.is_dead(to) {
                    continue;
                }
                if to_court {
                    self.court_hears(epoch, from, word);
                } else if self.hosts[to].ended.is_none() {
                    if is_stalled(&self.hosts[to]) {
                        let at = self.hosts[to].stall.1;
                        self.letters.push(Letter { at, from, to, epoch, to_court, word });
                    } else {
                        self.host_hears(to, from, epoch, word);
                    }
                } else if matches!(word, Word::Ask) {
                    self.send((to, from), epoch, false, Word::Refused);
                }
            }
            (0..self.courts.len()).for_each(|court| self.step_court(court));
        }
        self
    }

    /// A host that still had ranks when a coordinator took it to be out.
    fn has_two_worlds(&self) -> bool {
        let is_early =
            |(host, out): (&usize, &Time)| self.hosts[*host].ended.is_none_or(|ended| ended > *out);
        self.courts.iter().any(|court| court.out.iter().any(is_early))
    }

    /// What must be true, whatever happens: there is one world at most, and nobody waits for ever.
    fn verdict(&self) -> Result<(), String> {
        if self.has_two_worlds() {
            return Err("a rank was replaced while it lived".into());
        }
        let epochs: BTreeSet<u64> = self.courts.iter().map(|court| court.reign.epoch()).collect();
        if epochs.len() < self.courts.len() {
            return Err("two coordinators in one epoch".into());
        }
        let (living, reigning) = self.survivors();
        match reigning[..] {
            // What is said but once may have been lost.
            _ if self.plan.loses => Ok(()),
            [] if living.is_empty() => Ok(()),
            [court] if court.reign.settled().hosts == living => Ok(()),
            _ => {
                let views =
                    reigning.iter().map(|court| (court.reign.epoch(), court.reign.settled()));
                Err(format!("hosts {living:?} live, in {:?}", views.collect::<Vec<_>>()))
            }
        }
    }

    /// The hosts that live at the end, and the coordinators that do.
    fn survivors(&self) -> (Vec<usize>, Vec<&Court>) {
        let lives = |host: &usize| self.hosts[*host].ended.is_none();
        let reigns = |court: &&Court| court.ended.is_none() && !self.is_dead(court.place);
        ((0..self.hosts.len()).filter(lives).collect(), self.courts.iter().filter(reigns).collect())
    }
}
