//! Two fences that work in pairs: a light one for those who pass often, a heavy one for the others.
//!
//! ```text
//! who comes often         who comes seldom
//!   write mine              write mine
//!   light()                 heavy()
//!   read theirs             read theirs
//! ```
//!
//! At least one of the two sees what the other has written. A light fence costs no instruction,
//! since a heavy one makes the kernel run a barrier on every processor that runs this process
//! (Linux, membarrier(2)). Where there is no such call, both are the processor's own.

use super::atomic::{Ordering, fence};

#[cfg(not(any(loom, miri)))]
pub use kernel::{arm, feather, heavy, is_armed, light};
#[cfg(any(loom, miri))]
pub use plain::{arm, feather, heavy, is_armed, light};

#[cfg(not(any(loom, miri)))]
mod kernel {
    use super::{Ordering, fence};
    use std::sync::atomic::{AtomicBool, compiler_fence};

    /// Set before there are two threads that could need it, and never taken back.
    static IS_ARMED: AtomicBool = AtomicBool::new(false);

    const GLOBAL: libc::c_int = 1;
    const PRIVATE: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the call changes no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    /// Makes light fences light from now on, if the kernel can; false if it cannot. Before anybody
    /// else uses either fence.
    pub fn arm() -> bool {
        if !IS_ARMED.load(Ordering::Relaxed) && membarrier(REGISTER_PRIVATE) {
            IS_ARMED.store(true, Ordering::SeqCst);
        }
        IS_ARMED.load(Ordering::Relaxed)
    }

    /// Whether light fences are light.
    #[inline]
    pub fn is_armed() -> bool {
        IS_ARMED.load(Ordering::Relaxed)
    }

    /// A light fence of those who know that it [is light](is_armed): not even a look at that.
    #[inline(always)]
    pub fn feather() {
        compiler_fence(Ordering::SeqCst);
    }

    /// Between a write and a read of those who pass often.
    #[inline(always)]
    pub fn light() {
        if IS_ARMED.load(Ordering::Relaxed) {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    /// Between a write and a read of those who seldom come.
    pub fn heavy() {
        fence(Ordering::SeqCst);
        if IS_ARMED.load(Ordering::Relaxed) {
            // A forked child may have lost its registration: the other command needs none.
            assert!(membarrier(PRIVATE) || membarrier(GLOBAL), "the kernel had membarrier before");
        }
    }
}

#[cfg(any(loom, miri))]
mod plain {
    use super::{Ordering, fence};

    pub fn arm() -> bool {
        true
    }

    #[inline]
    pub fn is_armed() -> bool {
        true
    }

    #[inline]
    pub fn feather() {
        fence(Ordering::SeqCst);
    }

    #[inline]
    pub fn light() {
        fence(Ordering::SeqCst);
    }

    pub fn heavy() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Dekker's handshake, many times: never do both sides miss each other.
    #[test]
    fn one_of_two_sees_the_other() {
        const ROUNDS: usize = if cfg!(miri) { 20 } else { 20_000 };
        arm();
        let (often, seldom) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (seen_often, seen_seldom) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (gate, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let play = |round: usize, is_often: bool| {
            while gate.load(Ordering::Acquire) < round {
                std::hint::spin_loop();
                std::thread::yield_now();
            }
            if is_often {
                often.store(round, Ordering::Relaxed);
                light();
                seen_often.store(seldom.load(Ordering::Relaxed), Ordering::Relaxed);
            } else {
                seldom.store(round, Ordering::Relaxed);
                heavy();
                seen_seldom.store(often.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            done.fetch_add(1, Ordering::AcqRel);
        };
        std::thread::scope(|scope| {
            for is_often in [true, false] {
                let play = &play;
                scope.spawn(move || (1..=ROUNDS).for_each(|round| play(round, is_often)));
            }
            for round in 1..=ROUNDS {
                gate.store(round, Ordering::Release);
                while done.load(Ordering::Acquire) < 2 * round {
                    std::thread::yield_now();
                }
                let seen = [&seen_often, &seen_seldom].map(|seen| seen.load(Ordering::Relaxed));
                assert!(seen.contains(&round), "both have missed each other in round {round}");
            }
        });
    }
}
