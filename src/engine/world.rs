//! What the ranks of a job share: the wire between them, and the record of who is dead.

use crate::base::Member;
use crate::base::roll::{Roll, Rolls};
use crate::engine::rules::Rules;
use crate::fault::Ledger;
use crate::transport::{Port, Wire};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::Instant;

/// One job in this process.
pub struct World {
    wire: &'static Wire,
    ledger: Mutex<Ledger>,
    /// How many have died: looked at by everybody, all the time.
    epoch: AtomicUsize,
    /// Whether anybody can wait: some rank has an engine.
    is_in_use: AtomicBool,
    cores: usize,
    started: Instant,
    contexts: AtomicU32,
    rolls: Rolls,
    rules: Rules,
    /// Knows the name of the call that the calling thread is in.
    call: OnceLock<fn() -> &'static str>,
}

/// The contexts of MPI_COMM_WORLD and MPI_COMM_SELF are 0 and 1.
const FIRST_FREE_CONTEXT: u32 = 2;

/// From here on are those of processes that have no communicator yet.
pub const CONTEXTS: u32 = 1 << 30;

impl World {
    /// A world of `seats` ranks, none of which has entered yet.
    pub fn new(seats: usize) -> World {
        let cores = available_parallelism().map_or(1, usize::from);
        World {
            wire: Wire::new(seats),
            ledger: Mutex::new(Ledger::new(seats)),
            epoch: AtomicUsize::new(0),
            is_in_use: AtomicBool::new(false),
            cores,
            started: Instant::now(),
            contexts: AtomicU32::new(FIRST_FREE_CONTEXT),
            rolls: Rolls::default(),
            rules: Rules::default(),
            call: OnceLock::new(),
        }
    }

    /// How many seats there are.
    pub fn size(&self) -> usize {
        self.wire.size()
    }

    /// How this job takes failures.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    /// A context that no communicator of this job has had.
    pub fn fresh_context(&self) -> u32 {
        let context = self.contexts.fetch_add(1, Ordering::Relaxed);
        assert!(context < CONTEXTS, "a job makes fewer communicators than that");
        context
    }

    /// The list of these members, which all ranks share.
    pub fn enrol(&self, members: Vec<Member>) -> Arc<Roll> {
        self.rolls.enrol(members)
    }

    /// How threads that wait are to find out in which call.
    pub fn name_calls(&self, call: fn() -> &'static str) {
        self.call.get_or_init(|| call);
    }

    /// The call that the calling thread is in.
    #[inline]
    pub(super) fn call(&self) -> &'static str {
        self.call.get().map_or("a call", |call| call())
    }

    /// A life begins in `seat`: what was sent to the one before is not for it.
    pub fn enter(&self, seat: usize, incarnation: u32) {
        let has_entered = self.ledger.lock().enter(Member { seat, incarnation });
        assert!(has_entered, "a seat is free before its next incarnation comes: {seat}");
        self.wire.port(seat).open(incarnation);
    }

    /// A rank is dead: recorded once, and everybody who waits looks up.
    pub fn bury(&self, seat: usize, incarnation: u32) {
        let mut ledger = self.ledger.lock();
        if !ledger.bury(Member { seat, incarnation }) {
            return;
        }
        self.wire.port(seat).close();
        self.epoch.store(ledger.epoch(), Ordering::SeqCst);
        drop(ledger);
        // Many ranks that never call MPI end in no time.
        if self.is_in_use.load(Ordering::SeqCst) {
            (0..self.size()).for_each(|seat| self.wake(seat));
        }
    }

    /// From now on there is somebody who may wait.
    pub(super) fn put_to_use(&self) {
        self.is_in_use.store(true, Ordering::SeqCst);
    }

    /// Whoever of this seat waits inside a call looks up.
    pub fn wake(&self, seat: usize) {
        self.wire.port(seat).bell().unpark();
    }

    /// How many have died so far.
    #[inline]
    pub fn epoch(&self) -> usize {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Whether `member` lives no more.
    pub fn is_dead(&self, member: Member) -> bool {
        self.epoch() != 0 && self.ledger.lock().is_dead(member)
    }

    /// Those who died after `epoch`, in order.
    pub fn deaths_since(&self, epoch: usize) -> Vec<Member> {
        self.ledger.lock().since(epoch).to_vec()
    }

    pub(super) fn wire(&self) -> &'static Wire {
        self.wire
    }

    pub(super) fn port(&self, seat: usize) -> &'static Port {
        self.wire.port(seat)
    }

    /// Whether ranks have to share cores.
    pub(super) fn is_crowded(&self) -> bool {
        self.size() > self.cores
    }

    /// How many cores the ranks share.
    pub fn cores(&self) -> usize {
        self.cores
    }
}
