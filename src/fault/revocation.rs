//! Revocation among ranks that share memory: once a member has revoked a communicator, all members
//! find it revoked. Pure.
//!
//! Several communicators may have one context if they have no member in common. An entry is removed
//! when all its members have freed the communicator, left or died, in whatever order. Members that
//! have freed it are no longer affected.
//!
//! A member whose program has not been told of the revocation may still complete operations with
//! what has arrived, since the others may have completed them successfully. Once it has been told,
//! it starts nothing on the communicator.

use ftmpi_base::Member;
use ftmpi_base::member::Roster;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The revoked communicators of a job, by context.
#[derive(Default)]
pub struct Revocations(HashMap<u32, Vec<Entry>>);

struct Entry {
    roster: Arc<dyn Roster>,
    /// The members that have freed it, have left or are dead.
    gone: HashSet<Member>,
    /// The members whose programs have been told of it.
    heard: HashSet<Member>,
}

impl Entry {
    fn concerns(&self, member: Member) -> bool {
        self.roster.rank_of(member).is_some()
    }

    /// Notes that `member` is gone; true if all are.
    fn part_with(&mut self, member: Member) -> bool {
        if self.concerns(member) {
            self.gone.insert(member);
        }
        self.gone.len() == self.roster.size()
    }
}

impl Revocations {
    /// `me` revokes the communicator with this context and these members, of which those in `gone`
    /// have left or are dead. True if it was not revoked before.
    pub fn revoke(
        &mut self, context: u32, roster: &Arc<dyn Roster>, me: Member,
        gone: impl IntoIterator<Item = Member>,
    ) -> bool {
        if self.is_revoked(context, me) {
            return false;
        }
        let gone = gone.into_iter().filter(|gone| roster.rank_of(*gone).is_some()).collect();
        let (roster, heard) = (roster.clone(), HashSet::new());
        self.0.entry(context).or_default().push(Entry { roster, gone, heard });
        true
    }

    /// The program of `me` is told that the communicator with this context is revoked.
    pub fn hear(&mut self, context: u32, me: Member) {
        let alike = self.0.get_mut(&context).into_iter().flatten();
        for entry in alike.filter(|entry| entry.concerns(me)) {
            entry.heard.insert(me);
        }
    }

    /// Whether the program of `me` has been told of that, or has freed the communicator.
    pub fn is_heard(&self, context: u32, me: Member) -> bool {
        let mut alike = self.0.get(&context).into_iter().flatten();
        alike.any(|entry| entry.heard.contains(&me) || entry.gone.contains(&me))
    }

    /// Whether the communicator with this context of which `me` is a member is revoked.
    pub fn is_revoked(&self, context: u32, me: Member) -> bool {
        let alike = self.0.get(&context);
        alike.is_some_and(|alike| alike.iter().any(|entry| entry.concerns(me)))
    }

    /// Whether a communicator that `me` holds is revoked.
    pub fn disquiets(&self, me: Member) -> bool {
        let mut all = self.0.values().flatten();
        all.any(|entry| entry.concerns(me) && !entry.gone.contains(&me))
    }

    /// `me` has freed the communicator with this context.
    pub fn let_go(&mut self, context: u32, me: Member) {
        let Some(alike) = self.0.get_mut(&context) else { return };
        alike.retain_mut(|entry| !entry.part_with(me));
        if alike.is_empty() {
            self.0.remove(&context);
        }
    }

    /// `member` has left or is dead, so it no longer holds any communicator.
    pub fn part_with(&mut self, member: Member) {
        self.0.retain(|_, alike| {
            alike.retain_mut(|entry| !entry.part_with(member));
            !alike.is_empty()
        });
    }

    /// The number of revoked communicators that some member holds.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;
    use ftmpi_base::roll::Roll;

    fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    fn ranks(seats: &[usize]) -> Arc<dyn Roster> {
        Arc::new(Roll::new(seats.iter().copied().map(member).collect()))
    }

    #[test]
    fn of_two_communicators_with_one_context_only_the_one_is_revoked() {
        let mut all = Revocations::default();
        assert!(all.revoke(7, &ranks(&[0, 2]), member(0), []));
        let revoked = |all: &Revocations| [0, 1, 2, 3].map(|seat| all.is_revoked(7, member(seat)));
        assert_eq!(revoked(&all), [true, false, true, false]);
        assert!(all.revoke(7, &ranks(&[1, 3]), member(3), []));
        assert!(!all.revoke(7, &ranks(&[1, 3]), member(1), []), "it is no news");
        assert_eq!(revoked(&all), [true; 4]);
        assert!(!all.is_revoked(8, member(0)));
    }

    #[test]
    fn only_those_have_heard_who_were_told_or_have_let_go() {
        let mut all = Revocations::default();
        all.hear(7, member(0));
        all.revoke(7, &ranks(&[0, 1, 2]), member(0), []);
        all.revoke(7, &ranks(&[3]), member(3), []);
        let heard = |all: &Revocations| [0, 1, 2, 3].map(|seat| all.is_heard(7, member(seat)));
        assert_eq!(heard(&all), [false; 4], "there was nothing to hear of before");
        all.hear(7, member(0));
        all.let_go(7, member(2));
        assert_eq!(heard(&all), [true, false, true, false]);
        all.hear(7, member(4));
        assert_eq!(heard(&all), [true, false, true, false]);
    }

    /// One communicator, as a plain list would have it.
    struct Plain {
        context: u32,
        seats: Vec<usize>,
        holders: Vec<usize>,
        is_revoked: bool,
    }

    /// Communicators of a few contexts; members of those with the same one differ.
    fn communicators(random: &mut Random, size: usize) -> Vec<Plain> {
        let mut all = Vec::new();
        for context in 0..1 + random.below(4) as u32 {
            let sides = 1 + random.below(3) as usize;
            let side_of: Vec<usize> = (0..size).map(|_| random.below(4) as usize).collect();
            for side in 0..sides {
                let seats: Vec<usize> = (0..size).filter(|seat| side_of[*seat] == side).collect();
                if !seats.is_empty() {
                    all.push(Plain { context, holders: seats.clone(), seats, is_revoked: false });
                }
            }
        }
        all
    }

    #[test]
    fn all_who_hold_one_know_and_nothing_is_left_when_nobody_does() {
        for seed in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let random = &mut Random::new(seed);
            let size = 1 + random.below(7) as usize;
            let (mut plain, mut all) = (communicators(random, size), Revocations::default());
            let mut dead: Vec<Member> = Vec::new();
            while plain.iter().any(|comm| !comm.holders.is_empty()) {
                let choice = random.below(plain.len() as u64) as usize;
                let one = &mut plain[choice];
                if one.holders.is_empty() {
                    continue;
                }
                let place = random.below(one.holders.len() as u64) as usize;
                let who = member(one.holders[place]);
                match random.below(10) {
                    // Freeing a communicator before it is revoked is not recorded.
                    0..=8 if !one.is_revoked || random.chance(40) => {
                        let is_news =
                            all.revoke(one.context, &ranks(&one.seats), who, dead.iter().copied());
                        assert_eq!(is_news, !std::mem::replace(&mut one.is_revoked, true));
                    }
                    0..=8 => {
                        all.let_go(one.context, who);
                        one.holders.swap_remove(place);
                    }
                    _ => {
                        dead.push(who);
                        all.part_with(who);
                        plain.iter_mut().for_each(|comm| comm.holders.retain(|x| *x != who.seat));
                    }
                }
                for comm in &plain {
                    for &seat in &comm.holders {
                        let is_revoked = all.is_revoked(comm.context, member(seat));
                        assert_eq!(is_revoked, comm.is_revoked, "seed {seed}");
                    }
                }
                let is_held = |comm: &&Plain| comm.is_revoked && !comm.holders.is_empty();
                let held: Vec<&Plain> = plain.iter().filter(is_held).collect();
                assert_eq!(all.count(), held.len(), "seed {seed}");
                for seat in 0..size {
                    let holds = held.iter().any(|comm| comm.holders.contains(&seat));
                    assert_eq!(all.disquiets(member(seat)), holds, "seed {seed}");
                }
            }
            assert_eq!(all.count(), 0, "seed {seed}");
        }
    }
}
