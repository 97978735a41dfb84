//! What a rank can wait for: a gate of a meeting, or a message; and how the deadlock detector names
//! it.

use crate::base::member::Roster;
use crate::engine::rank::operation::Ops;
use crate::engine::shared::meeting::{Enrolment, Gate, Key, Meeting, Round, Series};
use crate::transport::Envelope;
use std::sync::Arc;

/// The most ranks that are named as keeping a wait from ending.
pub(super) const MOST_NAMED: usize = 8;

/// What a member waits for, and whose death ends the wait.
pub struct MeetingWait<'a> {
    pub meeting: &'a Meeting,
    pub series: &'a Series,
    pub round: &'a Round,
    pub gate: Gate,
    pub turn: u32,
    /// The context of the operation's messages, if it had any, and the own rank.
    pub envelope: Envelope,
    pub everyone: &'a dyn Everyone,
}

/// The ranks whose death ends a wait, listed only if some rank has died.
pub trait Everyone: Send + Sync {
    fn roster(&self) -> Arc<dyn Roster>;
}

impl Everyone for Arc<dyn Roster> {
    fn roster(&self) -> Arc<dyn Roster> {
        self.clone()
    }
}

impl MeetingWait<'_> {
    /// Whether it has happened.
    #[inline]
    pub fn is_over(&self) -> bool {
        match self.gate {
            Gate::Room => self.series.has_ample_room(self.turn),
            gate => self.round.is_open(gate, self.turn),
        }
    }

    pub(super) fn watched(&self) -> Watched {
        let MeetingWait { meeting, gate, turn, envelope, .. } = *self;
        Watched::Gate(WatchedGate { key: meeting.key(), gate, turn, envelope })
    }
}

/// What a run waits for.
pub enum Awaited {
    /// A gate in a turn of a series.
    Gate {
        enrolment: Arc<Enrolment>,
        gate: Gate,
        turn: u32,
        envelope: Envelope,
    },
    /// That nobody needs the previous contents of the round.
    Room {
        enrolment: Arc<Enrolment>,
        needed: u32,
        envelope: Envelope,
    },
    Event(Arc<dyn Event>),
}

/// Something that other ranks bring about. They wake this rank when it has happened.
pub trait Event: Send + Sync {
    /// `ops`: the operations of this rank.
    fn has_happened(&self, ops: &Ops) -> bool;
    /// What is missing, for the deadlock detector.
    fn want(&self, ops: &Ops) -> Want;
}

impl Awaited {
    pub(super) fn is_over(&self, ops: &Ops) -> bool {
        match self {
            Awaited::Room { enrolment, needed, .. } => enrolment.series().are_as_far(*needed),
            Awaited::Gate { enrolment, gate, turn, .. } => {
                enrolment.series().round(*turn).is_open(*gate, *turn)
            }
            Awaited::Event(event) => event.has_happened(ops),
        }
    }

    /// What keeps the wait from ending.
    pub(super) fn wants(&self, ops: &Ops) -> Vec<Want> {
        let (enrolment, gate, turn, envelope) = match self {
            Awaited::Gate { enrolment, gate, turn, envelope } => (enrolment, gate, *turn, envelope),
            Awaited::Room { enrolment, needed, envelope } => {
                let behind = enrolment.series().behind(*needed).take(MOST_NAMED).collect();
                return wants(*envelope, true, behind);
            }
            Awaited::Event(event) => return vec![event.want(ops)],
        };
        let series = enrolment.series();
        let missing = match gate {
            Gate::Shown { place } | Gate::Passed { place } | Gate::Read { place } => vec![*place],
            _ => series.round(turn).missing(turn).take(MOST_NAMED).collect(),
        };
        wants(*envelope, false, missing)
    }
}

/// What a rank waits for, as the deadlock detector and the live view see it.
#[derive(Clone, Copy)]
pub(in crate::engine) enum Watched {
    Gate(WatchedGate),
    /// That a peer does its part.
    Peer(Want),
    /// That the messages come which its own part in an operation needs; the envelope of those that
    /// it sends.
    Part(Envelope),
}

/// A gate of a meeting.
#[derive(Clone, Copy)]
pub(in crate::engine) struct WatchedGate {
    pub(super) key: Key,
    pub(super) gate: Gate,
    pub(super) turn: u32,
    pub(super) envelope: Envelope,
}

/// A thread that waits inside a call.
pub(in crate::engine) struct Waiter {
    /// The call, by its name.
    pub(super) call: &'static str,
    /// The message that it waits for itself; `None`: for operations that are under way.
    pub(super) sought: Option<Sought>,
    /// What it waits for in a meeting or at a window.
    pub(super) watched: Option<Watched>,
}

/// A message that is waited for, and the room that there is for it; `None` for a probe.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Sought {
    pub(in crate::engine) pattern: Envelope,
    pub(in crate::engine) room: Option<usize>,
}

/// What a rank waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// The calls that its threads are in.
    pub calls: Vec<&'static str>,
    pub wants: Vec<Want>,
}

/// Something that has not happened yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    /// A message from `source`, or any.
    Message { context: u32, source: i32, tag: i32, room: Option<usize> },
    /// That `rank` receives a message.
    Receiver { context: u32, rank: i32, tag: i32 },
    /// That the program completes an operation of its own.
    Program,
    /// That a file is written.
    File,
    /// That `rank` does its part in the synchronization of a window.
    Synchronization { context: u32, rank: i32 },
    /// That the others call the same collective operation, instead of what they have called.
    Match { context: u32 },
    /// That partitions arrive from `source`.
    Partitions { context: u32, source: i32, tag: i32, missing: usize },
    /// That `rank` starts a partitioned receive.
    Start { context: u32, rank: i32, tag: i32 },
    /// That the program marks its own partitions as ready.
    Ready { context: u32, rank: i32, tag: i32, left: usize },
}

/// Where nobody is missing, and yet the wait does not end, some have come to another operation. (Or
/// it is about to end: then a thread of the process is about to run, as the kernel knows.)
pub(super) fn wants(envelope: Envelope, is_ahead: bool, missing: Vec<usize>) -> Vec<Want> {
    let Envelope { context, tag, .. } = envelope;
    let want = |place: &usize| {
        let rank = i32::try_from(*place).expect("ranks fit an int");
        match is_ahead {
            true => Want::Receiver { context, rank, tag },
            false => Want::Message { context, source: rank, tag, room: None },
        }
    };
    match missing.is_empty() {
        true => vec![Want::Match { context }],
        false => missing.iter().map(want).collect(),
    }
}
