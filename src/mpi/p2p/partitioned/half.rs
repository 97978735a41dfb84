//! One rank's half of a partitioned message: what its request keeps between starts.

use super::channel::Channel;
use super::remote::{Giving, Taking};
use crate::base::Member;
use crate::base::sync::handover::Side;
use crate::engine::{Event, Mishap, Ops, Outcome, Want, Watch};
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::status::Status;
use crate::transport::Envelope;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// One rank's half.
pub struct Half {
    pub(super) side: Side,
    pub(super) partitions: usize,
    pub(super) other: Other,
}

/// Where the other half is.
pub(super) enum Other {
    /// With MPI_PROC_NULL.
    Nobody,
    /// In this process.
    Here(Arc<Link>),
    /// In another process, which sends to this rank.
    Sender(Arc<Taking>),
    /// In another process, to which this rank sends.
    Receiver(Arc<Giving>),
}

/// What leads to the other half in this process.
pub(super) struct Link {
    pub(super) channel: Arc<Channel>,
    pub(super) side: Side,
    /// How often this half has been started.
    pub(super) rounds: AtomicU32,
    /// Whether this rank has closed the channel because of a failure.
    pub(super) is_leaving: AtomicBool,
    /// Of the message: its source is the sender's rank.
    pub(super) envelope: Envelope,
    /// The other rank.
    pub(super) rank: i32,
    pub(super) peer: Member,
}

impl Half {
    pub(super) fn must_be(&self, side: Side) -> Result {
        let words = match (self.side, side) {
            (Side::Taker, Side::Giver) => "request is of a partitioned receive, not of a send",
            (Side::Giver, Side::Taker) => "request is of a partitioned send, not of a receive",
            _ => return Ok(()),
        };
        Err(Class::REQUEST.because(words))
    }

    /// Fails unless there is such a partition.
    pub(super) fn index(&self, name: &str, partition: i64) -> Result<usize> {
        let index = usize::try_from(partition).ok().filter(|index| *index < self.partitions);
        index.ok_or_else(|| {
            let words = match self.partitions {
                0 => "the request has no partitions".to_string(),
                count => format!("the request has partitions 0 to {}", count - 1),
            };
            Class::ARG.because(format!("{name} is {partition}; {words}"))
        })
    }

    /// Whether a partition of an active receive has arrived.
    pub(super) fn has_arrived(&self, partition: usize) -> bool {
        match &self.other {
            Other::Here(link) => link.has_arrived(partition),
            Other::Sender(taking) => taking.has_arrived(partition),
            Other::Nobody | Other::Receiver(_) => true,
        }
    }

    /// Whether it certainly has, without asking the engine: for those who hold a lock.
    #[inline]
    pub(super) fn has_surely_arrived(&self, partition: usize) -> bool {
        !matches!(self.other, Other::Sender(_)) && self.has_arrived(partition)
    }

    /// How a round ends that is complete.
    pub(super) fn outcome(&self) -> Outcome {
        match &self.other {
            Other::Nobody => Outcome::default(),
            Other::Here(link) => link.outcome(),
            Other::Receiver(giving) => giving.outcome(),
            Other::Sender(taking) => taking.outcome(),
        }
    }
}

impl Link {
    /// Whether a partition of an active receive has arrived.
    pub(super) fn has_arrived(&self, partition: usize) -> bool {
        let receiving = self.channel.receiving.get();
        receiving.is_none_or(|receiving| receiving.has_arrived(partition))
    }

    /// Begins the next round, and tells its number.
    pub(super) fn begin(&self) -> u32 {
        self.rounds.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    pub(super) fn round(&self) -> u32 {
        self.rounds.load(Ordering::Relaxed)
    }

    pub(super) fn watch(&self) -> Watch {
        Watch::Peer { rank: self.rank, member: self.peer }
    }

    /// Memory that this rank named and the other did not find.
    pub(super) fn fault(&self) -> Option<usize> {
        self.channel.end(self.side)?.fault.get().copied()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.channel.handover.has_completed(self.round())
    }

    /// A failure ends the round: no more is copied. True once nobody copies any more, so that this
    /// rank's memory is its program's again.
    pub(super) fn leave(&self) -> bool {
        self.is_leaving.store(true, Ordering::Relaxed);
        self.channel.handover.close();
        self.channel.handover.is_quiet()
    }

    /// How a round ends that is complete.
    pub(super) fn outcome(&self) -> Outcome {
        let bytes = |side| self.channel.end(side).map_or(0, |end| end.data.bytes());
        let (sent, room) = (bytes(Side::Giver), bytes(Side::Taker));
        let Envelope { source, tag, .. } = self.envelope;
        match self.side {
            Side::Giver => {
                let Status { source, tag, .. } = Status::PLAIN;
                Outcome { source, tag, ..Outcome::default() }
            }
            Side::Taker => {
                let mishap = (sent > room).then_some(Mishap::Truncated { sent });
                Outcome { source, tag, bytes: sent.min(room), is_cancelled: false, mishap }
            }
        }
    }

    /// How a round ends that a failure ends.
    pub(super) fn failed(&self, mishap: Mishap) -> Outcome {
        let Envelope { mut source, tag, .. } = self.envelope;
        if let Mishap::Lost { rank } = mishap {
            source = rank;
        }
        Outcome { source, tag, mishap: Some(mishap), ..Outcome::default() }
    }
}

impl Event for Link {
    fn has_happened(&self, _: &Ops) -> bool {
        let is_over = || self.is_complete() || self.fault().is_some();
        let has_left = || self.is_leaving.load(Ordering::Relaxed);
        is_over() || has_left() && self.channel.handover.is_quiet()
    }

    fn want(&self, _: &Ops) -> Want {
        let Envelope { context, source, tag } = self.envelope;
        let rank = self.rank;
        if let Some(receiving) = self.channel.receiving.get().filter(|_| self.side == Side::Taker) {
            let missing = receiving.missing();
            return Want::Partitions { context, source, tag, missing };
        }
        let sending = self.channel.sending.get();
        match sending.map_or(0, |sending| sending.parts.unready(self.round())) {
            0 => Want::Start { context, rank, tag },
            left => Want::Ready { context, rank, tag, left },
        }
    }
}
