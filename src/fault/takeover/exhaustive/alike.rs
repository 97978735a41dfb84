//! Numbers hosts by what is true of them, so that worlds which are alike become equal, most times.

use super::World;
use crate::takeover::{Candidacy, HostView, Reign, Vote, Voter};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

impl World {
    /// This world, with its hosts in an order that does not depend on their numbers.
    pub(super) fn in_order(&self) -> World {
        let mut order: Vec<usize> = (0..self.voters.len()).collect();
        order.sort_by_cached_key(|host| self.signature(*host));
        match order.is_sorted() {
            true => self.clone(),
            false => self.renumbered(&order),
        }
    }

    /// What is true of a host, whatever the numbers are.
    fn signature(&self, host: usize) -> u64 {
        let view = |view: &HostView| (view.number, view.hosts.len(), view.has(host));
        let next = |next: &Option<(u64, HostView)>| next.as_ref().map(|(e, it)| (*e, view(it)));
        let vote = |vote: &Vote| (vote.epoch, view(&vote.settled), next(&vote.accepted));
        let mut hash = DefaultHasher::new();
        vote(&self.voters[host].0).hash(&mut hash);
        for (epoch, reign) in &self.courts {
            let pending = reign.pending.as_ref().map(|(it, _)| view(it));
            let takes_part = (reign.lost.contains(&host), reign.loyal.contains_key(&host));
            (epoch, view(&reign.settled), pending, takes_part).hash(&mut hash);
        }
        for (epoch, candidacy) in &self.candidates {
            let cast = candidacy.votes.get(&host).map(vote);
            let others = candidacy.votes.values().filter(|it| it.settled.has(host)).count();
            (epoch, cast, others).hash(&mut hash);
        }
        for (epoch, _, settled, it) in self.proposals.iter().filter(|it| it.1 == host) {
            (epoch, view(settled), view(it)).hash(&mut hash);
        }
        for (epoch, _, number) in self.acceptances.iter().filter(|it| it.1 == host) {
            (epoch, number).hash(&mut hash);
        }
        for (number, hosts) in &self.chain {
            (number, hosts.contains(&host)).hash(&mut hash);
        }
        hash.finish()
    }

    /// The same world, in which the first host is the one that `order` begins with, and so on.
    fn renumbered(&self, order: &[usize]) -> World {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let all = |hosts: &[usize]| {
            let mut hosts: Vec<usize> = hosts.iter().map(|host| place[*host]).collect();
            hosts.sort_unstable();
            hosts
        };
        let view = |it: &HostView| HostView { number: it.number, hosts: all(&it.hosts) };
        let vote = |it: &Vote| Vote {
            settled: view(&it.settled),
            accepted: it.accepted.as_ref().map(|(epoch, it)| (*epoch, view(it))),
            ..it.clone()
        };
        let candidacy = |it: &Candidacy| {
            let votes = it.votes.iter().map(|(host, it)| (place[*host], vote(it)));
            Candidacy { epoch: it.epoch, votes: votes.collect() }
        };
        let reign = |it: &Reign| {
            let by = |by: &BTreeSet<usize>| by.iter().map(|host| place[*host]).collect();
            Reign {
                epoch: it.epoch,
                settled: view(&it.settled),
                pending: it.pending.as_ref().map(|(it, of)| (view(it), by(of))),
                lost: by(&it.lost),
                loyal: it.loyal.iter().map(|(host, at)| (place[*host], *at)).collect(),
            }
        };
        let proposals = self.proposals.iter();
        let acceptances = self.acceptances.iter();
        World {
            voters: order.iter().map(|host| Voter(vote(&self.voters[*host].0))).collect(),
            courts: self.courts.iter().map(|(epoch, it)| (*epoch, reign(it))).collect(),
            candidates: self.candidates.iter().map(|(epoch, it)| (*epoch, candidacy(it))).collect(),
            proposals: proposals
                .map(|(epoch, host, settled, it)| (*epoch, place[*host], view(settled), view(it)))
                .collect(),
            acceptances: acceptances
                .map(|(epoch, host, number)| (*epoch, place[*host], *number))
                .collect(),
            chain: self.chain.iter().map(|(number, hosts)| (*number, all(hosts))).collect(),
            waiting: self.waiting.clone(),
            ..*self
        }
    }
}
