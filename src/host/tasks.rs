//! Reads from the kernel what the threads of this process are doing: whether all of them wait for
//! each other, so that nothing will ever happen again.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};

/// A number that stays unchanged exactly as long as no thread of the process runs; `None` when one
/// does, or may start by itself: it computes, is in a system call, or waits with a time limit.
/// `is_exempt` names threads whose waits do not matter (by their number in the kernel).
///
/// Each thread is inspected separately. Where two calls return equal numbers, no thread has run
/// between the end of the first and the beginning of the second.
pub fn stillness(is_exempt: impl Fn(i32) -> bool) -> Option<u64> {
    if has_timers() || has_children() {
        return None;
    }
    let mut seen = DefaultHasher::new();
    for task in fs::read_dir("/proc/self/task").ok()? {
        let path = task.ok()?.path();
        let number: i32 = path.file_name()?.to_str()?.parse().ok()?;
        if is_exempt(number) || super::service::is_one(number) {
            continue;
        }
        let call = fs::read_to_string(path.join("syscall")).ok()?;
        if !is_endless_wait(&call, is_shared) {
            return None;
        }
        // How often the kernel has switched to it: unchanged, it has not run.
        let status = fs::read_to_string(path.join("status")).ok()?;
        let switches: Vec<&str> = status.lines().filter(|line| line.contains("ctxt_sw")).collect();
        (number, switches).hash(&mut seen);
    }
    Some(seen.finish())
}

/// Whether a line of `/proc/…/syscall` is a wait, without a time limit, that only this process can
/// end: on a futex, a private one or one in memory that is not shared; or that of a rank for its
/// own and other processes, which alone waits for several futexes.
fn is_endless_wait(line: &str, is_shared: impl Fn(u64) -> bool) -> bool {
    const WAIT: u64 = 0;
    const WAIT_BITSET: u64 = 9;
    const PRIVATE: u64 = 128;
    const REALTIME: u64 = 256;
    let mut words = line.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<i64>().ok());
    let hex = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let arguments: Option<Vec<u64>> = words.take(4).map(hex).collect();
    let Some([address, operation, _, limit]) = arguments.as_deref() else { return false };
    match number {
        Some(libc::SYS_futex) => {}
        // Here, too, the limit is the fourth.
        Some(libc::SYS_futex_waitv) => return *limit == 0,
        _ => return false,
    }
    // The kernel takes the operation as a 32-bit number.
    let operation = operation & 0xffff_ffff;
    let is_private = operation & PRIVATE != 0;
    *limit == 0
        && matches!(operation & !(PRIVATE | REALTIME), WAIT | WAIT_BITSET)
        && (is_private || !is_shared(*address))
}

/// Whether other processes may have the memory at `address`; when in doubt.
fn is_shared(address: u64) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let holds = |line: &&str| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let parsed = range.and_then(|(from, to)| {
            Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
        });
        parsed.is_some_and(|(from, to)| (from..to).contains(&address))
    };
    let rights = maps.lines().find(holds).and_then(|line| line.split(' ').nth(1));
    rights.is_none_or(|rights| rights.ends_with('s'))
}

/// Whether a timer of this process may wake a thread.
fn has_timers() -> bool {
    let is_set = |which| {
        // SAFETY: zero is a timer that is not set.
        let mut timer: libc::itimerval = unsafe { std::mem::zeroed() };
        // SAFETY: writes to a timer of ours.
        let status = unsafe { libc::getitimer(which, &mut timer) };
        status != 0 || timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0
    };
    // Timers of processor time stop while no thread runs.
    let others = fs::read_to_string("/proc/self/timers").unwrap_or_default();
    let mut numbers =
        others.lines().filter_map(|line| line.strip_prefix("ID:")?.trim().parse().ok());
    is_set(libc::ITIMER_REAL) || numbers.any(is_running)
}

/// Whether the timer that has this number in the kernel is set.
fn is_running(number: i32) -> bool {
    // SAFETY: zero is a timer that is not set.
    let mut timer: libc::itimerspec = unsafe { std::mem::zeroed() };
    // SAFETY: writes to a timer of ours.
    let status = unsafe { libc::syscall(libc::SYS_timer_gettime, number, &raw mut timer) };
    status != 0 || timer.it_value.tv_sec != 0 || timer.it_value.tv_nsec != 0
}

/// Whether there are child processes, whose signals or messages may wake a thread.
fn has_children() -> bool {
    // SAFETY: zero is a valid record.
    let mut record: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
    // SAFETY: looks only: a child that is found can still be waited for.
    unsafe { libc::waitid(libc::P_ALL, 0, &mut record, how) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_waits_that_nobody_outside_can_end_are_endless() {
        let private = |_| false;
        let wait = "202 0x7f001000 0x80 0x5 0x0 0x0 0x0 0x7f 0x7f";
        assert!(is_endless_wait(wait, |_| true));
        assert!(is_endless_wait("202 0x7f001000 0x189 0x5 0x0 0x0 0xffffffff 0x7f 0x7f", private));
        // pthread_join: a futex that the kernel itself wakes, as if it were shared.
        let join = "202 0x7f001000 0x109 0x5 0x0 0x0 0xffffffff 0x7f 0x7f";
        assert!(is_endless_wait(join, private));
        assert!(!is_endless_wait(join, |_| true));
        // The wait for several, without and with a time limit.
        assert!(is_endless_wait("449 0x7ffe10 0x2 0x0 0x0 0x1 0x0 0x7f 0x7f", |_| true));
        assert!(!is_endless_wait("449 0x7ffe10 0x2 0x0 0x7ffe 0x1 0x0 0x7f 0x7f", private));
        // With a time limit; a wake; another system call; running.
        assert!(!is_endless_wait("202 0x7f001000 0x80 0x5 0x7ffe 0x0 0x0 0x7f 0x7f", private));
        assert!(!is_endless_wait("202 0x7f001000 0x81 0x5 0x0 0x0 0x0 0x7f 0x7f", private));
        assert!(!is_endless_wait("230 0x0 0x0 0x0 0x0 0x0 0x0 0x7f 0x7f", private));
        assert!(!is_endless_wait("running", private));
        assert!(!is_endless_wait("", private));
    }

    #[test]
    fn whoever_computes_is_seen() {
        // The thread that asks runs.
        assert_eq!(stillness(|_| false), None);
    }
}
