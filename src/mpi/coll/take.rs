//! The copies of all shared-memory collectives: what a member copies out of what others have
//! published, and how long the owner of memory that others read must stay.

use super::blocks::Blocks;
use super::members::{Members, Wait};
use crate::base::Member;
use crate::engine::{Gate, Laid, Line, Mishap, Outcome};
use crate::host::life::{self, Pin};
use crate::host::memory::{self, Fault, Region, Span, transfer_start};
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::p2p::outcome::news;

/// A part of what is published.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) offset: usize,
    pub(super) bytes: usize,
}

/// Which part of another member's data is for this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    All,
    Mine,
}

impl<W: Wait> Members<'_, '_, W> {
    /// Notes that this member reads no more of the others' memory.
    pub(super) fn end_reading(&self) {
        if self.round().end_reading(self.turn(), self.me()) {
            W::open(self, Gate::AllRead);
        }
        // A waiting member that knows of a death checks which members are left.
        if !self.lane().process().engine.is_calm() {
            self.meeting().ring_others(self.me());
        }
    }

    /// Ends reading, and wakes only the member at `place`, which waits for that.
    pub(super) fn end_reading_of(&self, place: usize) {
        self.round().end_reading(self.turn(), self.me());
        self.meeting().ring(place);
    }

    /// Ends reading at the member for which all that point at something wait.
    pub(super) fn end_reading_of_all(&self) {
        self.round().end_reading(self.turn(), self.me());
        W::open(self, Gate::Read { place: self.me() });
    }

    /// Waits until no living member reads any more. Returns the failure if a member died before
    /// that.
    pub(super) async fn all_have_read(&self) -> Result<Option<Failure>> {
        let outcome = self.until(Gate::AllRead).await;
        if is_death(&outcome) {
            return Err(Failure::died());
        }
        if outcome.is_err() {
            let nobody = || (0..self.count()).all(|place| self.reads_nothing(place));
            self.lane().process().engine.sit_out(&self.wait(Gate::AllRead), nobody)?;
        }
        self.take_back()?;
        Ok(outcome.err())
    }

    /// Waits until the member at `root` has read what this member points at.
    pub(super) async fn read_by(&self, root: usize) -> Result {
        let gate = Gate::Read { place: root };
        let outcome = self.until(gate).await;
        if is_death(&outcome) {
            return outcome;
        }
        if outcome.is_err() {
            // Unless all members have arrived, none will read.
            if self.round().arrivals.abandon(self.turn()) {
                return outcome;
            }
            let engine = &self.lane().process().engine;
            engine.sit_out(&self.wait(gate), || self.reads_nothing(root))?;
        }
        self.take_back()?;
        if self.round().has_read(self.turn(), root) { Ok(()) } else { outcome }
    }

    /// Unmapped memory that others met is this member's own fault.
    fn take_back(&self) -> Result {
        self.round().take_back(self.me()).map_or(Ok(()), |address| Err(self.suffer(address)))
    }

    /// Whether the member at `place` reads no more, or never will.
    fn reads_nothing(&self, place: usize) -> bool {
        self.round().has_read(self.turn(), place)
            || self.lane().process().world.is_dead(self.member(place))
    }

    fn member(&self, place: usize) -> Member {
        self.lane().comm().member(i32::try_from(place).expect("ranks fit an int"))
    }

    /// Copies `bytes` of what is published at `place`, from `offset` on. False when the memory went
    /// with its owner.
    pub(super) fn fetch(
        &self, from: &Laid, place: usize, part: Part, into: &Region,
    ) -> Result<bool> {
        let Part { offset, bytes } = part;
        let (source, is_own) = match from {
            Laid::Copy(span) => (Region::from(span.part(offset, bytes)), true),
            Laid::Copies(blocks) => (blocks[self.me()].part(offset, bytes), true),
            Laid::There(region) => (region.part(offset, bytes), place == self.me()),
            Laid::Blocks(blocks) => (blocks[self.me()].part(offset, bytes), place == self.me()),
        };
        let pin = if is_own { None } else { Some(self.pin(place)) };
        if let Some(None) = pin {
            return Ok(false);
        }
        match transfer_start(&source, into, bytes) {
            Ok(()) => Ok(true),
            Err(Fault { address, in_source: true }) if !is_own => {
                self.round().blame(place, address);
                Ok(false)
            }
            Err(fault) => Err(self.suffer(fault.address)),
        }
    }

    /// Copies what the member at `place` has for this one: a share of it where all get equal ones,
    /// which is judged like a message.
    #[inline(always)]
    pub(super) fn take(&self, place: usize, share: Share, into: &Region) -> Result {
        if let Some(copy) = self.round().line(place).whole_copy() {
            let part = match share {
                Share::All => copy,
                Share::Mine => {
                    let each = copy.bytes() / self.count();
                    copy.part(each * self.me(), each)
                }
            };
            if part.bytes() <= into.bytes() {
                return self.copy(part, into);
            }
        }
        self.take_with_care(place, share, into)
    }

    #[inline(never)]
    fn take_with_care(&self, place: usize, share: Share, into: &Region) -> Result {
        let from = self.laid(place);
        let (offset, sent) = match (&from, share) {
            (Laid::Blocks(blocks) | Laid::Copies(blocks), _) => (0, blocks[self.me()].bytes()),
            (from, Share::All) => (0, from.bytes()),
            (from, Share::Mine) => {
                let each = from.bytes() / self.count();
                (each * self.me(), each)
            }
        };
        let room = into.bytes();
        if sent > room {
            let mishap = Some(Mishap::Truncated { sent });
            let outcome = Outcome { bytes: room, mishap, ..Outcome::default() };
            self.lane().note(news(&outcome))?;
        }
        let part = Part { offset, bytes: sent.min(room) };
        match self.fetch(&from, place, part, into)? {
            true => Ok(()),
            false => Err(self.lost(place)),
        }
    }

    /// Copies each member's data for this one, except its own if that is in place.
    #[inline]
    pub(super) fn take_all(&self, share: Share, blocks: &Blocks, is_in_place: bool) -> Result {
        if let (Share::All, Blocks::Even { all, each }) = (share, blocks)
            && let Some(all) = all.span()
        {
            return self.take_row(*each, all, is_in_place);
        }
        let all = 0..self.count();
        let mut others = all.filter(|place| !is_in_place || *place != self.me());
        others.try_for_each(|place| self.take(place, share, &blocks.at(place)))
    }

    /// Copies all members' data, each at most `each` bytes, into the row `all`; in place, all but
    /// this member's.
    #[inline]
    fn take_row(&self, each: usize, all: Span, is_in_place: bool) -> Result {
        let (lines, me) = (self.lines(), self.me());
        if lines.len() > 3 && self.are_copies(each, is_in_place) {
            return self.judge(match is_in_place {
                true => line_up(&lines[..me], each, all, 0)
                    .and_then(|()| line_up(&lines[me + 1..], each, all, me + 1)),
                false => line_up(lines, each, all, 0),
            });
        }
        for (place, line) in lines.iter().enumerate() {
            let into = all.part(place * each, each);
            match line.whole_copy() {
                _ if is_in_place && place == me => {}
                Some(copy) if copy.bytes() <= each => self.copy_span(copy, into)?,
                _ => self.take_with_care(place, Share::All, &into.into())?,
            }
        }
        Ok(())
    }

    /// Whether all members, or all others, have published copies of this many bytes.
    fn are_copies(&self, each: usize, is_of_others: bool) -> bool {
        let is_copy = |line: &Line| line.whole_copy().is_some_and(|copy| copy.bytes() == each);
        let (before, after) = self.lines().split_at(self.me());
        let rest = &after[usize::from(is_of_others)..];
        before.iter().chain(rest).all(is_copy)
    }

    /// Copies from all members what they point at, and stays until all have done so.
    pub(super) async fn exchange(
        &self, share: Share, blocks: &Blocks, is_in_place: bool,
    ) -> Result {
        let taken = self.take_all(share, blocks, is_in_place);
        self.end_reading();
        if is_death(&taken) {
            return taken;
        }
        // Others read this member's memory, even if it has met an error itself.
        self.all_have_read().await?;
        taken?;
        Ok(())
    }

    /// Lets all members read what this one points at, now that all have arrived.
    pub(super) async fn give(&self) -> Result {
        self.show()?;
        self.end_reading();
        self.all_have_read().await?;
        Ok(())
    }

    /// Copies this member's share of what `root` shows.
    pub(super) async fn receive(&self, root: usize, share: Share, into: &Region) -> Result {
        let taken = match self.shown_by(root).await {
            Ok(()) => self.take(root, share, into),
            failed => failed,
        };
        // A member that gives up does not read, either.
        self.end_reading();
        taken?;
        Ok(())
    }

    pub(super) fn point_at_all(&self, blocks: &Blocks) {
        match blocks {
            Blocks::Even { all, .. } => self.point_at(all),
            Blocks::Each(blocks) => self.point_at_blocks(blocks.clone()),
        }
    }

    /// Copies a part of the meeting's own memory.
    #[inline(always)]
    pub(super) fn copy(&self, from: Span, into: &Region) -> Result {
        match into.span() {
            Some(into) => self.copy_span(from, into),
            None => self.judge(transfer_start(&from.into(), into, from.bytes().min(into.bytes()))),
        }
    }

    /// Copies a part of the meeting's own memory to contiguous memory.
    #[inline(always)]
    pub(super) fn copy_span(&self, from: Span, to: Span) -> Result {
        self.judge(memory::copy(from, to))
    }

    /// Pins the memory of the member at `place`, if it is still there.
    pub(super) fn pin(&self, place: usize) -> Option<Pin> {
        let Member { seat, incarnation } = self.member(place);
        life::pin(seat, incarnation)
    }

    /// The failure for unmapped memory of the member at `place`: unmapped memory of this member's
    /// own ends it.
    #[cold]
    pub(super) fn missed(&self, place: usize, address: usize) -> Failure {
        if place == self.me() {
            return self.suffer(address);
        }
        self.round().blame(place, address);
        self.lost(place)
    }

    /// The failure for the death of the member at `place`, with its memory.
    #[cold]
    pub(super) fn lost(&self, place: usize) -> Failure {
        self.lane().loss(i32::try_from(place).expect("ranks fit an int"))
    }
}

/// Copies published blocks of one length to a row, from this place on.
fn line_up(lines: &[Line], each: usize, all: Span, first: usize) -> std::result::Result<(), Fault> {
    let into = all.part(first * each, lines.len() * each);
    memory::line_up(lines.iter().map(Line::copy), each, into)
}

/// The failure of a member that could not do its part because of a death.
#[cold]
pub(super) fn spoilt() -> Failure {
    Class::PROC_ABORTED.because("a process died before the others had read its contribution")
}
