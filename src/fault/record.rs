//! Which failures a communicator has seen, in the form in which programs query it. Pure.
//!
//! The failures that recoveries have agreed on come first, and are equal at all members; those
//! noticed since follow, and are agreed on in the next recovery. Each death occurs once. Failures
//! that are settled for good can be filed: members that share memory keep one copy of these
//! ([`Annals`]).

use super::rules::Rules;
use ftmpi_base::Member;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The death of a member, and the rank that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    pub member: Member,
    pub rank: usize,
}

/// The failures of a communicator that are not filed, in order of detection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The number of filed failures.
    filed: usize,
    /// Shared, since it grows with every failure, and every recovery has a copy.
    agreed: Arc<Vec<Loss>>,
    noticed: Vec<Loss>,
    /// The number of agreed failures at the end of the last recovery, and of the one before.
    completed: [usize; 2],
}

/// The ranks of the filed failures, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annals(Vec<u32>);

impl Annals {
    /// Adds the failures that follow the first `before`. Several members may report the same
    /// failures.
    pub fn keep(&mut self, before: usize, losses: &[Loss]) {
        let known = self.0.len().saturating_sub(before);
        let news = losses.get(known..).unwrap_or_default();
        self.0.extend(news.iter().map(|loss| loss.rank as u32));
    }

    /// The ranks of the first `count` failures.
    pub fn first(&self, count: usize) -> impl Iterator<Item = usize> {
        self.0.iter().take(count).map(|&rank| rank as usize)
    }
}

impl Record {
    pub fn new() -> Record {
        Record::default()
    }

    /// Notes a death; false if it is known.
    pub fn note(&mut self, loss: Loss) -> bool {
        let is_new = !self.events().any(|known| known.member == loss.member);
        self.noticed.extend(is_new.then_some(loss));
        is_new
    }

    /// Moves these deaths to the agreed ones, in this order.
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

    /// Takes out what neither a later recovery nor a query after the last one needs, and returns it
    /// with the number of failures filed before. All members that have agreed take out equal parts.
    pub fn file(&mut self) -> (usize, Vec<Loss>) {
        let (before, [last, old]) = (self.filed, self.completed);
        let filed: Vec<Loss> = Arc::make_mut(&mut self.agreed).drain(..old).collect();
        self.filed += filed.len();
        self.completed = [last - old, 0];
        (before, filed)
    }

    /// The number of filed failures.
    pub fn filed(&self) -> usize {
        self.filed
    }

    /// All failures that are not filed, in order of detection.
    pub fn events(&self) -> impl Iterator<Item = &Loss> {
        self.agreed.iter().chain(&self.noticed)
    }

    /// The agreed failures, which are equal at all members in one generation.
    #[cfg(test)]
    pub fn agreed(&self) -> &[Loss] {
        &self.agreed
    }

    /// Failures since the last recovery; if there are none, those which that recovery repaired, so
    /// that a program can query them after it, and replacements can, too.
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
    use crate::rules::Sound;

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
    fn what_is_filed_is_in_the_annals_once_whoever_files_it() {
        let (mut records, mut annals) = ([Record::new(), Record::new()], Annals::default());
        for generation in 0..5 {
            for record in &mut records {
                record.settle::<Sound>(&[loss(generation, 0), loss(9, generation as u32)]);
                record.complete();
                let counts = record.counts(10);
                let (before, filed) = record.file();
                annals.keep(before, &filed);
                assert_eq!(record.counts(10), counts, "questions have the same answers");
                assert_eq!(record.events().count(), 2, "of the last recovery");
            }
            let filed: Vec<usize> = annals.first(records[0].filed()).collect();
            let expected = (0..generation).flat_map(|generation| [generation, 9]);
            assert_eq!(filed, expected.collect::<Vec<_>>());
        }
        assert_eq!(records[0], records[1]);
        assert_eq!(annals.first(3).collect::<Vec<_>>(), [0, 9, 1]);
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
