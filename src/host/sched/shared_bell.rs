//! A bell in memory that several processes share: threads of one process wait for it, and those of
//! the others ring it.

use crate::base::sync::fence as between;
use crate::host::futex;
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};

/// What the threads of a process listen to, beside a bell of their own. Only the kernel keeps who
/// sleeps, so a process that dies leaves nothing behind that others would wait for.
///
/// `word` is that of a [`Bell`](super::Bell): the lowest bit is set while there may be a listener,
/// the others count rings.
#[repr(C, align(64))]
#[derive(Default)]
pub struct SharedBell {
    word: AtomicU32,
    asleep: AtomicU32,
    /// Whether a listener makes a fence that reaches other processes.
    is_heard_from_afar: AtomicU32,
}

const LISTENING: u32 = 1;

impl SharedBell {
    /// Those who ring it need no fence from now on, if they are
    /// [armed](between::arm_among_processes) as the listening process is. Before anybody listens.
    pub fn be_heard_from_afar(&self) {
        self.is_heard_from_afar.store(between::is_armed_among_processes().into(), Ordering::SeqCst);
    }

    /// From now on no ring is missed: check the condition again, then wait.
    pub fn listen(&self) -> u32 {
        let seen = self.word.fetch_or(LISTENING, Ordering::SeqCst) | LISTENING;
        match self.is_heard_from_afar.load(Ordering::Relaxed) {
            0 => fence(Ordering::SeqCst),
            _ => between::heavy_among_processes(),
        }
        seen
    }

    /// Whether it has rung since [`SharedBell::listen`] returned this.
    pub fn has_rung(&self, heard: u32) -> bool {
        self.word.load(Ordering::SeqCst) != heard
    }

    /// Wakes all listeners. Without listeners it costs one load, and a fence unless a listener
    /// makes that.
    #[inline]
    pub fn ring(&self) {
        let is_heard = self.is_heard_from_afar.load(Ordering::Relaxed) != 0;
        match is_heard && between::is_armed_among_processes() {
            true => compiler_fence(Ordering::SeqCst),
            false => fence(Ordering::SeqCst),
        }
        let word = self.word.load(Ordering::SeqCst);
        if word & LISTENING == 0 {
            return;
        }
        let next = (word | LISTENING).wrapping_add(1);
        // Failure means that somebody else has rung since: that serves for this ring, too.
        let rung = self.word.compare_exchange(word, next, Ordering::SeqCst, Ordering::SeqCst);
        if rung.is_ok() && self.asleep.load(Ordering::SeqCst) > 0 {
            futex::wake_all_sharing(&self.word);
        }
    }

    /// Wakes all who sleep, whatever the word says: a process that was ringing may have died after
    /// it had changed the word, before it woke anybody.
    pub fn ring_for_the_dead(&self) {
        self.word.fetch_add(2, Ordering::SeqCst);
        futex::wake_all_sharing(&self.word);
    }

    /// Sleeps until it has rung since `heard`.
    pub fn wait(&self, heard: u32) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        futex::wait_sharing(&self.word, heard);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// Sleeps until it has rung since `heard`, or the other word is not as seen any more.
    pub(super) fn sleep(&self, heard: u32, own: (&AtomicU32, u32)) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        futex::wait_on_both(own, (&self.word, heard));
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn who_sleeps_when_the_ringer_dies_can_be_woken() {
        let (bell, (ended, ends)) = (Arc::new(SharedBell::default()), channel());
        let sleeper = bell.clone();
        thread::spawn(move || {
            let heard = sleeper.listen();
            sleeper.wait(heard);
            let _ = ended.send(());
        });
        let until = Instant::now() + Duration::from_secs(60);
        while bell.asleep.load(Ordering::SeqCst) == 0 {
            assert!(Instant::now() < until, "it falls asleep");
            thread::yield_now();
        }
        // The ringer dies here. Whoever rings after it finds no listener.
        let word = bell.word.load(Ordering::SeqCst);
        bell.word.store((word | LISTENING).wrapping_add(1), Ordering::SeqCst);
        bell.ring();
        bell.ring_for_the_dead();
        ends.recv_timeout(Duration::from_secs(60)).expect("it is woken");
    }
}
