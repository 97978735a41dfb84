//! Windows whose members are in several processes. Each process keeps its own part of a window:
//! who has locked it, and who has told it what. The others write it notes ([`notes`]), which it
//! reads at once, even while its rank computes ([`clerk`]). Memory of other processes is mapped
//! where the library has allocated it, and read and written through the kernel where it has not;
//! what is to be atomic there its own process does ([`ask`]).

pub mod ask;
mod clerk;
pub mod meet;
mod notes;

pub use clerk::read;

use crate::base::Member;
use crate::engine::World;
use crate::host::memory::afar::SharedBlock;
use crate::mpi::rma::shared::{Part, Segment, Shared};
use notes::{Answer, Note, Word};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a process knows of a member's memory in another process.
#[derive(Debug)]
pub struct There {
    pub pid: i32,
    /// By which descriptor that process has it open, if it can be mapped.
    descriptor: Option<i32>,
    /// By its addresses there.
    pub segment: Segment,
    mapped: OnceLock<SharedBlock>,
}

impl There {
    /// Its memory: where it is mapped in this process, or else by its addresses there.
    pub fn reach(&self, part: &Part) -> io::Result<(Segment, Option<i32>)> {
        if let Some(mapped) = part.segment() {
            return Ok((*mapped, None));
        }
        let Some(descriptor) = self.descriptor else { return Ok((self.segment, Some(self.pid))) };
        let block = SharedBlock::open(self.pid, descriptor, self.segment.memory.bytes())?;
        let memory = self.mapped.get_or_init(|| block).span();
        part.expose(Segment { memory, is_kept: true, ..self.segment });
        Ok((part.segment().copied().unwrap_or(self.segment), None))
    }
}

/// The correspondence of a process about one window.
#[derive(Default)]
pub struct Desk {
    /// The context of the window's communicator, by which notes name the window.
    window: u32,
    me: i32,
    /// The members whose locks have been granted.
    granted: Mutex<BTreeSet<i32>>,
    tickets: AtomicU64,
    /// The questions that wait for answers, and those that have some.
    answers: Mutex<HashMap<u64, Option<Answer>>>,
}

impl Desk {
    /// For the member with the rank `me`.
    pub fn new(window: u32, me: i32) -> Desk {
        Desk { window, me, ..Desk::default() }
    }

    fn write(&self, world: &World, to: Member, word: Word) {
        let note = Note { window: self.window, word };
        let bytes = postcard::to_allocvec(&note).expect("notes are made of plain data");
        world.send_note(to, &bytes);
    }

    /// This member has posted to that one, or completed.
    pub fn tell_posted(&self, world: &World, to: Member) {
        self.write(world, to, Word::Posted);
    }

    pub fn tell_completed(&self, world: &World, to: Member) {
        self.write(world, to, Word::Completed);
    }

    /// The memory of `part` at this address there is missing.
    pub fn tell_missing(&self, world: &World, part: &Part, address: usize) {
        self.write(world, part.member, Word::Missing(address as u64));
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

    /// These members hold no locks of `of` any more.
    pub fn tell_dead(&self, world: &World, of: Member, dead: Vec<i32>) {
        self.write(world, of, Word::Bury(dead));
    }

    fn new_ticket(&self) -> u64 {
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        self.answers.lock().insert(ticket, None);
        ticket
    }
}

/// These members have the lock of `shared`'s own part now.
pub fn hand_over(world: &World, shared: &Shared, granted: &[i32]) {
    for rank in granted {
        let part = shared.part(*rank);
        match (shared.desk(), part.there()) {
            (Some(desk), Some(_)) => desk.write(world, part.member, Word::Granted),
            _ => world.wake(part.member.seat),
        }
    }
}
