//! Partitioned messages to and from ranks in other processes. Each partition of the sender travels
//! as a message of its own, with a tag of its own.
//!
//! | message  | from     | when                      | tag                                        |
//! |----------|----------|---------------------------|--------------------------------------------|
//! | greeting | sender   | its request is created    | the program's                              |
//! | data     | sender   | a partition is ready      | one of a row that the greeting tells of    |
//! | start    | receiver | it starts, and was greeted| the first of that row                      |
//!
//! The receiver posts a receive for the greeting when it creates its request. So greetings match in
//! the order in which both sides create their requests, which is what MPI asks for (MPI-5.0
//! §4.2.3), and creating stays local. A sender sends what is ready whether its peer has started or
//! not, so what is ready before a death arrives. Its round is complete only when its peer has
//! started, too: so it is never more than one round ahead.
//!
//! All of this travels in the context of collectives, which a revocation ends as well, with sources
//! that no rank has (`Envelope::between_halves`).

mod giving;
mod greeting;
mod tags;
mod taking;

pub(super) use giving::Giving;
pub(super) use taking::Taking;

use crate::base::Member;
use crate::base::slab::Key;
use crate::engine::{Engine, Letter, Mishap, Ops, Outcome, Watch};
use crate::transport::{Between, Envelope};

/// The way to the other half.
pub(super) struct Way {
    pub(super) engine: &'static Engine,
    /// Of the message as the program sees it: its source is the sender's rank.
    pub(super) envelope: Envelope,
    /// The own rank.
    pub(super) own: i32,
    /// The other rank.
    pub(super) rank: i32,
    pub(super) peer: Member,
}

impl Way {
    fn watch(&self) -> Watch {
        Watch::Peer { rank: self.rank, member: self.peer }
    }

    fn letter(&self, kind: Between, tag: i32) -> Letter<'static> {
        let envelope = Envelope::between_halves(self.envelope.context, self.own, kind, tag);
        Letter { envelope, to: self.peer, rank: self.rank, everyone: None }
    }

    fn pattern(&self, kind: Between, tag: i32) -> Envelope {
        Envelope::between_halves(self.envelope.context, self.rank, kind, tag)
    }

    fn objection(&self) -> Option<Mishap> {
        self.engine.objection_to(self.envelope, &self.watch())
    }

    /// How a round ends that a failure ends.
    fn failed(&self, mishap: Mishap) -> Outcome {
        let Envelope { mut source, tag, .. } = self.envelope;
        let mishap = match mishap {
            Mishap::Lost { .. } => {
                source = self.rank;
                Mishap::Lost { rank: self.rank }
            }
            other => other,
        };
        Outcome { source, tag, mishap: Some(mishap), ..Outcome::default() }
    }
}

/// The messages of a round that are under way, and the first ones that are known to have ended.
#[derive(Default)]
struct Messages {
    keys: Vec<Key>,
    ended: usize,
}

impl Messages {
    fn have_ended(&mut self, ops: &Ops) -> bool {
        let has_ended = |key: &&Key| ops.outcome(**key).is_some();
        self.ended += self.keys[self.ended..].iter().take_while(has_ended).count();
        self.ended == self.keys.len()
    }
}

/// Why a message failed, if it did. One that is longer than its room has arrived.
fn mishap_of(outcome: &Outcome) -> Option<Mishap> {
    let is_cancelled = outcome.is_cancelled.then_some(Mishap::Interrupted);
    let mishap = outcome.mishap.filter(|mishap| !matches!(mishap, Mishap::Truncated { .. }));
    mishap.or(is_cancelled)
}
