//! What a process knows of a window's members in other processes, and how it writes to them.

use super::notes::{Answer, Note, Word};
use crate::base::Member;
use crate::engine::World;
use crate::mpi::rma::segment::Segment;
use crate::transport::Showing;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a process knows of a member's memory in another process.
#[derive(Debug)]
pub struct There {
    pub at: Showing,
    /// By which descriptor that process has it open, if it can be mapped.
    pub descriptor: Option<i32>,
    /// By its addresses there.
    pub segment: Segment,
}

/// A member's end of what is written about one window.
pub struct Endpoint {
    /// The context of the window's communicator, by which notes name the window.
    pub(super) window: u32,
    pub(super) me: i32,
    pub(super) member: Member,
    /// The members whose locks have been granted.
    pub(super) granted: Mutex<BTreeSet<i32>>,
    /// What was told last: whether an exclusive lock of the own memory starves.
    pub(super) is_starving: Mutex<bool>,
    tickets: AtomicU64,
    /// The questions that wait for answers, and those that have some.
    pub(super) answers: Mutex<HashMap<u64, Option<Answer>>>,
}

impl Endpoint {
    /// For the member with the rank `me`.
    pub fn new(window: u32, me: i32, member: Member) -> Endpoint {
        Endpoint {
            window,
            me,
            member,
            granted: Mutex::default(),
            is_starving: Mutex::default(),
            tickets: AtomicU64::new(0),
            answers: Mutex::default(),
        }
    }

    pub(super) fn write(&self, world: &World, to: Member, word: Word) {
        let note = Note { window: self.window, word };
        let bytes = postcard::to_allocvec(&note).expect("notes are made of plain data");
        world.send_note(self.member, to, &bytes);
    }

    /// This member has posted to that one, or completed.
    pub fn tell_posted(&self, world: &World, to: Member) {
        self.write(world, to, Word::Posted);
    }

    pub fn tell_completed(&self, world: &World, to: Member) {
        self.write(world, to, Word::Completed);
    }

    /// This member has freed the window, since a failure keeps all from doing so together.
    pub fn tell_left(&self, world: &World, to: Member) {
        self.write(world, to, Word::Left);
    }

    /// That member's memory at this address is missing.
    pub fn tell_missing(&self, world: &World, to: Member, address: usize) {
        self.write(world, to, Word::Missing(address as u64));
    }

    pub fn ask_for_lock(&self, world: &World, of: Member, is_exclusive: bool, has_locks: bool) {
        self.write(world, of, Word::Lock { is_exclusive, has_locks });
    }

    /// Whether the member with this rank has granted its lock; that is told once.
    pub fn take_grant(&self, rank: i32) -> bool {
        self.granted.lock().remove(&rank)
    }

    pub fn give_lock_up(&self, world: &World, of: Member) {
        self.write(world, of, Word::Unlock);
    }

    pub(super) fn new_ticket(&self) -> u64 {
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        self.answers.lock().insert(ticket, None);
        ticket
    }
}
