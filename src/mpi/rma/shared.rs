//! What the members of a window share: a part for each member, which says where its memory is, who
//! has locked it, and who has told it what.
//!
//! The members find each other by the stamp of the collective call that creates the window. The
//! locks here are held for a few lines, in which no rank can end.

use crate::base::Member;
use crate::base::sync::lock_queue::{LockQueue, TargetLock};
use crate::host::memory::afar::SharedBlock;
use crate::host::memory::{Block, Span};
use crate::mpi::rma::remote::endpoint::{Endpoint, There};
use crate::mpi::rma::segment::Segment;
use crate::transport::{Showing, ShownMemory};
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Memory that the library has allocated for a member.
pub enum Memory {
    Own(Block),
    /// Others map it, too.
    Shared(SharedBlock),
}

impl Memory {
    fn span(&self) -> Span {
        match self {
            Memory::Own(block) => block.span(),
            Memory::Shared(block) => block.span(),
        }
    }
}

/// What processes have told a member in post and complete.
#[derive(Default)]
pub struct Mail {
    /// The targets that have posted, and that this member has not started to access since.
    pub posted: BTreeSet<i32>,
    /// The origins that have completed, and that this member has not waited for since.
    pub completed: BTreeSet<i32>,
}

/// One member's part of a window.
#[repr(align(64))]
pub struct Part {
    pub member: Member,
    segment: OnceLock<Segment>,
    /// What it wants to expose, before it is known where that is.
    wish: OnceLock<Segment>,
    block: OnceLock<Memory>,
    /// Where the member's memory is, if that is in another process.
    there: OnceLock<There>,
    /// Memory of it that others have found missing.
    fault: OnceLock<usize>,
    is_closed: AtomicBool,
    pub lock: TargetLock,
    pub mail: Mutex<Mail>,
    /// Held while elements are combined that the processor cannot change at once.
    pub combining: Mutex<()>,
    /// The memory that was attached to a dynamic window.
    pub attached: RwLock<Vec<Span>>,
    /// What other processes may change by asking for it.
    shown: Mutex<Vec<(usize, ShownMemory)>>,
}

impl Part {
    fn new(member: Member) -> Part {
        Part {
            member,
            segment: OnceLock::new(),
            wish: OnceLock::new(),
            block: OnceLock::new(),
            there: OnceLock::new(),
            fault: OnceLock::new(),
            is_closed: AtomicBool::new(false),
            lock: TargetLock::default(),
            mail: Mutex::default(),
            combining: Mutex::default(),
            attached: RwLock::default(),
            shown: Mutex::default(),
        }
    }

    /// The memory, once the window is there.
    #[inline(always)]
    pub fn segment(&self) -> Option<&Segment> {
        self.segment.get()
    }

    /// Exposes memory; once.
    pub fn expose(&self, segment: Segment) {
        self.segment.get_or_init(|| segment);
    }

    /// Says what it wants to expose; once.
    pub fn wish(&self, segment: Segment) {
        self.wish.get_or_init(|| segment);
    }

    pub fn wished(&self) -> Option<Segment> {
        self.wish.get().copied()
    }

    /// Makes the window the owner of a block; once.
    pub fn keep(&self, block: Memory) -> Span {
        self.block.get_or_init(|| block).span()
    }

    /// By which descriptor this process has its memory open, if others can map it.
    pub fn descriptor(&self) -> Option<i32> {
        match self.block.get() {
            Some(Memory::Shared(block)) => block.descriptor(),
            _ => None,
        }
    }

    /// Where its memory is, if that is in another process.
    #[inline(always)]
    pub fn there(&self) -> Option<&There> {
        self.there.get()
    }

    /// The memory of this member of another process: where it is mapped here, or else by its
    /// addresses there, with the process.
    pub fn reach(&self, there: &There) -> io::Result<(Segment, Option<Showing>)> {
        if let Some(mapped) = self.segment() {
            return Ok((*mapped, None));
        }
        let Some(descriptor) = there.descriptor else {
            return Ok((there.segment, Some(there.at)));
        };
        let block = SharedBlock::open(there.at.pid(), descriptor, there.segment.memory.bytes())?;
        let memory = self.keep(Memory::Shared(block));
        self.expose(Segment { memory, is_kept: true, ..there.segment });
        Ok((self.segment().copied().unwrap_or(there.segment), None))
    }

    /// Its memory is in another process; once.
    pub fn set_there(&self, there: There) {
        self.there.get_or_init(|| there);
    }

    /// Its memory at this address is not there.
    pub fn blame(&self, address: usize) {
        self.fault.get_or_init(|| address);
    }

    /// The address that others have found missing.
    pub fn fault(&self) -> Option<usize> {
        self.fault.get().copied()
    }

    /// Lets other processes change memory of this member.
    pub fn show(&self, memory: Span) {
        self.shown.lock().push((memory.address(), ShownMemory::new(memory)));
    }

    /// Takes the memory at this address back.
    pub fn hide(&self, address: usize) {
        self.shown.lock().retain(|(shown, _)| *shown != address);
    }

    /// The member has freed the window, or is dead: nobody who asks changes its memory any more.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.shown.lock().clear();
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}

/// What the members of one window share.
pub struct Shared {
    parts: Box<[Part]>,
    /// A member could not do its part of the creation.
    is_spoiled: AtomicBool,
    /// The memory of all members, where it is in one piece.
    all: OnceLock<Option<Memory>>,
    /// The target, plus one, of an exclusive lock that was overtaken too often; 0: there is none.
    starving: AtomicU32,
    /// Set once the window is there, if its members are in several processes.
    endpoint: OnceLock<Endpoint>,
}

impl Shared {
    pub fn new(members: impl Iterator<Item = Member>) -> Shared {
        let parts = members.map(Part::new).collect();
        Shared {
            parts,
            is_spoiled: AtomicBool::new(false),
            all: OnceLock::new(),
            starving: AtomicU32::new(0),
            endpoint: OnceLock::new(),
        }
    }

    /// Where this process writes to others, and hears of them.
    #[inline(always)]
    pub fn endpoint(&self) -> Option<&Endpoint> {
        self.endpoint.get()
    }

    /// The members are in several processes; once.
    pub fn set_endpoint(&self, endpoint: Endpoint) -> &Endpoint {
        self.endpoint.get_or_init(|| endpoint)
    }

    /// The rank of a member.
    pub fn rank_of(&self, member: Member) -> Option<i32> {
        let place = self.parts.iter().position(|part| part.member == member)?;
        Some(place as i32)
    }

    /// Whether a failure has let the member with this rank free the window.
    pub fn has_left(&self, rank: i32) -> bool {
        self.part(rank).is_closed()
    }

    /// The target whose lock is to be waited for by ranks that hold none, wherever they begin.
    #[inline(always)]
    pub fn starving(&self) -> Option<i32> {
        self.starving.load(Ordering::Relaxed).checked_sub(1).map(|rank| rank as i32)
    }

    /// Changes who holds the lock of the member with this rank, and who waits for it.
    pub fn with_queue<T>(&self, rank: i32, change: impl FnOnce(&mut LockQueue) -> T) -> T {
        let mut queue = self.part(rank).lock.queue();
        let done = change(&mut queue);
        self.note_starving(rank, queue.is_starving());
        done
    }

    /// An exclusive lock starves at this target, or does not. For threads that hold its queue, or
    /// have heard of it from another process.
    pub fn note_starving(&self, rank: i32, is_starving: bool) {
        let own = rank as u32 + 1;
        let (from, to) = if is_starving { (0, own) } else { (own, 0) };
        if self.starving.load(Ordering::Relaxed) == from {
            let (won, lost) = (Ordering::Relaxed, Ordering::Relaxed);
            // Another target may starve, too: this one has its turn later.
            let _ = self.starving.compare_exchange(from, to, won, lost);
        }
    }

    /// The part of the member with this rank.
    #[inline]
    pub fn part(&self, rank: i32) -> &Part {
        &self.parts[rank as usize]
    }

    /// The same, for a rank that was not checked.
    #[inline(always)]
    pub fn find(&self, rank: i32) -> Option<&Part> {
        self.parts.get(usize::try_from(rank).ok()?)
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub fn spoil(&self) {
        self.is_spoiled.store(true, Ordering::SeqCst);
    }

    pub fn is_spoiled(&self) -> bool {
        self.is_spoiled.load(Ordering::SeqCst)
    }

    /// One block for all members, which the first to ask allocates.
    pub fn allocate_for_all(&self, bytes: usize) -> Option<Span> {
        let block = || Block::zeroed(bytes).map(Memory::Own);
        self.all.get_or_init(block).as_ref().map(Memory::span)
    }

    /// Keeps one block for all members that this process has mapped; once.
    pub fn keep_for_all(&self, block: SharedBlock) -> Option<Span> {
        let block = || Some(Memory::Shared(block));
        self.all.get_or_init(block).as_ref().map(Memory::span)
    }
}

/// What tells one creation from all others (see `Lane::stamp`).
type Stamp = (u32, Member, i32);

/// The windows of a job that are being created.
#[derive(Default)]
pub struct Creations(Mutex<HashMap<Stamp, Weak<Shared>>>);

impl Creations {
    /// What the members of the creation with this stamp share; the first one makes it.
    pub fn meet(&self, stamp: Stamp, make: impl FnOnce() -> Shared) -> Arc<Shared> {
        let mut creations = self.0.lock();
        if let Some(found) = creations.get(&stamp).and_then(Weak::upgrade) {
            return found;
        }
        let made = Arc::new(make());
        creations.insert(stamp, Arc::downgrade(&made));
        made
    }

    /// All members have met, or the creation has failed.
    pub fn forget(&self, stamp: Stamp) {
        self.0.lock().remove(&stamp);
    }
}
