//! Passes a signal to the whole process on to one thread of each rank that handles it.

use super::numbers::KILL;
use crate::host::Rank;
use crate::host::life::{self, Thread};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Sends signal `number` to a thread of `rank` that takes it; false when the rank does nothing
/// about it. On no handler.
pub(in crate::host) fn send(rank: &Rank, number: i32) -> bool {
    let is_set = |word: u64| word >> (number - 1) & 1 == 1;
    let is_held_back = is_set(rank.signals.held_back.load(Ordering::SeqCst));
    let wanted = rank.signals.wanted(number).sa_sigaction;
    let is_handled = !matches!(wanted, libc::SIG_DFL | libc::SIG_IGN);
    let ignores = wanted == libc::SIG_IGN;
    if !is_handled && !is_held_back {
        return ignores;
    }
    let threads = life::living_threads(rank);
    let awaits = |thread: &&Arc<Thread>| is_set(thread.signals.awaits.load(Ordering::SeqCst));
    let awaited = |thread: &&Arc<Thread>| is_set(thread.signals.awaited.load(Ordering::SeqCst));
    let taker = threads.iter().find(awaits).or_else(|| {
        let lets_through = |thread: &&Arc<Thread>| !is_held_back || !blocks(thread, number);
        match threads.iter().find(lets_through) {
            Some(thread) => is_handled.then_some(thread),
            // It stays pending until one of them unblocks it or waits for it.
            None => threads.iter().find(awaited).or(threads.first()),
        }
    });
    match taker {
        Some(thread) => deliver(thread, number),
        None => return ignores,
    }
    true
}

/// Like [`send`], for a signal that ends the rank if the rank does not handle it.
pub(super) fn send_or_end(rank: &Rank, number: i32) {
    if !send(rank, number)
        && let Some(first) = life::living_threads(rank).first()
    {
        deliver(first, number);
    }
}

pub(super) fn deliver(thread: &Thread, number: i32) {
    if number == KILL || thread.is_fiber() {
        // By itself, a poke only means that there is something to look at.
        thread.signals.note(number);
        thread.poke();
        life::defer();
    } else if let Some(id) = thread.number() {
        // SAFETY: sends a signal to a thread of this process, or to none.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), id, number) };
    }
}

/// Whether `thread` blocks signal `number`, as the kernel says.
fn blocks(thread: &Thread, number: i32) -> bool {
    if thread.is_fiber() {
        return false;
    }
    let status =
        thread.number().map(|id| std::fs::read_to_string(format!("/proc/self/task/{id}/status")));
    let Some(Ok(status)) = status else { return true };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}
