//! Reductions among members who meet: what is small is combined by whoever comes last, of what is
//! large some members combine a part each.

use super::bracket::Bracket;
use super::brisk::Turn;
use super::choice::Crowd;
use super::reduce::{Part, Room, Sum};
use super::sitting::{self, Sitting};
use crate::engine::{Board, Laid, Line, Round};
use crate::host::life::Pin;
use crate::host::memory::{Region, Span, copy, line_up};
use crate::mpi::error::{Failure, Result, is_death};
use crate::mpi::op::kernels::Missing;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;
use std::borrow::Borrow;
use std::cell::Cell;
use std::mem::MaybeUninit;

/// How many bytes there is room for without an allocation.
const NEAR: usize = 256;

/// So many bytes of all are put in a row.
const ROW: usize = 2048;

/// Each of few members combines no more bytes of all of them for itself.
const MOST_HERE: usize = 16 << 10;

impl Turn<'_> {
    /// Each who has a target combines all of everybody's values, where they lie.
    pub(super) fn reduce_where_it_lies(
        &self, sum: &Sum, bracket: Bracket, target: Option<&Region>,
    ) -> Result {
        let (part, target) = all_of(sum, target);
        self.reduce_and_keep(sum, bracket, part, target)
    }

    /// Combines everybody's values, which are few and laid down, for this member.
    #[inline(never)]
    pub(super) fn combine_for_one(&self, sum: &Sum, bracket: Bracket, target: &Region) -> Result {
        match combine_for_last(self.process(), self.round(), sum, bracket) {
            true => self.copy(self.round().line(bracket.last(self.members())).copy(), target),
            false => Err(self.disagreement(target.bytes())),
        }
    }

    /// Combines everybody's values, which are few, for everybody: as much of the result as `target`
    /// has room for, from byte `offset` on, is for this member. Few members combine what is theirs
    /// each for itself.
    #[inline]
    pub(super) fn reduce_for_all<S: Borrow<Sum>>(
        &self, sum: impl FnOnce() -> S, input: &Region, bracket: Bracket,
        (offset, target): (usize, &Region),
    ) -> Result {
        const FEW: usize = 256;
        let bytes = input.bytes();
        self.put(input)?;
        if !self.is_small() {
            self.all(|turn| {
                _ = combine_for_last(turn.process(), turn.round(), sum().borrow(), bracket);
            })?;
            return match self.round().agreed_bytes() == Some(bytes) {
                true => {
                    let result = self.round().line(bracket.last(self.members())).copy();
                    self.copy(result.part(offset, target.bytes()), target)
                }
                false => Err(self.disagreement(bytes)),
            };
        }
        self.all(|_| ())?;
        if self.round().equal_bytes() != Some(bytes) {
            return Err(self.disagreement(bytes));
        }
        let sum = sum();
        let sum = sum.borrow();
        match target.bytes() * self.members() {
            0 => Ok(()),
            1..=FEW => self.combine_here::<{ FEW / 16 }>(sum, bracket, offset, target),
            _ => self.combine_here::<{ MOST_HERE / 16 }>(sum, bracket, offset, target),
        }
    }

    /// Combines the values of all up to this member, or before it, which are few, for its `target`
    /// if it has one. Each waits for the one before it only, and lays down for the one after it
    /// what all up to itself have come to.
    #[inline]
    pub(super) fn scan(
        &self, sum: &Sum, input: &Region, target: Option<&Region>, is_exclusive: bool,
    ) -> Result {
        let (me, is_last) = (self.me(), self.me() + 1 == self.members());
        self.put(input)?;
        let mine = self.round().line(me).copy();
        let before = match me.checked_sub(1) {
            None => Span::EMPTY,
            Some(previous) => {
                self.passed_by(previous)?;
                let before = self.round().line(previous).copy();
                if before.bytes() != mine.bytes() {
                    self.pass()?;
                    return Err(sitting::disagreement(previous, before.bytes(), mine.bytes()));
                }
                if !(is_last && is_exclusive) {
                    sum.combiner(self.process()).combine(before, mine);
                }
                before
            }
        };
        if !is_last {
            self.pass()?;
        }
        let result = if is_exclusive { before } else { mine };
        target.map_or(Ok(()), |target| self.copy(result, target))
    }

    /// The same with room for so many words. Out of line, so that those who need little room have a
    /// small frame.
    #[inline(never)]
    fn combine_here<const WORDS: usize>(
        &self, sum: &Sum, bracket: Bracket, offset: usize, target: &Region,
    ) -> Result {
        let bytes = target.bytes();
        let mut room = [const { MaybeUninit::<u128>::uninit() }; WORDS];
        let room = Span::new(room.as_mut_ptr().cast_const().cast(), size_of_val(&room));
        let (lines, combined) = (self.round().lines(), Cell::new(0_u64));
        let is_combined = |place: usize| combined.get() >> place & 1 == 1;
        let new = |place: usize| room.part(place * bytes, bytes);
        let laid = |place: usize| lines[place].copy().part(offset, bytes);
        let known = |place: usize| if is_combined(place) { new(place) } else { laid(place) };
        let items = bytes as i64 / sum.item();
        let (sum, mut outcome) = (sum.combiner_of(self.process(), items), Ok(()));
        bracket.walk(self.members(), |left, right| {
            if !is_combined(right) {
                outcome = copy(laid(right), new(right)).and(outcome);
            }
            sum.combine(known(left), new(right));
            combined.set(combined.get() | 1 << right);
        });
        self.judge(outcome)?;
        self.copy(known(bracket.last(self.members())), target)
    }
}

impl Sitting<'_, '_> {
    fn combine_all(&self, sum: &Sum, bracket: Bracket) -> bool {
        combine_all(self.lane().process(), self.round(), sum, bracket)
    }

    /// Combines everybody's values, which are few; the result goes to `target` at the root.
    pub(super) async fn reduce(
        self, sum: &Sum, bracket: Bracket, target: Option<&Region>, root: i32,
    ) -> Result {
        self.put(&sum.input(sum.whole())?)?;
        self.all_at(sitting::index(root)).await?;
        if let Some(target) = target {
            match self.combine_all(sum, bracket) {
                true => self.copy(self.copy_of(bracket.last(self.members())), target)?,
                false => self.note_disagreement(target.bytes())?,
            }
        }
        self.leave().await
    }

    /// Combines everybody's values, which are few. `pick` says what of the results is for this
    /// member, whose `target` gets it; the results lie where `bracket` leaves them.
    pub(super) async fn reduce_for_all(
        self, sum: &Sum, bracket: Bracket, target: &Region,
        pick: impl Fn(&dyn Fn(usize) -> Span) -> Span,
    ) -> Result {
        let input = sum.input(sum.whole())?;
        self.put(&input)?;
        if self.is_small() {
            self.all_shown().await?;
            if self.equal_bytes() == Some(input.bytes()) {
                self.combine_here(sum, bracket, input.bytes(), target, pick)?;
            } else {
                self.note_disagreement(input.bytes())?;
            }
        } else {
            self.all(|sitting| _ = sitting.combine_all(sum, bracket)).await?;
            if self.round().agreed_bytes() == Some(input.bytes()) {
                self.copy(pick(&|place| self.copy_of(place)), target)?;
            } else {
                self.note_disagreement(input.bytes())?;
            }
        }
        self.leave().await
    }

    /// The same as in [`Turn::scan`].
    pub(super) async fn scan(
        self, sum: &Sum, target: Option<&Region>, is_exclusive: bool,
    ) -> Result {
        let (me, is_last) = (self.me(), self.me() + 1 == self.members());
        self.put(&sum.input(sum.whole())?)?;
        let (mine, mut before) = (self.copy_of(me), Span::EMPTY);
        if let Some(previous) = me.checked_sub(1) {
            self.passed_by(previous).await?;
            before = self.copy_of(previous);
            if before.bytes() != mine.bytes() {
                let news = sitting::disagreement(previous, before.bytes(), mine.bytes());
                self.lane().note(Err(news))?;
                self.pass()?;
                return self.leave().await;
            }
            if !(is_last && is_exclusive) {
                sum.combiner(self.lane().process()).combine(before, mine);
            }
        }
        if !is_last {
            self.pass()?;
        }
        if let Some(target) = target {
            self.copy(if is_exclusive { before } else { mine }, target)?;
        }
        self.leave().await
    }

    /// The same with more: each combines what the one before it has come to, where that lies, with
    /// what is its own.
    pub(super) async fn scan_where_it_lies(self, sum: &Sum, target: &Region) -> Result {
        let (me, input) = (self.me(), sum.input(sum.whole())?);
        let previous = me.checked_sub(1);
        self.point_at(if previous.is_none() { &input } else { target });
        self.all_there().await?;
        let bytes = input.bytes();
        if self.sizes().any(|size| size != bytes) {
            self.note_disagreement(bytes)?;
            return self.leave().await;
        }
        if let Some(previous) = previous {
            let combined = match self.passed_by(previous).await {
                Ok(()) => self.combine_with(previous, sum, &input, target),
                failed => failed,
            };
            self.end_reading_of(previous);
            // Who passes nothing on has nobody who reads it.
            combined?;
        }
        self.pass()?;
        let kept = match previous {
            None => self.lane().keep(&input, target),
            Some(_) => Ok(()),
        };
        if is_death(&kept) {
            return kept;
        }
        if me + 1 < self.members() {
            self.read_by(me + 1).await?;
        }
        kept?;
        self.leave().await
    }

    fn combine_with(&self, previous: usize, sum: &Sum, input: &Region, target: &Region) -> Result {
        let before = self.laid(previous).span();
        let (Some(before), Some(right), Some(into)) = (before, input.span(), target.span()) else {
            unreachable!("plain values lie in one piece");
        };
        let pin = self.pin(previous).ok_or_else(|| self.lost(previous))?;
        let combined = sum.combiner(self.lane().process()).combine_into(before, right, into);
        drop(pin);
        combined.map_err(|missing| match missing {
            Missing::Left(address) => self.missed(previous, address),
            Missing::Right(address) | Missing::Into(address) => self.missed(self.me(), address),
        })
    }

    /// The same as all others do, each for itself.
    fn combine_here(
        &self, sum: &Sum, bracket: Bracket, bytes: usize, target: &Region,
        pick: impl Fn(&dyn Fn(usize) -> Span) -> Span,
    ) -> Result {
        let members = self.members();
        let (mut near, mut far) = ([0_u128; NEAR / 16], Scratch::default());
        let room = match bytes * members <= NEAR {
            true => Span::new(near.as_mut_ptr().cast_const().cast(), NEAR),
            false => far.room(bytes * members),
        };
        let place = |place: usize| room.part(place * bytes, bytes);
        (0..members).try_for_each(|member| self.copy_span(self.copy_of(member), place(member)))?;
        let sum = sum.combiner(self.lane().process());
        bracket.walk(members, |left, right| sum.combine(place(left), place(right)));
        self.copy(pick(&place), target)
    }

    /// Some members combine a part each of everybody's values; the results of all go to `target`
    /// where there is one.
    pub(super) async fn reduce_by_parts(
        self, sum: &Sum, bracket: Bracket, target: Option<&Region>,
    ) -> Result {
        let input = sum.input(sum.whole())?;
        if Crowd::of(self.lane()).combines_twice(input.bytes()) {
            let (part, target) = all_of(sum, target);
            return self.reduce_and_keep(sum, bracket, part, target).await;
        }
        let part = sum.share(self.lane());
        self.point_at(&input);
        self.all_there().await?;
        let bytes = input.bytes();
        if self.sizes().any(|size| size != bytes) {
            self.end_reading();
            self.all_have_read().await?;
            self.note_disagreement(bytes)?;
            return self.leave().await;
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
            return Err(sitting::spoilt());
        }
        if let Some(target) = target {
            self.copy(board.memory().part(0, bytes), target)?;
        }
        self.put_away(board);
        self.leave().await
    }

    fn write_part(&self, sum: &Sum, bracket: Bracket, part: Part, board: &Board) -> Result {
        let (first, item) = (part.first as usize, sum.item() as usize);
        let place = board.memory().part(first * item, part.items as usize * item);
        Fold::new(self, sum, bracket).part(part, &place.into())?;
        board.count(place.bytes());
        Ok(())
    }

    /// Every member combines its part of everybody's values, and keeps it in `target`.
    pub(super) async fn reduce_and_keep(
        self, sum: &Sum, bracket: Bracket, part: Part, target: &Region,
    ) -> Result {
        let input = sum.input(sum.whole())?;
        // Who gets results where others read lays down a copy for them, if that is not too much.
        match input.is_apart(target) || !Crowd::of(self.lane()).lays_down(input.bytes()) {
            true => self.point_at(&input),
            false => self.put(&input)?,
        }
        self.all_there().await?;
        let bytes = input.bytes();
        let is_agreed = self.sizes().all(|size| size == bytes);
        let kept = match is_agreed {
            true => self.combine_part(sum, bracket, part, &input, target),
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
        self.leave().await
    }

    /// Combines a part of what all point at. In place, the target lies where others may still read:
    /// then the result is kept until they have.
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
}

/// All of a result for those who have a target; for others nothing.
fn all_of<'t>(sum: &Sum, target: Option<&'t Region>) -> (Part, &'t Region) {
    target.map_or((Part { first: 0, items: 0 }, &Region::EMPTY), |target| (sum.whole(), target))
}

/// How many items of so many bytes are combined at a time: the operands stay in the nearest cache.
fn block_of(item: usize) -> i64 {
    const BYTES: usize = 16 << 10;
    i64::try_from(BYTES / item.max(1)).unwrap_or(1).max(1)
}

/// Combines what all have laid down where it lies: there are the results on the way as well. True
/// when all have as much as there is to be combined.
fn combine_all(process: &Process, round: &Round, sum: &Sum, bracket: Bracket) -> bool {
    let (lines, is_agreed) = (round.lines(), agree(round, sum));
    if is_agreed {
        let sum = sum.combiner(process);
        bracket
            .walk(lines.len(), |left, right| sum.combine(lines[left].copy(), lines[right].copy()));
    }
    is_agreed
}

/// The same for those who want nothing but the last result. Few numbers that are combined one by
/// one are put in a row, and combined by one call. Out of line: one member needs the room, and the
/// stacks of all are not to grow for it.
#[inline(never)]
fn combine_for_last(process: &Process, round: &Round, sum: &Sum, bracket: Bracket) -> bool {
    let (lines, each) = (round.lines(), round.line(0).bytes());
    let first = match bracket.first_of_row(lines.len()) {
        Some(first) if (1..=ROW / lines.len()).contains(&each) => first,
        _ => return combine_all(process, round, sum, bracket),
    };
    let is_agreed = agree(round, sum);
    if is_agreed {
        let mut room = [const { MaybeUninit::<u128>::uninit() }; ROW / 16];
        let room = Span::new(room.as_mut_ptr().cast_const().cast(), size_of_val(&room));
        let row = room.part(0, lines.len() * each);
        // All is the library's own memory.
        let order = lines[first..].iter().chain(&lines[..first]);
        let _ = line_up(order.map(Line::copy), each, row);
        sum.combiner(process).combine_row(row, each);
        let last = lines[bracket.last(lines.len())].copy();
        let _ = copy(row.part(row.bytes() - each, each), last);
    }
    is_agreed
}

/// Notes how much all have, and whether it is as much as there is to be combined.
fn agree(round: &Round, sum: &Sum) -> bool {
    let bytes = round.equal_bytes();
    round.agree_on_bytes(bytes);
    bytes.is_some_and(|bytes| bytes as i64 == sum.count * sum.item())
}

/// Results of as many bytes are somewhere in the caches.
const NEARBY: i64 = 1 << 20;

/// Combines what all point at, or have laid down, block by block and where it lies.
struct Fold<'f, 'l, 'a> {
    sitting: &'f Sitting<'l, 'a>,
    sum: &'f Sum,
    bracket: Bracket,
    block: Part,
    /// Results go straight to where they are wanted. Much is copied there, by instructions that do
    /// not read first what they write to.
    is_near: bool,
    /// What is combined of those that are in hand.
    rooms: Vec<Option<Room>>,
    spare: Vec<Room>,
}

/// Some values of a block.
enum Operand {
    /// Of one member, where it has them; the pin keeps them there.
    Laid {
        span: Span,
        _pin: Option<Pin>,
    },
    Room(Room),
}

impl<'f, 'l, 'a> Fold<'f, 'l, 'a> {
    fn new(sitting: &'f Sitting<'l, 'a>, sum: &'f Sum, bracket: Bracket) -> Fold<'f, 'l, 'a> {
        let block = Part { first: 0, items: 0 };
        let is_near = sum.count.saturating_mul(sum.item()) <= NEARBY;
        Fold { sitting, sum, bracket, block, is_near, rooms: Vec::new(), spare: Vec::new() }
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
        let (bracket, members) = (self.bracket, self.sitting.members());
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

    /// Copies what is combined to where it cannot be combined.
    fn give(&mut self, values: Room, goal: &Region) -> Result {
        self.sitting.lane().copy(&self.sum.in_room(&values, self.block.items)?, goal)?;
        self.spare.push(values);
        Ok(())
    }

    /// Combines two operands, for `goal` or a room.
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
        let combiner = self.sum.combiner_of(self.sitting.lane().process(), self.block.items);
        match combiner.combine_into(span(&one), span(&other), into) {
            Ok(()) => {}
            Err(Missing::Left(address)) => return Err(self.sitting.missed(left, address)),
            Err(Missing::Right(address)) => return Err(self.sitting.missed(right, address)),
            Err(Missing::Into(address)) => {
                return Err(self.sitting.missed(self.sitting.me(), address));
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
            let members = self.sitting.members();
            self.rooms.resize_with(members, || None);
            self.rooms[right] = kept;
        }
        Ok(())
    }

    fn fresh(&mut self) -> Result<Room> {
        self.spare.pop().map_or_else(|| self.sum.room(self.block.items), Ok)
    }

    /// The values at `place`: what is combined of them, or where their member has them. Only what
    /// lies there in pieces is copied.
    fn operand(&mut self, place: usize) -> Result<Operand> {
        if let Some(room) = self.rooms.get_mut(place).and_then(Option::take) {
            return Ok(Operand::Room(room));
        }
        let (item, sitting) = (self.item(), self.sitting);
        let part = sitting::Part {
            offset: self.block.first as usize * item,
            bytes: self.block.items as usize * item,
        };
        let laid: Laid = sitting.laid(place);
        let lost = || sitting.lost(place);
        if let Some(span) = laid.span() {
            let pin = match laid {
                Laid::There(_) if place != sitting.me() => {
                    Some(sitting.pin(place).ok_or_else(lost)?)
                }
                _ => None,
            };
            let span = span.part(part.offset, part.bytes);
            return Ok(Operand::Laid { span, _pin: pin });
        }
        let room = self.fresh()?;
        match sitting.fetch(&laid, place, part, &self.sum.in_room(&room, self.block.items)?)? {
            true => Ok(Operand::Room(room)),
            false => Err(lost()),
        }
    }

    fn item(&self) -> usize {
        usize::try_from(self.sum.item()).expect("items have a size")
    }
}
