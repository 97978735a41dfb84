//! Homes: the worlds that ranks are born into. The first is the one that the job begins with; each
//! spawn makes another. Every world recovers for itself, so all that its recoveries share is here.

use crate::engine::shared::recovery_cache::RecoveryCache;
use crate::fault::{Annals, Record};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// One world, in all of its generations.
pub struct Home {
    /// The context that its MPI_COMM_WORLD has had at first: no other world has that.
    context: u32,
    seats: Range<usize>,
    /// The incarnation with which its ranks began: others have lived in its seats before.
    first: u32,
    /// The latest generation that a rank is on the way to.
    called: AtomicU64,
    /// What all members of a recovery conclude.
    pub cache: RecoveryCache,
    /// What recoveries have settled for good, for all ranks.
    annals: Mutex<Annals>,
    blame: Mutex<Blame>,
}

/// The exit statuses of ranks whose failures were not made up for.
#[derive(Default)]
struct Blame {
    first: Option<i32>,
    /// The first of a rank that had left MPI before it failed.
    of_who_had_left: Option<i32>,
    /// The world was given up before anybody knew of it: what becomes of it is of no matter.
    is_disowned: bool,
}

impl Home {
    pub(super) fn new(context: u32, seats: Range<usize>, first: u32) -> Home {
        Home {
            context,
            seats,
            first,
            called: AtomicU64::new(0),
            cache: RecoveryCache::default(),
            annals: Mutex::default(),
            blame: Mutex::default(),
        }
    }

    /// What tells it from other worlds.
    pub fn context(&self) -> u32 {
        self.context
    }

    /// The seats of its ranks.
    pub fn seats(&self) -> Range<usize> {
        self.seats.clone()
    }

    /// The incarnation with which its ranks began.
    #[inline]
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Whether the ranks of this seat belong to it.
    #[inline]
    pub fn has(&self, seat: usize) -> bool {
        self.seats.contains(&seat)
    }

    /// The latest generation that a rank is on the way to.
    #[inline]
    pub fn called(&self) -> u64 {
        self.called.load(Ordering::SeqCst)
    }

    /// A rank is on the way to `generation`; true if that is news.
    pub(super) fn call_to(&self, generation: u64) -> bool {
        self.called.fetch_max(generation, Ordering::SeqCst) < generation
    }

    /// Files what `record` need not hold: ranks keep it together.
    pub fn file(&self, record: &mut Record) {
        let (before, losses) = record.file();
        self.annals.lock().keep(before, &losses);
    }

    /// The ranks that have failed, as `record` has them, in order.
    pub fn losses(&self, record: &Record) -> Vec<usize> {
        let annals = self.annals.lock();
        let recent = record.events().map(|loss| loss.rank);
        annals.first(record.filed()).chain(recent).collect()
    }

    /// A rank has failed with this status; or it has left MPI, and then ended with it.
    pub(super) fn blame(&self, status: i32, has_left: bool) {
        let mut blame = self.blame.lock();
        if blame.is_disowned {
            return;
        }
        blame.first.get_or_insert(status);
        if has_left {
            blame.of_who_had_left.get_or_insert(status);
        }
    }

    /// What failures there were, its ranks go on without harm. Who had left MPI has nobody to make
    /// up for it.
    pub fn forgive(&self) {
        let mut blame = self.blame.lock();
        blame.first = blame.of_who_had_left;
    }

    /// Nobody will hear of this world: its failures do not count.
    pub(super) fn disown(&self) {
        *self.blame.lock() = Blame { is_disowned: true, ..Blame::default() };
    }

    /// The exit status of the first rank whose failure was not made up for.
    pub(super) fn status(&self) -> Option<i32> {
        self.blame.lock().first
    }
}
