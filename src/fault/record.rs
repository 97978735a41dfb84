//! Which failures a communicator has seen, as programs ask for it. Pure.
//!
//! What recoveries have agreed on comes first and is the same at everybody; what was noticed
//! since follows, and becomes agreed with the next recovery. Every death is in it once.

use super::rules::Rules;
use crate::base::Member;

/// A death: whose, and which rank he had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    pub member: Member,
    pub rank: usize,
}

/// All failures of a communicator, in order of detection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    agreed: Vec<Loss>,
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
            self.agreed.push(loss);
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
