//! A small model of views and takeover, checked exhaustively: messages come in any order, late or
//! never, and anybody may take others to be lost at any moment, rightly or not. Who is dead is one
//! that does no more and whose messages never come: the model need not say which it is, so any
//! number of hosts and coordinators may die. No clock: that hosts which are out have ended before
//! they are replaced is simulated with time (`sim`). Worlds that differ only in the numbers of
//! their hosts are one.

use super::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

mod alike;

/// All that there is. Messages that were sent stay, so each may come at any time, or never; what
/// would come twice changes nothing.
#[derive(Clone, Hash)]
struct World {
    voters: Vec<Voter>,
    /// The coordinators, by their epochs.
    courts: BTreeMap<u64, Reign>,
    /// Those of them that have not given up yet who has not voted.
    waiting: BTreeSet<u64>,
    /// The epochs in which anybody has stood, as bits.
    begun: u64,
    /// Those that stand.
    candidates: BTreeMap<u64, Candidacy>,
    /// Proposals: in which epoch, to which host; the view that is settled, and the next.
    proposals: BTreeSet<(u64, usize, HostView, HostView)>,
    acceptances: BTreeSet<(u64, usize, u64)>,
    /// How many hosts coordinators may still take to be lost.
    faults: usize,
    /// So many may stand, each in an epoch of its own.
    epochs: u64,
    /// The chain, as all have settled it.
    chain: BTreeMap<u64, Vec<usize>>,
}

/// How a broken rule would show.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Right,
    /// A vote is not told what was accepted before.
    Forgets,
    /// A successor needs no more hosts than a coordinator.
    NeedsFew,
}

impl World {
    fn new(hosts: usize, faults: usize, epochs: u64) -> World {
        World {
            voters: (0..hosts).map(|_| Voter::new(HostView::first(hosts))).collect(),
            courts: BTreeMap::from([(0, Reign::first(hosts, Duration::ZERO))]),
            waiting: BTreeSet::new(),
            begun: 0,
            candidates: BTreeMap::new(),
            proposals: BTreeSet::new(),
            acceptances: BTreeSet::new(),
            faults,
            epochs,
            chain: BTreeMap::from([(0, (0..hosts).collect())]),
        }
    }

    /// What comes of it if a coordinator does that.
    fn after(
        &self, epoch: u64, act: impl FnOnce(&mut World, &mut Reign) -> Vec<Move>,
    ) -> Result<Option<World>, String> {
        let mut next = self.clone();
        let Some(mut reign) = next.courts.remove(&epoch) else { return Ok(None) };
        let moves = act(&mut next, &mut reign);
        let (members, mut goes_on) = (reign.members().collect::<Vec<_>>(), true);
        for it in moves {
            match it {
                Move::Propose { settled, next: view } => {
                    let proposal = |&host| (epoch, host, settled.clone(), view.clone());
                    next.proposals.extend(members.iter().map(proposal));
                }
                Move::Settled { view, .. } => {
                    let known = next.chain.entry(view.number).or_insert(view.hosts.clone());
                    if *known != view.hosts {
                        return Err(format!("two views {}: {known:?}, {view:?}", view.number));
                    }
                }
                Move::GiveUp { .. } => goes_on = false,
            }
        }
        if goes_on {
            next.courts.insert(epoch, reign);
        }
        Ok(Some(next))
    }

    /// All that may happen next.
    fn successors(&self, rule: Rule) -> Result<Vec<World>, String> {
        let mut found = Vec::new();
        self.hear(&mut found)?;
        for host in 0..self.voters.len() {
            self.turn_away(host, rule, &mut found);
        }
        for (epoch, candidacy) in &self.candidates {
            found.extend(self.elect(*epoch, candidacy, rule));
        }
        for epoch in &self.waiting {
            found.extend(self.after(*epoch, |next, reign| {
                next.waiting.remove(epoch);
                reign.succeed()
            })?);
        }
        for (epoch, reign) in self.courts.iter().filter(|_| self.faults > 0) {
            for host in reign.settled().hosts.iter().filter(|host| !reign.lost.contains(*host)) {
                found.extend(self.after(*epoch, |next, reign| {
                    next.faults -= 1;
                    reign.lose(*host)
                })?);
            }
        }
        Ok(found)
    }

    /// A message arrives.
    fn hear(&self, found: &mut Vec<World>) -> Result<(), String> {
        for proposal @ (epoch, host, settled, view) in &self.proposals {
            let mut next = self.clone();
            next.proposals.remove(proposal);
            next.voters[*host].settle(settled);
            if next.voters[*host].accept(*epoch, view) {
                next.acceptances.insert((*epoch, *host, view.number));
            }
            found.push(next);
        }
        // One acceptance changes nothing until there are enough.
        for (epoch, reign) in &self.courts {
            let mine = self.acceptances.iter().filter(|(of, ..)| of == epoch);
            if mine.clone().count() >= reign.settled().quorum() {
                found.extend(self.after(*epoch, |_, reign| {
                    mine.flat_map(|(_, host, number)| reign.hear(*host, *number)).collect()
                })?);
            }
        }
        // The coordinator has also told all what is settled.
        for (host, voter) in self.voters.iter().enumerate() {
            let Some(reign) = self.courts.get(&voter.epoch()) else { continue };
            if reign.settled().number > voter.settled().number {
                let mut next = self.clone();
                next.voters[host].settle(reign.settled());
                found.push(next);
            }
        }
        Ok(())
    }

    /// An agent does not hear its coordinator for long: it may stand, or vote for one that does.
    fn turn_away(&self, host: usize, rule: Rule, found: &mut Vec<World>) {
        for epoch in self.voters[host].epoch() + 1..=self.epochs {
            let is_over = self.begun >> epoch & 1 == 1 && !self.candidates.contains_key(&epoch);
            if is_over {
                continue;
            }
            let mut next = self.clone();
            let Some(vote) = next.voters[host].vote(epoch) else { continue };
            let accepted = vote.accepted.filter(|_| rule != Rule::Forgets);
            next.begun |= 1 << epoch;
            let candidacy = next.candidates.entry(epoch).or_insert(Candidacy::new(epoch));
            candidacy.hear(host, Vote { accepted, ..vote });
            found.push(next);
        }
    }

    /// One that has enough votes wins: at once, or when more have voted.
    fn elect(&self, epoch: u64, candidacy: &Candidacy, rule: Rule) -> Option<World> {
        let alone = || {
            let (host, vote) = candidacy.votes.iter().next()?;
            let loyal = BTreeMap::from([(*host, Duration::ZERO)]);
            let settled = vote.settled.clone();
            let (pending, lost) = (None, BTreeSet::new());
            let is_enough = rule == Rule::NeedsFew && settled.quorum() == 1;
            is_enough.then_some(Reign { epoch, settled, pending, lost, loyal })
        };
        let reign = candidacy.outcome().or_else(alone)?;
        let mut next = self.clone();
        next.candidates.remove(&epoch);
        if reign.has_to_wait() {
            next.waiting.insert(epoch);
        }
        next.courts.insert(epoch, reign);
        Some(next)
    }

    /// What changes nothing, whenever it is heard, is as if it had not been said.
    fn forget(&mut self) {
        let World { voters, courts, .. } = self;
        self.proposals.retain(|(epoch, host, _, view)| {
            let voter = &voters[*host];
            voter.epoch() == *epoch && view.number > voter.settled().number
        });
        self.acceptances.retain(|(epoch, _, number)| {
            let pending = courts.get(epoch).and_then(|reign| reign.pending.as_ref());
            pending.is_some_and(|(view, _)| view.number == *number)
        });
        self.waiting.retain(|epoch| courts.contains_key(epoch));
    }
}

/// Looks at all worlds that can come about, with so many candidacies; returns how many there
/// are, or what is wrong with one.
fn explore(hosts: usize, faults: usize, epochs: u64, rule: Rule) -> Result<usize, String> {
    let first = World::new(hosts, faults, epochs);
    let (mut seen, mut open) = (HashSet::new(), vec![first]);
    while let Some(world) = open.pop() {
        for mut next in world.successors(rule)? {
            next.forget();
            let next = next.in_order();
            let mut hash = DefaultHasher::new();
            next.hash(&mut hash);
            if seen.insert(hash.finish()) {
                open.push(next);
            }
        }
    }
    Ok(seen.len())
}

fn check(hosts: usize, faults: usize, epochs: u64) -> usize {
    let found = explore(hosts, faults, epochs, Rule::Right);
    let count = found.unwrap_or_else(|why| panic!("{hosts} hosts, {faults} faults: {why}"));
    println!("{hosts} hosts, {faults} faults, {epochs} candidacies: {count} worlds");
    count
}

#[test]
fn there_is_one_chain_of_views_whatever_is_lost_when() {
    for (hosts, faults, epochs) in [(1, 3, 3), (2, 3, 3), (3, 2, 2), (3, 3, 2)] {
        assert!(check(hosts, faults, epochs) > 3);
    }
}

#[test]
fn broken_rules_would_make_two_chains() {
    assert!(explore(3, 3, 2, Rule::Forgets).is_err());
    assert!(explore(2, 3, 2, Rule::NeedsFew).is_err());
}

#[test]
#[ignore = "takes minutes"]
fn there_is_one_chain_of_views_of_up_to_four_hosts_with_three_faults() {
    for (hosts, faults, epochs) in [(4, 2, 2), (4, 3, 2)] {
        check(hosts, faults, epochs);
    }
}
