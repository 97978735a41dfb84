//! How many runs with forced matches there may be. A run that waits in vain for what was forced
//! shows nothing: another one is made in its place, but no more of them than the limit says.

use crate::points::Schedule;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Quota {
    most: u64,
    pub(crate) given: u64,
    pub(crate) in_vain: u64,
    /// What may take the place of a run in vain.
    pub(crate) spare: VecDeque<Schedule>,
}

impl Quota {
    pub(crate) fn new(most: u64) -> Quota {
        Quota { most, ..Quota::default() }
    }

    /// Whether one more run is too much.
    pub(crate) fn is_used_up(&self) -> bool {
        self.given.saturating_sub(self.in_vain.min(self.most)) >= self.most
    }

    /// Whether nothing more needs to be offered.
    pub(crate) fn is_full(&self) -> bool {
        self.is_used_up() && self.spare.len() as u64 >= self.most
    }

    /// Gives back the run that is offered, or keeps it for later.
    pub(crate) fn take(&mut self, schedule: Schedule) -> Option<Schedule> {
        if self.is_used_up() {
            self.spare.push_back(schedule);
            return None;
        }
        self.given += 1;
        Some(schedule)
    }

    /// A run in place of one that was in vain.
    pub(crate) fn next(&mut self) -> Option<Schedule> {
        let spare = if self.is_used_up() { None } else { self.spare.pop_front() };
        self.given += u64::from(spare.is_some());
        spare
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_in_vain_are_made_up_for_within_limits() {
        let mut quota = Quota::new(2);
        let run = |seed| Schedule::plain(2, seed);
        let given = (1..9).filter(|seed| !quota.is_full() && quota.take(run(*seed)).is_some());
        assert_eq!(given.collect::<Vec<u64>>(), [1, 2]);
        assert_eq!((quota.spare.len(), quota.next()), (2, None));
        quota.in_vain += 1;
        assert_eq!((quota.next(), quota.next()), (Some(run(3)), None));
        quota.in_vain += 5;
        assert_eq!((quota.next(), quota.next()), (Some(run(4)), None), "nothing is left");
        assert!(quota.take(run(9)).is_none(), "no more than the limit are made up for");
    }
}
