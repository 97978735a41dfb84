//! What the members of a communicator do after the decisions of a recovery. Pure.
//!
//! A recovery is a sequence of rounds; each is one [`Agreement`](super::Agreement) among the
//! [roster](Recovery::roster) of the round. Every step depends on the decisions so far and on
//! nothing else, so all members take equal steps, and a member that joins later can be given a
//! copy. BLANK and SHRINK end with the first decision: the members that are dead in it are removed.
//! REBUILD orders new incarnations for the dead and continues among survivors and replacements
//! (these contribute in their `MPI_Init`) until no member of a round is missing. Every further
//! round is caused by at least one more death, so the sequence ends; and after [`RESPAWNS`] failed
//! replacements of one slot the recovery gives up.
//!
//! Deaths after the last decision belong to the next recovery.

use super::agreement::Decision;
use super::record::{Loss, Record};
use super::rules::{Rules, Sound};
use super::view::{Mode, Slot, View};
use ftmpi_base::Member;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// This many replacements of one slot may fail in one recovery.
pub const RESPAWNS: u32 = 3;

/// What follows from a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// No member has died: the view does not change, nor does the generation.
    Well,
    /// The new view.
    Commit(View),
    /// Another round with the new roster, in which these members must be started. Any member may do
    /// so, and one that cannot be started is dead. All members that take the step see to it, and so
    /// do [all that join](Recovery::fresh), since the others may die first.
    Next { respawn: Vec<Member> },
    /// Too many replacements of this rank have failed. Nothing has changed for the survivors.
    /// Living replacements continue to wait, until [`Recovery::again`] starts another attempt.
    GiveUp { rank: usize },
}

/// One recovery, as known to all members that take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Recovery<R = Sound> {
    before: View,
    mode: Mode,
    fallback: Option<Mode>,
    slots: Vec<Slot>,
    /// The ranks of this round's members: survivors first, since these are there already.
    roster: Vec<usize>,
    members: Vec<Member>,
    /// By rank: whether its member was ordered in this recovery, and how many such members failed.
    is_fresh: Vec<bool>,
    failed: Vec<u32>,
    record: Record,
    round: u32,
    has_given_up: bool,
    rules: PhantomData<R>,
}

impl Recovery {
    /// A recovery of `view`. `record` has the failures that the communicator has seen so far. If
    /// too many replacements fail, `fallback` decides what happens to the dead; without it, the
    /// recovery gives up.
    pub fn new(view: View, record: Record, mode: Mode, fallback: Option<Mode>) -> Recovery {
        Recovery::ruled(view, record, mode, fallback)
    }
}

impl<R: Rules> Recovery<R> {
    /// Begins a recovery under the rules `R`.
    pub(super) fn ruled(
        view: View, record: Record, mode: Mode, fallback: Option<Mode>,
    ) -> Recovery<R> {
        assert!(fallback != Some(Mode::Rebuild), "what falls back falls back to something else");
        let extent = view.slots.len();
        let mut recovery = Recovery {
            slots: view.slots.clone(),
            before: view,
            mode,
            fallback,
            roster: Vec::new(),
            members: Vec::new(),
            is_fresh: vec![false; extent],
            failed: vec![0; extent],
            record,
            round: 0,
            has_given_up: false,
            rules: PhantomData,
        };
        recovery.enrol();
        recovery
    }

    /// The members of this round's agreement, in this order.
    pub fn roster(&self) -> &[Member] {
        &self.members
    }

    /// The members of the roster that were ordered in this recovery, in any round.
    pub fn fresh(&self) -> impl Iterator<Item = Member> {
        let fresh = self.roster.iter().filter(|&&rank| self.is_fresh[rank]);
        fresh.map(|&rank| self.slots[rank].last())
    }

    /// The number of completed rounds.
    #[cfg(test)]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The view before the recovery.
    pub fn before(&self) -> &View {
        &self.before
    }

    /// Whether the recovery has given up, and no new attempt has begun.
    pub fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// The slots as they will be if no more members fail.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The failures agreed so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What the recovery does with the slots of the dead.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Changes the mode before the first decision; all members have agreed on that.
    pub fn choose(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// A death was noticed during the recovery.
    #[cfg(test)]
    pub fn note(&mut self, member: Member) {
        let rank = self.slots.iter().position(|slot| slot.last() == member);
        if let Some(rank) = rank {
            self.record.note(Loss { member, rank });
        }
    }

    /// Starts another attempt after the recovery gave up, with the living members of its last
    /// roster, replacements included.
    pub fn again(&mut self, mode: Mode, fallback: Option<Mode>) {
        (self.mode, self.fallback) = (mode, fallback);
        self.failed.fill(0);
        self.has_given_up = false;
        self.enrol();
    }

    /// Takes the next step, after the agreement of this round has decided.
    pub fn advance(&mut self, decision: &Decision) -> Step {
        self.round += 1;
        let is_complete = self.take_out(decision);
        if self.mode != Mode::Rebuild {
            return self.commit(self.mode);
        }
        let has_gaps = self.slots.iter().any(|slot| matches!(slot, Slot::Gap(_)));
        if !has_gaps || !R::COMMITS_COMPLETE && (is_complete || self.round > 1) {
            return self.commit(Mode::Rebuild);
        }
        let counts_for = |rank: usize| match R::COUNTS_PER_SLOT {
            true => self.failed[rank],
            false => self.failed.iter().sum(),
        };
        let is_hopeless = |&rank: &usize| {
            matches!(self.slots[rank], Slot::Gap(_)) && counts_for(rank) >= RESPAWNS
        };
        match ((0..self.slots.len()).find(is_hopeless), self.fallback) {
            (None, _) => Step::Next { respawn: self.order() },
            (Some(_), Some(fallback)) => self.commit(fallback),
            (Some(rank), None) => {
                self.enrol();
                self.has_given_up = true;
                Step::GiveUp { rank }
            }
        }
    }

    /// Removes missing members; true if there are none.
    fn take_out(&mut self, decision: &Decision) -> bool {
        for &who in &decision.left {
            self.slots[self.roster[who]] = Slot::Left(self.members[who]);
        }
        let mut losses = Vec::with_capacity(decision.dead.len());
        for &who in &decision.dead {
            let (rank, member) = (self.roster[who], self.members[who]);
            self.slots[rank] = Slot::Gap(member);
            self.failed[rank] += u32::from(self.is_fresh[rank] || !R::SPARES_SURVIVORS);
            losses.push(Loss { member, rank });
        }
        self.record.settle::<R>(&losses);
        decision.dead.is_empty() && decision.left.is_empty()
    }

    /// Orders a new incarnation for every gap.
    fn order(&mut self) -> Vec<Member> {
        let mut respawn = Vec::new();
        for (rank, slot) in self.slots.iter_mut().enumerate() {
            let Slot::Gap(Member { seat, incarnation }) = *slot else { continue };
            let member = Member { seat, incarnation: incarnation + u32::from(R::COUNTS_LIVES) };
            *slot = Slot::Taken(member);
            self.is_fresh[rank] = true;
            respawn.push(member);
        }
        self.enrol();
        respawn
    }

    /// Lists the members of the next round.
    fn enrol(&mut self) {
        let taken = |&rank: &usize| self.slots[rank].member().is_some();
        let (fresh, survivors): (Vec<usize>, Vec<usize>) =
            (0..self.slots.len()).filter(taken).partition(|&rank| self.is_fresh[rank]);
        self.roster = [survivors, fresh].concat();
        self.members = self.roster.iter().map(|&rank| self.slots[rank].last()).collect();
    }

    fn commit(&mut self, mode: Mode) -> Step {
        if mode == Mode::Shrink {
            self.slots.retain(|slot| matches!(slot, Slot::Taken(_)));
        }
        if self.slots == self.before.slots {
            return Step::Well;
        }
        self.record.complete();
        let generation = self.before.generation + 1;
        Step::Commit(View { generation, slots: self.slots.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn life(seat: usize, incarnation: u32) -> Member {
        Member { seat, incarnation }
    }

    fn world(size: usize) -> View {
        View::new((0..size).map(|seat| life(seat, 0)))
    }

    fn missing(dead: &[usize], left: &[usize]) -> Decision {
        Decision { value: Value::NEUTRAL, dead: dead.to_vec(), left: left.to_vec() }
    }

    fn committed(step: Step) -> View {
        match step {
            Step::Commit(view) => view,
            other => panic!("a commit, not {other:?}"),
        }
    }

    #[test]
    fn blank_keeps_the_slots_of_the_dead_and_rebuild_fills_them_later() {
        let mut recovery = Recovery::new(world(3), Record::new(), Mode::Blank, None);
        let view = committed(recovery.advance(&missing(&[1], &[])));
        assert_eq!(view.generation, 1);
        assert_eq!(view.slots[1], Slot::Gap(life(1, 0)));
        assert_eq!(view.members().collect::<Vec<_>>(), [life(0, 0), life(2, 0)]);

        let record = recovery.record().clone();
        let mut recovery = Recovery::new(view.clone(), record.clone(), Mode::Blank, None);
        assert_eq!(recovery.roster(), [life(0, 0), life(2, 0)]);
        assert_eq!(recovery.advance(&missing(&[], &[])), Step::Well);

        let mut recovery = Recovery::new(view, record, Mode::Rebuild, None);
        let step = recovery.advance(&missing(&[0], &[]));
        assert_eq!(step, Step::Next { respawn: vec![life(0, 1), life(1, 1)] });
        assert_eq!(recovery.roster(), [life(2, 0), life(0, 1), life(1, 1)], "survivors first");
        let view = committed(recovery.advance(&missing(&[], &[])));
        assert_eq!(view.generation, 2);
        assert_eq!(view.members().collect::<Vec<_>>(), [life(0, 1), life(1, 1), life(2, 0)]);
    }

    #[test]
    fn shrink_closes_ranks_in_order() {
        let mut recovery = Recovery::new(world(4), Record::new(), Mode::Shrink, None);
        let view = committed(recovery.advance(&missing(&[2, 0], &[])));
        assert_eq!(view.slots, [Slot::Taken(life(1, 0)), Slot::Taken(life(3, 0))]);
        assert_eq!(view.rank_of(life(3, 0)), Some(1));
    }

    #[test]
    fn who_has_finalized_is_neither_replaced_nor_recorded() {
        let mut recovery = Recovery::new(world(3), Record::new(), Mode::Rebuild, None);
        let step = recovery.advance(&missing(&[2], &[0]));
        assert_eq!(step, Step::Next { respawn: vec![life(2, 1)] });
        let view = committed(recovery.advance(&missing(&[], &[])));
        assert_eq!(view.slots[0], Slot::Left(life(0, 0)));
        assert_eq!(recovery.record().agreed(), [Loss { member: life(2, 0), rank: 2 }]);
        let mut recovery = Recovery::new(view, Record::new(), Mode::Rebuild, None);
        assert_eq!(recovery.advance(&missing(&[], &[])), Step::Well);
    }

    #[test]
    fn three_failed_respawns_of_a_rank_are_enough_but_those_of_others_do_not_count() {
        let mut recovery = Recovery::new(world(3), Record::new(), Mode::Rebuild, None);
        recovery.advance(&missing(&[1, 2], &[]));
        for (fails, incarnation) in [(1, 2), (1, 3)] {
            let step = recovery.advance(&missing(&[fails], &[]));
            assert_eq!(step, Step::Next { respawn: vec![life(1, incarnation)] });
        }
        let mut with_fallback = recovery.clone();
        assert_eq!(recovery.roster(), [life(0, 0), life(1, 3), life(2, 1)]);
        assert_eq!(recovery.advance(&missing(&[1, 0], &[])), Step::GiveUp { rank: 1 });
        assert_eq!(recovery.roster(), [life(2, 1)], "a replacement that lives waits");
        recovery.again(Mode::Rebuild, None);
        let step = recovery.advance(&missing(&[], &[]));
        assert_eq!(step, Step::Next { respawn: vec![life(0, 1), life(1, 4)] });

        with_fallback.fallback = Some(Mode::Shrink);
        let view = committed(with_fallback.advance(&missing(&[1, 0], &[])));
        assert_eq!(view.slots, [Slot::Taken(life(2, 1))]);
    }
}
