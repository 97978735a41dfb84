//! What ranks of several processes and their [`Coordinator`](crate::Coordinator) tell each other.

use crate::agreement::{Decision, Value};
use crate::agreements::{Key, Summons};
use crate::chronicle::Fact;
use crate::ledger::Ledger;
use crate::loans::{Founding, Spawn};
use crate::ports::{AtPorts, Ports};
use ftmpi_base::Member;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a rank tells the coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Report {
    /// It has begun to use MPI: from now on it has failed if it ends before it has left.
    Began,
    /// It has a session open, or none any more.
    InSession(bool),
    /// It takes part in an agreement among these members.
    Contributed { key: Key, roster: Vec<Member>, course: Option<Summons>, value: Value },
    /// What it has to say to these members, each of whom says something: all of them hear it, or
    /// none does.
    Said { key: Key, roster: Vec<Member>, bytes: Vec<u8> },
    /// It cannot go on with that. `has_said`: it has said its part.
    GaveUp { key: Key, roster: Vec<Member>, has_said: bool },
    /// It has left in peace.
    Departed,
    /// It is on the way to this generation of the world that this context stands for.
    Called { home: u32, generation: u64 },
    /// It has come to know this, which is to be written down.
    Learnt(Fact),
    /// It has revoked the communicator with this context.
    Revoked { context: u32, roster: Vec<Member> },
    /// These have been spawned, and not all of their parents know: they are to end.
    Disowned(Vec<Member>),
    /// It asks for something that the whole job has once. Its numbers grow.
    Asked { number: u64, what: Ask },
}

/// What a rank asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    AtPorts(AtPorts),
    Spawn(Spawn),
}

/// What a rank hears from the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    Died(Member),
    Departed(Member),
    /// A life begins.
    Entered(Member),
    /// An agreement in which it takes part has decided.
    Decided {
        key: Key,
        decision: Arc<Decision>,
        /// The number of the agreement to which it has led: this member has contributed there.
        next: Option<u64>,
    },
    /// What all members have said, in their order; `None`: it has come to nothing for all of them.
    Heard {
        key: Key,
        all: Option<Vec<Vec<u8>>>,
    },
    Called {
        home: u32,
        generation: u64,
    },
    Revoked {
        context: u32,
        roster: Vec<Member>,
    },
    /// What this rank has asked for with that number is done; with these contexts.
    AtPorts {
        by: Member,
        number: u64,
        what: AtPorts,
        contexts: [u32; 2],
    },
    /// A world is spawned.
    Founded(Founding),
    /// There are no seats for the ranks that it has asked for with this number. `may_come`: others
    /// may leave some.
    NoSeats {
        number: u64,
        may_come: bool,
    },
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Tell(Member, Notice),
    TellAll(Notice),
    /// The survivors have agreed that these are dead: that is to be written down, if anything is.
    Write(Vec<Member>),
    /// This member is to end, which is nobody's loss.
    Disown(Member),
    /// This member is to be started, in that generation.
    Start {
        member: Member,
        generation: u64,
    },
}

/// What a rank has to know that begins now.
#[derive(Debug, Serialize, Deserialize)]
pub struct Welcome {
    pub ledger: Ledger,
    pub departed: Vec<Member>,
    /// The latest generation that a rank is on the way to, by world.
    pub called: BTreeMap<u32, u64>,
    pub revoked: Vec<(u32, Vec<Member>)>,
    /// The recovery that it is to take part in.
    pub summons: Option<Summons>,
    pub ports: Ports,
    /// The worlds that were spawned, and that others have not replaced.
    pub founded: Vec<Founding>,
}
