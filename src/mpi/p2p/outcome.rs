//! Operations that have been started, and what the caller learns of their end.

use crate::base::slab::Key;
use crate::engine::{self, Died, Mishap, Outcome, Void};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::p2p::status::{Completed, Status};
use crate::transport::Envelope;

/// One operation that has been started.
#[derive(Clone, Copy, Debug)]
pub enum Pending {
    /// Complete, with nothing to say: most sends, and everything with MPI_PROC_NULL.
    Nothing,
    /// Complete, and this is the status.
    Complete(Status),
    Op(Key),
    /// A receive from any source, with its number in the call trace.
    Wild {
        op: Key,
        number: u32,
    },
    /// A preposted receive of a persistent request.
    Preposted(Key),
    /// A nonblocking collective operation.
    Run(Key),
    /// A round of a partitioned message.
    Partitioned(Key),
    /// Both sides of MPI_Isendrecv; the status is the receive's. A receive from any source has its
    /// number in the call trace.
    Two {
        send: Key,
        recv: Key,
        number: Option<u32>,
    },
}

impl Pending {
    /// The number in the call trace of a receive from any source.
    pub(super) fn number(self) -> Option<u32> {
        match self {
            Pending::Wild { number, .. } => Some(number),
            Pending::Two { number, .. } => number,
            _ => None,
        }
    }
}

impl From<Died> for Failure {
    fn from(_: Died) -> Failure {
        Failure::died()
    }
}

/// What a receive from MPI_PROC_NULL says (MPI-5.0 §3.10).
pub(in crate::mpi) const FROM_NOBODY: Status = Status::new(-3, engine::ANY_TAG);

pub(in crate::mpi) fn envelope(context: u32, source: i32, tag: i32) -> Envelope {
    Envelope { context, source, tag }
}

/// The failure for the death of the member with this rank.
#[cold]
pub(in crate::mpi) fn loss(rank: i32) -> Failure {
    let mishap = Some(Mishap::Lost { rank });
    news(&Outcome { mishap, ..Outcome::default() }).expect_err("a mishap is a failure")
}

/// The error of an operation that has ended, if it failed.
#[inline]
pub(in crate::mpi) fn news(outcome: &Outcome) -> Result {
    match outcome.mishap {
        None => Ok(()),
        Some(mishap) => Err(bad_news(outcome, mishap)),
    }
}

#[cold]
fn bad_news(outcome: &Outcome, mishap: Mishap) -> Failure {
    let Outcome { source, tag, bytes: room, .. } = outcome;
    match mishap {
        Mishap::Lost { rank } => {
            Class::PROC_ABORTED.because(format!("rank {rank} of the communicator has died"))
        }
        Mishap::Interrupted => {
            Class::PROC_ABORTED.because("the other ranks have begun to recover from a failure")
        }
        Mishap::Doubted { rank } => Class::PROC_ABORTED.because(format!(
            "rank {rank} of the communicator has died, who might have sent; that is not \
             acknowledged"
        )),
        Mishap::Revoked => revoked(),
        Mishap::Mismatched(Void { class, words }) => Class(class).because(words),
        Mishap::Failed => {
            Class::INTERN.because("an invariant of the library does not hold; please report this")
        }
        Mishap::Truncated { sent } => Class::TRUNCATE.because(format!(
            "the message from rank {source} with tag {tag} has {sent} bytes; \
             the receive buffer has room for {room}"
        )),
    }
}

#[cold]
pub(in crate::mpi) fn revoked() -> Failure {
    Class::REVOKED.because("the communicator has been revoked by one of its processes")
}

/// What is told of a receive that goes on although this rank might have been the one to send.
#[cold]
pub(in crate::mpi) fn doubted(rank: i32) -> Failure {
    Class::PROC_FAILED_PENDING.because(format!(
        "rank {rank} of the communicator has died, who might have sent; once that is \
         acknowledged, the receive can be waited for again"
    ))
}

/// What the caller learns of an operation that has ended.
#[inline]
pub(in crate::mpi) fn completed(outcome: &Outcome) -> Completed {
    Completed { status: status_of(outcome), news: news(outcome) }
}

#[inline]
pub(in crate::mpi) fn status_of(outcome: &Outcome) -> Status {
    let mut status = Status::new(outcome.source, outcome.tag);
    status.set_bytes(outcome.bytes as i64);
    status.set_cancelled(outcome.is_cancelled);
    status
}

/// A message that was matched and is to be received, or why there will be none.
pub type Match = std::result::Result<Option<engine::Held>, Completed>;
