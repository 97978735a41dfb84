//! Buffered reductions: combines short vectors from copies in shared memory, at the root, at the
//! last member to arrive, or at each member for itself.

use super::bracket::Bracket;
use super::members::{Members, Wait};
use super::sum::Sum;
use crate::engine::{Line, Round};
use crate::host::memory::{Region, Span, copy, line_up};
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use std::cell::Cell;
use std::mem::MaybeUninit;

/// Up to this many bytes of all members are put in a row.
const ROW: usize = 2048;

/// Each of few members combines at most this many bytes of all members for itself.
const MOST_HERE: usize = 16 << 10;

impl<W: Wait> Members<'_, '_, W> {
    /// Combines all members' values, which are short; the result goes to `target` at the root.
    #[inline]
    pub(super) async fn reduce_at(
        &self, sum: &Sum, bracket: Bracket, target: Option<&Region>, root: usize,
    ) -> Result {
        self.put(sum.values())?;
        self.all_at(root).await?;
        if let Some(target) = target {
            self.combine_for_one(sum, bracket, target)?;
        }
        self.leave().await
    }

    /// Combines all members' published values for this member.
    #[inline(never)]
    fn combine_for_one(&self, sum: &Sum, bracket: Bracket, target: &Region) -> Result {
        match combine_for_last(self.lane().process(), self.round(), sum, bracket) {
            true => self.copy(self.copy_of(bracket.last(self.count())), target),
            false => self.note_disagreement(target.bytes()),
        }
    }

    /// Combines all members' values, which are short, for all members: as much of the result as
    /// `target` has room for, from byte `offset` on, is for this member. When the members are few,
    /// each combines its own part.
    #[inline]
    pub(super) async fn reduce_for_all(
        &self, sum: &Sum, bracket: Bracket, offset: usize, target: &Region,
    ) -> Result {
        const FEW: usize = 256;
        let input = sum.values();
        let bytes = input.bytes();
        self.put(input)?;
        let process = self.lane().process();
        self.all(|| _ = combine_for_last(process, self.round(), sum, bracket)).await?;
        let agreed = match self.is_small() {
            true => self.round().equal_bytes(),
            false => self.round().agreed_bytes(),
        };
        match target.bytes() * self.count() {
            _ if agreed != Some(bytes) => self.note_disagreement(bytes)?,
            0 => {}
            _ if !self.is_small() => {
                let result = self.copy_of(bracket.last(self.count()));
                self.copy(result.part(offset, target.bytes()), target)?;
            }
            1..=FEW => self.combine_here::<{ FEW / 16 }>(sum, bracket, offset, target)?,
            _ => self.combine_here::<{ MOST_HERE / 16 }>(sum, bracket, offset, target)?,
        }
        self.leave().await
    }

    /// Combines this member's part of the result, as every other member does for itself, with room
    /// for `WORDS` words. Out of line, so that members that need little room have a small frame.
    #[inline(never)]
    fn combine_here<const WORDS: usize>(
        &self, sum: &Sum, bracket: Bracket, offset: usize, target: &Region,
    ) -> Result {
        let bytes = target.bytes();
        let mut room = [const { MaybeUninit::<u128>::uninit() }; WORDS];
        let room = Span::new(room.as_mut_ptr().cast_const().cast(), size_of_val(&room));
        let (lines, combined) = (self.lines(), Cell::new(0_u64));
        let is_combined = |place: usize| combined.get() >> place & 1 == 1;
        let new = |place: usize| room.part(place * bytes, bytes);
        let laid = |place: usize| lines[place].copy().part(offset, bytes);
        let known = |place: usize| if is_combined(place) { new(place) } else { laid(place) };
        let items = bytes as i64 / sum.item();
        let (sum, mut outcome) = (sum.combiner_of(self.lane().process(), items), Ok(()));
        bracket.walk(self.count(), |left, right| {
            if !is_combined(right) {
                outcome = copy(laid(right), new(right)).and(outcome);
            }
            sum.combine(known(left), new(right));
            combined.set(combined.get() | 1 << right);
        });
        self.judge(outcome)?;
        self.copy(known(bracket.last(self.count())), target)
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
