//! Performance variables: what a rank counts anyway, lengths of its queues, and counts of messages
//! by their paths. docs/TOOLS.md lists them; a test compares the names.

use super::cvars::{TUNER_BASIC, TUNER_DETAIL, USER_BASIC};
use super::errors;
use super::value::{Type, Value};
use crate::engine::{Path, Tally};
use crate::mpi::error::Result;
use crate::mpi::process::Process;

/// How a variable develops (MPI-5.0 §15.3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Level = 2,
    Size = 3,
    HighWatermark = 5,
    Counter = 7,
    Aggregate = 8,
    Timer = 9,
}

pub struct Pvar {
    pub name: &'static str,
    pub description: &'static str,
    pub category: &'static str,
    pub verbosity: i32,
    pub class: Class,
    pub value_type: Type,
    /// Whether it needs all messages to be counted, which a handle asks for when it is started.
    pub counts_all: bool,
    /// The value, or for a counter what it has counted since the rank began; times in nanoseconds.
    pub raw: fn(&'static Process) -> u64,
}

impl Pvar {
    /// Whether a handle counts from its own beginning.
    pub fn is_relative(&self) -> bool {
        matches!(self.class, Class::Counter | Class::Aggregate | Class::Timer)
    }

    /// Whether it can be neither written nor reset.
    pub fn is_readonly(&self) -> bool {
        matches!(self.class, Class::Level | Class::Size)
    }

    /// Whether it runs all the time.
    pub fn is_continuous(&self) -> bool {
        !self.counts_all
    }

    pub(super) fn value(&self, raw: u64) -> Value {
        match self.value_type {
            Type::Real => Value::Real(raw as f64 / 1e9),
            _ => Value::Size(raw),
        }
    }

    pub(super) fn raw_of(&self, value: &Value) -> Option<u64> {
        match *value {
            Value::Size(number) => Some(number),
            Value::Real(seconds) if seconds >= 0.0 => Some((seconds * 1e9) as u64),
            _ => None,
        }
    }
}

fn tally<T>(process: &Process, read: impl FnOnce(&Tally) -> T) -> T {
    read(&process.engine.tally())
}

const fn counter(
    name: &'static str, category: &'static str, raw: fn(&'static Process) -> u64,
    description: &'static str,
) -> Pvar {
    Pvar {
        name,
        description,
        category,
        verbosity: USER_BASIC,
        class: Class::Counter,
        value_type: Type::Size,
        counts_all: false,
        raw,
    }
}

const fn level(
    name: &'static str, category: &'static str, raw: fn(&'static Process) -> u64,
    description: &'static str,
) -> Pvar {
    Pvar { class: Class::Level, ..counter(name, category, raw, description) }
}

const fn by_path(
    name: &'static str, raw: fn(&'static Process) -> u64, description: &'static str,
) -> Pvar {
    Pvar { verbosity: TUNER_BASIC, ..counter(name, "paths", raw, description) }
}

/// A count that the fast path does not keep.
const fn of_all(
    name: &'static str, class: Class, raw: fn(&'static Process) -> u64, description: &'static str,
) -> Pvar {
    let verbosity = TUNER_DETAIL;
    let counter = counter(name, "paths", raw, description);
    Pvar { verbosity, class, counts_all: true, ..counter }
}

macro_rules! sent {
    ($path:ident, $what:ident) => {
        |process| tally(process, |tally| tally.sent(Path::$path).$what)
    };
}

macro_rules! arrived {
    ($path:ident, $what:ident) => {
        |process| tally(process, |tally| tally.arrived(Path::$path).$what)
    };
}

pub static PVARS: &[Pvar] = &[
    counter(
        "messages_sent",
        "messages",
        |process| process.engine.sent(),
        "messages that the program has sent",
    ),
    level(
        "unexpected_queue_length",
        "messages",
        |process| process.engine.queues().unexpected as u64,
        "messages that have arrived and wait for a receive",
    ),
    level(
        "unexpected_queue_bytes",
        "messages",
        |process| process.engine.queues().unexpected_bytes as u64,
        "bytes in messages that have arrived and wait for a receive",
    ),
    Pvar {
        class: Class::HighWatermark,
        ..counter(
            "unexpected_queue_most",
            "messages",
            |process| tally(process, |tally| tally.most_unexpected as u64),
            "the most messages that have waited for a receive at the same time",
        )
    },
    counter(
        "unexpected_messages",
        "messages",
        |process| tally(process, |tally| tally.unexpected),
        "messages that had to wait for a receive",
    ),
    level(
        "posted_queue_length",
        "messages",
        |process| process.engine.queues().posted as u64,
        "receives that wait for a message",
    ),
    level(
        "sends_awaited",
        "messages",
        |process| u64::from(process.engine.queues().awaited),
        "messages of this rank that a receiver has yet to take out of its memory",
    ),
    level(
        "messages_elsewhere",
        "messages",
        |process| process.world.messages_elsewhere() as u64,
        "messages of this process that wait for room in another, or for being read from there",
    ),
    level(
        "requests",
        "messages",
        |process| process.requests.count() as u64,
        "requests that were not completed or freed",
    ),
    by_path(
        "messages_sent_fast",
        |process| process.engine.sent_fast(),
        "short messages that have taken the fast path",
    ),
    by_path(
        "messages_sent_ring",
        sent!(Ring, messages),
        "other messages that went in a ring or beside it",
    ),
    by_path("messages_sent_packet", sent!(Packet, messages), "messages that went in a packet"),
    by_path(
        "messages_sent_rendezvous",
        sent!(Rendezvous, messages),
        "messages that stayed in the sender's memory until they were received",
    ),
    by_path(
        "messages_sent_copy",
        sent!(Copy, messages),
        "longer messages that were copied to memory of their own first",
    ),
    of_all("bytes_sent_ring", Class::Aggregate, sent!(Ring, bytes), "bytes sent in rings"),
    of_all("bytes_sent_packet", Class::Aggregate, sent!(Packet, bytes), "bytes sent in packets"),
    of_all(
        "bytes_sent_rendezvous",
        Class::Aggregate,
        sent!(Rendezvous, bytes),
        "bytes sent out of the sender's memory",
    ),
    of_all("bytes_sent_copy", Class::Aggregate, sent!(Copy, bytes), "bytes sent as copies"),
    of_all(
        "messages_arrived_ring",
        Class::Counter,
        arrived!(Ring, messages),
        "messages that have come in rings",
    ),
    of_all(
        "messages_arrived_packet",
        Class::Counter,
        arrived!(Packet, messages),
        "messages that have come in packets",
    ),
    of_all(
        "messages_arrived_rendezvous",
        Class::Counter,
        arrived!(Rendezvous, messages),
        "messages that were announced while they stayed in the sender's memory",
    ),
    of_all(
        "messages_arrived_copy",
        Class::Counter,
        arrived!(Copy, messages),
        "messages that have come as copies",
    ),
    of_all(
        "bytes_arrived_ring",
        Class::Aggregate,
        arrived!(Ring, bytes),
        "bytes that have come in rings",
    ),
    of_all(
        "bytes_arrived_packet",
        Class::Aggregate,
        arrived!(Packet, bytes),
        "bytes that have come in packets",
    ),
    of_all(
        "bytes_arrived_rendezvous",
        Class::Aggregate,
        arrived!(Rendezvous, bytes),
        "bytes of messages that were announced",
    ),
    of_all(
        "bytes_arrived_copy",
        Class::Aggregate,
        arrived!(Copy, bytes),
        "bytes that have come as copies",
    ),
    counter(
        "collectives",
        "collectives",
        |process| process.collectives(),
        "collective operations that have begun",
    ),
    counter(
        "wakeups",
        "scheduling",
        |process| u64::from(process.engine.wakings()),
        "how often a thread of the rank that waited was woken",
    ),
    level(
        "ranks_failed",
        "failures",
        |process| process.world.epoch() as u64,
        "failures in the job so far",
    ),
    level(
        "generation",
        "failures",
        |process| process.engine.generation(),
        "recoveries that this rank has behind it",
    ),
    level(
        "incarnation",
        "failures",
        |process| u64::from(process.me.incarnation),
        "lives that this rank has had before",
    ),
    counter(
        "recoveries",
        "failures",
        |process| process.recoveries.count(),
        "recoveries that this rank has taken part in",
    ),
    Pvar {
        class: Class::Timer,
        value_type: Type::Real,
        ..counter(
            "recovery_time",
            "failures",
            |process| process.recoveries.nanoseconds(),
            "seconds that this rank has spent in recoveries",
        )
    },
    Pvar {
        class: Class::Size,
        ..counter(
            "heap_bytes",
            "memory",
            |process| process.heap_bytes() as u64,
            "bytes that the rank's heap takes up, its large blocks excluded",
        )
    },
];

/// The variable with this index.
pub fn pvar(index: i32) -> Result<&'static Pvar> {
    let found = usize::try_from(index).ok().and_then(|index| PVARS.get(index));
    found.ok_or_else(|| {
        errors::INVALID_INDEX.because(format!("pvar_index is {index}, not a performance variable"))
    })
}
