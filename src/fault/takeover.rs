//! Who coordinates a job on several hosts, and which hosts it has. Pure: no clock, wire or thread.
//!
//! A ship whose captain is lost chooses another one, and never sails under two. The agents of the
//! hosts are the crew. A coordinator reigns in an *epoch*, a number that no other one has. What
//! hosts the job has is a chain of *host views*: a host that is lost is out only once enough hosts
//! of the last view have accepted the next one. An agent that does not hear the coordinator any
//! more asks the others; if most of them hear nothing either, it stands, and they vote for it. A
//! voter accepts nothing from earlier epochs, and tells what it has accepted from them. So the
//! chain is one, whoever is lost when: each link of it is a decision as Paxos makes it (Lamport
//! 1998), with the epoch as the ballot.
//!
//! Of two hosts, one is enough for the coordinator, but a successor needs both: its side goes on.
//!
//! An old coordinator may live on behind a cut. It prolongs leases (see [`lease`](crate::lease))
//! only while enough agents have just told that they are loyal, as of a time by its own clock. One
//! that votes has been loyal until it last heard a coordinator or voted for one, no longer, and its
//! vote tells how long ago that was. So [`SUCCESSION`] after the latest of these times, no rank is
//! left in the old one's part, and its successor may replace them.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use times::{
    BACKING, CLOSED, COUNTED, COUNTING, DOUBT, INSISTENCE, PATIENCE, RETRY, SILENT, SUSPICION, Wait,
};

pub use times::SUCCESSION;

/// The hosts that a job has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostView {
    /// Its place in the chain.
    pub number: u64,
    /// In ascending order.
    pub hosts: Vec<usize>,
}

impl HostView {
    /// The first one.
    pub fn first(hosts: usize) -> HostView {
        HostView { number: 0, hosts: (0..hosts).collect() }
    }

    pub fn has(&self, host: usize) -> bool {
        self.hosts.contains(&host)
    }

    /// How many of its hosts a successor needs.
    pub fn majority(&self) -> usize {
        self.hosts.len() / 2 + 1
    }

    /// How many of its hosts a coordinator needs to go on.
    pub fn quorum(&self) -> usize {
        if self.hosts.len() <= 2 { 1 } else { self.majority() }
    }

    fn without(&self, lost: &BTreeSet<usize>) -> HostView {
        let hosts = self.hosts.iter().copied().filter(|host| !lost.contains(host)).collect();
        HostView { number: self.number + 1, hosts }
    }
}

/// What an agent tells whom it votes for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Vote {
    pub epoch: u64,
    /// The latest view that it knows to be one of the chain.
    pub settled: HostView,
    /// The next one, if it has accepted any, and in which epoch.
    pub accepted: Option<(u64, HostView)>,
    /// How long ago it was last loyal to another one.
    pub silence: Duration,
}

/// What an agent has promised and accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Voter(Vote);

impl Voter {
    pub fn new(settled: HostView) -> Voter {
        Voter(Vote { epoch: 0, settled, accepted: None, silence: Duration::ZERO })
    }

    /// The latest epoch in which it takes part.
    pub fn epoch(&self) -> u64 {
        self.0.epoch
    }

    pub fn settled(&self) -> &HostView {
        &self.0.settled
    }

    /// Votes in this epoch, unless it takes part in a later one: accepts nothing of earlier ones.
    pub fn vote(&mut self, epoch: u64) -> Option<Vote> {
        if epoch <= self.0.epoch {
            return None;
        }
        self.0.epoch = epoch;
        Some(self.0.clone())
    }

    /// The coordinator of this epoch proposes `view`. True if it is accepted.
    pub fn accept(&mut self, epoch: u64, view: &HostView) -> bool {
        if epoch < self.0.epoch || view.number != self.0.settled.number + 1 {
            return false;
        }
        self.0.epoch = epoch;
        self.0.accepted = Some((epoch, view.clone()));
        true
    }

    /// This view is one of the chain.
    pub fn settle(&mut self, view: &HostView) {
        if view.number > self.0.settled.number {
            self.0.settled = view.clone();
            self.0.accepted = None;
        }
    }
}

/// One that stands, and the votes for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidacy {
    epoch: u64,
    votes: BTreeMap<usize, Vote>,
}

impl Candidacy {
    pub fn new(epoch: u64) -> Candidacy {
        Candidacy { epoch, votes: BTreeMap::new() }
    }

    pub fn hear(&mut self, from: usize, vote: Vote) {
        if vote.epoch == self.epoch {
            self.votes.insert(from, vote);
        }
    }

    /// What has come of the votes so far.
    pub fn outcome(&self) -> Option<Reign> {
        let newest = self.votes.values().map(|vote| &vote.settled).max_by_key(|it| it.number)?;
        let voters = self.votes.iter().filter(|(host, _)| newest.has(**host));
        let next = |vote: &Vote| {
            let is_next = |(_, view): &(u64, HostView)| view.number == newest.number + 1;
            vote.accepted.clone().filter(is_next)
        };
        let latest = voters.clone().filter_map(|(_, vote)| next(vote)).max_by_key(|it| it.0);
        let voters: BTreeSet<usize> = voters.map(|(host, _)| *host).collect();
        let has_won = voters.len() >= newest.majority();
        let pending = latest.map(|(_, view)| (view, BTreeSet::new()));
        // Those whom the next view leaves out have voted for it, and are out all the same.
        let stays = |host: &usize| pending.as_ref().is_none_or(|(view, _)| view.has(*host));
        let reign = Reign {
            epoch: self.epoch,
            settled: newest.clone(),
            loyal: voters.into_iter().filter(stays).map(|host| (host, Duration::ZERO)).collect(),
            pending,
            lost: BTreeSet::new(),
        };
        has_won.then_some(reign)
    }

    /// The hosts that have not voted, but may stay in this reign.
    fn missing(&self, reign: &Reign) -> Vec<usize> {
        let stays = |host: &usize| reign.pending.as_ref().is_none_or(|(view, _)| view.has(*host));
        let hosts = reign.settled.hosts.iter().copied().filter(stays);
        hosts.filter(|host| !self.votes.contains_key(host)).collect()
    }
}

/// What a coordinator knows of its hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reign {
    epoch: u64,
    settled: HostView,
    /// The next view, and who has accepted it.
    pending: Option<(HostView, BTreeSet<usize>)>,
    lost: BTreeSet<usize>,
    /// The hosts that take part, and when each was last known to be loyal.
    loyal: BTreeMap<usize, Duration>,
}

/// What a coordinator has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Tell all hosts of this reign that `next` is to follow `settled`.
    Propose { settled: HostView, next: HostView },
    /// Tell them that this view is one of the chain. The hosts in `gone` are out: what they did may
    /// be done elsewhere.
    Settled { view: HostView, gone: Vec<usize> },
    /// So many hosts, of so many, are not enough to go on.
    GiveUp { left: usize, of: usize },
}

impl Reign {
    /// That of the first coordinator, with all hosts.
    pub fn first(hosts: usize, now: Duration) -> Reign {
        Reign {
            epoch: 0,
            settled: HostView::first(hosts),
            pending: None,
            lost: BTreeSet::new(),
            loyal: (0..hosts).map(|host| (host, now)).collect(),
        }
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    pub fn settled(&self) -> &HostView {
        &self.settled
    }

    /// Enough have voted. They were loyal when they were asked, at that time.
    pub fn back(&mut self, asked: Duration) {
        self.loyal.values_mut().for_each(|at| *at = asked);
    }

    /// The hosts that take part.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.loyal.keys().copied()
    }

    /// Whether a new coordinator has to wait for [`SUCCESSION`] until it does what
    /// [`Reign::succeed`] tells.
    pub fn has_to_wait(&self) -> bool {
        self.pending.is_some() || self.settled.hosts.iter().any(|host| self.is_missing(*host))
    }

    fn is_missing(&self, host: usize) -> bool {
        !self.loyal.contains_key(&host) && !self.lost.contains(&host)
    }

    /// The leases of those that do not take part are over: finishes what others have begun, and
    /// gives up who is missing.
    pub fn succeed(&mut self) -> Vec<Move> {
        let mut moves: Vec<Move> = self.pending.iter().map(|(it, _)| self.proposal(it)).collect();
        let hosts = self.settled.hosts.clone();
        for host in hosts.into_iter().filter(|host| self.is_missing(*host)).collect::<Vec<_>>() {
            moves.extend(self.lose(host));
        }
        moves
    }

    /// A host is lost.
    pub fn lose(&mut self, host: usize) -> Vec<Move> {
        if !self.lost.insert(host) {
            return Vec::new();
        }
        self.loyal.remove(&host);
        self.go_on()
    }

    /// A host has accepted the view of this number.
    pub fn hear(&mut self, from: usize, number: u64) -> Vec<Move> {
        let Some((view, by)) = self.pending.as_mut().filter(|(view, _)| view.number == number)
        else {
            return Vec::new();
        };
        if self.settled.has(from) {
            by.insert(from);
        }
        if by.len() < self.settled.quorum() {
            return Vec::new();
        }
        let next = view.clone();
        self.pending = None;
        let before = std::mem::replace(&mut self.settled, next.clone());
        let gone: Vec<usize> = before.hosts.into_iter().filter(|host| !next.has(*host)).collect();
        // A successor may have to finish what others have begun.
        gone.iter().for_each(|host| _ = self.loyal.remove(host));
        let mut moves = vec![Move::Settled { view: next, gone }];
        moves.extend(self.go_on());
        moves
    }

    /// The next view, if one is wanted and none is on its way.
    fn go_on(&mut self) -> Vec<Move> {
        let next = self.settled.without(&self.lost);
        let (left, of) = (next.hosts.len(), self.settled.hosts.len());
        if left < self.settled.quorum() {
            return vec![Move::GiveUp { left, of }];
        }
        if left == of || self.pending.is_some() {
            return Vec::new();
        }
        let proposal = self.proposal(&next);
        self.pending = Some((next, BTreeSet::new()));
        vec![proposal]
    }

    fn proposal(&self, next: &HostView) -> Move {
        Move::Propose { settled: self.settled.clone(), next: next.clone() }
    }

    /// A host was loyal at that time, by the clock of the coordinator.
    pub fn confirm(&mut self, host: usize, at: Duration) {
        if let Some(known) = self.loyal.get_mut(&host) {
            *known = at.max(*known);
        }
    }

    /// Whether enough hosts have just been loyal: without, no lease may be prolonged.
    pub fn is_backed(&self, now: Duration) -> bool {
        let is_loyal = |(host, at): &(&usize, &Duration)| {
            self.settled.has(**host) && now.saturating_sub(**at) <= BACKING
        };
        self.loyal.iter().filter(is_loyal).count() >= self.settled.quorum()
    }
}

/// Whether an agent hears its coordinator, and what it does if not. The times are of its own clock.
#[derive(Clone, Debug)]
pub struct Standby {
    me: usize,
    /// How many hosts the job has begun with.
    hosts: u64,
    pub voter: Voter,
    heard: Duration,
    /// The connection to the coordinator has ended.
    is_cut: bool,
    /// When to ask the others next.
    next: Option<Duration>,
    /// The highest epoch that it has heard of.
    highest: u64,
    /// In which epoch a host has asked last, and until when no other one is answered.
    first: Option<(u64, Duration)>,
    /// In which epoch it has asked, when, and who does not hear the coordinator either.
    asked: Option<(u64, Duration, BTreeSet<usize>)>,
    /// The hosts whose agents have certainly ended, as was seen when they were asked.
    gone: BTreeSet<usize>,
    /// The votes for it, and since when it stands.
    candidacy: Option<(Candidacy, Duration)>,
    /// Whether these are enough.
    has_enough: bool,
    /// When the last of its voters was loyal to another one.
    deserted: Duration,
    /// When the coordinator was heard last.
    reigned: Duration,
    /// When this agent was last loyal to any: it has heard it, or voted for it.
    loyal: Duration,
}

/// A reign that has been won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Won {
    pub reign: Reign,
    /// When the last of the voters was loyal to another one.
    pub deserted: Duration,
    /// The hosts whose agents have certainly ended.
    pub gone: Vec<usize>,
}

impl Standby {
    pub fn new(me: usize, view: HostView, now: Duration) -> Standby {
        Standby {
            me,
            hosts: view.hosts.len() as u64,
            voter: Voter::new(view),
            heard: now,
            is_cut: false,
            next: None,
            highest: 0,
            first: None,
            asked: None,
            gone: BTreeSet::new(),
            candidacy: None,
            has_enough: false,
            deserted: Duration::ZERO,
            reigned: now,
            loyal: now,
        }
    }

    /// The coordinator of this epoch has said something. True if it is the one of this agent.
    pub fn hear(&mut self, epoch: u64, now: Duration) -> bool {
        let is_it = epoch == self.voter.epoch() && !self.is_cut;
        if is_it {
            (self.heard, self.reigned, self.loyal) = (now, now, now);
            (self.next, self.asked, self.first) = (None, None, None);
        }
        is_it
    }

    /// The one that it has voted for has won.
    pub fn follow(&mut self, epoch: u64, now: Duration) -> bool {
        if epoch == self.voter.epoch() {
            (self.is_cut, self.candidacy) = (false, None);
        }
        self.hear(epoch, now)
    }

    /// The connection to the coordinator of this epoch has ended.
    pub fn desert(&mut self, epoch: u64) {
        self.is_cut |= epoch == self.voter.epoch();
    }

    /// Whether it hears no coordinator.
    pub fn is_alone(&self, now: Duration) -> bool {
        self.is_cut || now.saturating_sub(self.heard) >= SUSPICION
    }

    /// The epoch in which it asks all others now whether they are alone, too, if it does.
    pub fn ask(&mut self, now: Duration) -> Option<u64> {
        if !self.is_alone(now) {
            return None;
        }
        let view = self.voter.settled();
        let place = view.hosts.iter().position(|host| *host == self.me)? as u32;
        let Wait { pause, stagger } = if self.is_cut { CLOSED } else { SILENT };
        let next = *self.next.get_or_insert(now + pause + stagger * place);
        if now < next || self.has_to_let_pass(self.me, now) {
            return None;
        }
        self.next = Some(now + RETRY + stagger * place);
        let highest = self.highest.max(self.voter.epoch());
        let epoch = (highest / self.hosts + 1) * self.hosts + self.me as u64;
        self.asked = Some((epoch, now, BTreeSet::new()));
        self.gone.clear();
        Some(epoch)
    }

    /// When [`Standby::ask`] may say something else, unless something is heard before.
    pub fn due(&self, now: Duration) -> Duration {
        if !self.is_alone(now) {
            return self.heard + SUSPICION;
        }
        let passed = self.first.filter(|_| self.has_to_let_pass(self.me, now));
        self.next.unwrap_or(now).max(passed.map_or(now, |(_, until)| until))
    }

    /// Whether it asks those again that have refused in this epoch: they may not have noticed yet.
    pub fn insists(&self, epoch: u64, now: Duration) -> bool {
        let is_it = |(asked, since, _): &(u64, Duration, BTreeSet<usize>)| {
            *asked == epoch && now.saturating_sub(*since) < INSISTENCE
        };
        self.asked.as_ref().is_some_and(is_it)
    }

    /// The agent of another host has certainly ended: that host is not waited for.
    pub fn miss(&mut self, host: usize) {
        self.gone.insert(host);
    }

    /// Whether it would vote in this epoch; and the latest epoch that it knows.
    pub fn would(&mut self, epoch: u64, now: Duration) -> (bool, u64) {
        let by = self.host_of(epoch);
        let is_well = self.is_well(now) || self.has_to_let_pass(by, now);
        if !is_well && self.first.is_none_or(|(first, _)| first != epoch) {
            self.first = Some((epoch, now + RETRY));
        }
        let would = !is_well && epoch > self.voter.epoch();
        if would {
            // It stands no more in an epoch in which another one may not get its vote.
            self.asked.take_if(|(asked, ..)| *asked != epoch);
        }
        (would, self.voter.epoch())
    }

    /// The host that stands in this epoch, if any does.
    fn host_of(&self, epoch: u64) -> usize {
        (epoch % self.hosts) as usize
    }

    /// Whether it has just heard the coordinator.
    fn is_well(&self, now: Duration) -> bool {
        !self.is_cut && now.saturating_sub(self.heard) < DOUBT
    }

    /// Whether another host has asked shortly before this one.
    fn has_to_let_pass(&self, host: usize, now: Duration) -> bool {
        self.first.is_some_and(|(first, until)| self.host_of(first) != host && now < until)
    }

    /// Another one, or this one itself, says whether it would vote. True if this one is to ask all
    /// for their votes in that epoch.
    pub fn hear_would(
        &mut self, from: usize, epoch: u64, (would, highest): (bool, u64), now: Duration,
    ) -> bool {
        self.highest = self.highest.max(highest);
        let majority = self.voter.settled().majority();
        let is_known = self.voter.settled().has(from);
        let Some((.., with)) = self.asked.as_mut().filter(|(asked, ..)| *asked == epoch) else {
            return false;
        };
        if would && is_known {
            with.insert(from);
        }
        let stands = with.len() >= majority;
        if stands {
            self.asked = None;
            self.candidacy = Some((Candidacy::new(epoch), now));
            (self.has_enough, self.deserted) = (false, Duration::ZERO);
        }
        stands
    }

    /// The one that it has voted for in this epoch still counts the votes.
    pub fn wait(&mut self, epoch: u64, now: Duration) {
        if epoch == self.voter.epoch() && self.is_cut {
            self.next = Some(now + PATIENCE);
            self.first = Some((epoch, now + RETRY));
        }
    }

    /// Somebody stands in this epoch. A vote is the end of what was before.
    pub fn vote(&mut self, epoch: u64, now: Duration) -> Option<Vote> {
        if self.is_well(now) || self.has_to_let_pass(self.host_of(epoch), now) {
            return None;
        }
        let vote = self.voter.vote(epoch)?;
        let vote = Vote { silence: now.saturating_sub(self.loyal), ..vote };
        // The one that it votes for takes it to be loyal from now on.
        self.loyal = now;
        // It has voted for another one since.
        self.candidacy.take_if(|(candidacy, _)| candidacy.epoch != epoch);
        (self.is_cut, self.heard) = (true, now);
        self.next = Some(now + PATIENCE);
        Some(vote)
    }

    /// A vote for this one has come.
    pub fn hear_vote(&mut self, from: usize, vote: Vote, now: Duration) {
        let Some((candidacy, _)) = &mut self.candidacy else { return };
        if vote.epoch == candidacy.epoch {
            self.deserted = self.deserted.max(now.saturating_sub(vote.silence));
        }
        candidacy.hear(from, vote);
        self.has_enough = candidacy.outcome().is_some();
    }

    /// Whether it has enough votes, and waits for those of others.
    pub fn has_enough(&self) -> bool {
        self.candidacy.is_some() && self.has_enough
    }

    /// Its reign, once all have voted for it, or enough and the others had time.
    pub fn win(&mut self, now: Duration) -> Option<Won> {
        let (candidacy, since) = self.candidacy.as_ref()?;
        let reign = candidacy.outcome()?;
        let until = (*since + COUNTING).max(self.reigned + COUNTED);
        let missing = candidacy.missing(&reign);
        if now < until && missing.iter().any(|host| !self.gone.contains(host)) {
            self.wait(reign.epoch(), now);
            return None;
        }
        self.candidacy = None;
        let gone = missing.into_iter().filter(|host| self.gone.contains(host)).collect();
        Some(Won { reign, deserted: self.deserted, gone })
    }

    /// In which epoch it waits for votes, if it does. Whoever would not vote may be asked again.
    pub fn stands(&self) -> Option<u64> {
        self.candidacy.as_ref().map(|(candidacy, _)| candidacy.epoch)
    }
}

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod sim;
mod times;
