//! Where a rank is that computes for too long without a call of MPI: the supervisor asks, and the
//! rank's thread answers where a signal meets it in its program. There it holds no lock of the
//! library's.

use super::callers::{self, Caller};
use super::futex::{wait_on, wake_one_on};
use super::{Rank, fiber};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A rank that computes, and the frames of its program, innermost first.
pub struct Computing {
    pub rank: &'static Rank,
    pub frames: Vec<Caller>,
}

static STATE: AtomicU32 = AtomicU32::new(IDLE);

const IDLE: u32 = 0;
const ASKED: u32 = 1;
const ANSWERED: u32 = 2;

static ANSWER: Mutex<Option<Computing>> = Mutex::new(None);

/// The processor time that this process has taken.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes a time into our variable.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// A rank that runs now, as a fiber; `None` if none is met in its program. Only once.
pub(super) fn ask() -> Option<Computing> {
    const AGAIN: Duration = Duration::from_millis(1);
    const TIMES: usize = 100;
    STATE.store(ASKED, Ordering::SeqCst);
    for _ in 0..TIMES {
        fiber::interrupt_all();
        wait_on(&STATE, ASKED, Some(AGAIN));
        if STATE.load(Ordering::SeqCst) == ANSWERED {
            break;
        }
    }
    STATE.store(IDLE, Ordering::SeqCst);
    ANSWER.lock().take()
}

/// The calling thread of `rank` was interrupted at `pc`; false if nobody has asked.
pub(super) fn answer(rank: &'static Rank, pc: usize) -> bool {
    const FRAMES: usize = 6;
    if STATE.load(Ordering::SeqCst) == IDLE {
        return false;
    }
    if rank.images.contains(pc)
        && let Some(mut answer) = ANSWER.try_lock().filter(|answer| answer.is_none())
    {
        let frames = callers::addresses(FRAMES, 0).into_iter().map_while(callers::caller);
        *answer = Some(Computing { rank, frames: frames.collect() });
        STATE.store(ANSWERED, Ordering::SeqCst);
        wake_one_on(&STATE);
    }
    true
}
