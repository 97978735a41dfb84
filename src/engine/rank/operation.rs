//! Operations under way, and how they end.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::slab::{Key, Slab};
use crate::engine::rank::preposted::PrepostedReceives;
use crate::engine::shared::mismatch::Void;
use crate::fault::Key as Matter;
use crate::host::memory::Region;
use crate::transport::{Envelope, Ticket};
use std::pin::Pin;
use std::sync::Arc;

/// Whose death ends an operation.
#[derive(Clone)]
pub enum Watch {
    /// The one peer's.
    Peer { rank: i32, member: Member },
    /// Each member's (MPI_ANY_SOURCE): of all that wait when it is noticed, else of the next that
    /// begins, and no other; and of every one if no other member is left.
    Anyone(Arc<dyn Roster>),
    /// Any member's, with any peer (collectives).
    Everyone { rank: i32, member: Member, roster: Arc<dyn Roster> },
}

/// Why an operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The message was longer than the buffer; as much as fits was received.
    Truncated { sent: usize },
    /// This rank of the communicator is dead.
    Lost { rank: i32 },
    /// The others have begun to recover from a failure, and do not go through with this.
    Interrupted,
    /// This rank, which is dead, might have been the one to send, and nobody has acknowledged that
    /// (ULFM). Whoever waits hears of it; the receive goes on.
    Doubted { rank: i32 },
    /// The communicator was revoked (ULFM).
    Revoked,
    /// Its members have called different things.
    Mismatched(Void),
    /// A run failed; the code that started it knows how.
    Failed,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub source: i32,
    pub tag: i32,
    /// How many bytes were received.
    pub bytes: usize,
    pub is_cancelled: bool,
    pub mishap: Option<Mishap>,
}

impl Outcome {
    /// Whether a death ended the operation.
    pub(in crate::engine) fn is_lost(&self) -> bool {
        use Mishap::{Interrupted, Lost, Revoked};
        matches!(self.mishap, Some(Lost { .. } | Interrupted | Revoked))
    }
}

/// The calling rank itself cannot go on: it has been told to die, or
/// [`crate::engine::Engine::fault`] says which memory it named that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Died;

/// What an operation is doing.
pub(in crate::engine) enum Stage {
    /// A receive that has no message yet.
    Receiving {
        into: Region,
    },
    /// A receive whose message is being copied.
    Copying {
        into: Region,
    },
    /// A send whose packet is not home yet. Without a ticket it came home undelivered.
    Sending {
        ticket: Option<Ticket>,
        charge: Option<Box<Charge>>,
    },
    /// Waits until an account has no message older than `until` (see `buffered`).
    Flushing,
    /// A computation that waits for other operations (see `tasks`).
    Running(Course),
    /// Waits for the decision of an agreement (see `agreement`).
    Deciding(Matter),
    /// Ends when the program says so (see [`crate::engine::Engine::open`]).
    Open,
    /// Ends when another thread says so, or by a failure; its number (see `offload`).
    Outside(u64),
    Done(Outcome),
}

/// What a run does. It waits for nothing but [`crate::engine::Engine::ended_for`].
pub type Task = Pin<Box<dyn Future<Output = Result<Outcome, Died>> + Send>>;

/// Where a run is.
pub(in crate::engine) struct Course {
    pub(in crate::engine) task: Option<Task>,
    pub(in crate::engine) is_due: bool,
}

/// What is under way out of one attached buffer.
pub(in crate::engine) struct Account {
    /// `None`: as much as there is memory (MPI_BUFFER_AUTOMATIC).
    pub(in crate::engine) room: Option<usize>,
    pub(in crate::engine) used: usize,
    pub(in crate::engine) next: u64,
    pub(in crate::engine) pending: Vec<u64>,
    /// Operations that wait until no message older than their number is under way.
    pub(in crate::engine) flushes: Vec<(u64, Key)>,
}

#[cfg(test)]
impl Account {
    /// How many messages are under way.
    pub(in crate::engine) fn len(&self) -> usize {
        self.pending.len()
    }
}

/// What a buffered message takes up, and in which account.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Charge {
    pub(in crate::engine) account: Key,
    pub(in crate::engine) bytes: usize,
    pub(in crate::engine) number: u64,
}

pub(in crate::engine) struct Op {
    pub(in crate::engine) stage: Stage,
    pub(in crate::engine) envelope: Envelope,
    pub(in crate::engine) watch: Option<Watch>,
    /// The run that goes on when this has ended.
    pub(in crate::engine) run: Option<Key>,
    /// How many deaths had been reported in its context when it began (see [`Watch::Anyone`]).
    pub(in crate::engine) heard: u32,
    /// The rank with an unacknowledged death, for a receive from any source (ULFM).
    pub(in crate::engine) doubt: Option<i32>,
    /// The other half of an exchange.
    pub(in crate::engine) partner: Option<Key>,
    /// The program will not ask how it ended.
    pub(in crate::engine) is_orphan: bool,
}

/// The operations of a rank, as its waiting threads see them; and what is not yet one.
#[derive(Default)]
pub struct Ops(pub(in crate::engine) Slab<Op>, pub(in crate::engine) PrepostedReceives);
impl Ops {
    /// How the operation ended, if it has.
    #[inline]
    pub fn outcome(&self, op: Key) -> Option<&Outcome> {
        match &self.0.find(op)?.stage {
            Stage::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The rank whose death, not acknowledged, stands against waiting for this receive (ULFM).
    #[inline]
    pub fn doubt(&self, op: Key) -> Option<i32> {
        let op = self.0.find(op)?;
        op.doubt.filter(|_| matches!(op.stage, Stage::Receiving { .. }))
    }

    /// How the operation ended, which is forgotten then.
    #[inline]
    pub fn collect(&mut self, op: Key) -> Option<Outcome> {
        let outcome = *self.outcome(op)?;
        self.0.discard(op);
        Some(outcome)
    }

    /// Shows how the operation ended and forgets it, if it has ended well; else it stays.
    #[inline]
    pub fn collect_good(&mut self, op: Key, show: impl FnOnce(&Outcome)) -> bool {
        let Some(outcome) = self.outcome(op).filter(|outcome| outcome.mishap.is_none()) else {
            return false;
        };
        show(outcome);
        self.0.discard(op);
        true
    }

    /// The key of a preposted receive that has become an operation stands for nothing any more.
    pub fn release(&mut self, receive: Key) {
        self.1.release(receive);
    }

    #[inline]
    pub(in crate::engine) fn insert(&mut self, op: Op) -> Key {
        let Ok(key) = self.0.insert(op) else {
            panic!("a rank has fewer than four million operations under way")
        };
        key
    }
}
