//! Buffered reductions: combines short vectors from copies in shared memory, at the root, at the
//! last member to arrive, or, when the members are few, at each member for itself.

use super::bracket::Bracket;
use super::members::{Members, Wait};
use super::sum::Sum;
use crate::engine::{Line, Round};
use crate::host::memory::{Region, Span, copy, line_up};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;
use std::mem::MaybeUninit;

/// Up to this many bytes of all members are put in a row.
const ROW: usize = 2048;

/// A member that combines for itself has room for two partial results of this many bytes, or of
/// few.
const MOST_HERE: usize = 2048;
const FEW_HERE: usize = 128;

impl<W: Wait> Members<'_, '_, W> {
    /// Combines all members' values, which are short; the result goes to `target` at the root.
    #[inline]
    pub(super) async fn reduce_at(
        &self, sum: &Sum, target: Option<&Region>, root: usize,
    ) -> Result {
        self.put(sum.values())?;
        self.all_at(root).await?;
        match target {
            None => {}
            Some(target) if self.is_small() => self.combine_here(sum, root, 0, target)?,
            Some(target) => self.combine_for_one(sum, root, target)?,
        }
        Ok(())
    }

    /// Combines all members' published values for this member.
    #[inline(never)]
    fn combine_for_one(&self, sum: &Sum, top: usize, target: &Region) -> Result {
        let bracket = sum.bracket(self.crowd(), top);
        match combine_for_last(self.lane().process(), self.round(), sum, bracket) {
            true => self.copy(self.copy_of(bracket.last(self.count())), target),
            false => self.note_disagreement(target.bytes()),
        }
    }

    /// Combines all members' values, which are short, for all members: as much of the result as
    /// `target` has room for, from byte `offset` on, is for this member. When the members are few,
    /// each combines its own part.
    #[inline]
    pub(super) async fn reduce_for_all(&self, sum: &Sum, offset: usize, target: &Region) -> Result {
        let input = sum.values();
        self.put(input)?;
        let (process, crowd) = (self.lane().process(), self.crowd());
        let combine = || _ = combine_for_last(process, self.round(), sum, sum.bracket(crowd, 0));
        self.all(combine).await?;
        if self.is_small() {
            self.combine_here(sum, 0, offset, target)?;
        } else if self.round().agreed_bytes() != Some(input.bytes()) {
            self.note_disagreement(input.bytes())?;
        } else {
            let last = sum.bracket(crowd, 0).last(self.count());
            let result = self.copy_of(last);
            self.copy(result.part(offset, target.bytes()), target)?;
        }
        Ok(())
    }

    /// Combines as much of all members' published values, from byte `offset` on, as `target` has
    /// room for, one after the other from that of the member at `first` on, which is how few short
    /// vectors are bracketed.
    #[inline(always)]
    pub(super) fn combine_here(
        &self, sum: &Sum, first: usize, offset: usize, target: &Region,
    ) -> Result {
        let bytes = sum.bytes();
        if self.lines().iter().any(|line| line.bytes() != bytes) {
            return self.note_disagreement(bytes);
        }
        match target.bytes() {
            0 => Ok(()),
            1..=FEW_HERE => self.combine_in::<{ FEW_HERE / 8 }>(sum, first, offset, target),
            _ => self.combine_in::<{ MOST_HERE / 8 }>(sum, first, offset, target),
        }
    }

    /// Combines one member's values after the other, from that at `first` on, with `WORDS` words
    /// for partial results. Out of line, so that members that need little room have a small frame.
    #[inline(never)]
    fn combine_in<const WORDS: usize>(
        &self, sum: &Sum, first: usize, offset: usize, target: &Region,
    ) -> Result {
        let (bytes, count) = (target.bytes(), self.count());
        let mut room = [const { MaybeUninit::<u128>::uninit() }; WORDS];
        let room = Span::new(room.as_mut_ptr().cast_const().cast(), size_of_val(&room));
        let half = room.bytes() / 2;
        assert!(bytes <= half, "there is room for two partial results");
        let (mut next, mut other) = (room.part(0, bytes), room.part(half, bytes));
        let (lines, combiner) = (self.lines(), sum.combiner_of_bytes(self.lane().process(), bytes));
        let laid = |place: usize| lines[place].copy().part(offset, bytes);
        let mut combined = laid(first);
        for place in first + 1..first + count {
            let right = laid(if place < count { place } else { place - count });
            combiner.combine_apart(combined, right, next);
            combined = next;
            (next, other) = (other, next);
        }
        self.copy(combined, target)
    }

    /// Notes that the members disagree on how much is to be combined.
    #[cold]
    pub(super) fn note_disagreement(&self, mine: usize) -> Result {
        let (rank, bytes) = self
            .sizes()
            .zip(0..)
            .map(|(bytes, rank)| (rank, bytes))
            .find(|(_, n)| *n != mine)
            .unwrap_or((self.me(), mine));
        self.lane().note(Err(disagreement(rank, bytes, mine)))
    }

    /// The sizes of what all members have published, for members that combine it.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count()).map(|place| self.laid(place).bytes())
    }
}

/// Combines all published copies in place: they also hold the partial results. True when all
/// members have as much as is to be combined.
pub(super) fn combine_all(process: &Process, round: &Round, sum: &Sum, bracket: Bracket) -> bool {
    let (lines, is_agreed) = (round.lines(), agree(round, sum));
    if is_agreed {
        let sum = sum.combiner(process);
        bracket
            .walk(lines.len(), |left, right| sum.combine(lines[left].copy(), lines[right].copy()));
    }
    is_agreed
}

/// Combines for members that want only the final result. Short vectors that are combined one by one
/// are put in a row, and combined by one call. Out of line: one member needs the room, and it must
/// not enlarge the stacks of all.
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
        // The library owns all of this memory.
        let order = lines[first..].iter().chain(&lines[..first]);
        let _ = line_up(order.map(Line::copy), each, row);
        sum.combiner(process).combine_row(row, each);
        let last = lines[bracket.last(lines.len())].copy();
        let _ = copy(row.part(row.bytes() - each, each), last);
    }
    is_agreed
}

/// Notes how much all members have, and whether it is as much as is to be combined.
fn agree(round: &Round, sum: &Sum) -> bool {
    let bytes = round.equal_bytes();
    round.agree_on_bytes(bytes);
    bytes.is_some_and(|bytes| bytes as i64 == sum.count * sum.item())
}

/// The failure of a reduction in which the member with this rank has another number of bytes than
/// this one.
#[cold]
pub(super) fn disagreement(rank: usize, bytes: usize, mine: usize) -> Failure {
    let words = format!("rank {rank} reduces {bytes} bytes, but this rank reduces {mine}");
    Class::COUNT.because(words)
}
