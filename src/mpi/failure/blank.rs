//! Gaps: ranks of a communicator that have died and are not replaced (FT-MPI's BLANK mode). The
//! living members do collective operations with ranks that are counted without the gaps.

use crate::base::Member;
use crate::base::member::Roster;
use crate::mpi::comm::group::Group;
use crate::mpi::comm::{Comm, Gaps};
use crate::mpi::error::{Class, Result};
use std::sync::Arc;

/// The living members, by their ranks in the communicator.
struct Living {
    group: Arc<Group>,
    ranks: Arc<[i32]>,
}

impl Roster for Living {
    fn rank_of(&self, member: Member) -> Option<i32> {
        let place = usize::try_from(self.group.rank_of(member)?).ok()?;
        self.ranks.get(place).copied()
    }

    fn size(&self) -> usize {
        self.ranks.len()
    }
}

impl Gaps {
    /// The members of a communicator with `ranks` are alive; `living` is their group.
    pub(in crate::mpi) fn new(
        generation: u64, context: u32, living: Arc<Group>, ranks: Arc<[i32]>,
    ) -> Gaps {
        let roster = Arc::new(Living { group: living.clone(), ranks: ranks.clone() });
        let living = Comm::new(0, context, living, "those who live").of_generation(generation);
        Gaps { living, ranks, roster }
    }

    /// The gaps of a communicator of `group` that is derived from this one; the caller is a
    /// member of `group`. `None` if no rank of `group` is a gap.
    pub(in crate::mpi) fn within(&self, context: u32, group: &Group) -> Option<Gaps> {
        let lives = |(_, member): &(i32, Member)| self.living.group.rank_of(*member).is_some();
        let (ranks, members): (Vec<i32>, Vec<Member>) =
            (0..).zip(group.members()).filter(lives).unzip();
        if ranks.len() == group.len() {
            return None;
        }
        let me = group.rank().and_then(|rank| group.member(usize::try_from(rank).ok()?))?;
        let living = Arc::new(Group::of(members, me));
        Some(Gaps::new(self.living.generation, context, living, ranks.into()))
    }

    /// The rank among the living of the member with `rank`; `None` for a gap.
    pub(in crate::mpi) fn place(&self, rank: i32) -> Option<i32> {
        let place = self.ranks.binary_search(&rank).ok();
        place.and_then(|place| i32::try_from(place).ok())
    }

    /// Whether this rank is a gap.
    pub(in crate::mpi) fn has(&self, rank: i32) -> bool {
        self.ranks.binary_search(&rank).is_err()
    }

    /// The rank among the living of `root`; fails if it is a gap.
    pub(in crate::mpi) fn root(&self, root: i32) -> Result<i32> {
        self.place(root)
            .ok_or_else(|| Class::ROOT.because(format!("root is {root}, a failed process (a gap)")))
    }
}
