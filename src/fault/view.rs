//! Membership: the slots of a communicator in one generation.

use ftmpi_base::Member;
use ftmpi_launch::CommMode;
use serde::{Deserialize, Serialize};

/// What a recovery does with the slots of the dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Their slots stay as gaps.
    Blank,
    /// Their slots are removed; the others move up, in order.
    Shrink,
    /// New incarnations take their slots, and those of earlier gaps.
    Rebuild,
}

/// What a recovery by this mode makes of the dead; `None`: there is none.
pub fn mode_of(comm: CommMode) -> Option<Mode> {
    match comm {
        CommMode::Abort => None,
        CommMode::Blank => Some(Mode::Blank),
        CommMode::Shrink => Some(Mode::Shrink),
        CommMode::Rebuild => Some(Mode::Rebuild),
    }
}

/// One position in a communicator: its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    Taken(Member),
    /// Empty: its last member died.
    Gap(Member),
    /// Empty: its last member has finalized. No recovery fills it.
    Left(Member),
}

impl Slot {
    /// The member in the slot, if there is one.
    pub fn member(self) -> Option<Member> {
        match self {
            Slot::Taken(member) => Some(member),
            Slot::Gap(_) | Slot::Left(_) => None,
        }
    }

    /// The member in the slot, or the last that was.
    pub fn last(self) -> Member {
        let (Slot::Taken(member) | Slot::Gap(member) | Slot::Left(member)) = self;
        member
    }
}

/// The members of a communicator in one generation, by rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The number of completed recoveries.
    pub generation: u64,
    pub slots: Vec<Slot>,
}

impl View {
    /// Generation 0, with all members.
    pub fn new(members: impl IntoIterator<Item = Member>) -> View {
        View { generation: 0, slots: members.into_iter().map(Slot::Taken).collect() }
    }

    /// All members, by rank.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        self.slots.iter().filter_map(|slot| slot.member())
    }

    /// The rank of `member`.
    #[cfg(test)]
    pub fn rank_of(&self, member: Member) -> Option<usize> {
        self.slots.iter().position(|slot| slot.member() == Some(member))
    }
}
