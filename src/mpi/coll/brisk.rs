//! The way of the commonest operations where members share cores: each lays down what little it
//! has, sleeps once at most, and the last one to come does what there is to do for all. What costs
//! is the memory that each member touches, so this is short. Few members with cores of their own
//! look at each other's lines instead, or at each other's memory. The turn is that of a
//! [`Sitting`](super::sitting::Sitting): some members may go this way, and others that one.

use super::bracket::Bracket;
use super::choice::Crowd;
use super::claim::{self, Claim};
use super::reduce::{Part, Sum};
use super::sitting::{self, Sitting, index};
use crate::base::member::Roster;
use crate::engine::shared::rules::CollMode;
use crate::engine::{Everyone, Gate, Meeting, Round, Vigil};
use crate::host::memory::{self, Fault, Region, Span, transfer_start};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Failure, Result};
use crate::mpi::failure::attributes;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::envelope;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::sync::Arc;

/// One member's part in the next turn of a communicator.
pub(super) struct Turn<'a> {
    process: &'a Process,
    comm: &'a Comm,
    meeting: &'a Meeting,
    round: &'a Round,
    turn: u32,
    me: usize,
    members: usize,
    /// Few members have cores of their own.
    is_small: bool,
    /// It takes place where all wait for all.
    is_common: bool,
}

/// How often such a member looks before it waits in the ordinary way.
const LOOKS: u32 = 256;

impl<'a> Turn<'a> {
    /// Who goes this way on `comm`, as far as all its members know alike; `None` where nobody does,
    /// or something is unusual.
    #[inline]
    pub(super) fn crowd(process: &Process, comm: &Comm) -> Option<Crowd> {
        let (world, engine) = (process.world, &process.engine);
        let crowd = Crowd::among(comm.group.len(), world.ranks_per_core());
        let is_usual = engine.is_calm()
            && comm.generation >= engine.generation()
            && !comm.is_inter()
            && comm.gaps().is_none();
        (is_usual && crowd.is_near() && !is_atomic(process, comm)).then_some(crowd)
    }

    /// This member's part in the next one, where some only give. Never moved: that would cost as
    /// much as many an operation.
    #[inline(always)]
    pub(super) fn next(process: &'a Process, comm: &'a Comm) -> Turn<'a> {
        Turn::of(process, comm, false)
    }

    /// The same where all wait for all.
    #[inline(always)]
    pub(super) fn next_of_all(process: &'a Process, comm: &'a Comm) -> Turn<'a> {
        Turn::of(process, comm, true)
    }

    #[inline(always)]
    fn of(process: &'a Process, comm: &'a Comm, is_for_all: bool) -> Turn<'a> {
        let number = comm.next_collective(process);
        let turn = u32::try_from(number).expect("operations are counted from 0");
        let (meeting, me) = (comm.meeting(process), index(comm.rank));
        let members = comm.group.len();
        let is_small = Crowd::among(members, process.world.ranks_per_core()).looks_round();
        let is_common = is_for_all && !is_small;
        let round = if is_common { meeting.common_round() } else { meeting.round(turn) };
        Turn { process, comm, meeting, round, turn, me, members, is_small, is_common }
    }

    /// Comes to it; fails where others have come to something else than this member claims.
    #[inline(always)]
    pub(super) fn come(&self, claim: Claim) -> Result {
        if claim::are_compared() {
            let number = self.turn as i32;
            claim::compare_at(self.process, self.comm, number, (self.me, claim))?;
        }
        self.meeting.come_in(self.turn, self.me);
        self.process.engine.step()?;
        match self.is_common || self.meeting.has_room(self.turn) {
            true => Ok(()),
            false => self.wait_for_room(),
        }
    }

    #[inline(never)]
    fn wait_for_room(&self) -> Result {
        let _ahead = self.meeting.wait_for_room(self.turn, self.me);
        self.wait(Gate::Room)
    }

    /// Lays down a copy of what this member has.
    #[inline]
    pub(super) fn put(&self, data: &Region) -> Result {
        if !self.is_common {
            self.meeting.make_ready(self.turn.wrapping_add(2), self.me);
        }
        self.judge(self.round.put(self.me, data))
    }

    /// All meet; whoever comes last does `finish` before the others go on. Where they are few,
    /// nobody does: each looks at what all have laid down.
    #[inline]
    pub(super) fn all(&self, finish: impl FnOnce(&Turn<'a>)) -> Result {
        if self.is_small {
            self.round.line(self.me).show(self.turn);
            self.meeting.ring_few(self.me);
            return self.wait(Gate::AllShown);
        }
        let is_last = self.round.muster.arrive(self.turn, self.me);
        if !is_last {
            return self.wait(Gate::Done);
        }
        self.meeting.settle_common(self.turn);
        finish(self);
        self.round.finish(self.turn);
        self.meeting.open(self.round, Gate::Done, self.turn, self.me);
        Ok(self.process.engine.step()?)
    }

    /// The same as [`Turn::come_to`], for what members look at where they are few.
    #[inline]
    pub(super) fn all_at(&self, root: usize) -> Result {
        if !self.is_small {
            return self.come_to(root);
        }
        self.round.line(self.me).show(self.turn);
        if root == self.me {
            return self.wait(Gate::AllShown);
        }
        self.meeting.ring(root);
        Ok(self.process.engine.step()?)
    }

    /// The one at `root` waits for all; the others need not.
    #[inline]
    pub(super) fn come_to(&self, root: usize) -> Result {
        let is_last = self.round.muster.arrive(self.turn, self.me);
        if root == self.me {
            return self.wait(Gate::Full);
        }
        if is_last {
            self.meeting.ring(root);
        }
        Ok(self.process.engine.step()?)
    }

    /// What the one at `root` has laid down is there for all, who need not wait for each other.
    #[inline(always)]
    pub(super) fn shown_by(&self, root: usize) -> Result {
        let gate = Gate::Shown { place: root };
        if root == self.me {
            self.round.line(root).show(self.turn);
            self.meeting.open(self.round, gate, self.turn, root);
            return Ok(self.process.engine.step()?);
        }
        match self.round.is_open(gate, self.turn) {
            true => Ok(self.process.engine.step()?),
            false => self.wait(gate),
        }
    }

    /// What the member at `previous` has laid down for this one is there.
    #[inline]
    pub(super) fn passed_by(&self, previous: usize) -> Result {
        let gate = Gate::Passed { place: previous };
        match self.round.is_open(gate, self.turn) {
            true => Ok(self.process.engine.step()?),
            false => self.wait(gate),
        }
    }

    /// What this member has laid down is there for the one after it, if there is one.
    #[inline]
    pub(super) fn pass(&self) -> Result {
        self.round.line(self.me).show(self.turn);
        self.meeting.ring_next(self.me);
        Ok(self.process.engine.step()?)
    }

    #[inline(never)]
    fn wait(&self, gate: Gate) -> Result {
        let Turn { meeting, round, turn, comm, .. } = *self;
        let envelope = envelope(2 * comm.context() + 1, comm.rank, turn as i32);
        let vigil = Vigil { meeting, round, gate, turn, envelope, everyone: comm };
        let engine = &self.process.engine;
        let is_there = || (0..LOOKS).any(|_| round.is_open(gate, turn)) && !engine.is_stopping();
        let mishap = match self.is_small {
            true if gate != Gate::Room && is_there() => return Ok(engine.step()?),
            true => engine.keep_vigil(&vigil)?,
            false => engine.keep_short_vigil(&vigil)?,
        };
        match mishap {
            None => Ok(()),
            Some(mishap) => Err(sitting::failure(mishap)),
        }
    }

    /// Copies what is laid down.
    #[inline]
    pub(super) fn copy(&self, from: Span, into: &Region) -> Result {
        match into.span() {
            Some(into) => self.judge(memory::copy(from, into)),
            None => self.judge(transfer_start(&from.into(), into, from.bytes().min(into.bytes()))),
        }
    }

    /// Takes what all have laid down, so many bytes each, one after the other into `target`; what
    /// this member has is there already if it is in place.
    pub(super) fn take_row(&self, each: usize, target: &Region, is_in_place: bool) -> Result {
        let others = (0..self.members).filter(|place| !is_in_place || *place != self.me);
        let mut lines = others.map(|place| (place, self.round.line(place).copy()));
        lines.try_for_each(|(place, line)| self.copy(line, &target.part(place * each, each)))
    }

    /// Takes its block of `each` bytes of what the one at `root` has laid down.
    pub(super) fn take_block(&self, root: usize, each: usize, into: &Region) -> Result {
        self.copy(self.round.line(root).copy().part(each * self.me, each), into)
    }

    /// Takes its block of `each` bytes of what every member has laid down.
    pub(super) fn take_column(&self, each: usize, target: &Region) -> Result {
        let mine = each * self.me;
        let mut blocks = self.round.lines().iter().map(|line| line.copy().part(mine, each));
        match target.span() {
            Some(target) => self.judge(memory::line_up(blocks, each, target)),
            None => (0..).zip(&mut blocks).try_for_each(|(place, block): (usize, Span)| {
                self.copy(block, &target.part(place * each, each))
            }),
        }
    }

    /// Memory that is not there is this member's own.
    #[inline]
    pub(super) fn judge(&self, copied: std::result::Result<(), Fault>) -> Result {
        copied.map_err(|fault| self.process.engine.suffer(fault.address).into())
    }

    /// Goes on in the ordinary way.
    #[cold]
    pub(super) fn sit(&self, run: impl FnOnce(&Sitting<'_, '_>) -> Result) -> Result {
        let lane = self.lane();
        run(&Sitting::at(&lane, self.meeting, self.round, self.turn))?;
        lane.verdict()
    }

    /// Every member combines a part of everybody's values, where they lie, for its `target`.
    #[inline(never)]
    pub(super) fn reduce_and_keep(
        &self, sum: &Sum, bracket: Bracket, part: Part, target: &Region,
    ) -> Result {
        let lane = self.lane();
        let sitting = Sitting::at(&lane, self.meeting, self.round, self.turn);
        run::block(sitting.reduce_and_keep(sum, bracket, part, target))?;
        lane.verdict()
    }

    fn lane(&self) -> Lane<'a> {
        Lane::new(self.process, self.comm, self.turn as i32, Way::Blocking).as_turn()
    }

    pub(super) fn process(&self) -> &'a Process {
        self.process
    }

    pub(super) fn me(&self) -> usize {
        self.me
    }

    pub(super) fn members(&self) -> usize {
        self.members
    }

    /// Whether few members have cores of their own.
    pub(super) fn is_small(&self) -> bool {
        self.is_small
    }

    pub(super) fn round(&self) -> &'a Round {
        self.round
    }

    /// The news that another one has laid down another number of bytes than `mine`.
    #[cold]
    pub(super) fn disagreement(&self, mine: usize) -> Failure {
        let sizes = self.round.lines().iter().map(|line| line.bytes()).enumerate();
        let other = sizes.into_iter().find(|(_, bytes)| *bytes != mine);
        let (rank, bytes) = other.unwrap_or((self.me, mine));
        sitting::disagreement(rank, bytes, mine)
    }
}

#[inline]
fn is_atomic(process: &Process, comm: &Comm) -> bool {
    let modes = || attributes::modes(process, comm);
    process.world.rules().modes().is_some()
        && modes().is_some_and(|modes| modes.coll == CollMode::Atomic)
}

impl Everyone for Comm {
    fn roster(&self) -> Arc<dyn Roster> {
        self.everyone()
    }
}
