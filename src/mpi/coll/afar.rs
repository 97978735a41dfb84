//! How members in processes of their own wait for each other in memory that these share, as
//! [`Wait`] wants it.
//!
//! What a member publishes goes from its round, which only this process sees, to its room in the
//! shared area; what others have published there is copied into the round when the gate opens for
//! which the member waits. So the operations themselves are those of members in one process: the
//! few of them who all poll, or many who go through the first one.

use super::members::{Members, Wait};
use super::objection::failure;
use crate::base::sync::cache::comes_soon;
use crate::engine::{Gate, Laid, Meeting, Prospect, Round, Series};
use crate::host::memory::{Region, Span};
use crate::host::sched;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::run::AtOnce;
use crate::transport::Hall;
use std::cell::Cell;

/// How often a member with a core of its own looks before it waits in the ordinary way.
const LOOKS: u32 = 256;

/// A wait in the calling thread for members in other processes.
pub(super) enum Afar {}

impl Wait for Afar {
    fn come<'a>(lane: &Lane<'a>, meeting: &'a Meeting, _: usize, _: bool) -> (&'a Round, u32) {
        let (turn, _) = lane.number();
        lane.known_hall().come(turn);
        (meeting.common_round(), turn)
    }

    fn series<'a>(members: &Members<'_, 'a, Afar>) -> &'a Series {
        &members.meeting().blocking
    }

    #[inline]
    fn enter(members: &Members<'_, '_, Afar>) -> impl Future<Output = Result> + Send {
        AtOnce(|| members.enter_afar())
    }

    #[inline]
    fn wait(
        members: &Members<'_, '_, Afar>, gate: Option<Gate>,
    ) -> impl Future<Output = Result> + Send {
        AtOnce(move || match gate {
            Some(gate) => members.wait_and_read(gate),
            None => members.step(),
        })
    }

    fn open(members: &Members<'_, '_, Afar>, _: Gate) {
        members.publish();
    }

    fn ring_few(members: &Members<'_, '_, Afar>) {
        members.publish();
    }

    fn ring_one(members: &Members<'_, '_, Afar>, place: usize) {
        members.publish();
        members.hall().arrive_at(place, members.turn());
    }

    fn pass(members: &Members<'_, '_, Afar>) {
        members.publish();
    }
}

impl<'a> Members<'_, 'a, Afar> {
    fn hall(&self) -> &'a Hall {
        self.lane().known_hall()
    }

    /// Waits until no member needs what this one has published before in the same place.
    pub(super) fn enter_afar(&self) -> Result {
        self.step()?;
        match self.hall().lacks(self.turn()) {
            None => Ok(()),
            Some(needed) => self.wait_for(&Absence { hall: self.hall(), needed }, Gate::Room),
        }
    }

    /// Publishes what this member has in its line.
    #[inline]
    fn publish(&self) {
        let data = match self.laid(self.me()) {
            Laid::Copy(span) => span,
            // One after the other.
            Laid::Copies(blocks) => {
                let bytes = blocks.iter().map(Region::bytes).sum();
                let start = blocks[0].span().map_or(0, Span::address);
                Span::new(std::ptr::with_exposed_provenance(start), bytes)
            }
            Laid::There(_) | Laid::Blocks(_) => unreachable!("addresses mean nothing elsewhere"),
        };
        self.hall().publish(self.turn(), data);
    }

    /// Waits until others have published what this gate stands for, and takes it into the round.
    #[inline]
    fn wait_and_read(&self, gate: Gate) -> Result {
        let is_for_all = matches!(gate, Gate::AllShown { .. });
        let sight = Sight {
            hall: self.hall(),
            turn: self.turn(),
            others: match gate {
                Gate::Shown { place } | Gate::Passed { place } => (place, place + 1),
                Gate::AllShown { .. } => (0, self.count()),
                _ => unreachable!("what is published here is copies"),
            },
            me: self.me(),
            calls: !is_for_all || self.is_common(),
            first: Cell::new(0),
        };
        loop {
            self.wait_for(&sight, gate)?;
            if sight.others().all(|place| self.read(place)) {
                if is_for_all {
                    self.hall().settle(self.turn());
                }
                return Ok(());
            }
            // A member that has ended: another life of its process writes there already. Or it has
            // gone mad, and its death ends this.
            self.must_be_whole()?;
            sight.look_again();
            sched::yield_now();
        }
    }

    #[inline]
    fn read(&self, place: usize) -> bool {
        self.hall().read(place, self.turn(), |data| {
            let copied = self.round().put(place, &Region::from(data));
            copied.expect("both are the library's own");
        })
    }

    #[inline]
    fn wait_for(&self, prospect: &impl Prospect, gate: Gate) -> Result {
        let engine = &self.lane().process().engine;
        let looks = if self.crowd().is_crowded() { 1 } else { LOOKS };
        if comes_soon(looks, || prospect.has_happened()) && !engine.is_stopping() {
            return self.step();
        }
        self.wait_for_news(prospect, gate)
    }
}

impl<W: Wait> Members<'_, '_, W> {
    /// Waits in the ordinary way for what other processes bring about.
    pub(super) fn wait_for_news(&self, prospect: &impl Prospect, gate: Gate) -> Result {
        let engine = &self.lane().process().engine;
        let mishap = engine.wait_afar(&self.wait(gate), prospect)?;
        mishap.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }
}

/// What other members publish in one operation.
pub(super) struct Sight<'a> {
    hall: &'a Hall,
    turn: u32,
    /// The places of those members, this one aside: from here to before there.
    others: (usize, usize),
    me: usize,
    /// Whether they are to wake this member: where one waits for all, the last of them does it
    /// without being asked.
    calls: bool,
    /// All before this place have published.
    first: Cell<usize>,
}

impl<'a> Sight<'a> {
    /// Of other processes, which are to wake this one; see the fields.
    pub(super) fn of(hall: &'a Hall, turn: u32, others: (usize, usize), me: usize) -> Sight<'a> {
        Sight { hall, turn, others, me, calls: true, first: Cell::new(0) }
    }

    /// What was there may be so no more.
    pub(super) fn look_again(&self) {
        self.first.set(0);
    }

    pub(super) fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (self.others.0..self.others.1).filter(|place| *place != self.me)
    }

    #[inline]
    fn first_missing(&self) -> Option<usize> {
        let mut rest = self.others().filter(|place| *place >= self.first.get());
        let missing = rest.find(|place| !self.hall.has_published(*place, self.turn));
        self.first.set(missing.unwrap_or(self.others.1));
        missing
    }
}

impl Prospect for Sight<'_> {
    #[inline]
    fn has_happened(&self) -> bool {
        self.first_missing().is_none()
    }

    fn call(&self) {
        if self.calls {
            call_one(self.hall, || self.first_missing());
        }
    }

    fn missing(&self) -> (Option<usize>, bool) {
        (self.first_missing(), false)
    }
}

/// Asks one that is missing to wake this member: one that is still missing afterwards.
fn call_one(hall: &Hall, missing: impl Fn() -> Option<usize>) {
    let mut called = None;
    while let Some(place) = missing().filter(|place| called != Some(*place)) {
        hall.call(place);
        called = Some(place);
    }
}

/// That all members come as far as this operation.
pub(super) struct Absence<'a> {
    pub(super) hall: &'a Hall,
    pub(super) needed: u32,
}

impl Prospect for Absence<'_> {
    fn has_happened(&self) -> bool {
        self.hall.have_come_to(self.needed)
    }

    fn call(&self) {
        call_one(self.hall, || self.hall.first_behind(self.needed));
    }

    fn missing(&self) -> (Option<usize>, bool) {
        (self.hall.first_behind(self.needed), true)
    }
}
