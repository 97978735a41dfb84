//! Asymmetric fences: a light one for frequent operations is paired with a heavy one for rare ones.
//!
//! ```text
//! frequent side            rare side
//!   write mine              write mine
//!   light()                 heavy()
//!   read theirs             read theirs
//! ```
//!
//! At least one of the two sees what the other has written. A light fence costs no instruction,
//! since a heavy one makes the kernel run a barrier on every processor that runs this process
//! (Linux, membarrier(2)). Where that call is missing, both are the processor's own. Among processes
//! that share memory, the heavy fence reaches all that have armed themselves for that.

use super::atomic::{Ordering, fence};

#[cfg(not(any(loom, miri)))]
pub use kernel::{
    arm, arm_among_processes, feather, heavy, heavy_among_processes, is_armed,
    is_armed_among_processes, light,
};
#[cfg(any(loom, miri))]
pub use plain::{
    arm, arm_among_processes, feather, heavy, heavy_among_processes, is_armed,
    is_armed_among_processes, light,
};

#[cfg(not(any(loom, miri)))]
mod kernel {
    use super::{Ordering, fence};
    use std::sync::atomic::{AtomicBool, compiler_fence};

    /// Set before two threads could need it, and never unset.
    static IS_ARMED: AtomicBool = AtomicBool::new(false);
    static IS_ARMED_AMONG_PROCESSES: AtomicBool = AtomicBool::new(false);

    const GLOBAL: libc::c_int = 1;
    const AMONG_PROCESSES: libc::c_int = 1 << 1;
    const REGISTER_AMONG_PROCESSES: libc::c_int = 1 << 2;
    const PRIVATE: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the call changes no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    /// Makes light fences light from now on, if the kernel supports it; false if not. Called before
    /// any other thread uses either fence.
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

    /// A light fence for callers that know that it [is light](is_armed): it does not even check
    /// that.
    #[inline(always)]
    pub fn feather() {
        compiler_fence(Ordering::SeqCst);
    }

    /// Between a write and a read on the frequent side.
    #[inline(always)]
    pub fn light() {
        if IS_ARMED.load(Ordering::Relaxed) {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    /// Heavy fences of other processes reach this one from now on, and its own reach those that
    /// have done this, too; false if the kernel does not support it.
    pub fn arm_among_processes() -> bool {
        if !is_armed_among_processes() && membarrier(REGISTER_AMONG_PROCESSES) {
            IS_ARMED_AMONG_PROCESSES.store(true, Ordering::SeqCst);
        }
        is_armed_among_processes()
    }

    /// Whether heavy fences of other processes reach this one, so that a fence between what it
    /// writes and reads of their memory needs no instruction.
    #[inline]
    pub fn is_armed_among_processes() -> bool {
        IS_ARMED_AMONG_PROCESSES.load(Ordering::Relaxed)
    }

    /// Between a write and a read on the rare side, whose other side is in other processes.
    pub fn heavy_among_processes() {
        fence(Ordering::SeqCst);
        if is_armed_among_processes() {
            let is_done = membarrier(AMONG_PROCESSES) || membarrier(GLOBAL);
            assert!(is_done, "the kernel had membarrier before");
        }
    }

    /// Between a write and a read on the rare side.
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

    pub fn arm_among_processes() -> bool {
        false
    }

    pub fn is_armed_among_processes() -> bool {
        false
    }

    pub fn heavy_among_processes() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Dekker's handshake, many times: the two sides never both miss each other.
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
