//! Operations of many members through the first one, which waits for all of them, does what there
//! is to do, and shows all of them what comes of it. So each member is woken once, and the first
//! one once more.

use super::allgather::Allgather;
use super::combine::disagreement;
use super::members::{Members, Wait};
use super::sum::Sum;
use super::take::Share;
use crate::host::memory::Region;
use crate::mpi::error::Result;
use crate::mpi::scratch::Scratch;

impl<W: Wait> Members<'_, '_, W> {
    /// Returns when all members have come.
    pub(super) async fn meet_at_first(&self) -> Result {
        self.all_at(0).await?;
        match self.me() {
            0 => self.show(),
            _ => self.shown_by(0).await,
        }
    }

    /// As [`Members::reduce_for_all`].
    pub(super) async fn reduce_at_first(
        &self, sum: &Sum, offset: usize, target: &Region,
    ) -> Result {
        let bytes = sum.bytes();
        self.put(sum.values())?;
        self.all_at(0).await?;
        if self.me() != 0 {
            self.shown_by(0).await?;
        } else {
            let mut kept = Scratch::default();
            let result = Region::from(kept.room(bytes));
            let is_agreed = self.round().equal_bytes() == Some(bytes);
            self.combine_here(sum, 0, 0, &result)?;
            self.put(if is_agreed { &result } else { &Region::EMPTY })?;
            self.show()?;
        }
        let result = self.copy_of(0);
        match result.bytes() == bytes {
            true => self.copy(result.part(offset, target.bytes()), target),
            false if self.me() == 0 => Ok(()),
            false => self.lane().note(Err(disagreement(0, result.bytes(), bytes))),
        }
    }

    /// Each member's block goes to the first member, and `all` of them from there to every member.
    pub(super) async fn allgather_at_first(&self, plan: &Allgather, all: &Region) -> Result {
        self.put(&plan.mine(self.lane().rank()))?;
        self.all_at(0).await?;
        if self.me() != 0 {
            self.shown_by(0).await?;
            return self.take(0, Share::All, all);
        }
        self.take_all(Share::All, plan.blocks(), plan.is_in_place())?;
        self.put(all)?;
        self.show()
    }
}
