//! A small model of views and takeover, checked exhaustively: messages come in any order, late or
//! never, and faults happen at any moment. No clock: that hosts which are out have ended before
//! they are replaced is simulated with time (`sim`).

use super::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// All that there is. Messages that were sent stay, so each may come at any time, or never; what
/// would come twice changes nothing.
#[derive(Clone, Hash)]
struct World {
    voters: Vec<Voter>,
    /// Those that live.
    lives: Vec<bool>,
    /// The coordinators, the first one first; those that have ended are not there.
    courts: Vec<Option<Reign>>,
    /// Whom each agent follows, if anybody.
    follows: Vec<Option<usize>>,
    /// Those that stand; nothing: it has won.
    candidates: BTreeMap<u64, Option<Candidacy>>,
    /// Proposals: of which court, to which host; the view that is settled, and the next.
    proposals: BTreeSet<(usize, usize, HostView, HostView)>,
    acceptances: BTreeSet<(usize, usize, u64)>,
    faults: usize,
    /// Nobody stands in this one, or later.
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
    fn new(hosts: usize, faults: usize, rounds: u64) -> World {
        World {
            voters: (0..hosts).map(|_| Voter::new(HostView::first(hosts))).collect(),
            lives: vec![true; hosts],
            courts: vec![Some(Reign::first(hosts, Duration::ZERO))],
            follows: vec![Some(0); hosts],
            candidates: BTreeMap::new(),
            proposals: BTreeSet::new(),
            acceptances: BTreeSet::new(),
            faults,
            epochs: rounds * hosts as u64,
            chain: BTreeMap::from([(0, (0..hosts).collect())]),
        }
    }

    fn obey(&mut self, court: usize, moves: Vec<Move>) -> Result<(), String> {
        for it in moves {
            match it {
                Move::Propose { settled, next } => {
                    let follows = |host: &usize| self.follows[*host] == Some(court);
                    let all = (0..self.voters.len()).filter(follows);
                    let proposal = |host| (court, host, settled.clone(), next.clone());
                    self.proposals.extend(all.map(proposal));
                }
                Move::Settled { view, .. } => {
                    let known = self.chain.entry(view.number).or_insert(view.hosts.clone());
                    if *known != view.hosts {
                        return Err(format!("two views {}: {known:?}, {view:?}", view.number));
                    }
                    // Agents hear that with the next proposal, if they hear it.
                }
                Move::GiveUp { .. } => self.courts[court] = None,
            }
        }
        Ok(())
    }

    fn act(
        &mut self, court: usize, act: impl FnOnce(&mut Reign) -> Vec<Move>,
    ) -> Result<(), String> {
        let Some(reign) = &mut self.courts[court] else { return Ok(()) };
        let moves = act(reign);
        self.obey(court, moves)
    }

    /// All that may happen next.
    fn successors(&self, rule: Rule) -> Result<Vec<World>, String> {
        let mut found = Vec::new();
        let hosts = 0..self.voters.len();
        if self.faults > 0 {
            self.fail(&mut found)?;
        }
        for (court, host, settled, view) in &self.proposals {
            let epoch = self.courts[*court].as_ref().map(Reign::epoch);
            if self.follows[*host] == Some(*court) && self.lives[*host] && epoch.is_some() {
                let mut next = self.clone();
                next.proposals.remove(&(*court, *host, settled.clone(), view.clone()));
                next.voters[*host].settle(settled);
                if next.voters[*host].accept(epoch.unwrap_or(0), view) {
                    next.acceptances.insert((*court, *host, view.number));
                }
                found.push(next);
            }
        }
        for (court, host, number) in &self.acceptances {
            let mut next = self.clone();
            next.acceptances.remove(&(*court, *host, *number));
            next.act(*court, |reign| reign.hear(*host, *number))?;
            found.push(next);
        }
        // Those who follow nobody may stand, and vote for who stands.
        for host in hosts.filter(|host| self.follows[*host].is_none() && self.lives[*host]) {
            let count = self.voters.len() as u64;
            let epoch = (self.voters[host].epoch() / count + 1) * count + host as u64;
            if !self.candidates.contains_key(&epoch) && epoch < self.epochs {
                let mut next = self.clone();
                let mut candidacy = Candidacy::new(epoch);
                // Its own vote comes first.
                if let Some(vote) = next.voters[host].vote(epoch) {
                    candidacy.hear(host, forgetful(vote, rule));
                    next.candidates.insert(epoch, Some(candidacy));
                    next.elect(epoch, rule)?;
                }
                found.push(next);
            }
            let open = self.candidates.iter().filter(|(_, candidacy)| candidacy.is_some());
            for (epoch, _) in open {
                let mut next = self.clone();
                if let Some(vote) = next.voters[host].vote(*epoch) {
                    if let Some(Some(candidacy)) = next.candidates.get_mut(epoch) {
                        candidacy.hear(host, forgetful(vote, rule));
                    }
                    next.elect(*epoch, rule)?;
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    /// Whoever has won reigns: at once, or when more have voted.
    fn elect(&mut self, epoch: u64, rule: Rule) -> Result<(), String> {
        let Some(Some(candidacy)) = self.candidates.get(&epoch) else { return Ok(()) };
        let mut won = candidacy.outcome();
        if rule == Rule::NeedsFew && candidacy.votes.len() == 1 && won.is_none() {
            let (host, vote) = candidacy.votes.iter().next().expect("there is one");
            let loyal = BTreeMap::from([(*host, Duration::ZERO)]);
            won = (vote.settled.quorum() == 1).then(|| {
                let settled = vote.settled.clone();
                let (pending, lost) = (None, BTreeSet::new());
                Reign { epoch, settled, pending, lost, loyal }
            });
        }
        let Some(mut reign) = won else { return Ok(()) };
        self.candidates.insert(epoch, None);
        let court = self.courts.len();
        let settled = reign.settled().clone();
        let voters: Vec<usize> = reign.members().collect();
        reign.back(Duration::ZERO);
        self.courts.push(Some(reign));
        for voter in voters {
            if self.voters[voter].epoch() == epoch {
                self.follows[voter] = Some(court);
                self.voters[voter].settle(&settled);
            }
        }
        self.act(court, Reign::succeed)
    }

    /// What nobody will hear is as if it had not been said.
    fn forget(&mut self) {
        let reigns = |court: usize| self.courts[court].is_some();
        let hears = |court: usize, host: usize| {
            reigns(court) && self.follows[host] == Some(court) && self.lives[host]
        };
        self.proposals.retain(|(court, host, ..)| hears(*court, *host));
        self.acceptances.retain(|(court, ..)| reigns(*court));
    }

    /// A coordinator or a host is lost, or they lose each other.
    fn fail(&self, found: &mut Vec<World>) -> Result<(), String> {
        let once = |found: &mut Vec<World>, act: &dyn Fn(&mut World) -> Result<(), String>| {
            let mut next = self.clone();
            next.faults -= 1;
            act(&mut next)?;
            found.push(next);
            Ok::<(), String>(())
        };
        for court in (0..self.courts.len()).filter(|court| self.courts[*court].is_some()) {
            once(found, &|next| {
                next.courts[court] = None;
                let follows = next.follows.iter_mut().filter(|it| **it == Some(court));
                follows.for_each(|it| *it = None);
                Ok(())
            })?;
        }
        for host in (0..self.voters.len()).filter(|host| self.lives[*host]) {
            let Some(court) = self.follows[host] else { continue };
            for dies in [false, true] {
                once(found, &|next| {
                    next.lives[host] = !dies;
                    next.follows[host] = None;
                    next.act(court, |reign| reign.lose(host))
                })?;
            }
        }
        Ok(())
    }
}

fn forgetful(vote: Vote, rule: Rule) -> Vote {
    let accepted = vote.accepted.filter(|_| rule != Rule::Forgets);
    Vote { accepted, ..vote }
}

/// Looks at all worlds that can come about, in so many rounds of epochs; returns how many there
/// are, or what is wrong with one.
fn explore(hosts: usize, faults: usize, rounds: u64, rule: Rule) -> Result<usize, String> {
    let first = World::new(hosts, faults, rounds);
    let (mut seen, mut open) = (HashSet::new(), vec![first]);
    while let Some(world) = open.pop() {
        for mut next in world.successors(rule)? {
            next.forget();
            let mut hash = DefaultHasher::new();
            next.hash(&mut hash);
            if seen.insert(hash.finish()) {
                open.push(next);
            }
        }
    }
    Ok(seen.len())
}

fn check(hosts: usize, faults: usize, rounds: u64) -> usize {
    let found = explore(hosts, faults, rounds, Rule::Right);
    let count = found.unwrap_or_else(|why| panic!("{hosts} hosts, {faults} faults: {why}"));
    println!("{hosts} hosts, {faults} faults, epochs below {rounds} a host: {count} worlds");
    count
}

#[test]
fn there_is_one_chain_of_views_whatever_is_lost_when() {
    for (hosts, faults, rounds) in [(1, 3, 3), (2, 3, 3), (3, 2, 2)] {
        assert!(check(hosts, faults, rounds) > 3);
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
    for (hosts, faults, rounds) in [(3, 3, 3), (4, 2, 2), (4, 3, 2)] {
        check(hosts, faults, rounds);
    }
}
