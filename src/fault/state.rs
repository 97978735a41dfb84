//! FT-MPI's states of a communicator and its ranks, as programs query them (Fagg & Dongarra).
//!
//! Nothing is stored: both follow from the view, from the recovery under way, and from the known
//! deaths.

use super::recovery::Recovery;
use super::rules::Rules;
use super::view::{Slot, View};
use ftmpi_base::Member;

/// The state of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommState {
    /// No member has ever failed.
    Ok,
    /// A member is dead, and no recovery has begun.
    Detected,
    /// A recovery is under way.
    Recover,
    /// The last recovery is complete, and no member has failed since.
    Recovered,
    /// A recovery has given up.
    Failed,
}

/// The state of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankState {
    Ok,
    /// Dead, before a recovery has settled it; or gone after finalizing MPI.
    Unavailable,
    /// A replacement that the recovery waits for.
    Joining,
    /// Dead for good: no replacement takes the place.
    Failed,
}

impl CommState {
    /// The state of a communicator with this view and this recovery.
    pub fn of<R: Rules>(
        view: &View, recovery: Option<&Recovery<R>>, is_dead: impl Fn(Member) -> bool,
    ) -> CommState {
        match recovery {
            Some(recovery) if recovery.has_given_up() => CommState::Failed,
            Some(_) => CommState::Recover,
            None if view.members().any(is_dead) => CommState::Detected,
            None if view.generation > 0 => CommState::Recovered,
            None => CommState::Ok,
        }
    }
}

impl RankState {
    /// The state of `rank`, which is in the view.
    pub fn of<R: Rules>(
        rank: usize, view: &View, recovery: Option<&Recovery<R>>, is_dead: impl Fn(Member) -> bool,
    ) -> RankState {
        let slot = recovery.map_or(view.slots[rank], |recovery| recovery.slots()[rank]);
        match slot {
            Slot::Taken(member) if is_dead(member) => RankState::Unavailable,
            Slot::Taken(member) if view.slots[rank].last() != member => RankState::Joining,
            Slot::Taken(_) => RankState::Ok,
            Slot::Gap(_) => RankState::Failed,
            Slot::Left(_) => RankState::Unavailable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decision, Mode, Record, Step, Value};

    #[test]
    fn a_world_is_detected_recovers_gives_up_and_is_recovered() {
        let [lives, dies] = [0, 1].map(|seat| Member { seat, incarnation: 0 });
        let view = View::new([lives, dies]);
        let mut dead = Vec::new();
        let comm = |view: &View, recovery: Option<&Recovery>, dead: &[Member]| {
            let rank = RankState::of(1, view, recovery, |member| dead.contains(&member));
            (CommState::of(view, recovery, |member| dead.contains(&member)), rank)
        };
        assert_eq!(comm(&view, None, &dead), (CommState::Ok, RankState::Ok));
        dead.push(dies);
        assert_eq!(comm(&view, None, &dead), (CommState::Detected, RankState::Unavailable));
        let mut recovery = Recovery::new(view.clone(), Record::new(), Mode::Rebuild, None);
        assert_eq!(
            comm(&view, Some(&recovery), &dead),
            (CommState::Recover, RankState::Unavailable)
        );
        let decision = |dead| Decision { value: Value::NEUTRAL, dead, left: Vec::new() };
        for _ in 0..3 {
            let Step::Next { respawn } = recovery.advance(&decision(vec![1])) else {
                panic!("a replacement is ordered")
            };
            assert_eq!(
                comm(&view, Some(&recovery), &dead),
                (CommState::Recover, RankState::Joining)
            );
            dead.extend(respawn);
        }
        assert_eq!(recovery.advance(&decision(vec![1])), Step::GiveUp { rank: 1 });
        assert_eq!(comm(&view, Some(&recovery), &dead), (CommState::Failed, RankState::Failed));
        recovery.again(Mode::Rebuild, None);
        assert!(matches!(recovery.advance(&decision(vec![])), Step::Next { .. }));
        let Step::Commit(view) = recovery.advance(&decision(vec![])) else {
            panic!("everybody is there")
        };
        assert_eq!(comm(&view, None, &dead), (CommState::Recovered, RankState::Ok));
    }
}
