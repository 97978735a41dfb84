//! Events that have happened and that callbacks have yet to hear of. They are noted where they
//! happen, under whatever locks, and delivered where the rank leaves its next call, with nothing
//! held: the bit of the rank's pulse says that there are some.

use super::value::{ARRIVED, BEGUN, Enumeration, FAILED, RECOVERED, Type};
use crate::base::Member;
use crate::engine::{Observer, World};
use crate::host::life::Pulse;
use crate::transport::Envelope;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A type of events.
pub struct EventType {
    pub name: &'static str,
    pub description: &'static str,
    /// Which source it comes from.
    pub source: usize,
    pub elements: &'static [Type],
    pub names: &'static Enumeration,
    pub verbosity: i32,
}

pub const RANK_FAILED: usize = 0;
pub const RECOVERY_BEGUN: usize = 1;
pub const RECOVERY_DONE: usize = 2;
pub const UNEXPECTED_MESSAGE: usize = 3;

pub static EVENTS: [EventType; 4] = [
    EventType {
        name: "rank_failed",
        description: "this rank has noticed that a rank of the job has failed",
        source: 0,
        elements: &[Type::Int, Type::Int],
        names: &FAILED,
        verbosity: 9,
    },
    EventType {
        name: "recovery_begun",
        description: "this rank begins to take part in a recovery of MPI_COMM_WORLD",
        source: 0,
        elements: &[Type::Int],
        names: &BEGUN,
        verbosity: 9,
    },
    EventType {
        name: "recovery_done",
        description: "MPI_COMM_WORLD has recovered, and goes on with these ranks",
        source: 0,
        elements: &[Type::Int, Type::Int],
        names: &RECOVERED,
        verbosity: 9,
    },
    EventType {
        name: "unexpected_message",
        description: "a message has arrived that no receive has asked for yet",
        source: 1,
        elements: &[Type::Int, Type::Int, Type::Count],
        names: &ARRIVED,
        verbosity: 17,
    },
];

/// A source of events.
pub struct Source {
    pub name: &'static str,
    pub description: &'static str,
}

pub static SOURCES: [Source; 2] = [
    Source { name: "failures", description: "failures and recoveries, as this rank notices them" },
    Source { name: "messages", description: "messages, as this rank takes them in" },
];

/// Events are stamped in nanoseconds of the job.
pub const TICKS_PER_SECOND: i64 = 1_000_000_000;

/// The most events that wait. Later ones are dropped, and counted.
const MOST: usize = 1024;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: usize,
    pub at: i64,
    pub elements: [i64; 3],
}

/// The events of a rank.
pub struct EventQueue {
    world: &'static World,
    pulse: Pulse,
    /// A bit for each type that somebody listens to.
    wanted: AtomicU32,
    waiting: Mutex<Waiting>,
    is_delivering: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    dropped: [i64; EVENTS.len()],
    /// The event that a callback hears of now, by the number of its instance.
    told: Option<(u32, Event)>,
    instances: u32,
}

impl EventQueue {
    pub fn new(world: &'static World, pulse: Pulse) -> EventQueue {
        let (wanted, is_delivering) = (AtomicU32::new(0), AtomicBool::new(false));
        EventQueue { world, pulse, wanted, waiting: Mutex::default(), is_delivering }
    }

    /// Nanoseconds since the job began.
    pub fn now(&self) -> i64 {
        i64::try_from(self.world.age().as_nanos()).unwrap_or(i64::MAX)
    }

    /// From now on, the events of these types are wanted, a bit for each.
    pub(super) fn want(&self, wanted: u32) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Notes an event, if somebody listens.
    pub fn note(&self, kind: usize, elements: [i64; 3]) {
        if self.wanted.load(Ordering::Relaxed) & 1 << kind == 0 {
            return;
        }
        let event = Event { kind, at: self.now(), elements };
        let mut waiting = self.waiting.lock();
        match waiting.events.len() < MOST {
            true => waiting.events.push_back(event),
            false => waiting.dropped[kind] += 1,
        }
        drop(waiting);
        self.pulse.announce();
    }

    /// The calling thread delivers, if no other does. What is noted from now on is announced anew.
    pub(super) fn begin(&self) -> bool {
        let is_alone = !self.is_delivering.swap(true, Ordering::Acquire);
        if is_alone {
            self.pulse.take_announcement();
        }
        is_alone
    }

    pub(super) fn end(&self) {
        self.is_delivering.store(false, Ordering::Release);
    }

    /// How many events of each type were dropped since this was last asked.
    pub(super) fn dropped(&self) -> [i64; EVENTS.len()] {
        std::mem::take(&mut self.waiting.lock().dropped)
    }

    /// The next event, and the number of the instance that callbacks know it by.
    pub(super) fn next(&self) -> Option<(u32, Event)> {
        let mut waiting = self.waiting.lock();
        let event = waiting.events.pop_front();
        waiting.instances = waiting.instances % (u32::MAX - 1) + 1;
        waiting.told = event.map(|event| (waiting.instances, event));
        waiting.told
    }

    /// The event of an instance whose callbacks are being called.
    pub(super) fn told(&self, instance: u32) -> Option<Event> {
        self.waiting.lock().told.filter(|(number, _)| *number == instance).map(|(_, event)| event)
    }
}

impl Observer for EventQueue {
    fn noticed_death(&self, member: Member) {
        self.note(RANK_FAILED, [member.seat as i64, i64::from(member.incarnation), 0]);
    }

    fn arrived_unexpectedly(&self, envelope: Envelope, bytes: usize) {
        let Envelope { context, source, tag } = envelope;
        // Messages of collective operations have contexts of their own (see `Comm::context`).
        if context % 2 == 0 {
            self.note(UNEXPECTED_MESSAGE, [source.into(), tag.into(), bytes as i64]);
        }
    }
}
