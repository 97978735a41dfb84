//! Which failures a communicator has seen, as programs ask for it. Pure.
//!
//! What recoveries have agreed on comes first and is the same at everybody; what was noticed
//! since follows, and becomes agreed with the next recovery. Every death is in it once.

use super::rules::Rules;
use crate::base::Member;
use std::sync::Arc;

/// A death: whose, and which rank he had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    pub member: Member,
    pub rank: usize,
}

/// All failures of a communicator, in order of detection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Shared, since it grows with every failure and every recovery has a copy.
    agreed: Arc<Vec<Loss>>,
    noticed: Vec<Loss>,
    /// How many were agreed when the last recovery completed, and the one before.
    completed: [usize; 2],
}

impl Record {
    pub fn new() -> Record {
        Record::default()
    }

    /// A death was noticed; false when it is known.
    pub fn note(&mut self, loss: Loss) -> bool {
        let is_new = !self.events().any(|known| known.member == loss.member);
        self.noticed.extend(is_new.then_some(loss));
        is_new
    }

    /// These are agreed on, in this order.
    pub(super) fn settle<R: Rules>(&mut self, losses: &[Loss]) {
        for &loss in losses {
            self.noticed.retain(|noticed| noticed.member != loss.member || !R::RECORDS_ONCE);
            Arc::make_mut(&mut self.agreed).push(loss);
        }
    }

    /// A recovery is complete.
    pub(super) fn complete(&mut self) {
        self.completed = [self.agreed.len(), self.completed[0]];
    }

    /// All failures ever, in order of detection.
    pub fn events(&self) -> impl Iterator<Item = &Loss> {
        self.agreed.iter().chain(&self.noticed)
    }

    /// What is agreed on: the same at everybody in the same generation.
    pub fn agreed(&self) -> &[Loss] {
        &self.agreed
    }

    /// Failures since the last recovery; while there are none, those which that one repaired, so
    /// that a program can ask after it as well, and a replacement too.
    pub fn recent(&self) -> impl Iterator<Item = &Loss> {
        let [last, before] = self.completed;
        let has_new = self.agreed.len() > last || !self.noticed.is_empty();
        self.events().skip(if has_new { last } else { before })
    }

    /// How often each of `extent` ranks is among the recent failures.
    pub fn counts(&self, extent: usize) -> Vec<u32> {
        let mut counts = vec![0; extent];
        for loss in self.recent() {
            if let Some(count) = counts.get_mut(loss.rank) {
                *count += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::rules::Sound;

    fn loss(rank: usize, incarnation: u32) -> Loss {
        Loss { member: Member { seat: rank, incarnation }, rank }
    }

    #[test]
    fn a_death_is_in_the_record_once_and_agreed_order_comes_first() {
        let mut record = Record::new();
        assert!(record.note(loss(2, 0)) && record.note(loss(1, 0)) && !record.note(loss(2, 0)));
        record.settle::<Sound>(&[loss(0, 0), loss(2, 0)]);
        assert!(!record.note(loss(0, 0)), "agreed on already");
        let ranks: Vec<usize> = record.events().map(|loss| loss.rank).collect();
        assert_eq!(ranks, [0, 2, 1]);
        assert_eq!(record.agreed().len(), 2);
    }

    #[test]
    fn counts_are_of_the_last_recovery_until_somebody_else_fails() {
        let mut record = Record::new();
        record.note(loss(1, 0));
        assert_eq!(record.counts(3), [0, 1, 0], "on an affected communicator");
        record.settle::<Sound>(&[loss(1, 0)]);
        record.settle::<Sound>(&[loss(1, 1)]);
        assert_eq!(record.counts(3), [0, 2, 0], "a replacement failed too");
        record.complete();
        assert_eq!(record.counts(3), [0, 2, 0], "what has been repaired");
        record.note(loss(2, 0));
        assert_eq!(record.counts(3), [0, 0, 1]);
        record.settle::<Sound>(&[loss(2, 0)]);
        record.complete();
        assert_eq!(record.counts(2), [0, 0], "ranks that are not there are not counted");
        assert_eq!(record.events().count(), 3);
    }
}
