//! Numbers of communicators that no communicator of the job has had.
//!
//! In one process they are counted. Several processes count side by side: each draws numbers that
//! leave a remainder of its own, and goes on behind those that it hears of.

use std::sync::atomic::{AtomicU32, Ordering};

/// The contexts that ranks of this process draw.
pub(in crate::engine) struct Contexts {
    next: AtomicU32,
    stride: u32,
}

/// The contexts of MPI_COMM_WORLD and MPI_COMM_SELF are 0 and 1.
const FIRST: u32 = 2;

/// From here on are those of processes that have no communicator yet.
pub const CONTEXTS: u32 = 1 << 30;

impl Contexts {
    /// Those of process `me` of so many that draw contexts.
    pub(super) fn of(me: u32, processes: u32) -> Contexts {
        Contexts { next: AtomicU32::new(FIRST + me), stride: processes }
    }

    pub(super) fn draw(&self) -> u32 {
        let context = self.next.fetch_add(self.stride, Ordering::Relaxed);
        assert!(context < CONTEXTS, "a job makes fewer communicators than that");
        context
    }

    /// Somebody uses this context: later ones are greater.
    pub(super) fn learn(&self, context: u32) {
        if self.stride == 1 || context >= CONTEXTS {
            return;
        }
        let behind = |next: u32| {
            (next <= context).then(|| next + ((context - next) / self.stride + 1) * self.stride)
        };
        let _known = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_draw_different_contexts_and_go_on_behind_those_they_hear_of() {
        let processes = [0, 1, 2].map(|me| Contexts::of(me, 3));
        let mut drawn: Vec<u32> = Vec::new();
        for round in 0..50 {
            let one = &processes[round % 7 % 3];
            let context = one.draw();
            assert!(!drawn.contains(&context), "{context} again");
            drawn.push(context);
            let other = &processes[round % 5 % 3];
            other.learn(context);
            let later = other.draw();
            assert!(later > context && !drawn.contains(&later));
            drawn.push(later);
        }
    }
}
