//! The monitor: an OS thread that wakes sleeping fibers in time. Preemption is its work, too: no
//! fiber keeps others from running for long, whether it computes or waits in the kernel.
//!
//! It looks around every millisecond while a fiber waits for a core, less often while none does,
//! and not at all while all workers sleep: then nothing happens by itself, and the deadlock
//! detector must be able to see that.

use super::executor::{Executor, executor};
use super::record::Worker;
use super::slot::Slot;
use super::timers::{ASLEEP, AWAKE, STATE, next, ring};
use crate::host::cores::{PROMPT, ask_for_slices_of};
use crate::host::futex::wait_on;
use crate::host::{clock, replay, virtual_time};
use std::io::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const OFTEN: Duration = Duration::from_millis(1);
const SELDOM: Duration = Duration::from_millis(5);

/// The last look at a slot, and for how many milliseconds nothing has changed.
#[derive(Clone, Copy, Default)]
struct Sight {
    turns: u32,
    age: u32,
}

pub(super) fn start() -> Result<(), Error> {
    const STACK_BYTES: usize = 128 << 10;
    let thread = std::thread::Builder::new().name("monitor".into()).stack_size(STACK_BYTES);
    thread.spawn(watch).map(drop)
}

fn watch() {
    ask_for_slices_of(PROMPT);
    let executor = executor();
    let mut sights = vec![Sight::default(); executor.slots.len()];
    let mut last = Instant::now();
    loop {
        STATE.store(AWAKE, Ordering::SeqCst);
        let now = Instant::now();
        let passed = now.duration_since(last).as_millis().min(5) as u32;
        if passed > 0 {
            last = now;
        }
        let next = if replay::is_in_force() { None } else { ring(clock::now()) };
        let mut is_busy = false;
        for (slot, sight) in executor.slots.iter().zip(&mut sights) {
            is_busy |= look_at(executor, slot, sight, passed);
        }
        if !executor.has_spares() {
            // Without memory for a thread, slots wait until their fibers return.
            let _ = executor.hire(None);
        }
        let until = next.map(|at| at.saturating_duration_since(clock::now()));
        let again = if is_busy { OFTEN } else { SELDOM };
        if !executor.is_asleep() {
            wait_on(&STATE, AWAKE, Some(until.map_or(again, |until| until.min(again))));
        } else if let Some(until) = until {
            wait_on(&STATE, AWAKE, Some(until));
        } else {
            sleep(executor);
        }
    }
}

/// Sleeps: all workers sleep, and no timer is pending.
fn sleep(executor: &Executor) {
    let (set, seen) = (Ordering::SeqCst, Ordering::SeqCst);
    if STATE.compare_exchange(AWAKE, ASLEEP, set, seen).is_err() {
        return;
    }
    // A thread that wakes a worker from here on sees that the monitor sleeps.
    while executor.is_asleep() && STATE.load(Ordering::SeqCst) == ASLEEP {
        wait_on(&STATE, ASLEEP, None);
    }
}

/// Helps fibers that wait in `slot`; returns whether there are any.
fn look_at(executor: &Executor, slot: &Slot, sight: &mut Sight, passed: u32) -> bool {
    const TOO_LONG: u32 = 5;
    const MUCH_TOO_LONG: u32 = 10;
    let turns = slot.turns.load(Ordering::Relaxed);
    let age = if turns == sight.turns { sight.age + passed } else { 0 };
    *sight = Sight { turns, age };
    let Some(owner) = slot.owner() else {
        executor.staff(slot);
        return true;
    };
    if replay::is_in_force() && !is_lost(slot, age) {
        return false;
    }
    if !slot.has_work() {
        sight.age = sight.age.min(TOO_LONG);
        return false;
    }
    if slot.is_asleep.load(Ordering::SeqCst) {
        // The thread that should have called its worker left that to a worker that looked around,
        // and that one may have found something else first.
        if age >= TOO_LONG {
            executor.wake(slot);
        }
        sight.age = sight.age.min(TOO_LONG);
        return true;
    }
    if slot.is_waiting() {
        executor.staff(slot);
        return true;
    }
    if age > 0 {
        // Another core may be free for the next fiber.
        executor.rouse_for_next();
    }
    if age < TOO_LONG {
        return true;
    }
    if !is_in_kernel(owner) {
        owner.interrupt();
    } else if age >= MUCH_TOO_LONG {
        // It is not interrupted: some calls would fail, and the program has not asked for that.
        executor.replace(slot, owner);
        sight.age = 0;
    }
    true
}

/// Whether a seeded run is lost, since one rank has kept others waiting for this many milliseconds
/// without a call of MPI or a sleep.
fn is_lost(slot: &Slot, age: u32) -> bool {
    let is_wanted = || slot.has_work() || next().is_some() || replay::is_supervisor_awaited();
    let is_late = u128::from(age) >= replay::PATIENCE.as_millis();
    let is_lost = is_late && !slot.is_asleep.load(Ordering::SeqCst) && is_wanted();
    // In virtual time, others wait as long as it takes: nothing depends on when they go on.
    if !is_lost || virtual_time::is_on() {
        return false;
    }
    let seconds = replay::PATIENCE.as_secs();
    let what = "a rank has computed without an MPI call";
    replay::lose(&format!("{what} for {seconds} s while others waited"));
    true
}

/// Whether the OS thread of `worker` waits in a system call.
fn is_in_kernel(worker: &Worker) -> bool {
    let path = format!("/proc/self/task/{}/syscall", worker.number());
    let call = std::fs::read_to_string(path).unwrap_or_default();
    call.starts_with(|first: char| first.is_ascii_digit())
}
