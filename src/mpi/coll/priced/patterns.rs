//! Patterns of messages: who sends to whom, in which order, and how much.

use super::{Mail, Part};
use crate::mpi::error::Result;

/// Members as places of a power of two. The members beyond form pairs with others, to whom they
/// give theirs first: one of each of the first pairs has no place.
#[derive(Clone, Copy)]
struct Fold {
    whole: i32,
    beyond: i32,
    /// The parity of the ranks that have places, among the pairs.
    stays: i32,
}

impl Fold {
    fn of(size: i32, stays: i32) -> Fold {
        let whole = 1 << size.ilog2();
        Fold { whole, beyond: size - whole, stays }
    }

    fn place(self, rank: i32) -> Option<i32> {
        match rank {
            rank if rank >= 2 * self.beyond => Some(rank - self.beyond),
            rank if rank % 2 == self.stays => Some(rank / 2),
            _ => None,
        }
    }

    fn rank(self, place: i32) -> i32 {
        if place < self.beyond { 2 * place + self.stays } else { place + self.beyond }
    }

    /// The other one of a pair.
    fn other(self, rank: i32) -> Option<i32> {
        (rank < 2 * self.beyond).then_some(rank ^ 1)
    }

    fn steps(self) -> u32 {
        self.whole.ilog2()
    }
}

/// What is passed on over a distance, of a number of blocks.
pub(super) struct Passing {
    distance: u64,
    size: u64,
}

impl Passing {
    /// Blocks, if each member passes on all that it has.
    pub(super) fn as_whole(&self) -> u64 {
        self.distance.min(self.size - self.distance)
    }

    /// Blocks with the bit of the distance in their number.
    pub(super) fn with_bit(&self) -> u64 {
        let rest = self.size % (2 * self.distance);
        self.size / (2 * self.distance) * self.distance + rest.saturating_sub(self.distance)
    }
}

impl<M: Mail> Part<M> {
    pub(super) fn rank(&self, place: i32) -> i32 {
        place.rem_euclid(self.size)
    }

    /// So many bytes go to a member, while as many come from one.
    pub(super) async fn shift(&self, to: i32, from: i32, bytes: u64) -> Result {
        self.mail.exchange(Some(from), Some(to), bytes).await
    }

    async fn give(&self, to: i32, bytes: u64) -> Result {
        self.mail.exchange(None, Some(to), bytes).await
    }

    async fn take(&self, from: i32) -> Result {
        self.mail.exchange(Some(from), None, 0).await
    }

    /// Messages to the members at distances 1, 2, 4 ..., above (1) or below (-1).
    pub(super) async fn disseminate(&self, sign: i32, bytes: impl Fn(Passing) -> u64) -> Result {
        let mut distance = 1;
        while distance < self.size {
            let passing = Passing { distance: distance as u64, size: self.size as u64 };
            let there = sign * distance;
            let (to, from) = (self.rank(self.me + there), self.rank(self.me - there));
            self.shift(to, from, bytes(passing)).await?;
            distance = distance.saturating_mul(2);
        }
        Ok(())
    }

    /// A member without a place gives so many bytes to the other one of its pair; this member's
    /// place.
    async fn fold(&self, fold: Fold, bytes: u64) -> Result<Option<i32>> {
        let place = fold.place(self.me);
        match (fold.other(self.me), place) {
            (Some(other), None) => self.give(other, bytes).await?,
            (Some(other), Some(_)) => self.take(other).await?,
            (None, _) => {}
        }
        Ok(place)
    }

    /// A member without a place gets so many bytes.
    async fn unfold(&self, fold: Fold, bytes: u64) -> Result {
        match (fold.other(self.me), fold.place(self.me)) {
            (Some(other), None) => self.take(other).await,
            (Some(other), Some(_)) => self.give(other, bytes).await,
            (None, _) => Ok(()),
        }
    }

    /// Exchanges with the place at this distance.
    async fn swap(&self, fold: Fold, place: i32, distance: i32, bytes: u64) -> Result {
        let other = fold.rank(place ^ distance);
        self.shift(other, other, bytes).await
    }

    /// Recursive doubling: each exchange is of a whole vector.
    pub(super) async fn exchange_all(&self, bytes: u64) -> Result {
        let fold = Fold::of(self.size, 1);
        if let Some(place) = self.fold(fold, bytes).await? {
            for step in 0..fold.steps() {
                self.swap(fold, place, 1 << step, bytes).await?;
            }
        }
        self.unfold(fold, bytes).await
    }

    /// Half of a vector goes to the next place, a quarter to the second next, and so on; then all
    /// come back, the last ones first.
    pub(super) async fn halve_and_double(&self, bytes: u64) -> Result {
        let fold = Fold::of(self.size, 1);
        if let Some(place) = self.fold(fold, bytes).await? {
            for step in (0..fold.steps()).chain((0..fold.steps()).rev()) {
                self.swap(fold, place, 1 << step, bytes >> (step + 1)).await?;
            }
        }
        self.unfold(fold, bytes).await
    }

    /// The same for a vector that only the root gets: the parts come back up a binomial tree.
    pub(super) async fn halve_to_root(&self, root: i32, bytes: u64) -> Result {
        let fold = Fold::of(self.size, 0);
        let mut place = self.fold(fold, bytes).await?;
        if let Some(place) = place {
            for step in 0..fold.steps() {
                self.swap(fold, place, 1 << step, bytes >> (step + 1)).await?;
            }
        }
        // A root without a place gets that of the first member.
        let stands_in = fold.place(root).is_none();
        let top = fold.place(root).unwrap_or(0);
        let first = fold.rank(0);
        if stands_in && self.me == first {
            return self.give(root, bytes / fold.whole as u64).await;
        }
        if stands_in && self.me == root {
            self.take(first).await?;
            place = Some(top);
        }
        let Some(place) = place else { return Ok(()) };
        for step in (0..fold.steps()).rev() {
            let other = place ^ 1 << step;
            if (place ^ top) & 1 << step != 0 {
                let to = if stands_in && other == top { root } else { fold.rank(other) };
                return self.give(to, bytes >> (step + 1)).await;
            }
            self.take(fold.rank(other)).await?;
        }
        Ok(())
    }

    /// Half of all goes to the place at half of all distances, then a quarter, and so on, until
    /// each member has its block.
    pub(super) async fn halve_to_blocks(&self, all: u64, block: u64) -> Result {
        let fold = Fold::of(self.size, 1);
        if let Some(place) = self.fold(fold, all).await? {
            for step in (0..fold.steps()).rev() {
                self.swap(fold, place, 1 << step, all >> (fold.steps() - step)).await?;
            }
        }
        self.unfold(fold, block).await
    }

    /// To the next member and from the one before, until a block has been everywhere.
    pub(super) async fn ring(&self, bytes: u64) -> Result {
        for _ in 1..self.size {
            self.shift(self.rank(self.me + 1), self.rank(self.me - 1), bytes).await?;
        }
        Ok(())
    }

    /// To the members above at all distances, one after another, and from those below.
    pub(super) async fn shifts(&self, bytes: u64) -> Result {
        for distance in 1..self.size {
            let (to, from) = (self.rank(self.me + distance), self.rank(self.me - distance));
            self.shift(to, from, bytes).await?;
        }
        Ok(())
    }

    /// Exchanges with all other members, one after another; they are a power of two.
    pub(super) async fn pairs(&self, bytes: u64) -> Result {
        for distance in 1..self.size {
            self.shift(self.me ^ distance, self.me ^ distance, bytes).await?;
        }
        Ok(())
    }

    /// To all other members and from them, so many at once.
    pub(super) async fn scattered(&self, at_once: i32, bytes: u64) -> Result {
        for first in (1..self.size).step_by(at_once.max(1) as usize) {
            let distances = first..first.saturating_add(at_once).min(self.size);
            let from = distances.clone().map(|distance| self.rank(self.me + distance));
            let to = distances.map(|distance| self.rank(self.me - distance));
            self.mail.exchange(from, to, bytes).await?;
        }
        Ok(())
    }

    /// From the root to each member, one after another.
    pub(super) async fn root_sends(&self, root: i32, bytes: u64) -> Result {
        if self.me != root {
            return self.take(root).await;
        }
        let others = (1..self.size).map(|distance| self.rank(root + distance));
        self.mail.exchange(None, others, bytes).await
    }

    /// From each member to the root.
    pub(super) async fn root_receives(&self, root: i32, bytes: u64) -> Result {
        if self.me != root {
            return self.give(root, bytes).await;
        }
        let others = (1..self.size).map(|distance| self.rank(root + distance));
        self.mail.exchange(others, None, 0).await
    }

    /// From each member to the next one.
    pub(super) async fn chain(&self, bytes: u64) -> Result {
        if self.me > 0 {
            self.take(self.me - 1).await?;
        }
        if self.me + 1 < self.size {
            self.give(self.me + 1, bytes).await?;
        }
        Ok(())
    }

    /// Exchanges with the members whose ranks differ in one bit, as far as there are any.
    pub(super) async fn prefixes(&self, bytes: u64) -> Result {
        let mut distance = 1;
        while distance < self.size {
            let other = self.me ^ distance;
            if other < self.size {
                self.shift(other, other, bytes).await?;
            }
            distance = distance.saturating_mul(2);
        }
        Ok(())
    }

    /// This member's place in a binomial tree: below it are the places up to this distance.
    fn place(&self, root: i32) -> (i32, i32) {
        let place = self.rank(self.me - root);
        let reach = if place == 0 { i32::MAX } else { 1 << place.trailing_zeros() };
        (place, reach)
    }

    /// How many members are at a place and below, if its reach is this.
    fn below(&self, place: i32, reach: i32) -> u64 {
        reach.min(self.size - place) as u64
    }

    /// Down a binomial tree, the largest subtrees first; `bytes` for so many members.
    pub(super) async fn down(&self, root: i32, bytes: impl Fn(u64) -> u64) -> Result {
        let (place, reach) = self.place(root);
        if place != 0 {
            self.take(self.rank(place - reach + root)).await?;
        }
        let mut distance = 1 << (self.size.max(2) - 1).ilog2();
        while distance > 0 {
            if distance < reach && place + distance < self.size {
                let members = self.below(place + distance, distance);
                self.give(self.rank(place + distance + root), bytes(members)).await?;
            }
            distance /= 2;
        }
        Ok(())
    }

    /// Up a binomial tree, the smallest subtrees first.
    pub(super) async fn up(&self, root: i32, bytes: impl Fn(u64) -> u64) -> Result {
        let (place, reach) = self.place(root);
        let mut distance = 1;
        while distance < reach && place + distance < self.size {
            self.take(self.rank(place + distance + root)).await?;
            distance = distance.saturating_mul(2);
        }
        if place != 0 {
            let members = self.below(place, reach);
            self.give(self.rank(place - reach + root), bytes(members)).await?;
        }
        Ok(())
    }
}
