//! Collectives by levels, where processes have several ranks: the members of one process meet in
//! its memory, and the last of them to come exchanges what all have published with the other
//! processes, in memory that these share. Then the round of each process holds what all members
//! have published, and the operations are those of members in one process. It is for operations in
//! which all wait for all.

use super::afar::{Absence, Sight};
use super::bundle::{self, Bundle};
use super::members::{Members, Wait};
use crate::engine::{Gate, Laid, Levels, Meeting, Prospect, Round, Series};
use crate::host::memory::{self, Region, Span};
use crate::host::sched;
use crate::mpi::error::{Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::run::AtOnce;

/// How often a member lets others run while other processes have not published anything: that takes
/// less time than to be woken.
const YIELDS: u32 = 20;

/// A wait in the calling thread for members of this process, and of others.
pub(super) enum ByLevels {}

impl Wait for ByLevels {
    fn come<'a>(lane: &Lane<'a>, meeting: &'a Meeting, me: usize, _: bool) -> (&'a Round, u32) {
        let ((turn, _), round) = (lane.number(), meeting.common_round());
        meeting.come(turn, me);
        // Nobody needs any more what this member has published there.
        round.put(me, &Region::EMPTY).expect("there is nothing to copy");
        (round, turn)
    }

    fn counts_as(meeting: &Meeting, me: usize) -> usize {
        levels(meeting).here().binary_search(&me).expect("this member is here")
    }

    fn hears_others(members: &Members<'_, '_, ByLevels>) -> bool {
        let levels = levels(members.meeting());
        levels.speaks(members.turn(), members.me());
        let has_heard = levels.count() == 1 || members.exchange_bundles().is_ok();
        if !has_heard {
            levels.give_up(members.turn());
        }
        has_heard
    }

    fn series<'a>(members: &Members<'_, 'a, ByLevels>) -> &'a Series {
        &members.meeting().blocking
    }

    fn enter(members: &Members<'_, '_, ByLevels>) -> impl Future<Output = Result> + Send {
        AtOnce(|| members.step())
    }

    fn wait(
        members: &Members<'_, '_, ByLevels>, gate: Option<Gate>,
    ) -> impl Future<Output = Result> + Send {
        AtOnce(move || match gate {
            Some(gate) if !members.round().is_open(gate, members.turn()) => {
                members.wait_for_speaker(gate)
            }
            _ => members.step(),
        })
    }

    fn open(members: &Members<'_, '_, ByLevels>, gate: Gate) {
        members.meeting().open(members.round(), gate, members.turn(), members.me());
    }

    fn ring_few(_: &Members<'_, '_, ByLevels>) {
        unreachable!("they are not few, and wait for each other");
    }

    fn settle(members: &Members<'_, '_, ByLevels>) {
        members.meeting().blocking.settle_common(members.turn());
    }
}

fn levels(meeting: &Meeting) -> &Levels {
    meeting.levels().expect("ranks share processes")
}

impl Members<'_, '_, ByLevels> {
    /// All members of this process have come: tells other processes what they have published, and
    /// hears what theirs have.
    fn exchange_bundles(&self) -> Result {
        let (hall, turn) = (self.lane().known_hall(), self.turn());
        hall.come(turn);
        if let Some(needed) = hall.lacks(turn) {
            self.wait_for_processes(&Absence { hall, needed }, Gate::Room)?;
        }
        let bundle = self.bundle();
        hall.publish(turn, Span::of(bundle.bytes()));
        let levels = levels(self.meeting());
        let sight = Sight::of(hall, turn, (0, levels.count()), levels.mine());
        loop {
            self.wait_for_processes(&sight, Gate::Done)?;
            if sight.others().all(|process| self.take_bundle(process)) {
                hall.settle(turn);
                return Ok(());
            }
            // One has ended: another life of it writes there already. Or it has gone mad, and its
            // death ends this.
            self.must_be_whole()?;
            sight.look_again();
            sched::yield_now();
        }
    }

    /// Waits at a gate that the speaker opens. A member may die that has done its part, and been
    /// heard: so if all have come here, it is the speaker who finds whether a failure forbids the
    /// operation.
    fn wait_for_speaker(&self, gate: Gate) -> Result {
        let (levels, turn) = (levels(self.meeting()), self.turn());
        let outcome = self.wait_here(gate);
        let is_final = outcome.as_ref().map_or_else(Failure::is_death, |()| true);
        if is_final || !self.round().arrivals.is_full(turn) {
            return outcome;
        }
        while !self.round().is_open(gate, turn) {
            let is_dead = match &levels.speaker(turn) {
                Some(place) => self.is_dead(place),
                None => levels.here().iter().any(|place| self.is_dead(place)),
            };
            // What it has done before it died counts.
            if (is_dead || levels.has_given_up(turn)) && !self.round().is_open(gate, turn) {
                return outcome;
            }
            self.step()?;
            sched::yield_now();
        }
        self.step()
    }

    fn is_dead(&self, place: &usize) -> bool {
        let member = self.lane().comm().group.member(*place);
        member.is_none_or(|member| self.lane().process().world.is_dead(member))
    }

    fn bundle(&self) -> Bundle {
        let here = levels(self.meeting()).here();
        let data: Vec<Span> = here.iter().map(|place| copy_of(&self.laid(*place))).collect();
        let mut bundle = Bundle::of(data.iter().map(|data| data.bytes()));
        for data in data {
            let room = Span::of_mut(bundle.add(data.bytes()));
            memory::copy(data, room).expect("both are the library's own");
        }
        bundle
    }

    /// Takes what the members of a process have published into the round; false: it is not there.
    fn take_bundle(&self, process: usize) -> bool {
        let (hall, mut bundle) = (self.lane().known_hall(), Vec::new());
        let is_intact = hall.read(process, self.turn(), |data| {
            bundle.resize(data.bytes(), 0);
            memory::copy(data, Span::of_mut(&mut bundle)).expect("both are the library's own");
        });
        let places = levels(self.meeting()).places(process);
        let parts = bundle::parts(&bundle, places.len()).filter(|_| is_intact);
        for (place, part) in places.iter().zip(parts.iter().flatten()) {
            let put = self.round().put(*place, &Region::from(Span::of(part)));
            put.expect("both are the library's own");
        }
        parts.is_some()
    }

    fn wait_for_processes(&self, prospect: &impl Prospect, gate: Gate) -> Result {
        let is_stopping = || self.lane().process().engine.is_stopping();
        for _ in 0..YIELDS {
            if prospect.has_happened() && !is_stopping() {
                return self.step();
            }
            sched::yield_now();
        }
        let first_of = |process: usize| levels(self.meeting()).places(process)[0];
        self.wait_for_news(&InRanks { of: prospect, first_of }, gate)
    }
}

/// The memory of a copy that a member of this process has published.
fn copy_of(laid: &Laid) -> Span {
    match laid {
        Laid::Copy(span) => *span,
        // One after the other.
        Laid::Copies(blocks) => {
            let bytes = blocks.iter().map(Region::bytes).sum();
            let start = blocks[0].span().map_or(0, Span::address);
            Span::new(std::ptr::with_exposed_provenance(start), bytes)
        }
        Laid::There(_) | Laid::Blocks(_) => unreachable!("addresses mean nothing elsewhere"),
    }
}

/// What other processes bring about, in terms of ranks.
struct InRanks<'a, P, F> {
    of: &'a P,
    first_of: F,
}

impl<P: Prospect, F: Fn(usize) -> usize> Prospect for InRanks<'_, P, F> {
    fn has_happened(&self) -> bool {
        self.of.has_happened()
    }

    fn call(&self) {
        self.of.call();
    }

    fn missing(&self) -> (Option<usize>, bool) {
        let (process, is_ahead) = self.of.missing();
        (process.map(&self.first_of), is_ahead)
    }
}
