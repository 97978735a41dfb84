//! Checks whether fibers work here: looks for what they need and runs a first one, before any rank
//! depends on it.

use super::record::{Body, Fiber, current};
use super::{block, crew, executor, monitor};
use crate::host::clock;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Starts `count` workers, or returns why there cannot be fibers. `number_at` finds where threads
/// of this glibc keep their number, in a thread other than the first. `on_end` is called when a
/// fiber has ended.
pub(in crate::host) fn start_workers(
    count: usize, number_at: impl FnOnce() -> Option<usize> + Send, on_end: fn(),
) -> Result<(), String> {
    if !may_set_thread_pointer() {
        return Err("programs may not set the thread pointer here (FSGSBASE)".into());
    }
    let find = || block::find_ways(number_at());
    let found = std::thread::scope(|scope| scope.spawn(find).join());
    found.unwrap_or(Err("this glibc is unknown")).map_err(String::from)?;
    let failed = |error| format!("no thread for it: {error}");
    executor::start(count, on_end).map_err(failed)?;
    monitor::start().map_err(failed)?;
    crew::hire().map_err(failed)?;
    let trial = Trial {
        fiber: Fiber::new(0, 1),
        alive: AtomicU32::new(1),
        failures: AtomicU32::new(u32::MAX),
    };
    let trial: &'static Trial = Box::leak(Box::new(trial));
    trial.run()
}

/// Whether the kernel allows `wrfsbase`, and the machine has it.
fn may_set_thread_pointer() -> bool {
    const FSGSBASE: u64 = 2;
    // SAFETY: only queries a number.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & FSGSBASE != 0 }
}

struct Trial {
    fiber: &'static Fiber,
    alive: AtomicU32,
    failures: AtomicU32,
}

/// What the trial may find wrong, bit by bit.
const WRONG: [&str; 5] = [
    "pthread_self names another thread",
    "errno is shared with another thread",
    "malloc does not work",
    "isdigit does not work",
    "a fiber was not resumed after a switch",
];

impl Trial {
    fn run(&'static self) -> Result<(), String> {
        // How long other processes may keep a process of low priority from the processor.
        const PATIENCE: Duration = Duration::from_secs(30);
        const BYTES: usize = 128 << 10;
        let memory = Box::leak(vec![0_u8; BYTES].into_boxed_slice());
        let Range { start, end } = memory.as_mut_ptr_range();
        let (start, end) = (start.expose_provenance(), end.expose_provenance());
        let middle = start + BYTES / 2;
        let (fiber, itself) = (self.fiber, std::ptr::from_ref(self).expose_provenance());
        let body = Body { call: try_out, argument: itself };
        // SAFETY: the record is fresh, and the memory is never used again.
        if !unsafe { fiber.start(start..middle, middle..end, &raw const self.alive, body) } {
            return Err("out of memory for a fiber".into());
        }
        let begun = Instant::now();
        while self.alive.load(Ordering::Acquire) != 0 {
            if begun.elapsed() > PATIENCE {
                return Err("the test fiber did not finish".into());
            }
            std::thread::yield_now();
        }
        // SAFETY: it has ended.
        unsafe { fiber.clear_up() };
        let failures = self.failures.load(Ordering::Acquire);
        let wrong = WRONG.iter().enumerate().find(|(bit, _)| failures >> bit & 1 == 1);
        wrong.map_or(Ok(()), |(_, what)| Err((*what).into()))
    }
}

/// What the first fiber does.
fn try_out(trial: usize) -> ! {
    // SAFETY: `run` passes itself.
    let trial: &'static Trial = unsafe { &*std::ptr::with_exposed_provenance(trial) };
    trial.failures.store(failures(trial.fiber), Ordering::Release);
    super::end(trial.fiber)
}

/// What does not work in `this`, the calling fiber, one bit each.
fn failures(this: &'static Fiber) -> u32 {
    let mut failed = 0;
    let mut note = |bit: u32, is_right: bool| failed |= u32::from(!is_right) << bit;
    // SAFETY: has no preconditions.
    note(0, unsafe { libc::pthread_self() } as usize == this.pthread());
    // SAFETY: the fiber's own variable.
    unsafe { *libc::__errno_location() = libc::EDOM };
    // SAFETY: a fresh block, written and given back.
    let digits = unsafe {
        let block = libc::malloc(100).cast::<u8>();
        note(2, !block.is_null());
        if !block.is_null() {
            block.write(b'7');
            libc::isdigit(block.read().into())
        } else {
            0
        }
    };
    note(3, digits != 0);
    this.yield_now();
    this.block(clock::now().checked_add(Duration::from_micros(100)));
    note(4, current().is_some_and(|now| std::ptr::eq(now, this)));
    // SAFETY: as above.
    note(1, unsafe { *libc::__errno_location() } == libc::EDOM);
    failed
}
