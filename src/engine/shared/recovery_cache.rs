//! Conclusions that all members of a recovery draw: the first member computes them, the
//! others find them done. Only the latest are kept; a member that is further behind computes them
//! itself.

use crate::base::roll::Roll;
use crate::fault::Summons;
use crate::fault::{Decision, Mode, Recovery, Step};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// The number of rounds that members may be ahead of others.
const ROUNDS: usize = 4;

/// What is kept for the members that come later.
#[derive(Default)]
pub struct RecoveryCache {
    first: Mutex<Weak<Recovery>>,
    conclusions: Mutex<VecDeque<Conclusion>>,
    committed: Mutex<Option<Arc<CommittedView>>>,
}

/// Where a decision has led.
struct Conclusion {
    /// The generation that is recovered from, and the number of the agreement.
    round: (u64, u64),
    decision: Decision,
    step: Arc<Step>,
    after: Summons,
}

/// What the members of a view have in common from its commit on.
pub struct CommittedView {
    /// The generation, and the context of the world's messages in it.
    pub key: (u64, u32),
    /// The living members; and, in a view with gaps, also the former members of the gaps.
    pub roll: Arc<Roll>,
    pub with_gone: Option<Arc<Roll>>,
    /// The ranks of the living members.
    pub ranks: Arc<[i32]>,
    /// The recovery that comes next.
    pub next: Arc<Recovery>,
}

impl RecoveryCache {
    /// The first recovery, shared by all members that ask for one mode.
    pub fn first_recovery(&self, mode: Mode, make: impl FnOnce() -> Recovery) -> Arc<Recovery> {
        let mut latest = self.first.lock();
        if let Some(first) = latest.upgrade().filter(|first| first.mode() == mode) {
            return first;
        }
        let first = Arc::new(make());
        *latest = Arc::downgrade(&first);
        first
    }

    /// The agreement of this round has decided: what follows, and how `course` goes on.
    pub fn advance(&self, course: &mut Summons, decision: &Decision) -> Arc<Step> {
        let round = (course.recovery.before().generation, course.number);
        let mut latest = self.conclusions.lock();
        let is_it = |known: &&Conclusion| known.round == round && known.decision == *decision;
        if let Some(known) = latest.iter().find(is_it) {
            *course = known.after.clone();
            return known.step.clone();
        }
        let step = Arc::new(course.advance(decision));
        let (decision, after) = (decision.clone(), course.clone());
        latest.truncate(ROUNDS - 1);
        latest.push_front(Conclusion { round, decision, step: step.clone(), after });
        step
    }

    /// What is common to all in the generation and context of `key`.
    pub fn committed(
        &self, key: (u64, u32), make: impl FnOnce() -> CommittedView,
    ) -> Arc<CommittedView> {
        let mut latest = self.committed.lock();
        if let Some(committed) = latest.as_ref().filter(|committed| committed.key == key) {
            return committed.clone();
        }
        let committed = Arc::new(make());
        *latest = Some(committed.clone());
        committed
    }
}
