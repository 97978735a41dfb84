//! Combines long vectors in their owners' memory, block by block, so that the operands stay in the
//! nearest cache.

use super::bracket::Bracket;
use super::members::{Members, Wait};
use super::sum::{Part, Room, Sum};
use super::take::{self, spoilt};
use crate::engine::{Board, Laid};
use crate::host::life::Pin;
use crate::host::memory::{self, Region, Span};
use crate::mpi::error::{Failure, Result, is_death};
use crate::mpi::op::kernels::Missing;

impl<W: Wait> Members<'_, '_, W> {
    /// Some members combine a part each of all members' values; all results go to `target`, if
    /// there is one.
    pub(super) async fn reduce_by_parts(
        &self, sum: &Sum, bracket: Bracket, target: Option<&Region>,
    ) -> Result {
        let input = sum.values();
        let part = sum.share(self.lane());
        self.point_at(input);
        self.all_there().await?;
        let bytes = input.bytes();
        if self.sizes().any(|size| size != bytes) {
            self.end_reading();
            self.all_have_read().await?;
            self.note_disagreement(bytes)?;
            return Ok(());
        }
        let board = self.board(bytes);
        let combined = self.write_part(sum, bracket, part, &board);
        self.end_reading();
        if is_death(&combined) {
            return combined;
        }
        let interrupted = self.all_have_read().await?;
        combined?;
        if let Some(failure) = interrupted {
            return Err(failure);
        }
        if !board.is_complete() {
            return Err(spoilt());
        }
        if let Some(target) = target {
            self.copy(board.memory().part(0, bytes), target)?;
        }
        self.put_away(board);
        Ok(())
    }

    fn write_part(&self, sum: &Sum, bracket: Bracket, part: Part, board: &Board) -> Result {
        let (first, item) = (part.first as usize, sum.item() as usize);
        let place = board.memory().part(first * item, part.items as usize * item);
        Fold::new(self, sum, bracket).part(part, &place.into())?;
        board.count(place.bytes());
        Ok(())
    }

    /// Every member combines its part of all members' values, and keeps it in `target`.
    pub(super) async fn reduce_and_keep(
        &self, sum: &Sum, bracket: Bracket, part: Part, target: &Region,
    ) -> Result {
        let input = sum.values();
        // A member whose results overwrite what others read publishes a copy for them, if that is
        // not too long.
        match input.is_apart(target) || !self.crowd().buffers_values(input.bytes()) {
            true => self.point_at(input),
            false => self.put(input)?,
        }
        self.all_there().await?;
        self.combine_and_keep(sum, bracket, part, target).await
    }

    /// All have arrived: combines this member's part of their values, and keeps it.
    async fn combine_and_keep(
        &self, sum: &Sum, bracket: Bracket, part: Part, target: &Region,
    ) -> Result {
        let input = sum.values();
        let bytes = input.bytes();
        let is_agreed = self.sizes().all(|size| size == bytes);
        let kept = match is_agreed {
            true => self.combine_part(sum, bracket, part, input, target),
            false => self.note_disagreement(bytes).map(|()| None),
        };
        self.end_reading();
        if is_death(&kept) {
            return Err(Failure::died());
        }
        self.all_have_read().await?;
        if let Some(values) = kept? {
            self.lane().copy(&sum.in_room(&values, part.items)?, target)?;
        }
        Ok(())
    }

    /// Combines a part of what all members point at. In place, the target is where others may still
    /// read: then the result is kept aside until they have read.
    fn combine_part(
        &self, sum: &Sum, bracket: Bracket, part: Part, input: &Region, target: &Region,
    ) -> Result<Option<Room>> {
        let is_read = !input.is_apart(target) && matches!(self.laid(self.me()), Laid::There(_));
        let kept = if is_read { Some(sum.room(part.items)?) } else { None };
        let goal = match &kept {
            Some(room) => sum.in_room(room, part.items)?,
            None => target.clone(),
        };
        Fold::new(self, sum, bracket).part(part, &goal)?;
        Ok(kept)
    }

    /// Each of two members combines all values for itself, in their owners' memory. If results
    /// overwrite values, which the other member could no longer read, each combines one half, and
    /// copies it to both.
    pub(super) async fn reduce_for_both(
        &self, sum: &Sum, bracket: Bracket, target: &Region,
    ) -> Result {
        let input = sum.values();
        self.round().point_at_both(self.me(), input, target);
        self.all_there().await?;
        if !self.overwrite_values() {
            return self.combine_and_keep(sum, bracket, sum.whole(), target).await;
        }
        let is_agreed = self.sizes().all(|size| size == input.bytes());
        let combined = match is_agreed {
            true => self.combine_for_all(sum, bracket),
            false => self.note_disagreement(input.bytes()),
        };
        self.end_reading();
        if is_death(&combined) {
            return combined;
        }
        let interrupted = self.all_have_read().await?;
        combined?;
        interrupted.map_or(Ok(()), Err)?;
        Ok(())
    }

    /// Whether results of members, all in one piece each, will be where their values are.
    fn overwrite_values(&self) -> bool {
        let mut overlap = false;
        for place in 0..self.count() {
            let Some(results) = self.round().results(place) else { return false };
            overlap |= match self.laid(place).span() {
                Some(values) => !Region::from(values).is_apart(&results.into()),
                None => false,
            };
        }
        overlap
    }

    /// Combines this member's part of all values, block by block, and copies it to all members.
    fn combine_for_all(&self, sum: &Sum, bracket: Bracket) -> Result {
        let (me, members) = (self.lane().rank(), self.lane().size());
        let (item, mut fold) = (sum.item(), Fold::new(self, sum, bracket));
        let most = block_of(fold.item());
        let room = sum.room(most.min(sum.count))?;
        for block in sum.part(me, members).blocks(most) {
            let (offset, bytes) = ((block.first * item) as usize, (block.items * item) as usize);
            fold.values(block, &sum.in_room(&room, block.items)?)?;
            for place in 0..self.count() {
                let results = self.round().results(place).expect("all are in one piece");
                let is_own = place == self.me();
                let pin = if is_own { None } else { Some(self.pin(place)) };
                if let Some(None) = pin {
                    return Err(self.lost(place));
                }
                memory::copy(room.span(bytes), results.part(offset, bytes))
                    .map_err(|fault| self.missed(place, fault.address))?;
            }
        }
        Ok(())
    }

    /// Each member with a target combines all values, in their owners' memory.
    pub(super) async fn reduce_replicated(
        &self, sum: &Sum, bracket: Bracket, target: Option<&Region>,
    ) -> Result {
        let nothing = Part { first: 0, items: 0 };
        let (part, target) = target.map_or((nothing, &Region::EMPTY), |it| (sum.whole(), it));
        self.reduce_and_keep(sum, bracket, part, target).await
    }
}

/// How many items of this size are combined at a time: the operands stay in the nearest cache.
fn block_of(item: usize) -> i64 {
    const BYTES: usize = 16 << 10;
    i64::try_from(BYTES / item.max(1)).unwrap_or(1).max(1)
}

/// Results up to this size are likely to be in a cache.
const NEARBY: i64 = 1 << 20;

/// Combines what all members point at or have published, in place, block by block.
struct Fold<'f, 'l, 'a, W: Wait> {
    members: &'f Members<'l, 'a, W>,
    sum: &'f Sum,
    bracket: Bracket,
    block: Part,
    /// Whether results go straight to their target. Long results are copied there instead, by
    /// instructions that do not first read what they write to.
    is_near: bool,
    /// The partial results, by place.
    rooms: Vec<Option<Room>>,
    spare: Vec<Room>,
}

/// Some values of a block.
enum Operand {
    /// Of one member, in its memory; the pin keeps it there.
    Laid {
        span: Span,
        _pin: Option<Pin>,
    },
    Room(Room),
}

impl<'f, 'l, 'a, W: Wait> Fold<'f, 'l, 'a, W> {
    fn new(members: &'f Members<'l, 'a, W>, sum: &'f Sum, bracket: Bracket) -> Fold<'f, 'l, 'a, W> {
        let block = Part { first: 0, items: 0 };
        let is_near = sum.count.saturating_mul(sum.item()) <= NEARBY;
        Fold { members, sum, bracket, block, is_near, rooms: Vec::new(), spare: Vec::new() }
    }

    /// Combines a part, block by block; its results are at `goal`.
    fn part(&mut self, part: Part, goal: &Region) -> Result {
        let item = self.item();
        part.blocks(block_of(item)).try_for_each(|block| {
            let offset = (block.first - part.first) as usize * item;
            self.values(block, &goal.part(offset, block.items as usize * item))
        })
    }

    /// Combines a block, no larger than the first one.
    fn values(&mut self, block: Part, goal: &Region) -> Result {
        self.block = block;
        let (bracket, members) = (self.bracket, self.members.count());
        let direct = goal.span().filter(|_| self.is_near);
        let (mut outcome, mut left_over) = (Ok(()), members - 1);
        bracket.walk(members, |left, right| {
            left_over -= 1;
            if outcome.is_ok() {
                outcome = self.combine(left, right, direct.filter(|_| left_over == 0));
            }
        });
        outcome?;
        match self.rooms.get_mut(bracket.last(members)).and_then(Option::take) {
            Some(values) => self.give(values, goal),
            None => Ok(()),
        }
    }

    /// Copies a result to where it could not be combined.
    fn give(&mut self, values: Room, goal: &Region) -> Result {
        self.members.lane().copy(&self.sum.in_room(&values, self.block.items)?, goal)?;
        self.spare.push(values);
        Ok(())
    }

    /// Combines two operands, into `goal` or a room.
    fn combine(&mut self, left: usize, right: usize, goal: Option<Span>) -> Result {
        let (one, other) = (self.operand(left)?, self.operand(right)?);
        let bytes = self.block.items as usize * self.item();
        let span = |operand: &Operand| match operand {
            Operand::Laid { span, .. } => *span,
            Operand::Room(room) => room.span(bytes),
        };
        let room = match (&other, goal) {
            (Operand::Laid { .. }, None) => Some(self.fresh()?),
            _ => None,
        };
        let into = goal.or(room.as_ref().map(|room| room.span(bytes))).unwrap_or(span(&other));
        let combiner = self.sum.combiner_of(self.members.lane().process(), self.block.items);
        match combiner.combine_into(span(&one), span(&other), into) {
            Ok(()) => {}
            Err(Missing::Left(address)) => return Err(self.members.missed(left, address)),
            Err(Missing::Right(address)) => return Err(self.members.missed(right, address)),
            Err(Missing::Into(address)) => {
                return Err(self.members.missed(self.members.me(), address));
            }
        }
        let (kept, freed) = match (other, room, goal) {
            (Operand::Room(room), _, None) | (_, Some(room), _) => (Some(room), None),
            (Operand::Room(room), ..) => (None, Some(room)),
            _ => (None, None),
        };
        self.spare.extend(freed);
        if let Operand::Room(room) = one {
            self.spare.push(room);
        }
        if kept.is_some() {
            self.rooms.resize_with(self.members.count(), || None);
            self.rooms[right] = kept;
        }
        Ok(())
    }

    fn fresh(&mut self) -> Result<Room> {
        self.spare.pop().map_or_else(|| self.sum.room(self.block.items), Ok)
    }

    /// The values at `place`: a partial result, or the member's own values in its memory. Only
    /// values that are not contiguous are copied.
    fn operand(&mut self, place: usize) -> Result<Operand> {
        if let Some(room) = self.rooms.get_mut(place).and_then(Option::take) {
            return Ok(Operand::Room(room));
        }
        let (item, members) = (self.item(), self.members);
        let part = take::Part {
            offset: self.block.first as usize * item,
            bytes: self.block.items as usize * item,
        };
        let laid: Laid = members.laid(place);
        let lost = || members.lost(place);
        if let Some(span) = laid.span() {
            let pin = match laid {
                Laid::There(_) if place != members.me() => {
                    Some(members.pin(place).ok_or_else(lost)?)
                }
                _ => None,
            };
            let span = span.part(part.offset, part.bytes);
            return Ok(Operand::Laid { span, _pin: pin });
        }
        let room = self.fresh()?;
        match members.fetch(&laid, place, part, &self.sum.in_room(&room, self.block.items)?)? {
            true => Ok(Operand::Room(room)),
            false => Err(lost()),
        }
    }

    fn item(&self) -> usize {
        usize::try_from(self.sum.item()).expect("items have a size")
    }
}
