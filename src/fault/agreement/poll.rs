//! What a coordinator has received from each member.

use super::absent::Absent;
use super::decision::{Decision, Lock};
use super::value::Value;
use crate::rules::Rules;
use std::sync::Arc;

/// The votes of all members, and how many of them count.
#[derive(Clone, Debug)]
pub(super) struct Poll {
    votes: Vec<Vote>,
    /// The number of reports; after the proposal, the number of acceptances.
    count: usize,
    has_proposed: bool,
    /// A reported lock; all reported locks are equal.
    lock: Option<Lock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vote {
    Silent,
    Reported(Value),
    Accepted,
}

impl Poll {
    pub(super) fn new(size: usize) -> Poll {
        Poll { votes: vec![Vote::Silent; size], count: 0, has_proposed: false, lock: None }
    }

    /// Notes a report. A member reports only once to one coordinator.
    pub(super) fn hear(&mut self, from: usize, value: Value, lock: Option<Lock>) {
        if self.votes[from] == Vote::Silent {
            self.votes[from] = Vote::Reported(value);
            self.count += usize::from(!self.has_proposed);
        }
        if lock.is_some() {
            self.lock = lock;
        }
    }

    /// Member `who` no longer counts.
    pub(super) fn forget(&mut self, who: usize) {
        let counts = match self.votes[who] {
            Vote::Silent => false,
            Vote::Reported(_) => !self.has_proposed,
            Vote::Accepted => self.has_proposed,
        };
        self.count -= usize::from(counts);
        self.votes[who] = Vote::Silent;
    }

    pub(super) fn accept(&mut self, from: usize) {
        if self.has_proposed && self.votes[from] != Vote::Accepted {
            self.votes[from] = Vote::Accepted;
            self.count += 1;
        }
    }

    /// Whether `living` members have reported, and nothing is proposed yet.
    pub(super) fn may_propose(&self, living: usize) -> bool {
        !self.has_proposed && self.count >= living
    }

    /// What to propose: what may have been decided already, or else the combination of all reports.
    pub(super) fn propose<R: Rules>(&mut self, absent: &Absent) -> Arc<Decision> {
        (self.has_proposed, self.count) = (true, 0);
        if let Some(lock) = self.lock.take().filter(|_| R::INHERITS) {
            return lock.proposal;
        }
        let values = self.votes.iter().filter_map(|vote| match vote {
            Vote::Reported(value) => Some(*value),
            Vote::Silent | Vote::Accepted => None,
        });
        let value = values.fold(Value::NEUTRAL, Value::and);
        Arc::new(Decision { value, dead: absent.dead(), left: absent.left() })
    }

    /// Whether all `living` members have accepted the proposal.
    pub(super) fn is_accepted(&self, living: usize) -> bool {
        self.has_proposed && self.count == living
    }

    /// The members that have reported and are not known to be dead.
    pub(super) fn voters(&self) -> impl Iterator<Item = usize> {
        (0..self.votes.len()).filter(|&who| self.votes[who] != Vote::Silent)
    }
}
