//! What data movement comes to among members who meet: from one, to one, from all to all.

use super::Blocks;
use super::brisk::Turn;
use super::choice::Crowd;
use super::sitting::{Share, Sitting, index};
use crate::engine::Round;
use crate::host::memory::{Region, Span, copy};
use crate::mpi::error::{Result, is_death};

impl Turn<'_> {
    /// What the one at `root` has in `data` comes to all.
    #[inline(always)]
    pub(super) fn broadcast(&self, root: usize, data: &Region) -> Result {
        if root == self.me() {
            self.put(data)?;
            return self.shown_by(root);
        }
        self.shown_by(root)?;
        let laid = self.round().line(root).copy();
        match laid.bytes() <= data.bytes() {
            true => self.copy(laid, data),
            false => self.sit(|sitting| sitting.take(root, Share::All, data)),
        }
    }

    /// What this member has comes to the one at `root`.
    #[inline(always)]
    pub(super) fn bring(&self, mine: &Region, root: usize) -> Result {
        self.put(mine)?;
        self.come_to(root)
    }

    /// What all have comes here, so many bytes each. Without `mine`, this member's are in place.
    #[inline]
    pub(super) fn collect(&self, mine: Option<&Region>, all: &Region, each: usize) -> Result {
        if let Some(mine) = mine {
            self.put(mine)?;
        }
        self.come_to(self.me())?;
        if mine.is_some() && self.round().equal_bytes() == Some(each) {
            return self.take_row(each, all, false);
        }
        let blocks = Blocks::Even { all: all.clone(), each };
        self.sit(|sitting| {
            if let Some(mine) = mine {
                sitting.lane().keep(mine, &blocks.at(self.me()))?;
            }
            let taken = sitting.take_all(Share::All, &blocks, true);
            sitting.end_reading_of_all();
            taken
        })
    }

    /// Gives each its block of `all`, and takes the own one.
    #[inline]
    pub(super) fn hand_out(&self, all: &Region, each: usize, mine: Option<&Region>) -> Result {
        self.put(all)?;
        self.shown_by(self.me())?;
        mine.map_or(Ok(()), |mine| self.take_block(self.me(), each, mine))
    }

    /// Takes its block of what the one at `root` has.
    #[inline(always)]
    pub(super) fn receive_block(&self, root: usize, mine: &Region) -> Result {
        self.shown_by(root)?;
        let each = mine.bytes();
        match self.round().line(root).bytes() == each * self.members() {
            true => self.take_block(root, each, mine),
            false => self.sit(|sitting| sitting.take(root, Share::Mine, mine)),
        }
    }

    /// What all have comes to all, so many bytes each.
    #[inline]
    pub(super) fn allgather(
        &self, mine: &Region, is_in_place: bool, all: &Region, each: usize,
    ) -> Result {
        let blocks = Blocks::Even { all: all.clone(), each };
        self.put(mine)?;
        self.all(|turn| pack(turn.round(), &blocks))?;
        if self.is_small() && self.round().equal_bytes() == Some(each) {
            return self.take_row(each, all, is_in_place);
        }
        match self.round().packed(all.bytes()) {
            Some(packed) if !self.is_small() => self.copy(packed, all),
            _ => self.sit(|sitting| sitting.take_all(Share::All, &blocks, is_in_place)),
        }
    }

    /// Block `i` of rank `j` becomes block `j` of rank `i`, of so many bytes each.
    #[inline]
    pub(super) fn alltoall(&self, from: &Region, to: &Region, each: usize) -> Result {
        self.put(from)?;
        self.all(|turn| turn.round().agree_on_bytes(turn.round().equal_bytes()))?;
        let agreed = match self.is_small() {
            true => self.round().equal_bytes(),
            false => self.round().agreed_bytes(),
        };
        if agreed == Some(to.bytes()) {
            return self.take_column(each, to);
        }
        let blocks = Blocks::Even { all: to.clone(), each };
        self.sit(|sitting| sitting.take_all(Share::Mine, &blocks, false))
    }
}

impl Sitting<'_, '_> {
    /// What `root` has in `data` comes to all.
    pub(super) async fn broadcast(self, data: &Region, root: i32) -> Result {
        let (root, crowd) = (index(root), Crowd::of(self.lane()));
        if crowd.lays_down(data.bytes()) {
            if root == self.me() {
                self.must_be_whole()?;
                self.put(data)?;
                self.show()?;
            } else {
                self.shown_by(root).await?;
                self.take(root, Share::All, data)?;
            }
            return self.leave().await;
        }
        self.come_to(root).await?;
        if root == self.me() {
            self.point_at(data);
            return self.give().await;
        }
        self.receive(root, Share::All, data).await
    }

    /// What this member points at, now that all are there, is read by all.
    async fn give(self) -> Result {
        self.show()?;
        self.end_reading();
        self.all_have_read().await?;
        self.leave().await
    }

    /// Takes its share of what `root` shows.
    async fn receive(self, root: usize, share: Share, into: &Region) -> Result {
        let taken = match self.shown_by(root).await {
            Ok(()) => self.take(root, share, into),
            failed => failed,
        };
        // Whoever gives up does not read, either.
        self.end_reading();
        taken?;
        self.leave().await
    }

    /// What this member has, `None` if it is in place, comes to `root`, who has `blocks` for all.
    pub(super) async fn gather(
        self, mine: Option<&Region>, blocks: Option<&Blocks>, root: i32,
    ) -> Result {
        let (root, me) = (index(root), self.me());
        let Some(blocks) = blocks else {
            let mine = mine.unwrap_or(&Region::EMPTY);
            let lays_down = Crowd::of(self.lane()).lays_down_for_one(mine.bytes());
            if lays_down {
                self.put(mine)?;
            } else {
                self.point_at(mine);
            }
            self.come_to(root).await?;
            if !lays_down {
                self.read_by(root).await?;
            }
            return self.leave().await;
        };
        if let Some(mine) = mine {
            self.lane().keep(mine, &blocks.at(me))?;
        }
        self.come_to(root).await?;
        let mut others = (0..self.members()).filter(|place| *place != me);
        let taken = others.try_for_each(|place| self.take(place, Share::All, &blocks.at(place)));
        self.end_reading_of_all();
        taken?;
        self.leave().await
    }

    /// Each takes its block of those that `root` has.
    pub(super) async fn scatter(
        self, blocks: Option<&Blocks>, mine: Option<&Region>, root: i32,
    ) -> Result {
        let (root, me) = (index(root), self.me());
        let Some(blocks) = blocks else {
            self.come_to(root).await?;
            return self.receive(root, Share::Mine, mine.unwrap_or(&Region::EMPTY)).await;
        };
        if let Some(mine) = mine {
            self.lane().keep(&blocks.at(me), mine)?;
        }
        if Crowd::of(self.lane()).lays_down(blocks.bytes()) {
            match blocks {
                Blocks::Even { all, .. } => self.put(all)?,
                Blocks::Each(blocks) => self.put_blocks(blocks)?,
            }
            self.show()?;
            return self.leave().await;
        }
        self.come_to(root).await?;
        self.point_at_all(blocks);
        self.give().await
    }

    fn point_at_all(&self, blocks: &Blocks) {
        match blocks {
            Blocks::Even { all, .. } => self.point_at(all),
            Blocks::Each(blocks) => self.point_at_blocks(blocks.clone()),
        }
    }

    /// What all have comes to all. Without `mine`, this member's block is in place.
    pub(super) async fn allgather(self, mine: Option<&Region>, blocks: &Blocks) -> Result {
        let place = blocks.at(self.me());
        let given = mine.unwrap_or(&place);
        if !Crowd::of(self.lane()).packs(blocks.largest(), blocks.bytes()) {
            self.point_at(given);
            self.all_there().await?;
            return self.exchange(Share::All, blocks, mine.is_none()).await;
        }
        self.put(given)?;
        if self.is_small() {
            self.all_shown().await?;
        } else {
            self.all(|sitting| pack(sitting.round(), blocks)).await?;
            if let (Blocks::Even { all, .. }, Some(packed)) =
                (blocks, self.round().packed(blocks.bytes()))
            {
                self.copy(packed, all)?;
                return self.leave().await;
            }
        }
        self.take_all(Share::All, blocks, mine.is_none())?;
        self.leave().await
    }

    pub(super) fn take_all(&self, share: Share, blocks: &Blocks, is_in_place: bool) -> Result {
        let all = 0..self.members();
        let mut others = all.filter(|place| !is_in_place || *place != self.me());
        others.try_for_each(|place| self.take(place, share, &blocks.at(place)))
    }

    /// Takes from all what they point at, and stays until all have done so.
    async fn exchange(self, share: Share, blocks: &Blocks, is_in_place: bool) -> Result {
        let taken = self.take_all(share, blocks, is_in_place);
        self.end_reading();
        if is_death(&taken) {
            return taken;
        }
        // Others read this member's memory, whatever it has met itself.
        self.all_have_read().await?;
        taken?;
        self.leave().await
    }

    /// Block `i` of rank `j` becomes block `j` of rank `i`.
    pub(super) async fn alltoall(self, from: &Blocks, to: &Blocks) -> Result {
        match (from, to) {
            (Blocks::Even { all, .. }, Blocks::Even { all: target, each })
                if Crowd::of(self.lane()).lays_rows_down(*each) =>
            {
                self.put(all)?;
                if self.is_small() {
                    self.all_shown().await?;
                } else {
                    let agree =
                        |sitting: &Self| sitting.round().agree_on_bytes(sitting.equal_bytes());
                    self.all(agree).await?;
                    if self.round().agreed_bytes() == Some(target.bytes())
                        && let Some(target) = target.span()
                    {
                        self.take_column(*each, target)?;
                        return self.leave().await;
                    }
                }
                self.take_all(Share::Mine, to, false)?;
                self.leave().await
            }
            _ => {
                self.point_at_all(from);
                self.all_there().await?;
                self.exchange(Share::Mine, to, false).await
            }
        }
    }

    /// The same for rows that are all as long as they should be.
    fn take_column(&self, each: usize, target: Span) -> Result {
        let mine = each * self.me();
        (0..self.members()).try_for_each(|place| {
            let block = self.copy_of(place).part(mine, each);
            self.copy_span(block, target.part(place * each, each))
        })
    }

    /// The sizes of what all have laid down, for those who combine it.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.members()).map(|place| self.laid(place).bytes())
    }
}

/// Puts what all have laid down in a row, if it is as long as it should be.
fn pack(round: &Round, blocks: &Blocks) {
    match blocks {
        Blocks::Even { each, .. } if *each > 0 && round.equal_bytes() == Some(*each) => {
            round.pack(blocks.bytes(), |room| {
                for (place, line) in round.lines().iter().enumerate() {
                    // Both are the library's own memory.
                    let _ = copy(line.copy(), room.part(place * each, *each));
                }
            });
        }
        _ => round.pack_nothing(),
    }
}
