//! What the tools interface reads and sets of messages of a rank: message counts by the way that
//! they go, lengths of queues, the limit of eager messages, an observer of deaths and arrivals.
//! `instruments` has the calls.
//!
//! Message counts are plain numbers under the lock of the state. The fast path counts its messages
//! only; as long as a tool wants all counts, messages do not take it.

use crate::base::Member;
use crate::transport::{Envelope, Load, Packet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// In a ring, or in a block beside it.
    Ring,
    /// Inside a packet.
    Packet,
    /// Straight out of the sender's memory.
    Rendezvous,
    /// In a block that was allocated for it.
    Copy,
}

/// Messages, and bytes in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub messages: u64,
    pub bytes: u64,
}

/// Counts of messages by their paths, those of collective operations included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    sent: [Count; 4],
    arrived: [Count; 4],
    /// How many messages have had to wait for a receive, and how many at the same time at most.
    pub unexpected: u64,
    pub most_unexpected: usize,
}

impl Tally {
    pub fn sent(&self, path: Path) -> Count {
        self.sent[path as usize]
    }

    pub fn arrived(&self, path: Path) -> Count {
        self.arrived[path as usize]
    }

    #[inline]
    pub(in crate::engine) fn count_sent(&mut self, path: Path, bytes: usize) {
        self.sent[path as usize].add(bytes);
    }

    #[inline]
    pub(in crate::engine) fn count_arrived(&mut self, path: Path, bytes: usize) {
        self.arrived[path as usize].add(bytes);
    }
}

impl Count {
    #[inline]
    fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
    }
}

/// The lengths of a rank's queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    pub posted: usize,
    pub unexpected: usize,
    pub unexpected_bytes: usize,
    /// Packets that this rank has sent, and whose return it waits for.
    pub awaited: u32,
}

/// Is told of what a rank notices. Locks are held: it must neither wait nor call the engine.
pub trait Observer: Send + Sync {
    fn noticed_death(&self, member: Member);
    fn arrived_unexpectedly(&self, envelope: Envelope, bytes: usize);
}

/// What the tools interface has set.
pub(in crate::engine) struct Instruments {
    /// Messages up to this length are eager.
    pub(in crate::engine) eager_limit: AtomicUsize,
    observer: OnceLock<Arc<dyn Observer>>,
    observes_deaths: AtomicBool,
    observes_arrivals: AtomicBool,
}

impl Instruments {
    /// With this eager limit, or the greatest.
    pub(in crate::engine) fn with_eager_limit(bytes: Option<usize>) -> Instruments {
        Instruments {
            eager_limit: AtomicUsize::new(bytes.map_or(Packet::ROOM, |it| it.min(Packet::ROOM))),
            observer: OnceLock::new(),
            observes_deaths: AtomicBool::new(false),
            observes_arrivals: AtomicBool::new(false),
        }
    }
}

impl Instruments {
    pub(super) fn observe(&self, observer: Arc<dyn Observer>, deaths: bool, arrivals: bool) {
        self.observer.get_or_init(|| observer);
        self.observes_deaths.store(deaths, Ordering::Relaxed);
        self.observes_arrivals.store(arrivals, Ordering::Relaxed);
    }

    pub(super) fn observes_deaths(&self) -> bool {
        self.observes_deaths.load(Ordering::Relaxed)
    }

    #[cold]
    pub(in crate::engine) fn notice_deaths(&self, dead: impl FnOnce() -> Vec<Member>) {
        if let Some(observer) = self.observer.get()
            && self.observes_deaths.load(Ordering::Relaxed)
        {
            dead().into_iter().for_each(|member| observer.noticed_death(member));
        }
    }

    #[inline]
    pub(in crate::engine) fn notice_arrival(&self, envelope: Envelope, bytes: usize) {
        if self.observes_arrivals.load(Ordering::Relaxed)
            && let Some(observer) = self.observer.get()
        {
            observer.arrived_unexpectedly(envelope, bytes);
        }
    }
}

/// The path of a message that leaves in a packet.
pub(in crate::engine) fn path_of(load: &Load<'_>) -> (Path, usize) {
    match load {
        Load::Carried(data) => (Path::Packet, data.bytes()),
        Load::Referenced(data) => (Path::Rendezvous, data.bytes()),
        Load::Attached(block) => (Path::Copy, block.len()),
    }
}

/// The path of a message that has come in a packet.
#[inline]
pub(in crate::engine) fn path_by(packet: &Packet) -> Path {
    match (packet.is_carried(), packet.is_by_reference()) {
        (true, _) => Path::Packet,
        (_, true) => Path::Rendezvous,
        _ => Path::Copy,
    }
}
