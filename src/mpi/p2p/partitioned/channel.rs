//! A channel: what the two ends of a partitioned message share. Whichever rank comes second copies
//! a partition, once, from the sender's memory to the receiver's.
//!
//! The ends may cut the message into different numbers of partitions. The receiver counts the bytes
//! that each of its partitions still misses; those that no byte of the sender belongs to arrive
//! with the whole message.

use crate::base::Member;
use crate::base::sync::handover::{Handover, Parts, Side};
use crate::engine::World;
use crate::host::life;
use crate::host::memory::{Fault, Region, transfer_start};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One rank's end.
pub(super) struct End {
    pub(super) member: Member,
    pub(super) data: Region,
    pub(super) partitions: usize,
    /// The memory that the rank named and that is not there, found by the other rank.
    pub(super) fault: OnceLock<usize>,
}

impl End {
    /// How many bytes a partition has.
    fn each(&self) -> usize {
        self.data.bytes().checked_div(self.partitions).unwrap_or(0)
    }
}

pub(super) struct Sending {
    pub(super) end: End,
    pub(super) parts: Parts,
}

pub(super) struct Receiving {
    pub(super) end: End,
    /// What is missing of each partition.
    missing: Box<[AtomicUsize]>,
}

impl Receiving {
    pub(super) fn new(end: End) -> Receiving {
        let missing = (0..end.partitions).map(|_| AtomicUsize::new(0)).collect();
        Receiving { end, missing }
    }

    /// A round begins: nothing has arrived.
    fn begin(&self) {
        let each = self.end.each().max(1);
        self.missing.iter().for_each(|missing| missing.store(each, Ordering::Relaxed));
    }

    pub(super) fn has_arrived(&self, partition: usize) -> bool {
        self.missing[partition].load(Ordering::Acquire) == 0
    }

    pub(super) fn missing(&self) -> usize {
        (0..self.missing.len()).filter(|partition| !self.has_arrived(*partition)).count()
    }

    /// Bytes `from..to` of the message have arrived.
    fn arrive(&self, from: usize, to: usize) {
        let (each, mut next) = (self.end.each(), from);
        while next < to {
            let partition = next / each;
            let end = to.min((partition + 1) * each);
            self.missing[partition].fetch_sub(end - next, Ordering::AcqRel);
            next = end;
        }
    }
}

/// What both ends share. The end of the rank that is later to create its request is not there yet.
pub(super) struct Channel {
    world: &'static World,
    pub(super) handover: Handover,
    pub(super) sending: OnceLock<Sending>,
    pub(super) receiving: OnceLock<Receiving>,
}

impl Channel {
    pub(super) fn new(world: &'static World) -> Channel {
        let (sending, receiving) = Default::default();
        Channel { world, handover: Handover::new(), sending, receiving }
    }

    pub(super) fn end(&self, side: Side) -> Option<&End> {
        match side {
            Side::Giver => self.sending.get().map(|sending| &sending.end),
            Side::Taker => self.receiving.get().map(|receiving| &receiving.end),
        }
    }

    /// The sender starts this round.
    pub(super) fn start_sending(&self, sending: &Sending) {
        sending.parts.begin();
        self.started(Side::Giver);
    }

    /// The receiver starts this round, and takes what is ready. An error is the address of its own
    /// memory that is not there.
    pub(super) fn start_receiving(&self, receiving: &Receiving, round: u32) -> Result<(), usize> {
        receiving.begin();
        self.started(Side::Taker);
        let Some(Sending { parts, .. }) = self.sending.get() else { return Ok(()) };
        let mut ready = (0..parts.count()).filter(|part| parts.is_ready(round, *part));
        ready.try_for_each(|part| self.hand_over(round, part, Side::Taker))
    }

    fn started(&self, side: Side) {
        let is_second = self.handover.start(side);
        let has_none = |sending: &Sending| sending.parts.count() == 0;
        if is_second && self.sending.get().is_some_and(has_none) {
            self.complete();
        }
    }

    /// Hands a partition over that is ready, if the round is on. An error is the address of memory
    /// of the calling rank that is not there.
    pub(super) fn hand_over(&self, round: u32, part: usize, by: Side) -> Result<(), usize> {
        let is_on = self.handover.enter();
        let both = self.sending.get().zip(self.receiving.get()).filter(|_| is_on);
        let outcome = match both {
            Some((sending, receiving)) if sending.parts.take(round, part) => {
                self.copy(sending, receiving, part, by)
            }
            _ => Ok(()),
        };
        if self.handover.leave() {
            self.wake();
        }
        outcome
    }

    fn copy(
        &self, sending: &Sending, receiving: &Receiving, part: usize, by: Side,
    ) -> Result<(), usize> {
        let (source, target) = (&sending.end, &receiving.end);
        let each = source.each();
        let from = (part * each).min(target.data.bytes());
        let to = (from + each).min(target.data.bytes());
        let other = if by == Side::Giver { target.member } else { source.member };
        let is_own = source.member == target.member;
        let pin = if is_own { None } else { Some(life::pin(other.seat, other.incarnation)) };
        // Without it, the other rank is dead, which ends the operation.
        if let Some(None) = pin {
            return Ok(());
        }
        let data = source.data.part(part * each, each);
        let copied = transfer_start(&data, &target.data.part(from, to - from), to - from);
        if let Err(Fault { address, in_source }) = copied {
            let owner = if in_source { Side::Giver } else { Side::Taker };
            if owner == by || is_own {
                return Err(address);
            }
            let end = self.end(owner).expect("both are there");
            end.fault.get_or_init(|| address);
            self.world.wake(end.member.seat);
            return Ok(());
        }
        match each {
            0 if source.partitions == target.partitions && target.each() == 0 => {
                receiving.missing[part].store(0, Ordering::Release);
            }
            _ => receiving.arrive(from, to),
        }
        if sending.parts.is_last() {
            self.complete();
        }
        Ok(())
    }

    /// The whole message is there, and with it what no byte belongs to.
    fn complete(&self) {
        let sent = self.sending.get().map_or(0, |sending| sending.end.data.bytes());
        if let Some(receiving) = self.receiving.get()
            && (sent < receiving.end.data.bytes() || receiving.end.each() == 0)
        {
            receiving.missing.iter().for_each(|missing| missing.store(0, Ordering::Release));
        }
        self.handover.complete();
        self.wake();
    }

    fn wake(&self) {
        let ends = [Side::Giver, Side::Taker].into_iter().filter_map(|side| self.end(side));
        ends.for_each(|end| self.world.wake(end.member.seat));
    }
}
