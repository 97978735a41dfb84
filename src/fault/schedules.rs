//! Schedules of simulations by the million, on all cores: as many as the environment says.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number from the environment.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Runs far more schedules than a change can wait for: seeds from `FTMPI_SEED` (or `first`),
/// `FTMPI_SCHEDULES` of them (or ten million). `sweep` runs some, and returns how many faults
/// there were.
pub(crate) fn many(name: &str, first: u64, sweep: impl Fn(Range<u64>) -> u64 + Sync) {
    const BLOCK: u64 = 1000;
    let first = number("FTMPI_SEED", first);
    let count = number("FTMPI_SCHEDULES", 10_000_000);
    let (next, done, faults) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let work = || loop {
        let begin = next.fetch_add(BLOCK, Ordering::Relaxed);
        if begin >= count {
            return;
        }
        let end = count.min(begin + BLOCK);
        let found = sweep(first + begin..first + end);
        let faults = faults.fetch_add(found, Ordering::Relaxed) + found;
        let done = done.fetch_add(end - begin, Ordering::Relaxed) + end - begin;
        if done / 100_000 > (done - (end - begin)) / 100_000 || done == count {
            println!("{name}: {done} of {count} schedules, {faults} faults");
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
}
