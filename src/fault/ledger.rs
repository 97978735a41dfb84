//! Which ranks are dead: every death exactly once, in one order. Pure.
//!
//! The supervisor reports deaths in its own process; a failure detector for other processes would
//! report them here, too.

use ftmpi_base::Member;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The record of deaths. Their number is the epoch, so the news since an epoch is a slice. Early
/// deaths may be [forgotten](Ledger::forget): the seats still tell which members are dead.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ledger {
    seats: Vec<Seat>,
    forgotten: usize,
    deaths: Vec<Member>,
}

/// The latest incarnation in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seat {
    incarnation: u32,
    is_dead: bool,
    /// The incarnation with which a spawned world began here, if one has.
    first: Option<u32>,
}

impl Ledger {
    /// A ledger of `seats` living first incarnations.
    pub fn new(seats: usize) -> Ledger {
        let seats = vec![Seat { incarnation: 0, is_dead: false, first: None }; seats];
        Ledger { seats, forgotten: 0, deaths: Vec::new() }
    }

    /// Records the death of `member`; false if it was known, or if the member never lived.
    pub fn bury(&mut self, member: Member) -> bool {
        let Some(seat) = self.seats.get_mut(member.seat) else { return false };
        if seat.is_dead || seat.incarnation != member.incarnation {
            return false;
        }
        seat.is_dead = true;
        self.deaths.push(member);
        true
    }

    /// Records that a new incarnation has taken its seat. Returns false and records nothing if
    /// there is no such seat, if the previous incarnation is alive, or if this one has died
    /// already.
    #[must_use]
    pub fn enter(&mut self, member: Member) -> bool {
        let Some(seat) = self.seats.get_mut(member.seat) else { return false };
        if member.incarnation == seat.incarnation {
            return !seat.is_dead;
        }
        let may_enter = seat.is_dead && member.incarnation > seat.incarnation;
        if may_enter {
            *seat = Seat { incarnation: member.incarnation, is_dead: false, ..*seat };
        }
        may_enter
    }

    /// Records that a world begins in these seats, and returns the incarnation of its ranks, which
    /// none of the seats has had. Whoever lived there before has ended, which is nobody's loss.
    pub fn begin_anew(&mut self, seats: Range<usize>) -> u32 {
        let next = |seat: &Seat| seat.first.map_or(0, |_| seat.incarnation + 1);
        let incarnation = self.seats[seats.clone()].iter().map(next).max().unwrap_or(0);
        self.begin_with(seats, incarnation);
        incarnation
    }

    /// Records that a world begins in these seats with that incarnation, which another ledger has
    /// said.
    pub fn begin_with(&mut self, seats: Range<usize>, incarnation: u32) {
        self.seats[seats].fill(Seat { incarnation, is_dead: false, first: Some(incarnation) });
    }

    /// The latest life in a seat.
    pub fn latest(&self, seat: usize) -> Member {
        Member { seat, incarnation: self.seats[seat].incarnation }
    }

    /// Whether the latest life in each seat goes on.
    pub fn seats(&self) -> impl Iterator<Item = (Member, bool)> + '_ {
        let seats = self.seats.iter().enumerate();
        seats.map(|(seat, it)| (Member { seat, incarnation: it.incarnation }, !it.is_dead))
    }

    /// Whether `member` has started, alive or not.
    pub fn has_entered(&self, member: Member) -> bool {
        self.seats[member.seat].incarnation >= member.incarnation
    }

    /// Whether `member` is dead.
    pub fn is_dead(&self, member: Member) -> bool {
        let seat = self.seats[member.seat];
        seat.incarnation > member.incarnation
            || seat.incarnation == member.incarnation && seat.is_dead
    }

    /// Whether `member` was among the first `epoch` deaths.
    pub fn is_dead_by(&self, member: Member, epoch: usize) -> bool {
        // No member dies twice, and callers know of most deaths, so the slice is short.
        self.is_dead(member) && !self.since(epoch).contains(&member)
    }

    /// The number of deaths.
    #[cfg(test)]
    pub fn epoch(&self) -> usize {
        self.forgotten + self.deaths.len()
    }

    /// The deaths after `epoch`, in order, as far as they are not forgotten.
    pub fn since(&self, epoch: usize) -> &[Member] {
        &self.deaths[epoch.saturating_sub(self.forgotten)..]
    }

    /// Forgets deaths before `epoch`, which no caller will ask for.
    pub fn forget(&mut self, epoch: usize) {
        let count = epoch.saturating_sub(self.forgotten).min(self.deaths.len());
        self.deaths.drain(..count);
        self.forgotten += count;
    }

    /// The number of forgotten deaths.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// The seats in which a member of the present world has died.
    pub fn bereaved(&self) -> impl Iterator<Item = usize> {
        let has_lost = |seat: &Seat| seat.is_dead || seat.incarnation > seat.first.unwrap_or(0);
        (0..).zip(&self.seats).filter(move |(_, seat)| has_lost(seat)).map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs every sequence of `depth` reports and entries on two seats with up to three lives.
    fn explore(ledger: &Ledger, history: &mut Vec<Member>, depth: usize) {
        for seat in 0..2 {
            for incarnation in 0..3 {
                let member = Member { seat, incarnation };
                let is_known = history.contains(&member);
                assert_eq!(ledger.is_dead(member), is_known, "{member:?} after {history:?}");
            }
        }
        assert_eq!(ledger.since(0), &history[..], "every death once, in order");
        assert_eq!(ledger.epoch(), history.len());
        if depth == 0 {
            return;
        }
        for seat in 0..2 {
            for incarnation in 0..3 {
                let member = Member { seat, incarnation };
                let mut next = ledger.clone();
                let lives = next.seats[seat] == Seat { incarnation, is_dead: false, first: None };
                assert_eq!(next.bury(member), lives, "only the living die: {member:?}");
                history.extend(lives.then_some(member));
                explore(&next, history, depth - 1);
                history.truncate(history.len() - usize::from(lives));
            }
            let mut next = ledger.clone();
            let taken = next.seats[seat];
            if taken.is_dead && taken.incarnation < 2 {
                assert!(next.enter(Member { seat, incarnation: taken.incarnation + 1 }));
                explore(&next, history, depth - 1);
            }
        }
    }

    #[test]
    fn every_death_is_recorded_once_whatever_the_order_of_reports() {
        let depth = if cfg!(miri) { 2 } else { 5 };
        explore(&Ledger::new(2), &mut Vec::new(), depth);
    }

    #[test]
    fn what_is_forgotten_counts_all_the_same() {
        let mut ledger = Ledger::new(2);
        for incarnation in 0..10 {
            let member = Member { seat: 1, incarnation };
            assert!(ledger.enter(member) && ledger.bury(member));
            ledger.forget(ledger.epoch().saturating_sub(3));
        }
        assert_eq!((ledger.epoch(), ledger.forgotten()), (10, 7));
        let recent = [8, 9].map(|incarnation| Member { seat: 1, incarnation });
        assert_eq!(ledger.since(8), recent);
        assert_eq!(ledger.since(0).len(), 3);
        assert!(ledger.is_dead(Member { seat: 1, incarnation: 2 }));
        assert!(ledger.is_dead_by(recent[0], 9) && !ledger.is_dead_by(recent[1], 9));
        assert_eq!(ledger.bereaved().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_seat_that_another_world_begins_in_has_lost_nobody() {
        let mut ledger = Ledger::new(4);
        let [old, new, next] = [0, 1, 2].map(|incarnation| Member { seat: 2, incarnation });
        assert_eq!((ledger.begin_anew(1..3), ledger.begin_anew(1..3)), (0, 1));
        assert!(ledger.is_dead(old) && !ledger.is_dead(new));
        assert_eq!((ledger.epoch(), ledger.bereaved().count()), (0, 0));
        assert!(ledger.bury(new) && ledger.enter(next) && !ledger.bury(old));
        assert_eq!((ledger.since(0), ledger.bereaved().collect()), (&[new][..], vec![2]));
        assert_eq!((ledger.begin_anew(3..4), ledger.begin_anew(2..4)), (0, 3));
        assert_eq!((ledger.epoch(), ledger.bereaved().count()), (1, 0));
    }

    #[test]
    fn a_stranger_cannot_die() {
        assert!(!Ledger::new(2).bury(Member { seat: 2, incarnation: 0 }));
    }

    #[test]
    fn two_lives_in_one_seat_at_once_are_refused_and_so_are_the_dead() {
        let mut ledger = Ledger::new(1);
        let [first, second] = [0, 1].map(|incarnation| Member { seat: 0, incarnation });
        assert!(ledger.enter(first) && !ledger.enter(second), "the first lives");
        assert!(ledger.bury(first) && !ledger.enter(first), "the first is dead");
        assert!(ledger.enter(second) && !ledger.enter(first), "lives are counted upwards");
        assert!(!ledger.enter(Member { seat: 1, incarnation: 0 }), "no such seat");
    }
}
