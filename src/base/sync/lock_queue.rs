//! The lock queue of one target of one-sided calls: which ranks hold its lock, and which wait.
//!
//! As long as at most one rank holds the lock and none waits, a word says so, and locking and
//! unlocking are one atomic exchange each. Otherwise the queue knows.
//!
//! | `word`   | meaning                       | to                                         |
//! |----------|-------------------------------|--------------------------------------------|
//! | `FREE`   | nobody holds it               | a holder, by itself; `QUEUED`              |
//! | a holder | it holds it, and nobody waits | `FREE`, by the holder; `QUEUED`            |
//! | `QUEUED` | the queue knows               | any, by a thread that has locked the queue |
//!
//! Locks are granted in the order in which they were asked for, so that nobody starves; shared
//! locks that follow each other are granted together. But a rank that holds another lock already
//! overtakes those that wait: otherwise two such ranks could each wait behind a third one that
//! waits for the other. An exclusive lock that was overtaken too often
//! [starves](LockQueue::is_starving): then ranks that hold nothing stand back for a while, wherever
//! they begin. A rank that has died gives up its lock, or its place, when one that waits finds out.

use super::atomic::{AtomicU32, AtomicU64, Ordering};
use super::cache::comes_soon;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

/// A lock excludes all others, or exclusive ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Exclusive,
    Shared,
}

const FREE: u64 = 0;
const QUEUED: u64 = 1;

/// What the word says of a rank that alone holds the lock.
#[inline(always)]
fn holder(rank: i32, lock: Lock) -> u64 {
    let kind = if lock == Lock::Exclusive { 2 } else { 3 };
    u64::from(rank as u32) << 32 | kind
}

/// The holder that the word names.
fn held_by(word: u64) -> Option<(i32, Lock)> {
    let lock = match word & 3 {
        2 => Lock::Exclusive,
        3 => Lock::Shared,
        _ => return None,
    };
    Some(((word >> 32) as i32, lock))
}

/// The lock of one target.
pub struct TargetLock {
    word: AtomicU64,
    /// How many ranks that waited have got the lock: as long as this does not change, none of them
    /// need look into the queue.
    grants: AtomicU32,
    queue: raw::Mutex<LockQueue>,
}

/// The queue, while the thread has exclusive access.
pub struct QueueGuard<'a> {
    of: &'a TargetLock,
    queue: raw::Guard<'a, LockQueue>,
}

impl Default for TargetLock {
    fn default() -> TargetLock {
        let queue = raw::Mutex::new(LockQueue::default());
        TargetLock { word: AtomicU64::new(FREE), grants: AtomicU32::new(0), queue }
    }
}

impl TargetLock {
    /// Takes the lock for `rank` if nobody holds it or waits for it.
    #[inline(always)]
    pub fn try_take(&self, rank: i32, lock: Lock) -> bool {
        let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
        self.word.compare_exchange(FREE, holder(rank, lock), won, lost).is_ok()
    }

    /// The same, if its holder gives it up within so many looks and nobody waits.
    pub fn take_soon(&self, rank: i32, lock: Lock, looks: u32) -> bool {
        let mut is_taken = false;
        comes_soon(looks, || match self.word.load(Ordering::Relaxed) {
            FREE => {
                is_taken = self.try_take(rank, lock);
                is_taken
            }
            word => word == QUEUED,
        });
        is_taken
    }

    /// Grows whenever ranks that wait get the lock.
    pub fn grants(&self) -> u32 {
        self.grants.load(Ordering::SeqCst)
    }

    /// Gives up the lock of `rank`, which holds it, unless others hold it, too, or wait.
    #[inline(always)]
    pub fn try_give_up(&self, rank: i32) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        if word == QUEUED {
            return false;
        }
        assert!(word >> 32 == u64::from(rank as u32), "a rank gives up what it holds");
        let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
        self.word.compare_exchange(word, FREE, won, lost).is_ok()
    }

    /// The queue, which knows all holders.
    pub fn queue(&self) -> QueueGuard<'_> {
        let mut queue = raw::lock(&self.queue);
        if let Some((rank, lock)) = held_by(self.word.swap(QUEUED, Ordering::SeqCst)) {
            queue.grant(rank, lock);
        }
        QueueGuard { of: self, queue }
    }
}

impl Deref for QueueGuard<'_> {
    type Target = LockQueue;
    fn deref(&self) -> &LockQueue {
        &self.queue
    }
}

impl DerefMut for QueueGuard<'_> {
    fn deref_mut(&mut self) -> &mut LockQueue {
        &mut self.queue
    }
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        if self.of.grants.load(Ordering::Relaxed) != self.queue.grants {
            self.of.grants.store(self.queue.grants, Ordering::SeqCst);
        }
        let word = match (self.queue.holders.as_slice(), self.queue.waiting.is_empty()) {
            ([], true) => FREE,
            (&[rank], true) => {
                self.queue.holders.clear();
                let is_exclusive = self.queue.is_exclusive;
                holder(rank, if is_exclusive { Lock::Exclusive } else { Lock::Shared })
            }
            _ => return,
        };
        self.of.word.store(word, Ordering::SeqCst);
    }
}

/// An exclusive lock that was overtaken as often as this starves.
const PATIENCE: u32 = 256;

#[derive(Debug)]
struct Waiter {
    rank: i32,
    lock: Lock,
    /// How many ranks that came later have got the lock first.
    overtaken: u32,
}

impl Waiter {
    /// Whether it was overtaken so often that no rank should begin before it.
    fn starves(&self) -> bool {
        self.lock == Lock::Exclusive && self.overtaken >= PATIENCE
    }
}

/// The holders and waiters of one lock.
#[derive(Debug, Default)]
pub struct LockQueue {
    holders: Vec<i32>,
    is_exclusive: bool,
    waiting: VecDeque<Waiter>,
    /// How many of them starve.
    starving: usize,
    /// How many have got the lock so far.
    grants: u32,
}

impl LockQueue {
    /// `rank` asks for the lock; whether it has it now. A rank that `has_locks` of whatever targets
    /// waits for holders only.
    pub fn ask(&mut self, rank: i32, lock: Lock, has_locks: bool) -> bool {
        if (has_locks || self.waiting.is_empty()) && self.is_free_for(lock) {
            self.overtake_all();
            self.grant(rank, lock);
            return true;
        }
        let waiter = Waiter { rank, lock, overtaken: 0 };
        match has_locks {
            true => self.waiting.push_front(waiter),
            false => self.waiting.push_back(waiter),
        }
        false
    }

    pub fn holds(&self, rank: i32) -> bool {
        self.holders.contains(&rank)
    }

    /// Whether an exclusive lock was overtaken so often that no rank should begin before it.
    pub fn is_starving(&self) -> bool {
        self.starving > 0
    }

    fn overtake_all(&mut self) {
        for waiter in &mut self.waiting {
            let starved = waiter.starves();
            waiter.overtaken += 1;
            self.starving += usize::from(!starved && waiter.starves());
        }
    }

    /// One of the ranks that `rank` waits for.
    pub fn first_before(&self, rank: i32) -> Option<i32> {
        let before = self.waiting.iter().map(|waiter| waiter.rank);
        let before = before.take_while(|waiter| *waiter != rank);
        self.holders.iter().copied().chain(before).next()
    }

    /// `rank` gives up the lock, or stops waiting for it. Returns the ranks that have it now.
    pub fn release(&mut self, rank: i32) -> Vec<i32> {
        match self.holders.iter().position(|holder| *holder == rank) {
            Some(place) => drop(self.holders.swap_remove(place)),
            None => self.forget_waiters(|waiter| waiter == rank),
        }
        self.grant_next()
    }

    /// The ranks of which `is_gone` is true give up the lock. Returns the ranks that have it now.
    pub fn bury(&mut self, is_gone: impl Fn(i32) -> bool) -> Vec<i32> {
        self.holders.retain(|holder| !is_gone(*holder));
        self.forget_waiters(is_gone);
        self.grant_next()
    }

    fn forget_waiters(&mut self, is_gone: impl Fn(i32) -> bool) {
        self.waiting.retain(|waiter| !is_gone(waiter.rank));
        self.starving = self.waiting.iter().filter(|waiter| waiter.starves()).count();
    }

    /// The first of those that wait have the lock now, as many as may have it together.
    fn grant_next(&mut self) -> Vec<i32> {
        let mut granted = Vec::new();
        while self.waiting.front().is_some_and(|waiter| self.is_free_for(waiter.lock))
            && let Some(waiter) = self.waiting.pop_front()
        {
            self.starving -= usize::from(waiter.starves());
            self.grant(waiter.rank, waiter.lock);
            self.grants = self.grants.wrapping_add(1);
            granted.push(waiter.rank);
        }
        granted
    }

    fn is_free_for(&self, lock: Lock) -> bool {
        self.holders.is_empty() || lock == Lock::Shared && !self.is_exclusive
    }

    fn grant(&mut self, rank: i32, lock: Lock) {
        self.holders.push(rank);
        self.is_exclusive = lock == Lock::Exclusive;
    }
}

#[cfg(not(loom))]
mod raw {
    pub(super) use parking_lot::Mutex;
    pub(super) use parking_lot::MutexGuard as Guard;

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> Guard<'_, T> {
        mutex.lock()
    }
}

/// A lock that the model checker knows.
#[cfg(loom)]
mod raw {
    pub(super) use loom::sync::Mutex;
    pub(super) use loom::sync::MutexGuard as Guard;

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> Guard<'_, T> {
        mutex.lock().expect("nobody panics")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Lock::{Exclusive, Shared};
    use super::*;
    use crate::random::Random;

    #[test]
    fn shared_locks_are_held_together_and_exclusive_ones_alone() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Shared, false) && queue.ask(1, Shared, false));
        assert!(!queue.ask(2, Exclusive, false));
        assert!(!queue.ask(3, Shared, false), "nobody overtakes an exclusive lock");
        assert_eq!(queue.first_before(3), Some(0));
        assert!(queue.release(0).is_empty());
        assert_eq!(queue.release(1), [2]);
        assert!(!queue.ask(4, Shared, false));
        assert_eq!(queue.release(2), [3, 4]);
    }

    #[test]
    fn a_rank_that_holds_other_locks_waits_for_holders_only() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Shared, false) && !queue.ask(1, Exclusive, false));
        assert!(queue.ask(2, Shared, true) && !queue.ask(3, Exclusive, true));
        queue.release(0);
        assert_eq!(queue.release(2), [3]);
        assert!(!queue.ask(4, Shared, true));
        assert_eq!(queue.release(3), [4]);
        assert_eq!(queue.release(4), [1]);
    }

    #[test]
    fn an_exclusive_lock_that_is_overtaken_again_and_again_starves_until_it_is_granted() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Shared, false) && !queue.ask(1, Exclusive, false));
        for round in 0..PATIENCE as i32 {
            assert!(!queue.is_starving());
            let (next, last) = (2 * i32::from(round % 2 == 0), 2 * i32::from(round % 2 == 1));
            assert!(queue.ask(next, Shared, true));
            assert!(queue.release(last).is_empty(), "another shared lock is held all the time");
        }
        assert!(queue.is_starving());
        assert_eq!(queue.bury(|rank| rank != 1), [1]);
        assert!(!queue.is_starving());
    }

    #[test]
    fn the_dead_hold_nothing_and_wait_for_nothing() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Exclusive, false));
        assert!(!queue.ask(1, Exclusive, false) && !queue.ask(2, Shared, false));
        assert_eq!(queue.bury(|rank| rank < 2), [2]);
        assert!(queue.holds(2) && !queue.holds(0));
    }

    #[test]
    fn a_lone_holder_needs_no_queue_and_a_waiter_finds_it_there() {
        let lock = TargetLock::default();
        assert!(lock.try_take(3, Shared) && !lock.try_take(4, Shared));
        assert!(lock.try_give_up(3));
        assert!(lock.try_take(3, Exclusive) && !lock.queue().ask(4, Shared, false));
        assert!(!lock.try_give_up(3), "somebody waits");
        assert_eq!(lock.queue().first_before(4), Some(3));
        assert_eq!(lock.queue().release(3), [4]);
        assert!(!lock.try_take(5, Exclusive) && lock.queue().holds(4));
        assert!(lock.try_give_up(4), "it is alone again");
        assert!(lock.try_take(5, Exclusive));
    }

    /// A rank that holds other locks takes this one again and again, as long as it may share it.
    fn overtake(queue: &mut LockQueue, times: u64) {
        const RANK: i32 = 6;
        for _ in 0..times {
            let is_granted = queue.ask(RANK, Shared, true);
            queue.release(RANK);
            if !is_granted {
                return;
            }
        }
    }

    /// Ranks that lock, unlock and die at random: the lock is never held wrongly, no living rank
    /// waits while nobody holds it, and what starves is counted.
    #[test]
    fn any_order_of_calls_and_deaths_keeps_the_lock_sound() {
        let mut starved = 0;
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let (mut queue, mut dead) = (LockQueue::default(), vec![false; 6]);
            let mut asked: Vec<Option<Lock>> = vec![None; 6];
            for _ in 0..60 {
                let rank = random.below(6) as usize;
                if dead[rank] {
                    continue;
                }
                match (asked[rank], random.below(12)) {
                    (_, 0) => dead[rank] = true,
                    (_, 1) => overtake(&mut queue, 100),
                    (None, choice) => {
                        let lock = if choice % 2 == 0 { Shared } else { Exclusive };
                        asked[rank] = Some(lock);
                        queue.ask(rank as i32, lock, random.below(3) == 0);
                    }
                    (Some(_), _) if queue.holds(rank as i32) => {
                        asked[rank] = None;
                        queue.release(rank as i32);
                    }
                    // It waits, and looks for the dead now and then.
                    (Some(_), _) => drop(queue.bury(|other| dead[other as usize])),
                }
                let held: Vec<Lock> =
                    queue.holders.iter().filter_map(|rank| asked[*rank as usize]).collect();
                let is_sound = held.len() <= 1 || held.iter().all(|lock| *lock == Shared);
                assert!(is_sound, "seed {seed}: {queue:?}");
                let starve = queue.waiting.iter().filter(|waiter| waiter.starves()).count();
                assert_eq!(queue.starving, starve, "seed {seed}: {queue:?}");
                starved += starve;
            }
            queue.bury(|other| dead[other as usize]);
            let waits = queue.waiting.iter().any(|waiter| !dead[waiter.rank as usize]);
            assert!(!waits || !queue.holders.is_empty(), "seed {seed}: {queue:?}");
        }
        assert!(starved > 0, "some locks were overtaken too often");
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize};
    use loom::thread;

    /// What the ranks of a model share.
    #[derive(Default)]
    struct Target {
        lock: TargetLock,
        granted: [AtomicBool; 3],
        inside: AtomicUsize,
    }

    impl Target {
        fn is_granted(&self, rank: i32) -> bool {
            self.granted[rank as usize].load(Ordering::Acquire)
        }

        /// As `mpi::rma::passive` does it; but nothing waits: true if it has the lock at once.
        fn take(&self, rank: i32, lock: Lock, has_locks: bool) -> bool {
            self.lock.try_take(rank, lock) || self.lock.queue().ask(rank, lock, has_locks)
        }

        /// Other ranks may have the lock now: these are told.
        fn give_up(&self, rank: i32) {
            if self.lock.try_give_up(rank) {
                return;
            }
            for granted in self.lock.queue().release(rank) {
                let before = self.granted[granted as usize].swap(true, Ordering::AcqRel);
                assert!(!before, "a lock is granted once");
            }
        }

        /// Whatever only one rank may do at a time.
        fn work_alone(&self) {
            assert_eq!(self.inside.fetch_add(1, Ordering::Relaxed), 0, "it is alone");
            self.inside.fetch_sub(1, Ordering::Relaxed);
        }

        /// A rank that locks, works and unlocks, if it gets the lock at once.
        fn visit(&self, rank: i32, lock: Lock) -> bool {
            let is_taken = self.take(rank, lock, false);
            if is_taken {
                if lock == Lock::Exclusive {
                    self.work_alone();
                }
                self.give_up(rank);
            }
            is_taken
        }

        /// All have returned: those that waited have got the lock, one after the other.
        fn end(&self, mut waiting: Vec<i32>) {
            while let Some(place) = waiting.iter().position(|rank| self.is_granted(*rank)) {
                self.give_up(waiting.swap_remove(place));
            }
            assert!(waiting.is_empty(), "nobody waits for a lock that nobody holds");
            assert!(self.lock.try_take(0, Lock::Exclusive), "nobody holds it");
        }
    }

    fn three(locks: [Lock; 3]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let target = Arc::new(Target::default());
            let visit = |rank: i32| {
                let target = target.clone();
                thread::spawn(move || target.visit(rank, locks[rank as usize]))
            };
            let others = [(1, visit(1)), (2, visit(2))];
            let mut waiting = Vec::new();
            if !target.visit(0, locks[0]) {
                waiting.push(0);
            }
            for (rank, other) in others {
                if !other.join().expect("nobody panics") {
                    waiting.push(rank);
                }
            }
            target.end(waiting);
        });
    }

    #[test]
    fn loom_exclusive_locks_are_held_alone_and_nobody_is_forgotten() {
        three([Lock::Exclusive; 3]);
    }

    #[test]
    fn loom_shared_and_exclusive_locks_share_one_queue() {
        three([Lock::Exclusive, Lock::Shared, Lock::Shared]);
    }

    /// A rank that waits need not look into the queue before the number of grants changes.
    #[test]
    fn loom_a_grant_is_counted_before_anybody_could_miss_it() {
        loom::model(|| {
            let target = Arc::new(Target::default());
            let other = target.clone();
            let other = thread::spawn(move || other.visit(1, Lock::Exclusive));
            let before = target.lock.grants();
            if !target.take(0, Lock::Exclusive, false) {
                while target.lock.grants() == before {
                    thread::yield_now();
                }
                assert!(target.lock.queue().holds(0));
            }
            target.give_up(0);
            let is_done = other.join().expect("nobody panics");
            target.end(if is_done { vec![] } else { vec![1] });
        });
    }

    /// A holder that dies between its exchanges is found by those that wait.
    #[test]
    fn loom_the_lock_of_the_dead_is_released() {
        loom::model(|| {
            let target = Arc::new(Target::default());
            let dead = target.clone();
            let dead = thread::spawn(move || dead.take(1, Lock::Exclusive, false));
            let is_taken = target.visit(0, Lock::Exclusive);
            dead.join().expect("nobody panics");
            let granted = target.lock.queue().bury(|rank| rank == 1);
            assert_eq!(granted.as_slice(), if is_taken { &[][..] } else { &[0][..] });
        });
    }
}
