//! The lock queue of one target: who holds its lock, and who waits for it. Pure: no clock, no
//! thread.
//!
//! Locks are granted in the order in which they were asked for, so that nobody starves; shared
//! locks that follow each other are granted together. But a rank that holds locks of other targets
//! overtakes those that wait: otherwise two such ranks could each wait behind a third one that
//! waits for the other. A rank that has died gives up its lock, or
//! its place, when one that waits finds out.

use std::collections::VecDeque;

/// A lock excludes all others, or exclusive ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Exclusive,
    Shared,
}

/// The holders and waiters of one lock, by their ranks.
#[derive(Debug, Default)]
pub struct LockQueue {
    holders: Vec<i32>,
    is_exclusive: bool,
    waiting: VecDeque<(i32, Lock)>,
}

impl LockQueue {
    /// `rank` asks for the lock; whether it has it now.
    pub fn ask(&mut self, rank: i32, lock: Lock) -> bool {
        if self.waiting.is_empty() && self.is_free_for(lock) {
            self.grant(rank, lock);
            return true;
        }
        self.waiting.push_back((rank, lock));
        false
    }

    /// Like [`ask`](Self::ask), for a rank that holds other locks: it waits for holders only.
    pub fn overtake(&mut self, rank: i32, lock: Lock) -> bool {
        let is_free = self.is_free_for(lock);
        match is_free {
            true => self.grant(rank, lock),
            false => self.waiting.push_front((rank, lock)),
        }
        is_free
    }

    pub fn holds(&self, rank: i32) -> bool {
        self.holders.contains(&rank)
    }

    /// One of the ranks that `rank` waits for.
    pub fn first_before(&self, rank: i32) -> Option<i32> {
        let before = self.waiting.iter().map(|(waiter, _)| *waiter);
        let before = before.take_while(|waiter| *waiter != rank);
        self.holders.iter().copied().chain(before).next()
    }

    /// `rank` gives up the lock, or stops waiting for it. Returns the ranks that have it now.
    pub fn release(&mut self, rank: i32) -> Vec<i32> {
        self.bury(|other| other == rank)
    }

    /// The ranks of which `is_gone` is true give up the lock. Returns the ranks that have it now.
    pub fn bury(&mut self, is_gone: impl Fn(i32) -> bool) -> Vec<i32> {
        self.holders.retain(|holder| !is_gone(*holder));
        self.waiting.retain(|(waiter, _)| !is_gone(*waiter));
        let mut granted = Vec::new();
        while let Some((rank, lock)) = self.waiting.front().copied()
            && self.is_free_for(lock)
        {
            self.waiting.pop_front();
            self.grant(rank, lock);
            granted.push(rank);
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

#[cfg(test)]
mod tests {
    use super::Lock::{Exclusive, Shared};
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn shared_locks_are_held_together_and_exclusive_ones_alone() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Shared) && queue.ask(1, Shared));
        assert!(!queue.ask(2, Exclusive));
        assert!(!queue.ask(3, Shared), "nobody overtakes an exclusive lock");
        assert_eq!(queue.first_before(3), Some(0));
        assert!(queue.release(0).is_empty());
        assert_eq!(queue.release(1), [2]);
        assert!(!queue.ask(4, Shared));
        assert_eq!(queue.release(2), [3, 4]);
    }

    #[test]
    fn a_rank_that_holds_other_locks_waits_for_holders_only() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Shared) && !queue.ask(1, Exclusive));
        assert!(queue.overtake(2, Shared) && !queue.overtake(3, Exclusive));
        queue.release(0);
        assert_eq!(queue.release(2), [3]);
        assert!(!queue.overtake(4, Shared));
        assert_eq!(queue.release(3), [4]);
        assert_eq!(queue.release(4), [1]);
    }

    #[test]
    fn the_dead_hold_nothing_and_wait_for_nothing() {
        let mut queue = LockQueue::default();
        assert!(queue.ask(0, Exclusive));
        assert!(!queue.ask(1, Exclusive) && !queue.ask(2, Shared));
        assert_eq!(queue.bury(|rank| rank < 2), [2]);
        assert!(queue.holds(2) && !queue.holds(0));
    }

    /// Ranks that lock, unlock and die at random: the lock is never held wrongly, and no living
    /// rank waits while nobody holds it.
    #[test]
    fn any_order_of_calls_and_deaths_keeps_the_lock_sound() {
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
                    (None, choice) => {
                        let lock = if choice % 2 == 0 { Shared } else { Exclusive };
                        asked[rank] = Some(lock);
                        queue.ask(rank as i32, lock);
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
            }
            queue.bury(|other| dead[other as usize]);
            let waits = queue.waiting.iter().any(|(rank, _)| !dead[*rank as usize]);
            assert!(!waits || !queue.holders.is_empty(), "seed {seed}: {queue:?}");
        }
    }
}
