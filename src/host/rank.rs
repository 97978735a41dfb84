//! One incarnation of a rank: the state that belongs to it alone.

use crate::host::fiber;
use crate::host::heap::Heap;
use crate::host::life::{Life, Newcomer, Pulse};
use crate::host::loader::Images;
use crate::host::shims::LibcState;
use crate::host::signals::Dispositions;
use std::any::Any;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

/// One life of one rank. The record is freed when the rank is buried: it is `'static` for the
/// rank's threads, which are gone by then, and for the supervisor. Others
/// [visit](super::life::Visit) it.
pub struct Rank {
    pub seat: usize,
    /// 0 for the first life in a seat, then 1, 2, …
    pub incarnation: u32,
    /// The incarnation with which the rank's world began in this seat.
    pub first: u32,
    /// Whether this rank is to die at its next MPI call.
    pub pulse: Pulse,
    pub(super) images: Images,
    pub(super) heap: Heap,
    pub(super) libc: LibcState,
    pub(super) life: Life,
    pub(super) signals: Dispositions,
    /// The next in the supervisor's queue.
    pub(super) next: AtomicPtr<Rank>,
    attached: OnceLock<Attached>,
}

type Attached = Box<dyn Any + Send + Sync>;

thread_local! {
    static CURRENT: Cell<Option<&'static Rank>> = const { Cell::new(None) };
}

/// The rank of the calling thread; `None` in the host's own threads and in a world of one.
#[inline]
pub fn current() -> Option<&'static Rank> {
    CURRENT.get()
}

/// Does what [`current`] does, for code that tools run before the process is ready for
/// thread-local variables: there are no ranks then.
pub(super) fn current_if_any() -> Option<&'static Rank> {
    // Inlined, it may ask where the variable is before it looks whether it may.
    #[inline(never)]
    fn ask() -> Option<&'static Rank> {
        current()
    }
    if ARE_THERE.load(Ordering::Relaxed) { ask() } else { None }
}

/// Whether any thread has belonged to a rank.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// Makes the calling thread a thread of `rank`; threads that a rank starts inherit it this way.
pub(super) fn adopt(rank: Option<&'static Rank>) {
    ARE_THERE.store(true, Ordering::Relaxed);
    CURRENT.set(rank);
}

/// Starts a host thread by `start`, whichever thread calls this. A thread started by a rank would
/// belong to the rank: the rank would wait for it at its end, and would become an OS thread, even
/// while it waits in a row of fibers.
pub(super) fn as_host<T>(start: impl FnOnce() -> T) -> T {
    let rank = CURRENT.replace(None);
    let started = start();
    CURRENT.set(rank);
    started
}

/// What libc keeps once per process, of the rank whose thread this is.
#[inline]
pub(super) fn libc_state() -> Option<&'static LibcState> {
    current().map(|rank| &rank.libc)
}

impl Rank {
    pub(super) fn new(seat: usize, who: Newcomer, images: Images, life: Life) -> Rank {
        Rank {
            seat,
            incarnation: who.incarnation,
            first: who.first,
            pulse: Pulse::default(),
            images,
            heap: Heap::new(seat),
            libc: LibcState::new(seat),
            life,
            signals: Dispositions::default(),
            next: AtomicPtr::default(),
            attached: OnceLock::new(),
        }
    }

    /// How many lives the rank has had before this one.
    pub fn past_lives(&self) -> u32 {
        self.incarnation - self.first
    }

    /// When it ended, if it has.
    pub fn ended_at(&self) -> Option<Instant> {
        self.life.ended_at()
    }

    /// How many bytes its heap takes up, large blocks excluded.
    pub fn heap_bytes(&self) -> usize {
        self.heap.footprint()
    }

    /// Whether other processes may use its memory.
    pub fn is_shown(&self) -> bool {
        self.life.is_shown()
    }

    /// How long it has lived, or did.
    pub fn age(&self) -> Duration {
        self.life.age()
    }

    /// The value that the floor above has attached to this rank, if any.
    pub fn attached<T: 'static>(&self) -> Option<&T> {
        self.attached.get()?.downcast_ref()
    }

    /// This rank's copy of what ld.so loaded at `address`; `None` where all ranks share it.
    pub fn translate(&self, address: usize) -> Option<usize> {
        self.images.translate(address)
    }

    /// The value that the floor above attaches to this rank, made at the first call.
    pub fn attach<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> &T {
        let attached = self.attached.get_or_init(|| fiber::aside(|| Box::new(make()) as Attached));
        attached.downcast_ref().expect("one type of attached per job")
    }
}
